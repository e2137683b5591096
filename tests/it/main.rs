//! The single integration binary: one module per feature that users see, plus `tidy` for rules that the compiler cannot
//! check.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on stops; clippy's allow-in-tests leaves helpers out"
)]

mod answers;
mod chain;
mod check;
mod cli;
mod columns;
mod completions;
mod cookbook;
mod counted;
mod diagnostics;
mod faults;
mod fix;
mod help;
mod here;
mod hook;
mod intent;
mod investigate;
mod knowledge;
mod line;
mod lookup;
mod man;
mod manual;
mod mcp;
mod model;
mod nushell;
mod packaging;
mod parser;
mod platform;
mod plugin;
mod prefer;
mod pty;
mod real;
mod refine;
mod remote;
mod repair;
mod resident;
mod risk;
// Other systems have no sandbox.
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod sandboxed_line;
mod setup;
mod shape;
mod shells;
mod solved;
mod syntax;
mod tidy;
