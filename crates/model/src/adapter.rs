//! Adapters: low-rank additions to the weights of a model, trained on the project's cookbook. A model is loaded with one
//! or without; its file stays as it is.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use askline_host::local::open_regular;
use askline_host::store;

use crate::gguf;

/// Maximum size of an adapter file, in bytes.
const SIZE_LIMIT: u64 = 256 << 20;
/// Number of hexadecimal digits of a hash that name a file.
const NAME_DIGITS: usize = 16;

/// An adapter that comes with the program.
#[derive(Debug)]
struct BuiltIn {
    name: &'static str,
    /// SHA-256 of the model file that it was trained against.
    model: &'static str,
    content: &'static [u8],
}

/// Adapters of the models in the manifest.
const BUILT_IN: [BuiltIn; 2] = [
    BuiltIn {
        name: askline_adapter_1_5b::NAME,
        model: askline_adapter_1_5b::MODEL,
        content: askline_adapter_1_5b::BYTES,
    },
    BuiltIn {
        name: askline_adapter_0_5b::NAME,
        model: askline_adapter_0_5b::MODEL,
        content: askline_adapter_0_5b::BYTES,
    },
];

/// An adapter of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Adapter {
    /// One that comes with the program, by name.
    BuiltIn(String),
    /// A GGUF file, by full path.
    File(PathBuf),
}

/// An adapter that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AdapterFile {
    pub(crate) path: PathBuf,
    /// SHA-256 of the content, in hexadecimal digits.
    pub(crate) sha256: String,
}

impl Adapter {
    /// Returns the adapter of the model whose file has this SHA-256; `None` if none comes with the program.
    pub fn of_model(sha256: &str) -> Option<Self> {
        let found = BUILT_IN.iter().find(|built_in| built_in.model == sha256)?;
        Some(Self::BuiltIn(found.name.to_owned()))
    }

    /// Returns the name for display.
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(name) => name.clone(),
            Self::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// Returns the file of the adapter; one that comes with the program is written below the directory `cache` if it is
    /// not there intact.
    ///
    /// # Errors
    ///
    /// If the file can't be read or written, or is no GGUF file.
    pub(crate) fn file(&self, cache: &Path) -> anyhow::Result<AdapterFile> {
        match self {
            Self::BuiltIn(name) => {
                let built_in = BUILT_IN.iter().find(|built_in| built_in.name == name);
                let content = built_in.with_context(|| format!("there is no adapter {name}"))?.content;
                materialized(content, cache)
            }
            Self::File(path) => {
                let wrong = || {
                    format!(
                        "the adapter {} can't be used; set `adapter` to another file, or to \"off\"",
                        path.display()
                    )
                };
                let content = read(path).and_then(|content| gguf::check(path).map(|()| content));
                Ok(AdapterFile { path: path.clone(), sha256: hex(&content.with_context(wrong)?) })
            }
        }
    }
}

/// Reads the content of an adapter.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut content = Vec::new();
    open_regular(path)?.take(SIZE_LIMIT + 1).read_to_end(&mut content)?;
    ensure!(content.len() as u64 <= SIZE_LIMIT, "it is larger than {} MB", SIZE_LIMIT >> 20);
    Ok(content)
}

/// Writes the content of an adapter to a file below `cache`, which its hash names, unless the file has it already.
fn materialized(content: &[u8], cache: &Path) -> anyhow::Result<AdapterFile> {
    let sha256 = hex(content);
    let name = sha256.get(..NAME_DIGITS).unwrap_or(&sha256);
    let path = cache.join(format!("{name}.gguf"));
    let is_intact =
        store::read(&path, SIZE_LIMIT).is_ok_and(|found| found.is_some_and(|found| found == content));
    if !is_intact {
        store::write_cache(&path, content)?;
    }
    Ok(AdapterFile { path, sha256 })
}

fn hex(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_copy_is_written_again() {
        let cache = tempfile::tempdir().unwrap();
        let first = materialized(b"GGUF content", cache.path()).unwrap();
        assert_eq!(std::fs::read(&first.path).unwrap(), b"GGUF content");
        std::fs::write(&first.path, b"GGUF CONTENT").unwrap();
        let second = materialized(b"GGUF content", cache.path()).unwrap();
        assert_eq!(first, second);
        assert_eq!(std::fs::read(&second.path).unwrap(), b"GGUF content");
    }

    #[test]
    fn each_adapter_belongs_to_a_model_of_the_manifest() {
        let manifest =
            crate::install::manifest::Manifest::parse(include_str!("install/manifest.toml")).unwrap();
        for built_in in &BUILT_IN {
            let is_known = manifest.entries.iter().any(|entry| entry.sha256 == built_in.model);
            assert!(is_known, "{}", built_in.name);
            assert_eq!(Adapter::of_model(built_in.model), Some(Adapter::BuiltIn(built_in.name.to_owned())));
        }
        assert_eq!(Adapter::of_model("0000"), None);
    }

    #[test]
    fn a_file_that_is_no_adapter_is_refused_with_its_name() {
        let cache = tempfile::tempdir().unwrap();
        let path = cache.path().join("mine.gguf");
        for content in [&b""[..], b"GGUF", b"text"] {
            std::fs::write(&path, content).unwrap();
            let error = format!("{:#}", Adapter::File(path.clone()).file(cache.path()).unwrap_err());
            assert!(error.starts_with(&format!("the adapter {} can't be used", path.display())), "{error}");
        }
        assert!(Adapter::File(cache.path().join("absent.gguf")).file(cache.path()).is_err());
    }
}
