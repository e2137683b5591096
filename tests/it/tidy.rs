//! Repository rules that the compiler cannot check.

mod modules;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use askline_syntax::shell::{
    NU_BUILT_FOR, NU_GHOST_SINCE, NU_PLUGIN_VERSIONS, NU_SCRIPT_SINCE, NU_TESTED_OLDER, Shell,
};

use crate::nushell::minor;
use modules::Modules;

/// Layers of the root package, lowest first. A module imports from its own layer or a lower one, never a higher one. The
/// crates below need no such list: cargo rejects a circle of crates.
const LAYERS: &[&[&str]] = &[
    &["answer", "config", "cookbook", "repository", "shell_facts", "suggestion"],
    &[
        "audit",
        "environment",
        "keys",
        "knowledge",
        "looks",
        "metrics",
        "models",
        "path_facts",
        "presses",
        "preview",
        "prompt_context",
        "sandboxed_line",
        "screen",
        "sessions",
    ],
    &["examine", "fix", "refine"],
    &["investigate", "suggest"],
    &["cli", "daemon"],
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

/// Sibling modules form no circle: of two that need each other, one takes the shared part from a third. A package's
/// test code is free.
#[test]
fn no_circle_of_modules() {
    let circles: Vec<String> =
        source_directories().iter().flat_map(|sources| Modules::of(sources).circles()).collect();
    assert!(circles.is_empty(), "\n{}", circles.join("\n"));
}

/// Only `clean` can create text for a prompt line.
#[test]
fn only_clean_makes_line_text() {
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        let allowed =
            path.ends_with("crates/syntax/src/clean.rs") || path.ends_with("crates/syntax/src/line.rs");
        assert!(allowed || !text.contains("vouched_by_clean"), "{}: go through clean()", path.display());
    }
}

/// Text from a prompt line or a model can never be run. Only one place starts programs: it takes them from `Probe`, or
/// from `KeyCommand`, which only the parser of the user's own configuration creates, or it starts askline itself with
/// fixed arguments.
#[test]
fn only_the_host_starts_programs() {
    only_in(
        "process::Command",
        |line| line.contains("process::") && line.contains("Command"),
        &["crates/host/src/local.rs", "crates/host/src/sandbox.rs"],
    );
}

/// A line runs in the sandbox only through `SandboxedLine`, whose maker asks the list, and only where a person pressed a key for it.
#[test]
fn only_pressed_lines_run_in_the_sandbox() {
    // The plugin's host passes it on to this machine.
    let homes = ["src/sandboxed_line.rs", "crates/nu_plugin_ask/src/plugin/engine.rs"];
    only_in("Host::run_in_sandbox", |line| line.contains(".run_in_sandbox("), &homes);
    let homes = ["src/investigate.rs", "src/cli/line/effect.rs", "src/cli/preview.rs"];
    only_in("SandboxedLine::new", |line| line.contains("SandboxedLine::new("), &homes);
    let makers = ["src/sandboxed_line.rs", "crates/host/src/sandboxed_command.rs"];
    only_in("SandboxedCommand", |line| line.contains("SandboxedCommand {"), &makers);
}

#[test]
fn only_a_resident_model_starts_the_resident_process() {
    // The plugin's host passes it on to this machine.
    let homes = ["crates/model/src/resident.rs", "crates/nu_plugin_ask/src/plugin/engine.rs"];
    only_in("Host::start_resident", |line| line.contains(".start_resident("), &homes);
    assert_eq!(askline_host::RESIDENT_ARGUMENTS, ["daemon", "run"]);
    only_in("Host::start_prefetch", |line| line.contains(".start_prefetch("), &["src/cli/line/prefetch.rs"]);
    assert_eq!(askline_host::PREFETCH_ARGUMENTS, ["prefetch"]);
}

/// Only the endpoint listens, and it checks each client. We connect to no foreign socket.
#[test]
fn only_the_daemon_listens() {
    only_in("UnixListener", |line| line.contains("UnixListener"), &["src/daemon.rs"]);
    only_in("UnixStream::connect", |line| line.contains("UnixStream::connect"), &[]);
}

#[test]
fn only_the_configuration_makes_key_commands_and_only_keys_run_them() {
    only_in(
        "KeyCommand::parse",
        |line| line.contains("KeyCommand::parse("),
        &["src/config/profiles.rs", "src/config/server.rs"],
    );
    only_in("Host::key", |line| line.contains(".key(command)"), &["src/keys.rs"]);
    // The plugin's host passes it on to this machine.
    only_in(
        "local::key",
        |line| line.contains("local::key("),
        &["crates/nu_plugin_ask/src/plugin/engine.rs"],
    );
}

/// Only the engine, its kernels and the sandbox may use `unsafe`: in the sandbox, the code between fork and exec.
#[test]
fn only_the_engine_its_kernels_and_the_sandbox_are_unsafe() {
    let homes = [
        "crates/model/src/local/engine.rs",
        "crates/model/src/local/kernels.rs",
        "crates/host/src/sandbox.rs",
    ];
    only_in("unsafe", |line| line.contains("unsafe {"), &homes);
}

