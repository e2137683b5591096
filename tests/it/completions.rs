//! The committed completions: they are up to date, and each loads in its shell without output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cli::Askline;

/// Shell, its file in `completions/`, and the arguments to read a script silently.
const SHELLS: [(&str, &str, &[&str]); 4] = [
    ("bash", "askline.bash", &["--norc", "-eu"]),
    ("zsh", "_askline", &["-f", "-c", "autoload -Uz compinit && compinit -u -D && source $0"]),
    ("fish", "askline.fish", &["--no-config"]),
    ("nu", "askline.nu", &["--no-config-file"]),
];

#[test]
fn committed_completions_are_up_to_date() {
    for (shell, file, _) in SHELLS {
        let file = completions().join(file);
        let made = Askline::new(["completions", shell]).run().stderr("").code(0).stdout;
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, &made).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == made,
            "{} is out of date; run `UPDATE=1 cargo test completions`",
            file.display()
        );
    }
}

#[test]
fn completions_load_in_their_shells_without_output() {
    for (shell, file, arguments) in SHELLS {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(shell);
        command.args(arguments).arg(completions().join(file)).env("HOME", home.path()).stdin(Stdio::null());
        let output = match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                missing(shell);
                continue;
            }
            other => other.unwrap(),
        };
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success() && said.is_empty(), "{shell}: {}", String::from_utf8_lossy(&said));
    }
}

/// Asks bash's completion for real: it offers shells after `init`, and models after the words that take one.
#[test]
fn bash_offers_shells_and_models() {
    assert_eq!(offered(&["init"]), ["nu", "zsh", "bash", "fish"]);
    for subcommand in ["use", "rm", "path", "pull"] {
        let offered = offered(&["model", subcommand]);
        assert!(offered.iter().any(|word| word == "qwen2.5-coder-0.5b-instruct-q4_k_m"), "{offered:?}");
    }
}

/// Returns what bash offers for the word after these, without options.
fn offered(words: &[&str]) -> Vec<String> {
    let script = "source \"$1\"; shift; COMP_WORDS=(askline \"$@\" ''); COMP_CWORD=$(($# + 1)); \
                  _askline askline '' \"${!#}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", script, "bash"]).arg(completions().join("askline.bash")).args(words);
    let output = command.output().unwrap();
    let offered = String::from_utf8(output.stdout).unwrap();
    offered.lines().filter(|word| !word.starts_with('-')).map(str::to_owned).collect()
}

/// Names of files are offered as they are, and nothing in them runs.
#[test]
fn bash_runs_nothing_in_the_name_of_a_file() {
    let place = tempfile::tempdir().unwrap();
    for name in ["$(touch ran)", "`touch ran`", "a;touch ran", "${x[$(touch ran)]}", "*", "a\n$(touch ran)"] {
        fs::write(place.path().join(name), "").unwrap();
    }
    let script = "source \"$1\"; for typed in '' '$' '`' '$(touch ran)' 'a' '\"$(touch ran)'; do \
                  for option in --lines --config; do \
                  COMP_WORDS=(askline suggest $option \"$typed\"); COMP_CWORD=3; \
                  _askline askline \"$typed\" $option; done; done; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", script, "bash"]).arg(completions().join("askline.bash"));
    let output = command.current_dir(&place).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!place.path().join("ran").exists(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// fish's generator omits such words, so ours are tested.
#[test]
fn fish_offers_shells_and_models() {
    for (line, word) in
        [("init ", "nu"), ("completions ", "zsh"), ("model use qwen", "qwen2.5-coder-0.5b-instruct-q4_k_m")]
    {
        let script = format!("source $argv[1]; complete -C 'askline {line}'");
        let mut command = Command::new("fish");
        let output = match command
            .args(["--no-config", "-c", &script])
            .arg(completions().join("askline.fish"))
            .output()
        {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return missing("fish"),
            other => other.unwrap(),
        };
        let offered = String::from_utf8(output.stdout).unwrap();
        assert!(offered.lines().any(|offer| offer.split('\t').next() == Some(word)), "{line}: {offered}");
        assert!(!offered.contains("Cargo.toml"), "no file is wanted there: {offered}");
    }
}

fn completions() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("completions")
}

/// Fails the run in CI if a shell is missing; on a developer's machine prints a note.
#[expect(clippy::print_stderr, reason = "a skipped check must be seen")]
fn missing(shell: &str) {
    assert!(std::env::var_os("CI").is_none(), "{shell} is not installed");
    eprintln!("SKIPPED: {shell} is not installed, its completions were not loaded");
}
