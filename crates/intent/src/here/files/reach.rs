//! Searches with `find` that reach none of the files that the request is about.

use super::endings::{self, is_said};
use super::missing::{HERE, told};
use crate::demand::{Demands, Depth};
use crate::find_expression::{FindExpression, Node, Primary};
use crate::glob::matches_in_find;
use crate::here::call::Call;
use crate::here::names::{NameKind, Names};
use crate::here::path::relative;
use crate::here::{Case, Contradiction, Subject};

/// Tests that need not be known: they only find fewer files.
const NARROWING: [&str; 12] = [
    "-type", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-empty", "-user",
    "-perm",
];
/// Words of requests about one level.
const STAYS: [&str; 7] = ["only", "top", "directly", "immediate", "immediately", "level", "root"];

/// A search by names.
struct Search<'c> {
    names: &'c Names,
    /// The starting point; empty for the directory itself.
    start: &'c str,
    /// The tests of the name, of which one must hold, with their patterns.
    tests: Vec<(&'c Primary<'c>, &'c str)>,
    /// The kind of file that it wants.
    kind: Option<NameKind>,
    /// The limit of depth, with its number.
    limit: Option<(&'c Primary<'c>, usize)>,
    /// Other tests narrow it: how many files of a name it finds is not known.
    is_narrowed: bool,
}

/// Returns what keeps each `find` from files that match.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let finds = case.calls.iter().filter(|call| call.name == "find");
    finds.filter_map(|call| compare(case, call)).collect()
}

fn compare(case: &Case<'_>, call: &Call<'_>) -> Option<Contradiction> {
    let expression = FindExpression::of(call.command)?;
    if let Some(found) = needless_exception(case, &expression) {
        return Some(found);
    }
    let search = Search::of(case, call, &expression)?;
    too_shallow(case, &search).or_else(|| other_case(case, &search)).or_else(|| other_capitals(case, &search))
}

