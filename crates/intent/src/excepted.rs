//! Files that the request excepts by name, and that a pattern of the line takes: "gzip all logs except app.log".

use crate::glob;
use crate::mismatch::Mismatch;
use crate::request::{Token, is_name};
use askline_syntax::{ParsedLine, Word};

/// Words before an exception, and words between.
const EXCEPT: [&str; 4] = ["except", "excluding", "excepting", "besides"];
const BETWEEN: [&str; 6] = ["the", "for", "file", "my", "of", "named"];
/// Minimum length of the part of a name that a line may have instead, in characters.
const STEM_MIN: usize = 3;

/// Returns a mismatch for the first excepted file that the line takes with all others.
pub(crate) fn taken(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    tokens.iter().enumerate().find_map(|(index, token)| {
        let name = token.text.trim_end_matches('/');
        let is_file = !token.quoted && is_name(name) && !name.contains(['*', '?', '/']);
        if !is_file || !is_excepted(tokens, index) || mentions(line, name) && !is_in_script(line, name) {
            return None;
        }
        let words = line.parsed().commands.iter().flat_map(|command| command.words.iter().skip(1));
        let takes = |word: &&Word| {
            let pattern = word.text.rsplit('/').next().unwrap_or_default();
            word.glob && !word.quoted && glob::matches(pattern, name)
        };
        let word = words.into_iter().find(takes)?;
        let said = token.span.clone();
        Some(
            Mismatch::likely(
                word.span.clone(),
                format!("you excepted `{}`; `{}` takes it, too", request.get(said.clone())?, word.text),
            )
            .about(said),
        )
    })
}

fn is_excepted(tokens: &[Token], index: usize) -> bool {
    let lower = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let mut before = (0..index).rev().skip_while(|at| BETWEEN.contains(&lower(*at)));
    let Some(at) = before.next() else { return false };
    EXCEPT.contains(&lower(at)) || lower(at) == "not" && 0 < at && lower(at - 1) == "but"
}

/// Reports whether the name stands only in the script of one `sed`: that tells lines apart, not files.
fn is_in_script(line: &ParsedLine, name: &str) -> bool {
    let [command] = line.parsed().commands.as_slice() else { return false };
    let stem = name.split('.').next().unwrap_or_default();
    let mut words = command.words.iter().skip(1).filter(|word| word.text.contains(stem));
    let script = words.next().filter(|word| word.quoted && !word.glob && word.text.contains('/'));
    command.name() == Some("sed") && script.is_some() && words.next().is_none()
}

/// Reports whether a line has the name, or the part before its ending: an exception may be written in many ways.
fn mentions(line: &ParsedLine, name: &str) -> bool {
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or_default();
    let has_stem = STEM_MIN <= stem.chars().count() && line.text().contains(stem);
    has_stem
        || line.text().contains(name)
        || line.text().contains(['!', '^'])
        || line.text().contains("extglob")
}
