//! Names and patterns of a line that match nothing in the directory.

use super::endings::{self, STEM_CHARS_MIN, is_said};
use super::links;
use super::loops::Loop;
use crate::glob::matches;
use crate::here::call::Call;
use crate::here::names::{NameKind, Names};
use crate::here::path::{joined, quoted, relative, relative_path, shown};
use crate::here::{Case, Contradiction, Subject};
use crate::literal;
use crate::request::is_same_noun;
use crate::tool::Wants;
use askline_syntax::{Redirection, SimpleCommand, Word};

/// Maximum number of places that a message names.
const PLACES_MAX: usize = 3;
/// Minimum length of a name without its ending that a near name may replace, in characters.
const NEAR_CHARS_MIN: usize = 5;
/// Endings of copies, which are not meant by the name of the file.
const COPIES: [&str; 8] = ["bak", "old", "orig", "tmp", "swp", "save", "gz", "zip"];
/// Words of requests about this directory alone.
pub(super) const HERE: [&str; 6] = ["here", "this", "current", "cwd", "pwd", "working"];

/// First parts of names that models write for a name they do not know.
const STAND_INS: [&str; 30] = [
    "archive", "audio", "book", "data", "dataset", "doc", "document", "dump", "example", "file", "filename",
    "image", "img", "input", "list", "log", "logfile", "movie", "music", "photo", "pic", "picture", "sample",
    "sheet", "song", "sound", "table", "text", "video", "textfile",
];
/// Words before them.
const STAND_IN_BEGINNINGS: [&str; 6] = ["your_", "your-", "my_", "my-", "the_", "your"];
/// Endings of files that have whatever name their owner gave them, and first parts of such names that have a meaning for programs.
const ANY_NAMES: [&str; 30] = [
    "csv", "tsv", "txt", "log", "dat", "pdf", "doc", "docx", "odt", "xlsx", "tex", "vcf", "jpg", "jpeg",
    "png", "gif", "mp3", "mp4", "mkv", "wav", "flac", "iso", "sql", "zip", "tar", "tar.gz", "tgz", "tar.xz",
    "gz", "xz",
];
const OWN_NAMES: [&str; 5] = ["requirements", "robots", "cmakelists", "license", "syslog"];
/// Parts of names of packed archives.
const TARS: [&str; 4] = [".tar.", ".tgz", ".txz", ".tbz"];

/// Maximum number of `||` that are looked at.
const OTHERWISE_MAX: usize = 16;
/// Words of requests that know that there may be nothing.
const PERHAPS: [&str; 4] = ["if", "any", "whether", "unless"];

/// A word that names files to read.
struct Named<'l> {
    word: &'l Word,
    /// The folder in which the path begins.
    base: String,
    wants: Wants,
    /// What the tool adds to a missing name.
    endings: &'static [String],
    /// `true` if another path may take its place.
    is_free: bool,
    /// `true` for the words of a loop.
    is_looped: bool,
    /// `true` for a place where a search begins.
    is_start: bool,
    /// `true` if the file may be gone, and only another one of its name can be meant.
    is_exact: bool,
}

/// Returns what the line names and the directory lacks.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    // `ls *.log 2>/dev/null || echo none`: the line is ready for it. In a loop it is so for each name.
    let tests = |command: &SimpleCommand| matches!(command.name(), Some("test" | "[" | "[["));
    let is_ready = has_otherwise(case) || case.line.own().commands.iter().any(tests);
    let is_perhaps = case.has_word(&PERHAPS);
    let mut found: Vec<Contradiction> = named(case)
        .iter()
        .filter(|named| !is_ready || named.is_looped && !is_perhaps)
        .filter_map(|named| {
            let found = pattern(case, named).or_else(|| name(case, named));
            let found = found.or_else(|| whole_path(case, named))?;
            (!is_ready || !found.facts.is_empty()).then_some(found)
        })
        .collect();
    found.dedup_by(|one, other| one.mismatch.span == other.mismatch.span);
    found
}

/// Reports whether the line has `||` between commands.
fn has_otherwise(case: &Case<'_>) -> bool {
    let words = || case.line.parsed().commands.iter().flat_map(|command| &command.words);
    let places = case.line.text().match_indices("||");
    places.take(OTHERWISE_MAX).any(|(at, _)| !words().any(|word| word.span.contains(&at) && word.quoted))
}

