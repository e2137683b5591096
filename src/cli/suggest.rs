//! `askline suggest`: requests in, commands out, for people and scripts.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use serde_json::{Value, json};

use super::args::Suggest;
use super::interrupts::Interrupts;
use super::rows::{Rows, rows};
use super::stats::usage;
use super::{AppContext, Exit, complain, exit_of, one_line, print, print_message, reason};
use crate::metrics::Outcome;
use crate::models::{self, Purpose};
use crate::shell_facts::ShellFacts;
use crate::suggest::{Request, prompt_for, suggest};
use crate::suggestion::{Checks, Suggestion, Timing, UNSURE};
use askline_model::failure::Failure;
use askline_model::request_control::{RequestControl, Stage};
use askline_model::usage::Tally;
use askline_risk::{Label, Risk};
use askline_syntax::Span;
use askline_syntax::clean::visible;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;

/// Polling interval of the current stage, for a waiting user.
const WATCH: Duration = Duration::from_millis(200);

/// Message if no request is given.
const NO_REQUEST: &str =
    "no request; say what you want, such as `askline suggest list files bigger than 10 MB`, or pipe it in";

pub(super) fn run(args: &Suggest, app: &AppContext) -> anyhow::Result<Exit> {
    let shell = args.shell.unwrap_or_else(|| app.login_shell());
    let rows = rows(&args.words, args.lines.as_deref(), NO_REQUEST)?;
    if args.show_request {
        return show_requests(rows, shell, app);
    }
    let mut config = app.config()?;
    if args.no_refine {
        config.refine_rounds = 0;
    }
    let occasion = if args.lines.is_some() { Purpose::Batch } else { Purpose::Press };
    let mut model = models::open(&config, &app.host, &app.paths, occasion)?;
    let usage_store = app.usage_store();
    let interrupts = Interrupts::listen();
    let mut exit = Exit::Done;
    for row in rows {
        let row = row?;
        let control = RequestControl::until(Instant::now() + config.deadline());
        let control = if occasion == Purpose::Batch { control.patient() } else { control };
        let (prefix, place) = (row.prefix(), row.place);
        let (answer, control) = interrupts.during(control, |control| {
            row.text.map(|request| {
                let line = PromptLine::typed(request);
                let facts = ShellFacts::default();
                let request = Request { insists: args.anyway, ..Request::new(&line, shell, &facts) };
                let _watched = Watched::start(control);
                let answer = suggest(&request, &app.machine, model.as_mut(), &config, control);
                // Usage is recorded before anything unrelated can fail, such as the output.
                usage_store.iter().for_each(|usage_store| usage_store.record(control, Outcome::of(&answer)));
                (line.text, answer)
            })
        });
        interrupts.obey();
        let (request, mut answer) = answer.unwrap_or_else(|error| (String::new(), Err(error)));
        if place.is_some() && !args.json {
            answer = answer.and_then(on_one_row);
        }
        if let Err(error) = &answer {
            exit = exit_of(error);
        }
        show(args, &prefix, &request, shell, &answer, &control.usage().total())?;
        app.machine.settle();
    }
    model.finish()?;
    Ok(exit)
}

/// Returns the JSON object of one request, answered now.
///
/// # Errors
/// A wrong configuration, or no usable model.
pub(super) fn suggested(
    words: &str,
    shell: Shell,
    insists: bool,
    app: &AppContext,
    control: RequestControl,
) -> anyhow::Result<Value> {
    let config = app.config()?;
    let mut model = models::open(&config, &app.host, &app.paths, Purpose::Press)?;
    let control = control.within(Instant::now() + config.deadline());
    let line = PromptLine::typed(words);
    let facts = ShellFacts::default();
    let request = Request { insists, ..Request::new(&line, shell, &facts) };
    let answer = suggest(&request, &app.machine, model.as_mut(), &config, &control);
    app.usage_store().iter().for_each(|store| store.record(&control, Outcome::of(&answer)));
    let object = object(words, shell, &answer, &control.usage().total());
    app.machine.settle();
    model.finish()?;
    Ok(object)
}

/// Checks that an answer fits on one row: rows of text must match the rows of the file.
fn on_one_row(suggestion: Suggestion) -> anyhow::Result<Suggestion> {
    if suggestion.command.as_str().contains('\n') {
        bail!(Failure::NoCommand("the command has several lines; use --json to get it".to_owned()));
    }
    Ok(suggestion)
}

/// While it exists, shows a waiting user at a terminal what is going on: preparing a model takes a while.
struct Watched {
    over: Arc<AtomicBool>,
}

impl Watched {
    fn start(control: &RequestControl) -> Self {
        let over = Arc::new(AtomicBool::new(!io::stderr().is_terminal()));
        let (control, is_over) = (control.clone(), Arc::clone(&over));
        thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                if control.stage() == Stage::Preparing {
                    return print_message(&format!("askline: {}", Stage::Preparing.words()));
                }
                thread::sleep(WATCH);
            }
        });
        Self { over }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Prints the exact text, or request body for a server, that a model would get for each request, without asking a
/// model. Requests of a file get headings.
fn show_requests(rows: Rows, shell: Shell, app: &AppContext) -> anyhow::Result<Exit> {
    let config = app.config()?;
    let mut exit = Exit::Done;
    for row in rows {
        let row = row?;
        if let Some(place) = &row.place {
            print(&format!("==> {} <==\n", one_line(place)))?;
        }
        let prefix = row.prefix();
        let shown = row.text.and_then(|request| {
            let line = PromptLine::typed(request.as_str());
            let facts = ShellFacts::default();
            let request = Request::new(&line, shell, &facts);
            models::request(&config, &prompt_for(&request, &app.machine, &config)?)
        });
        match shown {
            Ok(text) => print(&text)?,
            Err(error) => {
                complain(&prefix, &error);
                exit = exit_of(&error);
            }
        }
    }
    Ok(exit)
}

