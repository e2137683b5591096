//! Kinds of files that a request names by their extension or language: `php files`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::find_expression::{FindExpression, Node};
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::request::{Token, is_same_noun};
use askline_syntax::{ParsedLine, SimpleCommand, Span};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: Vec<Kind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    /// Words before "files".
    words: Vec<String>,
    /// Extensions of such files, the most common first.
    extensions: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("extensions.toml")).expect("extensions.toml is well-formed")
});

/// Returns a mismatch if the request is about files of one kind, and the line that searches a tree takes all files.
pub(crate) fn dropped(
    request: &str,
    tokens: &[Token],
    line: &ParsedLine,
    finds: &[FindExpression<'_>],
) -> Option<Mismatch> {
    let (kind, said) = wanted(tokens)?;
    // "text files" may be all that are not binary.
    let is_binary = tokens.iter().any(|token| token.lower == "binary");
    let skips_binary = line.parsed().commands.iter().any(|command| crate::mark::gives(command, 'I'));
    if is_binary || skips_binary {
        return None;
    }
    let lower = line.text().to_lowercase();
    if kind.words.iter().chain(&kind.extensions).any(|word| lower.contains(word.as_str())) {
        return None;
    }
    let extension = kind.extensions.first()?;
    let (at, addition) = match finds {
        [find]
            if find.primaries.iter().any(|it| it.is_name_test())
                || matches!(find.tree, Some(Node::Any(_))) =>
        {
            return None;
        }
        [find] => {
            let first = find.primaries.iter().find(|it| !it.is_global());
            let at = first.map_or(find.options_at, |it| it.span.start);
            if first.is_some() {
                (at, format!("-name '*.{extension}' "))
            } else {
                (at, format!(" -name '*.{extension}'"))
            }
        }
        [] => (grep_in_tree(line)?, format!(" --include='*.{extension}'")),
        _ => return None,
    };
    Some(Mismatch {
        span: at..at,
        text: format!("you said \"{}\"; the line takes all files", request.get(said.clone())?),
        said: Some(said),
        certainty: Certainty::Sure,
        edit: Some(Edit::replace(line.text(), at..at, addition)),
    })
}

/// Kinds that people name by their ending alone, and that mean nothing else.
const ENDINGS: [&str; 28] = [
    "jpg", "jpeg", "png", "gif", "webp", "heic", "svg", "tiff", "mp3", "mp4", "mkv", "avi", "flac", "wav",
    "ogg", "pdf", "docx", "xlsx", "csv", "tsv", "json", "yaml", "yml", "xml", "html", "htm", "tgz", "iso",
];
/// Other forms of an ending in patterns.
const FORMS: [(&str, [&str; 3]); 4] = [
    ("jpeg", ["jpe", "jp*", "jp?"]),
    ("yaml", ["ya?ml", "y*ml", "yam"]),
    ("html", ["htm*", "html", "htm?"]),
    ("tiff", ["tif*", "tiff", "tif?"]),
];

/// Returns a mismatch for a further kind of files that the line leaves out: "all jpgs, jpeg too".
pub(crate) fn further(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let lower = line.text().to_lowercase();
    // Without a pattern all files are taken, and brackets hide the letters.
    if !lower.contains("*.") || lower.contains('[') {
        return None;
    }
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let end = |at: usize| match (word(at + 1), word(at + 2)) {
        ("too" | "also" | "included", _) => Some(at + 1),
        ("as", "well") => Some(at + 2),
        ("files", "too" | "also") => Some(at + 2),
        _ => None,
    };
    (0..tokens.len()).find_map(|at| {
        let named = word(at).trim_start_matches(['*', '.']);
        let ending =
            *ENDINGS.iter().find(|ending| **ending == named || named.strip_suffix('s') == Some(**ending))?;
        let forms = FORMS.iter().find(|(known, _)| *known == ending).map_or(&[][..], |(_, forms)| forms);
        if lower.contains(ending) || forms.iter().any(|form| lower.contains(form)) {
            return None;
        }
        let said = tokens.get(at)?.span.start..tokens.get(end(at)?)?.span.end;
        Some(
            Mismatch::likely(
                0..line.text().len(),
                format!("you said \"{}\"; the line leaves them out", request.get(said.clone())?),
            )
            .about(said),
        )
    })
}

/// Reports whether the table knows the words for files with this extension.
pub(crate) fn is_known(extension: &str) -> bool {
    TABLE.kind.iter().any(|kind| kind.extensions.iter().any(|own| own == extension))
}

/// Reports whether the request has a word for files with this extension: `python` for `py`.
pub(crate) fn is_named(tokens: &[Token], extension: &str) -> bool {
    let of_kind = |kind: &&Kind| kind.extensions.iter().any(|known| known == extension);
    let words = TABLE.kind.iter().filter(of_kind).flat_map(|kind| &kind.words);
    let is_said = |word: &String| tokens.iter().any(|token| is_same_noun(&token.lower, word));
    words.into_iter().any(is_said)
}

/// Returns the only kind of file that the request names.
fn wanted(tokens: &[Token]) -> Option<(&'static Kind, Span)> {
    let mut wanted: Option<(&'static Kind, Span)> = None;
    for pair in tokens.windows(2) {
        let [word, noun] = pair else { continue };
        if word.quoted || !matches!(noun.lower.as_str(), "files" | "scripts" | "file") {
            continue;
        }
        let name = word.lower.trim_start_matches(['*', '.']);
        let Some(kind) = TABLE.kind.iter().find(|kind| kind.words.iter().any(|known| known == name)) else {
            continue;
        };
        if wanted.is_some() {
            return None;
        }
        wanted = Some((kind, word.span.start..noun.span.end));
    }
    wanted
}

/// Returns the offset behind the name of the only command, if it is a `grep` that searches a tree.
fn grep_in_tree(line: &ParsedLine) -> Option<usize> {
    let greps = |command: &&SimpleCommand| matches!(command.name(), Some("grep" | "egrep" | "fgrep"));
    let [command] = line.parsed().commands.iter().filter(greps).collect::<Vec<_>>()[..] else { return None };
    let is_deep = |text: &str| {
        matches!(text, "--recursive" | "--dereference-recursive")
            || text.starts_with('-') && !text.starts_with("--") && text.contains(['r', 'R'])
    };
    command
        .words
        .iter()
        .skip(1)
        .any(|word| is_deep(&word.text))
        .then(|| command.words.first().map(|word| word.span.end))?
}

#[cfg(test)]
mod tests {
    use super::further;
    use crate::request::tokens;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn further_kinds_are_in_the_line() {
        for (request, line, expected) in [
            ("how many jpgs below here, jpeg too", "find . -iname '*.jpg' | wc -l", true),
            ("how many jpgs below here, jpeg too", "find . -iname '*.jp*g' | wc -l", false),
            ("jpgs and pngs as well", "ls *.{jpg,png}", false),
            ("list the pdfs, docx files too", "ls *.pdf", true),
            ("the json files in the subfolders too", "find . -name '*.json'", false),
            ("files in docs, html included", "find docs -type f", false),
            ("all pdf files, PDF as well", "mv *.[pP][dD][fF] papers/", false),
            ("convert a.png to jpg", "convert a.png a.jpg", false),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            assert_eq!(further(request, &tokens(request), &line).is_some(), expected, "{request}");
        }
    }
}
