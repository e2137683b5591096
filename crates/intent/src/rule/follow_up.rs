//! Follow-ups: what words that go on from the last answer change in it ("only the top 3", "sort them by size").
//!
//! The last line is right as it stands, so a rule of `rules/follow_up.toml` needs no other reason for its edit than the words: `said`
//! is everything that a part of them says, and the edit is made if the line has a mark of `line` and none of `lacks`. In its text
//! `<name>` stands for the word of `<name>` or `<word>` in `said`, and `<extension>` for the extension that this word is. `also` adds
//! the pattern of this extension to the only one that the command has, `count` replaces the number of lines of `head` and `tail`, and
//! `of_files` wants a find that takes only files. `wrong` holds the words with the line before, `right` with the line after the edit.
//! In Nushell a stage is added (`follow_up/nushell.rs`).

mod nushell;

use std::sync::LazyLock;

use super::{Rule, Table};
use crate::find_expression::{FindExpression, Node};
use crate::mark::is_last;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::phrase::Found;
use crate::quantity::number;
use crate::request::{Token, tokens};
use crate::{mismatches, mismatches_of};
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Span, Word, program_name};

/// Maximum number of parts of the words, each of which changes the line.
const PARTS_MAX: usize = 4;
/// Words that part others, and those at the ends of a part that say nothing.
const BETWEEN: [&str; 3] = ["and", "but", "then"];
const FILLERS: [&str; 17] = [
    "no", "and", "but", "now", "then", "ok", "okay", "please", "pls", "hm", "so", "can", "you", "yes",
    "great", "thanks", "also",
];
/// Words beside those that say what to change, and those that may stand beside them behind "only".
const BESIDE: [&str; 15] = [
    "only", "just", "also", "too", "the", "a", "an", "them", "those", "these", "it", "ones", "of", "with",
    "first",
];
const BESIDE_ONLY: [&str; 4] = ["files", "file", "lines", "folders"];
const ONLY: [&str; 2] = ["only", "just"];
/// Commands that run others, elsewhere or as they choose.
const ELSEWHERE: [&str; 16] = [
    "ssh", "docker", "podman", "kubectl", "bash", "sh", "zsh", "fish", "eval", "xargs", "parallel", "watch",
    "script", "cd", "tmux", "sudo",
];
/// Words that are no name in the place of `<word>`.
const NO_NAMES: [&str; 30] = [
    "this",
    "that",
    "these",
    "those",
    "the",
    "a",
    "an",
    "here",
    "there",
    "them",
    "it",
    "all",
    "any",
    "each",
    "every",
    "one",
    "file",
    "files",
    "folder",
    "folders",
    "directory",
    "subfolder",
    "subfolders",
    "subdirectories",
    "hidden",
    "total",
    "order",
    "reverse",
    "place",
    "other",
];

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str::<Table>(include_str!("../rules/follow_up.toml")).expect("the rules are well-formed").rule
});

/// The last line, changed by the words that go on from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    /// The new line.
    pub line: String,
    /// Each edit with its reason.
    pub changes: Vec<String>,
    /// `true` if rules for any request edited the line: "older than 30 days", "csv files" may also be a request of their own.
    pub may_stand_alone: bool,
}

