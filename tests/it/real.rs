//! Tests with a real model on this machine's processor and everyday requests.
//!
//! `ASKLINE_TEST_MODEL` names an installed model (`scripts/test` sets it). Without it these tests fail if `CI` is set, and
//! are skipped with a note elsewhere.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use askline_syntax::shell::Shell;
use serde_json::Value;

use crate::cli::Askline;
use crate::parser::{Parser, installed, skipped};

/// Each answer parses in bash and starts with an installed command or a builtin. The second process loads the state of
/// the first and gives the same answers.
#[test]
fn everyday_requests_get_commands_that_parse_and_exist() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let requests = everyday();
    let (Some(parser), Some(bash)) = (Parser::of(Shell::Bash), installed(Shell::Bash)) else { return };
    let first = ask(&model, Shell::Bash, &requests);
    assert_eq!(first.len(), requests.len());
    for (request, answer) in requests.iter().zip(&first) {
        let command = answer["command"].as_str().unwrap_or_else(|| panic!("{request}: {answer}"));
        assert_eq!(parser.complaint(command), None, "{request}: {command}");
        let word = command.split_whitespace().next().unwrap();
        let known = Command::new(&bash).args(["-c", "type -t -- \"$1\"", "-", word]).output().unwrap();
        assert!(known.status.success(), "{request}: no `{word}` here: {command}");
        assert_eq!(answer["source"].as_str().unwrap(), format!("local:{}", stem(&model)));
    }
    let again = ask(&model, Shell::Bash, &requests[..2]);
    let commands =
        |answers: &[Value]| answers.iter().map(|answer| answer["command"].clone()).collect::<Vec<_>>();
    assert_eq!(commands(&again), commands(&first[..2]));
}

/// The built-in adapter fits its model, and a file that is damaged behind its header is refused instead of ending the process.
#[test]
fn an_adapter_is_loaded_or_refused() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let home = tempfile::tempdir().unwrap();
    let adapter = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/adapter_0_5b/adapter.gguf");
    let content = std::fs::read(&adapter).unwrap();
    let damaged = home.path().join("damaged.gguf");
    std::fs::write(&damaged, &content[..content.len() / 2]).unwrap();
    let config = home.path().join("config.toml");
    // Not the cache of the other tests, which count its states.
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("adapter-cache");
    std::fs::create_dir_all(&cache).unwrap();
    for (file, expected) in [(&adapter, None), (&damaged, Some("damaged.gguf can't be used"))] {
        std::fs::write(&config, format!("adapter = {:?}\n", file.to_str().unwrap())).unwrap();
        let ran = Askline::new(["suggest", "--json", "--shell", "bash", "count the files below /etc"])
            .env("ASKLINE_MODEL_FILE", model.to_str().unwrap())
            .env("ASKLINE_CONFIG", config.to_str().unwrap())
            .env("ASKLINE_DEADLINE_MS", "120000")
            .env("XDG_CACHE_HOME", cache.to_str().unwrap())
            .run();
        let answer: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
        match expected {
            None => {
                let source = format!("local:{}+adapter", stem(&model));
                assert_eq!(answer["source"].as_str(), Some(&*source), "{answer}");
                assert!(answer["command"].is_string(), "{answer}");
            }
            Some(expected) => assert!(answer["error"].to_string().contains(expected), "{answer}"),
        }
    }
}

/// In other shell languages the small model may fail now and then; most answers must still parse.
#[test]
fn other_shells_get_lines_in_their_language() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let requests = &everyday()[..6];
    for shell in [Shell::Fish, Shell::Nu] {
        let Some(parser) = Parser::of(shell) else { continue };
        let answers = ask(&model, shell, requests);
        assert_eq!(answers.len(), requests.len());
        let faults: Vec<_> = answers
            .iter()
            .filter_map(|answer| {
                let command = answer["command"].as_str().unwrap_or_else(|| panic!("{shell}: {answer}"));
                parser.complaint(command).map(|fault| format!("{command}: {fault}"))
            })
            .collect();
        assert!(faults.len() <= 1, "{shell}: {} do not parse:\n{}", faults.len(), faults.join("\n"));
    }
}

