//! `askline suggest`: requests in, commands out, for people and scripts.

use std::io::{self, BufRead, BufReader, IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::args::Suggest;
use super::{Desk, Exit, complain, exit_of, print, tell};
use crate::line::PromptLine;
use crate::models;
use crate::patience::{Patience, Stage};
use crate::prompt;
use crate::shell::Shell;
use crate::suggest::{Request, suggest};
use crate::suggestion::{Suggestion, Timing};

/// Longest row of a `--lines` file, bytes; a longer one is an error of its own, the rows after it are answered.
const ROW_LIMIT: usize = 64 << 10;

/// How often the stage of the work is looked at, for a person who waits.
const WATCH: Duration = Duration::from_millis(200);

pub(super) fn run(args: &Suggest, desk: &Desk) -> anyhow::Result<Exit> {
    let shell = args.shell.unwrap_or_else(|| desk.login_shell());
    if args.show_request {
        return show_requests(args, shell, desk);
    }
    let config = desk.config()?;
    let mut model = models::open(&config, &desk.host, &desk.paths)?;
    let mut exit = Exit::Done;
    for request in requests(args)? {
        let patience = Patience::until(Instant::now() + Duration::from_millis(config.deadline_ms));
        let answer = request.map(|request| {
            let line = PromptLine::typed(request);
            let request = Request { line: &line, shell, told: &[] };
            let _watched = Watched::start(&patience);
            let answer = suggest(&request, &desk.machine, model.as_mut(), &config, &patience);
            (line.text, answer)
        });
        let (request, answer) = answer.unwrap_or_else(|error| (String::new(), Err(error)));
        if let Err(error) = &answer {
            exit = exit_of(error);
        }
        show(args, &request, shell, &answer)?;
    }
    model.finish()?;
    Ok(exit)
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

/// The exact text a model would get for each request, and no model asked.
fn show_requests(args: &Suggest, shell: Shell, desk: &Desk) -> anyhow::Result<Exit> {
    let system = desk.system(shell);
    for request in requests(args)? {
        print(&prompt::draft(prompt::Form::Completion, &request?, shell, &system).text())?;
    }
    Ok(Exit::Done)
}

/// One answer in the form that was asked for.
fn show(
    args: &Suggest,
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
                suggestion.changes.iter().for_each(|change| tell(&format!("changed: {change}")));
            }
            Err(error) => complain(error),
        }
    }
    if args.timing
        && let Ok(suggestion) = answer
    {
        let Timing { context, retrieve, model, check, total } = suggestion.timing;
        let [context, retrieve, model, check, total] =
            [context, retrieve, model, check, total].map(milliseconds);
        tell(&format!(
            "context {context} ms, retrieve {retrieve} ms, model {model} ms, check {check} ms, total {total} ms"
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
                "confidence": null,
                "risk": null,
                "checks": null,
                "changes": suggestion.changes,
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
            "rounds": 0,
            "alternatives": [],
            "source": null,
            "timing_ms": null,
            "error": format!("{error:#}"),
        }),
    }
}

/// Milliseconds with three decimals.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// The requests: the words, or each row of the file as it arrives, empty rows left out.
fn requests(args: &Suggest) -> anyhow::Result<Box<dyn Iterator<Item = anyhow::Result<String>>>> {
    let Some(file) = &args.lines else {
        return Ok(Box::new(std::iter::once(Ok(args.words.join(" ")))));
    };
    let mut reader = open(file)?;
    let mut broken = false;
    let rows = std::iter::from_fn(move || {
        // A reader that fails once (a directory, a lost disk) fails for ever.
        let row = if broken { None } else { row(&mut reader).transpose() };
        broken = matches!(&row, Some(Err(error)) if error.is::<io::Error>());
        row
    });
    Ok(Box::new(rows.filter(|row| !matches!(row, Ok(row) if row.trim().is_empty()))))
}

/// The next row of a reader, none at its end. A row that is too long or no text is read over.
fn row(reader: &mut dyn BufRead) -> anyhow::Result<Option<String>> {
    let mut row = Vec::new();
    let read = (&mut *reader).take(ROW_LIMIT as u64 + 1).read_until(b'\n', &mut row);
    if read.map_err(|error| anyhow::Error::new(error).context("the requests can't be read further"))? == 0 {
        return Ok(None);
    }
    if ROW_LIMIT < row.len() {
        while row.last() != Some(&b'\n') {
            row.clear();
            if (&mut *reader).take(ROW_LIMIT as u64).read_until(b'\n', &mut row)? == 0 {
                break;
            }
        }
        bail!("a request is longer than {ROW_LIMIT} bytes; cut it");
    }
    row.pop_if(|last| *last == b'\n');
    String::from_utf8(row).map(Some).context("a request is not valid UTF-8")
}

fn open(file: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let opened = std::fs::File::open(file)
        .with_context(|| format!("can't read the requests in {}", file.display()))?;
    Ok(Box::new(BufReader::new(opened)))
}
