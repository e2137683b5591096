//! A shell under test: its start-up files, its terminal, and the actions of a user in it.

use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use askline_host::find_on_path;
use askline_host::local::LocalHost;
use askline_syntax::shell::Shell;
use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::pty::Pty;

/// The end of every prompt; nothing else prints it.
const PROMPT: &str = "READY> ";
/// The start of every message.
const MESSAGE: &str = "askline: ";
/// Longest wait for a file to appear.
const PATIENCE: Duration = Duration::from_secs(20);
/// Delay before keys that may have been dropped are sent again.
pub(super) const SECOND_TRY: Duration = Duration::from_millis(1500);
/// Time after which a suggestion that is not there waits for another key.
const HELD_KEY_WAIT: Duration = Duration::from_secs(8);
/// Interval between two looks for the file.
const TICK: Duration = Duration::from_millis(10);

/// A shell that is about to start, in a home of its own.
pub(crate) struct Setup {
    /// The kind of shell.
    pub(crate) shell: Shell,
    program: PathBuf,
    home: TempDir,
    init: Vec<String>,
    before: String,
    after: String,
    variables: Vec<(String, String)>,
}

/// A running shell, at its prompt.
pub(crate) struct Sh {
    /// Its terminal.
    pub(crate) pty: Pty,
    /// The kind of shell.
    pub(crate) shell: Shell,
    home: TempDir,
}

impl Setup {
    /// Returns an installed shell with the defaults; `None` if it is missing, which only a developer's machine may do.
    pub(crate) fn of(shell: Shell) -> Option<Self> {
        let Some(program) = find_on_path(&LocalHost, shell.name()) else {
            assert!(std::env::var_os("CI").is_none(), "{shell} is not installed");
            let _ = writeln!(std::io::stderr(), "SKIPPED: {shell} is not installed");
            return None;
        };
        Some(Self::with(shell, program))
    }

    /// Returns a shell with this program.
    pub(crate) fn with(shell: Shell, program: PathBuf) -> Self {
        let home = TempDir::new().unwrap();
        fs::create_dir(home.path().join("bin")).unwrap();
        DirBuilder::new().mode(0o700).create(home.path().join("run")).unwrap();
        symlink(env!("CARGO_BIN_EXE_askline"), home.path().join("bin/askline")).unwrap();
        let (before, after) = (String::new(), String::new());
        Self { shell, program, home, init: Vec::new(), before, after, variables: Vec::new() }
    }

    /// Returns the home directory, which is also the shell's working directory at the start.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Sets the replies of a scripted model, as rows of `scripted:FILE`.
    pub(crate) fn model(self, rows: &str) -> Self {
        fs::write(self.home().join("model"), rows).unwrap();
        self
    }

    /// Replaces the helper by a test program: a body for `sh`, which finds the line in `seen` and its arguments in
    /// `arguments`.
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

