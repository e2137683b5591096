//! Parser for option spellings: `-a, --all[=WHEN]`. Used for headings of man page items, the left column of help
//! texts and the brackets of usage lines.

use super::escapes::{CLOSE, OPEN, plain};
use super::value::{HeadingPosition, near, split_near, value};
use super::{Arity, OptionDoc, Source};

/// Maximum length of an option name, in bytes; longer words with a dash are not options.
const NAME_MAX: usize = 64;
/// Maximum number of names in one heading.
const NAMES_MAX: usize = 32;
/// Maximum number of blanks between a short name and its long form.
const GAP_MAX: usize = 6;

/// A name as spelled in the documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelled {
    pub(super) name: String,
    /// Arity shown with the name; `None` without a value.
    pub(super) value: Option<Arity>,
    pub(super) placeholder: String,
    /// `true` if it starts a new option: options listed side by side, not names of one option.
    pub(super) apart: bool,
}

/// Parses the names at the start of `text`, and returns them with the text after them. `None` if it does not start
/// with an option.
pub(super) fn read(text: &str, place: HeadingPosition) -> Option<(Vec<Spelled>, &str)> {
    let mut names: Vec<Spelled> = Vec::new();
    let mut rest = skip_marks(without_brackets(text.trim_start()));
    let mut read_any = false;
    let mut apart = false;
    while let Some((spellings, after)) = name(rest) {
        read_any = true;
        let (mut value, placeholder, after) =
            value(after, place, spellings.last().map_or("", String::as_str));
        // `-i[extension]` may be the long form of the name or an attached value: record both.
        if spellings.len() == 2 && !spellings.iter().any(|name| name.starts_with("--")) && value.is_none() {
            value = Some(Arity::Optional);
        }
        for (index, name) in spellings.into_iter().enumerate() {
            // The negative form of `--[no-]x=V` takes no value.
            let takes = index == 0 || !name.starts_with("--no-");
            names.push(Spelled {
                name,
                value: value.filter(|_| takes),
                placeholder: if takes { placeholder.clone() } else { String::new() },
                apart: apart && index == 0,
            });
        }
        rest = after;
        match separator(rest) {
            Some((loose, after)) if names.len() < NAMES_MAX => {
                // `-t --type` is one option, `-daystart -follow` are two.
                let short = names.last().is_some_and(|last| last.name.chars().count() == 2);
                let pair = short && after.starts_with("--");
                if loose == NameSeparator::Gap && !pair {
                    break;
                }
                apart = loose != NameSeparator::No && !pair;
                rest = after;
            }
            _ => break,
        }
    }
    read_any.then_some((names, rest))
}

/// Returns the text inside the only brackets of a heading: `[-d exdir]` of unzip(1).
fn without_brackets(heading: &str) -> &str {
    let inner = heading.trim_end().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.filter(|inner| inner.starts_with('-') && !inner.contains(['[', ']'])).unwrap_or(heading)
}

/// Groups adjacent names into options: a value shown with one name applies to all names of the option, except
/// negative forms.
pub(super) fn docs(names: Vec<Spelled>, source: Source) -> Vec<OptionDoc> {
    // Options side by side on a line have no space to show their values.
    let listed = names.iter().filter(|spelled| spelled.apart).count() >= 2;
    let mut all = Vec::new();
    let mut together = Vec::new();
    for spelled in names {
        if spelled.apart && !together.is_empty() {
            all.append(&mut one_option(std::mem::take(&mut together), source));
        }
        together.push(spelled);
    }
    all.append(&mut one_option(together, source));
    for doc in all.iter_mut().filter(|doc| listed && doc.value == Arity::None) {
        doc.value = Arity::Unknown;
    }
    all
}

