//! `askline suggest`: requests in, commands out, for people and scripts.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use serde_json::{Value, json};

use super::args::Suggest;
use super::{Desk, Exit, complain, exit_of, one_line, print, reason, tell};
use crate::config::Wrong;
use crate::line::PromptLine;
use crate::models;
use crate::patience::{Patience, Stage};
use crate::prompt::{self, Form};
use crate::shell::Shell;
use crate::suggest::{Request, suggest};
use crate::suggestion::{Checks, Failure, Suggestion, Timing};

/// Longest row of a `--lines` file, bytes; a longer one is an error of its own, the rows after it are answered.
const ROW_LIMIT: usize = 64 << 10;

/// How often the stage of the work is looked at, for a person who waits.
const WATCH: Duration = Duration::from_millis(200);

/// What is shown to whoever gives no request.
const NO_REQUEST: &str =
    "no request; say what you want, such as `askline suggest list files bigger than 10 MB`, or pipe it in";

/// A request, or why there is none, and where it stands.
struct Row {
    /// `FILE:LINE`, for the rows of a file.
    place: Option<String>,
    request: anyhow::Result<String>,
}

impl Row {
    /// The beginning of a message about this row.
    fn prefix(&self) -> String {
        self.place.as_ref().map_or_else(String::new, |place| format!("{place}: "))
    }
}

pub(super) fn run(args: &Suggest, desk: &Desk) -> anyhow::Result<Exit> {
    let shell = args.shell.unwrap_or_else(|| desk.login_shell());
    let rows = rows(args)?;
    if args.show_request {
        return show_requests(rows, shell, desk);
    }
    let config = desk.config()?;
    let mut model = models::open(&config, &desk.host, &desk.paths)?;
    let mut exit = Exit::Done;
    for row in rows {
        let row = row?;
        let patience = Patience::until(Instant::now() + Duration::from_millis(config.deadline_ms));
        let (prefix, place) = (row.prefix(), row.place);
        let answer = row.request.map(|request| {
            let line = PromptLine::typed(request);
            let request = Request { line: &line, shell, told: &[] };
            let _watched = Watched::start(&patience);
            let answer = suggest(&request, &desk.machine, model.as_mut(), &config, &patience);
            (line.text, answer)
        });
        let (request, mut answer) = answer.unwrap_or_else(|error| (String::new(), Err(error)));
        if place.is_some() && !args.json {
            answer = answer.and_then(on_one_row);
        }
        if let Err(error) = &answer {
            exit = exit_of(error);
        }
        show(args, &prefix, &request, shell, &answer)?;
        desk.machine.settle();
    }
    model.finish()?;
    Ok(exit)
}

/// Rows of text must line up with the rows of the file.
fn on_one_row(suggestion: Suggestion) -> anyhow::Result<Suggestion> {
    if suggestion.command.as_str().contains('\n') {
        bail!(Failure::NoCommand("the command has several lines; use --json to get it".to_owned()));
    }
    Ok(suggestion)
}

/// Tells a person at a terminal why nothing happens, as long as it lives: preparing a model takes a while.
struct Watched {
    over: Arc<AtomicBool>,
}

