//! The conditions that a request states, each with the words that say so.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::phrase::{Found, Phrase};
use crate::quantity::TimeUnit;
use crate::range::Range;
use crate::request::{Token, is_name};
use askline_syntax::Span;

/// Maximum number of conditions of one kind that are read.
const DEMANDS_MAX: usize = 16;

/// Nouns for files and for directories.
const FILES: [&str; 2] = ["file", "files"];
const DIRECTORIES: [&str; 10] = [
    "directory",
    "directories",
    "folder",
    "folders",
    "dir",
    "dirs",
    "subdirectory",
    "subdirectories",
    "subfolder",
    "subfolders",
];
/// Words before a noun that says where something is, not what is wanted.
const PLACES: [&str; 21] = [
    "in",
    "outside",
    "within",
    "under",
    "below",
    "inside",
    "of",
    "from",
    "into",
    "to",
    "at",
    "on",
    "beneath",
    "current",
    "this",
    "working",
    "home",
    "root",
    "parent",
    "through",
    "temporary",
];

/// Words behind a noun that describe it by something else.
const DESCRIBES: [&str; 17] = [
    "stay",
    "stays",
    "structure",
    "that",
    "which",
    "containing",
    "contain",
    "contains",
    "with",
    "without",
    "where",
    "whose",
    "having",
    "have",
    "has",
    "hold",
    "holding",
];

/// Conditions of a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Demands {
    /// Ages of files.
    pub(crate) ages: Vec<Age>,
    /// Sizes of files.
    pub(crate) sizes: Vec<Size>,
    /// Two limits of age or size.
    pub(crate) range: Option<Range>,
    /// How deep a search goes.
    pub(crate) depth: Option<(Depth, Span)>,
    /// The only kind of file that is wanted.
    pub(crate) kind: Option<(FileKind, Span)>,
}

/// Side of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Side {
    /// Newer than the age, or less than the size.
    #[serde(alias = "newer")]
    Less,
    /// Older than the age, or more than the size.
    #[serde(alias = "older")]
    More,
    /// Neither.
    Exactly,
}

impl Side {
    /// Returns the side of the opposite test.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Less => Self::More,
            Self::More => Self::Less,
            Self::Exactly => Self::Exactly,
        }
    }
}

/// Time that a file keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Content last written.
    Modified,
    /// Content last read.
    Accessed,
    /// The request leaves it open: "changed", "created", "older".
    Open,
}

/// A condition on the age of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Age {
    pub(crate) clock: Clock,
    pub(crate) side: Side,
    pub(crate) count: u64,
    pub(crate) unit: TimeUnit,
    /// `true` if the request excepts the files on the other side.
    pub(crate) excepted: bool,
    pub(crate) said: Span,
}

/// A condition on the size of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) side: Side,
    pub(crate) count: u64,
    /// Bytes of the unit.
    pub(crate) unit: u64,
    /// `true` if the size itself is meant too: "at least", "or less".
    pub(crate) inclusive: bool,
    /// `true` if the request excepts the files on the other side.
    pub(crate) excepted: bool,
    pub(crate) said: Span,
}

/// How deep a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Depth {
    /// Only the directory itself.
    Here,
    /// The whole tree.
    Below,
}

/// Kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    age: Vec<SideRow>,
    size: Vec<SideRow>,
    depth: Vec<DepthRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SideRow {
    side: Side,
    /// `true` if the phrases begin with a negation.
    #[serde(default)]
    negated: bool,
    phrases: Vec<Phrase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DepthRow {
    depth: Depth,
    phrases: Vec<Phrase>,
}

/// Words that may turn a limit, without apostrophes.
const NEGATIONS: [&str; 24] = [
    "nobody", "none", "nothing", "not", "no", "nor", "neither", "never", "cannot", "cant", "couldnt", "dont",
    "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "havent", "hasnt", "hadnt", "wont", "wouldnt",
    "shouldnt",
];
/// Words that turn what follows if that is something done to a file: "without any changes", "zero accesses", not "without extension".
const LACKING: [&str; 3] = ["without", "lacking", "zero"];
const DONE: [&str; 13] = [
    "access", "activ", "change", "edit", "look", "modif", "open", "read", "touch", "update", "use", "view",
    "writ",
];
/// Words between the two.
const BESIDE_DONE: [&str; 9] = ["any", "a", "an", "the", "single", "recent", "further", "new", "being"];
/// Words that turn "in the last 30 days" behind them, but not "more than 30 days".
const UNDONE: [&str; 10] = [
    "unread",
    "unopened",
    "unused",
    "untouched",
    "unchanged",
    "unmodified",
    "unaccessed",
    "unwatched",
    "unedited",
    "idle",
];
/// Number of words before a limit in which a negation may turn it: "files that don't take up more than 10 MB".
const NEGATION_REACH: usize = 4;
/// Maximum number of words between "except" and the limit of an exception, with both of them.
const EXCEPTION_MAX: usize = 5;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("demands.toml")).expect("demands.toml is well-formed")
});