/// A request with a deadline in the middle of the work gives no answer; the same request afterwards gives one.
#[test]
fn a_deadline_ends_the_work_and_harms_nothing() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let ask = |milliseconds: &str| {
        Askline::new(["suggest", "--shell", "bash", "--", "list the files in this directory"])
            .env("ASKLINE_MODEL_FILE", model.to_str().unwrap())
            .env("ASKLINE_DEADLINE_MS", milliseconds)
            .env("ASKLINE_DAEMON", "off")
            .env("XDG_CACHE_HOME", cache().to_str().unwrap())
            .run()
    };
    let late = ask("50").code(1).stdout("");
    let told = ["no answer in time", "the model is being prepared"];
    assert!(told.iter().any(|told| late.stderr.contains(told)), "{}", late.stderr);
    ask("60000").code(0);
}

/// The chat form uses the template in the model's own file.
#[test]
fn a_chat_gets_a_command_too() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config.toml");
    let profile = "[profiles.local]\nprompt = \"chat\"\n";
    std::fs::write(&config, profile).unwrap();
    let ask = |extra: &'static str| {
        Askline::new(["suggest", "--shell", "bash", extra, "--", "list the files in this directory"])
            .env("ASKLINE_CONFIG", config.to_str().unwrap())
            .env("ASKLINE_MODEL_FILE", model.to_str().unwrap())
            .env("ASKLINE_DEADLINE_MS", "60000")
            .env("ASKLINE_DAEMON", "off")
            .run()
            .code(0)
            .stdout
    };
    let command = ask("--no-refine");
    assert!(command.starts_with("ls") || command.starts_with("find"), "{command}");
    let shown = ask("--show-request");
    assert!(shown.starts_with("You turn a request into one bash command line"), "{shown}");
}

/// The beginning of a command is another command, so a truncated answer is refused.
#[test]
fn an_answer_that_is_cut_off_is_refused() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let ran = Askline::new([
        "suggest",
        "--shell",
        "bash",
        "--",
        "count the lines of all python files below /usr/lib",
    ])
    .env("ASKLINE_MODEL_FILE", model.to_str().unwrap())
    .env("XDG_CACHE_HOME", cache().to_str().unwrap())
    .env("ASKLINE_DEADLINE_MS", "120000")
    .env("ASKLINE_DAEMON", "off")
    .config("max_tokens = 3")
    .run()
    .stdout("")
    .code(1);
    assert!(ran.stderr.contains("the answer is longer than 3 tokens"), "{}", ran.stderr);
}

