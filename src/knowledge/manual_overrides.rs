//! Application of the manual overrides: adds undocumented facts to parsed manuals.

use std::sync::Arc;

use super::Knowledge;
use super::program::ResolvedProgram;
use askline_manual as manual;
use askline_manual::Manual;
use askline_manual::userland::{Userland, userland_of};

impl Knowledge {
    /// Returns documented facts about a level, `own`, with the overrides applied.
    pub(super) fn completed(
        &self,
        program: &ResolvedProgram,
        words: &[&str],
        own: Option<Arc<Manual>>,
    ) -> Option<Arc<Manual>> {
        // The table covers only programs from packages.
        if !program.trusted || program.is_builtin {
            return own;
        }
        let command = [&[program.name.as_str()], words].concat().join(" ");
        let overrides = |command: &str| manual::exceptions(command, self.userland(program));
        let Some(exceptions) = overrides(&command) else { return own };
        // Only one step: references in the other entry are not followed.
        let other =
            exceptions.like.as_deref().filter(|other| overrides(other).is_none_or(|it| it.like.is_none()));
        let other = other.and_then(|other| self.level(&self.program(other)?, &[], true).manual.clone());
        let mut manual = match (own, other) {
            (None, None) => return None,
            (Some(own), None) => Arc::unwrap_or_clone(own),
            (own, Some(other)) => {
                let Manual { options, mentioned, style, .. } = Arc::unwrap_or_clone(other);
                let borrowed = Manual { options, mentioned, style, ..Manual::default() };
                match own {
                    Some(own) => manual::unite(borrowed, Arc::unwrap_or_clone(own)),
                    None => Manual { name: program.name.clone(), ..borrowed },
                }
            }
        };
        exceptions.apply(&mut manual);
        Some(Arc::new(manual))
    }

    pub(super) fn userland(&self, program: &ResolvedProgram) -> Userland {
        match program.is_builtin {
            true => Userland::Unknown,
            false => userland_of(&program.real_path, &self.environment.system.os),
        }
    }
}
