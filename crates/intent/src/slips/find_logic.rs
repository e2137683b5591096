//! Tests of `find` that no file or each file passes (findutils manual, "Combining Primaries With Operators").

use super::find_path::destroys;
use super::{slip, without_edit};
use crate::find_expression::{FindExpression, Node, Primary};
use crate::mismatch::Mismatch;
use askline_syntax::{ParsedLine, SimpleCommand};

/// Tests that compare a number with a sign.
const RANGES: [&str; 7] = ["-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-size"];

/// Returns the slips of one `find` command; `next` reads its output.
pub(super) fn slips(
    line: &ParsedLine,
    find: &FindExpression<'_>,
    next: Option<&SimpleCommand>,
) -> Vec<Mismatch> {
    let text = line.text();
    // No edit makes a line delete more.
    let destroys = destroys(text, find);
    let wider = [ranges(text, find), two_names(text, find)].into_iter().flatten();
    let wider = wider.map(|slip| if destroys { without_edit(slip) } else { slip });
    let others =
        [not_or_not(text, find), counted_root(text, find, next), table_size(find), empty_dates(find)];
    wider.chain(others.into_iter().flatten()).collect()
}

fn primary<'f, 'w>(node: &Node, find: &'f FindExpression<'w>) -> Option<&'f Primary<'w>> {
    match node {
        Node::Primary(index) => find.primaries.get(*index),
        _ => None,
    }
}

/// Returns the nodes of an expression that is one conjunction or one disjunction, with `true` for the latter; of a
/// parenthesis too.
fn lists<'n>(node: &'n Node, found: &mut Vec<(bool, &'n [Node])>) {
    match node {
        Node::All(nodes) | Node::Any(nodes) => {
            found.push((matches!(node, Node::Any(_)), nodes));
            nodes.iter().for_each(|node| lists(node, found));
        }
        Node::Group(node) => lists(node, found),
        Node::Not(_) | Node::Primary(_) => {}
    }
}

/// Returns the sign and the size of a value: `+30`, `-1M`.
fn signed(test: &Primary<'_>) -> Option<(char, u64)> {
    let value = test.literal().filter(|_| RANGES.contains(&test.name))?;
    let sign = value.chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
    let digits = value.trim_start_matches(sign).trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match value.chars().last()? {
        _ if test.name != "-size" => 1,
        'c' => 1,
        'k' => 1 << 10,
        'M' => 1 << 20,
        'G' => 1 << 30,
        _ => 512,
    };
    Some((sign, digits.parse::<u64>().ok()?.checked_mul(unit)?))
}

/// Finds `-mtime -7 -mtime +30`, which nothing passes, and `-size +200k -o -size -1M`, which each file passes.
fn ranges(line: &str, find: &FindExpression<'_>) -> Option<Mismatch> {
    let mut found = Vec::new();
    lists(find.tree.as_ref()?, &mut found);
    found.into_iter().find_map(|(is_any, nodes)| {
        let pair = nodes.windows(2).find_map(|pair| {
            let [one, other] = pair else { return None };
            let (one, other) = (primary(one, find)?, primary(other, find)?);
            let (first, second) = (signed(one)?, signed(other)?);
            let (less, more) = match (first, second) {
                (('-', less), ('+', more)) | (('+', more), ('-', less)) => (less, more),
                _ => return None,
            };
            let is_empty = !is_any && less <= more;
            let is_all = is_any && more < less;
            (one.name == other.name && (is_empty || is_all)).then_some((one, other, less == more))
        })?;
        let (one, other, is_same) = pair;
        let span = one.span.start..other.span.end;
        if is_any {
            let between = line.get(one.span.end..other.span.start)?;
            let text = "one of both is true of each file".to_owned();
            return Some(slip(
                line,
                one.span.end..other.span.start,
                between.replacen("-or", "", 1).replacen("-o ", "", 1),
                text,
            ));
        }
        let turned = |test: &Primary<'_>| -> Option<String> {
            let text = line.get(test.span.clone())?;
            let (name, value) = text.split_once(' ')?;
            let value =
                if value.contains('+') { value.replacen('+', "-", 1) } else { value.replacen('-', "+", 1) };
            Some(format!("{name} {value}"))
        };
        let between = line.get(one.span.end..other.span.start)?;
        let text = "no file passes both: `-` is less and `+` is more".to_owned();
        if is_same {
            return Some(Mismatch::likely(span, text));
        }
        Some(slip(line, span, format!("{}{between}{}", turned(one)?, turned(other)?), text))
    })
}

