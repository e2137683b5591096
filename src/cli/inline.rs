//! `askline inline`: suggestions for words that are still being typed, for shells that show them after the cursor.
//!
//! A shell starts it at the beginning of such a line and writes each state of the words as one row. A row is answered
//! after a short time without a newer one; a newer row cancels the work on the previous one. An answer is one row:
//! the words, the command and a note, separated by the character US (0x1f). Answers that need several rows are
//! dropped. The process ends with its input.
//!
//! Only the resident process is asked, and it is started with the line. No server is asked without an explicit
//! request.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::args::Inline;
use super::line::SEPARATOR;
use super::{AppContext, Exit, line};
use crate::config::Config;
use crate::models::{self, Purpose};
use crate::presses::{self, LineContent, Press};
use crate::shell_facts::ShellFacts;
use crate::suggest::{Request, asks_why, suggest, wants_words};
use askline_model::Model;
use askline_model::failure::Failure;
use askline_model::prompt;
use askline_model::request_control::RequestControl;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;

/// Minimum pause in typing before the model is asked.
const QUIET: Duration = Duration::from_millis(250);
/// Time limit for one answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum length in bytes of a row, including its line break; longer rows are not answered.
const ROW_LIMIT: usize = 4 << 10;
/// Minimum number of characters for a suggestion.
const WORDS_MIN: usize = 4;

pub(super) fn run(args: &Inline, app: &AppContext) -> anyhow::Result<Exit> {
    let config = app.config()?;
    if config.model.is_remote() {
        return Err(Failure::NoModel("models on servers are not asked while you type".to_owned()).into());
    }
    warm(args.shell, &config, app);
    let working: Arc<Mutex<CurrentRow>> = Arc::default();
    let rows = read_rows(io::stdin(), Arc::clone(&working), args.once);
    let press_store = if args.keep { line::press_store(&app.host) } else { None };
    let mut writer = RowWriter { shell: args.shell, app, model: open(&config, app)?, config, press_store };
    while let Some((number, words)) = latest(&rows, if args.once { Duration::ZERO } else { QUIET }) {
        let control = RequestControl::until(Instant::now() + PATIENCE);
        if !CurrentRow::begin(&working, number, &control) {
            continue;
        }
        match writer.answer(&words, &control) {
            Ok(row) => {
                let mut stdout = io::stdout().lock();
                writeln!(stdout, "{row}")
                    .and_then(|()| stdout.flush())
                    .context("the reader closed the output")?;
            }
            Err(error) => tracing::debug!("no answer: {error:#}"),
        }
        app.machine.settle();
    }
    Ok(Exit::Done)
}

/// Loads the model in the background: a user who starts such a line will need it.
fn warm(shell: Shell, config: &Config, app: &AppContext) {
    let fixed = prompt::usual(shell, &app.system(shell));
    let (config, host, paths) = (config.clone(), app.host, app.paths.clone());
    thread::spawn(move || {
        let control = RequestControl::until(Instant::now() + PATIENCE);
        if let Err(error) = models::warm(&config, &host, &paths, &fixed, &control) {
            tracing::debug!("the model is not prepared: {error:#}");
        }
    });
}

/// Opens a model that answers only if nothing must be loaded.
fn open(config: &Config, app: &AppContext) -> anyhow::Result<Box<dyn Model>> {
    let config = Config { fallback: Vec::new(), ..config.clone() };
    models::open(&config, &app.host, &app.paths, Purpose::Idle)
}

/// The row that is being answered.
#[derive(Debug, Default)]
struct CurrentRow {
    /// Number of the last row, or one more at the end of the input.
    newest: u64,
    control: RequestControl,
}

impl CurrentRow {
    /// Starts the work on a row; returns `false` if a newer one has come. One of the two calls always sees the other,
    /// so outdated work is always cancelled.
    fn begin(working: &Mutex<Self>, row: u64, control: &RequestControl) -> bool {
        let mut working = working.lock().unwrap_or_else(PoisonError::into_inner);
        working.control.clone_from(control);
        working.newest == row
    }

    /// Registers new input: cancels outdated work and returns the number of the new row.
    fn overtake(working: &Mutex<Self>) -> u64 {
        let mut working = working.lock().unwrap_or_else(PoisonError::into_inner);
        working.control.cancel();
        working.newest += 1;
        working.newest
    }
}

