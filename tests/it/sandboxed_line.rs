//! The sandbox of lines that only read: such lines show their rows, secrets stay hidden, and what gets in anyway has no effect.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use askline_host::sandboxed_command::{CommandOutput, OUTPUT_BYTES_MAX, SandboxedCommand, Start};
use askline_host::{Host as _, find_on_path, local::LocalHost};
use askline_risk::allow::{allowed, is_secret};
use askline_syntax::shell::Shell;

use crate::cli::Askline;

mod attacks;
mod git;

/// Shells whose lines may run in the sandbox.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// Makes a directory with files, secrets, and links to both.
fn make(top: &Path) -> PathBuf {
    let work = top.canonicalize().unwrap().join("work");
    fs::create_dir_all(work.join("empty")).unwrap();
    fs::create_dir_all(work.join("deep/.ssh")).unwrap();
    for (name, text) in [
        ("notes.txt", "alpha\nbeta\n"),
        ("data.csv", "a,b\n1,2\n"),
        (".env", "TOKEN=hunter2\n"),
        ("deep/.ssh/id_rsa", "hunter2\n"),
        ("deep/readme.md", "gamma\n"),
        ("../outside.txt", "hunter2\n"),
    ] {
        fs::write(work.join(name), text).unwrap();
    }
    symlink(".env", work.join("innocent")).unwrap();
    symlink("../outside.txt", work.join("away")).unwrap();
    work
}

/// Mode, owner, number of links, times of change, and content of a file.
type FileState = (u32, u32, u64, i64, i64, Vec<u8>);

/// All that can be seen of the files below a directory from outside.
fn state(top: &Path) -> BTreeMap<PathBuf, FileState> {
    let mut left = vec![top.to_owned()];
    let mut found = BTreeMap::new();
    while let Some(path) = left.pop() {
        let facts = fs::symlink_metadata(&path).unwrap();
        if facts.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let text = if facts.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        let seen = (facts.mode(), facts.uid(), facts.nlink(), facts.mtime_nsec(), facts.ctime_nsec(), text);
        found.insert(path, seen);
    }
    found
}

/// Runs a line in the sandbox without asking the list.
fn forced(line: &str, shell: Shell, work: &Path, needs: bool) -> anyhow::Result<CommandOutput> {
    let program = find_on_path(&LocalHost, shell.name()).unwrap();
    LocalHost.run_in_sandbox(&program, &look(line, Start::Shell(shell), work, needs))
}

fn look(line: &str, start: Start, work: &Path, needs: bool) -> SandboxedCommand {
    SandboxedCommand {
        line: line.to_owned(),
        start,
        directory: work.to_owned(),
        places: vec![work.to_owned()],
        is_secret,
        sees_system: needs,
        git_ceiling: None,
        asks_kernel: needs,
        patience: Duration::from_secs(2),
    }
}

fn printed(line: &str, work: &Path, needs: bool) -> String {
    String::from_utf8(forced(line, Shell::Bash, work, needs).unwrap().stdout).unwrap()
}

/// The command `askline preview --run` in a directory with a few files.
fn preview(arguments: &[&str]) -> Askline {
    Askline::new(["preview"].iter().chain(arguments).copied())
        .file("a.txt", "one\ntwo\nthree\n")
        .file("b.log", "x\n")
        .file(".env", "TOKEN=hunter2\n")
}

#[test]
fn lines_that_only_read_show_their_rows() {
    for shell in SHELLS.iter().filter(|shell| find_on_path(&LocalHost, shell.name()).is_some()) {
        for (line, rows, count) in [
            ("cat a.txt | sort", "one\nthree\ntwo\n", "3 rows"),
            ("ls ./*.log", "./b.log\n", "1 row"),
            ("ls *.log", "b.log\n", "1 row"),
            ("grep -c o ~/a.txt", "2\n", "1 row"),
            ("find . -name '*.mp3'", "", "no rows"),
            ("wc -l < a.txt", "3\n", "1 row"),
            ("test -f a.txt && echo yes", "yes\n", "1 row"),
        ] {
            let ran = preview(&["--run", "--shell", shell.name(), "--", line]).run();
            ran.stderr(&format!("{count}, read-only preview\n")).stdout(rows).code(0);
        }
    }
}

#[test]
fn without_the_flag_and_for_other_lines_nothing_runs() {
    let ran = preview(&["--", "cat a.txt"]).run();
    ran.stdout("changes no file\n").code(0);
    let ran = preview(&["--run", "--", "rm *.log"]).run().code(0);
    assert_eq!(ran.stderr, "not run: `rm` without --help --version is not on the list\n");
    assert!(ran.stdout.starts_with("removes 1 file: b.log") && ran.path("b.log").exists(), "{}", ran.stdout);
    let ran = preview(&["--run", "--shell", "nu", "--", "ls"]).run();
    assert!(ran.stderr.starts_with("not run: nushell's lines are not on the list\n"), "{}", ran.stderr);
    let ran = preview(&["--run", "--", "cat .env"]).run();
    assert!(!ran.stdout.contains("hunter2") && ran.stderr.contains("secret place"), "{}", ran.stderr);
}

