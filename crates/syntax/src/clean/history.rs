//! History expansion. At an interactive prompt, bash and zsh replace `!` and the text after it with parts of
//! earlier commands, also inside double quotes: a command other than the displayed one would run. `^old^new` at the
//! start of a command line repeats the last command with a change, and is refused.
//!
//! A `!` is quoted if this does not change the command's meaning; otherwise the person gets a warning. A `!` that
//! the shells do not expand stays (`[ ! -f x ]`, `!=`, `$!`). The lexer is light, as in [`crate::quoting`]: where
//! the two lexers disagree about a quote, nothing changes.

use super::mend::note;
use crate::quoting::QuoteLexer;
use crate::shell::{History, Shell};

/// Reason for refusing a command line that the shell would replace with another one.
pub(super) const SUBSTITUTION: &str =
    "it begins with `^`, for which the shell would run an earlier command, changed";
const QUOTED: &str = "`!` quoted, which the shell would have replaced with an earlier command";
const RISK: &str = "a `!` in it may be replaced with an earlier command; turn that off first (bash: `set +H`, zsh: `setopt no_bang_hist`)";

/// An open quote or bracket around a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Single,
    /// `$'…'`, where a backslash escapes.
    Ansi,
    Double,
    Backtick,
    Paren,
    /// `${…}`.
    Brace,
}

/// Treatment of one `!`.
enum BangTreatment {
    /// The shell does not expand it.
    None,
    Backslash,
    /// Move it out of the double quotes into single ones.
    SingleQuotes,
    /// Use `[^…]`, zsh's other spelling of `[!…]`.
    Caret,
    Warn,
}

/// Reports whether the shell would read the text as a quick substitution, `^old^new`. This happens at the start of
/// a command line only; in zsh also after blanks. The person would not see the command that runs, and a quoted `^`
/// would make the line meaningless.
pub(super) fn substitutes(text: &str, shell: Shell) -> bool {
    shell.dialect().history.is_some() && text.trim_start().starts_with('^')
}

