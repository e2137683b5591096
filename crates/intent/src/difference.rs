//! Differences of two files: "in A but not in B" against the side that `comm` and `grep -vf` keep.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::parts::GrepWords;
use crate::request::{Token, is_name};
use askline_syntax::{ParsedLine, SimpleCommand};

/// Words between the two names that take the second one away from the first.
const MINUS: [&str; 8] = ["not", "missing", "without", "except", "absent", "longer", "lacks", "lack"];

/// Endings of lists, which requests leave out.
const ENDINGS: [&str; 5] = [".txt", ".csv", ".tsv", ".lst", ".list"];
/// Minimum length of a name without its ending, in bytes.
const STEM_BYTES_MIN: usize = 3;

/// What is wrong where the two files are swapped.
const OTHER: &str = "this prints the lines of the other file";

/// Compares the file whose lines the request keeps with the one whose lines the line prints.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    // `old_users` for the `old_users.txt` of the line.
    let is_stem = |token: &Token| {
        let name = |ending: &&str| place(line.text(), &format!("{}{ending}", token.text)).is_some();
        STEM_BYTES_MIN <= token.text.len() && ENDINGS.iter().any(name)
    };
    // The draft may leave it out, too.
    let is_operand =
        |token: &Token| token.text.contains(['_', '-']) && place(line.text(), &token.text).is_some();
    let of = |is_it: &dyn Fn(&Token) -> bool| -> Vec<(usize, &Token)> {
        tokens.iter().enumerate().filter(|(_, token)| is_it(token)).collect()
    };
    let mut named = of(&|token| is_name(&token.text));
    if named.is_empty() {
        named = of(&|token| is_stem(token) || is_operand(token));
    }
    let [(at, kept), (behind, other)] = named[..] else { return None };
    let is_between = |word: &Token| MINUS.contains(&word.lower.as_str());
    // "not in A but in B" keeps B.
    let is_before = tokens.get(..at)?.iter().any(|token| is_between(token) || token.lower == "changed");
    if is_before || !tokens.get(at..behind)?.iter().any(is_between) {
        return None;
    }
    let command = line
        .parsed()
        .commands
        .iter()
        .find(|it| matches!(it.name(), Some("comm" | "grep" | "diff" | "join")))?;
    let why = match command.name()? {
        "comm" => compared(command, line, kept, other),
        "grep" => excluded(command, kept),
        "join" => unpaired(command, line, kept, other),
        _ => shown(line),
    }?;
    let said = kept.span.start..other.span.end;
    // "what does A lack that B has" turns the sides round.
    let lacks = |word: &Token| word.lower.starts_with("lack") || word.lower == "missing";
    let is_plain = !tokens.get(at..behind)?.iter().any(lacks) && !tokens.get(..at)?.iter().any(lacks);
    let edit = turned(command, line).filter(|_| why == OTHER && is_plain);
    Some(Mismatch {
        span: command.span.clone(),
        text: format!("you said \"{}\"; {why}", request.get(said.clone())?),
        said: Some(said),
        certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
        edit,
    })
}

/// Returns the edit that lets `comm` print the other file.
fn turned(command: &SimpleCommand, line: &ParsedLine) -> Option<Edit> {
    let sides = [("-23", "-13"), ("-13", "-23")];
    command.words.iter().find_map(|word| {
        let (_, new) = sides.iter().find(|(old, _)| *old == word.text)?;
        (command.name() == Some("comm"))
            .then(|| Edit::replace(line.text(), word.span.clone(), (*new).to_owned()))
    })
}

/// Reads `comm -23 A B`: the options name the columns that are left out.
fn compared(command: &SimpleCommand, line: &ParsedLine, kept: &Token, other: &Token) -> Option<&'static str> {
    let text = line.text().get(command.span.start..)?;
    let (one, two) = (place(text, &kept.text)?, place(text, &other.text)?);
    let hides = |column| crate::mark::gives(command, column);
    match (hides('1'), hides('2'), hides('3'), one < two) {
        (false, true, true, true) | (true, false, true, false) => None,
        (true, false, true, true) | (false, true, true, false) => Some(OTHER),
        (true, true, false, _) => Some("this prints what both have"),
        _ => Some("this prints more than one side (`comm -23`)"),
    }
}

