//! Tests of each rule with its own examples, on a machine whose commands belong to one tool family.

use std::sync::Arc;

use askline_manual::Manual;
use askline_manual::userland::Userland;

use super::{Example, examples, findings};
use crate::finding::Finding;
use crate::test_machine::{TestMachine, option};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

fn found(example: &Example, line: &str) -> Vec<Finding> {
    let (userland, os) = match example.world {
        "gnu" => (Userland::Gnu, "linux"),
        "uutils" => (Userland::Uutils, "linux"),
        "busybox" => (Userland::Busybox, "linux"),
        "toybox" => (Userland::Toybox, "android"),
        "bsd" => (Userland::Bsd, "macos"),
        "linux" => (Userland::Unknown, "linux"),
        "macos" => (Userland::Unknown, "macos"),
        other => panic!("no world `{other}`"),
    };
    let lacks = matches!(example.world, "linux" | "macos");
    let present = example.program.first().and_then(|program| program.split(' ').next());
    let machine = match lacks {
        true => TestMachine {
            userland,
            programs: present.map(str::to_owned).into_iter().collect(),
            ..TestMachine::default()
        },
        false => TestMachine { userland, ..TestMachine::with_every_program() },
    };
    findings(&ParsedLine::new(line, Shell::Bash), &machine, os)
}

fn mended(line: &str, finding: &Finding) -> Option<String> {
    let fix = finding.fixes.first()?;
    let mut line = line.to_owned();
    line.replace_range(fix.span.clone(), &fix.replacement);
    Some(line)
}

