//! Safe wrapper of llama.cpp: weights, one token sequence, branches of it, likeliest next tokens. With
//! `kernels`, the only module with `unsafe`.
//!
//! It uses `llama-cpp-sys-2`, the raw bindings below `llama-cpp-2`, because the latter lacks three needed
//! features: to stop in the middle of a computation (a long prefill must not outlive Esc), to use an own thread
//! pool (polling threads starve when another program takes a core), and to load weights as they are stored in
//! the file (rearranging a gigabyte pays off in the resident process only).
#![expect(unsafe_code, reason = "calls into C; each block says why it is sound")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use llama_cpp_sys_2 as sys;

use super::chances::{Chances, Token};
use super::kernels::{self, Callbacks};
use crate::failure::Failure;
use crate::request_control::RequestControl;

/// Id of the main sequence; higher ids are branches.
const SEQUENCE: sys::llama_seq_id = 0;

/// Maximum number of branches computed together.
pub const BRANCHES_MAX: usize = 6;

/// Maximum number of tokens per call; also determines the largest intermediate buffers.
const BATCH: u32 = 512;

/// Maximum length of one token's text, in bytes.
const PIECE_LIMIT: usize = 512;

/// Polling level of the thread pool, 0 (sleep at once) to 100 (spin). A polling thread spins for a third of a
/// second after the last token. That takes a core from the checks that follow, and the load measurement
/// mistakes it for a busy neighbour. It saves nothing: tokens took the same time with 0 and with 50 (1.5B, two
/// threads, two pairs of runs: 105.8 and 106.3 ms, 93.9 and 93.6).
const POLL: u32 = 0;

/// Maximum number of tokens guessed at once ([`Sequence::read_ahead`]).
pub const GUESS_MAX: usize = BRANCHES_MAX;

/// Minimum size of an attention head for flash attention. Below it, llama.cpp's kernel is slow for few tokens:
/// with heads of 64 (Qwen2.5 0.5B), after 1,536 tokens, steps of 1 and 4 tokens took 86 and 207 ms with it, 51
/// and 93 without; with heads of 128 (1.5B) it made no difference.
const FLASH_HEAD_MIN: i32 = 128;

/// Number of layers that means all of them.
const ALL_LAYERS: i32 = -1;

/// Score in place of that of a token that a grammar refuses: a number, and so low that nothing is left of its probability.
const REFUSED: f32 = -1e30;

/// Settings for loading and computing.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Number of threads.
    pub threads: usize,
    /// `true` to rearrange the weights for this processor: slower to load, needs its own memory, faster long
    /// prefills.
    pub repack: bool,
    /// `true` to compute on a graphics processor; the weights are not rearranged then.
    pub gpu: bool,
    /// `true` to use speculative decoding (`lookup`), which changes only the speed of answers.
    pub guess: bool,
}

/// Weights of a model.
#[derive(Debug)]
pub struct Weights {
    model: NonNull<sys::llama_model>,
    /// Adapter, which llama.cpp frees with the model.
    adapter: Option<NonNull<sys::llama_adapter_lora>>,
}

// SAFETY: llama.cpp's model is not tied to the thread that loaded it, and it is never shared between threads.
unsafe impl Send for Weights {}

/// Sequence of tokens that the model has read, with room for more.
#[derive(Debug)]
pub struct Sequence {
    context: Context,
    read: Vec<Token>,
    /// `true` if the context's scores are those after the last token of `read`.
    scored: bool,
    room: usize,
    vocabulary: usize,
    settings: Settings,
    /// Before the weights, because it points into them.
    grammar: Option<Grammar>,
    /// Last field, because the context points into the weights.
    weights: Weights,
}

/// A grammar, and what of it was written so far.
#[derive(Debug)]
struct Grammar(NonNull<sys::llama_sampler>);

// SAFETY: as for `Weights`; it moves with them and is used by one thread at a time.
unsafe impl Send for Grammar {}

/// llama.cpp's buffers and threads, freed in the required order.
#[derive(Debug)]
struct Context {
    raw: NonNull<sys::llama_context>,
    pool: NonNull<sys::ggml_threadpool>,
    /// Boxed, because C keeps its address.
    control: Box<Mutex<RequestControl>>,
}

// SAFETY: as for `Weights`; context and pool move together and are used by one thread at a time.
unsafe impl Send for Context {}

/// Continuations of a sequence, computed together. They share the tokens that the sequence has read before
/// them, and are discarded on drop. The sequence itself stays unchanged, except that it loses its scores.
#[derive(Debug)]
pub struct Branches<'a> {
    sequence: &'a mut Sequence,
    /// Number of tokens in each branch, shared ones included.
    lengths: Vec<usize>,
    /// Remaining room in tokens, of all branches together.
    left: usize,
}

