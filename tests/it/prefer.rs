//! Preferences: programs in place of others where every check passes, and what models are told of them.

use std::path::Path;
use std::sync::Arc;

use askline::environment::Machine;
use askline::shell_facts::ShellFacts;
use askline::suggestion::Suggestion;
use askline_host::recorded::RecordedHost;

use crate::fix::answer;

/// Two programs with the same options, but for one, and one that has others.
fn machine(programs: &str) -> Machine {
    let page = |name: &str, options: &[&str]| {
        let rows = options.iter().map(|option| format!(".TP\n\\\\fB{option}\\\\fR\none\n"));
        let rows = rows.collect::<String>().replace("\\\\fB-", "\\\\fB\\\\-");
        format!(
            "\"/usr/share/man/man1/{name}.1\" = \"\"\"\n.TH {} 1 2026 \"tools 3.1\"\n.SH NAME\n{name} \\\\- do\n\
             .SH OPTIONS\n{rows}\"\"\"\n",
            name.to_uppercase()
        )
    };
    let pages =
        [page("awk", &["-a", "-n"]), page("gawk", &["-a"]), page("grep", &["-i"]), page("rg", &["-i"])];
    let text = format!(
        "current_dir = \"/home/ada\"\nprograms = [{programs}]\n[system]\nos = \"linux\"\nrelease = \"6.6.1\"\nmachine = \
         \"x86_64\"\n[env]\nPATH = \"/usr/bin\"\nHOME = \"/home/ada\"\n[files]\n\"/home/ada/y\" = \"a\"\n{}",
        pages.concat()
    );
    Machine::new(Arc::new(RecordedHost::parse(Path::new("machine.toml"), &text).unwrap()), None)
}

const ALL: &str = r#""/usr/bin/awk", "/usr/bin/gawk", "/usr/bin/grep", "/usr/bin/rg""#;
const PREFER: &str = "[prefer]\nawk = \"gawk\"\ngrep = \"rg\"\n";

#[track_caller]
fn asked(words: &str, programs: &str, prefer: &str, script: &str) -> Suggestion {
    answer(words, &ShellFacts::default(), &machine(programs), prefer, script).unwrap()
}

#[test]
fn a_program_with_the_same_options_takes_the_place_of_another() {
    let reply = r#"{"reply": "awk -a x y"}"#;
    let suggestion = asked("process the input", ALL, PREFER, reply);
    assert_eq!((suggestion.command.as_str(), suggestion.rounds), ("gawk -a x y", 1));
    assert_eq!(suggestion.changes, ["awk → gawk, as you prefer"]);
    // Not one that is not installed, nor where the words name the program, nor without a preference.
    let only = r#""/usr/bin/awk", "/usr/bin/grep", "/usr/bin/rg""#;
    for (words, programs, prefer) in [
        ("process the input", only, PREFER),
        ("process the input with awk", ALL, PREFER),
        ("process the input", ALL, ""),
    ] {
        assert_eq!(asked(words, programs, prefer, reply).command.as_str(), "awk -a x y", "{words}");
    }
}

#[test]
fn the_model_is_asked_where_the_options_differ_and_its_answer_must_pass() {
    let script = concat!(
        "{\"reply\": \"grep -i x y\", \"must_contain\": \"# the user prefers: \\\"gawk, not awk\\\", \\\"rg, not grep\\\"\\n# process\"}\n",
        r#"{"reply": "rg -i x y", "must_contain": "wrong: another program is preferred; rg, not grep"}"#
    );
    let suggestion = asked("process the input", ALL, PREFER, script);
    assert_eq!((suggestion.command.as_str(), suggestion.rounds), ("rg -i x y", 2));
    // An answer with an option that the preferred program lacks is worse than the first one.
    let script = "{\"reply\": \"grep -i x y\"}\n{\"reply\": \"rg -q x y\"}";
    let suggestion = answer("process the input", &ShellFacts::default(), &machine(ALL), PREFER, script);
    assert_eq!(suggestion.unwrap().command.as_str(), "grep -i x y");
}

/// A line that a person typed keeps its program.
#[test]
fn a_typed_command_stays() {
    let suggestion = asked("awk -a x y", ALL, PREFER, "");
    assert_eq!((suggestion.command.as_str(), suggestion.rounds), ("awk -a x y", 0));
}

#[test]
fn sentences_are_told_as_the_user_s_words() {
    let prefer = "[prefer]\nnotes = [\"sizes for people\"]\n";
    let script = r##"{"reply": "awk -a x y", "must_contain": "# the user prefers: \"sizes for people\"\n# process the"}"##;
    asked("process the input", ALL, prefer, script);
    let silent = format!("{prefer}[context]\npreferences = \"off\"\n");
    let script = r##"{"reply": "awk -a x y", "must_contain": "\n# process the"}"##;
    let prompt = answer("process the input", &ShellFacts::default(), &machine(ALL), &silent, script);
    assert_eq!(prompt.unwrap().command.as_str(), "awk -a x y");
}
