//! Wrapping that models put around a command: thoughts, fences, prompt signs, labels, list markers, `code`,
//! glosses.
//!
//! Each function removes one kind of wrapping, or reports that there is none.

use askline_syntax::quoting::QuoteLexer;
use askline_syntax::shell::Shell;

/// Maximum number of thought blocks in one reply; further ones are read as an answer.
const THOUGHTS_MAX: usize = 8;
/// Maximum length, in bytes, of a prompt sign such as `user@host:~/dir$ `.
const PROMPT_BYTES_MAX: usize = 80;

const THOUGHTS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
];
const TAGS: &[(&str, &str)] = &[
    ("<command>", "</command>"),
    ("<cmd>", "</cmd>"),
    ("<answer>", "</answer>"),
    ("<code>", "</code>"),
    ("<bash>", "</bash>"),
    ("<shell>", "</shell>"),
];
const END_MARKS: &[&str] =
    &["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|end_of_text|>", "</s>", "<end_of_turn>"];
const SHELL_TAGS: &[&str] = &[
    "bash",
    "sh",
    "shell",
    "zsh",
    "fish",
    "nu",
    "nushell",
    "console",
    "terminal",
    "shell-session",
    "sh-session",
    "shellsession",
    "shellscript",
    "bash-session",
    "cmd",
    "command",
];
const LABELS: &[&str] = &[
    "command",
    "the command",
    "cmd",
    "answer",
    "solution",
    "bash",
    "zsh",
    "fish",
    "nu",
    "nushell",
    "shell",
    "bash command",
    "zsh command",
    "fish command",
    "nu command",
    "nushell command",
    "shell command",
    "final answer",
    "run",
    "use",
    "try",
    "or",
    "output command",
    "suggested command",
    "suggestion",
];
/// Last words of a sentence that introduces the command after its colon.
const ANNOUNCING: &[&str] = &[
    "command",
    "commands",
    "run",
    "use",
    "try",
    "type",
    "execute",
    "follows",
    "following",
    "this",
    "with",
    "is",
];

/// Removes `<think>…</think>`. An unclosed thought takes the whole reply.
pub(super) fn without_thoughts(reply: &str) -> &str {
    let mut text = reply.trim_start();
    for _ in 0..THOUGHTS_MAX {
        let Some((open, close)) = THOUGHTS.iter().find(|(open, _)| text.starts_with(open)) else { break };
        let (_, inner) = text.split_at(open.len());
        text = inner.split_once(close).map_or("", |(_, after)| after.trim_start());
    }
    // A chat template may have opened the thought before the reply began.
    THOUGHTS
        .iter()
        .find_map(|(_, close)| text.rsplit_once(&format!("{close}\n")))
        .map_or(text, |(_, after)| after)
}

/// Removes the marks with which models end their turn.
pub(super) fn without_end_marks(text: &str) -> &str {
    let text = text.trim();
    END_MARKS.iter().find_map(|mark| text.strip_suffix(mark)).unwrap_or(text).trim_end()
}

/// Returns the text between `<command>` and `</command>`, or the text itself.
pub(super) fn without_tags(text: &str) -> &str {
    let inner = TAGS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?;
        Some(inner.split_once(close).map_or(inner, |(inner, _)| inner).trim())
    });
    inner.unwrap_or(text)
}

/// The opening line of a fenced block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence<'a> {
    sign: char,
    length: usize,
    /// Number of leading blanks, in bytes.
    pub(super) indent: usize,
    /// Text after the fence characters.
    pub(super) rest: &'a str,
}

/// Parses a line that opens a fence: three or more `` ` `` or `~`.
pub(super) fn fence(line: &str) -> Option<Fence<'_>> {
    let inner = line.trim_start();
    let sign = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = inner.trim_start_matches(sign);
    let length = inner.len() - rest.len();
    (3 <= length).then(|| Fence { sign, length, indent: line.len() - inner.len(), rest: rest.trim() })
}

