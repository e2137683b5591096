//! Search for a better answer among the model's other answers to the same prompt.

use std::time::{Duration, Instant};

use super::{Candidate, Spent, candidates, cost, is_wrong};
use crate::examine::Examiner;
use askline_model::failure::Failure;
use askline_model::prompt::Prompt;
use askline_model::request_control::{RequestControl, Stage};
use askline_model::{Further, Model, Reply};
use askline_risk::Harm;

/// Below this mean probability of its tokens, the model's answer is compared with other answers. On the dev tasks of
/// `benches`, 26 of 115 answers below it were right, and 126 of 171 above it (`benches/accuracy.md`).
const SURE: f64 = 0.83;

/// Another answer is taken if its mean probability is higher by this much.
const LIKELIER: f64 = 0.01;

/// Maximum number of other answers.
const OTHERS_MAX: usize = 6;

/// Maximum time to compare answers.
const COMPARING_TIME: Duration = Duration::from_millis(2_500);

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
        let mean = drafts.first()?.certainty.map(|certainty| certainty.mean);
        match () {
            () if mean.is_some_and(|mean| mean < SURE) => Some(Self::Likeliest),
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

    /// Returns which other answers the model is asked for. Without a finding about the first one, an unlikely one can't
    /// be better. `wrong` is the end of the first one's fault.
    pub(super) fn further(self, max_tokens: usize, wrong: Option<usize>, found: &[Candidate]) -> Further {
        let is_clear = found.first().is_some_and(|first| cost(&first.report) == (0, 0, 0));
        Further { most: OTHERS_MAX, max_tokens, wrong, likely: is_clear && self == Self::Likeliest }
    }

    /// Checks other answers and adds those that may be better. Skips answers that delete or overwrite what the first
    /// one would have left alone. Adds nothing after the deadline. Afterwards the best of them comes first.
    ///
    /// # Errors
    /// [`Failure::Cancelled`].
    pub(super) fn add(
        self,
        replies: &[Reply],
        (prompt, request): (&Prompt, Option<&str>),
        model: &dyn Model,
        examiner: &Examiner<'_>,
        control: &RequestControl,
        found: &mut Vec<Candidate>,
    ) -> Result<(), Failure> {
        let may_destroy = found.iter().any(destroys);
        let first = found.first().map(|first| first.command.text.clone());
        for reply in replies {
            match control.spent(Instant::now()) {
                Some(Failure::Cancelled) => return Err(Failure::Cancelled),
                Some(_) => break,
                None => {}
            }
            tracing::debug!(certainty = ?reply.certainty, "alternative: {:?}", reply.text);
            for candidate in candidates(prompt, reply, model, examiner, request).unwrap_or_default() {
                let is_right = cost(&candidate.report) == (0, 0, 0);
                if !is_known(&candidate, found) && may_join(&candidate, found, may_destroy) {
                    found.push(candidate);
                    if is_right && self == Self::FirstRight {
                        return Ok(());
                    }
                }
            }
        }
        if self == Self::Likeliest {
            let margin = |candidate: &Candidate| match Some(&candidate.command.text) == first.as_ref() {
                true => LIKELIER,
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

/// Returns the model's other answers to its last prompt, which often come sooner than an answer to a new question. None
/// if the model has none, or fails.
///
/// # Errors
/// [`Failure::Cancelled`].
pub(super) fn replies(
    prompt: &Prompt,
    model: &mut dyn Model,
    further: Further,
    control: &RequestControl,
    spent: &mut Spent,
) -> anyhow::Result<Vec<Reply>> {
    if !model.keeps_alternatives() {
        return Ok(Vec::new());
    }
    let asked = Instant::now();
    let replies = model.alternatives(prompt, further, control);
    spent.model += asked.elapsed();
    match replies {
        Err(error) if error.downcast_ref() == Some(&Failure::Cancelled) => Err(error),
        Err(error) => {
            tracing::debug!("no alternatives: {error:#}");
            Ok(Vec::new())
        }
        replies => replies,
    }
}

fn destroys(candidate: &Candidate) -> bool {
    Harm::of(&candidate.line).destroys()
}

fn is_known(candidate: &Candidate, found: &[Candidate]) -> bool {
    found.iter().any(|other| other.command.text == candidate.command.text)
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
