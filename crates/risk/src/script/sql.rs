//! Effects of SQL statements and of commands of the client programs.

mod tokens;

use std::ops::Range;

use self::tokens::{SqlTokenKind, Token, tokens};
use super::{ScriptEffect, TABLE};
use crate::effect::{Effect, Scope};
use crate::path_class::named;

/// Maximum nesting of dollar-quoted code.
const DEPTH_MAX: usize = 2;

/// Returns the effects of statements.
pub(super) fn read(text: &str) -> Vec<ScriptEffect> {
    let mut deeds = statements(text, false, 0);
    // Some databases let a backslash escape a quote, others not. Both readings count.
    if text.contains('\\') {
        for deed in statements(text, true, 0) {
            if !deeds.contains(&deed) {
                deeds.push(deed);
            }
        }
    }
    deeds
}

fn statements(text: &str, escapes: bool, depth: usize) -> Vec<ScriptEffect> {
    let mut deeds = Vec::new();
    let rest = without_client_lines(text, &mut deeds);
    let tokens = tokens(&rest, escapes);
    for statement in tokens.split(|token| token.kind == SqlTokenKind::Mark(';')) {
        Statement { tokens: statement, depth }.deeds(&mut deeds);
    }
    deeds
}

/// Reads the lines addressed to the client program and returns the text with blanks in their place.
fn without_client_lines(text: &str, deeds: &mut Vec<ScriptEffect>) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let place = start..start + line.len();
        start = place.end;
        // psql accepts its commands anywhere in a line.
        let own = match line.trim_start().chars().next() {
            Some('.') => Some(0),
            _ => line.find('\\').filter(|at| {
                let before = line.get(..*at).unwrap_or_default();
                before.matches('\'').count() % 2 == 0
                    && line.get(at + 1..).is_some_and(|rest| {
                        rest.starts_with(|c: char| c.is_ascii_alphabetic() || "!.".contains(c))
                    })
            }),
        };
        let first = line.split_whitespace().next().unwrap_or_default();
        let own = own.or_else(|| matches!(first, "system" | "source" | "tee" | "pager").then_some(0));
        match own.and_then(|at| line.split_at_checked(at)) {
            Some((before, command)) => {
                rest.push_str(before);
                rest.extend(std::iter::repeat_n(' ', command.len()));
                client_line(command.trim(), place, deeds);
            }
            None => rest.push_str(line),
        }
    }
    rest
}

fn client_line(line: &str, at: Range<usize>, deeds: &mut Vec<ScriptEffect>) {
    let table = &TABLE.sql;
    let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (command, rest) = line.strip_prefix("\\!").map_or((command, rest), |rest| ("\\!", rest));
    let rest = rest.trim();
    // sqlite3's `.import "|command" table`.
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let quoted =
        quote.and_then(|quote| rest.get(1..)?.split(quote).next()).filter(|text| text.starts_with('|'));
    let rest = quoted.unwrap_or_else(|| rest.trim_matches(['\'', '"']).trim());
    let is = |list: &[String]| list.iter().any(|known| known == command);
    let program = rest.find("program ").or_else(|| rest.find("PROGRAM ")).and_then(|at| rest.get(at + 8..));
    let deed = if is(&table.shells) {
        ScriptEffect::shell(Some(rest.to_owned()).filter(|rest| !rest.is_empty()), command, at)
    } else if let Some(script) = rest.strip_prefix('|') {
        ScriptEffect::shell(Some(script.trim().to_owned()), command, at)
    } else if let Some(script) = program.filter(|_| command == "\\copy") {
        ScriptEffect::shell(Some(script.trim().trim_matches('\'').to_owned()), command, at)
    } else if let Some(file) =
        rest.find(" to ").filter(|_| command == "\\copy").and_then(|at| rest.get(at + 4..))
    {
        let file = file.trim_matches('\'').split('\'').next().unwrap_or_default();
        ScriptEffect::to(Effect::Overwrite, named(file), command, at)
    } else if is(&table.runs) {
        ScriptEffect::new(Effect::ExecData, Scope::Own, command, at)
    } else if is(&table.writes) {
        match rest.split_whitespace().last() {
            Some(file) if !matches!(file, "stdout" | "off") => {
                ScriptEffect::to(Effect::Overwrite, named(file), command, at)
            }
            _ => ScriptEffect::new(Effect::Read, Scope::Own, command, at),
        }
    } else if is(&table.changes) {
        ScriptEffect::new(Effect::DataDefinition, Scope::Own, command, at)
    } else {
        ScriptEffect::new(Effect::Read, Scope::Remote, command, at)
    };
    deeds.push(deed);
}