/// Returns the rows with their numbers as they come, each cancelling the work on the previous one; ends with the
/// input.
fn read_rows(
    input: impl Read + Send + 'static,
    working: Arc<Mutex<CurrentRow>>,
    once: bool,
) -> Receiver<(u64, String)> {
    let (sender, rows) = mpsc::channel();
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Some(text) = row(&mut input) {
            if sender.send((CurrentRow::overtake(&working), text)).is_err() {
                return;
            }
        }
        // A caller that wants one answer ends the input after the row.
        if !once {
            CurrentRow::overtake(&working);
        }
    });
    rows
}

/// Reads the next row, without its line break; a row that is too long becomes an empty one.
fn row(input: &mut impl BufRead) -> Option<String> {
    let mut row = Vec::new();
    loop {
        let read = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.ok()?,
        };
        if read.is_empty() {
            break;
        }
        let end = read.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(read.len(), |at| at + 1);
        // One extra byte detects a row that is too long.
        let room = (ROW_LIMIT + 1).saturating_sub(row.len());
        row.extend_from_slice(&read[..length.min(room)]);
        input.consume(length);
        if end.is_some() {
            break;
        }
    }
    match row.len() {
        0 => None,
        1..=ROW_LIMIT => Some(String::from_utf8_lossy(&row).trim_end_matches(['\n', '\r']).to_owned()),
        _ => Some(String::new()),
    }
}

/// Returns the row after which nothing came for `quiet`, with its number; `None` at the end of the input.
fn latest(rows: &Receiver<(u64, String)>, quiet: Duration) -> Option<(u64, String)> {
    let mut row = rows.recv().ok()?;
    loop {
        match rows.recv_timeout(quiet) {
            Ok(newer) => row = newer,
            Err(RecvTimeoutError::Timeout) => return Some(row),
            Err(RecvTimeoutError::Disconnected) => return quiet.is_zero().then_some(row),
        }
    }
}

/// Answers rows.
struct RowWriter<'a> {
    shell: Shell,
    app: &'a AppContext,
    config: Config,
    model: Box<dyn Model>,
    /// Store of presses where answers are recorded for the key, if any.
    press_store: Option<presses::PressStore>,
}

impl RowWriter<'_> {
    fn answer(&mut self, words: &str, control: &RequestControl) -> anyhow::Result<String> {
        let plain = words.trim().trim_start_matches('#').trim();
        anyhow::ensure!(WORDS_MIN <= plain.chars().count(), "too short");
        anyhow::ensure!(!words.contains(SEPARATOR), "no words");
        anyhow::ensure!(!wants_words(plain) && !asks_why(plain), "a question has no command");
        let line = PromptLine::typed(plain);
        let facts = ShellFacts::default();
        let request = Request::new(&line, self.shell, &facts);
        let suggestion = suggest(&request, &self.app.machine, self.model.as_mut(), &self.config, control)?;
        let command = suggestion.command.as_str();
        anyhow::ensure!(!command.contains('\n'), "the command has several lines");
        let note = suggestion.notes(self.config.evidence).join("; ");
        let note = super::one_line(&note);
        if let Some(press_store) = &self.press_store {
            let offer = line::turn::offer(&suggestion, self.config.evidence);
            let press = Press::now(words, self.shell, offer);
            press_store.keep(&Press { place: LineContent::Any, complete: suggestion.rounds == 0, ..press });
        }
        Ok(format!("{words}{SEPARATOR}{command}{SEPARATOR}{note}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_too_long_is_empty_and_has_no_tail() {
        let long = "x".repeat(ROW_LIMIT);
        let fits = "y".repeat(ROW_LIMIT - 1);
        let text = format!("# one\r\n{long}\n{fits}\n{}\nlast", long.repeat(5));
        let mut input = BufReader::with_capacity(100, text.as_bytes());
        let rows: Vec<String> = std::iter::from_fn(|| row(&mut input)).collect();
        assert_eq!(rows, ["# one", "", &fits, "", "last"]);
    }

    #[test]
    fn what_is_overtaken_is_cancelled_or_never_begun() {
        let working = Mutex::default();
        let begin = |row| {
            let control = RequestControl::until(Instant::now() + PATIENCE);
            (CurrentRow::begin(&working, row, &control), control)
        };
        let first = CurrentRow::overtake(&working);
        let (begun, control) = begin(first);
        assert!(begun && control.spent(Instant::now()).is_none());
        let second = CurrentRow::overtake(&working);
        assert!(control.spent(Instant::now()).is_some());
        // A row is overtaken between its selection and its start.
        CurrentRow::overtake(&working);
        assert!(!begin(second).0);
    }
}
