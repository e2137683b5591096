//! Calls that read a file whose columns have names only by its format: what must be known of them before a column counts as wrong.

use super::Case;
use super::formats::Format;
use super::refs::ColumnRef;
use super::separators;
use super::table::{Source, takes_columns};
use super::words::CHANGES;

/// Tools that give lines on and choose none of them by a word.
const PASSING: [&str; 8] = ["cat", "head", "tail", "tac", "shuf", "sort", "uniq", "wc"];
/// Signs before which no `/` of awk divides.
const BEFORE_PATTERN: [char; 10] = ['(', '{', '}', ';', ',', '!', '~', '&', '|', '\n'];

/// Reports whether a call takes the columns of the format, and its program does not change them.
pub(super) fn is_read(source: &Source<'_>) -> bool {
    let script = source.call.script.map_or("", |script| script.text.as_str());
    separators::are_kept(source) && !CHANGES.iter().any(|it| script.contains(it))
}

/// Reports whether nothing chooses lines of a file by a pattern: it may stand for any column that the request names.
pub(super) fn is_plain(case: &Case<'_>, sources: &[Source<'_>], file: &str) -> bool {
    let is_plain = |source: &Source<'_>| {
        let script = source.call.script.map_or("", |script| script.text.as_str());
        match takes_columns(source) {
            true => !has_pattern(script) && !script.contains("$0"),
            false => PASSING.contains(&source.call.name),
        }
    };
    let of_file = sources.iter().filter(|source| source.file == file);
    // A command of an unknown kind may read the file, too.
    let mentions = case.line.own().commands.iter().filter(|command| {
        command.words.iter().any(|word| word.text == file || word.text.ends_with(&format!("/{file}")))
    });
    of_file.clone().all(is_plain)
        && mentions.count() <= of_file.filter(|source| source.call.only_word().is_some()).count()
}

/// Reports whether a program of awk has a regular expression.
fn has_pattern(program: &str) -> bool {
    let (mut before, mut is_quoted, mut is_escaped) = ('\n', false, false);
    for c in program.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '~' => return true,
            '/' if BEFORE_PATTERN.contains(&before) => return true,
            _ => {}
        }
        if c == '\n' || !c.is_whitespace() {
            before = c;
        }
    }
    program.contains("match(") || program.contains("index(")
}

/// Reports whether a column serves a word of the request that does not name it: "who" the client, "failed" the status. So does
/// one that is compared with a word of the request.
pub(super) fn is_served(case: &Case<'_>, format: &Format, used: &ColumnRef) -> bool {
    let is_said = |text: &String| case.tokens.iter().any(|token| token.lower == text.to_lowercase());
    format.serves(used.column, &case.tokens) || used.literal.as_ref().is_some_and(is_said)
}

#[cfg(test)]
mod tests {
    use super::has_pattern;
    use crate::here::{Head, Here, adapt, contradictions};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    const COMBINED: &str = r#"10.0.0.5 - - [12/Nov/2026:10:00:01 +0000] "GET /api HTTP/1.1" 200 512 "-" "curl/8"
203.0.113.7 - ann [12/Nov/2026:10:00:02 +0000] "POST /login HTTP/1.1" 302 - "-" "Mozilla/5.0 (X11; Linux)"
10.0.0.5 - - [12/Nov/2026:10:00:04 +0000] "GET /api?page=2 HTTP/2.0" 404 90000 "https://example.org/a" "curl/8"
"#;
    const TIMED: &str = r#"10.0.0.5 - - [12/Nov/2026:10:00:01 +0000] "GET /api HTTP/1.1" 200 512 0.031
203.0.113.7 - - [12/Nov/2026:10:00:02 +0000] "POST /login HTTP/1.1" 302 17 0.2
10.0.0.5 - - [12/Nov/2026:10:00:04 +0000] "GET /b HTTP/1.1" 404 90000 1.5
"#;
    const PASSWD: &str = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:Ann Lee,,,:/home/ann:/bin/zsh\n";

