//! A model whose calls end when their request control does, even if the model inside ignores it.
//!
//! Each call runs in a thread of its own. One that goes on is left behind, and the model is not asked again: without
//! this, a later round that hangs would cost the answer of the first.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::{Further, Model, Reply};
use crate::failure::Failure;
use crate::prompt::Prompt;
use crate::prompt::disclosure::Audience;
use crate::request_control::RequestControl;

/// Interval between checks of the request control.
const TICK: Duration = Duration::from_millis(10);
/// Maximum time for a model to end by itself after its control ended.
const GRACE: Duration = Duration::from_millis(100);

/// A model that is left behind if it ignores its request control.
#[expect(missing_debug_implementations, reason = "a model has no such form")]
pub struct Punctual {
    /// Locked by the thread of a call, so held for good by one that was left behind.
    model: Arc<Mutex<Box<dyn Model>>>,
    source: String,
    audience: Audience,
    is_lost: bool,
}

impl Punctual {
    /// Wraps a model.
    pub fn new(model: Box<dyn Model>) -> Self {
        let (source, audience) = (model.source(), model.audience());
        Self { model: Arc::new(Mutex::new(model)), source, audience, is_lost: false }
    }

    /// Makes a call in a thread of its own.
    fn call<T: Send + 'static>(
        &mut self,
        control: &RequestControl,
        work: impl FnOnce(&mut dyn Model, &RequestControl) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        if self.is_lost {
            let why = format!("{} still works on an earlier request; try again", self.source);
            return Err(Failure::Unavailable(why).into());
        }
        let (sender, result) = mpsc::channel();
        let (model, its) = (Arc::clone(&self.model), control.clone());
        let call = move || {
            let mut model = model.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = sender.send(work(model.as_mut(), &its));
        };
        thread::Builder::new().name("model".to_owned()).spawn(call).context("can't start a thread")?;
        let mut spent_at = None;
        loop {
            match result.recv_timeout(TICK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => {
                    // After a panic the model may be in any state.
                    self.is_lost = true;
                    bail!("a bug in askline stopped it; `askline suggest --debug` shows more");
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if let Some(failure) = control.spent(now)
                && GRACE <= now - *spent_at.get_or_insert(now)
            {
                tracing::debug!("{} ignores its request control and is left behind", self.source);
                self.is_lost = true;
                return Err(failure.into());
            }
        }
    }

    /// Asks the model for something that takes no time; `None` if it is lost.
    fn at_once<T>(&self, ask: impl FnOnce(&mut dyn Model) -> T) -> Option<T> {
        let mut model = self.model.try_lock().ok().filter(|_| !self.is_lost)?;
        Some(ask(model.as_mut()))
    }
}

impl Model for Punctual {
    fn source(&self) -> String {
        self.source.clone()
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

    fn keeps_alternatives(&self) -> bool {
        self.at_once(|model| model.keeps_alternatives()).unwrap_or_default()
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

    fn rest(&mut self) {
        self.at_once(|model| model.rest());
    }

    fn notes(&self) -> Vec<String> {
        self.at_once(|model| model.notes()).unwrap_or_default()
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.at_once(|model| model.finish()).unwrap_or(Ok(()))
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