impl Demands {
    /// Reads the conditions of a request.
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let range = crate::range::of(tokens);
        Self { ages: ages(tokens), sizes: sizes(tokens), range, depth: depth(tokens), kind: kind(tokens) }
    }
}

impl Age {
    /// Returns the age in minutes.
    pub(crate) fn minutes(&self) -> u64 {
        self.count.saturating_mul(self.unit.minutes())
    }
}

impl Size {
    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.unit)
    }
}

/// Returns the bytes of a request that a phrase covers.
fn said(found: &Found, tokens: &[Token]) -> Span {
    let start = tokens.get(found.first).map_or(0, |token| token.span.start);
    let end = tokens.get(found.end.wrapping_sub(1)).map_or(start, |token| token.span.end);
    start..end
}

/// Returns the places where rows match; no two overlap, and earlier rows win.
fn places<'a>(rows: &'a [SideRow], tokens: &[Token]) -> Vec<(&'a SideRow, Found)> {
    let mut places: Vec<(&SideRow, Found)> = Vec::new();
    for row in rows {
        for phrase in &row.phrases {
            let mut from = 0;
            while let Some(found) = phrase.find(tokens, from).filter(|_| places.len() < DEMANDS_MAX) {
                from = found.first + 1;
                if places.iter().all(|(_, other)| found.end <= other.first || other.end <= found.first) {
                    places.push((row, found));
                }
            }
        }
    }
    // Of several limits, one that is not understood leaves open what the others are for.
    if places.iter().any(|(_, found)| exception(tokens, found.first) == Exception::Unclear) {
        return Vec::new();
    }
    places.retain(|(row, found)| row.negated || !is_negated(row.side, found, tokens));
    places.sort_by_key(|(_, found)| found.first);
    places
}

/// Reports whether a negation stands in the words of a limit or shortly before them, in the same part of the sentence.
fn is_negated(side: Side, found: &Found, tokens: &[Token]) -> bool {
    let start = found.first.saturating_sub(NEGATION_REACH);
    let part = tokens.get(start..found.end).unwrap_or_default();
    let from = part.iter().take(found.first - start + 1).rposition(|token| token.after_comma).unwrap_or(0);
    let words: Vec<(usize, &str)> = part
        .iter()
        .enumerate()
        .skip(from)
        .filter(|(_, token)| !token.quoted)
        .map(|(at, token)| (start + at, token.lower.as_str()))
        .collect();
    words.iter().enumerate().any(|(at, (place, word))| {
        let before = |n: usize| at.checked_sub(n).and_then(|at| words.get(at)).map_or("", |(_, word)| word);
        // "files of nobody", "files owned by nobody", but "opened by nobody"
        let is_owner = *word == "nobody"
            && (matches!(before(1), "user" | "owner" | "group" | "account" | "of") || before(2) == "owned");
        let mut done = tokens.iter().skip(place + 1).map(|token| token.lower.as_str());
        let done = done.find(|word| !BESIDE_DONE.contains(word)).unwrap_or_default();
        let is_done =
            done.ends_with("ing") && done != "asking" || DONE.iter().any(|stem| done.starts_with(stem));
        NEGATIONS.contains(word) && !is_owner
            || LACKING.contains(word) && is_done
            || UNDONE.contains(word) && *place < found.first && side == Side::Less
    })
}

