//! Tests of the checks against a small machine defined in a table (`tests/data/check/machine.toml`).
//! `tests/data/check/lines.toml` lists command lines with expected findings; to add a test, add a row there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::git_refs::GitRefs;
use crate::reference::CommandKind;
use crate::test_machine::{TestMachine, option};
use askline_manual::{Manual, OptionStyle, Subcommand};
use askline_syntax::options::ProgramOptions;

/// The machine as its file describes it.
#[derive(Deserialize)]
struct Table {
    files: BTreeSet<String>,
    builtins: BTreeSet<String>,
    functions: BTreeSet<String>,
    /// Remotes, and references by their full names.
    remotes: BTreeSet<String>,
    refs: BTreeSet<String>,
    /// Entries by command words: "git log".
    commands: BTreeMap<String, Entry>,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Entry {
    /// Options as [`option`] parses them.
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

impl Entry {
    fn manual(&self, name: &str) -> Manual {
        let subcommand = |name: &String| Subcommand { name: name.clone(), summary: String::new() };
        Manual {
            name: name.to_owned(),
            options: self.options.iter().map(|text| option(text)).collect(),
            mentioned: self.mentioned.clone(),
            subcommands: self.subcommands.iter().map(subcommand).collect(),
            style: self.style.unwrap_or_default(),
            version: self.version.clone(),
            ..Manual::default()
        }
    }

    fn answers(&self) -> BTreeMap<String, bool> {
        let accepted = self.accepts.iter().map(|option| (option.clone(), true));
        accepted.chain(self.refuses.iter().map(|option| (option.clone(), false))).collect()
    }
}

fn machine() -> TestMachine {
    let table: Table = toml::from_str(include_str!("../../tests/data/check/machine.toml")).unwrap();
    let documented = table.commands.iter().filter(|(_, entry)| !entry.undocumented);
    let manuals = documented.map(|(name, entry)| (name.clone(), Arc::new(entry.manual(name))));
    let answers = table.commands.iter().map(|(name, entry)| (name.clone(), entry.answers()));
    let mut git_refs = GitRefs { remotes: table.remotes, ..GitRefs::default() };
    table.refs.iter().for_each(|name| git_refs.add(name));
    let programs = || table.commands.keys().filter(|name| !name.contains(' '));
    let names = programs().chain(&table.builtins).chain(&table.functions);
    TestMachine {
        programs: programs().cloned().collect(),
        names: names.cloned().collect(),
        manuals: manuals.collect(),
        answers: answers.filter(|(_, answers)| !answers.is_empty()).collect(),
        defined: table.functions.iter().map(|name| (name.clone(), CommandKind::Function)).collect(),
        builtins: table.builtins,
        paths: Some(table.files),
        git_refs: Some(Arc::new(git_refs)),
        ..TestMachine::default()
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

fn report(line: &str, shell: Shell, machine: &TestMachine) -> Report {
    check(&ParsedLine::new(line, shell), machine)
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
    let machine = machine();
    let rows: Rows = toml::from_str(include_str!("../../tests/data/check/lines.toml")).unwrap();
    let mut wrong = Vec::new();
    for row in &rows.row {
        let shell = row.shell.as_deref().map_or(Shell::Bash, |name| name.parse().unwrap());
        let report = report(&row.line, shell, &machine);
        let shown = report.findings.iter().filter(|finding| row.hints || finding.grade < Severity::Hint);
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
    let machine = machine();
    let words = |line: &str| {
        let report = report(line, Shell::Bash, &machine);
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
            "there is no command `netstat` here; `ss` may do instead [looked up on PATH and among builtins, functions and aliases]",
        ),
        ("ls |", "the line is not finished: a command is missing [our reading of bash]"),
    ];
    for (line, expected) in lines {
        assert_eq!(words(line), expected, "{line}");
    }
}

#[test]
fn root_needs_no_sudo() {
    let mut user = machine();
    let found = |line: &str, machine: &TestMachine| -> Vec<String> {
        report(line, Shell::Bash, machine).findings.iter().map(|finding| described(finding, line)).collect()
    };
    let with_sudo = TestMachine { is_root: true, ..machine() };
    assert_eq!(found("sudo ls -l", &with_sudo), [""; 0]);
    user.programs.remove("sudo");
    assert_eq!(found("sudo ls -l", &user), ["command-missing error sudo"]);
    let root = TestMachine { is_root: true, ..user };
    assert_eq!(found("sudo ls -l", &root), ["command-missing error sudo => ls -l"]);
    assert_eq!(found("ls && sudo ls > list", &root), ["command-missing error sudo => ls && ls > list"]);
    for line in ["sudo -u kim ls", "sudo LANG=C ls", "sudo"] {
        let first = found(line, &root).first().cloned();
        assert_eq!(first.as_deref(), Some("command-missing error sudo"), "{line}");
    }
}

#[test]
fn programs_of_root_are_run_as_root_or_by_their_path() {
    let mut user = machine();
    user.for_root = ["useradd", "ifconfig"].map(str::to_owned).into();
    user.programs.insert("su".to_owned());
    let found = |line: &str, machine: &TestMachine| -> Vec<String> {
        report(line, Shell::Bash, machine).findings.iter().map(|finding| described(finding, line)).collect()
    };
    let rows = [
        ("useradd kim", "command-missing error useradd => sudo useradd kim"),
        ("echo kim | xargs useradd", "command-missing error useradd => echo kim | xargs sudo useradd"),
        ("ifconfig", "command-missing error ifconfig => /usr/sbin/ifconfig"),
        ("\"useradd\" kim", "command-missing error \"useradd\""),
    ];
    for (line, expected) in rows {
        assert_eq!(found(line, &user), [expected], "{line}");
    }
    assert_eq!(found("sudo useradd kim", &user), [""; 0]);
    for line in [
        "sudo env LANG=C useradd kim",
        "su - -c 'useradd kim'",
        "PATH=$PATH:/usr/sbin useradd kim",
        "export PATH=$PATH:/usr/sbin; useradd kim",
    ] {
        assert_eq!(found(line, &user), [""; 0], "{line}");
    }
    // Without a login the user's `PATH` stays.
    assert!(found("su -c 'useradd kim'", &user).iter().any(|it| it.contains("error useradd")));
    let named = CommandKind::Alias("sudo useradd".to_owned());
    let with_alias = TestMachine { defined: [("useradd".to_owned(), named)].into(), ..user };
    assert_eq!(found("useradd kim", &with_alias), [""; 0]);
    let mut root = TestMachine { is_root: true, ..with_alias };
    root.defined.clear();
    assert_eq!(found("useradd kim", &root), ["command-missing error useradd => /usr/sbin/useradd kim"]);
}

#[test]
fn the_table_of_tools_is_well_formed() {
    let tools = &*tools::TOOLS;
    let find = ProgramOptions::named("find");
    let mut with_value =
        tools.find.patterns.iter().chain(&tools.find.options_with).chain(&tools.find.with_two);
    assert!(with_value.all(|word| find.lists(word)));
    for (name, other) in &tools.like {
        assert_ne!(name, other);
    }
}

#[test]
fn programs_are_asked_a_bounded_number_of_times() {
    let machine = machine();
    let line = (0..200).map(|number| format!("ls --zz{number}x")).collect::<Vec<_>>().join("; ");
    let report = check(&ParsedLine::new(line, Shell::Bash), &machine);
    assert_eq!(machine.asked.get(), flags::QUESTIONS_MAX);
    assert_eq!(report.flags_refuted, COMMANDS_MAX);
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

/// The machine for tests of many lines.
static MACHINE: LazyLock<TestMachine> = LazyLock::new(machine);

proptest! {
    /// Every text gets a report whose spans and edits fit the line.
    #[test]
    fn nothing_panics(line in any_line(), shell in proptest::sample::select(vec![Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Nu])) {
        let report = report(&line, shell, &MACHINE);
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
        check_parsed(&line, Shell::Zsh, ParsedLine::new(other, Shell::Zsh).own(), &*MACHINE);
    }
}
