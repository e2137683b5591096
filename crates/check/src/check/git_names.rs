//! Finds names of branches, tags and remotes that the repository lacks.

use std::sync::LazyLock;

use serde::Deserialize;

use super::commands::may_have_changed;
use super::level::OptionStatus;
use super::nearest;
use super::walk::Walk;
use super::{Finding, FindingKind, ReportDraft, Severity};
use crate::finding::Fix;
use crate::git_refs::GitRefs;
use askline_syntax::{Nesting, Parsed, SimpleCommand, Span, Word, program_name};

/// The rules, parsed once.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("git_names.toml")).expect("checked by a test");
    table.command
});

/// Maximum number of operands to look up per command.
const OPERANDS_MAX: usize = 8;
/// Length of a commit's number, in hexadecimal digits.
const NUMBER_DIGITS: std::ops::RangeInclusive<usize> = 4..=64;
/// Names of the first branch: repositories have one of them, and people and models write the other.
const FIRST_BRANCHES: [(&str, &str); 2] = [("master", "main"), ("main", "master")];
/// The name that git gives to the first remote.
const FIRST_REMOTE: &str = "origin";
/// Options with which a command loses changes: then no name is guessed.
const FORCING: [&str; 6] = ["-f", "--force", "--discard-changes", "--hard", "-M", "-C"];
/// Maximum number of names of one word: a range has two.
const NAMES_OF_RANGE_MAX: usize = 2;
/// Maximum number of names in the evidence.
const NAMES_MAX: usize = 5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    command: Vec<Rule>,
}

/// What the operands of a command name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    words: Vec<String>,
    operands: Vec<Kinds>,
    #[serde(default)]
    when: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    least: usize,
    #[serde(default)]
    is_told: bool,
    #[serde(default)]
    passes: Vec<String>,
    #[serde(default)]
    takes_deleted: bool,
}

/// Kinds of names of which an operand has one.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Kinds(Vec<Kind>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Branch,
    Elsewhere,
    Commit,
    Path,
    Tag,
    Remote,
    Any,
}

impl TryFrom<String> for Kinds {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let kind = |name| match name {
            "branch" => Ok(Kind::Branch),
            "elsewhere" => Ok(Kind::Elsewhere),
            "commit" => Ok(Kind::Commit),
            "path" => Ok(Kind::Path),
            "tag" => Ok(Kind::Tag),
            "remote" => Ok(Kind::Remote),
            "any" => Ok(Kind::Any),
            _ => Err(format!("no kind of name: {name}")),
        };
        text.split('|').map(kind).collect::<Result<_, _>>().map(Self)
    }
}

/// Adds findings for names of one command that the repository lacks.
pub(super) fn check(command: &SimpleCommand, walk: &Walk, parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    // Another repository.
    let is_elsewhere = command.assignments.iter().any(|it| it.text.starts_with("GIT_"));
    let is_git = command.name().map(program_name) == Some("git");
    let is_wrapped =
        command.within.iter().any(|nesting| matches!(nesting, Nesting::Wrapper(_) | Nesting::Function));
    if !is_git || is_elsewhere || is_wrapped || may_have_changed(command, parsed) {
        return;
    }
    let Some((rule, after)) = RULES.iter().find_map(|rule| Some((rule, rule.applies(command, walk)?))) else {
        return;
    };
    let Some(refs) = draft.reference.git_refs() else { return };
    let forces = walk.uses.iter().any(|used| FORCING.contains(&used.option.as_str()));
    let end = command.words.iter().position(|word| word.text == "--").unwrap_or(command.words.len());
    let operands = walk.operands.iter().filter(|index| after < **index && **index < end);
    let operands: Vec<&Word> =
        operands.filter_map(|index| command.words.get(*index)).take(OPERANDS_MAX).collect();
    let path_follows = end < command.words.len();
    // `git checkout main .` discards changes.
    let has_paths = rule.takes_deleted && (path_follows || 1 < operands.len());
    let may_edit = !rule.is_told && !forces && !has_paths;
    if operands.iter().any(|word| rule.passes.contains(&word.text)) {
        return;
    }
    if operands.len() < rule.least {
        return;
    }
    for (at, word) in operands.iter().enumerate() {
        let Some(Kinds(kinds)) = rule.operands.get(at).or(rule.operands.last()) else { continue };
        let operand = Operand {
            word,
            kinds,
            path_follows,
            may_edit,
            takes_deleted: rule.takes_deleted && !path_follows,
        };
        look_up(&operand, &refs, draft);
    }
}

