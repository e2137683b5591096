//! Levels of a command, such as `git` and `git log`: their manual pages, and the help texts that the program prints.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::kept::{self, CacheKey, Record, Stamp};
use super::pages::{self, Manuals, Search, is_passing};
use super::program::ResolvedProgram;
use super::{Knowledge, MEMORY_MAX, PROBE_BUDGET, eligible, held, text_of};
use askline_host::{Host, Level, Probe, Spelling};
use askline_manual as manual;
use askline_manual::{Manual, OptionStyle};

/// Number of options below which a page is not considered complete.
const FEW_OPTIONS: usize = 5;

/// Maximum number of levels that are looked up for one line; real lines have a dozen. Of further ones nothing is known.
const LOOKUPS_MAX: usize = 48;

/// Maximum size in bytes of a program that is searched for the words `--help`.
const PROGRAM_LIMIT: u64 = 64 << 20;

/// Facts about one level of a command.
#[derive(Debug, Clone)]
pub(super) struct Looked {
    pub(super) record: Record,
    /// Documented facts, with the manual overrides applied.
    pub(super) manual: Option<Arc<Manual>>,
    /// `true` if the cache does not contain it yet.
    pub(super) changed: bool,
    /// `true` if the search was cut short, so its result is no fact and must not be cached.
    pub(super) partial: bool,
}

#[derive(Deserialize)]
struct HelpTable {
    program: BTreeMap<String, Spelling>,
    subcommand: BTreeMap<String, Spelling>,
    paged: Paged,
}

#[derive(Deserialize)]
struct Paged {
    names: BTreeSet<String>,
}

static HELP: LazyLock<HelpTable> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("help.toml")).expect("the table is TOML of this form")
});

impl Knowledge {
    /// Returns the levels that the words lead to, starting with the program itself: never empty. The last level may
    /// have no documentation except its name.
    pub(super) fn levels(&self, program: &ResolvedProgram, words: &[String]) -> Vec<Arc<Looked>> {
        let mut levels = vec![self.level(program, &[], true)];
        let words: Vec<&str> = words.iter().map(String::as_str).take(Level::WORDS_MAX).collect();
        for n_words in 1..=words.len() {
            let Some((path, Some(word))) = words.get(..n_words).map(|path| (path, path.last())) else {
                break;
            };
            let above = levels.last().and_then(|looked| looked.manual.as_deref());
            let lists = |manual: &Manual| manual.subcommands.iter().any(|known| known.name == *word);
            let named = above.is_some_and(lists)
                || (program.is_multi_call()
                    && n_words == 1
                    && program.goes_by_own_name()
                    && !eligible::is_never(word));
            let silent =
                |manual: &Manual| manual.subcommands.is_empty() && manual.style == OptionStyle::Subcommands;
            let paged = HELP.paged.names.contains(&program.name) || above.is_some_and(silent);
            if Level::new(path).is_none() || !(named || paged) {
                break;
            }
            let looked = self.level(program, path, named);
            if !named && looked.manual.is_none() {
                break;
            }
            levels.push(looked);
        }
        levels
    }

    /// Returns the facts about a level. `named` is `true` if the level surely exists; only then the program may be
    /// asked about it.
    pub(super) fn level(&self, program: &ResolvedProgram, words: &[&str], named: bool) -> Arc<Looked> {
        let key = CacheKey::new(&program.key_path(), &program.real_path, program.trusted, words);
        if let Some(looked) = held(&self.levels).get(&key) {
            return Arc::clone(looked);
        }
        let stamp = Stamp::of(&program.real_path, &program.file);
        // Levels in the cache count too, so what is known of a line does not depend on it.
        if LOOKUPS_MAX <= self.n_lookups.fetch_add(1, Ordering::Relaxed) {
            let record = Record::new(stamp);
            return Arc::new(Looked { record, manual: None, changed: false, partial: true });
        }
        let recalled =
            self.cache.as_ref().and_then(|cache| kept::recall(self.host.as_ref(), cache, &key, &stamp));
        let is_believed =
            |record: &Record| record.page.as_ref().is_none_or(|page| self.is_believed(page.path()));
        let mut looked = match recalled.filter(is_believed) {
            Some(record) => Looked { record, manual: None, changed: false, partial: false },
            None => self.look_up(program, words, stamp),
        };
        if named && has_few(&looked.record) {
            self.add_help(program, words, &mut looked);
        }
        // Arbitrary words after `git` are not worth a cache file.
        looked.changed &= named || looked.record.page_manual.is_some();
        looked.manual = self.completed(program, words, documented(&looked.record));
        let looked = Arc::new(looked);
        self.insert(key, Arc::clone(&looked));
        looked
    }

    fn insert(&self, key: CacheKey, looked: Arc<Looked>) {
        let mut levels = held(&self.levels);
        if levels.len() < MEMORY_MAX || levels.contains_key(&key) {
            levels.insert(key, looked);
        }
    }

