//! Failed commands of git: branches that follow none, exist already, or don't exist.

use super::{FailedCommand, Fixed};
use askline_check::check::is_slip_of_file;
use askline_check::reference::Reference as _;
use askline_syntax::Word;

/// Exit status of git for what it can't do at all; of `git push` for a branch without an upstream branch, where `git pull` ends
/// with 1.
const FATAL: i32 = 128;
/// git's own name for the first remote.
const ORIGIN: &str = "origin";

impl FailedCommand<'_> {
    /// Returns `git push` and `git pull` with the names that they need for a branch without an upstream branch.
    pub(super) fn without_upstream(&self) -> Option<Fixed> {
        let [git, verb, rest @ ..] = self.command.words.as_slice() else { return None };
        if git.text != "git" {
            return None;
        }
        let sets = |word: &&Word| matches!(word.text.as_str(), "-u" | "--set-upstream");
        let remotes: Vec<&str> =
            rest.iter().filter(|word| !sets(word)).map(|word| word.text.as_str()).collect();
        let refs = self.examiner.knowledge.git_refs().filter(|refs| !refs.has_push_settings)?;
        let branch = refs.current.as_ref().filter(|branch| !refs.following.contains(*branch))?;
        let only = || refs.remotes.first().filter(|_| refs.remotes.len() == 1).map(String::as_str);
        let first = if refs.remotes.contains(ORIGIN) { ORIGIN } else { only()? };
        // To another remote git pushes without an upstream branch.
        if !matches!(remotes.as_slice(), [] | [_]) || remotes.iter().any(|remote| *remote != first) {
            return None;
        }
        let is_there = refs.remote_branches.contains(&format!("{first}/{branch}"));
        let names = format!("{first} {branch}");
        let added = match verb.text.as_str() {
            "push" if self.status == FATAL => format!("-u {names}"),
            "pull" if self.status == 1 && is_there && rest.len() == remotes.len() => names,
            _ => return None,
        };
        let end = rest.last().unwrap_or(verb).span.end;
        let change = format!("{added}: {branch} has no upstream branch yet");
        (is_plain(first) && is_plain(branch)).then_some(())?;
        Some(Fixed { line: self.replaced(verb.span.end..end, &format!(" {added}"))?, change })
    }

    /// Returns `git push` of the branch that is nearly named, or of `main` for `master`, where there is only the other one.
    pub(super) fn with_near_branch(&self) -> Option<Fixed> {
        let [git, verb, rest @ ..] = self.command.words.as_slice() else { return None };
        if git.text != "git" || verb.text != "push" || self.status != 1 {
            return None;
        }
        let operands: Vec<&Word> = rest.iter().filter(|word| !word.text.starts_with('-')).collect();
        let [remote, wanted] = operands.as_slice() else { return None };
        let is_plain_push = rest
            .iter()
            .all(|word| !word.text.starts_with('-') || matches!(word.text.as_str(), "-u" | "--set-upstream"));
        let refs = self.examiner.knowledge.git_refs()?;
        let is_known = refs.branches.contains(&wanted.text) || refs.tags.contains(&wanted.text);
        if !is_plain_push || is_known || !wanted.literal || !refs.remotes.contains(&remote.text) {
            return None;
        }
        let is_other_main =
            |name: &str| matches!((wanted.text.as_str(), name), ("master", "main") | ("main", "master"));
        let mut near =
            refs.branches.iter().filter(|name| is_other_main(name) || is_slip_of_file(&wanted.text, name));
        let name = near.next().filter(|name| near.next().is_none() && is_plain(name))?;
        let change = format!("{} → {name}: there is no branch {} here", wanted.text, wanted.text);
        Some(Fixed { line: self.replaced(wanted.span.clone(), name)?, change })
    }

    /// Returns `git push`, `git pull` or `git fetch` with the remote that is nearly named.
    pub(super) fn with_near_remote(&self) -> Option<Fixed> {
        let [git, verb, rest @ ..] = self.command.words.as_slice() else { return None };
        let is_it = git.text == "git" && matches!(verb.text.as_str(), "push" | "pull" | "fetch");
        let wanted = rest.iter().find(|word| !word.text.starts_with('-'))?;
        let refs = self.examiner.knowledge.git_refs()?;
        let is_force = rest.iter().any(|word| {
            word.text.starts_with('-') && word.text != "-u"
                || word.text.starts_with('+')
                || word.text.contains(':')
        });
        let is_name = wanted.literal && is_plain(&wanted.text) && !wanted.text.contains('/');
        if !is_it || is_force || !is_name || refs.remotes.contains(&wanted.text) {
            return None;
        }
        let mut near = refs.remotes.iter().filter(|name| is_slip_of_file(&wanted.text, name));
        let name = near.next().filter(|name| near.next().is_none() && is_plain(name))?;
        let change = format!("{} → {name}: there is no remote {} here", wanted.text, wanted.text);
        Some(Fixed { line: self.replaced(wanted.span.clone(), name)?, change })
    }

    /// Returns `git switch` to a branch that it should create and that exists, or creating the one that does not.
    pub(super) fn with_branch(&self) -> Option<Fixed> {
        let words: Vec<&str> = self.command.words.iter().map(|word| word.text.as_str()).collect();
        let (creates, name) = match words.as_slice() {
            ["git", "switch", "-c" | "--create", name] | ["git", "checkout", "-b", name] => (true, *name),
            ["git", "switch" | "checkout", name] => (false, *name),
            _ => return None,
        };
        let knowledge = self.examiner.knowledge;
        let refs = knowledge.git_refs()?;
        let is_branch = refs.branches.contains(name);
        let is_known = is_branch
            || refs.remote_branches.contains(name)
            || refs.tags.contains(name)
            || refs.elsewhere().any(|other| other == name);
        let (first, last) = (self.command.words.get(1)?, self.command.words.last()?);
        let is_checkout = words.get(1) == Some(&"checkout");
        // Words such as `HEAD~1` and `-` are no names of branches.
        if !is_plain(name) || name.contains("..") || !last.literal {
            return None;
        }
        if creates && is_branch && self.status == FATAL {
            let line = self.replaced(first.span.end..last.span.end, &format!(" {name}"))?;
            return Some(Fixed { line, change: format!("the branch {name} exists already") });
        }
        let is_missing = !creates && !is_known && name.chars().any(char::is_alphabetic) && name != "HEAD";
        let folder = name.split_once('/').map(|(folder, _)| folder);
        let is_file = name.contains('.') || folder.is_some_and(|it| knowledge.is_directory(it) == Some(true));
        let is_revision = name.chars().all(|c| c.is_ascii_hexdigit());
        let is_refused = self.status == if is_checkout { 1 } else { FATAL };
        let is_there = knowledge.exists(name) != Some(false) || self.is_slip(name);
        if !is_missing || is_revision || is_file || !is_refused || is_there {
            return None;
        }
        let option = if is_checkout { "-b" } else { "-c" };
        let line = self.replaced(first.span.end..first.span.end, &format!(" {option}"))?;
        let change = match refs.remotes.is_empty() {
            true => format!("{option}: there is no branch {name} yet"),
            false => format!("{option}: no branch {name} is known here; `git fetch` may bring one"),
        };
        Some(Fixed { line, change })
    }
}

/// Reports whether a line may have a name unquoted: names in a repository are untrusted.
fn is_plain(name: &str) -> bool {
    !name.starts_with('-') && name.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c))
}
