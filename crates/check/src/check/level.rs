//! The (sub)command level that the words of a command have reached, with its documentation, and the lookup of an
//! option in it.

use std::sync::Arc;

use super::ReportDraft;
use super::tools::{TOOLS, is_find};
use crate::reference::{CommandFacts, CommandKind, Reference};
use askline_manual::{Arity, Manual, OptionDoc, OptionStyle};
use askline_syntax::{
    options::{self, Options, ProgramOptions, Takes},
    program_name,
};

/// Maximum number of subcommand levels: `docker compose up` has two.
const LEVELS_MAX: usize = 3;
/// Minimum number of documented options from which a missing option counts as evidence.
pub(super) const OPTIONS_MIN: usize = 3;

/// Result of looking up an option in the documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OptionStatus {
    /// The documentation defines it with this text, or our table does.
    Documented(String),
    /// The documentation cannot decide, for this reason (the text continues "…: ").
    Doubtful(&'static str),
    /// Like `Doubtful`, but asking the program would not help either: its options have an unusual form, or it is
    /// unclear which command they belong to.
    Open(&'static str),
    /// The documentation lists other options, but not this one.
    Absent,
}

/// Returns the name for table lookups: for an alias that of its program and subcommand, whatever its own name is.
fn tool(name: &str, known: &CommandFacts) -> String {
    let CommandKind::Alias(text) = &known.kind else { return name.to_owned() };
    let words = text.split_whitespace().take(1 + known.above.len()).map(program_name);
    words.collect::<Vec<_>>().join(" ").trim_start_matches('^').to_owned()
}

/// A command with the subcommands seen so far.
pub(super) struct Level {
    pub(super) words: Vec<String>,
    /// The words joined to one name for table lookups, with the program in place of an alias.
    pub(super) name: String,
    pub(super) known: Arc<CommandFacts>,
    /// Additional manuals: that of a similar command, and our tables.
    pub(super) more: Vec<Arc<Manual>>,
    /// `true` if `known` documents this level and not a level above.
    pub(super) own: bool,
    /// `true` if a word should have been a subcommand but was not found.
    pub(super) lost: bool,
    /// `true` if no further subcommand can follow.
    pub(super) last: bool,
}

impl Level {
    /// Creates the top level of a command. `looked_up` is the lookup name: `^ls` for the external program in Nushell.
    pub(super) fn top(name: &str, looked_up: &str, draft: &ReportDraft<'_>) -> Self {
        let known = draft.reference.known(&[looked_up]);
        let name = tool(name, &known);
        let name = name.as_str();
        let like =
            TOOLS.like.get(name).and_then(|other| draft.reference.known(&[other.as_str()]).manual.clone());
        let builtin = TOOLS.builtins.get(&draft.shell).and_then(|manuals| manuals.get(name));
        let builtin = builtin.filter(|_| known.kind == CommandKind::Builtin).cloned();
        Self {
            words: vec![looked_up.to_owned()],
            name: name.to_owned(),
            known,
            more: like.into_iter().chain(TOOLS.also.get(name).cloned()).chain(builtin).collect(),
            own: true,
            lost: false,
            last: false,
        }
    }

    pub(super) fn manuals(&self) -> impl Iterator<Item = &Arc<Manual>> {
        self.known.manual.iter().chain(self.known.above.iter().rev()).chain(&self.more)
    }

    pub(super) fn doc(&self, name: &str) -> Option<&OptionDoc> {
        self.manuals().find_map(|manual| manual.option(name))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.manuals().flat_map(|manual| &manual.options).flat_map(|doc| &doc.names).map(String::as_str)
    }

    pub(super) fn style(&self) -> OptionStyle {
        self.known.manual.as_ref().map_or(OptionStyle::Getopt, |manual| manual.style)
    }

    /// Reports whether this level expects subcommands.
    pub(super) fn leads_on(&self) -> bool {
        self.known
            .manual
            .as_ref()
            .is_some_and(|manual| manual.style == OptionStyle::Subcommands || !manual.subcommands.is_empty())
    }

    /// Returns the standing of an option that no documentation defines or mentions.
    pub(super) fn lacking(&self, option: &str) -> OptionStatus {
        let top = self.name.split(' ').next().unwrap_or_default();
        if self.known.kind == CommandKind::Function {
            return OptionStatus::Open("it is a function of yours");
        }
        if self.known.kind == CommandKind::Builtin && self.known.manual.is_none() {
            return OptionStatus::Open("the shell's builtins have no pages of their own");
        }
        if TOOLS.open.contains(top) {
            return OptionStatus::Open("its documentation does not list all options");
        }
        if self.lost {
            return OptionStatus::Open("it is not clear which command it belongs to");
        }
        if self.manuals().next().is_none() {
            return OptionStatus::Doubtful("no documentation of it was found");
        }
        if !self.own && !TOOLS.flat.contains(top) {
            return OptionStatus::Doubtful("no documentation of this subcommand was found");
        }
        let is_long = option.starts_with("--") && !is_find(&self.name);
        let has_kind = self.names().any(|name| name.starts_with("--") == is_long);
        if !has_kind || self.names().take(OPTIONS_MIN).count() < OPTIONS_MIN {
            return OptionStatus::Doubtful("its documentation names too few options");
        }
        OptionStatus::Absent
    }

    pub(super) fn standing(&self, option: &str) -> OptionStatus {
        if is_find(&self.name) && TOOLS.find.accepts(option) {
            return OptionStatus::Documented(String::new());
        }
        if let Some(doc) = self.doc(option) {
            return OptionStatus::Documented(doc.text.clone());
        }
        let standing = if self.manuals().any(|manual| manual.mentioned.contains(option)) {
            OptionStatus::Doubtful("its documentation only mentions it in passing")
        } else if let Some(why) = self.near_form(option) {
            OptionStatus::Doubtful(why)
        } else {
            self.lacking(option)
        };
        match standing {
            OptionStatus::Doubtful(why) if TOOLS.unasked.names.contains(&self.name) => {
                OptionStatus::Open(why)
            }
            standing => standing,
        }
    }

    /// Returns the only documented long option that begins with this text; `None` if the documentation mentions the text itself.
    pub(super) fn whole(&self, option: &str) -> Option<&str> {
        if self.manuals().any(|manual| manual.mentioned.contains(option)) {
            return None;
        }
        let mut found = self.names().filter(|name| option.starts_with("--") && name.starts_with(option));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    /// Returns a reason if the option is another spelling of a documented long option that many parsers accept: a
    /// prefix of its name, `--no-x`, one dash more or fewer.
    pub(super) fn near_form(&self, option: &str) -> Option<&'static str> {
        let Some(name) = option.strip_prefix("--").filter(|name| !name.is_empty()) else {
            let name = option.strip_prefix('-')?;
            let is_long = self.style() == OptionStyle::LongDash && self.doc(&format!("--{name}")).is_some();
            return is_long.then_some("it is documented with two dashes");
        };
        if self.names().any(|documented| documented.starts_with(option)) {
            return Some("it is the beginning of a documented one");
        }
        if 1 < name.len() && !is_find(&self.name) && self.doc(&format!("-{name}")).is_some() {
            return Some("it is documented with one dash");
        }
        let positive = name.strip_prefix("no-").or_else(|| name.strip_prefix("no"));
        let negated = positive.is_some_and(|name| self.doc(&format!("--{name}")).is_some())
            || self.doc(&format!("--no-{name}")).is_some();
        negated.then_some("its opposite is documented")
    }

    /// Descends to the subcommand `word`; returns `false` if there is none.
    pub(super) fn descend(&mut self, word: &str, reference: &dyn Reference) -> bool {
        let listed = |manual: &Arc<Manual>| manual.subcommands.iter().any(|sub| sub.name == word);
        let is_listed = self.known.manual.as_ref().is_some_and(listed);
        let mut words = self.words.clone();
        words.push(word.to_owned());
        let path: Vec<&str> = words.iter().map(String::as_str).collect();
        let below = reference.known(&path);
        let is_own = self.known.above.len() < below.above.len() && below.manual.is_some();
        if !is_own && !is_listed {
            return false;
        }
        self.name = format!("{} {word}", self.name);
        self.last = !is_own || LEVELS_MAX < words.len();
        self.words = words;
        self.own = is_own;
        if is_own {
            self.known = below;
        }
        true
    }
}

impl Options for Level {
    fn takes(&self, option: &str) -> Option<Takes> {
        if is_find(&self.name) {
            return ProgramOptions::of_all("find").takes(option);
        }
        Some(match self.doc(option)?.value {
            Arity::None => Takes::Nothing,
            Arity::Required => Takes::Value,
            Arity::Optional | Arity::Attached => Takes::Attached,
            // The next word could be the operand that ends the options or a subcommand.
            Arity::Unknown => Takes::Unclear { next: !self.leads_on() && !options::stops(&self.name) },
        })
    }
}