/// A command line is parsed once, as a `ParsedLine`, which travels. Other texts are parsed where they are met: scripts
/// inside a line, the definition of an alias, the part before an open quote. `allow` is a second parser on purpose.
#[test]
fn command_lines_are_parsed_once() {
    let homes = [
        "crates/check/src/repair/quote.rs",
        "crates/risk/src/allow.rs",
        "crates/risk/src/decode/expansion.rs",
        "crates/risk/src/reading/inner.rs",
        "src/knowledge/program.rs",
    ];
    let calls = ["syntax::parse(", "syntax::commands(", "syntax::peel(", "syntax::nu::parse("];
    only_in("ParsedLine::new", |line| calls.iter().any(|call| line.contains(call)), &homes);
}

/// A fact about a shell belongs in its `Dialect`, or in the table of the crate or module that needs it. Somebody who adds
/// a shell edits these files; the list may only shrink.
#[test]
fn only_tables_name_shells() {
    let shells = Shell::ALL.map(|shell| format!("Shell::{shell:?}"));
    let homes = [
        // The enum itself names its variants `Self::…`.
        "crates/host/src/probe.rs",
        "crates/model/src/prompt.rs",
        "src/cli/shell_integration.rs",
        "src/knowledge/builtins.rs",
        "src/knowledge/verdict.rs",
        // The files in which shells keep their histories.
        "src/looks/history.rs",
        // Nushell's own: its repairs and its plugin.
        "crates/check/src/repair/nushell.rs",
        "crates/nu_plugin_ask/src/plugin.rs",
    ];
    let names = |line: &str| {
        !line.trim_start().starts_with("//") && shells.iter().any(|shell| line.contains(shell.as_str()))
    };
    only_in("a shell", names, &homes);
}

/// All texts say the Nushell versions that the constants do.
#[test]
fn texts_name_the_versions_of_nushell() {
    let (since, ghost) = (NU_SCRIPT_SINCE, NU_GHOST_SINCE);
    let newest = minor(NU_BUILT_FOR);
    let plugin = NU_PLUGIN_VERSIONS.join(" and ");
    assert_eq!(NU_PLUGIN_VERSIONS.last(), Some(&newest));
    assert_eq!(minor(NU_TESTED_OLDER[0]), since);
    let mut missing = Vec::new();
    for (file, text) in [
        ("README.md", format!("on the next prompt in Nushell {since} to {newest}")),
        ("README.md", format!("in {plugin}, install the plugin")),
        ("README.md", format!("and Nushell {since} to {newest}.")),
        ("docs/shells.md", format!("Nushell {ghost} shows it below")),
        ("src/cli/args.rs", format!("Nushell ({ghost} and newer)")),
        ("src/cli/shell_integration/nu.rs", format!("install {ghost} or newer")),
        ("shell/askline.nu", format!("# askline in Nushell {since} and newer:")),
        ("shell/askline-ghost.nu", format!("# askline, ghost text in Nushell {ghost} and newer:")),
        ("crates/syntax/src/nushell/commands.toml", format!("# Commands of Nushell {newest},")),
        ("crates/risk/effects/nushell.toml", format!("# Built-ins of Nushell {newest},")),
        ("crates/model/src/prompt/solved-nu.toml", format!("# Solved requests for Nushell {newest},")),
        ("Cargo.toml", format!("nu-plugin = {{ version = \"={NU_BUILT_FOR}\"")),
        ("Cargo.toml", format!("nu-plugin-core = {{ version = \"={NU_BUILT_FOR}\"")),
        ("Cargo.toml", format!("nu-plugin-protocol = {{ version = \"={NU_BUILT_FOR}\"")),
        ("Cargo.toml", format!("nu-protocol = {{ version = \"={NU_BUILT_FOR}\"")),
    ] {
        let content = fs::read_to_string(file).unwrap();
        let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
        if !content.contains(&text) {
            missing.push(format!("{file}: {text}"));
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

/// Checks that in the library's code outside tests only the files `homes` have such lines, and that each of them has
/// some.
fn only_in(what: &str, is_such: impl Fn(&str) -> bool, homes: &[&str]) {
    for path in sources().iter().filter(|path| !is_test(path)) {
        let content = fs::read_to_string(path).unwrap();
        let code = content.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let is_home = homes.iter().any(|home| path.ends_with(home));
        assert_eq!(code.lines().any(&is_such), is_home, "{}: {what}", path.display());
    }
}

/// Reports whether a source file has tests alone: `tests.rs`, `table_tests.rs`, `tests/users.rs`.
fn is_test(path: &Path) -> bool {
    path.with_extension("").iter().any(|part| part.to_str().is_some_and(|part| part.ends_with("tests")))
}

/// Returns the top-level module of a file, or `None` for crate roots.
fn module_of(path: &Path) -> Option<String> {
    let first = path.strip_prefix("src").unwrap().components().next()?;
    let name = Path::new(first.as_os_str()).file_stem()?.to_str()?.to_owned();
    (!matches!(name.as_str(), "lib" | "main")).then_some(name)
}

/// Returns the source files of all packages.
fn sources() -> Vec<PathBuf> {
    source_directories().iter().flat_map(|sources| rust_files(sources)).collect()
}

/// Returns the `src` of each package.
fn source_directories() -> Vec<PathBuf> {
    let crates = fs::read_dir("crates").unwrap().map(|package| package.unwrap().path().join("src"));
    crates.filter(|sources| sources.is_dir()).chain([PathBuf::from("src")]).collect()
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
