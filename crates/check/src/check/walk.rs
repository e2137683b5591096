//! Looks up each option of a command at its level, and collects option values, operands and words that should be
//! subcommands. The rules against false alarms are in this module; `flags` turns the result into findings.

use std::cell::Cell;
use std::sync::Arc;

use super::level::{Level, OPTIONS_MIN, OptionStatus};
use super::tools::{TOOLS, is_find, lists};
use super::{ReportDraft, nearest, subcommands};
use crate::reference::{CommandFacts, CommandKind, Reference};
use askline_manual::{Arity, OptionStyle};
use askline_syntax::options::{self, Form, Given, Part, Reader};
use askline_syntax::{SimpleCommand, Span, Word, program_name};

/// Maximum number of words examined per command; a line has at most a few dozen.
const WORDS_MAX: usize = 2048;
/// Maximum number of bytes of a word that are examined as letters.
const LETTERS_MAX: usize = 64;
/// Maximum number of options per line for which the nearest name is searched.
pub(super) const GUESSES_MAX: usize = 16;
/// Minimum length of a stray subcommand, in bytes. A shorter word is more likely an alias of the user (`git lg`) than
/// a typo.
const STRAY_BYTES_MIN: usize = 4;
/// The same for a command of the table: `git remote shw`.
const LISTED_STRAY_BYTES_MIN: usize = 3;

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
    /// Documentation of the command; `None` if the table lists its subcommands.
    pub(super) known: Option<Arc<CommandFacts>>,
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
    let level = Level::top(program_name(name), &command.looked_up().unwrap_or_default(), draft);
    let mut walker = Walker {
        line,
        words: command.words.get(..command.words.len().min(WORDS_MAX)).unwrap_or_default(),
        reference,
        is_find: is_find(&level.name),
        level,
        in_expression: false,
        guesses_left: &draft.options_left,
        found: Walk::default(),
    };
    let tool = walker.level.name.as_str();
    if TOOLS.no_options.contains(tool) {
        walker.found.operands = (1..walker.words.len()).collect();
    } else if TOOLS.operands.contains(tool) {
        walker.operands();
    } else {
        walker.note_listed_stray();
        walker.options();
    }
    walker.found
}

struct Walker<'a> {
    line: &'a str,
    words: &'a [Word],
    reference: &'a dyn Reference,
    level: Level,
    is_find: bool,
    /// `true` in the expression of `find`, where no word is a path.
    in_expression: bool,
    guesses_left: &'a Cell<usize>,
    found: Walk,
}

impl<'a> Walker<'a> {
    fn options(&mut self) {
        let mut reader = self.reader(1);
        while let Some(part) = reader.next(&self.level) {
            let given = match part {
                Part::Option(given) => given,
                Part::Operand(index) if self.operand(index) => continue,
                Part::Operand(_) => return,
                // The expression of `find` may follow.
                Part::End(index) if self.is_find => {
                    reader = self.reader(index + 1);
                    continue;
                }
                Part::End(index) => return self.found.operands.extend(index + 1..self.words.len()),
            };
            let option = given.name.as_ref();
            let runs = lists(&TOOLS.runs, &self.level.name, option);
            let goes_on = self.option(&given);
            if !goes_on {
                reader.skip_to(given.word + 1);
            } else if let Some(value) = given.value.filter(|value| value.word > given.word && !runs) {
                self.found.values.push((value.word, option.to_owned()));
                // If it is not a value but an operand, the following words belong to the command it names.
                self.level.lost |= options::stops(&self.level.name);
            }
            if reader.is_within_word() {
                continue;
            }
            if runs {
                reader.skip_to(self.past_run(given.word + 1));
            } else if self.is_find && TOOLS.find.with_two.contains(option) {
                reader.skip_to(given.word + 3);
            }
            if options::ends(&self.level.name, option) {
                return;
            }
        }
    }

