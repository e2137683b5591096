//! Translates bash operators, variables and redirects into Nushell. External programs stay external programs.

pub(super) mod blocks;

use std::collections::BTreeSet;

use super::{Token, tokens, variable};
use crate::repair::nushell::sets;
use askline_syntax::nushell_commands;

/// Changes that are correct only if a failed program stops the following commands.
pub(super) const STOPPING: [&str; 2] = [AND, OR];
const AND: &str = "&& → ;";
const OR: &str = "|| → try, catch";
/// Commands that change the shell itself.
const LASTING: [&str; 4] = ["cd", "export", "alias", "exit"];
/// bash words that have no short form in Nushell or another meaning.
const UNTRANSLATED: [&str; 27] = [
    "[", "[[", "]]", "if", "then", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "declare", "local", "set", "unset", "source", ".", "eval", "test", "read", "{", "}", "!",
];

/// Returns the line in Nushell and the list of changes.
pub(super) fn convert(line: &str) -> Option<(String, Vec<String>)> {
    // If the line defines a variable in Nushell syntax, `$NAME` is not an environment variable.
    let used = line.split('$').skip(1).filter_map(|rest| Some(variable(rest)?.0));
    let used: BTreeSet<&str> = used.filter(|name| is_environment(name)).collect();
    if used.into_iter().any(|name| sets(line, name)) {
        return None;
    }
    blocks::convert(line).or_else(|| otherwise(line)).or_else(|| convert_within(line, 0))
}

/// Translates `a || b`: one command, and the command to run if it fails.
fn otherwise(line: &str) -> Option<(String, Vec<String>)> {
    let all = tokens(line)?;
    let is_or = |token: &Token<'_>| *token == Token::Operator("||");
    let at = all.iter().position(is_or)?;
    let text = |part: &[Token<'_>]| {
        let mut text = String::new();
        for token in part {
            match token {
                Token::Blank(own) | Token::Operator(own) | Token::Word(own) => text.push_str(own),
            }
        }
        text.trim().to_owned()
    };
    let (first, second) = (all.get(..at)?, all.get(at + 1..)?);
    // Other commands that depend on the failure would need separate handling.
    let joins = |token: &Token<'_>| matches!(token, Token::Operator("||" | "&&" | ";" | "&" | "\n"));
    let lasts = |token: &Token<'_>| matches!(token, Token::Word(word) if LASTING.contains(word) || word.contains('='));
    let is_one = !first.iter().any(|token| joins(token) || *token == Token::Operator("|"));
    if !is_one || second.iter().any(joins) || first.iter().chain(second).any(lasts) {
        return None;
    }
    let mut changes = vec![OR.to_owned()];
    let mut side = |part: &[Token<'_>]| {
        let line = text(part);
        match convert_within(&line, 1) {
            Some((converted, more)) => {
                changes.extend(more);
                Some(converted)
            }
            None => (!line.is_empty() && is_common(&line)).then_some(line),
        }
    };
    let (first, second) = (side(first)?, side(second)?);
    Some((format!("try {{ {first} }} catch {{ {second} }}"), changes))
}

