//! The models that `askline setup` offers: one to ask, and a larger one to ask as well where the first is unsure.

use std::thread;

use super::UNASKED;
use crate::cli::args::{Model, ModelCommand};
use crate::cli::question::is_confirmed;
use crate::cli::{AppContext, model, one_line, print};
use crate::config::ModelChoice;
use askline_model::install::manifest::{Manifest, ModelEntry};
use askline_model::install::{self, Condition, megabytes};
use askline_model::memory;

/// Names of our two models.
const SMALL: &str = "qwen2.5-coder-0.5b-instruct-q4_k_m";
const LARGE: &str = "qwen2.5-coder-1.5b-instruct-q4_k_m";

/// Measured models, as in the table of the README: name, right answers in a hundred everyday tasks, and seconds for one on two
/// cores of a server.
const MEASURED: [(&str, &str, &str); 2] = [(LARGE, "90", "1.2"), (SMALL, "86", "0.7")];

/// The measured pair, as below that table: the model that is asked first, the second one, right answers in a hundred everyday
/// tasks with both, and seconds for the slowest one in twenty with both and with the first alone.
const PAIR: (&str, &str, &str, [&str; 2]) = (SMALL, LARGE, "90", ["2.9", "1.8"]);

/// Offers to fetch a model if the one in use is to run here and is missing; returns `true` if there is one to ask.
pub(super) fn offer(yes: bool, app: &AppContext) -> anyhow::Result<bool> {
    let config = app.config()?;
    let ModelChoice::Local(in_use) = &config.model else { return Ok(true) };
    let manifest = Manifest::load(&app.host, &app.paths)?;
    let is_installed = |name: &str| manifest.find(name).is_ok_and(|entry| is_here(entry, app));
    if config.model_file.is_some() || is_installed(in_use) {
        print(&format!("model: {} is installed\n", one_line(in_use)))?;
        return Ok(true);
    }
    let (here, missing): (Vec<_>, Vec<_>) = manifest.entries.iter().partition(|entry| is_here(entry, app));
    if let Some(other) = here.first() {
        let name = one_line(&other.name);
        print(&format!("model: {name} is installed, but not in use\n"))?;
        if yes || is_confirmed(&format!("use {name}?"), UNASKED)? {
            use_model(&other.name, false, app)?;
            return Ok(true);
        }
    }
    let free = memory::free(&app.host);
    let n_cores = thread::available_parallelism().map_or(1, usize::from);
    let free_text = free.map(|free| format!("{} of memory free, ", megabytes(free))).unwrap_or_default();
    let state = if here.is_empty() { "none is installed" } else { "others can be fetched" };
    print(&format!("model: {state}; this machine has {free_text}{n_cores} cores\n"))?;
    for entry in &missing {
        let (size, memory) = (megabytes(entry.size), megabytes(entry.memory));
        let measured = MEASURED.iter().find(|(name, ..)| *name == entry.name);
        let measured = measured.map(|(_, right, seconds)| {
            format!("; right in {right} of 100 everyday tasks, {seconds} s for one on two cores")
        });
        let measured = measured.unwrap_or_default();
        print(&format!("    {}  {size} to fetch, {memory} of memory{measured}\n", one_line(&entry.name)))?;
    }
    let Some(entry) = fitting(&missing, in_use, free) else { return Ok(false) };
    let question = format!("fetch {} ({})?", one_line(&entry.name), megabytes(entry.size));
    if !yes && !is_confirmed(&question, UNASKED)? {
        return Ok(false);
    }
    pull(&entry.name, app)?;
    if entry.name != *in_use {
        use_model(&entry.name, false, app)?;
    }
    Ok(true)
}

/// Offers the second model of the measured pair if the first one is in use alone and the memory is enough for both.
pub(super) fn offer_second(app: &AppContext) -> anyhow::Result<()> {
    let (first, second, right, [slowest, slowest_alone]) = PAIR;
    let config = app.config()?;
    let is_alone = config.second.is_none() && config.model_file.is_none();
    if !is_alone || config.model != ModelChoice::Local(first.to_owned()) {
        return Ok(());
    }
    let manifest = Manifest::load(&app.host, &app.paths)?;
    let (Ok(first), Ok(second)) = (manifest.find(first), manifest.find(second)) else { return Ok(()) };
    let needed = first.memory.saturating_add(second.memory);
    if memory::free(&app.host).is_none_or(|free| free < needed) {
        return Ok(());
    }
    let name = one_line(&second.name);
    print(&format!(
        "second model: where the first is unsure, {name} can be asked as well; both take {} of memory;\n    \
         {right} of 100 everyday tasks are then right, and the slowest answers take {slowest} s instead of {slowest_alone} s\n",
        megabytes(needed)
    ))?;
    let is_here = is_here(second, app);
    let question = match is_here {
        true => format!("ask {name} as well?"),
        false => format!("fetch {name} ({})?", megabytes(second.size)),
    };
    if !is_confirmed(&question, UNASKED)? {
        return print(&format!("later: askline model use --second {name}\n"));
    }
    if !is_here {
        pull(&second.name, app)?;
    }
    use_model(&second.name, true, app)
}

fn pull(name: &str, app: &AppContext) -> anyhow::Result<()> {
    let command = ModelCommand::Pull { name: Some(name.to_owned()), form: None, sha256: None };
    model::run(&Model { command }, app).map(drop)
}

fn use_model(name: &str, second: bool, app: &AppContext) -> anyhow::Result<()> {
    let command = ModelCommand::Use { name: name.to_owned(), second };
    model::run(&Model { command }, app).map(drop)
}

fn is_here(entry: &ModelEntry, app: &AppContext) -> bool {
    matches!(install::condition(entry, &app.paths), Condition::Intact | Condition::Unchecked)
}

/// Returns the wanted model if it fits into the free memory, else the largest that does, else the smallest; `None` if there
/// are no models.
fn fitting<'a>(models: &[&'a ModelEntry], wanted: &str, free: Option<u64>) -> Option<&'a ModelEntry> {
    let fits = |entry: &&ModelEntry| free.is_none_or(|free| entry.memory <= free);
    let models = || models.iter().copied();
    let wanted = models().find(|entry| entry.name == wanted);
    let largest = || models().filter(fits).max_by_key(|entry| entry.memory);
    let smallest = || models().min_by_key(|entry| entry.memory);
    wanted.filter(fits).or_else(largest).or_else(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_the_readme() {
        let readme = include_str!("../../../README.md");
        for (name, right, seconds) in MEASURED {
            let row = readme.lines().find(|row| row.starts_with(&format!("| `{name}`"))).unwrap();
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            assert_eq!(cells[4], format!("0.{right}"), "{row}");
            assert!(cells[5].starts_with(&format!("{seconds} s ")), "{row}");
        }
        let (_, second, right, [slowest, slowest_alone]) = PAIR;
        let row = readme.split("\n\n").find(|row| row.contains(&format!("model use --second {second}")));
        let row = row.unwrap().replace('\n', " ");
        assert!(row.contains(&format!("0.{right} of the everyday tasks")), "{row}");
        assert!(row.contains(&format!("({slowest} s) where the default alone")), "{row}");
        assert!(row.ends_with(&format!("({slowest_alone} s).")), "{row}");
    }
}
