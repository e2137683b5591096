//! Classifies the words of a command as options, option values, operands or subcommands, and looks up each option at
//! its level. The rules against false alarms are in this module; `flags` turns the result into findings.

use std::cell::Cell;
use std::sync::Arc;

use super::level::{Level, MIN_OPTIONS, OptionStatus};
use super::tools::{TOOLS, base, is_find, lists};
use super::{ReportDraft, nearest};
use crate::reference::{CommandFacts, Reference};
use askline_manual::{Arity, OptionStyle};
use askline_syntax::options;
use askline_syntax::{SimpleCommand, Span, Word};

/// Maximum number of words examined per command; a line has at most a few dozen.
const MAX_WORDS: usize = 2048;
/// Maximum number of letters examined per word.
const MAX_LETTERS: usize = 64;
/// Maximum number of options per line for which the nearest name is searched.
pub(super) const MAX_GUESSES: usize = 16;
/// Minimum length of a stray subcommand, in bytes. A shorter word is more likely an alias of the user (`git lg`) than
/// a typo.
const MIN_STRAY_BYTES: usize = 4;

/// The classified words of a command.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Options in order; each letter of a cluster is a separate entry.
    pub(super) uses: Vec<Use>,
    /// Indices of the words that are surely operands.
    pub(super) operands: Vec<usize>,
    /// Indices of option values that are separate words, each with its option.
    pub(super) values: Vec<(usize, String)>,
    /// A word in the position of a subcommand that is not one, with the likely intended subcommand.
    pub(super) stray: Option<StrayWord>,
}

/// A word that is not a subcommand, given to a command that has subcommands.
#[derive(Debug)]
pub(super) struct StrayWord {
    /// Index of the word.
    pub(super) index: usize,
    /// The command words before it.
    pub(super) command: String,
    /// The nearest subcommand.
    pub(super) nearest: String,
    /// `true` if the typo is so clear that no confirmation is needed.
    pub(super) is_slip: bool,
    /// Documentation of the command.
    pub(super) known: Arc<CommandFacts>,
}

/// A use of an option in a command.
#[derive(Debug)]
pub(super) struct Use {
    /// Byte range in the line; the whole word if quotes hide the position of a letter.
    pub(super) span: Span,
    /// The option written separately: `-x`, `--color`.
    pub(super) option: String,
    /// The command and the subcommands of its level.
    pub(super) command: Vec<String>,
    /// Documentation of that level.
    pub(super) known: Arc<CommandFacts>,
    /// Result of the lookup.
    pub(super) standing: OptionStatus,
    /// The documented option that was likely meant, and the span to replace.
    pub(super) nearest: Option<(Span, String)>,
}

/// Classifies the words of a command with a known name.
pub(super) fn walk(command: &SimpleCommand, name: &str, draft: &ReportDraft<'_>) -> Walk {
    let (line, reference) = (draft.line, draft.reference);
    let name = base(name);
    let mut walker = Walker {
        line,
        words: command.words.get(..command.words.len().min(MAX_WORDS)).unwrap_or_default(),
        reference,
        level: Level::top(name, &command.looked_up().unwrap_or_default(), draft),
        guesses_left: &draft.options_left,
        found: Walk::default(),
    };
    if TOOLS.no_options.contains(name) {
        walker.found.operands = (1..walker.words.len()).collect();
    } else if TOOLS.operands.contains(name) {
        walker.operands();
    } else if is_find(name) {
        walker.find();
    } else {
        walker.getopt();
    }
    walker.found
}

struct Walker<'a> {
    line: &'a str,
    words: &'a [Word],
    reference: &'a dyn Reference,
    level: Level,
    guesses_left: &'a Cell<usize>,
    found: Walk,
}

