//! Contents of text files.

use std::path::Path;

use askline_agent::call::Call;
use askline_host::Host;

use super::place::{Place, is_secret_path};
use super::{Bounds, Seen, files, shortened};
use crate::sandboxed_line::PRIVATE_KEY;

/// Maximum number of bytes of a file that are read.
const FILE_LIMIT: u64 = 4 << 20;
/// Maximum number of bytes of each file in a search.
const SEARCHED_LIMIT: u64 = 1 << 20;
/// Number of lines that are shown without a range.
const LINES: u64 = 60;
/// Maximum number of lines that a search returns.
const FOUND_MAX: usize = 60;

/// Part of a file.
pub(super) enum Part {
    /// Lines from the first to the last number, both included.
    Range(u64, u64),
    /// Lines at the end.
    Tail(u64),
}

impl Part {
    /// Returns the part that a call names.
    pub(super) fn of(call: &Call) -> Self {
        if let Some(tail) = call.number("tail") {
            return Self::Tail(tail);
        }
        let first = call.number("first").unwrap_or(1).max(1);
        Self::Range(first, call.number("last").unwrap_or(first.saturating_add(LINES - 1)))
    }
}

/// Shows lines of a file.
pub(super) fn read(host: &dyn Host, path: &str, part: &Part) -> Result<Seen, String> {
    let place = Place::of(host, path)?;
    if !place.entry.is_file {
        return Err(format!("`{path}` is no file; use list_dir"));
    }
    place.may_show_content(host)?;
    let text = text(host, &place.real, FILE_LIMIT).ok_or_else(|| format!("`{path}` is no text file"))?;
    if text.contains(PRIVATE_KEY) {
        return Err(format!("`{path}` holds a private key; it is not shown"));
    }
    let all: Vec<&str> = text.lines().collect();
    let count = all.len() as u64;
    let (first, last) = match *part {
        Part::Range(first, last) => (first, last.min(count)),
        Part::Tail(lines) => (1 + count.saturating_sub(lines), count),
    };
    let rows = all.iter().zip(1..).filter(|(_, number)| (first..=last).contains(number));
    let lines = rows.map(|(line, number)| format!("{number}: {line}")).collect();
    let is_cut = place.entry.size > FILE_LIMIT;
    Ok(Seen { headline: format!("{path}: lines {first} to {last} of {count}"), lines, is_cut })
}

/// Finds lines that contain a text.
pub(super) fn search(host: &dyn Host, path: &str, wanted: &str, bounds: &mut Bounds) -> Result<Seen, String> {
    let wanted = wanted.trim().to_lowercase();
    if wanted.is_empty() {
        return Err("the text is empty; say what to search for".to_owned());
    }
    let place = Place::of(host, path)?;
    place.may_show_content(host)?;
    let mut seen = Seen::default();
    let mut searched = 0;
    let mut look = |file: &Path| {
        let readable = !is_secret_path(file) && !file.components().any(|part| part.as_os_str() == ".git");
        let text = if readable { text(host, file, SEARCHED_LIMIT) } else { None };
        let Some(text) = text.filter(|text| !text.contains(PRIVATE_KEY)) else { return true };
        searched += 1;
        let shown = file.strip_prefix(&place.real).ok().filter(|rest| !rest.as_os_str().is_empty());
        let shown = shown.map_or_else(|| path.to_owned(), |rest| rest.display().to_string());
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| line.to_lowercase().contains(&wanted))
        {
            seen.lines.push(format!("{shown}:{number}: {}", shortened(line.trim())));
            if FOUND_MAX <= seen.lines.len() {
                return false;
            }
        }
        true
    };
    let is_whole = match place.entry.is_file {
        true => look(&place.real),
        false => files::walk_files(host, &place.real, bounds, &mut |file, _| look(file)),
    };
    seen.is_cut = !is_whole;
    seen.headline = format!("{} lines in {searched} files contain it", seen.lines.len());
    Ok(seen)
}

/// Returns the beginning of a text file whose content may be shown; `None` for anything else, and if it has a private key.
pub fn shown(host: &dyn Host, path: &str, limit: u64) -> Option<String> {
    let place = Place::of(host, path).ok().filter(|place| place.entry.is_file)?;
    place.may_show_content(host).ok()?;
    text(host, &place.real, limit).filter(|text| !text.contains(PRIVATE_KEY))
}

/// Returns the beginning of a text file; `None` for anything else.
fn text(host: &dyn Host, file: &Path, limit: u64) -> Option<String> {
    let bytes = host.head(file, limit).ok().filter(|bytes| !bytes.contains(&0))?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