#[test]
fn every_rule_finds_its_form_and_gives_the_right_one() {
    let mut faults = Vec::new();
    for example in examples() {
        let found_bad = found(&example, example.bad);
        let lacks = matches!(example.world, "linux" | "macos");
        if lacks && example.good.is_none() {
            continue; // Without an equivalent only the check of commands reports it.
        }
        let Some(finding) = found_bad.first() else {
            faults.push(format!("{}: nothing found in {}", example.world, example.bad));
            continue;
        };
        if found_bad.len() != 1 {
            faults.push(format!("{}: {}: {found_bad:#?}", example.world, example.bad));
        }
        let got = mended(example.bad, finding);
        if got.as_deref() != example.good {
            faults.push(format!("{}: {}\n  {got:?}\n  {:?}", example.world, example.bad, example.good));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_is_right_stays() {
    let all = examples();
    let mut lines = 0;
    for example in &all {
        assert!(!example.stays.is_empty(), "{}: no line that stays", example.bad);
        for line in example.stays.iter().map(String::as_str).chain(example.good) {
            lines += 1;
            assert_eq!(found(example, line), Vec::new(), "{}: {line}", example.world);
        }
    }
    assert!(200 < lines, "only {lines} lines");
}

#[test]
fn the_documentation_in_hand_wins() {
    let mut machine = TestMachine { userland: Userland::Busybox, ..TestMachine::with_every_program() };
    let line = ParsedLine::new("find . -printf '%p\\n'", Shell::Bash);
    assert_eq!(findings(&line, &machine, "linux").len(), 1);
    let manual = Manual { options: vec![option("-printf=FORMAT")], ..Manual::default() };
    machine.manuals.insert("find".to_owned(), Arc::new(manual));
    assert_eq!(findings(&line, &machine, "linux"), Vec::new());
}

/// Cases beyond the examples: clusters, quotes, wrappers, repetition.
#[test]
fn shapes() {
    let table: &[(&str, &str, Option<&str>)] = &[
        ("gnu", "sed -ni '' p f", Some("sed -n -i p f")),
        ("gnu", "sed -i \"\" -e 's/a b/c/' 'my file'", Some("sed -i -e 's/a b/c/' 'my file'")),
        ("gnu", "sudo sed -i '' s/a/b/ f", Some("sudo sed -i s/a/b/ f")),
        ("gnu", "stat -f%z f", Some("stat -c %s f")),
        ("gnu", "stat -Lf '%Sm' f", Some("stat -L -c '%y' f")),
        ("gnu", "stat -f \"%Su: %z\" f", Some("stat -c \"%U: %s\" f")),
        ("gnu", "stat -f %q f", None),
        ("gnu", "date -v -1d", Some("date -d '1 day ago'")),
        ("gnu", "date -u -v+2H +%T", Some("date -u -d '2 hour' +%T")),
        ("gnu", "date -v-1d -v-2H", None),
        ("gnu", "date -v1d", None),
        ("gnu", "date -v-${n}d", None),
        ("gnu", "date -jf %Y-%m-%d 2024-01-02 +%s", Some("date -d 2024-01-02 +%s")),
        ("gnu", "date -j -f '%b %d' 'Jan 2' +%s", None),
        ("gnu", "echo $(date -r 5)", Some("echo $(date -d @5)")),
        ("gnu", "base64 -iD f", Some("base64 -i -d f")),
        ("gnu", "tail -r -n 5 f", None),
        ("gnu", "tail -rn5 f", None),
        ("gnu", "cat f | tail -r", Some("cat f | tac")),
        (
            "gnu",
            "find -E src -name x -regex '(a|b)'",
            Some("find src -name x -regextype posix-extended -regex '(a|b)'"),
        ),
        (
            "gnu",
            "tar czf 'a b.tgz' src doc --exclude='*.o'",
            Some("tar czf 'a b.tgz' --exclude='*.o' src doc"),
        ),
        ("gnu", "tar -c -f a.tar src --exclude '*.o' -v", Some("tar -c -f a.tar --exclude '*.o' src -v")),
        ("gnu", "/usr/bin/date -v-1d", Some("/usr/bin/date -d '1 day ago'")),
        ("gnu", "busybox stat --format=%s f", Some("busybox stat -c %s f")),
        ("bsd", "sed -i -e s/a/b/ f", Some("sed -i '' -e s/a/b/ f")),
        ("bsd", "sed -Ei 's/(a)/b/' f", Some("sed -E -i '' 's/(a)/b/' f")),
        ("bsd", "gsed -i s/a/b/ f", Some("gsed -i '' s/a/b/ f")),
        ("bsd", "date --date='2 days ago'", Some("date -v-2d")),
        ("bsd", "date --date yesterday +%F", Some("date -v-1d +%F")),
        ("bsd", "date -d \"@$ts\"", None),
        ("bsd", "stat --format '%s' f", Some("stat -f '%z' f")),
        ("bsd", "find . -type f -regextype posix-extended -regex x", Some("find -E . -type f -regex x")),
        ("bsd", "ps aux --sort -%mem", Some("ps aux -m")),
        ("busybox", "du -h --max-depth 2 .", Some("du -h -d 2 .")),
    ];
    for (world, line, expected) in table {
        let example = examples().into_iter().find(|example| example.world == *world).unwrap();
        let found = found(&example, line);
        assert_eq!(found.len(), 1, "{line}: {found:#?}");
        assert_eq!(mended(line, &found[0]).as_deref(), *expected, "{line}");
        let fix = found[0].fixes.first().map(|fix| fix.change.clone()).unwrap_or_default();
        assert_eq!(fix.is_empty(), expected.is_none(), "{line}");
    }
}

proptest::proptest! {
    #[test]
    fn nothing_panics(line in ".*", world in 0..7usize) {
        let worlds = ["gnu", "uutils", "busybox", "toybox", "bsd", "linux", "macos"];
        let example = examples().into_iter().find(|example| example.world == worlds[world]).unwrap();
        found(&example, &line);
    }

    #[test]
    fn torn_examples_give_edits_within_the_line(at in 0..400usize, cut in 0..60usize, more in ".{0,3}") {
        let all = examples();
        let example = &all[at % all.len()];
        let start: String = example.bad.chars().take(cut).collect();
        let end: String = example.bad.chars().skip(cut).collect();
        let line = format!("{start}{more}{end}");
        for finding in found(example, &line) {
            for fix in finding.fixes {
                proptest::prop_assert!(line.get(fix.span.clone()).is_some());
            }
        }
    }
}
