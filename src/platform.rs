//! Which family of tools a program belongs to: GNU, BusyBox, uutils, toybox or BSD.

use std::path::Path;

/// A family of implementations of the common tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Userland {
    Gnu,
    Busybox,
    Uutils,
    Toybox,
    Bsd,
    Unknown,
}

/// The family that a program's real path (links followed) shows, on an operating system as `std::env::consts::OS`
/// names it.
pub fn userland_of(_real_path: &Path, _os: &str) -> Userland {
    Userland::Unknown
}
