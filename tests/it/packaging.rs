//! Files for package managers and plugin managers: what they name exists, and real shells read those that are for shells.
//! Also the links in the documentation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sha2::Digest as _;

/// Files and directories whose paths and versions are checked.
const PLACES: [&str; 5] = ["packaging", ".github", "SECURITY.md", "askline.plugin.zsh", "conf.d"];

/// Documentation whose links are checked, beside the pages of the crates.
const PAGES: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "packaging/README.md", "docs"];

/// The packages that a missing program's message names are in Debian 12, whose lists `scripts/test` has fetched.
#[test]
fn packages_of_debian_exist() {
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let is_debian_12 =
        ["ID=debian", "VERSION_ID=\"12\""].iter().all(|line| system.lines().any(|own| own == *line));
    let listed = Command::new("apt-cache").arg("pkgnames").output().ok().filter(|_| is_debian_12);
    let Some(listed) = listed else {
        crate::parser::skipped("this is not Debian 12");
        return;
    };
    let listed = String::from_utf8(listed.stdout).unwrap();
    let there: std::collections::BTreeSet<&str> = listed.lines().collect();
    let names = askline_check::check::package_names("apt");
    assert!(100 < names.len());
    let missing: Vec<&&str> = names.iter().filter(|name| !there.contains(**name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_path_that_they_name_exists() {
    let entries: Vec<String> =
        fs::read_dir(".").unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut n_paths = 0;
    let mut missing = Vec::new();
    for file in PLACES.iter().flat_map(|place| files(Path::new(place))) {
        let text = fs::read_to_string(&file).unwrap();
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "/._-*".contains(c)));
        for word in words.map(|word| word.trim_end_matches(['.', '/'])) {
            let Some((first, rest)) = word.split_once('/') else { continue };
            if !entries.iter().any(|entry| entry == first) || first == "target" {
                continue;
            }
            n_paths += 1;
            let exists = match rest.rsplit_once('*').or_else(|| rest.starts_with('*').then_some(("", ""))) {
                Some((_, ending)) => {
                    files(Path::new(first)).iter().any(|file| file.to_str().unwrap().ends_with(ending))
                }
                None => Path::new(word).exists(),
            };
            if !exists {
                missing.push(format!("{}: {word}", file.display()));
            }
        }
    }
    assert!(20 <= n_paths, "{n_paths}");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The kernels that are made, built in and chosen are the same.
#[test]
fn kernels_have_the_same_names_everywhere() {
    let names = |file: &str, begin: &str, end: &str, mark: fn(&str) -> Option<&str>| {
        let text = fs::read_to_string(file).unwrap();
        let part = text.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).unwrap().0;
        let mut names: Vec<String> = part.split_whitespace().filter_map(mark).map(str::to_owned).collect();
        names.sort();
        names
    };
    fn quoted(word: &str) -> Option<&str> {
        word.strip_prefix('"')?.split('"').next()
    }
    let made =
        names("scripts/kernels", "instructions=(", "\n)\n", |word| word.strip_prefix('[')?.split(']').next());
    assert_eq!(made.len(), 5, "{made:?}");
    assert_eq!(names("crates/model/build.rs", "NAMES: [&str; 5] = [", "];", quoted), made);
    let chosen = names("crates/model/src/local/kernels.rs", "match name {", "_ => false", |word| {
        word.strip_prefix('"').filter(|rest| rest.ends_with('"'))?.split('"').next()
    });
    assert_eq!(chosen, made);
}

#[test]
fn versions_are_ours() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, text) in [
        ("packaging/homebrew/askline.rb", format!("/v{version}.tar.gz")),
        ("packaging/aur/PKGBUILD", format!("pkgver={version}\n")),
        ("packaging/nix/flake.nix", format!("version = \"{version}\";")),
        ("crates/nu_plugin_ask/nupm.nuon", format!("version: \"{version}\"\n")),
        ("packaging/container/Containerfile", format!("FROM rust:{}-", env!("CARGO_PKG_RUST_VERSION"))),
    ] {
        assert!(fs::read_to_string(file).unwrap().contains(&text), "{file}: {text}");
    }
}