impl Weights {
    /// Loads a GGUF file. The file is mapped, not copied, unless `repack` or `gpu` is set. What does not fit on the graphics
    /// processor is loaded for the processor instead.
    ///
    /// # Errors
    ///
    /// If llama.cpp refuses the file, or the request control ended meanwhile.
    pub fn load(file: &Path, settings: Settings, control: &RequestControl) -> anyhow::Result<Self> {
        start();
        let path =
            CString::new(file.as_os_str().as_encoded_bytes()).context("the model's path holds a NUL byte")?;
        // SAFETY: plain C call that returns a struct.
        let mut params = unsafe { sys::llama_model_default_params() };
        // Without a list llama.cpp takes all devices that it finds, and uses them for large batches even if they hold no layer.
        let mut no_devices = [std::ptr::null_mut()];
        if settings.gpu {
            params.n_gpu_layers = ALL_LAYERS;
        } else {
            params.n_gpu_layers = 0;
            params.devices = no_devices.as_mut_ptr();
        }
        params.use_extra_bufts = settings.repack && !settings.gpu;
        params.progress_callback = Some(go_on_loading);
        params.progress_callback_user_data = std::ptr::from_ref(control).cast_mut().cast();
        // SAFETY: `path`, `no_devices` and `control` live until the call returns; the callback only reads `control`.
        let model = unsafe { sys::llama_model_load_from_file(path.as_ptr(), params) };
        match (NonNull::new(model), control.spent(Instant::now())) {
            (Some(model), _) => Ok(Self { model, adapter: None }),
            (None, Some(failure)) => Err(failure.into()),
            (None, None) if settings.gpu => {
                tracing::warn!("the graphics processor can't hold the model; the processor computes");
                Self::load(file, Settings { gpu: false, ..settings }, control)
            }
            (None, None) => bail!(
                "the model file {} can't be loaded; fetch it again with `askline model pull`",
                file.display()
            ),
        }
    }

    /// Loads an adapter, which all later sequences use.
    ///
    /// # Errors
    ///
    /// If llama.cpp refuses the file, for example because it belongs to another model.
    pub fn adapt(&mut self, file: &Path) -> anyhow::Result<()> {
        let path = CString::new(file.as_os_str().as_encoded_bytes())
            .context("the adapter's path holds a NUL byte")?;
        // SAFETY: the model lives, and so does `path` until the call returns.
        let adapter = unsafe { sys::llama_adapter_lora_init(self.model.as_ptr(), path.as_ptr()) };
        let unfit =
            || format!("the adapter {} does not fit the model; set `adapter = \"off\"`", file.display());
        self.adapter = Some(NonNull::new(adapter).with_context(unfit)?);
        Ok(())
    }

    /// Returns the tokens of a text. With `special`, marks such as `<|im_start|>` become special tokens; use it
    /// only for askline's own text.
    ///
    /// # Errors
    ///
    /// If the text is too long for C's integers.
    pub fn tokens(&self, text: &str, special: bool) -> anyhow::Result<Vec<Token>> {
        let length = i32::try_from(text.len()).context("the text is too long")?;
        let mut tokens = vec![0; text.len() + 8];
        let room = i32::try_from(tokens.len()).context("the text is too long")?;
        // SAFETY: pointers and lengths belong to `text` and `tokens`.
        let count = unsafe {
            sys::llama_tokenize(
                self.vocabulary(),
                text.as_ptr().cast::<c_char>(),
                length,
                tokens.as_mut_ptr(),
                room,
                false,
                special,
            )
        };
        tokens.truncate(usize::try_from(count).context("the text can't be split into tokens")?);
        Ok(tokens)
    }

    /// Returns the bytes of a token, which may be part of a character. Control tokens have none.
    pub fn piece(&self, token: Token) -> Vec<u8> {
        let mut piece = vec![0u8; PIECE_LIMIT];
        // SAFETY: pointer and length belong to `piece`.
        let length = unsafe {
            sys::llama_token_to_piece(
                self.vocabulary(),
                token,
                piece.as_mut_ptr().cast::<c_char>(),
                PIECE_LIMIT as i32,
                0,
                false,
            )
        };
        piece.truncate(usize::try_from(length).unwrap_or(0));
        piece
    }

