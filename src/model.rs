//! The seam to language models: a prompt goes in, text comes out.
//!
//! Three real users: the embedded model, a model on a server, and `scripted:FILE`, which replays replies so that shell
//! tests and bug reports are exact. All ship in the product.

pub mod chain;
pub mod memory;
pub mod remote;
pub mod resident;
pub mod scripted;

#[cfg(feature = "local-model")]
pub mod local;
#[cfg(not(feature = "local-model"))]
#[path = "model/local_disabled.rs"]
pub mod local;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::account::Tokens;
use crate::config::Audience;
use crate::patience::Patience;
use crate::prompt::Prompt;

/// A language model that can be asked.
pub trait Model: Send {
    /// What answers, for people and records, such as `local:qwen2.5-coder-1.5b-instruct-q4_k_m`.
    fn source(&self) -> String;

    /// Who reads what it is asked: this machine, or a server. Of several, the one that answered last.
    fn audience(&self) -> Audience {
        Audience::Machine
    }

    /// Asks once. Generation is greedy, ends at the end of the first line that holds text, at `max_tokens`, or when
    /// `patience` is spent, which is looked at between tokens.
    ///
    /// # Errors
    /// A [`crate::failure::Failure`] when patience ran out or there is no model; anything else is unexpected.
    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply>;

    /// Whether it has further answers in mind to a prompt that it has answered. Otherwise it must be asked for another one.
    fn keeps_others(&self) -> bool {
        false
    }

    /// Further answers to the prompt that was asked last, likeliest first; none is the answer of [`Model::complete`], and no
    /// two are the same. A model that can't give any gives none.
    ///
    /// # Errors
    /// As [`Model::complete`].
    fn others(
        &mut self,
        _prompt: &Prompt,
        _further: Further,
        _patience: &Patience,
    ) -> anyhow::Result<Vec<Reply>> {
        Ok(Vec::new())
    }

    /// Does what is done once for all prompts that start with `fixed`, so that the first of them is as fast as the next.
    ///
    /// # Errors
    /// As [`Model::complete`].
    fn prepare(&mut self, _fixed: &str, _patience: &Patience) -> anyhow::Result<()> {
        Ok(())
    }

    /// Gives memory back that can be had again; nobody is expected to ask soon.
    fn rest(&mut self) {}

    /// What a person should know of how the last reply came about, most important first.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Called once when nothing more will be asked.
    ///
    /// # Errors
    /// When the model was meant to be asked more: replies of a script are left over.
    fn finish(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Which further answers are wanted of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Further {
    /// How many at most.
    pub most: usize,
    /// Most tokens of one of them.
    pub max_tokens: usize,
    /// Where what the answer is wrong in ends, in bytes of its text: those that leave it later are not wanted.
    pub wrong: Option<usize>,
}

/// What a model said and what it cost.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Reply {
    /// The text as generated, untrusted.
    pub text: String,
    /// How sure the model was of its own words, where it can tell.
    pub certainty: Option<Certainty>,
    /// Speed figures, where the model can tell.
    pub usage: Usage,
}

/// How likely the words of a reply were to the model, 0 to 1. Greedy choice: each token was the likeliest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Certainty {
    /// Geometric mean of the tokens' probabilities.
    pub mean: f64,
    /// The least probability of any token.
    pub least: f64,
}

/// Tokens and time of one reply.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt that were computed for this reply (not taken from a kept state).
    pub prefill_tokens: usize,
    /// Tokens of the prompt that were taken from a kept state.
    pub cached_tokens: usize,
    /// Time for them.
    pub prefill: Duration,
    /// Tokens generated.
    pub decode_tokens: usize,
    /// Time for them.
    pub decode: Duration,
}

impl Usage {
    /// The tokens alone.
    pub fn tokens(&self) -> Tokens {
        Tokens {
            prompt: self.prefill_tokens.saturating_add(self.cached_tokens) as u64,
            cached: self.cached_tokens as u64,
            completion: self.decode_tokens as u64,
        }
    }
}