/// Returns the words that name files to read.
fn named<'l>(case: &Case<'l>) -> Vec<Named<'l>> {
    let is_nushell = case.line.shell().is_nushell();
    let calls = case.calls.iter().filter(|call| !is_nushell || call.name == "open");
    let mut named: Vec<Named<'l>> =
        calls.filter(|call| !is_silent(call.command)).flat_map(|call| of_call(case, call)).collect();
    if is_nushell {
        return named;
    }
    for command in case.dirs.steps.iter().map(|step| step.command) {
        // `<name>` is a placeholder.
        let is_whole = |word: &Word| {
            case.line.text().get(word.span.end..).is_some_and(|behind| !behind.starts_with('>'))
        };
        let inputs = command.redirections.iter().filter(|it| it.operator == "<" && !is_silent(command));
        let inputs: Vec<&Word> =
            inputs.filter_map(|it| it.target.as_ref().filter(|word| is_whole(word))).collect();
        let Some(base) = case.dirs.before(command).filter(|_| !inputs.is_empty()) else { continue };
        named.extend(inputs.into_iter().map(|word| Named {
            word,
            base: base.clone(),
            wants: Wants::File,
            endings: &[],
            is_free: true,
            is_looped: false,
            is_start: false,
            is_exact: false,
        }));
    }
    for found in Loop::all(case) {
        named.extend(found.names.iter().map(|word| Named {
            word,
            base: found.base.clone(),
            wants: found.wants,
            endings: &[],
            is_free: found.is_free,
            is_looped: true,
            is_start: false,
            is_exact: false,
        }));
    }
    named
}

/// Returns the words of a call that name files to read.
fn of_call<'l>(case: &Case<'l>, call: &Call<'l>) -> Vec<Named<'l>> {
    // A symbolic link begins where it lies.
    let lies_elsewhere = links::folder(case, call).is_some_and(|folder| !folder.is_empty());
    let sources = if lies_elsewhere { &[] } else { call.sources().0 };
    let named = |word: &&'l Word, wants: Wants| Named {
        word,
        base: call.base.clone(),
        wants,
        endings: &call.tool.endings,
        is_free: true,
        is_looped: false,
        is_start: call.name == "find",
        is_exact: call.tool.behind_dashes,
    };
    // The shell searches a bare name along PATH.
    let is_bare = |word: &Word| matches!(call.name, "source" | ".") && !word.text.contains(['/', '.']);
    let sources = sources.iter().filter(|word| !is_bare(word)).map(|word| named(word, call.tool.wants));
    sources.chain(call.inputs.iter().map(|word| named(word, Wants::File))).collect()
}

/// Reports whether the errors of a command are thrown away.
fn is_silent(command: &SimpleCommand) -> bool {
    let target = |it: &Redirection| it.target.as_ref().is_some_and(|target| target.text == "/dev/null");
    command.redirections.iter().any(|it| it.descriptor == Some(2) && target(it))
}

