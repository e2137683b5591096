//! Command words: whether there is such a command here, and what else would do. Nearest names for slips, a table of
//! equivalents (`equivalents.toml`) for what is at home elsewhere.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::tools::{TOOLS, base};
use super::{Draft, Finding, Fix, Grade, Kind, hazards, nearest};
use crate::catalogue::Card;
use crate::reference::{self, Reference};
use crate::shell::Shell;
use crate::syntax::{self, Parsed, SimpleCommand, Span, Word};

/// Missing commands of one line for which the nearest name is looked for: a line with more of them is no slip of the keys.
pub(super) const MAX_GUESSES: usize = 4;
/// Commands of Nushell's own that are named where their last word stands alone.
const MAX_BELOW: usize = 3;

/// Files of one command that are looked for before a name is guessed.
const MAX_FILES: usize = 8;

/// Commands by the name that is missing.
static EQUIVALENTS: LazyLock<HashMap<String, Equivalent>> = LazyLock::new(|| {
    toml::from_str(include_str!("equivalents.toml")).expect("equivalents.toml is checked by a test")
});

/// What does the job of a missing command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Equivalent {
    instead: Vec<String>,
    #[serde(default)]
    forms: Vec<(String, String)>,
}

/// What became of a command word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is here, and its options can be looked up.
    Here,
    /// It can't be looked up: expanded by the shell, run elsewhere, missing.
    NotChecked,
}

/// Looks a command word up and adds a finding when it is missing.
pub(super) fn check(command: &SimpleCommand, parsed: &Parsed, draft: &mut Draft<'_>) -> Presence {
    let Some(name) = command.name().filter(|name| !name.is_empty()) else { return Presence::NotChecked };
    if command.runs_elsewhere() || hazards::is_cut_off(command, draft.line) {
        return Presence::NotChecked;
    }
    // What fish makes of it is said among the hazards.
    if draft.shell == Shell::Fish && name.starts_with("[[") {
        return Presence::NotChecked;
    }
    if name.contains('/') {
        return path(command, name, parsed, draft);
    }
    if defines(draft.line, name) {
        draft.report.commands_found += 1;
        return Presence::NotChecked;
    }
    if !is_missing(&draft.looked_up(command, name), draft.reference) {
        draft.report.commands_found += 1;
        deprecated(command, name, draft);
        return Presence::Here;
    }
    draft.report.commands_missing += 1;
    missing(command, name, parsed, draft);
    Presence::NotChecked
}

/// Whether something earlier in the line may have made files, brought commands or changed the directory.
pub(super) fn may_have_changed(command: &SimpleCommand, parsed: &Parsed) -> bool {
    let before = parsed.commands.iter().filter(|other| other.span.start < command.span.start);
    before.into_iter().any(|other| {
        let is_bystander =
            other.words.is_empty() || other.name().is_some_and(|name| TOOLS.bystanders.contains(base(name)));
        !is_bystander || other.redirections.iter().any(|redirection| redirection.operator.contains('>'))
    })
}

/// Whether a name is that of a program which people know, installed here or not.
pub fn is_well_known(name: &str) -> bool {
    TOOLS.well_known.contains(name)
}

fn is_missing(name: &str, reference: &dyn Reference) -> bool {
    matches!(reference.known(&[name]).kind, reference::Kind::Missing)
}

/// Whether a command may stand behind a pipe in Nushell.
fn takes_input(name: &str, reference: &dyn Reference) -> bool {
    match reference.known(&[name]).kind {
        reference::Kind::Program { .. } => TOOLS.filters.contains(name),
        reference::Kind::Builtin => {
            reference.own_commands().is_none_or(|own| own.get(name).is_none_or(Card::takes_input))
        }
        reference::Kind::Function | reference::Kind::Alias(_) => true,
        reference::Kind::Missing => false,
    }
}

