//! `askline bench`: what each installed model takes on this machine. A model on a server is not asked: that may cost
//! money, and `askline stats` has its times.
//!
//! JSON fields, one object a model: `model`, `load_ms` (the weights and the prepared prompt; null for a model that is asked by
//! messages), `first_ms` (the first press: that and its answer), `median_ms`, `longest_ms` (the `requests` after it, with all
//! checks), `answers` (how many of these had one), `tokens_per_s` (written in the first answer); `error` instead of figures.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::args::Bench;
use super::model::table;
use super::{AppContext, Exit, one_line, print, print_message};
use crate::config::{Config, ModelChoice};
use crate::models::{self, Purpose};
use crate::shell_facts::ShellFacts;
use crate::suggest::{Request, prompt_for, suggest};
use askline_model::Model;
use askline_model::failure::Failure;
use askline_model::install::manifest::{Manifest, ModelEntry};
use askline_model::install::{self, Condition};
use askline_model::prompt;
use askline_model::prompt::Form;
use askline_model::request_control::RequestControl;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;

/// The requests, of everyday kinds; the first one is that of the first press.
const REQUESTS: [&str; 9] = [
    "list the files here by size",
    "find all pdf files bigger than 10 MB",
    "count the lines of all python files",
    "show the ten largest directories",
    "which processes use the most memory",
    "replace foo by bar in notes.txt",
    "log files modified in the last 2 hours",
    "compress the folder photos",
    "show the last 20 commits on one line each",
];
/// Time for all models together, after their first presses.
const BUDGET: Duration = Duration::from_secs(60);
/// Minimum number of requests for each model, whatever they take.
const REQUESTS_MIN: usize = 3;

pub(super) fn run(args: &Bench, app: &AppContext) -> anyhow::Result<Exit> {
    let config = app.config()?;
    let shell = args.shell.unwrap_or_else(|| app.login_shell());
    let choices = choices(&config, app)?;
    let budget = BUDGET / u32::try_from(choices.len()).unwrap_or(u32::MAX);
    let mut rows = vec![["MODEL", "LOAD", "FIRST", "MEDIAN", "LONGEST", "TOKENS/S"].map(str::to_owned)];
    let mut exit = Exit::Done;
    for (model, form) in choices {
        let config = Config { model, form, fallback: Vec::new(), second: None, ..config.clone() };
        let measured = measure(&config, shell, budget, app);
        let figures = measured.unwrap_or_else(|error| {
            exit = Exit::None;
            json!({ "model": config.model.to_string(), "error": one_line(&format!("{error:#}")) })
        });
        if args.json {
            print(&format!("{figures}\n"))?;
        } else {
            rows.push(row(&figures));
        }
    }
    if !args.json {
        print(&table(&rows))?;
        print(
            "\nFIRST is a press that loads the model; MEDIAN and LONGEST are of the presses after it; TOKENS/S is its pace of writing\n",
        )?;
    }
    Ok(exit)
}

/// Returns the installed models with the form of their prompts, or the script or own file in use.
fn choices(config: &Config, app: &AppContext) -> anyhow::Result<Vec<(ModelChoice, Form)>> {
    let is_own = match &config.model {
        ModelChoice::Scripted(_) => true,
        ModelChoice::Local(_) => config.model_file.is_some(),
        ModelChoice::Remote(_) => false,
    };
    if is_own {
        return Ok(vec![(config.model.clone(), config.form)]);
    }
    let mut entries = Manifest::load(&app.host, &app.paths)?.entries;
    entries.retain(|entry| install::condition(entry, &app.paths) == Condition::Intact);
    if entries.is_empty() {
        return Err(Failure::NoModel("no model is installed; run `askline model pull`".to_owned()).into());
    }
    let form = |entry: &ModelEntry| if entry.chat { Form::Chat } else { Form::Completion };
    Ok(entries.into_iter().map(|entry| (ModelChoice::Local(entry.name.clone()), form(&entry))).collect())
}

