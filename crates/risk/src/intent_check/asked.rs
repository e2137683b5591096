//! Checks whether a request names a file: by its name, by the words of its name, or by a common phrase for such files.

use std::collections::BTreeSet;

use super::{LISTS, words};
use crate::files::{Access, FileUse};
use crate::path_class::matches;

/// Number of words before a verb that are searched for a negation.
const REFUSED: usize = 3;
/// Minimum length, in bytes, of a word that may be a plural.
const PLURAL_MIN: usize = 4;

/// A request, prepared for finding file names in it.
pub(super) struct RequestWords {
    /// Parts between blanks, quotes and brackets, in lower case.
    names: Vec<String>,
    /// Words in the singular.
    words: BTreeSet<String>,
    /// Words in the singular, in order.
    row: Vec<String>,
}

impl RequestWords {
    pub(super) fn of(request: &str) -> Self {
        let is_break = |c: char| c.is_whitespace() || "\"'`“”‘’()[]{}<>,;|&!?=".contains(c);
        let names = request.split(is_break).map(|name| name.trim_end_matches(['.', ':']).to_lowercase());
        let names = names.filter(|name| !name.is_empty()).collect();
        let row: Vec<String> = words(request).map(|word| singular(&word).to_owned()).collect();
        Self { names, words: row.iter().cloned().collect(), row }
    }

    /// Reports whether the request has no words.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Reports whether the request asks for this file.
    ///
    /// A request asks for a file if it contains its name (`build.sh`, `tools/build.sh`, `.env`). If both have
    /// directories, these must agree. A script outside the working directory needs its directories named as well.
    ///
    /// A request also asks for a script if it contains all words of the name without the extension and another word of
    /// running ("run the deploy script": `deploy.sh`), and for a secret if it contains the words of its name and of
    /// its directory ("my aws credentials": `~/.aws/credentials`). Other phrases for files are data (`asked`).
    pub(super) fn names(&self, met: &FileUse) -> bool {
        if self.refuses(met.access) {
            return false;
        }
        if met.is_made && self.has_any(&[&LISTS.runs, &LISTS.builds]) {
            return true;
        }
        [&met.text, &met.path].into_iter().any(|path| self.names_path(path, met))
    }

    /// Reports whether this word means that a file is run, or that its content is wanted.
    fn is_wish(word: &str, access: Access) -> bool {
        let lists: &[&BTreeSet<String>] = match access {
            Access::Run => &[&LISTS.runs, &LISTS.uses, &LISTS.builds],
            Access::Read => &[&LISTS.takes],
        };
        lists.iter().any(|list| list.contains(word))
    }

    /// Reports whether the request has words of making or changing, and none of running or showing.
    fn makes(&self, access: Access) -> bool {
        self.has_any(&[&LISTS.makes]) && !self.row.iter().any(|word| Self::is_wish(word, access))
    }

    /// Reports whether all words of running or showing follow a negation.
    fn refuses(&self, access: Access) -> bool {
        let is_refused = |at: usize| {
            let before = self.row.get(at.saturating_sub(REFUSED)..at).unwrap_or_default();
            before.iter().any(|word| LISTS.refuses.contains(word))
        };
        let mut wishes =
            self.row.iter().enumerate().filter(|(_, word)| Self::is_wish(word, access)).peekable();
        wishes.peek().is_some() && wishes.all(|(at, _)| is_refused(at))
    }

    /// Reports whether the request contains a word of one of the lists.
    fn has_any(&self, lists: &[&BTreeSet<String>]) -> bool {
        self.words.iter().any(|word| lists.iter().any(|list| list.contains(word)))
    }

    /// Reports whether the request asks for an explanation rather than for local data.
    fn explains(&self) -> bool {
        let is_general = |pair: &[String]| matches!(pair, [verb, article] if verb == "is" && matches!(article.as_str(), "a" | "an"));
        self.has_any(&[&LISTS.explains]) || self.row.windows(2).any(is_general)
    }

