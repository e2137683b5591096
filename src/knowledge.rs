//! Facts about the commands of this machine: the meaning of each name, and the options that man pages and help texts
//! document, for each level of subcommands.
//!
//! The man page is read first. The program itself is asked only if the page is too short or lacks an option, only if
//! it is a packaged program ([`eligible`]), and only in a sandbox. Results are cached for a day.

mod builtins;
mod commands;
mod eligible;
mod here;
mod hung;
mod kept;
mod level;
mod manual_overrides;
mod pages;
mod program;
mod reads;
mod reply;
mod schemas;
mod titles;
mod verdict;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use self::hung::HungPrograms;
use self::kept::CacheKey;
use self::level::Looked;
use self::pages::Manuals;
use self::program::ResolvedProgram;
pub use self::verdict::SyntaxVerdict;
use crate::config::Help;
use crate::environment::{Environment, Machine};
use crate::shell_facts::ShellFacts;
use askline_check::file_schema::FileSchema;
use askline_check::git_refs::GitRefs;
use askline_check::reference::{CommandFacts, Reference};
use askline_host::local::Runaway;
use askline_host::owners::Owners;
use askline_host::{FileEntry, Host, Level, OUTPUT_LIMIT, OptionName, Output, Probe};
use askline_manual::Manual;
use askline_manual::catalogue::Catalogue;
use askline_manual::userland::Userland;

/// Time limit for asking programs about one line; the rest is looked up at the next request.
const PROBE_BUDGET: Duration = Duration::from_millis(1500);

/// Maximum length in bytes of a line that a shell is asked about.
const LINE_MAX: usize = 32 << 10;

/// Functions of fish that only call the program of the same name, with colours or a fallback.
const FISH_WRAPPERS: [&str; 6] = ["diff", "grep", "ls", "man", "realpath", "seq"];

/// Maximum size of the list of accounts, in bytes.
const ACCOUNTS_LIMIT: u64 = 4 << 20;

/// Maximum number of names in a directory that are compared with a misspelt one.
const NAMES_MAX: usize = 10_000;

/// Maximum number of levels and of verdicts in memory.
const MEMORY_MAX: usize = 512;

/// Facts about the commands of this machine, for lines of one shell. Safe to share between threads.
pub struct Knowledge {
    host: Arc<dyn Host>,
    cache: Option<PathBuf>,
    environment: Environment,
    home: Option<PathBuf>,
    owners: Owners,
    aliases: BTreeMap<String, String>,
    /// Global aliases of zsh, which are expanded anywhere in a line.
    global_aliases: BTreeMap<String, String>,
    functions: BTreeSet<String>,
    help: Help,
    manuals: OnceLock<Manuals>,
    levels: Mutex<HashMap<CacheKey, Arc<Looked>>>,
    verdicts: Mutex<HashMap<String, SyntaxVerdict>>,
    pieces: Mutex<HashMap<String, String>>,
    commands: OnceLock<Option<Arc<commands::Own>>>,
    all_commands: OnceLock<Option<Arc<Catalogue>>>,
    /// Number of levels looked up for the present line.
    n_lookups: AtomicUsize,
    /// Time spent on asking programs for the present line.
    spent: Mutex<Duration>,
    hung: OnceLock<Mutex<HungPrograms>>,
    schemas: Mutex<schemas::Schemas>,
    here: Mutex<here::Seen>,
    git_refs: OnceLock<Option<Arc<GitRefs>>>,
}

/// Returns the existing manual directories, best first.
pub fn manual_directories(host: &dyn Host) -> Vec<PathBuf> {
    Manuals::of(host).into_directories()
}

