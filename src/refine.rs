//! The refinement loop: gets the best command that model, checks and repairs can produce in the time limit.
//!
//! The model writes a draft, which is cleaned, checked and repaired. If that is not enough, its other answers and one
//! after similar solved requests of the cookbook are checked. If none of them passes, the model gets one short, concrete
//! error. The answer with the best check result wins. A valid draft is never lost: if the model fails or is late in a
//! later round, the draft is the answer.

mod agreement;
mod calibration;
mod confidence;
mod continued;
mod follow_up;
mod hint;
mod invented;
mod preferred;
mod rounds;
mod search;
mod second;
pub mod similar;

use std::time::{Duration, Instant};

use crate::answer::{self, Answer};
use crate::config::Preferences;
use crate::examine::{Examined, Examiner};
use crate::suggestion::Checks;
pub use agreement::{slips, with_place, with_slips};
use askline_check::check;
use askline_check::finding::{Finding, FindingKind, Report, Severity};
use askline_check::repair::{Repaired, is_translation};
use askline_check::unfinished::{HalfTyped, is_unfinished};
use askline_model::failure::Failure;
use askline_model::prompt::disclosure::{Audience, FactKind};
use askline_model::prompt::{Prompt, Solved};
use askline_model::request_control::{RequestControl, Stage};
use askline_model::{Certainty, Further, Model, Reply};
use askline_syntax::ParsedLine;
use askline_syntax::clean::Cleaned;
use askline_syntax::shell::Shell;
pub use confidence::{confidence, is_unsure};
pub use follow_up::follow_up;
use invented::{Replaced, Said};
use rounds::corrected;

/// Maximum number of commands of one answer that are checked.
const CANDIDATES_MAX: usize = 4;

/// Evidence of the finding about an answer that does not go on with a half-typed command.
pub const YOUR_LINE: &str = "your line";

/// Evidence of a finding about the request.
const YOUR_WORDS: &str = "your words";

/// Limits of the refinement loop.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Words that the command must agree with; `None` if they are no request for a command.
    pub request: Option<&'a str>,
    /// The earlier request with its command, which this request changes.
    pub before: Option<&'a Solved>,
    /// Half-typed command that each answer must go on with.
    pub half_typed: Option<&'a HalfTyped>,
    /// Maximum number of further rounds, 0 for none.
    pub rounds: u32,
    /// Time for all further rounds together, counted from the first draft.
    pub time: Duration,
    /// Maximum number of tokens of one answer.
    pub max_tokens: usize,
    /// What the user prefers; followed where there is a request.
    pub preferences: &'a Preferences,
}

/// Result of the loop.
#[derive(Debug, Clone)]
pub struct Refined {
    /// Best command, after repairs.
    pub best: Candidate,
    /// Other commands of the same answers that may reach a prompt line, best first.
    pub alternatives: Vec<Candidate>,
    /// Number of prompts that the model was given one after the other; 0 if no model was asked. Second drafts after similar
    /// requests do not count.
    pub rounds: u32,
    /// Time spent in the model and in the rest.
    pub time: Spent,
}

/// Time spent in the loop.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Waiting for the model.
    pub model: Duration,
    /// Cleaning, checking and repairing.
    pub check: Duration,
}

/// A checked command.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Cleaned command for the prompt line, after repairs.
    pub command: Cleaned,
    /// The same, parsed.
    pub line: ParsedLine,
    /// Check report, after repairs.
    pub report: Report,
    /// Repairs in words.
    pub repairs: Vec<String>,
    /// Certainty of the model about the command.
    pub certainty: Option<Certainty>,
    /// Model that wrote the command; `None` if a person did.
    pub writer: Option<AnswerSource>,
    /// Command as written, if a repair inserted names from one of the user's files: not every model may see those.
    pub written: Option<Box<DraftedCommand>>,
}

