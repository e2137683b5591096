//! Directories that a request names by a bare word: "below src", "the folder photos".

use crate::mismatch::{Certainty, Mismatch};
use crate::request::Token;
use askline_syntax::ParsedLine;

/// Words before the name of a directory, and before other things as well: the name must end its part of the request.
const PREPOSITIONS: [&str; 8] = ["in", "into", "inside", "below", "under", "beneath", "underneath", "from"];
/// Words before the name of a directory, whatever follows.
const SURE: [&str; 5] = ["into", "inside", "below", "beneath", "underneath"];
/// Nouns beside the name of a directory.
const NOUNS: [&str; 4] = ["folder", "directory", "dir", "subfolder"];
/// Words that may follow the name.
const FOLLOW: [&str; 40] = [
    "and",
    "that",
    "which",
    "with",
    "without",
    "whose",
    "who",
    "or",
    "but",
    "to",
    "as",
    "by",
    "is",
    "are",
    "has",
    "have",
    "older",
    "newer",
    "larger",
    "bigger",
    "smaller",
    "modified",
    "changed",
    "not",
    "only",
    "too",
    "also",
    "including",
    "incl",
    "recursively",
    "into",
    "except",
    "for",
    "do",
    "containing",
    "named",
    "called",
    "ending",
    "then",
    "itself",
];
/// Words that name no directory.
const NONE: &[&str] = &[
    "a",
    "an",
    "the",
    "this",
    "that",
    "it",
    "its",
    "my",
    "me",
    "here",
    "there",
    "them",
    "which",
    "each",
    "every",
    "all",
    "any",
    "one",
    "two",
    "both",
    "him",
    "her",
    "us",
    "you",
    "your",
    "our",
    "their",
    "his",
    "these",
    "those",
    "bytes",
    "kb",
    "mb",
    "gb",
    "kilobytes",
    "megabytes",
    "place",
    "order",
    "total",
    "use",
    "common",
    "capitals",
    "caps",
    "uppercase",
    "lowercase",
    "upper",
    "lower",
    "hex",
    "hexadecimal",
    "binary",
    "octal",
    "decimal",
    "seconds",
    "minutes",
    "hours",
    "days",
    "weeks",
    "months",
    "years",
    "columns",
    "column",
    "rows",
    "row",
    "lines",
    "line",
    "words",
    "word",
    "descending",
    "ascending",
    "alphabetical",
    "alphabetically",
    "reverse",
    "reversed",
    "parallel",
    "detail",
    "details",
    "background",
    "foreground",
    "color",
    "colour",
    "english",
    "json",
    "csv",
    "tsv",
    "html",
    "xml",
    "yaml",
    "markdown",
    "utc",
    "gmt",
    "git",
    "bash",
    "zsh",
    "fish",
    "vim",
    "python",
    "perl",
    "awk",
    "sed",
    "memory",
    "ram",
    "cpu",
    "general",
    "particular",
    "full",
    "short",
    "long",
    "year",
    "month",
    "week",
    "day",
    "quotes",
    "brackets",
    "case",
    "which",
    "question",
    "subfolders",
    "subdirectories",
    "subdirs",
    "folders",
    "directories",
    "files",
    "file",
    "folder",
    "directory",
    "dir",
    "size",
    "sizes",
    "name",
    "names",
    "number",
    "numbers",
    "steps",
    "front",
    "back",
    "between",
    "addition",
    "percent",
    "text",
    "time",
    "date",
    "dates",
    "path",
    "paths",
    "human",
    "readable",
    "form",
    "format",
    "bits",
    "characters",
    "letters",
    "digits",
    "now",
    "today",
    "yesterday",
    "last",
    "first",
    "current",
    "parent",
    "home",
    "root",
    "disk",
    "use",
    "out",
    "people",
    "users",
    "user",
    "everything",
    "everybody",
    "anything",
    "something",
    "nothing",
    "stdin",
    "stdout",
    "stderr",
    "screen",
    "clipboard",
    "terminal",
    "history",
    "staging",
    "production",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "sunday",
    "scratch",
    "end",
    "start",
    "beginning",
    "bottom",
    "top",
    "left",
    "right",
    "middle",
    "head",
    "tail",
    "main",
    "master",
    "origin",
    "remote",
    "remotes",
    "upstream",
    "branch",
    "commit",
    "commits",
    "repo",
    "repository",
    "tree",
    "project",
    "system",
    "shell",
    "environment",
    "path",
    "network",
    "kernel",
    "group",
    "groups",
    "course",
    "it's",
    "more",
    "less",
    "most",
    "age",
    "length",
    "type",
    "types",
    "code",
    "source",
    "sources",
    "contents",
    "content",
    "output",
    "input",
    "arguments",
    "parameters",
    "process",
    "processes",
    "ports",
    "port",
    "way",
    "general",
    "docker",
    "linux",
    "ubuntu",
    "debian",
    "fodler",
    "subfolder",
    "header",
    "headers",
    "data",
    "equal",
    "pipe",
    "whitespace",
    "space",
    "blank",
    "dot",
    "dash",
    "hyphen",
    "underscore",
    "comma",
    "colon",
    "semicolon",
    "slash",
    "digit",
    "capital",
    "vowel",
    "tab",
    "quote",
    "exactly",
    "either",
    "neither",
    "none",
    "letter",
    "character",
    "extension",
    "id",
    "count",
    "list",
    "input",
    "sub",
    "thats",
    "dont",
    "just",
    "no",
    "if",
    "so",
    "on",
    "at",
    "be",
    "where",
    "when",
    "parentheses",
    "names",
    "config",
    "stock",
    "england",
    "london",
    "york",
    "germany",
    "france",
    "log",
    "logfile",
    "archive",
    "words",
    "values",
    "value",
];

