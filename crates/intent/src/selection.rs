//! Order and selection: which end of an order a line takes, and which one the request names.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::quantity::{nth, number};
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

/// Words for the upper and the lower end of sizes and values.
const UPPER: [&str; 9] = [
    "largest",
    "biggest",
    "highest",
    "longest",
    "heaviest",
    "greatest",
    "maximum",
    "descending",
    "decreasing",
];
const LOWER: [&str; 8] =
    ["smallest", "lowest", "shortest", "lightest", "least", "minimum", "ascending", "increasing"];
/// Words for the ends of times.
const NEW: [&str; 4] = ["newest", "latest", "youngest", "freshest"];
const OLD: [&str; 2] = ["oldest", "earliest"];
/// Nouns for one thing.
const ONES: [&str; 24] = [
    "file",
    "folder",
    "directory",
    "number",
    "line",
    "word",
    "value",
    "log",
    "photo",
    "picture",
    "image",
    "video",
    "song",
    "pdf",
    "script",
    "backup",
    "archive",
    "process",
    "user",
    "name",
    "price",
    "salary",
    "score",
    "subfolder",
];
/// Maximum number of words between an end and its place in a list: "newest at the bottom".
const PLACE_WORDS: usize = 4;

/// Sort key of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Time,
    Size,
    Value,
}

/// Lines that are left of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Take {
    All,
    First(u64),
    Last(u64),
    Nth(u64),
}

/// The order of a pipeline, and what it takes of it.
struct Selection<'l> {
    key: Key,
    descending: bool,
    take: Take,
    /// The command whose option decides the direction.
    command: &'l SimpleCommand,
}

/// The end of an order that a request names.
struct End<'t> {
    token: &'t Token,
    is_time: bool,
    upper: bool,
    /// "newest last", "smallest at the bottom".
    at_bottom: bool,
    /// "the second largest".
    nth: Option<u64>,
}

/// Compares the end of the order that the request names with the one that the line takes.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let end = end(tokens)?;
    let selection = selection(line)?;
    // "the highest of each group, sorted by group": the loop of `awk` has taken the highest.
    if selection.key == Key::Value && selection.take == Take::All && line.text().contains("for (") {
        return None;
    }
    let is_kind = match selection.key {
        Key::Time => end.is_time,
        Key::Size | Key::Value => !end.is_time,
    };
    // "with us longest" is no length.
    let is_length = matches!(end.token.lower.as_str(), "longest" | "shortest");
    if is_length && selection.key == Key::Value && !line.text().contains("length") {
        return None;
    }
    let said = request.get(end.token.span.clone())?;
    // "from the largest to the smallest" names both ends; the first one decides.
    let before = request.get(..end.token.span.start)?.trim_end();
    if before.ends_with(" to") || before.ends_with(" to the") {
        return None;
    }
    let likely =
        |text: String| Mismatch::likely(selection.command.span.clone(), text).about(end.token.span.clone());
    if !is_kind {
        let is_listed = selection.command.name() == Some("ls");
        let of = if selection.key == Key::Time { "time" } else { "size" };
        return is_listed.then(|| likely(format!("you said \"{said}\"; this sorts by {of}")));
    }
    if let (Some(wanted), Take::First(count) | Take::Last(count)) = (end.nth, selection.take)
        && (count == wanted || count == 1)
    {
        let why = if count == 1 { "this takes the first" } else { "this takes all of them up to it" };
        return Some(likely(format!("you did not ask for the \"{said}\" itself; {why}")));
    }
    if let Some(why) = whole(&end, &selection, tokens) {
        return Some(likely(format!("you said \"{said}\"; {why}")));
    }
    let takes_upper = match selection.take {
        Take::First(_) | Take::Nth(_) => selection.descending,
        Take::Last(_) => !selection.descending,
        Take::All => selection.descending != end.at_bottom,
    };
    (takes_upper != end.upper && is_said_of(&end, selection.take, tokens)).then(|| {
        let edit = reversed(line, selection.command);
        Mismatch {
            span: selection.command.span.clone(),
            said: Some(end.token.span.clone()),
            certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
            text: format!("you said \"{said}\"; this sorts the other way round"),
            edit,
        }
    })
}

/// Returns what is wrong with a line that compares values as texts, or takes more than the one thing that is asked for.
fn whole(end: &End<'_>, selection: &Selection<'_>, tokens: &[Token]) -> Option<String> {
    // `-k 3,3n` is two words.
    let is_option = |word: &&Word| word.text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let is_number = selection
        .command
        .words
        .iter()
        .skip(1)
        .filter(is_option)
        .any(|word| word.text.contains(['n', 'h', 'g', 'V', 'M']));
    let is_plain = ["ascending", "descending", "increasing", "decreasing", "longest", "shortest"];
    if selection.key == Key::Value
        && !end.is_time
        && !is_number
        && !is_plain.contains(&end.token.lower.as_str())
    {
        return Some("without -n `sort` compares texts".to_owned());
    }
    let at = tokens.iter().position(|token| token.span == end.token.span)?;
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    // "the newest file of each folder"
    let is_of_each = tokens.iter().any(|token| matches!(token.lower.as_str(), "each" | "every" | "per"));
    let is_one = !is_of_each
        && ONES.contains(&word(at + 1))
        && !is_said_of(end, Take::All, tokens)
        && end.nth.is_none();
    let has_number = tokens.iter().any(|token| number(&token.lower).is_some());
    let is_long = crate::mark::gives(selection.command, 'l');
    match selection.take {
        _ if !is_one || has_number => None,
        Take::All => Some("this prints all of them".to_owned()),
        Take::First(n) | Take::Last(n) if 1 < n && !(is_long && n == 2) => Some(format!("this prints {n}")),
        _ => None,
    }
}

