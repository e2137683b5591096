//! A model whose calls end when their request control does, even if the model inside ignores it.
//!
//! Each call runs in a thread of its own. One that goes on is left behind, and the model is not asked again before it
//! ends: without this, a later round that hangs would cost the answer of the first.

use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::{Further, Model, Reply};
use crate::failure::Failure;
use crate::prompt::Prompt;
use crate::prompt::disclosure::Audience;
use crate::request_control::RequestControl;
use crate::threaded::{Threaded, Unfinished};

/// Maximum time for a model to end by itself after its control ended.
const GRACE: Duration = Duration::from_millis(100);

/// A model that is left behind if it ignores its request control.
#[expect(missing_debug_implementations, reason = "a model has no such form")]
pub struct Punctual {
    model: Threaded<Box<dyn Model>>,
    source: String,
    audience: Audience,
}

impl Punctual {
    /// Wraps a model.
    pub fn new(model: Box<dyn Model>) -> Self {
        let (source, audience) = (model.source(), model.audience());
        Self { model: Threaded::new("model", model), source, audience }
    }

    /// Makes a call in a thread of its own.
    fn call<T: Send + 'static>(
        &mut self,
        control: &RequestControl,
        work: impl FnOnce(&mut dyn Model, &RequestControl) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let its = control.clone();
        let mut spent_at = None;
        let give_up = |now: Instant| {
            let failure = control.spent(now)?;
            (GRACE <= now - *spent_at.get_or_insert(now)).then_some(failure)
        };
        match self.model.run(move |model| work(model.as_mut(), &its), give_up) {
            Ok(done) => done,
            Err(Unfinished::NotStarted(error)) => Err(error).context("can't start a thread"),
            Err(Unfinished::Lost) => {
                let why = format!("{} still works on an earlier request; try again", self.source);
                Err(Failure::Unavailable(why).into())
            }
            Err(Unfinished::Panicked) => {
                bail!("a bug in askline stopped it; `askline suggest --debug` shows more")
            }
            Err(Unfinished::GivenUp(failure)) => {
                tracing::debug!("{} ignores its request control and is left behind", self.source);
                Err(failure.into())
            }
        }
    }
}

impl Model for Punctual {
    fn source(&self) -> String {
        self.source.clone()
    }

    fn inner(&self) -> Option<&dyn Model> {
        self.model.get().map(|model| model.as_ref())
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Model> {
        Some(self.model.get_mut()?.as_mut())
    }

    fn audience(&self) -> Audience {
        self.audience
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        let prompt = prompt.clone();
        self.call(control, move |model, control| model.complete(&prompt, max_tokens, control))
    }

    fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        let prompt = prompt.clone();
        self.call(control, move |model, control| model.alternatives(&prompt, further, control))
    }

    fn prepare(&mut self, fixed: &str, control: &RequestControl) -> anyhow::Result<()> {
        let fixed = fixed.to_owned();
        self.call(control, move |model, control| model.prepare(&fixed, control))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::prompt::Form;
    use crate::scripted::Scripted;

    fn punctual(rows: &str) -> Punctual {
        Punctual::new(Box::new(Scripted::parse(Path::new("script"), rows).unwrap()))
    }

    fn ask(model: &mut Punctual, control: &RequestControl) -> anyhow::Result<String> {
        let prompt = Prompt::new(Form::Completion, String::new(), "# list\n".to_owned());
        model.complete(&prompt, 9, control).map(|reply| reply.text)
    }

    #[test]
    fn one_that_ignores_its_control_is_left_behind() {
        let mut model =
            punctual("{\"reply\": \"ls\"}\n{\"reply\": \"late\", \"hang_ms\": 600000}\n{\"reply\": \"no\"}");
        assert_eq!(ask(&mut model, &RequestControl::endless()).unwrap(), "ls");
        let control = RequestControl::until(Instant::now() + Duration::from_millis(50));
        let error = ask(&mut model, &control).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Failure::TimedOut));
        let error = ask(&mut model, &RequestControl::endless()).unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(Failure::Unavailable(_))), "{error:#}");
        assert!(!model.keeps_alternatives() && model.notes().is_empty());
        model.finish().unwrap();
    }

    #[test]
    fn a_panic_is_an_error() {
        let mut model = punctual(r#"{"panic": "to see that the line is kept"}"#);
        let error = ask(&mut model, &RequestControl::endless()).unwrap_err();
        assert!(error.to_string().starts_with("a bug in askline stopped it"), "{error:#}");
    }

    #[test]
    fn what_a_script_left_over_is_still_told() {
        let mut model = punctual(r#"{"reply": "ls"}"#);
        assert!(model.finish().unwrap_err().to_string().contains("never asked for"));
    }
}
