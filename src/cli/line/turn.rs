//! One key press: continues from the previous press, or asks anew.

use std::fmt;

use crate::config::{Config, Evidence};
use crate::environment::Machine;
use crate::models::{self, Purpose};
use crate::presses::{self, Accepted, LineContent, NextPress, Offer, Press, PressStore};
use crate::suggest::{Request, again, alternatives, suggest};
use crate::suggestion::Suggestion;
use askline_check::check::places_to_fill;
use askline_host::local::LocalHost;
use askline_host::store::Paths;
use askline_model::failure::Failure;
use askline_model::prompt::Solved;
use askline_model::prompt::disclosure::FactKind;
use askline_model::request_control::RequestControl;
use askline_risk::Label;
use askline_syntax::clean;
use askline_syntax::line::{LineText, PromptLine};
use askline_syntax::shell::Shell;
use askline_syntax::{ParsedLine, Span};

use super::input::Input;

/// Note if the model's answer equals the prompt line.
const UNCHANGED: &str = "the model's answer is the same line";
/// Note if words that go on from the last answer changed nothing, before the request of that.
const SAME: &str = "these words changed nothing in the line for";
/// Note if the checks verified every option of the line and found no error, so no model was asked.
const RIGHT: &str = "the line is already right";
/// Reason if there is nothing behind a comment sign.
const NO_WORDS: &str = "type what you want behind the #";
/// Note if the command is the one that was run after the same words.
const RECALLED: &str = "as you ran it before for these words; press the key for others";
/// Note if the user's words are on the prompt line again.
const WORDS: &str = "your words again; press the key for the suggestions";

/// Inputs of a key press.
pub(super) struct Turn {
    pub(super) input: Input,
    pub(super) shell: Shell,
    /// Store of presses in this terminal.
    pub(super) press_store: Option<PressStore>,
    pub(super) machine: Machine,
    pub(super) config: Config,
    pub(super) paths: Paths,
    pub(super) control: RequestControl,
}

/// Result of a key press.
#[derive(Debug)]
pub(super) struct TurnResult {
    /// New prompt line.
    pub(super) line: LineText,
    /// Notes for the user.
    pub(super) notes: Vec<String>,
    /// State for the next press.
    pub(super) press: Option<Press>,
    /// Place of the cursor, in characters; `None` for the end.
    pub(super) cursor: Option<usize>,
}

/// Context of the error of a declined request: the press to keep. The same words again insist.
#[derive(Debug)]
pub(super) struct DeclinedPress(pub(super) Press);

impl fmt::Display for DeclinedPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("or again for a line all the same")
    }
}

impl Turn {
    /// Performs the step that the press means.
    ///
    /// # Errors
    /// As [`suggest`].
    pub(super) fn take(&self) -> anyhow::Result<TurnResult> {
        let last = self.press_store.as_ref().and_then(PressStore::last);
        let current = last.as_ref().filter(|last| last.is_around(&self.around()));
        let step = current.map_or(NextPress::Anew, |last| last.step(&self.input.line.text, self.shell));
        tracing::debug!("{step:?} after {:?}", last.as_ref().map(|last| last.place));
        let shown = match (step, last) {
            (NextPress::Show(place), Some(last)) => self.show(last, place)?,
            (NextPress::More, Some(last)) => self.more(last)?,
            (_, last) => match self.next_to_fill(last.as_ref()) {
                Some(same) => same,
                None => self.new_request(last)?,
            },
        };
        let is_offer = shown.press.as_ref().is_some_and(|press| press.place != LineContent::Words);
        let first = self.places(shown.line.as_str()).first().filter(|_| is_offer).map(|place| place.start);
        Ok(TurnResult { cursor: shown.cursor.or_else(|| characters(shown.line.as_str(), first?)), ..shown })
    }

    /// Returns the places of a line that are to be filled in.
    fn places(&self, line: &str) -> Vec<Span> {
        let here = self.machine.host.current_dir().unwrap_or_default();
        let exists = |name: &str| Some(self.machine.host.entry(&here.join(name)).is_some());
        places_to_fill(&ParsedLine::new(line, self.shell), &exists)
    }

    /// Returns the line with the cursor at the next place to fill in, if it is a suggestion of which the person has filled in
    /// something.
    fn next_to_fill(&self, last: Option<&Press>) -> Option<TurnResult> {
        let line = &self.input.line.text;
        let last = last.filter(|last| last.shell == self.shell.name())?;
        let next = self.places(line).into_iter().next()?;
        let is_from = |offer: &Offer| {
            let first = self.places(&offer.command).into_iter().next();
            let before = first.and_then(|first| offer.command.get(..first.start));
            before.is_some_and(|before| line.starts_with(before)) && offer.command != *line
        };
        if !last.offers.iter().any(is_from) {
            return None;
        }
        let note = format!("fill in {}", line.get(next.clone())?);
        let cursor = characters(line, next.start);
        Some(TurnResult { line: clean::as_typed(line)?, notes: vec![note], press: None, cursor })
    }

