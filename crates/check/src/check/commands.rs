//! Checks that command words exist on this machine and suggests replacements: the nearest name for a typo, or an
//! entry of the equivalents table (`equivalents.toml`) for commands of other systems.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::tools::TOOLS;
use super::{ReportDraft, hazards, nearest, packages};
use crate::finding::{Finding, FindingKind, Fix, Severity};
use crate::reference::{self, Reference};
use askline_manual::catalogue::CommandDoc;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, Parsed, SimpleCommand, Span, Word, program_name};

/// Maximum number of missing commands per line for which the nearest name is searched. A line with more of them is
/// not a typo.
pub(super) const GUESSES_MAX: usize = 4;
/// Maximum number of Nushell commands suggested when a name equals only their last word.
const BELOW_MAX: usize = 3;

/// Maximum number of a command's file operands to look up before suggesting a name.
const FILES_MAX: usize = 8;

/// Replacements by the name of the missing command.
static EQUIVALENTS: LazyLock<HashMap<String, Equivalent>> = LazyLock::new(|| {
    toml::from_str(include_str!("equivalents.toml")).expect("equivalents.toml is checked by a test")
});

/// Replacements of one missing command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Equivalent {
    instead: Vec<String>,
    #[serde(default)]
    forms: Vec<(String, String)>,
}

/// Result of looking up a command word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// The command exists and its options can be looked up.
    Here,
    /// No lookup of the options is possible: the shell expands the word, it runs elsewhere, or it is missing.
    NotChecked,
}

/// Looks up a command word and adds a finding if it is missing.
pub(super) fn check(command: &SimpleCommand, parsed: &Parsed, draft: &mut ReportDraft<'_>) -> Presence {
    let Some(name) = command.name().filter(|name| !name.is_empty()) else { return Presence::NotChecked };
    if command.runs_elsewhere() || hazards::is_cut_off(command, draft.line) {
        return Presence::NotChecked;
    }
    // The hazards module reports `[[` in fish.
    if draft.shell.is_fish() && name.starts_with("[[") {
        return Presence::NotChecked;
    }
    if name.contains('/') {
        return path(command, name, parsed, draft);
    }
    if defines(draft.line, name) {
        draft.report.commands_found += 1;
        return Presence::NotChecked;
    }
    let looked_up = command.looked_up().unwrap_or_default();
    if !is_missing(&looked_up, draft.reference) {
        draft.report.commands_found += 1;
        deprecated(command, name, draft);
        for_root(command, name, parsed, draft);
        return Presence::Here;
    }
    draft.report.commands_missing += 1;
    missing(command, name, parsed, draft);
    Presence::NotChecked
}

/// Reports whether an earlier command of the line may have created files, installed commands or changed the
/// directory.
pub(super) fn may_have_changed(command: &SimpleCommand, parsed: &Parsed) -> bool {
    let before = parsed.commands.iter().filter(|other| other.span.start < command.span.start);
    before.into_iter().any(|other| {
        let is_bystander = other.words.is_empty()
            || other.name() == Some("mkdir") && other.words.iter().all(|word| word.literal)
            || other.name().is_some_and(|name| TOOLS.bystanders.contains(program_name(name)));
        !is_bystander || other.redirections.iter().any(|redirection| redirection.operator.contains('>'))
    })
}

/// Reports whether `name` is a well-known program, installed or not.
pub fn is_well_known(name: &str) -> bool {
    TOOLS.well_known.contains(name)
}

/// Reports whether other programs are known that do the job of a missing one.
pub fn has_equivalent(name: &str) -> bool {
    EQUIVALENTS.contains_key(name)
}

fn is_missing(name: &str, reference: &dyn Reference) -> bool {
    matches!(reference.known(&[name]).kind, reference::CommandKind::Missing)
}

/// Reports whether a command can follow a pipe in Nushell.
fn takes_input(name: &str, reference: &dyn Reference) -> bool {
    match reference.known(&[name]).kind {
        reference::CommandKind::Program { .. } => TOOLS.filters.contains(name),
        reference::CommandKind::Builtin => {
            reference.own_commands().is_none_or(|own| own.get(name).is_none_or(CommandDoc::takes_input))
        }
        reference::CommandKind::Function | reference::CommandKind::Alias(_) => true,
        reference::CommandKind::Missing => false,
    }
}

