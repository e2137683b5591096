//! Finds text that the current shell reads differently than it looks: history expansion, globs that match nothing,
//! `#` and `=` in zsh, `&` in URLs, `$` in double quotes, a quoted `~`, and forms of other shells in fish.

use super::ReportDraft;
use super::tools::{TOOLS, is_find, lists};
use super::walk::Walk;
use crate::finding::{Finding, FindingKind, Fix, Severity};
use crate::reference;
use askline_syntax::quoting::QuoteLexer;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, Parsed, SimpleCommand, Span, program_name};

/// Programs that take program text in which `$` has its own meaning: in the first operand, or in the value of the
/// listed options.
const SCRIPTED: [(&str, &[&str]); 7] = [
    ("awk", &[]),
    ("gawk", &[]),
    ("mawk", &[]),
    ("nawk", &[]),
    ("perl", &["-e", "-E"]),
    ("sh", &["-c"]),
    ("bash", &["-c"]),
];
/// Package installers whose package names may have `[extras]`.
const PACKAGERS: [&str; 6] = ["pip", "pip3", "uv", "pipx", "poetry", "pdm"];
/// Programs whose words may contain a literal quoted `~`.
const TILDE_TEXT: [&str; 14] = [
    "echo", "printf", "grep", "egrep", "rg", "sed", "awk", "perl", "ssh", "git", "sh", "bash", "print", "jq",
];

/// Adds findings about the line as a whole.
pub(super) fn check_line(parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    history(draft);
    addresses(parsed, draft);
    if !draft.shell.dialect().has_comments {
        comments(parsed, draft);
    }
    if draft.shell.is_fish() {
        foreign_to_fish(parsed, draft);
    }
}

/// Adds findings about one command.
pub(super) fn check_command(command: &SimpleCommand, walk: Option<&Walk>, draft: &mut ReportDraft<'_>) {
    if draft.shell.is_nushell() {
        return;
    }
    let Some(name) = command.name().map(program_name) else { return };
    let is_noglob = |nesting: &Nesting| matches!(nesting, Nesting::Wrapper(name) if name == "noglob");
    if !command.within.iter().any(is_noglob) && name != "noglob" {
        patterns(command, name, walk, draft);
        globs(command, name, draft);
    }
    tildes(command, name, draft);
    if draft.shell.dialect().has_equals_words {
        equals(command, name, draft);
    }
    if let Some(walk) = walk {
        dollars(command, name, walk, draft);
    }
}

/// Reports a `!` that expands to an earlier command. `clean` quotes it; the difference is the fix.
fn history(draft: &mut ReportDraft<'_>) {
    if draft.shell.dialect().history.is_none() || !draft.line.contains('!') {
        return;
    }
    let line = draft.line;
    let (quoted, is_left) = askline_syntax::clean::without_history(line, draft.shell);
    let text = "the shell would replace a `!` in it with an earlier command";
    if quoted != line {
        let (span, replacement) = difference(line, &quoted);
        let fix = Fix { span: span.clone(), replacement, change: "`!` quoted".to_owned() };
        draft.hazard(span, Severity::Error, text, Some(fix));
    } else if is_left {
        let at = line.find('!').unwrap_or_default();
        draft.hazard(at..at + 1, Severity::Warning, text, None);
    }
}

/// Returns the span in which two texts differ and its content in the second text.
fn difference(old: &str, new: &str) -> (Span, String) {
    let start: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let old_rest = old.get(start..).unwrap_or_default();
    let new_rest = new.get(start..).unwrap_or_default();
    let same = old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(|(a, b)| a == b);
    let end: usize = same.map(|(a, _)| a.len_utf8()).sum();
    let replacement = new_rest.get(..new_rest.len() - end).unwrap_or_default();
    (start..old.len() - end, replacement.to_owned())
}

