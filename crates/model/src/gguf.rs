//! Header of a GGUF model file: its settings, and the end of its weights. Reads some megabytes of a large model, no
//! weights.

use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::Path;

use anyhow::{anyhow, bail, ensure};

use askline_host::local::open_regular;

/// First bytes of every GGUF file.
pub(crate) const MAGIC: [u8; 4] = *b"GGUF";
/// Supported versions of the format: those with 64-bit lengths, which are in use.
const VERSIONS: std::ops::RangeInclusive<u32> = 2..=3;
/// Maximum number of settings, and of tensors, in a file.
const ENTRIES_LIMIT: u64 = 1 << 17;
/// Maximum number of elements of a list, such as a vocabulary.
const LIST_LIMIT: u64 = 1 << 24;
/// Maximum number of dimensions of a tensor.
const DIMENSIONS_LIMIT: u32 = 8;
/// Setting for the alignment of the weights, and its default, in bytes.
const ALIGNMENT: (&str, u64) = ("general.alignment", 32);

/// Maximum length of a name that is read, in bytes; the name of a setting with a longer one is empty.
const NAME_BYTES_MAX: u64 = 256;

/// Range of the settings with whole numbers that llama.cpp uses without a check: it ends the process, or takes all
/// memory, at others. The upper ends are llama.cpp's own, or far above all models.
const RANGES: [(&str, std::ops::RangeInclusive<u64>); 7] = [
    ("block_count", 1..=512),
    ("context_length", 1..=1 << 31),
    ("embedding_length", 1..=1 << 18),
    ("attention.head_count", 0..=1 << 12),
    ("attention.head_count_kv", 0..=1 << 12),
    ("rope.dimension_count", 0..=1 << 14),
    ("expert_count", 0..=512),
];

/// Range of the settings whose names end so and whose values are fractions.
const FRACTION_RANGES: [(&str, std::ops::RangeInclusive<f64>); 3] =
    [("_epsilon", 0.0..=1.0), ("rope.freq_base", 1e-9..=1e12), ("rope.scaling.factor", 0.0..=1e9)];

/// Type numbers of the format.
const TYPE_TEXT: u32 = 8;
const TYPE_LIST: u32 = 9;

/// Checks that the file is complete, as far as possible without a hash.
///
/// # Errors
///
/// The reason, without the file's name.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    let found = std::fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow!("there is no such file"),
        _ => error.into(),
    })?;
    ensure!(found.is_file(), "it is not a regular file");
    let size = found.len();
    let end = Header::open(BufReader::new(open_regular(path)?), size).and_then(Header::end_of_weights);
    match end {
        Err(error) if error.is::<Ended>() => {
            bail!("it is cut off: it ends after {size} bytes, within its header")
        }
        Ok(end) if size < end => bail!("it is cut off: it has {size} bytes, its weights end at {end}"),
        other => other.map(drop),
    }
}

/// Reports whether the file has a chat template.
///
/// # Errors
///
/// If its header can't be read.
pub(crate) fn has_chat_template(path: &Path) -> anyhow::Result<bool> {
    let file = open_regular(path)?;
    let size = file.metadata()?.len();
    let mut header = Header::open(BufReader::new(file), size)?;
    while let Some((name, _)) = header.setting()? {
        if name == "tokenizer.chat_template" {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Value of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    /// Integer that is not negative.
    Whole(u64),
    /// Number with a fraction, or a negative one.
    Fraction(f64),
    /// Text, list, flag.
    Other,
}

impl Value {
    /// Returns the number if it is a whole one.
    pub(crate) fn whole(self) -> Option<u64> {
        match self {
            Self::Whole(number) => Some(number),
            Self::Fraction(_) | Self::Other => None,
        }
    }

    fn shown(self) -> String {
        match self {
            Self::Whole(number) => number.to_string(),
            Self::Fraction(number) => number.to_string(),
            Self::Other => String::new(),
        }
    }

    /// Reports whether a setting with this name may have this value.
    fn fits(self, name: &str) -> bool {
        // Names begin with the model's architecture, such as `qwen2.block_count`.
        let name = name.split_once('.').map_or(name, |(_, name)| name);
        match self {
            Self::Whole(number) => {
                RANGES.iter().all(|(ranged, range)| *ranged != name || range.contains(&number))
            }
            Self::Fraction(number) => {
                let ranged = FRACTION_RANGES.iter().find(|(end, _)| name.ends_with(end));
                ranged.map_or(number.is_finite(), |(_, range)| range.contains(&number))
                    && RANGES.iter().all(|(ranged, _)| *ranged != name)
            }
            Self::Other => true,
        }
    }
}

/// Error: the file ends before announced data.
#[derive(Debug)]
struct Ended;

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it is cut off")
    }
}

