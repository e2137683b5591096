//! Patterns that no line of the file matches: a substitution that changes nothing, an extraction that prints nothing.

use regex::Regex;

use super::call::Call;
use crate::here::columns;
use crate::here::{Case, Contradiction, Head, Subject};
use crate::tool::is_awk;
use askline_syntax::{Span, Word};

/// Maximum length of a pattern, in bytes.
const PATTERN_MAX: usize = 200;

/// Minimum length of a word that is looked for in the file, in bytes, and maximum number of signs behind it that are shown.
const WORD_MIN: usize = 3;
const SIGNS_MAX: usize = 4;

/// Minimum number of lines that show how the lines of a file begin.
const LINES_MIN: usize = 3;
/// The same of a file of which only the beginning is known.
const LINES_BEFORE_OTHERS_MIN: usize = 10;
/// Minimum number of times that the beginning of a file has a word in other capitals.
const OTHER_CAPITALS_MIN: usize = 3;

/// Words beside those about case with which all spellings are wanted.
const ANY_CASE: [&str; 14] = [
    "too",
    "also",
    "both",
    "either",
    "any",
    "whatever",
    "whichever",
    "regardless",
    "insensitive",
    "insensitively",
    "ignoring",
    "ignore",
    "including",
    "incl",
];
/// Beginnings of words that say how another word is spelled.
const CASE: [&str; 12] = [
    "case",
    "capital",
    "spell",
    "exact",
    "upper",
    "lower",
    "small",
    "big",
    "wrote",
    "written",
    "typed",
    "sensitive",
];

/// Options of `grep` with which a match is another one, or prints something else.
const OTHER_MATCHES: [&str; 25] = [
    "-v",
    "--invert-match",
    "-F",
    "--fixed-strings",
    "-x",
    "--line-regexp",
    "-w",
    "--word-regexp",
    "-c",
    "--count",
    "-q",
    "--quiet",
    "--silent",
    "-i",
    "--ignore-case",
    "-y",
    "-z",
    "--null-data",
    "-L",
    "--files-without-match",
    "-f",
    "--file",
    "-e",
    "--regexp",
    "--include",
];

/// How a program reads a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Basic,
    Extended,
    Perl,
}

/// A pattern of a script that must match for the script to do anything.
struct Needed<'s> {
    pattern: &'s str,
    dialect: Dialect,
}

/// Returns the call whose pattern matches no line of its file, as far as that is known.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    case.calls.iter().filter_map(|call| compare(case, call)).take(1).collect()
}

fn compare(case: &Case<'_>, call: &Call<'_>) -> Option<Contradiction> {
    let file = call.only_file()?;
    let head = case.here.heads.get(&call.path(file))?;
    let text = head.text.as_str();
    if call.name == "grep" && !call.has(&["-o", "--only-matching"]) {
        let pattern = call.script.filter(|word| word.literal)?;
        return compare_case(case, call, pattern, (file, head))
            .or_else(|| compare_level(case, call, pattern, (file, head)))
            .or_else(|| compare_beginning(case, call, pattern, (file, head)));
    }
    if !head.is_whole {
        return None;
    }
    let (start, script) = columns::program(call.script?, case.line)?;
    if text.trim().is_empty() || PATTERN_MAX < script.len() {
        return None;
    }
    if is_awk(call.name) {
        return compare_key(case, call, script, (file, text));
    }
    let missing = |script: &str| -> Option<bool> {
        let needed = needed(call, script)?;
        Some(!needed.iter().all(|it| it.has_match(text).unwrap_or(true)))
    };
    if !missing(script)? {
        return None;
    }
    let pattern = needed(call, script)?.iter().find(|it| it.has_match(text) == Some(false))?.pattern;
    let spaced = spaced(script, text).filter(|(new, _)| missing(new) == Some(false));
    // The file has what the script would make, or may well have nothing to be changed or counted.
    let is_done = spaced.as_ref().is_some_and(|(new, _)| changes_nothing(new));
    let may_be_absent = case.has_word(&["any", "if", "many", "count"]);
    if is_done || spaced.is_none() && (may_be_absent || !has_word(pattern)) {
        return None;
    }
    let span = start..start + script.len();
    let edit = spaced.as_ref().map(|(new, _)| (span.clone(), new.clone()));
    let form = spaced.map(|(_, form)| form).or_else(|| written(pattern, text));
    let facts = form.map(|form| format!("it has `{form}`")).unwrap_or_default();
    Some(contradiction(case, format!("nothing in `{file}` matches `{pattern}`"), facts, span, edit))
}

