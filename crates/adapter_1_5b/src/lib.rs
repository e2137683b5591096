#![doc = include_str!("../README.md")]

/// Name for display.
pub const NAME: &str = "cookbook-1.5b";
/// SHA-256 of the model file that it was trained against.
pub const MODEL: &str = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046";
/// Content of the GGUF file.
pub const BYTES: &[u8] = include_bytes!("../adapter.gguf");
