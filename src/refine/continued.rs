//! What a line keeps of the answer before it, when words go on from that: "delete them" after a search.

use super::{Candidate, YOUR_WORDS, check_and_repair, is_refuted};
use crate::examine::Examiner;
use crate::presses::{EXTENSIONS, instead, joined, names_earlier};
use askline_check::finding::{Finding, FindingKind, Severity};
use askline_check::reference::Reference as _;
use askline_model::prompt::Solved;
use askline_risk::{Around, judge};
use askline_syntax::{ParsedLine, SimpleCommand, Word, program_name};

/// Words of `find` that are no tests or limits: actions that take no command, operators, and how it walks.
const NO_TESTS: [&str; 22] = [
    "-delete",
    "-print",
    "-print0",
    "-printf",
    "-ls",
    "-fls",
    "-fprint",
    "-fprint0",
    "-fprintf",
    "-quit",
    "-o",
    "-or",
    "-a",
    "-and",
    "-not",
    "-depth",
    "-follow",
    "-noleaf",
    "-regextype",
    "-H",
    "-L",
    "-P",
];
/// Actions of `find` that run a command, which ends with `;` or `+`.
const RUNNING: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
/// Minimum length of a word that is replaced, in bytes.
const WORD_MIN: usize = 2;

/// The kind of a word that another one replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Path,
    Number,
    Extension,
    Name,
    Word,
}

/// Programs that take some lines of what they read.
const TAKING: [&str; 4] = ["head", "tail", "grep", "awk"];
/// Verbs of a request that asks for nothing but the deletion, and the words beside them.
const DELETION_VERBS: [&str; 5] = ["delete", "remove", "erase", "rm", "purge"];
const DELETION_WORDS: [&str; 17] = [
    "them", "those", "these", "it", "all", "of", "please", "pls", "now", "and", "the", "file", "files",
    "folders", "ones", "results", "matches",
];
/// Words of `find` behind which `-delete` would not do what it says, or that print in another form.
const NOT_BEFORE_DELETE: [&str; 13] = [
    "-delete", "-exec", "-execdir", "-ok", "-okdir", "-printf", "-print0", "-ls", "-prune", "-quit", "-o",
    "-or", ",",
];

/// What is said of a line that deletes something after an answer that did not, if no word asks for that.
const UNASKED: &str = "it deletes files, and neither your words nor the last answer do";

/// Adds what a line lost of the earlier answer. A deletion that lost a condition of the earlier search becomes that search with
/// `-delete`, where the words ask for nothing else. `own` are the words that go on from the earlier request.
pub(super) fn with(before: &Solved, own: &str, candidate: Candidate, examiner: &Examiner<'_>) -> Candidate {
    let candidate = match swapped(before, own, &candidate, examiner) {
        Some(swapped) => {
            return Candidate { certainty: candidate.certainty, writer: candidate.writer, ..swapped };
        }
        None => candidate,
    };
    let lost = lost_condition(before, own, &candidate.line, examiner);
    if lost.is_some()
        && let Some(deleting) = deleting(before, own, examiner)
    {
        let writer = candidate.writer;
        return Candidate { certainty: candidate.certainty, writer, ..deleting };
    }
    let lost = lost.or_else(|| lost_place(before, own, &candidate.line, examiner));
    let mut candidate = candidate;
    let whole = joined(&before.request, own);
    let unasked = askline_intent::deletes_unasked(&whole, &examiner.parse(&before.command), &candidate.line);
    let unasked = unasked.then(|| (Severity::Error, UNASKED.to_owned()));
    let told = lost.map(|text| (Severity::Warning, text)).into_iter().chain(unasked);
    candidate.report.findings.extend(told.map(|(grade, text)| Finding {
        kind: FindingKind::Intent,
        span: 0..candidate.line.text().len(),
        grade,
        text,
        evidence: YOUR_WORDS.to_owned(),
        fixes: Vec::new(),
    }));
    candidate
}

