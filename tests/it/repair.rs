//! Repairs, row by row: half-right lines and their expected results (`tests/data/repair`), on a machine defined by a
//! table, with the real shells' verdicts where they are installed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use askline_check::check;
use askline_check::finding::Report;
use askline_check::platform;
use askline_check::reference::{CommandFacts, CommandKind, Reference};
use askline_check::repair::{Repaired, repair};
use askline_manual::userland::Userland;
use askline_manual::{Arity, Manual, OptionDoc, OptionStyle, Source, Subcommand};
use askline_syntax::ParsedLine;
use askline_syntax::shell::{NU_BUILT_FOR, Shell};
use serde::Deserialize;

use crate::parser::Parser;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    files: BTreeSet<String>,
    builtins: BTreeSet<String>,
    programs: BTreeMap<String, Vec<String>>,
    subcommands: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("../../crates/check/tests/data/repair/machine.toml")).unwrap()
});

/// The userland of its programs, and the version of its shell.
struct Machine(Userland, &'static str);

/// A Nushell whose `;` stops at a failure.
const VERSION: &str = NU_BUILT_FOR;

impl Reference for Machine {
    fn known(&self, command: &[&str]) -> Arc<CommandFacts> {
        let name = command[0];
        let below = TABLE.subcommands.get(name);
        let level = below.and_then(|below| command.iter().skip(1).find_map(|word| below.get(*word)));
        let options = level.or_else(|| TABLE.programs.get(name));
        let path = PathBuf::from("/usr/bin").join(name);
        let kind = match options {
            Some(_) => CommandKind::Program { path: path.clone(), real_path: path },
            None if TABLE.builtins.contains(name) => CommandKind::Builtin,
            None => CommandKind::Missing,
        };
        let subcommands = below.filter(|_| level.is_none()).into_iter().flat_map(|below| below.keys());
        let subcommands: Vec<Subcommand> =
            subcommands.map(|name| Subcommand { name: name.clone(), summary: String::new() }).collect();
        // The table's options are GNU's.
        let manual =
            options.filter(|options| self.0 == Userland::Gnu && !options.is_empty()).map(|options| {
                let style = match name {
                    "find" => OptionStyle::LongDash,
                    _ if !subcommands.is_empty() => OptionStyle::Subcommands,
                    _ => OptionStyle::Getopt,
                };
                Arc::new(Manual {
                    name: name.to_owned(),
                    options: options.iter().map(|option| doc(option)).collect(),
                    style,
                    subcommands,
                    ..Manual::default()
                })
            });
        Arc::new(CommandFacts {
            kind,
            manual,
            above: level.map(|_| Arc::new(Manual::default())).into_iter().collect(),
            userland: self.0,
            version: Some("9.1".to_owned()),
            askable: true,
        })
    }

    fn names(&self) -> Vec<String> {
        TABLE.programs.keys().chain(&TABLE.builtins).cloned().collect()
    }

    fn exists(&self, path: &str) -> Option<bool> {
        Some(TABLE.files.contains(path))
    }

    fn shell_version(&self) -> Option<String> {
        Some(self.1.to_owned())
    }

    fn accepts(&self, command: &[&str], option: &str) -> Option<bool> {
        let known = self.known(command);
        let manual = known.manual.as_ref()?;
        let name = option.split('=').next()?;
        let is_prefix = |doc: &OptionDoc| {
            doc.names.iter().any(|known| known.starts_with(name) && known.starts_with("--"))
        };
        Some(manual.option(name).is_some() || name.len() > 2 && manual.options.iter().any(is_prefix))
    }
}

fn doc(text: &str) -> OptionDoc {
    let (name, value) = match text.strip_suffix('=') {
        Some(name) => (name, if name == "--color" { Arity::Optional } else { Arity::Required }),
        None => (text, Arity::None),
    };
    let placeholder = String::new();
    OptionDoc { names: vec![name.to_owned()], value, placeholder, text: String::new(), source: Source::Page }
}

/// Returns the findings of the checks, the platform rules and the shell's own parser, as the product combines them.
fn judge(line: &ParsedLine, machine: &Machine, parser: Option<&Parser>) -> Report {
    // Nushell lines are parsed by the user's Nushell; the test uses its verdict alone.
    let mut report = match line.shell() {
        Shell::Nu => Report::default(),
        _ => {
            let mut report = check::check(line, machine);
            let os = if machine.0 == Userland::Bsd { "macos" } else { "linux" };
            report.findings.extend(platform::findings(line, machine, os));
            report
        }
    };
    report.syntax_ok = parser.map(|parser| parser.complaint(line.text()).is_none());
    report
}

fn repaired(line: &str, shell: Shell, machine: &Machine, parser: Option<&Parser>) -> Option<Repaired> {
    let line = ParsedLine::new(line, shell);
    let report = judge(&line, machine, parser);
    repair(&line, &report, machine, &|line| judge(line, machine, parser))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default)]
    shell: Option<String>,
    #[serde(default)]
    userland: Option<String>,
    line: String,
    /// `None` if the line stays unchanged.
    mended: String,
}

