//! The conditions of a request held against the expression of `find`.

use crate::demand::{Age, Clock, Demands, Depth, FileKind, Side, Size};
use crate::find_expression::{FindExpression, Node, Primary};
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::quantity::TimeUnit;
use crate::range::{Range, Unit};
use askline_syntax::Span;

/// Part of a limit by which the line may differ: decimal units, months, the byte beside it.
const RANGE_SLACK: u64 = 12;
/// Minutes of a day.
const DAY: u64 = 24 * 60;
/// Count of units up to which the rounding of `-size -N` matters.
const COARSE_MAX: u64 = 3;
/// Tests on times, in days and in minutes.
const DAYS: [&str; 3] = ["-mtime", "-atime", "-ctime"];
const MINUTES: [&str; 3] = ["-mmin", "-amin", "-cmin"];

/// A request beside the line that answers it.
pub(crate) struct Comparison<'a> {
    pub(crate) request: &'a str,
    pub(crate) line: &'a str,
    pub(crate) demands: &'a Demands,
    /// `true` if the line may delete, move or overwrite something.
    pub(crate) destroys: bool,
}

/// Returns the mismatches of one `find` command.
pub(crate) fn compare(of: &Comparison<'_>, find: &FindExpression<'_>) -> Vec<Mismatch> {
    [of.age(find), of.size(find), of.depth(find), of.kind(find)].into_iter().flatten().collect()
}

