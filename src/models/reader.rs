//! Wrapper that gives a local model its prompt: in the format of its profile, with the facts that local models
//! may get.

use askline_model::patience::Patience;
use askline_model::prompt::Form;
use askline_model::prompt::Prompt;
use askline_model::prompt::disclosure::Audience;
use askline_model::{Further, Model, Reply};

/// Name of the model on the status row.
const WHO: &str = "local";

/// A model on this machine and the prompt format of its profile.
pub(super) struct Reader {
    pub(super) model: Box<dyn Model>,
    pub(super) form: Form,
}

impl Reader {
    fn told(&self, prompt: &Prompt) -> anyhow::Result<Prompt> {
        // Nothing leaves the machine, so nothing is redacted.
        Ok(prompt.told(self.form, Audience::Machine, &mut str::to_owned)?)
    }
}

impl Model for Reader {
    fn source(&self) -> String {
        self.model.source()
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        let prompt = self.told(prompt)?;
        patience.ask(WHO);
        self.model.complete(&prompt, max_tokens, patience)
    }

    fn keeps_others(&self) -> bool {
        self.model.keeps_others()
    }

    fn others(
        &mut self,
        prompt: &Prompt,
        further: Further,
        patience: &Patience,
    ) -> anyhow::Result<Vec<Reply>> {
        let prompt = self.told(prompt)?;
        self.model.others(&prompt, further, patience)
    }

    fn prepare(&mut self, fixed: &str, patience: &Patience) -> anyhow::Result<()> {
        self.model.prepare(fixed, patience)
    }

    fn notes(&self) -> Vec<String> {
        self.model.notes()
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.model.finish()
    }
}
