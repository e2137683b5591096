//! Checks of the shells: which are installed, whether our script is loaded in them, and other bindings of its key.

use std::path::{Path, PathBuf};

use super::super::login_shell;
use super::super::shell_integration::{self, Homes};
use super::{Finding, fault, fine, hook, quoted, warning};
use crate::config::Help;
use crate::environment::{Environment, Machine};
use crate::knowledge::Knowledge;
use crate::shell_facts::ShellFacts;
use askline_host::{Host, Probe};
use askline_syntax::shell::{NU_PLUGIN_VERSIONS, Shell, nu_plugin_supports};

/// Program name of the Nushell plugin.
const PLUGIN: &str = "nu_plugin_ask";

/// Maximum size in bytes of a start-up file.
const STARTUP_LIMIT: u64 = 1 << 20;

/// Checks every supported shell on PATH.
pub(super) fn shells(machine: &Machine, environment: &Environment) -> Vec<Finding> {
    let host = machine.host.as_ref();
    let knowledge = Knowledge::new(machine, environment, &ShellFacts::default(), Help::Never);
    let login = login_shell(host);
    let mut findings = Vec::new();
    for shell in Shell::ALL {
        match knowledge.on_path(shell.name()) {
            Some((program, true)) => {
                findings.extend(one_shell(host, &knowledge, shell, &program, login == Some(shell)));
            }
            Some((program, false)) => findings.push(untrusted(shell.name(), &program)),
            None => {}
        }
    }
    if findings.is_empty() {
        findings.push(fault("shells", format!("none of {} is on PATH", names()), "install one of them"));
    }
    findings
}

/// Returns the finding about a program that is not started.
fn untrusted(subject: &'static str, program: &Path) -> Finding {
    let text = format!(
        "{} is not started: others can write to it or to a directory above it, or it is in the working directory",
        program.display()
    );
    warning(
        subject,
        text,
        "remove its directory from PATH, or make both writable for their owner only (chmod go-w)",
    )
}

/// Checks an installed shell: its version, our hook in its start-up files, and other bindings of our key.
fn one_shell(
    host: &dyn Host,
    knowledge: &Knowledge,
    shell: Shell,
    program: &Path,
    is_login: bool,
) -> Vec<Finding> {
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
    let integration = shell_integration::of(shell);
    if let Some((versions, remedy)) = integration.too_old
        && versions.iter().any(|old| version.starts_with(old))
    {
        return vec![warning(
            subject,
            format!("{found} is too old: its prompt line can't be rewritten"),
            remedy,
        )];
    }
    let texts: Vec<(PathBuf, String)> = Homes::of(host)
        .map(|homes| shell_integration::startup_files(&homes, shell))
        .unwrap_or_default()
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
                    if integration.is_saved {
                        format!("run in {shell}: askline init {shell} | save -f {}", quoted(path))
                    } else {
                        format!("run: askline init {shell} > {}", quoted(path))
                    },
                ),
                _ => fine(subject, format!("{found}, set up in {place}")),
            };
            (first, hook.key.as_deref().unwrap_or("ctrl-g"))
        }
        None if is_login => (
            warning(subject, format!("{found}, your login shell, is not set up"), integration.how_to_load),
            "",
        ),
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
    if shell.is_nushell() {
        findings.extend(plugin(host, knowledge, &version));
    }
    findings
}

/// Returns the names of all shells as text: `nu, zsh, bash and fish`.
fn names() -> String {
    let [rest @ .., last] = Shell::ALL.map(Shell::name);
    format!("{} and {last}", rest.join(", "))
}

/// Checks the plugin, if it is on PATH: its version, and whether it works in this Nushell.
fn plugin(host: &dyn Host, knowledge: &Knowledge, nushell: &str) -> Option<Finding> {
    let (program, is_trusted) = knowledge.on_path(PLUGIN)?;
    if !is_trusted {
        return Some(untrusted("nu plugin", &program));
    }
    let found = program.display();
    let output = host.probe(&program, &Probe::Version).map(|output| output.stdout);
    let installed = version(&String::from_utf8_lossy(&output.unwrap_or_default()));
    let versions = NU_PLUGIN_VERSIONS.join(" and ");
    Some(if installed.as_deref() != Some(env!("CARGO_PKG_VERSION")) {
        let installed = installed.unwrap_or_else(|| "an unknown version".to_owned());
        let remedy = "install both again, then run in nu: plugin add (which nu_plugin_ask | get 0.path)";
        warning("nu plugin", format!("{found} belongs to askline {installed}"), remedy)
    } else if nu_plugin_supports(nushell) {
        fine("nu plugin", format!("{found}, for Nushell {versions}"))
    } else {
        let remedy = "use the script, which needs no plugin: askline init nu";
        warning("nu plugin", format!("{found} works in Nushell {versions}, not in {nushell}"), remedy)
    })
}

/// Returns the first word of a `--version` text that looks like a version.
fn version(text: &str) -> Option<String> {
    let is_version =
        |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    text.lines().next()?.split([' ', ',', '(']).find(is_version).map(str::to_owned)
}
