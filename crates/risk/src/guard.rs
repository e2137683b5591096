//! Guards: a prefix or quoting that keeps a command line from running until the user removes it. The guard is a comment in
//! shells that allow comments at the prompt.

use askline_syntax::shell::Shell;

/// Returns the command line with a guard. Enter runs no part of it.
pub fn guarded(line: &str, shell: Shell) -> String {
    if shell.dialect().has_comments {
        return line.split('\n').map(|row| format!("# {row}")).collect::<Vec<_>>().join("\n");
    }
    // Text after a `;` would run. So the whole command line becomes one word.
    format!(": {}", shell.dialect().grammar.quoted(line))
}

/// Returns the command line without its guard, or `None` if it has no guard.
pub fn unguarded(line: &str, shell: Shell) -> Option<String> {
    if shell.dialect().has_comments {
        let rows: Option<Vec<&str>> = line.split('\n').map(|row| row.strip_prefix("# ")).collect();
        return Some(rows?.join("\n"));
    }
    let word = line.strip_prefix(": '")?.strip_suffix('\'')?;
    let quotes = word.matches('\'').count();
    // Each quote of the original is three quotes in the guarded form.
    (quotes == 3 * word.matches(r"'\''").count()).then(|| word.replace(r"'\''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Around, Label, judge_line};
    use askline_syntax as syntax;

    #[test]
    fn nothing_of_a_guarded_line_runs() {
        for line in
            ["rm -rf ~", "rm -rf ~; ls | sh", "echo 'a'; rm -rf \"$HOME\"", "for f in *\ndo rm $f\ndone"]
        {
            for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
                let guarded = guarded(line, shell);
                let commands = syntax::commands(&guarded, shell).commands;
                assert!(commands.iter().all(|command| command.name() == Some(":")), "{guarded}");
                assert!(judge_line(&guarded, shell, &Around::nothing()).label < Label::Confirm, "{guarded}");
                assert_eq!(unguarded(&guarded, shell).as_deref(), Some(line));
                assert_eq!(unguarded(line, shell), None);
            }
        }
        assert_eq!(guarded("rm -rf ~", Shell::Nu), "# rm -rf ~");
        for line in [": 'a' ; rm 'b'", "# a\nrm b", ":", ": '", ": ''"] {
            let bare = Shell::ALL.map(|shell| unguarded(line, shell));
            assert!(bare.iter().flatten().all(|bare| bare.is_empty() && line == ": ''"), "{line} {bare:?}");
        }
    }
}
