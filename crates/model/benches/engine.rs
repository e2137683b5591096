//! Speed of the embedded model and of the raw engine in one run: prefill and decode, in tokens per second, alone and
//! with one core used by another process.
//!
//! `cargo bench -p askline-model --bench engine -- MODEL.gguf`. The raw side calls llama.cpp as its own benchmark program does: a thread
//! pool that is created once, prompts of 512 tokens, single tokens after a prompt as long as ours. Figures are medians.
//! The order alternates, so a slowdown of the machine affects both sides.
#![expect(unsafe_code, reason = "the raw side calls C")]
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints and may stop")]

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Instant;

use askline_model::Model as _;
use askline_model::local::Local;
use askline_model::prompt;
use askline_model::prompt::Form;
use askline_model::request_control::RequestControl;
use askline_syntax::shell::Shell;
use llama_cpp_sys_2 as sys;

const ROUNDS: usize = 5;
/// Context size in tokens, for prompt and answer together.
const ROOM: u32 = 4096;
const REQUESTS: [&str; 5] = [
    "list the five largest files below /var/log with their sizes",
    "count the lines of all python files in this tree",
    "show which processes listen on tcp ports",
    "replace tabs by four spaces in notes.txt",
    "print the third column of table.csv sorted by number",
];

fn main() {
    let file = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let Some(file) = file.map(PathBuf::from) else {
        println!("which model? cargo bench -p askline-model --bench engine -- MODEL.gguf");
        return;
    };
    let threads = std::thread::available_parallelism().unwrap().get();
    println!("model {}, {threads} threads, medians of {ROUNDS}", file.file_name().unwrap().to_string_lossy());
    println!("{:<22} {:>12} {:>12} {:>8}", "", "ours tok/s", "raw tok/s", "ratio");
    let quiet = both(&file, threads);
    show("prefill", quiet.0);
    show("decode", quiet.1);
    let neighbour = Busy::start();
    let busy = both(&file, threads);
    drop(neighbour);
    show("prefill, 1 core taken", busy.0);
    show("decode, 1 core taken", busy.1);
    println!(
        "with one core taken, of the quiet figure: prefill {:.2}, decode {:.2}",
        busy.0.0 / quiet.0.0,
        busy.1.0 / quiet.1.0
    );
}

fn show(what: &str, (ours, raw): (f64, f64)) {
    println!("{what:<22} {ours:>12.1} {raw:>12.1} {:>8.2}", ours / raw);
}

/// Returns ((our prefill, raw prefill), (our decode, raw decode)) in tokens per second.
fn both(file: &Path, threads: usize) -> ((f64, f64), (f64, f64)) {
    let mut raw = Raw::load(file, threads);
    let states = tempfile::tempdir().unwrap();
    let mut figures = [const { Vec::new() }; 4];
    for round in 0..ROUNDS {
        let mut local = Local::new(
            "bench".into(),
            file.to_owned(),
            states.path().join(round.to_string()),
            ROOM,
            Some(threads),
        );
        let prompt = prompt::draft(Form::Completion, REQUESTS[round % REQUESTS.len()], Shell::Bash, "Linux");
        let control = RequestControl::endless();
        local.ready("# warm\n", &control).unwrap();
        let short: String = prompt.fixed.chars().take(1800).collect();
        let usage = local.ready(&short, &control).unwrap();
        figures[0].push(usage.prefill_tokens as f64 / usage.prefill.as_secs_f64());
        figures[1].push(raw.prefill(usage.prefill_tokens));
        let mut local =
            Local::new("bench".into(), file.to_owned(), states.path().to_owned(), ROOM, Some(threads));
        let reply = local.complete(&prompt, 64, &control).unwrap();
        figures[2].push(reply.usage.decode_tokens as f64 / reply.usage.decode.as_secs_f64());
        figures[3].push(raw.decode(1600, reply.usage.decode_tokens));
    }
    let [our_prefill, raw_prefill, our_decode, raw_decode] = figures.map(median);
    ((our_prefill, raw_prefill), (our_decode, raw_decode))
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// A process that uses one core until this value is dropped.
struct Busy(Child);

impl Busy {
    fn start() -> Self {
        Self(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Plain llama.cpp with its own default settings.
struct Raw {
    context: *mut sys::llama_context,
    filled: usize,
}

impl Raw {
    fn load(file: &Path, threads: usize) -> Self {
        let path = CString::new(file.as_os_str().as_encoded_bytes()).unwrap();
        // SAFETY: straight-line use of the C API; nothing is freed before the process ends.
        unsafe {
            sys::llama_backend_init();
            let mut params = sys::llama_model_default_params();
            params.use_extra_bufts = std::env::var_os("RAW_REPACK").is_some();
            let model = sys::llama_model_load_from_file(path.as_ptr(), params);
            assert!(!model.is_null());
            let mut params = sys::llama_context_default_params();
            params.n_ctx = 2816;
            params.n_batch = 512;
            params.n_ubatch = 512;
            params.n_threads = threads as i32;
            params.n_threads_batch = threads as i32;
            let context = sys::llama_init_from_model(model, params);
            assert!(!context.is_null());
            let mut pool = sys::ggml_threadpool_params_default(threads as i32);
            let pool = sys::ggml_threadpool_new(&raw mut pool);
            sys::llama_attach_threadpool(context, pool, pool);
            let mut raw = Self { context, filled: 0 };
            raw.feed(64, 64);
            raw
        }
    }

    fn prefill(&mut self, tokens: usize) -> f64 {
        self.clear();
        let started = Instant::now();
        self.feed(tokens, 512);
        tokens as f64 / started.elapsed().as_secs_f64()
    }

    fn decode(&mut self, depth: usize, tokens: usize) -> f64 {
        if self.filled < depth {
            self.clear();
            self.feed(depth, 512);
        }
        let started = Instant::now();
        self.feed(tokens, 1);
        tokens as f64 / started.elapsed().as_secs_f64()
    }

    fn clear(&mut self) {
        // SAFETY: the context is still alive.
        unsafe { sys::llama_memory_clear(sys::llama_get_memory(self.context), false) };
        self.filled = 0;
    }

    fn feed(&mut self, tokens: usize, at_once: usize) {
        let mut left = tokens;
        while 0 < left {
            let length = left.min(at_once);
            let mut chunk: Vec<i32> =
                (0..length).map(|n| ((self.filled + n) * 7919 % 50_000) as i32).collect();
            // SAFETY: the batch points into `chunk`, which outlives the call.
            unsafe {
                let batch = sys::llama_batch_get_one(chunk.as_mut_ptr(), length as i32);
                assert_eq!(sys::llama_decode(self.context, batch), 0);
                sys::llama_synchronize(self.context);
            }
            self.filled += length;
            left -= length;
        }
    }
}