/// Compares a pattern that the shell expands.
fn pattern(case: &Case<'_>, named: &Named<'_>) -> Option<Contradiction> {
    let word = named.word;
    let raw = case.line.text().get(word.span.clone())?;
    let is_plain =
        word.glob && !word.quoted && raw == word.text && !raw.contains(OTHER) && !raw.contains("**");
    let path = relative_path(raw).filter(|_| is_plain)?;
    let (folder, form) = path.rsplit_once('/').unwrap_or(("", path));
    if folder.contains(['*', '?', '[']) {
        return None;
    }
    let names = case.names(&named.base);
    let is_listed = names.is_listed(folder) || names.is_missing(folder);
    let fits = |kind: NameKind| kind == NameKind::Folder || !raw.ends_with('/');
    // `page.pdf[0]` is a part of a file for some tools.
    let is_part = path.rsplit_once('[').is_some_and(|(file, _)| names.kind(file).is_some());
    if !is_listed || is_part {
        return None;
    }
    if names.within(folder).any(|(name, kind)| fits(kind) && matches(form, name)) {
        return other_capitals(case, named, (folder, form));
    }
    let has_letters = form.contains(char::is_alphanumeric) && !raw.ends_with('/');
    let places = if has_letters { places(names, form) } else { Vec::new() };
    let other = other_form(case, names, folder, form).filter(|_| has_letters);
    let is_about_here = folder.is_empty() && case.has_word(&HERE);
    let is_inside = names.is_missing(folder)
        && named.base.is_empty()
        && !case.request.contains('/')
        && folder == case.here.name
        && names.within("").any(|(name, kind)| fits(kind) && matches(form, name));
    let facts = match other {
        Some(ref other) => format!("`{other}` does"),
        None if is_inside => format!("`{form}` does"),
        None => told(&places),
    };
    let is_said = is_said(case, form);
    let edit = match (other, places.as_slice()) {
        (Some(other), _) => Some(joined(folder, &other)),
        _ if is_inside => Some(form.to_owned()),
        (None, [(place, _)]) if is_said && !is_about_here && names.is_whole() => {
            Some(format!("{}/{form}", quoted(place)?))
        }
        _ => None,
    };
    let edit = edit.filter(|_| named.is_free).map(|new| (word.span.clone(), new));
    let text = format!("nothing {} matches `{raw}`", place(&named.base));
    let is_absent = (is_said || !has_letters) && facts.is_empty();
    let subject = if is_absent { Subject::Absence } else { Subject::Names };
    // Files are changed elsewhere only if all of them are meant, and lie in one folder beside this one.
    let is_near = places.iter().all(|(place, _)| !place.contains('/') && !FOREIGN.contains(place));
    let are_all = case.has_word(&["all", "every", "each"]) && !case.has_word(&["root", "top", "toplevel"]);
    match is_inside || are_all && is_near {
        true => Some(case.retarget(subject, word.span.clone(), (text, facts), edit)),
        false => Some(case.contradiction(subject, word.span.clone(), (text, facts), edit)),
    }
}

/// Compares a pattern that leaves out files whose ending has other capitals: `*.jpg` and IMG_1.JPG.
fn other_capitals(case: &Case<'_>, named: &Named<'_>, (folder, form): (&str, &str)) -> Option<Contradiction> {
    let names = case.names(&named.base);
    let is_other = |name: &str| endings::is_other_capitals(form, name);
    let mut others = names.within(folder).filter(|(name, kind)| *kind == NameKind::File && is_other(name));
    let (first, _) = others.next().filter(|_| endings::may_have_other_capitals(case, form))?;
    let count = 1 + others.count();
    let span = named.word.span.clone();
    let raw = case.line.text().get(span.clone())?;
    let other = form.to_uppercase();
    // In a loop the ending may be cut off again.
    let takes_all = matches(&other, first)
        && count == names.within(folder).filter(|(name, _)| matches(&other, name)).count();
    let edit = (takes_all && named.is_free && !named.is_looped)
        .then(|| (span.clone(), format!("{raw} {}", joined(folder, &other))));
    let is_said_twice = case.line.text().contains(&other);
    let text = format!("`{raw}` leaves out endings in other capitals");
    let facts = format!("`{other}` takes {count} more");
    (!is_said_twice).then(|| case.contradiction(Subject::Names, span, (text, facts), edit))
}

/// Returns the words for the place where a path begins.
fn place(base: &str) -> String {
    if base.is_empty() { "here".to_owned() } else { format!("in `{base}`") }
}

/// Characters that make a pattern more than one of names.
const OTHER: [char; 9] = ['{', '}', '$', '`', '(', ')', '~', '^', '#'];

/// Returns the other form of a pattern that matches here: another case of its letters, or `*.log` for `log*`.
fn other_form(case: &Case<'_>, names: &Names, folder: &str, form: &str) -> Option<String> {
    let is_there =
        |form: &str| names.within(folder).any(|(name, kind)| kind == NameKind::File && matches(form, name));
    let stem =
        form.strip_suffix('*').filter(|stem| !stem.is_empty() && stem.chars().all(char::is_alphanumeric));
    if let Some(stem) = stem {
        let turned = format!("*.{stem}");
        return (is_there(&turned) && is_said(case, &turned)).then_some(turned);
    }
    let cases = [form.to_uppercase(), form.to_lowercase()];
    let mut there = cases.into_iter().filter(|other| other != form && is_there(other));
    there.next().filter(|_| there.next().is_none())
}

/// Returns the directories that have files of this form, with their number.
fn places<'n>(names: &'n Names, form: &str) -> Vec<(&'n str, usize)> {
    let mut places: Vec<(&str, usize)> = Vec::new();
    for (folder, name, kind) in names.all() {
        if kind != NameKind::File || folder.is_empty() || !matches(form, name) {
            continue;
        }
        match places.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, count)) => *count += 1,
            None => places.push((folder, 1)),
        }
    }
    places
}

