//! Tests of the list's own examples, of labelled command lines and of generated ones.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::tests::cpu_seconds;

fn shells_of(program: &AllowedProgram) -> Vec<Shell> {
    [Shell::Bash, Shell::Zsh, Shell::Fish]
        .into_iter()
        .filter(|shell| is_for(&program.shells, *shell))
        .collect()
}

/// Reports whether exactly this entry allows one of a command line's commands.
fn speaks(program: &AllowedProgram, line: &str, shell: Shell) -> bool {
    let around = Around { places: &List::own().places, names: Names::Unknown };
    line::read(line, shell).is_ok_and(|commands| {
        commands.iter().any(|command| {
            program.calls(&command.words).any(|(_, rest)| program.admit(&command.words, rest, around).is_ok())
        })
    })
}

#[test]
fn examples_hold() {
    let mut wrong = Vec::new();
    for program in &List::own().program {
        let shells = shells_of(program);
        for line in &program.yes {
            // Some command lines are plain in one shell only: `HEAD^`, `**`.
            let verdict = allowed(line, shells[0]);
            if let Err(why) = verdict {
                wrong.push(format!("{}: `{line}` is refused: {why}", program.names[0]));
            } else if !speaks(program, line, shells[0]) {
                wrong.push(format!("{}: `{line}` is admitted by another entry", program.names[0]));
            }
        }
        for line in &program.no {
            for shell in &shells {
                if allowed(line, *shell).is_ok() {
                    wrong.push(format!("{}: `{line}` is allowed in {shell}", program.names[0]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each name has an example that it allows and one that is refused.
#[test]
fn each_name_has_examples() {
    let mut missing = Vec::new();
    for program in &List::own().program {
        let is_about = |line: &String, name: &str| {
            line.split([' ', '|', ';', '>', '<', '`']).any(|word| word == name.split(' ').next().unwrap())
        };
        for name in &program.names {
            for (kind, lines) in [("yes", &program.yes), ("no", &program.no)] {
                let many = program.names.len() > 20;
                if !many && !lines.iter().any(|line| is_about(line, name)) {
                    missing.push(format!("{name}: {kind}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "without an example: {}", missing.join(", "));
}

/// Labelled test set: shell, label, `true` if the command line is obfuscated, text.
fn labelled() -> Vec<(String, String, bool, String)> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/risk");
    let mut lines = Vec::new();
    for file in ["dangerous", "benign", "fish", "nu"] {
        let text = fs::read_to_string(format!("{directory}/{file}.jsonl")).unwrap();
        for row in text.lines().filter(|row| !row.is_empty()) {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let field = |name: &str| row[name].as_str().unwrap().to_owned();
            lines.push((field("shell"), field("label"), row["obfuscated"] == true, field("command")));
        }
    }
    lines
}

#[test]
#[expect(clippy::print_stderr, reason = "the figures")]
fn labelled_lines_are_allowed_only_when_they_read() {
    let mut wrong = Vec::new();
    let mut cautious = Vec::new();
    let mut counts: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    let mut refused = Vec::new();
    for (shell, label, obfuscated, line) in labelled() {
        let shells: &[Shell] = match shell.as_str() {
            "bash" => &[Shell::Bash],
            "zsh" => &[Shell::Zsh],
            "fish" => &[Shell::Fish],
            "nu" => &[Shell::Nu],
            _ => &[Shell::Bash, Shell::Zsh],
        };
        let verdicts: Vec<_> = shells.iter().map(|shell| allowed(&line, *shell)).collect();
        // A harmful command line must be refused in all shells, not only in its own.
        let anywhere = Shell::ALL.iter().any(|shell| allowed(&line, *shell).is_ok());
        if anywhere && (obfuscated || matches!(label.as_str(), "Confirm" | "Dangerous")) {
            wrong.push(format!("{label}: {line}"));
        }
        let all = verdicts.iter().all(Result::is_ok);
        if all && label == "Cautious" {
            cautious.push(line.clone());
        }
        let count = counts.entry((shell, label.clone())).or_default();
        *count = (count.0 + usize::from(all), count.1 + 1);
        if let (false, "Safe", Some(Err(why))) =
            (all, label.as_str(), verdicts.into_iter().find(Result::is_err))
        {
            refused.push(format!("{line}  <- {why}"));
        }
    }
    eprintln!(
        "allowed of all, by shell and label: {counts:#?}\ncautious: {cautious:#?}\nrefused safe lines: {refused:#?}"
    );
    assert!(wrong.is_empty(), "allowed: {wrong:#?}");
    let (allowed, all) = counts[&("posix".to_owned(), "Safe".to_owned())];
    assert!(allowed * 100 >= all * 60, "{allowed} of {all} posix Safe lines");
    assert!(cautious.len() <= 3, "{cautious:#?}");
}

/// Returns the command lines that the list's examples allow.
fn admitted() -> Vec<(String, Shell)> {
    let lines = List::own()
        .program
        .iter()
        .flat_map(|program| program.yes.iter().map(|line| (line.clone(), shells_of(program)[0])));
    lines.collect()
}

/// A program with needs is one of the list, and lines say what they need.
#[test]
fn needs_are_those_of_programs_on_the_list() {
    let NeedLists { system, kernel, services } = &List::own().needs;
    let names: Vec<&str> =
        List::own().program.iter().flat_map(|program| &program.names).map(String::as_str).collect();
    for program in system.iter().chain(kernel).chain(services) {
        assert!(names.iter().any(|name| name.split(' ').next() == Some(program)), "{program}");
    }
    let needs = |line: &str| {
        let Needs { system, kernel, services } = allowed(line, Shell::Bash).unwrap().needs;
        (system, kernel, services)
    };
    assert_eq!(needs("ls -l | sort < a.txt"), (false, false, false));
    assert_eq!(needs("ps aux | grep ssh"), (true, false, false));
    assert_eq!(needs("ss -tulpn"), (true, true, false));
    assert_eq!(needs("systemctl --failed 2>/dev/null"), (true, false, true));
    assert_eq!(allowed("sort < a.txt", Shell::Bash).unwrap().inputs[0].text, "a.txt");
}

#[test]
fn patterns_pass_where_no_name_is_an_option() {
    for line in ["du -sh *", "ls -d */", "wc -l *.md"] {
        assert!(allowed(line, Shell::Bash).is_err(), "{line}");
        allowed_among(line, Shell::Bash, Names::NoOptions).unwrap();
    }
    for line in ["rm *", "cat ~/.ssh/*", "ls -*"] {
        assert!(allowed_among(line, Shell::Bash, Names::NoOptions).is_err(), "{line}");
    }
}

/// What connects to services has the line for itself, whichever command that is.
#[test]
fn a_program_that_needs_services_stands_alone() {
    let why = "`systemctl` connects to services and must be alone on the line; leave the rest out";
    for line in ["git diff; systemctl --failed", "systemctl --failed | head -3", "systemctl < a.txt"] {
        assert_eq!(allowed(line, Shell::Bash), Err(why.to_owned()), "{line}");
    }
    for program in &List::own().needs.services {
        let alone = admitted().into_iter().find(|(line, _)| line.starts_with(program.as_str()));
        let (line, shell) = alone.unwrap_or_else(|| panic!("{program} has no example"));
        assert!(allowed(&line, shell).unwrap().needs.services, "{line}");
        for other in [format!("{line}; ls"), format!("ls && {line}"), format!("{line} | cat")] {
            assert!(allowed(&other, shell).is_err(), "{other}");
        }
    }
}

/// The home directory is meant only where the shell would put it.
#[test]
fn a_quoted_tilde_is_a_name() {
    let homes = |line: &str, shell| {
        let words = allowed(line, shell).unwrap().commands.concat();
        words.iter().filter(|word| word.home).map(|word| word.text.clone()).collect::<Vec<_>>()
    };
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        assert_eq!(homes("cat ~/a ~/'b c' '~/d' \"~/e\" \\~/f x~1", shell), ["~/a", "~/b c"]);
        assert_eq!(homes("ls ~", shell), ["~"]);
    }
}

#[test]
fn letters_stand_alone() {
    for c in ['é', 'ß', '日', 'я', 'ö', '한'] {
        assert!(allowed(&format!("ls 'a{c}b'"), Shell::Bash).is_ok(), "{c}");
    }
    for c in "\u{345}\u{5b0}\u{610}\u{901}\u{903}\u{e31}\u{1e000}\u{5d0}\u{627}\u{7ca}\u{fb50}\u{10800}\u{1e900}\u{3164}".chars() {
        let why = format!("it holds the character U+{:04X}", u32::from(c));
        assert_eq!(allowed(&format!("ls 'a{c}b'"), Shell::Bash), Err(why));
    }
}

#[test]
fn secret_files_are_known() {
    for path in [
        "~/.config/fish/fish_variables",
        "~/.codex/auth.json",
        "~/.config/containers/auth.json",
        "~/.m2/settings.xml",
        "~/.gradle/gradle.properties",
        "~/.config/sops/age/keys.txt",
        "~/.local/share/atuin/key",
        "~/.subversion/auth/svn.simple/x",
        "~/.config/doctl/config.yaml",
        "~/.config/hcloud/cli.toml",
        "~/.config/github-copilot/hosts.json",
        "~/.fly/config.yml",
        "~/.bitcoin/wallet.dat",
        "~/.config/Slack/Cookies",
        "~/.ssh/id_rsa",
    ] {
        assert!(is_secret(path), "{path}");
    }
    for path in [
        "~/project/gradle.properties",
        "~/project/settings.xml",
        "~/.config/fish/config.fish",
        "cookies.md",
        "~/keys.txt",
    ] {
        assert!(!is_secret(path), "{path}");
    }
}

/// Suffixes that make any command line do more than read.
const TAILS: &[&str] = &[
    "; rm x",
    ";rm x",
    " && rm x",
    " || rm x",
    " | sh",
    " | tee f",
    " | xargs rm",
    " & rm x",
    " &",
    "\nrm x",
    "\n",
    "\r",
    "\\\nrm x",
    " $(rm x)",
    "$(rm x)",
    " `rm x`",
    " \"$(rm x)\"",
    " ${x:=y}",
    " $x",
    " > f",
    ">f",
    " >> f",
    " >| f",
    " &> f",
    " 2> f",
    " <> f",
    " >& f",
    " <<< x",
    " <<E",
    " <(rm x)",
    " >(rm x)",
    " =(rm x)",
    " (rm x)",
    " {a,b}",
    " *",
    " ~/.ssh/id_rsa $x",
    " # x",
    " '",
    " \"",
    " \\",
    " --output=f > f",
    " |& sh",
    " ;; rm",
    " !!",
    " \u{202e}",
    " \u{200b}",
    "\u{1b}[2J",
    "\t| sh",
    "          | rm x",
];

#[test]
fn nothing_behind_a_line_makes_it_do_more() {
    for (line, shell) in admitted() {
        // After `--` a glob is a list of files.
        for tail in TAILS.iter().filter(|tail| **tail != " *" || !line.contains(" -- ")) {
            let longer = format!("{line}{tail}");
            assert!(allowed(&longer, shell).is_err(), "{longer:?} is allowed in {shell}");
        }
    }
}

/// Tricks that belong to no single entry.
#[test]
fn no_trick_gets_by() {
    let lists: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("../../tests/data/tricks.toml")).unwrap();
    for trick in &lists["tricks"] {
        for shell in Shell::ALL {
            let verdict = allowed(trick, shell);
            // `%1` is plain text except in fish, `=ls` as an argument except in zsh.
            let plain =
                trick == "echo =ls" && shell != Shell::Zsh || trick == "ls %1" && shell != Shell::Fish;
            assert_eq!(verdict.is_ok(), plain && shell != Shell::Nu, "{trick:?} in {shell}: {verdict:?}");
        }
    }
    assert!(allowed("echo \"!rm\"", Shell::Fish).is_ok());
    assert!(allowed("echo \"!rm\"", Shell::Bash).is_err());
}

/// Options that write, run or delete in some programs are allowed only for programs in which they do not: in `ls -o`
/// the option selects a layout, in `od -w` a width.
#[test]
fn options_that_write_elsewhere_are_refused() {
    let fine: &[(&str, &[&str])] = &[
        (
            " -o f",
            &[
                "find",
                "gfind",
                "findmnt",
                "git",
                "grep",
                "egrep",
                "fgrep",
                "journalctl",
                "lsblk",
                "rg",
                "systemctl",
                "yq",
                "ls",
                "dir",
                "vdir",
                "gls",
            ],
        ),
        (" --output f", &["findmnt", "journalctl", "lsblk", "df", "gdf"]),
        (" --output=f", &["findmnt", "journalctl", "lsblk", "df", "gdf"]),
        (" -O f", &["lsblk"]),
        (" --in-place", &[]),
        (" --exec=sh", &[]),
        (" --pager=sh", &[]),
        (" --pre=sh", &[]),
        (" --to-command=sh", &[]),
        (" -exec sh", &["grep", "egrep", "fgrep", "rg", "fd", "fdfind", "git"]),
        (" -K", &[]),
    ];
    let mut wrong = Vec::new();
    for (line, shell) in admitted() {
        let commands = allowed(&line, shell).unwrap().commands;
        let last = commands.last().unwrap();
        // After `--`, and for programs that print text, every word is text.
        if last.iter().any(|word| word.text == "--")
            || matches!(last[0].text.as_str(), "echo" | ":" | "string")
        {
            continue;
        }
        for (tail, programs) in fine {
            if !programs.contains(&last[0].text.as_str()) && allowed(&format!("{line}{tail}"), shell).is_ok()
            {
                wrong.push(format!("{line}{tail}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_judged(line in "\\PC{0,80}") {
        for shell in Shell::ALL {
            let _ = allowed(&line, shell);
        }
    }

    #[test]
    fn any_words_are_judged(words in prop::collection::vec(prop::sample::select(vec![
        "ls", "find", ".", "-delete", "sed", "-n", "'1p'", "awk", "'{print}'", "|", ";", "&&", "-exec", "git", "log", "--", "*", "./*", "[", "]", "'", "\"", "\\", "{}", "jq", "-", "=", "$", "2>&1", ">", "/dev/null", "~", "..", "(", "#", "!",
        "é", "\\;", "-o", "s/[", "/]", "''",
    ]), 0..12), glue in prop::sample::select(vec![" ", ""])) {
        let line = words.join(glue);
        for shell in Shell::ALL {
            if allowed(&line, shell).is_ok() {
                for bad in ["-delete", "-exec", "$", "(", "{}"] {
                    // Allowed in quotes for programs that print them, refused as options.
                    prop_assert!(!line.contains(&format!("find . {bad}")), "{}", line);
                }
            }
        }
    }

    /// A simple POSIX word splitter finds the same words in an allowed command line.
    #[test]
    fn words_are_those_of_a_second_reader(at in 0usize..10_000, tail in "[ a-z'\"\\\\./-]{0,12}") {
        let lines = admitted();
        let (line, shell) = &lines[at % lines.len()];
        let line = format!("{line} {tail}");
        if let (Ok(Allowed { commands, .. }), Shell::Bash) = (allowed(&line, *shell), *shell)
            && !line.contains(['|', ';', '&', '<', '>'])
        {
            let texts: Vec<_> = commands.concat().into_iter().map(|word| word.text).collect();
            prop_assert_eq!(shell_words::split(&line).unwrap(), texts);
        }
    }
}

/// Doubled text takes only a bounded factor longer, whatever else the machine does.
#[test]
fn time_grows_no_faster_than_the_square() {
    let pieces: [(&str, &str); 4] = [("cat ./", "*a"), ("cat ", "a/"), ("ls ", "./* "), ("", "[")];
    for (start, piece) in pieces {
        let best = |count: usize| {
            let line = format!("{start}{}", piece.repeat(count));
            let time = || {
                let started = cpu_seconds();
                let _ = allowed(&line, Shell::Bash);
                cpu_seconds() - started
            };
            (0..3).map(|_| time()).fold(f64::MAX, f64::min)
        };
        let (once, twice) = (best(300), best(600));
        let most = once * 8.0 + 0.1;
        assert!(twice < most, "{start}{piece}: {once:.3} s, then {twice:.3} s");
    }
}
