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
    #[serde(default)]
    when: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("unfinished.toml")).expect("unfinished.toml is well-formed")
});

/// A half-typed command: the text on both sides of what is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HalfTyped {
    /// Text before the gap.
    pub before: String,
    /// Text behind it; empty if the end of the line is missing.
    pub behind: String,
}

impl HalfTyped {
    /// Reads a line whose end is missing, or that has a gap under the cursor.
    pub fn of(line: &ParsedLine, cursor: usize) -> Option<Self> {
        let at = gap(line.text(), cursor);
        if at.is_none() && !is_unfinished(line) {
            return None;
        }
        let (before, behind) = line.text().split_at_checked(at.unwrap_or(line.text().len()))?;
        Some(Self { before: before.trim().to_owned(), behind: behind.trim().to_owned() })
    }

    /// Reports whether a line keeps all words in their order and has more. It may be half typed itself.
    pub fn is_continued_by(&self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let mut typed = self.before.split_whitespace().chain(self.behind.split_whitespace());
        let has_all = typed.all(|typed| words.any(|word| goes_on(typed, word)));
        let is_more =
            self.before.len() + self.behind.len() + usize::from(!self.behind.is_empty()) < line.len();
        has_all && is_more
    }
}

/// Reports whether a word of the answer is a typed one, or goes on from it: `-x` from `-xzf`, `--ext` from `--extract`.
fn goes_on(typed: &str, word: &str) -> bool {
    let letters =
        |word: &str| word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).map(str::to_owned);
    let is_cluster = || match (letters(typed), letters(word)) {
        (Some(typed), Some(word)) => typed.chars().all(|c| word.contains(c)),
        _ => false,
    };
    typed == word || word.starts_with(typed) || is_cluster()
}

/// Reports whether something is still to come at the end of a line: a command after a sign, the value of the last option,
/// operands, or an option that the command can't do without.
pub fn is_unfinished(line: &ParsedLine) -> bool {
    let text = line.text().trim_end();
    if OPEN.iter().any(|sign| text.strip_suffix(sign).is_some_and(|before| !before.ends_with('\\'))) {
        return true;
    }
    let mut top = line.parsed().commands.iter().filter(|command| command.within.is_empty());
    let Some(command) = top.next_back() else { return false };
    let is_fed = top.next_back().is_some_and(|before| before.pipeline == command.pipeline);
    command.span.end == text.len() && lacks_words(command, is_fed)
}

/// Returns the place of a gap in a line: the cursor between two blanks, or between a blank and a sign that ends a command.
/// In bytes; `None` at either end of the line.
fn gap(text: &str, cursor: usize) -> Option<usize> {
    let (at, next) = text.char_indices().nth(cursor)?;
    let before = text.get(..at)?;
    let is_gap =
        before.ends_with(' ') && !before.trim().is_empty() && matches!(next, ' ' | '|' | ';' | '&' | ')');
    (is_gap && text.get(at..).is_some_and(|rest| !rest.trim().is_empty())).then_some(at)
}

/// Reports whether a word of `chmod` takes rights away.
fn is_mode(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| letters.chars().all(|c| "rwxXst".contains(c)))
}

/// Returns the rows of a command.
fn needs(name: &str) -> Vec<&'static Need> {
    TABLE.needs.iter().filter(|need| need.names.iter().any(|other| other == name)).collect()
}

fn lacks_words(command: &SimpleCommand, is_fed: bool) -> bool {
    let Some(name) = command.name() else { return false };
    let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let whole = format!("{name} {}", words.first().copied().unwrap_or_default());
    let values = ProgramOptions::of(name, &words);
    let (mut operands, mut given) = (0, Vec::new());
    let mut reader = Reader::new(&command.words, 1, Form::of(name)).with_signs();
    while let Some(part) = reader.next(&values) {
        match part {
            Part::Operand(_) => operands += 1,
            Part::End(_) => {}
            // `chmod +x`, `chmod -w`
            Part::Option(option) if option.name.starts_with('+') => operands += 1,
            Part::Option(option) if name == "chmod" && is_mode(&option.name) => operands += 1,
            Part::Option(option) => {
                if option.value.is_none() && values.takes(&option.name) == Some(Takes::Value) {
                    return true;
                }
                given.push(option.name.into_owned());
            }
        }
    }
    let is_below = !needs(&whole).is_empty();
    let name = if is_below { whole.as_str() } else { name };
    let n_operands = operands - usize::from(is_below && 0 < operands);
    let is_given = |options: &[String]| given.iter().any(|option| options.contains(option));
    // `tar -xz` reads what the pipe brings.
    let reads_pipe = matches!(name, "tar" | "bsdtar") && is_fed;
    // `tar xf` and `cut` alone say as much as with a dash.
    let is_bundle = words.first().is_some_and(|word| !word.starts_with('-'));
    let lacks = |need: &Need| {
        let lacks_option = !need.options.is_empty() && !is_bundle && !reads_pipe && !is_given(&need.options);
        let holds = need.when.is_empty() || is_given(&need.when);
        holds && !is_given(&need.instead) && (n_operands < need.operands || lacks_option)
    };
    needs(name).into_iter().any(lacks)
}

#[cfg(test)]
mod tests {
    use askline_syntax::shell::Shell;

    use super::*;

    #[test]
    fn words_go_on_from_words() {
        for (typed, word, expected) in [
            ("-x", "-xzf", true),
            ("-x", "-zxf", true),
            ("-x", "--extract", false),
            ("--ext", "--extract", true),
            ("tar", "tar", true),
            ("tar", "bsdtar", false),
        ] {
            assert_eq!(goes_on(typed, word), expected, "{typed} {word}");
        }
    }

    #[test]
    fn half_typed_lines_are_told_from_whole_ones() {
        for (line, expected) in [
            ("tar -x", true),
            ("tar -xzf", true),
            ("tar -xf a.tar", false),
            ("tar -czf a.tgz", true),
            ("tar czf a.tgz", true),
            ("tar -czf a.tgz src", false),
            ("tar -czf a.tgz -T list", false),
            ("tar xf a.tar", false),
            ("chmod +x", true),
            ("chmod +x run.sh", false),
            ("chmod -x run.sh", false),
            ("curl -L a.example/b | tar -xz", false),
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
