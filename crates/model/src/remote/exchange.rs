//! One request to a server: sending, waiting, reading the stream, and retrying if useful.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};

use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use tokio::time::{sleep, timeout};

use super::events::{EVENT_BYTES_MAX, Events, Framing};
use super::message::{NAME_COLUMNS, message, short};
use super::refusal::{self, After, Refusal, RequestFacts};
use super::response_accumulator::{Fault, FinishReason, ResponseAccumulator};
use super::{ApiKey, Remote, chat_messages};
use crate::failure::Failure;
use crate::http::root;
use crate::prompt::Prompt;
use crate::prompt::talk::ToolCall;
use crate::request_control::RequestControl;
use crate::server::Protocol;
use crate::usage::Tokens;
use crate::{Reply, Usage};

/// Interval between checks of the request control while waiting for the network.
const SLICE: Duration = Duration::from_millis(20);
/// Maximum size of a streamed answer, in bytes. Most of it is framing: some 300 bytes per token.
const BODY_BYTES_MAX: usize = 8 << 20;
/// Maximum number of bytes to read of an error body.
const ERROR_BYTES_MAX: usize = 16 << 10;
/// Maximum wait for an error body, and for the rest of an answer that is already complete.
const REST_WAIT: Duration = Duration::from_millis(300);
/// Maximum number of characters of an unfinished answer that are shown.
const DRAFT_CHARS_MAX: usize = 400;
/// Minimum time between two looks at an unfinished answer.
const DRAFT_PAUSE: Duration = Duration::from_millis(50);
/// Pause before a retry after a possibly transient fault, in milliseconds: minimum, and maximum random
/// addition.
const PAUSE_MS: (u64, u64) = (100, 300);
/// Maximum wait that a server may request, if nothing else limits it.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);
/// Minimum time that must remain for the answer after a requested wait.
const ANSWER_TIME: Duration = Duration::from_millis(500);

/// Reason why one attempt gave no answer.
enum AttemptError {
    /// Permanent.
    Final(Failure),
    /// The prompt does not fit.
    TooLong,
    /// The server or its model knows no tools.
    NoTools,
    /// A retry may succeed.
    Again { failure: Failure, after: After },
}

impl From<Failure> for AttemptError {
    fn from(failure: Failure) -> Self {
        Self::Final(failure)
    }
}

/// Reason why a wait ended early.
enum Waited {
    Spent(Failure),
    Late,
}

impl Remote {
    /// Asks the server, with at most one retry after a possibly transient fault, and one with a shorter prompt
    /// if it was too long.
    pub(super) async fn converse(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        let mut solved = self.fits(prompt, max_tokens);
        let mut tried_again = false;
        loop {
            let body = self.body(prompt, solved, max_tokens)?;
            match self.ask(body, self.offers_tools(prompt), max_tokens, control).await {
                Ok(reply) => return Ok(reply),
                Err(AttemptError::NoTools) => {
                    tracing::debug!("the server refuses tools: asked in words");
                    self.refuses_tools = true;
                }
                Err(AttemptError::TooLong) if solved && chat_messages::can_be_shortened(prompt) => {
                    tracing::debug!("the prompt is too long for the model: asked without solved requests");
                    solved = false;
                }
                Err(AttemptError::TooLong) => {
                    let cause = format!("request too long for the model {}", self.model_name());
                    let failure = self.no_model(&cause, "ask for less, or use a model with a larger context");
                    return Err(failure.into());
                }
                Err(AttemptError::Again { failure, after }) => {
                    let pause =
                        pause(after, control).filter(|_| !tried_again && self.reached(control).is_none());
                    let Some(pause) = pause else {
                        return Err(failure.into());
                    };
                    tracing::debug!("{failure}: asked again after {pause:?}");
                    tried_again = true;
                    if let Err(Waited::Spent(spent)) = wait(control, None, sleep(pause)).await {
                        return Err(spent.into());
                    }
                }
                Err(AttemptError::Final(failure)) => return Err(failure.into()),
            }
        }
    }