    /// Creates a reader of the words from index `first` on.
    fn reader(&self, first: usize) -> Reader<'a> {
        let is_letters = |word: &Word| word.literal && word.text.chars().all(|c| c.is_ascii_alphabetic());
        let form = match () {
            () if self.is_find => Form::Words,
            () if options::documents_bundle(&self.level.name)
                && self.words.get(1).is_some_and(is_letters) =>
            {
                Form::Bundle
            }
            () => Form::Getopt,
        };
        Reader::new(self.words, first, form).up_to_expansions()
    }

    /// Handles an operand; returns `false` if the following words belong to another program.
    fn operand(&mut self, index: usize) -> bool {
        let Some(word) = self.words.get(index) else { return false };
        let beginning = word.beginning();
        if self.is_find {
            self.in_expression |= TOOLS.find.operators.contains(&word.text);
            self.found.operands.extend((!self.in_expression).then_some(index));
            return true;
        }
        let is_path = word.text.starts_with("~/") && !word.quoted;
        if !word.literal && matches!(beginning, "" | "-") && !is_path {
            // It may be an option, or the operand that ends the options.
            return beginning == "-" || !options::stops(&self.level.name);
        }
        if beginning.starts_with('+') && self.level.doc(beginning).is_some() {
            self.push(word.span.clone(), beginning, OptionStatus::Documented(String::new()), None);
            return true;
        }
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

    /// Records a word that is one slip away from a subcommand of the table.
    fn note_listed_stray(&mut self) {
        let strays = self.words.iter().enumerate().skip(1).take(subcommands::DEPTH_MAX);
        self.found.stray = strays.into_iter().find_map(|(index, word)| {
            let (command, mut names) = subcommands::in_place_of(self.words, index)?;
            let is_long = word.literal && LISTED_STRAY_BYTES_MIN <= word.text.len();
            let nearest = nearest::clear(&word.text, names.clone()).filter(|_| is_long)?;
            // `ip addres` and `tmux list-session` are abbreviations.
            let is_short = names.any(|name| name.starts_with(&word.text));
            let program = self.words.first().map_or("", |first| program_name(&first.text));
            let plugin = format!("{program}-{}", word.text);
            let is_plugin = || self.reference.known(&[&plugin]).kind != CommandKind::Missing;
            (nearest::is_slip(&word.text, nearest) && !is_short && !is_plugin()).then(|| StrayWord {
                index,
                command,
                is_slip: true,
                nearest: nearest.to_owned(),
                known: None,
            })
        });
    }

    /// Records a word that was likely meant as a subcommand.
    fn note_stray(&mut self, index: usize, word: &Word) {
        let level = &self.level;
        let expects = level.style() == OptionStyle::Subcommands
            || level.words.len() == 1 && TOOLS.flat.contains(&level.name);
        if level.last
            || !word.literal
            || !expects
            || self.found.stray.is_some()
            || word.text.len() < STRAY_BYTES_MIN
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
                known: Some(Arc::clone(&level.known)),
            });
        }
    }

    /// Looks up an option; returns `false` if it is all of its word and has no value.
    fn option(&mut self, given: &Given<'_>) -> bool {
        let Some(word) = self.words.get(given.word) else { return false };
        let text = word.beginning();
        let is_letter = given.at.len() < given.name.len();
        if self.is_form(text) {
            self.push(word.span.clone(), text, OptionStatus::Documented(String::new()), None);
        } else if !is_letter {
            self.name(word, given);
            return true;
        } else if self.level.style() == OptionStyle::LongDash && 2 < text.chars().count() {
            self.long_dash(word, text);
        } else if given.at.start <= LETTERS_MAX {
            return self.letter(word, text, given);
        }
        false
    }

    /// Reports whether a word has a form that the tool accepts: a number, a mode, a signal.
    fn is_form(&self, text: &str) -> bool {
        let level = &self.level.name;
        text.strip_prefix('-').filter(|body| !body.starts_with('-')).is_some_and(|body| {
            TOOLS.numbers.contains(level) && body.starts_with(|c: char| c.is_ascii_digit())
                || TOOLS.modes.contains(level)
                    && body != "R"
                    && body.chars().all(|c| "rwxXstugoa+,=-".contains(c))
                || TOOLS.signals.contains(level) && is_signal(body)
        })
    }

    /// Looks up an option that is a whole name.
    fn name(&mut self, word: &Word, given: &Given<'_>) {
        let name = if self.is_find { word.text.as_str() } else { given.name.as_ref() };
        // An expansion hides the end of the name: `--$x`, `--name$x`.
        let is_cut = |value: options::Value| value.word == given.word && value.from == given.at.end;
        if given.value.is_some_and(is_cut) || self.is_find && !word.literal {
            return;
        }
        self.in_expression |= !TOOLS.find.is_option(name);
        let standing = self.level.standing(name);
        if is_universal(name) && !matches!(standing, OptionStatus::Documented(_)) {
            return;
        }
        let span = self.part(word, 0..name.len());
        let nearest = match standing {
            OptionStatus::Absent => self.nearest_long(name),
            OptionStatus::Doubtful(_) => {
                let whole = self.level.whole(name).map(str::to_owned);
                // `--volumes` is rather a slip for `--volume` than the beginning of `--volumes-from`.
                whole.filter(|whole| self.nearest_long(name).is_none_or(|nearest| nearest == *whole))
            }
            _ => None,
        };
        let nearest = nearest.filter(|_| self.is_raw(word, name)).map(|name| (span.clone(), name));
        self.push(span, name, standing, nearest);
    }

    /// Looks up a letter; returns `false` if no more options are in its word.
    fn letter(&mut self, word: &Word, text: &str, given: &Given<'_>) -> bool {
        let option = given.name.as_ref();
        let is_bundle = !text.starts_with('-');
        let is_alone = !is_bundle && given.at == (1..text.len());
        let span = self.part(word, if is_alone { 0..text.len() } else { given.at.clone() });
        let standing = self.level.standing(option);
        if matches!(standing, OptionStatus::Documented(_)) || is_bundle {
            self.push(span, option, standing, None);
            return true;
        }
        if option.ends_with(|c: char| c.is_ascii_digit() || c == '#') || is_universal(option) && is_alone {
            return false;
        }
        // If the letters may not be separate options, the word counts as one option.
        let is_open = matches!(standing, OptionStatus::Open(_)) || self.level.manuals().next().is_none();
        if 2 < text.len() && is_open {
            let standing = OptionStatus::Open("it is not known how its options are written");
            self.push(word.span.clone(), text.split('=').next().unwrap_or(text), standing, None);
            return false;
        }
        let meant = (word.literal && 3 < text.len()).then(|| format!("-{text}"));
        let meant = meant.filter(|long| self.is_raw(word, text) && self.level.doc(long).is_some());
        self.push(span, option, standing, meant.map(|long| (word.span.clone(), long)));
        false
    }

    /// Looks up `-name` of tools with whole names behind one dash; a value may follow as `=value`, `:value` or directly.
    fn long_dash(&mut self, word: &Word, text: &str) {
        let name = text.split(['=', ':']).next().unwrap_or(text);
        if self.level.doc(name).is_some() {
            return self.push(self.part(word, 0..name.len()), name, self.level.standing(name), None);
        }
        let letter: String = text.chars().take(2).collect();
        let standing = match self.level.doc(&letter).filter(|doc| doc.value != Arity::None) {
            Some(doc) => OptionStatus::Documented(doc.text.clone()),
            None => OptionStatus::Open("its options can't be distinguished from letters"),
        };
        self.push(word.span.clone(), name, standing, None);
    }

    fn operands(&mut self) {
        let keys = self.level.names().filter_map(|name| name.split('=').next());
        let keys = keys.filter(|key| key.chars().all(char::is_alphanumeric));
        let keys: Vec<String> = keys.map(str::to_owned).collect();
        for (index, word) in self.words.iter().enumerate().skip(1) {
            let Some((name, _)) = word.beginning().split_once('=') else {
                self.found.operands.push(index);
                continue;
            };
            let standing = if keys.iter().any(|documented| documented == name) {
                OptionStatus::Documented(String::new())
            } else if keys.len() < OPTIONS_MIN {
                OptionStatus::Doubtful("its documentation names too few operands")
            } else {
                OptionStatus::Absent
            };
            let nearest = nearest::clear(name, keys.iter().map(String::as_str));
            let span = self.part(word, 0..name.len());
            let nearest = nearest.filter(|_| standing == OptionStatus::Absent && self.is_raw(word, name));
            let nearest = nearest.map(|key| (span.clone(), key.to_owned()));
            self.push(span, &format!("{name}="), standing, nearest);
        }
    }

    /// Returns the index after the `;` or `+` that ends an embedded command.
    fn past_run(&self, start: usize) -> usize {
        // The parser may have moved the words between into a separate command.
        let ends_batch =
            |index: usize| index == start || self.words.get(index - 1).is_some_and(|word| word.text == "{}");
        let ends = |(index, word): (usize, &Word)| match word.text.as_str() {
            ";" | "\\;" => true,
            text => text == "+" && ends_batch(index),
        };
        let mut words = self.words.iter().enumerate().skip(start);
        words.position(ends).map_or(self.words.len(), |end| start + end + 1)
    }

    fn nearest_long(&self, option: &str) -> Option<String> {
        self.guesses_left.set(self.guesses_left.get().checked_sub(1)?);
        let bare = option.trim_start_matches('-');
        let two_dashes = self.level.style() != OptionStyle::LongDash && !self.is_find;
        let dashes = if two_dashes { "--" } else { "-" };
        if self.level.doc(&format!("{dashes}{bare}")).is_some() {
            return Some(format!("{dashes}{bare}"));
        }
        let names = self.level.names().filter_map(|name| name.strip_prefix(dashes));
        let names = names.filter(|name| !name.starts_with('-') && 1 < name.len());
        nearest::clear(bare, names).map(|name| format!("{dashes}{name}"))
    }

    /// Returns the span of a byte range of a word's text, or of the whole word if quotes before its end hide it.
    fn part(&self, word: &Word, part: Span) -> Span {
        if word.text.get(..part.end).is_some_and(|text| self.is_raw(word, text)) {
            word.span.start + part.start..word.span.start + part.end
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

/// Reports whether an option is accepted by nearly all programs, although hardly any documents it.
fn is_universal(option: &str) -> bool {
    matches!(option, "--help" | "-h" | "--version" | "-V" | "-?" | "-help" | "-version")
}

/// Reports whether a word is a signal name: `HUP`, `SIGTERM`, `RTMIN+1`. Needs at least three letters, since shorter
/// ones are options.
fn is_signal(body: &str) -> bool {
    3 <= body.len()
        && body.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '+')
        && body.starts_with(|c: char| c.is_ascii_uppercase())
}