/// Compares `awk -F= '$1 == "port"'` with a file that has blanks around the sign.
fn compare_key(
    case: &Case<'_>,
    call: &Call<'_>,
    script: &str,
    (file, text): (&str, &str),
) -> Option<Contradiction> {
    let (value, separator) = call.value(&["-F", "--field-separator"])?;
    let sign = separator.chars().next().filter(|sign| matches!(sign, '=' | ':'))?;
    let (_, behind) = script.split_once("$1 == \"").or_else(|| script.split_once("$1==\""))?;
    let (key, _) = behind.split_once('"')?;
    let (_, form) = spaced(&format!("{key}{sign}"), text).filter(|_| separator.chars().count() == 1)?;
    let word = call.command.words.get(value.word)?;
    let raw = case.line.text().get(word.span.clone())?;
    let at = raw.strip_prefix("-F").and_then(|rest| rest.starts_with(sign).then_some(2))?;
    let new = format!("'{}'", form.strip_prefix(key)?);
    let is_bare = !raw.contains(['\'', '"']);
    let span = word.span.start + at..word.span.end;
    let edit = is_bare.then(|| (span.clone(), new));
    let said = format!("no line of `{file}` begins with `{key}{sign}`");
    Some(contradiction(case, said, format!("it has `{form}`"), span, edit))
}

/// Compares `grep error` with a file that has `ERROR` only, or whose first lines do.
fn compare_case(
    case: &Case<'_>,
    call: &Call<'_>,
    pattern: &Word,
    (file, head): (&str, &Head),
) -> Option<Contradiction> {
    let (script, text) = (pattern.text.as_str(), head.text.as_str());
    let is_word = WORD_MIN <= script.len() && script.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ');
    let is_other = call
        .options
        .iter()
        .any(|it| OTHER_MATCHES.contains(&it.name.as_ref()) && !matches!(it.name.as_ref(), "-c" | "--count"));
    let is_same = |word: &&str| word.eq_ignore_ascii_case(script);
    let has_other = || {
        if head.is_whole {
            text.to_ascii_lowercase().contains(&script.to_ascii_lowercase())
        } else {
            // The level of a log, not the `ErrorHandler` in one line.
            let words = text.split(|c: char| !c.is_ascii_alphanumeric());
            OTHER_CAPITALS_MIN <= words.filter(is_same).count()
        }
    };
    if !is_word || is_other || says_case(case) || text.contains(script) || !has_other() {
        return None;
    }
    let name = call.command.words.first()?.span.end;
    let part = if head.is_whole { "nothing" } else { "none of the first lines" };
    let said = format!("{part} in `{file}` matches `{script}`");
    let facts = format!("{} other capitals", if head.is_whole { "it has" } else { "they have" });
    Some(contradiction(case, said, facts, pattern.span.clone(), Some((name..name, " -i".to_owned()))))
}

/// Names of the same level of a log.
const LEVELS: [&[&str]; 4] =
    [&["warning", "warn"], &["error", "err"], &["critical", "crit"], &["information", "info"]];