/// The resident process gives the same answer as a single press, and the next press does not wait for the weights.
#[test]
fn a_resident_process_says_the_same_and_is_quicker_the_second_time() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let runtime = tempfile::Builder::new().prefix("al").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(runtime.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let run = |daemon: &str, args: &[&str]| {
        let ran = Askline::new(args.iter().copied())
            .env("ASKLINE_MODEL_FILE", model.to_str().unwrap())
            .env("ASKLINE_DEADLINE_MS", "120000")
            .env("ASKLINE_DAEMON", daemon)
            .env("XDG_CACHE_HOME", cache().to_str().unwrap())
            .env("XDG_RUNTIME_DIR", runtime.path().to_str().unwrap())
            .run()
            .code(0);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    let requests = everyday();
    let press = |daemon, request: &str| {
        let answer = run(daemon, &["suggest", "--json", "--shell", "bash", "--", request]);
        (answer["command"].as_str().unwrap().to_owned(), answer["timing_ms"]["model"].as_f64().unwrap())
    };
    let alone: Vec<_> = requests[..2].iter().map(|request| press("off", request)).collect();
    let resident: Vec<_> = requests[..2].iter().map(|request| press("force", request)).collect();
    let again = press("force", &requests[1]);
    let status = run("force", &["daemon", "--json"]);
    run("force", &["daemon", "stop", "--json"]);
    for (alone, resident) in alone.iter().zip(&resident) {
        assert_eq!(alone.0, resident.0);
    }
    assert!(resident[1].1 < alone[1].1, "{resident:?} against {alone:?}");
    assert_eq!(again.0, resident[1].0);
    assert!(again.1 < resident[1].1 / 2.0, "the same again is remembered: {again:?}, {resident:?}");
    assert_eq!(status["model"].as_str().unwrap(), format!("local:{}", stem(&model)));
}

/// The first answer in a shell comes before its whole fixed part is read. The rest is read in the background; then the
/// answers are those of a process that reads all of it first.
#[test]
fn a_first_answer_is_brief_and_the_rest_is_prepared_in_the_background() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let home = tempfile::Builder::new().prefix("al").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(home.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let run = |args: &[&str]| {
        let ran = Askline::new(args.iter().copied())
            .env("ASKLINE_MODEL_FILE", model.to_str().unwrap())
            .env("ASKLINE_DEADLINE_MS", "120000")
            .env("ASKLINE_DAEMON", "force")
            .env("XDG_CACHE_HOME", home.path().join("cache").to_str().unwrap())
            .env("XDG_RUNTIME_DIR", home.path().to_str().unwrap())
            .run()
            .code(0);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    let requests = &everyday()[..2];
    let press = |request: &str| run(&["suggest", "--json", "--shell", "bash", "--", request]);
    let first = press(&requests[0]);
    assert!(
        first["fallback"][0].as_str().is_some_and(|note| note.contains("still being prepared")),
        "{first}"
    );
    let until = Instant::now() + Duration::from_mins(5);
    while run(&["daemon", "--json"])["prepares"] == true {
        assert!(Instant::now() < until, "it is not prepared");
        std::thread::sleep(Duration::from_millis(100));
    }
    let second = press(&requests[1]);
    run(&["daemon", "stop", "--json"]);
    assert_eq!(second["fallback"], serde_json::json!([]));
    assert_eq!(second["command"], ask(&model, Shell::Bash, &requests[1..])[0]["command"]);
}

/// Requests that follow one another at once leave no time to prepare anything in the background: each reads a part of it.
#[test]
#[cfg(feature = "local-model")]
fn requests_without_a_pause_get_the_whole_fixed_part() {
    use askline_model::Model as _;
    use askline_model::local::Local;
    use askline_model::prompt::{self, Form};
    use askline_model::request_control::RequestControl;

    /// More than enough for 60 solved requests, four with each answer.
    const ANSWERS_MAX: usize = 24;
    let Some(model) = model() else { return };
    let _alone = alone();
    let states = tempfile::tempdir().unwrap();
    let mut local = Local::new("real".into(), model, states.path().into(), 4096, None).early();
    let prompt = prompt::draft(Form::Completion, "count the lines of a.txt", Shell::Bash, "Linux");
    let mut read = Vec::new();
    let is_whole = (0..ANSWERS_MAX).any(|_| {
        let reply = local.complete(&prompt, 4, &RequestControl::endless()).unwrap();
        read.push(reply.usage.cached_tokens);
        !reply.brief
    });
    assert!(is_whole, "{read:?}");
    assert!(2 < read.len() && read.is_sorted_by(|one, other| one < other), "{read:?}");
}

/// A damaged stored state is not used, and is computed again.
#[test]
fn a_damaged_state_changes_no_answer() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let requests = &everyday()[..1];
    let command = |answers: Vec<Value>| answers[0]["command"].clone();
    // An answer that waits for the state has no time left to improve; whether this one waits depends on earlier tests.
    ask(&model, Shell::Bash, requests);
    let before = command(ask(&model, Shell::Bash, requests));
    let states: Vec<PathBuf> = std::fs::read_dir(cache().join("askline/states"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(!states.is_empty());
    for state in &states {
        let mut content = std::fs::read(state).unwrap();
        let middle = content.len() / 2;
        content[middle] ^= 0x40;
        std::fs::write(state, content).unwrap();
    }
    ask(&model, Shell::Bash, requests);
    assert_eq!(command(ask(&model, Shell::Bash, requests)), before);
}

/// Further answers differ from the first and from one another, and change no later answer. The same holds for requests
/// cancelled midway, for a model that released its memory meanwhile, and for speculative guesses.
#[test]
#[cfg(feature = "local-model")]
fn further_answers_leave_later_ones_as_they_were() {
    use askline_model::failure::Failure;
    use askline_model::local::Local;
    use askline_model::prompt;
    use askline_model::prompt::Form;
    use askline_model::request_control::RequestControl;
    use askline_model::{Further, Model as _};

    const TOKENS: usize = 96;
    let Some(model) = model() else { return };
    let _alone = alone();
    let states = cache().join("askline/states");
    let open = || Local::new("real".into(), model.clone(), states.clone(), 4096, None);
    let prompt = |request: &str| prompt::draft(Form::Completion, request, Shell::Bash, "Linux");
    let asked =
        ["count the lines of all python files in this tree", "list the ten largest files below /var/log"];
    let [first, second] = asked.map(prompt);
    let further = |most| Further { most, max_tokens: TOKENS, wrong: None, likely: false };
    let control = RequestControl::endless();
    let mut plain = open().without_guesses();
    let alone = [&first, &second].map(|prompt| plain.complete(prompt, TOKENS, &control).unwrap().text);
    drop(plain);

    let mut local = open();
    let needs = local.needs().unwrap().unwrap();
    let asleep = own_memory();
    assert_eq!(local.complete(&first, TOKENS, &control).unwrap().text, alone[0]);
    let others = local.alternatives(&first, further(3), &control).unwrap();
    let texts: Vec<_> = others.iter().map(|reply| reply.text.as_str()).collect();
    assert!(!texts.is_empty() && texts.len() <= 3, "{texts:?}");
    for (place, text) in texts.iter().enumerate() {
        assert!(!text.is_empty() && *text != alone[0] && !text.contains('\n'), "{texts:?}");
        assert!(!texts[..place].contains(text), "{texts:?}");
    }
    let sure: Vec<_> =
        others.iter().map(|reply| reply.certainty.map_or(0.0, |certainty| certainty.mean)).collect();
    assert!(sure.is_sorted_by(|a, b| b <= a), "{sure:?}");
    // Alternatives that branch off in the first word do not contain what is wrong in it.
    let first_word = alone[0].split(' ').next().unwrap();
    let elsewhere = Further { wrong: Some(first_word.len()), ..further(3) };
    let elsewhere = local.alternatives(&first, elsewhere, &control).unwrap();
    assert!(!elsewhere.is_empty());
    for other in &elsewhere {
        assert!(!other.text.starts_with(&format!("{first_word} ")), "{} {}", alone[0], other.text);
    }
    let again = local.alternatives(&first, further(3), &control).unwrap();
    assert_eq!(again.iter().map(|reply| reply.text.as_str()).collect::<Vec<_>>(), texts);
    assert_eq!(local.complete(&second, TOKENS, &control).unwrap().text, alone[1]);

    // For a prompt that is not the last one computed, that prompt is computed first.
    assert_eq!(local.alternatives(&first, further(3), &control).unwrap().len(), texts.len());
    assert!(local.alternatives(&first, further(0), &control).unwrap().is_empty());
    let given_up = RequestControl::endless();
    given_up.cancel();
    let error = local.alternatives(&first, further(3), &given_up).unwrap_err();
    assert_eq!(error.downcast_ref(), Some(&Failure::Cancelled));
    assert_eq!(local.complete(&first, TOKENS, &control).unwrap().text, alone[0]);

    let awake = own_memory();
    let used = awake.saturating_sub(asleep);
    assert!(used < needs.own, "takes {used} bytes, {needs:?}");
    local.rest();
    let rested = own_memory();
    assert!(rested + (16 << 20) < awake, "{awake} bytes before, {rested} after");
    assert_eq!(local.complete(&second, TOKENS, &control).unwrap().text, alone[1]);
}

/// A grammar binds the answer whatever the request says, and leaves later answers as they were.
#[test]
#[cfg(feature = "local-model")]
fn a_grammar_binds_each_turn() {
    use askline_agent::protocol::{self, Turn};
    use askline_agent::tool::Registry;
    use askline_agent::{grammar, looks};
    use askline_model::Model as _;
    use askline_model::local::Local;
    use askline_model::prompt::{Form, Prompt};
    use askline_model::request_control::RequestControl;

    let Some(model) = model() else { return };
    let _alone = alone();
    let mut local = Local::new("real".into(), model, cache().join("askline/states"), 4096, None);
    let control = RequestControl::endless();
    let mut turn = |system: String, request: &str, grammar: Option<String>| {
        let prompt = Prompt { grammar, ..Prompt::new(Form::Chat, system, request.to_owned()) };
        local.complete(&prompt, 512, &control).map(|reply| (reply.text, reply.cut.is_some()))
    };
    let free = turn("Answer in one word.".into(), "What is the capital of France?", None).unwrap();
    let bound = "root ::= \"left\" | \"right\"\n";
    let (answer, _) =
        turn("Answer in one word.".into(), "What is the capital of France?", Some(bound.into())).unwrap();
    assert!(["left", "right"].contains(&answer.as_str()), "{answer}");
    assert_eq!(turn("Answer in one word.".into(), "What is the capital of France?", None).unwrap(), free);
    let error = turn("Hello.".into(), "Hello.", Some("root ::= (".into())).unwrap_err().to_string();
    assert!(error.contains("can't read the grammar"), "{error}");

    for request in [
        "which of these files is the newest",
        "free port 8080",
        "Write a poem about the sea, and call nothing.",
    ] {
        let registry = looks::fitting(request, &Registry::built_in(), 6);
        let system = protocol::instruction(&registry);
        let (text, is_cut) = turn(system.clone(), request, Some(grammar::turns(&registry, false))).unwrap();
        match protocol::read(&text) {
            Turn::Call { call, .. } => assert_eq!(registry.check(&call).err(), None, "{text}"),
            // An answer that repeats itself is cut off.
            Turn::Final { command, .. } => assert!(command.is_some() || is_cut, "{text}"),
            other => panic!("{request}: {other:?}: {text}"),
        }
        let last = grammar::turns(&Registry::new(Vec::new()), false);
        let (text, is_cut) = turn(system, request, Some(last)).unwrap();
        let Turn::Final { command, .. } = protocol::read(&text) else { panic!("{request}: {text}") };
        assert!(command.is_some() || is_cut, "{request}: {text}");
    }
}

/// A chat that needs more room than a press gets it, without reading again what it has read. What needs still more is refused.
#[test]
#[cfg(feature = "local-model")]
fn a_long_chat_makes_room_and_keeps_what_was_read() {
    use askline_model::Model as _;
    use askline_model::local::Local;
    use askline_model::prompt::{Form, Prompt};
    use askline_model::request_control::RequestControl;

    const TOKENS: usize = 16;
    let Some(model) = model() else { return };
    let _alone = alone();
    let mut local = Local::new("real".into(), model, cache().join("askline/states"), 1024, None);
    let control = RequestControl::endless();
    // Each row is 10 tokens or more.
    let mut turn = |rows: usize| {
        let seen: String = (0..rows).map(|row| format!("{row:04} notes.txt\n")).collect();
        let prompt = Prompt::new(Form::Chat, "Answer in one word.".into(), format!("{seen}\nSay hello."));
        local.complete(&prompt, TOKENS, &control)
    };
    let short = turn(100).unwrap().usage;
    let before = own_memory();
    let long = turn(200).unwrap().usage;
    let grown = own_memory().saturating_sub(before);
    let read = long.cached_tokens + long.prefill_tokens;
    assert!(1024 < read && read < 4096, "{long:?}");
    assert!(500 < long.cached_tokens && long.cached_tokens <= short.prefill_tokens, "{short:?} {long:?}");
    assert!(0 < long.decode_tokens, "{long:?}");
    assert!(grown < 200 << 20, "{grown} bytes more");
    let error = turn(1300).unwrap_err().to_string();
    assert!(error.contains("too long"), "{error}");
    assert!(0 < turn(10).unwrap().usage.decode_tokens);
}

/// llama.cpp aborts at a vocabulary with two equal words. That costs a request and the resident process, with a message.
#[test]
fn an_abort_of_the_engine_is_told() {
    use std::io::{Read as _, Write as _};

    let Some(model) = model() else { return };
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("run");
    std::fs::create_dir(&run).unwrap();
    std::fs::set_permissions(&run, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let mut header = Vec::new();
    std::fs::File::open(&model).unwrap().take(16 << 20).read_to_end(&mut header).unwrap();
    let name = b"tokenizer.ggml.tokens";
    let at = header.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    // Type of the setting, type and length of the list, length of the first word; the second word is `"`.
    let word = at + 4 + 4 + 8 + 8;
    assert_eq!(header[word], b'!');
    header[word] = b'"';
    let damaged = home.path().join("damaged.gguf");
    let mut file = std::fs::File::create(&damaged).unwrap();
    file.write_all(&header).unwrap();
    file.set_len(model.metadata().unwrap().len()).unwrap();
    for daemon in ["off", "auto", "force"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_askline"));
        command.args(["suggest", "--shell", "bash", "--", "list the files"]).env_clear();
        command.env("HOME", home.path()).env("PATH", "/usr/bin:/bin").env("XDG_RUNTIME_DIR", &run);
        command.env("ASKLINE_MODEL_FILE", &damaged).env("ASKLINE_DAEMON", daemon);
        let ran = command.output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(1), "{daemon}: {told}");
        assert!(told.contains("the engine of the model damaged failed (llama-vocab.cpp"), "{daemon}: {told}");
        assert!(!told.contains(env!("CARGO_MANIFEST_DIR")), "no path of the build: {told}");
    }
}

/// The model computes with the kernels that the build has inside (`scripts/kernels`), or with the build's own if it has none. Either
/// way there is one answer, and `doctor` says the same.
#[test]
fn the_kernels_of_the_build_compute() {
    let Some(model) = model() else { return };
    let _alone = alone();
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_askline"));
        command.args(arguments).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
        command
            .env("ASKLINE_MODEL_FILE", &model)
            .env("ASKLINE_DAEMON", "off")
            .env("ASKLINE_DEADLINE_MS", "120000");
        let ran = command.output().unwrap();
        (String::from_utf8(ran.stdout).unwrap(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let (answer, told) = run(&["--debug", "suggest", "--shell", "bash", "--", "count the files below /etc"]);
    assert!(answer.starts_with("find /etc") && answer.contains("wc -l"), "{answer}{told}");
    let kernels =
        told.lines().find_map(|line| line.split_once("kernels: ")).unwrap_or_else(|| panic!("{told}")).1;
    let (findings, _) = run(&["doctor"]);
    let said = findings.lines().find(|line| line.contains("processor: ")).unwrap_or_default();
    if option_env!("ASKLINE_KERNELS").is_some_and(|directory| !directory.is_empty()) {
        assert_ne!(kernels, "of the build");
        assert!(said.ends_with(&format!("has kernels for {kernels}")), "{said}");
    } else {
        assert_eq!(kernels, "of the build");
        assert!(!said.is_empty() && !said.contains("kernels for"), "{said}");
    }
}

/// Returns the private memory of this process, in bytes.
#[cfg(feature = "local-model")]
fn own_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// Returns the answers to requests from one process, as JSON objects.
fn ask(model: &std::path::Path, shell: Shell, requests: &[String]) -> Vec<Value> {
    let ran = Askline::new(["suggest", "--json", "--lines", "-", "--shell", shell.name()])
        .env("ASKLINE_MODEL_FILE", model.to_str().unwrap())
        .env("ASKLINE_DEADLINE_MS", "120000")
        .env("XDG_CACHE_HOME", cache().to_str().unwrap())
        // A user of a shell has it on the PATH, and the checks use it.
        .env("PATH", &std::env::var("PATH").unwrap())
        .stdin(&requests.join("\n"))
        .run();
    assert_eq!(ran.stderr, "");
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a lock for one model at a time: two would compete for the processor.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns one cache for all tests of a run, so each shell's fixed prompt part is computed once.
fn cache() -> PathBuf {
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("real-cache");
    std::fs::create_dir_all(&cache).unwrap();
    cache
}

fn everyday() -> Vec<String> {
    let table: toml::Table = toml::from_str(include_str!("../data/everyday.toml")).unwrap();
    table["request"].as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap().to_owned()).collect()
}

/// Returns the file of the model to test with.
fn model() -> Option<PathBuf> {
    if cfg!(not(feature = "local-model")) {
        return None;
    }
    let Some(name) = std::env::var_os("ASKLINE_TEST_MODEL") else {
        assert!(std::env::var_os("CI").is_none(), "ASKLINE_TEST_MODEL is not set; CI tests a real model");
        skipped("no real model; scripts/test fetches one");
        return None;
    };
    // The user's own environment locates the models, and the program knows how to read it.
    let found =
        Command::new(env!("CARGO_BIN_EXE_askline")).args(["model", "path"]).arg(&name).output().unwrap();
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    Some(String::from_utf8(found.stdout).unwrap().trim_end().into())
}

fn stem(path: &std::path::Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}