/// `*` may expand to an option where a name is one.
#[test]
fn a_pattern_runs_only_among_harmless_names() {
    let ran = preview(&["--run", "--shell", "bash", "--", "ls *.log"]).file("-R.log", "").run();
    assert!(ran.stderr.contains("may expand to options; write `./*.log`"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "changes no file\n");
}

#[test]
fn a_failing_line_says_why_and_json_says_all() {
    let ran = preview(&["--run", "--", "cat missing.txt"]).run().stdout("").code(1);
    assert!(ran.stderr.starts_with("cat: missing.txt: No such file"), "{}", ran.stderr);
    let ran = preview(&["--run", "--json", "--shell", "bash", "--", "head -n 1 a.txt"]).run().code(0);
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let expected = serde_json::json!({"line": "head -n 1 a.txt", "shell": "bash",
        "effect": null, "reason": null, "not_run": null, "ran": {"rows": ["one"], "complaints": [], "is_cut": false, "success": true}});
    assert_eq!(found, expected);
}

#[test]
fn time_and_output_are_bounded() {
    let top = tempfile::tempdir().unwrap();
    let work = make(top.path());
    let many = forced("seq 1 9999999", Shell::Bash, &work, false).unwrap();
    assert_eq!((many.is_cut, many.stdout.len()), (true, OUTPUT_BYTES_MAX));
    let started = Instant::now();
    let late = forced("echo first; sleep 60", Shell::Bash, &work, false).unwrap();
    assert_eq!((late.is_cut, late.success, late.stdout.as_slice()), (true, false, b"first\n".as_slice()));
    assert!(started.elapsed() < Duration::from_secs(8));
    let ran = preview(&["--run", "--", "seq 1 999999"]).run().code(0);
    assert!(ran.stderr.ends_with(" rows or more, read-only preview\n"), "{}", ran.stderr);
}

/// Also by links, by patterns and below a directory that is searched.
#[test]
fn secrets_stay_hidden() {
    let top = tempfile::tempdir().unwrap();
    let work = make(top.path());
    for line in [
        "cat .env",
        "cat innocent",
        "cat away",
        "cat deep/.ssh/id_rsa",
        "grep -r hunter2 .",
        "cat * .*",
        "cat ../outside.txt",
        "cp .env /dev/stdout",
        "find . -type f -exec cat {} +",
        "python3 -c \"print(open('.env').read())\"",
        "ln .env notes2; cat notes2",
        "cat /proc/self/cwd/.env",
    ] {
        let output = forced(line, Shell::Bash, &work, true).unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert!(!String::from_utf8_lossy(&said).contains("=hunter2"), "{line}");
        assert!(!String::from_utf8_lossy(&said).starts_with("hunter2"), "{line}");
    }
    assert_eq!(printed("cat notes.txt deep/readme.md", &work, false), "alpha\nbeta\ngamma\n");
    assert_eq!(printed("ls -A deep", &work, false), ".ssh\nreadme.md\n", "names are no secrets");
}

/// The kernel's view of processes is open to lines that need it, but not what is secret in it.
#[test]
fn processes_are_seen_without_their_secrets() {
    let top = tempfile::tempdir().unwrap();
    let work = make(top.path());
    let mut other = Command::new("sleep").arg("30").env("TOKEN", "hunter2").spawn().unwrap();
    let of = |file: &str| printed(&format!("cat /proc/{}/{file} 2>/dev/null", other.id()), &work, true);
    assert_eq!(of("comm"), "sleep\n");
    for file in ["environ", "maps", "mem", "fd/0", "auxv", "stack"] {
        assert_eq!(of(file), "", "{file}");
    }
    let outside = fs::read(format!("/proc/{}/environ", other.id())).unwrap();
    assert!(String::from_utf8_lossy(&outside).contains("hunter2"), "outside of the sandbox it can be read");
    let unseen = printed(&format!("cat /proc/{}/comm 2>/dev/null", other.id()), &work, false);
    assert_eq!(unseen, "", "other lines see no processes");
    other.kill().unwrap();
    other.wait().unwrap();
}

/// Lines that get as far as the shell in the sandbox, although the list refuses all of them: 0 writes, 0 packets.
#[test]
fn two_hundred_hostile_lines_have_no_effect() {
    let top = tempfile::tempdir().unwrap();
    let work = make(top.path());
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let unix = UnixListener::bind(top.path().join("socket")).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    unix.set_nonblocking(true).unwrap();
    let ports = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let lines = hostile(ports, &top.path().join("socket"));
    assert!(200 <= lines.len(), "{}", lines.len());
    let before = state(top.path());
    for line in &lines {
        for shell in Shell::ALL {
            assert!(allowed(line, shell).is_err(), "the list lets {line:?} pass in {shell}");
        }
        let _ = forced(line, Shell::Bash, &work, false);
        assert_eq!(state(top.path()), before, "{line}");
    }
    assert!(tcp.accept().is_err() && unix.accept().is_err() && udp.recv(&mut [0; 9]).is_err());
    for line in lines.iter().filter(|line| line.contains("127.0.0.1") || line.contains("PF_UNIX")) {
        let _ = forced(line, Shell::Bash, &work, true);
    }
    assert!(tcp.accept().is_err() && udp.recv(&mut [0; 9]).is_err(), "needs open no way into the network");
    assert!(unix.accept().is_err(), "nor one to services");
    // Outside of the sandbox they have effects.
    let mut effects = 0;
    for line in lines.iter().step_by(7) {
        let scratch = tempfile::tempdir().unwrap();
        let work = make(scratch.path());
        let before = state(scratch.path());
        let mut free = Command::new("timeout");
        free.args(["1", "bash", "-c", line])
            .current_dir(&work)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        free.status().unwrap();
        effects += usize::from(
            state(scratch.path()) != before || tcp.accept().is_ok() || udp.recv(&mut [0; 9]).is_ok(),
        );
    }
    assert!(20 <= effects, "{effects} lines have an effect outside");
}

/// Returns lines that write here or speak to these ports, in several disguises.
fn hostile((tcp, udp): (u16, u16), socket: &Path) -> Vec<String> {
    let writes = include_str!("sandboxed_line/writes.txt").lines().map(str::to_owned);
    let socket = socket.display();
    let speaks = [
        format!("echo x > /dev/tcp/127.0.0.1/{tcp}"),
        format!("echo x > /dev/udp/127.0.0.1/{udp}"),
        format!("curl -s -m 1 http://127.0.0.1:{tcp}/"),
        format!("wget -q -T 1 -t 1 http://127.0.0.1:{tcp}/"),
        format!(
            "perl -MSocket -e 'socket(S,PF_INET,SOCK_STREAM,0);connect(S,sockaddr_in({tcp},inet_aton(\"127.0.0.1\")))'"
        ),
        format!(
            "perl -MSocket -e 'socket(S,PF_INET,SOCK_DGRAM,0);send(S,\"x\",0,sockaddr_in({udp},inet_aton(\"127.0.0.1\")))'"
        ),
        format!("perl -MSocket -e 'socket(S,PF_UNIX,SOCK_STREAM,0);connect(S,sockaddr_un(\"{socket}\"))'"),
        format!("python3 -c \"import socket;socket.create_connection(('127.0.0.1',{tcp}),1)\""),
        format!("git ls-remote git://127.0.0.1:{tcp}/x"),
        format!("ssh -p {tcp} -o ConnectTimeout=1 127.0.0.1"),
    ];
    let disguised = |line: String| {
        let quoted = line.replace('\'', r"'\''");
        [
            line.clone(),
            format!("sh -c '{quoted}'"),
            format!("ls -l; {line}"),
            format!("cat notes.txt | ({line})"),
            format!("eval '{quoted}'"),
            format!("(setsid sh -c '{quoted}' &); sleep 0.05"),
        ]
    };
    writes.chain(speaks).flat_map(disguised).collect()
}

/// The labelled lines of `askline-risk`, the hostile ones and the harmless ones: whatever the list lets pass has no effect.
#[test]
fn no_labelled_line_gets_into_the_sandbox_with_an_effect() {
    let top = tempfile::tempdir().unwrap();
    let work = make(top.path());
    let before = state(top.path());
    let mut lines = BTreeSet::new();
    for file in fs::read_dir("crates/risk/tests/data/risk").unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for row in fs::read_to_string(file).unwrap().lines().filter(|row| !row.is_empty()) {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let harmful = matches!(row["label"].as_str(), Some("Confirm" | "Dangerous"));
            if let Some(line) = row["command"].as_str() {
                lines.insert((line.to_owned(), harmful));
            }
        }
    }
    let installed = SHELLS.into_iter().filter(|shell| find_on_path(&LocalHost, shell.name()).is_some());
    let installed: Vec<Shell> = installed.collect();
    let mut ran = 0;
    for (line, is_harmful) in &lines {
        let passes = installed.iter().find(|shell| allowed(line, **shell).is_ok());
        assert!(passes.is_none() || !is_harmful, "{line}");
        let Some(shell) = passes else { continue };
        let needs = allowed(line, *shell).unwrap().needs;
        if !needs.services {
            let _ = forced(line, *shell, &work, needs.system);
            ran += 1;
        }
        assert_eq!(state(top.path()), before, "{line}");
    }
    assert!(300 < ran && 2_000 < lines.len(), "{ran} of {}", lines.len());
}
