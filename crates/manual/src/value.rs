//! Parser for the value after an option's name: how it is attached, and its placeholder.

use super::Arity;
use super::escapes::{CLOSE, OPEN, plain};
use super::words::beginning;

/// Maximum length of a placeholder, in characters.
const PLACEHOLDER_MAX: usize = 48;
/// Maximum number of values shown for one option: `--point X Y`.
const VALUES_MAX: usize = 4;
/// Maximum number of bytes searched for a closing bracket.
const NEAR: usize = 400;

/// Position of a heading: it decides the meaning of a lower-case word after an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingPosition {
    /// Heading of a man page item, or a bracket of a usage line: every word belongs to the spelling.
    Alone,
    /// Line of a help text: a description may follow.
    Column,
}

/// Parses the value after a name. Returns its arity, its placeholder and the text after it.
pub(super) fn value<'a>(
    text: &'a str,
    place: HeadingPosition,
    name: &str,
) -> (Option<Arity>, String, &'a str) {
    let text = text.strip_prefix(CLOSE).unwrap_or(text);
    let single_letter = !name.starts_with("--") && name.chars().count() == 2;
    // A single letter also takes its value from the next word; a longer name after one dash does not.
    let joined = if name.starts_with("--") || single_letter { Arity::Required } else { Arity::Attached };
    // `--verbose...` may be repeated.
    if let Some(after) = text.strip_prefix("...").filter(|after| !after.starts_with(char::is_alphanumeric)) {
        return (None, String::new(), after);
    }
    let bare = text.strip_prefix(OPEN).unwrap_or(text);
    let spaced = bare.strip_prefix(" = ").filter(|_| place == HeadingPosition::Alone);
    if let Some(after) = spaced.or_else(|| bare.strip_prefix('=')) {
        let (word, rest) = word(after);
        // `--watch=false:` shows the default of a switch, `--output='':` that of a value.
        if place == HeadingPosition::Column
            && let Some(default) = word.strip_suffix(':')
        {
            let switch = matches!(default, "true" | "false");
            return (Some(if switch { Arity::Optional } else { joined }), String::new(), rest);
        }
        return match () {
            () if word.is_empty() && !after.starts_with(' ') => (Some(joined), String::new(), rest),
            () => (Some(joined), placeholder(&word), rest),
        };
    }
    if let Some(after) =
        text.strip_prefix(':').filter(|after| after.starts_with(|c: char| !c.is_whitespace()))
    {
        let (word, rest) = word(after);
        return (Some(Arity::Attached), placeholder(&word), rest);
    }
    if text.starts_with('[') {
        let (inside, after) = bracketed(text, '[', ']');
        let bare = plain(inside);
        let bare = bare.trim();
        // A stream specifier or similar: `-c[:stream] codec`; a sign: `-v[+|-]n`.
        if bare.starts_with(':') || is_signs(bare) {
            return value(after, place, name);
        }
        if !bare.starts_with('-') && !bare.is_empty() {
            let mut rest = after;
            // `-B[<n>][/<m>]`: the value has several parts.
            for _ in 0..VALUES_MAX {
                if rest.starts_with('[') {
                    rest = bracketed(rest, '[', ']').1;
                }
            }
            return (Some(Arity::Optional), placeholder(bare), rest);
        }
        return (None, String::new(), text);
    }
    if text.starts_with([OPEN, '<']) || (text.starts_with('{') && !single_letter) {
        let (word, rest) = word(text);
        return (Some(joined), placeholder(&word), rest);
    }
    separated(text, place)
}

/// Reports whether a text consists of signs and bars only: `-|+`.
fn is_signs(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| matches!(c, '+' | '-' | '|' | '/' | ' '))
}

