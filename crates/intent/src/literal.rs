//! Names, texts and numbers of the request that the line must contain.

use crate::demand::Demands;
use crate::glob;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::quantity::{nth, number};
use crate::request::{Token, is_name};
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

/// Minimum length of a name from which a similar word counts as a misspelling of it, in characters.
const SIMILAR_MIN_CHARS: usize = 6;
/// Smallest number that must be exact, even if a header or an exception moves a count.
const YEARS_FROM: u64 = 1900;
/// Factors between the unit of a request and that of an option.
const FACTORS: [u64; 16] =
    [1, 2, 5, 7, 24, 30, 60, 365, 512, 1000, 1024, 1440, 3600, 86_400, 1_048_576, 1_073_741_824];

/// Marks of an open list or an example, which the line need not repeat: "num.aa, num.ab, …".
const OPEN_LISTS: [&str; 5] = ["…", "...", " so on", " etc", "->"];
/// Words in the place of a name that the line makes up: `backup-YYYY-MM-DD.tar`.
const PLACEHOLDERS: [&str; 17] = [
    "YYYY",
    "yyyy",
    "<",
    "DATE",
    "NAME",
    "ITEM",
    "ADDRESS",
    "HOST",
    "USER",
    "FILE",
    "NUMBER",
    "DIGIT",
    "NNN",
    "NN-",
    ".NUM",
    "YESTERDAY",
    "TODAY",
];
/// Programs that make a name out of another one, and how it ends.
const NAME_MAKERS: [(&str, &str); 11] = [
    ("gzip", ".gz"),
    ("bzip2", ".bz2"),
    ("xz", ".xz"),
    ("zstd", ".zst"),
    ("lz4", ".lz4"),
    ("gcc", ".o"),
    ("gcc", ".s"),
    ("pdftotext", ".txt"),
    ("flask", ".py"),
    ("tesseract", ".txt"),
    ("gpg", ".asc"),
];
/// Programs that read files without being told their names, and how these begin.
const OWN_FILES: [(&str, &str); 12] = [
    ("mount", "/etc/fstab"),
    ("findmnt", "/etc/fstab"),
    ("getent", "/etc/"),
    ("npm", "package"),
    ("yarn", "package"),
    ("pnpm", "package"),
    ("cargo", "Cargo."),
    ("go", "go."),
    ("make", "Makefile"),
    ("docker", "docker-compose"),
    ("docker", "compose"),
    ("perf", "perf.data"),
];
/// Programs that remove or overwrite what they name: a name that such a line puts together is not sure to be the named one.
const REMOVERS: [&str; 9] = ["rm", "rmdir", "unlink", "shred", "trash", "trash-put", "truncate", "dd", "tee"];
/// Parts of lines that mean a number without saying it: units, forms of dates, defaults, permissions.
const MEANT: [(&str, u64); 15] = [
    ("/proc/loadavg", 5),
    ("/proc/loadavg", 15),
    ("transpose=", 90),
    ("df -H", 1000),
    ("nmap -F", 100),
    ("=iec", 1024),
    ("=si", 1000),
    ("%s", 1970),
    ("%Y", 1970),
    ("%I", 12),
    ("=rwX", 755),
    ("=rwX", 644),
    ("=rwX,go= ", 700),
    ("=rwX,go= ", 600),
    ("* 1.1", 10),
];
/// Parts of lines in which a header, a limit or an exception moves a number by one.
const MOVES: [&str; 18] = [
    "..", "ps ", "df", "ls -l", "+", "-size", "seq", "{", "NR", "- 1", "-gt", "-lt", "$", "-n -", "~",
    "-newer", "depth ", "select(",
];
/// Maximum number of words between "like" and a word of its example.
const EXAMPLE_MAX: usize = 8;

/// Reports whether the names and numbers of a request may stand for others.
pub(crate) fn is_open(request: &str) -> bool {
    OPEN_LISTS.iter().any(|mark| request.contains(mark))
}

/// Reports whether a word is in the place of a name that the line makes up.
pub(crate) fn is_placeholder(text: &str) -> bool {
    // `Q1..Q4` is a row of names.
    let is_row = text.split_once("..").is_some_and(|(first, last)| {
        first.ends_with(|c: char| c.is_ascii_digit()) && last.starts_with(char::is_alphanumeric)
    });
    // `10.8.x.x` is a row of addresses.
    let is_net = text.starts_with(|c: char| c.is_ascii_digit()) && text.split('.').any(|part| part == "x");
    // In `deck_vN.pptx` and `sub-NN.csv` a number stands.
    let is_numbered = text.rsplit_once('.').is_some_and(|(stem, _)| {
        let before = stem.trim_end_matches('N');
        let is_part = |c: char| c.is_lowercase() || matches!(c, '-' | '_');
        before.len() < stem.len() && before.ends_with(is_part)
    });
    is_row || is_net || is_numbered || PLACEHOLDERS.iter().any(|placeholder| text.contains(placeholder))
}

