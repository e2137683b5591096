//! Which of a command's words are options, at which of its levels, and how each stands to the documentation. The rules
//! that keep false alarms away live here; `flags` turns what comes out into findings.

use std::sync::Arc;

use super::nearest;
use super::tools::{TOOLS, base, lists};
use crate::manual::{Arity, Manual, OptionCard, Style};
use crate::reference::{Kind, Known, Reference};
use crate::syntax::{SimpleCommand, Span, Word};

/// Words of one command that are looked at; a line has at most a few dozen.
const MAX_WORDS: usize = 2048;
/// Letters of one word that are looked at.
const MAX_LETTERS: usize = 64;
/// Levels below the command: `docker compose up` has two.
const MAX_LEVELS: usize = 3;
/// Fewer documented options than this say nothing about one that isn't among them.
const MIN_OPTIONS: usize = 3;

/// A command's words, sorted.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Options in order; the letters of a cluster are one each.
    pub(super) uses: Vec<Use>,
    /// Indices of the words that are surely operands.
    pub(super) operands: Vec<usize>,
    /// Indices of option values that are words of their own, each with its option.
    pub(super) values: Vec<(usize, String)>,
    /// A word where a subcommand should stand, and the one that was likely meant.
    pub(super) stray: Option<Stray>,
}

/// A word that leads to no level of a command that has levels.
#[derive(Debug)]
pub(super) struct Stray {
    /// Which word.
    pub(super) index: usize,
    /// The command so far.
    pub(super) command: String,
    /// The nearest subcommand.
    pub(super) nearest: String,
    /// What was looked up.
    pub(super) known: Arc<Known>,
}

/// One option as it was used.
#[derive(Debug)]
pub(super) struct Use {
    /// Where; the whole word where quotes hide the place of a letter.
    pub(super) span: Span,
    /// As it would stand alone: `-x`, `--color`.
    pub(super) option: String,
    /// The command and the subcommands that lead to its level.
    pub(super) command: Vec<String>,
    /// What is known at that level.
    pub(super) known: Arc<Known>,
    /// What the documentation says.
    pub(super) standing: Standing,
    /// The documented option that was likely meant, with the place to put it.
    pub(super) nearest: Option<(Span, String)>,
}

/// What the documentation says of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is defined there, with this text, or true of the tool by our table.
    Documented(String),
    /// The documentation can't decide, for this reason (continues "…: ").
    Doubtful(&'static str),
    /// It names others, but not this one.
    Absent,
}

