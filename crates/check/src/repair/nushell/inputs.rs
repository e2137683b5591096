//! Repairs the input of Nushell commands: it comes through the pipe, never as an argument, and must have the right
//! type. Covers errors of the engine, and cases where the source of the text is visible in the line.

use super::units::is_duration;
use super::{SHELL, SlipFinder, TABLE, finding, slip};
use crate::file_schema::is_date;
use crate::finding::{Finding, Fix, Severity};
use crate::reference;
use askline_manual::catalogue::{CommandDoc, Parameter, Role};
use askline_syntax::nushell_strings::last_quoted;
use askline_syntax::{SimpleCommand, Span, Word};

/// Maximum number of suggested commands with the same last word.
const OTHERS_MAX: usize = 4;
/// Maximum number of earlier commands examined for their output.
const BEFORE_MAX: usize = 8;

impl SlipFinder<'_> {
    /// Returns a possible fix for an error that the engine or the command's signature reports.
    pub(super) fn refused(&self, wrong: &Finding) -> Option<Finding> {
        let says = |text: &str| wrong.text.contains(text);
        if says("The '*' operator does not work on values of type 'string'") {
            return self.repeated(&wrong.span);
        }
        let begins = |command: &&SimpleCommand| begin(command).is_some_and(|begin| begin <= wrong.span.start);
        let reaches = |command: &&SimpleCommand| wrong.span.start <= command.span.end;
        let around = self.commands.iter().filter(begins).filter(reaches);
        let command = around.max_by_key(|command| begin(command))?;
        if says("Command does not support list<string> input") {
            return self.as_numbers(command);
        }
        if says("Command does not support string input") {
            return self
                .unopened(command)
                .or_else(|| self.as_numbers(command))
                .or_else(|| self.for_text(command))
                .or_else(|| self.in_letters(command));
        }
        if says("expected . or ! or ?") {
            return self.pointed(wrong.span.start);
        }
        let is_unfed = wrong.evidence != SHELL.name() && says("needs input from a pipe");
        if is_unfed || says("Extra positional argument") {
            return self.through_pipe(command);
        }
        None
    }

    /// Repairs text as input of a numeric command.
    pub(super) fn text_for_numbers(&self, command: &SimpleCommand) -> Option<Finding> {
        let mut before = self.feeder(command)?;
        let mut is_column = false;
        for _ in 0..BEFORE_MAX {
            let name = self.own(before)?;
            let is_source = if is_column { &TABLE.text_columns } else { &TABLE.texts }.contains(name);
            if is_source {
                return self.as_numbers(command);
            }
            is_column |= name == "get";
            if name != "get" && !TABLE.passing.contains(name) {
                return None;
            }
            before = self.feeder(before)?;
        }
        None
    }

    /// Converts the text before a `math` command to numbers. Numbers in a file may have a fraction, so they become
    /// floats; integers written in the line stay integers. For minimum and maximum, texts may be intended unless they
    /// are visibly numbers.
    fn as_numbers(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command).filter(|name| name.starts_with("math "))?;
        let head = self.head(command).unwrap_or_default();
        let values = || {
            head.split(|c: char| c.is_whitespace() || "'\"[],".contains(c)).filter(|value| !value.is_empty())
        };
        let are_numbers = values().next().is_some() && values().all(|value| value.parse::<f64>().is_ok());
        let are_whole = are_numbers && values().all(|value| value.parse::<i64>().is_ok());
        let into = if are_whole { "into int" } else { "into float" };
        let compares = matches!(name, "math max" | "math min");
        let at = begin(command)?;
        let (grade, text) = match (compares, are_numbers) {
            (false, _) => (
                Severity::Error,
                format!("`{name}` wants numbers; what comes in is text until `{into}` reads it"),
            ),
            (true, true) => (
                Severity::Warning,
                format!("`{name}` compares texts by their letters; `{into}` makes numbers of them"),
            ),
            (true, false) => (
                Severity::Hint,
                format!("`{name}` compares texts by their letters; numbers go through `{into}` first"),
            ),
        };
        let mut found = slip(at..at, grade, &text, &format!("{into} | "), &format!("added `{into}`"));
        found.fixes.retain(|_| grade != Severity::Hint);
        Some(found)
    }

    /// Returns the value at the start of the command's pipeline if it consists of digits, quotes and similar
    /// characters.
    fn head(&self, command: &SimpleCommand) -> Option<&str> {
        let mut first = command;
        for _ in 0..BEFORE_MAX {
            let Some(feeder) = self.feeder(first) else { break };
            first = feeder;
        }
        let before = self.before_pipe(first)?;
        let literal = |c: char| c.is_ascii_digit() || " '\"[],-.".contains(c);
        let (outside, head) = before.split_at_checked(before.trim_end_matches(literal).len())?;
        begins_after(outside).then_some(head)
    }

    /// Returns the text before the pipe into `first` if the pipeline starts with a value.
    fn before_pipe(&self, first: &SimpleCommand) -> Option<&str> {
        let before = self.line.get(..begin(first)?)?.trim_end().strip_suffix('|')?.trim_end();
        (first.position == 1 && self.feeder(first).is_none()).then_some(before)
    }

    /// Returns the span of the quoted text at the start of the command's pipeline, including quotes.
    pub(super) fn quoted_head(&self, command: &SimpleCommand) -> Option<Span> {
        let before = self.before_pipe(command)?;
        let span = last_quoted(before).filter(|_| before.ends_with(['\'', '"']))?;
        begins_after(before.get(..span.start)?).then_some(span)
    }

    /// Replaces a command that takes no text with the text command of the same name: `reverse`, `str reverse`.
    fn for_text(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command)?;
        let takes_text = |doc: &&CommandDoc| doc.inputs.iter().any(|input| input == "string");
        self.under_another(command, name, &takes_text, &format!("`{name}` takes no text"))
    }

    /// Repairs a list command with quoted text as input: its letters are meant.
    fn in_letters(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command)?;
        let head = self.quoted_head(command)?;
        let text = self.raw(&head).trim_matches(['\'', '"']);
        // Lines, words or items may be meant.
        if has_data(text) || has_text(text) || !text.chars().all(char::is_alphanumeric) {
            return None;
        }
        let span = command.words.first()?.span.start..command.words.last()?.span.end;
        let count = match command.words.get(1..)? {
            [] => Some(1),
            [count] => self.raw(&count.span).parse::<u32>().ok().filter(|count| 0 < *count),
            _ => None,
        };
        // Without this option Nushell counts bytes.
        let letters = if text.is_ascii() { "" } else { " --grapheme-clusters" };
        let own = match (name, count) {
            ("first" | "take", Some(count)) => format!("str substring{letters} 0..<{count}"),
            ("last", Some(count)) => format!("str substring{letters} (-{count}).."),
            ("skip", Some(count)) => format!("str substring{letters} {count}.."),
            _ if TABLE.letters.contains(name) => format!("split chars | {}", self.raw(&span)),
            _ => return None,
        };
        let text = format!("`{name}` takes no text; for its letters there is `{own}`");
        let change = format!("{} → {own}", self.raw(&span));
        Some(slip(span, Severity::Error, &text, &own, &change))
    }

    /// Repairs a missing name that is a subcommand in Nushell: `snake-case`, `str snake-case`.
    pub(super) fn without_parent(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = command.name()?;
        if command.external
            || name.contains(' ')
            || self.kind(name) != reference::CommandKind::Missing
            || self.is_users(command)
        {
            return None;
        }
        // If the previous command is missing too, this may not be a Nushell pipeline.
        let feeder = self.feeder(command).and_then(SimpleCommand::name);
        let is_fed = 0 < command.position
            && feeder.is_none_or(|feeder| self.kind(feeder) != reference::CommandKind::Missing);
        let fits = |doc: &&CommandDoc| is_fed || self.fed(command, doc).is_some();
        self.under_another(command, name, &fits, &format!("there is no command `{name}` here"))
    }

    fn under_another(
        &self,
        command: &SimpleCommand,
        name: &str,
        fits: &dyn Fn(&&CommandDoc) -> bool,
        text: &str,
    ) -> Option<Finding> {
        let own = self.reference.own_commands()?;
        let is_below = |doc: &&CommandDoc| doc.name.rsplit_once(' ').is_some_and(|(_, last)| last == name);
        let others = own.docs().filter(is_below).filter(|doc| doc.takes_input()).filter(fits);
        let others: Vec<&CommandDoc> = others.take(OTHERS_MAX).collect();
        let span = command.words.first()?.span.clone();
        let fix = |doc: &&CommandDoc| {
            // The input may be given as an argument.
            let (span, replacement) =
                self.fed(command, doc).unwrap_or_else(|| (span.clone(), doc.name.clone()));
            Fix { span, replacement, change: format!("{name} → {}", doc.name) }
        };
        let named: Vec<String> = others.iter().map(|doc| format!("`{}`", doc.name)).collect();
        let fixes: Vec<Fix> = others.iter().map(fix).collect();
        let mut found = finding(
            Severity::Error,
            format!("{text}; nushell has {}", named.join(" and ")),
            fixes.first()?.clone(),
        );
        found.fixes = fixes;
        Some(found)
    }

    /// Repairs input given as an argument: `path basename a/b`.
    fn through_pipe(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command)?;
        let (span, replacement) = self.fed(command, self.reference.own_commands()?.get(name)?)?;
        let text = format!("`{name}` works on what a pipe brings");
        let change = format!("{} → {replacement}", self.raw(&span));
        Some(slip(span, Severity::Error, &text, &replacement, &change))
    }

    /// Returns the call with its argument moved before the pipe, using the command's documentation.
    fn fed(&self, command: &SimpleCommand, doc: &CommandDoc) -> Option<(Span, String)> {
        let is_sent = TABLE.sending.contains(&doc.name);
        if command.position != 0 || !command.redirections.is_empty() || !doc.takes_input() || is_sent {
            return None;
        }
        let arguments = self.arguments(command, doc);
        let (value, given) = self.numbers(doc, &arguments).or_else(|| self.value(doc, &arguments))?;
        let words =
            command.words.iter().skip(1).filter(|word| !given.iter().any(|own| own.span == word.span));
        let rest: Vec<&str> = words.map(|word| self.raw(&word.span)).collect();
        let span = begin(command)?..command.words.last()?.span.end;
        let replacement = [vec![value.as_str(), "|", doc.name.as_str()], rest].concat().join(" ");
        Some((span, replacement))
    }

    /// Returns the words of a call that are neither flags nor flag values.
    fn arguments<'c>(&self, command: &'c SimpleCommand, doc: &CommandDoc) -> Vec<&'c Word> {
        let mut arguments = Vec::new();
        let mut words = command.words.iter().skip(1);
        while let Some(word) = words.next() {
            let raw = self.raw(&word.span);
            let Some(flag) = raw.strip_prefix('-').filter(|_| raw.parse::<f64>().is_err()) else {
                arguments.push(word);
                continue;
            };
            let takes_value = doc.parameters.iter().any(|parameter| {
                parameter.role == Role::Named
                    && (flag.strip_prefix('-') == Some(parameter.name.as_str())
                        || parameter.letter.is_some_and(|letter| flag.ends_with(letter)))
            });
            if takes_value {
                words.next();
            }
        }
        arguments
    }

    /// Returns several numbers as a list for a command that takes a list of numbers and no single number.
    fn numbers<'c>(&self, doc: &CommandDoc, arguments: &[&'c Word]) -> Option<(String, Vec<&'c Word>)> {
        let takes = |kind: &str| doc.inputs.iter().any(|input| input == kind);
        let raw: Vec<&str> = arguments.iter().map(|word| self.raw(&word.span)).collect();
        let are_numbers = raw.iter().all(|text| text.parse::<f64>().is_ok());
        let is_list = takes("list<number>") && !takes("number") && 1 < raw.len() && places(doc).is_empty();
        (is_list && are_numbers).then(|| (format!("[{}]", raw.join(" ")), arguments.to_vec()))
    }

    /// Returns the single surplus argument that can be the input, written as a pipeline value.
    fn value<'c>(&self, doc: &CommandDoc, arguments: &[&'c Word]) -> Option<(String, Vec<&'c Word>)> {
        let places = places(doc);
        let takes_all =
            |parameter: &Parameter| parameter.role == Role::Rest && parameter.shape != "cell-path";
        if arguments.len() != places.len() + 1 || doc.parameters.iter().any(takes_all) {
            return None;
        }
        let fits = |at: &usize| {
            let others = arguments.iter().enumerate().filter(|(other, _)| other != at);
            others.zip(&places).all(|((_, word), shape)| self.has_shape(word, shape))
        };
        let candidates: Vec<(&Word, String)> = (0..arguments.len())
            .filter(fits)
            .filter_map(|at| {
                let word = arguments.get(at).copied()?;
                Some((word, self.as_value(doc, word)?))
            })
            .collect();
        // Of two texts, the input contains the other: `split row 'a=b' '='`.
        let holds = |word: &Word| {
            let mut others = arguments.iter().filter(|other| other.span != word.span);
            let is_part = |other: &Word| word.text != other.text && word.text.contains(other.text.as_str());
            word.quoted && others.all(|other| other.quoted && is_part(other))
        };
        let (word, value) = match candidates.as_slice() {
            [one] => one,
            many => {
                let mut holding = many.iter().filter(|(word, _)| holds(word));
                holding.next().filter(|_| holding.next().is_none())?
            }
        };
        Some((value.clone(), vec![word]))
    }

    /// Reports whether a word can be a value of this type.
    fn has_shape(&self, word: &Word, shape: &str) -> bool {
        let raw = self.raw(&word.span);
        if raw.starts_with(['$', '(']) {
            return true;
        }
        match shape {
            "int" => raw.parse::<i64>().is_ok(),
            "number" | "float" => raw.parse::<f64>().is_ok(),
            "range" => raw.contains(".."),
            "duration" => is_duration(raw),
            _ if shape.starts_with("closure") => raw.starts_with('{'),
            _ if shape.starts_with("list") => raw.starts_with('['),
            _ => !raw.starts_with(['{', '[']),
        }
    }

    /// Returns an argument as a pipeline value; `None` if the command takes no such input, or if this is unclear.
    fn as_value(&self, doc: &CommandDoc, word: &Word) -> Option<String> {
        let raw = self.raw(&word.span);
        let takes = |kind: &str| doc.inputs.iter().any(|input| input == kind || input == "any");
        if raw.starts_with(['$', '(', '[']) {
            return Some(raw.to_owned());
        }
        let is_date = is_date(&word.text);
        let works_on = |kind: &str| doc.inputs.iter().any(|input| input == kind);
        let wants_date = works_on("datetime") && !works_on("int") && !works_on("number");
        if wants_date && !is_date || raw.starts_with('{') || !word.literal || word.glob {
            return None;
        }
        if word.quoted {
            return takes("string").then(|| raw.to_owned());
        }
        let is_number = raw.parse::<f64>().is_ok();
        if is_number && (takes("number") || takes("int")) || is_date && takes("datetime") {
            return Some(raw.to_owned());
        }
        if raw.is_empty() || raw.contains(['\'', '\n']) {
            return None;
        }
        let is_path = doc.name.starts_with("path ");
        if !is_path && self.reference.exists(raw) == Some(true) {
            return self.opened(doc, raw);
        }
        if !takes("string") {
            return None;
        }
        let is_file = has_data(raw) || has_text(raw);
        (is_path || !is_file).then(|| format!("'{raw}'"))
    }

    /// Returns the pipeline start that reads a file as the command needs it: text, lines or data.
    fn opened(&self, doc: &CommandDoc, file: &str) -> Option<String> {
        // `FILE/.` exists only for a directory.
        if self.reference.exists(&format!("{file}/.")) != Some(false) {
            return None;
        }
        let works_on = |kinds: &[&str]| doc.inputs.iter().any(|input| kinds.contains(&input.as_str()));
        let is_list = doc.inputs.iter().any(|input| input.starts_with("list<any>"));
        if TABLE.texts.contains(&doc.name) || !is_list && works_on(&["string", "binary"]) {
            return Some(format!("open --raw {file}"));
        }
        if has_data(file) {
            return (is_list || works_on(&["any", "table", "record"])).then(|| format!("open {file}"));
        }
        (is_list && has_text(file)).then(|| format!("open {file} | lines"))
    }

    /// Repairs a quoted file name as input of a data command: its content is meant.
    fn unopened(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command)?;
        let head = self.quoted_head(command)?;
        let at = head.start;
        let file = self.line.get(at + 1..head.end.checked_sub(1)?)?;
        (has_data(file) && self.reference.exists(file) == Some(true)).then(|| {
            let text = format!("`{name}` takes no text; `open` reads what is in `{file}`");
            slip(at..at, Severity::Error, &text, "open ", "added `open`")
        })
    }

    /// Repairs a bare word piped into a text command: the text is meant.
    pub(super) fn unquoted(&self, command: &SimpleCommand) -> Option<Finding> {
        let [word] = command.words.as_slice() else { return None };
        let raw = self.raw(&word.span);
        let is_word = !word.quoted
            && raw.starts_with(|c: char| c.is_alphanumeric())
            && raw.chars().all(|c| c.is_alphanumeric() || "_-./:@".contains(c));
        if !is_word
            || command.position != 0
            || !command.redirections.is_empty()
            || command.external
            || self.kind(raw) != reference::CommandKind::Missing
        {
            return None;
        }
        let next = self.next(command)?;
        let name = self.own(next)?;
        let is_path = name.starts_with("path ");
        // For a file, its content with `open` is meant.
        if !is_path && (raw.contains('/') || self.reference.exists(raw) == Some(true)) {
            return None;
        }
        let own = self.reference.own_commands()?;
        let takes_text = own.get(name)?.inputs.iter().any(|input| input == "string");
        (takes_text && own.get(name)?.needs_input()).then(|| {
            let text = format!("a text needs quotes: `'{raw}'`");
            let change = format!("{raw} → '{raw}'");
            let mut found = slip(word.span.clone(), Severity::Hint, &text, &format!("'{raw}'"), &change);
            // It may also be a missing program whose output is meant.
            found.fixes.retain(|_| is_path && self.reference.exists(raw) == Some(true));
            found
        })
    }
}

/// Reports whether a value may start after this text: at the start of a statement or in an assignment.
fn begins_after(outside: &str) -> bool {
    let outside = outside.trim_end();
    let assigns = outside.strip_suffix('=').is_some_and(|left| left.ends_with(' '));
    outside.is_empty() || outside.ends_with(['(', '{', ';']) || assigns
}

fn begin(command: &SimpleCommand) -> Option<usize> {
    command.words.first().map(|word| word.span.start)
}

/// Returns the types of a command's positional arguments.
fn places(doc: &CommandDoc) -> Vec<&str> {
    let placed = doc.parameters.iter().filter(|parameter| parameter.role == Role::Positional);
    placed.map(|parameter| parameter.shape.as_str()).collect()
}

/// Reports whether `open` parses files with this extension into data.
fn has_data(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| TABLE.structured.contains(ending))
}

/// Reports whether a file with this extension contains lines of text.
fn has_text(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| TABLE.plain.contains(ending))
}
