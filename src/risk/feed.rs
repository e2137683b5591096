//! What flows into a command: from its pipeline, a here-document, or the wrapper that hands it file names.

use super::effect::Scope;
use super::place::{self, Kind, Place};
use super::words::Words;
use crate::shell::Shell;
use crate::syntax::{Nesting, Parsed, Redirection, SimpleCommand, Word};

/// Names that a wrapper hands to the command it runs.
#[derive(Debug, Clone)]
pub(super) struct Feed {
    /// What they name.
    pub(super) place: Place,
    /// A `{}` among the words says where they go; otherwise they come last.
    pub(super) is_placed: bool,
}

/// Wrappers that hand over names of what they found, and those that read them from their input.
const FINDERS: [&str; 3] = ["find", "fd", "fdfind"];
const READERS: [&str; 3] = ["xargs", "parallel", "rush"];

/// What the wrapper of a command hands to it; none when no wrapper does.
pub(super) fn of(command: &SimpleCommand, parsed: &Parsed, line: &str, shell: Shell) -> Option<Feed> {
    let wrapper = command.within.iter().rev().find_map(|nesting| match nesting {
        Nesting::Wrapper(name) => Some(name.as_str()),
        _ => None,
    })?;
    let outer = parsed.commands.iter().filter(|outer| {
        outer.span.start < command.span.start
            && command.span.end <= outer.span.end
            && outer.name().is_some_and(|name| name.rsplit('/').next() == Some(wrapper))
    });
    let outer = outer.max_by_key(|outer| outer.span.start)?;
    let is_placed = line.get(command.span.clone()).is_some_and(|text| text.contains("{}"))
        || READERS.contains(&wrapper) && replaces(outer, command);
    if FINDERS.contains(&wrapper) {
        return Some(Feed {
            place: found_by(outer, wrapper, shell),
            is_placed: is_placed || wrapper == "find",
        });
    }
    if !READERS.contains(&wrapper) {
        return None;
    }
    let above = above(outer, parsed).last();
    let place = match above.and_then(|above| Some((above, above.name()?))) {
        Some((finder, name)) if FINDERS.contains(&name) => found_by(finder, name, shell),
        Some((lister, "ls" | "printf" | "echo")) if lister.words.len() > 1 => listed_by(lister, shell),
        Some((searcher, "grep" | "rg" | "ag" | "locate" | "mdfind")) if searcher.words.len() > 1 => {
            named(Scope::Own)
        }
        _ => named(Scope::Unreadable),
    };
    Some(Feed { place, is_placed })
}

/// `xargs -I F` puts names in place of `F`.
fn replaces(outer: &SimpleCommand, command: &SimpleCommand) -> bool {
    let mark = outer.words.iter().enumerate().find_map(|(at, word)| match word.text.as_str() {
        "-I" | "-J" | "--replace" => outer.words.get(at + 1).map(|word| word.text.clone()),
        text => text.strip_prefix("-I").map(str::to_owned),
    });
    mark.is_some_and(|mark| command.words.iter().any(|word| word.text.contains(&mark)))
}

/// What `find` or `fd` gives.
fn found_by(finder: &SimpleCommand, name: &str, shell: Shell) -> Place {
    let words = finder.words.get(1..).unwrap_or_default();
    if name == "find" {
        let narrows = words.iter().any(|word| Words::own().narrows(&word.text));
        let starts = words.iter().take_while(|word| !word.text.starts_with(['-', '(', '!']));
        let mut places = starts.map(|word| place::path(word, shell));
        let first = places.next().unwrap_or_else(|| named(Scope::Cwd));
        let worst = places.fold(first, |one, other| if other.scope > one.scope { other } else { one });
        return if narrows && matches!(worst.scope, Scope::Cwd | Scope::Home | Scope::Unreadable) {
            Place { scope: Scope::Own, in_home: false, ..worst }
        } else if narrows {
            worst
        } else {
            Place { scope: worst.scope.max(Scope::Cwd), ..worst }
        };
    }
    let is_pattern = |word: &&Word| {
        !word.text.starts_with('-') && !matches!(word.text.as_str(), "." | "" | "^" | ".*" | "f" | "d" | "l")
    };
    if words.iter().any(|word| is_pattern(&word)) { named(Scope::Own) } else { named(Scope::Cwd) }
}

/// What a list of names on a command line names.
fn listed_by(lister: &SimpleCommand, shell: Shell) -> Place {
    let words = lister.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let worst = words.map(|word| place::path(word, shell)).max_by_key(|place| place.scope);
    worst.unwrap_or_else(|| named(Scope::Unreadable))
}

fn named(scope: Scope) -> Place {
    Place { scope, kind: Kind::Plain, glob: false, in_home: false, outside: false, may_be_empty: false }
}

/// The commands before this one in its pipeline, as far as they are single commands.
pub(super) fn above<'p>(
    command: &'p SimpleCommand,
    parsed: &'p Parsed,
) -> impl Iterator<Item = &'p SimpleCommand> {
    let mut last = None;
    parsed.commands.iter().filter(move |other| {
        let is_above = other.pipeline == command.pipeline
            && other.position < command.position
            && !(other.within.len() > command.within.len() && is_wrapped(other));
        let is_first = last != Some(other.position);
        if is_above {
            last = Some(other.position);
        }
        is_above && is_first
    })
}

fn is_wrapped(command: &SimpleCommand) -> bool {
    matches!(command.within.last(), Some(Nesting::Wrapper(_)))
}

/// The body of a here-document.
pub(super) fn document(redirection: &Redirection, line: &str) -> Option<String> {
    let delimiter = redirection.target.as_ref()?.text.as_str();
    let after = line.get(redirection.span.end..)?;
    let (_, body) = after.split_once('\n')?;
    let is_end = |row: &str| row.trim_start_matches('\t') == delimiter;
    Some(body.lines().take_while(|row| !is_end(row)).collect::<Vec<_>>().join("\n"))
}