/// Sorts the words of a command whose name is known.
pub(super) fn walk(command: &SimpleCommand, name: &str, line: &str, reference: &dyn Reference) -> Walk {
    let name = base(name);
    let mut walker = Walker {
        line,
        words: command.words.get(..command.words.len().min(MAX_WORDS)).unwrap_or_default(),
        reference,
        level: Level::top(name, reference),
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

/// Whether a command's words are a `find` expression.
pub(super) fn is_find(name: &str) -> bool {
    matches!(base(name), "find" | "gfind")
}

struct Walker<'a> {
    line: &'a str,
    words: &'a [Word],
    reference: &'a dyn Reference,
    level: Level,
    found: Walk,
}

/// The command with the subcommands that were met so far.
struct Level {
    words: Vec<String>,
    /// The words as one name for the tables.
    name: String,
    known: Arc<Known>,
    /// What takes the same options.
    like: Option<Arc<Known>>,
    /// The documentation read is that of this level, not of one above.
    own: bool,
    /// A word was met that should have led on and did not.
    lost: bool,
    /// No further subcommand can come.
    last: bool,
}

impl Level {
    fn top(name: &str, reference: &dyn Reference) -> Self {
        let like = TOOLS.like.get(name).map(|other| reference.known(&[other.as_str()]));
        Self {
            words: vec![name.to_owned()],
            name: name.to_owned(),
            known: reference.known(&[name]),
            like,
            own: true,
            lost: false,
            last: false,
        }
    }

    fn manuals(&self) -> impl Iterator<Item = &Arc<Manual>> {
        let like = self.like.iter().flat_map(|known| known.manual.iter());
        self.known.manual.iter().chain(self.known.above.iter().rev()).chain(like)
    }

    fn card(&self, name: &str) -> Option<&OptionCard> {
        self.manuals().find_map(|manual| manual.option(name))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.manuals().flat_map(|manual| &manual.options).flat_map(|card| &card.names).map(String::as_str)
    }

    fn style(&self) -> Style {
        self.known.manual.as_ref().map_or(Style::Getopt, |manual| manual.style)
    }

    /// Whether subcommands are expected at this level.
    fn leads_on(&self) -> bool {
        self.known
            .manual
            .as_ref()
            .is_some_and(|manual| manual.style == Style::Subcommands || !manual.subcommands.is_empty())
    }

    /// Why the documentation says nothing about an option it lacks; none when it does.
    fn doubt(&self, option: &str) -> Option<&'static str> {
        if matches!(self.known.kind, Kind::Function) {
            return Some("it is a function of yours");
        }
        if self.manuals().next().is_none() {
            return Some("no documentation of it was found");
        }
        if self.words.first().is_some_and(|name| TOOLS.open.contains(name)) {
            return Some("its documentation does not list all options");
        }
        if self.lost || !self.own && !self.words.first().is_some_and(|name| TOOLS.flat.contains(name)) {
            return Some("no documentation of this subcommand was found");
        }
        let is_long = option.starts_with("--");
        let same_kind = self.names().filter(|name| name.starts_with("--") == is_long).take(1).count();
        if same_kind == 0 || self.names().take(MIN_OPTIONS).count() < MIN_OPTIONS {
            return Some("its documentation names too few options");
        }
        None
    }

    fn standing(&self, option: &str) -> Standing {
        if let Some(card) = self.card(option) {
            return Standing::Documented(card.text.clone());
        }
        let doubt = if self.manuals().any(|manual| manual.mentioned.contains(option)) {
            Some("its documentation only mentions it in passing")
        } else {
            self.near_form(option).or_else(|| self.doubt(option))
        };
        doubt.map_or(Standing::Absent, Standing::Doubtful)
    }

    /// Another spelling of a documented long option that many parsers take: the beginning of its name, `--no-x`,
    /// one dash more or fewer.
    fn near_form(&self, option: &str) -> Option<&'static str> {
        let Some(name) = option.strip_prefix("--").filter(|name| !name.is_empty()) else {
            let name = option.strip_prefix('-')?;
            let is_long = self.style() == Style::LongDash && self.card(&format!("--{name}")).is_some();
            return is_long.then_some("it is documented with two dashes");
        };
        if self.names().any(|documented| documented.starts_with(option)) {
            return Some("it is the beginning of a documented one");
        }
        if 1 < name.len() && self.card(&format!("-{name}")).is_some() {
            return Some("it is documented with one dash");
        }
        let positive = name.strip_prefix("no-").or_else(|| name.strip_prefix("no"));
        let negated = positive.is_some_and(|name| self.card(&format!("--{name}")).is_some())
            || self.card(&format!("--no-{name}")).is_some();
        negated.then_some("its opposite is documented")
    }

    /// Goes on to the level that a word leads to, and says whether it does.
    fn descend(&mut self, word: &str, reference: &dyn Reference) -> bool {
        let listed = |manual: &Arc<Manual>| manual.subcommands.iter().any(|sub| sub.name == word);
        let is_listed = self.known.manual.as_ref().is_some_and(listed);
        let mut words = self.words.clone();
        words.push(word.to_owned());
        let path: Vec<&str> = words.iter().map(String::as_str).collect();
        let below = reference.known(&path);
        let is_own = self.known.above.len() < below.above.len() && below.manual.is_some();
        if !is_own && !is_listed {
            return false;
        }
        self.name = words.join(" ");
        self.last = !is_own || MAX_LEVELS < words.len();
        self.words = words;
        self.own = is_own;
        if is_own {
            self.known = below;
        }
        true
    }
}

