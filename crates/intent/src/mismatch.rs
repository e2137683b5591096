//! A difference between a request and the line that answers it.

use crate::request::Token;
use askline_syntax::{ParsedLine, Span};

/// A condition of the request that the line drops, inverts or bends, or a slip in the line itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Bytes of the line that are wrong, or where something is missing.
    pub span: Span,
    /// Bytes of the request that state the condition; `None` if the line is wrong whatever was asked.
    pub said: Option<Span>,
    /// Certainty that the line is wrong.
    pub certainty: Certainty,
    /// Explanation: one lower-case sentence without a full stop.
    pub text: String,
    /// The one edit that makes line and condition agree and changes nothing else; `None` if there is none.
    pub edit: Option<Edit>,
}

impl Mismatch {
    /// Returns a likely mismatch that no edit is known for and that no words of the request state.
    pub(crate) fn likely(span: Span, text: String) -> Self {
        Self { span, said: None, certainty: Certainty::Likely, text, edit: None }
    }

    /// Adds the words of the request that state the condition.
    pub(crate) fn about(self, said: Span) -> Self {
        Self { said: Some(said), ..self }
    }

    /// Returns the mismatch of a line that does not have a name of the request.
    pub(crate) fn not_named(token: &Token, line: &ParsedLine) -> Self {
        let text = format!("you named `{}`; the line does not", token.text);
        Self::likely(0..line.text().len(), text).about(token.span.clone())
    }

    /// Returns the line after the edit.
    pub(crate) fn applied_to(&self, line: &str) -> Option<String> {
        let edit = self.edit.as_ref()?;
        let (before, after) = (line.get(..edit.span.start)?, line.get(edit.span.end..)?);
        Some(format!("{before}{}{after}", edit.replacement))
    }
}

/// Leaves one mismatch for each condition of the request: those with an edit, and of the others the surest. Two are about one
/// condition if the words that state it begin or end at the same place.
pub fn distinct(mut mismatches: Vec<Mismatch>) -> Vec<Mismatch> {
    let order: Vec<Span> = mismatches.iter().map(|it| it.span.clone()).collect();
    mismatches.sort_by_key(|it| (it.edit.is_none(), it.certainty));
    let mut told: Vec<Span> = Vec::new();
    mismatches.retain(|it| {
        let Some(said) = &it.said else { return true };
        let is_told = told.iter().any(|other| other.start == said.start || other.end == said.end);
        let stays = !is_told || it.edit.is_some();
        if stays {
            told.push(said.clone());
        }
        stays
    });
    mismatches.sort_by_key(|it| order.iter().position(|span| *span == it.span));
    mismatches
}

/// Certainty of a mismatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The line does something else than was asked.
    Sure,
    /// The line probably does: a reason to prefer another line and to say so, but not to change it.
    Likely,
}

/// An edit of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Bytes to replace; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub replacement: String,
    /// The change in a few words: `-mtime -2 → -mmin -120`.
    pub change: String,
}

impl Edit {
    /// Returns the edit that replaces the bytes of a line.
    pub(crate) fn replace(line: &str, span: Span, replacement: String) -> Self {
        let before = line.get(span.clone()).unwrap_or_default().trim();
        let change = match (before, replacement.trim()) {
            ("", after) => format!("+ {after}"),
            (before, "") => format!("− {before}"),
            (before, after) => format!("{before} → {after}"),
        };
        Self { span, replacement, change }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    /// What is left out tells nothing: a third condition stays though it ends where the second did.
    #[test]
    fn only_what_is_told_hides_another() {
        let about = |said: Span| Mismatch {
            span: 0..0,
            said: Some(said),
            certainty: Certainty::Likely,
            text: String::new(),
            edit: None,
        };
        let left = distinct(vec![about(0..4), about(0..9), about(6..9)]);
        assert_eq!(left.into_iter().map(|it| it.said).collect::<Vec<_>>(), [Some(0..4), Some(6..9)]);
    }

    #[test]
    fn one_remark_about_one_condition() {
        let request = "md5 of every file in pkg and its subfolders, also hidden ones";
        let all = crate::mismatches(request, &ParsedLine::new("md5sum pkg/*", Shell::Bash));
        let texts: Vec<String> = distinct(all.clone()).into_iter().map(|it| it.text).collect();
        assert!(texts.len() < all.len(), "{all:?}");
        assert_eq!(texts.iter().filter(|text| text.contains("hidden")).count(), 1, "{texts:?}");
        assert_eq!(texts.iter().filter(|text| text.contains("subfolders")).count(), 1, "{texts:?}");
    }
}
