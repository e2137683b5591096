//! A server that does one wrong thing after the other, on a port of this machine that nobody else has.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What happens to one request.
#[derive(Clone)]
pub(super) enum Act {
    /// These bytes are the answer; then the connection is closed.
    Send(Vec<u8>),
    /// These bytes are the answer; the connection stays open for the next act.
    Keep(Vec<u8>),
    /// The pieces are sent one after the other with such a pause between; then the connection is closed.
    Pieces(Vec<Vec<u8>>, Duration),
    /// The beginning is sent, then the rest again and again until the client has gone.
    Endless(Vec<u8>, Vec<u8>),
    /// The beginning is sent and nothing more; the connection stays open.
    Stall(Vec<u8>),
    /// The request is read and the connection closed.
    HangUp,
    /// Everything is passed on to this address and back, as a proxy does.
    Tunnel,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// Which connection it came on, from 0.
    pub(super) connection: usize,
    pub(super) head: String,
    pub(super) body: String,
}

impl Seen {
    /// A field of the head, by its name in lower case.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Plays acts, one a request, and remembers what was asked. Lives until dropped.
pub(super) struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    written: Arc<AtomicUsize>,
    _alive: mpsc::Sender<()>,
}

impl Server {
    pub(super) fn new(acts: Vec<Act>) -> Self {
        Self::start(acts, None)
    }

    pub(super) fn with_tls(acts: Vec<Act>, tls: ServerConfig) -> Self {
        Self::start(acts, Some(Arc::new(tls)))
    }

    fn start(acts: Vec<Act>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, written) = (Arc::default(), Arc::default());
        let (alive, dropped) = mpsc::channel();
        let mut stage =
            Stage { listener, tls, seen: Arc::clone(&seen), written: Arc::clone(&written), connections: 0 };
        thread::spawn(move || {
            let mut open = None;
            let mut held = Vec::new();
            for act in acts {
                open = stage.play(act, open.take(), &mut held);
            }
            // Connections that hang must go on hanging.
            let _ = dropped.recv();
        });
        Self { port, seen, written, _alive: alive }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Bytes that were sent by endless acts.
    pub(super) fn written(&self) -> usize {
        self.written.load(Ordering::SeqCst)
    }
}

trait Connection: Read + Write + Send {
    /// The connection below, where nothing is encrypted.
    fn plain(&self) -> Option<TcpStream>;
}

impl Connection for TcpStream {
    fn plain(&self) -> Option<TcpStream> {
        self.try_clone().ok()
    }
}

impl Connection for StreamOwned<ServerConnection, TcpStream> {
    fn plain(&self) -> Option<TcpStream> {
        None
    }
}

struct Stage {
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    written: Arc<AtomicUsize>,
    connections: usize,
}

impl Stage {
    /// Plays one act on the connection that is open or the next one; gives the connection back if it stays open.
    fn play(
        &mut self,
        act: Act,
        mut open: Option<Box<dyn Connection>>,
        held: &mut Vec<Box<dyn Connection>>,
    ) -> Option<Box<dyn Connection>> {
        let mut connection = loop {
            let mut connection = open.take().unwrap_or_else(|| self.accept());
            if let Some((head, body)) = request(&mut *connection) {
                let connection_number = self.connections - 1;
                self.seen.lock().unwrap().push(Seen { connection: connection_number, head, body });
                break connection;
            }
            // A handshake that failed, or a kept connection that the client closed.
            if self.tls.is_some() {
                return None;
            }
        };
        match act {
            Act::Send(bytes) => drop(connection.write_all(&bytes)),
            Act::Keep(bytes) => {
                drop(connection.write_all(&bytes));
                return Some(connection);
            }
            Act::Pieces(pieces, pause) => {
                for piece in pieces {
                    if connection.write_all(&piece).and_then(|()| connection.flush()).is_err() {
                        break;
                    }
                    thread::sleep(pause);
                }
            }
            Act::Endless(head, rest) => {
                let mut next = head;
                while connection.write_all(&next).is_ok() {
                    self.written.fetch_add(next.len(), Ordering::SeqCst);
                    next.clone_from(&rest);
                }
            }
            Act::Stall(bytes) => {
                drop(connection.write_all(&bytes));
                held.push(connection);
            }
            Act::HangUp => {}
            Act::Tunnel => self.tunnel(connection.plain().unwrap()),
        }
        None
    }

    /// Opens what the `CONNECT` names, whatever the host, on this machine, and passes everything on both ways.
    fn tunnel(&self, mut connection: TcpStream) {
        let head = self.seen.lock().unwrap().last().unwrap().head.clone();
        let port: u16 = head.split_whitespace().nth(1).unwrap().rsplit(':').next().unwrap().parse().unwrap();
        let mut behind = TcpStream::connect(("127.0.0.1", port)).unwrap();
        connection.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
        let (mut to, mut from) = (behind.try_clone().unwrap(), connection.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut from, &mut to));
        let _ = std::io::copy(&mut behind, &mut connection);
    }

    fn accept(&mut self) -> Box<dyn Connection> {
        let (stream, _) = self.listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.set_nodelay(true).unwrap();
        self.connections += 1;
        match &self.tls {
            None => Box::new(stream),
            Some(tls) => {
                let connection = ServerConnection::new(Arc::clone(tls)).unwrap();
                Box::new(StreamOwned::new(connection, stream))
            }
        }
    }
}

/// The head and body of a request; none when the connection ends before.
fn request(connection: &mut dyn Connection) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length:")
                    .map(|n| n.trim().parse::<usize>().unwrap())
            });
            let end = at + 4 + length.unwrap_or(0);
            if end <= bytes.len() {
                return Some((head, String::from_utf8_lossy(&bytes[at + 4..end]).into_owned()));
            }
        }
        match connection.read(&mut chunk) {
            Ok(got) if 0 < got => bytes.extend_from_slice(&chunk[..got]),
            _ => return None,
        }
    }
}

/// A success with such a body, ended by the end of the connection.
pub(super) fn ok(kind: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    [
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n").as_bytes(),
        body.as_ref(),
    ]
    .concat()
}

/// An answer with a length, after which the connection may stay open.
pub(super) fn status(code: u16, fields: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {code} X\r\n{fields}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A stream in OpenAI's protocol that says this, a piece for each word.
pub(super) fn stream(text: &str) -> String {
    let mut body = String::new();
    for piece in text.split_inclusive(' ') {
        let piece = serde_json::to_string(piece).unwrap();
        body += &format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{piece}}}}}]}}\n\n");
    }
    body + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
}

/// The whole answer that says this.
pub(super) fn says(text: &str) -> Vec<u8> {
    ok("text/event-stream", stream(text))
}
