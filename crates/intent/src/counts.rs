//! Numbers of lines and the direction of a sort: the n-th line, headers that are counted, largest or smallest.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::phrase::Phrase;
use crate::quantity::number;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

/// Words for the upper and the lower end of an order.
const UPPER: [&str; 12] = [
    "largest",
    "biggest",
    "highest",
    "longest",
    "heaviest",
    "greatest",
    "newest",
    "latest",
    "descending",
    "decreasing",
    "maximum",
    "top",
];
const LOWER: [&str; 9] =
    ["smallest", "lowest", "shortest", "lightest", "least", "oldest", "ascending", "increasing", "minimum"];
/// Ordinal words.
const ORDINALS: [&str; 11] =
    ["", "", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// Returns the mismatches of a line with the counts and directions of its request.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Vec<Mismatch> {
    let all = [
        nth_line(request, tokens, line),
        counted_header(request, tokens, line),
        direction(request, tokens, line),
    ];
    all.into_iter().flatten().collect()
}

fn mismatch(request: &str, line: &ParsedLine, said: Span, edit: (Span, String), why: &str) -> Mismatch {
    Mismatch {
        span: edit.0.clone(),
        text: format!("you said \"{}\"; {why}", request.get(said.clone()).unwrap_or_default()),
        said: Some(said),
        certainty: Certainty::Sure,
        edit: Some(Edit::replace(line.text(), edit.0, edit.1)),
    }
}

/// Returns the number of lines that `head` or `tail` prints, and the word or words that say so.
fn count_of(command: &SimpleCommand) -> Option<(u64, Span)> {
    let words = command.words.get(1..)?;
    let digits = |text: &str| text.parse::<u64>().ok();
    words.iter().enumerate().find_map(|(at, word)| match word.text.as_str() {
        "-n" | "--lines" => {
            let value = words.get(at + 1)?;
            Some((digits(&value.text)?, value.span.clone()))
        }
        text => {
            let bare =
                ["-n", "--lines=", "-"].iter().find_map(|start| text.strip_prefix(start)).and_then(digits)?;
            let length = bare.to_string().len();
            Some((bare, word.span.end.checked_sub(length)?..word.span.end))
        }
    })
}

fn named<'l>(line: &'l ParsedLine, names: &[&str]) -> Vec<&'l SimpleCommand> {
    let commands = line.parsed().commands.iter();
    commands.filter(|command| command.name().is_some_and(|name| names.contains(&name))).collect()
}

/// Compares "the 10th line" with `head -n 10`, which prints ten lines.
fn nth_line(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let at = tokens.iter().position(|token| matches!(token.lower.as_str(), "line" | "row"))?;
    let token = tokens.get(at.checked_sub(1)?)?;
    let digits = token.lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_ordinal = matches!(token.lower.get(digits.len()..), Some("st" | "nd" | "rd" | "th"));
    let wanted = if is_ordinal {
        digits.parse().ok()?
    } else {
        ORDINALS.iter().position(|word| *word == token.lower && !word.is_empty())? as u64
    };
    let before = at.checked_sub(2).and_then(|at| tokens.get(at));
    // "every 2nd line", "up to the 10th line"
    if before.is_some_and(|token| token.lower == "every")
        || tokens
            .iter()
            .any(|token| matches!(token.lower.as_str(), "up" | "until" | "through" | "from" | "each"))
    {
        return None;
    }
    let [command] = line.parsed().commands.as_slice() else { return None };
    let (count, _) = count_of(command).filter(|_| command.name() == Some("head"))?;
    let [.., file] = command.words.as_slice() else { return None };
    let is_file = command.words.len() > 2 && !file.text.starts_with('-') && file.text.parse::<u64>().is_err();
    if count != wanted || !is_file || !command.redirections.is_empty() {
        return None;
    }
    let mended = format!("sed -n '{wanted}p' {}", line.text().get(file.span.clone())?);
    let said = token.span.start..tokens.get(at)?.span.end;
    Some(mismatch(request, line, said, (command.span.clone(), mended), "`head` prints all lines up to it"))
}

/// Compares "5 processes" with `ps … | head -n 5`, which prints the header and four.
fn counted_header(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let heads = named(line, &["head"]);
    let [head] = heads.as_slice() else { return None };
    let (count, span) = count_of(head)?;
    let source = line
        .parsed()
        .commands
        .iter()
        .find(|it| it.pipeline == head.pipeline && it.position + 1 == head.position)?;
    let is_without = source
        .words
        .iter()
        .any(|word| word.text.contains("no-header") || word.text.ends_with('=') || word.text == "h");
    let has_header = match source.name()? {
        "ps" => !is_without,
        "df" => true,
        "ls" => {
            source.words.iter().any(|word| {
                word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('l')
            }) && !source.words.iter().skip(1).any(|word| word.glob || word.text.contains('.'))
        }
        _ => false,
    };
    let token = tokens.iter().find(|token| number(&token.lower) == Some(count))?;
    let is_lines = tokens.iter().any(|token| matches!(token.lower.as_str(), "lines" | "rows" | "line"));
    if !has_header || is_lines {
        return None;
    }
    let why = format!("`{}` prints a header first", source.name()?);
    Some(mismatch(request, line, token.span.clone(), (span, (count + 1).to_string()), &why))
}

/// Compares "largest" and "smallest" with the direction of `sort … | head`.
fn direction(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let is = |words: &[&str], token: &Token| !token.quoted && words.contains(&token.lower.as_str());
    let upper = tokens.iter().find(|token| is(&UPPER, token));
    let lower = tokens.iter().find(|token| is(&LOWER, token));
    // "top" may also be a place: "at the top".
    let is_place = Phrase::from("at|from|to the? top".to_owned()).find(tokens, 0).is_some();
    let (said, wants_upper) = match (upper, lower) {
        (Some(token), None) if !is_place => (token, true),
        (None, Some(token)) => (token, false),
        _ => return None,
    };
    let sorts = named(line, &["sort"]);
    let [sort] = sorts.as_slice() else { return None };
    let commands = &line.parsed().commands;
    let end = commands.iter().filter(|it| it.pipeline == sort.pipeline && it.position > sort.position);
    let ends: Vec<&str> =
        end.filter_map(SimpleCommand::name).filter(|name| matches!(*name, "head" | "tail" | "tac")).collect();
    let is_numeric = |word: &&Word| {
        let letters = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| {
            letters.contains(['n', 'h', 'g', 'r'])
                && letters.chars().all(|c| c.is_ascii_alphanumeric() || c == ',')
        })
    };
    let options: Vec<&Word> = sort.words.iter().skip(1).filter(is_numeric).collect();
    let reversed = options.iter().any(|word| word.text.contains('r'))
        || sort.words.iter().any(|word| word.text == "--reverse");
    let [option] = options.as_slice() else { return None };
    // An age is sorted the other way round than a time.
    let is_time = ["newest", "latest", "oldest"].contains(&said.lower.as_str());
    if ends.as_slice() != ["head"] || reversed == wants_upper || is_time {
        return None;
    }
    let new =
        if wants_upper { format!("-r{}", option.text.get(1..)?) } else { option.text.replacen('r', "", 1) };
    let why = "this sorts the other way round";
    (new.len() > 1).then(|| mismatch(request, line, said.span.clone(), (option.span.clone(), new), why))
}
