//! Slips in Nushell's lines: bash's operators, variables and units, names that Nushell has no more or never had, tables
//! handed to programs for lines, lists wanted where text comes. Its engine refuses some of them without saying what would
//! be right and lets others pass.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::dialect;
use crate::check::{Finding, Fix, Grade, Kind, form};
use crate::reference::{self, Reference};
use crate::shell::Shell;
use crate::syntax::{self, Parsed, SimpleCommand, Span, Word};

/// Findings of one line.
const FINDINGS_MAX: usize = 32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    lists: BTreeSet<String>,
    want_lists: BTreeSet<String>,
    structured: BTreeSet<String>,
    plain: BTreeSet<String>,
    conditions: BTreeSet<String>,
    blocks: BTreeSet<String>,
    parameters: BTreeSet<String>,
    dates: BTreeSet<String>,
    tools: BTreeMap<String, String>,
    searched: BTreeMap<String, String>,
    units: BTreeMap<String, String>,
    form: Vec<Form>,
    flags: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    from: String,
    to: String,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("nushell.toml")).expect("nushell.toml is well-formed")
});

/// The slips of a line, by place.
pub(super) fn slips(line: &str, reference: &dyn Reference) -> Vec<Finding> {
    let parsed = syntax::parse(line, Shell::Nu);
    let reader = Reader { line, parsed: &parsed, reference };
    let mut found: Vec<Finding> = reader.operators();
    for command in &parsed.commands {
        found.extend(reader.form(command));
        found.extend(reader.flags(command));
        found.extend(reader.drawn(command));
        found.extend(reader.text_for_list(command));
        found.extend(reader.unnamed(command));
        found.extend(reader.unset(command));
        found.extend(reader.duration(command));
        found.extend(reader.file(command));
        found.extend(reader.saved_while_read(command));
        found.extend(reader.redirections(command));
        found
            .extend(command.words.iter().enumerate().filter_map(|(at, word)| reader.word(command, at, word)));
        if FINDINGS_MAX < found.len() {
            break;
        }
    }
    found
}

struct Reader<'a> {
    line: &'a str,
    parsed: &'a Parsed,
    reference: &'a dyn Reference,
}

