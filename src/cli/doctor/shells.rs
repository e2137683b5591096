//! Checks of the shells: which are installed, whether our script is loaded in them, and other bindings of its key.

use std::path::{Path, PathBuf};

use super::super::init::how_to_load;
use super::super::login_shell;
use super::{Finding, fault, fine, hook, quoted, warning};
use askline_host::{Host, Probe, find_on_path};
use askline_syntax::shell::{NU_PLUGIN_VERSIONS, Shell};

/// Program name of the Nushell plugin.
const PLUGIN: &str = "nu_plugin_ask";

/// Maximum size in bytes of a start-up file.
const STARTUP_LIMIT: u64 = 1 << 20;

/// Maximum number of files read from a directory of start-up files.
const STARTUP_FILES_LIMIT: usize = 200;

/// Checks every supported shell on PATH.
pub(super) fn shells(host: &dyn Host) -> Vec<Finding> {
    let login = login_shell(host);
    let mut findings = Vec::new();
    for shell in Shell::ALL {
        if let Some(program) = find_on_path(host, shell.name()) {
            findings.extend(one_shell(host, shell, &program, login == Some(shell)));
        }
    }
    if findings.is_empty() {
        findings.push(fault("shells", "none of nu, zsh, bash and fish is on PATH", "install one of them"));
    }
    findings
}

/// Checks an installed shell: its version, our hook in its start-up files, and other bindings of our key.
fn one_shell(host: &dyn Host, shell: Shell, program: &Path, is_login: bool) -> Vec<Finding> {
    let subject = shell.name();
    let version = match host.probe(program, &Probe::Version) {
        Ok(output) => {
            version(&String::from_utf8_lossy(&output.stdout)).unwrap_or("of unknown version".to_owned())
        }
        Err(error) => {
            return vec![warning(subject, format!("it does not start: {error:#}"), "reinstall it")];
        }
    };
    let found = format!("{version} at {}", program.display());
    if shell == Shell::Bash && ["1.", "2.", "3."].iter().any(|old| version.starts_with(old)) {
        return vec![warning(
            subject,
            format!("{found} is too old: its prompt line can't be rewritten"),
            "use bash 4 or later",
        )];
    }
    let texts: Vec<(PathBuf, String)> = startup_files(host, shell)
        .into_iter()
        .filter_map(|path| {
            let bytes = host.read(&path, STARTUP_LIMIT).ok()?;
            Some((path, String::from_utf8_lossy(&bytes).into_owned()))
        })
        .collect();
    let hook = texts.iter().find_map(|(path, text)| Some((path, hook::hook(text)?)));
    let (first, key) = match &hook {
        Some((path, hook)) => {
            let place = format!("{}:{}", path.display(), hook.line);
            let first = match &hook.saved_by {
                Some(version) if version != env!("CARGO_PKG_VERSION") => warning(
                    subject,
                    format!("{found}, but its script {place} was written by askline {version}"),
                    match shell {
                        Shell::Nu => format!("run in nu: askline init nu | save -f {}", quoted(path)),
                        _ => format!("run: askline init {shell} > {}", quoted(path)),
                    },
                ),
                _ => fine(subject, format!("{found}, set up in {place}")),
            };
            (first, hook.key.as_deref().unwrap_or("ctrl-g"))
        }
        None if is_login => {
            (warning(subject, format!("{found}, your login shell, is not set up"), how_to_load(shell)), "")
        }
        None => (fine(subject, format!("{found}, not set up")), ""),
    };
    let mut findings = vec![first];
    if key.eq_ignore_ascii_case("ctrl-g") {
        // Our own script binds the key too.
        let own = |text: &str| hook::hook(text).is_some_and(|hook| hook.saved_by.is_some());
        for (path, text) in texts.iter().filter(|(_, text)| !own(text)) {
            findings.extend(hook::rivals(shell, text).into_iter().map(|rival| {
                warning(
                    subject,
                    format!("{}:{} may bind ctrl-g too: {}", path.display(), rival.line, rival.what),
                    format!("choose another key: `askline init {shell} --key alt-g`"),
                )
            }));
        }
    }
    if shell == Shell::Nu {
        findings.extend(plugin(host, &version));
    }
    findings
}

