//! The configured model as the model of the loop: a conversation as one prompt, and beside it with tools, for servers that know
//! them.

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;
use std::time::Instant;

use askline_agent::agent_loop::{self, Asked};
use askline_agent::aide::Aide;
use askline_agent::context::{Message, Role};
use askline_agent::grammar;
use askline_agent::protocol::{self, Turn};
use askline_agent::tool::Registry;
use askline_model::Model;
use askline_model::prompt::talk::{Look, Talk, ToolCall, ToolSpec};
use askline_model::prompt::{Form, Prompt};
use askline_model::request_control::{RequestControl, Stage};

/// Maximum number of tokens of one turn.
const TURN_TOKENS: usize = 512;

/// A model that writes turns.
pub(super) struct Turns<'a> {
    pub(super) model: &'a mut dyn Model,
    pub(super) aides: &'a mut BTreeMap<Aide, Box<dyn Model>>,
    pub(super) control: &'a RequestControl,
    /// How the model's turns are bound.
    pub(super) bounds: Bounds,
}

/// How the turns of a model are bound: the embedded model follows a grammar, others what they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    /// By nothing.
    Free,
    /// By the grammar of turns; a turn may be a question if somebody can answer it.
    Grammar { may_ask: bool },
}

impl Bounds {
    fn grammar(self, asked: &Asked<'_>) -> Option<String> {
        match self {
            Self::Free => None,
            Self::Grammar { .. } if asked.is_last => Some(grammar::turns(&Registry::new(Vec::new()), false)),
            Self::Grammar { may_ask } => Some(grammar::turns(asked.tools, may_ask)),
        }
    }
}

impl agent_loop::Model for Turns<'_> {
    fn turn(&mut self, asked: &Asked<'_>) -> Result<Vec<Turn>, String> {
        self.control.enter(Stage::Thinking, Instant::now());
        let of = |role| asked.messages.iter().filter(move |message| message.role == role);
        let system: Vec<&str> = of(Role::System).map(|message| message.text.as_str()).collect();
        let talk =
            asked.messages.iter().filter(|message| message.role != Role::System).map(|message| match message
                .role
            {
                Role::Assistant => format!("You wrote:\n{}", message.text),
                _ => message.text.clone(),
            });
        let text = talk.collect::<Vec<_>>().join("\n\n");
        let mut prompt = Prompt::new(Form::Chat, system.join("\n\n"), text);
        prompt.talk = conversation(asked).map(Arc::new);
        prompt.grammar = self.bounds.grammar(asked);
        let reply =
            self.model.complete(&prompt, TURN_TOKENS, self.control).map_err(|error| format!("{error:#}"))?;
        // What was said before several calls belongs to the first.
        let thoughts = iter::once(reply.text.as_str()).chain(iter::repeat(""));
        let read =
            |(call, thought): (&ToolCall, &str)| protocol::read_native(thought, &call.name, &call.arguments);
        Ok(match reply.calls.as_slice() {
            [] => vec![protocol::read(&reply.text)],
            calls => calls.iter().zip(thoughts).map(read).collect(),
        })
    }

    fn advise(&mut self, aide: Aide, question: &str) -> Option<Result<String, String>> {
        let prompt = Prompt::new(Form::Chat, aide.instruction().to_owned(), question.to_owned());
        let reply = self.aides.get_mut(&aide)?.complete(&prompt, TURN_TOKENS, self.control);
        Some(reply.map(|reply| reply.text).map_err(|error| format!("{error:#}")))
    }
}

/// Returns the conversation with tools; `None` if a call in it is too long to be repeated.
fn conversation(asked: &Asked<'_>) -> Option<Talk> {
    let tools = asked.tools.tools().iter();
    let tool = tools.map(|tool| ToolSpec {
        name: tool.name.clone(),
        about: tool.about.clone(),
        schema: tool.schema(),
    });
    let mut messages = asked.messages.iter().filter(|message| message.role != Role::System);
    let request = messages.next()?.text.clone();
    let mut looks = Vec::new();
    while let Some(Message { call, .. }) = messages.next() {
        let (thought, call) = call.as_ref()?;
        let arguments = serde_json::to_string(&call.parameters).ok()?;
        let call = ToolCall { name: call.name.clone(), arguments };
        looks.push(Look { thought: thought.clone(), call, result: messages.next()?.text.clone() });
    }
    Some(Talk { system: protocol::native_instruction(asked.prompt), tools: tool.collect(), request, looks })
}