impl Reader<'_> {
    fn raw(&self, span: &Span) -> &str {
        self.line.get(span.clone()).unwrap_or_default()
    }

    /// One of Nushell's own commands, by its name.
    fn own<'c>(&self, command: &'c SimpleCommand) -> Option<&'c str> {
        let name = command.name()?;
        (!self.is_program(command) && self.kind(name) == reference::Kind::Builtin).then_some(name)
    }

    /// `^name`.
    fn is_program(&self, command: &SimpleCommand) -> bool {
        let before = command.words.first().and_then(|word| self.line.get(..word.span.start));
        before.is_some_and(|before| before.ends_with('^'))
    }

    fn kind(&self, name: &str) -> reference::Kind {
        self.reference.known(&[name]).kind.clone()
    }

    /// What a command gets its input from; none where that is no command.
    fn feeder(&self, command: &SimpleCommand) -> Option<&SimpleCommand> {
        let before = command.position.checked_sub(1)?;
        self.parsed.commands.iter().find(|other| {
            other.pipeline == command.pipeline && other.position == before && other.within == command.within
        })
    }

    /// `&&` between statements and in conditions, and `=` in these.
    fn operators(&self) -> Vec<Finding> {
        let spans = self.parsed.errors.iter().map(|error| &error.span);
        let slip = |span| match self.raw(span) {
            "&&" => self.and(span),
            "=" => self.equals(span),
            _ => None,
        };
        spans.filter_map(slip).collect()
    }

    /// A condition with one `=`, which would assign.
    fn equals(&self, span: &Span) -> Option<Finding> {
        let part = self.line.get(..span.start)?.rsplit(['|', ';', '{', '(', '\n']).next()?;
        let words: Vec<&str> = part.split_whitespace().collect();
        let [first, .., _] = words.as_slice() else { return None };
        let text = "nushell compares by `==`; `=` assigns";
        TABLE.conditions.contains(*first).then(|| slip(span.clone(), Grade::Error, text, "==", "= → =="))
    }

    /// `$env.NAME | default …`: it fails before the default is reached.
    fn unset(&self, command: &SimpleCommand) -> Option<Finding> {
        self.own(command).filter(|name| *name == "default" && command.words.len() == 2)?;
        let before =
            self.line.get(..command.words.first()?.span.start)?.trim_end().strip_suffix('|')?.trim_end();
        let path = before.rsplit(|c: char| c.is_whitespace() || "({[=".contains(c)).next()?;
        let name = path.strip_prefix("$env.")?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let at = before.len();
        is_name.then(|| {
            let text = format!("`{path}` fails where it is not set; `{path}?` does not");
            slip(at..at, Grade::Warning, &text, "?", &format!("{path} → {path}?"))
        })
    }

    /// The name of a file where a command is wanted: its content is meant.
    fn file(&self, command: &SimpleCommand) -> Option<Finding> {
        let [word] = command.words.as_slice() else { return None };
        let name = self.raw(&word.span);
        let (_, ending) = name.rsplit_once('.')?;
        let is_content = TABLE.structured.contains(ending) || TABLE.plain.contains(ending);
        let is_command = self.is_program(command) || self.kind(name) != reference::Kind::Missing;
        let is_there = is_content && !is_command && self.reference.exists(name) == Some(true);
        let at = word.span.start;
        is_there.then(|| {
            let text = format!("`{name}` is a file; `open` reads it");
            slip(at..at, Grade::Error, &text, "open ", "added `open`")
        })
    }

    /// A time with a unit of other tools: alone, or for a command that waits.
    fn duration(&self, command: &SimpleCommand) -> Option<Finding> {
        let word = match (self.own(command), command.words.as_slice()) {
            (Some("sleep"), [_, words @ ..]) => {
                words.iter().find(|word| with_unit(self.raw(&word.span)).is_some())?
            }
            (None, [word]) if self.kind(&word.text) == reference::Kind::Missing => word,
            _ => return None,
        };
        let raw = self.raw(&word.span);
        let meant = with_unit(raw)?;
        let text = format!("nushell has no unit as in `{raw}`; write `{meant}`");
        Some(slip(word.span.clone(), Grade::Error, &text, &meant, &format!("{raw} → {meant}")))
    }

    fn and(&self, span: &Span) -> Option<Finding> {
        let before = self.line.get(..span.start)?;
        let part = before.rsplit(['|', ';', '{', '\n']).next()?.trim_start();
        let first = part.split_whitespace().next()?;
        let is_condition = TABLE.conditions.contains(first)
            || part.starts_with(['$', '('])
                && [" > ", " < ", " == ", " != ", " =~ ", " >= ", " <= "]
                    .iter()
                    .any(|sign| part.contains(sign));
        if is_condition {
            let text = "nushell joins conditions by `and`";
            return Some(slip(span.clone(), Grade::Error, text, "and", "&& → and"));
        }
        // Before that version Nushell goes on after a `;` although a program has failed.
        let version = self.reference.shell_version()?;
        if !dialect::is_since(&version, dialect::STOPS_SINCE)
            || part.starts_with('(')
            || part.contains(['<', '`'])
            || part.starts_with("[[")
            // Between Nushell's plain quotes no variable is one.
            || part.contains('"') && part.contains('$') && !part.contains("$\"")
        {
            return None;
        }
        let span = before.trim_end().len()..span.end;
        Some(slip(
            span,
            Grade::Error,
            "nushell joins commands by `;`, which stops where one fails",
            ";",
            "&& → ;",
        ))
    }

    /// A whole command that Nushell calls otherwise.
    fn form(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = command.name()?;
        let first = name.split(' ').next()?;
        if self.is_program(command)
            || !matches!(self.kind(first), reference::Kind::Missing | reference::Kind::Builtin)
        {
            return None;
        }
        TABLE.form.iter().find_map(|Form { from, to }| {
            let first = to.split(' ').next()?;
            let is_here = match first.strip_prefix('^') {
                Some(program) => !matches!(
                    self.kind(&format!("^{program}")),
                    reference::Kind::Missing | reference::Kind::Builtin
                ),
                None => first.starts_with('$') || self.kind(first) == reference::Kind::Builtin,
            };
            if !from.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
                || !is_here
            {
                return None;
            }
            let fix = form(command, from, to, self.line)?;
            let text = match self.kind(name) {
                reference::Kind::Missing => format!("nushell has no `{name}`; it has `{}`", fix.replacement),
                _ => format!("nushell's own `{name}` is another command; `{}` does this", fix.replacement),
            };
            Some(finding(Grade::Error, text, fix))
        })
    }

    /// Options that other tools call so.
    fn flags(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command)?;
        let flags = TABLE.flags.get(name)?;
        command.words.iter().skip(1).find_map(|word| {
            let option = self.raw(&word.span);
            let meant = flags.get(option)?;
            let known = self.reference.known(&[name]);
            // The running version may know it.
            if known.manual.as_ref().is_some_and(|manual| {
                manual.option(option).is_some() || manual.option(meant).is_none() && !meant.is_empty()
            }) {
                return None;
            }
            let said = if meant.is_empty() { "nothing" } else { meant };
            let text = format!("`{name}` has no flag `{option}`; it has `{meant}`");
            Some(slip(word.span.clone(), Grade::Error, &text, meant, &format!("{option} → {said}")))
        })
    }

    /// A program for lines behind what gives a table: it would get the table as it is drawn.
    fn drawn(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = command.name()?;
        if self.own(command).is_some() || command.words.iter().any(|word| !word.literal) {
            return None;
        }
        let feeder = self.feeder(command)?;
        let from = self.own(feeder).filter(|from| TABLE.lists.contains(*from))?;
        let span = command.span.start - usize::from(self.is_program(command))..command.span.end;
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let whole = words.join(" ");
        let grade = Grade::Warning;
        let replaced = |text: &str| {
            let why = format!("`{name}` would get the table of `{from}` as it is drawn");
            slip(span.clone(), grade, &why, text, &format!("{} → {text}", self.raw(&span)))
        };
        let own = TABLE
            .tools
            .get(&whole)
            .cloned()
            .or_else(|| counted(&words))
            .or_else(|| self.searched(feeder, from, &words));
        match own {
            Some(own) if command.redirections.is_empty() => Some(replaced(&own)),
            _ => ["awk", "sed", "cut", "grep", "egrep", "wc", "head", "tail", "tr", "xargs", "jq"].contains(&name).then(|| {
                let text = format!("`{name}` would get the table of `{from}` as it is drawn; use `where`, `get`, `each`, `first` or `length`");
                Finding { kind: Kind::Quoting, span: span.clone(), grade, text, evidence: "nushell".to_owned(), fixes: Vec::new() }
            }),
        }
    }

    /// `grep WORD` behind what has one column to search.
    fn searched(&self, feeder: &SimpleCommand, from: &str, words: &[&str]) -> Option<String> {
        let (&"grep", rest) = words.split_first()? else { return None };
        // Words of `ls`, `ps` and the like may add columns, but take none away.
        let column = TABLE.searched.get(from).filter(|_| from != "glob" || feeder.position == 0)?;
        if matches!(from, "ls" | "ps") && !self.names_alone(feeder, from, words) {
            return None;
        }
        let (ignores, inverts, pattern) = match rest {
            [pattern] => (false, false, pattern),
            ["-i", pattern] => (true, false, pattern),
            ["-v", pattern] => (false, true, pattern),
            ["-iv" | "-vi", pattern] => (true, true, pattern),
            _ => return None,
        };
        let is_plain =
            !pattern.is_empty() && pattern.chars().all(|c| c.is_alphanumeric() || "_-. ^$/:@".contains(c));
        let case = if ignores { "(?i)" } else { "" };
        let sign = if inverts { "!~" } else { "=~" };
        (is_plain && !pattern.starts_with('-')).then(|| format!("where {column} {sign} '{case}{pattern}'"))
    }

    /// Whether a search of what `ls` and `ps` print can only mean their names: a long form has rights, owners and states, too,
    /// the first of them at the start of a row, and a row goes for any of its columns.
    fn names_alone(&self, feeder: &SimpleCommand, from: &str, words: &[&str]) -> bool {
        let mut options = feeder.words.iter().skip(1).map(|word| self.raw(&word.span));
        let is_long = |option: &str| option == "--long" || is_cluster_with(option, 'l');
        let inverts = words.iter().any(|word| is_cluster_with(word, 'v'));
        !options.any(is_long) && !words.iter().any(|word| word.contains('^')) && (from != "ps" || !inverts)
    }

    /// Text from a file or a program where a list of lines is wanted, and the other way round.
    fn text_for_list(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command)?;
        let feeder = self.feeder(command)?;
        let at = feeder.span.end;
        if self.own(feeder) == Some("open") {
            let is_raw = feeder.words.iter().any(|word| matches!(word.text.as_str(), "--raw" | "-r"));
            let file = feeder
                .words
                .iter()
                .skip(1)
                .find(|word| !word.text.starts_with('-'))
                .filter(|word| word.literal)?;
            let ending =
                file.text.rsplit('/').next()?.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
            let is_data = !is_raw && ending.as_ref().is_some_and(|ending| TABLE.structured.contains(ending));
            let is_text = is_raw || ending.as_ref().is_some_and(|ending| TABLE.plain.contains(ending));
            if is_data && name == "lines" {
                let at = feeder.words.first()?.span.end;
                let text = format!("`open` makes data of `{}`; its lines are in `open --raw`", file.text);
                return Some(slip(at..at, Grade::Error, &text, " --raw", "added `--raw`"));
            }
            // A file of bytes may be meant by `first`.
            if !is_text
                || !TABLE.want_lists.contains(name)
                || is_raw && !matches!(name, "where" | "uniq" | "sort" | "any" | "all")
            {
                return None;
            }
            let text = format!("`{name}` wants a list; `{}` is text until `lines` splits it", file.text);
            return Some(slip(at..at, Grade::Warning, &text, " | lines", "added `lines`"));
        }
        let program = feeder.name()?;
        let is_plain = feeder.words.iter().all(|word| word.span.start < feeder.span.end)
            && feeder.redirections.is_empty();
        // A row's column is none of a line's.
        let column = command.words.get(1).filter(|word| !self.raw(&word.span).starts_with(['$', '{', '(']));
        if name == "where" && column.is_some() && self.prints(feeder) {
            let text =
                format!("what `{program}` prints is text; `detect columns` makes a table of it for `where`");
            return Some(Finding {
                kind: Kind::Quoting,
                span: command.words.first()?.span.clone(),
                grade: Grade::Warning,
                text,
                evidence: "nushell".to_owned(),
                fixes: Vec::new(),
            });
        }
        (self.prints(feeder) && is_plain && TABLE.want_lists.contains(name)).then(|| {
            let text =
                format!("`{name}` wants a list; what `{program}` prints is text until `lines` splits it");
            slip(at..at, Grade::Warning, &text, " | lines", "added `lines`")
        })
    }

    /// A program, whose output is text.
    fn prints(&self, command: &SimpleCommand) -> bool {
        let is_program = |name| matches!(self.kind(name), reference::Kind::Program { .. });
        self.is_program(command) || command.name().is_some_and(is_program)
    }

    /// `$it` or the like in a block that names no parameter.
    fn unnamed(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command).filter(|name| TABLE.blocks.contains(*name))?;
        command.words.iter().skip(1).find_map(|word| {
            let body = self.raw(&word.span).strip_prefix('{')?;
            let mut used: Vec<&str> = body.split('$').skip(1).filter_map(leading_name).collect();
            used.retain(|variable| TABLE.parameters.contains(*variable) && !self.is_set(variable));
            used.dedup();
            // There `$it` is the row.
            let is_row = used == ["it"] && ["where ", "any ", "all "].iter().any(|row| body.contains(row));
            let [parameter] = used.as_slice() else { return None };
            if is_row || body.trim_start().starts_with('|') {
                return None;
            }
            let at = word.span.start + 1;
            let gap = if body.starts_with(' ') { "" } else { " " };
            let text = format!("nothing is named `${parameter}` in the block of `{name}`");
            let change = format!("added `|{parameter}|`");
            Some(slip(at..at, Grade::Error, &text, &format!("|{parameter}|{gap}"), &change))
        })
    }

    /// Whether the line names a variable somewhere.
    fn is_set(&self, variable: &str) -> bool {
        sets(self.line, variable)
    }

    /// A file that is saved to while it is still read.
    fn saved_while_read(&self, command: &SimpleCommand) -> Option<Finding> {
        if self.own(command) != Some("save")
            || !command.words.iter().any(|word| word.text == "--force" || word.text == "-f")
        {
            return None;
        }
        let mut before: Vec<&SimpleCommand> = Vec::new();
        while let Some(feeder) = self.feeder(before.last().copied().unwrap_or(command)) {
            before.push(feeder);
        }
        let file = |command: &SimpleCommand| {
            let file = command.words.iter().skip(1).find(|word| !word.text.starts_with('-'));
            file.map(|word| word.text.clone())
        };
        let (first, between) = before.split_last()?;
        let streams = |other: &&SimpleCommand| other.name().is_some_and(|name| name == "lines");
        let gathers = |other: &&SimpleCommand| {
            other
                .name()
                .is_some_and(|name| matches!(name, "collect" | "sort" | "sort-by" | "str join" | "reverse"))
        };
        let same = self.own(first) == Some("open") && file(first).is_some() && file(first) == file(command);
        if !same || !between.iter().any(streams) || between.iter().any(gathers) {
            return None;
        }
        let at = command.words.first()?.span.start;
        let text = format!("`{}` is emptied before it is read; `collect` reads it first", file(command)?);
        Some(slip(at..at, Grade::Warning, &text, "collect | ", "added `collect`"))
    }

    /// bash's redirections.
    fn redirections(&self, command: &SimpleCommand) -> Option<Finding> {
        for redirection in &command.redirections {
            let operator = redirection.operator.as_str();
            let new = match operator {
                "2>" => "e>",
                "2>>" => "e>>",
                _ => continue,
            };
            let at = redirection.span.start;
            let text = format!("nushell writes `{operator}` as `{new}`");
            let target = redirection.target.as_ref()?;
            let replacement = format!("{new} {}", self.raw(&target.span));
            return Some(slip(
                at..redirection.span.end,
                Grade::Error,
                &text,
                &replacement,
                &format!("{operator} → {new}"),
            ));
        }
        None
    }

    fn word(&self, command: &SimpleCommand, at: usize, word: &Word) -> Option<Finding> {
        let raw = self.raw(&word.span);
        if at == 0 || word.quoted && !raw.starts_with('$') {
            return None;
        }
        let own = self.own(command);
        match raw {
            ">" | ">>" | "&>" | "2>" => return self.to_file(command, at, raw),
            "2>/dev/null" if own.is_none() => {
                return Some(slip(
                    word.span.clone(),
                    Grade::Error,
                    "nushell writes `2>` as `e>`",
                    "e> /dev/null",
                    "2> → e>",
                ));
            }
            "2>&1" => {
                let rest = self.line.get(word.span.end..)?;
                let pipe = rest.trim_start().strip_prefix('|')?;
                let end = self.line.len() - pipe.len();
                return Some(slip(
                    word.span.start..end,
                    Grade::Error,
                    "nushell writes `2>&1 |` as `o+e>|`",
                    "o+e>|",
                    "2>&1 | → o+e>|",
                ));
            }
            _ => {}
        }
        if let Some(name) = environment(raw)
            && !self.is_set(name)
        {
            let text = format!("nushell has `${name}` as `$env.{name}`");
            return Some(slip(
                word.span.clone(),
                Grade::Error,
                &text,
                &format!("$env.{name}"),
                &format!("{raw} → $env.{name}"),
            ));
        }
        if own.is_some_and(|own| TABLE.conditions.contains(own)) {
            return self.condition(command, at, word);
        }
        None
    }

    /// `>` as a word of a command.
    fn to_file(&self, command: &SimpleCommand, at: usize, raw: &str) -> Option<Finding> {
        let own = self.own(command);
        let is_expression = own.is_some_and(|own| {
            TABLE.conditions.contains(own)
                || matches!(own, "let" | "mut" | "const" | "return" | "match" | "not")
        });
        let sign = command.words.get(at)?;
        let [file] = command.words.get(at + 1..)? else { return None };
        let is_file = file.literal
            && file.text.contains(['.', '/'])
            && !file.text.starts_with(|c: char| c.is_ascii_digit());
        if is_expression || !is_file {
            return None;
        }
        let start = self.line.get(..sign.span.start)?.trim_end().len();
        let null = file.text == "/dev/null";
        let file = self.raw(&file.span);
        let replacement = match raw {
            ">" if null => " | ignore".to_owned(),
            ">" => format!(" | save {file}"),
            ">>" => format!(" | save --append {file}"),
            "2>" if null => " e> /dev/null".to_owned(),
            _ => return None,
        };
        let span = start..command.words.last()?.span.end;
        let text = format!("nushell writes `{raw} {file}` as `{}`", replacement.trim());
        let change = format!("{raw} → {}", replacement.trim());
        Some(slip(span, Grade::Error, &text, &replacement, &change))
    }

    /// A word of a condition: units, patterns, `=`.
    fn condition(&self, command: &SimpleCommand, at: usize, word: &Word) -> Option<Finding> {
        let raw = self.raw(&word.span);
        let (before, after) = (command.words.get(at.checked_sub(1)?)?, command.words.get(at + 1));
        let before = self.raw(&before.span);
        let compares = matches!(before, ">" | "<" | ">=" | "<=" | "==" | "!=");
        let column = at.checked_sub(2).and_then(|at| command.words.get(at)).map(|word| self.raw(&word.span));
        let column = column.map(|path| path.rsplit('.').next().unwrap_or(path));
        let duration = with_unit(raw).unwrap_or_else(|| raw.to_owned());
        if compares && column.is_some_and(|column| TABLE.dates.contains(column)) && is_duration(&duration) {
            let column = column.unwrap_or_default();
            return Some(Finding {
                kind: Kind::Syntax,
                span: word.span.clone(),
                grade: Grade::Error,
                text: format!(
                    "`{column}` is a date; compare it with a date such as `(date now) - {duration}`"
                ),
                evidence: "nushell".to_owned(),
                fixes: Vec::new(),
            });
        }
        if (compares || matches!(before, "-" | "+"))
            && let Some(meant) = with_unit(raw)
        {
            let text = format!("nushell has no unit as in `{raw}`; write `{meant}`");
            return Some(slip(word.span.clone(), Grade::Error, &text, &meant, &format!("{raw} → {meant}")));
        }
        if matches!(raw, "contains" | "includes" | "matches") && 1 < at {
            let pattern = after.filter(|after| is_plain_pattern(&after.text));
            let text = format!("nushell has no operator `{raw}`; `=~` looks for a pattern in text");
            let mut finding = slip(word.span.clone(), Grade::Error, &text, "=~", &format!("{raw} → =~"));
            finding.fixes.retain(|_| pattern.is_some());
            return Some(finding);
        }
        None
    }
}

