//! The program as scripts use it: arguments, output, exit codes. Add a case to this module if it needs no terminal and no
//! shell; those have their own modules.
//!
//! [`Askline`] runs the program in a home of its own with an empty environment and compares whole output streams.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::expect;

mod stats;
mod suggest;

/// One run of the program: set it up, then call [`Askline::run`].
pub(crate) struct Askline {
    home: tempfile::TempDir,
    command: Command,
    stdin: Vec<u8>,
}

/// Output of a run. Each method checks one thing and returns `self`.
pub(crate) struct Ran {
    /// Standard output, with the home directory replaced by `HOME`.
    pub(crate) stdout: String,
    /// Standard error, with the same replacement.
    pub(crate) stderr: String,
    /// Exit code; -1 if a signal ended the run.
    pub(crate) code: i32,
    home: tempfile::TempDir,
}

impl Askline {
    /// Prepares `askline` with these arguments, in an empty home directory that is also the working directory.
    pub(crate) fn new<'a>(args: impl IntoIterator<Item = &'a str>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_askline"));
        command.args(args).env_clear().current_dir(home.path());
        command.env("HOME", home.path()).env("PATH", "/usr/bin:/bin").env("COLUMNS", "100");
        for (name, folder) in [("CONFIG", "config"), ("CACHE", "cache"), ("DATA", "data"), ("STATE", "state")]
        {
            command.env(format!("XDG_{name}_HOME"), home.path().join(folder));
        }
        Self { home, command, stdin: Vec::new() }
    }

    /// Sets a variable. `HOME/` at the start of the value or after a colon is replaced by the home directory.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value.replace("HOME/", &format!("{}/", self.home.path().display())));
        self
    }

    /// Adds a file below the home directory and creates its folders.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let file = self.home.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    /// Adds our `config.toml`.
    pub(crate) fn config(self, text: &str) -> Self {
        self.file("config/askline/config.toml", text)
    }

    /// Adds a scripted model: one JSON row per line.
    pub(crate) fn model(self, rows: &str) -> Self {
        self.file("model.jsonl", rows).env("ASKLINE_MODEL", "scripted:HOME/model.jsonl")
    }

    /// Returns a path below the home directory.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    /// Sets the standard input.
    pub(crate) fn stdin(mut self, text: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        self.stdin = text.as_ref().to_owned();
        self
    }

    /// Runs through `sh -c SCRIPT`, in which RUN is replaced by the program with its arguments.
    pub(crate) fn in_sh(mut self, script: &str) -> Self {
        let mut sh = Command::new("sh");
        sh.args(["-c", &script.replace("RUN", "\"$@\""), "sh"]).arg(self.command.get_program());
        sh.args(self.command.get_args()).env_clear().current_dir(self.home.path());
        sh.envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        self.command = sh;
        self
    }

    /// Returns the command, not started, and its home directory, which lives as long as the value.
    pub(crate) fn into_command(self) -> (Command, tempfile::TempDir) {
        (self.command, self.home)
    }

    /// Runs the program to its end.
    pub(crate) fn run(mut self) -> Ran {
        use std::io::Write as _;
        let mut child =
            self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = self.stdin;
        // A thread, because the program may print much before it reads; it may also end without reading.
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join().unwrap();
        let home = self.home.path().to_str().unwrap().to_owned();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&home, "HOME");
        Ran {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code().unwrap_or(-1),
            home: self.home,
        }
    }
}

impl Ran {
    /// Checks that standard output is exactly `expected`.
    #[track_caller]
    pub(crate) fn stdout(self, expected: &str) -> Self {
        assert_eq!(self.stdout, expected, "stdout; stderr was {:?}", self.stderr);
        self
    }

    /// Checks that standard error is exactly `expected`.
    #[track_caller]
    pub(crate) fn stderr(self, expected: &str) -> Self {
        assert_eq!(self.stderr, expected, "stderr");
        self
    }

    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, expected, "stdout {:?}, stderr {:?}", self.stdout, self.stderr);
        self
    }

    /// Returns a path below the home directory.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.home.path().join(path)
    }
}

#[test]
fn version() {
    let expected = format!("askline {}\n", env!("CARGO_PKG_VERSION"));
    Askline::new(["--version"]).run().stdout(&expected).stderr("").code(0);
}

