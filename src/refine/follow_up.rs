//! Answers without a model: the last command, changed by words that go on from it and are all understood.

use super::{Candidate, Refined, Spent, check_and_repair, continued, cost};
use crate::examine::Examiner;
use crate::presses::{instead, joined};
use askline_check::reference::Reference as _;
use askline_intent::here;
use askline_manual::{Arity, OptionDoc};
use askline_model::prompt::Solved;
use askline_risk::{Around, Harm, judge};
use askline_syntax::options::documents_bundle;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Maximum number of words that may name an option.
const WORDS_MAX: usize = 6;
/// Options, without `no-` and `show-`, that do what their name says whatever the program: `--tags` of `git log` chooses other commits.
const CLEAR: [&str; 32] = [
    "dry-run",
    "progress",
    "verbose",
    "quiet",
    "silent",
    "merges",
    "oneline",
    "stat",
    "graph",
    "merged",
    "color",
    "colour",
    "human-readable",
    "recursive",
    "recursively",
    "reverse",
    "follow",
    "ignore-case",
    "line-number",
    "staged",
    "cached",
    "name-only",
    "name-status",
    "summary",
    "short",
    "decorate",
    "patch",
    "preserve",
    "update",
    "parents",
    "hidden",
    "no-ignore",
];
/// Words beside those that name an option: "show progress", "do a dry run first".
const BESIDE: [&str; 31] = [
    "a", "also", "and", "as", "but", "do", "first", "in", "it", "just", "make", "mode", "now", "ones",
    "only", "option", "or", "please", "show", "the", "them", "those", "these", "then", "this", "time", "too",
    "use", "using", "well", "with",
];
/// Second words with subcommands of their own, to which options belong: `git stash pop`.
const GROUPS: [&str; 12] = [
    "stash",
    "worktree",
    "remote",
    "submodule",
    "bisect",
    "notes",
    "compose",
    "container",
    "image",
    "volume",
    "network",
    "mod",
];
/// Words before what an option is to leave out.
const WITHOUT: [&str; 3] = ["without", "no", "not"];

/// Returns the command of the last answer, changed by `own` words that go on from it. `None` unless the words say clearly what to
/// change, and the checks find nothing in the new line that they did not find in the last.
pub fn follow_up(before: &Solved, own: &str, examiner: &Examiner<'_>) -> Option<Refined> {
    let best = swapped(before, own, examiner)
        .or_else(|| changed(before, own, examiner))
        .or_else(|| with_option(before, own, examiner))?;
    tracing::debug!("the last answer, changed: {:?}", best.line.text());
    Some(Refined { best, alternatives: Vec::new(), rounds: 0, time: Spent::default() })
}

fn swapped(before: &Solved, own: &str, examiner: &Examiner<'_>) -> Option<Candidate> {
    continued::swap(before, instead(own)?, examiner)
}

fn changed(before: &Solved, own: &str, examiner: &Examiner<'_>) -> Option<Candidate> {
    let request = joined(&before.request, own);
    let own_from = request.len().checked_sub(own.len())?;
    let earlier = examiner.parse(&before.command);
    let is_directory = |name: &str| Some(examiner.knowledge.is_directory(name) == Some(true));
    let changed = askline_intent::follow_up(&request, own_from, &earlier, &is_directory)?;
    checked(&request, &earlier, &changed.line, changed.changes, examiner)
}