/// Returns the earlier command with one thing in the place of another: "same for png". `None` if the line names that thing itself, or
/// if it is not clear whose place it takes.
fn swapped(before: &Solved, own: &str, candidate: &Candidate, examiner: &Examiner<'_>) -> Option<Candidate> {
    let new = instead(own)?;
    let has = |text: &str| whole_places(candidate.line.text(), text).next().is_some();
    if has(new) && taken_over(before, new).iter().any(|word| !has(word)) {
        return None;
    }
    swap(before, new, examiner)
}

/// Returns the earlier command with `new` in the place of the only word of its kind.
pub(super) fn swap(before: &Solved, new: &str, examiner: &Examiner<'_>) -> Option<Candidate> {
    let old = replaced(before, new, examiner)?;
    // The `tar` of `tar -xf backup.tar` is a program.
    let parsed = examiner.parse(&before.command);
    let names: Vec<usize> = parsed
        .parsed()
        .commands
        .iter()
        .filter_map(|command| Some(command.words.first()?.span.start))
        .collect();
    let (mut line, mut end) = (String::new(), 0);
    for at in whole_places(&before.command, old) {
        if names.contains(&at) {
            return None;
        }
        let written = before.command.get(at..at + old.len())?;
        line.push_str(before.command.get(end..at)?);
        // `bern.csv` of "Bern" becomes `basel.csv`.
        let is_lower = written != old && written == written.to_lowercase();
        line.push_str(&if is_lower { new.to_lowercase() } else { new.to_owned() });
        end = at + old.len();
    }
    line.push_str(before.command.get(end..)?);
    if line == before.command {
        return None;
    }
    let mut swapped = check_and_repair(examiner.clean(&line).ok()?, examiner, None);
    swapped.repairs.push(format!("{old} → {new} in your last answer"));
    (!is_refuted(&swapped)).then_some(swapped)
}

/// Returns the only word of the earlier request that its command has and that is of the same kind: an extension, a path, a number, a
/// name with a capital, or the name of something that is here, as the new one is.
fn replaced<'b>(before: &'b Solved, new: &str, examiner: &Examiner<'_>) -> Option<&'b str> {
    let mut found = taken_over(before, new);
    found.extend(plural_extensions(before));
    let exists = |word: &str| examiner.knowledge.exists(word) == Some(true);
    let is_extension = EXTENSIONS.contains(&new) && !exists(new);
    let kind = |word: &str| match word {
        _ if word.contains(['.', '/']) => Kind::Path,
        _ if word.chars().all(|c| c.is_ascii_digit()) => Kind::Number,
        _ if EXTENSIONS.contains(&word) && is_extension => Kind::Extension,
        _ if word.starts_with(char::is_uppercase) => Kind::Name,
        _ => Kind::Word,
    };
    let is_same = |word: &&str| kind(word) == kind(new);
    // What is here is replaced by what is here.
    let is_possible = |word: &&str| match kind(new) {
        Kind::Word => exists(word) && exists(new),
        Kind::Path => !exists(word) || exists(new),
        _ => true,
    };
    let mut same = found.into_iter().filter(is_same).filter(is_possible);
    same.next().filter(|_| same.next().is_none())
}

/// Returns the extensions of which the earlier request has the plural and its command the pattern: "pngs".
fn plural_extensions(before: &Solved) -> Vec<&'static str> {
    let words = before.request.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let words: Vec<String> = words.collect();
    let is_said = |extension: &&str| {
        words.iter().any(|word| word.strip_suffix('s') == Some(extension))
            && places(&before.command, extension).next().is_some()
    };
    EXTENSIONS.into_iter().filter(is_said).collect()
}

/// Returns the words of the earlier request that its command has, each once.
fn taken_over<'b>(before: &'b Solved, new: &str) -> Vec<&'b str> {
    let words = before.request.split(|c: char| !c.is_alphanumeric() && !"._-/".contains(c));
    let words = words.map(|word| word.trim_matches(['.', '-']));
    let is_long = |word: &&str| WORD_MIN <= word.len() && !word.eq_ignore_ascii_case(new);
    let mut found: Vec<&str> = Vec::new();
    for word in words.filter(is_long).filter(|word| whole_places(&before.command, word).next().is_some()) {
        if !found.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            found.push(word);
        }
    }
    found
}

