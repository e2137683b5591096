//! Columns that awk, cut and sort take, held against the table or log that they read.

mod by_format;
mod decimals;
mod formats;
mod headers;
mod last;
mod look;
mod methods;
mod named;
mod quoted;
mod reader;
mod refs;
mod separators;
mod table;
mod unquote;
mod words;

pub(super) use refs::program;

use super::{Case, Contradiction};
use table::Source;

/// Returns the columns that are not those of the request or of the file.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let sources = Source::all(case);
    let mut found = methods::find(case);
    found.extend(separators::find(case, &sources));
    found.extend(named::find(case, &sources));
    found.extend(last::find(case, &sources));
    found.extend(words::find(case));
    found.extend(look::find(case));
    found.extend(headers::find(case, &sources));
    found.extend(decimals::find(case, &sources));
    found
}

/// Returns the calls that take quoted fields for others. Their edit comes after all others: it puts another command before the call.
pub(super) fn find_quoted(case: &Case<'_>) -> Vec<Contradiction> {
    quoted::find(case)
}
