//! Ranges of git (`A..B`: what B has and A has not), held against the sides that a request names.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Words between "since" and the name.
const FILLERS: [&str; 7] = ["the", "tag", "release", "version", "commit", "branch", "tagged"];
/// Words that take the second name away from the first.
const MINUS: [&str; 12] = [
    "not", "doesnt", "dont", "hasnt", "havent", "isnt", "arent", "without", "except", "cant", "didnt",
    "wasnt",
];
/// Words between them and the name.
const LINKS: [&str; 22] = [
    "in",
    "on",
    "yet",
    "part",
    "of",
    "contained",
    "merged",
    "into",
    "the",
    "branch",
    "been",
    "by",
    "from",
    "present",
    "at",
    "to",
    "has",
    "have",
    "that",
    "are",
    "is",
    "already",
];

/// A word `A..B`.
struct Range<'l> {
    word: &'l Word,
    old: &'l str,
    new: &'l str,
    is_diff: bool,
}

/// Compares the sides of a range with those of the request.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let mut ranges = line.parsed().commands.iter().filter_map(range);
    let range = ranges.next().filter(|_| ranges.next().is_none())?;
    let sides = Sides { tokens };
    let (from, to, is_sure) = sides
        .since(&range)
        .or_else(|| sides.stretch(&range))
        .or_else(|| sides.between(&range))
        .or_else(|| sides.lacking(&range))
        .or_else(|| sides.before(&range))?;
    let said = tokens.get(from)?.span.start..tokens.get(to)?.span.end;
    let is_plain = line.text().get(range.word.span.clone()) == Some(range.word.text.as_str());
    let swapped = format!("{}..{}", range.new, range.old);
    let edit = (is_sure && is_plain).then(|| Edit::replace(line.text(), range.word.span.clone(), swapped));
    let why = if is_sure { "the range is the wrong way round" } else { "the range begins there" };
    Some(Mismatch {
        span: range.word.span.clone(),
        text: format!("you said \"{}\"; {why}", request.get(said.clone())?),
        said: Some(said),
        certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
        edit,
    })
}

/// Returns the only range of a command that lists commits or differences.
fn range(command: &SimpleCommand) -> Option<Range<'_>> {
    let words = || command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let verb = words().next().filter(|_| command.name() == Some("git"))?.text.as_str();
    if !matches!(verb, "log" | "rev-list" | "shortlog" | "diff") {
        return None;
    }
    let sides = |word: &'_ Word| {
        let at = word.text.find("..")?;
        let (old, new) = (word.text.get(..at)?, word.text.get(at + 2..)?);
        let is_path = old.ends_with('/') || new.starts_with(['/', '.']) || new.contains("..");
        (!is_path).then_some(at)
    };
    let mut found = words().filter_map(|word| Some((word, sides(word)?)));
    let (word, at) = found.next().filter(|_| found.next().is_none())?;
    Some(Range { word, old: word.text.get(..at)?, new: word.text.get(at + 2..)?, is_diff: verb == "diff" })
}

/// Reports whether a side is the commit that is checked out.
fn is_head(name: &str) -> bool {
    matches!(name, "" | "HEAD" | "@")
}

/// First and last token of what is said, and `true` if the sides are to be swapped.
type Said = (usize, usize, bool);

struct Sides<'t> {
    tokens: &'t [Token],
}

