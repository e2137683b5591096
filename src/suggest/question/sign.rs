//! What the signs of a shell and the modes of `chmod` mean. A small model gets these wrong.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::fix::meaning_of_status;
use askline_syntax::shell::Shell;

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("sign.toml")).expect("sign.toml is checked by a test"));

/// Maximum number of things of one question.
const THINGS_MAX: usize = 3;

/// Names of an exit status.
const STATUSES: [&str; 6] = ["exit code", "exit status", "return code", "error code", "exit", "status"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sign: Vec<Sign>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    names: Vec<String>,
    /// Without them all but Nushell.
    shells: Option<Vec<Shell>>,
    means: String,
}

impl Sign {
    fn is_in(&self, shell: Shell) -> bool {
        self.shells.as_ref().map_or(!shell.is_nushell(), |shells| shells.contains(&shell))
    }
}

/// Returns what the things mean that a question is about: "2>&1", "> and >>", "chmod 755". `None` unless all of them are known in
/// this shell.
pub(super) fn meanings(things: &str, shell: Shell) -> Option<String> {
    let things: Vec<&str> = things.split(" and ").map(bare).collect();
    if THINGS_MAX < things.len() {
        return None;
    }
    // "chmod 755 and 644"
    let is_mode = things.first().is_some_and(|first| first.starts_with("chmod "));
    let told: Option<Vec<String>> = things
        .iter()
        .map(|thing| match permissions(thing).filter(|_| is_mode) {
            Some(told) => Some(format!("`{thing}`: {told}")),
            None => meaning(thing, shell),
        })
        .collect();
    Some(told?.join("; "))
}

/// Reports whether each of the things has a meaning in one of the shells.
pub(super) fn is_known(things: &str) -> bool {
    Shell::ALL.iter().any(|shell| meanings(things, *shell).is_some())
}

/// Returns a thing without quotes and the words around it.
fn bare(thing: &str) -> &str {
    let thing = thing.trim().trim_start_matches("the ");
    let thing = thing.strip_suffix(" in bash").or_else(|| thing.strip_suffix(" operator")).unwrap_or(thing);
    let quotes = ['`', '"', '\''];
    thing.strip_prefix(quotes).and_then(|it| it.strip_suffix(quotes)).unwrap_or(thing).trim()
}

fn meaning(thing: &str, shell: Shell) -> Option<String> {
    if let Some(mode) = thing.strip_prefix("chmod ") {
        return Some(format!("`{mode}`: {}", permissions(mode)?));
    }
    if let Some(told) = listed_mode(thing).or_else(|| status(thing)) {
        return Some(told);
    }
    let is_meant = |sign: &&Sign| sign.is_in(shell) && sign.names.iter().any(|name| name == thing);
    Some(format!("`{thing}` {}", TABLE.sign.iter().find(is_meant)?.means))
}

/// Returns what a mode in the form of `ls -l` says: `drwxr-xr-x`.
fn listed_mode(text: &str) -> Option<String> {
    let kind = match text.chars().next()? {
        'd' => "a directory",
        'l' => "a link",
        '-' => "a file",
        _ => return None,
    };
    let letters: Vec<char> = text.chars().skip(1).collect();
    if letters.len() != 9 {
        return None;
    }
    let digit = |three: &[char]| {
        let bits = three.iter().zip([('r', 4), ('w', 2), ('x', 1)]);
        bits.map(|(letter, (wanted, bit))| match *letter {
            '-' => Some(0),
            letter if letter == wanted => Some(bit),
            _ => None,
        })
        .sum::<Option<u32>>()
    };
    let digits: Option<Vec<u32>> = letters.chunks(3).map(digit).collect();
    let mode: String = digits?.iter().map(u32::to_string).collect();
    Some(format!("`{text}`: {kind}; {} ({mode})", permissions(&mode)?))
}

/// Returns what an exit status means in every shell: "exit code 127".
fn status(text: &str) -> Option<String> {
    let number = STATUSES.iter().find_map(|name| text.strip_prefix(name)?.strip_prefix(' '))?;
    let meaning = meaning_of_status(number.parse().ok()?)?;
    Some(format!("status {number}: {meaning}"))
}

/// Returns what an octal mode of three digits permits.
fn permissions(mode: &str) -> Option<String> {
    let digits: Vec<u32> = mode.chars().map(|c| c.to_digit(8)).collect::<Option<_>>()?;
    let [owner, group, others] = digits[..] else { return None };
    let told = |who: &str, digit: u32| {
        let may: Vec<&str> = [(4, "read"), (2, "write"), (1, "execute")]
            .into_iter()
            .filter_map(|(bit, verb)| (digit & bit != 0).then_some(verb))
            .collect();
        match may.as_slice() {
            [] => format!("{who} may do nothing"),
            [one] => format!("{who} may {one}"),
            [first, last] => format!("{who} may {first} and {last}"),
            _ => format!("{who} may read, write and execute"),
        }
    };
    Some(match group == others {
        true => format!("{}; {}", told("the owner", owner), told("group and others", group)),
        false => {
            format!("{}; {}; {}", told("the owner", owner), told("the group", group), told("others", others))
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn signs_and_modes_have_a_meaning() {
        for (things, shell, part) in [
            (">", Shell::Bash, "`>` writes the output to a file and replaces"),
            ("> and >>", Shell::Zsh, "; `>>` appends"),
            ("`2>&1`", Shell::Fish, "where the output goes"),
            ("|", Shell::Nu, "passes the value"),
            (
                "chmod 755",
                Shell::Bash,
                "the owner may read, write and execute; group and others may read and execute",
            ),
            (
                "chmod 755 and 644",
                Shell::Bash,
                "`644`: the owner may read and write; group and others may read",
            ),
            (
                "drwxr-x---",
                Shell::Bash,
                "a directory; the owner may read, write and execute; the group may read and execute; others may do nothing (750)",
            ),
            ("exit code 127", Shell::Fish, "status 127: a command in it was not found"),
            (
                "chmod 640",
                Shell::Bash,
                "the owner may read and write; the group may read; others may do nothing",
            ),
        ] {
            let told = meanings(things, shell).unwrap();
            assert!(told.contains(part), "{things}: {told}");
        }
        for (things, shell) in [
            ("tar -xzf", Shell::Bash),
            ("> and tee", Shell::Bash),
            ("2>&1", Shell::Nu),
            ("chmod 9", Shell::Bash),
            ("drwxr-xr", Shell::Bash),
            ("exit code 42", Shell::Bash),
            ("", Shell::Bash),
        ] {
            assert_eq!(meanings(things, shell), None, "{things}");
        }
    }

    #[test]
    fn names_are_lower_case_and_mean_one_thing() {
        for (index, sign) in TABLE.sign.iter().enumerate() {
            assert!(
                !sign.means.ends_with('.') && Shell::ALL.iter().any(|shell| sign.is_in(*shell)),
                "{sign:?}"
            );
            for other in TABLE.sign.iter().skip(index + 1) {
                let is_twice = sign.names.iter().any(|name| other.names.contains(name))
                    && Shell::ALL.iter().any(|shell| sign.is_in(*shell) && other.is_in(*shell));
                assert!(!is_twice, "{sign:?}");
            }
            assert!(sign.names.iter().all(|name| name.to_lowercase() == *name), "{sign:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(things in r"[>&|chmod0-9 \PC]{0,30}") {
            let _ = meanings(&things, Shell::Bash);
        }
    }
}