impl Walker<'_> {
    fn getopt(&mut self) {
        let mut index = 1;
        if let Some(word) = self.words.get(1)
            && options::documents_bundle(&self.level.name)
            && word.literal
            && !word.text.is_empty()
            && word.text.chars().all(|letter| letter.is_ascii_alphabetic())
        {
            index = self.old_bundle(word);
        }
        while let Some(word) = self.words.get(index) {
            index += 1;
            let Some(beginning) = literal_beginning(word) else {
                // The word may be the operand that ends the options.
                if options::stops(&self.level.name) {
                    return;
                }
                continue;
            };
            if beginning == "--" && word.literal {
                self.found.operands.extend(index..self.words.len());
                return;
            }
            if beginning.len() < 2 || !beginning.starts_with('-') {
                if word.text != "-" && beginning.starts_with('-') && !word.literal {
                    continue; // `-$x`
                }
                if self.plus(word, beginning) {
                    continue;
                }
                if !self.operand(index - 1, word) {
                    return;
                }
                continue;
            }
            let Taken { option, next } = self.option(word, beginning);
            if lists(&TOOLS.runs, &self.level.name, &option) {
                index = self.past_run(index);
            } else if next && let Some(word) = self.words.get(index) {
                let is_unsure = self.level.doc(&option).is_some_and(|doc| doc.value == Arity::Unknown);
                // The word may be an option: the documentation does not say whether the previous option takes a
                // value.
                if is_unsure && self.may_be_option(word) {
                    continue;
                }
                self.found.values.push((index, option.clone()));
                // If it is not a value but an operand, the following words belong to the command it names.
                self.level.lost |= options::stops(&self.level.name);
                index += 1;
            }
            if options::ends(&self.level.name, &option) {
                return;
            }
        }
    }

    /// Reports whether a word after an option of unknown arity looks like an option.
    fn may_be_option(&self, word: &Word) -> bool {
        word.text.len() > 1 && word.text.starts_with('-')
    }

    /// Handles an operand; returns `false` if the following words belong to another program.
    fn operand(&mut self, index: usize, word: &Word) -> bool {
        let is_subcommand = word.literal
            && !self.level.last
            && self.level.leads_on()
            && self.level.descend(&word.text, self.reference);
        if is_subcommand {
            return true;
        }
        self.note_stray(index, word);
        let is_flat = TOOLS.flat.contains(&self.level.name);
        self.level.lost |= !self.level.last && self.level.leads_on() && !is_flat;
        self.level.last = true;
        self.found.operands.push(index);
        !options::stops(&self.level.name)
    }

    /// Accepts `+x` if it is a documented option.
    fn plus(&mut self, word: &Word, text: &str) -> bool {
        if !text.starts_with('+') || self.level.doc(text).is_none() {
            return false;
        }
        self.push(word.span.clone(), text, OptionStatus::Documented(String::new()), None);
        true
    }

    /// Records a word that was likely meant as a subcommand.
    fn note_stray(&mut self, index: usize, word: &Word) {
        let level = &self.level;
        let expects = level.style() == OptionStyle::Subcommands
            || level.words.len() == 1 && TOOLS.flat.contains(&level.name);
        if level.last
            || !expects
            || !word.literal
            || word.text.len() < MIN_STRAY_BYTES
            || TOOLS.open.contains(&level.name)
        {
            return;
        }
        let Some(manual) = &level.known.manual else { return };
        let names = manual.subcommands.iter().map(|sub| sub.name.as_str());
        if let Some(nearest) = nearest::clear(&word.text, names) {
            self.found.stray = Some(StrayWord {
                index,
                command: level.words.join(" "),
                is_slip: nearest::is_slip(&word.text, nearest),
                nearest: nearest.to_owned(),
                known: Arc::clone(&level.known),
            });
        }
    }

    fn option(&mut self, word: &Word, text: &str) -> Taken {
        if text.starts_with("--") {
            return self.long(word, text);
        }
        let level = &self.level.name;
        let body = text.strip_prefix('-').unwrap_or(text);
        let as_table = TOOLS.numbers.contains(level) && body.starts_with(|c: char| c.is_ascii_digit())
            || TOOLS.modes.contains(level)
                && body != "R"
                && body.chars().all(|c| "rwxXstugoa+,=-".contains(c))
            || TOOLS.signals.contains(level) && is_signal(body);
        if as_table {
            self.push(word.span.clone(), text, OptionStatus::Documented(String::new()), None);
            return Taken::whole(text);
        }
        if self.level.style() == OptionStyle::LongDash && 1 < body.chars().count() {
            return self.long_dash(word, text);
        }
        self.cluster(word, text, 1)
    }

    fn long(&mut self, word: &Word, text: &str) -> Taken {
        let (name, has_value) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None if word.literal => (text, false),
            // `--$x`, `--name$x`: the end of the name is unknown.
            None => return Taken::whole(text),
        };
        let span = self.part(word, 0, name.len());
        let standing = self.level.standing(name);
        if is_universal(name) && !matches!(standing, OptionStatus::Documented(_)) {
            return Taken::whole(name);
        }
        let nearest = (standing == OptionStatus::Absent).then(|| self.nearest_long(name)).flatten();
        let nearest = nearest.filter(|_| self.is_raw(word, name)).map(|name| (span.clone(), name));
        self.push(span, name, standing, nearest);
        Taken { option: name.to_owned(), next: !has_value && self.takes_next(name) }
    }

    /// Reads the letters of `-abc` from byte `start` on; bundles without a dash start at 0.
    fn cluster(&mut self, word: &Word, text: &str, start: usize) -> Taken {
        // A whole documented name in a tool whose other options are letters: `-iname`.
        let (whole, attached) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (text, false),
        };
        if 2 < whole.len() && (word.literal || attached) && self.level.doc(whole).is_some() {
            let standing = self.level.standing(whole);
            self.push(self.part(word, 0, whole.len()), whole, standing, None);
            return Taken { option: whole.to_owned(), next: !attached && self.takes_next(whole) };
        }
        let mut option = String::new();
        for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < start).take(MAX_LETTERS) {
            option = format!("-{letter}");
            let is_last = at + letter.len_utf8() == text.len();
            let is_alone = start == 1 && at == 1 && is_last;
            let span = self.part(word, if is_alone { 0 } else { at }, at + letter.len_utf8());
            let standing = self.level.standing(&option);
            if !matches!(standing, OptionStatus::Documented(_)) {
                if letter.is_ascii_digit() || letter == '#' || is_universal(&option) && is_alone {
                    return Taken::whole(&option);
                }
                // If the letters may not be separate options, the word counts as one option.
                let is_word = 2 < text.len() && start == 1 && self.level.manuals().next().is_none();
                if is_word || 2 < text.len() && matches!(standing, OptionStatus::Open(_)) {
                    let standing = OptionStatus::Open("it is not known how its options are written");
                    self.push(word.span.clone(), whole, standing, None);
                    return Taken::whole(whole);
                }
                let meant = (word.literal && 3 < text.len()).then(|| format!("-{text}"));
                let meant = meant.filter(|long| self.is_raw(word, text) && self.level.doc(long).is_some());
                let nearest = meant.map(|long| (word.span.clone(), long));
                self.push(span, &option, standing, nearest);
                return Taken::whole(&option);
            }
            self.push(span, &option, standing, None);
            let arity = self.level.doc(&option).map_or(Arity::None, |doc| doc.value);
            match arity {
                Arity::None => {}
                Arity::Required => {
                    return Taken { option, next: is_last && word.literal };
                }
                Arity::Optional | Arity::Attached => return Taken::whole(&option),
                Arity::Unknown if is_last => {
                    let next = word.literal && self.takes_next(&option);
                    return Taken { option, next };
                }
                Arity::Unknown => {
                    // The rest is the value unless all its letters are options.
                    let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
                    if !rest.chars().all(|c| self.level.doc(&format!("-{c}")).is_some()) {
                        return Taken::whole(&option);
                    }
                }
            }
        }
        Taken::whole(&option)
    }

    /// Reads `-name` of tools with whole names behind one dash; a value may follow as `=value`, `:value` or directly.
    fn long_dash(&mut self, word: &Word, text: &str) -> Taken {
        let name = text.split(['=', ':']).next().unwrap_or(text);
        if self.level.doc(name).is_some() {
            let standing = self.level.standing(name);
            let next = name.len() == text.len() && word.literal && self.takes_next(name);
            self.push(self.part(word, 0, name.len()), name, standing, None);
            return Taken { option: name.to_owned(), next };
        }
        let letter: String = text.chars().take(2).collect();
        let with_value = self.level.doc(&letter).filter(|doc| doc.value != Arity::None);
        let standing = match with_value {
            Some(doc) => OptionStatus::Documented(doc.text.clone()),
            None => OptionStatus::Open("its options can't be distinguished from letters"),
        };
        self.push(word.span.clone(), name, standing, None);
        Taken::whole(name)
    }

    /// Reads tar's first word without a dash; returns the index of the next word.
    fn old_bundle(&mut self, word: &Word) -> usize {
        let mut next = 2;
        for (at, letter) in word.text.char_indices().take(MAX_LETTERS) {
            let option = format!("-{letter}");
            let standing = self.level.standing(&option);
            self.push(self.part(word, at, at + 1), &option, standing, None);
            if self.level.doc(&option).is_some_and(|doc| doc.value == Arity::Required) {
                self.found.values.push((next, option));
                next += 1;
            }
        }
        self.level.last = true;
        next
    }

    fn operands(&mut self) {
        let is_key = |name: &&str| name.trim_end_matches('=').chars().all(char::is_alphanumeric);
        let key = |name: &str| name.split('=').next().unwrap_or(name).to_owned();
        let keys: Vec<String> = self
            .level
            .names()
            .filter(|name| is_key(&name.split('=').next().unwrap_or(name)))
            .map(key)
            .collect();
        for (index, word) in self.words.iter().enumerate().skip(1) {
            let Some((name, _)) = literal_beginning(word).and_then(|text| text.split_once('=')) else {
                self.found.operands.push(index);
                continue;
            };
            let standing = if keys.iter().any(|documented| documented == name) {
                OptionStatus::Documented(String::new())
            } else if keys.len() < MIN_OPTIONS {
                OptionStatus::Doubtful("its documentation names too few operands")
            } else {
                OptionStatus::Absent
            };
            let nearest = nearest::clear(name, keys.iter().map(String::as_str));
            let span = self.part(word, 0, name.len());
            let nearest = nearest.filter(|_| standing == OptionStatus::Absent && self.is_raw(word, name));
            let nearest = nearest.map(|key| (span.clone(), key.to_owned()));
            self.push(span, &format!("{name}="), standing, nearest);
        }
    }

    fn find(&mut self) {
        let find = &TOOLS.find;
        let mut index = 1;
        let mut in_expression = false;
        while let Some(word) = self.words.get(index) {
            index += 1;
            let text = word.text.as_str();
            if !word.literal || text == "--" {
                continue;
            }
            if find.operators.contains(text) {
                in_expression = true;
                if text.starts_with('-') {
                    self.push(word.span.clone(), text, OptionStatus::Documented(String::new()), None);
                }
                continue;
            }
            if !text.starts_with('-') || text == "-" {
                if !in_expression {
                    self.found.operands.push(index - 1);
                }
                continue;
            }
            let is_option = find.options_without.contains(text) || find.options_with.contains(text);
            in_expression |= !is_option;
            let by_form = is_newer(text) || is_optimisation(text);
            let standing = if by_form {
                OptionStatus::Documented(String::new())
            } else if is_universal(text) && self.level.doc(text).is_none() {
                continue;
            } else {
                self.level.standing(text)
            };
            let nearest = (standing == OptionStatus::Absent).then(|| self.nearest_long(text)).flatten();
            let nearest = nearest.filter(|_| self.is_raw(word, text)).map(|name| (word.span.clone(), name));
            self.push(word.span.clone(), text, standing, nearest);
            if find.runs.contains(text) {
                index = self.past_run(index);
            } else if find.with_one.contains(text) || find.options_with.contains(text) || is_newer(text) {
                self.found.values.push((index, text.to_owned()));
                index += 1;
            } else if find.with_two.contains(text) {
                index += 2;
            }
        }
    }

    /// Returns the index after the `;` or `+` that ends an embedded command.
    fn past_run(&self, start: usize) -> usize {
        let mut index = start;
        while let Some(word) = self.words.get(index) {
            index += 1;
            // The parser may have moved the words between into a separate command.
            let before = self.words.get(index.wrapping_sub(2)).filter(|_| start < index - 1);
            let ends_batch = word.text == "+" && before.is_none_or(|before| before.text == "{}");
            if word.text == ";" || word.text == "\\;" || ends_batch {
                break;
            }
        }
        index
    }

    /// Reports whether the next word is the option's value. If the arity is unknown, it is, unless the word could be
    /// the operand that ends the options or a subcommand.
    fn takes_next(&self, option: &str) -> bool {
        match self.level.doc(option).map(|doc| doc.value) {
            Some(Arity::Required) => true,
            Some(Arity::Unknown) => !self.level.leads_on() && !options::stops(&self.level.name),
            _ => false,
        }
    }

    fn nearest_long(&self, option: &str) -> Option<String> {
        self.guesses_left.set(self.guesses_left.get().checked_sub(1)?);
        let bare = option.trim_start_matches('-');
        let two_dashes = self.level.style() != OptionStyle::LongDash && !is_find(&self.level.name);
        let dashes = if two_dashes { "--" } else { "-" };
        if self.level.doc(&format!("{dashes}{bare}")).is_some() {
            return Some(format!("{dashes}{bare}"));
        }
        let names = self.level.names().filter_map(|name| name.strip_prefix(dashes));
        let names = names.filter(|name| !name.starts_with('-') && 1 < name.len());
        nearest::clear(bare, names).map(|name| format!("{dashes}{name}"))
    }

    /// Returns the span of a byte range of a word's text, or of the whole word if quotes hide it.
    fn part(&self, word: &Word, start: usize, end: usize) -> Span {
        if self.is_raw(word, &word.text) {
            word.span.start + start..word.span.start + end
        } else {
            word.span.clone()
        }
    }

    /// Reports whether the source of the word starts with exactly `text`.
    fn is_raw(&self, word: &Word, text: &str) -> bool {
        self.line.get(word.span.clone()).is_some_and(|raw| raw.starts_with(text))
    }

    fn push(&mut self, span: Span, option: &str, standing: OptionStatus, nearest: Option<(Span, String)>) {
        self.found.uses.push(Use {
            span,
            option: option.to_owned(),
            command: self.level.words.clone(),
            known: Arc::clone(&self.level.known),
            standing,
            nearest,
        });
    }
}