fn convert_within(line: &str, depth: usize) -> Option<(String, Vec<String>)> {
    let tokens = tokens(line)?;
    let mut translation = Translation::of(&tokens, depth);
    while let Some(token) = tokens.get(translation.index) {
        translation.index += 1;
        match token {
            Token::Blank(blank) => translation.out.push_str(blank),
            Token::Operator(operator) => translation.operator(operator)?,
            Token::Word(text) if translation.at_command => translation.command(text)?,
            Token::Word(text) => {
                let word = translation.word(text)?;
                translation.out.push_str(&word);
            }
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
    /// Number of substitutions around the line.
    depth: usize,
    out: String,
    changes: Vec<String>,
    /// `true` if the next word is a command.
    at_command: bool,
    /// The last command.
    name: Option<&'t str>,
}

impl<'t> Translation<'t> {
    fn of(tokens: &'t [Token<'t>], depth: usize) -> Self {
        Self {
            tokens,
            index: 0,
            depth,
            out: String::new(),
            changes: Vec::new(),
            at_command: true,
            name: None,
        }
    }

    /// Returns the word after optional blanks, and the index after it.
    fn target(&self, index: usize) -> Option<(&'t str, usize)> {
        let at = if matches!(self.tokens.get(index), Some(Token::Blank(_))) { index + 1 } else { index };
        match self.tokens.get(at)? {
            Token::Word(word) => Some((*word, at + 1)),
            _ => None,
        }
    }

    /// Reports whether no further word of the command follows.
    fn is_end(&self, index: usize) -> bool {
        let next = (self.tokens.get(index), self.tokens.get(index + 1));
        !matches!(next, (Some(Token::Blank(_)), Some(Token::Word(_))))
    }

    fn word(&mut self, text: &str) -> Option<String> {
        word(text, &mut self.changes, self.depth)
    }

    /// Translates an operator and, for a redirect, its file.
    fn operator(&mut self, operator: &str) -> Option<()> {
        self.at_command = true;
        match operator {
            ";" | "|" | "\n" => self.out.push_str(operator),
            "&&" => {
                self.out.truncate(self.out.trim_end().len());
                self.out.push(';');
                self.changes.push(AND.to_owned());
            }
            "|&" => {
                self.out.push_str("o+e>|");
                self.changes.push("|& → o+e>|".to_owned());
            }
            "2>&1" => {
                // Only before a pipe; redirects to a file read it themselves.
                let pipe = match self.tokens.get(self.index) {
                    Some(Token::Blank(_)) => self.index + 1,
                    _ => self.index,
                };
                if self.tokens.get(pipe) != Some(&Token::Operator("|")) {
                    return None;
                }
                self.out.push_str("o+e>|");
                self.changes.push("2>&1 | → o+e>|".to_owned());
                self.index = pipe + 1;
            }
            ">" | "1>" | ">>" | "2>" | "2>>" | "&>" | "&>>" => self.redirect(operator)?,
            _ => return None,
        }
        Some(())
    }

    /// Translates a redirect to a file, with a `2>&1` after it.
    fn redirect(&mut self, operator: &str) -> Option<()> {
        self.at_command = false;
        // Nushell's own commands return no text; `save` writes their output. `8 >> 1` is not the output of a program
        // either.
        let is_number = |name: &str| name.parse::<f64>().is_ok();
        if self.name.is_some_and(|name| nushell_commands().contains(name) || is_number(name)) {
            return None;
        }
        let (file, next) = self.target(self.index)?;
        let both = match (self.tokens.get(next), self.tokens.get(next + 1)) {
            (Some(Token::Operator("2>&1")), _) => Some(next + 1),
            (Some(Token::Blank(_)), Some(Token::Operator("2>&1"))) => Some(next + 2),
            _ => None,
        };
        let both = both.filter(|_| matches!(operator, ">" | "1>" | ">>"));
        let arrow = match (operator, both) {
            (">" | "1>", Some(_)) | ("&>", _) => "o+e>",
            (">>", Some(_)) | ("&>>", _) => "o+e>>",
            ("2>", _) => "e>",
            ("2>>", _) => "e>>",
            (">>", None) => "o>>",
            _ => "o>",
        };
        self.index = both.unwrap_or(next);
        // A number is not a file name in Nushell.
        let is_number = !file.is_empty() && file.chars().all(|c| c.is_ascii_digit());
        let quoted = is_number.then(|| format!("'{file}'")).or_else(|| as_written(file));
        let file = match quoted {
            Some(quoted) => quoted,
            None => self.word(file)?,
        };
        let blank = if self.out.ends_with(' ') { "" } else { " " };
        self.out.push_str(&format!("{blank}{arrow} {file}"));
        let also = if both.is_some() { " … 2>&1" } else { "" };
        self.changes.push(format!("{operator}{also} → {arrow}"));
        Some(())
    }

    /// Translates the first word of a command, and what only this command changes in its words.
    fn command(&mut self, text: &'t str) -> Option<()> {
        self.at_command = false;
        self.name = Some(text);
        if UNTRANSLATED.contains(&text) {
            return None;
        }
        match text {
            "export" => {
                let (assigned, next) = self.target(self.index)?;
                let (name, value) = assignment(assigned)?;
                if !self.is_end(next) {
                    return None;
                }
                self.index = next;
                self.assign(name, value, "export ")?;
            }
            "alias" => self.alias()?,
            "echo" => self.echo(text),
            _ => match assignment(text) {
                Some((name, value)) if self.is_end(self.index) => self.assign(name, value, "")?,
                // Before a command, Nushell reads the assignment as bash does.
                Some(_) => {
                    self.out.push_str(text);
                    self.at_command = true;
                }
                None => {
                    let word = self.word(text)?;
                    self.out.push_str(&word);
                }
            },
        }
        Some(())
    }

    /// Writes the assignment of an environment variable.
    fn assign(&mut self, name: &str, value: &str, keyword: &str) -> Option<()> {
        let value = value_of(value, &mut self.changes, self.depth)?;
        self.out.push_str(&format!("$env.{name} = {value}"));
        self.changes.push(format!("{keyword}{name}=… → $env.{name} = …"));
        Some(())
    }

    /// Translates the words after `alias`.
    fn alias(&mut self) -> Option<()> {
        let (assigned, next) = self.target(self.index)?;
        let (name, value) = assignment(assigned)?;
        let quoted = ['\'', '"'].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        let value = quoted.unwrap_or(value);
        // A Nushell alias can only be one call.
        if !self.is_end(next) || value.is_empty() || value.contains('|') || !is_common(value) {
            return None;
        }
        self.index = next;
        let value = convert_within(value, self.depth + 1).map_or(value.to_owned(), |(value, _)| value);
        self.out.push_str(&format!("alias {name} = {value}"));
        self.changes.push(format!("alias {name}=… → alias {name} = …"));
        Some(())
    }

    /// Writes `echo` and, if needed, its first word in quotes. Nushell's `echo` returns one value, and only at the end
    /// of the line or before a pipe; the external program prints words.
    fn echo(&mut self, text: &str) {
        let own = echoed(self.tokens, self.index);
        self.out.push_str(if own { text } else { "^echo" });
        let one = self.target(self.index).filter(|(one, _)| own && !is_option(one));
        if let Some((one, next)) = one
            && let Some(quoted) = as_written(one)
        {
            self.index = next;
            self.out.push_str(&format!(" {quoted}"));
            self.changes.push(format!("{one} → {quoted}"));
        } else if !own {
            self.changes.push("echo → ^echo".to_owned());
        }
    }
}

/// Returns the name and the value of an assignment `NAME=value`.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    variable(name).filter(|(_, length)| *length == name.len() && !name.starts_with('{'))?;
    Some((name, value))
}

