//! The parts of `init`, `completions` and `doctor` that differ between shells. Each shell has a file here.

mod bash;
mod fish;
mod nu;
mod zsh;

use std::path::{Path, PathBuf};

use clap::Command;

use super::key::BoundKey;
use askline_host::Host;
use askline_syntax::shell::{Grammar, Shell};

/// Maximum number of files read from a directory of start-up files.
const STARTUP_FILES_LIMIT: usize = 200;

/// A shell's script and start-up files, and its notation for keys and words.
pub(super) struct ShellIntegration {
    /// Script that `askline init` prints after the settings.
    pub(super) script: &'static str,
    /// Writes the script such that the shell reads it whatever its options are.
    pub(super) load: fn(&str) -> String,
    /// Writes the settings that the script reads.
    pub(super) settings: fn(&Settings<'_>) -> String,
    /// Instructions to load the script in every new shell.
    pub(super) how_to_load: &'static str,
    /// Returns hints that users need: other effects of the script, and limitations of the shell.
    pub(super) worth_knowing: fn(&Settings<'_>) -> String,
    /// Returns a warning about these settings in the shell that calls this program.
    pub(super) warning: fn(&Settings<'_>) -> Option<&'static str>,
    /// `true` if a person saves the script once; otherwise each new shell reads it from this program.
    pub(super) is_saved: bool,
    /// `true` if words after a # are completed inline unless the person decides.
    pub(super) is_inline: bool,
    /// Returns the notation of control and a lower-case letter in key sequences.
    pub(super) control: fn(char) -> String,
    /// Notation of the escape character in key sequences.
    pub(super) escape: &'static str,
    /// Generates the completions of this program.
    pub(super) completions: fn(&mut Command, &mut Vec<u8>),
    /// Returns the start-up files, and the directories whose files are all start-up files.
    pub(super) startup: fn(&Homes<'_>) -> (Vec<PathBuf>, Vec<PathBuf>),
    /// Returns the file in which `askline setup` loads the script.
    pub(super) place: fn(&Homes<'_>) -> PathBuf,
    /// Returns the row that loads it there, by this command for the program; `None` if the file is the script itself.
    pub(super) row: fn(&str) -> Option<String>,
    /// Reports whether a line of a start-up file, given by its index, may bind Ctrl-G.
    pub(super) binds_ctrl_g: fn(&[&str], usize) -> bool,
    /// Start of the versions in which the script does not work, and the remedy.
    pub(super) too_old: Option<(&'static [&'static str], &'static str)>,
}

impl ShellIntegration {
    /// Returns the sequences of a key in this shell's notation.
    pub(super) fn sequences(&self, key: BoundKey) -> Vec<String> {
        key.sequences(self.control, self.escape)
    }
}

/// The settings that a script reads.
pub(super) struct Settings<'a> {
    /// Command with which the script calls this program.
    pub(super) program: &'a str,
    /// Key that rewrites the line.
    pub(super) key: BoundKey,
    /// Key of the menu.
    pub(super) menu: BoundKey,
    /// Key that explains the line.
    pub(super) explain: BoundKey,
    /// Key that tells the effect of the line.
    pub(super) preview: BoundKey,
    /// `true` to override an existing binding.
    pub(super) force: bool,
    /// `true` to complete words after a # inline.
    pub(super) inline: bool,
}

/// Directories that hold a user's start-up files.
pub(super) struct Homes<'a> {
    host: &'a dyn Host,
    home: PathBuf,
    config: PathBuf,
    data: PathBuf,
}

/// Returns the setup of a shell.
pub(super) fn of(shell: Shell) -> &'static ShellIntegration {
    match shell {
        Shell::Bash => &bash::INTEGRATION,
        Shell::Zsh => &zsh::INTEGRATION,
        Shell::Fish => &fish::INTEGRATION,
        Shell::Nu => &nu::INTEGRATION,
    }
}

impl<'a> Homes<'a> {
    /// Returns the user's directories; `None` without a home directory.
    pub(super) fn of(host: &'a dyn Host) -> Option<Self> {
        let home = directory(host, "HOME")?;
        let config = directory(host, "XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let data = directory(host, "XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
        Some(Self { host, home, config, data })
    }
}

/// Returns the existing start-up files of a shell.
pub(super) fn startup_files(homes: &Homes<'_>, shell: Shell) -> Vec<PathBuf> {
    let (files, directories) = (of(shell).startup)(homes);
    let listed = directories.iter().flat_map(|directory| {
        let mut names = homes.host.list(directory).unwrap_or_default();
        names.sort();
        names.into_iter().take(STARTUP_FILES_LIMIT).map(|name| directory.join(name)).collect::<Vec<_>>()
    });
    let is_file = |path: &PathBuf| homes.host.entry(path).is_some_and(|entry| entry.is_file);
    files.into_iter().chain(listed).filter(is_file).collect()
}

/// Returns the absolute path in a variable of the environment.
fn directory(host: &dyn Host, variable: &str) -> Option<PathBuf> {
    host.env(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns the files of these names in a directory.
fn in_directory(directory: &Path, names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| directory.join(name)).collect()
}

/// Reports whether the line has one of the texts.
fn mentions(line: &str, texts: &[&str]) -> bool {
    texts.iter().any(|text| line.contains(text))
}

/// Returns the key's sequences for bash and zsh, each quoted.
fn posix_sequences(key: BoundKey, integration: &ShellIntegration) -> String {
    let quoted = integration.sequences(key).into_iter().map(|sequence| Grammar::Posix.quoted(&sequence));
    quoted.collect::<Vec<_>>().join(" ")
}

/// Returns the command for the program as one word: a plain name or path as it is.
fn program_word(program: &str, grammar: Grammar) -> String {
    let is_plain = program.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    if is_plain { program.to_owned() } else { grammar.quoted(program) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setup_adds_what_people_are_told_to_add() {
        for integration in Shell::ALL.map(of) {
            let row = (integration.row)("askline");
            assert_eq!(row.is_none(), integration.is_saved);
            assert!(
                row.is_none_or(|row| integration.how_to_load.ends_with(&row)),
                "{}",
                integration.how_to_load
            );
        }
        assert_eq!((bash::INTEGRATION.row)("/a b/askline").unwrap(), r#"eval "$('/a b/askline' init bash)""#);
    }
}
