//! List of models that can be fetched: description, hash and sources of each.

use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context as _, anyhow, ensure};
use serde::{Deserialize, Serialize};

use crate::failure::UsageError;
use askline_host::Host;
use askline_host::store;
use askline_host::store::Paths;

/// Built-in list.
const BUILT_IN: &str = include_str!("manifest.toml");
/// Name of the list of added models in the models directory.
pub(super) const ADDED: &str = "added.toml";
/// Maximum size of a list, in bytes.
const MANIFEST_LIMIT: u64 = 1 << 20;
/// Maximum size of a model file in a list, in bytes.
pub(super) const SIZE_LIMIT: u64 = 1 << 50;
/// Maximum number of sources of one model.
const SOURCES_LIMIT: usize = 16;
/// Maximum number of wheels of one model.
const PARTS_LIMIT: u32 = 99;

/// The models that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Models in the order of the list.
    #[serde(rename = "model")]
    pub entries: Vec<ModelEntry>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Name that users type.
    pub name: String,
    /// File name in the models directory, without a path.
    pub file: String,
    /// Size of the file in bytes.
    pub size: u64,
    /// SHA-256 of the file, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// SPDX identifier of the licence.
    pub licence: String,
    /// Estimated memory to run it, in bytes.
    pub memory: u64,
    /// Maximum number of prompt and answer tokens together.
    pub context: u32,
    /// `true` if it is asked by messages in the chat template of its file; `false` if it continues solved requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chat: bool,
    /// Sources, tried in order.
    pub sources: Vec<Source>,
}

/// Source of a model file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Whole file at one URL.
    Url(String),
    /// Slices of the file in Python wheels.
    Wheels(Wheels),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => f.write_str(url),
            Self::Wheels(Wheels { package, version, parts, .. }) => {
                write!(f, "pip, {parts} wheels of {package}=={version}")
            }
        }
    }
}

/// Python packages whose wheels contain a file in slices.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Wheels {
    /// Name of each package; `{n}` stands for its number from 1, `{nn}` for the number with two digits.
    pub package: String,
    /// Version of all packages.
    pub version: String,
    /// Number of packages.
    pub parts: u32,
    /// Path of the slice in each wheel, below its top directory; numbered like `package`.
    pub member: String,
}

/// Minimum similarity (Jaro-Winkler, 0 to 1) of a name to be suggested.
const ALIKE: f64 = 0.8;

/// Returns the names of the built-in list, for help and completions.
pub fn built_in_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let manifest = Manifest::parse(BUILT_IN);
        manifest
            .map_or_else(|_| Vec::new(), |list| list.entries.into_iter().map(|entry| entry.name).collect())
    });
    &NAMES
}

/// Returns the models that the person added.
///
/// # Errors
///
/// [`UsageError`] if their list can't be read.
pub(super) fn added(paths: &Paths) -> Result<Vec<ModelEntry>, UsageError> {
    let file = paths.models.join(ADDED);
    let read = || -> anyhow::Result<Vec<ModelEntry>> {
        let Some(bytes) = store::read(&file, MANIFEST_LIMIT)? else { return Ok(Vec::new()) };
        Ok(Manifest::parse(&String::from_utf8(bytes).context("it is not UTF-8")?)?.entries)
    };
    read().map_err(|error| {
        let way = "correct it, or remove it to forget the models that you added";
        UsageError(format!("{}: {error:#}; {way}", file.display()))
    })
}

impl Manifest {
    /// Loads the built-in list, or the file named by `ASKLINE_MANIFEST`, and the models that the person added.
    ///
    /// # Errors
    ///
    /// [`UsageError`] if a file can't be read or contains an invalid value.
    pub fn load(host: &dyn Host, paths: &Paths) -> anyhow::Result<Self> {
        let mut manifest = Self::given(host)?;
        manifest.add(added(paths)?);
        Ok(manifest)
    }

    /// Adds models, but none whose name or file is on the list.
    pub(super) fn add(&mut self, entries: Vec<ModelEntry>) {
        for entry in entries {
            let is_same = |other: &ModelEntry| other.name == entry.name || other.file == entry.file;
            if !self.entries.iter().any(is_same) {
                self.entries.push(entry);
            }
        }
    }

