//! What literal text makers print (provisional).
use crate::shell::Shell;
use std::collections::BTreeMap;
pub(super) struct Step<'a> {
    pub(super) words: &'a [String],
    pub(super) input: Option<String>,
}
pub(super) fn output(_steps: &[Step<'_>]) -> Option<String> {
    None
}
pub(super) fn expand(_text: &str, _variables: &BTreeMap<String, String>, _shell: Shell) -> Option<String> {
    None
}