    /// Reports whether the token ends a text.
    pub fn ends(&self, token: Token) -> bool {
        // SAFETY: the vocabulary belongs to the model, which lives.
        unsafe { sys::llama_vocab_is_eog(self.vocabulary(), token) }
    }

    /// Applies the file's chat template to a system and a user message, up to the start of the answer; `None`
    /// if the file has no template or one that llama.cpp doesn't support.
    pub fn chat(&self, system: &str, user: &str) -> Option<String> {
        let system = CString::new(system).ok()?;
        let user = CString::new(user).ok()?;
        let messages = [(c"system", &system), (c"user", &user)].map(|(role, content)| {
            sys::llama_chat_message { role: role.as_ptr(), content: content.as_ptr() }
        });
        // SAFETY: the model lives; the default template is named by a null pointer.
        let template = unsafe { sys::llama_model_chat_template(self.model.as_ptr(), std::ptr::null()) };
        if template.is_null() {
            return None;
        }
        let mut text = vec![0u8; 4 * (system.count_bytes() + user.count_bytes()) + 4096];
        // SAFETY: template, messages and buffer live through the call, and the lengths are theirs.
        let length = unsafe {
            sys::llama_chat_apply_template(
                template,
                messages.as_ptr(),
                messages.len(),
                true,
                text.as_mut_ptr().cast::<c_char>(),
                i32::try_from(text.len()).ok()?,
            )
        };
        let length = usize::try_from(length).ok().filter(|length| *length <= text.len())?;
        text.truncate(length);
        String::from_utf8(text).ok()
    }

    /// Returns the number of tokens that the model was trained to read at once.
    pub fn trained_length(&self) -> usize {
        // SAFETY: the model lives.
        usize::try_from(unsafe { sys::llama_model_n_ctx_train(self.model.as_ptr()) }).unwrap_or(0)
    }

    /// Returns the key width of one attention head.
    fn head_size(&self) -> i32 {
        // SAFETY: the model lives.
        let (size, heads) = unsafe {
            (sys::llama_model_n_embd(self.model.as_ptr()), sys::llama_model_n_head(self.model.as_ptr()))
        };
        size / heads.max(1)
    }

    fn vocabulary(&self) -> *const sys::llama_vocab {
        // SAFETY: the model lives.
        unsafe { sys::llama_model_get_vocab(self.model.as_ptr()) }
    }
}

impl Drop for Weights {
    fn drop(&mut self) {
        // SAFETY: nothing points into the model any more: `Sequence` frees its context first.
        unsafe { sys::llama_model_free(self.model.as_ptr()) }
    }
}

impl Grammar {
    fn new(weights: &Weights, text: &str) -> anyhow::Result<Self> {
        let text = CString::new(text).context("a grammar with a zero byte")?;
        // SAFETY: both texts end in zero and live through the call; the vocabulary belongs to the model, which lives longer than the
        // grammar: they are fields of the same sequence, in this order.
        let sampler =
            unsafe { sys::llama_sampler_init_grammar(weights.vocabulary(), text.as_ptr(), c"root".as_ptr()) };
        NonNull::new(sampler).map(Self).context("llama.cpp can't read the grammar of the answer")
    }

    /// Reports whether a token may come next.
    fn allows(&self, token: Token) -> bool {
        let mut entry = [sys::llama_token_data { id: token, logit: 0.0, p: 0.0 }];
        self.apply(&mut entry);
        entry.iter().all(|entry| entry.logit.is_finite())
    }

    /// Returns the scores with those of all tokens that may not come next far below the others.
    fn masked(&self, scores: &[f32]) -> Vec<f32> {
        let mut entries: Vec<_> = (0..)
            .zip(scores)
            .map(|(id, score)| sys::llama_token_data { id, logit: *score, p: 0.0 })
            .collect();
        self.apply(&mut entries);
        entries.iter().map(|entry| if entry.logit.is_finite() { entry.logit } else { REFUSED }).collect()
    }

    fn apply(&self, entries: &mut [sys::llama_token_data]) {
        let mut list = sys::llama_token_data_array {
            data: entries.as_mut_ptr(),
            size: entries.len(),
            selected: -1,
            sorted: false,
        };
        // SAFETY: the sampler lives; the list points to the entries, which live through the call. All ids are of the vocabulary.
        unsafe { sys::llama_sampler_apply(self.0.as_ptr(), &raw mut list) }
    }

    fn accept(&mut self, token: Token) {
        // SAFETY: the sampler lives. llama.cpp aborts at a token that the grammar refuses; this one was let pass by it.
        unsafe { sys::llama_sampler_accept(self.0.as_ptr(), token) }
    }
}