/// Returns a mismatch for the only directory that the request names by a bare word and the line does not mention.
pub(crate) fn missing(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let mut named = (0..tokens.len()).filter_map(|at| name(tokens, request, at));
    let (token, None) = (named.next()?, named.next()) else { return None };
    let text = line.text().to_lowercase();
    let name = token.lower.trim_end_matches('/');
    let is_part = |c: Option<char>| c.is_some_and(|c| c == '-' || c == '_');
    let is_there = text.match_indices(name).any(|(at, _)| {
        let behind = text.get(at + name.len()..).and_then(|rest| rest.chars().next());
        let before = text.get(..at).and_then(|rest| rest.chars().next_back());
        !is_part(before) && !is_part(behind)
    });
    if is_there {
        return None;
    }
    Some(Mismatch::not_named(token, line))
}

/// Words before a name or a text that the line must have.
const NAMING: [&str; 5] = ["containing", "contain", "mention", "mentions", "mentioning"];

/// Returns a mismatch for a word that the request gives as a name or a text, and the line does not mention.
pub(crate) fn missing_word(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let text = line.text().to_lowercase();
    let token = tokens.windows(2).enumerate().find_map(|(at, pair)| {
        let [trigger, token] = pair else { return None };
        let next = tokens.get(at + 2).map_or("", |token| token.lower.as_str());
        let behind = request.get(token.span.end..).unwrap_or_default();
        let is_end = matches!(
            next,
            "" | "in" | "from" | "of" | "and" | "or" | "but" | "below" | "under" | "into" | "ignoring"
        ) || behind.starts_with([',', ';', '.', '?', '!', ':', ')']);
        let is_text = !token.quoted
            && token.text == token.lower
            && is_name(&token.lower)
            && !token.lower.ends_with('s')
            && 2 < token.lower.len();
        (NAMING.contains(&trigger.lower.as_str()) && is_end && is_text).then_some(token)
    })?;
    let stem: String =
        token.lower.chars().take(token.lower.chars().count().saturating_sub(1).max(3)).collect();
    (!text.contains(&stem)).then(|| Mismatch {
        span: 0..line.text().len(),
        said: Some(token.span.clone()),
        certainty: Certainty::Likely,
        text: format!("you named `{}`; the line does not", token.text),
        edit: None,
    })
}

/// Returns the token at a place, if it is the name of a directory.
fn name<'t>(tokens: &'t [Token], request: &str, at: usize) -> Option<&'t Token> {
    let token = tokens.get(at).filter(|token| !token.quoted && is_name(&token.lower))?;
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str());
    let (before, next) = (word(at.checked_sub(1)), word(Some(at + 1)));
    // Punctuation behind the name ends its part as well.
    let behind = request.get(token.span.end..).unwrap_or_default();
    let is_end = next.is_empty()
        || FOLLOW.contains(&next)
        || behind.starts_with([',', ';', '.', '?', '!', ':', ')'])
        || token.text.ends_with('/');
    let after_noun =
        NOUNS.contains(&before) && is_end && !matches!(word(at.checked_sub(2)), "each" | "every" | "of");
    let before_noun = NOUNS.contains(&next) && matches!(before, "the" | "in" | "into" | "below" | "from");
    let after_preposition = PREPOSITIONS.contains(&before) && is_end && before != "from";
    let is_sure = SURE.contains(&before) && is_end;
    (after_noun || before_noun || after_preposition || is_sure).then_some(token)
}

/// Reports whether a word may be the name of a directory.
fn is_name(word: &str) -> bool {
    let is_adjective = ["ing", "ed", "est", "ous", "ful", "ally"].iter().any(|end| word.ends_with(end));
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_/".contains(c));
    let number = crate::quantity::number(word).is_some() || crate::quantity::nth(word).is_some();
    is_plain
        && 1 < word.len()
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && !is_adjective
        && !number
        && !NONE.contains(&word)
        && !FOLLOW.contains(&word)
        && !word.starts_with("same")
}
