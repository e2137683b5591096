//! Names, sizes and times of files.

use std::path::Path;
use std::time::{Duration, SystemTime};

use askline_host::{FileEntry, Host, NameKind};

use super::place::Place;
use super::{Bounds, Seen, size, wildcard};

/// Maximum number of entries of one directory.
const NAMES_MAX: usize = 5_000;
/// Maximum depth of a search.
const DEPTH_MAX: usize = 16;
/// Maximum number of files that a search returns.
const FOUND_MAX: usize = 200;
/// Directories without files of their own on a disk.
const VIRTUAL: [&str; 3] = ["/proc", "/sys", "/dev"];
/// Number of entries that a headline names.
const HEADLINE_NAMES: usize = 3;

/// A name in a directory.
struct Name {
    name: String,
    kind: NameKind,
    entry: Option<FileEntry>,
    link: bool,
}

/// Returns the names in a directory, without looking through links.
fn names(host: &dyn Host, directory: &Path) -> Result<Vec<Name>, String> {
    let found = host.list_kinds(directory, NAMES_MAX);
    let found = found.map_err(|_| format!("`{}` can't be listed", directory.display()))?;
    let name = |(name, kind): (std::ffi::OsString, NameKind)| {
        let path = directory.join(&name);
        let link = kind == NameKind::LinkedDirectory || host.link_target(&path).is_some();
        let entry = if link { None } else { host.entry(&path) };
        Name { name: name.to_string_lossy().into_owned(), kind, entry, link }
    };
    Ok(found.into_iter().map(name).collect())
}

/// Lists a directory, the largest files first.
pub(super) fn list(host: &dyn Host, path: &str, bounds: &mut Bounds) -> Result<Seen, String> {
    let place = Place::of(host, path)?;
    if !place.entry.is_directory {
        return Err(format!("`{path}` is no directory; use stat or read_file"));
    }
    let mut names = names(host, &place.real)?;
    let is_cut = NAMES_MAX <= names.len();
    names.sort_by_key(|name| {
        let directory = name.kind == NameKind::Directory;
        (directory, std::cmp::Reverse(name.entry.map_or(0, |entry| entry.size)), name.name.clone())
    });
    let (mut files, mut directories, mut total) = (0, 0, 0_u64);
    let mut lines = Vec::new();
    for name in names.iter().take_while(|_| bounds.admit()) {
        let entry = name.entry;
        let about = match (name.kind, entry) {
            _ if name.link => "link".to_owned(),
            (NameKind::Directory, _) => "directory".to_owned(),
            (NameKind::File, Some(entry)) => format!("{}, {}", size(entry.size), age(entry.modified)),
            _ => "special".to_owned(),
        };
        match name.kind {
            NameKind::Directory => directories += 1,
            _ => files += 1,
        }
        total = total.saturating_add(entry.filter(|entry| entry.is_file).map_or(0, |entry| entry.size));
        let slash = if name.kind == NameKind::Directory { "/" } else { "" };
        lines.push(format!("{}{slash}: {about}", name.name));
    }
    let headline = format!("{path}: {files} files of {}, {directories} directories", size(total));
    Ok(Seen { headline, lines, is_cut })
}

/// Shows one path.
pub(super) fn stat(host: &dyn Host, path: &str) -> Result<Seen, String> {
    let Place { entry, real, .. } = Place::of(host, path)?;
    let kind = match entry {
        FileEntry { is_directory: true, .. } => "directory",
        FileEntry { is_file: true, .. } => "file",
        _ => "special file",
    };
    let line = format!(
        "{path}: {kind}, {}, mode {:o}, owner {}, {}, at {}",
        size(entry.size),
        entry.mode,
        entry.owner,
        age(entry.modified),
        real.display()
    );
    Ok(Seen { headline: line.clone(), lines: vec![line], is_cut: false })
}

/// Finds files by name.
pub(super) fn find(host: &dyn Host, path: &str, pattern: &str, bounds: &mut Bounds) -> Result<Seen, String> {
    let place = Place::of(host, path)?;
    let mut seen = Seen::default();
    let is_whole = walk(host, &place.real, bounds, &mut |at, name| {
        if wildcard::fits(pattern, &name.name) {
            let shown = at.join(&name.name);
            let shown = shown.strip_prefix(&place.real).unwrap_or(&shown).display().to_string();
            let about = name.entry.map_or_else(|| "link".into(), |entry| size(entry.size));
            seen.lines.push(format!("{shown}: {about}"));
        }
        seen.lines.len() < FOUND_MAX
    });
    seen.is_cut = !is_whole;
    seen.headline = format!("{} fit {pattern} in {path}", seen.lines.len());
    Ok(seen)
}

