//! Input flow: the data that a command gets from its pipeline, a here-document, or a wrapper that passes file names to
//! it.

use super::call::Call;
use super::effect::Scope;
use super::path_class::{self, PathClass};
use super::table::EffectTable;
use super::words::WordLists;
use askline_syntax as syntax;
use askline_syntax::nushell_strings::{last_quoted, quoted_text};
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, Parsed, Redirection, SimpleCommand, Span, Word, program_name};

/// File names that a wrapper passes to the command it runs.
#[derive(Debug, Clone)]
pub(super) struct Feed {
    /// Path class of the names.
    pub(super) place: PathClass,
    /// Placeholders of a name among the words; empty if the names are appended.
    pub(super) marks: Vec<String>,
    /// The names in words: "every match below /var/log".
    pub(super) told: String,
}

impl Feed {
    /// Reports whether the names are appended to the words of the command.
    pub(super) fn appends(&self) -> bool {
        self.marks.is_empty()
    }

    /// Reports whether the names take the place of a part of a word.
    pub(super) fn fills(&self, text: &str) -> bool {
        self.appends() && text.contains(APPENDED)
            || self.marks.iter().any(|mark| text.contains(mark.as_str()))
    }
}

/// Names that reach a command, and the names in words.
type Names = (PathClass, String);

/// The word that represents names that are appended.
pub(super) const APPENDED: &str = "{}";
/// Wrappers that pass the names of files they find.
const FINDERS: [&str; 5] = ["find", "gfind", "bfs", "fd", "fdfind"];
/// Wrappers that pass the names they read from standard input.
const READERS: [&str; 4] = ["xargs", "gxargs", "parallel", "rargs"];
/// Placeholders of `parallel`, `fd` and `rargs`.
const PLACEHOLDERS: [&str; 9] = ["{}", "{.}", "{/}", "{//}", "{/.}", "{0}", "{1}", "{2}", "{3}"];
/// Words after which `parallel` takes its names.
const SOURCES: [&str; 4] = [":::", ":::+", "::::", "::::+"];

/// Maximum number of previous pipeline commands that are returned.
const ABOVE_MAX: usize = 32;
/// Maximum number of wrappers through which an input passes.
const WRAPPERS_MAX: usize = 8;
/// Maximum number of commands that are searched for them.
const LOOKED_AT_MAX: usize = 64;

/// Returns the names that a wrapper or a closure passes to a command; `None` if nothing does.
pub(super) fn of(
    command: &SimpleCommand,
    parsed: &Parsed,
    table: &EffectTable,
    shell: Shell,
) -> Option<Feed> {
    let wrapped = of_wrapper(command, parsed, table, shell);
    wrapped.or_else(|| if shell.is_nushell() { of_closure(command, parsed, table, shell) } else { None })
}

/// Returns the names that the innermost finder or reader around a command passes to it, also through other wrappers:
/// `xargs nice rm`, `find -exec sh -c 'rm {}' \;`.
fn of_wrapper(command: &SimpleCommand, parsed: &Parsed, table: &EffectTable, shell: Shell) -> Option<Feed> {
    // Appended names reach the command only if each wrapper between runs the words after it.
    let mut reaches = true;
    let wrapper = command.within.iter().rev().find_map(|nesting| match nesting {
        Nesting::Wrapper(name) if FINDERS.contains(&name.as_str()) || READERS.contains(&name.as_str()) => {
            Some(name.as_str())
        }
        Nesting::Wrapper(name) => {
            reaches &= syntax::runs_words(name);
            None
        }
        _ => {
            reaches = false;
            None
        }
    })?;
    let outer = started_before(command, parsed).iter().rev().take(LOOKED_AT_MAX).filter(|outer| {
        command.span.end <= outer.span.end && outer.name().is_some_and(|name| program_name(name) == wrapper)
    });
    let outer = outer.max_by_key(|outer| outer.span.start)?;
    let holds = |mark: &str| command.words.iter().any(|word| word.text.contains(mark));
    let has_more = matches!(wrapper, "parallel" | "fd" | "fdfind" | "rargs");
    let known = PLACEHOLDERS.iter().take(if has_more { PLACEHOLDERS.len() } else { 1 });
    let mut marks: Vec<String> = known.filter(|mark| holds(mark)).map(|mark| (*mark).to_owned()).collect();
    if FINDERS.contains(&wrapper) {
        let (place, told) = found_by(outer, wrapper, table, shell);
        if marks.is_empty() && (takes_tests(wrapper) || !reaches) {
            marks.push(APPENDED.to_owned());
        }
        return Some(Feed { place, marks, told });
    }
    marks.extend(replaced(outer, command, table, shell));
    if marks.is_empty() && !reaches {
        return None;
    }
    let (place, told) = listed_after(outer, shell).unwrap_or_else(|| piped_into(outer, parsed, table, shell));
    // A shell in between expands the names once more.
    let again = told.split(' ').filter(|_| !reaches).map(path_class::named);
    let place = again.fold(place, |one, other| if one.rank().0 < other.rank().0 { other } else { one });
    Some(Feed { place, marks, told })
}

