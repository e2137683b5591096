//! Search for man pages, without `man`: finds a command's page in the manual directories of `MANPATH`, of
//! `manpath.config` and beside the directories of `PATH`, and reads its source, compressed or not, through links and
//! `.so` requests.

use std::collections::HashSet;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use askline_host::Host;
use askline_manual as manual;

/// Maximum size in bytes of a page file, and of its uncompressed content. The longest pages (compilers, ffmpeg) have
/// 2 MB.
const PAGE_LIMIT: u64 = 8 << 20;

/// Memory limit for decompressing `.xz`, in KiB: the needs of `xz -9`, with a margin.
const XZ_MEMORY_KB: u32 = 100 << 10;

/// Maximum size of a `manpath.config` in bytes.
const SETTINGS_LIMIT: u64 = 64 << 10;

/// Maximum number of bytes that are read and decompressed in one search: enough for the longest page after useless
/// ones.
const SEARCH_LIMIT: u64 = 2 * PAGE_LIMIT;

/// Time limit of one search, for disks that do not answer; after that no further file is opened. The work is bounded by
/// the number of directories, sections and bytes, so a busy machine does not reach it.
const SEARCH_TIME: Duration = Duration::from_secs(5);

/// Maximum number of `.so` requests that are followed from one page.
const REDIRECTS_MAX: usize = 5;

/// Maximum number of manual directories that are searched.
const DIRECTORIES_MAX: usize = 32;

/// Manual sections with commands and their directories, in search order. Pages of the POSIX standard come last,
/// because they describe no installed program.
const SECTIONS: [(&str, &str); 13] = [
    ("man1", "1"),
    ("man8", "8"),
    ("man6", "6"),
    ("man1", "1ssl"),
    ("man1", "1x"),
    ("man1", "1m"),
    ("man1", "1p"),
    ("man8", "8x"),
    ("man1m", "1m"),
    ("man1x", "1x"),
    ("man1", "1posix"),
    ("man1p", "1p"),
    ("man1posix", "1posix"),
];

/// Compression suffixes of page files.
const PACKINGS: [&str; 4] = [".gz", "", ".zst", ".xz"];

/// Configuration files that name manual directories.
const SETTINGS: [&str; 3] = ["/etc/manpath.config", "/etc/man_db.conf", "/etc/man.conf"];

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    /// File that contains the text, after `.so` requests.
    pub file: PathBuf,
    /// Source text.
    pub text: String,
}

/// One search for the page of one level of a command under all its possible names, with its remaining limits.
pub(super) struct Search<'a, B> {
    host: &'a dyn Host,
    /// Returns `true` for trusted files; untrusted ones are treated as missing.
    is_believed: B,
    /// Files that were opened before and are not pages.
    opened: HashSet<PathBuf>,
    bytes_left: u64,
    until: Instant,
    is_cut_short: bool,
}

impl<'a, B: Fn(&Path) -> bool> Search<'a, B> {
    pub(super) fn new(host: &'a dyn Host, is_believed: B) -> Self {
        let until = Instant::now() + SEARCH_TIME;
        let opened = HashSet::new();
        Self { host, is_believed, opened, bytes_left: SEARCH_LIMIT, until, is_cut_short: false }
    }

    /// Reports whether time or a failing read ended the search: another one may find more.
    pub(super) fn was_cut_short(&self) -> bool {
        self.is_cut_short
    }

    fn is_over(&mut self) -> bool {
        self.is_cut_short |= self.until <= Instant::now();
        self.bytes_left == 0 || self.is_cut_short
    }

