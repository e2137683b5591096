//! `askline line`: the helper behind the key. Reads the line, thinks while owning the terminal, writes the new line.
//!
//! The shell scripts rely on what this promises. Stdout gets the new line, the character US (0x1f), and a message for
//! the person, which is at most three rows and often empty; neither part holds another US or an escape. Exit 0 means
//! replace the line, 3 that there is no answer and the message says why, 130 cancelled; a reply without its US is one
//! of a helper that died. On every path the terminal is as it was, without anything typed during the wait: otherwise an
//! Enter typed too early would run a command that nobody read. The script shows the message, in the way of its shell,
//! after that, so that every key pressed in answer to it is the shell's.

pub(super) mod ahead;
pub mod attended;
mod input;
mod keys;
mod row;
mod terminal;
pub(super) mod turn;

use std::io::{self, IsTerminal as _, PipeReader, Write as _};
use std::os::fd::OwnedFd;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

use self::input::Input;
use self::keys::{Key, Keys, SEQUENCE_WAIT};
use self::row::{FRAME, Glyphs};
use self::terminal::{COLUMNS, Terminal};
use self::turn::{Said, Turn};
use super::args::Draw;
use super::{Desk, Exit};
use crate::clean::visible;
use crate::config::Config;
use crate::context::Machine;
use crate::failure::Failure;
use crate::host::Host;
use crate::host::local::{self, LocalHost};
use crate::metrics::{Book, Outcome};
use crate::model::resident::door::Door;
use crate::patience::Patience;
use crate::presses;

/// How long a shell may take to hand over the terminal before work begins without it: some start a program first and
/// make it the foreground after.
const FOREGROUND_WAIT: Duration = Duration::from_millis(200);
/// How often the terminal is looked at meanwhile.
const FOREGROUND_TICK: Duration = Duration::from_millis(2);
/// How long nothing is drawn: an answer this quick needs no status row.
const QUIET: Duration = Duration::from_millis(120);
/// How long after the deadline a worker may still bring its answer before it counts as stuck.
const DEADLINE_GRACE: Duration = Duration::from_millis(500);
/// How long a cancelled worker may take to end by itself.
const CANCEL_GRACE: Duration = Duration::from_millis(100);
/// How long a worker that has spoken may take to hand over what it said.
const HANDOVER: Duration = Duration::from_millis(100);
/// Someone who typed is still typing until no key came for this long; an Enter of theirs was not meant for an answer
/// that they have not seen.
const TYPING: Duration = Duration::from_millis(250);
/// Longest time in which the rest of a paste, of a sequence or of someone's typing is swallowed; then an answer counts as
/// cancelled, for what still comes would be typed behind it.
const SETTLE_LIMIT: Duration = Duration::from_secs(10);
/// Exit status of a bug in here; the scripts then repair the terminal themselves, to be sure.
const CRASHED: i32 = 101;

/// Longest deadline that counts, whatever the configuration says.
const DEADLINE_LIMIT: Duration = Duration::from_secs(3600);

/// What stands between the line and the message.
const SEPARATOR: u8 = 0x1f;

/// How the wait ended.
enum End {
    Answer(Said),
    Reason(String),
    Cancelled,
}

/// Does what the module says. Never returns: a worker that doesn't stop may be deep inside the model's library, whose
/// exit handlers must not run beside it.
pub(super) fn run(args: &super::args::Line) -> anyhow::Result<Exit> {
    panic::set_hook(Box::new(|info| tracing::error!("{}", visible(&info.to_string()))));
    let exit = panic::catch_unwind(AssertUnwindSafe(|| help(args)));
    // A command that still asks somewhere for the passphrase of a key has nobody left to tell it to.
    local::end_probes();
    signal_hook::low_level::exit(exit.map_or(CRASHED, |exit| exit as i32))
}

