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
mod faults;
mod fix;
mod here;
mod intent;
mod investigate;
mod knowledge;
mod line;
mod lookup;
mod manual;
mod model;
mod nushell;
mod parser;
mod platform;
mod plugin;
mod pty;
mod real;
mod refine;
mod remote;
mod repair;
mod resident;
mod risk;
mod sandbox;
mod shape;
mod shells;
mod solved;
mod syntax;
mod tidy;
