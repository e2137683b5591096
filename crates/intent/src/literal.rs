//! Names and texts of the request that the line must contain.

use crate::glob;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::request::{Token, is_name};
use crate::sample::{is_example, is_explained, is_in_row, is_open, is_placeholder, is_replaced, is_sample};
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Minimum length of a name from which a similar word counts as a misspelling of it, in characters.
const SIMILAR_MIN_CHARS: usize = 6;

/// Programs that make a name out of another one, and how it ends.
const NAME_MAKERS: [(&str, &str); 11] = [
    ("gzip", ".gz"),
    ("bzip2", ".bz2"),
    ("xz", ".xz"),
    ("zstd", ".zst"),
    ("lz4", ".lz4"),
    ("gcc", ".o"),
    ("gcc", ".s"),
    ("pdftotext", ".txt"),
    ("flask", ".py"),
    ("tesseract", ".txt"),
    ("gpg", ".asc"),
];
/// Programs that read files without being told their names, and how these begin.
const OWN_FILES: [(&str, &str); 12] = [
    ("mount", "/etc/fstab"),
    ("findmnt", "/etc/fstab"),
    ("getent", "/etc/"),
    ("npm", "package"),
    ("yarn", "package"),
    ("pnpm", "package"),
    ("cargo", "Cargo."),
    ("go", "go."),
    ("make", "Makefile"),
    ("docker", "docker-compose"),
    ("docker", "compose"),
    ("perf", "perf.data"),
];
/// Programs that remove or overwrite what they name: a name that such a line puts together is not sure to be the named one.
const REMOVERS: [&str; 9] = ["rm", "rmdir", "unlink", "shred", "trash", "trash-put", "truncate", "dd", "tee"];
/// Reports whether a word is the name of a column that the line takes by its number: "the QUAL column", "MAPQ (col 5)".
pub(crate) fn is_column(tokens: &[Token], index: usize, line: &ParsedLine) -> bool {
    let next = tokens.get(index + 1).map_or("", |token| token.lower.as_str());
    let by_number = |command: &SimpleCommand| matches!(command.name(), Some("cut" | "awk" | "sort"));
    matches!(next, "column" | "columns" | "col" | "field") && line.parsed().commands.iter().any(by_number)
}

/// Reports whether a name is to be left alone: "not *.TMP", "*.TMP stays".
fn is_left(tokens: &[Token], index: usize) -> bool {
    let is_one =
        |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| words.contains(&token.lower.as_str()));
    let keeps = ["not", "stay", "stays", "alone"];
    index.checked_sub(1).is_some_and(|before| is_one(before, &["not", "without", "keep", "leave"]))
        || is_one(index + 1, &keeps)
        || is_one(index + 2, &keeps)
}

/// Reports whether two words are one name in other letters: "TODO or todo", ".pdf and .PDF".
fn is_twin(one: &Token, other: &Token) -> bool {
    let bare = |token: &Token| token.lower.trim_start_matches(['*', '.']).to_owned();
    bare(one) == bare(other) && one.text != other.text
}

/// Reports whether the request has the same name in other letters.
pub(crate) fn has_twin(tokens: &[Token], token: &Token) -> bool {
    tokens.iter().any(|other| is_twin(other, token))
}