    /// Right lines with their requests.
    const RIGHT: &[(&str, &str)] = &[
        (
            "who hit the login page most",
            "grep /login access.log | awk '{print $1}' | sort | uniq -c | sort -rn | head -1",
        ),
        (
            "who hit the login page most",
            "awk '/login/ {print $1}' access.log | sort | uniq -c | sort -rn | head -1",
        ),
        (
            "who hit the login page most",
            "awk '$7 == \"/login\" {print $1}' access.log | sort | uniq -c | sort -rn",
        ),
        ("how many times each url was requested", "awk '{print $7}' access.log | sort | uniq -c"),
        ("number of times the server answered 404", "awk '$9 == 404' access.log | wc -l"),
        ("number of times 404 was returned for a page", "awk '$9 == 404 {n++} END {print n}' access.log"),
        (
            "failed requests per ip and their bytes",
            "awk '$9 >= 400 {s[$1] += $10} END {for (i in s) print i, s[i]}' access.log",
        ),
        ("how many pages did 10.9.9.9 request", "awk '$1 == \"10.9.9.9\" {n++} END {print n}' access.log"),
        ("requests per hour in access.log", "awk '{print substr($4, 14, 2)}' access.log | sort | uniq -c"),
        ("requests per hour in access.log", "awk -F: '{print $2}' access.log | sort | uniq -c"),
        ("requests per hour in access.log", "cut -d: -f2 access.log | sort | uniq -c"),
        ("requests per hour in access.log", "cut -d[ -f2 access.log | cut -d: -f2 | sort | uniq -c"),
        ("user agents with the number of bytes", "awk -F'\"' '{print $6}' access.log | sort | uniq -c"),
        ("top referring pages", "awk '{print $11}' access.log | sort | uniq -c | sort -rn"),
        ("errors in the last 24 hours per url", "awk '$4 > \"[11/Nov\" && $9 >= 500 {print $7}' access.log"),
        ("lines of access.log after a time", "awk -v from='[12/Nov/2026:10' '$4 > from' access.log"),
        (
            "average response time per url",
            "awk '{s[$7] += $NF; n[$7]++} END {for (u in s) print u, s[u] / n[u]}' timed.log",
        ),
        (
            "average response time per url",
            "awk '{s[$7] += $11; n[$7]++} END {for (u in s) print u, s[u] / n[u]}' timed.log",
        ),
        ("sum of the last column of timed.log", "awk '{s += $11} END {print s}' timed.log"),
        ("sum of the last column of timed.log", "awk '{s += $NF} END {print s}' timed.log"),
        ("the second to last column of timed.log", "awk '{print $10}' timed.log"),
        (
            "all columns but the last column of users.txt",
            "awk -F: '{print $1, $2, $3, $4, $5, $6}' users.txt",
        ),
        (
            "visitor with the most traffic",
            "awk '{s[$1] += $10} END {for (i in s) print s[i], i}' access.log | sort -rn | head -1",
        ),
        ("who makes the most traffic", "awk '{print $1}' access.log | sort | uniq -c | sort -rn | head -1"),
        (
            "average page size per ip",
            "awk '{s[$1] += $10; n[$1]++} END {for (i in s) print i, s[i] / n[i]}' access.log",
        ),
        (
            "share of errors in access.log per url",
            "awk '{n[$7]++; e[$7] += $9 >= 400} END {for (u in n) print u, e[u] / n[u]}' access.log",
        ),
        ("bytes per url in mixed.log", "awk '{s[$7] += $9} END {for (u in s) print u, s[u]}' mixed.log"),
        ("visits of each day", "awk '{print substr($4, 2, 11)}' access.log | uniq -c"),
        ("biggest requests of access.log with their url", "sort -k10,10nr access.log | head"),
        ("ips sorted", "cut -d' ' -f1 access.log | sort -u"),
        (
            "methods used by 10.0.0.5",
            "awk '$1 == \"10.0.0.5\" {print $6}' access.log | tr -d '\"' | sort | uniq -c",
        ),
        ("list all users", "cut -d: -f1 /etc/passwd"),
        ("sort users by number", "sort -t: -k3,3n /etc/passwd"),
        ("real names of the users", "cut -d: -f5 /etc/passwd"),
        ("human users", "awk -F: '$3 >= 1000 && $3 < 65534 {print $1}' /etc/passwd"),
        ("users who can log in", "awk -F: '$7 !~ /nologin|false/ {print $1}' /etc/passwd"),
        ("count users per shell", "awk -F: '{n[$7]++} END {for (s in n) print n[s], s}' /etc/passwd"),
        ("count users per shell", "cut -d: -f7 /etc/passwd | sort | uniq -c"),
        ("home of ann", "awk -F: '$1 == \"ann\" {print $6}' /etc/passwd"),
        ("home of ann", "grep '^ann:' /etc/passwd | cut -d: -f6"),
        ("accounts without a password", "awk -F: '$2 == \"\" {print $1}' /etc/passwd"),
        ("accounts with root rights", "awk -F: '$3 == 0 {print $1}' /etc/passwd"),
        ("last login shell names", "awk -F/ '{print $NF}' /etc/passwd | sort -u"),
        ("highest uid", "sort -t: -k3,3nr /etc/passwd | head -1 | cut -d: -f3"),
        ("groups without members", "awk -F: '$4 == \"\" {print $1}' /etc/group"),
        ("which groups is ann in", "grep ann /etc/group | cut -d: -f1"),
        ("which group has gid 27", "awk -F: '$3 == 27 {print $1}' /etc/group"),
        ("account owners in /etc/passwd", "cut -d: -f5 /etc/passwd"),
        ("unique page visitors in access.log", "awk '{print $1}' access.log | sort -u | wc -l"),
        ("list suspicious traffic in access.log", "awk '$9 >= 400' access.log"),
        ("traffic that got blocked in access.log", "awk '$9 >= 400 {print $1, $7}' access.log"),
        (
            "the last column of users.txt is the shell, add up the ids",
            "awk -F: '{s += $3} END {print s}' users.txt",
        ),
        ("sum the column left of the last column of timed.log", "awk '{s += $10} END {print s}' timed.log"),
        ("show users above 1000 in /etc/passwd", "awk -F: '$3 > 1000' /etc/passwd"),
        ("count non-system users", "awk -F: '$3 >= 1000' /etc/passwd | wc -l"),
        (
            "at what times do we get the most traffic in access.log",
            "awk '{print substr($4,14,2)}' access.log | sort | uniq -c | sort -rn",
        ),
        ("traffic by origin in access.log", "awk '{print $1}' access.log | sort | uniq -c | sort -rn"),
        ("pages over 50000 in access.log", "awk '$10 > 50000 {print $7}' access.log"),
        ("how many dead page hits are in access.log", "awk '$9 == 404' access.log | wc -l"),
        ("most expensive pages in access.log", "sort -k10,10nr access.log | head"),
        (
            "in timed.log the last column is the seconds; requests per ip",
            "awk '{print $1}' timed.log | sort | uniq -c",
        ),
    ];