/// Checks a command that is given by its path.
fn path(command: &SimpleCommand, name: &str, parsed: &Parsed, draft: &mut ReportDraft<'_>) -> Presence {
    match draft.reference.exists(name) {
        Some(false) if !may_have_changed(command, parsed) => {
            draft.report.commands_missing += 1;
            draft.report.findings.push(Finding {
                kind: FindingKind::CommandMissing,
                span: command.words.first().map_or(0..0, |word| word.span.clone()),
                grade: Severity::Error,
                text: format!("there is no file `{name}`"),
                evidence: "looked up here".to_owned(),
                fixes: Vec::new(),
            });
            Presence::NotChecked
        }
        Some(true) => {
            draft.report.commands_found += 1;
            let is_system =
                name.starts_with("/usr/") || name.starts_with("/bin/") || name.starts_with("/sbin/");
            if is_system { Presence::Here } else { Presence::NotChecked }
        }
        _ => Presence::NotChecked,
    }
}

/// Reports whether the line itself defines the command: `f() { …`, `function f`, `alias f=…`.
fn defines(line: &str, name: &str) -> bool {
    let forms = [
        format!("{name}()"),
        format!("{name} ()"),
        format!("function {name}"),
        format!("alias {name}="),
        format!("alias {name} "),
        format!("def {name} "),
    ];
    forms.iter().any(|form| {
        line.match_indices(form.as_str()).any(|(at, _)| {
            line.get(..at).and_then(|before| before.chars().next_back()).is_none_or(|c| !c.is_alphanumeric())
        })
    })
}

fn missing(command: &SimpleCommand, name: &str, parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    let reference = draft.reference;
    let Some(word) = command.words.first() else { return };
    let mut text = format!("there is no command `{name}` here");
    let mut fixes = Vec::new();
    if let Some(unneeded) = without_sudo(command, name, parsed, draft) {
        text.push_str(", and you are root");
        fixes.push(unneeded);
    } else if let Some(equivalent) = EQUIVALENTS.get(name) {
        let installed: Vec<&String> =
            equivalent.instead.iter().filter(|other| !is_missing(other, reference)).collect();
        if let Some(other) = installed.first() {
            text.push_str(&format!("; `{other}` may do instead"));
        }
        let form = equivalent.forms.iter().find_map(|(from, to)| {
            let new_command = to.split(' ').next().unwrap_or(to);
            if is_missing(new_command, reference) {
                return None;
            }
            rewritten(command, from, to, draft.line)
        });
        fixes.extend(form);
    } else if let Some(own) = below_another(name, draft.shell) {
        text.push_str(&format!("; nushell has {own}"));
    } else if !is_well_known(name) && 0 < draft.names_left {
        draft.names_left -= 1;
        let names = draft.names.get_or_init(|| reference.names());
        // A typo keeps the first letter. A well-known command that is not installed is not a typo.
        let is_likely =
            |other: &&str| other.chars().next() == name.chars().next() || nearest::same_letters(other, name);
        // In Nushell, a command behind a pipe must read its input.
        let is_fed = draft.shell.is_nushell() && 0 < command.position;
        let candidates = names
            .iter()
            .map(String::as_str)
            .filter(is_likely)
            .filter(|other| !is_fed || nearest::is_near(name, other) && takes_input(other, reference));
        if let Some(nearest) = nearest::clear(name, candidates) {
            let is_called_so =
                || 1 == strsim::osa_distance(name, nearest) && takes_first(nearest, command, reference);
            let is_slip = nearest::is_slip(name, nearest) || is_called_so();
            let fits = may_read(nearest, command, parsed, reference);
            if is_slip || fits {
                text.push_str(&format!("; did you mean `{nearest}`"));
            }
            if is_slip && fits && draft.line.get(word.span.clone()) == Some(name) {
                fixes.push(Fix {
                    span: word.span.clone(),
                    replacement: nearest.to_owned(),
                    change: format!("{name} → {nearest}"),
                });
            }
        }
    }
    if fixes.is_empty()
        && !text.contains("did you mean")
        && let Some(install) = packages::install_command(name, reference)
    {
        text.push_str(&format!("; `{install}` installs it"));
    }
    let may_be_brought = parsed.commands.iter().any(|other| {
        other.span.start < command.span.start
            && other.name().is_some_and(|name| TOOLS.installers.contains(program_name(name)))
    });
    draft.report.findings.push(Finding {
        kind: FindingKind::CommandMissing,
        span: word.span.clone(),
        grade: if may_be_brought { Severity::Hint } else { Severity::Error },
        text,
        evidence: "looked up on PATH and among builtins, functions and aliases".to_owned(),
        fixes,
    });
}