/// Returns a mismatch for each name or text of the request that the line lacks.
pub(crate) fn missing(request: &str, tokens: &[Token], line: &ParsedLine) -> Vec<Mismatch> {
    // A list of checksums names the files.
    let verifies = |command: &SimpleCommand| {
        command.name().is_some_and(|name| name.ends_with("sum")) && crate::mark::gives(command, 'c')
    };
    if is_open(request) || line.parsed().commands.iter().any(verifies) {
        return Vec::new();
    }
    let plain = without_pairs(&without_quotes(line.text()));
    let is_literal = |token: &&Token| (token.quoted || is_name(&token.text)) && !is_placeholder(&token.text);
    let is_wanted = |index: usize| {
        !is_example(tokens, index)
            && !is_sample(request, tokens, index)
            && !is_replaced(tokens, index)
            && !is_in_row(tokens, index)
            && !is_column(tokens, index, line)
    };
    let named = tokens.iter().enumerate().filter(|(index, _)| is_wanted(*index));
    // "*.tmp, not *.TMP": the line has the one that is wanted. ".pdf is the same as .PDF": the line may take any name.
    let is_other = |index: usize, token: &Token| {
        let mut twins = tokens.iter().filter(|other| is_twin(other, token)).peekable();
        twins.peek().is_some()
            && (is_left(tokens, index) || !twins.any(|other| contains(line, &plain, other)))
    };
    let absent = named.filter(|(index, token)| {
        is_literal(token)
            && !contains(line, &plain, token)
            && !is_explained(request, token)
            && !is_other(*index, token)
            && !is_narrowed(request, &plain, token)
    });
    absent.map(|(_, token)| mismatch(request, token, line)).collect()
}

/// Reports whether the line has a narrower pattern than the named one, by words of the request: `db-2023-*.gz` for "the db-*.gz
/// with a 2023 date".
fn is_narrowed(request: &str, plain: &str, token: &Token) -> bool {
    let request = request.to_lowercase();
    let is_said = |word: &str| {
        word.split(|c: char| !c.is_alphanumeric()).all(|part| request.contains(&part.to_lowercase()))
    };
    let extra =
        |word: &str| word.split(['*', '?', '-', '_', '.']).filter(|part| !token.text.contains(part)).count();
    token.text.contains('*')
        && plain.split_whitespace().any(|word| {
            word.contains('*') && glob::matches(&token.text, word) && 0 < extra(word) && is_said(word)
        })
}

fn mismatch(request: &str, token: &Token, line: &ParsedLine) -> Mismatch {
    let name = request.get(token.span.clone()).unwrap_or_default();
    let similar: Vec<&Word> = words(line).filter(|word| is_similar(&word.text, &token.text)).collect();
    let (span, edit) = match similar.as_slice() {
        [word] => {
            let quoted = line.text().get(word.span.clone()).map(|raw| raw.replace(&word.text, &token.text));
            let edit = quoted.filter(|new| new.contains(&token.text));
            (word.span.clone(), edit.map(|new| Edit::replace(line.text(), word.span.clone(), new)))
        }
        _ => (0..line.text().len(), None),
    };
    let certainty = if edit.is_some() { Certainty::Sure } else { Certainty::Likely };
    Mismatch {
        span,
        said: Some(token.span.clone()),
        certainty,
        text: format!("you named `{name}`; the line does not"),
        edit,
    }
}

fn words(line: &ParsedLine) -> impl Iterator<Item = &Word> {
    line.parsed().commands.iter().flat_map(|command| command.words.iter().skip(1))
}

/// Reports whether a word of the line is a misspelling: other case only, or one letter more or less.
pub(crate) fn is_similar(word: &str, name: &str) -> bool {
    if name.chars().count() < SIMILAR_MIN_CHARS || word.contains(char::is_whitespace) {
        return false;
    }
    let is_case = word != name && word.to_lowercase() == name.to_lowercase();
    is_case || is_one_letter_apart(word, name)
}

/// Reports whether one word has exactly one letter more than the other. Digits do not count: `part1`, `part12`.
fn is_one_letter_apart(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut rest = long.chars();
    let before = short.chars().zip(long.chars()).take_while(|(a, b)| a == b).count();
    let extra = rest.nth(before);
    let behind: String = rest.collect();
    long.chars().count() == short.chars().count() + 1
        && short.chars().skip(before).eq(behind.chars())
        && extra.is_some_and(char::is_alphabetic)
}

/// Reports whether a line has an option that takes any case: `-i`, `-rin`, `-iname`.
fn ignores_case(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.any(|word| {
        word.starts_with('-') && !word.starts_with("--in") && !word.starts_with("--ex") && word.contains('i')
    })
}

