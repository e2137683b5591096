//! The spelling of options: `-a, --all[=WHEN]`. One reader for the headings of manual items, the left column of help
//! texts and the brackets of usage lines.

use std::collections::BTreeSet;

use super::roff::{CLOSE, OPEN, plain};
use super::words::beginning;
use super::{Arity, OptionCard, Source};

/// Longest option name, bytes; longer words that begin with a dash are something else.
const NAME_MAX: usize = 64;
/// Names that one heading may have.
const NAMES_MAX: usize = 32;
/// Longest placeholder kept, characters.
const PLACEHOLDER_MAX: usize = 48;
/// Blanks that may part a short name from its long form.
const GAP_MAX: usize = 6;
/// Bytes looked through for the partner of a bracket.
const NEAR: usize = 400;
/// Values that one option may show: `--point X Y`.
const VALUES_MAX: usize = 4;

/// Where a heading stands: it decides what a lower-case word after an option may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A manual item's heading, or a bracket of a usage line: every word belongs to the spelling.
    Alone,
    /// A line of a help text: a description may follow.
    Column,
}

/// One name as it is spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelled {
    pub(super) name: String,
    /// None where it shows no value.
    pub(super) value: Option<Arity>,
    pub(super) placeholder: String,
    /// It begins a card of its own: options listed side by side, not names of one option.
    pub(super) apart: bool,
}

/// The names at the beginning of `text` and what follows them; none where it does not begin with an option.
pub(super) fn read(text: &str, place: Place) -> Option<(Vec<Spelled>, &str)> {
    let mut names: Vec<Spelled> = Vec::new();
    let mut rest = skip_marks(text.trim_start());
    let mut read_any = false;
    let mut apart = false;
    loop {
        let Some((spellings, after)) = name(rest) else { break };
        read_any = true;
        let (mut value, placeholder, after) =
            value(after, place, spellings.last().map_or("", String::as_str));
        // `-i[extension]` may be the long form of the name or a value that sticks to it: both, then.
        if spellings.len() == 2 && !spellings.iter().any(|name| name.starts_with("--")) && value.is_none() {
            value = Some(Arity::Optional);
        }
        for (index, name) in spellings.into_iter().enumerate() {
            // The negative form of `--[no-]x=V` takes none.
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
                if loose == Loose::Gap && !pair {
                    break;
                }
                apart = loose != Loose::No && !pair;
                rest = after;
            }
            _ => break,
        }
    }
    read_any.then_some((names, rest))
}

/// Cards of names that stand together: what one of them takes, all take, but for negative forms.
pub(super) fn cards(names: Vec<Spelled>, source: Source) -> Vec<OptionCard> {
    // Options side by side on a line leave no room for what they take.
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
    for card in all.iter_mut().filter(|card| listed && card.value == Arity::None) {
        card.value = Arity::Unknown;
    }
    all
}

/// The cards of one option's names: one for each thing they take.
fn one_option(names: Vec<Spelled>, source: Source) -> Vec<OptionCard> {
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
        // `-c, -C NUM`: the letter that shows a value takes it, the other does not.
        None if is_negative(spelled) || any_both_ways || (a_short_shows && short(spelled)) => Arity::None,
        None => strongest.unwrap_or(Arity::None),
    };
    let mut cards: Vec<OptionCard> = Vec::new();
    for spelled in &names {
        let value = takes(spelled);
        let index = match cards.iter().position(|card| card.value == value) {
            Some(index) => index,
            None => {
                cards.push(OptionCard {
                    names: Vec::new(),
                    value,
                    placeholder: String::new(),
                    text: String::new(),
                    source,
                });
                cards.len() - 1
            }
        };
        let Some(card) = cards.get_mut(index) else { continue };
        if !card.names.contains(&spelled.name) {
            card.names.push(spelled.name.clone());
        }
        if card.placeholder.is_empty() && value != Arity::None {
            let shown = names.iter().find(|other| !other.placeholder.is_empty());
            let own = if spelled.placeholder.is_empty() { shown } else { Some(spelled) };
            card.placeholder = own.map(|spelled| spelled.placeholder.clone()).unwrap_or_default();
        }
    }
    cards
}

fn is_negative(spelled: &Spelled) -> bool {
    spelled.name.starts_with("--no-") && spelled.value.is_none()
}

/// The options of usage text: brackets, alternatives, clusters. A cluster is taken apart; a word that could be either a
/// cluster or a long name goes to `unsure`.
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
                value(after, Place::Alone, spellings.last().map_or("", String::as_str));
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

/// Whether a word after one dash is letters written together. Words have few capitals and digits, repeat letters and do
/// not run through the alphabet.
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

/// The options that running text names.
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

/// The beginning of a text: what is looked through for a closing mark, so that no text takes quadratic time.
fn near(text: &str) -> &str {
    beginning(text, NEAR)
}

