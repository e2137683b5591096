//! Filters of `jq` that look for a key where the file has none: `.[].name` for `{"users": [{"name": …}]}` (jq 1.7, manual,
//! "Basic filters").

use std::collections::BTreeSet;

use serde_json::Value;

use super::call::{Filter, contradiction, is_name, read};
use super::lexer::{FilterKind, FilterToken, tokens};
use super::list;
use crate::here::call::Call;
use crate::here::{Case, Contradiction, Subject};
use crate::request::is_same_noun;
use askline_syntax::Span;

/// Parts of filters that allow for a missing key, or make one.
const ALLOWING: [&str; 9] = ["?", "//", "|=", "+=", "-=", "*=", "has(", "del(", "$"];
/// Functions whose argument is applied to what comes in, which goes on.
const SAME: [&str; 1] = ["select"];
/// Functions whose argument is applied to each element of an array that comes in; those of `KEEPING` give the array back.
const EACH: [&str; 9] =
    ["map", "sort_by", "unique_by", "group_by", "min_by", "max_by", "any", "all", "map_values"];
const KEEPING: [&str; 2] = ["sort_by", "unique_by"];
/// Maximum number of values and of filters inside filters that are followed, and of elements of an array that are searched.
const VALUES_MAX: usize = 200;
const DEPTH_MAX: usize = 6;
const ELEMENTS_MAX: usize = 20;
/// Keys that objects of any kind have.
const COMMON: [&str; 28] = [
    "author",
    "body",
    "city",
    "created",
    "date",
    "description",
    "email",
    "id",
    "key",
    "kind",
    "label",
    "login",
    "message",
    "name",
    "number",
    "owner",
    "path",
    "size",
    "state",
    "status",
    "text",
    "time",
    "title",
    "type",
    "url",
    "user",
    "value",
    "version",
];
/// Maximum number of keys that a message names.
const KEYS_MAX: usize = 6;
/// Maximum number of places of a filter that are edited.
const EDITS_MAX: usize = 4;
/// A step of a path, with its bytes in the filter.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String, Span),
    Each,
    Nth(usize),
}

/// A key that no value has where the filter looks for it.
#[derive(Debug, PartialEq, Eq)]
struct Lost {
    key: String,
    /// The step in the filter.
    span: Span,
    /// The keys that are there.
    keys: BTreeSet<String>,
    /// The bytes of the filter that lead to the value, if a path in their place leads elsewhere.
    lead: Option<Span>,
    /// `true` if the values are the elements of the array at that path.
    is_element: bool,
    /// The only path below the values that leads to the key, if it does in each of them: `.customer`.
    below: Option<String>,
}

/// Returns the first key of each filter that its file lacks.
pub(in crate::here) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let held = |call: &Call<'_>| {
        let filter = read(case, call)?;
        list::compare(case, &filter).or_else(|| compare(case, &filter))
    };
    case.calls.iter().filter(|call| call.name == "jq").filter_map(held).collect()
}

fn compare(case: &Case<'_>, filter: &Filter<'_>) -> Option<Contradiction> {
    let Filter { file, text: program, start, documents, .. } = filter;
    let assigns =
        program.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", "").contains('=');
    // "country" is no `try`.
    let is_try = |token: &FilterToken<'_>| token.kind == FilterKind::Word("try");
    let mut reading = Reading::of(program)?;
    let tries = reading.tokens.iter().any(is_try);
    if assigns || tries || ALLOWING.iter().any(|part| program.contains(part)) {
        return None;
    }
    let lost = reading.pipeline(0..program.len(), documents.iter().collect()).err()?;
    let mut places = BTreeSet::new();
    documents.iter().for_each(|document| search(document, &lost.key, String::new(), DEPTH_MAX, &mut places));
    let text = format!("nothing in `{file}` has `.{}` where this looks for it", lost.key);
    // A title, a name or a state may as well be that of something else.
    let is_common = COMMON.contains(&lost.key.to_lowercase().as_str());
    let is_said =
        |part: &str| case.tokens.iter().any(|token| is_same_noun(&token.lower, &part.to_lowercase()));
    let is_named = |path: &str| path.split('.').filter(|part| !part.is_empty()).any(is_said);
    // What stands in the list itself is no part of something else.
    let is_else = |path: &str| {
        let below = path.rsplit("[]").next().unwrap_or_default();
        is_common && !below.is_empty() && !is_named(below)
    };
    if !lost.below.as_deref().is_some_and(is_else)
        && let Some(new) = deepened(filter, &lost)
    {
        let below = lost.below.clone().unwrap_or_default();
        let facts = format!("there it is `{below}.{}`", lost.key);
        return Some(contradiction(case, filter, (text, facts), &new));
    }
    let (facts, edit) = remedy(&lost, &places, program);
    let edit = edit.filter(|_| !places.first().is_some_and(|place| is_else(place)));
    let span = start + lost.span.start..start + lost.span.end;
    let edit = edit.map(|(span, new)| (start + span.start..start + span.end, new));
    Some(case.contradiction(Subject::Columns, span, (text, facts), edit))
}

