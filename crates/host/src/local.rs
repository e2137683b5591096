//! The local machine.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, Mode, OFlags, access, statvfs};
use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, setrlimit, waitid,
};

use super::sandbox::Sandbox;
use super::{
    FileEntry, Host, KEY_LIMIT, KEY_PATIENCE, NameKind, OUTPUT_LIMIT, Output, PREFETCH_ARGUMENTS, Probe,
    RESIDENT_ARGUMENTS, RESIDENT_VARIABLES, System, find_on_path,
};
use crate::KeyCommand;
use crate::probe::sandboxed_arguments;
use crate::sandboxed_command::{CommandOutput, OUTPUT_BYTES_MAX, SandboxedCommand};

/// Polling interval for the end of a program that has closed its output.
const TICK: Duration = Duration::from_millis(5);

/// Polling interval for a sandboxed program that exceeds its limits. A fork bomb makes some ten processes in a
/// millisecond.
const WATCH: Duration = Duration::from_millis(5);

/// Number of polls after which the files of the program are looked at: listing a directory slows down who fills it.
const FILES_EVERY: u32 = 4;

/// Flags for opening files to read.
const OPENED: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// `PATH` of a sandboxed program.
pub(crate) const SYSTEM_PATH: &str =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";

/// Complete environment of a sandboxed program, besides its private `HOME` and `TMPDIR`: plain text, wide lines, no
/// pager, no display, bus or agent.
const SANDBOX_VARIABLES: [(&str, &str); 8] = [
    ("COLUMNS", "200"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C.UTF-8"),
    ("MANPAGER", "cat"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("PATH", SYSTEM_PATH),
    ("TERM", "dumb"),
];

/// Further variables of a line: git reads no settings but those of the repository (which `askline_risk::allow::git_settings`
/// has checked), starts no hook, monitor, pager or check of signatures for them, fetches nothing, takes no lock, and finds no
/// repository that lacks a `.git`.
const COMMAND_VARIABLES: [(&str, &str); 18] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_CONFIG_COUNT", "5"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_KEY_2", "log.showSignature"),
    ("GIT_CONFIG_VALUE_2", "false"),
    ("GIT_CONFIG_KEY_3", "core.pager"),
    ("GIT_CONFIG_VALUE_3", "cat"),
    ("GIT_CONFIG_KEY_4", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_4", "explicit"),
];

/// Process groups of the running probes; `None` when this process is about to end and no more may start. A group is
/// removed before its leader is reaped, so no number is reused while it is listed.
static RUNNING: Mutex<Option<Vec<Pid>>> = Mutex::new(Some(Vec::new()));

/// Kills all running probes with their children, and prevents new ones. Needed before this process ends early: probes
/// have their own process groups and would outlive it.
pub fn end_probes() {
    for group in running().take().unwrap_or_default() {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn running() -> MutexGuard<'static, Option<Vec<Pid>>> {
    // A list of numbers is valid even if a thread panicked while it held the lock.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget(running: &mut Option<Vec<Pid>>, ended: Pid) {
    if let Some(groups) = running {
        groups.retain(|group| *group != ended);
    }
}

/// Starts a program and records its process group.
fn spawn(command: &mut Command) -> anyhow::Result<Child> {
    let mut running = running();
    let groups = running.as_mut().context("askline is ending")?;
    let child = command.spawn()?;
    groups.push(Pid::from_child(&child));
    Ok(child)
}

/// Error of [`Host::probe`]: the program did not end in time or exceeded the limits of the sandbox. It will probably
/// do so again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runaway {
    /// It did not end in time.
    Late,
    /// It exceeded the limits of the sandbox.
    Excessive,
}

impl std::fmt::Display for Runaway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Late => "it did not end in time",
            Self::Excessive => "it used too many processes, or too much memory or disk space",
        })
    }
}

impl std::error::Error for Runaway {}

/// Access to the machine that askline runs on.
#[derive(Debug, Clone, Copy)]
pub struct LocalHost;

