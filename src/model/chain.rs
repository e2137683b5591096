//! Several models in an order: the next is asked when one can't be, or is late.
//!
//! A model that answered, in whatever words, is not asked over the head of: its refusal is the answer. One that failed is
//! not asked again while this lives, so that further rounds and rows don't wait for it once more.

use std::time::{Duration, Instant};

use super::{Model, Reply};
use crate::failure::Failure;
use crate::patience::Patience;
use crate::prompt::Prompt;

/// Most characters of a reason that are told.
const REASON_CHARS_MAX: usize = 160;

/// A model of a chain.
#[expect(missing_debug_implementations, reason = "a model may hold a key")]
pub struct Link {
    /// The model.
    pub model: Box<dyn Model>,
    /// How long it may take for one answer while others follow it; none: as long as the person waits.
    pub limit: Option<Duration>,
}

/// Models in the order in which they are asked.
#[expect(missing_debug_implementations, reason = "a model may hold a key")]
pub struct Chain {
    current: Link,
    /// The next one last.
    following: Vec<Link>,
    /// Those that were asked, for nothing.
    spent: Vec<Link>,
    reasons: Vec<String>,
}

impl Chain {
    /// A chain of `first` and those that follow it, in their order.
    pub fn new(first: Link, mut following: Vec<Link>) -> Self {
        following.reverse();
        Self { current: first, following, spent: Vec::new(), reasons: Vec::new() }
    }
}