/// A command named by its path.
fn path(command: &SimpleCommand, name: &str, parsed: &Parsed, draft: &mut Draft<'_>) -> Presence {
    match draft.reference.exists(name) {
        Some(false) if !may_have_changed(command, parsed) => {
            draft.report.commands_missing += 1;
            draft.report.findings.push(Finding {
                kind: Kind::CommandMissing,
                span: command.words.first().map_or(0..0, |word| word.span.clone()),
                grade: Grade::Error,
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

/// Whether the line itself defines the command: `f() { …`, `function f`, `alias f=…`.
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

fn missing(command: &SimpleCommand, name: &str, parsed: &Parsed, draft: &mut Draft<'_>) {
    let reference = draft.reference;
    let Some(word) = command.words.first() else { return };
    let mut text = format!("there is no command `{name}` here");
    let mut fixes = Vec::new();
    if let Some(equivalent) = EQUIVALENTS.get(name) {
        let installed: Vec<&String> =
            equivalent.instead.iter().filter(|other| !is_missing(other, reference)).collect();
        if let Some(other) = installed.first() {
            text.push_str(&format!("; `{other}` does this job"));
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
        // A slip spares the first letter, and a command of good name that isn't installed is no slip.
        let is_likely =
            |other: &&str| other.chars().next() == name.chars().next() || nearest::same_letters(other, name);
        // What a pipe of Nushell leads to must read it.
        let is_fed = draft.shell == Shell::Nu && 0 < command.position;
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
    let may_be_brought = parsed.commands.iter().any(|other| {
        other.span.start < command.span.start
            && other.name().is_some_and(|name| TOOLS.installers.contains(base(name)))
    });
    draft.report.findings.push(Finding {
        kind: Kind::CommandMissing,
        span: word.span.clone(),
        grade: if may_be_brought { Grade::Hint } else { Grade::Error },
        text,
        evidence: "looked up on PATH and among builtins, functions and aliases".to_owned(),
        fixes,
    });
}

/// The commands of Nushell's own whose last word a name is: `sqrt` was meant as `math sqrt` rather than as anything that
/// is written like it.
fn below_another(name: &str, shell: Shell) -> Option<String> {
    let is_below = |own: &&String| own.rsplit_once(' ').is_some_and(|(_, last)| last == name);
    let own = syntax::nushell_commands().iter().filter(|_| shell == Shell::Nu).filter(is_below);
    let own: Vec<String> = own.take(MAX_BELOW).map(|own| format!("`{own}`")).collect();
    (!own.is_empty()).then(|| own.join(" and "))
}

/// Whether a command that nothing is piped into could be called so: one that reads the files it is given is not where none of
/// them is there, nor is one for lines where it is given numbers, as in `sort 16`. What is expanded may be there, a word behind an
/// option may be its value, and after a `cd` files are elsewhere.
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
    let mut files = operands.skip(before).take(MAX_FILES).peekable();
    let may_be_there = |word: &Word| !word.literal || reference.exists(&word.text) != Some(false);
    0 < command.position || files.peek().is_none() || files.any(may_be_there)
}

/// Whether the word behind a command is one of the subcommands that another one documents: `gut status` is no other program.
fn takes_first(name: &str, command: &SimpleCommand, reference: &dyn Reference) -> bool {
    let Some(word) = command.words.get(1).filter(|word| word.literal && !word.text.starts_with('-')) else {
        return false;
    };
    let known = reference.known(&[name]);
    known.manual.as_ref().is_some_and(|manual| manual.subcommands.iter().any(|sub| sub.name == word.text))
}

/// Commands that advise against themselves.
fn deprecated(command: &SimpleCommand, name: &str, draft: &mut Draft<'_>) {
    let (Some(new), Some(word)) = (TOOLS.deprecated.get(name), command.words.first()) else { return };
    if is_missing(new.split(' ').next().unwrap_or(new), draft.reference) {
        return;
    }
    let fix = Fix { span: word.span.clone(), replacement: new.clone(), change: format!("{name} → {new}") };
    draft.report.findings.push(Finding {
        kind: Kind::Deprecated,
        span: word.span.clone(),
        grade: Grade::Hint,
        text: format!("`{name}` is obsolete; `{new}` does the same"),
        evidence: "our table of obsolete commands".to_owned(),
        fixes: vec![fix],
    });
}

/// The edit that puts the form `to` in the place of a command that has the form `from`.
pub(crate) fn rewritten(command: &SimpleCommand, from: &str, to: &str, line: &str) -> Option<Fix> {
    let words = &command.words;
    let span: Span = words.first()?.span.start..words.last()?.span.end;
    // A redirection between the words would be lost.
    let is_whole = command.redirections.iter().all(|r| r.span.end <= span.start || span.end <= r.span.start);
    let raw: Vec<&str> = words.iter().map(|word| line.get(word.span.clone())).collect::<Option<_>>()?;
    // Nushell's own names may have several words.
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

/// The words that the places of a form stand for; none when the command has another form.
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
