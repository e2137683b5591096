//! Words that only make sense as a continuation: "only those changed this week", "same for png".

use std::sync::LazyLock;

use serde::Deserialize;

use super::is_edited;
use askline_model::prompt::Solved;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Maximum number of words of a continuation; a longer request says all it needs.
const WORDS_MAX: usize = 12;
/// Maximum numbers of words of one that begins as a request might, too, of one that goes on with a noun, and of one that ends with
/// a word for the last answer.
const SHORT_WORDS_MAX: usize = 3;
const NOUN_WORDS_MAX: usize = 6;
const END_WORDS_MAX: usize = 5;
/// Minimum number of words of a request that stands alone.
const STANDING_WORDS_MIN: usize = 3;
/// Extensions by which people name files.
pub const EXTENSIONS: [&str; 48] = [
    "jpg", "jpeg", "png", "gif", "svg", "webp", "heic", "tif", "tiff", "bmp", "pdf", "txt", "md", "csv",
    "tsv", "json", "yaml", "yml", "xml", "html", "css", "js", "ts", "py", "rb", "rs", "cpp", "java", "php",
    "sh", "log", "conf", "ini", "sql", "zip", "tar", "gz", "mp3", "mp4", "mkv", "mov", "avi", "wav", "flac",
    "ogg", "docx", "odt", "xlsx",
];
/// Maximum length of a request with the words that go on from it, in bytes.
const JOINED_BYTES_MAX: usize = 600;
/// Signs at the end of a request that a comma replaces.
const ENDS: [char; 5] = [' ', ',', '.', '?', '!'];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    begins: Vec<String>,
    alone: Vec<String>,
    short: Vec<String>,
    objects: Vec<String>,
    ends: Vec<String>,
    noun_ends: Vec<String>,
    short_ends: Vec<String>,
    verbs: Vec<String>,
    things: Vec<String>,
    leads: Vec<String>,
    instead: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("continuation.toml"))
        .expect("the table in the tree parses: a test checks that")
});

/// Reports whether words go on from a request, and are not the same request after an edit: they only make sense so, or say no more
/// than how the command of the last answer is to change.
pub fn goes_on(last: &Solved, words: &str, shell: Shell) -> bool {
    !is_edited(&last.request, words)
        && !names_new_address(last, words)
        && (is_continuation(words) || changes(&last.command, words, shell))
}

/// Reports whether words ask for a thing of another address than that of the last answer: "only the status of https://example.com".
fn names_new_address(last: &Solved, words: &str) -> bool {
    let lower = words.to_lowercase();
    let is_thing = |start: &String| lower.strip_prefix(start).is_some_and(|rest| rest.starts_with(' '));
    let is_new = |word: &str| {
        let address = word.trim_matches([',', '.', '!', '?']);
        address.contains("://") && !last.command.contains(address) && !last.request.contains(address)
    };
    words.split_whitespace().any(is_new) && TABLE.things.iter().any(is_thing)
}

/// Reports whether words that go on from a request would say enough without it: they name a thing of their own.
pub fn may_stand_alone(words: &str) -> bool {
    let lower = words.to_lowercase();
    let begins =
        |start: &String| lower.strip_prefix(start.as_str()).is_some_and(|rest| rest.starts_with(' '));
    let is_change = [&TABLE.begins, &TABLE.short, &TABLE.leads].into_iter().flatten().any(begins);
    STANDING_WORDS_MIN <= words.split_whitespace().count()
        && !is_change
        && !TABLE.ends.iter().any(|end| lower.ends_with(&format!(" {end}")))
        && !names_earlier(words)
        && !TABLE.alone.contains(&lower)
        && instead(words).is_none()
}

/// Reports whether words say how a command is to change, and are no request of their own.
pub fn changes(command: &str, words: &str, shell: Shell) -> bool {
    let leads = words.split_whitespace().next().map(str::to_lowercase).unwrap_or_default();
    words.split_whitespace().count() <= WORDS_MAX
        && askline_intent::follow_up(words, 0, &ParsedLine::new(command, shell), &|_| None)
            .is_some_and(|changed| !changed.may_stand_alone || TABLE.leads.contains(&leads))
}

