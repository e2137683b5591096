//! `askline doctor`: checks everything that the key needs, one line each, with the remedy for each fault.
//!
//! It changes nothing, starts nothing except `SHELL --version` and `nu_plugin_ask --version`, and contacts servers
//! only with `--online`.

pub(super) mod hook;
mod model;
mod online;
mod own;
mod servers;
mod shells;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{AppContext, Exit, print};
use crate::environment::{Environment, Machine, gather};
use crate::knowledge;
use crate::shell_facts::ShellFacts;
use askline_host::{Host, find_on_path};
use askline_model::local::{kernels, loaded_kernels};
use askline_syntax::clean::visible;

/// Number of pages below which manuals count as missing: only leftovers are installed.
const FEW_PAGES: usize = 20;

/// Maximum number of manual directories that are named.
const MANUALS_NAMED: usize = 4;

/// State of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    Fine,
    /// The part works, but not for everything.
    Warning,
    /// The key cannot work, or the requested test failed.
    Fault,
}

/// Result of checking one part.
#[derive(Debug)]
struct Finding {
    grade: Grade,
    subject: &'static str,
    text: String,
    /// Remedy; empty if none is needed.
    remedy: String,
}

fn fine(subject: &'static str, text: impl Display) -> Finding {
    Finding { grade: Grade::Fine, subject, text: text.to_string(), remedy: String::new() }
}

fn warning(subject: &'static str, text: impl Display, remedy: impl Display) -> Finding {
    Finding { grade: Grade::Warning, subject, text: text.to_string(), remedy: remedy.to_string() }
}

fn fault(subject: &'static str, text: impl Display, remedy: impl Display) -> Finding {
    Finding { grade: Grade::Fault, subject, text: text.to_string(), remedy: remedy.to_string() }
}

pub(super) fn run(as_json: bool, online: bool, app: &AppContext) -> anyhow::Result<Exit> {
    let machine = app.machine.host.as_ref();
    let shell = app.login_shell();
    let environment = gather(&Machine { cache: None, ..app.machine.clone() }, shell, &ShellFacts::default());
    let mut findings = vec![build(&environment)];
    findings.extend(processor());
    findings.extend(system(&environment, machine));
    findings.push(manuals(machine));
    findings.extend(own::settings(app, online));
    findings.extend(own::directories(app));
    findings.extend(shells::shells(&app.machine, &environment));
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
    findings.extend(terminal(machine, size.map(|size| (size.ws_col, size.ws_row))));
    let colour = io::stdout().is_terminal()
        && machine.env("NO_COLOR").is_none_or(|value| value.is_empty())
        && machine.env("TERM").is_none_or(|term| term != "dumb");
    match as_json {
        true => print(&format!("{}\n", findings.iter().map(Finding::object).collect::<serde_json::Value>()))?,
        false => print(&findings.iter().map(|finding| finding.lines(colour)).collect::<String>())?,
    }
    let faulty = findings.iter().any(|finding| finding.grade == Grade::Fault);
    Ok(if faulty { Exit::None } else { Exit::Done })
}

impl Finding {
    /// Returns the finding as JSON. The field names are a stable interface.
    fn object(&self) -> serde_json::Value {
        let grade = match self.grade {
            Grade::Fine => "ok",
            Grade::Warning => "warn",
            Grade::Fault => "fault",
        };
        json!({
            "grade": grade,
            "subject": self.subject,
            "text": on_one_line(&self.text),
            "remedy": on_one_line(&self.remedy),
        })
    }

    fn lines(&self, colour: bool) -> String {
        let (mark, code) = match self.grade {
            Grade::Fine => ("ok   ", 32),
            Grade::Warning => ("warn ", 33),
            Grade::Fault => ("fault", 31),
        };
        let mark = if colour { format!("\x1b[{code}m{mark}\x1b[m") } else { mark.to_owned() };
        let mut lines = format!("{mark} {}: {}\n", self.subject, on_one_line(&self.text));
        if !self.remedy.is_empty() {
            lines.push_str(&format!("      {}\n", on_one_line(&self.remedy)));
        }
        lines
    }
}

/// Returns text of files and programs on one line, safe to show on a terminal.
fn on_one_line(text: &str) -> String {
    visible(&text.lines().map(str::trim).collect::<Vec<_>>().join("; "))
}

fn build(environment: &Environment) -> Finding {
    let model =
        if cfg!(feature = "local-model") { "with the embedded model" } else { "without the embedded model" };
    fine("askline", format!("{} {model}, {}", env!("CARGO_PKG_VERSION"), environment.system.machine))
}

