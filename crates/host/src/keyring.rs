//! A client for the desktop's keyring: the Secret Service on the user's session bus, asked for one secret in four
//! calls.
//!
//! The protocol is implemented here without a client library, because four calls do not justify a dozen crates and a
//! second runtime. Data from the bus is untrusted: every message has a size limit, and the whole exchange has a
//! deadline. No window is opened: a locked keyring is reported as locked.

use std::ffi::OsString;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use zeroize::Zeroizing;

use super::KEY_LIMIT;
use crate::KeyringItem;

/// Maximum size of a message in bytes.
const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// Maximum number of messages that are skipped while waiting for a reply.
const PASSED_OVER_MAX: usize = 64;
/// Maximum length in bytes of a line during authentication.
const LINE_BYTES_MAX: usize = 256;
/// Maximum number of characters of an error's name in messages.
const ERROR_CHARS_MAX: usize = 40;

/// Byte order of numbers: that of this machine, which the bus passes on unchanged.
const ORDER: u8 = if cfg!(target_endian = "little") { b'l' } else { b'B' };
/// Version of the bus protocol.
const VERSION: u8 = 1;
/// Message types.
const CALL: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;
/// Header fields of a message.
const PATH: u8 = 1;
const INTERFACE: u8 = 2;
const MEMBER: u8 = 3;
const ERROR_NAME: u8 = 4;
const REPLY_TO: u8 = 5;
const DESTINATION: u8 = 6;
const SIGNATURE: u8 = 8;

const SECRETS: &str = "org.freedesktop.secrets";
const SERVICE: &str = "org.freedesktop.Secret.Service";
const ITEM: &str = "org.freedesktop.Secret.Item";
const BUS: &str = "org.freedesktop.DBus";

/// Returns the secret of an item, within `patience`.
///
/// # Errors
/// When there is no bus or no keyring on it, or when the keyring is locked, has no such item or does not answer in
/// time. The message contains the remedy and nothing secret.
pub(super) fn secret(
    item: &KeyringItem,
    env: &dyn Fn(&str) -> Option<OsString>,
    patience: Duration,
) -> anyhow::Result<Vec<u8>> {
    let addresses = addresses(env).context("there is no session bus here; use key_cmd or key_file")?;
    let (item, deadline) = (item.clone(), Instant::now() + patience);
    let (tell, told) = mpsc::channel();
    // Connecting to a bus with a full queue has no timeout of its own, so a separate thread does it.
    let asking = thread::Builder::new().name("keyring".to_owned());
    asking.spawn(move || tell.send(Bus::open(&addresses, deadline).and_then(|mut bus| bus.secret(&item))))?;
    told.recv_timeout(patience).ok().context(SILENT)?
}

/// Returns the usable addresses of the user's bus, first choice first: sockets by path, or on Linux by name.
fn addresses(env: &dyn Fn(&str) -> Option<OsString>) -> Option<Vec<SocketAddr>> {
    let told = env("DBUS_SESSION_BUS_ADDRESS").filter(|value| !value.is_empty());
    let found: Vec<SocketAddr> = match told {
        Some(value) => value.to_str()?.split(';').filter_map(address).collect(),
        None => {
            let path = Path::new(&env("XDG_RUNTIME_DIR")?).join("bus");
            path.exists().then(|| SocketAddr::from_pathname(path).ok())?.into_iter().collect()
        }
    };
    (!found.is_empty()).then_some(found)
}

fn address(text: &str) -> Option<SocketAddr> {
    text.strip_prefix("unix:")?.split(',').find_map(|part| match part.split_once('=')? {
        ("path", path) => SocketAddr::from_pathname(unescaped(path)?).ok(),
        #[cfg(target_os = "linux")]
        ("abstract", name) => {
            use std::os::linux::net::SocketAddrExt as _;
            SocketAddr::from_abstract_name(unescaped(name)?).ok()
        }
        _ => None,
    })
}

