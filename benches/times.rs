//! Waiting times of a user: start of the program, our overhead around a model, loading of the shell scripts, and a
//! suggestion with each model given. Prints a table; not a test.
//!
//! `cargo bench --bench times -- [MODEL.gguf …]`. Runs are interleaved with the runs they are compared to.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints and may stop")]

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use askline_host::find_on_path;
use askline_host::local::LocalHost;

const ASKLINE: &str = env!("CARGO_BIN_EXE_askline");
const RUNS: usize = 100;

fn main() {
    let home = tempfile::tempdir().unwrap();
    println!("{:<58} {:>9} {:>9}", "milliseconds", "p50", "p95");
    let version = || askline(home.path()).arg("--version").wait();
    let nothing = || Command::new("true").wait();
    let [version, nothing] = interleave(RUNS, [&version, &nothing]);
    show("start to exit: askline --version", &sorted(version));
    show("  beside it: true", &sorted(nothing));
    let [init] = interleave(RUNS, [&|| askline(home.path()).args(["init", "zsh"]).wait()]);
    show("askline init zsh", &sorted(init));

    let script = home.path().join("model.jsonl");
    std::fs::write(&script, "{\"reply\": \"find . -size +10M\"}\n").unwrap();
    let scripted = || {
        askline(home.path())
            .env("ASKLINE_MODEL", format!("scripted:{}", script.display()))
            .args(["suggest", "--shell", "bash", "--", "find files bigger than ten megabytes"])
            .wait()
    };
    let [scripted] = interleave(RUNS, [&scripted]);
    show("suggest without the model's time", &sorted(scripted));

    for (shell, plain) in [
        ("zsh", &["-f", "-i"][..]),
        ("bash", &["--norc", "-i"]),
        ("fish", &["-N", "-i"]),
        ("nu", &["-n", "--no-std-lib"]),
    ] {
        let Some(shell_path) = find_on_path(&LocalHost, shell) else { continue };
        let file = home.path().join(format!("askline.{shell}"));
        std::fs::write(&file, askline(home.path()).args(["init", shell]).output().unwrap().stdout).unwrap();
        let source = format!("source {}", file.display());
        let with = || Command::new(&shell_path).args(plain).args(["-c", &source]).wait();
        let without = || Command::new(&shell_path).args(plain).args(["-c", "cd ."]).wait();
        let [with, without] = interleave(RUNS, [&with, &without]);
        let added = with.iter().zip(&without).map(|(with, without)| with - without).collect();
        show(&format!("sourcing the {shell} script, pair by pair"), &sorted(added));
    }

    for model in std::env::args_os().skip(1).filter(|arg| !arg.to_string_lossy().starts_with("--")) {
        suggestions(&model);
    }
}

/// Measures the first suggestion ever, the first one of a new process and further ones of the same process.
fn suggestions(model: &OsStr) {
    let name = Path::new(model).file_stem().unwrap().to_string_lossy().into_owned();
    let ask = |home: &Path, lines: &str| -> Vec<f64> {
        let mut child = askline(home)
            .env("ASKLINE_MODEL_FILE", model)
            .env("ASKLINE_DEADLINE_MS", "600000")
            .args(["suggest", "--shell", "bash", "--json", "--lines", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let rows = String::from_utf8(output.stdout).unwrap();
        rows.lines()
            .map(|row| {
                serde_json::from_str::<serde_json::Value>(row).unwrap()["timing_ms"]["total"]
                    .as_f64()
                    .unwrap()
            })
            .collect()
    };
    let home = tempfile::tempdir().unwrap();
    let request = "show the ten newest files below /var/log\n";
    let first = ask(home.path(), request);
    show(&format!("{name}: first suggestion ever (prompt prepared)"), &first);
    let fresh = (0..10).flat_map(|_| ask(home.path(), request)).collect();
    show(&format!("{name}: suggestion of a new process"), &sorted(fresh));
    let resident = ask(home.path(), &request.repeat(11)).split_off(1);
    show(&format!("{name}: further suggestion of a process"), &sorted(resident));
}

fn show(what: &str, sorted: &[f64]) {
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    println!("{what:<58} {:>9.2} {:>9.2}", at(0.5), at(0.95));
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

/// Runs the tasks in turn and returns the milliseconds of each run.
fn interleave<const N: usize>(runs: usize, tasks: [&dyn Fn() -> Duration; N]) -> [Vec<f64>; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..runs {
        for (task, times) in tasks.iter().zip(&mut times) {
            times.push(task().as_secs_f64() * 1e3);
        }
    }
    times
}

fn askline(home: &Path) -> Command {
    let mut command = Command::new(ASKLINE);
    command
        .env("HOME", home)
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("XDG_CONFIG_HOME", home.join("config"));
    command
}

trait Wait {
    /// Runs the process to its end, without output.
    fn wait(&mut self) -> Duration;
}

impl Wait for Command {
    fn wait(&mut self) -> Duration {
        self.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        self.status().unwrap();
        started.elapsed()
    }
}
