//! A terminal for tests: a real pty with a terminal emulator, so tests see the screen a user would see. Every wait is
//! bounded and prints the screen when it times out.

use std::io::{Read as _, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// Longest wait for anything to appear; generous because test machines are busy.
const PATIENCE: Duration = Duration::from_secs(20);
/// Interval between two looks at the screen.
const TICK: Duration = Duration::from_millis(10);
/// Most bytes of output that a message shows.
const TAIL: usize = 500;

type Screen = Arc<Mutex<vt100::Parser<Replies>>>;
type Keyboard = Arc<Mutex<Box<dyn Write + Send>>>;

/// A program in its own terminal, as session leader; killed on drop.
pub(crate) struct Pty {
    screen: Screen,
    keyboard: Keyboard,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
}

impl Pty {
    /// Starts `command` in a terminal of this size.
    pub(crate) fn start(rows: u16, columns: u16, command: CommandBuilder) -> Self {
        let pair = native_pty_system().openpty(size(rows, columns)).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen: Screen = Arc::new(Mutex::new(vt100::Parser::new_with_callbacks(
            NonZeroU16::new(rows).unwrap(),
            NonZeroU16::new(columns).unwrap(),
            0,
            Replies::default(),
        )));
        let keyboard: Keyboard = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let mut output = pair.master.try_clone_reader().unwrap();
        let (seen, answers) = (Arc::clone(&screen), Arc::clone(&keyboard));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            let mut index = Index::default();
            while let Ok(n @ 1..) = output.read(&mut bytes) {
                let bytes = index.as_line_feed(&bytes[..n]);
                let mut parser = seen.lock().unwrap();
                parser.process(&bytes);
                parser.callbacks_mut().raw.extend_from_slice(&bytes);
                let replies = std::mem::take(&mut parser.callbacks_mut().replies);
                drop(parser);
                if !replies.is_empty() {
                    let _ = answers.lock().unwrap().write_all(&replies);
                }
            }
        });
        Self { screen, keyboard, child, master: pair.master }
    }

    /// Types `keys`, as bytes that a terminal would send.
    pub(crate) fn send(&self, keys: &str) {
        let mut keyboard = self.keyboard.lock().unwrap();
        keyboard.write_all(keys.as_bytes()).unwrap();
        keyboard.flush().unwrap();
    }

    /// Returns the text on the screen, rows joined by newlines.
    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Returns the last row with text.
    pub(crate) fn last_row(&self) -> String {
        self.screen().trim_end().lines().last().unwrap_or("").trim_end().to_owned()
    }

    /// Returns the cursor's row and column, from 0.
    pub(crate) fn cursor(&self) -> (u16, u16) {
        self.screen.lock().unwrap().screen().cursor_position()
    }

    /// Returns the text of the cursor's row.
    pub(crate) fn cursor_row(&self) -> String {
        let parser = self.screen.lock().unwrap();
        let (row, _) = parser.screen().cursor_position();
        parser.screen().rows(0, u16::MAX).nth(usize::from(row)).unwrap_or_default()
    }

    /// Returns every byte that the program wrote so far (with ESC D shown as a line feed).
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap().callbacks().raw).into_owned()
    }

    /// Changes the terminal's size; the program gets SIGWINCH.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        let (n_rows, n_columns) = (NonZeroU16::new(rows).unwrap(), NonZeroU16::new(columns).unwrap());
        self.screen.lock().unwrap().set_size(n_rows, n_columns);
        self.master.resize(size(rows, columns)).unwrap();
    }

    /// Waits until the screen satisfies `done` and returns it.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, done: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let screen = self.screen();
            if done(&screen) {
                return screen;
            }
            if PATIENCE < started.elapsed() {
                panic!("gave up waiting for {what}; {}", self.describe());
            }
            std::thread::sleep(TICK);
        }
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait(&format!("{text:?}"), |screen| screen.contains(text))
    }

    /// Waits until the program ends.
    #[track_caller]
    pub(crate) fn wait_exit(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            if PATIENCE < started.elapsed() {
                panic!("gave up waiting for the end; {}", self.describe());
            }
            std::thread::sleep(TICK);
        }
    }

    /// Returns the screen, the cursor, unknown sequences and the last bytes received, for messages.
    pub(crate) fn describe(&self) -> String {
        let unknown = self.screen.lock().unwrap().callbacks().unknown.clone();
        let raw = self.raw().into_bytes();
        let tail = raw[raw.len().saturating_sub(TAIL)..].escape_ascii();
        format!(
            "screen:\n{}\n-- cursor {:?}, sequences not understood: {unknown:?}, last bytes: {tail}",
            self.screen(),
            self.cursor()
        )
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(rows: u16, columns: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

/// Replies to terminal queries of shells (fish: attributes and cursor; reedline: cursor; bash: our `ESC[5n`).
#[derive(Default)]
struct Replies {
    replies: Vec<u8>,
    unknown: Vec<String>,
    raw: Vec<u8>,
}

impl vt100::Callbacks for Replies {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        _second: Option<u8>,
        params: &[&[u16]],
        last: char,
    ) {
        let param = params.first().and_then(|param| param.first()).copied().unwrap_or(0);
        match (first, last, param) {
            (None, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                self.replies.extend(format!("\x1b[{};{}R", row + 1, column + 1).bytes());
            }
            (None, 'n', 5) => self.replies.extend(b"\x1b[0n"),
            (None, 'c', _) => self.replies.extend(b"\x1b[?62;22c"),
            (Some(b'?'), 'u', _) => self.replies.extend(b"\x1b[?0u"),
            (Some(b'>'), 'q', _) => self.replies.extend(b"\x1bP>|test 1\x1b\\"),
            _ => self.unknown.push(format!("{first:?} {params:?} {last}")),
        }
    }
}

/// Handler for ESC D (index), which the emulator lacks and which acts on a real terminal exactly like a bare line feed.
#[derive(Default)]
struct Index {
    escape_pending: bool,
}

impl Index {
    fn as_line_feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 1);
        for &byte in bytes {
            match (std::mem::take(&mut self.escape_pending), byte) {
                (true, b'D') => out.push(b'\n'),
                (pending, 0x1b) => {
                    out.extend(pending.then_some(0x1b));
                    self.escape_pending = true;
                }
                (pending, byte) => {
                    out.extend(pending.then_some(0x1b));
                    out.push(byte);
                }
            }
        }
        out
    }
}
