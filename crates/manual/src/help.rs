//! Parser for `--help` texts. The layouts differ; common to all: an option's line starts with a dash, its
//! description comes after a gap or below, and headings end in a colon.

use super::heading;
use super::page::{MENTIONED_MAX, OPTIONS_MAX, SUBCOMMANDS_MAX, is_subcommand, keep, settle};
use super::usage;
use super::value::HeadingPosition;
use super::words::{beginning, first_sentence, single_line, version_in};
use super::{Arity, Manual, Source, Subcommand};

/// Maximum number of bytes read of a help text.
const TEXT_MAX: usize = 2 << 20;
/// Maximum number of bytes read of a line.
const LINE_MAX: usize = 4000;
/// Maximum number of lines of a usage.
const USAGE_LINES_MAX: usize = 80;
/// Number of lines at the start that may name the version.
const VERSION_LINES: usize = 3;
/// Maximum indentation of an option's line, in columns.
const INDENT_MAX: usize = 40;

/// Parses a help text: both output streams of a program.
pub(super) fn read(text: &str) -> Manual {
    let text = mended(text);
    let mut help = Help::default();
    for (number, line) in text.lines().map(|line| beginning(line, LINE_MAX)).enumerate() {
        help.line(line, number);
    }
    help.finish()
}

/// Removes colours and overstrikes, and converts dashes to ASCII.
fn mended(text: &str) -> String {
    let text = beginning(text, TEXT_MAX);
    let mut whole = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\u{8}' => {
                if !whole.ends_with('\n') {
                    whole.pop();
                }
            }
            '\u{2010}' | '\u{2011}' | '\u{2212}' => whole.push('-'),
            '\u{2018}' | '\u{2019}' => whole.push('\''),
            '\n' | '\t' => whole.push(c),
            c if c.is_control() => {}
            c => whole.push(c),
        }
    }
    whole
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum HelpPart {
    #[default]
    Other,
    Usage,
    Commands,
    Examples,
}

#[derive(Default)]
struct Help {
    manual: Manual,
    part: HelpPart,
    n_usage: usize,
    /// `true` if the usage is below its heading: a blank line after the heading does not end it.
    usage_below: bool,
    usage_indent: usize,
    /// Index of the first option that waits for its description; `open` is its indentation.
    open_from: usize,
    open: Option<usize>,
    open_subcommand: Option<usize>,
    usage: String,
    /// Number of open braces of a set, `OPTIONS := { … }`; `set_lists` is `true` if the set lists subcommands.
    set_depth: usize,
    set_lists: bool,
    /// Column where descriptions start.
    description_column: Option<usize>,
    version_line: bool,
}

impl Help {
    fn line(&mut self, line: &str, number: usize) {
        let trimmed = line.trim();
        let indent = indent_of(line);
        if trimmed.is_empty() {
            if self.part == HelpPart::Usage && !self.usage_below {
                self.part = HelpPart::Other;
            }
            self.open = None;
            return;
        }
        if self.part != HelpPart::Examples {
            usage::mentions(trimmed, &mut self.manual.mentioned, MENTIONED_MAX);
        }
        if number < VERSION_LINES && self.manual.version.is_none() && !trimmed.starts_with('-') {
            self.manual.version = announced_version(trimmed);
            self.version_line = self.manual.version.is_some();
        } else {
            self.version_line = false;
        }
        if self.set_depth > 0 {
            self.set(trimmed);
            return;
        }
        // A program may show its usage in the first line without a word before it.
        if number < VERSION_LINES && self.usage.is_empty() && is_form(trimmed) {
            self.begin_usage(trimmed, indent);
            return;
        }
        if let Some(usage) = after_usage(trimmed) {
            self.begin_usage(usage, indent);
            return;
        }
        if self.part == HelpPart::Usage && self.n_usage < USAGE_LINES_MAX {
            let option_line =
                trimmed.starts_with('-') && indent <= self.usage_indent.max(8) && !self.usage_below;
            let heading = indent == 0 && is_heading(trimmed);
            if !option_line && !heading && (indent > 0 || self.usage_below) {
                self.n_usage += 1;
                self.usage_below = false;
                self.usage.push(' ');
                self.usage.push_str(trimmed);
                keep(&mut self.manual.synopsis, trimmed);
                return;
            }
            self.part = HelpPart::Other;
        }
        if self.option(line, trimmed, indent) {
            return;
        }
        if is_heading(trimmed) && self.open.is_none_or(|depth| indent <= depth) && !trimmed.starts_with('-') {
            self.heading(trimmed);
            if self.part != HelpPart::Other || indent == 0 {
                return;
            }
        }
        if self.part == HelpPart::Examples {
            keep(&mut self.manual.examples, trimmed);
        } else if self.part != HelpPart::Commands || !self.commands(line, trimmed, indent) {
            self.words(trimmed, indent);
        }
    }

