//! Tests of mistakes in Nushell lines, each with the repaired line, on a machine with Nushell's own commands and a
//! few programs.

mod refusals;
mod users;

use std::sync::Arc;

use super::*;
use crate::check::check;
use crate::finding::Report;
use crate::repair::{dialect, repair};
use crate::test_machine::TestMachine;
use askline_manual::catalogue::Catalogue;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;

const PROGRAMS: [&str; 21] = [
    "ls", "git", "cat", "make", "grep", "wc", "head", "tail", "awk", "date", "find", "ps", "uname", "du",
    "sort", "cargo", "env", "mkdir", "less", "man", "pwd",
];

static MACHINE: LazyLock<TestMachine> = LazyLock::new(|| TestMachine {
    own_commands: Some(Arc::new(own_commands())),
    shell_version: Some("0.115.1".to_owned()),
    ..unasked()
});

/// Returns a machine that knows names only, as without an installed Nushell.
fn unasked() -> TestMachine {
    TestMachine {
        builtins: syntax::nushell_commands().clone(),
        programs: PROGRAMS.map(str::to_owned).into(),
        names: PROGRAMS.map(str::to_owned).to_vec(),
        paths: Some(["here.toml".to_owned()].into()),
        ..TestMachine::default()
    }
}

fn own_commands() -> Catalogue {
    let rows = [
        r#"["split row", "", "", ["string"], [["positional", "separator", null, "string", false, ""]], []]"#,
        r#"["str substring", "", "", ["string"], [["positional", "range", null, "range", false, ""], ["rest", "path", null, "cell-path", true, ""]], []]"#,
        r#"["str reverse", "", "", ["string"], [], []]"#,
        r#"["reverse", "", "", ["list<any>"], [], []]"#,
        r#"["from csv", "", "", ["string"], [], []]"#,
        r#"["from json", "", "", ["string"], [], []]"#,
        r#"["math sqrt", "", "", ["number", "list<number>"], [["rest", "path", null, "cell-path", true, ""]], []]"#,
        r#"["math sum", "", "", ["list<number>"], [], []]"#,
        r#"["str length", "", "", ["string"], [["switch", "chars", "c", null, true, ""]], []]"#,
        r#"["fill", "", "", ["number", "string"], [["named", "width", "w", "int", true, ""]], []]"#,
        r#"["str join", "", "", ["list<any>", "string"], [["positional", "separator", null, "string", true, ""]], []]"#,
        r#"["pwd", "", "", ["nothing"], [], []]"#,
        r#"["save", "", "", ["any"], [["positional", "filename", null, "path", false, ""]], []]"#,
        r#"["to yaml", "", "", ["any"], [], []]"#,
        r#"["table", "", "", ["table"], [], []]"#,
        r#"["http put", "", "", ["any"], [["positional", "URL", null, "string", false, ""], ["positional", "data", null, "any", true, ""]], []]"#,
    ];
    Catalogue::read(&rows.join("\n"))
}

fn parsed(line: &str) -> ParsedLine {
    ParsedLine::new(line, Shell::Nu)
}

fn judge(line: &ParsedLine) -> Report {
    let mut report = check(line, &*MACHINE);
    report.findings.extend(slips(line, &*MACHINE));
    report
}

fn mended(line: &str) -> Option<String> {
    let line = parsed(line);
    repair(&line, &judge(&line), &*MACHINE, &judge).map(|repaired| repaired.line)
}

#[test]
fn slips_become_nushell() {
    #[derive(Deserialize)]
    struct Rows {
        repaired: Vec<(String, String)>,
        kept: Vec<String>,
    }
    let rows: Rows = toml::from_str(include_str!("../../../tests/data/nushell.toml")).unwrap();
    for (line, right) in &rows.repaired {
        assert_eq!(mended(line).as_ref(), Some(right), "{line}");
    }
    for line in &rows.kept {
        assert_eq!(mended(line), None, "{line}");
    }
}

/// The text may be meant as a whole.
#[test]
fn each_of_a_text_is_only_told() {
    for name in ["each", "par-each"] {
        let line = format!("open a.txt | {name} {{|text| $text | str length }}");
        let report = judge(&parsed(&line));
        let mut told = report.findings.iter().filter(|finding| finding.kind == FindingKind::Quoting);
        let (Some(found), None) = (told.next(), told.next()) else { panic!("{report:?}") };
        assert_eq!((found.grade, found.fixes.len()), (Severity::Hint, 0), "{found:?}");
        assert_eq!(mended(&line), None);
    }
}

