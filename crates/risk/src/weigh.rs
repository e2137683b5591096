//! Computes the risk label of an effect and its reason text.

use super::effect::{Effect, Label, Scope};
use askline_syntax::Span;

/// Effect of a command line: action, target, label and reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// Kind of action.
    pub effect: Effect,
    /// Extent of the target.
    pub scope: Scope,
    /// Span of the word that causes the effect.
    pub span: Span,
    /// Target as written; empty if none is named.
    pub target: String,
    /// Risk label of this effect alone.
    pub label: Label,
    /// Reason, as text for the user.
    pub why: String,
}

impl Act {
    /// Reports whether it deletes, overwrites or stops something that matters.
    pub(super) fn destroys(&self) -> bool {
        let is_so = matches!(
            self.effect,
            Effect::Delete
                | Effect::Overwrite
                | Effect::Stop
                | Effect::History
                | Effect::DataDefinition
                | Effect::Device
        );
        is_so && self.label >= Label::Confirm
    }
}

/// Circumstances that raise or lower the label of an effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Circumstances {
    /// `true` if the effect covers all content of a directory.
    pub(super) tree: bool,
    /// `true` if the effect cannot be undone and asks no question.
    pub(super) forced: bool,
    /// `true` if the effect is easily undone.
    pub(super) recoverable: bool,
    /// `true` if the command runs with another user's rights.
    pub(super) privileged: bool,
    /// `true` if the target is below the home directory.
    pub(super) in_home: bool,
    /// `true` if the target may be a directory into which something is put.
    pub(super) into: bool,
    /// `true` if the target is kept under another name.
    pub(super) moves: bool,
    /// `true` if the target gets no content.
    pub(super) hollow: bool,
    /// `true` if the target is an absolute path that is neither below the home directory nor temporary.
    pub(super) outside: bool,
}

/// Returns the label of an effect, as far as a single command decides it. `effects/README.md` has the meaning of the labels.
pub(super) fn weigh(effect: Effect, scope: Scope, manner: Circumstances) -> Label {
    use Effect as E;
    use Label::{Cautious, Confirm, Dangerous, Safe};
    use Scope as S;
    let Circumstances { tree, forced, recoverable, privileged, in_home, outside, .. } = manner;
    let label = match (effect, scope) {
        (E::Read, S::Remote) => Cautious,
        (E::Read, _) => Safe,
        (E::Session | E::Project, _) => Cautious,
        (E::WriteNew, S::Device | S::Everything) => Dangerous,
        (E::WriteNew, S::System) if recoverable => Confirm,
        (E::WriteNew, S::System) => Dangerous,
        (E::WriteNew, _) => Cautious,
        (E::Overwrite, S::System | S::Device | S::Everything | S::Home) => Dangerous,
        (E::Overwrite, S::Unreadable | S::Cwd) if forced || tree => Dangerous,
        (E::Overwrite, _) if tree && in_home && forced => Dangerous,
        (E::Overwrite, _) if recoverable => Cautious,
        (E::Overwrite, _) => Confirm,
        (E::Delete, S::Home | S::System | S::Device | S::Everything) => Dangerous,
        (E::Delete, S::Cwd | S::Unreadable | S::Remote) if tree || forced => Dangerous,
        (E::Delete, _) if tree && in_home && !recoverable => Dangerous,
        (E::Delete, _) => Confirm,
        (E::ExecData | E::ExecArg, S::Own | S::Tree | S::Cwd | S::Home | S::System) => Cautious,
        (E::ExecData | E::ExecArg, _) => Dangerous,
        (E::NetRead, S::Unreadable) => Confirm,
        (E::NetRead, _) => Cautious,
        (E::NetSend, S::Unreadable | S::Everything | S::Home | S::System) => Dangerous,
        (E::NetSend, _) if forced => Dangerous,
        (E::NetSend, _) => Confirm,
        (E::RemoteChange, S::Everything | S::Unreadable) => Dangerous,
        (E::RemoteChange, _) if forced || tree => Dangerous,
        (E::RemoteChange, _) if recoverable => Cautious,
        (E::RemoteChange, _) => Confirm,
        (E::DataDefinition, S::Everything | S::Unreadable) => Dangerous,
        (E::DataDefinition, _) if forced => Dangerous,
        (E::DataDefinition, _) if recoverable => Cautious,
        (E::DataDefinition, _) => Confirm,
        (E::Install, S::Remote | S::Unreadable) => Dangerous,
        (E::Install, S::System | S::Everything) if forced => Dangerous,
        (E::Install, S::System | S::Everything) => Confirm,
        (E::Install, _) => Cautious,
        (E::Stop, S::System | S::Everything | S::Device | S::Remote) => Dangerous,
        (E::Device, S::Device | S::Everything | S::Unreadable) => Dangerous,
        (E::History, S::System | S::Home | S::Everything) => Dangerous,
        (E::Privilege | E::Persistence | E::SecurityOff, S::System | S::Everything | S::Unreadable) => {
            Dangerous
        }
        (E::History | E::Persistence | E::SecurityOff | E::Device | E::Stop | E::Privilege, _) if forced => {
            Dangerous
        }
        (E::History | E::Persistence | E::SecurityOff | E::Device | E::Stop | E::Privilege, _)
            if recoverable =>
        {
            Cautious
        }
        (E::History | E::Persistence | E::SecurityOff | E::Device | E::Stop | E::Privilege, _) => Confirm,
    };
    // Root's rights remove the bounds that the user's permissions set.
    match effect {
        _ if !privileged => label,
        E::Delete | E::Overwrite if scope != S::Own || outside => Dangerous,
        _ => label.max(Confirm),
    }
}

