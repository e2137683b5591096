#![doc = include_str!("../README.md")]

/// Name for display.
pub const NAME: &str = "cookbook-0.5b";
/// SHA-256 of the model file that it was trained against.
pub const MODEL: &str = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32";
/// Content of the GGUF file.
pub const BYTES: &[u8] = include_bytes!("../adapter.gguf");
