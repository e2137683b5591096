//! Extraction of options from running text: usage lines with brackets, and plain mentions.

use std::collections::BTreeSet;

use super::Arity;
use super::escapes::{CLOSE, OPEN};
use super::heading::{Spelled, name};
use super::value::HeadingPosition;
use super::value::value;

/// Returns the options of a usage text: brackets, alternatives, combined short options. Combined options are split;
/// a word that may be either combined options or a long name is added to `unsure`.
pub(super) fn usage(text: &str, unsure: &mut BTreeSet<String>) -> Vec<Vec<Spelled>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let boundary = before.is_whitespace() || matches!(before, '[' | '{' | '(' | '|' | OPEN | CLOSE);
        if c == '-'
            && boundary
            && let Some((spellings, after)) = name(rest)
        {
            let (mut value, placeholder, end) =
                value(after, HeadingPosition::Alone, spellings.last().map_or("", String::as_str));
            // Outside brackets the next word may be the value or the first operand.
            let shown = after.trim_start().starts_with(['=', OPEN, '<', '{', '[']);
            if value == Some(Arity::Required) && !shown && before.is_whitespace() {
                value = Some(Arity::Unknown);
            }
            let single =
                spellings.first().is_some_and(|name| !name.starts_with("--") && name.chars().count() > 2);
            match spellings.first().filter(|_| single && spellings.len() == 1) {
                Some(name) if value.is_none() && is_cluster(name) => {
                    let letters = name.chars().skip(1).filter(|c| *c != '-');
                    found.extend(letters.map(|c| {
                        vec![Spelled {
                            name: format!("-{c}"),
                            value: None,
                            placeholder: String::new(),
                            apart: false,
                        }]
                    }));
                }
                Some(name) if value.is_none() && could_be_cluster(name) => {
                    unsure.extend(name.chars().skip(1).map(|c| format!("-{c}")));
                    unsure.insert(name.clone());
                }
                _ => found.push(
                    spellings
                        .into_iter()
                        .map(|name| Spelled { name, value, placeholder: placeholder.clone(), apart: false })
                        .collect(),
                ),
            }
            before = ' ';
            rest = if end.len() < rest.len() { end } else { after };
            continue;
        }
        before = c;
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    found
}

/// Reports whether a word after one dash is a combination of short options. Ordinary words have few capitals and
/// digits, repeat letters and are not in alphabetical order.
fn is_cluster(name: &str) -> bool {
    let letters: Vec<char> = name.chars().skip(1).collect();
    let distinct: BTreeSet<char> = letters.iter().copied().collect();
    if distinct.len() < letters.len() || letters.iter().any(|c| matches!(c, '_' | '.' | '+' | '-')) {
        return false;
    }
    let mixed = letters.iter().any(char::is_ascii_uppercase) && letters.iter().any(char::is_ascii_lowercase);
    let digits = letters.iter().any(char::is_ascii_digit);
    let sorted = letters.windows(2).all(|pair| match pair {
        [a, b] => a.to_ascii_lowercase() <= b.to_ascii_lowercase(),
        _ => true,
    });
    let vowels = letters.iter().any(|c| matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u'));
    letters.len() <= 2 || mixed || digits || sorted || !vowels
}

fn could_be_cluster(name: &str) -> bool {
    let letters: Vec<char> = name.chars().skip(1).collect();
    let distinct: BTreeSet<&char> = letters.iter().collect();
    letters.len() <= 6 && distinct.len() == letters.len() && letters.iter().all(char::is_ascii_alphabetic)
}

/// Adds the options mentioned in running text, while `into` has fewer than `max`.
pub(super) fn mentions(text: &str, into: &mut BTreeSet<String>, max: usize) {
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '-'
            && !(before.is_alphanumeric()
                || matches!(before, '_' | '/' | '.' | '+' | '=' | '-' | '\\' | ']' | ')' | '>'))
            && let Some((names, after)) = name(rest)
            && into.len() < max
        {
            // `-10s`, `-4000`: numbers.
            let number =
                |name: &String| name.len() > 2 && name.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
            into.extend(names.into_iter().filter(|name| !number(name)));
            before = ' ';
            rest = after;
            continue;
        }
        before = c;
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
}