impl Drop for Grammar {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed once.
        unsafe { sys::llama_sampler_free(self.0.as_ptr()) }
    }
}

impl Sequence {
    /// Creates an empty sequence with room for `room` tokens.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub fn new(weights: Weights, room: usize, settings: Settings) -> anyhow::Result<Self> {
        let context = Context::new(&weights, room, settings)?;
        // SAFETY: the vocabulary belongs to the model, which lives.
        let vocabulary = unsafe { sys::llama_vocab_n_tokens(weights.vocabulary()) };
        let vocabulary = usize::try_from(vocabulary).context("a model without a vocabulary")?;
        Ok(Self {
            context,
            read: Vec::new(),
            scored: false,
            room,
            vocabulary,
            settings,
            grammar: None,
            weights,
        })
    }

    /// Makes room for `room` tokens; keeps what was read. For a short time both buffers take memory.
    ///
    /// # Errors
    ///
    /// If there is not enough memory; the sequence stays as it was.
    pub fn grow(&mut self, room: usize) -> anyhow::Result<()> {
        if room <= self.room {
            return Ok(());
        }
        let grown = Context::new(&self.weights, room, self.settings)?;
        let state = self.state();
        let read = std::mem::take(&mut self.read);
        (self.context, self.room, self.grammar) = (grown, room, None);
        // Without its state it is empty, and the caller reads everything again.
        self.restore(&read, &state);
        Ok(())
    }

    /// Releases the memory of the context and returns the weights.
    pub fn into_weights(self) -> Weights {
        self.weights
    }

    /// Returns the weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Returns the tokens read so far.
    pub fn tokens(&self) -> &[Token] {
        &self.read
    }

    /// Returns the number of tokens for which there is room left.
    pub fn left(&self) -> usize {
        self.room - self.read.len()
    }

    /// Returns the number of computing threads.
    pub fn threads(&self) -> usize {
        // SAFETY: the context lives.
        usize::try_from(unsafe { sys::llama_n_threads(self.context.raw.as_ptr()) }).unwrap_or(1)
    }

    /// Returns the maximum number of computing threads.
    pub fn most_threads(&self) -> usize {
        self.settings.threads.max(1)
    }

    /// Sets the number of computing threads, clamped to 1 and [`Self::most_threads`].
    pub fn set_threads(&mut self, threads: usize) {
        let threads = i32::try_from(threads.clamp(1, self.most_threads())).unwrap_or(1);
        // SAFETY: the context lives, and its pool has at least so many threads.
        unsafe { sys::llama_set_n_threads(self.context.raw.as_ptr(), threads, threads) };
    }

    /// Drops all but the first `length` tokens.
    pub fn truncate(&mut self, length: usize) {
        let length = length.min(self.read.len());
        let from = i32::try_from(length).unwrap_or(0);
        // SAFETY: the context lives; removing the tail of a sequence is always possible for these models.
        unsafe {
            sys::llama_memory_seq_rm(sys::llama_get_memory(self.context.raw.as_ptr()), SEQUENCE, from, -1)
        };
        self.scored &= length == self.read.len();
        self.read.truncate(length);
    }

    /// Reads more tokens. If the request control ends meanwhile, completely read batches are kept.
    ///
    /// # Errors
    ///
    /// A [`Failure`] if the request control ended; any other error if there is no room or the computation
    /// fails.
    pub fn read(&mut self, tokens: &[Token], control: &RequestControl) -> anyhow::Result<()> {
        ensure!(self.read.len() + tokens.len() <= self.room, "the request is too long; shorten it");
        self.context.obey(control);
        for chunk in tokens.chunks(BATCH as usize) {
            if let Some(failure) = control.spent(Instant::now()) {
                return Err(failure.into());
            }
            let mut chunk = chunk.to_vec();
            let length = i32::try_from(chunk.len()).unwrap_or(0);
            self.scored = false;
            // SAFETY: the batch points into `chunk`, which lives through `llama_decode`; positions continue by themselves.
            let status = unsafe {
                let batch = sys::llama_batch_get_one(chunk.as_mut_ptr(), length);
                sys::llama_decode(self.context.raw.as_ptr(), batch)
            };
            if status != 0 {
                let read = self.read.len();
                self.truncate(read);
                return Err(stopped(status, control));
            }
            self.read.append(&mut chunk);
            self.scored = true;
        }
        Ok(())
    }

    /// Returns the likeliest next tokens.
    ///
    /// # Errors
    ///
    /// If nothing was read since the last [`Self::truncate`], [`Self::restore`] or [`Self::branches`].
    pub fn chances(&self) -> anyhow::Result<Chances> {
        ensure!(self.scored, "the model has no input");
        self.chances_at(-1)
    }

    /// Returns the likeliest next tokens after the token at `place` in the last batch; -1 means its last token.
    fn chances_at(&self, place: i32) -> anyhow::Result<Chances> {
        // SAFETY: the context lives; a null pointer means that there are no scores, else there is one per vocabulary entry,
        // valid until the next `llama_decode`, and `self` is borrowed meanwhile.
        let scores = unsafe {
            let scores = sys::llama_get_logits_ith(self.context.raw.as_ptr(), place);
            ensure!(!scores.is_null(), "the model has no input");
            std::slice::from_raw_parts(scores, self.vocabulary)
        };
        let broken = "the model's scores are not numbers; fetch it again with `askline model pull`";
        let free = Chances::of(scores).context(broken)?;
        match &self.grammar {
            Some(grammar) if !grammar.allows(free.best().token) => {
                let bound = Chances::of(&grammar.masked(scores)).context(broken)?;
                ensure!(grammar.allows(bound.best().token), "the grammar of the answer leads nowhere");
                Ok(bound)
            }
            _ => Ok(free),
        }
    }

    /// Binds what is generated next to a grammar in GBNF, from its rule `root` on; frees it with `None`.
    ///
    /// # Errors
    ///
    /// If llama.cpp can't read the grammar.
    pub fn bind(&mut self, grammar: Option<&str>) -> anyhow::Result<()> {
        self.grammar = None;
        if let Some(text) = grammar {
            self.grammar = Some(Grammar::new(&self.weights, text)?);
        }
        Ok(())
    }

    /// Notes a generated token for the grammar, if there is one. The token must be one of [`Self::chances`].
    pub fn note(&mut self, token: Token) {
        if let Some(grammar) = &mut self.grammar {
            grammar.accept(token);
        }
    }

    /// Reads a token and a guess of the following tokens in one computation, and keeps the part of the guess
    /// that the model would have generated itself. Returns the likeliest tokens after the first token and after
    /// each kept one. Uses at most [`GUESS_MAX`] tokens of the guess, and only as many as there is room for.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn read_ahead(
        &mut self,
        token: Token,
        guess: &[Token],
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Chances>> {
        let room = self.left().saturating_sub(1).min(GUESS_MAX);
        let guess = guess.get(..room).unwrap_or(guess);
        if guess.is_empty() {
            self.read(&[token], control)?;
            return Ok(vec![self.chances()?]);
        }
        if let Some(failure) = control.spent(Instant::now()) {
            return Err(failure.into());
        }
        let start = self.read.len();
        let tokens = || std::iter::once(token).chain(guess.iter().copied());
        let entries: Vec<_> = tokens().zip(start..).map(|(token, place)| (token, place, SEQUENCE)).collect();
        self.read.extend(tokens());
        let agreed = self.context.decode(&entries, control).and_then(|()| self.agreed(guess));
        let kept = start + agreed.as_ref().map_or(0, Vec::len);
        self.scored = kept == self.read.len();
        self.truncate(kept);
        agreed
    }

    /// Returns the likeliest tokens after the first token of the last batch and after each following token, as
    /// long as the guess matches the model's choice.
    fn agreed(&self, guess: &[Token]) -> anyhow::Result<Vec<Chances>> {
        let mut all = vec![self.chances_at(0)?];
        for (place, guessed) in (1..).zip(guess) {
            if all.last().is_none_or(|chances| chances.best().token != *guessed) {
                break;
            }
            all.push(self.chances_at(place)?);
        }
        Ok(all)
    }

    /// Starts a branch after each of these numbers of tokens; uses at most [`BRANCHES_MAX`] of them.
    pub fn branches(&mut self, starts: &[usize]) -> Branches<'_> {
        let lengths: Vec<_> =
            starts.iter().take(BRANCHES_MAX).map(|start| (*start).min(self.read.len())).collect();
        for (length, id) in lengths.iter().zip(SEQUENCE + 1..) {
            let end = i32::try_from(*length).unwrap_or(0);
            // SAFETY: the context lives, and has room for so many sequences.
            unsafe {
                sys::llama_memory_seq_cp(
                    sys::llama_get_memory(self.context.raw.as_ptr()),
                    SEQUENCE,
                    id,
                    0,
                    end,
                );
            }
        }
        self.scored = false;
        let left = self.left();
        Branches { sequence: self, lengths, left }
    }

    /// Returns the computed state of the tokens read so far, for [`Self::restore`] in another process.
    pub fn state(&self) -> Vec<u8> {
        // SAFETY: the buffer has the size that llama.cpp asks for.
        unsafe {
            let mut state = vec![0u8; sys::llama_state_seq_get_size(self.context.raw.as_ptr(), SEQUENCE)];
            let length = sys::llama_state_seq_get_data(
                self.context.raw.as_ptr(),
                state.as_mut_ptr(),
                state.len(),
                SEQUENCE,
            );
            state.truncate(length);
            state
        }
    }

    /// Loads a state instead of reading `tokens`. The caller must ensure that the state comes from this model
    /// and version. Returns `false`, with an empty sequence, if it doesn't fit.
    pub fn restore(&mut self, tokens: &[Token], state: &[u8]) -> bool {
        self.truncate(0);
        if self.room < tokens.len() {
            return false;
        }
        // SAFETY: pointer and length belong to `state`; llama.cpp checks its own header and sizes while it reads.
        let length = unsafe {
            sys::llama_state_seq_set_data(self.context.raw.as_ptr(), state.as_ptr(), state.len(), SEQUENCE)
        };
        // SAFETY: the context lives.
        let last = unsafe {
            sys::llama_memory_seq_pos_max(sys::llama_get_memory(self.context.raw.as_ptr()), SEQUENCE)
        };
        if length != state.len() || usize::try_from(last).ok().map(|last| last + 1) != Some(tokens.len()) {
            self.truncate(0);
            return false;
        }
        self.read = tokens.to_vec();
        self.scored = false;
        true
    }
}

