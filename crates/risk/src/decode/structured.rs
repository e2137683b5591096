//! Text commands of fish (`string`) and Nushell (`str`, `decode`, `split`). A list is represented as its items, one per
//! line.

use super::makers;

/// Returns the output of fish's `string …`, given its words (with `string`) and its input.
pub(super) fn fish_string(words: &[&str], input: Option<&str>) -> Option<String> {
    let [_, command, arguments @ ..] = words else { return None };
    let mut plain = Vec::new();
    let (mut all, mut start, mut length, mut ended) = (false, 1usize, usize::MAX, false);
    let mut dashed = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" if !dashed => (ended, dashed) = (true, true),
            _ if ended || !word.starts_with('-') || *word == "-" => {
                ended = true;
                plain.push(*word);
            }
            "-a" | "--all" => all = true,
            "-s" | "--start" => start = words.next()?.parse().ok()?,
            "-l" | "--length" => length = words.next()?.parse().ok()?,
            "-q" | "--quiet" => return None,
            "-N" | "--no-trim-newlines" | "--allow-empty" | "-n" | "--no-empty" => {}
            _ => return None,
        }
    }
    let count = match *command {
        "join" | "split" => 1,
        "replace" => 2,
        _ => 0,
    };
    let (own, items) = plain.split_at_checked(count)?;
    let items: Vec<&str> = match (items, input) {
        ([], Some(input)) => input.lines().collect(),
        (items, _) => items.to_vec(),
    };
    let each = |change: &dyn Fn(&str) -> String| items.iter().map(|item| change(item)).collect::<Vec<_>>();
    let made = match *command {
        "join" => vec![items.join(own.first()?)],
        "join0" => return None,
        "split" if !own.first()?.is_empty() => {
            items.iter().flat_map(|item| item.split(own[0])).map(str::to_owned).collect()
        }
        "split" => items.iter().flat_map(|item| item.chars()).map(String::from).collect(),
        "replace" => {
            let [from, to] = own else { return None };
            if from.is_empty() {
                return None;
            }
            each(&|item| if all { item.replace(from, to) } else { item.replacen(from, to, 1) })
        }
        "lower" => each(&|item| item.to_lowercase()),
        "upper" => each(&|item| item.to_uppercase()),
        "trim" => each(&|item| item.trim().to_owned()),
        "sub" => each(&|item| item.chars().skip(start.max(1) - 1).take(length).collect()),
        "collect" | "unescape" if input.is_some_and(|input| !input.contains('\\')) => each(&str::to_owned),
        _ => return None,
    };
    Some(made.iter().map(|item| format!("{item}\n")).collect())
}

/// Returns the output of a Nushell command, given its words and its input.
pub(super) fn nushell(words: &[&str], input: Option<&[u8]>) -> Option<Vec<u8>> {
    let (flags, words): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| word.starts_with('-') && word.len() > 1);
    let all = flags.iter().any(|flag| matches!(*flag, "-a" | "--all"));
    if flags.iter().any(|flag| matches!(*flag, "-r" | "--regex")) {
        return None;
    }
    if let ["echo" | "print", rest @ ..] = words.as_slice() {
        return Some(rest.join("\n").into_bytes());
    }
    let input = input?;
    if let ["decode", "base64" | "base32" | "hex", ..] = words.as_slice() {
        return match words.get(1) {
            Some(&"hex") => makers::hex(input),
            Some(&"base32") => makers::base64(&["-d"], input, 5),
            _ => makers::base64(&["-d"], input, 6),
        };
    }
    let text = std::str::from_utf8(input).ok()?;
    let items = || text.lines();
    let joined = |items: Vec<&str>| items.join("\n");
    let made = match words.as_slice() {
        ["str", "reverse"] => text.chars().rev().collect(),
        ["str", "join"] => items().collect(),
        ["str", "join", separator] => items().collect::<Vec<_>>().join(separator),
        ["str", "downcase"] => text.to_lowercase(),
        ["str", "upcase"] => text.to_uppercase(),
        ["str", "trim"] => text.trim().to_owned(),
        ["str", "replace", from, to] if !from.is_empty() => {
            if all {
                text.replace(from, to)
            } else {
                text.replacen(from, to, 1)
            }
        }
        ["str", "substring", range] => {
            let (from, to) = range.split_once("..")?;
            let from: usize = if from.is_empty() { 0 } else { from.parse().ok()? };
            let exclusive = to.starts_with('<');
            let to = to.trim_start_matches(['<', '=']);
            let end: usize = if to.is_empty() { usize::MAX } else { to.parse().ok()? };
            let end = if exclusive || to.is_empty() { end } else { end.checked_add(1)? };
            text.chars().skip(from).take(end.saturating_sub(from)).collect()
        }
        ["split", "chars"] => text.chars().map(|c| format!("{c}\n")).collect(),
        ["split", "row", separator] if !separator.is_empty() => joined(text.split(separator).collect()),
        ["split", "words"] => {
            joined(text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect())
        }
        ["reverse"] => joined(items().rev().collect()),
        ["first"] => items().next()?.to_owned(),
        ["first", count] => joined(items().take(count.parse().ok()?).collect()),
        ["last"] => items().next_back()?.to_owned(),
        ["decode"] | ["decode", "utf-8" | "utf8"] => text.to_owned(),
        ["lines" | "collect" | "flatten"] | ["into" | "to", "string" | "text"] => text.to_owned(),
        _ => return None,
    };
    Some(made.into_bytes())
}
