//! `--line`: puts the command on the next prompt, ready to edit.
//!
//! During the wait the plugin controls the terminal like the helper behind the key: a status row, keys that cancel,
//! and no type-ahead, because an Enter on the prompt would run a command that the user has not read.

use std::io::{self, Write as _};

use nu_plugin::{EngineInterface, EvaluatedCall};
use nu_protocol::{IntoSpanned as _, LabeledError, Span, Value};

use super::PluginCall;
use super::engine::command;
use super::outcome::{no_answer, wrong};
use super::value::Text;
use super::workplace::Workplace;
use askline::cli::args::Draw;
use askline::cli::line::wait::run_session;
use askline::suggestion::Suggestion;
use askline_model::request_control::RequestControl;

/// Maximum number of keys that are dropped from Nushell's input queue.
const KEYS_MAX: usize = 1000;
/// Time that Nushell waits for each of them, in nanoseconds.
const KEY_WAIT: i64 = 1_000_000;

/// Asks, and fills the next prompt with the answer.
pub(super) fn ask(
    call: &PluginCall<'_>,
    workplace: &Workplace,
    request: &Text,
    control: &RequestControl,
) -> Result<(), LabeledError> {
    let work = {
        let (workplace, words, control) = (workplace.clone(), request.text.clone(), control.clone());
        move || {
            let mut model = workplace.model()?;
            let suggestion = workplace.suggest(&words, model.as_mut(), &control)?;
            model.finish()?;
            Ok(suggestion)
        }
    };
    fill(call, request, || {
        run_session(&workplace.app.host, Draw::Here, control, workplace.config.evidence, work)
    })
}

/// Fills the next prompt with what `wait` returns: a suggestion and a message. Meanwhile the terminal is the plugin's.
pub(super) fn fill(
    call: &PluginCall<'_>,
    request: &Text,
    wait: impl FnOnce() -> anyhow::Result<(Suggestion, String)>,
) -> Result<(), LabeledError> {
    let (engine, head) = (call.engine, call.given.head);
    if !call.shell.is_nushell() {
        return Err(wrong("the next prompt is Nushell's; leave out --shell or --line", head));
    }
    let no_prompt = |_| wrong("there is no prompt to put it on; leave out --line", head);
    let foreground = engine.enter_foreground().map_err(no_prompt)?;
    let answered = wait();
    drop(foreground);
    drop_keys(engine, head);
    let (suggestion, message) = answered.map_err(|error| no_answer(&error, request.span))?;
    if !message.is_empty() {
        let _ = writeln!(io::stderr().lock(), "{message}");
    }
    let edit = EvaluatedCall::new(head)
        .with_flag("replace".into_spanned(head))
        .with_positional(Value::string(suggestion.command.as_str(), head));
    command(engine, "commandline edit", edit)?;
    Ok(())
}

/// Drops keys that arrived together with the Enter after the user's words: Nushell already has them, so flushing the
/// terminal does not remove them.
fn drop_keys(engine: &EngineInterface, head: Span) {
    for _ in 0..KEYS_MAX {
        let kinds = ["key", "paste"].map(|kind| Value::string(kind, head)).into();
        let listen = EvaluatedCall::new(head)
            .with_named("types".into_spanned(head), Value::list(kinds, head))
            .with_named("timeout".into_spanned(head), Value::duration(KEY_WAIT, head));
        let event = command(engine, "input listen", listen).and_then(|event| event.into_value(head));
        // A timeout is reported as an error too.
        if event.map_or(true, |event| {
            event.is_nothing() || event.as_record().is_ok_and(nu_protocol::Record::is_empty)
        }) {
            return;
        }
    }
}
