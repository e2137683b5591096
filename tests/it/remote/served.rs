//! A real server, started by hand: `ASKLINE_TEST_SERVER=http://127.0.0.1:8080 cargo test remote::served -- --ignored
//! --nocapture`. It must speak OpenAI's and Anthropic's protocols, as llama.cpp's server does;
//! `ASKLINE_TEST_SERVER_KEY` is its key, if any.

use std::io::Write as _;
use std::time::{Duration, Instant};

use askline::answer::{self, Answer};
use askline_model::Model as _;
use askline_model::failure::Failure;
use askline_model::prompt;
use askline_model::prompt::{Form, Prompt};
use askline_model::remote::{ApiKey, Remote, ServerSpec};
use askline_model::request_control::RequestControl;
use askline_model::server::Protocol;
use askline_syntax::shell::Shell;

use super::{MAX_TOKENS, spec};

const REQUESTS: &[&str] =
    &["list all files with details", "count the lines of notes.txt", "show the disk usage of this folder"];
/// Time for a CPU without a graphics card to read a long prompt.
const READING: Duration = Duration::from_secs(120);

fn at(protocol: Protocol, path: &str, key: Option<&str>) -> Remote {
    let url = std::env::var("ASKLINE_TEST_SERVER").expect("ASKLINE_TEST_SERVER names a server");
    let key = key.map(|key| ApiKey::new(key, "ASKLINE_TEST_SERVER_KEY").unwrap());
    let spec = spec(protocol, &format!("{}{path}", url.trim_end_matches('/')));
    Remote::open(ServerSpec { key, first_byte: READING, ..spec }).unwrap()
}

fn key() -> Option<String> {
    std::env::var("ASKLINE_TEST_SERVER_KEY").ok()
}

fn say(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

#[test]
#[ignore = "needs a served model"]
fn each_protocol_answers_with_commands() {
    for (protocol, path, form) in [
        (Protocol::OpenAi, "/v1", Form::Chat),
        (Protocol::OpenAi, "/v1", Form::Completion),
        (Protocol::OpenAi, "/v1/completions", Form::Completion),
        (Protocol::Anthropic, "", Form::Chat),
        (Protocol::Anthropic, "", Form::Completion),
    ] {
        let mut model = at(protocol, path, key().as_deref());
        for request in REQUESTS {
            let prompt = prompt::draft(form, request, Shell::Bash, "Linux");
            let asked = Instant::now();
            let reply = model.complete(&prompt, MAX_TOKENS, &RequestControl::until(asked + READING)).unwrap();
            let usage = reply.usage;
            say(&format!(
                "{protocol:?}{path} {form:?} {request:?} -> {:?} ({} + {} tokens, {:.1?} + {:.1?})",
                reply.text, usage.prefill_tokens, usage.decode_tokens, usage.prefill, usage.decode
            ));
            assert!(0 < usage.prefill_tokens && 0 < usage.decode_tokens);
            let Answer::Commands(commands) = answer::extract(&reply.text, Shell::Bash) else {
                panic!("{}", reply.text)
            };
            assert!(!commands[0].is_empty());
        }
    }
}

#[test]
#[ignore = "needs a served model that wants a key and has a window of at most 16384 tokens"]
fn faults_of_a_real_server_are_told() {
    let prompt = prompt::draft(Form::Completion, REQUESTS[0], Shell::Bash, "Linux");
    let ask = |model: &mut Remote, prompt: &Prompt| {
        let reply = model.complete(prompt, MAX_TOKENS, &RequestControl::until(Instant::now() + READING));
        reply.map(|reply| reply.text).map_err(|error| {
            say(&format!("{error:#}"));
            error.downcast::<Failure>().unwrap()
        })
    };
    for wrong in [None, Some("sk-wrong")] {
        let refused = ask(&mut at(Protocol::OpenAi, "/v1", wrong), &prompt);
        assert!(matches!(refused, Err(Failure::NoModel(_))), "{refused:?}");
    }
    let nowhere = ask(&mut at(Protocol::OpenAi, "/nowhere", key().as_deref()), &prompt);
    assert!(matches!(nowhere, Err(Failure::NoModel(_))), "{nowhere:?}");
    // A prompt too long for the context window: askline retries with a shorter one, and reports if that is still too
    // long.
    let solved = "# list the files of a folder\nls folder\n\n".repeat(3000);
    let much = Prompt { fixed: format!("# One-line bash commands for Linux.\n\n{solved}"), ..prompt.clone() };
    assert!(ask(&mut at(Protocol::OpenAi, "/v1", key().as_deref()), &much).is_ok());
    // A user's request is cut long before this length, so this prompt is artificial.
    let fresh = format!("# {}\n", "list files and ".repeat(9000));
    let more = Prompt { fresh, source: None, ..prompt };
    let told = ask(&mut at(Protocol::OpenAi, "/v1", key().as_deref()), &more);
    assert!(matches!(told, Err(Failure::NoModel(_))), "{told:?}");
}

#[test]
#[ignore = "needs a served model"]
fn a_person_who_gives_up_is_not_kept() {
    let mut model = at(Protocol::OpenAi, "/v1", key().as_deref());
    let prompt = prompt::draft(Form::Chat, "explain every command there is at length", Shell::Bash, "Linux");
    let control = RequestControl::endless();
    let giving_up = control.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        giving_up.cancel();
    });
    let begun = Instant::now();
    let reply = model.complete(&prompt, 2000, &control);
    let took = begun.elapsed();
    assert!(took < Duration::from_millis(500), "{took:?}");
    // A model that has already finished has nothing to cancel.
    let cancelled = reply.as_ref().err().and_then(|error| error.downcast_ref()) == Some(&Failure::Cancelled);
    assert!(cancelled || took < Duration::from_millis(300), "{took:?}");
}
