//! A line in the sandbox: one that `askline_risk::allow` lets pass runs there and only reads, after a person pressed a key for
//! exactly this line. Everything else is refused before it starts.

mod repository;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::shell_facts::ShellFacts;
use askline_host::sandboxed_command::{CommandOutput, SandboxedCommand, Start};
use askline_host::{Host, find_in_system, find_on_path};
use askline_risk::allow::{Allowed, Names, Needs, Word, allowed_among, is_secret};
use askline_syntax::ParsedLine;
use askline_syntax::clean::visible;
use askline_syntax::shell::Shell;
use repository::HarmlessRepository;

/// Time limit for a preview.
pub const PREVIEW_PATIENCE: Duration = Duration::from_secs(2);
/// Time limit for a look of an investigation.
pub const LOOK_PATIENCE: Duration = Duration::from_secs(10);
/// Characters that begin a pattern in a word.
const PATTERN: [char; 3] = ['*', '?', '['];
/// Roots of the kernel's files about processes and devices.
const SYSTEM: [&str; 2] = ["/proc/", "/sys/"];
/// Width of a tab.
const TAB: &str = "    ";
/// Maximum length of one row, in characters.
const ROW_CHARS_MAX: usize = 240;
/// Beginning of a private key in any of the usual forms.
pub const PRIVATE_KEY: &str = "PRIVATE KEY";

/// A line that may run in the sandbox.
#[derive(Debug)]
pub struct SandboxedLine {
    program: PathBuf,
    command: SandboxedCommand,
}

/// What a line printed in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedRows {
    /// Whole rows, made visible: in a row that was cut a secret could not be recognized.
    pub rows: Vec<String>,
    /// What it complained about, likewise.
    pub complaints: Vec<String>,
    /// `true` if there may be more.
    pub is_cut: bool,
    /// `true` if it ended well.
    pub success: bool,
}

impl SandboxedLine {
    /// Prepares a line to run in the sandbox within `patience`.
    ///
    /// # Errors
    /// The reason why it is not run.
    pub fn new(
        line: &str,
        shell: Shell,
        facts: &ShellFacts,
        host: &dyn Host,
        patience: Duration,
    ) -> Result<Self, String> {
        let directory = host.current_dir().and_then(|here| host.real_path(&here).ok());
        let directory = directory.ok_or("the working directory is gone")?;
        let allowed = allowed_among(line, shell, names(&directory, host))?;
        if let Some(definition) = facts.own_definition(&ParsedLine::new(line, shell)) {
            return Err(definition);
        }
        let Needs { system, kernel, services } = allowed.needs;
        let (program, start) = if services {
            alone(&allowed, host)?
        } else {
            let program =
                find_on_path(host, shell.name()).ok_or_else(|| format!("{shell} is not on PATH"))?;
            (program, Start::Shell(shell))
        };
        let is_git =
            allowed.commands.iter().any(|words| words.first().is_some_and(|name| name.text == "git"));
        let repository = if is_git { HarmlessRepository::around(&directory, host)? } else { None };
        let command = SandboxedCommand {
            line: line.to_owned(),
            start,
            places: places(&allowed, &directory, repository.as_ref(), host)?,
            git_ceiling: repository.and_then(|repository| repository.top.parent().map(Path::to_owned)),
            directory,
            is_secret,
            sees_system: system
                || words(&allowed).any(|word| SYSTEM.iter().any(|root| word.text.starts_with(root))),
            asks_kernel: kernel,
            patience,
        };
        Ok(Self { program, command })
    }

    /// Returns the line as it will run.
    pub fn text(&self) -> &str {
        &self.command.line
    }

    /// Runs the line. Only after a person pressed a key for it.
    ///
    /// # Errors
    /// The reason why it could not run.
    pub fn run(&self, host: &dyn Host) -> Result<PrintedRows, String> {
        let output =
            host.run_in_sandbox(&self.program, &self.command).map_err(|error| format!("{error:#}"))?;
        let rows = PrintedRows::of(&output);
        match rows.rows.iter().chain(&rows.complaints).any(|row| row.contains(PRIVATE_KEY)) {
            true => Err("what it printed may hold a private key; look at something else".to_owned()),
            false => Ok(rows),
        }
    }
}

