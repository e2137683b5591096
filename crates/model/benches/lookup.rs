//! Effect of speculative guesses on the embedded model: the time they save, and whether they change an answer.
//!
//! `cargo bench -p askline-model --bench lookup -- MODEL.gguf [REQUESTS]`, with one request per line. Each request is answered with and
//! without guesses, in alternating order, in this one process. The times cover generation only, not reading the prompt.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints and may stop")]

use std::path::PathBuf;

use askline_model::local::Local;
use askline_model::prompt;
use askline_model::prompt::Form;
use askline_model::request_control::RequestControl;
use askline_model::{Model as _, Reply};
use askline_syntax::shell::Shell;

const MAX_TOKENS: usize = 96;
const ROOM: u32 = 4096;
const REQUESTS: &str = include_str!("../../../benches/requests.txt");

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let Some(file) = args.next().map(PathBuf::from) else {
        println!("which model? cargo bench -p askline-model --bench lookup -- MODEL.gguf [REQUESTS]");
        return;
    };
    let requests = args.next().map_or(REQUESTS.to_owned(), |file| std::fs::read_to_string(file).unwrap());
    let states = tempfile::tempdir().unwrap();
    let open = || Local::new("bench".into(), file.clone(), states.path().to_owned(), ROOM, None);
    let mut models = [open(), open().without_guesses()];
    let control = RequestControl::endless();
    let (mut times, mut changed, mut written) = ([Vec::new(), Vec::new()], 0, 0);
    for (turn, request) in requests.lines().enumerate() {
        let prompt = prompt::draft(Form::Completion, request, Shell::Bash, "Linux");
        let mut replies: [Option<Reply>; 2] = [None, None];
        for place in [turn % 2, (turn + 1) % 2] {
            replies[place] = models[place].complete(&prompt, MAX_TOKENS, &control).ok();
        }
        if let [Some(guessed), Some(plain)] = replies {
            if guessed.text != plain.text {
                changed += 1;
                println!("another answer to {request:?}: {:?}, not {:?}", guessed.text, plain.text);
            }
            written += plain.usage.decode_tokens;
            times[0].push(guessed.usage.decode.as_secs_f64());
            times[1].push(plain.usage.decode.as_secs_f64());
        }
    }
    let all = |times: &[f64]| times.iter().sum::<f64>();
    let mut ratios: Vec<_> = times[0].iter().zip(&times[1]).map(|(guessed, plain)| guessed / plain).collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "{} answers, {written} tokens, {changed} changed; writing took {:.2} s with guesses and {:.2} s without: {:.3} \
         (median of each answer's ratio {:.3}, worst {:.3})",
        times[0].len(),
        all(&times[0]),
        all(&times[1]),
        all(&times[0]) / all(&times[1]),
        ratios[ratios.len() / 2],
        ratios[ratios.len() - 1],
    );
}
