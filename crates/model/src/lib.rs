#![doc = include_str!("../README.md")]

#[cfg_attr(
    all(not(feature = "local-model"), not(test)),
    expect(dead_code, reason = "only the embedded model loads adapters")
)]
pub mod adapter;
pub mod chain;
pub mod failure;
mod gguf;
mod http;
pub mod install;
pub mod memory;
pub mod prompt;
pub mod punctual;
pub mod remote;
pub mod request_control;
pub mod resident;
pub mod scripted;
pub mod server;
mod threaded;
pub mod usage;

#[cfg(feature = "local-model")]
pub mod local;
#[cfg(not(feature = "local-model"))]
#[path = "local_disabled.rs"]
pub mod local;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::prompt::Prompt;
use crate::prompt::disclosure::Audience;
use crate::prompt::talk::ToolCall;
use crate::request_control::RequestControl;
use crate::usage::Tokens;

/// A language model. One that wraps another names it as its inner model, and implements only what it does in its own way.
pub trait Model: Send {
    /// Returns the model's name for display and records, such as `local:qwen2.5-coder-1.5b-instruct-q4_k_m`.
    fn source(&self) -> String;

    /// Returns the model that does what this one does not do itself; `None` if this one wraps no other, or has lost it.
    fn inner(&self) -> Option<&dyn Model> {
        None
    }

    /// Returns the same model, to ask it.
    fn inner_mut(&mut self) -> Option<&mut dyn Model> {
        None
    }

    /// Returns the reader of the prompts: this machine or a server. A chain returns that of its current model.
    fn audience(&self) -> Audience {
        self.inner().map_or(Audience::Machine, |inner| inner.audience())
    }

    /// Asks the model once. Generation is greedy and ends after the first non-blank line, at `max_tokens`, or
    /// when the request control ends, which is checked between tokens.
    ///
    /// # Errors
    ///
    /// A [`crate::failure::Failure`] if the request control ended or there is no model; any other error is
    /// unexpected.
    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply>;

    /// Reports whether the model can return alternatives to an answered prompt. Otherwise it must be asked
    /// again with another prompt.
    fn keeps_alternatives(&self) -> bool {
        self.inner().is_some_and(|inner| inner.keeps_alternatives())
    }

    /// Returns alternatives to the answer of the last prompt, likeliest first. They differ from each other and
    /// from the answer of [`Model::complete`]. A model that supports none returns an empty list.
    ///
    /// # Errors
    ///
    /// As [`Model::complete`].
    fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        self.inner_mut().map_or(Ok(Vec::new()), |inner| inner.alternatives(prompt, further, control))
    }

    /// Returns the name of the model to ask as well where this one is unsure, as [`Self::source`]; `None` if there is none.
    fn second_source(&self) -> Option<String> {
        self.inner()?.second_source()
    }

    /// Returns that model, to ask it; `None` if there is none.
    fn second(&mut self) -> Option<&mut dyn Model> {
        self.inner_mut()?.second()
    }

    /// Does the one-time work for all prompts that start with `fixed`, to make the first of them as fast as
    /// later ones.
    ///
    /// # Errors
    ///
    /// As [`Model::complete`].
    fn prepare(&mut self, fixed: &str, control: &RequestControl) -> anyhow::Result<()> {
        self.inner_mut().map_or(Ok(()), |inner| inner.prepare(fixed, control))
    }

    /// Releases memory that can be rebuilt; called when no request is expected soon.
    fn rest(&mut self) {
        if let Some(inner) = self.inner_mut() {
            inner.rest();
        }
    }

    /// Returns remarks for the user about the last reply, most important first.
    fn notes(&self) -> Vec<String> {
        self.inner().map(|inner| inner.notes()).unwrap_or_default()
    }

    /// Ends the use of the model; called once after the last request.
    ///
    /// # Errors
    ///
    /// If replies of a script were not used.
    fn finish(&mut self) -> anyhow::Result<()> {
        self.inner_mut().map_or(Ok(()), |inner| inner.finish())
    }
}

/// Which alternatives are wanted, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Further {
    /// Maximum number of alternatives.
    pub most: usize,
    /// Maximum number of tokens of each.
    pub max_tokens: usize,
    /// End of the wrong part of the answer, as a byte offset in its text; alternatives that differ only after
    /// it are not wanted.
    pub wrong: Option<usize>,
    /// `true` if an alternative is only of use when it is about as likely as the answer.
    #[serde(default)]
    pub likely: bool,
}

/// A model's answer and its cost.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Reply {
    /// Generated text, untrusted.
    pub text: String,
    /// Confidence of the model in its tokens, if it reports any.
    pub certainty: Option<Certainty>,
    /// The reason why the text ends before the model was done; `None` if it is whole.
    #[serde(default)]
    pub cut: Option<Cut>,
    /// `true` if the model answered after a beginning of the prompt's fixed part, because the rest is not prepared yet.
    #[serde(default)]
    pub brief: bool,
    /// The tools that the model calls, in order; only a prompt with tools brings any.
    #[serde(default)]
    pub calls: Vec<ToolCall>,
    /// Tokens and times, if the model reports them.
    pub usage: Usage,
}

/// Reason why an answer ends before the model was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cut {
    /// It has this many tokens, the maximum.
    Tokens(usize),
    /// Its time was over.
    Time,
    /// It repeats itself.
    Repetition,
}

impl Cut {
    /// Returns the failure when no part of the answer can be used.
    pub fn failure(self) -> Failure {
        match self {
            Self::Tokens(most) => Failure::NoCommand(format!(
                "the answer is longer than {most} tokens; ask for less at once or raise `max_tokens`"
            )),
            Self::Time => Failure::TimedOut,
            Self::Repetition => {
                Failure::NoCommand("the model's answer repeats itself; say it in other words".into())
            }
        }
    }
}

/// How sure a model was of a reply. Decoding is greedy: each token was the likeliest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Certainty {
    /// Geometric mean of the probabilities of its tokens, 0 to 1.
    pub mean: f64,
}

/// Tokens and time of one reply.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Number of prompt tokens computed for this reply (not taken from a cached state).
    pub prefill_tokens: usize,
    /// Number of prompt tokens taken from a cached state.
    pub cached_tokens: usize,
    /// Time to process the prompt.
    pub prefill: Duration,
    /// Number of generated tokens.
    pub decode_tokens: usize,
    /// Time to generate them.
    pub decode: Duration,
}

impl Usage {
    /// Returns the token counts alone.
    pub fn tokens(&self) -> Tokens {
        Tokens {
            prompt: self.prefill_tokens.saturating_add(self.cached_tokens) as u64,
            cached: self.cached_tokens as u64,
            completion: self.decode_tokens as u64,
        }
    }
}