/// Decodes the value of an address, in which `%2f` stands for `/`.
fn unescaped(value: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// A connection to the bus.
struct Bus {
    stream: UnixStream,
    deadline: Instant,
    /// Serial number of the last message.
    serial: u32,
}

impl Bus {
    fn open(addresses: &[SocketAddr], deadline: Instant) -> anyhow::Result<Self> {
        let stream = addresses.iter().find_map(|address| UnixStream::connect_addr(address).ok());
        let stream = stream.context("the session bus can't be reached; use key_cmd or key_file")?;
        let mut bus = Self { stream, deadline, serial: 0 };
        let user: String = rustix::process::geteuid()
            .as_raw()
            .to_string()
            .bytes()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        bus.write(format!("\0AUTH EXTERNAL {user}\r\n").as_bytes())?;
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            ensure!(line.len() < LINE_BYTES_MAX, "the session bus is none; use key_cmd or key_file");
            line.extend(bus.read(1)?);
        }
        ensure!(line.starts_with(b"OK "), "the session bus refuses this user; use key_cmd or key_file");
        bus.write(b"BEGIN\r\n")?;
        bus.call(BUS, "/org/freedesktop/DBus", BUS, "Hello", "", &Writer::default())?;
        Ok(bus)
    }

    /// Makes the four calls.
    fn secret(&mut self, item: &KeyringItem) -> anyhow::Result<Vec<u8>> {
        let root = "/org/freedesktop/secrets";
        // The bus belongs to the user, so its traffic needs no additional encryption.
        let mut plain = Writer::default();
        plain.text("plain");
        plain.signature("s");
        plain.text("");
        let opened = self.call(SECRETS, root, SERVICE, "OpenSession", "sv", &plain)?;
        let mut opened = Reader::new(&opened);
        let session = opened.variant().and_then(|_| opened.text()).context(ODD)?.to_owned();

        let mut wanted = Writer::default();
        wanted.attributes(&[("service", &item.service), ("username", &item.user)]);
        let found = self.call(SECRETS, root, SERVICE, "SearchItems", "a{ss}", &wanted)?;
        let mut found = Reader::new(&found);
        let (open, locked) = (found.texts().context(ODD)?, found.texts().context(ODD)?);
        let Some(path) = open.first() else {
            ensure!(locked.is_empty(), "the keyring is locked; unlock it, or use key_cmd or key_file");
            bail!(
                "the keyring holds no such item; store it with `secret-tool store --label=askline service {} username {}`",
                shell_words::quote(&item.service),
                shell_words::quote(&item.user)
            );
        };

        let mut with = Writer::default();
        with.text(&session);
        let got = Zeroizing::new(self.call(SECRETS, path, ITEM, "GetSecret", "o", &with)?);
        let mut got = Reader::new(&got);
        // The reply is a struct of session, parameters, value and content type.
        let value = got.text().and_then(|_| got.bytes()).and_then(|_| got.bytes()).context(ODD)?;
        ensure!(
            value.len() <= KEY_LIMIT,
            "the keyring's item is larger than {KEY_LIMIT} bytes; store only the key in it"
        );
        Ok(value.to_vec())
    }

    /// Calls a method and returns the body of its reply.
    fn call(
        &mut self,
        destination: &str,
        path: &str,
        interface: &str,
        member: &str,
        signature: &str,
        body: &Writer,
    ) -> anyhow::Result<Vec<u8>> {
        self.serial += 1;
        let mut fields = Writer::default();
        fields.field(PATH, "o", path);
        fields.field(INTERFACE, "s", interface);
        fields.field(MEMBER, "s", member);
        fields.field(DESTINATION, "s", destination);
        if !signature.is_empty() {
            fields.field(SIGNATURE, "g", signature);
        }
        let mut message = Writer(vec![ORDER, CALL, 0, VERSION]);
        message.length(body.0.len());
        message.number(self.serial);
        message.length(fields.0.len());
        message.0.extend(fields.0);
        message.pad(8);
        message.0.extend(&body.0);
        self.write(&message.0)?;
        for _ in 0..PASSED_OVER_MAX {
            let Message { kind, reply_to, error, body } = self.message()?;
            match kind {
                REPLY if reply_to == self.serial => return Ok(body),
                ERROR if reply_to == self.serial => bail!(refused(&error)),
                _ => {}
            }
        }
        bail!(ODD)
    }

    fn message(&mut self) -> anyhow::Result<Message> {
        let head = self.read(HEAD_BYTES)?;
        let mut reader = Reader::new(&head);
        let start = [reader.byte(), reader.byte(), reader.byte(), reader.byte()];
        let [Some(ORDER), Some(kind), Some(_), Some(VERSION)] = start else { bail!(ODD) };
        let mut number = || reader.number().map(|number| number as usize).context(ODD);
        let (body_length, _, fields_length) = (number()?, number()?, number()?);
        ensure!(body_length.max(fields_length) <= MESSAGE_BYTES_MAX, ODD);
        let fields = self.read(fields_length.next_multiple_of(8))?;
        let body = self.read(body_length)?;
        let mut message = Message { kind, reply_to: 0, error: String::new(), body };
        let mut fields = Reader::new(fields.get(..fields_length).context(ODD)?);
        while !fields.is_over() {
            message.take(&mut fields).context(ODD)?;
        }
        Ok(message)
    }

    fn left(&self) -> anyhow::Result<Option<Duration>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        ensure!(!left.is_zero(), SILENT);
        Ok(Some(left))
    }

    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.stream.set_write_timeout(self.left()?)?;
        // The system's own message would not help the user.
        self.stream.write_all(bytes).ok().context(GONE)
    }

    /// Reads exactly `length` bytes.
    fn read(&mut self, length: usize) -> anyhow::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            self.stream.set_read_timeout(self.left()?)?;
            match self.stream.read(rest) {
                Ok(0) => bail!(GONE),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    bail!(SILENT)
                }
                Err(_) => bail!(GONE),
            }
        }
        Ok(bytes)
    }
}

