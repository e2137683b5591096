//! Nushell's documentation of its own commands: read from the program once and cached for a day while the program
//! file is unchanged. Inside Nushell the user's definitions are added, read anew each time.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Knowledge;
use super::kept::{self, CacheKey, Stamp};
use askline_host::{OUTPUT_LIMIT, Probe, seconds_since_1970};
use askline_manual::catalogue::Catalogue;

/// Kind and format version in the header line of the file.
const KIND: (&str, u32) = ("nushell-commands", 2);

/// Words that no command level has, to give the file a unique name.
const WORDS: [&str; 1] = ["scope commands"];

/// The command documentation and its cache entry.
#[derive(Debug)]
pub(super) struct Own {
    catalogue: Arc<Catalogue>,
    /// Entry that is not in the cache yet.
    fresh: Option<(CacheKey, Record)>,
}

/// Contents of the cache entry.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// Program file, links resolved.
    program: Stamp,
    /// Time of the query, in seconds since 1970.
    written_s: u64,
    /// Output of the program.
    rows: String,
}

impl Own {
    /// Returns `self` if it is not in the cache yet.
    pub(super) fn to_keep(&self) -> Option<&Self> {
        self.fresh.is_some().then_some(self)
    }

    /// Writes the cache entry.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(super) fn keep(&self, cache: &Path) -> anyhow::Result<()> {
        let Some((key, record)) = &self.fresh else { return Ok(()) };
        kept::write(cache, key, KIND, record)
    }
}

impl Knowledge {
    /// Returns Nushell's commands as it documents them; `None` for other shells or if Nushell cannot be asked. The
    /// first call takes as long as a start of Nushell, later ones no time.
    pub fn commands(&self) -> Option<Arc<Catalogue>> {
        if !self.environment.shell.is_nushell() {
            return None;
        }
        let own = self.commands.get_or_init(|| self.own_commands().map(Arc::new)).as_ref()?;
        (!own.catalogue.is_empty()).then(|| own.catalogue.clone())
    }

    /// Like [`Self::commands`], with the user's own definitions if the user's running Nushell can be asked.
    pub fn all_commands(&self) -> Option<Arc<Catalogue>> {
        let own = self.commands()?;
        let with_all = || {
            let output = self.host.own_shell(&Probe::Commands)?;
            Some(Arc::new(own.with(&String::from_utf8_lossy(&output.stdout))))
        };
        self.all_commands.get_or_init(with_all).clone().or(Some(own))
    }

    fn own_commands(&self) -> Option<Own> {
        let program = self.startable_shell()?;
        let stamp = Stamp::of(&program.real_path, &program.file);
        let key = CacheKey::new(&program.key_path(), &program.real_path, program.trusted, &WORDS);
        let known = self.cache.as_ref().and_then(|cache| kept::read::<Record>(cache, &key, KIND));
        let is_fresh = |record: &Record| {
            let is_found = !record.rows.is_empty();
            record.program == stamp && kept::is_recent(record.written_s, is_found, SystemTime::now())
        };
        let (rows, fresh) = match known.filter(is_fresh) {
            Some(record) => (record.rows, None),
            None => {
                // This does not count against the time limit for a line's lookups, because it happens once a day.
                let output = self.start(&program.real_path, &Probe::Commands)?;
                // Truncated or failed output is not a complete list. The failure itself is cached too, for a shorter
                // time.
                let whole =
                    Some(output).filter(|output| output.success && output.stdout.len() < OUTPUT_LIMIT);
                let rows = whole
                    .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
                    .unwrap_or_default();
                let written_s = seconds_since_1970(SystemTime::now());
                (rows.clone(), Some((key, Record { program: stamp, written_s, rows })))
            }
        };
        Some(Own { catalogue: Arc::new(Catalogue::read(&rows)), fresh })
    }
}
