//! Requests to servers over several key presses: each request is counted, however it ends, and a secret stays on this
//! machine in every round.

use std::fs;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::chain::Server;
use crate::cli::Askline;

/// Returns the number of requests to servers in a usage file.
fn calls(counts: &Path) -> u64 {
    let text = fs::read_to_string(counts).unwrap();
    let figures: serde_json::Value = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
    let models = figures["total"]["models"].as_object().unwrap();
    models.values().map(|model| model["tally"]["calls"].as_u64().unwrap()).sum()
}

const COUNTS: &str = "data/askline/stats/counts";

#[test]
fn what_the_doctor_asks_is_counted() {
    let server = Server::answering("ls -l");
    let config = format!("profile = \"team\"\n{}", server.profile("team", ""));
    let ran = Askline::new(["doctor", "--online"]).config(&config).run();
    assert_eq!(server.heard().len(), 1, "{}", ran.stdout);
    assert_eq!(calls(&ran.path(COUNTS)), 1);
}

#[test]
fn an_answer_that_nobody_reads_is_counted() {
    let server = Server::answering("ls -l");
    let config = format!("profile = \"team\"\n{}", server.profile("team", ""));
    let ran = Askline::new(["suggest", "--shell", "bash", "list the files"])
        .config(&config)
        .in_sh("RUN > /dev/full")
        .run();
    assert_eq!((server.heard().len(), calls(&ran.path(COUNTS))), (1, 1), "{}", ran.stderr);
}

#[test]
fn a_request_that_is_interrupted_is_counted() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let silent = Server::start(String::new());
        let config = format!("profile = \"team\"\n{}", silent.profile("team", ""));
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("config.toml");
        fs::write(&file, config).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_askline"))
            .args(["suggest", "--shell", "bash", "list the files"])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", home.path())
            .env("ASKLINE_CONFIG", &file)
            .env("XDG_DATA_HOME", home.path().join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while silent.heard().is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(20), "nothing is asked");
            thread::sleep(Duration::from_millis(20));
        }
        let process = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(process, signal).unwrap();
        let status = child.wait().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((status.code(), status.signal()), (None, Some(signal.as_raw())), "{said}");
        assert_eq!(calls(&home.path().join(COUNTS)), 1);
    }
}

/// A power cut may leave a newly written file empty.
#[test]
fn a_bounded_day_without_its_figures_asks_nobody() {
    let server = Server::answering("ls -l");
    let config =
        |limits: &str| format!("profile = \"team\"\n{}[limits]\n{limits}\n", server.profile("team", ""));
    let ask = |limits: &str, counts: &str| {
        let run = Askline::new(["suggest", "--shell", "bash", "list the files"]).config(&config(limits));
        run.file(COUNTS, counts).run()
    };
    let refused = ask("day_calls = 3", "");
    assert!(refused.stderr.contains("run `askline forget stats`"), "{}", refused.stderr);
    // The request is also refused when a new file has replaced the one that was set aside.
    let new = fs::read_to_string(refused.path(COUNTS)).unwrap();
    let refused = ask("day_calls = 3", &new);
    assert!(refused.stderr.contains("run `askline forget stats`"), "{}", refused.stderr);
    assert_eq!(server.heard().len(), 0);
    ask("day_calls = 0", "").stdout("ls -l\n").code(0);
    assert_eq!(server.heard().len(), 1);
}

/// A secret from one row must not appear in the answer to another.
#[test]
fn a_secret_of_one_row_is_not_put_into_the_answer_to_another() {
    let server = Server::answering("echo SECRET_1_PLACEHOLDER");
    let config = format!("profile = \"team\"\nrefine_rounds = 0\n{}", server.profile("team", ""));
    let ran = Askline::new(["suggest", "--shell", "bash", "--lines", "-"])
        .config(&config)
        .stdin("show that the PASSWORD=hunter2pass99 is set\nshow something")
        .run();
    ran.stdout("echo hunter2pass99\necho SECRET_1_PLACEHOLDER\n");
    assert!(server.heard().iter().all(|request| !request.contains("hunter2")));
}

/// The model's answer is sent back to it with its errors; by then the answer contains the secret again.
#[test]
fn a_secret_stays_here_in_the_second_round() {
    let server = Server::answering("ls --nosuchflagzz SECRET_1_PLACEHOLDER");
    let config = format!("profile = \"team\"\n{}", server.profile("team", ""));
    let ran = Askline::new(["suggest", "--shell", "bash", "list it with VAULT_PASSWORD=geheim"])
        .config(&config)
        .run();
    let heard = server.heard();
    assert!(1 < heard.len(), "{}", ran.stderr);
    assert!(heard.iter().all(|request| !request.contains("geheim")), "{heard:#?}");
    assert!(heard[1].contains("SECRET_1_PLACEHOLDER") && heard[1].contains("nosuchflagzz"), "{}", heard[1]);
    assert!(ran.stdout.contains("geheim"), "{}", ran.stdout);
}