    fn names_path(&self, path: &str, met: &FileUse) -> bool {
        let access = met.access;
        let path = path.to_lowercase();
        let parts = parts(&path);
        let Some((last, directories)) = parts.split_last() else { return false };
        let is_here = self.is_here(&path, directories);
        let is_it = |name: &String| match self::parts(name).as_slice() {
            // A program name asks for that program; a path asks for the file.
            [name_only] if met.is_namesake && !last.contains('.') => {
                name.contains('/') && name_only == last && is_here
            }
            [name] => name == last && !is_plain(last) && (access == Access::Read || is_here),
            name => {
                !name.is_empty() && name.iter().rev().zip(parts.iter().rev()).all(|(one, other)| one == other)
            }
        };
        let fits = |form: &String| ends_with(&parts, form);
        let is_called = || {
            !self.explains()
                && LISTS.asked.iter().any(|asked| {
                    asked.files.iter().any(fits) && (is_here || !asked.here) && self.says_one(&asked.by)
                })
        };
        let is_said = || match access {
            Access::Run => is_here && self.means_file(last, met) && self.runs(last),
            Access::Read => {
                is_plain(last) && self.says(last) && directories.last().is_some_and(|it| self.says(it))
            }
        };
        // A request with other verbs only mentions the file. Runners of a project (`manage.py`) also create things, so
        // their phrases still count.
        let makes = self.makes(access);
        is_called() && (access == Access::Run || !makes)
            || !makes && (self.names.iter().any(is_it) || is_said())
    }

    /// Reports whether the request means the file rather than an installed program of that name.
    fn means_file(&self, file: &str, met: &FileUse) -> bool {
        !met.is_namesake || file != stem(file) && self.has_any(&[&LISTS.nouns])
    }

    /// Reports whether the request contains the words of a script's name and another word of running.
    fn runs(&self, file: &str) -> bool {
        let of =
            |stem: &str| -> BTreeSet<String> { words(stem).map(|word| singular(&word).to_owned()).collect() };
        let words = of(stem(file));
        let tells = |word: &String| word.chars().count() > 1 && !LISTS.fillers.contains(word);
        let is_run = || self.words.iter().any(|word| !words.contains(word) && LISTS.runs.contains(word));
        // `build.py` or `a/build.sh` is not `b/build.sh`.
        let is_other = |name: &String| {
            let parts = parts(name);
            let last = parts.last().copied().unwrap_or_default();
            last == file && parts.len() > 1 || last != file && last != stem(last) && stem(last) == stem(file)
        };
        let has_ending = file != stem(file);
        words.iter().any(tells)
            && words.iter().all(|word| self.words.contains(word))
            && is_run()
            && !(has_ending && self.names.iter().any(is_other))
    }

    /// Reports whether the path is in the working directory, or the request names its directories.
    fn is_here(&self, path: &str, directories: &[&str]) -> bool {
        let is_elsewhere = path.starts_with(['/', '~', '$']) || directories.contains(&"..");
        !is_elsewhere
            || directories.iter().all(|directory| matches!(*directory, "~" | "home") || self.says(directory))
    }

    /// Reports whether the request contains all words of a name.
    fn says(&self, name: &str) -> bool {
        let mut words = words(name).peekable();
        words.peek().is_some() && words.all(|word| self.words.contains(singular(&word)))
    }

    /// Reports whether the request contains all words of one of the phrases.
    fn says_one(&self, phrases: &[String]) -> bool {
        phrases.iter().any(|phrase| match phrase.split_once('-') {
            Some((first, second)) => self.row.windows(2).any(|pair| *pair == [first, second]),
            None => self.says(phrase),
        })
    }
}

/// Returns a file name up to its first dot, leading dots aside.
fn stem(name: &str) -> &str {
    let dots = name.len() - name.trim_start_matches('.').len();
    let end = name.char_indices().find(|(at, c)| dots <= *at && *c == '.').map_or(name.len(), |(at, _)| at);
    name.get(..end).unwrap_or(name)
}

/// Reports whether the name consists of letters only, and so may be an ordinary word.
fn is_plain(name: &str) -> bool {
    name.chars().all(char::is_alphabetic)
}

/// Returns the names between slashes; the first one is empty for an absolute path.
fn parts(path: &str) -> Vec<&str> {
    let is_root = path.starts_with('/');
    let names = path.split('/').filter(|part| !matches!(*part, "" | "."));
    is_root.then_some("").into_iter().chain(names).collect()
}

/// Reports whether the path ends with a pattern: `bin/activate`, `.env`, `id_*`.
fn ends_with(parts: &[&str], form: &str) -> bool {
    let form = form.to_lowercase();
    let form: Vec<&str> = form.split('/').collect();
    let start = parts.len().checked_sub(form.len());
    let tail = start.and_then(|start| parts.get(start..)).unwrap_or_default();
    !tail.is_empty() && tail.iter().zip(form).all(|(part, form)| matches(form, part))
}

/// Returns a word without the `s` of the plural.
fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|_| word.len() >= PLURAL_MIN).unwrap_or(word)
}