    /// Makes one attempt.
    async fn ask(
        &mut self,
        body: String,
        has_tools: bool,
        max_tokens: usize,
        control: &RequestControl,
    ) -> Result<Reply, AttemptError> {
        let asked = Instant::now();
        let estimate = (body.len() / chat_messages::BYTES_A_TOKEN) as u64;
        self.call(control)?;
        let reused = std::mem::replace(&mut self.connected, true);
        let sent = self.client.post(self.endpoint.url.clone()).body(body).send();
        let response = match wait(control, Some(self.spec.first_byte), sent).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                // A server that could not be reached has read nothing.
                if !error.is_connect() {
                    self.spend(&ResponseAccumulator::default(), estimate, control);
                }
                return Err(self.unsent(&error, reused));
            }
            // The server continues to work on an abandoned request, and bills it.
            Err(Waited::Spent(failure)) => {
                self.spend(&ResponseAccumulator::default(), estimate, control);
                return Err(failure.into());
            }
            Err(Waited::Late) => {
                self.spend(&ResponseAccumulator::default(), estimate, control);
                let cause = format!("no answer within {:?}", self.spec.first_byte);
                return Err(self.unavailable(&cause, "try again or raise `first_byte_ms`").into());
            }
        };
        if !response.status().is_success() {
            return Err(self.refused(response, has_tools, control).await);
        }
        // The prompt was read even if the answer was not received to its end. Of the answer, the received part
        // counts.
        let mut accumulator = ResponseAccumulator::default();
        let first = match packed(&response) {
            None => self.listen(response, &mut accumulator, control).await,
            Some(how) => {
                let cause = format!("it compresses its answer ({how}) unasked");
                Err(self.unavailable(&cause, "turn that off on the server or its gateway").into())
            }
        };
        self.spend(&accumulator, estimate, control);
        let first = first?;
        let reply = self.reply(accumulator, has_tools, max_tokens, asked, first)?;
        control.usage().answered(&self.name(), asked.elapsed());
        Ok(reply)
    }

    /// Counts a request that is about to be sent, or fails if a limit is reached.
    fn call(&self, control: &RequestControl) -> Result<(), Failure> {
        if let Some((cause, remedy)) = self.reached(control) {
            return Err(self.unavailable(&cause, remedy));
        }
        control.usage().call(&self.name(), true);
        Ok(())
    }

    fn reached(&self, control: &RequestControl) -> Option<(String, &'static str)> {
        let usage = control.usage();
        self.allowance.limits.reached(&usage.servers_of_press(), &usage.servers(), &self.allowance.today)
    }

    /// Counts the usage of a request; `prompt` is the estimate to use if the server reports no prompt tokens.
    fn spend(&self, accumulator: &ResponseAccumulator, prompt: u64, control: &RequestControl) {
        let cached = accumulator.cached_tokens as u64;
        let tokens = Tokens {
            prompt: accumulator.prompt_tokens.map_or(prompt, |computed| computed as u64 + cached),
            cached,
            completion: accumulator.answer_tokens.unwrap_or(accumulator.pieces) as u64,
        };
        let cost = self.allowance.prices.map(|prices| prices.cost(tokens));
        control.usage().spend(&self.name(), tokens, cost);
    }

    /// Reads a streamed answer into `accumulator` to its end; returns the time of its first event.
    async fn listen(
        &self,
        mut response: Response,
        accumulator: &mut ResponseAccumulator,
        control: &RequestControl,
    ) -> Result<Instant, AttemptError> {
        let mut events: Option<Events> = None;
        let mut first = None;
        let mut rest_until = None;
        let mut shown_at = None;
        let mut bytes = 0;
        loop {
            if accumulator.end.is_some() {
                rest_until.get_or_insert_with(|| Instant::now() + REST_WAIT);
            }
            let limit = rest_until.map(|until| until.saturating_duration_since(Instant::now()));
            if accumulator.end.is_none()
                && let Some(failure) = control.spent(Instant::now())
            {
                return Err(failure.into());
            }
            let piece = match wait(control, limit, response.chunk()).await {
                Ok(Ok(piece)) => piece,
                Err(Waited::Spent(Failure::Cancelled)) => return Err(Failure::Cancelled.into()),
                // The answer is complete; only usage figures are missing.
                Ok(Err(_)) | Err(_) if accumulator.end.is_some() => break,
                Ok(Err(_)) => return Err(self.broken_off().into()),
                Err(Waited::Spent(failure)) => return Err(failure.into()),
                Err(Waited::Late) => break,
            };
            let ended = piece.is_none();
            let piece = piece.unwrap_or_default();
            bytes += piece.len();
            if BODY_BYTES_MAX < bytes {
                return Err(self.unreadable("its answer is too long to be a command").into());
            }
            if events.is_none() && !piece.trim_ascii().is_empty() {
                if refusal::is_page(response.headers(), &piece) {
                    return Err(self.attempt_error(refusal::not_a_model_server()));
                }
                events = Some(Events::new(framing(self.spec.protocol, &piece)));
            }
            let Some(events) = &mut events else {
                if ended {
                    break;
                }
                continue;
            };
            let found = if ended { events.end() } else { events.push(&piece) };
            for event in found.map_err(|why| self.unreadable(&why.to_string()))? {
                // A server that sends faster than it can be read never causes a wait, so the deadline must be
                // checked between events, too.
                if accumulator.end.is_none()
                    && let Some(failure) = control.spent(Instant::now())
                {
                    return Err(failure.into());
                }
                first.get_or_insert_with(Instant::now);
                match accumulator.take(self.spec.protocol, &event) {
                    Ok(()) => self.show(&accumulator.text, &mut shown_at, control),
                    // Data after the end can't change the answer.
                    Err(_) if accumulator.end.is_some() => accumulator.closed = true,
                    Err(Fault::Broken(_)) if ended && 1 < accumulator.events => {
                        return Err(self.broken_off().into());
                    }
                    Err(Fault::Broken(why)) => return Err(self.unreadable(why).into()),
                    Err(Fault::Reported(words)) => {
                        let cause = format!("it failed: {words}");
                        return Err(self.unavailable(&cause, "try again").into());
                    }
                }
                if accumulator.closed {
                    break;
                }
            }
            if ended {
                if events.framing() == Framing::Whole && 0 < accumulator.events {
                    // A single JSON value is complete if it can be parsed.
                    accumulator.end.get_or_insert(FinishReason::Whole);
                }
                break;
            }
            if accumulator.closed {
                // The connection can be reused only after its end was read.
                let _ = timeout(SLICE, response.chunk()).await;
                break;
            }
        }
        Ok(first.unwrap_or_else(Instant::now))
    }

    /// Shows what was received so far, but no part of a key, unless that was done just now.
    fn show(&self, text: &str, shown_at: &mut Option<Instant>, control: &RequestControl) {
        if shown_at.is_some_and(|at| at.elapsed() < DRAFT_PAUSE) {
            return;
        }
        *shown_at = Some(Instant::now());
        let text = if self.endpoint.raw { first_line(text) } else { text };
        let start: String = text.chars().take(DRAFT_CHARS_MAX).collect();
        match &self.spec.key {
            Some(key) => control.write(&key.hidden_in(&start)),
            None => control.write(&start),
        }
    }

    /// Returns the received answer as a reply if it is complete.
    fn reply(
        &self,
        accumulator: ResponseAccumulator,
        has_tools: bool,
        max_tokens: usize,
        asked: Instant,
        first: Instant,
    ) -> Result<Reply, AttemptError> {
        let no_command = |cause: &str, remedy: &str| Failure::NoCommand(self.row(cause, remedy));
        let other_words = "rephrase the request";
        match accumulator.end {
            None if accumulator.events == 0 => {
                return Err(self.unavailable("its answer is empty", "try again").into());
            }
            None => return Err(self.broken_off().into()),
            Some(FinishReason::Cut) if !(self.endpoint.raw && has_whole_line(&accumulator.text)) => {
                let tokens = max_tokens + self.quirks.thinking;
                let cause = format!("the answer is longer than {tokens} tokens");
                return Err(no_command(&cause, "ask for less at once or raise `max_tokens`").into());
            }
            Some(FinishReason::Tool) if !has_tools || accumulator.calls.is_empty() => {
                return Err(no_command("the model called a tool and gave no command", other_words).into());
            }
            Some(FinishReason::Refused) => {
                let words =
                    if accumulator.text.trim().is_empty() { "no reason given" } else { &accumulator.text };
                return Err(no_command(&format!("refused: {words}"), other_words).into());
            }
            Some(FinishReason::Whole | FinishReason::Cut | FinishReason::Tool) => {}
        }
        let calls = accumulator.calls.into_iter().filter(|_| has_tools);
        let calls: Vec<ToolCall> = calls.map(|part| part.call).collect();
        let has_key = |key: &ApiKey| {
            key.is_in(&accumulator.text) || calls.iter().any(|call| key.is_in(&call.arguments))
        };
        if self.spec.key.as_ref().is_some_and(has_key) {
            let remedy = "check what answers at `url` in the profile";
            return Err(self.unavailable("its answer contains your key", remedy).into());
        }
        if accumulator.text.trim().is_empty() && calls.is_empty() {
            return Err(no_command("no command in its answer", other_words).into());
        }
        let usage = Usage {
            prefill_tokens: accumulator.prompt_tokens.unwrap_or_default(),
            cached_tokens: accumulator.cached_tokens,
            prefill: first.saturating_duration_since(asked),
            decode_tokens: accumulator.answer_tokens.unwrap_or(accumulator.pieces),
            decode: first.elapsed(),
        };
        // Text completion continues after the command; in a chat the model ends its answer itself.
        let text = if self.endpoint.raw { first_line(&accumulator.text) } else { &accumulator.text };
        Ok(Reply { text: text.trim().to_owned(), calls, usage, ..Reply::default() })
    }

    /// Returns why a request could not be sent or got no response.
    fn unsent(&self, error: &reqwest::Error, reused: bool) -> AttemptError {
        let root = root(error);
        tracing::debug!("not sent: {root}");
        if let Some((_, why)) = root.split_once("invalid peer certificate: ") {
            let why = why.strip_prefix("certificate ").unwrap_or(why);
            let why = short(why.split([':', ';']).next().unwrap_or(why), NAME_COLUMNS);
            let remedy = "if it is yours, name its authority in `ca_file`";
            return self.no_model(&format!("its certificate is refused ({why})"), remedy).into();
        }
        let through = self.proxy.as_ref().map(|proxy| {
            (format!(" through the proxy {}", short(&proxy.name(), NAME_COLUMNS)), proxy.variable)
        });
        let (through, variable) = through.unwrap_or_default();
        if error.is_connect() {
            let remedy = match variable {
                "" => "is it running? check `url` in the profile".to_owned(),
                _ => format!("check {variable} and NO_PROXY"),
            };
            return self.unavailable(&format!("can't connect{through}: {root}"), &remedy).into();
        }
        let failure =
            self.unavailable(&format!("it closed the connection without an answer{through}"), "try again");
        match reused {
            true => AttemptError::Again { failure, after: After::Soon },
            false => failure.into(),
        }
    }

    /// Returns the meaning of a response with an error status.
    async fn refused(
        &self,
        mut response: Response,
        has_tools: bool,
        control: &RequestControl,
    ) -> AttemptError {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        let until = Instant::now() + REST_WAIT;
        while body.len() < ERROR_BYTES_MAX {
            let left = until.saturating_duration_since(Instant::now());
            match wait(control, Some(left), response.chunk()).await {
                Ok(Ok(Some(piece))) => body.extend_from_slice(&piece),
                Err(Waited::Spent(Failure::Cancelled)) => return Failure::Cancelled.into(),
                _ => break,
            }
        }
        body.truncate(ERROR_BYTES_MAX);
        let asked =
            RequestFacts { model: &self.spec.model, key: self.spec.key.as_ref().map(ApiKey::setting) };
        let text = String::from_utf8_lossy(&body);
        if has_tools && refusal::means_no_tools(status, &text) {
            return AttemptError::NoTools;
        }
        self.attempt_error(refusal::read(status, &headers, &text, &asked, SystemTime::now()))
    }

    fn attempt_error(&self, refusal: Refusal) -> AttemptError {
        match refusal {
            Refusal::TooLong => AttemptError::TooLong,
            Refusal::Never { cause, remedy } => self.no_model(&cause, &remedy).into(),
            Refusal::Later { cause, after } => {
                let remedy =
                    if matches!(after, After::Wait(_)) { "try again then" } else { "try again later" };
                AttemptError::Again { failure: self.unavailable(&cause, remedy), after }
            }
        }
    }

    fn broken_off(&self) -> Failure {
        self.unavailable("it closed the connection in the middle of its answer", "try again")
    }

    fn unreadable(&self, cause: &str) -> Failure {
        self.unavailable(cause, "try again, or check `url` and the protocol")
    }

    fn unavailable(&self, cause: &str, remedy: &str) -> Failure {
        Failure::Unavailable(self.row(cause, remedy))
    }

    fn no_model(&self, cause: &str, remedy: &str) -> Failure {
        Failure::NoModel(self.row(cause, remedy))
    }

    /// Returns the name under which usage is counted.
    fn name(&self) -> String {
        format!("{} at {}", self.model_name(), short(&self.spec.source, NAME_COLUMNS))
    }

    fn model_name(&self) -> String {
        short(&self.spec.model, NAME_COLUMNS)
    }

    /// Returns a one-line message for users, with the key removed in case the server repeated it.
    fn row(&self, cause: &str, remedy: &str) -> String {
        let cause = self.spec.key.as_ref().map_or_else(|| cause.to_owned(), |key| key.hidden_in(cause));
        message(&self.spec.source, &cause, remedy)
    }
}