/// Returns the names after `:::`; `None` if the command has none.
fn listed_after(outer: &SimpleCommand, shell: Shell) -> Option<Names> {
    let at = outer.words.iter().position(|word| SOURCES.contains(&word.text.as_str()))?;
    let words = outer.words.get(at..).unwrap_or_default();
    if words.iter().any(|word| word.text.starts_with("::::")) {
        return Some(unknown("the names that a file lists"));
    }
    Some(listed(words.iter().filter(|word| !SOURCES.contains(&word.text.as_str())), shell))
}

/// Returns the names that a pipeline passes to a command that reads them.
fn piped_into(outer: &SimpleCommand, parsed: &Parsed, table: &EffectTable, shell: Shell) -> Names {
    let sources: Vec<_> = above(outer, parsed).collect();
    if shell.is_nushell() {
        return narrowed(&sources, table, shell);
    }
    sources.last().map_or_else(|| unknown(""), |above| given_by(above, table, shell))
}

/// Returns the names that a Nushell pipeline passes on.
fn narrowed(sources: &[&SimpleCommand], table: &EffectTable, shell: Shell) -> Names {
    let narrows = |source: &&&SimpleCommand| {
        // `where type == file` selects a type, not particular files.
        source.name() == Some("where") && !is_type_alone(source) || source.name() == Some("first")
    };
    let given = sources.first().map_or_else(|| unknown(""), |source| given_by(source, table, shell));
    if sources.iter().any(|source| narrows(&source)) {
        return (named(Scope::Own), "some of what the line lists".to_owned());
    }
    given
}

/// Reports whether a Nushell `where` selects by the type of the entries alone.
fn is_type_alone(source: &SimpleCommand) -> bool {
    let has = |text: &str| source.words.iter().any(|word| word.text == text);
    has("type") && !has("and")
}

/// Returns the names that the variable of the enclosing Nushell closure contains.
fn of_closure(command: &SimpleCommand, parsed: &Parsed, table: &EffectTable, shell: Shell) -> Option<Feed> {
    let variable = command.words.iter().skip(1).find_map(|word| {
        let name = word.text.trim_start_matches("...").strip_prefix('$')?;
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        name.get(..end).filter(|name| !name.is_empty() && !matches!(*name, "env" | "nu"))
    })?;
    let around = started_before(command, parsed).iter().rev().take(LOOKED_AT_MAX).filter(|outer| {
        matches!(outer.name(), Some("each" | "par-each" | "items" | "for"))
            && command.span.end <= outer.span.end
    });
    let each = around.max_by_key(|outer| outer.span.start)?;
    let sources: Vec<_> = above(each, parsed).collect();
    let (place, told) = narrowed(&sources, table, shell);
    Some(Feed { place, marks: vec![format!("${variable}")], told })
}

/// Returns the names that a command prints.
fn given_by(command: &SimpleCommand, table: &EffectTable, shell: Shell) -> Names {
    // Nushell's own `find` searches in values.
    let is_finder = |name: &str| FINDERS.contains(&name) && (!shell.is_nushell() || command.external);
    match command.name() {
        Some(name) if is_finder(name) => found_by(command, name, table, shell),
        Some("ls" | "glob" | "printf" | "echo") if names_some(command) => listed_by(command, shell),
        Some("ls" | "glob") if shell.is_nushell() => {
            (named(Scope::Cwd), "everything in the working directory".to_owned())
        }
        Some(name @ ("grep" | "rg" | "ag" | "locate" | "mdfind"))
            if command.words.len() > 1 && !excludes(command) =>
        {
            (named(Scope::Own), format!("the names that {name} prints"))
        }
        Some(name) => unknown(&format!("the names that {name} prints")),
        None => unknown(""),
    }
}

/// Reports whether the command prints the entries that do not match (`-v`).
fn excludes(command: &SimpleCommand) -> bool {
    let is_so = |word: &str| {
        word == "--invert-match" || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
    };
    command.words.iter().skip(1).any(|word| is_so(&word.text))
}

/// Reports whether the command has operands.
fn names_some(command: &SimpleCommand) -> bool {
    command.words.iter().skip(1).any(|word| !word.text.starts_with('-'))
}

fn unknown(told: &str) -> Names {
    let told = if told.is_empty() { "the names that it is given" } else { told };
    (named(Scope::Unreadable), told.to_owned())
}

