//! The directory around a line, as the intent check compares it: names on a few levels, and the first lines of files that the
//! line reads. Everything is looked at once for a key press, and only while little time has passed.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Knowledge, held, reads, schemas};
use crate::repository::{self, Repository};
use askline_check::git_refs::GitRefs;
use askline_check::reference::Reference as _;
use askline_host::{Host, NameKind};
use askline_intent::here::{self, Date, HEAD_BYTES_MAX, Head, Here, Names};
use askline_syntax::ParsedLine;
use time::OffsetDateTime;

/// Time after which no further directory is listed.
const LISTING_TIME: Duration = Duration::from_millis(15);
/// Time limit for one read: a directory or file may be on an unreachable server. After one timeout nothing more is read.
const PATIENCE: Duration = Duration::from_millis(50);
/// Maximum number of names that are looked at.
const NAMES_MAX: usize = 4_000;
/// Maximum number of directories that are listed.
const FOLDERS_MAX: usize = 200;
/// Number of levels below the working directory that are listed, with its own.
const LEVELS_MAX: usize = 3;
/// Maximum number of files that are read per key press.
const FILES_MAX: usize = 8;
/// Maximum size of a file that is read as a whole, in bytes.
const TEXT_BYTES_MAX: u64 = 256 << 10;
/// Large directories of generated files, which no request is about.
const SKIPPED: [&str; 2] = ["node_modules", "__pycache__"];

/// Maximum number of names of the working directory alone.
const NAMES_HERE_MAX: usize = 256;

/// The names in the working directory.
#[derive(Debug)]
pub struct NamesHere {
    /// Names, in no particular order.
    pub names: Vec<String>,
    /// `true` if they are all.
    pub is_whole: bool,
}

/// Names and file beginnings that were read for one key press.
#[derive(Default)]
pub(super) struct Seen {
    names_here: Option<Option<Arc<NamesHere>>>,
    names: Option<(Arc<Names>, Option<bool>)>,
    heads: BTreeMap<String, Option<Head>>,
    texts: BTreeMap<String, Option<String>>,
    is_late: bool,
}

impl Knowledge {
    /// Returns what the working directory holds, and the first lines of the files that a line reads.
    pub fn here(&self, line: &ParsedLine) -> Here {
        let Some(current_dir) = self.environment.current_dir.clone() else { return Here::default() };
        let mut seen = held(&self.here);
        let (names, is_repository) = match &seen.names {
            Some(names) => names.clone(),
            None => {
                let (host, asked) = (Arc::clone(&self.host), current_dir.clone());
                let look = move || (Arc::new(names(&*host, &asked)), is_repository(&*host, &asked));
                let names = reads::in_time(PATIENCE, look);
                seen.is_late |= names.is_none();
                seen.names.insert(names.unwrap_or_default()).clone()
            }
        };
        let mut heads = BTreeMap::new();
        for file in here::files_read(line) {
            if !seen.heads.contains_key(&file) && !seen.is_late && seen.heads.len() < FILES_MAX {
                let (host, path, top) =
                    (Arc::clone(&self.host), current_dir.join(&file), current_dir.clone());
                let read = move || schemas::head(&*host, &path, &top, HEAD_BYTES_MAX as u64);
                let head = reads::in_time(PATIENCE, read);
                seen.is_late |= head.is_none();
                seen.heads.insert(file.clone(), head.flatten().and_then(text));
            }
            if let Some(Some(head)) = seen.heads.get(&file) {
                heads.insert(file, head.clone());
            }
        }
        drop(seen);
        let missing = here::whole_paths(line).into_iter().filter(|path| self.exists(path) == Some(false));
        let missing = missing.map(str::to_owned).collect();
        let name =
            current_dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Here { name, names, heads, is_repository, missing, today: today() }
    }

    /// Returns the names in the working directory, for a prompt; read once.
    pub fn names_here(&self) -> Option<Arc<NamesHere>> {
        if let Some(known) = &held(&self.here).names_here {
            return known.clone();
        }
        let list = |host: &dyn Host| host.list_kinds(&host.current_dir()?, NAMES_HERE_MAX).ok();
        let names = self.in_time(list).flatten().map(|all| {
            let is_whole = all.len() < NAMES_HERE_MAX;
            let names = all.into_iter().filter_map(|(name, _)| name.into_string().ok()).collect();
            Arc::new(NamesHere { names, is_whole })
        });
        held(&self.here).names_here.insert(names).clone()
    }

