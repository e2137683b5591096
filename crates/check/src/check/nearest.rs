//! Finds the one name that was clearly meant by a misspelled name.

/// Maximum length of a compared name, in characters.
const CHARS_MAX: usize = 40;
/// Minimum length for accepting any one-letter difference. In shorter names an added or changed letter is as often a
/// different name as a typo: `gitk`, `sqrt`.
const LONG_CHARS_MIN: usize = 6;
/// Minimum length of a name with a missing letter. Shorter names are too ambiguous.
const LEFT_CHARS_MIN: usize = 3;

/// Returns the nearest name; `None` if no name is near or two different names are equally near.
pub(super) fn clear<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.chars().count() < 2 {
        return None;
    }
    let mut best: Option<((usize, bool, bool), &str)> = None;
    let mut is_tied = false;
    for name in names {
        if name == wanted || !is_near(wanted, name) {
            continue;
        }
        let distance = strsim::osa_distance(wanted, name);
        // Between two equally near names, prefer the one with the same letters in another order, then the one without a doubled letter:
        // `grpe` means `grep`, `lss` means `ls`.
        let rank = (distance, !same_letters(wanted, name), !is_without_doubled(wanted, name));
        match best {
            Some((best_rank, _)) if best_rank < rank => {}
            Some((best_rank, best_name)) if best_rank == rank => is_tied |= best_name != name,
            _ => {
                best = Some((rank, name));
                is_tied = false;
            }
        }
    }
    best.filter(|_| !is_tied).map(|(_, name)| name)
}

/// Reports whether `wanted` may be a misspelling of `name`.
pub(super) fn is_near(wanted: &str, name: &str) -> bool {
    let length = wanted.chars().count();
    let limit = match length {
        ..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    let is_comparable = length <= CHARS_MAX && name.chars().count().abs_diff(length) <= limit;
    is_comparable && strsim::osa_distance(wanted, name) <= limit
}

/// Reports whether `wanted` is so surely a typo for `name` that no confirmation is needed: two letters swapped, one
/// missing, or one doubled; in long names any one letter.
pub(super) fn is_slip(wanted: &str, name: &str) -> bool {
    let (length, other) = (wanted.chars().count(), name.chars().count());
    strsim::osa_distance(wanted, name) == 1
        && (LONG_CHARS_MIN <= length.min(other)
            || same_letters(wanted, name)
            || LEFT_CHARS_MIN <= length && length < other
            || other < length && is_without_doubled(wanted, name))
}

/// Reports whether `wanted` is surely a typo for the name of a file. Another number or another ending means another
/// file.
pub fn is_slip_of_file(wanted: &str, name: &str) -> bool {
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let ending =
        |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    let is_other_case = wanted.to_lowercase() == name.to_lowercase();
    is_other_case
        || is_slip(wanted, name)
            && digits(wanted) == digits(name)
            && is_same_ending(&ending(wanted), &ending(name))
}

/// Reports whether endings have the same letters, or one lacks a letter of the other: `jsn` for `json`, but not `js` for `jsx`.
fn is_same_ending(one: &str, other: &str) -> bool {
    const LETTERS_MIN: usize = 3;
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut rest = long.chars();
    let lacks_one = LETTERS_MIN <= short.len()
        && short.chars().count() + 1 == long.chars().count()
        && short.chars().all(|letter| rest.any(|other| other == letter));
    same_letters(one, other) || lacks_one
}

/// Reports whether removing one of two equal adjacent letters from `wanted` gives `name`.
fn is_without_doubled(wanted: &str, name: &str) -> bool {
    let letters: Vec<char> = wanted.chars().collect();
    letters.windows(2).enumerate().any(|(at, pair)| {
        let rest = letters.iter().take(at).chain(letters.iter().skip(at + 1));
        matches!(pair, [one, other] if one == other) && rest.copied().eq(name.chars())
    })
}

/// Reports whether two names consist of the same letters.
pub(super) fn same_letters(one: &str, other: &str) -> bool {
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}

#[cfg(test)]
mod tests {
    use super::{clear, is_slip};

    #[test]
    fn a_slip_is_sure() {
        for (wanted, name) in [
            ("grpe", "grep"),
            ("sl", "ls"),
            ("grp", "grep"),
            ("sotr", "sort"),
            ("lss", "ls"),
            ("gitt", "git"),
            ("lenght", "length"),
            ("systemctk", "systemctl"),
            ("commmit", "commit"),
            ("éà", "àé"),
        ] {
            assert!(is_slip(wanted, name), "{wanted} {name}");
        }
        for (wanted, name) in [
            ("sqrt", "sort"),
            ("gitk", "git"),
            ("htop", "top"),
            ("ecko", "echo"),
            ("lsd", "ls"),
            ("l", "ls"),
            ("du", "duf"),
            ("rename", "renice"),
            ("ls", "ls"),
            ("", "a"),
        ] {
            assert!(!is_slip(wanted, name), "{wanted} {name}");
        }
    }

    #[test]
    fn one_clear_name_only() {
        let table = [
            ("colour", "color sort columns", Some("color")),
            ("grpe", "grep gree type", Some("grep")),
            ("recursiv", "recursive reverse", Some("recursive")),
            ("sl", "ls ps", Some("ls")),
            ("lss", "ls less lsd", Some("ls")),
            ("x", "xz", None),
            ("zzznope", "color sort", None),
            ("all", "all", None),
            ("", "a", None),
        ];
        for (wanted, names, expected) in table {
            assert_eq!(clear(wanted, names.split(' ')), expected, "{wanted}");
        }
    }
}