    /// Uses a helper that answers with exactly this text, or without a line.
    pub(crate) fn answers(self, text: &str) -> Self {
        fs::write(self.home().join("answer"), text).unwrap();
        self.helper(r#"cat "$HOME/answer"; printf '\037'; [ -s "$HOME/answer" ] || exit 3"#)
    }

    /// Sets options for `askline init`.
    pub(crate) fn init(mut self, options: &[&str]) -> Self {
        self.init = options.iter().map(ToString::to_string).collect();
        self
    }

    /// Sets the commands of the start-up file before it loads the script.
    pub(crate) fn before(mut self, text_of: impl Fn(Shell) -> &'static str) -> Self {
        self.before = text_of(self.shell).to_owned();
        self
    }

    /// Sets the commands of the start-up file after it loads the script.
    pub(crate) fn after(mut self, text_of: impl Fn(Shell) -> &'static str) -> Self {
        self.after = text_of(self.shell).to_owned();
        self
    }

    /// Sets an environment variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the output of `askline init` for this shell.
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

    /// Like `launch`, with a script that may differ from the output of `init`.
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
            // The message for a correct answer has its own tests.
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
    /// Returns the home directory.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Sets the model's replies from now on.
    pub(crate) fn model(&self, rows: &str) {
        fs::write(self.home().join("model"), rows).unwrap();
    }

    /// Types words at the prompt and waits until they are visible.
    #[track_caller]
    pub(crate) fn types(&self, words: &str) {
        self.pty.send(words);
        self.expect(words);
    }

    /// Types words and waits for the suggestion behind them; the words alone may never be visible.
    #[track_caller]
    pub(super) fn suggests(&self, words: &str, shown: &str) {
        self.pty.send(words);
        // zsh holds a key back until the next one if it comes while a handler of `zle -F` runs. No person types so fast.
        let started = Instant::now();
        let is_shown = || self.pty.cursor_row().contains(shown);
        while !is_shown() && started.elapsed() < HELD_KEY_WAIT {
            std::thread::sleep(TICK);
        }
        if !is_shown() {
            self.pty.send("\x05");
        }
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

    /// Undoes one change.
    pub(crate) fn undo(&self) {
        self.pty.send(match self.shell {
            Shell::Zsh | Shell::Bash => "\x1f",
            Shell::Fish => "\x1a",
            Shell::Nu => "\x1a\x1a",
        });
    }

    /// Types until the line is `line`; the first keys may be dropped, because the helper may not have quite ended.
    #[track_caller]
    pub(crate) fn insists(&self, keys: &str, line: &str) {
        self.sends_until(keys, SECOND_TRY, || last_line(&self.pty.screen()) == line);
    }

    /// Presses the key until it has an effect. A second press by mistake cancels the first, and the key is pressed once
    /// more.
    #[track_caller]
    pub(crate) fn presses_until(&self, done: impl Fn() -> bool) {
        self.sends_until("\x07", SECOND_TRY, done);
    }

    /// Presses the key and returns the line that the test's helper got, and the shell facts after it.
    #[track_caller]
    pub(crate) fn presses_and_sees(&self) -> (String, String) {
        let _ = fs::remove_file(self.home().join("arguments"));
        self.sends_until("\x07", SECOND_TRY / 6, || self.home().join("arguments").exists());
        self.seen()
    }

    /// Returns what the test's helper got.
    #[track_caller]
    pub(crate) fn seen(&self) -> (String, String) {
        let seen = self.wait_file("seen");
        let (line, facts) = seen.split_once('\0').unwrap();
        (line.to_owned(), facts.to_owned())
    }

    #[track_caller]
    pub(crate) fn sends_until(&self, keys: &str, every: Duration, done: impl Fn() -> bool) {
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

    /// Waits until the text after the last prompt is exactly `line`.
    #[track_caller]
    pub(crate) fn expect(&self, line: &str) {
        self.pty.wait(&format!("the line {line:?}"), |screen| {
            screen.contains(PROMPT.trim_end()) && last_line(screen) == line
        });
    }

    /// Waits until the text of the cursor's row is exactly `line`, whatever is around it. In zsh a message comes between
    /// prompt and line.
    #[track_caller]
    pub(crate) fn expect_line(&self, line: &str) {
        let row = format!("{PROMPT}{line}");
        self.pty.wait(&format!("the cursor's row {line:?}"), |screen| {
            let seen = self.pty.cursor_row();
            let is_below = self.shell == Shell::Zsh && screen.contains(&format!("{PROMPT}{MESSAGE}"));
            seen.trim_end() == row.trim_end() || is_below && seen.trim_end() == line
        });
    }

    /// Waits until the screen shows exactly `screen`.
    #[track_caller]
    pub(crate) fn expect_whole(&self, screen: &str) {
        self.pty.wait(&format!("nothing but {screen:?}"), |seen| seen.trim() == screen);
    }

    /// Waits until the helper shows that it works.
    #[track_caller]
    pub(crate) fn expect_busy(&self) {
        self.pty.wait_for("Esc keeps your line");
    }

    /// Clears the line and runs a command that ends with `touch done`; returns what it wrote to `out`. Call it at a
    /// prompt: the terminal echoes text typed before a prompt first, which moves the prompt. Waits for the next prompt,
    /// unless the command ended the shell.
    #[track_caller]
    pub(crate) fn runs(&self, command: &str) -> String {
        let _ = fs::remove_file(self.home().join("done"));
        let keys = format!("\x05\x15{command}");
        let row = format!("{PROMPT}{command}");
        // On the cursor's row: the same command may be further up from an earlier run.
        self.sends_until(&keys, SECOND_TRY, || {
            let seen = self.pty.cursor_row();
            seen.trim_end() == row || self.shell == Shell::Zsh && seen.trim_end() == command
        });
        self.pty.send("\r");
        self.wait_file("done");
        let written = Instant::now();
        while self.pty.cursor_row().trim_end() != PROMPT.trim_end() && written.elapsed() < SECOND_TRY {
            std::thread::sleep(TICK);
        }
        fs::read_to_string(self.home().join("out")).unwrap_or_default()
    }

    /// Checks that the shell still runs commands; by then any earlier command has run.
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

    /// Checks that this file does not exist.
    #[track_caller]
    pub(crate) fn lacks(&self, name: &str) {
        assert!(!self.home().join(name).exists(), "{name} exists; {}", self.pty.describe());
    }
}

/// Returns the text after the last prompt on a screen, without a message below it or, in one row, between them.
fn last_line(screen: &str) -> &str {
    let after = screen.rsplit(PROMPT.trim_end()).next().unwrap_or_default();
    let is_message = after.trim_start().starts_with(MESSAGE);
    let after = if is_message { after.split_once('\n').map_or("", |(_, line)| line) } else { after };
    after.split(&format!("\n{MESSAGE}")).next().unwrap_or_default().trim()
}