/// Returns where a text has a word, but not where an extension is a part of a path: the `log` of `/var/log`.
fn whole_places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_extension = EXTENSIONS.contains(&word);
    places(text, word).filter(move |at| {
        let ends = |c: char| c == '/' || c.is_whitespace() || "\"'".contains(c);
        let before = text.get(..*at).and_then(|it| it.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|it| it.chars().next());
        // A whole component of a path, but not the only one.
        let is_component = before.is_none_or(ends)
            && behind.is_none_or(ends)
            && (before == Some('/') || behind == Some('/'));
        !(is_extension && is_component)
    })
}

/// Returns where a text has a word, whatever its capitals.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.char_indices().map(|(at, _)| at).filter(move |at| {
        let is_it = text.get(*at..at + word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
        is_it
            && !word.is_empty()
            && is_end(text.get(..*at).and_then(|before| before.chars().next_back()))
            && is_end(text.get(at + word.len()..).and_then(|behind| behind.chars().next()))
    })
}

/// Returns the words of the tests and limits of each `find` of a line.
pub(super) fn tests_of(line: &ParsedLine) -> Vec<&Word> {
    let commands = &line.parsed().commands;
    let is_find = |command: &&SimpleCommand| {
        command.name().is_some_and(|name| matches!(program_name(name), "find" | "gfind"))
    };
    let mut is_in_command = false;
    let mut is_test = |word: &&Word| {
        let text = word.text.as_str();
        is_in_command = if is_in_command { !matches!(text, ";" | "+") } else { RUNNING.contains(&text) };
        !is_in_command && text.starts_with('-') && !NO_TESTS.contains(&text)
    };
    commands.iter().filter(is_find).flat_map(|command| &command.words).filter(|word| is_test(word)).collect()
}

/// Says which condition of the earlier answer a line lost that destroys what was found.
fn lost_condition(before: &Solved, own: &str, line: &ParsedLine, examiner: &Examiner<'_>) -> Option<String> {
    if !names_earlier(own) || !judge(line, &Around::nothing()).destroys() {
        return None;
    }
    let earlier = examiner.parse(&before.command);
    let shown = |test: &Word| {
        let words = earlier.parsed().commands.iter().flat_map(|command| &command.words);
        let value = words.skip_while(|word| word.span != test.span).nth(1);
        let end = value.filter(|value| !value.text.starts_with('-')).unwrap_or(test).span.end;
        earlier.text().get(test.span.start..end).map(str::to_owned)
    };
    let mut kept: Vec<&str> = tests_of(line).iter().map(|word| word.text.as_str()).collect();
    let mut is_lost = |test: &&Word| match kept.iter().position(|own| *own == test.text) {
        Some(at) => {
            kept.swap_remove(at);
            false
        }
        None => true,
    };
    let lost = tests_of(&earlier).into_iter().find(&mut is_lost).and_then(shown);
    let lost = lost.or_else(|| lost_filter(&earlier, line).map(str::to_owned))?;
    Some(format!("your last answer took only some of them, by `{lost}`; this line does not"))
}

