//! What is true of this machine at this moment, and makes a line worse than it reads. Facts raise a label, never lower it.

use super::effect::{Effect, Label, Scope};
use super::reading::Placed;
use super::weigh::{Act, reason};

/// Operands looked at in one line.
const MAX_LOOKS: usize = 8;
/// So many files are worth saying.
const MANY: usize = 50;

/// Looks at this machine, without changing anything. Every answer is bounded in time; none where it can't be told.
pub trait Facts {
    /// What a path as the shell would get it (relative to the working directory, `~` allowed, no variables) stands for.
    fn seen(&self, path: &str) -> Option<Seen>;

    /// How many names a pattern with `*` stands for; it may stop counting at 10,000.
    fn matches(&self, pattern: &str) -> Option<usize>;

    /// The commands run as root.
    fn is_root(&self) -> bool;
}

/// What stands at a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// A file, no directory.
    pub is_file: bool,
    /// `/`, however written.
    pub is_root: bool,
    /// The home directory, or one above it.
    pub is_home: bool,
    /// A file system is mounted there.
    pub is_mount: bool,
    /// The working directory, or one above it.
    pub is_above_cwd: bool,
    /// Files and directories inside; it may stop counting at 10,000.
    pub entries: Option<usize>,
    /// The top of a git work tree that holds changes which no commit has.
    pub has_changes: bool,
}

/// Nothing is known.
#[derive(Debug, Clone, Copy)]
pub struct Unknown;

impl Facts for Unknown {
    fn seen(&self, _: &str) -> Option<Seen> {
        None
    }

    fn matches(&self, _: &str) -> Option<usize> {
        None
    }

    fn is_root(&self) -> bool {
        false
    }
}

/// Raises the labels of what a line does by what is true now, and gives that in words.
pub(super) fn raise(acts: &mut [Act], placed: &[Placed], facts: &dyn Facts) -> Vec<String> {
    let mut told = Vec::new();
    for placed in placed.iter().take(MAX_LOOKS) {
        let Some(act) = acts.get_mut(placed.act) else { continue };
        if let Some(fact) = look(act, placed, facts)
            && !told.contains(&fact)
        {
            told.push(fact);
        }
    }
    told
}

fn look(act: &mut Act, placed: &Placed, facts: &dyn Facts) -> Option<String> {
    let destroys = matches!(act.effect, Effect::Delete | Effect::Overwrite);
    let target = act.target.clone();
    if placed.glob {
        let count = facts.matches(&target).filter(|count| destroys && MANY <= *count)?;
        return Some(format!("{target} names {count} files"));
    }
    let seen = facts.seen(&target)?;
    let wide = if seen.is_root {
        Some((Scope::Everything, "is the root of the file system"))
    } else if seen.is_home {
        Some((Scope::Home, "is the home directory or above it"))
    } else if seen.is_mount {
        Some((Scope::Device, "is where a file system is mounted"))
    } else if seen.is_above_cwd {
        Some((Scope::Cwd, "is the working directory or above it"))
    } else {
        None
    };
    if let Some((scope, words)) = wide.filter(|_| destroys && placed.tree) {
        if act.label < Label::Dangerous {
            (act.label, act.scope) = (Label::Dangerous, scope);
            act.why = reason(act.effect, scope, &target);
        }
        return Some(format!("{target} {words}"));
    }
    if seen.has_changes && act.effect == Effect::Delete {
        act.label = Label::Dangerous;
        act.why = format!("deletes work that no commit has: {target}");
        return Some(format!("{target} holds changes that no commit has"));
    }
    if placed.replaces && seen.is_file && act.effect == Effect::WriteNew {
        act.label = act.label.max(Label::Confirm);
        act.effect = Effect::Overwrite;
        act.why = format!("overwrites {target}, which exists");
        return Some(format!("{target} exists"));
    }
    if destroys && facts.is_root() && placed.outside && act.label < Label::Dangerous {
        act.label = Label::Dangerous;
        act.why = format!("{} (as root)", act.why);
        return Some("it runs as root".to_owned());
    }
    let entries = seen.entries.filter(|entries| destroys && MANY <= *entries)?;
    Some(format!("{target} holds {entries} files"))
}
