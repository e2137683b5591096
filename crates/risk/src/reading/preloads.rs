//! Code that a program loads before it does what its name says: startup files in another directory, libraries that options
//! name, options that a variable holds.

use super::{LineReader, Text, base, has_language};
use crate::effect::{Effect, Scope};
use crate::path_class::{self, PathKind};
use crate::weigh::Circumstances;
use crate::words::WordLists;
use askline_syntax::shell::Shell;
use askline_syntax::{SimpleCommand, Word, program_name};

/// Variables that name the directory in which shells look for their startup files.
const DIRECTORIES: [&str; 5] =
    ["HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"];
/// Starts of substitutions in a value.
const SUBSTITUTIONS: [char; 2] = ['(', '`'];
/// Options of shells that name a startup file.
const STARTUP_OPTIONS: [&str; 6] =
    ["--rcfile", "--init-file", "--config", "--env-config", "--plugin-config", "--plugins"];
/// Ends of the names of those that list several directories.
const LISTING: &str = "_DIRS";
/// Options with which a shell reads no startup file.
const BARE_OPTIONS: [&str; 5] = ["-f", "-n", "--no-config", "--no-config-file", "--no-rcs"];
/// Options with which a POSIX shell reads no startup file as a login shell, and as another interactive one.
const BARE_STARTS: [&str; 2] = ["--noprofile", "--norc"];
/// Start of a substitution that makes a new directory, in which no startup file is.
const NEW_DIRECTORY: &str = "$(mktemp ";
/// Parts of the names of options and settings that name a library to load.
const LOADING: [&str; 6] = ["engine", "module", "provider", "plugin", "extension", "preload"];
/// Those of them whose libraries are in a directory that an option names.
const LOADING_FROM: [&str; 3] = ["engine", "provider", "plugin"];
/// Ends of the names of options that name a directory.
const DIRECTORY_ENDS: [&str; 3] = ["path", "dir", "directory"];
/// Ends of the names of libraries.
const LIBRARY_ENDS: [&str; 3] = [".so", ".dylib", ".dll"];
/// Calls of code that open a file or ask about it, and load nothing from it.
const FILE_CALLS: [&str; 8] = ["open", "exists", "isfile", "remove", "unlink", "stat", "getsize", "print"];
/// Directories in which anyone may put files.
const ANYONES: [&str; 3] = ["/tmp/", "/var/tmp/", "/dev/shm/"];
/// Options that name a file of settings, which say what a program trusts and often what it runs.
const SETTINGS_OPTIONS: [&str; 7] = [
    "--kubeconfig",
    "--config",
    "--config-file",
    "--configfile",
    "--userconfig",
    "--defaults-file",
    "--defaults-extra-file",
];
/// Signs that the options in a variable have a meaning for a shell.
const SIGNS: [char; 8] = [';', '|', '&', '<', '>', '$', '`', '\n'];
/// Maximum number of programs whose options are kept.
const PROGRAMS_MAX: usize = 16;