struct Statement<'a> {
    tokens: &'a [Token],
    depth: usize,
}

impl Statement<'_> {
    fn word(&self, at: usize) -> &str {
        match self.tokens.get(at).map(|token| &token.kind) {
            Some(SqlTokenKind::Word(word)) => word,
            _ => "",
        }
    }

    fn span(&self, at: usize) -> Range<usize> {
        self.tokens.get(at).map(|token| token.at.clone()).unwrap_or_default()
    }

    /// Reports whether a keyword occurs after `at`.
    fn has(&self, at: usize, word: &str) -> bool {
        self.position(at, word).is_some()
    }

    fn position(&self, at: usize, word: &str) -> Option<usize> {
        (at..self.tokens.len()).find(|at| self.word(*at) == word)
    }

    /// Returns the text after a keyword.
    fn text_after(&self, at: usize) -> Option<&str> {
        match &self.tokens.get(at + 1)?.kind {
            SqlTokenKind::Text(text) => Some(text),
            _ => None,
        }
    }

    fn deeds(&self, deeds: &mut Vec<ScriptEffect>) {
        let Some(first) = self.tokens.first() else { return };
        let mut start = 0;
        // EXPLAIN only plans; EXPLAIN ANALYZE runs the statement.
        if matches!(self.word(0), "explain" | "describe" | "desc") {
            let analyzes =
                (1..self.tokens.len().min(8)).find(|at| matches!(self.word(*at), "analyze" | "analyse"));
            let Some(analyzes) = analyzes else {
                return deeds.push(ScriptEffect::new(
                    Effect::Read,
                    Scope::Remote,
                    self.word(0),
                    self.span(0),
                ));
            };
            start = analyzes + 1;
        }
        let before = deeds.len();
        for at in start..self.tokens.len() {
            let leads = at == start
                || match &self.tokens[at - 1].kind {
                    SqlTokenKind::Mark('(' | ')') => true,
                    SqlTokenKind::Word(word) => {
                        matches!(
                            word.as_str(),
                            "begin" | "then" | "else" | "loop" | "as" | "atomic" | "verbose"
                        ) || (word == "transaction" || word == "work")
                    }
                    _ => false,
                };
            // T-SQL's `IF … DROP TABLE …`.
            let drops = self.word(at) == "drop"
                && matches!(self.word(at + 1), "table" | "database" | "schema")
                && !matches!(self.word(start), "alter" | "grant" | "revoke" | "comment");
            if leads || drops {
                deeds.extend(self.verb(at));
            }
            // Verbs in a trigger, a function or a MERGE belong to it.
            let defines = self.word(start) == "create"
                && ["trigger", "function", "procedure", "event", "rule"]
                    .iter()
                    .any(|word| self.has(start, word));
            if at == start && (defines || self.word(start) == "merge") {
                break;
            }
            self.calls(at, deeds);
        }
        if deeds.len() > before {
            return;
        }
        // No known verb leads the statement: it only reads, or its effect is unknown.
        let read =
            matches!(&first.kind, SqlTokenKind::Word(word) if TABLE.sql.reads.contains(word)) || start > 0;
        let deed = match &first.kind {
            _ if read => ScriptEffect::new(Effect::Read, Scope::Remote, self.word(0), first.at.clone()),
            SqlTokenKind::Mark('(') => ScriptEffect::new(Effect::Read, Scope::Remote, "(", first.at.clone()),
            SqlTokenKind::Mark('$' | '{' | '%' | ':') => {
                ScriptEffect::new(Effect::DataDefinition, Scope::Unreadable, "", first.at.clone())
            }
            _ => ScriptEffect::new(Effect::DataDefinition, Scope::Own, self.word(0), first.at.clone()),
        };
        deeds.push(deed);
    }

    /// Returns the effects of the verb at `at`; none for verbs that only read.
    fn verb(&self, at: usize) -> Vec<ScriptEffect> {
        let verb = self.word(at);
        let next = self.word(at + 1);
        let span = self.span(at);
        let data = |scope| ScriptEffect::new(Effect::DataDefinition, scope, verb, span.clone());
        let everything = || data(Scope::Everything).forced();
        let one = match verb {
            "drop" => {
                let temporary = matches!(next, "temporary" | "temp");
                let contains = TABLE.sql.containers.iter().any(|word| word == next);
                if contains && !temporary { everything() } else { data(Scope::Own) }
            }
            "truncate" => everything(),
            "delete" | "update" => {
                let subject = if verb == "delete" {
                    next == "from" || self.has(at, "from") || next.is_empty()
                } else {
                    self.has(at, "set")
                };
                if !subject && self.tokens.len() > at + 2 {
                    return Vec::new();
                }
                if self.restricted(at) { data(Scope::Own) } else { everything() }
            }
            "alter" => return self.alter(at, next, &data(Scope::Own)),
            "insert" | "replace" | "merge" | "upsert" | "create" | "rename" | "comment" | "refresh"
            | "reindex" | "cluster" | "optimize" | "repair" | "load" | "import" | "call" | "exec"
            | "execute" | "attach" | "detach" | "lock" | "unload" | "put" => {
                if verb == "create" && matches!(next, "user" | "role" | "login") {
                    return vec![self.rights(at, verb)];
                }
                if verb == "execute" && self.depth > 0 {
                    return vec![data(Scope::Unreadable)];
                }
                let mut found = vec![data(Scope::Own)];
                if verb == "exec" && next == "xp_cmdshell" {
                    found = vec![ScriptEffect::shell(
                        self.text_after(at + 1).map(str::to_owned),
                        "xp_cmdshell",
                        span,
                    )];
                }
                return found;
            }
            "grant" | "revoke" => self.rights(at, verb),
            "reassign" => ScriptEffect::new(Effect::Privilege, Scope::Own, verb, span),
            "copy" => return vec![self.copy(at)],
            "do" if at == 0 => {
                let body = self.tokens.iter().find_map(|token| match &token.kind {
                    SqlTokenKind::Body(body) | SqlTokenKind::Text(body) => Some(body),
                    _ => None,
                });
                let inside = body
                    .filter(|_| self.depth < DEPTH_MAX)
                    .map(|body| statements(body, false, self.depth + 1));
                return match inside {
                    Some(inside) => {
                        inside.into_iter().map(|deed| ScriptEffect { at: span.clone(), ..deed }).collect()
                    }
                    None => vec![data(Scope::Unreadable)],
                };
            }
            "set" if matches!(next, "global" | "persist") => {
                ScriptEffect::new(Effect::RemoteChange, Scope::Own, verb, span)
            }
            "set" if next == "role" || (next == "password") => {
                ScriptEffect::new(Effect::Privilege, Scope::Own, verb, span)
            }
            "kill" => ScriptEffect::new(Effect::Stop, Scope::Own, verb, span),
            "shutdown" => ScriptEffect::new(Effect::Stop, Scope::System, verb, span),
            "purge" => ScriptEffect::new(Effect::History, Scope::System, verb, span).forced(),
            "reset" if matches!(next, "master" | "binary") => {
                ScriptEffect::new(Effect::History, Scope::System, verb, span).forced()
            }
            "reset" | "flush" => ScriptEffect::new(Effect::RemoteChange, Scope::Own, verb, span),
            _ => return Vec::new(),
        };
        vec![one]
    }

    /// Returns the effects of ALTER: removal of objects or grant of rights.
    fn alter(&self, at: usize, next: &str, own: &ScriptEffect) -> Vec<ScriptEffect> {
        if matches!(next, "user" | "role" | "login" | "default") {
            return vec![self.rights(at, "alter")];
        }
        if next == "system" {
            return vec![ScriptEffect { effect: Effect::SecurityOff, ..own.clone() }];
        }
        let drops = (at..self.tokens.len()).any(|at| {
            let kept = [
                "constraint",
                "index",
                "default",
                "not",
                "identity",
                "expression",
                "key",
                "foreign",
                "primary",
                "check",
                "trigger",
            ];
            self.word(at) == "drop" && !kept.contains(&self.word(at + 1))
        });
        if drops {
            return vec![ScriptEffect { scope: Scope::Everything, ..own.clone() }.forced()];
        }
        vec![own.clone()]
    }

    /// Returns the effect of GRANT, REVOKE, CREATE USER or ALTER USER: a bounded change, or control given away.
    fn rights(&self, at: usize, verb: &str) -> ScriptEffect {
        let wide = ["superuser", "createrole", "bypassrls", "replication", "public", "sysadmin"];
        let gives = verb != "revoke";
        let all = verb == "grant" && matches!(self.word(at + 1), "all" | "super" | "dba");
        let any = wide.iter().any(|word| self.has(at + 1, word))
            || (self.has(at, "grant") && self.has(at, "option"));
        let scope = if gives && (all || any) { Scope::System } else { Scope::Own };
        ScriptEffect::new(Effect::Privilege, scope, verb, self.span(at))
    }

    /// Returns the effect of COPY, whose target is a program, a file on the server or the connection.
    fn copy(&self, at: usize) -> ScriptEffect {
        let span = self.span(at);
        if let Some(program) = self.position(at, "program") {
            return ScriptEffect::shell(self.text_after(program).map(str::to_owned), "program", span);
        }
        if let Some(to) = self.position(at, "to") {
            return match self.text_after(to) {
                Some(file) => ScriptEffect::to(Effect::Overwrite, named(file), "copy", span),
                None => ScriptEffect::new(Effect::Read, Scope::Remote, "copy", span),
            };
        }
        ScriptEffect::new(Effect::DataDefinition, Scope::Own, "copy", span)
    }

    /// Adds the effects of functions and clauses inside statements that do more than read.
    fn calls(&self, at: usize, deeds: &mut Vec<ScriptEffect>) {
        let span = self.span(at);
        let called = self.tokens.get(at + 1).is_some_and(|token| token.kind == SqlTokenKind::Mark('('));
        let deed = match self.word(at) {
            "outfile" | "dumpfile" => match self.text_after(at) {
                Some(file) => ScriptEffect::to(Effect::Overwrite, named(file), "outfile", span),
                None => ScriptEffect::new(Effect::Overwrite, Scope::Unreadable, "outfile", span),
            },
            "pg_terminate_backend" | "pg_cancel_backend" if called => {
                ScriptEffect::new(Effect::Stop, Scope::Own, self.word(at), span)
            }
            "lo_export" | "pg_write_file" | "writefile" if called => {
                ScriptEffect::new(Effect::Overwrite, Scope::Unreadable, self.word(at), span)
            }
            "load_extension" | "sys_exec" | "sys_eval" if called => {
                ScriptEffect::new(Effect::ExecData, Scope::Unreadable, self.word(at), span)
            }
            "xp_cmdshell" if self.word(at.wrapping_sub(1)) != "exec" => {
                ScriptEffect::shell(self.text_after(at).map(str::to_owned), "xp_cmdshell", span)
            }
            _ => return,
        };
        deeds.push(deed);
    }

    /// Reports whether a WHERE, a LIMIT or a TOP keeps the DELETE or UPDATE at `at` from affecting all rows.
    fn restricted(&self, at: usize) -> bool {
        // Only clauses in the same parentheses count.
        let (mut depth, mut end) = (0usize, self.tokens.len());
        let mut condition = None;
        let mut limited = false;
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            match &token.kind {
                SqlTokenKind::Mark('(') => depth += 1,
                SqlTokenKind::Mark(')') if depth == 0 => {
                    end = index;
                    break;
                }
                SqlTokenKind::Mark(')') => depth -= 1,
                SqlTokenKind::Word(word) if depth == 0 => match word.as_str() {
                    "where" if condition.is_none() => condition = Some(index + 1),
                    "limit" | "top" => {
                        limited = true;
                        if condition.is_some() {
                            end = index;
                            break;
                        }
                    }
                    "returning" | "order" if condition.is_some() => {
                        end = index;
                        break;
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        if limited {
            return true;
        }
        let condition = condition.and_then(|start| self.tokens.get(start..end));
        condition.is_some_and(|condition| !condition.is_empty() && !always(condition, 0))
    }
}

/// Reports whether a condition is true for every row: `1=1`, `true`, `id = id`, `x LIKE '%'`, or one of them after OR.
fn always(condition: &[Token], depth: usize) -> bool {
    if depth > 8 {
        return true;
    }
    let is = |token: &Token, word: &str| matches!(&token.kind, SqlTokenKind::Word(own) if own == word);
    let terms = top_level(condition, |token| is(token, "or"));
    terms.iter().any(|term| {
        let factors = top_level(term, |token| is(token, "and"));
        factors.iter().all(|factor| holds(factor, depth))
    })
}

/// Reports whether a single comparison is true for every row.
fn holds(factor: &[Token], depth: usize) -> bool {
    let kinds: Vec<&SqlTokenKind> = factor.iter().map(|token| &token.kind).collect();
    let number = |kind: &SqlTokenKind| match kind {
        SqlTokenKind::Word(word) => word.parse::<u64>().ok(),
        _ => None,
    };
    match kinds.as_slice() {
        [] => false,
        [SqlTokenKind::Mark('('), .., SqlTokenKind::Mark(')')] => {
            always(factor.get(1..factor.len() - 1).unwrap_or_default(), depth + 1)
        }
        [SqlTokenKind::Word(word)] => word == "true" || word.parse::<u64>().is_ok_and(|number| number > 0),
        [SqlTokenKind::Text(text)] => text == "t" || text == "1" || text == "true",
        [SqlTokenKind::Word(not), SqlTokenKind::Word(word)] => {
            not == "not" && matches!(word.as_str(), "false" | "0")
        }
        [left, SqlTokenKind::Mark('<'), SqlTokenKind::Mark('>'), right]
        | [left, SqlTokenKind::Mark('!'), SqlTokenKind::Mark('='), right] => {
            let constant =
                |kind: &SqlTokenKind| number(kind).is_some() || matches!(kind, SqlTokenKind::Text(_));
            constant(left) && constant(right) && left != right
        }
        [left, SqlTokenKind::Mark('<'), right] => {
            number(left).zip(number(right)).is_some_and(|(left, right)| left < right)
        }
        [left, SqlTokenKind::Mark('>'), right] => {
            number(left).zip(number(right)).is_some_and(|(left, right)| left > right)
        }
        [left, SqlTokenKind::Mark('>' | '<'), SqlTokenKind::Mark('='), right] => left == right,
        [_, SqlTokenKind::Word(like), SqlTokenKind::Text(text)] => {
            matches!(like.as_str(), "like" | "ilike") && !text.is_empty() && text.chars().all(|c| c == '%')
        }
        // `a.x = a.x`
        sides => {
            let (left, right) = sides.split_at(sides.len() / 2);
            right
                .split_first()
                .is_some_and(|(middle, right)| **middle == SqlTokenKind::Mark('=') && left == right)
        }
    }
}

/// Splits tokens at separators outside parentheses. The AND of BETWEEN also splits; then neither part is always true.
fn top_level(tokens: &[Token], separates: impl Fn(&Token) -> bool) -> Vec<&[Token]> {
    let mut depth = 0usize;
    tokens
        .split(|token| {
            match token.kind {
                SqlTokenKind::Mark('(') => depth += 1,
                SqlTokenKind::Mark(')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && separates(token)
        })
        .collect()
}
