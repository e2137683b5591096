//! Directories that a request names by a bare word: "below src", "the folder photos".

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::invented::READERS;
use crate::mismatch::Mismatch;
use crate::phrase::is_slip;
use crate::request::Token;
use askline_syntax::ParsedLine;

/// Words before the name of a directory, and before other things as well: the name must end its part of the request.
const PREPOSITIONS: [&str; 8] = ["in", "into", "inside", "below", "under", "beneath", "underneath", "from"];
/// Words before the name of a directory, whatever follows.
const SURE: [&str; 5] = ["into", "inside", "below", "beneath", "underneath"];
/// Nouns beside the name of a directory.
const NOUNS: [&str; 4] = ["folder", "directory", "dir", "subfolder"];

/// Words around a name; `place.toml` says what each list is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    folder_programs: Vec<String>,
    follow: HashSet<String>,
    no_names: HashSet<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("place.toml")).expect("place.toml is well-formed")
});

/// Returns a mismatch for the only directory that the request names by a bare word and the line does not mention.
pub(crate) fn missing(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let names_file = tokens.iter().any(|token| crate::request::is_name(&token.text));
    let reads = runs(line, &WORDS.folder_programs) || !names_file && runs(line, &READERS);
    let mut named = (0..tokens.len()).filter_map(|at| name(tokens, request, at, reads));
    let (token, None) = (named.next()?, named.next()) else { return None };
    if crate::sample::is_placeholder(&token.text) {
        return None;
    }
    let text = line.text().to_lowercase();
    let name = token.lower.trim_end_matches('/');
    let is_part = |c: Option<char>| c.is_some_and(|c| c == '-' || c == '_');
    let is_there = text.match_indices(name).any(|(at, _)| {
        let behind = text.get(at + name.len()..).and_then(|rest| rest.chars().next());
        let before = text.get(..at).and_then(|rest| rest.chars().next_back());
        !is_part(before) && !is_part(behind)
    });
    // "keys in redis": `redis-cli` has it.
    let is_program = line
        .parsed()
        .commands
        .iter()
        .any(|command| command.name().is_some_and(|program| program.contains(name)));
    if is_there || is_program {
        return None;
    }
    Some(Mismatch::not_named(token, line))
}

/// Reports whether the line runs one of the programs.
fn runs(line: &ParsedLine, programs: &[impl AsRef<str>]) -> bool {
    let is_one = |name: &str| programs.iter().any(|program| program.as_ref() == name);
    line.parsed().commands.iter().any(|command| command.name().is_some_and(is_one))
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
            && !crate::sample::is_placeholder(&token.text)
            && 2 < token.lower.len();
        (NAMING.contains(&trigger.lower.as_str()) && is_end && is_text).then_some(token)
    })?;
    let stem: String =
        token.lower.chars().take(token.lower.chars().count().saturating_sub(1).max(3)).collect();
    (!text.contains(&stem)).then(|| {
        Mismatch::likely(0..line.text().len(), format!("you named `{}`; the line does not", token.text))
            .about(token.span.clone())
    })
}

/// Returns the token at a place, if it is the name of a directory. Behind "in", "into" and "under" it may be something else,
/// unless the line reads directories.
fn name<'t>(tokens: &'t [Token], request: &str, at: usize, reads: bool) -> Option<&'t Token> {
    let token = tokens.get(at).filter(|token| !token.quoted && is_name(&token.lower))?;
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str());
    let (before, next) = (word(at.checked_sub(1)), word(Some(at + 1)));
    // Punctuation behind the name ends its part as well.
    let behind = request.get(token.span.end..).unwrap_or_default();
    let is_end = next.is_empty()
        || WORDS.follow.contains(next)
        || behind.starts_with([',', ';', '.', '?', '!', ':', ')'])
        || token.text.ends_with('/');
    // "how does each file in this folder begin": a verb, not a name.
    let is_general = matches!(
        word(at.checked_sub(2)),
        "each" | "every" | "of" | "this" | "that" | "top" | "which" | "same" | "these" | "one" | "a" | "any"
    );
    let after_noun = NOUNS.contains(&before) && is_end && !is_general;
    // "the vendor directory included": a line that leaves nothing out need not name it.
    let is_included = matches!(word(Some(at + 2)), "included" | "too" | "as");
    let before_noun =
        NOUNS.contains(&next) && matches!(before, "the" | "in" | "into" | "below" | "from") && !is_included;
    // "anywhere below: away with them".
    let gap = at.checked_sub(1).and_then(|at| request.get(tokens.get(at)?.span.end..token.span.start))?;
    let is_sure_place = reads || token.text.ends_with('/') || !matches!(before, "in" | "into" | "under");
    let is_behind = gap.chars().all(char::is_whitespace) && is_sure_place;
    let after_preposition = is_behind && PREPOSITIONS.contains(&before) && is_end && before != "from";
    let is_sure = is_behind && SURE.contains(&before) && is_end;
    (after_noun || before_noun || after_preposition || is_sure).then_some(token)
}

/// Reports whether a word may be the name of a directory.
fn is_name(word: &str) -> bool {
    let is_adjective = ["ing", "ed", "est", "ous", "ful", "ly", "most"].iter().any(|end| word.ends_with(end));
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_/".contains(c));
    let number = crate::quantity::number(word).is_some() || crate::quantity::nth(word).is_some();
    is_plain
        && 1 < word.len()
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && !is_adjective
        && !number
        && !WORDS.no_names.contains(word)
        && !WORDS.no_names.iter().any(|none| is_slip(word, none, false))
        && !word.split('/').any(crate::quantity::is_unit)
        && !word.ends_with("bytes")
        && !WORDS.follow.contains(word)
        && !word.starts_with("same")
}
