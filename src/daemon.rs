//! The resident process: keeps one or two models loaded for all shells of a user, and does nothing else.
//!
//! The first key press starts it. It ends after an idle time, when its socket is gone (as at logout), when
//! another program was installed in its place, on request, and on signals. It keeps no terminal and no working
//! directory, and has its own session.

mod conversation;
mod job_queue;
mod loaded;

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::presses;
use askline_host::local;
use askline_host::local::LocalHost;
use askline_host::store;
use askline_model::resident;
use askline_model::resident::endpoint::{Endpoint, identity};
use askline_model::resident::wire::Hello;
use job_queue::{JobQueue, Shutdown};

/// Maximum number of concurrent connections; further ones are closed at once.
const CONNECTIONS_MAX: usize = 32;
/// Stack size of each connection's thread, in bytes.
const CONNECTION_STACK: usize = 512 << 10;
/// Maximum wait for another process to release the lock; a process that was asked to end does so at once.
const LOCK_WAIT: Duration = Duration::from_secs(1);
/// Interval between attempts to take the lock.
const LOCK_TICK: Duration = Duration::from_millis(10);
/// Maximum time to answer waiting clients when a newer program takes over.
const FINISH_LIMIT: Duration = Duration::from_secs(60);
/// Maximum time to notify waiting clients when the process ends at once.
const AT_ONCE_LIMIT: Duration = Duration::from_millis(500);
/// Interval between checks that all clients are done.
const FINISH_TICK: Duration = Duration::from_millis(20);
/// Pause after a connection that can't be accepted, as when too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time limits and intervals of the resident process.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// Idle time after which the model releases memory.
    pub rest: Duration,
    /// Interval between checks of the socket, the program file and old key presses.
    pub look: Duration,
    /// Idle time after which the process ends, until a request sets another one.
    pub idle: Duration,
    /// Maximum time for a new connection to send its request.
    pub question: Duration,
}

impl Waits {
    /// Values for normal use.
    pub const USUAL: Self = Self {
        rest: Duration::from_secs(60),
        look: Duration::from_secs(60),
        idle: Duration::from_secs(30 * 60),
        question: Duration::from_secs(2),
    };
}

/// Runs the resident process in this process until it ends. Returns at once, without an error, if another one
/// already serves.
///
/// # Errors
///
/// If its directory or socket can't be created.
pub fn run() -> anyhow::Result<()> {
    detach();
    let waker = Arc::new(Waker::new()?);
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&waker.signalled))?;
        signal_hook::low_level::pipe::register(signal, waker.rope.try_clone()?)?;
    }
    let endpoint = Endpoint::find(&LocalHost)?;
    serve(&endpoint, Waits::USUAL, &waker)
}

/// Detaches the process from the caller's files, session and directory.
fn detach() {
    // Files that the shell left open, such as the pipe on which it waits for an answer.
    let open: Vec<i32> = fs::read_dir("/dev/fd").map_or_else(
        |_| Vec::new(),
        |open| open.filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok()).collect(),
    );
    for file in open.into_iter().filter(|file| 2 < *file) {
        let _ = nix::unistd::close(file);
    }
    // Fails only for the leader of a process group, which needs no new session.
    let _ = rustix::process::setsid();
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let _ = std::env::set_current_dir("/");
}

/// Waker: interrupts the wait for connections.
#[derive(Debug)]
pub struct Waker {
    signalled: Arc<AtomicBool>,
    rope: UnixStream,
    sound: UnixStream,
}

impl Waker {
    /// Creates a waker that is not signalled.
    ///
    /// # Errors
    ///
    /// If the system can't create a socket pair.
    pub fn new() -> io::Result<Self> {
        let (rope, sound) = UnixStream::pair()?;
        rope.set_nonblocking(true)?;
        sound.set_nonblocking(true)?;
        Ok(Self { signalled: Arc::default(), rope, sound })
    }

    fn ring(&self) {
        // A failed write means that the pipe is full, so a wake-up is already pending.
        let _ = (&self.rope).write(b"!");
    }

    fn hush(&self) {
        let mut buffer = [0; 64];
        while (&self.sound).read(&mut buffer).is_ok_and(|got| 0 < got) {}
    }
}

/// Serves at an endpoint until it is time to end.
///
/// # Errors
///
/// If the directory or the socket can't be created.
pub fn serve(endpoint: &Endpoint, waits: Waits, waker: &Arc<Waker>) -> anyhow::Result<()> {
    serve_as(resident::hello()?, endpoint, waits, waker)
}

