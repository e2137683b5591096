//! The program as scripts use it: arguments, output, exit codes. Add a case here when it needs no terminal and no
//! shell; those have modules of their own.
//!
//! [`Askline`] runs the program in a home of its own with an empty environment and compares whole streams.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::expect;

/// One run of the program: describe it, then [`Askline::run`] it.
pub(crate) struct Askline {
    home: tempfile::TempDir,
    command: Command,
    stdin: Vec<u8>,
}

/// What a run printed; each method checks one thing and gives the run back.
pub(crate) struct Ran {
    /// Standard output, with the home directory written as `HOME`.
    pub(crate) stdout: String,
    /// Standard error, likewise.
    pub(crate) stderr: String,
    /// The exit code; -1 when a signal ended it.
    pub(crate) code: i32,
    home: tempfile::TempDir,
}

impl Askline {
    /// `askline` with these arguments, in an empty home directory that is also the working directory.
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

    /// With a variable; `HOME/` at the start of the value, or after a colon, stands for the home directory.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value.replace("HOME/", &format!("{}/", self.home.path().display())));
        self
    }

    /// With a file below the home directory, its folders made as needed.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let file = self.home.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    /// With our `config.toml`.
    pub(crate) fn config(self, text: &str) -> Self {
        self.file("config/askline/config.toml", text)
    }

    /// With a scripted model: one JSON row per line.
    pub(crate) fn model(self, rows: &str) -> Self {
        self.file("model.jsonl", rows).env("ASKLINE_MODEL", "scripted:HOME/model.jsonl")
    }

    /// With text on standard input.
    pub(crate) fn stdin(mut self, text: &str) -> Self {
        self.stdin = text.into();
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(mut self) -> Ran {
        use std::io::Write as _;
        let mut child =
            self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = self.stdin;
        // A thread, as the program may print much before it reads; it may also end without reading.
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
    /// Standard output is exactly this.
    #[track_caller]
    pub(crate) fn stdout(self, expected: &str) -> Self {
        assert_eq!(self.stdout, expected, "stdout; stderr was {:?}", self.stderr);
        self
    }

    /// Standard error is exactly this.
    #[track_caller]
    pub(crate) fn stderr(self, expected: &str) -> Self {
        assert_eq!(self.stderr, expected, "stderr");
        self
    }

    /// The exit code is this.
    #[track_caller]
    pub(crate) fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, expected, "stdout {:?}, stderr {:?}", self.stdout, self.stderr);
        self
    }

    /// Where a path below the home directory is.
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
    let commands = ["suggest", "init", "model", "config", "doctor", "completions"];
    let ran = Askline::new(["--help"]).env("COLUMNS", "80").run().stderr("").code(0);
    for command in commands {
        assert!(ran.stdout.contains(&format!("\n  {command} ")), "{}", ran.stdout);
        let ran = Askline::new([command, "--help"]).env("COLUMNS", "80").run().stderr("").code(0);
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    }
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    assert!(!ran.stdout.contains("\n  line"), "the helper is for scripts alone");
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
        # the model in use: scripted:/replies
        deadline_ms = 1234                           # ASKLINE_DEADLINE_MS
        max_tokens = 7                               # HOME/config/askline/config.toml:1
        profile = "local"                            # default
        profiles.local.name = "qwen2.5-coder-1.5b-instruct-q4_k_m" # default
        profiles.local.protocol = "local"            # default
        profiles.team.key_cmd = "(not shown)"        # HOME/config/askline/config.toml:4
        profiles.team.protocol = "openai"            # HOME/config/askline/config.toml:3
        threads = 0                                  # default
    "##]]
    .assert_eq(&ran.stdout);
}