impl Branches<'_> {
    /// Reads one more token of each named branch in one computation, and returns the likeliest tokens after
    /// each; `None` if there is no room for all of them.
    ///
    /// # Errors
    ///
    /// As [`Sequence::read`]. The branches must not be used afterwards.
    pub fn read(
        &mut self,
        tokens: &[(usize, Token)],
        control: &RequestControl,
    ) -> anyhow::Result<Option<Vec<Chances>>> {
        if let Some(failure) = control.spent(Instant::now()) {
            return Err(failure.into());
        }
        if self.left < tokens.len() {
            return Ok(None);
        }
        let mut entries = Vec::with_capacity(tokens.len());
        for (branch, token) in tokens {
            let length = self.lengths.get_mut(*branch).context("no such branch")?;
            entries.push((*token, *length, SEQUENCE + 1 + i32::try_from(*branch)?));
            *length += 1;
        }
        self.left -= tokens.len();
        self.sequence.context.decode(&entries, control)?;
        let places = 0..i32::try_from(tokens.len())?;
        places.map(|place| self.sequence.chances_at(place)).collect::<anyhow::Result<_>>().map(Some)
    }

    /// Returns the weights.
    pub fn weights(&self) -> &Weights {
        &self.sequence.weights
    }
}

impl Drop for Branches<'_> {
    fn drop(&mut self) {
        for (_, id) in self.lengths.iter().zip(SEQUENCE + 1..) {
            // SAFETY: the context lives; removing a whole sequence never fails, and cells shared with other
            // sequences are kept.
            unsafe {
                let memory = sys::llama_get_memory(self.sequence.context.raw.as_ptr());
                sys::llama_memory_seq_rm(memory, id, -1, -1);
            }
        }
    }
}

