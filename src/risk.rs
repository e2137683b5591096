//! How careful one should be with a line, and why: what its commands do, to what, and whether that can be taken back.
//!
//! Pure. What programs do is data: `risk/effects` (`risk/README.md` says how to add one).

mod effect;

pub use effect::{Effect, Label, Scope};
