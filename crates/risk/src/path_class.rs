//! Path classes: owner, extent and content of the path that a word names. Decided by name only; nothing is looked up.
//!
//! `reading` converts a word to a path as far as the command line determines what the shell expands; this module
//! classifies the path. The names are data: `path_class.toml`.

mod pattern;
mod reading;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use self::pattern::braces;
use self::reading::{Base, Component, Path};
use super::effect::Scope;
use askline_syntax::Word;
use askline_syntax::shell::Shell;

pub(super) use self::pattern::matches;

/// Number of leading `..` after which a relative path is assumed to reach the root.
const CLIMBS_TO_ROOT: usize = 3;

/// Class of the path that a word names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathClass {
    /// Scope of an effect on the path.
    pub(super) scope: Scope,
    /// Kind of content.
    pub(super) kind: PathKind,
    /// `true` for content that its owner would not show unasked: a key, a password, a history.
    pub(super) private: bool,
    /// `true` if a pattern selects the files.
    pub(super) glob: bool,
    /// `true` for a path below a home directory.
    pub(super) in_home: bool,
    /// `true` for an absolute path outside home, temporary and system directories.
    pub(super) outside: bool,
    /// `true` for a directory into which users put files: a home directory, `/tmp`, `/data`, `/mnt`. Another file in it
    /// changes no other one.
    pub(super) open: bool,
    /// Normalized path: `~/x`, `/etc/x`, `../x`; `…` replaces parts that cannot be read.
    pub(super) path: String,
}

/// Kind of content of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PathKind {
    /// No special kind.
    Plain,
    /// Discards what is written to it.
    Sink,
    /// A setting of a device, which another write takes back.
    Setting,
    /// Hosts whose keys this machine trusts.
    Trust,
    /// Provides endless data.
    Endless,
    /// Temporary files, which anyone may delete.
    Temporary,
    /// Data of the version control system.
    Repository,
    /// Records of actions: shell histories, logs.
    Log,
    /// Keys, passwords, tokens, sessions.
    Secret,
    /// Files that run automatically.
    Startup,
    /// Files that reveal what their owner did or can log in to, in addition to another kind.
    Private,
    /// Files that do not reveal this, in addition to another kind.
    Public,
}

/// Returns the pattern of Nushell's `(glob …)`.
fn globbed(text: &str) -> Option<&str> {
    let inside = text.trim_start_matches("...").strip_prefix("(glob ")?.strip_suffix(')')?.trim();
    Some(inside.trim_matches(['"', '\''])).filter(|pattern| !pattern.contains(['(', '|', ' ']))
}

/// Returns the class of the path that a word of a command line names.
pub(super) fn path(word: &Word, shell: Shell) -> PathClass {
    let expands = !word.literal || (shell.is_nushell() && word.text.starts_with('~'));
    if !expands
        && let Some((scheme, _)) = word.text.split_once("://")
        && is_scheme(scheme)
        && scheme != "file"
    {
        return PathClass { scope: Scope::Remote, path: word.text.clone(), ..PathClass::nothing() };
    }
    if let Some(pattern) = globbed(&word.text).filter(|_| expands && shell.is_nushell()) {
        return path(&Word { text: pattern.to_owned(), glob: true, ..word.clone() }, shell);
    }
    let text = word.text.strip_prefix("file://").unwrap_or(&word.text);
    let alternatives = if expands { braces(text, shell) } else { vec![text.to_owned()] };
    let places = alternatives.iter().map(|text| {
        let globs = word.glob
            || (expands || !word.quoted) && shell.dialect().has_pattern_groups && text.contains('^');
        judge(reading::read(text, shell, expands, globs))
    });
    let places: Vec<PathClass> = places.collect();
    let private = places.iter().any(|place| place.private);
    let worst = places.into_iter().max_by_key(PathClass::rank).unwrap_or_else(PathClass::nothing);
    PathClass { private, ..worst }
}

/// Returns the class of a path that no shell expands, as in other languages: only a leading `~` is special, `$x` is
/// unknown, and `*` may be a pattern.
pub(super) fn named(text: &str) -> PathClass {
    judge(reading::read(text, Shell::SH, text.contains(['~', '$']), text.contains(['*', '?'])))
}