/// Returns the filter in which each place of a key leads to the only one below: `.customer.country` for `.country`.
fn deepened(filter: &Filter<'_>, lost: &Lost) -> Option<String> {
    let below = lost.below.as_ref()?;
    let mut text = filter.text.to_owned();
    let count = tokens(filter.text)?.iter().filter(|it| it.kind == FilterKind::Field(&lost.key)).count();
    let mut found = Some(lost.span.clone());
    let mut edited = 0;
    while let Some(span) = found.take() {
        // `{country}` needs a name, and is left.
        let is_step = text.get(span.clone())?.starts_with('.');
        if !is_step || EDITS_MAX <= edited {
            return None;
        }
        for at in beside(&text, span.start, &lost.key)?.into_iter().rev() {
            text.insert_str(at, below);
            edited += 1;
        }
        let next = Reading::of(&text)?.pipeline(0..text.len(), filter.documents.iter().collect()).err();
        if let Some(next) = next {
            let is_same = next.key == lost.key && next.below == lost.below;
            found = Some(next.span).filter(|_| is_same);
            found.as_ref()?;
        }
    }
    // One in a string or behind a function that is not followed would stay as it is.
    (edited == count).then_some(text)
}

/// Returns what is there instead, and the edit of the filter if only one is possible.
fn remedy(lost: &Lost, places: &BTreeSet<String>, filter: &str) -> (String, Option<(Span, String)>) {
    let mut places = places.iter();
    if let (Some(place), None) = (places.next(), places.next()) {
        let facts = format!("there it is `{place}.{}`", lost.key);
        let new = match lost.is_element {
            true => place.strip_suffix("[]").map(str::to_owned),
            false => Some(place.clone()),
        };
        let edit = lost.lead.clone().zip(new).map(|(lead, new)| match lead.is_empty() {
            // The filter begins with a function.
            true if lost.is_element => (lead, format!("{new} | ")),
            _ => (lead, new),
        });
        return (facts, edit);
    }
    let plain = |key: &str| key.to_lowercase().replace(['_', '-'], "");
    let mut near = lost.keys.iter().filter(|key| plain(key) == plain(&lost.key));
    if let (Some(near), None) = (near.next(), near.next()) {
        let is_bare = filter.get(lost.span.clone()).is_some_and(|step| step == format!(".{}", lost.key));
        let is_name = !near.contains('-') && !near.starts_with(|c: char| c.is_ascii_digit());
        let edit = (is_bare && is_name).then(|| (lost.span.clone(), format!(".{near}")));
        return (format!("it has `{near}`"), edit);
    }
    let keys: Vec<String> = lost.keys.iter().take(KEYS_MAX).map(|key| format!("`{key}`")).collect();
    (if keys.is_empty() { String::new() } else { format!("it has {}", keys.join(", ")) }, None)
}

/// Collects the paths to objects that have a key, with arrays as `[]`.
fn search(value: &Value, key: &str, path: String, depth: usize, places: &mut BTreeSet<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(map) => {
            if map.contains_key(key) {
                places.insert(path.clone());
            }
            for (name, inner) in map.iter().filter(|(name, _)| is_name(name)).take(VALUES_MAX) {
                search(inner, key, format!("{path}.{name}"), depth, places);
            }
        }
        Value::Array(elements) => {
            let path = if path.is_empty() { ".[]".to_owned() } else { format!("{path}[]") };
            for inner in elements.iter().take(ELEMENTS_MAX) {
                search(inner, key, path.clone(), depth, places);
            }
        }
        _ => {}
    }
}