    /// Returns the page at `file`, with any compression suffix; follows `.so` requests within its manual directory.
    fn read(&mut self, directory: &Path, file: PathBuf) -> Option<Page> {
        let mut wanted = file;
        for _ in 0..=REDIRECTS_MAX {
            let (file, text) = self.text(&wanted)?;
            let Some(target) = manual::redirect(&text) else { return Some(Page { file, text }) };
            let target = Path::new(target);
            // `..` and absolute paths lead out of the manual.
            if !target.components().all(|part| matches!(part, Component::Normal(_))) {
                return None;
            }
            let above = if target.components().count() == 1 { file.parent()? } else { directory };
            let target = above.join(target);
            // The request may name the compressed file.
            wanted = match target.extension().and_then(|end| end.to_str()) {
                Some("gz" | "zst" | "xz") => target.with_extension(""),
                _ => target,
            };
        }
        None
    }

    /// Returns the source at a path, from the first existing compression variant; the others are not tried after it.
    fn text(&mut self, file: &Path) -> Option<(PathBuf, String)> {
        let host = self.host;
        let is_there =
            |file: &Path| host.entry(file).is_some_and(|entry| entry.is_file) && (self.is_believed)(file);
        let (packing, file) = PACKINGS.iter().find_map(|packing| {
            let mut name = file.as_os_str().to_owned();
            name.push(packing);
            let file = PathBuf::from(name);
            is_there(&file).then_some((packing, file))
        })?;
        if self.is_over() || !self.opened.insert(file.clone()) {
            return None;
        }
        let read = host.read(&file, PAGE_LIMIT.min(self.bytes_left));
        let packed = read.inspect_err(|error| self.is_cut_short |= is_passing(error)).ok()?;
        self.bytes_left = self.bytes_left.saturating_sub(packed.len() as u64);
        let text = unpacked(&packed, packing, &mut self.bytes_left)?;
        Some((file, text_of(&text)))
    }
}

/// Reports whether a file could not be read for a reason that may pass, such as too many open files.
pub(super) fn is_passing(error: &anyhow::Error) -> bool {
    let kind = match (error.downcast_ref::<io::Error>(), error.downcast_ref::<Errno>()) {
        (Some(error), _) => error.kind(),
        (None, Some(errno)) => io::Error::from(*errno).kind(),
        (None, None) => return false,
    };
    !matches!(kind, ErrorKind::NotFound | ErrorKind::PermissionDenied)
}

/// The manual directories of a machine, best first.
#[derive(Debug, Clone, Default)]
pub(super) struct Manuals {
    directories: Vec<PathBuf>,
}

impl Manuals {
    /// Returns the directories from `MANPATH`, the configuration files and `PATH`. Relative directories are skipped,
    /// because their content depends on the working directory.
    pub(super) fn of(host: &dyn Host) -> Self {
        let mut manuals = Self::default();
        let split = |name| host.env(name).map(|value| std::env::split_paths(&value).collect::<Vec<_>>());
        // An empty entry of MANPATH means the system's own directories, which are added anyway.
        for directory in split("MANPATH").unwrap_or_default() {
            manuals.add(host, directory);
        }
        for directory in split("PATH").unwrap_or_default().iter().filter(|directory| directory.is_absolute())
        {
            manuals.add_beside(host, directory);
        }
        for settings in SETTINGS {
            let Ok(text) = host.read(Path::new(settings), SETTINGS_LIMIT) else { continue };
            for directory in named_in(&String::from_utf8_lossy(&text)) {
                manuals.add(host, directory);
            }
        }
        for directory in ["/usr/share/man", "/usr/local/share/man", "/run/current-system/sw/share/man"] {
            manuals.add(host, directory.into());
        }
        manuals
    }

    /// Returns the directories; all exist.
    pub(super) fn into_directories(self) -> Vec<PathBuf> {
        self.directories
    }

    fn add(&mut self, host: &dyn Host, directory: PathBuf) {
        let is_new = !self.directories.contains(&directory);
        let room = self.directories.len() < DIRECTORIES_MAX;
        if room
            && is_new
            && directory.is_absolute()
            && host.entry(&directory).is_some_and(|it| it.is_directory)
        {
            self.directories.push(directory);
        }
    }

    fn add_beside(&mut self, host: &dyn Host, programs: &Path) {
        for manuals in beside(programs) {
            self.add(host, manuals);
        }
    }