/// Changes the last line by the words of a request from byte `own_from` on; before are those of the requests that it goes on from.
/// `None` unless all these words are understood, each part of them changes the line, and nothing that they say is left open.
/// `is_directory` reports whether a name is a directory here, if that is known: words that name one or a file must fit.
pub fn follow_up(
    request: &str,
    own_from: usize,
    line: &ParsedLine,
    is_directory: &dyn Fn(&str) -> Option<bool>,
) -> Option<FollowUp> {
    if !is_simple(line) {
        return None;
    }
    let all = tokens(request);
    let own: Vec<Token> = all.into_iter().filter(|token| own_from <= token.span.start).collect();
    let mut current = FollowUp { line: line.text().to_owned(), changes: Vec::new(), may_stand_alone: false };
    let mut parsed = line.clone();
    if let Some(whole) = by_rule(request, &own, &parsed, is_directory) {
        current.apply(whole)?;
        parsed = ParsedLine::new(current.line.as_str(), line.shell());
        // `head -n 5` behind the header of `ps` shows four.
        agreed(request, own_from, &mut current, &mut parsed, line);
        return Some(current);
    }
    // What the rules for any request edit; the rest of the words is looked at part by part.
    let covered = agreed(request, own_from, &mut current, &mut parsed, line);
    current.may_stand_alone = !covered.is_empty();
    let rest: Vec<&[Token]> = parts(&own, &covered);
    if PARTS_MAX < rest.len() {
        return None;
    }
    let is_limited = own.iter().any(|token| ONLY.contains(&token.lower.as_str()));
    for part in rest {
        let is_said = |token: &Token| {
            let word = token.lower.as_str();
            let is_beside = BESIDE.contains(&word) || is_limited && BESIDE_ONLY.contains(&word);
            // The edit has taken the number in "with 2 lines around them".
            let is_new = || {
                number(word).is_some_and(|it| has_number(&current.line, it) && !has_number(line.text(), it))
            };
            is_beside || FILLERS.contains(&word) || is_new()
        };
        if !current.changes.is_empty() && part.iter().all(is_said) {
            continue;
        }
        current.apply(by_rule(request, part, &parsed, is_directory)?)?;
        parsed = ParsedLine::new(current.line.as_str(), line.shell());
    }
    let is_open = || {
        let left = mismatches_of(request, own_from, &parsed);
        left.iter().any(|it| it.said.as_ref().is_some_and(|said| own_from < said.end))
    };
    (!current.changes.is_empty() && !is_open()).then_some(current)
}

/// Reports whether a line is one pipeline of this shell on this machine, in which only `find` runs other commands: an edit of a loop, of
/// what `ssh` passes on, or behind `cd` may mean something else.
fn is_simple(line: &ParsedLine) -> bool {
    let commands = &line.parsed().commands;
    let Some(first) = commands.first() else { return false };
    let is_own = |command: &SimpleCommand| {
        command.within.iter().all(|it| matches!(it, Nesting::Wrapper(name) if name == "find"))
    };
    line.own().errors.is_empty()
        && commands.iter().all(|it| is_own(it) && it.pipeline == first.pipeline && it.assignments.is_empty())
        && !commands.iter().any(|it| it.name().is_none_or(|name| ELSEWHERE.contains(&program_name(name))))
        && !line.text().contains(['\n', '`'])
        && !["$(", "<(", "${"].iter().any(|sign| line.text().contains(sign))
}

impl FollowUp {
    fn apply(&mut self, (edit, why): (Edit, String)) -> Option<()> {
        let (before, after) = (self.line.get(..edit.span.start)?, self.line.get(edit.span.end..)?);
        self.line = format!("{before}{}{after}", edit.replacement);
        self.changes.push(format!("{}: you said \"{why}\"", edit.change));
        Some(())
    }
}

/// Makes the edits of the other rules that rest on words from byte `own_from` on, or on what the first edit changed; returns the bytes of
/// these words.
fn agreed(
    request: &str,
    own_from: usize,
    current: &mut FollowUp,
    parsed: &mut ParsedLine,
    last: &ParsedLine,
) -> Vec<Span> {
    let known: Vec<String> = mismatches(request, last).into_iter().map(|it| it.text).collect();
    let mut covered: Vec<Span> = Vec::new();
    for _ in 0..PARTS_MAX {
        let faults = mismatches(request, parsed);
        let edited = faults.iter().filter(|it| it.certainty == Certainty::Sure).find_map(|it| {
            let said = it.said.clone().filter(|said| own_from < said.end);
            // "smaller than 10 MB" after "larger than 5 MB" asks for both.
            let is_of_find =
                it.edit.as_ref().is_some_and(|edit| !edit.span.is_empty() && is_in_find(parsed, &edit.span));
            if said.is_none() && known.contains(&it.text) || is_of_find {
                return None;
            }
            let line = ParsedLine::new(it.applied_to(parsed.text())?, parsed.shell());
            let left = mismatches(request, &line);
            let is_new = |one: &Mismatch| !faults.iter().any(|before| before.text == one.text);
            let is_better =
                left.len() < faults.len() && !left.iter().any(is_new) && line.own().errors.is_empty();
            let change = it.edit.as_ref().map_or("", |edit| edit.change.as_str());
            let words = said.as_ref().and_then(|said| request.get(said.start.max(own_from)..said.end));
            let why = words.map_or_else(|| it.text.clone(), |words| format!("you said \"{words}\""));
            is_better.then(|| (line, said, format!("{change}: {why}")))
        });
        let Some((line, said, change)) = edited else { break };
        current.line = line.text().to_owned();
        current.changes.push(change);
        covered.extend(said);
        *parsed = line;
    }
    covered
}