/// The option of a word, and whether the next word is its value.
struct Taken {
    option: String,
    next: bool,
}

impl Taken {
    /// Creates a result where the next word is not the value.
    fn whole(option: &str) -> Self {
        Self { option: option.to_owned(), next: false }
    }
}

/// Returns the part of a word before the first shell expansion; `None` if that part is empty.
fn literal_beginning(word: &Word) -> Option<&str> {
    if word.literal {
        return Some(&word.text);
    }
    // Inside quotes only these two expand. If only a part of the word is quoted, the result may include a glob.
    let expanding: &[char] =
        if word.quoted { &['$', '`'] } else { &['$', '`', '*', '?', '[', '{', '(', '~', '<', '>'] };
    let beginning = word.text.split(expanding).next()?;
    (!beginning.is_empty()).then_some(beginning)
}

/// Reports whether an option is accepted by nearly all programs, although hardly any documents it.
fn is_universal(option: &str) -> bool {
    matches!(option, "--help" | "-h" | "--version" | "-V" | "-?" | "-help" | "-version")
}

/// Reports whether a word is `-newerXY`, with one letter for each of the two times.
fn is_newer(text: &str) -> bool {
    text.strip_prefix("-newer").is_some_and(|times| {
        let mut letters = times.chars();
        letters.next().is_some_and(|c| "aBcm".contains(c))
            && letters.next().is_some_and(|c| "aBcmt".contains(c))
            && letters.next().is_none()
    })
}

fn is_optimisation(text: &str) -> bool {
    text.strip_prefix("-O")
        .is_some_and(|level| !level.is_empty() && level.chars().all(|c| c.is_ascii_digit()))
}

/// Reports whether a word is a signal name: `HUP`, `SIGTERM`, `RTMIN+1`. Needs at least three letters, since shorter
/// ones are options.
fn is_signal(body: &str) -> bool {
    3 <= body.len()
        && body.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '+')
        && body.starts_with(|c: char| c.is_ascii_uppercase())
}
