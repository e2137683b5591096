//! The embedded model: a GGUF file, computed by llama.cpp in this process.
//!
//! The fixed part of a prompt is long and never changes. Its computed state is saved in the cache directory:
//! only the first request computes it, and later processes load it.

pub mod chances;
pub mod engine;
mod guard;
pub mod kernels;
mod lookup;
pub mod needs;
mod pace;
mod writing;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

use super::{Certainty, Cut, Further, Model, Reply, Usage, gguf};
use crate::adapter::{Adapter, AdapterFile};
use crate::failure::Failure;
use crate::prompt::{self, Form, Prompt};
use crate::request_control::{RequestControl, Stage};
use askline_host::local::open_regular;
use askline_host::store;
use chances::{Chances, Token};
use engine::{Sequence, Settings, Weights};
pub use engine::{gpus, loaded_kernels};
use needs::Needs;
use writing::StopReason;

/// Part of the key of a saved state; raise it when llama.cpp or its use changes.
const STATE_VERSION: &str = "askline-state-3 llama-cpp-sys-2 0.1.161";

/// Maximum size of a saved state to read, in bytes.
const STATE_LIMIT: u64 = 512 << 20;

/// Maximum number of saved states, one per model and shell; the least recently used are removed first.
const STATES_LIMIT: usize = 8;

/// Number of tokens computed between two writes of the state.
const STRETCH: usize = 512;

/// Number of tokens computed between two estimates of the rest. What was computed of a step is lost when a press
/// interrupts it.
const STEP: usize = 64;

/// Number of tokens of the fixed part in memory from which on its saved state is loaded only if it has more than a
/// [`STEP`] beyond them: to read those takes hardly longer.
const HELD_MIN: usize = 128;

/// Number of further pieces of the fixed part that each brief answer reads: about half a second of work on two cores.
const PIECES_MORE: usize = 4;

/// Length of the SHA-256 at the beginning of a saved state, in bytes.
const DIGEST_BYTES: usize = 32;

/// Length of the number of tokens behind it, in bytes.
const COUNT_BYTES: usize = 8;

/// Number of and pause between measurements of the machine's load.
const LOOKS: usize = 3;
const LOOK_PAUSE: Duration = Duration::from_millis(1);

/// Number of prompt and answer tokens together for which there is room at first; the solved requests of any shell take
/// half of it. Memory grows with it: 12 to 28 KiB per token for the models of the manifest.
const ROOM_MAX: u32 = 4096;

/// Number of prompt and answer tokens together for which room is made when a chat needs it, such as the turns of an
/// investigation.
const CHAT_ROOM_MAX: usize = 8192;

/// Share of the time left in which an answer is written; the rest is for the checks.
const DRAFTING_SHARE: f64 = 0.9;

/// The embedded model. Weights are read at the first request.
#[derive(Debug)]
pub struct Local {
    name: String,
    file: PathBuf,
    states: PathBuf,
    settings: Settings,
    adapter: Option<Adapter>,
    /// SHA-256 of the adapter, once it was read.
    adapter_hash: OnceLock<String>,
    /// `true` if an answer does not wait until the whole fixed part is read.
    is_early: bool,
    /// `true` if the last answer after a fixed part was brief.
    was_brief: bool,
    /// Number of prompt and answer tokens together for which there is room at first.
    room: usize,
    sequence: Option<Sequence>,
    /// Weights, while there is no sequence.
    resting: Option<Weights>,
    /// Answer that ends at the sequence's current position.
    answered: Option<Answered>,
}

/// Last prompt and its answer.
#[derive(Debug)]
struct Answered {
    prompt: Prompt,
    end: StopReason,
    /// Number of tokens before the answer.
    start: usize,
    path: Vec<Chances>,
}

impl Local {
    /// Creates a model whose file is read at the first request; states are saved in the directory `states`.
    /// `threads` is capped at the number of cores. `room` is the number of tokens that the context has
    /// at first, at most [`ROOM_MAX`]; a chat makes room for [`CHAT_ROOM_MAX`] if the model was trained for so many.
    pub fn new(name: String, file: PathBuf, states: PathBuf, room: u32, threads: Option<usize>) -> Self {
        let threads = threads.unwrap_or(usize::MAX).min(cores());
        let room = room.min(ROOM_MAX) as usize;
        Self {
            name,
            file,
            states,
            settings: Settings { threads, repack: false, gpu: false, guess: true },
            adapter: None,
            adapter_hash: OnceLock::new(),
            is_early: false,
            was_brief: false,
            room,
            sequence: None,
            resting: None,
            answered: None,
        }
    }