/// Returns the command with the option of [`CLEAR`] that the words name, if the manual of its program documents it without a value.
fn with_option(before: &Solved, own: &str, examiner: &Examiner<'_>) -> Option<Candidate> {
    let earlier = examiner.parse(&before.command);
    let [command] = earlier.own().commands.as_slice() else { return None };
    let words: Vec<String> =
        own.split_whitespace().map(|word| word.trim_matches(['.', ',', '!']).to_lowercase()).collect();
    let said: Vec<&str> = words.iter().map(String::as_str).filter(|word| !BESIDE.contains(word)).collect();
    let (negated, named) = match said.split_first()? {
        (first, rest) if WITHOUT.contains(first) => (true, rest),
        _ => (false, said.as_slice()),
    };
    let name = named.join("-");
    if WORDS_MAX < words.len() || !CLEAR.contains(&name.as_str()) {
        return None;
    }
    let level: Vec<&str> =
        command.words.iter().take(2).take_while(|word| word.literal).map(|word| word.text.as_str()).collect();
    let facts = examiner.knowledge.known(&level);
    let manual = facts.manual.as_ref()?;
    let names = if negated {
        vec![format!("--no-{name}")]
    } else {
        vec![format!("--{name}"), format!("--show-{name}"), format!("--{}", name.trim_end_matches("ly"))]
    };
    let takes_none = |option: &&String| {
        manual.option(option).is_some_and(|doc| matches!(doc.value, Arity::None | Arity::Optional))
    };
    let option = names.iter().find(takes_none)?;
    let doc = manual.option(option)?;
    if command.words.iter().any(|word| gives(word, doc)) || !may_take_option(command, option) {
        return None;
    }
    let at = command.words.get(facts.above.len())?.span.end;
    let (start, end) = before.command.split_at_checked(at)?;
    let line = format!("{start} {option}{end}");
    let request = joined(&before.request, own);
    let change = format!("+ {option}: you said \"{}\"", own.trim());
    let candidate = checked(&request, &earlier, &line, vec![change], examiner)?;
    let around = Around::nothing();
    let is_safe = judge(&candidate.line, &around).label <= judge(&earlier, &around).label
        && !Harm::of(&candidate.line).grows(&Harm::of(&earlier).harms());
    is_safe.then_some(candidate)
}

/// Reports whether a word gives an option, alone or in a bundle.
fn gives(word: &Word, doc: &OptionDoc) -> bool {
    let letters = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    doc.names.iter().any(|name| {
        let letter = name.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
        word.text == *name || letter.is_some_and(|letter| letters.contains(letter))
    })
}

/// Reports whether an option behind its name means the whole command: not before a bundle (`tar czf`), the subcommand of a group, or a
/// key with letters of its own, which goes before `sort -r` (sort(1), KEYDEF).
fn may_take_option(command: &SimpleCommand, option: &str) -> bool {
    let name = command.name().unwrap_or_default();
    let second = command.words.get(1).map_or("", |word| word.text.as_str());
    let is_bundle = documents_bundle(name) && !second.starts_with('-');
    let is_group =
        GROUPS.contains(&second) && command.words.get(2).is_some_and(|word| !word.text.starts_with('-'));
    let has_letters = |word: &Word| {
        let key = word.text.strip_prefix("-k").unwrap_or(&word.text);
        key.starts_with(|c: char| c.is_ascii_digit()) && key.ends_with(|c: char| c.is_ascii_alphabetic())
    };
    let is_of_key = option.contains("reverse") && name == "sort" && command.words.iter().any(has_letters);
    !is_bundle && !is_group && !is_of_key
}

/// Returns the new line if the checks find nothing in it that they did not find in the earlier one.
fn checked(
    request: &str,
    earlier: &ParsedLine,
    line: &str,
    changes: Vec<String>,
    examiner: &Examiner<'_>,
) -> Option<Candidate> {
    let mut candidate = check_and_repair(examiner.clean(line).ok()?, examiner, None);
    let is_worse = cost(&examiner.examine(earlier.text()).report) < cost(&candidate.report);
    let contradicted =
        |line: &ParsedLine| here::contradictions(request, line, &examiner.knowledge.here(line)).len();
    if is_worse || contradicted(earlier) < contradicted(&candidate.line) {
        tracing::debug!("no follow-up {line:?}: the checks find more in it than in the last line");
        return None;
    }
    candidate.repairs = [changes, candidate.repairs].concat();
    Some(candidate)
}
