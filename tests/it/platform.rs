//! The platform rules against real programs: the tool refuses what a rule calls foreign, and accepts the replacement.
//! Runs in a private folder, with our own lines only.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use askline_check::platform::{Example, examples};
use askline_host::find_on_path;
use askline_host::local::LocalHost;
use askline_manual as manual;
use askline_manual::userland::{Userland, userland_of};

use crate::parser::skipped;

/// Directories of the uutils tools on Debian, Ubuntu and others.
const UUTILS: [&str; 2] = ["/usr/lib/cargo/bin/coreutils", "/usr/libexec/uutils-coreutils"];

/// Time limit for one line, in seconds.
const LINE_SECONDS: &str = "10";

#[test]
fn gnu() {
    judge("gnu", None);
}

#[test]
fn busybox() {
    judge("busybox", installed("busybox"));
}

#[test]
fn toybox() {
    judge("toybox", installed("toybox"));
}

#[test]
fn uutils() {
    let tools = UUTILS.iter().map(PathBuf::from).find(|path| path.is_dir());
    if tools.is_none() {
        missing("uutils (Debian's rust-coreutils)");
    }
    judge("uutils", tools);
}

/// Options that the rules call foreign to BSD are not in macOS's page, and their replacements are.
#[test]
fn macos_pages() {
    let mut looked_up = 0;
    let mut faults = Vec::new();
    for example in examples().iter().filter(|example| example.world == "bsd" && !example.unchecked) {
        for name in example.commands.iter().filter(|name| example.bad.contains(name.as_str())) {
            let Some(page) = manual::macos(name) else {
                faults.push(format!("no page of `{name}`: {}", example.bad));
                continue;
            };
            for option in example.options.iter().filter(|_| !example.here) {
                looked_up += 1;
                if page.option(option).is_some() {
                    faults.push(format!("`{name}` of macOS has {option}: {}", example.bad));
                }
            }
            let Some(good) = example.good else { continue };
            for word in
                good.split_whitespace().filter(|word| word.starts_with('-') && !example.bad.contains(*word))
            {
                looked_up += 1;
                let letter: String = word.chars().take(2).collect();
                if page.option(word).is_none() && page.option(&letter).is_none() {
                    faults.push(format!("`{name}` of macOS lacks {word}: {good}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(50 < looked_up, "only {looked_up} options were looked up");
}

fn installed(program: &str) -> Option<PathBuf> {
    let found = find_on_path(&LocalHost, program);
    if found.is_none() {
        missing(program);
    }
    found
}

/// Fails the run in CI if a program is missing; elsewhere the test is skipped with a note.
fn missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what} is not installed; CI needs it");
    skipped(&format!("{what} is not installed"));
}

/// Tries every example of a family. `tools` is the multi-call program or the folder of its tools; `None` for GNU, the
/// system's own.
fn judge(family: &str, tools: Option<PathBuf>) {
    if family != "gnu" && tools.is_none() {
        return;
    }
    let mut faults = Vec::new();
    let mut tried = 0;
    for example in examples().iter().filter(|example| example.world == family) {
        for name in example.commands {
            if !example.bad.contains(name.as_str()) {
                continue;
            }
            let Some(folder) = Folder::with(name, tools.as_deref()) else {
                missing(&format!("`{name}` of {family}"));
                continue;
            };
            tried += 1;
            folder.judge(example, &mut faults);
        }
    }
    assert!(faults.is_empty(), "{family}:\n{}", faults.join("\n"));
    assert!(5 < tried, "{family}: only {tried} rules were tried");
}

/// A private folder with the files that examples name, and the tools of one family.
struct Folder {
    home: tempfile::TempDir,
    path: String,
}

impl Folder {
    /// Creates the folder; `None` if the family lacks this tool on the machine.
    fn with(name: &str, tools: Option<&Path>) -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        let bin = home.path().join("bin");
        let path = match tools {
            None => {
                let real = find_on_path(&LocalHost, name)?.canonicalize().unwrap();
                if userland_of(&real, "linux") != Userland::Gnu {
                    return None;
                }
                std::env::var("PATH").unwrap()
            }
            Some(tools) => {
                fs::create_dir(&bin).unwrap();
                // The tool itself and the tools that lines combine with it.
                for tool in [name, "echo", "tac", "basename", "stat"] {
                    let target = if tools.is_dir() { tools.join(tool) } else { tools.to_owned() };
                    if target.exists() {
                        let _ = symlink(&target, bin.join(tool));
                    }
                }
                bin.join(name).exists().then_some(())?;
                bin.to_str().unwrap().to_owned()
            }
        };
        Some(Self { home, path })
    }

    fn judge(&self, example: &Example, faults: &mut Vec<String>) {
        let bad = self.run(example.bad);
        // procps `top` complains and ends with success.
        let taken = bad.status.success() && !String::from_utf8_lossy(&bad.stderr).contains("invalid option");
        if taken != example.silent {
            faults.push(format!(
                "should {}be refused: {}",
                if example.silent { "not " } else { "" },
                said(example.bad, &bad)
            ));
        }
        for line in example.good.into_iter().chain(example.stays.iter().map(String::as_str)) {
            // An unchanged line may use a tool of another family.
            let word = line.split_whitespace().next().unwrap();
            let is_ours = example.commands.iter().any(|name| name == word) || example.good == Some(line);
            let output = self.run(line);
            if is_ours && !output.status.success() {
                faults.push(format!("should be taken: {}", said(line, &output)));
            }
        }
    }

    fn run(&self, line: &str) -> Output {
        let work = self.home.path().join("work");
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(work.join("src")).unwrap();
        fs::create_dir(work.join("d")).unwrap();
        fs::write(work.join("notes.txt"), "b 2\na 10\nc -P 1\n").unwrap();
        fs::write(work.join("moments.txt"), "2024-01-02\n").unwrap();
        fs::write(work.join("c.b64"), "aGVsbG8K\n").unwrap();
        fs::write(work.join("src/main.c"), "int main;\n").unwrap();
        let archived = Command::new("tar").args(["-cf", "a.tar", "src"]).current_dir(&work).status().unwrap();
        assert!(archived.success());
        Command::new("/usr/bin/timeout")
            .args([LINE_SECONDS, "/bin/bash", "-o", "pipefail", "-c", line])
            .current_dir(&work)
            .env_clear()
            .env("PATH", &self.path)
            .env("TMPDIR", &work)
            .env("HOME", &work)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }
}

fn said(line: &str, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let first: String = text.lines().next().unwrap_or_default().chars().take(120).collect();
    format!("{line}\n    {}: {first}", output.status)
}
