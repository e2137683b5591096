//! Tests of `find` for names, paths, modes and ages that find nothing, or something else.

use super::{slip, without_edit};
use crate::find_expression::{FindExpression, Node, Primary};
use crate::mismatch::Mismatch;
use askline_syntax::{SimpleCommand, Word};

/// Directories of tools and systems, which people leave out of a search.
const DIRECTORIES: [&str; 18] = [
    ".git",
    ".svn",
    ".hg",
    "node_modules",
    "vendor",
    "target",
    "build",
    "dist",
    "venv",
    ".venv",
    "__pycache__",
    ".cache",
    ".idea",
    ".tox",
    "bower_components",
    "proc",
    "sys",
    "dev",
];

/// Returns the slips of one `find` command.
pub(super) fn slips(line: &str, command: &SimpleCommand, find: &FindExpression<'_>) -> Vec<Mismatch> {
    let roots = roots(command, find);
    let wider = find.primaries.iter().filter_map(|test| {
        slash_in_name(line, test)
            .or_else(|| path_from_nowhere(line, test, &roots))
            .or_else(|| part_of_path(line, test, find))
            .or_else(|| single_bit(line, test))
            .or_else(|| age_of_nothing(line, test))
            .or_else(|| unit(line, test))
            .or_else(|| word_for_type(line, test))
            .or_else(|| size_of_directory(test, find))
    });
    // No edit makes a line delete more.
    let destroys = destroys(line, find);
    let each = wider.map(|slip| if destroys { without_edit(slip) } else { slip });
    let kept = find.primaries.iter().filter_map(|test| directory_not_left_out(line, test, find));
    let ends = [pruned_and_printed(line, find), full_directories(line, find), pruned_and_deleted(find)];
    each.chain(kept).chain(ends.into_iter().flatten()).collect()
}

/// Reports whether an action deletes.
pub(super) fn destroys(line: &str, find: &FindExpression<'_>) -> bool {
    find.primaries.iter().filter(|it| it.is_action()).any(|it| {
        let text = line.get(it.span.clone()).unwrap_or_default();
        it.name == "-delete"
            || text.split_ascii_whitespace().any(|word| matches!(word, "rm" | "shred" | "unlink"))
    })
}

/// Returns the starting points; empty if the current directory is meant.
fn roots<'c>(command: &'c SimpleCommand, find: &FindExpression<'_>) -> Vec<&'c str> {
    let is_root = |word: &&Word| word.span.end <= find.options_at && !word.text.starts_with('-');
    command.words.iter().skip(1).filter(is_root).map(|word| word.text.as_str()).collect()
}

/// Returns an edit of the value of a test.
fn with_value(line: &str, test: &Primary<'_>, name: &str, value: &str, text: String) -> Option<Mismatch> {
    let word = test.value?;
    let raw = line.get(word.span.clone())?;
    let quote = raw.chars().next().filter(|c| matches!(c, '\'' | '"')).unwrap_or('\'');
    let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "-_./+=,".contains(c));
    let value = if plain && !raw.starts_with(['\'', '"']) {
        value.to_owned()
    } else {
        format!("{quote}{value}{quote}")
    };
    Some(slip(line, test.span.clone(), format!("{name} {value}"), text))
}

/// Finds `-name dir/file`: names hold no slash (findutils manual, "Base Name Patterns").
fn slash_in_name(line: &str, test: &Primary<'_>) -> Option<Mismatch> {
    let path = match test.name {
        "-name" => "-path",
        "-iname" => "-ipath",
        _ => return None,
    };
    let value = test.literal().filter(|value| value.contains('/') && *value != "/")?;
    let text = format!("`{}` compares names, which hold no slash", test.name);
    match value.strip_suffix('/') {
        Some(name) if !name.contains('/') => with_value(line, test, test.name, name, text),
        Some(_) => None,
        None if value.starts_with(['*', '/']) => with_value(line, test, path, value, text),
        None => with_value(line, test, path, &format!("*/{}", value.trim_start_matches("./")), text),
    }
}

