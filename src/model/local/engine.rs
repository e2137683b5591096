//! A safe face on llama.cpp: weights, one sequence of tokens, branches off it, the likeliest next tokens. The only
//! module with `unsafe`.
//!
//! It stands on `llama-cpp-sys-2`, the lower half of `llama-cpp-2`, because three things we need are not in the upper
//! half: stopping in the middle of a computation (a long prefill must not outlive Esc), a thread pool of our own
//! (polling threads starve when another program takes a core), and loading weights as they lie in the file (repacking
//! a gigabyte is work that a short-lived process may never get back; not measured yet).
#![expect(unsafe_code, reason = "calls into C; each block says why it holds")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use llama_cpp_sys_2 as sys;

use super::chances::{Chances, Token};
use crate::failure::Failure;
use crate::patience::Patience;

/// The one sequence that we keep; the numbers above it are branches.
const SEQUENCE: sys::llama_seq_id = 0;

/// Most branches that are computed side by side.
pub const BRANCHES_MAX: usize = 6;

/// Most tokens computed in one call; also the largest intermediate buffers.
const BATCH: u32 = 512;

/// Longest text of one token, bytes.
const PIECE_LIMIT: usize = 512;

/// Polling level of the thread pool, 0 (sleep at once) to 100 (spin). A thread that polls spins for a third of a second
/// after the last token, which takes a core from the checks that follow and looks to us like a busy neighbour; and it saves nothing:
/// with 0 and with 50, tokens took the same time (1.5B, two threads, two pairs of runs: 105.8 and 106.3 ms, 93.9 and 93.6).
const POLL: u32 = 0;

/// Most tokens that are guessed at once ([`Sequence::read_ahead`]).
pub const GUESS_MAX: usize = BRANCHES_MAX;

/// Least size of an attention head with which flash attention pays. Below it llama.cpp's kernel for few tokens is slow: with
/// heads of 64 (Qwen2.5 0.5B), after 1,536 tokens, steps of 1 and 4 tokens took 86 and 207 ms with it, 51 and 93 without;
/// with heads of 128 (1.5B) it made no difference.
const FLASH_HEAD_MIN: i32 = 128;

/// How weights are loaded and computed with.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Threads that compute.
    pub threads: usize,
    /// Rearrange the weights for this processor: slower to load, needs memory of its own, faster long prefills.
    pub repack: bool,
    /// Whether answers are guessed ahead (`lookup`), which changes how long they take and nothing else.
    pub guess: bool,
}

/// The weights of a model.
#[derive(Debug)]
pub struct Weights {
    model: NonNull<sys::llama_model>,
}

// SAFETY: llama.cpp's model is not tied to the thread that loaded it, and we never share it between threads.
unsafe impl Send for Weights {}

/// A sequence of tokens that the model has read, and room for more.
#[derive(Debug)]
pub struct Sequence {
    context: Context,
    read: Vec<Token>,
    /// Whether the scores that the context holds are those after the last token of `read`.
    scored: bool,
    room: usize,
    vocabulary: usize,
    most_threads: usize,
    /// Last, as the context points into it.
    weights: Weights,
}

/// llama.cpp's buffers and threads. Freed in the order that they need.
#[derive(Debug)]
struct Context {
    raw: NonNull<sys::llama_context>,
    pool: NonNull<sys::ggml_threadpool>,
    /// Boxed, as C keeps its address.
    patience: Box<Mutex<Patience>>,
}

// SAFETY: as for `Weights`; context and pool move together and are used by one thread at a time.
unsafe impl Send for Context {}

/// Continuations of a sequence, computed side by side. They share what the sequence has read before them, and are
/// forgotten when this is dropped: the sequence itself stays as it was, save for its scores.
#[derive(Debug)]
pub struct Branches<'a> {
    sequence: &'a mut Sequence,
    /// Tokens of each branch, the shared ones included.
    lengths: Vec<usize>,
    /// Tokens that still have room, of all branches together.
    left: usize,
}

