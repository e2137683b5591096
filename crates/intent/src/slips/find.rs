//! Slips in the expression of `find` that are wrong whatever was asked.

use super::slip;
use crate::find_expression::{FindExpression, Node, Primary};
use crate::mismatch::Mismatch;

/// Returns the slips of one `find` command.
pub(super) fn slips(line: &str, find: &FindExpression<'_>) -> Vec<Mismatch> {
    [early_action(line, find), alternatives(line, find), size_of_nothing(line, find)]
        .into_iter()
        .flatten()
        .collect()
}

/// Finds `-delete` and other actions before the tests that shall limit them. `find` works from left to right: the
/// tests come too late (findutils manual, "Control actions").
fn early_action(line: &str, find: &FindExpression<'_>) -> Option<Mismatch> {
    let Some(Node::All(nodes)) = &find.tree else { return None };
    let primary = |node: &Node| match node {
        Node::Primary(index) => find.primaries.get(*index),
        _ => None,
    };
    let is_action = |node: &Node| {
        primary(node).is_some_and(|it| matches!(it.name, "-delete" | "-print" | "-print0" | "-ls"))
    };
    let at = nodes.iter().position(is_action)?;
    let action = nodes.get(at).and_then(primary)?;
    let tests = |node: &Node| !primary(node).is_some_and(|it| it.is_global() || it.is_action());
    let later = nodes.get(at + 1..)?;
    if !later.iter().any(tests) || later.iter().filter_map(primary).any(Primary::is_action) {
        return None;
    }
    let end = find.primaries.last()?.span.end;
    let rest = line.get(action.span.end..end)?.trim_start();
    let name = action.name;
    let text = format!("`{name}` comes before the tests, so they do not limit it");
    Some(slip(line, action.span.start..end, format!("{rest} {name}"), text))
}

/// Finds alternatives without parentheses: a test before them or an action behind them counts for one only
/// (findutils manual, "Combining Primaries With Operators").
fn alternatives(line: &str, find: &FindExpression<'_>) -> Option<Mismatch> {
    let Some(Node::Any(branches)) = &find.tree else { return None };
    let [first, .., last] = branches.as_slice() else { return None };
    let is_name = |node: &Node| names_only(node, find);
    if let Some(group) = repeated(line, branches, find) {
        return Some(group);
    }
    let (first, last) = (conjunction(first), conjunction(last));
    let middle = branches.get(1..branches.len() - 1)?;
    // The tests that the alternatives share a form with: the end of the first branch and the beginning of the last.
    let before = first.iter().take_while(|node| !is_name(node)).count();
    let behind = last.iter().skip_while(|node| is_name(node)).count();
    let joined = first.get(before..)?.iter().all(is_name)
        && last.iter().take(last.len() - behind).all(is_name)
        && middle.iter().all(is_name)
        && before < first.len()
        && behind < last.len();
    let is_global = |node: &Node| matches!(node, Node::Primary(at) if find.primaries.get(*at).is_some_and(Primary::is_global));
    let limits = first.iter().take(before).any(|node| !is_global(node)) || 0 < behind;
    let has_actions = first.iter().any(|node| acts_somewhere(node, find));
    if !joined || !limits || has_actions {
        return None;
    }
    let start = start_of(first.get(before)?, find)?;
    let end = end_of(last.get((last.len() - behind).checked_sub(1)?)?, find)?;
    let group = line.get(start..end)?;
    let what = match last.last().filter(|_| 0 < behind) {
        Some(Node::Primary(at)) => find.primaries.get(*at).map_or("", |it| it.name),
        _ => "",
    };
    let text = if what.is_empty() {
        "without parentheses the tests before `-o` count for the first name only".to_owned()
    } else {
        format!("without parentheses `{what}` counts for the last name only")
    };
    Some(slip(line, start..end, format!("\\( {group} \\)"), text))
}

