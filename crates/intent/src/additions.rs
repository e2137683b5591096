//! Things that a line does without being asked.

use crate::find_expression::FindExpression;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::request::Token;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Span, program_name};

/// Beginnings of words that ask for something to be deleted.
const DELETES: &[&str] = &[
    "delet",
    "remov",
    "eras",
    "clear",
    "clean",
    "wip",
    "purg",
    "rm",
    "drop",
    "destroy",
    "unlink",
    "discard",
    "get rid",
    "trash",
    "uninstall",
    "prun",
    "shred",
    "reset",
    "replac",
    "undo",
    "eliminat",
    "strip",
    "truncat",
    "rid",
    "cut",
    "throw",
    "away",
    "tidy",
    "free",
];

/// Returns what the line does besides the request.
pub(crate) fn unasked(tokens: &[Token], line: &ParsedLine, finds: &[FindExpression<'_>]) -> Vec<Mismatch> {
    let mut found: Vec<Mismatch> = deletion(tokens, line).into_iter().collect();
    found.extend(invented_include(tokens, line));
    if let [find] = finds {
        found.extend(invented_names(tokens, line, find));
        found.extend(find_deletion(tokens, line, find));
    }
    found
}

/// First words of a request that asks to see something, or only names it. A verb that is not known may mean a deletion.
const SHOWS: &[&str] = &[
    "list",
    "show",
    "find",
    "display",
    "print",
    "which",
    "what",
    "where",
    "search",
    "locate",
    "see",
    "view",
    "count",
    "how",
    "all",
    "empty",
    "any",
    "every",
    "files",
    "folders",
    "directories",
];

/// Reports whether a line deletes files by command, whatever else it does.
fn deletes_files(line: &ParsedLine) -> bool {
    let deletes = |command: &SimpleCommand| match command.name().map_or("", program_name) {
        "rm" | "rmdir" | "unlink" | "shred" => true,
        "find" | "gfind" => command.words.iter().any(|word| word.text == "-delete"),
        _ => false,
    };
    line.parsed().commands.iter().any(deletes)
}

/// Reports whether a line deletes files although neither the request says anything like it nor the last line did.
pub fn deletes_unasked(request: &str, last: &ParsedLine, line: &ParsedLine) -> bool {
    const MOVES: [&str; 4] = ["mov", "mv", "renam", "convert"];
    let tokens = crate::request::tokens(request);
    let moves = |token: &Token| MOVES.iter().any(|stem| token.lower.starts_with(stem));
    deletes_files(line) && !deletes_files(last) && !asks_to_delete(&tokens) && !tokens.iter().any(moves)
}

/// Reports whether the request asks to delete something.
fn asks_to_delete(tokens: &[Token]) -> bool {
    let is_stem = |token: &Token, stems: &[&str]| stems.iter().any(|stem| token.lower.starts_with(stem));
    // "empty the trash", but not "empty folders"
    let empties = tokens.first().is_some_and(|token| token.lower == "empty")
        && tokens.get(1).is_some_and(|token| matches!(token.lower.as_str(), "the" | "my" | "out" | "this"));
    empties || tokens.iter().any(|token| is_stem(token, DELETES))
}

/// Finds `-delete` in answer to a request that only describes files: "empty folders". Without it the line shows them.
fn find_deletion(tokens: &[Token], line: &ParsedLine, find: &FindExpression<'_>) -> Option<Mismatch> {
    // A copy and a deletion are a move.
    let is_move = tokens.iter().any(|token| token.lower.starts_with("mov") || token.lower == "mv");
    let action =
        find.primaries.last().filter(|it| it.name == "-delete" && !is_move && !asks_to_delete(tokens))?;
    tokens.first().filter(|token| SHOWS.contains(&token.lower.as_str()))?;
    let span = action.span.start.saturating_sub(1)..action.span.end;
    Some(Mismatch {
        span: action.span.clone(),
        said: None,
        certainty: Certainty::Sure,
        text: "it deletes what it finds, and you did not ask for that".to_owned(),
        edit: Some(Edit::replace(line.text(), span, String::new())),
    })
}

/// Finds a command that deletes, appended to the command that was asked for.
fn deletion(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let commands = &line.parsed().commands;
    // A copy and a deletion are a move.
    let moves = |token: &Token| {
        ["mov", "mv", "renam", "keep", "instead", "convert", "only", "after", "merg", "combin"]
            .iter()
            .any(|stem| token.lower.starts_with(stem))
    };
    let is_move = tokens.iter().any(moves) && !commands.iter().any(|command| command.name() == Some("mv"));
    if is_move || asks_to_delete(tokens) {
        return None;
    }
    let deletes =
        |command: &&SimpleCommand| matches!(command.name(), Some("rm" | "rmdir" | "unlink" | "shred"));
    let command = commands.iter().find(deletes)?;
    let is_last = commands.last()? == command && command.within.is_empty() && command.position == 0;
    let before = line.text().get(..command.span.start)?.trim_end();
    let joined = ["&&", ";", "||"].iter().find_map(|sign| before.strip_suffix(sign)).map(str::trim_end);
    // A line that only deletes is what the request may mean; the risk says what it deletes.
    let kept = joined.filter(|kept| is_last && !kept.is_empty())?;
    let temporary =
        command.within.iter().any(|it| matches!(it, Nesting::Function)) || line.text().contains("mktemp");
    if temporary || command.words.iter().any(|word| word.text.contains("/tmp/")) {
        return None;
    }
    Some(Mismatch::likely(
        kept.len()..command.span.end,
        "it also deletes something, and you did not ask for that".to_owned(),
    ))
}

/// Finds `grep --include='*.js'` where the request names no kind of file.
fn invented_include(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let greps = line.parsed().commands.iter().filter(|command| command.name() == Some("grep"));
    let words = greps.flat_map(|command| &command.words);
    let mut includes = words.filter_map(|word| Some((word, word.text.strip_prefix("--include=*.")?)));
    let ((word, extension), None) = (includes.next()?, includes.next()) else { return None };
    let is_plain = extension.chars().all(|c| c.is_ascii_alphanumeric());
    if !is_plain || says_extension(tokens, extension) || !may_be_any(tokens) {
        return None;
    }
    let left_out = left_out(word.span.clone(), line.text().get(word.span.clone())?);
    // Of other extensions it is not sure that no word of the request means them, and another command may change what is found.
    let is_known = RELATED.iter().any(|(of, _)| *of == extension) || crate::extension::is_known(extension);
    if !is_known || 1 < line.parsed().commands.len() {
        return Some(left_out);
    }
    let span = word.span.start.saturating_sub(1)..word.span.end;
    let edit = Some(Edit::replace(line.text(), span, String::new()));
    Some(Mismatch { certainty: Certainty::Sure, edit, ..left_out })
}

/// Finds a test for a name that the request does not mention in any form.
fn invented_names(tokens: &[Token], line: &ParsedLine, find: &FindExpression<'_>) -> Option<Mismatch> {
    let mut names = find.primaries.iter().filter(|it| it.is_name_test());
    let (test, None) = (names.next()?, names.next()) else { return None };
    let pattern = test.literal().filter(|_| !test.negated)?;
    let extension =
        pattern.strip_prefix("*.").filter(|rest| rest.chars().all(|c| c.is_ascii_alphanumeric()))?;
    if says_extension(tokens, extension) {
        return None;
    }
    // Of other extensions it is not sure that no word of the request means them.
    if !RELATED.iter().any(|(of, _)| *of == extension) {
        return may_be_any(tokens).then(|| left_out(test.span.clone(), pattern));
    }
    let raw = line.text().get(test.span.clone())?;
    let span = test.span.start.saturating_sub(1)..test.span.end;
    Some(Mismatch {
        certainty: Certainty::Sure,
        edit: Some(Edit::replace(line.text(), span, String::new())),
        ..left_out(test.span.clone(), raw)
    })
}

/// Reports whether a word of the request means files with this extension.
pub(crate) fn says_extension(tokens: &[Token], extension: &str) -> bool {
    let says = |token: &Token| {
        let word = token.lower.as_str();
        word.contains(&extension.to_lowercase())
            || RELATED.iter().any(|(of, words)| *of == extension && words.iter().any(|it| word.contains(it)))
    };
    tokens.iter().any(says) || crate::extension::is_named(tokens, extension)
}

/// Reports whether a request is about files of any kind.
pub(crate) fn may_be_any(tokens: &[Token]) -> bool {
    let is_kind = |token: &Token| {
        matches!(token.lower.as_str(), "c" | "go") || KINDS.iter().any(|kind| token.lower.starts_with(kind))
    };
    let is_plain = |token: &Token| matches!(token.lower.as_str(), "files" | "file" | "everything");
    tokens.iter().any(is_plain) && !tokens.iter().any(|token| is_kind(token) || token.quoted)
}

/// Returns the mismatch of a pattern that leaves out files.
fn left_out(span: Span, pattern: &str) -> Mismatch {
    Mismatch::likely(span, format!("`{pattern}` leaves out files that you did not exclude"))
}

/// Beginnings of words for kinds of files that have several extensions.
const KINDS: &[&str] = &[
    "image",
    "photo",
    "pic",
    "video",
    "movie",
    "film",
    "clip",
    "music",
    "song",
    "audio",
    "sound",
    "track",
    "source",
    "code",
    "script",
    "program",
    "doc",
    "text",
    "note",
    "archive",
    "tar",
    "zip",
    "compress",
    "backup",
    "config",
    "setting",
    "log",
    "web",
    "page",
    "site",
    "style",
    "sheet",
    "table",
    "data",
    "presentation",
    "slide",
    "office",
    "word",
    "excel",
    "ebook",
    "book",
    "header",
    "object",
    "class",
    "library",
    "package",
    "binar",
    "exec",
    "cache",
    "temp",
    "compiled",
    "bytecode",
    "test",
    "module",
    "manual",
    "readme",
    "database",
    "font",
    "icon",
    "certificate",
    "key",
    "mail",
    "media",
    "disk",
    "iso",
    "install",
    "shell",
    "java",
    "json",
    "xml",
    "yaml",
    "markdown",
    "python",
    "rust",
    "ruby",
    "perl",
    "type",
    "kind",
    "extension",
    "save",
    "core",
    "dump",
];

/// Extensions with parts of words that mean such files.
const RELATED: [(&str, &[&str]); 6] = [
    ("txt", &["text", "document", "note"]),
    ("log", &["log"]),
    ("py", &["python", "script", "source", "code"]),
    ("sh", &["shell", "script", "bash"]),
    ("c", &["source", "code", "program"]),
    ("tmp", &["temp"]),
];

#[cfg(test)]
mod tests {
    use crate::mismatches;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn an_extension_that_the_request_does_not_name() {
        for (request, is_found) in [
            ("count the files here", true),
            ("list the current files", true),
            ("list the go files", false),
            ("list the archive files", false),
        ] {
            let line = ParsedLine::new("find . -type f -name '*.zip'", Shell::Bash);
            let found = mismatches(request, &line);
            assert_eq!(found.iter().any(|it| it.text.contains("leaves out files")), is_found, "{found:?}");
        }
    }
}
