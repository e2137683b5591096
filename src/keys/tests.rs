//! Tests of key sources: order, private files, real commands; no message contains a secret.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use super::*;
use crate::config::{Config, ModelChoice};
use askline_host::local::LocalHost;
use askline_host::recorded::RecordedHost;

const SECRET: &str = "sk-Geheim123";

/// Temporary home directory with a configuration.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str, mode: u32) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path.display().to_string()
    }

    /// Returns a server profile with these settings, written in a file of this home.
    fn profile(&self, lines: &str) -> ServerProfile {
        let text = format!(
            "profile = \"team\"\n[profiles.team]\nprotocol = \"openai\"\nurl = \"https://h.example\"\nname = \"m\"\n{lines}\n"
        );
        let file = self.file("config.toml", &text, 0o600);
        let config = Config::merge(Some((Path::new(&file), &text)), &|_| None).unwrap();
        match config.model {
            ModelChoice::Remote(remote) => *remote,
            other => panic!("{other}"),
        }
    }
}

/// Returns a recorded machine with only this environment.
fn machine(env: &str) -> RecordedHost {
    let rows = format!("[env]\n{env}\n[system]\nos = \"linux\"\nrelease = \"6\"\nmachine = \"x86_64\"\n");
    RecordedHost::parse(Path::new("machine.toml"), &rows).unwrap()
}

fn secret(remote: &ServerProfile, host: &dyn Host) -> Option<String> {
    read(remote, host).unwrap().map(|key| key.secret().to_owned())
}

#[track_caller]
fn assert_message(remote: &ServerProfile, host: &dyn Host, what: &str) {
    for failure in [read(remote, host).err(), look(remote, host).err()].into_iter().flatten() {
        let message = failure.to_string();
        assert!(
            matches!(failure, Failure::NoModel(_)) && message.starts_with("profile `team`: "),
            "{message}"
        );
        assert!(message.contains(what), "{message}");
        assert!(!message.contains("Geheim"), "{message}");
    }
    assert!(read(remote, host).is_err(), "{what}");
}

#[test]
fn the_first_that_is_there_gives_the_key() {
    let home = Home::new();
    let file = home.file("key", "from-file\n", 0o600);
    let all = home.profile(&format!(
        "key_env = \"TEAM_KEY\"\nkey_cmd = \"/bin/echo from-command\"\nkey_file = \"{file}\""
    ));
    assert_eq!(secret(&all, &machine("TEAM_KEY = \"from-env\\n\"")).unwrap(), "from-env");
    assert_eq!(look(&all, &machine("TEAM_KEY = \"x\"")).unwrap().unwrap(), "the variable TEAM_KEY");
    let command = home.profile(&format!(
        "key_env = \"ASKLINE_TEST_UNSET\"\nkey_cmd = \"/bin/echo from-command\"\nkey_file = \"{file}\""
    ));
    assert_eq!(secret(&command, &LocalHost).unwrap(), "from-command");
    assert_eq!(look(&command, &LocalHost).unwrap().unwrap(), "its key_cmd");
    let file = home.profile(&format!("key_env = \"TEAM_KEY\"\nkey_file = \"{file}\""));
    assert_eq!(secret(&file, &machine("TEAM_KEY = \"  \"")).unwrap(), "from-file");
    assert!(look(&file, &machine("")).unwrap().unwrap().starts_with("the file /"));
    assert_eq!(secret(&home.profile(""), &machine("")), None);
    assert_message(
        &home.profile("key_env = \"TEAM_KEY\""),
        &machine(""),
        "the variable TEAM_KEY is not set; export",
    );
    let bad = machine(&format!("TEAM_KEY = \"{SECRET}\\r\\nX-Evil: 1\""));
    assert_message(&home.profile("key_env = \"TEAM_KEY\""), &bad, "the variable TEAM_KEY contains a blank");
}