fn ages(tokens: &[Token]) -> Vec<Age> {
    let clock = clock(tokens);
    let age = |(row, found): (&SideRow, Found)| {
        let (count, unit) = (found.number.unwrap_or(1), found.time?);
        let behind = tokens.get(found.end..found.end + 3).into_iter().flatten();
        let has_half = behind.map(|token| token.lower.as_str()).eq(["and", "a", "half"]);
        let (count, unit) = match unit {
            TimeUnit::Hour if has_half => (count.saturating_mul(60).saturating_add(30), TimeUnit::Minute),
            TimeUnit::Day if has_half => (count.saturating_mul(24).saturating_add(12), TimeUnit::Hour),
            _ => (count, unit),
        };
        let excepted = exception(tokens, found.first) == Exception::Inverted;
        let side = if excepted { row.side.other() } else { row.side };
        (unit != TimeUnit::Second).then(|| Age {
            clock,
            side,
            count,
            unit,
            excepted,
            said: said(&found, tokens),
        })
    };
    places(&TABLE.age, tokens).into_iter().filter_map(age).collect()
}

/// What a word of exception makes of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exception {
    /// There is no such word.
    None,
    /// "except those changed within the last day": all other files are meant, so the limit counts the other way round.
    Inverted,
    /// "except the logs newer than 2 days", "don't skip those over 1 MB", "keep those of the last week, delete the rest": nothing is
    /// known of the other files.
    Unclear,
}

/// Returns what a word of exception makes of the limit that begins at the token `first`.
fn exception(tokens: &[Token], first: usize) -> Exception {
    const EXCEPT: [&str; 7] = ["except", "excluding", "exclude", "skip", "skipping", "ignoring", "ignore"];
    const THOSE: [&str; 9] =
        ["those", "the", "ones", "files", "any", "anything", "everything", "that", "what"];
    const CHANGED: [&str; 13] = [
        "which", "were", "was", "are", "been", "have", "has", "changed", "modified", "edited", "created",
        "accessed", "opened",
    ];
    const NOT: [&str; 7] = ["not", "don't", "dont", "doesn't", "never", "without", "no"];
    let is_one = |token: &Token, words: &[&str]| words.contains(&token.lower.as_str());
    if is_of_what_stays(tokens, first) {
        return Exception::Unclear;
    }
    let (mut has_those, mut is_plain) = (false, true);
    let up_to = tokens.get(first.saturating_sub(EXCEPTION_MAX)..=first).unwrap_or_default();
    for (at, pair) in up_to.windows(2).enumerate().rev() {
        let [token, next] = pair else { break };
        if next.after_comma {
            break;
        }
        if is_one(token, &EXCEPT) {
            let before = at.checked_sub(1).and_then(|at| up_to.get(at));
            let is_negated = before.is_some_and(|before| is_one(before, &NOT));
            let is_clear = is_plain && has_those && !is_negated;
            return if is_clear { Exception::Inverted } else { Exception::Unclear };
        }
        // "keep access.log and delete logs older than 30 days", "delete files in keep older than 30 days"
        if TAKES.iter().any(|stem| token.lower.starts_with(stem)) {
            break;
        }
        let is_place = at
            .checked_sub(1)
            .and_then(|at| up_to.get(at))
            .is_some_and(|it| is_one(it, &["in", "of", "from"]));
        if is_one(token, &["keep", "keeping"]) && !is_place {
            return Exception::Unclear;
        }
        let is_those = is_one(token, &THOSE);
        has_those |= is_those;
        is_plain &= is_those || is_one(token, &CHANGED);
    }
    Exception::None
}

/// Beginnings of verbs for taking files away.
const TAKES: [&str; 8] = ["delet", "remov", "eras", "mov", "archiv", "wip", "purg", "clean"];

