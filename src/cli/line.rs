//! `askline line`: the helper behind the key. Reads the prompt line, works while it controls the terminal, and writes
//! the new line.
//!
//! The shell scripts rely on this interface. Stdout gets the new line, the character US (0x1f), and a message for the
//! user, which has at most three rows and is often empty; neither part contains another US or an escape. With `--place`,
//! another US and the place of the cursor follow, if it is not the end: the first part that is to be filled in. Exit status
//! 0 means replace the line, 3 means no answer with the reason, or the explanation (`--explain`), effect (`--preview`) or list (`--list`), in the message, 130 means cancelled; a reply without
//! US comes from a helper that crashed. On every path the terminal is restored, and all type-ahead is dropped:
//! otherwise an Enter typed too early would run a command that the user has not read. The script shows the message
//! afterwards, in the way of its shell, so each key pressed in response goes to the shell.

mod effect;
mod explanation;
mod input;
mod keys;
mod list;
mod look;
pub(super) mod prefetch;
mod readiness;
mod row;
mod terminal;
pub(super) mod turn;
pub mod wait;

use std::io::{self, IsTerminal as _, PipeReader, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

use self::input::Input;
use self::keys::{KeyPress, Keys, SEQUENCE_WAIT};
use self::row::{FRAME, Glyphs};
use self::terminal::{COLUMNS, Terminal};
use self::turn::{DeclinedPress, Turn, TurnResult};
use super::args::Draw;
use super::{AppContext, Exit};
use crate::answer::growing;
use crate::config::Config;
use crate::environment::Machine;
use crate::metrics::{Outcome, UsageStore};
use crate::presses::{self, Press};
use crate::shell_facts::ShellFacts;
use askline_host::Host;
use askline_host::local;
use askline_host::local::LocalHost;
use askline_model::failure::Failure;
use askline_model::request_control::{RequestControl, Stage};
use askline_model::resident::endpoint::Endpoint;
use askline_syntax::clean::visible;

/// Maximum wait for the shell to hand over the terminal before work begins without it: some shells start a program
/// first and make it the foreground process later.
const FOREGROUND_WAIT: Duration = Duration::from_millis(200);
/// Polling interval of the terminal during that wait.
const FOREGROUND_TICK: Duration = Duration::from_millis(2);
/// Time before anything is drawn: a quick answer needs no status row.
const QUIET: Duration = Duration::from_millis(120);
/// Extra time after the deadline for a worker's answer before the worker counts as stuck.
const DEADLINE_GRACE: Duration = Duration::from_millis(500);
/// Time limit for a cancelled worker to end by itself.
const CANCEL_GRACE: Duration = Duration::from_millis(100);
/// Time limit for a worker that is done to hand over its result.
const HANDOVER: Duration = Duration::from_millis(100);
/// Pause without a key after which the user counts as having stopped typing. An Enter before that was not meant for
/// an answer that the user has not seen.
const TYPING: Duration = Duration::from_millis(250);
/// Maximum time in which the rest of a paste, of a sequence or of typing is discarded. After that the answer counts
/// as cancelled, because further input would be typed after it.
const SETTLE_LIMIT: Duration = Duration::from_secs(10);
/// Exit status after a bug in this program; the scripts then repair the terminal themselves.
const CRASHED: i32 = 101;

/// Separator (US) of the texts for the shell scripts.
pub(super) const SEPARATOR: char = '\x1f';

/// Result of the wait.
enum WaitEnd {
    Answer(Box<TurnResult>),
    /// No line: the reason, and the press to keep if the words were declined.
    Reason(String, Option<Box<Press>>),
    Cancelled,
}

impl WaitEnd {
    /// Returns the end of a wait that failed.
    fn of(error: anyhow::Error) -> Self {
        match (error.downcast_ref(), error.downcast_ref::<DeclinedPress>()) {
            (Some(Failure::Cancelled), _) => Self::Cancelled,
            (_, Some(declined)) => {
                let reason = format!("{}, {declined}", error.root_cause());
                Self::Reason(reason, Some(Box::new(declined.0.clone())))
            }
            _ => Self::Reason(format!("{error:#}"), None),
        }
    }
}

/// Runs the helper as described in the module documentation. Never returns: an unfinished worker may be inside the
/// model's library, whose exit handlers must not run at the same time.
pub(super) fn run(args: &super::args::Line) -> anyhow::Result<Exit> {
    panic::set_hook(Box::new(|info| tracing::error!("{}", visible(&info.to_string()))));
    let exit = panic::catch_unwind(AssertUnwindSafe(|| help(args)));
    // A command that still asks for a key's passphrase has no reader left.
    local::end_probes();
    signal_hook::low_level::exit(exit.map_or(CRASHED, |exit| exit as i32))
}

fn help(args: &super::args::Line) -> Exit {
    let mut session = TerminalSession::open(args.draw, &LocalHost);
    if args.explain || args.preview || args.list {
        return explain(&mut session, args);
    }
    let worked = if args.look { session.look(args) } else { session.work(args) };
    let outcome = Outcome::of(&worked);
    let end = worked.map_or_else(WaitEnd::of, |shown| WaitEnd::Answer(Box::new(shown)));
    // In every case, if the terminal became ours meanwhile, its type-ahead is dropped.
    session.take_terminal();
    let (exit, line, message) = match &end {
        WaitEnd::Answer(shown) => (Exit::Done, shown.line.as_str(), shown.notes.join("; ")),
        WaitEnd::Reason(reason, _) => {
            session.settle(TYPING);
            (Exit::Failed, "", reason.clone())
        }
        WaitEnd::Cancelled => {
            session.settle(Duration::ZERO);
            (Exit::Cancelled, "", String::new())
        }
    };
    // The reply comes first, then the terminal is restored (when `session` is dropped): keys are ours until the
    // very end.
    let place = match &end {
        WaitEnd::Answer(shown) if args.place => Some(shown.cursor),
        _ => args.place.then_some(None),
    };
    let written = write_reply(line, &session.message(&message), place);
    let exit = match &written {
        Ok(()) => exit,
        Err(error) => {
            tracing::debug!("can't write the reply: {error}");
            Exit::Failed
        }
    };
    if let (Ok(()), WaitEnd::Reason(_, Some(press)), Some(press_store)) =
        (written, &end, &session.press_store)
    {
        press_store.keep(press);
    }
    if let (Exit::Done, WaitEnd::Answer(shown), Some(press_store)) = (exit, &end, &session.press_store)
        && let Some(press) = &shown.press
    {
        press_store.keep(press);
        if let Some((config, facts)) = &session.input_facts {
            prefetch::send(config, press, press_store.name(), facts);
        }
    }
    if let Some(machine) = &session.machine {
        machine.settle();
    }
    if let Some((usage_store, control)) = &session.asked {
        usage_store.record(control, outcome);
    }
    exit
}

/// Explains the line, tells its effect, or lists the suggestions for it; it stays.
fn explain(session: &mut TerminalSession, args: &super::args::Line) -> Exit {
    let explained = session.explain(args);
    session.take_terminal();
    let (exit, message) = match explained {
        Ok(notes) => (Exit::Failed, session.explanation(&notes)),
        Err(error) if matches!(error.downcast_ref(), Some(Failure::Cancelled)) => {
            (Exit::Cancelled, String::new())
        }
        Err(error) => (Exit::Failed, session.message(&format!("{error:#}"))),
    };
    session.settle(Duration::ZERO);
    if let Err(error) = write_reply("", &message, args.place.then_some(None)) {
        tracing::debug!("can't write the reply: {error}");
    }
    session.machine.iter().for_each(Machine::settle);
    exit
}

/// Returns the store of presses for the controlling terminal; `None` without one.
pub(super) fn press_store(host: &dyn Host) -> Option<presses::PressStore> {
    press_store_of(&Terminal::find()?, host)
}

fn press_store_of(tty: &OwnedFd, host: &dyn Host) -> Option<presses::PressStore> {
    let name = terminal::name(tty)?;
    let endpoint = Endpoint::find(host).and_then(|endpoint| endpoint.make().map(|()| endpoint));
    let endpoint =
        endpoint.inspect_err(|error| tracing::debug!("key presses are not stored: {error:#}")).ok()?;
    Some(presses::PressStore::new(endpoint.directory(), &name))
}

/// Writes the reply; `place` is the place of the cursor, if the script asked for one.
fn write_reply(line: &str, message: &str, place: Option<Option<usize>>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    write!(stdout, "{line}{SEPARATOR}{message}")?;
    if let Some(place) = place {
        let place = place.map(|place| place.to_string()).unwrap_or_default();
        write!(stdout, "{SEPARATOR}{place}")?;
    }
    stdout.flush()
}

/// A terminal session during the wait: keys, status row and signals on one side, a worker on the other.
struct TerminalSession {
    /// `None` if there is no terminal: everything works, but nothing is shown and only signals cancel. If there is
    /// one, an answer needs `terminal`: otherwise type-ahead could not be dropped and would run the answer.
    tty: Option<OwnedFd>,
    /// The same terminal, once it is under our control.
    terminal: Option<Terminal>,
    draw: Draw,
    colour: bool,
    keys: Keys,
    /// Time of the last key.
    typed_at: Option<Instant>,
    /// End of [`SETTLE_LIMIT`].
    settled_by: Option<Instant>,
    glyphs: Glyphs,
    /// Usage record that counts the press after its reply, and the control of the request.
    asked: Option<(UsageStore, RequestControl)>,
    /// `true` after a signal that ends this process.
    ended: Arc<AtomicBool>,
    /// `true` after Ctrl-C ended an investigation.
    is_interrupted: bool,
    /// Machine of the request; new facts about it are cached after the answer.
    machine: Option<Machine>,
    /// Store of the last press in this terminal.
    press_store: Option<presses::PressStore>,
    /// Input for the prefetch of further suggestions.
    input_facts: Option<(Config, ShellFacts)>,
}

impl TerminalSession {
    /// Opens a session for a process that does nothing else: signals end the wait, and presses are recorded.
    fn open(draw: Draw, host: &dyn Host) -> Self {
        let ended = Arc::default();
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            // This cannot fail for these signals; if it did, the script repairs the terminal of a killed helper.
            let _ = signal_hook::flag::register(signal, Arc::clone(&ended));
        }
        // Stopping in raw mode would leave an unusable terminal.
        let _ = signal_hook::flag::register(SIGTSTP, Arc::default());
        let logs_on_screen = tracing::enabled!(tracing::Level::ERROR) && io::stderr().is_terminal();
        let mut session = Self::new(if logs_on_screen { Draw::None } else { draw }, host, ended);
        session.press_store = session.tty.as_ref().and_then(|tty| press_store_of(tty, host));
        session
    }

    fn new(draw: Draw, host: &dyn Host, ended: Arc<AtomicBool>) -> Self {
        let env = |name: &str| host.env(name).and_then(|value| value.into_string().ok()).unwrap_or_default();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(env).into_iter().find(|value| !value.is_empty());
        let is_utf8 = locale.is_some_and(|name| name.to_lowercase().replace('-', "").contains("utf8"));
        let is_dumb = matches!(env("TERM").as_str(), "" | "dumb");
        let mut session = Self {
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
            is_interrupted: false,
            machine: None,
            press_store: None,
            input_facts: None,
        };
        let until = Instant::now() + FOREGROUND_WAIT;
        while !session.take_terminal() && Instant::now() < until {
            thread::sleep(FOREGROUND_TICK);
        }
        session
    }

    /// Takes control of the terminal if it has become ours; returns `true` if nothing is left to take.
    fn take_terminal(&mut self) -> bool {
        if let Some(tty) = self.tty.as_ref().filter(|_| self.terminal.is_none()) {
            self.terminal = Terminal::take(tty, self.draw, self.colour);
        }
        self.tty.is_none() || self.terminal.is_some()
    }

    fn work(&mut self, args: &super::args::Line) -> anyhow::Result<TurnResult> {
        let started = Instant::now();
        let mut input = Input::read(args.cursor)?;
        // Only now, because its errors are shown like all others.
        let app = AppContext::open()?;
        let config = app.config()?;
        let usage_store = app.usage_store();
        tracing::debug!(
            status = args.status,
            keymap = args.keymap,
            "a line of {} characters",
            input.line.text.chars().count()
        );
        self.machine = Some(app.machine.clone());
        let deadline = started + config.deadline();
        let control = RequestControl::until(deadline);
        input.facts.status = i32::try_from(args.status).ok();
        self.input_facts = Some((config.clone(), input.facts.clone()));
        let turn = Turn {
            input,
            shell: args.shell,
            press_store: self.press_store.clone(),
            machine: app.machine,
            config,
            paths: app.paths,
            control: control.clone(),
        };
        let worker = Worker::start(move || turn.take())?;
        self.asked = usage_store.map(|usage_store| (usage_store, control.clone()));
        self.wait(&worker, &control, started)
    }

    /// Returns the notes that explain the line, tell its effect, or list the suggestions for it.
    fn explain(&mut self, args: &super::args::Line) -> anyhow::Result<Vec<String>> {
        let started = Instant::now();
        let input = Input::read(args.cursor)?;
        if args.list {
            let last = self.press_store.as_ref().and_then(presses::PressStore::last);
            return Ok(list::notes(&input, args.shell, last.as_ref(), &LocalHost));
        }
        let app = AppContext::open()?;
        let config = app.config()?;
        let control = RequestControl::until(started + config.deadline());
        control.enter(Stage::Checking, started);
        self.machine = Some(app.machine.clone());
        let (shell, machine, is_preview) = (args.shell, app.machine, args.preview);
        let worker = Worker::start(move || {
            Ok(match is_preview {
                true => effect::notes(&input, shell, &machine),
                false => explanation::notes(&input, shell, &machine, &config),
            })
        })?;
        self.wait(&worker, &control, started)
    }

    /// Waits for the worker's answer.
    ///
    /// # Errors
    /// The worker's error, [`Failure::TimedOut`], [`Failure::Preparing`], and [`Failure::Cancelled`] when a key or a signal cancels or the
    /// terminal is not ours.
    fn wait<T: Send + 'static>(
        &mut self,
        worker: &Worker<T>,
        control: &RequestControl,
        started: Instant,
    ) -> anyhow::Result<T> {
        let mut done = false;
        loop {
            let now = Instant::now();
            let has_terminal = self.take_terminal();
            // Input that has begun to arrive comes first: an Esc has priority over the answer, and the rest of a
            // paste must not be typed after it.
            let key = if done { self.settle(TYPING) } else { self.key(now) };
            let is_content = !done && !self.ended() && control.stage() == Stage::Comparing;
            if key == Some(KeyPress::Cancel) && is_content && !control.is_contented() {
                // There is an answer, and this key asks for it. The next one cancels.
                control.content();
            } else if key == Some(KeyPress::Cancel) || done && !has_terminal {
                control.cancel();
                self.terminal.iter_mut().for_each(Terminal::erase);
                let _ = worker.result.recv_timeout(CANCEL_GRACE);
                return Err(Failure::Cancelled.into());
            }
            if done {
                return worker.result();
            }
            if control.overdue(now).is_some_and(|by| DEADLINE_GRACE <= by) {
                let failure = control.spent(now).unwrap_or(Failure::TimedOut);
                control.cancel();
                return Err(failure.into());
            }
            let elapsed = now - started;
            if let Some(terminal) = self.terminal.as_mut().filter(|_| QUIET <= elapsed) {
                let draft = growing(&control.draft());
                let now = (control.stage(), elapsed);
                let row = self.glyphs.working(now, &control.asked(), &draft, terminal.columns());
                terminal.show(row);
            }
            done |= self.pause((!done).then_some(&worker.done));
        }
    }

    /// Returns the message as the scripts show it; empty if there is none.
    fn message(&self, text: &str) -> String {
        let columns = self.terminal.as_ref().map_or(COLUMNS, Terminal::columns);
        if text.trim().is_empty() { String::new() } else { self.glyphs.message(text, columns) }
    }

    /// Returns an explanation as the scripts show it.
    fn explanation(&self, notes: &[String]) -> String {
        let columns = self.terminal.as_ref().map_or(COLUMNS, Terminal::columns);
        self.glyphs.explanation(&notes.join("; "), columns)
    }

    /// Returns the key pressed since the last call. A signal or a lost terminal cancels.
    fn key(&mut self, now: Instant) -> Option<KeyPress> {
        if self.ended() {
            return Some(KeyPress::Cancel);
        }
        match self.terminal.as_ref()?.typed() {
            Some(bytes) => self.feed(&bytes, now),
            None => Some(KeyPress::Cancel),
        }
    }

    fn feed(&mut self, bytes: &[u8], now: Instant) -> Option<KeyPress> {
        if !bytes.is_empty() {
            self.typed_at = Some(now);
        }
        self.keys.feed(bytes, now).max(self.keys.wait(now))
    }

    /// Discards input that is still arriving, to leave no rest of it for the shell: a paste, a sequence, and the keys
    /// of a user who has not paused for `quiet` yet. Returns the most important key in it; input that does not end
    /// within [`SETTLE_LIMIT`] cancels.
    fn settle(&mut self, quiet: Duration) -> Option<KeyPress> {
        let until = *self.settled_by.get_or_insert_with(|| Instant::now() + SETTLE_LIMIT);
        let mut key = None;
        loop {
            let now = Instant::now();
            let bytes = self.terminal.as_ref()?.typed();
            let Some(bytes) = bytes.filter(|_| !self.ended() && now < until) else {
                return Some(KeyPress::Cancel);
            };
            key = key.max(self.feed(&bytes, now));
            let is_typing = key != Some(KeyPress::Cancel) && self.typed_at.is_some_and(|at| now - at < quiet);
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

    /// Waits for a key, a signal, the worker or the next frame; returns `true` if the worker is done.
    fn pause(&self, done: Option<&PipeReader>) -> bool {
        let longest = if self.keys.undecided() { SEQUENCE_WAIT } else { FRAME };
        let has_worker = done.is_some();
        let keys = self.terminal.iter().map(AsFd::as_fd);
        let waited_for: Vec<BorrowedFd<'_>> = keys.chain(done.map(AsFd::as_fd)).collect();
        // Signals interrupt it, and the caller checks everything anyway.
        let ready = readiness::readable(&waited_for, longest);
        has_worker && ready.last().is_some_and(|worker| *worker)
    }
}

/// A worker thread that can be waited for together with keys.
struct Worker<T> {
    /// Pipe that becomes readable when the worker is done or has panicked.
    done: PipeReader,
    result: mpsc::Receiver<anyhow::Result<T>>,
}

impl<T: Send + 'static> Worker<T> {
    fn start(work: impl FnOnce() -> anyhow::Result<T> + Send + 'static) -> anyhow::Result<Self> {
        let (done, end) = io::pipe().context("can't create a pipe to the worker")?;
        let (sender, result) = mpsc::channel();
        thread::Builder::new()
            .name("worker".to_owned())
            .spawn(move || {
                let _end = end; // closed by a panic, too
                terminal::accept_job_control();
                let _ = sender.send(work());
            })
            .context("can't start the worker thread")?;
        Ok(Self { done, result })
    }

    fn result(&self) -> anyhow::Result<T> {
        let result = self.result.recv_timeout(HANDOVER);
        result.unwrap_or_else(|_| {
            anyhow::bail!("a bug in askline stopped it; `askline suggest --debug` shows more")
        })
    }
}
