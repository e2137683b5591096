//! Table tests from `tests/data/syntax`: command lines with the commands they contain.

use std::collections::HashMap;

use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    line: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    line: String,
    #[serde(default)]
    commands: Vec<String>,
    /// Commands that `commands` finds in addition.
    #[serde(default)]
    inner: Vec<String>,
    #[serde(default)]
    refused: bool,
    incomplete: Option<bool>,
}

/// Returns the command words as the commands receive them, or raw.
fn command_words(parsed: &Parsed) -> Vec<String> {
    let mut words: Vec<String> = parsed
        .commands
        .iter()
        .filter_map(|command| command.words.first())
        .map(|word| word.text.clone())
        .collect();
    words.sort();
    words
}

fn check_table(table: &str, shell: Shell) {
    check_table_with(table, shell, |line| parse(line, shell));
}

fn check_table_with(table: &str, shell: Shell, parse: impl Fn(&str) -> Parsed) {
    let mut wrong = Vec::new();
    let table: Table = toml::from_str(table).unwrap();
    for case in &table.line {
        let parsed = parse(&case.line);
        if parsed.errors.is_empty() == case.refused {
            wrong.push(format!("{:?}: {:?}", case.line, parsed.errors));
        }
        if case.incomplete.is_some_and(|incomplete| incomplete != parsed.incomplete) {
            wrong.push(format!("{:?}: incomplete {}", case.line, parsed.incomplete));
        }
        if case.refused {
            continue;
        }
        let mut expected = case.commands.clone();
        let peeled = peel(parsed.clone(), &case.line, shell);
        for (what, parsed) in [("parse", parsed), ("peel", peeled)] {
            expected.sort();
            if command_words(&parsed) != expected || !parsed.errors.is_empty() {
                let (found, errors) = (command_words(&parsed), &parsed.errors);
                wrong.push(format!("{:?}: {what}: {found:?}, not {expected:?} {errors:?}", case.line));
            }
            expected.extend(case.inner.iter().cloned());
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), table.line.len(), wrong.join("\n"));
}

#[test]
fn bash_lines() {
    check_table(include_str!("../tests/data/syntax/bash.toml"), Shell::Bash);
}

#[test]
fn zsh_lines() {
    check_table(include_str!("../tests/data/syntax/zsh.toml"), Shell::Zsh);
}

#[test]
fn fish_lines() {
    check_table(include_str!("../tests/data/syntax/fish.toml"), Shell::Fish);
}

/// Uses the engine output that was recorded with the command lines.
#[test]
fn nu_lines() {
    #[derive(Deserialize)]
    struct Recorded {
        line: String,
        flat: serde_json::Value,
    }
    let recorded: HashMap<String, String> = include_str!("../tests/data/syntax/nu-flat.jsonl")
        .lines()
        .map(|row| serde_json::from_str::<Recorded>(row).unwrap())
        .map(|row| (row.line, row.flat.to_string()))
        .collect();
    check_table_with(include_str!("../tests/data/syntax/nu.toml"), Shell::Nu, |line| {
        nu::parse(&recorded[line], line)
    });
}

/// Parses without the engine.
#[test]
fn nushell_lines() {
    let table = include_str!("../tests/data/syntax/nu.toml");
    // Our parser accepts this as a text like `10foo`, which Nushell takes.
    let unit = "\n[[line]]\nline = \"ls | where size > 10zb\"\nrefused = true\n";
    assert!(table.contains(unit));
    check_table(&table.replace(unit, ""), Shell::Nu);
}

