//! The Nushell plugin in real Nushells: values, errors and faults without a terminal are tested here, the prompt in
//! `plugin/prompt.rs`.

mod prompt;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use askline_syntax::shell::{NU_TESTED_OLDER, Shell, nu_plugin_supports};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::parser::{installed, nushell};

/// Returns the plugin's program, which `cargo test` builds beside `askline`.
pub(super) fn plugin_program() -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_askline")).with_file_name("nu_plugin_ask");
    assert!(program.exists(), "build the plugin first: cargo build -p nu_plugin_ask");
    program
}

/// Returns the older Nushell versions that the plugin supports.
fn older_nushells() -> impl Iterator<Item = PathBuf> {
    NU_TESTED_OLDER.into_iter().filter(|version| nu_plugin_supports(version)).filter_map(nushell)
}

/// Returns the Nushell versions that the plugin supports.
fn nushells() -> impl Iterator<Item = Nu> {
    installed(Shell::Nu).into_iter().chain(older_nushells()).map(Nu::of)
}

/// A Nushell with the plugin and its own home.
struct Nu {
    program: PathBuf,
    plugin: PathBuf,
    home: TempDir,
}

impl Nu {
    fn of(program: PathBuf) -> Self {
        let home = TempDir::new().unwrap();
        let nu = Self { program, plugin: plugin_program(), home };
        nu.model("");
        nu
    }

    /// Sets the model's replies from now on.
    fn model(&self, rows: &str) {
        fs::write(self.home.path().join("model"), rows).unwrap();
    }

    fn command(&self, program: &str) -> Command {
        let home = self.home.path();
        let mut command = Command::new(&self.program);
        command
            .args(["-n", "--no-std-lib", "--plugins"])
            .arg(format!("[{}]", self.plugin.display()))
            .args(["-c", program])
            .current_dir(home)
            .env_clear()
            .env("HOME", home)
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("ASKLINE_MODEL", format!("scripted:{}/model", home.display()))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, program: &str) -> Output {
        self.command(program).output().unwrap()
    }

    /// Returns the value of a program.
    #[track_caller]
    fn value(&self, program: &str) -> Value {
        let output = self.run(&format!("{program} | to json --raw"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {program}: {said}", self.program.display());
        // Output of the plugin on Nushell's own stdout comes before the value.
        let last = output.stdout.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        serde_json::from_slice(last).unwrap_or_else(|error| panic!("{program}: {error}: {said}"))
    }

    /// Returns the error of a program that fails.
    #[track_caller]
    fn complaint(&self, program: &str) -> String {
        let output = self.run(program);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stdout));
        said
    }
}

