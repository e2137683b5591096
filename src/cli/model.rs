//! `askline model`.

#[allow(unused_imports, reason = "being written")]
use super::{Desk, Exit};
#[allow(unused_imports, reason = "being written")]
use crate::shell::Shell;

#[allow(unused_variables, reason = "being written")]
pub(super) fn run(args: &super::args::Model, desk: &Desk) -> anyhow::Result<Exit> {
    anyhow::bail!("not written yet")
}
