//! Memory available to a model: free memory of the machine, limits of control groups and of this process.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use askline_host::Host;

/// Linux's file with the free memory of the machine.
const MACHINE: &str = "/proc/meminfo";
/// Free memory that is ample, in bytes, and as a multiple of what a model needs.
const AMPLE: u64 = 6_000_000_000;
const AMPLE_TIMES: u64 = 3;
/// Linux's file with the control group of this process, and the root directory of control groups.
const GROUP: (&str, &str) = ("/proc/self/cgroup", "/sys/fs/cgroup");
/// Linux's files with the memory use and the limits of this process.
const STATUS: &str = "/proc/self/status";
const LIMITS: &str = "/proc/self/limits";
/// Maximum number of bytes read from such a file.
const FILE_LIMIT: u64 = 64 << 10;
/// Maximum number of nested control groups whose limits are checked.
const GROUPS_MAX: usize = 16;

/// Returns the bytes available without swapping: free memory of the machine, or the rest of the narrowest limit
/// of a control group or of this process. `None` if the system doesn't report it.
pub fn free(host: &dyn Host) -> Option<u64> {
    let machine = kibibytes(&text(host, Path::new(MACHINE))?, "MemAvailable:")?;
    let groups = groups(host);
    let lefts = groups.iter().filter_map(|group| left(host, group));
    Some(lefts.chain(unmapped(host)).fold(machine, u64::min))
}

/// Reports whether a model that needs `needed` bytes may take as much again to be faster.
pub fn is_ample(host: &dyn Host, needed: u64) -> bool {
    free(host).is_some_and(|free| AMPLE <= free && needed.saturating_mul(AMPLE_TIMES) <= free)
}

/// Returns the failure if a model that needs `needed` bytes can't be loaded.
pub fn shortage(host: &dyn Host, name: &str, needed: u64) -> Option<Failure> {
    let free = free(host).filter(|free| *free < needed)?;
    Some(Failure::Unavailable(format!(
        "the model {name} takes {} MB of memory, and {} MB are free; close other programs, or use a smaller model: \
         `askline model list`",
        needed.div_ceil(1_000_000),
        free / 1_000_000
    )))
}

/// Returns the control group of this process and its ancestors, innermost first.
fn groups(host: &dyn Host) -> Vec<PathBuf> {
    let (file, top) = GROUP;
    let named = text(host, Path::new(file));
    let inner = named.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("0::/")));
    let Some(inner) = inner else { return Vec::new() };
    let top = Path::new(top);
    let all = top.join(inner);
    all.ancestors().take_while(|group| group.starts_with(top)).take(GROUPS_MAX).map(Path::to_owned).collect()
}

/// Returns the bytes that a control group may still use; its file cache counts as free.
fn left(host: &dyn Host, group: &Path) -> Option<u64> {
    let number = |file: &str| text(host, &group.join(file))?.trim().parse::<u64>().ok();
    let limit = number("memory.max")?;
    let statistics = text(host, &group.join("memory.stat"))?;
    let cached: u64 = ["active_file ", "inactive_file "]
        .iter()
        .filter_map(|name| statistics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()))
        .fold(0, u64::saturating_add);
    Some(limit.saturating_sub(number("memory.current")?.saturating_sub(cached)))
}

/// Returns the bytes that this process may still map (`ulimit -v`), mapped files included; `None` if unlimited.
fn unmapped(host: &dyn Host) -> Option<u64> {
    let limits = text(host, Path::new(LIMITS))?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kibibytes(&text(host, Path::new(STATUS))?, "VmSize:")?))
}

fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the resident memory of this process in bytes: all of it, and the part that is not file-backed.
/// `None` if the system doesn't report it.
pub fn held(host: &dyn Host) -> Option<(u64, u64)> {
    let status = text(host, Path::new(STATUS))?;
    Some((kibibytes(&status, "VmRSS:")?, kibibytes(&status, "RssAnon:")?))
}

