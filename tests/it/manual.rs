//! Manual pages and help texts of this machine, where it has them: parsed options compared with what the programs
//! accept.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use askline_manual as manual;
use askline_manual::{Arity, Manual};
use serde::Deserialize;

/// Options that one program accepts; see the head of the file.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Truth {
    version: String,
    none: String,
    value: String,
    either: String,
    taken: String,
    refused: String,
}

/// Returns the source of a page of this machine, with redirections followed.
fn page_source(name: &str) -> Option<String> {
    let mut path = ["1", "8"].into_iter().flat_map(|section| {
        [".gz", ""].map(|end| PathBuf::from(format!("/usr/share/man/man{section}/{name}.{section}{end}")))
    });
    read_page(&path.find(|path| path.exists())?, 3)
}

fn read_page(path: &PathBuf, n_redirects: usize) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let source = if path.extension().is_some_and(|end| end == "gz") {
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text).ok()?;
        text
    } else {
        bytes
    };
    let source = String::from_utf8_lossy(&source).into_owned();
    match manual::redirect(&source) {
        Some(target) if n_redirects > 0 => {
            let target = PathBuf::from("/usr/share/man").join(target);
            let zipped = PathBuf::from(format!("{}.gz", target.display()));
            read_page(if zipped.exists() { &zipped } else { &target }, n_redirects - 1)
        }
        _ => Some(source),
    }
}

fn page(name: &str) -> Option<Manual> {
    page_source(name).map(|source| manual::page(&source))
}

/// The minimums apply to the pages of Debian 12; other versions document more.
#[test]
fn pages_of_this_machine() {
    let floors: &[(&str, &[&str], usize)] = &[
        ("ls", &["-a", "--all", "--color", "--block-size", "-w", "--width", "--zero"], 57),
        ("cp", &["-a", "--archive", "--reflink", "-t", "--target-directory"], 28),
        ("sort", &["-h", "-k", "--key", "-u", "--parallel"], 28),
        ("find", &["-name", "-exec", "-newer", "-print0", "-maxdepth"], 70),
        ("grep", &["-P", "--include", "-A", "--color", "--colour"], 40),
        ("tar", &["-x", "--extract", "-f", "--file", "--strip-components"], 120),
        ("curl", &["-o", "--output", "-L", "--location", "--retry"], 200),
        ("git-log", &["--oneline", "--author", "--since", "-L", "--graph"], 150),
        ("git-commit", &["-m", "--amend", "--no-verify", "--fixup"], 38),
        ("ssh", &["-p", "-o", "-L", "-4", "-N"], 40),
        ("rsync", &["-a", "--archive", "--delete", "--exclude"], 100),
        ("systemctl", &["-t", "--type", "--now", "--user"], 40),
    ];
    for (name, some, at_least) in floors {
        let Some(page) = page(name) else { continue };
        for option in *some {
            assert!(page.option(option).is_some(), "{name} {option}");
        }
        assert!(page.options.len() >= *at_least, "{name}: {}", page.options.len());
        assert_eq!(page.name, *name);
        assert!(!page.summary.is_empty() && !page.synopsis.is_empty(), "{name}: {page:#?}");
    }
}

#[test]
fn subcommands_of_this_machine() {
    let floors: &[(&str, &[&str], usize)] = &[
        ("git", &["add", "log", "rebase", "cherry-pick", "worktree"], 120),
        ("systemctl", &["start", "list-units", "daemon-reload", "set-property"], 60),
        ("apt", &["install", "search", "update"], 4),
        ("ip", &["address", "link", "route"], 15),
    ];
    for (name, some, at_least) in floors {
        let Some(page) = page(name) else { continue };
        for subcommand in *some {
            assert!(page.subcommands.iter().any(|known| known.name == *subcommand), "{name} {subcommand}");
        }
        assert!(page.subcommands.len() >= *at_least, "{name}: {}", page.subcommands.len());
    }
    // Commands of a language are not subcommands.
    for name in ["sed", "bash", "less", "find", "awk"] {
        assert!(page(name).is_none_or(|page| page.subcommands.is_empty()), "{name}");
    }
}

/// Every page of this machine is parsed; those that document options in the usual way yield some.
#[test]
fn nearly_every_page_yields_something() {
    let (mut n_pages, mut n_named, mut n_with_options, mut n_dashes) = (0, 0, 0, 0);
    let Ok(files) = fs::read_dir("/usr/share/man/man1") else { return };
    // One vendor's pages outnumber all others and come from one generator.
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    for path in files.filter(|path| !path.to_string_lossy().contains("gcloud")) {
        let Some(source) = read_page(&path, 3).filter(|source| !source.trim().is_empty()) else { continue };
        let page = manual::page(&source);
        n_pages += 1;
        n_named += usize::from(!page.name.is_empty());
        if source.matches("\n.TP").count() + source.matches("\n.It Fl").count() > 5
            && source.contains("\\-\\-")
        {
            n_dashes += 1;
            n_with_options += usize::from(page.options.len() >= 2);
        }
    }
    assert!(n_named * 100 >= n_pages * 99, "{n_named} of {n_pages} pages have a name");
    assert!(
        n_with_options * 100 >= n_dashes * 95,
        "{n_with_options} of {n_dashes} pages with options yield them"
    );
}