/// Returns the reason as text that names the target.
pub(super) fn reason(effect: Effect, scope: Scope, target: &str) -> String {
    let what = match (effect, scope) {
        (Effect::Read, Scope::Remote) => "asks a service",
        (Effect::Read, _) => "reads",
        (Effect::Session, _) => "changes this shell",
        (Effect::Project, _) => "runs the project's own code",
        (Effect::WriteNew, Scope::System) => "writes to the system",
        (Effect::WriteNew, Scope::Device) => "writes to a device",
        (Effect::WriteNew, _) => "writes",
        (Effect::Overwrite, _) => "overwrites",
        (Effect::Delete, _) => "deletes",
        (Effect::ExecData, Scope::Remote) => "runs text from the network",
        (Effect::ExecData | Effect::ExecArg, Scope::Unreadable) => {
            "runs text that can't be read from the line"
        }
        (Effect::ExecData | Effect::ExecArg, _) => "runs",
        (Effect::NetRead, _) => "fetches from the network",
        (Effect::NetSend, _) => "sends data out",
        (Effect::Privilege, Scope::System) => "grants rights",
        (Effect::Privilege, _) => "acts with another user's rights",
        (Effect::Persistence, _) => "arranges for something to run later",
        (Effect::SecurityOff, _) => "weakens a protection",
        (Effect::Stop, Scope::System | Scope::Everything) => {
            "stops the machine, its network or what it needs"
        }
        (Effect::Stop, _) => "stops something that runs",
        (Effect::Device, _) => "changes a device",
        (Effect::History, Scope::Cwd | Scope::Own) => "rewrites history",
        (Effect::History, _) => "removes traces",
        (Effect::RemoteChange, _) => "changes remote state",
        (Effect::DataDefinition, _) => "changes the content of a database",
        (Effect::Install, Scope::Remote) => "installs from an address",
        (Effect::Install, _) => "installs or removes packages",
    };
    let aside = match scope {
        Scope::Everything if effect == Effect::Delete || effect == Effect::Overwrite => " (everything)",
        Scope::Home if effect == Effect::Delete || effect == Effect::Overwrite => " (the home directory)",
        Scope::Cwd if effect == Effect::Delete || effect == Effect::Overwrite => {
            " (the working directory or above)"
        }
        Scope::Unreadable if !target.is_empty() => " (not known before it runs)",
        _ => "",
    };
    // The words already say where it is.
    let aside = if scope == Scope::Cwd && is_all_here(target) { "" } else { aside };
    if target.is_empty() { what.to_owned() } else { format!("{what}: {}{aside}", shown(target)) }
}

/// Adds the target to a reason from the tables unless it names it.
pub(super) fn named_reason(says: &str, target: &str) -> String {
    let target = shown(target);
    let is_word = says.split([' ', ',', ':']).any(|word| word == target);
    let is_named = is_word || target.contains(' ') && says.contains(&target);
    if target.is_empty() || is_named { says.to_owned() } else { format!("{says}: {target}") }
}

/// Returns a target as people call it: a placeholder, a lone variable or `*` says nothing.
pub(super) fn shown(target: &str) -> String {
    match target {
        "{}" | "%" => "the names that it is given".to_owned(),
        "-" | "@-" => "its input".to_owned(),
        _ if is_all_here(target) => "everything in the working directory".to_owned(),
        _ if is_one_expansion(target) && target.contains(['(', '`']) => format!("what {target} prints"),
        _ if is_one_expansion(target) => format!("what {target} holds"),
        _ => target.to_owned(),
    }
}

/// Reports whether a pattern matches all that is in the working directory.
fn is_all_here(target: &str) -> bool {
    matches!(target, "*" | "./*" | "**" | "./**" | "*.*" | "**/*" | "./**/*")
}

/// Reports whether a single expansion makes up a text: `$x`, `${x}`, `$(cat a)`, `` `cat a` ``.
pub(super) fn is_one_expansion(text: &str) -> bool {
    let rest = text.strip_prefix('$').unwrap_or(text);
    match rest.chars().next() {
        Some('`') => rest.len() > 1 && rest.find('`') != rest.rfind('`') && rest.ends_with('`'),
        Some(open @ ('(' | '{')) => {
            let close = if open == '(' { ')' } else { '}' };
            let mut depth = 0usize;
            let mut closes = rest.char_indices().filter_map(|(at, c)| {
                depth = if c == open { depth + 1 } else { depth.saturating_sub(usize::from(c == close)) };
                (depth == 0).then_some(at + c.len_utf8())
            });
            closes.next() == Some(rest.len())
        }
        Some(_) => rest.len() < text.len() && rest.chars().all(|c| c.is_alphanumeric() || "_.@*".contains(c)),
        None => false,
    }
}
