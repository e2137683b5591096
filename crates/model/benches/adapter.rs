//! Costs of an adapter: speed of the embedded model with one and without, in one run.
//!
//! `cargo bench -p askline-model --bench adapter -- MODEL.gguf ADAPTER.gguf [REQUESTS]`, with one request per line. Both
//! sides answer each request, in alternating order, each with the weights as they lie in the file and rearranged.
//! The answers differ, so times are per token: reading the fixed part, reading the request, writing the answer.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints and may stop")]

use std::path::{Path, PathBuf};

use askline_model::Model as _;
use askline_model::adapter::Adapter;
use askline_model::local::Local;
use askline_model::prompt;
use askline_model::prompt::Form;
use askline_model::request_control::RequestControl;
use askline_syntax::shell::Shell;

const MAX_TOKENS: usize = 96;
const ROOM: u32 = 4096;
const ROUNDS: usize = 3;
const REQUESTS: &str = include_str!("../../../benches/requests.txt");

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let (Some(file), Some(adapter)) = (args.next(), args.next()) else {
        println!("cargo bench -p askline-model --bench adapter -- MODEL.gguf ADAPTER.gguf [REQUESTS]");
        return;
    };
    let requests = args.next().map_or(REQUESTS.to_owned(), |file| std::fs::read_to_string(file).unwrap());
    let adapter = Adapter::File(std::path::absolute(adapter).unwrap());
    println!(
        "{:<34} {:>12} {:>12} {:>8} {:>16}",
        "tokens per second", "with", "without", "ratio", "ratios of pairs"
    );
    for rearranged in [false, true] {
        compare(Path::new(&file), &adapter, &requests, rearranged);
    }
}

/// Tokens and seconds of one kind of work.
#[derive(Default)]
struct Work(Vec<(u64, f64)>);

impl Work {
    fn add(&mut self, tokens: usize, took: std::time::Duration) {
        self.0.push((tokens as u64, took.as_secs_f64()));
    }

    fn rate(&self) -> f64 {
        let tokens: u64 = self.0.iter().map(|one| one.0).sum();
        tokens as f64 / self.0.iter().map(|one| one.1).sum::<f64>()
    }
}

/// What one side did, by kind of work: the fixed part, requests, answers.
type Side = [Work; 3];

fn compare(file: &Path, adapter: &Adapter, requests: &str, rearranged: bool) {
    let mut sides: [Side; 2] = Default::default();
    for round in 0..ROUNDS {
        let states = tempfile::tempdir().unwrap();
        let mut models =
            [Some(adapter.clone()), None].map(|adapter| open(file, states.path(), adapter, rearranged));
        for (turn, request) in requests.lines().enumerate() {
            for place in [(round + turn) % 2, (round + turn + 1) % 2] {
                answer(&mut models[place], request, &mut sides[place]);
            }
        }
    }
    let weights = if rearranged { "rearranged" } else { "as in the file" };
    for (kind, what) in ["fixed part", "request", "answer"].into_iter().enumerate() {
        let [with, without] = [&sides[0][kind], &sides[1][kind]];
        let mut ratios: Vec<_> =
            with.0.iter().zip(&without.0).map(|(a, b)| (a.0 as f64 / a.1) / (b.0 as f64 / b.1)).collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "{:<34} {:>12.1} {:>12.1} {:>8.3} {:>4.2} {:>5.2} {:>5.2}",
            format!("{what}, weights {weights}"),
            with.rate(),
            without.rate(),
            with.rate() / without.rate(),
            ratios[ratios.len() / 4],
            ratios[ratios.len() / 2],
            ratios[ratios.len() * 3 / 4],
        );
    }
}

/// Returns a model without speculative decoding, whose benefit depends on the text of the answer.
fn open(file: &Path, states: &Path, adapter: Option<Adapter>, rearranged: bool) -> Local {
    let states = states.join(if adapter.is_some() { "with" } else { "without" });
    std::fs::create_dir_all(&states).unwrap();
    let local = Local::new("bench".into(), PathBuf::from(file), states, ROOM, None);
    let mut local = local.without_guesses().rearranged(rearranged).adapted(adapter);
    local.ready("# warm\n", &RequestControl::endless()).unwrap();
    local
}

fn answer(model: &mut Local, request: &str, side: &mut Side) {
    let control = RequestControl::endless();
    let prompt = prompt::draft(Form::Completion, request, Shell::Bash, "Linux");
    let fixed = model.ready(&prompt.fixed, &control).unwrap();
    if fixed.prefill_tokens != 0 {
        side[0].add(fixed.prefill_tokens, fixed.prefill);
    }
    let usage = model.complete(&prompt, MAX_TOKENS, &control).unwrap().usage;
    side[1].add(usage.prefill_tokens, usage.prefill);
    side[2].add(usage.decode_tokens, usage.decode);
}
