//! `askline inline`: suggestions for words that are still being typed, for shells that show them behind the cursor.
//!
//! A shell starts it when such a line begins and writes each state of the words as one row; it answers a row when nothing
//! newer came for a moment, and drops the work on any that is overtaken. An answer is one row: the words, the command and
//! a note, with the character US (0x1f) between them. What has no answer of one row gets none. It ends with its input.
//!
//! Only the resident process is asked, which is started with the line; no server is asked unasked.

use std::io::{self, BufRead as _, Read as _, Write as _};
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
/// Longest row that is read, bytes.
const ROW_LIMIT: u64 = 4 << 10;
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
    let working: Arc<Mutex<Patience>> = Arc::default();
    let rows = read_rows(Arc::clone(&working), args.once);
    let memory = if args.keep { line::memory_here(&desk.host) } else { None };
    let mut writer = Writer { shell: args.shell, desk, model: open(&config, desk)?, config, memory };
    while let Some(words) = latest(&rows, if args.once { Duration::ZERO } else { QUIET }) {
        let patience = Patience::until(Instant::now() + PATIENCE);
        working.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&patience);
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

/// Rows as they come, each cancelling the work on the one before; none after the end of the input.
fn read_rows(working: Arc<Mutex<Patience>>, once: bool) -> Receiver<String> {
    let (say, rows) = mpsc::channel();
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            let mut row = Vec::new();
            let read = stdin.by_ref().take(ROW_LIMIT).read_until(b'\n', &mut row);
            let is_over = !matches!(read, Ok(1..));
            if !once {
                working.lock().unwrap_or_else(PoisonError::into_inner).cancel();
            }
            let text = String::from_utf8_lossy(&row).trim_end_matches(['\n', '\r']).to_owned();
            if is_over || say.send(text).is_err() {
                return;
            }
        }
    });
    rows
}

/// The row after which nothing came for `quiet`; none when the input has ended.
fn latest(rows: &Receiver<String>, quiet: Duration) -> Option<String> {
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