impl Weights {
    /// Loads a GGUF file. The file is mapped, not copied, unless `repack` is set.
    ///
    /// # Errors
    /// When llama.cpp refuses the file, or patience is spent meanwhile.
    pub fn load(file: &Path, settings: Settings, patience: &Patience) -> anyhow::Result<Self> {
        start();
        let path =
            CString::new(file.as_os_str().as_encoded_bytes()).context("the model's path holds a NUL byte")?;
        // SAFETY: plain C call that returns a struct.
        let mut params = unsafe { sys::llama_model_default_params() };
        params.n_gpu_layers = 0;
        params.use_extra_bufts = settings.repack;
        params.progress_callback = Some(go_on_loading);
        params.progress_callback_user_data = std::ptr::from_ref(patience).cast_mut().cast();
        // SAFETY: `path` and `patience` live until the call returns; the callback only reads `patience`.
        let model = unsafe { sys::llama_model_load_from_file(path.as_ptr(), params) };
        match (NonNull::new(model), patience.spent(Instant::now())) {
            (Some(model), _) => Ok(Self { model }),
            (None, Some(failure)) => Err(failure.into()),
            (None, None) => bail!(
                "the model file {} can't be loaded; fetch it again with `askline model pull`",
                file.display()
            ),
        }
    }

    /// The tokens of a text. `special` reads marks such as `<|im_start|>` as the tokens they name: only for text of ours.
    ///
    /// # Errors
    /// When the text is longer than C can count.
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

    /// The bytes of a token; half a character is possible. Control tokens have none.
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

    /// Whether the token ends a text.
    pub fn ends(&self, token: Token) -> bool {
        // SAFETY: the vocabulary belongs to the model, which lives.
        unsafe { sys::llama_vocab_is_eog(self.vocabulary(), token) }
    }

    /// The file's own chat template over a system and a user message, ready for the answer; none when the file has no
    /// template or one that llama.cpp doesn't know.
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

    /// Numbers of a key that one head of attention looks at.
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

impl Sequence {
    /// An empty sequence with room for `room` tokens.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(weights: Weights, room: usize, settings: Settings) -> anyhow::Result<Self> {
        let threads = i32::try_from(settings.threads.max(1)).unwrap_or(1);
        let patience = Box::new(Mutex::new(Patience::endless()));
        // SAFETY: plain C call that returns a struct.
        let mut params = unsafe { sys::llama_context_default_params() };
        params.n_ctx = u32::try_from(room).context("too many tokens")?;
        params.n_batch = BATCH;
        params.n_ubatch = BATCH;
        params.n_seq_max = 1 + BRANCHES_MAX as u32;
        // One buffer for all, so that branches share what stands before them instead of copying it.
        params.kv_unified = true;
        // Scores of a whole batch would take 300 MB; at most one token of each branch, or a token and a guess, is asked about.
        params.n_outputs_max = 1 + BRANCHES_MAX as u32;
        params.n_threads = threads;
        params.n_threads_batch = threads;
        params.no_perf = true;
        if weights.head_size() < FLASH_HEAD_MIN {
            params.flash_attn_type = sys::LLAMA_FLASH_ATTN_TYPE_DISABLED;
        }
        params.abort_callback = Some(stop_computing);
        params.abort_callback_data = std::ptr::from_ref::<Mutex<Patience>>(&patience).cast_mut().cast();
        // SAFETY: the model lives as long as the context, and so does the boxed patience: both are fields beside it.
        let context = unsafe { sys::llama_init_from_model(weights.model.as_ptr(), params) };
        let context = NonNull::new(context).context("not enough memory for the model; try a smaller one")?;
        // SAFETY: the parameters are a plain struct, read during the call.
        let pool = unsafe {
            let mut pool = sys::ggml_threadpool_params_default(threads);
            pool.poll = POLL;
            sys::ggml_threadpool_new(&raw mut pool)
        };
        let Some(pool) = NonNull::new(pool) else {
            // SAFETY: the context was just made and is not used again.
            unsafe { sys::llama_free(context.as_ptr()) };
            bail!("the model's threads can't be started");
        };
        // SAFETY: both live until `drop`, which detaches first by freeing the context.
        unsafe { sys::llama_attach_threadpool(context.as_ptr(), pool.as_ptr(), pool.as_ptr()) };
        // SAFETY: the vocabulary belongs to the model, which lives.
        let vocabulary = unsafe { sys::llama_vocab_n_tokens(weights.vocabulary()) };
        let vocabulary = usize::try_from(vocabulary).context("a model without a vocabulary")?;
        let most_threads = settings.threads.max(1);
        let context = Context { raw: context, pool, patience };
        Ok(Self { context, read: Vec::new(), scored: false, room, vocabulary, most_threads, weights })
    }

    /// Gives back the memory of what was read and of computing; the weights stay.
    pub fn into_weights(self) -> Weights {
        self.weights
    }

    /// The weights it reads with.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// What it has read so far.
    pub fn tokens(&self) -> &[Token] {
        &self.read
    }

    /// How many more tokens it can read.
    pub fn left(&self) -> usize {
        self.room - self.read.len()
    }

