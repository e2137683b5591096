//! Answers that hide the failure of a command instead of mending it: `cat x 2> /dev/null`, `cat x || true`, `rm -f x`.

use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Options of any program that only keep it quiet, or force what failed.
const QUIET: [&str; 7] = ["--force", "-f", "--quiet", "--silent", "--verbose", "--no-clobber", "--"];
/// Letters of some programs that do the same.
const QUIET_LETTERS: [(&str, &str); 8] = [
    ("rm", "fiv"),
    ("mv", "fnivT"),
    ("cp", "fniv"),
    ("cat", "v"),
    ("grep", "qs"),
    ("curl", "sS"),
    ("mkdir", "v"),
    ("git", "qfv"),
];
/// Commands beside the failed one that mend nothing.
const IDLE: [&str; 10] = ["echo", "printf", "true", ":", "command", "type", "which", "test", "[", "exit"];

/// Reports whether a line is the failed one with nothing more than redirections, quiet options and commands that mend nothing; or
/// with operands left out.
pub(super) fn hides_failure(failed: &ParsedLine, answer: &ParsedLine) -> bool {
    let [failed] = failed.own().commands.as_slice() else { return false };
    let (same, others): (Vec<_>, Vec<_>) =
        answer.own().commands.iter().partition(|command| is_same(failed, command));
    let is_idle = |command: &&SimpleCommand| command.name().is_some_and(|name| IDLE.contains(&name));
    !same.is_empty() && others.iter().all(is_idle)
}

/// Reports whether a command has the words of the failed one, apart from quiet options, or fewer.
fn is_same(failed: &SimpleCommand, command: &SimpleCommand) -> bool {
    let words = |command: &SimpleCommand| -> Vec<String> {
        let name = command.name().unwrap_or_default();
        let is_kept = |word: &&Word| !is_quiet(name, &word.text);
        command.words.iter().filter(is_kept).map(|word| plain(&word.text)).collect()
    };
    let (before, after) = (words(failed), words(command));
    let is_wrapped = !command.within.is_empty();
    let is_part = || {
        let mut rest = before.iter();
        after.iter().all(|word| rest.any(|other| other == word)) && before.first() == after.first()
    };
    // `command -v git psuh` runs nothing; `sudo` may be what was missing.
    !is_wrapped && is_part()
        || after.first().is_some_and(|name| name == "command") && after.ends_with(&before)
}

fn is_quiet(name: &str, word: &str) -> bool {
    let known = QUIET_LETTERS.iter().find(|(program, _)| *program == name).map_or("", |(_, letters)| letters);
    let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty());
    QUIET.contains(&word)
        || letters.is_some_and(|letters| letters.chars().all(|letter| known.contains(letter)))
}

/// Returns a path without the working directory before it.
fn plain(text: &str) -> String {
    let beginnings = ["./", "$PWD/", "${PWD}/", "$(pwd)/"];
    beginnings.iter().find_map(|beginning| text.strip_prefix(beginning)).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn what_hides_a_failure_is_no_fix() {
        for (failed, answer, expected) in [
            ("cat crontab", "cat crontab 2> /dev/null", true),
            ("cat crontab", "cat crontab || true", true),
            ("cat crontab", "cat crontab || echo none", true),
            ("cat crontab", "cat -v crontab", true),
            ("cat crontab", "cat crontab.txt", false),
            ("cat crontab", "crontab -l", false),
            ("rm empty", "rm -f empty", true),
            ("rm empty", "rm -r empty", false),
            ("rm empty", "rmdir empty", false),
            ("mv a b/c/", "mv -n a b/c/", true),
            ("mv a b/c/", "mkdir -p b/c && mv a b/c/", false),
            ("git psuh", "command -v git psuh", true),
            ("git psuh", "git push", false),
            ("git checkout mian", "git checkout --", true),
            ("cd ~/Dowloads", "command -v cd > /dev/null && cd ~/Dowloads", true),
            ("grep -q foo a", "grep -q foo a && echo 2 || echo 0", true),
            ("grep foo a", "grep -i foo a", false),
            ("git push", "git push -f", true),
            ("git push", "git push --force-with-lease", false),
            ("git push", "git pull --rebase && git push", false),
            ("grep foo a", "grep -r foo .", false),
            ("python3 x.py", "python3 \"$PWD\"/x.py", true),
            ("apt install x", "sudo apt install x", false),
            ("apt install x", "apt update && apt install x", false),
            ("./run.sh", "chmod +x ./run.sh && ./run.sh", false),
            ("ls a | wc", "ls a | wc -l", false),
            ("make", "make -B", false),
        ] {
            let line = |text| ParsedLine::new(text, Shell::Bash);
            assert_eq!(hides_failure(&line(failed), &line(answer)), expected, "{failed}: {answer}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(failed: String, answer: String) {
            let line = |text: &str| ParsedLine::new(text, Shell::Bash);
            hides_failure(&line(&failed), &line(&answer));
        }
    }
}
