//! Interpreter for the macros of mdoc, the language of BSD man pages with semantic markup (`.Fl a` is an option,
//! `.Ar file` a value). Produces the blocks of a page, and the marks of [`escapes`](super::escapes).

use super::block::{Block, PageDraft, arguments};
use super::escapes::{CLOSE, OPEN, plain};

/// Maximum number of open brackets.
const OPEN_MAX: usize = 64;
/// Maximum number of arguments of one macro in a line, and of punctuation marks at the end of a line.
const ARGUMENTS_MAX: usize = 64;
const MARKS_MAX: usize = 8;

/// Interpreter state of a page.
#[derive(Debug, Default)]
pub(super) struct MdocState {
    /// Name of the page, for `.Nm` without an argument.
    name: String,
    /// Heading of an item that continues until `.Xc`.
    heading: Option<OutputLine>,
    /// `true` if words are joined without blanks (`.Sm off`).
    tight: bool,
    section: String,
}

/// A line of output under construction.
#[derive(Debug, Default)]
struct OutputLine {
    text: String,
    /// `true` if the next word follows without a blank.
    glued: bool,
    /// `true` if no word is followed by a blank.
    tight: bool,
    /// Closing brackets still missing at the end of the line.
    owed: Vec<char>,
}

impl OutputLine {
    fn word(&mut self, word: &str) {
        if !self.text.is_empty() && !self.glued && !self.tight && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.glued = false;
    }

    fn open(&mut self, bracket: char) {
        self.word(&bracket.to_string());
        self.glued = true;
    }

    fn close(&mut self, bracket: char) {
        self.text.push(bracket);
        self.glued = false;
    }

    fn settle(&mut self, n_kept: usize) {
        while self.owed.len() > n_kept {
            if let Some(bracket) = self.owed.pop() {
                self.close(bracket);
            }
        }
    }
}

impl MdocState {
    /// Interprets one macro line.
    pub(super) fn request(&mut self, page: &mut PageDraft, name: &str, rest: &str) {
        let words = arguments(rest);
        match name {
            "Dd" | "Dt" | "Os" | "Bk" | "Ek" | "nr" | "in" | "ad" | "hy" | "nh" | "ll" => {}
            "Sh" => {
                self.finish(page);
                page.set_verbatim(false);
                let title = self.join(page, &words);
                self.section = title.to_uppercase();
                page.open_block(Block::Section(title));
            }
            "Ss" => {
                self.finish(page);
                let title = self.join(page, &words);
                page.open_block(Block::Subsection(title));
            }
            "Pp" | "Lp" | "sp" | "Bl" => {
                self.finish(page);
                page.flush();
            }
            "El" => {
                self.finish(page);
                page.flush();
            }
            "br" => page.line_break(),
            "Bd" => {
                let verbatim = words.iter().any(|word| word == "-literal" || word == "-unfilled");
                page.set_verbatim(verbatim);
            }
            "Ed" => page.set_verbatim(false),
            "Sm" => self.tight = words.first().is_some_and(|word| word == "off"),
            "D1" | "Dl" => {
                page.line_break();
                self.set(page, &words);
                page.line_break();
            }
            "It" => {
                self.finish(page);
                page.begin_tag(false);
                let mut line = OutputLine { glued: true, ..OutputLine::default() };
                let open = self.run(page, &mut line, &words);
                if open {
                    self.heading = Some(line);
                } else {
                    line.settle(0);
                    let text = line.text;
                    page.push(&text);
                }
            }
            "Xc" => {
                if let Some(mut line) = self.heading.take() {
                    self.run(page, &mut line, &words);
                    line.settle(0);
                    let text = line.text;
                    page.push(&text);
                }
            }
            "Nd" => {
                let text = format!("- {}", self.join(page, &words));
                page.push(&text);
            }
            "Nm" if self.section == "SYNOPSIS" => {
                page.line_break();
                self.set_macro(page, name, &words);
            }
            _ => self.set_macro(page, name, &words),
        }
    }

    /// Closes a heading that the page left open.
    pub(super) fn finish(&mut self, page: &mut PageDraft) {
        let mut line = self.heading.take();
        if let Some(line) = &mut line {
            line.settle(0);
            page.push(&line.text.clone());
        }
    }

