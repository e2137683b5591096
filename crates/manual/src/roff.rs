//! Parser that splits the source of a man page into blocks: titles, sections, item headings, paragraphs. It reads
//! the `man` macros and the part of the roff language that pages use for portability (conditions, strings,
//! escapes). It is not a formatter: positions, sizes and tables are dropped.

use std::collections::HashSet;

use super::escapes::{CLOSE, Escapes, GLUE, OPEN, plain, set};
use super::mdoc;
use super::words::beginning;

/// Maximum number of bytes read of a page; the largest known pages are half as long.
const SOURCE_MAX: usize = 4 << 20;
/// Maximum number of physical lines in one logical line.
const CONTINUED_MAX: usize = 64;
/// Maximum number of macros defined by a page.
const MACROS_MAX: usize = 512;
/// Maximum depth of nested conditions on one line, and maximum number of pending `.ie` results.
const NESTING_MAX: usize = 4;
const CONDITIONS_MAX: usize = 512;
/// Maximum length, in bytes, of a paragraph that may become the heading of an indented text below it.
const HEADING_MAX: usize = 300;

/// A block of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// Arguments of the title line: name, section, date, source, manual.
    Title(Vec<String>),
    Section(String),
    Subsection(String),
    /// Heading of an item; `joined` if it is another form of the heading before it.
    Tag {
        text: String,
        joined: bool,
    },
    /// Running text; one line for each forced break.
    Paragraph(String),
    /// Unformatted lines.
    Verbatim(String),
}

/// Returns the blocks of a page in order.
pub(super) fn blocks(source: &str) -> Vec<Block> {
    let source = beginning(source, SOURCE_MAX);
    let mut reader = RoffReader::default();
    if is_mdoc(source) {
        reader.mdoc = Some(mdoc::MdocState::default());
    }
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        match line.strip_suffix('\\') {
            Some(start) if !start.ends_with('\\') => {
                let mut whole = start.to_owned();
                for _ in 0..CONTINUED_MAX {
                    let Some(line) = lines.next() else { break };
                    match line.strip_suffix('\\') {
                        Some(more) if !more.ends_with('\\') => whole.push_str(more),
                        _ => {
                            whole.push_str(line);
                            break;
                        }
                    }
                }
                reader.line(&whole);
            }
            _ => reader.line(line),
        }
    }
    reader.finish()
}

/// Returns the page that this one redirects to: the argument of a leading `.so`.
pub(super) fn redirect(source: &str) -> Option<&str> {
    let line = source.lines().map(str::trim).find(|line| {
        !line.is_empty() && !line.starts_with(".\\\"") && !line.starts_with("'\\\"") && *line != "."
    })?;
    let path = line.strip_prefix(".so")?;
    path.starts_with([' ', '\t']).then(|| path.trim()).filter(|path| !path.is_empty())
}

fn is_mdoc(source: &str) -> bool {
    source.lines().any(|line| line.starts_with(".Dd") || line.starts_with(".Sh"))
}

/// Splits macro arguments at blanks; double quotes group words, and a doubled quote inside is a literal one.
pub(super) fn arguments(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|c| *c == ' ' || *c == '\t').is_some() {}
        let Some(&first) = chars.peek() else { return all };
        let mut word = String::new();
        if first == '"' {
            chars.next();
            while let Some(c) = chars.next() {
                match c {
                    '"' if chars.next_if_eq(&'"').is_some() => word.push('"'),
                    '"' => break,
                    _ => word.push(c),
                }
            }
        } else {
            while let Some(c) = chars.next_if(|c| *c != ' ' && *c != '\t') {
                word.push(c);
                if c == '\\' {
                    // An escaped blank belongs to the word; an escaped quote starts a comment.
                    match chars.next() {
                        Some('"') => {
                            word.pop();
                            if !word.is_empty() {
                                all.push(word);
                            }
                            return all;
                        }
                        Some(next) => word.push(next),
                        None => {}
                    }
                }
            }
        }
        all.push(word);
    }
}

