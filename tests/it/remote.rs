//! Models on servers: requests byte for byte, the handling of replies, and every fault that an endpoint can have.

mod exchanges;
mod faults;
mod figures;
mod limits;
mod network;
mod served;
mod server;
mod statuses;
mod tools;

use std::time::{Duration, Instant};

use askline_model::Model as _;
use askline_model::Reply;
use askline_model::failure::Failure;
use askline_model::prompt;
use askline_model::prompt::{Form, Prompt};
use askline_model::remote::{ApiKey, Remote, ServerSpec};
use askline_model::request_control::RequestControl;
use askline_model::server::Protocol;
use askline_syntax::shell::Shell;

use self::server::Server;

/// A secret that must never be visible.
const SECRET: &str = "sk-the-secret-0123456789";
/// Time limit for a test's server to begin.
const FIRST_BYTE: Duration = Duration::from_millis(600);
/// Time limit for a whole request.
const DEADLINE: Duration = Duration::from_secs(2);
/// Permitted delay beyond that limit.
const GRACE: Duration = Duration::from_millis(200);
/// Most columns of a message.
const COLUMNS: usize = 120;
const MAX_TOKENS: usize = 96;

fn spec(protocol: Protocol, url: &str) -> ServerSpec {
    ServerSpec {
        protocol,
        url: url.to_owned(),
        model: "some-model".to_owned(),
        key: None,
        ca_file: None,
        first_byte: FIRST_BYTE,
        source: "team".to_owned(),
    }
}

fn with_key(spec: ServerSpec) -> ServerSpec {
    ServerSpec { key: Some(ApiKey::new(SECRET, "key_env = \"TEAM_KEY\"").unwrap()), ..spec }
}

/// Returns a model on a test server, with a key.
fn remote(server: &Server, protocol: Protocol) -> Remote {
    Remote::open(with_key(spec(protocol, &format!("http://127.0.0.1:{}", server.port())))).unwrap()
}

fn chat() -> Prompt {
    prompt::draft(Form::Chat, "list files", Shell::Bash, "Linux")
}

fn solved() -> Prompt {
    prompt::draft(Form::Completion, "list files", Shell::Bash, "Linux")
}

/// Asks within [`DEADLINE`] and checks the properties that every answer and every failure must have.
fn ask(remote: &mut Remote, prompt: &Prompt) -> Result<Reply, Failure> {
    let begun = Instant::now();
    let memory = figures::Memory::begin();
    let reply = remote.complete(prompt, MAX_TOKENS, &RequestControl::until(begun + DEADLINE));
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

/// Returns the answer to a request in OpenAI's protocol from a server that plays these acts.
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
