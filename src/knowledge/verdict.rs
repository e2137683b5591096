//! Interpretation of a shell's answer about a line that it parsed without running. Pure functions: shell output in,
//! verdict out.
//!
//! Each shell has pitfalls. bash accepts an unfinished `[[` and only prints a complaint. zsh negates its exit status
//! on `!`, expands words and therefore opens the files of `$(<file)`, and accepts a trailing `&&`. fish reports
//! nothing by its status with `-c`, so it reads standard input. Nushell accepts a trailing pipe.

use serde::Deserialize;

use askline_host::Output;
use askline_syntax::Span;
use askline_syntax::shell::Shell;

/// Maximum length of a stored message, in characters.
const MESSAGE_MAX: usize = 200;

/// Verdict of a shell on a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyntaxVerdict {
    /// `true` if the shell would accept the line; `None` if it could not be asked or its answer is unclear.
    pub ok: Option<bool>,
    /// Error message in the shell's own words; empty if there is none.
    pub message: String,
    /// Position of the error in the line, if known.
    pub span: Option<Span>,
}

impl SyntaxVerdict {
    fn refused(message: &str, span: Option<Span>) -> Self {
        Self { ok: Some(false), message: message.trim().chars().take(MESSAGE_MAX).collect(), span }
    }

    fn accepted() -> Self {
        Self { ok: Some(true), ..Self::default() }
    }
}

/// A shell's way to check a line without running it.
struct Manner {
    /// `true` if the shell may read files that the line names.
    reads_files: bool,
    /// Operators that the shell wrongly accepts at the end of a line.
    open_operators: &'static [&'static str],
    /// Converts the answer about a line.
    read: fn(&str, &Output) -> SyntaxVerdict,
}

fn manner(shell: Shell) -> Manner {
    match shell {
        Shell::Bash => Manner { reads_files: false, open_operators: &[], read: of_bash },
        Shell::Zsh => Manner { reads_files: true, open_operators: &["&&", "||"], read: of_zsh },
        Shell::Fish => Manner { reads_files: false, open_operators: &[], read: of_fish },
        Shell::Nu => Manner { reads_files: false, open_operators: &["|"], read: of_nu },
    }
}

/// Reports whether the shell may be asked about the line at all.
pub(super) fn may_be_asked(shell: Shell, line: &str) -> bool {
    !(line.contains('\0') || manner(shell).reads_files && may_read_files(line))
}

/// Reports whether zsh could read a file while it parses the line. zsh expands words, including `$(<file)` in all its
/// forms, such as `$(0<file)` or with a comment before it. A named pipe would block it forever, and a device would
/// fill the memory. Unclear cases count as reading.
fn may_read_files(line: &str) -> bool {
    // zsh joins continued lines, even between `$` and `(`.
    let line = line.replace("\\\n", "");
    let after = |opening: &'static str| {
        line.match_indices(opening).filter_map(|(start, _)| line.get(start + opening.len()..))
    };
    let holds_redirection = |rest: &str| {
        let inside = rest.split(')').next().unwrap_or_default();
        // With quotes, nesting or a comment inside, the first `)` may not be the end.
        let is_sure = !inside.contains(['\'', '"', '\\', '#', '(', '`']);
        (if is_sure { inside } else { rest }).contains('<')
    };
    // `${(e)…}` performs substitutions in a text, even if the characters are encoded there.
    let may_evaluate = |rest: &str| {
        let flags = rest.split(')').next().unwrap_or_default();
        flags.contains('e') || !flags.chars().all(|c| c.is_ascii_alphabetic() || c == '@')
    };
    after("$(").any(holds_redirection)
        || after("${(").any(may_evaluate)
        || line.contains('`') && line.contains('<')
}

/// Converts the shell's answer about `line` into a verdict.
pub(super) fn of_answer(shell: Shell, line: &str, answer: &Output) -> SyntaxVerdict {
    if let Some(operator) = open_operator(shell, line) {
        let end = line.trim_end().len();
        let span = Some(end.saturating_sub(operator.len())..end);
        return SyntaxVerdict::refused(&format!("a command must follow `{operator}`"), span);
    }
    (manner(shell).read)(line, answer)
}

/// Beginnings of what bash says that is no complaint about a line.
const NO_COMPLAINTS: [&str; 2] = ["warning: ", "error retrieving current directory"];

fn of_bash(line: &str, answer: &Output) -> SyntaxVerdict {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    // The status is 0 after some errors: `[[ -f x ]`.
    // Nor is it a complaint about the line that the directory is gone in which bash was started.
    let is_about_line = |text: &str| !NO_COMPLAINTS.iter().any(|start| text.starts_with(start));
    let is_complaint = |text: &&str| !text.is_empty() && is_about_line(text);
    match stderr.lines().map(after_program).find(is_complaint) {
        Some(text) => SyntaxVerdict::refused(text, near(line, text)),
        None if answer.success => SyntaxVerdict::accepted(),
        None => SyntaxVerdict::default(),
    }
}

