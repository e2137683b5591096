//! The rounds of one model: a draft, its other answers, and then one concrete error at a time.

use std::time::{Duration, Instant};

use super::search::{Scope, Search};
use super::{
    Candidate, Limits, Refined, Spent, agreement, candidates, complaint, cost, hint, is_cancelled,
    is_refuted, is_useless, similar,
};
use crate::examine::Examiner;
use askline_check::finding::{Finding, FindingKind};
use askline_model::Model;
use askline_model::failure::Failure;
use askline_model::prompt::Prompt;
use askline_model::prompt::disclosure::{Audience, FactKind};
use askline_model::request_control::{RequestControl, Stage};
use askline_syntax::ParsedLine;

/// Time from the start in which a usable answer of a model on this machine is improved, by comparing it with others and by
/// asking again. 95 of 100 answers are then there within 5 s (`benches/accuracy.md`).
const IMPROVING_TIME: Duration = Duration::from_millis(4_800);

/// Asks one model until the checks pass, an error repeats, or the limits are reached.
///
/// # Errors
/// As [`super::run`].
pub(super) fn corrected(
    prompt: Prompt,
    model: &mut dyn Model,
    examiner: &Examiner<'_>,
    limits: Limits<'_>,
    control: &RequestControl,
) -> anyhow::Result<Refined> {
    let mut rounds = Rounds::new(&prompt, examiner, limits, control);
    rounds.first(model)?;
    while rounds.may_correct(model) {
        match rounds.again(model) {
            Err(error) if is_cancelled(&error) => return Err(error),
            // The answers of the rounds before stay.
            Err(error) => {
                tracing::debug!("round {} failed: {error:#}", rounds.count);
                break;
            }
            Ok(()) => {}
        }
    }
    rounds.finish()
}

/// The state of the rounds.
struct Rounds<'a> {
    prompt: &'a Prompt,
    examiner: &'a Examiner<'a>,
    limits: Limits<'a>,
    control: &'a RequestControl,
    begun: Instant,
    /// End of all rounds; counted from the first draft on.
    until: Instant,
    /// Number of rounds so far.
    count: u32,
    /// The commands so far, the best one first.
    found: Vec<Candidate>,
    /// Errors that the model was told.
    told: Vec<String>,
    /// The prompt of the last round.
    asked: Prompt,
    /// `true` once the model has seen names that not every model may see: its answers may repeat them.
    has_seen_names: bool,
    /// The same for what a file contains.
    has_seen_contents: bool,
    spent: Spent,
}

impl<'a> Rounds<'a> {
    fn new(
        prompt: &'a Prompt,
        examiner: &'a Examiner<'a>,
        limits: Limits<'a>,
        control: &'a RequestControl,
    ) -> Self {
        let begun = Instant::now();
        Self {
            prompt,
            examiner,
            limits,
            control,
            begun,
            until: begun + limits.time,
            count: 0,
            found: Vec::new(),
            told: Vec::new(),
            asked: prompt.clone(),
            has_seen_names: false,
            has_seen_contents: false,
            spent: Spent::default(),
        }
    }

    /// Gets the first draft, and the model's other answers if that is wrong or the model unsure.
    ///
    /// # Errors
    /// If there is no usable draft; [`Failure::Cancelled`].
    fn first(&mut self, model: &mut dyn Model) -> anyhow::Result<()> {
        let may_go_on = 0 < self.limits.rounds;
        let (drafted, may_search) = match self.draft(self.prompt, model, self.control) {
            Err(error) if may_go_on => (self.otherwise(error, model), false),
            drafted => (drafted, may_go_on),
        };
        (self.count, self.until) = (1, Instant::now() + self.limits.time);
        let (text, drafts) = drafted?;
        let wrong = drafts.first().and_then(|first| wrong_up_to(&text, first));
        let search = Search::after(&drafts).filter(|_| may_search);
        self.found = drafts;
        // Alternatives to later answers gained nothing (`benches/nushell/README.md`).
        if let Some(search) = search {
            let control = search.control(self.control, self.improved_until(model));
            let Self { prompt, examiner, limits, .. } = *self;
            let scope = Scope { asked: prompt, wrong, examiner, limits, control };
            search.better(model, &scope, &mut self.spent, &mut self.found)?;
        }
        Ok(())
    }

