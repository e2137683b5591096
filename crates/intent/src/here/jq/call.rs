//! Calls of `jq` whose filter and file are known, and the edit that writes another filter.

use serde_json::Value;

use crate::here::call::Call;
use crate::here::columns;
use crate::here::{Case, Contradiction, Subject};
use askline_syntax::Span;

/// Options with which the filter still reads the values of the file.
const HARMLESS: [&str; 14] = [
    "-r",
    "--raw-output",
    "-c",
    "--compact-output",
    "-s",
    "--slurp",
    "-S",
    "--sort-keys",
    "-e",
    "-M",
    "-C",
    "-j",
    "-a",
    "--tab",
];
/// Maximum number of characters of a key in a message.
const KEY_MAX: usize = 40;
/// Maximum length of a filter in bytes.
const FILTER_MAX: usize = 400;

/// A filter with the values that it reads.
pub(super) struct Filter<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    /// The place of the text in the line.
    pub(super) start: usize,
    /// The word of the line that holds it.
    pub(super) word: Span,
    pub(super) documents: Vec<Value>,
    /// `true` if all values of the file come in as one list.
    pub(super) is_slurped: bool,
}

/// Returns the filter of a call, if it reads the values of one file that is known.
pub(super) fn read<'a>(case: &Case<'a>, call: &Call<'a>) -> Option<Filter<'a>> {
    let source = || {
        let command = call.command;
        let is_before = |other: &&Call<'a>| {
            other.command.pipeline == command.pipeline
                && other.command.position + 1 == command.position
                && other.command.within == command.within
        };
        let is_plain = call.operands.is_empty() && command.redirections.is_empty();
        let before = case.calls.iter().find(is_before).filter(|_| is_plain)?;
        let is_cat = before.name == "cat" && before.options.is_empty();
        Some((before.only_file().filter(|_| is_cat)?, before))
    };
    let (file, reader) = call.only_file().map(|file| (file, call)).or_else(source)?;
    let head = case.here.heads.get(&reader.path(file)).filter(|head| head.is_whole)?;
    let is_plain = |word: &&str| !word.starts_with('-') || HARMLESS.contains(word) || is_harmless(word);
    let words = call.command.words.iter().skip(1).map(|word| word.text.as_str());
    let script = call.script.filter(|_| words.clone().all(|word| is_plain(&word)))?;
    let raw = case.line.text().get(script.span.clone())?;
    let (start, text) = match raw == script.text {
        true => (script.span.start, raw),
        false => columns::program(script, case.line)?,
    };
    let documents: Vec<Value> =
        serde_json::Deserializer::from_str(&head.text).into_iter().collect::<Result<_, _>>().ok()?;
    let is_slurped = words.clone().any(|word| matches!(word, "-s" | "--slurp"));
    let documents = if is_slurped { vec![Value::Array(documents)] } else { documents };
    let is_short = text.len() <= FILTER_MAX;
    is_short.then(|| Filter { file, text, start, word: script.span.clone(), documents, is_slurped })
}

/// Reports whether a word is several short options that only say how values are written: `-rc`.
fn is_harmless(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| letters.chars().all(|letter| "rcSMCja".contains(letter)))
}

/// Returns the edit that writes another filter. One without quotes gets them.
fn written(filter: &Filter<'_>, new: &str) -> (Span, String) {
    if filter.word.start == filter.start {
        return (filter.word.clone(), format!("'{new}'"));
    }
    (filter.start..filter.start + filter.text.len(), new.to_owned())
}

/// Returns a contradiction whose edit writes another filter.
pub(super) fn contradiction(
    case: &Case<'_>,
    filter: &Filter<'_>,
    told: (String, String),
    new: &str,
) -> Contradiction {
    case.contradiction(Subject::Columns, filter.word.clone(), told, Some(written(filter, new)))
}

/// Reports whether filters and messages may have a key unquoted: the file is untrusted.
pub(super) fn is_name(key: &str) -> bool {
    !key.is_empty()
        && key.chars().count() <= KEY_MAX
        && !key.starts_with(|c: char| c.is_ascii_digit())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