/// Returns the words for places with their number of files.
pub(super) fn told(places: &[(&str, usize)]) -> String {
    let told = places.iter().take(PLACES_MAX).map(|(place, count)| format!("{}/ has {count}", shown(place)));
    told.collect::<Vec<_>>().join(", ")
}

/// Compares a whole path. Models write `/var/log/syslog` for the `syslog` that lies here.
fn whole_path(case: &Case<'_>, named: &Named<'_>) -> Option<Contradiction> {
    let path = case.line.text().get(named.word.span.clone())?;
    let (_, name) = path.rsplit_once('/').filter(|_| case.here.missing.contains(path))?;
    let names = &case.here.names;
    let is_same = |(folder, other, kind): &(&str, &str, NameKind)| {
        *other == name && *kind == NameKind::File && (folder.is_empty() || names.is_whole())
    };
    let mut same: Vec<(&str, &str, NameKind)> = names.all().filter(is_same).collect();
    if let Some(beside) = same.iter().find(|(folder, ..)| folder.is_empty()).copied() {
        same = vec![beside];
    }
    let text = format!("there is no `{path}`");
    let span = named.word.span.clone();
    let is_meant =
        named.is_free && named.base.is_empty() && is_said(case, name) && !case.request.contains(path);
    match same.as_slice() {
        [(folder, ..)] if is_meant => {
            let here = joined(folder, name);
            let edit = quoted(&here).map(|new| (span.clone(), new));
            Some(case.contradiction(
                Subject::Names,
                span,
                (text, format!("there is `{}`", shown(&here))),
                edit,
            ))
        }
        _ => Some(case.contradiction(Subject::Absence, span, (text, String::new()), None)),
    }
}