impl Host for LocalHost {
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
        ensure!(program.is_absolute(), "{} is not a full path", program.display());
        if probe.is_sandboxed() {
            let output = probe_sandboxed(program, probe);
            return output.with_context(|| program.display().to_string());
        }
        let mut command = Command::new(program);
        command.args(probe.arguments());
        // Interpreters load modules, and tool managers read settings, from their start directory, which must
        // therefore never be the user's working directory.
        command.current_dir("/");
        // Its own process group: it can be killed as a whole, and gets neither the terminal's Ctrl-C nor its input.
        command.process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_clear().envs([("LC_ALL", "C"), ("TERM", "dumb")]);
        command.envs(std::env::vars_os().filter(|(name, _)| probe.keeps(&name.to_string_lossy())));
        let child = spawn(&mut command).with_context(|| format!("can't start {}", program.display()))?;
        collect(child, Instant::now() + probe.patience()).with_context(|| program.display().to_string())
    }

    fn run_in_sandbox(&self, program: &Path, command: &SandboxedCommand) -> anyhow::Result<CommandOutput> {
        ensure!(program.is_absolute(), "{} is not a full path", program.display());
        run_sandboxed(program, command).with_context(|| program.display().to_string())
    }

    fn key(&self, command: &KeyCommand) -> anyhow::Result<Vec<u8>> {
        key(self, None, command)
    }

    fn start_resident(&self) -> anyhow::Result<()> {
        let program = own_program()?;
        let mut command = Command::new(&program);
        command.args(RESIDENT_ARGUMENTS).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env_clear();
        command.envs(RESIDENT_VARIABLES.iter().filter_map(|name| Some((name, self.env(name)?))));
        let mut child = command.spawn().with_context(|| format!("can't start {}", program.display()))?;
        // In a long-lived process, such as Nushell's plugin, a child that is not waited for stays in the process
        // table.
        let waits = thread::Builder::new().name("resident".to_owned()).stack_size(64 << 10);
        waits.spawn(move || child.wait())?;
        Ok(())
    }

    fn start_prefetch(&self, input: &[u8]) -> anyhow::Result<()> {
        let program = own_program()?;
        let mut command = Command::new(&program);
        command.args(PREFETCH_ARGUMENTS).process_group(0);
        // An unnamed file: a pipe may be too small, and writing would then wait for the reader.
        let private = self.env("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let file = tempfile::tempfile_in(private).or_else(|_| tempfile::tempfile());
        let mut file = file.context("can't create a file for the prefetch input")?;
        file.write_all(input).and_then(|()| file.rewind()).context("can't write the prefetch input")?;
        command.stdin(file).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(drop).with_context(|| format!("can't start {}", program.display()))
    }

    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        read(path, limit).with_context(|| format!("can't read {}", path.display()))
    }

    fn head(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        head(path, limit).with_context(|| format!("can't read {}", path.display()))
    }

    fn part(&self, path: &Path, from: u64, most: u64) -> anyhow::Result<Vec<u8>> {
        part(path, from, most).with_context(|| format!("can't read {}", path.display()))
    }

    fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>> {
        let entries =
            fs::read_dir(directory).with_context(|| format!("can't list {}", directory.display()))?;
        Ok(entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect())
    }

    fn list_kinds(&self, directory: &Path, most: usize) -> anyhow::Result<Vec<(OsString, NameKind)>> {
        let entries =
            fs::read_dir(directory).with_context(|| format!("can't list {}", directory.display()))?;
        let kind = |entry: &fs::DirEntry| match entry.file_type() {
            Ok(kind) if kind.is_file() => NameKind::File,
            Ok(kind) if kind.is_dir() => NameKind::Directory,
            Ok(kind) if kind.is_symlink() => match NameKind::of(self.entry(&entry.path())) {
                NameKind::Directory => NameKind::LinkedDirectory,
                kind => kind,
            },
            _ => NameKind::Other,
        };
        let entries = entries.filter_map(Result::ok).take(most);
        Ok(entries.map(|entry| (entry.file_name(), kind(&entry))).collect())
    }

    fn entry(&self, path: &Path) -> Option<FileEntry> {
        let metadata = fs::metadata(path).ok()?;
        let mode = metadata.permissions().mode() & 0o7777;
        Some(FileEntry {
            is_file: metadata.is_file(),
            is_directory: metadata.is_dir(),
            executable: metadata.is_file() && mode & 0o111 != 0 && access(path, Access::EXEC_OK).is_ok(),
            writable: access(
                path,
                if metadata.is_dir() { Access::WRITE_OK | Access::EXEC_OK } else { Access::WRITE_OK },
            )
            .is_ok(),
            mode,
            owner: metadata.uid(),
            size: metadata.len(),
            modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        })
    }

    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        fs::read_link(path).ok()
    }

    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        path.canonicalize().with_context(|| format!("can't follow {}", path.display()))
    }

    fn env(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }

    fn current_dir(&self) -> Option<PathBuf> {
        std::env::current_dir().ok()
    }

    fn is_root(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    fn system(&self) -> System {
        let uname = rustix::system::uname();
        System {
            os: std::env::consts::OS.to_owned(),
            release: uname.release().to_string_lossy().into_owned(),
            machine: uname.machine().to_string_lossy().into_owned(),
        }
    }

    fn free_space(&self, path: &Path) -> Option<u64> {
        let space = statvfs(path).ok()?;
        space.f_bavail.checked_mul(space.f_frsize)
    }
}

