//! The embedded model: a GGUF file, computed by llama.cpp in this process.
//!
//! The fixed part of a prompt is long and never changes, so what the model computed for it is kept in the cache
//! directory: the first request pays for it once, every later process reads it back.

pub mod chances;
pub mod engine;
mod lookup;
pub mod needs;
mod pace;
mod writing;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

use super::{Certainty, Further, Model, Reply, Usage};
use crate::patience::{Patience, Stage};
use crate::prompt::{Form, Prompt};
use crate::store;
use chances::{Chances, Token};
use engine::{Sequence, Settings, Weights};
use needs::Needs;
use writing::End;

/// Part of the key of a kept state: raised whenever llama.cpp or the way we use it changes.
const STATE_VERSION: &str = "askline-state-3 llama-cpp-sys-2 0.1.161";

/// Largest kept state that is read, bytes.
const STATE_LIMIT: u64 = 512 << 20;

/// Most states that are kept, one for each model and shell; the longest unused go first.
const STATES_LIMIT: usize = 8;

/// Tokens that are read between two writes of the state.
const STRETCH: usize = 512;

/// How often, and how far apart, the machine is looked at to see who else computes.
const LOOKS: usize = 3;
const LOOK_PAUSE: Duration = Duration::from_millis(1);

/// Most tokens of prompt and answer together: the solved requests of any shell take half of it. Memory grows with it,
/// 12 to 28 KiB a token for the models of the manifest.
const ROOM_MAX: u32 = 4096;

/// The embedded model. Weights are read when it is first asked.
#[derive(Debug)]
pub struct Local {
    name: String,
    file: PathBuf,
    states: PathBuf,
    settings: Settings,
    /// Tokens of prompt and answer together.
    room: usize,
    sequence: Option<Sequence>,
    /// The weights, while there is no sequence.
    resting: Option<Weights>,
    /// The answer whose end the sequence stands at.
    answered: Option<Answered>,
}

/// The prompt that was asked last, and how it was answered.
#[derive(Debug)]
struct Answered {
    prompt: Prompt,
    end: End,
    /// Tokens before the answer.
    start: usize,
    path: Vec<Chances>,
}

impl Local {
    /// A model file that is read when first asked; states are kept in the directory `states`. More threads than cores
    /// would only wait for each other. `room` is what the model can read, in tokens; no more than [`ROOM_MAX`] of it is
    /// used.
    pub fn new(name: String, file: PathBuf, states: PathBuf, room: u32, threads: Option<usize>) -> Self {
        let threads = threads.unwrap_or(usize::MAX).min(cores());
        let room = room.min(ROOM_MAX) as usize;
        Self {
            name,
            file,
            states,
            settings: Settings { threads, repack: false, guess: true },
            room,
            sequence: None,
            resting: None,
            answered: None,
        }
    }

    /// The same model, guessing nothing ahead: to see what guessing is worth.
    #[must_use]
    pub fn without_guesses(mut self) -> Self {
        self.settings.guess = false;
        self
    }

    /// Makes the model ready for prompts that start with `fixed`: computes and keeps its state unless that was done. Tells
    /// what was computed.
    ///
    /// # Errors
    /// When the file can't be loaded or patience is spent; what was computed until then is kept.
    pub fn ready(&mut self, fixed: &str, patience: &Patience) -> anyhow::Result<Usage> {
        self.answered = None;
        let file = self.states.join(format!("{}.state", self.state_key(fixed)?));
        let sequence = self.loaded(patience)?;
        let tokens = sequence.weights().tokens(fixed, false)?;
        sequence.truncate(shared_prefix(sequence.tokens(), &tokens));
        if sequence.tokens().len() < tokens.len() {
            restore(sequence, &tokens, &file);
        }
        match tokens.get(sequence.tokens().len()..) {
            None | Some([]) => Ok(Usage::default()),
            Some(missing) => compute(sequence, missing, &file, patience),
        }
    }

    /// Gives back the memory that the model reads and computes with, for when nobody asks for a while. The weights stay
    /// mapped, and the next request goes on from the kept state: it takes longer by the time that restoring one takes.
    pub fn rest(&mut self) {
        self.answered = None;
        if let Some(sequence) = self.sequence.take() {
            self.resting = Some(sequence.into_weights());
        }
    }