/// Returns the place of a name in a text where it is not a part of a longer name.
fn place(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let is_whole = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + name.len()..).unwrap_or_default();
        let bare =
            ENDINGS.iter().find_map(|ending| behind.strip_prefix(ending)).filter(|_| !name.contains('.'));
        let behind = bare.unwrap_or(behind).chars().next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    };
    text.match_indices(name).map(|(at, _)| at).find(|at| is_whole(*at))
}

/// Reads `grep -vf B A`: the lines of the list behind -f are left out.
fn excluded(command: &SimpleCommand, kept: &Token) -> Option<&'static str> {
    let words = GrepWords::of(command)?;
    let list = words.lists.first()?;
    match crate::mark::gives(command, 'v') {
        true if place(list, &kept.text).is_some() => Some(OTHER),
        false => Some("without -v this prints what both have"),
        true => None,
    }
}

/// Reads `join -v 1 A B`: the number is that of the file whose lines without a partner are printed.
fn unpaired(command: &SimpleCommand, line: &ParsedLine, kept: &Token, other: &Token) -> Option<&'static str> {
    let text = line.text().get(command.span.start..)?;
    let is_first = place(text, &kept.text)? < place(text, &other.text)?;
    let words = || command.words.iter().map(|word| word.text.as_str());
    let side = words().zip(words().skip(1)).find_map(|(word, next)| match word.strip_prefix("-v")? {
        "" => Some(next),
        side => Some(side),
    });
    match side {
        None if words().any(|word| word.starts_with("-a")) => Some("-a prints what both have as well (-v)"),
        None => Some("without -v this prints what both have"),
        Some("1") if !is_first => Some(OTHER),
        Some("2") if is_first => Some(OTHER),
        Some(_) => None,
    }
}

/// `diff` prints both sides with its marks.
fn shown(line: &ParsedLine) -> Option<&'static str> {
    let chooses =
        ["grep", "sed", "awk", "--changed-group-format", "--old-line-format", "--unchanged-line-format"];
    (!chooses.iter().any(|hint| line.text().contains(hint)))
        .then_some("`diff` prints both sides (`comm -23`)")
}

#[cfg(test)]
mod tests {
    use crate::request::tokens;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn names_without_their_endings_count() {
        let request = "users in new_users but not in old_users";
        for (line, expected) in [
            ("comm -23 <(sort old_users.txt) <(sort new_users.txt)", Some("-13")),
            ("comm -23 <(sort new_users.txt) <(sort old_users.txt)", None),
            ("comm -23 <(sort old_users) <(sort new_users)", Some("-13")),
            ("grep -vxFf old_users.txt new_users.txt", None),
        ] {
            let found = super::compare(request, &tokens(request), &ParsedLine::new(line, Shell::Bash));
            assert_eq!(found.and_then(|it| Some(it.edit?.replacement)).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn the_side_that_is_kept() {
        let request = "lines that are in old.txt but not in new.txt";
        for (line, is_found) in [
            ("comm -23 <(sort old.txt) <(sort new.txt)", false),
            ("comm -13 <(sort new.txt) <(sort old.txt)", false),
            ("grep -vxFf new.txt old.txt", false),
            ("comm -13 <(sort old.txt) <(sort new.txt)", true),
            ("comm -12 <(sort old.txt) <(sort new.txt)", true),
            ("comm <(sort old.txt) <(sort new.txt)", true),
            ("grep -vxFf old.txt new.txt", true),
            ("grep -xFf new.txt old.txt", true),
            ("cat old.txt | grep -vxFf new.txt", false),
            ("grep -vxFf new.txt < old.txt", false),
            ("grep -vxFf new.txt ./old.txt", false),
            ("cat new.txt | grep -vxFf old.txt", true),
            ("grep -vx --file=./old.txt new.txt", true),
            ("diff old.txt new.txt", true),
            ("join -v 1 old.txt new.txt", false),
            ("join -v2 new.txt old.txt", false),
            ("join -v 2 old.txt new.txt", true),
            ("join old.txt new.txt", true),
            ("diff old.txt new.txt | grep '^<'", false),
        ] {
            let found = super::compare(request, &tokens(request), &ParsedLine::new(line, Shell::Bash));
            assert_eq!(found.is_some(), is_found, "{line}");
        }
    }
}
