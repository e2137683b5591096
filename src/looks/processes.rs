//! Processes, from `/proc`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use askline_host::Host;

use super::{Bounds, Seen, shortened, size};

/// Maximum size of a file of `/proc` that is read, in bytes.
const FILE_LIMIT: u64 = 64 << 10;
/// Maximum number of processes that are listed.
const LISTED_MAX: usize = 30;

/// A process.
pub(super) struct Process {
    /// Number.
    pub(super) pid: u32,
    /// Command with its arguments, or its name.
    pub(super) command: String,
    user: u32,
    memory: u64,
    ticks: u64,
}

/// Returns all processes.
///
/// # Errors
/// On a system without `/proc`.
pub(super) fn all(host: &dyn Host, bounds: &mut Bounds) -> Result<Vec<Process>, String> {
    let names = host.list(Path::new("/proc")).map_err(|_| "this system has no /proc".to_owned())?;
    let pids = names.iter().filter_map(|name| name.to_str()?.parse().ok());
    Ok(pids.take_while(|_| bounds.admit()).filter_map(|pid| Process::of(host, pid)).collect())
}

impl Process {
    fn of(host: &dyn Host, pid: u32) -> Option<Self> {
        let directory = PathBuf::from(format!("/proc/{pid}"));
        let text = |name: &str| {
            let bytes = host.head(&directory.join(name), FILE_LIMIT).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let status = text("status")?;
        let field = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name))?;
            value.split_whitespace().next()?.parse::<u64>().ok()
        };
        let name = status.lines().find_map(|line| line.strip_prefix("Name:")).unwrap_or_default().trim();
        let arguments = text("cmdline").unwrap_or_default().replace('\0', " ");
        let command = if arguments.trim().is_empty() { format!("[{name}]") } else { arguments };
        // The name in brackets may contain blanks; the numbers start behind it.
        let stat = text("stat").unwrap_or_default();
        let numbers = stat.rsplit_once(')').map_or("", |(_, numbers)| numbers);
        let ticks =
            numbers.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        Some(Self {
            pid,
            command: command.trim().to_owned(),
            user: u32::try_from(field("Uid:")?).ok()?,
            memory: field("VmRSS:").unwrap_or_default().saturating_mul(1024),
            ticks,
        })
    }
}

/// Lists processes, the largest first.
pub(super) fn list(host: &dyn Host, name: Option<&str>, bounds: &mut Bounds) -> Result<Seen, String> {
    let wanted = name.unwrap_or_default().to_lowercase();
    let mut processes = all(host, bounds)?;
    processes.retain(|process| process.command.to_lowercase().contains(&wanted));
    processes.sort_by_key(|process| std::cmp::Reverse((process.memory, process.ticks)));
    let users = users(host);
    let line = |process: &Process| {
        let Process { pid, command, user, memory, ticks } = process;
        let user = users.get(user).cloned().unwrap_or_else(|| user.to_string());
        // A tick is a hundredth of a second on every Linux in use.
        format!("{pid} {user} {} {} s {}", size(*memory), ticks / 100, shortened(command))
    };
    let lines = processes.iter().take(LISTED_MAX).map(line).collect();
    let first = |process: &Process| {
        let program = process.command.split_whitespace().next().unwrap_or_default();
        format!("{program} ({}, {})", process.pid, size(process.memory))
    };
    let largest: Vec<String> = processes.iter().take(2).map(first).collect();
    let headline = format!("{} processes: {}", processes.len(), largest.join(", "));
    Ok(Seen { headline, lines, is_cut: LISTED_MAX < processes.len() })
}

/// Returns the names of users by number.
fn users(host: &dyn Host) -> HashMap<u32, String> {
    let text = host.head(Path::new("/etc/passwd"), FILE_LIMIT).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let user = |line: &str| {
        let mut fields = line.split(':');
        Some((fields.next()?.to_owned(), fields.nth(1)?.parse().ok()?))
    };
    text.lines().filter_map(user).map(|(name, number)| (number, name)).collect()
}