/// Reports `https://host/?a=1&b=2`: the command would end at the `&` and run in the background.
fn addresses(parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    if !draft.shell.is_posix() {
        return;
    }
    for word in parsed.commands.iter().flat_map(|command| &command.words) {
        let Some(rest) = draft.line.get(word.span.end..) else { continue };
        let mut following = rest.chars();
        let is_cut = !word.quoted
            && word.text.contains("://")
            && word.text.contains('?')
            && following.next() == Some('&')
            && following.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_cut {
            continue;
        }
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let span = word.span.start..word.span.end + length;
        let fix = draft.single_quoted(span.clone(), 0);
        draft.hazard(span, Severity::Error, "the `&` ends the command; the address must be quoted", fix);
    }
}

/// Reports whether a "command" is only the rest of an unquoted URL after its `&`.
pub(super) fn is_cut_off(command: &SimpleCommand, line: &str) -> bool {
    let before = line.get(..command.span.start).and_then(|before| before.strip_suffix('&'));
    let cut = before.and_then(|before| before.rsplit(char::is_whitespace).next());
    cut.is_some_and(|address| address.contains("://") && address.contains('?'))
}

/// Reports `#`: at zsh's prompt it starts no comment unless `interactive_comments` is set.
fn comments(parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    for command in &parsed.commands {
        let mark = command.words.iter().skip(1).find(|word| {
            draft.line.get(word.span.clone()).is_some_and(|raw| raw == "#" || raw.starts_with("# "))
        });
        let Some(mark) = mark else { continue };
        let rest = draft.line.get(mark.span.start..).unwrap_or_default();
        let end = mark.span.start + rest.find('\n').unwrap_or(rest.len());
        // The words may be meant as arguments, so there is no fix that deletes them.
        let text = "at zsh's prompt `#` begins no comment; the words after it are arguments";
        draft.hazard(mark.span.start..end, Severity::Warning, text, None);
        return;
    }
}

/// Reports unquoted patterns that the command itself should read: `find -name *.txt`, `grep --include *.c`.
fn patterns(command: &SimpleCommand, name: &str, walk: Option<&Walk>, draft: &mut ReportDraft<'_>) {
    let Some(walk) = walk else { return };
    for (index, option) in &walk.values {
        let is_pattern = if is_find(name) {
            TOOLS.find.patterns.contains(option)
        } else {
            lists(&TOOLS.patterns, name, option)
        };
        let Some(word) = command.words.get(*index).filter(|word| is_pattern && word.glob) else { continue };
        let fix = draft.single_quoted(word.span.clone(), 0);
        let keeps = draft.shell.dialect().keeps_unmatched_patterns;
        let grade = if keeps { Severity::Warning } else { Severity::Error };
        let text = format!("the shell would expand the pattern of `{option}`; it must be quoted");
        draft.hazard(word.span.clone(), grade, &text, fix);
    }
}

/// Reports globs that cannot be meant for the shell, in shells that reject a glob without matches (zsh, fish).
fn globs(command: &SimpleCommand, name: &str, draft: &mut ReportDraft<'_>) {
    if draft.shell.dialect().keeps_unmatched_patterns {
        return;
    }
    let has_sets = !draft.shell.is_fish();
    for word in command.words.iter().skip(1).filter(|word| word.glob) {
        let raw = draft.line.get(word.span.clone()).unwrap_or_default();
        let value = raw.find('=').filter(|_| raw.starts_with('-')).map(|at| at + 1);
        let is_remote = matches!(name, "scp" | "rsync" | "sftp")
            && raw.split_once(':').is_some_and(|(host, path)| {
                !host.is_empty() && !host.contains(['/', '*', '?', '[']) && path.contains(['*', '?', '['])
            });
        let is_extra = has_sets && PACKAGERS.contains(&name) && raw.contains('[');
        let quoted_from = if raw.contains("://") || is_remote || is_extra { Some(0) } else { value };
        let Some(start) = quoted_from else { continue };
        let fix = draft.single_quoted(word.span.clone(), start);
        let text = format!(
            "{} would look for files that match `{raw}` and refuse the line; it must be quoted",
            draft.shell
        );
        draft.hazard(word.span.clone(), Severity::Error, &text, fix);
    }
}

