//! `askline ahead`: looks for other suggestions while the person reads the first, so that pressing the key again shows
//! them at once.
//!
//! Started by `askline line` when its answer is out, never by hand. Only the resident process is asked, and only as long
//! as nobody waits for it. What the shell told stands on stdin; the press itself is remembered already.

use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use super::super::{Desk, Exit};
use super::input::Input;
use super::turn::Turn;
use crate::config::{Alternatives, Config, Daemon, ModelChoice};
use crate::host::Host;
use crate::host::local::LocalHost;
use crate::line::PromptLine;
use crate::model::resident::door::Door;
use crate::models::Occasion;
use crate::patience::Patience;
use crate::presses::{Press, Terminal};
use crate::shell::Shell;

/// Longest time for it.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most bytes of what is told; the helper keeps less.
const ERRAND_LIMIT: u64 = 1 << 20;

/// What is to be done.
#[derive(Debug, Serialize, Deserialize)]
struct Errand {
    /// The terminal's name.
    terminal: String,
    /// What the shell told besides the line.
    told: Vec<(String, String)>,
}

/// Sends somebody ahead, where the configuration wants that and the resident process can answer.
pub(super) fn send(config: &Config, press: &Press, terminal: &str, told: &[(String, String)]) {
    let is_resident = match &config.model {
        ModelChoice::Local(_) => config.daemon != Daemon::Off && cfg!(feature = "local-model"),
        ModelChoice::Scripted(_) => config.daemon == Daemon::Force,
        ModelChoice::Remote(_) => false,
    };
    if press.complete || !is_resident || config.alternatives != Alternatives::Ahead {
        return;
    }
    let errand = Errand { terminal: terminal.to_owned(), told: told.to_vec() };
    let started = serde_json::to_vec(&errand).map_err(Into::into).and_then(|text| LocalHost.start_ahead(&text));
    if let Err(error) = started {
        tracing::debug!("nobody looks ahead: {error:#}");
    }
}

/// Does the errand on stdin.
pub(in crate::cli) fn run(desk: &Desk) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    io::stdin().lock().take(ERRAND_LIMIT).read_to_end(&mut text).context("no errand")?;
    let errand: Errand = serde_json::from_slice(&text).context("that is no errand; the key gives them")?;
    let is_name = |c: char| c.is_ascii_hexdigit() || c == '-';
    ensure!(errand.terminal.chars().all(is_name), "that is no terminal");
    let terminal = Terminal::new(Door::find(&desk.host)?.directory(), &errand.terminal);
    let Some(press) = terminal.last().filter(|press| !press.complete) else { return Ok(Exit::None) };
    let turn = Turn {
        input: Input { line: PromptLine::typed(press.words.clone()), facts: errand.told },
        shell: press.shell.parse::<Shell>()?,
        terminal: None,
        machine: desk.machine.clone(),
        config: desk.config()?,
        paths: desk.paths.clone(),
        patience: Patience::until(Instant::now() + PATIENCE),
    };
    let found = turn.others(&press, Occasion::Idle)?;
    // The person may have pressed the key meanwhile.
    match terminal.last().filter(|now| now.at == press.at && now.offers == press.offers && !now.complete) {
        Some(now) => terminal.keep(&now.and(found)),
        None => tracing::debug!("the key was pressed meanwhile"),
    }
    desk.machine.settle();
    Ok(Exit::Done)
}
