//! Translates bash blocks, substitutions and variables into fish.

use super::{Token, tokens, variable};
use crate::check::brace_range;

/// bash builtins that fish lacks or that have another meaning in fish.
const UNTRANSLATED: [&str; 14] = [
    "case", "esac", "select", "until", "function", "declare", "typeset", "let", "set", "shopt", "readonly",
    "trap", "coproc", "mapfile",
];

/// Returns the line in fish and the list of changes.
pub(super) fn convert(line: &str) -> Option<(String, Vec<String>)> {
    let tokens = tokens(line)?;
    let mut translation =
        Translation { tokens: &tokens, index: 0, out: String::new(), changes: Vec::new(), at_command: true };
    while let Some(token) = tokens.get(translation.index) {
        translation.index += 1;
        match token {
            Token::Blank(blank) => translation.out.push_str(blank),
            Token::Operator("|&") => {
                translation.put("&|", "|& → &|");
                translation.at_command = true;
            }
            Token::Operator(">|") => translation.out.push('>'),
            Token::Operator(";;") => return None,
            Token::Operator(operator) => {
                translation.at_command = matches!(*operator, ";" | "|" | "&" | "&&" | "||" | "\n");
                translation.out.push_str(operator);
            }
            Token::Word(word) if translation.at_command => translation.command(word)?,
            Token::Word(word) => translation.expand(word)?,
        }
    }
    let Translation { out, changes, .. } = translation;
    (out != line && !changes.is_empty()).then_some((out, changes))
}

/// A bash line that is translated token by token.
struct Translation<'t> {
    tokens: &'t [Token<'t>],
    /// Index of the next token.
    index: usize,
    out: String,
    changes: Vec<String>,
    /// `true` if the next word is a command.
    at_command: bool,
}

impl<'t> Translation<'t> {
    /// Writes a text and notes the change.
    fn put(&mut self, text: &str, change: &str) {
        self.out.push_str(text);
        self.changes.push(change.to_owned());
    }

    /// Writes a word with its variables and substitutions translated.
    fn expand(&mut self, word: &str) -> Option<()> {
        self.out.push_str(&expanded(word, &mut self.changes)?);
        Some(())
    }

    /// Returns the word after the blank that follows a command.
    fn next_word(&self) -> Option<&'t str> {
        match self.tokens.get(self.index + 1)? {
            Token::Word(word) => Some(*word),
            _ => None,
        }
    }

    /// Translates the first word of a command, or a keyword.
    fn command(&mut self, word: &str) -> Option<()> {
        if UNTRANSLATED.contains(&word) {
            return None;
        }
        self.at_command = false;
        match word {
            // fish needs only the `;` between a condition and its block.
            "do" | "then" => {
                self.changes.push(format!("`{word}` left out"));
                if matches!(self.tokens.get(self.index), Some(Token::Blank(_))) {
                    self.index += 1;
                }
                self.at_command = true;
            }
            "done" | "fi" => self.put("end", &format!("{word} → end")),
            "elif" | "else" | "{" => {
                match word {
                    "elif" => self.put("else if", "elif → else if"),
                    "else" => self.put("else;", "else → else;"),
                    _ => self.put("begin;", "{ … } → begin; … end"),
                }
                self.at_command = true;
            }
            "}" => self.out.push_str("end"),
            "if" | "while" | "!" | "time" => {
                self.out.push_str(word);
                self.at_command = true;
            }
            "for" => {
                // `for x in …` continues to the end of the list.
                variable(self.next_word()?)?;
                self.out.push_str(word);
            }
            "unset" => self.put("set -e", "unset → set -e"),
            // In fish `-r` is another option, and backslashes are never read.
            "read" if self.next_word() == Some("-r") => {
                self.put("read", "read -r → read");
                self.index += 2;
            }
            "local" => {
                let (name, value) = self.next_word()?.split_once('=')?;
                self.out.push_str(&format!("set -l {name} {}", expanded(value, &mut self.changes)?));
                self.changes.push("local → set -l".to_owned());
                self.index += 2;
            }
            "[[" => self.index = test(self.tokens, self.index, &mut self.out, &mut self.changes)?,
            _ => self.assignment_or_name(word)?,
        }
        Some(())
    }

    /// Translates an assignment, or the name of a command.
    fn assignment_or_name(&mut self, word: &str) -> Option<()> {
        let assigned = word
            .split_once('=')
            .filter(|(name, _)| variable(name).is_some_and(|(_, length)| length == name.len()));
        let next = (self.tokens.get(self.index), self.tokens.get(self.index + 1));
        let alone = !matches!(next, (Some(Token::Blank(_)), Some(Token::Word(_))));
        match assigned {
            Some((name, value)) if alone => {
                let value = expanded(value, &mut self.changes)?;
                self.out.push_str(format!("set {name} {value}").trim_end());
                self.changes.push(format!("{name}=… → set {name} …"));
            }
            Some(_) => {
                self.expand(word)?;
                self.at_command = true;
            }
            None => self.expand(word)?,
        }
        Some(())
    }
}

