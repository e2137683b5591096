//! Symbolic links that lead to nothing, because their target is read from the folder of the link.

use crate::here::call::Call;
use crate::here::names::NameKind;
use crate::here::path::{quoted, relative};
use crate::here::{Case, Contradiction, Subject};
use askline_syntax::Word;

/// Returns each link whose target is here, but not where the link looks for it. (That a target with a `/` in it is, a slip says.)
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    case.calls.iter().filter_map(|call| compare(case, call)).collect()
}

/// Returns the folder in which `ln -s` makes its links, relative to that of the call; `None` for other calls.
pub(super) fn folder<'l>(case: &Case<'_>, call: &Call<'l>) -> Option<&'l str> {
    let is_symbolic = call.name == "ln" && call.has(&["-s", "--symbolic"]);
    let (_, target) = call.sources();
    let path = relative(target.filter(|_| is_symbolic)?)?;
    match case.names(&call.base).kind(path) {
        Some(NameKind::Folder) if !call.has(&["-n", "--no-dereference"]) => Some(path),
        _ => Some(path.rsplit_once('/').map_or("", |(above, _)| above)),
    }
}

fn compare(case: &Case<'_>, call: &Call<'_>) -> Option<Contradiction> {
    let folder = folder(case, call).filter(|folder| !folder.is_empty())?;
    let names = case.names(&call.base);
    let is_lost = |word: &&Word| {
        relative(word).is_some_and(|path| {
            let is_here = !path.contains('/') && names.kind(path).is_some();
            is_here && names.is_missing(&format!("{folder}/{path}"))
        })
    };
    let (sources, _) = call.sources();
    let word = sources.iter().copied().find(is_lost)?;
    let path = relative(word)?;
    let text = format!("the target of a link is read from its folder: `{folder}/{path}` is missing");
    let up = format!("{}{path}", "../".repeat(folder.split('/').count()));
    let edit = quoted(&up).map(|new| (word.span.clone(), new));
    Some(case.contradiction(Subject::Names, word.span.clone(), (text, String::new()), edit))
}