/// The page of each adapter names its hash, and the recipes its place.
#[test]
fn adapters_are_those_that_their_pages_name() {
    let recipes = fs::read_to_string("training/README.md").unwrap();
    for directory in ["crates/adapter_0_5b", "crates/adapter_1_5b"] {
        let file = format!("{directory}/adapter.gguf");
        let hash = sha2::Sha256::digest(fs::read(&file).unwrap());
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let page = fs::read_to_string(format!("{directory}/README.md")).unwrap();
        assert!(page.contains(&format!("`{hash}`")), "{file}: {hash}");
        assert!(recipes.contains(&format!("| `{file}` |")), "{file}");
    }
}

#[test]
fn links_lead_to_files() {
    let crates = fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("README.md"));
    let pages = PAGES.iter().flat_map(|page| files(Path::new(page))).chain(crates);
    let pages: Vec<PathBuf> =
        pages.filter(|page| page.extension().is_some_and(|ending| ending == "md")).collect();
    let mut n_links = 0;
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|tail| tail.split(')').next()) {
            let path = link.split('#').next().unwrap();
            if path.is_empty() || path.contains("://") || path.contains(' ') {
                continue;
            }
            n_links += 1;
            assert!(page.parent().unwrap().join(path).exists(), "{}: {link}", page.display());
        }
    }
    assert!(20 <= n_links, "{n_links}");
}

#[test]
fn the_book_has_every_page_of_the_documentation() {
    let summary = fs::read_to_string("docs/SUMMARY.md").unwrap();
    let pages = files(Path::new("docs"));
    let pages: Vec<String> = pages
        .iter()
        .filter(|page| page.extension().is_some_and(|ending| ending == "md") && !page.ends_with("SUMMARY.md"))
        .map(|page| page.strip_prefix("docs").unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(12 <= pages.len(), "{pages:?}");
    for page in pages {
        assert!(summary.contains(&format!("]({page})")), "{page} is not in docs/SUMMARY.md");
    }
}

#[test]
fn zsh_sources_the_plugin() {
    let script =
        "source $1/askline.plugin.zsh; bindkey '^G'; print -rl -- $fpath | grep -c \"^$1/completions\\$\"";
    let Some(output) = in_shell("zsh", &["-f", "-i", "-c", script, "zsh"]) else { return };
    assert_eq!(said(&output), "\"^G\" askline-line\n1\n");
    // oh-my-zsh has set up completion before it reads plugins.
    let script =
        "autoload -Uz compinit; compinit -u -D; source $1/askline.plugin.zsh; print -r -- $_comps[askline]";
    let Some(output) = in_shell("zsh", &["-f", "-i", "-c", script, "zsh"]) else { return };
    assert_eq!(said(&output), "_askline\n");
}

#[test]
fn fish_sources_the_plugin() {
    let script =
        "source $argv[1]/conf.d/askline.fish; bind \\cg | string match -q '*__askline_line*'; and echo bound";
    let Some(output) = in_shell("fish", &["--no-config", "-i", "-c", script]) else { return };
    assert_eq!(said(&output), "bound\n");
}

#[test]
fn bash_reads_the_arch_package() {
    let output = Command::new("bash").args(["-n", "packaging/aur/PKGBUILD"]).output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs a shell with this repository as its last argument and the built program on the PATH; `None` if it is missing.
fn in_shell(shell: &str, arguments: &[&str]) -> Option<Output> {
    let home = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_askline")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(shell);
    command.args(arguments).arg(root).env("HOME", home.path()).env("PATH", path).env("TERM", "dumb");
    match command.stdin(std::process::Stdio::null()).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            assert!(std::env::var_os("CI").is_none(), "{shell} is not installed");
            None
        }
        other => Some(other.unwrap()),
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// Returns a file, or all files below a directory.
fn files(place: &Path) -> Vec<PathBuf> {
    if !place.is_dir() {
        return vec![place.to_owned()];
    }
    let entries = fs::read_dir(place).unwrap();
    entries.flat_map(|entry| files(&entry.unwrap().path())).collect()
}
