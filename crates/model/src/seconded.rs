//! A model with a second one, which is asked as well where the first is unsure.

use crate::prompt::Prompt;
use crate::prompt::disclosure::Audience;
use crate::request_control::RequestControl;
use crate::{Further, Model, Reply};

/// A model and its second. It answers as the first one does; who asks decides when the second is needed.
#[expect(missing_debug_implementations, reason = "a model may hold a key")]
pub struct Seconded {
    first: Box<dyn Model>,
    second: Box<dyn Model>,
    is_second_used: bool,
}

impl Seconded {
    /// Gives a model its second.
    pub fn new(first: Box<dyn Model>, second: Box<dyn Model>) -> Self {
        Self { first, second, is_second_used: false }
    }
}

impl Model for Seconded {
    fn source(&self) -> String {
        self.first.source()
    }

    fn audience(&self) -> Audience {
        self.first.audience()
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        self.first.complete(prompt, max_tokens, control)
    }

    fn keeps_alternatives(&self) -> bool {
        self.first.keeps_alternatives()
    }

    fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        self.first.alternatives(prompt, further, control)
    }

    fn second(&mut self) -> Option<&mut dyn Model> {
        self.is_second_used = true;
        Some(&mut *self.second)
    }

    fn prepare(&mut self, fixed: &str, control: &RequestControl) -> anyhow::Result<()> {
        self.first.prepare(fixed, control)
    }

    fn rest(&mut self) {
        self.first.rest();
        self.second.rest();
    }

    fn notes(&self) -> Vec<String> {
        self.first.notes()
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.first.finish()?;
        // A model that was never asked has nothing to finish.
        if self.is_second_used { self.second.finish() } else { Ok(()) }
    }
}