/// Returns the placeholder of `xargs -I F` if the command uses it.
fn replaced(
    outer: &SimpleCommand,
    command: &SimpleCommand,
    table: &EffectTable,
    shell: Shell,
) -> Option<String> {
    let marks = call(outer, table, shell).given(|option| matches!(option, "-I" | "-J" | "--replace"));
    let mark = marks.into_iter().next()?.text;
    command.words.iter().any(|word| word.text.contains(&mark)).then_some(mark)
}

/// Returns the words of a command, sorted into options and operands.
fn call<'t>(command: &SimpleCommand, table: &'t EffectTable, shell: Shell) -> Call<'t> {
    let words = command.words.get(1..).unwrap_or_default().to_vec();
    Call::read(command.name().unwrap_or_default(), words, table, shell)
}

/// Reports whether a finder takes the tests of `find`.
fn takes_tests(finder: &str) -> bool {
    finder.ends_with("find") || finder == "bfs"
}

/// Reports whether `find` selects some of the files below a directory.
pub(super) fn narrows(finder: &SimpleCommand) -> bool {
    finder.words.iter().any(|word| WordLists::own().narrows(&word.text))
}

/// Returns the names that `find` or `fd` prints.
fn found_by(finder: &SimpleCommand, name: &str, table: &EffectTable, shell: Shell) -> Names {
    let words = finder.words.get(1..).unwrap_or_default();
    if takes_tests(name) {
        let tests = words.iter().enumerate().filter(|(at, word)| {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            WordLists::own().narrows(&word.text)
                && !before.is_some_and(|before| matches!(before.text.as_str(), "!" | "-not"))
        });
        let tests: Vec<&str> = tests.map(|(_, word)| word.text.as_str()).collect();
        let narrows = !tests.is_empty();
        let by_name =
            tests.iter().any(|test| test.contains("name") || test.contains("path") || test.contains("regex"));
        let starts = words.iter().take_while(|word| !word.text.starts_with(['-', '(', '!']));
        let told = below(starts.clone(), narrows);
        let mut places = starts.map(|word| path_class::path(word, shell));
        let first = places.next().unwrap_or_else(|| named(Scope::Cwd));
        let worst = places.fold(first, |one, other| if other.scope > one.scope { other } else { one });
        let narrows = narrows && (by_name || worst.scope != Scope::Home);
        let place = if narrows && matches!(worst.scope, Scope::Cwd | Scope::Home | Scope::Unreadable) {
            PathClass { scope: Scope::Own, in_home: false, ..worst }
        } else if narrows {
            worst
        } else {
            PathClass { scope: worst.scope.max(Scope::Cwd), ..worst }
        };
        return (place, told);
    }
    let call = call(finder, table, shell);
    let operands = call.operands();
    let starts = call.given(|option| matches!(option, "--search-path" | "--base-directory" | "-C"));
    let starts: Vec<&Word> = operands.iter().skip(1).chain(&starts).collect();
    let narrows = call.has_option("-e") || call.has_option("--extension");
    let pattern = operands.first().map_or("", |word| word.text.as_str());
    let narrows = narrows || !matches!(pattern, "" | "." | "^" | ".*" | "*");
    let told = below(starts.iter().copied(), narrows);
    if narrows {
        return (named(Scope::Own), told);
    }
    let places = starts.iter().map(|word| path_class::path(word, shell));
    let worst = places.max_by_key(|place| place.scope).unwrap_or_else(|| named(Scope::Cwd));
    (PathClass { scope: worst.scope.max(Scope::Tree), ..worst }, told)
}

/// Returns the names below some directories in words.
fn below<'w>(starts: impl Iterator<Item = &'w Word>, narrows: bool) -> String {
    let starts: Vec<&str> = starts.map(|word| word.text.as_str()).filter(|start| *start != ".").collect();
    let what = if narrows { "every match" } else { "everything" };
    if starts.is_empty() {
        return format!("{what} below the working directory");
    }
    format!("{what} below {}", starts.join(" "))
}

/// Returns the names that a command gets as operands.
fn listed_by(lister: &SimpleCommand, shell: Shell) -> Names {
    listed(lister.words.iter().skip(1).filter(|word| !word.text.starts_with('-')), shell)
}

/// Returns the names in some words.
fn listed<'w>(words: impl Iterator<Item = &'w Word>, shell: Shell) -> Names {
    let words: Vec<&Word> = words.collect();
    let worst = words.iter().map(|word| path_class::path(word, shell)).max_by_key(|place| place.scope);
    let told = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    worst.map_or_else(|| unknown(""), |place| (place, told))
}

/// Returns a path class of which only the scope is known.
fn named(scope: Scope) -> PathClass {
    PathClass { scope, ..path_class::named("x") }
}

