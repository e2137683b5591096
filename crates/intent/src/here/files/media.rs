//! Pictures, videos, music and configurations, which have many endings: `find . -name '*.png'` for "pictures" leaves out the photos
//! that are here.

use crate::find_expression::{FindExpression, Node, Primary};
use crate::glob::matches;
use crate::here::names::NameKind;
use crate::here::path::{joined, relative_path};
use crate::here::{Case, Contradiction, Subject};
use askline_syntax::Span;

/// Words of requests for a kind of file, in the singular, and its endings.
pub(super) const KINDS: [(&[&str], &[&str]); 4] = [
    (
        &["photo", "picture", "image", "pic"],
        &["jpg", "jpeg", "png", "gif", "heic", "webp", "tif", "tiff", "bmp"],
    ),
    (&["video", "movie", "clip"], &["mp4", "mov", "mkv", "avi", "webm", "mts", "3gp", "m4v"]),
    (&["config", "configuration"], CONFIGS),
    (&["song", "music", "audio"], &["mp3", "flac", "ogg", "wav", "m4a", "opus"]),
];

/// Endings of files with settings. Those of secrets (`.env`) are not among them.
const CONFIGS: &[&str] = &["conf", "cfg", "ini", "yaml", "yml", "toml", "properties"];

/// Returns the patterns that take one ending of a kind, where files with others of its endings are here.
pub(super) fn find(case: &Case<'_>) -> Option<Contradiction> {
    let is_said = |words: &[&str]| {
        let is_it =
            |lower: &str| words.iter().any(|word| lower == *word || lower.strip_suffix('s') == Some(*word));
        case.tokens.iter().find(|token| is_it(&token.lower)).map(|token| token.span.clone())
    };
    let (said, endings) = KINDS.iter().find_map(|(words, endings)| Some((is_said(words)?, *endings)))?;
    // "png images"
    let names = |lower: &str, ending: &str| {
        let rest = lower.strip_suffix('s').unwrap_or(lower);
        [lower, rest].iter().any(|it| {
            it.strip_suffix(ending).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
    };
    if case.tokens.iter().any(|token| endings.iter().any(|ending| names(&token.lower, ending))) {
        return None;
    }
    // "the dev config" may be one of the files that the line takes.
    let is_config = endings == CONFIGS;
    if is_config && !(case.has_word(&["files"]) && case.has_word(&["all", "every", "each"])) {
        return None;
    }
    let found = searched(case, endings).or_else(|| listed(case, endings));
    found.or_else(|| unchosen(case, endings).filter(|_| !is_config)).map(|mut found| {
        found.mismatch.text = format!(
            "you said \"{}\"; {}",
            case.request.get(said.clone()).unwrap_or_default(),
            found.mismatch.text
        );
        found.mismatch.said = Some(said);
        found
    })
}

/// Finds the only test for a name of a `find`.
fn searched(case: &Case<'_>, endings: &[&str]) -> Option<Contradiction> {
    let mut finds = case.calls.iter().filter(|call| call.name == "find");
    let (find, None) = (finds.next()?, finds.next()) else { return None };
    let expression = FindExpression::of(find.command)?;
    let mut names = expression.primaries.iter().filter(|it| it.is_name_test());
    let (test, None) = (names.next()?, names.next()) else { return None };
    let ending = test.literal()?.strip_prefix("*.")?;
    if test.negated
        || matches!(expression.tree, Some(Node::Any(_)))
        || !endings.contains(&&*ending.to_lowercase())
    {
        return None;
    }
    let [start] = find.operands.as_slice() else { return None };
    let folder = relative_path(&start.text)?;
    let limits = expression.named(&["-path", "-ipath", "-wholename", "-prune", "-mindepth", "-maxdepth"]);
    if limits.into_iter().any(|it| it.name != "-maxdepth" || it.literal() != Some("1")) {
        return None;
    }
    let is_flat = expression.named(&["-maxdepth"]).any(|it| it.literal() == Some("1"));
    let is_below = |above: &str| {
        above == folder
            || !is_flat
                && (folder.is_empty() || above.strip_prefix(folder).is_some_and(|it| it.starts_with('/')))
    };
    let names = case.names(&find.base).all().filter(|(above, ..)| is_below(above));
    let mut others = others(names.map(|(_, name, kind)| (name, kind)), endings, &[ending]);
    others.iter_mut().for_each(|ending| ending.make_ascii_lowercase());
    others.sort_unstable();
    others.dedup();
    let patterns: Vec<String> = std::iter::once(ending)
        .chain(others.iter().map(String::as_str))
        .map(|it| format!("-iname '*.{it}'"))
        .collect();
    let new = format!("\\( {} \\)", patterns.join(" -o "));
    left_out(case, &format!("*.{ending}"), &others, test.span.clone(), Some((test.span.clone(), new)))
}

/// Words before a kind that is what the request is about, and words behind it.
const BEFORE_KIND: [&str; 24] = [
    "", "all", "any", "big", "biggest", "count", "display", "every", "find", "get", "large", "largest",
    "latest", "list", "many", "new", "newest", "old", "oldest", "print", "recent", "show", "the", "which",
];
const BEHIND_KIND: [&str; 22] = [
    "", "here", "taken", "made", "changed", "modified", "edited", "created", "added", "larger", "bigger",
    "smaller", "older", "newer", "over", "under", "by", "sorted", "that", "which", "are", "i",
];
/// Commands behind a search that choose no files by themselves.
const COUNTING: [&str; 4] = ["sort", "head", "tail", "wc"];

/// Finds `find . -type f -mtime -30` for "pictures changed in the last 30 days", which takes files of all kinds. Nothing is said where the
/// request may mean something else, another command of the line may choose, or files lie deeper than was looked.
fn unchosen(case: &Case<'_>, endings: &[&str]) -> Option<Contradiction> {
    let lower = |at: Option<usize>| at.and_then(|at| case.tokens.get(at)).map_or("", |it| it.lower.as_str());
    let is_kind =
        |word: &str| word.strip_suffix('s').is_some_and(|word| KINDS.iter().any(|it| it.0.contains(&word)));
    let mut said = (0..case.tokens.len()).filter(|at| is_kind(lower(Some(*at))));
    let (at, None) = (said.next()?, said.next()) else { return None };
    let is_subject = BEFORE_KIND.contains(&lower(at.checked_sub(1)))
        && BEHIND_KIND.contains(&lower(Some(at + 1)))
        && !case.has_word(&[
            "except",
            "other",
            "but",
            "not",
            "no",
            "without",
            "excluding",
            "besides",
            "than",
        ]);
    let commands = &case.line.own().commands;
    let [first, later @ ..] = commands.as_slice() else { return None };
    let is_counting = later.iter().all(|it| it.name().is_some_and(|name| COUNTING.contains(&name)));
    let find = case.calls.iter().find(|call| call.name == "find" && std::ptr::eq(call.command, first))?;
    let expression = FindExpression::of(find.command)?;
    let [start] = find.operands.as_slice() else { return None };
    let folder = relative_path(&start.text)?;
    let chooses = |it: &Primary<'_>| {
        it.is_name_test() || matches!(it.name, "-prune" | "-newer" | "-exec" | "-execdir" | "-ok")
    };
    let mut kinds = expression.named(&["-type"]);
    let (kind, None) = (kinds.next()?, kinds.next()) else { return None };
    if !is_subject
        || !is_counting
        || !case.names(&find.base).is_whole()
        || expression.primaries.iter().any(chooses)
        || kind.negated
        || kind.literal() != Some("f")
        || expression.tree.as_ref().is_some_and(Node::has_alternatives)
    {
        return None;
    }
    let is_below = |above: &str| {
        folder.is_empty()
            || above == folder
            || above.strip_prefix(folder).is_some_and(|it| it.starts_with('/'))
    };
    let files =
        || case.names(&find.base).all().filter(|(above, _, kind)| is_below(above) && *kind == NameKind::File);
    let mut here = others(files().map(|(_, name, kind)| (name, kind)), endings, &[]);
    here.iter_mut().for_each(|ending| ending.make_ascii_lowercase());
    here.sort_unstable();
    here.dedup();
    let has_ending = |name: &str| {
        name.rsplit_once('.').is_some_and(|(_, ending)| here.contains(&ending.to_ascii_lowercase()))
    };
    if here.is_empty() || files().all(|(_, name, _)| has_ending(name)) {
        return None;
    }
    let patterns: Vec<String> = here.iter().map(|it| format!("-iname '*.{it}'")).collect();
    let new = match patterns.as_slice() {
        [one] => format!(" {one}"),
        several => format!(" \\( {} \\)", several.join(" -o ")),
    };
    let end = kind.span.end;
    let told = ("nothing here chooses them".to_owned(), String::new());
    Some(case.contradiction(Subject::Names, kind.span.clone(), told, Some((end..end, new))))
}

/// Finds the patterns among the operands of a command, all of which take endings of the kind in one folder.
fn listed(case: &Case<'_>, endings: &[&str]) -> Option<Contradiction> {
    let calls = case.calls.iter().filter(|call| call.name != "find");
    let operands = calls.flat_map(|call| call.operands.iter().map(move |word| (call, word)));
    let globs: Vec<_> = operands.filter(|(_, word)| word.glob).collect();
    let (call, last) = globs.last()?;
    let (folder, _) = last.text.rsplit_once('/').unwrap_or(("", &last.text));
    let mut taken = Vec::new();
    for (other, word) in &globs {
        let (own, name) = word.text.rsplit_once('/').unwrap_or(("", &word.text));
        let ending = name.strip_prefix("*.").filter(|ending| endings.contains(&&*ending.to_lowercase()))?;
        taken.push(ending);
        if own != folder || other.command.span != call.command.span {
            return None;
        }
    }
    let path = if folder.is_empty() { folder } else { relative_path(folder)? };
    let names = case.names(&call.base).within(path);
    let others = others(names, endings, &taken);
    let is_plain = others.iter().all(|ending| ending.chars().all(char::is_alphanumeric));
    let more: Vec<String> = others.iter().map(|ending| joined(folder, &format!("*.{ending}"))).collect();
    // A pattern that matches nothing would stand for itself.
    let mut names = case.names(&call.base).within(path);
    let pattern = last.text.rsplit('/').next().unwrap_or_default();
    let is_empty = !names.any(|(name, _)| matches(pattern, name));
    // Settings of one kind may be meant alone, or lie elsewhere.
    let is_elsewhere = || case.names(&call.base).all().any(|(_, name, _)| matches(pattern, name));
    if endings == CONFIGS && (!is_empty || is_elsewhere()) {
        return None;
    }
    let edit = match is_empty && globs.len() == 1 {
        true => (last.span.clone(), more.join(" ")),
        false => (last.span.end..last.span.end, format!(" {}", more.join(" "))),
    };
    let edit = is_plain.then_some(edit);
    left_out(case, &last.text, &others, last.span.clone(), edit)
}

/// Returns the other endings of a kind that files here have, as they are spelled.
fn others<'n>(
    names: impl Iterator<Item = (&'n str, NameKind)>,
    endings: &[&str],
    taken: &[&str],
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (name, _) in names.filter(|(name, kind)| *kind == NameKind::File && !name.starts_with('.')) {
        let Some((_, ending)) = name.rsplit_once('.') else { continue };
        let is_taken = taken.iter().any(|taken| ending.eq_ignore_ascii_case(taken));
        let is_new = !is_taken && !found.iter().any(|it| it == ending);
        if is_new && endings.contains(&&*ending.to_lowercase()) {
            found.push(ending.to_owned());
        }
    }
    found
}

fn left_out(
    case: &Case<'_>,
    pattern: &str,
    others: &[String],
    span: Span,
    edit: Option<(Span, String)>,
) -> Option<Contradiction> {
    let shown: Vec<String> = others.iter().map(|other| format!("`*.{other}`")).collect();
    let text = format!("`{pattern}` leaves out {}", shown.join(", "));
    let is_config = others.iter().any(|it| CONFIGS.contains(&it.as_str()));
    if others.is_empty() {
        return None;
    }
    let told = (text, String::new());
    // Settings of other programs may lie here as well.
    Some(match is_config {
        true => case.contradiction(Subject::Names, span, told, edit),
        false => case.retarget(Subject::Names, span, told, edit),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::here::{Here, NameKind, Names, adapt, contradictions};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn pictures_have_several_endings() {
        let mut names = Names::default();
        for name in ["a.png", "b.JPG", "c.txt", "app.ini", "trip/d.jpeg"] {
            names.add(name.to_owned(), NameKind::File);
        }
        names.add("trip".to_owned(), NameKind::Folder);
        for folder in ["", "trip"] {
            names.add_listed(folder.to_owned());
        }
        let here = Here { names: Arc::new(names), ..Here::default() };
        for (request, line, expected, told) in [
            (
                "pictures over 1 MB",
                "find . -type f -name '*.png' -size +1M",
                Some("find . -type f \\( -iname '*.png' -o -iname '*.jpeg' -o -iname '*.jpg' \\) -size +1M"),
                true,
            ),
            ("list my photos", "ls *.png", Some("ls *.png *.JPG"), true),
            ("newest photo", "ls -t *.png | head -n 1", Some("ls -t *.png *.JPG | head -n 1"), true),
            ("photos in trip", "ls trip/*.jpeg", None, false),
            ("delete all pictures", "rm *.png", None, true),
            ("png images", "ls *.png", None, false),
            ("list the images", "ls *.png *.JPG", None, false),
            ("change x to y in all config files", "sed -i s/x/y/ *.conf", None, true),
            ("lines of all config files", "wc -l *.conf", Some("wc -l *.ini"), true),
            ("list the pngs and other images", "ls *.png", None, false),
            ("all docker images", "docker images", None, false),
            ("pictures but not png", "find . -iname '*.jpg'", None, false),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            let adapted = adapt(request, &line, &here).map(|adapted| adapted.line);
            assert_eq!(adapted.as_deref(), expected, "{request}");
            let is_it = |text: &str| text.contains("leaves out");
            let found = contradictions(request, &line, &here);
            assert_eq!(found.iter().any(|it| is_it(&it.mismatch.text)), told, "{request}");
        }
    }
}
