//! Value of a Nushell expression as far as the command line determines it. The lexer is that of `askline_syntax`.

use std::collections::BTreeMap;

use super::{BYTES_MAX, DEPTH_MAX, TextCommand, output};
use askline_syntax::Span;
use askline_syntax::nushell_strings::{TemplatePart, escaped_text, quoted_text, template_parts};
use askline_syntax::nushell_tokens::{Inside, Token, TokenKind, group_end, tokens};
use askline_syntax::shell::Shell;

/// Commands that print their arguments and read nothing.
const PRINTERS: [&str; 4] = ["echo", "print", "^echo", "^printf"];

/// Evaluates expressions with some known variables.
pub(super) struct Values<'a> {
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) shell: Shell,
    pub(super) depth: usize,
    /// Number of expressions that may still be evaluated.
    pub(super) left: &'a mut usize,
}

impl Values<'_> {
    /// Returns the value of an expression: text, `$name`, `$"…(…)…"`, `("…" | str reverse)`.
    pub(super) fn value(&mut self, text: &str) -> Option<String> {
        *self.left = self.left.checked_sub(1)?;
        let text = text.trim();
        match text.as_bytes() {
            [b'(', ..] => self.pipeline(between(text)?),
            [b'$', b'"' | b'\'', ..] => self.template(text),
            [b'\'' | b'"' | b'`', ..] | [b'r', b'#', ..] => quoted_text(text),
            [b'$', ..] => self.variables.get(text.strip_prefix('$')?).cloned(),
            // A list is represented as its items, one per line.
            [b'[', ..] => {
                let items = words(between(text)?, Inside::List)?;
                Some(items.into_iter().map(|item| self.value(item)).collect::<Option<Vec<_>>>()?.join("\n"))
            }
            _ => is_bare(text).then(|| text.to_owned()),
        }
    }

    /// Returns the text of `$"… (…) …"`.
    fn template(&mut self, text: &str) -> Option<String> {
        let escapes = text.starts_with("$\"");
        let mut out = String::new();
        for part in template_parts(text, 0..text.len())? {
            match part {
                TemplatePart::Text(span) if escapes => out.push_str(&escaped_text(text.get(span)?)?),
                TemplatePart::Text(span) => out.push_str(text.get(span)?),
                TemplatePart::Code(span) => out.push_str(&self.pipeline(text.get(span)?)?),
            }
        }
        Some(out)
    }

    /// Returns the output of a pipeline of text commands, which may begin with a value.
    fn pipeline(&mut self, text: &str) -> Option<String> {
        if self.depth >= DEPTH_MAX || text.len() > BYTES_MAX {
            return None;
        }
        let (tokens, problem) = tokens(text, 0..text.len(), Inside::Parentheses);
        let mut stages = tokens.split(|token| token.kind == TokenKind::Pipe);
        let first = words_of(text, stages.next().filter(|_| problem.is_none())?)?;
        let mut inner = Values {
            variables: self.variables,
            shell: self.shell,
            depth: self.depth + 1,
            left: &mut *self.left,
        };
        let mut printed = match first.as_slice() {
            [name, ..] if PRINTERS.contains(name) => inner.printed(&first, None)?,
            [value] => inner.value(value)?,
            _ => return None,
        };
        for stage in stages {
            printed = inner.printed(&words_of(text, stage)?, Some(&printed))?;
        }
        Some(printed)
    }

    /// Returns the output of one command.
    fn printed(&mut self, words: &[&str], input: Option<&str>) -> Option<String> {
        let words = words.iter().map(|word| self.value(word)).collect::<Option<Vec<_>>>()?;
        output(&[TextCommand { words: &words, input }], self.shell)
    }
}

/// Returns the text between the bracket that a text begins with and the one that closes it, if the text ends there.
fn between(text: &str) -> Option<&str> {
    let end = group_end(text, 0, text.len()).filter(|end| *end == text.len())?;
    text.get(1..end - 1)
}

/// Returns the words of a text that consists of words alone.
fn words(text: &str, inside: Inside) -> Option<Vec<&str>> {
    let (tokens, problem) = tokens(text, 0..text.len(), inside);
    words_of(text, &tokens).filter(|_| problem.is_none())
}

/// Returns the texts of some tokens if all of them are words.
fn words_of<'t>(text: &'t str, tokens: &[Token]) -> Option<Vec<&'t str>> {
    let word =
        |token: &Token| -> Option<Span> { (token.kind == TokenKind::Word).then(|| token.span.clone()) };
    tokens.iter().map(|token| text.get(word(token)?)).collect()
}

/// Reports whether a word stands for itself.
fn is_bare(text: &str) -> bool {
    !text.contains(['(', ')', '{', '}', '|', ';', '"', '\'', '`', '$', ' ', '\t', '\n'])
}