/// Reports whether the words name the end of the order of a whole list: "largest first", "sort … descending".
fn is_said_of(end: &End<'_>, take: Take, tokens: &[Token]) -> bool {
    let sorts = tokens.iter().any(|token| {
        ["sort", "order", "list", "rank"].iter().any(|stem| token.lower.starts_with(stem))
            || matches!(
                token.lower.as_str(),
                "first" | "top" | "ascending" | "descending" | "decreasing" | "increasing"
            )
    });
    take != Take::All || sorts || end.at_bottom
}

/// Returns the end of an order that the request names; `None` if it names both and none first, or "at the top" is a place.
fn end(tokens: &[Token]) -> Option<End<'_>> {
    // "untouched longest", "changed longest ago" are about times.
    let is_age = tokens
        .iter()
        .any(|token| matches!(token.lower.as_str(), "ago" | "untouched" | "unchanged" | "unused" | "living"))
        || tokens
            .windows(2)
            .any(|pair| matches!(pair, [of, longest] if of.lower == "for" && longest.lower == "longest"));
    let of = |token: &Token| match token.lower.as_str() {
        _ if token.quoted => None,
        "longest" if is_age => None,
        word if UPPER.contains(&word) => Some((false, true)),
        word if LOWER.contains(&word) => Some((false, false)),
        word if NEW.contains(&word) => Some((true, true)),
        word if OLD.contains(&word) => Some((true, false)),
        _ => None,
    };
    let recently = |at: usize| {
        let [side, next] = tokens.get(at..at + 2)? else { return None };
        (matches!(side.lower.as_str(), "most" | "least") && next.lower == "recently")
            .then(|| (true, side.lower == "most"))
    };
    // "most frequent", but not "most recent"
    let most = |at: usize| {
        let next = tokens.get(at + 1)?;
        let counts = [
            "common", "frequent", "popular", "often", "used", "active", "repeated", "lines", "words", "files",
        ];
        (tokens.get(at)?.lower == "most" && counts.iter().any(|stem| next.lower.starts_with(stem)))
            .then_some((false, true))
    };
    let mut ends = tokens.iter().enumerate().filter_map(|(at, token)| {
        Some((at, token, recently(at).or_else(|| of(token)).or_else(|| most(at))?))
    });
    let (at, token, (is_time, upper)) = ends.next()?;
    let behind = tokens.get(at + 1..).unwrap_or_default();
    let goes_to = behind.first().is_some_and(|next| next.lower == "to");
    if ends.any(|(_, _, (_, other))| other != upper) && !goes_to {
        return None;
    }
    let before = at.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str());
    // "at least", "not the latest", "all but the newest"
    let others = ["at", "not", "except", "but", "without", "keep", "excluding"];
    if tokens.get(at.saturating_sub(3)..at)?.iter().any(|token| others.contains(&token.lower.as_str())) {
        return None;
    }
    let near = behind.get(..behind.len().min(PLACE_WORDS))?;
    let at_bottom = near.iter().any(|token| matches!(token.lower.as_str(), "last" | "bottom" | "end"));
    Some(End { token, is_time, upper, at_bottom, nth: nth(before).filter(|n| 1 < *n) })
}

/// Returns the order of the first pipeline that sorts, and what is taken of it; `None` if a command between can't be read.
fn selection(line: &ParsedLine) -> Option<Selection<'_>> {
    let commands = &line.parsed().commands;
    let mut found: Option<Selection<'_>> = None;
    let mut previous: Option<&SimpleCommand> = None;
    for command in commands {
        let is_next = previous.is_none_or(|before| before.pipeline == command.pipeline);
        if found.is_some() && !is_next {
            continue;
        }
        match (command.name()?, &mut found) {
            ("ls", None) => found = listed(command),
            // `sort -u` behind `sort` leaves the first of each group.
            ("sort", Some(_)) if crate::mark::gives(command, 'u') => return None,
            ("sort", _) if has_two_directions(command) => return None,
            ("sort", found) => *found = Some(sorted(command, line.text())),
            ("tac", Some(found)) => found.descending = !found.descending,
            (name @ ("head" | "tail" | "sed" | "awk"), Some(found)) => {
                if let Some(take) = taken(name, command) {
                    found.take = match (found.take, take) {
                        (Take::All, take) => take,
                        // The last of the first n.
                        (Take::First(n), Take::Last(1)) => Take::Nth(n),
                        _ => return None,
                    };
                }
            }
            ("nl", Some(_)) => return None,
            // What is sorted before `uniq -c` is not the order of the counts.
            ("uniq", found) => *found = None,
            _ => {}
        }
        previous = Some(command);
    }
    found
}