fn help(args: &super::args::Line) -> Exit {
    let mut attendant = Attendant::open(args.draw, &LocalHost);
    let worked = attendant.work(args);
    let outcome = Outcome::of(&worked);
    let end = worked.map_or_else(
        |error| match error.downcast_ref() {
            Some(Failure::Cancelled) => End::Cancelled,
            _ => End::Reason(format!("{error:#}")),
        },
        End::Answer,
    );
    // Whatever the end is, a terminal that became ours meanwhile loses its type-ahead.
    attendant.take_terminal();
    let (exit, line, message) = match &end {
        End::Answer(said) => (Exit::Done, said.line.as_str(), said.notes.join("; ")),
        End::Reason(reason) => {
            attendant.settle(TYPING);
            (Exit::Failed, "", reason.clone())
        }
        End::Cancelled => {
            attendant.settle(Duration::ZERO);
            (Exit::Cancelled, "", String::new())
        }
    };
    // First the reply, then the terminal (when `attendant` is dropped): keys are ours until the very end.
    let exit = match write_reply(line, &attendant.message(&message)) {
        Ok(()) => exit,
        Err(error) => {
            tracing::debug!("the reply was not taken: {error}");
            Exit::Failed
        }
    };
    if let (Exit::Done, End::Answer(Said { press: Some(press), .. }), Some(memory)) =
        (exit, &end, &attendant.memory)
    {
        memory.keep(press);
        if let Some((config, facts)) = &attendant.errand {
            ahead::send(config, press, memory.name(), facts);
        }
    }
    if let Some(machine) = &attendant.machine {
        machine.settle();
    }
    if let Some((book, patience)) = &attendant.asked {
        book.record(patience, outcome);
    }
    exit
}

/// Where presses in the controlling terminal are remembered: nowhere without one.
pub(super) fn memory_here(host: &dyn Host) -> Option<presses::Terminal> {
    memory(&Terminal::find()?, host)
}

fn memory(tty: &OwnedFd, host: &dyn Host) -> Option<presses::Terminal> {
    let name = terminal::name(tty)?;
    let door = Door::find(host).and_then(|door| door.make().map(|()| door));
    let door = door.inspect_err(|error| tracing::debug!("presses are not remembered: {error:#}")).ok()?;
    Some(presses::Terminal::new(door.directory(), &name))
}

fn write_reply(line: &str, message: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.write_all(&[SEPARATOR])?;
    stdout.write_all(message.as_bytes())?;
    stdout.flush()
}

/// Whoever waits: the person's keys, the row and the signals on one side, a worker on the other.
struct Attendant {
    /// None where there is no terminal at all: everything works but nothing is shown and only signals cancel. Without
    /// that, an answer needs `terminal`: what was typed meanwhile could not be dropped, and would run it.
    tty: Option<OwnedFd>,
    /// That terminal, once it is ours.
    terminal: Option<Terminal>,
    draw: Draw,
    colour: bool,
    keys: Keys,
    /// When something was typed last.
    typed_at: Option<Instant>,
    /// When [`SETTLE_LIMIT`] is over.
    settled_by: Option<Instant>,
    glyphs: Glyphs,
    /// Where the press is counted when its reply is out, and what it was asked for.
    asked: Option<(Book, Patience)>,
    /// A signal asked this process to end.
    ended: Arc<AtomicBool>,
    /// The machine that was asked about; what was found out about it is written when the answer is out.
    machine: Option<Machine>,
    /// What the key did last in this terminal.
    memory: Option<presses::Terminal>,
    /// What further suggestions are looked for with.
    errand: Option<(Config, Vec<(String, String)>)>,
}