    /// Gets the answer to the prompt with a correction.
    ///
    /// # Errors
    /// As [`Model::complete`], and if no command of the answer may reach a prompt line.
    fn again(&mut self, model: &mut dyn Model) -> anyhow::Result<()> {
        let control = self.control.within(self.improved_until(model));
        let drafted = self.draft(&self.asked.clone(), model, &control);
        self.count += 1;
        let (_, mut drafts) = drafted?;
        // A small model sometimes writes the words of the complaint into the command.
        if let Some(told) = self.told.last() {
            drafts.retain(|draft| !hint::is_echo(draft.line.text(), told, self.prompt.request()));
        }
        self.found.extend(drafts);
        Ok(())
    }

    /// Makes the prompt with the worst error of the best command; reports `false` if it has none, or another round makes no sense.
    fn may_correct(&mut self, model: &dyn Model) -> bool {
        // The sort is stable: of two equal candidates the earlier one stays ahead.
        self.found.sort_by_key(|candidate| cost(&candidate.report));
        let Some(best) = self.found.first() else { return false };
        let Some(wrong) = complaint(&best.report, &best.line) else { return false };
        let is_stuck = self.told.contains(&wrong.text);
        if self.limits.rounds < self.count || is_stuck || self.improved_until(model) <= Instant::now() {
            tracing::debug!(rounds = self.count, is_stuck, "not corrected: {}", wrong.text);
            return false;
        }
        tracing::debug!("round {}: {}", self.count, wrong.text);
        self.has_seen_names |= self.asked.differs_for(model.audience());
        self.has_seen_contents |= self.asked.shows(FactKind::Contents, model.audience());
        let names = self.has_seen_names.then_some(&self.asked);
        let contents = self.has_seen_contents.then_some(FactKind::Contents);
        // A line that the user's shell can't read, or that has commands of another one, was asked for that: beside it, in a prompt for the
        // own shell, it would be repeated.
        let is_foreign = matches!(wrong.kind, FindingKind::Syntax | FindingKind::CommandMissing);
        let own = self.prompt.for_own_shell().filter(|_| is_foreign);
        let corrected = || corrected_prompt(self.prompt, (names, contents), best, wrong, self.examiner);
        let asked = own.unwrap_or_else(corrected);
        self.told.push(wrong.text.clone());
        self.asked = asked;
        true
    }

    /// Returns the best command.
    ///
    /// # Errors
    /// If there is none.
    fn finish(mut self) -> anyhow::Result<Refined> {
        self.spent.check = self.begun.elapsed().saturating_sub(self.spent.model);
        let mut found = self.found.into_iter();
        let best = found.next().ok_or_else(|| Failure::NoCommand("the model gave no answer".into()))?;
        let most = cost(&best.report);
        let alternatives = found.filter(|other| !is_refuted(other) && cost(&other.report) <= most).collect();
        Ok(Refined { best, alternatives, rounds: self.count, time: self.spent })
    }

    /// Returns the time until which a better answer is looked for: the end of all rounds, or sooner if a model on this machine gave a
    /// usable one.
    fn improved_until(&self, model: &dyn Model) -> Instant {
        match self.found.iter().all(is_refuted) || model.audience() != Audience::Machine {
            true => self.until,
            false => self.until.min(self.begun + IMPROVING_TIME),
        }
    }

    /// Gets one answer of the model: returns its text and those of its commands that may reach a prompt line, checked and
    /// repaired.
    fn draft(
        &mut self,
        prompt: &Prompt,
        model: &mut dyn Model,
        control: &RequestControl,
    ) -> anyhow::Result<(String, Vec<Candidate>)> {
        let asked = Instant::now();
        self.control.enter(Stage::Thinking, asked);
        let reply = model.complete(prompt, self.limits.max_tokens, control);
        self.spent.model += asked.elapsed();
        let reply = reply?;
        self.control.enter(Stage::Checking, Instant::now());
        tracing::debug!(usage = ?reply.usage, certainty = ?reply.certainty, "the model said {:?}", reply.text);
        let candidates = candidates(prompt, &reply, model, self.examiner, self.limits)?;
        Ok((reply.text, candidates))
    }