/// Returns the edit that removes a missing `sudo` for a user who is root; `None` if it has options of its own.
fn without_sudo(
    command: &SimpleCommand,
    name: &str,
    parsed: &Parsed,
    draft: &ReportDraft<'_>,
) -> Option<Fix> {
    let sudo = command.words.first().filter(|_| name == "sudo" && draft.reference.is_root())?;
    let runs = |inner: &&SimpleCommand| {
        matches!(inner.within.last(), Some(Nesting::Wrapper(outer)) if outer == "sudo")
            && sudo.span.end <= inner.span.start
    };
    let inner = parsed.commands.iter().filter(runs).min_by_key(|inner| inner.span.start)?.words.first()?;
    let between = draft.line.get(sudo.span.end..inner.span.start)?;
    between.trim().is_empty().then(|| Fix {
        span: sudo.span.start..inner.span.start,
        replacement: String::new(),
        change: "removed `sudo`, which is not installed; you are root".to_owned(),
    })
}

/// Returns the Nushell commands whose last word is `name`. For `sqrt`, `math sqrt` is a better guess than any name
/// with similar spelling.
fn below_another(name: &str, shell: Shell) -> Option<String> {
    let is_below = |own: &&String| own.rsplit_once(' ').is_some_and(|(_, last)| last == name);
    let own = syntax::nushell_commands().iter().filter(|_| shell.is_nushell()).filter(is_below);
    let own: Vec<String> = own.take(BELOW_MAX).map(|own| format!("`{own}`")).collect();
    (!own.is_empty()).then(|| own.join(" and "))
}

/// Reports whether the words of the command make sense for the suggested `name`. Applies only to a command without
/// piped input: a command that reads files does not fit if none of them exists, and a line filter does not fit if all
/// operands are numbers, as in `sort 16`. Expanded words may name existing files, a word behind an option may be its
/// value, and after a `cd` the files are elsewhere; such commands always fit.
fn may_read(name: &str, command: &SimpleCommand, parsed: &Parsed, reference: &dyn Reference) -> bool {
    let has_options = command.words.iter().skip(1).any(|word| word.text.starts_with('-'));
    let is_elsewhere = parsed.commands.iter().any(|other| matches!(other.name(), Some("cd" | "pushd" | "z")));
    if has_options || is_elsewhere {
        return true;
    }
    let operands = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let is_number = |word: &Word| word.text.parse::<f64>().is_ok();
    let before = match TOOLS.reads.get(name) {
        Some(before) => *before,
        None if TOOLS.filters.contains(name) && operands.clone().all(is_number) => 0,
        None => return true,
    };
    let mut files = operands.skip(before).take(FILES_MAX).peekable();
    let may_be_there = |word: &Word| !word.literal || reference.exists(&word.text) != Some(false);
    0 < command.position || files.peek().is_none() || files.any(may_be_there)
}

/// Reports whether the next word is a documented subcommand of `name`: `gut status` can only mean `git`.
fn takes_first(name: &str, command: &SimpleCommand, reference: &dyn Reference) -> bool {
    let Some(word) = command.words.get(1).filter(|word| word.literal && !word.text.starts_with('-')) else {
        return false;
    };
    let known = reference.known(&[name]);
    known.manual.as_ref().is_some_and(|manual| manual.subcommands.iter().any(|sub| sub.name == word.text))
}

