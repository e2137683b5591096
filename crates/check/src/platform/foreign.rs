//! Finds forms of another tool family in a line, using rules (`rules/README.md`). Each finding has the form for the
//! tool on this machine if there is one.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::arguments::{Arguments, Flag, Value};
use super::pattern::{self, Captures};
use crate::finding::{Finding, FindingKind, Fix, Severity};
use crate::reference::{self, CommandFacts, Reference};
use askline_manual::userland::{G_PREFIXED, Userland};
use askline_syntax::options::Form;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Span, program_name};

/// A file of rules; `rules/README.md` describes the format.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    rule: Vec<Rule>,
    /// Translations of format directives, by name.
    #[serde(default)]
    directives: HashMap<String, HashMap<String, String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Tools on this machine to which the rule applies.
    commands: Vec<String>,
    /// All names of the foreign option.
    #[serde(default)]
    options: Vec<String>,
    /// `true` if the foreign option takes the next word as its value.
    #[serde(default)]
    takes: bool,
    /// Pattern that the option's value must match.
    value: Option<String>,
    /// Pattern that one of the operands must match.
    operand: Option<String>,
    /// `true` if the rule applies only to calls without operands.
    #[serde(default)]
    bare: bool,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    /// Description of the problem for the user and the model.
    says: String,
    /// `true` if the tool has an option of this name with another meaning, so its documentation proves nothing.
    #[serde(default)]
    here: bool,
    /// `true` if the tool accepts the form silently and does something else.
    #[serde(default)]
    silent: bool,
    /// Replacement for the option and its value; empty to delete them.
    to: Option<String>,
    /// Replacements by pattern of the value; the first match applies.
    #[serde(default)]
    forms: Vec<(String, String)>,
    /// Name of the directives table that translates the value for `{format}`.
    format: Option<String>,
    /// Other options that the fix deletes.
    #[serde(default)]
    drop: Vec<String>,
    /// An option (`-`: the first one; empty: the first word) and the text that the fix inserts before it.
    before: Option<(String, String)>,
    /// `true` if the option moves before the first operand.
    #[serde(default)]
    forward: bool,
    /// Replacements for the command word; the first installed one applies.
    #[serde(default)]
    program: Vec<String>,
    /// `true` if the fix is valid only without other options.
    #[serde(default)]
    alone: bool,
    /// Other families to which the rule applies.
    #[serde(default)]
    also: Vec<String>,
    /// An example line with the form. `good` is the expected result; `None` if there is no fix.
    bad: String,
    good: Option<String>,
    /// Lines that are correct and must have no finding.
    stays: Vec<String>,
    /// `true` if a test cannot look the rule up because the tables lack the tool.
    #[serde(default)]
    unchecked: bool,
}

/// Rule files by family or system.
static FILES: LazyLock<Vec<(&str, RuleFile)>> = LazyLock::new(|| {
    [
        ("gnu", include_str!("rules/gnu.toml")),
        ("uutils", include_str!("rules/uutils.toml")),
        ("busybox", include_str!("rules/busybox.toml")),
        ("toybox", include_str!("rules/toybox.toml")),
        ("bsd", include_str!("rules/bsd.toml")),
        ("linux", include_str!("rules/linux.toml")),
        ("macos", include_str!("rules/macos.toml")),
    ]
    .map(|(name, text)| {
        #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
        let file = toml::from_str(text).expect("the rules are well-formed");
        (name, file)
    })
    .into()
});

/// Rules by world (`gnu` … `bsd`, `linux`, `macos`) and command.
type Index = HashMap<(&'static str, &'static str), Vec<(&'static RuleFile, &'static Rule)>>;

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index::new();
    for (world, file) in FILES.iter() {
        for rule in &file.rule {
            for world in std::iter::once(*world).chain(rule.also.iter().map(String::as_str)) {
                for command in &rule.commands {
                    index.entry((world, command)).or_default().push((file, rule));
                }
            }
        }
    }
    index
});

/// The example of a rule, for tests with the real program.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "as in the rules' README")]
pub struct Example {
    /// Family or system of this machine: `gnu`, `linux` …
    pub world: &'static str,
    pub commands: &'static [String],
    pub options: &'static [String],
    pub bad: &'static str,
    pub good: Option<&'static str>,
    pub stays: &'static [String],
    pub here: bool,
    pub silent: bool,
    pub unchecked: bool,
    pub program: &'static [String],
}

