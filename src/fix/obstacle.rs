//! Obstacles of a failed command that the disk shows, and their remedies: `cp -r` for a directory, `mkdir -p` for one that is
//! missing, `sudo` for what only root may do.

mod git;
mod protected;
mod words;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use super::plain_call::{has_signs, is_plain_call};
use crate::examine::Examiner;
use askline_check::check::{install_command, is_slip_of_file};
use askline_check::reference::{CommandKind, Reference as _};
use askline_syntax::options::{Form, Part, ProgramOptions, Reader};
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    row: Vec<Row>,
}

/// An obstacle for some programs, and its remedy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    programs: Vec<String>,
    #[serde(default)]
    words: Vec<String>,
    obstacle: Obstacle,
    #[serde(default)]
    others_first: usize,
    #[serde(default)]
    counts: Counts,
    letters: Option<String>,
    #[serde(default)]
    needs_option: bool,
    #[serde(default)]
    elsewhere: Vec<String>,
    status: Option<i32>,
    remedy: Remedy,
}

/// The operands that may be in the way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Counts {
    #[default]
    All,
    /// All but the last one, where the files go.
    Sources,
    /// The last one.
    Target,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Obstacle {
    /// A directory, not a link to one.
    Directory,
    /// An existing archive of another kind: its name has one of these endings, the first of which is said.
    Archive(Vec<String>),
    /// The directory in which the operand would lie does not exist.
    MissingParent,
    /// The last operand is a directory that does not exist, or would lie in one.
    MissingTarget,
    /// The user is not root.
    NotRoot,
    /// The user may not write this file of the system.
    Closed(PathBuf),
    /// Only root may write this file, or in this directory or the one in which it would lie.
    Protected,
    /// The same for what is no directory.
    ProtectedFile,
    /// Only root may take this file out of its directory.
    Held,
    /// The file is root's, and only root may change its permissions.
    Owned,
    /// Only root may read this file or list this directory.
    Unreadable,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Remedy {
    Option(String),
    Program(String),
    Parents,
    Sudo,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("obstacle.toml")).expect("the table in the tree parses: a test checks that")
});

/// Operators that write a file.
const WRITING: [&str; 7] = [">", ">>", ">|", "&>", "&>>", ">&", ">?"];
/// Places of other disks, which may not be mounted: a directory made there would lie on this one.
const MOUNTS: [&str; 4] = ["/media", "/mnt", "/run", "/Volumes"];
/// Exit status of a command that is not there.
const NOT_FOUND: i32 = 127;
/// Exit status of a command whose file may not be executed, or is a directory.
const NOT_EXECUTABLE: i32 = 126;
/// Maximum number of obstacles of one line.
const OBSTACLES_MAX: usize = 3;

/// A line without the obstacle.
pub(super) struct Fixed {
    /// The line.
    pub(super) line: String,
    /// What was changed and why, in words.
    pub(super) change: String,
}

/// Returns the line with a remedy for each obstacle that is seen; `None` if there is none, or it is not a single command.
pub(super) fn fixed(line: &ParsedLine, status: i32, examiner: &Examiner<'_>) -> Option<Fixed> {
    if !line.shell().is_nushell()
        && let Some(fixed) = words::quoted_name(line.text().trim(), examiner)
    {
        return Some(fixed);
    }
    let mut fixed = once_fixed(line, status, examiner)?;
    for _ in 1..OBSTACLES_MAX {
        // `mkdir` before it makes two commands of the line, so that comes last.
        let again = ParsedLine::new(&*fixed.line, line.shell());
        let Some(Fixed { line, change }) = once_fixed(&again, status, examiner) else { break };
        fixed = Fixed { line, change: format!("{}; {change}", fixed.change) };
    }
    Some(fixed)
}

