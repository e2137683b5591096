use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askline_agent::tool::{Permission, Registry};
use askline_host::local::LocalHost;
use askline_host::recorded::RecordedHost;
use askline_host::{FileEntry, NameKind, Output, Probe, System};
use askline_syntax::shell::Shell;

use super::*;
use crate::config::Help;
use crate::environment::{self, Machine};
use crate::shell_facts::ShellFacts;

/// This machine, seen from another directory.
#[derive(Clone)]
struct At(PathBuf);

impl Host for At {
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
        LocalHost.probe(program, probe)
    }
    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        LocalHost.read(path, limit)
    }
    fn head(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        LocalHost.head(path, limit)
    }
    fn part(&self, path: &Path, from: u64, most: u64) -> anyhow::Result<Vec<u8>> {
        LocalHost.part(path, from, most)
    }
    fn list(&self, directory: &Path) -> anyhow::Result<Vec<std::ffi::OsString>> {
        LocalHost.list(directory)
    }
    fn list_kinds(
        &self,
        directory: &Path,
        most: usize,
    ) -> anyhow::Result<Vec<(std::ffi::OsString, NameKind)>> {
        LocalHost.list_kinds(directory, most)
    }
    fn entry(&self, path: &Path) -> Option<FileEntry> {
        LocalHost.entry(path)
    }
    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        LocalHost.link_target(path)
    }
    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        LocalHost.real_path(path)
    }
    fn env(&self, name: &str) -> Option<std::ffi::OsString> {
        match name {
            "SECRET_TOKEN" => Some("hunter2-Zx81".into()),
            "EDITOR" => Some("vi".into()),
            "HOME" => Some(self.0.clone().into()),
            _ => None,
        }
    }
    fn current_dir(&self) -> Option<PathBuf> {
        Some(self.0.clone())
    }
    fn system(&self) -> System {
        LocalHost.system()
    }
    fn free_space(&self, _: &Path) -> Option<u64> {
        Some(5_000_000_000)
    }
}

fn look_on<H: Host + Clone + 'static>(host: &H, call: &str) -> Observation {
    let machine = Machine::new(Arc::new(host.clone()), None);
    let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never);
    let call: Call = serde_json::from_str(call).unwrap();
    let registry = Registry::built_in();
    let tool = registry.check(&call).unwrap();
    let policy = PathPolicy::of(host, &[("~/sub/closed".to_owned(), Permission::Deny)]);
    let facts = ShellFacts::default();
    ToolRunner::new(&machine, (&environment, &facts), &knowledge, policy, &[]).look(tool, &call)
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir_all(at("sub/deep")).unwrap();
    fs::write(at("big.log"), "x".repeat(3_000_000)).unwrap();
    fs::write(at("sub/deep/notes.txt"), "first\nsecond Line\npassword = hunter2-Zx81\nlast\n").unwrap();
    fs::write(at(".env"), "KEY=1\n").unwrap();
    fs::write(at("renamed.txt"), "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n").unwrap();
    fs::write(at("a\u{1b}[31mred\nname"), "").unwrap();
    symlink("/etc", at("out")).unwrap();
    symlink("sub", at("inside")).unwrap();
    directory
}

