//! Commands that wait for input from the terminal, because neither a file nor a pipe feeds them.

use crate::mismatch::Mismatch;
use crate::parts::{GrepWords, operands, parts};
use crate::request::Token;
use crate::tool::Tool;
use askline_syntax::options::Part;
use askline_syntax::{ParsedLine, SimpleCommand, program_name};

/// Options that print something about the command itself.
const ABOUT: [&str; 2] = ["--help", "--version"];
/// Words of requests about what is typed or pasted.
const TYPED: [&str; 10] =
    ["stdin", "input", "type", "typed", "typing", "paste", "pasted", "clipboard", "keyboard", "terminal"];

/// Finds `grep error | wc -l`: the first command of the pipe reads what is typed, until Ctrl-D (POSIX.1-2024, grep, "STDIN").
pub(crate) fn compare(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    if line.shell().is_nushell() || tokens.iter().any(|token| TYPED.contains(&token.lower.as_str())) {
        return None;
    }
    let is_first = |command: &&SimpleCommand| command.position == 0 && command.within.is_empty();
    let command = line.parsed().commands.iter().filter(is_first).find(|command| waits(command))?;
    let text = format!("no file is named, so `{}` waits for what you type", command.name()?);
    Some(Mismatch::likely(command.span.clone(), text))
}

fn waits(command: &SimpleCommand) -> bool {
    let Some(name) = command.name().map(program_name) else { return false };
    let is_fed = command.redirections.iter().any(|it| it.operator.starts_with('<'));
    if is_fed || command.words.iter().any(|word| word.text == "-" || word.text == "/dev/stdin") {
        return false;
    }
    if matches!(name, "grep" | "egrep" | "fgrep") {
        return !descends(command) && GrepWords::of(command).is_some_and(|words| is_search(&words));
    }
    let (Some(before_files), Some(tool)) = (Tool::text_operands(name), Tool::of(command)) else {
        return false;
    };
    let Some(parts) = parts(command) else { return false };
    let is_elsewhere = parts.iter().any(|part| {
        let Part::Option(given) = part else { return false };
        ABOUT.contains(&given.name.as_ref()) || tool.hides(&given.name) || tool.takes_script(given)
    });
    let mut operands = operands(command);
    // A program of only a BEGIN block reads nothing.
    let begins = |program: &str| program.contains("BEGIN");
    let is_program = match before_files {
        0 => true,
        _ => operands.next().is_some_and(|program| program.literal && !begins(&program.text)),
    };
    !is_elsewhere && is_program && operands.next().is_none()
}

/// Reports whether `grep` goes through a directory: without a file it then begins in the current one.
fn descends(command: &SimpleCommand) -> bool {
    parts(command).unwrap_or_default().iter().any(|part| match part {
        Part::Option(given) => matches!(
            given.name.as_ref(),
            "-r" | "-R"
                | "--recursive"
                | "--dereference-recursive"
                | "-d"
                | "--directories"
                | "--help"
                | "--version"
                | "-V"
        ),
        _ => false,
    })
}

fn is_search(words: &GrepWords<'_>) -> bool {
    words.files.is_empty() && !(words.patterns.is_empty() && words.lists.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::tokens;
    use askline_syntax::shell::Shell;

    fn found(request: &str, line: &str) -> Option<String> {
        compare(&tokens(request), &ParsedLine::new(line, Shell::Bash)).map(|mismatch| mismatch.text)
    }

    #[test]
    fn commands_without_input_wait_for_it() {
        for line in [
            "grep -l '\\.txt$' | xargs -n 1 cat",
            "sort | uniq -c",
            "awk -F, '{print $1}' | sort",
            "sed -n 3p",
            "head -n 5",
            "sort -h",
            "cut -f 2",
            "cd logs && wc -l",
            "tail -5",
        ] {
            let text = found("show the lines", line).unwrap_or_else(|| panic!("{line}"));
            assert!(text.contains("waits for what you type"), "{text}");
        }
    }

    #[test]
    fn commands_with_input_are_left_alone() {
        for line in [
            "grep -r error",
            "grep error app.log | sort",
            "grep -e error app.log",
            "sort names.txt",
            "sort < names.txt",
            "wc -l <<< \"$x\"",
            "awk 'BEGIN {print 2 * 3}'",
            "sed --version",
            "head -n 5 $files",
            "cat a | { head -n 1; sort; }",
            "while read -r x; do wc -c; done < a",
            "find . | xargs grep error",
            "tail -n +2 a.csv | sort -t, -k2",
            "awk -f program.awk a.txt",
            "cat > notes.txt",
            "wc -l *.txt",
            "sort --files0-from=list",
            "ls | wc -l",
            "xargs wc -l < list",
            "for f in *; do wc -l; done",
        ] {
            assert_eq!(found("show the lines", line), None, "{line}");
        }
        assert_eq!(found("sort what i paste", "sort"), None);
    }
}