/// Returns the place of a field and those where the same expression names it again, for the same value: `.a == 1 or .a == 2`.
fn beside(filter: &str, start: usize, key: &str) -> Option<Vec<usize>> {
    let tokens = tokens(filter)?;
    let first = tokens.iter().position(|token| token.span.start == start)?;
    let depth = tokens.get(first)?.depth;
    let mut places = vec![start];
    for pair in tokens.get(first..)?.windows(2) {
        let [before, token] = pair else { continue };
        match token.kind {
            _ if token.depth < depth => break,
            FilterKind::Sign("|") if token.depth == depth => break,
            // `.a.b` and `$x.b` name a key of another value.
            FilterKind::Field(name)
                if name == key && token.depth == depth && before.span.end < token.span.start =>
            {
                places.push(token.span.start);
            }
            _ => {}
        }
    }
    Some(places)
}

/// A filter that is applied to the values of a file, as far as it is understood.
struct Reading<'f> {
    filter: &'f str,
    tokens: Vec<FilterToken<'f>>,
    lead: Option<Span>,
    is_element: bool,
    depth: usize,
}

impl<'f> Reading<'f> {
    /// Returns `None` if the filter can't be read.
    fn of(filter: &'f str) -> Option<Self> {
        Some(Self { filter, tokens: tokens(filter)?, lead: Some(0..0), is_element: false, depth: 0 })
    }

    /// Returns the tokens of a part.
    fn tokens(&self, span: &Span) -> &[FilterToken<'f>] {
        let from = self.tokens.partition_point(|token| token.span.start < span.start);
        let to = self.tokens.partition_point(|token| token.span.start < span.end);
        self.tokens.get(from..to).unwrap_or_default()
    }

    /// Splits a part at a sign outside of brackets and strings, without the blanks around.
    fn parts(&self, span: Span, sign: &str) -> Vec<Span> {
        let tokens = self.tokens(&span);
        let depth = tokens.iter().map(|token| token.depth).min();
        let signs = tokens.iter().filter(|it| it.kind == FilterKind::Sign(sign) && Some(it.depth) == depth);
        let ends = signs.map(|it| it.span.clone()).chain(std::iter::once(span.end..span.end));
        let mut from = span.start;
        let parts = ends.map(|end| std::mem::replace(&mut from, end.end)..end.start);
        let trimmed = |part: Span| {
            let text = self.filter.get(part.clone()).unwrap_or_default();
            let start = part.start + text.len() - text.trim_start().len();
            start..(part.start + text.trim_end().len()).max(start)
        };
        parts.map(trimmed).collect()
    }

    /// Returns the text before the bracket that a part ends with, and the part inside of it: `map` and `.a` of `map(.a)`.
    fn bracketed(&self, span: &Span, (open, close): (&str, &str)) -> Option<(&'f str, Span)> {
        let tokens = self.tokens(span);
        let first = tokens.iter().position(|token| token.kind == FilterKind::Sign(open))?;
        let [opening, inner @ .., closing] = tokens.get(first..)? else { return None };
        let is_pair = closing.kind == FilterKind::Sign(close)
            && closing.depth == opening.depth
            && inner.iter().all(|token| opening.depth < token.depth);
        let before = self.filter.get(span.start..opening.span.start)?;
        is_pair.then_some((before, opening.span.end..closing.span.start))
    }