    fn begin_usage(&mut self, usage: &str, indent: usize) {
        self.part = HelpPart::Usage;
        self.n_usage += 1;
        self.usage_below = usage.is_empty();
        self.usage_indent = indent;
        self.open = None;
        if self.n_usage <= USAGE_LINES_MAX {
            self.usage.push(' ');
            self.usage.push_str(usage);
            keep(&mut self.manual.synopsis, usage);
        }
    }

    /// Parses a line that starts with an option. Returns `false` if it does not.
    fn option(&mut self, line: &str, trimmed: &str, indent: usize) -> bool {
        if self.part == HelpPart::Examples && indent > 0 && !trimmed.starts_with("--") {
            return false;
        }
        if trimmed.starts_with("[-") {
            self.usage.push(' ');
            self.usage.push_str(trimmed);
            return true;
        }
        if !trimmed.starts_with(['-', '+'])
            || indent > INDENT_MAX
            || self.open.is_some_and(|depth| indent > depth + 8)
        {
            return false;
        }
        let mut rest = line.trim_start();
        let mut found = false;
        self.open_from = self.manual.options.len();
        while let Some((names, after)) = heading::read(rest, HeadingPosition::Column) {
            if (names.is_empty() && after.is_empty()) || self.manual.options.len() >= OPTIONS_MAX {
                break;
            }
            found |= !names.is_empty();
            let mut docs = heading::docs(names, Source::Help);
            let after = after.trim_start_matches([':', ' ', '\t']);
            // A second column of options instead of a description.
            if after.starts_with('-')
                && after.len() < rest.len()
                && heading::read(after, HeadingPosition::Column).is_some()
            {
                self.manual.options.append(&mut docs);
                rest = after;
                continue;
            }
            let column = line.chars().count() - after.chars().count();
            if line.trim_start().len() == rest.len() {
                let unclear =
                    docs.iter_mut().filter(|doc| doc.value == Arity::Unknown && doc.placeholder.is_empty());
                // Text in the description column, or with a capital, is a description.
                if self.description_column.is_some_and(|usual| column >= usual) || begins_sentence(after) {
                    unclear.for_each(|doc| doc.value = Arity::None);
                } else if line.get(..line.len() - after.len()).is_some_and(|left| left.ends_with("  ")) {
                    self.description_column = Some(column);
                }
            }
            docs.iter_mut().for_each(|doc| doc.text = first_sentence(after));
            self.manual.options.append(&mut docs);
            break;
        }
        if found {
            self.part = if self.part == HelpPart::Commands { HelpPart::Commands } else { HelpPart::Other };
            self.open = Some(indent);
            self.open_subcommand = None;
        }
        found
    }

    fn heading(&mut self, trimmed: &str) {
        let title = trimmed.trim_end_matches(':').to_lowercase();
        let names =
            |wanted: &[&str]| title.split(|c: char| !c.is_alphanumeric()).any(|word| wanted.contains(&word));
        self.open = None;
        self.open_subcommand = None;
        self.part = if names(&["example", "examples"]) {
            HelpPart::Examples
        } else if (names(&[
            "command",
            "commands",
            "subcommand",
            "subcommands",
            "positional",
            "applets",
            "actions",
        ]) && !names(&["options", "flags", "line"]))
            || (self.part == HelpPart::Commands && !trimmed.ends_with(':'))
        {
            HelpPart::Commands
        } else {
            HelpPart::Other
        };
    }

