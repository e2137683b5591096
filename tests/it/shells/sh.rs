//! A shell under test: its start-up files, its terminal, and what a person does in it.

use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use askline::shell::Shell;
use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::pty::Pty;

/// Every prompt ends with this, and nothing else prints it.
const PROMPT: &str = "READY> ";
/// Longest wait for a file to appear.
const PATIENCE: Duration = Duration::from_secs(20);
/// When keys that may have been dropped are sent again.
pub(super) const SECOND_TRY: Duration = Duration::from_millis(1500);
/// How often it is looked for.
const TICK: Duration = Duration::from_millis(10);

/// A shell that is about to start, in a home of its own.
pub(crate) struct Setup {
    /// Which one.
    pub(crate) shell: Shell,
    program: PathBuf,
    home: TempDir,
    init: Vec<String>,
    before: String,
    after: String,
    variables: Vec<(String, String)>,
}

/// A shell that is running, at its prompt.
pub(crate) struct Sh {
    /// Its terminal.
    pub(crate) pty: Pty,
    /// Which one.
    pub(crate) shell: Shell,
    home: TempDir,
}

impl Setup {
    /// A shell of this machine with the defaults, or none when it is missing, which only a person's machine may do.
    pub(crate) fn of(shell: Shell) -> Option<Self> {
        let Ok(program) = which::which(shell.name()) else {
            assert!(std::env::var_os("CI").is_none(), "{shell} is not installed");
            let _ = writeln!(std::io::stderr(), "SKIPPED: {shell} is not installed");
            return None;
        };
        Some(Self::with(shell, program))
    }

    /// A shell that is this program.
    pub(crate) fn with(shell: Shell, program: PathBuf) -> Self {
        let home = TempDir::new().unwrap();
        fs::create_dir(home.path().join("bin")).unwrap();
        DirBuilder::new().mode(0o700).create(home.path().join("run")).unwrap();
        symlink(env!("CARGO_BIN_EXE_askline"), home.path().join("bin/askline")).unwrap();
        let (before, after) = (String::new(), String::new());
        Self { shell, program, home, init: Vec::new(), before, after, variables: Vec::new() }
    }

    /// The home directory, which is also where the shell starts.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// What a scripted model says, rows of `scripted:FILE`.
    pub(crate) fn model(self, rows: &str) -> Self {
        fs::write(self.home().join("model"), rows).unwrap();
        self
    }