/// Returns the entries for one option's names: one for each arity.
fn one_option(names: Vec<Spelled>, source: Source) -> Vec<OptionDoc> {
    let rank = |spelled: &&Spelled| match spelled.value {
        Some(Arity::Required) => 4,
        Some(Arity::Optional) => 3,
        Some(Arity::Attached) => 2,
        Some(Arity::Unknown) => 1,
        _ => 0,
    };
    let strongest = names.iter().rev().max_by_key(rank).and_then(|spelled| spelled.value);
    let short = |spelled: &Spelled| spelled.name.chars().count() == 2;
    let a_short_shows = names.iter().any(|spelled| short(spelled) && spelled.value.is_some());
    let both_ways = |name: &str, shows: bool| {
        names.iter().any(|other| other.name == name && other.value.is_some() == shows)
    };
    let any_both_ways =
        names.iter().any(|spelled| both_ways(&spelled.name, true) && both_ways(&spelled.name, false));
    let takes = |spelled: &Spelled| match spelled.value {
        // `--check, --check=quiet`
        _ if both_ways(&spelled.name, true) && both_ways(&spelled.name, false) => Arity::Optional,
        // `-U<n>, --unified=<n>`
        Some(Arity::Attached) if strongest == Some(Arity::Required) => Arity::Required,
        Some(value) => value,
        // `-c, -C NUM`: the letter shown with a value takes it, the other does not.
        None if is_negative(spelled) || any_both_ways || (a_short_shows && short(spelled)) => Arity::None,
        None => strongest.unwrap_or(Arity::None),
    };
    let mut docs: Vec<OptionDoc> = Vec::new();
    for spelled in &names {
        let value = takes(spelled);
        let index = match docs.iter().position(|doc| doc.value == value) {
            Some(index) => index,
            None => {
                docs.push(OptionDoc {
                    names: Vec::new(),
                    value,
                    placeholder: String::new(),
                    text: String::new(),
                    source,
                });
                docs.len() - 1
            }
        };
        let Some(doc) = docs.get_mut(index) else { continue };
        if !doc.names.contains(&spelled.name) {
            doc.names.push(spelled.name.clone());
        }
        if doc.placeholder.is_empty() && value != Arity::None {
            let shown = names.iter().find(|other| !other.placeholder.is_empty());
            let own = if spelled.placeholder.is_empty() { shown } else { Some(spelled) };
            doc.placeholder = own.map(|spelled| spelled.placeholder.clone()).unwrap_or_default();
        }
    }
    docs
}

fn is_negative(spelled: &Spelled) -> bool {
    spelled.name.starts_with("--no-") && spelled.value.is_none()
}

fn skip_marks(text: &str) -> &str {
    text.trim_start_matches([OPEN, CLOSE, '`', '‘'])
}

