//! The conclusion of a loop as the first answer of its model, so that it passes the same checks as any answer.

use askline_model::prompt::Prompt;
use askline_model::request_control::RequestControl;
use askline_model::{Model, Reply};

/// A model that has already given its first answer.
pub(super) struct Conclusion<'a> {
    first: Option<String>,
    model: &'a mut dyn Model,
}

impl<'a> Conclusion<'a> {
    /// Creates it; without a first answer the model is asked as usual.
    pub(super) fn new(first: Option<String>, model: &'a mut dyn Model) -> Self {
        Self { first, model }
    }
}

impl Model for Conclusion<'_> {
    fn source(&self) -> String {
        self.model.source()
    }

    fn inner(&self) -> Option<&dyn Model> {
        Some(&*self.model)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Model> {
        Some(&mut *self.model)
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        match self.first.take() {
            Some(text) => Ok(Reply { text, ..Reply::default() }),
            None => self.model.complete(prompt, max_tokens, control),
        }
    }
}