impl Comparison<'_> {
    fn said(&self, span: &Span) -> &str {
        self.request.get(span.clone()).unwrap_or_default()
    }

    /// Returns a mismatch whose edit replaces bytes of the line.
    fn replace(&self, said: &Span, span: Span, replacement: String, why: &str) -> Mismatch {
        Mismatch {
            text: format!("you said \"{}\"; {why}", self.said(said)),
            said: Some(said.clone()),
            certainty: Certainty::Sure,
            edit: Some(Edit::replace(self.line, span.clone(), replacement)),
            span,
        }
    }

    /// Compares the age that the request names with the test on times. Several ages are not compared.
    fn age(&self, find: &FindExpression<'_>) -> Option<Mismatch> {
        if let Some(range) = self.demands.range.as_ref().filter(|range| matches!(range.unit, Unit::Time(_))) {
            return self.range(range, find);
        }
        let [wanted] = self.demands.ages.as_slice() else { return None };
        if wanted.excepted && self.finds_exceptions(find) {
            return None;
        }
        let tests: Vec<&Primary<'_>> = find.named(&DAYS).chain(find.named(&MINUTES)).collect();
        if find.primaries.iter().any(|primary| primary.name.starts_with("-newer")) {
            return None;
        }
        let [test] = tests.as_slice() else {
            let is_missing = tests.is_empty() && !self.mentions_time();
            return is_missing.then(|| self.missing(find, &wanted.said, &age_test(wanted, None)))?;
        };
        let (side, minutes, is_days) = age_of(test)?;
        // `! -mtime +7` is the other side of `-mtime +7`; in a negated group the sides are turned as a whole.
        let sign = self.own_sign(test);
        if test.negated && sign.is_none() {
            return None;
        }
        let side = if sign.is_some() { side.other() } else { side };
        let is_clock = match wanted.clock {
            Clock::Open => true,
            Clock::Modified => test.name.starts_with("-m"),
            Clock::Accessed => test.name.starts_with("-a"),
        };
        if is_clock && side == wanted.side && is_same_age(wanted, minutes, is_days) {
            return None;
        }
        let span = sign.unwrap_or(test.span.start)..test.span.end;
        let why = match () {
            () if !is_clock => format!("{} tests another time of the file", test.name),
            () if is_days && wanted.unit < TimeUnit::Day => format!("{} counts days", test.name),
            () if side != wanted.side => format!("`{}` is the other side of it", self.text(&span)),
            () => format!("`{}` is another time", self.text(&span)),
        };
        let found = self.replace(&wanted.said, span, age_test(wanted, Some(test.name)), &why);
        Some(if side == wanted.side || wanted.excepted { found } else { self.side(wanted.side, found) })
    }

    /// Returns a mismatch of the sides of a limit that no clear "except" turns. A line that destroys what is older or larger never gets to
    /// destroy what is newer or smaller: words that are not understood may say that this stays.
    fn side(&self, wanted: Side, found: Mismatch) -> Mismatch {
        if self.destroys && wanted != Side::More {
            return Mismatch { certainty: Certainty::Likely, edit: None, ..found };
        }
        found
    }

    /// Returns the offset of the `!` that stands directly before a negated test.
    fn own_sign(&self, test: &Primary<'_>) -> Option<usize> {
        let before = self.line.get(..test.span.start)?.trim_end();
        let sign = before.split_whitespace().next_back().filter(|_| test.negated)?;
        matches!(sign, "!" | "\\!" | "-not" | "'!'").then_some(before.len() - sign.len())
    }

    /// Reports whether `find` may look for what the request excepts: for `-prune`, or for a list of names to leave out.
    fn finds_exceptions(&self, find: &FindExpression<'_>) -> bool {
        const LISTS: [&str; 6] = ["<(", "$(", "`", "grep -v", "comm ", "--exclude"];
        find.named(&["-prune"]).next().is_some()
            || matches!(find.tree, Some(Node::Any(_)))
            || LISTS.iter().any(|list| self.line.contains(list))
    }

    /// Compares two limits with the tests on times or sizes: both must hold, one on each side.
    fn range(&self, range: &Range, find: &FindExpression<'_>) -> Option<Mismatch> {
        // In a negated group the sides are turned as a whole.
        let is_outside =
            ["except", "but not", "outside", "not between"].iter().any(|it| self.request.contains(it));
        if is_outside || find.named(&["-size"]).any(|test| test.negated && self.own_sign(test).is_none()) {
            return None;
        }
        let limits: Vec<(Side, u64)> = match range.unit {
            Unit::Time(_) => find
                .named(&DAYS)
                .chain(find.named(&MINUTES))
                .filter_map(|test| {
                    let (side, minutes, _) = age_of(test)?;
                    Some((side, minutes))
                })
                .collect(),
            Unit::Bytes(_) => find
                .named(&["-size"])
                .filter_map(|test| {
                    let (side, count, unit) = size_of(test)?;
                    let side = if test.negated { side.other() } else { side };
                    Some((side, count.saturating_mul(unit)))
                })
                .collect(),
        };
        let is_near = |value: u64, wanted: u64| value.abs_diff(wanted) <= wanted / RANGE_SLACK + range.step();
        let has =
            |side: Side, wanted: u64| limits.iter().any(|(of, value)| *of == side && is_near(*value, wanted));
        let is_any = matches!(find.tree, Some(Node::Any(_)))
            || find.tree.as_ref().is_some_and(|tree| joins(tree, find));
        let is_negated =
            |it: &Primary<'_>| it.negated && (DAYS.contains(&it.name) || MINUTES.contains(&it.name));
        let others = find
            .primaries
            .iter()
            .any(|it| is_negated(it) || it.name.starts_with("-newer") || it.name == "-empty");
        let complete = has(Side::More, range.low) && has(Side::Less, range.high);
        if others
            || limits.is_empty()
            || complete && !is_any
            || limits.iter().any(|(side, _)| *side == Side::Exactly)
        {
            return None;
        }
        let why = match () {
            () if complete => "`-o` takes what meets one of the limits",
            () if limits.len() < 2 => "the line tests one limit only",
            () => "the limits of the line are others",
        };
        if let Some((span, tests)) = self.ages_instead(range, find).filter(|_| !complete && !is_any) {
            return Some(self.replace(&range.said, span, tests, "the line counts days"));
        }
        if let Some((span, tests)) = self.sizes_instead(range, find).filter(|_| !complete && !is_any) {
            return Some(self.replace(&range.said, span, tests, why));
        }
        Some(
            Mismatch::likely(
                find.primaries.first()?.span.clone(),
                format!("you said \"{}\"; {why}", self.said(&range.said)),
            )
            .about(range.said.clone()),
        )
    }

    /// Returns the tests in minutes for two tests in days, one beside the other, if the limits are minutes or hours.
    fn ages_instead(&self, range: &Range, find: &FindExpression<'_>) -> Option<(Span, String)> {
        let tests: Vec<&Primary<'_>> = find.named(&DAYS).collect();
        let [first, second] = tests.as_slice() else { return None };
        let sides = (age_of(first)?.0, age_of(second)?.0);
        let is_pair = matches!(sides, (Side::More, Side::Less) | (Side::Less, Side::More))
            && first.name == second.name
            && self.text(&(first.span.end..second.span.start)).trim().is_empty();
        let is_short = matches!(range.unit, Unit::Time(unit) if unit < TimeUnit::Day);
        let name = first.name.replace("time", "min");
        let test = |side: Side| match side {
            Side::More => format!("{name} +{}", range.low),
            _ => format!("{name} -{}", range.high),
        };
        let tests = || format!("{} {}", test(sides.0), test(sides.1));
        (is_pair && is_short).then(|| (first.span.start..second.span.end, tests()))
    }

    /// Returns the tests of both sizes for two tests of others, one beside the other.
    fn sizes_instead(&self, range: &Range, find: &FindExpression<'_>) -> Option<(Span, String)> {
        let tests: Vec<&Primary<'_>> = find.named(&["-size"]).collect();
        let [first, second] = tests.as_slice() else { return None };
        let between = self.text(&(first.span.end..second.span.start));
        let is_pair =
            between.split_whitespace().all(|word| matches!(word, "!" | "\\!" | "-not" | "-a" | "-and"));
        let Unit::Bytes(_) = range.unit else { return None };
        let before = self.line.get(..first.span.start)?.trim_end();
        let start =
            ["\\!", "!", "-not"].iter().find_map(|not| before.strip_suffix(not)).filter(|_| first.negated);
        let start = start.map_or(first.span.start, str::len);
        let test = |side, bytes: u64| {
            let unit =
                [1 << 30, 1 << 20, 1 << 10].into_iter().find(|unit| bytes.is_multiple_of(*unit)).unwrap_or(1);
            size_test(&Size {
                side,
                count: bytes / unit,
                unit,
                inclusive: false,
                excepted: false,
                said: range.said.clone(),
            })
        };
        let tests = format!("{} {}", test(Side::More, range.low), test(Side::Less, range.high));
        is_pair.then_some((start..second.span.end, tests))
    }

    fn text(&self, span: &Span) -> &str {
        self.line.get(span.clone()).unwrap_or_default()
    }

    /// Reports whether the line deals with times outside the tests of `find`: `-printf '%T@'`, `-exec stat`.
    fn mentions_time(&self) -> bool {
        ["%T", "%A", "%C", "stat", "date", "touch", "ls "].iter().any(|hint| self.line.contains(hint))
    }

    /// Compares the size that the request names with `-size`. Several sizes are not compared.
    fn size(&self, find: &FindExpression<'_>) -> Option<Mismatch> {
        if let Some(range) = self.demands.range.as_ref().filter(|range| matches!(range.unit, Unit::Bytes(_)))
        {
            return self.range(range, find);
        }
        let [wanted] = self.demands.sizes.as_slice() else { return None };
        if wanted.excepted && self.finds_exceptions(find) {
            return None;
        }
        let tests: Vec<&Primary<'_>> = find.named(&["-size"]).collect();
        let test = match tests.as_slice() {
            [test] => test,
            [] if !self.mentions_size(find) => {
                return self.missing(find, &wanted.said, &size_test(wanted));
            }
            _ => return None,
        };
        let (side, count, unit) = size_of(test)?;
        // `-size -1k` rounds up first, so it means 0 bytes.
        let is_empty = side == Side::Less && count == 1 && unit > 1;
        let is_coarse = side == Side::Less && (2..=COARSE_MAX).contains(&count) && unit > 1;
        if side == wanted.side && is_same_size(wanted, count, unit) && !is_empty && !is_coarse || test.negated
        {
            return None;
        }
        let why = match () {
            () if is_empty => format!("`{}` finds only empty files", self.text(&test.span)),
            () if is_coarse => format!("`{}` rounds up, and leaves out the last unit", self.text(&test.span)),
            () if side != wanted.side => format!("`{}` is the other side of it", self.text(&test.span)),
            () => format!("`{}` is another size", self.text(&test.span)),
        };
        let found = self.replace(&wanted.said, test.span.clone(), size_test(wanted), &why);
        Some(if side == wanted.side || wanted.excepted { found } else { self.side(wanted.side, found) })
    }

    /// Reports whether the line deals with sizes outside `-size`.
    fn mentions_size(&self, find: &FindExpression<'_>) -> bool {
        find.named(&["-empty"]).next().is_some()
            || ["%s", "%k", "%b", "stat", "du "].iter().any(|hint| self.line.contains(hint))
    }

    /// Returns the mismatch of a test that the line lacks, with the edit that adds it.
    fn missing(&self, find: &FindExpression<'_>, said: &Span, test: &str) -> Option<Mismatch> {
        let edit = find.with_test(test);
        let at = edit.as_ref().map_or(find.end, |(at, _)| *at);
        Some(Mismatch {
            span: at..at,
            said: Some(said.clone()),
            certainty: Certainty::Sure,
            text: format!("you said \"{}\"; the line does not test that", self.said(said)),
            edit: edit.map(|(at, text)| Edit::replace(self.line, at..at, text)),
        })
    }

    /// Compares how deep the search goes.
    fn depth(&self, find: &FindExpression<'_>) -> Option<Mismatch> {
        let (wanted, said) = self.demands.depth.as_ref()?;
        let limit = find.named(&["-maxdepth"]).next();
        // "of each folder": what stands in one folder only has no other one to be told apart from.
        let words = self.said(said).to_lowercase();
        let is_place = ["in ", "of ", "from ", "per ", "for "].iter().any(|it| words.starts_with(it));
        let is_each = is_place && ["each", "every"].iter().any(|it| words.contains(it));
        if is_each && !self.is_one_folder(find) {
            return None;
        }
        // "folders with a README directly in them", and the folders of a loop: the words are about each of these.
        let is_looped = self.line.starts_with("for ") && self.line.contains("find \"$");
        let acts = find.named(&["-delete", "-exec", "-execdir"]).next().is_some();
        // `-mindepth 2` leaves the directory itself out, and `[^/]*` in a pattern does not go deeper.
        let is_lower = find.named(&["-mindepth"]).any(|it| !matches!(it.literal(), Some("0" | "1")));
        let is_direct = find
            .named(&["-regex", "-iregex"])
            .any(|it| !it.negated && it.literal().is_some_and(|pattern| pattern.contains("/[^/]")));
        if is_lower && *wanted == Depth::Here || is_direct {
            return None;
        }
        if !acts && !is_each && (is_looped || self.line.contains("%h")) {
            return None;
        }
        match (wanted, limit) {
            (Depth::Below, Some(limit)) if limit.literal() == Some("1") => {
                // The blank before it goes too.
                let span = limit.span.start.saturating_sub(1)..limit.span.end;
                Some(self.replace(said, span, String::new(), "`-maxdepth 1` stays in the directory itself"))
            }
            (Depth::Here, None) if find.named(&["-prune"]).next().is_none() => {
                let paths = find
                    .named(&["-path", "-wholename", "-ipath", "-regex"])
                    .filter(|primary| primary.negated);
                let at = find.options_at;
                match paths.collect::<Vec<_>>().as_slice() {
                    [] => {
                        Some(self.replace(said, at..at, " -maxdepth 1".to_owned(), "this also looks there"))
                    }
                    // A pattern with a name leaves out one directory: `./build/*`.
                    [path]
                        if path.literal().is_some_and(|pattern| {
                            pattern.contains('/') && !pattern.contains(char::is_alphanumeric)
                        }) =>
                    {
                        self.limit_instead(find, path, said)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Reports whether a line prints the folder of each file, and `find` takes the files of one folder.
    fn is_one_folder(&self, find: &FindExpression<'_>) -> bool {
        let is_file = find.named(&["-type"]).any(|it| it.literal() == Some("f") && !it.negated);
        let prints =
            find.named(&["-printf"]).any(|it| it.literal().is_some_and(|format| format.contains("%h")));
        let roots = self.line.get(..find.options_at).unwrap_or_default();
        let root = roots.rsplit("find ").next().unwrap_or_default().trim();
        is_file && prints && !root.is_empty() && !root.contains([' ', '*', '$', '?', '{', '\t'])
    }

    /// Returns the mismatch of a negated path that shall keep `find` out of directories, with the edit that replaces it
    /// by `-maxdepth 1`.
    fn limit_instead(&self, find: &FindExpression<'_>, path: &Primary<'_>, said: &Span) -> Option<Mismatch> {
        let before = self.line.get(find.options_at..path.span.start)?;
        let kept = before.trim_end().strip_suffix("-not").or_else(|| before.trim_end().strip_suffix('!'))?;
        let kept = kept.strip_suffix('\\').unwrap_or(kept).trim_end();
        let span = find.options_at..path.span.end;
        let text = format!("`{}` does not say that", self.text(&path.span));
        Some(self.replace(said, span, format!(" -maxdepth 1{kept}"), &text))
    }

    /// Compares the kind of file. A missing test is no mismatch: names often decide the kind.
    fn kind(&self, find: &FindExpression<'_>) -> Option<Mismatch> {
        let (wanted, said) = self.demands.kind.as_ref()?;
        let tests: Vec<&Primary<'_>> = find.named(&["-type"]).collect();
        let [test] = tests.as_slice() else { return None };
        // `%h` and dirname make directories of files.
        let is_derived = ["%h", "dirname", "basename", "rmdir", "cut -d / -f", "cut -d/ -f"]
            .iter()
            .any(|hint| self.line.contains(hint));
        let others: &[&str] = match wanted {
            FileKind::File => &["folder", "director", "dirs"],
            FileKind::Directory => &["file"],
        };
        // "files of each folder", "folders with many files"
        let request = self.request.to_lowercase();
        let names_both = others.iter().any(|noun| request.contains(noun));
        // "each log, not the subfolder"
        let said_before = request.get(..said.start).unwrap_or_default().trim_end_matches("the ").trim_end();
        let is_negated = ["not", "no", "without", "except", "but", "incl", "incl.", "including"]
            .iter()
            .any(|no| said_before.ends_with(no))
            || request.get(said.end..).is_some_and(|behind| behind.starts_with(" out"));
        let is_looped =
            *wanted == FileKind::Directory && self.line.starts_with("for ") && self.line.contains("find \"$");
        if is_derived || is_looped || names_both || is_negated || matches!(find.tree, Some(Node::Any(_))) {
            return None;
        }
        let value = test.value.filter(|_| !test.negated)?;
        let other = match wanted {
            FileKind::File => "d",
            FileKind::Directory => "f",
        };
        // Too many requests mean files by their directories, or the reverse, for an edit.
        (value.text == other).then(|| {
            Mismatch::likely(
                value.span.clone(),
                format!("you said \"{}\"; `{}` finds the other kind", self.said(said), self.text(&test.span)),
            )
            .about(said.clone())
        })
    }
}

/// Reports whether a node joins tests on times or sizes by "or".
fn joins(node: &Node, find: &FindExpression<'_>) -> bool {
    let is_limit = |node: &Node| matches!(node, Node::Primary(at) if find.primaries.get(*at).is_some_and(|it| it.name == "-size" || DAYS.contains(&it.name) || MINUTES.contains(&it.name)));
    match node {
        Node::Primary(_) => false,
        Node::Not(node) | Node::Group(node) => joins(node, find),
        Node::All(nodes) => nodes.iter().any(|node| joins(node, find)),
        Node::Any(nodes) => nodes.iter().any(is_limit),
    }
}

/// Returns side, minutes and resolution of a test on times.
fn age_of(test: &Primary<'_>) -> Option<(Side, u64, bool)> {
    let (side, count) = signed(test.literal()?);
    let is_days = DAYS.contains(&test.name);
    let count: u64 = count.parse().ok()?;
    Some((side, if is_days { count.saturating_mul(DAY) } else { count }, is_days))
}

fn signed(value: &str) -> (Side, &str) {
    match value.split_at_checked(1) {
        Some(("+", rest)) => (Side::More, rest),
        Some(("-", rest)) => (Side::Less, rest),
        _ => (Side::Exactly, value),
    }
}

/// Reports whether a test is the age that was asked for. Months and years have several lengths, and whole days are
/// rounded in two ways.
fn is_same_age(wanted: &Age, minutes: u64, is_days: bool) -> bool {
    // `-mtime +0` is more than one whole day.
    if is_days && wanted.side == Side::More && minutes + DAY == wanted.minutes() {
        return true;
    }
    let slack = match wanted.unit {
        TimeUnit::Month => wanted.count.saturating_mul(2 * DAY),
        TimeUnit::Year => wanted.count.saturating_mul(DAY),
        TimeUnit::Day | TimeUnit::Week if is_days => DAY,
        _ => 0,
    };
    minutes.abs_diff(wanted.minutes()) <= slack
}

/// Returns the test for an age; `before` is the name of the test that it replaces.
fn age_test(wanted: &Age, before: Option<&str>) -> String {
    let letter = match wanted.clock {
        Clock::Modified => 'm',
        Clock::Accessed => 'a',
        Clock::Open => before.and_then(|name| name.chars().nth(1)).unwrap_or('m'),
    };
    let sign = match wanted.side {
        Side::Less => "-",
        Side::More => "+",
        Side::Exactly => "",
    };
    if wanted.unit < TimeUnit::Day {
        format!("-{letter}min {sign}{}", wanted.minutes())
    } else {
        format!("-{letter}time {sign}{}", wanted.minutes() / DAY)
    }
}

/// Returns side, count and bytes of the unit of `-size`.
fn size_of(test: &Primary<'_>) -> Option<(Side, u64, u64)> {
    let (side, count) = signed(test.literal()?);
    let digits = count.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match count.strip_prefix(digits)? {
        "c" => 1,
        "w" => 2,
        "" | "b" => 512,
        "k" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    Some((side, digits.parse().ok()?, unit))
}

/// Reports whether a test is the size that was asked for, in binary or decimal units, or the byte beside it.
fn is_same_size(wanted: &Size, count: u64, unit: u64) -> bool {
    let bytes = count.saturating_mul(unit);
    let decimal = match wanted.unit {
        1 => 1,
        unit if unit == 1 << 10 => 1000,
        unit if unit == 1 << 20 => 1_000_000,
        _ => 1_000_000_000,
    };
    // "50 kB or more" is more than 49 kB.
    let near = if unit == 1 || wanted.inclusive { unit } else { 0 };
    [wanted.bytes(), wanted.count.saturating_mul(decimal)].iter().any(|size| bytes.abs_diff(*size) <= near)
}

/// Returns the test for a size. Below one unit only bytes are exact, because `find` rounds up to whole units.
fn size_test(wanted: &Size) -> String {
    let letter = match wanted.unit {
        1 => 'c',
        unit if unit == 1 << 10 => 'k',
        unit if unit == 1 << 20 => 'M',
        _ => 'G',
    };
    match wanted.side {
        Side::More => format!("-size +{}{letter}", wanted.count),
        Side::Less if wanted.count <= COARSE_MAX => format!("-size -{}c", wanted.bytes()),
        Side::Less => format!("-size -{}{letter}", wanted.count),
        Side::Exactly => format!("-size {}{letter}", wanted.count),
    }
}
