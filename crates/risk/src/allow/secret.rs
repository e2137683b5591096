//! Secret paths that no command may read without asking: keys, passwords, histories, devices, other processes.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::path_class::matches;

/// Maximum length of a file name, in bytes.
const NAME_MAX: usize = 255;

/// Patterns of names and paths; `*` at the beginning or end of a component matches anything. A pattern with a leading
/// `/` matches from the root, others match at any depth.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Secrets {
    secret: Vec<String>,
    /// Paths that are harmless for programs which only read names.
    devices: Vec<String>,
    /// Exceptions that are allowed.
    but: Vec<String>,
    /// Directories too large to search through, from the root or from home (`~/…`).
    wide: Vec<String>,
    /// Parts of `secret` and of `devices`, each with `true` if they count from the root.
    #[serde(skip)]
    parts: OnceLock<[Vec<PatternParts>; 2]>,
}

/// The components of a pattern, with `true` if they count from the root.
type PatternParts = (bool, Vec<String>);

/// Circumstances of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordContext {
    /// `true` if the shell expands `*`, `?` and `[…]` of the word to file names.
    pub(super) glob: bool,
    /// `true` if the program reads only names and attributes, no content.
    pub(super) names: bool,
}

impl Secrets {
    /// Reports whether a word, or a part of it after `=` or `:`, names a secret path. Letter case is ignored, as on a
    /// case-insensitive file system.
    pub(super) fn names(&self, word: &str, look: WordContext) -> bool {
        let word = folded(word);
        word.split(['=', ':']).chain([word.as_str()]).any(|path| self.names_path(path, look))
    }

    fn names_path(&self, path: &str, look: WordContext) -> bool {
        if self.but.iter().any(|fine| fine == path) {
            return false;
        }
        let (anchored, parts) = parts(path);
        let [secret, devices] =
            self.parts.get_or_init(|| [&self.secret, &self.devices].map(|paths| owned_parts(paths)));
        let devices = if look.names { &[][..] } else { &devices[..] };
        // Names expanded from a glob matter only to programs that read content.
        let glob = look.glob;
        secret.iter().chain(devices).any(|(root, pattern)| {
            let fits = |at: &[&str]| {
                pattern.len() <= at.len()
                    && pattern.iter().zip(at).all(|(pattern, part)| may_be(part, pattern, glob, look.names))
            };
            if *root {
                anchored && fits(&parts)
            } else {
                (0..parts.len()).any(|at| parts.get(at..).is_some_and(fits))
            }
        })
    }

    /// Reports whether a path contains so much that secrets are among it.
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

/// Returns a path with case folded as on a case-insensitive file system, for which `ſ` equals `s`.
fn folded(path: &str) -> String {
    path.to_uppercase().to_lowercase()
}

/// Returns the components of a path, and `true` if they may be relative to the root: after `..` the base is unknown.
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

fn owned_parts(paths: &[String]) -> Vec<PatternParts> {
    let owned = |path: &String| {
        let (anchored, parts) = parts(path);
        (anchored, parts.into_iter().map(str::to_owned).collect())
    };
    paths.iter().map(owned).collect()
}

/// Reports whether a path component matches a secret pattern, or may expand to a match.
fn may_be(part: &str, pattern: &str, glob: bool, names: bool) -> bool {
    let is_glob = glob && part.contains(['*', '?', '[']);
    if part.len() > NAME_MAX {
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

/// Returns a glob with each `[…]` replaced by `?`; an unclosed `[` and the text after it become `*`.
fn without_classes(glob: &str) -> String {
    let mut form = String::new();
    let mut rest = glob;
    while let Some((before, class)) = rest.split_once('[') {
        form.push_str(before);
        // A leading `]` belongs to the class. Such ambiguous classes become `*`, the longest match.
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
