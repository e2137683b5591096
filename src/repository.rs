//! The git repository around a directory: its names, read from its files. git itself is not started.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use askline_check::git_refs::GitRefs;
use askline_host::{Host, NameKind};

/// What may be unfinished in a repository. While a rebase waits for its person, files of what it does in between are there as well.
const UNFINISHED: [Unfinished; 7] = [
    Unfinished { file: "rebase-merge", verb: Some("rebase"), words: "a rebase" },
    Unfinished { file: "rebase-apply/applying", verb: Some("am"), words: "an am" },
    Unfinished { file: "rebase-apply", verb: Some("rebase"), words: "a rebase" },
    Unfinished { file: "MERGE_HEAD", verb: Some("merge"), words: "a merge" },
    Unfinished { file: "CHERRY_PICK_HEAD", verb: Some("cherry-pick"), words: "a cherry-pick" },
    Unfinished { file: "REVERT_HEAD", verb: Some("revert"), words: "a revert" },
    Unfinished { file: "BISECT_LOG", verb: None, words: "a bisection" },
];
/// Maximum size of a file of the repository that is read, in bytes.
const FILE_LIMIT: u64 = 1 << 20;
/// Maximum number of directories and files below `refs` that are looked at.
const NAMES_MAX: usize = 2_000;
/// Maximum depth of directories below `refs`.
const DEPTH_MAX: usize = 8;
/// Settings that say that references or remotes are kept elsewhere.
const ELSEWHERE: [&str; 3] = ["refstorage", "[include", "[remotes"];
/// Settings that say where `git push` goes, or that they are kept elsewhere.
const PUSHES: [&str; 4] = ["[push", "autosetupremote", "pushdefault", "[include"];
/// The user's own settings, below the home directory, which may name remotes, too.
const OWN_SETTINGS: [&str; 2] = [".gitconfig", ".config/git/config"];

/// Something that git has begun and not finished while a file is in its directory (gitrepository-layout(5)).
#[derive(Debug)]
pub struct Unfinished {
    file: &'static str,
    /// Subcommand that goes on with it or gives it up, and without which others fail. A bisection keeps none from working.
    pub verb: Option<&'static str>,
    /// Its name in words.
    pub words: &'static str,
}

/// The repository that git finds from a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The directory that holds the `.git`.
    WorkTree(PathBuf),
    /// A directory that is a repository itself.
    Bare(PathBuf),
}

/// Finds the repository around a directory; no setting of the environment counts.
pub fn find(host: &dyn Host, from: &Path) -> Option<Found> {
    from.ancestors().find_map(|above| match host.entry(&above.join(".git")) {
        Some(_) => Some(Found::WorkTree(above.to_owned())),
        None => is_bare(host, above).then(|| Found::Bare(above.to_owned())),
    })
}

/// Reports whether git takes a directory for a repository of its own, if it has no sound `.git`. A file called HEAD alone is none.
pub fn is_bare(host: &dyn Host, directory: &Path) -> bool {
    let has = |name: &str| host.entry(&directory.join(name)).is_some();
    // Before the first commit a HEAD that is a link leads to nothing.
    let has_head = has("HEAD") || host.link_target(&directory.join("HEAD")).is_some();
    has_head && (has("objects") && has("refs") || has("commondir"))
}

/// A git repository whose files lie in the `.git` of its work tree.
pub struct Repository<'h> {
    host: &'h dyn Host,
    git: PathBuf,
}

impl<'h> Repository<'h> {
    /// Returns the repository around a directory; `None` if there is none, or one without a work tree. Its files may lie
    /// elsewhere ([`Self::is_own`]).
    pub fn around(host: &'h dyn Host, directory: &Path) -> Option<Self> {
        match find(host, directory)? {
            Found::WorkTree(top) => Some(Self { host, git: top.join(".git") }),
            Found::Bare(_) => None,
        }
    }

    /// Returns the path of `.git`.
    pub fn git(&self) -> &Path {
        &self.git
    }

    /// Reports whether the repository's files lie in `.git`; they do not in a linked work tree.
    pub fn is_own(&self) -> bool {
        self.host.entry(&self.git).is_some_and(|entry| entry.is_directory)
            && self.host.link_target(&self.git).is_none()
    }