impl std::error::Error for Ended {}

/// Reader of a header.
pub(crate) struct Header<R> {
    reader: R,
    at: u64,
    size: u64,
    n_tensors: u64,
    /// Number of settings that are not read yet.
    n_settings: u64,
}

impl<R: Read + Seek> Header<R> {
    /// Opens the header at the start of a file of `size` bytes.
    ///
    /// # Errors
    ///
    /// The reason, if it is not a GGUF file of a known version with weights.
    pub(crate) fn open(reader: R, size: u64) -> anyhow::Result<Self> {
        let mut header = Self { reader, at: 0, size, n_tensors: 0, n_settings: 0 };
        if header.bytes::<4>().ok() != Some(MAGIC) {
            bail!("it is not a GGUF file");
        }
        let version = header.u32()?;
        ensure!(VERSIONS.contains(&version), "its GGUF version {version} is not supported");
        (header.n_tensors, header.n_settings) = (header.u64()?, header.u64()?);
        ensure!(header.n_tensors != 0, "it has no weights");
        ensure!(header.n_tensors.max(header.n_settings) <= ENTRIES_LIMIT, "its header is damaged");
        Ok(header)
    }

    /// Reads the name and the value of the next setting; `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the header is cut off or damaged.
    pub(crate) fn setting(&mut self) -> anyhow::Result<Option<(String, Value)>> {
        if self.n_settings == 0 {
            return Ok(None);
        }
        self.n_settings -= 1;
        let name = self.name()?;
        let value = match self.u32()? {
            // Type numbers of the format: 4 to 6 are 32 bits wide, 10 to 12 are 64.
            4 => Value::Whole(self.u32()?.into()),
            5 => signed(self.u32()?.cast_signed().into()),
            6 => Value::Fraction(f32::from_bits(self.u32()?).into()),
            10 => Value::Whole(self.u64()?),
            11 => signed(self.u64()?.cast_signed()),
            12 => Value::Fraction(f64::from_bits(self.u64()?)),
            kind => self.skip_value(kind).map(|()| Value::Other)?,
        };
        ensure!(value.fits(&name), "its header is damaged: `{name}` is {}", value.shown());
        Ok(Some((name, value)))
    }

    /// Returns the minimum length of the file.
    fn end_of_weights(mut self) -> anyhow::Result<u64> {
        let mut alignment = ALIGNMENT.1;
        while let Some((name, value)) = self.setting()? {
            if name == ALIGNMENT.0 {
                alignment = value.whole().unwrap_or(alignment);
            }
        }
        let mut end = 0;
        for _ in 0..self.n_tensors {
            end = end.max(self.tensor()?);
        }
        ensure!(alignment.is_power_of_two(), "its header is damaged");
        let start = self.at.checked_next_multiple_of(alignment);
        start.map(|start| start.saturating_add(end)).ok_or_else(|| anyhow!("its header is damaged"))
    }

    /// Reads one tensor's entry; returns the end of its weights, relative to the start of all weights.
    fn tensor(&mut self) -> anyhow::Result<u64> {
        self.skip_text()?;
        let n_dimensions = self.u32()?;
        ensure!(n_dimensions <= DIMENSIONS_LIMIT, "its header is damaged");
        let mut n_weights = 1_u64;
        for _ in 0..n_dimensions {
            n_weights = n_weights.saturating_mul(self.u64()?);
        }
        let (block, bytes) = block_of(self.u32()?);
        Ok(self.u64()?.saturating_add((n_weights / block).saturating_mul(bytes)))
    }

