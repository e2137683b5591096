//! The terminal during the wait: keys are read in raw mode, one row is drawn, and in every case the terminal is
//! restored without type-ahead.
//!
//! Only modes changed here are restored. The terminal is never queried (its answer could end up on the prompt line),
//! and no keyboard protocol is switched on.

use std::fmt::Write as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::getpgrp;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcgetpgrp, tcgetwinsize, tcsetattr,
};

use super::readiness;
use crate::cli::args::Draw;

/// Maximum wait for a terminal that accepts no output; after that the frame is skipped.
const WRITE_WAIT: Duration = Duration::from_millis(100);
/// Maximum number of key bytes per read.
const KEYS_LIMIT: usize = 256;
/// Width of a row on terminals that do not report theirs.
pub(super) const COLUMNS: usize = 79;

/// Returns a name for a terminal and its login session, unique among live ones.
pub(super) fn name(tty: &OwnedFd) -> Option<String> {
    let session = rustix::process::getsid(None).ok()?.as_raw_nonzero();
    // /dev/tty is the same device for all; the session distinguishes them.
    let device = rustix::fs::fstat(tty).ok()?.st_rdev;
    Some(format!("{session}-{device:x}"))
}

/// The controlling terminal in raw mode, restored on drop.
#[derive(Debug)]
pub(super) struct Terminal {
    tty: OwnedFd,
    found: Termios,
    draw: Draw,
    colour: bool,
    drawn: Option<Picture>,
    /// `true` if the size changed while something was drawn, which the terminal may have rewrapped.
    resized: bool,
    left: bool,
}

/// Content of the row, and the terminal size when it was drawn.
#[derive(Debug, PartialEq, Eq)]
struct Picture {
    text: String,
    size: (u16, u16),
}

impl Terminal {
    /// Opens the controlling terminal without changing it, if there is one.
    pub(super) fn find() -> Option<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        rustix::fs::open("/dev/tty", flags, Mode::empty()).ok()
    }

    /// Takes control of the terminal from [`Self::find`]. `None` if another process group has it, or it is gone.
    pub(super) fn take(tty: &OwnedFd, draw: Draw, colour: bool) -> Option<Self> {
        let tty = tty.try_clone().ok()?;
        if !is_foreground(&tty) {
            return None;
        }
        // If the shell takes the terminal back unnoticed, access must fail instead of stopping this process.
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

    /// Returns the usable columns of a row. The last column stays free, because a character there makes some
    /// terminals wrap.
    pub(super) fn columns(&self) -> usize {
        match self.size() {
            (_, 0) => COLUMNS,
            (_, columns) => usize::from(columns - 1),
        }
    }

    /// Returns the bytes typed since the last call, at most [`KEYS_LIMIT`]. `None` if the terminal is gone or no
    /// longer ours.
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

    /// Shows `text`, which must be safe and fit, on the status row; writes nothing if the row already shows it.
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

    /// Reports whether anything can be shown.
    pub(super) fn is_drawn_on(&self) -> bool {
        self.draw != Draw::None
    }

    /// Shows a row, which must be safe, that stays above the status row; `is_plain` if it needs attention.
    pub(super) fn say(&mut self, text: &str, is_plain: bool) {
        self.erase();
        if self.draw == Draw::None || !is_foreground(&self.tty) {
            return;
        }
        let is_dim = self.colour && !is_plain;
        let text = if is_dim { format!("\x1b[2m{text}\x1b[22m") } else { text.to_owned() };
        self.write(format!("\r\x1b[K{text}\r\n").as_bytes());
    }

    /// Removes the status row, if one was drawn.
    pub(super) fn erase(&mut self) {
        if self.drawn.is_some() {
            self.write_row("");
            self.drawn = None;
        }
    }

    /// Restores the terminal: erases the row, drops type-ahead, resets the modes. Has an effect only once.
    pub(super) fn leave(&mut self) {
        if std::mem::replace(&mut self.left, true) {
            return;
        }
        self.erase();
        // If another process group has the terminal, its modes and keys belong to that group.
        if is_foreground(&self.tty) {
            // An Enter typed during the wait must not run the new line. Input is flushed before the mode change,
            // because leftover bytes could be read as a whole line afterwards, and after it, for a key pressed in
            // between.
            let _ = tcflush(&self.tty, QueueSelector::IFlush);
            let _ = tcsetattr(&self.tty, OptionalActions::Now, &self.found);
            let _ = tcflush(&self.tty, QueueSelector::IFlush);
        }
    }

    fn size(&self) -> (u16, u16) {
        tcgetwinsize(&self.tty).map_or((0, 0), |size| (size.ws_row, size.ws_col))
    }

    /// Replaces the status row and puts the cursor back to its old position.
    fn write_row(&mut self, text: &str) {
        // A narrower terminal may have wrapped the row into several. The cursor is before all of them.
        let size = self.size();
        self.resized |= self.drawn.as_ref().is_some_and(|drawn| drawn.size != size);
        let erase = if self.resized { "\x1b[J" } else { "\x1b[K" };
        let mut out = String::new();
        let _ = match self.draw {
            Draw::None => return,
            Draw::Here => write!(out, "\r{erase}{text}\r"),
            // Index and reverse index make room at the bottom of the screen and keep the column. Repeated on each
            // drawing, because a resize may have moved the cursor to the bottom.
            Draw::Below => write!(out, "\x1bD\x1bM\x1b7\x1b[1E{erase}{text}\x1b8"),
            // At the bottom of the screen the row was drawn over the line, which the shell draws anew, and a resize may
            // have moved both.
            Draw::BelowUnscrolled if self.resized && text.is_empty() => write!(out, "\x1b7\r\x1b[J\x1b8"),
            Draw::BelowUnscrolled => write!(out, "\x1b7\x1b[1E{erase}{text}\x1b8"),
        };
        if is_foreground(&self.tty) {
            self.write(out.as_bytes());
        }
    }

    /// Writes as much as the terminal accepts in time; errors are ignored.
    fn write(&self, mut bytes: &[u8]) {
        let until = Instant::now() + WRITE_WAIT;
        while !bytes.is_empty() {
            match rustix::io::write(&self.tty, bytes) {
                Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if !readiness::writable(self.tty.as_fd(), left) {
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

/// Enables job control stops again for a thread and its children; [`Terminal::take`] disabled them.
pub(super) fn accept_job_control() {
    let _ = job_control().thread_unblock();
}

fn job_control() -> SigSet {
    [Signal::SIGTTOU, Signal::SIGTTIN].into_iter().collect()
}

fn is_foreground(tty: &OwnedFd) -> bool {
    tcgetpgrp(tty).is_ok_and(|group| group == getpgrp())
}
