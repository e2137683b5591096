//! A half-typed command, which a model goes on with. What the person wrote stays, in its order.

use crate::examine::Examiner;
use crate::refine::{Candidate, Refined};
use askline_check::typed;
use askline_check::unfinished::{gap, is_unfinished};
use askline_model::failure::Failure;
use askline_syntax::ParsedLine;
use askline_syntax::line::PromptLine;

/// Sign of the gap for a model.
const GAP: &str = "...";

/// A half-typed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HalfTyped {
    before: String,
    /// Text behind the cursor; empty at the end of the line.
    behind: String,
}

impl HalfTyped {
    /// Reads a line: a command whose end is missing, or with a gap under the cursor.
    pub(super) fn of(line: &PromptLine, parsed: &ParsedLine, examiner: &Examiner<'_>) -> Option<Self> {
        let at = gap(&line.text, line.cursor);
        if at.is_none() && !is_unfinished(parsed) || !typed::is_command(parsed, examiner.knowledge) {
            return None;
        }
        let (before, behind) = line.text.split_at_checked(at.unwrap_or(line.text.len()))?;
        Some(Self { before: before.trim().to_owned(), behind: behind.trim().to_owned() })
    }

    /// Returns the request for a model.
    pub(super) fn request(&self) -> String {
        match self.behind.as_str() {
            "" => format!("complete this command: {}", self.before),
            behind => format!("complete this command at {GAP}: {} {GAP} {behind}", self.before),
        }
    }

    /// Reports whether a repair comes first: what was typed is wrong, and nothing shows that the middle is missing.
    pub(super) fn is_mended(&self, repaired: &Candidate) -> bool {
        self.behind.is_empty() && !repaired.repairs.is_empty()
    }

    /// Returns the answers that keep what the person wrote.
    ///
    /// # Errors
    /// When there are none.
    pub(super) fn kept(&self, refined: Refined) -> Result<Refined, Failure> {
        let Refined { best, alternatives, rounds, time } = refined;
        let mut found = std::iter::once(best).chain(alternatives).filter(|one| self.is_kept(one));
        let best = found.next().ok_or_else(|| {
            Failure::NoCommand("no answer went on from your line; say what it should do".to_owned())
        })?;
        Ok(Refined { alternatives: found.collect(), best, rounds, time })
    }

    pub(super) fn is_kept(&self, candidate: &Candidate) -> bool {
        let answer = candidate.command.text.as_str();
        let mut words = answer.split_whitespace();
        let mut typed = self.before.split_whitespace().chain(self.behind.split_whitespace());
        let has_all = typed.all(|typed| words.any(|word| goes_on(typed, word)));
        let is_more =
            self.before.len() + self.behind.len() + usize::from(!self.behind.is_empty()) < answer.len();
        has_all && is_more
    }
}

/// Reports whether a word of the answer is a typed one, or goes on from it: `-x` from `-xzf`, `--ext` from `--extract`.
fn goes_on(typed: &str, word: &str) -> bool {
    let letters =
        |word: &str| word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).map(str::to_owned);
    let is_cluster = || match (letters(typed), letters(word)) {
        (Some(typed), Some(word)) => typed.chars().all(|c| word.contains(c)),
        _ => false,
    };
    typed == word || word.starts_with(typed) || is_cluster()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_on_from_words() {
        for (typed, word, expected) in [
            ("-x", "-xzf", true),
            ("-x", "-zxf", true),
            ("-x", "--extract", false),
            ("--ext", "--extract", true),
            ("tar", "tar", true),
            ("tar", "bsdtar", false),
        ] {
            assert_eq!(goes_on(typed, word), expected, "{typed} {word}");
        }
    }
}
