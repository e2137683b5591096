//! Translates bash loops, conditions and jobs into Nushell if they mean the same. The printed output is kept: a
//! Nushell loop drops values, so programs run as external programs and `echo` becomes `print`. In bash a failed
//! program does not stop a loop.

use super::super::{Token, tokens, variable};
use super::{UNTRANSLATED, as_written, convert_within, is_common, is_environment, is_expanded, word};
use askline_syntax::nushell_commands;

/// The change that needs [`JOBS_SINCE`].
pub(in crate::repair) const JOB: &str = "& → job spawn, which shows nothing of what programs print";
/// First Nushell version with jobs.
pub(in crate::repair) const JOBS_SINCE: (u32, u32) = (0, 103);
/// Maximum number of words of a loop or a body.
const WORDS_MAX: usize = 256;
/// Commands that change the shell, which a Nushell loop body cannot do like bash.
const CHANGING: [&str; 9] =
    ["cd", "export", "alias", "exit", "break", "continue", "return", "printf", "shift"];
/// Commands whose process outlives the shell; a Nushell job does not.
const OUTLIVING: [&str; 3] = ["nohup", "setsid", "disown"];

type Converted = (String, Vec<String>);

/// Translates a line that is a single loop, condition or job; `None` for other lines and for parts without an exact
/// counterpart.
pub(super) fn convert(line: &str) -> Option<Converted> {
    let all = tokens(line.trim())?;
    if WORDS_MAX < all.len() {
        return None;
    }
    let mut parts: Vec<Token<'_>> =
        all.into_iter().filter(|token| !matches!(token, Token::Blank(_))).collect();
    if parts.last() == Some(&Token::Operator(";")) {
        parts.pop();
    }
    match parts.as_slice() {
        [Token::Word("for"), Token::Word(name), Token::Word("in"), rest @ ..] => repeat(name, rest),
        [Token::Word("if"), rest @ ..] => choose(rest),
        [Token::Word("[" | "[[" | "test"), ..] => guarded(&parts),
        [rest @ .., Token::Operator("&")] => job(rest),
        _ => None,
    }
}

/// Translates `for x in a b; do …; done`.
fn repeat(name: &str, rest: &[Token<'_>]) -> Option<Converted> {
    variable(name).filter(|(_, length)| *length == name.len() && !name.starts_with('{'))?;
    let stop = rest.iter().position(is_end)?;
    let (values, after) = rest.split_at_checked(stop)?;
    let [_, Token::Word("do"), body @ .., end, Token::Word("done")] = after else { return None };
    let values: Vec<&str> = values.iter().map(text).collect::<Option<_>>()?;
    let list = match values.as_slice() {
        [one] => span_of(one).or_else(|| listed(one)),
        _ => None,
    };
    let list = match list {
        Some(list) => list,
        None => {
            let texts: Vec<String> =
                values.into_iter().filter(|value| is_plain(value)).map(as_text).collect();
            (texts.len() == stop && stop != 0).then(|| format!("[{}]", texts.join(" ")))?
        }
    };
    let body = is_end(end).then(|| commands(body, Some(name)))??;
    Some((format!("for {name} in {list} {{ {body} }}"), vec!["for … do … done → for … { … }".to_owned()]))
}

/// Translates `{1..5}` and `$(seq 1 5)` to `1..5`.
fn span_of(word: &str) -> Option<String> {
    let braces = word
        .strip_prefix('{')
        .and_then(|inner| inner.strip_suffix('}'))
        .and_then(|inner| inner.split_once(".."));
    let seq = word.strip_prefix("$(seq ").and_then(|inner| inner.strip_suffix(')'));
    let (from, to) = match (braces, seq) {
        (Some(ends), _) => ends,
        (_, Some(inner)) => inner.trim().split_once(' ').unwrap_or(("1", inner.trim())),
        _ => return None,
    };
    let (first, last) = (whole(from)?, whole(to)?);
    // Brace ranges can count down; `seq` is empty then.
    (braces.is_some() || first <= last).then(|| format!("{first}..{last}"))
}

/// Parses a number; `None` if it has leading zeros, which bash keeps.
fn whole(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| number.to_string() == text)
}

/// Quotes a plain word: without quotes `1.10` would become `1.1`, and `true`, `1e3` and `2024-05-02` would not be
/// text.
fn as_text(word: &str) -> String {
    if whole(word).is_some() { word.to_owned() } else { format!("'{word}'") }
}

/// Translates `*.txt`: files by extension.
fn listed(word: &str) -> Option<String> {
    let ending = word.strip_prefix("*.")?;
    let is_ending = !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric());
    is_ending.then(|| format!("(ls *.{ending} | get name)"))
}