/// Returns the output of a key command, which is found on the `PATH` of `host` and run with these variables, by
/// default those of this process.
///
/// # Errors
/// As [`Host::key`].
pub fn key(
    host: &dyn Host,
    environment: Option<&HashMap<String, OsString>>,
    command: &KeyCommand,
) -> anyhow::Result<Vec<u8>> {
    let named = Path::new(command.program());
    let program =
        if named.is_absolute() { Some(named.to_owned()) } else { find_on_path(host, command.program()) };
    let mut started = Command::new(program.context("its program is not on PATH")?);
    started.args(command.arguments()).current_dir("/").process_group(0);
    if let Some(environment) = environment {
        started.env_clear().envs(environment);
    }
    // Its error output may be as secret as the rest.
    started.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = spawn(&mut started).context("its program can't be started")?;
    let output = collect(child, Instant::now() + KEY_PATIENCE)?;
    ensure!(output.success, "it failed");
    ensure!(output.stdout.len() <= KEY_LIMIT, "it printed more than {KEY_LIMIT} bytes");
    Ok(output.stdout)
}

/// Returns the path of the `askline` program. Nushell's plugin is a separate program in the same directory.
///
/// # Errors
/// When the system does not provide the path.
pub fn own_program() -> anyhow::Result<PathBuf> {
    let running = std::env::current_exe().context("can't find this program's file")?;
    let is_plugin =
        running.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"nu_plugin_"));
    Ok(if is_plugin { running.with_file_name("askline") } else { running })
}

/// Runs an arbitrary packaged program in the sandbox: of the user it sees only the line in question, and it leaves
/// nothing behind.
fn probe_sandboxed(program: &Path, probe: &Probe) -> anyhow::Result<Output> {
    let sandbox = Sandbox::new(program)?;
    let mut command = Command::new(program);
    command.args(probe.arguments()).current_dir(sandbox.directory());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(match probe.input() {
        // A file, because a pipe would have to be written while the output is read.
        Some(input) => {
            let file = sandbox.directory().join(Probe::INPUT_FILE);
            fs::write(&file, input)?;
            Stdio::from(File::open(&file)?)
        }
        None => Stdio::null(),
    });
    command.env_clear().envs(SANDBOX_VARIABLES);
    command.env("HOME", sandbox.directory()).env("TMPDIR", sandbox.directory());
    let child = sandbox.start(command, spawn)?;
    watched(&sandbox, child, |child| collect(child, Instant::now() + probe.patience()))
}

