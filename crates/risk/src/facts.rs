//! Current facts about this machine that raise the label of a command line. Facts never lower a label.

use super::effect::{Effect, Label, Scope};
use super::reading::Placed;
use super::weigh::{Act, reason};

/// Maximum number of operands looked up per command line.
const LOOKS_MAX: usize = 8;
/// End of the cause of an effect by which a file is lost.
const EXISTS: &str = ", which exists";
/// Number of files from which on the count is mentioned.
const MANY: usize = 50;

/// Read-only lookups on this machine. Each lookup takes bounded time and returns `None` if the answer is unknown.
pub trait Facts {
    /// Returns facts about a path as the shell passes it: relative to the working directory, `~` allowed, no variables.
    fn seen(&self, path: &str) -> Option<PathFact>;

    /// Returns the number of names that a pattern with `*` matches; counting may stop at 10,000.
    fn matches(&self, pattern: &str) -> Option<usize>;

    /// Reports whether the commands run as root.
    fn is_root(&self) -> bool;

    /// Reports whether a path is known to name nothing.
    fn is_missing(&self, _: &str) -> bool {
        false
    }
}

/// Facts about a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathFact {
    /// `true` for a file, `false` for a directory.
    pub is_file: bool,
    /// `true` for `/`, however written.
    pub is_root: bool,
    /// `true` for the home directory or one above it.
    pub is_home: bool,
    /// `true` if a file system is mounted at the path.
    pub is_mount: bool,
    /// `true` for the working directory or one above it.
    pub is_above_cwd: bool,
    /// Number of files and directories inside; counting may stop at 10,000.
    pub entries: Option<usize>,
    /// `true` for the top of a git work tree with uncommitted changes.
    pub has_changes: bool,
}

/// Facts source that answers no lookup.
#[derive(Debug, Clone, Copy)]
pub struct Unknown;

impl Facts for Unknown {
    fn seen(&self, _: &str) -> Option<PathFact> {
        None
    }

    fn matches(&self, _: &str) -> Option<usize> {
        None
    }

    fn is_root(&self) -> bool {
        false
    }
}

/// Raises the labels of effects by current facts. Returns those facts as text, and the index of the first effect by
/// which a file is lost.
pub(super) fn raise(acts: &mut [Act], placed: &[Placed], facts: &dyn Facts) -> (Vec<String>, Option<usize>) {
    let (mut told, mut lost) = (Vec::new(), None);
    for placed in placed.iter().take(LOOKS_MAX) {
        let Some(act) = acts.get_mut(placed.act) else { continue };
        if let Some(fact) = look(act, placed, facts)
            && !told.contains(&fact)
        {
            if placed.replaces && act.why.ends_with(EXISTS) {
                lost.get_or_insert(placed.act);
            }
            told.push(fact);
        }
    }
    (told, lost)
}

/// Looks for a file that is lost because another one is put into its directory under its name.
fn put_into(act: &mut Act, placed: &Placed, facts: &dyn Facts) -> Option<String> {
    let directory = act.target.trim_end_matches('/').to_owned();
    let mut paths = placed.names.iter().map(|name| format!("{directory}/{name}"));
    let path = paths.find(|path| facts.seen(path).is_some_and(|seen| seen.is_file))?;
    Some(replace(act, placed, &path, facts))
}

/// Says that a file that exists is overwritten.
fn replace(act: &mut Act, placed: &Placed, path: &str, facts: &dyn Facts) -> String {
    let is_foreign = facts.is_root() && placed.outside;
    act.label = act.label.max(if is_foreign { Label::Dangerous } else { Label::Confirm });
    act.effect = Effect::Overwrite;
    act.why = format!("overwrites {path}{EXISTS}");
    format!("{path} exists")
}

fn look(act: &mut Act, placed: &Placed, facts: &dyn Facts) -> Option<String> {
    let destroys = matches!(act.effect, Effect::Delete | Effect::Overwrite);
    let target = act.target.clone();
    if placed.glob {
        let count = facts.matches(&target).filter(|count| destroys && MANY <= *count)?;
        return Some(format!("{target} names {count} files"));
    }
    if placed.must_exist && facts.is_missing(&target) {
        return Some(format!("{target} does not exist"));
    }
    let seen = facts.seen(&target)?;
    if !seen.is_file
        && let Some(fact) = put_into(act, placed, facts)
    {
        return Some(fact);
    }
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
    if placed.replaces && seen.is_file && (act.effect == Effect::WriteNew || !placed.names.is_empty()) {
        return Some(replace(act, placed, &target, facts));
    }
    if destroys && facts.is_root() && placed.outside && act.label < Label::Dangerous {
        act.label = Label::Dangerous;
        act.why = format!("{} (as root)", act.why);
        return Some("it runs as root".to_owned());
    }
    let entries = seen.entries.filter(|entries| destroys && MANY <= *entries)?;
    Some(format!("{target} holds {entries} files"))
}