    /// Returns the page of a name, such as `git-log`. The program's own installation is searched first, to avoid
    /// mixing two versions.
    pub(super) fn find<B: Fn(&Path) -> bool>(
        &self,
        search: &mut Search<'_, B>,
        name: &str,
        program: &Path,
        extra: &[&Path],
    ) -> Option<Page> {
        if name.is_empty() || name.contains(['/', '\0']) {
            return None;
        }
        let own: Vec<PathBuf> =
            program.parent().map(|directory| beside(directory).into()).unwrap_or_default();
        let others = self.directories.iter().filter(|directory| !own.contains(*directory));
        let directories: Vec<&Path> =
            extra.iter().copied().chain(own.iter().chain(others).map(PathBuf::as_path)).collect();
        directories.iter().find_map(|directory| {
            // One check instead of dozens if the directory does not exist.
            search.host.entry(directory)?;
            if search.is_over() {
                return None;
            }
            SECTIONS.iter().find_map(|(within, section)| {
                search.read(directory, directory.join(within).join(format!("{name}.{section}")))
            })
        })
    }
}

/// Returns the manual directories of an installation with programs in this directory.
fn beside(programs: &Path) -> [PathBuf; 2] {
    let prefix = programs.parent().unwrap_or(Path::new("/"));
    [prefix.join("share/man"), prefix.join("man")]
}

/// Returns the directories that a `manpath.config` names: `MANDATORY_MANPATH DIR`, `MANPATH_MAP BIN DIR`, `MANPATH
/// DIR` and FreeBSD's `MANPATH`.
fn named_in(settings: &str) -> Vec<PathBuf> {
    let directory = |line: &str| {
        let mut words = line.split_whitespace();
        match words.next()? {
            "MANDATORY_MANPATH" | "MANPATH" | "manpath" => words.next().map(PathBuf::from),
            "MANPATH_MAP" => words.nth(1).map(PathBuf::from),
            _ => None,
        }
    };
    settings.lines().filter_map(directory).collect()
}

/// Decompresses data. The size is subtracted from `bytes_left`; data that exceeds it is not read to the end.
fn unpacked(packed: &[u8], packing: &str, bytes_left: &mut u64) -> Option<Vec<u8>> {
    let mut all = |reader: &mut dyn Read| {
        let limit = PAGE_LIMIT.min(*bytes_left);
        let mut whole = Vec::new();
        let read = reader.take(limit + 1).read_to_end(&mut whole);
        *bytes_left = bytes_left.saturating_sub(whole.len() as u64);
        (read.is_ok() && whole.len() as u64 <= limit).then_some(whole)
    };
    match packing {
        ".gz" => all(&mut flate2::read::MultiGzDecoder::new(packed)),
        ".zst" => all(&mut ruzstd::decoding::StreamingDecoder::new(packed).ok()?),
        ".xz" => all(&mut lzma_rust2::XzReader::new_mem_limit(packed, true, XZ_MEMORY_KB)),
        _ => Some(packed.to_owned()),
    }
}

