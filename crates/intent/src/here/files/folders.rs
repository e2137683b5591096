//! Folders taken for files and files for folders, and targets that do not exist.

use crate::here::call::Call;
use crate::here::names::{NameKind, Names};
use crate::here::path::relative;
use crate::here::{Case, Contradiction, Subject};
use crate::parts::parts;
use crate::tool::Wants;
use askline_syntax::options::Part;
use askline_syntax::{Nesting, SimpleCommand, Word};

/// Beginnings of words that ask for something new.
const MAKES: [&str; 4] = ["mak", "creat", "new", "mkdir"];

/// Returns each word that names the other kind of file, and each target that is missing.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for call in &case.calls {
        let (sources, target) = call.sources();
        found.extend(sources.iter().find_map(|word| other_kind(case, call, word)));
        found.extend(target.and_then(|target| missing_target(case, call, sources, target)));
        found.extend(missing_place(case, call));
    }
    for command in case.dirs.steps.iter().map(|step| step.command) {
        found.extend(missing_directory(case, command));
        found.extend(command.redirections.iter().find_map(|redirection| {
            let is_output = redirection.operator.starts_with(['>', '&']);
            let target = redirection.target.as_ref().filter(|_| is_output)?;
            missing_parent(case, case.names(&case.dirs.before(command)?), target)
        }));
    }
    found
}

/// Compares the kind of an operand with the kind that the tool takes.
fn other_kind(case: &Case<'_>, call: &Call<'_>, word: &Word) -> Option<Contradiction> {
    let path = relative(word)?;
    let kind = case.names(&call.base).kind(path)?;
    let (is, takes) = match (call.tool.wants, kind) {
        (Wants::File, NameKind::Folder) if !call.is_deep() => ("folder", "files"),
        (Wants::Copy, NameKind::Folder) if !call.tool.deep.is_empty() && !call.is_deep() => {
            ("folder", "files")
        }
        (Wants::Folder, NameKind::File) => ("file", "folders"),
        _ => return None,
    };
    let shown = if path.is_empty() { "." } else { path };
    let text = match call.tool.deep.first() {
        Some(deep) => format!("`{shown}` is a folder; `{}` needs {deep} for it", call.name),
        None => format!("`{shown}` is a {is}; `{}` takes {takes}", call.name),
    };
    let at = call.command.words.first()?.span.end;
    let is_new = call.name == "cp" && copies_to_new(case, call, path);
    let is_mended = matches!(call.name, "grep" | "egrep" | "fgrep" | "zip") || is_new;
    let edit = is_mended.then(|| (at..at, " -r".to_owned()));
    let mut found = case.contradiction(Subject::Names, word.span.clone(), (text, String::new()), edit);
    found.copies_folder = is_new && found.mismatch.edit.is_some();
    Some(found)
}

/// Reports whether a folder would be copied to a place where nothing has its name.
fn copies_to_new(case: &Case<'_>, call: &Call<'_>, path: &str) -> bool {
    let names = case.names(&call.base);
    let Some(target) = call.sources().1.and_then(relative) else { return false };
    let name = path.rsplit('/').next().unwrap_or(path);
    match names.kind(target) {
        Some(NameKind::Folder) if target.is_empty() => names.is_missing(name),
        Some(NameKind::Folder) => names.is_missing(&format!("{target}/{name}")),
        Some(_) => false,
        None => names.is_missing(target),
    }
}

/// Compares the target of a copy or move that must be a folder.
fn missing_target(
    case: &Case<'_>,
    call: &Call<'_>,
    sources: &[&Word],
    target: &Word,
) -> Option<Contradiction> {
    let names = case.names(&call.base);
    let path = relative(target)?;
    let is_folder = 1 < sources.len() || target.text.ends_with('/') || sources.iter().any(|word| word.glob);
    let is_file = names.kind(path) == Some(NameKind::File);
    // A folder may be renamed with a slash at the end.
    let renames =
        sources.iter().all(|word| relative(word).and_then(|path| names.kind(path)) == Some(NameKind::Folder));
    let makes_it = call.name == "rsync";
    if !is_folder || renames || makes_it || !(is_file || names.is_missing(path)) {
        return None;
    }
    let text = match is_file {
        true => format!("`{path}` is a file; this needs a folder"),
        false => format!("there is no folder `{path}` here"),
    };
    let mut found = case.contradiction(Subject::Absence, target.span.clone(), (text, String::new()), None);
    let asks = case.tokens.iter().any(|token| MAKES.iter().any(|stem| token.lower.starts_with(stem)));
    if !is_file && asks && is_whole_line(case, call.command) {
        // The new folder changes nothing in what the line does with the files; without it they would lie in a file or nowhere.
        made_first(case, &mut found, case.line.text().get(target.span.clone())?);
    }
    Some(found)
}

