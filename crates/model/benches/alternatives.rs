//! Cost and value of further answers from the embedded model.
//!
//! `cargo bench -p askline-model --bench alternatives -- MODEL.gguf [REQUESTS]`, with one request per line. Stdout gets one JSON object
//! per request: {request, command, others, sure, others_sure}. Score `command` alone and with `others` to measure their
//! value. Stderr gets the cost: the time of three alternatives generated together against the time of as many tokens
//! generated one after the other, both in this run. It also reports whether a repeated request gives the same answer.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a measurement prints and may stop"
)]

use std::path::PathBuf;

use askline_model::local::Local;
use askline_model::prompt;
use askline_model::prompt::Form;
use askline_model::request_control::RequestControl;
use askline_model::{Further, Model as _, Reply};
use askline_syntax::shell::Shell;

const FURTHER: Further = Further { most: 3, max_tokens: MAX_TOKENS, wrong: None, likely: false };
const MAX_TOKENS: usize = 96;
const ROOM: u32 = 4096;
const REQUESTS: &str = include_str!("../../../benches/requests.txt");

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let Some(file) = args.next().map(PathBuf::from) else {
        println!("which model? cargo bench -p askline-model --bench alternatives -- MODEL.gguf [REQUESTS]");
        return;
    };
    let requests = args.next().map_or(REQUESTS.to_owned(), |file| std::fs::read_to_string(file).unwrap());
    let states = tempfile::tempdir().unwrap();
    let mut local = Local::new("bench".into(), file, states.path().to_owned(), ROOM, None);
    let control = RequestControl::endless();
    let sure = |reply: &Reply| reply.certainty.map_or(0.0, |certainty| certainty.mean);
    let (mut ratios, mut apart, mut changed, mut given) = (Vec::new(), 0.0, 0, 0);
    for request in requests.lines() {
        let prompt = prompt::draft(Form::Completion, request, Shell::Bash, "Linux");
        let Ok(first) = local.complete(&prompt, MAX_TOKENS, &control) else {
            println!("{}", serde_json::json!({"request": request, "command": "", "others": []}));
            continue;
        };
        let others = local.alternatives(&prompt, FURTHER, &control).unwrap();
        let again = local.complete(&prompt, MAX_TOKENS, &control).unwrap();
        changed += usize::from(again.text != first.text || again.certainty != first.certainty);
        given += others.len();
        let commands: Vec<_> = others.iter().map(|reply| &reply.text).collect();
        let certainties: Vec<_> = others.iter().map(sure).collect();
        println!(
            "{}",
            serde_json::json!({"request": request, "command": first.text, "others": commands,
                "sure": sure(&first), "others_sure": certainties})
        );
        let token = (first.usage.decode + again.usage.decode).as_secs_f64()
            / (first.usage.decode_tokens + again.usage.decode_tokens).max(1) as f64;
        let tokens: usize = others.iter().map(|reply| reply.usage.decode_tokens).sum();
        if let Some(together) = others.first().map(|reply| reply.usage.decode.as_secs_f64()) {
            ratios.push(together / (token * tokens as f64));
            apart += together;
        }
    }
    ratios.sort_by(f64::total_cmp);
    let asked = requests.lines().count();
    eprintln!(
        "{asked} requests, {given} others ({:.2} each), {changed} answers changed when asked again; others take {:.2} s \
         on average, {:.2} (median; worst {:.2}) of the time of as many tokens one after the other",
        given as f64 / asked as f64,
        apart / ratios.len() as f64,
        ratios[ratios.len() / 2],
        ratios[ratios.len() - 1],
    );
}
