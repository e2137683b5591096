//! Protocol between the resident process and its clients: frames of JSON over a stream socket.
//!
//! A frame is the length of its body in four bytes, little-endian, and the JSON body. Both sides send [`Hello`]
//! first; then the client sends one [`Question`] and receives [`Event`]s up to a final one. A disconnect
//! cancels. `Hello`, `Question::Stop` and `Question::Status` have the same format in all versions, so any two
//! versions understand these messages.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::adapter::Adapter;
use crate::failure::Failure;
use crate::prompt::Prompt;
use crate::request_control::Stage;
use crate::{Further, Reply};

/// Version of the format below; raised with each change.
pub const PROTOCOL: u32 = 7;

/// Maximum size of a frame, in bytes. The longest prompts use a hundredth of it.
pub const FRAME_MAX: usize = 1 << 20;

/// Interval of the working process's heartbeat events.
pub const BEAT: Duration = Duration::from_millis(100);

/// Maximum number of bytes per read.
const CHUNK: usize = 64 << 10;

/// Handshake message, sent first by each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`] of the sender.
    pub protocol: u32,
    /// Program version of the sender, for display.
    pub version: String,
    /// Process id of the sender.
    pub pid: u32,
    /// Program file that the sender runs.
    pub program: Identity,
}

/// Identity of a file, to notice a replaced one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Device number of the file system.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// Modification time, in seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
}

/// Request of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// Request to end, at once or with `finish`. Answered by [`Event::Ending`].
    Stop {
        /// `true` to accept no new clients but answer those that wait.
        finish: bool,
    },
    /// Request for the status. Answered by [`Event::Status`].
    Status,
    /// Request to the model.
    Ask(Box<Ask>),
}

/// Request to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Model to use.
    pub spec: ModelSpec,
    /// Operation to run.
    pub what: Operation,
    /// `true` if a user waits: the request comes before all that are not urgent.
    pub urgent: bool,
    /// Idle time after which the process ends.
    pub idle: Duration,
    /// Role of the model.
    pub role: Role,
}

/// Role of a model among those of a user, which decides what stays loaded beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The only one: no other stays.
    Only,
    /// The first of two: where memory is short, the second gives way to it.
    First,
    /// The second: where memory is short, it is not loaded.
    Second,
}

/// A model, with all settings that affect how it is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelSpec {
    /// A GGUF file.
    Local {
        /// Name for display.
        name: String,
        /// Full path of the file.
        file: PathBuf,
        /// Identity of the file at the time of the request.
        identity: Identity,
        /// Maximum number of tokens in the context.
        room: u32,
        /// Number of threads; `None` means one per core.
        threads: Option<usize>,
        /// Full path of the directory of cached states.
        states: PathBuf,
        /// Estimated memory, in bytes.
        memory: u64,
        /// Adapter that the model is loaded with.
        adapter: Option<Adapter>,
        /// `true` if it must not take more memory to be faster.
        saves_memory: bool,
        /// `true` if it may compute on a graphics processor.
        gpu: bool,
    },
    /// Replies from a file; the position in the script is shared by all clients.
    Scripted {
        /// Full path of the script.
        file: PathBuf,
        /// Identity of the file at the time of the request.
        identity: Identity,
    },
}

/// Operation of a model; see [`crate::Model`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Completes a prompt. Ends with one reply in [`Event::Replies`].
    Complete {
        /// Prompt to complete.
        prompt: Prompt,
        /// Maximum number of tokens in the answer.
        max_tokens: usize,
    },
    /// Returns alternatives. Ends with [`Event::Replies`].
    Others {
        /// Prompt that was answered.
        prompt: Prompt,
        /// Selection of alternatives.
        further: Further,
    },
    /// Prepares a fixed part in the background. Ends at once with an empty [`Event::Replies`].
    Prepare {
        /// Fixed part of the prompt.
        fixed: String,
    },
}

/// Message of the resident process after a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Event {
    /// Heartbeat: the process is alive and works on the request, or will.
    Beat,
    /// Start of a stage.
    Stage(Stage),
    /// Estimated rest of the stage.
    Left(Duration),
    /// What the model has written so far.
    Draft(String),
    /// Final: replies of the model, and its notes.
    Replies(Vec<Reply>, Vec<String>),
    /// Final: the model failed.
    Failed(Failed),
    /// Final: the queue is full.
    Busy,
    /// Final: the request was dropped for an urgent one, or because the process ends.
    Dropped,
    /// Final: the worker panicked. Another process may succeed.
    Broken,
    /// Final: this process has too little memory for the model and ends; with the reason. It inherited its
    /// limits from the shell that started it; another process may have higher ones.
    Unable(String),
    /// The process ends.
    Ending,
    /// Status of the process.
    Status(Box<Status>),
}

/// Failure of a model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Failed {
    /// Reason, if it is one of the expected failures.
    pub failure: Option<Failure>,
    /// Reason as text.
    pub text: String,
}

/// Status of the resident process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// Time since its start.
    pub since: Duration,
    /// Names of the loaded models, the last used one first.
    pub model: Option<String>,
    /// `true` if the model has released its working memory.
    pub rests: bool,
    /// `true` if a fixed part is being prepared in the background, or will be.
    pub prepares: bool,
    /// Number of answered requests.
    pub answered: u64,
    /// Number of requests that wait or are being answered.
    pub waiting: usize,
    /// Resident memory in bytes: all of it, and the part that is not file-backed.
    pub memory: Option<(u64, u64)>,
    /// Idle time after which the process ends.
    pub idle: Duration,
}

/// One side of a connection.
#[derive(Debug)]
pub struct Wire {
    stream: UnixStream,
    read: Vec<u8>,
}

impl Wire {
    /// Creates a side whose waits are all bounded.
    ///
    /// # Errors
    ///
    /// If the socket can't be made non-blocking.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, read: Vec::new() })
    }

    /// Returns the socket, to poll it together with others.
    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Receives the next message; `None` if `until` passed first.
    ///
    /// # Errors
    ///
    /// If the other side disconnected, or the message is invalid or too long.
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

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// If it is too long, or the other side disconnected or did not take it before `until`.
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

    /// Waits until the socket is ready or closed; returns `false` if `until` passed first.
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

/// Reports whether the operation should be tried again.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