#[derive(Debug, Default)]
pub(super) struct RoffReader {
    blocks: Vec<Block>,
    /// The current paragraph or verbatim text.
    buffer: String,
    verbatim: bool,
    /// `Some` if the next text is an item's heading; the value is `true` if it joins the heading before.
    tag: Option<bool>,
    /// `true` if the paragraph began directly before: indented text next belongs to it.
    heads: bool,
    /// `true` if the line before ended in `\c`.
    glued: bool,
    /// `true` if the next text line is italic: `.I` without arguments.
    italic_line: bool,
    strings: Escapes,
    macros: HashSet<String>,
    /// Number of open braces of a false condition.
    skipped: usize,
    /// Text that ends the skipped lines of a definition or table.
    passing: Option<String>,
    /// Results of `.ie` conditions that wait for their `.el`.
    conditions: Vec<bool>,
    mdoc: Option<mdoc::MdocState>,
    /// Depth of nested conditions on the current line.
    depth: usize,
}

impl RoffReader {
    fn line(&mut self, line: &str) {
        if let Some(end) = &self.passing {
            if line.trim_end() == *end || line.split_whitespace().next() == Some(end) {
                self.passing = None;
            }
            return;
        }
        if self.skipped > 0 {
            let (opened, closed) = braces(line);
            self.skipped = (self.skipped + opened).saturating_sub(closed);
            return;
        }
        match line.strip_prefix(['.', '\'']) {
            Some(request) => self.request(request.trim_start()),
            None => self.text_line(line),
        }
    }

    fn request(&mut self, request: &str) {
        let end = request.find([' ', '\t', '\\']).unwrap_or(request.len());
        let (name, rest) = request.split_at_checked(end).unwrap_or((request, ""));
        let rest = rest.trim_start();
        match name {
            "if" => self.condition(rest, false),
            "ie" => self.condition(rest, true),
            "el" => {
                let holds = !self.conditions.pop().unwrap_or(true);
                self.branch(rest, holds);
            }
            "de" | "de1" | "am" | "dei" => {
                let args = arguments(rest);
                if let Some(name) = args.first()
                    && self.macros.len() < MACROS_MAX
                {
                    self.macros.insert(name.clone());
                }
                self.passing = Some(args.get(1).map_or_else(|| "..".to_owned(), |end| format!(".{end}")));
            }
            "ig" => {
                self.passing = Some(arguments(rest).first().map_or("..".to_owned(), |end| format!(".{end}")))
            }
            "TS" => self.passing = Some(".TE".to_owned()),
            "EQ" => self.passing = Some(".EN".to_owned()),
            "ds" | "as" => self.strings.define(rest, name == "as"),
            _ if self.mdoc.is_some() => mdoc::request(self, name, rest),
            _ => self.man(name, rest),
        }
    }

    fn man(&mut self, name: &str, rest: &str) {
        match name {
            "TH" => {
                let title = arguments(rest).iter().map(|arg| plain(&self.text(arg))).collect();
                self.blocks.push(Block::Title(title));
            }
            "SH" => self.heading(rest, Block::Section),
            "SS" => self.heading(rest, Block::Subsection),
            "TP" => self.begin_tag(false),
            "TQ" => self.begin_tag(true),
            "IP" => {
                let first = arguments(rest).into_iter().next();
                self.flush();
                if let Some(tag) = first.map(|tag| self.text(&tag)).filter(|tag| !is_bullet(tag)) {
                    self.blocks.push(Block::Tag { text: tag, joined: false });
                }
            }
            "PP" | "LP" | "P" | "HP" | "sp" | "Sp" | "ti" | "YS" => {
                self.flush();
                self.heads = true;
            }
            // An index entry for tools, not text.
            "IX" => {}
            "br" => self.line_break(),
            "RS" => self.indent(),
            "RE" | "UE" | "ME" => self.flush_unless_link(name),
            "nf" | "EX" | "Vb" | "DS" => self.set_verbatim(true),
            "fi" | "EE" | "Ve" | "DE" => self.set_verbatim(false),
            "B" | "SM" | "SB" | "R" | "I" | "BR" | "RB" | "BI" | "IB" | "IR" | "RI" => {
                self.font_macro(name, rest)
            }
            "ft" => self.italic_line = matches!(rest.trim(), "I" | "2"),
            "SY" => {
                self.flush();
                let text = self.text(rest);
                self.push(&text);
            }
            "OP" => {
                let args: Vec<String> = arguments(rest).iter().map(|arg| self.text(arg)).collect();
                let text = match args.as_slice() {
                    [option] => format!("[{option}]"),
                    [option, value, ..] => format!("[{option} {OPEN}{value}{CLOSE}]"),
                    [] => return,
                };
                self.push(&text);
            }
            // A macro defined by the page: its arguments are text.
            _ if self.macros.contains(name) && !rest.is_empty() => {
                let words: Vec<String> = arguments(rest).iter().map(|arg| self.text(arg)).collect();
                self.push(&words.join(" "));
            }
            _ => {}
        }
    }