impl PathClass {
    /// Returns the class of an empty word.
    fn nothing() -> Self {
        Self {
            scope: Scope::Own,
            kind: PathKind::Plain,
            private: false,
            glob: false,
            in_home: false,
            outside: false,
            open: false,
            path: String::new(),
        }
    }

    /// Returns a sort key; of several alternatives the highest one is reported.
    pub(super) fn rank(&self) -> (u8, PathKind, bool) {
        let scope = match self.scope {
            Scope::Own => 0,
            Scope::Tree => 1,
            Scope::Remote => 2,
            Scope::Cwd => 3,
            Scope::Home => 4,
            Scope::System => 5,
            Scope::Device => 6,
            Scope::Unreadable => 7,
            Scope::Everything => 8,
        };
        (scope, self.kind, self.in_home)
    }
}

/// Lists for host names: `hosts` of `path_class.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostLists {
    pub(super) endings: Vec<String>,
    pub(super) plain: Vec<String>,
}

/// Content of `path_class.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PathTable {
    pub(super) hosts: HostLists,
    variables: BTreeMap<String, String>,
    unset: BTreeMap<String, String>,
    substitutions: BTreeMap<String, String>,
    names: PathNames,
    aliases: Vec<Alias>,
    directories: Directories,
    kinds: BTreeMap<PathKind, Vec<String>>,
    shadowing: Shadowing,
}

/// Files that take the place of programs of the system.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shadowing {
    directories: Vec<String>,
    programs: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PathNames {
    variables: Vec<String>,
    commands: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Alias {
    from: String,
    to: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Directories {
    homes: Vec<String>,
    system: Vec<String>,
    temporary: Vec<String>,
    mounts: Vec<String>,
}

pub(super) static TABLE: LazyLock<PathTable> = LazyLock::new(|| {
    toml::from_str(include_str!("path_class.toml")).unwrap_or_else(|error| panic!("path_class.toml: {error}"))
});

/// A parsed pattern of `kinds`.
struct Pattern {
    kind: PathKind,
    anchor: Anchor,
    names: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Anchor {
    Home,
    Root,
    End,
}

/// Patterns in the order in which they are tried.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let order = [
        PathKind::Plain,
        PathKind::Sink,
        PathKind::Setting,
        PathKind::Trust,
        PathKind::Endless,
        PathKind::Startup,
        PathKind::Log,
        PathKind::Secret,
        PathKind::Repository,
        PathKind::Temporary,
        PathKind::Private,
        PathKind::Public,
    ];
    let listed = |kind| TABLE.kinds.get(&kind).into_iter().flatten().map(move |name| (kind, name));
    order
        .into_iter()
        .flat_map(listed)
        .map(|(kind, name)| {
            let (anchor, rest) = match (name.strip_prefix("~/"), name.strip_prefix('/')) {
                (Some(rest), _) => (Anchor::Home, rest),
                (None, Some(rest)) => (Anchor::Root, rest),
                (None, None) => (Anchor::End, name.as_str()),
            };
            Pattern { kind, anchor, names: rest.split('/').collect() }
        })
        .chain(shadows())
        .collect()
});

/// Returns the patterns of files that run in the place of a program of the system.
fn shadows() -> impl Iterator<Item = Pattern> {
    let Shadowing { directories, programs } = &TABLE.shadowing;
    let pattern = |directory: &'static str, program: &'static str| Pattern {
        kind: PathKind::Startup,
        anchor: Anchor::Home,
        names: directory.split('/').chain([program]).collect(),
    };
    directories
        .iter()
        .flat_map(move |directory| programs.iter().map(move |program| pattern(directory, program)))
}

/// Returns the program of the system in whose place a file runs: `sudo` for `~/.local/bin/sudo`.
pub(super) fn shadowed(path: &str) -> Option<&str> {
    let (directory, program) = path.strip_prefix("~/")?.rsplit_once('/')?;
    let Shadowing { directories, programs } = &TABLE.shadowing;
    let is_one =
        directories.iter().any(|known| known == directory) && programs.iter().any(|known| known == program);
    is_one.then_some(program)
}