/// Returns an assigned value, always quoted to keep it text.
fn value_of(value: &str, changes: &mut Vec<String>, depth: usize) -> Option<String> {
    let is_plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:,@%+=".contains(c));
    if is_plain { Some(format!("\"{value}\"")) } else { word(value, changes, depth) }
}

/// Translates a word to Nushell; `None` if Nushell reads a part differently.
fn word(text: &str, changes: &mut Vec<String>, depth: usize) -> Option<String> {
    if super::DEPTH_MAX < depth {
        return None;
    }
    let inner = |start: &str, end: &str| text.strip_prefix(start)?.strip_suffix(end);
    if let Some(literal) = inner("'", "'") {
        return (!literal.contains('\'')).then(|| text.to_owned());
    }
    if text == "$?" {
        changes.push("$? → $env.LAST_EXIT_CODE".to_owned());
        return Some("$env.LAST_EXIT_CODE".to_owned());
    }
    let command = inner("`", "`").or_else(|| inner("$(", ")").filter(|command| !command.starts_with('(')));
    if let Some(command) = command {
        if command.contains(['`', '\\']) || command.contains("$(") {
            return None;
        }
        changes.push("$(…) → (…)".to_owned());
        return match convert_within(command, depth + 1) {
            Some((converted, more)) => {
                changes.extend(more);
                Some(format!("({converted})"))
            }
            None => is_common(command).then(|| format!("({command})")),
        };
    }
    if let Some(quoted) = inner("\"", "\"").filter(|quoted| !quoted.contains(['"', '\\', '`'])) {
        if !quoted.contains('$') {
            return Some(text.to_owned());
        }
        return interpolated(quoted, changes);
    }
    if let Some(rest) = text.strip_prefix('$')
        && let Some((name, length)) = variable(rest)
        && length == rest.len()
        && is_environment(name)
    {
        changes.push(format!("${name} → $env.{name}"));
        return Some(format!("$env.{name}"));
    }
    let is_bare = !text.contains(['"', '\'', '\\', '`', '(', ')', '{', '}']);
    match text.contains('$') {
        // It would become `../..`.
        false if is_bare && text.starts_with("...") => as_written(text),
        false if is_bare => Some(text.to_owned()),
        true if is_bare && !text.contains(['*', '?', '[', '~']) => interpolated(text, changes),
        _ => None,
    }
}

