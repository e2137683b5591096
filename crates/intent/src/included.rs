//! Files that `grep --include` chooses and no word of the request names.

use crate::additions::{may_be_any, says_extension};
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::parts::GrepWords;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Word, program_name};

/// Beginnings of words of requests about programs: what they search for is in one kind of file, which no word names.
const PROGRAMMING: &[&str] = &[
    "function", "class", "import", "define", "include", "module", "variable", "call", "script", "header",
    "struct", "method", "selector", "tag", "style", "def", "return", "print", "require", "comment",
];
/// Beginnings of words behind a kind of file: "awk programs".
const KINDS: [&str; 8] = ["file", "program", "script", "source", "code", "module", "document", "page"];
/// Words before "files" that leave no kind out.
const ANY: [&str; 5] = ["which", "what", "all", "any", "every"];

/// Programs that only show what `grep` finds.
const SHOWING: [&str; 11] =
    ["grep", "egrep", "fgrep", "sort", "uniq", "head", "tail", "wc", "cut", "awk", "cat"];

/// Finds `grep --include='*.py'` where no word of the request means such files, and `--include='*.todo' todo`, where the
/// extension is the text that is searched for.
pub(crate) fn invented(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let greps = |it: &&SimpleCommand| matches!(it.name().map(program_name), Some("grep" | "egrep" | "fgrep"));
    let command = line.parsed().commands.iter().find(greps)?;
    let patterns = GrepWords::of(command)?.patterns;
    // More files may be more harm.
    let only_shows =
        line.parsed().commands.iter().all(|it| it.name().is_some_and(|name| SHOWING.contains(&name)));
    let given: Vec<(&Word, &str)> =
        command.words.iter().filter_map(|word| Some((word, included(word)?))).collect();
    let options = command.words.iter().filter(|word| word.text.starts_with("--include")).count();
    if let Some((word, _)) = given.iter().find(|(_, extension)| is_searched(tokens, &patterns, extension)) {
        return Some(removed(line, word, if only_shows { Certainty::Sure } else { Certainty::Likely }));
    }
    let [(word, extension)] = given.as_slice() else { return None };
    if 1 < options || !may_be_any(tokens) || says_extension(tokens, extension) {
        return None;
    }
    let is_code = tokens.iter().any(|it| PROGRAMMING.iter().any(|word| it.lower.starts_with(word)));
    let is_any = tokens.windows(2).any(|pair| {
        let [one, two] = pair else { return false };
        ANY.contains(&one.lower.as_str()) && matches!(two.lower.as_str(), "file" | "files")
    });
    let is_word = |pattern: &&str| tokens.iter().any(|token| token.text == **pattern);
    let is_sure = only_shows && is_any && !is_code && patterns.iter().all(is_word);
    Some(removed(line, word, if is_sure { Certainty::Sure } else { Certainty::Likely }))
}

/// Returns the extension of `--include=*.txt`.
fn included(word: &Word) -> Option<&str> {
    let extension = word.text.strip_prefix("--include=*.")?;
    extension.chars().all(|c| c.is_ascii_alphanumeric()).then_some(extension)
}

/// Reports whether an extension is the text that `grep` looks for, and nothing that files are called.
fn is_searched(tokens: &[Token], patterns: &[&str], extension: &str) -> bool {
    let lower = extension.to_lowercase();
    let is_part = |part: &str| part.trim_end_matches('s') == lower;
    let has = |pattern: &&str| pattern.to_lowercase().split(['|', '\\', '(', ')']).any(is_part);
    let is_file = tokens.windows(2).any(|pair| {
        let [one, two] = pair else { return false };
        one.lower == lower && KINDS.iter().any(|kind| two.lower.starts_with(kind))
    });
    let is_dotted = tokens.iter().any(|token| token.lower.ends_with(&format!(".{lower}")));
    patterns.iter().any(has) && !is_file && !is_dotted && !crate::extension::is_extension(&lower)
}

/// Returns the mismatch of an option that goes with the blank before it.
fn removed(line: &ParsedLine, word: &Word, certainty: Certainty) -> Mismatch {
    let span = word.span.start.saturating_sub(1)..word.span.end;
    Mismatch {
        span: word.span.clone(),
        said: None,
        certainty,
        text: format!("`{}` leaves out files that you did not exclude", word.text),
        edit: (certainty == Certainty::Sure).then(|| Edit::replace(line.text(), span, String::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn a_kind_of_file_for_grep_that_the_request_does_not_name() {
        for (request, line, expected) in [
            ("all files that mention Leeds", "grep -rl --include='*.py' Leeds .", "grep -rl Leeds ."),
            ("every fixme with line number", "grep -rin --include='*.fixme' fixme .", "grep -rin fixme ."),
            ("all python files that mention Leeds", "grep -rl --include='*.py' Leeds .", ""),
            ("every fixme in .fixme files", "grep -rin --include='*.fixme' fixme .", ""),
            ("delete all files that mention Leeds", "grep -rl --include='*.py' Leeds . | xargs rm", ""),
            ("find the awk lines in awk programs", "grep -rn --include='*.awk' awk .", ""),
            ("which files define the function fit", "grep -rl --include='*.py' fit .", ""),
            ("where do the logs say log", "grep -r --include='*.log' log .", ""),
        ] {
            let agreed = crate::agree(request, &ParsedLine::new(line, Shell::Bash));
            assert_eq!(agreed.map(|it| it.line).unwrap_or_default(), expected, "{request}");
        }
    }
}
