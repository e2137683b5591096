//! Places that no command may read unasked: keys, passwords, histories, devices, other processes.

use serde::Deserialize;

/// Bytes that a file's name can have.
const MAX_NAME: usize = 255;

/// Names and paths; `*` at the beginning or end of a part stands for anything. A path that begins with `/` is meant from
/// the root, others wherever they stand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Secrets {
    secret: Vec<String>,
    /// What does not matter to those that only look at names.
    devices: Vec<String>,
    /// Nevertheless fine.
    but: Vec<String>,
    /// Too much lies below these to search it through, from the root or from home (`~/…`).
    wide: Vec<String>,
}

/// How a word is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// Its `*`, `?` and `[…]` stand for names of files.
    pub(super) glob: bool,
    /// Only names and attributes are read, no content.
    pub(super) names: bool,
}

impl Secrets {
    /// Whether a word, or a part of it behind `=` or `:`, names a secret place. Letters count as on a file system that
    /// knows no case.
    pub(super) fn names(&self, word: &str, look: Look) -> bool {
        let word = folded(word);
        word.split(['=', ':']).chain([word.as_str()]).any(|path| self.names_path(path, look))
    }

    fn names_path(&self, path: &str, look: Look) -> bool {
        if self.but.iter().any(|fine| fine == path) {
            return false;
        }
        let (anchored, parts) = parts(path);
        let devices = if look.names { &[][..] } else { &self.devices[..] };
        // Names that a glob finds are only looked at by those that read content.
        let glob = look.glob;
        self.secret.iter().chain(devices).any(|secret| {
            let (root, pattern) = self::parts(secret);
            let fits = |at: &[&str]| {
                pattern.len() <= at.len()
                    && pattern.iter().zip(at).all(|(pattern, part)| may_be(part, pattern, glob, look.names))
            };
            if root {
                anchored && fits(&parts)
            } else {
                (0..parts.len()).any(|at| parts.get(at..).is_some_and(fits))
            }
        })
    }

    /// Whether so much lies below a path that secrets are among it.
    pub(super) fn is_wide(&self, path: &str) -> bool {
        let path = folded(path);
        let (anchored, parts) = parts(&path);
        let hidden = |part: &str| part.starts_with('.') || part.contains(['*', '?', '[']);
        match parts.first() {
            Some(&"~") => parts
                .get(1)
                .is_none_or(|part| hidden(part) || self.wide.iter().any(|wide| wide == &format!("~/{part}"))),
            None => anchored,
            Some(first) => {
                anchored && (hidden(first) || self.wide.iter().any(|wide| wide == &format!("/{first}")))
                    || path.contains("..")
            }
        }
    }
}

/// A path as a file system sees it that knows no case: to such, `ſ` is an `s`.
fn folded(path: &str) -> String {
    path.to_uppercase().to_lowercase()
}

/// The parts of a path, and whether they may be meant from the root: behind `..` nobody knows.
fn parts(path: &str) -> (bool, Vec<&str>) {
    let mut anchored = path.starts_with('/');
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                anchored = true;
                parts.clear();
            }
            _ => parts.push(part),
        }
    }
    (anchored, parts)
}

/// Whether a part of a path is, or may expand to, what a pattern of ours describes.
fn may_be(part: &str, pattern: &str, glob: bool, names: bool) -> bool {
    let is_glob = glob && part.contains(['*', '?', '[']);
    if part.len() > MAX_NAME {
        return is_glob;
    }
    if !is_glob {
        return matches(pattern, part);
    }
    let form = without_classes(part);
    let head = form.split(['*', '?']).next().unwrap_or_default();
    let tail = form.rsplit(['*', '?']).next().unwrap_or_default();
    let hides = |name: &str| name.starts_with('.') && head.is_empty();
    if names && head.is_empty() {
        return pattern == "*";
    }
    match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(""), _) => true,
        (Some(start), _) => {
            !hides(start) && (matches(&form, start) || (head.len() >= start.len() && head.starts_with(start)))
        }
        (_, Some(end)) => !names && (end.ends_with(tail) || tail.ends_with(end)),
        _ => !hides(pattern) && matches(&form, pattern),
    }
}

/// A glob with each `[…]` as `?`; what follows one that stays open may be anything.
fn without_classes(glob: &str) -> String {
    let mut form = String::new();
    let mut rest = glob;
    while let Some((before, class)) = rest.split_once('[') {
        form.push_str(before);
        // A `]` at the beginning belongs to the class; the longest reading is `*`.
        let Some((_, after)) = class
            .split_once(']')
            .filter(|(inside, _)| !matches!(*inside, "" | "!" | "^") && !inside.contains('['))
        else {
            form.push('*');
            return form;
        };
        form.push('?');
        rest = after;
    }
    form.push_str(rest);
    form
}

/// Whether a text fits a pattern of `*` and `?`. Time is the product of their lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    // Whether the pattern so far fits the first characters of the text, by their number.
    let mut fits: Vec<bool> = (0..=text.len()).map(|count| count == 0).collect();
    for wanted in pattern.chars() {
        let mut next = vec![wanted == '*' && fits.first() == Some(&true)];
        for (c, fit) in text.iter().zip(&fits) {
            let before = next.last() == Some(&true);
            next.push(match wanted {
                '*' => before || fits.get(next.len()) == Some(&true),
                '?' => *fit,
                _ => *fit && *c == wanted,
            });
        }
        fits = next;
    }
    fits.last() == Some(&true)
}