/// Checks the processor features that the embedded model uses.
fn processor() -> Option<Finding> {
    if !cfg!(feature = "local-model") {
        return None;
    }
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    if let Some(fitting) = kernels::fitting() {
        return Some(match loaded_kernels() {
            Some(name) => {
                fine("processor", format!("{n_cores} cores; the embedded model has kernels for {name}"))
            }
            None => warning(
                "processor",
                format!(
                    "the system refuses to load the kernels for {fitting}, so the embedded model will be slow"
                ),
                "allow code in memory (`/proc` must be mounted, and sysctl vm.memfd_noexec not be 2), or build askline here",
            ),
        });
    }
    if let Some(instructions) = kernels::lacking() {
        return Some(fault(
            "processor",
            format!("it has no {instructions}, so this build's embedded model can't compute"),
            "build askline on this machine, or take a release",
        ));
    }
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected;
        let wanted = [
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
            ("f16c", is_x86_feature_detected!("f16c")),
        ];
        let missing: Vec<&str> =
            wanted.iter().filter(|(_, is_present)| !is_present).map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            return Some(warning(
                "processor",
                format!("it has no {}, so the embedded model will be slow", missing.join(", no ")),
                "choose a small model: `askline model list`",
            ));
        }
    }
    Some(fine("processor", format!("{n_cores} cores, with all instructions that the embedded model uses")))
}

fn system(environment: &Environment, host: &dyn Host) -> Vec<Finding> {
    let name = environment
        .distribution
        .as_ref()
        .map_or(environment.system.os.as_str(), |distribution| &distribution.name);
    let n_commands = environment.commands.names().count();
    let text = format!(
        "{name}, kernel {}, {} tools, {n_commands} commands on PATH",
        environment.system.release,
        environment.userland.name()
    );
    let unset = host.env("PATH").is_none_or(|path| path.is_empty());
    let mut findings = vec![if n_commands == 0 {
        let remedy = if unset { "PATH is not set; set it" } else { "PATH leads to no command; correct it" };
        warning("system", text, format!("{remedy}: no suggested command can be found"))
    } else {
        fine("system", text)
    }];
    if unset {
        return findings;
    }
    for directory in environment.commands.directories.iter().filter(|directory| !directory.trusted) {
        findings.push(warning(
            "PATH",
            format!(
                "{} is a relative path, or others can write to it or to a directory above it",
                directory.path.display()
            ),
            "remove it from PATH: others can put commands there",
        ));
    }
    findings
}

/// Checks the manual pages of programs, which are used to look up flags.
fn manuals(host: &dyn Host) -> Finding {
    let directories: Vec<PathBuf> = knowledge::manual_directories(host)
        .into_iter()
        .map(|directory| directory.join("man1"))
        .filter(|directory| host.entry(directory).is_some_and(|entry| entry.is_directory))
        .collect();
    let mut pages = BTreeSet::new();
    for directory in &directories {
        pages.extend(host.list(directory).unwrap_or_default());
    }
    let below: Vec<_> = directories.iter().take(MANUALS_NAMED).map(|path| path.to_string_lossy()).collect();
    let text = format!("{} pages on programs in {}", pages.len(), below.join(", "));
    let text = if directories.is_empty() { "no pages on programs".to_owned() } else { text };
    if FEW_PAGES <= pages.len() {
        return fine("manuals", text);
    }
    let remedy = match find_on_path(host, "unminimize") {
        Some(_) => "run `unminimize`, which installs the manuals that this system image left out",
        None => "install man-db and the manuals of your programs, so that flags can be looked up",
    };
    warning("manuals", text, remedy)
}

/// Checks the terminal. `size`: its columns and rows, if messages go to a terminal.
fn terminal(host: &dyn Host, size: Option<(u16, u16)>) -> Vec<Finding> {
    let variable = |name: &str| host.env(name).map(|value| value.to_string_lossy().into_owned());
    let term = variable("TERM").unwrap_or_default();
    let mut findings = vec![match (term.as_str(), size) {
        ("", _) => {
            warning("terminal", "TERM is not set, so no status is shown", "set TERM, or use a terminal")
        }
        ("dumb", _) => warning("terminal", "TERM is dumb, so no status is shown", "use another terminal"),
        (term, Some((columns, rows))) => fine("terminal", format!("{term}, {columns} columns, {rows} rows")),
        (term, None) => fine("terminal", format!("{term}, but standard error is no terminal")),
    }];
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()));
    let is_utf8 = |locale: &String| {
        let lower = locale.to_ascii_lowercase();
        lower.contains("utf-8") || lower.contains("utf8")
    };
    // macOS terminals use UTF-8 regardless of the variables.
    if !locale.as_ref().is_some_and(is_utf8) && host.system().os != "macos" {
        findings.push(warning(
            "locale",
            format!(
                "{} is not UTF-8, so letters other than English may be garbled",
                locale.as_deref().unwrap_or("C")
            ),
            "set LANG to a UTF-8 locale, such as C.UTF-8",
        ));
    }
    if host.env("ZELLIJ").is_some() {
        findings.push(warning(
            "terminal",
            "zellij takes ctrl-g and alt-p itself, unless it is set up otherwise",
            "add `unbind \"Ctrl g\" \"Alt p\"` to `keybinds` in zellij's config.kdl, or take other keys: `askline init SHELL --key alt-a \
             --preview-key f10`",
        ));
    }
    findings
}

/// Quotes a path as a word for a POSIX shell.
fn quoted(path: &Path) -> String {
    shell_words::quote(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests;