/// Message for a bus that does not answer.
const SILENT: &str = "the keyring does not answer; use key_cmd or key_file";

/// Message for a bus that closes the connection.
const GONE: &str = "the session bus hung up; use key_cmd or key_file";

/// Message for an invalid answer.
const ODD: &str = "the keyring's answer can't be read; use key_cmd or key_file";

/// Size in bytes of the fixed part of a message header.
const HEAD_BYTES: usize = 16;

fn refused(error: &str) -> String {
    let last: String = error
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(ERROR_CHARS_MAX)
        .collect();
    match last.as_str() {
        "ServiceUnknown" | "NameHasNoOwner" | "ChildExited" | "ExecFailed" | "FileNotFound" => {
            "no keyring runs in this session; use key_cmd or key_file".to_owned()
        }
        "IsLocked" => "the keyring is locked; unlock it, or use key_cmd or key_file".to_owned(),
        _ => format!("the keyring refuses ({last}); use key_cmd or key_file"),
    }
}

/// A received message.
struct Message {
    kind: u8,
    reply_to: u32,
    error: String,
    body: Vec<u8>,
}

impl Message {
    /// Reads one header field.
    fn take(&mut self, fields: &mut Reader<'_>) -> Option<()> {
        fields.pad(8)?;
        match fields.byte()? {
            ERROR_NAME => fields.variant()?.clone_into(&mut self.error),
            REPLY_TO => {
                (fields.signature()? == "u").then_some(())?;
                self.reply_to = fields.number()?;
            }
            _ => drop(fields.variant()?),
        }
        Some(())
    }
}

/// Writes values in the bus's format, each aligned to a multiple of its own size.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn pad(&mut self, to: usize) {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
    }

    fn number(&mut self, number: u32) {
        self.pad(4);
        self.0.extend(number.to_ne_bytes());
    }

    /// The length always fits: texts come from a setting with a size limit or are constants.
    fn length(&mut self, length: usize) {
        self.number(u32::try_from(length).unwrap_or(u32::MAX));
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.extend(text.bytes().chain([0]));
    }

    fn signature(&mut self, signature: &str) {
        self.0.push(u8::try_from(signature.len()).unwrap_or(u8::MAX));
        self.0.extend(signature.bytes().chain([0]));
    }

    fn field(&mut self, code: u8, signature: &str, value: &str) {
        self.pad(8);
        self.0.push(code);
        self.signature(signature);
        match signature {
            "g" => self.signature(value),
            _ => self.text(value),
        }
    }

    fn attributes(&mut self, attributes: &[(&str, &str)]) {
        let mut entries = Self::default();
        for (name, value) in attributes {
            entries.pad(8);
            entries.text(name);
            entries.text(value);
        }
        self.length(entries.0.len());
        // The padding does not count as part of the array.
        self.pad(8);
        self.0.extend(entries.0);
    }
}

/// Reads values; `None` if the data does not match.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn is_over(&self) -> bool {
        self.bytes.len() <= self.at
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn pad(&mut self, to: usize) -> Option<()> {
        self.take(self.at.next_multiple_of(to) - self.at).map(drop)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<u32> {
        self.pad(4)?;
        Some(u32::from_ne_bytes(self.take(4)?.try_into().ok()?))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()? as usize;
        self.take(length)
    }

    fn text(&mut self) -> Option<&'a str> {
        let text = self.bytes()?;
        self.byte()?;
        std::str::from_utf8(text).ok()
    }

    fn signature(&mut self) -> Option<&'a str> {
        let length = self.byte()?;
        let text = self.take(length.into())?;
        self.byte()?;
        std::str::from_utf8(text).ok()
    }

    fn texts(&mut self) -> Option<Vec<&'a str>> {
        let inner = self.bytes()?;
        let mut inner = Reader::new(inner);
        let mut texts = Vec::new();
        while !inner.is_over() {
            texts.push(inner.text()?);
        }
        Some(texts)
    }

    /// Reads a variant with a text, a signature or a number; only the first two are returned.
    fn variant(&mut self) -> Option<&'a str> {
        match self.signature()? {
            "s" | "o" => self.text(),
            "g" => self.signature(),
            "u" => self.number().map(|_| ""),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