impl Knowledge {
    /// Creates the knowledge of `machine` for lines of the environment's shell. `facts` has the
    /// user's own names. Nothing is looked up yet.
    pub fn new(machine: &Machine, environment: &Environment, facts: &ShellFacts, help: Help) -> Self {
        Self {
            host: machine.host.clone(),
            cache: machine.cache.clone(),
            environment: environment.clone(),
            home: machine.host.env("HOME").map(PathBuf::from).filter(|home| home.is_absolute()),
            owners: Owners::of(machine.host.as_ref()),
            aliases: facts.aliases.iter().cloned().collect(),
            global_aliases: facts.global_aliases.iter().cloned().collect(),
            functions: facts
                .functions
                .iter()
                .filter(|name| !environment.shell.is_fish() || !FISH_WRAPPERS.contains(&name.as_str()))
                .cloned()
                .collect(),
            help,
            manuals: OnceLock::new(),
            levels: Mutex::default(),
            verdicts: Mutex::default(),
            pieces: Mutex::default(),
            commands: OnceLock::new(),
            all_commands: OnceLock::new(),
            n_lookups: AtomicUsize::new(0),
            spent: Mutex::default(),
            hung: OnceLock::new(),
            schemas: Mutex::default(),
            here: Mutex::default(),
            git_refs: OnceLock::new(),
        }
    }

    /// Begins another line of a list, with the limits of a new one.
    pub fn begin_line(&self) {
        self.n_lookups.store(0, Ordering::Relaxed);
        *held(&self.spent) = Duration::ZERO;
    }

    /// Returns the operating system, named as in `std::env::consts::OS`.
    pub fn os(&self) -> &str {
        &self.environment.system.os
    }

    /// Returns the family of the common tools.
    pub fn tools(&self) -> Userland {
        self.environment.userland
    }

    /// Reports whether a user or a group has an account on this machine; `None` if the accounts are kept elsewhere.
    pub fn has_account(&self, name: &str) -> Option<bool> {
        let names = |file: &str| {
            let text = self.host.read(Path::new(file), ACCOUNTS_LIMIT).ok()?;
            let text = String::from_utf8_lossy(&text).into_owned();
            Some(text.lines().filter_map(|row| row.split(':').next().map(str::to_owned)).collect::<Vec<_>>())
        };
        let users = names("/etc/passwd")?;
        let own = self.host.env("USER").and_then(|own| own.into_string().ok());
        let is_listed = |own: &String| users.contains(own);
        let is_complete = own.as_ref().is_none_or(is_listed);
        let has = |names: &[String]| names.iter().any(|other| other == name);
        let is_known = has(&users) || has(&names("/etc/group").unwrap_or_default());
        (is_known || is_complete).then_some(is_known)
    }

    /// Returns the expansion of a user's alias, without any lookup.
    pub fn alias(&self, name: &str) -> Option<String> {
        self.aliases.get(name).cloned()
    }

    /// Returns the expansion of a global alias of zsh (`alias -g`).
    pub fn global_alias(&self, name: &str) -> Option<String> {
        self.global_aliases.get(name).cloned()
    }

    /// Returns the shell's own verdict on a line, which the shell parses but does not run.
    pub fn verdict(&self, line: &str) -> SyntaxVerdict {
        let shell = self.environment.shell;
        if !verdict::may_be_asked(shell, line) {
            return SyntaxVerdict::default();
        }
        let probe = Probe::Syntax { shell, line: format!("{line}\n") };
        let of_answer = |answer: &Output| Some(verdict::of_answer(shell, line, answer));
        self.shell_says(line, &self.verdicts, &probe, of_answer).unwrap_or_default()
    }

    /// Returns Nushell's own token list of a line, for [`askline_syntax::nu::parse`]; the line is not run. `None` for
    /// other shells, or if Nushell could not be asked.
    pub fn pieces(&self, line: &str) -> Option<String> {
        if !self.environment.shell.is_nushell() || line.contains('\0') {
            return None;
        }
        // Truncated output is not valid.
        let whole = |answer: &Output| {
            let is_whole = answer.success && answer.stdout.len() < OUTPUT_LIMIT;
            is_whole.then(|| String::from_utf8_lossy(&answer.stdout).into_owned())
        };
        self.shell_says(line, &self.pieces, &Probe::Pieces { line: line.to_owned() }, whole)
    }

