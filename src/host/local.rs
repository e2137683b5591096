//! The machine this runs on.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, access, statvfs};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use super::{Entry, Host, OUTPUT_LIMIT, Output, Probe, System};

/// How often a program that has closed its output is asked whether it has ended.
const TICK: Duration = Duration::from_millis(5);

/// What a probed program gets of the user's environment, unless its probe inherits all of it.
const KEPT_VARIABLES: [&str; 2] = ["HOME", "PATH"];

/// The machine this runs on.
#[derive(Debug, Clone, Copy)]
pub struct LocalHost;

impl Host for LocalHost {
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
        ensure!(program.is_absolute(), "{} is started by its full path only", program.display());
        let mut command = Command::new(program);
        command.args(probe.arguments());
        // Interpreters load modules, and tool managers read settings, from the directory they start in: never let
        // that be the one the user stands in.
        command.current_dir("/");
        // A group of its own: killed as a whole, and the terminal's Ctrl-C and reads are not for it.
        command.process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if !probe.inherits_environment() {
            command.env_clear().envs([("LC_ALL", "C"), ("TERM", "dumb")]);
            command.envs(KEPT_VARIABLES.iter().filter_map(|name| Some((name, self.env(name)?))));
        }
        let child = command.spawn().with_context(|| format!("can't start {}", program.display()))?;
        collect(child, Instant::now() + probe.patience()).with_context(|| program.display().to_string())
    }

    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        read(path, limit).with_context(|| format!("can't read {}", path.display()))
    }

    fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>> {
        let entries =
            fs::read_dir(directory).with_context(|| format!("can't list {}", directory.display()))?;
        Ok(entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect())
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        let metadata = fs::metadata(path).ok()?;
        let mode = metadata.permissions().mode() & 0o7777;
        Some(Entry {
            is_file: metadata.is_file(),
            is_directory: metadata.is_dir(),
            executable: metadata.is_file() && mode & 0o111 != 0 && access(path, Access::EXEC_OK).is_ok(),
            writable: metadata.is_dir() && access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok(),
            mode,
            size: metadata.len(),
            modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        })
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

fn read(path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    // Opening a pipe would wait for its writer, so only files, and the one device that stands for an empty file.
    ensure!(fs::metadata(path)?.is_file() || path == Path::new("/dev/null"), "it is not a file");
    let mut content = Vec::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    ensure!(content.len() as u64 <= limit, "it is larger than {limit} bytes");
    Ok(content)
}

/// Reads what `child` prints until it ends or the deadline, at which its whole group is killed.
fn collect(mut child: Child, deadline: Instant) -> anyhow::Result<Output> {
    let group = Pid::from_child(&child);
    let mut streams = (Stream::of(child.stdout.take()), Stream::of(child.stderr.take()));
    let status = match drain(&mut streams, deadline).and_then(|()| wait(&mut child, deadline)) {
        Ok(Some(status)) => status,
        unfinished => {
            // The child is not reaped yet, so the group's number is still its own.
            let _ = kill_process_group(group, Signal::KILL);
            let status = child.wait()?;
            unfinished?;
            // It may have ended in time with something it started still holding its output.
            if !status.success() {
                bail!("it did not end in time");
            }
            status
        }
    };
    Ok(Output { success: status.success(), stdout: streams.0.kept, stderr: streams.1.kept })
}

/// A pipe from the child until its end, and what is kept of it.
struct Stream<P> {
    pipe: Option<P>,
    kept: Vec<u8>,
}

impl<P: std::io::Read> Stream<P> {
    fn of(pipe: Option<P>) -> Self {
        Self { pipe, kept: Vec::new() }
    }

    /// Takes what a readable pipe holds; beyond the limit it is dropped.
    fn take(&mut self) -> std::io::Result<()> {
        let mut chunk = [0; 8192];
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        let n_read = match pipe.read(&mut chunk) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            other => other?,
        };
        if n_read == 0 {
            self.pipe = None;
        }
        let room = OUTPUT_LIMIT - self.kept.len();
        self.kept.extend(chunk.iter().take(n_read.min(room)));
        Ok(())
    }
}

/// Reads both streams to their end or to the deadline.
fn drain<O, E>(streams: &mut (Stream<O>, Stream<E>), deadline: Instant) -> anyhow::Result<()>
where
    O: std::io::Read + std::os::fd::AsFd,
    E: std::io::Read + std::os::fd::AsFd,
{
    while streams.0.pipe.is_some() || streams.1.pipe.is_some() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        let mut polled = Vec::with_capacity(2);
        polled.extend(streams.0.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        polled.extend(streams.1.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        match poll(&mut polled, Some(&Timespec::try_from(left)?)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut ready =
            polled.iter().map(|polled| !polled.revents().is_empty()).collect::<Vec<_>>().into_iter();
        if streams.0.pipe.is_some() && ready.next() == Some(true) {
            streams.0.take()?;
        }
        if streams.1.pipe.is_some() && ready.next() == Some(true) {
            streams.1.take()?;
        }
    }
    Ok(())
}

/// Waits for the child itself, which may have closed its output long before it ends.
fn wait(child: &mut Child, deadline: Instant) -> anyhow::Result<Option<ExitStatus>> {
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(TICK);
    }
    Ok(None)
}