fn of_zsh(line: &str, answer: &Output) -> SyntaxVerdict {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let complaints = ["parse error", "unmatched", "closing brace expected"];
    let says = |text: &&str| complaints.iter().any(|complaint| text.starts_with(complaint));
    // Nothing is run, but a `!` negates the status anyway.
    let is_turned = || stderr.trim().is_empty() && line.split_whitespace().any(|word| word == "!");
    match stderr.lines().map(after_program).find(says) {
        Some(text) => SyntaxVerdict::refused(text, near(line, text)),
        None if answer.success || is_turned() => SyntaxVerdict::accepted(),
        None => SyntaxVerdict::default(),
    }
}

/// Returns the trailing operator that this shell wrongly accepts at the end of a line.
fn open_operator(shell: Shell, line: &str) -> Option<&'static str> {
    let line = line.trim_end();
    // A comment may end in anything.
    if line.contains('#') {
        return None;
    }
    manner(shell).open_operators.iter().copied().find(|operator| {
        line.strip_suffix(operator).is_some_and(|before| !before.ends_with('\\') && !before.trim().is_empty())
    })
}

/// Returns the message in `bash: line 1: syntax error …`, without program and line number.
fn after_program(text: &str) -> &str {
    let text = text.split_once(": ").map_or(text, |(_program, rest)| rest);
    match text.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
        Some((number, rest)) if number.chars().all(|c| c.is_ascii_digit()) => rest,
        _ => text,
    }
}

/// Returns the position of the quoted token of a message, if it occurs only once in the line.
fn near(line: &str, message: &str) -> Option<Span> {
    let (_, quoted) = message.split_once('`')?;
    let token = quoted.strip_suffix('\'')?;
    let start = line.find(token).filter(|_| !token.is_empty())?;
    (line.rfind(token) == Some(start)).then(|| start..start + token.len())
}

/// Parses fish's output: a message, the line, and a caret below the error position.
fn of_fish(line: &str, answer: &Output) -> SyntaxVerdict {
    if answer.success {
        return SyntaxVerdict::accepted();
    }
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let mut rows = stderr.lines();
    let Some(message) = rows.by_ref().map(after_program).find(|row| !row.trim().is_empty()) else {
        return SyntaxVerdict::default();
    };
    let place = rows.next().zip(rows.next()).and_then(|(shown, caret)| {
        let column = caret.chars().position(|c| c == '^')?;
        let start = line.find(shown).filter(|_| !shown.is_empty())?;
        let (within, marked) = shown.char_indices().nth(column)?;
        Some(start + within..start + within + marked.len_utf8())
    });
    SyntaxVerdict::refused(message, place)
}

/// A row of `nu --ide-check`.
#[derive(Deserialize)]
struct Diagnostic {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    severity: String,
    #[serde(default)]
    message: String,
    span: Option<Ends>,
}

#[derive(Deserialize)]
struct Ends {
    start: usize,
    end: usize,
}

/// Messages that a fresh, sandboxed Nushell gives for the user's own variables, modules, overlays and scripts.
const UNKNOWABLE: [&str; 5] =
    ["Variable not found", "Module not found", "overlay not found", "Module file", "File not found"];