/// Returns the example of each rule, once for each family to which it applies.
pub fn examples() -> Vec<Example> {
    let mut all = Vec::new();
    for (world, file) in FILES.iter() {
        for rule in &file.rule {
            for world in std::iter::once(*world).chain(rule.also.iter().map(String::as_str)) {
                all.push(Example {
                    world,
                    commands: &rule.commands,
                    options: &rule.options,
                    bad: &rule.bad,
                    good: rule.good.as_deref(),
                    stays: &rule.stays,
                    here: rule.here,
                    silent: rule.silent,
                    unchecked: rule.unchecked,
                    program: &rule.program,
                });
            }
        }
    }
    all
}

/// Returns the foreign forms in a line, ordered by position. `os` is a name as in `std::env::consts::OS`.
pub fn findings(line: &ParsedLine, reference: &dyn Reference, os: &str) -> Vec<Finding> {
    let commands = &line.parsed().commands;
    let mut found: Vec<Finding> = commands
        .iter()
        .filter_map(|command| Tool::of(line.text(), command, reference))
        .flat_map(|tool| tool.findings(os))
        .collect();
    found.sort_by_key(|finding| finding.span.start);
    found
}

/// A command with a known tool.
struct Tool<'a> {
    line: &'a str,
    command: &'a SimpleCommand,
    reference: &'a dyn Reference,
    /// Usual name of the tool: `date` also for `/bin/date` and for GNU's `gdate`.
    name: &'a str,
    /// Index of the word that names the tool.
    word: usize,
    userland: Userland,
    known: std::sync::Arc<CommandFacts>,
}

impl<'a> Tool<'a> {
    fn of(line: &'a str, command: &'a SimpleCommand, reference: &'a dyn Reference) -> Option<Self> {
        let typed = command.name()?;
        let known = reference.known(&[typed]);
        match &known.kind {
            reference::CommandKind::Function => return None,
            // An alias that only adds options is still the tool itself.
            reference::CommandKind::Alias(text) if text.split_whitespace().next() != Some(typed) => {
                return None;
            }
            _ => {}
        }
        let applet_of = match command.within.last() {
            Some(Nesting::Wrapper(name)) if name == "busybox" => Some(Userland::Busybox),
            Some(Nesting::Wrapper(name)) if name == "toybox" => Some(Userland::Toybox),
            _ => None,
        };
        let base = program_name(typed);
        let (name, word, userland) = match base {
            "busybox" | "toybox" => {
                let applet = command.words.get(1).filter(|word| word.literal)?;
                let userland = if base == "busybox" { Userland::Busybox } else { Userland::Toybox };
                (applet.text.as_str(), 1, userland)
            }
            _ => {
                let prefixed = base.strip_prefix('g').filter(|_| G_PREFIXED.contains(&base));
                (prefixed.unwrap_or(base), 0, applet_of.unwrap_or(known.userland))
            }
        };
        Some(Self { line, command, reference, name, word, userland, known })
    }

    fn findings(&self, os: &str) -> Vec<Finding> {
        let rules = |world| INDEX.get(&(world, self.name)).into_iter().flatten();
        if self.known.kind == reference::CommandKind::Missing && self.word == 0 {
            // The check of commands reports a missing command. Report it only if there is an equivalent.
            let worlds = if self.userland == Userland::Bsd { "macos" } else { os };
            return rules(worlds)
                .filter_map(|(file, rule)| self.judge(file, rule))
                .filter(|finding| !finding.fixes.is_empty())
                .collect();
        }
        let family = match self.userland {
            Userland::Gnu => "gnu",
            Userland::Busybox => "busybox",
            Userland::Uutils => "uutils",
            Userland::Toybox => "toybox",
            Userland::Bsd => "bsd",
            Userland::Unknown => return Vec::new(),
        };
        rules(family).filter_map(|(file, rule)| self.judge(file, rule)).collect()
    }