#[test]
fn nushell_errors_are_found() {
    let said = |line: &str| {
        let parsed = parse(line, Shell::Nu);
        let error = parsed.errors.first().map(|error| error.text.clone());
        (error.unwrap_or_default(), parsed.incomplete)
    };
    for (line, error, incomplete) in [
        ("ls && pwd", "nushell has no `&&`", false),
        ("ls || pwd", "nushell has no `||`", false),
        ("ls 2>&1 | x", "nushell writes `2>&1 |` as `o+e>|`", false),
        ("ls 2> x", "nushell writes `2>` as `e>`", false),
        ("ls o>", "the target of `o>` is missing", false),
        ("ls | ", "a command is missing", true),
        ("ls | | x", "a command is missing", false),
        ("(ls | )", "a command is missing", false),
        ("let x = ", "a value is missing", true),
        ("where size >", "a value is missing after `>`", false),
        ("1 +", "a value is missing", true),
        ("'a' b", "nushell doesn't understand `b`", false),
        ("if true", "a block is missing", true),
        ("for x in 1..3;", "a block is missing", false),
        ("loop { ls", "unclosed bracket", true),
        ("{a: [1, (ls", "unclosed bracket", true),
        ("echo \"a", "unclosed quote", true),
        ("echo r#'a'", "unclosed quote", true),
        ("echo $\"a (ls", "unclosed quote", true),
        ("echo $\"a (ls\"", "unclosed bracket", false),
        ("ls }", "unexpected `}`", false),
        ("(ls]", "unexpected `]`", false),
        ("FOO=bar", "nushell sets variables with `$env.NAME = value`", false),
        ("x = 5", "unexpected `=`", false),
        ("$(ls)", "nushell writes `$(…)` as `(…)`", false),
    ] {
        assert_eq!(said(line), (error.to_owned(), incomplete), "{line}");
    }
    for line in [
        "",
        "# ls (",
        "ls # (",
        "echo a#b",
        "ls \n| length",
        "[1\n2]",
        "{||}",
        "if --help",
        "''",
        "echo don]t",
    ] {
        assert_eq!(parse(line, Shell::Nu).errors, [], "{line}");
    }
}

#[test]
fn nushell_nesting_and_pipelines_are_counted() {
    let line =
        "let n = 'a' | f (g | h); $x | i o+e>| j; k | each {|x| if $x { l } else { m } }; def n [] { o }";
    let parsed = parse(line, Shell::Nu);
    let shown: Vec<_> = parsed
        .commands
        .iter()
        .map(|command| {
            (command.name().unwrap(), command.pipeline, command.position, command.within.as_slice())
        })
        .collect();
    let expected: [(&str, usize, usize, &[Nesting]); 13] = [
        ("let", 0, 0, &[]),
        ("f", 0, 1, &[]),
        ("g", 1, 0, &[Nesting::Substitution]),
        ("h", 1, 1, &[Nesting::Substitution]),
        ("i", 2, 1, &[]),
        ("j", 2, 2, &[]),
        ("k", 3, 0, &[]),
        ("each", 3, 1, &[]),
        ("if", 4, 0, &[Nesting::Loop]),
        ("l", 5, 0, &[Nesting::Loop, Nesting::Branch]),
        ("m", 6, 0, &[Nesting::Loop, Nesting::Branch]),
        ("def", 7, 0, &[]),
        ("o", 8, 0, &[Nesting::Function]),
    ];
    assert_eq!(shown, expected);
}

/// Returns the words of the first command as the command receives them; `?` marks words that the shell would
/// expand.
fn first_words(line: &str, shell: Shell) -> Vec<String> {
    let parsed = parse(line, shell);
    let words = parsed.commands.first().map(|command| &command.words[..]).unwrap_or_default();
    words.iter().map(|word| format!("{}{}", if word.literal { "" } else { "?" }, word.text)).collect()
}