    fn flush_unless_link(&mut self, name: &str) {
        if name == "RE" {
            self.flush();
        }
    }

    /// Formats `.BR a b c`, which alternates fonts and joins its arguments, and `.B a b c`, which uses one font and
    /// keeps the blanks.
    fn font_macro(&mut self, name: &str, rest: &str) {
        let args = arguments(rest);
        if args.is_empty() {
            self.italic_line = name == "I";
            return;
        }
        let alternates = name.len() == 2 && !matches!(name, "SM" | "SB");
        let text = if alternates {
            let italics: Vec<bool> = name.chars().map(|font| font == 'I').collect();
            let mut whole = String::new();
            for (index, arg) in args.iter().enumerate() {
                let text = self.text(arg);
                whole.push_str(&set(&text, italics.get(index % 2).copied().unwrap_or_default()));
            }
            whole
        } else {
            let words: Vec<String> = args.iter().map(|arg| self.text(arg)).collect();
            set(&words.join(" "), name == "I")
        };
        self.push(&text);
    }

    fn heading(&mut self, rest: &str, block: fn(String) -> Block) {
        self.set_verbatim(false);
        self.tag = None;
        let words: Vec<String> = arguments(rest).iter().map(|arg| plain(&self.text(arg))).collect();
        self.open_block(block(words.join(" ")));
    }

    pub(super) fn open_block(&mut self, block: Block) {
        self.flush();
        self.blocks.push(block);
        self.heads = true;
    }

    pub(super) fn begin_tag(&mut self, joined: bool) {
        self.flush();
        self.tag = Some(joined);
    }

    pub(super) fn line_break(&mut self) {
        if !self.buffer.is_empty() && !self.buffer.ends_with('\n') {
            self.buffer.push('\n');
        }
    }

    /// Starts an indented text. A short paragraph directly above is its heading (DocBook and AsciiDoc write items
    /// this way).
    fn indent(&mut self) {
        if self.heads && !self.verbatim && self.buffer.len() <= HEADING_MAX && !self.buffer.is_empty() {
            let text = std::mem::take(&mut self.buffer);
            for (index, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
                self.blocks.push(Block::Tag { text: line.trim().to_owned(), joined: index > 0 });
            }
        } else {
            self.flush();
        }
        self.heads = false;
    }

    pub(super) fn set_verbatim(&mut self, verbatim: bool) {
        if self.verbatim != verbatim {
            self.flush();
            self.verbatim = verbatim;
        }
    }

    pub(super) fn flush(&mut self) {
        self.glued = false;
        self.heads = false;
        let text = std::mem::take(&mut self.buffer);
        if text.trim().is_empty() {
            return;
        }
        self.blocks.push(if self.verbatim {
            Block::Verbatim(text)
        } else {
            Block::Paragraph(text.trim().to_owned())
        });
    }

