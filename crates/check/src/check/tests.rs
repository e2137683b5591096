//! Tests of the checks against a small machine defined in a table (`tests/data/check/machine.toml`).
//! `tests/data/check/lines.toml` lists command lines with expected findings; to add a test, add a row there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::reference::{self, CommandFacts};
use askline_manual::userland::Userland;
use askline_manual::{Arity, Manual, OptionDoc, OptionStyle, Source, Subcommand};

/// A reference that answers from the table.
#[derive(Deserialize)]
struct Table {
    files: BTreeSet<String>,
    builtins: BTreeSet<String>,
    functions: BTreeSet<String>,
    /// Entries by command words: "git log".
    commands: BTreeMap<String, Entry>,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Entry {
    /// `-a, --all`, `-o, --output=FILE`, `--color[=WHEN]`, `-k?` (undocumented whether it takes a value).
    options: Vec<String>,
    mentioned: BTreeSet<String>,
    subcommands: Vec<String>,
    style: Option<OptionStyle>,
    version: Option<String>,
    /// Options that its own parser accepts. The program can be asked if either list is non-empty.
    accepts: BTreeSet<String>,
    refuses: BTreeSet<String>,
    undocumented: bool,
}

impl Table {
    fn load() -> &'static Self {
        static TABLE: LazyLock<Table> = LazyLock::new(|| {
            toml::from_str(include_str!("../../tests/data/check/machine.toml"))
                .unwrap_or_else(|error| panic!("{error}"))
        });
        &TABLE
    }

    fn manual(&self, name: &str) -> Option<Arc<Manual>> {
        let entry = self.commands.get(name).filter(|entry| !entry.undocumented)?;
        let subcommand = |name: &String| Subcommand { name: name.clone(), summary: String::new() };
        Some(Arc::new(Manual {
            name: name.to_owned(),
            options: entry.options.iter().map(|text| doc(text)).collect(),
            mentioned: entry.mentioned.clone(),
            subcommands: entry.subcommands.iter().map(subcommand).collect(),
            style: entry.style.unwrap_or_default(),
            version: entry.version.clone(),
            ..Manual::default()
        }))
    }
}

fn doc(text: &str) -> OptionDoc {
    let (names, description) = text.split_once("  ").unwrap_or((text, ""));
    let value = match names {
        _ if names.contains("[=") => Arity::Optional,
        _ if names.contains('=') => Arity::Required,
        _ if names.ends_with('?') => Arity::Unknown,
        _ => Arity::None,
    };
    let name = |name: &str| name.split(['=', '[', '?']).next().unwrap_or_default().to_owned();
    OptionDoc {
        names: names.split(", ").map(name).collect(),
        value,
        placeholder: String::new(),
        text: description.to_owned(),
        source: Source::Page,
    }
}

impl Reference for Table {
    fn known(&self, command: &[&str]) -> Arc<CommandFacts> {
        let top = command[0];
        let mut above = Vec::new();
        let mut manual = self.manual(top);
        for end in 2..=command.len() {
            let Some(below) = self.manual(&command[..end].join(" ")) else { break };
            above.extend(manual.replace(below));
        }
        let kind = if self.commands.contains_key(top) {
            let path = PathBuf::from("/usr/bin").join(top);
            reference::CommandKind::Program { real_path: path.clone(), path }
        } else if self.builtins.contains(top) {
            reference::CommandKind::Builtin
        } else if self.functions.contains(top) {
            reference::CommandKind::Function
        } else {
            reference::CommandKind::Missing
        };
        let entry = self.commands.get(top);
        Arc::new(CommandFacts {
            kind,
            manual,
            above,
            userland: Userland::Gnu,
            version: None,
            askable: entry.is_some_and(|entry| !entry.accepts.is_empty() || !entry.refuses.is_empty()),
        })
    }

    fn names(&self) -> Vec<String> {
        let single = self.commands.keys().filter(|name| !name.contains(' '));
        single.chain(&self.builtins).chain(&self.functions).cloned().collect()
    }

    fn exists(&self, path: &str) -> Option<bool> {
        Some(self.files.contains(path))
    }

    fn accepts(&self, command: &[&str], option: &str) -> Option<bool> {
        let entry = self.commands.get(command[0])?;
        let is_taken = entry.accepts.contains(option);
        (is_taken || entry.refuses.contains(option)).then_some(is_taken)
    }
}

#[derive(Deserialize)]
struct Rows {
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    line: String,
    #[serde(default)]
    shell: Option<String>,
    /// Expected findings as `kind grade span`, followed by ` => line after the first fix` if there is one.
    #[serde(default)]
    finds: Vec<String>,
    /// `true` if `finds` includes hints.
    #[serde(default)]
    hints: bool,
    /// Expected counts: verified, unknown, refuted.
    #[serde(default)]
    flags: Option<[usize; 3]>,
}

fn report(line: &str, shell: Shell, table: &Table) -> Report {
    check(&ParsedLine::new(line, shell), table)
}

fn described(finding: &Finding, line: &str) -> String {
    let place = line.get(finding.span.clone()).unwrap();
    let mut text = format!("{} {} {place}", finding.kind.name(), finding.grade.name());
    if let Some(fix) = finding.fixes.first() {
        let mut fixed = line.to_owned();
        fixed.replace_range(fix.span.clone(), &fix.replacement);
        text.push_str(&format!(" => {fixed}"));
    }
    text
}

