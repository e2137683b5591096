//! Waits for the terminal and for pipes. macOS's `poll` doesn't know `/dev/tty` and returns at once, so that a wait would
//! keep a processor busy; its `select` does.

#[cfg(not(target_os = "macos"))]
pub(super) use polled::{readable, writable};
#[cfg(target_os = "macos")]
pub(super) use selected::{readable, writable};

#[cfg(any(not(target_os = "macos"), test))]
mod polled {
    use std::os::fd::BorrowedFd;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, poll};

    /// Waits until a file can be read, at most for this time. Returns for each whether it can; a failed wait is a short one.
    pub(in super::super) fn readable(files: &[BorrowedFd<'_>], most: Duration) -> Vec<bool> {
        let timeout = most.try_into().unwrap_or_default();
        let mut waited_for: Vec<PollFd<'_>> =
            files.iter().map(|file| PollFd::new(file, PollFlags::IN)).collect();
        let ready = poll(&mut waited_for, Some(&timeout)).is_ok();
        waited_for.iter().map(|file| ready && !file.revents().is_empty()).collect()
    }

    /// Waits until the file can be written. Returns `false` if that takes longer.
    pub(in super::super) fn writable(file: BorrowedFd<'_>, most: Duration) -> bool {
        let timeout = most.try_into().unwrap_or_default();
        !matches!(poll(&mut [PollFd::new(&file, PollFlags::OUT)], Some(&timeout)), Ok(0))
    }
}

// Tests run it on other systems, too.
#[cfg(any(target_os = "macos", test))]
mod selected {
    use std::os::fd::BorrowedFd;
    use std::time::Duration;

    use nix::sys::select::{FdSet, select};
    use nix::sys::time::{TimeVal, TimeValLike as _};

    /// As `polled`.
    pub(in super::super) fn readable(files: &[BorrowedFd<'_>], most: Duration) -> Vec<bool> {
        let mut set = FdSet::new();
        for file in files {
            set.insert(*file);
        }
        let ready = select(None, &mut set, None, None, &mut timeout(most)).is_ok();
        files.iter().map(|file| ready && set.contains(*file)).collect()
    }

    /// As `polled`.
    pub(in super::super) fn writable(file: BorrowedFd<'_>, most: Duration) -> bool {
        let mut set = FdSet::new();
        set.insert(file);
        !matches!(select(None, None, &mut set, None, &mut timeout(most)), Ok(0))
    }

    fn timeout(most: Duration) -> TimeVal {
        TimeVal::microseconds(most.as_micros().try_into().unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Write as _};
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    #[test]
    fn both_ways_of_waiting_agree() {
        let (idle, _open) = io::pipe().unwrap();
        let (filled, mut filling) = io::pipe().unwrap();
        filling.write_all(b"x").unwrap();
        let (ended, end) = io::pipe().unwrap();
        drop(end);
        let short = Duration::from_millis(5);
        for readable in [polled::readable, selected::readable] {
            let files = [idle.as_fd(), filled.as_fd(), ended.as_fd()];
            assert_eq!(readable(&files, short), [false, true, true]);
            assert_eq!(readable(&files[..1], short), [false]);
            assert!(readable(&[], short).is_empty());
        }
        let (mut full, _other) = UnixStream::pair().unwrap();
        full.set_nonblocking(true).unwrap();
        while full.write(&[0; 4096]).is_ok() {}
        for writable in [polled::writable, selected::writable] {
            assert!(writable(filling.as_fd(), short));
            assert!(!writable(full.as_fd(), short));
        }
    }
}
