//! Half-typed commands: the checks find nothing wrong, but something is still to come. Pure; what commands need is data in
//! `unfinished.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use askline_syntax::options::{Form, Options as _, Part, ProgramOptions, Reader, Takes};
use askline_syntax::{ParsedLine, SimpleCommand};

/// Signs after which another command must follow.
const OPEN: [&str; 4] = ["|", "&&", "||", "|&"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    needs: Vec<Need>,
}

/// What some commands need.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Need {
    names: Vec<String>,
    #[serde(default)]
    operands: usize,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    instead: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("unfinished.toml")).expect("unfinished.toml is well-formed")
});

/// Reports whether something is still to come at the end of a line: a command after a sign, the value of the last option,
/// operands, or an option that the command can't do without.
pub fn is_unfinished(line: &ParsedLine) -> bool {
    let text = line.text().trim_end();
    if OPEN.iter().any(|sign| text.strip_suffix(sign).is_some_and(|before| !before.ends_with('\\'))) {
        return true;
    }
    let mut top = line.parsed().commands.iter().filter(|command| command.within.is_empty());
    top.next_back().is_some_and(|command| command.span.end == text.len() && lacks_words(command))
}

/// Returns the place of a gap in a line: the cursor between two blanks, or between a blank and a sign that ends a command.
/// In bytes; `None` at either end of the line.
pub fn gap(text: &str, cursor: usize) -> Option<usize> {
    let (at, next) = text.char_indices().nth(cursor)?;
    let before = text.get(..at)?;
    let is_gap =
        before.ends_with(' ') && !before.trim().is_empty() && matches!(next, ' ' | '|' | ';' | '&' | ')');
    (is_gap && text.get(at..).is_some_and(|rest| !rest.trim().is_empty())).then_some(at)
}

fn lacks_words(command: &SimpleCommand) -> bool {
    let Some(name) = command.name() else { return false };
    let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let whole = words.first().map(|word| format!("{name} {word}"));
    let needs = |name: &str| TABLE.needs.iter().find(|need| need.names.iter().any(|other| other == name));
    let below = whole.as_deref().and_then(needs);
    let values = ProgramOptions::of(name, &words);
    let (mut operands, mut given) = (0, Vec::new());
    let mut reader = Reader::new(&command.words, 1, Form::of(name)).with_signs();
    while let Some(part) = reader.next(&values) {
        match part {
            Part::Operand(_) => operands += 1,
            Part::End(_) => {}
            Part::Option(option) => {
                if option.value.is_none() && values.takes(&option.name) == Some(Takes::Value) {
                    return true;
                }
                given.push(option.name.into_owned());
            }
        }
    }
    let Some(need) = below.or_else(|| needs(name)) else { return false };
    let operands = operands - usize::from(below.is_some() && 0 < operands);
    let is_given = |options: &[String]| given.iter().any(|option| options.contains(option));
    if is_given(&need.instead) {
        return false;
    }
    // `tar xf` and `cut` alone say as much as with a dash.
    let is_bundle = !need.options.is_empty() && words.first().is_some_and(|word| !word.starts_with('-'));
    operands < need.operands || !need.options.is_empty() && !is_bundle && !is_given(&need.options)
}

#[cfg(test)]
mod tests {
    use askline_syntax::shell::Shell;

    use super::*;

    #[test]
    fn half_typed_lines_are_told_from_whole_ones() {
        for (line, expected) in [
            ("tar -x", true),
            ("tar -xzf", true),
            ("tar -xf a.tar", false),
            ("tar xf a.tar", false),
            ("cp -r a", true),
            ("cp -r a b", false),
            ("cp -t a", false),
            ("ls -la", false),
            ("head -n", true),
            ("git commit -m", true),
            ("git clone", true),
            ("git clone --depth 1 https://example.com/a", false),
            ("git status -s", false),
            ("du -sh * |", true),
            ("du -sh * | sort -h", false),
            ("ls && rm -r", true),
            ("grep -r", true),
            ("grep -e x", false),
            ("rm --help", false),
            ("echo \\|", false),
            ("cp a b > ", false),
            ("", false),
        ] {
            assert_eq!(is_unfinished(&ParsedLine::new(line, Shell::Bash)), expected, "{line}");
        }
    }

    #[test]
    fn a_gap_is_between_blanks() {
        for (text, cursor, expected) in [
            ("tar -x  | wc -l", 7, Some(7)),
            ("tar -x | wc -l", 7, Some(7)),
            ("tar -x | wc -l", 6, None),
            ("tar -x", 6, None),
            ("  ls", 1, None),
            ("é -x  y", 5, Some(6)),
            ("ls   ", 3, None),
        ] {
            assert_eq!(gap(text, cursor), expected, "{text} {cursor}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text: String, cursor in 0usize..40) {
            let _ = is_unfinished(&ParsedLine::new(&text, Shell::Bash));
            let _ = gap(&text, cursor);
        }
    }
}
