//! Finds names of tasks that are not there: scripts of `package.json`, targets of a makefile, recipes of a justfile.

use std::collections::BTreeSet;

use serde_json::Value;

use super::commands::may_have_changed;
use super::nearest;
use super::walk::Walk;
use super::{Finding, FindingKind, ReportDraft, Severity};
use crate::finding::Fix;
use crate::reference::CommandKind;
use askline_syntax::{Nesting, Parsed, SimpleCommand, Word, program_name};

/// Files of GNU make in the order in which it looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// Files of just.
const JUSTFILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];
/// First words of lines with which a makefile or justfile has names from elsewhere, or makes them.
const ELSEWHERE: [&str; 9] =
    ["include", "-include", "sinclude", ".include", "define", "import", "import?", "mod", "mod?"];
/// Tasks of npm that need no script.
const WITHOUT_SCRIPT: [&str; 3] = ["env", "restart", "start"];
/// Options with which the file of the working directory still counts.
const HARMLESS: [&str; 8] = ["-s", "--silent", "-n", "--dry-run", "--just-print", "-B", "-j", "--jobs"];
/// Maximum number of tasks of a file; one with more is not compared.
const TASKS_MAX: usize = 1000;
/// Maximum number of names in the evidence.
const NAMES_MAX: usize = 6;
/// Maximum number of characters of a name that is told.
const NAME_MAX: usize = 64;

/// The tasks of the working directory.
struct Tasks {
    file: &'static str,
    noun: &'static str,
    names: BTreeSet<String>,
}

/// Adds findings for tasks of one command that are not there.
pub(super) fn check(command: &SimpleCommand, walk: &Walk, parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    let is_wrapped =
        command.within.iter().any(|nesting| matches!(nesting, Nesting::Wrapper(_) | Nesting::Function));
    // `-C` and `-f` lead to another file.
    let is_elsewhere = walk.uses.iter().any(|used| !HARMLESS.contains(&used.option.as_str()));
    let Some(name) = command.name().map(program_name) else { return };
    if !matches!(name, "npm" | "pnpm" | "make" | "gmake" | "just")
        || is_wrapped
        || is_elsewhere
        || may_have_changed(command, parsed)
        // An alias may lead to another file, too.
        || !matches!(draft.reference.known(&[name]).kind, CommandKind::Program { .. })
    {
        return;
    }
    let operands = || walk.operands.iter().filter_map(|index| Some((*index, command.words.get(*index)?)));
    let (found, tasks) = match name {
        "make" | "gmake" => {
            // A number belongs to `-j`.
            let is_target =
                |word: &Word| !word.text.contains(['=', '.', '/', '%']) && word.text.parse::<u32>().is_err();
            let Some(found) = operands().find(|(index, word)| 0 < *index && is_target(word)) else { return };
            (found, makefile(&found.1.text, draft))
        }
        "just" => {
            let is_recipe = |word: &Word| !word.text.contains('=');
            let found = operands().find(|(index, word)| 0 < *index && is_recipe(word));
            // Those are recipes of other files.
            let Some(found) = found.filter(|(_, word)| !word.text.contains(['/', ':'])) else { return };
            (found, justfile(draft))
        }
        _ => {
            let runs =
                command.words.get(1).is_some_and(|word| matches!(word.text.as_str(), "run" | "run-script"));
            let found = operands().find(|(index, _)| 1 < *index);
            let Some(found) = found.filter(|(_, word)| runs && !WITHOUT_SCRIPT.contains(&&*word.text)) else {
                return;
            };
            (found, package(draft))
        }
    };
    let (Some(tasks), (index, word)) = (tasks, found) else { return };
    // What the shell puts in place of an earlier word may be the task.
    let is_first = command.words.get(..=index).is_some_and(|words| words.iter().all(|word| word.literal));
    let is_raw = draft.line.get(word.span.clone()) == Some(word.text.as_str());
    if is_first && is_raw && tasks.names.len() <= TASKS_MAX && !tasks.names.contains(&word.text) {
        draft.report.findings.push(missing(word, &tasks));
    }
}