impl Rule {
    /// Returns the index of the last word of the command that the rule is about; `None` for another command, or if the options
    /// of this one are not all known.
    fn applies(&self, command: &SimpleCommand, walk: &Walk) -> Option<usize> {
        // Options before the command, such as `-C`, lead to another repository.
        let words = command.words.get(1..=self.words.len())?;
        let is_it = words.iter().zip(&self.words).all(|(word, name)| word.literal && word.text == *name);
        let has = |names: &[String]| walk.uses.iter().any(|used| names.contains(&used.option));
        let is_known = walk.uses.iter().all(|used| matches!(used.standing, OptionStatus::Documented(_)));
        let fits = (self.when.is_empty() || has(&self.when)) && !has(&self.unless);
        (is_it && is_known && fits).then_some(self.words.len())
    }
}

/// An operand that names something in the repository.
struct Operand<'a> {
    word: &'a Word,
    kinds: &'a [Kind],
    /// `true` if paths follow behind `--`.
    path_follows: bool,
    /// `true` if another name may take its place.
    may_edit: bool,
    /// `true` if it may be a file that was deleted.
    takes_deleted: bool,
}

/// Looks up the names in an operand: one, or the two of a range.
fn look_up(operand: &Operand<'_>, refs: &GitRefs, draft: &mut ReportDraft<'_>) {
    let Operand { word, kinds, path_follows, may_edit, .. } = *operand;
    let text = word.text.as_str();
    let is_raw = draft.line.get(word.span.clone()) == Some(text);
    if !word.literal || !is_raw || text.starts_with('-') || kinds.contains(&Kind::Any) {
        return;
    }
    let is_path = kinds.contains(&Kind::Path) && !path_follows && draft.reference.exists(text) != Some(false);
    let is_address = text.contains([':', '/', '.']) && !refs.branches.contains(text)
        || draft.reference.exists(text) == Some(true);
    if is_path || kinds == [Kind::Remote] && is_address {
        return;
    }
    let whole = 0..text.len();
    let names = if kinds.contains(&Kind::Commit) { names_of_commits(text) } else { Vec::from([whole]) };
    for name in names {
        let Some(named) = text.get(name.clone()) else { continue };
        if is_there(named, kinds, refs) {
            continue;
        }
        let span = word.span.start + name.start..word.span.start + name.end;
        let change = |name: &str| Fix {
            span: span.clone(),
            replacement: name.to_owned(),
            change: format!("{named} → {name}"),
        };
        // git restores a file that is gone.
        let meant = meant(named, kinds, refs);
        if operand.takes_deleted && meant.is_none() {
            continue;
        }
        let fix = meant.filter(|_| may_edit).map(change);
        draft.report.findings.push(Finding {
            kind: FindingKind::RefMissing,
            span,
            grade: Severity::Warning,
            text: format!("there is no {} `{named}` here", kinds_told(kinds, path_follows)),
            evidence: names_told(kinds, refs),
            fixes: Vec::from_iter(fix),
        });
    }
}