/// Translates `[[ … ]]` to `test …`; returns the index after it.
fn test(tokens: &[Token<'_>], from: usize, out: &mut String, changes: &mut Vec<String>) -> Option<usize> {
    out.push_str("test");
    changes.push("[[ … ]] → test …".to_owned());
    for (index, token) in tokens.iter().enumerate().skip(from) {
        match token {
            Token::Word("]]") => {
                out.truncate(out.trim_end().len());
                return Some(index + 1);
            }
            Token::Word("=~" | "-v" | "-R" | "-o") => return None,
            Token::Word("==") => out.push('='),
            // A pattern on the right of `==` has no counterpart. An unset variable must remain one word.
            Token::Word(word) if word.contains(['*', '?', '(']) => return None,
            Token::Word(word) if word.contains(['$', '`']) => {
                out.push_str(&expanded(&one_word(word)?, changes)?);
            }
            Token::Word(word) => out.push_str(&expanded(word, changes)?),
            Token::Blank(blank) => out.push_str(blank),
            Token::Operator("&&" | "||") => {
                let Some(Token::Operator(operator)) = tokens.get(index) else { return None };
                out.push_str(&format!("{operator} test"));
            }
            Token::Operator(_) => return None,
        }
    }
    None
}

/// Quotes a word whose expansion might be empty; `None` if only parts of it are quoted.
fn one_word(word: &str) -> Option<String> {
    let quoted = |quote| word.strip_prefix(quote)?.strip_suffix(quote);
    match quoted('"').or_else(|| quoted('\'')) {
        Some(inner) => (!inner.contains(['"', '\''])).then(|| word.to_owned()),
        None => (!word.contains(['"', '\'', '\\', '~'])).then(|| format!("\"{word}\"")),
    }
}

/// Translates the variables and substitutions of a word; `None` if fish lacks a part.
fn expanded(word: &str, changes: &mut Vec<String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = word;
    let mut double = false;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..)?;
        let mut taken = c.len_utf8();
        match c {
            '\\' => {
                let next = after.chars().next()?;
                taken += next.len_utf8();
                out.push(c);
                out.push(next);
            }
            '\'' if !double => {
                let end = after.find('\'')?;
                let inner = after.get(..end)?;
                // In fish a backslash also escapes inside single quotes.
                if inner.contains("\\\\") || inner.ends_with('\\') {
                    return None;
                }
                taken += end + 1;
                out.push_str(rest.get(..taken)?);
            }
            '"' => {
                double = !double;
                out.push(c);
            }
            '`' => {
                let end = after.find('`')?;
                let inner = after.get(..end)?;
                if inner.contains('\\') {
                    return None;
                }
                taken += end + 1;
                out.push_str(if double { "$(" } else { "(" });
                out.push_str(&substituted(inner, changes)?);
                out.push(')');
                changes.push("`…` → (…)".to_owned());
            }
            '$' => {
                let (text, length) = dollar(after, double, changes)?;
                taken += length;
                out.push_str(&text);
            }
            '{' if !double && let Some((length, sequence)) = brace_range(rest) => {
                taken = length;
                changes.push(format!("{} → {sequence}", rest.get(..length)?));
                out.push_str(&sequence);
            }
            // bash keeps the leading zeros of `{01..10}`; `seq` does not.
            '{' if !double
                && after
                    .split_once('}')
                    .is_some_and(|(range, _)| range.contains("..") && !range.contains([',', '/'])) =>
            {
                return None;
            }
            '(' | ')' if !double => return None,
            _ => out.push(c),
        }
        rest = rest.get(taken..)?;
    }
    Some(out)
}

