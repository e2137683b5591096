//! Finds an unclosed quote and the places where it may have been meant to close. Compares quoted texts before and after a
//! repair.

use crate::finding::{Finding, FindingKind, Fix, Severity};
use crate::reference::Reference;
use askline_risk::Harm;
use askline_syntax as syntax;
use askline_syntax::ParsedLine;
use askline_syntax::quoting::QuoteLexer;
use askline_syntax::shell::Shell;

/// Maximum number of words examined after the open quote.
const WORDS_MAX: usize = 24;
/// Commands whose first operand is a pattern or a program and whose other operands are files. In other commands, such
/// as `git commit -m`, a file name may be part of the text.
const PATTERN_FIRST: [&str; 10] =
    ["grep", "egrep", "fgrep", "zgrep", "rg", "awk", "gawk", "mawk", "sed", "jq"];
/// Words that end a command outside quotes.
const OPERATORS: [&str; 9] = ["|", "||", "&&", ";", "&", ">", ">>", "<", "2>"];

/// Returns a finding about the unclosed quote, with each place where closing it makes sense: the text outside is then
/// an existing file or another command, and the text inside is not.
pub(super) fn unclosed(parsed: &ParsedLine, reference: &dyn Reference) -> Option<Finding> {
    let (line, shell) = (parsed.text(), parsed.shell());
    let (start, quote) = open_quote(line, shell)?;
    let inside = line.get(start + 1..)?;
    let mut fixes = Vec::new();
    let word = line.get(..start)?.rsplit(char::is_whitespace).next().unwrap_or_default();
    // Removing a quote must not create an option; only the user adds options.
    let alone = !word.is_empty() && !word.starts_with('-');
    // One quote too many: at the end of the line, or behind another quote and before files.
    let destroys = Harm::of(parsed).destroys();
    let is_behind_quote = word.ends_with(['\'', '"']) && inside.starts_with(char::is_whitespace);
    let is_stray = is_behind_quote && !destroys && is_call(inside, reference);
    let is_extra = alone && (inside.trim().is_empty() || is_stray);
    let in_class = quote_in_class(line, shell);
    let is_class = in_class.is_some();
    fixes.extend(in_class);
    if is_extra && !is_class {
        let change = format!("{quote} taken out");
        fixes.push(Fix { span: start..start + 1, replacement: String::new(), change });
    }
    // In a destructive line only the user may choose the place.
    let ends = if is_extra || is_class || destroys { Vec::new() } else { ends(inside) };
    let before = syntax::parse(line.get(..start)?, shell);
    let name = before.commands.last().and_then(|command| command.name()).unwrap_or_default();
    for at in ends {
        if at < inside.trim_end().len() && !PATTERN_FIRST.contains(&name) {
            continue;
        }
        let (Some(within), Some(rest)) = (inside.get(..at), inside.get(at..)) else { continue };
        if !within.is_empty() && is_text(within, reference) && is_call(rest, reference) {
            let at = start + 1 + at;
            let change =
                format!("{quote} closed after `{}`", within.split_whitespace().last().unwrap_or(within));
            fixes.push(Fix { span: at..at, replacement: quote.to_string(), change });
        }
    }
    Some(Finding {
        kind: FindingKind::Incomplete,
        span: start..start + 1,
        grade: Severity::Error,
        text: format!("the {quote} is never closed"),
        evidence: shell.name().to_owned(),
        fixes,
    })
}

/// Returns the fix of a pattern whose set of characters has the quote that is around the pattern: `'v=\K[^']+'` gets double
/// quotes, if they change nothing else in it.
fn quote_in_class(line: &str, shell: Shell) -> Option<Fix> {
    let quotes: Vec<usize> = line.match_indices('\'').map(|(at, _)| at).collect();
    let &[start, within, end] = quotes.as_slice() else { return None };
    let is_class = line.get(..within)?.ends_with("[^") && line.get(within + 1..)?.starts_with(']');
    let inner = line.get(start + 1..end)?;
    // Double quotes read these themselves; Nushell's also read backslashes.
    if !is_class || shell.is_nushell() || inner.contains(['"', '$', '`', '!']) || inner.contains("\\\\") {
        return None;
    }
    let change = format!("'…' → \"…\": the quote in `[^']` ends `'{}`", line.get(start + 1..within)?);
    Some(Fix { span: start..end + 1, replacement: format!("\"{inner}\""), change })
}

