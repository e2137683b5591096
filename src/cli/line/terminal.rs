//! The terminal while the helper works: keys are read raw, one row is drawn, and however this ends the terminal is
//! left as it was found, without anything typed meanwhile.
//!
//! Only modes changed here are changed back; the terminal is never asked anything (its answer could end up on the
//! prompt line) and no keyboard protocol is switched on.

use std::fmt::Write as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::getpgrp;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcgetpgrp, tcgetwinsize, tcsetattr,
};

use crate::cli::args::Draw;

/// Longest wait for a terminal that takes no output; then a picture is left out.
const WRITE_WAIT: Duration = Duration::from_millis(100);
/// Most bytes of keys taken at a time.
const KEYS_LIMIT: usize = 256;
/// Columns that a row may fill on terminals that don't tell.
pub(super) const COLUMNS: usize = 79;

/// Names a terminal and the login to it: no two that live have the same name.
pub(super) fn name(tty: &OwnedFd) -> Option<String> {
    let session = rustix::process::getsid(None).ok()?.as_raw_nonzero();
    // /dev/tty is the same device for everybody; its session tells them apart.
    let device = rustix::fs::fstat(tty).ok()?.st_rdev;
    Some(format!("{session}-{device:x}"))
}

/// The controlling terminal in raw mode; dropping it restores it.
#[derive(Debug)]
pub(super) struct Terminal {
    tty: OwnedFd,
    found: Termios,
    draw: Draw,
    colour: bool,
    drawn: Option<Picture>,
    /// The size changed while something was drawn, and the terminal may have wrapped it anew.
    resized: bool,
    left: bool,
}

/// What the row shows, and in which terminal it was drawn.
#[derive(Debug, PartialEq, Eq)]
struct Picture {
    text: String,
    size: (u16, u16),
}

impl Terminal {
    /// The controlling terminal, untouched, if there is one.
    pub(super) fn find() -> Option<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        rustix::fs::open("/dev/tty", flags, Mode::empty()).ok()
    }

    /// Takes over what [`Self::find`] found. None: another process group has it, or it went away.
    pub(super) fn take(tty: &OwnedFd, draw: Draw, colour: bool) -> Option<Self> {
        let tty = tty.try_clone().ok()?;
        if !is_foreground(&tty) {
            return None;
        }
        // Should the shell take the terminal back unnoticed, touching it must fail rather than stop this process.
        let _ = job_control().thread_block();
        let found = tcgetattr(&tty).ok()?;
        let mut raw = found.clone();
        raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        raw.input_modes -= InputModes::IXON | InputModes::INLCR | InputModes::IGNCR;
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        let terminal = Self { tty, found, draw, colour, drawn: None, resized: false, left: false };
        tcsetattr(&terminal.tty, OptionalActions::Now, &raw).ok()?;
        Some(terminal)
    }

    /// Columns that a row may fill. The last one stays free: a character there makes some terminals wrap.
    pub(super) fn columns(&self) -> usize {
        match self.size() {
            (_, 0) => COLUMNS,
            (_, columns) => usize::from(columns - 1),
        }
    }

    /// The bytes typed since the last call, at most [`KEYS_LIMIT`]. None: the terminal is gone, or no longer ours.
    pub(super) fn typed(&self) -> Option<Vec<u8>> {
        if !is_foreground(&self.tty) {
            return None;
        }
        let mut keys = vec![0; KEYS_LIMIT];
        match rustix::io::read(&self.tty, &mut keys) {
            Ok(0) => None,
            Ok(n) => {
                keys.truncate(n);
                Some(keys)
            }
            Err(Errno::AGAIN | Errno::INTR) => Some(Vec::new()),
            Err(_) => None,
        }
    }

    /// Shows `text`, which must be safe and fit, on the status row; nothing is written when it stands there already.
    pub(super) fn show(&mut self, text: String) {
        let picture = Picture { text, size: self.size() };
        if self.draw == Draw::None || self.drawn.as_ref() == Some(&picture) {
            return;
        }
        let text = &picture.text;
        let text = if self.colour { format!("\x1b[2m{text}\x1b[22m") } else { text.clone() };
        self.write_row(&text);
        self.drawn = Some(picture);
    }

    /// Removes the status row, if one was drawn.
    pub(super) fn erase(&mut self) {
        if self.drawn.is_some() {
            self.write_row("");
            self.drawn = None;
        }
    }

    /// Gives the terminal back: the row erased, type-ahead dropped, modes as found. Happens once.
    pub(super) fn leave(&mut self) {
        if std::mem::replace(&mut self.left, true) {
            return;
        }
        self.erase();
        // When another process group has the terminal, its modes and its keys are that one's.
        if is_foreground(&self.tty) {
            // An Enter typed during the wait must not run the new line. Flushed on both sides of the change: before,
            // because bytes left over could be read as a whole line after; after, for a key pressed in between.
            let _ = tcflush(&self.tty, QueueSelector::IFlush);
            let _ = tcsetattr(&self.tty, OptionalActions::Now, &self.found);
            let _ = tcflush(&self.tty, QueueSelector::IFlush);
        }
    }

    fn size(&self) -> (u16, u16) {
        tcgetwinsize(&self.tty).map_or((0, 0), |size| (size.ws_row, size.ws_col))
    }

    /// Replaces the status row and puts the cursor back where the shell left it.
    fn write_row(&mut self, text: &str) {
        // A terminal that became narrower may have wrapped the row into several. The cursor stands before all of them.
        let size = self.size();
        self.resized |= self.drawn.as_ref().is_some_and(|drawn| drawn.size != size);
        let erase = if self.resized { "\x1b[J" } else { "\x1b[K" };
        let mut out = String::new();
        let _ = match self.draw {
            Draw::None => return,
            Draw::Here => write!(out, "\r{erase}{text}\r"),
            // Index and reverse index make room at the bottom of the screen and keep the column. Again on each
            // drawing, because a resize may have moved the cursor to the bottom.
            Draw::Below => write!(out, "\x1bD\x1bM\x1b7\x1b[1E{erase}{text}\x1b8"),
            Draw::BelowUnscrolled => write!(out, "\x1b7\x1b[1E{erase}{text}\x1b8"),
        };
        if is_foreground(&self.tty) {
            self.write(out.as_bytes());
        }
    }

    /// Writes as much as the terminal takes in time; a row is never worth an error.
    fn write(&self, mut bytes: &[u8]) {
        let until = Instant::now() + WRITE_WAIT;
        while !bytes.is_empty() {
            match rustix::io::write(&self.tty, bytes) {
                Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let left = until.saturating_duration_since(Instant::now());
                    let mut ready = [PollFd::new(&self.tty, PollFlags::OUT)];
                    let timeout = left.try_into().unwrap_or_default();
                    if matches!(poll(&mut ready, Some(&timeout)), Ok(0)) {
                        return;
                    }
                }
                Err(_) => return,
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.leave();
    }
}

impl AsFd for Terminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tty.as_fd()
    }
}

/// Lets a thread, and what it starts, be stopped by job control as usual; [`Terminal::take`] switched that off.
pub(super) fn accept_job_control() {
    let _ = job_control().thread_unblock();
}

fn job_control() -> SigSet {
    [Signal::SIGTTOU, Signal::SIGTTIN].into_iter().collect()
}

fn is_foreground(tty: &OwnedFd) -> bool {
    tcgetpgrp(tty).is_ok_and(|group| group == getpgrp())
}