/// Reports whether bytes of a line are a part of the expression of a `find`.
fn is_in_find(line: &ParsedLine, span: &Span) -> bool {
    let finds = line.parsed().commands.iter().filter_map(FindExpression::of);
    finds.flat_map(|find| find.primaries).any(|it| it.span.start < span.end && span.start < it.span.end)
}

/// Reports whether a line has a number.
fn has_number(line: &str, number: u64) -> bool {
    line.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.parse() == Ok(number))
}

/// Returns the parts of the words that are not covered, without the words that part them.
fn parts<'t>(own: &'t [Token], covered: &[Span]) -> Vec<&'t [Token]> {
    let is_covered = |token: &Token| {
        covered.iter().any(|said| said.start <= token.span.start && token.span.end <= said.end)
    };
    let is_between = |token: &Token| !token.quoted && BETWEEN.contains(&token.lower.as_str());
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, token) in own.iter().enumerate() {
        if is_covered(token) || is_between(token) {
            parts.push(own.get(start..at).unwrap_or_default());
            start = at + 1;
        } else if token.after_comma && start < at {
            parts.push(own.get(start..at).unwrap_or_default());
            start = at;
        }
    }
    parts.push(own.get(start..).unwrap_or_default());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the edit of the first rule whose phrase says all that these words do.
fn by_rule(
    request: &str,
    part: &[Token],
    line: &ParsedLine,
    is_directory: &dyn Fn(&str) -> Option<bool>,
) -> Option<(Edit, String)> {
    let is_filler = |token: &&Token| !token.quoted && FILLERS.contains(&token.lower.as_str());
    let from = part.iter().take_while(is_filler).count();
    let end = part.len() - part.iter().rev().take_while(is_filler).count();
    // "also in subfolders"
    let wholes = [part, part.get(from..end.max(from))?];
    let words = part.first()?.span.start..part.last()?.span.end;
    if line.shell().is_nushell() {
        let edit = wholes.iter().find_map(|whole| nushell::by_stage(whole, line))?;
        return Some((edit, request.get(words)?.to_owned()));
    }
    RULES.iter().find_map(|rule| {
        let (found, tokens) = wholes.iter().find_map(|whole| Some((rule.says(whole)?, *whole)))?;
        let name = found.name.and_then(|at| tokens.get(at));
        if name.is_some_and(|name| !is_plain_name(name)) {
            return None;
        }
        let (edit, is_new) = rule.follow_up_edit(&found, name, tokens, line)?;
        let name = name.map(|name| name.text.trim_end_matches('/'));
        let is_right = |name: &str| match is_new {
            true => !rule.writes() || is_directory(name) != Some(true),
            false => !rule.takes_name() || is_directory(name) != Some(false),
        };
        name.is_none_or(is_right).then_some((edit, request.get(words.clone())?.to_owned()))
    })
}