/// Reports whether a line has a word that is not a part of a longer one.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let behind = line.get(at + word.len()..).and_then(|behind| behind.chars().next());
        [before, behind].iter().all(|side| side.is_none_or(|c| !c.is_alphanumeric()))
    })
}

/// Returns a line without quotes and backslashes.
fn without_quotes(line: &str) -> String {
    line.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect()
}

/// Returns a line with one letter in place of a set of its two cases: `[jJ][pP][gG]` becomes `jpg`.
fn without_pairs(line: &str) -> String {
    let mut pieces = line.split('[');
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let pair = piece.split_once(']').and_then(|(set, rest)| {
            let mut letters = set.chars();
            let (one, other, None) = (letters.next()?, letters.next()?, letters.next()) else { return None };
            (one != other && one.eq_ignore_ascii_case(&other)).then(|| (one.to_ascii_lowercase(), rest))
        });
        match pair {
            Some((letter, rest)) => {
                all.push(letter);
                all.push_str(rest);
            }
            None => {
                all.push('[');
                all.push_str(piece);
            }
        }
    }
    all
}

/// Reports whether the line contains a name or text, in one of the forms in which lines have it.
fn contains(line: &ParsedLine, plain: &str, token: &Token) -> bool {
    let wanted = without_quotes(token.text.strip_suffix("'s").unwrap_or(&token.text));
    let bare = wanted.strip_suffix("/*").unwrap_or(&wanted).trim_end_matches('/');
    let bare = bare.strip_prefix("./").unwrap_or(bare);
    let home = bare.strip_prefix("~/").unwrap_or(bare);
    // The end of a path, and the rest of it elsewhere: `cd DIRECTORY && cat FILE`.
    let in_parts =
        || home.rsplit_once('/').is_some_and(|(above, name)| plain.contains(above) && plain.contains(name));
    let extension = || {
        let extension =
            bare.strip_prefix("*.").or_else(|| bare.strip_prefix('.').filter(|rest| !rest.contains('.')));
        extension.is_some_and(|extension| extension.split('.').all(|part| has_word(plain, part)))
    };
    // `file{1..5}.txt` has all names from the first to the last.
    let in_range = || {
        let stem = bare
            .trim_end_matches(|c: char| !c.is_ascii_digit())
            .trim_end_matches(|c: char| c.is_ascii_digit());
        stem.len() < bare.len() && plain.contains("..") && plain.contains(stem)
    };
    // `page[1-20].html`, `host-%g.example.org`: one word with the letters of the name and something for its digits.
    let in_row = || {
        let parts: Vec<&str> =
            bare.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
        let has_digits = bare.contains(|c: char| c.is_ascii_digit()) && !parts.is_empty();
        let has_parts = |word: &str| {
            let mut rest = word;
            parts.iter().all(|part| match rest.split_once(part) {
                Some((_, behind)) => {
                    rest = behind;
                    true
                }
                None => false,
            })
        };
        has_digits
            && plain.split_whitespace().any(|word| word.contains(['[', '{', '%', '*']) && has_parts(word))
    };
    let has_pairs = || plain.len() < without_quotes(line.text()).len();
    let any_case = || {
        (ignores_case(plain) || has_pairs())
            && plain
                .to_lowercase()
                .contains(bare.trim_start_matches("*.").trim_start_matches('.').to_lowercase().as_str())
    };
    // `sed -i.orig app.conf` and `report.{txt,md}` make the second name of the first.
    let in_pieces = || {
        let ends = |stem: &str| {
            let mut behind = plain.match_indices(stem).filter_map(|(at, _)| plain.get(at + stem.len()..));
            behind.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-')))
        };
        bare.rsplit_once('.').is_some_and(|(stem, end)| {
            SIMILAR_MIN_CHARS <= stem.chars().count() + 2 && ends(stem) && has_word(plain, end)
        })
    };
    // A program without patterns and names has its own idea of files: `apt-get autoclean`.
    let is_listed = || {
        let is_pattern = |word: &str| {
            word.contains(['*', '?', '[']) && !matches!(word, "*" | "*.*") && glob::matches(word, bare)
        };
        let in_braces = plain.contains('{') || plain.contains(".[");
        let mut parts = bare.split(['.', '/']).filter(|part| !part.is_empty());
        plain
            .split_whitespace()
            .map(|word| word.trim_end_matches([';', ')']))
            .any(|word| is_pattern(word.rsplit('/').next().unwrap_or(word)))
            || in_braces && parts.all(|part| has_word(plain, part) || part.chars().count() == 1)
    };
    // `gzip app.log` makes app.log.gz.
    let is_made = || {
        NAME_MAKERS.iter().any(|(program, ending)| {
            has_word(plain, program) && bare.strip_suffix(ending).is_some_and(|stem| plain.contains(stem))
        })
    };
    let names_files = || line.parsed().commands.iter().any(|command| command.name().is_some_and(takes_names));
    let is_kind = || bare.starts_with('.') && !plain.contains(['*', '.']) && !names_files();
    let is_own =
        || OWN_FILES.iter().any(|(program, start)| has_word(plain, program) && bare.starts_with(start));
    // `"$name.txt"` has the end of every name.
    let is_joined = || {
        let ends = [bare.find('.'), bare.rfind('.')].into_iter().flatten().filter_map(|at| bare.get(at..));
        ends.filter(|end| 1 < end.len()).any(|end| is_behind_variable(plain, end)) && !loses(line)
    };
    // `BEGIN..END` is a block between two, `src/**/*.js` all below a directory.
    let in_ends = || {
        let mut ends = bare.split("..").filter(|end| !end.is_empty());
        bare.contains("..") && !bare.contains('/') && ends.all(|end| has_word(plain, end))
    };
    let below = || {
        let mut parts = bare.split('/').filter(|part| !matches!(*part, "**" | "." | ""));
        bare.contains("**") && parts.all(|part| plain.contains(part))
    };
    // `SIGHUP` is `-HUP`, `TIME_WAIT` `time-wait`.
    let otherwise = || {
        bare.strip_prefix("SIG").is_some_and(|signal| has_word(plain, signal))
            || bare.contains('_')
                && !bare.contains(|c: char| c.is_lowercase() || matches!(c, '.' | '/'))
                && has_word(&plain.to_lowercase(), &bare.to_lowercase().replace('_', "-"))
    };
    bare.is_empty()
        || plain.contains(home)
        || in_ends()
        || below()
        || otherwise()
        || in_parts()
        || extension()
        || in_range()
        || in_row() && !loses(line) && !has_word(plain, "mv")
        || in_pieces()
        || is_listed()
        || is_made()
        || is_kind()
        || is_own()
        || is_joined()
        || any_case()
        || token.quoted && (has_words(plain, &wanted) || is_form(line.text(), plain, &wanted))
}