    /// Reads something of the machine; `None` if that takes too long, or something did before in this key press.
    pub fn in_time<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Host) -> T + Send + 'static,
    ) -> Option<T> {
        let mut seen = held(&self.here);
        if seen.is_late {
            return None;
        }
        let host = Arc::clone(&self.host);
        let found = reads::in_time(PATIENCE, move || read(&*host));
        seen.is_late = found.is_none();
        found
    }

    /// Returns the whole text of a small file of the working directory; read once.
    pub(super) fn small_text(&self, path: &str) -> Option<String> {
        let top = self.environment.current_dir.clone()?;
        let mut seen = held(&self.here);
        if let Some(text) = seen.texts.get(path) {
            return text.clone();
        }
        if seen.is_late || FILES_MAX <= seen.texts.len() {
            return None;
        }
        let (host, file) = (Arc::clone(&self.host), top.join(path));
        let read = reads::in_time(PATIENCE, move || schemas::head(&*host, &file, &top, TEXT_BYTES_MAX));
        seen.is_late |= read.is_none();
        let whole = read.flatten().filter(|head| head.is_whole);
        let text = whole.map(|head| String::from_utf8_lossy(&head.bytes).into_owned());
        seen.texts.insert(path.to_owned(), text.clone());
        text
    }

    /// Reads the names of the repository around the working directory.
    pub(super) fn read_git_refs(&self) -> Option<Arc<GitRefs>> {
        if ["GIT_DIR", "GIT_COMMON_DIR"].iter().any(|name| self.host.env(name).is_some()) {
            return None;
        }
        let (host, here) = (Arc::clone(&self.host), self.environment.current_dir.clone()?);
        let refs = reads::in_time(PATIENCE, move || Repository::around(&*host, &here)?.refs());
        refs.flatten().map(Arc::new)
    }
}

/// Returns the date in the world's time zone; the user's may be a day apart for some hours.
fn today() -> Option<Date> {
    let today = OffsetDateTime::now_utc();
    Some(Date { year: u16::try_from(today.year()).ok()?, month: today.month().into(), day: today.day() })
}

/// Returns the first bytes of a file as text, if they are.
fn text(head: schemas::Head) -> Option<Head> {
    let schemas::Head { bytes, is_whole } = head;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // A limit may cut a character.
        Err(error) if !is_whole => {
            let end = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(end);
            String::from_utf8(bytes).ok()?
        }
        Err(_) => return None,
    };
    Some(Head { text, is_whole })
}

/// Lists a directory and those below it, level by level. Hidden ones and links are not followed.
fn names(host: &dyn Host, top: &Path) -> Names {
    let until = Instant::now() + LISTING_TIME;
    let mut names = Names::default();
    let mut open: VecDeque<(String, PathBuf, usize)> = VecDeque::from([(String::new(), top.to_owned(), 1)]);
    let (mut left, mut listed) = (NAMES_MAX, 0);
    while let Some((folder, path, level)) = open.pop_front() {
        if left == 0 || listed == FOLDERS_MAX || until <= Instant::now() {
            names.cut();
            break;
        }
        // One more shows that there are too many.
        let Ok(found) = host.list_kinds(&path, left + 1) else { continue };
        if left < found.len() {
            names.cut();
            break;
        }
        left -= found.len();
        listed += 1;
        for (name, kind) in found {
            let Ok(name) = name.into_string() else { continue };
            let below = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let is_passed = name.starts_with('.') || SKIPPED.contains(&name.as_str());
            match kind {
                NameKind::Directory if is_passed => names.add_passed(below.clone()),
                NameKind::LinkedDirectory => names.add_passed(below.clone()),
                NameKind::Directory if level < LEVELS_MAX => {
                    open.push_back((below.clone(), path.join(&name), level + 1));
                }
                _ => {}
            }
            names.add(below, kind_of(kind));
        }
        names.add_listed(folder);
    }
    names
}

fn kind_of(kind: NameKind) -> here::NameKind {
    match kind {
        NameKind::File => here::NameKind::File,
        NameKind::Directory | NameKind::LinkedDirectory => here::NameKind::Folder,
        NameKind::Other => here::NameKind::Other,
    }
}