/// Reports whether a token may stand in a line as a name: no quotes needed, no option, and no word of the language.
fn is_plain_name(token: &Token) -> bool {
    let text = token.text.as_str();
    let is_plain = |c: char| c.is_alphanumeric() || "._-/~+".contains(c);
    !text.is_empty()
        && text.chars().all(is_plain)
        && !text.starts_with('-')
        && !text.get(1..).unwrap_or_default().contains('~')
        && !NO_NAMES.contains(&token.lower.as_str())
}

impl Rule {
    /// Returns where a phrase says all these words.
    fn says(&self, words: &[Token]) -> Option<Found> {
        let is_whole = |found: &Found| found.first == 0 && found.end == words.len();
        self.said.iter().find_map(|phrase| phrase.find(words, 0).filter(is_whole))
    }

    /// Reports whether its edit of a find means the whole expression: an action only where there is none and the output goes on as it
    /// is, a place below the only starting point.
    fn fits(&self, find: &FindExpression<'_>, command: &SimpleCommand) -> bool {
        const ACTIONS: [&str; 4] = ["-exec", "-printf", "-print0", "-delete"];
        let acts =
            self.find_add.as_ref().is_some_and(|text| ACTIONS.iter().any(|action| text.starts_with(action)));
        let is_of_start =
            self.find_add.as_ref().is_some_and(|text| text.contains("'./")) || self.find.is_some();
        let starts = command.words.iter().skip(1).take_while(|word| word.span.end <= find.options_at);
        let starts: Vec<&Word> =
            starts.filter(|word| !matches!(word.text.as_str(), "-H" | "-L" | "-P")).collect();
        // The `.` that a mark wants may be another word.
        let is_here = |word: &&Word| matches!(word.text.as_str(), "." | "./");
        let has_one = command.words.iter().any(|word| is_here(&word));
        let is_only_start = starts.len() <= 1 && (!has_one || starts.iter().all(is_here));
        (!acts || find.action().is_none() && command.redirections.is_empty())
            && (!is_of_start || is_only_start)
            && (self.forms.is_empty() || !find.tree.as_ref().is_some_and(Node::has_alternatives))
            && (!self.of_files || find.takes_files())
    }

    /// Reports whether its edit puts the name of something that must be there into the line.
    fn takes_name(&self) -> bool {
        let texts = [&self.add, &self.then, &self.behind, &self.find, &self.find_add];
        texts.into_iter().flatten().any(|text| text.contains("<name>/") || text.contains("=<name>"))
    }

    /// Reports whether its edit writes the named file.
    fn writes(&self) -> bool {
        self.behind.as_ref().is_some_and(|text| text.starts_with('>'))
    }

    /// Returns the edit of the line, and whether its name is one of a new file.
    fn follow_up_edit(
        &self,
        found: &Found,
        name: Option<&Token>,
        tokens: &[Token],
        line: &ParsedLine,
    ) -> Option<(Edit, bool)> {
        if self.lacks.iter().any(|mark| mark.is_in(line)) {
            return None;
        }
        // `sort a.txt > a.txt` empties the file first.
        if self.writes() && name.is_some_and(|name| !has_ending(&name.text) || may_read(line, &name.text)) {
            return None;
        }
        let command = self.line.iter().find_map(|mark| mark.command(line))?;
        // What follows must not be taken from the command, or read by another.
        let find = FindExpression::of(command);
        if find.as_ref().is_some_and(|find| !self.fits(find, command)) || self.of_files && find.is_none() {
            return None;
        }
        let ends = self.then.is_some() || self.behind.is_some();
        let is_end = command.span.end == line.text().trim_end().len() && command.within.is_empty();
        if ends && !(is_end && is_last(line, command)) {
            return None;
        }
        let extension = name.and_then(|name| extension(&name.lower));
        if self.also {
            return Some((also(line, command, extension?)?, true));
        }
        if self.count {
            return Some((counted(line, command, found.number?)?, true));
        }
        let edit = self.edit(tokens, line, command, found.number.unwrap_or(1))?;
        if edit.replacement.contains("<extension>") && extension.is_none() {
            return None;
        }
        let bare =
            name.map(|name| name.text.trim_start_matches("./").trim_end_matches('/')).unwrap_or_default();
        // A path of another place is none below this one.
        let is_below =
            !bare.is_empty() && !bare.starts_with(['/', '~']) && !bare.split('/').any(|part| part == "..");
        let is_path = edit.replacement.contains("'./<name>/*'");
        let is_directory_name = edit.replacement.contains("--exclude-dir=<name>");
        if is_path && !is_below || is_directory_name && bare.contains('/') {
            return None;
        }
        let without = match is_path {
            true => {
                let ends = line.own().commands.last().is_some_and(|last| last.span == command.span);
                find.as_ref()?.without(bare, ends)?
            }
            false => String::new(),
        };
        let with_name = |text: String| match name {
            Some(_) if is_path => text.replace("! -path './<name>/*'", &without),
            Some(_) => text.replace("<name>", bare).replace("<extension>", extension.unwrap_or_default()),
            None => text,
        };
        // Only `zip` is told by the ending of its archive.
        if edit.replacement.contains("zip <name>") && !bare.ends_with(".zip") {
            return None;
        }
        let is_new = self.writes();
        let edit = Edit { replacement: with_name(edit.replacement), change: with_name(edit.change), ..edit };
        Some((edit, is_new))
    }
}