/// Measures one model in this process, for at most `budget` after its first press.
fn measure(config: &Config, shell: Shell, budget: Duration, app: &AppContext) -> anyhow::Result<Value> {
    let name = config.model.to_string();
    print_message(&format!("{name}: the first press"));
    let (first, following) = REQUESTS.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    let started = Instant::now();
    let mut model = models::open(config, &app.host, &app.paths, Purpose::Batch)?;
    let control = RequestControl::endless();
    let mut load = None;
    if config.form == Form::Completion {
        model.prepare(&prompt::usual(shell, &app.system(shell)), &control)?;
        load = Some(started.elapsed().as_millis());
    }
    let line = PromptLine::typed(first);
    let facts = ShellFacts::default();
    let request = Request::new(&line, shell, &facts);
    let reply = model.complete(&prompt_for(&request, &app.machine, config)?, config.max_tokens, &control)?;
    let first = started.elapsed();
    let (mut times, mut answers) = (Vec::new(), 0);
    let started = Instant::now();
    for (nth, words) in following.iter().enumerate() {
        if REQUESTS_MIN <= nth && budget <= started.elapsed() {
            break;
        }
        print_message(&format!("{name}: request {} of {}", nth + 1, following.len()));
        let asked = Instant::now();
        answers += usize::from(answers_to(words, shell, model.as_mut(), config, app));
        times.push(asked.elapsed());
        app.machine.settle();
    }
    times.sort();
    let speed = f64::from(u32::try_from(reply.usage.decode_tokens)?) / reply.usage.decode.as_secs_f64();
    Ok(json!({
        "model": name,
        "load_ms": load,
        "first_ms": first.as_millis(),
        "median_ms": median(&times).as_millis(),
        "longest_ms": times.last().copied().unwrap_or_default().as_millis(),
        "requests": times.len(),
        "answers": answers,
        "tokens_per_s": speed.is_finite().then(|| (speed * 10.0).round() / 10.0),
        "error": null,
    }))
}

/// Asks for one command as a press does; returns `true` if there is one.
fn answers_to(words: &str, shell: Shell, model: &mut dyn Model, config: &Config, app: &AppContext) -> bool {
    let control = RequestControl::until(Instant::now() + config.deadline());
    let line = PromptLine::typed(words);
    let facts = ShellFacts::default();
    let request = Request::new(&line, shell, &facts);
    suggest(&request, &app.machine, model, config, &control).is_ok()
}

/// Returns the middle one of the sorted times; the lower one of two.
fn median(times: &[Duration]) -> Duration {
    times.get(times.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

fn row(figures: &Value) -> [String; 6] {
    let name = figures["model"].as_str().unwrap_or_default().to_owned();
    if let Some(error) = figures["error"].as_str() {
        return [name, error.to_owned(), String::new(), String::new(), String::new(), String::new()];
    }
    let shown =
        |key: &str, text: &dyn Fn(f64) -> String| figures[key].as_f64().map_or_else(|| "-".to_owned(), text);
    let seconds = |key: &str| shown(key, &|ms| format!("{:.1} s", ms / 1e3));
    let speed = shown("tokens_per_s", &|speed| format!("{speed:.0}"));
    [name, seconds("load_ms"), seconds("first_ms"), seconds("median_ms"), seconds("longest_ms"), speed]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_a_time_that_was_measured() {
        let times: Vec<_> = (1..=4).map(Duration::from_secs).collect();
        let of = |n: usize| median(&times[..n]).as_secs();
        assert_eq!([of(0), of(1), of(2), of(3), of(4)], [0, 1, 1, 2, 2]);
    }

    #[test]
    fn what_is_not_known_is_a_dash() {
        let figures =
            json!({ "model": "m", "load_ms": null, "first_ms": 1230, "median_ms": 40, "longest_ms": 99 });
        assert_eq!(row(&figures), ["m", "-", "1.2 s", "0.0 s", "0.1 s", "-"]);
    }
}
