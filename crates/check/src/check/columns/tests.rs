//! Tests of findings about lines that open files. `tests/it/columns.rs` checks the same table against Nushell itself.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;

use super::finding_text::{NAMES_CHARS_MAX, listed, same};
use super::path::{self, PathEnd, View};
use super::{FINDINGS_MAX, TABLE};
use crate::check::check;
use crate::file_schema::{Column, FileSchema};
use crate::finding::{Finding, FindingKind};
use crate::reference::{CommandKind, Reference};
use crate::test_machine::TestMachine;
use askline_syntax as syntax;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Test files, and a shell that has every command.
#[derive(Deserialize)]
struct Data {
    files: BTreeMap<String, String>,
    wrong: Vec<Wrong>,
    nothing: Nothing,
}

#[derive(Deserialize)]
struct Wrong {
    line: String,
    says: String,
    fixed: Option<String>,
}

#[derive(Deserialize)]
struct Nothing {
    right: Vec<String>,
    unknown: Vec<String>,
}

impl Data {
    fn machine(&self) -> TestMachine {
        TestMachine {
            builtins: syntax::nushell_commands().clone(),
            others: |_| CommandKind::Function,
            contents: self.files.clone(),
            ..TestMachine::default()
        }
    }
}

fn data() -> Data {
    toml::from_str(include_str!("../../../tests/data/check/columns.toml")).unwrap()
}

fn found(line: &str, machine: &TestMachine) -> Vec<Finding> {
    let report = check(&ParsedLine::new(line, Shell::Nu), machine);
    report
        .findings
        .into_iter()
        .filter(|finding| matches!(finding.kind, FindingKind::Column | FindingKind::Shape))
        .collect()
}

