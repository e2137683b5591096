//! The ASCII text that another character looks like, from the confusables of UTS #39.

use std::collections::HashMap;
use std::sync::LazyLock;

use icu_properties::props::GeneralCategory;
use unicode_security::skeleton;

use super::characters::category;

/// Signs that look like ASCII in a terminal's font but are not in the list of the standard.
const MORE_SIGNS: &[(char, &str)] = &[('\u{2016}', "|"), ('\u{204F}', ";"), ('\u{2758}', "|")];
/// Letters of living languages that readers do not confuse with another one: Latin with marks. `ı` is taken for `i`.
const OWN_LETTERS: std::ops::RangeInclusive<char> = '\u{C0}'..='\u{24F}';
/// Click letters, which look like signs.
const CLICKS: std::ops::RangeInclusive<char> = '\u{1C0}'..='\u{1C3}';
/// First of the styled digits; digits below belong to a writing system.
const STYLED_DIGITS: char = '\u{1CCF0}';

/// ASCII characters by the form that they share with others.
struct Forms {
    signs: HashMap<String, char>,
    letters: HashMap<String, char>,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let by_form = |chars: &mut dyn Iterator<Item = char>| {
        let mut forms = HashMap::new();
        for c in chars {
            forms.entry(form(c)).or_insert(c);
        }
        forms
    };
    let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
    Forms {
        signs: by_form(&mut ('!'..='~').filter(char::is_ascii_punctuation)),
        letters: by_form(&mut { letters }),
    }
});

fn form(c: char) -> String {
    skeleton(c.encode_utf8(&mut [0; 4])).collect()
}

/// Returns the ASCII signs that a character looks like: `..` for U+2025; `None` for ASCII and for letters.
pub(super) fn sign(c: char) -> Option<String> {
    if c.is_ascii() || !may_be_sign(c) {
        return None;
    }
    if let Some((_, like)) = MORE_SIGNS.iter().find(|(alike, _)| *alike == c) {
        return Some((*like).to_owned());
    }
    let form = form(c);
    if let Some(sign) = FORMS.signs.get(&form) {
        return Some(sign.to_string());
    }
    (!form.is_empty() && form.bytes().all(|byte| byte.is_ascii_punctuation())).then_some(form)
}

fn may_be_sign(c: char) -> bool {
    match category(c) {
        GeneralCategory::OtherLetter => CLICKS.contains(&c),
        GeneralCategory::ModifierLetter => true,
        _ => !c.is_alphanumeric(),
    }
}

/// Returns the ASCII letter or digit that a letter looks like; `None` for ASCII.
pub(super) fn letter(c: char) -> Option<char> {
    let is_own = OWN_LETTERS.contains(&c) && c != 'ı';
    let is_native_digit = category(c) == GeneralCategory::DecimalNumber && c < STYLED_DIGITS;
    if c.is_ascii() || !c.is_alphanumeric() || is_own || is_native_digit {
        return None;
    }
    FORMS.letters.get(&form(c)).copied()
}