impl Candidate {
    /// Returns the model that wrote the command, as answers name it; empty if a person did.
    fn source(&self) -> &str {
        self.writer.as_ref().map_or("", |writer| &writer.source)
    }
}

/// A command before its repair.
#[derive(Debug, Clone)]
pub struct DraftedCommand {
    /// Kinds of facts that the repair inserted.
    pub facts: Vec<FactKind>,
    /// Command line.
    pub line: ParsedLine,
    /// Check report of it.
    pub report: Report,
}

/// The model that wrote an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerSource {
    /// Result of [`Model::source`].
    pub source: String,
    /// Result of [`Model::notes`].
    pub notes: Vec<String>,
}

/// Asks the model, and its second where it is unsure or its answer is at fault; returns the better answer. Where there is a second,
/// the first one only drafts: the time for its other answers is the second's, unless that fails.
///
/// # Errors
/// As [`Model::complete`] for the first draft, and a [`Failure`] when no answer of the first round may reach a prompt
/// line.
pub fn run(
    prompt: Prompt,
    model: &mut dyn Model,
    examiner: &Examiner<'_>,
    limits: Limits<'_>,
    control: &RequestControl,
) -> anyhow::Result<Refined> {
    let has_second =
        model.second_source().is_some_and(|source| second::is_worth_asking(&source, examiner.shell));
    if limits.rounds == 0 || !has_second {
        return corrected(prompt, model, examiner, limits, control);
    }
    let drafted = corrected(prompt.clone(), model, examiner, Limits { rounds: 0, ..limits }, control);
    if !second::is_needed(&drafted) || control.spent(Instant::now()).is_some() {
        return drafted;
    }
    let second_control = second::control(&drafted, control, limits.time);
    let Some(second) = model.second() else { return drafted };
    let source = second.source();
    let answered = corrected(prompt.clone(), second, examiner, limits, &second_control);
    let is_over = second_control.spent(Instant::now()).is_some();
    let is_last = second_control.is_contented() || control.spent(Instant::now()).is_some();
    match (drafted, answered) {
        (_, Err(error)) if is_cancelled(&error) => Err(error),
        // A person took the first answer, or time is over; an answer at fault is corrected while the press has time.
        (Ok(first), Err(_)) if is_over && (is_last || !is_refuted(&first.best)) => Ok(first),
        (Ok(first), Ok(_)) if is_over && second_control.is_contented() => Ok(first),
        (Ok(first), Ok(second)) => Ok(second::better(first, second)),
        (Err(_), Ok(second)) => Ok(second),
        (drafted, Err(failed)) => {
            tracing::debug!("no answer of {source}: {failed:#}");
            let refined = match corrected(prompt, model, examiner, limits, control) {
                Err(error) if is_cancelled(&error) => return Err(error),
                refined => refined.or(drafted),
            };
            refined.map(|refined| second::without(refined, &source, &failed))
        }
    }
}

fn is_cancelled(error: &anyhow::Error) -> bool {
    error.downcast_ref() == Some(&Failure::Cancelled)
}

/// Reports whether a model answered, but with nothing that may reach a prompt line.
fn is_useless(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Failure::NoCommand(_) | Failure::Unclean(_)))
}