    /// Handles a new request, or one that changes the last.
    fn new_request(&self, last: Option<Press>) -> anyhow::Result<TurnResult> {
        let words = &self.input.line.text;
        let accepted = self.accepted(last.as_ref());
        let insists = last.as_ref().is_some_and(|last| last.has_declined(words, self.shell));
        let mut before = match self.ran_since(last.as_ref(), words) {
            Some(ran) => Some(Solved { request: String::new(), command: ran }),
            None => last.and_then(|last| last.before(words, self.shell)),
        };
        let asked = request_of(words);
        // The request is the end of the line.
        let skipped = words.chars().count() - asked.chars().count();
        let cursor = self.input.line.cursor.saturating_sub(skipped);
        let line = PromptLine { text: asked.to_owned(), cursor };
        if line.text.is_empty() && !words.trim().is_empty() {
            return Err(Failure::NoCommand(NO_WORDS.to_owned()).into());
        }
        let request = Request { line: &line, before: before.as_ref(), insists, ..self.request() };
        if let Some(command) = Accepted::for_words(&accepted, words).filter(|_| before.is_none()) {
            return self.recalled(&request, command, accepted.clone());
        }
        // Leaked on purpose: the process ends soon, and unmapping gigabytes first would delay the answer.
        let model = Box::leak(models::open(&self.config, &LocalHost, &self.paths, Purpose::Press)?);
        let mut suggestion = suggest(&request, &self.machine, model, &self.config, &self.control)
            .map_err(|error| self.declined(error, &accepted))?;
        // Words that change nothing may not be about the last answer: "untracked files only" after a list of tags.
        let is_same = before.as_ref().is_some_and(|before| {
            suggestion.command.as_str().trim() == before.command.trim() && 0 < suggestion.rounds
        });
        if is_same && suggestion.risk.label < Label::Confirm && presses::may_stand_alone(words) {
            let alone = Request { before: None, ..request };
            let own = suggest(&alone, &self.machine, model, &self.config, &self.control);
            if let Ok(own) = own
                && own.risk.label <= suggestion.risk.label
            {
                (suggestion, before) = (own, None);
            }
        }
        model.finish()?;
        let mut notes = suggestion.notes(self.config.evidence);
        // Notes about the model come last.
        let at = notes.len().saturating_sub(suggestion.fallback.len());
        let goes_on = before.iter().filter(|before| presses::goes_on(before, words, self.shell));
        let goes_on: Vec<String> = goes_on
            .map(|before| {
                let from = if before.request.is_empty() { &before.command } else { &before.request };
                match suggestion.command.as_str().trim() == before.command.trim() {
                    true => format!("{SAME}: {from}"),
                    false => format!("goes on from: {from}"),
                }
            })
            .collect();
        notes.splice(at..at, goes_on);
        let is_settled = suggestion.rounds == 0;
        if suggestion.command.as_str().trim() == words.trim() {
            // Beside a danger that would sound like advice.
            if suggestion.open.is_empty() && suggestion.risk.label < Label::Dangerous {
                notes.push(if is_settled { RIGHT } else { UNCHANGED }.to_owned());
            }
            // The next words may go on from the command that was typed.
            let press = Press {
                complete: true,
                around: Some(self.around()),
                accepted,
                ..Press::now(words, self.shell, self.offer(&suggestion))
            };
            return Ok(TurnResult { line: suggestion.command, notes, press: Some(press), cursor: None });
        }
        let press = Press {
            // The model may have another answer to words that go on from the last.
            complete: is_settled && before.is_none(),
            before,
            around: Some(self.around()),
            accepted,
            ..Press::now(words, self.shell, self.offer(&suggestion))
        };
        Ok(TurnResult { line: suggestion.command, notes, press: Some(press), cursor: None })
    }

    /// Adds the press to keep to the error of a declined request.
    fn declined(&self, error: anyhow::Error, accepted: &[Accepted]) -> anyhow::Error {
        if !matches!(error.downcast_ref(), Some(Failure::Declined)) {
            return error;
        }
        let press = Press::declined(&self.input.line.text, self.shell);
        error.context(DeclinedPress(Press { accepted: accepted.to_vec(), ..press }))
    }

    /// Returns the accepted requests of this terminal, if the configuration lets anyone see earlier commands.
    fn accepted(&self, last: Option<&Press>) -> Vec<Accepted> {
        let is_on = self.config.disclosure.is_on(FactKind::History);
        last.filter(|_| is_on)
            .map_or_else(Vec::new, |last| last.accepted_after(&self.input.facts.history, self.shell))
    }

    /// Returns the command that was run after the same words, judged anew. Other suggestions follow with the next press.
    fn recalled(
        &self,
        request: &Request<'_>,
        command: &str,
        accepted: Vec<Accepted>,
    ) -> anyhow::Result<TurnResult> {
        let (line, risk) = again(request, command, &self.machine, &self.config)?;
        let about = risk.note().unwrap_or_else(|| risk.label.name().to_owned());
        let offer = Offer { command: line.as_str().to_owned(), notes: vec![RECALLED.to_owned()], about };
        let press = Press {
            around: Some(self.around()),
            accepted,
            ..Press::now(&self.input.line.text, self.shell, offer)
        };
        let notes = risk.note().into_iter().chain([RECALLED.to_owned()]).collect();
        Ok(TurnResult { line, notes, press: Some(press), cursor: None })
    }