/// Reports whether a name has an ending, as most files have and most directories don't.
fn has_ending(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    last.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty())
}

/// Reports whether a line may read a file of this name, which a redirection to it would empty first.
fn may_read(line: &ParsedLine, name: &str) -> bool {
    let bare = |text: &str| text.trim_start_matches("./").to_owned();
    let name = bare(name);
    let last = name.rsplit('/').next().unwrap_or(&name);
    let is_it = |word: &Word| {
        let text = bare(&word.text);
        let is_hidden = word.glob || !word.literal || !word.quoted && text.contains('{');
        is_hidden || text.ends_with(last) || name.starts_with(&format!("{}/", text.trim_end_matches('/')))
    };
    let reads = |command: &SimpleCommand| !command.redirections.is_empty() || command.words.iter().any(is_it);
    line.parsed().commands.iter().any(reads)
}

/// Returns the known extension that a word is: `png` of `pngs`, `.png` and `*.png`.
fn extension(word: &str) -> Option<&str> {
    let word = word.trim_start_matches('*').trim_start_matches('.');
    [Some(word), word.strip_suffix('s')].into_iter().flatten().find(|word| crate::extension::is_known(word))
}

/// Replaces the number of lines of `head` or `tail`, of which ten is the default.
fn counted(line: &ParsedLine, command: &SimpleCommand, number: u64) -> Option<Edit> {
    let mut words = command.words.iter();
    let name = words.next()?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let span = match (words.next(), words.next()) {
        (Some(option), Some(value)) if option.text == "-n" && is_number(&value.text) => {
            option.span.start..value.span.end
        }
        (Some(option), _)
            if option.text.strip_prefix("-n").or(option.text.strip_prefix('-')).is_some_and(is_number) =>
        {
            option.span.clone()
        }
        (first, _) if first.is_none_or(|word| !word.text.starts_with('-')) => {
            let end = name.span.end;
            return Some(Edit::replace(line.text(), end..end, format!(" -n {number}")));
        }
        _ => return None,
    };
    Some(Edit::replace(line.text(), span, format!("-n {number}")))
}

