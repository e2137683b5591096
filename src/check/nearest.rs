//! The one name that was clearly meant by a misspelt one.

/// Longest name that is compared, in characters.
const MAX_CHARS: usize = 40;

/// The nearest of the names, when it is near and no other is as near. The same name listed twice counts once.
pub(super) fn clear<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = wanted.chars().count();
    if length < 2 || MAX_CHARS < length {
        return None;
    }
    let limit = match length {
        ..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let mut best: Option<((usize, bool), &str)> = None;
    let mut is_tied = false;
    for name in names {
        let near = name.chars().count().abs_diff(length) <= limit;
        if !near || name == wanted {
            continue;
        }
        let distance = strsim::osa_distance(wanted, name);
        if limit < distance {
            continue;
        }
        // Of two equally near ones, the one with the same letters in another order was meant: `grpe` is `grep`.
        let rank = (distance, !same_letters(wanted, name));
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

fn same_letters(one: &str, other: &str) -> bool {
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}

#[cfg(test)]
mod tests {
    use super::clear;

    #[test]
    fn one_clear_name_only() {
        let table = [
            ("colour", "color sort columns", Some("color")),
            ("grpe", "grep gree type", Some("grep")),
            ("recursiv", "recursive reverse", Some("recursive")),
            ("sl", "ls ps", Some("ls")),
            ("lss", "ls less lsd", None),
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
