//! A model on this machine whose calls are counted. Those to a server are counted where they are sent, one by one.

use std::time::Instant;

use crate::config::Audience;
use crate::failure::Failure;
use crate::model::{Further, Model, Reply};
use crate::patience::Patience;
use crate::prompt::Prompt;

/// Enters what a model takes into the account of the press.
pub(super) struct Metered {
    model: Box<dyn Model>,
    name: String,
}

impl Metered {
    /// `name` is what is counted together; it holds no path of the user's.
    pub(super) fn new(model: Box<dyn Model>, name: String) -> Self {
        Self { model, name }
    }

    /// Counts a call that has ended, unless there was no model to call.
    fn count(&self, reply: &anyhow::Result<Reply>, asked: Instant, patience: &Patience) {
        let mut account = patience.account();
        match reply {
            Err(error) if matches!(error.downcast_ref(), Some(Failure::NoModel(_))) => {}
            Err(_) => account.call(&self.name, false),
            Ok(reply) => {
                account.call(&self.name, false);
                account.spend(&self.name, reply.usage.tokens(), None);
                account.answered(&self.name, asked.elapsed());
            }
        }
    }
}

impl Model for Metered {
    fn source(&self) -> String {
        self.model.source()
    }

    fn audience(&self) -> Audience {
        self.model.audience()
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        let asked = Instant::now();
        let reply = self.model.complete(prompt, max_tokens, patience);
        self.count(&reply, asked, patience);
        reply
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
        let replies = self.model.others(prompt, further, patience)?;
        let mut account = patience.account();
        for reply in &replies {
            account.spend(&self.name, reply.usage.tokens(), None);
        }
        drop(account);
        Ok(replies)
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
