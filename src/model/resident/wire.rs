//! What the resident process and those who ask it say to each other: frames of JSON over a stream socket.
//!
//! A frame is its length in four bytes, lowest first, and so many bytes of JSON. Both sides say [`Hello`] first; then the one
//! who connected puts one [`Question`] and hears [`Event`]s until one that ends it. Whoever goes away cancels. `Hello`,
//! `Question::Stop` and `Question::Status` keep their form in all versions, so that any two understand each other so far.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::model::{Further, Reply};
use crate::patience::Stage;
use crate::prompt::Prompt;

/// The form of everything below; raised when it changes.
pub const PROTOCOL: u32 = 2;

/// Longest frame, bytes. The longest prompts have a hundredth of it.
pub const FRAME_MAX: usize = 1 << 20;

/// How often the resident process says that it is alive while it works.
pub const BEAT: Duration = Duration::from_millis(100);

/// Most bytes read at a time.
const CHUNK: usize = 64 << 10;

/// What each side says first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`] of the side that speaks.
    pub protocol: u32,
    /// Its version, for people.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// The program that it runs.
    pub program: Identity,
}

/// Which file something was, so that another one in its place is noticed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The device of its file system.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its size, bytes.
    pub size: u64,
    /// When it was written last, seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
}

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// To end: at once, or, with `finish`, when all who wait have their answer. Answered by [`Event::Ending`].
    Stop {
        /// Nobody new is let in, but those who are there get their answer.
        finish: bool,
    },
    /// How it is. Answered by [`Event::Status`].
    Status,
    /// Something of a model.
    Ask(Box<Ask>),
}

/// A question for a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Which model.
    pub spec: Spec,
    /// What of it.
    pub what: What,
    /// Somebody waits: it comes before all that nobody waits for.
    pub urgent: bool,
    /// After how long without a question the process ends.
    pub idle: Duration,
}

/// A model, with all that decides how it is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spec {
    /// A GGUF file.
    Local {
        /// What people call it.
        name: String,
        /// The file, a full path.
        file: PathBuf,
        /// That file as it was when this was asked.
        identity: Identity,
        /// Tokens that it can read.
        room: u32,
        /// Threads that compute; none: one per core.
        threads: Option<usize>,
        /// Where its states are kept, a full path.
        states: PathBuf,
        /// Memory that it takes, bytes.
        memory: u64,
    },
    /// Replies from a file; it goes on where it was, whoever asks.
    Scripted {
        /// The script, a full path.
        file: PathBuf,
        /// That file as it was when this was asked.
        identity: Identity,
    },
}

/// What can be asked of a model; as in [`crate::model::Model`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// An answer. Ends in [`Event::Replies`] with one.
    Complete {
        /// The prompt.
        prompt: Prompt,
        /// Most tokens of the answer.
        max_tokens: usize,
    },
    /// Further answers. Ends in [`Event::Replies`].
    Others {
        /// The prompt that was answered.
        prompt: Prompt,
        /// Which of them.
        further: Further,
    },
    /// To be ready for a fixed part. Ends in [`Event::Replies`] with none.
    Prepare {
        /// The fixed part.
        fixed: String,
    },
}

/// What is heard after a question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Event {
    /// It is alive and works on it, or will.
    Beat,
    /// What is done from now on.
    Stage(Stage),
    /// The end: what the model said, and its notes.
    Replies(Vec<Reply>, Vec<String>),
    /// The end: the model gave nothing.
    Failed(Failed),
    /// The end: too many wait already.
    Busy,
    /// The end: it was dropped for something that somebody waits for, or because the process ends.
    Dropped,
    /// The end: the model broke. Another process may fare better.
    Broken,
    /// The end: this process has no room for the model, says the text, and ends. Its limits are those of the shell that
    /// started it; another process may have other ones.
    Unable(String),
    /// The process ends.
    Ending,
    /// How it is.
    Status(Box<Status>),
}

/// Why a model gave nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Failed {
    /// The reason, where it is one of the few that doors tell apart.
    pub failure: Option<Failure>,
    /// In words.
    pub text: String,
}

/// How the resident process is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// For how long it has been running.
    pub since: Duration,
    /// The model that it keeps at hand.
    pub model: Option<String>,
    /// That model rests: what it computes with was given back.
    pub rests: bool,
    /// Questions that were answered.
    pub answered: u64,
    /// Questions that wait or are being answered.
    pub waiting: usize,
    /// Resident memory, bytes: all of it, and what of it is no mapped file.
    pub memory: Option<(u64, u64)>,
    /// When it ends if nobody asks.
    pub idle: Duration,
}

/// One side of a connection.
#[derive(Debug)]
pub struct Wire {
    stream: UnixStream,
    read: Vec<u8>,
}

impl Wire {
    /// A side that waits for nobody longer than it is told to.
    ///
    /// # Errors
    /// When the socket can't be set so.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, read: Vec::new() })
    }

    /// The socket, to be waited for together with others.
    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// The next message; none when `until` came first.
    ///
    /// # Errors
    /// When the other side is gone, or what it said is no such message or too long.
    pub fn receive<T: DeserializeOwned>(&mut self, until: Instant) -> io::Result<Option<T>> {
        loop {
            if let Some((head, body)) = self.read.split_first_chunk::<4>() {
                let length = u32::from_le_bytes(*head) as usize;
                if FRAME_MAX < length {
                    return Err(io::Error::new(ErrorKind::InvalidData, "a frame that is too long"));
                }
                if let Some(body) = body.get(..length) {
                    let message = serde_json::from_slice(body)?;
                    self.read.drain(..head.len() + length);
                    return Ok(Some(message));
                }
            }
            if !self.wait(PollFlags::IN, until)? {
                return Ok(None);
            }
            let mut chunk = [0; CHUNK];
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(got) => self.read.extend_from_slice(chunk.get(..got).unwrap_or_default()),
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Says something.
    ///
    /// # Errors
    /// When it is too long, the other side is gone or has not taken it by `until`.
    pub fn send(&mut self, message: &impl Serialize, until: Instant) -> io::Result<()> {
        let body = serde_json::to_vec(message)?;
        if FRAME_MAX < body.len() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "a message that is too long"));
        }
        let length = u32::try_from(body.len()).map_err(io::Error::other)?;
        let frame = [&length.to_le_bytes()[..], &body].concat();
        let mut left = frame.as_slice();
        while !left.is_empty() {
            match self.stream.write(left) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => left = left.get(written..).unwrap_or_default(),
                Err(error) if is_passing(&error) => {
                    if !self.wait(PollFlags::OUT, until)? {
                        return Err(ErrorKind::TimedOut.into());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the socket is ready for it, or gone; false when `until` came first.
    fn wait(&self, readiness: PollFlags, until: Instant) -> io::Result<bool> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&self.stream, readiness)], Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => {}
                other => return Ok(0 < other?),
            }
        }
    }
}

/// Neither good nor bad: to be tried again.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
