//! Interpreter for the macros of mdoc, the language of BSD man pages with semantic markup (`.Fl a` is an option,
//! `.Ar file` a value). Produces the blocks and marks of [`roff`](super::roff).

use super::escapes::{CLOSE, OPEN, plain};
use super::roff::{Block, RoffReader, arguments};

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

/// Interprets one macro line.
pub(super) fn request(reader: &mut RoffReader, name: &str, rest: &str) {
    let words = arguments(rest);
    match name {
        "Dd" | "Dt" | "Os" | "Bk" | "Ek" | "nr" | "in" | "ad" | "hy" | "nh" | "ll" => {}
        "Sh" => {
            finish(reader);
            reader.set_verbatim(false);
            let title = join(reader, &words);
            reader.mdoc().section = title.to_uppercase();
            reader.open_block(Block::Section(title));
        }
        "Ss" => {
            finish(reader);
            let title = join(reader, &words);
            reader.open_block(Block::Subsection(title));
        }
        "Pp" | "Lp" | "sp" | "Bl" => {
            finish(reader);
            reader.flush();
        }
        "El" => {
            finish(reader);
            reader.flush();
        }
        "br" => reader.line_break(),
        "Bd" => {
            let verbatim = words.iter().any(|word| word == "-literal" || word == "-unfilled");
            reader.set_verbatim(verbatim);
        }
        "Ed" => reader.set_verbatim(false),
        "Sm" => reader.mdoc().tight = words.first().is_some_and(|word| word == "off"),
        "D1" | "Dl" => {
            reader.line_break();
            set(reader, &words);
            reader.line_break();
        }
        "It" => {
            finish(reader);
            reader.begin_tag(false);
            let mut line = OutputLine { glued: true, ..OutputLine::default() };
            let open = run(reader, &mut line, &words);
            if open {
                reader.mdoc().heading = Some(line);
            } else {
                line.settle(0);
                let text = line.text;
                reader.push(&text);
            }
        }
        "Xc" => {
            if let Some(mut line) = reader.mdoc().heading.take() {
                run(reader, &mut line, &words);
                line.settle(0);
                let text = line.text;
                reader.push(&text);
            }
        }
        "Nd" => {
            let text = format!("- {}", join(reader, &words));
            reader.push(&text);
        }
        "Nm" if reader.mdoc().section == "SYNOPSIS" => {
            reader.line_break();
            set_macro(reader, name, &words);
        }
        _ => set_macro(reader, name, &words),
    }
}

/// Closes a heading that the page left open.
pub(super) fn finish(reader: &mut RoffReader) {
    let mut line = reader.mdoc().heading.take();
    if let Some(line) = &mut line {
        line.settle(0);
        reader.push(&line.text.clone());
    }
}

fn set_macro(reader: &mut RoffReader, name: &str, words: &[String]) {
    let mut all = vec![name.to_owned()];
    all.extend(words.iter().cloned());
    set(reader, &all);
}

/// Appends a line's words to the open heading or to the paragraph.
fn set(reader: &mut RoffReader, words: &[String]) {
    if let Some(mut line) = reader.mdoc().heading.take() {
        run(reader, &mut line, words);
        reader.mdoc().heading = Some(line);
        return;
    }
    let mut line = OutputLine { glued: true, ..OutputLine::default() };
    run(reader, &mut line, words);
    line.settle(0);
    let text = line.text;
    reader.push(&text);
}

fn join(reader: &mut RoffReader, words: &[String]) -> String {
    let mut line = OutputLine { glued: true, ..OutputLine::default() };
    run(reader, &mut line, words);
    line.settle(0);
    plain(&line.text)
}

/// Interprets the macros and words of a line. Returns `true` if `Xo` leaves it open.
fn run(reader: &mut RoffReader, line: &mut OutputLine, words: &[String]) -> bool {
    let mut left_open = false;
    let mut index = 0;
    let n_owed = line.owed.len();
    line.tight = reader.mdoc().tight;
    while let Some(word) = words.get(index) {
        index += 1;
        let arguments = words.get(index..).unwrap_or_default();
        let n_own =
            arguments.iter().take(ARGUMENTS_MAX).take_while(|word| !is_macro(word) && !is_mark(word)).count();
        let own = arguments.get(..n_own).unwrap_or_default();
        match word.as_str() {
            "Fl" => {
                if own.is_empty() {
                    line.word("-");
                    // In `Fl Fl long` and `Fl Ns Ar x` the next word joins the dash; a punctuation mark does not.
                    line.glued = arguments.first().is_some_and(|next| !is_mark(next));
                }
                for flag in own {
                    let text = reader.text(flag);
                    line.word(&format!("-{text}"));
                }
                index += n_own;
                // In `Fl a | b` and `Fl a , b` the words after the mark are options too.
                while let [mark, flag, ..] = words.get(index..).unwrap_or_default()
                    && !own.is_empty()
                    && matches!(mark.as_str(), "|" | ",")
                    && !is_macro(flag)
                    && !is_mark(flag)
                {
                    let text = reader.text(flag);
                    line.word(mark);
                    line.word(&format!("-{text}"));
                    index += 2;
                }
            }
            "Ar" => {
                if own.is_empty() {
                    line.word(&format!("{OPEN}file{CLOSE} ..."));
                }
                for value in own {
                    let text = plain(&reader.text(value));
                    line.word(&format!("{OPEN}{text}{CLOSE}"));
                }
                index += n_own;
            }
            "Nm" => {
                if own.is_empty() {
                    let name = reader.mdoc().name.clone();
                    line.word(&name);
                } else {
                    for part in own {
                        let text = reader.text(part);
                        if reader.mdoc().name.is_empty() {
                            reader.mdoc().name.clone_from(&text);
                        }
                        line.word(&text);
                    }
                    index += n_own;
                }
            }
            "Xr" => {
                match own {
                    [page, section, ..] => line.word(&format!("{page}({section})")),
                    [page] => line.word(page),
                    [] => {}
                }
                index += n_own.min(2);
            }
            "Ns" | "Ap" => {
                line.glued = true;
                if word == "Ap" {
                    line.word("'");
                    line.glued = true;
                }
            }
            "Pf" => {
                if let Some(prefix) = arguments.first() {
                    let text = reader.text(prefix);
                    line.word(&text);
                    line.glued = true;
                    index += 1;
                }
            }
            "Xo" => left_open = true,
            "Xc" => left_open = false,
            _ => {
                if let Some((open, close)) = brackets(word) {
                    if let Some(open) = open {
                        line.open(open);
                    }
                    match close {
                        Some(close) if open.is_none() => line.close(close),
                        // `Op` and similar macros end with the line, `Oo` with its `Oc`.
                        Some(close) if !word.ends_with('o') && line.owed.len() < OPEN_MAX => {
                            line.owed.push(close)
                        }
                        _ => {}
                    }
                } else if is_macro(word) {
                    // A macro that only selects a font: its words follow as plain words.
                } else if is_mark(word) && !matches!(word.as_str(), "(" | "[" | "|") {
                    // Punctuation at the end of the line comes after its closing brackets.
                    if arguments.len() <= MARKS_MAX && arguments.iter().all(|word| is_mark(word)) {
                        line.settle(n_owed);
                    }
                    line.text.push_str(word);
                    line.glued = false;
                } else {
                    let text = reader.text(word);
                    line.word(&text);
                    line.glued = matches!(word.as_str(), "(" | "[");
                }
            }
        }
    }
    if !left_open {
        line.settle(n_owed);
    }
    left_open
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