fn text(host: &dyn Host, file: &Path) -> Option<String> {
    String::from_utf8(host.read(file, FILE_LIMIT).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_host::recorded::RecordedHost;

    const MEMINFO: &str = "MemTotal:       8000000 kB\nMemAvailable:   2000000 kB\n";

    fn host(files: &[(&str, &str)]) -> RecordedHost {
        let system = "[system]\nos = \"linux\"\nrelease = \"6\"\nmachine = \"x86_64\"\n[files]\n".to_owned();
        let rows = files.iter().map(|(path, text)| format!("{path:?} = {text:?}\n"));
        RecordedHost::parse(Path::new("test"), &(system + &rows.collect::<String>())).unwrap()
    }

    #[test]
    fn ample_memory_is_much_and_a_multiple() {
        let of = |kibibytes: u64| host(&[(MACHINE, &format!("MemAvailable: {kibibytes} kB\n"))]);
        assert!(is_ample(&of(6_000_000), 1_000_000_000));
        assert!(!is_ample(&of(5_800_000), 1_000_000_000), "less than 6 GB");
        assert!(!is_ample(&of(6_000_000), 2_100_000_000), "less than three times as much");
        assert!(!is_ample(&host(&[]), 1), "unknown");
    }

    #[test]
    fn the_narrowest_limit_counts_and_cached_files_make_room() {
        assert_eq!(free(&host(&[])), None);
        assert_eq!(free(&host(&[(MACHINE, MEMINFO)])), Some(2_000_000 * 1024));
        let limited = [
            (MACHINE, MEMINFO),
            ("/proc/self/cgroup", "0::/user/shell\n"),
            ("/sys/fs/cgroup/user/shell/memory.max", "max\n"),
            ("/sys/fs/cgroup/user/memory.max", "1000000000\n"),
            ("/sys/fs/cgroup/user/memory.current", "900000000\n"),
            ("/sys/fs/cgroup/user/memory.stat", "anon 1\nactive_file 200000000\ninactive_file 100000000\n"),
        ];
        assert_eq!(free(&host(&limited)), Some(400_000_000));
        let failure = shortage(&host(&limited), "small", 400_000_001).unwrap();
        assert!(
            failure.to_string().starts_with("the model small takes 401 MB of memory, and 400 MB are free; ")
        );
        assert_eq!(shortage(&host(&limited), "small", 400_000_000), None);
        assert_eq!(shortage(&host(&[]), "small", u64::MAX), None);
    }

    #[test]
    fn a_limit_of_the_process_counts_with_what_it_has_mapped() {
        let limits = |limit: &str| {
            let limits = format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max address space         {limit:<20} {limit:<20} bytes     \n"
            );
            let status = "Name:\taskline\nVmPeak:\t  9 kB\nVmSize:\t  100000 kB\n";
            free(&host(&[(MACHINE, MEMINFO), (LIMITS, &limits), (STATUS, status)]))
        };
        assert_eq!(limits("614400000"), Some(614_400_000 - 102_400_000));
        assert_eq!(limits("1000"), Some(0));
        for none in ["unlimited", "", "-1"] {
            assert_eq!(limits(none), Some(2_000_000 * 1024), "{none}");
        }
    }

    #[test]
    fn nonsense_is_no_limit() {
        for groups in ["", "0::/../../etc", "0::/a\n", "1:memory:/x\n"] {
            let files =
                [(MACHINE, MEMINFO), ("/proc/self/cgroup", groups), ("/sys/fs/cgroup/a/memory.max", "-1\n")];
            assert_eq!(free(&host(&files)), Some(2_000_000 * 1024), "{groups:?}");
        }
        for meminfo in
            ["", "MemAvailable: x kB\n", "MemAvailable: 99999999999999999999 kB\n", "MemAvailable: 1 MB\n"]
        {
            assert_eq!(free(&host(&[(MACHINE, meminfo)])), None, "{meminfo:?}");
        }
    }
}