impl LineReader<'_> {
    /// Keeps the directory in which shells look for their startup files from now on.
    pub(super) fn keep_startup(&mut self, name: &str, value: &str) {
        if !DIRECTORIES.contains(&name) {
            return;
        }
        let is_home = |directory: &&str| {
            let path = path_class::named(directory).path;
            path == "~" || path.starts_with("~/.config") || directory.is_empty()
        };
        // What a substitution prints may be any path in it.
        let directories: Vec<&str> = match value.contains(SUBSTITUTIONS) {
            true => value.split(|c: char| c.is_whitespace() || "$`()|&;<>".contains(c)).collect(),
            false if name.ends_with(LISTING) => value.split(':').collect(),
            false => vec![value],
        };
        let is_foreign = |directory: &&str| path_class::named(directory).kind == PathKind::Temporary;
        let foreign = directories.iter().find(|directory| is_foreign(directory)).copied();
        let found = foreign.or_else(|| directories.into_iter().find(|directory| !is_home(directory)));
        match found.filter(|_| !is_new_directory(value)) {
            Some(directory) => self.startup.insert(name.to_owned(), directory.to_owned()),
            None => self.startup.remove(name),
        };
    }

    /// Adds the effect of a shell that reads its startup files in a directory that the line names: `HOME=/tmp/x bash -l`.
    pub(super) fn starts_elsewhere(&mut self, command: &SimpleCommand) {
        // A container has a home directory of its own.
        let Some(word) = command.words.first().filter(|_| !command.runs_elsewhere()) else { return };
        let Some(shell) = Shell::of_interpreter(base(word)).filter(|shell| reads_startup(*shell, command))
        else {
            return;
        };
        for (name, directory) in self.startup.clone() {
            if name != "HOME" && shell.is_posix() {
                continue;
            }
            let is_foreign = path_class::named(&directory).kind == PathKind::Temporary;
            let scope = if is_foreign { Scope::Unreadable } else { Scope::Own };
            let says = Some(format!("runs the startup files in {directory}"));
            self.add(Effect::ExecData, scope, word, &directory, Circumstances::default(), says);
        }
    }

    /// Adds the effect of an option or a setting that names code in a directory in which anyone may put it: a library
    /// (`-engine /tmp/x.so`), the directory of such, the startup file of a shell (`bash --rcfile /tmp/x`).
    pub(super) fn foreign_code(&mut self, option: &str, value: &str, command: &SimpleCommand, word: &Word) {
        let name = option.trim_start_matches('-').to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        let is_shell =
            || command.words.first().is_some_and(|word| Shell::of_interpreter(base(word)).is_some());
        // A definition (`PLUGIN_DIR=x`, `-DPLUGIN_DIR=x`) is no option: it says where a build puts things.
        let is_option = option.starts_with('-') && !option.starts_with("-D");
        let is_directory = || is_option && DIRECTORY_ENDS.iter().any(|end| name.ends_with(end));
        let loads = has(&LOADING) && is_library(value) || has(&LOADING_FROM) && is_directory();
        if loads || STARTUP_OPTIONS.contains(&option) && is_shell() {
            self.takes_from_anyone(value, word);
        } else if SETTINGS_OPTIONS.contains(&option) && is_anyones(value) {
            self.trusts(value, option, word);
        }
    }

    /// Adds the effect of a variable that makes a program trust settings from where anyone may put them: hosts, accounts, and
    /// often programs to run.
    pub(super) fn foreign_settings(&mut self, name: &str, value: &str, word: &Word) {
        // A key or a certificate there is of another kind.
        if is_anyones(value) && WordLists::own().names_settings(name) {
            self.trusts(value, name, word);
        }
    }

    /// Adds the effect of settings that anyone may have written.
    fn trusts(&mut self, path: &str, name: &str, word: &Word) {
        let says = Some(format!("trusts the settings in {path}, where anyone may put them: {name}"));
        self.add(Effect::SecurityOff, Scope::Own, word, name, Circumstances::default(), says);
    }

    /// Adds the effect of code in a directory in which anyone may put it, and reports whether it is there.
    pub(super) fn takes_from_anyone(&mut self, path: &str, word: &Word) -> bool {
        // A list of Nushell: `[/tmp/a]`.
        let path = path.trim_start_matches(['[', '"', '\'']).trim_end_matches([']', '"', '\'']);
        let is_foreign = path.starts_with('/') && path_class::named(path).kind == PathKind::Temporary;
        if is_foreign {
            let says = Some(format!("takes a program from {path}, where anyone may put it"));
            self.add(Effect::ExecData, Scope::Unreadable, word, path, Circumstances::default(), says);
        }
        is_foreign
    }

    /// Keeps the options that a variable holds for a program.
    pub(super) fn keep_options(&mut self, program: &str, value: &str) {
        if self.options.len() < PROGRAMS_MAX && !value.contains(SIGNS) {
            self.options.insert(program.to_owned(), value.to_owned());
        }
    }

    /// Reads a command with the options that a variable of the line holds for its program: `TAR_OPTIONS=--remove-files tar …`.
    pub(super) fn with_options(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        let name = program_name(&word.text).trim_start_matches('^').to_owned();
        let Some(value) = self.options.get(&name).cloned().filter(|_| command.words.len() > 1) else {
            return;
        };
        let words = command.words.iter().filter_map(|word| text.line.get(word.span.clone()));
        let line = words.chain([value.as_str()]).collect::<Vec<_>>().join(" ");
        self.options.remove(&name);
        self.script(&line, self.shell, word);
        self.options.insert(name, value);
    }
}