    /// Returns the text of a file of the repository.
    pub fn text(&self, file: &str) -> Option<String> {
        let bytes = self.host.read(&self.git.join(file), FILE_LIMIT).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the branch that is checked out; `None` if none is.
    pub fn branch(&self) -> Option<String> {
        let head = self.text("HEAD")?;
        Some(head.trim_end().strip_prefix("ref: refs/heads/")?.to_owned())
    }

    /// Returns the remotes with their addresses.
    pub fn remotes(&self) -> Vec<(String, String)> {
        let config = self.text("config").unwrap_or_default();
        let mut section = None;
        let mut remotes = Vec::new();
        for line in config.lines().map(str::trim) {
            if line.starts_with('[') {
                section = remote_name(line);
            } else if let Some(name) = section
                && let Some(("url", url)) = line.split_once('=').map(|(key, url)| (key.trim(), url.trim()))
            {
                remotes.push((name.to_owned(), url.to_owned()));
            }
        }
        remotes
    }

    /// Returns all references that have a file of their own, by their full names; `None` if they are too many or odd.
    pub fn loose(&self) -> Option<Vec<String>> {
        let mut open = vec![("refs".to_owned(), 0)];
        let mut found = Vec::new();
        let mut left = NAMES_MAX;
        while let Some((name, depth)) = open.pop() {
            let names = self.host.list_kinds(&self.git.join(&name), left).ok()?;
            left = left.checked_sub(names.len()).filter(|left| 0 < *left)?;
            for (below, kind) in names {
                let below = format!("{name}/{}", below.into_string().ok()?);
                match kind {
                    NameKind::File => found.push(below),
                    NameKind::Directory if depth < DEPTH_MAX => open.push((below, depth + 1)),
                    _ => return None,
                }
            }
        }
        Some(found)
    }

    /// Returns the references of `packed-refs` by their full names, with their commits.
    pub fn packed(&self) -> Vec<(String, String)> {
        let text = self.text("packed-refs").unwrap_or_default();
        let rows = text.lines().filter(|line| !line.starts_with(['#', '^']));
        rows.filter_map(|line| line.split_once(' '))
            .map(|(commit, name)| (name.to_owned(), commit.to_owned()))
            .collect()
    }

    /// Returns the names of branches, tags and remotes; `None` unless they are surely all.
    pub fn refs(&self) -> Option<GitRefs> {
        let is_readable =
            self.host.entry(&self.git.join("packed-refs")).is_none_or(|it| it.size <= FILE_LIMIT);
        let config = self.text("config")?;
        let lower = config.to_lowercase();
        let own_settings = self.own_settings()?;
        let is_elsewhere =
            own_settings.contains("[remote") || ELSEWHERE.iter().any(|setting| lower.contains(setting));
        if !self.is_own() || !is_readable || is_elsewhere {
            return None;
        }
        let mut refs = GitRefs::default();
        self.loose()?.iter().for_each(|name| refs.add(name));
        self.packed().iter().for_each(|(name, _)| refs.add(name));
        refs.remotes = config.lines().filter_map(remote_name).map(str::to_owned).collect();
        refs.following = following(&config);
        refs.has_push_settings =
            PUSHES.iter().any(|setting| own_settings.contains(setting) || lower.contains(setting));
        // Before the first commit the branch that is checked out has no file.
        let current = self.branch();
        refs.current = current.clone().filter(|branch| refs.branches.contains(branch));
        refs.is_detached = current.is_none();
        refs.branches.extend(current);
        refs.unfinished = self.unfinished().and_then(|begun| begun.verb);
        Some(refs)
    }

    /// Returns what is begun and not finished.
    pub fn unfinished(&self) -> Option<&'static Unfinished> {
        UNFINISHED.iter().find(|begun| self.host.entry(&self.git.join(begun.file)).is_some())
    }

    /// Returns the user's own settings in lower case; `None` if they can't be read.
    fn own_settings(&self) -> Option<String> {
        let Some(home) = self.host.env("HOME").map(PathBuf::from) else { return Some(String::new()) };
        let files = OWN_SETTINGS.iter().map(|file| home.join(file));
        let files = files.filter(|file| self.host.entry(file).is_some());
        let texts = files.map(|file| {
            Some(String::from_utf8_lossy(&self.host.read(&file, FILE_LIMIT).ok()?).to_lowercase())
        });
        texts.collect()
    }
}

/// Returns the name in a heading `[remote "NAME"]` of settings.
fn remote_name(line: &str) -> Option<&str> {
    name_in(line, "remote")
}

/// Returns the name in a heading `[SECTION "NAME"]` of settings.
fn name_in<'l>(line: &'l str, section: &str) -> Option<&'l str> {
    let (own, rest) = line.trim_start().strip_prefix('[')?.split_once('"')?;
    let (name, _) = rest.split_once("\"]")?;
    own.trim().eq_ignore_ascii_case(section).then_some(name)
}