    /// How much memory the model takes, known before it is loaded; none when the file's header leaves it open.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn needs(&self) -> anyhow::Result<Option<Needs>> {
        let unreadable = || format!("the model file {} can't be read", self.file.display());
        let metadata = self.file.metadata().with_context(unreadable)?;
        let mut header = Vec::new();
        if metadata.is_file() {
            let file = File::open(&self.file).with_context(unreadable)?;
            file.take(needs::HEADER_BYTES).read_to_end(&mut header).with_context(unreadable)?;
        }
        Ok(needs::needs(metadata.len(), &header, self.room as u64))
    }

    /// The model with its weights read.
    fn loaded(&mut self, patience: &Patience) -> anyhow::Result<&mut Sequence> {
        if self.sequence.is_none() {
            let weights = match self.resting.take() {
                Some(weights) => weights,
                None => {
                    patience.enter(Stage::Loading, Instant::now());
                    Weights::load(&self.file, self.settings, patience)?
                }
            };
            self.sequence = Some(Sequence::new(weights, self.room, self.settings)?);
        }
        self.sequence.as_mut().context("loaded, so there is a sequence")
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

    fn rest(&mut self) {
        Self::rest(self);
    }

    fn prepare(&mut self, fixed: &str, patience: &Patience) -> anyhow::Result<()> {
        self.ready(fixed, patience).map(drop)
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        self.answered = None;
        let end = match prompt.form {
            Form::Completion => {
                self.ready(&prompt.fixed, patience)?;
                End::Line
            }
            Form::Chat => {
                self.loaded(patience)?;
                End::Text
            }
        };
        let sequence = self.sequence.as_mut().context("loaded, so there is a sequence")?;
        patience.enter(Stage::Thinking, Instant::now());
        sequence.set_threads(undisturbed(sequence.most_threads()));
        let started = Instant::now();
        let fresh = match prompt.form {
            Form::Completion => sequence.weights().tokens(&prompt.fresh, false)?,
            Form::Chat => {
                let tokens = chat_tokens(sequence.weights(), prompt)?;
                // The last token is read in any case, for what comes after it.
                let shared = shared_prefix(sequence.tokens(), &tokens).min(tokens.len().saturating_sub(1));
                sequence.truncate(shared);
                tokens.get(shared..).unwrap_or_default().to_vec()
            }
        };
        let cached_tokens = sequence.tokens().len();
        sequence.read(&fresh, patience)?;
        let prefill = started.elapsed();
        let start = sequence.tokens().len();
        let request = self.settings.guess.then_some(cached_tokens);
        let (written, path) = writing::greedy(sequence, end, request, max_tokens, patience)?;
        let usage = Usage {
            prefill_tokens: fresh.len(),
            cached_tokens,
            prefill,
            decode_tokens: written.tokens,
            decode: started.elapsed() - prefill,
        };
        self.answered = Some(Answered { prompt: prompt.clone(), end, start, path });
        Ok(Reply { text: written.text, certainty: written.certainty, usage })
    }

    fn keeps_others(&self) -> bool {
        true
    }

    fn others(
        &mut self,
        prompt: &Prompt,
        further: Further,
        patience: &Patience,
    ) -> anyhow::Result<Vec<Reply>> {
        if self.answered.as_ref().is_none_or(|answered| answered.prompt != *prompt) {
            self.complete(prompt, further.max_tokens, patience)?;
        }
        let (Some(sequence), Some(answered)) = (&mut self.sequence, &self.answered) else {
            return Ok(Vec::new());
        };
        patience.enter(Stage::Thinking, Instant::now());
        let started = Instant::now();
        let along = (answered.start, answered.path.as_slice());
        let written = writing::others(sequence, along, answered.end, further, patience)?;
        let decode = started.elapsed();
        let reply = |written: Written| Reply {
            text: written.text,
            certainty: written.certainty,
            // The time is that of all of them: they were written together.
            usage: Usage { decode_tokens: written.tokens, decode, ..Usage::default() },
        };
        Ok(written.into_iter().map(reply).collect())
    }
}

