//! Examples and samples in a request: texts that show what names or lines look like, which the command need not repeat.

use crate::extension;
use crate::request::Token;

/// Marks of an open list or an example, which the line need not repeat: "num.aa, num.ab, …".
const OPEN_LISTS: [&str; 5] = ["…", "...", " so on", " etc", "->"];
/// Words in the place of a name that the line makes up: `backup-YYYY-MM-DD.tar`.
const PLACEHOLDERS: [&str; 17] = [
    "YYYY",
    "yyyy",
    "<",
    "DATE",
    "NAME",
    "ITEM",
    "ADDRESS",
    "HOST",
    "USER",
    "FILE",
    "NUMBER",
    "DIGIT",
    "NNN",
    "NN-",
    ".NUM",
    "YESTERDAY",
    "TODAY",
];
/// Words of a sample that says what stands where: `"count word"`, `"term: definition"`, `"First Last"`.
const FIELDS: [&str; 40] = [
    "amount",
    "author",
    "city",
    "code",
    "column",
    "count",
    "country",
    "date",
    "day",
    "definition",
    "domain",
    "field",
    "first",
    "host",
    "id",
    "key",
    "label",
    "last",
    "level",
    "line",
    "message",
    "month",
    "name",
    "names",
    "number",
    "path",
    "place",
    "price",
    "size",
    "sum",
    "term",
    "text",
    "time",
    "title",
    "type",
    "user",
    "value",
    "word",
    "words",
    "year",
];
/// Forms of times and dates in samples.
const FORMS: [&str; 8] = ["HH", "MM", "SS", "hh", "mm", "ss", "YY", "DD"];
/// Words behind a quoted sample: `"took 12ms" lines`.
const BEHIND: [&str; 7] = ["line", "lines", "value", "values", "texts", "style", "per"];
/// Endings of archives and compressed files.
const ARCHIVES: [&str; 9] = ["zip", "tar", "gz", "tgz", "bz2", "xz", "zst", "7z", "iso"];
/// Maximum number of words between "like" and a word of its example.
const EXAMPLE_MAX: usize = 8;

/// Reports whether the names and numbers of a request may stand for others.
pub(crate) fn is_open(request: &str) -> bool {
    OPEN_LISTS.iter().any(|mark| request.contains(mark))
}

/// Reports whether a word is in the place of a name that the line makes up.
pub(crate) fn is_placeholder(text: &str) -> bool {
    // `Q1..Q4` is a row of names.
    let is_row = text.split_once("..").is_some_and(|(first, last)| {
        first.ends_with(|c: char| c.is_ascii_digit()) && last.starts_with(char::is_alphanumeric)
    });
    // `10.8.x.x` is a row of addresses.
    let is_net = text.starts_with(|c: char| c.is_ascii_digit()) && text.split('.').any(|part| part == "x");
    // In `deck_vN.pptx` and `sub-NN.csv` a number stands.
    let is_numbered = text.rsplit_once('.').is_some_and(|(stem, _)| {
        let before = stem.trim_end_matches('N');
        let is_part = |c: char| c.is_lowercase() || matches!(c, '-' | '_');
        before.len() < stem.len() && before.ends_with(is_part)
    });
    // `vN.N.N` is any version, `/24` the size of a net.
    let is_version = text.trim_start_matches('v').split('.').all(|part| matches!(part, "N" | "X" | "x"));
    let is_size = text
        .strip_prefix('/')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()));
    is_row
        || is_net
        || is_numbered
        || is_version
        || is_size
        || PLACEHOLDERS.iter().any(|placeholder| text.contains(placeholder))
}

/// Reports whether a quoted text is a sample of what lines look like: words for fields (`"count word"`), digits that only count
/// (`"took 123ms"`), a whole time, or a text with fields behind the name of the file that has it (`log.txt has "name: text"`).
pub(crate) fn is_sample(request: &str, tokens: &[Token], index: usize) -> bool {
    let Some(token) = tokens.get(index).filter(|token| token.quoted) else { return false };
    let parts = || token.text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let is_field = |part: &str| {
        FIELDS.contains(&part.to_lowercase().as_str())
            || FORMS.contains(&part)
            || part.chars().count() == 1 && part.chars().all(char::is_alphabetic)
    };
    // What is searched for or put there must be in the line.
    let is_wanted = index.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|before| {
        ["replace", "with", "containing", "contains", "contain", "named", "called", "by", "for"]
            .contains(&before.lower.as_str())
    });
    let names_fields = 1 < parts().count() && parts().all(is_field) && !is_wanted;
    let counts = parts().any(|part| {
        let digits = part.trim_end_matches(char::is_alphabetic);
        2 < digits.len() && digits.len() < part.len() && "123456789".starts_with(digits)
    });
    let is_time = token.text.matches(':').count() == 2 && token.text.matches('-').count() == 2;
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at));
    let has = word(index.checked_sub(1)).is_some_and(|it| matches!(it.lower.as_str(), "has" | "have"));
    let n_fields = parts().filter(|part| is_field(part)).count();
    let has_separator = token.text.contains([':', '=', ',', ';', '|', '<', '[', '-']);
    let is_form = 1 < n_fields || n_fields == 1 && has_separator;
    let of_file = has
        && is_form
        && word(index.checked_sub(2)).is_some_and(|it| it.text.contains('.') && it.text.len() > 2);
    let is_noun = word(Some(index + 1)).is_some_and(|it| BEHIND.contains(&it.lower.as_str()));
    let has_digits =
        token.text.contains(|c: char| c.is_ascii_digit()) && token.text.contains(char::is_alphabetic);
    // "'a','b','c'": a row of letters.
    let is_letter = |at: usize| tokens.get(at).is_some_and(|it| it.quoted && it.text.chars().count() == 1);
    let letters = (index.saturating_sub(2)..index + 3).filter(|at| is_letter(*at)).count();
    names_fields
        || counts
        || is_time
        || of_file
        || is_noun && has_digits
        || is_letter(index) && 2 < letters
        || is_shape(request, tokens, index)
}

