//! Kinds of files that a request names by their extension or language: `php files`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::find_expression::{FindExpression, Node};
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::request::Token;
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

/// Reports whether the request has a word for files with this extension: `python` for `py`.
pub(crate) fn is_named(tokens: &[Token], extension: &str) -> bool {
    let of_kind = |kind: &&Kind| kind.extensions.iter().any(|known| known == extension);
    let words = TABLE.kind.iter().filter(of_kind).flat_map(|kind| &kind.words);
    let is_said = |word: &String| tokens.iter().any(|token| token.lower.trim_end_matches('s') == *word);
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
