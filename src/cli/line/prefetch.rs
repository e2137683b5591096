//! `askline prefetch`: prefetches other suggestions while the user reads the first one, for an immediate answer to the
//! next key press.
//!
//! `askline line` starts it after its answer; it is never started by hand. Only the resident process is asked, and
//! only while no request waits for it. Stdin contains the shell facts; the press itself is already stored.

use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use super::super::{AppContext, Exit};
use super::input::Input;
use super::turn::Turn;
use crate::config::{Alternatives, Config, Daemon, ModelChoice};
use crate::models::Purpose;
use crate::presses::{Press, PressStore};
use crate::shell_facts::ShellFacts;
use askline_host::Host;
use askline_host::local::LocalHost;
use askline_model::request_control::RequestControl;
use askline_model::resident::endpoint::Endpoint;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;

/// Time limit.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum size of the input in bytes; the helper keeps less.
const ERRAND_LIMIT: u64 = 1 << 20;

/// Input of the prefetch.
#[derive(Debug, Serialize, Deserialize)]
struct PrefetchInput {
    /// Name of the terminal.
    terminal: String,
    /// Shell facts passed besides the prompt line.
    facts: ShellFacts,
}

/// Starts the prefetch if it is enabled and the resident process can answer.
pub(super) fn send(config: &Config, press: &Press, terminal: &str, facts: &ShellFacts) {
    let is_resident = match &config.model {
        ModelChoice::Local(_) => config.daemon != Daemon::Off && cfg!(feature = "local-model"),
        ModelChoice::Scripted(_) => config.daemon == Daemon::Force,
        ModelChoice::Remote(_) => false,
    };
    if press.complete || !is_resident || config.alternatives != Alternatives::Ahead {
        return;
    }
    let input = PrefetchInput { terminal: terminal.to_owned(), facts: facts.clone() };
    let started =
        serde_json::to_vec(&input).map_err(Into::into).and_then(|text| LocalHost.start_prefetch(&text));
    if let Err(error) = started {
        tracing::debug!("no prefetch: {error:#}");
    }
}

/// Runs the prefetch from stdin.
pub(in crate::cli) fn run(app: &AppContext) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    io::stdin().lock().take(ERRAND_LIMIT).read_to_end(&mut text).context("can't read the prefetch input")?;
    let input: PrefetchInput =
        serde_json::from_slice(&text).context("invalid prefetch input; only the key provides it")?;
    let is_name = |c: char| c.is_ascii_hexdigit() || c == '-';
    ensure!(input.terminal.chars().all(is_name), "invalid terminal name");
    let press_store = PressStore::new(Endpoint::find(&app.host)?.directory(), &input.terminal);
    let Some(press) = press_store.last().filter(|press| !press.complete) else { return Ok(Exit::None) };
    let turn = Turn {
        input: Input { line: PromptLine::typed(press.words.clone()), facts: input.facts },
        shell: press.shell.parse::<Shell>().map_err(anyhow::Error::msg)?,
        press_store: None,
        machine: app.machine.clone(),
        config: app.config()?,
        paths: app.paths.clone(),
        control: RequestControl::until(Instant::now() + PATIENCE),
    };
    let found = turn.alternatives(&press, Purpose::Idle)?;
    press_store.update(|now| {
        let is_same = now.at == press.at && now.offers == press.offers && !now.complete;
        if !is_same {
            tracing::debug!("the key was pressed meanwhile");
        }
        is_same.then(|| now.and(found))
    });
    app.machine.settle();
    Ok(Exit::Done)
}