    /// Parses a line of a list of subcommands. Returns `false` if it is none.
    fn commands(&mut self, line: &str, trimmed: &str, indent: usize) -> bool {
        // `{add,rm}` lists all names at once; npm lists them with commas.
        let braces = trimmed.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        if let Some((names, _)) = braces {
            names.split(',').for_each(|name| self.add(name.trim(), ""));
            return true;
        }
        if trimmed.contains(", ") && trimmed.trim_end_matches(',').split(", ").all(is_subcommand) {
            trimmed.trim_end_matches(',').split(", ").for_each(|name| self.add(name, ""));
            return true;
        }
        let columns: Vec<&str> = trimmed.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
        if columns.len() >= 3 && columns.iter().all(|word| is_subcommand(word)) {
            columns.into_iter().for_each(|name| self.add(name, ""));
            return true;
        }
        if indent == 0 || indent > 10 {
            return false;
        }
        let (left, summary) = columns_of(line.trim_start());
        let mut names = left.split([',', '|']).map(|name| name.split_whitespace().next().unwrap_or_default());
        let Some(first) = names.next().map(|name| name.trim_end_matches(['*', ':'])) else { return false };
        // The rest of the left column is arguments, not prose.
        let prose = left.split_whitespace().skip(1).any(|word| {
            word.chars().all(|c| c.is_ascii_lowercase()) && !left.contains(',') && !left.contains('|')
        });
        if !is_subcommand(first) || (prose && summary.is_empty()) {
            return false;
        }
        self.add(first, summary);
        for alias in names.map(str::trim).filter(|name| is_subcommand(name) || name.len() == 1) {
            if alias.chars().all(|c| c.is_ascii_lowercase()) {
                self.add(alias, summary);
            }
        }
        self.open_subcommand = summary.is_empty().then_some(indent);
        true
    }

    fn add(&mut self, name: &str, summary: &str) {
        let valid = is_subcommand(name) || (name.len() == 1 && !summary.is_empty());
        if valid && self.manual.subcommands.len() < SUBCOMMANDS_MAX {
            self.manual.subcommands.push(Subcommand {
                name: name.to_owned(),
                summary: first_sentence(summary.trim_start_matches("- ")),
            });
        }
    }

    /// Parses a line of running text: a description below its option, or the summary of the program.
    fn words(&mut self, trimmed: &str, indent: usize) {
        if self.open.is_some_and(|depth| indent > depth) {
            let sentence = first_sentence(trimmed);
            for doc in self.manual.options.iter_mut().skip(self.open_from).filter(|doc| doc.text.is_empty()) {
                doc.text.clone_from(&sentence);
            }
            return;
        }
        if self.open_subcommand.take().is_some_and(|depth| indent > depth)
            && let Some(last) = self.manual.subcommands.last_mut()
        {
            last.summary = first_sentence(trimmed);
            return;
        }
        self.open = None;
        if let Some((what, content)) = trimmed.split_once(":=") {
            self.set_lists = what.contains("OBJECT") || what.contains("COMMAND");
            self.set(content);
            return;
        }
        // A set of alternatives may continue over several lines: `| -s[tatistics] | …`.
        if trimmed.starts_with("-") || trimmed.contains(" | -") {
            self.usage.push(' ');
            self.usage.push_str(trimmed);
        } else if self.manual.summary.is_empty()
            && !self.version_line
            && trimmed.chars().filter(|c| c.is_alphabetic()).count() > 8
        {
            self.manual.summary = first_sentence(trimmed);
        }
    }

    /// Parses a line of a set: alternatives between braces.
    fn set(&mut self, content: &str) {
        self.set_depth =
            (self.set_depth + content.matches('{').count()).saturating_sub(content.matches('}').count());
        self.usage.push(' ');
        self.usage.push_str(content);
        if self.set_lists {
            let inside = content.trim().trim_matches(['{', '}']);
            inside.split('|').map(str::trim).for_each(|name| self.add(name, ""));
        }
    }