impl Context {
    /// Creates llama.cpp's buffers for `room` tokens.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    fn new(weights: &Weights, room: usize, settings: Settings) -> anyhow::Result<Self> {
        let threads = i32::try_from(settings.threads.max(1)).unwrap_or(1);
        let control = Box::new(Mutex::new(RequestControl::endless()));
        // SAFETY: plain C call that returns a struct.
        let mut params = unsafe { sys::llama_context_default_params() };
        params.n_ctx = u32::try_from(room).context("too many tokens")?;
        params.n_batch = BATCH;
        params.n_ubatch = BATCH;
        params.n_seq_max = 1 + BRANCHES_MAX as u32;
        // One buffer for all sequences, to let branches share earlier tokens instead of copying them.
        params.kv_unified = true;
        // Scores of a whole batch would take 300 MB. At most one token per branch, or a token and a guess,
        // needs scores.
        params.n_outputs_max = 1 + BRANCHES_MAX as u32;
        params.n_threads = threads;
        params.n_threads_batch = threads;
        params.no_perf = true;
        if weights.head_size() < FLASH_HEAD_MIN {
            params.flash_attn_type = sys::LLAMA_FLASH_ATTN_TYPE_DISABLED;
        }
        params.abort_callback = Some(stop_computing);
        params.abort_callback_data = std::ptr::from_ref::<Mutex<RequestControl>>(&control).cast_mut().cast();
        // SAFETY: the model lives as long as the context, and so does the boxed patience: both are fields beside it.
        let context = unsafe { sys::llama_init_from_model(weights.model.as_ptr(), params) };
        let remedy =
            if settings.gpu { "try a smaller one, or set `gpu = \"off\"`" } else { "try a smaller one" };
        let short = || format!("not enough memory for the model; {remedy}");
        let context = NonNull::new(context).with_context(short)?;
        if let Some(adapter) = weights.adapter {
            let (mut adapters, mut scales) = ([adapter.as_ptr()], [1.0]);
            // SAFETY: the context lives, and so do both lists of one element until the call returns; the adapter lives as
            // long as the model.
            let status = unsafe {
                sys::llama_set_adapters_lora(context.as_ptr(), adapters.as_mut_ptr(), 1, scales.as_mut_ptr())
            };
            if status != 0 {
                // SAFETY: the context was just made and is not used again.
                unsafe { sys::llama_free(context.as_ptr()) };
                bail!("the adapter can't be used; set `adapter = \"off\"`");
            }
        }
        // SAFETY: the parameters are a plain struct, read during the call.
        let pool = unsafe {
            let mut pool = sys::ggml_threadpool_params_default(threads);
            pool.poll = POLL;
            kernels::new_threads(&raw mut pool)
        };
        let Some(pool) = NonNull::new(pool) else {
            // SAFETY: the context was just made and is not used again.
            unsafe { sys::llama_free(context.as_ptr()) };
            bail!("the model's threads can't be started");
        };
        // SAFETY: both live until `drop`, which detaches first by freeing the context.
        unsafe { sys::llama_attach_threadpool(context.as_ptr(), pool.as_ptr(), pool.as_ptr()) };
        Ok(Self { raw: context, pool, control })
    }

    /// Sets the request control that stops computations.
    fn obey(&self, control: &RequestControl) {
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = control.clone();
    }

    /// Computes tokens, each with its position and its sequence, and the scores after each.
    fn decode(
        &self,
        entries: &[(Token, usize, sys::llama_seq_id)],
        control: &RequestControl,
    ) -> anyhow::Result<()> {
        let mut ids: Vec<_> = entries.iter().map(|(token, _, _)| *token).collect();
        let places = entries.iter().map(|(_, place, _)| i32::try_from(*place));
        let mut places = places.collect::<Result<Vec<_>, _>>()?;
        let mut owners: Vec<_> = entries.iter().map(|(_, _, owner)| *owner).collect();
        let mut counts = vec![1; entries.len()];
        let mut owner_lists: Vec<_> = owners.iter_mut().map(std::ptr::from_mut).collect();
        let mut scored = vec![1; entries.len()];
        self.obey(control);
        // SAFETY: every list has one entry per token and lives through the call; each owner is a sequence that the context
        // has room for.
        let status = unsafe {
            let batch = sys::llama_batch {
                n_tokens: i32::try_from(entries.len())?,
                token: ids.as_mut_ptr(),
                embd: std::ptr::null_mut(),
                pos: places.as_mut_ptr(),
                n_seq_id: counts.as_mut_ptr(),
                seq_id: owner_lists.as_mut_ptr(),
                logits: scored.as_mut_ptr(),
            };
            sys::llama_decode(self.raw.as_ptr(), batch)
        };
        if status == 0 { Ok(()) } else { Err(stopped(status, control)) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: each was made in `Sequence::new` and is freed once, the context before the pool it uses.
        unsafe {
            sys::llama_free(self.raw.as_ptr());
            kernels::free_threads(self.pool.as_ptr());
        }
    }
}