/// Finds `-name '*.jpg' -name '*.png'`: no name has both endings.
fn two_names(line: &str, find: &FindExpression<'_>) -> Option<Mismatch> {
    let mut found = Vec::new();
    lists(find.tree.as_ref()?, &mut found);
    let ending = |node: &Node| {
        let test = primary(node, find).filter(|it| matches!(it.name, "-name" | "-iname") && !it.negated)?;
        let ending = test.literal()?.strip_prefix("*.")?;
        (!ending.contains(['*', '?', '['])).then_some((test, ending))
    };
    found.into_iter().filter(|(is_any, _)| !is_any).find_map(|(_, nodes)| {
        let (one, other) = nodes.windows(2).find_map(|pair| {
            let [one, other] = pair else { return None };
            let ((one, first), (other, second)) = (ending(one)?, ending(other)?);
            let is_part = first.ends_with(&format!(".{second}")) || second.ends_with(&format!(".{first}"));
            (first != second && !is_part).then_some((one, other))
        })?;
        let (first, second) = (line.get(one.span.clone())?, line.get(other.span.clone())?);
        let text = "no name passes both tests; `-o` takes either".to_owned();
        Some(slip(line, one.span.start..other.span.end, format!("\\( {first} -o {second} \\)"), text))
    })
}

/// Finds `! -name a -o ! -name b`: each name differs from one of both.
fn not_or_not(line: &str, find: &FindExpression<'_>) -> Option<Mismatch> {
    let mut found = Vec::new();
    lists(find.tree.as_ref()?, &mut found);
    let is_other = |node: &Node| matches!(node, Node::Not(inner) if primary(inner, find).is_some_and(Primary::is_name_test));
    let negated = |node: &Node| match node {
        Node::Not(inner) => primary(inner, find).filter(|it| it.is_name_test() && it.literal().is_some()),
        _ => None,
    };
    let last = |node: &Node| match node {
        Node::All(nodes) => nodes.last().and_then(negated),
        node => negated(node),
    };
    let first = |node: &Node| match node {
        Node::All(nodes)
            if nodes.iter().skip(1).all(|node| is_other(node) || primary(node, find).is_some()) =>
        {
            nodes.first().and_then(negated)
        }
        node => negated(node),
    };
    found.into_iter().filter(|(is_any, _)| *is_any).find_map(|(_, nodes)| {
        let [one, other] = nodes else { return None };
        let (one, other) = (last(one)?, first(other)?);
        if one.name != other.name || one.literal() == other.literal() {
            return None;
        }
        let between = line.get(one.span.end..other.span.start)?;
        let joined = between.replacen(" -or ", " ", 1).replacen(" -o ", " ", 1);
        let text = "each name differs from one of both; without `-o` it must differ from both".to_owned();
        (joined != between).then(|| slip(line, one.span.end..other.span.start, joined, text))
    })
}

/// Finds `find . -maxdepth 1 -type d | wc -l`: the starting point is counted too (find(1), -mindepth).
fn counted_root(line: &str, find: &FindExpression<'_>, next: Option<&SimpleCommand>) -> Option<Mismatch> {
    let counts = next.is_some_and(|next| {
        next.name() == Some("wc") && next.words.get(1).is_some_and(|word| word.text == "-l")
    });
    let is_plain = find.primaries.iter().all(|it| match it.name {
        "-maxdepth" => it.literal() == Some("1"),
        "-type" => it.literal() == Some("d") && !it.negated,
        name => name == "-print",
    });
    let limits = find.named(&["-maxdepth"]).next()?;
    if !counts || !is_plain {
        return None;
    }
    let text = "the directory itself is counted too".to_owned();
    let at = limits.span.start;
    Some(slip(line, at..at, "-mindepth 1 ".to_owned(), text))
}

/// Finds `-newermt 2026-11-23 ! -newermt 2026-11-01`, which nothing passes.
fn empty_dates(find: &FindExpression<'_>) -> Option<Mismatch> {
    let mut found = Vec::new();
    lists(find.tree.as_ref()?, &mut found);
    let is_date =
        |text: &str| text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let date = |test: &Primary<'_>| {
        let value = test.literal().filter(|value| test.name == "-newermt" && is_date(value))?;
        Some((value.to_owned(), test.span.clone()))
    };
    let conjunctions = found.into_iter().filter(|(is_any, _)| !is_any);
    conjunctions.into_iter().find_map(|(_, nodes)| {
        let from = nodes.iter().find_map(|node| date(primary(node, find)?))?;
        let until = nodes.iter().find_map(|node| match node {
            Node::Not(inner) => date(primary(inner, find)?),
            _ => None,
        })?;
        let span = from.1.start.min(until.1.start)..from.1.end.max(until.1.end);
        let text = format!("no file is newer than {} and not newer than {}", from.0, until.0);
        (until.0 <= from.0).then(|| Mismatch::likely(span, text))
    })
}

/// Finds `-type d -size +1M`: the size of a directory is that of its table (findutils manual, "Size").
fn table_size(find: &FindExpression<'_>) -> Option<Mismatch> {
    let is_directory = |it: &Primary<'_>| it.name == "-type" && it.literal() == Some("d") && !it.negated;
    let size = find.named(&["-size"]).next()?;
    let Some(Node::All(nodes)) = &find.tree else { return None };
    nodes.iter().filter_map(|node| primary(node, find)).any(is_directory).then(|| {
        let text = "this is the size of the directory's own table; `du` adds its files up".to_owned();
        Mismatch::likely(size.span.clone(), text)
    })
}