#[test]
fn help_fits_a_terminal_and_names_every_command() {
    let commands = [
        "suggest",
        "investigate",
        "init",
        "model",
        "bench",
        "config",
        "daemon",
        "doctor",
        "completions",
        "help",
    ];
    let ran = Askline::new(["--help"]).env("COLUMNS", "80").run().stderr("").code(0);
    for command in commands {
        assert!(ran.stdout.contains(&format!("\n  {command} ")), "{}", ran.stdout);
        let args = if command == "help" { ["help", "model"] } else { [command, "--help"] };
        let ran = Askline::new(args).env("COLUMNS", "80").run().stderr("").code(0);
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    }
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    assert!(!ran.stdout.contains("\n  line"), "the helper is for scripts alone");
    assert!(ran.stdout.contains("\nExit codes:\n  0    success\n"), "{}", ran.stdout);
    let again = Askline::new(["help"]).env("COLUMNS", "80").run().stderr("").code(0);
    assert_eq!(again.stdout, ran.stdout);
}

#[test]
fn without_arguments_it_says_what_can_be_done_with_it() {
    let ran = Askline::new([]).run().stdout("").code(2);
    let (_, examples) = ran.stderr.split_once("\nExamples:\n").unwrap();
    assert_eq!(examples.lines().filter(|line| line.starts_with("  ")).count(), 3, "{examples}");
    assert!(!ran.stderr.contains("Exit codes"), "the short help: {}", ran.stderr);
    for (command, example) in [("suggest", "askline suggest --lines "), ("model", "askline model use NAME")] {
        let ran = Askline::new([command, "--help"]).run().code(0);
        assert!(ran.stdout.contains(example), "{}", ran.stdout);
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    for args in [&["frobnicate"][..], &[], &["init", "tcsh"], &["suggest"], &["config", "edit"]] {
        let ran = Askline::new(args.iter().copied()).run().stdout("").code(2);
        assert!(!ran.stderr.is_empty());
    }
}

#[test]
fn config_path_and_its_variable() {
    Askline::new(["config", "path"]).run().stdout("HOME/config/askline/config.toml\n").stderr("").code(0);
    Askline::new(["config", "path"]).env("ASKLINE_CONFIG", "/x/y.toml").run().stdout("/x/y.toml\n").code(0);
}

#[test]
fn config_show_says_where_each_setting_comes_from() {
    let ran = Askline::new(["config"])
        .config("max_tokens = 7\n[profiles.team]\nprotocol = \"openai\"\nkey_cmd = \"echo hunter2\"\n")
        .env("ASKLINE_MODEL", "scripted:/replies")
        .env("ASKLINE_DEADLINE_MS", "1234")
        .run()
        .stderr("")
        .code(0);
    expect![[r##"
        # HOME/config/askline/config.toml
        # the model in use: scripted:/replies (ASKLINE_MODEL)
        adapter = "on"                                              # default
        alternatives = "ahead"                                      # default
        context.aliases = "off"                                     # default
        context.columns = "local"                                   # default
        context.contents = "local"                                  # default
        context.cwd = "off"                                         # default
        context.git = "off"                                         # default
        context.history = "off"                                     # default
        context.last = "local"                                      # default
        context.listing = "off"                                     # default
        context.looks = "local"                                     # default
        context.output = "local"                                    # default
        context.preferences = "local"                               # default
        daemon = "auto"                                             # default
        daemon_idle_min = 30                                        # default
        deadline_ms = 1234                                          # ASKLINE_DEADLINE_MS
        evidence = "open"                                           # default
        gpu = "auto"                                                # default
        guard = "off"                                               # default
        help = "system"                                             # default
        investigate.audit = "off"                                   # default
        investigate.choose = "auto"                                 # default
        investigate.commands = "never"                              # default
        investigate.draft_sees = "looks"                            # default
        investigate.local_ms = 60000                                # default
        investigate.looks_max = 12                                  # default
        investigate.served_ms = 120000                              # default
        investigate.sessions = "off"                                # default
        limits.calls = 3                                            # default
        max_tokens = 7                                              # HOME/config/askline/config.toml:1
        memory = "auto"                                             # default
        profile = "local"                                           # default
        profiles.local.name = "qwen2.5-coder-0.5b-instruct-q4_k_m"  # default
        profiles.local.protocol = "local"                           # default
        profiles.team.key_cmd = "(not shown)"                       # HOME/config/askline/config.toml:4
        profiles.team.protocol = "openai"                           # HOME/config/askline/config.toml:3
        refine_rounds = 2                                           # default
        threads = 0                                                 # default
    "##]]
    .assert_eq(&ran.stdout);
}

#[test]
fn names_from_outside_can_not_steer_the_terminal_that_shows_them() {
    let ran = Askline::new(["config", "show"])
        .env("ASKLINE_MODEL", "local:x\u{1b}]0;pwn\u{7}\nthreads = 9")
        .run()
        .code(0);
    let line = "# the model in use: local:x\\u{1b}]0;pwn\\u{7} threads = 9 (ASKLINE_MODEL)\n";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    assert!(!ran.stdout.contains(|c: char| c.is_control() && c != '\n'), "{:?}", ran.stdout);
    let ran = Askline::new(["config", "path"]).env("ASKLINE_CONFIG", "/x\u{1b}y").run().code(0);
    assert_eq!(ran.stdout, "/x\u{1b}y\n", "a program gets the path as it is");
}

#[test]
fn a_wrong_configuration_is_named_by_line_and_nearest_key() {
    let stderr = |ran: Ran| ran.stdout("").code(2).stderr;
    let faults = Askline::new(["config", "show"]).config("\ndeadline = 5\nthreads = \"all\"\n");
    expect![[r#"
        askline: HOME/config/askline/config.toml:2: unknown key `deadline`; did you mean `deadline_ms`?
        HOME/config/askline/config.toml:3: `threads` must be a whole number, not a string
    "#]]
    .assert_eq(&stderr(faults.run()));
    let missing = Askline::new(["config"]).env("ASKLINE_CONFIG", "HOME/none.toml");
    expect![[r#"
        askline: HOME/none.toml: there is no such file; create it or unset ASKLINE_CONFIG
    "#]]
    .assert_eq(&stderr(missing.run()));
    let directory = Askline::new(["config"]).env("ASKLINE_CONFIG", "HOME/");
    expect![[r#"
        askline: can't read HOME/: it is not a file; make the file readable, or name another in ASKLINE_CONFIG
    "#]]
    .assert_eq(&stderr(directory.run()));
    let twice = Askline::new(["config"]).config("threads = 1\nthreads = 2\n");
    expect![[r#"
        askline: HOME/config/askline/config.toml:2: duplicate key; remove one of the two
    "#]]
    .assert_eq(&stderr(twice.run()));
    let variable = Askline::new(["config"]).env("ASKLINE_DEADLINE_MS", "abc");
    expect![[r#"
        askline: ASKLINE_DEADLINE_MS must be a whole number from 50 to 600000, not abc; correct or unset it
    "#]]
    .assert_eq(&stderr(variable.run()));
    let no_text = Askline::new(["config"]).in_sh(
        "mkdir -p config/askline; printf 'threads = 1\\n# \\377\\n' > config/askline/config.toml; RUN",
    );
    expect![[r#"
        askline: HOME/config/askline/config.toml:2: it is not valid UTF-8; save it as UTF-8
    "#]]
    .assert_eq(&stderr(no_text.run()));
    let host = Askline::new(["config"]).env("ASKLINE_HOST", "recorded:HOME/none");
    expect![[r#"
        askline: can't read HOME/none: No such file or directory (os error 2); correct the recording or unset ASKLINE_HOST
    "#]].assert_eq(&stderr(host.run()));
    let host = Askline::new(["config"]).env("ASKLINE_HOST", "elsewhere");
    expect![[r#"
        askline: ASKLINE_HOST must be recorded:FILE, not elsewhere; correct or unset it
    "#]]
    .assert_eq(&stderr(host.run()));
    Askline::new(["config"]).env("ASKLINE_CONFIG", "/dev/null").run().stderr("").code(0);
}

/// A hostile `config.toml` or `askline.toml` in the working directory must not change the configuration, nor must
/// standard input.
#[test]
fn the_working_directory_and_stdin_are_never_configuration() {
    let text = "deadline_ms = 99\n";
    let ran = Askline::new(["config"])
        .file("config.toml", text)
        .file("askline.toml", text)
        .file(".askline.toml", text)
        .file(".askline/config.toml", text)
        .file(".env", "ASKLINE_DEADLINE_MS=99\n")
        .stdin(text)
        .run()
        .code(0);
    assert!(ran.stdout.contains("deadline_ms = 20000"), "{}", ran.stdout);
}

#[test]
fn output_that_can_not_be_written_is_told() {
    let ran = Askline::new(["config"]).in_sh("RUN > /dev/full").run().stdout("").code(1);
    expect![[r#"
        askline: can't write the output: the disk is full; free some space on it
    "#]]
    .assert_eq(&ran.stderr);
}

#[test]
fn doctor_is_content_with_a_sound_machine() {
    let ran = Askline::new(["doctor"])
        .model("{\"reply\": \"ls\"}\n")
        .env("TERM", "xterm")
        .env("LANG", "C.UTF-8")
        .file(".bashrc", "eval \"$(askline init bash)\"\n")
        .run()
        .stderr("")
        .code(0);
    let bash = ran.stdout.lines().find(|line| line.contains(" bash: ")).unwrap();
    assert!(bash.starts_with("ok ") && bash.ends_with(", set up in HOME/.bashrc:1"), "{bash}");
    assert!(!ran.stdout.contains("\nfault") && !ran.stdout.contains('\x1b'), "{}", ran.stdout);
    assert!(!ran.path("config").exists() && !ran.path("cache").exists(), "it changes nothing");
}

#[test]
fn doctor_exits_with_1_on_a_fault_and_says_what_to_do() {
    let line = |ran: &Ran, subject: &str| {
        ran.stdout
            .lines()
            .find(|line| line.starts_with(&format!("fault {subject}: ")))
            .unwrap_or("")
            .to_owned()
    };
    let ran = Askline::new(["doctor"]).config("colour = true\n").run().code(1);
    expect!["fault config file: HOME/config/askline/config.toml:1: unknown key `colour` (known here: profile, deadline_ms, max_tokens, threads, memory, gpu, adapter, evidence, guard, help, refine_rounds, alternatives, daemon, daemon_idle_min, roles, fallback, limits, context, investigate, agents, prefer, remotes, profiles)"].assert_eq(&line(&ran, "config file"));
    assert!(ran.stdout.contains(" model: "), "the model is looked at all the same: {}", ran.stdout);
    let ran = Askline::new(["doctor"]).env("ASKLINE_MODEL", "scripted:/none").run().code(1);
    expect!["fault model: can't read /none: No such file or directory (os error 2); correct the script, or name another model (ASKLINE_MODEL or the profile)"]
        .assert_eq(&line(&ran, "model"));
    let ran = Askline::new(["doctor"]).model("").file("cache", "in the way").run().code(1);
    assert_eq!(
        line(&ran, "cache directory"),
        "fault cache directory: HOME/cache/askline can't be created: HOME/cache is not writable"
    );
    let ran = Askline::new(["doctor"]).model("").env("PATH", "HOME/").run().code(1);
    expect!["fault shells: none of nu, zsh, bash and fish is on PATH"].assert_eq(&line(&ran, "shells"));
}

#[test]
fn doctor_needs_no_environment() {
    let ran = Askline::new(["doctor"]).model("").in_sh("exec env -i RUN").run().stderr("").code(1);
    assert!(ran.stdout.contains("PATH is not set; set it: no suggested command"), "{}", ran.stdout);
    let subjects: Vec<_> = ran
        .stdout
        .lines()
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.get(6..)?.split(':').next())
        .collect();
    for subject in [
        "askline",
        "system",
        "manuals",
        "config file",
        "model",
        "config directory",
        "cache directory",
        "model directory",
        "shells",
    ] {
        assert!(subjects.contains(&subject), "{subject} is not in {subjects:?}");
    }
}

#[test]
fn doctor_speaks_json() {
    let ran = Askline::new(["doctor", "--json"]).config("colour = true\n").run().stderr("").code(1);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&ran.stdout).unwrap();
    let file = rows.iter().find(|row| row["subject"] == "config file").unwrap();
    assert_eq!(file["grade"], "fault");
    assert!(file["text"].as_str().unwrap().contains("unknown key `colour`"), "{file}");
    assert!(rows.iter().all(|row| row.as_object().unwrap().len() == 4), "{rows:?}");
}

/// `doctor` examines the file named by `ASKLINE_MODEL_FILE`.
#[test]
fn doctor_finds_fault_with_a_model_file_that_is_none() {
    let ran = Askline::new(["doctor"])
        .file("m.gguf", "GGUF")
        .env("ASKLINE_MODEL_FILE", "HOME/m.gguf")
        .run()
        .code(1);
    let why = "it is cut off: it ends after 4 bytes, within its header; name another or unset it";
    let embedded = format!("fault model: ASKLINE_MODEL_FILE names HOME/m.gguf: {why}\n");
    let without = "fault model: qwen2.5-coder-0.5b-instruct-q4_k_m can't run: this program was built without";
    let expected = if cfg!(feature = "local-model") { &embedded } else { without };
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
}

/// `doctor` examines the recorded machine of a bug report, not this one.
#[test]
fn doctor_looks_at_a_recorded_machine() {
    let machine = r#"
        programs = ["/bin/busybox"]
        [system]
        os = "linux"
        release = "6.6.1"
        machine = "aarch64"
        [env]
        PATH = "/bin"
        [files]
        "/etc/os-release" = "PRETTY_NAME='Alpine Linux v3.20'"
        [links]
        "/bin/ls" = "busybox"
    "#;
    let ran = Askline::new(["doctor"])
        .model("")
        .file("machine.toml", machine)
        .env("ASKLINE_HOST", "recorded:HOME/machine.toml")
        .run()
        .stderr("")
        .code(1);
    let system = "ok    system: Alpine Linux v3.20, kernel 6.6.1, BusyBox tools, 2 commands on PATH\n";
    assert!(ran.stdout.contains(system), "{}", ran.stdout);
}