fn missing(word: &Word, tasks: &Tasks) -> Finding {
    let name = word.text.as_str();
    // The file may be anybody's: odd names reach neither the line nor a model.
    let is_plain = |name: &&str| {
        !name.starts_with('-')
            && name.chars().all(|c| c.is_alphanumeric() || "-_:.".contains(c))
            && name.chars().count() <= NAME_MAX
    };
    let mut names: Vec<&str> = tasks.names.iter().map(String::as_str).filter(is_plain).collect();
    let mut longer = names.iter().copied().filter(|other| is_longer(name, other));
    let longer = longer.next().filter(|_| longer.next().is_none());
    let meant =
        nearest::clear(name, names.iter().copied().filter(|other| nearest::is_slip_of_file(name, other)))
            .or(longer);
    names.sort_by_cached_key(|other| strsim::osa_distance(name, other));
    let told: Vec<String> = names.iter().take(NAMES_MAX).map(|name| format!("`{name}`")).collect();
    let n_others = tasks.names.len() - told.len();
    let others = if n_others == 0 { String::new() } else { format!(", and {n_others} more") };
    Finding {
        kind: FindingKind::Here,
        span: word.span.clone(),
        grade: Severity::Warning,
        text: format!("there is no {} `{name}` in {}", tasks.noun, tasks.file),
        evidence: if told.is_empty() {
            "it names none".to_owned()
        } else {
            format!("there is {}{others}", told.join(", "))
        },
        fixes: Vec::from_iter(meant.map(|meant| Fix {
            span: word.span.clone(),
            replacement: meant.to_owned(),
            change: format!("{name} → {meant}"),
        })),
    }
}

/// Reports whether a task is a kind of the one that is named, and does nothing that the name does not say: `lint:fix` for `lint`,
/// `start:dev` for `dev`.
fn is_longer(name: &str, other: &str) -> bool {
    /// Signs between the parts of a name.
    const SIGNS: [char; 4] = [':', '-', '_', '.'];
    /// Parts that come before the name of a variant.
    const VERBS: [&str; 5] = ["start", "serve", "run", "build", "test"];
    /// Parts that only say how or for what.
    const HARMLESS: [&str; 20] = [
        "check",
        "ci",
        "css",
        "debug",
        "dev",
        "development",
        "fast",
        "fix",
        "format",
        "js",
        "lint",
        "local",
        "quick",
        "staging",
        "ts",
        "types",
        "unit",
        "verbose",
        "watch",
        "web",
    ];
    /// Parts of names of tasks after which something is lost or goes out.
    const GRAVE: [&str; 25] = [
        "clean", "clear", "delete", "deploy", "destroy", "down", "drop", "erase", "flush", "install", "kill",
        "migrate", "nuke", "prune", "publish", "purge", "push", "release", "remove", "reset", "rollback",
        "seed", "ship", "truncate", "wipe",
    ];
    if GRAVE.iter().any(|part| name.contains(part)) {
        return false;
    }
    let is_harmless = |part: &str| HARMLESS.contains(&part);
    let behind = other.strip_prefix(name).and_then(|rest| rest.strip_prefix(SIGNS));
    let before = other.strip_suffix(name).and_then(|rest| rest.strip_suffix(':'));
    before.is_some_and(|verb| VERBS.contains(&verb)) && is_harmless(name)
        || behind.is_some_and(|rest| rest.split(SIGNS).all(is_harmless))
}

/// Reports whether a line of a makefile or justfile may bring other names.
fn is_open(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    // The files of a search path may make names, too.
    let is_path = first == "vpath" || first.starts_with("VPATH");
    is_path || ELSEWHERE.contains(&first) || line.starts_with(".DEFAULT") || line.starts_with(['$', '!'])
}

/// Returns the scripts of `package.json`; `None` if there is none that can be read.
fn package(draft: &ReportDraft<'_>) -> Option<Tasks> {
    let file = "package.json";
    let package: Value = serde_json::from_str(&draft.reference.text_of(file)?).ok()?;
    let names = match package.get("scripts") {
        None => BTreeSet::new(),
        Some(scripts) => scripts.as_object()?.keys().cloned().collect(),
    };
    Some(Tasks { file, noun: "script", names })
}