#[test]
fn names_from_outside_can_not_steer_the_terminal_that_shows_them() {
    let ran = Askline::new(["config", "show"])
        .env("ASKLINE_MODEL", "local:x\u{1b}]0;pwn\u{7}\nthreads = 9")
        .run()
        .code(0);
    let line = "# the model in use: local:x\\u{1b}]0;pwn\\u{7} threads = 9\n";
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
        askline: can't read HOME/: it is not a file
    "#]]
    .assert_eq(&stderr(directory.run()));
    let host = Askline::new(["config"]).env("ASKLINE_HOST", "elsewhere");
    expect![[r#"
        askline: ASKLINE_HOST must be recorded:FILE, not elsewhere
    "#]]
    .assert_eq(&stderr(host.run()));
    Askline::new(["config"]).env("ASKLINE_CONFIG", "/dev/null").run().stderr("").code(0);
}

/// A clone with a hostile `config.toml` or `askline.toml` in it must not redirect anything, nor must what is piped in.
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
    expect!["fault configuration: HOME/config/askline/config.toml:1: unknown key `colour`; known here: profile, deadline_ms, max_tokens, threads, profiles"].assert_eq(&line(&ran, "configuration"));
    let ran = Askline::new(["doctor"]).env("ASKLINE_MODEL", "scripted:/none").run().code(1);
    expect!["fault model: can't read /none: No such file or directory (os error 2)"]
        .assert_eq(&line(&ran, "model"));
    let ran = Askline::new(["doctor"]).model("").file("cache", "in the way").run().code(1);
    assert_eq!(
        line(&ran, "cache"),
        "fault cache: HOME/cache/askline can't be made: HOME/cache can't be written"
    );
    let ran = Askline::new(["doctor"]).model("").env("PATH", "HOME/").run().code(1);
    expect!["fault shells: none of nu, zsh, bash and fish is on PATH"].assert_eq(&line(&ran, "shells"));
}

/// A bug report's machine in place of this one.
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

#[test]
fn suggest_answers_each_row_of_a_file() {
    let rows = "{\"reply\": \"ls\", \"must_contain\": \"# list files\"}\n{\"reply\": \"pwd\"}\n";
    Askline::new(["suggest", "--shell", "bash", "--lines", "-"])
        .model(rows)
        .stdin("list files\n\nwhere am i\n")
        .run()
        .stderr("")
        .stdout("ls\npwd\n")
        .code(0);
}

#[test]
fn suggest_stops_where_its_rows_cannot_be_read() {
    let ran = Askline::new(["suggest", "--lines", "."]).model("").run().stdout("").code(1);
    assert!(ran.stderr.starts_with("askline: the requests can't be read further"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn suggest_prints_one_json_object_a_row_also_for_failures() {
    let ran = Askline::new(["suggest", "--json", "--shell", "fish", "--lines", "-"])
        .model("{\"reply\": \"du -sh .\"}\n{\"reply\": \"I can't help with that.\"}\n")
        .stdin("how big is this\nsomething bad")
        .run()
        .stderr("");
    let rows: Vec<serde_json::Value> =
        ran.stdout.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let fields: Vec<_> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    let mut contract = vec![
        "request",
        "command",
        "shell",
        "confidence",
        "risk",
        "checks",
        "changes",
        "rounds",
        "alternatives",
        "source",
        "timing_ms",
        "error",
    ];
    contract.sort_unstable();
    assert_eq!(fields, contract);
    assert_eq!((&rows[0]["command"], &rows[0]["error"]), (&"du -sh .".into(), &serde_json::Value::Null));
    assert_eq!(
        (&rows[1]["command"], &rows[1]["request"]),
        (&serde_json::Value::Null, &"something bad".into())
    );
    assert!(rows[1]["error"].is_string());
    assert_eq!(ran.code, 1);
}

#[test]
fn suggest_shows_the_request_and_asks_nobody() {
    let ran = Askline::new(["suggest", "--shell", "nu", "--show-request", "list", "files"])
        .model("")
        .run()
        .stderr("");
    assert!(ran.stdout.starts_with("# One-line Nushell commands for Linux.\n\n# "), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n\n# list files\n"), "{}", ran.stdout);
    ran.code(0);
}

#[test]
fn a_script_with_replies_left_over_fails() {
    let ran = Askline::new(["suggest", "--shell", "bash", "x"])
        .model("{\"reply\": \"ls\"}\n{\"reply\": \"pwd\"}")
        .run();
    assert_eq!(ran.stdout, "ls\n");
    assert!(ran.stderr.contains("1 replies were never asked for"), "{}", ran.stderr);
    ran.code(1);
}

#[test]
fn a_row_that_is_too_long_or_no_text_costs_only_itself() {
    let long = "x".repeat(200_000);
    let ran = Askline::new(["suggest", "--json", "--shell", "bash", "--lines", "rows"])
        .model("{\"reply\": \"ls\"}\n{\"reply\": \"pwd\"}")
        .file("rows", &format!("list files\n{long}\nwhere am i"))
        .run()
        .stderr("")
        .code(1);
    let rows: Vec<serde_json::Value> =
        ran.stdout.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!([&rows[0]["command"], &rows[2]["command"]], ["ls", "pwd"]);
    assert!(rows[1]["error"].as_str().unwrap().contains("longer than"), "{}", rows[1]);
}