#[test]
fn words_are_unquoted_as_the_shell_does() {
    for (shell, line, words) in [
        (Shell::Bash, r#"a 'b c' "d e" f\ g h'i'"j"k ''"#, &["a", "b c", "d e", "f g", "hijk", ""][..]),
        (Shell::Bash, r#"a "\$b \" \\ \`" '\n' "\n" \n"#, &["a", "$b \" \\ `", "\\n", "\\n", "n"]),
        (Shell::Bash, r"a $'\t\x41\101\u00e9\'\\' $'\xff'", &["a", "\tAA\u{e9}'\\", "?\\xff"]),
        (
            Shell::Bash,
            r#"a $x "$x" ${x}b '$x' \$x $"hi" a$ "$""#,
            &["a", "?$x", "?$x", "?${x}b", "$x", "$x", "hi", "a$", "$"],
        ),
        (Shell::Bash, "a *.c '*.c' a? [ab] [ x[1]", &["a", "?*.c", "*.c", "?a?", "?[ab]", "[", "?x[1]"]),
        (
            Shell::Bash,
            "a {b,c} {1..3} {} HEAD@{1} {a} x={b,c}",
            &["a", "?{b,c}", "?{1..3}", "{}", "HEAD@{1}", "{a}", "?x={b,c}"],
        ),
        (Shell::Bash, "a ~ ~/x b~ --x=~/y x=~/y '~'", &["a", "?~", "?~/x", "b~", "--x=~/y", "?x=~/y", "~"]),
        (Shell::Bash, "a $(b) `c` <(d) $((1+2)) b\\\nc", &["a", "?$(b)", "?`c`", "?<(d)", "?$((1+2))", "bc"]),
        (Shell::Bash, "a #b c", &["a"]),
        (Shell::Zsh, "a #b c", &["a", "#b", "c"]),
        (
            Shell::Zsh,
            "a =ls =(ls) x=y *(.) (a|b)c **/x <1-2>",
            &["a", "?=ls", "?=(ls)", "x=y", "?*(.)", "?(a|b)c", "?**/x", "?<1-2>"],
        ),
        (
            Shell::Zsh,
            "a HEAD^ HEAD~2 ^x $x[1] ${(f)x} $\"b\" {}",
            &["a", "HEAD^", "HEAD~2", "^x", "?$x[1]", "?${(f)x}", "$b", "{}"],
        ),
        (
            Shell::Fish,
            r#"a 'b\'c\n' "d\$e\n" \x41\n\u00e9 f\ g"#,
            &["a", "b'c\\n", "d$e\\n", "A\n\u{e9}", "f g"],
        ),
        (
            Shell::Fish,
            "a ? x?y *.c {b,c} {} [a] ~ $x (b) $x[1] \"(b)\"",
            &["a", "?", "x?y", "?*.c", "?{b,c}", "{}", "[a]", "?~", "?$x", "?(b)", "?$x[1]", "(b)"],
        ),
        (Shell::Fish, "a b&c d#e 1..2", &["a", "b&c", "d#e", "1..2"]),
        (
            Shell::Nu,
            r#"a 'b c' "d\te\u{e9}" `f g` h"i j"k'l' r#'m 'n'# --o="p q" {} {|r| s}"#,
            &["a", "b c", "d\te\u{e9}", "f g", "hi jkl", "m 'n", "--o=p q", "{}", "{|r| s}"],
        ),
        (
            Shell::Nu,
            "^a $b $b.c (d) e(f)g $\"h(i)\" ...$j [k] *.c ~/l '*' 1..2",
            &[
                "a",
                "?$b",
                "?$b.c",
                "?(d)",
                "?e(f)g",
                "?$\"h(i)\"",
                "?...$j",
                "?[k]",
                "?*.c",
                "?~/l",
                "*",
                "1..2",
            ],
        ),
        (
            Shell::Nu,
            "str join {|| a} {b: 1} [c] d? 1..2 --e=(f) --g='h' # i",
            &["str join", "?{|| a}", "?{b: 1}", "?[c]", "d?", "?1..2", "?--e=(f)", "--g=h"],
        ),
    ] {
        assert_eq!(first_words(line, shell), words, "{shell}: {line}");
    }
}

#[test]
fn redirections_are_told_from_words() {
    let redirections = |line, shell| {
        let command = parse(line, shell).commands.swap_remove(0);
        let parts = command.redirections.iter().map(|redirection| {
            let target = redirection.target.as_ref().map_or("", |target| target.text.as_str());
            format!(
                "{}{} {target}",
                redirection.descriptor.map_or(String::new(), |number| number.to_string()),
                redirection.operator
            )
        });
        (command.words.len(), parts.collect::<Vec<_>>())
    };
    for (shell, line, words, expected) in [
        (
            Shell::Bash,
            "a 2>&1 >b 3<c <<<'d e' &>>f 2>'g h' 5",
            2,
            &["2>& 1", "> b", "3< c", "<<< d e", "&>> f", "2> g h"][..],
        ),
        (Shell::Bash, "a b2>c >|d <>e <<-E {fd}>&-", 2, &["> c", ">| d", "<> e", "<<- E", ">& -"]),
        (Shell::Zsh, "a >!b &>|c <d >>|e", 1, &[">! b", "&>| c", "< d", ">>| e"]),
        (Shell::Fish, "a >?b 2>>c &>d <e 2>&1", 1, &[">? b", "2>> c", "&> d", "< e", "2>& 1"]),
        (Shell::Nu, "a b out> c 'd' e>> 'f g' h o+e>| i", 4, &["out> c", "e>> f g", "o+e> "]),
    ] {
        assert_eq!(
            redirections(line, shell),
            (words, expected.iter().map(|text| (*text).to_owned()).collect()),
            "{line}"
        );
    }
    // The redirections after a loop form a command without words.
    let parsed = parse("while read l; do echo $l; done < f > g", Shell::Bash);
    let last = parsed.commands.iter().find(|command| command.words.is_empty()).unwrap();
    assert_eq!((last.redirections.len(), &last.within[..]), (2, &[][..]));
}

#[test]
fn loops_over_words_are_kept() {
    let loops = |line: &str, shell: Shell| -> Vec<(String, String, usize)> {
        let parsed = parse(line, shell);
        let kept = |one: &WordLoop| {
            let words = one.words.iter().filter_map(|word| line.get(word.span.clone()));
            (one.variable.clone(), words.collect::<Vec<_>>().join(" "), one.within.len())
        };
        parsed.loops.iter().map(kept).collect()
    };
    let kept = |variable: &str, words: &str, within| (variable.to_owned(), words.to_owned(), within);
    for shell in [Shell::Bash, Shell::Zsh] {
        let nested = "for f in *.log 'a b'; do for g in $(ls); do a; done; done | b";
        assert_eq!(loops(nested, shell), [kept("f", "*.log 'a b'", 0), kept("g", "$(ls)", 1)]);
        assert_eq!(loops("x=`for f in a; do b; done`", shell), [kept("f", "a", 1)]);
        assert_eq!(loops("for ((i=0;i<3;i++)); do a; done; while read x; do b; done", shell), []);
        assert_eq!(loops("for f do a; done", shell), [kept("f", "", 0)]);
    }
    assert_eq!(loops("for f (*.log) wc $f", Shell::Zsh), [kept("f", "*.log", 0)]);
    assert_eq!(loops("for f in *.log; wc $f; end", Shell::Fish), [kept("f", "*.log", 0)]);
    assert_eq!(loops("for f in", Shell::Fish), [kept("f", "", 0)]);
}

#[test]
fn nesting_and_pipelines_are_counted() {
    let parsed = parse("a | b $(c | d) | e; f && (g)", Shell::Bash);
    let places: Vec<_> = parsed
        .commands
        .iter()
        .map(|command| {
            (command.name().unwrap(), command.pipeline, command.position, command.within.as_slice())
        })
        .collect();
    let (substitution, subshell) = ([Nesting::Substitution], [Nesting::Subshell]);
    let expected: [(&str, usize, usize, &[Nesting]); 7] = [
        ("a", 0, 0, &[]),
        ("b", 0, 1, &[]),
        ("c", 1, 0, &substitution),
        ("d", 1, 1, &substitution),
        ("e", 0, 2, &[]),
        ("f", 2, 0, &[]),
        ("g", 4, 0, &subshell),
    ];
    assert_eq!(places, expected);
}

#[test]
fn wrapped_commands_know_where_they_stand() {
    let line = r#"sudo -u me env A=1 bash -c "grep \"x y\" f | wc" > out"#;
    let parsed = commands(line, Shell::Bash);
    let shown: Vec<_> = parsed
        .commands
        .iter()
        .map(|command| {
            let words: Vec<_> =
                command.words.iter().map(|word| line.get(word.span.clone()).unwrap()).collect();
            (words.join(" "), command.within.len(), command.redirections.len())
        })
        .collect();
    let expected = [
        ("sudo -u me", 0, 1),
        ("env A=1", 1, 0),
        (r#"bash -c "grep \"x y\" f | wc""#, 2, 0),
        (r#"grep \"x y\" f"#, 3, 0),
        ("wc", 3, 0),
    ];
    assert_eq!(shown, expected.map(|(words, depth, redirections)| (words.to_owned(), depth, redirections)));
    assert_eq!(parsed.commands[3].words[1].text, "x y");
    let remote = commands("ssh h 'ls -l' && ls", Shell::Zsh);
    let elsewhere: Vec<_> = remote.commands.iter().map(SimpleCommand::runs_elsewhere).collect();
    assert_eq!(elsewhere, [false, true, false]);
    // An error in a script counts as an error of the command line, but not in a script for another machine.
    assert_eq!(commands("sh -c 'if true'", Shell::Bash).errors.len(), 1);
    assert!(commands("ssh h 'if true'", Shell::Bash).errors.is_empty());
}

#[test]
fn options_before_a_subcommand_are_skipped_with_their_values() {
    for line in [
        "kubectl --as admin exec pod -- rm -rf /data",
        "kubectl -n prod --request-timeout 5s debug node/x -- rm -rf /data",
        "npm -w x exec -- rm -rf y",
        "pnpm -w exec rm -rf y",
        "pnpm --filter x exec rm -rf y",
        "conda -n e run rm -rf y",
        "git --namespace n bisect run rm -rf y",
        "git -C /x -c a.b=c bisect run rm -rf y",
    ] {
        let parsed = commands(line, Shell::Bash);
        let found = parsed.commands.iter().any(|command| command.name() == Some("rm"));
        assert!(found, "{line}: {:?}", command_words(&parsed));
    }
}
