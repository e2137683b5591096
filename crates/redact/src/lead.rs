//! Secrets recognised by the text before them (`leads.toml`).

use std::ops::Range;

use regex::bytes::Regex;
use serde::Deserialize;

use super::compiled;
use super::placeholder::ends_in_one;
use super::value::{self, SecretLook, Values};

/// Compiled leads.
pub(super) struct Leads {
    leads: Vec<(Regex, Class)>,
    names: SecretNames,
    values: Values,
}

/// Content of `leads.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeadFile {
    pub(super) lead: Vec<Lead>,
    names: SecretNames,
    values: Values,
}

#[derive(Deserialize)]
#[cfg_attr(not(test), expect(dead_code, reason = "names and examples are for people and for the tests"))]
#[serde(deny_unknown_fields)]
pub(super) struct Lead {
    pub(super) name: String,
    regex: String,
    value: Class,
    pub(super) like: Vec<String>,
    pub(super) unlike: Vec<String>,
}

/// Required look of a value after a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Class {
    Any,
    Strong,
    Odd,
    Named,
    Loose,
}

/// Words in names of variables and fields that indicate secrets.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretNames {
    any: Vec<String>,
    strong: Vec<String>,
    any_part: Vec<String>,
    strong_part: Vec<String>,
    services: Vec<String>,
    innocent: Vec<String>,
    not_names: Vec<String>,
}

impl LeadFile {
    pub(super) fn own() -> Self {
        toml::from_str(include_str!("leads.toml")).expect("leads.toml is well-formed")
    }
}

impl Leads {
    pub(super) fn own() -> Self {
        let LeadFile { lead, names, values } = LeadFile::own();
        let leads = lead.iter().map(|lead| (compiled(&lead.regex), lead.value)).collect();
        Self { leads, names, values }
    }

    /// Adds the spans of secret values.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        for (regex, class) in &self.leads {
            if regex.captures_len() == 1 {
                self.behind(regex, *class, text, found);
            } else {
                self.inside(regex, *class, text, found);
            }
        }
    }

    fn behind(&self, regex: &Regex, class: Class, text: &str, found: &mut Vec<Range<usize>>) {
        let mut at = 0;
        while let Some(lead) = regex.find_at(text.as_bytes(), at) {
            at = lead.end();
            let look = match class {
                Class::Named => self.names.look(text.get(lead.range()).unwrap_or_default()),
                Class::Loose => {
                    let look = self.names.look(text.get(lead.range()).unwrap_or_default());
                    look.map(|_| SecretLook::Strong)
                }
                Class::Any => Some(SecretLook::Any),
                Class::Strong => Some(SecretLook::Strong),
                Class::Odd => Some(SecretLook::Odd),
            };
            let Some(look) = look else { continue };
            let Some(value) = value::at(text, at) else { continue };
            let inner = text.get(value.inner.clone()).unwrap_or_default();
            if self.values.is_secret(inner, look) {
                at = value.whole.end;
                // Both spans, so the same value without its quotes is recognised elsewhere.
                found.extend([value.whole, value.inner]);
            }
        }
    }

    fn inside(&self, regex: &Regex, class: Class, text: &str, found: &mut Vec<Range<usize>>) {
        let look = if class == Class::Strong { SecretLook::Strong } else { SecretLook::Any };
        for captures in regex.captures_iter(text.as_bytes()) {
            let Some(value) = captures.get(1) else { continue };
            let inner = text.get(value.range()).unwrap_or_default();
            if self.values.is_secret(inner, look) {
                found.push(value.range());
            }
        }
    }
}

impl SecretNames {
    /// Returns the look that a value must have to be a secret, by the name in its lead; `None` if the name indicates no
    /// secret.
    fn look(&self, lead: &str) -> Option<SecretLook> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-$".contains(c);
        let lead = lead.trim_end_matches(|c: char| !is_name(c));
        let name = lead.rsplit(|c: char| !is_name(c)).next()?;
        // `-pSECRET_1_PLACEHOLDER db`: a placeholder as name does not describe the value after it.
        if ends_in_one(name) {
            return None;
        }
        let lower = name.to_ascii_lowercase();
        let has = |words: &[String]| words.iter().any(|word| lower.contains(word.as_str()));
        if self.not_names.contains(&lower) || has(&self.innocent) {
            return None;
        }
        let parts = parts(name);
        let has_part = |words: &[String]| words.iter().any(|word| parts.contains(word));
        if has(&self.any) || has_part(&self.any_part) {
            return Some(SecretLook::Any);
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        let is_environment = 1 < last.len() && !last.bytes().any(|byte| byte.is_ascii_lowercase());
        if has(&self.strong) {
            return Some(if is_environment { SecretLook::Any } else { SecretLook::Strong });
        }
        (has_part(&self.strong_part) || has(&self.services)).then_some(SecretLook::Strong)
    }
}

/// Returns the words of a name in lower case: `dbPwd`, `db-pwd`, `DB_PWD`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (was_small && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        was_small = c.is_ascii_lowercase();
        if let (true, Some(part)) = (c.is_ascii_alphanumeric(), parts.last_mut()) {
            part.push(c.to_ascii_lowercase());
        }
    }
    parts
}