/// Indices into [`PATTERNS`] by anchor and by the name that is compared first; patterns with a `*` or `?` in that name
/// are under the empty name.
static BY_NAME: LazyLock<HashMap<Anchor, HashMap<&'static str, Vec<usize>>>> = LazyLock::new(|| {
    let mut found: HashMap<Anchor, HashMap<&'static str, Vec<usize>>> = HashMap::new();
    for (at, pattern) in PATTERNS.iter().enumerate() {
        let name = match pattern.anchor {
            Anchor::Home | Anchor::Root => pattern.names.first(),
            Anchor::End => pattern.names.last(),
        };
        let name = name.copied().filter(|name| !name.contains(['*', '?'])).unwrap_or_default();
        found.entry(pattern.anchor).or_default().entry(name).or_default().push(at);
    }
    found
});

/// Classifies a path.
fn judge(mut path: Path) -> PathClass {
    let (kind, private) = kind(&path);
    let private = private || path.lowered().is_some_and(|path| self::kind(&path).1);
    let glob = path.components.iter().any(|component| component.glob);
    // A final `*` means the whole content of the directory.
    let mut whole = false;
    while path.components.last().is_some_and(Component::is_all) {
        path.components.pop();
        whole = true;
    }
    let mut place = PathClass {
        scope: if whole { Scope::Tree } else { Scope::Own },
        kind,
        private,
        glob,
        path: path.to_string(),
        ..PathClass::nothing()
    };
    match path.base {
        Base::Nothing => place.scope = Scope::Own,
        Base::Unknown => place.scope = Scope::Unreadable,
        Base::Here => here(&path, &mut place),
        Base::Home => {
            place.in_home = !path.components.is_empty();
            match path.components.first() {
                None => (place.scope, place.open) = (Scope::Home, true),
                Some(first) if first.may_be_empty() => place.scope = Scope::Home,
                Some(first) if first.is_unknown() => place.scope = Scope::Unreadable,
                Some(_) => {}
            }
        }
        Base::Root => absolute(&path, &mut place),
    }
    place.open &= !whole && !glob;
    place
}

/// Classifies a path in the working directory or above it.
fn here(path: &Path, place: &mut PathClass) {
    let directories = &TABLE.directories;
    let tops = || directories.system.iter().chain(&directories.homes).chain(&directories.temporary);
    match path.components.first() {
        None => place.scope = Scope::Cwd,
        Some(first) if first.is_unknown() => place.scope = Scope::Unreadable,
        // `../../../../etc` reaches the root.
        Some(first)
            if path.climbs >= CLIMBS_TO_ROOT
                && tops().any(|name| name.strip_prefix('/') == Some(&first.text)) =>
        {
            absolute(&Path { base: Base::Root, climbs: 0, ..path.clone() }, place);
        }
        Some(_) => {}
    }
}

/// Classifies a path from the root.
fn absolute(path: &Path, place: &mut PathClass) {
    let Some(first) = path.components.first() else {
        place.scope = Scope::Everything;
        return;
    };
    if first.may_be_empty() {
        place.scope = Scope::Everything;
        return;
    }
    if first.glob || first.is_unknown() {
        place.scope = Scope::System;
        return;
    }
    if matches!(place.kind, PathKind::Sink | PathKind::Endless) {
        place.scope = Scope::Own;
        return;
    }
    let directories = &TABLE.directories;
    // Number of names below a directory of the list, if the path is in one.
    let below = |names: &[String]| names.iter().filter_map(|name| path.below(name)).min();
    if let Some(rest) = below(&directories.temporary) {
        if place.kind == PathKind::Plain {
            place.kind = PathKind::Temporary;
        }
        if rest == 0 {
            (place.scope, place.open) = (Scope::System, true);
        }
        return;
    }
    // Only root can write there, and to root it is a home.
    if let Some(rest) = path.below("/root") {
        (place.in_home, place.outside) = (rest > 0, true);
        let in_it = path.components.get(path.components.len() - rest..).and_then(<[Component]>::first);
        if in_it.is_none_or(Component::may_be_empty) {
            (place.scope, place.open) = (Scope::Home, rest == 0);
        }
        return;
    }
    if below(&directories.system) == Some(0) {
        place.scope = Scope::System;
        return;
    }
    if let Some(rest) = below(&directories.homes)
        && below(&["/Users/Shared".to_owned()]).is_none()
    {
        let in_it = path.components.get(path.components.len() - rest..).and_then(|rest| rest.get(1));
        place.in_home = rest > 1;
        if in_it.is_none_or(Component::may_be_empty) {
            (place.scope, place.open) = (Scope::Home, rest == 1);
        }
        return;
    }
    if let Some(rest) = below(&directories.mounts) {
        place.outside = true;
        if rest == 0 {
            (place.scope, place.open) = (Scope::System, true);
        }
        return;
    }
    if first.text == "dev" && path.components.len() > 1 {
        // bash opens a connection for `/dev/tcp/host/port`.
        let connects = ["/dev/tcp", "/dev/udp"].iter().any(|directory| path.below(directory).is_some());
        place.scope = if connects { Scope::Remote } else { Scope::Device };
        return;
    }
    if below(&directories.system).is_some() {
        place.scope = Scope::System;
        return;
    }
    // `/data` and the like hold data of users.
    place.outside = true;
    if path.components.len() == 1 {
        (place.scope, place.open) = (Scope::System, true);
    }
}

