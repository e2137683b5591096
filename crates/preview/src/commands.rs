//! What each command does to the files. A failure of one name does not stop the command, as in the programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::arguments::{Arguments, not_evaluated};
use super::expand::Argument;
use super::overlay::{Overlay, shown};
use super::redirect::{self, is_in_directory};
use super::tree::{Kind, Node};
use super::{Foreseen, unforeseen};

/// Programs with an evaluation.
const EVALUATED: [&str; 15] = [
    "rm", "rmdir", "mkdir", "touch", "mv", "cp", "ln", "tee", "truncate", "chmod", "chown", "chgrp", "gzip",
    "gunzip", "sed",
];
/// Commands of Nushell with an evaluation.
const EVALUATED_IN_NUSHELL: [&str; 5] = ["rm", "mv", "cp", "mkdir", "touch"];

/// Reports whether a command has an evaluation. `is_own` if Nushell runs a command of its own.
pub(crate) fn is_evaluated(name: &str, is_own: bool) -> bool {
    if is_own { EVALUATED_IN_NUSHELL.contains(&name) } else { EVALUATED.contains(&name) }
}

/// Evaluates a command. Returns whether it succeeds; `None` if that is not known.
pub(crate) fn run(
    name: &str,
    arguments: &Arguments,
    is_own: bool,
    files: &mut Overlay<'_>,
) -> Foreseen<Option<bool>> {
    let operands = &arguments.operands;
    let (failures, skipped) = (files.failures.len(), files.skipped);
    if operands.iter().any(|operand| operand.name == Path::new("-")) {
        return unforeseen("`-` may stand for input or output");
    }
    if operands.is_empty() && !matches!(name, "tee") {
        return unforeseen(format!("`{name}` has no operand"));
    }
    match name {
        "rm" => each(operands, files, |operand, files| remove(operand, arguments, is_own, files))?,
        "rmdir" => each(operands, files, |operand, files| remove_directory(&operand.name, files))?,
        "mkdir" => {
            let parents = is_own || arguments.has("parents");
            each(operands, files, |operand, files| make_directory(&operand.name, parents, files))?;
        }
        "touch" => each(operands, files, |operand, files| touch(operand, arguments, files))?,
        "mv" | "cp" | "ln" => transfer(name, arguments, files)?,
        "tee" => {
            let operator = if arguments.has("appends") { ">>" } else { ">" };
            each(operands, files, |operand, files| {
                redirect::write(&operand.name, operator, files).map(|_| ())
            })?;
        }
        "truncate" => each(operands, files, |operand, files| truncate(&operand.name, arguments, files))?,
        "chmod" | "chown" | "chgrp" => {
            let (_, names) = operands.split_first().unwrap_or((&operands[0], &[]));
            each(names, files, |operand, files| set_attributes(&operand.name, arguments, files))?;
        }
        "gzip" | "gunzip" => {
            each(operands, files, |operand, files| pack(&operand.name, name == "gzip", arguments, files))?;
        }
        "sed" => {
            let names = if arguments.value("script").is_some() { operands } else { &operands[1..] };
            each(names, files, |operand, files| edit(&operand.name, arguments, files))?;
        }
        name => return unforeseen(not_evaluated(name)),
    }
    let is_well = files.failures.len() == failures;
    // Versions differ in the status after a name that was left alone.
    Ok(if is_well && files.skipped != skipped { None } else { Some(is_well) })
}