/// Returns the places of the names in a word that names commits: `a` and `b` of `a~2..b`. Source: gitrevisions(7).
fn names_of_commits(text: &str) -> Vec<Span> {
    // `commit:path`, `:/text` and `HEAD^{/text}` name anything.
    if text.contains([':', '{', '*', '?', '[', '\\']) {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut from = 0;
    for part in text.split("..") {
        let lead = part.len() - part.trim_start_matches(['^', '.', '+']).len();
        let name = part.get(lead..).unwrap_or_default();
        let length = name.find(['~', '^', '@']).unwrap_or(name.len());
        names.push(from + lead..from + lead + length);
        from += part.len() + "..".len();
    }
    names.retain(|name| !name.is_empty());
    names.truncate(NAMES_OF_RANGE_MAX);
    names
}

fn is_there(name: &str, kinds: &[Kind], refs: &GitRefs) -> bool {
    let is = |kind: &Kind| match kind {
        Kind::Branch => refs.branches.contains(name),
        Kind::Elsewhere => refs.has_elsewhere(name),
        Kind::Tag => refs.tags.contains(name),
        Kind::Remote => refs.remotes.contains(name),
        Kind::Commit => is_commit(name, refs),
        Kind::Path => false,
        Kind::Any => true,
    };
    kinds.iter().any(is)
}

/// Reports whether a name may be one of a commit.
fn is_commit(name: &str, refs: &GitRefs) -> bool {
    let is_number = NUMBER_DIGITS.contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    // `v1.0-3-gabc1234`, as `git describe` prints it.
    let is_described = || name.rsplit_once("-g").is_some_and(|(_, end)| is_hex(end));
    // `HEAD`, `ORIG_HEAD`, `AUTO_MERGE`
    let is_special = || name.chars().all(|c| c.is_ascii_uppercase() || c == '_') || name == "stash";
    let is_whole = || ["refs/", "heads/", "tags/", "remotes/"].iter().any(|lead| name.starts_with(lead));
    let is_other = || refs.others.contains(name);
    let sets = [&refs.branches, &refs.tags, &refs.remote_branches, &refs.remotes];
    is_number
        || is_special()
        || is_whole()
        || is_described()
        || is_other()
        || sets.iter().any(|set| set.contains(name))
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the names that an operand of these kinds may have.
fn names<'r>(kinds: &[Kind], refs: &'r GitRefs) -> Vec<&'r str> {
    let mut names: Vec<&str> = Vec::new();
    for kind in kinds {
        match kind {
            Kind::Branch => names.extend(refs.branches.iter().map(String::as_str)),
            Kind::Elsewhere => names.extend(refs.elsewhere()),
            Kind::Tag => names.extend(refs.tags.iter().map(String::as_str)),
            Kind::Remote => names.extend(refs.remotes.iter().map(String::as_str)),
            Kind::Commit => {
                let all = refs.branches.iter().chain(&refs.tags).chain(&refs.remote_branches);
                names.extend(all.map(String::as_str));
            }
            Kind::Path | Kind::Any => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the one name that a missing one surely means: the other name of the first branch, one with a slip, the only one
/// that ends with it behind a slash, or the only remote for `origin`.
fn meant<'r>(name: &str, kinds: &[Kind], refs: &'r GitRefs) -> Option<&'r str> {
    let names = names(kinds, refs);
    // The usual name of the first remote, where there is another one only.
    if let ([only], [Kind::Remote], FIRST_REMOTE) = (names.as_slice(), kinds, name) {
        return Some(only);
    }
    let first = FIRST_BRANCHES.iter().find(|(missing, _)| *missing == name).map(|(_, other)| *other);
    if let Some(first) = first.and_then(|first| names.iter().find(|other| **other == first)) {
        return Some(first);
    }
    let near = names.iter().filter(|other| nearest::is_slip_of_file(name, other)).copied();
    if let Some(near) = nearest::clear(name, near) {
        return Some(near);
    }
    let is_end = |other: &&&str| {
        let end = other.rsplit_once('/').map(|(_, end)| end);
        end.is_some_and(|end| end.eq_ignore_ascii_case(name))
    };
    let mut ends = names.iter().filter(is_end);
    ends.next().filter(|_| ends.next().is_none()).copied()
}

/// Returns the words for the kinds of names.
fn kinds_told(kinds: &[Kind], path_follows: bool) -> &'static str {
    match kinds.first() {
        Some(Kind::Tag) => "tag",
        Some(Kind::Remote) => "remote",
        Some(Kind::Commit) if kinds.contains(&Kind::Path) && !path_follows => "branch, tag, commit or file",
        Some(Kind::Commit) => "branch, tag or commit",
        _ => "branch",
    }
}

/// Returns the words for the names that are there.
fn names_told(kinds: &[Kind], refs: &GitRefs) -> String {
    let names = names(kinds, refs);
    let told: Vec<String> = names.iter().take(NAMES_MAX).map(|name| format!("`{name}`")).collect();
    match (told.is_empty(), NAMES_MAX < names.len()) {
        (true, _) => String::new(),
        (false, true) => format!("there is {} and others", told.join(", ")),
        (false, false) => format!("there is {}", told.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_words_for_commits() {
        for (text, expected) in [
            ("main", &["main"][..]),
            ("main~2", &["main"]),
            ("HEAD^^", &["HEAD"]),
            ("main..feature/x", &["main", "feature/x"]),
            ("main...dev~1", &["main", "dev"]),
            ("..dev", &["dev"]),
            ("^dev", &["dev"]),
            ("@", &[]),
            ("@~3", &[]),
            ("main@{u}", &[]),
            ("HEAD:a.txt", &[]),
            ("v1.0", &["v1.0"]),
            ("..", &[]),
            ("", &[]),
        ] {
            let names: Vec<&str> =
                names_of_commits(text).into_iter().map(|name| text.get(name).unwrap()).collect();
            assert_eq!(names, expected, "{text}");
        }
    }

    #[test]
    fn every_rule_is_read() {
        assert!(RULES.iter().all(|rule| !rule.words.is_empty() && !rule.operands.is_empty()));
    }
}