/// Compares `grep warnings` with a log that writes `WARN`.
fn compare_level(
    case: &Case<'_>,
    call: &Call<'_>,
    pattern: &Word,
    (file, head): (&str, &Head),
) -> Option<Contradiction> {
    let lower = pattern.text.to_ascii_lowercase();
    let level = lower.strip_suffix('s').unwrap_or(&lower);
    let names = LEVELS.into_iter().find(|names| names.contains(&level))?;
    let is_quoted = case.tokens.iter().any(|it| it.quoted)
        || case.has_word(&["word", "words", "text", "mention", "mentions"]);
    if is_quoted || call.has(&OTHER_MATCHES) || head.text.to_ascii_lowercase().contains(&lower) {
        return None;
    }
    let words = head.text.split(|c: char| !c.is_ascii_alphanumeric());
    // In prose and in `err=nil` it is no level.
    let is_level = |word: &&str| {
        !word.contains(|c: char| c.is_ascii_lowercase())
            && names.contains(&word.to_ascii_lowercase().as_str())
    };
    let forms: Vec<&str> = words.filter(is_level).collect();
    let first = forms.first()?;
    let least = if head.is_whole { 1 } else { OTHER_CAPITALS_MIN };
    if forms.len() < least || forms.iter().any(|form| form != first) {
        return None;
    }
    let part = if head.is_whole { "nothing" } else { "none of the first lines" };
    let said = format!("{part} in `{file}` matches `{}`", pattern.text);
    let edit = Some((pattern.span.clone(), (*first).to_owned()));
    Some(contradiction(case, said, format!("there is `{first}`"), pattern.span.clone(), edit))
}

/// Compares `grep '^10:05'` with a file whose lines all begin with a date: digits and letters stand elsewhere there.
fn compare_beginning(
    case: &Case<'_>,
    call: &Call<'_>,
    pattern: &Word,
    (file, head): (&str, &Head),
) -> Option<Contradiction> {
    let literal = pattern.text.strip_prefix('^')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '/' | ' ' | '_');
    if literal.len() < WORD_MIN || !literal.chars().all(is_plain) || call.has(&OTHER_MATCHES) {
        return None;
    }
    let end = if head.is_whole { head.text.len() } else { head.text.rfind('\n')? };
    let lines = || head.text.get(..end).unwrap_or_default().lines().filter(|line| !line.trim().is_empty());
    let look = |text: &str| -> String {
        let class = |c: char| match c {
            '0'..='9' => '0',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        text.chars().take(literal.len()).map(class).collect()
    };
    let first = look(lines().next()?);
    let is_regular = lines().all(|line| look(line) == first);
    // Of a file that is not known to its end, only times and dates: a stack trace may follow.
    let lines_min = if head.is_whole { LINES_MIN } else { LINES_BEFORE_OTHERS_MIN };
    let is_known =
        lines_min <= lines().count() && (head.is_whole || literal.starts_with(|c: char| c.is_ascii_digit()));
    let is_asked_for =
        case.tokens.iter().any(|it| it.lower.starts_with("start") || it.lower.starts_with("begin"));
    if !is_regular || !is_known || is_asked_for || first == look(literal) {
        return None;
    }
    let raw = case.line.text().get(pattern.span.clone())?;
    let at = pattern.span.start + raw.find('^')?;
    // The word after a blank, if some line has it.
    let spaced = format!(" {literal}");
    let new = head.text.contains(&spaced).then(|| " ".to_owned());
    let edit = new.filter(|_| raw.starts_with(['\'', '"'])).map(|new| (at..at + 1, new));
    let said = format!("no line of `{file}` begins like `{literal}`");
    Some(contradiction(case, said, String::new(), pattern.span.clone(), edit))
}