    /// Gets the answer of a model on this machine to another prompt, if its first answer held no usable command: it repeated itself, or
    /// it must not reach a prompt line. The prompt is that of the user's own shell or, if the first one was, has similar solved requests.
    ///
    /// # Errors
    /// The first `error`, unless the model has another answer; [`Failure::Cancelled`].
    fn otherwise(
        &mut self,
        error: anyhow::Error,
        model: &mut dyn Model,
    ) -> anyhow::Result<(String, Vec<Candidate>)> {
        let may_ask = is_useless(&error) && model.keeps_alternatives() && self.limits.request.is_some();
        let own = || self.prompt.for_own_shell().or_else(|| similar::prompt(self.prompt, self.examiner));
        let Some(other) = may_ask.then(own).flatten() else { return Err(error) };
        tracing::debug!("asked in another way: {error:#}");
        let control = self.control.within(Instant::now() + self.limits.time);
        match self.draft(&other, model, &control) {
            Err(again) if is_cancelled(&again) => Err(again),
            Err(_) => Err(error),
            drafts => drafts,
        }
    }
}

/// Returns the prompt extended by the error of a command. Only models with permission see names from the user's
/// files. If a model has seen them in the prompt `before`, all others get no more than they got then; if it has seen
/// what a file contains, they get nothing.
fn corrected_prompt(
    prompt: &Prompt,
    (before, contents): (Option<&Prompt>, Option<FactKind>),
    best: &Candidate,
    wrong: &Finding,
    examiner: &Examiner<'_>,
) -> Prompt {
    let complaint_text = |line: &ParsedLine, wrong: &Finding| {
        let hint = hint::of(line, wrong, prompt.request(), examiner).map(|hint| format!("; {hint}"));
        format!("{}{}", wrong.text, hint.unwrap_or_default())
    };
    let line = best.command.text.as_str();
    let open = complaint_text(&best.line, wrong);
    let own = agreement::fact_kind(wrong.kind).filter(|_| !wrong.evidence.is_empty());
    let whole = if own.is_some() { format!("{open}; {}", wrong.evidence) } else { open.clone() };
    let inserted = best.written.iter().flat_map(|written| &written.facts).copied();
    let seen = before.map_or(&[][..], Prompt::disclosed).iter().copied();
    let items: Vec<FactKind> = own.into_iter().chain(inserted).chain(seen).chain(contents).collect();
    if let Some(open) = before.and_then(Prompt::last_public_correction) {
        return prompt.with_restricted_correction(&items, open, (line, &whole));
    }
    match &best.written {
        Some(written) => {
            let wrong = complaint(&written.report, &written.line).unwrap_or(wrong);
            let open = complaint_text(&written.line, wrong);
            prompt.with_restricted_correction(&items, (written.line.text(), &open), (line, &whole))
        }
        None => prompt.with_restricted_correction(&items, (line, &open), (line, &whole)),
    }
}

/// Returns the end offset of the faulty part in the model's text, mapped back from the repaired command; `None` if
/// the fault is at the end, where the command may only be incomplete.
fn wrong_up_to(reply: &str, candidate: &Candidate) -> Option<usize> {
    let line = candidate.command.text.as_str();
    let end = complaint(&candidate.report, &candidate.line)?.span.end;
    let same = |(one, other): &(u8, u8)| one == other;
    let before = reply.bytes().zip(line.bytes()).take_while(same).count();
    let behind = reply.bytes().rev().zip(line.bytes().rev()).take_while(same).count();
    let left = line.len().saturating_sub(end).min(behind);
    let wrong = if end <= before { end } else { reply.len() - left };
    (wrong < reply.trim_end().len()).then_some(wrong)
}
