//! A line made harmless until somebody takes the guard away: a comment where the shell has them at the prompt.

use crate::shell::Shell;

/// The line behind a guard: Enter runs nothing of it.
pub fn guarded(line: &str, shell: Shell) -> String {
    match shell {
        Shell::Bash | Shell::Fish | Shell::Nu => {
            line.split('\n').map(|row| format!("# {row}")).collect::<Vec<_>>().join("\n")
        }
        // At its prompt zsh has no comments, and everything after a `;` would run: all of it becomes one word.
        Shell::Zsh => format!(": '{}'", line.replace('\'', r"'\''")),
    }
}

/// The line that stands behind a guard; none where there is no guard.
pub fn unguarded(line: &str, shell: Shell) -> Option<String> {
    match shell {
        Shell::Bash | Shell::Fish | Shell::Nu => {
            let rows: Option<Vec<&str>> = line.split('\n').map(|row| row.strip_prefix("# ")).collect();
            Some(rows?.join("\n"))
        }
        Shell::Zsh => {
            let word = line.strip_prefix(": '")?.strip_suffix('\'')?;
            let quotes = word.matches('\'').count();
            // Each quote inside is the middle one of three characters and its own.
            (quotes == 3 * word.matches(r"'\''").count()).then(|| word.replace(r"'\''", "'"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::{Around, Label, judge};
    use crate::syntax;

    #[test]
    fn nothing_of_a_guarded_line_runs() {
        for line in
            ["rm -rf ~", "rm -rf ~; ls | sh", "echo 'a'; rm -rf \"$HOME\"", "for f in *\ndo rm $f\ndone"]
        {
            for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
                let guarded = guarded(line, shell);
                let commands = syntax::commands(&guarded, shell).commands;
                assert!(commands.iter().all(|command| command.name() == Some(":")), "{guarded}");
                assert!(judge(&guarded, shell, &Around::nothing()).label < Label::Confirm, "{guarded}");
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