    /// Stores new facts about a level that was looked up before.
    pub(super) fn hold(&self, program: &ResolvedProgram, words: &[&str], looked: &mut Looked) {
        looked.changed = true;
        let key = CacheKey::new(&program.key_path(), &program.real_path, program.trusted, words);
        self.insert(key, Arc::new(looked.clone()));
    }

    /// Reads the man page of a level.
    fn look_up(&self, program: &ResolvedProgram, words: &[&str], stamp: Stamp) -> Looked {
        let mut record = Record::new(stamp);
        let mut search = Search::new(self.host.as_ref(), |file| self.is_believed(file));
        if let Some(page) = self.page(&mut search, program, words) {
            record.page = self.host.entry(&page.file).map(|entry| Stamp::of(&page.file, &entry));
            record.page_says_help = page.text.contains("-help");
            record.page_manual = Some(Arc::new(manual::page(&page.text)));
        }
        let mut partial = search.was_cut_short();
        if words.is_empty() && program.trusted && eligible::in_system(&program.real_path) {
            let names_help = says_help(self.host.as_ref(), &program.real_path);
            record.says_help = record.page_says_help || *names_help.as_ref().unwrap_or(&false);
            partial |= names_help.is_err_and(|error| is_passing(&error));
        }
        Looked { record, manual: None, changed: true, partial }
    }

    fn page<B: Fn(&Path) -> bool>(
        &self,
        search: &mut Search<'_, B>,
        program: &ResolvedProgram,
        words: &[&str],
    ) -> Option<pages::Page> {
        let manuals = self.manuals.get_or_init(|| Manuals::of(self.host.as_ref()));
        // The page of `ls` does not describe BusyBox's `ls`, nor one that anyone could have put there.
        if !program.trusted || (program.is_multi_call() && !(program.goes_by_own_name() && words.is_empty()))
        {
            return None;
        }
        if program.is_builtin {
            let own = program.real_path.parent()?.parent()?.join("share/fish/man");
            return manuals
                .find(search, &program.name, &program.real_path, &[&own])
                .filter(|page| page.file.starts_with(&own));
        }
        let name = [&[program.name.as_str()], words].concat().join("-");
        let real_name =
            || Some(program.real_path.file_name()?.to_str()?.to_owned()).filter(|_| words.is_empty());
        let mut find = |name: &str| {
            let found = manuals.find(search, name, &program.real_path, &[]);
            found.or_else(|| manuals.find(search, name, &program.path, &[]))
        };
        find(&name).or_else(|| find(&real_name().filter(|real| *real != name)?))
    }

    /// Asks the program about a level, unless this was already done or is not allowed.
    pub(super) fn add_help(&self, program: &ResolvedProgram, words: &[&str], looked: &mut Looked) {
        let may_be_asked = || match words {
            [] => self.is_eligible(program, &looked.record),
            _ => self.is_eligible(program, &self.level(program, &[], true).record),
        };
        if looked.record.help_was_read || PROBE_BUDGET <= self.spent() || !may_be_asked() {
            return;
        }
        let table = if words.is_empty() { &HELP.program } else { &HELP.subcommand };
        let spelling = table.get(&program.name).copied().unwrap_or_default();
        let Some(level) = Level::new(words) else { return };
        // Without an answer nothing is known: a program that hangs is remembered elsewhere, another cause may pass.
        let Some(output) = self.ask(&program.path, &Probe::Help { level, spelling }) else { return };
        looked.record.help_was_read = true;
        looked.changed = true;
        let help = manual::help(&text_of(&output));
        let says = !(help.options.is_empty() && help.subcommands.is_empty() && help.mentioned.is_empty());
        looked.record.help_manual = says.then(|| Arc::new(help));
    }

    /// Returns everything that is documented about a level: the page, and the help text if the program was asked.
    pub(super) fn all_documented(
        &self,
        program: &ResolvedProgram,
        words: &[&str],
        record: &Record,
    ) -> Option<Arc<Manual>> {
        self.completed(program, words, united(record))
    }
}

/// Returns the documented facts about a level: the page; with few options on it, the help text too. So they do not
/// depend on what the program was asked before.
fn documented(record: &Record) -> Option<Arc<Manual>> {
    if has_few(record) { united(record) } else { record.page_manual.clone() }
}

fn has_few(record: &Record) -> bool {
    record.page_manual.as_ref().is_none_or(|manual| manual.options.len() < FEW_OPTIONS)
}

fn united(record: &Record) -> Option<Arc<Manual>> {
    match (record.page_manual.clone(), record.help_manual.clone()) {
        (Some(page), Some(help)) => {
            Some(Arc::new(manual::unite(Arc::unwrap_or_clone(page), Arc::unwrap_or_clone(help))))
        }
        (page, help) => page.or(help),
    }
}

fn says_help(host: &dyn Host, program: &Path) -> anyhow::Result<bool> {
    let bytes = host.read(program, PROGRAM_LIMIT)?;
    let is_program = bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"#!");
    Ok(is_program && memchr::memmem::find(&bytes, b"-help").is_some())
}