/// Checks the plugin, if it is on PATH: its version, and whether it works in this Nushell.
fn plugin(host: &dyn Host, nushell: &str) -> Option<Finding> {
    let program = find_on_path(host, PLUGIN)?;
    let found = program.display();
    let directory = program.parent()?;
    if host.entry(directory).is_some_and(|entry| entry.mode & 0o002 != 0) {
        let remedy = format!("run: chmod o-w {}", quoted(directory));
        return Some(warning(
            "nu plugin",
            format!("{found} is not started: everybody could have put it there"),
            remedy,
        ));
    }
    let said = host.probe(&program, &Probe::Version).map(|output| output.stdout);
    let installed = version(&String::from_utf8_lossy(&said.unwrap_or_default()));
    let versions = NU_PLUGIN_VERSIONS.join(" and ");
    let is_of = |minor: &&str| nushell.strip_prefix(*minor).is_some_and(|rest| rest.starts_with('.'));
    Some(if installed.as_deref() != Some(env!("CARGO_PKG_VERSION")) {
        let installed = installed.unwrap_or_else(|| "an unknown version".to_owned());
        let remedy = "install both again, then run in nu: plugin add nu_plugin_ask";
        warning("nu plugin", format!("{found} is of askline {installed}"), remedy)
    } else if NU_PLUGIN_VERSIONS.iter().any(is_of) {
        fine("nu plugin", format!("{found}, for Nushell {versions}"))
    } else {
        let remedy = "the script does without it: askline init nu";
        warning("nu plugin", format!("{found} works in Nushell {versions}, not in {nushell}"), remedy)
    })
}

/// Returns the first word of a `--version` text that looks like a version.
fn version(text: &str) -> Option<String> {
    let is_version =
        |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    text.lines().next()?.split([' ', ',', '(']).find(is_version).map(str::to_owned)
}

/// Returns the existing start-up files of a shell.
fn startup_files(host: &dyn Host, shell: Shell) -> Vec<PathBuf> {
    let variable = |name: &str| host.env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(home) = variable("HOME") else { return Vec::new() };
    let config = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let data = variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
    let (files, directories) = match shell {
        Shell::Zsh => {
            let home = variable("ZDOTDIR").unwrap_or(home);
            (vec![home.join(".zshrc"), home.join(".zprofile"), home.join(".zshenv")], Vec::new())
        }
        Shell::Bash => {
            let names = [".bashrc", ".bash_profile", ".bash_login", ".profile", ".bash_aliases"];
            (names.map(|name| home.join(name)).into(), Vec::new())
        }
        Shell::Fish => (vec![config.join("fish/config.fish")], vec![config.join("fish/conf.d")]),
        Shell::Nu => {
            let (config, data) = match (variable("XDG_CONFIG_HOME"), host.system().os.as_str()) {
                (None, "macos") => {
                    let support = home.join("Library/Application Support");
                    (support.join("nushell"), support.join("nushell"))
                }
                _ => (config.join("nushell"), data.join("nushell")),
            };
            (
                vec![config.join("config.nu"), config.join("env.nu")],
                vec![config.join("autoload"), data.join("vendor/autoload")],
            )
        }
    };
    let listed = directories.iter().flat_map(|directory| {
        let mut names = host.list(directory).unwrap_or_default();
        names.sort();
        names.into_iter().take(STARTUP_FILES_LIMIT).map(|name| directory.join(name)).collect::<Vec<_>>()
    });
    let there = |path: &PathBuf| host.entry(path).is_some_and(|entry| entry.is_file);
    files.into_iter().chain(listed).filter(there).collect()
}
