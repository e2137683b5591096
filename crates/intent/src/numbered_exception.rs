//! Single lines and columns that a request takes out of a row of them, and words that it takes as one.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::quantity::{nth, number};
use crate::request::Token;
use askline_syntax::{ParsedLine, Span};

/// Words that take something out.
const WITHOUT: [&str; 8] = ["except", "without", "excluding", "minus", "omitting", "skipping", "not", "but"];

/// Returns the mismatches of a line with what its request leaves out.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Vec<Mismatch> {
    let all = [lines(request, tokens, line), columns(request, tokens, line), twins(request, tokens, line)];
    all.into_iter().flatten().collect()
}

fn lower(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).filter(|token| !token.quoted).map_or("", |token| token.lower.as_str())
}

fn any_number(word: &str) -> Option<u64> {
    number(word).or_else(|| nth(word))
}

fn mismatch(
    request: &str,
    line: &ParsedLine,
    said: Span,
    why: &str,
    edit: Option<(Span, String)>,
) -> Option<Mismatch> {
    let certainty = if edit.is_some() { Certainty::Sure } else { Certainty::Likely };
    let edit = edit.map(|(span, new)| Edit::replace(line.text(), span, new));
    let span = edit.as_ref().map_or(0..line.text().len(), |it| it.span.clone());
    let text = format!("you said \"{}\"; {why}", request.get(said.clone())?);
    Some(Mismatch { span, said: Some(said), certainty, text, edit })
}

/// Compares "lines 5 to 10 except 7" with `sed -n 5,10p`.
fn lines(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let at = (0..tokens.len()).find(|at| matches!(lower(tokens, *at), "lines" | "rows"))?;
    let (from, to) = match lower(tokens, at + 1).split_once('-') {
        Some((from, to)) => (from.parse().ok()?, to.parse().ok()?),
        None => (number(lower(tokens, at + 1))?, number(lower(tokens, at + 3))?),
    };
    // "but 5 at a time" leaves nothing out.
    let is_out = |at: &usize| WITHOUT.contains(&lower(tokens, *at)) && lower(tokens, *at) != "but";
    let out = (at + 2..tokens.len()).find(is_out)?;
    let fillers = ["the", "line", "lines", "row", "number", "not", "for"];
    let taken = (out + 1..tokens.len()).find(|at| !fillers.contains(&lower(tokens, *at)))?;
    let left: u64 = any_number(lower(tokens, taken)).filter(|left| (from..=to).contains(left))?;
    let next = lower(tokens, taken + 1);
    let ends = ["", "line", "lines", "row", "rows", "of", "in", "from", "and", "or"];
    if next == "first" || !ends.contains(&next) && any_number(next).is_none() {
        return None;
    }
    let mut commands = line.parsed().commands.iter().filter(|command| command.name() == Some("sed"));
    let command = commands.next().filter(|_| commands.next().is_none())?;
    let word = command.words.iter().find(|word| word.text == format!("{from},{to}p"))?;
    let is_printing = command.words.iter().any(|word| word.text == "-n");
    // "except 7 and 8"
    let is_one = !(taken + 1..tokens.len().min(taken + 4)).any(|at| any_number(lower(tokens, at)).is_some());
    let edit = (is_one && is_printing).then(|| (word.span.clone(), format!("'{from},{to}{{{left}!p;}}'")));
    let said = tokens.get(out)?.span.start..tokens.get(taken)?.span.end;
    mismatch(request, line, said, "this prints that line too", edit)
}

/// Compares "without the second column" with `cut -f2-`.
fn columns(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let is_noun = |at: usize| matches!(lower(tokens, at), "column" | "field");
    let (at, left) = (0..tokens.len()).find_map(|at| {
        let left = match is_noun(at + 1) {
            true => nth(lower(tokens, at)),
            false => number(lower(tokens, at + 1)).filter(|_| is_noun(at)),
        };
        left.map(|left| (at, left))
    })?;
    let is_the = |at: &usize| lower(tokens, *at) == "the";
    let out = (0..at).rev().find(|at| !is_the(at)).filter(|at| WITHOUT.contains(&lower(tokens, *at)))?;
    let mut commands = line.parsed().commands.iter().filter(|command| command.name() == Some("cut"));
    let command = commands.next().filter(|_| commands.next().is_none())?;
    let word = command
        .words
        .iter()
        .find(|word| word.text.strip_prefix("-f").unwrap_or(&word.text) == format!("{left}-") && 1 < left)?;
    let is_complement = command.words.iter().any(|word| word.text.starts_with("--comp"));
    if is_complement || !["", "of", "in", "from"].contains(&lower(tokens, at + 2)) {
        return None;
    }
    let start = if word.text.starts_with('-') { "-f" } else { "" };
    let before = if left == 2 { "1".to_owned() } else { format!("1-{}", left - 1) };
    let edit = (word.span.clone(), format!("{start}{before},{}-", left + 1));
    let said = tokens.get(out)?.span.start..tokens.get(at + 1)?.span.end;
    mismatch(request, line, said, "this leaves the columns before it out, and not that one", Some(edit))
}