/// Reports whether a word belongs to an example, which the line need not repeat: "like a.txt and b.txt", "as 20240331".
pub(crate) fn is_example(tokens: &[Token], index: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let before = index.checked_sub(1).map_or("", word);
    before == "as" && !is_target(tokens, index)
        || matches!(before, "e.g" | "ie" | "i.e" | "eg")
        || before == "with" && 1 < index && word(index - 2) == "as"
        || is_like_example(tokens, index)
}

/// Reports whether a word behind "as" names a file that the line must name: "zip it as old.zip", "the same lines as a.txt", but not
/// "the same size as a.jpg", "known as next.js" and "as a.md would".
fn is_target(tokens: &[Token], index: usize) -> bool {
    const PROPERTIES: [&str; 8] = ["size", "order", "format", "style", "way", "date", "time", "known"];
    const COMPARED: [&str; 5] = ["would", "does", "do", "style", "looks"];
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str());
    tokens.get(index).is_some_and(|token| is_file(&token.lower))
        && !PROPERTIES.contains(&word(index.checked_sub(2)))
        && !COMPARED.contains(&word(Some(index + 1)))
}

/// Reports whether a word names a file, and shows no form of names such as `logs-2024-05-31.txt`: "zip it as old.zip".
fn is_file(word: &str) -> bool {
    let Some((stem, ending)) = word.rsplit_once('.') else { return false };
    let is_ending = extension::is_known(ending) || ARCHIVES.contains(&ending) || ending == "orig";
    is_ending && stem.starts_with(char::is_alphanumeric) && !stem.contains(|c: char| c.is_ascii_digit())
}

/// Reports whether a word is one of the next ones behind "like" or "such as".
pub(crate) fn is_like_example(tokens: &[Token], index: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let is_like = |at: &usize| {
        let before = at.checked_sub(1).map_or("", word);
        word(*at) == "like" && !matches!(before, "would" | "id" | "i" | "you")
            || word(*at) == "as" && before == "such"
    };
    (index.saturating_sub(EXAMPLE_MAX)..index).any(|at| is_like(&at))
}

/// Reports whether a quoted text is in parentheses with other words that state no condition: `(lines name = "x")` says what
/// lines look like.
pub(crate) fn is_explained(request: &str, token: &Token) -> bool {
    const CONDITIONS: [&str; 14] = [
        "with",
        "without",
        "containing",
        "contain",
        "has",
        "have",
        "named",
        "called",
        "not",
        "or",
        "and",
        "only",
        "in",
        "starting",
    ];
    let before = request.get(..token.span.start).unwrap_or_default();
    let inner = before.rsplit_once('(').map(|(_, inner)| inner.trim_end_matches(['"', '\'', '`']).trim());
    token.quoted
        && inner.is_some_and(|inner| {
            !inner.is_empty()
                && !inner.contains(')')
                && !inner.split_whitespace().any(|word| CONDITIONS.contains(&word))
        })
}

/// Reports whether a quoted text only shows what lines look like: `lines are "name: text"`, `in log.txt, lines "name: text"`.
fn is_shape(request: &str, tokens: &[Token], index: usize) -> bool {
    let Some(token) = tokens.get(index).filter(|token| token.quoted && token.text.contains(' ')) else {
        return false;
    };
    let before = request.get(..token.span.start).unwrap_or_default();
    let before = before.trim_end_matches(['"', '\'', '`', '“']).trim_end_matches([' ', ':']).to_lowercase();
    let is_behind = |end: &&str| {
        let rest = before.strip_suffix(*end);
        rest.is_some_and(|rest| end.starts_with(',') || !rest.ends_with(char::is_alphanumeric))
    };
    ["are", "written", "format", "form", ", lines", "has lines", "have lines"].iter().any(is_behind)
}

/// Reports whether a word comes behind "instead of" or "no": the line has what replaces it.
pub(crate) fn is_replaced(tokens: &[Token], index: usize) -> bool {
    let word = |back: usize| {
        index.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str())
    };
    word(1) == "no" || word(1) == "of" && word(2) == "instead"
}

/// Reports whether a name is an end of a row of names: "part.aa to part.ad".
pub(crate) fn is_in_row(tokens: &[Token], index: usize) -> bool {
    let is_row = |first: usize| {
        let (one, to, other) = (tokens.get(first)?, tokens.get(first + 1)?, tokens.get(first + 2)?);
        let same = one.text.chars().zip(other.text.chars()).take_while(|(a, b)| a == b).count();
        let is_same_length = one.text.chars().count() == other.text.chars().count();
        Some(to.lower == "to" && is_same_length && same + 1 == one.text.chars().count())
    };
    is_row(index) == Some(true) || index.checked_sub(2).and_then(is_row) == Some(true)
}
