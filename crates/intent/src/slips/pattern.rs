//! Regular expressions in a dialect that the command does not read (POSIX.1-2024, chapter 9; GNU grep and sed manuals).

use super::{has_option, slip};
use crate::mismatch::Mismatch;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Returns the slip in the pattern of `grep` or the script of `sed`.
pub(super) fn slips(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    match command.name()? {
        "grep" => grep(line, command),
        "sed" => sed(line, command),
        _ => None,
    }
}

/// Returns the first word that is no option: the pattern or script, if no option gives it.
fn first_operand<'c>(command: &'c SimpleCommand, valued: &str) -> Option<&'c Word> {
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        if !word.text.starts_with('-') || word.text == "-" {
            return Some(word).filter(|word| word.quoted && word.literal);
        }
        let is_cluster = !word.text.starts_with("--");
        if is_cluster && word.text.chars().last().is_some_and(|letter| valued.contains(letter)) {
            words.next();
        }
    }
    None
}

fn grep(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    if has_option(command, "FPef", &["--fixed-strings", "--perl-regexp", "--regexp", "--file"]) {
        return None;
    }
    let pattern = first_operand(command, "ABCmdD")?;
    let is_extended = has_option(command, "E", &["--extended-regexp"]);
    let name = command.words.first()?;
    if ["\\d", "\\D", "(?"].iter().any(|form| pattern.text.contains(form)) {
        let text = format!("grep needs -P to understand `{}`", pattern.text);
        let extended = command.words.iter().find(|word| word.text == "-E");
        return Some(match extended {
            Some(option) => slip(line.text(), option.span.clone(), "-P".to_owned(), text),
            None if !is_extended => slip(line.text(), name.span.end..name.span.end, " -P".to_owned(), text),
            None => return None,
        });
    }
    let form = (!is_extended).then(|| extended_form(&pattern.text))??;
    let text = format!("without -E, grep looks for the character `{form}` itself");
    Some(slip(line.text(), name.span.end..name.span.end, " -E".to_owned(), text))
}

fn sed(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let script = first_operand(command, "")?;
    if has_option(command, "ErefsVl", &["--regexp-extended", "--expression", "--file"]) {
        return None;
    }
    let mut parts = script.text.strip_prefix('s')?.chars();
    let separator = parts.next().filter(|c| !c.is_alphanumeric())?;
    let pattern = parts.as_str().split(separator).next()?;
    let name = command.words.first()?;
    let raw = line.text().get(script.span.clone())?;
    if pattern.contains("\\d") && raw.matches("\\d").count() == 1 {
        let at = script.span.start + raw.find("\\d")?;
        let text = "sed does not know `\\d`; digits are `[0-9]`".to_owned();
        return Some(slip(line.text(), at..at + 2, "[0-9]".to_owned(), text));
    }
    let form = extended_form(pattern).or_else(|| {
        let refers = script.text.contains("\\1") && pattern.contains('(') && !pattern.contains("\\(");
        refers.then_some("(")
    })?;
    let text = format!("without -E, sed looks for the character `{form}` itself");
    Some(slip(line.text(), name.span.end..name.span.end, " -E".to_owned(), text))
}

/// Returns a sign of an extended expression in a pattern: `a|b`, `[0-9]+`, `x{2,}`. `None` if it also has forms that only
/// basic expressions have.
fn extended_form(pattern: &str) -> Option<&'static str> {
    if ["\\|", "\\(", "\\+", "\\{", "\\?"].iter().any(|basic| pattern.contains(basic)) {
        return None;
    }
    let characters: Vec<char> = pattern.chars().collect();
    let is_word = |c: &char| c.is_alphanumeric() || ")]$^(\\.".contains(*c);
    let around = |at: usize| {
        let (Some(before), Some(behind)) =
            (at.checked_sub(1).and_then(|at| characters.get(at)), characters.get(at + 1))
        else {
            return false;
        };
        let ends_in_underscore = |one: &char, other: &char| *one == '_' && other.is_alphanumeric();
        is_word(before) && is_word(behind)
            || ends_in_underscore(before, behind)
            || ends_in_underscore(behind, before)
    };
    let has_alternatives = characters.iter().enumerate().any(|(at, c)| *c == '|' && around(at));
    if has_alternatives {
        return Some("|");
    }
    if pattern.contains("]+") || pattern.contains(".+") {
        return Some("+");
    }
    let counts = pattern.split(']').skip(1).any(|rest| rest.starts_with('{') && rest.contains('}'));
    counts.then_some("{")
}