impl<'c> Search<'c> {
    /// Reads a search whose tests must all hold, but for alternative names. `None` for every other.
    fn of(case: &'c Case<'_>, call: &Call<'c>, expression: &'c FindExpression<'_>) -> Option<Self> {
        let start = match call.operands.as_slice() {
            [] => "",
            [start] => relative(start)?,
            _ => return None,
        };
        let names = case.names(&call.base);
        let mut search =
            Self { names, start, tests: Vec::new(), kind: None, limit: None, is_narrowed: false };
        match expression.tree.as_ref()? {
            Node::All(nodes) => {
                for node in nodes {
                    search.add(node, expression)?;
                }
            }
            node => search.add(node, expression)?,
        }
        // Hidden folders are not known.
        let is_hidden = |(_, form): &(&Primary<'_>, &str)| form.starts_with('.');
        let is_open = names.kind(start) == Some(NameKind::Folder) && !search.tests.iter().any(is_hidden);
        (is_open && !search.tests.is_empty()).then_some(search)
    }

    /// Adds a test that must hold; `None` if it is not known.
    fn add(&mut self, node: &Node, expression: &'c FindExpression<'_>) -> Option<()> {
        let primary = |index: usize| expression.primaries.get(index);
        let name = |index: usize| {
            let test = primary(index).filter(|one| matches!(one.name, "-name" | "-iname"))?;
            Some((test, test.literal()?))
        };
        match node {
            Node::Group(inner) => match inner.as_ref() {
                Node::Any(nodes) if self.tests.is_empty() => {
                    let one = |node: &Node| if let Node::Primary(index) = node { name(*index) } else { None };
                    self.tests = nodes.iter().map(one).collect::<Option<_>>()?;
                }
                _ => return None,
            },
            Node::Primary(index) => {
                let one = primary(*index)?;
                match one.name {
                    "-name" | "-iname" if self.tests.is_empty() => self.tests.push(name(*index)?),
                    "-type" => self.kind = Some(kind(one)?),
                    "-maxdepth" => self.limit = Some((one, one.literal()?.parse().ok()?)),
                    "-mindepth" | "-files0-from" => return None,
                    _ => {
                        self.is_narrowed |= is_narrowing(one);
                        return (is_narrowing(one) || one.is_action() || one.is_global()).then_some(());
                    }
                }
            }
            Node::Not(inner) => {
                let Node::Primary(index) = inner.as_ref() else { return None };
                primary(*index).filter(|one| is_narrowing(one))?;
                self.is_narrowed = true;
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the folder of each name that matches, and its depth counted from the starting point.
    fn matching(&self, ignores_case: bool) -> impl Iterator<Item = (&'c str, usize)> {
        self.matching_names(ignores_case).map(|(folder, _, depth)| (folder, depth))
    }

    /// Returns folder, name and depth of each name that matches.
    fn matching_names(&self, ignores_case: bool) -> impl Iterator<Item = (&'c str, &'c str, usize)> {
        self.names.all().filter_map(move |(folder, name, kind)| {
            let below = match self.start {
                "" => folder,
                start if folder == start => "",
                start => folder.strip_prefix(start)?.strip_prefix('/')?,
            };
            let depth = 1 + below.split('/').filter(|part| !part.is_empty()).count();
            let is_match =
                self.tests.iter().any(|(test, form)| match ignores_case || test.name == "-iname" {
                    true => matches_in_find(&form.to_lowercase(), &name.to_lowercase()),
                    false => matches_in_find(form, name),
                });
            (is_match && self.kind.is_none_or(|wanted| wanted == kind)).then_some((folder, name, depth))
        })
    }
}

/// Reports whether a test only finds fewer files.
fn is_narrowing(test: &Primary<'_>) -> bool {
    NARROWING.contains(&test.name) || test.name.starts_with("-newer")
}

/// Returns the kind that a test of the type wants.
fn kind(test: &Primary<'_>) -> Option<NameKind> {
    match test.literal()? {
        "f" => Some(NameKind::File),
        "d" => Some(NameKind::Folder),
        _ => None,
    }
}

/// Compares `-maxdepth 1` with files that lie deeper, if the request does not stay here.
fn too_shallow(case: &Case<'_>, search: &Search<'_>) -> Option<Contradiction> {
    let (limit, _) = search.limit.filter(|(_, depth)| *depth == 1)?;
    let is_said = search.tests.iter().any(|(_, form)| is_said(case, form));
    if stays(case) || !search.names.is_listed(search.start) || !is_said {
        return None;
    }
    let mut places: Vec<(&str, usize)> = Vec::new();
    for (folder, at) in search.matching(false) {
        match places.iter_mut().find(|(known, _)| *known == folder) {
            _ if at == 1 => return None,
            Some((_, count)) => *count += 1,
            None => places.push((folder, 1)),
        }
    }
    // The blank before it goes too.
    let span = limit.span.start.saturating_sub(1)..limit.span.end;
    let forms: Vec<String> = search.tests.iter().map(|(_, form)| format!("`{form}`")).collect();
    let text = format!("with -maxdepth 1 nothing matches {}", forms.join(" or "));
    let edit = (span, String::new());
    let (span, told) = (limit.span.clone(), (text, told(&places)));
    match places.as_slice() {
        [] => None,
        // Files of one folder can't have the same name: none is copied over another.
        [_] => Some(case.retarget(Subject::Names, span, told, Some(edit))),
        _ => Some(case.contradiction(Subject::Names, span, told, Some(edit))),
    }
}

/// Compares `-maxdepth 1` with a folder that the same search leaves out: it would never come there.
fn needless_exception(case: &Case<'_>, expression: &FindExpression<'_>) -> Option<Contradiction> {
    let limit = expression.named(&["-maxdepth"]).find(|it| it.literal() == Some("1"))?;
    let folder =
        expression.primaries.iter().filter(|it| it.name == "-path" && it.negated).find_map(|it| {
            let folder = it.literal()?.strip_prefix("./")?.strip_suffix("/*")?;
            let is_folder = case.names("").kind(folder) == Some(NameKind::Folder);
            (is_folder && case.tokens.iter().any(|token| token.text == folder)).then_some(folder)
        })?;
    let span = limit.span.start.saturating_sub(1)..limit.span.end;
    let text = format!("-maxdepth 1 comes into no folder, so it leaves out more than {folder}/");
    let edit = Some((span, String::new()));
    (!stays(case))
        .then(|| case.contradiction(Subject::Names, limit.span.clone(), (text, String::new()), edit))
}

/// Reports whether the request is about one level.
fn stays(case: &Case<'_>) -> bool {
    case.has_word(&HERE)
        || case.has_word(&STAYS)
        || Demands::of(&case.tokens).depth.is_some_and(|(depth, _)| depth == Depth::Here)
}

/// Compares a name whose capitals no file has.
fn other_case(case: &Case<'_>, search: &Search<'_>) -> Option<Contradiction> {
    let is_reached = |(_, depth): &(&str, usize)| search.limit.is_none_or(|(_, limit)| *depth <= limit);
    let [(test, form)] = search.tests.as_slice() else { return None };
    let is_open = test.name == "-name" && search.names.is_whole();
    if !is_open || search.matching(false).any(|found| is_reached(&found)) {
        return None;
    }
    let count = search.matching(true).filter(is_reached).count();
    let span = test.span.start..test.span.start + "-name".len();
    let (reach, edit) = match search.names.is_known(search.start) {
        true => ("below", Some((span.clone(), "-iname".to_owned()))),
        // Deeper there may be names with these capitals.
        false => ("on the first levels", None),
    };
    let text = format!("-name minds capitals: nothing {reach} matches `{form}`");
    let facts = format!("-iname finds {count}");
    (0 < count).then(|| case.contradiction(Subject::Names, span, (text, facts), edit))
}

/// Compares an ending with files that have it in other capitals, too: `*.jpg` and IMG_1.JPG.
fn other_capitals(case: &Case<'_>, search: &Search<'_>) -> Option<Contradiction> {
    let is_reached = |depth: usize| search.limit.is_none_or(|(_, limit)| depth <= limit);
    let (test, form) = search
        .tests
        .iter()
        .find(|(test, form)| test.name == "-name" && endings::may_have_other_capitals(case, form))?;
    let is_other = |name: &str| endings::is_other_capitals(form, name);
    let is_taken = |name: &str| search.tests.iter().any(|(_, form)| matches_in_find(form, name));
    let others = search.matching_names(true).filter(|(_, name, depth)| is_reached(*depth) && is_other(name));
    let count = others.filter(|(_, name, _)| !is_taken(name)).count();
    let span = test.span.start..test.span.start + "-name".len();
    let text = format!("-name minds capitals: `{form}` leaves out other ones");
    let facts = match search.is_narrowed {
        true => format!("{count} names are spelt so"),
        false => format!("-iname finds {count} more"),
    };
    let edit = Some((span.clone(), "-iname".to_owned()));
    (0 < count).then(|| case.retarget(Subject::Names, span, (text, facts), edit))
}
