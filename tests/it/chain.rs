//! Server profiles in the whole program: which key goes to which server, the order of servers, and what must never be
//! sent or shown.
//!
//! The servers listen on this machine and give one fixed reply. The protocols are tested in `remote`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use expect_test::expect;

use crate::cli::Askline;

/// The key of every profile in these tests.
const KEY: &str = "sk-Geheim123";

/// Longest request that a server reads, in bytes.
const REQUEST_MAX: usize = 256 << 10;

/// A server that gives the same answer to every request and records all requests.
pub(crate) struct Server {
    port: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that sends `response`, a whole HTTP response. If it is empty, the server keeps the connection
    /// open and sends nothing.
    pub(crate) fn start(response: String) -> Self {
        Self::in_turn(vec![response])
    }

    /// Starts a server that sends these responses in order, and then the last one again and again.
    pub(crate) fn in_turn(responses: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = Arc::clone(&heard);
        thread::spawn(move || {
            let mut silent = Vec::new();
            let last = responses.last().cloned().into_iter().cycle();
            for (connection, response) in listener.incoming().zip(responses.into_iter().chain(last)) {
                let Ok(mut connection) = connection else { break };
                told.lock().unwrap().push(request(&mut connection));
                if response.is_empty() {
                    silent.push(connection);
                } else {
                    let _ = connection.write_all(response.as_bytes());
                }
            }
        });
        Self { port, heard }
    }

    /// Starts a server that answers with a command, streamed in OpenAI's protocol.
    pub(crate) fn answering(command: &str) -> Self {
        let event =
            serde_json::json!({"choices": [{"delta": {"content": command}, "finish_reason": "stop"}]});
        let body = format!("data: {event}\n\ndata: [DONE]\n\n");
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n";
        Self::start(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()))
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    /// Returns the profile of this server, with additional configuration lines.
    pub(crate) fn profile(&self, name: &str, lines: &str) -> String {
        let port = self.port;
        format!(
            "[profiles.{name}]\nprotocol = \"openai\"\nurl = \"http://127.0.0.1:{port}/v1\"\nname = \"some-model\"\n{lines}\n"
        )
    }
}

/// Reads the head and body of one request.
fn request(connection: &mut TcpStream) -> String {
    connection.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut read = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(n) = connection.read(&mut chunk) {
        read.extend_from_slice(&chunk[..n]);
        let text = String::from_utf8_lossy(&read).into_owned();
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
            length.is_some_and(|length: usize| length <= body.len())
        });
        if n == 0 || whole || REQUEST_MAX < read.len() {
            break;
        }
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// Returns a port on which no process listens.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Runs `askline suggest` with this configuration, in which `HOME/` is replaced by the home directory, and with a
/// script of `replies` as its profile `script`.
fn suggest(config: &str, replies: &str) -> Askline {
    suggest_for("list the files", config, replies)
}