/// Prints one answer in the requested form.
fn show(
    args: &Suggest,
    prefix: &str,
    request: &str,
    shell: Shell,
    answer: &anyhow::Result<Suggestion>,
    spent: &Tally,
) -> anyhow::Result<()> {
    if args.json {
        print(&format!("{}\n", object(request, shell, answer, spent)))?;
    } else {
        match answer {
            Ok(suggestion) => {
                print(&format!("{}\n", suggestion.command))?;
                show_suggestion(prefix, suggestion);
                if args.lines.is_none() && io::stderr().is_terminal() {
                    print_message(&suggestion.checks.to_string());
                }
            }
            Err(error) => {
                if args.lines.is_some() {
                    print("\n")?;
                }
                complain(prefix, error);
            }
        }
    }
    if args.timing
        && let Ok(suggestion) = answer
    {
        let Timing { context, retrieve, model, check, total } = suggestion.timing;
        let [context, retrieve, model, check, total] =
            [context, retrieve, model, check, total].map(milliseconds);
        print_message(&format!(
            "{prefix}context {context} ms, retrieve {retrieve} ms, model {model} ms, check {check} ms, total {total} ms"
        ));
        let Tally { calls, tokens, cost } = spent;
        let cost = cost.map(|cost| format!(", cost {cost}")).unwrap_or_default();
        print_message(&format!(
            "{prefix}calls {calls}, prompt tokens {} ({} kept), answer tokens {}{cost}",
            tokens.prompt, tokens.cached, tokens.completion
        ));
    }
    Ok(())
}

/// Prints the messages about a suggestion: risk, changes, remaining faults, remarks of the model.
pub(super) fn show_suggestion(prefix: &str, suggestion: &Suggestion) {
    let Suggestion { risk, changes, open, fallback, .. } = suggestion;
    if risk.label >= Label::Confirm {
        print_message(&format!("{prefix}{}: {}", risk.label.name(), one_line(&risk.cause)));
    }
    if suggestion.is_unsure {
        print_message(&format!("{prefix}{UNSURE}"));
    }
    changes.iter().for_each(|change| print_message(&format!("{prefix}changed: {change}")));
    open.iter().for_each(|wrong| print_message(&format!("{prefix}still wrong: {wrong}")));
    fallback.iter().for_each(|note| print_message(&format!("{prefix}{}", one_line(note))));
}

/// Returns the JSON object of one answer. Its field names are a stable interface; values that this version cannot
/// provide are null. `usage` covers all models that were asked, including the local one, with or without an answer.
pub fn object(request: &str, shell: Shell, answer: &anyhow::Result<Suggestion>, spent: &Tally) -> Value {
    match answer {
        Ok(suggestion) => {
            let Timing { context, retrieve, model, check, total } = suggestion.timing;
            json!({
                "request": request,
                "command": suggestion.command.as_str(),
                "shell": shell.name(),
                "confidence": suggestion.confidence,
                "risk": risk(&suggestion.risk),
                "checks": checks(&suggestion.checks),
                "changes": suggestion.changes,
                "open": suggestion.open,
                "rounds": suggestion.rounds,
                "alternatives": suggestion.alternatives.iter().map(|text| text.as_str()).collect::<Vec<_>>(),
                "source": suggestion.source,
                "fallback": suggestion.fallback.iter().map(|note| one_line(note)).collect::<Vec<_>>(),
                "timing_ms": {
                    "context": milliseconds(context),
                    "retrieve": milliseconds(retrieve),
                    "model": milliseconds(model),
                    "check": milliseconds(check),
                    "total": milliseconds(total),
                },
                "usage": usage(spent),
                "error": null,
            })
        }
        Err(error) => json!({
            "request": request,
            "command": null,
            "shell": shell.name(),
            "confidence": null,
            "risk": null,
            "checks": null,
            "changes": [],
            "open": [],
            "rounds": 0,
            "alternatives": [],
            "source": null,
            "fallback": [],
            "timing_ms": null,
            "usage": usage(spent),
            "error": reason(error),
        }),
    }
}

/// Maximum number of effects in the JSON of one line.
const EFFECTS_MAX: usize = 100;

/// Returns the risk as JSON; its field names are a stable interface. Spans are byte offsets [start, end) in the line.
pub fn risk(risk: &Risk) -> Value {
    let span = |span: &Span| json!([span.start, span.end]);
    let worst = risk.acts.iter().find(|act| act.label == risk.label && Some(&act.span) == risk.span.as_ref());
    json!({
        "label": risk.label.name(),
        "cause": if risk.cause.is_empty() { Value::Null } else { json!(visible(&risk.cause)) },
        "span": risk.span.as_ref().map(span),
        "scope": worst.map(|act| act.scope.name()),
        "effects": risk.acts.iter().take(EFFECTS_MAX).map(|act| json!({
            "effect": act.effect.name(),
            "scope": act.scope.name(),
            "label": act.label.name(),
            "target": visible(&act.target),
            "span": span(&act.span),
        })).collect::<Vec<_>>(),
        "facts": risk.facts.iter().map(|fact| visible(fact)).collect::<Vec<_>>(),
    })
}

/// Returns the check counts as JSON; the field names are a stable interface.
pub fn checks(checks: &Checks) -> Value {
    json!({
        "flags_verified": checks.flags_verified,
        "flags_unknown": checks.flags_unknown,
        "flags_refuted": checks.flags_refuted,
        "commands_missing": checks.commands_missing,
        "syntax_ok": checks.syntax_ok,
    })
}

/// Returns milliseconds with three decimals.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