/// Reports whether a word belongs to an example, which the line need not repeat: "like a.txt and b.txt", "as 20240331".
fn is_example(tokens: &[Token], index: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let before = index.checked_sub(1).map_or("", word);
    matches!(before, "as" | "e.g" | "ie" | "i.e" | "eg")
        || before == "with" && 1 < index && word(index - 2) == "as"
        || is_like_example(tokens, index)
}

/// Reports whether a word is one of the next ones behind "like" or "such as".
pub(crate) fn is_like_example(tokens: &[Token], index: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let is_like = |at: &usize| {
        let before = at.checked_sub(1).map_or("", word);
        word(*at) == "like" && !matches!(before, "would" | "id" | "i" | "you")
            || word(*at) == "as" && before == "such"
    };
    (index.saturating_sub(EXAMPLE_MAX)..index).any(|at| is_like(&at))
}

/// Reports whether a word is the name of a column that the line takes by its number: "the QUAL column", "MAPQ (col 5)".
pub(crate) fn is_column(tokens: &[Token], index: usize, line: &ParsedLine) -> bool {
    let next = tokens.get(index + 1).map_or("", |token| token.lower.as_str());
    let by_number = |command: &SimpleCommand| matches!(command.name(), Some("cut" | "awk" | "sort"));
    matches!(next, "column" | "columns" | "col" | "field") && line.parsed().commands.iter().any(by_number)
}

/// Reports whether a quoted text is in parentheses with other words that state no condition: `(lines name = "x")` says what
/// lines look like.
fn is_explained(request: &str, token: &Token) -> bool {
    const CONDITIONS: [&str; 14] = [
        "with",
        "without",
        "containing",
        "contain",
        "has",
        "have",
        "named",
        "called",
        "not",
        "or",
        "and",
        "only",
        "in",
        "starting",
    ];
    let before = request.get(..token.span.start).unwrap_or_default();
    let inner = before.rsplit_once('(').map(|(_, inner)| inner.trim_end_matches(['"', '\'', '`']).trim());
    token.quoted
        && inner.is_some_and(|inner| {
            !inner.is_empty()
                && !inner.contains(')')
                && !inner.split_whitespace().any(|word| CONDITIONS.contains(&word))
        })
}

/// Reports whether a quoted text only shows what lines look like: `lines are "name: text"`, `in log.txt, lines "name: text"`.
fn is_shape(request: &str, tokens: &[Token], index: usize) -> bool {
    let Some(token) = tokens.get(index).filter(|token| token.quoted && token.text.contains(' ')) else {
        return false;
    };
    let before = request.get(..token.span.start).unwrap_or_default();
    let before = before.trim_end_matches(['"', '\'', '`', '“']).trim_end_matches([' ', ':']).to_lowercase();
    let is_behind = |end: &&str| {
        let rest = before.strip_suffix(*end);
        rest.is_some_and(|rest| end.starts_with(',') || !rest.ends_with(char::is_alphanumeric))
    };
    ["are", "written", "format", "form", ", lines", "has lines", "have lines"].iter().any(is_behind)
}

/// Reports whether a word comes behind "instead of" or "no": the line has what replaces it.
fn is_replaced(tokens: &[Token], index: usize) -> bool {
    let word = |back: usize| {
        index.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str())
    };
    word(1) == "no" || word(1) == "of" && word(2) == "instead"
}

/// Reports whether a name is an end of a row of names: "part.aa to part.ad".
fn is_in_row(tokens: &[Token], index: usize) -> bool {
    let is_row = |first: usize| {
        let (one, to, other) = (tokens.get(first)?, tokens.get(first + 1)?, tokens.get(first + 2)?);
        let same = one.text.chars().zip(other.text.chars()).take_while(|(a, b)| a == b).count();
        let is_same_length = one.text.chars().count() == other.text.chars().count();
        Some(to.lower == "to" && is_same_length && same + 1 == one.text.chars().count())
    };
    is_row(index) == Some(true) || index.checked_sub(2).and_then(is_row) == Some(true)
}

