//! Files that `--exclude` of an archiver is to leave out: `tar --exclude=tmp` where only `x.tmp` is here.

use crate::here::names::NameKind;
use crate::here::path::relative;
use crate::here::{Case, Contradiction, Subject};
use askline_syntax::Word;

/// Programs whose `--exclude` takes the name of a file or folder, or a pattern.
const EXCLUDING: [&str; 4] = ["tar", "gtar", "bsdtar", "du"];
/// Maximum length of an ending, in bytes.
const ENDING_BYTES_MAX: usize = 5;

/// Returns the exclusions that exclude nothing, where files have the name for their ending, and the words speak of such files.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let names = case.names("");
    // What lies elsewhere, or below a folder that is not listed, is not known.
    let is_here = |word: &&Word| relative(word).is_some_and(|path| names.is_known(path));
    let calls = case.calls.iter().filter(|call| {
        EXCLUDING.contains(&call.name) && call.base.is_empty() && call.operands.iter().all(is_here)
    });
    let mut words = calls.flat_map(|call| &call.command.words);
    let speaks_of = |ending: &str| {
        let mut pairs = case.tokens.iter().zip(case.tokens.iter().skip(1));
        pairs.any(|(token, next)| token.lower == ending && next.lower == "files")
    };
    let found = words.find_map(|word| {
        let ending = word.text.strip_prefix("--exclude=").filter(|_| word.literal && !word.quoted)?;
        let is_ending = ending.len() <= ENDING_BYTES_MAX && ending.chars().all(|c| c.is_ascii_alphanumeric());
        let is_named = |name: &str| name == ending;
        if !is_ending
            || !speaks_of(ending)
            || !names.is_known("")
            || names.all().any(|(_, name, _)| is_named(name))
        {
            return None;
        }
        let has =
            |name: &str| name.strip_suffix(ending).is_some_and(|stem| 1 < stem.len() && stem.ends_with('.'));
        let count = names.all().filter(|(_, name, kind)| *kind == NameKind::File && has(name)).count();
        let text = format!("nothing here is named `{ending}`, so it excludes nothing");
        let facts = format!("`*.{ending}` matches {count}");
        let mut found = case.contradiction(Subject::Names, word.span.clone(), (text, facts), None);
        let new = format!("--exclude='*.{ending}'");
        case.mend(&mut found, word.span.clone(), new);
        (0 < count).then_some(found)
    });
    found.into_iter().collect()
}