/// Runs a line in the sandbox.
fn run_sandboxed(program: &Path, sandboxed: &SandboxedCommand) -> anyhow::Result<CommandOutput> {
    let sandbox = Sandbox::for_command(program, sandboxed)?;
    let mut command = Command::new(program);
    command.args(sandboxed_arguments(sandboxed)).current_dir(&sandboxed.directory);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_clear().envs(SANDBOX_VARIABLES).envs(COMMAND_VARIABLES);
    command.envs(sandboxed.git_ceiling.as_ref().map(|above| ("GIT_CEILING_DIRECTORIES", above)));
    // The line's `~` is the user's, but programs find no settings of the user.
    command.envs(std::env::var_os("HOME").map(|home| ("HOME", home)));
    for variable in ["TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env(variable, sandbox.directory());
    }
    let child = sandbox.start(command, spawn)?;
    let deadline = Instant::now() + sandboxed.patience;
    watched(&sandbox, child, |child| {
        let (status, streams) = gather(child, deadline, OUTPUT_BYTES_MAX, true)?;
        let is_cut = status.is_none() || streams.iter().any(|stream| stream.is_cut);
        let [stdout, stderr] = streams.map(|stream| stream.kept);
        Ok(CommandOutput { success: status.is_some_and(|status| status.success()), is_cut, stdout, stderr })
    })
}

/// Collects the output of `child`, and kills its process group if it exceeds its limits.
fn watched<T>(
    sandbox: &Sandbox,
    child: Child,
    collect: impl FnOnce(Child) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let group = Pid::from_child(&child);
    let (running_yet, ended) = mpsc::channel::<()>();
    let signal = move |signal| {
        // The lock is held and the group is still listed, so its number cannot have been reused.
        let running = running();
        if running.as_ref().is_some_and(|groups| groups.contains(&group)) {
            let _ = kill_process_group(group, signal);
        }
    };
    let watch = move || {
        let mut looks = 1_u32..;
        while ended.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
            let is_overfull =
                looks.next().is_some_and(|look| look.is_multiple_of(FILES_EVERY)) && sandbox.is_overfull();
            if !is_overfull && !sandbox.is_suspect() {
                continue;
            }
            // Processes are counted while they are stopped: a fork bomb grows faster than it is counted.
            signal(Signal::STOP);
            if is_overfull || sandbox.is_overrun(group) {
                signal(Signal::KILL);
                return true;
            }
            signal(Signal::CONT);
        }
        false
    };
    thread::scope(|scope| {
        let watch = thread::Builder::new().name("watch".to_owned()).spawn_scoped(scope, watch);
        let output = collect(child);
        drop(running_yet);
        let overrun = watch?.join().unwrap_or(true);
        ensure!(!overrun, Runaway::Excessive);
        output
    })
}

fn read(path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let fits = |length: u64| length <= limit;
    // Special files of the system have no length.
    ensure!(fits(file.metadata()?.len()), "it is larger than {limit} bytes");
    let mut content = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    ensure!(fits(content.len() as u64), "it is larger than {limit} bytes");
    Ok(content)
}

fn head(path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path)?.take(limit).read_to_end(&mut content)?;
    Ok(content)
}

