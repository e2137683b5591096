//! Memory that a model needs, computed from the start of its file. Pure: bytes in, numbers out.

use std::io::Cursor;

use crate::gguf::Header;

/// Number of bytes of a model's file to read. The relevant entries come before the vocabulary.
pub const HEADER_BYTES: u64 = 64 << 10;

/// Bytes per number of the attention state: half precision.
const KEPT_BYTES: u64 = 2;

/// Working memory in addition to the attention state, per unit of the model's width: intermediate values of a
/// batch of 512 tokens. Rounded up from llama.cpp's report for the models of the manifest.
const COMPUTE_BYTES_PER_UNIT: u64 = 64 << 10;

/// Constant part for all models: vocabulary scores of seven tokens, threads, graphs, the vocabulary.
const COMPUTE_BYTES: u64 = 96 << 20;

/// Memory of a loaded model, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Weights: mapped from the file, therefore shared with other programs and reclaimable by the system.
    pub mapped: u64,
    /// Private memory for attention state and computation; an upper bound for models without experts.
    pub own: u64,
}

/// Returns the memory that a model needs to read `room` tokens, from its file's length and first
/// [`HEADER_BYTES`]; `None` if these are not a GGUF header or lack the model's dimensions.
pub fn needs(length: u64, header: &[u8], room: u64) -> Option<Needs> {
    let shape = ModelDimensions::read(header)?;
    let kept = room.checked_mul(shape.layers)?.checked_mul(shape.kept_width)?.checked_mul(KEPT_BYTES)?;
    let own =
        kept.checked_add(shape.width.checked_mul(COMPUTE_BYTES_PER_UNIT)?)?.checked_add(COMPUTE_BYTES)?;
    Some(Needs { mapped: length, own })
}

/// Model dimensions that determine the attention state per token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ModelDimensions {
    layers: u64,
    /// Numbers per token in each layer.
    width: u64,
    /// Numbers per token that each layer keeps.
    kept_width: u64,
}

impl ModelDimensions {
    fn read(header: &[u8]) -> Option<Self> {
        let mut header = Header::open(Cursor::new(header), header.len() as u64).ok()?;
        let (mut layers, mut width, mut heads, mut kept_heads) = (None, None, None, None);
        let (mut key_width, mut value_width) = (None, None);
        // The header is cut off somewhere after the relevant settings.
        while let Ok(Some((name, value))) = header.setting() {
            // Names begin with the model's architecture, such as `qwen2.block_count`.
            let Some((_, name)) = name.split_once('.') else { continue };
            match name {
                "block_count" => layers = value.whole(),
                "embedding_length" => width = value.whole(),
                "attention.head_count" => heads = value.whole(),
                "attention.head_count_kv" => kept_heads = value.whole(),
                "attention.key_length" => key_width = value.whole(),
                "attention.value_length" => value_width = value.whole(),
                _ => {}
            }
        }
        let (layers, width, heads) = (layers?, width?, heads?);
        let head_width = width.checked_div(heads)?;
        let both = key_width.unwrap_or(head_width).checked_add(value_width.unwrap_or(head_width))?;
        Some(Self { layers, width, kept_width: kept_heads.unwrap_or(heads).checked_mul(both)? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
    }

    fn number(key: &str, value: u32) -> Vec<u8> {
        [text(key), 4_u32.to_le_bytes().to_vec(), value.to_le_bytes().to_vec()].concat()
    }

    /// Returns the relevant part of the smaller manifest model's header, with a truncated vocabulary.
    fn header() -> Vec<u8> {
        let entries = [
            [text("general.architecture"), 8_u32.to_le_bytes().to_vec(), text("qwen2")].concat(),
            [text("general.flag"), 7_u32.to_le_bytes().to_vec(), vec![1]].concat(),
            [
                text("general.tags"),
                9_u32.to_le_bytes().to_vec(),
                8_u32.to_le_bytes().to_vec(),
                2_u64.to_le_bytes().to_vec(),
                text("a"),
                text("b"),
            ]
            .concat(),
            number("qwen2.block_count", 24),
            number("qwen2.embedding_length", 896),
            number("qwen2.attention.head_count", 14),
            number("qwen2.attention.head_count_kv", 2),
            [
                text("tokenizer.ggml.tokens"),
                9_u32.to_le_bytes().to_vec(),
                8_u32.to_le_bytes().to_vec(),
                151_936_u64.to_le_bytes().to_vec(),
                text("!"),
            ]
            .concat(),
        ];
        let front =
            [&b"GGUF"[..], &3_u32.to_le_bytes(), &290_u64.to_le_bytes(), &26_u64.to_le_bytes()].concat();
        [front, entries.concat()].concat()
    }

    #[test]
    fn a_token_of_the_small_model_keeps_twelve_kib() {
        let (one, two) =
            (needs(491_400_064, &header(), 1).unwrap(), needs(491_400_064, &header(), 2).unwrap());
        assert_eq!(one.mapped, 491_400_064);
        assert_eq!(two.own - one.own, 12 << 10);
    }

    #[test]
    fn heads_of_their_own_width_count() {
        let wide = [header(), Vec::new()].concat();
        let at = wide.windows(21).position(|window| window == b"tokenizer.ggml.tokens").unwrap() - 8;
        let entry = number("qwen2.attention.key_length", 128);
        let wide = [&wide[..at], &entry, &wide[at..]].concat();
        let shape = ModelDimensions::read(&wide).unwrap();
        assert_eq!((shape.layers, shape.width, shape.kept_width), (24, 896, 2 * (128 + 64)));
    }

    #[test]
    fn what_is_no_header_is_no_answer() {
        for bytes in [&b""[..], b"GGUF", b"GGML\x03\0\0\0", b"<html>not found</html>"] {
            assert_eq!(needs(1, bytes, 4096), None);
        }
        // An overflow gives no answer rather than a wrong one.
        assert_eq!(needs(1, &header(), u64::MAX), None);
    }

    proptest! {
        /// Truncated or damaged headers give a result or `None`, never a panic.
        #[test]
        fn damage_does_no_harm(length in 0..600_usize, at in 0..600_usize, byte: u8) {
            let mut header = header();
            header.truncate(length);
            if let Some(place) = header.get_mut(at) {
                *place = byte;
            }
            let _ = needs(1, &header, 4096);
        }
    }
}