/// Whether a line of Nushell names this variable: by a keyword, as a parameter or in a pattern of `match`. Where that can't be
/// told, it does.
pub(super) fn sets(line: &str, variable: &str) -> bool {
    let has_patterns = line.contains("=>");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(variable).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + variable.len()..).unwrap_or_default();
        if after.starts_with(is_part) || before.ends_with(is_part) || before.ends_with('.') {
            return false;
        }
        if before.ends_with('$') {
            return has_patterns;
        }
        let word = before.trim_end().rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
        // `{|a, X|`, `def f [a: int, --X]`.
        let list = before.rfind(['[', ']', '|']).and_then(|open| before.split_at_checked(open));
        let is_parameter = list.is_some_and(|(outside, list)| {
            list.starts_with('[') || list.starts_with('|') && outside.trim_end().ends_with('{')
        });
        is_parameter || before.ends_with(' ') && matches!(word, "let" | "mut" | "const" | "for")
    })
}

/// `-la`: short options in one word, one of them this.
fn is_cluster_with(option: &str, letter: char) -> bool {
    option.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}

/// A slip with the edit that mends it.
fn slip(span: Span, grade: Grade, text: &str, replacement: &str, change: &str) -> Finding {
    finding(
        grade,
        text.to_owned(),
        Fix { span, replacement: replacement.to_owned(), change: change.to_owned() },
    )
}