    /// Asks the shell about a line and parses its output with `read`; `memory` caches earlier answers.
    fn shell_says<T: Clone>(
        &self,
        line: &str,
        memory: &Mutex<HashMap<String, T>>,
        probe: &Probe,
        read: impl FnOnce(&Output) -> Option<T>,
    ) -> Option<T> {
        if LINE_MAX < line.len() {
            return None;
        }
        if let Some(known) = held(memory).get(line) {
            return Some(known.clone());
        }
        let answer = match self.host.own_shell(probe) {
            Some(answer) => answer,
            None => self.ask_a_new_shell(probe)?,
        };
        let verdict = read(&answer)?;
        let mut memory = held(memory);
        if memory.len() < MEMORY_MAX {
            memory.insert(line.to_owned(), verdict.clone());
        }
        Some(verdict)
    }

    /// Reports whether answers come from the user's running shell, which knows the user's definitions.
    pub fn is_in_shell(&self) -> bool {
        self.host.is_in_shell()
    }

    /// Starts the shell to answer a probe.
    fn ask_a_new_shell(&self, probe: &Probe) -> Option<Output> {
        self.ask(&self.startable_shell()?.real_path, probe)
    }

    /// Returns the shell's program, if it may be started to answer probes.
    fn startable_shell(&self) -> Option<ResolvedProgram> {
        let program = self.program(self.environment.shell.name()).filter(|program| program.trusted)?;
        let may_start = eligible::for_lines([&program.path, &program.real_path], self.home.as_deref());
        may_start
            .inspect_err(|why| tracing::debug!("{} is not started: {why}", program.path.display()))
            .ok()?;
        Some(program)
    }

    /// Writes new facts to the cache. This waits for the disk: call it after the answer is shown. An error costs only
    /// time at the next request.
    pub fn remember(&self) {
        let Some(cache) = &self.cache else { return };
        let changed: Vec<(CacheKey, Arc<Looked>)> = held(&self.levels)
            .iter()
            .filter(|(_, looked)| looked.changed && !looked.partial)
            .map(|(key, looked)| (key.clone(), Arc::clone(looked)))
            .collect();
        let commands = self.commands.get().and_then(|own| own.as_ref()?.to_keep());
        if let Some(hung) = self.hung.get() {
            held(hung).keep(cache);
        }
        if changed.is_empty() && commands.is_none() {
            return;
        }
        let kept = changed.iter().try_for_each(|(key, looked)| kept::keep(cache, key, &looked.record));
        let kept = kept.and_then(|()| commands.map_or(Ok(()), |own| own.keep(cache)));
        if let Err(error) = kept.and_then(|()| kept::thin_out(cache)) {
            tracing::debug!("can't cache the documentation of commands: {error:#}");
        }
    }

    /// Starts a program for a probe; `None` if it failed, hangs or no time is left.
    fn ask(&self, program: &Path, probe: &Probe) -> Option<Output> {
        if PROBE_BUDGET <= self.spent() {
            return None;
        }
        let started = Instant::now();
        let output = self.start(program, probe);
        *held(&self.spent) += started.elapsed();
        output
    }

    /// Starts a program for a probe, however long this takes; `None` if it failed, or hung a short time ago.
    fn start(&self, program: &Path, probe: &Probe) -> Option<Output> {
        let hung = self.hung.get_or_init(|| Mutex::new(HungPrograms::of(self.cache.as_deref())));
        let asked = hung::Asked::new(self.host.as_ref(), program, probe);
        if held(hung).contains(&asked, SystemTime::now()) {
            tracing::debug!("{} did not end before", program.display());
            return None;
        }
        let output = self.host.probe(program, probe);
        let output = output.inspect_err(|error| {
            tracing::debug!("no answer: {error:#}");
            if error.is::<Runaway>() {
                held(hung).add(asked, SystemTime::now());
            }
        });
        output.ok()
    }

    fn spent(&self) -> Duration {
        *held(&self.spent)
    }

    /// Reports whether a path names a symbolic link.
    pub fn is_link(&self, path: &str) -> bool {
        self.whole_path(path).is_some_and(|path| self.host.link_target(&path).is_some())
    }

