//! Checks of a command line against the commands and options of a machine: findings, forms of other userlands, repairs,
//! and explanations from the manual.

pub mod check;
pub mod explain;
pub mod file_schema;
pub mod finding;
pub mod platform;
pub mod reference;
pub mod repair;
pub mod typed;