    fn here() -> Here {
        let mut here = Here::default();
        // One line of another form: nothing is known of the columns.
        let mixed = format!("{COMBINED}10.0.0.9 - - [12/Nov/2026:10:00:05 +0000] \"-\" 400 0 \"-\" \"-\"\n");
        for (name, text) in
            [("access.log", COMBINED), ("timed.log", TIMED), ("mixed.log", &mixed), ("users.txt", PASSWD)]
        {
            here.heads.insert(name.to_owned(), Head { text: text.to_owned(), is_whole: name != "timed.log" });
        }
        here
    }

    /// Compares each row with the line after the edits and what is said.
    fn hold(rows: &[(&str, &str, &str, &str)]) {
        let here = here();
        for (request, line, expected, says) in rows {
            let line = ParsedLine::new(*line, Shell::Bash);
            let told: Vec<String> =
                contradictions(request, &line, &here).iter().map(|it| it.told()).collect();
            assert!(told.iter().any(|told| told.contains(says)), "{request}: {told:?}");
            let adapted = adapt(request, &line, &here).map(|adapted| adapted.line).unwrap_or_default();
            assert_eq!(adapted, *expected, "{request}");
            if !expected.is_empty() {
                let left = contradictions(request, &ParsedLine::new(*expected, Shell::Bash), &here);
                assert_eq!(left, [], "{request}");
            }
        }
    }