fn once_fixed(line: &ParsedLine, status: i32, examiner: &Examiner<'_>) -> Option<Fixed> {
    let [command, wrapped @ ..] = line.own().commands.as_slice() else { return None };
    let name = command.words.first()?;
    let is_raw = line.text().get(name.span.clone()) == Some(name.text.as_str());
    if !command.within.is_empty() || !is_raw {
        return None;
    }
    let failed = FailedCommand { line: line.text(), command, name, status, examiner };
    if line.shell().is_nushell() {
        return failed.fixed_in_nushell();
    }
    if !wrapped.is_empty() {
        let is_sudo = name.text == "sudo" && wrapped.iter().all(|inner| !inner.within.is_empty());
        return failed.redirected_as_root().filter(|_| is_sudo);
    }
    failed
        .not_executable()
        .or_else(|| failed.by_interpreter())
        .or_else(|| failed.not_installed())
        .or_else(|| failed.fixed_git())
        .or_else(|| failed.with_closed_substitution())
        .or_else(|| failed.with_quoted_pattern())
        .or_else(|| TABLE.row.iter().find_map(|row| failed.fixed_by(row)))
        .or_else(|| failed.redirected())
        .or_else(|| failed.redirected_as_root())
}

/// A failed command on its machine.
struct FailedCommand<'a> {
    line: &'a str,
    command: &'a SimpleCommand,
    name: &'a Word,
    status: i32,
    examiner: &'a Examiner<'a>,
}

