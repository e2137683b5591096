//! The resident process: real processes with a scripted model, and the faults that can affect them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use askline::daemon::{Waits, Waker, serve, serve_as};
use askline_host::recorded::RecordedHost;
use askline_model::prompt::{Form, Prompt};
use askline_model::request_control::RequestControl;
use askline_model::resident;
use askline_model::resident::endpoint::{Endpoint, identity};
use askline_model::resident::wire::{Ask, Event, Hello, ModelSpec, Operation, Question, Role, Status, Wire};
use askline_model::resident::{Resident, Terms};
use askline_model::scripted::Scripted;
use askline_model::{Further, Model, Reply};
use serde_json::Value;
use tempfile::TempDir;

/// A time limit that is long enough for anything that ends, on a busy machine.
const AMPLE: Duration = Duration::from_secs(20);

/// A home with a runtime directory and a script; processes started in it end with it.
struct Home {
    top: TempDir,
}

impl Home {
    fn new(script: &str) -> Self {
        let home = Self { top: tempfile::Builder::new().prefix("al").tempdir_in("/tmp").unwrap() };
        fs::create_dir(home.runtime()).unwrap();
        fs::set_permissions(home.runtime(), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(home.script(), script).unwrap();
        home
    }

    fn runtime(&self) -> PathBuf {
        self.top.path().join("run")
    }

    fn script(&self) -> PathBuf {
        self.top.path().join("model.jsonl")
    }

    fn door(&self) -> Endpoint {
        Endpoint::of(self.runtime().join("askline"))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_askline"));
        command.args(args).env_clear().current_dir(self.top.path());
        command.env("HOME", self.top.path()).env("PATH", "/usr/bin:/bin");
        command.env("XDG_RUNTIME_DIR", self.runtime()).env("ASKLINE_DAEMON", "force");
        command.env("ASKLINE_MODEL", format!("scripted:{}", self.script().display()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a press and returns its output, or its error message.
    fn press(&self) -> Result<String, String> {
        said(&self.run(&["suggest", "--shell", "bash", "--", "list the files"]))
    }

    /// Returns a press with little time.
    fn hurried(&self, words: &str) -> Command {
        let mut press = self.command(&["suggest", "--shell", "bash", "--", words]);
        press.env("ASKLINE_DEADLINE_MS", "2500");
        press
    }

    fn status(&self) -> Value {
        let output = self.run(&["daemon", "status", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    fn is_prepared(&self) -> bool {
        let status = self.status();
        status["waiting"] == 0 && status["prepares"] == false
    }

    /// Returns the processes started in this home, without zombies.
    fn processes(&self) -> Vec<u32> {
        let needle = format!("XDG_RUNTIME_DIR={}", self.runtime().display());
        let all = fs::read_dir("/proc").unwrap();
        all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
            .filter(|pid: &u32| {
                let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environ.split(|byte| *byte == 0).any(|variable| variable == needle.as_bytes())
            })
            .collect()
    }

    fn pid(&self) -> u32 {
        u32::try_from(self.status()["pid"].as_u64().unwrap()).unwrap()
    }

    /// Returns the machine as seen by a client in this process: it finds this home's endpoint and cannot start
    /// anything.
    fn host(&self) -> RecordedHost {
        let system = "[system]\nos = \"linux\"\nrelease = \"6\"\nmachine = \"x86_64\"\n";
        let text = format!("{system}[env]\nXDG_RUNTIME_DIR = {:?}\n", self.runtime());
        RecordedHost::parse(Path::new("test"), &text).unwrap()
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Scripted { file: self.script(), identity: identity(&self.script()).unwrap() }
    }

    /// Returns a client in this process with a model of its own as fallback.
    fn client(&self, urgent: bool) -> Resident<RecordedHost> {
        let here = Scripted::parse(Path::new("here"), "{\"reply\": \"echo here\"}\n").unwrap();
        let terms = Terms { urgent, forced: false, idle: AMPLE, role: Role::Only };
        Resident::new(self.spec(), terms, self.host(), Some(Box::new(here)))
    }

    /// Starts a resident process as a thread of this process, so clients in this process accept it as their own
    /// program.
    fn serve(&self, waits: Waits) -> thread::JoinHandle<()> {
        let (door, bell) = (self.door(), Arc::new(Waker::new().unwrap()));
        let served = thread::spawn(move || serve(&door, waits, &bell).unwrap());
        until("it serves", || self.door().enter().is_ok_and(|stream| stream.is_some()));
        served
    }

    /// Returns a connection after the handshake.
    fn wire(&self) -> Wire {
        let mut wire = Wire::new(self.door().enter().unwrap().unwrap()).unwrap();
        let until = Instant::now() + AMPLE;
        wire.send(&resident::hello().unwrap(), until).unwrap();
        wire.receive::<Hello>(until).unwrap().unwrap();
        wire
    }

    /// Returns a connection with a question sent.
    fn asked(&self, what: Operation, urgent: bool) -> Wire {
        let mut wire = self.wire();
        let ask = Ask { spec: self.spec(), what, urgent, idle: AMPLE, role: Role::Only };
        wire.send(&Question::Ask(Box::new(ask)), Instant::now() + AMPLE).unwrap();
        wire
    }

    fn status_inside(&self) -> Status {
        resident::status(&self.host()).unwrap().unwrap().1
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        for pid in self.processes() {
            signal(pid, "KILL");
        }
    }
}

fn said(output: &Output) -> Result<String, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

fn signal(pid: u32, name: &str) {
    let _ = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).stderr(Stdio::null()).status();
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let limit = Instant::now() + AMPLE;
    while !is_so() {
        assert!(Instant::now() < limit, "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn prompt(fresh: &str) -> Prompt {
    Prompt::new(Form::Completion, String::new(), fresh.to_owned())
}

fn complete() -> Operation {
    Operation::Complete { prompt: prompt("# list\n"), max_tokens: 9 }
}

/// Returns the event that ends a question.
#[track_caller]
fn end(wire: &mut Wire) -> Event {
    loop {
        match wire.receive(Instant::now() + AMPLE).unwrap().expect("it says something") {
            Event::Beat | Event::Stage(_) | Event::Left(_) | Event::Draft(_) => {}
            other => return other,
        }
    }
}

#[track_caller]
fn texts(event: Event) -> Vec<String> {
    match event {
        Event::Replies(replies, _) => replies.into_iter().map(|Reply { text, .. }| text).collect(),
        other => panic!("{other:?}"),
    }
}

fn ask(client: &mut dyn Model, control: &RequestControl) -> anyhow::Result<String> {
    client.complete(&prompt("# list\n"), 9, control).map(|reply| reply.text)
}

fn rows(row: &str, times: usize) -> String {
    format!("{row}\n").repeat(times)
}

const LS: &str = "{\"reply\": \"ls -la\"}";
const SLOW: &str = "{\"reply\": \"ls -la\", \"delay_ms\": 60000}";

#[test]
fn the_first_press_starts_it_and_the_next_goes_on_where_it_is() {
    let home = Home::new("{\"reply\": \"ls\"}\n{\"reply\": \"ls -l\"}\n");
    assert_eq!(home.status()["running"], false);
    assert_eq!(home.press().unwrap(), "ls");
    let first = home.status();
    assert_eq!(home.press().unwrap(), "ls -l", "the same script, one row further");
    let second = home.status();
    assert_eq!((&first["pid"], first["answered"].as_u64()), (&second["pid"], Some(1)));
    assert_eq!((second["answered"].as_u64(), second["waiting"].as_u64()), (Some(2), Some(0)));
    assert!(home.press().unwrap_err().contains("no reply is left"), "the model's own words come through");

    let pid = home.pid();
    assert_eq!(fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), Path::new("/"));
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(home.door().directory()), mode(&home.door().socket())), (0o700, 0o600));
    let stopped = home.run(&["daemon", "stop"]);
    assert_eq!(said(&stopped).unwrap(), "the resident process has stopped");
    assert!(home.processes().is_empty() && !home.door().socket().exists());
    assert_eq!(said(&home.run(&["daemon", "stop"])).unwrap(), "the resident process was not running");
    assert_eq!(said(&home.run(&["daemon"])).unwrap(), "not running; the first key press starts it");
}

/// A cold press ends at its deadline and tells how long the model takes, as do presses behind it. Preparing goes on.
#[test]
fn a_cold_press_ends_in_time_and_the_model_is_prepared_for_the_next() {
    let cold = "{\"reply\": \"ls -la\", \"prepare_ms\": 7000}\n";
    let home = Home::new(&format!("{{\"reply\": \"pwd\"}}\n{cold}"));
    assert_eq!(home.press().unwrap(), "pwd");
    let presses: Vec<_> = (0..2).map(|_| home.hurried("list the files").spawn().unwrap()).collect();
    for press in presses {
        let why = said(&press.wait_with_output().unwrap()).unwrap_err();
        assert!(why.contains("the model is being prepared, about ") && why.contains(" s left"), "{why}");
    }
    until("it is prepared", || home.is_prepared());
    assert_eq!(home.press().unwrap(), "ls -la", "no press took its reply");
}

/// Without the whole fixed part the answer is brief. The rest is prepared in the background, also after a press that
/// interrupts this.
#[test]
fn the_rest_is_prepared_after_a_brief_answer() {
    let home =
        Home::new("{\"reply\": \"ls\", \"rest_ms\": 5000}\n{\"reply\": \"ls -l\"}\n{\"reply\": \"pwd\"}\n");
    let press = || {
        let answer = home.run(&["suggest", "--json", "--shell", "bash", "--", "list the files"]);
        let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
        let note = answer["fallback"][0].as_str().map(str::to_owned);
        (answer["command"].as_str().unwrap().to_owned(), note)
    };
    let brief =
        Some("the model is still being prepared for this shell, so the next answers are better".to_owned());
    assert_eq!(press(), ("ls".to_owned(), brief.clone()));
    until("it prepares", || home.status()["waiting"] == 1);
    assert!(said(&home.run(&["daemon"])).unwrap().contains(" (preparing in the background), 1 answered"));
    assert_eq!(press(), ("ls -l".to_owned(), brief), "it did not wait");
    assert!(!home.is_prepared());
    until("it is prepared", || home.is_prepared());
    assert_eq!(press(), ("pwd".to_owned(), None));
}

/// Preparing ahead of a request keeps no other request waiting, and does not keep the process from ending.
#[test]
fn a_request_or_the_end_interrupts_preparing() {
    let home = Home::new("{\"reply\": \"ls\", \"rest_ms\": 600000}\n{\"reply\": \"pwd\"}\n");
    let served = home.serve(Waits::USUAL);
    assert_eq!(texts(end(&mut home.asked(complete(), true))), ["ls"]);
    let fixed = "# One-line zsh commands for Linux.\n\n".to_owned();
    assert!(texts(end(&mut home.asked(Operation::Prepare { fixed }, true))).is_empty());
    until("it prepares", || home.status_inside().waiting == 1);
    assert_eq!(texts(end(&mut home.asked(complete(), false))), ["pwd"]);
    until("it prepares again", || home.status_inside().waiting == 1);
    let mut wire = home.wire();
    wire.send(&Question::Stop { finish: true }, Instant::now() + AMPLE).unwrap();
    served.join().unwrap();
}

/// While a press waits for a model that is prepared, one for another model tells so; without such a press it comes first.
#[test]
fn a_press_for_another_model_does_not_wait_for_an_abandoned_one() {
    let home = Home::new("{\"reply\": \"pwd\"}\n{\"reply\": \"ls\", \"prepare_ms\": 60000}\n");
    assert_eq!(home.press().unwrap(), "pwd");
    let other = home.top.path().join("other.jsonl");
    fs::write(&other, "{\"reply\": \"date\"}\n").unwrap();
    let of_other = || {
        let mut press = home.hurried("show the date");
        press.env("ASKLINE_MODEL", format!("scripted:{}", other.display()));
        press
    };
    let mut first = home.command(&["suggest", "--shell", "bash", "--", "list"]).spawn().unwrap();
    until("it prepares", || home.status()["waiting"] == 1);
    let why = said(&of_other().output().unwrap()).unwrap_err();
    assert!(why.contains("the model is being prepared, about "), "{why}");
    first.kill().unwrap();
    first.wait().unwrap();
    until("the other model answers", || said(&of_other().output().unwrap()).is_ok_and(|line| line == "date"));
}

/// D4: many starts at once leave one process.
#[test]
fn many_starts_at_once_leave_one_process() {
    let home = Home::new(&rows(LS, 99));
    let mut starts: Vec<_> = (0..20).map(|_| home.command(&["daemon", "run"]).spawn().unwrap()).collect();
    until("one of them serves", || home.door().enter().is_ok_and(|stream| stream.is_some()));
    until("the others give up", || {
        starts.iter_mut().map(|start| start.try_wait()).filter(|ended| matches!(ended, Ok(None))).count() == 1
    });
    assert_eq!(home.processes(), [home.pid()]);
    assert!(starts.iter().any(|start| start.id() == home.pid()));

    let presses: Vec<_> = (0..20)
        .map(|_| home.command(&["suggest", "--shell", "bash", "--", "list the files"]).spawn().unwrap())
        .collect();
    let ended: Vec<_> = presses.into_iter().map(|press| said(&press.wait_with_output().unwrap())).collect();
    let busy =
        |said: &Result<String, String>| said.as_ref().is_err_and(|why| why.contains("is busy with other"));
    assert!(ended.iter().all(|said| said.as_deref() == Ok("ls -la") || busy(said)), "{ended:?}");
    assert!(ended.iter().filter(|said| said.is_ok()).count() >= 5, "{ended:?}");
    assert_eq!(home.processes(), [home.pid()]);
    signal(home.pid(), "TERM");
    for mut start in starts {
        start.wait().unwrap();
    }
    assert!(!home.door().socket().exists(), "a signal takes the socket away");
}

/// D3: the next press replaces a killed process, whatever the process left behind.
#[test]
fn a_killed_process_is_replaced_by_the_next_press() {
    let home = Home::new(&rows("{\"reply\": \"ls -la\", \"delay_ms\": 20}", 99));
    for round in 0..12 {
        assert_eq!(home.press().unwrap(), "ls -la", "round {round}");
        let pid = home.pid();
        if round % 2 == 0 {
            // In the middle of a request.
            let press = home.command(&["suggest", "--shell", "bash", "--", "list"]).spawn().unwrap();
            thread::sleep(Duration::from_millis(7 * round));
            signal(pid, "KILL");
            press.wait_with_output().unwrap();
        } else {
            signal(pid, "KILL");
        }
        until("it is gone", || !home.processes().contains(&pid));
    }
    assert_eq!(home.press().unwrap(), "ls -la");
}

/// D9: the tmp cleaner removed the socket; the next press starts another process, and the old one notices.
#[test]
fn a_lost_socket_ends_the_process() {
    let home = Home::new(&rows(LS, 9));
    let looks = Waits { look: Duration::from_millis(50), ..Waits::USUAL };
    let served = home.serve(looks);
    fs::remove_file(home.door().socket()).unwrap();
    served.join().unwrap();
    let served = home.serve(looks);
    // A new socket in its place must not be removed.
    fs::remove_file(home.door().socket()).unwrap();
    let other = UnixListener::bind(home.door().socket()).unwrap();
    served.join().unwrap();
    assert!(home.door().socket().exists());
    drop(other);
    let _served = home.serve(Waits::USUAL);
    assert_eq!(ask(&mut home.client(true), &RequestControl::endless()).unwrap(), "ls -la");
}

/// D10: no more requests arrive.
#[test]
fn it_ends_when_idle_and_rests_before() {
    let home = Home::new(&rows("{\"reply\": \"ls\", \"delay_ms\": 400}", 9));
    let rest = Duration::from_millis(100);
    let served = home.serve(Waits { rest, idle: AMPLE, ..Waits::USUAL });
    let ask = |idle| {
        let mut wire = home.wire();
        let ask = Ask { spec: home.spec(), what: complete(), urgent: true, idle, role: Role::Only };
        wire.send(&Question::Ask(Box::new(ask)), Instant::now() + AMPLE).unwrap();
        texts(end(&mut wire))
    };
    assert_eq!(ask(AMPLE), ["ls"]);
    until("the model rests", || home.status_inside().rests);
    // The work itself takes longer than the idle limit.
    assert_eq!(ask(Duration::from_millis(250)), ["ls"]);
    let answered = Instant::now();
    served.join().unwrap();
    assert!(Duration::from_millis(200) < answered.elapsed(), "{:?}", answered.elapsed());
    assert!(!home.door().socket().exists());
}

/// D1 and D2: an endpoint is only accepted in a directory that no other user can enter.
#[test]
fn a_directory_that_others_can_enter_is_no_door() {
    let home = Home::new(&rows(LS, 9));
    let directory = home.door().directory().to_owned();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |why: &str| {
        assert!(Endpoint::find(&home.host()).unwrap_err().to_string().contains(why));
        assert!(home.press().unwrap_err().contains(why), "forced, it says why");
        assert!(said(&home.run(&["daemon", "status"])).unwrap_err().contains(why));
        assert_eq!(
            ask(&mut home.client(true), &RequestControl::endless()).unwrap(),
            "echo here",
            "otherwise it works"
        );
    };
    fs::create_dir(&directory).unwrap();
    mode(&directory, 0o750);
    refused("can be entered by others; remove it");
    fs::remove_dir(&directory).unwrap();
    fs::write(&directory, "").unwrap();
    refused("is not a directory; remove it");
    fs::remove_file(&directory).unwrap();
    let elsewhere = home.top.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    mode(&elsewhere, 0o700);
    symlink(&elsewhere, &directory).unwrap();
    refused("is not a directory; remove it");
    fs::remove_file(&directory).unwrap();
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "nothing was made behind the link");

    // A runtime directory that others can enter is skipped for one of ours below TMPDIR.
    mode(&home.runtime(), 0o755);
    let press =
        home.command(&["suggest", "--shell", "bash", "--", "list"]).env("TMPDIR", &elsewhere).output();
    assert_eq!(said(&press.unwrap()).unwrap(), "ls -la");
    let user = rustix::process::geteuid().as_raw();
    let made = elsewhere.join(format!("askline-{user}"));
    assert_eq!(fs::metadata(&made).unwrap().permissions().mode() & 0o7777, 0o700);
    assert!(made.join("resident.sock").exists() && !directory.exists());
}

/// D5: neither side speaks with another user's process.
#[test]
fn other_users_are_turned_away() {
    const NOBODY: &str = "65534";
    let me = std::env::current_exe().unwrap();
    let as_nobody = |role: &str, socket: &Path| {
        let mut command = Command::new("setpriv");
        command.args([&format!("--reuid={NOBODY}"), "--clear-groups"]).arg(&me);
        command.args(["--exact", "resident::as_another_user", "--ignored", "--nocapture"]);
        command.env("ASKLINE_TEST_ROLE", role).env("ASKLINE_TEST_SOCKET", socket).stdout(Stdio::piped());
        command
    };
    let home = Home::new(&rows(LS, 9));
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let can = rustix::process::geteuid().is_root()
        && as_nobody("none", Path::new("/"))
            .stderr(Stdio::null())
            .output()
            .is_ok_and(|ran| ran.status.success());
    if !can {
        return crate::parser::skipped("other users can't be tried here: it takes root and setpriv");
    }
    open(home.top.path(), 0o755);
    let _served = home.serve(Waits::USUAL);
    // The directory permissions normally prevent this. They are opened, so only the kernel's peer credentials are left.
    for path in [home.runtime(), home.door().directory().to_owned(), home.door().socket()] {
        open(&path, 0o777);
    }
    let ran = as_nobody("client", &home.door().socket()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));

    let home = Home::new(&rows(LS, 9));
    home.door().make().unwrap();
    for path in [home.top.path(), &home.runtime(), home.door().directory()] {
        open(path, 0o777);
    }
    let mut listener = as_nobody("server", &home.door().socket()).spawn().unwrap();
    until("it listens", || home.door().socket().exists());
    for path in [home.runtime(), home.door().directory().to_owned()] {
        open(&path, 0o700);
    }
    // The socket exists a moment before the process listens on it.
    let refused = std::cell::RefCell::new(None);
    until("it listens", || {
        refused.replace(home.door().enter().err());
        refused.borrow().is_some()
    });
    let error = refused.take().unwrap().to_string();
    assert!(error.contains("another user listens at"), "{error}");
    assert_eq!(ask(&mut home.client(true), &RequestControl::endless()).unwrap(), "echo here");
    assert!(listener.wait().unwrap().success());

    // A directory created earlier by another user, in a place where only that user can remove it.
    std::os::unix::fs::chown(home.door().directory(), NOBODY.parse().ok(), None).unwrap();
    let error = Endpoint::find(&home.host()).unwrap_err().to_string();
    assert!(error.contains("belongs to another user; set XDG_RUNTIME_DIR or TMPDIR to"), "{error}");
}

/// Run by the test above as another user.
#[test]
#[ignore = "a part of `other_users_are_turned_away`"]
fn as_another_user() {
    let socket = std::env::var_os("ASKLINE_TEST_SOCKET").unwrap();
    match std::env::var("ASKLINE_TEST_ROLE").unwrap().as_str() {
        "client" => {
            let mut stream = UnixStream::connect(socket).unwrap();
            let mut said = Vec::new();
            stream.read_to_end(&mut said).unwrap();
            assert!(said.is_empty(), "not even hello");
        }
        "server" => {
            let (mut stream, _) = UnixListener::bind(socket).unwrap().accept().unwrap();
            let mut said = Vec::new();
            stream.read_to_end(&mut said).unwrap();
            assert!(said.is_empty(), "not even hello");
        }
        _ => {}
    }
}

/// D6: another version of our program, as after an upgrade: the old process ends, and a request in progress gets its
/// answer.
#[test]
fn another_version_takes_over() {
    let home = Home::new("{\"reply\": \"ls -la\", \"delay_ms\": 2000}\n");
    let press = home.command(&["suggest", "--shell", "bash", "--", "list"]).spawn().unwrap();
    until("it works", || home.status()["waiting"] == 1);
    let old = home.pid();
    // This test is another program than the one that serves. On a busy machine a press may not wait for the hello
    // message.
    until("its socket is free for the next", || {
        assert_eq!(ask(&mut home.client(true), &RequestControl::endless()).unwrap(), "echo here");
        !home.door().socket().exists()
    });
    let _served = home.serve(Waits::USUAL);
    assert_eq!(said(&press.wait_with_output().unwrap()).unwrap(), "ls -la");
    until("the old one is gone", || !home.processes().contains(&old));
    // A client with another protocol version gets no model, but its request to end is understood.
    let mut wire = Wire::new(home.door().enter().unwrap().unwrap()).unwrap();
    let hello = Hello { protocol: 0, ..resident::hello().unwrap() };
    wire.send(&hello, Instant::now() + AMPLE).unwrap();
    wire.receive::<Hello>(Instant::now() + AMPLE).unwrap().unwrap();
    let ask = Ask { spec: home.spec(), what: complete(), urgent: true, idle: AMPLE, role: Role::Only };
    wire.send(&Question::Ask(Box::new(ask)), Instant::now() + AMPLE).unwrap();
    assert!(matches!(end(&mut wire), Event::Dropped));
}

/// D7: invalid frames, half a frame, an oversized frame, and one byte at a time.
#[test]
fn nonsense_is_closed_and_harms_nobody() {
    let home = Home::new(&rows(LS, 9));
    assert_eq!(home.press().unwrap(), "ls -la");
    let before = home.status()["memory_bytes"].as_u64().unwrap();
    let hello = serde_json::to_vec(&resident::hello().unwrap()).unwrap();
    let frame = |body: &[u8]| [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], body].concat();
    let deep = format!("{{\"Ask\":{}", "[".repeat(100_000));
    let nonsense = [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        vec![0xff; 9],
        [&0x4000_0000_u32.to_le_bytes()[..], &[b' '; 5000]].concat(),
        frame(b""),
        frame(b"{}"),
        frame(&[0xff, 0xfe]),
        [frame(&hello), frame(b"{\"Ask\":{}}")].concat(),
        [frame(&hello), frame(deep.as_bytes())].concat(),
        // Half a frame, then silence.
        frame(&hello).iter().take(20).copied().collect(),
        frame(&hello),
        Vec::new(),
    ];
    let press_beside_them = || {
        thread::scope(|scope| {
            for bytes in &nonsense {
                let home = &home;
                scope.spawn(move || {
                    let started = Instant::now();
                    let mut stream = UnixStream::connect(home.door().socket()).unwrap();
                    let _ = stream.write_all(bytes);
                    let _ = stream.read_to_end(&mut Vec::new());
                    assert!(started.elapsed() < AMPLE, "{:?} for {bytes:?}", started.elapsed());
                });
            }
            // A client that is never silent for long.
            scope.spawn(|| {
                let started = Instant::now();
                let mut stream = UnixStream::connect(home.door().socket()).unwrap();
                for byte in frame(&hello).iter().cycle() {
                    if stream.write_all(&[*byte]).is_err() {
                        break;
                    }
                    assert!(started.elapsed() < AMPLE, "it is let in for ever");
                    thread::sleep(Duration::from_millis(50));
                }
            });
            let started = Instant::now();
            assert_eq!(home.press().unwrap(), "ls -la");
            started.elapsed()
        })
    };
    // A press does not wait for them, which would take two seconds each time; a busy machine may be as slow once.
    let took: Vec<Duration> = (0..4).map(|_| press_beside_them()).collect();
    assert!(took.iter().any(|took| *took < Duration::from_millis(1900)), "{took:?}");
    let after = home.status()["memory_bytes"].as_u64().unwrap();
    assert!(after < before + (16 << 20), "{before} bytes, then {after}");
}

/// Surplus connections are closed; closed connections free their slots.
#[test]
fn connections_are_bounded() {
    let home = Home::new(&rows(LS, 9));
    assert_eq!(home.press().unwrap(), "ls -la");
    let idle: Vec<_> = (0..200).map(|_| UnixStream::connect(home.door().socket()).unwrap()).collect();
    let tasks = format!("/proc/{}/task", home.processes()[0]);
    assert!(fs::read_dir(tasks).unwrap().count() < 40);
    drop(idle);
    until("there is room again", || home.press().is_ok());
}

/// D8: the process is stopped before its hello, and in the middle of an answer.
#[test]
fn a_stopped_process_is_not_waited_for() {
    let home = Home::new(&rows(SLOW, 9));
    let press = home.command(&["suggest", "--shell", "bash", "--", "list"]).spawn().unwrap();
    until("it works", || home.status()["waiting"] == 1);
    let pid = home.pid();
    signal(pid, "STOP");
    let stopped = Instant::now();
    let why = said(&press.wait_with_output().unwrap()).unwrap_err();
    assert!(why.contains("the resident process does not answer: it stopped responding"), "{why}");
    assert!(stopped.elapsed() < Duration::from_secs(5), "{:?}", stopped.elapsed());

    let quick = || {
        let started = Instant::now();
        assert_eq!(ask(&mut home.client(true), &RequestControl::endless()).unwrap(), "echo here");
        assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
    };
    quick();
    for what in ["stop", "status"] {
        let why = said(&home.run(&["daemon", what])).unwrap_err();
        let remedy = format!(
            "process {pid} did not answer the handshake in time; if it never does, run `kill -9 {pid}`"
        );
        assert!(why.contains(&remedy), "{why}");
    }
    // Connects until the kernel's queue is full, where a press could block for ever.
    let before: Vec<_> = std::iter::from_fn(|| home.door().enter().ok()).take(5000).collect();
    assert!(before.len() < 5000);
    quick();
    let status = said(&home.run(&["daemon", "status"])).unwrap_err();
    assert!(status.contains("handshake") || status.contains("accepts no connections"), "{status}");
}

/// S17: four requests wait, further ones are refused at once; a request without a waiting client is dropped.
#[test]
fn five_at_most_are_inside_and_those_who_wait_come_first() {
    let home = Home::new(&[rows(SLOW, 1), rows(LS, 99)].concat());
    let _served = home.serve(Waits::USUAL);
    let mut first = home.asked(complete(), true);
    until("it works", || home.status_inside().waiting == 1);
    let mut waiting: Vec<_> = (0..4).map(|_| home.asked(complete(), true)).collect();
    until("four wait", || home.status_inside().waiting == 5);
    let started = Instant::now();
    assert!(matches!(end(&mut home.asked(complete(), true)), Event::Busy));
    assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
    assert!(
        ask(&mut home.client(true), &RequestControl::endless())
            .unwrap_err()
            .to_string()
            .contains("is busy with")
    );
    // A waiting client is informed that the process is alive.
    assert!(matches!(waiting[3].receive(Instant::now() + AMPLE).unwrap(), Some(Event::Beat)));
    // The client at work disconnects: the next one is served.
    assert!(matches!(first.receive(Instant::now() + AMPLE).unwrap(), Some(Event::Stage(_) | Event::Beat)));
    drop(first);
    for wire in &mut waiting {
        assert_eq!(texts(end(wire)), ["ls -la"]);
    }
    assert_eq!(home.status_inside().waiting, 0);

    fs::write(home.script(), [rows(SLOW, 1), rows(LS, 99)].concat() + "\n").unwrap();
    let mut idle = home.asked(complete(), false);
    until("it works", || home.status_inside().waiting == 1);
    let mut behind = home.asked(complete(), false);
    until("one waits", || home.status_inside().waiting == 2);
    assert_eq!(texts(end(&mut home.asked(complete(), true))), ["ls -la"], "a changed file is read anew");
    assert!(matches!((end(&mut idle), end(&mut behind)), (Event::Dropped, Event::Dropped)));
    assert_eq!(ask(&mut home.client(false), &RequestControl::endless()).unwrap(), "ls -la");
}

#[test]
fn what_grows_reaches_the_client() {
    let home = Home::new(r#"{"reply": "find . -name notes", "writing_ms": 1500}"#);
    let _served = home.serve(Waits::USUAL);
    let control = RequestControl::endless();
    let watched = control.clone();
    let mut client = home.client(true);
    let asked = thread::spawn(move || ask(&mut client, &control));
    let mut seen = vec![String::new()];
    while !asked.is_finished() {
        let draft = watched.draft();
        if seen.last() != Some(&draft) {
            seen.push(draft);
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(asked.join().unwrap().unwrap(), "find . -name notes");
    assert!((4..=18).contains(&seen.len()), "{seen:?}");
    assert!(seen.iter().all(|draft| "find . -name notes".starts_with(draft.as_str())), "{seen:?}");
    assert!(seen.windows(2).all(|two| two[0].len() < two[1].len()), "{seen:?}");
}

/// G11: a cancelled request stops the computation.
#[test]
fn a_cancel_stops_the_work_at_once() {
    const TIMES: usize = 300;
    let home = Home::new(&[rows(SLOW, TIMES), rows(LS, 1)].concat());
    let _served = home.serve(Waits::USUAL);
    let mut slowest = Duration::ZERO;
    for time in 0..TIMES {
        let mut wire = home.asked(complete(), true);
        // Now and then directly after the request, otherwise in the middle.
        while time % 10 != 0
            && !matches!(wire.receive(Instant::now() + AMPLE).unwrap(), Some(Event::Stage(_)))
        {}
        let cancelled = Instant::now();
        drop(wire);
        until("it is at rest", || home.status_inside().waiting == 0);
        slowest = slowest.max(cancelled.elapsed());
        // A request cancelled before it began has used no row of the script.
        if time % 10 == 0 {
            thread::sleep(Duration::from_millis(2));
        }
    }
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");

    let control = RequestControl::endless();
    let mut client = home.client(true);
    let cancelled = thread::scope(|scope| {
        let asked = scope.spawn(|| ask(&mut client, &control).map(|reply| (reply, Instant::now())));
        thread::sleep(Duration::from_millis(50));
        control.cancel();
        asked.join().unwrap()
    });
    assert!(cancelled.is_err() || cancelled.unwrap().0 == "ls -la");
    until("it is at rest", || home.status_inside().waiting == 0);
}

/// The client's deadline applies, wherever the model runs; the client also gets the stages.
#[test]
fn deadline_and_stage_are_those_of_whoever_waits() {
    let home = Home::new(&rows(SLOW, 9));
    let _served = home.serve(Waits::USUAL);
    let control = RequestControl::until(Instant::now() + Duration::from_millis(300));
    let error = ask(&mut home.client(true), &control).unwrap_err();
    assert_eq!(error.to_string(), "no answer in time; try again or raise `deadline_ms`");
    assert_eq!(control.stage(), askline_model::request_control::Stage::Thinking);
    until("it is at rest", || home.status_inside().waiting == 0);
}

/// A failing model is loaded again and breaks nothing else; alternatives belong to their prompt.
#[test]
fn a_broken_model_is_loaded_anew_and_others_belong_to_their_prompt() {
    let home = Home::new("{\"panic\": \"broken on purpose\"}\n");
    let _served = home.serve(Waits::USUAL);
    assert_eq!(ask(&mut home.client(true), &RequestControl::endless()).unwrap(), "echo here");
    let script = [
        r#"{"reply": "ls", "others": ["ls -a", "ls -l"]}"#,
        r#"{"reply": "du", "others": ["du -s"]}"#,
        r#"{"reply": "ls", "others": ["ls -a"]}"#,
        r#"{"fail": "no such luck"}"#,
    ];
    fs::write(home.script(), script.join("\n")).unwrap();
    let further = Further { most: 3, max_tokens: 9, wrong: None, likely: false };
    let others = |fresh| Operation::Others { prompt: prompt(fresh), further };
    assert_eq!(texts(end(&mut home.asked(complete(), true))), ["ls"]);
    assert_eq!(texts(end(&mut home.asked(others("# list\n"), true))), ["ls -a", "ls -l"]);
    let sizes = Operation::Complete { prompt: prompt("# sizes\n"), max_tokens: 9 };
    assert_eq!(texts(end(&mut home.asked(sizes, true))), ["du"]);
    let others = texts(end(&mut home.asked(others("# list\n"), true)));
    assert_eq!(others, ["ls", "ls -a"], "asked again first, which may give another answer");
    let error = ask(&mut home.client(true), &RequestControl::endless()).unwrap_err();
    assert_eq!(error.to_string(), "no such luck", "the model's own words are no reason to turn elsewhere");
}

/// A process that dies over a question may be killed by anyone once; the second time the question is to blame, and the
/// model must not end the client too.
#[test]
fn a_question_that_kills_the_process_twice_is_not_asked_here() {
    let home = Home::new(&rows(LS, 9));
    home.door().make().unwrap();
    let listener = UnixListener::bind(home.door().socket()).unwrap();
    // For each connection: the answer after the question, or none.
    let answers = [
        None,
        None,
        None,
        Some(Event::Replies(vec![Reply { text: "ls".into(), ..Reply::default() }], vec![])),
    ];
    let dies = thread::spawn(move || {
        for answer in answers {
            let mut wire = Wire::new(listener.accept().unwrap().0).unwrap();
            let until = Instant::now() + AMPLE;
            wire.send(&resident::hello().unwrap(), until).unwrap();
            wire.receive::<Hello>(until).unwrap().unwrap();
            wire.receive::<Question>(until).unwrap().unwrap();
            if let Some(answer) = answer {
                wire.send(&answer, until).unwrap();
            }
        }
    });
    let error = ask(&mut home.client(true), &RequestControl::endless()).unwrap_err().to_string();
    assert!(error.contains("died twice") && error.contains("askline model pull"), "{error}");
    assert_eq!(ask(&mut home.client(true), &RequestControl::endless()).unwrap(), "ls", "once is no reason");
    dies.join().unwrap();
}

/// A frame that names something else than a file as model gets an error, and the next question its answer.
#[test]
fn a_model_that_is_no_file_does_not_jam_the_worker() {
    let home = Home::new(&rows(LS, 9));
    let _served = home.serve(Waits::USUAL);
    let pipe = home.top.path().join("model.gguf");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in [pipe, PathBuf::from("/dev/zero"), PathBuf::from("/proc/kmsg"), home.top.path().to_owned()] {
        let spec = ModelSpec::Local {
            name: "odd".to_owned(),
            identity: identity(&file).unwrap(),
            file,
            room: 512,
            threads: None,
            states: home.top.path().join("states"),
            memory: 0,
            adapter: None,
            saves_memory: false,
            gpu: false,
        };
        let mut wire = home.wire();
        let question =
            Ask { spec: spec.clone(), what: complete(), urgent: true, idle: AMPLE, role: Role::Only };
        wire.send(&Question::Ask(Box::new(question)), Instant::now() + AMPLE).unwrap();
        let event = end(&mut wire);
        assert!(matches!(&event, Event::Failed(failed) if failed.text.contains("can't be ")), "{event:?}");
        assert_eq!(texts(end(&mut home.asked(complete(), true))), ["ls -la"]);
    }
}

/// Where few files may be open, further connections are closed or wait; those after them are answered.
#[test]
fn used_up_descriptors_do_not_end_it() {
    let home = Home::new(&rows(LS, 9));
    let run = home.command(&["daemon", "run"]);
    let mut few = Command::new("sh");
    few.args(["-c", "ulimit -n 24; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
    few.env_clear().envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut served = few.spawn().unwrap();
    until("it serves", || home.door().enter().is_ok_and(|stream| stream.is_some()));
    assert_eq!(home.press().unwrap(), "ls -la");
    let idle: Vec<_> = (0..60).map(|_| UnixStream::connect(home.door().socket())).collect();
    assert!(20 < idle.iter().flatten().count());
    drop(idle);
    assert_eq!(home.press().unwrap(), "ls -la");
    assert_eq!(home.pid(), served.id());
    signal(served.id(), "TERM");
    served.wait().unwrap();
}

/// Core dumps would hold prompts and keys.
#[test]
fn no_process_of_ours_leaves_a_core_dump() {
    let home = Home::new(&rows(LS, 9));
    home.press().unwrap();
    let limits = fs::read_to_string(format!("/proc/{}/limits", home.pid())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"], "{core}");
}

/// The process has the limits of the shell that started it. A client checks its own limits, and the process ends to
/// make room for another one.
#[test]
fn a_process_without_room_for_the_model_sends_away_and_ends() {
    let home = Home::new(&rows(LS, 9));
    let served = home.serve(Waits::USUAL);
    let spec = ModelSpec::Local {
        name: "huge".to_owned(),
        file: home.script(),
        identity: identity(&home.script()).unwrap(),
        room: 512,
        threads: None,
        states: home.top.path().join("states"),
        memory: u64::MAX,
        adapter: None,
        saves_memory: false,
        gpu: false,
    };
    let mut wire = home.wire();
    let question = Ask { spec: spec.clone(), what: complete(), urgent: true, idle: AMPLE, role: Role::Only };
    wire.send(&Question::Ask(Box::new(question)), Instant::now() + AMPLE).unwrap();
    let event = end(&mut wire);
    assert!(matches!(&event, Event::Unable(why) if why.contains("the model huge takes")), "{event:?}");
    served.join().unwrap();
    // A client with higher limits than the process computes the answer itself.
    let _served = home.serve(Waits::USUAL);
    let here = Scripted::parse(Path::new("here"), "{\"reply\": \"echo here\"}\n").unwrap();
    let terms = Terms { urgent: true, forced: false, idle: AMPLE, role: Role::Only };
    let mut client = Resident::new(spec, terms, home.host(), Some(Box::new(here)));
    assert_eq!(ask(&mut client, &RequestControl::endless()).unwrap(), "echo here");
}

/// After an upgrade or an uninstall the process ends without waiting for a request.
#[test]
fn a_replaced_program_ends_by_itself() {
    let home = Home::new(&rows(LS, 9));
    let looks = Waits { look: Duration::from_millis(20), ..Waits::USUAL };
    let served = home.serve(looks);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(
        ask(&mut home.client(true), &RequestControl::endless()).unwrap(),
        "ls -la",
        "it is still there"
    );
    fs::remove_file(home.door().socket()).unwrap();
    served.join().unwrap();
    let older = Hello { program: identity(&home.script()).unwrap(), ..resident::hello().unwrap() };
    let bell = Arc::new(Waker::new().unwrap());
    serve_as(older, &home.door(), looks, &bell).unwrap();
    assert!(!home.door().socket().exists());
}

/// A background question without a waiting user starts no process and computes nothing.
#[test]
fn without_a_process_an_idle_question_gets_nothing() {
    let home = Home::new(&rows(LS, 9));
    let terms = Terms { urgent: false, forced: false, idle: AMPLE, role: Role::Only };
    let mut client = Resident::new(home.spec(), terms, home.host(), None);
    let error = ask(&mut client, &RequestControl::endless()).unwrap_err();
    assert_eq!(error.to_string(), "the resident process does not answer: no resident process is running");
    assert!(home.processes().is_empty() && !home.door().directory().exists());
}

/// S17: thousands of requests leave no memory behind.
#[test]
fn thousands_of_requests_leave_its_memory_flat() {
    let home = Home::new(&rows(LS, 4000));
    assert_eq!(home.press().unwrap(), "ls -la");
    let pid = home.pid();
    let ask = |times| {
        for _ in 0..times {
            assert_eq!(texts(end(&mut home.asked(complete(), true))), ["ls -la"]);
        }
        let status = home.status_inside();
        (status.memory.unwrap().1, fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count())
    };
    let (warm, _) = ask(500);
    let (after, files) = ask(2500);
    assert!(after < warm + (4 << 20), "{warm} bytes, then {after}");
    assert!(files < 20, "{files} files are open");
}

/// The process keeps no terminal, session or pipe of the shell that started it.
#[test]
fn it_holds_nothing_of_whoever_started_it() {
    let home = Home::new(&rows(LS, 9));
    let (mut heard, pipe) = std::io::pipe().unwrap();
    let mut command = Command::new("sh");
    // A file descriptor left open by the shell, such as the pipe on which it waits for an answer.
    command.args(["-c", "exec 9>&1; \"$@\" >/dev/null", "sh", env!("CARGO_BIN_EXE_askline")]);
    let press = home.command(&["suggest", "--shell", "bash", "--", "list"]);
    command.args(press.get_args()).env_clear().stdout(pipe).stderr(Stdio::null()).stdin(Stdio::null());
    command.envs(press.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(command.status().unwrap().success());
    drop(command);
    let (say, said) = std::sync::mpsc::channel();
    thread::spawn(move || say.send(heard.read_to_end(&mut Vec::new()).is_ok()));
    assert!(said.recv_timeout(AMPLE).unwrap(), "the pipe is closed while it lives");
    let pid = home.pid();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    assert_eq!(
        (fields[3], fields[4]),
        (pid.to_string().as_str(), "0"),
        "its own session, no terminal: {stat}"
    );
    let environ = fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    let names: Vec<_> = environ.split('\0').filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
    assert_eq!(names, ["XDG_RUNTIME_DIR"]);
}