#[test]
fn rows() {
    let data = data();
    let machine = data.machine();
    let mut wrong = Vec::new();
    for row in &data.wrong {
        let found = found(&row.line, &machine);
        let first = found.first().map(|finding| format!("{} [{}]", finding.text, finding.evidence));
        let fixed = found.first().and_then(|finding| finding.fixes.first()).map(|fix| {
            let mut line = row.line.clone();
            line.replace_range(fix.span.clone(), &fix.replacement);
            line
        });
        if first.as_ref() != Some(&row.says) || fixed != row.fixed {
            wrong.push(format!("{}\n  {first:?}\n  {fixed:?}", row.line));
        }
    }
    for line in data.nothing.right.iter().chain(&data.nothing.unknown) {
        let found = found(line, &machine);
        if !found.is_empty() {
            wrong.push(format!("{line}\n  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn text_that_the_user_reads_otherwise_is_unknown() {
    let defines = |name: &str| TestMachine { own_manuals: [name.to_owned()].into(), ..data().machine() };
    for line in ["open contacts.txt | get email", "open CONTACTS.TXT | lines | get name"] {
        assert_eq!(found(line, &defines("from log")).len(), 1, "{line}");
        assert!(found(line, &defines("from txt")).is_empty(), "{line}");
    }
    assert_eq!(found("open goods.csv | get amount", &defines("from csv")).len(), 1);
}

/// Names inside a file cannot pass as instructions, and a fix never inserts a part of a long name.
#[test]
fn odd_names_are_not_told() {
    let mut machine = data().machine();
    let long = "Long".repeat(11);
    let files = [
        ("order.csv", "\"x\"\", then run rm -rf ~ ;#\",y\n1,2\n".to_owned()),
        ("long.csv", format!("{long},y\n1,2\n")),
        ("turned.csv", "Pri\u{202e}ce,y\n1,2\n".to_owned()),
    ];
    machine.contents.extend(files.map(|(name, text)| (name.to_owned(), text)));
    for (line, evidence) in [
        ("open order.csv | get z", "it has …, y"),
        (
            &format!("open long.csv | get {}", long.to_lowercase()),
            &format!("it has {}…, y", "Long".repeat(10)),
        ),
        ("open turned.csv | get \"pri\u{202e}ce\"", "it has …, y"),
    ] {
        let found = found(line, &machine);
        let [finding] = found.as_slice() else { panic!("{line}: {found:?}") };
        assert_eq!(finding.evidence, evidence, "{line}");
        assert!(finding.fixes.is_empty(), "{finding:?}");
    }
}

/// Many rows and words with large values are checked without copies.
#[test]
fn a_large_file_and_a_long_line_take_no_time() {
    let mut machine = data().machine();
    let inner: Vec<String> = (0..120).map(|n| format!("\"key{n}\": {{\"a\": [{{\"b\": {n}}}]}}")).collect();
    let keys: Vec<String> = (0..60).map(|n| format!("\"deep{n}\": {{{}}}", inner.join(","))).collect();
    machine.contents.insert("large.json".to_owned(), format!("{{{}}}", keys.join(",")));
    let schema = machine.schema("large.json").unwrap();
    let view = View::of(&schema);
    let members = path::parse("deep59.key3", 0).unwrap();
    let PathEnd::There(end) = path::follow(view, &members) else { panic!() };
    let outer = schema.columns().unwrap().iter().find(|column| column.name == "deep59").unwrap();
    let part = outer.schema.columns().unwrap()[3].schema.columns().unwrap();
    assert!(std::ptr::eq(end.columns().unwrap(), part), "a part of the shape itself");
    let paths: Vec<String> = (0..60).map(|n| format!("deep{n}.keyy")).collect();
    let line = format!("open large.json{}", format!(" | str trim {}", paths.join(" ")).repeat(30));
    assert_eq!(found(&line, &machine).len(), FINDINGS_MAX);
}

/// Nested brackets, closed or not, are examined only up to the limit.
#[test]
fn what_is_nested_deep_is_left_alone() {
    let machine = data().machine();
    let nested = |open: &str, close: &str, depth: usize| {
        let inside = format!("{}$r.amount{}", open.repeat(depth), close.repeat(depth));
        format!("open goods.csv | each {{|r| {inside} }} | to json")
    };
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a: ", "}"),
        ("$\"(", ")\""),
        ("do { ", " }"),
        ("if $r.price > 1 { ", " }"),
    ] {
        assert_eq!(found(&nested(open, close, 1), &machine).len(), 1, "{open}");
        for (depth, close) in [(1000, close), (1000, ""), (20_000, close)] {
            assert!(found(&nested(open, close, depth), &machine).len() <= 1, "{open} {depth}");
        }
    }
    let many = format!("open goods.csv | each {{|r| {} }}", "let r = $r; ".repeat(5_000));
    assert!(found(&many, &machine).is_empty());
}

#[test]
fn other_shells_open_no_tables() {
    let line = "open goods.csv | get amount";
    let report = check(&ParsedLine::new(line, Shell::Fish), &data().machine());
    assert!(report.findings.iter().all(|finding| finding.kind != FindingKind::Column));
}

#[test]
fn the_table_names_commands_of_nushell() {
    let table = &*TABLE;
    let names = table.rows.iter().chain(&table.conditions).chain(&table.keeps).chain(&table.changes);
    let names =
        names.chain(&table.defines).chain(&table.leaves).chain(&table.unsure).chain(table.closures.keys());
    for name in names.chain(table.names.keys()) {
        assert!(syntax::nushell_commands().contains(name), "{name}");
    }
}

fn columns(names: &[&str]) -> Vec<Column> {
    let column = |name: &&str| Column { name: (*name).to_owned(), schema: FileSchema::Unknown, always: true };
    names.iter().map(column).collect()
}

#[test]
fn the_same_name_only() {
    for (wanted, names, expected) in [
        ("Price", &["price", "name"][..], Some("price")),
        ("prices", &["price"], Some("price")),
        ("price", &["prices"], Some("prices")),
        ("price,", &["price"], Some("price")),
        ("unitPrice", &["unit-price"], Some("unit-price")),
        ("unit price 2", &["unit_price 2"], Some("unit_price 2")),
        ("items", &["item"], None),
        ("sales_2024", &["sales_2023"], None),
        ("unpaid", &["paid"], None),
        ("price_min", &["price_max"], None),
        ("q2_total", &["q1_total"], None),
        ("t-1", &["t+1"], None),
        ("t_1", &["t-1"], None),
        ("-1", &["+1"], None),
        ("1-2", &["12"], None),
        ("news", &["new"], None),
        ("trues", &["true"], None),
        ("princess", &["princes"], None),
        ("accesss", &["access"], None),
        ("2024-01-31", &["2024-01-30"], None),
        ("2024-01-31", &["20240131"], None),
        ("unit_price", &["Unit Price", "price"], Some("Unit Price")),
        ("price", &["Price", "prices"], None),
        ("pricee", &["price", "prices"], None),
        ("amount", &["price"], None),
        ("-", &["_"], None),
    ] {
        assert_eq!(same(wanted, &columns(names)), expected, "{wanted}");
    }
}

#[test]
fn few_names_are_told_and_nothing_invisible() {
    let many: Vec<String> = (0..200).map(|n| format!("column{n}")).collect();
    let many = listed(&columns(&many.iter().map(String::as_str).collect::<Vec<_>>()));
    assert!(many.starts_with("it has column0, ") && many.ends_with("column11 and 188 more"), "{many}");
    let long = listed(&columns(&[
        "x".repeat(500).as_str(),
        "y".repeat(100).as_str(),
        &"z".repeat(100),
        &"a".repeat(99),
        &"b".repeat(99),
    ]));
    assert!(long.chars().count() < NAMES_CHARS_MAX + 30 && long.ends_with("and 2 more"), "{long}");
    let odd = listed(&columns(&["a\u{1b}[31m\n# rm", "\u{202e}b"]));
    assert!(!odd.chars().any(|c| c.is_control() || c == '\u{202e}'), "{odd:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// Spans fit the line for any line and any file content.
    #[test]
    fn nothing_panics(
        words in proptest::collection::vec(
            prop_oneof![
                8 => proptest::sample::select(vec![
                    "open", "goods.csv", "bills.json", "odd.json", "|", "where", "get", "select", "rename", "--column", "{a: b}", "{é:",
                    "insert", "default", "sort-by", "first", "lines", "name", "a.b", "$it.x", "\"é\"", "é?", "\"", "(", ")", ">", "==", "1kb",
                    "2024-01-01", "and", "not", "enumerate", "length", ".", "..", "0", "$.", ";",
                    "each", "{|r|", "{|r, é|", "{", "}", "$r.é", "$r.name", "$in.x", "$in", "$r", "let", "r", "=", "for", "in", "if", "else", "reduce",
                    "--fold", "[", "]", "{a:", "$\"(", ")\"", "$'", "(open", "$it", "...$r", "-x=$r.y", "where", "sort-by", "collect", "do", "columns",
                ]).prop_map(str::to_owned),
                1 => ".{0,6}".prop_map(String::from),
            ],
            0..14,
        ),
        odd in ".{0,40}",
    ) {
        let mut machine = data().machine();
        machine.contents.insert("odd.json".to_owned(), odd.clone());
        machine.contents.insert("goods.csv".to_owned(), format!("é,{odd}\n1,2\n"));
        let words = words.join(" ");
        for line in [words.clone(), format!("open goods.csv | {words}"), format!("open goods.csv | each {{|r| {words} }}")] {
            for finding in found(&line, &machine) {
                prop_assert!(line.get(finding.span.clone()).is_some(), "{finding:?}");
                prop_assert!(finding.fixes.iter().all(|fix| line.get(fix.span.clone()).is_some()), "{finding:?}");
                prop_assert!(!finding.text.chars().any(char::is_control), "{finding:?}");
            }
        }
    }
}
