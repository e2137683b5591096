//! Model files: which can be installed, which are, and how one gets to this machine.
//!
//! A file counts as a model when its SHA-256 equals the manifest's, wherever it came from. `pull` and [`check`] hash it; a key press
//! only compares its size, its first bytes and its verified stamp.

pub mod added;
pub mod manifest;

mod fetch;
mod partial;
mod verified_stamp;
mod wheels;

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use crate::failure::Failure;
use crate::gguf;
use askline_host::Host;
use askline_host::local::open_regular;
use askline_host::store;
use askline_host::store::{Paths, Unwritable};
use manifest::{Manifest, ModelEntry, Source};
use partial::Partial;

/// Variable that names a GGUF file to use as it is.
const OWN_FILE: &str = "ASKLINE_MODEL_FILE";
/// Maximum number of prompt and answer tokens together, for an unlisted file.
const OWN_FILE_CONTEXT: u32 = 4096;
/// Working memory for an unlisted file in addition to its size, in bytes: that of the largest model in the
/// built-in manifest.
const OWN_FILE_WORK: u64 = 500 << 20;

/// A model file that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Name for display.
    pub name: String,
    /// Path of the GGUF file.
    pub path: PathBuf,
    /// Maximum number of prompt and answer tokens together.
    pub context: u32,
    /// Estimated memory to run it, in bytes.
    pub memory: u64,
    /// SHA-256 of the file as the manifest gives it; `None` for an unlisted file.
    pub sha256: Option<String>,
}

/// State of a model's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// No file.
    Absent,
    /// Interrupted download, with the number of bytes present.
    Begun(u64),
    /// The model, unchanged since its hash was verified.
    Intact,
    /// File of the right size whose hash was not verified since its last change.
    Unchecked,
    /// Not the model, for this reason.
    Damaged(String),
}

/// Progress event of a long operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News<'a> {
    /// Start of a phase that processes `total` bytes, of which `done` are done.
    Begin {
        /// Activity, as a verb.
        what: &'a str,
        /// Total number of bytes.
        total: u64,
        /// Number of bytes already done.
        done: u64,
    },
    /// Number of further bytes done.
    Advance(u64),
    /// Current step within the phase.
    Step(&'a str),
    /// Message for the user, such as why a source failed.
    Say(&'a str),
}

/// Returns the installed model `name`, or `own_file` from `ASKLINE_MODEL_FILE`. Fast enough for a key press:
/// reads a few bytes and hashes nothing.
///
/// # Errors
///
/// [`Failure::NoModel`] if it is missing, unknown, damaged or changed since it was checked; the text contains
/// its name and the command to run.
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
        return Ok(Installed {
            name,
            path: path.to_owned(),
            context: OWN_FILE_CONTEXT,
            memory,
            sha256: None,
        });
    }
    let mut manifest = Manifest::given(host)?;
    // A damaged list of added models stops none of the others.
    if manifest.find(name).map_or(true, |entry| condition(entry, paths) == Condition::Absent) {
        manifest.add(manifest::added(paths)?);
    }
    let entry = manifest.find(name).map_err(|wrong| {
        let end = if wrong.0.ends_with('?') { "" } else { ";" };
        Failure::NoModel(format!("{}{end} choose with `askline model use NAME`", wrong.0))
    })?;
    let is_absent = |entry: &ModelEntry| condition(entry, paths) == Condition::Absent;
    if manifest.entries.iter().all(is_absent) {
        return Err(Failure::NoModel("no model is installed; run `askline model pull`".to_owned()).into());
    }
    Ok(installed_as(entry, paths)?)
}