    /// Returns the same model without speculative decoding, to measure its benefit.
    #[must_use]
    pub fn without_guesses(mut self) -> Self {
        self.settings.guess = false;
        self
    }

    /// Returns the same model with an adapter.
    #[must_use]
    pub fn adapted(mut self, adapter: Option<Adapter>) -> Self {
        self.adapter = adapter;
        self
    }

    /// Returns the same model with its weights rearranged for this processor: answers come faster; the weights are
    /// copied to memory of this process instead of being mapped, and loaded anew after [`Self::rest`].
    #[must_use]
    pub fn rearranged(mut self, rearranged: bool) -> Self {
        self.settings.repack = rearranged && !has_tiles();
        self
    }

    /// Returns the same model, which computes on a graphics processor if `wanted` is set and this build finds one when the
    /// weights are read.
    #[must_use]
    pub fn on_gpu(mut self, wanted: bool) -> Self {
        self.settings.gpu = wanted;
        self
    }

    /// Returns the same model, which does not wait until the whole fixed part is read: it answers after what was read
    /// of it, and at least after [`Prompt::brief`] pieces. Such a [`Reply`] is `brief`. Each reads a few pieces more than the one
    /// before it, so that requests without a pause between them get the whole part, too.
    #[must_use]
    pub fn early(mut self) -> Self {
        self.is_early = true;
        self
    }

    /// Returns the same model, which works in a thread of its own: if the engine aborts or is stuck, that costs the
    /// model, not the process.
    pub fn guarded(self) -> Box<dyn Model> {
        Box::new(guard::Guarded::new(self))
    }

    /// Prepares the model for prompts that start with `fixed`: loads the saved state, or computes and saves it.
    /// Returns the usage of the computation.
    ///
    /// # Errors
    ///
    /// If the file can't be loaded or the request control ended; the part computed until then is saved.
    pub fn ready(&mut self, fixed: &str, control: &RequestControl) -> anyhow::Result<Usage> {
        let (sequence, part) = self.resume(fixed, control)?;
        part.read_to(part.tokens.len(), sequence, control)
    }

    /// Prepares the model for an early answer to a prompt. Returns `true` if the answer is brief.
    fn ready_early(&mut self, prompt: &Prompt, control: &RequestControl) -> anyhow::Result<bool> {
        let more = if self.was_brief { PIECES_MORE } else { 0 };
        let (sequence, part) = self.resume(&prompt.fixed, control)?;
        let is_whole = sequence.tokens().len() == part.tokens.len();
        if is_whole {
            self.was_brief = false;
            return Ok(false);
        }
        let pieces = prompt::pieces(&prompt.fixed).map(|piece| sequence.weights().tokens(piece, false));
        let pieces = pieces.collect::<anyhow::Result<Vec<_>>>()?;
        let end = early_end(&part.tokens, sequence.tokens().len(), &pieces, prompt.brief, more);
        part.read_to(end, sequence, control)?;
        sequence.truncate(end);
        let is_brief = end < part.tokens.len();
        self.was_brief = is_brief;
        Ok(is_brief)
    }

    /// Loads the model and what was kept of the fixed part.
    fn resume(
        &mut self,
        fixed: &str,
        control: &RequestControl,
    ) -> anyhow::Result<(&mut Sequence, FixedPart)> {
        self.answered = None;
        let file = self.states.join(format!("{}.state", self.state_key(fixed)?));
        let sequence = self.loaded(control)?;
        let tokens = sequence.weights().tokens(fixed, false)?;
        sequence.truncate(shared_prefix(sequence.tokens(), &tokens));
        let held = sequence.tokens().len();
        // Another process, such as `model pull`, may have saved more.
        if held < tokens.len().min(HELD_MIN) || held + STEP < saved_tokens(&file) {
            restore(sequence, &tokens, &file);
        }
        Ok((sequence, FixedPart { tokens, file }))
    }