/// Decodes a page: text that is not UTF-8 is treated as Latin-1, as manuals formerly were.
fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_host::recorded::RecordedHost;

    const MACHINE: &str = r#"
        directories = ["/usr/local/share/man", "/opt/tool/man"]
        [system]
        os = "linux"
        release = "6"
        machine = "x86_64"
        [env]
        PATH = "/usr/local/bin:relative/bin:/usr/bin:/opt/tool/bin"
        MANPATH = "relative::/extra"
        [files]
        "/extra/man1/extra.1" = "extra"
        "/usr/share/man/man1/ls.1" = "ls of usr"
        "/usr/share/man/man8/ls.8" = "not this"
        "/usr/local/share/man/man1/tool.1" = "tool of local"
        "/usr/share/man/man1/tool.1" = "tool of usr"
        "/usr/share/man/man1posix/only.1posix" = "standard"
        "/usr/share/man/man8/reboot.8" = ".so man8/halt.8\n"
        "/usr/share/man/man8/halt.8" = ".so halt2.8\n"
        "/usr/share/man/man8/halt2.8" = "halt"
        "/usr/share/man/man1/turn.1" = ".so man1/turn.1\n"
        "/usr/share/man/man1/out.1" = ".so ../../../etc/passwd\n"
        "/usr/share/man/de/man1/ls.1" = "deutsch"
        "/etc/manpath.config" = "MANDATORY_MANPATH /mapped\nMANPATH_MAP /a /b\n# MANPATH /no\n"
        "/mapped/man6/game.6" = "game"
    "#;

    fn find(name: &str, program: &str) -> Option<String> {
        let host = RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap();
        let mut search = Search::new(&host, |_| true);
        Manuals::of(&host).find(&mut search, name, Path::new(program), &[]).map(|page| page.text)
    }

    #[test]
    fn pages_are_found_where_manuals_stand() {
        assert_eq!(find("ls", "/usr/bin/ls").unwrap(), "ls of usr");
        assert_eq!(find("extra", "/usr/bin/extra").unwrap(), "extra");
        assert_eq!(find("game", "/usr/games/game").unwrap(), "game");
        assert_eq!(find("only", "/usr/bin/only").unwrap(), "standard");
        assert_eq!(find("none", "/usr/bin/none"), None);
        for name in ["", "../man1/ls", "/ls", "a\0b"] {
            assert_eq!(find(name, "/usr/bin/ls"), None, "{name:?}");
        }
    }

    #[test]
    fn the_page_of_the_same_installation_comes_first() {
        assert_eq!(find("tool", "/usr/bin/tool").unwrap(), "tool of usr");
        assert_eq!(find("tool", "/usr/local/bin/tool").unwrap(), "tool of local");
        assert_eq!(find("tool", "/opt/tool/bin/tool").unwrap(), "tool of local");
    }

    #[test]
    fn redirects_are_followed_within_the_manual_and_not_for_ever() {
        assert_eq!(find("reboot", "/sbin/reboot").unwrap(), "halt");
        assert_eq!(find("turn", "/usr/bin/turn"), None);
        assert_eq!(find("out", "/usr/bin/out"), None);
    }

    #[test]
    fn packed_pages_are_unpacked_and_broken_ones_are_no_pages() {
        use std::io::Write as _;
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gz.write_all(b"text").unwrap();
        let gz = gz.finish().unwrap();
        assert_eq!(unpack(&gz, ".gz").unwrap(), b"text");
        // Output of `zstd` and `xz --check=crc32` for this text.
        let zst = b"\x28\xb5\x2f\xfd\x04\x58\x21\x00\x00\x74\x65\x78\x74\x52\xaf\xcc\x88";
        assert_eq!(unpack(zst, ".zst").unwrap(), b"text");
        let xz = b"\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\x00\x03\x74\x65\x78\x74\x00\xc7\xa7\x8b\x3b\x00\x01\x18\x04\x6b\xe9\xf0\xa5\x90\x42\x99\x0d\x01\x00\x00\x00\x00\x01\x59\x5a";
        assert_eq!(unpack(xz, ".xz").unwrap(), b"text");
        for packing in [".gz", ".zst", ".xz"] {
            assert_eq!(unpack(b"plain text that is not packed", packing), None, "{packing}");
            assert_eq!(unpack(b"", packing).unwrap_or_default(), b"", "{packing}");
            for cut in 0..gz.len() {
                unpack(&gz[..cut], packing);
            }
        }
        assert_eq!(text_of(b"caf\xe9"), "caf\u{e9}");
    }

    fn unpack(packed: &[u8], packing: &str) -> Option<Vec<u8>> {
        unpacked(packed, packing, &mut SEARCH_LIMIT.clone())
    }

    #[test]
    fn pages_that_are_not_believed_are_not_there() {
        let host = RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap();
        let find = |refused: &str| {
            let mut search = Search::new(&host, |file| !file.starts_with(refused));
            let page = Manuals::of(&host).find(&mut search, "tool", Path::new("/usr/local/bin/tool"), &[]);
            page.map(|page| page.text)
        };
        assert_eq!(find("/none").unwrap(), "tool of local");
        assert_eq!(find("/usr/local").unwrap(), "tool of usr");
        assert_eq!(find("/usr"), None);
    }

    /// Pages of 7 MB that refer to themselves or to the next page, compressed and not: each is read once, and at most
    /// two are read.
    #[test]
    fn no_page_makes_a_search_long() {
        use std::io::Write as _;
        let top = tempfile::tempdir().unwrap();
        let man1 = top.path().join("man1");
        std::fs::create_dir(&man1).unwrap();
        let packed = |text: &[u8]| {
            let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gz.write_all(text).unwrap();
            gz.finish().unwrap()
        };
        let blanks = vec![b' '; 7 << 20];
        let packed_blanks = packed(&blanks);
        let put = |name: &str, target: &str| {
            let request = format!(".so man1/{target}\n").into_bytes();
            let gz = [packed(&request), packed_blanks.clone()].concat();
            std::fs::write(man1.join(format!("{name}.gz")), gz).unwrap();
            std::fs::write(man1.join(name), [request, blanks.clone()].concat()).unwrap();
        };
        put("turn.1", "turn.1");
        (1..=5).for_each(|n| put(&format!("chain{n}.1"), &format!("chain{}.1", n + 1)));
        for (name, n_opened) in [("turn", 1), ("chain1", 3)] {
            let host = askline_host::local::LocalHost;
            let took = || {
                let mut search = Search::new(&host, |_| true);
                let started = Instant::now();
                for _ in 0..4 {
                    let program = Path::new("/nowhere/bin/x");
                    assert_eq!(Manuals::default().find(&mut search, name, program, &[top.path()]), None);
                }
                assert!(search.opened.len() <= n_opened, "{name}: {:?}", search.opened);
                started.elapsed()
            };
            // A disk may stall once.
            let is_quick = (0..3).any(|_| took() < 3 * SEARCH_TIME);
            assert!(is_quick, "{name} takes longer than {:?}, three times", 3 * SEARCH_TIME);
        }
    }

    #[test]
    fn a_search_that_time_ended_says_so() {
        let host = RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap();
        let mut search = Search::new(&host, |_| true);
        let manuals = Manuals::of(&host);
        assert_eq!(manuals.find(&mut search, "none", Path::new("/usr/bin/none"), &[]), None);
        assert!(!search.was_cut_short(), "there is none");
        search.until = Instant::now();
        assert_eq!(manuals.find(&mut search, "ls", Path::new("/usr/bin/ls"), &[]), None);
        assert!(search.was_cut_short());
    }

    #[test]
    fn a_huge_page_is_no_page_and_is_not_read() {
        let top = tempfile::tempdir().unwrap();
        let man1 = top.path().join("man1");
        std::fs::create_dir(&man1).unwrap();
        std::fs::File::create(man1.join("huge.1")).unwrap().set_len(50 << 20).unwrap();
        let host = askline_host::local::LocalHost;
        let mut search = Search::new(&host, |_| true);
        let program = Path::new("/nowhere/bin/huge");
        assert_eq!(Manuals::default().find(&mut search, "huge", program, &[top.path()]), None);
        assert_eq!(search.bytes_left, SEARCH_LIMIT);
        assert!(!search.was_cut_short(), "that is a fact");
    }

    #[test]
    fn what_unpacks_to_more_than_the_bound_is_no_page() {
        use std::io::Write as _;
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let zeros = vec![0; 1 << 20];
        for _ in 0..=PAGE_LIMIT >> 20 {
            gz.write_all(&zeros).unwrap();
        }
        assert_eq!(unpack(&gz.finish().unwrap(), ".gz"), None);
    }
}