/// Reports whether a name is to be left alone: "not *.TMP", "*.TMP stays".
fn is_left(tokens: &[Token], index: usize) -> bool {
    let is_one =
        |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| words.contains(&token.lower.as_str()));
    let keeps = ["not", "stay", "stays", "alone"];
    index.checked_sub(1).is_some_and(|before| is_one(before, &["not", "without", "keep", "leave"]))
        || is_one(index + 1, &keeps)
        || is_one(index + 2, &keeps)
}

/// Reports whether two words are one name in other letters: "TODO or todo", ".pdf and .PDF".
fn is_twin(one: &Token, other: &Token) -> bool {
    let bare = |token: &Token| token.lower.trim_start_matches(['*', '.']).to_owned();
    bare(one) == bare(other) && one.text != other.text
}

/// Reports whether the request has the same name in other letters.
pub(crate) fn has_twin(tokens: &[Token], token: &Token) -> bool {
    tokens.iter().any(|other| is_twin(other, token))
}

/// Returns a mismatch for each name or text of the request that the line lacks.
pub(crate) fn missing(request: &str, tokens: &[Token], line: &ParsedLine) -> Vec<Mismatch> {
    // A list of checksums names the files.
    let verifies = |command: &SimpleCommand| {
        command.name().is_some_and(|name| name.ends_with("sum")) && crate::mark::gives(command, 'c')
    };
    if is_open(request) || line.parsed().commands.iter().any(verifies) {
        return Vec::new();
    }
    let plain = without_pairs(&without_quotes(line.text()));
    let is_literal = |token: &&Token| (token.quoted || is_name(&token.text)) && !is_placeholder(&token.text);
    let is_wanted = |index: usize| {
        !is_example(tokens, index)
            && !is_shape(request, tokens, index)
            && !is_replaced(tokens, index)
            && !is_in_row(tokens, index)
            && !is_column(tokens, index, line)
    };
    let named = tokens.iter().enumerate().filter(|(index, _)| is_wanted(*index));
    // "*.tmp, not *.TMP": the line has the one that is wanted. ".pdf is the same as .PDF": the line may take any name.
    let is_other = |index: usize, token: &Token| {
        let mut twins = tokens.iter().filter(|other| is_twin(other, token)).peekable();
        twins.peek().is_some()
            && (is_left(tokens, index) || !twins.any(|other| contains(line, &plain, other)))
    };
    let absent = named.filter(|(index, token)| {
        is_literal(token)
            && !contains(line, &plain, token)
            && !is_explained(request, token)
            && !is_other(*index, token)
            && !is_narrowed(request, &plain, token)
    });
    absent.map(|(_, token)| mismatch(request, token, line)).collect()
}

/// Reports whether the line has a narrower pattern than the named one, by words of the request: `db-2023-*.gz` for "the db-*.gz
/// with a 2023 date".
fn is_narrowed(request: &str, plain: &str, token: &Token) -> bool {
    let request = request.to_lowercase();
    let is_said = |word: &str| {
        word.split(|c: char| !c.is_alphanumeric()).all(|part| request.contains(&part.to_lowercase()))
    };
    let extra =
        |word: &str| word.split(['*', '?', '-', '_', '.']).filter(|part| !token.text.contains(part)).count();
    token.text.contains('*')
        && plain.split_whitespace().any(|word| {
            word.contains('*') && glob::matches(&token.text, word) && 0 < extra(word) && is_said(word)
        })
}

