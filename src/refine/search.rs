//! Search for a better answer: the model's other answers, and a second draft with similar solved requests.

use std::time::{Duration, Instant};

use super::calibration::Calibration;
use super::{Candidate, Limits, Spent, candidates, cost, is_wrong, similar};
use crate::examine::Examiner;
use askline_check::finding::FindingKind;
use askline_model::failure::Failure;
use askline_model::prompt::Prompt;
use askline_model::request_control::{RequestControl, Stage};
use askline_model::{Certainty, Further, Model, Reply};
use askline_risk::Harm;

/// Another answer is taken if its mean probability is higher by this much.
const LIKELIER: f64 = 0.01;

/// The answer after similar solved requests is taken if its mean probability is higher by this much.
const SIMILAR_LIKELIER: f64 = 0.03;

/// Maximum number of other answers.
const OTHERS_MAX: usize = 6;

/// Maximum time to compare answers.
const COMPARING_TIME: Duration = Duration::from_millis(3_500);

/// Subject and limits of a search.
pub(super) struct Scope<'a> {
    /// Prompt of the first answer.
    pub(super) asked: &'a Prompt,
    /// End of the first answer's fault, in bytes; `None` if it has none at a known place.
    pub(super) wrong: Option<usize>,
    /// Checks the answers.
    pub(super) examiner: &'a Examiner<'a>,
    /// Limits of each answer.
    pub(super) limits: Limits<'a>,
    /// Control of all further requests to the model.
    pub(super) control: RequestControl,
}

/// Purpose of asking for other answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// The answer is wrong: the first other one that is right is wanted.
    FirstRight,
    /// The model was unsure of its answer: the likeliest of all right ones is wanted. Greedy decoding takes the likeliest
    /// word each time; an answer that starts with another word may be likelier as a whole.
    Likeliest,
}

impl Search {
    /// Returns the purpose of a search after these drafts; `None` if they need none.
    pub(super) fn after(drafts: &[Candidate]) -> Option<Self> {
        let first = drafts.first()?;
        let sure = Calibration::of(first.source()).sure;
        match () {
            () if first.certainty.is_some_and(|certainty| certainty.mean < sure) => Some(Self::Likeliest),
            () if drafts.iter().all(is_wrong) => Some(Self::FirstRight),
            () => None,
        }
    }

    /// Returns the control of the search. A person may end one that is optional.
    pub(super) fn control(self, control: &RequestControl, until: Instant) -> RequestControl {
        let now = Instant::now();
        match self {
            Self::FirstRight => {
                control.enter(Stage::Thinking, now);
                control.within(until)
            }
            Self::Likeliest => {
                control.enter(Stage::Comparing, now);
                control.optional(until.min(now + COMPARING_TIME))
            }
        }
    }