impl Sides<'_> {
    fn lower(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.lower.as_str())
    }

    /// Returns the only place of a name.
    fn at(&self, name: &str) -> Option<usize> {
        let mut found = self.tokens.iter().enumerate().filter(|(_, token)| token.text == name);
        let (at, _) = found.next().filter(|_| found.next().is_none())?;
        Some(at)
    }

    /// Returns the place of the word before a name, fillers aside.
    fn before_name(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|before| !FILLERS.contains(&self.lower(*before)))
    }

    fn has(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|token| words.contains(&token.lower.as_str()))
    }

    /// "after v1.0", and the range ends there.
    fn since(&self, range: &Range<'_>) -> Option<Said> {
        let at = self.at(range.new)?;
        let before = self.before_name(at)?;
        let is_since = matches!(self.lower(before), "since" | "after")
            && !self.has(&["before", "until", "till", "not", "lacks", "lack", "missing", "reverse", "undo"]);
        is_since.then_some((before, at, true))
    }

    /// "from v1.0 to v1.1".
    fn stretch(&self, range: &Range<'_>) -> Option<Said> {
        let (first, second) = (self.at(range.new)?, self.at(range.old)?);
        let (from, to) = (self.before_name(first)?, self.before_name(second)?);
        let is_said = self.lower(from) == "from"
            && matches!(self.lower(to), "to" | "till" | "until" | "through")
            && first < second
            && second - first < 6
            && !self.has(&["back", "backwards", "reverse", "undo", "downgrade", "merge", "missing"]);
        is_said.then_some((from, second, true))
    }

    /// "between v1.0 and v1.1", by the order of the numbers.
    fn between(&self, range: &Range<'_>) -> Option<Said> {
        let (one, other) = (self.at(range.new)?, self.at(range.old)?);
        let (first, second) = (one.min(other), one.max(other));
        let before = self.before_name(first)?;
        let numbers = |name: &str| -> Vec<u64> {
            name.split(|c: char| !c.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
        };
        let stem = |name: &str| -> String { name.chars().take_while(|c| !c.is_ascii_digit()).collect() };
        let is_said = self.lower(before) == "between"
            && second - first < 5
            && stem(range.new) == stem(range.old)
            && !numbers(range.new).is_empty()
            && numbers(range.new) < numbers(range.old);
        (is_said && !self.has(&["back", "backwards", "reverse", "undo"])).then_some((before, second, true))
    }

    /// "on dev but not on main", "dev has that main doesn't".
    fn lacking(&self, range: &Range<'_>) -> Option<Said> {
        if range.is_diff || self.has(&["lack", "lacks", "lacking", "missing", "misses", "diff", "behind"]) {
            return None;
        }
        // The range keeps what is new; it is the wrong way round if the request keeps what is old.
        let (kept, other) = (self.at(range.old)?, self.at(range.new)?);
        if kept > other || is_head(range.old) || is_head(range.new) {
            return None;
        }
        let is_minus = |at: &usize| MINUS.contains(&self.lower(*at));
        if (0..kept).any(|at| is_minus(&at)) {
            return None;
        }
        let is_ahead = (kept..other).any(|at| self.lower(at) == "ahead");
        let minus = (kept..other).rev().find(is_minus);
        let is_between =
            minus.is_some_and(|minus| (minus + 1..other).all(|at| LINKS.contains(&self.lower(at))));
        let is_behind = minus.is_none()
            && (MINUS.contains(&self.lower(other + 1))
                || self.lower(other + 1) == "does" && self.lower(other + 2) == "not");
        (is_ahead || is_between || is_behind).then_some((kept, other, true))
    }

    /// "before v1.0", and the range begins there.
    fn before(&self, range: &Range<'_>) -> Option<Said> {
        let at = self.at(range.old)?;
        let before = self.before_name(at)?;
        let is_end = matches!(self.lower(before), "before" | "until" | "till")
            && !self.has(&["since", "after", "from", "between", "not"]);
        (is_end && (is_head(range.new) || self.at(range.new) > Some(at))).then_some((before, at, false))
    }
}

#[cfg(test)]
mod tests {
    use crate::request::tokens;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn the_side_that_is_kept() {
        for (request, line, expected) in [
            ("commits after v1.0 on main", "git log main..v1.0", Some("git log v1.0..main")),
            ("commits since the tag v1.0", "git log HEAD..v1.0", Some("git log v1.0..HEAD")),
            ("commits since v1.0", "git log ..v1.0", Some("git log v1.0..")),
            ("commits since v1.0", "git log v1.0..", None),
            ("commits after v1.0 up to v1.1", "git log v1.0..v1.1", None),
            ("commits from v1.0 to v1.1", "git log v1.1..v1.0", Some("git log v1.0..v1.1")),
            ("commits between v1.9 and v1.10", "git log v1.10..v1.9", Some("git log v1.9..v1.10")),
            ("commits between v1.9 and v1.10", "git log v1.9..v1.10", None),
            ("commits on dev that are not in main", "git log dev..main", Some("git log main..dev")),
            ("commits on dev that are not in main", "git log main..dev", None),
            ("what has dev that main hasn't", "git log dev..main", Some("git log main..dev")),
            (
                "how many commits is dev ahead of main",
                "git rev-list --count dev..main",
                Some("git rev-list --count main..dev"),
            ),
            ("how many commits is dev behind main", "git rev-list --count dev..main", None),
            ("commits before v2.0", "git log v2.0..", Some("")),
            ("commits before v2.0", "git log v2.0", None),
        ] {
            let parsed = ParsedLine::new(line, Shell::Bash);
            let found = super::compare(request, &tokens(request), &parsed);
            let mended = found.map(|it| it.applied_to(line).unwrap_or_default());
            assert_eq!(mended.as_deref(), expected, "{request}");
        }
    }
}
