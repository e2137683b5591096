//! Value of a word as far as the command line determines it: quotes, escapes, variables with known values, and
//! substitutions of text commands.

use std::collections::BTreeMap;

use super::escapes::{EscapeStyle, decode};
use super::text::{ansi_end, capitals, closing, escape_length, is_list, name_length, part, without};
use super::{BYTES_MAX, DEPTH_MAX, TextCommand, nushell, output};
use askline_syntax as syntax;
use askline_syntax::shell::Shell;

/// Maximum length of a value from which a pattern is removed, in characters.
const PATTERN_CHARS_MAX: usize = 96;
/// Maximum number of expansions in one word, all levels together.
const EXPANSIONS_MAX: usize = 256;

/// Returns the value of a word, given as written in the command line with its quotes, or `None` if any part is unknown.
///
/// `variables` contains the variables with known values. `~` and file name patterns stay as they are. A lower-case
/// variable that is not in `variables` counts as unset if the word has a default for it.
pub(crate) fn expand(text: &str, variables: &BTreeMap<String, String>, shell: Shell) -> Option<String> {
    let mut left = EXPANSIONS_MAX;
    Expansion { variables, shell, depth: 0, left: &mut left }.word(text)
}

struct Expansion<'a> {
    variables: &'a BTreeMap<String, String>,
    shell: Shell,
    depth: usize,
    left: &'a mut usize,
}