/// Finds `find . -path 'src/*'`: paths begin with the starting point (findutils manual, "Full Name Patterns").
fn path_from_nowhere(line: &str, test: &Primary<'_>, roots: &[&str]) -> Option<Mismatch> {
    if !matches!(test.name, "-path" | "-ipath" | "-wholename" | "-iwholename") {
        return None;
    }
    let value = test.literal()?;
    let is_here = matches!(roots, [] | ["."]);
    if !is_here || value.starts_with(['*', '.', '/', '?', '[']) {
        return None;
    }
    let text = "paths begin with `./` here, so this is never found".to_owned();
    with_value(line, test, test.name, &format!("./{value}"), text)
}

/// Finds `-type f -not -path ./node_modules`: that excludes the directory itself and nothing in it (findutils manual, "Full
/// Name Patterns").
fn directory_not_left_out(line: &str, test: &Primary<'_>, find: &FindExpression<'_>) -> Option<Mismatch> {
    let is_path = matches!(test.name, "-path" | "-wholename");
    let wants_files = find.primaries.iter().any(|other| {
        other.name == "-type" && other.literal() == Some("f") && !other.negated
            || matches!(other.name, "-name" | "-iname")
                && !other.negated
                && other.literal().is_some_and(|name| name.contains("*."))
    });
    let value = test.literal()?;
    let name = value.rsplit('/').next()?;
    if !test.negated || !wants_files || !(is_path || test.name == "-name") || !DIRECTORIES.contains(&name) {
        return None;
    }
    let text = format!("this leaves out {name} itself, not the files in it");
    let pattern = if is_path { format!("{value}/*") } else { format!("*/{name}/*") };
    with_value(line, test, "-path", &pattern, text)
}

/// Finds `-regex '\.py$'`, which must match the whole path, and extended expressions, which need -regextype (findutils
/// manual, "Full Name Patterns", "Regular Expressions").
fn part_of_path(line: &str, test: &Primary<'_>, find: &FindExpression<'_>) -> Option<Mismatch> {
    if !matches!(test.name, "-regex" | "-iregex") {
        return None;
    }
    let value = test.literal()?;
    let is_typed = find.named(&["-regextype"]).next().is_some();
    if value.starts_with("\\.") && !value.starts_with("\\./") {
        let text = format!("`{}` compares the whole path", test.name);
        return with_value(line, test, test.name, &format!(".*{value}"), text);
    }
    if is_typed
        || value.contains("\\(")
        || value.contains("\\|")
        || !(value.contains('(') && value.contains('|'))
    {
        return None;
    }
    let text = format!("without -regextype, `{}` looks for the characters `(` and `|`", test.name);
    let at = find.options_at;
    Some(slip(line, at..at, " -regextype posix-extended".to_owned(), text))
}

/// Finds `-perm 4000`: all other bits must then be unset (findutils manual, "Mode Bits").
fn single_bit(line: &str, test: &Primary<'_>) -> Option<Mismatch> {
    let value = test.literal().filter(|_| test.name == "-perm")?;
    let digits = value.trim_start_matches('0');
    match value {
        "u+s" | "g+s" | "u=s" | "g=s" | "o+w" | "o=w" | "+t" => {}
        _ if value.chars().all(|c| c.is_ascii_digit())
            && matches!(digits, "4000" | "2000" | "1000" | "2" | "20") => {}
        _ => return None,
    }
    let text = format!("`-perm {value}` wants exactly this mode, with no other bit");
    with_value(line, test, "-perm", &format!("-{value}"), text)
}

/// Finds `-mtime -0`: no age is below 0 (findutils manual, "Age Ranges").
fn age_of_nothing(line: &str, test: &Primary<'_>) -> Option<Mismatch> {
    if !matches!(test.name, "-mtime" | "-atime" | "-ctime" | "-mmin" | "-amin" | "-cmin")
        || test.literal()? != "-0"
    {
        return None;
    }
    with_value(line, test, test.name, "-1", "nothing is younger than 0".to_owned())
}

/// Finds `-size +10MB` and `+10m`: units are `c`, `k`, `M`, `G` (findutils manual, "Size").
fn unit(line: &str, test: &Primary<'_>) -> Option<Mismatch> {
    let value = test.literal().filter(|_| test.name == "-size")?;
    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match value.get(number.len()..)? {
        "K" | "KB" | "kB" | "kb" | "KiB" => "k",
        "m" | "MB" | "mb" | "MiB" => "M",
        "g" | "GB" | "gb" | "GiB" => "G",
        "B" | "bytes" => "c",
        _ => return None,
    };
    let text = "`find` knows the units c, k, M and G".to_owned();
    with_value(line, test, "-size", &format!("{number}{unit}"), text)
}