/// Adds the pattern of another extension beside the only one of a command.
fn also(line: &ParsedLine, command: &SimpleCommand, extension: &str) -> Option<Edit> {
    let raw = |span: &Span| line.text().get(span.clone());
    let other = |pattern: &str| {
        let (before, known) = pattern.rsplit_once("*.")?;
        (crate::extension::is_known(&known.to_lowercase()) && !known.eq_ignore_ascii_case(extension))
            .then(|| format!("{before}*.{extension}"))
    };
    if let Some(find) = FindExpression::of(command) {
        let mut names = find.primaries.iter().filter(|it| it.is_name_test());
        let (name, None) = (names.next().filter(|it| !it.negated)?, names.next()) else { return None };
        let new = other(&name.value?.text)?;
        let alternatives = format!("\\( {} -o {} '{new}' \\)", raw(&name.span)?, name.name);
        return Some(Edit::replace(line.text(), name.span.clone(), alternatives));
    }
    let mut patterns = command.words.iter().skip(1).filter_map(|word| Some((word, other(&word.text)?)));
    let (Some((word, new)), None) = (patterns.next(), patterns.next()) else { return None };
    let end = word.span.end;
    let is_include = word.text.starts_with("--include=");
    let is_pattern = word.glob && raw(&word.span)? == word.text && !word.text.starts_with('-');
    let new = match new.split_once('=') {
        Some((option, pattern)) if is_include => format!(" {option}='{pattern}'"),
        _ if is_pattern => format!(" {new}"),
        _ => return None,
    };
    Some(Edit::replace(line.text(), end..end, new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    /// Names without a dot are directories.
    fn after(words: &str, line: &str) -> Option<String> {
        let is_directory = |name: &str| Some(!name.trim_start_matches("./").contains('.'));
        follow_up(words, 0, &ParsedLine::new(line, Shell::Bash), &is_directory).map(|it| it.line)
    }

    #[test]
    fn parts_of_the_words() {
        for (words, line, expected) in [
            (
                "delete them",
                "find . -type f \\( -name a -o -name b \\)",
                "find . -type f \\( -name a -o -name b \\) -delete",
            ),
            (
                "older than 30 days",
                "find . -type f \\( -name a -o -name b \\)",
                "find . -type f \\( -name a -o -name b \\) -mtime +30",
            ),
            ("not in ./sub", "find . -type f", "find . -type f ! -path './sub/*'"),
            (
                "except keep",
                "find . -type d -empty -delete",
                "find . -type d -empty ! -path './keep' ! -path './keep/*' -delete",
            ),
            ("only the first 3", "git log -p", "git log -n 3 -p"),
            (
                "lowest first",
                "cut -d' ' -f1 a.log | sort | uniq -c | sort -rn",
                "cut -d' ' -f1 a.log | sort | uniq -c | sort -n",
            ),
            ("with 2 lines around them", "grep ERROR app.log", "grep -C2 ERROR app.log"),
            (
                "older than 30 days and not in subfolders",
                "find . -type f -size +5M",
                "find . -maxdepth 1 -type f -size +5M -mtime +30",
            ),
            (
                "only files bigger than 10 MB, newest first",
                "find . -type f",
                "find . -type f -size +10M -printf '%T+ %p\\n' | sort -r",
            ),
        ] {
            assert_eq!(after(words, line).as_deref(), Some(expected), "{words}");
        }
        let (request, own) = ("processes using most memory, top 5", "top 5");
        let line = ParsedLine::new("ps -eo pid,comm --sort=-pmem | head -n 11", Shell::Bash);
        let changed = follow_up(request, request.len() - own.len(), &line, &|_| None).unwrap();
        assert_eq!(changed.line, "ps -eo pid,comm --sort=-pmem | head -n 6", "the first line is a header");
        for (words, line) in [
            ("files older than 30 days", "find . -type f -size +5M"),
            ("older than 30 days, but not those of ann", "find . -type f -size +5M"),
            ("not in subfolders", "ls -l"),
            ("how many", "find . -delete"),
            ("how many", "find . -type f; ls"),
            // Conditions of a part, or turned round.
            ("not in sub", "find . -type l ! -exec test -e {} \\; -delete"),
            ("older than 30 days", "find . -type f ! -exec grep -q x {} \\; -print"),
            ("delete them", "find . ! -type f -name '*.jpg'"),
            ("delete them", "find . -type d -name f"),
            ("delete them", "find . -name '*.jpg'"),
            ("delete all", "find . -type f"),
            ("smaller than 10 MB", "find . -type f -size +5M"),
            ("newer than 10 days", "find . -type f -mtime +5"),
            ("copy all to old", "find . -type f"),
            // Names of other places, and files that are read.
            ("not in ~", "find . -type f"),
            ("not in /tmp", "find . -type f"),
            ("not in ../x", "find . -type f"),
            ("into a.csv", "sort a.csv"),
            ("into a.csv", "sort ./a.csv"),
            ("into a.csv", "jq . < a.csv"),
            ("into a.csv", "cut -d, -f1 *.csv"),
            ("into a.csv", "cut -d, -f1 ./docs/../a.csv"),
            ("into a.csv", "sort {a,b}.csv"),
            ("into a.csv", "sort $PWD/a.csv"),
            ("into docs/y.tmp", "grep -r ERROR docs"),
            ("also in b.csv", "grep ERROR app.log"),
            ("in b.csv", "grep ERROR app.log"),
            ("put them in ./old", "find . -type f"),
            ("pack them into old.tar.gz", "find . -type f -mtime +30"),
            ("compress them to b.csv", "find . -type f -mtime +30"),
            ("not in sub", "find docs -type f -newer ."),
            ("only show them", "find . -type f \\( -name '*.tmp' -delete -o -print \\)"),
            ("only the file names", "git diff HEAD~1 | grep '^+'"),
            ("with files", "git log --oneline | wc -l"),
            ("only the last 3", "git log --oneline | grep fix"),
            ("top 3", "sort notes.txt"),
            ("only the 3 biggest", "wc -l *.txt | sort -n"),
            ("not in src/gen", "grep -rn TODO ."),
            ("not in build", "find . src -type f"),
            ("delete them", "find . -type f -mtime +30 > list.txt"),
            ("except keep/sub", "find . -mindepth 1 -mtime +30 -exec rm -rf {} +"),
            ("delete them", "find . -type f -fprintf out.txt '%p'"),
            ("delete them", "find . \\( -type f -o -type d \\) -mtime +30"),
            ("with dates", "find . -type f -print"),
            ("only show them", "find . \\( -name a -delete \\) -o -print"),
            ("how many", "sort -o out.txt a.csv"),
            ("how many", "ls src docs"),
            ("only the last 3", "git log --oneline | wc -l"),
            // Other shells, places and commands.
            ("newest first", "ssh host 'find . -type f'"),
            ("newest first", "bash -c 'find . -type f'"),
            ("delete them", "ssh host find . -type f -name '*.jpg'"),
            ("newest first", "for f in $(find . -type f); do echo $f; done"),
            ("newest first", "cd sub && find . -type f"),
            ("newest first", "find . -type f 2> /dev/null"),
            ("also png", "find . -name '*.jpg' -print0 | xargs -0 rm"),
            // Another end of the order, and headers.
            ("only the 3 biggest", "du -ah . | sort -h | head -n 10"),
            ("only the first 3", "head -n 10 notes.txt | tail -n 5"),
            ("only the first 2", "ls -tr | tail -n 5"),
            ("only the first 3", "ps aux"),
            ("only the first 3", "git stash clear"),
            ("how many", "tail -f app.log"),
            ("how many", "git branch --delete x"),
            ("sort by date", "git branch x"),
            ("into -x", "ls"),
            ("into $(reboot).txt", "ls"),
            ("", "ls"),
        ] {
            assert_eq!(after(words, line), None, "{words}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(words: String, line: String) {
            let _ = after(&words, &line);
        }
    }

    #[test]
    fn examples_of_rules() {
        let mut faults = Vec::new();
        for rule in RULES.iter() {
            assert_eq!(rule.wrong.len(), rule.right.len(), "{:?}", rule.right);
            assert!(
                !rule.wrong.is_empty() && !rule.said.is_empty() && !rule.line.is_empty(),
                "{:?}",
                rule.right
            );
            for ((words, before), (again, expected)) in rule.wrong.iter().zip(&rule.right) {
                assert_eq!(words, again);
                let got = after(words, before);
                if got.as_ref() != Some(expected) {
                    faults.push(format!("{words} | {before}\n  got {got:?}\n  not {expected}"));
                }
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