fn suggest_for(request: &str, config: &str, replies: &str) -> Askline {
    let script = "[profiles.script]\nprotocol = \"scripted\"\nfile = \"/dev/null\"\n";
    let run = Askline::new(["suggest", "--shell", "bash", "--json", request]);
    let file = run.path("replies.jsonl");
    let config = format!("{config}{}", script.replace("/dev/null", &file.display().to_string()));
    run.file("replies.jsonl", replies).config(&config)
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_key_goes_to_its_server_and_nowhere_else() {
    let server = Server::answering("ls -l");
    let by_variable = server.profile("team", "key_env = \"TEAM_KEY\"");
    let by_command = server.profile("team", &format!("key_cmd = \"/bin/echo {KEY}\""));
    for (config, variable) in [(by_variable, KEY), (by_command, "")] {
        let config = format!("profile = \"team\"\n{config}");
        for args in [
            &["suggest", "--shell", "bash", "list the files"][..],
            &["suggest", "--debug", "--shell", "bash", "list the files"],
            &["suggest", "--shell", "bash", "--json", "--timing", "list the files"],
            &["suggest", "--show-request", "list the files"],
            &["config", "show"],
            &["model", "list"],
            &["doctor"],
            &["doctor", "--json"],
        ] {
            let before = server.heard().len();
            let ran = Askline::new(args.iter().copied()).config(&config).env("TEAM_KEY", variable).run();
            let asks = args[0] == "suggest" && args[1] != "--show-request";
            assert!(
                !format!("{}{}", ran.stdout, ran.stderr).contains("Geheim"),
                "{args:?}: {}{}",
                ran.stdout,
                ran.stderr
            );
            let heard = server.heard();
            assert_eq!(heard.len() - before, usize::from(asks), "{args:?}: {}", ran.stderr);
            if asks {
                assert!(ran.stdout.contains("ls -l"), "{}{}", ran.stdout, ran.stderr);
                let (head, body) = heard[before].split_once("\r\n\r\n").unwrap();
                assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
                assert!(
                    head.to_lowercase().contains(&format!("authorization: bearer {}", KEY.to_lowercase())),
                    "{head}"
                );
                assert!(!body.contains("Geheim") && body.contains("list the files"), "{body}");
            }
        }
    }
}

/// The password managers of docs/servers.md, each as a fake program on PATH that records its arguments.
const MANAGERS: [&str; 4] = [
    "secret-tool lookup service askline username team",
    "pass show team",
    "op read op://Private/team/credential",
    "security find-generic-password -s askline -w",
];

/// Returns a run of `suggest` with this `key_cmd`, whose program is a script with this body.
fn with_manager(server: &Server, key_cmd: &str, body: &str) -> Askline {
    let config = server.profile("team", &format!("key_cmd = \"{key_cmd}\""));
    let program = key_cmd.split(' ').next().unwrap();
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/arguments\"\n{body}\n");
    let run = Askline::new(["suggest", "--shell", "bash", "--json", "list the files"])
        .config(&format!("profile = \"team\"\n{config}"))
        .file(&format!("bin/{program}"), &script);
    let (directory, file) = (run.path("bin"), run.path(&format!("bin/{program}")));
    fs::set_permissions(file, fs::Permissions::from_mode(0o700)).unwrap();
    run.env("PATH", &format!("{}:/usr/bin:/bin", directory.display()))
}

#[test]
fn a_password_manager_gives_the_key() {
    for key_cmd in MANAGERS {
        let server = Server::answering("ls -l");
        let ran = with_manager(&server, key_cmd, &format!("echo {KEY}")).run().code(0);
        let arguments = fs::read_to_string(ran.path("arguments")).unwrap();
        assert_eq!(arguments, key_cmd.replace(' ', "\n").split_once('\n').unwrap().1.to_owned() + "\n");
        let heard = server.heard();
        assert!(heard[0].contains(&format!("Bearer {KEY}\r\n")), "{key_cmd}: {}", heard[0]);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("Geheim"), "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_password_manager_that_fails_or_hangs_is_named_and_its_server_not_asked() {
    let faults = [("echo sk-Geheim123 >&2; exit 1", "it failed"), ("sleep 60", "did not end in time")];
    let server = Server::answering("ls -l");
    thread::scope(|scope| {
        for (key_cmd, (body, fault)) in MANAGERS.into_iter().flat_map(|m| faults.map(|fault| (m, fault))) {
            let server = &server;
            scope.spawn(move || {
                let begun = Instant::now();
                let ran = with_manager(server, key_cmd, body).run().code(2);
                let said = "profile `team`: its key_cmd gave no key; run it yourself to see why: ";
                let error = json(&ran.stdout)["error"].as_str().unwrap().to_owned();
                assert!(error.starts_with(said) && error.contains(fault), "{key_cmd}: {error}");
                assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("Geheim"), "{key_cmd}");
                assert!(begun.elapsed() < Duration::from_secs(30), "{key_cmd}");
            });
        }
    });
    assert_eq!(server.heard().len(), 0);
}