/// Reports whether Nushell's `echo` prints the words from `from` on like bash: one word that is not a pattern, and
/// the value is not lost behind a `;`. Options stay, and the engine rejects them.
fn echoed(tokens: &[Token<'_>], from: usize) -> bool {
    let after = tokens.get(from..).unwrap_or_default();
    let is_blank = |token: &&Token<'_>| matches!(token, Token::Blank(_));
    let mut words = after.iter().filter(|token| !is_blank(token)).map_while(|token| match token {
        Token::Word(word) => Some(*word),
        _ => None,
    });
    let end = after.iter().find(|token| matches!(token, Token::Operator(_)));
    let is_shown = matches!(end, None | Some(Token::Operator("|" | "|&" | ">" | ">>")));
    match (words.next(), words.next()) {
        (None, _) => true,
        (Some(option), _) if is_option(option) => true,
        (Some(one), None) => is_shown && !is_expanded(one),
        (Some(_), Some(_)) => false,
    }
}

/// Reports whether a word is an option such as `-n`. `-5` is not one, but Nushell reads it as one unless it is
/// quoted.
fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Reports whether bash expands a word to file names.
pub(super) fn is_expanded(word: &str) -> bool {
    word.starts_with('~') || !word.contains(['"', '\'', '\\']) && word.contains(['*', '?', '['])
}

/// Quotes a bare word if Nushell's own commands would not read it as text: `1.10`, `007`, `1kb`, `true`,
/// `2024-01-01`, `1..3`. Whole numbers are printed as written and need no quotes.
pub(super) fn as_written(word: &str) -> Option<String> {
    const VALUES: [&str; 6] = ["true", "false", "null", "nan", "inf", "infinity"];
    let is_bare = !word.is_empty()
        && !word.contains(['"', '\'', '\\', '`', '(', ')', '{', '}', '$', '*', '?', '[', ']', '~']);
    let is_whole = word.parse::<u32>().is_ok_and(|number| number.to_string() == word);
    let is_text = word.starts_with(|c: char| c.is_alphabetic() || "_/,:@%".contains(c))
        && !word.contains("..")
        && !word.starts_with("r#")
        && !VALUES.iter().any(|value| word.eq_ignore_ascii_case(value));
    (is_bare && !is_whole && !is_text).then(|| format!("'{word}'"))
}

/// Translates text with variables to Nushell's `$"…"`.
fn interpolated(text: &str, changes: &mut Vec<String>) -> Option<String> {
    if text.contains(['(', ')']) {
        return None;
    }
    let mut out = String::from("$\"");
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        let (name, length) = variable(after)?;
        if !is_environment(name) {
            return None;
        }
        out.push_str(&format!("{before}($env.{name})"));
        changes.push(format!("${name} → $env.{name}"));
        rest = after.get(length..)?;
    }
    out.push_str(rest);
    out.push('"');
    Some(out)
}

/// Reports whether a name looks like an environment variable, not a variable of the line.
fn is_environment(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Reports whether a command means the same in both shells: plain words only.
fn is_common(command: &str) -> bool {
    tokens(command).is_some_and(|tokens| {
        tokens.iter().all(|token| match token {
            Token::Blank(_) | Token::Operator("|") => true,
            Token::Operator(_) => false,
            Token::Word(text) => {
                !UNTRANSLATED.contains(text)
                    && !text.contains('$')
                    && word(text, &mut Vec::new(), super::DEPTH_MAX).is_some()
            }
        })
    })
}
