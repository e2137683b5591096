//! Repair of a line that does not agree with its request.

use crate::mismatch::{Certainty, Mismatch};
use crate::{mismatches, slips};
use askline_syntax::ParsedLine;

/// Maximum number of edits of one line.
const EDITS_MAX: usize = 4;

/// A line that was made to agree with its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// The new line.
    pub line: String,
    /// Each edit with its reason: `-mtime -2 → -mmin -120: you said "in the last 2 hours"; -mtime counts days`.
    pub changes: Vec<String>,
}

/// Applies the edits of sure mismatches, one after the other, as long as each removes a mismatch and adds none. `None` if
/// there is nothing to edit.
pub fn agree(request: &str, line: &ParsedLine) -> Option<Agreement> {
    edited(line, &|line| mismatches(request, line))
}

/// Applies the edits of sure slips, which are wrong whatever was asked, in the same way.
pub fn mend_slips(line: &ParsedLine) -> Option<Agreement> {
    edited(line, &slips)
}

fn edited(line: &ParsedLine, faults: &dyn Fn(&ParsedLine) -> Vec<Mismatch>) -> Option<Agreement> {
    let mut current = line.clone();
    let mut open = faults(&current);
    let mut changes = Vec::new();
    for _ in 0..EDITS_MAX {
        let better = open.iter().filter(|it| it.certainty == Certainty::Sure).find_map(|mismatch| {
            let edited = ParsedLine::new(mismatch.applied_to(current.text())?, current.shell());
            let left = faults(&edited);
            let is_new = |it: &Mismatch| !open.iter().any(|before| before.text == it.text);
            let has_errors = current.own().errors.len() < edited.own().errors.len();
            (left.len() < open.len() && !left.iter().any(is_new) && !has_errors).then(|| {
                let change = mismatch.edit.as_ref().map_or("", |edit| edit.change.as_str());
                (format!("{change}: {}", mismatch.text), edited, left)
            })
        });
        let Some((change, edited, left)) = better else { break };
        changes.push(change);
        (current, open) = (edited, left);
    }
    (!changes.is_empty()).then(|| Agreement { line: current.text().to_owned(), changes })
}