/// Translates `if [ … ]; then …; else …; fi`.
fn choose(rest: &[Token<'_>]) -> Option<Converted> {
    let then = rest.iter().position(|token| *token == Token::Word("then"))?;
    let (condition, after) = rest.split_at_checked(then)?;
    let [condition @ .., end] = condition else { return None };
    let [_, body @ .., last, Token::Word("fi")] = after else { return None };
    if !is_end(end)
        || !is_end(last)
        || body.contains(&Token::Word("elif"))
        || body.contains(&Token::Word("if"))
    {
        return None;
    }
    let condition = test(condition)?;
    let mut sides = body.split(|token| *token == Token::Word("else"));
    let first = sides.next()?;
    let mut line = match sides.next() {
        None => format!("if {condition} {{ {} }}", commands(first, None)?),
        Some(second) => {
            let [first @ .., end] = first else { return None };
            let (first, second) = (is_end(end).then(|| commands(first, None))??, commands(second, None)?);
            format!("if {condition} {{ {first} }} else {{ {second} }}")
        }
    };
    if sides.next().is_some() {
        line.clear();
    }
    (!line.is_empty()).then(|| (line, vec!["if … then … fi → if … { … }".to_owned()]))
}

/// Translates `[ … ] && command` and `[ … ] || command`.
fn guarded(parts: &[Token<'_>]) -> Option<Converted> {
    let joins = |token: &Token<'_>| matches!(token, Token::Operator("&&" | "||"));
    let at = parts.iter().position(joins)?;
    let (condition, body) = (parts.get(..at)?, parts.get(at + 1..)?);
    let is_one =
        !body.iter().any(|token| is_end(token) || matches!(token, Token::Operator("&&" | "||" | "&")));
    let (condition, body) = is_one.then(|| Some((test(condition)?, commands(body, None)?)))??;
    Some(if parts.get(at) == Some(&Token::Operator("&&")) {
        (format!("if {condition} {{ {body} }}"), vec!["[ … ] && → if … { … }".to_owned()])
    } else {
        let not = condition.strip_prefix("not ").map_or_else(|| format!("not {condition}"), str::to_owned);
        (format!("if {not} {{ {body} }}"), vec!["[ … ] || → if not … { … }".to_owned()])
    })
}

/// Translates `command &` for external programs only: the output of Nushell's own commands would be lost.
fn job(rest: &[Token<'_>]) -> Option<Converted> {
    let is_program = |part: &[Token<'_>]| {
        part.first().and_then(text).is_some_and(|name| {
            let none = [&UNTRANSLATED[..], &CHANGING, &OUTLIVING].concat();
            !nushell_commands().contains(name) && !name.contains('=') && !none.contains(&name)
        })
    };
    let is_one =
        !rest.iter().any(|token| is_end(token) || matches!(token, Token::Operator("&&" | "||" | "&")))
            && rest.split(|token| *token == Token::Operator("|")).all(is_program);
    let body = is_one.then(|| commands(rest, None))??;
    Some((format!("job spawn {{ {body} }}"), vec![JOB.to_owned()]))
}

/// Translates a test between `[` and `]`.
fn test(tokens: &[Token<'_>]) -> Option<String> {
    let words: Vec<&str> = tokens.iter().map(text).collect::<Option<_>>()?;
    let words = match words.as_slice() {
        ["[", inner @ .., "]"] | ["[[", inner @ .., "]]"] | ["test", inner @ ..] => inner,
        _ => return None,
    };
    let (negated, words) = match words {
        ["!", inner @ ..] => ("not ", inner),
        _ => ("", words),
    };
    // Nushell expands an empty path to the working directory.
    let path = |word: &str| environment(word).is_none().then(|| quoted(word)).flatten();
    let is_type = |word, kind| Some(format!("(({} | path expand | path type) == {kind})", path(word)?));
    let condition = match words {
        ["-e", word] => format!("({} | path exists)", path(word)?),
        ["-f", word] => is_type(word, "file")?,
        ["-d", word] => is_type(word, "dir")?,
        ["-z", word] => format!("({} | is-empty)", quoted(word)?),
        ["-n", word] => format!("({} | is-not-empty)", quoted(word)?),
        [one, "=" | "==", other] => format!("({} == {})", quoted(one)?, quoted(other)?),
        [one, "!=", other] => format!("({} != {})", quoted(one)?, quoted(other)?),
        [one, sign, other] => {
            let signs =
                [("-eq", "=="), ("-ne", "!="), ("-gt", ">"), ("-ge", ">="), ("-lt", "<"), ("-le", "<=")];
            let (_, own) = signs.into_iter().find(|(theirs, _)| theirs == sign)?;
            format!("({} {own} {})", number(one)?, number(other)?)
        }
        _ => return None,
    };
    Some(format!("{negated}{condition}"))
}

/// Translates a word of a test to text; in bash an unset environment variable is empty.
fn quoted(raw: &str) -> Option<String> {
    if let Some(name) = environment(raw) {
        return Some(format!("($env.{name}? | default '')"));
    }
    let inner =
        ['\'', '"'].iter().find_map(|quote| raw.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(raw);
    let is_text = !inner.contains(['\'', '"', '$', '`', '\\', '*', '?', '[', '~']);
    is_text.then(|| format!("'{inner}'"))
}

fn number(raw: &str) -> Option<String> {
    if let Some(name) = environment(raw) {
        return Some(format!("($env.{name} | into int)"));
    }
    raw.parse::<i64>().ok().map(|number| number.to_string())
}

/// Returns the name in `$NAME`, `"$NAME"`, `${NAME}`.
fn environment(raw: &str) -> Option<&str> {
    let bare = raw.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(raw);
    let rest = bare.strip_prefix('$')?;
    let (name, length) = variable(rest)?;
    (length == rest.len() && is_environment(name)).then_some(name)
}

/// Translates the commands of a body. In a loop (with variable `name`) or in a list of several commands, each command
/// prints its output and may fail on its own.
fn commands(body: &[Token<'_>], name: Option<&str>) -> Option<String> {
    let all: Vec<&[Token<'_>]> = body.split(is_end).collect();
    if let ([one], None) = (all.as_slice(), name) {
        let line = joined(one)?;
        return match convert_within(&line, 1) {
            Some((converted, _)) => Some(converted),
            None => is_common(&line).then_some(line),
        };
    }
    let all: Option<Vec<String>> = all.into_iter().map(|one| command(one, name)).collect();
    Some(all?.join("; "))
}

fn joined(tokens: &[Token<'_>]) -> Option<String> {
    let words = tokens.iter().map(|token| match token {
        Token::Word(text) | Token::Operator(text @ "|") => Some(*text),
        _ => None,
    });
    let words: Vec<&str> = words.collect::<Option<_>>()?;
    (!words.is_empty()).then(|| words.join(" "))
}

/// Translates one of several commands, with its pipeline.
fn command(tokens: &[Token<'_>], name: Option<&str>) -> Option<String> {
    if let [Token::Word("echo"), Token::Word(one)] = tokens
        && !one.starts_with('-')
        && !is_expanded(one)
    {
        let one = match as_written(one) {
            _ if is_plain(one) => as_text(one),
            Some(quoted) => quoted,
            None => argument(one, name)?,
        };
        return Some(format!("print {one}"));
    }
    let mut pipeline = Vec::new();
    for part in tokens.split(|token| *token == Token::Operator("|")) {
        let words: Vec<&str> = part.iter().map(text).collect::<Option<_>>()?;
        let (program, rest) = words.split_first()?;
        let is_program = program.chars().all(|c| c.is_ascii_alphanumeric() || "_-.+".contains(c));
        if !is_program || UNTRANSLATED.contains(program) || CHANGING.contains(program) {
            return None;
        }
        let mark = if nushell_commands().contains(*program) { "^" } else { "" };
        let rest: Vec<String> = rest.iter().map(|word| argument(word, name)).collect::<Option<_>>()?;
        pipeline.push([vec![format!("{mark}{program}")], rest].concat().join(" "));
    }
    Some(format!("try {{ {} }}", pipeline.join(" | ")))
}

/// Translates a word of a body, which may contain the loop variable.
fn argument(raw: &str, name: Option<&str>) -> Option<String> {
    let bare = raw.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(raw);
    let Some(name) = name.filter(|_| bare.contains('$') && !raw.starts_with('\'')) else {
        return word(raw, &mut Vec::new(), 1);
    };
    let mut out = String::new();
    let mut rest = bare;
    while let Some((before, after)) = rest.split_once('$') {
        let (used, length) = variable(after).filter(|(used, _)| *used == name)?;
        out.push_str(&format!("{before}(${used})"));
        rest = after.get(length..)?;
    }
    let others = format!("{}{rest}", out.replace(&format!("(${name})"), ""));
    if others.contains(['(', ')', '"', '\'', '\\', '`', '*', '?', '[', '{', '~']) {
        return None;
    }
    out.push_str(rest);
    Some(if out == format!("(${name})") { format!("${name}") } else { format!("$\"{out}\"") })
}

fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
        && !word.starts_with('-')
}

fn is_end(token: &Token<'_>) -> bool {
    matches!(token, Token::Operator(";" | "\n"))
}

fn text<'a>(token: &Token<'a>) -> Option<&'a str> {
    match token {
        Token::Word(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::convert;

    #[test]
    fn what_means_the_same_is_converted() {
        for (line, right) in [
            ("for x in a b c; do echo $x; done", Some("for x in ['a' 'b' 'c'] { print $x }")),
            (
                "for v in 1.10 7 007 1e3 true null 10kb; do git show v$v; done",
                Some("for v in ['1.10' 7 '007' '1e3' 'true' 'null' '10kb'] { try { git show $\"v($v)\" } }"),
            ),
            ("for i in {3..1}; do echo $i; done", Some("for i in 3..1 { print $i }")),
            ("for i in {1..5}; do echo \"$i\"; done", Some("for i in 1..5 { print $i }")),
            (
                "for i in $(seq 3); do ping -c 1 host$i; done",
                Some("for i in 1..3 { try { ping -c 1 $\"host($i)\" } }"),
            ),
            (
                "for f in *.txt; do wc -l \"$f\"; done",
                Some("for f in (ls *.txt | get name) { try { wc -l $f } }"),
            ),
            (
                "for f in a b; do cp $f ${f}.bak; echo done; done",
                Some("for f in ['a' 'b'] { try { ^cp $f $\"($f).bak\" }; print 'done' }"),
            ),
            ("for f in a; do cat $f | sort; done", Some("for f in ['a'] { try { cat $f | ^sort } }")),
            ("if [ -f x ]; then cat x; fi", Some("if (('x' | path expand | path type) == file) { cat x }")),
            (
                "if [[ ! -e \"x y\" ]]; then mkdir a; else ls; fi",
                Some("if not ('x y' | path exists) { mkdir a } else { ls }"),
            ),
            (
                "test -f todo.md || touch todo.md",
                Some("if not (('todo.md' | path expand | path type) == file) { touch todo.md }"),
            ),
            ("[ ! -e a ] || rmdir a", Some("if ('a' | path exists) { rmdir a }")),
            ("[ -d src ] && ls src", Some("if (('src' | path expand | path type) == dir) { ls src }")),
            ("if [ -z \"$CI\" ]; then make; fi", Some("if (($env.CI? | default '') | is-empty) { make }")),
            ("if [ $SHLVL -gt 1 ]; then make; fi", Some("if (($env.SHLVL | into int) > 1) { make }")),
            ("[[ $LANG == C ]] && date +%F", Some("if (($env.LANG? | default '') == 'C') { date +%F }")),
            ("make docs &", Some("job spawn { make docs }")),
            ("cat a | grep b &", Some("job spawn { cat a | grep b }")),
            // Lines without an exact counterpart are not translated.
            ("for f in *; do rm $f; done", None),
            ("for f in $(ls); do echo $f; done", None),
            ("for i in {01..10}; do echo $i; done", None),
            ("for i in $(seq 5 2); do echo $i; done", None),
            ("for i in $(seq 0); do echo $i; done", None),
            ("[ -d \"$NOPE\" ] && ls", None),
            ("[ -f $NOPE ] && make", None),
            ("[ -e ${NOPE} ] && make", None),
            ("ls &", None),
            ("cat a | sort &", None),
            ("nohup make &", None),
            ("cd sub &", None),
            ("export A=b &", None),
            ("A=b make &", None),
            ("for f in a b; do cd $f; done", None),
            ("for f in a b; do echo ${f%.*}; done", None),
            ("for f in a b; do echo $y; done", None),
            ("for f in a b; do cat $f > $f.new; done", None),
            ("for f in a b; do for g in c; do echo $g; done; done", None),
            ("if grep -q x a; then make; fi", None),
            ("if [ -f x ]; then a; elif [ -f y ]; then b; fi", None),
            ("if [ -x x ]; then make; fi", None),
            ("if [ $name = x ]; then make; fi", None),
            ("while true; do make; done", None),
            ("make & make docs &", None),
            ("for", None),
            ("for x in", None),
            ("for x in ; do echo $x; done", None),
            ("if [ ]; then make; fi", None),
            ("if", None),
            ("&", None),
            ("", None),
        ] {
            assert_eq!(convert(line).map(|(line, _)| line).as_deref(), right, "{line}");
        }
    }
}