/// Adds an error if only root's `PATH` has the program. The edit names its file if users may run it, else it runs it as root.
fn for_root(command: &SimpleCommand, name: &str, parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    let reference = draft.reference;
    let (Some(file), Some(word)) = (reference.for_root(name), command.words.first()) else { return };
    // `su -` starts a login shell, which has root's `PATH`.
    let is_login = |outer: &str| {
        let of_login = |word: &Word| matches!(word.text.as_str(), "-" | "-l" | "--login");
        let mut own = parsed.commands.iter().filter(|command| command.name() == Some("su"));
        outer == "su" && own.any(|command| command.words.iter().any(of_login))
    };
    let is_elevated = command.within.iter().any(|nesting| {
        matches!(nesting, Nesting::Wrapper(outer) if TOOLS.elevating.contains(outer) || is_login(outer))
    });
    let sets_path = command.assignments.iter().any(|word| word.text.starts_with("PATH="));
    let before = parsed.commands.iter().filter(|other| other.span.start < command.span.start);
    let mut before = before.filter_map(SimpleCommand::name);
    if sets_path || before.any(|name| TOOLS.installers.contains(name)) {
        return;
    }
    let is_program = matches!(&reference.known(&[name]).kind, reference::CommandKind::Program { path, .. } if *path == file);
    let (Some(directory), false, true) = (file.parent(), is_elevated, is_program) else { return };
    let file_text = file.to_string_lossy();
    let replacement = match ["sudo", "doas"].into_iter().find(|program| !is_missing(program, reference)) {
        Some(program) if !reference.is_root() && !TOOLS.for_users.contains(name) => {
            format!("{program} {name}")
        }
        _ => file_text.into_owned(),
    };
    let is_bare = draft.line.get(word.span.clone()) == Some(name);
    let fix = is_bare.then(|| Fix {
        span: word.span.clone(),
        change: format!("{name} → {replacement}"),
        replacement,
    });
    draft.report.findings.push(Finding {
        kind: FindingKind::CommandMissing,
        span: word.span.clone(),
        grade: Severity::Error,
        text: format!("`{name}` is in {}, which is not on your PATH", directory.display()),
        evidence: "looked up on PATH and in root's directories".to_owned(),
        fixes: fix.into_iter().collect(),
    });
}

/// Adds a hint if the command is obsolete.
fn deprecated(command: &SimpleCommand, name: &str, draft: &mut ReportDraft<'_>) {
    let (Some(new), Some(word)) = (TOOLS.deprecated.get(name), command.words.first()) else { return };
    // A name that the user gave to something else is not obsolete.
    let is_own = matches!(
        draft.reference.known(&[name]).kind,
        reference::CommandKind::Function | reference::CommandKind::Alias(_)
    );
    if is_own || is_missing(new.split(' ').next().unwrap_or(new), draft.reference) {
        return;
    }
    let fix = Fix { span: word.span.clone(), replacement: new.clone(), change: format!("{name} → {new}") };
    draft.report.findings.push(Finding {
        kind: FindingKind::Deprecated,
        span: word.span.clone(),
        grade: Severity::Hint,
        text: format!("`{name}` is obsolete; `{new}` does the same"),
        evidence: "our table of obsolete commands".to_owned(),
        fixes: vec![fix],
    });
}

/// Returns the edit that rewrites a command from the form `from` to the form `to`; `None` if the command does not
/// match `from`.
pub(crate) fn rewritten(command: &SimpleCommand, from: &str, to: &str, line: &str) -> Option<Fix> {
    let words = &command.words;
    let span: Span = words.first()?.span.start..words.last()?.span.end;
    // The rewrite would drop a redirect between the words.
    let is_whole = command.redirections.iter().all(|r| r.span.end <= span.start || span.end <= r.span.start);
    let raw: Vec<&str> = words.iter().map(|word| line.get(word.span.clone())).collect::<Option<_>>()?;
    // A Nushell command name may have several words.
    let (name, rest) = raw.split_first()?;
    let is_bare = name.chars().all(|c| is_word_letter(c) || c == ' ');
    let name: Vec<&str> = if is_bare { name.split_whitespace().collect() } else { vec![name] };
    let taken = matched(from, &[&name, rest].concat())?;
    let replacement: Vec<String> =
        to.split(' ').map(|part| filled(part, &taken)).filter(|part| !part.is_empty()).collect();
    let replacement = replacement.join(" ");
    let (old, new) = (words.first()?.text.as_str(), to.split(' ').next()?);
    let change =
        if old == new { format!("{} → {replacement}", raw.join(" ")) } else { format!("{old} → {new}") };
    is_whole.then_some(Fix { span, replacement, change })
}

