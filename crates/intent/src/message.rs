//! Messages of several words that are not quoted.

use crate::mismatch::{Certainty, Edit, Mismatch};
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Finds `git commit -m fix the build`: only `fix` is the message, and the other words are files (git-commit(1), -m).
pub(crate) fn compare(request: &str, line: &ParsedLine) -> Option<Mismatch> {
    let plain = |c: char| if c.is_alphanumeric() || "-_./".contains(c) { c } else { ' ' };
    let request: String = request.to_lowercase().chars().map(plain).collect();
    line.parsed().commands.iter().find_map(|command| split(&request, line.text(), command))
}

fn split(request: &str, line: &str, command: &SimpleCommand) -> Option<Mismatch> {
    // `git branch -m` renames.
    let verb = command.words.get(1).map(|word| word.text.as_str());
    if command.name()? != "git" || !matches!(verb, Some("commit" | "merge" | "notes" | "stash" | "tag")) {
        return None;
    }
    let at = command.words.iter().position(|word| {
        let is_cluster = word.text.len() <= 4 && !word.text.starts_with("--") && word.text.ends_with('m');
        word.text == "--message" || word.text.starts_with('-') && is_cluster
    })?;
    let words = command.words.get(at + 1..)?;
    // A name with a dot or a slash is a file.
    let is_text = |word: &&Word| {
        word.literal && !word.quoted && !word.text.starts_with('-') && !word.text.contains(['.', '/'])
    };
    let count = words.iter().take_while(is_text).count();
    // The longest run of words that the request has: the rest may be files.
    let message = (2..=count).rev().filter_map(|count| words.get(..count)).find(|words| {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        format!(" {request} ").contains(&format!(" {} ", texts.join(" ").to_lowercase()))
    })?;
    // A merge, a tag and a note need a name beside the message.
    let needs_name = matches!(verb, Some("merge" | "tag" | "notes"));
    let others = command.words.iter().skip(2).filter(|word| !word.text.starts_with('-')).count();
    if needs_name && others <= message.len() {
        return None;
    }
    let span = message.first()?.span.start..message.last()?.span.end;
    let text = line.get(span.clone()).filter(|text| !text.contains(['\'', '\\', '\n']))?;
    Some(Mismatch {
        span: span.clone(),
        said: None,
        certainty: Certainty::Sure,
        text: "without quotes only the first word is the message".to_owned(),
        edit: Some(Edit::replace(line, span, format!("'{text}'"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    fn edited(request: &str, line: &str) -> Option<String> {
        let found = compare(request, &ParsedLine::new(line, Shell::Bash))?;
        let edit = found.edit?;
        let mut edited = line.to_owned();
        edited.replace_range(edit.span, &edit.replacement);
        Some(edited)
    }

    #[test]
    fn messages_are_quoted() {
        let request = "stash everything, new files too, message wip home";
        assert_eq!(edited(request, "git stash -u -m wip home").unwrap(), "git stash -u -m 'wip home'");
        let request = "commit all as Fix the build";
        assert_eq!(
            edited(request, "git commit -am Fix the build").unwrap(),
            "git commit -am 'Fix the build'"
        );
        assert_eq!(
            edited("commit a.txt with message two words", "git commit -m two words a.txt").unwrap(),
            "git commit -m 'two words' a.txt"
        );
    }

    #[test]
    fn other_words_are_left_alone() {
        for (request, line) in [
            ("commit a.txt as fix", "git commit -m fix a.txt"),
            ("commit as wip home", "git commit -m 'wip home'"),
            ("rename branch old new", "git branch -m old new"),
            ("merge feature into main", "git merge -m merge feature"),
            ("tag this as release v1.2", "git tag -a -m release v1.2"),
            ("stash wip notes.txt", "git stash push -m wip notes.txt"),
            ("commit a typofix now", "git commit -m fix now"),
            ("move old new", "git mv old new"),
            ("commit", "git commit -m"),
        ] {
            assert_eq!(edited(request, line), None, "{line}");
        }
    }
}
