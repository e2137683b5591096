//! `askline inline`: suggestions for words that are still being typed, for shells that show them behind the cursor.
//!
//! A shell starts it when such a line begins and writes each state of the words as one row; it answers a row when nothing
//! newer came for a moment, and drops the work on any that is overtaken. An answer is one row: the words, the command and
//! a note, with the character US (0x1f) between them. What has no answer of one row gets none. It ends with its input.
//!
//! Only the resident process is asked, which is started with the line; no server is asked unasked.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::args::Inline;
use super::{Desk, Exit, line};
use crate::config::Config;
use crate::failure::Failure;
use crate::line::PromptLine;
use crate::model::Model;
use crate::models::{self, Occasion};
use crate::patience::Patience;
use crate::presses::{self, Place, Press};
use crate::prompt;
use crate::shell::Shell;
use crate::suggest::{Request, suggest};

/// Nothing is asked before nothing was typed for so long.
const QUIET: Duration = Duration::from_millis(250);
/// Longest time for one answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest row that is answered, bytes, with its end; of a longer one nothing is.
const ROW_LIMIT: usize = 4 << 10;
/// Fewest characters of words that are worth a suggestion.
const WORDS_MIN: usize = 4;
/// What stands between words, command and note.
const SEPARATOR: char = '\x1f';

pub(super) fn run(args: &Inline, desk: &Desk) -> anyhow::Result<Exit> {
    let config = desk.config()?;
    if config.model.is_remote() {
        return Err(Failure::NoModel("nothing is asked of a server while you type".to_owned()).into());
    }
    warm(args.shell, &config, desk);
    let working: Arc<Mutex<Working>> = Arc::default();
    let rows = read_rows(io::stdin(), Arc::clone(&working), args.once);
    let memory = if args.keep { line::memory_here(&desk.host) } else { None };
    let mut writer = Writer { shell: args.shell, desk, model: open(&config, desk)?, config, memory };
    while let Some((number, words)) = latest(&rows, if args.once { Duration::ZERO } else { QUIET }) {
        let patience = Patience::until(Instant::now() + PATIENCE);
        if !Working::begin(&working, number, &patience) {
            continue;
        }
        match writer.answer(&words, &patience) {
            Ok(row) => {
                let mut stdout = io::stdout().lock();
                writeln!(stdout, "{row}").and_then(|()| stdout.flush()).context("nobody reads")?;
            }
            Err(error) => tracing::debug!("no answer: {error:#}"),
        }
        desk.machine.settle();
    }
    Ok(Exit::Done)
}

/// Has the model loaded meanwhile: who begins such a line will want it.
fn warm(shell: Shell, config: &Config, desk: &Desk) {
    let fixed = prompt::fixed(shell, &desk.system(shell));
    let (config, host, paths) = (config.clone(), desk.host, desk.paths.clone());
    thread::spawn(move || {
        let patience = Patience::until(Instant::now() + PATIENCE);
        if let Err(error) = models::warm(&config, &host, &paths, &fixed, &patience) {
            tracing::debug!("the model is not prepared: {error:#}");
        }
    });
}

/// A model that answers only where that loads nothing.
fn open(config: &Config, desk: &Desk) -> anyhow::Result<Box<dyn Model>> {
    let config = Config { fallback: Vec::new(), ..config.clone() };
    models::open(&config, &desk.host, &desk.paths, Occasion::Idle)
}

/// The row that is worked on, where nothing newer came.
#[derive(Debug, Default)]
struct Working {
    /// The number of the row that came last, or one more at the end of the input.
    newest: u64,
    patience: Patience,
}

impl Working {
    /// Begins the work on a row; false when a newer one has come, so that there is always one of both to cancel.
    fn begin(working: &Mutex<Self>, row: u64, patience: &Patience) -> bool {
        let mut working = working.lock().unwrap_or_else(PoisonError::into_inner);
        working.patience.clone_from(patience);
        working.newest == row
    }

    /// Something came: its number. What it overtakes is cancelled.
    fn overtake(working: &Mutex<Self>) -> u64 {
        let mut working = working.lock().unwrap_or_else(PoisonError::into_inner);
        working.patience.cancel();
        working.newest += 1;
        working.newest
    }
}

/// Rows as they come, with their numbers, each cancelling the work on the one before; none after the end of the input.
fn read_rows(
    input: impl Read + Send + 'static,
    working: Arc<Mutex<Working>>,
    once: bool,
) -> Receiver<(u64, String)> {
    let (say, rows) = mpsc::channel();
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Some(text) = row(&mut input) {
            if say.send((Working::overtake(&working), text)).is_err() {
                return;
            }
        }
        // Whoever wants one answer ends the input behind the row.
        if !once {
            Working::overtake(&working);
        }
    });
    rows
}

/// The next row, without its end; an empty one in place of one that is too long.
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
        // One byte more, by which a row that is too long is known.
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

/// The row after which nothing came for `quiet`, with its number; none when the input has ended.
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

/// What answers rows.
struct Writer<'a> {
    shell: Shell,
    desk: &'a Desk,
    config: Config,
    model: Box<dyn Model>,
    /// Where answers are remembered for the key, if anywhere.
    memory: Option<presses::Terminal>,
}

impl Writer<'_> {
    fn answer(&mut self, words: &str, patience: &Patience) -> anyhow::Result<String> {
        let plain = words.trim().trim_start_matches('#').trim();
        anyhow::ensure!(WORDS_MIN <= plain.chars().count(), "too short");
        anyhow::ensure!(!words.contains(SEPARATOR), "no words");
        let line = PromptLine::typed(plain);
        let request = Request { line: &line, shell: self.shell, told: &[], before: None };
        let suggestion = suggest(&request, &self.desk.machine, self.model.as_mut(), &self.config, patience)?;
        let command = suggestion.command.as_str();
        anyhow::ensure!(!command.contains('\n'), "the command has several rows");
        let note = suggestion.notes(self.config.evidence).join("; ");
        let note = super::one_line(&note);
        if let Some(memory) = &self.memory {
            let offer = line::turn::offer(&suggestion, self.config.evidence);
            let press = Press::now(words, self.shell, offer);
            memory.keep(&Press { place: Place::Any, complete: suggestion.rounds == 0, ..press });
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
            let patience = Patience::until(Instant::now() + PATIENCE);
            (Working::begin(&working, row, &patience), patience)
        };
        let first = Working::overtake(&working);
        let (begun, patience) = begin(first);
        assert!(begun && patience.spent(Instant::now()).is_none());
        let second = Working::overtake(&working);
        assert!(patience.spent(Instant::now()).is_some());
        // Between the choice of the row and its begin.
        Working::overtake(&working);
        assert!(!begin(second).0);
    }
}