impl PrintedRows {
    fn of(output: &CommandOutput) -> Self {
        let rows = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            // Of a row that was cut it is not known what it holds.
            let whole = if output.is_cut { text.rfind('\n') } else { None };
            let all = if output.is_cut { "" } else { text.as_ref() };
            let text = whole.and_then(|end| text.get(..end)).unwrap_or(all);
            text.lines().map(|line| visible(&line.replace('\t', TAB))).collect()
        };
        Self {
            rows: rows(&output.stdout),
            complaints: rows(&output.stderr),
            is_cut: output.is_cut,
            success: output.success,
        }
    }

    /// Returns the rows as they are shown, of limited length.
    #[must_use]
    pub fn cut(mut self) -> Self {
        for row in self.rows.iter_mut().chain(&mut self.complaints) {
            *row = row.chars().take(ROW_CHARS_MAX).collect();
        }
        self
    }

    /// Returns the rows behind their number, or what the line complained about.
    pub fn shown(&self) -> String {
        let mut text = format!("{}, read-only preview", self.count());
        let complaints = self.complaints.iter().filter(|_| self.rows.is_empty());
        for row in self.rows.iter().chain(complaints) {
            text.push('\n');
            text.push_str(row);
        }
        text
    }

    /// Returns how many rows there are, in words.
    pub fn count(&self) -> String {
        match (self.rows.len(), self.is_cut) {
            (0, true) => "no whole row".to_owned(),
            (0, false) => "no rows".to_owned(),
            (1, false) => "1 row".to_owned(),
            (count, false) => format!("{count} rows"),
            (count, true) => format!("{count} rows or more"),
        }
    }
}

/// Looks if a pattern may expand to something that looks like an option. A name that is made before the line runs is read by a
/// program that can only read, in the sandbox.
fn names(directory: &Path, host: &dyn Host) -> Names {
    let is_option = |name: &OsString| name.as_encoded_bytes().starts_with(b"-");
    match host.list(directory) {
        Ok(names) if !names.iter().any(is_option) => Names::NoOptions,
        _ => Names::Unknown,
    }
}

/// Returns the program of the only command of a line, and how it starts without a shell.
fn alone(line: &Allowed, host: &dyn Host) -> Result<(PathBuf, Start), String> {
    let mut texts = line.commands.iter().flatten().map(|word| word.text.clone());
    let name = texts.next().unwrap_or_default();
    let program =
        find_in_system(host, &name).ok_or_else(|| format!("`{name}` is not in the system's directories"))?;
    Ok((program, Start::Service(texts.collect())))
}

/// Returns the places that a line may read: the working directory, those that its words name, and its repository.
fn places(
    line: &Allowed,
    here: &Path,
    repository: Option<&HarmlessRepository>,
    host: &dyn Host,
) -> Result<Vec<PathBuf>, String> {
    let home = host.env("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let real_home = home.as_ref().and_then(|home| host.real_path(home).ok());
    let may_be_seen = |path: &Path| {
        let own = real_home.as_ref().and_then(|home| path.strip_prefix(home).ok());
        let path = own.map_or_else(|| path.to_owned(), |path| Path::new("~").join(path));
        !is_secret(&path.to_string_lossy())
    };
    if !may_be_seen(here) {
        return Err("the working directory may hold secrets".to_owned());
    }
    let mut places = vec![here.to_owned()];
    for word in words(line) {
        let value = word.text.split_once('=').map(|(_, value)| here.join(value));
        let named = match (word.text.strip_prefix('~').filter(|_| word.home), &home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => here.join(&word.text),
        };
        for named in [Some(named), value].into_iter().flatten() {
            let Ok(place) = host.real_path(&before_pattern(&named)) else { continue };
            let Some(entry) = host.entry(&place).filter(|_| may_be_seen(&place)) else { continue };
            // A file is named also where the directory around it has too many to be read whole.
            let is_new = !places.iter().any(|known| place.starts_with(known));
            if entry.is_file || entry.is_directory && is_new {
                places.push(place);
            }
        }
    }
    let own = repository.into_iter().flat_map(|repository| &repository.places);
    places.extend(own.filter(|place| may_be_seen(place)).cloned());
    Ok(places)
}

/// Returns all words of a line.
fn words(line: &Allowed) -> impl Iterator<Item = &Word> {
    line.commands.iter().flatten().chain(&line.inputs)
}

/// Returns the directory of a path whose last part is a pattern, else the path.
fn before_pattern(path: &Path) -> PathBuf {
    path.components().take_while(|part| !part.as_os_str().to_string_lossy().contains(PATTERN)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_until_they_are_shown() {
        let long = "a".repeat(ROW_CHARS_MAX + 1);
        let of = |stdout: String, is_cut| {
            PrintedRows::of(&CommandOutput {
                stdout: stdout.into_bytes(),
                is_cut,
                ..CommandOutput::default()
            })
        };
        assert_eq!(of(format!("{long}\nb"), false).rows, [long.as_str(), "b"]);
        assert_eq!(of(format!("{long}\nb"), false).cut().rows, [&"a".repeat(ROW_CHARS_MAX), "b"]);
        assert_eq!(of(format!("{long}\nTOKEN=hunt"), true).rows, [long.as_str()]);
        assert_eq!(of(format!("{long}\nb\n"), true).rows, [long.as_str(), "b"]);
        assert!(of("TOKEN=hunt".to_owned(), true).rows.is_empty());
    }
}
