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

#[test]
fn a_substitution_in_double_quotes_has_quotes_of_its_own() {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        assert_eq!(plain(shell, "a \"b $(c 'd' \"e\") f\" g"), "a \"c ' \") g");
        assert_eq!(plain(shell, "a \"$(b \"$(c 'd')\" })\" e"), "a \"b \"c ') }) e");
        assert_eq!(plain(shell, "a \"\\$(b 'c')\" d"), "a \" d");
    }
    assert_eq!(plain(Shell::Bash, "a \"$((1 + (2)))\" b"), "a \"(1 + (2))) b");
    assert_eq!(plain(Shell::Bash, "a \"${x:-'b'}\" c"), "a \" c");
    // Nushell's quotes end at the next one.
    assert_eq!(plain(Shell::Nu, "a $\"b (c 'd') e\" f"), "a $\" f");
    assert!(read(Shell::Bash, "a \"$(b").is_open());
    assert!(!read(Shell::Bash, "a \"$(b)\"").is_open());
    assert_eq!(read(Shell::Bash, "a \"$(b").nesting(), 1);
}