/// Returns why `llama_decode` failed.
fn stopped(status: i32, control: &RequestControl) -> anyhow::Error {
    let stopped = control.spent(Instant::now()).filter(|_| status == 2);
    stopped.map_or_else(|| anyhow::anyhow!("the model failed (llama_decode {status})"), Failure::into)
}

/// Keeps llama.cpp from starting a debugger from PATH when it aborts: a key press must not start programs.
pub(super) fn no_debugger() {
    // SAFETY: called first in the process, before any other thread could read the environment.
    unsafe { std::env::set_var("GGML_NO_BACKTRACE", "1") };
}

/// Whether an abort stops its thread only.
static STAYS: AtomicBool = AtomicBool::new(false);

/// Message of llama.cpp's abort.
static ABORTED: OnceLock<String> = OnceLock::new();

/// Maximum length of that message in characters.
const ABORT_MESSAGE_MAX: usize = 160;

/// Makes an abort inside llama.cpp stop its thread for good, instead of the process. Whoever waits for that thread must
/// look at [`aborted`].
pub(super) fn stay_on_abort() {
    STAYS.store(true, Ordering::Relaxed);
    // SAFETY: the callback is a plain function.
    unsafe { sys::ggml_set_abort_callback(Some(stay)) };
}

/// Returns why llama.cpp aborted, if it did.
pub(super) fn aborted() -> Option<&'static str> {
    ABORTED.get().map(String::as_str)
}

