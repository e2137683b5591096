//! Looks: the tools of an investigation (`askline-agent` has their descriptions). All only read, through [`Host`], and start
//! no program but those that look up a manual, and the terminal's own client that prints the screen.
//!
//! Each look is bounded in time, entries and bytes. Links out of the working directory are not followed, secret files
//! are refused by name and by content, and secrets in what is seen are redacted.

mod contents;
mod files;
mod git;
mod history;
mod machine;
mod place;
mod policy;
mod ports;
mod processes;
mod wildcard;

use std::path::Path;
use std::time::{Duration, Instant};

use askline_agent::call::{Call, Observation};
use askline_agent::context::Exchange;
use askline_agent::tool::{Permission, Tool};
use askline_host::Host;
use askline_redact::{Kept, Redactor};
use askline_syntax::clean::{self, visible};

use crate::environment::{Environment, Machine};
use crate::knowledge::Knowledge;
use crate::sandboxed_line::PrintedRows;
use crate::shell_facts::ShellFacts;
pub use contents::shown as shown_text;
pub use policy::PathPolicy;

/// Time limit for one look.
const LOOK_TIME: Duration = Duration::from_secs(3);
/// Maximum number of files and directories in one look.
const ENTRIES_MAX: usize = 50_000;
/// Maximum length of one line of an observation, in characters.
const LINE_CHARS_MAX: usize = 240;

/// Number after which the placeholders of looks begin. A server's request numbers the secrets in the person's words from 1 by
/// itself (and restores them, which is never done with what was seen): no placeholder of one conversation stands for two secrets.
const SECRETS_AFTER: u32 = 1_000;

/// Looks around on one machine.
pub struct ToolRunner<'a> {
    machine: &'a Machine,
    environment: &'a Environment,
    facts: &'a ShellFacts,
    knowledge: &'a Knowledge,
    policy: PathPolicy,
    redactor: Redactor,
    kept: Kept,
}

/// What a look has seen so far.
#[derive(Debug, Default)]
struct Seen {
    headline: String,
    lines: Vec<String>,
    is_cut: bool,
}

/// Limits of one look.
#[derive(Debug)]
struct Bounds {
    until: Instant,
    entries: usize,
    /// Directories that the user keeps from investigations.
    policy: PathPolicy,
    /// Permission of the path that the call names.
    granted: Permission,
}

impl Bounds {
    /// Counts one entry; `false` if the look has to end.
    fn admit(&mut self) -> bool {
        self.entries += 1;
        self.entries <= ENTRIES_MAX && Instant::now() < self.until
    }
}

impl Bounds {
    /// Reports whether the user allows less for a path than for the one that the call names.
    fn is_closed(&self, path: &Path) -> bool {
        self.granted < self.policy.at(path)
    }
}

impl<'a> ToolRunner<'a> {
    /// Creates the runner of one conversation. `earlier` are looks of the same conversation, whose placeholders keep their meaning.
    pub fn new(
        machine: &'a Machine,
        (environment, facts): (&'a Environment, &'a ShellFacts),
        knowledge: &'a Knowledge,
        policy: PathPolicy,
        earlier: &[Exchange],
    ) -> Self {
        let (redactor, mut kept) = (Redactor::new(), Kept::after(SECRETS_AFTER));
        for Observation { text, headline, .. } in earlier.iter().map(|made| &made.observation) {
            redactor.reserve(text, &mut kept);
            redactor.reserve(headline, &mut kept);
        }
        Self { machine, environment, facts, knowledge, policy, redactor, kept }
    }

    /// Returns the permission of what a call looks at: that of its path, or of the files that its tool reads.
    pub fn permission(&self, tool: &Tool, call: &Call) -> Permission {
        let host = self.machine.host.as_ref();
        let takes_path = tool.parameter.iter().any(|parameter| parameter.name == "path");
        match tool.name.as_str() {
            "git_state" => {
                let repository = git::repository(host).map(|git| self.policy.within(host, &git));
                self.policy.named(host, ".").max(repository.unwrap_or_default())
            }
            "history_search" => history::file(host, self.environment.shell)
                .map(|file| self.policy.within(host, &file))
                .unwrap_or_default(),
            _ if takes_path => self.policy.named(host, call.text("path").unwrap_or(".")),
            _ => Permission::Allow,
        }
    }