/// Reports whether a program takes the files that its words name or match.
fn takes_names(program: &str) -> bool {
    const PROGRAMS: [&str; 12] =
        ["find", "grep", "chmod", "chown", "cp", "mv", "rm", "tar", "zip", "gzip", "du", "ls"];
    PROGRAMS.contains(&program)
}

/// Reports whether an ending is directly behind a variable, a brace or a number of a format: `$name.txt`, `${name}.txt`,
/// `%02d.txt`.
fn is_behind_variable(plain: &str, end: &str) -> bool {
    plain.match_indices(end).filter_map(|(at, _)| plain.get(..at)).any(|before| {
        // awk joins values that stand side by side: `$3 ".csv"`.
        let before = if has_word(plain, "awk") { before.trim_end() } else { before };
        let rest = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        before.ends_with(['}', ')'])
            || rest.len() < before.len() && rest.ends_with('$')
            || before.ends_with('d') && rest.ends_with('%')
    })
}

/// Reports whether a line removes or overwrites files.
fn loses(line: &ParsedLine) -> bool {
    removes(line)
        || line.parsed().commands.iter().any(|command| {
            command.redirections.iter().any(|redirection| {
                matches!(redirection.operator.as_str(), ">" | ">|")
                    && redirection.target.as_ref().is_some_and(|target| !target.text.starts_with("/dev/"))
            })
        })
}