/// Sums up the size of each entry of a directory.
pub(super) fn disk_usage(host: &dyn Host, path: &str, bounds: &mut Bounds) -> Result<Seen, String> {
    let place = Place::of(host, path)?;
    let mut sums: Vec<(u64, String)> = Vec::new();
    let mut is_cut = false;
    for name in names(host, &place.real)?.into_iter().filter(|name| !name.link) {
        let (at, slash) =
            (place.real.join(&name.name), if name.kind == NameKind::Directory { "/" } else { "" });
        if bounds.is_closed(&at) {
            is_cut = true;
            continue;
        }
        let mut sum = name.entry.filter(|entry| entry.is_file).map_or(0, |entry| entry.size);
        if name.kind == NameKind::Directory && !VIRTUAL.iter().any(|other| at == Path::new(other)) {
            is_cut |= !walk(host, &at, bounds, &mut |_, name| {
                let file = name.entry.filter(|entry| entry.is_file);
                sum = sum.saturating_add(file.map_or(0, |entry| entry.size));
                true
            });
        }
        sums.push((sum, format!("{}{slash}", name.name)));
    }
    sums.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let total = sums.iter().fold(0_u64, |total, (sum, _)| total.saturating_add(*sum));
    let largest: Vec<String> =
        sums.iter().take(HEADLINE_NAMES).map(|(sum, name)| format!("{name} {}", size(*sum))).collect();
    let free = host.free_space(&place.real).map(|free| format!("{} free on this file system", size(free)));
    let least = if is_cut { "at least " } else { "" };
    let headline = format!("{path} has {least}{}: {}", size(total), largest.join(", "));
    let rows = sums.iter().map(|(sum, name)| format!("{name}: {}", size(*sum)));
    let lines = free.into_iter().chain(rows).collect();
    Ok(Seen { headline, lines, is_cut })
}

/// Visits everything below a directory; links are not followed. Returns whether it came to the end.
pub(super) fn walk_files(
    host: &dyn Host,
    directory: &Path,
    bounds: &mut Bounds,
    visit: &mut dyn FnMut(&Path, FileEntry) -> bool,
) -> bool {
    walk(host, directory, bounds, &mut |at, name| {
        let file = name.entry.filter(|entry| entry.is_file);
        file.is_none_or(|entry| visit(&at.join(&name.name), entry))
    })
}

fn walk(
    host: &dyn Host,
    directory: &Path,
    bounds: &mut Bounds,
    visit: &mut dyn FnMut(&Path, &Name) -> bool,
) -> bool {
    let mut left = vec![(directory.to_owned(), 0)];
    let mut is_whole = true;
    while let Some((at, depth)) = left.pop() {
        let Ok(mut names) = names(host, &at) else {
            is_whole = false;
            continue;
        };
        is_whole &= names.len() < NAMES_MAX;
        names.sort_by(|one, other| one.name.cmp(&other.name));
        for name in &names {
            let below = at.join(&name.name);
            if bounds.is_closed(&below) {
                is_whole = false;
                continue;
            }
            if !bounds.admit() || !visit(&at, name) {
                return false;
            }
            let is_virtual = VIRTUAL.iter().any(|other| below == Path::new(other));
            if name.kind == NameKind::Directory && !name.link && !is_virtual {
                is_whole &= depth < DEPTH_MAX;
                if depth < DEPTH_MAX {
                    left.push((below, depth + 1));
                }
            }
        }
    }
    is_whole
}

/// Returns how long ago a time was.
fn age(time: SystemTime) -> String {
    let ago = SystemTime::now().duration_since(time).unwrap_or(Duration::ZERO).as_secs();
    match ago {
        0..3_600 => format!("{} min ago", ago / 60),
        3_600..86_400 => format!("{} h ago", ago / 3_600),
        _ => format!("{} days ago", ago / 86_400),
    }
}
