//! Secrets recognised by the text before them (`leads.toml`).

use std::collections::BTreeMap;
use std::ops::Range;

use regex::bytes::{Captures, Regex};
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
    unless: Vec<String>,
}

/// Content of `leads.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeadFile {
    pub(super) lead: Vec<Lead>,
    hints: BTreeMap<String, Vec<String>>,
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
    #[serde(default)]
    unless: Vec<String>,
    pub(super) like: Vec<String>,
    pub(super) unlike: Vec<String>,
}

/// Required look of a value after a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Class {
    Any,
    Strong,
    Odd,
    Said,
    Made,
    Guess,
    Code,
    Named,
    Loose,
    /// The rest of a header: a scheme, then the credential.
    Header,
    /// Pairs of a name and a value, with `;` between them.
    Pairs,
    /// The words of a seed phrase.
    Phrase,
    /// The words of a passphrase.
    Words,
    /// The same, or one word.
    Word,
    /// The words of a passphrase, also such as occur in sentences.
    Sentence,
    /// One word at the end of a note, group 2; group 1 is the first word of the note, which is none of a request.
    Note,
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
    file_ends: Vec<String>,
    not_names: Vec<String>,
}

impl LeadFile {
    /// Reads the built-in file and replaces the names of lists of hints by their hints.
    pub(super) fn own() -> Self {
        let mut file: Self = toml::from_str(include_str!("leads.toml")).expect("leads.toml is well-formed");
        let listed = |hint: String| {
            let name = hint.strip_prefix('{').and_then(|hint| hint.strip_suffix('}'));
            name.and_then(|name| file.hints.get(name)).cloned().unwrap_or_else(|| vec![hint])
        };
        for lead in &mut file.lead {
            lead.hints = std::mem::take(&mut lead.hints).into_iter().flat_map(listed).collect();
        }
        file
    }
}

impl Leads {
    pub(super) fn own() -> Self {
        let LeadFile { lead, words, names, values, .. } = LeadFile::own();
        let filled = |regex: &str| {
            words.iter().fold(regex.to_owned(), |regex, (name, words)| {
                regex.replace(&format!("{{{name}}}"), &format!("(?:{})", words.join("|")))
            })
        };
        let leads = lead.into_iter().map(|lead| CompiledLead {
            hints: lead.hints,
            regex: LateRegex::new(filled(&lead.regex)),
            class: lead.value,
            unless: lead.unless,
        });
        let leads = leads.collect();
        Self { leads, names, values }
    }

