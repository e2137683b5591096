//! Repairs names that Nushell no longer has or never had, options of other tools, and file names in command position.

use super::{Form, SlipFinder, TABLE, finding, slip};
use crate::check::form;
use crate::finding::{Finding, FindingKind, Severity};
use crate::reference;
use askline_manual::catalogue::{CommandDoc, Parameter, Role};
use askline_syntax::SimpleCommand;

/// Minimum number of letters of an abbreviated name.
const CHILD_MIN: usize = 3;

impl SlipFinder<'_> {
    /// Repairs a file name in command position: its content is meant.
    pub(super) fn file(&self, command: &SimpleCommand) -> Option<Finding> {
        let [word] = command.words.as_slice() else { return None };
        let name = self.raw(&word.span);
        let (_, ending) = name.rsplit_once('.')?;
        let is_content = TABLE.structured.contains(ending) || TABLE.plain.contains(ending);
        let is_command = command.external || self.kind(name) != reference::CommandKind::Missing;
        // For a path command the name itself is meant.
        let is_path =
            self.next(command).and_then(|next| self.own(next)).is_some_and(|name| name.starts_with("path "));
        let is_there = is_content && !is_path && !is_command && self.reference.exists(name) == Some(true);
        let at = word.span.start;
        is_there.then(|| {
            let text = format!("`{name}` is a file; `open` reads it");
            slip(at..at, Severity::Error, &text, "open ", "added `open`")
        })
    }

    /// Rewrites a whole command that has another form in Nushell.
    pub(super) fn form(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = command.name()?;
        let first = name.split(' ').next()?;
        if command.external
            || self.may_be_defined(command)
            || !matches!(self.kind(first), reference::CommandKind::Missing | reference::CommandKind::Builtin)
        {
            return None;
        }
        let of_name = |form: &&Form| {
            form.from.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        TABLE.form.iter().filter(of_name).find_map(|Form { from, to, single }| {
            let first = to.split(' ').next()?;
            let is_here = match first.strip_prefix('^') {
                Some(program) => !matches!(
                    self.kind(&format!("^{program}")),
                    reference::CommandKind::Missing | reference::CommandKind::Builtin
                ),
                None => first.starts_with('$') || self.kind(first) == reference::CommandKind::Builtin,
            };
            if !is_here {
                return None;
            }
            let fix = form(command, from, to, self.line)?;
            let text = match self.kind(name) {
                _ if *single => {
                    let name = from.split(" {").next().unwrap_or(from);
                    format!("nushell has no `{name}`; for a single text `{}` does it", fix.replacement)
                }
                reference::CommandKind::Missing => {
                    format!("nushell has no `{name}`; it has `{}`", fix.replacement)
                }
                _ => format!("nushell's own `{name}` is another command; `{}` does this", fix.replacement),
            };
            let mut found = finding(Severity::Error, text, fix);
            found.fixes.retain(|_| !single || self.quoted_head(command).is_some());
            Some(found)
        })
    }

    /// Suggests in words what Nushell has instead of a missing name, if the replacement needs more words than given.
    pub(super) fn instead(&self, command: &SimpleCommand) -> Option<Finding> {
        let word = command.words.first()?;
        let name = word.text.split(' ').next()?;
        let own = TABLE.instead.get(name)?;
        if command.external || self.kind(name) != reference::CommandKind::Missing || self.is_users(command) {
            return None;
        }
        Some(Finding {
            kind: FindingKind::Syntax,
            span: word.span.clone(),
            grade: Severity::Error,
            text: format!("nushell has no `{name}`; what does it is written as in `{own}`"),
            evidence: "nushell".to_owned(),
            fixes: Vec::new(),
        })
    }

    /// Repairs options with names from other tools.
    pub(super) fn flags(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command)?;
        let flags = TABLE.flags.get(name)?;
        command.words.iter().skip(1).find_map(|word| {
            let option = self.raw(&word.span);
            let meant = flags.get(option)?;
            let known = self.reference.known(&[name]);
            // The running Nushell version may know the option.
            if known.manual.as_ref().is_some_and(|manual| {
                manual.option(option).is_some() || manual.option(meant).is_none() && !meant.is_empty()
            }) {
                return None;
            }
            let said = if meant.is_empty() { "nothing" } else { meant };
            let text = format!("`{name}` has no flag `{option}`; it has `{meant}`");
            Some(slip(word.span.clone(), Severity::Error, &text, meant, &format!("{option} → {said}")))
        })
    }

    /// Repairs a missing subcommand: `math age`. Recognizes an abbreviated name: `math std`.
    pub(super) fn child(&self, command: &SimpleCommand) -> Option<Finding> {
        let parent = self.own(command)?;
        let word = command.words.get(1).filter(|word| word.literal && !word.quoted)?;
        let name = self.raw(&word.span);
        let own = self.reference.own_commands()?;
        // A command with positional arguments may take the word as an argument.
        let takes = |parameter: &Parameter| matches!(parameter.role, Role::Positional | Role::Rest);
        let is_name = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        if !is_name || name.starts_with('-') || own.get(parent)?.parameters.iter().any(takes) {
            return None;
        }
        let below = |doc: &'_ CommandDoc| doc.name.strip_prefix(parent)?.strip_prefix(' ').map(str::to_owned);
        let children: Vec<String> =
            own.docs().filter_map(below).filter(|child| !child.contains(' ')).collect();
        if children.is_empty() || children.iter().any(|child| child == name) {
            return None;
        }
        let is_near = |child: &&String| CHILD_MIN <= name.len() && child.starts_with(name);
        let mut near = children.iter().filter(is_near);
        let child = near.next().filter(|_| near.next().is_none());
        let text = match child {
            Some(child) => format!("nushell has no `{parent} {name}`; it has `{parent} {child}`"),
            None => format!("nushell has no `{parent} {name}`"),
        };
        let mut found = slip(word.span.clone(), Severity::Error, &text, child.map_or("", String::as_str), "");
        match (child, found.fixes.first_mut()) {
            (Some(child), Some(fix)) => fix.change = format!("{name} → {child}"),
            _ => found.fixes.clear(),
        }
        Some(found)
    }
}
