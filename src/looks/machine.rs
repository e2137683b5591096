//! The machine: its system, the environment and its manuals.

use std::path::Path;

use askline_check::reference::Reference as _;
use askline_host::{Host, find_on_path};

use super::{Bounds, Seen, size};
use crate::environment::{Environment, Machine};
use crate::knowledge::Knowledge;
use crate::screen;

/// Maximum size of a file of `/proc` that is read, in bytes.
const FILE_LIMIT: u64 = 64 << 10;
/// Maximum number of options that a manual shows.
const OPTIONS_MAX: usize = 40;
/// Maximum number of commands that a search returns.
const FOUND_MAX: usize = 40;
/// Number of rows at the end of the screen that are shown.
const ROWS: usize = 60;
/// Variables that are shown; others only by name, as set or not.
const SHOWN: [&str; 18] = [
    "PATH",
    "HOME",
    "USER",
    "SHELL",
    "TERM",
    "LANG",
    "LC_ALL",
    "TZ",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "VIRTUAL_ENV",
    "CONDA_DEFAULT_ENV",
    "XDG_CONFIG_HOME",
    "JAVA_HOME",
];
/// Package managers.
const MANAGERS: [&str; 14] = [
    "apt",
    "dnf",
    "yum",
    "zypper",
    "pacman",
    "apk",
    "xbps-install",
    "emerge",
    "nix",
    "brew",
    "port",
    "pkg",
    "flatpak",
    "snap",
];

/// Shows environment variables.
pub(super) fn variables(host: &dyn Host, name: Option<&str>) -> Result<Seen, String> {
    let shown = |name: &str| Some(format!("{name}={}", host.env(name)?.to_string_lossy()));
    let lines: Vec<String> = match name {
        Some(name) if SHOWN.contains(&name) => {
            vec![shown(name).unwrap_or_else(|| format!("{name} is not set"))]
        }
        Some(name) => {
            let state =
                if host.env(name).is_some() { "is set; its value is not shown" } else { "is not set" };
            vec![format!("{name} {state}")]
        }
        None => SHOWN.iter().filter_map(|name| shown(name)).collect(),
    };
    let headline = match lines.as_slice() {
        [one] => one.clone(),
        all => format!("{} variables are set", all.len()),
    };
    Ok(Seen { headline, lines, is_cut: false })
}

/// Shows what the manual says about a command.
pub(super) fn help(knowledge: &Knowledge, command: &str, about: &str) -> Result<Seen, String> {
    let words: Vec<&str> = command.split_whitespace().take(3).collect();
    let facts = knowledge.known(&words);
    let manual = facts.manual.as_ref().ok_or_else(|| format!("there is no manual of `{command}` here"))?;
    let about = about.to_lowercase();
    let fits = |text: &str| about.is_empty() || text.to_lowercase().contains(&about);
    let options = manual
        .options
        .iter()
        .filter(|option| fits(&option.text) || option.names.iter().any(|name| fits(name)));
    let option = |option: &askline_manual::OptionDoc| {
        let text = option.text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{} {}: {text}", option.names.join(", "), option.placeholder)
    };
    let rows: Vec<String> = options.map(option).collect();
    let summary = [manual.summary.as_str(), manual.synopsis.as_str()];
    let head = summary.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty()).take(4);
    let is_cut = OPTIONS_MAX < rows.len();
    let lines = head.map(|line| line.trim().to_owned()).chain(rows.into_iter().take(OPTIONS_MAX)).collect();
    Ok(Seen { headline: format!("{command}: {}", manual.summary), lines, is_cut })
}

/// Finds commands whose name or title has all the words, or else some of them.
pub(super) fn commands(knowledge: &Knowledge, words: &str, bounds: &mut Bounds) -> Result<Seen, String> {
    let words: Vec<String> = words.split_whitespace().map(stem).collect();
    if words.is_empty() {
        return Err("the words are empty; say what the command should do".to_owned());
    }
    let (titles, is_whole) = knowledge.titles(&mut || bounds.admit());
    let hits = |(name, title): &(String, String)| {
        let text = format!("{} {}", name.to_lowercase(), title.to_lowercase());
        words.iter().filter(|word| text.contains(word.as_str())).count()
    };
    let mut found: Vec<(usize, String)> =
        titles.iter().map(|title| (hits(title), format!("{}: {}", title.0, title.1))).collect();
    let best = found.iter().map(|(hits, _)| *hits).max().unwrap_or(0);
    found.retain(|(hits, _)| 0 < *hits && *hits == best);
    found.dedup();
    let mut lines: Vec<String> = found.into_iter().map(|(_, line)| line).collect();
    let is_cut = !is_whole || FOUND_MAX < lines.len();
    let part =
        if best < words.len() { format!(", with {best} of {} words", words.len()) } else { String::new() };
    let headline = format!("{} commands{part}", lines.len());
    lines.truncate(FOUND_MAX);
    Ok(Seen { headline, lines, is_cut })
}

/// Returns the beginning of a word that it shares with its other forms: `files`, `renaming`.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let ends = ["ing", "es", "s", "e"];
    let stem = ends.iter().find_map(|end| word.strip_suffix(end).filter(|stem| 3 <= stem.len()));
    stem.unwrap_or(&word).to_owned()
}

/// Shows the end of the terminal's screen.
pub(super) fn screen(machine: &Machine, environment: &Environment) -> Result<Seen, String> {
    let text = screen::text(machine, environment)
        .ok_or("the screen can't be read; that needs tmux, kitty, WezTerm or Zellij")?;
    let rows: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    let lines: Vec<String> =
        rows.iter().skip(rows.len().saturating_sub(ROWS)).map(|row| (*row).to_owned()).collect();
    let last = lines.iter().rev().find(|row| !row.is_empty()).map_or("", String::as_str);
    Ok(Seen { headline: format!("the screen ends with: {last}"), is_cut: lines.len() < rows.len(), lines })
}

/// Shows the system.
pub(super) fn snapshot(host: &dyn Host, environment: &Environment) -> Seen {
    let text = |path: &str| {
        let bytes = host.head(Path::new(path), FILE_LIMIT).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let distribution = environment.distribution.as_ref().map_or("", |distribution| &distribution.name);
    let os = &environment.system.os;
    let mut lines = vec![
        format!("system: {os} {} {distribution}", environment.system.release).trim_end().to_owned(),
        format!("tools: {}, shell: {}", environment.userland.name(), environment.shell.name()),
    ];
    let managers: Vec<&str> =
        MANAGERS.into_iter().filter(|name| find_on_path(host, name).is_some()).collect();
    if !managers.is_empty() {
        lines.push(format!("package managers: {}", managers.join(", ")));
    }
    let memory = text("/proc/meminfo");
    let kilobytes = |name: &str| {
        let row = memory.lines().find_map(|line| line.strip_prefix(name))?;
        row.split_whitespace().next()?.parse::<u64>().ok()
    };
    if let (Some(total), Some(free)) = (kilobytes("MemTotal:"), kilobytes("MemAvailable:")) {
        lines.push(format!("memory: {} of {} free", size(free * 1024), size(total * 1024)));
    }
    let load: Vec<String> = text("/proc/loadavg").split_whitespace().take(3).map(str::to_owned).collect();
    if !load.is_empty() {
        lines.push(format!("load: {}", load.join(" ")));
    }
    let here = environment.current_dir.as_deref();
    if let Some(free) = here.and_then(|here| host.free_space(here)) {
        lines.push(format!("free space here: {}", size(free)));
    }
    Seen { headline: lines.join("; "), lines, is_cut: false }
}