/// Returns the kind of the first pattern that matches, and whether the content is private.
fn kind(path: &Path) -> (PathKind, bool) {
    let mut names: &[Component] = &path.components;
    while let Some((last, before)) = names.split_last()
        && last.is_all()
    {
        names = before;
    }
    if names.is_empty() {
        return (PathKind::Plain, false);
    }
    let homes = || TABLE.directories.homes.iter().filter_map(|home| path.below(home)).min();
    let in_home: Option<&[Component]> = match path.base {
        Base::Home => Some(names),
        // The working directory is unknown, but names with a leading dot suggest a home directory.
        Base::Here | Base::Unknown => {
            let names = names.get(names.iter().take_while(|name| name.is_unknown()).count()..);
            names.filter(|names| {
                names.first().is_some_and(|name| name.text.starts_with('.') || name.text == "Library")
            })
        }
        Base::Root if path.below("/root").is_some() => names.get(1..),
        Base::Root => homes().and_then(|rest| names.get(path.components.len() + 1 - rest.max(1)..)),
        Base::Nothing => None,
    };
    let part = |pattern: &Pattern| {
        let count = pattern.names.len();
        match pattern.anchor {
            Anchor::Home => in_home.and_then(|names| names.get(..count)),
            Anchor::Root => names.get(..count).filter(|_| path.base == Base::Root),
            Anchor::End => names.len().checked_sub(count).and_then(|start| names.get(start..)),
        }
    };
    let all = |pattern: &Pattern, fits: fn(&Component, &str) -> bool| {
        part(pattern)
            .is_some_and(|part| part.iter().zip(&pattern.names).all(|(name, pattern)| fits(name, pattern)))
    };
    // The name that is compared first, unless it is a pattern itself.
    let key = |anchor| match anchor {
        Anchor::Home => in_home.and_then(<[Component]>::first),
        Anchor::Root => names.first(),
        Anchor::End => names.last(),
    };
    let mut candidates: Vec<usize> = Vec::new();
    for anchor in [Anchor::Home, Anchor::Root, Anchor::End] {
        let Some(name) = key(anchor) else { continue };
        if name.glob {
            candidates.extend(0..PATTERNS.len());
            break;
        }
        candidates.extend(
            BY_NAME.get(&anchor).and_then(|by_name| by_name.get(name.text.as_str())).into_iter().flatten(),
        );
        candidates.extend(BY_NAME.get(&anchor).and_then(|by_name| by_name.get("")).into_iter().flatten());
    }
    candidates.sort_unstable();
    let patterns = || candidates.iter().filter_map(|at| PATTERNS.get(*at));
    let kind = patterns()
        .find(|pattern| all(pattern, Component::fits))
        .map_or(PathKind::Plain, |pattern| pattern.kind);
    let is_harmless = |pattern: &Pattern| {
        matches!(
            pattern.kind,
            PathKind::Plain | PathKind::Sink | PathKind::Setting | PathKind::Trust | PathKind::Public
        ) && all(pattern, Component::is_covered)
    };
    let is_private = |pattern: &Pattern| {
        matches!(pattern.kind, PathKind::Secret | PathKind::Private) && all(pattern, Component::is_meant)
    };
    (kind, !patterns().any(is_harmless) && patterns().any(is_private))
}

fn is_scheme(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}