/// Parses a value separated from its option by one blank.
fn separated(text: &str, place: HeadingPosition) -> (Option<Arity>, String, &str) {
    let nothing = (None, String::new(), text);
    let Some(after) = text.strip_prefix([' ', '\u{a0}']) else { return nothing };
    let after = match place {
        // In a column two blanks start the description.
        HeadingPosition::Column if after.starts_with([' ', '\t']) => match typed(after) {
            Some((inside, rest)) => return (Some(Arity::Required), placeholder(inside), rest),
            None => return nothing,
        },
        HeadingPosition::Column => after,
        HeadingPosition::Alone => after.trim_start_matches([' ', '\t']),
    };
    let (first, rest) = one_value(after);
    let bare = plain(first);
    let bare = bare.trim();
    // A value that starts with an optional part: `[[CC]YY]MMDD`, all in italics.
    if first.starts_with(OPEN) && bare.starts_with('[') && !bracketed(bare, '[', ']').1.is_empty() {
        return (Some(Arity::Required), placeholder(bare), more_values(rest, place));
    }
    let signs = bare.strip_prefix('[').is_some_and(|inside| is_signs(inside.trim_end_matches(']')));
    if bare.is_empty() || bare.starts_with(['-', '+']) || (bare.starts_with("[-") && !signs) {
        return nothing;
    }
    let marked = first.starts_with([OPEN, '<', '{', '\'', '"']) || first.contains(OPEN);
    if bare.starts_with('[') {
        return bracketed_value(bare, rest, place).unwrap_or(nothing);
    }
    if bare.starts_with('(') {
        let choice = bare.contains(['|', '+']);
        return if choice { (Some(Arity::Required), placeholder(bare), rest) } else { nothing };
    }
    let begins = bare.starts_with(|c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '<' | '{' | '\'' | '"' | '/' | '@' | '%' | '*' | '.')
    });
    if !begins || bare == "/" || is_joining_word(bare) {
        return nothing;
    }
    match place {
        HeadingPosition::Alone => {
            // More than a few words are a sentence.
            let n_words = rest
                .split_whitespace()
                .take(VALUES_MAX + 1)
                .filter(|word| !word.starts_with(['-', '[']))
                .count();
            if !marked && !is_upper(bare) && n_words >= VALUES_MAX {
                return (Some(Arity::Unknown), String::new(), rest);
            }
            (Some(Arity::Required), placeholder(bare), more_values(rest, place))
        }
        HeadingPosition::Column
            if marked || (is_upper(bare) && (bare.chars().count() > 1 || ends_column(rest))) =>
        {
            (Some(Arity::Required), placeholder(bare), more_values(rest, place))
        }
        HeadingPosition::Column => column_value(bare, after, rest),
    }
}

/// Parses a value in brackets, with the text `rest` after it. `None` if the brackets hold no value.
fn bracketed_value<'a>(
    bare: &str,
    rest: &'a str,
    place: HeadingPosition,
) -> Option<(Option<Arity>, String, &'a str)> {
    let inside = bare.strip_prefix('[')?;
    // `[host:]port`, `[-|+]n`: only a part of the value is optional.
    let sticks = rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, OPEN | '<' | '/'));
    if sticks || is_signs(inside.trim_end_matches(']')) {
        let (word, after) = word(rest.trim_start());
        return Some((Some(Arity::Required), placeholder(&word), more_values(after, place)));
    }
    let inside = inside.trim_start();
    let shown = !inside.is_empty() && !inside.starts_with(['-', '[']) && !bare.starts_with("[default");
    // In a help text the next word may be the value (`--package [<SPEC>]`); in a page it must be attached
    // (`-j [jobs]`).
    let arity = if place == HeadingPosition::Column { Arity::Unknown } else { Arity::Optional };
    shown.then(|| (Some(arity), placeholder(bare), rest))
}

