//! Findings about forms that belong to another family of tools: a GNU option on BSD, a BSD form on GNU.

pub(crate) mod arguments;
mod foreign;
mod pattern;
#[cfg(test)]
mod tests;

pub use foreign::{Example, examples, findings};