unsafe extern "C" fn stay(message: *const c_char) {
    // SAFETY: llama.cpp passes a C string that lives through the call.
    let message = if message.is_null() { c"" } else { unsafe { CStr::from_ptr(message) } };
    let message = message.to_string_lossy();
    // The message begins with the path of llama.cpp's source where it was built.
    let message = message.rsplit('/').next().unwrap_or_default();
    let _ = ABORTED.set(message.chars().filter(|c| !c.is_control()).take(ABORT_MESSAGE_MAX).collect());
    // llama.cpp ends the process when this returns, and its frames can't be unwound.
    loop {
        std::thread::park();
    }
}

/// Returns the names of the graphics processors that this build can use; empty if it was built for none.
pub fn gpus() -> Vec<String> {
    // A press does not wait until llama.cpp has started to learn nothing.
    if !cfg!(any(feature = "metal", feature = "cuda", feature = "vulkan")) {
        return Vec::new();
    }
    start();
    // SAFETY: llama.cpp has registered its devices, which live as long as the process, and so do their descriptions.
    unsafe {
        let devices = (0..sys::ggml_backend_dev_count()).map(|index| sys::ggml_backend_dev_get(index));
        let is_gpu = |device: &sys::ggml_backend_dev_t| {
            matches!(
                sys::ggml_backend_dev_type(*device),
                sys::GGML_BACKEND_DEVICE_TYPE_GPU | sys::GGML_BACKEND_DEVICE_TYPE_IGPU
            )
        };
        let name = |device| CStr::from_ptr(sys::ggml_backend_dev_description(device));
        devices.filter(is_gpu).map(|device| name(device).to_string_lossy().into_owned()).collect()
    }
}

/// Returns the name of the kernels that compute, if they are not the build's own.
pub fn loaded_kernels() -> Option<&'static str> {
    start()
}

/// Initializes llama.cpp once per process and redirects its messages to the log. Returns the name of the loaded kernels.
fn start() -> Option<&'static str> {
    static LOADED: OnceLock<Option<&'static str>> = OnceLock::new();
    *LOADED.get_or_init(|| {
        // SAFETY: called once, before anything else of llama.cpp; the callback is a plain function.
        unsafe {
            sys::llama_log_set(Some(log), std::ptr::null_mut());
        }
        let abort: sys::ggml_abort_callback_t = if STAYS.load(Ordering::Relaxed) { Some(stay) } else { None };
        let kernels = kernels::load(Callbacks { log: Some(log), abort });
        tracing::debug!("kernels: {}", kernels.unwrap_or("of the build"));
        // SAFETY: called once, before anything of llama.cpp that computes.
        unsafe { sys::llama_backend_init() };
        kernels
    })
}

/// Gives freed memory back to the system. glibc would keep most of what a context took: up to 32 MiB, it takes a buffer from
/// its heap once a larger one was freed.
pub(super) fn give_back_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: plain C call, allowed at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

unsafe extern "C" fn log(_level: sys::ggml_log_level, text: *const c_char, _data: *mut c_void) {
    if !text.is_null() {
        // SAFETY: llama.cpp passes a C string that lives through the call.
        let text = unsafe { CStr::from_ptr(text) };
        tracing::debug!(target: "askline::llama", "{}", text.to_string_lossy().trim_end());
    }
}

unsafe extern "C" fn go_on_loading(_progress: f32, data: *mut c_void) -> bool {
    // SAFETY: `Weights::load` passes a `RequestControl` that outlives the call.
    let control = unsafe { &*data.cast::<RequestControl>() };
    control.spent(Instant::now()).is_none()
}

unsafe extern "C" fn stop_computing(data: *mut c_void) -> bool {
    // SAFETY: `Sequence::new` passes its boxed patience, which lives as long as the context.
    let control = unsafe { &*data.cast::<Mutex<RequestControl>>() };
    let control = control.lock().unwrap_or_else(PoisonError::into_inner);
    control.spent(Instant::now()).is_some()
}