    /// Looks for a better answer and adds what it finds, best first. An unsure model first answers after similar solved
    /// requests; its other answers are looked at only if that answer was a new one and it is still unsure. After a wrong
    /// answer the other ones come first: they cost less (`benches/accuracy.md`).
    ///
    /// # Errors
    /// [`Failure::Cancelled`].
    pub(super) fn better(
        self,
        model: &mut dyn Model,
        scope: &Scope<'_>,
        spent: &mut Spent,
        found: &mut Vec<Candidate>,
    ) -> anyhow::Result<()> {
        if !model.keeps_alternatives() {
            return Ok(());
        }
        let is_on = found.first().is_some_and(|first| Calibration::of(first.source()).similar);
        let request = scope.limits.request.filter(|_| is_on);
        let similar = || request.and_then(|_| similar::prompt(scope.asked, scope.examiner));
        match self {
            Self::Likeliest => match similar() {
                Some(prompt) => {
                    let is_new = self.after_similar(&prompt, model, scope, spent, found)?;
                    if is_new && Self::after(found).is_some() {
                        self.others(&prompt, None, model, scope, spent, found)?;
                    }
                }
                None => self.others(scope.asked, scope.wrong, model, scope, spent, found)?,
            },
            Self::FirstRight => {
                self.others(scope.asked, scope.wrong, model, scope, spent, found)?;
                if Self::after(found).is_some()
                    && let Some(prompt) = similar()
                {
                    self.after_similar(&prompt, model, scope, spent, found)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the model's other answers to its last prompt. Without a finding about the first one, an unlikely one can't be
    /// better.
    fn others(
        self,
        prompt: &Prompt,
        wrong: Option<usize>,
        model: &mut dyn Model,
        scope: &Scope<'_>,
        spent: &mut Spent,
        found: &mut Vec<Candidate>,
    ) -> anyhow::Result<()> {
        let is_clear = found.first().is_some_and(|first| cost(&first.report) == (0, 0, 0));
        let likely = is_clear && self == Self::Likeliest;
        let further = Further { most: OTHERS_MAX, max_tokens: scope.limits.max_tokens, wrong, likely };
        let replies = timed(spent, || model.alternatives(prompt, further, &scope.control))?;
        Ok(self.add(&replies.unwrap_or_default(), LIKELIER, prompt, model, scope, found)?)
    }

    /// Adds the model's answer after similar solved requests; reports whether it added one, or the model failed.
    fn after_similar(
        self,
        prompt: &Prompt,
        model: &mut dyn Model,
        scope: &Scope<'_>,
        spent: &mut Spent,
        found: &mut Vec<Candidate>,
    ) -> anyhow::Result<bool> {
        let reply = timed(spent, || model.complete(prompt, scope.limits.max_tokens, &scope.control))?;
        let n_known = found.len();
        self.add(reply.as_slice(), SIMILAR_LIKELIER, prompt, model, scope, found)?;
        Ok(reply.is_none() || n_known < found.len())
    }

    /// Checks other answers and adds those that may be better. Skips answers that delete or overwrite what the first
    /// one would have left alone, unless the words demand it. Adds nothing after the deadline. The best comes first
    /// afterwards; another one precedes the first so far if its mean probability is higher by `likelier`.
    ///
    /// # Errors
    /// [`Failure::Cancelled`].
    fn add(
        self,
        replies: &[Reply],
        likelier: f64,
        prompt: &Prompt,
        model: &dyn Model,
        scope: &Scope<'_>,
        found: &mut Vec<Candidate>,
    ) -> Result<(), Failure> {
        let Scope { examiner, limits, control, .. } = scope;
        let may_destroy = found.iter().any(destroys);
        // A right answer to a request that the first one does not fulfil destroys only what it was asked to.
        let is_asked_for = limits.request.is_some() && found.first().is_some_and(disagrees);
        let first = found.first().map(|first| first.command.text.clone());
        for reply in replies {
            match control.spent(Instant::now()) {
                Some(Failure::Cancelled) => return Err(Failure::Cancelled),
                Some(_) => break,
                None => {}
            }
            tracing::debug!(certainty = ?reply.certainty, "alternative: {:?}", reply.text);
            for candidate in candidates(prompt, reply, model, examiner, *limits).unwrap_or_default() {
                let is_right = cost(&candidate.report) == (0, 0, 0);
                if let Some(known) = known(&candidate, found) {
                    known.certainty = higher(known.certainty, candidate.certainty);
                } else if may_join(&candidate, found, may_destroy || is_right && is_asked_for) {
                    found.push(candidate);
                    if is_right && self == Self::FirstRight {
                        return Ok(());
                    }
                }
            }
        }
        if self == Self::Likeliest {
            let margin = |candidate: &Candidate| match Some(&candidate.command.text) == first.as_ref() {
                true => likelier,
                false => 0.0,
            };
            let likelihood = |candidate: &Candidate| {
                candidate.certainty.map_or(0.0, |certainty| certainty.mean) + margin(candidate)
            };
            found.sort_by(|one, other| {
                let fewer_faults = cost(&one.report).cmp(&cost(&other.report));
                fewer_faults.then(likelihood(other).total_cmp(&likelihood(one)))
            });
        }
        Ok(())
    }
}

/// Returns what a model answers, and counts its time; `None` if it fails.
///
/// # Errors
/// [`Failure::Cancelled`].
fn timed<T>(spent: &mut Spent, ask: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<Option<T>> {
    let asked = Instant::now();
    let answer = ask();
    spent.model += asked.elapsed();
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.downcast_ref() == Some(&Failure::Cancelled) => Err(error),
        Err(error) => {
            tracing::debug!("no other answers: {error:#}");
            Ok(None)
        }
    }
}

/// Returns the higher of two certainties.
fn higher(one: Option<Certainty>, other: Option<Certainty>) -> Option<Certainty> {
    let mean = |certainty: &Option<Certainty>| certainty.map_or(0.0, |certainty| certainty.mean);
    if mean(&one) < mean(&other) { other } else { one }
}

/// Reports whether a command does not do what its request says.
fn disagrees(candidate: &Candidate) -> bool {
    candidate.report.findings.iter().any(|finding| finding.kind == FindingKind::Intent)
}

fn destroys(candidate: &Candidate) -> bool {
    Harm::of(&candidate.line).destroys()
}

fn known<'a>(candidate: &Candidate, found: &'a mut [Candidate]) -> Option<&'a mut Candidate> {
    found.iter_mut().find(|other| other.command.text == candidate.command.text)
}

/// Reports whether a command destroys nothing, or no more than the first answer, which may. A command that has merely
/// lost a condition deletes more: `rm logs/* --older 30day`, `rm -f logs/*`.
fn may_join(candidate: &Candidate, found: &[Candidate], may_destroy: bool) -> bool {
    let text = candidate.command.text.as_str();
    let is_rest = || found.iter().any(|other| says_less(text, other.command.text.as_str()));
    !destroys(candidate) || may_destroy && !is_rest()
}

/// Reports whether a line is a reduced form of another one: fewer words, and no new ones except options.
fn says_less(line: &str, other: &str) -> bool {
    let plain = |word: &'_ str| word.trim_end_matches('/').to_owned();
    let before: Vec<String> = other.split_whitespace().map(plain).collect();
    let mut words = line.split_whitespace();
    words.clone().count() < before.len()
        && words.all(|word| word.starts_with('-') || before.contains(&plain(word)))
}