/// The tokens of a chat in the template of the model's file. Only the template's own marks count as marks: what stands in
/// the messages is text.
fn chat_tokens(weights: &Weights, prompt: &Prompt) -> anyhow::Result<Vec<Token>> {
    let text = weights
        .chat(&prompt.fixed, &prompt.fresh)
        .context("the model's file has no chat template; remove `prompt = \"chat\"` from its profile")?;
    let (before, rest) =
        text.split_once(&prompt.fixed).context("the chat template leaves the system's message out")?;
    let (between, after) =
        rest.rsplit_once(&prompt.fresh).context("the chat template leaves the request out")?;
    let parts =
        [(before, true), (&prompt.fixed, false), (between, true), (&prompt.fresh, false), (after, true)];
    let tokens = parts.into_iter().map(|(text, marks)| weights.tokens(text, marks));
    Ok(tokens.collect::<anyhow::Result<Vec<_>>>()?.concat())
}

/// Reads what is missing of the fixed part and keeps the state after each stretch, so that a person who gives up on
/// the way has not waited for nothing: the next request goes on there.
fn compute(
    sequence: &mut Sequence,
    missing: &[Token],
    file: &Path,
    patience: &Patience,
) -> anyhow::Result<Usage> {
    patience.enter(Stage::Preparing, Instant::now());
    let mut usage = Usage::default();
    for stretch in missing.chunks(STRETCH) {
        sequence.set_threads(undisturbed(sequence.most_threads()));
        let started = Instant::now();
        sequence.read(stretch, patience)?;
        usage.prefill_tokens += stretch.len();
        usage.prefill += started.elapsed();
        if let Err(error) = keep(sequence, file) {
            tracing::debug!("the model's state is not kept: {error:#}");
        }
    }
    Ok(usage)
}

/// What a model wrote.
#[derive(Debug)]
struct Written {
    text: String,
    tokens: usize,
    certainty: Option<Certainty>,
}

/// The file of a kept state: the SHA-256 of what follows, how many tokens it covers, what the engine computed for them.
fn keep(sequence: &Sequence, file: &Path) -> anyhow::Result<()> {
    let count = (sequence.tokens().len() as u64).to_le_bytes();
    let state = sequence.state();
    let digest = Sha256::new().chain_update(count).chain_update(&state).finalize();
    store::write(file, &[&digest[..], &count[..], &state].concat())?;
    store::thin_out(file.parent().context("a file without a directory")?, STATES_LIMIT)
}

/// Takes a kept state over, as far as it goes. A damaged one would change answers unseen, so it is removed instead.
fn restore(sequence: &mut Sequence, tokens: &[Token], file: &Path) {
    let Ok(Some(content)) = store::read(file, STATE_LIMIT) else { return };
    let taken = content.split_first_chunk::<32>().is_some_and(|(digest, body)| {
        let Some((count, state)) = body.split_first_chunk::<8>() else { return false };
        let covered = usize::try_from(u64::from_le_bytes(*count)).ok().and_then(|count| tokens.get(..count));
        Sha256::digest(body)[..] == digest[..]
            && covered.is_some_and(|covered| sequence.restore(covered, state))
    });
    tracing::debug!(taken, "kept state {}", file.display());
    if !taken && let Err(error) = store::remove(file) {
        tracing::debug!("a damaged state stays: {error:#}");
    }
}

fn shared_prefix(a: &[Token], b: &[Token]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// To be called first in the process, before any other thread lives.
pub fn at_start() {
    engine::no_debugger();
}

/// How many threads have a processor each just now, of at most `most`: all of them where the system doesn't tell.
fn undisturbed(most: usize) -> usize {
    let told = |file| std::fs::read_to_string(file).ok();
    let processors = told("/sys/devices/system/cpu/online").and_then(|list| pace::processors(&list));
    let Some(processors) = processors.filter(|_| 1 < most) else { return most };
    let look = |turn| {
        if 0 < turn {
            std::thread::sleep(LOOK_PAUSE);
        }
        told("/proc/loadavg").and_then(|load| pace::running(&load))
    };
    // The least of them: a task that comes and goes takes no core away.
    let running = (0..LOOKS).filter_map(look).min();
    running.map_or(most, |running| pace::undisturbed(most, running, processors))
}

/// One thread per core that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
