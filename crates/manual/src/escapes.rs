//! Interpreter for roff escapes, such as `\fB\-o\fR`, and for the strings that a page defines.

use std::collections::HashMap;

/// Maximum number of strings defined by a page, and maximum bytes of each.
const STRINGS_MAX: usize = 512;
const STRING_MAX: usize = 1024;
/// Maximum nesting of strings, and maximum bytes inserted in one page: together they bound the growth of a page.
const NESTING_MAX: usize = 4;
const INSERTED_MAX: usize = 1 << 20;

/// Marks around a placeholder: text set in italics. A page cannot contain these characters itself.
pub(super) const OPEN: char = '\u{2}';
pub(super) const CLOSE: char = '\u{3}';

/// Mark at the end of a text: the next text is joined without a blank.
pub(super) const GLUE: char = '\u{4}';

/// The strings of a page, and the number of bytes inserted so far.
#[derive(Debug, Default)]
pub(super) struct Escapes {
    strings: HashMap<String, String>,
    inserted: usize,
}

impl Escapes {
    /// Defines a string of the page: `name value`.
    pub(super) fn define(&mut self, rest: &str, append: bool) {
        let (name, value) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let value = value.trim_start();
        let value = value.strip_prefix('"').unwrap_or(value);
        if self.strings.len() >= STRINGS_MAX && !self.strings.contains_key(name) || value.len() > STRING_MAX {
            return;
        }
        let kept = self.strings.entry(name.to_owned()).or_default();
        if !append {
            kept.clear();
        }
        if kept.len() + value.len() <= STRING_MAX {
            kept.push_str(value);
        }
    }

    /// Returns the text with its escapes interpreted; italics between [`OPEN`] and [`CLOSE`]; [`GLUE`] at the end
    /// after `\c`.
    pub(super) fn text(&mut self, raw: &str) -> String {
        let mut out = Out::default();
        self.escapes(raw, &mut out, 0);
        out.italic(false);
        out.text
    }

    fn escapes(&mut self, raw: &str, out: &mut Out, depth: usize) {
        let mut chars = raw.chars();
        while let Some(c) = chars.next() {
            if c != '\\' {
                out.put(c);
                continue;
            }
            let Some(escape) = chars.next() else { return };
            match escape {
                '"' | '#' => return,
                'f' => match name(&mut chars) {
                    "I" | "2" | "CI" | "BI" | "4" => out.italic(true),
                    "P" | "" => out.italic(out.was_italic),
                    _ => out.italic(false),
                },
                'F' | 'm' | 'M' | 'g' | 'k' | 'V' | 'Y' | 'O' => {
                    name(&mut chars);
                }
                'n' => {
                    skip_if(&mut chars, |c| c == '+' || c == '-');
                    name(&mut chars);
                }
                's' => size(&mut chars),
                '*' => {
                    let name = name(&mut chars);
                    match self.strings.get(name).cloned() {
                        Some(value) if depth < NESTING_MAX && self.inserted + value.len() <= INSERTED_MAX => {
                            self.inserted += value.len().max(1);
                            self.escapes(&value, out, depth + 1);
                        }
                        None if matches!(name, "lq" | "rq") => out.put('"'),
                        _ => {}
                    }
                }
                '(' => {
                    let rest = chars.as_str();
                    let end = rest.char_indices().nth(2).map_or(rest.len(), |(index, _)| index);
                    let (special, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                    chars = after.chars();
                    character(special, out);
                }
                '[' => {
                    let (special, after) = chars.as_str().split_once(']').unwrap_or((chars.as_str(), ""));
                    chars = after.chars();
                    character(special, out);
                }
                'C' => character(quoted(&mut chars), out),
                'o' => {
                    if let Some(first) = quoted(&mut chars).chars().next() {
                        out.put(first);
                    }
                }
                'h' => {
                    quoted(&mut chars);
                    out.put(' ');
                }
                'v' | 'w' | 'l' | 'L' | 'D' | 'x' | 'N' | 'A' | 'b' | 'X' | 'Z' | 'H' | 'S' | 'R' | 'B' => {
                    quoted(&mut chars);
                }
                'z' | '$' => {
                    chars.next();
                }
                'e' | '\\' => out.put('\\'),
                ' ' | '~' | '0' => out.put(' '),
                't' => out.put('\t'),
                'c' => {
                    out.italic(false);
                    out.text.push(GLUE);
                    return;
                }
                '&' | '%' | '/' | ',' | '|' | '^' | ':' | ')' | '!' | '?' | '{' | '}' | 'd' | 'u' | 'r'
                | 'p' | 'a' => {}
                other => out.put(other),
            }
        }
    }
}

/// Returns the text without the marks.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(*c, OPEN | CLOSE | GLUE)).collect()
}

