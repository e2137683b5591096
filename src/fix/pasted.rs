//! Signs that web pages and word processors put in the place of those of a shell: `ls –la`, `grep “x y”`.

use askline_check::reference::Reference as _;
use askline_syntax::ParsedLine;

use crate::examine::Examiner;

/// Dashes that are no `-`: hyphen, non-breaking hyphen, figure dash, en dash, em dash, minus.
const DASHES: [char; 6] = ['\u{2010}', '\u{2011}', '\u{2012}', '–', '—', '\u{2212}'];
/// Quotes that are none for a shell, with those they stand for.
const QUOTES: [(char, char); 6] = [('“', '"'), ('”', '"'), ('„', '"'), ('‘', '\''), ('’', '\''), ('´', '\'')];
/// Blanks that part no words: no-break space, figure space, narrow no-break space, ideographic space.
const BLANKS: [char; 4] = ['\u{a0}', '\u{2007}', '\u{202f}', '\u{3000}'];

/// Returns the line with the signs of a shell, and what was changed; `None` if it has no other ones.
pub(super) fn with_own_signs(line: &ParsedLine, examiner: &Examiner<'_>) -> Option<(String, String)> {
    let text = line.text();
    let quotes = text.chars().filter(|c| QUOTES.iter().any(|(other, _)| other == c)).count();
    // An apostrophe in a word is one.
    let may_quote = quotes % 2 == 0 && !text.contains(['"', '\'']);
    let name = line.own().commands.first().and_then(|command| command.name()).unwrap_or_default();
    let mut changed = Vec::new();
    let mut made = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..)?;
        let begins = made.is_empty() || made.ends_with([' ', '\t']);
        let quote = QUOTES.iter().find(|(other, _)| *other == c).filter(|_| may_quote);
        if let Some((_, quote)) = quote {
            made.push(*quote);
            changed.push(format!("{c} → {quote}"));
        } else if BLANKS.contains(&c) {
            made.push(' ');
            changed.push("a blank that is none for a shell".to_owned());
        } else if DASHES.contains(&c)
            && begins
            && behind.starts_with(|next: char| next.is_ascii_alphabetic() || next == '-')
        {
            let word = behind.trim_start_matches('-').split([' ', '=']).next().unwrap_or_default();
            let option = format!("--{word}");
            let is_long =
                behind.starts_with('-') || 1 < word.len() && is_documented(name, &option, line, examiner);
            let dashes = if is_long { "--" } else { "-" };
            made.push_str(dashes);
            changed.push(format!("{c} → {dashes}"));
            rest = behind.trim_start_matches('-');
            continue;
        } else {
            made.push(c);
        }
        rest = behind;
    }
    changed.dedup();
    let change = || format!("{}: signs as web pages write them", changed.join(", "));
    (!changed.is_empty()).then(|| (made, change()))
}

/// Reports whether a command documents an option at the level of its words.
fn is_documented(name: &str, option: &str, line: &ParsedLine, examiner: &Examiner<'_>) -> bool {
    let words = line.own().commands.first().map(|command| command.words.as_slice()).unwrap_or_default();
    let second = words.get(1).filter(|word| word.text.starts_with(|c: char| c.is_ascii_lowercase()));
    let level: Vec<&str> = std::iter::once(name).chain(second.map(|word| word.text.as_str())).collect();
    let facts = examiner.knowledge.known(&level);
    facts.manual.iter().chain(&facts.above).any(|manual| manual.option(option).is_some())
}
