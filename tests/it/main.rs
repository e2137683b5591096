//! The one integration binary: one module per thing a user touches, plus `tidy` for rules the compiler can't check.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails by panicking, in its helpers too")]

mod line;
mod pty;
mod shells;
mod tidy;