/// Returns the quote that is open at the end of a line, with its byte offset.
pub(super) fn open_quote(line: &str, shell: Shell) -> Option<(usize, char)> {
    let mut reader = QuoteLexer::new(shell);
    let mut open = None;
    // The double quotes around the substitution that is read, and around those.
    let mut outer = Vec::new();
    for (at, c) in line.char_indices() {
        let was_plain = reader.is_plain();
        let in_double = reader.in_double_quotes();
        let nesting = reader.nesting();
        reader.read(c);
        if nesting < reader.nesting() {
            outer.push(open.take());
        } else if reader.nesting() < nesting {
            open = outer.pop().flatten();
        } else if was_plain && !reader.is_plain() && matches!(c, '\'' | '"') {
            open = Some((at, c));
        } else if !was_plain && reader.is_plain() || in_double && reader.is_plain() {
            open = None;
        }
    }
    let is_quoted = !reader.is_plain() && !reader.in_comment() && !reader.in_heredoc();
    let around = outer.into_iter().flatten().next_back();
    if is_quoted { open.or(around) } else { around }
}

/// Returns the byte offsets of word ends.
fn ends(text: &str) -> Vec<usize> {
    let mut ends: Vec<usize> = text
        .char_indices()
        .zip(text.chars().skip(1))
        .filter(|((_, c), next)| !c.is_whitespace() && next.is_whitespace())
        .map(|((at, c), _)| at + c.len_utf8())
        .take(WORDS_MAX)
        .collect();
    if ends.len() < WORDS_MAX && !text.ends_with(char::is_whitespace) {
        ends.push(text.len());
    }
    ends
}

/// Reports whether the inside looks like text: balanced brackets, and no word after the first is a file, an option or
/// an operator.
fn is_text(within: &str, reference: &dyn Reference) -> bool {
    let (mut depth, mut is_even) = (0i32, true);
    for c in within.chars() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        is_even &= 0 <= depth;
    }
    let program = within.contains(['{', '(']);
    is_even
        && depth == 0
        && within.split_whitespace().skip(1).all(|word| {
            let is_option = word.starts_with('-') && 1 < word.len();
            program || (!is_option && !OPERATORS.contains(&word) && reference.exists(word) == Some(false))
        })
        && (!program
            || within.split_whitespace().last().is_none_or(|word| reference.exists(word) != Some(true)))
}

/// Reports whether the outside looks like the rest of a call: files up to an operator. A word that looks like an
/// option may be part of the text: `git commit -m "remove bug --amend`.
fn is_call(rest: &str, reference: &dyn Reference) -> bool {
    rest.split_whitespace()
        .take_while(|word| !OPERATORS.contains(word))
        .all(|word| !word.starts_with('-') && reference.exists(word) == Some(true))
}

/// Reports whether each quoted text of the old line occurs in the new one, byte for byte.
pub(super) fn keeps_literals(line: &ParsedLine, new: &str) -> bool {
    let (old, shell) = (line.text(), line.shell());
    // An unclosed quote includes text that was not meant to be quoted.
    let open = open_quote(old, shell).map_or(old.len(), |(start, _)| start);
    // A bash line in Nushell is parsed as bash, because its quotes expand text that Nushell's quotes do not.
    let parsed = if shell.is_nushell() { line.as_bash() } else { line.typed() };
    parsed.commands.iter().all(|command| {
        let words = command.words.iter().chain(&command.assignments).filter(|word| word.span.end <= open);
        // In Nushell, expansions inside quotes have another syntax.
        words.filter(|word| word.quoted && (word.literal || !shell.is_nushell())).all(|word| {
            let raw = old.get(word.span.clone()).unwrap_or_default();
            new.contains(raw) || quoted_parts(raw).all(|part| new.contains(part))
        })
    })
}

/// Returns the texts between the quotes of a word.
fn quoted_parts(raw: &str) -> impl Iterator<Item = &str> {
    let quote = raw.chars().find(|c| matches!(c, '\'' | '"')).unwrap_or('\'');
    raw.split(quote).skip(1).step_by(2)
}
