//! Checks of askline's own parts: configuration, resident process and directories.

use std::path::Path;

use super::super::daemon;
use super::super::{AppContext, variable};
use super::model::model;
use super::{Finding, fault, fine, online, quoted, servers, warning};
use crate::config::{Config, Daemon, ModelChoice};
use askline_host::Host;
use askline_model::resident;

/// Free space in bytes below which the model directory's disk counts as nearly full.
const FREE_SPACE_LOW: u64 = 200 << 20;

/// Checks the configuration and its model, with a test of it if `online`. If the configuration is broken, the default
/// model is checked.
pub(super) fn settings(app: &AppContext, online: bool) -> Vec<Finding> {
    let file = &app.paths.config_file;
    match app.config() {
        Ok(config) => {
            let file = match app.host.entry(file) {
                Some(_) => file.display().to_string(),
                None => format!("the defaults ({} does not exist)", file.display()),
            };
            let deadline_s = config.deadline().as_secs_f64();
            let mut findings =
                vec![fine("config file", format!("{file}, deadline {deadline_s} s")), model(&config, app)];
            findings.extend(second_model(&config, app));
            findings.extend(resident_process(&config, &app.host));
            findings.extend(servers::servers(&config, &app.host));
            if online {
                findings.extend(online::tried(&config, app));
            }
            findings
        }
        Err(error) => {
            let remedy = format!("correct it; until then the key only shows this error ({})", file.display());
            let mut findings = vec![fault("config file", format!("{error:#}"), remedy)];
            let without = Config::merge(None, &|name| variable(&app.host, name));
            // A wrong variable is reported above already.
            findings.extend(
                without.or_else(|_| Config::merge(None, &|_| None)).map(|config| model(&config, app)),
            );
            findings
        }
    }
}

/// Checks the second model, if it runs on this machine; servers are checked with the other profiles.
fn second_model(config: &Config, app: &AppContext) -> Option<Finding> {
    let found = model(&config.of_second().filter(|second| !second.model.is_remote())?, app);
    Some(Finding { subject: "second model", ..found })
}

/// Checks the resident process, which keeps a local model loaded, if the configuration uses it.
fn resident_process(config: &Config, host: &dyn Host) -> Option<Finding> {
    let subject = "resident process";
    let is_local = config.models().any(|model| matches!(model, ModelChoice::Local(_)));
    match config.daemon {
        Daemon::Auto if !is_local || cfg!(not(feature = "local-model")) => None,
        Daemon::Off => is_local.then(|| fine(subject, "off: every key press loads the model")),
        Daemon::Auto | Daemon::Force => Some(match resident::status(host) {
            Ok(found) => fine(subject, daemon::words(found.as_ref())),
            Err(error) => warning(
                subject,
                format!("every key press loads the model: {error:#}"),
                "correct the cause, or set `daemon = \"off\"`",
            ),
        }),
    }
}

/// Checks askline's own directories.
pub(super) fn directories(app: &AppContext) -> Vec<Finding> {
    let config = app.paths.config_file.parent().unwrap_or(Path::new("/"));
    let ours =
        [(CONFIG, config), ("cache directory", &app.paths.cache), ("model directory", &app.paths.models)];
    let mut findings: Vec<Finding> =
        ours.iter().map(|(subject, path)| directory(&app.host, subject, path)).collect();
    let nearest = app.paths.models.ancestors().find(|path| app.host.entry(path).is_some());
    if let Some(free) =
        nearest.and_then(|path| app.host.free_space(path)).filter(|free| *free < FREE_SPACE_LOW)
    {
        findings.push(warning(
            "model directory",
            format!("only {} MB are free there", free >> 20),
            "make room, or set XDG_DATA_HOME to a larger disk",
        ));
    }
    findings
}

/// Name of the directory that others may read.
const CONFIG: &str = "config directory";

/// Checks that a directory of askline exists and is private, or can be created.
pub(super) fn directory(host: &dyn Host, subject: &'static str, path: &Path) -> Finding {
    let shown = path.display();
    match host.entry(path) {
        Some(entry) if !entry.is_directory => {
            fault(subject, format!("{shown} is not a directory"), "move it away")
        }
        Some(entry) if !entry.writable => fault(
            subject,
            format!("{shown} can't be written"),
            format!("run `sudo chown -R \"$USER\" {}`", quoted(path)),
        ),
        Some(entry) if entry.mode & 0o022 != 0 || (subject != CONFIG && entry.mode & 0o077 != 0) => warning(
            subject,
            format!("other users have access to {shown} (mode {:o})", entry.mode),
            format!("run `chmod 700 {}`", quoted(path)),
        ),
        Some(_) => fine(subject, shown),
        None => match path.ancestors().skip(1).find_map(|above| Some((above, host.entry(above)?))) {
            Some((_, entry)) if entry.is_directory && entry.writable => {
                fine(subject, format!("{shown}, created when needed"))
            }
            Some((above, _)) => fault(
                subject,
                format!("{shown} can't be created: {} is not writable", above.display()),
                "set XDG_CONFIG_HOME, XDG_CACHE_HOME and XDG_DATA_HOME to directories that you own",
            ),
            None => fault(subject, format!("{shown} can't be created"), "set HOME"),
        },
    }
}