    /// Releases the memory of the context, for idle times. The weights stay mapped. The next request loads the
    /// saved state, and takes longer by that time.
    pub fn rest(&mut self) {
        self.answered = None;
        let weights = self.sequence.take().map(Sequence::into_weights);
        // Rearranged weights, and those on a graphics processor, are no file pages that the system could reclaim.
        let are_pages = !self.settings.repack && !self.computes_on_gpu();
        self.resting = weights.filter(|_| are_pages);
        engine::give_back_memory();
    }

    /// Returns the memory that the model needs, before loading it; `None` if the file's header does not contain
    /// enough.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub fn needs(&self) -> anyhow::Result<Option<Needs>> {
        let unreadable = || format!("the model file {} can't be read", self.file.display());
        let metadata = self.file.metadata().with_context(unreadable)?;
        let mut header = Vec::new();
        if metadata.is_file() {
            let file = open_regular(&self.file).with_context(unreadable)?;
            file.take(needs::HEADER_BYTES).read_to_end(&mut header).with_context(unreadable)?;
        }
        Ok(needs::needs(metadata.len(), &header, self.room as u64))
    }

    /// Returns the sequence; loads the weights if needed.
    fn loaded(&mut self, control: &RequestControl) -> anyhow::Result<&mut Sequence> {
        if self.sequence.is_none() {
            let settings = Settings { gpu: self.computes_on_gpu(), ..self.settings };
            let weights = match self.resting.take() {
                Some(weights) => weights,
                None => {
                    control.enter(Stage::Loading, Instant::now());
                    // llama.cpp would wait for a pipe, and end the process at many damaged headers.
                    gguf::check(&self.file).map_err(|why| unusable(&self.file, &why))?;
                    if let Some(instructions) = kernels::lacking() {
                        return Err(unfit(instructions).into());
                    }
                    let mut weights = Weights::load(&self.file, settings, control)?;
                    if let Some(adapter) = self.adapter_file()? {
                        weights.adapt(&adapter.path)?;
                    }
                    weights
                }
            };
            self.sequence = Some(Sequence::new(weights, self.room, settings)?);
        }
        self.sequence.as_mut().context("loaded, so there is a sequence")
    }

    fn computes_on_gpu(&self) -> bool {
        self.settings.gpu && !gpus().is_empty()
    }

    /// Returns the file of the adapter; `None` without one.
    fn adapter_file(&self) -> anyhow::Result<Option<AdapterFile>> {
        let cache = self.states.join("adapters");
        self.adapter.as_ref().map(|adapter| adapter.file(&cache)).transpose()
    }

    /// Returns the key of a saved state: a hash of the version, the model file's path, size and time, the adapter, and
    /// the text.
    fn state_key(&self, fixed: &str) -> anyhow::Result<String> {
        let file = self.file.metadata().with_context(|| format!("no model file {}", self.file.display()))?;
        let mut key = Sha256::new();
        key.update(STATE_VERSION);
        key.update(self.file.as_os_str().as_encoded_bytes());
        key.update(file.len().to_le_bytes());
        key.update(format!("{:?}", file.modified().ok()));
        // Every request asks for the key; reading and hashing megabytes is for the first one.
        if self.adapter_hash.get().is_none()
            && let Some(adapter) = self.adapter_file()?
        {
            let _ = self.adapter_hash.set(adapter.sha256);
        }
        if let Some(hash) = self.adapter_hash.get() {
            key.update(hash);
        }
        // Other kernels may lay it out in another way.
        if self.computes_on_gpu() {
            key.update("gpu");
        }
        key.update(fixed);
        Ok(key.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

impl Model for Local {
    fn source(&self) -> String {
        match &self.adapter {
            Some(adapter) => format!("local:{}+{}", self.name, adapter.name()),
            None => format!("local:{}", self.name),
        }
    }

    fn rest(&mut self) {
        Self::rest(self);
    }

    fn prepare(&mut self, fixed: &str, control: &RequestControl) -> anyhow::Result<()> {
        self.ready(fixed, control).map(drop)
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        self.answered = None;
        let (end, brief) = match prompt.form {
            Form::Completion if self.is_early => (StopReason::Paragraph, self.ready_early(prompt, control)?),
            Form::Completion => {
                self.ready(&prompt.fixed, control)?;
                (StopReason::Paragraph, false)
            }
            Form::Chat => {
                self.loaded(control)?;
                (StopReason::Text, false)
            }
        };
        let sequence = self.sequence.as_mut().context("loaded, so there is a sequence")?;
        control.enter(Stage::Thinking, Instant::now());
        sequence.set_threads(undisturbed(sequence.most_threads()));
        let started = Instant::now();
        let fresh = match prompt.form {
            Form::Completion => sequence.weights().tokens(&prompt.fresh, false)?,
            Form::Chat => {
                let tokens = chat_tokens(sequence.weights(), prompt)?;
                // The last token is always computed: the scores after it are needed.
                let shared = shared_prefix(sequence.tokens(), &tokens).min(tokens.len().saturating_sub(1));
                sequence.truncate(shared);
                if sequence.left() < tokens.len() - shared + max_tokens {
                    let room = CHAT_ROOM_MAX.min(sequence.weights().trained_length());
                    if let Err(error) = sequence.grow(room) {
                        tracing::debug!("no more room for the chat: {error:#}");
                    }
                    sequence.set_threads(undisturbed(sequence.most_threads()));
                }
                tokens.get(sequence.tokens().len()..).unwrap_or_default().to_vec()
            }
        };
        let cached_tokens = sequence.tokens().len();
        sequence.read(&fresh, control)?;
        let prefill = started.elapsed();
        let start = sequence.tokens().len();
        let grammar = prompt.grammar.as_deref().filter(|_| prompt.form == Form::Chat);
        let request = (self.settings.guess && grammar.is_none()).then_some(cached_tokens);
        sequence.bind(grammar)?;
        let written = writing::greedy(sequence, end, request, max_tokens, &leaving_time(control));
        sequence.bind(None)?;
        let (written, path) = written?;
        let usage = Usage {
            prefill_tokens: fresh.len(),
            cached_tokens,
            prefill,
            decode_tokens: written.tokens,
            decode: started.elapsed() - prefill,
        };
        self.answered = Some(Answered { prompt: prompt.clone(), end, start, path });
        let GeneratedAnswer { text, certainty, cut, .. } = written;
        Ok(Reply { text, certainty, cut, brief, usage, ..Reply::default() })
    }

    fn keeps_alternatives(&self) -> bool {
        true
    }

    fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        // They would not follow it.
        if prompt.grammar.is_some() {
            return Ok(Vec::new());
        }
        if self.answered.as_ref().is_none_or(|answered| answered.prompt != *prompt) {
            self.complete(prompt, further.max_tokens, control)?;
        }
        let (Some(sequence), Some(answered)) = (&mut self.sequence, &self.answered) else {
            return Ok(Vec::new());
        };
        control.enter(Stage::Thinking, Instant::now());
        let started = Instant::now();
        let along = (answered.start, answered.path.as_slice());
        let written = writing::alternatives(sequence, along, answered.end, further, control)?;
        let decode = started.elapsed();
        let reply = |written: GeneratedAnswer| Reply {
            text: written.text,
            certainty: written.certainty,
            cut: written.cut,
            // All alternatives have the same time, because they are generated together.
            usage: Usage { decode_tokens: written.tokens, decode, ..Usage::default() },
            ..Reply::default()
        };
        Ok(written.into_iter().map(reply).collect())
    }
}

/// Returns a control that ends a little before the deadline, so that an answer which the time cuts off can still be
/// checked and sent.
fn leaving_time(control: &RequestControl) -> RequestControl {
    let now = Instant::now();
    let drafting = control.remaining(now).map(|left| now + left.mul_f64(DRAFTING_SHARE));
    drafting.map_or_else(|| control.clone(), |end| control.within(end))
}

/// Returns the tokens of a chat in the template of the model's file. Special tokens are recognized only in the
/// template; the messages are plain text.
fn chat_tokens(weights: &Weights, prompt: &Prompt) -> anyhow::Result<Vec<Token>> {
    let text = weights
        .chat(&prompt.fixed, &prompt.fresh)
        .context("the model's file has no chat template; remove `prompt = \"chat\"` from its profile")?;
    let (before, rest) =
        text.split_once(&prompt.fixed).context("the chat template drops the system message")?;
    let (between, after) = rest.rsplit_once(&prompt.fresh).context("the chat template drops the request")?;
    let parts =
        [(before, true), (&prompt.fixed, false), (between, true), (&prompt.fresh, false), (after, true)];
    let tokens = parts.into_iter().map(|(text, marks)| weights.tokens(text, marks));
    Ok(tokens.collect::<anyhow::Result<Vec<_>>>()?.concat())
}

/// Returns the number of tokens of the fixed part for an early answer, when `read` of its `tokens` are read: those, to the
/// end of a piece and `more` pieces behind it, or the shortest sufficient beginning, which has `brief` of the `pieces`.
fn early_end(tokens: &[Token], read: usize, pieces: &[Vec<Token>], brief: usize, more: usize) -> usize {
    let ends = (brief..=pieces.len()).filter_map(|count| {
        let beginning = pieces.get(..count)?.concat();
        // With some models the tokens of a piece depend on what comes before it.
        tokens.starts_with(&beginning).then_some(beginning.len())
    });
    let ends: Vec<_> = ends.collect();
    let reached = ends.iter().rposition(|end| *end <= read);
    let index = reached.map_or(0, |reached| (reached + more).min(ends.len() - 1));
    ends.get(index).copied().unwrap_or(tokens.len())
}

/// Fixed part of a prompt.
struct FixedPart {
    tokens: Vec<Token>,
    /// File of its state.
    file: PathBuf,
}

impl FixedPart {
    /// Computes what is missing of the first `end` tokens and saves the state after each stretch. After a cancel, the
    /// next request continues from there.
    fn read_to(
        &self,
        end: usize,
        sequence: &mut Sequence,
        control: &RequestControl,
    ) -> anyhow::Result<Usage> {
        let mut usage = Usage::default();
        let missing = self.tokens.get(sequence.tokens().len()..end).unwrap_or_default();
        if missing.is_empty() {
            return Ok(usage);
        }
        control.enter(Stage::Preparing, Instant::now());
        for stretch in missing.chunks(STRETCH) {
            sequence.set_threads(undisturbed(sequence.most_threads()));
            let kept = sequence.tokens().len();
            let read = stretch.chunks(STEP).try_for_each(|step| {
                let started = Instant::now();
                sequence.read(step, control)?;
                usage.prefill_tokens += step.len();
                usage.prefill += started.elapsed();
                let left = missing.len().saturating_sub(usage.prefill_tokens) as f64;
                control
                    .expect(usage.prefill.mul_f64(left / usage.prefill_tokens.max(1) as f64), Instant::now());
                anyhow::Ok(())
            });
            if kept < sequence.tokens().len()
                && let Err(error) = keep(sequence.tokens().len(), || sequence.state(), &self.file)
            {
                tracing::debug!("can't cache the model's state: {error:#}");
            }
            read?;
        }
        Ok(usage)
    }
}

/// Generated answer.
#[derive(Debug)]
struct GeneratedAnswer {
    text: String,
    tokens: usize,
    certainty: Option<Certainty>,
    cut: Option<Cut>,
}

/// Saves a state of `tokens` tokens to a file, unless another process saved a longer one there: the SHA-256 of the rest,
/// the number of tokens, and the engine's state.
fn keep(tokens: usize, state: impl FnOnce() -> Vec<u8>, file: &Path) -> anyhow::Result<()> {
    if tokens < saved_tokens(file) {
        return Ok(());
    }
    let count = (tokens as u64).to_le_bytes();
    let state = state();
    let digest = Sha256::new().chain_update(count).chain_update(&state).finalize();
    store::write(file, &[&digest[..], &count[..], &state].concat())?;
    store::thin_out(file.parent().context("the file has no directory")?, STATES_LIMIT)
}

/// Returns the number of tokens of a saved state as the file gives it, unverified; 0 if there is none.
fn saved_tokens(file: &Path) -> usize {
    let mut head = [0; DIGEST_BYTES + COUNT_BYTES];
    let Ok(Some(mut file)) = store::open(file) else { return 0 };
    if file.read_exact(&mut head).is_err() {
        return 0;
    }
    let count = head.last_chunk::<COUNT_BYTES>().map(|count| u64::from_le_bytes(*count));
    count.and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}

/// Loads a saved state, which may cover only a part of `tokens`. A damaged state could change answers
/// unnoticed, so it is removed.
fn restore(sequence: &mut Sequence, tokens: &[Token], file: &Path) {
    let Ok(Some(content)) = store::read(file, STATE_LIMIT) else { return };
    let taken = content.split_first_chunk::<DIGEST_BYTES>().is_some_and(|(digest, body)| {
        let Some((count, state)) = body.split_first_chunk::<COUNT_BYTES>() else { return false };
        let covered = usize::try_from(u64::from_le_bytes(*count)).ok().and_then(|count| tokens.get(..count));
        Sha256::digest(body)[..] == digest[..]
            && covered.is_some_and(|covered| sequence.restore(covered, state))
    });
    tracing::debug!(taken, "cached state {}", file.display());
    if !taken && let Err(error) = store::remove(file) {
        tracing::debug!("can't remove a damaged state: {error:#}");
    }
}

fn unusable(file: &Path, why: &anyhow::Error) -> Failure {
    Failure::Unavailable(format!(
        "the model file {} can't be used: {why:#}; fetch it again with `askline model pull`",
        file.display()
    ))
}

/// Returns the failure of a build for newer processors than this one.
fn unfit(instructions: &str) -> Failure {
    Failure::Unavailable(format!(
        "this build of askline needs {instructions}, which the processor lacks; build it on this machine, or take a release"
    ))
}

fn shared_prefix(a: &[Token], b: &[Token]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Prepares the process; call it first, before any other thread exists.
pub fn at_start() {
    engine::no_debugger();
}

/// Returns how many threads, at most `most`, can have a processor each at the moment; `most` if the system
/// doesn't report its load.
fn undisturbed(most: usize) -> usize {
    let content = |file| std::fs::read_to_string(file).ok();
    let processors = content("/sys/devices/system/cpu/online").and_then(|list| pace::processors(&list));
    let Some(processors) = processors.filter(|_| 1 < most) else { return most };
    let look = |turn| {
        if 0 < turn {
            std::thread::sleep(LOOK_PAUSE);
        }
        content("/proc/loadavg").and_then(|load| pace::running(&load))
    };
    // The minimum: a short-lived task does not count as a busy core.
    let running = (0..LOOKS).filter_map(look).min();
    running.map_or(most, |running| pace::undisturbed(most, running, processors))
}

/// Returns the number of cores that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Reports whether the processor has matrix tiles (AMX). llama.cpp's kernels for them end the process with an invalid instruction
/// when weights are rearranged (seen with llama-cpp-sys-2 0.1.161 on a Xeon with AMX), so there they stay as they are.
fn has_tiles() -> bool {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = known.lines().find(|line| line.starts_with("flags"));
    flags.is_some_and(|flags| flags.split_ascii_whitespace().any(|flag| flag == "amx_tile"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_saved_state_is_not_replaced_by_a_shorter_one() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.state");
        assert_eq!(saved_tokens(&file), 0);
        for (tokens, saved) in [(134, 134), (1555, 1555), (646, 1555), (1555, 1555), (1600, 1600)] {
            keep(tokens, || b"state".to_vec(), &file).unwrap();
            assert_eq!(saved_tokens(&file), saved, "after {tokens} tokens");
        }
        for damaged in [&b""[..], b"state"] {
            store::write(&file, damaged).unwrap();
            assert_eq!(saved_tokens(&file), 0);
        }
    }

    #[test]
    fn an_early_answer_comes_after_whole_solved_requests() {
        let pieces: Vec<Vec<Token>> = (0..10).map(|piece| vec![piece; 50]).collect();
        let tokens = pieces.concat();
        for (read, end) in [(0, 150), (149, 150), (150, 150), (199, 150), (200, 200), (430, 400), (500, 500)]
        {
            assert_eq!(early_end(&tokens, read, &pieces, 3, 0), end, "{read} tokens are read");
        }
        for (read, end) in [(0, 150), (150, 350), (199, 350), (400, 500), (500, 500)] {
            assert_eq!(
                early_end(&tokens, read, &pieces, 3, 4),
                end,
                "{read} tokens are read, and four pieces more"
            );
        }
        assert_eq!(early_end(&tokens, 430, &pieces, usize::MAX, 4), 500, "all are needed");
        let others: Vec<Vec<Token>> = (0..10).map(|_| vec![7; 50]).collect();
        assert_eq!(early_end(&tokens, 300, &others, 3, 4), 500, "the pieces alone have other tokens");
    }
}