fn of_nu(line: &str, answer: &Output) -> SyntaxVerdict {
    let stdout = String::from_utf8_lossy(&answer.stdout);
    let rows = stdout.lines().filter_map(|row| serde_json::from_str::<Diagnostic>(row).ok());
    let mut errors = rows.filter(|row| row.kind == "diagnostic" && row.severity == "Error").peekable();
    if errors.peek().is_none() {
        return SyntaxVerdict::accepted();
    }
    let mut known = errors.filter(|row| !UNKNOWABLE.iter().any(|text| row.message.contains(text)));
    let Some(row) = known.next() else { return SyntaxVerdict::default() };
    let span = row.span.map(|ends| ends.start..ends.end).filter(|span| line.get(span.clone()).is_some());
    SyntaxVerdict::refused(&row.message, span)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(shell: Shell, line: &str, success: bool, stdout: &str, stderr: &str) -> SyntaxVerdict {
        of_answer(shell, line, &Output { success, stdout: stdout.into(), stderr: stderr.into() })
    }

    #[test]
    fn bash_by_what_it_says_and_its_status() {
        let stderr = "bash: line 1: syntax error near unexpected token `)'\nbash: line 1: `ls ) a'\n";
        let found = verdict(Shell::Bash, "ls ) a", false, "", stderr);
        assert_eq!(found, SyntaxVerdict::refused("syntax error near unexpected token `)'", Some(3..4)));
        let warned = "bash: line 3: warning: here-document at line 1 delimited by end-of-file (wanted `E')\n";
        assert_eq!(verdict(Shell::Bash, "cat <<E", true, "", warned).ok, Some(true));
        assert_eq!(verdict(Shell::Bash, "ls", false, "", "").ok, None, "it ended without a word");
        assert_eq!(verdict(Shell::Bash, "ls", false, "", warned).ok, None, "no complaint");
        let gone = "shell-init: error retrieving current directory: getcwd: cannot access parent directories: \
                    No such file or directory\n";
        assert_eq!(verdict(Shell::Bash, "ls", true, "", gone).ok, Some(true));
        let half = "bash: line 1: syntax error in conditional expression\n";
        let found = verdict(Shell::Bash, "[[ -f x ]", true, "", half);
        assert_eq!(found, SyntaxVerdict::refused("syntax error in conditional expression", None));
    }

    #[test]
    fn zsh_by_what_it_says() {
        assert_eq!(
            verdict(Shell::Zsh, "! true", false, "", "").ok,
            Some(true),
            "the status is not the verdict"
        );
        for (line, stderr) in
            [("ls", ""), ("! ls", "zsh: out of memory\n"), ("ls ${a b}", "zsh:1: bad substitution\n")]
        {
            assert_eq!(
                verdict(Shell::Zsh, line, false, "", stderr).ok,
                None,
                "{line}: it did not read to the end"
            );
        }
        let open = verdict(Shell::Zsh, "ls ${", false, "", "zsh:1: closing brace expected\n");
        assert_eq!(open.ok, Some(false));
        let found = verdict(Shell::Zsh, "ls )", true, "", "zsh: parse error near `)'\n");
        assert_eq!((found.ok, found.span), (Some(false), Some(3..4)));
        assert_eq!(verdict(Shell::Zsh, "echo \"a", true, "", "zsh: unmatched \"\n").ok, Some(false));
        let open = verdict(Shell::Zsh, "ls && ", true, "", "");
        assert_eq!(open, SyntaxVerdict::refused("a command must follow `&&`", Some(3..5)));
        for line in ["echo 'a &&'", "ls # &&", r"echo \||", "ls &"] {
            assert_eq!(verdict(Shell::Zsh, line, true, "", "").ok, Some(true), "{line}");
        }
    }

    #[test]
    fn zsh_is_not_asked_where_it_would_open_files() {
        for line in [
            "echo $(<x)",
            "echo $( <x)",
            "echo `<x`",
            "a=$(\n<x)",
            "echo $(<x",
            "echo $(0<x)",
            "echo \"$(0<x)\"",
            "echo $(\\\n<x)",
            "echo $\\\n(<x)",
            "echo $(#c\n<x)",
            "echo $(#)\n<x)",
            "echo $(cat $(<x))",
            "echo `0<x`",
            "echo ${x:-$(<x)}",
            "cat <$(0<x)",
            "echo ${(e):-'$(<x)'}",
            r"echo ${(e):-$'\x24(\x3cx)'}",
            "echo ${(s:):e)x}",
        ] {
            assert!(!may_be_asked(Shell::Zsh, line), "{line}");
            assert!(may_be_asked(Shell::Bash, line), "{line}");
        }
        for line in ["sort <(ls) <x $(cat x)", "for f in $(ls); do wc <$f; done", "echo ${(f)x} ${(@)y} <z"] {
            assert!(may_be_asked(Shell::Zsh, line), "{line}");
        }
        assert!(!may_be_asked(Shell::Bash, "a\0b"));
    }

    #[test]
    fn fish_shows_the_place() {
        let stderr = "fish: Unexpected ')' for unopened parenthesis\nécho ) a\n     ^\n";
        let found = verdict(Shell::Fish, "écho ) a", false, "", stderr);
        assert_eq!(found, SyntaxVerdict::refused("Unexpected ')' for unopened parenthesis", Some(6..7)));
        assert_eq!(verdict(Shell::Fish, "", false, "", "\n\n").ok, None);
        assert_eq!(verdict(Shell::Fish, "x", false, "", "fish: a: b\n^\n").ok, Some(false));
    }

    #[test]
    fn nushell_by_its_rows() {
        let row = |message: &str, start, end| {
            format!(
                r#"{{"type":"diagnostic","severity":"Error","message":"{message}","span":{{"start":{start},"end":{end}}}}}"#
            )
        };
        let flag = "The `ls` command doesn't have flag `badflag`.";
        let found = verdict(Shell::Nu, "ls --badflag", true, &row(flag, 3, 12), "");
        assert_eq!(found, SyntaxVerdict::refused(flag, Some(3..12)));
        assert_eq!(verdict(Shell::Nu, "ls", true, &row("x", 3, 12), "").span, None, "a place outside");
        assert_eq!(verdict(Shell::Nu, "$x", true, &row("Variable not found.", 0, 2), "").ok, None);
        let both = format!("{}\n{}", row("Variable not found.", 0, 2), row("no", 0, 1));
        assert_eq!(verdict(Shell::Nu, "$x)", true, &both, "").ok, Some(false));
        assert_eq!(verdict(Shell::Nu, "ls", true, "{\"type\":\"hint\"}\nnoise\n", "").ok, Some(true));
        assert_eq!(verdict(Shell::Nu, "ls |", true, "", "").span, Some(3..4));
    }
}