/// Finds `-type file` (findutils manual, "Type").
fn word_for_type(line: &str, test: &Primary<'_>) -> Option<Mismatch> {
    let letter = match test.literal().filter(|_| test.name == "-type")? {
        "file" | "files" => "f",
        "dir" | "directory" | "directories" => "d",
        "link" | "symlink" => "l",
        _ => return None,
    };
    with_value(line, test, "-type", letter, "`-type` takes one letter".to_owned())
}

/// Finds `-type d -printf %s`: the size of a directory is that of its table (findutils manual, "Size Directives").
fn size_of_directory(test: &Primary<'_>, find: &FindExpression<'_>) -> Option<Mismatch> {
    let is_directory = |it: &Primary<'_>| it.name == "-type" && it.literal() == Some("d") && !it.negated;
    let prints_size = test.name == "-printf" && test.literal().is_some_and(|format| format.contains("%s"));
    let is_pruned = find.primaries.iter().any(|it| it.name == "-prune");
    (prints_size && !is_pruned && find.primaries.iter().any(is_directory)).then(|| {
        let text = "%s is the size of the directory's own table; `du -s` adds its files up".to_owned();
        Mismatch::likely(test.span.clone(), text)
    })
}

/// Finds `-path ./x -prune -o -name y` without an action: the pruned directory is printed too (findutils manual, "Directories").
fn pruned_and_printed(line: &str, find: &FindExpression<'_>) -> Option<Mismatch> {
    let Some(Node::Any(branches)) = &find.tree else { return None };
    if find.action().is_some() || branches.len() != 2 {
        return None;
    }
    let ends_in_prune = |node: &Node| match node {
        Node::All(nodes) => {
            matches!(nodes.last(), Some(Node::Primary(at)) if find.primaries.get(*at).is_some_and(|it| it.name == "-prune"))
        }
        _ => false,
    };
    // A parenthesis at the end has no place here.
    let is_plain = |node: &Node| match node {
        Node::All(nodes) => nodes.iter().all(|node| matches!(node, Node::Primary(_))),
        node => matches!(node, Node::Primary(_)),
    };
    if !branches.first().is_some_and(ends_in_prune) || !branches.last().is_some_and(is_plain) {
        return None;
    }
    let end = find.primaries.last()?.span.end;
    let text = "without `-print` the directory that is left out is printed too".to_owned();
    Some(slip(line, end..end, " -print".to_owned(), text))
}

/// Finds `-type d -delete` and `-type d -exec rmdir`: a directory that holds something stays (findutils manual, "Delete Files").
fn full_directories(line: &str, find: &FindExpression<'_>) -> Option<Mismatch> {
    let has = |name: &str| find.primaries.iter().any(|it| it.name == name);
    let only_directories =
        find.primaries.iter().any(|it| it.name == "-type" && it.literal() == Some("d") && !it.negated);
    let is_named = find.primaries.iter().any(|it| it.is_name_test() && !it.negated);
    let runs_rmdir = |it: &Primary<'_>| {
        it.name == "-exec" && line.get(it.span.clone()).is_some_and(|text| text.starts_with("-exec rmdir {}"))
    };
    let action = find.primaries.iter().find(|it| it.name == "-delete" || runs_rmdir(it))?;
    (only_directories && is_named && !has("-empty") && !has("-links"))
        .then(|| Mismatch::likely(action.span.clone(), "this removes only empty directories".to_owned()))
}

/// Finds `-prune` with `-delete`, which works from the bottom up and therefore prunes nothing (find(1), -delete).
fn pruned_and_deleted(find: &FindExpression<'_>) -> Option<Mismatch> {
    let delete = find.named(&["-delete"]).next()?;
    find.named(&["-prune"]).next()?;
    Some(Mismatch::likely(
        delete.span.clone(),
        "`-delete` begins at the bottom, so `-prune` comes too late".to_owned(),
    ))
}