    fn set_macro(&mut self, page: &mut PageDraft, name: &str, words: &[String]) {
        let mut all = vec![name.to_owned()];
        all.extend(words.iter().cloned());
        self.set(page, &all);
    }

    /// Appends a line's words to the open heading or to the paragraph.
    fn set(&mut self, page: &mut PageDraft, words: &[String]) {
        if let Some(mut line) = self.heading.take() {
            self.run(page, &mut line, words);
            self.heading = Some(line);
            return;
        }
        let mut line = OutputLine { glued: true, ..OutputLine::default() };
        self.run(page, &mut line, words);
        line.settle(0);
        let text = line.text;
        page.push(&text);
    }

    fn join(&mut self, page: &mut PageDraft, words: &[String]) -> String {
        let mut line = OutputLine { glued: true, ..OutputLine::default() };
        self.run(page, &mut line, words);
        line.settle(0);
        plain(&line.text)
    }

    /// Interprets the macros and words of a line. Returns `true` if `Xo` leaves it open.
    fn run(&mut self, page: &mut PageDraft, line: &mut OutputLine, words: &[String]) -> bool {
        let mut left_open = false;
        let n_owed = line.owed.len();
        line.tight = self.tight;
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            rest = match word.as_str() {
                "Fl" => flags(page, line, after),
                "Ar" => values(page, line, after),
                "Nm" => self.name(page, line, after),
                "Xr" => reference(line, after),
                "Ns" | "Ap" => {
                    line.glued = true;
                    if word == "Ap" {
                        line.word("'");
                        line.glued = true;
                    }
                    after
                }
                "Pf" => prefix(page, line, after),
                "Xo" | "Xc" => {
                    left_open = word == "Xo";
                    after
                }
                _ => {
                    if let Some((open, close)) = brackets(word) {
                        bracket(line, word, open, close);
                    } else if is_mark(word) && !matches!(word.as_str(), "(" | "[" | "|") {
                        // Punctuation at the end of the line comes after its closing brackets.
                        if after.len() <= MARKS_MAX && after.iter().all(|word| is_mark(word)) {
                            line.settle(n_owed);
                        }
                        line.text.push_str(word);
                        line.glued = false;
                    } else if !is_macro(word) {
                        // A macro that only selects a font is left out: its words follow as plain words.
                        line.word(&page.text(word));
                        line.glued = matches!(word.as_str(), "(" | "[");
                    }
                    after
                }
            };
        }
        if !left_open {
            line.settle(n_owed);
        }
        left_open
    }

    /// Appends the words of `Nm`, or the page's name; the first `Nm` of a page defines it. Returns the words after
    /// them.
    fn name<'w>(&mut self, page: &mut PageDraft, line: &mut OutputLine, words: &'w [String]) -> &'w [String] {
        let (own, after) = own(words);
        if own.is_empty() {
            line.word(&self.name);
        }
        for part in own {
            let text = page.text(part);
            if self.name.is_empty() {
                self.name.clone_from(&text);
            }
            line.word(&text);
        }
        after
    }
}

/// Splits the words after a macro into its own arguments and the rest.
fn own(words: &[String]) -> (&[String], &[String]) {
    let n_own = words.iter().take(ARGUMENTS_MAX).take_while(|word| !is_macro(word) && !is_mark(word)).count();
    words.split_at_checked(n_own).unwrap_or((words, &[]))
}

/// Appends the options of `Fl`. Returns the words after them.
fn flags<'w>(page: &mut PageDraft, line: &mut OutputLine, words: &'w [String]) -> &'w [String] {
    let (own, mut rest) = own(words);
    if own.is_empty() {
        line.word("-");
        // In `Fl Fl long` and `Fl Ns Ar x` the next word joins the dash; a punctuation mark does not.
        line.glued = words.first().is_some_and(|next| !is_mark(next));
    }
    for flag in own {
        line.word(&format!("-{}", page.text(flag)));
    }
    // In `Fl a | b` and `Fl a , b` the words after the mark are options too.
    while let [mark, flag, after @ ..] = rest
        && !own.is_empty()
        && matches!(mark.as_str(), "|" | ",")
        && !is_macro(flag)
        && !is_mark(flag)
    {
        let text = page.text(flag);
        line.word(mark);
        line.word(&format!("-{text}"));
        rest = after;
    }
    rest
}