/// Returns the content encoding of a response; only plain text was requested.
fn packed(response: &Response) -> Option<String> {
    let encoding = response.headers().get(CONTENT_ENCODING).filter(|e| e.as_bytes() != b"identity")?;
    Some(encoding.to_str().unwrap_or("unknown").to_owned())
}

/// Waits for `work`, at most `limit`, and checks the request control meanwhile. Unfinished work is dropped.
async fn wait<T>(
    control: &RequestControl,
    limit: Option<Duration>,
    work: impl Future<Output = T>,
) -> Result<T, Waited> {
    let mut work = pin!(work);
    let begun = Instant::now();
    loop {
        let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
        if let Ok(done) = timeout(left.map_or(SLICE, |left| left.min(SLICE)), work.as_mut()).await {
            return Ok(done);
        }
        if let Some(failure) = control.spent(Instant::now()) {
            return Err(Waited::Spent(failure));
        }
        if limit.is_some_and(|limit| limit <= begun.elapsed()) {
            return Err(Waited::Late);
        }
    }
}

/// Returns the pause before a retry, or `None` if there is no time for one.
fn pause(after: After, control: &RequestControl) -> Option<Duration> {
    let pause = match after {
        After::Soon => {
            // A random pause keeps clients that failed together from retrying together; the clock is random
            // enough.
            let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            Duration::from_millis(PAUSE_MS.0 + u64::from(clock.subsec_micros()) % (PAUSE_MS.1 + 1))
        }
        After::Wait(wait) if wait <= RETRY_AFTER_MAX => wait,
        After::Wait(_) | After::Unknown => return None,
    };
    control.spent(Instant::now() + pause + ANSWER_TIME).is_none().then_some(pause)
}

/// Returns the framing of a body that begins with this chunk.
fn framing(protocol: Protocol, piece: &[u8]) -> Framing {
    let start = piece.strip_prefix(b"\xef\xbb\xbf").unwrap_or(piece).trim_ascii_start();
    match protocol {
        Protocol::Ollama => Framing::Lines,
        // A server or gateway that does not stream sends one value.
        Protocol::OpenAi | Protocol::Anthropic if start.starts_with(b"{") || start.starts_with(b"[") => {
            Framing::Whole
        }
        Protocol::OpenAi | Protocol::Anthropic => Framing::Sse,
    }
}

/// Returns the first non-blank line.
fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

fn has_whole_line(text: &str) -> bool {
    text.trim_start().contains('\n')
}

// An event is buffered whole before it is parsed, so a body must be able to contain one.
const _: () = assert!(EVENT_BYTES_MAX <= BODY_BYTES_MAX);