/// Compares pages and help texts with what the programs accept. Prints a table; run it by name on Debian 12.
#[test]
#[expect(clippy::print_stdout, reason = "a measurement prints")]
#[ignore = "starts every program's --help; needs the versions that crates/manual/tests/data/manual/truth.toml was made with"]
fn accuracy() {
    let truths: BTreeMap<String, Truth> =
        toml::from_str(&fs::read_to_string("crates/manual/tests/data/manual/truth.toml").unwrap()).unwrap();
    let mut totals = [Score::default(); 3];
    let mut lines = Vec::new();
    for (command, truth) in &truths {
        let Some(source) = page_source(&command.replace(' ', "-")) else { continue };
        let page = manual::page(&source);
        let help = manual::help(&help_text(command));
        // A page for another version than the program is no error of the parser.
        let version = help.version.clone().or(page.version.clone()).unwrap_or_default();
        if version != truth.version && !command.starts_with("git") {
            lines.push(format!("{command}: page is of {version:?}, truth of {:?}", truth.version));
        }
        let united = manual::unite(page.clone(), help.clone());
        for ((score, manual), name) in
            totals.iter_mut().zip([&page, &help, &united]).zip(["page", "help", "both"])
        {
            let notes = score.add(manual, truth);
            if name == "both" && !notes.is_empty() {
                lines.push(format!("{command}: {notes}"));
            }
        }
    }
    println!("{}", lines.join("\n"));
    for (score, name) in totals.iter().zip(["page", "help", "page and help"]) {
        println!("{name:<14} {score}");
    }
    let [_, _, both] = totals;
    assert!(both.n_programs >= 30);
    assert!(both.precision() >= 0.97 && both.recall() >= 0.94 && both.arity() >= 0.94);
}

/// Returns the help text of a program of the truth table. All of these programs are known to print it and end.
fn help_text(command: &str) -> String {
    let mut words = command.split(' ');
    let program = words.next().unwrap();
    let mut args: Vec<&str> = words.collect();
    match program {
        "curl" => args.extend(["--help", "all"]),
        "git" => args.push("-h"),
        _ => args.push("--help"),
    }
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .env("LC_ALL", "C.UTF-8")
        .env("COLUMNS", "200")
        .env("PAGER", "cat")
        .output()
        .unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[derive(Clone, Copy, Default)]
struct Score {
    n_programs: usize,
    n_right: usize,
    n_wrong: usize,
    n_missed: usize,
    n_arity_right: usize,
    n_arity_wrong: usize,
    n_arity_unknown: usize,
}

impl Score {
    /// Adds one program; returns a description of its errors.
    fn add(&mut self, manual: &Manual, truth: &Truth) -> String {
        let set = |names: &str| {
            names.split(' ').filter(|name| !name.is_empty()).map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let (none, value, either) = (set(&truth.none), set(&truth.value), set(&truth.either));
        let refused = set(&truth.refused);
        let accepted: BTreeSet<String> =
            [&none, &value, &either, &set(&truth.taken)].into_iter().flatten().cloned().collect();
        let defined: BTreeSet<String> = manual.options.iter().flat_map(|doc| doc.names.clone()).collect();
        self.n_programs += 1;
        let wrong: Vec<&String> = defined.intersection(&refused).collect();
        // Only options that the documentation names can be found. Letters without documentation are hidden options, and
        // `-abc` of a getopt program is three options.
        let named = |name: &&String| {
            (defined.contains(*name) || manual.mentioned.contains(*name))
                && (name.starts_with("--") || name.len() == 2)
        };
        let missed: Vec<&String> =
            accepted.iter().filter(named).filter(|name| !defined.contains(*name)).collect();
        let hidden: Vec<&String> = accepted
            .iter()
            .filter(|name| !defined.contains(*name) && !manual.mentioned.contains(*name))
            .collect();
        self.n_right += defined.intersection(&accepted).count();
        self.n_wrong += wrong.len();
        self.n_missed += missed.len();
        let mut arity_wrong = Vec::new();
        for doc in &manual.options {
            for name in &doc.names {
                let right = match doc.value {
                    _ if !(none.contains(name) || value.contains(name) || either.contains(name)) => continue,
                    Arity::Unknown => {
                        self.n_arity_unknown += 1;
                        continue;
                    }
                    Arity::None => !value.contains(name),
                    Arity::Required | Arity::Attached => value.contains(name),
                    Arity::Optional => either.contains(name),
                };
                self.n_arity_right += usize::from(right);
                self.n_arity_wrong += usize::from(!right);
                if !right {
                    arity_wrong.push(format!("{name} {:?}", doc.value));
                }
            }
        }
        let mut notes = String::new();
        for (what, names) in [
            ("not taken", wrong.iter().map(ToString::to_string).collect::<Vec<_>>()),
            ("hidden", hidden.iter().map(ToString::to_string).collect()),
            ("only mentioned", missed.iter().map(ToString::to_string).collect()),
            ("arity", arity_wrong),
        ] {
            if !names.is_empty() {
                notes.push_str(&format!("{what}: {}; ", names.join(", ")));
            }
        }
        notes
    }

    fn precision(&self) -> f64 {
        share(self.n_right, self.n_wrong)
    }

    fn recall(&self) -> f64 {
        share(self.n_right, self.n_missed)
    }

    fn arity(&self) -> f64 {
        share(self.n_arity_right, self.n_arity_wrong)
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} programs: precision {:.3} recall {:.3} of {} options; arity {:.3} of {}, {} unknown",
            self.n_programs,
            self.precision(),
            self.recall(),
            self.n_right,
            self.arity(),
            self.n_arity_right + self.n_arity_wrong,
            self.n_arity_unknown,
        )
    }
}

