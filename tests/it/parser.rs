//! Verdicts of a shell's own parser about a line; nothing is run.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use askline_host::find_on_path;
use askline_host::local::LocalHost;
use askline_syntax::shell::Shell;

/// The parser of an installed shell.
pub(crate) struct Parser {
    shell: Shell,
    program: PathBuf,
    directory: tempfile::TempDir,
}

impl Parser {
    /// Returns the parser, or `None` with a printed note if the shell is missing; see [`installed`].
    pub(crate) fn of(shell: Shell) -> Option<Self> {
        let parser = Self { shell, program: installed(shell)?, directory: tempfile::tempdir().unwrap() };
        assert!(parser.complaint("echo 'never closed").is_some(), "{shell} lets a broken line pass");
        Some(parser)
    }

    /// Returns the parser's objection to a line, if any.
    pub(crate) fn complaint(&self, line: &str) -> Option<String> {
        let mut command = Command::new(&self.program);
        match self.shell {
            Shell::Bash => said(command.arg("-n"), line),
            Shell::Zsh => said(command.args(["-f", "-n"]), line),
            Shell::Fish => said(command.args(["-N", "--no-execute"]), line),
            Shell::Nu => {
                // Nushell's own checker finds errors. Defining a function with the line also gives deprecation
                // warnings.
                let file = self.directory.path().join("line.nu");
                std::fs::write(&file, format!("{line}\n")).unwrap();
                let check =
                    command.args(["-n", "--no-std-lib", "--ide-check", "10"]).arg(&file).output().unwrap();
                let found = String::from_utf8_lossy(&check.stdout).into_owned();
                if found.contains("\"diagnostic\"") {
                    return Some(found);
                }
                let definition = format!("def askline_line [] {{ {line} }}");
                said(Command::new(&self.program).args(["-n", "--no-std-lib", "-c", &definition]), "")
            }
        }
    }
}

/// Returns the output of a parser for a line on its standard input, if it prints anything or fails.
fn said(parser: &mut Command, line: &str) -> Option<String> {
    let mut child =
        parser.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A parser may end before it has read everything; its exit status decides.
    let _ = writeln!(child.stdin.take().unwrap(), "{line}");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (!output.status.success() || !said.is_empty()).then_some(said)
}

/// Returns the shell's path. A missing shell fails the run in CI; elsewhere the test is skipped with a note.
pub(crate) fn installed(shell: Shell) -> Option<PathBuf> {
    match find_on_path(&LocalHost, shell.name()) {
        Some(path) => Some(path),
        None if std::env::var_os("CI").is_some() => {
            panic!("{shell} is not installed; CI needs all four shells")
        }
        None => {
            skipped(&format!("{shell} is not installed"));
            None
        }
    }
}

/// Returns another Nushell that `scripts/test` installs, or `None` on a machine where it did not run.
pub(crate) fn nushell(version: &str) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(format!("nu-{version}"));
    let found = ["x64", "arm64"]
        .map(|machine| tools.join(format!("node_modules/@nushell/linux-{machine}/bin/nu")))
        .into_iter()
        .find(|program| program.exists());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "Nushell {version} is not installed");
        skipped(&format!("Nushell {version} is not installed; scripts/test does that"));
    }
    found
}

/// Reports a skipped check in a way that the test harness does not capture.
pub(crate) fn skipped(why: &str) {
    std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}
