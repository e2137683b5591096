//! The wait of `ask --look`: an investigation in the terminal. Each look is a dim row above the status row, questions are
//! answered in place, a command runs only after `y` for exactly this line, and Esc or Ctrl-C ends with what was found.

use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::input::Input;
use super::keys::KeyPress;
use super::terminal::Terminal;
use super::turn::{TurnResult, offer};
use super::{DEADLINE_GRACE, TYPING, TerminalSession, Worker};
use crate::cli::AppContext;
use crate::cli::args::Line;
use crate::cli::investigation::{AGENT, InvestigationResult, InvestigationSession, MODEL_ASKS, progress};
use crate::cli::one_line;
use crate::config::Evidence;
use crate::investigate::Person;
use crate::presses::Press;
use crate::suggestion::Suggestion;
use askline_agent::event::AgentEvent;
use askline_model::failure::Failure;
use askline_model::request_control::RequestControl;

/// Time after a question in which keys are no answer: they were typed before it was read.
const READING: Duration = Duration::from_millis(300);
/// Time in which a cancelled investigation hands over what it found.
const PARTIAL_GRACE: Duration = Duration::from_secs(2);
/// Interval at which a waiting investigation looks whether it was cancelled.
const TICK: Duration = Duration::from_millis(50);
/// Maximum length of a typed answer in bytes.
const ANSWER_MAX: usize = 1 << 10;

/// Begins a sequence, which is no text.
const ESC: u8 = 0x1b;
const CTRL_C: u8 = 0x03;
const ENTER: [u8; 2] = [b'\r', b'\n'];
const ERASE: [u8; 2] = [0x7f, 0x08];
const ERASE_ALL: u8 = 0x15;

/// What the investigation has to say to the person.
enum Message {
    /// A row that stays.
    Told(String),
    /// A question, and where its answer goes.
    Question { text: String, is_approval: bool, answers: Sender<Option<String>> },
}

/// The person, from the investigation's side.
struct Messenger {
    messages: Sender<Message>,
    has_terminal: bool,
}