impl<'a> Fence<'a> {
    /// Returns the content of a block on one line: ```` ```ls``` ````.
    pub(super) fn inline(&self) -> Option<&'a str> {
        let content = self.rest.trim_end_matches(self.sign);
        let closed = 3 <= self.rest.len() - content.len();
        let content = content.trim();
        let bare =
            content.split_once(' ').filter(|(tag, _)| is_shell_tag(tag)).map_or(content, |(_, code)| code);
        (closed && !content.is_empty()).then(|| bare.trim())
    }

    /// Returns the language tag in lower case, and the text after it (`bash ls -la`) unless that is an attribute.
    pub(super) fn tag_and_content(&self) -> (String, Option<&'a str>) {
        let (tag, content) = self.rest.split_once(char::is_whitespace).unwrap_or((self.rest, ""));
        let content = content.trim();
        let attribute =
            content.is_empty() || content.starts_with('{') || content.contains('=') || !is_shell_tag(tag);
        let tag = tag.trim_matches(|c: char| matches!(c, '{' | '}' | '.'));
        (tag.to_lowercase(), (!attribute).then_some(content))
    }

    /// Reports whether a line closes this block: only the same character, at least as often.
    pub(super) fn closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        self.length <= line.len() && line.chars().all(|c| c == self.sign)
    }
}

/// Removes at most `indent` leading blanks, the indentation of the fence.
pub(super) fn dedent(line: &str, indent: usize) -> &str {
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(blanks.min(indent)..).unwrap_or(line)
}

pub(super) fn is_shell_tag(word: &str) -> bool {
    SHELL_TAGS.iter().any(|tag| word.eq_ignore_ascii_case(tag))
}

/// Reports whether a line is a rule between paragraphs: `---`, `***`, `===`.
pub(super) fn is_rule(line: &str) -> bool {
    3 <= line.len() && ["-", "*", "=", "_"].iter().any(|sign| line.trim_start_matches(sign).is_empty())
}

/// Reports whether a line continues the one before it: it starts with a pipe or `&&` and is no table row.
pub(super) fn goes_on(line: &str) -> bool {
    let line = line.trim();
    ["| ", "&& ", "|| ", "|> "].iter().any(|sign| line.starts_with(sign)) && !line.ends_with('|')
}

/// Returns the content of `1. …`, `2) …`, `- …`, `* …` or `• …`.
pub(super) fn list_item(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (1..=2).contains(&(line.len() - digits.len()));
    let content =
        if numbered { digits.strip_prefix(['.', ')']) } else { line.strip_prefix(['-', '*', '•']) };
    content.filter(|content| content.starts_with(' ')).map(str::trim).filter(|content| !content.is_empty())
}

/// Returns the content of a line that is one `code` span, with single or double backticks or in bold.
pub(super) fn whole_code(line: &str) -> Option<&str> {
    let line = line.strip_prefix("**").and_then(|l| l.strip_suffix("**")).unwrap_or(line);
    let line = line.strip_suffix(['.', ',', ':']).filter(|line| line.ends_with('`')).unwrap_or(line);
    let inner = line.trim_start_matches('`');
    let ticks = line.len() - inner.len();
    let inner = inner.strip_suffix("`".repeat(ticks).as_str())?;
    let single = ticks == 1 && !inner.contains('`');
    let double = ticks == 2 && !inner.contains("``") && !inner.ends_with('`');
    ((single || double) && !inner.trim().is_empty()).then(|| inner.trim())
}

/// Returns the span of `` `code`: description ``, or of `` `code` - description `` in a list.
pub(super) fn leading_code(item: &str, listed: bool) -> Option<&str> {
    let (code, gloss) = item.strip_prefix('`')?.split_once('`')?;
    let separators: &[&str] =
        if listed { &[":", " - ", " – ", " — ", " ("] } else { &[": ", " – ", " — "] };
    let separated = separators.iter().any(|separator| gloss.starts_with(separator));
    (separated && !code.trim().is_empty()).then(|| code.trim())
}