impl Model for Chain {
    fn source(&self) -> String {
        self.current.model.source()
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        loop {
            // The last one may take what is left, and its stage is the one that people see.
            let limit = self.current.limit.filter(|_| !self.following.is_empty());
            let limited =
                limit.map_or_else(|| patience.clone(), |limit| patience.within(Instant::now() + limit));
            let error = match self.current.model.complete(prompt, max_tokens, &limited) {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let given_up = patience.spent(Instant::now()).is_some();
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

    fn prepare(&mut self, fixed: &str, patience: &Patience) -> anyhow::Result<()> {
        self.current.model.prepare(fixed, patience)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.current.model.notes();
        if !self.reasons.is_empty() {
            notes.insert(0, format!("{}; {} answered instead", self.reasons.join("; "), self.source()));
        }
        notes
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        // Those that never had their turn have nothing to finish.
        self.spent.iter_mut().chain([&mut self.current]).try_for_each(|link| link.model.finish())
    }
}

impl Chain {
    /// Why the current model gave nothing, in words.
    fn reason(&self, error: &anyhow::Error) -> String {
        let why = match error.downcast_ref() {
            // The failure's own words are about the whole wait.
            Some(Failure::TimedOut) => "no answer in time".to_owned(),
            _ => format!("{error:#}"),
        };
        let (source, most) = (self.source(), REASON_CHARS_MAX);
        // Many messages name the model themselves.
        let told = if why.contains(&source) { why } else { format!("{source}: {why}") };
        match told.char_indices().nth(most) {
            Some((end, _)) => format!("{}…", told.get(..end).unwrap_or_default()),
            None => told,
        }
    }
}

/// The model was there and had its say, or nobody waits any more.
fn is_answer(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(Failure::Cancelled | Failure::NoCommand(_) | Failure::Unclean(_))
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::model::scripted::Scripted;
    use crate::prompt::Form;

    fn link(name: &str, limit_ms: Option<u64>, rows: &str) -> Link {
        let model = Box::new(Scripted::parse(Path::new(name), rows).unwrap());
        Link { model, limit: limit_ms.map(Duration::from_millis) }
    }

    fn ask(chain: &mut Chain, patience: &Patience) -> anyhow::Result<String> {
        let prompt =
            Prompt { form: Form::Completion, fixed: String::new(), fresh: "# list\n".to_owned() };
        chain.complete(&prompt, 9, patience).map(|reply| reply.text)
    }

    #[test]
    fn one_that_answers_is_the_only_one_asked() {
        let next = link("b", None, r#"{"reply": "never"}"#);
        let mut chain = Chain::new(link("a", None, r#"{"reply": "ls"}"#), vec![next]);
        assert_eq!(ask(&mut chain, &Patience::endless()).unwrap(), "ls");
        assert_eq!((chain.source().as_str(), chain.notes().len()), ("scripted:a", 0));
        chain.finish().unwrap();
    }

    #[test]
    fn the_next_is_asked_and_why_is_told() {
        let rows = [r#"{"fail": "the server is gone"}"#, r#"{"fail": "too many requests"}"#];
        let third = "{\"reply\": \"ls\"}\n{\"reply\": \"ls -l\"}";
        let mut chain = Chain::new(
            link("a", None, rows[0]),
            vec![link("b", None, rows[1]), link("c", None, third), link("d", None, r#"{"reply": "no"}"#)],
        );
        assert_eq!(ask(&mut chain, &Patience::endless()).unwrap(), "ls");
        let note = "scripted:a: the server is gone; scripted:b: too many requests; scripted:c answered instead";
        assert_eq!((chain.source().as_str(), chain.notes()), ("scripted:c", vec![note.to_owned()]));
        // A further round goes to the one that answered.
        assert_eq!(ask(&mut chain, &Patience::endless()).unwrap(), "ls -l");
        chain.finish().unwrap();
    }

    #[test]
    fn a_late_one_leaves_the_rest_of_the_time_to_the_next() {
        let slow = r#"{"reply": "late", "delay_ms": 60000}"#;
        let begun = Instant::now();
        let patience = Patience::until(begun + Duration::from_secs(30));
        let mut chain =
            Chain::new(link("a", Some(60), slow), vec![link("b", Some(1), r#"{"reply": "ls", "delay_ms": 40}"#)]);
        assert_eq!(ask(&mut chain, &patience).unwrap(), "ls", "the last one is not limited");
        assert_eq!(chain.notes(), ["scripted:a: no answer in time; scripted:b answered instead"]);
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn nobody_is_asked_after_the_deadline_or_a_cancel() {
        let slow = r#"{"reply": "late", "delay_ms": 60000}"#;
        let patience = Patience::until(Instant::now() + Duration::from_millis(50));
        let mut chain = Chain::new(link("a", Some(60_000), slow), vec![link("b", None, r#"{"reply": "ls"}"#)]);
        let error = ask(&mut chain, &patience).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Failure::TimedOut));
        assert_eq!(chain.source(), "scripted:a");

        let patience = Patience::endless();
        patience.cancel();
        let mut chain = Chain::new(link("a", None, slow), vec![link("b", None, r#"{"reply": "ls"}"#)]);
        let error = ask(&mut chain, &patience).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Failure::Cancelled));
    }

    #[test]
    fn when_all_fail_every_reason_is_told() {
        let mut chain =
            Chain::new(link("a", None, r#"{"fail": "gone"}"#), vec![link("b", None, r#"{"fail": "full"}"#)]);
        let error = ask(&mut chain, &Patience::endless()).unwrap_err();
        assert_eq!(format!("{error:#}"), "scripted:a: gone; scripted:b: full");
        let long = format!(r#"{{"fail": "{}"}}"#, "é".repeat(5000));
        let mut chain = Chain::new(link("a", None, &long), vec![link("b", None, r#"{"reply": "ls"}"#)]);
        ask(&mut chain, &Patience::endless()).unwrap();
        assert!(chain.notes().concat().chars().count() < REASON_CHARS_MAX + 40);
    }

    /// A model that says no in words.
    struct Refusing;

    impl Model for Refusing {
        fn source(&self) -> String {
            "refusing".to_owned()
        }

        fn complete(&mut self, _: &Prompt, _: usize, _: &Patience) -> anyhow::Result<Reply> {
            Err(Failure::NoCommand("I can't".to_owned()).into())
        }
    }

    #[test]
    fn a_refusal_is_an_answer() {
        let first = Link { model: Box::new(Refusing), limit: None };
        let mut chain = Chain::new(first, vec![link("b", None, r#"{"reply": "ls"}"#)]);
        let error = ask(&mut chain, &Patience::endless()).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Failure::NoCommand("I can't".to_owned())));
    }
}