fn share(yes: usize, no: usize) -> f64 {
    yes as f64 / (yes + no).max(1) as f64
}

/// The table of macOS's options comes from its manual pages: names and arities, none of their text.
#[test]
#[ignore = "needs macOS's manual pages: ASKLINE_MACOS_MAN=directory; UPDATE=1 writes the table"]
fn macos_table_is_fresh() {
    let directory = std::env::var_os("ASKLINE_MACOS_MAN").expect("ASKLINE_MACOS_MAN names no directory");
    let mut table = BTreeMap::new();
    for directory in fs::read_dir(directory).unwrap() {
        let Ok(files) = fs::read_dir(directory.unwrap().path()) else { continue };
        for path in files.map(|file| file.unwrap().path()) {
            let source = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            let page = manual::page(&source);
            let file = path.file_stem().unwrap().to_string_lossy().into_owned();
            // Pages of builtins, and of files that are not commands, describe no command.
            let says = !page.options.is_empty() || page.style == manual::OptionStyle::Operand;
            if !says || matches!(file.as_str(), "alias" | "builtin") || file.starts_with("locate.") {
                continue;
            }
            let names = source
                .split("\n.Nd")
                .next()
                .unwrap()
                .lines()
                .filter_map(|line| line.strip_prefix(".Nm "))
                .flat_map(|line| {
                    line.split([' ', ',', '\r'])
                        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphanumeric()))
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                });
            for name in names.chain([file]).collect::<BTreeSet<_>>() {
                table.insert(name, page.clone());
            }
        }
    }
    let mut text = String::from(
        "# The options of macOS's commands: names and what they take, read from its manual pages by the test `macos_table_is_fresh`. Not edited by hand.\n\
         # The form of a card is told in exceptions.toml.\n",
    );
    for (name, page) in &table {
        let docs: Vec<String> = page.options.iter().map(|doc| format!("\"{}\"", short_form(doc))).collect();
        text.push_str(&format!("\n[\"{name}\"]\noptions = [{}]\n", docs.join(", ")));
        if !page.mentioned.is_empty() {
            let mentioned: Vec<&str> = page.mentioned.iter().map(String::as_str).collect();
            text.push_str(&format!("mentioned = \"{}\"\n", mentioned.join(" ")));
        }
        if page.style == manual::OptionStyle::Operand {
            text.push_str("style = \"operand\"\n");
        }
    }
    toml::from_str::<toml::Table>(&text).unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/manual/src/macos.toml");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, &text).unwrap();
    }
    assert!(
        fs::read_to_string(file).unwrap() == text,
        "crates/manual/src/macos.toml is out of date; run this test with UPDATE=1"
    );
}

fn short_form(doc: &manual::OptionDoc) -> String {
    let placeholder: String = doc.placeholder.split_whitespace().collect::<Vec<_>>().join("_");
    let placeholder = placeholder.replace(['"', '\\', '<', '>', '[', ']', '='], "");
    let names = doc.names.join(" ");
    match doc.value {
        Arity::None => names,
        Arity::Required => format!("{names} <{placeholder}>"),
        Arity::Optional => format!("{names} [{placeholder}]"),
        Arity::Attached => format!("{names} ={placeholder}"),
        Arity::Unknown => format!("{names} ?"),
    }
}