#[test]
fn an_answer_is_a_record() {
    for nu in nushells() {
        nu.model(r#"{"reply": "^ls -la /tmp", "must_contain": "list all files"}"#);
        let answer = nu.value("ask list all files");
        let columns = [
            "command",
            "explanation",
            "risk",
            "confidence",
            "checks",
            "changes",
            "open",
            "alternatives",
            "source",
        ];
        let order = nu.value("ask list all files | columns");
        assert_eq!(order, json!(columns));
        assert_eq!(answer["command"], "^ls -la /tmp");
        assert_eq!(answer["risk"]["label"], "Safe");
        assert_eq!(answer["explanation"], Value::Null);
        assert_eq!(answer["checks"]["syntax_ok"], true);
        assert!(answer["source"].as_str().unwrap().starts_with("scripted:"));
        let words = nu.value("ask --explain list all files | get explanation.text");
        assert_eq!(words[0], "ls", "{words}");
        assert_eq!(nu.value("'list all files' | ask | get command"), "^ls -la /tmp");
        nu.model(r#"{"reply": "ls *.rs", "must_contain": "what -x is 10 *.zip"}"#);
        assert_eq!(nu.value("ask what -x is 10 *.zip | get command"), "ls *.rs");
    }
}

/// The options behind an alias are those of its command, also where its name is that of a known tool (`gs`), and its
/// risk is that of its expansion.
#[test]
fn an_alias_stands_for_its_command() {
    let aliases =
        "alias gs = git status; alias \"my gs\" = git status; alias g = ^git; alias nuke = ^rm -rf; ";
    for nu in nushells() {
        let counts = |line: &str| {
            let checks = nu.value(&format!("{aliases}ask check '{line}' | get checks"));
            [&checks["flags_verified"], &checks["flags_refuted"]].map(|count| count.as_u64().unwrap())
        };
        for line in
            ["gs --shrt", "my gs --shrt", "g status --shrt", "git status --shrt", "ls | each { gs --shrt }"]
        {
            assert_eq!(counts(line), [0, 1], "{line}");
        }
        for line in ["gs --short", "my gs --short", "gs -z | lines"] {
            assert_eq!(counts(line), [1, 0], "{line}");
        }
        let label =
            nu.value(&format!("{aliases}['nuke ~' 'gs; nuke ~' '(nuke ~)'] | ask check | get risk.label"));
        assert_eq!(label, json!(["Dangerous", "Dangerous", "Dangerous"]));
    }
}

#[test]
fn declined_words_get_a_line_with_anyway() {
    for nu in nushells() {
        nu.model(r#"{"reply": "ls -la"}"#);
        let said = nu.complaint("ask refactor the payment code");
        assert!(said.contains("no single command does that") && said.contains("add --anyway"), "{said}");
        assert_eq!(nu.value("ask --anyway refactor the payment code | get command"), "ls -la");
    }
}

#[test]
fn other_answers_are_rows() {
    let rows = [r#"{"reply": "ls -l"}"#, r#"{"reply": "ls --long --all"}"#].join("\n");
    for nu in nushells() {
        nu.model(&rows);
        let table = nu.value("ask --alternatives 2 list files | get command");
        assert_eq!(table, json!(["ls -l", "ls --long --all"]));
        // The alternatives are not requested if nothing consumes them, or if there are none.
        nu.model(r#"{"reply": "ls -l"}"#);
        assert_eq!(nu.value("ask --alternatives 2 list files | first | get command"), "ls -l");
        assert_eq!(nu.value("ask --alternatives 0 list files | length"), 1);
    }
}

/// Returns the rows of a script: a look at the file `t`, and this reply after a time in milliseconds.
fn looking(reply: &str, delay_ms: u64) -> String {
    let look = "So. <tool_code>{\"name\":\"stat\",\"parameters\":{\"path\":\"t\"}}</tool_code>";
    let end = json!({"reply": reply, "delay_ms": delay_ms, "must_contain": "3 B"});
    format!("{}\n{end}", json!({"reply": look, "must_contain": "make a mark"}))
}

/// The end of an investigation that suggests to make a file.
const END: &str = "<final_answer>There is t. <command>touch suggested</command></final_answer>";

#[test]
fn a_look_is_a_row_for_each_event() {
    for nu in nushells() {
        fs::write(nu.home.path().join("t"), "abc").unwrap();
        nu.model(&looking(END, 0));
        let rows = nu.value("ask --look make a mark");
        let events: Vec<&str> =
            rows.as_array().unwrap().iter().map(|row| row["event"].as_str().unwrap()).collect();
        assert_eq!(events, ["thought", "tool_call", "observation", "progress", "progress", "final"]);
        assert_eq!(rows[0], json!({"event": "thought", "text": "So.", "data": null}));
        assert_eq!(rows[1]["text"], "stat path=t");
        assert_eq!(rows[1]["data"], json!({"tool": "stat", "parameters": {"path": "t"}}));
        assert_eq!((&rows[2]["data"]["failed"], &rows[4]["data"]), (&json!(false), &json!(1.0)));
        let (text, found) = (&rows[5]["text"], &rows[5]["data"]);
        assert_eq!((text, &found["command"]), (&json!("There is t."), &json!("touch suggested")));
        assert_eq!((&found["evidence"][0]["tool"], &found["shell"]), (&json!("stat"), &json!("nu")));
        assert_eq!((&found["error"], &found["cut_short"]), (&Value::Null, &Value::Null));
        assert!(!nu.home.path().join("suggested").exists());
        // Rows come as things happen. After the reader stops, the next one ends the investigation.
        let again = "<tool_code>{\"name\":\"list_dir\",\"parameters\":{}}</tool_code>";
        let late = json!({"reply": END, "delay_ms": 60_000});
        nu.model(&format!("{}\n{late}", looking(again, 1500)));
        let started = Instant::now();
        assert_eq!(nu.value("ask --look make a mark | first 3 | last | get event"), "observation");
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    }
}

/// A pipeline answers no question: the question stays open, and a line that only reads does not run either.
#[test]
fn a_look_asks_nobody_and_tells_what_fails() {
    for nu in nushells() {
        fs::write(nu.home.path().join("t"), "abc").unwrap();
        fs::create_dir_all(nu.home.path().join(".config/askline")).unwrap();
        fs::write(nu.home.path().join(".config/askline/config.toml"), "[investigate]\ncommands = \"ask\"\n")
            .unwrap();
        let run = "<tool_code>{\"name\":\"run\",\"parameters\":{\"line\":\"wc -c t\"}}</tool_code>";
        nu.model(&format!(
            "{}\n{}",
            json!({"reply": run}),
            json!({"reply": END, "must_contain": "there is no tool `run`"})
        ));
        let rows =
            nu.value("ask --look --shell bash make a mark | where event in [observation approval final]");
        assert_eq!((rows.as_array().unwrap().len(), &rows[0]["data"]["failed"]), (2, &json!(true)), "{rows}");
        assert_eq!(rows[1]["data"]["command"], "touch suggested");
        let ask = json!({"reply": "<question>Which one?</question>"});
        nu.model(&format!("{ask}\n{}", json!({"fail": "the server is gone"})));
        let last = nu.value("ask --look make a mark | last | get data");
        assert_eq!(
            (&last["answer"], &last["cut_short"]),
            (&json!("Which one?"), &json!("a question is open"))
        );
        assert!(last["error"].to_string().contains("the server is gone"), "{last}");
        assert!(nu.complaint("ask --look").contains("no request"));
        for flag in ["--alternatives 2", "--explain"] {
            assert!(
                nu.complaint(&format!("ask --look {flag} make a mark")).contains("--look finds one command")
            );
        }
        assert!(nu.complaint("ask --look --line make a mark").contains("there is no prompt"));
        // A row that is left over is an error of the last row.
        nu.model(&format!("{}\n{}", json!({"reply": END}), json!({"reply": END})));
        assert!(nu.complaint("ask --look make a mark | collect").contains("never asked for"));
    }
}

#[test]
fn a_preview_changes_nothing() {
    for nu in nushells() {
        for name in ["one.tmp", "two.tmp"] {
            fs::write(nu.home.path().join(name), "123\n").unwrap();
        }
        let found = nu.value("ask preview --shell bash 'rm *.tmp'");
        assert_eq!(found["effect"]["removed"].as_array().unwrap().len(), 2, "{found}");
        assert_eq!((&found["effect"]["bytes_lost"], &found["reason"]), (&json!(8), &Value::Null));
        let sentence = found["effect"]["sentences"][0].as_str().unwrap();
        assert!(sentence.starts_with("removes 2 files: one.tmp, two.tmp"), "{found}");
        assert_eq!((&found["ran"], &found["not_run"]), (&Value::Null, &Value::Null), "nobody asked for it");
        assert_eq!(nu.value("'cat one.tmp' | ask preview --shell bash | get ran"), Value::Null);
        let ran = nu.value("'cat one.tmp' | ask preview --shell bash --run | get ran");
        assert_eq!((&ran["rows"], &ran["success"]), (&json!(["123"]), &json!(true)));
        let refused = nu.value("ask preview --shell bash --run 'rm one.tmp'");
        assert!(refused["not_run"].as_str().unwrap().contains("not on the list"), "{refused}");
        assert_eq!(refused["effect"]["removed"].as_array().unwrap().len(), 1, "{refused}");
        // Nushell's own line, and a definition of the running engine, which nobody can look into.
        assert_eq!(nu.value("ask preview 'rm one.tmp' | get effect.removed | length"), 1);
        let own = nu.value("def rm [...names] { touch surprise }; ask preview 'rm one.tmp'");
        assert!(own["effect"].is_null() && own["reason"].is_string(), "{own}");
        for name in ["one.tmp", "two.tmp"] {
            assert!(nu.home.path().join(name).exists());
        }
        assert!(nu.complaint("ask preview").contains("no line"));
    }
}

/// Definitions and environment of the running engine count, not the environment of the plugin's process, which started
/// earlier.
#[test]
fn the_running_engine_is_asked() {
    for nu in nushells() {
        let define = "def greet [--loud] { 1 }; alias ll = ls -la;";
        let checked = nu.value(&format!("{define} ask check 'greet --loud; ll | length'"));
        assert_eq!((&checked["findings"], &checked["syntax_ok"]), (&json!([]), &json!(true)), "{checked}");
        assert_eq!(checked["commands"], json!(["greet", "ll", "length"]));
        let checked = nu.value(&format!("{define} ask check 'greet --soft'"));
        assert_eq!(checked["syntax_ok"], false);
        assert_eq!(checked["findings"][0]["span"], json!([6, 12]), "{checked}");
        let missing = nu.value(
            "ask check '^git log' | ignore; $env.PATH = ['/nowhere']; ask check '^git log' | get checks.commands_missing",
        );
        assert_eq!(missing, 1);
        let directory = nu.value("mkdir deep; touch deep/a; cd deep; ask check '^cat a' | get findings");
        assert_eq!(directory, json!([]));
    }
}

#[test]
fn lines_are_checked() {
    for nu in nushells() {
        let table = nu.value("['ls' 'ls | where (' ''] | ask check | get syntax_ok");
        assert_eq!(table, json!([true, false, true]));
        let found = nu.value("ask check --shell bash 'sort --nosuch a.txt' | get findings.0");
        assert_eq!((&found["kind"], &found["span"]), (&json!("flag-refuted"), &json!([5, 13])), "{found}");
        assert_eq!(nu.value("ask check ls -la | get line"), "ls -la");
        // A list item that cannot be checked is an error of its row.
        assert!(nu.complaint("['ls' 3] | ask check").contains("string"));
        let kinds = nu.value("ask explain --shell bash 'sort -r a' | select text role");
        assert_eq!(kinds[0], json!({"text": "sort", "role": "command"}));
        assert_eq!(kinds[1]["role"], "option", "{kinds}");
    }
}

/// The engine's parser would open the files that these lines name, in the user's own shell.
#[test]
fn lines_that_read_files_are_not_for_the_running_engine() {
    for nu in nushells() {
        let pipe = nu.home.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for line in ["source pipe", "use pipe", "overlay use pipe", "ou pipe", "module pipe"] {
            let program = format!("alias ou = overlay use; ask check '{line}' | get line");
            let mut child =
                nu.command(&program).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let begun = Instant::now();
            while child.try_wait().unwrap().is_none() {
                if Duration::from_secs(60) < begun.elapsed() {
                    child.kill().unwrap();
                    panic!("{line}: the shell waits for a writer");
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            let said = child.wait_with_output().unwrap().stdout;
            assert_eq!(String::from_utf8_lossy(&said).trim(), line);
        }
    }
}

#[test]
fn what_is_piped_in_may_have_no_end() {
    for nu in nushells() {
        for program in ["^yes | ask", "^yes | ask check", "^yes | ask explain"] {
            let said = nu.complaint(program);
            assert!(said.contains("longer than 65536 bytes"), "{program}: {said}");
        }
        assert!(nu.complaint("^printf '\\377' | ask").contains("not UTF-8 text"));
        assert_eq!(nu.value("^echo ls | ask check | get syntax_ok"), true);
    }
}

/// The plugin's process keeps the environment of its start.
#[test]
fn a_server_is_reached_as_the_engine_says() {
    for nu in nushells() {
        let config = "profile = \"team\"\n[profiles.team]\nprotocol = \"openai\"\nurl = \"http://models.example/v1\"\n\
                      name = \"m\"\nkey_cmd = \"show-key x\"\n";
        let keyless = config.replace("key_cmd = \"show-key x\"\n", "");
        let file = nu.home.path().join("config.toml");
        let start = format!(
            "hide-env ASKLINE_MODEL; $env.ASKLINE_CONFIG = '{}'; ask check ls | ignore;",
            file.display()
        );
        fs::write(&file, keyless).unwrap();
        let through = "with-env {http_proxy: 'http://127.0.0.1:1'} { ask list files }";
        let said = nu.complaint(&format!("{start} {through}"));
        assert!(said.contains("through the proxy 127.0.0.1:1"), "{said}");
        // A program found only on the engine's PATH, which gets the engine's variables.
        let program = nu.home.path().join("bin/show-key");
        fs::create_dir(program.parent().unwrap()).unwrap();
        fs::write(
            &program,
            format!("#!/bin/sh\necho \"$OF_ENGINE\" > '{}/told'\necho key\n", nu.home.path().display()),
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(&file, config.replace("http:", "https:")).unwrap();
        let with = format!(
            "with-env {{https_proxy: 'http://127.0.0.1:1', OF_ENGINE: here, PATH: [{} /usr/bin /bin]}} {{ ask list files }}",
            program.parent().unwrap().display()
        );
        let said = nu.complaint(&format!("{start} {with}"));
        assert!(said.contains("through the proxy 127.0.0.1:1"), "{said}");
        assert_eq!(fs::read_to_string(nu.home.path().join("told")).unwrap(), "here\n");
    }
}

#[test]
fn errors_point_at_words() {
    for nu in nushells() {
        let said = nu.complaint("ask check --strict --shell bash 'sort --nosuch a | grep --what b'");
        for part in ["`sort` has no option `--nosuch`", "`grep` has no option `--what`", "source:1:39"] {
            assert!(said.contains(part), "{said}");
        }
        nu.model(r#"{"fail": "the server is gone"}"#);
        let said = nu.complaint("ask list files");
        assert!(said.contains("the server is gone") && said.contains("source:1:5"), "{said}");
        nu.model(r#"{"reply": "I can't help with that."}"#);
        assert!(nu.complaint("ask rule the world").contains("I can't help with that"));
        let said = nu.complaint("ask --shell tcsh list files");
        assert!(
            said.contains("unknown shell `tcsh`") && said.contains("use zsh, bash, fish or nu"),
            "{said}"
        );
        for empty in ["ask", "ask ''", "ask check", "ask explain", "'' | ask"] {
            assert!(nu.complaint(empty).contains("help: "), "{empty}");
        }
        assert!(nu.complaint("ask --line list files").contains("there is no prompt"));
        assert!(nu.complaint("ask fix").contains("no earlier command"));
    }
}

/// The examples in the help run, and return the documented values.
#[test]
fn the_examples_are_right() {
    for nu in nushells() {
        let told = "scope commands | where name starts-with 'ask' | get examples | flatten";
        let examples = nu.value(&format!("{told} | select example result"));
        let examples = examples.as_array().unwrap();
        assert_eq!(examples.len(), 14);
        for row in examples {
            let example = row["example"].as_str().unwrap();
            if example.contains("--line") {
                continue; // `prompt` does that
            }
            let answers = if example.contains("--alternatives") { 3 } else { 1 };
            nu.model(
                &r#"{"reply": "ls -la"}
"#
                .repeat(answers),
            );
            let given = nu.value(example);
            assert!(row["result"].is_null() || row["result"] == given, "{example}: {given}");
        }
        assert_eq!(
            nu.value("scope commands | where name == ask | get 0.search_terms"),
            json!("askline, ai, suggest, command, english, natural language, llm")
        );
    }
}

#[test]
fn another_nushell_gets_one_line() {
    for version in NU_TESTED_OLDER.into_iter().filter(|version| !nu_plugin_supports(version)) {
        let Some(nu) = nushell(version).map(Nu::of) else { continue };
        let said = nu.complaint("ask list files");
        let ours: Vec<&str> = said.lines().filter(|line| line.starts_with("askline: ")).collect();
        let expected = format!("this is {version}; use the script");
        assert!(ours.len() == 1 && ours[0].contains(&expected), "{said}");
    }
}

/// Whatever happens to the plugin's process, Nushell survives, the error names the plugin, and the next call works.
#[test]
fn nushell_survives_the_plugin() {
    for mut nu in nushells() {
        nu.model(r#"{"reply": "ls -la"}"#);
        let real = std::mem::replace(&mut nu.plugin, nu.home.path().join("nu_plugin_ask"));
        // Healthy at first, so Nushell learns the commands; then as `fault` specifies.
        let script = format!(
            "#!/bin/sh\ncase \"$(cat '{home}/fault' 2>/dev/null)\" in\n\
             exit) exit 3 ;;\n\
             kill) kill -9 $$ ;;\n\
             garbage) printf 'garbage\\377\\000\\377\\n'; exec sleep 1 ;;\n\
             speech) printf '\\007msgpack\\301\\301\\n'; exit 0 ;;\n\
             slow) sleep 2 ;;\n\
             esac\nexec '{real}' \"$@\"\n",
            home = nu.home.path().display(),
            real = real.display()
        );
        fs::write(&nu.plugin, script).unwrap();
        fs::set_permissions(&nu.plugin, fs::Permissions::from_mode(0o755)).unwrap();
        for fault in ["exit", "kill", "garbage", "speech", "slow"] {
            let program = format!(
                "plugin stop ask; '{fault}' | save -f fault\n\
                 let first = (try {{ ask list files | get command }} catch {{ |error| $error.msg + ($error.debug? | default '') }})\n\
                 rm fault; plugin stop ask\n\
                 {{first: $first, then: (ask list files | get command)}}"
            );
            let told = nu.value(&program);
            assert_eq!(told["then"], "ls -la", "after {fault}");
            let first = told["first"].as_str().unwrap();
            match fault {
                "slow" => assert_eq!(first, "ls -la"),
                // Nushell's own message, which may not name the culprit.
                "speech" => assert!(first.contains("lugin"), "{first}"),
                _ => assert!(
                    first.contains("ask") && first.to_lowercase().contains("plugin"),
                    "{fault}: {first}"
                ),
            }
        }
    }
}

/// A plugin that is killed during a request is an error of that call and does not end Nushell.
#[test]
fn nushell_survives_a_plugin_killed_at_work() {
    for nu in nushells() {
        nu.model(r#"{"reply": "ls -la", "delay_ms": 20000}"#);
        let program = "let first = (try { ask list files } catch { |error| 'caught' }); \
                       '{\"reply\": \"ls\"}' | save -f model; print $'($first) (ask list files | get command)'";
        let child = nu.command(program).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        let plugin = loop {
            assert!(started.elapsed() < Duration::from_secs(20), "the plugin does not start");
            std::thread::sleep(Duration::from_millis(50));
            // The first processes only list the commands.
            let plugin = child_of(child.id());
            std::thread::sleep(Duration::from_millis(1000));
            if let Some(plugin) = plugin.filter(|plugin| child_of(child.id()) == Some(*plugin)) {
                break plugin;
            }
        };
        rustix::process::kill_process(plugin, rustix::process::Signal::KILL).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said.trim(), "caught ls", "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Returns a child process of `process`.
fn child_of(process: u32) -> Option<rustix::process::Pid> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let children = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
    let child =
        children.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).next()?;
    rustix::process::Pid::from_raw(child.parse().ok()?)
}

/// Nushell stops an idle plugin, but never during a call.
#[test]
fn it_stops_when_it_is_idle() {
    for nu in nushells() {
        nu.model(r#"{"reply": "ls -la", "delay_ms": 600}"#);
        let program = "$env.config.plugin_gc.plugins = {ask: {enabled: true, stop_after: 200ms}}; \
                       let answer = (ask list files | get command); let busy = (plugin list | get 0.status); \
                       sleep 2sec; {answer: $answer, busy: $busy, idle: (plugin list | get 0.status)}";
        let told = nu.value(program);
        assert_eq!(told, json!({"answer": "ls -la", "busy": "running", "idle": "loaded"}));
    }
}

/// `askline` itself links none of Nushell's libraries.
#[test]
fn the_program_is_free_of_it() {
    let bytes = |program: &str| fs::read(program).unwrap();
    let holds = |program: &str| memchr::memmem::find(&bytes(program), b"nu_plugin_protocol").is_some();
    assert!(holds(plugin_program().to_str().unwrap()));
    assert!(!holds(env!("CARGO_BIN_EXE_askline")));
}
