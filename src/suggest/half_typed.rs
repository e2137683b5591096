//! A half-typed command, which a model goes on with. What the person wrote stays, in its order.

use crate::examine::Examiner;
use crate::refine::{self, Candidate, Refined};
use askline_check::typed;
use askline_check::unfinished::HalfTyped;
use askline_model::failure::Failure;
use askline_model::prompt::Solved;
use askline_syntax::ParsedLine;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;

/// Beginning of the request to go on with a command.
const COMPLETE: &str = "complete this command:";
/// Sign of the gap for a model.
const GAP: &str = "...";

/// Half-typed commands with what they become, for a model: without them small ones repeat the line.
const SOLVED: [[&str; 2]; 4] = [
    ["grep -r", "grep -rn 'TODO' ."],
    ["cat access.log |", "cat access.log | sort | uniq -c | sort -rn"],
    ["gzip -k", "gzip -k notes.txt"],
    ["find . -name", "find . -name '*.txt'"],
];
const SOLVED_IN_NUSHELL: [[&str; 2]; 3] = [
    ["ls | where", "ls | where size > 1mb"],
    ["open data.json |", "open data.json | get name"],
    ["mkdir", "mkdir notes"],
];

/// Reads a line as a half-typed command.
pub(super) fn half_typed(
    line: &PromptLine,
    parsed: &ParsedLine,
    examiner: &Examiner<'_>,
) -> Option<HalfTyped> {
    HalfTyped::of(parsed, line.cursor).filter(|_| typed::is_command(parsed, examiner.knowledge))
}

/// Returns half-typed commands that were gone on with, as examples for a model.
pub(super) fn solved(shell: Shell) -> Vec<Solved> {
    let rows: &[[&str; 2]] = if shell.is_nushell() { &SOLVED_IN_NUSHELL } else { &SOLVED };
    let solved = |[typed, command]: &[&str; 2]| Solved {
        request: format!("{COMPLETE} {typed}"),
        command: (*command).to_owned(),
    };
    rows.iter().map(solved).collect()
}

/// Returns the request for a model.
pub(super) fn request(half_typed: &HalfTyped) -> String {
    let before = &half_typed.before;
    match half_typed.behind.as_str() {
        "" => format!("{COMPLETE} {before}"),
        behind => format!("complete this command at {GAP}: {before} {GAP} {behind}"),
    }
}

/// Reports whether a repair comes first: what was typed is wrong, and nothing shows that the middle is missing.
pub(super) fn is_mended(half_typed: &HalfTyped, repaired: &Candidate) -> bool {
    half_typed.behind.is_empty() && !repaired.repairs.is_empty()
}

/// Returns the answers that keep what the person wrote.
///
/// # Errors
/// When there are none.
pub(super) fn kept(half_typed: &HalfTyped, refined: Refined) -> Result<Refined, Failure> {
    let Refined { best, alternatives, rounds, time } = refined;
    let mut found = std::iter::once(best).chain(alternatives).filter(|one| is_kept(half_typed, one));
    let mut best = found.next().ok_or_else(|| {
        Failure::NoCommand(
            "no continuation of this line was found; add in words what it should do".to_owned(),
        )
    })?;
    // It goes on as far as the model knew: that is what was asked for.
    best.report.findings.retain(|finding| finding.evidence != refine::YOUR_LINE);
    Ok(Refined { alternatives: found.collect(), best, rounds, time })
}

/// Reports whether an answer keeps what the person wrote, and goes on.
pub(super) fn is_kept(half_typed: &HalfTyped, candidate: &Candidate) -> bool {
    half_typed.is_continued_by(candidate.command.text.as_str())
}
