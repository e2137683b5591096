//! Signs that web pages and word processors put in the place of those of a shell: `ls –la`, `grep “x y”`.

use std::sync::LazyLock;

use regex::Regex;

use askline_check::reference::Reference as _;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

use crate::examine::Examiner;

/// Dashes that are no `-`: hyphen, non-breaking hyphen, figure dash, en dash, em dash, minus.
const DASHES: [char; 6] = ['\u{2010}', '\u{2011}', '\u{2012}', '–', '—', '\u{2212}'];
/// Blanks that part no words: no-break space, figure space, narrow no-break space, ideographic space.
const BLANKS: [char; 4] = ['\u{a0}', '\u{2007}', '\u{202f}', '\u{3000}'];

/// Commands that print any text: a sign in it makes none fail.
const PRINTING: [&str; 2] = ["echo", "printf"];
/// Commands of which a part of a name may name something else that gets lost.
const TAKING: [&str; 6] = ["rm", "rmdir", "mv", "cp", "ln", "shred"];

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
    let (text, mut changed) =
        with_quotes(line.text()).unwrap_or_else(|| (line.text().to_owned(), Vec::new()));
    let line = ParsedLine::new(text, line.shell());
    let mut made = line.text().to_owned();
    // The words of a wrapper are those of its command, too.
    let mut words: Vec<&Word> =
        line.own().commands.iter().filter(|it| fails(it, &line)).flat_map(|it| &it.words).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.span.start));
    words.dedup_by_key(|word| word.span.start);
    for word in words {
        let is_file = || examiner.knowledge.exists(&word.text) == Some(true);
        if line.text().get(word.span.clone()) != Some(&word.text) || word.text.is_ascii() || is_file() {
            continue;
        }
        let own = with_ascii(word, &line, examiner, &mut changed);
        made.replace_range(word.span.clone(), &own);
    }
    changed.dedup();
    let change = format!("{}: signs as web pages write them", changed.join(", "));
    (!changed.is_empty()).then_some((made, change))
}

/// Reports whether the exit status may be that of a command: it is the last one of its pipe, and no sign makes it work.
fn fails(command: &SimpleCommand, line: &ParsedLine) -> bool {
    let is_after = |other: &SimpleCommand| {
        other.pipeline == command.pipeline
            && command.position < other.position
            && other.within == command.within
    };
    !line.own().commands.iter().any(is_after) && !command.name().is_some_and(|name| PRINTING.contains(&name))
}

/// Returns a line with the quotes of a shell; `None` if it has them already, or lacks none.
fn with_quotes(line: &str) -> Option<(String, Vec<String>)> {
    if line.contains(['\'', '"']) {
        return None;
    }
    // Of two kinds the second may stand inside of the first.
    QUOTED.iter().find_map(|(pattern, quote)| {
        let put = format!("${{before}}{quote}${{text}}{quote}${{behind}}");
        let pattern = pattern.as_ref()?;
        // Neighbours share the blank between them.
        let once = pattern.replace_all(line, put.as_str());
        let text = pattern.replace_all(&once, put.as_str()).into_owned();
        (text != line).then(|| (text, vec![format!("quotes → {quote}")]))
    })
}

/// Returns a word with the blanks of a shell, and with its dashes where it begins like an option. Inside of a name a blank may be its
/// own.
fn with_ascii(word: &Word, line: &ParsedLine, examiner: &Examiner<'_>, changed: &mut Vec<String>) -> String {
    let parts: Vec<&str> = word.text.split(BLANKS).collect();
    let is_name =
        line.own().commands.iter().any(|it| it.words.first().is_some_and(|name| name.span == word.span));
    let takes = parts.first().is_some_and(|name| TAKING.contains(name));
    let is_option = |part: &&str| part.is_empty() || part.starts_with('-') || part.starts_with(DASHES);
    let are_words = is_name && !takes
        || parts.iter().skip(1).all(is_option)
        || parts.first().is_some_and(|it| it.is_empty());
    if parts.len() == 1 || !are_words {
        return with_dashes(&word.text, line, examiner, changed);
    }
    let parts = parts.iter().filter(|part| !part.is_empty());
    let own: Vec<String> = parts.map(|part| with_dashes(part, line, examiner, changed)).collect();
    changed.push("blanks".to_owned());
    own.join(" ")
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
