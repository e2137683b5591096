//! Search of start-up files for our hook and for other bindings of its key, by text alone. No file is run, so a line
//! inside a condition or behind an alias is misjudged, and messages say "may".

use super::super::shell_integration;
use askline_syntax::shell::Shell;

/// A line of a start-up file that loads our script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Hook {
    /// Line number, counted from 1.
    pub(in crate::cli) line: usize,
    /// Version that wrote the file, if the file is our script itself; `None` if it calls `askline init`, which always
    /// prints the script of the installed version.
    pub(in crate::cli) saved_by: Option<String>,
    /// Value of `--key`.
    pub(in crate::cli) key: Option<String>,
}

/// Another binding that may take our key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConflictingBinding {
    /// Line number, counted from 1.
    pub(super) line: usize,
    /// Text of the line, or the tool that binds the key.
    pub(super) what: String,
}

/// Returns the first hook in a start-up file.
pub(in crate::cli) fn hook(text: &str) -> Option<Hook> {
    text.lines().enumerate().find_map(|(n, line)| {
        let line = line.trim();
        let saved_by = match line.strip_prefix('#') {
            // The first line of our script: `# askline init nu, version 0.1.0`.
            Some(stamp) => {
                Some(stamp.trim().strip_prefix("askline init ")?.split_once(", version ")?.1.to_owned())
            }
            None if line.contains("askline init") => None,
            None => return None,
        };
        let words =
            || line.split([' ', '=', '\t', ')', '"', '\'', '|', ';', '`']).filter(|word| !word.is_empty());
        let key = words().skip_while(|word| *word != "--key").nth(1).map(str::to_owned);
        Some(Hook { line: n + 1, saved_by, key })
    })
}

/// Returns other possible bindings of Ctrl-G in a start-up file of `shell`.
pub(super) fn rivals(shell: Shell, text: &str) -> Vec<ConflictingBinding> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut rivals = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        if line.starts_with('#') || line.contains("askline") {
            continue;
        }
        let what = if line.contains("navi widget") {
            "navi"
        } else if line.contains("fzf-git") {
            "fzf-git, whose longer key sequences start with it"
        } else if (shell_integration::of(shell).binds_ctrl_g)(&lines, n) {
            line
        } else {
            continue;
        };
        rivals.push(ConflictingBinding { line: n + 1, what: what.to_owned() });
    }
    rivals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_found() {
        let hook = |text: &str| {
            let Hook { line, saved_by, key } = hook(text)?;
            Some(format!("{line} {} {}", saved_by.as_deref().unwrap_or("-"), key.as_deref().unwrap_or("-")))
        };
        let table = [
            ("x\n  eval \"$(askline init zsh)\"\n", Some("2 - -")),
            ("eval \"$(askline init zsh --key alt-a)\"", Some("1 - alt-a")),
            ("command -q askline; and askline init fish --key=f2 | source", Some("1 - f2")),
            ("# eval \"$(askline init bash)\"", None),
            ("# askline init nu, version 0.0.9\nalias x = y", Some("1 0.0.9 -")),
            ("#askline init nu, version 0.1.0", Some("1 0.1.0 -")),
            ("# askline init nu was here", None),
            ("# askline init nu was here\naskline init nu | save x", Some("2 - -")),
            ("askline init zsh --key", Some("1 - -")),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(hook(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn rivals_are_found() {
        let nu = "keybindings: [{\n name: x\n modifier: control\n keycode: char_g\n}]";
        let table = [
            (Shell::Zsh, "bindkey '^G' my-widget", Some((1, "bindkey '^G' my-widget"))),
            (Shell::Zsh, "bindkey '^F' my-widget\n# bindkey '^G' x", None),
            (Shell::Zsh, "\neval \"$(navi widget zsh)\"", Some((2, "navi"))),
            (Shell::Zsh, "bindkey '^G' _askline", None),
            (Shell::Bash, r#"bind -x '"\C-g": x'"#, Some((1, r#"bind -x '"\C-g": x'"#))),
            (
                Shell::Bash,
                "source ~/fzf-git.sh/fzf-git.sh",
                Some((1, "fzf-git, whose longer key sequences start with it")),
            ),
            (Shell::Bash, "alias g=git", None),
            (Shell::Fish, r"bind -M insert \cg x", Some((1, r"bind -M insert \cg x"))),
            (Shell::Fish, "bind ctrl-g x", Some((1, "bind ctrl-g x"))),
            (Shell::Nu, nu, Some((4, "keycode: char_g"))),
            (Shell::Nu, "modifier: alt\nkeycode: char_g", None),
        ];
        for (shell, text, expected) in table {
            let found = rivals(shell, text);
            let found: Vec<_> = found.iter().map(|rival| (rival.line, rival.what.as_str())).collect();
            assert_eq!(found, Vec::from_iter(expected), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in ".*", lines in "((askline init|--key|bind|# ?|, version |char_g|\n| ){0,9})*") {
            for shell in Shell::ALL {
                rivals(shell, &text);
                rivals(shell, &lines);
            }
            hook(&text);
            hook(&lines);
        }
    }
}
