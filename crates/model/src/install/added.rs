//! Models that a person adds: files from elsewhere, and the list of them in the models directory. The list has the
//! format of the built-in one, so everything else treats such a model like one of ours.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, ensure};
use sha2::{Digest as _, Sha256};

use super::manifest::{self, ADDED, Manifest, ModelEntry, SIZE_LIMIT, Source, is_plain};
use super::{
    News, OWN_FILE_CONTEXT, OWN_FILE_WORK, beside, clear, copy, fetch, lock, partial, path_of, starts_as_gguf,
};
use crate::failure::UsageError;
use crate::gguf;
use crate::prompt::Form;
use askline_host::Host;
use askline_host::store;
use askline_host::store::Paths;

/// Address of a file on Hugging Face.
const HUB: &str = "https://huggingface.co/{repository}/resolve/main/{file}";
/// Ending of a model file.
const ENDING: &str = ".gguf";
/// Maximum size of the note about a partial download, in bytes.
const NOTE_LIMIT: u64 = 1 << 10;

/// Place from which a model is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Address of a file.
    Url(String),
    /// File on this machine.
    File(PathBuf),
}

impl Origin {
    /// Returns the place that a text names: `hf:OWNER/REPO/FILE`, an address or a path; `None` if it is the name of a
    /// model.
    ///
    /// # Errors
    ///
    /// If it begins with `hf:` and does not go on so.
    pub fn parse(text: &str) -> Result<Option<Self>, UsageError> {
        if let Some(place) = text.strip_prefix("hf:") {
            let parts: Vec<&str> = place.split('/').collect();
            let ([owner, repository, file @ ..], true) =
                (parts.as_slice(), parts.iter().all(|part| is_plain(part, "._-+")))
            else {
                return Err(UsageError(format!("`{text}` is not of the form hf:OWNER/REPO/FILE")));
            };
            if file.is_empty() {
                return Err(UsageError(format!(
                    "`{text}` names no file; write hf:{owner}/{repository}/FILE"
                )));
            }
            let url = HUB.replace("{repository}", &format!("{owner}/{repository}"));
            return Ok(Some(Self::Url(url.replace("{file}", &file.join("/")))));
        }
        Ok(match () {
            () if text.contains("://") => Some(Self::Url(text.to_owned())),
            () if text.contains('/') || text.to_lowercase().ends_with(ENDING) => {
                Some(Self::File(text.into()))
            }
            () => None,
        })
    }