fn finding(grade: Grade, text: String, fix: Fix) -> Finding {
    let kind = if grade == Grade::Error { Kind::Syntax } else { Kind::Quoting };
    Finding { kind, span: fix.span.clone(), grade, text, evidence: "nushell".to_owned(), fixes: vec![fix] }
}

/// The name at the start of a text.
fn leading_name(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}

/// `head -n 5`, `tail -5` as Nushell counts.
fn counted(words: &[&str]) -> Option<String> {
    let (name, number) = match words {
        [name, "-n" | "--lines", number] => (*name, *number),
        [name, option] => (*name, option.strip_prefix("-n").or_else(|| option.strip_prefix('-'))?),
        _ => return None,
    };
    let own = match name {
        "head" => "first",
        "tail" => "last",
        _ => return None,
    };
    let is_number = !number.is_empty() && number.len() < 10 && number.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| format!("{own} {number}"))
}

/// The name of `$NAME` and `${NAME}` where it looks like one of the environment's.
fn environment(raw: &str) -> Option<&str> {
    let name = raw.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (is_name && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

/// `10M` as `10mb`; none where it is no number with a unit of other tools.
fn with_unit(raw: &str) -> Option<String> {
    let number = raw.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = TABLE.units.get(raw.get(number.len()..)?)?;
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok();
    is_number.then(|| format!("{number}{unit}"))
}

/// `7day`, `-2hr`.
fn is_duration(raw: &str) -> bool {
    let number = raw.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = raw.get(number.len()..).unwrap_or_default();
    matches!(unit, "ns" | "us" | "ms" | "sec" | "min" | "hr" | "day" | "wk") && number.parse::<f64>().is_ok()
}

/// Whether a pattern means the text that it is.
fn is_plain_pattern(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.chars().all(|c| c.is_alphanumeric() || "_- ".contains(c))
}

#[cfg(test)]
mod tests;