    /// Reports whether a directory can be made at a path: what is there above it is a directory in which the user may create files.
    pub fn can_make_directory(&self, path: &str) -> bool {
        let Some(path) = self.whole_path(path) else { return false };
        let there = path.ancestors().skip(1).find_map(|above| self.host.entry(above));
        self.host.entry(&path).is_none() && there.is_some_and(|above| above.is_directory && above.writable)
    }

    /// Reports whether the user may write a file; `None` if it does not exist.
    pub fn may_write(&self, file: &Path) -> Option<bool> {
        Some(self.host.entry(file)?.writable)
    }

    /// Reports whether the user may make and delete files in a directory; `None` if there is none at the path.
    pub fn may_write_in(&self, directory: &str) -> Option<bool> {
        let entry = self.host.entry(&self.whole_path(directory)?)?;
        entry.is_directory.then_some(entry.writable)
    }

    /// Returns what only root may write so that a file at this path can be made or changed: the file or directory that is there, or
    /// the directory in which it would lie. `None` if the user may, if it is another user's, or if it is a device.
    pub fn protected_place(&self, path: &str) -> Option<PathBuf> {
        let path = self.whole_path(path)?;
        let place = match self.host.entry(&path) {
            Some(entry) if entry.is_file || entry.is_directory => path,
            Some(_) => return None,
            None => path.parent()?.to_owned(),
        };
        self.is_closed(&place).then_some(place)
    }

    /// Returns the directory out of which only root may take the file or directory that is at this path. `None` if nothing is there.
    pub fn protected_parent(&self, path: &str) -> Option<PathBuf> {
        let path = self.whole_path(path)?;
        self.host.entry(&path)?;
        let parent = path.parent()?.to_owned();
        self.is_closed(&parent).then_some(parent)
    }

    fn is_closed(&self, place: &Path) -> bool {
        self.host.entry(place).is_some_and(|entry| !entry.writable && entry.owner == 0)
    }

    /// Returns the user id of the owner of a file; `None` if there is no such file.
    pub fn owner_of(&self, path: &str) -> Option<u32> {
        Some(self.host.entry(&self.whole_path(path)?)?.owner)
    }

    /// Reports whether the user may read a regular file or list a directory; `None` if there is none.
    pub fn may_read(&self, path: &str) -> Option<bool> {
        let path = self.whole_path(path)?;
        match self.host.entry(&path)? {
            entry if entry.is_file => Some(self.host.head(&path, 1).is_ok()),
            entry if entry.is_directory => Some(self.host.list(&path).is_ok()),
            _ => None,
        }
    }

    /// Reports whether a variable of the environment is set.
    pub fn has_variable(&self, name: &str) -> bool {
        self.host.env(name).is_some_and(|value| !value.is_empty())
    }

    /// Reports whether a path names a script of the user's (it begins with `#!`) that may not be executed.
    pub fn is_script_without_permission(&self, path: &str) -> bool {
        let Some(path) = self.whole_path(path) else { return false };
        let is_locked = |entry: FileEntry| entry.is_file && entry.writable && !entry.executable;
        let head = || self.host.head(&path, 2).is_ok_and(|head| head == b"#!");
        self.host.entry(&path).is_some_and(is_locked) && head()
    }
}

impl Reference for Knowledge {
    fn known(&self, command: &[&str]) -> Arc<CommandFacts> {
        let (kind, target) = self.resolve(command);
        let Some((program, words)) = target else {
            let userland = Userland::Unknown;
            return Arc::new(CommandFacts {
                kind,
                manual: None,
                above: Vec::new(),
                userland,
                version: None,
                askable: false,
            });
        };
        let mut levels = self.levels(&program, &words);
        let askable = eligible::for_options(&program.name)
            && levels.first().is_some_and(|own| self.is_eligible(&program, &own.record));
        let last = levels.pop();
        let version =
            levels.iter().chain(&last).rev().find_map(|looked| looked.manual.as_ref()?.version.clone());
        Arc::new(CommandFacts {
            kind,
            manual: last.and_then(|looked| looked.manual.clone()),
            above: levels.iter().filter_map(|looked| looked.manual.clone()).collect(),
            userland: self.userland(&program),
            version,
            askable,
        })
    }