#[test]
fn what_is_shown_of_a_request_is_what_is_sent() {
    let server = Server::answering("ls -l");
    let config = format!("profile = \"team\"\n{}", server.profile("team", "key_env = \"TEAM_KEY\""));
    let ask = |args: &[&str]| {
        let all = ["suggest", "--shell", "bash"].iter().chain(args).copied();
        Askline::new(all).config(&config).env("TEAM_KEY", KEY).run().code(0).stdout
    };
    let shown = ask(&["--show-request", "list \"the\" files"]);
    assert_eq!(server.heard().len(), 0);
    ask(&["list \"the\" files"]);
    let heard = server.heard();
    assert_eq!(heard[0].split_once("\r\n\r\n").unwrap().1, shown.trim_end());
    assert!(shown.contains("list \\\"the\\\" files"), "{shown}");
}

/// A secret in the request is not sent; it is put back into the command that comes back.
#[test]
fn secrets_do_not_leave() {
    let secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    let server =
        Server::answering("curl -H 'Authorization: token SECRET_1_PLACEHOLDER' https://example.com/user");
    let config = format!("profile = \"team\"\n{}", server.profile("team", ""));
    let words = format!("ask https://example.com/user who I am with the token {secret}");
    for args in [&["--show-request", words.as_str()][..], &[words.as_str()]] {
        let all = ["suggest", "--shell", "bash"].iter().chain(args).copied();
        let ran = Askline::new(all).config(&config).run().code(0);
        let shows = args.len() == 2;
        assert_eq!(ran.stdout.contains(&secret), !shows, "{}", ran.stdout);
        assert_eq!(ran.stdout.contains("SECRET_1_PLACEHOLDER"), shows, "{}", ran.stdout);
    }
    let heard = server.heard();
    assert_eq!(heard.len(), 1);
    assert!(!heard[0].contains(&secret) && heard[0].contains("SECRET_1_PLACEHOLDER"), "{}", heard[0]);
}

