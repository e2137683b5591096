//! File schemas as seen by Nushell's `open`: reads the first bytes of each file that a line names, and remembers the
//! result.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Knowledge, held, reads};
use askline_check::file_schema::{FileSchema, HEAD_BYTES_MAX};
use askline_host::Host;

/// Maximum number of files that are read per key press.
const FILES_MAX: usize = 8;
/// Time limit for one file, which may be on an unreachable server. After one timeout no more files are read, so this
/// also bounds the total wait of a key press.
const PATIENCE: Duration = Duration::from_millis(100);

/// Schemas found for one key press.
#[derive(Default)]
pub(super) struct Schemas {
    /// Schema of each file; `None` if unknown.
    known: HashMap<PathBuf, Option<Arc<FileSchema>>>,
    is_late: bool,
}

impl Knowledge {
    /// Returns the schema of a file below the working directory; `None` for any other file and if it cannot be read.
    pub(super) fn file_schema(&self, path: &str) -> Option<Arc<FileSchema>> {
        // Nushell resolves `..` textually, and `...` as several levels, without regard to links.
        let is_up = |part: &str| 2 <= part.len() && part.bytes().all(|byte| byte == b'.');
        if !self.environment.shell.is_nushell() || path.split('/').any(is_up) {
            return None;
        }
        let (file, current_dir) = (self.whole_path(path)?, self.environment.current_dir.clone()?);
        {
            let schemas = held(&self.schemas);
            if let Some(known) = schemas.known.get(&file) {
                return known.clone();
            }
            if FILES_MAX <= schemas.known.len() || schemas.is_late {
                return None;
            }
        }
        let (host, asked) = (Arc::clone(&self.host), file.clone());
        let read = move || head(&*host, &asked, &current_dir, HEAD_BYTES_MAX as u64);
        let head = reads::in_time(PATIENCE, read);
        let is_late = head.is_none();
        let schema = head.flatten().map(|head| Arc::new(FileSchema::of(path, &head.bytes, head.is_whole)));
        let mut schemas = held(&self.schemas);
        schemas.is_late |= is_late;
        schemas.known.insert(file, schema.clone());
        schema
    }
}

/// The first bytes of a file.
pub(super) struct Head {
    pub(super) bytes: Vec<u8>,
    pub(super) is_whole: bool,
}

/// Reads at most `most` bytes of a file that is really below a directory. Files of size 0 are not read, because special system files, which
/// block until data arrives, look like that.
pub(super) fn head(host: &dyn Host, file: &Path, current_dir: &Path, most: u64) -> Option<Head> {
    let (real, current_dir) = (host.real_path(file).ok()?, host.real_path(current_dir).ok()?);
    if !real.starts_with(current_dir) {
        return None;
    }
    let entry = host.entry(&real).filter(|entry| entry.is_file && 0 < entry.size)?;
    let bytes = host.head(&real, most);
    let bytes = bytes.inspect_err(|error| tracing::debug!("no file schema: {error:#}")).ok()?;
    Some(Head { is_whole: bytes.len() as u64 == entry.size, bytes })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::config::Help;
    use crate::environment::{self, Machine};
    use crate::shell_facts::ShellFacts;
    use askline_check::reference::Reference as _;
    use askline_host::recorded::RecordedHost;
    use askline_host::{FileEntry, Output, Probe, System};
    use askline_syntax::shell::Shell;

    fn host() -> RecordedHost {
        let files: String = (0..20).map(|n| format!("\"/home/ada/work/{n}.csv\" = \"a\\n1\\n\"\n")).collect();
        let long = format!("\"/home/ada/work/long.csv\" = \"a\\n{}\"\n", "1\\n".repeat(HEAD_BYTES_MAX));
        let recording = format!(
            "current_dir = \"/home/ada/work\"\ndirectories = [\"/home/ada/work/sub.csv\"]\n[system]\nos = \"linux\"\nrelease = \"6\"\n\
             machine = \"x86_64\"\n[env]\nHOME = \"/home/ada\"\n[files]\n\"/home/ada/notes.csv\" = \"b\\n1\\n\"\n{files}{long}\
             \"/home/ada/work/none.log\" = \"\"\n[links]\n\"/home/ada/work/out.csv\" = \"../notes.csv\"\n\
             \"/home/ada/work/in.csv\" = \"1.csv\"\n\"/home/ada/work/far\" = \"/home/ada\"\n\"/home/ada/short\" = \"work\"\n"
        );
        RecordedHost::parse(Path::new("machine.toml"), &recording).unwrap()
    }

    fn knowledge(shell: Shell) -> Knowledge {
        knowing(Arc::new(host()), shell)
    }

    fn knowing(host: Arc<dyn Host>, shell: Shell) -> Knowledge {
        let machine = Machine::new(host, None);
        let environment = environment::gather(&machine, shell, &ShellFacts::default());
        Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never)
    }

    #[test]
    fn files_that_a_line_may_name_are_read() {
        for (path, expected) in [
            ("1.csv", true),
            ("./1.csv", true),
            ("in.csv", true),
            ("/home/ada/short/2.csv", true),
            ("../notes.csv", false),
            ("../work/1.csv", false),
            ("sub.csv/../1.csv", false),
            (".../1.csv", false),
            ("out.csv", false),
            ("far/notes.csv", false),
            ("none.log", false),
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
            assert_eq!(knowledge(Shell::Nu).schema(path).is_some(), expected, "{path:?}");
            assert!(knowledge(Shell::Bash).schema(path).is_none(), "{path:?}");
        }
    }

    /// A machine with a file whose read blocks.
    struct Stuck(RecordedHost);

    impl Host for Stuck {
        fn head(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
            if path.ends_with("1.csv") {
                thread::sleep(Duration::from_secs(20));
            }
            self.0.head(path, limit)
        }

        fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
            self.0.probe(program, probe)
        }

        fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
            self.0.read(path, limit)
        }

        fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>> {
            self.0.list(directory)
        }

        fn entry(&self, path: &Path) -> Option<FileEntry> {
            self.0.entry(path)
        }

        fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
            self.0.real_path(path)
        }

        fn env(&self, name: &str) -> Option<OsString> {
            self.0.env(name)
        }

        fn current_dir(&self) -> Option<PathBuf> {
            self.0.current_dir()
        }

        fn system(&self) -> System {
            self.0.system()
        }

        fn free_space(&self, path: &Path) -> Option<u64> {
            self.0.free_space(path)
        }
    }

    #[test]
    fn a_file_that_does_not_come_is_not_waited_for() {
        let knowledge = knowing(Arc::new(Stuck(host())), Shell::Nu);
        let begun = Instant::now();
        assert!(knowledge.schema("2.csv").is_some());
        assert!(knowledge.schema("1.csv").is_none());
        assert!(knowledge.schema("3.csv").is_none(), "where one is late another may be");
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert!(knowledge.schema("2.csv").is_some(), "those that were read are known");
    }

    #[test]
    fn only_so_many_are() {
        let knowledge = knowledge(Shell::Nu);
        let all = |knowledge: &Knowledge| {
            (0..20).filter(|n| knowledge.schema(&format!("{n}.csv")).is_some()).count()
        };
        assert_eq!(all(&knowledge), FILES_MAX);
        assert_eq!(all(&knowledge), FILES_MAX, "those that were read are known");
    }
}