#[test]
fn files_are_listed_found_and_summed_up() {
    let directory = directory();
    let host = At(directory.path().canonicalize().unwrap());
    let seen = look_on(&host, r#"{"name":"list_dir"}"#);
    assert!(seen.text.starts_with("big.log: 3.0 MB, 0 min ago\n"), "{}", seen.text);
    assert!(seen.text.contains("sub/: directory\n") && seen.text.contains("out: link\n"), "{}", seen.text);
    assert!(!seen.text.contains('\u{1b}'), "{}", seen.text);
    let seen = look_on(&host, r#"{"name":"disk_usage"}"#);
    assert!(seen.headline.starts_with(". has 3.0 MB: big.log 3.0 MB, "), "{}", seen.headline);
    assert!(seen.text.starts_with("5.0 GB free on this file system\nbig.log: 3.0 MB\n"), "{}", seen.text);
    let seen = look_on(&host, r#"{"name":"find_files","parameters":{"pattern":"*.TXT"}}"#);
    assert!(seen.text.contains("sub/deep/notes.txt: "), "{}", seen.text);
    let seen = look_on(&host, r#"{"name":"stat","parameters":{"path":"~/big.log"}}"#);
    assert!(seen.text.starts_with("~/big.log: file, 3.0 MB, mode 6"), "{}", seen.text);
}

#[test]
fn contents_are_shown_in_part_and_redacted() {
    let directory = directory();
    let host = At(directory.path().canonicalize().unwrap());
    let read = |rest: &str| {
        look_on(
            &host,
            &format!(r#"{{"name":"read_file","parameters":{{"path":"sub/deep/notes.txt"{rest}}}}}"#),
        )
        .text
    };
    assert_eq!(read(r#","first":2,"last":2"#), "2: second Line\n");
    assert_eq!(read(r#","tail":1"#), "4: last\n");
    assert!(!read("").contains("hunter2") && read("").contains("password = "), "{}", read(""));
    let seen = look_on(&host, r#"{"name":"search_text","parameters":{"text":"LINE"}}"#);
    assert_eq!(seen.text, "sub/deep/notes.txt:2: second Line\n");
    let seen = look_on(&host, r#"{"name":"search_text","parameters":{"text":"KEY"}}"#);
    assert_eq!(seen.text, "", "secret files are not searched");
}

#[test]
fn secrets_and_links_out_are_refused() {
    let directory = directory();
    let host = At(directory.path().canonicalize().unwrap());
    for (call, said) in [
        (r#"{"name":"read_file","parameters":{"path":".env"}}"#, "may hold secrets"),
        (r#"{"name":"read_file","parameters":{"path":"sub/../.env"}}"#, "may hold secrets"),
        (r#"{"name":"read_file","parameters":{"path":"renamed.txt"}}"#, "holds a private key"),
        (r#"{"name":"read_file","parameters":{"path":"out/hostname"}}"#, "leads out"),
        (r#"{"name":"list_dir","parameters":{"path":"out"}}"#, "leads out"),
        (r#"{"name":"read_file","parameters":{"path":"/etc/shadow"}}"#, "may hold secrets"),
        (r#"{"name":"read_file","parameters":{"path":"/proc/self/environ"}}"#, ""),
        (r#"{"name":"read_file","parameters":{"path":"missing"}}"#, "does not exist"),
        (r#"{"name":"read_file","parameters":{"path":"sub"}}"#, "is no file"),
        (r#"{"name":"list_dir","parameters":{"path":"big.log"}}"#, "is no directory"),
        (r#"{"name":"search_text","parameters":{"text":" "}}"#, "is empty"),
        (r#"{"name":"git_state"}"#, "no git repository"),
    ] {
        let seen = look_on(&host, call);
        assert!(seen.is_error && seen.text.contains(said), "{call}: {}", seen.text);
    }
    let seen = look_on(&host, r#"{"name":"list_dir","parameters":{"path":"inside"}}"#);
    assert_eq!(seen.text, "deep/: directory\n", "a link inside the directory is followed");
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("diary.txt"), "dear").unwrap();
    let path = outside.path().join("diary.txt");
    let own =
        look_on(&host, &format!(r#"{{"name":"read_file","parameters":{{"path":"{}"}}}}"#, path.display()));
    let is_root = host.entry(&path).is_some_and(|entry| entry.owner == 0);
    assert!(is_root || own.text.contains("outside of the directory"), "{}", own.text);
}

#[test]
fn a_look_does_not_go_into_what_the_user_denies() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("sub/closed")).unwrap();
    fs::write(at("sub/closed/diary.txt"), "Line of a diary".repeat(100_000)).unwrap();
    let host = At(directory.path().canonicalize().unwrap());
    for call in [
        r#"{"name":"search_text","parameters":{"text":"Line"}}"#,
        r#"{"name":"find_files","parameters":{"pattern":"*.txt"}}"#,
        r#"{"name":"disk_usage","parameters":{"path":"sub"}}"#,
    ] {
        let seen = look_on(&host, call);
        assert!(!seen.text.contains("diary") && !seen.text.contains("closed"), "{call}: {}", seen.text);
        assert!(seen.is_cut && !seen.text.contains("1.5 MB"), "{call}: {}", seen.text);
    }
}

#[test]
fn values_of_variables_are_shown_only_if_listed() {
    let host = At("/".into());
    let one = |name: &str| {
        look_on(&host, &format!(r#"{{"name":"environment","parameters":{{"name":"{name}"}}}}"#)).text
    };
    assert_eq!(one("EDITOR"), "EDITOR=vi\n");
    assert_eq!(one("SECRET_TOKEN"), "SECRET_TOKEN is set; its value is not shown\n");
    assert_eq!(one("NOTHING"), "NOTHING is not set\n");
    let all = look_on(&host, r#"{"name":"environment"}"#).text;
    assert!(all.contains("EDITOR=vi") && !all.contains("hunter2"), "{all}");
}

const MACHINE: &str = r##"
    current_dir = "/home/ada/work/src"
    directories = ["/home/ada/work/src", "/proc/7/fd"]
    programs = ["/usr/bin/apt"]
    [system]
    os = "linux"
    release = "6.1.0"
    machine = "x86_64"
    [env]
    PATH = "/usr/bin"
    [links]
    "/proc/7/fd/3" = "socket:[4711]"
    "/proc/7/fd/4" = "/dev/null"
    [files]
    "/etc/passwd" = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n"
    "/proc/meminfo" = "MemTotal: 8000000 kB\nMemAvailable: 2000000 kB\n"
    "/proc/loadavg" = "0.50 0.40 0.30 1/2 3\n"
    "/proc/7/status" = "Name:\tnode\nUid:\t1000\t1000\nVmRSS:\t  2000 kB\n"
    "/proc/7/stat" = "7 (node a) S 1 7 7 0 -1 4 1 2 3 4 150 50 0 0\n"
    "/proc/7/cmdline" = "node\u0000server.js\u0000--token=abcdefgh12345678ABCDEFGH\u0000"
    "/proc/9/status" = "Name:\tkthread\nUid:\t0\t0\n"
    "/proc/9/cmdline" = ""
    "/proc/net/tcp" = """
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0
   1: 0100007F:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0
   2: 0100007F:1F90 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 4713 1 0 100 0 0 10 0
"""
    "/home/ada/work/.git/HEAD" = "ref: refs/heads/main\n"
    "/home/ada/work/.git/refs/heads/main" = "1111111111aaaa\n"
    "/home/ada/work/.git/refs/heads/fix/red" = "1111111111aaaa\n"
    "/home/ada/work/.git/packed-refs" = "# pack-refs\n2222222222bbbb refs/heads/old\n3333333333 refs/heads/main\n"
    "/home/ada/work/.git/config" = "[remote \"origin\"]\n\turl = https://ada:hunter2-Zx81pass@example.org/x.git\n[branch \"main\"]\n\tremote = origin\n"
    "/home/ada/work/.git/MERGE_HEAD" = "x"
    "/home/ada/work/.git/logs/HEAD" = "0 1 Ada <a@b> 1 +0000\tcommit: one\n1 2 Ada <a@b> 2 +0000\tcommit: two\n"
"##;

#[test]
fn processes_ports_repository_and_system_are_read_from_files() {
    let host = RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap();
    let seen = look_on(&host, r#"{"name":"processes"}"#);
    assert!(seen.text.starts_with("7 ada 2.0 MB 2 s node server.js --token="), "{}", seen.text);
    assert!(
        seen.text.contains("9 root 0 B 0 s [kthread]") && !seen.text.contains("abcdefgh1234"),
        "{}",
        seen.text
    );
    assert_eq!(seen.headline, "2 processes: node (7, 2.0 MB), [kthread] (9, 0 B)");
    let seen = look_on(&host, r#"{"name":"processes","parameters":{"name":"KTH"}}"#);
    assert_eq!(seen.text.lines().count(), 1);
    let seen = look_on(&host, r#"{"name":"ports","parameters":{"port":8080}}"#);
    assert!(
        seen.text.starts_with("tcp port 8080, reachable from outside, process 7: node server.js"),
        "{}",
        seen.text
    );
    assert_eq!(seen.text.lines().count(), 1, "a connection is no listener");
    let seen = look_on(&host, r#"{"name":"ports"}"#);
    assert!(
        seen.text.starts_with("tcp port 22, only this machine, a process of another user\n"),
        "{}",
        seen.text
    );
    let seen = look_on(&host, r#"{"name":"ports","parameters":{"port":1}}"#);
    assert_eq!((seen.headline.as_str(), seen.is_error), ("nothing listens on port 1", false));
    let seen = look_on(&host, r#"{"name":"git_state"}"#);
    let expected = "on branch main at 111111111\na merge is not finished\nbranch fix/red at 111111111, merged: the same commit \
                    as the current branch\nbranch old at 222222222\nremote origin: https://ada:";
    assert!(seen.text.starts_with(expected) && !seen.text.contains("hunter2"), "{}", seen.text);
    assert!(seen.text.ends_with("before: commit: two\nbefore: commit: one\n"), "{}", seen.text);
    let seen = look_on(&host, r#"{"name":"snapshot"}"#);
    assert!(
        seen.text.contains("package managers: apt\nmemory: 2.0 GB of 8.2 GB free\nload: 0.50 0.40 0.30\n"),
        "{}",
        seen.text
    );
    let seen = look_on(&host, r#"{"name":"command_help","parameters":{"command":"nothing"}}"#);
    assert!(seen.is_error && seen.text.contains("no manual of `nothing`"));
}

#[test]
fn an_observation_ends_at_the_bounds_of_its_tool() {
    let directory = tempfile::tempdir().unwrap();
    for n in 0..300 {
        fs::write(directory.path().join(format!("file with a rather long name number {n}")), "").unwrap();
    }
    let host = At(directory.path().canonicalize().unwrap());
    let seen = look_on(&host, r#"{"name":"list_dir"}"#);
    assert!(seen.is_cut && seen.text.len() <= 4_000 && seen.text.ends_with('\n'), "{}", seen.text.len());
}

/// A part of a secret, at the end of a row that is too long, would not be known as one.
#[test]
fn secrets_are_hidden_before_rows_are_cut() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let row = format!("{} {token}", "x ".repeat(113));
    let ran = PrintedRows { rows: vec![row], complaints: Vec::new(), is_cut: false, success: true };
    let machine = Machine::new(Arc::new(LocalHost), None);
    let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
    let facts = ShellFacts::default();
    let knowledge = Knowledge::new(&machine, &environment, &facts, Help::Never);
    let mut tool_runner =
        ToolRunner::new(&machine, (&environment, &facts), &knowledge, PathPolicy::of(&LocalHost, &[]), &[]);
    let seen = tool_runner.ran(&ran, 4096);
    assert!(seen.text.starts_with("x x x ") && !seen.text.contains("ghp_a1B2"), "{}", seen.text);
}
