//! Looks that follow from what was seen: folders and files whose names or endings fit the words of the request.

use serde_json::{Map, Value};

use super::{FILE, words};
use crate::call::Call;
use crate::context::Exchange;

/// Maximum number of files that are read, and number of their lines.
const READ_MAX: usize = 2;
const READ_LINES: u64 = 4;
/// Maximum number of folders that are listed.
const LISTED_MAX: usize = 2;
/// Minimum length of words of which one may begin the other, in characters.
const BEGINNING_CHARS_MIN: usize = 4;
/// Words of requests that say nothing about names.
const COMMON: [&str; 16] = [
    "file", "files", "folder", "folders", "this", "that", "with", "from", "into", "have", "the", "and",
    "all", "here", "one", "not",
];
/// Tools whose lines begin with a name, and what ends it.
const LISTING: [&str; 3] = ["list_dir", "find_files", "disk_usage"];
const NAME_END: &str = ": ";

/// Returns the next looks for a request after those that were made; empty if nothing fits.
pub fn followups(request: &str, made: &[Exchange]) -> Vec<Call> {
    let words = words(request);
    let names = names(made);
    if names.is_empty() {
        return Vec::new();
    }
    let of = |tool: &str, key: &str, value: &str| {
        let parameters = Map::from_iter([(key.to_owned(), Value::from(value))]);
        Call { name: tool.to_owned(), parameters }
    };
    let is_new = |call: &Call| !made.iter().any(|other| other.call.signature() == call.signature());
    let (folders, files): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| name.ends_with('/'));
    let is_open = |name: &str| !name.starts_with('.');

    let is_meant = |folder: &&&String| is_open(folder) && score(&words, folder) > 0;
    let meant =
        folders.iter().filter(is_meant).map(|folder| of("list_dir", "path", folder.trim_end_matches('/')));
    let mut calls: Vec<Call> = meant.filter(is_new).take(LISTED_MAX).collect();

    let text = |name: &&&String| is_open(name) && FILE.kind.iter().any(|kind| kind.opened && kind.has(name));
    let texts: Vec<&String> = files.iter().filter(text).copied().collect();
    let mut best: Vec<(usize, &String)> = texts.iter().map(|name| (score(&words, name), *name)).collect();
    let is_about_files = made.iter().any(|it| it.call.name == "list_dir");
    let is_about_others =
        files.iter().any(|name| FILE.kind.iter().any(|kind| !kind.opened && kind.fits(&words, name)));
    if let ([(only, _)], true, false) = (best.as_mut_slice(), is_about_files, is_about_others) {
        *only += 1;
    }
    best.retain(|(score, _)| *score > 0);
    best.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    let read = best.iter().take(READ_MAX).map(|(_, name)| {
        let mut call = of("read_file", "path", name);
        call.parameters.insert("last".to_owned(), Value::from(READ_LINES));
        call
    });
    calls.extend(read.filter(is_new));

    let has_folders = folders.iter().any(|folder| is_open(folder));
    if calls.is_empty() && best.is_empty() && has_folders && is_about_files {
        calls.extend(Some(of("find_files", "pattern", "*")).filter(is_new));
    }
    calls
}

/// Returns the lines of a look. Names in a listing become paths from the current directory.
pub fn rows(made: &Exchange) -> Vec<String> {
    let above = made.call.text("path").map_or("", |path| path.trim_end_matches('/'));
    let is_below = LISTING.contains(&made.call.name.as_str()) && !matches!(above, "" | ".");
    let row = |line: &str| match is_below && line.contains(NAME_END) {
        true => format!("{above}/{line}"),
        false => line.to_owned(),
    };
    made.observation.text.lines().map(row).collect()
}

/// Returns the names that the looks listed, as paths from the current directory; directories end with a slash.
fn names(made: &[Exchange]) -> Vec<String> {
    let is_listing = |it: &&Exchange| LISTING.contains(&it.call.name.as_str()) && !it.observation.is_error;
    let rows = made.iter().filter(is_listing).flat_map(rows);
    let mut names: Vec<String> = rows
        .filter_map(|row| row.rsplit_once(NAME_END).map(|(name, _)| name.to_owned()))
        .filter(|name| !name.contains(NAME_END))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Returns how well a name fits the words of a request, without the folders above it: by its parts and, half as much, by the kind
/// of its ending.
fn score(words: &[String], name: &str) -> usize {
    let lower = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name).to_lowercase();
    let parts = || lower.split(|c: char| !c.is_alphanumeric()).filter(|part| part.chars().count() > 2);
    let fitting = words.iter().filter(|word| !COMMON.contains(&word.as_str()) && word.chars().count() > 2);
    let by_name = fitting.filter(|word| parts().any(|part| is_like(word, part))).count();
    let by_kind = FILE.kind.iter().any(|kind| kind.fits(words, &lower));
    2 * by_name + usize::from(by_kind)
}

/// Reports whether two words are the same, one is the plural of the other, or a long one begins the other.
fn is_like(word: &str, part: &str) -> bool {
    let shorter = word.chars().count().min(part.chars().count());
    word.trim_end_matches('s') == part.trim_end_matches('s')
        || BEGINNING_CHARS_MIN <= shorter && (word.starts_with(part) || part.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Observation;

    fn made(tool: &str, path: Option<&str>, text: &str) -> Exchange {
        let parameters = path.map(|path| ("path".to_owned(), Value::from(path))).into_iter().collect();
        let call = Call { name: tool.to_owned(), parameters };
        Exchange {
            thought: String::new(),
            call,
            observation: Observation::seen("seen", text.to_owned(), false),
        }
    }

    #[test]
    fn what_the_names_say_is_looked_at_next() {
        let here =
            "kunden.csv: 90 B, 1 min ago\nnotes.txt: 2 B, 0 min ago\nlogs/: directory\n.git/: directory\n";
        for (request, expected) in [
            ("print the table of customers", "read_file last=4 path=kunden.csv"),
            ("show my notes", "read_file last=4 path=notes.txt"),
            ("show the newest log", "list_dir path=logs"),
            ("where are the photos", "find_files pattern=*"),
        ] {
            let calls = followups(request, &[made("list_dir", None, here)]);
            let calls: Vec<String> = calls.iter().map(Call::signature).collect();
            assert_eq!(calls, [expected], "{request}");
        }
    }

    #[test]
    fn a_lonely_table_is_not_opened_for_words_about_other_files() {
        let here = made("list_dir", None, "parcel.tar.xz: 900 B, 1 min ago\nstaff.csv: 90 B, 1 min ago\n");
        for (request, count) in
            [("unpack the archive into a new folder out", 0), ("what is the highest salary", 1)]
        {
            assert_eq!(followups(request, std::slice::from_ref(&here)).len(), count, "{request}");
        }
    }

    #[test]
    fn nothing_is_looked_at_twice() {
        let request = "show the newest log";
        let first = made("list_dir", None, "logs/: directory\nold/: directory\n");
        let second = made("list_dir", Some("logs"), "app.log: 1 B, 0 min ago\n");
        let third = followups(request, &[first.clone(), second.clone()]);
        assert_eq!(
            third.iter().map(Call::signature).collect::<Vec<_>>(),
            ["read_file last=4 path=logs/app.log"]
        );
        let read = Exchange { call: third[0].clone(), ..made("read_file", None, "1: x") };
        assert_eq!(followups(request, &[first, second, read]), []);
        assert_eq!(followups(request, &[]), []);
    }
}