    /// Loads the built-in list, or the file named by `ASKLINE_MANIFEST`.
    ///
    /// # Errors
    ///
    /// [`UsageError`] if the file can't be read or contains an invalid value.
    pub(super) fn given(host: &dyn Host) -> anyhow::Result<Self> {
        let Some(file) = host.env("ASKLINE_MANIFEST") else { return Self::parse(BUILT_IN) };
        let file = Path::new(&file);
        let parsed = host
            .read(file, MANIFEST_LIMIT)
            .and_then(|bytes| Self::parse(&String::from_utf8(bytes).context("it is not UTF-8")?));
        parsed.map_err(|error| {
            UsageError(format!("ASKLINE_MANIFEST names {}: {error:#}; correct or unset it", file.display()))
                .into()
        })
    }

    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let manifest: Self = toml::from_str(text).map_err(|error| {
            let before = text.bytes().take(error.span().map_or(0, |span| span.start));
            let line = 1 + before.filter(|byte| *byte == b'\n').count();
            anyhow!("line {line}: {}", error.message())
        })?;
        for (nth, entry) in manifest.entries.iter().enumerate() {
            entry.check().with_context(|| format!("model `{}`", entry.name))?;
            let twice =
                manifest.entries.iter().take(nth).any(|e| e.name == entry.name || e.file == entry.file);
            ensure!(!twice, "model `{}`: its name or file is listed twice", entry.name);
        }
        Ok(manifest)
    }

    /// Returns the model with this name.
    ///
    /// # Errors
    ///
    /// [`UsageError`] with the nearest name if there is none.
    pub fn find(&self, name: &str) -> Result<&ModelEntry, UsageError> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.name == name) {
            return Ok(entry);
        }
        let likeness = |entry: &&ModelEntry| {
            // A fragment such as "0.5b" stands for the name that contains it, however short it is.
            let fragment = !name.is_empty() && entry.name.contains(&name.to_lowercase());
            if fragment { 2.0 } else { strsim::jaro_winkler(&entry.name, name) }
        };
        let nearest = self.entries.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        Err(UsageError(match nearest.filter(|nearest| ALIKE < likeness(nearest)) {
            Some(nearest) => format!("no model is called `{name}`; did you mean `{}`?", nearest.name),
            None => {
                let names: Vec<_> = self.entries.iter().map(|entry| format!("`{}`", entry.name)).collect();
                format!("no model is called `{name}`; there are {}", names.join(", "))
            }
        }))
    }
}

impl ModelEntry {
    /// Checks that no value can lead out of the models directory or become an option of a program.
    fn check(&self) -> anyhow::Result<()> {
        ensure!(is_plain(&self.name, "._-"), "the name may hold letters, digits and ._- only");
        ensure!(
            is_plain(&self.file, "._-") && self.file.ends_with(".gguf"),
            "the file may hold letters, digits and ._- only and must end in .gguf"
        );
        ensure!((1..=SIZE_LIMIT).contains(&self.size), "the size is out of bounds (1 to {SIZE_LIMIT})");
        ensure!(
            self.sha256.len() == 64
                && self.sha256.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c)),
            "the sha256 is not 64 lower-case hexadecimal digits"
        );
        ensure!(self.sources.len() <= SOURCES_LIMIT, "it has more than {SOURCES_LIMIT} sources");
        for source in &self.sources {
            let Source::Wheels(wheels) = source else { continue };
            ensure!(
                (1..=PARTS_LIMIT).contains(&wheels.parts),
                "the number of wheels is out of bounds (1 to {PARTS_LIMIT})"
            );
            ensure!(
                is_plain(&wheels.package, "._-{}") && is_plain(&wheels.version, "._+!-"),
                "a package or version holds more than letters, digits and ._-"
            );
            ensure!(is_plain(&wheels.member, "._-/{}"), "the member of a wheel is not a plain path");
        }
        Ok(())
    }
}

/// Reports whether a text begins with a letter or digit and holds nothing else but the characters `more`.
pub(super) fn is_plain(text: &str, more: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
}

