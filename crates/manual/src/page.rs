//! Interpreter for the blocks of a man page: collects options, subcommands, synopsis and examples.

use std::collections::{HashMap, HashSet};

use super::block::Block;
use super::escapes::plain;
use super::heading;
use super::roff::blocks;
use super::usage;
use super::value::HeadingPosition;
use super::words::{beginning, first_sentence, single_line, style_of, version_in};
use super::{Arity, Manual, OptionDoc, OptionStyle, Source, Subcommand};

/// Maximum number of options of one page; the longest known pages have half as many.
pub(super) const OPTIONS_MAX: usize = 6000;
/// Maximum number of options that a page only mentions.
pub(super) const MENTIONED_MAX: usize = 4000;
/// Maximum number of subcommands of one page.
pub(super) const SUBCOMMANDS_MAX: usize = 2000;
/// Maximum number of bytes read of an item's heading.
const HEADING_MAX: usize = 1000;
/// Maximum number of bytes kept of the synopsis and of the examples.
pub(super) const KEPT_MAX: usize = 16 << 10;

/// Parses the source of a page.
pub(super) fn read(source: &str) -> Manual {
    let mut page = Page::default();
    for block in blocks(source) {
        page.take(block);
    }
    page.finish()
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum PagePart {
    #[default]
    Other,
    Name,
    Synopsis,
    Examples,
    /// The end of the page, with sections on other topics.
    Back,
}

#[derive(Default)]
struct Page {
    manual: Manual,
    part: PagePart,
    /// `true` if the section, or its subsection, lists subcommands.
    lists_commands: bool,
    section_lists: bool,
    /// Index of the first option that waits for its description; all options after it wait too.
    open_from: usize,
    open: bool,
    /// Number of subcommands that wait for their summary.
    open_subcommands: usize,
    name_text: String,
    title_name: String,
    n_operands: usize,
    wants_command: bool,
    /// Words that the synopsis offers in braces: `{list | show | install}`.
    alternatives: HashSet<String>,
    /// Options shown with a value in the synopsis.
    shown: HashMap<String, (Arity, String)>,
    listed: Vec<Subcommand>,
}

impl Page {
    fn take(&mut self, block: Block) {
        match block {
            Block::Title(title) => {
                self.title_name = title.first().map(|name| name.to_lowercase()).unwrap_or_default();
                self.manual.version = title.get(3).and_then(|source| version_in(source));
            }
            Block::Section(title) => {
                let title = title.to_uppercase();
                self.part = part_of(&title);
                self.section_lists = lists_commands(&title);
                self.lists_commands = self.section_lists;
                self.close();
            }
            Block::Subsection(title) => {
                self.lists_commands = self.section_lists || lists_commands(&title.to_uppercase());
                if title.to_uppercase().contains("OPTION") {
                    self.lists_commands = false;
                }
                self.close();
            }
            Block::Tag { text, joined } => self.tag(&text, joined),
            Block::Paragraph(text) => self.paragraph(&text),
            Block::Verbatim(text) => self.verbatim(&text),
        }
    }

    fn tag(&mut self, text: &str, joined: bool) {
        match self.part {
            PagePart::Name | PagePart::Back => return,
            PagePart::Examples => return self.keep_example(text),
            PagePart::Synopsis => return self.synopsis(text),
            PagePart::Other => {}
        }
        let text = beginning(text, HEADING_MAX);
        if self.define(text, joined) {
            return;
        }
        let bare = plain(text);
        if let Some((operand, _)) = bare.split_once('=')
            && operand.len() >= 2
            && operand.chars().all(|c| c.is_ascii_lowercase())
        {
            self.n_operands += 1;
        }
        self.close();
        self.list(&bare);
        usage::mentions(text, &mut self.manual.mentioned, MENTIONED_MAX);
    }

    /// Adds the options spelled in a heading. Returns `false` if there are none.
    fn define(&mut self, text: &str, joined: bool) -> bool {
        let Some((names, rest)) = heading::read(text, HeadingPosition::Alone) else { return false };
        if names.is_empty() {
            return false;
        }
        let options = &mut self.manual.options;
        if options.len() >= OPTIONS_MAX {
            return true;
        }
        let mut docs = heading::docs(names, Source::Page);
        // Another form of the same option, or the long form after the short one with no word between them.
        let previous = options.len().checked_sub(1).filter(|_| self.open);
        if let Some(previous) = previous.and_then(|index| options.get_mut(index))
            && let [doc] = docs.as_mut_slice()
            && (joined || is_short_then_long(previous, doc))
            && previous.names.len() < 8
        {
            merge(previous, std::mem::take(&mut doc.names), doc);
            return true;
        }
        if !self.open {
            self.open_from = options.len();
        }
        options.append(&mut docs);
        self.open = true;
        let rest = plain(rest);
        let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        usage::mentions(rest, &mut self.manual.mentioned, MENTIONED_MAX);
        true
    }

    fn paragraph(&mut self, text: &str) {
        match self.part {
            PagePart::Name => {
                self.name_text.push_str(text);
                self.name_text.push('\n');
                return;
            }
            PagePart::Synopsis => return self.synopsis(text),
            PagePart::Examples => return self.keep_example(text),
            PagePart::Back => return,
            PagePart::Other => {}
        }
        usage::mentions(text, &mut self.manual.mentioned, MENTIONED_MAX);
        // A hanging paragraph: an option alone on the line, its text below.
        let (first, below) = text.split_once('\n').unwrap_or((text, ""));
        if let Some((_, rest)) = heading::read(first, HeadingPosition::Alone)
            && plain(rest).trim().trim_end_matches(':').is_empty()
            && self.define(first, false)
        {
            if !below.trim().is_empty() {
                self.describe(below);
            }
            return;
        }
        self.describe(text);
    }

    fn verbatim(&mut self, text: &str) {
        match self.part {
            PagePart::Name => self.name_text.push_str(text),
            PagePart::Synopsis => self.synopsis(text),
            PagePart::Examples => self.keep_example(text),
            PagePart::Back => {}
            PagePart::Other => {
                usage::mentions(text, &mut self.manual.mentioned, MENTIONED_MAX);
                for line in text.lines().filter(|line| line.trim_start().starts_with('-')) {
                    // A manually formatted table of options: a description must follow on the same line.
                    if let Some((names, rest)) = heading::read(line, HeadingPosition::Column)
                        && (rest.starts_with("  ") || rest.starts_with('\t'))
                        && self.manual.options.len() < OPTIONS_MAX
                    {
                        let mut docs = heading::docs(names, Source::Page);
                        docs.iter_mut().for_each(|doc| doc.text = first_sentence(rest));
                        self.manual.options.append(&mut docs);
                    }
                }
                self.describe(text);
            }
        }
    }

    /// Sets the text of the options and subcommands that wait for it.
    fn describe(&mut self, text: &str) {
        let sentence = first_sentence(&plain(text));
        if sentence.is_empty() {
            return;
        }
        if self.open {
            for doc in self.manual.options.iter_mut().skip(self.open_from).filter(|doc| doc.text.is_empty()) {
                doc.text.clone_from(&sentence);
            }
        }
        let listed = self.listed.len();
        for subcommand in self.listed.iter_mut().skip(listed.saturating_sub(self.open_subcommands)) {
            subcommand.summary.clone_from(&sentence);
        }
        self.close();
    }

    fn close(&mut self) {
        self.open = false;
        self.open_subcommands = 0;
    }

    /// Parses an item's heading as subcommands: `add FILE`, `git-add(1)`, `install, remove (apt-get(8))`.
    fn list(&mut self, heading: &str) {
        let own = if self.manual.name.is_empty() { &self.title_name } else { &self.manual.name };
        let first = heading.split_whitespace().next().unwrap_or_default();
        let page =
            first.split_once('(').filter(|(_, section)| section.starts_with(|c: char| c.is_ascii_digit()));
        if let Some((page, _)) = page
            && let Some(name) = page.strip_prefix(own.as_str()).and_then(|name| name.strip_prefix('-'))
            && is_subcommand(name)
        {
            self.add_subcommand(name);
            return;
        }
        let offered = heading
            .split([',', ' ', '\t', '[', '|', '('])
            .next()
            .is_some_and(|word| self.alternatives.contains(word));
        if page.is_some() || !(self.lists_commands || offered) {
            return;
        }
        for part in heading.split(", ") {
            let name = part.split([' ', '\t', '[', '|', '(']).next().unwrap_or_default();
            if !is_subcommand(name) {
                break;
            }
            self.add_subcommand(name);
        }
    }

    fn add_subcommand(&mut self, name: &str) {
        if self.listed.len() < SUBCOMMANDS_MAX {
            self.listed.push(Subcommand { name: name.to_owned(), summary: String::new() });
            self.open_subcommands += 1;
        }
    }

    fn synopsis(&mut self, text: &str) {
        let text = beginning(text, KEPT_MAX);
        let mut unsure = Default::default();
        for spelled in usage::usage(text, &mut unsure).into_iter().flatten() {
            if matches!(spelled.value, Some(Arity::Required | Arity::Attached | Arity::Optional)) {
                self.shown
                    .insert(spelled.name.clone(), (spelled.value.unwrap_or_default(), spelled.placeholder));
            }
            self.manual.mentioned.insert(spelled.name);
        }
        self.manual.mentioned.append(&mut unsure);
        let text = plain(text);
        self.wants_command |= wants_command(&text);
        for group in
            text.split('{').skip(1).map(|group| group.split_once('}').map_or(group, |(group, _)| group))
        {
            let words = group.split('|').filter_map(|word| word.split_whitespace().next());
            let words: Vec<&str> = words.filter(|word| is_subcommand(word)).take(SUBCOMMANDS_MAX).collect();
            if words.len() >= 3 && self.alternatives.len() < SUBCOMMANDS_MAX {
                self.alternatives.extend(words.into_iter().map(str::to_owned));
            }
        }
        keep(&mut self.manual.synopsis, &text);
    }

    fn keep_example(&mut self, text: &str) {
        usage::mentions(text, &mut self.manual.mentioned, MENTIONED_MAX);
        keep(&mut self.manual.examples, &plain(text));
    }

    fn finish(mut self) -> Manual {
        let text = plain(&self.name_text);
        let mut manual = self.manual;
        let split = [" - ", " — ", " -- ", "\t- "].iter().find_map(|dash| text.split_once(dash));
        let (names, summary) = split.unwrap_or((&text, ""));
        manual.summary = first_sentence(summary);
        let name = names.split([',', ' ', '\n']).find(|name| !name.is_empty()).unwrap_or_default();
        manual.name = if name.is_empty() { self.title_name } else { name.to_owned() };
        let offered =
            self.listed.iter().filter(|listed| self.alternatives.contains(&listed.name)).count() >= 3;
        if self.wants_command
            || offered
            || self.listed.iter().filter(|listed| !listed.summary.is_empty()).count() >= 2
                && text_lists(&manual)
        {
            let mut seen = HashSet::new();
            self.listed.retain(|listed| seen.insert(listed.name.clone()));
            manual.subcommands = self.listed;
        }
        // A heading may omit the value that the synopsis shows.
        for doc in manual.options.iter_mut().filter(|doc| doc.value == Arity::None) {
            if let Some((value, placeholder)) = doc.names.iter().find_map(|name| self.shown.get(name)) {
                doc.value = *value;
                doc.placeholder.clone_from(placeholder);
            }
        }
        settle(&mut manual);
        let conventional = |name: &String| matches!(name.as_str(), "--help" | "--version");
        if self.n_operands >= 3 && manual.options.iter().flat_map(|doc| &doc.names).all(conventional) {
            manual.style = OptionStyle::Operand;
        }
        manual
    }
}

/// Reports whether listed words may be subcommands although the synopsis names no command: the page must not be
/// that of an interactive program, whose synopsis takes a file. Words that have pages of their own were recognised
/// when they were listed.
fn text_lists(manual: &Manual) -> bool {
    !manual.synopsis.contains("file") && !manual.synopsis.contains("FILE")
}

/// Finishes a parsed page or help text: merges duplicates, removes defined options from the mentions, sets the
/// style.
pub(super) fn settle(manual: &mut Manual) {
    let options = std::mem::take(&mut manual.options);
    manual.options = super::unite::merged(options);
    manual.style = style_of(manual);
    if manual.style != OptionStyle::LongDash {
        sticking_values(&mut manual.options);
    }
    let defined: HashSet<&str> =
        manual.options.iter().flat_map(|doc| doc.names.iter().map(String::as_str)).collect();
    // `-lt` adds nothing to `-l` and `-t`.
    let cluster = |name: &str| {
        !name.starts_with("--") && name.chars().skip(1).all(|c| defined.contains(format!("-{c}").as_str()))
    };
    manual.mentioned.retain(|name| !defined.contains(name.as_str()) && !cluster(name));
    manual.style = style_of(manual);
}

/// Adds options with an attached value, such as `-Olevel` and `-Wwarning`: in a getopt-style text, a capital and a
/// lower-case word are an option and its value.
fn sticking_values(options: &mut Vec<OptionDoc>) {
    let defined: HashSet<String> = options.iter().flat_map(|doc| doc.names.iter().cloned()).collect();
    let mut more = Vec::new();
    for doc in options.iter() {
        for name in &doc.names {
            let mut chars = name.strip_prefix('-').unwrap_or(name).chars();
            let capital = chars.next().filter(char::is_ascii_uppercase);
            let word = chars.as_str();
            if let Some(capital) = capital
                && word.len() >= 3
                && word.chars().all(|c| c.is_ascii_lowercase())
                && !defined.contains(&format!("-{capital}"))
            {
                more.push(OptionDoc {
                    names: vec![format!("-{capital}")],
                    value: Arity::Attached,
                    placeholder: word.to_owned(),
                    ..doc.clone()
                });
            }
        }
    }
    options.append(&mut more);
}

fn part_of(title: &str) -> PagePart {
    match title {
        "NAME" | "NAMES" => PagePart::Name,
        "SYNOPSIS" | "USAGE" | "SYNTAX" => PagePart::Synopsis,
        "SEE ALSO" | "AUTHOR" | "AUTHORS" | "COPYRIGHT" | "REPORTING BUGS" | "HISTORY" | "STANDARDS"
        | "COLOPHON" | "BUGS" | "EXIT STATUS" | "FILES" | "CREDITS" | "LICENSE" | "CONFORMING TO"
        | "COMPATIBILITY" | "AVAILABILITY" => PagePart::Back,
        _ if title.starts_with("EXAMPLE") => PagePart::Examples,
        _ => PagePart::Other,
    }
}

fn lists_commands(title: &str) -> bool {
    let names = ["COMMANDS", "SUBCOMMANDS", "SUB-COMMANDS", "COMMAND", "SUBCOMMAND", "OBJECTS"];
    let words = || title.split(|c: char| !c.is_alphanumeric() && c != '-');
    words().any(|word| names.contains(&word))
        && !words().any(|word| {
            matches!(
                word,
                "BUILTIN"
                    | "BUILTINS"
                    | "BUILT-IN"
                    | "INTERACTIVE"
                    | "KEY"
                    | "KEYS"
                    | "LINE"
                    | "EDITING"
                    | "OPTIONS"
                    | "FILE"
                    | "SYNOPSIS"
            )
        })
}

/// Reports whether the synopsis has a position for a subcommand.
fn wants_command(synopsis: &str) -> bool {
    synopsis.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').any(|word| {
        matches!(
            word.to_lowercase().as_str(),
            "command" | "subcommand" | "sub-command" | "verb" | "object" | "action" | "cmd" | "commands"
        )
    }) || synopsis.contains("{list | ")
}

pub(super) fn is_subcommand(name: &str) -> bool {
    (2..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | ':' | '.'))
        && !name.ends_with(['.', ':'])
}

fn is_short_then_long(previous: &OptionDoc, doc: &OptionDoc) -> bool {
    let short = |name: &String| name.len() == 2 && !name.starts_with("--");
    previous.text.is_empty()
        && previous.names.iter().all(short)
        && previous.names.len() == 1
        && doc.names.iter().all(|name| name.starts_with("--"))
}

fn merge(into: &mut OptionDoc, names: Vec<String>, from: &OptionDoc) {
    for name in names {
        if !into.names.contains(&name) {
            into.names.push(name);
        }
    }
    if into.value == Arity::None {
        into.value = from.value;
        into.placeholder.clone_from(&from.placeholder);
    }
}

/// Adds lines up to [`KEPT_MAX`] bytes.
pub(super) fn keep(into: &mut String, text: &str) {
    for line in text.lines() {
        let line = single_line(line);
        if line.is_empty() || into.len() + line.len() >= KEPT_MAX {
            continue;
        }
        if !into.is_empty() {
            into.push('\n');
        }
        into.push_str(&line);
    }
}
