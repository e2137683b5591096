//! Variables in a line that nothing sets: `find -exec mv "$f" …`.

use crate::mismatch::Mismatch;
use crate::request::Token;
use askline_syntax::ParsedLine;

/// Maximum length of the name of a variable of a loop.
const NAME_MAX: usize = 12;

/// Variables in small letters that the environment may set.
const ENVIRONMENT: [&str; 5] = ["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"];

/// Words of requests about variables.
const VARIABLES: [&str; 7] = ["variable", "variables", "var", "vars", "env", "environment", "array"];

/// Returns a mismatch for a variable in small letters that the line reads and never sets, and the request does not name.
pub(crate) fn compare(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    if line.shell().dialect().has_lowercase_variables {
        return None;
    }
    let words = line.parsed().commands.iter().flat_map(|command| command.words.iter());
    let (word, name) = words.filter(|word| !word.literal).find_map(|word| {
        // In `"$s"_*` the quotes end the name.
        let raw = line.text().get(word.span.clone()).filter(|raw| !raw.contains('\'')).unwrap_or(&word.text);
        let name = variables(raw).find(|name| !ENVIRONMENT.contains(name) && !is_set(name, line.text()))?;
        Some((word, name))
    })?;
    // "what does latest point to" is about a file.
    let speaks_of_variables =
        tokens.iter().any(|token| token.text.starts_with('$') || VARIABLES.contains(&token.lower.as_str()));
    let is_named =
        speaks_of_variables && tokens.iter().any(|token| token.text.trim_matches(['$', '{', '}']) == name);
    (!is_named).then(|| Mismatch::likely(word.span.clone(), format!("nothing in the line sets `${name}`")))
}

/// Returns the names in small letters of the variables in a word.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = rest.get(..end)?;
        // An array can only be set before the line.
        let is_array = rest.get(end..).is_some_and(|behind| behind.starts_with('['));
        let is_small =
            !is_array && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.len() <= NAME_MAX;
        (is_small && !name.contains(|c: char| c.is_ascii_uppercase())).then_some(name)
    })
}

/// Reports whether a line sets a variable: an assignment, a loop, `read` or another word that is the bare name.
fn is_set(name: &str, line: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let behind = line.get(at + name.len()..).and_then(|behind| behind.chars().next());
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !before.is_some_and(|c| is_part(c) || matches!(c, '$' | '{' | '/' | '.' | '-'))
            && !behind.is_some_and(|c| is_part(c) || matches!(c, '/' | '.' | '-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn variables_that_nothing_sets() {
        for (line, expected) in [
            ("find . -name '*.a' -exec mv \"$f\" \"${f%.a}.b\" \\;", Some("f")),
            ("for f in *.a; do mv \"$f\" \"${f%.a}.b\"; done", None),
            ("ls | while read -r name; do echo \"$name\"; done", None),
            ("n=3; head -n $n a", None),
            ("awk '{print $x}' a", None),
            ("find . -exec sh -c 'echo \"$0\"' {} \\;", None),
            ("echo $HOME $1 $(date)", None),
            ("echo $http_proxy", None),
            ("while read -r s; do mv \"$s\"_* \"$s/\"; done", None),
        ] {
            let found = compare(&[], &ParsedLine::new(line, Shell::Bash));
            let expected = expected.map(|name| format!("nothing in the line sets `${name}`"));
            assert_eq!(found.map(|it| it.text), expected, "{line}");
        }
    }

    #[test]
    fn a_word_of_the_request_is_a_variable_only_among_variables() {
        for (request, line, is_found) in [
            ("what does latest point to", "echo \"$latest\"", true),
            ("print the variable latest", "echo \"$latest\"", false),
            ("value of $latest", "echo \"$latest\"", false),
        ] {
            let tokens = crate::request::tokens(request);
            assert_eq!(
                compare(&tokens, &ParsedLine::new(line, Shell::Bash)).is_some(),
                is_found,
                "{request}"
            );
        }
    }
}
