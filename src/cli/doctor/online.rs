//! Tests of the models on servers, for `--online` only: one small request to each that a key press may ask, through
//! the same client, with its key, its proxy and its deadlines.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use super::super::{AppContext, print_message};
use super::model::model;
use super::{Finding, fault, fine, warning};
use crate::answer::{self, Answer};
use crate::config::{Config, ModelChoice};
use crate::metrics::Outcome;
use crate::models::{self, Purpose};
use askline_host::Host;
use askline_model::prompt::{Form, Prompt};
use askline_model::remote;
use askline_model::request_control::RequestControl;
use askline_model::server::ServerProfile;
use askline_syntax::shell::Shell;

const SUBJECT: &str = "online";

/// Tests the configured model, its fallbacks and a second one on a server, one after the other. A failure is a fault, because the user asked
/// for this test.
pub(super) fn tried(config: &Config, app: &AppContext) -> Vec<Finding> {
    let fallback = config.fallback.iter().zip(config.fallback_forms.iter().copied());
    let all = [(&config.model, config.form)].into_iter().chain(fallback);
    // A second one on this machine has been checked already.
    let second =
        config.second.iter().map(|(model, form)| (model, *form)).filter(|(model, _)| model.is_remote());
    let mut findings = Vec::new();
    for (n, (choice, form)) in all.chain(second).enumerate() {
        let alone =
            Config { model: choice.clone(), form, fallback: Vec::new(), second: None, ..config.clone() };
        match choice {
            ModelChoice::Remote(remote) => findings.push(ask(remote, &alone, app)),
            ModelChoice::Local(_) | ModelChoice::Scripted(_) => {
                findings.push(fine(SUBJECT, format!("{choice} is not on a server: nothing to test online")));
                // The configured model has been checked already.
                findings.extend((0 < n).then(|| model(&alone, app)));
            }
        }
    }
    findings
}

/// Asks the only model of this configuration, with the time limit of a key press.
fn ask(remote: &ServerProfile, config: &Config, app: &AppContext) -> Finding {
    let text = format!("{} ({remote}){}", remote.profile, way(remote, &app.host));
    if io::stderr().is_terminal() {
        print_message(&format!("asking {} …", remote.url.host()));
    }
    let begun = Instant::now();
    let control = RequestControl::until(begun + config.deadline());
    let reply = models::open(config, &app.host, &app.paths, Purpose::Batch)
        .and_then(|mut model| model.complete(&question(), config.max_tokens, &control));
    let took = begun.elapsed();
    // Daily limits apply to this request too.
    app.usage_store().into_iter().for_each(|usage_store| usage_store.record(&control, Outcome::of(&reply)));
    let reply = match reply {
        Ok(reply) => reply,
        // The message ends with the remedy.
        Err(error) => {
            return fault(
                SUBJECT,
                format!("{text} gave no answer after {}", seconds(took)),
                format!("{error:#}"),
            );
        }
    };
    let usage = reply.usage;
    let cost = format!(
        "first token after {}, whole answer after {}, {} + {} tokens",
        seconds(usage.prefill),
        seconds(took),
        usage.prefill_tokens,
        usage.decode_tokens
    );
    match answer::extract(&reply.text, Shell::SH) {
        Answer::Commands(_) => fine(SUBJECT, format!("{text} answers: {cost}")),
        Answer::Words(_) | Answer::Nothing => warning(
            SUBJECT,
            format!("{text} answers, but without a command: {cost}"),
            "use another model: this one may not follow instructions",
        ),
    }
}

/// Returns a request of the usual form without examples: small, and the same each time.
fn question() -> Prompt {
    let fixed = "# One-line bash commands for Linux.\n\n".to_owned();
    Prompt::new(Form::Completion, fixed, "# list the files here\n".to_owned())
}

/// Describes the proxy on the way to the server, if any.
fn way(remote: &ServerProfile, host: &dyn Host) -> String {
    let env = |name: &str| host.env(name).map(|value| value.to_string_lossy().into_owned());
    match remote::proxy(remote.url.as_str(), &env) {
        Ok(Some((proxy, variable))) => format!(" through the proxy {proxy} ({variable})"),
        // The client reports an unusable proxy as a fault.
        Ok(None) | Err(_) => String::new(),
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