/// Returns the branches that settings let follow one of a remote.
fn following(config: &str) -> BTreeSet<String> {
    let mut branch = None;
    let mut found = BTreeSet::new();
    for line in config.lines().map(str::trim_start) {
        if line.starts_with('[') {
            branch = name_in(line, "branch");
        } else if let Some(name) = branch
            && line.split('=').next().is_some_and(|key| key.trim().eq_ignore_ascii_case("merge"))
        {
            found.insert(name.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use askline_host::local::LocalHost;

    const ADDRESS: &str = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = ../other\n";

    #[test]
    fn names_are_read_from_files_and_packs() {
        let top = tempfile::tempdir().unwrap();
        let git = top.path().join(".git");
        for folder in ["refs/heads/fix", "refs/remotes/origin", "refs/tags", "objects"] {
            fs::create_dir_all(git.join(folder)).unwrap();
        }
        for (file, text) in [
            ("HEAD", "ref: refs/heads/new\n"),
            ("config", ADDRESS),
            ("refs/heads/fix/a", "1"),
            ("refs/remotes/origin/b", "1"),
            ("packed-refs", "# pack-refs with: peeled\n11 refs/heads/c\n22 refs/tags/v1\n^33\n"),
        ] {
            fs::write(git.join(file), text).unwrap();
        }
        let below = top.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        let repository = || Repository::around(&LocalHost, &below).unwrap();
        let refs = repository().refs().unwrap();
        let all = |names: &std::collections::BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>();
        assert_eq!(all(&refs.branches), ["c", "fix/a", "new"]);
        assert_eq!(all(&refs.remote_branches), ["origin/b"]);
        assert_eq!(all(&refs.tags), ["v1"]);
        assert_eq!(all(&refs.remotes), ["origin"]);
        assert_eq!((refs.current, refs.following.len()), (None, 0), "it has no commit yet");
        let follows = format!("{ADDRESS}[branch \"new\"]\n\tremote = origin\n\tmerge = refs/heads/new\n");
        fs::write(git.join("config"), follows).unwrap();
        fs::write(git.join("refs/heads/new"), "1").unwrap();
        let refs = repository().refs().unwrap();
        assert_eq!((refs.current.as_deref(), all(&refs.following)), (Some("new"), vec!["new".to_owned()]));

        fs::write(git.join("config"), format!("{ADDRESS}[include]\n\tpath = more\n")).unwrap();
        assert_eq!(repository().refs(), None, "other remotes may be in another file");
        fs::write(git.join("config"), ADDRESS).unwrap();
        for n in 0..NAMES_MAX {
            fs::write(git.join(format!("refs/tags/{n}")), "1").unwrap();
        }
        assert_eq!(repository().refs(), None, "too many");
    }

    #[test]
    fn remotes_are_read_in_every_form() {
        let config = "[remote \"up\"] url = x\n  [Remote \"two\"]\n[remote \"three\"] # c\n\tpushurl = y\n[branch \"a\"]\n";
        assert_eq!(config.lines().filter_map(remote_name).collect::<Vec<_>>(), ["up", "two", "three"]);
    }

    #[test]
    fn a_repository_without_work_tree_is_not_the_one_around_it() {
        let top = tempfile::tempdir().unwrap();
        let bare = top.path().join("sub.git");
        for folder in [top.path().join(".git"), bare.join("objects"), bare.join("refs")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(Repository::around(&LocalHost, &bare).is_none());
        assert!(Repository::around(&LocalHost, top.path()).is_some());
        assert_eq!(find(&LocalHost, &bare.join("refs")), Some(Found::Bare(bare)));
    }

    #[test]
    fn a_plain_file_called_head_is_no_repository() {
        let top = tempfile::tempdir().unwrap();
        let below = top.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        fs::write(top.path().join("HEAD"), "chapter one\n").unwrap();
        fs::create_dir(top.path().join("objects")).unwrap();
        assert_eq!(find(&LocalHost, &below), None);
        fs::create_dir(top.path().join("refs")).unwrap();
        assert_eq!(find(&LocalHost, &below), Some(Found::Bare(top.path().to_owned())));
        fs::create_dir(below.join(".git")).unwrap();
        assert_eq!(find(&LocalHost, &below), Some(Found::WorkTree(below)));
    }

    #[test]
    fn what_is_unfinished_is_known_by_its_file() {
        let top = tempfile::tempdir().unwrap();
        let git = top.path().join(".git");
        fs::create_dir_all(&git).unwrap();
        let begun = || {
            let begun = Repository::around(&LocalHost, top.path()).unwrap().unfinished();
            begun.map(|begun| (begun.verb, begun.words))
        };
        assert_eq!(begun(), None);
        for (file, verb, words) in [
            ("BISECT_LOG", None, "a bisection"),
            ("CHERRY_PICK_HEAD", Some("cherry-pick"), "a cherry-pick"),
            ("rebase-merge", Some("rebase"), "a rebase"),
        ] {
            fs::write(git.join(file), "x").unwrap();
            assert_eq!(begun(), Some((verb, words)), "{file}");
        }
    }

    #[test]
    fn nothing_is_said_of_a_linked_work_tree() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join(".git"), "gitdir: /elsewhere\n").unwrap();
        let repository = Repository::around(&LocalHost, top.path()).unwrap();
        assert!(!repository.is_own() && repository.refs().is_none());
    }
}
