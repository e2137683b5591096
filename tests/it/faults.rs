//! Misbehaving machines: missing or full homes, damaged files, limits, clock jumps, killed processes. In each case the key
//! answers or gives the reason in one message, none of our files is left half written, and no wait is unbounded.
//!
//! Each case runs the real helper in a real terminal, in a home of its own, with a scripted model. Faults of the resident
//! process are in `resident`, of servers in `remote::faults`, of model files in `models::tests`, of shells in `shells`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use askline_host::store;
use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::pty::Pty;

mod clock;
mod files;
mod many;
mod surroundings;
mod terminal;

/// A model script with one reply.
const LS: &str = r#"{"reply": "ls -la"}"#;
/// The message shown with that answer: none, as all of it was found.
const CHECKED: &str = "";
/// An environment variable that identifies the processes of one test place.
const MARK: &str = "ASKLINE_TEST_PLACE";

/// A home, a runtime directory and a working directory for one case.
struct Place {
    top: TempDir,
}

/// Result of a key press.
#[derive(Debug)]
struct Pressed {
    code: i32,
    /// The new prompt line, the separator and the message.
    out: String,
    /// Standard error; empty unless the helper died.
    err: String,
    took: Duration,
}

impl Place {
    fn new() -> Self {
        let place = Self { top: tempfile::Builder::new().prefix("askline-").tempdir().unwrap() };
        for name in ["home", "work", "run", "told"] {
            fs::create_dir(place.path(name)).unwrap();
        }
        set_mode(&place.path("run"), 0o700);
        place.model(LS);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.path().join(name)
    }

    /// Returns our cache directory below the home directory.
    fn cache(&self) -> PathBuf {
        self.path("home/.cache/askline")
    }

    fn stats(&self) -> PathBuf {
        self.path("home/.local/share/askline/stats")
    }

    fn presses(&self) -> PathBuf {
        self.path("run/askline/presses")
    }

    fn model(&self, rows: &str) {
        fs::write(self.path("model"), rows).unwrap();
    }

    /// Starts one key press with these words on the prompt line. First `sh` runs `before`, with the helper and its
    /// arguments in `$@`, which it may change; `$top` is the place.
    fn start(&self, words: &str, before: &str) -> Pty {
        let script = format!(
            r#"
            cd "$top/work"
            {{ {{
                printf '%s' "$words" | {{
                    set -- "$helper" line --shell bash --draw below
                    {before}
                    exec "$@"
                }} 2>"$top/told/err"
                echo $? >&3
            }} | cat >"$top/told/out"; }} 3>&1 | cat >"$top/told/code"
            "#
        );
        self.terminal(&script, &[("words", words)])
    }

    /// Starts a terminal in which `sh` runs a script.
    fn terminal(&self, script: &str, more: &[(&str, &str)]) -> Pty {
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", script]);
        command.env_clear();
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        for (name, value) in [("TERM", "xterm-256color"), ("top", self.top.path().to_str().unwrap())] {
            command.env(name, value);
        }
        for (name, value) in more {
            command.env(name, value);
        }
        command.env("helper", env!("CARGO_BIN_EXE_askline"));
        Pty::start(12, 100, command)
    }