    /// Follows the terms between `|`. What it doesn't understand ends it without a result.
    fn pipeline(&mut self, span: Span, mut values: Vec<&Value>) -> Result<(), Lost> {
        self.depth += 1;
        if DEPTH_MAX < self.depth {
            return Ok(());
        }
        let parts = self.parts(span, "|");
        for (index, part) in parts.iter().enumerate() {
            let alternatives = self.parts(part.clone(), ",");
            let is_only = alternatives.len() == 1;
            let mut next = None;
            for one in alternatives {
                next = self.term(one, &values, index == 0)?;
            }
            match next.filter(|_| is_only) {
                Some(next) => values = next,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Follows one term. Returns what it gives, if that is known.
    fn term<'v>(
        &mut self,
        span: Span,
        values: &[&'v Value],
        is_first: bool,
    ) -> Result<Option<Vec<&'v Value>>, Lost> {
        let text = self.filter.get(span.clone()).unwrap_or_default();
        if text.starts_with('.') {
            return self.path(span, values, is_first);
        }
        if let Some((name, inner)) = self.bracketed(&span, ("(", ")")) {
            let name = name.trim();
            let depth = self.depth;
            if SAME.contains(&name) {
                self.pipeline(inner, values.to_vec())?;
                self.depth = depth;
                return Ok(Some(values.to_vec()));
            }
            // `any(.roles[]; . == "dev")` takes what comes in itself.
            if EACH.contains(&name) && self.parts(inner.clone(), ";").len() == 1 {
                let before = (self.lead.clone(), self.is_element);
                self.is_element = true;
                if !is_first {
                    self.lead = self.lead.take().filter(|lead| !lead.is_empty());
                }
                self.pipeline(inner, each(values))?;
                (self.lead, self.is_element) = before;
                self.depth = depth;
                return Ok(KEEPING.contains(&name).then(|| values.to_vec()));
            }
        }
        if let Some(("", inner)) = self.bracketed(&span, ("[", "]")) {
            self.pipeline(inner, values.to_vec())?;
        } else if let Some(("", inner)) = self.bracketed(&span, ("{", "}")) {
            self.object(inner, values)?;
        }
        Ok(None)
    }

    /// Follows the values of an object that the filter makes: `{name, years: .age}`.
    fn object(&mut self, span: Span, values: &[&Value]) -> Result<(), Lost> {
        for entry in self.parts(span, ",") {
            let sides = self.parts(entry.clone(), ":");
            match sides.as_slice() {
                [_, value] => self.pipeline(value.clone(), values.to_vec())?,
                [name] => {
                    let key = self.filter.get(name.clone()).unwrap_or_default();
                    if is_name(key) {
                        self.key(key, name.clone(), values)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Follows a path. Text behind it, such as a comparison, ends it.
    fn path<'v>(
        &mut self,
        span: Span,
        values: &[&'v Value],
        is_first: bool,
    ) -> Result<Option<Vec<&'v Value>>, Lost> {
        let (steps, end) = steps(self.filter, span.clone());
        let (outer, mut values) = (self.lead.clone(), values.to_vec());
        let is_lead = is_first && outer.as_ref().is_some_and(Span::is_empty) && !self.is_element;
        for step in &steps {
            if is_lead && let Step::Key(_, at) = step {
                self.lead = Some(span.start..at.start);
            }
            values = match step {
                Step::Key(key, at) => self.key(key, at.clone(), &values)?,
                Step::Each => each(&values),
                Step::Nth(index) => values.iter().filter_map(|value| value.get(*index)).collect(),
            };
        }
        let is_whole = end == span.end;
        // A path of other steps than keys may be replaced as a whole, one with keys leads somewhere on purpose.
        let has_key = steps.iter().any(|step| matches!(step, Step::Key(..)));
        let has_number = steps.iter().any(|step| matches!(step, Step::Nth(_)));
        self.lead = match is_lead && !has_key && !has_number && is_whole {
            true => Some(span),
            false => None,
        };
        Ok(is_whole.then_some(values))
    }

    /// Returns the values of a key.
    fn key<'v>(&self, key: &str, span: Span, values: &[&'v Value]) -> Result<Vec<&'v Value>, Lost> {
        let found: Vec<&Value> = values.iter().filter_map(|value| value.as_object()?.get(key)).collect();
        let is_known = values.iter().any(|value| value.is_object() || value.is_array());
        if !found.is_empty() || !is_known || !is_name(key) {
            return Ok(found);
        }
        let objects = values.iter().filter_map(|value| value.as_object());
        let keys = objects.flat_map(|map| map.keys()).filter(|key| is_name(key)).cloned().collect();
        let (lead, is_element) = (self.lead.clone(), self.is_element);
        Err(Lost { key: key.to_owned(), span, keys, lead, is_element, below: below(key, values) })
    }
}

/// Returns the only path below objects that leads to a key in each of them.
fn below(key: &str, values: &[&Value]) -> Option<String> {
    let mut common: Option<String> = None;
    for value in values {
        let mut places = BTreeSet::new();
        search(value.as_object().map(|_| value)?, key, String::new(), DEPTH_MAX, &mut places);
        let (Some(place), None) = (places.pop_first(), places.pop_first()) else { return None };
        if place.contains('[') || common.as_ref().is_some_and(|common| *common != place) {
            return None;
        }
        common = Some(place);
    }
    common
}

/// Returns the elements of arrays and the values of objects.
fn each<'v>(values: &[&'v Value]) -> Vec<&'v Value> {
    let inner = |value: &'v Value| -> Vec<&'v Value> {
        match value {
            Value::Array(elements) => elements.iter().take(VALUES_MAX).collect(),
            Value::Object(map) => map.values().take(VALUES_MAX).collect(),
            _ => Vec::new(),
        }
    };
    values.iter().flat_map(|value| inner(value)).take(VALUES_MAX).collect()
}

