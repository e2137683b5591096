//! Secrets recognised by the text before them (`leads.toml`).

use std::collections::BTreeMap;
use std::ops::Range;

use regex::bytes::Regex;
use serde::Deserialize;

use super::LateRegex;
use super::header;
use super::name::parts;
use super::phrase;
use super::placeholder::ends_in_one;
use super::value::{self, SecretLook, Values};

/// Compiled leads.
pub(super) struct Leads {
    leads: Vec<CompiledLead>,
    names: SecretNames,
    values: Values,
}

struct CompiledLead {
    hints: Vec<String>,
    regex: LateRegex,
    class: Class,
}

/// Content of `leads.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeadFile {
    pub(super) lead: Vec<Lead>,
    words: BTreeMap<String, Vec<String>>,
    names: SecretNames,
    values: Values,
}

#[derive(Deserialize)]
#[cfg_attr(not(test), expect(dead_code, reason = "names and examples are for people and for the tests"))]
#[serde(deny_unknown_fields)]
pub(super) struct Lead {
    pub(super) name: String,
    pub(super) hints: Vec<String>,
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
    Made,
    Guess,
    Code,
    Named,
    Loose,
    /// The rest of a header: a scheme, then the credential.
    Header,
    /// The words of a seed phrase.
    Phrase,
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
        let LeadFile { lead, words, names, values } = LeadFile::own();
        let filled = |regex: &str| {
            words.iter().fold(regex.to_owned(), |regex, (name, words)| {
                regex.replace(&format!("{{{name}}}"), &format!("(?:{})", words.join("|")))
            })
        };
        let leads = lead.into_iter().map(|lead| CompiledLead {
            hints: lead.hints,
            regex: LateRegex::new(filled(&lead.regex)),
            class: lead.value,
        });
        let leads = leads.collect();
        Self { leads, names, values }
    }

    /// Adds the spans of secret values.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let lower = text.to_ascii_lowercase();
        for lead in self.leads.iter().filter(|lead| lead.may_be_in(&lower)) {
            let (regex, class) = (lead.regex.get(), lead.class);
            match class {
                Class::Header => self.header(regex, text, found),
                Class::Phrase => found.extend(phrases(regex, text)),
                _ if regex.captures_len() == 1 => self.behind(regex, class, text, found),
                _ => self.inside(regex, class, text, found),
            }
        }
    }

    fn behind(&self, regex: &Regex, class: Class, text: &str, found: &mut Vec<Range<usize>>) {
        let mut at = 0;
        while let Some(lead) = regex.find_at(text.as_bytes(), at) {
            at = lead.end();
            let name = || self.names.look(text.get(lead.range()).unwrap_or_default());
            let look = match class {
                Class::Named => name(),
                Class::Loose => name().map(|_| SecretLook::Strong),
                _ => class.look(),
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
        let look = class.look().unwrap_or(SecretLook::Any);
        for captures in regex.captures_iter(text.as_bytes()) {
            let Some(value) = captures.get(1) else { continue };
            let inner = text.get(value.range()).unwrap_or_default();
            if self.values.is_secret(inner, look) {
                found.push(value.range());
            }
        }
    }

    fn header(&self, regex: &Regex, text: &str, found: &mut Vec<Range<usize>>) {
        for lead in regex.find_iter(text.as_bytes()) {
            let is_secret = |credential: &str| self.values.is_secret(credential, SecretLook::Any);
            found.extend(header::credential(text, lead.range(), &is_secret));
        }
    }
}

impl CompiledLead {
    /// Reports whether a text in lower case contains a hint of this lead.
    fn may_be_in(&self, lower: &str) -> bool {
        self.hints.iter().any(|hint| lower.contains(hint.as_str()))
    }
}

impl Class {
    /// Returns the look that this class alone determines.
    fn look(self) -> Option<SecretLook> {
        match self {
            Self::Any => Some(SecretLook::Any),
            Self::Strong => Some(SecretLook::Strong),
            Self::Odd => Some(SecretLook::Odd),
            Self::Made => Some(SecretLook::Made),
            Self::Guess => Some(SecretLook::Guess),
            Self::Code => Some(SecretLook::Code),
            Self::Named | Self::Loose | Self::Header | Self::Phrase => None,
        }
    }
}

/// Returns the seed phrases after a lead.
fn phrases(regex: &Regex, text: &str) -> impl Iterator<Item = Range<usize>> {
    regex.find_iter(text.as_bytes()).filter_map(|lead| phrase::after(text, lead.end()))
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