/// Reports whether words only make sense after an earlier request.
fn is_continuation(words: &str) -> bool {
    let is_mark = |c: char| matches!(c, ',' | '.' | '!' | '?' | ':' | ';');
    let words: Vec<String> =
        words.split_whitespace().map(|word| word.trim_matches(is_mark).to_lowercase()).collect();
    let text = words.join(" ");
    let begins = |start: &String| text.strip_prefix(start).is_some_and(|rest| rest.starts_with(' '));
    let ends = |end: &String| text.strip_suffix(end).is_some_and(|rest| rest.ends_with(' '));
    let names_file = words.iter().any(|word| word.contains(['.', '/', '*']));
    let is_short = |start: &String| {
        let most = if start.ends_with(" the") { NOUN_WORDS_MAX } else { SHORT_WORDS_MAX };
        words.len() <= most && begins(start)
    };
    let begins_verb = words.first().is_some_and(|first| TABLE.verbs.contains(first));
    let is_alone = TABLE.alone.contains(&text);
    let is_more = !names_file && TABLE.short.iter().any(is_short);
    is_alone
        || (2..=WORDS_MAX).contains(&words.len())
            && (is_more
                || TABLE.begins.iter().any(begins)
                || TABLE.ends.iter().any(ends)
                || words.len() <= END_WORDS_MAX && !names_file && TABLE.noun_ends.iter().any(ends)
                || words.len() <= SHORT_WORDS_MAX
                    && !names_file
                    && !begins_verb
                    && TABLE.short_ends.iter().any(ends)
                || words.get(1).is_some_and(|second| TABLE.objects.contains(second)))
}

/// Returns the thing that takes the place of another one of the earlier request: the `png` of "same for png".
pub fn instead(words: &str) -> Option<&str> {
    let lower = words.to_lowercase();
    let start =
        TABLE.instead.iter().filter_map(|start| lower.strip_prefix(start.as_str())?.strip_prefix(' '));
    let rest = start.min_by_key(|rest| rest.len())?;
    // Lower case may have another length in other scripts.
    let rest = words
        .get(words.len().checked_sub(rest.len())?..)?
        .trim_matches(|c: char| c.is_whitespace() || ".,!?".contains(c));
    let rest = rest.strip_suffix(" files").unwrap_or(rest);
    let is_one = !rest.is_empty() && rest.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
    is_one.then_some(rest)
}

/// Reports whether words name what the earlier answer is about: "delete them".
pub fn names_earlier(words: &str) -> bool {
    words.split_whitespace().any(|word| {
        let word = word.trim_matches([',', '.', '!', '?']).to_lowercase();
        TABLE.objects.contains(&word)
    })
}

/// Returns a request with words that go on from it, as one request. Models that see it whole keep the earlier conditions
/// (`benches/experiments.md`, "Continuations").
pub fn joined(request: &str, words: &str) -> String {
    if request.is_empty() {
        return words.to_owned();
    }
    let joined = format!("{}, {words}", request.trim_end_matches(ENDS));
    if joined.len() <= JOINED_BYTES_MAX { joined } else { words.to_owned() }
}

/// Returns the earlier request with the only extension in it replaced, after "same for png". Without that the request of the next step
/// would name both.
pub fn with_other_extension(request: &str, words: &str) -> Option<String> {
    let new = instead(words).filter(|new| EXTENSIONS.contains(&new.to_lowercase().as_str()))?;
    let is_part = |c: char| c.is_alphanumeric();
    let mut extensions = request.split(|c| !is_part(c)).filter(|word| EXTENSIONS.contains(word));
    let old = extensions.next().filter(|old| extensions.all(|other| other == *old))?;
    let mut replaced = String::new();
    let mut rest = request;
    while let Some(at) = rest.find(old) {
        let (before, found) = rest.split_at_checked(at)?;
        let behind = found.get(old.len()..)?;
        // `log` in `/var/log` is no extension.
        let is_end = |c: char| is_part(c) || c == '/';
        let is_whole = !before.ends_with(is_end) && !behind.starts_with(is_end);
        replaced.push_str(before);
        replaced.push_str(if is_whole { new } else { old });
        rest = behind;
    }
    let replaced = format!("{replaced}{rest}");
    (replaced != request).then_some(replaced)
}

