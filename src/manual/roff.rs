//! A man page's source as blocks: titles, sections, item headings, paragraphs. Reads the `man` macros and as much of the
//! formatter's language as pages use to be portable (conditions, strings, escapes). Not a formatter: positions, sizes
//! and tables are dropped.

use std::collections::HashSet;

use super::escapes::{CLOSE, Escapes, GLUE, OPEN, plain, set};
use super::mdoc;
use super::words::beginning;

/// Bytes of a page that are read; the largest known pages are half as long.
const SOURCE_MAX: usize = 4 << 20;
/// Lines that one logical line may be continued over.
const CONTINUED_MAX: usize = 64;
/// Macros that a page may define.
const MACROS_MAX: usize = 512;
/// Conditions inside each other: on one line, and in all.
const NESTING_MAX: usize = 4;
const CONDITIONS_MAX: usize = 512;
/// Longest paragraph that may turn out to be the heading of what is indented below it, bytes.
const HEADING_MAX: usize = 300;

/// A piece of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// Arguments of the title line: name, section, date, source, manual.
    Title(Vec<String>),
    Section(String),
    Subsection(String),
    /// The heading of an item; `joined` when it is another form of the heading before it.
    Tag {
        text: String,
        joined: bool,
    },
    /// Running text; a line for each forced break.
    Paragraph(String),
    /// Lines as they stand.
    Verbatim(String),
}

/// The page's blocks in order.
pub(super) fn blocks(source: &str) -> Vec<Block> {
    let source = beginning(source, SOURCE_MAX);
    let mut reader = Reader::default();
    if is_mdoc(source) {
        reader.mdoc = Some(mdoc::State::default());
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

/// The page that this one stands for: the argument of a leading `.so`.
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

/// Splits macro arguments at blanks; double quotes group, and are doubled inside.
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
                    // An escaped blank belongs to the word; an escaped quote begins a comment.
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
pub(super) struct Reader {
    blocks: Vec<Block>,
    /// The paragraph or verbatim text under way.
    buffer: String,
    verbatim: bool,
    /// The next text is an item's heading; whether it joins the heading before.
    tag: Option<bool>,
    /// The paragraph began right here, so what is indented next belongs to it.
    heads: bool,
    /// The line before ended in `\c`.
    glued: bool,
    /// Font of the next text line: `.I` without arguments.
    italic_line: bool,
    strings: Escapes,
    macros: HashSet<String>,
    /// Open braces of a condition that does not hold.
    skipped: usize,
    /// What ends the lines passed over: a definition, a table.
    passing: Option<String>,
    /// The answer to the `.ie` that an `.el` refers to.
    conditions: Vec<bool>,
    mdoc: Option<mdoc::State>,
    /// Conditions being carried out inside each other, on one line.
    depth: usize,
}

impl Reader {
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
            // A macro of the page's own: what it is given is text.
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

    /// `.BR a b c` sets its arguments in turns and joins them; `.B a b c` sets all in one font and keeps the blanks.
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

    /// What comes is indented: a short paragraph right above is its heading (DocBook and AsciiDoc write items this way).
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

    /// Adds text that is set already to the item's heading or to the paragraph.
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

    /// Whether a condition holds for a terminal, and what follows it.
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

    /// Text with its escapes carried out; see [`Escapes::text`].
    pub(super) fn text(&mut self, raw: &str) -> String {
        self.strings.text(raw)
    }

    pub(super) fn mdoc(&mut self) -> &mut mdoc::State {
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