impl FailedCommand<'_> {
    /// Returns the line with a remedy that Nushell reads like other shells.
    fn fixed_in_nushell(&self) -> Option<Fixed> {
        if has_signs(self.line) {
            return None;
        }
        let is_plain = |fixed: &Fixed| is_plain_call(&fixed.line, self.examiner);
        let fixed = || {
            self.by_interpreter()
                .or_else(|| self.fixed_git())
                .or_else(|| self.with_closed_substitution())
                .or_else(|| self.with_quoted_pattern())
                .or_else(|| TABLE.row.iter().find_map(|row| self.fixed_by(row)))
        };
        self.not_installed().or_else(|| fixed().filter(is_plain))
    }

    fn fixed_git(&self) -> Option<Fixed> {
        self.without_upstream()
            .or_else(|| self.with_branch())
            .or_else(|| self.with_near_remote())
            .or_else(|| self.with_near_branch())
    }

    /// Returns the line behind one that makes its script executable, or `cd` to a directory that was run.
    fn not_executable(&self) -> Option<Fixed> {
        let path = self.name.text.as_str();
        if self.status != NOT_EXECUTABLE || !self.name.literal || !path.contains('/') {
            return None;
        }
        if self.examiner.knowledge.is_script_without_permission(path) {
            let change = format!("chmod +x {path}: it was not executable");
            return Some(Fixed { line: format!("chmod +x {path} && {}", self.line.trim()), change });
        }
        let is_alone = self.command.words.len() == 1 && self.command.redirections.is_empty();
        let is_directory = self.examiner.knowledge.is_directory(path) == Some(true);
        let change = format!("cd {path}: it is a directory");
        (is_alone && is_directory).then(|| Fixed { line: format!("cd {path}"), change })
    }

    /// Returns the line behind one that installs its program.
    fn not_installed(&self) -> Option<Fixed> {
        let (name, knowledge) = (self.name.text.as_str(), self.examiner.knowledge);
        if self.status != NOT_FOUND || knowledge.known(&[name]).kind != CommandKind::Missing {
            return None;
        }
        let install = install_command(name, knowledge)?;
        let change = format!("{install}: `{name}` is not installed");
        // Nushell runs what follows a `;` only if the program before it succeeds.
        let then = if self.examiner.shell.is_nushell() { ";" } else { " &&" };
        Some(Fixed { line: format!("{install}{then} {}", self.line.trim()), change })
    }

    fn fixed_by(&self, row: &Row) -> Option<Fixed> {
        let name = self.name.text.as_str();
        let is_it =
            row.programs.iter().any(|own| own == name) && row.status.is_none_or(|it| it == self.status);
        if !is_it
            || !self.is_the_program()
            || row.letters.as_ref().is_some_and(|letters| !self.has_only(letters))
            || row.needs_option && self.options().next().is_none()
            || row.elsewhere.iter().any(|hint| self.has(hint))
        {
            return None;
        }
        let mut operands = self.command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        if !row.words.is_empty() && !operands.next().is_some_and(|word| row.words.contains(&word.text)) {
            return None;
        }
        let operands: Vec<&Word> = operands.skip(row.others_first).collect();
        let (sources, target) = operands.split_at(operands.len().saturating_sub(1));
        let possible = match row.counts {
            Counts::All => operands.as_slice(),
            Counts::Sources if target.iter().any(|word| self.is_file(word)) => return None,
            Counts::Sources => sources,
            Counts::Target if sources.iter().any(|word| self.is_missing(word)) => return None,
            Counts::Target => target,
        };
        let seen = || possible.iter().find(|word| self.meets(&row.obstacle, word));
        match &row.remedy {
            Remedy::Option(option) => {
                let change = format!("{name} → {name} {option}: {}", said(&row.obstacle, &seen()?.text));
                let end = self.name.span.end;
                Some(Fixed { line: self.replaced(end..end, &format!(" {option}"))?, change })
            }
            Remedy::Program(program) => {
                let operand = seen()?;
                let change = format!("{name} → {program}: {}", said(&row.obstacle, &operand.text));
                let is_last = self.command.words.last().is_some_and(|last| last.span == operand.span);
                let is_alone = operands.len() == 1 && is_last && self.command.redirections.is_empty();
                let is_there =
                    program.split(' ').next().is_some_and(|name| self.examiner.knowledge.has_command(name));
                let line = self.replaced(self.name.span.start..operand.span.start, &format!("{program} "));
                Some(Fixed { line: line.filter(|_| is_alone && is_there)?, change })
            }
            Remedy::Parents if row.obstacle == Obstacle::MissingTarget => self.missing_target(&operands),
            Remedy::Parents => self.after_parents(possible),
            Remedy::Sudo => match &row.obstacle {
                Obstacle::NotRoot => self.as_root(),
                Obstacle::Closed(file) if self.examiner.knowledge.may_write(file) != Some(false) => None,
                Obstacle::Closed(_) => self.as_root(),
                obstacle => self.for_root(obstacle, possible),
            },
        }
    }

    /// Reports whether the name is that of the program: no function, and no alias for another one.
    fn is_the_program(&self) -> bool {
        let (name, knowledge) = (self.name.text.as_str(), self.examiner.knowledge);
        let own = knowledge.alias(name);
        let is_other = own.is_some_and(|text| text.split_whitespace().next() != Some(name));
        !is_other && knowledge.known(&[name]).kind != CommandKind::Function
    }

    /// Returns the options without their first dash.
    fn options(&self) -> impl Iterator<Item = &str> {
        self.command.words.iter().skip(1).filter_map(|word| word.text.strip_prefix('-'))
    }

    /// Reports whether the command has an option, or the environment a variable, of this name.
    fn has(&self, hint: &str) -> bool {
        let is_option =
            |own: &str| own.split_once('=').map_or(own, |(name, _)| name) == hint.trim_start_matches('-');
        match hint.starts_with('-') {
            true => self.options().map(|own| own.trim_start_matches('-')).any(is_option),
            false => self.examiner.knowledge.has_variable(hint),
        }
    }

    /// Reports whether all options are some of these letters, which take no value.
    fn has_only(&self, letters: &str) -> bool {
        self.options().all(|own| !own.is_empty() && own.chars().all(|letter| letters.contains(letter)))
    }

    fn is_file(&self, word: &Word) -> bool {
        let knowledge = self.examiner.knowledge;
        knowledge.exists(&word.text) == Some(true) && knowledge.is_directory(&word.text) == Some(false)
    }

    fn meets(&self, obstacle: &Obstacle, word: &Word) -> bool {
        let (path, knowledge) = (word.text.as_str(), self.examiner.knowledge);
        self.is_path(word)
            && match obstacle {
                Obstacle::Directory => {
                    // The name says which one is meant, and a link needs another remedy.
                    let last = path.rsplit('/').find(|part| !matches!(*part, "" | "."));
                    let is_near = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
                    last.is_some_and(|part| !matches!(part, "~" | ".git" | ".."))
                        && (is_near || self.name.text != "rm")
                        && knowledge.is_directory(path) == Some(true)
                        && !knowledge.is_link(path.trim_end_matches('/'))
                }
                Obstacle::Archive(endings) => {
                    endings.iter().any(|ending| path.ends_with(ending))
                        && knowledge.exists(path) == Some(true)
                }
                Obstacle::MissingParent
                | Obstacle::MissingTarget
                | Obstacle::NotRoot
                | Obstacle::Closed(_)
                | Obstacle::Protected
                | Obstacle::ProtectedFile
                | Obstacle::Held
                | Obstacle::Owned
                | Obstacle::Unreadable => false,
            }
    }

    /// Reports whether the shell passes a word on as it is, or expands only `~/` in it.
    fn is_path(&self, word: &Word) -> bool {
        if word.quoted && word.text.starts_with('~') {
            return false;
        }
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
        word.literal
            || !word.quoted && word.text.strip_prefix("~/").is_some_and(|rest| rest.chars().all(is_plain))
    }

    /// Returns the line after the directories of the files that it writes.
    fn redirected(&self) -> Option<Fixed> {
        let writing = self.command.redirections.iter().filter(|it| WRITING.contains(&it.operator.as_str()));
        let targets: Vec<&Word> = writing.filter_map(|it| it.target.as_ref()).collect();
        self.after_parents(&targets)
    }

    /// Returns the line after the directory that the last operand means, which does not exist: it ends in `/`, or several files go
    /// there; or after the one in which it would lie.
    fn missing_target(&self, operands: &[&Word]) -> Option<Fixed> {
        let (target, sources) = operands.split_last()?;
        if sources.is_empty() || !sources.iter().all(|word| self.is_there(word)) {
            return None;
        }
        let is_directory =
            target.text.ends_with('/') || 1 < sources.len() || sources.iter().any(|word| word.glob);
        // "cp a.txt b.txt c.txt": the last one is hardly a directory.
        let name = target.text.rsplit('/').next().unwrap_or_default();
        match is_directory {
            true if !name.is_empty() && name.contains('.') => None,
            true => self.after(&[target.text.trim_end_matches('/')], &[target]),
            false => self.after_parents(&[target]),
        }
    }

    /// Reports whether a word surely names a file that is not there. A value of an option names none.
    fn is_missing(&self, word: &Word) -> bool {
        let known = ProgramOptions::of(&self.name.text, &[]);
        let mut reader = Reader::new(&self.command.words, 1, Form::of(&self.name.text));
        let mut parts = std::iter::from_fn(|| reader.next(&known));
        let is_it = |at: usize| self.command.words.get(at).is_some_and(|other| other.span == word.span);
        let is_value = parts.any(
            |part| matches!(part, Part::Option(given) if given.value.is_some_and(|value| is_it(value.word))),
        );
        !is_value && word.literal && self.examiner.knowledge.exists(&word.text) == Some(false)
    }

    /// Reports whether a word names a file, or its pattern matches one of the working directory.
    fn is_there(&self, word: &Word) -> bool {
        let knowledge = self.examiner.knowledge;
        let matches = || {
            let (before, behind) = word.text.split_once('*')?;
            let names = knowledge.names_in("").filter(|_| !word.text.contains(['/', '?', '[', '{']))?;
            let fits =
                |name: &String| !name.starts_with('.') && name.starts_with(before) && name.ends_with(behind);
            Some(!behind.contains('*') && names.iter().any(fits))
        };
        if word.glob { matches() == Some(true) } else { knowledge.exists(&word.text) == Some(true) }
    }

    /// Returns the line after the directories in which the files of these words would lie.
    fn after_parents(&self, words: &[&Word]) -> Option<Fixed> {
        let (parents, words): (Vec<&str>, Vec<&Word>) = words
            .iter()
            .filter_map(|word| {
                Some((word.text.rsplit_once('/').filter(|(_, name)| !name.is_empty())?.0, *word))
            })
            .filter(|(parent, _)| !parent.is_empty() && self.examiner.knowledge.exists(parent) == Some(false))
            .unzip();
        self.after(&parents, &words)
    }

    /// Returns the line after these directories, which the words name; `None` if one can't be made, or a slip is likelier.
    fn after(&self, directories: &[&str], words: &[&Word]) -> Option<Fixed> {
        let knowledge = self.examiner.knowledge;
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+~".contains(c);
        let is_quotable = |c: char| is_plain(c) || " ()[]&,;#@=".contains(c);
        let mut quoted: Vec<String> = Vec::new();
        for path in directories {
            let may = !path.is_empty() && !path.starts_with('-') && path.chars().all(is_quotable);
            let is_elsewhere = MOUNTS.iter().any(|place| Path::new(path).starts_with(place));
            if !may || is_elsewhere || !knowledge.can_make_directory(path) || self.is_slip(path) {
                return None;
            }
            let text = if path.chars().all(is_plain) { (*path).to_owned() } else { format!("'{path}'") };
            if !quoted.contains(&text) {
                quoted.push(text);
            }
        }
        let all = quoted.join(" ");
        let is_one = if quoted.len() == 1 { "it is" } else { "they are" };
        let change = format!("mkdir -p {all}: {is_one} not there");
        let is_sure = !quoted.is_empty() && words.iter().all(|word| self.is_path(word));
        is_sure.then(|| Fixed { line: format!("mkdir -p {all} && {}", self.line.trim()), change })
    }

    /// Reports whether the first missing part of a path may be a slip for a name that is there.
    fn is_slip(&self, path: &str) -> bool {
        let knowledge = self.examiner.knowledge;
        let mut above = String::new();
        for part in path.split_inclusive('/') {
            let name = part.trim_end_matches('/');
            if !name.is_empty() && knowledge.exists(&format!("{above}{name}")) == Some(false) {
                let names = knowledge.names_in(&above).unwrap_or_default();
                return names.iter().any(|other| is_slip_of_file(name, other));
            }
            above.push_str(part);
        }
        false
    }

    fn as_root(&self) -> Option<Fixed> {
        self.as_root_since("only root may do this")
    }

    fn as_root_since(&self, reason: &str) -> Option<Fixed> {
        let (name, knowledge) = (self.name.text.as_str(), self.examiner.knowledge);
        let is_program = matches!(knowledge.known(&[name]).kind, CommandKind::Program { .. });
        let may = is_program && !knowledge.is_root() && knowledge.has_command("sudo");
        // The shell would write the file as the user all the same, and the variables would be lost.
        let is_bare = self.command.redirections.is_empty() && self.command.assignments.is_empty();
        let change = format!("sudo {name}: {reason}");
        (may && is_bare).then(|| Fixed { line: format!("sudo {}", self.line.trim()), change })
    }

    /// Returns the line with a text in place of a span.
    fn replaced(&self, span: Span, text: &str) -> Option<String> {
        let (before, behind) = (self.line.get(..span.start)?, self.line.get(span.end..)?);
        Some(format!("{before}{text}{behind}"))
    }
}

/// Returns the obstacle in words.
fn said(obstacle: &Obstacle, path: &str) -> String {
    match obstacle {
        Obstacle::Archive(endings) => {
            let kind = endings.first().map_or("", |ending| ending.trim_start_matches('.'));
            format!("{path} is a {kind} archive")
        }
        _ => format!("{path} is a directory"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_parses() {
        assert!(TABLE.row.iter().all(|row| !row.programs.is_empty()));
    }
}