    fn skip_value(&mut self, kind: u32) -> anyhow::Result<()> {
        match kind {
            TYPE_TEXT => self.skip_text(),
            TYPE_LIST => {
                let (kind, length) = (self.u32()?, self.u64()?);
                ensure!(length <= LIST_LIMIT, "its header is damaged");
                if kind == TYPE_TEXT {
                    return (0..length).try_for_each(|_| self.skip_text());
                }
                // Lists of lists are not in use, so they are refused.
                self.skip(length.saturating_mul(width_of(kind)?))
            }
            kind => self.skip(width_of(kind)?),
        }
    }

    fn skip_text(&mut self) -> anyhow::Result<()> {
        let length = self.u64()?;
        self.skip(length)
    }

    fn name(&mut self) -> anyhow::Result<String> {
        let length = self.u64()?;
        if NAME_BYTES_MAX < length {
            return self.skip(length).map(|()| String::new());
        }
        let mut name = vec![0; length as usize];
        self.fill(&mut name)?;
        Ok(String::from_utf8(name).unwrap_or_default())
    }

    fn skip(&mut self, length: u64) -> anyhow::Result<()> {
        if self.size.saturating_sub(self.at) < length {
            bail!(Ended);
        }
        self.reader.seek_relative(i64::try_from(length)?)?;
        self.at += length;
        Ok(())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> anyhow::Result<()> {
        self.reader.read_exact(bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Ended.into(),
            _ => anyhow::Error::new(error),
        })?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> anyhow::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes).map(|()| bytes)
    }

    fn u32(&mut self) -> anyhow::Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> anyhow::Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }
}

fn signed(number: i64) -> Value {
    u64::try_from(number).map_or(Value::Fraction(number as f64), Value::Whole)
}

/// Returns the size in bytes of a value of a plain type.
fn width_of(kind: u32) -> anyhow::Result<u64> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => bail!("its header is damaged"),
    }
}

/// Returns the number of weights in one block of a tensor type, and the block's size in bytes. An unknown type
/// may be newer: its weights count as zero bytes.
fn block_of(kind: u32) -> (u64, u64) {
    match kind {
        0 | 26 => (1, 4),
        1 | 25 | 30 => (1, 2),
        24 => (1, 1),
        27 | 28 => (1, 8),
        2 | 20 => (32, 18),
        3 => (32, 20),
        6 => (32, 22),
        7 => (32, 24),
        8 => (32, 34),
        9 => (32, 36),
        39 => (32, 17),
        10 => (256, 84),
        11 | 21 => (256, 110),
        12 => (256, 144),
        13 => (256, 176),
        14 => (256, 210),
        15 => (256, 292),
        16 | 35 => (256, 66),
        17 => (256, 74),
        18 => (256, 98),
        19 => (256, 50),
        22 => (256, 82),
        23 => (256, 136),
        29 => (256, 56),
        34 => (256, 54),
        _ => (1, 0),
    }
}

