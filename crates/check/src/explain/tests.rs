//! Tests of the explanations against a few manuals.

use std::sync::Arc;

use askline_manual::{Manual, OptionDoc, Subcommand};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

use super::*;
use crate::test_machine::{TestMachine, option};

/// Manuals by command words: options without their meaning, which is "about" and the first name.
const MANUALS: [(&str, &str, &[&str]); 6] = [
    ("tar", "", &["-x, --extract", "-z", "-v", "-f, --file=", "-C, --directory="]),
    ("sort", "", &["-n", "-r", "-k, --key=", "-t=", "--debug"]),
    ("sed", "", &["-n", "-i[=", "-e="]),
    ("find", "", &["-name=", "-print"]),
    ("git", "log", &["-C=", "--no-pager"]),
    ("git log", "", &["--oneline", "-n=", "-p"]),
];

fn machine() -> TestMachine {
    let doc = |text: &&str| {
        let doc = option(text);
        OptionDoc { text: format!("about {}", doc.names[0]), ..doc }
    };
    let subcommand = |name: &str| Subcommand { name: name.to_owned(), summary: String::new() };
    let manual = |(name, below, options): (&str, &str, &[&str])| {
        let manual = Manual {
            name: format!("{name}(1)"),
            summary: format!("does {name}"),
            options: options.iter().map(doc).collect(),
            subcommands: below.split_whitespace().map(subcommand).collect(),
            ..Manual::default()
        };
        (name.to_owned(), Arc::new(manual))
    };
    TestMachine { manuals: MANUALS.map(manual).into(), ..TestMachine::with_every_program() }
}

/// Explains a command line: `text=meaning` for each part, only the text of parts without a meaning.
fn explained(line: &str) -> Vec<String> {
    let parts = explain(&ParsedLine::new(line, Shell::Bash), &machine());
    let shown = |part: &Part| {
        let text = line.get(part.span.clone()).unwrap();
        if part.meaning.is_empty() { text.to_owned() } else { format!("{text}={}", part.meaning) }
    };
    parts.iter().map(shown).collect()
}

#[test]
fn each_word_gets_its_part_of_the_manual() {
    for (line, expected) in [
        ("sort -n a", &["sort=does sort", "-n=about -n", "a"][..]),
        ("sort -nr a", &["sort=does sort", "-nr=-n: about -n; -r: about -r", "a"]),
        ("sort -k 2 a", &["sort=does sort", "-k 2=about -k", "a"]),
        ("sort -k2 a", &["sort=does sort", "-k2=-k: about -k", "a"]),
        ("sort -k=2 a", &["sort=does sort", "-k=2=about -k", "a"]),
        ("sort -nk 2", &["sort=does sort", "-nk=-n: about -n; -k: about -k", "2"]),
        ("sort -nq a", &["sort=does sort", "-nq=-n: about -n", "a"]),
        ("sort -q a", &["sort=does sort", "-q", "a"]),
        ("sort -qn a", &["sort=does sort", "-qn", "a"]),
        ("sort --key 2 --key=3 a", &["sort=does sort", "--key 2=about -k", "--key=3=about -k", "a"]),
        ("sort --no --debug", &["sort=does sort", "--no", "--debug=about --debug"]),
        ("sort -k -n", &["sort=does sort", "-k=about -k", "-n=about -n"]),
        ("sort -t -- -n", &["sort=does sort", "-t=about -t", "--", "-n"]),
        ("sort -n -- -r a", &["sort=does sort", "-n=about -n", "--", "-r", "a"]),
        ("sort a -r - -5", &["sort=does sort", "a", "-r=about -r", "-", "-5"]),
        ("sed -i.bak -i f", &["sed=does sed", "-i.bak=-i: about -i", "-i=about -i", "f"]),
        ("sed -ne p f", &["sed=does sed", "-ne=-n: about -n; -e: about -e", "p", "f"]),
        ("find . -name x -print", &["find=does find", ".", "-name x=about -name", "-print=about -print"]),
        (
            "tar xzf a -C b",
            &["tar=does tar", "xzf=-x: about -x; -z: about -z; -f: about -f", "a", "-C b=about -C"],
        ),
        ("tar xfv a b", &["tar=does tar", "xfv=-x: about -x; -f: about -f; -v: about -v", "a", "b"]),
        ("tar f a.tgz -x", &["tar=does tar", "f a.tgz=-f: about -f", "-x=about -x"]),
        ("tar a.tgz", &["tar=does tar", "a.tgz"]),
        ("git log -n 5 -C x", &["git log=does git log", "-n 5=about -n", "-C x=about -C"]),
        ("git -C x log -p", &["git=does git", "-C x=about -C", "log=does git log", "-p=about -p"]),
        ("git --no-pager -q log", &["git=does git", "--no-pager=about --no-pager", "-q", "log=does git log"]),
        ("git log log -p", &["git log=does git log", "log", "-p=about -p"]),
        ("git x log -p", &["git=does git", "x", "log", "-p"]),
        ("git -- log", &["git=does git", "--", "log"]),
    ] {
        assert_eq!(explained(line), expected, "{line}");
    }
}
