//! Fallback chain: asks the next model if one can't be reached, fails or is late. It may also have a second model, which is asked
//! as well where the first is unsure; whoever asks decides when.
//!
//! Any answer ends the chain, even a refusal in prose. A failed model is not asked again by the same chain, so
//! later rounds don't wait for it again.

use std::time::Instant;

use super::{Model, Reply};
use crate::failure::Failure;
use crate::prompt::Prompt;
use crate::request_control::RequestControl;
use askline_syntax::clean::shortened;

/// Maximum length of a reported reason, in characters.
const REASON_CHARS_MAX: usize = 160;

/// Models in the order of asking.
#[expect(missing_debug_implementations, reason = "a model may hold a key")]
pub struct Chain {
    current: Box<dyn Model>,
    /// Remaining models, the next one last.
    following: Vec<Box<dyn Model>>,
    /// Models that were asked and failed.
    spent: Vec<Box<dyn Model>>,
    reasons: Vec<String>,
    second: Option<Box<dyn Model>>,
    is_second_asked: bool,
}

impl Chain {
    /// Creates a chain of `first` and the models that follow it, in order.
    pub fn new(first: Box<dyn Model>, mut following: Vec<Box<dyn Model>>) -> Self {
        following.reverse();
        let (spent, reasons) = (Vec::new(), Vec::new());
        Self { current: first, following, spent, reasons, second: None, is_second_asked: false }
    }

    /// Gives the chain a second model.
    pub fn with_second(self, second: Box<dyn Model>) -> Self {
        Self { second: Some(second), ..self }
    }
}

impl Model for Chain {
    fn source(&self) -> String {
        self.current.source()
    }