/// Compares a name without patterns.
fn name(case: &Case<'_>, named: &Named<'_>) -> Option<Contradiction> {
    let word = named.word;
    let path = relative(word).filter(|path| !path.contains(['*', '?', '[', '$', '%']))?;
    let names = case.names(&named.base);
    let is_there = |ending: &String| names.kind(&format!("{path}{ending}")).is_some();
    let is_gone =
        || case.has_word(&["deleted", "removed", "renamed", "moved", "old", "former", "gone", "lost"]);
    if !names.is_missing(path) || named.endings.iter().any(is_there) || named.is_exact && is_gone() {
        return None;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let outside = outside(case, &named.base, path);
    // A file that git is asked about may be gone: only another one of this very name is meant.
    let found = match outside.is_empty() {
        true if named.is_exact => {
            let files = names.all().filter(|(_, other, kind)| *kind == NameKind::File && *other == name);
            files.map(|(above, other, _)| joined(above, other)).collect()
        }
        true => candidates(names, folder, name, named.wants, case.has_word(&[&name.to_lowercase()])),
        false => outside,
    };
    let found = match found.is_empty() && !named.is_exact {
        true => only_meant(case, names, folder, name, named.wants),
        false => found,
    };
    let facts = match found.as_slice() {
        [] => String::new(),
        some => {
            let some: Vec<String> =
                some.iter().take(PLACES_MAX).map(|path| format!("`{}`", shown(path))).collect();
            format!("there is {}", some.join(", "))
        }
    };
    let edit = match found.as_slice() {
        [one] if named.is_free => quoted(one).map(|new| (word.span.clone(), new)),
        [] if is_users(case, name) => return None,
        // "list videos" is about files, not about a folder of that name.
        [] if named.is_start && is_noun(case, path) => Some((word.span.clone(), ".".to_owned())),
        _ => None,
    };
    let text = format!("there is no `{path}` {}", place(&named.base));
    Some(case.contradiction(Subject::Names, word.span.clone(), (text, facts), edit))
}

/// Returns the files that a name may stand for which models write for one they do not know, such as `data.json` or, for "the
/// orders of May", `orders.csv`: those with its ending beside it, or else below. A request that has the name means it, and
/// `package.json` has a meaning of its own.
fn only_meant(case: &Case<'_>, names: &Names, folder: &str, name: &str, wants: Wants) -> Vec<String> {
    let lower = name.to_lowercase();
    let (stem, ending) =
        lower.split_once('.').map_or((lower.as_str(), None), |(stem, end)| (stem, Some(end)));
    let has_any_name = ending.is_some_and(|ending| ANY_NAMES.contains(&ending)) && !OWN_NAMES.contains(&stem);
    let is_made_up = has_any_name || is_stand_in(stem) || is_made_of_words(case, stem);
    // "report 2024.txt" has the name inside of a longer one.
    let is_typed = case.request.to_lowercase().contains(&lower);
    if wants != Wants::File || !is_made_up || is_typed || case.has_word(&[&lower]) {
        return Vec::new();
    }
    let related = related(names, folder, stem, ending);
    if related.len() == 1 {
        return related;
    }
    let fits = |other: &str, kind: NameKind| {
        let other_lower = other.to_lowercase();
        // tar finds out by itself how an archive is packed.
        let is_packed = ending == Some("tar") && TARS.iter().any(|mark| other_lower.contains(mark));
        let has_ending =
            |ending| is_packed || other_lower.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.'));
        kind == NameKind::File && !other.starts_with('.') && ending.is_none_or(has_ending)
    };
    let beside: Vec<String> = names
        .within(folder)
        .filter(|(other, kind)| fits(other, *kind))
        .map(|(other, _)| joined(folder, other))
        .collect();
    if !beside.is_empty() || ending.is_none() || !names.is_whole() || case.has_word(&HERE) {
        return beside;
    }
    let below = names.all().filter(|(_, other, kind)| fits(other, *kind));
    below.map(|(above, other, _)| joined(above, other)).collect()
}

/// Endings of texts that people write for themselves.
const NOTES: [&str; 6] = ["txt", "text", "md", "markdown", "org", "rst"];

/// Returns the files beside a missing one that have nearly its name: texts of the same noun (`todo.md` for `todos.txt`), and longer names of
/// several words (`shopping list.txt` for `shopping.txt`).
fn related(names: &Names, folder: &str, stem: &str, ending: Option<&str>) -> Vec<String> {
    let is_related = |other: &str| {
        let other = other.to_lowercase();
        let Some((own, end)) = other.rsplit_once('.') else { return false };
        let is_longer = ending == Some(end) && own.split(' ').next().is_some_and(|it| is_same_noun(it, stem));
        let is_text = NOTES.contains(&end) && ending.is_some_and(|ending| NOTES.contains(&ending));
        NEAR_CHARS_MIN <= stem.chars().count() && (is_longer || is_text && is_same_noun(own, stem))
    };
    let files = names.within(folder).filter(|(other, kind)| *kind == NameKind::File && is_related(other));
    files.map(|(other, _)| joined(folder, other)).collect()
}

/// Reports whether the first part of a name is one that models write for a name they do not know: `file`, `my_data`, `input2`.
fn is_stand_in(stem: &str) -> bool {
    let stem = STAND_IN_BEGINNINGS.iter().find_map(|begin| stem.strip_prefix(begin)).unwrap_or(stem);
    STAND_INS.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-')))
}

/// Reports whether a name consists of words of the request.
fn is_made_of_words(case: &Case<'_>, stem: &str) -> bool {
    let is_said =
        |part: &str| case.tokens.iter().any(|token| !token.quoted && is_same_noun(&token.lower, part));
    let mut parts = stem.split(['_', '-']).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| STEM_CHARS_MIN < part.chars().count() && is_said(part))
}

/// Returns the path that is meant in a folder that the line enters, if the word names one from a folder above.
fn outside(case: &Case<'_>, base: &str, path: &str) -> Vec<String> {
    if let Some(inside) = path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/'))
        && case.here.names.kind(path).is_some()
    {
        return vec![inside.to_owned()];
    }
    let mut up = String::new();
    let mut above = Some(base).filter(|base| !base.is_empty());
    while let Some(folder) = above {
        let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        up.push_str("../");
        if case.here.names.kind(&joined(parent, path)).is_some() {
            return vec![format!("{up}{path}")];
        }
        above = Some(parent).filter(|parent| !parent.is_empty());
    }
    Vec::new()
}

/// Reports whether the user wrote a name as one: it has a dot or a quote, or is named as a place.
fn is_users(case: &Case<'_>, name: &str) -> bool {
    case.tokens.iter().enumerate().any(|(at, token)| {
        let is_same = token.text.trim_end_matches('/').rsplit('/').next() == Some(name);
        let near = |at: Option<usize>, words: &[&str]| {
            at.and_then(|at| case.tokens.get(at)).is_some_and(|token| words.contains(&token.lower.as_str()))
        };
        is_same
            && (token.quoted
                || name.contains('.')
                || token.text.contains('/')
                || near(at.checked_sub(1), &PLACE)
                || near(Some(at + 1), &FOLDER))
    })
}