    /// Returns the finding of a rule; `None` if the rule does not apply to this call.
    fn judge(&self, file: &RuleFile, rule: &Rule) -> Option<Finding> {
        let mut arguments = Arguments::read(self.line, self.command, self.name, self.word + 1);
        if !rule.with.is_empty() && !arguments.has(&rule.with) || arguments.has(&rule.without) {
            return None;
        }
        let first_flag = arguments.flags.first().map_or(usize::MAX, |flag| flag.word);
        let has_operand = if Form::of(self.name) == Form::Words {
            arguments.operands.first().is_some_and(|operand| *operand < first_flag)
        } else {
            !arguments.operands.is_empty()
        };
        if rule.bare && has_operand {
            return None;
        }
        let operand = match &rule.operand {
            Some(form) => Some(arguments.operands.iter().copied().find_map(|index| {
                let word = self.command.words.get(index)?;
                Some((index, pattern::matches(form, &word.text)?))
            })?),
            None => None,
        };
        let mut captures = operand.map(|(_, captures)| captures).unwrap_or_default();
        let flag = match rule.options.is_empty() {
            true => None,
            false => Some(self.flag(rule, &mut arguments)?),
        };
        if let Some(flag) = &flag
            && (!rule.here && self.documented(&flag.name)
                || rule.forward && arguments.operands.first().is_none_or(|operand| flag.word < *operand))
        {
            return None;
        }
        if let Some(form) = &rule.value {
            let value = flag.as_ref()?.value.as_ref()?;
            captures.extend(pattern::matches(form, &value.text)?);
        }
        let fix = self.fix(file, rule, &arguments, flag.as_ref(), captures);
        let command = self.command.words.get(self.word)?.span.clone();
        Some(Finding {
            kind: FindingKind::Platform,
            span: flag.map_or(command, |flag| flag.place),
            grade: if rule.silent { Severity::Warning } else { Severity::Error },
            text: self.says(rule),
            evidence: self.evidence(),
            fixes: fix.into_iter().collect(),
        })
    }

    /// Returns the option that the rule concerns. If the rule says so, the next word is its value.
    fn flag(&self, rule: &Rule, arguments: &mut Arguments) -> Option<Flag> {
        let at = arguments.flags.iter().position(|flag| rule.options.contains(&flag.name))?;
        let mut flag = arguments.flags[at].clone();
        let ends_word = flag.place.end == self.command.words.get(flag.word)?.span.end;
        if rule.takes && flag.value.is_none() && ends_word {
            let index = flag.word + 1;
            let word = self.command.words.get(index)?;
            arguments.operands.retain(|operand| *operand != index);
            flag.value = Some(Value {
                text: word.text.clone(),
                literal: word.literal,
                span: word.span.clone(),
                word: index,
            });
        } else if rule.takes && flag.value.is_none() && Form::of(self.name) != Form::Words {
            // The rest of the word is the value, although other families read it as letters.
            let word = self.command.words.get(flag.word)?;
            let raw = self.line.get(flag.place.end..word.span.end)?;
            let text = word.text.get(flag.place.end - word.span.start..).unwrap_or(raw).to_owned();
            flag.clustered = flag.place.start != word.span.start + 1;
            flag.value = Some(Value {
                text,
                literal: word.literal,
                span: flag.place.end..word.span.end,
                word: flag.word,
            });
            let only = flag.word;
            arguments.flags.retain(|other| other.word != only || other.place.start <= flag.place.start);
        }
        Some(flag)
    }

    /// Reports whether the machine's documentation has the option after all: another version or build.
    fn documented(&self, option: &str) -> bool {
        self.known.manual.as_ref().is_some_and(|manual| manual.option(option).is_some())
    }

    fn says(&self, rule: &Rule) -> String {
        rule.says.replace("{tool}", &format!("{} {}", self.userland.name(), self.name))
    }

    fn evidence(&self) -> String {
        let version = self.known.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        match (&self.known.kind, self.word) {
            (reference::CommandKind::Missing, 0) => format!("no `{}` here", self.name),
            _ => format!("`{}` here is {}{version}", self.name, self.userland.name()),
        }
    }