/// Compares "Bob and bob are the same" with lines that distinguish them.
fn twins(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let is_twin = |at: usize| {
        let (one, other) = (tokens.get(at)?, tokens.get(at + 2)?);
        let is_joined = matches!(lower(tokens, at + 1), "and" | "or" | "&" | "=" | "like" | "is" | "as");
        (is_joined && one.lower == other.lower && one.text != other.text).then_some(at)
    };
    let at = (0..tokens.len()).find_map(is_twin)?;
    let same = ["same", "one", "alike", "equal", "identical", "once", "together", "duplicates", "equivalent"];
    let end = (at + 3..tokens.len().min(at + 8)).find(|at| same.contains(&lower(tokens, *at)))?;
    let is_not =
        (at..end).any(|at| matches!(lower(tokens, at), "not" | "arent" | "dont" | "different" | "isnt"));
    let text = line.text();
    let means =
        ["-i", "tolower", "toupper", "tr ", "ignore-case", "IGNORECASE", "\\L", "\\U", "downcase", "nocase"];
    let is_blind = line.parsed().commands.iter().any(|command| crate::mark::gives(command, 'i'));
    // A pattern for each of them takes both.
    let has_both = || Some(text.contains(&tokens.get(at)?.text) && text.contains(&tokens.get(at + 2)?.text));
    if is_not || is_blind || has_both()? || means.iter().any(|it| text.contains(it)) {
        return None;
    }
    let said = tokens.get(at)?.span.start..tokens.get(end)?.span.end;
    let commands = &line.parsed().commands;
    let has = |name: &str| commands.iter().any(|command| command.name() == Some(name));
    let gives = crate::mark::gives;
    let sort = commands.iter().find(|it| it.name() == Some("sort") && gives(it, 'u') && !gives(it, 'f'));
    let why = "the line keeps upper and lower case apart";
    if let Some(sort) = sort.filter(|_| !has("uniq")) {
        let end = sort.words.first()?.span.end;
        let is_plain = !['k', 'n', 'V', 'h'].iter().any(|it| gives(sort, *it));
        return mismatch(request, line, said, why, is_plain.then(|| (end..end, " -f".to_owned())));
    }
    if let Some(at) = text.find("[$0]++").filter(|_| text.matches("[$0]++").count() == 1) {
        return mismatch(request, line, said, why, Some((at..at + 6, "[tolower($0)]++".to_owned())));
    }
    (has("uniq") || has("grep")).then(|| mismatch(request, line, said, why, None))?
}

#[cfg(test)]
mod tests {
    use crate::request::tokens;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn what_is_left_out() {
        for (request, line, expected) in [
            ("lines 5 to 10 of a.txt except line 7", "sed -n 5,10p a.txt", Some("sed -n '5,10{7!p;}' a.txt")),
            (
                "lines 5-10 of a.txt but not the 7th",
                "sed -n '5,10p' a.txt",
                Some("sed -n '5,10{7!p;}' a.txt"),
            ),
            ("lines 5 to 10 of a.txt without 7 and 8", "sed -n 5,10p a.txt", Some("")),
            ("lines 5 to 10 of a.txt without the 12th column", "sed -n 5,10p a.txt", None),
            ("lines 5 to 10 of a.txt, but 5 at a time", "sed -n 5,10p a.txt | xargs -L 5", None),
            ("lines 1 to 10 of a.txt, not 5 to 9", "sed -n 1,10p a.txt", None),
            ("show Bob or bob lines together", "grep -e Bob -e bob n.txt", None),
            ("a.csv without the second column", "cut -d, -f2- a.csv", Some("cut -d, -f1,3- a.csv")),
            ("all but the third field of a.csv", "cut -d, -f 3- a.csv", Some("cut -d, -f 1-2,4- a.csv")),
            ("a.csv without the first column", "cut -d, -f2- a.csv", None),
            ("names in n.txt if Bob and bob are the same", "sort -u n.txt", Some("sort -f -u n.txt")),
            (
                "n.txt without repeats, Bob and bob count as one",
                "awk '!s[$0]++' n.txt",
                Some("awk '!s[tolower($0)]++' n.txt"),
            ),
            ("names in n.txt, Bob and bob are the same", "sort n.txt | uniq", Some("")),
            ("names in n.txt, Bob and bob are not the same", "sort -u n.txt", None),
            ("names in n.txt if Bob and bob are the same", "sort -fu n.txt", None),
            ("repeated names in n.txt, Bob and bob are the same", "sort -f n.txt | uniq -di", None),
        ] {
            let parsed = ParsedLine::new(line, Shell::Bash);
            let found = super::compare(request, &tokens(request), &parsed).pop();
            let mended = found.map(|it| it.applied_to(line).unwrap_or_default());
            assert_eq!(mended.as_deref(), expected, "{request}");
        }
    }
}