impl Expansion<'_> {
    fn word(&mut self, text: &str) -> Option<String> {
        if self.depth > DEPTH_MAX || text.len() > BYTES_MAX {
            return None;
        }
        if self.shell.is_nushell() {
            let (variables, shell, depth) = (self.variables, self.shell, self.depth);
            return nushell::Values { variables, shell, depth, left: &mut *self.left }.value(text);
        }
        let mut out: Vec<u8> = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let after = rest.get(c.len_utf8()..)?;
            match c {
                '\'' => {
                    let (inside, tail) = self.single_quoted(after)?;
                    out.extend(inside);
                    rest = tail;
                }
                '"' => rest = self.double_quoted(after, &mut out)?,
                '\\' if self.shell.is_fish() => {
                    // An escape is at most ten characters long and is decoded alone.
                    let length = 1 + escape_length(after);
                    let (escape, tail) = rest.split_at_checked(length)?;
                    out.extend(decode(escape, EscapeStyle::Fish).0);
                    rest = tail;
                }
                '\\' => {
                    let next = after.chars().next()?;
                    if next != '\n' {
                        out.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    rest = after.get(next.len_utf8()..)?;
                }
                '$' if after.starts_with('\'') && !self.shell.is_fish() => {
                    let body = after.get(1..)?;
                    let end = ansi_end(body)?;
                    out.extend(decode(body.get(..end)?, EscapeStyle::Ansi).0);
                    rest = body.get(end + 1..)?;
                }
                '$' if after.starts_with('"') && self.shell.dialect().has_translated_quotes => rest = after,
                '$' | '`' | '(' => rest = self.expansion(rest, &mut out)?,
                '{' if is_list(after) => return None,
                '<' | '>' | ')' | ';' | '|' | '&' | ' ' | '\t' | '\n' => return None,
                _ => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    rest = after;
                }
            }
            if out.len() > BYTES_MAX {
                return None;
            }
        }
        String::from_utf8(out).ok()
    }

    /// Returns the text up to the closing quote, and the text after it.
    fn single_quoted<'t>(&self, text: &'t str) -> Option<(Vec<u8>, &'t str)> {
        if !self.shell.is_fish() {
            let (inside, tail) = text.split_once('\'')?;
            return Some((inside.as_bytes().to_vec(), tail));
        }
        let mut inside = String::new();
        let mut characters = text.char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '\'' => return Some((inside.into_bytes(), text.get(at + 1..)?)),
                '\\' => match characters.next()?.1 {
                    next @ ('\'' | '\\') => inside.push(next),
                    next => inside.extend(['\\', next]),
                },
                _ => inside.push(c),
            }
        }
        None
    }

    /// Adds the text up to the closing quote and returns the text after it.
    fn double_quoted<'t>(&mut self, text: &'t str, out: &mut Vec<u8>) -> Option<&'t str> {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let after = rest.get(c.len_utf8()..)?;
            match c {
                '"' => return Some(after),
                '\\' => {
                    let next = after.chars().next()?;
                    match next {
                        '$' | '"' | '\\' | '`' => {
                            out.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes())
                        }
                        '\n' => {}
                        _ => {
                            out.push(b'\\');
                            out.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes());
                        }
                    }
                    rest = after.get(next.len_utf8()..)?;
                }
                '`' if self.shell.is_fish() => {
                    out.push(b'`');
                    rest = after;
                }
                '$' | '`' => rest = self.expansion(rest, out)?,
                _ => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    rest = after;
                }
            }
            if out.len() > BYTES_MAX {
                return None;
            }
        }
        None
    }

    /// Adds the value of an expansion that begins with `$`, a backquote or a parenthesis, and returns the text after
    /// it.
    fn expansion<'t>(&mut self, text: &'t str, out: &mut Vec<u8>) -> Option<&'t str> {
        *self.left = self.left.checked_sub(1)?;
        let fish = self.shell.is_fish();
        let after = text.get(1..)?;
        let (value, rest) = match (text.as_bytes().first()?, after.as_bytes().first()) {
            (b'(', _) if fish => {
                let end = closing(after, '(', ')')?;
                (self.substitution(after.get(..end)?)?, after.get(end + 1..)?)
            }
            (b'`', _) if !fish => {
                let (inside, rest) = after.split_once('`').filter(|(inside, _)| !inside.contains('\\'))?;
                (self.substitution(inside)?, rest)
            }
            (b'$', Some(b'(')) => {
                let inside = after.get(1..)?;
                if inside.starts_with('(') {
                    return None;
                }
                let end = closing(inside, '(', ')')?;
                (self.substitution(inside.get(..end)?)?, inside.get(end + 1..)?)
            }
            (b'$', Some(b'{')) if !fish => {
                let inside = after.get(1..)?;
                let end = closing(inside, '{', '}')?;
                (self.braced(inside.get(..end)?)?, inside.get(end + 1..)?)
            }
            (b'$', Some(first)) if first.is_ascii_alphabetic() || *first == b'_' => {
                let count = name_length(after);
                let rest = after.get(count..)?;
                // Subscripts in zsh and fish select a part of the value.
                if self.shell.dialect().has_subscripts && rest.starts_with('[') {
                    return None;
                }
                (self.variables.get(after.get(..count)?)?.clone(), rest)
            }
            (b'$', Some(first @ (b'1'..=b'9' | b'@' | b'*'))) if !fish => {
                let name = char::from(*first).to_string();
                (self.variables.get(&name)?.clone(), after.get(1..)?)
            }
            (b'$', None | Some(b' ' | b'"' | b'/' | b'.' | b':' | b'=' | b'%')) if !fish => {
                ("$".to_owned(), after)
            }
            _ => return None,
        };
        out.extend(value.into_bytes());
        Some(rest)
    }

    /// Returns the value of `${…}`.
    fn braced(&mut self, inside: &str) -> Option<String> {
        if let Some(name) = inside.strip_prefix('#') {
            return (name_length(name) == name.len() && !name.is_empty())
                .then(|| self.variables.get(name).map(|value| value.chars().count().to_string()))?;
        }
        if let Some(name) = inside.strip_prefix('!')
            && self.shell.dialect().has_indirection
        {
            let target = self.variables.get(name)?;
            return self.variables.get(target).cloned();
        }
        // zsh splits `${=x}` into words and expands patterns in `${~x}`.
        let inside = match inside.strip_prefix(['=', '~']) {
            Some(rest) if self.shell.dialect().has_variable_flags => rest,
            _ => inside,
        };
        // Flags of zsh: `(U)`, `(L)`.
        let (flags, inside) =
            match inside.strip_prefix('(').filter(|_| self.shell.dialect().has_variable_flags) {
                Some(rest) => rest.split_once(')')?,
                None => ("", inside),
            };
        let (name, change) = inside.split_at_checked(name_length(inside))?;
        let known = self.variables.get(name).cloned();
        let value = self.changed(name, known, change)?;
        match flags {
            "" => Some(value),
            "U" => Some(value.to_uppercase()),
            "L" => Some(value.to_lowercase()),
            _ => None,
        }
    }

    /// Returns the value modified by the text after the name: `:1:2`, `#x`, `/a/b`, `^^`, `:-default`.
    fn changed(&mut self, name: &str, known: Option<String>, change: &str) -> Option<String> {
        // Without a name (zsh's `${:-x}`) no variable can be set; upper-case variables may come from the environment.
        let unset = known.is_none() && !name.chars().any(|c| c.is_ascii_uppercase());
        for (mark, needs_value) in
            [(":-", true), (":=", true), (":+", true), ("-", false), ("=", false), ("+", false)]
        {
            let Some(word) = change.strip_prefix(mark) else { continue };
            let set = known.as_ref().is_some_and(|value| !needs_value || !value.is_empty());
            if !set && !unset && known.is_none() {
                return None;
            }
            return match (set, mark.ends_with('+')) {
                (true, false) => known,
                (false, true) => Some(String::new()),
                _ => self.nested(word),
            };
        }
        let value = known?;
        if change.is_empty() || change.starts_with(":?") || change.starts_with('?') {
            return Some(value);
        }
        let upper = |first: bool| capitals(&value, first, |c| c.to_uppercase().collect());
        let lower = |first: bool| capitals(&value, first, |c| c.to_lowercase().collect());
        match change {
            "^^" | "@U" | ":u" => return Some(upper(false)),
            ",," | "@L" | ":l" => return Some(lower(false)),
            "^" | "@u" => return Some(upper(true)),
            "," => return Some(lower(true)),
            _ => {}
        }
        if let Some(range) = change.strip_prefix(':') {
            return part(&value, range);
        }
        let short = value.chars().count() <= PATTERN_CHARS_MAX && change.len() <= PATTERN_CHARS_MAX;
        if !short {
            return None;
        }
        for (mark, head, longest) in
            [("##", true, true), ("#", true, false), ("%%", false, true), ("%", false, false)]
        {
            if let Some(pattern) = change.strip_prefix(mark) {
                let pattern = self.nested(pattern)?;
                return Some(without(&value, &pattern, head, longest));
            }
        }
        let replacing = change.strip_prefix('/')?;
        let (mode, rest) = match replacing.chars().next()? {
            mode @ ('/' | '#' | '%') => (mode, replacing.get(1..)?),
            _ => (' ', replacing),
        };
        let (pattern, with) = rest.split_once('/').unwrap_or((rest, ""));
        let (pattern, with) = (self.nested(pattern)?, self.nested(with)?);
        // Patterns are not supported.
        if pattern.is_empty() || pattern.contains(['*', '?', '[']) {
            return None;
        }
        Some(match mode {
            '/' => value.replace(&pattern, &with),
            '#' => value.strip_prefix(&pattern).map_or(value.clone(), |rest| format!("{with}{rest}")),
            '%' => value.strip_suffix(&pattern).map_or(value.clone(), |rest| format!("{rest}{with}")),
            _ => value.replacen(&pattern, &with, 1),
        })
    }

    /// Expands a word inside `${…}`, where blanks are literal.
    fn nested(&mut self, text: &str) -> Option<String> {
        let mut inner = Expansion {
            variables: self.variables,
            shell: self.shell,
            depth: self.depth + 1,
            left: &mut *self.left,
        };
        let mut parts = Vec::new();
        for part in text.split(' ') {
            parts.push(inner.word(part)?);
        }
        Some(parts.join(" "))
    }

    /// Returns the output of a substitution of text commands, without trailing newlines.
    fn substitution(&mut self, script: &str) -> Option<String> {
        if self.depth >= DEPTH_MAX || script.len() > BYTES_MAX {
            return None;
        }
        let parsed = syntax::parse(script, self.shell);
        if !parsed.errors.is_empty() || parsed.incomplete || parsed.commands.is_empty() {
            return None;
        }
        let mut inner = Expansion {
            variables: self.variables,
            shell: self.shell,
            depth: self.depth + 1,
            left: &mut *self.left,
        };
        let top: Vec<_> = parsed.commands.iter().filter(|command| command.within.is_empty()).collect();
        let pipeline = top.first()?.pipeline;
        let mut steps: Vec<(Vec<String>, Option<String>)> = Vec::new();
        for command in &top {
            if command.pipeline != pipeline || !command.assignments.is_empty() {
                return None;
            }
            let words = command
                .words
                .iter()
                .map(|word| inner.word(script.get(word.span.clone())?))
                .collect::<Option<_>>()?;
            let mut input = None;
            for redirection in &command.redirections {
                let target = redirection.target.as_ref()?;
                match redirection.operator.as_str() {
                    "<<<" => input = Some(format!("{}\n", inner.word(script.get(target.span.clone())?)?)),
                    ">" | ">&" if redirection.descriptor == Some(2) => {}
                    _ => return None,
                }
            }
            steps.push((words, input));
        }
        let steps: Vec<TextCommand<'_>> =
            steps.iter().map(|(words, input)| TextCommand { words, input: input.as_deref() }).collect();
        Some(output(&steps, self.shell)?.trim_end_matches('\n').to_owned())
    }
}