/// Returns a mismatch for each number of the request that the line has in no form.
pub(crate) fn missing_numbers(
    request: &str,
    tokens: &[Token],
    demands: &Demands,
    line: &ParsedLine,
) -> Vec<Mismatch> {
    let said: Vec<&Span> =
        demands.ages.iter().map(|age| &age.said).chain(demands.sizes.iter().map(|size| &size.said)).collect();
    let is_free = |token: &&Token| {
        !token.quoted && said.iter().all(|span| token.span.end <= span.start || span.end <= token.span.start)
    };
    if is_open(request) {
        return Vec::new();
    }
    let mut given = numbers(line.text());
    // "two levels below", "three digits" are forms, not numbers of the line.
    let is_form = |index: usize| {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
        let is_side = matches!(word(index + 1), "leading" | "trailing");
        let next = word(index + 1 + usize::from(is_side));
        ["level", "digit", "column", "letter", "space", "blank", "tab"]
            .iter()
            .any(|noun| next.starts_with(noun))
    };
    // "between two dates" counts what the line names; "ISO 8601" and "(8 by default)" count nothing.
    let is_other = |index: usize| {
        let before = index.checked_sub(1).and_then(|before| tokens.get(before));
        let is_default =
            tokens.iter().skip(index.saturating_sub(3)).take(7).any(|it| it.lower.starts_with("default"));
        let is_digits = tokens.get(index).is_some_and(|token| is_digits(&token.lower));
        let of = before.map_or("", |token| token.lower.as_str());
        is_default
            || matches!(of, "iso" | "rfc" | "utf" | "sha" | "md" | "ipv" | "base" | "python" | "version")
            || !is_digits && matches!(of, "between" | "of" | "these" | "both")
    };
    let is_counted = |index: usize| {
        !is_form(index)
            && !is_other(index)
            && !is_loose(tokens, index)
            && !is_example(tokens, index)
            && !is_replaced(tokens, index)
    };
    // "every third line" has no header that moves the number.
    let step = tokens.windows(3).find_map(|three| {
        let [every, token, noun] = three else { return None };
        let is_line = matches!(noun.lower.as_str(), "line" | "row" | "record" | "entry" | "file" | "number");
        let wanted = nth(&token.lower).filter(|n| every.lower == "every" && is_line && !given.contains(n))?;
        (1 < wanted && !line.text().contains(['N', 'n']) || line.text().contains('%')).then_some(token)
    });
    let counted = tokens.iter().enumerate().filter(|(index, _)| is_counted(*index)).map(|(_, token)| token);
    let both_ends = line.text().contains("head") && line.text().contains("tail");
    let excepts = tokens.iter().any(|token| {
        matches!(token.lower.as_str(), "except" | "not" | "but" | "without" | "header" | "data")
    });
    given.extend(implied(line, &given, both_ends));
    given.extend(meant_by_words(request, line.text(), &given));
    let slack = u64::from(both_ends || excepts || MOVES.iter().any(|hint| line.text().contains(hint)));
    let is_other_step = |token: &&Token| step.is_none_or(|step| step.span != token.span);
    let absent = counted.filter(is_free).filter(is_other_step).filter_map(|token| {
        let wanted =
            number(&token.lower).or_else(|| nth(&token.lower).filter(|_| is_digits(&token.lower)))?;
        (!is_given(wanted, &given, slack)).then_some(token)
    });
    step.into_iter()
        .chain(absent)
        .map(|token| Mismatch {
            span: 0..line.text().len(),
            said: Some(token.span.clone()),
            certainty: Certainty::Likely,
            text: format!(
                "you said \"{}\"; the line has no such number",
                request.get(token.span.clone()).unwrap_or_default()
            ),
            edit: None,
        })
        .collect()
}

/// Reports whether a number only says how many there are ("two files", "these five characters") or is one of a row of which the
/// line has a part ("3, 6, 9").
fn is_loose(tokens: &[Token], index: usize) -> bool {
    let word = |index: Option<usize>| {
        index.and_then(|index| tokens.get(index)).map_or("", |token| token.lower.as_str())
    };
    let (before, next) = (index.checked_sub(1), Some(index + 1));
    let is_digit = |index: Option<usize>| is_digits(word(index));
    let joins = |index: Option<usize>| matches!(word(index), "and" | "or" | "to");
    // "five largest", "last two".
    let is_end = |index: Option<usize>| {
        matches!(word(index), "first" | "last" | "top" | "bottom" | "latest" | "every")
            || word(index).ends_with("est")
    };
    let is_word = number(word(Some(index))).is_some() && !is_digit(Some(index));
    is_word && !is_end(next) && !is_end(before)
        || is_digit(next)
        || is_digit(before)
        || joins(next) && is_digit(Some(index + 2))
        || joins(before) && is_digit(index.checked_sub(2))
}

/// Returns numbers that a line has without saying them: ten lines of a plain `head`, the first line of a range, what a form
/// or a unit means.
fn implied(line: &ParsedLine, given: &[u64], both_ends: bool) -> Vec<u64> {
    let has_count = |word: &Word| {
        word.text.starts_with('-') && word.text.contains(|c: char| c.is_ascii_digit())
            || matches!(word.text.as_str(), "-n" | "-c")
    };
    let default = |command: &SimpleCommand| {
        let default = match command.name()? {
            "head" | "tail" => 10,
            "watch" => 2,
            _ => return None,
        };
        (!command.words.iter().skip(1).any(has_count)).then_some(default)
    };
    let defaults = line.parsed().commands.iter().filter_map(default);
    let first = || {
        let [.., last, count] = given else { return None };
        last.checked_sub(*count).filter(|_| both_ends)?.checked_add(1)
    };
    let meant = MEANT.iter().filter(|(part, _)| line.text().contains(part)).map(|(_, number)| *number);
    // `cut -c11-` leaves out the first 10.
    let words = || line.text().split_whitespace();
    let left_out = words().filter_map(|word| {
        word.trim_start_matches(['-', 'c', 'f']).strip_suffix('-')?.parse::<u64>().ok()?.checked_sub(1)
    });
    // `sed -n 2,6p` prints 5 lines.
    let in_range = words().filter_map(|word| {
        let (first, last) = word.trim_matches('\'').strip_suffix('p')?.split_once(',')?;
        last.parse::<u64>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1)
    });
    defaults
        .chain(left_out)
        .chain(in_range)
        .chain(first())
        .chain(meant)
        .chain(repeated(line))
        .chain(day_before(line.text()))
        .collect()
}