impl Wheels {
    /// Returns the name of the package with this number.
    pub fn package(&self, n: u32) -> String {
        numbered(&self.package, n)
    }

    /// Returns the path of the slice in the wheel with this number, below its top directory.
    pub fn member(&self, n: u32) -> String {
        numbered(&self.member, n)
    }

    /// Returns the start of the file name of the wheel with this number, normalized as packagers do.
    pub fn file_prefix(&self, n: u32) -> String {
        let mut name = String::new();
        for c in self.package(n).chars() {
            match c {
                '-' | '_' | '.' if name.ends_with('_') => {}
                '-' | '_' | '.' => name.push('_'),
                c => name.push(c.to_ascii_lowercase()),
            }
        }
        format!("{name}-{}-", self.version)
    }
}

fn numbered(pattern: &str, n: u32) -> String {
    pattern.replace("{nn}", &format!("{n:02}")).replace("{n}", &n.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_in_the_tree_is_sound() {
        let manifest = Manifest::parse(BUILT_IN).unwrap();
        assert_eq!(manifest.entries.len(), 2);
        assert!(manifest.entries.iter().map(|entry| &entry.name).eq(built_in_names()));
        for entry in &manifest.entries {
            assert!(entry.size < entry.memory, "{}: running it takes more than its file", entry.name);
            assert!(matches!(&entry.sources[..], [Source::Url(_), Source::Wheels(_)]), "{}", entry.name);
        }
    }

    #[test]
    fn wheels_are_numbered() {
        let wheels = Wheels {
            package: "Big--model.part{n}".to_owned(),
            version: "0.2.0".to_owned(),
            parts: 22,
            member: "data/part{nn}.bin".to_owned(),
        };
        assert_eq!(wheels.package(3), "Big--model.part3");
        assert_eq!(wheels.member(3), "data/part03.bin");
        assert_eq!(wheels.file_prefix(22), "big_model_part22-0.2.0-");
    }

    #[test]
    fn a_wrong_name_meets_the_nearest() {
        let manifest = Manifest::parse(BUILT_IN).unwrap();
        let message = |name| manifest.find(name).unwrap_err().0;
        assert!(
            message("0.5B").ends_with("did you mean `qwen2.5-coder-0.5b-instruct-q4_k_m`?"),
            "{}",
            message("0.5B")
        );
        assert!(
            message("qwen2.5-coder-1.5b-instruct-q4_k").contains("`qwen2.5-coder-1.5b-instruct-q4_k_m`"),
            "{}",
            message("qwen2.5-coder-1.5b-instruct-q4_k")
        );
        message("");
        assert!(Manifest { entries: Vec::new() }.find("x").is_err());
    }

    /// A list is untrusted data: none of these may name a file elsewhere or pass an option to pip.
    #[test]
    fn unsound_lists_are_refused() {
        let sound = BUILT_IN.split("\n[[model]]").nth(1).map(|entry| format!("[[model]]{entry}")).unwrap();
        assert!(Manifest::parse(&sound).is_ok());
        for (from, to) in [
            ("file = \"qwen", "file = \"../qwen"),
            (".gguf\"\nsize", "\"\nsize"),
            ("name = \"qwen", "name = \"-qwen"),
            ("size = 1_117", "size = -1"),
            ("size = 1_117_320_768", "size = 0"),
            ("sha256 = \"cc", "sha256 = \"CC"),
            ("sha256 = \"cc", "sha256 = \""),
            ("package = \"tiny", "package = \"--index-url=tiny"),
            ("package = \"tiny", "package = \"x @ file:///tiny"),
            ("version = \"0.2.0", "version = \"0.2.0 -r x"),
            ("parts = 22", "parts = 0"),
            ("parts = 22", "parts = 100000"),
            ("member = \"data", "member = \"/data"),
            ("licence =", "license ="),
        ] {
            let text = sound.replacen(from, to, 1);
            assert_ne!(text, sound, "{from} is not in the list any more");
            assert!(Manifest::parse(&text).is_err(), "{to} passed");
        }
        assert!(Manifest::parse(&format!("{sound}\n{sound}")).is_err(), "the same model twice");
    }
}