fn each(
    operands: &[Argument],
    files: &mut Overlay<'_>,
    mut apply: impl FnMut(&Argument, &mut Overlay<'_>) -> Foreseen<()>,
) -> Foreseen<()> {
    operands
        .iter()
        .try_for_each(|operand| if is_no_directory(operand, files)? { Ok(()) } else { apply(operand, files) })
}

/// Reports whether a name ends with a slash and is no directory; then the command fails.
fn is_no_directory(operand: &Argument, files: &mut Overlay<'_>) -> Foreseen<bool> {
    let is_such = operand.wants_directory()
        && files.node(&files.target(&operand.name)?).is_some_and(|node| !node.is_directory());
    if is_such {
        files.fail(&operand.name, "it is no directory");
    }
    Ok(is_such)
}

/// Returns the last part of a name as it is written, without slashes behind it: `.` of `docs/.`.
fn last_part(name: &Path) -> &[u8] {
    let mut bytes = name.as_os_str().as_encoded_bytes();
    while let [rest @ .., b'/'] = bytes {
        bytes = rest;
    }
    bytes.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

const MISSING: &str = "there is no such file";

fn remove(operand: &Argument, arguments: &Arguments, is_own: bool, files: &mut Overlay<'_>) -> Foreseen<()> {
    let name = &operand.name;
    let path = files.resolve(name)?;
    let Some(node) = files.node(&path) else {
        if !arguments.has("force") {
            files.fail(name, MISSING);
        }
        return Ok(());
    };
    if operand.wants_directory() && matches!(node.kind, Kind::Link(_)) {
        return unforeseen(format!(
            "{} is a link, and the slash behind it may mean its target",
            name.display()
        ));
    }
    if path == Path::new("/") || matches!(last_part(name), b"." | b"..") {
        files.fail(name, "rm refuses to remove it");
        return Ok(());
    }
    if files.cwd().starts_with(&path) {
        return unforeseen("the working directory would be removed");
    }
    if node.is_directory() && !arguments.has("recursive") {
        let may_be_empty = is_own || arguments.has("directory");
        let is_empty = may_be_empty && files.list(&path)?.is_empty();
        if !is_empty {
            files.fail(name, "it is a directory");
            return Ok(());
        }
    }
    for (path, _) in files.walk(&path)? {
        files.remove(path)?;
    }
    Ok(())
}

/// Evaluates `find -delete` of one name.
pub(crate) fn delete(name: &Path, files: &mut Overlay<'_>) -> Foreseen<()> {
    let path = files.resolve(name)?;
    if files.cwd() == path {
        return Ok(());
    }
    match files.node(&path) {
        Some(node) if node.is_directory() && !files.list(&path)?.is_empty() => {
            files.fail(name, "it is not empty")
        }
        _ => files.remove(path)?,
    }
    Ok(())
}

fn remove_directory(name: &Path, files: &mut Overlay<'_>) -> Foreseen<()> {
    let path = files.resolve(name)?;
    match files.node(&path) {
        None => files.fail(name, "there is no such directory"),
        Some(node) if !node.is_directory() => files.fail(name, "it is no directory"),
        Some(_) if !files.list(&path)?.is_empty() => files.fail(name, "it is not empty"),
        Some(_) => files.remove(path)?,
    }
    Ok(())
}

fn make_directory(name: &Path, parents: bool, files: &mut Overlay<'_>) -> Foreseen<()> {
    let path = files.target(name)?;
    let directory = || Node::new(Kind::Directory, 0, true);
    match files.node(&path) {
        Some(node) if parents && node.is_directory() => return Ok(()),
        Some(_) => {
            files.fail(name, "it exists");
            return Ok(());
        }
        None => {}
    }
    let above: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_owned).collect();
    let existing = above.iter().find_map(|path| files.node(path).map(|node| (path.clone(), node)));
    match existing {
        Some((_, node)) if !node.is_directory() => files.fail(name, "a file has the name of its directory"),
        Some((top, _)) if !parents && path.parent() != Some(&top) => {
            files.fail(name, "there is no such directory");
        }
        Some((top, _)) => {
            for missing in above.into_iter().take_while(|path| *path != top) {
                files.make(missing, directory())?;
            }
            files.make(path, directory())?;
        }
        None => return unforeseen("the root directory is not known"),
    }
    Ok(())
}

fn touch(operand: &Argument, arguments: &Arguments, files: &mut Overlay<'_>) -> Foreseen<()> {
    let path = files.target(&operand.name)?;
    match files.node(&path) {
        Some(_) => files.touch(path),
        None if arguments.has("never_creates") => Ok(()),
        None if operand.wants_directory() || !is_in_directory(&path, files) => {
            files.fail(&operand.name, "there is no such directory");
            Ok(())
        }
        None => files.make(path, Node::new(Kind::File, 0, true)),
    }
}

fn truncate(name: &Path, arguments: &Arguments, files: &mut Overlay<'_>) -> Foreseen<()> {
    if arguments.value("size").is_none() {
        return unforeseen("`truncate` has no size");
    }
    let path = files.target(name)?;
    match files.node(&path).map(|node| node.kind) {
        Some(Kind::File) => files.edit(path),
        None if arguments.has("never_creates") => Ok(()),
        None if is_in_directory(&path, files) => files.make(path, Node::new(Kind::File, 0, true)),
        _ => {
            files.fail(name, "it is no file");
            Ok(())
        }
    }
}

fn set_attributes(name: &Path, arguments: &Arguments, files: &mut Overlay<'_>) -> Foreseen<()> {
    let path = files.target(name)?;
    if files.node(&path).is_none() {
        files.fail(name, MISSING);
        return Ok(());
    }
    if !arguments.has("recursive") {
        return files.touch(path);
    }
    for (path, node) in files.walk(&path)? {
        if !matches!(node.kind, Kind::Link(_)) {
            files.touch(path)?;
        }
    }
    Ok(())
}

/// Evaluates `sed -i`: the file is written anew, and the old one kept if a suffix is given.
fn edit(name: &Path, arguments: &Arguments, files: &mut Overlay<'_>) -> Foreseen<()> {
    let path = files.resolve(name)?;
    match files.node(&path) {
        None => files.fail(name, MISSING),
        Some(Node { kind: Kind::File, .. }) => {
            if let Some(suffix) = arguments.value("in_place").filter(|suffix| !suffix.is_empty()) {
                if suffix.contains(['*', '/']) {
                    return unforeseen(format!("where `sed -i{suffix}` keeps the old file is not evaluated"));
                }
                files.make(
                    PathBuf::from(format!("{}{suffix}", shown(&path))),
                    Node::new(Kind::File, 0, true),
                )?;
            }
            files.edit(path)?;
        }
        Some(_) => return unforeseen(format!("{} is no regular file", name.display())),
    }
    Ok(())
}

/// Evaluates `gzip` and `gunzip`.
fn pack(name: &Path, packs: bool, arguments: &Arguments, files: &mut Overlay<'_>) -> Foreseen<()> {
    let path = files.resolve(name)?;
    let text = shown(&path);
    let made = if packs { Some(format!("{text}.gz")) } else { text.strip_suffix(".gz").map(str::to_owned) };
    let Some(made) = made.map(PathBuf::from).filter(|_| !packs || !text.ends_with(".gz")) else {
        return unforeseen(format!("what becomes of the ending of {} is not evaluated", name.display()));
    };
    match files.node(&path) {
        None => files.fail(name, MISSING),
        Some(node) if node.kind != Kind::File => files.fail(name, "it is no file"),
        Some(_) if files.node(&made).is_some() => return unforeseen(format!("{} exists", shown(&made))),
        Some(_) => {
            files.make(made, Node::new(Kind::File, 0, true))?;
            if !arguments.has("keeps") {
                files.remove(path)?;
            }
        }
    }
    Ok(())
}

/// Evaluates `mv`, `cp` and `ln`: sources and one target.
fn transfer(name: &str, arguments: &Arguments, files: &mut Overlay<'_>) -> Foreseen<()> {
    let operands = arguments.operands.as_slice();
    let (sources, target) = match (arguments.value("into"), operands) {
        (Some(into), _) => (operands, PathBuf::from(into)),
        // `ln -s PATH` makes a link of the same name here.
        (None, [_]) if name == "ln" => (operands, PathBuf::from(".")),
        (None, [sources @ .., target]) if !sources.is_empty() => (sources, target.name.clone()),
        _ => return unforeseen(format!("`{name}` has no target")),
    };
    let target_text = target.as_os_str().as_encoded_bytes().ends_with(b"/");
    let place =
        if arguments.has("no_dereference") { files.resolve(&target)? } else { files.target(&target)? };
    let is_directory = files.node(&place).is_some_and(|node| node.is_directory());
    let into = is_directory && !arguments.has("whole");
    if !into && (sources.len() > 1 || arguments.value("into").is_some()) {
        files.fail(&target, "it is no directory");
        return Ok(());
    }
    let mut made = BTreeSet::new();
    for source in sources {
        let from = files.resolve(&source.name)?;
        if is_no_directory(source, files)? {
            continue;
        }
        let to = if into { place_in(&place, name, &source.name)? } else { files.resolve(&target)? };
        if name != "cp"
            && source.wants_directory()
            && matches!(files.node(&from), Some(Node { kind: Kind::Link(_), .. }))
        {
            return unforeseen(format!(
                "{} is a link, and the slash behind it may mean its target",
                source.name.display()
            ));
        }
        let is_new_directory = name != "ln" && files.node(&from).is_some_and(|node| node.is_directory());
        if target_text && !into && !is_new_directory {
            files.fail(&target, "there is no such directory");
            continue;
        }
        if !made.insert(to.clone()) {
            return unforeseen(format!("several sources have the name {}", shown(&to)));
        }
        match name {
            "mv" => rename(&source.name, &from, &to, arguments, files)?,
            "ln" => link(&source.name, to, arguments, files)?,
            _ => copy_operand(source, &from, &to, arguments, files)?,
        }
    }
    Ok(())
}

/// Returns the name that a source gets in the target directory `place`.
fn place_in(place: &Path, command: &str, name: &Path) -> Foreseen<PathBuf> {
    match (last_part(name), name.file_name()) {
        // `cp -r src/. docs` copies the content of `src`.
        (b".", _) if command == "cp" => Ok(place.to_owned()),
        (b"." | b"..", _) | (_, None) => {
            unforeseen(format!("which name {} gets is not evaluated", name.display()))
        }
        (_, Some(last)) => Ok(place.join(last)),
    }
}

fn rename(
    name: &Path,
    from: &Path,
    to: &Path,
    arguments: &Arguments,
    files: &mut Overlay<'_>,
) -> Foreseen<()> {
    let Some(node) = files.node(from) else {
        files.fail(name, MISSING);
        return Ok(());
    };
    if from == to {
        files.fail(name, "source and target are the same");
        return Ok(());
    }
    if to.starts_with(from) {
        files.fail(name, "it cannot be moved into itself");
        return Ok(());
    }
    if !is_in_directory(to, files) {
        files.fail(to, "there is no such directory");
        return Ok(());
    }
    if let Some(there) = files.node(to) {
        if arguments.has("keeps") {
            files.skipped += 1;
            return Ok(());
        }
        let refusal = match (node.is_directory(), there.is_directory()) {
            (false, true) => Some("it is a directory"),
            (true, false) => Some("it is no directory"),
            (true, true) if !files.list(to)?.is_empty() => Some("it is not empty"),
            _ => None,
        };
        if let Some(why) = refusal {
            files.fail(to, why);
            return Ok(());
        }
        files.remove(to.to_owned())?;
    }
    let moved = files.walk(from)?;
    for (path, _) in moved.iter().rev() {
        files.remove(path.clone())?;
    }
    for (path, node) in moved {
        let rest = path.strip_prefix(from).unwrap_or(Path::new(""));
        let place = if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) };
        let source = node.source.clone().or(Some(path));
        files.make(place, Node { source, ..node })?;
    }
    Ok(())
}