impl Attendant {
    /// For a process that does nothing else: signals end the wait, and presses are remembered.
    fn open(draw: Draw, host: &dyn Host) -> Self {
        let ended = Arc::default();
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            // Can't fail for these; if it did, the terminal of a killed helper is repaired by the script.
            let _ = signal_hook::flag::register(signal, Arc::clone(&ended));
        }
        // Stopped in raw mode, this would leave a terminal that nobody can use.
        let _ = signal_hook::flag::register(SIGTSTP, Arc::default());
        let logs_on_screen = tracing::enabled!(tracing::Level::ERROR) && io::stderr().is_terminal();
        let mut attendant = Self::new(if logs_on_screen { Draw::None } else { draw }, host, ended);
        attendant.memory = attendant.tty.as_ref().and_then(|tty| memory(tty, host));
        attendant
    }

    fn new(draw: Draw, host: &dyn Host, ended: Arc<AtomicBool>) -> Self {
        let env = |name: &str| host.env(name).and_then(|value| value.into_string().ok()).unwrap_or_default();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(env).into_iter().find(|value| !value.is_empty());
        let is_utf8 = locale.is_some_and(|name| name.to_lowercase().replace('-', "").contains("utf8"));
        let is_dumb = matches!(env("TERM").as_str(), "" | "dumb");
        let mut attendant = Self {
            tty: Terminal::find(),
            terminal: None,
            draw: if is_dumb { Draw::None } else { draw },
            colour: env("NO_COLOR").is_empty(),
            keys: Keys::new(Instant::now()),
            typed_at: None,
            settled_by: None,
            glyphs: if is_utf8 { Glyphs::UNICODE } else { Glyphs::ASCII },
            asked: None,
            ended,
            machine: None,
            memory: None,
            errand: None,
        };
        let until = Instant::now() + FOREGROUND_WAIT;
        while !attendant.take_terminal() && Instant::now() < until {
            thread::sleep(FOREGROUND_TICK);
        }
        attendant
    }

    /// Takes the terminal if it has become ours; tells whether nothing is left to take.
    fn take_terminal(&mut self) -> bool {
        if let Some(tty) = self.tty.as_ref().filter(|_| self.terminal.is_none()) {
            self.terminal = Terminal::take(tty, self.draw, self.colour);
        }
        self.tty.is_none() || self.terminal.is_some()
    }

    fn work(&mut self, args: &super::args::Line) -> anyhow::Result<Said> {
        let started = Instant::now();
        let mut input = Input::read(args.cursor)?;
        // Only now, for what is wrong with it shall be told like everything else.
        let desk = Desk::open()?;
        let config = desk.config()?;
        let book = desk.book();
        tracing::debug!(
            status = args.status,
            keymap = args.keymap,
            facts = input.facts.len(),
            "a line of {} characters",
            input.line.text.chars().count()
        );
        self.machine = Some(desk.machine.clone());
        let deadline = started + Duration::from_millis(config.deadline_ms).min(DEADLINE_LIMIT);
        let patience = Patience::until(deadline);
        input.facts.push(("status".to_owned(), args.status.to_string()));
        self.errand = Some((config.clone(), input.facts.clone()));
        let turn = Turn {
            input,
            shell: args.shell,
            terminal: self.memory.clone(),
            machine: desk.machine,
            config,
            paths: desk.paths,
            patience: patience.clone(),
        };
        let worker = Worker::start(move || turn.take())?;
        self.asked = book.map(|book| (book, patience.clone()));
        self.wait(&worker, &patience, started)
    }

    /// Until the worker has an answer.
    ///
    /// # Errors
    /// What the worker says, [`Failure::TimedOut`], and [`Failure::Cancelled`] when a key or a signal says to give up or the
    /// terminal is not ours.
    fn wait<T: Send + 'static>(
        &mut self,
        worker: &Worker<T>,
        patience: &Patience,
        started: Instant,
    ) -> anyhow::Result<T> {
        let mut done = false;
        loop {
            let now = Instant::now();
            let has_terminal = self.take_terminal();
            // What has begun to arrive comes first: an Esc counts more than the answer, and the rest of a paste must not
            // be typed behind it.
            let key = if done { self.settle(TYPING) } else { self.key(now) };
            if key == Some(Key::Cancel) || done && !has_terminal {
                patience.cancel();
                self.terminal.iter_mut().for_each(Terminal::erase);
                let _ = worker.said.recv_timeout(CANCEL_GRACE);
                return Err(Failure::Cancelled.into());
            }
            if done {
                return worker.result();
            }
            if patience.overdue(now).is_some_and(|by| DEADLINE_GRACE <= by) {
                patience.cancel();
                return Err(Failure::TimedOut.into());
            }
            let elapsed = now - started;
            if let Some(terminal) = self.terminal.as_mut().filter(|_| QUIET <= elapsed) {
                let row =
                    self.glyphs.working(patience.stage(), &patience.asked(), elapsed, terminal.columns());
                terminal.show(row);
            }
            done |= self.pause((!done).then_some(&worker.done));
        }
    }

    /// The message as the scripts show it; empty when there is nothing to say.
    fn message(&self, text: &str) -> String {
        let columns = self.terminal.as_ref().map_or(COLUMNS, Terminal::columns);
        if text.trim().is_empty() { String::new() } else { self.glyphs.message(text, columns) }
    }

    /// The key pressed since the last call. A signal, or a terminal that went away, cancels.
    fn key(&mut self, now: Instant) -> Option<Key> {
        if self.ended() {
            return Some(Key::Cancel);
        }
        match self.terminal.as_ref()?.typed() {
            Some(bytes) => self.feed(&bytes, now),
            None => Some(Key::Cancel),
        }
    }

    fn feed(&mut self, bytes: &[u8], now: Instant) -> Option<Key> {
        if !bytes.is_empty() {
            self.typed_at = Some(now);
        }
        self.keys.feed(bytes, now).max(self.keys.wait(now))
    }

    /// Swallows what is still arriving, so that no rest of it is left for the shell: a paste, a sequence, and the keys of
    /// someone who has not paused for `quiet` yet. Gives the most important key in it; what doesn't end within
    /// [`SETTLE_LIMIT`] cancels.
    fn settle(&mut self, quiet: Duration) -> Option<Key> {
        let until = *self.settled_by.get_or_insert_with(|| Instant::now() + SETTLE_LIMIT);
        let mut key = None;
        loop {
            let now = Instant::now();
            let bytes = self.terminal.as_ref()?.typed();
            let Some(bytes) = bytes.filter(|_| !self.ended() && now < until) else {
                return Some(Key::Cancel);
            };
            key = key.max(self.feed(&bytes, now));
            let is_typing = key != Some(Key::Cancel) && self.typed_at.is_some_and(|at| now - at < quiet);
            if bytes.is_empty() {
                if !is_typing && !self.keys.unfinished() {
                    return key;
                }
                self.pause(None);
            }
        }
    }

    fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Waits for a key, a signal, the worker or the next picture; tells whether the worker is done.
    fn pause(&self, done: Option<&PipeReader>) -> bool {
        let longest = if self.keys.undecided() { SEQUENCE_WAIT } else { FRAME };
        let timeout = longest.try_into().unwrap_or_default();
        let has_worker = done.is_some();
        let keys = self.terminal.iter().map(|terminal| PollFd::new(terminal, PollFlags::IN));
        let done = done.iter().map(|done| PollFd::new(*done, PollFlags::IN));
        let mut waited_for: Vec<PollFd<'_>> = keys.chain(done).collect();
        // A failed wait is a short one: signals interrupt it, and the caller looks around anyway.
        let ready = poll(&mut waited_for, Some(&timeout)).is_ok();
        ready && has_worker && waited_for.last().is_some_and(|worker| !worker.revents().is_empty())
    }
}

/// A thread at work, which can be waited for together with keys.
struct Worker<T> {
    /// Readable once the worker has spoken or panicked.
    done: PipeReader,
    said: mpsc::Receiver<anyhow::Result<T>>,
}

impl<T: Send + 'static> Worker<T> {
    fn start(work: impl FnOnce() -> anyhow::Result<T> + Send + 'static) -> anyhow::Result<Self> {
        let (done, end) = io::pipe().context("no pipe to the worker")?;
        let (say, said) = mpsc::channel();
        thread::Builder::new()
            .name("worker".to_owned())
            .spawn(move || {
                let _end = end; // closed by a panic, too
                terminal::accept_job_control();
                let _ = say.send(work());
            })
            .context("no thread for the worker")?;
        Ok(Self { done, said })
    }

    fn result(&self) -> anyhow::Result<T> {
        let said = self.said.recv_timeout(HANDOVER);
        said.unwrap_or_else(|_| {
            anyhow::bail!("a bug in askline stopped it; `askline suggest --debug` shows more")
        })
    }
}
