//! Parser that splits the source of a man page into blocks: titles, sections, item headings, paragraphs. It reads
//! the `man` macros and the part of the roff language that pages use for portability (conditions, strings,
//! escapes). It is not a formatter: positions, sizes and tables are dropped.

use std::collections::HashSet;

use super::block::{Block, PageDraft, arguments};
use super::escapes::{CLOSE, OPEN, set};
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

#[derive(Debug, Default)]
struct RoffReader {
    page: PageDraft,
    /// `true` if the next text line is italic: `.I` without arguments.
    italic_line: bool,
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
            "ds" | "as" => self.page.strings.define(rest, name == "as"),
            _ => match &mut self.mdoc {
                Some(mdoc) => mdoc.request(&mut self.page, name, rest),
                None => self.man(name, rest),
            },
        }
    }

    fn man(&mut self, name: &str, rest: &str) {
        match name {
            "TH" => self.page.title(&arguments(rest)),
            "SH" => self.page.heading(rest, Block::Section),
            "SS" => self.page.heading(rest, Block::Subsection),
            "TP" => self.page.begin_tag(false),
            "TQ" => self.page.begin_tag(true),
            "IP" => {
                let first = arguments(rest).into_iter().next();
                self.page.flush();
                if let Some(tag) = first.map(|tag| self.page.text(&tag)) {
                    self.page.tag(tag, false);
                }
            }
            "PP" | "LP" | "P" | "HP" | "sp" | "Sp" | "ti" | "YS" => self.page.end_paragraph(),
            // An index entry for tools, not text.
            "IX" | "UE" | "ME" => {}
            "br" => self.page.line_break(),
            "RS" => self.page.indent(),
            "RE" => self.page.flush(),
            "nf" | "EX" | "Vb" | "DS" => self.page.set_verbatim(true),
            "fi" | "EE" | "Ve" | "DE" => self.page.set_verbatim(false),
            "B" | "SM" | "SB" | "R" | "I" | "BR" | "RB" | "BI" | "IB" | "IR" | "RI" => {
                self.font_macro(name, rest)
            }
            "ft" => self.italic_line = matches!(rest.trim(), "I" | "2"),
            "SY" => {
                self.page.flush();
                let text = self.page.text(rest);
                self.page.push(&text);
            }
            "OP" => {
                let args: Vec<String> = arguments(rest).iter().map(|arg| self.page.text(arg)).collect();
                let text = match args.as_slice() {
                    [option] => format!("[{option}]"),
                    [option, value, ..] => format!("[{option} {OPEN}{value}{CLOSE}]"),
                    [] => return,
                };
                self.page.push(&text);
            }
            // A macro defined by the page: its arguments are text.
            _ if self.macros.contains(name) && !rest.is_empty() => {
                let words: Vec<String> = arguments(rest).iter().map(|arg| self.page.text(arg)).collect();
                self.page.push(&words.join(" "));
            }
            _ => {}
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
                let text = self.page.text(arg);
                whole.push_str(&set(&text, italics.get(index % 2).copied().unwrap_or_default()));
            }
            whole
        } else {
            let words: Vec<String> = args.iter().map(|arg| self.page.text(arg)).collect();
            set(&words.join(" "), name == "I")
        };
        self.page.push(&text);
    }

    fn text_line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return self.page.blank_line();
        }
        let italic = std::mem::take(&mut self.italic_line);
        self.page.text_line(line, italic);
    }

    fn finish(mut self) -> Vec<Block> {
        if let Some(mdoc) = &mut self.mdoc {
            mdoc.finish(&mut self.page);
        }
        self.page.finish()
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
                (self.page.text(first) == self.page.text(second), parts.next().unwrap_or_default())
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
}

fn braces(line: &str) -> (usize, usize) {
    (line.matches("\\{").count(), line.matches("\\}").count())
}
