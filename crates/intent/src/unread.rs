//! Files that a line does not read: the name of a file is printed instead of its content, or `grep` gets a folder.

use crate::mismatch::{Certainty, Mismatch};
use crate::parts::GrepWords;
use crate::request::{Token, is_name};
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Programs that work on what they read.
const READERS: [&str; 19] = [
    "cut",
    "xxd",
    "od",
    "hexdump",
    "wc",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "cksum",
    "base64",
    "sort",
    "uniq",
    "head",
    "tail",
    "grep",
    "tr",
    "rev",
    "tac",
    "jq",
];
/// Names that only folders have.
const FOLDERS: [&str; 16] = [
    ".", "..", "~", "src", "docs", "lib", "tests", "include", "scripts", "logs", "assets", "images",
    "photos", "dist", "/etc", "/var/log",
];
/// Words that ask for a part of the name itself.
const OF_NAMES: [&str; 18] = [
    "name",
    "names",
    "filename",
    "path",
    "extension",
    "suffix",
    "basename",
    "dirname",
    "folder",
    "directory",
    "string",
    "text",
    "hash",
    "component",
    "prefix",
    "word",
    "uppercase",
    "lowercase",
];

/// Returns a mismatch for a file that the line should read and does not.
pub(crate) fn compare(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let commands = &line.parsed().commands;
    let (command, text) = commands.iter().find_map(|command| {
        let text = echoed(tokens, line, command).or_else(|| searched_folder(command))?;
        Some((command, text))
    })?;
    let certainty = Certainty::Likely;
    Some(Mismatch { span: command.span.clone(), said: None, certainty, text, edit: None })
}

/// Finds `echo FILE | cut …` where the request names the file.
fn echoed(tokens: &[Token], line: &ParsedLine, command: &SimpleCommand) -> Option<String> {
    if command.name() != Some("echo") || !command.redirections.is_empty() {
        return None;
    }
    let mut operands = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let (word, None) = (operands.next()?, operands.next()) else { return None };
    let is_named = tokens.iter().any(|token| token.text == word.text && is_name(&token.text));
    let is_part = tokens.iter().any(|token| OF_NAMES.contains(&token.lower.as_str()));
    let mut commands = line.parsed().commands.iter();
    let next = commands
        .find(|other| other.pipeline == command.pipeline && other.position == command.position + 1)?;
    let reads = next.name().is_some_and(|name| READERS.contains(&name));
    (is_named && !is_part && reads)
        .then(|| format!("`echo {}` prints the name of the file, not its content", word.text))
}

/// Finds `grep PATTERN .` without an option that makes it read folders.
fn searched_folder(command: &SimpleCommand) -> Option<String> {
    let name = command.name().filter(|name| matches!(*name, "grep" | "egrep" | "fgrep"))?;
    let is_option = |word: &&Word| word.text.starts_with('-');
    let reads_folders = command.words.iter().skip(1).filter(is_option).any(|word| {
        let text = word.text.as_str();
        text.starts_with("--") && (text.contains("recursive") || text.contains("directories"))
            || !text.starts_with("--") && text.contains(['r', 'R', 'd'])
    });
    let last = *GrepWords::of(command)?.files.last()?;
    let is_folder = !last.quoted
        && (FOLDERS.contains(&last.text.trim_end_matches('/')) || last.text.ends_with('/'))
        && !last.text.starts_with("^");
    (is_folder && !reads_folders).then(|| format!("`{name}` reads no folder without -r"))
}

#[cfg(test)]
mod tests {
    use crate::mismatches;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn files_that_are_not_read() {
        for (request, line, is_found) in [
            ("first 8 characters of head.bin in hex", "echo head.bin | cut -c1-8 | xxd -p", true),
            ("first 8 characters of head.bin in hex", "head -c 8 head.bin | xxd -p", false),
            ("the extension of a.tar.gz", "echo a.tar.gz | cut -d. -f2-", false),
            ("lines with TODO here", "grep TODO .", true),
            ("lines with TODO here", "grep -rn TODO .", false),
            ("lines with a dot in a.txt", "grep . a.txt", false),
            ("lines with fix", "grep -e fix -e docs a.txt docs", true),
        ] {
            let found = mismatches(request, &ParsedLine::new(line, Shell::Bash));
            let is_noticed =
                |text: &str| text.contains("prints the name") || text.contains("reads no folder");
            assert_eq!(found.iter().any(|it| is_noticed(&it.text)), is_found, "{line}: {found:?}");
        }
    }
}
