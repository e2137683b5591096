//! What text in other languages does (provisional).
use super::effect::{Effect, Scope};
use std::ops::Range;
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deed {
    pub(super) effect: Effect,
    pub(super) scope: Scope,
    pub(super) forced: bool,
    pub(super) what: String,
    pub(super) at: Range<usize>,
    pub(super) shell_script: Option<String>,
}
pub(super) fn sql(_text: &str) -> Vec<Deed> {
    Vec::new()
}
pub(super) fn code(_text: &str, _language: &str) -> Vec<Deed> {
    Vec::new()
}
