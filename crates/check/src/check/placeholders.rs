//! Finds leftover placeholders: `<file>`, `/path/to/…`, `your_user`, `{{name}}`. Recognizes only forms that no real
//! command line has.

use super::{Finding, FindingKind, ReportDraft, Severity};
use askline_syntax::quoting::QuoteLexer;
use askline_syntax::shell::Shell;
use askline_syntax::{Parsed, ParsedLine, Span, Word};

/// Maximum length of a name between `<` and `>`, in bytes.
const NAME_BYTES_MAX: usize = 40;

/// Adds findings for the placeholders of a line.
pub(super) fn check(parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    for (span, name) in in_angles(draft.line, draft.shell, &|name| draft.reference.exists(name)) {
        add(span, &format!("<{name}>"), Severity::Error, draft);
    }
    for command in &parsed.commands {
        let targets = command.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
        for word in command.words.iter().chain(targets) {
            if is_placeholder(word) && draft.reference.exists(&word.text) != Some(true) {
                add(word.span.clone(), &word.text, Severity::Warning, draft);
            }
        }
    }
}

/// Returns the places that are to be filled in, in order. `exists` reports whether a path exists, if that is known.
pub fn places(line: &ParsedLine, exists: &dyn Fn(&str) -> Option<bool>) -> Vec<Span> {
    let angles = in_angles(line.text(), line.shell(), exists).into_iter().map(|(span, _)| span);
    let words = line.parsed().commands.iter().flat_map(|command| {
        let targets = command.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
        command.words.iter().chain(targets)
    });
    let words = words.filter(|word| is_placeholder(word) && exists(&word.text) != Some(true));
    let mut places: Vec<Span> = angles.chain(words.map(|word| word.span.clone())).collect();
    places.sort_by_key(|span| span.start);
    places
}

fn add(span: Span, text: &str, grade: Severity, draft: &mut ReportDraft<'_>) {
    if draft
        .report
        .findings
        .iter()
        .any(|finding| finding.kind == FindingKind::Placeholder && finding.span == span)
    {
        return;
    }
    draft.report.findings.push(Finding {
        kind: FindingKind::Placeholder,
        span,
        grade,
        text: format!("`{text}` is still to be filled in"),
        evidence: "a form of usage texts".to_owned(),
        fixes: Vec::new(),
    });
}

fn is_placeholder(word: &Word) -> bool {
    let text = word.text.as_str();
    let value = text.split_once('=').map_or(text, |(_, value)| value);
    let is_path =
        ["/path/to/", "path/to/", "./path/to/", "~/path/to/"].iter().any(|form| value.starts_with(form))
            || matches!(value, "/path/to" | "path/to" | "/path/to/");
    let lower = value.to_lowercase();
    let is_yours = ["your_", "your-", "<your"].iter().any(|form| lower.starts_with(form))
        && 5 < lower.len()
        && !word.quoted;
    // `https://your-host/a`, `your-user@your-host`
    let is_your_host = ["://your-", "://your_", "@your-", "@your_"].iter().any(|form| lower.contains(form));
    let braces = value.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let is_braced = !word.quoted
        && braces.is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '-')
        });
    is_path || is_yours || is_your_host || is_braced
}

/// Returns each `<name>` that makes no sense as two redirects: no possible file name follows the `>`.
fn in_angles(line: &str, shell: Shell, exists: &dyn Fn(&str) -> Option<bool>) -> Vec<(Span, String)> {
    let mut reader = QuoteLexer::new(shell);
    let mut found = Vec::new();
    for (at, c) in line.char_indices() {
        let is_open = c == '<' && reader.is_plain();
        reader.read(c);
        if !is_open {
            continue;
        }
        let after = line.get(at + 1..).unwrap_or_default();
        let Some((name, rest)) = after.split_once('>') else { continue };
        let is_name = !name.is_empty()
            && name.len() <= NAME_BYTES_MAX
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_- .".contains(c))
            && !name.ends_with(' ');
        // After a blank, the next word could be an operand of the command with two redirects.
        let next = rest.trim_start().chars().next();
        let is_closed = next.is_none_or(|c| "|;)&<\n".contains(c)) && !rest.starts_with('&')
            || rest.starts_with(['@', ':', '/', ',', '"', '\'']) && !rest.starts_with("/dev/");
        let is_missing = !name.contains(' ') && exists(name) == Some(false);
        if is_name && (is_closed || is_missing && name.contains(['-', '_'])) {
            found.push((at..at + 1 + name.len() + 1, name.to_owned()));
        }
    }
    found
}