/// Returns the numbers of a request that the numbers of the line mean: `23:00` is 11 pm, and `0.9`, `1.1` and `> 90` are
/// percentages.
fn meant_by_words(request: &str, line: &str, given: &[u64]) -> Vec<u64> {
    let request = request.to_lowercase();
    let mut meant = Vec::new();
    if ["pm", "p.m"].iter().any(|word| has_word(&request, word)) {
        meant.extend(given.iter().filter(|n| (13..24).contains(*n)).map(|n| n - 12));
    }
    if request.contains('%') || request.contains("percent") {
        meant.extend(given.iter().filter(|n| (50..100).contains(*n)).map(|n| 100 - n));
        let decimals =
            line.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| word.contains('.'));
        let percent = decimals.filter_map(|word| {
            let (whole, part) = word.split_once('.')?;
            let part = if part.len() == 1 { part.parse::<u64>().ok()? * 10 } else { part.parse().ok()? };
            Some((whole.parse::<u64>().ok()?, part))
        });
        meant.extend(
            percent.filter(|(whole, _)| *whole < 2).flat_map(|(_, part)| [part, 100u64.saturating_sub(part)]),
        );
    }
    meant
}

/// Returns the numbers of the last day of a month, with its year, for a date that is the first of the next: "after 31 December 2023"
/// is `-newermt 2024-01-01`.
fn day_before(line: &str) -> Vec<u64> {
    let Some((year, month)) = line.split(|c: char| !c.is_ascii_digit() && c != '-').find_map(|word| {
        let (year, month) = word.strip_suffix("-01")?.split_once('-')?;
        Some((year.parse::<u64>().ok()?, month))
    }) else {
        return Vec::new();
    };
    let years = (month == "01").then(|| year.saturating_sub(1));
    (28..=31).chain(years).collect()
}

/// Returns how often a line repeats a sign that stands for one of something: `.....`, `??`, `cd ../..`, `paste - -`.
fn repeated(line: &ParsedLine) -> Vec<u64> {
    let is_path = |word: &str| {
        let word = word.trim_start_matches(['\'', '"']);
        word == ".."
            || word.starts_with("../")
            || word.starts_with(['/', '~', '.']) && word.split('/').any(|part| part == "..")
    };
    let texts = || line.text().split_whitespace();
    let runs = texts()
        .filter(|word| !is_path(word))
        .flat_map(|word| word.split(|c| !matches!(c, '.' | '?')).map(str::len));
    let folders = line.parsed().commands.iter().filter(|command| command.name() == Some("cd"));
    let ups = folders
        .flat_map(|command| command.words.iter().skip(1))
        .map(|word| word.text.split('/').filter(|part| *part == "..").count());
    let inputs = texts().filter(|word| *word == "-").count();
    runs.chain(ups).chain([inputs]).filter(|count| 1 < *count).map(|count| count as u64).collect()
}

