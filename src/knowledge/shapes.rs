//! What Nushell's `open` makes of files: their first bytes are read when a line names them, and kept in mind.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{Knowledge, held};
use crate::shape::{HEAD_BYTES_MAX, Shape};
use crate::shell::Shell;

/// Files that are read for one press.
const FILES_MAX: usize = 8;

/// What was found of each file; none where nothing is known.
pub(super) type Shapes = HashMap<PathBuf, Option<Arc<Shape>>>;

impl Knowledge {
    /// The shape of a file that is named from the working directory, or stands below it; none for any other and where it can't
    /// be read.
    pub(super) fn file_shape(&self, path: &str) -> Option<Arc<Shape>> {
        let file = self
            .whole_path(path)
            .filter(|file| self.context.shell == Shell::Nu && self.is_near(path, file))?;
        let mut shapes = held(&self.shapes);
        if let Some(known) = shapes.get(&file) {
            return known.clone();
        }
        if FILES_MAX <= shapes.len() {
            return None;
        }
        let shape = self.read_shape(path, &file);
        shapes.insert(file, shape.clone());
        shape
    }

    fn is_near(&self, path: &str, file: &Path) -> bool {
        let is_straight = !file.components().any(|part| part == Component::ParentDir);
        let is_below = self.context.current_dir.as_ref().is_some_and(|here| file.starts_with(here));
        !path.starts_with(['/', '~']) || is_straight && is_below
    }

    fn read_shape(&self, path: &str, file: &Path) -> Option<Arc<Shape>> {
        // A pipe would be waited for, a device may do anything.
        let entry = self.host.entry(file).filter(|entry| entry.is_file)?;
        let head = self.host.head(file, HEAD_BYTES_MAX as u64);
        let head = head.inspect_err(|error| tracing::debug!("no shape: {error:#}")).ok()?;
        let is_whole = head.len() as u64 == entry.size;
        Some(Arc::new(Shape::of(path, &head, is_whole)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Help;
    use crate::context::{self, Machine};
    use crate::host::recorded::RecordedHost;
    use crate::reference::Reference as _;

    fn knowledge(shell: Shell) -> Knowledge {
        let files: String = (0..20).map(|n| format!("\"/home/ada/work/{n}.csv\" = \"a\\n1\\n\"\n")).collect();
        let long = format!("\"/home/ada/work/long.csv\" = \"a\\n{}\"\n", "1\\n".repeat(HEAD_BYTES_MAX));
        let recording = format!(
            "current_dir = \"/home/ada/work\"\ndirectories = [\"/home/ada/work/sub.csv\"]\n[system]\nos = \"linux\"\nrelease = \"6\"\n\
             machine = \"x86_64\"\n[env]\nHOME = \"/home/ada\"\n[files]\n\"/home/ada/notes.csv\" = \"b\\n1\\n\"\n{files}{long}"
        );
        let host = RecordedHost::parse(Path::new("machine.toml"), &recording).unwrap();
        let machine = Machine::new(Arc::new(host), None);
        let context = context::gather(&machine, shell, &[]);
        Knowledge::new(&machine, &context, &[], Help::Never)
    }

    #[test]
    fn files_that_a_line_may_name_are_read() {
        for (path, expected) in [
            ("1.csv", true),
            ("./1.csv", true),
            ("../notes.csv", true),
            ("/home/ada/work/2.csv", true),
            ("~/work/2.csv", true),
            ("long.csv", true),
            ("~/notes.csv", false),
            ("/home/ada/work/../notes.csv", false),
            ("sub.csv", false),
            ("missing.csv", false),
            ("", false),
            ("a\0b", false),
        ] {
            assert_eq!(knowledge(Shell::Nu).shape(path).is_some(), expected, "{path:?}");
            assert!(knowledge(Shell::Bash).shape(path).is_none(), "{path:?}");
        }
    }

    #[test]
    fn only_so_many_are() {
        let knowledge = knowledge(Shell::Nu);
        let all = |knowledge: &Knowledge| {
            (0..20).filter(|n| knowledge.shape(&format!("{n}.csv")).is_some()).count()
        };
        assert_eq!(all(&knowledge), FILES_MAX);
        assert_eq!(all(&knowledge), FILES_MAX, "those that were read are known");
    }
}