/// Parses an unmarked value before a description; `after` starts with it, `rest` is the text after it.
fn column_value<'a>(bare: &str, after: &'a str, rest: &'a str) -> (Option<Arity>, String, &'a str) {
    const SIGNS: &str = "_-.:/=|<>*,%@{}[]";
    let word_like = bare.chars().all(|c| c.is_alphanumeric() || SIGNS.contains(c));
    // `--arg name value   …`: a few short words before the gap.
    let column = after.split("  ").next().unwrap_or_default();
    let n_words = column.split(' ').count();
    let gap = column.len() < after.len();
    if word_like && ends_column(rest) {
        (Some(Arity::Required), placeholder(bare), rest)
    } else if word_like && gap && n_words <= 2 && column.split(' ').all(|word| word.len() <= 12) {
        (Some(Arity::Required), placeholder(column), after.get(column.len()..).unwrap_or_default())
    } else {
        // After one blank, a description and a value of two words look alike.
        (Some(Arity::Unknown), String::new(), after)
    }
}

/// Parses `  -b      <int>   …`: the type in a column of its own, before the description.
fn typed(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (inside, rest) = split_near(text.strip_prefix('<')?, '>')?;
    (!inside.contains(char::is_whitespace) && rest.starts_with("  ")).then_some((inside, rest))
}

/// Reports whether a column ends: the end of the line, a gap, or a separator before another name.
fn ends_column(rest: &str) -> bool {
    let rest = rest.strip_prefix("...").unwrap_or(rest);
    rest.is_empty()
        || rest.starts_with("  ")
        || rest.starts_with('\t')
        || rest.trim_start_matches([',', '|', ' ', '/']).starts_with('-')
        || rest.starts_with(" : ")
        || rest.trim() == ":"
}

/// Skips further values: `X Y`, `<name> <url>`, `FILE...`, `[FILE ...]`.
fn more_values(mut rest: &str, place: HeadingPosition) -> &str {
    for _ in 0..VALUES_MAX {
        let dots = rest.trim_start_matches(['.', ',']);
        if rest.starts_with("...") || rest.starts_with(",...") {
            rest = dots;
        }
        let Some(after) = rest.strip_prefix(' ') else { break };
        let (next, end) = one_value(after);
        let bare = plain(next);
        let value = next.starts_with([OPEN, '<'])
            || (is_upper(&bare) && (bare.len() > 1 || place == HeadingPosition::Alone))
            || (bare.starts_with('[') && !bare.starts_with("[-") && place == HeadingPosition::Alone)
            || bare == "...";
        if !value || bare.is_empty() {
            break;
        }
        rest = end;
    }
    rest
}

/// Splits off one value: a bracketed or quoted text, or a word.
fn one_value(text: &str) -> (&str, &str) {
    match text.chars().next() {
        Some('[') => split_brackets(text, '[', ']'),
        Some('{') => split_brackets(text, '{', '}'),
        Some('(') => split_brackets(text, '(', ')'),
        Some('<') => {
            let (_, rest) = bracketed(text, '<', '>');
            let end = if rest.starts_with(['=', ':']) { until_blank(rest).1 } else { rest };
            text.split_at_checked(text.len() - end.len()).unwrap_or((text, ""))
        }
        Some(quote @ ('\'' | '"')) => {
            let end =
                text.char_indices().skip(1).find(|(_, c)| *c == quote).map_or(0, |(index, _)| index + 1);
            text.split_at_checked(end).filter(|_| end > 0).unwrap_or_else(|| until_blank(text))
        }
        Some(OPEN) => {
            let end = near(text).find(CLOSE).map_or(text.len(), |index| index + CLOSE.len_utf8());
            let (italics, rest) = text.split_at_checked(end).unwrap_or((text, ""));
            // Text attached to the italics belongs to the value: `file:line`, `key=value`.
            let sticks =
                rest.starts_with([':', '=', '.', '/']) && !rest.starts_with("...") && !rest.starts_with(". ");
            if sticks {
                let (_, after) = until_blank(rest);
                let end = text.len() - after.len();
                return text.split_at_checked(end).unwrap_or((italics, rest));
            }
            (italics, rest)
        }
        _ => until_blank(text),
    }
}

fn split_brackets(text: &str, open: char, close: char) -> (&str, &str) {
    let (_, rest) = bracketed(text, open, close);
    text.split_at_checked(text.len() - rest.len()).unwrap_or((text, ""))
}

