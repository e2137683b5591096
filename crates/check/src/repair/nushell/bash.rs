//! Repairs bash operators, redirects and variables in a Nushell line.

use super::{SlipFinder, TABLE, slip};
use crate::finding::{Finding, FindingKind, Severity};
use crate::repair::version::{STOPS_SINCE, is_since};
use askline_syntax::{SimpleCommand, Span, Word};

impl SlipFinder<'_> {
    /// Finds `&&` between statements and in conditions, and `=` in conditions.
    pub(super) fn operators(&self) -> Vec<Finding> {
        let spans = self.parsed.errors.iter().map(|error| &error.span);
        let slip = |span| match self.raw(span) {
            "&&" => self.and(span),
            "=" => self.equals(span),
            _ => None,
        };
        spans.filter_map(slip).collect()
    }

    pub(super) fn and(&self, span: &Span) -> Option<Finding> {
        let before = self.line.get(..span.start)?;
        let part = before.rsplit(['|', ';', '{', '\n']).next()?.trim_start();
        let is_condition = self.has_condition(part)
            || part.starts_with(['$', '('])
                && [" > ", " < ", " == ", " != ", " =~ ", " >= ", " <= "]
                    .iter()
                    .any(|sign| part.contains(sign));
        if is_condition {
            let text = "nushell joins conditions by `and`";
            return Some(slip(span.clone(), Severity::Error, text, "and", "&& → and"));
        }
        // Before that version, Nushell continues after `;` even if a program failed.
        let version = self.reference.shell_version()?;
        if !is_since(&version, STOPS_SINCE)
            || part.starts_with('(')
            || part.contains(['<', '`'])
            || part.starts_with("[[")
            // Nushell's plain quotes expand no variables.
            || part.contains('"') && part.contains('$') && !part.contains("$\"")
        {
            return None;
        }
        let span = before.trim_end().len()..span.end;
        Some(slip(
            span,
            Severity::Error,
            "nushell joins commands by `;`, which stops where one fails",
            ";",
            "&& → ;",
        ))
    }

    /// Finds bash blocks and jobs that cannot be translated.
    pub(super) fn blocks(&self) -> Option<Finding> {
        let line = self.line.trim();
        let first = line.split_whitespace().next()?;
        let has =
            |text: &str| line.split([';', '\n']).any(|part| part.trim().split(' ').next() == Some(text));
        let (is_bash, own) = match first {
            "for" => (has("do") && has("done"), "for x in [a b] { … }"),
            "while" | "until" => (has("do") && has("done"), "while $condition { … }"),
            "if" => (has("then") && has("fi"), "if $condition { … } else { … }"),
            "case" => (line.ends_with("esac"), "match $x { a => { … }, _ => { … } }"),
            _ if line.ends_with(" &") => (true, "job spawn { … }"),
            _ => return None,
        };
        let start = self.line.find(first)?;
        is_bash.then(|| Finding {
            kind: FindingKind::Syntax,
            span: start..start + first.len(),
            grade: Severity::Error,
            text: format!("this is bash; nushell writes it as `{own}`"),
            evidence: "nushell".to_owned(),
            fixes: Vec::new(),
        })
    }

    /// Finds bash redirects.
    pub(super) fn redirections(&self, command: &SimpleCommand) -> Option<Finding> {
        for redirection in &command.redirections {
            let operator = redirection.operator.as_str();
            let new = match operator {
                "2>" => "e>",
                "2>>" => "e>>",
                _ => continue,
            };
            let at = redirection.span.start;
            let text = format!("nushell writes `{operator}` as `{new}`");
            let target = redirection.target.as_ref()?;
            let replacement = format!("{new} {}", self.raw(&target.span));
            return Some(slip(
                at..redirection.span.end,
                Severity::Error,
                &text,
                &replacement,
                &format!("{operator} → {new}"),
            ));
        }
        None
    }

    pub(super) fn word(&self, command: &SimpleCommand, at: usize, word: &Word) -> Option<Finding> {
        let raw = self.raw(&word.span);
        if at == 0 || word.quoted && !raw.starts_with('$') {
            return None;
        }
        let own = self.own(command);
        match raw {
            ">" | ">>" | "&>" | "2>" if !own.is_some_and(|own| TABLE.conditions.contains(own)) => {
                return self.to_file(command, at, raw);
            }
            "2>/dev/null" if own.is_none() => {
                return Some(slip(
                    word.span.clone(),
                    Severity::Error,
                    "nushell writes `2>` as `e>`",
                    "e> /dev/null",
                    "2> → e>",
                ));
            }
            "2>&1" => {
                let rest = self.line.get(word.span.end..)?;
                let pipe = rest.trim_start().strip_prefix('|')?;
                let end = self.line.len() - pipe.len();
                return Some(slip(
                    word.span.start..end,
                    Severity::Error,
                    "nushell writes `2>&1 |` as `o+e>|`",
                    "o+e>|",
                    "2>&1 | → o+e>|",
                ));
            }
            _ => {}
        }
        if let Some(name) = environment(raw)
            && !self.is_set(name)
        {
            let text = format!("nushell has `${name}` as `$env.{name}`");
            return Some(slip(
                word.span.clone(),
                Severity::Error,
                &text,
                &format!("$env.{name}"),
                &format!("{raw} → $env.{name}"),
            ));
        }
        if own.is_some_and(|own| TABLE.conditions.contains(own)) {
            return self.condition(command, at, word);
        }
        None
    }

    /// Repairs `>` as a word of a command.
    fn to_file(&self, command: &SimpleCommand, at: usize, raw: &str) -> Option<Finding> {
        let own = self.own(command);
        let is_expression = own.is_some_and(|own| {
            TABLE.conditions.contains(own)
                || matches!(own, "let" | "mut" | "const" | "return" | "match" | "not")
        });
        let sign = command.words.get(at)?;
        let [file] = command.words.get(at + 1..)? else { return None };
        let is_file = file.literal
            && file.text.contains(['.', '/'])
            && !file.text.starts_with(|c: char| c.is_ascii_digit());
        if is_expression || !is_file {
            return None;
        }
        let start = self.line.get(..sign.span.start)?.trim_end().len();
        let null = file.text == "/dev/null";
        let file = self.raw(&file.span);
        let replacement = match raw {
            ">" if null => " | ignore".to_owned(),
            ">" => format!(" | save {file}"),
            ">>" => format!(" | save --append {file}"),
            "2>" if null => " e> /dev/null".to_owned(),
            _ => return None,
        };
        let span = start..command.words.last()?.span.end;
        let text = format!("nushell writes `{raw} {file}` as `{}`", replacement.trim());
        let change = format!("{raw} → {}", replacement.trim());
        Some(slip(span, Severity::Error, &text, &replacement, &change))
    }
}

/// Returns the name of `$NAME` or `${NAME}` if it looks like an environment variable.
pub(super) fn environment(raw: &str) -> Option<&str> {
    let name = raw.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (is_name && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}