#[test]
fn what_is_right_stays() {
    for line in [
        "ls | where size > 10mb and type == file",
        "git log --oneline | head -n 5",
        "cat notes.txt | wc -l",
        "open notes.txt | lines | length",
        "open --raw image.bin | first 32",
        "open data.csv | first 5",
        "open people.json | length",
        "ls | each {|it| $it.name }",
        "ls | each { $in.name }",
        "[1 2 3] | where $it > 1",
        "open notes.txt | lines | where $it =~ error",
        "1..3 | each {|n| $n > 2 and $n < 5 }",
        "git log | lines | first 5",
        "if $env.X? == 1 and 2 > 1 { ls }",
        "ps | where cpu > 5",
        "date now | format date '%F'",
        "'a && b' | str length",
        "ls | where name =~ 'M'",
        "ls ...(glob *.rs)",
        "glob **/*.rs | each {|f| open --raw $f | lines | length } | math sum",
        "let HOME = 1; $HOME",
        "const N = 3; print $N",
        "for X in [1 2] { print $X }",
        "[1 2] | each {|X| print $X }",
        "[1 2] | reduce {|it, ACC| print $ACC }",
        "def f [X] { print $X }",
        "def f [a: int, --X: string] { print $X }",
        "try { ls x } catch {|E| print $E }",
        "match 3 { $N => { print $N } }",
        "match [1 2] { [$A, $B] => { print $A } }",
        "$env.THEME? | default light",
        "{a: 1} | default 3 b",
        "$env | default 3 b",
        "let x = 3",
        "$env.A = 3",
        "mut a = 1; $a = 2",
        "sleep 5sec",
        "make 7200s",
        "open here.toml | get package.name",
        "[[a]; [1]] | join $other a",
        "^ls -lh",
        "^date +%F",
        "for f in (glob *.txt) { print $f }",
        "let f = 3; 1..3 | each { $in + $f }",
        "open a.txt | lines | where $it != '' | collect | save --force a.txt",
        "open a.txt | lines | save b.txt",
        "open rows.jsonl | lines | last | from json | get a",
        "[1 2] | math max",
        "open a.csv | get price | math sum",
        "open a.txt | lines | into int | math sum",
        "open a.txt | lines | length | math abs",
        "2 ** 40",
        "2024-05-02",
        "echo 2**40 3*4",
        "3hr + 20min / 2",
        "touch -d 2024-05-02 10:30",
        "[[a b]; [2024-05-02 10:30]]",
        "(date now) - 7day",
        "make - 7days",
        "glob a.+(c|substring)",
        "nosuch | substring",
        "substring",
        "ls | any {|f| $f.size > 1kb }",
        "ls | where {|f| $f.name in [between is] }",
        // Values that look like operators.
        "open s.csv | where state == OR and size > 3",
        "open s.csv | where op == % and size > 3",
        "open s.csv | where op == contains and size > 3",
        "open s.csv | where op in between and size > 3",
        "open s.csv | where a * 2 between 3 and 5",
        "open s.csv | where not name is null",
        "open s.csv | where not size between 1 and 2",
        "open s.csv | where not valid and size between 1 and 2",
        // Column names with an operator character, paths, comments, texts.
        "[{'p*2': 7, p: 100}] | each {|r| $r.p*2 }",
        "let f = $env.HOME/2024",
        "ls -l # (2**40)",
        "git commit -m \"see \\\"(2**40)\\\" now\"",
        "r#'it's (3*4) now'# | str length",
        // Words of a command.
        "print -n $\"used\" / 10G",
        "print -n $env.HOME - 5s",
        "^tar -cf x.tar $env.HOME / 5G",
        "^echo $env.N > 5M",
        "print (1) - 5d",
        "print (1) ^ 3",
        "print -n $env.N % 3",
        "print a = 2**40",
        "print a{2**40}",
        "git show stash@{2*3}",
        "print -n a > 2024-05-02 10:30",
        // Names that the line defines.
        "def upper [] { str uppercase }; 'x' | upper",
        "def --env upper [] { str uppercase }; 'x' | upper",
        "alias upper = str uppercase; 'x' | upper",
        "def pad [n] { $n }; 'x' | pad 3",
        "def 'str count' [x] { $x }; 'x' | str count a",
        "module m { export def upper [] { 1 } }; use m *; 'x' | upper",
        "use m.nu *; 'x' | str count a",
        "source m.nu; 'x' | pad 3 | substring 2",
    ] {
        assert_eq!(slips(&parsed(line), &*MACHINE), [], "{line}");
    }
}