    /// Adds the spans of secret values.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let lower = text.to_ascii_lowercase();
        for lead in self.leads.iter().filter(|lead| lead.may_be_in(&lower)) {
            let regex = lead.regex.get();
            match lead.class {
                Class::Header => self.header(regex, text, found),
                Class::Pairs => self.pairs(regex, text, found),
                Class::Phrase => found.extend(after(regex, text, phrase::after)),
                Class::Words => found.extend(after(regex, text, phrase::words_after)),
                Class::Sentence => found.extend(after(regex, text, phrase::sentence_after)),
                Class::Word => {
                    let word =
                        |text: &str, at| phrase::word_after(text, at).or_else(|| self.no_word(text, at));
                    found.extend(after(regex, text, word));
                }
                Class::Note => found.extend(note(regex, text)),
                _ if regex.captures_len() == 1 => self.behind(lead, text, found),
                _ => self.inside(lead, text, found),
            }
        }
    }

    /// Returns the values that are no secrets.
    pub(super) fn values(&self) -> &Values {
        &self.values
    }

    fn behind(&self, lead: &CompiledLead, text: &str, found: &mut Vec<Range<usize>>) {
        let mut at = 0;
        while let Some(place) = lead.regex.get().find_at(text.as_bytes(), at) {
            let (start, end) = (place.start(), place.end());
            let itself = text.get(place.range()).unwrap_or_default();
            // The blanks at the end of a lead may begin the next one: `--batch --passphrase …`.
            at = end.min(start + itself.trim_end_matches([' ', '\t']).len().max(1));
            if lead.is_excluded(itself) {
                continue;
            }
            let Some(look) = self.look(lead.class, itself) else { continue };
            let value = value::open_quote(text.get(..end).unwrap_or_default())
                .and_then(|quote| value::quoted_at(text, end, quote));
            let Some(value) = value.or_else(|| value::at(text, end)) else { continue };
            let inner = text.get(value.inner.clone()).unwrap_or_default();
            let look = look.of_quoted(text.get(end..).is_some_and(|rest| rest.starts_with(['"', '\''])));
            let is_message =
                inner.starts_with('?') && text.get(..start).is_some_and(|text| text.ends_with("${"));
            if !is_message && !value::is_called(text, &value.inner) && self.values.is_secret(inner, look) {
                at = value.whole.end;
                if lead.class == Class::Code {
                    found.extend(value::more_codes(text, &value.inner));
                }
                // Both spans, so the same value without its quotes is recognised elsewhere.
                found.extend([value.whole, value.inner]);
            }
        }
    }

    /// Returns the span of the secret that begins at an offset and is in quotes or unlike a word.
    fn no_word(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let is_open = text.get(at..)?.starts_with(['"', '\'']);
        let look = if is_open { SecretLook::Any } else { SecretLook::Odd };
        let value = value::at(text, at)?;
        self.values.is_secret(text.get(value.inner)?, look).then_some(value.whole)
    }

    fn inside(&self, lead: &CompiledLead, text: &str, found: &mut Vec<Range<usize>>) {
        for captures in lead.regex.get().captures_iter(text.as_bytes()) {
            let value = captures.iter().skip(1).flatten().next();
            let (Some(all), Some(value)) = (captures.get(0), value) else { continue };
            let before = text.get(all.start()..value.start()).unwrap_or_default();
            let inner = text.get(value.range()).unwrap_or_default();
            let look = self.look(lead.class, before);
            if look.is_some_and(|look| self.values.is_secret(inner, look)) {
                found.push(value.range());
            }
        }
    }

    /// Returns the look that a value after this text must have to be a secret; `None` if it is none.
    fn look(&self, class: Class, lead: &str) -> Option<SecretLook> {
        match class {
            Class::Named => self.names.look(lead),
            Class::Loose => self.names.look(lead).map(|_| SecretLook::Strong),
            _ => class.look(),
        }
    }

    fn pairs(&self, regex: &Regex, text: &str, found: &mut Vec<Range<usize>>) {
        for lead in regex.find_iter(text.as_bytes()) {
            let values = header::pairs(text, lead.end());
            found.extend(values.into_iter().filter(|place| {
                let value = text.get(place.clone()).unwrap_or_default();
                self.values.is_secret(value, SecretLook::Strong)
            }));
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

    /// Reports whether the last word of a match says that it is no lead.
    fn is_excluded(&self, matched: &str) -> bool {
        let last = matched.split_whitespace().next_back().unwrap_or_default();
        self.unless.iter().any(|word| last.eq_ignore_ascii_case(word))
    }
}

impl Class {
    /// Returns the look that this class alone determines.
    pub(super) fn look(self) -> Option<SecretLook> {
        match self {
            Self::Any => Some(SecretLook::Any),
            Self::Strong => Some(SecretLook::Strong),
            Self::Odd => Some(SecretLook::Odd),
            Self::Said => Some(SecretLook::Said),
            Self::Made => Some(SecretLook::Made),
            Self::Guess => Some(SecretLook::Guess),
            Self::Code => Some(SecretLook::Code),
            Self::Named
            | Self::Loose
            | Self::Header
            | Self::Pairs
            | Self::Phrase
            | Self::Words
            | Self::Word
            | Self::Sentence
            | Self::Note => None,
        }
    }
}

/// Returns the span of the word at the end of a note.
fn note(regex: &Regex, text: &str) -> Option<Range<usize>> {
    let found = regex.captures(text.as_bytes())?;
    let (first, word) = (found.get(1)?, found.get(2)?);
    (!phrase::begins_request(text.get(first.range())?)).then(|| phrase::word_after(text, word.start()))?
}

/// Returns the spans that `read` finds at group 1 of each match, or after a match without one.
fn after(
    regex: &Regex,
    text: &str,
    read: impl Fn(&str, usize) -> Option<Range<usize>>,
) -> impl Iterator<Item = Range<usize>> {
    let at = |found: Captures| found.get(1).map(|group| group.start()).or_else(|| Some(found.get(0)?.end()));
    regex.captures_iter(text.as_bytes()).filter_map(at).filter_map(move |at| read(text, at))
}

impl SecretNames {
    /// Reports whether a name describes a secret but contains none. The end of a name does, such as `_host`, unless the
    /// name of a secret follows: `MAIL_HOST_PASSWORD`.
    fn is_innocent(&self, name: &str) -> bool {
        let is_secret = |rest: &str| self.any.iter().any(|word| rest.contains(word.as_str()));
        self.innocent.iter().any(|word| {
            let is_end = word.starts_with(['_', '-']);
            name.split_once(word.as_str()).is_some_and(|(_, rest)| !is_end || !is_secret(rest))
        })
    }

    /// Returns the look that a value must have to be a secret, by the name in its lead; `None` if the name indicates no
    /// secret.
    fn look(&self, whole: &str) -> Option<SecretLook> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-$".contains(c);
        let lead = whole.trim_end_matches(|c: char| !is_name(c));
        let name = lead.rsplit(|c: char| !is_name(c)).next()?;
        // `-pSECRET_1_PLACEHOLDER db`: a placeholder as name does not describe the value after it.
        if ends_in_one(name) {
            return None;
        }
        let lower = name.to_ascii_lowercase();
        let has = |words: &[String]| words.iter().any(|word| lower.contains(word.as_str()));
        let is_file =
            lower.rsplit_once('.').is_some_and(|(_, end)| self.file_ends.iter().any(|known| known == end));
        // `PASS: TestLogin`, in the output of tests.
        let is_result = name == "PASS" && whole.ends_with(": ");
        if is_file || is_result || self.not_names.contains(&lower) || self.is_innocent(&lower) {
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