/// Reports whether a program of a line removes or overwrites what it names.
pub(crate) fn removes(line: &ParsedLine) -> bool {
    line.parsed().commands.iter().any(|command| {
        command.name().is_some_and(|name| REMOVERS.contains(&name))
            || command.words.iter().any(|word| word.text == "-delete")
    })
}

/// Reports whether a line has all words of a text of several: texts are escaped in many ways.
fn has_words(plain: &str, wanted: &str) -> bool {
    let plain = plain.to_lowercase();
    let mut words = wanted.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    words.peek().is_none()
        || words.all(|word| plain.contains(&word.to_lowercase()) || word.eq_ignore_ascii_case("x"))
            && wanted.contains(|c: char| !c.is_alphanumeric())
}

/// Reports whether a text of several words is the form of what the line puts together: "1: anna" of `NR ": " $1`.
fn is_form(line: &str, plain: &str, wanted: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && plain.contains(part);
    let joins = line.contains(['$', '&']) || ["\\2", "\\(."].iter().any(|sign| line.contains(sign));
    joins
        && wanted.contains(char::is_whitespace)
        && (wanted.split(|c: char| !c.is_alphanumeric()).any(|word| 1 < word.len() && is_part(word))
            || wanted.split(|c: char| c.is_alphanumeric() || c.is_whitespace()).any(is_part))
}

#[cfg(test)]
mod tests {
    use crate::mismatches;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn names_that_are_put_together() {
        for (request, line, expected) in [
            ("delete report.txt", "for f in *; do rm \"${f%.*}.txt\"; done", 1),
            ("split a.csv by city, bonn rows to Bonn.csv", "awk -F, '{print > ($3 \".csv\")}' a.csv", 0),
            ("get page1.html to page20.html", "curl -O 'http://a.example/page[1-20].html'", 0),
            ("remove the db-*.gz with a 2023 date", "rm -- db-2023-*.gz", 0),
            ("remove the db-*.gz with a 2023 date", "rm -- *.sql", 1),
            ("delete the db-*.gz files", "rm -- db-2023-*.gz", 1),
            ("delete report1.txt", "rm report[4-9].txt", 1),
            ("delete the \"foo bar\" lines from a.txt", "sed -i '/foo baz/d' a.txt", 1),
            ("what did lena say in c.txt, lines are \"name: text\"", "sed -n 's/^lena: //p' c.txt", 0),
            ("lines of v.log with an ip in 10.8.x.x", "grep -F '10.8.' v.log", 0),
            ("highest version of out/deck_vN.pptx", "ls -v out/deck_v*.pptx | tail -n 1", 0),
            ("sum of the words in en.txt, lines '120 the'", "awk '{s += $1} END {print s}' en.txt", 0),
            ("delete the lines 'end of file' in en.txt", "sed -i '/end/d' en.txt", 1),
            (
                "crates once in C.lock (lines name = \"x\")",
                "sed -n 's/^name = //p' C.lock | sort | uniq -u",
                0,
            ),
            ("modules that a.py has with \"import x\"", "sed -nE 's/^import +([a-z]+)/\\1/p' a.py", 0),
            ("remove the \"Gross\" column from a.csv", "cut -d, -f1,2,4 a.csv", 0),
            ("ocr page.png to page.txt", "tesseract page.png page", 0),
            ("pack a folder as out.tar.gz", "for d in */; do tar -czf \"${d%/}.tar.gz\" \"$d\"; done", 0),
        ] {
            let found = mismatches(request, &ParsedLine::new(line, Shell::Bash));
            let count = found.iter().filter(|it| it.text.contains("you named")).count();
            assert_eq!(count, expected, "{line}: {found:?}");
        }
    }
}
