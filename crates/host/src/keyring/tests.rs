//! Tests against a fake bus on a private socket: one that works, and every way to fail. `tests/it/keyring.rs` uses a
//! real bus.

use std::os::unix::net::UnixListener;

use proptest::prelude::*;

use super::*;

fn item() -> KeyringItem {
    KeyringItem { service: "askline".to_owned(), user: "team".to_owned() }
}

/// Behaviour of a bus after a client connects.
type Act = Box<dyn FnOnce(UnixStream) + Send>;

/// Asks a bus with this behaviour; also returns the elapsed time.
fn ask(act: Act, patience: Duration) -> (Result<String, String>, Duration) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bus");
    let listener = UnixListener::bind(&path).unwrap();
    thread::spawn(move || act(listener.accept().unwrap().0));
    let address = OsString::from(format!("unix:path={},guid=1;tcp:host=localhost", path.display()));
    let begun = Instant::now();
    let told = secret(&item(), &|_| Some(address.clone()), patience);
    let took = begun.elapsed();
    (told.map(|secret| String::from_utf8(secret).unwrap()).map_err(|error| format!("{error:#}")), took)
}

/// Accepts the client and answers its calls in order with these messages.
fn play(mut stream: UnixStream, answers: Vec<Vec<u8>>) {
    let mut line = Vec::new();
    let mut until = |stream: &mut UnixStream, end: &[u8]| {
        line.clear();
        while !line.ends_with(end) {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
    };
    until(&mut stream, b"\r\n");
    stream.write_all(b"OK 1234\r\n").unwrap();
    until(&mut stream, b"BEGIN\r\n");
    for answer in answers {
        let mut head = [0; HEAD_BYTES];
        if stream.read_exact(&mut head).is_err() {
            return;
        }
        let number = |at: usize| u32::from_ne_bytes(head[at..at + 4].try_into().unwrap()) as usize;
        let mut rest = vec![0; number(12).next_multiple_of(8) + number(4)];
        stream.read_exact(&mut rest).unwrap();
        let _ = stream.write_all(&answer);
    }
}

/// Returns a message in reply to the client's call number `serial`.
fn message(kind: u8, serial: u32, error: &str, body: Writer) -> Vec<u8> {
    let mut fields = Writer::default();
    fields.field(DESTINATION, "s", ":1.7");
    fields.pad(8);
    fields.0.push(REPLY_TO);
    fields.signature("u");
    fields.number(serial);
    if !error.is_empty() {
        fields.field(ERROR_NAME, "s", error);
    }
    let mut message = Writer(vec![ORDER, kind, 1, VERSION]);
    message.length(body.0.len());
    message.number(99);
    message.length(fields.0.len());
    message.0.extend(fields.0);
    message.pad(8);
    message.0.extend(body.0);
    message.0
}

fn body(write: impl FnOnce(&mut Writer)) -> Writer {
    let mut body = Writer::default();
    write(&mut body);
    body
}

fn paths(body: &mut Writer, paths: &[&str]) {
    let mut inner = Writer::default();
    for path in paths {
        inner.pad(4);
        inner.text(path);
    }
    body.length(inner.0.len());
    body.0.extend(inner.0);
}

/// Returns the answers to Hello, a session and a search with these open and locked items.
fn until_found(open: &[&str], locked: &[&str]) -> Vec<Vec<u8>> {
    let hello = [
        // An unrelated signal comes before the reply.
        message(4, 0, "", body(|body| body.text(":1.7"))),
        message(REPLY, 1, "", body(|body| body.text(":1.7"))),
    ];
    let session = body(|body| {
        body.signature("s");
        body.text("");
        body.text("/session/1");
    });
    let found = body(|body| {
        paths(body, open);
        paths(body, locked);
    });
    vec![hello.concat(), message(REPLY, 2, "", session), message(REPLY, 3, "", found)]
}

fn secret_of(value: &[u8]) -> Vec<u8> {
    let secret = body(|body| {
        body.text("/session/1");
        body.number(0);
        body.length(value.len());
        body.0.extend(value);
        body.text("text/plain");
    });
    message(REPLY, 4, "", secret)
}

fn answers(answers: Vec<Vec<u8>>) -> Result<String, String> {
    ask(Box::new(move |stream| play(stream, answers)), Duration::from_secs(2)).0
}

#[test]
fn a_secret_is_found_by_service_and_username() {
    let mut all = until_found(&["/item/1", "/item/2"], &[]);
    all.push(secret_of(b"sk-Geheim123"));
    assert_eq!(answers(all), Ok("sk-Geheim123".to_owned()));
}

#[test]
fn what_the_keyring_lacks_is_said() {
    for (all, said) in [
        (until_found(&[], &["/item/1"]), "the keyring is locked; unlock it"),
        (
            until_found(&[], &[]),
            "store it with `secret-tool store --label=askline service askline username team`",
        ),
        (
            vec![message(ERROR, 1, "org.freedesktop.DBus.Error.LimitsExceeded", Writer::default())],
            "(LimitsExceeded)",
        ),
        (
            [
                &until_found(&[], &[])[..1],
                &[message(ERROR, 2, "org.freedesktop.DBus.Error.ServiceUnknown", Writer::default())],
            ]
            .concat(),
            "no keyring runs in this session",
        ),
        ([until_found(&["/a"], &[]), vec![secret_of(&[b'x'; KEY_LIMIT + 1])]].concat(), "larger than"),
        (until_found(&["/a"], &[]), "the session bus hung up"),
    ] {
        let told = answers(all).unwrap_err();
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn where_there_is_no_bus_that_is_said_at_once() {
    let none = tempfile::tempdir().unwrap();
    let gone = OsString::from(format!("unix:path={}", none.path().join("bus").display()));
    let elsewhere = OsString::from("tcp:host=localhost,port=1");
    for (variable, value) in [
        ("DBUS_SESSION_BUS_ADDRESS", gone),
        ("DBUS_SESSION_BUS_ADDRESS", elsewhere),
        ("XDG_RUNTIME_DIR", none.path().into()),
        ("NOTHING", OsString::new()),
    ] {
        let begun = Instant::now();
        let told = secret(&item(), &|name| (name == variable).then(|| value.clone()), Duration::from_secs(5));
        assert!(begun.elapsed() < Duration::from_millis(50), "{:?}", begun.elapsed());
        let told = format!("{:#}", told.unwrap_err());
        assert!(told.contains("session bus") && told.ends_with("; use key_cmd or key_file"), "{told}");
    }
}

#[test]
fn a_bus_that_is_silent_or_drips_is_not_waited_for() {
    let patience = Duration::from_millis(300);
    let drip = |stream: UnixStream, bytes: Vec<u8>| {
        let mut stream = stream;
        for byte in bytes {
            if stream.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    };
    let acts: Vec<Act> = vec![
        Box::new(|stream| {
            thread::sleep(Duration::from_secs(2));
            drop(stream);
        }),
        Box::new(move |stream| drip(stream, b"OK 123456789012345678901234567890\r\n".to_vec())),
    ];
    for act in acts {
        let (told, took) = ask(act, patience);
        assert!(told.clone().unwrap_err().contains("does not answer"), "{told:?}");
        assert!(took < patience + Duration::from_millis(200), "{took:?}");
    }
    // A bus that sends only signals is not read forever.
    let signals = vec![message(4, 0, "", Writer::default()).repeat(PASSED_OVER_MAX + 1)];
    assert_eq!(answers(signals), Err(ODD.to_owned()));
    // An endless line is not read either.
    for (line, said) in [
        (&[b'x'; 2 * LINE_BYTES_MAX][..], "is none"),
        (b"REJECTED EXTERNAL\r\n", "refuses this user"),
        (b"", "hung up"),
    ] {
        let act: Act = Box::new(move |mut stream| {
            // Closing with unread input would discard the output.
            let mut hello = [0; 64];
            let _ = stream.read(&mut hello);
            let _ = stream.write_all(line);
        });
        let told = ask(act, patience).0.unwrap_err();
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn addresses_are_taken_apart() {
    assert_eq!(unescaped("/run/a%20b%2fc").as_deref(), Some("/run/a b/c"));
    for odd in ["%", "%4", "%zz", "%ff", "%\u{e9}a"] {
        assert_eq!(unescaped(odd), None, "{odd}");
    }
    for text in ["", "unix:", "unix:path", "unix:path=", "tcp:host=x", "unix:path=%00", "unix:tmpdir=/tmp"] {
        let found = address(text);
        assert!(found.is_none_or(|address| address.as_pathname() != Some(Path::new("/tmp"))), "{text}");
    }
    assert_eq!(address("unix:guid=1,path=/run/bus").unwrap().as_pathname(), Some(Path::new("/run/bus")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_answer_panics(
        bytes in proptest::collection::vec(any::<u8>(), 0..200), kind in 0_u8..5, n in 0_usize..4, long in any::<u32>(),
    ) {
        let mut whole = until_found(&["/item/1"], &[]);
        whole.truncate(n);
        // As a body, as a whole message, and as a message with such lengths.
        let mut lengths = vec![ORDER, kind, 0, VERSION];
        lengths.extend([long.to_ne_bytes(), [0; 4], long.rotate_left(9).to_ne_bytes()].concat());
        for last in [message(kind, 1 + n as u32, "x.y", Writer(bytes.clone())), bytes.clone(), lengths] {
            let _ = answers([whole.clone(), vec![last]].concat());
        }
    }
}