/// Returns the text between a bracket and its partner, and the text after it; without a partner, everything to the
/// end.
fn bracketed(text: &str, open: char, close: char) -> (&str, &str) {
    let mut depth = 0usize;
    for (index, c) in near(text).char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                let inside = text.get(open.len_utf8()..index).unwrap_or_default();
                return (inside, text.get(index + close.len_utf8()..).unwrap_or_default());
            }
        }
    }
    (text.get(open.len_utf8()..).unwrap_or_default(), "")
}

fn until_blank(text: &str) -> (&str, &str) {
    let mut end = text.len();
    let mut chars = text.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let stops = c.is_whitespace()
            || c == CLOSE
            || (matches!(c, ',' | '|' | ';') && next.is_none_or(|c| c.is_whitespace() || c == '-'))
            || c == ']'
            || c == '}'
            || c == ')';
        if stops {
            end = index;
            break;
        }
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Splits off the word directly after `=` or the name; brackets and braces in it are kept together.
fn word(text: &str) -> (String, &str) {
    let mut depth = 0usize;
    let mut end = text.len();
    let mut chars = text.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        match c {
            '[' | '{' | '<' | '(' | OPEN => depth += 1,
            ']' | '}' | '>' | ')' | CLOSE if depth > 0 => depth -= 1,
            ']' | '}' | ')' => {
                end = index;
                break;
            }
            ',' | '|' | ';' | '/'
                if depth == 0 && next.is_none_or(|c| c.is_whitespace() || matches!(c, '-' | OPEN)) =>
            {
                end = index;
                break;
            }
            c if c.is_whitespace() && depth == 0 => {
                end = index;
                break;
            }
            _ => {}
        }
    }
    let (word, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (plain(word), rest)
}

fn is_upper(word: &str) -> bool {
    let word = word.split('[').next().unwrap_or_default().trim_end_matches(['.', ',', ']', ')']);
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| {
            c.is_ascii_uppercase()
                || c.is_ascii_digit()
                || matches!(
                    c,
                    '_' | '-'
                        | ':'
                        | '/'
                        | '|'
                        | '.'
                        | ','
                        | '='
                        | '['
                        | ']'
                        | '%'
                        | '+'
                        | '*'
                        | '@'
                        | '<'
                        | '>'
                )
        })
}

fn is_joining_word(word: &str) -> bool {
    matches!(
        word,
        "or" | "and"
            | "is"
            | "are"
            | "the"
            | "to"
            | "for"
            | "with"
            | "as"
            | "in"
            | "of"
            | "same"
            | "if"
            | "was"
            | "will"
            | "can"
            | "has"
            | "have"
            | "like"
            | "but"
            | "without"
            | "when"
            | "then"
            | "from"
            | "on"
            | "only"
            | "not"
            | "also"
            | "by"
    )
}

fn placeholder(word: &str) -> String {
    let word = plain(word);
    let word = word.trim().trim_start_matches('=');
    let pairs = [('<', '>'), ('[', ']'), ('{', '}'), ('\'', '\''), ('"', '"')];
    let inner = pairs.iter().find_map(|(open, close)| {
        let inside = word.strip_prefix(*open)?.strip_suffix(*close)?;
        (!inside.contains([*open, *close])).then_some(inside)
    });
    let inner = inner.unwrap_or(word).trim_start_matches('=');
    inner
        .trim_end_matches("...")
        .trim_end_matches(':')
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(PLACEHOLDER_MAX)
        .collect()
}

/// Returns the start of a text. The search for a closing mark is limited to it, to avoid quadratic time.
pub(super) fn near(text: &str) -> &str {
    beginning(text, NEAR)
}

/// Splits a text at the first `mark` within [`NEAR`]; `None` if there is none.
pub(super) fn split_near(text: &str, mark: char) -> Option<(&str, &str)> {
    let index = near(text).find(mark)?;
    Some((text.get(..index)?, text.get(index + mark.len_utf8()..)?))
}
