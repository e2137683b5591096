//! Failed commands for files that only root may read or change.

use super::{FailedCommand, Fixed, Obstacle};
use askline_check::reference::Reference as _;
use askline_risk::{Around, Label, judge};
use askline_syntax::{ParsedLine, Word};

/// Programs that delete: their line does not become dangerous by a remedy.
const DELETING: [&str; 3] = ["rm", "rmdir", "mv"];
/// Place of the owner of all that is not a user's.
const ROOT: u32 = 0;

impl FailedCommand<'_> {
    /// Returns the line with root's rights if one of these operands needs them.
    pub(super) fn for_root(&self, obstacle: &Obstacle, operands: &[&Word]) -> Option<Fixed> {
        let reason = operands.iter().filter(|word| self.is_path(word)).find_map(|word| match obstacle {
            Obstacle::Protected => self.protected(&word.text),
            Obstacle::Owned => self.owned(&word.text),
            Obstacle::Unreadable => self.unreadable(&word.text),
            _ => None,
        })?;
        let fixed = self.as_root_since(&reason)?;
        let parsed = ParsedLine::new(&*fixed.line, self.examiner.shell);
        let is_dangerous = judge(&parsed, &Around::nothing()).label == Label::Dangerous;
        (!is_dangerous || !DELETING.contains(&self.name.text.as_str())).then_some(fixed)
    }

    /// Returns the line with `sudo tee` in place of a redirection to a file that only root may write: the shell opens that as the
    /// user, whatever `sudo` stands before the command.
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
        let may = is_output && is_last && !knowledge.is_root() && knowledge.has_command("sudo");
        let reason = self.protected(&target.text).filter(|_| may)?;
        let command = self.line.get(..redirection.span.start)?.trim();
        let command = command.strip_prefix("sudo ").unwrap_or(command);
        let path = self.line.get(target.span.clone())?;
        let line = format!("{command} | sudo tee {append}{path} > /dev/null");
        Some(Fixed { line, change: format!("sudo tee: {reason}, and the shell writes there as you") })
    }

    /// Says what only root may write: the file, or the directory in which it would lie.
    fn protected(&self, path: &str) -> Option<String> {
        let place = self.examiner.knowledge.protected_place(path)?;
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
