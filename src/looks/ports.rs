//! Ports on which something listens, from `/proc/net`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use askline_host::Host;

use super::processes::{self, Process};
use super::{Bounds, Seen, shortened};

/// Maximum size of a table of `/proc/net` that is read, in bytes.
const TABLE_LIMIT: u64 = 2 << 20;
/// Maximum number of open files of one process.
const FILES_MAX: usize = 1_024;
/// Tables, with the state of a socket that waits for others.
const TABLES: [(&str, &str); 4] = [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];

/// A socket that listens.
struct Listener {
    port: u64,
    protocol: &'static str,
    everywhere: bool,
    inode: String,
}

/// Lists the ports on which something listens.
pub(super) fn list(host: &dyn Host, port: Option<u64>, bounds: &mut Bounds) -> Result<Seen, String> {
    let mut listeners = Vec::new();
    let mut tables = 0;
    for (protocol, state) in TABLES {
        let Ok(table) = host.head(&PathBuf::from(format!("/proc/net/{protocol}")), TABLE_LIMIT) else {
            continue;
        };
        tables += 1;
        let table = String::from_utf8_lossy(&table);
        listeners.extend(table.lines().filter_map(|row| Listener::of(row, protocol, state)));
    }
    if tables == 0 {
        return Err("this system has no /proc/net".to_owned());
    }
    listeners.retain(|listener| port.is_none_or(|port| listener.port == port));
    listeners.sort_by_key(|listener| (listener.port, listener.protocol));
    let owners = owners(host, bounds);
    let line = |listener: &Listener| {
        let Listener { port, protocol, everywhere, inode } = listener;
        let whom = if *everywhere { "reachable from outside" } else { "only this machine" };
        let owner = owners.get(inode).map_or_else(
            || "a process of another user".to_owned(),
            |process| format!("process {}: {}", process.pid, shortened(&process.command)),
        );
        format!("{protocol} port {port}, {whom}, {owner}")
    };
    let mut lines: Vec<String> = listeners.iter().map(line).collect();
    lines.dedup();
    let headline = match (lines.first(), port) {
        (None, Some(port)) => format!("nothing listens on port {port}"),
        (None, None) => "nothing listens".to_owned(),
        (Some(first), Some(_)) => first.clone(),
        (Some(first), None) => format!("{} listen: {first}", lines.len()),
    };
    Ok(Seen { headline, lines, is_cut: false })
}

impl Listener {
    /// Parses a row: number, own address, other address, state, queues, timer, retries, user, timeout, inode.
    fn of(row: &str, protocol: &'static str, state: &str) -> Option<Self> {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let (address, port) = fields.get(1)?.split_once(':')?;
        let listens = fields.get(3) == Some(&state);
        listens.then_some(Self {
            port: u64::from_str_radix(port, 16).ok()?,
            protocol,
            everywhere: address.chars().all(|c| c == '0'),
            inode: (*fields.get(9)?).to_owned(),
        })
    }
}

/// Returns the processes by the sockets that they hold; those of other users can't be read.
fn owners(host: &dyn Host, bounds: &mut Bounds) -> HashMap<String, Rc<Process>> {
    let mut owners = HashMap::new();
    for process in processes::all(host, bounds).unwrap_or_default() {
        let directory = PathBuf::from(format!("/proc/{}/fd", process.pid));
        let sockets = inodes(host, &directory, bounds);
        let process = Rc::new(process);
        for inode in sockets {
            owners.entry(inode).or_insert_with(|| Rc::clone(&process));
        }
    }
    owners
}

fn inodes(host: &dyn Host, directory: &Path, bounds: &mut Bounds) -> Vec<String> {
    let names = host.list(directory).unwrap_or_default();
    let inode = |name: std::ffi::OsString| {
        let target = host.link_target(&directory.join(name))?;
        Some(target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
    };
    names.into_iter().take(FILES_MAX).take_while(|_| bounds.admit()).filter_map(inode).collect()
}