/// A text cut at the first of a character that is near; none where none is.
fn split_near(text: &str, mark: char) -> Option<(&str, &str)> {
    let index = near(text).find(mark)?;
    Some((text.get(..index)?, text.get(index + mark.len_utf8()..)?))
}

fn skip_marks(text: &str) -> &str {
    text.trim_start_matches([OPEN, CLOSE, '`', '‘'])
}

/// One name, or the two of `--[no-]x` and `-V[ersion]`; empty for a placeholder such as `-NUM`.
fn name(text: &str) -> Option<(Vec<String>, &str)> {
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
    // Italics may begin after the dash: the whole is a placeholder, unless the dashes were set apart from the name.
    if body.starts_with([OPEN, '<']) && dashes == "-" {
        let (close, skip) = if body.starts_with(OPEN) { (CLOSE, 1) } else { ('>', 1) };
        let (inside, after) = split_near(body, close)?;
        let inside = inside.get(skip..)?;
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

/// The lower-case rest of a name in brackets: `-V[ersion]`.
fn completion<'a>(after: &'a str, dashes: &str) -> Option<(String, &'a str)> {
    let (inside, rest) = split_near(after.strip_prefix('[')?, ']')?;
    let bare = plain(inside);
    let letters = !bare.is_empty()
        && bare.len() <= NAME_MAX
        && bare.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    // `--sort[key]` in a help text is a value; what takes a value itself is a name.
    (letters && dashes == "-" && bare.len() >= 2).then_some((bare, rest))
}

/// The value that follows a name.
fn value<'a>(text: &'a str, place: Place, name: &str) -> (Option<Arity>, String, &'a str) {
    let text = text.strip_prefix(CLOSE).unwrap_or(text);
    let single_letter = !name.starts_with("--") && name.chars().count() == 2;
    // A letter that takes a value takes it from the next word as well; a longer name after one dash does not.
    let joined = if name.starts_with("--") || single_letter { Arity::Required } else { Arity::Attached };
    // `--verbose...` may be repeated.
    if let Some(after) = text.strip_prefix("...").filter(|after| !after.starts_with(char::is_alphanumeric)) {
        return (None, String::new(), after);
    }
    let bare = text.strip_prefix(OPEN).unwrap_or(text);
    let spaced = bare.strip_prefix(" = ").filter(|_| place == Place::Alone);
    if let Some(after) = spaced.or_else(|| bare.strip_prefix('=')) {
        let (word, rest) = word(after);
        // `--watch=false:` shows the default of a switch, `--output='':` that of a value.
        if place == Place::Column
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
        // A stream specifier or the like: `-c[:stream] codec`; a sign: `-v[+|-]n`.
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

/// Signs and bars only: `-|+`.
fn is_signs(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| matches!(c, '+' | '-' | '|' | '/' | ' '))
}

/// A value set apart from its option by one blank.
fn separated(text: &str, place: Place) -> (Option<Arity>, String, &str) {
    let nothing = (None, String::new(), text);
    let Some(after) = text.strip_prefix([' ', '\u{a0}']) else { return nothing };
    let after = match place {
        // In a column two blanks begin the description.
        Place::Column if after.starts_with([' ', '\t']) => match typed(after) {
            Some((inside, rest)) => return (Some(Arity::Required), placeholder(inside), rest),
            None => return nothing,
        },
        Place::Column => after,
        Place::Alone => after.trim_start_matches([' ', '\t']),
    };
    let (first, rest) = one_value(after);
    let bare = plain(first);
    let bare = bare.trim();
    // A value that begins with a part that may be left out: `[[CC]YY]MMDD`, all of it in italics.
    if first.starts_with(OPEN) && bare.starts_with('[') && !bracketed(bare, '[', ']').1.is_empty() {
        return (Some(Arity::Required), placeholder(bare), more_values(rest, place));
    }
    let signs = bare.strip_prefix('[').is_some_and(|inside| is_signs(inside.trim_end_matches(']')));
    if bare.is_empty() || bare.starts_with(['-', '+']) || (bare.starts_with("[-") && !signs) {
        return nothing;
    }
    let marked = first.starts_with([OPEN, '<', '{', '\'', '"']) || first.contains(OPEN);
    if let Some(inside) = bare.strip_prefix('[') {
        // `[host:]port`, `[-|+]n`: only a part of the value may be left out.
        let sticks = rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, OPEN | '<' | '/'));
        if sticks || is_signs(inside.trim_end_matches(']')) {
            let (word, after) = word(rest.trim_start());
            return (Some(Arity::Required), placeholder(&word), more_values(after, place));
        }
        let inside = inside.trim_start();
        let shown = !inside.is_empty() && !inside.starts_with(['-', '[']) && !bare.starts_with("[default");
        // In a help text the next word may be the value (`--package [<SPEC>]`), in a page it must stick (`-j [jobs]`).
        let arity = if place == Place::Column { Arity::Unknown } else { Arity::Optional };
        return if shown { (Some(arity), placeholder(bare), rest) } else { nothing };
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
    let upper = is_upper(bare);
    match place {
        Place::Alone => {
            // More than a few words are a sentence.
            let n_words = rest
                .split_whitespace()
                .take(VALUES_MAX + 1)
                .filter(|word| !word.starts_with(['-', '[']))
                .count();
            if !marked && !upper && n_words >= VALUES_MAX {
                return (Some(Arity::Unknown), String::new(), rest);
            }
            (Some(Arity::Required), placeholder(bare), more_values(rest, place))
        }
        Place::Column if marked || (upper && (bare.chars().count() > 1 || ends_column(rest))) => {
            (Some(Arity::Required), placeholder(bare), more_values(rest, place))
        }
        Place::Column => {
            let word_like = bare.chars().all(|c| {
                c.is_alphanumeric()
                    || matches!(
                        c,
                        '_' | '-'
                            | '.'
                            | ':'
                            | '/'
                            | '='
                            | '|'
                            | '<'
                            | '>'
                            | '*'
                            | ','
                            | '%'
                            | '@'
                            | '{'
                            | '}'
                            | '['
                            | ']'
                    )
            });
            // `--arg name value   …`: a few short words before the gap.
            let column = after.split("  ").next().unwrap_or_default();
            let n_words = column.split(' ').count();
            let gap = column.len() < after.len();
            if word_like && ends_column(rest) {
                (Some(Arity::Required), placeholder(bare), rest)
            } else if word_like && gap && n_words <= 2 && column.split(' ').all(|word| word.len() <= 12) {
                (Some(Arity::Required), placeholder(column), after.get(column.len()..).unwrap_or_default())
            } else {
                // A description may begin after one blank, or a value of two words: not told apart.
                (Some(Arity::Unknown), String::new(), after)
            }
        }
    }
}