/// Translates the text after a `$`; also returns the number of bytes read.
fn dollar(after: &str, double: bool, changes: &mut Vec<String>) -> Option<(String, usize)> {
    let mut renamed = |old: &str, new: &str, length| {
        changes.push(format!("{old} → {new}"));
        Some((new.to_owned(), length))
    };
    match after.chars().next() {
        Some('?') => renamed("$?", "$status", 1),
        Some('$') => renamed("$$", "$fish_pid", 1),
        Some('!') => renamed("$!", "$last_pid", 1),
        Some('@' | '*') => renamed("$@", "$argv", 1),
        Some(c @ '1'..='9')
            if !after.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) =>
        {
            renamed(&format!("${c}"), &format!("$argv[{c}]"), 1)
        }
        Some('(') if after.starts_with("((") => {
            let end = after.find("))")?;
            let sum = after.get(2..end)?.trim();
            let whole = |c: char| c.is_ascii_alphanumeric() || " +-*%$_".contains(c);
            // In bash a leading zero means an octal number.
            let mut numbers = sum.split(|c: char| !c.is_ascii_alphanumeric());
            if numbers.any(|number| 1 < number.len() && number.starts_with('0')) {
                return None;
            }
            // fish's division is not an integer division, and its variables need a `$`.
            let bare = sum
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '$' && c != '_')
                .any(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
            if !sum.chars().all(whole) || bare || sum.contains("**") {
                return None;
            }
            let dollar = if double { "$" } else { "" };
            let sum = if sum.contains('*') { format!("'{sum}'").replace("'$", "$") } else { sum.to_owned() };
            if sum.contains('\'') && sum.contains('$') {
                return None;
            }
            changes.push("$((…)) → (math …)".to_owned());
            Some((format!("{dollar}(math {sum})"), end + 2))
        }
        Some('(') => {
            let length = super::word(&format!("${after}")).map(|length| length - 1)?;
            let end = closing(after.get(..length)?)?;
            let inner = after.get(1..end)?;
            Some((format!("$({})", substituted(inner, changes)?), end + 1))
        }
        Some('{') => {
            let (name, length) = variable(after)?;
            let next = after.get(length..).and_then(|rest| rest.chars().next());
            if double && next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '[') {
                return None;
            }
            let new = if double { format!("${name}") } else { format!("{{${name}}}") };
            renamed(&format!("${{{name}}}"), &new, length)
        }
        Some('#' | '-' | '0' | '\'' | '"') => None,
        _ => Some(("$".to_owned(), 0)),
    }
}

/// Returns the byte offset of the bracket that closes the one at the start of a text.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', None | Some('"')) => escaped = true,
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(c),
            ('(', None) => depth += 1,
            (')', None) => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Translates the inside of a substitution.
fn substituted(inner: &str, changes: &mut Vec<String>) -> Option<String> {
    // The inside gets shorter at each level, so the recursion ends.
    let Some((converted, more)) = convert(inner) else {
        return super::tokens(inner)?
            .iter()
            .all(|token| match token {
                Token::Word(word) => {
                    !UNTRANSLATED.contains(word) && expanded(word, &mut Vec::new()).is_some()
                }
                Token::Blank(_) | Token::Operator(_) => true,
            })
            .then(|| inner.to_owned());
    };
    changes.extend(more);
    Some(converted)
}