/// Returns a complete file with 64 weights of 4 bytes, and settings of every kind.
#[cfg(test)]
pub(crate) fn sample() -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let mut file = [&MAGIC[..], &3_u32.to_le_bytes(), &1_u64.to_le_bytes(), &4_u64.to_le_bytes()].concat();
    file.extend([text("general.name"), 8_u32.to_le_bytes().into(), text("tiny")].concat());
    file.extend(
        [text("general.alignment"), 4_u32.to_le_bytes().into(), 64_u32.to_le_bytes().into()].concat(),
    );
    let list = |kind: u32, n: u64| [&9_u32.to_le_bytes()[..], &kind.to_le_bytes(), &n.to_le_bytes()].concat();
    file.extend([text("words"), list(8, 2), text("a"), text("bc")].concat());
    file.extend([text("scores"), list(6, 2), vec![0; 8]].concat());
    file.extend([text("weight"), 2_u32.to_le_bytes().into()].concat());
    file.extend([8_u64.to_le_bytes(), 8_u64.to_le_bytes()].concat());
    file.extend([&0_u32.to_le_bytes()[..], &0_u64.to_le_bytes()].concat());
    file.resize(file.len().next_multiple_of(64) + 64 * 4, 7);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(bytes: &[u8]) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        check(file.path()).map_or_else(|error| format!("{error:#}"), |()| "whole".to_owned())
    }

    #[test]
    fn a_whole_file_passes_and_every_shorter_one_does_not() {
        let whole = sample();
        assert_eq!(verdict(&whole), "whole");
        assert_eq!(verdict(&[&whole[..], b"more"].concat()), "whole");
        for length in 0..whole.len() {
            let verdict = verdict(&whole[..length]);
            let expected = if length < 4 { "it is not a GGUF file" } else { "it is cut off: it " };
            assert!(verdict.starts_with(expected), "{length} bytes: {verdict}");
        }
    }

    /// Returns a complete file whose first setting has this name, type and value.
    fn with_setting(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
        let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
        let mut file =
            [&MAGIC[..], &3_u32.to_le_bytes(), &1_u64.to_le_bytes(), &1_u64.to_le_bytes()].concat();
        file.extend([text(name), kind.to_le_bytes().into(), value.into()].concat());
        file.extend([text("weight"), 1_u32.to_le_bytes().into(), 8_u64.to_le_bytes().into()].concat());
        file.extend([&0_u32.to_le_bytes()[..], &0_u64.to_le_bytes()].concat());
        file.resize(file.len().next_multiple_of(32) + 8 * 4, 7);
        file
    }

    #[test]
    fn settings_that_would_end_the_engine_are_refused() {
        let whole = |name: &str, value: u32| verdict(&with_setting(name, 4, &value.to_le_bytes()));
        let fraction = |name: &str, value: f32| verdict(&with_setting(name, 6, &value.to_le_bytes()));
        for (name, good, bad) in [
            ("qwen2.block_count", 24, &[0, 513, u32::MAX][..]),
            ("llama.embedding_length", 896, &[0, u32::MAX]),
            ("llama.context_length", 32_768, &[0]),
            ("llama.attention.head_count", 14, &[u32::MAX]),
            ("llama.expert_count", 8, &[513]),
        ] {
            assert_eq!(whole(name, good), "whole", "{name}");
            for bad in bad {
                assert_eq!(whole(name, *bad), format!("its header is damaged: `{name}` is {bad}"));
            }
        }
        let epsilon = "qwen2.attention.layer_norm_rms_epsilon";
        assert_eq!(fraction(epsilon, 1e-6), "whole");
        for bad in [f32::NAN, f32::INFINITY, -1.0, 2.0] {
            assert_eq!(fraction(epsilon, bad), format!("its header is damaged: `{epsilon}` is {bad}"));
        }
        assert_eq!(fraction("qwen2.rope.freq_base", 1_000_000.0), "whole");
        assert!(fraction("qwen2.rope.freq_base", 0.0).contains("is damaged"));
        assert!(fraction("any.other", f32::NAN).contains("is damaged"));
        assert!(fraction("qwen2.block_count", 24.0).contains("is damaged"), "another type");
        let minus = verdict(&with_setting("qwen2.block_count", 5, &(-1_i32).to_le_bytes()));
        assert!(minus.contains("`qwen2.block_count` is -1"), "{minus}");
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let top = tempfile::tempdir().unwrap();
        let pipe = top.path().join("model.gguf");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(check(&pipe).unwrap_err().to_string(), "it is not a regular file");
    }

    #[test]
    fn other_files_are_named_for_what_they_are() {
        let mut other = sample();
        other[4] = 1;
        assert_eq!(verdict(&other), "its GGUF version 1 is not supported");
        other[4] = 3;
        other[8] = 0;
        assert_eq!(verdict(&other), "it has no weights");
        assert_eq!(verdict(b"\x7fELF"), "it is not a GGUF file");
        assert_eq!(check(Path::new("/dev")).unwrap_err().to_string(), "it is not a regular file");
        assert_eq!(check(Path::new("/none.gguf")).unwrap_err().to_string(), "there is no such file");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic_or_take_long(at in 4_usize..300, bytes: [u8; 8]) {
            let mut file = sample();
            for (byte, new) in file.iter_mut().skip(at).zip(bytes) {
                *byte = new;
            }
            verdict(&file);
        }
    }
}
