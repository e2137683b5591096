//! What Nushell says of all its own commands: asked of the program once, kept for a day as long as it is the same file; inside
//! Nushell with what its user defined, which is asked anew.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Knowledge;
use super::kept::{self, Key, Stamp};
use crate::catalogue::Catalogue;
use crate::host::{OUTPUT_LIMIT, Probe};
use crate::shell::Shell;
use crate::store;

/// Kind and version in the first line of the file.
const KIND: (&str, u32) = ("nushell-commands", 1);

/// What the words of a level never are, so that the file has a name of its own.
const WORDS: [&str; 1] = ["scope commands"];

/// The commands, and how they are kept.
#[derive(Debug)]
pub(super) struct Own {
    catalogue: Arc<Catalogue>,
    /// What the cache doesn't hold yet.
    fresh: Option<(Key, Record)>,
}

/// What is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The program, links followed.
    program: Stamp,
    /// When it was asked, seconds since 1970.
    written_s: u64,
    /// What it printed.
    rows: String,
}

impl Own {
    /// This, if it is still to be kept.
    pub(super) fn to_keep(&self) -> Option<&Self> {
        self.fresh.is_some().then_some(self)
    }

    /// Keeps it. It waits for the disk.
    ///
    /// # Errors
    /// When the cache can't be written.
    pub(super) fn keep(&self, cache: &Path) -> anyhow::Result<()> {
        let Some((key, record)) = &self.fresh else { return Ok(()) };
        store::write_versioned(&key.file(cache), KIND.0, KIND.1, &postcard::to_allocvec(record)?)
    }
}

impl Knowledge {
    /// The commands of Nushell as it documents them; none for other shells and where it can't be asked. The first time takes as
    /// long as Nushell takes to start; later ones nothing.
    pub fn commands(&self) -> Option<Arc<Catalogue>> {
        if self.context.shell != Shell::Nu {
            return None;
        }
        let own = self.commands.get_or_init(|| self.own_commands().map(Arc::new)).as_ref()?;
        (!own.catalogue.is_empty()).then(|| own.catalogue.clone())
    }

    /// The same with what the user defined, where the very shell that asks can tell: inside Nushell.
    pub fn all_commands(&self) -> Option<Arc<Catalogue>> {
        let own = self.commands()?;
        let with_all = || {
            let told = self.host.own_shell(&Probe::Commands)?;
            Some(Arc::new(own.with(&String::from_utf8_lossy(&told.stdout))))
        };
        self.all_commands.get_or_init(with_all).clone().or(Some(own))
    }

    fn own_commands(&self) -> Option<Own> {
        let program = self.startable_shell()?;
        let stamp = Stamp::of(&program.real_path, &program.file);
        let key = Key::new(&program.key_path(), &program.real_path, program.trusted, &WORDS);
        let known = self.cache.as_ref().and_then(|cache| recall(cache, &key, &stamp));
        let (rows, fresh) = match known {
            Some(rows) => (rows, None),
            None => {
                // Not out of the time there is for looking up the commands of a line: this is done once a day.
                let output = self.host.probe(&program.real_path, &Probe::Commands);
                let output = output.inspect_err(|error| tracing::debug!("no commands: {error:#}")).ok();
                // What was cut or broken off is no list of all; that there was none is kept, too, for a while.
                let whole = output.filter(|output| output.success && output.stdout.len() < OUTPUT_LIMIT);
                let rows = whole
                    .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
                    .unwrap_or_default();
                let written_s = kept::seconds(SystemTime::now());
                (rows.clone(), Some((key, Record { program: stamp, written_s, rows })))
            }
        };
        Some(Own { catalogue: Arc::new(Catalogue::read(&rows)), fresh })
    }
}

/// What is kept under a name, if it is still true of `program`.
fn recall(cache: &Path, key: &Key, program: &Stamp) -> Option<String> {
    let body = store::read_versioned(&key.file(cache), KIND.0, KIND.1, kept::FILE_LIMIT).ok().flatten()?;
    let record: Record = postcard::from_bytes(&body).ok()?;
    // One written in the future is from before the clock was set.
    let age = kept::seconds(SystemTime::now()).checked_sub(record.written_s)?;
    let lasts = if record.rows.is_empty() { kept::MISSED_FOR } else { kept::FOUND_FOR };
    (age <= lasts.as_secs() && record.program == *program).then_some(record.rows)
}