/// Returns the targets of the makefile; `None` if there is none, it may have others, or one of make's own rules may make `target`.
fn makefile(target: &str, draft: &ReportDraft<'_>) -> Option<Tasks> {
    let file = *MAKEFILES.iter().find(|file| draft.reference.exists(file) == Some(true))?;
    let text = draft.reference.text_of(file)?.replace("\\\n", " ");
    let lines = || {
        let lines = text.lines().map(|line| line.trim_start_matches(' '));
        lines.filter(|line| !line.starts_with(['\t', '#']))
    };
    let has_pattern = |line: &str| {
        let head = line.split_once(':').map_or("", |(head, _)| head);
        !head.contains('=') && head.contains(['%', '$'])
    };
    let names_here = draft.reference.names_in("")?;
    let is_built_in = names_here
        .iter()
        .any(|name| name == target || name.split_once('.').is_some_and(|(stem, _)| stem == target));
    if lines().any(|line| is_open(line) || has_pattern(line)) || is_built_in {
        return None;
    }
    let heads = lines().filter_map(|line| {
        let (head, rest) = line.split_once(':')?;
        (!rest.starts_with('=') && !rest.starts_with(":=") && !head.contains('=')).then_some(head)
    });
    let names = heads.flat_map(str::split_whitespace).filter(|name| !name.starts_with('.'));
    Some(Tasks { file, noun: "target", names: names.map(str::to_owned).collect() })
}

