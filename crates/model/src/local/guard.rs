//! Runs the embedded model in a thread of its own: if llama.cpp aborts on a damaged file, or is stuck, that costs the
//! model, not the process.

use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};

use super::{Local, engine};
use crate::failure::{EngineLost, Failure};
use crate::prompt::Prompt;
use crate::request_control::RequestControl;
use crate::threaded::{Threaded, Unfinished};
use crate::{Further, Model, Reply};

/// Time for the engine to stop after a request ended. It looks after each step of a computation, so only a file that
/// does not answer takes longer.
const STOP_WAIT: Duration = Duration::from_secs(10);

/// The embedded model, in a thread of its own while it works.
#[derive(Debug)]
pub(super) struct Guarded {
    source: String,
    local: Threaded<Local>,
    stop_wait: Duration,
}

impl Guarded {
    pub(super) fn new(local: Local) -> Self {
        engine::stay_on_abort();
        Self { source: local.source(), local: Threaded::new("engine", local), stop_wait: STOP_WAIT }
    }

    /// Runs `work` in a thread.
    ///
    /// # Errors
    ///
    /// That of `work`, or [`EngineLost`] as context of a [`Failure`] if the engine gave up.
    fn run<T: Send + 'static>(
        &mut self,
        control: &RequestControl,
        work: impl FnOnce(&mut Local, &RequestControl) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let (theirs, stop_wait) = (control.clone(), self.stop_wait);
        let mut spent_at = None;
        let give_up = |now: Instant| {
            engine::aborted().or_else(|| {
                control.spent(now)?;
                let spent_at = *spent_at.get_or_insert(now);
                (stop_wait < now.duration_since(spent_at)).then_some("it does not stop")
            })
        };
        match self.local.run(move |local| work(local, &theirs), give_up) {
            Ok(done) => done,
            Err(Unfinished::NotStarted(error)) => Err(error).context("can't start the model's thread"),
            Err(Unfinished::Lost) => Err(lost(&self.source, "it was lost before")),
            Err(Unfinished::Panicked) => Err(lost(&self.source, "its thread panicked")),
            Err(Unfinished::GivenUp(why)) => Err(lost(&self.source, why)),
        }
    }
}

fn lost(source: &str, why: &str) -> anyhow::Error {
    let name = source.strip_prefix("local:").unwrap_or(source);
    let why = format!(
        "the engine of the model {name} failed ({why}); fetch the model again with `askline model pull`, or choose \
         another one: `askline model list`"
    );
    anyhow!(Failure::Unavailable(why)).context(EngineLost)
}

impl Model for Guarded {
    fn source(&self) -> String {
        self.source.clone()
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        let prompt = prompt.clone();
        self.run(control, move |local, control| local.complete(&prompt, max_tokens, control))
    }

    fn keeps_alternatives(&self) -> bool {
        true
    }

    fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        let prompt = prompt.clone();
        self.run(control, move |local, control| local.alternatives(&prompt, further, control))
    }

    fn prepare(&mut self, fixed: &str, control: &RequestControl) -> anyhow::Result<()> {
        let fixed = fixed.to_owned();
        self.run(control, move |local, control| local.prepare(&fixed, control))
    }

    fn rest(&mut self) {
        self.local.get_mut().into_iter().for_each(Local::rest);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use askline_syntax::shell::Shell;

    use super::*;
    use crate::prompt::{Form, draft};

    #[test]
    fn an_error_is_not_the_end_of_the_model() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("model.gguf");
        std::fs::write(&file, b"GGUF").unwrap();
        let local = Local::new("tiny".to_owned(), file, top.path().join("states"), 512, Some(1));
        let mut guarded = local.guarded();
        let prompt = draft(Form::Completion, "list files", Shell::Bash, "Linux");
        for _ in 0..2 {
            let error = guarded.complete(&prompt, 9, &RequestControl::endless()).unwrap_err();
            assert!(!error.is::<EngineLost>());
            let Some(Failure::Unavailable(why)) = error.downcast_ref() else { panic!("{error:#}") };
            assert!(why.contains("model.gguf can't be used: it is cut off"), "{why}");
        }
        assert_eq!(guarded.source(), "local:tiny");
    }

    #[test]
    fn an_engine_that_does_not_stop_is_given_up() {
        let local = Local::new("tiny".to_owned(), "/none".into(), "/none".into(), 512, Some(1));
        let mut guarded = Guarded { stop_wait: Duration::from_millis(100), ..Guarded::new(local) };
        let cancelled = RequestControl::endless();
        cancelled.cancel();
        let stuck = |_: &mut Local, _: &RequestControl| -> anyhow::Result<()> {
            loop {
                thread::park();
            }
        };
        let error = guarded.run(&cancelled, stuck).unwrap_err();
        assert!(error.is::<EngineLost>(), "{error:#}");
        let Some(Failure::Unavailable(why)) = error.downcast_ref() else { panic!("{error:#}") };
        assert!(why.starts_with("the engine of the model tiny failed (it does not stop)"), "{why}");
        let again = guarded.run(&cancelled, |_, _| Ok(())).unwrap_err();
        assert!(again.is::<EngineLost>(), "{again:#}");
    }
}