/// Returns the words that go on from `before` in a request that [`joined`] made; `None` if it made it not from that.
pub fn own_words<'r>(request: &'r str, before: &str) -> Option<&'r str> {
    request.strip_prefix(before.trim_end_matches(ENDS))?.strip_prefix(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuations_are_told_from_requests() {
        for (words, expected) in [
            ("only those changed this week", true),
            ("Only, those changed", true),
            ("same for png", true),
            ("sort them by size", true),
            ("delete it", true),
            ("hidden files too", true),
            ("show hidden files too", true),
            ("with line numbers", true),
            ("human readable", true),
            ("recursively", true),
            ("sort by size", true),
            ("sort by the second column of a.csv", false),
            ("with sed replace a by b in every line of x", false),
            ("in src count the lines", false),
            ("sort by the number of lines", true),
            ("recursively delete empty folders", false),
            ("sorted list of all folders here", false),
            ("with sudo restart nginx", false),
            ("just show my ip address", false),
            ("sort by size all files here", false),
            ("just the names of all users", false),
            ("list files", false),
            ("show only the names of all users that are logged in", false),
            ("onlyfiles x", false),
            ("only", false),
            ("ts files only", true),
            ("photos from march 2024 only", false),
            ("bigger than 10kb", true),
            ("just the last 3", false),
            ("biggest packages in there", true),
            ("dry run first", true),
            ("into a file", true),
            ("how many", true),
            ("per ip", true),
            ("not the img", true),
            ("not enough disk space, what can I delete", false),
            ("per user memory usage of all", false),
            ("as csv with email", true),
            ("as tar.gz", true),
            ("the other way round", true),
            ("with the date of the last", true),
            ("with line numbers show main.c", false),
            ("as zip pack the docs folder", false),
            ("as a table show users.csv", false),
            ("with the date as name create a folder", false),
            ("now the jpg", true),
            ("how much space do they use", true),
            ("how many files are here", false),
            ("now delete all logs in src", false),
            ("find big files and delete them", false),
            ("count the lines of those files", false),
            ("list directories only", false),
            ("git staged only", false),
            ("ping example.com only", false),
            ("bigger than 10mb files in photos", false),
            ("older than a year photos", false),
            ("just the first 3 lines of notes.txt", false),
            ("just the last 5 commits", false),
            ("do a dry run", true),
            ("as a dry run", true),
            ("do a dry run of apt upgrade", false),
            ("make a backup first", true),
            ("make a backup before deleting notes.txt", false),
            ("to a file named x.txt write hello", false),
            ("go to photos and list what is in there", false),
            ("unzip a.zip and count the files in there", false),
            ("", false),
        ] {
            assert_eq!(is_continuation(words), expected, "{words}");
        }
    }

    #[test]
    fn words_that_say_how_the_last_command_changes() {
        for (words, command, expected) in [
            ("older than 30 days", "find . -type f -size +5M", true),
            ("just the last 3", "grep ERROR app.log", true),
            ("into names.txt", "cut -d, -f1 a.csv", true),
            ("older than a year photos", "find . -type f -size +5M", false),
            ("files older than 30 days", "find . -type f -size +5M", false),
            ("csv files", "find . -type f -size +5M", false),
            ("only csv files", "find . -type f -size +5M", true),
            ("just the last 5 commits", "grep ERROR app.log", false),
            ("older than 30 days", "df -h", false),
        ] {
            let last = Solved { request: "show x".to_owned(), command: command.to_owned() };
            assert_eq!(goes_on(&last, words, Shell::Bash), expected, "{words}");
        }
    }

    #[test]
    fn another_address_begins_a_request() {
        let last = Solved {
            request: "download https://example.com/a.zip".to_owned(),
            command: "wget https://example.com/a.zip".to_owned(),
        };
        for (words, expected) in [
            ("only the http status of https://example.org", false),
            ("and https://example.com/b.zip", true),
            ("but from https://example.org/a.zip", true),
            ("only with the referer https://example.org", true),
            ("same for https://example.com/b.zip", true),
        ] {
            assert_eq!(goes_on(&last, words, Shell::Bash), expected, "{words}");
        }
        for (words, expected) in [
            ("untracked files only", true),
            ("newest first", false),
            ("delete them all", false),
            ("only the tmp files", false),
            ("the tmp files too", false),
            ("without the merge commits please", false),
            ("same for png", false),
        ] {
            assert_eq!(may_stand_alone(words), expected, "{words}");
        }
    }

    #[test]
    fn what_takes_the_place_of_another() {
        assert_eq!(instead("same for png"), Some("png"));
        assert_eq!(instead("Same for Basel."), Some("Basel"));
        assert_eq!(instead("the same for the docs files"), Some("docs"));
        assert_eq!(instead("same for all users"), None);
        assert_eq!(instead("only those over 1 MB"), None);
        assert_eq!(instead(""), None);
    }

    #[test]
    fn another_extension_takes_the_place_of_the_first() {
        let request = "png files in pngs sorted by size";
        let replaced = Some("jpg files in pngs sorted by size".to_owned());
        assert_eq!(with_other_extension(request, "same for jpg"), replaced);
        assert_eq!(with_other_extension(request, "same for Basel"), None);
        assert_eq!(with_other_extension("png and gif files", "same for jpg"), None);
        assert_eq!(with_other_extension("files of ann", "same for jpg"), None);
    }

    #[test]
    fn the_own_words_are_found_again() {
        let whole = joined("the 5 biggest files?", "only the top 3");
        assert_eq!(whole, "the 5 biggest files, only the top 3");
        assert_eq!(own_words(&whole, "the 5 biggest files?"), Some("only the top 3"));
        assert_eq!(own_words("the 5 biggest files in src", "the 5 biggest files"), None);
        assert_eq!(joined(&"a ".repeat(JOINED_BYTES_MAX), "only b"), "only b");
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text: String) {
            let _ = (is_continuation(&text), instead(&text));
        }
    }
}