/// Appends the values of `Ar`. Returns the words after them.
fn values<'w>(page: &mut PageDraft, line: &mut OutputLine, words: &'w [String]) -> &'w [String] {
    let (own, after) = own(words);
    if own.is_empty() {
        line.word(&format!("{OPEN}file{CLOSE} ..."));
    }
    for value in own {
        line.word(&format!("{OPEN}{}{CLOSE}", plain(&page.text(value))));
    }
    after
}

/// Appends the page to which `Xr` refers. Returns the words after it.
fn reference<'w>(line: &mut OutputLine, words: &'w [String]) -> &'w [String] {
    let (own, _) = own(words);
    match own {
        [page, section, ..] => line.word(&format!("{page}({section})")),
        [page] => line.word(page),
        [] => {}
    }
    words.get(own.len().min(2)..).unwrap_or_default()
}

/// Appends the prefix of `Pf`, joined to the next word. Returns the words after it.
fn prefix<'w>(page: &mut PageDraft, line: &mut OutputLine, words: &'w [String]) -> &'w [String] {
    let Some((prefix, after)) = words.split_first() else { return words };
    line.word(&page.text(prefix));
    line.glued = true;
    after
}

/// Appends the opening or closing bracket of a macro.
fn bracket(line: &mut OutputLine, name: &str, open: Option<char>, close: Option<char>) {
    if let Some(open) = open {
        line.open(open);
    }
    match close {
        Some(close) if open.is_none() => line.close(close),
        // `Op` and similar macros end with the line, `Oo` with its `Oc`.
        Some(close) if !name.ends_with('o') && line.owed.len() < OPEN_MAX => line.owed.push(close),
        _ => {}
    }
}

/// Returns the opening and closing character of an enclosing macro: both for one that ends with its line.
fn brackets(word: &str) -> Option<(Option<char>, Option<char>)> {
    Some(match word {
        "Op" | "Bq" => (Some('['), Some(']')),
        "Oo" | "Bo" => (Some('['), None),
        "Oc" | "Bc" => (None, Some(']')),
        "Pq" => (Some('('), Some(')')),
        "Po" => (Some('('), None),
        "Pc" => (None, Some(')')),
        "Brq" => (Some('{'), Some('}')),
        "Bro" => (Some('{'), None),
        "Brc" => (None, Some('}')),
        "Aq" => (Some('<'), Some('>')),
        "Ao" => (Some('<'), None),
        "Ac" => (None, Some('>')),
        "Dq" | "Qq" => (Some('"'), Some('"')),
        "Do" | "Qo" => (Some('"'), None),
        "Dc" | "Qc" => (None, Some('"')),
        "Sq" | "Ql" => (Some('\''), Some('\'')),
        "So" => (Some('\''), None),
        "Sc" => (None, Some('\'')),
        _ => return None,
    })
}

fn is_macro(word: &str) -> bool {
    brackets(word).is_some()
        || matches!(
            word,
            "Fl" | "Ar"
                | "Nm"
                | "Cm"
                | "Ns"
                | "Pf"
                | "Xo"
                | "Xc"
                | "Pa"
                | "Ev"
                | "Ic"
                | "Li"
                | "Em"
                | "Sy"
                | "No"
                | "Tn"
                | "Va"
                | "Vt"
                | "Ad"
                | "Er"
                | "Fa"
                | "Fn"
                | "Ft"
                | "Xr"
                | "Sx"
                | "St"
                | "At"
                | "Bx"
                | "Ux"
                | "Nx"
                | "Fx"
                | "Ox"
                | "Lk"
                | "Mt"
                | "Ms"
                | "Ta"
                | "Ap"
                | "An"
                | "Dv"
                | "Cd"
                | "Lb"
                | "In"
                | "Bf"
                | "Ef"
        )
}

fn is_mark(word: &str) -> bool {
    matches!(word, "." | "," | ":" | ";" | "(" | ")" | "[" | "]" | "?" | "!" | "|")
}