/// Matches words against a form and returns the words for each placeholder; `None` if they do not match.
fn matched(form: &str, words: &[&str]) -> Option<HashMap<String, String>> {
    let mut taken = HashMap::new();
    let mut rest = words;
    for part in form.split(' ') {
        let Some(place) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
            let (first, others) = rest.split_first()?;
            if *first != part {
                return None;
            }
            rest = others;
            continue;
        };
        let fits = |word: &&&str| match place.strip_prefix('-') {
            Some(letters) => word
                .strip_prefix('-')
                .is_some_and(|own| !own.is_empty() && own.chars().all(|c| letters.contains(c))),
            None if place == "**" => true,
            None => !word.starts_with('-') && (!place.ends_with('w') || word.chars().all(is_word_letter)),
        };
        let count = rest.iter().take_while(fits).count();
        let count = if place.starts_with('-') || place.starts_with('*') { count } else { count.min(1) };
        let is_single = place.starts_with(|c: char| c.is_ascii_digit());
        if is_single && count == 0 {
            return None;
        }
        let (own, others) = rest.split_at(count);
        let key = if place.starts_with('-') { "-" } else { place };
        taken.insert(key.to_owned(), own.join(" "));
        rest = others;
    }
    rest.is_empty().then_some(taken)
}

fn is_word_letter(c: char) -> bool {
    c.is_alphanumeric() || "_-.".contains(c)
}

fn filled(part: &str, taken: &HashMap<String, String>) -> String {
    taken.iter().fold(part.to_owned(), |part, (place, words)| part.replace(&format!("{{{place}}}"), words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_match_exactly() {
        let form = |from: &str, to: &str, line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            matched(from, &words).map(|taken| {
                let parts = to.split(' ').map(|part| filled(part, &taken)).filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join(" ")
            })
        };
        assert_eq!(form("netstat {-tulpn}", "ss {-}", "netstat -tul -pn"), Some("ss -tul -pn".into()));
        assert_eq!(form("netstat {-tulpn}", "ss {-}", "netstat -tulpnc"), None);
        assert_eq!(form("netstat {-tulpn}", "ss {-}", "netstat"), Some("ss".into()));
        assert_eq!(
            form("fd {1w}", "find . -iname '*{1w}*'", "fd notes.txt"),
            Some("find . -iname '*notes.txt*'".into())
        );
        assert_eq!(form("fd {1w}", "x", "fd ^a"), None);
        assert_eq!(form("fd {1w}", "x", "fd"), None);
        assert_eq!(
            form("service {1w} {2w}", "systemctl {2w} {1w}", "service ssh restart"),
            Some("systemctl restart ssh".into())
        );
        assert_eq!(form("gsed {**}", "sed {**}", "gsed -n 1p f"), Some("sed -n 1p f".into()));
        assert_eq!(form("cat {*}", "bat {*}", "cat -n f"), None);
    }

    #[test]
    fn the_table_is_well_formed() {
        for (name, equivalent) in EQUIVALENTS.iter() {
            assert!(!equivalent.instead.is_empty(), "{name}");
            for (from, to) in &equivalent.forms {
                assert_eq!(from.split(' ').next(), Some(name.as_str()), "{from}");
                for place in to.split('{').skip(1).filter_map(|part| part.split('}').next()) {
                    let is_taken =
                        from.contains(&format!("{{{place}")) || place == "-" && from.contains("{-");
                    assert!(is_taken, "{to}: {place} is not in {from}");
                }
                let dangerous = ["sudo", "rm", "dd", "mkfs", "-f", "-rf", "--force"];
                assert!(
                    !to.split(' ').any(|word| dangerous.contains(&word) && !from.contains(word))
                        || from.starts_with("tailf")
                        || from.starts_with("realpath"),
                    "{to}"
                );
            }
        }
    }
}