/// Returns the text, marked as italic if `italic`; blanks at its ends stay outside.
pub(super) fn set(text: &str, italic: bool) -> String {
    if !italic || text.trim().is_empty() || text.contains(OPEN) {
        return text.to_owned();
    }
    let (body, glue) = match text.strip_suffix(GLUE) {
        Some(body) => (body, true),
        None => (text, false),
    };
    let start = body.len() - body.trim_start().len();
    let before = body.get(..start).unwrap_or_default();
    let after = body.get(body.trim_end().len()..).unwrap_or_default();
    let mut whole = format!("{before}{OPEN}{}{CLOSE}{after}", body.trim());
    if glue {
        whole.push(GLUE);
    }
    whole
}

/// Reads the name of a font, string or register: one character, `(xx` or `[…]`.
fn name<'a>(chars: &mut std::str::Chars<'a>) -> &'a str {
    let rest = chars.as_str();
    let mut indices = rest.char_indices();
    let (skip, end) = match indices.next() {
        Some((_, '(')) => (1, rest.char_indices().nth(3).map_or(rest.len(), |(index, _)| index)),
        Some((_, '[')) => {
            let (name, after) = rest.split_once(']').unwrap_or((rest, ""));
            *chars = after.chars();
            return name.strip_prefix('[').unwrap_or(name);
        }
        Some((_, c)) => (0, c.len_utf8()),
        None => return "",
    };
    let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
    *chars = after.chars();
    name.get(skip..).unwrap_or_default()
}

/// Reads the text between two equal delimiters.
fn quoted<'a>(chars: &mut std::str::Chars<'a>) -> &'a str {
    let Some(delimiter) = chars.next() else { return "" };
    let (inside, after) = chars.as_str().split_once(delimiter).unwrap_or((chars.as_str(), ""));
    *chars = after.chars();
    inside
}

fn skip_if(chars: &mut std::str::Chars<'_>, skips: impl Fn(char) -> bool) -> bool {
    let mut ahead = chars.clone();
    let skipped = ahead.next().is_some_and(skips);
    if skipped {
        *chars = ahead;
    }
    skipped
}

/// Skips the argument of `\s`: `0`, `-1`, `12`, `(12`, `[12]`, `'12'`.
fn size(chars: &mut std::str::Chars<'_>) {
    let signed = skip_if(chars, |c| c == '+' || c == '-');
    let mut ahead = chars.clone();
    match ahead.next() {
        Some('(' | '[') => {
            name(chars);
        }
        Some('\'') => {
            quoted(chars);
        }
        Some('1'..='3') if !signed => {
            chars.next();
            skip_if(chars, |c| c.is_ascii_digit());
        }
        Some('0'..='9') => {
            chars.next();
        }
        _ => {}
    }
}

/// Appends the text of `\(xx` and `\[…]`.
fn character(name: &str, out: &mut Out) {
    let text = match name {
        "aq" | "cq" | "oq" | "fm" => "'",
        "lq" | "rq" | "dq" | "Bq" => "\"",
        "hy" | "mi" | "en" | "-" | "u2010" | "u2011" | "u2212" => "-",
        "em" => "—",
        "bu" => "•",
        "co" => "©",
        "ga" => "`",
        "ha" => "^",
        "ti" => "~",
        "rs" => "\\",
        "lB" => "[",
        "rB" => "]",
        "lC" => "{",
        "rC" => "}",
        "la" => "<",
        "ra" => ">",
        "or" | "ba" | "bv" => "|",
        "sl" => "/",
        "at" => "@",
        "sh" => "#",
        "Do" => "$",
        "->" => "→",
        "<=" => "≤",
        ">=" => "≥",
        "mu" => "×",
        "de" => "°",
        _ => {
            let code = name.strip_prefix('u').and_then(|hex| u32::from_str_radix(hex, 16).ok());
            if let Some(c) = code.and_then(char::from_u32) {
                out.put(c);
            }
            return;
        }
    };
    text.chars().for_each(|c| out.put(c));
}

/// The output so far, with the state of italics.
#[derive(Default)]
struct Out {
    text: String,
    now_italic: bool,
    was_italic: bool,
}

impl Out {
    fn italic(&mut self, italic: bool) {
        self.was_italic = self.now_italic;
        if italic != self.now_italic {
            // Empty italics are dropped.
            if !italic && self.text.ends_with(OPEN) {
                self.text.pop();
            } else {
                self.text.push(if italic { OPEN } else { CLOSE });
            }
        }
        self.now_italic = italic;
    }

    fn put(&mut self, c: char) {
        match c {
            '\u{2010}' | '\u{2011}' | '\u{2212}' => self.text.push('-'),
            '\t' => self.text.push(c),
            c if c.is_control() => {}
            c => self.text.push(c),
        }
    }
}
