//! The configured model as the model of the loop: a conversation as one prompt.

use std::time::Instant;

use askline_agent::agent_loop;
use askline_agent::context::{Message, Role};
use askline_model::Model;
use askline_model::prompt::{Form, Prompt};
use askline_model::request_control::{RequestControl, Stage};

/// Maximum number of tokens of one turn.
const TURN_TOKENS: usize = 512;

/// A model that writes turns.
pub(super) struct Turns<'a> {
    pub(super) model: &'a mut dyn Model,
    pub(super) control: &'a RequestControl,
}

impl agent_loop::Model for Turns<'_> {
    fn turn(&mut self, messages: &[Message]) -> Result<String, String> {
        self.control.enter(Stage::Thinking, Instant::now());
        let of = |role| messages.iter().filter(move |message| message.role == role);
        let system: Vec<&str> = of(Role::System).map(|message| message.text.as_str()).collect();
        let talk =
            messages.iter().filter(|message| message.role != Role::System).map(|message| {
                match message.role {
                    Role::Assistant => format!("You wrote:\n{}", message.text),
                    _ => message.text.clone(),
                }
            });
        let talk = talk.collect::<Vec<_>>().join("\n\n");
        let prompt = Prompt::new(Form::Chat, system.join("\n\n"), talk);
        let reply =
            self.model.complete(&prompt, TURN_TOKENS, self.control).map_err(|error| format!("{error:#}"))?;
        Ok(reply.text)
    }
}
