//! Prints what lines disagree about with a directory. Reads `DIRECTORY<tab>REQUEST<tab>LINE` rows of bash lines on standard input.
use std::fs;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Instant;

use askline_intent::here::{self, HEAD_BYTES_MAX, Head, Here, NameKind, Names};
use askline_syntax::{ParsedLine, shell::Shell};

/// Maximum depth of directories.
const LEVELS_MAX: usize = 3;

fn main() {
    let mut out = std::io::stdout().lock();
    let (mut rows, mut nanoseconds) = (0, 0);
    for row in std::io::stdin().lock().lines().map_while(Result::ok) {
        let parts: Vec<&str> = row.splitn(3, '\t').collect();
        let [directory, request, line] = parts[..] else { continue };
        let directory = Path::new(directory);
        let line = ParsedLine::new(line, Shell::Bash);
        let facts = facts(directory, &line);
        let begun = Instant::now();
        let found = here::contradictions(request, &line, &facts);
        nanoseconds += begun.elapsed().as_nanos();
        rows += 1;
        for one in &found {
            let change = one.mismatch.edit.as_ref().map(|edit| edit.change.as_str()).unwrap_or_default();
            let _ = writeln!(out, "{request}\n    {}\n    {} [{change}]", line.text(), one.told());
        }
        if let Some(adapted) = here::adapt(request, &line, &facts) {
            let facts = self::facts(directory, &ParsedLine::new(adapted.line.as_str(), Shell::Bash));
            let line = ParsedLine::new(adapted.line.as_str(), Shell::Bash);
            let again = here::adapt(request, &line, &facts).map_or(adapted.line, |again| again.line);
            let _ = writeln!(out, "    ADAPTED\t{request}\t{}\t{again}", parts[2]);
        }
    }
    let _ = writeln!(out, "{rows} rows, {} µs each", nanoseconds / 1000 / rows.max(1));
}

fn facts(directory: &Path, line: &ParsedLine) -> Here {
    let mut names = Names::default();
    list(directory, "", 1, &mut names);
    let is_repository = Some(directory.join(".git").exists());
    let mut here = Here { names: names.into(), is_repository, ..Here::default() };
    for file in here::files_read(line) {
        if let Ok(text) = fs::read_to_string(directory.join(&file)) {
            let is_whole = text.len() <= HEAD_BYTES_MAX;
            here.heads.insert(file, Head { text: text.chars().take(HEAD_BYTES_MAX).collect(), is_whole });
        }
    }
    here
}

fn list(top: &Path, folder: &str, level: usize, names: &mut Names) {
    let Ok(entries) = fs::read_dir(top.join(folder)) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let below = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let path = entry.path();
        let kind = match () {
            () if path.is_dir() => NameKind::Folder,
            () if path.is_file() => NameKind::File,
            () => NameKind::Other,
        };
        names.add(below.clone(), kind);
        let is_followed = !path.is_symlink() && !name.starts_with('.') && name != "node_modules";
        if kind == NameKind::Folder && is_followed && level < LEVELS_MAX {
            list(top, &below, level + 1, names);
        } else if kind == NameKind::Folder && !is_followed {
            names.add_passed(below);
        }
    }
    names.add_listed(folder.to_owned());
}