    fn text_line(&mut self, line: &str) {
        if line.trim().is_empty() {
            if self.verbatim {
                self.buffer.push('\n');
            } else {
                self.flush();
                self.heads = true;
            }
            return;
        }
        let italic = std::mem::take(&mut self.italic_line);
        let text = self.text(line);
        if !self.verbatim && text.starts_with([' ', '\t']) {
            self.line_break();
        }
        self.push(&set(&text, italic));
    }

    /// Appends interpreted text to the item's heading or to the paragraph.
    pub(super) fn push(&mut self, text: &str) {
        let (text, glues) = match text.strip_suffix(GLUE) {
            Some(text) => (text, true),
            None => (text, false),
        };
        let glued = std::mem::replace(&mut self.glued, glues);
        if let Some(joined) = self.tag {
            self.buffer.push_str(text);
            if !glues {
                self.tag = None;
                let text = std::mem::take(&mut self.buffer);
                if !is_bullet(&text) {
                    self.blocks.push(Block::Tag { text, joined });
                }
            }
            return;
        }
        if self.verbatim {
            self.buffer.push_str(text);
            if !glues {
                self.buffer.push('\n');
            }
            return;
        }
        if !self.buffer.is_empty() && !glued && !self.buffer.ends_with('\n') {
            self.buffer.push(' ');
        }
        self.buffer.push_str(text);
    }

    fn finish(mut self) -> Vec<Block> {
        mdoc::finish(&mut self);
        self.flush();
        self.blocks
    }

    fn condition(&mut self, rest: &str, has_else: bool) {
        let (holds, rest) = self.holds(rest);
        if has_else {
            if self.conditions.len() == CONDITIONS_MAX {
                self.conditions.clear();
            }
            self.conditions.push(holds);
        }
        self.branch(rest, holds);
    }

    fn branch(&mut self, rest: &str, holds: bool) {
        let rest = rest.trim_start();
        if holds {
            let rest = rest.strip_prefix("\\{").unwrap_or(rest).trim_start();
            if !rest.is_empty() && self.depth < NESTING_MAX {
                self.depth += 1;
                self.line(rest);
                self.depth -= 1;
            }
        } else {
            let (opened, closed) = braces(rest);
            self.skipped = opened.saturating_sub(closed);
        }
    }

    /// Evaluates a condition for terminal output. Returns the result and the text after the condition.
    fn holds<'a>(&mut self, rest: &'a str) -> (bool, &'a str) {
        let rest = rest.trim_start();
        let (negated, rest) = match rest.strip_prefix('!') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, rest),
        };
        let mut chars = rest.chars();
        let (holds, after) = match chars.next() {
            Some('n' | 'o') => (true, chars.as_str()),
            Some('t' | 'e' | 'v') => (false, chars.as_str()),
            Some('d' | 'r' | 'c' | 'F' | 'S') => {
                let word = chars.as_str().trim_start();
                (false, word.split_once([' ', '\t']).map_or("", |(_, after)| after))
            }
            Some('\'' | '"') => {
                let delimiter = rest.chars().next().unwrap_or('\'');
                let mut parts = chars.as_str().splitn(3, delimiter);
                let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                (self.text(first) == self.text(second), parts.next().unwrap_or_default())
            }
            // A number: only `\n(.g`, "the formatter is groff", counts as true.
            _ => {
                let end = rest.find([' ', '\t']).unwrap_or(rest.len());
                let (number, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                (number.contains("\\n(.g") || number.contains("\\n[.g]") || number == "1", after)
            }
        };
        (holds != negated, after)
    }

    /// Returns the text with its escapes interpreted; see [`Escapes::text`].
    pub(super) fn text(&mut self, raw: &str) -> String {
        self.strings.text(raw)
    }

    pub(super) fn mdoc(&mut self) -> &mut mdoc::MdocState {
        self.mdoc.get_or_insert_default()
    }
}

fn is_bullet(tag: &str) -> bool {
    let tag = plain(tag);
    matches!(tag.trim(), "" | "•" | "*" | "o" | "-" | "·" | "—" | "+")
}

fn braces(line: &str) -> (usize, usize) {
    (line.matches("\\{").count(), line.matches("\\}").count())
}
