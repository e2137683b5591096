//! A server that plays one fault after another, on its own port of this machine.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Reaction to one request.
#[derive(Clone)]
pub(super) enum Act {
    /// Sends these bytes as the answer and closes the connection.
    Send(Vec<u8>),
    /// Sends these bytes as the answer and keeps the connection open for the next act.
    Keep(Vec<u8>),
    /// Sends the pieces one after another with this pause between, then closes the connection.
    Pieces(Vec<Vec<u8>>, Duration),
    /// Sends the first bytes, then the second again and again until the client has gone.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends these bytes and nothing more; the connection stays open.
    Stall(Vec<u8>),
    /// Reads the request and closes the connection.
    HangUp,
    /// Forwards everything to the requested address and back, as a proxy does.
    Tunnel,
}

/// A request as received.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// Index of its connection, from 0.
    pub(super) connection: usize,
    pub(super) head: String,
    pub(super) body: String,
}

impl Seen {
    /// Returns a header field by its name in lower case.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A server that plays acts, one per request, and records the requests. It runs until dropped.
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

    /// Returns the number of bytes sent by endless acts.
    pub(super) fn written(&self) -> usize {
        self.written.load(Ordering::SeqCst)
    }
}

trait Connection: Read + Write + Send {
    /// Returns the underlying connection if it is not encrypted.
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
    /// Plays one act on the open connection or the next one; returns the connection if it stays open.
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
            // A failed handshake, or a kept connection that the client closed.
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

    /// Connects to the port in the `CONNECT` request on this machine, whatever the host, and forwards both ways.
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

/// Returns the head and body of a request; `None` if the connection ends before.
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

/// Returns a success response with this body, ended by the end of the connection.
pub(super) fn ok(kind: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    [
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n").as_bytes(),
        body.as_ref(),
    ]
    .concat()
}

/// Returns a response with a content length, after which the connection may stay open.
pub(super) fn status(code: u16, fields: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {code} X\r\n{fields}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Returns a stream in OpenAI's protocol with this text, one piece per word.
pub(super) fn stream(text: &str) -> String {
    let mut body = String::new();
    for piece in text.split_inclusive(' ') {
        let piece = serde_json::to_string(piece).unwrap();
        body += &format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{piece}}}}}]}}\n\n");
    }
    body + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
}

/// Returns the whole response with this text.
pub(super) fn says(text: &str) -> Vec<u8> {
    ok("text/event-stream", stream(text))
}