#[test]
fn a_file_with_a_key_is_for_its_owner_alone() {
    let home = Home::new();
    let with = |file: &str| home.profile(&format!("key_file = \"{file}\""));
    for mode in [0o600, 0o400, 0o700] {
        assert_eq!(secret(&with(&home.file("key", SECRET, mode)), &LocalHost).unwrap(), SECRET, "{mode:o}");
    }
    for mode in [0o640, 0o604, 0o644, 0o620, 0o660] {
        fs::remove_file(home.0.path().join("key")).unwrap();
        let file = home.file("key", SECRET, mode);
        assert_message(&with(&file), &LocalHost, &format!("others can read {file}; run `chmod 600 {file}`"));
    }
    // A link is accepted if its target is.
    fs::remove_file(home.0.path().join("key")).unwrap();
    let file = home.file("key", SECRET, 0o600);
    let link = home.0.path().join("link");
    symlink(&file, &link).unwrap();
    assert_eq!(secret(&with(link.to_str().unwrap()), &LocalHost).unwrap(), SECRET);
    let open = home.file("open", SECRET, 0o644);
    fs::remove_file(&link).unwrap();
    symlink(&open, &link).unwrap();
    assert_message(&with(link.to_str().unwrap()), &LocalHost, "others can read");

    assert_message(
        &with(&home.file("many", &format!("{SECRET}\nmore\n"), 0o600)),
        &LocalHost,
        "contains a blank",
    );
    assert_message(&with(&home.file("none", " \n", 0o600)), &LocalHost, "is empty");
    assert_message(
        &with(&home.file("large", &"x".repeat(KEY_LIMIT + 1), 0o600)),
        &LocalHost,
        "larger than 4096 bytes",
    );
    assert_message(&with("/nowhere/key"), &LocalHost, "there is no file /nowhere/key; put the key into it");
    assert_message(&with(&home.0.path().display().to_string()), &LocalHost, "not a regular file");
    let pipe = home.0.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_message(&with(pipe.to_str().unwrap()), &LocalHost, "not a regular file");
}

#[test]
fn a_command_is_run_without_shell_input_and_working_directory() {
    let home = Home::new();
    let body = "printf '%s|%s|%s|%s|%s\\nnotes: x y\\n' \"$1\" \"$2\" \"$3\" \"$(pwd)\" \"$(cat)\"";
    let file = home.file("show", &format!("#!/bin/sh\n{body}\n"), 0o700);
    let remote = home.profile(&format!("key_cmd = \"{file} '$(id)' ; b\""));
    assert_eq!(read_busy(&remote).unwrap(), "$(id)|;|b|/|", "words stay words, the first line is the key");
}

#[test]
fn a_command_that_gives_no_key_is_told_without_its_words() {
    let home = Home::new();
    let script = |body: &str| {
        let file = home.file("show", &format!("#!/bin/sh\n{body}\n"), 0o700);
        home.profile(&format!("key_cmd = \"{file} {SECRET}\""))
    };
    let refused = |body: &str, what: &str| {
        let message = read_busy(&script(body)).unwrap_err();
        assert!(message.starts_with("profile `team`: ") && message.contains(what), "{message}");
        assert!(!message.contains("Geheim") && !message.contains("show "), "{message}");
    };
    refused("echo sk-Geheim123 >&2; exit 1", "gave no key; run it yourself to see why: it failed");
    refused("exit 0", "is empty");
    refused("head -c 5000 /dev/zero | tr '\\0' x", "printed more than 4096 bytes");
    refused("printf 'sk-Geheim\\033[31m'", "control character");
    let begun = Instant::now();
    refused("sleep 60", "did not end in time");
    assert!(begun.elapsed() < askline_host::KEY_PATIENCE + Duration::from_secs(5));
    assert_message(
        &home.profile("key_cmd = \"no-such-program-here x\""),
        &LocalHost,
        "was not found; install it",
    );
}

#[test]
fn a_command_that_others_could_have_written_is_not_run() {
    let home = Home::new();
    let remote = home.profile("key_cmd = \"/bin/echo key\"");
    let config = home.0.path().join("config.toml");
    for mode in [0o666, 0o664, 0o646] {
        fs::set_permissions(&config, fs::Permissions::from_mode(mode)).unwrap();
        assert_message(&remote, &LocalHost, "others can write");
    }
    fs::set_permissions(&config, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(secret(&remote, &LocalHost).unwrap(), "key");
    // A recorded machine runs nothing, but refuses another user's file too.
    let foreign = format!(
        "programs = [\"/bin/echo\"]\n[system]\nos = \"linux\"\nrelease = \"6\"\nmachine = \"x86_64\"\n[files]\n{config:?} = \"\"\n[owners]\n{config:?} = 4242\n"
    );
    let host = RecordedHost::parse(Path::new("machine.toml"), &foreign).unwrap();
    assert_message(&remote, &host, "belongs to another user");
    let host = RecordedHost::parse(Path::new("machine.toml"), &foreign.replace("4242", "0")).unwrap();
    assert_message(&remote, &host, "key commands are not run on a recorded machine");
}

/// Reads a key by a script that was just written. Retries because another test that starts a program at that
/// moment may hold the script open for writing.
fn read_busy(remote: &ServerProfile) -> Result<String, String> {
    loop {
        match read(remote, &LocalHost) {
            Ok(key) => return Ok(key.unwrap().secret().to_owned()),
            Err(failure) if failure.to_string().contains("busy") => {
                std::thread::sleep(Duration::from_millis(5))
            }
            Err(failure) => return Err(failure.to_string()),
        }
    }
}