/// Returns the length of bash's range at the start of a text, such as `{1..5}`, and the range in fish. `None` also with leading zeros,
/// which bash keeps and `seq` does not.
pub(crate) fn brace_range(text: &str) -> Option<(usize, String)> {
    let (range, _) = text.strip_prefix('{')?.split_once('}')?;
    let (first, last) = range.split_once("..")?;
    let number = |text: &str| {
        let is_plain =
            text.bytes().all(|byte| byte.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'));
        text.parse::<u32>().ok().filter(|_| is_plain)
    };
    let step = if number(first)? > number(last)? { "-1 " } else { "" };
    Some((range.len() + 2, format!("(seq {first} {step}{last})")))
}

/// Reports `"~/x"`: it is not a path in the home directory.
fn tildes(command: &SimpleCommand, name: &str, draft: &mut ReportDraft<'_>) {
    if TILDE_TEXT.contains(&name) {
        return;
    }
    let targets = command.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
    for word in command.words.iter().skip(1).chain(targets).filter(|word| word.quoted) {
        let Some(raw) = draft.line.get(word.span.clone()) else { continue };
        let Some(quote) = raw.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
        let Some(rest) = raw.get(1..).and_then(|rest| rest.strip_prefix("~/")) else { continue };
        // A longer text is not a path, so it is left alone.
        if word.text.contains([' ', '\n']) && word.text.contains([';', '|', '&']) {
            continue;
        }
        let bare = rest.strip_suffix(quote).filter(|rest| rest.chars().all(is_bare));
        let replacement = bare.map_or_else(|| format!("~/{quote}{rest}"), |rest| format!("~/{rest}"));
        let fix = Fix { span: word.span.clone(), change: "`~` out of the quotes".to_owned(), replacement };
        draft.hazard(
            word.span.clone(),
            Severity::Warning,
            "a quoted `~` is not your home directory",
            Some(fix),
        );
    }
}

fn is_bare(c: char) -> bool {
    c.is_alphanumeric() || "/._-+:@%,".contains(c)
}

/// Reports `=word`, which zsh reads as the path of a command; zsh also rejects `[ a == b ]`.
fn equals(command: &SimpleCommand, name: &str, draft: &mut ReportDraft<'_>) {
    if name == "[[" {
        return;
    }
    for word in command.words.iter().skip(1).filter(|word| !word.quoted) {
        let Some(rest) = draft.line.get(word.span.clone()).and_then(|raw| raw.strip_prefix('=')) else {
            continue;
        };
        if rest.is_empty() || rest.starts_with('(') {
            continue;
        }
        let is_test = matches!(name, "[" | "test");
        let is_command = !matches!(draft.reference.known(&[rest]).kind, reference::CommandKind::Missing);
        if is_command && !is_test {
            continue;
        }
        let fix = if is_test && rest == "=" {
            let change = "== → =".to_owned();
            Some(Fix { span: word.span.clone(), replacement: "=".to_owned(), change })
        } else {
            draft.single_quoted(word.span.clone(), 0)
        };
        let text =
            format!("zsh reads `={rest}` as the path of a command named `{rest}` and refuses the line");
        draft.hazard(word.span.clone(), Severity::Error, &text, fix);
    }
}

/// Reports `awk "{print $1}"`: the shell inserts its own, empty `$1`.
fn dollars(command: &SimpleCommand, name: &str, walk: &Walk, draft: &mut ReportDraft<'_>) {
    let Some((_, options)) = SCRIPTED.iter().find(|(program, _)| *program == name) else { return };
    // Inside a function or a script, `$1` is an argument of that function or script.
    let has_arguments = command.within.iter().any(|nesting| match nesting {
        Nesting::Function => true,
        Nesting::Wrapper(name) => name.ends_with("sh"),
        _ => false,
    });
    let index = if options.is_empty() {
        walk.operands.first().copied()
    } else {
        let is_script = |used: &str| options.contains(&used);
        walk.values.iter().find(|(_, option)| is_script(option)).map(|(index, _)| *index)
    };
    let Some(word) = index.and_then(|index| command.words.get(index)).filter(|_| !has_arguments) else {
        return;
    };
    let Some(raw) = draft.line.get(word.span.clone()) else { return };
    let Some(inner) = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) else { return };
    if !has_field(raw, draft.shell) {
        return;
    }
    let plain = inner.replace("\\\"", "\"");
    let is_convertible = !plain.contains(['\'', '\\', '`'])
        && !plain.contains("$(")
        && !plain.contains("${")
        && only_fields(&plain);
    let fix = is_convertible.then(|| Fix {
        span: word.span.clone(),
        replacement: format!("'{plain}'"),
        change: "single quotes around the program".to_owned(),
    });
    let text = format!("inside double quotes the shell expands the `$` meant for {name}");
    draft.hazard(word.span.clone(), Severity::Error, &text, fix);
}