/// Reports whether a request says how a word is spelled: by a word about case, or by two spellings ("Bill, not bill").
pub(super) fn says_case(case: &Case<'_>) -> bool {
    let words = || case.tokens.iter().flat_map(|it| it.text.split(|c: char| !c.is_alphanumeric()));
    // "bigger than 3 MB" says nothing of letters.
    let is_size = |word: &str| ["bigg", "smalle"].iter().any(|start| word.starts_with(start));
    let is_about = |word: &str| {
        let word = word.to_lowercase();
        CASE.iter().any(|start| word.starts_with(start)) && !is_size(&word)
    };
    let has_twin = |word: &str| words().any(|other| other != word && other.eq_ignore_ascii_case(word));
    // "upper case too"
    let is_any = case.has_word(&ANY_CASE);
    words().any(|word| is_about(word) && !is_any || has_twin(word))
}

/// Returns a contradiction. A pattern that matches nothing destroys nothing, so its edit stands in `sed -i`, too.
fn contradiction(
    case: &Case<'_>,
    text: String,
    facts: String,
    span: Span,
    edit: Option<(Span, String)>,
) -> Contradiction {
    let may_edit = !case.destroys || is_only_sed(case);
    case.contradiction_if(may_edit, Subject::Columns, span, (text, facts), edit)
}

/// Reports whether the line is one command of `sed`.
fn is_only_sed(case: &Case<'_>) -> bool {
    let commands = &case.line.own().commands;
    commands.len() == 1 && commands.iter().all(|command| command.name() == Some("sed"))
}

/// Returns the patterns of a script that must match. `None` if the script can't be read, or may well match nothing.
fn needed<'s>(call: &Call<'_>, script: &'s str) -> Option<Vec<Needed<'s>>> {
    match call.name {
        "sed" if !call.has(&["-z", "--null-data", "-s", "--separate"]) => {
            let is_extended = call.has(&["-E", "-r", "--regexp-extended"]);
            let dialect = if is_extended { Dialect::Extended } else { Dialect::Basic };
            Some(sed(script)?.into_iter().map(|pattern| Needed { pattern, dialect }).collect())
        }
        // What is only searched for may be absent; what is to be cut out was seen.
        "grep" if call.has(&["-o", "--only-matching"]) && !call.has(&OTHER_MATCHES) => {
            let dialect = match () {
                () if call.has(&["-P", "--perl-regexp"]) => Dialect::Perl,
                () if call.has(&["-E", "--extended-regexp"]) => Dialect::Extended,
                () => Dialect::Basic,
            };
            Some(vec![Needed { pattern: script, dialect }])
        }
        _ => None,
    }
}

/// Returns the patterns of `s/PATTERN/…/`, also behind an address `/PATTERN/`. `None` for other scripts, and if one ignores case.
fn sed(script: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = script.trim();
    while let Some(behind) = rest.strip_prefix('/') {
        let (pattern, behind) = until(behind, '/')?;
        found.push(pattern);
        let behind = behind.trim_start();
        rest = behind.strip_prefix(',').unwrap_or(behind).trim_start();
    }
    let behind = rest.strip_prefix('s')?;
    let delimiter = behind.chars().next().filter(char::is_ascii_punctuation)?;
    let (pattern, behind) = until(behind.get(1..)?, delimiter)?;
    let (_, flags) = until(behind, delimiter)?;
    let is_plain = flags.chars().all(|c| matches!(c, 'g' | 'p' | 'm' | 'M') || c.is_ascii_digit());
    found.push(pattern);
    (is_plain && found.iter().all(|pattern| !pattern.is_empty())).then_some(found)
}

/// Reports whether a script of `sed` puts what its pattern matches.
fn changes_nothing(script: &str) -> bool {
    let parts = || {
        let (pattern, behind) = until(script.strip_prefix("s")?.get(1..)?, script.chars().nth(1)?)?;
        Some((pattern, until(behind, script.chars().nth(1)?)?.0))
    };
    parts().is_some_and(|(pattern, new)| pattern.trim_start_matches('^') == new)
}