/// Reports whether a path is a plain word of the request, such as a kind of file.
fn is_noun(case: &Case<'_>, path: &str) -> bool {
    let path = path.trim_end_matches('/');
    path.chars().all(char::is_alphanumeric) && case.has_word(&[&path.to_lowercase()])
}

/// Directories of files that others write.
const FOREIGN: [&str; 8] = ["vendor", "third_party", "dist", "build", "target", "out", "venv", "lib"];
/// Words behind the name of a directory.
const FOLDER: [&str; 3] = ["folder", "directory", "dir"];
/// Words before the name of a directory.
const PLACE: [&str; 12] =
    ["in", "inside", "into", "to", "below", "under", "from", "within", "folder", "directory", "dir", "of"];

/// Returns the paths that may be meant by a missing one: near names beside it, the same name with another ending, or the same
/// name in another directory. A name that the request has (`is_said`) may have another ending even if folders are wanted too.
fn candidates(names: &Names, folder: &str, name: &str, wants: Wants, is_said: bool) -> Vec<String> {
    let fits = |kind: NameKind| match wants {
        Wants::File => kind == NameKind::File,
        Wants::Folder => kind == NameKind::Folder,
        _ => kind != NameKind::Other,
    };
    let beside = || names.within(folder).filter(|(_, kind)| fits(*kind)).map(|(name, _)| name);
    let paths = |found: Vec<&str>| found.into_iter().map(|name| joined(folder, name)).collect::<Vec<_>>();
    let lower = name.to_lowercase();
    let other_case: Vec<&str> = beside().filter(|other| other.to_lowercase() == lower).collect();
    let is_long = NEAR_CHARS_MIN <= name.rsplit_once('.').map_or(name, |(stem, _)| stem).chars().count();
    let near: Vec<&str> = beside().filter(|other| is_long && literal::is_similar(other, name)).collect();
    for found in [other_case, near] {
        if !found.is_empty() {
            return paths(found);
        }
    }
    let elsewhere = |is_it: &dyn Fn(&str) -> bool| -> Vec<String> {
        let found =
            names.all().filter(|(above, other, kind)| *above != folder && fits(*kind) && is_it(other));
        found.map(|(above, name, _)| joined(above, name)).collect()
    };
    let is_file_name = name.contains('.') && wants != Wants::Folder;
    let exact = if is_file_name { elsewhere(&|other| other == name) } else { Vec::new() };
    if !exact.is_empty() {
        return exact;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    let has_stem = |other: &str| {
        let Some((other_stem, ending)) = other.rsplit_once('.') else { return false };
        let is_same = other_stem.to_lowercase() == stem && STEM_CHARS_MIN < stem.chars().count();
        is_same && !COPIES.contains(&ending)
    };
    let may_end_otherwise = wants == Wants::File || is_said && wants == Wants::Any;
    let same_stem: Vec<&str> = beside().filter(|other| may_end_otherwise && has_stem(other)).collect();
    match same_stem.is_empty() {
        false => paths(same_stem),
        true if is_file_name => elsewhere(&|other| other.to_lowercase() == lower),
        true if is_said && may_end_otherwise => elsewhere(&has_stem),
        true => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::here::{Here, NameKind, Names, adapt};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn files_behind_dashes_are_looked_up_for_git() {
        let mut names = Names::default();
        names.add("src".to_owned(), NameKind::Folder);
        names.add("src/app.js".to_owned(), NameKind::File);
        names.add_listed(String::new());
        names.add_listed("src".to_owned());
        let here = Here { names: Arc::new(names), is_repository: Some(true), ..Here::default() };
        for (line, expected) in [
            ("git log -1 -- app.js", Some("git log -1 -- src/app.js")),
            ("git log -1 -- src/app.js", None),
            ("git log topic", None),
            ("git diff HEAD~1 -- gone.js", None),
        ] {
            let adapted = adapt("who changed app.js last", &ParsedLine::new(line, Shell::Bash), &here);
            assert_eq!(adapted.map(|adapted| adapted.line).as_deref(), expected, "{line}");
        }
    }
}
