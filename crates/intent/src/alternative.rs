//! Extensions that a request names as words: "jpg or png", "neither txt nor log".

use crate::mismatch::Mismatch;
use crate::request::Token;
use askline_syntax::ParsedLine;

/// Extensions that are no other words.
const EXTENSIONS: [&str; 31] = [
    "jpg", "jpeg", "png", "gif", "svg", "webp", "mp3", "mp4", "mov", "avi", "mkv", "wav", "flac", "ogg",
    "txt", "csv", "tsv", "pdf", "md", "docx", "xlsx", "html", "css", "js", "ts", "py", "rb", "cpp", "rs",
    "php", "yml",
];
/// Words that join alternatives.
const JOINS: [&str; 4] = ["or", "and", "nor", "and/or"];

/// Returns a mismatch for an extension joined to another one, of which the line has only the other.
pub(crate) fn missing(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let text = line.text().to_lowercase();
    let is_extension = |token: &Token| EXTENSIONS.contains(&token.lower.trim_start_matches(['.', '*']));
    let joined = tokens.windows(3).find(|three| {
        let [one, join, other] = three else { return false };
        is_extension(one) && is_extension(other) && JOINS.contains(&join.lower.as_str())
    })?;
    let [one, _, other] = joined else { return None };
    let bare = |token: &Token| token.lower.trim_start_matches(['.', '*']).to_owned();
    if bare(one) == bare(other) {
        return None;
    }
    // `jpe?g`, `[jp]pg`, `docs/*`: the line chooses by something else.
    let has = |extension: &str| text.contains(extension);
    let (token, has_other) = if has(&bare(other)) { (one, true) } else { (other, has(&bare(one))) };
    if has(&bare(token))
        || text.contains("?g")
        || text.contains("mime")
        || !has_other && text.contains("type")
    {
        return None;
    }
    Some(Mismatch::not_named(token, line))
}