/// Ambiguous mistakes are reported without an edit; the user decides.
#[test]
fn what_may_be_meant_otherwise_is_told() {
    for line in [
        "open --raw dates.txt | lines | math max",
        "'2024-05-02 2024-05-01' | split row ' ' | math min",
        "['aba' 'a'] | str count a",
        "ls | get name | path is-dir",
        "$x == 'a' | str count a",
        "pbpaste | str length",
        "gone | str length",
        "open notes.txt | lines | where contains 'a.b'",
        "open notes.txt | lines | where like 'a%b'",
    ] {
        let found = slips(&parsed(line), &*MACHINE);
        assert!(
            !found.is_empty() && found.iter().all(|finding| finding.fixes.is_empty()),
            "{line}: {found:?}"
        );
        assert_eq!(mended(line), None, "{line}");
    }
}

#[test]
fn a_file_that_is_read_and_written_is_told() {
    let line = "open a.txt | lines | where $it != '' | save -f a.txt";
    let [finding] = slips(&parsed(line), &*MACHINE).try_into().unwrap();
    assert_eq!(finding.fixes[0].replacement, "collect | ");
    assert_eq!(mended(line), None, "a person looks");
}

/// The long forms have more columns than the name, and permissions start a line.
#[test]
fn a_search_of_more_than_names_is_told() {
    for line in [
        "ls -l | grep '^d'",
        "ls | grep '^d'",
        "ls -l | grep rwx",
        "ls -la | grep root",
        "ls --long | grep root",
        "ps | grep -v root",
        "ps -l | grep defunct",
    ] {
        let found = slips(&parsed(line), &*MACHINE);
        assert!(found.iter().any(|finding| finding.text.contains("as it is drawn")), "{line}: {found:?}");
        assert!(found.iter().all(|finding| finding.fixes.is_empty()), "{line}: {found:?}");
        assert_eq!(mended(line), None, "{line}");
    }
}

/// A variable of the line is not an environment variable, even if the line is read as bash.
#[test]
fn a_name_of_the_lines_own_stays() {
    for line in ["const N = 3; print $N", "for X in [1 2] { print $X }", "[1 2] | each {|X| print $X }"] {
        assert_eq!(mended(line), None, "{line}");
        assert_eq!(dialect::foreign(&parsed(line), &*MACHINE), None, "{line}");
    }
}

#[test]
fn a_column_of_text_is_told() {
    let [finding] = slips(&parsed("cat jobs.txt | where status == running"), &*MACHINE).try_into().unwrap();
    assert!(finding.text.contains("detect columns") && finding.fixes.is_empty(), "{finding:?}");
}

/// Neither a guess nor a silent overwrite of existing data.
#[test]
fn what_would_do_harm_stays() {
    for line in [
        "'x' | put http://a.example",
        "rm *.txt && ls",
        "ls > a.txt && rm b.txt",
        "ls | xargs rm",
        "cat a || rm b",
    ] {
        assert_eq!(mended(line), None, "{line}");
    }
}

#[test]
fn no_text_makes_it_fail() {
    for line in [
        "&&",
        "| &&",
        "ls | where >",
        "where > &&",
        "$",
        "${",
        "2>&1",
        "é > ü",
        "ls > ",
        "{ $it",
        "ls | head -n",
        "open | lines",
        "ls | grep",
        ">",
        "ls | where between",
        "ls | where a between 1 and",
        "ls | where is",
        "ls | where is not",
        "ls | where a like '%%'",
        "ls | where a like",
        "- 1yr",
        ") - 99999999999yr",
        "99999999yr + 1",
        "2**",
        "**2",
        "$*é",
        "2024-05-02 ",
        "2024-05-02T",
        "1hr +",
        "1hr + 1hr /",
        "any",
        "| any",
        "| math sum",
    ] {
        slips(&parsed(line), &*MACHINE);
    }
}

#[test]
fn short_options_that_nushell_has_are_no_slips() {
    for line in ["'x' | save -a a.txt", "ls | uniq -i", "ls | sort-by size -r"] {
        assert_eq!(slips(&parsed(line), &*MACHINE).len(), 0, "{line}");
    }
}

#[test]
fn forms_lead_to_what_nushell_has() {
    for Form { from, to, .. } in &TABLE.form {
        let own = to.split(' ').take_while(|word| !word.starts_with('{')).collect::<Vec<_>>();
        let is_own = (1..=own.len()).any(|n| syntax::nushell_commands().contains(&own[..n].join(" ")));
        assert!(is_own || to.starts_with(['^', '$']), "{from}: {to}");
    }
    for name in TABLE.lists.iter().chain(&TABLE.want_lists).chain(&TABLE.blocks).chain(TABLE.flags.keys()) {
        assert!(syntax::nushell_commands().contains(name), "{name}");
    }
}
