//! Runs the embedded model in a thread of its own: if llama.cpp aborts on a damaged file, or is stuck, that costs the
//! model, not the process.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};

use super::{Local, engine};
use crate::failure::{EngineLost, Failure};
use crate::prompt::Prompt;
use crate::request_control::RequestControl;
use crate::{Further, Model, Reply};

/// Interval between looks at an engine that has not answered yet.
const TICK: Duration = Duration::from_millis(20);

/// Time for the engine to stop after a request ended. It looks after each step of a computation, so only a file that
/// does not answer takes longer.
const STOP_WAIT: Duration = Duration::from_secs(10);

/// The embedded model, in a thread of its own while it works.
#[derive(Debug)]
pub(super) struct Guarded {
    source: String,
    /// `None` while the thread has it, and for good after that was lost.
    local: Option<Local>,
    stop_wait: Duration,
}

impl Guarded {
    pub(super) fn new(local: Local) -> Self {
        engine::stay_on_abort();
        Self { source: local.source(), local: Some(local), stop_wait: STOP_WAIT }
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
        let mut local = self.local.take().ok_or_else(|| lost(&self.source, "it was lost before"))?;
        let (sender, receiver) = mpsc::channel();
        let theirs = control.clone();
        let work = move || {
            let done = work(&mut local, &theirs);
            // The receiver is gone if this took too long to stop.
            let _ = sender.send((local, done));
        };
        thread::Builder::new()
            .name("engine".to_owned())
            .spawn(work)
            .context("can't start the model's thread")?;
        let mut spent_at = None;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok((local, done)) => {
                    self.local = Some(local);
                    return done;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(lost(&self.source, "its thread panicked")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(why) = engine::aborted() {
                return Err(lost(&self.source, why));
            }
            let now = Instant::now();
            match (control.spent(now), spent_at) {
                (Some(_), None) => spent_at = Some(now),
                (Some(_), Some(at)) if self.stop_wait < now.duration_since(at) => {
                    return Err(lost(&self.source, "it does not stop"));
                }
                _ => {}
            }
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
        self.local.iter_mut().for_each(Local::rest);
    }
}

#[cfg(test)]
mod tests {
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