fn is_digits(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns all numbers in a line.
fn numbers(line: &str) -> Vec<u64> {
    line.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Reports whether one of the numbers is the wanted one, the next or previous (a header, `head` before `tail`), or the
/// same in another unit.
fn is_given(wanted: u64, given: &[u64], slack: u64) -> bool {
    // A year is no count to which a header adds one.
    let slack = if wanted < YEARS_FROM { slack } else { 0 };
    let is_near = |n: &u64| n.abs_diff(wanted) <= slack;
    let is_converted = |n: &u64| FACTORS.iter().any(|factor| wanted.checked_mul(*factor) == Some(*n));
    wanted < 2 || given.iter().any(|n| is_near(n) || is_converted(n))
}

fn mismatch(request: &str, token: &Token, line: &ParsedLine) -> Mismatch {
    let name = request.get(token.span.clone()).unwrap_or_default();
    let similar: Vec<&Word> = words(line).filter(|word| is_similar(&word.text, &token.text)).collect();
    let (span, edit) = match similar.as_slice() {
        [word] => {
            let quoted = line.text().get(word.span.clone()).map(|raw| raw.replace(&word.text, &token.text));
            let edit = quoted.filter(|new| new.contains(&token.text));
            (word.span.clone(), edit.map(|new| Edit::replace(line.text(), word.span.clone(), new)))
        }
        _ => (0..line.text().len(), None),
    };
    let certainty = if edit.is_some() { Certainty::Sure } else { Certainty::Likely };
    Mismatch {
        span,
        said: Some(token.span.clone()),
        certainty,
        text: format!("you named `{name}`; the line does not"),
        edit,
    }
}

fn words(line: &ParsedLine) -> impl Iterator<Item = &Word> {
    line.parsed().commands.iter().flat_map(|command| command.words.iter().skip(1))
}

/// Reports whether a word of the line is a misspelling: other case only, or one letter more or less.
pub(crate) fn is_similar(word: &str, name: &str) -> bool {
    if name.chars().count() < SIMILAR_MIN_CHARS || word.contains(char::is_whitespace) {
        return false;
    }
    let is_case = word != name && word.to_lowercase() == name.to_lowercase();
    is_case || is_one_letter_apart(word, name)
}

/// Reports whether one word has exactly one letter more than the other. Digits do not count: `part1`, `part12`.
fn is_one_letter_apart(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut rest = long.chars();
    let before = short.chars().zip(long.chars()).take_while(|(a, b)| a == b).count();
    let extra = rest.nth(before);
    let behind: String = rest.collect();
    long.chars().count() == short.chars().count() + 1
        && short.chars().skip(before).eq(behind.chars())
        && extra.is_some_and(char::is_alphabetic)
}

/// Reports whether a line has an option that takes any case: `-i`, `-rin`, `-iname`.
fn ignores_case(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.any(|word| {
        word.starts_with('-') && !word.starts_with("--in") && !word.starts_with("--ex") && word.contains('i')
    })
}

/// Reports whether a line has a word that is not a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let behind = line.get(at + word.len()..).and_then(|behind| behind.chars().next());
        [before, behind].iter().all(|side| side.is_none_or(|c| !c.is_alphanumeric()))
    })
}

/// Returns a line without quotes and backslashes.
fn without_quotes(line: &str) -> String {
    line.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect()
}

/// Returns a line with one letter in place of a set of its two cases: `[jJ][pP][gG]` becomes `jpg`.
fn without_pairs(line: &str) -> String {
    let mut pieces = line.split('[');
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let pair = piece.split_once(']').and_then(|(set, rest)| {
            let mut letters = set.chars();
            let (one, other, None) = (letters.next()?, letters.next()?, letters.next()) else { return None };
            (one != other && one.eq_ignore_ascii_case(&other)).then(|| (one.to_ascii_lowercase(), rest))
        });
        match pair {
            Some((letter, rest)) => {
                all.push(letter);
                all.push_str(rest);
            }
            None => {
                all.push('[');
                all.push_str(piece);
            }
        }
    }
    all
}