    #[test]
    fn wrong_columns_of_logs_are_found() {
        hold(&[
            (
                "average response bytes per url in access.log",
                "awk '{s[$7] += $9; n[$7]++} END {for (u in s) print u, s[u]/n[u]}' access.log",
                "awk '{s[$7] += $10; n[$7]++} END {for (u in s) print u, s[u]/n[u]}' access.log",
                "`bytes` is column 10 of access.log",
            ),
            (
                "biggest responses over 80000 bytes from 203.0.113.7",
                "awk '$5 > 80000 {print $5, $1}' access.log | sort -rn",
                "awk '$10 > 80000 {print $10, $1}' access.log | sort -rn",
                "column 5 of `access.log` has no numbers; column 10 has",
            ),
            (
                "ips with more than 200 requests and status 404",
                "awk '$9 == 404 && $4 > 200 {print $1}' access.log",
                "",
                "column 4 of `access.log` has no numbers",
            ),
            (
                "urls of responses over 5000 bytes in access.log",
                "awk '$9 > 5000 {print $7}' access.log",
                "awk '$10 > 5000 {print $7}' access.log",
                "you said \"bytes\"",
            ),
            (
                "sort access.log by size",
                "sort -k9,9n access.log",
                "sort -k10,10n access.log",
                "`size` is column 10",
            ),
            (
                "total traffic per ip in timed.log",
                "cat timed.log | awk '{s[$1] += $9} END {for (i in s) print s[i], i}'",
                "cat timed.log | awk '{s[$1] += $10} END {for (i in s) print s[i], i}'",
                "`traffic` is column 10 of timed.log",
            ),
            (
                "average response time per url in access.log",
                "awk '{s[$7] += $9; n[$7]++} END {for (u in s) print u, s[u]/n[u]}' timed.log",
                "",
                "are no amounts",
            ),
        ]);
    }

    #[test]
    fn the_last_column_is_taken() {
        hold(&[(
            "average response time per url in timed.log, last column is the seconds",
            "awk '{s[$7] += $9; n[$7]++} END {for (u in s) print u, s[u] / n[u]}' timed.log",
            "awk '{s[$7] += $NF; n[$7]++} END {for (u in s) print u, s[u] / n[u]}' timed.log",
            "you said \"last column\"; the line does not take the last one of `timed.log`",
        )]);
    }

    #[test]
    fn files_with_known_paths_have_columns() {
        hold(&[
            (
                "users with a uid over 1000",
                "awk -F: '$4 > 1000 {print $1}' /etc/passwd",
                "awk -F: '$3 > 1000 {print $1}' /etc/passwd",
                "`uid` is column 3",
            ),
            (
                "list all users",
                "awk '{print $1}' /etc/passwd",
                "awk -F: '{print $1}' /etc/passwd",
                "they are by `:`",
            ),
        ]);
    }

    #[test]
    fn right_lines_are_left_alone() {
        let here = here();
        for (request, line) in RIGHT {
            let line = ParsedLine::new(*line, Shell::Bash);
            assert_eq!(contradictions(request, &line, &here), [], "{request}: {}", line.text());
        }
    }

    #[test]
    fn patterns_are_told_from_divisions() {
        for (program, expected) in [
            ("/a/ {print}", true),
            ("{print s/n}", false),
            ("$7 ~ p", true),
            ("NR > 1 && /x/", true),
            ("{print \"a/b\", s[u]/n[u] / 2}", false),
            ("index($7, \"x\")", true),
            ("", false),
        ] {
            assert_eq!(has_pattern(program), expected, "{program}");
        }
    }
}
