//! Whether a request names a file: by its name, by the words of its name, or by what such files are called.

use std::collections::BTreeSet;

use super::{LISTS, words};
use crate::risk::files::{Deed, Met};
use crate::risk::place::matches;

/// Words before another one among which one may turn it into its opposite.
const REFUSED: usize = 3;
/// Fewest letters of a word that may be meant in the plural.
const MIN_PLURAL: usize = 4;

/// A request as names are looked for in it.
pub(super) struct Asked {
    /// What stands between blanks and quotes, in lower case.
    names: Vec<String>,
    /// Its words, in the singular.
    words: BTreeSet<String>,
    /// The same, in their order.
    row: Vec<String>,
}

impl Asked {
    pub(super) fn of(request: &str) -> Self {
        let is_break = |c: char| c.is_whitespace() || "\"'`“”‘’()[]{}<>,;|&!?=".contains(c);
        let names = request.split(is_break).map(|name| name.trim_end_matches(['.', ':']).to_lowercase());
        let names = names.filter(|name| !name.is_empty()).collect();
        let row: Vec<String> = words(request).map(|word| singular(&word).to_owned()).collect();
        Self { names, words: row.iter().cloned().collect(), row }
    }

    /// It says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The request asks for this file.
    ///
    /// A file is asked for when its name stands in the request (`build.sh`, `tools/build.sh`, `.env`); where both have
    /// directories, these must agree, and a script that lies outside the working directory needs its own named. A script
    /// is so, too, when the words of its name without the ending stand there and another word says that something is run
    /// ("run the deploy script": `deploy.sh`), and a secret when the words of its name and of its directory do ("my aws
    /// credentials": `~/.aws/credentials`). What files are called otherwise is data (`asked`).
    pub(super) fn names(&self, met: &Met) -> bool {
        if self.refuses(met.deed) {
            return false;
        }
        if met.is_made && self.has_any(&[&LISTS.runs, &LISTS.builds]) {
            return true;
        }
        [&met.text, &met.path].into_iter().any(|path| self.names_path(path, met))
    }

    /// Whether this word says that a file is run, or that its content is wanted.
    fn is_wish(word: &str, deed: Deed) -> bool {
        let lists: &[&BTreeSet<String>] = match deed {
            Deed::Run => &[&LISTS.runs, &LISTS.uses, &LISTS.builds],
            Deed::Read => &[&LISTS.takes],
        };
        lists.iter().any(|list| list.contains(word))
    }

    /// It has words of making or changing, and none of running or showing.
    fn makes(&self, deed: Deed) -> bool {
        self.has_any(&[&LISTS.makes]) && !self.row.iter().any(|word| Self::is_wish(word, deed))
    }

    /// All its words of running or showing stand behind one that turns them into their opposite.
    fn refuses(&self, deed: Deed) -> bool {
        let is_refused = |at: usize| {
            let before = self.row.get(at.saturating_sub(REFUSED)..at).unwrap_or_default();
            before.iter().any(|word| LISTS.refuses.contains(word))
        };
        let mut wishes = self.row.iter().enumerate().filter(|(_, word)| Self::is_wish(word, deed)).peekable();
        wishes.peek().is_some() && wishes.all(|(at, _)| is_refused(at))
    }

    /// It has a word of one of the lists.
    fn has_any(&self, lists: &[&BTreeSet<String>]) -> bool {
        self.words.iter().any(|word| lists.iter().any(|list| list.contains(word)))
    }

    /// It asks what something is, not for what is here.
    fn explains(&self) -> bool {
        let is_general = |pair: &[String]| matches!(pair, [verb, article] if verb == "is" && matches!(article.as_str(), "a" | "an"));
        self.has_any(&[&LISTS.explains]) || self.row.windows(2).any(is_general)
    }

    fn names_path(&self, path: &str, met: &Met) -> bool {
        let deed = met.deed;
        let path = path.to_lowercase();
        let parts = parts(&path);
        let Some((last, directories)) = parts.split_last() else { return false };
        let is_here = self.is_here(&path, directories);
        let is_it = |name: &String| match self::parts(name).as_slice() {
            // A program's name asks for that program; a path, for the file.
            [name_only] if met.is_namesake && !last.contains('.') => {
                name.contains('/') && name_only == last && is_here
            }
            [name] => name == last && !is_plain(last) && (deed == Deed::Read || is_here),
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
        let is_said = || match deed {
            Deed::Run => is_here && self.means_file(last, met) && self.runs(last),
            Deed::Read => {
                is_plain(last) && self.says(last) && directories.last().is_some_and(|it| self.says(it))
            }
        };
        // A request with other wishes only mentions it; what stands for a project's programs (`manage.py`) makes things, too.
        let makes = self.makes(deed);
        is_called() && (deed == Deed::Run || !makes) || !makes && (self.names.iter().any(is_it) || is_said())
    }

    /// Not the installed program that is called so.
    fn means_file(&self, file: &str, met: &Met) -> bool {
        !met.is_namesake || file != stem(file) && self.has_any(&[&LISTS.nouns])
    }

    /// The words of a script's name stand in the request, and another one that says that something is run.
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

    /// The path is in the working directory, or the request says where else.
    fn is_here(&self, path: &str, directories: &[&str]) -> bool {
        let is_elsewhere = path.starts_with(['/', '~', '$']) || directories.contains(&"..");
        !is_elsewhere
            || directories.iter().all(|directory| matches!(*directory, "~" | "home") || self.says(directory))
    }

    /// All words of a name stand in the request.
    fn says(&self, name: &str) -> bool {
        let mut words = words(name).peekable();
        words.peek().is_some() && words.all(|word| self.words.contains(singular(&word)))
    }

    /// All words of one of these stand in it.
    fn says_one(&self, phrases: &[String]) -> bool {
        phrases.iter().any(|phrase| match phrase.split_once('-') {
            Some((first, second)) => self.row.windows(2).any(|pair| *pair == [first, second]),
            None => self.says(phrase),
        })
    }
}

/// A file's name without what follows its first dot.
fn stem(name: &str) -> &str {
    let dots = name.len() - name.trim_start_matches('.').len();
    let end = name.char_indices().find(|(at, c)| dots <= *at && *c == '.').map_or(name.len(), |(at, _)| at);
    name.get(..end).unwrap_or(name)
}

/// Nothing but letters: a word of any sentence.
fn is_plain(name: &str) -> bool {
    name.chars().all(char::is_alphabetic)
}

/// The names between the slashes; the first is empty below the root.
fn parts(path: &str) -> Vec<&str> {
    let is_root = path.starts_with('/');
    let names = path.split('/').filter(|part| !matches!(*part, "" | "."));
    is_root.then_some("").into_iter().chain(names).collect()
}

/// The path ends as a form does: `bin/activate`, `.env`, `id_*`.
fn ends_with(parts: &[&str], form: &str) -> bool {
    let form = form.to_lowercase();
    let form: Vec<&str> = form.split('/').collect();
    let start = parts.len().checked_sub(form.len());
    let tail = start.and_then(|start| parts.get(start..)).unwrap_or_default();
    !tail.is_empty() && tail.iter().zip(form).all(|(part, form)| matches(form, part))
}

/// A word without the `s` of the plural.
fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|_| word.len() >= MIN_PLURAL).unwrap_or(word)
}