    /// How many threads compute.
    pub fn threads(&self) -> usize {
        // SAFETY: the context lives.
        usize::try_from(unsafe { sys::llama_n_threads(self.context.raw.as_ptr()) }).unwrap_or(1)
    }

    /// The most threads that it can compute with.
    pub fn most_threads(&self) -> usize {
        self.most_threads
    }

    /// Computes with so many threads from now on, at least one and at most [`Self::most_threads`].
    pub fn set_threads(&mut self, threads: usize) {
        let threads = i32::try_from(threads.clamp(1, self.most_threads)).unwrap_or(1);
        // SAFETY: the context lives, and its pool has at least so many threads.
        unsafe { sys::llama_set_n_threads(self.context.raw.as_ptr(), threads, threads) };
    }

    /// Forgets all but the first `length` tokens.
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

    /// Reads more tokens. When patience is spent meanwhile, what was read whole stays read.
    ///
    /// # Errors
    /// A [`Failure`] when patience is spent; anything else when there is no room or the computation fails.
    pub fn read(&mut self, tokens: &[Token], patience: &Patience) -> anyhow::Result<()> {
        ensure!(
            self.read.len() + tokens.len() <= self.room,
            "the request is too long; say it in fewer words"
        );
        self.context.obey(patience);
        for chunk in tokens.chunks(BATCH as usize) {
            if let Some(failure) = patience.spent(Instant::now()) {
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
                return Err(stopped(status, patience));
            }
            self.read.append(&mut chunk);
            self.scored = true;
        }
        Ok(())
    }

    /// The likeliest next tokens after what was last read.
    ///
    /// # Errors
    /// When nothing was read since the last [`Self::truncate`], [`Self::restore`] or [`Self::branches`].
    pub fn chances(&self) -> anyhow::Result<Chances> {
        ensure!(self.scored, "the model has read nothing");
        self.chances_at(-1)
    }

    /// The likeliest next tokens after the token at `place` of the last batch, -1 for its last.
    fn chances_at(&self, place: i32) -> anyhow::Result<Chances> {
        // SAFETY: the context lives; a null pointer means that there are no scores, else there is one per vocabulary entry,
        // valid until the next `llama_decode`, and `self` is borrowed meanwhile.
        let scores = unsafe {
            let scores = sys::llama_get_logits_ith(self.context.raw.as_ptr(), place);
            ensure!(!scores.is_null(), "the model has read nothing");
            std::slice::from_raw_parts(scores, self.vocabulary)
        };
        Chances::of(scores)
            .context("the model's scores are no numbers; fetch it again with `askline model pull`")
    }

    /// Reads a token together with what is thought to follow it, in one computation, and keeps as much of the guess as the
    /// model would have written itself, token by token. Tells the likeliest tokens after the first and after each one
    /// that was kept. No more than [`GUESS_MAX`] of the guess are looked at, and no more than there is room for.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_ahead(
        &mut self,
        token: Token,
        guess: &[Token],
        patience: &Patience,
    ) -> anyhow::Result<Vec<Chances>> {
        let room = self.left().saturating_sub(1).min(GUESS_MAX);
        let guess = guess.get(..room).unwrap_or(guess);
        if guess.is_empty() {
            self.read(&[token], patience)?;
            return Ok(vec![self.chances()?]);
        }
        if let Some(failure) = patience.spent(Instant::now()) {
            return Err(failure.into());
        }
        let start = self.read.len();
        let tokens = || std::iter::once(token).chain(guess.iter().copied());
        let entries: Vec<_> = tokens().zip(start..).map(|(token, place)| (token, place, SEQUENCE)).collect();
        self.read.extend(tokens());
        let told = self.context.decode(&entries, patience).and_then(|()| self.agreed(guess));
        let kept = start + told.as_ref().map_or(0, Vec::len);
        self.scored = kept == self.read.len();
        self.truncate(kept);
        told
    }

    /// The likeliest tokens after the first token of the last batch, and after each that follows it, as long as the guess
    /// is what the model would have written.
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

    /// Starts a branch after each of the given numbers of tokens, no more than [`BRANCHES_MAX`] of them.
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

    /// What it has computed for the tokens read so far, for [`Self::restore`] in another process.
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

    /// Takes a state over instead of reading `tokens`. Must come from this model and version; the caller checks that.
    /// Nothing is read when it doesn't fit.
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
    /// Reads one more token of each branch that is named, in one computation, and tells the likeliest tokens after each;
    /// nothing when there is no room for all of them.
    ///
    /// # Errors
    /// As [`Sequence::read`]. The branches can't be read on afterwards.
    pub fn read(
        &mut self,
        tokens: &[(usize, Token)],
        patience: &Patience,
    ) -> anyhow::Result<Option<Vec<Chances>>> {
        if let Some(failure) = patience.spent(Instant::now()) {
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
        self.sequence.context.decode(&entries, patience)?;
        let places = 0..i32::try_from(tokens.len())?;
        places.map(|place| self.sequence.chances_at(place)).collect::<anyhow::Result<_>>().map(Some)
    }

    /// The weights it reads with.
    pub fn weights(&self) -> &Weights {
        &self.sequence.weights
    }
}

