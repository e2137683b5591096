//! Failed commands for files that only root may read or change.

use super::{FailedCommand, Fixed, Obstacle};
use askline_check::reference::Reference as _;
use askline_risk::{Around, Label, judge};
use askline_syntax::{ParsedLine, Word};

/// Programs that delete, move, or change rights.
const LOSING: [&str; 6] = ["rm", "rmdir", "mv", "chmod", "chown", "chgrp"];
/// Exit status of a command whose output could not be opened.
const DENIED: i32 = 1;
/// User id of root.
const ROOT: u32 = 0;

impl FailedCommand<'_> {
    /// Returns the line with root's rights if one of these operands needs them. No line that deletes or changes rights becomes
    /// dangerous by that.
    pub(super) fn for_root(&self, obstacle: &Obstacle, operands: &[&Word]) -> Option<Fixed> {
        let reason = operands.iter().filter(|word| self.is_path(word)).find_map(|word| match obstacle {
            Obstacle::Protected => self.protected(&word.text),
            Obstacle::ProtectedFile => self.protected_file(&word.text),
            Obstacle::Held => self.held(&word.text),
            Obstacle::Owned => self.owned(&word.text),
            Obstacle::Unreadable => self.unreadable(&word.text),
            _ => None,
        })?;
        let fixed = self.as_root_since(&reason)?;
        let parsed = ParsedLine::new(&*fixed.line, self.examiner.shell);
        let is_dangerous = judge(&parsed, &Around::nothing()).label == Label::Dangerous;
        (!is_dangerous || !LOSING.contains(&self.name.text.as_str())).then_some(fixed)
    }

    /// Returns the line with `sudo tee` in place of a redirection to a file that only root may write: the shell opens that as the
    /// user, even if the command begins with `sudo`.
    pub(super) fn redirected_as_root(&self) -> Option<Fixed> {
        let [redirection] = self.command.redirections.as_slice() else { return None };
        let append = match redirection.operator.as_str() {
            ">" => "",
            ">>" => "-a ",
            _ => return None,
        };
        let knowledge = self.examiner.knowledge;
        let target = redirection.target.as_ref().filter(|target| self.is_path(target))?;
        let is_output = redirection.descriptor.is_none_or(|descriptor| descriptor == 1);
        let is_last = self.line.get(redirection.span.end..)?.trim().is_empty();
        let may = is_output
            && is_last
            && self.status == DENIED
            && !knowledge.is_root()
            && knowledge.has_command("sudo");
        let reason = self.protected_file(&target.text).filter(|_| may)?;
        let command = self.line.get(..redirection.span.start)?.trim();
        // `sudo echo` was meant for the file; other programs may need root's rights themselves.
        let bare = command
            .strip_prefix("sudo ")
            .filter(|rest| rest.starts_with("echo ") || rest.starts_with("printf "));
        let command = bare.unwrap_or(command);
        let path = self.line.get(target.span.clone())?;
        let line = format!("{command} | sudo tee {append}{path} > /dev/null");
        Some(Fixed { line, change: format!("sudo tee: {reason}, and the shell writes there as you") })
    }

    /// Says what only root may write: the file or directory, or the directory in which it would lie.
    fn protected(&self, path: &str) -> Option<String> {
        let place = self.examiner.knowledge.protected_place(path)?;
        Some(format!("only root may write {}", place.display()))
    }

    /// The same for a file or a new directory: root can't write a directory like a file, either.
    fn protected_file(&self, path: &str) -> Option<String> {
        let is_directory = self.examiner.knowledge.is_directory(path) == Some(true);
        self.protected(path).filter(|_| !is_directory)
    }

    /// Says out of which directory only root may take a file. `None` for a directory that root can't delete like that, either.
    fn held(&self, path: &str) -> Option<String> {
        let knowledge = self.examiner.knowledge;
        let is_directory = || knowledge.is_directory(path) == Some(true);
        let is_full = || knowledge.names_in(path).is_some_and(|names| !names.is_empty());
        let refuses = match self.name.text.as_str() {
            "rm" => is_directory() && !self.options().any(|own| own.contains(['r', 'R'])),
            "rmdir" => is_full(),
            _ => false,
        };
        let place = knowledge.protected_parent(path).filter(|_| !refuses)?;
        Some(format!("only root may write {}", place.display()))
    }

    fn owned(&self, path: &str) -> Option<String> {
        let is_roots = self.examiner.knowledge.owner_of(path) == Some(ROOT);
        is_roots.then(|| format!("{path} belongs to root"))
    }

    fn unreadable(&self, path: &str) -> Option<String> {
        let knowledge = self.examiner.knowledge;
        let is_roots = knowledge.owner_of(path) == Some(ROOT) && knowledge.may_read(path) == Some(false);
        is_roots.then(|| format!("only root may read {path}"))
    }
}
