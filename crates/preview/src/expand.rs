//! The names that a word stands for: quotes, braces, `~` and patterns, as the shell would expand them with its default
//! options.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use askline_syntax::Word;
use askline_syntax::shell::{History, Shell};

use super::glob::{Letter, is_pattern, matches};
use super::overlay::{Overlay, shown};
use super::{Foreseen, unforeseen};

/// Maximum number of words that the braces of one word make.
const ALTERNATIVES_MAX: usize = 1_000;

/// An argument after all expansions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    /// The name as the command receives it, mostly relative.
    pub(crate) name: PathBuf,
    /// `true` if a pattern found the name.
    pub(crate) found: bool,
}

impl Argument {
    /// Reports whether the name ends with a slash, which asks for a directory.
    pub(crate) fn wants_directory(&self) -> bool {
        self.name.as_os_str().as_encoded_bytes().ends_with(b"/")
    }
}

/// Returns the arguments that a word becomes, in the order of the shell but for its sorting.
pub(crate) fn expand(word: &Word, line: &str, shell: Shell, files: &Overlay<'_>) -> Foreseen<Vec<Argument>> {
    let raw = line.get(word.span.clone()).unwrap_or(&word.text);
    let letters = if shell.is_nushell() { nushell_letters(raw)? } else { letters(raw, shell, files)? };
    let alternatives = if shell.is_nushell() { vec![letters] } else { braces(letters, shell)? };
    let mut arguments = Vec::new();
    for letters in alternatives {
        let letters = home(letters, files)?;
        if is_pattern(&letters) {
            arguments.extend(names(&letters, shell, files)?);
        } else {
            arguments.push(Argument { name: text(&letters).into(), found: false });
        }
    }
    Ok(arguments)
}

/// Returns the text of a word in which nothing but quotes, braces and `~` is expanded, as a file name.
pub(crate) fn single(word: &Word, line: &str, shell: Shell, files: &Overlay<'_>) -> Foreseen<PathBuf> {
    match expand(word, line, shell, files)?.as_slice() {
        [one] if !one.found => Ok(one.name.clone()),
        _ => unforeseen(format!("`{}` may be several names", word.text)),
    }
}

fn text(letters: &[Letter]) -> String {
    letters.iter().map(|letter| letter.character).collect()
}

/// Reads the raw text of a word of bash, zsh or fish.
fn letters(raw: &str, shell: Shell, files: &Overlay<'_>) -> Foreseen<Vec<Letter>> {
    let mut letters = Vec::new();
    let mut rest = raw.chars().peekable();
    let mut quote = None;
    while let Some(character) = rest.next() {
        let active = quote.is_none();
        match (character, quote) {
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(open)) if open == character => quote = None,
            ('\\', None) => match rest.next() {
                Some('\n') | None => {}
                Some(escaped) if shell.is_fish() && escaped.is_ascii_alphabetic() => {
                    return unforeseen(format!("`\\{escaped}` is not read here"));
                }
                Some(escaped) => letters.push(Letter { character: escaped, active: false }),
            },
            ('\\', Some('"')) if rest.peek().is_some_and(|next| "\"\\$`".contains(*next)) => {
                letters.extend(rest.next().map(|character| Letter { character, active: false }));
            }
            ('\\', Some('\''))
                if shell.is_fish() && rest.peek().is_some_and(|next| "'\\".contains(*next)) =>
            {
                letters.extend(rest.next().map(|character| Letter { character, active: false }));
            }
            ('$', None | Some('"')) => {
                let value = variable(&mut rest, files)?;
                if active && value.contains([' ', '\t', '*', '?', '[']) {
                    return unforeseen("a variable may become several words");
                }
                letters.extend(value.chars().map(|character| Letter { character, active: false }));
            }
            ('`', None | Some('"')) => {
                return unforeseen("what a command inside the line prints is not known");
            }
            ('(' | '<' | '>', None) => {
                return unforeseen("what a command inside the line prints is not known");
            }
            ('!', None | Some('"')) if recalls(letters.last(), rest.peek(), shell) => {
                return unforeseen("`!` may recall an earlier line");
            }
            ('?', None) if shell.is_fish() => return unforeseen("versions of fish differ in what `?` means"),
            ('[', None) if shell.is_fish() => letters.push(Letter { character, active: false }),
            _ => letters.push(Letter { character, active }),
        }
    }
    let is_named_directory = |letters: &[Letter]| letters.first().is_some_and(|first| first.is('='));
    if shell.dialect().has_equals_words && is_named_directory(&letters) {
        return unforeseen("the shell may replace a word that begins with `=`");
    }
    Ok(letters)
}