/// Reports whether the limit that begins at the token `first` may be the one of what stays: "keep those of the last week, delete the
/// rest", "delete all unless newer than 7 days".
fn is_of_what_stays(tokens: &[Token], first: usize) -> bool {
    let has = |token: &Token, words: &[&str]| !token.quoted && words.contains(&token.lower.as_str());
    let stays = |token: &Token| has(token, &["stay", "stays", "remain", "remains", "kept"]);
    let (before, behind) = tokens.split_at_checked(first).unwrap_or((tokens, &[]));
    let is_unless = before.iter().any(|token| has(token, &["unless"]));
    // "delete those older than 30 days, keep the rest" is about what goes.
    let is_kept =
        before.iter().any(|token| has(token, &["keep", "keeping", "retain", "leave", "hold", "save"]));
    let names_rest = |at: usize, token: &Token| {
        let next = behind.get(at + 1);
        is_kept && has(token, &["rest", "others"]) && !next.is_some_and(stays)
    };
    let is_stay = |at: usize, token: &Token| {
        let is_same_part =
            behind.get(..=at).is_some_and(|part| !part.iter().skip(1).any(|it| it.after_comma));
        stays(token) && is_same_part
    };
    is_unless || behind.iter().enumerate().any(|(at, token)| names_rest(at, token) || is_stay(at, token))
}

/// Returns the time that the request names, if it names exactly one.
fn clock(tokens: &[Token]) -> Clock {
    let names = |stems: &[&str]| {
        // `access.log` is a name.
        let is_word = |token: &&Token| !token.quoted && !is_name(&token.text);
        tokens.iter().filter(is_word).any(|token| stems.iter().any(|stem| token.lower.starts_with(stem)))
    };
    let (modified, accessed) = (names(&["modif", "edited"]), names(&["access", "opened"]));
    match (modified, accessed, names(&["chang", "creat", "status"])) {
        (true, false, false) => Clock::Modified,
        (false, true, false) => Clock::Accessed,
        _ => Clock::Open,
    }
}

fn sizes(tokens: &[Token]) -> Vec<Size> {
    let size = |(row, found): (&SideRow, Found)| {
        let words = tokens.get(found.first..found.end)?;
        let is_inclusive =
            row.negated || words.iter().any(|token| matches!(token.lower.as_str(), "least" | "most" | "or"));
        let excepted = exception(tokens, found.first) == Exception::Inverted;
        Some(Size {
            side: if excepted { row.side.other() } else { row.side },
            count: found.number?,
            unit: found.size?,
            inclusive: is_inclusive != excepted,
            excepted,
            said: said(&found, tokens),
        })
    };
    places(&TABLE.size, tokens).into_iter().filter_map(size).collect()
}

/// Returns how deep the search shall go; `None` if the request says nothing or both.
fn depth(tokens: &[Token]) -> Option<(Depth, Span)> {
    let mut found: Option<(Depth, Found)> = None;
    for row in &TABLE.depth {
        let places = row.phrases.iter().filter_map(|phrase| phrase.find(tokens, 0));
        // "only the directory structure" is no depth.
        let is_noun = |place: &Found| {
            let next = tokens.get(place.end).map_or("", |token| token.lower.as_str());
            // "not below /proc" is about one directory.
            let first = tokens.get(place.first).map_or("", |token| token.lower.as_str());
            let behind = tokens.iter().skip(place.end).take(3).map(|token| token.lower.as_str());
            // "list the subfolders too, but not their content"
            let is_listed = matches!(
                behind.collect::<Vec<_>>()[..],
                ["but", "not" | "without", "their"] | ["not" | "without", "their", _]
            );
            is_listed
                || matches!(first, "not" | "nothing") && next.contains('/')
                || matches!(
                    next,
                    "structure" | "names" | "name" | "tree" | "paths" | "path" | "sizes" | "part"
                )
        };
        for place in places.filter(|place| !is_noun(place)) {
            match &found {
                None => found = Some((row.depth, place)),
                // "not in subdirectories" contains the words of "in subdirectories".
                Some((depth, other))
                    if *depth == row.depth || place.first < other.end && other.first < place.end => {}
                Some(_) => return None,
            }
        }
    }
    found.map(|(depth, place)| (depth, said(&place, tokens)))
}

