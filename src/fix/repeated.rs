//! A failed command whose beginning stands there twice: `git git status`, `git clone git clone URL`.

use askline_syntax::ParsedLine;

/// Commands whose first operand is never their own name.
const NAMES: [&str; 14] = [
    "git",
    "npm",
    "docker",
    "cargo",
    "pip",
    "pip3",
    "apt",
    "apt-get",
    "brew",
    "kubectl",
    "systemctl",
    "cd",
    "ls",
    "cat",
];
/// Maximum number of words that may be repeated.
const WORDS_MAX: usize = 2;

/// Returns the line with the beginning once, and what was changed; `None` if it does not begin with the same words twice.
pub(super) fn once(line: &ParsedLine) -> Option<(String, String)> {
    let [command] = line.own().commands.as_slice() else { return None };
    let words = &command.words;
    let n_repeated = (1..=WORDS_MAX).rev().find(|n| {
        let (first, second) = (words.get(..*n), words.get(*n..2 * n));
        let texts = |part: Option<&[askline_syntax::Word]>| {
            part.map(|part| part.iter().map(|word| word.text.clone()).collect::<Vec<_>>())
        };
        (1 < *n || NAMES.contains(&command.name().unwrap_or_default()))
            && second.is_some_and(|second| second.iter().all(|word| word.literal && !word.quoted))
            && texts(first) == texts(second)
    })?;
    let (start, end) = (words.first()?.span.start, words.get(n_repeated)?.span.start);
    let text = line.text();
    let twice = text.get(start..end)?.trim();
    let is_name = twice.chars().all(|c| c.is_alphanumeric() || " -_.".contains(c));
    let line = format!("{}{}", text.get(..start)?, text.get(end..)?);
    is_name.then(|| (line, format!("− {twice}: it stands there twice")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn the_beginning_stands_there_once() {
        for (line, expected) in [
            ("git git status", Some("git status")),
            ("git clone git clone https://x.org/a.git", Some("git clone https://x.org/a.git")),
            ("cd cd docs", Some("cd docs")),
            ("git clone url clone", None),
            ("grep grep notes.txt", None),
            ("test test = x", None),
            ("git status", None),
            ("cat 'cat' x", None),
            ("ls", None),
        ] {
            let once = once(&ParsedLine::new(line, Shell::Bash)).map(|(line, _)| line);
            assert_eq!(once.as_deref(), expected, "{line}");
        }
    }
}
