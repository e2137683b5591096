//! Files and folders whose names have blanks: "empty files in my notes" is about the folder `my notes`, and a line that does not name
//! it does something else.

use crate::here::names::NameKind;
use crate::here::path::quoted;
use crate::here::{Case, Contradiction, Subject};
use askline_syntax::{Span, Word};

/// Words before the name of a folder.
const BEFORE: [&str; 10] =
    ["at", "below", "beneath", "directory", "dir", "folder", "from", "in", "inside", "within"];
/// Minimum length of each part of a name, in bytes.
const PART_MIN: usize = 2;

/// Returns the file or folder that the request names and no word of the line does.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let names = case.here.names.within("").filter(|(name, _)| name.contains(' '));
    let said = names.filter_map(|(name, kind)| Some((name, said(case, name, kind)?)));
    // Of `my notes` and `my notes 2024` the longer one is meant where it fits.
    let longest = said.max_by_key(|(name, _)| name.len());
    longest.and_then(|(name, said)| compare(case, name, said)).into_iter().collect()
}

fn compare(case: &Case<'_>, name: &str, said: Span) -> Option<Contradiction> {
    let text = case.line.text();
    let escaped = name.replace(' ', "\\ ");
    let pattern = name.split(' ').next().map(|part| format!("{part}*"))?;
    if text.contains(name) || text.contains(&escaped) || text.contains(&pattern) {
        return None;
    }
    let place = place(case, name, case.here.names.kind(name)?);
    let span = place.clone().unwrap_or(0..text.len());
    let edit = place.and_then(|span| Some((span, quoted(name)?)));
    let words = case.request.get(said)?.to_owned();
    let kind = if case.here.names.kind(name) == Some(NameKind::Folder) { "a folder" } else { "a file" };
    let message =
        (format!("you said \"{words}\"; the line does not name it"), format!("`{name}` is {kind} here"));
    Some(case.contradiction(Subject::Names, span, message, edit))
}

/// Returns the words of the request that are the name.
fn said(case: &Case<'_>, name: &str, kind: NameKind) -> Option<Span> {
    let lower = name.to_lowercase();
    let parts: Vec<&str> = lower.split(' ').filter(|part| !part.is_empty()).collect();
    if parts.len() < 2 || parts.iter().any(|part| part.len() < PART_MIN) {
        return None;
    }
    // The ending says that a file is named, unless there is one that the last word names alone.
    if kind == NameKind::File {
        let last =
            name.rsplit(' ').next().filter(|last| last.contains('.') && case.here.names.kind(last).is_none());
        let at = case
            .tokens
            .windows(parts.len())
            .find(|words| words.iter().zip(&parts).all(|(word, part)| word.text.to_lowercase() == *part));
        return last.and(at).and_then(|at| Some(at.first()?.span.start..at.last()?.span.end));
    }
    let at = case.tokens.windows(parts.len() + 1).find(|words| {
        let Some((before, words)) = words.split_first() else { return false };
        BEFORE.contains(&before.lower.as_str())
            && words.iter().zip(&parts).all(|(word, part)| word.text.to_lowercase() == *part)
    })?;
    Some(at.get(1)?.span.start..at.last()?.span.end)
}

/// Returns what the name replaces: a file operand that is a part of it and names nothing here, or the `.` where the only `find`
/// begins.
fn place(case: &Case<'_>, folder: &str, kind: NameKind) -> Option<Span> {
    let operands =
        || case.calls.iter().filter(|call| call.base.is_empty()).flat_map(|call| call.operands.iter());
    let is_part = |word: &&&Word| {
        let name = word.text.trim_matches(['.', '/']);
        word.literal
            && folder.split(' ').any(|part| part.eq_ignore_ascii_case(name))
            && case.here.names.kind(name).is_none()
    };
    if let Some(word) = operands().find(is_part) {
        return Some(word.span.clone());
    }
    if kind != NameKind::Folder {
        return None;
    }
    let mut finds = case.calls.iter().filter(|call| call.name == "find");
    let (find, None) = (finds.next()?, finds.next()) else { return None };
    let [start] = find.operands.as_slice() else { return None };
    (matches!(start.text.as_str(), "." | "./") && find.base.is_empty()).then(|| start.span.clone())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::here::{Here, NameKind, Names, adapt, contradictions};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn a_folder_whose_name_has_blanks_is_in_the_line() {
        let mut names = Names::default();
        for (name, kind) in [
            ("my notes", NameKind::Folder),
            ("my notes 2024", NameKind::Folder),
            ("new folder", NameKind::Folder),
            ("a.txt", NameKind::File),
            ("long list.txt", NameKind::File),
            ("list.md", NameKind::File),
            ("their a.txt", NameKind::File),
        ] {
            names.add(name.to_owned(), kind);
        }
        names.add_listed(String::new());
        let here = Here { names: Arc::new(names), ..Here::default() };
        for (request, line, expected, told) in [
            (
                "list empty files in my notes",
                "find . -type f -empty",
                Some("find 'my notes' -type f -empty"),
                1,
            ),
            (
                "list empty files in my notes",
                "find notes -type f -empty",
                Some("find 'my notes' -type f -empty"),
                1,
            ),
            ("delete empty files in my notes", "find . -type f -empty -delete", None, 1),
            ("delete all in my notes", "rm *", None, 1),
            ("list the files in my notes", "ls 'my notes'", None, 0),
            ("list the files in my notes", "ls my\\ notes/", None, 0),
            ("list empty files in my notes 2024", "find . -empty", Some("find 'my notes 2024' -empty"), 1),
            ("find my lines in my notes", "grep -rn my .", None, 1),
            ("move all pdfs to my notes", "find . -name '*.pdf' -exec mv {} ./mynotes/ \\;", None, 0),
            ("make a new folder", "mkdir x", None, 0),
            ("my notes are gone", "ls", None, 0),
            ("words in long list.txt", "wc -w list.txt", Some("wc -w 'long list.txt'"), 1),
            ("words in their a.txt", "wc -w a.txt", None, 0),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            let adapted = adapt(request, &line, &here).map(|adapted| adapted.line);
            assert_eq!(adapted.as_deref(), expected, "{request}");
            let is_it = |text: &str| text.contains("does not name it");
            let found = contradictions(request, &line, &here);
            assert_eq!(found.iter().filter(|it| is_it(&it.mismatch.text)).count(), told, "{request}");
        }
    }
}