fn rows() -> Vec<(Shell, Userland, String, Option<String>)> {
    #[derive(Deserialize)]
    struct Rows {
        row: Vec<Row>,
    }
    let mended: Rows =
        toml::from_str(include_str!("../../crates/check/tests/data/repair/mended.toml")).unwrap();
    let left: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("../../crates/check/tests/data/repair/left.toml")).unwrap();
    let mended = mended.row.into_iter().map(|row| {
        let shell = row.shell.as_deref().unwrap_or("bash").parse().unwrap();
        let userland = match row.userland.as_deref() {
            None => Userland::Gnu,
            Some("bsd") => Userland::Bsd,
            Some("busybox") => Userland::Busybox,
            Some(other) => panic!("no userland `{other}`"),
        };
        (shell, userland, row.line, Some(row.mended).filter(|line| line != "none"))
    });
    let left = left.into_iter().flat_map(|(shell, lines)| {
        let shell: Shell = shell.parse().unwrap();
        lines.into_iter().map(move |line| (shell, Userland::Gnu, line, None))
    });
    mended.chain(left).collect()
}

#[test]
fn bash_rows() {
    row_by_row(Shell::Bash);
}

#[test]
fn zsh_rows() {
    row_by_row(Shell::Zsh);
}

#[test]
fn fish_rows() {
    row_by_row(Shell::Fish);
}

#[test]
fn nushell_rows() {
    row_by_row(Shell::Nu);
}

fn row_by_row(shell: Shell) {
    let Some(parser) = Parser::of(shell) else { return };
    let mut faults = Vec::new();
    for (_, userland, line, expected) in rows().into_iter().filter(|row| row.0 == shell) {
        let machine = Machine(userland, VERSION);
        let got = repaired(&line, shell, &machine, Some(&parser));
        if got.as_ref().map(|repaired| &repaired.line) != expected.as_ref() {
            let report = judge(&ParsedLine::new(line.as_str(), shell), &machine, Some(&parser));
            let found: Vec<_> = report
                .findings
                .iter()
                .map(|finding| format!("{}: {}", finding.grade.name(), finding.text))
                .collect();
            faults.push(format!(
                "{line}\n  got      {got:?}\n  expected {expected:?}\n  {:?} {found:?}",
                report.syntax_ok
            ));
        }
        if let Some(repaired) = got {
            assert!(repaired.changes.iter().all(|change| change.contains(": ")), "{:?}", repaired.changes);
            let again = self::repaired(&repaired.line, shell, &machine, Some(&parser));
            assert_eq!(again, None, "{} is mended twice", repaired.line);
        }
    }
    assert!(faults.is_empty(), "{} of {shell}:\n{}", faults.len(), faults.join("\n"));
}