fn part(path: &Path, from: u64, most: u64) -> anyhow::Result<Vec<u8>> {
    let mut file = open_regular(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut content = Vec::new();
    file.take(most).read_to_end(&mut content)?;
    Ok(content)
}

/// Opens a regular file to read, or `/dev/null` as an empty one, without waiting: opening a named pipe would wait for
/// its writer, and opening a device may have side effects.
///
/// # Errors
/// When it cannot be opened or is something else.
pub fn open_regular(path: &Path) -> anyhow::Result<File> {
    let is_fit = |metadata: fs::Metadata| metadata.is_file() || path == Path::new("/dev/null");
    ensure!(is_fit(fs::metadata(path)?), "it is not a file");
    // The path may be replaced a moment later, and some system files block until data arrives.
    let file = File::from(rustix::fs::open(path, OPENED, Mode::empty())?);
    ensure!(is_fit(file.metadata()?), "it is not a file any more");
    Ok(file)
}

/// Forbids core dumps of this process and of all that it starts: its memory holds keys.
pub fn forbid_core_dumps() {
    // Only a system without such limits refuses.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

/// Reads the output of `child` until it ends or the deadline, at which its whole group is killed.
fn collect(child: Child, deadline: Instant) -> anyhow::Result<Output> {
    let (status, streams) = gather(child, deadline, OUTPUT_LIMIT, false)?;
    let Some(status) = status else { bail!(Runaway::Late) };
    let [stdout, stderr] = streams.map(|stream| stream.kept);
    Ok(Output { success: status.success(), stdout, stderr })
}

/// Reads the output of `child` until it ends or the deadline, at which its whole group is killed; with `ends_full` also as
/// soon as a stream exceeds `limit`. The status is `None` if the child did not end by itself.
fn gather(
    mut child: Child,
    deadline: Instant,
    limit: usize,
    ends_full: bool,
) -> anyhow::Result<(Option<ExitStatus>, [Stream; 2])> {
    let group = Pid::from_child(&child);
    let pipes = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
    let mut streams = pipes.map(|pipe| Stream { pipe, kept: Vec::new(), limit, is_cut: false });
    let ended = drain(&mut streams, deadline, ends_full)
        .and_then(|is_full| if is_full { Ok(None) } else { wait(&mut child, deadline) });
    if let Ok(Some(status)) = ended {
        return Ok((Some(status), streams));
    }
    // The child is not reaped yet, so the group's number is still its own.
    let _ = kill_process_group(group, Signal::KILL);
    forget(&mut running(), group);
    let status = child.wait()?;
    ended?;
    // It may have ended in time, while a process that it started still has its output open.
    Ok((Some(status).filter(ExitStatus::success), streams))
}

/// An output pipe of the child, and the part of its data that is kept.
struct Stream {
    pipe: Option<OwnedFd>,
    kept: Vec<u8>,
    limit: usize,
    /// `true` if data beyond the limit was dropped.
    is_cut: bool,
}

impl Stream {
    /// Reads the available data of a readable pipe; data beyond the limit is dropped.
    fn take(&mut self) -> std::io::Result<()> {
        let mut chunk = [0; 8192];
        let Some(pipe) = &self.pipe else { return Ok(()) };
        let n_read = match rustix::io::read(pipe, &mut chunk) {
            Err(Errno::INTR) => return Ok(()),
            other => other?,
        };
        if n_read == 0 {
            self.pipe = None;
        }
        let room = self.limit - self.kept.len();
        self.is_cut |= room < n_read;
        self.kept.extend(chunk.iter().take(n_read.min(room)));
        Ok(())
    }
}

/// Reads both streams to their end or to the deadline. Returns `true` if it ended with a full stream.
fn drain(streams: &mut [Stream; 2], deadline: Instant, ends_full: bool) -> anyhow::Result<bool> {
    while streams.iter().any(|stream| stream.pipe.is_some()) {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        let pipes = streams.iter().filter_map(|stream| stream.pipe.as_ref());
        let mut polled: Vec<PollFd<'_>> = pipes.map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
        match poll(&mut polled, Some(&Timespec::try_from(left)?)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<bool> = polled.iter().map(|polled| !polled.revents().is_empty()).collect();
        let open = streams.iter_mut().filter(|stream| stream.pipe.is_some());
        for (stream, _) in open.zip(ready).filter(|(_, is_ready)| *is_ready) {
            stream.take()?;
        }
        if ends_full && streams.iter().any(|stream| stream.is_cut) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Waits for the child itself, which may have closed its output long before it ends, and kills the rest of its group.
fn wait(child: &mut Child, deadline: Instant) -> anyhow::Result<Option<ExitStatus>> {
    let group = Pid::from_child(child);
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    while Instant::now() < deadline {
        // The lock is held, to prevent a kill of a group whose number has been reused.
        let mut running = running();
        if waitid(WaitId::Pid(group), ended)?.is_some() {
            // The child is not reaped yet, so the group's number is still its own.
            let _ = kill_process_group(group, Signal::KILL);
            forget(&mut running, group);
            return Ok(Some(child.wait()?));
        }
        drop(running);
        thread::sleep(TICK);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the output of a script with this text when it is probed.
    fn probe(body: &str) -> Output {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("program");
        fs::write(&file, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
        // Another test that starts a program at the same time keeps our file open for writing for a moment.
        loop {
            match LocalHost.probe(&file, &Probe::Version) {
                Err(error) if format!("{error:#}").contains("busy") => thread::sleep(TICK),
                other => return other.unwrap(),
            }
        }
    }

    /// Starts a script in its own process group, like a probe.
    fn start(body: &str) -> Child {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", body]).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    #[test]
    fn a_probe_sees_no_input_no_working_directory_and_little_environment() {
        let output = probe("cat; pwd; echo \"$1 $TERM ${CARGO_MANIFEST_DIR:-clean}\"; echo no >&2; exit 3");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "/\n--version dumb clean\n");
        assert_eq!(output.stderr, b"no\n");
        assert!(!output.success);
    }

    #[test]
    fn a_probe_keeps_the_start_of_a_long_output() {
        let output = probe("head -c 1000000 /dev/zero; head -c 600000 /dev/zero >&2");
        assert!(output.success);
        assert_eq!((output.stdout.len(), output.stderr.len()), (OUTPUT_LIMIT, OUTPUT_LIMIT));
    }

    #[test]
    fn at_the_deadline_the_whole_group_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let marker = directory.path().join("alive");
        let child = start(&format!("(sleep 0.6; touch '{}') & sleep 9", marker.display()));
        let started = Instant::now();
        let error = collect(child, started + Duration::from_millis(200)).unwrap_err();
        assert!(error.to_string().contains("in time"), "{error:#}");
        assert!(started.elapsed() < Duration::from_secs(5));
        thread::sleep(Duration::from_millis(700));
        assert!(!marker.exists(), "a grandchild survived");
    }

    #[test]
    fn output_held_open_by_a_survivor_is_not_waited_for_forever() {
        let child = start("echo done; sleep 9 & exit 0");
        let output = collect(child, Instant::now() + Duration::from_millis(300)).unwrap();
        assert_eq!((output.success, output.stdout.as_slice()), (true, b"done\n".as_slice()));
    }

    #[test]
    fn closed_output_does_not_lift_the_deadline() {
        let child = start("exec >&- 2>&-; sleep 9");
        assert!(collect(child, Instant::now() + Duration::from_millis(100)).is_err());
    }

    #[test]
    fn programs_are_never_looked_up_in_the_working_directory() {
        let error = LocalHost.probe(Path::new("./program"), &Probe::Version).unwrap_err();
        assert!(error.to_string().contains("full path"), "{error:#}");
    }

    #[test]
    fn only_files_are_read_and_only_so_much() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(LocalHost.read(&file, 5).unwrap(), b"12345");
        assert!(LocalHost.read(&file, 4).is_err());
        assert_eq!(LocalHost.head(&file, 4).unwrap(), b"1234");
        assert_eq!(LocalHost.part(&file, 2, 2).unwrap(), b"34");
        assert_eq!(LocalHost.part(&file, 4, 9).unwrap(), b"5");
        assert!(LocalHost.read(directory.path(), 9).is_err());
        assert_eq!(LocalHost.read(Path::new("/dev/null"), 0).unwrap(), b"");
        let pipe = directory.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(LocalHost.head(&pipe, 9).is_err());
        assert!(LocalHost.read(&pipe, 9).is_err(), "a pipe without a writer must not be waited for");
        assert!(LocalHost.entry(directory.path()).unwrap().writable);
        assert!(!LocalHost.entry(&file).unwrap().executable);
        assert!(LocalHost.free_space(directory.path()).is_some());
    }
}
