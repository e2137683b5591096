//! How careful one should be with a line, and why: what its commands do, to what, and whether that can be taken back.
//!
//! Pure. What programs do is data: `risk/effects` (`risk/README.md` says how to add one).

#[cfg_attr(not(test), allow(dead_code, reason = "the judgement of lines will ask it"))]
mod address;
#[cfg_attr(not(test), allow(dead_code, reason = "the judgement of lines will ask it"))]
mod decode;
mod effect;
#[cfg_attr(not(test), allow(dead_code, reason = "the judgement of lines will ask it"))]
mod place;
#[cfg_attr(not(test), allow(dead_code, reason = "the judgement of lines will ask it"))]
mod script;

pub use effect::{Effect, Label, Scope};