/// `  -b      <int>   …`: the type in a column of its own, before the description.
fn typed(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (inside, rest) = split_near(text.strip_prefix('<')?, '>')?;
    (!inside.contains(char::is_whitespace) && rest.starts_with("  ")).then_some((inside, rest))
}

/// The end of a column: the line's end, a gap, or a separator before another name.
fn ends_column(rest: &str) -> bool {
    let rest = rest.strip_prefix("...").unwrap_or(rest);
    rest.is_empty()
        || rest.starts_with("  ")
        || rest.starts_with('\t')
        || rest.trim_start_matches([',', '|', ' ', '/']).starts_with('-')
        || rest.starts_with(" : ")
        || rest.trim() == ":"
}

/// Passes over further values: `X Y`, `<name> <url>`, `FILE...`, `[FILE ...]`.
fn more_values(mut rest: &str, place: Place) -> &str {
    for _ in 0..VALUES_MAX {
        let dots = rest.trim_start_matches(['.', ',']);
        if rest.starts_with("...") || rest.starts_with(",...") {
            rest = dots;
        }
        let Some(after) = rest.strip_prefix(' ') else { break };
        let (next, end) = one_value(after);
        let bare = plain(next);
        let value = next.starts_with([OPEN, '<'])
            || (is_upper(&bare) && (bare.len() > 1 || place == Place::Alone))
            || (bare.starts_with('[') && !bare.starts_with("[-") && place == Place::Alone)
            || bare == "...";
        if !value || bare.is_empty() {
            break;
        }
        rest = end;
    }
    rest
}

/// One value: a bracketed or quoted stretch, or a word.
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
            // What sticks to the italics belongs to them: `file:line`, `key=value`.
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

/// What stands between a bracket and its partner, and what follows; to the end where it has none.
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

/// The word right after `=` or the name: brackets and braces in it are kept together.
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

/// What parts two names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loose {
    /// A comma or the like: names of one option.
    No,
    /// One blank, or a bar among blanks: mostly options side by side.
    Blank,
    /// Several blanks: `-c  --format=FORMAT`.
    Gap,
}

/// What follows the mark between one name and the next, and what parts them.
fn separator(rest: &str) -> Option<(Loose, &str)> {
    let trimmed = skip_marks(rest).trim_start_matches(['\'', '’']);
    let blank = trimmed.trim_start_matches(' ');
    for mark in [",", "|", "/", "or ", "and ", ";"] {
        let Some(after) = blank.strip_prefix(mark) else { continue };
        let barred = mark == "|" && blank.len() < trimmed.len() && after.starts_with(' ');
        let loose = if barred { Loose::Blank } else { Loose::No };
        let after = after.trim_start_matches([' ', ',']);
        let after = after.strip_prefix("or ").unwrap_or(after);
        // `-p, p, --pid`: a form without its dash stands between.
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
    let loose = if n_blanks == 1 { Loose::Blank } else { Loose::Gap };
    ((1..=GAP_MAX).contains(&n_blanks) && next.starts_with('-') && name(next).is_some())
        .then_some((loose, next))
}