/// Reports whether the line contains a name or text, in one of the forms in which lines have it.
fn contains(line: &ParsedLine, plain: &str, token: &Token) -> bool {
    let wanted = without_quotes(token.text.strip_suffix("'s").unwrap_or(&token.text));
    let bare = wanted.strip_suffix("/*").unwrap_or(&wanted).trim_end_matches('/');
    let bare = bare.strip_prefix("./").unwrap_or(bare);
    let home = bare.strip_prefix("~/").unwrap_or(bare);
    // The end of a path, and the rest of it elsewhere: `cd DIRECTORY && cat FILE`.
    let in_parts =
        || home.rsplit_once('/').is_some_and(|(above, name)| plain.contains(above) && plain.contains(name));
    let extension = || {
        let extension =
            bare.strip_prefix("*.").or_else(|| bare.strip_prefix('.').filter(|rest| !rest.contains('.')));
        extension.is_some_and(|extension| extension.split('.').all(|part| has_word(plain, part)))
    };
    // `file{1..5}.txt` has all names from the first to the last.
    let in_range = || {
        let stem = bare
            .trim_end_matches(|c: char| !c.is_ascii_digit())
            .trim_end_matches(|c: char| c.is_ascii_digit());
        stem.len() < bare.len() && plain.contains("..") && plain.contains(stem)
    };
    // `page[1-20].html`, `host-%g.example.org`: one word with the letters of the name and something for its digits.
    let in_row = || {
        let parts: Vec<&str> =
            bare.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
        let has_digits = bare.contains(|c: char| c.is_ascii_digit()) && !parts.is_empty();
        let has_parts = |word: &str| {
            let mut rest = word;
            parts.iter().all(|part| match rest.split_once(part) {
                Some((_, behind)) => {
                    rest = behind;
                    true
                }
                None => false,
            })
        };
        has_digits
            && plain.split_whitespace().any(|word| word.contains(['[', '{', '%', '*']) && has_parts(word))
    };
    let has_pairs = || plain.len() < without_quotes(line.text()).len();
    let any_case = || {
        (ignores_case(plain) || has_pairs())
            && plain
                .to_lowercase()
                .contains(bare.trim_start_matches("*.").trim_start_matches('.').to_lowercase().as_str())
    };
    // `sed -i.orig app.conf` and `report.{txt,md}` make the second name of the first.
    let in_pieces = || {
        bare.rsplit_once('.').is_some_and(|(stem, end)| {
            SIMILAR_MIN_CHARS <= stem.chars().count() + 2 && plain.contains(stem) && has_word(plain, end)
        })
    };
    // A program without patterns and names has its own idea of files: `apt-get autoclean`.
    let is_listed = || {
        let is_pattern = |word: &str| {
            word.contains(['*', '?', '[']) && !matches!(word, "*" | "*.*") && glob::matches(word, bare)
        };
        let in_braces = plain.contains('{') || plain.contains(".[");
        let mut parts = bare.split(['.', '/']).filter(|part| !part.is_empty());
        plain
            .split_whitespace()
            .map(|word| word.trim_end_matches([';', ')']))
            .any(|word| is_pattern(word.rsplit('/').next().unwrap_or(word)))
            || in_braces && parts.all(|part| has_word(plain, part) || part.chars().count() == 1)
    };
    // `gzip app.log` makes app.log.gz.
    let is_made = || {
        NAME_MAKERS.iter().any(|(program, ending)| {
            has_word(plain, program) && bare.strip_suffix(ending).is_some_and(|stem| plain.contains(stem))
        })
    };
    let names_files = || line.parsed().commands.iter().any(|command| command.name().is_some_and(takes_names));
    let is_kind = || bare.starts_with('.') && !plain.contains(['*', '.']) && !names_files();
    let is_own =
        || OWN_FILES.iter().any(|(program, start)| has_word(plain, program) && bare.starts_with(start));
    // `"$name.txt"` has the end of every name.
    let is_joined = || {
        let ends = [bare.find('.'), bare.rfind('.')].into_iter().flatten().filter_map(|at| bare.get(at..));
        ends.filter(|end| 1 < end.len()).any(|end| is_behind_variable(plain, end)) && !loses(line)
    };
    bare.is_empty()
        || plain.contains(home)
        || in_parts()
        || extension()
        || in_range()
        || in_row() && !loses(line) && !has_word(plain, "mv")
        || in_pieces()
        || is_listed()
        || is_made()
        || is_kind()
        || is_own()
        || is_joined()
        || any_case()
        || token.quoted && (has_words(plain, &wanted) || is_form(line.text(), plain, &wanted))
}

/// Reports whether a program takes the files that its words name or match.
fn takes_names(program: &str) -> bool {
    const PROGRAMS: [&str; 12] =
        ["find", "grep", "chmod", "chown", "cp", "mv", "rm", "tar", "zip", "gzip", "du", "ls"];
    PROGRAMS.contains(&program)
}

/// Reports whether an ending is directly behind a variable, a brace or a number of a format: `$name.txt`, `${name}.txt`,
/// `%02d.txt`.
fn is_behind_variable(plain: &str, end: &str) -> bool {
    plain.match_indices(end).filter_map(|(at, _)| plain.get(..at)).any(|before| {
        // awk joins values that stand side by side: `$3 ".csv"`.
        let before = if has_word(plain, "awk") { before.trim_end() } else { before };
        let rest = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        before.ends_with(['}', ')'])
            || rest.len() < before.len() && rest.ends_with('$')
            || before.ends_with('d') && rest.ends_with('%')
    })
}

/// Reports whether a line removes or overwrites files.
fn loses(line: &ParsedLine) -> bool {
    removes(line)
        || line.parsed().commands.iter().any(|command| {
            command.redirections.iter().any(|redirection| {
                matches!(redirection.operator.as_str(), ">" | ">|")
                    && redirection.target.as_ref().is_some_and(|target| !target.text.starts_with("/dev/"))
            })
        })
}

/// Reports whether a program of a line removes or overwrites what it names.
pub(crate) fn removes(line: &ParsedLine) -> bool {
    line.parsed().commands.iter().any(|command| {
        command.name().is_some_and(|name| REMOVERS.contains(&name))
            || command.words.iter().any(|word| word.text == "-delete")
    })
}