/// Returns the last redirection of a command's standard input. Those behind a wrapper (`sudo bash <<< x`) belong to the
/// wrapper, which passes its input on.
pub(super) fn input<'p>(command: &'p SimpleCommand, parsed: &'p Parsed) -> Option<&'p Redirection> {
    let mut command = command;
    for _ in 0..WRAPPERS_MAX {
        let mut given = command.redirections.iter().rev();
        if let Some(input) = given.find(|redirection| redirection.operator.starts_with('<')) {
            return Some(input);
        }
        let passes = |name: &str| !READERS.contains(&name) && syntax::runs_words(name);
        let Some(Nesting::Wrapper(name)) = command.within.last() else { return None };
        let first = name.split(' ').next().filter(|_| passes(name))?;
        let mut outer = started_before(command, parsed).iter().rev().take(LOOKED_AT_MAX);
        command = outer.find(|outer| {
            command.span.end <= outer.span.end
                && outer.within.len() + 1 == command.within.len()
                && outer.name().is_some_and(|name| name.rsplit('/').next() == Some(first))
        })?;
    }
    None
}

/// Returns the string literal at the head of a Nushell pipeline if the first command follows it directly.
pub(super) fn head(command: &SimpleCommand, parsed: &Parsed, line: &str) -> Option<String> {
    let first = above(command, parsed).next().unwrap_or(command);
    if first.position != 1 {
        return None;
    }
    let before = line.get(..first.span.start)?.trim_end_matches('^').trim_end().strip_suffix('|')?.trim_end();
    quoted_text(before.get(last_quoted(before)?)?)
}

/// Returns the previous commands of the pipeline in order, without commands that wrappers run; only the nearest ones
/// if there are very many.
pub(super) fn above<'p>(
    command: &SimpleCommand,
    parsed: &'p Parsed,
) -> impl Iterator<Item = &'p SimpleCommand> + use<'p> {
    let mut found: Vec<&SimpleCommand> = Vec::new();
    for other in all_above(command, parsed) {
        if other.within.len() > command.within.len() && is_wrapped(other) {
            continue;
        }
        // Of several commands at one position the first counts, which is found last.
        if found.last().is_some_and(|last| last.position == other.position) {
            found.pop();
        }
        found.push(other);
    }
    found.into_iter().rev()
}

/// Returns the previous commands of the pipeline in reverse order, including those that wrappers run.
pub(super) fn all_above<'p>(
    command: &SimpleCommand,
    parsed: &'p Parsed,
) -> impl Iterator<Item = &'p SimpleCommand> + use<'p> {
    let (pipeline, position) = (command.pipeline, command.position);
    let before = if position == 0 { &[] } else { started_before(command, parsed) };
    let above = before.iter().rev().take(LOOKED_AT_MAX);
    above.filter(move |other| other.pipeline == pipeline && other.position < position).take(ABOVE_MAX)
}

/// Returns the commands that start before this one; commands are sorted by start offset.
fn started_before<'p>(command: &SimpleCommand, parsed: &'p Parsed) -> &'p [SimpleCommand] {
    let end = parsed.commands.partition_point(|other| other.span.start < command.span.start);
    parsed.commands.get(..end).unwrap_or_default()
}

/// Returns the commands within a span of the command line.
pub(super) fn inside<'p>(
    span: &Span,
    parsed: &'p Parsed,
) -> impl Iterator<Item = &'p SimpleCommand> + use<'p> {
    let start = parsed.commands.partition_point(|other| other.span.start < span.start);
    let after = parsed.commands.get(start..).unwrap_or_default();
    let (whole, end) = (span.clone(), span.end);
    let starting = after.iter().take_while(move |inner| inner.span.start <= end);
    starting.filter(move |inner| inner.span.end <= end && inner.span != whole)
}

fn is_wrapped(command: &SimpleCommand) -> bool {
    matches!(command.within.last(), Some(Nesting::Wrapper(_)))
}

/// Reports whether the command is in `>(…)` and reads what is written there.
pub(super) fn is_fed(command: &SimpleCommand, line: &str) -> bool {
    command.within.last() == Some(&Nesting::ProcessSubstitution)
        && line.get(..command.span.start).is_some_and(|before| before.trim_end().ends_with(">("))
}

/// Returns the body of a here-document.
pub(super) fn document(redirection: &Redirection, line: &str) -> Option<String> {
    let delimiter = redirection.target.as_ref()?.text.as_str();
    let after = line.get(redirection.span.end..)?;
    let (_, body) = after.split_once('\n')?;
    let is_end = |row: &str| row.trim_start_matches('\t') == delimiter;
    Some(body.lines().take_while(|row| !is_end(row)).collect::<Vec<_>>().join("\n"))
}