/// Returns the file of one model of the manifest, as [`installed`] does.
///
/// # Errors
///
/// [`Failure::NoModel`] with the model's name and the command to run.
pub fn installed_as(entry: &ModelEntry, paths: &Paths) -> Result<Installed, Failure> {
    let (name, path) = (&entry.name, path_of(entry, paths));
    Err(Failure::NoModel(match condition(entry, paths) {
        Condition::Intact => {
            let (context, memory) = (entry.context, entry.memory);
            let sha256 = Some(entry.sha256.clone());
            return Ok(Installed { name: name.clone(), path, context, memory, sha256 });
        }
        Condition::Absent => format!("the model {name} is not installed; run `askline model pull {name}`"),
        Condition::Begun(bytes) => format!(
            "the model {name} is only partly downloaded ({} of {}); run `askline model pull {name}`",
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

/// Checks the header and length of a file named by `ASKLINE_MODEL_FILE`.
///
/// # Errors
///
/// [`Failure::NoModel`] with the file, the variable and the fault.
pub fn check_own_file(path: &Path) -> Result<(), Failure> {
    gguf::check(path).map_err(|why| {
        Failure::NoModel(format!("{OWN_FILE} names {}: {why:#}; name another or unset it", path.display()))
    })
}

/// Returns the path of a model's file, which may not exist yet.
pub fn path_of(entry: &ModelEntry, paths: &Paths) -> PathBuf {
    paths.models.join(&entry.file)
}

/// Returns the state of a model's file without hashing it.
pub fn condition(entry: &ModelEntry, paths: &Paths) -> Condition {
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
        Ok(true) if verified_stamp::holds(entry, &path) => Condition::Intact,
        Ok(true) => Condition::Unchecked,
    }
}

/// Verifies a model's file by hashing all bytes; takes seconds for a large one. An intact file gets a verified
/// stamp.
///
/// # Errors
///
/// If it can't be read.
pub fn check(entry: &ModelEntry, paths: &Paths, news: &mut dyn FnMut(News<'_>)) -> anyhow::Result<Condition> {
    let cheap = condition(entry, paths);
    if !matches!(cheap, Condition::Intact | Condition::Unchecked) {
        return Ok(cheap);
    }
    let path = path_of(entry, paths);
    news(News::Begin { what: "checking", total: entry.size, done: 0 });
    let mut file = open_regular(&path)?;
    let before = file.metadata()?;
    let hash = partial::hash(&mut file, news)?;
    let after = file.metadata()?;
    if partial::hex(&sha2::Digest::finalize(hash)) != entry.sha256 {
        store::remove(&verified_stamp::path_of(&path))?;
        return Ok(Condition::Damaged("its SHA-256 differs".to_owned()));
    }
    // Bytes written during the check may not have been hashed.
    if !verified_stamp::same(entry, &before, &after) {
        store::remove(&verified_stamp::path_of(&path))?;
        return Ok(Condition::Unchecked);
    }
    if cheap == Condition::Unchecked {
        verified_stamp::set_as(entry, &path, &before)?;
    }
    Ok(Condition::Intact)
}

/// Fetches a model from the first source that has it, verifies and installs it. Returns `false` if it was
/// installed already.
///
/// Tries the sources of the manifest in order, then `own_file` from `ASKLINE_MODEL_FILE`. If the process is
/// killed, the downloaded part stays, and the next call continues from there.
///
/// # Errors
///
/// If no source has it (the reasons are reported as [`News::Say`]) or another process is fetching.
/// [`Unwritable`] if the disk refuses to store it: then no other source is tried, and the downloaded part stays
/// for the next call.
pub fn pull(
    entry: &ModelEntry,
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
    let mut sources = entry.sources.iter().peekable();
    while let Some(source) = sources.next() {
        let done = match source {
            Source::Url(url) => fetch::fetch(url, entry, &to, host, fetch::Waits::USUAL, news).map(drop),
            Source::Wheels(wheels) => wheels::fetch(wheels, entry, host, &to, news),
        };
        match done {
            Ok(()) => return clear(&to).map(|_| true),
            // The other sources would meet the same disk.
            Err(error) if error.is::<Unwritable>() => return Err(error),
            Err(error) => {
                let next = sources.peek().map(|next| format!("; trying {next}")).unwrap_or_default();
                news(News::Say(&format!("{source}: {error:#}{next}")));
            }
        }
    }
    if let Some(file) = own_file {
        let copied = copy(file, entry, &to, host, news);
        // A partial copy is useless: the original is on this machine.
        store::remove(&beside(&to, "copy"))?;
        match copied {
            Ok(_) => return clear(&to).map(|_| true),
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

/// Removes a model's file and partial downloads of it, and takes it off the list of added ones; returns the number of
/// bytes freed.
///
/// # Errors
///
/// If it can't be removed, or another process is fetching.
pub fn remove(entry: &ModelEntry, paths: &Paths) -> anyhow::Result<u64> {
    if !paths.models.is_dir() {
        return Ok(0);
    }
    let _lock = lock(paths)?;
    let file = path_of(entry, paths);
    let freed = store::remove(&file)?;
    store::remove(&verified_stamp::path_of(&file))?;
    added::forget(entry, paths)?;
    Ok(freed + clear(&file)?)
}

/// Formats a number of bytes in decimal units: "491 MB".
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

/// Removes the temporary files of downloads to `file`; returns the number of bytes freed.
fn clear(file: &Path) -> anyhow::Result<u64> {
    store::remove(&added::note_of(file))?;
    Ok(store::remove(&fetch::part_of(file))?
        + store::remove(&beside(file, "copy"))?
        + store::remove(&wheels::folder_of(file))?)
}

/// Copies a file of this machine; returns its SHA-256.
fn copy(
    from: &Path,
    entry: &ModelEntry,
    to: &Path,
    host: &dyn Host,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<String> {
    let mut file = open_regular(from)?;
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
    lock.context("another `askline model` is running; wait until it is done")
}

fn starts_as_gguf(path: &Path) -> anyhow::Result<bool> {
    let mut start = [0; gguf::MAGIC.len()];
    ensure!(std::fs::metadata(path)?.is_file(), "it is not a regular file");
    Ok(open_regular(path)?.read_exact(&mut start).is_ok() && start == gguf::MAGIC)
}

/// Appends an extension to a file name: "model.gguf.part".
fn beside(file: &Path, added: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".");
    name.push(added);
    name.into()
}

#[cfg(test)]
mod tests;
