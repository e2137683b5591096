//! What a line would change on this machine, before it runs: the files as the evaluation in `askline_preview` sees them.
//! Read-only and bounded in time and names; starts no program.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::shell_facts::ShellFacts;
use askline_host::{FileEntry, Host};
use askline_manual::userland::Userland;
use askline_preview::{Effect, Kind, Node, Tree, Unforeseen};
use askline_syntax::ParsedLine;

/// Time limit for one line.
const PATIENCE: Duration = Duration::from_millis(150);
/// Maximum number of names that are read for one line.
const NAMES_MAX: usize = 50_000;

/// Remark about a line that would change nothing.
const NO_EFFECT: &str = "no file matches now, so it changes nothing";

/// The effect of a line, and the sentences that tell it, the worst first.
#[derive(Debug)]
pub struct Preview {
    /// What the line would change.
    pub effect: Effect,
    /// The same in words.
    pub sentences: Vec<String>,
}

/// Returns what a line would change. `userland` is the family of the machine's common tools.
///
/// # Errors
/// The first thing that is not known.
pub fn preview(
    line: &ParsedLine,
    facts: &ShellFacts,
    userland: Userland,
    host: &dyn Host,
) -> Result<Preview, Unforeseen> {
    if let Some(definition) = facts.own_definition(line) {
        return Err(Unforeseen(definition));
    }
    if !matches!(userland, Userland::Gnu) && !line.shell().is_nushell() {
        return Err(Unforeseen(
            "only GNU's programs are evaluated so far, and this machine has others".to_owned(),
        ));
    }
    let files = Files { host, seen: Cell::new(0), until: Instant::now() + PATIENCE };
    let effect = askline_preview::preview(line, &files)?;
    let sentences = effect.sentences();
    Ok(Preview { effect, sentences })
}

/// Returns the remark about a line that is made to change files and would change none now; `None` if it changes one, or if
/// its effect is not known.
pub fn no_effect(
    line: &ParsedLine,
    facts: &ShellFacts,
    userland: Userland,
    host: &dyn Host,
) -> Option<&'static str> {
    let Preview { effect, .. } = preview(line, facts, userland, host).ok()?;
    // What fails is told where the missing name is.
    (effect.is_nothing() && effect.failures.is_empty()).then_some(NO_EFFECT)
}

/// The files of the machine.
struct Files<'h> {
    host: &'h dyn Host,
    seen: Cell<usize>,
    until: Instant,
}

impl Tree for Files<'_> {
    fn node(&self, path: &Path) -> Option<Node> {
        if let Some(target) = self.host.link_target(path) {
            let size = target.as_os_str().len() as u64;
            return Some(Node::new(Kind::Link(target), size, false));
        }
        let FileEntry { is_file, is_directory, writable, size, modified, .. } = self.host.entry(path)?;
        let kind = match () {
            () if is_directory => Kind::Directory,
            () if is_file => Kind::File,
            () => Kind::Other,
        };
        let nanoseconds = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        let age = SystemTime::now()
            .duration_since(modified)
            .map_or_else(|future| -nanoseconds(future.duration()), nanoseconds);
        Some(Node::new(kind, size, writable).aged(age))
    }

    fn list(&self, directory: &Path) -> Option<Vec<OsString>> {
        let names = self.host.list(directory).ok()?;
        self.seen.set(self.seen.get() + names.len());
        Some(names)
    }

    fn current_dir(&self) -> Option<PathBuf> {
        self.host.real_path(&self.host.current_dir()?).ok()
    }

    fn home(&self) -> Option<PathBuf> {
        self.host.env("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
    }

    fn is_exhausted(&self) -> bool {
        self.seen.get() > NAMES_MAX || Instant::now() > self.until
    }
}
