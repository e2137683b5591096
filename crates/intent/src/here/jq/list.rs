//! Filters of `jq` that take the top of a file for the list in it: `map(.total)` for `{"generated": …, "orders": [{"total": …}]}`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::call::{Filter, contradiction, is_name};
use super::lexer::{FilterKind, FilterToken, tokens};
use crate::here::{Case, Contradiction};
use crate::phrase::Phrase;
use crate::request::is_same_noun;

/// Functions with an argument for the elements of a list; of an object the first ones take the values, the others nothing.
const OF_VALUES: [&str; 3] = ["map", "any", "all"];
const OF_LISTS: [&str; 5] = ["group_by", "sort_by", "unique_by", "min_by", "max_by"];
/// Functions without an argument that take nothing but a list.
const OF_LISTS_ALONE: [&str; 5] = ["first", "last", "reverse", "sort", "unique"];
/// Functions that may take what `.[]` gives for a list: the list itself is among the values of the top.
const OF_INNER: [&str; 7] = ["length", "add", "flatten", "join", "range", "index", "limit"];
/// Words of filters that may mean the top, make another input, or allow for any.
const OTHER: [&str; 40] = [
    "nth",
    "until",
    "while",
    "repeat",
    "INDEX",
    "IN",
    "transpose",
    "combinations",
    "input",
    "inputs",
    "keys",
    "keys_unsorted",
    "to_entries",
    "with_entries",
    "walk",
    "recurse",
    "recurse_down",
    "paths",
    "leaf_paths",
    "path",
    "getpath",
    "setpath",
    "delpaths",
    "del",
    "has",
    "in",
    "env",
    "def",
    "import",
    "include",
    "try",
    "type",
    "objects",
    "arrays",
    "iterables",
    "scalars",
    "map_values",
    "tostream",
    "fromstream",
    "error",
];
/// Signs that change what comes in, which goes on.
const ASSIGNMENTS: [&str; 9] = ["=", "|=", "+=", "-=", "*=", "/=", "%=", "//=", "?//="];
/// Words of requests for a number of elements.
const COUNTING: &str = "how_many|count|counting|number_of";
/// Words for what is not the elements.
const TOPS: [&str; 8] = ["key", "keys", "field", "fields", "character", "characters", "bytes", "top-level"];
/// Maximum depth of values that are searched.
const DEPTH_MAX: usize = 6;
/// Maximum number of elements that are looked at.
const ELEMENTS_MAX: usize = 50;

/// The list of a file whose top is an object.
struct List<'v> {
    key: &'v str,
    elements: &'v [Value],
}

/// Returns the filter that works on the top where the list is meant.
pub(super) fn compare(case: &Case<'_>, filter: &Filter<'_>) -> Option<Contradiction> {
    let [Value::Object(top)] = filter.documents.as_slice() else { return None };
    if filter.is_slurped {
        return None;
    }
    let is_list = |value: &&Value| {
        value.as_array().is_some_and(|inner| !inner.is_empty() && inner.iter().all(Value::is_object))
    };
    let mut lists = top.iter().filter(|(_, value)| is_list(value));
    let (Some((key, list)), None) = (lists.next(), lists.next()) else { return None };
    // A pattern takes a list apart.
    if ["as [", "as {", "as["].iter().any(|part| filter.text.contains(part)) {
        return None;
    }
    let list = List { key: Some(key.as_str()).filter(|key| is_name(key))?, elements: list.as_array()? };
    let tokens = tokens(filter.text)?;
    let is_other = |token: &FilterToken<'_>| match token.kind {
        FilterKind::Word(word) => OTHER.contains(&word),
        FilterKind::Sign(sign) => sign == ".." || ASSIGNMENTS.contains(&sign),
        _ => false,
    };
    if tokens.iter().any(is_other) || filter.text.contains("$__") || filter.text.contains("$ENV") {
        return None;
    }
    let begin = Begin::of(&tokens)?;
    let fields = Fields::of(&tokens)?;
    let others = || top.iter().filter(|(other, _)| *other != list.key).map(|(_, value)| value);
    let is_elsewhere =
        |name: &&str| top.contains_key(*name) || others().any(|value| holds(value, name, DEPTH_MAX));
    if fields.read.iter().any(|name| is_elsewhere(name) || !fields.made.contains(name) && !list.holds(name)) {
        return None;
    }
    let is_wrong = match begin.kind {
        BeginKind::List => true,
        BeginKind::Values => takes_field(&tokens, begin.end),
        BeginKind::Length => counts(case, list.key),
    };
    if !is_wrong {
        return None;
    }
    let text = format!("the top of `{}` is no list", filter.file);
    let facts = format!("the list is `.{}`", list.key);
    let new = match begin.dot.filter(|_| is_alone(&tokens)) {
        Some(dot) => {
            let (before, behind) = (filter.text.get(..dot)?, filter.text.get(dot..)?);
            format!("{before}{}{behind}", list.key)
        }
        None => format!(".{} | {}", list.key, filter.text),
    };
    Some(contradiction(case, filter, (text, facts), &new))
}