    fn own_manual(&self, command: &str) -> Option<Arc<Manual>> {
        let doc = self.all_commands()?.get(command)?.manual();
        Some(Arc::new(doc))
    }

    fn schema(&self, path: &str) -> Option<Arc<FileSchema>> {
        self.file_schema(path)
    }

    fn own_commands(&self) -> Option<Arc<Catalogue>> {
        self.all_commands()
    }

    fn for_root(&self, name: &str) -> Option<PathBuf> {
        self.environment.commands.find_for_root(name)
    }

    fn is_root(&self) -> bool {
        self.host.is_root()
    }

    fn shell_version(&self) -> Option<String> {
        self.environment.shell_version.clone()
    }

    fn names(&self) -> Vec<String> {
        let own = self.aliases.keys().chain(&self.functions).chain(builtins::of(self.environment.shell));
        let names = own.map(String::as_str).chain(self.environment.commands.names());
        names.collect::<BTreeSet<_>>().into_iter().map(str::to_owned).collect()
    }

    fn exists(&self, path: &str) -> Option<bool> {
        let path = self.whole_path(path)?;
        if self.host.entry(&path).is_some() {
            return Some(true);
        }
        match self.host.real_path(&path).err()?.downcast_ref::<io::Error>().map(io::Error::kind) {
            // A recording gives no error kind: paths outside it do not exist.
            None | Some(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Some(false),
            Some(_) => None,
        }
    }

    fn names_in(&self, directory: &str) -> Option<Vec<String>> {
        let directory = self.whole_path(if directory.is_empty() { "." } else { directory })?;
        let names = self.host.list(&directory).ok().filter(|names| names.len() <= NAMES_MAX)?;
        Some(names.into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        Some(self.host.entry(&self.whole_path(path)?)?.is_directory)
    }

    fn text_of(&self, path: &str) -> Option<String> {
        self.small_text(path)
    }

    fn git_refs(&self) -> Option<Arc<GitRefs>> {
        self.git_refs.get_or_init(|| self.read_git_refs()).clone()
    }

    fn accepts(&self, command: &[&str], option: &str) -> Option<bool> {
        let (_, Some((program, words))) = self.resolve(command) else { return None };
        let option = OptionName::new(option.split_once('=').map_or(option, |(name, _)| name))?;
        let levels = self.levels(&program, &words);
        let defines = |manual: &Arc<Manual>| manual.option(option.as_str()).is_some();
        if levels.iter().any(|looked| looked.manual.as_ref().is_some_and(defines)) {
            return Some(true);
        }
        let path: Vec<&str> = words.iter().map(String::as_str).take(levels.len() - 1).collect();
        let mut looked = Looked::clone(levels.last()?);
        if !looked.record.help_was_read {
            self.add_help(&program, &path, &mut looked);
            self.hold(&program, &path, &mut looked);
        }
        if self.all_documented(&program, &path, &looked.record).as_ref().is_some_and(defines) {
            return Some(true);
        }
        if let Some(answer) = looked.record.answers.get(option.as_str()) {
            return *answer;
        }
        let may_be_asked = eligible::for_options(&program.name)
            && (!program.is_multi_call() || path.iter().all(|applet| eligible::for_options(applet)))
            && levels.first().is_some_and(|own| self.is_eligible(&program, &own.record));
        if !may_be_asked {
            return None;
        }
        let probe = Probe::Option { level: Level::new(&path)?, option: option.clone() };
        let output = self.ask(&program.path, &probe)?;
        let answer = reply::accepts(option.as_str(), &text_of(&output));
        looked.record.answer(option.as_str(), answer);
        self.hold(&program, &path, &mut looked);
        answer
    }
}

/// Returns the output of a program, standard error first, because parsers complain there.
fn text_of(output: &Output) -> String {
    let streams = [&output.stderr, &output.stdout].map(|stream| String::from_utf8_lossy(stream));
    streams.join("\n")
}

/// Locks a mutex. The data is valid even after a panic, because each change is a single step.
fn held<T>(guarded: &Mutex<T>) -> MutexGuard<'_, T> {
    guarded.lock().unwrap_or_else(PoisonError::into_inner)
}