    /// Returns the next suggestion after all known ones were shown.
    fn more(&self, mut last: Press) -> anyhow::Result<TurnResult> {
        match self.alternatives(&last, Purpose::Press) {
            Ok(found) => {
                let next = LineContent::Offer(last.offers.len());
                self.show(last.and(found), next)
            }
            Err(error) => match error.downcast_ref() {
                Some(Failure::Cancelled) => Err(error),
                reason => {
                    last.complete = matches!(reason, Some(Failure::NoCommand(_)));
                    let mut shown = self.show(last, LineContent::Words)?;
                    shown.notes.insert(0, format!("{error:#}"));
                    Ok(shown)
                }
            },
        }
    }

    /// Returns further offers for the words of a press.
    pub(super) fn alternatives(&self, press: &Press, occasion: Purpose) -> anyhow::Result<Vec<Offer>> {
        let words = PromptLine::typed(request_of(&press.words));
        let request = Request { line: &words, before: press.before.as_ref(), ..self.request() };
        let known: Vec<String> = press.offers.iter().map(|offer| offer.command.clone()).collect();
        let model = Box::leak(models::open(&self.config, &LocalHost, &self.paths, occasion)?);
        let found = alternatives(&request, &known, &self.machine, model, &self.config, &self.control)?;
        model.finish()?;
        Ok(found.iter().map(|suggestion| self.offer(suggestion)).collect())
    }

    /// Shows part of an earlier press, with its risk judged anew.
    fn show(&self, mut last: Press, place: LineContent) -> anyhow::Result<TurnResult> {
        let words = clean::as_typed(&last.words)
            .filter(|_| place == LineContent::Words && !last.words.trim().is_empty());
        let (line, notes) = if let Some(words) = words {
            last.place = LineContent::Words;
            (words, vec![WORDS.to_owned()])
        } else {
            let at = match place {
                LineContent::Offer(at) if at < last.offers.len() => at,
                LineContent::Offer(_) | LineContent::Words | LineContent::Any => 0,
            };
            last.place = LineContent::Offer(at);
            let count = last.offers.len();
            let offer =
                last.offers.get_mut(at).ok_or_else(|| Failure::NoCommand("there is no suggestion".into()))?;
            let words = PromptLine::typed(request_of(&last.words));
            let request = Request { line: &words, before: last.before.as_ref(), ..self.request() };
            let (line, risk) = again(&request, &offer.command, &self.machine, &self.config)?;
            line.as_str().clone_into(&mut offer.command);
            let mut notes = vec![format!("{} of {count}", at + 1)];
            notes.extend(risk.note());
            notes.extend(offer.notes.iter().cloned());
            (line, notes)
        };
        Ok(TurnResult { line, notes, press: Some(last), cursor: None })
    }

    fn request(&self) -> Request<'_> {
        Request::new(&self.input.line, self.shell, &self.input.facts)
    }

    /// Returns the last command that was run, if that was after the last press, is none of its offers, and words say how it is to
    /// change.
    fn ran_since(&self, last: Option<&Press>, words: &str) -> Option<String> {
        let facts = &self.input.facts;
        let ran = facts
            .last_command()
            .filter(|_| facts.status == Some(0) && self.shell.dialect().passes_last_command)?;
        let is_known = last.is_some_and(|last| {
            last.is_around(&self.around()) || last.offers.iter().any(|offer| offer.command.trim() == ran)
        });
        (!is_known && presses::changes(ran, words, self.shell)).then(|| ran.to_owned())
    }

    /// Returns the digest that a press is bound to. The last command of Nushell is left out, because Nushell passes
    /// it only on request.
    fn around(&self) -> String {
        let passes = self.shell.dialect().passes_last_command;
        let ran = self.input.facts.history.first().filter(|_| passes).map(String::as_str);
        presses::around(self.machine.host.current_dir().as_deref(), ran)
    }

    fn offer(&self, suggestion: &Suggestion) -> Offer {
        offer(suggestion, self.config.evidence)
    }
}

/// Returns a place in a text, given in bytes, in characters.
fn characters(text: &str, at: usize) -> Option<usize> {
    text.get(..at).map(|before| before.chars().count())
}

/// Returns the stored form of a suggestion.
pub(in crate::cli) fn offer(suggestion: &Suggestion, evidence: Evidence) -> Offer {
    Offer {
        command: suggestion.command.as_str().to_owned(),
        notes: suggestion.remarks(evidence),
        about: suggestion.about(evidence).join("; "),
    }
}

/// Returns the request in a prompt line, without a leading `ask` or `#`; a `#` alone is no request.
fn request_of(line: &str) -> &str {
    let words = line.trim_start();
    if words.starts_with('#') {
        return words.trim_start_matches(|c: char| c == '#' || c.is_whitespace());
    }
    let rest = words.strip_prefix("ask ").map(str::trim_start);
    rest.filter(|rest| !rest.is_empty()).unwrap_or(line)
}