/// Finds `-type f -name A -o -type f -name B -delete`: each alternative begins with the same tests and ends with names, and what
/// is behind the last counts for that one only.
fn repeated(line: &str, branches: &[Node], find: &FindExpression<'_>) -> Option<Mismatch> {
    let branches: Vec<Vec<Node>> = branches.iter().map(conjunction).collect();
    let tests = |nodes: &[Node]| {
        let count = nodes.iter().take_while(|node| !names_only(node, find)).count();
        let end = end_of(nodes.get(count.checked_sub(1)?)?, find)?;
        Some((count, line.get(start_of(nodes.first()?, find)?..end)?.to_owned()))
    };
    let (count, shared) = tests(branches.first()?)?;
    if acts_somewhere(&Node::All(branches.first()?.clone()), find) {
        return None;
    }
    let (last, others) = branches.split_last()?;
    let is_alike = |nodes: &Vec<Node>| tests(nodes).is_some_and(|(_, text)| text == shared);
    let are_names = |nodes: &Vec<Node>| nodes.iter().skip(count).all(|node| names_only(node, find));
    let names = last.iter().skip(count).take_while(|node| names_only(node, find)).count();
    let behind = last.get(count + names..)?;
    let Some(Node::Primary(action)) = behind.first() else { return None };
    let action = find.primaries.get(*action).filter(|it| it.is_action() && it.name != "-print")?;
    if !branches.iter().all(is_alike) || !others.iter().all(are_names) || names == 0 {
        return None;
    }
    let start = start_of(branches.first()?.first()?, find)?;
    let end = end_of(last.get(count + names - 1)?, find)?;
    let text = format!("without parentheses `{}` counts for the last name only", action.name);
    Some(slip(line, start..end, format!("\\( {} \\)", line.get(start..end)?), text))
}

/// Returns the nodes of an alternative that must all hold.
fn conjunction(alternative: &Node) -> Vec<Node> {
    match alternative {
        Node::All(nodes) => nodes.clone(),
        node => vec![node.clone()],
    }
}

/// Reports whether a node tests names only.
fn names_only(node: &Node, find: &FindExpression<'_>) -> bool {
    match node {
        Node::Primary(index) => find.primaries.get(*index).is_some_and(Primary::is_name_test),
        Node::Not(node) | Node::Group(node) => names_only(node, find),
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().all(|node| names_only(node, find)),
    }
}

fn acts_somewhere(node: &Node, find: &FindExpression<'_>) -> bool {
    match node {
        Node::Primary(index) => find.primaries.get(*index).is_some_and(Primary::is_action),
        Node::Not(node) | Node::Group(node) => acts_somewhere(node, find),
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().any(|node| acts_somewhere(node, find)),
    }
}

/// Returns the offset where a node begins; `None` for negations and groups, whose signs are no primaries.
fn start_of(node: &Node, find: &FindExpression<'_>) -> Option<usize> {
    match node {
        Node::Primary(index) => find.primaries.get(*index).map(|it| it.span.start),
        Node::All(nodes) => start_of(nodes.first()?, find),
        Node::Any(_) | Node::Not(_) | Node::Group(_) => None,
    }
}

fn end_of(node: &Node, find: &FindExpression<'_>) -> Option<usize> {
    match node {
        Node::Primary(index) => find.primaries.get(*index).map(|it| it.span.end),
        Node::All(nodes) => end_of(nodes.last()?, find),
        Node::Not(node) => end_of(node, find),
        Node::Any(_) | Node::Group(_) => None,
    }
}

/// Finds `-size -1k` and `-size -1M`: sizes are rounded up to whole units first, so only empty files are smaller
/// (findutils manual, "Size").
fn size_of_nothing(line: &str, find: &FindExpression<'_>) -> Option<Mismatch> {
    let test = find
        .named(&["-size"])
        .find(|test| !test.negated && matches!(test.literal(), Some("-1k" | "-1M" | "-1G")))?;
    let bytes = match test.literal()? {
        "-1k" => 1 << 10,
        "-1M" => 1 << 20,
        _ => 1_u64 << 30,
    };
    let text = format!("`{}` finds only empty files: sizes are rounded up", line.get(test.span.clone())?);
    Some(slip(line, test.span.clone(), format!("-size -{bytes}c"), text))
}
