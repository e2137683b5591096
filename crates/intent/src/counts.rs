//! Numbers of lines and characters: the n-th line, headers that are counted, the length of a random text.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::quantity::number;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

/// Ordinal words.
const ORDINALS: [&str; 11] =
    ["", "", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// Words for the length of a text, behind its number.
const CHARACTERS: [&str; 6] = ["character", "characters", "char", "chars", "symbols", "long"];

/// Returns the mismatches of a line with the counts of its request.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Vec<Mismatch> {
    let all = [
        nth_line(request, tokens, line),
        lines_between(request, tokens, line),
        counted_header(request, tokens, line),
        random_text(request, tokens, line),
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
    let behind = tokens.get(at + 1).and_then(|token| number(&token.lower));
    let wanted = if is_ordinal {
        digits.parse().ok()?
    } else if let Some(wanted) = behind {
        wanted
    } else {
        ORDINALS.iter().position(|word| *word == token.lower && !word.is_empty())? as u64
    };
    let before = at.checked_sub(2).and_then(|at| tokens.get(at));
    // "every 2nd line", "up to the 10th line"
    if before.is_some_and(|token| token.lower == "every")
        || tokens.iter().any(|token| {
            matches!(
                token.lower.as_str(),
                "up" | "until" | "through" | "from" | "each" | "starting" | "onward" | "onwards"
            )
        })
    {
        return None;
    }
    let [command] = line.parsed().commands.as_slice() else { return None };
    if let Some(why) = other_lines(command, wanted) {
        let said = token.span.start..tokens.get(at)?.span.end;
        return Some(
            Mismatch::likely(
                command.span.clone(),
                format!("you said \"{}\"; {why}", request.get(said.clone())?),
            )
            .about(said),
        );
    }
    let (count, _) = count_of(command).filter(|_| command.name() == Some("head"))?;
    let [.., file] = command.words.as_slice() else { return None };
    let is_file = command.words.len() > 2 && !file.text.starts_with('-') && file.text.parse::<u64>().is_err();
    let stops = request.split_whitespace().any(|word| word.eq_ignore_ascii_case("stop"));
    if stops || count != wanted || !is_file || !command.redirections.is_empty() {
        return None;
    }
    let mended = format!("sed -n '{wanted}p' {}", line.text().get(file.span.clone())?);
    let said = token.span.start..tokens.get(at)?.span.end;
    Some(mismatch(request, line, said, (command.span.clone(), mended), "`head` prints all lines up to it"))
}

/// Compares "lines 5 to 10" with `head -n 10 | tail -n 6`.
fn lines_between(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let [one, join, other] = tokens.windows(3).find(|three| {
        let [one, join, other] = three else { return false };
        let joins = ["to", "through", "till", "until", "-", "and"];
        number(&one.lower).is_some() && joins.contains(&join.lower.as_str()) && number(&other.lower).is_some()
    })?
    else {
        return None;
    };
    let said = one.span.start.min(join.span.start)..other.span.end;
    let (low, high) = (number(&one.lower)?, number(&other.lower)?);
    let is_lines = tokens.iter().any(|token| matches!(token.lower.as_str(), "lines" | "rows"));
    let [head, tail] = line.parsed().commands.as_slice() else { return None };
    if !is_lines || head.name() != Some("head") || tail.name() != Some("tail") || high < low {
        return None;
    }
    let from = tail.words.iter().any(|word| word.text.contains('+'));
    let (count, span) = count_of(tail).filter(|_| !from)?;
    let wanted = high - low + 1;
    let is_end = count_of(head).is_some_and(|(count, _)| count == high);
    (is_end && count != wanted).then(|| {
        mismatch(request, line, said, (span, wanted.to_string()), &format!("these are {wanted} lines"))
    })
}

/// Returns the number of characters with which `openssl rand` writes some bytes.
pub(crate) fn encoded_length(line: &str, bytes: u64) -> Option<u64> {
    match () {
        () if line.contains("-hex") => bytes.checked_mul(2),
        () if line.contains("-base64") => bytes.div_ceil(3).checked_mul(4),
        () => None,
    }
}

/// Compares "a password of 16 characters" with `openssl rand -base64 16`, which prints 24.
fn random_text(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let [openssl] = line.parsed().commands.as_slice() else { return None };
    let is_random =
        openssl.name() == Some("openssl") && openssl.words.get(1).is_some_and(|word| word.text == "rand");
    let word = openssl.words.last().filter(|_| is_random)?;
    let bytes: u64 = word.text.parse().ok()?;
    let length = encoded_length(line.text(), bytes)?;
    let at = tokens.iter().position(|token| CHARACTERS.contains(&token.lower.as_str()))?;
    let token = tokens.get(at.checked_sub(1)?)?;
    let wanted = number(&token.lower).filter(|wanted| *wanted != length)?;
    let said = token.span.start..tokens.get(at)?.span.end;
    let is_hex = line.text().contains("-hex");
    let new = match () {
        () if is_hex && wanted % 2 == 0 => (wanted / 2).to_string(),
        () if !is_hex && wanted % 4 == 0 => (wanted / 4 * 3).to_string(),
        // One line of base64 has 64 characters.
        () if wanted < length.min(64) => format!("{bytes} | cut -c1-{wanted}"),
        () => return None,
    };
    let why = format!("{bytes} random bytes are written with {length} characters");
    Some(mismatch(request, line, said, (word.span.clone(), new), &why))
}

/// Returns what `tail` or `sed` prints instead of one line.
fn other_lines(command: &SimpleCommand, wanted: u64) -> Option<String> {
    let words = || command.words.iter().skip(1).map(|word| word.text.as_str());
    match command.name()? {
        "tail" if 1 < wanted => {
            let digits = format!("+{wanted}");
            let from = words().any(|text| text.ends_with(&digits));
            Some(
                if from { "`tail` prints all lines from it on" } else { "`tail` prints the last lines" }
                    .to_owned(),
            )
        }
        "sed" => {
            let line = words().find_map(|text| text.strip_suffix(['p', 'q', 'd'])?.parse::<u64>().ok())?;
            (line != wanted).then(|| format!("this is line {line}"))
        }
        _ => None,
    }
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
    // `ps -eo pid=,comm=`; each further list of columns may have a header.
    let lists = || source.words.iter().filter(|word| word.text.starts_with('-') && word.text.ends_with('o'));
    let is_bare =
        |word: &Word| word.text.contains('=') && word.text.split(',').all(|column| column.ends_with('='));
    let is_headless = source.words.iter().any(|word| word.text.starts_with("--no-header"))
        || lists().count() == 1 && source.words.iter().any(is_bare);
    if source.name() == Some("ps") && is_headless {
        let wanted = count.checked_sub(1).filter(|wanted| 1 < *wanted)?;
        let is_asked = |number_of: u64| tokens.iter().find(|token| number(&token.lower) == Some(number_of));
        let token = is_asked(wanted).filter(|_| is_asked(count).is_none())?;
        let why = "`ps` prints no header here";
        return Some(mismatch(request, line, token.span.clone(), (span, wanted.to_string()), why));
    }
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
