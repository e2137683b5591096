//! Blocks of a man page, and the page while the macros of its source are read.

use super::escapes::{Escapes, GLUE, plain, set};

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

/// A page whose source is read: its blocks so far and its strings.
#[derive(Debug, Default)]
pub(super) struct PageDraft {
    blocks: Vec<Block>,
    /// The current paragraph or verbatim text.
    buffer: String,
    verbatim: bool,
    /// `Some` if the next text is an item's heading; the value is `true` if it joins the heading before.
    open_tag: Option<bool>,
    /// `true` if the paragraph began directly before: indented text next belongs to it.
    heads: bool,
    /// `true` if the line before ended in `\c`.
    glued: bool,
    pub(super) strings: Escapes,
}

impl PageDraft {
    /// Adds the title line.
    pub(super) fn title(&mut self, words: &[String]) {
        let title = words.iter().map(|word| plain(&self.text(word))).collect();
        self.blocks.push(Block::Title(title));
    }

    /// Starts a section or subsection.
    pub(super) fn open_block(&mut self, block: Block) {
        self.flush();
        self.blocks.push(block);
        self.heads = true;
    }

    /// Makes the next text an item's heading.
    pub(super) fn begin_tag(&mut self, joined: bool) {
        self.flush();
        self.open_tag = Some(joined);
    }

    /// Adds the heading of an item.
    pub(super) fn tag(&mut self, text: String, joined: bool) {
        if !is_bullet(&text) {
            self.blocks.push(Block::Tag { text, joined });
        }
    }

    /// Ends the paragraph; the next one may become the heading of the indented text below it.
    pub(super) fn end_paragraph(&mut self) {
        self.flush();
        self.heads = true;
    }

    pub(super) fn line_break(&mut self) {
        if !self.buffer.is_empty() && !self.buffer.ends_with('\n') {
            self.buffer.push('\n');
        }
    }

    /// Starts an indented text. A short paragraph directly above is its heading (DocBook and AsciiDoc write items
    /// this way).
    pub(super) fn indent(&mut self) {
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

    /// Appends interpreted text to the item's heading or to the paragraph.
    pub(super) fn push(&mut self, text: &str) {
        let (text, glues) = match text.strip_suffix(GLUE) {
            Some(text) => (text, true),
            None => (text, false),
        };
        let glued = std::mem::replace(&mut self.glued, glues);
        if let Some(joined) = self.open_tag {
            self.buffer.push_str(text);
            if !glues {
                self.open_tag = None;
                let text = std::mem::take(&mut self.buffer);
                self.tag(text, joined);
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

    /// Appends a line of text, italic if `italic`.
    pub(super) fn text_line(&mut self, line: &str, italic: bool) {
        let text = self.text(line);
        if !self.verbatim && text.starts_with([' ', '\t']) {
            self.line_break();
        }
        self.push(&set(&text, italic));
    }

    /// Appends an empty line.
    pub(super) fn blank_line(&mut self) {
        if self.verbatim { self.buffer.push('\n') } else { self.end_paragraph() }
    }

    /// Starts a section or subsection with this title, even if an item's heading is missing.
    pub(super) fn heading(&mut self, title: &str, block: fn(String) -> Block) {
        self.set_verbatim(false);
        self.open_tag = None;
        let words: Vec<String> = arguments(title).iter().map(|word| plain(&self.text(word))).collect();
        self.open_block(block(words.join(" ")));
    }

    /// Ends the page and returns its blocks.
    pub(super) fn finish(mut self) -> Vec<Block> {
        self.flush();
        self.blocks
    }

    /// Returns the text with its escapes interpreted; see [`Escapes::text`].
    pub(super) fn text(&mut self, raw: &str) -> String {
        self.strings.text(raw)
    }
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

fn is_bullet(tag: &str) -> bool {
    let tag = plain(tag);
    matches!(tag.trim(), "" | "•" | "*" | "o" | "-" | "·" | "—" | "+")
}