/// Reports whether a line has all words of a text of several: texts are escaped in many ways.
fn has_words(plain: &str, wanted: &str) -> bool {
    let plain = plain.to_lowercase();
    let mut words = wanted.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    words.peek().is_none()
        || words.all(|word| plain.contains(&word.to_lowercase()) || word.eq_ignore_ascii_case("x"))
            && wanted.contains(|c: char| !c.is_alphanumeric())
}

/// Reports whether a text of several words is the form of what the line puts together: "1: anna" of `NR ": " $1`.
fn is_form(line: &str, plain: &str, wanted: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && plain.contains(part);
    let joins = line.contains(['$', '&']) || ["\\2", "\\(."].iter().any(|sign| line.contains(sign));
    joins
        && wanted.contains(char::is_whitespace)
        && (wanted.split(|c: char| !c.is_alphanumeric()).any(|word| 1 < word.len() && is_part(word))
            || wanted.split(|c: char| c.is_alphanumeric() || c.is_whitespace()).any(is_part))
}

#[cfg(test)]
mod tests {
    use crate::mismatches;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn names_that_are_put_together() {
        for (request, line, expected) in [
            ("delete report.txt", "for f in *; do rm \"${f%.*}.txt\"; done", 1),
            ("split a.csv by city, bonn rows to Bonn.csv", "awk -F, '{print > ($3 \".csv\")}' a.csv", 0),
            ("get page1.html to page20.html", "curl -O 'http://a.example/page[1-20].html'", 0),
            ("remove the db-*.gz with a 2023 date", "rm -- db-2023-*.gz", 0),
            ("remove the db-*.gz with a 2023 date", "rm -- *.sql", 1),
            ("delete the db-*.gz files", "rm -- db-2023-*.gz", 1),
            ("delete report1.txt", "rm report[4-9].txt", 1),
            ("delete the \"foo bar\" lines from a.txt", "sed -i '/foo baz/d' a.txt", 1),
            ("what did lena say in c.txt, lines are \"name: text\"", "sed -n 's/^lena: //p' c.txt", 0),
            ("lines of v.log with an ip in 10.8.x.x", "grep -F '10.8.' v.log", 0),
            ("highest version of out/deck_vN.pptx", "ls -v out/deck_v*.pptx | tail -n 1", 0),
            ("sum of the words in en.txt, lines '120 the'", "awk '{s += $1} END {print s}' en.txt", 0),
            ("delete the lines 'end of file' in en.txt", "sed -i '/end/d' en.txt", 1),
            (
                "crates once in C.lock (lines name = \"x\")",
                "sed -n 's/^name = //p' C.lock | sort | uniq -u",
                0,
            ),
            ("modules that a.py has with \"import x\"", "sed -nE 's/^import +([a-z]+)/\\1/p' a.py", 0),
            ("remove the \"Gross\" column from a.csv", "cut -d, -f1,2,4 a.csv", 0),
            ("ocr page.png to page.txt", "tesseract page.png page", 0),
            ("pack a folder as out.tar.gz", "for d in */; do tar -czf \"${d%/}.tar.gz\" \"$d\"; done", 0),
        ] {
            let found = mismatches(request, &ParsedLine::new(line, Shell::Bash));
            let count = found.iter().filter(|it| it.text.contains("you named")).count();
            assert_eq!(count, expected, "{line}: {found:?}");
        }
    }

    #[test]
    fn only_cd_counts_folders_above() {
        let count = |line| super::repeated(&ParsedLine::new(line, Shell::Bash));
        assert!(count("rm -r ../../x").is_empty());
        assert!(count("cd ..").is_empty());
        assert_eq!(count("cd ../../.."), [3]);
    }

    #[test]
    fn numbers_that_the_line_lacks() {
        for (request, line, expected) in [
            ("print every 3rd line of a.txt", "awk 'NR%5==0' a.txt", 1),
            ("print every 3rd line of a.txt", "awk 'NR%3==0' a.txt", 0),
            ("lines of a.txt with 5 characters", "grep -x '.....' a.txt", 0),
            ("run a.sh at 11 pm", "echo ./a.sh | at 23:00", 0),
            ("the next 4 newest a*.log after the newest", "ls -t a*.log | sed -n 2,5p", 0),
            ("raise the price by 10%", "awk '{$4 *= 1.1} 1' a.csv", 0),
            ("the last line of a", "head -n 18446744073709551615 a | tail -n 0", 0),
        ] {
            let found = mismatches(request, &ParsedLine::new(line, Shell::Bash));
            let count = found.iter().filter(|it| it.text.contains("no such number")).count();
            assert_eq!(count, expected, "{line}: {found:?}");
        }
    }
}