/// Reports whether a pattern has a word outside of its brackets and escapes: `\t` and `[0-9]` have none.
fn has_word(pattern: &str) -> bool {
    let mut length = 0;
    let mut chars = pattern.chars();
    let mut depth: usize = 0;
    while let Some(c) = chars.next() {
        match c {
            '\\' => length = usize::from(chars.next().is_none()),
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && c.is_alphabetic() => length += 1,
            _ => length = 0,
        }
        if WORD_MIN <= length {
            return true;
        }
    }
    false
}

/// Splits a text at the first delimiter that has no backslash before it.
fn until(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let at = text.char_indices().find_map(|(at, c)| {
        let is_end = c == delimiter && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end.then_some(at)
    })?;
    Some((text.get(..at)?, text.get(at + delimiter.len_utf8()..)?))
}

impl Needed<'_> {
    /// Reports whether a line matches; `None` if the pattern can't be read.
    fn has_match(&self, text: &str) -> Option<bool> {
        let regex = Regex::new(&translated(self.pattern, self.dialect)?).ok()?;
        Some(text.lines().any(|line| regex.is_match(line)))
    }
}

/// Returns a pattern as the crate `regex` writes it; `None` if it has no such form.
fn translated(pattern: &str, dialect: Dialect) -> Option<String> {
    let mut new = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '[' => bracket(&mut chars, &mut new)?,
            '\\' => match chars.next()? {
                'K' if dialect == Dialect::Perl => {}
                '/' => new.push('/'),
                't' => new.push('\t'),
                c @ ('(' | ')' | '{' | '}' | '+' | '?' | '|') if dialect == Dialect::Basic => new.push(c),
                c if c.is_ascii_alphanumeric() || matches!(c, '<' | '>') => new.push_str(class(c)?),
                c => new.extend(['\\', c]),
            },
            '(' if dialect == Dialect::Perl && chars.peek() == Some(&'?') => return None,
            '(' | ')' | '{' | '}' | '+' | '?' | '|' if dialect == Dialect::Basic => new.extend(['\\', c]),
            // Inside a pattern the anchors of the ends are themselves.
            '$' if dialect == Dialect::Basic && !matches!(chars.peek(), None | Some('\\')) => {
                new.push_str(r"\$")
            }
            '^' if dialect == Dialect::Basic
                && !matches!(new.as_bytes().last(), None | Some(b'(' | b'|')) =>
            {
                new.push_str(r"\^");
            }
            // A star at the beginning is itself.
            '*' if dialect == Dialect::Basic && matches!(new.as_str(), "" | "^") => new.push_str(r"\*"),
            c => new.push(c),
        }
    }
    Some(new)
}

/// Returns the meaning of a letter behind a backslash, for ASCII; `None` for references and what is not known.
fn class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'w' => "[A-Za-z0-9_]",
        'W' => "[^A-Za-z0-9_]",
        's' => r"[ \t]",
        'S' => r"[^ \t]",
        'd' => "[0-9]",
        'b' | '<' | '>' => r"(?-u:\b)",
        'B' => r"(?-u:\B)",
        _ => return None,
    })
}

/// Copies a bracket expression, in which a backslash and another bracket stand for themselves.
fn bracket(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, new: &mut String) -> Option<()> {
    new.push('[');
    if chars.peek() == Some(&'^') {
        new.extend(chars.next());
    }
    let mut is_first = true;
    loop {
        match chars.next()? {
            ']' if is_first => new.push_str(r"\]"),
            ']' => break,
            '[' if chars.peek() == Some(&':') => {
                let class: String = chars.by_ref().take_while(|c| *c != ']').collect();
                new.push_str(&format!("[{class}]"));
            }
            c @ ('[' | '\\' | '&' | '~') => new.extend(['\\', c]),
            c => new.push(c),
        }
        is_first = false;
    }
    new.push(']');
    Some(())
}