/// Reports whether a text in double quotes contains an unescaped `$1`, `$NF`, `$@` or `$_`, other than in a substitution,
/// which has quotes of its own.
fn has_field(raw: &str, shell: Shell) -> bool {
    let mut reader = QuoteLexer::new(shell);
    let mut is_escaped = false;
    raw.char_indices().any(|(at, c)| {
        let is_own = reader.in_double_quotes() && reader.nesting() == 0;
        reader.read(c);
        let is_dollar = c == '$' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_own && is_dollar && raw.get(at + 1..).is_some_and(begins_field)
    })
}

/// Reports whether every `$` of the text starts a field, which excludes shell variables.
fn only_fields(text: &str) -> bool {
    text.split('$').skip(1).all(begins_field)
}

fn begins_field(rest: &str) -> bool {
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let is_number = !name.is_empty() && name.chars().all(|c| c.is_ascii_digit());
    is_number || matches!(name.as_str(), "NF" | "NR" | "_") || name.is_empty() && rest.starts_with(['@', '*'])
}

/// Reports forms of bash and zsh that fish reads differently or rejects.
fn foreign_to_fish(parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    for command in &parsed.commands {
        if command.words.is_empty() && !command.assignments.is_empty() && command.redirections.is_empty() {
            assignment(command, draft);
        }
        // fish reads `[[ … ]]` with all its blanks as one word.
        if let Some(word) = command.words.first().filter(|word| word.text.starts_with("[[")) {
            // No fix: single brackets differ, since an unset variable leaves no word in them.
            draft.hazard(word.span.clone(), Severity::Error, "fish has no `[[`; its test is `[`", None);
        }
    }
    let mut reader = QuoteLexer::new(draft.shell);
    let mut backquote: Option<(usize, bool)> = None;
    let mut done = 0;
    let mut is_escaped = false;
    for (at, c) in draft.line.char_indices() {
        let (is_plain, is_double) = (reader.is_plain(), reader.in_double_quotes());
        reader.read(c);
        let was_escaped = is_escaped;
        is_escaped = c == '\\' && !was_escaped;
        if at < done || was_escaped || !is_plain && !is_double {
            continue;
        }
        let rest = draft.line.get(at..).unwrap_or_default();
        if c == '$'
            && let Some((length, replacement)) = fish_variable(rest, is_double)
            && !draft.is_covered(at)
        {
            done = at + length;
            let old = rest.get(..length).unwrap_or_default();
            let change = format!("{old} → {replacement}");
            let text = format!("fish has no `{old}`; it is `{replacement}`");
            let fix = Fix { span: at..done, replacement, change };
            draft.hazard(at..done, Severity::Error, &text, Some(fix));
        } else if c == '{'
            && is_plain
            && let Some((length, replacement)) = brace_range(rest)
        {
            done = at + length;
            let old = rest.get(..length).unwrap_or_default();
            let change = format!("{old} → {replacement}");
            let text = format!("fish takes `{old}` as it is; its range is `{replacement}`");
            let fix = Fix { span: at..done, replacement, change };
            draft.hazard(at..done, Severity::Error, &text, Some(fix));
        } else if c == '`' {
            match backquote.take() {
                Some((start, was_double)) if was_double == is_double => {
                    let inner = draft.line.get(start + 1..at).unwrap_or_default();
                    let dollar = if is_double { "$" } else { "" };
                    let fix = (!inner.contains('\\')).then(|| Fix {
                        span: start..at + 1,
                        replacement: format!("{dollar}({inner})"),
                        change: "backquotes → ( )".to_owned(),
                    });
                    draft.hazard(
                        start..at + 1,
                        Severity::Error,
                        "fish reads backquotes as plain characters",
                        fix,
                    );
                }
                _ => backquote = Some((at, is_double)),
            }
        } else if is_plain && rest.starts_with("<<") {
            done = at + rest.chars().take_while(|c| *c == '<').count();
            let what = if rest.starts_with("<<<") { "`<<<`" } else { "here-documents" };
            draft.hazard(
                at..done,
                Severity::Error,
                &format!("fish has no {what}; pipe the text in with `echo` or `printf`"),
                None,
            );
        }
    }
}