/// Returns the steps at the beginning of a text, and where they end.
fn steps(filter: &str, span: Span) -> (Vec<Step>, usize) {
    let mut steps = Vec::new();
    let mut at = span.start;
    while let Some(rest) = filter.get(at..span.end).filter(|rest| !rest.is_empty()) {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if let Some(name) =
            rest.strip_prefix('.').map(|rest| rest.split(|c| !is_word(c)).next().unwrap_or_default())
            && !name.is_empty()
        {
            let end = at + 1 + name.len();
            steps.push(Step::Key(name.to_owned(), at..end));
            at = end;
        } else if let Some(inner) = rest.strip_prefix(".[").or_else(|| rest.strip_prefix('[')) {
            let Some((index, _)) = inner.split_once(']') else { break };
            steps.push(match index {
                "" => Step::Each,
                _ => match index.parse() {
                    Ok(index) => Step::Nth(index),
                    Err(_) => break,
                },
            });
            at += rest.len() - inner.len() + index.len() + 1;
        } else if steps.is_empty() && at == span.start && rest.starts_with('.') {
            at += 1;
            break;
        } else {
            break;
        }
    }
    (steps, at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const USERS: &str = r#"{"total": 2, "users": [{"name": "ann", "age": 31, "home": {"city": "York"}}, {"name": "bob", "age": 28}]}"#;

    /// Returns the facts and the filter after its edit.
    fn held(filter: &str, json: &str) -> Option<(String, String)> {
        let document: Value = serde_json::from_str(json).unwrap();
        let lost = Reading::of(filter)?.pipeline(0..filter.len(), vec![&document]).err()?;
        let mut places = BTreeSet::new();
        search(&document, &lost.key, String::new(), DEPTH_MAX, &mut places);
        let (facts, edit) = remedy(&lost, &places, filter);
        let edited = edit.map(|(span, new)| {
            let (before, behind) = (filter.get(..span.start).unwrap(), filter.get(span.end..).unwrap());
            format!("{before}{new}{behind}")
        });
        let edited = edited.unwrap_or_default();
        Some((facts, edited))
    }

    #[test]
    fn keys_that_are_elsewhere_are_found() {
        for (filter, edited) in [
            (".[].name", ".users[].name"),
            (".[] | .name", ".users[] | .name"),
            (".name", ".users[].name"),
            (".[] | select(.age > 30) | .name", ".users[] | select(.age > 30) | .name"),
            (".[] | select(.age > 30 and .name == \"x\")", ".users[] | select(.age > 30 and .name == \"x\")"),
            ("map(.age) | add", ".users | map(.age) | add"),
            ("sort_by(.age)", ".users | sort_by(.age)"),
            ("[.[] | .age] | add", "[.users[] | .age] | add"),
            (".[] | {name, city: .home.city}", ".users[] | {name, city: .home.city}"),
            (".users[].city", ".users[].home.city"),
            (".users[].Name", ".users[].name"),
            (".users | .name", ""),
        ] {
            let (_, found) = held(filter, USERS).unwrap_or_else(|| panic!("{filter}"));
            assert_eq!(found, edited, "{filter}");
        }
        assert_eq!(held(".users[].mail", USERS).unwrap().0, "it has `age`, `home`, `name`");
        assert_eq!(held(".[].name", USERS).unwrap().0, "there it is `.users[].name`");
    }

    #[test]
    fn filters_that_find_something_are_right() {
        for filter in [
            ".",
            ".users[].name",
            ".users | length",
            ".users[0].home.city",
            ".users[] | select(.name == \"ann\") | .age",
            ".users | map(select(.age > 30)) | length",
            ".users | sort_by(.age) | .[].name",
            ".users[].home.city",
            "[.users[].age] | add / length",
            ".users | max_by(.age) | .name",
            "keys",
            // A string in an interpolation is no end of the string around it.
            ".users[] | \"\\(.name | split(\" | .none \") | join(\"(\"))\"",
            "to_entries[] | .value",
            ".users[] | \"\\(.name) \\(.years)\"",
            ".users[] | select(any(.home; . != null)) | .name",
            ".. | .name",
            ".[]",
            "",
        ] {
            assert_eq!(held(filter, USERS), None, "{filter}");
        }
        assert_eq!(held(".[] | .name", r#"[{"name": 1}]"#), None);
        assert_eq!(held(".[] | .name", "[]"), None);
    }

    proptest! {
        #[test]
        fn no_filter_panics(filter in r#"[.a-c\[\]{}()|, "\\0-9é]{0,30}"#, json in r#"[\[\]{}"a-c:,1 ]{0,20}"#) {
            if serde_json::from_str::<Value>(&json).is_ok() {
                let _ = held(&filter, &json);
            }
            let _ = held(&filter, USERS);
        }
    }
}