/// Returns the text after `Command:` and similar labels; empty if the label is alone.
pub(super) fn label(line: &str) -> Option<&str> {
    let plain = line.trim_start_matches('*');
    let bold = plain.len() < line.len();
    let (name, content) = plain.split_once(':')?;
    let content = if bold { content.trim_start_matches('*') } else { content };
    let name = name.trim().trim_end_matches('*');
    let known = LABELS.iter().any(|label| name.eq_ignore_ascii_case(label));
    (known && (content.is_empty() || content.starts_with(' '))).then(|| content.trim())
}

/// Returns the text after a prompt sign.
pub(super) fn prompt_sign(line: &str, shell: Shell) -> Option<&str> {
    const SIGNS: &[&str] =
        &["$ ", "% ", "❯ ", "➜ ", "λ ", "» ", "PS> ", "~> ", "~$ ", ">>> ", "bash$ ", "sh$ "];
    let command = SIGNS
        .iter()
        .find_map(|sign| line.strip_prefix(sign))
        .or_else(|| angle_sign(line, shell))
        .or_else(|| long_sign(line))?
        .trim();
    (!command.is_empty()).then_some(command)
}

/// Returns the command of `> ls -la`. In bash and zsh `> emptied.txt` is a redirection: a single word there is a
/// file.
fn angle_sign(line: &str, shell: Shell) -> Option<&str> {
    let command = line.strip_prefix("> ")?;
    let redirects = shell.is_posix() && command.split_whitespace().count() < 2;
    let more = command
        .split_whitespace()
        .nth(1)
        .is_some_and(|word| word.starts_with(['<', '>', '|', '&', ';', '2']));
    (!redirects && !more).then_some(command)
}

/// Returns the command after `user@host:~$ `, `[user@host dir]$ `, `bash-5.2$ ` or `PS C:\> `.
fn long_sign(line: &str) -> Option<&str> {
    let at = ["$ ", "# ", "% ", "> "].iter().filter_map(|sign| line.find(sign)).min()?;
    let (sign, command) = (line.get(..at)?, line.get(at + 2..)?);
    let first = sign.split(' ').next()?;
    let user = first.contains('@') && (first.contains(':') || !first.contains(['/', '=', '\'', '"']));
    let shape = user || first.starts_with("bash-") || (first == "PS" && sign.contains('\\'));
    let blanks = sign.matches(' ').count();
    let enough = blanks == 0 || (blanks == 1 && (first.starts_with('[') || first == "PS"));
    (shape && enough && at <= PROMPT_BYTES_MAX).then_some(command)
}

/// Returns the command after the colon of a sentence that announces it.
pub(super) fn announced(line: &str) -> Option<&str> {
    let (head, command) = line.split_once(": ")?;
    let last = head.split_whitespace().next_back()?.trim_matches('*').to_lowercase();
    let command = command.trim();
    let opens =
        command.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '`' | '.' | '/' | '~' | '$'));
    (ANNOUNCING.contains(&last.as_str()) && opens).then_some(command)
}

/// Returns a list item's command without the description after it: `ls -la - shows all files`.
pub(super) fn without_gloss(item: &str) -> &str {
    let cut = [" - ", " – ", " — ", " # "].iter().find_map(|separator| {
        let (command, gloss) = item.split_once(separator)?;
        let words = 2 <= gloss.split_whitespace().count() && super::words::plain(gloss);
        (words && !command.trim().is_empty()).then(|| command.trim())
    });
    cut.unwrap_or(item)
}

/// Removes a trailing comment in prose, and a trailing backslash without a continuation. A comment with shell
/// syntax stays: it may not be a comment.
pub(super) fn without_tail(command: &str) -> &str {
    let mut command = command.trim();
    if !command.contains('\n') {
        let mut reader = QuoteLexer::new(Shell::SH);
        for (at, c) in command.char_indices() {
            reader.read(c);
            if reader.in_comment() {
                let (before, comment) = command.split_at(at);
                let spoken = comment.strip_prefix("# ").is_some_and(super::words::plain);
                if spoken && !before.trim().is_empty() {
                    command = before.trim_end();
                }
                break;
            }
        }
    }
    command.strip_suffix(" \\").map_or(command, str::trim_end)
}
