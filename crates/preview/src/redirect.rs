//! Files that redirections write.

use std::path::Path;

use super::overlay::Overlay;
use super::tree::{Kind, Node};
use super::{Foreseen, unforeseen};

/// Evaluates a redirection of output to the file `name`. Returns `false` if it fails.
pub(crate) fn write(name: &Path, operator: &str, files: &mut Overlay<'_>) -> Foreseen<bool> {
    let path = files.target(name)?;
    let appends = operator.contains(">>");
    match files.node(&path).map(|node| node.kind) {
        Some(Kind::Directory) => {
            files.fail(name, "it is a directory");
            return Ok(false);
        }
        // `/dev/null`, a terminal, a pipe.
        Some(Kind::Other) => return Ok(true),
        Some(Kind::File) if operator.ends_with('?') => {
            files.fail(name, "it exists");
            return Ok(false);
        }
        Some(Kind::File) if appends => files.edit(path)?,
        Some(Kind::Link(_)) => return unforeseen(format!("{} leads to itself", name.display())),
        _ if !is_in_directory(&path, files) => {
            files.fail(name, "there is no such directory");
            return Ok(false);
        }
        _ => files.make(path, Node::new(Kind::File, 0, true))?,
    }
    Ok(true)
}

/// Reports whether the parent of a path is a directory.
pub(crate) fn is_in_directory(path: &Path, files: &Overlay<'_>) -> bool {
    path.parent().and_then(|parent| files.node(parent)).is_some_and(|node| node.is_directory())
}
