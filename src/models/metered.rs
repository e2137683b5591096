//! Wrapper that counts the calls to a model on this machine. Requests to servers are counted individually where
//! they are sent.

use std::time::Instant;

use askline_model::failure::Failure;
use askline_model::prompt::Prompt;
use askline_model::request_control::RequestControl;
use askline_model::{Further, Model, Reply};

/// Model whose usage is added to that of the key press.
pub(super) struct Metered {
    model: Box<dyn Model>,
    name: String,
}

impl Metered {
    /// Wraps a model. Usage is counted under `name`, which contains no path of the user.
    pub(super) fn new(model: Box<dyn Model>, name: String) -> Self {
        Self { model, name }
    }

    /// Counts a finished call, unless there was no model to call.
    fn count(&self, reply: &anyhow::Result<Reply>, asked: Instant, control: &RequestControl) {
        let mut usage = control.usage();
        match reply {
            Err(error) if matches!(error.downcast_ref(), Some(Failure::NoModel(_))) => {}
            Err(_) => usage.call(&self.name, false),
            Ok(reply) => {
                usage.call(&self.name, false);
                usage.spend(&self.name, reply.usage.tokens(), None);
                usage.answered(&self.name, asked.elapsed());
            }
        }
    }
}

impl Model for Metered {
    fn source(&self) -> String {
        self.model.source()
    }

    fn inner(&self) -> Option<&dyn Model> {
        Some(self.model.as_ref())
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Model> {
        Some(self.model.as_mut())
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        let asked = Instant::now();
        let reply = self.model.complete(prompt, max_tokens, control);
        self.count(&reply, asked, control);
        reply
    }

    fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        let replies = self.model.alternatives(prompt, further, control)?;
        let mut usage = control.usage();
        for reply in &replies {
            usage.spend(&self.name, reply.usage.tokens(), None);
        }
        drop(usage);
        Ok(replies)
    }
}