/// Parses one name, or the two of `--[no-]x` and `-V[ersion]`; empty for a placeholder such as `-NUM`.
pub(super) fn name(text: &str) -> Option<(Vec<String>, &str)> {
    let text = skip_marks(text);
    if let Some(after) = text.strip_prefix('+') {
        let mut chars = after.chars();
        let letter = chars.next().filter(char::is_ascii_alphanumeric)?;
        let ends = chars
            .as_str()
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ']' | '|' | CLOSE));
        return (ends && letter.is_ascii_alphabetic()).then(|| (vec![format!("+{letter}")], chars.as_str()));
    }
    let after_dash = text.strip_prefix('-')?;
    let (dashes, body) = match after_dash.strip_prefix('-') {
        Some(body) => ("--", body),
        None => ("-", after_dash),
    };
    // Italics after the dash mark a placeholder, unless the dashes were set separately from the name.
    if body.starts_with([OPEN, '<']) && dashes == "-" {
        let close = if body.starts_with(OPEN) { CLOSE } else { '>' };
        let (inside, after) = split_near(body, close)?;
        let inside = inside.get(1..)?;
        return (!inside.is_empty() && !inside.contains(char::is_whitespace)).then_some((Vec::new(), after));
    }
    let (negation, body) = match body.strip_prefix("[no-]").or_else(|| body.strip_prefix("(no-)")) {
        Some(body) => (Some("no-"), body),
        None => match body.strip_prefix("[no]") {
            Some(body) => (Some("no"), body),
            None => (None, body),
        },
    };
    let mut end = 0;
    for (index, c) in body.char_indices() {
        let belongs = if index == 0 {
            c.is_ascii_alphanumeric()
                || (dashes == "-" && matches!(c, '?' | '#' | '@' | '%' | '$' | '^' | '!'))
        } else {
            c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#')
        };
        if !belongs || index >= NAME_MAX {
            break;
        }
        end = index + c.len_utf8();
    }
    let (stem, mut after) = body.split_at_checked(end)?;
    let trimmed = stem.trim_end_matches(['.', '-']);
    if trimmed.is_empty() || stem.len() > NAME_MAX {
        return None;
    }
    after = body.get(trimmed.len()..).unwrap_or(after);
    // `-NUM`, `-5`: a number, not an option of that name.
    if dashes == "-" && matches!(trimmed, "NUM" | "NUMBER" | "num" | "number") {
        return Some((Vec::new(), after));
    }
    let whole = format!("{dashes}{trimmed}");
    if let Some(negation) = negation {
        return Some((vec![whole, format!("{dashes}{negation}{trimmed}")], after));
    }
    if let Some((more, rest)) = completion(after, dashes) {
        // `-s[tatistics]`, but also `-c[color]`.
        let more = if more.starts_with(trimmed) { format!("-{more}") } else { format!("{whole}{more}") };
        return Some((vec![whole, more], rest));
    }
    Some((vec![whole], after))
}

/// Parses the optional lower-case rest of a name in brackets: `-V[ersion]`.
fn completion<'a>(after: &'a str, dashes: &str) -> Option<(String, &'a str)> {
    let (inside, rest) = split_near(after.strip_prefix('[')?, ']')?;
    // Italics mark a value: `-i[suffix]`.
    if inside.contains(OPEN) {
        return None;
    }
    let bare = plain(inside);
    let letters = !bare.is_empty()
        && bare.len() <= NAME_MAX
        && bare.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    // `--sort[key]` in a help text shows a value; after a single dash the bracket completes the name.
    (letters && dashes == "-" && bare.len() >= 2).then_some((bare, rest))
}

/// Kind of separator between two names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameSeparator {
    /// A comma or similar: names of one option.
    No,
    /// A single blank, or a bar between blanks: mostly options side by side.
    Blank,
    /// Several blanks: `-c  --format=FORMAT`.
    Gap,
}

/// Returns the kind of separator between two names, and the text after it.
fn separator(rest: &str) -> Option<(NameSeparator, &str)> {
    let trimmed = skip_marks(rest).trim_start_matches(['\'', '’']);
    let blank = trimmed.trim_start_matches(' ');
    for mark in [",", "|", "/", "or ", "and ", ";"] {
        let Some(after) = blank.strip_prefix(mark) else { continue };
        let barred = mark == "|" && blank.len() < trimmed.len() && after.starts_with(' ');
        let loose = if barred { NameSeparator::Blank } else { NameSeparator::No };
        let after = after.trim_start_matches([' ', ',']);
        let after = after.strip_prefix("or ").unwrap_or(after);
        // `-p, p, --pid`: a form without its dash is between the names.
        let after = match near(after)
            .find(", ")
            .and_then(|index| Some((after.get(..index)?, after.get(index + 2..)?)))
        {
            Some((bare, next)) if next.starts_with('-') && bare.chars().all(char::is_alphanumeric) => next,
            _ => after,
        };
        let after = skip_marks(after.trim_start());
        if after.starts_with(['-', '+']) && name(after).is_some() {
            return Some((loose, after));
        }
    }
    let next = skip_marks(blank);
    let n_blanks = trimmed.len() - blank.len();
    let loose = if n_blanks == 1 { NameSeparator::Blank } else { NameSeparator::Gap };
    ((1..=GAP_MAX).contains(&n_blanks) && next.starts_with('-') && name(next).is_some())
        .then_some((loose, next))
}