impl Drop for Branches<'_> {
    fn drop(&mut self) {
        for (_, id) in self.lengths.iter().zip(SEQUENCE + 1..) {
            // SAFETY: the context lives; removing a whole sequence never fails, and cells shared with others stay theirs.
            unsafe {
                let memory = sys::llama_get_memory(self.sequence.context.raw.as_ptr());
                sys::llama_memory_seq_rm(memory, id, -1, -1);
            }
        }
    }
}

impl Context {
    /// Computes until this patience is spent.
    fn obey(&self, patience: &Patience) {
        *self.patience.lock().unwrap_or_else(PoisonError::into_inner) = patience.clone();
    }

    /// Computes some tokens, each with the place where it stands and the sequence that it belongs to, and the scores after each.
    fn decode(
        &self,
        entries: &[(Token, usize, sys::llama_seq_id)],
        patience: &Patience,
    ) -> anyhow::Result<()> {
        let mut ids: Vec<_> = entries.iter().map(|(token, _, _)| *token).collect();
        let places = entries.iter().map(|(_, place, _)| i32::try_from(*place));
        let mut places = places.collect::<Result<Vec<_>, _>>()?;
        let mut owners: Vec<_> = entries.iter().map(|(_, _, owner)| *owner).collect();
        let mut counts = vec![1; entries.len()];
        let mut owner_lists: Vec<_> = owners.iter_mut().map(std::ptr::from_mut).collect();
        let mut scored = vec![1; entries.len()];
        self.obey(patience);
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
        if status == 0 { Ok(()) } else { Err(stopped(status, patience)) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: each was made in `Sequence::new` and is freed once, the context before the pool it uses.
        unsafe {
            sys::llama_free(self.raw.as_ptr());
            sys::ggml_threadpool_free(self.pool.as_ptr());
        }
    }
}

/// Why `llama_decode` did not do what it was asked.
fn stopped(status: i32, patience: &Patience) -> anyhow::Error {
    let stopped = patience.spent(Instant::now()).filter(|_| status == 2);
    stopped.map_or_else(|| anyhow::anyhow!("the model failed (llama_decode {status})"), Failure::into)
}

/// Keeps llama.cpp from starting a debugger from PATH when it aborts: nothing is started on a key press.
pub(super) fn no_debugger() {
    // SAFETY: called first in the process, before any other thread could read the environment.
    unsafe { std::env::set_var("GGML_NO_BACKTRACE", "1") };
}

/// Starts llama.cpp once per process; its messages go to our log.
fn start() {
    static START: Once = Once::new();
    START.call_once(|| {
        // SAFETY: called once, before anything else of llama.cpp; the callback is a plain function.
        unsafe {
            sys::llama_log_set(Some(log), std::ptr::null_mut());
            sys::llama_backend_init();
        }
    });
}

unsafe extern "C" fn log(_level: sys::ggml_log_level, text: *const c_char, _data: *mut c_void) {
    if !text.is_null() {
        // SAFETY: llama.cpp passes a C string that lives through the call.
        let text = unsafe { CStr::from_ptr(text) };
        tracing::debug!(target: "askline::llama", "{}", text.to_string_lossy().trim_end());
    }
}

unsafe extern "C" fn go_on_loading(_progress: f32, data: *mut c_void) -> bool {
    // SAFETY: `Weights::load` passes a `Patience` that outlives the call.
    let patience = unsafe { &*data.cast::<Patience>() };
    patience.spent(Instant::now()).is_none()
}

unsafe extern "C" fn stop_computing(data: *mut c_void) -> bool {
    // SAFETY: `Sequence::new` passes its boxed patience, which lives as long as the context.
    let patience = unsafe { &*data.cast::<Mutex<Patience>>() };
    let patience = patience.lock().unwrap_or_else(PoisonError::into_inner);
    patience.spent(Instant::now()).is_some()
}
