//! Signs that web pages and word processors put in the place of those of a shell: `ls –la`, `grep “x y”`.

use std::sync::LazyLock;

use regex::Regex;

use askline_check::reference::Reference as _;
use askline_syntax::ParsedLine;

use crate::examine::Examiner;

/// Dashes that are no `-`: hyphen, non-breaking hyphen, figure dash, en dash, em dash, minus.
const DASHES: [char; 6] = ['\u{2010}', '\u{2011}', '\u{2012}', '–', '—', '\u{2212}'];
/// Blanks that part no words: no-break space, figure space, narrow no-break space, ideographic space.
const BLANKS: [char; 4] = ['\u{a0}', '\u{2007}', '\u{202f}', '\u{3000}'];

/// Whole words in double and in single quotes that are none for a shell. An apostrophe inside a word is one.
static QUOTED: LazyLock<[(Option<Regex>, char); 2]> = LazyLock::new(|| {
    let words = |pattern| Regex::new(pattern).ok();
    [
        (words(r#"(?<before>^|[\s=])[“”„](?<text>[^“”„"$`\\!]*)[“”](?<behind>\s|$)"#), '"'),
        (words(r"(?<before>^|[\s=])[‘’´](?<text>[^‘’´']*)[‘’´](?<behind>\s|$)"), '\''),
    ]
});

/// Returns the line with the signs of a shell, and what was changed; `None` if it has no other ones outside of a shell's quotes and
/// names of files.
pub(super) fn with_own_signs(line: &ParsedLine, examiner: &Examiner<'_>) -> Option<(String, String)> {
    let mut changed = Vec::new();
    let mut text = line.text().to_owned();
    if !text.contains(['\'', '"']) {
        for (pattern, quote) in QUOTED.iter() {
            let Some(pattern) = pattern else { continue };
            // Neighbours share the blank between them.
            for _ in 0..2 {
                let put = format!("${{before}}{quote}${{text}}{quote}${{behind}}");
                let made = pattern.replace_all(&text, put.as_str()).into_owned();
                if made != text {
                    changed.push(format!("quotes → {quote}"));
                    text = made;
                }
            }
        }
    }
    let mut quote = None;
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let is_inside = quote.is_some();
        for c in word.chars().filter(|c| matches!(c, '\'' | '"')) {
            quote = match quote {
                None => Some(c),
                Some(open) if open == c => None,
                open => open,
            };
        }
        let is_file = || examiner.knowledge.exists(word) == Some(true);
        let is_plain = !is_inside && !word.contains(['\'', '"']) && !word.is_ascii() && !is_file();
        let made = if is_plain { with_ascii(word, line, examiner, &mut changed) } else { word.to_owned() };
        words.push(made);
    }
    changed.dedup();
    let change = format!("{}: signs as web pages write them", changed.join(", "));
    (!changed.is_empty()).then(|| (words.join(" "), change))
}

/// Returns a word with the blanks of a shell, and with its dashes where it begins like an option.
fn with_ascii(word: &str, line: &ParsedLine, examiner: &Examiner<'_>, changed: &mut Vec<String>) -> String {
    let parts: Vec<String> =
        word.split(BLANKS).map(|part| with_dashes(part, line, examiner, changed)).collect();
    if 1 < parts.len() {
        changed.push("blanks".to_owned());
    }
    parts.join(" ")
}

fn with_dashes(word: &str, line: &ParsedLine, examiner: &Examiner<'_>, changed: &mut Vec<String>) -> String {
    let Some(behind) = word.strip_prefix(DASHES) else { return word.to_owned() };
    let name = behind.trim_start_matches('-');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    let option = format!("--{}", name.split('=').next().unwrap_or_default());
    let is_long = name.len() < behind.len() || 1 < name.len() && is_documented(&option, line, examiner);
    let dashes = if is_long { "--" } else { "-" };
    let old: String = word.chars().take_while(|c| DASHES.contains(c) || *c == '-').collect();
    changed.push(format!("{old} → {dashes}"));
    format!("{dashes}{name}")
}

/// Reports whether a command documents an option at the level of its words.
fn is_documented(option: &str, line: &ParsedLine, examiner: &Examiner<'_>) -> bool {
    let words = line.own().commands.first().map(|command| command.words.as_slice()).unwrap_or_default();
    let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase());
    let level = words.iter().take(2).map(|word| word.text.as_str()).take_while(|word| is_name(word));
    let facts = examiner.knowledge.known(&level.collect::<Vec<_>>());
    facts.manual.iter().chain(&facts.above).any(|manual| manual.option(option).is_some())
}