/// Reports whether `!` between these characters may be replaced by a part of an earlier line. bash leaves `[!a]` alone.
fn recalls(before: Option<&Letter>, after: Option<&char>, shell: Shell) -> bool {
    let is_set = before.is_some_and(|letter| letter.is('['));
    match shell.dialect().history {
        Some(History::Bash) => after.is_some() && !is_set,
        Some(History::Zsh) => after.is_some(),
        None => false,
    }
}

/// Reads the name after `$`: only the home and the working directory are known.
fn variable(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, files: &Overlay<'_>) -> Foreseen<String> {
    let is_braced = rest.next_if_eq(&'{').is_some();
    let mut name = String::new();
    while let Some(letter) = rest.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '_') {
        name.push(letter);
    }
    if is_braced && rest.next() != Some('}') {
        return unforeseen(format!("what becomes of ${{{name}…}} is not known"));
    }
    match name.as_str() {
        "HOME" => Ok(shown(&files.home()?)),
        "PWD" => Ok(shown(files.cwd())),
        "" if rest.peek() == Some(&'(') => unforeseen("what a command inside the line prints is not known"),
        "" => unforeseen("what an expansion with `$` becomes is not known"),
        name => unforeseen(format!("the value of ${name} is not known")),
    }
}

/// Reads the raw text of a word of Nushell.
fn nushell_letters(raw: &str) -> Foreseen<Vec<Letter>> {
    let (first, last) = (raw.chars().next(), raw.chars().last());
    let letters = |text: &str, active: bool| {
        text.chars().map(|character| Letter { character, active }).collect::<Vec<_>>()
    };
    match (first, last) {
        (Some(open @ ('\'' | '"' | '`')), Some(close)) if open == close && raw.len() > 1 => {
            let inner = raw.get(1..raw.len() - 1).unwrap_or_default();
            if open == '"' && inner.contains('\\') {
                return unforeseen("escapes in a string are not read here");
            }
            Ok(letters(inner, open == '`'))
        }
        _ if raw.contains(['$', '(', '{', '\'', '"', '`']) => {
            unforeseen("what an expression becomes is not known")
        }
        _ => Ok(letters(raw, true)),
    }
}

/// Expands `{a,b}` and `{1..3}`.
fn braces(letters: Vec<Letter>, shell: Shell) -> Foreseen<Vec<Vec<Letter>>> {
    let mut open = vec![letters];
    let mut done = Vec::new();
    while let Some(word) = open.pop() {
        if open.len() + done.len() > ALTERNATIVES_MAX {
            return unforeseen(format!("the braces make more than {ALTERNATIVES_MAX} words"));
        }
        match first_brace(&word, shell) {
            Some((start, end, parts)) => {
                let join = |part: &[Letter]| [&word[..start], part, &word[end..]].concat();
                open.extend(parts.iter().rev().map(|part| join(part)));
            }
            None => done.push(word),
        }
    }
    Ok(done)
}

/// Returns the first brace expression of a word: its range and its alternatives.
fn first_brace(word: &[Letter], shell: Shell) -> Option<(usize, usize, Vec<Vec<Letter>>)> {
    (0..word.len()).filter(|start| word[*start].is('{')).find_map(|start| {
        let (mut depth, mut commas) = (0, Vec::new());
        for (at, letter) in word.iter().enumerate().skip(start) {
            match letter {
                letter if letter.is('{') => depth += 1,
                letter if letter.is(',') && depth == 1 => commas.push(at),
                letter if letter.is('}') => {
                    depth -= 1;
                    if depth == 0 {
                        let parts = if commas.is_empty() && shell.is_fish() {
                            return None;
                        } else if commas.is_empty() {
                            range(&word[start + 1..at])?
                        } else {
                            let edges: Vec<usize> = [start].into_iter().chain(commas).chain([at]).collect();
                            edges.windows(2).map(|edge| word[edge[0] + 1..edge[1]].to_vec()).collect()
                        };
                        return Some((start, at + 1, parts));
                    }
                }
                _ => {}
            }
        }
        None
    })
}

