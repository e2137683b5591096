//! Slips between two commands of a pipe.

use super::{before, has_option, slip};
use crate::find_expression::FindExpression;
use crate::mismatch::Mismatch;
use crate::tool::Tool;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Word};

/// Commands that print nothing when they succeed.
const SILENT: [&str; 12] =
    ["chmod", "chown", "chgrp", "rm", "rmdir", "mkdir", "touch", "mv", "cp", "ln", "truncate", "cd"];
/// Commands that print aligned columns, separated by several blanks.
const ALIGNED: [&str; 8] = ["ls", "ps", "df", "free", "netstat", "ss", "lsblk", "uniq"];

/// Commands that read nothing; `&&` joins them to a silent command, which a form says.
const NO_READERS: [&str; 11] =
    ["cd", "cp", "echo", "git", "ls", "make", "mkdir", "mv", "printf", "pwd", "touch"];
/// Programs that pack the files that their words name.
const PACKERS: [&str; 2] = ["zip", "tar"];
/// Programs that do something with the files that their words name.
const COPIERS: [&str; 10] = ["cp", "mv", "rm", "ls", "wc", "cat", "gzip", "chmod", "stat", "du"];
/// Numbers of items that people ask for; other numbers of lines may include a header on purpose.
const ROUND: [u32; 9] = [1, 3, 5, 10, 15, 20, 25, 50, 100];
/// Sources whose equal lines stand together, or that people show as they are.
const ORDERED: [&str; 11] =
    ["cat", "comm", "echo", "head", "join", "ls", "printf", "seq", "sort", "tac", "tail"];