    /// Returns the name of the model: that of the file, with plain characters.
    fn name(&self) -> Result<String, UsageError> {
        let file = match self {
            Self::Url(url) => fetch::shown(url).rsplit('/').next().unwrap_or_default().to_owned(),
            Self::File(file) => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let lower = file.to_lowercase();
        let Some(stem) = lower.strip_suffix(ENDING) else {
            return Err(UsageError(format!(
                "`{file}` is not the name of a GGUF file; it must end in {ENDING}"
            )));
        };
        let is_part = |rest: &str| {
            let number = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
            rest.rsplit_once("-of-")
                .is_some_and(|(before, all)| number(all) && before.rsplit('-').next().is_some_and(number))
        };
        if is_part(stem) {
            let why = "is one part of several, and askline loads models of one file; choose a smaller or joined one";
            return Err(UsageError(format!("`{file}` {why}")));
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let name: String = stem.chars().map(plain).collect();
        let name = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned();
        if name.is_empty() {
            return Err(UsageError(format!("`{file}` has no name that a model can have; rename it")));
        }
        Ok(name)
    }
}

/// What a person says about a model that is added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stated {
    /// SHA-256 that the file must have.
    pub sha256: Option<String>,
    /// Form of its prompts; `None` takes that of the file: chat if it has a chat template.
    pub form: Option<Form>,
}

/// Fetches a model from a place of the person's choice, and adds it to the list. Its hash is kept: from then on it is
/// the model. An interrupted download goes on with the next call, if the server says that it still has the same file.
///
/// # Errors
///
/// If the name is taken, the file can't be had or has not the stated hash, or is no whole GGUF file.
pub fn add(
    origin: &Origin,
    stated: &Stated,
    host: &dyn Host,
    paths: &Paths,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<ModelEntry> {
    let name = origin.name()?;
    let made = store::make_directory(&paths.models).and_then(|()| lock(paths));
    let _lock = made.map_err(|error| partial::going_to(&paths.models, 0, error))?;
    check_unused(&name, host, paths)?;
    let known = stated.sha256.clone().unwrap_or_default();
    let mut entry = match origin {
        Origin::Url(url) => {
            let place = fetch::shown(url);
            let fetched = fetched(url, &name, &known, host, paths, news);
            let mut entry = fetched.with_context(|| place.clone())?;
            entry.sources.push(Source::Url(place));
            entry
        }
        Origin::File(file) => copied(file, &name, &known, host, paths, news)?,
    };
    let to = path_of(&entry, paths);
    clear(&to)?;
    entry.chat = match stated.form {
        Some(form) => form == Form::Chat,
        None => gguf::has_chat_template(&to)?,
    };
    let mut list = manifest::added(paths)?;
    list.push(entry.clone());
    write(list, paths)?;
    Ok(entry)
}

/// Returns the interrupted download of a model that is not on the list yet, if there is one with this name.
pub fn begun(name: &str, paths: &Paths) -> Option<ModelEntry> {
    let entry = entry(name, 0, "");
    let is_begun = is_plain(name, "._-") && fetch::part_of(&path_of(&entry, paths)).exists();
    is_begun.then_some(entry)
}

/// Takes a model off the list of added ones, if it is there; its file must be gone.
///
/// # Errors
///
/// If the list can't be read or written.
pub(super) fn forget(entry: &ModelEntry, paths: &Paths) -> anyhow::Result<()> {
    let list = manifest::added(paths)?;
    let left: Vec<_> = list.iter().filter(|other| other.name != entry.name).cloned().collect();
    if left.len() < list.len() { write(left, paths) } else { Ok(()) }
}

/// Returns the path of the note that says of which file the partial download of a model is.
pub(super) fn note_of(file: &Path) -> PathBuf {
    beside(file, "part-of")
}

/// Checks that no model has this name.
fn check_unused(name: &str, host: &dyn Host, paths: &Paths) -> anyhow::Result<()> {
    let file = format!("{name}{ENDING}");
    let mut entries = Manifest::load(host, paths)?.entries.into_iter();
    if entries.any(|entry| entry.name == name || entry.file == file) {
        let ways =
            format!("fetch it again with `askline model pull {name}`, or give the other file another name");
        return Err(UsageError(format!("a model is called {name} already; {ways}")).into());
    }
    Ok(())
}

/// Fetches the file at `url`; returns its entry, without its source.
fn fetched(
    url: &str,
    name: &str,
    known: &str,
    host: &dyn Host,
    paths: &Paths,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<ModelEntry> {
    let offer = fetch::look(url, fetch::Waits::USUAL)?;
    let mut entry = entry(name, within_bounds(offer.size)?, known);
    let to = path_of(&entry, paths);
    // Without a hash nothing else tells that the rest belongs to what is here.
    let note = offer.version.map(|version| {
        partial::hex(&Sha256::digest(format!("{url}\n{}\n{version}", offer.size))).into_bytes()
    });
    let of_before = store::read(&note_of(&to), NOTE_LIMIT)?;
    if known.is_empty() && (note.is_none() || note != of_before) {
        store::remove(&fetch::part_of(&to))?;
    }
    if let Some(note) = note {
        store::write(&note_of(&to), &note)?;
    }
    let sha256 = fetch::fetch(url, &entry, &to, host, fetch::Waits::USUAL, news);
    if !fetch::part_of(&to).exists() {
        store::remove(&note_of(&to))?;
    }
    entry.sha256 = sha256?;
    Ok(entry)
}

/// Copies a file of this machine; returns its entry.
fn copied(
    file: &Path,
    name: &str,
    known: &str,
    host: &dyn Host,
    paths: &Paths,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<ModelEntry> {
    let found = std::fs::metadata(file).with_context(|| format!("can't read {}", file.display()))?;
    ensure!(starts_as_gguf(file)?, "{} is not a GGUF file", file.display());
    let mut entry = entry(name, within_bounds(found.len())?, known);
    let to = path_of(&entry, paths);
    let sha256 = copy(file, &entry, &to, host, news);
    // A partial copy is useless: the original is on this machine.
    store::remove(&beside(&to, "copy"))?;
    entry.sha256 = sha256.with_context(|| file.display().to_string())?;
    Ok(entry)
}

fn within_bounds(size: u64) -> anyhow::Result<u64> {
    ensure!((1..=SIZE_LIMIT).contains(&size), "its size is out of bounds (1 to {SIZE_LIMIT} bytes)");
    Ok(size)
}

/// Returns the entry of a file of which nothing is known but its size, and maybe its hash.
fn entry(name: &str, size: u64, sha256: &str) -> ModelEntry {
    ModelEntry {
        name: name.to_owned(),
        file: format!("{name}{ENDING}"),
        size,
        sha256: sha256.to_owned(),
        licence: "unknown".to_owned(),
        memory: size.saturating_add(OWN_FILE_WORK),
        context: OWN_FILE_CONTEXT,
        chat: false,
        sources: Vec::new(),
    }
}

fn write(entries: Vec<ModelEntry>, paths: &Paths) -> anyhow::Result<()> {
    let file = paths.models.join(ADDED);
    if entries.is_empty() {
        return store::remove(&file).map(drop);
    }
    let text =
        toml::to_string(&Manifest { entries }).map_err(|error| anyhow!("can't write the list: {error}"))?;
    let head =
        "# The models that `askline model pull SOURCE` added. `askline model rm NAME` takes one out.\n\n";
    store::write(&file, format!("{head}{text}").as_bytes())
}
