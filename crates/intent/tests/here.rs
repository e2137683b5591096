//! Lines held against a directory.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeMap, BTreeSet};

use askline_intent::here::{Contradiction, Date, Head, Here, NameKind, Names, adapt, contradictions};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Rows {
    files: BTreeMap<String, String>,
    folders: Folders,
    wrong: Vec<Wrong>,
    right: Right,
}

#[derive(Deserialize)]
struct Folders {
    names: Vec<String>,
    missing: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Wrong {
    request: String,
    line: String,
    mended: Option<String>,
    says: Option<String>,
}

#[derive(Deserialize)]
struct Right {
    rows: Vec<(String, String)>,
}

fn rows() -> Rows {
    toml::from_str(include_str!("data/here.toml")).unwrap()
}

fn here(rows: &Rows) -> Here {
    let mut names = Names::default();
    let add_folder = |folder: &str, names: &mut Names| {
        let above = folder.match_indices('/').filter_map(|(at, _)| folder.get(..at));
        for folder in above.chain([folder]).filter(|folder| !folder.is_empty()) {
            names.add(folder.to_owned(), NameKind::Folder);
            names.add_listed(folder.to_owned());
        }
    };
    names.add_listed(String::new());
    for folder in &rows.folders.names {
        add_folder(folder, &mut names);
    }
    let mut heads = BTreeMap::new();
    for (path, text) in &rows.files {
        add_folder(path.rsplit_once('/').map_or("", |(folder, _)| folder), &mut names);
        names.add(path.clone(), NameKind::File);
        heads.insert(path.clone(), Head { text: text.clone(), is_whole: true });
    }
    let missing = rows.folders.missing.clone();
    Here {
        name: "harbour".to_owned(),
        names: names.into(),
        heads,
        is_repository: Some(false),
        missing,
        today: None,
    }
}

fn parsed(line: &str) -> ParsedLine {
    ParsedLine::new(line, Shell::Bash)
}

#[test]
fn wrong_lines_are_noticed_and_mended() {
    let rows = rows();
    let here = here(&rows);
    let faults: Vec<String> = rows.wrong.iter().filter_map(|row| fault(row, &here)).collect();
    assert_eq!(faults, Vec::<String>::new());
}

/// Returns how a row differs from what it expects.
fn fault(Wrong { request, line, mended, says }: &Wrong, here: &Here) -> Option<String> {
    let found = contradictions(request, &parsed(line), here);
    let told: Vec<String> = found.iter().map(Contradiction::told).collect();
    let adapted = adapt(request, &parsed(line), here).map(|adapted| adapted.line);
    let left =
        mended.as_ref().map(|mended| contradictions(request, &parsed(mended), here)).unwrap_or_default();
    let is_said = says.as_ref().is_none_or(|says| told.iter().any(|told| told.contains(says)));
    let is_right = !found.is_empty() && adapted == *mended && is_said && left.is_empty();
    (!is_right).then(|| format!("{line}: {told:?}, {adapted:?}, left {left:?}"))
}

#[test]
fn right_lines_are_left_alone() {
    let rows = rows();
    let here = here(&rows);
    let touched =
        |(request, line): &&(String, String)| !contradictions(request, &parsed(line), &here).is_empty();
    assert_eq!(rows.right.rows.iter().filter(touched).collect::<Vec<_>>(), Vec::<&(String, String)>::new());
}

/// Names and columns that only the directory has are in facts and edits alone.
#[test]
fn texts_have_only_what_request_and_line_have() {
    let rows = rows();
    let here = here(&rows);
    for Wrong { request, line, .. } in &rows.wrong {
        for found in contradictions(request, &parsed(line), &here) {
            for path in rows.files.keys().chain(&rows.folders.names) {
                let name = path.rsplit('/').next().unwrap();
                let is_known = line.contains(name) || request.contains(name);
                assert!(is_known || !found.mismatch.text.contains(name), "{}", found.mismatch.text);
            }
        }
    }
}

#[test]
fn nothing_is_said_without_facts() {
    for Wrong { request, line, .. } in rows().wrong {
        assert_eq!(contradictions(&request, &parsed(&line), &Here::default()), [], "{line}");
    }
}

/// Other shells have the same tools.
#[test]
fn each_shell_is_read() {
    let rows = rows();
    let here = here(&rows);
    let mended = |line: &str, shell: Shell| {
        let line = ParsedLine::new(line, shell);
        adapt("show notes.txt and the log files of today", &line, &here).map(|adapted| adapted.line)
    };
    for shell in [Shell::Zsh, Shell::Fish] {
        assert_eq!(mended("cat *.log", shell).as_deref(), Some("cat logs/*.log"));
        assert_eq!(mended("cat notes.txt", shell).as_deref(), Some("cat Notes.txt"));
    }
    let looped = mended("for f in *.log; wc -l $f; end", Shell::Fish);
    assert_eq!(looped.as_deref(), Some("for f in logs/*.log; wc -l $f; end"));
    let looped = mended("for f (*.log) wc -l $f", Shell::Zsh);
    assert_eq!(looped.as_deref(), Some("for f (logs/*.log) wc -l $f"));
    assert_eq!(mended("cd logs; open App.log", Shell::Nu).as_deref(), Some("cd logs; open app.log"));
    assert_eq!(mended("cut -d, -f2 scores.tsv", Shell::Fish).as_deref(), Some("cut -d\\t -f2 scores.tsv"));
    assert_eq!(mended("open notes.txt | lines", Shell::Nu).as_deref(), Some("open Notes.txt | lines"));
}

/// Long lines are read up to a limit.
#[test]
fn many_commands_are_bounded() {
    let rows = rows();
    let here = here(&rows);
    let line = |count: usize| format!("{}cat notes.txt", "cat letter.txt; ".repeat(count));
    let found = |count: usize| contradictions("show notes.txt", &parsed(&line(count)), &here).len();
    assert_eq!((found(10), found(1000)), (1, 0));
}

/// A name out of the directory is quoted, or not written at all.
#[test]
fn names_are_written_so_that_they_stay_names() {
    let edit = |name: &str| {
        let mut names = Names::default();
        names.add_listed(String::new());
        names.add(name.to_owned(), NameKind::File);
        let here = Here { names: names.into(), ..Here::default() };
        adapt("show the notes", &parsed("cat notes.txt"), &here).map(|adapted| adapted.line)
    };
    assert_eq!(edit("notes.md").as_deref(), Some("cat notes.md"));
    assert_eq!(edit("notes.a b").as_deref(), Some("cat 'notes.a b'"));
    for name in [
        "notes.$(reboot)",
        "notes.a'b",
        "notes.;reboot",
        "notes.`x`",
        "notes.a\nb",
        "notes.\u{202e}b",
        "notes.\u{1b}[2J",
    ] {
        assert_eq!(edit(name), None, "{name:?}");
    }
}

proptest! {
    /// Any text, name and file is read without a panic.
    #[test]
    fn any_text_is_read(
        request in ".{0,40}",
        line in "(cat|grep x|awk -F, '|cut -d, -f|sort -t, -k|mv|cp|wc -l <|for f in|find . -name|cd a &&|ln -s|tar xf)? ?.{0,40}",
        name in ".{1,12}",
        text in ".{0,20}\n.{0,20}",
    ) {
        let mut names = Names::default();
        names.add_listed(String::new());
        names.add(name.clone(), NameKind::File);
        let here = Here {
            names: names.into(),
            heads: BTreeMap::from([(name, Head { text, is_whole: true })]), today: Date::read("2026-11-28"),
            missing: BTreeSet::from(["/a/b.txt".to_owned(), "~/x".to_owned()]),
            ..Here::default()
        };
        for shell in Shell::ALL {
            adapt(&request, &ParsedLine::new(line.as_str(), shell), &here);
        }
    }

    /// So are lines about a table.
    #[test]
    fn lines_about_tables_are_read(
        request in proptest::collection::vec("name|price|names|without|header|highest|rows|column|sum|York", 0..8),
        line in proptest::collection::vec("awk|-F,|'\\$1>max\\{max=\\$2\\}'|'\\{s\\+=\\$2\\} END \\{print s/NR\\}'|cut|-d|,|;|-f2|-f1-|sort|-k2,2n|-k|-t|t.csv|<|\\||head|tail -n \\+2|wc -l|column -t", 0..12),
        text in "(name|price|York|1|2,|;|\n|\t){0,40}",
    ) {
        let mut names = Names::default();
        names.add_listed(String::new());
        names.add("t.csv".to_owned(), NameKind::File);
        let heads = BTreeMap::from([("t.csv".to_owned(), Head { text, is_whole: true })]);
        let here = Here { names: names.into(), heads, ..Here::default() };
        adapt(&request.join(" "), &parsed(&line.join(" ")), &here);
    }
}