/// Returns the fish form of a bash variable with the byte length of the old form.
fn fish_variable(rest: &str, is_double: bool) -> Option<(usize, String)> {
    let mut following = rest.chars().skip(1);
    let next = following.next()?;
    let begins_name = |c: char| c.is_alphanumeric() || c == '_';
    let fixed = |name: &str| Some((2, name.to_owned()));
    match next {
        '?' => fixed("$status"),
        // `$$name` is the value of the variable that `$name` names.
        '$' if !following.next().is_some_and(begins_name) => fixed("$fish_pid"),
        '!' => fixed("$last_pid"),
        '@' | '*' => fixed("$argv"),
        '#' if !is_double => fixed("(count $argv)"),
        '1'..='9' => Some((2, format!("$argv[{next}]"))),
        '{' => {
            let name: String = following.take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let length = 2 + name.len() + 1;
            let is_closed = !name.is_empty() && rest.get(length - 1..length) == Some("}");
            let after = rest.get(length..).and_then(|rest| rest.chars().next());
            let runs_on = after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '[');
            let replacement = match (is_double, runs_on) {
                (_, false) => format!("${name}"),
                (false, true) => format!("{{${name}}}"),
                (true, true) => return None,
            };
            is_closed.then_some((length, replacement))
        }
        _ => None,
    }
}

/// Reports a line that is only `NAME=value`.
fn assignment(command: &SimpleCommand, draft: &mut ReportDraft<'_>) {
    let parts: Option<Vec<String>> = command
        .assignments
        .iter()
        .map(|word| {
            let (name, value) = draft.line.get(word.span.clone())?.split_once('=')?;
            Some(format!("set {name} {value}").trim_end().to_owned())
        })
        .collect();
    let fix = parts.map(|parts| Fix {
        span: command.span.clone(),
        replacement: parts.join("; "),
        change: "NAME=value → set NAME value".to_owned(),
    });
    draft.hazard(command.span.clone(), Severity::Error, "fish sets a variable with `set`", fix);
}

impl ReportDraft<'_> {
    fn hazard(&mut self, span: Span, grade: Severity, text: &str, fix: Option<Fix>) {
        self.report.findings.push(Finding {
            kind: FindingKind::Quoting,
            span,
            grade,
            text: text.to_owned(),
            evidence: format!("how {} reads a line", self.shell),
            fixes: Vec::from_iter(fix),
        });
    }

    /// Returns a fix that puts single quotes around a span from byte `from` on; `None` if single quotes would change
    /// its content.
    fn single_quoted(&self, span: Span, from: usize) -> Option<Fix> {
        let raw = self.line.get(span.clone())?;
        let (kept, value) = raw.split_at_checked(from)?;
        let is_plain = !value.contains(['\'', '"', '\\', '$', '`', '\n']) && !value.starts_with('~');
        is_plain.then(|| Fix {
            span,
            replacement: format!("{kept}'{value}'"),
            change: format!("{value} → '{value}'"),
        })
    }

    fn is_covered(&self, at: usize) -> bool {
        self.report
            .findings
            .iter()
            .any(|finding| finding.kind == FindingKind::Quoting && finding.span.contains(&at))
    }
}