/// Reports whether git finds a repository from here; `None` if unknown.
fn is_repository(host: &dyn Host, here: &Path) -> Option<bool> {
    if host.env("GIT_DIR").is_some() {
        return None;
    }
    Some(repository::find(host, here).is_some())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::*;
    use crate::config::Help;
    use crate::environment::{self, Machine};
    use crate::shell_facts::ShellFacts;
    use askline_host::local::LocalHost;
    use askline_syntax::shell::Shell;

    /// Returns what a directory seems to hold: what of these paths exists, by the contradictions of `cat`.
    fn missing(names: Names, paths: &[&str]) -> BTreeSet<String> {
        let here = Here { names: names.into(), ..Here::default() };
        let line = ParsedLine::new(format!("cat {}", paths.join(" ")), Shell::Bash);
        let found = here::contradictions("", &line, &here);
        found.iter().filter_map(|it| line.text().get(it.mismatch.span.clone())).map(str::to_owned).collect()
    }

    #[test]
    fn three_levels_are_listed_but_nothing_hidden_and_no_links() {
        let top = tempfile::tempdir().unwrap();
        let path = |name: &str| top.path().join(name);
        for folder in ["one/two/three", ".git/x", "node_modules/a"] {
            fs::create_dir_all(path(folder)).unwrap();
        }
        fs::write(path("one/two/here"), "").unwrap();
        symlink(path("one"), path("link")).unwrap();
        let names = names(&LocalHost, top.path());
        let asked = [
            "no",
            "one/no",
            "one/two/no",
            "one/two/here",
            "one/two/three/no",
            ".git/no",
            "node_modules/no",
            "link/no",
        ];
        let expected = ["no", "one/no", "one/two/no"].map(str::to_owned);
        assert_eq!(missing(names, &asked), BTreeSet::from(expected));
    }

    /// A search finds nothing behind a link, and no request is about generated files.
    #[test]
    fn all_is_known_but_what_is_passed_over() {
        let top = tempfile::tempdir().unwrap();
        let path = |name: &str| top.path().join(name);
        for folder in [".git/x", "node_modules/a/b/c", "one/two"] {
            fs::create_dir_all(path(folder)).unwrap();
        }
        fs::write(path("one/README.md"), "").unwrap();
        symlink(path("one"), path("link")).unwrap();
        let mended = || {
            let here = Here { names: names(&LocalHost, top.path()).into(), ..Here::default() };
            let line = ParsedLine::new("find . -name readme.md", Shell::Bash);
            here::adapt("where is the readme", &line, &here).map(|adapted| adapted.line)
        };
        assert_eq!(mended().as_deref(), Some("find . -iname readme.md"));
        fs::create_dir_all(path("one/two/three/four")).unwrap();
        assert_eq!(mended(), None);
    }

    #[test]
    fn a_directory_with_too_many_names_is_unknown() {
        let top = tempfile::tempdir().unwrap();
        for n in 0..=NAMES_MAX {
            fs::write(top.path().join(n.to_string()), "").unwrap();
        }
        assert_eq!(missing(names(&LocalHost, top.path()), &["no"]), BTreeSet::new());
    }

    #[test]
    fn a_repository_is_found_above() {
        let top = tempfile::tempdir().unwrap();
        let below = top.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        fs::write(top.path().join("HEAD"), "a file that is called so\n").unwrap();
        assert_eq!(is_repository(&LocalHost, &below), Some(false));
        fs::create_dir(top.path().join(".git")).unwrap();
        assert_eq!(is_repository(&LocalHost, &below), Some(true));
    }

    #[test]
    fn what_does_not_come_is_not_waited_for() {
        let machine = Machine::new(Arc::new(LocalHost), None);
        let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
        let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never);
        assert!(knowledge.in_time(|_| ()).is_some());
        let begun = Instant::now();
        assert!(knowledge.in_time(|_| thread::sleep(Duration::from_secs(20))).is_none());
        assert!(knowledge.in_time(|_| ()).is_none(), "where one read is late another may be");
        assert!(knowledge.names_here().is_none());
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn the_first_bytes_are_text() {
        let head = |bytes: &[u8], is_whole| text(schemas::Head { bytes: bytes.to_owned(), is_whole });
        let cut = Head { text: "a".to_owned(), is_whole: false };
        assert_eq!(head(b"a\xc3", false), Some(cut));
        assert_eq!(head(b"a\xc3", true), None);
    }
}