#[test]
fn without_its_key_a_server_is_not_asked() {
    let server = Server::answering("ls");
    let ran =
        suggest(&format!("profile = \"team\"\n{}", server.profile("team", "key_env = \"TEAM_KEY\"")), "")
            .run();
    let said =
        "profile `team`: the variable TEAM_KEY is not set; export the key in it, or use key_cmd or key_file";
    assert_eq!(json(&ran.stdout)["error"], said);
    assert_eq!((ran.code, server.heard().len()), (2, 0));
    // The next model in the order answers, and the output gives the reason.
    let config = format!(
        "profile = \"team\"\n[fallback]\norder = [\"team\", \"script\"]\n{}",
        server.profile("team", "key_env = \"TEAM_KEY\"")
    );
    let ran = suggest(&config, r#"{"reply": "ls -a"}"#).run().code(0);
    let answer = json(&ran.stdout);
    assert_eq!(answer["command"], "ls -a");
    assert!(answer["fallback"][0].as_str().unwrap().contains(said), "{answer}");
    assert_eq!(server.heard().len(), 0);
}

/// A server that is the second model gets nothing that the model here is sure of; one that is only a profile gets nothing.
#[test]
fn a_second_model_on_a_server_gets_only_what_the_first_is_unsure_of() {
    let server = Server::answering("ls -d */");
    let config = |roles: &str| format!("profile = \"script\"\n{roles}{}", server.profile("team", ""));
    let roles = "[roles]\nsecond = \"team\"\n";
    for (roles, mean, command, source, heard) in [
        (roles, "0.99", "ls", "scripted", 0),
        ("", "0.5", "ls", "scripted", 0),
        (roles, "0.5", "ls -d */", "127.0.0.1", 1),
    ] {
        let ran = suggest(&config(roles), &format!(r#"{{"reply": "ls", "mean": {mean}}}"#)).run().code(0);
        let answer = json(&ran.stdout);
        assert_eq!((&answer["command"], server.heard().len()), (&command.into(), heard), "{answer}");
        assert!(answer["source"].as_str().unwrap().starts_with(source), "{answer}");
    }
    // It also answers questions in words.
    let answers = Server::answering("An inode describes one file.");
    let config = format!("profile = \"script\"\n{roles}{}", answers.profile("team", ""));
    let ran = suggest_for("what is an inode", &config, "").run();
    let told = "An inode describes one file. (the model's own words, not checked)";
    assert_eq!(json(&ran.stdout)["error"], told);
    assert_eq!(answers.heard().len(), 1);
    // A first model that can't be asked is no reason to ask it.
    let ran = suggest(&config, r#"{"fail": "no memory"}"#).run();
    assert!(json(&ran.stdout)["command"].is_null(), "{}", ran.stdout);
    assert_eq!(answers.heard().len(), 1);
    // Without it the first one goes on alone, and the reason is told.
    let gone = format!(
        "profile = \"script\"\n{roles}[profiles.team]\nprotocol = \"openai\"\nurl = \"http://127.0.0.1:{}/v1\"\nname = \"m\"\n",
        closed_port()
    );
    let ran = suggest(&gone, "{\"reply\": \"ls\", \"mean\": 0.5}\n{\"reply\": \"ls\", \"mean\": 0.5}")
        .run()
        .code(0);
    let answer = json(&ran.stdout);
    assert_eq!(answer["command"], "ls");
    assert!(answer["fallback"][0].as_str().unwrap().contains("gave no second answer"), "{answer}");
}

#[test]
fn the_next_is_asked_when_a_server_is_gone_busy_closed_or_silent() {
    let gone = format!(
        "[profiles.team]\nprotocol = \"openai\"\nurl = \"http://127.0.0.1:{}/v1\"\nname = \"m\"\n",
        closed_port()
    );
    let empty = "Content-Length: 0\r\nConnection: close\r\n\r\n";
    let busy = Server::start(format!("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 60\r\n{empty}"));
    let broken = Server::start(format!("HTTP/1.1 503 Service Unavailable\r\n{empty}"));
    let closed = Server::start(format!("HTTP/1.1 401 Unauthorized\r\n{empty}"));
    let silent = Server::start(String::new());
    for (config, limit_s) in [
        (gone, 2),
        (busy.profile("team", ""), 2),
        (broken.profile("team", ""), 4),
        (closed.profile("team", ""), 2),
        (silent.profile("team", "first_byte_ms = 300"), 3),
        (silent.profile("team", "deadline_ms = 300"), 3),
    ] {
        let config = format!("profile = \"team\"\n[fallback]\norder = [\"team\", \"script\"]\n{config}");
        let begun = Instant::now();
        let ran = suggest(&config, r#"{"reply": "ls -a"}"#).run();
        assert!(begun.elapsed() < Duration::from_secs(limit_s), "{config}: {:?}", begun.elapsed());
        let answer = json(&ran.stdout);
        let told = answer["fallback"][0].as_str().unwrap_or_default().to_owned();
        assert_eq!(answer["command"], "ls -a", "{config}: {answer}");
        assert!(answer["source"].as_str().unwrap().starts_with("scripted:"), "{answer}");
        assert!(told.contains("127.0.0.1:") && told.contains("replies.jsonl answered instead"), "{told}");
    }
    assert!(!busy.heard().is_empty() && !broken.heard().is_empty() && !silent.heard().is_empty());
}

/// Each profile in an order gets the prompt form that it asks for, whichever profile is first.
#[test]
fn each_model_of_an_order_is_asked_in_its_own_form() {
    let broken = Server::start(
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
    );
    let (one, chat) = ("prompt = \"solved\"", "prompt = \"chat\"");
    for (first, then) in [(one, chat), (chat, one)] {
        let before = broken.heard().len();
        let config = format!(
            "profile = \"a\"\n[fallback]\norder = [\"a\", \"b\", \"script\"]\n{}{}",
            broken.profile("a", first),
            broken.profile("b", then)
        );
        let ran = suggest(&config, r##"{"reply": "ls -a", "must_contain": "\n\n# list the files\n"}"##).run();
        assert_eq!(json(&ran.stdout)["command"], "ls -a", "{}", ran.stdout);
        let heard = broken.heard();
        let solved: Vec<bool> = heard[before..].iter().map(|body| body.contains("\"assistant\"")).collect();
        assert_eq!(solved, [first == one, then == one]);
        assert!(heard[before..].iter().all(|body| body.contains("list the files")));
    }
}

/// The server gets only what `[context]` permits, without secrets, and `--show-request` shows it beforehand.
#[test]
fn a_server_is_told_what_the_configuration_lets_out() {
    let secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    let server = Server::answering("ls -l");
    let config = format!(
        "profile = \"team\"\n[context]\nlisting = \"all\"\ncwd = \"local\"\n[prefer]\nnotes = [\"mine alone\"]\n{}",
        server.profile("team", "")
    );
    let ask = |args: &[&str]| {
        let all = ["suggest", "--shell", "bash"].iter().chain(args).copied();
        let run = Askline::new(all).config(&config).file(&format!("token {secret}"), "");
        let home = run.path("").display().to_string();
        (run.run().code(0).stdout, home)
    };
    let (shown, home) = ask(&["--show-request", "list the files"]);
    ask(&["list the files"]);
    let heard = server.heard();
    assert_eq!(heard[0].split_once("\r\n\r\n").unwrap().1, shown.trim_end());
    assert!(shown.contains(r#"files in it: \""#) && shown.contains(r#"\nlist the files""#), "{shown}");
    assert!(!shown.contains(&secret) && shown.contains("token SECRET_1_PLACEHOLDER"), "{shown}");
    assert!(!shown.contains("mine alone"), "{shown}");
    assert!(!shown.contains("directory: ") && !shown.contains(home.trim_end_matches('/')), "{shown}");
}

#[test]
fn a_local_model_that_fails_is_not_followed_by_a_server_unless_it_was_written_so() {
    let server = Server::answering("ls -l");
    let team = server.profile("team", "");
    let fails = r#"{"fail": "no memory"}"#;
    for order in ["", "[fallback]\norder = [\"team\"]\n", "[fallback]\norder = [\"team\", \"script\"]\n"] {
        let ran = suggest(&format!("profile = \"script\"\n{order}{team}"), fails).run().code(1);
        assert_eq!(
            (json(&ran.stdout)["error"].as_str(), server.heard().len()),
            (Some("no memory"), 0),
            "{order}"
        );
    }
    let config = format!("profile = \"script\"\n[fallback]\norder = [\"script\", \"team\"]\n{team}");
    let answer = json(&suggest(&config, fails).run().code(0).stdout);
    assert_eq!(
        (&answer["command"], &answer["source"]),
        (&"ls -l".into(), &format!("127.0.0.1:{}", server.port).into())
    );
    assert!(answer["fallback"][0].as_str().unwrap().contains("no memory"), "{answer}");
}

#[test]
fn a_working_directory_configures_nothing() {
    let server = Server::answering("ls -l");
    let config =
        format!("profile = \"team\"\n{}", server.profile("team", &format!("key_cmd = \"/bin/echo {KEY}\"")));
    let mut run = Askline::new(["config", "show"]);
    for name in [
        "config.toml",
        "askline.toml",
        ".askline.toml",
        ".askline/config.toml",
        "askline/config.toml",
        ".env",
    ] {
        run = run.file(name, &config);
    }
    let ran = run.run().code(0);
    assert!(!ran.stdout.contains("team"), "{}", ran.stdout);
    let relative = Askline::new(["suggest", "list", "files"]).file("config.toml", &config);
    let ran = relative.env("ASKLINE_CONFIG", "config.toml").run().stdout("").code(2);
    expect![[r#"
        askline: config.toml: ASKLINE_CONFIG is a relative path; set it to a full path
    "#]]
    .assert_eq(&ran.stderr);
    assert_eq!(server.heard().len(), 0);
}

#[test]
fn servers_are_listed_and_looked_at_without_being_asked() {
    let server = Server::answering("ls -l");
    let config = format!(
        "profile = \"team\"\n[fallback]\norder = [\"team\", \"other\", \"local\"]\n{}{}[profiles.half]\nprotocol = \"ollama\"\n",
        server.profile("team", "key_env = \"TEAM_KEY\""),
        server.profile("other", "key_file = \"/nowhere/key\"")
    );
    let here = |text: &str| text.replace(&server.port.to_string(), "PORT");
    let ran = Askline::new(["model", "list"]).config(&config).env("TEAM_KEY", KEY).run().code(0);
    let told = here(ran.stdout.split_once("\nPROFILE").unwrap().1);
    expect![[r#"
          PROTOCOL  MODEL       SERVER           KEY                    STATE
        other    openai    some-model  127.0.0.1:PORT  missing                fallback 1
        team     openai    some-model  127.0.0.1:PORT  the variable TEAM_KEY  in use

        models are asked in this order: team, then other, then local:qwen2.5-coder-0.5b-instruct-q4_k_m

        profile `half` has no `url`; add it to [profiles.half]
        profile `other`: there is no file /nowhere/key; put the key into it and run `chmod 600 /nowhere/key`
    "#]]
    .assert_eq(&told);
    let ran = Askline::new(["doctor"])
        .config(&config)
        .env("TEAM_KEY", KEY)
        .env("HTTPS_PROXY", "http://me:Geheim@proxy.example:3128/")
        .run();
    let about = ["model:", "profile:", "fallback:", "proxy:"];
    let mut lines = ran.stdout.lines();
    let mut told = String::new();
    while let Some(line) = lines.next() {
        if about.iter().any(|subject| line.get(6..).is_some_and(|rest| rest.starts_with(subject))) {
            told.push_str(&format!("{}\n", here(line)));
            if !line.starts_with("ok") {
                told.push_str(&format!("{}\n", lines.next().unwrap_or_default()));
            }
        }
    }
    expect![[r#"
        ok    model: team (openai:some-model at 127.0.0.1:PORT), key from the variable TEAM_KEY, deadline 8 s
        warn  profile: profile `half` has no `url`; add it to [profiles.half]
              correct it to use this profile
        warn  profile: other (openai:some-model at 127.0.0.1:PORT) has no key
              profile `other`: there is no file /nowhere/key; put the key into it and run `chmod 600 /nowhere/key`
        ok    fallback: team, then other, then local:qwen2.5-coder-0.5b-instruct-q4_k_m
        ok    proxy: servers are reached through proxy.example:3128 (HTTPS_PROXY), except those in NO_PROXY
    "#]].assert_eq(&told);
    assert_eq!(server.heard().len(), 0);
}

/// Returns what `askline doctor --online` reports about servers with this configuration, with ports removed, and the
/// exit code.
fn tried(config: &str, ports: &[u16]) -> (String, i32) {
    let run = Askline::new(["doctor", "--online", "--json"]).config(config).env("TEAM_KEY", KEY);
    let ran = run.env("HTTPS_PROXY", "http://me:Geheim@127.0.0.1:1/").run();
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("Geheim"), "{}{}", ran.stdout, ran.stderr);
    let mut told = String::new();
    for row in json(&ran.stdout).as_array().unwrap().iter().filter(|row| row["subject"] == "online") {
        told += &format!("{}: {}\n", row["grade"].as_str().unwrap(), row["text"].as_str().unwrap());
        if let Some(remedy) = row["remedy"].as_str().filter(|remedy| !remedy.is_empty()) {
            told += &format!("    {remedy}\n");
        }
    }
    for port in ports {
        told = told.replace(&port.to_string(), "PORT");
    }
    // Times vary between runs.
    let words = told
        .split(' ')
        .map(|word| if word.contains('.') && word.parse::<f64>().is_ok() { "TIME" } else { word });
    (words.collect::<Vec<_>>().join(" "), ran.code)
}

#[test]
fn doctor_tries_the_servers_that_the_key_would_ask() {
    let answering = Server::answering("ls -l");
    let wordy = Server::answering("I can't help with that.");
    let closed = Server::start(
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}".to_owned(),
    );
    let silent = Server::start(String::new());
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let team = answering.profile("team", "key_env = \"TEAM_KEY\"");
    let ports = [answering.port, wordy.port, closed.port, silent.port, nowhere];
    let (told, code) = tried(&format!("profile = \"team\"\n{team}"), &ports);
    expect![[r#"
        ok: team (openai:some-model at 127.0.0.1:PORT) answers: first token after TIME s, whole answer after TIME s, 0 + 1 tokens
    "#]]
    .assert_eq(&told);
    let heard = answering.heard();
    assert_eq!((heard.len(), code), (1, 0), "{told}");
    assert!(heard[0].len() < 1000, "it is a small request: {}", heard[0]);
    assert!(heard[0].to_lowercase().contains(&format!("authorization: bearer {}", KEY.to_lowercase())));

    let order =
        "[fallback]\norder = [\"team\", \"words\", \"closed\", \"silent\", \"gone\", \"far\", \"local\"]\n";
    let rest = [
        wordy.profile("words", ""),
        closed.profile("closed", "key_env = \"TEAM_KEY\""),
        silent.profile("silent", "first_byte_ms = 200"),
        answering.profile("gone", "").replace(&answering.port.to_string(), &nowhere.to_string()),
        "[profiles.far]\nprotocol = \"anthropic\"\nurl = \"https://models.example\"\nname = \"m\"\n"
            .to_owned(),
    ];
    let (told, code) = tried(&format!("profile = \"team\"\n{order}{team}{}", rest.concat()), &ports);
    assert_eq!((answering.heard().len(), code), (2, 1), "{told}");
    expect![[r#"
        ok: team (openai:some-model at 127.0.0.1:PORT) answers: first token after TIME s, whole answer after TIME s, 0 + 1 tokens
        warn: words (openai:some-model at 127.0.0.1:PORT) answers, but without a command: first token after TIME s, whole answer after TIME s, 0 + 1 tokens
            use another model: this one may not follow instructions
        fault: closed (openai:some-model at 127.0.0.1:PORT) gave no answer after TIME s
            127.0.0.1:PORT: it refuses the key (401); check the variable TEAM_KEY
        fault: silent (openai:some-model at 127.0.0.1:PORT) gave no answer after TIME s
            127.0.0.1:PORT: no answer within 200ms; try again or raise `first_byte_ms`
        fault: gone (openai:some-model at 127.0.0.1:PORT) gave no answer after TIME s
            127.0.0.1:PORT: can't connect: Connection refused (os error 111); is it running? check `url` in the profile
        fault: far (anthropic:m at models.example) through the proxy 127.0.0.1:1 (HTTPS_PROXY) gave no answer after TIME s
            models.example: can't connect through the proxy 127.0.0.1:1: Connection refus…; check HTTPS_PROXY and NO_PROXY
        ok: local:qwen2.5-coder-0.5b-instruct-q4_k_m is not on a server: nothing to test online
    "#]].assert_eq(&told);
    // A local model is not tried, and a scripted model sends nothing.
    let (told, _) = tried("", &[]);
    expect![[r#"
        ok: local:qwen2.5-coder-0.5b-instruct-q4_k_m is not on a server: nothing to test online
    "#]]
    .assert_eq(&told);
    // Without a key no server is asked.
    let before = answering.heard().len();
    let missing = answering.profile("team", "key_file = \"/nowhere/key\"");
    let (told, code) = tried(&format!("profile = \"team\"\n{missing}"), &ports);
    assert!(told.contains("there is no file /nowhere/key"), "{told}");
    assert_eq!((answering.heard().len(), code), (before, 1));
}

/// A key command that waits for input must not outlive the helper.
#[cfg(target_os = "linux")]
#[test]
fn a_key_command_ends_with_the_helper() {
    let server = Server::answering("ls -l");
    let run = Askline::new(["line", "--shell", "bash"]).stdin("list the files");
    let script = run.path("show-key").display().to_string();
    let body = "#!/bin/sh\ncd \"$HOME\"; touch begun; sleep 2; touch ended\n";
    let config = format!(
        "profile = \"team\"\ndeadline_ms = 300\n{}",
        server.profile("team", &format!("key_cmd = \"/bin/sh {script}\""))
    );
    // Runs without a controlling terminal.
    let ran = run.file("show-key", body).config(&config).in_sh("setsid -w RUN").run().code(3);
    assert!(ran.stdout.contains("no answer in time"), "{}", ran.stdout);
    assert!(ran.path("begun").exists());
    thread::sleep(Duration::from_millis(2200));
    assert!(!ran.path("ended").exists(), "it went on");
    assert_eq!(server.heard().len(), 0);
}