/// Returns the recipes and aliases of the justfile; `None` if there is none, or it may have others.
fn justfile(draft: &ReportDraft<'_>) -> Option<Tasks> {
    let file = *JUSTFILES.iter().find(|file| draft.reference.exists(file) == Some(true))?;
    let text = draft.reference.text_of(file)?;
    let lines = || text.lines().filter(|line| !line.starts_with(['\t', '#', ' ', '[', '@']));
    if lines().any(is_open) || text.contains("set fallback") {
        return None;
    }
    let name = |line: &str| {
        let line = line.strip_prefix("alias ").unwrap_or(line);
        let is_assignment = line.starts_with("set ") || line.starts_with("export ");
        let head = line.split_once(':')?.0;
        head.split_whitespace().next().filter(|_| !is_assignment).map(str::to_owned)
    };
    // `@name:` hides its lines.
    let quiet = text.lines().filter_map(|line| line.strip_prefix('@'));
    Some(Tasks { file, noun: "recipe", names: lines().chain(quiet).filter_map(name).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::test_machine::TestMachine;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    fn machine(files: &[(&str, &str)]) -> TestMachine {
        TestMachine {
            paths: Some(files.iter().map(|(name, _)| (*name).to_owned()).collect()),
            contents: files.iter().map(|(name, text)| (name.to_lowercase(), (*text).to_owned())).collect(),
            ..TestMachine::with_every_program()
        }
    }

    /// Returns the line after the first edit; `None` if no task is missing.
    fn mended(line: &str, machine: &TestMachine) -> Option<String> {
        let report = check(&ParsedLine::new(line, Shell::Bash), machine);
        let finding = report.findings.into_iter().find(|finding| finding.kind == FindingKind::Here)?;
        let mut mended = line.to_owned();
        if let Some(fix) = finding.fixes.first() {
            mended.replace_range(fix.span.clone(), &fix.replacement);
        }
        Some(mended)
    }

    #[test]
    fn misspelt_tasks_are_mended_and_others_told() {
        let machine = machine(&[
            ("package.json", r#"{"scripts": {"build": "x", "test:unit": "y", "lint": "z"}}"#),
            (
                "Makefile",
                "CC := gcc\nOBJ = $(SRC:.c=.o)\nall: app docs\n\techo hi: there\n.PHONY: clean\nclean test:\n\trm -f x\nbuild \\\n lint: all\n\
                 ifdef CI\n  release: all\nendif\n",
            ),
            (
                "justfile",
                "set shell := ['sh']\n[private]\n@deploy target='x':\n  echo\nalias d := deploy\nbuild:\n",
            ),
            ("hello.c", "x"),
        ]);
        for (line, expected) in [
            ("npm run biuld", Some("npm run build")),
            ("npm run build", None),
            ("npm run start", None),
            ("npm run deploy", Some("npm run deploy")),
            ("pnpm run --silent test:unti", Some("pnpm run --silent test:unit")),
            ("npm run --prefix web biuld", None),
            ("npm run restart", None),
            ("bun run index.ts", None),
            ("npm run \"$task\" biuld", None),
            ("npm install biuld", None),
            ("make tset", Some("make test")),
            ("make clean", None),
            ("make CC=clang clena", Some("make CC=clang clean")),
            ("make -C sub tset", None),
            ("make hello", None),
            ("make app.o", None),
            ("make -j 4 test", None),
            ("make lint", None),
            ("make bulid", Some("make build")),
            ("make release", None),
            ("cd web && make tset", None),
            ("just depoly", Some("just deploy")),
            ("just d", None),
            ("just os=linux build", None),
            ("just sub/biuld", None),
            ("just tools::biuld", None),
            ("just build", None),
        ] {
            assert_eq!(mended(line, &machine).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_kind_of_a_task_is_taken_if_it_does_no_more() {
        let scripts = r#"{"scripts": {"start:dev": "x", "lint:fix": "x", "db:drop": "x", "deploy:staging": "x", "start:reset": "x", "reset:dev": "x", "teardown:local": "x"}}"#;
        let machine = machine(&[
            ("package.json", scripts),
            ("Makefile", "clean-all:\ndistclean-local:\ndeploy-staging:\n"),
        ]);
        for (line, expected) in [
            ("npm run dev", "npm run start:dev"),
            ("npm run lint", "npm run lint:fix"),
            ("npm run db", "npm run db"),
            ("npm run deploy", "npm run deploy"),
            ("npm run reset", "npm run reset"),
            ("npm run teardown", "npm run teardown"),
            ("make deploy", "make deploy"),
            ("make clean", "make clean"),
            ("make distclean", "make distclean"),
            ("make all", "make all"),
        ] {
            assert_eq!(mended(line, &machine).as_deref(), Some(expected));
        }
    }

    #[test]
    fn an_alias_may_lead_to_another_file() {
        let alias = CommandKind::Alias("make -C build".to_owned());
        let defined = [("make".to_owned(), alias)].into();
        let machine = TestMachine { defined, ..machine(&[("Makefile", "test:\n")]) };
        assert_eq!(mended("make tset", &machine), None);
    }

    #[test]
    fn of_many_names_the_nearest_are_told() {
        let targets: String = (0..20).map(|n| format!("target{n}:\n")).collect();
        let machine = machine(&[("Makefile", &format!("{targets}--evil:\nstage:\n"))]);
        let report = check(&ParsedLine::new("make staging", Shell::Bash), &machine);
        let evidence = &report.findings[0].evidence;
        assert!(evidence.starts_with("there is `stage`, `target0`"), "{evidence}");
        assert!(evidence.ends_with(", and 16 more"), "{evidence}");
    }

    #[test]
    fn files_that_may_have_more_say_nothing() {
        for (file, text) in [
            ("Makefile", "include common.mk\ntest:\n"),
            ("Makefile", "%: %.in\n"),
            ("Makefile", "$(NAMES):\n"),
            ("Makefile", "ifdef X\n  include x.mk\nendif\ntest:\n"),
            ("Makefile", "$(eval $(call rules))\ntest:\n"),
            ("Makefile", ".include <bsd.prog.mk>\ntest:\n"),
            ("justfile", "import? 'more.just'\ntest:\n"),
            ("justfile", "import 'more.just'\ntest:\n"),
            ("package.json", "{ no json"),
        ] {
            let machine = machine(&[(file, text)]);
            for line in ["make tset", "just tset", "npm run tset"] {
                assert_eq!(mended(line, &machine), None, "{file}: {text}: {line}");
            }
        }
    }
}