impl Walker<'_> {
    fn getopt(&mut self) {
        let mut index = 1;
        if let Some(word) = self.words.get(1)
            && TOOLS.bundle.contains(&self.level.name)
            && word.literal
            && !word.text.is_empty()
            && word.text.chars().all(|letter| letter.is_ascii_alphabetic())
        {
            index = self.old_bundle(word);
        }
        while let Some(word) = self.words.get(index) {
            index += 1;
            let Some(beginning) = literal_beginning(word) else { continue };
            if beginning == "--" {
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
            } else if next {
                if let Some(word) = self.words.get(index) {
                    let is_option = self.may_be_option(word);
                    match self.level.card(&option).map(|card| card.value) {
                        // It may be the value of an option that is not said to take one.
                        Some(Arity::Unknown) if is_option => continue,
                        _ => self.found.values.push((index, option.clone())),
                    }
                    index += 1;
                }
            }
            if lists(&TOOLS.last, &self.level.name, &option) {
                return;
            }
        }
    }

    /// Whether a word after an option of unknown arity looks like an option itself.
    fn may_be_option(&self, word: &Word) -> bool {
        word.text.len() > 1 && word.text.starts_with('-')
    }

    /// An operand; false where what follows is another program's.
    fn operand(&mut self, index: usize, word: &Word) -> bool {
        let is_subcommand = word.literal
            && !self.level.last
            && self.level.leads_on()
            && self.level.descend(&word.text, self.reference);
        if is_subcommand {
            return true;
        }
        self.note_stray(index, word);
        self.level.lost |= !self.level.last && self.level.style() == Style::Subcommands;
        self.level.last = true;
        self.found.operands.push(index);
        !TOOLS.stop.contains(&self.level.name)
    }

    /// `+x` where that is a documented option.
    fn plus(&mut self, word: &Word, text: &str) -> bool {
        if !text.starts_with('+') || self.level.card(text).is_none() {
            return false;
        }
        self.push(word.span.clone(), text, Standing::Documented(String::new()), None);
        true
    }

    /// Remembers a word that was likely meant as a subcommand.
    fn note_stray(&mut self, index: usize, word: &Word) {
        let level = &self.level;
        let expects =
            level.style() == Style::Subcommands || level.words.len() == 1 && TOOLS.flat.contains(&level.name);
        if level.last || !expects || !word.literal || TOOLS.open.contains(&level.name) {
            return;
        }
        let Some(manual) = &level.known.manual else { return };
        let names = manual.subcommands.iter().map(|sub| sub.name.as_str());
        if let Some(nearest) = nearest::clear(&word.text, names) {
            self.found.stray = Some(Stray {
                index,
                command: level.words.join(" "),
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
            self.push(word.span.clone(), text, Standing::Documented(String::new()), None);
            return Taken::whole(text);
        }
        if self.level.style() == Style::LongDash && 1 < body.chars().count() {
            return self.long_dash(word, text);
        }
        self.cluster(word, text, 1)
    }

    fn long(&mut self, word: &Word, text: &str) -> Taken {
        let (name, has_value) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None if word.literal => (text, false),
            // `--$x`, `--name$x`: its end is not known.
            None => return Taken::whole(text),
        };
        let span = self.part(word, 0, name.len());
        let standing = self.level.standing(name);
        if is_universal(name) && !matches!(standing, Standing::Documented(_)) {
            return Taken::whole(name);
        }
        let nearest = (standing == Standing::Absent).then(|| self.nearest_long(name)).flatten();
        let nearest = nearest.filter(|_| self.is_raw(word, name)).map(|name| (span.clone(), name));
        self.push(span, name, standing, nearest);
        Taken { option: name.to_owned(), next: !has_value && self.takes_next(name) }
    }

    /// The letters of `-abc`, from the given byte on; bundles without a dash begin at 0.
    fn cluster(&mut self, word: &Word, text: &str, start: usize) -> Taken {
        // A documented name as a whole, although the others are letters: `-iname` in a tool of another style.
        let (whole, attached) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (text, false),
        };
        if 2 < whole.len() && (word.literal || attached) && self.level.card(whole).is_some() {
            let standing = self.level.standing(whole);
            self.push(self.part(word, 0, whole.len()), whole, standing, None);
            return Taken { option: whole.to_owned(), next: !attached && self.takes_next(whole) };
        }
        let mut option = String::new();
        for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < start).take(MAX_LETTERS) {
            option = format!("-{letter}");
            let is_last = at + letter.len_utf8() == text.len();
            let span = self.part(word, at, at + letter.len_utf8());
            let standing = self.level.standing(&option);
            if !matches!(standing, Standing::Documented(_)) {
                if letter.is_ascii_digit() || letter == '#' || is_universal(&option) && at == 1 && is_last {
                    return Taken::whole(&option);
                }
                let meant = (word.literal && 3 < text.len()).then(|| format!("-{text}"));
                let meant = meant.filter(|long| self.is_raw(word, text) && self.level.card(long).is_some());
                let nearest = meant.map(|long| (word.span.clone(), long));
                self.push(span, &option, standing, nearest);
                return Taken::whole(&option);
            }
            self.push(span, &option, standing, None);
            let arity = self.level.card(&option).map_or(Arity::None, |card| card.value);
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
                    // The rest is its value unless it can be read as letters.
                    let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
                    if !rest.chars().all(|c| self.level.card(&format!("-{c}")).is_some()) {
                        return Taken::whole(&option);
                    }
                }
            }
        }
        Taken::whole(&option)
    }

    /// `-name` of tools whose options are whole names behind one dash, with `=value`, `:value` or a value attached.
    fn long_dash(&mut self, word: &Word, text: &str) -> Taken {
        let name = text.split(['=', ':']).next().unwrap_or(text);
        if self.level.card(name).is_some() {
            let standing = self.level.standing(name);
            let next = name.len() == text.len() && word.literal && self.takes_next(name);
            self.push(self.part(word, 0, name.len()), name, standing, None);
            return Taken { option: name.to_owned(), next };
        }
        let letter: String = text.chars().take(2).collect();
        let with_value = self.level.card(&letter).filter(|card| card.value != Arity::None);
        let standing = match with_value {
            Some(card) => Standing::Documented(card.text.clone()),
            None => Standing::Doubtful("its options can't be told apart from letters"),
        };
        self.push(word.span.clone(), name, standing, None);
        Taken::whole(name)
    }

    /// tar's first word without a dash; gives the index of the next word to read.
    fn old_bundle(&mut self, word: &Word) -> usize {
        let mut next = 2;
        for (at, letter) in word.text.char_indices().take(MAX_LETTERS) {
            let option = format!("-{letter}");
            let standing = self.level.standing(&option);
            self.push(self.part(word, at, at + 1), &option, standing, None);
            if self.level.card(&option).is_some_and(|card| card.value == Arity::Required) {
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
                Standing::Documented(String::new())
            } else if keys.len() < MIN_OPTIONS {
                Standing::Doubtful("its documentation names too few operands")
            } else {
                Standing::Absent
            };
            let nearest = nearest::clear(name, keys.iter().map(String::as_str));
            let span = self.part(word, 0, name.len());
            let nearest = nearest.filter(|_| standing == Standing::Absent && self.is_raw(word, name));
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
                    self.push(word.span.clone(), text, Standing::Documented(String::new()), None);
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
                Standing::Documented(String::new())
            } else if is_universal(text) && self.level.card(text).is_none() {
                continue;
            } else {
                self.level.standing(text)
            };
            let nearest = (standing == Standing::Absent).then(|| self.nearest_long(text)).flatten();
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

    /// The index behind the `;` or `+` that ends a command inside this one.
    fn past_run(&self, start: usize) -> usize {
        let mut index = start;
        while let Some(word) = self.words.get(index) {
            index += 1;
            let ends_batch = word.text == "+"
                && self.words.get(index.wrapping_sub(2)).is_some_and(|before| before.text == "{}");
            if word.text == ";" || word.text == "\\;" || ends_batch {
                break;
            }
        }
        index
    }

    /// Whether the next word is the option's value. Where that isn't said, it is, unless it might as well be the
    /// operand that ends the options or leads on.
    fn takes_next(&self, option: &str) -> bool {
        match self.level.card(option).map(|card| card.value) {
            Some(Arity::Required) => true,
            Some(Arity::Unknown) => !self.level.leads_on() && !TOOLS.stop.contains(&self.level.name),
            _ => false,
        }
    }

    fn nearest_long(&self, option: &str) -> Option<String> {
        let bare = option.trim_start_matches('-');
        let two_dashes = self.level.style() != Style::LongDash && !is_find(&self.level.name);
        let dashes = if two_dashes { "--" } else { "-" };
        let names = self.level.names().filter_map(|name| name.strip_prefix(dashes));
        let names = names.filter(|name| !name.starts_with('-') && 1 < name.len());
        nearest::clear(bare, names).map(|name| format!("{dashes}{name}"))
    }

    /// The place of some bytes of a word's text in the line, or the whole word where quotes hide it.
    fn part(&self, word: &Word, start: usize, end: usize) -> Span {
        if self.is_raw(word, &word.text) {
            word.span.start + start..word.span.start + end
        } else {
            word.span.clone()
        }
    }

    /// Whether the word stands in the line beginning with exactly this text.
    fn is_raw(&self, word: &Word, text: &str) -> bool {
        self.line.get(word.span.clone()).is_some_and(|raw| raw.starts_with(text))
    }

    fn push(&mut self, span: Span, option: &str, standing: Standing, nearest: Option<(Span, String)>) {
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

/// What an option word was, and whether the next word is its value.
struct Taken {
    option: String,
    next: bool,
}

impl Taken {
    /// The next word is not its value.
    fn whole(option: &str) -> Self {
        Self { option: option.to_owned(), next: false }
    }
}

/// The beginning of a word up to what the shell expands; none where that comes first.
fn literal_beginning(word: &Word) -> Option<&str> {
    if word.literal {
        return Some(&word.text);
    }
    let beginning = word.text.split(['$', '`', '*', '?', '[', '{', '(', '~', '<', '>']).next()?;
    (!beginning.is_empty()).then_some(beginning)
}

/// Options that hardly any program documents and nearly all take.
fn is_universal(option: &str) -> bool {
    matches!(option, "--help" | "-h" | "--version" | "-V" | "-?" | "-help" | "-version")
}

/// `-newerXY` with one letter for each of the two times.
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

/// `HUP`, `SIGTERM`, `RTMIN+1`: three letters or more, since shorter ones are options.
fn is_signal(body: &str) -> bool {
    3 <= body.len()
        && body.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '+')
        && body.starts_with(|c: char| c.is_ascii_uppercase())
}