/// Quotes every `!` that the shell would expand from history, and adds a warning where this is impossible.
pub(super) fn quoted(
    text: String,
    shell: Shell,
    changes: &mut Vec<String>,
    warnings: &mut Vec<String>,
) -> String {
    let Some(rules) = shell.dialect().history.filter(|_| text.contains('!')) else { return text };
    let chars: Vec<char> = text.chars().collect();
    let mut place = LexerState {
        rules,
        reader: QuoteLexer::new(shell),
        open: Vec::new(),
        escaped: false,
        before: ['\n'; 2],
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(rest) = chars.get(at..).filter(|rest| !rest.is_empty()) {
        let run = rest.iter().take_while(|c| **c == '!').count();
        let mut taken = run.max(1);
        match place.cure(rest) {
            BangTreatment::None => {
                taken = 1;
                out.push(rest[0]);
            }
            BangTreatment::Warn => {
                note(warnings, RISK);
                out.extend(rest.iter().take(taken));
            }
            BangTreatment::Backslash => {
                note(changes, QUOTED);
                (0..run).for_each(|_| out.push_str("\\!"));
            }
            BangTreatment::Caret => {
                note(
                    changes,
                    "`[!` made `[^`, because the shell would have replaced `!` with an earlier command",
                );
                taken = 1;
                out.push('^');
            }
            BangTreatment::SingleQuotes => {
                note(changes, QUOTED);
                out.push_str("\"'");
                (0..run).for_each(|_| out.push('!'));
                out.push('\'');
                // The closing quote is already written before the run.
                if rest.get(run) == Some(&'"') {
                    taken += 1;
                } else {
                    out.push('"');
                }
            }
        }
        rest.iter().take(taken).for_each(|c| place.read(*c));
        at += taken;
    }
    out
}

/// Lexer state at one character of the command.
struct LexerState {
    rules: History,
    reader: QuoteLexer,
    open: Vec<Open>,
    escaped: bool,
    /// The last two characters, latest first.
    before: [char; 2],
}

impl LexerState {
    /// Returns the treatment of the first of these characters.
    fn cure(&self, rest: &[char]) -> BangTreatment {
        let bash = self.rules == History::Bash;
        // bash ignores comments; zsh has none at a prompt unless configured.
        if self.escaped || !self.expands(rest) || (bash && self.reader.in_comment()) {
            return BangTreatment::None;
        }
        let top = self.open.last();
        let below = self.open.split_last().map_or(&[][..], |(_, below)| below);
        match top {
            _ if self.reader.in_heredoc() => BangTreatment::Warn,
            _ if self.reader.in_comment() => BangTreatment::Backslash,
            // bash's history has no nesting: single quotes inside double ones have no effect on it.
            Some(Open::Single | Open::Ansi) if bash && below.contains(&Open::Double) => BangTreatment::Warn,
            Some(Open::Single | Open::Ansi) => BangTreatment::None,
            // `$!` and `${!name}` lose their meaning if quoted.
            _ if self.before[0] == '$' || self.before == ['{', '$'] => BangTreatment::Warn,
            Some(Open::Double) if below.iter().all(|open| *open == Open::Paren) => {
                if self.reader.in_double_quotes() { BangTreatment::SingleQuotes } else { BangTreatment::Warn }
            }
            None | Some(Open::Paren)
                if !self.open.iter().any(|open| matches!(open, Open::Brace | Open::Backtick)) =>
            {
                if self.before[0] == '[' && rest.contains(&']') {
                    BangTreatment::Caret
                } else {
                    BangTreatment::Backslash
                }
            }
            _ => BangTreatment::Warn,
        }
    }

    /// Reports whether the shell would look for an earlier command at this point, regardless of quotes.
    fn expands(&self, rest: &[char]) -> bool {
        let Some((&'!', tail)) = rest.split_first() else { return false };
        let Some(next) = tail.first() else { return false };
        if next.is_whitespace() || matches!(next, '=' | '(') {
            return false;
        }
        if self.rules == History::Zsh {
            return *next != ';';
        }
        let name =
            self.before[0] == '$' || (tail.contains(&'}') && matches!(self.before, ['{', '$'] | ['#', '{']));
        let pattern = self.before[0] == '[' && tail.contains(&']');
        let ends_quote = *next == '"' && self.open.last() == Some(&Open::Double);
        !(name || pattern || ends_quote)
    }

    fn read(&mut self, c: char) {
        let quoting = !self.reader.in_comment() && !self.reader.in_heredoc();
        self.reader.read(c);
        if self.escaped {
            self.escaped = false;
        } else if quoting {
            self.read_quoting(c);
        } else {
            // History expansion ignores comments and heredocs.
            self.escaped = c == '\\';
        }
        self.before = [c, self.before[0]];
    }

    fn read_quoting(&mut self, c: char) {
        let top = self.open.last().copied();
        let ends = match top {
            Some(Open::Single | Open::Ansi) => c == '\'',
            Some(Open::Double) => c == '"',
            Some(Open::Backtick) => c == '`',
            Some(Open::Paren) => c == ')',
            Some(Open::Brace) => c == '}',
            None => false,
        };
        if ends {
            self.open.pop();
            return;
        }
        let after_dollar = self.before[0] == '$';
        match (top, c) {
            (Some(Open::Single), _) => {}
            (_, '\\') => self.escaped = true,
            (Some(Open::Ansi), _) => {}
            (_, '"') => self.open.push(Open::Double),
            (_, '`') => self.open.push(Open::Backtick),
            (_, '{') if after_dollar => self.open.push(Open::Brace),
            (_, '(') if after_dollar || top != Some(Open::Double) => self.open.push(Open::Paren),
            (Some(Open::Double | Open::Brace), _) => {}
            (_, '\'') => self.open.push(if after_dollar { Open::Ansi } else { Open::Single }),
            _ => {}
        }
    }
}
