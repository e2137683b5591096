//! Files and folders that a line names, or that the request means, held against the names in the directory.

mod endings;
mod excluded;
mod folders;
mod links;
mod loops;
mod media;
mod missing;
mod places;
mod reach;
mod selected;
mod spaced;

use super::{Case, Contradiction};

/// Returns what names nothing, takes one kind of file for another, or leaves out files that are meant.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let is_posix = !case.line.shell().is_nushell();
    let mut found = Vec::new();
    if is_posix {
        // Of two edits of one word the first counts: a name with blanks that the request spells comes before one that is near.
        found.extend(spaced::find(case));
    }
    found.extend(missing::find(case));
    if is_posix {
        found.extend(reach::find(case));
        found.extend(selected::find(case));
        found.extend(excluded::find(case));
        found.extend(folders::find(case));
        found.extend(links::find(case));
        found.extend(media::find(case));
        found.extend(places::find(case));
    }
    found
}
