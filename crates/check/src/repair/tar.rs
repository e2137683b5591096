//! Repairs the wrong compression option for an archive (`tar xjf a.tar.gz`), and finds calls that do two things at once.

use crate::finding::{Finding, FindingKind, Fix, Severity};
use crate::platform::arguments::{Arguments, Flag};
use crate::reference::Reference;
use askline_manual::userland::Userland;
use askline_syntax::options::documents_bundle;
use askline_syntax::{Parsed, SimpleCommand};

/// Compression letter for each suffix; `None` for no compression.
const SUFFIXES: [(&str, Option<char>); 12] = [
    (".tar.gz", Some('z')),
    (".tgz", Some('z')),
    (".taz", Some('z')),
    (".tar.bz2", Some('j')),
    (".tbz", Some('j')),
    (".tbz2", Some('j')),
    (".tar.xz", Some('J')),
    (".txz", Some('J')),
    (".tar.Z", Some('Z')),
    (".taZ", Some('Z')),
    (".tar", None),
    (".cbt", None),
];

/// Options of which a call has one only. Source: tar(1), "Operation mode".
const OPERATIONS: [&str; 6] = ["-c", "-x", "-t", "-r", "-u", "-d"];

/// Finds calls of `tar` with two operations: `tar -xcf`.
pub(super) fn operations(line: &str, parsed: &Parsed) -> Vec<Finding> {
    let calls = parsed.commands.iter().filter(|command| command.name().is_some_and(documents_bundle));
    let two = |command: &SimpleCommand| {
        let arguments = Arguments::read(line, command, "tar", 1);
        let is_operation = |flag: &&Flag| OPERATIONS.contains(&flag.name.as_str());
        let mut operations = arguments.flags.iter().filter(is_operation);
        let first = operations.next()?.name.clone();
        let other = operations.find(|other| other.name != first)?;
        Some(Finding {
            kind: FindingKind::Syntax,
            span: other.place.clone(),
            grade: Severity::Error,
            text: format!("`{first}` and `{}` can't be together: tar does one of them", other.name),
            evidence: "tar(1)".to_owned(),
            fixes: Vec::new(),
        })
    };
    calls.filter_map(two).collect()
}

/// Finds calls of `tar` whose compression letter does not match the archive's name.
pub(super) fn letters(line: &str, parsed: &Parsed, reference: &dyn Reference) -> Vec<Finding> {
    let mut found = Vec::new();
    for command in &parsed.commands {
        let Some(name) = command.name().filter(|name| documents_bundle(name)) else {
            continue;
        };
        let arguments = Arguments::read(line, command, "tar", 1);
        let flag = |letter: &str| arguments.flags.iter().find(|flag| flag.name == letter);
        let Some(archive) = flag("-f").and_then(|flag| flag.value.as_ref()).filter(|value| value.literal)
        else {
            continue;
        };
        let compressions: Vec<_> = arguments
            .flags
            .iter()
            .filter(|flag| matches!(flag.name.as_str(), "-z" | "-j" | "-J" | "-Z"))
            .collect();
        let Some((suffix, right)) = SUFFIXES.iter().find(|(suffix, _)| archive.text.ends_with(suffix)) else {
            continue;
        };
        let [wrong] = compressions.as_slice() else { continue };
        if wrong.name.chars().nth(1) == *right {
            continue;
        }
        let reads = flag("-x").or(flag("-t")).is_some();
        let writes = flag("-c").is_some();
        // When reading, GNU's and libarchive's tar detect the compression themselves.
        let finds_out = matches!(reference.known(&[name]).userland, Userland::Gnu | Userland::Bsd);
        let letter = match right {
            Some(right) if !reads || !finds_out => right.to_string(),
            None if !reads => continue,
            _ => String::new(),
        };
        if reads == writes || (!wrong.clustered && letter.is_empty()) {
            continue;
        }
        let change = if letter.is_empty() {
            format!("{} left out", wrong.name)
        } else {
            format!("{} → -{letter}", wrong.name)
        };
        found.push(Finding {
            kind: FindingKind::Syntax,
            span: wrong.place.clone(),
            grade: if reads { Severity::Error } else { Severity::Warning },
            text: format!("{} is not the compression of a `{suffix}` archive", wrong.name),
            evidence: "tar(1)".to_owned(),
            fixes: vec![Fix {
                span: if wrong.clustered {
                    wrong.place.clone()
                } else {
                    wrong.place.end - 1..wrong.place.end
                },
                replacement: letter,
                change,
            }],
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn two_operations_are_found() {
        for (line, expected) in [
            ("tar -xcf a.tar", Some("c")),
            ("tar xtf a.tar", Some("t")),
            ("tar -x -f a.tar -t", Some("t")),
            ("tar -xzf a.tar", None),
            ("tar -xf -c", None),
            ("tar -cf a.tar -C x .", None),
            ("tar --create -f a.tar x", None),
            ("tar -xxf a.tar", None),
        ] {
            let parsed = ParsedLine::new(line, Shell::Bash);
            let found = operations(line, parsed.own());
            let place = found.first().and_then(|finding| line.get(finding.span.clone()));
            assert_eq!(place, expected, "{line}");
        }
    }
}
