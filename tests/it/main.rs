//! The one integration binary: one module per thing a user touches, plus `tidy` for rules the compiler can't check.

mod cli;
mod completions;
mod line;
mod model;
mod pty;
mod shells;
mod tidy;