/// Up to Nushell 0.97 `;` continues after a program that failed.
#[test]
fn an_older_nushell_gets_no_semicolon_for_and() {
    let Some(parser) = Parser::of(Shell::Nu) else { return };
    let mended = |version| {
        let machine = Machine(Userland::Gnu, version);
        repaired("cat notes.txt && ls", Shell::Nu, &machine, Some(&parser)).map(|repaired| repaired.line)
    };
    assert_eq!(mended("0.98.0").as_deref(), Some("cat notes.txt; ls"));
    assert_eq!(mended("1.0.0").as_deref(), Some("cat notes.txt; ls"));
    for version in ["0.97.1", "0.9", "", "x"] {
        assert_eq!(mended(version), None, "{version}");
    }
}

#[test]
fn there_are_enough_rows() {
    let rows = rows();
    let mended = rows.iter().filter(|row| row.3.is_some()).count();
    assert!(80 <= mended && 30 <= rows.len() - mended, "{mended} of {}", rows.len());
}

/// Words that no repair may make more frequent.
const DANGEROUS: [&str; 14] = [
    "rm",
    "sudo",
    "dd",
    "-f",
    "-r",
    "-R",
    "-rf",
    "--force",
    "--recursive",
    "-delete",
    "--delete",
    "--hard",
    "mkfs",
    "chmod",
];

fn assert_no_more_danger(before: &str, after: &str) {
    let count = |line: &str| {
        let mut count: HashMap<&str, usize> = HashMap::new();
        for word in line.split_whitespace() {
            if let Some(word) = DANGEROUS.iter().find(|danger| **danger == word) {
                *count.entry(word).or_default() += 1;
            }
        }
        count
    };
    let old = count(before);
    for (word, count) in count(after) {
        // For these tools the letters only select the output.
        let tools: &[&str] = match word {
            "-r" => &["date", "ps", "tail", "md5"],
            "-f" => &["stat"],
            _ => &[],
        };
        let harmless = tools.iter().any(|tool| after.contains(tool));
        assert!(harmless || count <= old.get(word).copied().unwrap_or_default(), "{before}\n{after}");
    }
}

#[test]
fn no_rule_and_no_row_adds_danger() {
    for example in platform::examples() {
        if let Some(good) = example.good {
            assert_no_more_danger(example.bad, good);
        }
    }
    for (_, _, line, mended) in rows() {
        assert_no_more_danger(&line, mended.as_deref().unwrap_or_default());
    }
}

/// Measures a repair with all knowledge loaded; most of the time is the verdict's.
#[test]
fn repairs_are_quick() {
    let machine = Machine(Userland::Gnu, VERSION);
    let mut slowest = (std::time::Duration::ZERO, String::new());
    for (shell, _, line, _) in rows().into_iter().filter(|row| row.0 != Shell::Nu) {
        let start = std::time::Instant::now();
        let _ = repaired(&line, shell, &machine, None);
        slowest = slowest.max((start.elapsed(), line));
    }
    // Unoptimised and beside other tests; a release build takes a tenth.
    assert!(slowest.0.as_millis() < 500, "{slowest:?}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_panics(line in ".{0,60}", shell in 0..4usize) {
        let _ = repaired(&line, Shell::ALL[shell], &Machine(Userland::Gnu, VERSION), None);
    }

    /// Truncated and duplicated rows: a result is not repaired again, adds no danger and keeps quoted text.
    #[test]
    fn torn_rows(at in 0..400usize, cut in 0..80usize, more in "[ ';|\"a-]{0,2}", literal in "[a-z ]{1,8}[*?;|]") {
        let rows = rows();
        let (shell, userland, line, _) = &rows[at % rows.len()];
        let start: String = line.chars().take(cut).collect();
        let end: String = line.chars().skip(cut).collect();
        let literal = format!("'{literal}'");
        let line = format!("echo {literal}; {start}{more}{end}");
        let machine = Machine(*userland, VERSION);
        if let Some(Repaired { line: mended, .. }) = repaired(&line, *shell, &machine, None) {
            proptest::prop_assert!(mended.contains(&literal), "{line}\n{mended}");
            assert_no_more_danger(&line, &mended);
            let again = repaired(&mended, *shell, &machine, None);
            proptest::prop_assert_eq!(again, None, "{}\n{}", line, mended);
        }
    }
}
