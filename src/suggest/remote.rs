//! Requests for another machine, "on db1: …": the line is written for that machine and put behind ssh. Nothing is asked
//! of the machine itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use super::Request;
use crate::config::{Config, Guard, Preferences, Remote, Remotes};
use crate::environment::{self, Machine};
use crate::examine::Examiner;
use crate::knowledge::Knowledge;
use crate::path_facts::PathFacts;
use crate::shell_facts::ShellFacts;
use crate::suggestion::Suggestion;
use askline_host::recorded::RecordedHost;
use askline_manual::userland::Userland;
use askline_model::Model;
use askline_model::failure::Failure;
use askline_model::prompt::system_name;
use askline_model::request_control::RequestControl;
use askline_risk::Risk;
use askline_syntax::clean::clean_made_of;
use askline_syntax::line::{LineText, PromptLine};

/// Turns the words of a request for `remote` into a line for this shell.
///
/// # Errors
/// As [`super::suggest`].
pub(super) fn suggest(
    (remote, words): (&Remote, &str),
    request: &Request<'_>,
    machine: &Machine,
    model: &mut dyn Model,
    config: &Config,
    control: &RequestControl,
) -> anyhow::Result<Suggestion> {
    let here = environment::gather(machine, request.shell, request.facts);
    let there = machine_of(remote, here.commands.names())?;
    let (line, facts) = (PromptLine::typed(words), ShellFacts::default());
    let asked = Request { insists: request.insists, ..Request::new(&line, remote.shell, &facts) };
    // The guard goes before ssh. Which programs are installed there is not known, so none is preferred.
    let (guard, remotes) = (Guard::Off, Remotes::default());
    let preferences = Preferences { programs: BTreeMap::new(), ..config.preferences.clone() };
    let bare = Config { guard, remotes, preferences, ..config.clone() };
    let found = super::suggest(&asked, &there, model, &bare, control)?;

    let behind = |line: &LineText| {
        let text = format!("ssh {} {}", remote.name, request.shell.dialect().grammar.quoted(line.as_str()));
        clean_made_of(&text, request.shell, line).map(|cleaned| cleaned.text)
    };
    let command = behind(&found.command).map_err(Failure::Unclean)?;
    let knowledge = Knowledge::new(machine, &here, request.facts, config.help);
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    let parsed = examiner.parse(command.as_str());
    let risk = examiner.risk(&parsed, Some(&request.line.text), &PathFacts::new(machine.host.as_ref()));
    let risk = if risk.label < found.risk.label { Risk { span: None, ..found.risk.clone() } } else { risk };
    let mut changes = found.changes.clone();
    changes.insert(
        0,
        format!("for {} ({}, {})", remote.name, system_name(&remote.os, remote.userland), remote.shell),
    );
    Ok(Suggestion {
        command: super::guard(command, &risk, request.shell, config.guard),
        alternatives: found.alternatives.iter().filter_map(|other| behind(other).ok()).collect(),
        risk,
        changes,
        ..found
    })
}

/// Returns the remote as a machine: it has the programs of this one, of which nothing is known but their family.
fn machine_of<'a>(remote: &Remote, names: impl Iterator<Item = &'a str>) -> anyhow::Result<Machine> {
    let os = &remote.os;
    let mut text = String::new();
    let all_in_one = match remote.userland {
        Userland::Busybox => Some("busybox"),
        Userland::Toybox => Some("toybox"),
        Userland::Uutils => Some("uutils"),
        Userland::Gnu | Userland::Bsd | Userland::Unknown => None,
    };
    // Some are in several directories, and a program cannot be a link to itself.
    let names: BTreeSet<&str> = names.filter(|name| Some(*name) != all_in_one).collect();
    let paths: Vec<String> =
        names.iter().map(|name| toml::Value::from(format!("/bin/{name}")).to_string()).collect();
    let programs = all_in_one.map_or_else(|| paths.join(", "), |program| format!("\"/bin/{program}\""));
    let _ = writeln!(text, "programs = [{programs}]");
    let _ = writeln!(
        text,
        "[system]\nos = \"{os}\"\nrelease = \"\"\nmachine = \"\"\n[env]\nPATH = \"/bin\"\n[links]"
    );
    for path in all_in_one.iter().flat_map(|_| &paths) {
        let _ = writeln!(text, "{path} = \"/bin/{}\"", all_in_one.unwrap_or_default());
    }
    Ok(Machine::new(Arc::new(RecordedHost::parse(Path::new(&remote.name), &text)?), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn the_tools_of_a_remote_are_of_its_family() {
        let names = ["ls", "find", "a\"b", "busybox", "ls"];
        for (os, userland) in [
            ("linux", Userland::Gnu),
            ("linux", Userland::Busybox),
            ("linux", Userland::Uutils),
            ("linux", Userland::Toybox),
            ("freebsd", Userland::Bsd),
        ] {
            let remote = Remote { name: "db1".into(), shell: Shell::SH, os: os.into(), userland };
            let machine = machine_of(&remote, names.into_iter()).unwrap();
            let environment = environment::gather(&machine, Shell::SH, &ShellFacts::default());
            assert_eq!((environment.userland, environment.commands.contains("find")), (userland, true));
            assert!(
                machine.host.entry(Path::new("/bin/find")).is_some_and(|entry| entry.executable),
                "{userland:?}"
            );
        }
    }
}
