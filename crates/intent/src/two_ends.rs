//! Requests with two ends of which a line takes only a part: "between 10:20 and 10:35", "the first 3 and last 3 lines".

use std::sync::LazyLock;

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

static FIRST_AND_LAST: LazyLock<[Phrase; 3]> = LazyLock::new(|| {
    [
        "first <n> and|plus|& the? last <n>",
        "first <n>? line|lines|row|rows and|plus|& the? last <n>? line|lines|row|rows",
        "first <n>? and|plus|& the? last <n>? line|lines|row|rows",
    ]
    .map(|phrase| Phrase::from(phrase.to_owned()))
});
/// "all between the first 2 and the last 2", "first and last line of lines 5 to 10"
static UNLESS: LazyLock<[Phrase; 2]> = LazyLock::new(|| {
    ["without|except|skip*|but|not|remov*|delet*|drop|between .. first", "of|in|from lines|rows|line|row <n>"]
        .map(|phrase| Phrase::from(phrase.to_owned()))
});

/// Returns the mismatch of a line that takes only one end, or the two ends alone.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    ends_of_range(request, tokens, line).or_else(|| first_and_last(request, tokens, line))
}

/// Finds `grep -E '10:20|10:35'` for "between 10:20 and 10:35": what lies between the two is not found.
fn ends_of_range(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let (said, low, high) = tokens.windows(4).find_map(|four| {
        let [from, low, to, high] = four else { return None };
        let is_range =
            matches!((from.lower.as_str(), to.lower.as_str()), ("between", "and") | ("from", "to" | "until"));
        // "changed from 80 to 8080" is no range; times and dates are.
        let is_time = |token: &Token| token.text.contains([':', '-', '/']);
        let is_value = |token: &Token| {
            token.text.starts_with(|c: char| c.is_ascii_digit())
                && (from.lower == "between" || is_time(token))
        };
        let has_between = !follows(&low.text, &high.text);
        (is_range && is_value(low) && is_value(high) && has_between).then_some((
            from.span.start..high.span.end,
            low,
            high,
        ))
    })?;
    let is_end = |text: &str| {
        let bare = text.trim_matches(['^', '$', ' ', '(', ')', '"', '\\']);
        bare == low.text || bare == high.text
    };
    let holds_ends = |word: &Word| {
        let parts: Vec<&str> = word.text.split('|').collect();
        parts.len() == 2 && parts.iter().all(|part| is_end(part)) && parts.first() != parts.last()
    };
    let is_grep = |command: &&SimpleCommand| matches!(command.name(), Some("grep" | "egrep" | "rg"));
    let command =
        line.parsed().commands.iter().filter(is_grep).find(|command| command.words.iter().any(holds_ends))?;
    Some(
        Mismatch::likely(
            command.span.clone(),
            format!(
                "you said \"{}\"; this finds the two ends and nothing between them",
                request.get(said.clone())?
            ),
        )
        .about(said),
    )
}

/// Finds `head -n 3 a | tail -n 3` for "the first 3 and last 3 lines": `tail` reads only what `head` leaves.
fn first_and_last(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let commands = &line.parsed().commands;
    let (head, tail) = commands.iter().zip(commands.iter().skip(1)).find(|(head, tail)| {
        head.name() == Some("head") && tail.name() == Some("tail") && head.position + 1 == tail.position
    })?;
    let ((_, files), (_, none)) = (counted(head)?, counted(tail)?);
    if !none.is_empty() || UNLESS.iter().any(|phrase| phrase.find(tokens, 0).is_some()) {
        return None;
    }
    let found = FIRST_AND_LAST.iter().find_map(|phrase| phrase.find_affirmed(tokens))?;
    let said = found.span(tokens)?;
    let file = match files.as_slice() {
        [file] if !file.text.starts_with('-') => Some(*file),
        _ => None,
    };
    let is_whole = commands.len() == 2 && head.redirections.is_empty() && tail.redirections.is_empty();
    let edit = file.filter(|_| is_whole).and_then(|file| {
        let (own, file) = (line.text().get(tail.span.clone())?, line.text().get(file.span.clone())?);
        let between = head.span.end..tail.span.end;
        Some(Edit::replace(line.text(), between, format!("; {own} {file}")))
    });
    Some(Mismatch {
        span: tail.span.clone(),
        text: format!("you said \"{}\"; `tail` reads only what `head` leaves", request.get(said.clone())?),
        said: Some(said),
        certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
        edit,
    })
}

/// Reports whether one value is the next behind another: nothing lies between 301 and 302, or 10:20 and 10:21.
fn follows(low: &str, high: &str) -> bool {
    let split = |text: &str| {
        let at = text.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        Some((text.get(..at)?.to_owned(), text.get(at..)?.parse::<u64>().ok()?))
    };
    let (Some((start, low)), Some((same, high))) = (split(low), split(high)) else { return false };
    start == same && low.checked_add(1) == Some(high)
}

/// Returns the number of lines that `head` or `tail` takes from its end, and its operands: `-n 3 a`, `-3 a`. `None` if it has another
/// form: `-n -2`, `-n +3`.
fn counted(command: &SimpleCommand) -> Option<(u64, Vec<&Word>)> {
    let mut words = command.words.iter().skip(1);
    let option = words.next()?.text.as_str();
    let digits = match option.strip_prefix("-n").or_else(|| option.strip_prefix('-'))? {
        "" => words.next()?.text.as_str(),
        digits => digits,
    };
    let is_count = digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((digits.parse().ok().filter(|_| is_count)?, words.filter(|word| word.text != "--").collect()))
}