    /// Makes a call that the registry has checked.
    pub fn look(&mut self, tool: &Tool, call: &Call) -> Observation {
        let (policy, granted) = (self.policy.clone(), self.permission(tool, call));
        let mut bounds = Bounds { until: Instant::now() + LOOK_TIME, entries: 0, policy, granted };
        match self.seen(call, &mut bounds) {
            Ok(seen) => self.observation(seen, tool.bytes_max),
            Err(why) => Observation::failed(&self.redacted(&why)),
        }
    }

    /// Returns what a line printed in the sandbox, as an observation.
    pub fn ran(&mut self, ran: &PrintedRows, bytes_max: usize) -> Observation {
        let lines = ran.rows.iter().chain(&ran.complaints).cloned().collect();
        let headline =
            if ran.success || ran.is_cut { ran.count() } else { format!("{}, and it failed", ran.count()) };
        self.observation(Seen { headline, lines, is_cut: ran.is_cut }, bytes_max)
    }

    fn seen(&self, call: &Call, bounds: &mut Bounds) -> Result<Seen, String> {
        let Self { machine, environment, facts, .. } = *self;
        let host: &dyn Host = machine.host.as_ref();
        let path = call.text("path").unwrap_or(".");
        match call.name.as_str() {
            "list_dir" => files::list(host, path, bounds),
            "find_files" => files::find(host, path, call.text("pattern").unwrap_or("*"), bounds),
            "stat" => files::stat(host, path),
            "disk_usage" => files::disk_usage(host, path, bounds),
            "read_file" => contents::read(host, path, &contents::Part::of(call)),
            "search_text" => contents::search(host, path, call.text("text").unwrap_or_default(), bounds),
            "processes" => processes::list(host, call.text("name"), bounds),
            "ports" => ports::list(host, call.number("port"), bounds),
            "environment" => machine::variables(host, call.text("name")),
            "git_state" => git::state(host, bounds),
            "command_help" => machine::help(
                self.knowledge,
                call.text("command").unwrap_or_default(),
                call.text("about").unwrap_or_default(),
            ),
            "manual_search" => {
                machine::commands(self.knowledge, call.text("words").unwrap_or_default(), bounds)
            }
            "last_output" => machine::screen(machine, environment),
            "history_search" => {
                let wanted = call.text("text").unwrap_or_default();
                history::search(host, environment.shell, &facts.history, wanted)
            }
            "snapshot" => Ok(machine::snapshot(host, environment)),
            other => Err(format!("`{other}` is not built in")),
        }
    }

    /// Returns what was seen, redacted, in visible lines and within the bounds of the tool.
    fn observation(&mut self, seen: Seen, bytes_max: usize) -> Observation {
        let all = self.redacted(&seen.lines.join("\n"));
        let mut text = String::new();
        let mut is_cut = seen.is_cut;
        for line in all.lines() {
            let line = shortened(&visible(line));
            if bytes_max < text.len() + line.len() + 1 {
                is_cut = true;
                break;
            }
            text.push_str(&line);
            text.push('\n');
        }
        Observation::seen(&self.redacted(&seen.headline), text, is_cut)
    }

    /// Returns a text with its secrets replaced. Placeholders that the text already has are made invalid.
    fn redacted(&mut self, text: &str) -> String {
        self.redactor.redact(&self.redactor.disarm(text), &mut self.kept)
    }
}

/// Returns at most [`LINE_CHARS_MAX`] characters of a line.
fn shortened(line: &str) -> String {
    clean::shortened(line, LINE_CHARS_MAX)
}

/// Returns a size in the largest unit that leaves a number above 1: `3.4 MB`.
fn size(bytes: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, unit)| *unit <= bytes as f64) {
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / unit),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests;