/// Reports whether a path is below a directory in which anyone may put files.
pub(super) fn is_anyones(path: &str) -> bool {
    ANYONES.iter().any(|directory| path.starts_with(directory))
}

/// Returns the word of a command line that names what it starts, behind interpreters and their options: `sh /tmp/x`.
pub(super) fn started(command: &str) -> &str {
    let is_before = |word: &&str| {
        let name = program_name(word);
        word.starts_with('-')
            || WordLists::own().is_prefix(word)
            || Shell::of_interpreter(name).is_some()
            || has_language(name)
    };
    let mut words = command.split_whitespace();
    let first = words.clone().next().unwrap_or_default();
    words.find(|word| !is_before(word)).unwrap_or(first)
}

/// Reports whether a path names a library: `x.so`, `x.so.1`.
pub(super) fn is_library(path: &str) -> bool {
    let name = program_name(path);
    LIBRARY_ENDS.iter().any(|end| name.ends_with(end)) || name.contains(".so.")
}

/// Returns the libraries that code names other than to open them as files.
pub(super) fn libraries(code: &str) -> impl Iterator<Item = &str> {
    let is_break = |c: char| c.is_whitespace() || "'\"`(),;=".contains(c);
    let mut end = 0;
    code.split_inclusive(is_break).filter_map(move |piece| {
        let before = code.get(..end).unwrap_or_default();
        end += piece.len();
        let part = piece.trim_end_matches(is_break);
        (is_library(part) && !is_in_file_call(before)).then_some(part)
    })
}

/// Reports whether code ends with the start of a call that opens a file or asks about it.
fn is_in_file_call(before: &str) -> bool {
    let call = before.trim_end_matches(['\'', '"', ' ']).strip_suffix('(').unwrap_or_default();
    let name = call.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    FILE_CALLS.contains(&name)
}

/// Reports whether a value is a directory that `mktemp` makes, and nothing else: `$(mktemp -d)`.
fn is_new_directory(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./= ".contains(c);
    let options = value.strip_prefix(NEW_DIRECTORY).and_then(|rest| rest.strip_suffix(')'));
    options.is_some_and(|options| options.chars().all(is_plain))
}

/// Reports whether a shell reads startup files: zsh, fish and Nushell read some even for one command.
fn reads_startup(shell: Shell, command: &SimpleCommand) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
    let is_short = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--");
    let has = |letter: char| words.iter().any(|word| is_short(word) && word.text.contains(letter));
    // What comes after the first operand, or after `-c`, is for the script.
    let ends = |word: &Word| word.text == "--" || is_short(word) && word.text.contains('c');
    let is_option = |word: &&Word| word.text.starts_with('-') && !ends(word);
    let own: Vec<&Word> = words.iter().take_while(is_option).collect();
    let is_given = |options: &[&str]| own.iter().any(|word| options.contains(&word.text.as_str()));
    // Its letters may be in one word: `bash -ln` only checks a script.
    let only_checks = || own.iter().any(|word| is_short(word) && word.text.contains('n'));
    if is_given(&BARE_OPTIONS) || shell.is_posix() && only_checks() {
        return false;
    }
    let is_login = has('l') || words.iter().any(|word| word.text == "--login");
    let [no_profile, no_rc] = BARE_STARTS;
    let is_bare = if is_login { is_given(&[no_profile]) } else { is_given(&[no_rc]) };
    let is_interactive = has('i') || words.iter().all(|word| word.text.starts_with('-')) && !has('c');
    (shell != Shell::SH || is_login || is_interactive) && !(shell.is_posix() && is_bare)
}