/// Serves as [`serve`] does, with this handshake message; for tests, which can't replace their own program.
///
/// # Errors
///
/// As [`serve`].
pub fn serve_as(hello: Hello, endpoint: &Endpoint, waits: Waits, waker: &Arc<Waker>) -> anyhow::Result<()> {
    endpoint.make()?;
    let Some(lock) = lock(endpoint)? else { return Ok(()) };
    let socket = Socket::bind(endpoint)?;
    let hello = Arc::new(hello);
    let queue = Arc::new(JobQueue::new(waits, Arc::clone(waker)));
    let worker = thread::Builder::new().name("worker".to_owned()).spawn({
        let queue = Arc::clone(&queue);
        move || job_queue::work(&queue)
    });
    let worker = worker.context("can't start the model's thread")?;
    let end = listen(&socket, &queue, &hello, waits, waker);
    tracing::debug!("ending: {end:?}");
    queue.end(end);
    drop(socket);
    drop(lock);
    let limit = Instant::now() + if end == Shutdown::Finish { FINISH_LIMIT } else { AT_ONCE_LIMIT };
    while !(worker.is_finished() && queue.is_left()) && Instant::now() < limit {
        thread::sleep(FINISH_TICK);
    }
    Ok(())
}

/// Takes the lock; `None` if another process keeps it, for example a resident process of the same program.
fn lock(endpoint: &Endpoint) -> anyhow::Result<Option<store::Lock>> {
    let until = Instant::now() + LOCK_WAIT;
    loop {
        match store::lock(&endpoint.lock())? {
            None if Instant::now() < until => thread::sleep(LOCK_TICK),
            taken => return Ok(taken),
        }
    }
}

/// Accepts connections until it is time to end.
fn listen(
    socket: &Socket,
    queue: &Arc<JobQueue>,
    hello: &Arc<Hello>,
    waits: Waits,
    waker: &Waker,
) -> Shutdown {
    let inside = Arc::new(AtomicUsize::new(0));
    let mut looked = Instant::now();
    loop {
        let until = (looked + waits.look).min(queue.idle_at());
        let timeout = Timespec::try_from(until.saturating_duration_since(Instant::now())).unwrap_or_default();
        let mut ready =
            [PollFd::new(&socket.listener, PollFlags::IN), PollFd::new(&waker.sound, PollFlags::IN)];
        // If the wait fails, the loop only runs earlier.
        let _ = poll(&mut ready, Some(&timeout));
        waker.hush();
        if waker.signalled.load(Ordering::Relaxed) {
            return Shutdown::AtOnce;
        }
        if let Some(end) = queue.ending() {
            return end;
        }
        while let Some(stream) = socket.accept() {
            if CONNECTIONS_MAX <= inside.fetch_add(1, Ordering::Relaxed) {
                inside.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (queue, hello, inside_too) = (Arc::clone(queue), Arc::clone(hello), Arc::clone(&inside));
            let thread = thread::Builder::new().name("conversation".to_owned()).stack_size(CONNECTION_STACK);
            let started = thread.spawn(move || {
                if let Err(error) = conversation::hold(stream, &queue, &hello, waits.question) {
                    tracing::debug!("a connection failed: {error:#}");
                }
                inside_too.fetch_sub(1, Ordering::Relaxed);
            });
            if started.is_err() {
                inside.fetch_sub(1, Ordering::Relaxed);
            }
        }
        if queue.idle_at() <= Instant::now() {
            return Shutdown::AtOnce;
        }
        if looked + waits.look <= Instant::now() {
            looked = Instant::now();
            presses::forget_old(socket.endpoint.directory());
            if !socket.is_ours() || !is_installed(hello) {
                return Shutdown::Finish;
            }
        }
    }
}

/// Reports whether the program file on disk is still the one that runs.
fn is_installed(hello: &Hello) -> bool {
    let program = local::own_program().and_then(|program| Ok(identity(&program)?));
    program.is_ok_and(|program| program == hello.program)
}

/// Listening socket, removed on drop if the path is still the one created here.
struct Socket {
    listener: UnixListener,
    endpoint: Endpoint,
    made: (u64, u64),
}

impl Socket {
    /// Creates the socket. The caller has the lock, so it may remove what an earlier process left.
    fn bind(endpoint: &Endpoint) -> anyhow::Result<Self> {
        let path = endpoint.socket();
        store::remove(&path)?;
        let listener =
            UnixListener::bind(&path).with_context(|| format!("can't listen at {}", path.display()))?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        let found = fs::symlink_metadata(&path)?;
        Ok(Self { listener, endpoint: endpoint.clone(), made: (found.dev(), found.ino()) })
    }

    fn is_ours(&self) -> bool {
        let found = fs::symlink_metadata(self.endpoint.socket());
        found.is_ok_and(|found| (found.dev(), found.ino()) == self.made)
    }

    fn accept(&self) -> Option<UnixStream> {
        match self.listener.accept() {
            Ok((stream, _)) => Some(stream),
            Err(error) => {
                if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) {
                    thread::sleep(ACCEPT_PAUSE);
                }
                None
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.is_ours() {
            let _ = fs::remove_file(self.endpoint.socket());
        }
    }
}