/// Returns the kind of file that the request wants; `None` if it names both, none, or one only as a place.
fn kind(tokens: &[Token]) -> Option<(FileKind, Span)> {
    let of = |token: &Token| match token.lower.as_str() {
        _ if token.quoted => None,
        word if FILES.contains(&word) => Some(FileKind::File),
        word if DIRECTORIES.contains(&word) => Some(FileKind::Directory),
        _ => None,
    };
    let is_place = |index: usize| {
        let before = tokens.get(index.saturating_sub(3)..index).unwrap_or_default();
        let is_place = |token: &Token| PLACES.contains(&token.lower.as_str());
        before.iter().rev().take_while(|token| of(token).is_none()).any(is_place)
    };
    let mut wanted = None;
    for (index, token) in tokens.iter().enumerate() {
        let Some(kind) = of(token) else { continue };
        // "files here and in subfolders"
        let is_below = wanted.is_some() && token.lower.starts_with("sub");
        // "directories that contain files"
        let is_described = tokens.get(index + 1).is_some_and(|next| DESCRIBES.contains(&next.lower.as_str()));
        if is_described && kind == FileKind::Directory {
            return None;
        }
        let is_excluded = index.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|token| {
            matches!(
                token.lower.as_str(),
                "not" | "no" | "without" | "any" | "their" | "its" | "each" | "per" | "keep" | "keeping"
            )
        });
        let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
        // "pics of today, all subfolders", "x.log, subfolders too": how far the search goes.
        let has_all = index.checked_sub(1).is_some_and(|at| word(at) == "all");
        let start = index - usize::from(has_all);
        let follows_comma = start.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| {
            tokens.get(start).is_some_and(|first| before.span.end + 1 < first.span.start)
        });
        let is_last = matches!(word(index + 1), "" | "too" | "also" | "included");
        let is_reach = kind == FileKind::Directory && follows_comma && is_last
            || token.lower.starts_with("sub")
                && index.checked_sub(2).is_some_and(|at| word(at) == "its" || word(at) == "and")
            || matches!(word(index + 1), "down" | "deep")
            || word(index.wrapping_sub(2)) == "for"
                && matches!(word(index.wrapping_sub(1)), "every" | "each");
        if is_reach || is_below || is_excluded || is_place(index) {
            continue;
        }
        match &wanted {
            None => wanted = Some((kind, token.span.clone())),
            Some((other, _)) if *other == kind => {}
            Some(_) => return None,
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::tokens;

    fn demands(request: &str) -> String {
        let Demands { ages, sizes, depth, kind, .. } = Demands::of(&tokens(request));
        let age = |age: &Age| format!("{:?} {:?} {} {:?}", age.clock, age.side, age.count, age.unit);
        let size = |size: &Size| format!("{:?} {}", size.side, size.bytes());
        let ages = ages.iter().map(age);
        let all = ages.chain(sizes.iter().map(size));
        let depth = depth.map(|(depth, _)| format!("{depth:?}"));
        all.chain(depth).chain(kind.map(|(kind, _)| format!("{kind:?}"))).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn conditions_are_read_with_side_number_and_unit() {
        for (request, expected) in [
            ("python files modified in the last 2 hours", "Modified Less 2 Hour, File"),
            ("what changed within the past week", "Open Less 1 Week"),
            ("logs older than 30 days", "Open More 30 Day"),
            ("files not accessed in the last month", "Accessed More 1 Month, File"),
            ("files modified more than 3 days ago", "Modified More 3 Day, File"),
            ("files no older than an hour", "Open Less 1 Hour, File"),
            ("print the files of the last 3 commits", "File"),
            ("images larger than 10MB", "More 10485760"),
            ("files less than 1KB in size", "Less 1024, File"),
            ("files of at most 5 megabytes", "Less 5242880, File"),
            ("everything over two gigs", "More 2147483648"),
            ("text files here but not in its subdirectories", "Here, File"),
            ("list files in this folder and all subfolders", "Below, File"),
            ("recursively list directories", "Below, Directory"),
            ("largest logs, subdirs and hidden ones too", "Below"),
            ("largest logs, just the ones here", "Here"),
            ("largest logs, not only the files here", "Below, File"),
            ("count files in each directory", "Below, File"),
            ("delete empty folders", "Directory"),
            ("copy all files to the directory backup", "File"),
            ("files and directories owned by root", ""),
            ("list non-recursively", "Here"),
            ("list subfolders too but not their content", "Directory"),
            ("show the disk usage", ""),
        ] {
            assert_eq!(demands(request), expected, "{request}");
        }
    }
}
