//! Tests of each rule with its own examples, on a machine whose commands belong to one tool family.

use std::path::PathBuf;
use std::sync::Arc;

use askline_manual::userland::Userland;

use super::{Example, examples, findings};
use crate::finding::Finding;
use crate::reference::{CommandFacts, CommandKind, Reference};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// A machine that has every command in one family, except the missing ones.
struct Machine<'a> {
    userland: Userland,
    missing: &'a [String],
    present: &'a [String],
}

impl Reference for Machine<'_> {
    fn known(&self, command: &[&str]) -> Arc<CommandFacts> {
        let name = command[0];
        let is_missing = self.missing.iter().any(|missing| missing == name)
            || (!self.missing.is_empty() && !self.present.iter().any(|there| there.starts_with(name)));
        let path = PathBuf::from(format!("/usr/bin/{name}"));
        let kind = if is_missing {
            CommandKind::Missing
        } else {
            CommandKind::Program { path: path.clone(), real_path: path }
        };
        let above = Vec::new();
        Arc::new(CommandFacts {
            kind,
            manual: None,
            above,
            userland: self.userland,
            version: None,
            askable: false,
        })
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn exists(&self, _: &str) -> Option<bool> {
        None
    }

    fn accepts(&self, _: &[&str], _: &str) -> Option<bool> {
        None
    }
}

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
    let missing = if lacks { example.commands } else { &[] };
    let present = example.program.get(..1).unwrap_or_default();
    let machine = Machine { userland, missing, present };
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
    use askline_manual::{Arity, Manual, OptionDoc, Source};

    struct Documented(Machine<'static>);
    impl Reference for Documented {
        fn known(&self, command: &[&str]) -> Arc<CommandFacts> {
            let mut known = CommandFacts::clone(&self.0.known(command));
            let doc = OptionDoc {
                names: vec!["-printf".to_owned()],
                value: Arity::Required,
                placeholder: "FORMAT".to_owned(),
                text: String::new(),
                source: Source::Help,
            };
            known.manual = Some(Arc::new(Manual { options: vec![doc], ..Manual::default() }));
            Arc::new(known)
        }
        fn names(&self) -> Vec<String> {
            Vec::new()
        }
        fn exists(&self, _: &str) -> Option<bool> {
            None
        }
        fn accepts(&self, _: &[&str], _: &str) -> Option<bool> {
            None
        }
    }
    let machine = || Machine { userland: Userland::Busybox, missing: &[], present: &[] };
    let line = ParsedLine::new("find . -printf '%p\\n'", Shell::Bash);
    assert_eq!(findings(&line, &machine(), "linux").len(), 1);
    assert_eq!(findings(&line, &Documented(machine()), "linux"), Vec::new());
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
