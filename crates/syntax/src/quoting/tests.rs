//! Tests for open commands and plain characters.

use super::*;

fn read(shell: Shell, text: &str) -> QuoteLexer {
    let mut reader = QuoteLexer::new(shell);
    text.chars().for_each(|c| reader.read(c));
    reader
}

/// Returns the characters read as syntax.
fn plain(shell: Shell, text: &str) -> String {
    let mut reader = QuoteLexer::new(shell);
    let mut plain = String::new();
    for c in text.chars() {
        if reader.is_plain() {
            plain.push(c);
        }
        reader.read(c);
    }
    plain
}

#[test]
fn what_goes_on_is_open() {
    for (shell, text) in [
        (Shell::Bash, "echo 'a"),
        (Shell::Bash, "echo \"a $(b)"),
        (Shell::Bash, "ls \\"),
        (Shell::Bash, "ls |"),
        (Shell::Bash, "a &&"),
        (Shell::Bash, "(cd x"),
        (Shell::Bash, "for f in *; do\necho $f"),
        (Shell::Bash, "if a; then b"),
        (Shell::Bash, "cat <<E\nx"),
        (Shell::Bash, "echo $'it\\'s"),
        (Shell::Fish, "if a; b"),
        (Shell::Fish, "echo 'a\\'"),
        (Shell::Nu, "[1, 2"),
        (Shell::Nu, "ls | each {|f| $f.name"),
    ] {
        assert!(read(shell, text).is_open(), "{shell}: {text:?}");
    }
}

#[test]
fn what_is_whole_is_closed() {
    for (shell, text) in [
        (Shell::Bash, "echo 'a' \"b\" `c` $(d) ${e}"),
        (Shell::Bash, "ls | wc -l"),
        (Shell::Bash, "sleep 9 &"),
        (Shell::Bash, "for f in *; do echo $f; done"),
        (Shell::Bash, "echo for done"),
        (Shell::Bash, "case $x in a) b;; *) c;; esac"),
        (Shell::Bash, "cat <<-'E' | sort\nit's (\n\tE"),
        (Shell::Bash, "cat <<< 'a'"),
        (Shell::Bash, "echo $((1 << 2))"),
        (Shell::Bash, "ls # it's (all"),
        (Shell::Bash, "echo a#'b'"),
        (Shell::Bash, "echo \\' \\\""),
        (Shell::Fish, "begin; a; end"),
        (Shell::Nu, "open C:\\x\\"),
    ] {
        assert!(!read(shell, text).is_open(), "{shell}: {text:?}");
    }
}

#[test]
fn quoted_text_is_not_plain() {
    assert_eq!(plain(Shell::Bash, "a 'b' \"c\" d\\ e # f"), "a ' \" d\\e #");
    assert_eq!(plain(Shell::Bash, "cat <<E\nx\nE\nls"), "cat <<E\nls");
}
