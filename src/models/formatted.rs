//! Wrapper that gives a local model its prompt: in the format of its profile, with the facts that local models
//! may get.

use askline_model::prompt::Form;
use askline_model::prompt::Prompt;
use askline_model::prompt::disclosure::Audience;
use askline_model::request_control::RequestControl;
use askline_model::{Further, Model, Reply};

/// Name of the model on the status row.
const WHO: &str = "local";

/// A model on this machine and the prompt format of its profile.
pub(super) struct FormattedModel {
    pub(super) model: Box<dyn Model>,
    pub(super) form: Form,
}

impl FormattedModel {
    fn render(&self, prompt: &Prompt) -> anyhow::Result<Prompt> {
        // Nothing leaves the machine, so nothing is redacted.
        Ok(prompt.render_for(self.form, Audience::Machine, &mut str::to_owned)?)
    }
}

impl Model for FormattedModel {
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
        let prompt = self.render(prompt)?;
        control.ask(WHO);
        self.model.complete(&prompt, max_tokens, control)
    }

    fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        let prompt = self.render(prompt)?;
        self.model.alternatives(&prompt, further, control)
    }
}