    fn inner(&self) -> Option<&dyn Model> {
        Some(self.current.as_ref())
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Model> {
        Some(self.current.as_mut())
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        loop {
            let error = match self.current.complete(prompt, max_tokens, control) {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let given_up = control.spent(Instant::now()).is_some();
            let next = if given_up || is_answer(&error) { None } else { self.following.pop() };
            let Some(next) = next else {
                return Err(match self.reasons.is_empty() {
                    true => error,
                    false => error.context(format!("{}; {}", self.reasons.join("; "), self.source())),
                });
            };
            self.reasons.push(self.reason(&error));
            self.spent.push(std::mem::replace(&mut self.current, next));
            tracing::debug!("{}; asking {}", self.reasons.join("; "), self.source());
        }
    }

    fn second_source(&self) -> Option<String> {
        self.second.as_ref().map(|second| second.source())
    }

    fn second(&mut self) -> Option<&mut dyn Model> {
        self.is_second_asked = true;
        self.second.as_mut().map(|second| &mut **second as &mut dyn Model)
    }

    fn rest(&mut self) {
        self.asked().for_each(|model| model.rest());
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.current.notes();
        if !self.reasons.is_empty() {
            notes.insert(0, format!("{}; {} answered instead", self.reasons.join("; "), self.source()));
        }
        notes
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.asked().try_for_each(|model| model.finish())
    }
}

impl Chain {
    /// Returns the models that may have been asked; the others have nothing to finish and hold nothing.
    fn asked(&mut self) -> impl Iterator<Item = &mut Box<dyn Model>> {
        let second = self.second.as_mut().filter(|_| self.is_second_asked);
        self.spent.iter_mut().chain([&mut self.current]).chain(second)
    }

    /// Returns why the current model failed, as text.
    fn reason(&self, error: &anyhow::Error) -> String {
        let why = match error.downcast_ref() {
            // The failure's own text describes the whole request.
            Some(Failure::TimedOut) => "no answer in time".to_owned(),
            _ => format!("{error:#}"),
        };
        let source = self.source();
        // Many messages already contain the model's name.
        let reason = if why.contains(&source) { why } else { format!("{source}: {why}") };
        shortened(&reason, REASON_CHARS_MAX)
    }
}

/// Reports whether the error ends the chain: the model answered, or the user cancelled.
fn is_answer(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Failure::Cancelled | Failure::NoCommand(_) | Failure::Unclean(_)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::prompt::Form;
    use crate::scripted::Scripted;

    fn scripted(name: &str, rows: &str) -> Box<dyn Model> {
        Box::new(Scripted::parse(Path::new(name), rows).unwrap())
    }

    fn ask(chain: &mut Chain, control: &RequestControl) -> anyhow::Result<String> {
        let prompt = Prompt::new(Form::Completion, String::new(), "# list\n".to_owned());
        chain.complete(&prompt, 9, control).map(|reply| reply.text)
    }

    #[test]
    fn one_that_answers_is_the_only_one_asked() {
        let next = scripted("b", r#"{"reply": "never"}"#);
        let mut chain = Chain::new(scripted("a", r#"{"reply": "ls"}"#), vec![next]);
        assert_eq!(ask(&mut chain, &RequestControl::endless()).unwrap(), "ls");
        assert_eq!((chain.source().as_str(), chain.notes().len()), ("scripted:a", 0));
        chain.finish().unwrap();
    }

    #[test]
    fn the_next_is_asked_and_why_is_told() {
        let rows = [r#"{"fail": "the server is gone"}"#, r#"{"fail": "too many requests"}"#];
        let third = "{\"reply\": \"ls\"}\n{\"reply\": \"ls -l\"}";
        let mut chain = Chain::new(
            scripted("a", rows[0]),
            vec![scripted("b", rows[1]), scripted("c", third), scripted("d", r#"{"reply": "no"}"#)],
        );
        assert_eq!(ask(&mut chain, &RequestControl::endless()).unwrap(), "ls");
        let note =
            "scripted:a: the server is gone; scripted:b: too many requests; scripted:c answered instead";
        assert_eq!((chain.source().as_str(), chain.notes()), ("scripted:c", vec![note.to_owned()]));
        // A further round asks the model that answered.
        assert_eq!(ask(&mut chain, &RequestControl::endless()).unwrap(), "ls -l");
        chain.finish().unwrap();
    }

    #[test]
    fn nobody_is_asked_after_the_deadline_or_a_cancel() {
        let slow = r#"{"reply": "late", "delay_ms": 60000}"#;
        let control = RequestControl::until(Instant::now() + Duration::from_millis(50));
        let mut chain = Chain::new(scripted("a", slow), vec![scripted("b", r#"{"reply": "ls"}"#)]);
        let error = ask(&mut chain, &control).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Failure::TimedOut));
        assert_eq!(chain.source(), "scripted:a");

        let control = RequestControl::endless();
        control.cancel();
        let mut chain = Chain::new(scripted("a", slow), vec![scripted("b", r#"{"reply": "ls"}"#)]);
        let error = ask(&mut chain, &control).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Failure::Cancelled));
    }

    #[test]
    fn when_all_fail_every_reason_is_told() {
        let mut chain =
            Chain::new(scripted("a", r#"{"fail": "gone"}"#), vec![scripted("b", r#"{"fail": "full"}"#)]);
        let error = ask(&mut chain, &RequestControl::endless()).unwrap_err();
        assert_eq!(format!("{error:#}"), "scripted:a: gone; scripted:b: full");
        let long = format!(r#"{{"fail": "{}"}}"#, "é".repeat(5000));
        let mut chain = Chain::new(scripted("a", &long), vec![scripted("b", r#"{"reply": "ls"}"#)]);
        ask(&mut chain, &RequestControl::endless()).unwrap();
        assert!(chain.notes().concat().chars().count() < REASON_CHARS_MAX + 40);
    }

    /// A model that refuses in prose.
    struct Refusing;

    impl Model for Refusing {
        fn source(&self) -> String {
            "refusing".to_owned()
        }

        fn complete(&mut self, _: &Prompt, _: usize, _: &RequestControl) -> anyhow::Result<Reply> {
            Err(Failure::NoCommand("I can't".to_owned()).into())
        }
    }

    /// A model that fails, and counts how often it rests.
    struct Resting(Arc<AtomicUsize>);

    impl Model for Resting {
        fn source(&self) -> String {
            "resting".to_owned()
        }

        fn complete(&mut self, _: &Prompt, _: usize, _: &RequestControl) -> anyhow::Result<Reply> {
            anyhow::bail!("it rests")
        }

        fn rest(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn all_that_were_asked_rest() {
        let rests: [Arc<AtomicUsize>; 4] = Default::default();
        let resting = |at: usize| -> Box<dyn Model> { Box::new(Resting(Arc::clone(&rests[at]))) };
        let following = vec![resting(1), scripted("b", r#"{"reply": "ls"}"#), resting(2)];
        let mut chain = Chain::new(resting(0), following).with_second(resting(3));
        let rested = || rests.each_ref().map(|times| times.load(Ordering::Relaxed));
        assert_eq!(ask(&mut chain, &RequestControl::endless()).unwrap(), "ls");
        chain.rest();
        assert_eq!(rested(), [1, 1, 0, 0]);
        assert!(chain.second().is_some());
        chain.rest();
        assert_eq!(rested(), [2, 2, 0, 1]);
    }

    #[test]
    fn a_refusal_is_an_answer() {
        let mut chain = Chain::new(Box::new(Refusing), vec![scripted("b", r#"{"reply": "ls"}"#)]);
        let error = ask(&mut chain, &RequestControl::endless()).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Failure::NoCommand("I can't".to_owned())));
    }
}