fn copy_operand(
    source: &Argument,
    from: &Path,
    to: &Path,
    arguments: &Arguments,
    files: &mut Overlay<'_>,
) -> Foreseen<()> {
    let recursive = arguments.has("recursive") || arguments.has("archive");
    let from =
        if recursive && !source.wants_directory() { from.to_owned() } else { files.target(&source.name)? };
    let Some(node) = files.node(&from) else {
        files.fail(&source.name, MISSING);
        return Ok(());
    };
    if node.is_directory() && !recursive {
        files.fail(&source.name, "it is a directory, and -r is missing");
        return Ok(());
    }
    if node.is_directory() && to.starts_with(&from) {
        return unforeseen(format!("{} would be copied into itself", source.name.display()));
    }
    if !is_in_directory(to, files) {
        files.fail(to, "there is no such directory");
        return Ok(());
    }
    for (path, node) in files.walk(&from)? {
        let rest = path.strip_prefix(&from).unwrap_or(Path::new(""));
        let place = if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) };
        copy(&path, node, &place, arguments, files)?;
    }
    Ok(())
}

/// Copies one name.
fn copy(from: &Path, node: Node, to: &Path, arguments: &Arguments, files: &mut Overlay<'_>) -> Foreseen<()> {
    if node.kind == Kind::Other {
        return unforeseen(format!("{} is no regular file", shown(from)));
    }
    let is_link = matches!(node.kind, Kind::Link(_));
    if matches!(files.node(to), Some(Node { kind: Kind::Link(_), .. }))
        && files.node(&files.target(to)?).is_none()
    {
        return unforeseen(format!("{} is a link to nothing", shown(to)));
    }
    let to = if is_link { to.to_owned() } else { files.target(to)? };
    let fresh = |node: Node| Node { source: None, writable: true, ..node };
    match files.node(&to) {
        Some(_) if from == to => files.fail(from, "source and target are the same"),
        Some(there) if node.is_directory() && there.is_directory() => {}
        Some(_) if node.is_directory() => files.fail(&to, "it is no directory"),
        Some(there) if there.is_directory() => files.fail(&to, "it is a directory"),
        Some(_) if arguments.has("keeps") => files.skipped += 1,
        Some(_) if is_link => return unforeseen(format!("a link would replace {}", shown(&to))),
        Some(there) if there.kind != Kind::File => {
            return unforeseen(format!("{} is no regular file", shown(&to)));
        }
        Some(_) => files.make(to, fresh(node))?,
        None => files.make(to, fresh(node))?,
    }
    Ok(())
}

/// Evaluates `ln TARGET NAME`.
fn link(target: &Path, to: PathBuf, arguments: &Arguments, files: &mut Overlay<'_>) -> Foreseen<()> {
    let node = if arguments.has("symbolic") {
        Node::new(Kind::Link(target.to_owned()), 0, true)
    } else {
        match files.node(&files.resolve(target)?) {
            Some(node) if !node.is_directory() => node,
            Some(_) => {
                files.fail(target, "it is a directory");
                return Ok(());
            }
            None => {
                files.fail(target, MISSING);
                return Ok(());
            }
        }
    };
    match files.node(&to) {
        Some(there) if there.is_directory() => files.fail(&to, "it is a directory"),
        Some(_) if !arguments.has("force") => files.fail(&to, "it exists"),
        None if !is_in_directory(&to, files) => files.fail(&to, "there is no such directory"),
        _ => files.make(to, Node { source: None, ..node })?,
    }
    Ok(())
}
