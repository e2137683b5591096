//! Repository rules that the compiler cannot check.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of the library, lowest first. A module imports from its own layer or a lower one, never a higher one.
const LAYERS: &[&[&str]] = &[
    &["account", "config", "failure", "line", "patience", "shell"],
    &[
        "answer",
        "catalogue",
        "check",
        "clean",
        "explain",
        "manual",
        "platform",
        "prompt",
        "quoting",
        "redact",
        "reference",
        "repair",
        "retrieve",
        "risk",
        "shape",
        "suggestion",
        "syntax",
        "typed",
    ],
    &["host", "model", "store"],
    &["context", "keys", "knowledge", "metrics", "models", "presses", "screen", "situation", "surroundings"],
    &["examine", "fix", "refine"],
    &["suggest"],
    &["cli", "daemon", "nu_plugin"],
];

#[test]
fn imports_point_down() {
    let layer_of: HashMap<&str, usize> = LAYERS
        .iter()
        .enumerate()
        .flat_map(|(layer, names)| names.iter().map(move |name| (*name, layer)))
        .collect();
    let mut violations = Vec::new();
    for path in rust_files(Path::new("src")) {
        let Some(module) = module_of(&path) else { continue };
        let Some(&layer) = layer_of.get(module.as_str()) else {
            panic!("{}: add `{module}` to LAYERS", path.display());
        };
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            for tail in line.split("crate::").skip(1) {
                let name: String = tail.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if !line.trim_start().starts_with("//")
                    && layer_of.get(name.as_str()).is_some_and(|imported| layer < *imported)
                {
                    violations.push(format!(
                        "{}:{}: `{module}` imports `{name}` from a higher layer",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

/// Only `clean` vouches for text that goes to a prompt line.
#[test]
fn only_clean_makes_line_text() {
    for path in rust_files(Path::new("src")) {
        let text = fs::read_to_string(&path).unwrap();
        let allowed = path.ends_with("src/clean.rs") || path.ends_with("src/line.rs");
        assert!(allowed || !text.contains("vouched_by_clean"), "{}: go through clean()", path.display());
    }
}

/// Nothing that stands on a line or that a model wrote can be run: the one place that starts programs takes them from
/// `Probe`, or from `KeyCommand`, which only the reading of the user's own configuration makes, or starts ourselves with
/// arguments that never change.
#[test]
fn only_the_host_starts_programs() {
    only_in(
        "process::Command",
        |line| line.contains("process::") && line.contains("Command"),
        &["src/host/local.rs", "src/host/sandbox.rs"],
    );
}

#[test]
fn only_a_resident_model_starts_the_resident_process() {
    // The plugin's host hands it on to this machine.
    let homes = ["src/model/resident.rs", "src/nu_plugin/engine.rs"];
    only_in("Host::start_resident", |line| line.contains(".start_resident("), &homes);
    assert_eq!(askline::host::RESIDENT_ARGUMENTS, ["daemon", "run"]);
    only_in("Host::start_ahead", |line| line.contains(".start_ahead("), &["src/cli/line/ahead.rs"]);
    assert_eq!(askline::host::AHEAD_ARGUMENTS, ["ahead"]);
}

/// Nobody is let in but through the door, which looks at who comes; and we go to one socket of somebody else's, the bus of the
/// desktop's session.
#[test]
fn only_the_daemon_listens() {
    only_in("UnixListener", |line| line.contains("UnixListener"), &["src/daemon.rs"]);
    let homes = ["src/host/keyring.rs"];
    only_in("UnixStream::connect", |line| line.contains("UnixStream::connect"), &homes);
}

#[test]
fn only_the_configuration_makes_key_commands_and_only_keys_run_them() {
    only_in(
        "KeyCommand::parse",
        |line| line.contains("KeyCommand::parse("),
        &["src/config/profiles.rs", "src/config/remote.rs"],
    );
    only_in("Host::key", |line| line.contains(".key(command)"), &["src/keys.rs"]);
    // The plugin's host hands it on to this machine.
    only_in("local::key", |line| line.contains("local::key("), &["src/nu_plugin/engine.rs"]);
}

/// The sandbox: what runs between fork and exec.
#[test]
fn only_the_engine_and_the_sandbox_are_unsafe() {
    let homes = ["src/model/local/engine.rs", "src/host/sandbox.rs"];
    only_in("unsafe", |line| line.contains("unsafe {"), &homes);
}

/// Of the library's code outside tests, the files `homes` have such lines and no other.
fn only_in(what: &str, is_such: impl Fn(&str) -> bool, homes: &[&str]) {
    for path in rust_files(Path::new("src")).iter().filter(|path| !path.ends_with("tests.rs")) {
        let content = fs::read_to_string(path).unwrap();
        let code = content.split("#[cfg(test)]").next().unwrap();
        let is_home = homes.iter().any(|home| path.ends_with(home));
        assert_eq!(code.lines().any(&is_such), is_home, "{}: {what}", path.display());
    }
}

/// The top-level module that a file belongs to, or none for crate roots.
fn module_of(path: &Path) -> Option<String> {
    let first = path.strip_prefix("src").unwrap().components().next()?;
    let name = Path::new(first.as_os_str()).file_stem()?.to_str()?.to_owned();
    (!matches!(name.as_str(), "lib" | "main" | "bin" | "nu_plugin_main")).then_some(name)
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