    /// Returns the rule's edit for this call; `None` if the call contains more than the rule covers.
    fn fix(
        &self,
        file: &RuleFile,
        rule: &Rule,
        arguments: &Arguments,
        flag: Option<&Flag>,
        mut captures: Captures,
    ) -> Option<Fix> {
        if 1 < arguments.named(&rule.options).count() {
            return None;
        }
        let other = |other: &&Flag| !rule.options.contains(&other.name) && !rule.drop.contains(&other.name);
        if rule.alone && arguments.flags.iter().any(|flag| other(&flag)) {
            return None;
        }
        let mut edits = Edits::new(self.line);
        let value = flag.and_then(|flag| flag.value.as_ref());
        if let Some(value) = value {
            let raw = self.line.get(value.span.clone())?;
            if let Some(name) = &rule.format {
                let table = file.directives.get(name)?;
                if !value.literal {
                    return None;
                }
                captures.insert("format", pattern::translated(raw, table)?);
            }
            captures.insert("value", raw.to_owned());
        }
        let mut to = rule.to.clone();
        if !rule.forms.is_empty() {
            let value = value?;
            let (form, captured) =
                rule.forms.iter().find_map(|(form, to)| Some((to, pattern::matches(form, &value.text)?)))?;
            captures.extend(captured);
            to = Some(form.clone());
        }
        // If no letter of a cluster remains, the whole word is deleted.
        let mut flag = flag.cloned();
        for dropped in arguments.named(&rule.drop) {
            let emptied =
                arguments.flags.iter().filter(|one| one.word == dropped.word).all(|one| !other(&one));
            match &mut flag {
                Some(flag) if emptied && flag.word == dropped.word => flag.clustered = false,
                _ => self.put(&mut edits, dropped, "")?,
            }
        }
        let flag = flag.as_ref();
        if let Some(program) = self.replacement(rule) {
            let word = self.command.words.get(self.word)?;
            if self.line.get(word.span.clone())? != self.name {
                return None;
            }
            edits.replace(word.span.clone(), &program);
        } else if !rule.program.is_empty() || (to.is_none() && rule.before.is_none() && !rule.forward) {
            return None;
        }
        if let (Some(flag), Some(to)) = (flag, &to) {
            self.put(&mut edits, flag, &pattern::fill(to, &captures)?)?;
        }
        if let Some((option, insertion)) = &rule.before {
            let names = std::slice::from_ref(option);
            let place = match option.as_str() {
                "" => self.word + 1,
                "-" => arguments.flags.first()?.word,
                _ => arguments.named(names).next()?.word,
            };
            let start = self.command.words.get(place)?.span.start;
            edits.replace(start..start, &format!("{} ", pattern::fill(insertion, &captures)?));
        }
        if rule.forward {
            let flag = flag?;
            let operand = self.command.words.get(*arguments.operands.first()?)?;
            let moved = self.line.get(self.command.words.get(flag.word)?.span.clone())?;
            let next = value.filter(|value| value.word != flag.word);
            let moved = match next {
                Some(value) => format!("{moved} {} ", self.line.get(value.span.clone())?),
                None => format!("{moved} "),
            };
            if flag.clustered {
                return None;
            }
            self.put(&mut edits, flag, "")?;
            edits.replace(operand.span.start..operand.span.start, &moved);
        }
        edits.into_fix()
    }

    /// Returns the first of the rule's programs that is installed.
    fn replacement(&self, rule: &Rule) -> Option<String> {
        let installed = |program: &&String| {
            let name = program.split_whitespace().next().unwrap_or_default();
            matches!(
                self.reference.known(&[name]).kind,
                reference::CommandKind::Program { .. } | reference::CommandKind::Builtin
            )
        };
        rule.program.iter().find(installed).cloned()
    }

    /// Replaces an option and its value with `to`.
    fn put(&self, edits: &mut Edits<'_>, flag: &Flag, to: &str) -> Option<()> {
        let word = &self.command.words.get(flag.word)?.span;
        let value = flag.value.as_ref();
        let end = value.map_or(flag.place.end, |value| value.span.end).max(flag.place.end);
        // If the option is one letter of a cluster, the other letters stay in place.
        let start = if flag.clustered {
            edits.replace(flag.place.clone(), "");
            if value.is_some_and(|value| value.word == flag.word) {
                edits.replace(flag.place.end..word.end, "");
            }
            word.end
        } else {
            word.start
        };
        let blank = self.line.get(..start)?;
        let blank = start - blank.trim_end_matches([' ', '\t']).len().min(start);
        match (flag.clustered, to) {
            (true, "") => edits.replace(start..end.max(start), ""),
            (true, _) => edits.replace(start..end.max(start), &format!(" {to}")),
            (false, "") => edits.replace(start - blank..end, ""),
            (false, _) => edits.replace(start..end, to),
        }
        Some(())
    }
}

/// Edits of one line that form one fix.
struct Edits<'a> {
    line: &'a str,
    edits: Vec<(Span, String)>,
}

impl<'a> Edits<'a> {
    fn new(line: &'a str) -> Self {
        Self { line, edits: Vec::new() }
    }

    fn replace(&mut self, span: Span, text: &str) {
        if !(span.is_empty() && text.is_empty()) {
            self.edits.push((span, text.to_owned()));
        }
    }

    /// Joins all edits into one, with the text between them unchanged; `None` if they overlap.
    fn into_fix(mut self) -> Option<Fix> {
        self.edits.sort_by_key(|(span, _)| (span.start, span.end));
        let start = self.edits.first()?.0.start;
        let mut end = start;
        let mut replacement = String::new();
        for (span, text) in &self.edits {
            replacement.push_str(self.line.get(end..span.start)?);
            replacement.push_str(text);
            end = span.end;
        }
        let before = self.line.get(start..end)?.trim();
        let after = replacement.trim();
        let change = match (before, after) {
            ("", added) => format!("added `{added}`"),
            (gone, "") => format!("`{gone}` taken out"),
            _ => format!("{before} → {after}"),
        };
        Some(Fix { span: start..end, replacement, change })
    }
}
