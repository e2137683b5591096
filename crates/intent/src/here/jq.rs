//! Filters of `jq` held against the file that they read.

mod call;
mod keys;
mod lexer;
mod list;

pub(super) use keys::find;