/// Returns the commands of a reply that may reach a prompt line, checked and repaired; at least one.
fn candidates(
    prompt: &Prompt,
    reply: &Reply,
    model: &dyn Model,
    examiner: &Examiner<'_>,
    limits: Limits<'_>,
) -> Result<Vec<Candidate>, Failure> {
    // Another model may answer the next request.
    let writer = AnswerSource { source: model.source(), notes: model.notes() };
    let said = Said::new(&prompt.named(), examiner.knowledge);
    let told = prompt.may_tell(FactKind::Preferences, model.audience());
    let candidate_of = |command: &str| {
        let cleaned = examiner.clean(command)?;
        let mut checked = check_and_repair(cleaned, examiner, reply.certainty);
        if prompt.is_for_other_shell() && model.audience() == Audience::Machine {
            // The model was asked for bash: nothing was wrong.
            checked.repairs.retain(|change| !is_translation(change));
        }
        let mut candidate = known_only(checked, &said, examiner)?;
        if let Some(request) = limits.request {
            candidate = preferred::with(request, candidate, limits.preferences, told, examiner);
            candidate = agreement::with(request, limits.before, candidate, examiner);
        }
        candidate.report.findings.extend(reply.cut.map(|_| unfinished(&candidate.line)));
        let lost = limits.half_typed.and_then(|typed| not_continued(typed, &candidate));
        candidate.report.findings.extend(lost);
        Ok(Candidate { writer: Some(writer.clone()), ..candidate })
    };
    let mut refused = None;
    let mut candidates = Vec::new();
    for command in whole_commands(reply, examiner.shell)? {
        match candidate_of(&command) {
            Ok(candidate) => candidates.push(candidate),
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    match refused {
        Some(why) if candidates.is_empty() => Err(Failure::Unclean(why)),
        _ => Ok(candidates),
    }
}

/// Puts placeholders in the place of invented names, and checks the line anew if there were any.
///
/// # Errors
/// The reason why the line with the placeholders may not reach a prompt line.
fn known_only(candidate: Candidate, said: &Said<'_>, examiner: &Examiner<'_>) -> Result<Candidate, String> {
    let Some(Replaced { line, changes }) = said.without_invented(&candidate.line) else {
        return Ok(candidate);
    };
    let cleaned = examiner.clean(&line)?;
    let changes = [candidate.command.changes, cleaned.changes, changes].concat();
    let again = check_and_repair(Cleaned { changes, ..cleaned }, examiner, candidate.certainty);
    Ok(Candidate { repairs: [candidate.repairs, again.repairs].concat(), ..again })
}

/// Returns further commands for a prompt, checked and repaired, without the `known` ones. Order: better check results
/// first, then higher model probability. A model without alternatives is asked for a different solution at once,
/// because its plain answer is already known.
///
/// # Errors
/// As [`Model::complete`].
pub fn alternatives(
    prompt: &Prompt,
    model: &mut dyn Model,
    examiner: &Examiner<'_>,
    known: &[String],
    limits: Limits<'_>,
    control: &RequestControl,
) -> anyhow::Result<Refined> {
    let max_tokens = limits.max_tokens;
    let begun = Instant::now();
    control.enter(Stage::Thinking, begun);
    let (mut replies, mut rounds) = (Vec::new(), 0);
    if model.keeps_alternatives() {
        replies.push(model.complete(prompt, max_tokens, control)?);
        let further = Further { most: CANDIDATES_MAX, max_tokens, wrong: None, likely: false };
        replies.extend(model.alternatives(prompt, further, control)?);
        rounds += 1;
    }
    if replies.len() <= 1 {
        let commands_of = |reply: &Reply| commands(&reply.text, examiner.shell).unwrap_or_default();
        let mut known_commands = known.to_vec();
        known_commands
            .extend(replies.iter().flat_map(commands_of).filter(|command| !known.contains(command)));
        replies.push(model.complete(&prompt.otherwise(&known_commands), max_tokens, control)?);
        rounds += 1;
    }
    let model_time = begun.elapsed();
    control.enter(Stage::Checking, Instant::now());
    let mut found: Vec<Candidate> = Vec::new();
    for reply in &replies {
        tracing::debug!(certainty = ?reply.certainty, "another answer: {:?}", reply.text);
        for candidate in candidates(prompt, reply, model, examiner, limits).unwrap_or_default() {
            let text = candidate.command.text.as_str();
            let seen = known.iter().map(String::as_str);
            let mut seen = seen.chain(found.iter().map(|other| other.command.text.as_str()));
            let is_known = seen.any(|seen| seen.split_whitespace().eq(text.split_whitespace()));
            if !is_known && !is_refuted(&candidate) {
                found.push(candidate);
            }
        }
    }
    let certainty = |candidate: &Candidate| candidate.certainty.map_or(0.0, |certainty| certainty.mean);
    found.sort_by(|one, other| {
        cost(&one.report).cmp(&cost(&other.report)).then(certainty(other).total_cmp(&certainty(one)))
    });
    found.truncate(CANDIDATES_MAX.saturating_sub(known.len()));
    let time = Spent { model: model_time, check: begun.elapsed() - model_time };
    let mut found = found.into_iter();
    let best = found.next().ok_or_else(|| Failure::NoCommand("the model has no other command".into()))?;
    Ok(Refined { best, alternatives: found.collect(), rounds, time })
}

/// Returns the commands in a reply, or the reason why there are none.
fn commands(reply: &str, shell: Shell) -> Result<Vec<String>, Failure> {
    match answer::extract(reply, shell) {
        Answer::Commands(mut commands) => {
            commands.truncate(CANDIDATES_MAX);
            Ok(commands)
        }
        Answer::Words(words) => Err(Failure::NoCommand(words)),
        Answer::Nothing => Err(Failure::NoCommand("the model gave no answer; rephrase the request".into())),
    }
}

/// Returns the commands of a reply. Of a reply that is cut off, the command is the part that is finished.
///
/// # Errors
/// The reason why there is none.
fn whole_commands(reply: &Reply, shell: Shell) -> Result<Vec<String>, Failure> {
    let Some(cut) = reply.cut else { return commands(&reply.text, shell) };
    let found = commands(&reply.text, shell).map_err(|_| cut.failure())?;
    let finished = found.first().and_then(|command| answer::finished(command, shell));
    finished.map(|finished| vec![finished.to_owned()]).ok_or_else(|| cut.failure())
}

/// Returns the finding about a line that is only the beginning of an answer.
fn unfinished(line: &ParsedLine) -> Finding {
    Finding {
        kind: FindingKind::Intent,
        span: line.text().len()..line.text().len(),
        grade: Severity::Warning,
        text: "the model's answer was too long; this is only its beginning".to_owned(),
        evidence: "the answer".to_owned(),
        fixes: Vec::new(),
    }
}

/// Returns the finding about an answer that does not go on with what the person typed.
fn not_continued(half_typed: &HalfTyped, candidate: &Candidate) -> Option<Finding> {
    let line = candidate.command.text.as_str();
    let is_continued = half_typed.is_continued_by(line) && !is_unfinished(&candidate.line);
    (!is_continued).then(|| Finding {
        kind: FindingKind::Incomplete,
        span: line.len()..line.len(),
        grade: Severity::Error,
        text: format!("`{} {}` must stay, and something must follow", half_typed.before, half_typed.behind),
        evidence: YOUR_LINE.to_owned(),
        fixes: Vec::new(),
    })
}

/// Checks a command and repairs it where possible.
pub fn check_and_repair(
    cleaned: Cleaned,
    examiner: &Examiner<'_>,
    certainty: Option<Certainty>,
) -> Candidate {
    check_and_repair_with(&|line, report| examiner.repair(line, report), cleaned, examiner, certainty)
}

/// Checks a command and repairs it with the given function.
pub fn check_and_repair_with(
    repair: &dyn Fn(&ParsedLine, &Report) -> Option<Repaired>,
    cleaned: Cleaned,
    examiner: &Examiner<'_>,
    certainty: Option<Certainty>,
) -> Candidate {
    let Examined { line, report: before } = examiner.examine(cleaned.text.as_str());
    let fixed = repair(&line, &before).and_then(|repaired| {
        // A repaired line reaches the prompt line too, so it passes the same gate.
        let again = examiner.clean(&repaired.line).ok()?;
        let Examined { line: mended, report } = examiner.examine(again.text.as_str());
        let facts: Vec<FactKind> =
            repaired.kinds.iter().filter_map(|kind| agreement::fact_kind(*kind)).collect();
        let written = (!facts.is_empty())
            .then(|| Box::new(DraftedCommand { facts, line: line.clone(), report: before.clone() }));
        let notes = Cleaned { changes: [cleaned.changes.clone(), again.changes].concat(), ..again };
        Some(Candidate {
            command: notes,
            line: mended,
            report,
            repairs: repaired.changes,
            certainty,
            writer: None,
            written,
        })
    });
    fixed.unwrap_or(Candidate {
        command: cleaned,
        line,
        report: before,
        repairs: Vec::new(),
        certainty,
        writer: None,
        written: None,
    })
}

/// Reports whether a checked command needs no model: nothing is left but hints, and what it does otherwise than it looks, which is
/// told.
pub fn is_settled(report: &Report) -> bool {
    let is_told = |finding: &Finding| finding.grade == Severity::Hint || finding.kind == FindingKind::Intent;
    report.syntax_ok != Some(false) && report.findings.iter().all(is_told)
}

/// Reports whether a check found an error in a command.
fn is_refuted(candidate: &Candidate) -> bool {
    candidate.report.findings.iter().any(|finding| finding.grade == Severity::Error)
}

/// Returns the sort key of a report: numbers of errors, of warnings, and of unknown options and unmet preferences, in this
/// order. A preferred program must not come with more doubts than another.
fn cost(report: &Report) -> (usize, usize, usize) {
    let is_preference = |finding: &&Finding| finding.kind == FindingKind::Preference;
    let unmet = report.findings.iter().filter(is_preference).count();
    let count = |grade| report.findings.iter().filter(|finding| finding.grade == grade).count();
    (count(Severity::Error), count(Severity::Warning) - unmet, report.flags_unknown + unmet)
}

/// Returns the finding to report to the model: the first of the worst grade, if a model can correct it. Includes
/// warnings that only documentation supports, but nothing that could not be checked.
fn complaint<'a>(report: &'a Report, line: &ParsedLine) -> Option<&'a Finding> {
    let tellable = |finding: &&Finding| match finding.grade {
        Severity::Error => match finding.kind {
            FindingKind::CommandMissing => !is_only_absent(finding, line),
            kind => !matches!(kind, FindingKind::PathMissing | FindingKind::FlagUnknown),
        },
        Severity::Warning => {
            matches!(
                finding.kind,
                FindingKind::FlagRefuted
                    | FindingKind::Platform
                    | FindingKind::Quoting
                    | FindingKind::Column
                    | FindingKind::Shape
                    | FindingKind::Here
                    | FindingKind::Intent
                    | FindingKind::Preference
            )
        }
        Severity::Hint => false,
    };
    report.findings.iter().filter(tellable).min_by_key(|finding| finding.grade)
}

/// Reports whether a missing command is a well-known program that nothing here replaces: the user may install it, and a model
/// that is asked for another command writes a worse one. Nushell often has a command of its own.
fn is_only_absent(missing: &Finding, line: &ParsedLine) -> bool {
    !line.shell().is_nushell()
        && line
            .text()
            .get(missing.span.clone())
            .is_some_and(|name| check::is_well_known(name) && !check::has_equivalent(name))
}

/// Reports whether a command has a real error. A well-known program that is only not installed does not count: the
/// user may want exactly that one.
fn is_wrong(candidate: &Candidate) -> bool {
    complaint(&candidate.report, &candidate.line).is_some_and(|wrong| {
        let name = candidate.command.text.as_str().get(wrong.span.clone());
        wrong.kind != FindingKind::CommandMissing || !name.is_some_and(check::is_well_known)
    })
}

/// Returns the check counts to show to people and scripts.
pub fn checks(report: &Report) -> Checks {
    Checks {
        flags_verified: report.flags_verified,
        flags_unknown: report.flags_unknown,
        flags_refuted: report.flags_refuted,
        commands_missing: report.commands_missing,
        syntax_ok: report.syntax_ok,
    }
}