/// Returns a script with the blanks that the file has around `=` or `:` behind each key (`port=` where the file has
/// `port = `), and the first key in the file's form. `None` if no key is written otherwise, or in several ways.
fn spaced(script: &str, text: &str) -> Option<(String, String)> {
    let key = Regex::new(r"([A-Za-z_][A-Za-z0-9_.-]*)([=:])").ok()?;
    let (mut new, mut form, mut end) = (String::new(), None, 0);
    for found in key.captures_iter(script) {
        let (whole, key, sign) = (found.get(0)?, found.get(1)?.as_str(), found.get(2)?.as_str());
        let written = Regex::new(&format!(r"(?m)^\s*{}([ \t]*{sign}[ \t]*)", regex::escape(key))).ok()?;
        let mut forms: Vec<&str> =
            written.captures_iter(text).filter_map(|it| Some(it.get(1)?.as_str())).collect();
        forms.dedup();
        let [separator] = forms[..] else { continue };
        if separator == sign {
            continue;
        }
        new.push_str(script.get(end..whole.start())?);
        new.push_str(&format!("{key}{separator}"));
        form.get_or_insert_with(|| format!("{key}{separator}"));
        end = whole.end();
    }
    new.push_str(script.get(end..)?);
    Some((new, form?))
}

/// Returns the longest word of a pattern as the file has it, with the signs behind it: `version='`. `None` if it has no such word.
fn written(pattern: &str, text: &str) -> Option<String> {
    let words = pattern.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let word = words.filter(|word| WORD_MIN <= word.len()).max_by_key(|word| word.len())?;
    let found = Regex::new(&format!(r#"(?-u:\b){}[ \t=:'"]{{1,{SIGNS_MAX}}}"#, regex::escape(word))).ok()?;
    let form = found.find(text)?.as_str().trim_end();
    (word.len() < form.len() && form.is_ascii()).then(|| form.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_of_posix_are_translated() {
        for (pattern, dialect, line, matches) in [
            (r"^a\(b\|c\)*$", Dialect::Basic, "abcb", true),
            (r"a+(b)", Dialect::Basic, "a+(b)", true),
            (r"a+(b)", Dialect::Extended, "aab", true),
            (r"[^\]x]", Dialect::Basic, r"\x]", false),
            (r"[]a]", Dialect::Extended, "]", true),
            (r"^[[:space:]]*#", Dialect::Extended, "  # x", true),
            (r"*a", Dialect::Basic, "*a", true),
            (r"a$b^c", Dialect::Basic, "a$b^c", true),
            (r#"name="\K[^"]+"#, Dialect::Perl, r#"name="x""#, true),
            (r"\bx\>", Dialect::Basic, "a x b", true),
        ] {
            let needed = Needed { pattern, dialect };
            assert_eq!(needed.has_match(line), Some(matches), "{pattern}");
        }
        for (pattern, dialect) in
            [(r"\(a\)\1", Dialect::Basic), (r"(?<=a)b", Dialect::Perl), (r"[a", Dialect::Basic)]
        {
            let needed = Needed { pattern, dialect };
            assert_eq!(needed.has_match("ab"), None, "{pattern}");
        }
    }

    #[test]
    fn words_of_patterns_and_scripts_without_effect() {
        for (pattern, expected) in
            [("^port=", true), (r"\t", false), ("[0-9]", false), ("[[:space:]]*$", false)]
        {
            assert_eq!(has_word(pattern), expected, "{pattern}");
        }
        assert!(changes_nothing("s/port = /port = /"));
        assert!(!changes_nothing("s/port = /port: /"));
    }

    proptest! {
        #[test]
        fn any_script_is_read(script in r"[sSaA/\\|()\[\]:^$*+?{}=. \PC]{0,40}", text in r"[a-z=: \n]{0,40}") {
            for pattern in sed(&script).unwrap_or_default() {
                for dialect in [Dialect::Basic, Dialect::Extended, Dialect::Perl] {
                    let _ = Needed { pattern, dialect }.has_match(&text);
                }
            }
            let _ = (spaced(&script, &text), written(&script, &text));
        }
    }
}
