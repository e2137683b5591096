//! A model of this machine with what it reads: its own form of a prompt, and the facts that may be told here.

use crate::config::{Audience, Form};
use crate::model::{Further, Model, Reply};
use crate::patience::Patience;
use crate::prompt::Prompt;

/// What the status row says is asked.
const WHO: &str = "local";

/// A model on this machine and the form that its profile wants.
pub(super) struct Reader {
    pub(super) model: Box<dyn Model>,
    pub(super) form: Form,
}

impl Reader {
    fn told(&self, prompt: &Prompt) -> anyhow::Result<Prompt> {
        // Nothing leaves the machine, so no secret is taken out.
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
