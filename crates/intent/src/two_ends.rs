//! Requests with two ends of which a line takes only a part: "between 10:20 and 10:35", "the first 3 and last 3 lines".

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::phrase::Phrase;
use crate::quantity::number;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Returns the mismatches of one line with the request.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    ends_of_range(request, tokens, line).or_else(|| first_and_last(request, tokens, line))
}

/// Finds `grep -E '10:20|10:35'` for "between 10:20 and 10:35": what lies between the two is not found.
fn ends_of_range(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let (said, low, high) = tokens.windows(4).find_map(|four| {
        let [from, low, to, high] = four else { return None };
        let is_range =
            matches!((from.lower.as_str(), to.lower.as_str()), ("between", "and") | ("from", "to" | "until"));
        let is_value = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit());
        (is_range && is_value(low) && is_value(high)).then_some((from.span.start..high.span.end, low, high))
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
    Some(Mismatch {
        span: command.span.clone(),
        text: format!(
            "you said \"{}\"; this finds the two ends and nothing between them",
            request.get(said.clone())?
        ),
        said: Some(said),
        certainty: Certainty::Likely,
        edit: None,
    })
}

/// Finds `head -n 3 a | tail -n 3` for "the first 3 and last 3 lines": `tail` reads only what `head` leaves.
fn first_and_last(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let found = Phrase::from("first <n>? line|lines|row|rows? and|plus|& the? last".to_owned())
        .find_affirmed(tokens)?;
    let unless = Phrase::from("without|except|skip*|but|not|remov*|delet*|drop .. first".to_owned());
    if unless.find(tokens, 0).is_some() {
        return None;
    }
    let commands = &line.parsed().commands;
    let (head, tail) = commands.iter().zip(commands.iter().skip(1)).find(|(head, tail)| {
        head.name() == Some("head") && tail.name() == Some("tail") && head.position + 1 == tail.position
    })?;
    let count = |command: &SimpleCommand| {
        let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
        match words.as_slice() {
            [option, count, ..] if *option == "-n" => count.parse::<u64>().ok(),
            [option, ..] => number(option.trim_start_matches("-n").trim_start_matches('-')),
            [] => None,
        }
    };
    count(head).and(count(tail))?;
    let said = found.span(tokens)?;
    let file = head.words.last().filter(|word| !word.text.starts_with('-') && head.words.len() > 2);
    let file = file.filter(|word| word.text.parse::<u64>().is_err());
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
