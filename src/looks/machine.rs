//! The machine: its system, the environment and its manuals.

use std::path::Path;

use askline_check::reference::Reference as _;
use askline_host::{Host, find_on_path};

use super::{Seen, size};
use crate::environment::Environment;
use crate::knowledge::Knowledge;

/// Maximum size of a file of `/proc` that is read, in bytes.
const FILE_LIMIT: u64 = 64 << 10;
/// Maximum number of options that a manual shows.
const OPTIONS_MAX: usize = 40;
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