impl Watched {
    fn start(patience: &Patience) -> Self {
        let over = Arc::new(AtomicBool::new(!io::stderr().is_terminal()));
        let (patience, told) = (patience.clone(), Arc::clone(&over));
        thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                if patience.stage() == Stage::Preparing {
                    return tell(&format!("askline: {}", Stage::Preparing.words()));
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

/// The exact text a model would get for each request, and no model asked. Those of a file have headings.
fn show_requests(rows: Rows, shell: Shell, desk: &Desk) -> anyhow::Result<Exit> {
    let system = desk.system(shell);
    let mut exit = Exit::Done;
    for row in rows {
        let row = row?;
        if let Some(place) = &row.place {
            print(&format!("==> {} <==\n", one_line(place)))?;
        }
        match &row.request {
            Ok(request) => print(&prompt::draft(prompt::Form::Completion, request, shell, &system).text())?,
            Err(error) => {
                complain(&row.prefix(), error);
                exit = exit_of(error);
            }
        }
    }
    Ok(exit)
}

/// One answer in the form that was asked for.
fn show(
    args: &Suggest,
    prefix: &str,
    request: &str,
    shell: Shell,
    answer: &anyhow::Result<Suggestion>,
) -> anyhow::Result<()> {
    if args.json {
        print(&format!("{}\n", object(request, shell, answer)))?;
    } else {
        match answer {
            Ok(suggestion) => {
                print(&format!("{}\n", suggestion.command))?;
                suggestion.changes.iter().for_each(|change| tell(&format!("{prefix}changed: {change}")));
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
        tell(&format!(
            "{prefix}context {context} ms, retrieve {retrieve} ms, model {model} ms, check {check} ms, total {total} ms"
        ));
    }
    Ok(())
}

/// The JSON object of one answer. Its field names are a contract; what this version can't tell yet is null.
fn object(request: &str, shell: Shell, answer: &anyhow::Result<Suggestion>) -> Value {
    match answer {
        Ok(suggestion) => {
            let Timing { context, retrieve, model, check, total } = suggestion.timing;
            json!({
                "request": request,
                "command": suggestion.command.as_str(),
                "shell": shell.name(),
                "confidence": suggestion.confidence,
                "risk": null,
                "checks": checks(&suggestion.checks),
                "changes": suggestion.changes,
                "open": suggestion.open,
                "rounds": suggestion.rounds,
                "alternatives": suggestion.alternatives.iter().map(|text| text.as_str()).collect::<Vec<_>>(),
                "source": suggestion.source,
                "timing_ms": {
                    "context": milliseconds(context),
                    "retrieve": milliseconds(retrieve),
                    "model": milliseconds(model),
                    "check": milliseconds(check),
                    "total": milliseconds(total),
                },
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
            "timing_ms": null,
            "error": reason(error),
        }),
    }
}

/// What was looked up, as JSON; its field names are a contract.
pub(super) fn checks(checks: &Checks) -> Value {
    json!({
        "flags_verified": checks.flags_verified,
        "flags_unknown": checks.flags_unknown,
        "flags_refuted": checks.flags_refuted,
        "commands_missing": checks.commands_missing,
        "syntax_ok": checks.syntax_ok,
    })
}

/// Milliseconds with three decimals.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Requests as they arrive; an error is the last.
type Rows = Box<dyn Iterator<Item = anyhow::Result<Row>>>;

/// The requests: the words, each row of a file, or all that is piped in.
fn rows(args: &Suggest) -> anyhow::Result<Rows> {
    let one = |request| Ok(Box::new(std::iter::once(Ok(Row { place: None, request: Ok(request) }))) as Rows);
    match &args.lines {
        Some(file) => rows_of(file),
        None if !args.words.is_empty() => one(args.words.join(" ")),
        None if io::stdin().is_terminal() => Err(Wrong(NO_REQUEST.to_owned()).into()),
        None => one(piped(&mut io::stdin().lock())?),
    }
}

/// All of the input as one request.
fn piped(input: &mut dyn Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    input.take(ROW_LIMIT as u64 + 1).read_to_end(&mut bytes).context("can't read what is piped in")?;
    let request = text_of(bytes).map_err(|error| Wrong(format!("{error:#}")))?;
    match request.trim() {
        "" => Err(Wrong(NO_REQUEST.to_owned()).into()),
        request => Ok(request.to_owned()),
    }
}

/// Every row of a file, also the empty ones, so that answers can be counted.
fn rows_of(file: &Path) -> anyhow::Result<Rows> {
    let (name, mut reader): (_, Box<dyn BufRead>) = if file == Path::new("-") {
        ("stdin".to_owned(), Box::new(BufReader::new(io::stdin())))
    } else {
        let opened = File::open(file).map_err(|error| {
            let file = file.display();
            Wrong(format!("can't read the requests in {file}: {error}; name a file, or - for stdin"))
        })?;
        (file.display().to_string(), Box::new(BufReader::new(opened)))
    };
    let mut broken = false;
    let mut numbers = 1_u64..;
    Ok(Box::new(std::iter::from_fn(move || {
        // A reader that fails once (a directory, a lost disk) fails for ever.
        if broken {
            return None;
        }
        let place = format!("{name}:{}", numbers.next()?);
        match row(&mut reader) {
            Ok(request) => Some(Ok(Row { place: Some(place), request: request? })),
            Err(error) => {
                broken = true;
                Some(Err(
                    anyhow::Error::new(error).context(format!("{place}: the requests can't be read further"))
                ))
            }
        }
    })))
}

/// The next row of a reader, none at its end. A row that is too long or no text is read over.
fn row(reader: &mut dyn BufRead) -> io::Result<Option<anyhow::Result<String>>> {
    let mut row = Vec::new();
    if (&mut *reader).take(ROW_LIMIT as u64 + 1).read_until(b'\n', &mut row)? == 0 {
        return Ok(None);
    }
    let is_too_long = ROW_LIMIT < row.len();
    while is_too_long && row.last() != Some(&b'\n') {
        row.clear();
        if (&mut *reader).take(ROW_LIMIT as u64).read_until(b'\n', &mut row)? == 0 {
            break;
        }
    }
    Ok(Some(if is_too_long { Err(too_long()) } else { text_of(row) }))
}

fn too_long() -> anyhow::Error {
    anyhow!("a request is longer than {ROW_LIMIT} bytes; shorten it")
}

/// The text of a request: without the end of its line, in either style, and without the mark that some editors put at the
/// beginning of a file.
fn text_of(mut bytes: Vec<u8>) -> anyhow::Result<String> {
    if ROW_LIMIT < bytes.len() {
        return Err(too_long());
    }
    bytes.pop_if(|last| *last == b'\n');
    bytes.pop_if(|last| *last == b'\r');
    let text = String::from_utf8(bytes).ok().context("a request is not valid UTF-8; save it as UTF-8")?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