/// The beginning of a filter that takes a list.
struct Begin {
    kind: BeginKind,
    /// The place behind the `.` of a filter that begins with one.
    dot: Option<usize>,
    /// Index of the token behind it.
    end: usize,
}

enum BeginKind {
    /// It takes nothing but a list.
    List,
    /// It takes the values of an object, too.
    Values,
    /// It counts them.
    Length,
}

impl Begin {
    fn of(tokens: &[FilterToken<'_>]) -> Option<Self> {
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        let is_sign = |at: usize, sign: &str| kind(at) == Some(FilterKind::Sign(sign));
        let (mut at, mut dot) = (0, None);
        if kind(0) == Some(FilterKind::Dot) {
            dot = tokens.first().map(|token| token.span.end);
            // `. | length`
            at = if is_sign(1, "|") { 2 } else { 0 };
        }
        while is_sign(at, "[")
            || is_sign(at, "(")
            || matches!(kind(at), Some(FilterKind::Word("reduce" | "foreach")))
        {
            at += 1;
        }
        let begin = |kind, length| Some(Self { kind, dot, end: at + length });
        match kind(at)? {
            FilterKind::Dot if is_sign(at + 1, "[") && is_sign(at + 2, "]") => begin(BeginKind::Values, 3),
            // `.[0]`, `.[-1]`, `.[:3]`; a text in the brackets would be a key.
            FilterKind::Dot if is_sign(at + 1, "[") => {
                let is_index = matches!(kind(at + 2)?, FilterKind::Number | FilterKind::Sign("-" | ":"));
                if is_index { begin(BeginKind::List, 3) } else { None }
            }
            FilterKind::Word(word) if is_sign(at + 1, "(") => match word {
                _ if OF_VALUES.contains(&word) => begin(BeginKind::Values, 2),
                _ if OF_LISTS.contains(&word) => begin(BeginKind::List, 2),
                _ => None,
            },
            FilterKind::Word(word) if tokens.len() == at + 1 || is_sign(at + 1, "|") => match word {
                "length" if tokens.len() == at + 1 => begin(BeginKind::Length, 1),
                _ if OF_LISTS_ALONE.contains(&word) => begin(BeginKind::List, 1),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The keys that a filter names.
struct Fields<'f> {
    read: BTreeSet<&'f str>,
    /// Those of the objects that it makes.
    made: BTreeSet<&'f str>,
}

impl<'f> Fields<'f> {
    /// Reads them; `None` if one is a text: `.["a b"]`.
    fn of(tokens: &[FilterToken<'f>]) -> Option<Self> {
        let mut fields = Self { read: BTreeSet::new(), made: BTreeSet::new() };
        let sign = |at: Option<usize>| match tokens.get(at?)?.kind {
            FilterKind::Sign(sign) => Some(sign),
            _ => None,
        };
        for (at, token) in tokens.iter().enumerate() {
            let before = at.checked_sub(1);
            let begins_entry = token.in_object && matches!(sign(before), Some("{" | ","));
            let has_value = sign(Some(at + 1)) == Some(":");
            let is_behind_dot =
                before.and_then(|at| tokens.get(at)).is_some_and(|it| it.kind == FilterKind::Dot);
            match token.kind {
                FilterKind::Field(name) => drop(fields.read.insert(name)),
                FilterKind::Word(name) if begins_entry && has_value => drop(fields.made.insert(name)),
                FilterKind::Word(name) if begins_entry => drop(fields.read.insert(name)),
                FilterKind::Text(name) if begins_entry && has_value => drop(fields.made.insert(name)),
                FilterKind::Text(_) if is_behind_dot || sign(before) == Some("[") => return None,
                _ => {}
            }
        }
        Some(fields)
    }
}

impl List<'_> {
    /// Reports whether an element has a key, or a value in one.
    fn holds(&self, name: &str) -> bool {
        self.elements.iter().take(ELEMENTS_MAX).any(|element| holds(element, name, DEPTH_MAX))
    }
}

/// Reports whether a value, or one in it, has a key.
fn holds(value: &Value, name: &str, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Object(map) => {
            map.contains_key(name) || map.values().take(ELEMENTS_MAX).any(|inner| holds(inner, name, depth))
        }
        Value::Array(elements) => elements.iter().take(ELEMENTS_MAX).any(|inner| holds(inner, name, depth)),
        _ => false,
    }
}

/// Reports whether a field comes next, of what the beginning gives: nothing takes the elements of that before.
fn takes_field(tokens: &[FilterToken<'_>], from: usize) -> bool {
    let has_value = |at: usize| tokens.get(at + 1).is_some_and(|next| next.kind == FilterKind::Sign(":"));
    for (at, token) in tokens.iter().enumerate().skip(from) {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let is_behind = |signs: &[&str]| {
            before.is_some_and(|it| match it.kind {
                FilterKind::Sign(sign) => signs.contains(&sign),
                FilterKind::Dot => true,
                _ => false,
            })
        };
        match token.kind {
            FilterKind::Field(_) => return true,
            // `{id, total}`
            FilterKind::Word(_) if token.in_object && is_behind(&["{", ","]) && !has_value(at) => {
                return true;
            }
            FilterKind::Sign("[") if is_behind(&["]"]) => return false,
            FilterKind::Word(word)
                if OF_VALUES.contains(&word)
                    || OF_LISTS.contains(&word)
                    || OF_LISTS_ALONE.contains(&word)
                    || OF_INNER.contains(&word) =>
            {
                return false;
            }
            _ => {}
        }
    }
    false
}

/// Reports whether only the beginning of a filter takes its input: an operator before the first `|` has another side.
fn is_alone(tokens: &[FilterToken<'_>]) -> bool {
    let mut depth = 0_usize;
    for token in tokens {
        match token.kind {
            FilterKind::Sign("(" | "[" | "{") => depth += 1,
            FilterKind::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
            FilterKind::Sign("|") if depth == 0 => return true,
            FilterKind::Dot | FilterKind::Field(_) | FilterKind::Sign("?") => {}
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    true
}

/// Reports whether a request asks for the number of the elements: "how many orders".
fn counts(case: &Case<'_>, key: &str) -> bool {
    let is_key = |lower: &str| is_same_noun(lower, &key.to_lowercase());
    let is_said = case.tokens.iter().any(|token| !token.quoted && is_key(&token.lower));
    is_said && !case.has_word(&TOPS) && Phrase::from(COUNTING.to_owned()).find(&case.tokens, 0).is_some()
}

#[cfg(test)]
mod tests {
    use crate::here::{Head, Here, adapt, contradictions};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    const ORDERS: &str = r#"{"generated": "2026-11-20", "orders": [
        {"id": 1, "status": "open", "total": 20.5, "items": [{"sku": "a", "qty": 2, "price": 3}], "customer": {"name": "Ann", "country": "DE"}},
        {"id": 2, "status": "paid", "total": 7, "items": [], "customer": {"name": "Bob", "country": "FR"}, "note": "x"}
    ]}"#;
    const LIST: &str =
        r#"[{"id": 1, "status": "open", "total": 2}, {"id": 2, "status": "paid", "total": 3}]"#;
    const TWO: &str = r#"{"open": [{"id": 1}], "paid": [{"id": 2}]}"#;
    const ALONE: &str = r#"{"orders": [{"id": 1, "status": "open", "total": 2}]}"#;
    const LIKE: &str = r#"{"status": "ok", "orders": [{"status": "open"}], "last": {"total": 3}}"#;
    const BY_NAME: &str = r#"{"ann": {"age": 3, "pets": [{"age": 1}]}, "bob": {"age": 4}}"#;

    /// Wrong filters and what is right.
    const WRONG: &[(&str, &str, &str)] = &[
        (
            "sum of the totals in orders.json by status",
            r#"jq 'group_by(.status)[] | "\(.[0].status) \(map(.total) | add)"' orders.json"#,
            r#"jq '.orders | group_by(.status)[] | "\(.[0].status) \(map(.total) | add)"' orders.json"#,
        ),
        (
            "open orders",
            r#"jq '.[] | select(.status == "open")' orders.json"#,
            r#"jq '.orders[] | select(.status == "open")' orders.json"#,
        ),
        ("all totals", "jq '.[].total' orders.json", "jq '.orders[].total' orders.json"),
        ("all totals", "jq -r .[].total orders.json", "jq -r '.orders[].total' orders.json"),
        ("all totals", "cat orders.json | jq '.[].total'", "cat orders.json | jq '.orders[].total'"),
        (
            "id and total",
            "jq -rc '.[].id, .[].total' orders.json",
            "jq -rc '.orders | .[].id, .[].total' orders.json",
        ),
        (
            "sum of the totals",
            "jq '[.[] | .total] | add' orders.json",
            "jq '.orders | [.[] | .total] | add' orders.json",
        ),
        (
            "sum of the totals",
            "jq 'map(.total) | add' orders.json",
            "jq '.orders | map(.total) | add' orders.json",
        ),
        (
            "sum of the totals",
            "jq 'reduce .[] as $o (0; . + $o.total)' orders.json",
            "jq '.orders | reduce .[] as $o (0; . + $o.total)' orders.json",
        ),
        (
            "totals per id",
            "jq '.[] as $o | $o.id' orders.json",
            "jq '.orders | .[] as $o | $o.id' orders.json",
        ),
        ("how many orders", "jq length orders.json", "jq '.orders | length' orders.json"),
        ("count the orders", "jq '. | length' orders.json", "jq '.orders | length' orders.json"),
        (
            "number of open orders",
            r#"jq '[.[] | select(.status == "open")] | length' orders.json"#,
            r#"jq '.orders | [.[] | select(.status == "open")] | length' orders.json"#,
        ),
        ("orders by total", "jq 'sort_by(.total)' orders.json", "jq '.orders | sort_by(.total)' orders.json"),
        ("largest order", "jq 'max_by(.total).id' alone.json", "jq '.orders | max_by(.total).id' alone.json"),
        ("the first order", "jq '.[0]' orders.json", "jq '.orders[0]' orders.json"),
        ("the last two orders", "jq '.[-2:]' orders.json", "jq '.orders[-2:]' orders.json"),
        (
            "quantity of all items",
            "jq '[.[].items[].qty] | add' orders.json",
            "jq '.orders | [.[].items[].qty] | add' orders.json",
        ),
        (
            "ids and totals as csv",
            "jq -r '.[] | [.id, .total] | @csv' orders.json",
            "jq -r '.orders[] | [.id, .total] | @csv' orders.json",
        ),
        (
            "status and number of orders",
            "jq 'group_by(.status) | map({status: .[0].status, n: length}) | sort_by(.n)' orders.json",
            "jq '.orders | group_by(.status) | map({status: .[0].status, n: length}) | sort_by(.n)' orders.json",
        ),
        ("id and total", "jq '.[] | {id, total}' orders.json", "jq '.orders[] | {id, total}' orders.json"),
        (
            "notes",
            "jq -r '.[] | .note // \"none\"' orders.json",
            "jq -r '.orders[] | .note // \"none\"' orders.json",
        ),
        // Below the elements.
        (
            "orders from DE",
            r#"jq '.orders[] | select(.country == "DE")' orders.json"#,
            r#"jq '.orders[] | select(.customer.country == "DE")' orders.json"#,
        ),
        (
            "ids of orders from DE",
            r#"jq '.[] | select(.country == "DE") | .id' orders.json"#,
            r#"jq '.orders[] | select(.customer.country == "DE") | .id' orders.json"#,
        ),
        (
            "orders by country",
            "jq '.orders | group_by(.country) | map({id: .[0].id})' orders.json",
            "jq '.orders | group_by(.customer.country) | map({id: .[0].id})' orders.json",
        ),
        (
            "country of orders in DE or FR",
            r#"jq '.orders[] | select(.country == "DE" or .country == "FR") | .id' orders.json"#,
            r#"jq '.orders[] | select(.customer.country == "DE" or .customer.country == "FR") | .id' orders.json"#,
        ),
    ];

    /// Right filters, and those about which too little is known.
    const RIGHT: &[(&str, &str)] = &[
        ("open orders", r#"jq '.orders[] | select(.status == "open")' orders.json"#),
        (
            "sum by status",
            r#"jq '.orders | group_by(.status)[] | "\(.[0].status) \(map(.total) | add)"' orders.json"#,
        ),
        ("how many orders", "jq '.orders | length' orders.json"),
        ("how many keys does orders.json have", "jq 'length' orders.json"),
        ("how many entries are at the top of orders.json", "jq length orders.json"),
        ("when was orders.json generated", "jq -r .generated orders.json"),
        ("all of orders.json", "jq . orders.json"),
        ("all values", "jq '.[]' orders.json"),
        ("all totals", "jq '.[][].total' alone.json"),
        ("all totals", "jq '.[] | .[] | .total' alone.json"),
        ("all totals", "jq '.[] | map(.total)' alone.json"),
        ("number of orders", "jq '.[] | length' alone.json"),
        ("number of orders", "jq 'map(length)' alone.json"),
        ("all totals", "jq 'map(.[].total)' alone.json"),
        ("all totals", "jq '.. | .total?' orders.json"),
        ("all totals", "jq -s '.[].orders[].total' orders.json"),
        ("all totals", "jq -n '[inputs.orders[].total]' orders.json"),
        ("all totals", "jq 'to_entries[] | .value' orders.json"),
        ("set all to paid", "jq '.orders |= map(.status = \"paid\")' orders.json"),
        ("set all to paid", "jq '.orders[].status = \"paid\"' orders.json"),
        ("all totals", "jq '.[].total' list.json"),
        ("how many orders", "jq length list.json"),
        ("largest order", "jq 'max_by(.total)' list.json"),
        ("sum by status", "jq 'group_by(.status)[] | map(.total) | add' list.json"),
        ("all ids", "jq '.[][].id' two.json"),
        ("all ids", "jq '[.[] | .[]] | map(.id)' two.json"),
        ("how many open", "jq '.open | length' two.json"),
        ("ages", "jq '.[].age' byname.json"),
        ("ages", "jq 'map(.age) | add' byname.json"),
        ("how many people", "jq length byname.json"),
        ("the status", "jq -r .status like.json"),
        ("totals", "jq '.[] | .total?' like.json"),
        ("countries", "jq -r '.orders[].customer.country' orders.json"),
        ("countries", "jq -r '.orders[] | .customer | .country' orders.json"),
        ("names", "jq -r '.orders[] | \"\\(.customer.name) \\(.total)\"' orders.json"),
        ("quantities", "jq '[.orders[].items[].qty] | add' orders.json"),
        ("ids", "jq '.[\"orders\"][].id' orders.json"),
        ("header and rows", "jq -r '[\"id\"], (.orders[] | [.id]) | @csv' orders.json"),
        ("keys", "jq 'keys' orders.json"),
        ("order 1", "jq '.orders[0].total # .[] | .status' orders.json"),
    ];

    fn here() -> Here {
        let mut here = Here::default();
        for (name, text) in [
            ("orders.json", ORDERS),
            ("list.json", LIST),
            ("two.json", TWO),
            ("alone.json", ALONE),
            ("like.json", LIKE),
            ("byname.json", BY_NAME),
        ] {
            here.heads.insert(name.to_owned(), Head { text: text.to_owned(), is_whole: true });
        }
        here
    }

    #[test]
    fn the_list_is_taken_instead_of_the_top() {
        let here = here();
        for (request, line, expected) in WRONG {
            let adapted = adapt(request, &ParsedLine::new(*line, Shell::Bash), &here);
            assert_eq!(adapted.map(|adapted| adapted.line).as_deref(), Some(*expected), "{line}");
            let left = contradictions(request, &ParsedLine::new(*expected, Shell::Bash), &here);
            assert_eq!(left, [], "{expected}");
        }
    }

    #[test]
    fn right_filters_are_left_alone() {
        let here = here();
        for (request, line) in RIGHT {
            let found = contradictions(request, &ParsedLine::new(*line, Shell::Bash), &here);
            assert_eq!(found, [], "{line}");
        }
    }

    #[test]
    fn the_message_names_the_list_apart() {
        let line = ParsedLine::new("jq 'map(.total) | add' orders.json", Shell::Bash);
        let found = contradictions("sum of the totals", &line, &here());
        let told: Vec<String> = found.iter().map(|it| it.told()).collect();
        assert_eq!(told, ["the top of `orders.json` is no list; the list is `.orders`"]);
    }

    /// A title, a name or a state may be that of something else.
    #[test]
    fn common_keys_are_not_taken_from_other_objects() {
        const ISSUES: &str =
            r#"[{"id": 1, "title": "a", "user": {"login": "ann"}, "milestone": {"state": "open"}}]"#;
        const RELEASES: &str = r#"[{"tag": "v1", "author": {"login": "ann", "name": "Ann"}}]"#;
        let mut here = Here::default();
        for (name, text) in [("issues.json", ISSUES), ("rel.json", RELEASES), ("alone.json", ALONE)] {
            here.heads.insert(name.to_owned(), Head { text: text.to_owned(), is_whole: true });
        }
        for (request, line, expected) in [
            (
                "titles of issues with state open in issues.json",
                r#"jq -r '.[] | select(.state == "open") | .title' issues.json"#,
                None,
            ),
            ("list release names in rel.json", "jq -r '.[].name' rel.json", None),
            (
                "names of the authors in rel.json",
                "jq -r '.[].name' rel.json",
                Some("jq -r '.[].author.name' rel.json"),
            ),
            ("total of the first order", "jq '.[] | nth(0).total' alone.json", None),
            ("total of the first order", "jq '.[] as [$f] | $f.total' alone.json", None),
            ("index the orders by id", "jq '.[] | INDEX(.id)' alone.json", None),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            let adapted = adapt(request, &line, &here).map(|adapted| adapted.line);
            assert_eq!(adapted.as_deref(), expected, "{request}");
        }
    }
}
