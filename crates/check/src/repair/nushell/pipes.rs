//! Repairs data in pipes: tables piped to line-based programs, text where a list is needed, a file that is read and
//! written in the same pipeline.

use super::{SlipFinder, TABLE, slip};
use crate::finding::{Finding, FindingKind, Severity};
use crate::reference;
use askline_syntax::SimpleCommand;

impl SlipFinder<'_> {
    /// Repairs a line-based program behind a command that returns a table: the program would receive the drawn table.
    pub(super) fn drawn(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = command.name()?;
        if self.own(command).is_some()
            || self.is_users(command)
            || command.words.iter().any(|word| !word.literal)
        {
            return None;
        }
        let feeder = self.feeder(command)?;
        let from = self.own(feeder).filter(|from| TABLE.lists.contains(*from))?;
        let span = command.span.start - usize::from(command.external)..command.span.end;
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let whole = words.join(" ");
        let grade = Severity::Warning;
        let replaced = |text: &str| {
            let why = format!("`{name}` would get the table of `{from}` as it is drawn");
            slip(span.clone(), grade, &why, text, &format!("{} → {text}", self.raw(&span)))
        };
        let own = TABLE
            .tools
            .get(&whole)
            .cloned()
            .or_else(|| counted(&words))
            .or_else(|| self.searched(feeder, from, &words));
        match own {
            Some(own) if command.redirections.is_empty() => Some(replaced(&own)),
            _ => ["awk", "sed", "cut", "grep", "egrep", "wc", "head", "tail", "tr", "xargs", "jq"].contains(&name).then(|| {
                let text = format!("`{name}` would get the table of `{from}` as it is drawn; use `where`, `get`, `each`, `first` or `length`");
                Finding { kind: FindingKind::Quoting, span: span.clone(), grade, text, evidence: "nushell".to_owned(), fixes: Vec::new() }
            }),
        }
    }

    /// Translates `grep WORD` behind a command with one column to search.
    fn searched(&self, feeder: &SimpleCommand, from: &str, words: &[&str]) -> Option<String> {
        let (&"grep", rest) = words.split_first()? else { return None };
        // Arguments of `ls`, `ps` and the like may add columns but remove none.
        let column = TABLE.searched.get(from).filter(|_| from != "glob" || feeder.position == 0)?;
        if matches!(from, "ls" | "ps") && !self.names_alone(feeder, from, words) {
            return None;
        }
        let (ignores, inverts, pattern) = match rest {
            [pattern] => (false, false, pattern),
            ["-i", pattern] => (true, false, pattern),
            ["-v", pattern] => (false, true, pattern),
            ["-iv" | "-vi", pattern] => (true, true, pattern),
            _ => return None,
        };
        let is_plain =
            !pattern.is_empty() && pattern.chars().all(|c| c.is_alphanumeric() || "_-. ^$/:@".contains(c));
        let case = if ignores { "(?i)" } else { "" };
        let sign = if inverts { "!~" } else { "=~" };
        (is_plain && !pattern.starts_with('-')).then(|| format!("where {column} {sign} '{case}{pattern}'"))
    }

    /// Reports whether a search in the output of `ls` or `ps` can only mean names. A long form also prints
    /// permissions, owners and states, with permissions at the start of a line, and `grep` matches any column.
    fn names_alone(&self, feeder: &SimpleCommand, from: &str, words: &[&str]) -> bool {
        let mut options = feeder.words.iter().skip(1).map(|word| self.raw(&word.span));
        let is_long = |option: &str| option == "--long" || is_cluster_with(option, 'l');
        let inverts = words.iter().any(|word| is_cluster_with(word, 'v'));
        !options.any(is_long) && !words.iter().any(|word| word.contains('^')) && (from != "ps" || !inverts)
    }

    /// Repairs text from a file or a program where a list of lines is needed, and the reverse.
    pub(super) fn text_for_list(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command)?;
        let feeder = self.feeder(command)?;
        let at = feeder.span.end;
        if self.own(feeder) == Some("open") {
            let is_raw = feeder.words.iter().any(|word| matches!(word.text.as_str(), "--raw" | "-r"));
            let file = feeder
                .words
                .iter()
                .skip(1)
                .find(|word| !word.text.starts_with('-'))
                .filter(|word| word.literal)?;
            let ending =
                file.text.rsplit('/').next()?.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
            // Text without a matching `from` command stays text, such as JSON lines.
            let is_read = |ending: &str| {
                let own = self.reference.own_commands();
                own.is_none_or(|own| own.get(&format!("from {ending}")).is_some())
            };
            let is_data = !is_raw
                && ending.as_ref().is_some_and(|ending| TABLE.structured.contains(ending) && is_read(ending));
            let is_text = is_raw || ending.as_ref().is_some_and(|ending| TABLE.plain.contains(ending));
            if is_data && name == "lines" {
                let at = feeder.words.first()?.span.end;
                let text = format!("`open` makes data of `{}`; its lines are in `open --raw`", file.text);
                return Some(slip(at..at, Severity::Error, &text, " --raw", "added `--raw`"));
            }
            // `first` may be meant for the bytes of a file.
            if !is_text
                || !TABLE.want_lists.contains(name)
                || is_raw && !matches!(name, "where" | "uniq" | "sort" | "any" | "all")
            {
                return None;
            }
            // The block receives the whole text, which may be intended.
            if matches!(name, "each" | "par-each") {
                let text = format!("`{name}` gets all of `{}` at once; `lines` splits it", file.text);
                let mut found = slip(at..at, Severity::Hint, &text, "", "");
                found.fixes.clear();
                return Some(found);
            }
            let text = format!("`{name}` wants a list; `{}` is text until `lines` splits it", file.text);
            return Some(slip(at..at, Severity::Warning, &text, " | lines", "added `lines`"));
        }
        let program = feeder.name()?;
        let is_plain = feeder.words.iter().all(|word| word.span.start < feeder.span.end)
            && feeder.redirections.is_empty();
        // Plain lines have no columns.
        let column = command.words.get(1).filter(|word| !self.raw(&word.span).starts_with(['$', '{', '(']));
        if name == "where" && column.is_some() && self.prints(feeder) {
            let text =
                format!("what `{program}` prints is text; `detect columns` makes a table of it for `where`");
            return Some(Finding {
                kind: FindingKind::Quoting,
                span: command.words.first()?.span.clone(),
                grade: Severity::Warning,
                text,
                evidence: "nushell".to_owned(),
                fixes: Vec::new(),
            });
        }
        (self.prints(feeder) && is_plain && TABLE.want_lists.contains(name)).then(|| {
            let text =
                format!("`{name}` wants a list; what `{program}` prints is text until `lines` splits it");
            slip(at..at, Severity::Warning, &text, " | lines", "added `lines`")
        })
    }

    /// Reports whether a command is an external program, whose output is text.
    pub(super) fn prints(&self, command: &SimpleCommand) -> bool {
        let is_program = |name| matches!(self.kind(name), reference::CommandKind::Program { .. });
        command.external || command.name().is_some_and(is_program)
    }

    /// Repairs a file that is saved while it is still being read.
    pub(super) fn saved_while_read(&self, command: &SimpleCommand) -> Option<Finding> {
        if self.own(command) != Some("save")
            || !command.words.iter().any(|word| word.text == "--force" || word.text == "-f")
        {
            return None;
        }
        let mut before: Vec<&SimpleCommand> = Vec::new();
        while let Some(feeder) = self.feeder(before.last().copied().unwrap_or(command)) {
            before.push(feeder);
        }
        let file = |command: &SimpleCommand| {
            let file = command.words.iter().skip(1).find(|word| !word.text.starts_with('-'));
            file.map(|word| word.text.clone())
        };
        let (first, between) = before.split_last()?;
        let streams = |other: &&SimpleCommand| self.own(other).is_some_and(|name| name == "lines");
        let gathers = |other: &&SimpleCommand| {
            self.own(other)
                .is_some_and(|name| matches!(name, "collect" | "sort" | "sort-by" | "str join" | "reverse"))
        };
        let same = self.own(first) == Some("open") && file(first).is_some() && file(first) == file(command);
        if !same || !between.iter().any(streams) || between.iter().any(gathers) {
            return None;
        }
        let at = command.words.first()?.span.start;
        let text = format!("`{}` is emptied before it is read; `collect` reads it first", file(command)?);
        Some(slip(at..at, Severity::Warning, &text, "collect | ", "added `collect`"))
    }
}

/// Reports whether an option is a cluster such as `-la` that contains `letter`.
fn is_cluster_with(option: &str, letter: char) -> bool {
    option.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}

/// Translates `head -n 5` and `tail -5` to Nushell.
fn counted(words: &[&str]) -> Option<String> {
    let (name, number) = match words {
        [name, "-n" | "--lines", number] => (*name, *number),
        [name, option] => (*name, option.strip_prefix("-n").or_else(|| option.strip_prefix('-'))?),
        _ => return None,
    };
    let own = match name {
        "head" => "first",
        "tail" => "last",
        _ => return None,
    };
    let is_number = !number.is_empty() && number.len() < 10 && number.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| format!("{own} {number}"))
}
