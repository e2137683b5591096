//! `askline daemon`: shows the state of the resident process, and stops it.

use std::time::Duration;

use serde_json::json;

use super::args::{Daemon, DaemonCommand};
use super::{Exit, one_line, print};
use crate::daemon;
use askline_host::local::LocalHost;
use askline_model::install::megabytes;
use askline_model::resident;
use askline_model::resident::wire::{Hello, Status};

pub(super) fn run(args: &Daemon) -> anyhow::Result<Exit> {
    match args.command {
        DaemonCommand::Run => {
            daemon::run()?;
            // An unfinished worker may be inside the model's library, whose exit handlers must not run at the same
            // time.
            signal_hook::low_level::exit(Exit::Done as i32);
        }
        DaemonCommand::Stop => {
            let was_there = resident::stop(&LocalHost)?;
            print(&match args.json {
                true => format!("{}\n", json!({ "stopped": was_there })),
                false if was_there => "the resident process has stopped\n".to_owned(),
                false => "the resident process was not running\n".to_owned(),
            })?;
        }
        DaemonCommand::Status => {
            let found = resident::status(&LocalHost)?;
            print(&match args.json {
                true => format!("{}\n", object(found.as_ref())),
                false => format!("{}\n", words(found.as_ref())),
            })?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the state as JSON. The field names are a stable interface.
fn object(found: Option<&(Hello, Status)>) -> serde_json::Value {
    let Some((hello, status)) = found else { return json!({ "running": false }) };
    json!({
        "running": true,
        "pid": hello.pid,
        "version": hello.version,
        "seconds": status.since.as_secs(),
        "model": status.model,
        "rests": status.rests,
        "prepares": status.prepares,
        "answered": status.answered,
        "waiting": status.waiting,
        "memory_bytes": status.memory.map(|(all, _)| all),
        "memory_own_bytes": status.memory.map(|(_, own)| own),
        "idle_seconds": status.idle.as_secs(),
    })
}

/// Returns the state as one line of text.
pub(super) fn words(found: Option<&(Hello, Status)>) -> String {
    let Some((hello, status)) = found else {
        return "not running; the first key press starts it".to_owned();
    };
    let model = match &status.model {
        Some(model) if status.prepares => format!("{} (preparing in the background)", one_line(model)),
        Some(model) if status.rests => format!("{} (resting)", one_line(model)),
        Some(model) => one_line(model),
        None => "no model yet".to_owned(),
    };
    let memory = status.memory.map_or(String::new(), |(all, own)| {
        format!(", {} of memory ({} private)", megabytes(all), megabytes(own))
    });
    format!(
        "process {} (version {}) for {}: {model}, {} answered{memory}; stops after {} without a request",
        hello.pid,
        one_line(&hello.version),
        time(status.since),
        status.answered,
        time(status.idle)
    )
}

/// Formats a time in its largest unit.
fn time(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}