    /// Puts a program of the test in the helper's place: a body for `sh`, which finds the line in `seen` and its
    /// arguments in `arguments`.
    pub(crate) fn helper(self, body: &str) -> Self {
        let script = format!(
            "#!/bin/sh\ncat >\"$HOME/seen.$$\"\nmv \"$HOME/seen.$$\" \"$HOME/seen\"\n\
                 printf '%s\\n' \"$*\" >\"$HOME/arguments.$$\"\nmv \"$HOME/arguments.$$\" \"$HOME/arguments\"\n{body}\n"
        );
        let path = self.home().join("fake/askline");
        fs::create_dir(self.home().join("fake")).unwrap();
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// A helper that answers with exactly this text, or without one.
    pub(crate) fn answers(self, text: &str) -> Self {
        fs::write(self.home().join("answer"), text).unwrap();
        self.helper(r#"cat "$HOME/answer"; printf '\037'; [ -s "$HOME/answer" ] || exit 3"#)
    }

    /// Options for `askline init`.
    pub(crate) fn init(mut self, options: &[&str]) -> Self {
        self.init = options.iter().map(ToString::to_string).collect();
        self
    }

    /// What the start-up file of this shell does before it loads the script.
    pub(crate) fn before(mut self, text_of: impl Fn(Shell) -> &'static str) -> Self {
        self.before = text_of(self.shell).to_owned();
        self
    }

    /// What it does afterwards.
    pub(crate) fn after(mut self, text_of: impl Fn(Shell) -> &'static str) -> Self {
        self.after = text_of(self.shell).to_owned();
        self
    }

    /// Sets a variable of the environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What `askline init` prints for it.
    pub(crate) fn script(&self) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_askline"))
            .args(["init", self.shell.name()])
            .args(&self.init)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", self.home().join("bin"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Writes the start-up files and starts the shell, without waiting for its prompt.
    pub(crate) fn launch(self) -> Sh {
        let script = self.script();
        self.launch_with(&script)
    }

    /// As `launch`, with a script that may differ from the one `init` printed.
    pub(crate) fn launch_with(self, script: &str) -> Sh {
        let home = self.home.path().to_owned();
        let (before, after) = (&self.before, &self.after);
        let write = |name: &str, text: String| {
            let path = home.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("script", script.to_owned());
        match self.shell {
            Shell::Zsh => {
                write(
                    ".zshrc",
                    format!("PROMPT='{PROMPT}'\n{before}\neval \"$(<\"$HOME/script\")\"\n{after}\n"),
                );
            }
            Shell::Bash => {
                write(
                    ".bashrc",
                    format!("PS1='{PROMPT}'\n{before}\neval \"$(<\"$HOME/script\")\"\n{after}\n"),
                );
            }
            Shell::Fish => {
                let prompt = format!(
                    "function fish_prompt; builtin printf '{PROMPT}'; end; set -g fish_greeting; \
                     set -g fish_autosuggestion_enabled 0"
                );
                write(
                    "config/fish/config.fish",
                    format!("{prompt}\n{before}\nsource $HOME/script\n{after}\n"),
                );
            }
            Shell::Nu => {
                let prompt = format!(
                    "$env.config.show_banner = false; $env.PROMPT_COMMAND = {{|| '{PROMPT}'}}\n\
                     $env.PROMPT_COMMAND_RIGHT = {{|| ''}}; $env.PROMPT_INDICATOR = ''\n\
                     $env.PROMPT_INDICATOR_VI_INSERT = ''; $env.PROMPT_INDICATOR_VI_NORMAL = ''\n"
                );
                write("config/nushell/config.nu", format!("{prompt}\n{before}\n"));
                write("config/nushell/env.nu", String::new());
                write("config/nushell/autoload/after.nu", after.clone());
                write("data/nushell/vendor/autoload/askline.nu", script.to_owned());
            }
        }
        let mut command = CommandBuilder::new(&self.program);
        match self.shell {
            Shell::Zsh => command.args(["-d", "-i"]),
            Shell::Bash => command.args(["--noprofile", "--rcfile", ".bashrc", "-i"]),
            Shell::Fish | Shell::Nu => {}
        }
        command.cwd(&home);
        command.env_clear();
        let here = |name: &str| home.join(name).display().to_string();
        for (name, value) in [
            ("HOME", here("")),
            ("ZDOTDIR", here("")),
            ("XDG_CONFIG_HOME", here("config")),
            ("XDG_DATA_HOME", here("data")),
            ("XDG_CACHE_HOME", here("cache")),
            ("XDG_RUNTIME_DIR", here("run")),
            ("PATH", format!("{}:{}:{}", here("fake"), here("bin"), std::env::var("PATH").unwrap())),
            ("TERM", "xterm-256color".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("ASKLINE_MODEL", format!("scripted:{}", here("model"))),
            // What is told where all is well has tests of its own.
            ("ASKLINE_EVIDENCE", "wrong".to_owned()),
        ] {
            command.env(name, value);
        }
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        Sh { pty: Pty::start(24, 80, command), shell: self.shell, home: self.home }
    }

    /// Starts the shell and waits for its prompt.
    #[track_caller]
    pub(crate) fn start(self) -> Sh {
        let sh = self.launch();
        sh.expect("");
        sh
    }
}

impl Sh {
    /// The home directory.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Changes what the model says from now on.
    pub(crate) fn model(&self, rows: &str) {
        fs::write(self.home().join("model"), rows).unwrap();
    }

    /// Types words at the prompt and sees them there.
    #[track_caller]
    pub(crate) fn types(&self, words: &str) {
        self.pty.send(words);
        self.expect(words);
    }

    /// Types words and waits for what is suggested behind them; they may never be seen without it.
    #[track_caller]
    pub(super) fn suggests(&self, words: &str, shown: &str) {
        self.pty.send(words);
        self.expect(shown);
    }

    /// Presses the key.
    pub(crate) fn press(&self) {
        self.pty.send("\x07");
    }

    /// Types words and presses the key.
    #[track_caller]
    pub(crate) fn asks(&self, words: &str) {
        self.types(words);
        self.press();
    }

    /// Takes one change back.
    pub(crate) fn undo(&self) {
        self.pty.send(match self.shell {
            Shell::Zsh | Shell::Bash => "\x1f",
            Shell::Fish => "\x1a",
            Shell::Nu => "\x1a\x1a",
        });
    }

    /// Types until the line is this; the first keys may be dropped, for the helper may not have quite ended.
    #[track_caller]
    pub(crate) fn insists(&self, keys: &str, line: &str) {
        self.sends_until(keys, SECOND_TRY, || last_line(&self.pty.screen()) == line);
    }

    /// Presses the key until it did something. Pressed twice by mistake it cancels itself, and is pressed once more.
    #[track_caller]
    pub(crate) fn presses_until(&self, done: impl Fn() -> bool) {
        self.sends_until("\x07", SECOND_TRY, done);
    }

    /// Presses the key and returns the line that the test's helper got, and the facts behind it.
    #[track_caller]
    pub(crate) fn presses_and_sees(&self) -> (String, String) {
        let _ = fs::remove_file(self.home().join("arguments"));
        self.sends_until("\x07", SECOND_TRY / 6, || self.home().join("arguments").exists());
        self.seen()
    }

    /// What the test's helper got.
    #[track_caller]
    pub(crate) fn seen(&self) -> (String, String) {
        let seen = self.wait_file("seen");
        let (line, facts) = seen.split_once('\0').unwrap();
        (line.to_owned(), facts.to_owned())
    }

    #[track_caller]
    pub(super) fn sends_until(&self, keys: &str, every: Duration, done: impl Fn() -> bool) {
        let started = Instant::now();
        while !done() {
            assert!(started.elapsed() < PATIENCE, "{keys:?} did nothing; {}", self.pty.describe());
            self.pty.send(keys);
            let sent = Instant::now();
            while sent.elapsed() < every && !done() {
                std::thread::sleep(TICK);
            }
        }
    }

    /// Moves the cursor to the start of the line.
    pub(crate) fn home_key(&self) {
        self.pty.send("\x01");
    }

    /// Waits until exactly this stands after the last prompt.
    #[track_caller]
    pub(crate) fn expect(&self, line: &str) {
        self.pty.wait(&format!("the line {line:?}"), |screen| {
            screen.contains(PROMPT.trim_end()) && last_line(screen) == line
        });
    }

    /// Waits until exactly this stands on the cursor's row, whatever stands around it.
    #[track_caller]
    pub(crate) fn expect_line(&self, line: &str) {
        let row = format!("{PROMPT}{line}");
        self.pty.wait(&format!("the cursor's row {line:?}"), |_| {
            self.pty.cursor_row().trim_end() == row.trim_end()
        });
    }

    /// Waits until this is all that stands on the screen.
    #[track_caller]
    pub(crate) fn expect_whole(&self, screen: &str) {
        self.pty.wait(&format!("nothing but {screen:?}"), |seen| seen.trim() == screen);
    }

    /// Waits until the helper shows that it works.
    #[track_caller]
    pub(crate) fn expect_busy(&self) {
        self.pty.wait_for("Esc keeps your line");
    }

    /// Clears the line and runs a command; returns what it left in `out`. To be called at a prompt: what is typed before
    /// one is echoed by the terminal first and puts the prompt elsewhere.
    #[track_caller]
    pub(crate) fn runs(&self, command: &str) -> String {
        let _ = fs::remove_file(self.home().join("done"));
        let keys = format!("\x05\x15{command}");
        let row = format!("{PROMPT}{command}");
        // On the cursor's row: the same command may stand further up from the time before.
        self.sends_until(&keys, SECOND_TRY, || self.pty.cursor_row().trim_end() == row);
        self.pty.send("\r");
        self.wait_file("done");
        fs::read_to_string(self.home().join("out")).unwrap_or_default()
    }

    /// Shows that the shell still runs commands, after which whatever it was going to run has been run.
    #[track_caller]
    pub(crate) fn is_well(&self) {
        self.runs("touch done");
    }

    /// Waits for a file in the home directory and returns its text.
    #[track_caller]
    pub(crate) fn wait_file(&self, name: &str) -> String {
        let started = Instant::now();
        loop {
            if let Ok(text) = fs::read_to_string(self.home().join(name)) {
                return text;
            }
            assert!(started.elapsed() < PATIENCE, "no file {name}; {}", self.pty.describe());
            std::thread::sleep(TICK);
        }
    }

    /// Nothing made this file.
    #[track_caller]
    pub(crate) fn lacks(&self, name: &str) {
        assert!(!self.home().join(name).exists(), "{name} exists; {}", self.pty.describe());
    }
}

/// What stands after the last prompt on a screen, but for a message below it.
fn last_line(screen: &str) -> &str {
    let after = screen.rsplit(PROMPT.trim_end()).next().unwrap_or_default();
    after.split("\naskline: ").next().unwrap_or_default().trim()
}