#[test]
fn rows() {
    let table = Table::load();
    let rows: Rows = toml::from_str(include_str!("../../tests/data/check/lines.toml")).unwrap();
    let mut wrong = Vec::new();
    for row in &rows.row {
        let shell = row.shell.as_deref().map_or(Shell::Bash, |name| name.parse().unwrap());
        let report = report(&row.line, shell, table);
        let shown = report.findings.iter().filter(|finding| row.hints || finding.grade < Grade::Hint);
        let found: Vec<String> = shown.map(|finding| described(finding, &row.line)).collect();
        if found != row.finds {
            wrong.push(format!("{} ({shell})\n  found    {found:#?}\n  expected {:#?}", row.line, row.finds));
        }
        let flags = [report.flags_verified, report.flags_unknown, report.flags_refuted];
        if row.flags.is_some_and(|expected| expected != flags) {
            wrong.push(format!("{} ({shell}): flags {flags:?}, expected {:?}", row.line, row.flags));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.row.len(), wrong.join("\n"));
}

#[test]
fn findings_say_what_to_do_and_where_from() {
    let table = Table::load();
    let words = |line: &str| {
        let report = report(line, Shell::Bash, table);
        let finding = report.findings.into_iter().next().unwrap();
        format!("{} [{}]", finding.text, finding.evidence)
    };
    let lines = [
        (
            "ls --colour",
            "`ls` has no option `--colour`; did you mean `--color` [`ls` itself refuses it (9.1)]",
        ),
        (
            "git log --grap",
            "it is not known whether `git log` takes `--grap`: it is the beginning of a documented one [manual of git log]",
        ),
        ("git log --zzznope", "`git log` documents no option `--zzznope` [manual of git log]"),
        (
            "mystery -q",
            "it is not known whether `mystery` takes `-q`: no documentation of it was found [no documentation of mystery here]",
        ),
        (
            "netstat -tul",
            "there is no command `netstat` here; `ss` does this job [looked up on PATH and among builtins, functions and aliases]",
        ),
        ("ls |", "the line is not finished: a command is missing [our reading of bash]"),
    ];
    for (line, expected) in lines {
        assert_eq!(words(line), expected, "{line}");
    }
}

#[test]
fn the_table_of_tools_is_well_formed() {
    let tools = &*tools::TOOLS;
    assert!(tools.find.patterns.is_subset(&tools.find.with_one));
    for (name, other) in &tools.like {
        assert_ne!(name, other);
    }
}

#[test]
fn programs_are_asked_a_bounded_number_of_times() {
    struct Counting(std::cell::Cell<usize>, &'static Table);
    impl Reference for Counting {
        fn known(&self, command: &[&str]) -> Arc<CommandFacts> {
            self.1.known(command)
        }
        fn names(&self) -> Vec<String> {
            self.1.names()
        }
        fn exists(&self, path: &str) -> Option<bool> {
            self.1.exists(path)
        }
        fn accepts(&self, _: &[&str], _: &str) -> Option<bool> {
            self.0.set(self.0.get() + 1);
            None
        }
    }
    let reference = Counting(std::cell::Cell::new(0), Table::load());
    let line = (0..200).map(|number| format!("ls --zz{number}x")).collect::<Vec<_>>().join("; ");
    let report = check(&ParsedLine::new(line, Shell::Bash), &reference);
    assert_eq!(reference.0.get(), flags::MAX_QUESTIONS);
    assert_eq!(report.flags_refuted, MAX_COMMANDS);
}

fn any_line() -> impl Strategy<Value = String> {
    let pieces = "ls|-la|--color=auto|--colour|git|log|-C|-newermt|find|-name|*.txt|-exec|{}|;|\\;|+|+x|tar|xvf|dd|if=|ps|aux|chmod|-rwx|'|\"|\"$1\"|awk|$|$?|\
        ${x}|`|`|<file>|<|>|>>|<<|<<<|#|=|==|[|]|[[|]]|!|!!|&|&&|?a=1&b|http://x/?a=1&b=2|~/|\"~/a b\"|é|日本|\u{0}|\n|\t|\\|netstat|-tulpn|fd|service|--|-|--x=|-é|-🦀b|\
        A=b|f()|function|{|}|(|)|kill|-SIGTERM|head|-5|sudo|xargs|sh|-c|--no-x|{{x}}|/path/to/x|./a|cat|FILE";
    let pieces: Vec<String> = pieces.split('|').map(str::to_owned).collect();
    let piece = prop_oneof![8 => proptest::sample::select(pieces), 1 => ".{0,6}".prop_map(String::from)];
    proptest::collection::vec((piece, any::<bool>()), 0..14).prop_map(|parts| {
        parts.into_iter().map(|(piece, blank)| piece + if blank { " " } else { "" }).collect()
    })
}

proptest! {
    /// Every text gets a report whose spans and edits fit the line.
    #[test]
    fn nothing_panics(line in any_line(), shell in proptest::sample::select(vec![Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Nu])) {
        let table = Table::load();
        let report = report(&line, shell, table);
        for finding in &report.findings {
            prop_assert!(line.get(finding.span.clone()).is_some(), "{finding:?}");
            for fix in &finding.fixes {
                prop_assert!(line.get(fix.span.clone()).is_some(), "{fix:?}");
            }
            prop_assert!(!finding.text.ends_with('.') && !finding.evidence.is_empty());
        }
    }

    /// Combines the structure of one line with the text of another: spans that do not fit are ignored.
    #[test]
    fn a_foreign_structure_is_survived(line in any_line(), other in any_line()) {
        let table = Table::load();
        check_parsed(&line, Shell::Zsh, ParsedLine::new(other, Shell::Zsh).own(), table);
    }
}