/// Returns the program by which the earlier line took some of what it read, if the later one has neither that nor its pattern.
fn lost_filter<'l>(earlier: &'l ParsedLine, line: &ParsedLine) -> Option<&'l str> {
    let takes = |line: &ParsedLine, program: &str| {
        line.parsed().commands.iter().filter_map(SimpleCommand::name).any(|name| name == program)
    };
    // `pkill node` after `ps aux | grep node`
    let has_pattern = |command: &SimpleCommand| {
        let words = || command.words.iter().skip(1);
        let is_turned = |word: &Word| {
            word.text == "--invert-match"
                || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('v')
        };
        // `grep -v grep` leaves out the search itself.
        if command.name() != Some("grep") || words().any(is_turned) {
            return command.name() == Some("grep") && words().any(|word| word.text == "grep");
        }
        // `grep -A 2 node`
        let has_value =
            words().any(|word| matches!(word.text.as_str(), "-A" | "-B" | "-C" | "-m" | "-e" | "-f"));
        let is_option =
            |word: &&Word| word.text.starts_with('-') || has_value && word.text.parse::<u64>().is_ok();
        let pattern = words().find(|word| !is_option(word)).map(|word| word.text.replace(['[', ']'], ""));
        pattern.is_some_and(|text| WORD_MIN <= text.len() && line.text().contains(&text))
    };
    let filters = earlier.parsed().commands.iter().filter(|command| {
        command.name().is_some_and(|name| TAKING.contains(&name) && !takes(line, name))
            && !has_pattern(command)
    });
    filters.filter_map(SimpleCommand::name).next()
}

/// Returns the earlier search with `-delete`; `None` if it is no search alone, or if the words ask for more.
fn deleting(before: &Solved, own: &str, examiner: &Examiner<'_>) -> Option<Candidate> {
    let earlier = examiner.parse(&before.command);
    let [find] = earlier.own().commands.as_slice() else { return None };
    let is_search = find.name() == Some("find")
        && find.redirections.is_empty()
        && find.within.is_empty()
        && !tests_of(&earlier).is_empty()
        && !find.words.iter().any(|word| NOT_BEFORE_DELETE.contains(&word.text.as_str()));
    let words: Vec<String> =
        own.split_whitespace().map(|word| word.trim_matches(['.', '!', ',']).to_lowercase()).collect();
    let is_verb = |word: &String| DELETION_VERBS.contains(&word.as_str());
    let is_deletion = words.iter().any(is_verb)
        && words.iter().all(|word| is_verb(word) || DELETION_WORDS.contains(&word.as_str()));
    // "those files" of a search that finds folders, too; `-delete` leaves folders that are full.
    let says = |nouns: &[&str]| words.iter().any(|word| nouns.contains(&word.as_str()));
    let takes = |letter: &str| {
        let mut pairs = find.words.iter().zip(find.words.iter().skip(1));
        pairs.any(|(option, value)| option.text == "-type" && value.text == letter)
    };
    let is_other_kind = says(&["folders"]) || takes("d") || says(&["file", "files"]) && !takes("f");
    if !is_search || !is_deletion || is_other_kind {
        return None;
    }
    let end = find.words.last()?.span.end;
    let cleaned = examiner.clean(&format!("{} -delete", before.command.get(..end)?)).ok()?;
    let mut deleting = check_and_repair(cleaned, examiner, None);
    deleting.repairs.push("kept the conditions of your last answer".to_owned());
    Some(deleting)
}

/// Says which file or directory of the earlier command the line is no longer about, although the words
/// name no other one: "only those over 1 MB" after `find photos -name '*.jpg'`.
fn lost_place(before: &Solved, own: &str, line: &ParsedLine, examiner: &Examiner<'_>) -> Option<String> {
    let is_here = |name: &str| examiner.knowledge.exists(name) == Some(true);
    if own.split_whitespace().any(|word| is_here(word.trim_matches(['"', '\'', ',', '.', '?']))) {
        return None;
    }
    let earlier = examiner.parse(&before.command);
    let words = earlier.parsed().commands.iter().flat_map(|command| command.words.iter().skip(1));
    let is_place = |word: &&Word| {
        let name = word.text.trim_matches(['.', '/']);
        word.literal && !name.is_empty() && !name.starts_with('-') && is_here(&word.text)
    };
    let lost = words
        .filter(is_place)
        .find(|word| !line.text().contains(word.text.trim_start_matches("./").trim_end_matches('/')))?;
    Some(format!("your last answer was about `{}`; this line is not", lost.text))
}