    fn finish(mut self) -> Manual {
        let mut unsure = Default::default();
        for names in usage::usage(&self.usage, &mut unsure) {
            if self.manual.options.len() < OPTIONS_MAX {
                self.manual.options.append(&mut heading::docs(names, Source::Help));
            }
        }
        self.manual.mentioned.append(&mut unsure);
        let program = self.usage.split_whitespace().next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        if program.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
            && !program.starts_with('-')
        {
            self.manual.name = program.chars().take(64).collect();
        }
        let mut seen = std::collections::HashSet::new();
        self.manual.subcommands.retain(|subcommand| seen.insert(subcommand.name.clone()));
        settle(&mut self.manual);
        self.manual
    }
}

/// Returns the number of columns before the first word; a tab advances to the next multiple of eight.
fn indent_of(line: &str) -> usize {
    let mut column = 0;
    for c in line.chars() {
        match c {
            ' ' => column += 1,
            '\t' => column = column / 8 * 8 + 8,
            _ => break,
        }
    }
    column
}

/// Returns the text after `usage:` or `or:`.
fn after_usage(trimmed: &str) -> Option<&str> {
    let (word, rest) = trimmed.split_once(':').unwrap_or((trimmed, ""));
    let word = word.trim().to_lowercase();
    let begins = matches!(word.as_str(), "usage" | "or" | "synopsis" | "usage is");
    (begins && (trimmed.contains(':') || trimmed.len() == word.len())).then(|| rest.trim())
}

/// Reports whether a line is a usage form: a program's name and its arguments, as in
/// `systemctl [OPTIONS...] COMMAND`, `npm <command>`.
fn is_form(trimmed: &str) -> bool {
    let mut words = trimmed.split_whitespace();
    let name = words.next().unwrap_or_default();
    let next = words.next().unwrap_or_default();
    name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.'))
        && (next.starts_with(['[', '<']) || next == "COMMAND")
        && (trimmed.ends_with("...") || !trimmed.ends_with('.'))
}

fn begins_sentence(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase)
        && word.len() > 1
        && chars.all(|c| c.is_lowercase() || c == '\'')
        && text.contains(' ')
}

/// Reports whether a line is a heading: it ends in a colon or is in capitals.
fn is_heading(trimmed: &str) -> bool {
    let short = trimmed.len() <= 100;
    let capitals = trimmed.len() >= 4
        && trimmed.chars().all(|c| c.is_ascii_uppercase() || c.is_whitespace() || c == '-');
    short && (trimmed.ends_with(':') || capitals || is_named_list(trimmed))
}

/// Reports whether a line is a short title about commands: two to four words, the last one "commands", as in
/// `Standard commands`.
fn is_named_list(trimmed: &str) -> bool {
    let words: Vec<&str> = trimmed.split_whitespace().collect();
    (2..=4).contains(&words.len()) && words.last().is_some_and(|word| word.eq_ignore_ascii_case("commands"))
}

/// Splits a line into left column and description: at a gap, a tab or ` - `.
fn columns_of(line: &str) -> (&str, &str) {
    let gap = [line.find("  "), line.find('\t'), line.find(" - ")].into_iter().flatten().min();
    match gap.and_then(|gap| line.split_at_checked(gap)) {
        Some((left, right)) => (left.trim(), right.trim()),
        None => (line.trim(), ""),
    }
}

/// Returns the version named in one of the first lines: `BusyBox v1.35.0 (…)`, `apt 2.6.1 (amd64)`,
/// `ffmpeg version 5.1`.
fn announced_version(trimmed: &str) -> Option<String> {
    let line = single_line(trimmed);
    let n_words = line.split(' ').count();
    let second = line.split(' ').nth(1).unwrap_or_default();
    let announces = line.to_lowercase().contains("version")
        || second.starts_with(|c: char| c.is_ascii_digit() || c == 'v');
    (n_words <= 14 && announces).then(|| version_in(&line)).flatten().filter(|version| version.contains('.'))
}