/// Returns the numbers of `1..3`, padded with zeros if one of the ends is.
fn range(inner: &[Letter]) -> Option<Vec<Vec<Letter>>> {
    let text = text(inner);
    let (from, to) = text.split_once("..")?;
    let (first, last): (i64, i64) = (from.parse().ok()?, to.parse().ok()?);
    if first.abs_diff(last) > ALTERNATIVES_MAX as u64 {
        return None;
    }
    let is_padded = [from, to].iter().any(|end| end.len() > 1 && end.starts_with('0'));
    let width = if is_padded { from.len().max(to.len()) } else { 0 };
    let word = |number: i64| {
        let digits = format!("{number:0width$}");
        digits.chars().map(|character| Letter { character, active: false }).collect()
    };
    let numbers = first.min(last)..=first.max(last);
    Some(if first <= last { numbers.map(word).collect() } else { numbers.rev().map(word).collect() })
}

/// Replaces a leading `~`.
fn home(letters: Vec<Letter>, files: &Overlay<'_>) -> Foreseen<Vec<Letter>> {
    match letters.as_slice() {
        [tilde, rest @ ..] if tilde.is('~') => match rest.first() {
            None | Some(Letter { character: '/', .. }) => {
                let home = shown(&files.home()?);
                let home = home.chars().map(|character| Letter { character, active: false });
                Ok(home.chain(rest.iter().copied()).collect())
            }
            Some(_) => unforeseen("the home directories of others are not looked up"),
        },
        _ => Ok(letters),
    }
}

/// Returns the names that match a pattern.
fn names(pattern: &[Letter], shell: Shell, files: &Overlay<'_>) -> Foreseen<Vec<Argument>> {
    let mut parts: Vec<&[Letter]> = pattern.split(|letter| letter.character == '/').collect();
    let is_absolute = parts.len() > 1 && parts[0].is_empty();
    let wants_directory = parts.last().is_some_and(|last| last.is_empty());
    parts.retain(|part| !part.is_empty());
    let start = if is_absolute { PathBuf::from("/") } else { PathBuf::new() };
    let mut found = vec![start];
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len() && !wants_directory;
        let mut next = Vec::new();
        for place in &found {
            if text(part) == "**" && is_pattern(part) && recurses(shell, is_last)? {
                below(place, files, &mut next)?;
            } else {
                step(place, part, is_last, files, &mut next)?;
            }
        }
        found = next;
    }
    if found.is_empty() {
        // A shell that keeps the pattern gives it to the command as it is written.
        if shell.dialect().keeps_unmatched_patterns {
            return Ok(vec![Argument { name: text(pattern).into(), found: false }]);
        }
        return unforeseen(format!("nothing here matches `{}`: the line fails", text(pattern)));
    }
    let slash = |name: PathBuf| if wants_directory { name.join("") } else { name };
    Ok(found.into_iter().map(|name| Argument { name: slash(name), found: true }).collect())
}

/// Reports whether `**` stands for directories at any depth.
fn recurses(shell: Shell, is_last: bool) -> Foreseen<bool> {
    match shell.dialect().has_recursive_patterns {
        true if is_last => unforeseen("`**` at the end of a pattern is not read here"),
        is_recursive => Ok(is_recursive),
    }
}

/// Adds the names in `place` that match one part of a pattern.
fn step(
    place: &Path,
    part: &[Letter],
    is_last: bool,
    files: &Overlay<'_>,
    next: &mut Vec<PathBuf>,
) -> Foreseen<()> {
    let directory = files.target(place)?;
    let is_place = |name: &OsStr| -> Foreseen<bool> {
        let path = files.target(&directory.join(name))?;
        Ok(files.node(&path).is_some_and(|node| is_last || node.is_directory()))
    };
    if !is_pattern(part) {
        let name = OsString::from(text(part));
        let exists =
            name == "." || name == ".." || files.node(&files.resolve(&directory.join(&name))?).is_some();
        if exists && (is_last || is_place(&name)?) {
            next.push(place.join(name));
        }
        return Ok(());
    }
    if !files.node(&directory).is_some_and(|node| node.is_directory()) {
        return Ok(());
    }
    for name in files.list(&directory)? {
        if matches(part, &name.to_string_lossy()) && (is_last || is_place(&name)?) {
            next.push(place.join(name));
        }
    }
    Ok(())
}

/// Adds a directory and all directories below it whose names do not begin with a dot; links are not followed.
fn below(place: &Path, files: &Overlay<'_>, next: &mut Vec<PathBuf>) -> Foreseen<()> {
    let mut open = vec![place.to_owned()];
    while let Some(directory) = open.pop() {
        let path = files.target(&directory)?;
        for name in files.list(&path)? {
            let is_directory = files.node(&path.join(&name)).is_some_and(|node| node.is_directory());
            if is_directory && !name.to_string_lossy().starts_with('.') {
                open.push(directory.join(name));
            }
        }
        next.push(directory);
    }
    Ok(())
}
