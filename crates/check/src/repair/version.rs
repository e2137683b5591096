//! Nushell versions on which a repair depends.

/// First Nushell version whose `;` stops after a failed program, as `&&` does.
pub(super) const STOPS_SINCE: (u32, u32) = (0, 98);

/// Reports whether a version such as `0.98.0` is at least the given one.
pub(super) fn is_since(version: &str, (major, minor): (u32, u32)) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    let known = numbers.next().flatten().zip(numbers.next().flatten());
    known.is_some_and(|known| (major, minor) <= known)
}
