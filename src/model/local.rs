//! The embedded model: a GGUF file, computed by llama.cpp in this process.
//!
//! The fixed part of a prompt is long and never changes, so what the model computed for it is kept in the cache
//! directory: the first request pays for it once, every later process reads it back.

pub mod engine;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

use super::{Model, Reply, Usage};
use crate::patience::{Patience, Stage};
use crate::prompt::Prompt;
use crate::store;
use engine::{Sequence, Settings, Token, Weights};

/// Part of the key of a kept state: raised whenever llama.cpp or the way we use it changes.
const STATE_VERSION: &str = "askline-state-1 llama-cpp-sys-2 0.1.161";

/// Largest kept state that is read, bytes.
const STATE_LIMIT: u64 = 512 << 20;

/// Longest request together with its answer, tokens.
const REQUEST_ROOM: usize = 1024;

/// The embedded model. Weights are read when it is first asked.
#[derive(Debug)]
pub struct Local {
    name: String,
    file: PathBuf,
    states: PathBuf,
    settings: Settings,
    sequence: Option<Sequence>,
}

impl Local {
    /// A model file that is read when first asked; states are kept in the directory `states`.
    pub fn new(name: String, file: PathBuf, states: PathBuf, threads: Option<usize>) -> Self {
        let threads = threads.unwrap_or_else(cores);
        Self { name, file, states, settings: Settings { threads, repack: false }, sequence: None }
    }

    /// Makes the model ready for prompts that start with `fixed`: computes and keeps its state unless that was done.
    ///
    /// # Errors
    /// When the file can't be loaded or patience is spent; what was computed until then is kept.
    pub fn prepare(&mut self, fixed: &str, patience: &Patience) -> anyhow::Result<Usage> {
        let mut sequence = match self.sequence.take() {
            Some(sequence) => sequence,
            None => self.load(fixed, patience)?,
        };
        let tokens = sequence.weights().tokens(fixed, false)?;
        let shared = shared_prefix(sequence.tokens(), &tokens);
        sequence.truncate(shared);
        let state = self.states.join(format!("{}.state", self.state_key(fixed)?));
        if shared < tokens.len() {
            restore(&mut sequence, &tokens, &state);
        }
        let missing = tokens.get(sequence.tokens().len()..).unwrap_or_default();
        let usage = if missing.is_empty() { Usage::default() } else { self.compute(&mut sequence, missing, &state, patience)? };
        self.sequence = Some(sequence);
        Ok(usage)
    }

    /// Reads what is missing of the fixed part and keeps the state, also when patience is spent on the way: then the
    /// next request goes on where this one stopped.
    fn compute(
        &self,
        sequence: &mut Sequence,
        missing: &[Token],
        file: &Path,
        patience: &Patience,
    ) -> anyhow::Result<Usage> {
        patience.enter(Stage::Preparing);
        let started = Instant::now();
        let before = sequence.tokens().len();
        let outcome = sequence.read(missing, patience);
        let usage = Usage {
            prefill_tokens: sequence.tokens().len() - before,
            prefill: started.elapsed(),
            ..Usage::default()
        };
        if 0 < usage.prefill_tokens
            && let Err(error) = keep(sequence, file)
        {
            tracing::debug!("the model's state is not kept: {error:#}");
        }
        outcome.map(|()| usage)
    }

    fn load(&self, fixed: &str, patience: &Patience) -> anyhow::Result<Sequence> {
        patience.enter(Stage::Loading);
        let weights = Weights::load(&self.file, self.settings, patience)?;
        let room = weights.tokens(fixed, false)?.len() + REQUEST_ROOM;
        Sequence::new(weights, room.next_multiple_of(256), self.settings)
    }

    /// Names a state by all that it depends on: the model file as it is now, the text and our version.
    fn state_key(&self, fixed: &str) -> anyhow::Result<String> {
        let file = self.file.metadata().with_context(|| format!("no model file {}", self.file.display()))?;
        let mut key = Sha256::new();
        key.update(STATE_VERSION);
        key.update(self.file.as_os_str().as_encoded_bytes());
        key.update(file.len().to_le_bytes());
        key.update(format!("{:?}", file.modified().ok()));
        key.update(fixed);
        Ok(key.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

impl Model for Local {
    fn source(&self) -> String {
        format!("local:{}", self.name)
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        self.prepare(&prompt.fixed, patience)?;
        let sequence = self.sequence.as_mut().context("prepared, so there is a sequence")?;
        patience.enter(Stage::Thinking);
        let started = Instant::now();
        let fresh = sequence.weights().tokens(&prompt.fresh, false)?;
        sequence.read(&fresh, patience)?;
        let prefill = started.elapsed();
        let (text, decode_tokens) = write(sequence, max_tokens, patience)?;
        let usage =
            Usage { prefill_tokens: fresh.len(), prefill, decode_tokens, decode: started.elapsed() - prefill };
        Ok(Reply { text, usage })
    }
}

/// Greedy continuation up to the end of the first line that holds text, a token that ends the text, or `max_tokens`.
fn write(sequence: &mut Sequence, max_tokens: usize, patience: &Patience) -> anyhow::Result<(String, usize)> {
    let mut bytes = Vec::new();
    for written in 0..max_tokens {
        let token = sequence.likeliest()?;
        let piece = sequence.weights().piece(token);
        bytes.extend_from_slice(&piece);
        let line_ends = piece.contains(&b'\n') && !bytes.trim_ascii().is_empty();
        if line_ends || sequence.weights().ends(token) {
            return Ok((String::from_utf8_lossy(&bytes).trim().to_owned(), written + 1));
        }
        sequence.read(&[token], patience)?;
    }
    Ok((String::from_utf8_lossy(&bytes).trim().to_owned(), max_tokens))
}

/// The file of a kept state: how many tokens it covers, then what the engine computed for them.
fn keep(sequence: &Sequence, file: &Path) -> anyhow::Result<()> {
    let mut content = (sequence.tokens().len() as u64).to_le_bytes().to_vec();
    content.extend_from_slice(&sequence.state());
    store::write(file, &content)
}

/// Takes a kept state over, as far as it goes; without one, or with one that does not fit, nothing happens.
fn restore(sequence: &mut Sequence, tokens: &[Token], file: &Path) {
    let Ok(Some(content)) = store::read(file, STATE_LIMIT) else { return };
    let Some((count, state)) = content.split_first_chunk::<8>() else { return };
    let covered = usize::try_from(u64::from_le_bytes(*count)).ok().and_then(|count| tokens.get(..count));
    let fits = covered.is_some_and(|covered| sequence.restore(covered, state));
    tracing::debug!(fits, "kept state {}", file.display());
}

fn shared_prefix(a: &[Token], b: &[Token]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// One thread per core that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// How long one sequence of `Duration`s took per token, tokens per second; none without tokens.
pub fn speed(tokens: usize, time: Duration) -> Option<f64> {
    (0 < tokens && !time.is_zero()).then(|| tokens as f64 / time.as_secs_f64())
}