    fn environment(&self) -> [(&'static str, String); 6] {
        let here = |name: &str| self.path(name).display().to_string();
        [
            ("HOME", here("home")),
            ("XDG_RUNTIME_DIR", here("run")),
            ("PATH", "/usr/bin:/bin".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("ASKLINE_MODEL", format!("scripted:{}", here("model"))),
            (MARK, here("")),
        ]
    }

    /// Returns a command that runs the program without a terminal.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_askline"));
        command.args(args).env_clear().envs(self.environment()).current_dir(self.path("work"));
        command
    }

    /// Runs one key press to its end.
    #[track_caller]
    fn press_on(&self, words: &str, before: &str) -> Pressed {
        let started = Instant::now();
        let mut pty = self.start(words, before);
        pty.wait_exit();
        self.pressed(started)
    }

    /// Returns the result of the press that has ended.
    fn pressed(&self, started: Instant) -> Pressed {
        let told = |name: &str| {
            String::from_utf8(fs::read(self.path("told").join(name)).unwrap_or_default()).unwrap()
        };
        let code = told("code").trim().parse().unwrap_or(-1);
        Pressed { code, out: told("out"), err: told("err"), took: started.elapsed() }
    }

    /// Runs one key press for which the model has an answer.
    #[track_caller]
    fn press(&self, before: &str) -> Pressed {
        self.press_on("list files", before)
    }

    /// Checks that a press without faults gets its answer.
    #[track_caller]
    fn is_well(&self) {
        self.press("").answers();
    }

    /// Returns the counted usage.
    #[track_caller]
    fn counts(&self) -> serde_json::Value {
        let text = fs::read_to_string(self.stats().join("counts")).unwrap();
        serde_json::from_str(text.split_once('\n').unwrap().1).unwrap()
    }

    /// Returns the number of presses counted.
    #[track_caller]
    fn counted(&self) -> u64 {
        self.counts()["total"]["presses"].as_u64().unwrap()
    }

    /// Checks that every file of ours is complete. Returns their number, and the number of temporary files left over.
    #[track_caller]
    fn sound(&self) -> (usize, usize) {
        let (mut whole, mut temporary) = (0, 0);
        for directory in [
            self.cache(),
            self.cache().join("knowledge"),
            self.stats(),
            self.presses(),
            self.path("run/askline"),
        ] {
            let Ok(entries) = fs::read_dir(&directory) else { continue };
            for entry in entries {
                let entry = entry.unwrap();
                // Already removed: a temporary file of a process that is still at work.
                let Ok(found) = entry.metadata() else { continue };
                let name = entry.file_name().into_string().unwrap();
                if name.starts_with(".tmp-") {
                    temporary += 1;
                } else if found.is_file() && !name.contains("lock") && !name.contains(".bad-") {
                    let Ok(bytes) = fs::read(entry.path()) else { continue };
                    assert!(
                        is_whole(&name, &directory, &bytes),
                        "{}: {}",
                        entry.path().display(),
                        bytes.escape_ascii()
                    );
                    whole += 1;
                }
            }
        }
        (whole, temporary)
    }

    /// Makes the temporary files of killed processes older than those of any process that still writes.
    fn ages_temporary_files(&self) {
        let then = SystemTime::now() - Duration::from_hours(2);
        for directory in [self.cache(), self.cache().join("knowledge"), self.stats(), self.presses()] {
            let entries = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
            for path in
                entries.filter(|path| path.file_name().unwrap().as_encoded_bytes().starts_with(b".tmp-"))
            {
                fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
            }
        }
    }

    /// Returns the processes that were started in this place and are still alive, without zombies.
    fn processes(&self) -> Vec<i32> {
        let needle = format!("{MARK}={}", self.path("").display());
        let all = fs::read_dir("/proc").unwrap();
        all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|pid: &i32| {
                let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environ.split(|byte| *byte == 0).any(|variable| variable == needle.as_bytes())
            })
            .collect()
    }
}

impl Pressed {
    /// Checks that the press answers as if nothing were wrong.
    #[track_caller]
    fn answers(self) -> Self {
        self.is(0, "ls -la", CHECKED)
    }

    /// Checks the exit code, line and message, and that stderr is empty.
    #[track_caller]
    fn is(self, code: i32, line: &str, message: &str) -> Self {
        assert_eq!(
            (self.code, self.out.as_str()),
            (code, format!("{line}\u{1f}{message}").as_str()),
            "{self:?}"
        );
        assert_eq!(self.err, "");
        self
    }

    /// Checks that the press gives a line, with any message.
    #[track_caller]
    fn gives(self, line: &str) -> Self {
        let (given, _) = self.out.split_once('\u{1f}').unwrap_or_else(|| panic!("{self:?}"));
        assert!(given == line && self.code == 0 && self.err.is_empty(), "{self:?}");
        self
    }

    /// Checks that the press keeps the line and gives the reason, in at most three rows.
    #[track_caller]
    fn says(self, why: &str) -> Self {
        let message = self.out.strip_prefix("\u{1f}askline: ").unwrap_or_else(|| panic!("{self:?}"));
        assert!(self.code == 3 && self.err.is_empty() && message.lines().count() <= 3, "{self:?}");
        assert!(message.replace('\n', " ").contains(why), "{self:?}");
        self
    }
}

/// Reports whether one of our files was written to its end.
fn is_whole(name: &str, directory: &Path, bytes: &[u8]) -> bool {
    let is_summed = |kind, version| store::summed_body(bytes, kind, version).is_some();
    match directory.file_name().and_then(|name| name.to_str()) {
        Some("stats") => is_summed("stats", 1),
        Some("presses") => is_summed("press", 2),
        Some("knowledge") => is_summed("knowledge", 2),
        _ if name == "commands" => is_summed("commands", 3),
        _ => name.starts_with("resident."),
    }
}

/// A pseudo-random number generator with the same sequence in each run.
struct Dice(u64);

impl Default for Dice {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Dice {
    /// Returns a number below `end`.
    fn roll(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Prints a measured figure in a way that the test harness does not capture.
fn figure(text: &str) {
    std::io::stderr().write_all(format!("figure: {text}\n").as_bytes()).unwrap();
}

/// Checks that a press took no longer than others, except for what a busy machine explains.
#[track_caller]
fn is_as_quick(took: Duration, others: Duration) {
    assert!(took < 3 * others + Duration::from_secs(1), "{others:?}, but {took:?} here");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}

/// Sends a signal to one process.
fn signal(pid: i32, signal: rustix::process::Signal) {
    let _ = rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal);
}

/// Reports whether this machine lets us mount file systems in a private namespace, and prints a note if not. A non-root
/// user is root inside it, and the real root appears as the user nobody. So no program is trusted there, and messages
/// beside an answer are short.
fn can_mount() -> bool {
    let can = Command::new("unshare")
        .args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"])
        .output()
        .is_ok_and(|ran| ran.status.success());
    if !can {
        crate::parser::skipped("file systems can't be tried here: `unshare -rm mount` is refused");
    }
    can
}