/// Compares the folder of `tar -x -C FOLDER`: tar does not make it.
fn missing_place(case: &Case<'_>, call: &Call<'_>) -> Option<Contradiction> {
    let unpacks = call.name.ends_with("tar") && call.has(&["-x", "--extract", "--get"]);
    let given = call.options.iter().find(|given| matches!(given.name.as_ref(), "-C" | "--directory"));
    let value = given.filter(|_| unpacks)?.value?;
    let word = call.command.words.get(value.word).filter(|_| value.from == 0)?;
    let path = relative(word)?;
    if !case.names(&call.base).is_missing(path) {
        return None;
    }
    let text = format!("there is no folder `{path}` here");
    let mut found = case.contradiction(Subject::Absence, word.span.clone(), (text, String::new()), None);
    if is_whole_line(case, call.command) {
        made_first(case, &mut found, case.line.text().get(word.span.clone())?);
    }
    Some(found)
}

/// Compares the folder of `mv -t FOLDER`, also where `find` or `xargs` runs it: they don't make it.
fn missing_directory(case: &Case<'_>, command: &SimpleCommand) -> Option<Contradiction> {
    if !matches!(command.name()?, "cp" | "mv") || !is_one_pipe(case) {
        return None;
    }
    let given = parts(command)?.into_iter().find_map(|part| match part {
        Part::Option(given) if matches!(given.name.as_ref(), "-t" | "--target-directory") => given.value,
        _ => None,
    })?;
    let word = command.words.get(given.word).filter(|_| given.from == 0)?;
    let raw = case.line.text().get(word.span.clone())?;
    if case.here.missing.contains(raw) {
        let text = format!("there is no folder `{raw}`");
        let mut found = case.contradiction(Subject::Absence, word.span.clone(), (text, String::new()), None);
        if case.request.contains(raw) {
            made_first(case, &mut found, raw);
        }
        return Some(found);
    }
    let path = relative(word)?;
    if !case.names("").is_missing(path) {
        return None;
    }
    let text = format!("there is no folder `{path}` here");
    let mut found = case.contradiction(Subject::Absence, word.span.clone(), (text, String::new()), None);
    // `.mp3` is the ending of a new name.
    if !path.starts_with('.') && case.has_word(&[&path.trim_end_matches('/').to_lowercase()]) {
        made_first(case, &mut found, case.line.text().get(word.span.clone())?);
    }
    Some(found)
}

/// Reports whether the line is one command or pipe, without a shell of its own.
fn is_one_pipe(case: &Case<'_>) -> bool {
    let commands = &case.line.parsed().commands;
    let runs =
        |it: &Nesting| matches!(it, Nesting::Wrapper(name) if matches!(name.as_str(), "find" | "xargs"));
    let first = commands.first().map(|it| it.pipeline);
    commands.iter().all(|command| Some(command.pipeline) == first && command.within.iter().all(runs))
}

/// Adds the edit that makes the folder before the line.
fn made_first(case: &Case<'_>, found: &mut Contradiction, folder: &str) {
    let new = format!("mkdir -p {} && ", folder.trim_end_matches('/'));
    case.mend(found, 0..0, new);
}

/// Reports whether the line is one command.
fn is_whole_line(case: &Case<'_>, command: &SimpleCommand) -> bool {
    matches!(case.line.own().commands.as_slice(), [only] if only.span == command.span)
}

/// Compares the folder of an output file.
fn missing_parent(case: &Case<'_>, names: &Names, target: &Word) -> Option<Contradiction> {
    let path = relative(target)?;
    let (folder, _) = path.rsplit_once('/')?;
    let is_missing = names.is_missing(folder);
    let text = format!("there is no folder `{folder}` here");
    is_missing.then(|| case.contradiction(Subject::Absence, target.span.clone(), (text, String::new()), None))
}