/// Returns the slips of a command that reads the output of another one.
pub(super) fn slips(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Vec<Mismatch> {
    let all = [
        counted_total(line, source, command),
        human_sizes(line, source, command),
        aligned_columns(line, source, command),
        own_process(line, source, command),
        silent(source, command),
        silent_actions(line, source, command),
        unsorted(line, command),
        header_in_head(line, source, command),
        other_input(line, command),
        unused_names(line, source, command),
    ];
    all.into_iter().flatten().collect()
}

fn is_count(command: &SimpleCommand) -> bool {
    command.name() == Some("wc") && command.words.get(1).is_some_and(|word| word.text == "-l")
}

/// Finds `ls -l | wc -l`, which also counts the line `total …` (ls(1); POSIX.1-2024, ls, "STDOUT").
fn counted_total(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    if source.name()? != "ls" || !is_count(command) {
        return None;
    }
    let [option] = source.words.iter().filter(|word| word.text.starts_with('-')).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let replacement = match option.text.as_str() {
        "-l" => "-1",
        "-la" | "-al" => "-A",
        _ => return None,
    };
    let operands: Vec<&Word> =
        source.words.iter().skip(1).filter(|word| !word.text.starts_with('-')).collect();
    // With file names there is no such line.
    if operands.iter().any(|word| word.glob || word.text.contains('.')) {
        return None;
    }
    let why = format!("`ls {}` prints a line more, its total", option.text);
    Some(slip(line.text(), option.span.clone(), replacement.to_owned(), why))
}

/// Finds `du -h | sort -n`: 900K comes after 2M (sort(1), `-h`).
fn human_sizes(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let is_human = match source.name()? {
        "du" | "df" => has_option(source, "h", &["--human-readable"]),
        "ls" => has_option(source, "h", &["--human-readable"]) && has_option(source, "l", &[]),
        _ => false,
    };
    if !is_human || command.name()? != "sort" {
        return None;
    }
    let is_size = match (source.name()?, sort_key(command)) {
        ("du", key) => key.is_none_or(|key| key == 1),
        ("ls", key) => key.is_none_or(|key| key == 5),
        (_, key) => key.is_some_and(|key| (2..=4).contains(&key)),
    };
    let numeric = command.words.iter().skip(1).filter(|_| is_size).find(|word| {
        word.text.strip_prefix('-').is_some_and(|letters| {
            letters.contains('n') && letters.chars().all(|c| "nrk0123456789,".contains(c))
        })
    })?;
    let replacement = numeric.text.replacen('n', "h", 1);
    let why = "`sort -n` does not understand sizes such as 2M".to_owned();
    Some(slip(line.text(), numeric.span.clone(), replacement, why))
}

/// Returns the column by which `sort` compares: `5` of `-k5`, `-nrk 5,5`.
fn sort_key(command: &SimpleCommand) -> Option<u32> {
    let mut words = command.words.iter().skip(1).map(|word| word.text.as_str());
    let number = |text: &str| -> Option<u32> {
        text.split(|c: char| !c.is_ascii_digit()).next().filter(|digits| !digits.is_empty())?.parse().ok()
    };
    let (_, rest) =
        words.by_ref().filter(|word| word.starts_with('-')).find_map(|word| word.split_once('k'))?;
    if rest.is_empty() { words.next().and_then(number) } else { number(rest) }
}

/// Finds `ls -l | cut -d' ' -f5`: columns are separated by several blanks, and `cut` counts each (cut(1)).
fn aligned_columns(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let is_aligned = ALIGNED.contains(&source.name()?)
        && (source.name()? != "ls" || has_option(source, "l", &[]))
        && (source.name()? != "uniq" || has_option(source, "c", &[]));
    if !is_aligned || command.name()? != "cut" {
        return None;
    }
    let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let field = match words.as_slice() {
        ["-d ", field] => field.strip_prefix("-f")?,
        ["-d", " ", field] => field.strip_prefix("-f")?,
        ["-d ", "-f", field] | ["-d", " ", "-f", field] => field,
        [field, "-d "] | [field, "-d", " "] => field.strip_prefix("-f")?,
        ["-f", field, "-d "] | ["-f", field, "-d", " "] => field,
        // Tabs separate, but there are none.
        ["-f", field] => field,
        [field] => field.strip_prefix("-f")?,
        _ => return None,
    };
    let number: u32 = field.parse().ok()?;
    // The first column of these begins the line.
    let has_blank = words.iter().any(|word| word.ends_with(' '));
    if number == 1 && has_blank && matches!(source.name(), Some("ls" | "df" | "lsblk")) {
        return None;
    }
    let why = "the columns are separated by several blanks, and `cut` counts each".to_owned();
    Some(slip(line.text(), command.span.clone(), format!("awk '{{print ${number}}}'"), why))
}

/// Finds `ps aux | grep NAME | …`: the line of `grep` itself is found too.
fn own_process(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    if source.name()? != "ps" || command.name()? != "grep" || has_option(command, "v", &["--invert-match"]) {
        return None;
    }
    let next = |n: usize| {
        line.parsed().commands.iter().find(|other| {
            other.pipeline == command.pipeline
                && other.position == command.position + n
                && other.within == command.within
        })
    };
    let counts = has_option(command, "c", &["--count"]);
    let drops_it = next(1).is_some_and(|next| next.name() == Some("grep"));
    if drops_it || !(counts || next(1).is_some()) {
        return None;
    }
    let pattern = command.words.iter().skip(1).find(|word| !word.text.starts_with('-'))?;
    let mut letters = pattern.text.chars();
    let first = letters.next().filter(char::is_ascii_alphabetic)?;
    let is_plain =
        pattern.literal && pattern.text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let new = format!("'[{first}]{}'", letters.as_str());
    let why = "`grep` finds its own process too".to_owned();
    is_plain.then(|| slip(line.text(), pattern.span.clone(), new, why))
}

/// Finds a pipe out of a command that prints nothing: `find … -exec chmod … | wc -l`.
fn silent(source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let name = source.name()?;
    let is_verbose = has_option(source, "v", &["--verbose", "--changes"]) || has_option(source, "c", &[]);
    let is_edit = name == "sed" && has_option(source, "i", &["--in-place"]);
    let is_silent = SILENT.contains(&name) && !is_verbose || is_edit;
    // Errors may be piped: `2>&1 |`.
    if !is_silent || !source.redirections.is_empty() || matches!(command.name()?, "xargs" | "yes") {
        return None;
    }
    if NO_READERS.contains(&command.name()?) {
        return None;
    }
    Some(Mismatch::likely(
        command.span.clone(),
        format!("`{name}` prints nothing that `{}` could read", command.name()?),
    ))
}

/// Finds `find … -delete | wc -l` and `find … -exec rm {} + | wc -l`: an action replaces the printing of names (find(1),
/// "ACTIONS"), and `xargs rm | …`.
fn silent_actions(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let runner = source.name().filter(|name| matches!(*name, "find" | "xargs"))?;
    let is_inner = |other: &&SimpleCommand| {
        matches!(other.within.last(), Some(Nesting::Wrapper(name)) if name == runner)
            && other.pipeline == source.pipeline
            && other.position == source.position
    };
    let is_silent = |inner: &SimpleCommand| {
        inner.name().is_some_and(|name| SILENT.contains(&name))
            && !has_option(inner, "vc", &["--verbose", "--changes"])
    };
    let mut inner = line.parsed().commands.iter().filter(is_inner).peekable();
    let runs = inner.peek().is_some();
    if !inner.all(is_silent) || !source.redirections.is_empty() {
        return None;
    }
    let name = command.name()?;
    if runner == "xargs" {
        return runs.then(|| {
            Mismatch::likely(command.span.clone(), format!("this prints nothing that `{name}` could read"))
        });
    }
    let find = FindExpression::of(source)?;
    let is_mute = |name: &str| matches!(name, "-delete" | "-exec" | "-execdir");
    let mut actions = find.primaries.iter().filter(|it| it.is_action());
    let last = find.primaries.last().filter(|it| is_mute(it.name))?;
    if actions.any(|it| !is_mute(it.name)) || last.name != "-delete" && !runs {
        return None;
    }
    let text = format!("`{}` prints nothing that `{name}` could read", last.name);
    Some(slip(line.text(), last.span.end..last.span.end, " -print".to_owned(), text))
}

/// Finds `cut … | uniq` without `sort`: only equal neighbours become one (POSIX.1-2024, uniq, "DESCRIPTION").
fn unsorted(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    if command.name()? != "uniq" {
        return None;
    }
    let mut source = before(line, command)?;
    loop {
        if source
            .name()
            .is_none_or(|name| ORDERED.contains(&name) && !(name == "cat" && source.position == 0))
        {
            return None;
        }
        let Some(earlier) = before(line, source) else { break };
        source = earlier;
    }
    // What is only shown again may be wanted with its neighbours.
    if before(line, command)?.name() == Some("cat") {
        return None;
    }
    let at = command.span.start;
    let text = "`uniq` drops only equal neighbours; `sort` brings them together".to_owned();
    Some(slip(line.text(), at..at, "sort | ".to_owned(), text))
}

/// Finds `ps --sort=… | head -n 5`: the header is the first line (ps(1), "OUTPUT FORMAT CONTROL").
fn header_in_head(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let sorts =
        source.words.iter().any(|word| word.text.starts_with("--sort") || word.text.starts_with("k-"));
    let has_header =
        !source.words.iter().any(|word| word.text.contains("no-head") || word.text.ends_with('='));
    if source.name()? != "ps" || command.name()? != "head" || !sorts || !has_header {
        return None;
    }
    let word = match command.words.get(1..)? {
        [option, number] if option.text == "-n" => number,
        [option] if option.text.starts_with('-') => option,
        _ => return None,
    };
    let digits = word.text.trim_start_matches("-n").trim_start_matches('-');
    let number = digits.parse::<u32>().ok().filter(|number| ROUND.contains(number))?;
    let new = word.text.replace(digits, &(number + 1).to_string());
    let text = format!("the first line is a header, so this shows only {} processes", number - 1);
    Some(slip(line.text(), word.span.clone(), new, text))
}

/// Finds `grep x f | sort f`: `sort` reads the file and not the pipe (POSIX.1-2024, sort, "STDIN").
fn other_input(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let name = command.name()?;
    let before_files = Tool::text_operands(name)?;
    let operands = || command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let last = operands().skip(before_files).last()?;
    let is_last = command.words.last() == Some(last) && command.words.len() > 1;
    // The word behind `-o` is where `sort` writes.
    let writes = |word: &Word| word.text.starts_with('-') && word.text.ends_with('o');
    let is_target = name == "sort" && command.words.iter().rev().nth(1).is_some_and(writes);
    let reads_pipe =
        is_target || command.words.iter().any(|word| matches!(word.text.as_str(), "-" | "/dev/stdin"));
    let mut source = before(line, command)?;
    let mut works = false;
    let mut is_read = false;
    for _ in 0..command.position {
        works |= source.name() != Some("cat");
        is_read |= source.words.iter().skip(1).any(|word| word.text == last.text);
        let Some(earlier) = before(line, source) else { break };
        source = earlier;
    }
    let is_file =
        last.literal && last.text.contains(['.', '/']) && last.text.chars().any(char::is_alphabetic);
    if !works || !is_read || !is_file || !is_last || reads_pipe || !command.redirections.is_empty() {
        return None;
    }
    let text = format!("`{name}` reads {} here, not the pipe", last.text);
    let start = command.words.iter().rev().nth(1)?.span.end;
    Some(slip(line.text(), start..last.span.end, String::new(), text))
}

/// Finds `find … -print0 | zip a.zip *.pdf`: the names that `find` prints are not used (zip(1), `-@`; tar(1), `-T`).
fn unused_names(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let name = command.name().filter(|name| PACKERS.contains(name) || COPIERS.contains(name))?;
    let find = FindExpression::of(source)?;
    let prints = find.action().is_none_or(|it| matches!(it.name, "-print" | "-print0"));
    let reads = ["-", "-@", "@", "/dev/stdin", "-T", "--files-from"];
    let is_read = command.words.iter().any(|word| {
        reads.contains(&word.text.as_str())
            || word.text.starts_with("--files-from")
            || word.text.contains("$(")
    });
    let bundled = has_option(command, "T", &[]) && name == "tar";
    let globs = || command.words.iter().skip(1).filter(|word| word.glob);
    let first = globs().next()?;
    if !prints || is_read || bundled || !command.redirections.is_empty() || !source.redirections.is_empty() {
        return None;
    }
    let text = format!("`{name}` takes `{}`, not the names that `find` prints", first.text);
    let last = command.words.last()?;
    let is_zero = find.action().is_some_and(|it| it.name == "-print0");
    // The patterns are the last words, so that what is left takes the names.
    let is_end = command.words.iter().skip_while(|word| word.span != first.span).all(|word| word.glob);
    let before = command.words.iter().take_while(|word| word.span != first.span).collect::<Vec<_>>();
    let kept =
        before.split_last().filter(|(word, _)| word.text == "--").map_or(before.as_slice(), |(_, it)| it);
    let kept_end = kept.last()?.span.end;
    let rest = line.text().get(command.span.start..kept_end)?;
    let is_new = kept.iter().skip(1).any(|word| !word.text.starts_with('-'));
    let new = match name {
        "zip" if is_zero => format!("xargs -0 {rest}"),
        "zip" => format!("{rest} -@"),
        "tar" if is_zero => format!("{rest} --null -T -"),
        "tar" => format!("{rest} -T -"),
        _ => return Some(Mismatch::likely(command.span.clone(), text)),
    };
    let packs = name == "zip" || crate::mark::gives(command, 'c');
    let is_sure = is_end && is_new && packs && 2 <= kept.len();
    if !is_sure {
        return Some(Mismatch::likely(command.span.clone(), text));
    }
    Some(slip(line.text(), command.span.start..last.span.end, new, text))
}