/// Returns the order of `ls -t` and `ls -S`.
fn listed(command: &SimpleCommand) -> Option<Selection<'_>> {
    let gives = |letter| crate::mark::gives(command, letter);
    let key = match () {
        () if gives('t') => Key::Time,
        () if gives('S') => Key::Size,
        () => return None,
    };
    let is_reversed = gives('r') || command.words.iter().any(|word| word.text == "--reverse");
    Some(Selection { key, descending: !is_reversed, take: Take::All, command })
}

fn sorted<'l>(command: &'l SimpleCommand, line: &str) -> Selection<'l> {
    let key = match () {
        () if line.contains("%T@") || line.contains("%T+") || line.contains("%Y") => Key::Time,
        () if line.contains("%s") => Key::Size,
        () => Key::Value,
    };
    let descending = direction_word(command).is_some_and(|word| word.text.contains('r'))
        || command.words.iter().any(|word| word.text == "--reverse");
    Selection { key, descending, take: Take::All, command }
}

/// Reports whether `sort` has keys in both directions: `-k1,1r -k2,2n`.
fn has_two_directions(command: &SimpleCommand) -> bool {
    let mut keys = command.words.iter().filter(|word| word.text.starts_with("-k") && 2 < word.text.len());
    let first = keys.next().map(|word| word.text.contains('r'));
    first.is_some_and(|first| keys.any(|word| word.text.contains('r') != first))
}

/// Returns the option of `sort` that decides the direction: the one with `r`, else the first with a kind of number.
fn direction_word(command: &SimpleCommand) -> Option<&Word> {
    let options = || {
        command.words.iter().skip(1).filter(|word| {
            let letters =
                word.text.strip_prefix('-').filter(|letters| !letters.starts_with(['-', 't', 'o', 'T']));
            letters
                .is_some_and(|letters| letters.chars().all(|c| c.is_ascii_alphanumeric() || ",.".contains(c)))
                || word.text.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    options()
        .find(|word| word.text.contains('r'))
        .or_else(|| options().find(|word| word.text.contains(['n', 'h', 'g', 'V'])))
}

/// Returns what `head`, `tail`, `sed` or `awk` takes of the lines; `None` if it takes all or can't be read.
fn taken(name: &str, command: &SimpleCommand) -> Option<Take> {
    let words = || command.words.iter().skip(1).map(|word| word.text.as_str());
    if matches!(name, "sed" | "awk") {
        let program = words().find(|text| !text.starts_with('-'))?;
        let bare = program.replace([' ', ';'], "");
        let line =
            bare.strip_prefix("NR==").or_else(|| bare.strip_suffix('p')).or_else(|| bare.strip_suffix('q'));
        let first = |n: u64| if bare.ends_with('q') { Take::First(n) } else { Take::Nth(n) };
        return match line? {
            "$" => Some(Take::Last(1)),
            digits => digits.split('{').next()?.parse().ok().map(first),
        };
    }
    if words().any(|text| text.contains('+') || text.starts_with("-c") || text.starts_with("-n-")) {
        return None;
    }
    let count = words()
        .find_map(|text| text.trim_start_matches(['-', 'z', 'q']).trim_start_matches('n').parse().ok());
    let count = count.unwrap_or(10);
    Some(if name == "head" { Take::First(count) } else { Take::Last(count) })
}

/// Returns the edit that turns the order of `ls` or `sort` round.
fn reversed(line: &ParsedLine, command: &SimpleCommand) -> Option<Edit> {
    let replace = |span: Span, new: String| Some(Edit::replace(line.text(), span, new));
    let is_ls = command.name() == Some("ls");
    if command.words.iter().any(|word| word.text == "--reverse") {
        return None;
    }
    if is_ls && crate::mark::gives(command, 'r') {
        return crate::rule::without(line, command, 'r').and_then(|(span, new)| replace(span, new));
    }
    let option = if is_ls {
        command.words.iter().skip(1).find(|word| word.text.starts_with('-') && word.text.contains(['t', 'S']))
    } else {
        direction_word(command)
    };
    let Some(option) = option else {
        let end = command.words.first()?.span.end;
        return replace(end..end, " -r".to_owned());
    };
    if option.quoted || line.text().get(option.span.clone()) != Some(option.text.as_str()) {
        return None;
    }
    if option.text.contains('r') {
        return crate::rule::without(line, command, 'r').and_then(|(span, new)| replace(span, new));
    }
    let rest = option.text.strip_prefix('-')?;
    let new = if is_ls { format!("-{rest}r") } else { format!("-r{rest}") };
    let is_key = rest.starts_with('k') || option.text.starts_with(|c: char| c.is_ascii_digit());
    replace(option.span.clone(), if is_key { format!("{}r", option.text) } else { new })
}
