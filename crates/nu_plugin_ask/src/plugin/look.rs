//! `ask --look`: looks around first. Each event is a row as it happens, and the last row has the object of `askline investigate
//! --json`. It asks no questions, so it runs no command, not even one that only reads: for that, `--line` takes the terminal.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use nu_protocol::{HandlerGuard, LabeledError, ListStream, PipelineData, ShellError, Span, Value};
use serde_json::{Value as Json, json};

use super::PluginCall;
use super::line;
use super::outcome::{guarded, no_answer, wrong};
use super::value::{Text, record};
use super::workplace::{Workplace, cancelled_by_signals};
use askline::cli::investigation::{InvestigationSession, event, object};
use askline::cli::line::wait::run_look;
use askline::investigate::Person;
use askline::metrics::Outcome;
use askline_agent::event::AgentEvent;
use askline_model::request_control::RequestControl;

/// Columns of an event.
const COLUMNS: &[(&str, &[&str])] = &[("event", &[]), ("text", &[]), ("data", &[])];

/// Looks around for a request. Returns the events, or puts the command on the next prompt.
pub(super) fn answer(call: &PluginCall<'_>, request: &Text) -> Result<PipelineData, LabeledError> {
    let head = call.given.head;
    if call.given.get_flag_value("alternatives").is_some() || call.given.has_flag("explain")? {
        return Err(wrong("--look finds one command; leave out --alternatives and --explain", head));
    }
    let workplace = Workplace::open(call, None)?;
    let case = workplace.case(&request.text).map_err(|error| no_answer(&error, request.span))?;
    let control = RequestControl::until(Instant::now() + case.deadline());
    let signals = cancelled_by_signals(call.engine, &control)?;
    if call.given.has_flag("line")? {
        line::fill(call, request, || {
            let found = run_look(&workplace.app.host, case, &control);
            workplace.count(&control, Outcome::of(&found));
            found
        })?;
        return Ok(PipelineData::empty());
    }
    let (rows, received) = mpsc::channel();
    let events = Events { rows: received, control: control.clone(), _signals: signals };
    let (place, engine_signals) = (request.span, call.engine.signals().clone());
    let words = request.text.clone();
    let work = move || {
        let ended = guarded(head, || ended(&words, case, &workplace, &rows, &control, (head, place)));
        let row = ended.map_or_else(
            |error| Value::error(ShellError::from(error), head),
            |row| Value::record(record(&row, COLUMNS, head), head),
        );
        let _ = rows.send(row);
    };
    let thread = thread::Builder::new().name("look".to_owned()).spawn(work);
    thread.map_err(|error| wrong(&format!("can't start a thread: {error}; try again"), head))?;
    Ok(PipelineData::list_stream(ListStream::new(events, head, engine_signals), None))
}

/// Investigates, and returns the last event.
fn ended(
    words: &str,
    case: InvestigationSession,
    workplace: &Workplace,
    rows: &Sender<Value>,
    control: &RequestControl,
    (head, place): (Span, Span),
) -> Result<Json, LabeledError> {
    let mut reporter = Reporter { rows: rows.clone(), head };
    let ended = case.run(&mut reporter, control);
    workplace.app.machine.settle();
    workplace.count(control, Outcome::of(&ended.found.suggestion));
    let object = object(words, workplace.shell, &ended, &control.usage().total());
    ended.finished.map_err(|error| no_answer(&error, place))?;
    Ok(json!({ "event": "final", "text": object["answer"], "data": object }))
}

/// Rows that arrive from the investigation. When the reader stops, the investigation ends with the next one.
struct Events {
    rows: Receiver<Value>,
    control: RequestControl,
    _signals: HandlerGuard,
}

impl Iterator for Events {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        self.rows.recv().ok()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

/// The reader of the events, who can't be asked.
struct Reporter {
    rows: Sender<Value>,
    head: Span,
}

impl Person for Reporter {
    fn tell(&mut self, told: &AgentEvent) {
        // The last row has the answer with the command, which is not known yet.
        if !matches!(told, AgentEvent::Final(_)) {
            let _ = self.rows.send(Value::record(record(&event(told), COLUMNS, self.head), self.head));
        }
    }
}
