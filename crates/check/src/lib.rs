#![doc = include_str!("../README.md")]

pub mod check;
pub mod explain;
pub mod file_schema;
pub mod finding;
pub mod git_refs;
pub mod platform;
pub mod reference;
pub mod repair;
#[cfg(test)]
mod test_machine;
pub mod typed;
pub mod unfinished;
