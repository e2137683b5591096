//! Tests with user-defined names, and with a machine whose Nushell cannot be asked.

use super::*;

/// Returns a machine whose user defined a command or an alias.
fn user(name: &str, kind: reference::CommandKind) -> TestMachine {
    TestMachine {
        own_commands: MACHINE.own_commands(),
        shell_version: MACHINE.shell_version(),
        defined: [(name.to_owned(), kind)].into(),
        ..unasked()
    }
}

#[test]
fn what_the_user_defined_is_left_alone() {
    for (name, line) in [
        ("where", "[1 2] | where > 1"),
        ("where", "ls | where a contains b"),
        ("where", "ls | where size > 10M"),
        ("where", "$x | where a = b"),
        ("where", "open notes.txt | where a"),
        ("where a", "open notes.txt | where a"),
        ("ls", "ls | wc -l"),
        ("ls", "ls -lh"),
        ("ls", "ls --hidden"),
        ("wc", "ls | wc -l"),
        ("lines", "open data.json | lines"),
        ("open", "open data.json | lines"),
        ("each", "ls | each { $f }"),
        ("default", "$env.A | default b"),
        ("save", "open a.txt | lines | save -f a.txt"),
        ("lines", "open a.txt | lines | save -f a.txt"),
        ("math sum", "open a.txt | lines | math sum"),
        ("str upper", "'a' | str upper"),
        ("str count", "'a' | str count a"),
        ("substring", "'a' | substring 0..1"),
        ("ps", "ps aux"),
        ("sleep", "sleep 5s"),
        ("length", "open notes.txt | length"),
    ] {
        assert_ne!(slips(&parsed(line), &*MACHINE), [], "{line}");
        for kind in [reference::CommandKind::Function, reference::CommandKind::Alias("other".to_owned())] {
            assert_eq!(slips(&parsed(line), &user(name, kind)), [], "{line} with a {name} of one's own");
        }
    }
}

/// Mistakes outside Nushell's own commands are repaired even next to user-defined ones.
#[test]
fn the_rest_of_the_line_is_mended() {
    let user = user("ls", reference::CommandKind::Function);
    let [finding] = slips(&parsed("ls $HOME"), &user).try_into().unwrap();
    assert_eq!(finding.fixes[0].replacement, "$env.HOME");
}

#[test]
fn without_the_engine_no_name_is_guessed_for_another_of_nushells() {
    let machine = unasked();
    let judge = |line: &ParsedLine| {
        let mut report = check(line, &machine);
        report.findings.extend(slips(line, &machine));
        report
    };
    for (line, expected) in [
        ("sqrt 16", Some("there is no command `sqrt` here; nushell has `math sqrt`")),
        ("'a' | snake-case", Some("there is no command `snake-case` here; nushell has `str snake-case`")),
    ] {
        let line = parsed(line);
        let report = judge(&line);
        assert!(
            report.findings.iter().any(|finding| Some(finding.text.as_str()) == expected),
            "{line:?}: {report:?}"
        );
        assert_eq!(repair(&line, &report, &machine, &judge), None, "{line:?}");
    }
    let line = parsed("grpe a here.toml");
    let mended = repair(&line, &judge(&line), &machine, &judge).unwrap();
    assert_eq!(mended.line, "grep a here.toml");
}
