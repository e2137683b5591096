//! Ranges of git (`A..B`: what B has and A has not), held against the sides that a request names.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Words between "since" and the name.
const FILLERS: [&str; 5] = ["the", "tag", "release", "version", "tagged"];

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
    let (from, to, kind) =
        sides.since(&range).or_else(|| sides.stretch(&range)).or_else(|| sides.before(&range))?;
    let said = tokens.get(from)?.span.start..tokens.get(to)?.span.end;
    let is_plain = line.text().get(range.word.span.clone()) == Some(range.word.text.as_str());
    let swapped = format!("{}..{}", range.new, range.old);
    let edit = (kind == Kind::Since && is_plain)
        .then(|| Edit::replace(line.text(), range.word.span.clone(), swapped));
    let why = match kind {
        Kind::Since | Kind::Stretch => "the range is the wrong way round",
        Kind::Before => "the range begins there",
    };
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

/// Reports whether a name is that of a version: `v1.2`, `2.0.1`.
fn is_version(name: &str) -> bool {
    let digits = name.strip_prefix('v').unwrap_or(name);
    !digits.is_empty()
        && digits.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// What is said of the names of a range.
#[derive(PartialEq)]
enum Kind {
    Since,
    Stretch,
    Before,
}

/// First and last token of what is said.
type Said = (usize, usize, Kind);

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

    /// "after v1.0", and the range ends there. After the name of a branch it may be the place where the branch began.
    fn since(&self, range: &Range<'_>) -> Option<Said> {
        let at = self.at(range.new)?;
        let before = self.before_name(at)?;
        let is_tag = (before + 1..at)
            .any(|at| matches!(self.lower(at), "tag" | "release" | "version" | "tagged"))
            || is_version(range.new);
        let is_since = matches!(self.lower(before), "since" | "after")
            && is_tag
            && !range.is_diff
            && !self.has(&[
                "before", "until", "till", "not", "lacks", "lack", "missing", "reverse", "undo", "branch",
                "branched", "fork", "forked", "made", "created",
            ]);
        is_since.then_some((before, at, Kind::Since))
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
        is_said.then_some((from, second, Kind::Stretch))
    }

    /// "before v1.0", and the range begins there.
    fn before(&self, range: &Range<'_>) -> Option<Said> {
        let at = self.at(range.old)?;
        let before = self.before_name(at)?;
        let is_end = matches!(self.lower(before), "before" | "until" | "till")
            && !self.has(&["since", "after", "from", "between", "not"]);
        (is_end && (is_head(range.new) || self.at(range.new) > Some(at))).then_some((
            before,
            at,
            Kind::Before,
        ))
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
            ("commits from v1.0 to v1.1", "git log v1.1..v1.0", Some("")),
            ("changes between v2 and v1", "git diff v2..v1", None),
            ("commits main doesn't have, dev does", "git log main..dev", None),
            ("how many commits since branch dev was made from main", "git rev-list --count main..dev", None),
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
