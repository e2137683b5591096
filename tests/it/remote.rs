//! Models on servers: what is asked byte for byte, what becomes of replies, and every fault that an endpoint can have.

mod exchanges;
mod faults;
mod figures;
mod limits;
mod network;
mod served;
mod server;
mod statuses;

use std::time::{Duration, Instant};

use askline::failure::Failure;
use askline::model::Model as _;
use askline::model::Reply;
use askline::model::remote::{Key, Protocol, Remote, Spec};
use askline::patience::Patience;
use askline::prompt::{self, Form, Prompt};
use askline::shell::Shell;

use self::server::Server;

/// What must never be seen.
const SECRET: &str = "sk-the-secret-0123456789";
/// How long a test's server may take to begin.
const FIRST_BYTE: Duration = Duration::from_millis(600);
/// How long a question may take in all.
const DEADLINE: Duration = Duration::from_secs(2);
/// How much later than that it may be over.
const GRACE: Duration = Duration::from_millis(200);
/// Most columns of a message.
const COLUMNS: usize = 120;
const MAX_TOKENS: usize = 96;

fn spec(protocol: Protocol, url: &str) -> Spec {
    Spec {
        protocol,
        url: url.to_owned(),
        model: "some-model".to_owned(),
        key: None,
        ca_file: None,
        first_byte: FIRST_BYTE,
        source: "team".to_owned(),
    }
}

fn with_key(spec: Spec) -> Spec {
    Spec { key: Some(Key::new(SECRET, "key_env = \"TEAM_KEY\"").unwrap()), ..spec }
}

/// A model at a server of these tests, with a key.
fn remote(server: &Server, protocol: Protocol) -> Remote {
    Remote::open(with_key(spec(protocol, &format!("http://127.0.0.1:{}", server.port())))).unwrap()
}

fn chat() -> Prompt {
    prompt::draft(Form::Chat, "list files", Shell::Bash, "Linux")
}

fn solved() -> Prompt {
    prompt::draft(Form::Completion, "list files", Shell::Bash, "Linux")
}

/// Asks within [`DEADLINE`] and holds the model to what is true of every answer and every failure.
fn ask(remote: &mut Remote, prompt: &Prompt) -> Result<Reply, Failure> {
    let begun = Instant::now();
    let memory = figures::Memory::begin();
    let reply = remote.complete(prompt, MAX_TOKENS, &Patience::until(begun + DEADLINE));
    let took = begun.elapsed();
    let said = reply.as_ref().err().map(|error| format!("askline: {error:#}"));
    figures::note(said.as_deref(), took, memory);
    assert!(took <= DEADLINE + GRACE, "{took:?}");
    reply.map_err(|error| {
        let failure =
            error.downcast_ref::<Failure>().unwrap_or_else(|| panic!("unexpected: {error:#}")).clone();
        let message = format!("askline: {error:#}");
        assert!(unicode_width::UnicodeWidthStr::width(message.as_str()) <= COLUMNS, "{message}");
        assert!(!message.contains(SECRET) && !message.chars().any(char::is_control), "{message}");
        failure
    })
}

/// What a server with these acts makes of a question in OpenAI's protocol.
fn against(acts: Vec<server::Act>) -> (Result<String, Failure>, Server) {
    let server = Server::new(acts);
    let reply = ask(&mut remote(&server, Protocol::OpenAi), &chat());
    (reply.map(|reply| reply.text), server)
}

fn unavailable(message: &str) -> Result<String, Failure> {
    Err(Failure::Unavailable(message.to_owned()))
}

fn no_model(message: &str) -> Result<String, Failure> {
    Err(Failure::NoModel(message.to_owned()))
}

fn no_command(message: &str) -> Result<String, Failure> {
    Err(Failure::NoCommand(message.to_owned()))
}