impl Messenger {
    fn question(&self, text: &str, is_approval: bool, control: &RequestControl) -> Option<String> {
        if !self.has_terminal {
            return None;
        }
        let (answers, answer) = mpsc::channel();
        self.messages.send(Message::Question { text: one_line(text), is_approval, answers }).ok()?;
        while control.spent(Instant::now()).is_none() {
            match answer.recv_timeout(TICK) {
                Ok(answer) => return answer,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}

impl Person for Messenger {
    fn is_there(&self) -> bool {
        self.has_terminal
    }

    fn ask(&mut self, question: &str, control: &RequestControl) -> Option<String> {
        self.question(&format!("{MODEL_ASKS}{question}"), false, control).filter(|answer| !answer.is_empty())
    }

    fn approve(&mut self, what: &str, control: &RequestControl) -> bool {
        self.question(&format!("{what} [y/N]"), true, control).is_some()
    }

    fn tell(&mut self, event: &AgentEvent) {
        if let Some(row) = progress(event) {
            let _ = self.messages.send(Message::Told(row));
        }
    }
}

/// A question that is open, with what was typed so far.
struct Open {
    is_approval: bool,
    answers: Sender<Option<String>>,
    typed: Vec<u8>,
    since: Instant,
}

/// What a key did to an open question.
enum Answered {
    NotYet,
    With(Option<String>),
}

impl Open {
    fn feed(&mut self, bytes: &[u8], now: Instant) -> Answered {
        if now.saturating_duration_since(self.since) < READING {
            return Answered::NotYet;
        }
        for &byte in bytes {
            match byte {
                _ if self.is_approval => {
                    return Answered::With(matches!(byte, b'y' | b'Y').then(String::new));
                }
                _ if ENTER.contains(&byte) => {
                    return Answered::With(Some(String::from_utf8_lossy(&self.typed).trim().to_owned()));
                }
                _ if ERASE.contains(&byte) => {
                    // The rest of a character goes with it.
                    while self.typed.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
                }
                ERASE_ALL => self.typed.clear(),
                0..0x20 => {}
                _ if self.typed.len() < ANSWER_MAX => self.typed.push(byte),
                _ => {}
            }
        }
        Answered::NotYet
    }
}

impl TerminalSession {
    /// Looks around for the words on the line, and returns a command for the next prompt.
    ///
    /// # Errors
    /// When there is no command: what was found, or the reason.
    pub(super) fn look(&mut self, args: &Line) -> anyhow::Result<TurnResult> {
        let input = Input::read(args.cursor)?;
        let app = AppContext::open()?;
        let (shell, words) = (args.shell, input.line.text.clone());
        let case = InvestigationSession::open(&app, (input.line, shell, input.facts), AGENT, None)?;
        let evidence = case.evidence();
        let control = RequestControl::until(Instant::now() + case.deadline());
        self.machine = Some(app.machine.clone());
        self.asked = app.usage_store().map(|usage_store| (usage_store, control.clone()));
        let ended = self.investigate(case, &control)?;
        let (suggestion, notes) = self.conclude(ended, evidence)?;
        let press = Press::now(&words, shell, offer(&suggestion, evidence));
        Ok(TurnResult { line: suggestion.command, notes, press: Some(press), cursor: None })
    }

    /// Investigates with the person at the terminal: looks are shown, questions are answered in place, and a key or a signal
    /// that cancels ends with what was found.
    ///
    /// # Errors
    /// When even a part of it is not handed over in time.
    pub(super) fn investigate(
        &mut self,
        case: InvestigationSession,
        control: &RequestControl,
    ) -> anyhow::Result<InvestigationResult> {
        let (messages, received) = mpsc::channel();
        self.take_terminal();
        let has_terminal = self.terminal.as_ref().is_some_and(Terminal::is_drawn_on);
        let mut person = Messenger { messages, has_terminal };
        let worker = {
            let control = control.clone();
            Worker::start(move || Ok(case.run(&mut person, &control)))?
        };
        self.wait_looking(&worker, &received, control)
    }

    /// Returns the suggestion for the next prompt with what there is to say about it.
    ///
    /// # Errors
    /// When there is no command: what was found, or the reason. Also when keys could run the command: they still arrive, or
    /// the terminal is not ours.
    pub(super) fn conclude(
        &mut self,
        ended: InvestigationResult,
        evidence: Evidence,
    ) -> anyhow::Result<(Suggestion, Vec<String>)> {
        ended.finished?;
        let found = ended.found;
        match found.suggestion {
            Ok(_) if !self.take_terminal() || self.settle(TYPING) == Some(KeyPress::Cancel) => {
                Err(Failure::Cancelled.into())
            }
            Ok(suggestion) => {
                let answer = Some(one_line(&found.answer)).filter(|answer| !answer.is_empty());
                let told = answer.into_iter().chain(found.warning.as_deref().map(one_line));
                let notes = told.chain(suggestion.notes(evidence)).collect();
                Ok((suggestion, notes))
            }
            Err(error) if found.answer.trim().is_empty() => Err(error),
            Err(_) => {
                let early = found.cut_short.map(|why| format!("ended early: {why}"));
                let told = [Some(one_line(found.answer.trim())), found.warning, early];
                Err(anyhow!("{}", told.into_iter().flatten().collect::<Vec<_>>().join("; ")))
            }
        }
    }

    /// Returns the signal that ended the wait, or the one that the keys of the person stand for.
    pub(super) fn signal(&self) -> Option<i32> {
        match self.ended() {
            true => Some(SIGTERM),
            false => self.is_interrupted.then_some(SIGINT),
        }
    }

    /// Shows the looks, asks the questions, and waits for the end.
    fn wait_looking(
        &mut self,
        worker: &Worker<InvestigationResult>,
        messages: &Receiver<Message>,
        control: &RequestControl,
    ) -> anyhow::Result<InvestigationResult> {
        let started = Instant::now();
        let mut open: Option<Open> = None;
        loop {
            let now = Instant::now();
            self.take_terminal();
            for message in messages.try_iter() {
                open = self.show_message(message, now).or(open.take());
            }
            let bytes = self.terminal.as_ref().map(Terminal::typed);
            // A lost terminal cancels, and so does a signal.
            let is_lost = self.ended() || bytes == Some(None);
            let bytes = bytes.flatten().unwrap_or_default();
            if is_lost || self.feed(&bytes, now) == Some(KeyPress::Cancel) {
                self.is_interrupted = bytes.contains(&CTRL_C);
                control.cancel();
                self.terminal.iter_mut().for_each(Terminal::erase);
                return worker.result.recv_timeout(PARTIAL_GRACE).map_err(|_| Failure::Cancelled)?;
            }
            if let Some(question) = open.as_mut().filter(|_| !bytes.contains(&ESC))
                && let Answered::With(answer) = question.feed(&bytes, now)
            {
                let _ = question.answers.send(answer);
                open = None;
            }
            if control.overdue(now).is_some_and(|by| DEADLINE_GRACE <= by) {
                control.cancel();
                return worker.result.recv_timeout(PARTIAL_GRACE).map_err(|_| Failure::TimedOut)?;
            }
            self.show_looking(open.as_ref(), now - started);
            if self.pause(Some(&worker.done)) {
                for message in messages.try_iter() {
                    self.show_message(message, now);
                }
                return worker.result();
            }
        }
    }

    /// Shows a message; returns the question if it is one.
    fn show_message(&mut self, message: Message, now: Instant) -> Option<Open> {
        let (text, open) = match message {
            Message::Told(text) => (text, None),
            Message::Question { text, is_approval, answers } => {
                (text, Some(Open { is_approval, answers, typed: Vec::new(), since: now }))
            }
        };
        let is_question = open.is_some();
        self.terminal.iter_mut().for_each(|terminal| terminal.say(&text, is_question));
        open
    }

    /// Draws the status row, or the answer that is being typed.
    fn show_looking(&mut self, open: Option<&Open>, elapsed: Duration) {
        let Some(terminal) = self.terminal.as_mut() else { return };
        let columns = terminal.columns();
        terminal.show(match open {
            Some(open) => self.glyphs.answer(&String::from_utf8_lossy(&open.typed), columns),
            None => self.glyphs.looking(elapsed, columns),
        });
    }
}
