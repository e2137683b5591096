//! Extraction of the command from a model's reply.
//!
//! The prompt asks for a bare command, and a bare command stays unchanged. Small models also wrap it in a code
//! fence, a prompt sign, a label, a list, JSON or an apology, and continue with the next example. Prose never
//! becomes a command line: a refusal, a question or an explanation is shown to the person instead.
//!
//! A reply is split in one pass into pieces (fenced block, command, prose, comment). Then the best kind of piece
//! wins: fenced blocks, then bare commands, then `code` inside prose.

mod json;
#[cfg(test)]
mod tests;
mod words;
mod wrapping;

use askline_syntax::clean::visible;
use askline_syntax::quoting::QuoteLexer;
use askline_syntax::shell::Shell;
use askline_syntax::{ParsedLine, SimpleCommand};

/// Maximum number of reply bytes read.
pub const REPLY_BYTES_MAX: usize = 64 << 10;
/// Maximum number of commands taken from one reply.
pub const COMMANDS_MAX: usize = 8;
/// Maximum length, in characters, of the prose shown for a reply without a command.
pub const WORDS_CHARS_MAX: usize = 240;

/// Content of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Commands, best first, never empty.
    Commands(Vec<String>),
    /// Prose: a refusal, a question, an explanation without a command. For people, never for the prompt line. One
    /// row, one or two sentences, safe to show.
    Words(String),
    /// No content.
    Nothing,
}

/// Extracts the command from a reply. A reply that is one bare command is returned unchanged.
pub fn extract(reply: &str, shell: Shell) -> Answer {
    let text = wrapping::without_thoughts(bounded(reply));
    let text = wrapping::without_tags(wrapping::without_end_marks(text)).trim();
    if text.is_empty() || words::means_nothing(text) {
        return Answer::Nothing;
    }
    if let Some(found) = json::read(text, shell) {
        return found.into_answer();
    }
    let pieces = read(text, shell);
    let commands = if words::refuses(&pieces) { Vec::new() } else { commands(&pieces, shell) };
    ExtractedParts { commands, words: words::joined(&pieces) }.into_answer()
}

/// Returns the command of a text that a person pasted with the prompt before it, or with the fence of a code block around it; `None`
/// if it has neither, or several commands.
pub fn pasted(text: &str, shell: Shell) -> Option<String> {
    let text = text.trim();
    if let Some(command) = wrapping::prompt_sign(text, shell).filter(|_| !text.contains('\n')) {
        return (!text.starts_with("> ")).then(|| command.trim().to_owned());
    }
    if !text.starts_with("```") {
        return None;
    }
    match extract(text, shell) {
        Answer::Commands(commands) => match commands.as_slice() {
            [command] => Some(command.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a reply as prose for people: one row, one or two sentences, safe to show. `None` if it has no content.
pub fn prose(reply: &str) -> Option<String> {
    let words = visible(words::shorten(&row(reply)).trim());
    (!words.is_empty() && !words::means_nothing(&words)).then_some(words)
}

/// Returns the beginning of a reply that still grows, as one row to show: without thoughts, fences and tags, also
/// unfinished ones.
pub fn growing(reply: &str) -> String {
    let row = row(reply);
    let is_fence = |word: &str| word.chars().all(|c| c == '`');
    let whole =
        row.rsplit_once(' ').filter(|(_, last)| is_fence(last)).map_or(row.as_str(), |(whole, _)| whole);
    let is_opening = whole.starts_with('<') && !whole.contains(['>', ' ']) || is_fence(whole);
    if is_opening { String::new() } else { visible(whole) }
}

/// Returns a reply without thoughts, fences and tags, as one row.
fn row(reply: &str) -> String {
    let text = wrapping::without_thoughts(bounded(reply));
    let text = wrapping::without_tags(wrapping::without_end_marks(text)).trim();
    let lines = text.lines().map(str::trim).filter(|line| wrapping::fence(line).is_none());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Returns the finished beginning of a command whose end is missing: all of it before the last `&&`, `;` or line break at
/// its top level. `None` if nothing before that is complete.
pub fn finished(command: &str, shell: Shell) -> Option<&str> {
    let line = ParsedLine::new(command, shell);
    let is_start = |part: &&SimpleCommand| part.within.is_empty() && part.position == 0;
    let last = line.own().commands.iter().rfind(is_start)?;
    let before = command.get(..last.span.start)?.trim_end_matches([' ', '\t']);
    let text = ["&&", ";", "\n"].iter().find_map(|end| before.strip_suffix(end))?.trim_end();
    let beginning = ParsedLine::new(text, shell);
    let parsed = beginning.own();
    let is_whole = !parsed.commands.is_empty() && parsed.errors.is_empty() && !parsed.incomplete;
    is_whole.then_some(text)
}

/// The raw commands, and the prose around them.
#[derive(Debug, Default)]
struct ExtractedParts {
    commands: Vec<String>,
    words: String,
}

impl ExtractedParts {
    fn into_answer(self) -> Answer {
        let mut commands: Vec<String> = Vec::new();
        for command in self.commands {
            let command = wrapping::without_tail(&command);
            let usable = !command.is_empty() && !words::means_nothing(command);
            if usable && commands.len() < COMMANDS_MAX && !commands.iter().any(|c| c == command) {
                commands.push(command.to_owned());
            }
        }
        let words = visible(words::shorten(&self.words).trim());
        match (commands.is_empty(), words.is_empty()) {
            (false, _) => Answer::Commands(commands),
            (true, false) => Answer::Words(words),
            (true, true) => Answer::Nothing,
        }
    }
}

/// A part of a reply.
#[derive(Debug)]
enum ReplyPart<'a> {
    /// A fenced block: its language tag in lower case and its lines.
    Fence {
        tag: String,
        lines: Vec<&'a str>,
    },
    Command(Command),
    Words(&'a str),
    /// A `#` line, with the sign.
    Comment(&'a str),
    Break,
}

/// A command from a reply, without its wrapping.
#[derive(Debug)]
struct Command {
    text: String,
    /// `true` if it comes from a list: an alternative, not the next step.
    listed: bool,
    /// `true` if it followed a prompt sign.
    prompted: bool,
}

fn bounded(reply: &str) -> &str {
    reply.get(..reply.floor_char_boundary(REPLY_BYTES_MAX)).unwrap_or(reply)
}

/// Splits a reply into pieces.
fn read(text: &str, shell: Shell) -> Vec<ReplyPart<'_>> {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut pieces = Vec::new();
    if let Some(end) = orphan_fence(&lines) {
        // The prompt opened the fence and the reply only closes it.
        let rest = lines.split_off(end);
        pieces.push(ReplyPart::Fence { tag: String::new(), lines });
        lines = rest;
        lines.remove(0);
    }
    if runs_on(&lines, shell) {
        lines.truncate(1);
    }
    let multi = 1 < lines.len();
    let mut left = Lines { lines, at: 0, multi, joins: true, json_tried: false };
    while let Some(line) = left.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() || wrapping::is_rule(trimmed) {
            pieces.push(ReplyPart::Break);
        } else if let Some(fence) = wrapping::fence(line) {
            let mut piece = fenced(fence, &mut left);
            if let ReplyPart::Fence { tag, .. } = &mut piece
                && tag.is_empty()
                && shows_output(&pieces)
            {
                "output".clone_into(tag);
            }
            pieces.push(piece);
        } else if left.at == 1 && left.multi && wrapping::is_shell_tag(trimmed) {
            // A fence's language tag without its fence.
            pieces.push(ReplyPart::Break);
        } else if let Some(found) = left.json(trimmed, shell) {
            let listed = |text| ReplyPart::Command(Command { text, listed: true, prompted: false });
            pieces.extend(found.commands.into_iter().map(listed));
            break;
        } else {
            pieces.push(unfenced(trimmed, &mut left, shell));
        }
    }
    pieces
}

/// Reports whether the next block shows the output of the one before it.
fn shows_output(pieces: &[ReplyPart<'_>]) -> bool {
    let last = pieces.iter().rev().find(|piece| !matches!(piece, ReplyPart::Break));
    let announced = matches!(last, Some(ReplyPart::Words(line)) if line.to_lowercase().contains("output"));
    announced && pieces.iter().any(|piece| matches!(piece, ReplyPart::Fence { .. }))
}

/// A cursor over the lines of a reply.
struct Lines<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// `true` if the reply has several lines and may therefore contain prose.
    multi: bool,
    /// `true` while open commands are joined with the next lines; `false` after one that never closes, to keep
    /// reading linear.
    joins: bool,
    /// `true` after one search for JSON; a second one would make reading non-linear.
    json_tried: bool,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let line = self.lines.get(self.at).copied();
        self.at += usize::from(line.is_some());
        line
    }

    /// Reads JSON after prose, from this line to the end.
    fn json(&mut self, line: &str, shell: Shell) -> Option<ExtractedParts> {
        if self.json_tried || !line.starts_with(['{', '[']) {
            return None;
        }
        self.json_tried = true;
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let text = [&[line], rest].concat().join("\n");
        json::read(&text, shell)
    }

    /// Reads a whole command that starts with `first`; joins lines while it is open.
    fn command(&mut self, first: &str, prompted: bool, shell: Shell) -> String {
        let mut text = first.to_owned();
        if !self.joins {
            return text;
        }
        let mut reader = QuoteLexer::new(shell);
        text.chars().for_each(|c| reader.read(c));
        let mut at = self.at;
        loop {
            let next = self.lines.get(at).copied();
            if !reader.is_open() && !next.is_some_and(wrapping::goes_on) {
                self.at = at;
                return text;
            }
            let Some(next) = next else {
                self.joins = !self.multi;
                return first.to_owned();
            };
            let next = if prompted { next.strip_prefix("> ").unwrap_or(next) } else { next };
            text.push('\n');
            text.push_str(next);
            reader.read('\n');
            next.chars().for_each(|c| reader.read(c));
            at += 1;
        }
    }
}

/// Reports whether the reply is a whole command followed by the next example of our prompt: `ls`, an empty line,
/// `# …`.
fn runs_on(lines: &[&str], shell: Shell) -> bool {
    let Some((first, rest)) = lines.split_first() else { return false };
    let mut reader = QuoteLexer::new(shell);
    first.chars().for_each(|c| reader.read(c));
    let next = rest.iter().find(|line| !line.trim().is_empty());
    let wrapped = first.starts_with(['#', '`', '~']) || words::capitalised(first);
    next.is_some_and(|line| line.starts_with("# ")) && !wrapped && !words::surely(first) && !reader.is_open()
}

/// Returns the index of the line that closes a fence which was never opened.
fn orphan_fence(lines: &[&str]) -> Option<usize> {
    let fences = || (0..lines.len()).filter(|at| wrapping::fence(lines[*at]).is_some());
    let first = fences().next()?;
    let bare = wrapping::fence(lines[first])?.rest.is_empty();
    let command = lines[..first].iter().find(|line| !line.trim().is_empty())?.trim();
    let wordy = words::surely(command) || words::likely(command);
    (bare && fences().count() % 2 == 1 && !wordy).then_some(first)
}

fn fenced<'a>(fence: wrapping::Fence<'a>, left: &mut Lines<'a>) -> ReplyPart<'a> {
    if let Some(inline) = fence.inline() {
        return ReplyPart::Fence { tag: String::new(), lines: vec![inline] };
    }
    let (tag, first) = fence.tag_and_content();
    let mut lines = Vec::from_iter(first);
    while let Some(line) = left.next() {
        if fence.closed_by(line) {
            break;
        }
        lines.push(wrapping::dedent(line, fence.indent));
    }
    ReplyPart::Fence { tag, lines }
}

fn unfenced<'a>(line: &'a str, left: &mut Lines<'a>, shell: Shell) -> ReplyPart<'a> {
    let wordy = |line: &str, multi: bool| words::surely(line) || (multi && words::likely(line));
    if line.starts_with('#') {
        return ReplyPart::Comment(line);
    }
    if let Some(code) = wrapping::whole_code(line) {
        return ReplyPart::Command(Command { text: code.to_owned(), listed: true, prompted: false });
    }
    let (item, listed) = match wrapping::list_item(line) {
        Some(item) => (item, true),
        None => (line, false),
    };
    if let Some(code) = wrapping::whole_code(item).or_else(|| wrapping::leading_code(item, listed)) {
        return ReplyPart::Command(Command { text: code.to_owned(), listed: true, prompted: false });
    }
    let labelled = wrapping::label(item);
    let item = labelled.unwrap_or(item);
    if item.is_empty() {
        return ReplyPart::Break;
    }
    let item = wrapping::whole_code(item).unwrap_or(item);
    let (item, prompted) = match wrapping::prompt_sign(item, shell) {
        Some(command) => (command, true),
        None => (item, false),
    };
    if !prompted && wordy(item, left.multi && labelled.is_none()) {
        return match wrapping::announced(item).filter(|rest| !wordy(rest, true)) {
            Some(rest) => {
                let text = wrapping::whole_code(rest).unwrap_or(rest).to_owned();
                ReplyPart::Command(Command { text, listed: true, prompted })
            }
            None => ReplyPart::Words(line),
        };
    }
    let item = if listed { wrapping::without_gloss(item) } else { item };
    ReplyPart::Command(Command { text: left.command(item, prompted, shell), listed, prompted })
}

/// Returns the commands of the best kind of piece.
fn commands(pieces: &[ReplyPart<'_>], shell: Shell) -> Vec<String> {
    let fences = |wanted: fn(&str) -> bool| {
        let mut blocks: Vec<_> = pieces
            .iter()
            .filter_map(|piece| match piece {
                ReplyPart::Fence { tag, lines } if wanted(tag) => Some((tag, lines)),
                _ => None,
            })
            .collect();
        // A block for this shell comes before blocks for others.
        blocks.sort_by_key(|(tag, _)| *tag != shell.name());
        blocks.into_iter().flat_map(|(_, lines)| in_fence(lines, shell)).collect::<Vec<_>>()
    };
    let by_kind: [&dyn Fn() -> Vec<String>; 4] = [
        &|| fences(|tag| tag.is_empty() || tag == "json" || wrapping::is_shell_tag(tag)),
        &|| bare(pieces),
        &|| fences(|tag| matches!(tag, "text" | "txt" | "plaintext" | "plain")),
        &|| words::code(pieces),
    ];
    by_kind
        .into_iter()
        .map(|find| find())
        .find(|found| !found.is_empty())
        .or_else(|| as_root(pieces))
        .unwrap_or_default()
}

/// Returns the commands outside fences and prose. Adjacent ones are steps of one command; list items and paragraphs
/// are alternatives.
fn bare(pieces: &[ReplyPart<'_>]) -> Vec<String> {
    let session = pieces.iter().any(|piece| matches!(piece, ReplyPart::Command(command) if command.prompted));
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    for piece in pieces {
        match piece {
            // Text between prompt signs is output.
            ReplyPart::Command(command) if session && !command.prompted => {}
            ReplyPart::Command(command) => {
                match found.last_mut().filter(|_| goes_on && !command.listed) {
                    Some(last) if last != &command.text => {
                        last.push('\n');
                        last.push_str(&command.text);
                    }
                    Some(_) => {}
                    None => found.push(command.text.clone()),
                }
                goes_on = !command.listed;
            }
            // The reply continues with the next example.
            ReplyPart::Comment(_) if !found.is_empty() => break,
            ReplyPart::Break if session => {}
            _ => goes_on = false,
        }
    }
    found
}

/// Returns the commands of a fenced block: one, unless comments offer a choice.
fn in_fence(lines: &[&str], shell: Shell) -> Vec<String> {
    let text = lines.join("\n");
    if let Some(found) = json::read(text.trim(), shell) {
        return found.commands;
    }
    let prompt = |line: &&str| wrapping::prompt_sign(line.trim(), shell).is_some();
    let session = lines.iter().any(|line| line.trim().starts_with("$ ") && prompt(line))
        || lines.iter().find(|line| !line.trim().is_empty()).is_some_and(prompt);
    let mut left = Lines { lines: lines.to_vec(), at: 0, multi: true, joins: true, json_tried: false };
    let mut found: Vec<String> = Vec::new();
    let mut choice = true;
    while let Some(line) = left.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            choice |= words::offers_choice(trimmed);
            continue;
        }
        let signed = wrapping::prompt_sign(trimmed, shell);
        if session && signed.is_none() {
            continue;
        }
        let command = left.command(signed.unwrap_or(trimmed), session, shell);
        match found.last_mut().filter(|_| !choice) {
            Some(last) => {
                last.push('\n');
                last.push_str(&command);
            }
            None => found.push(command),
        }
        choice = false;
    }
    found.retain(|command| !words::surely(command));
    found
}

/// Returns the commands of a reply that consists only of `# …` lines: `#` may be root's prompt sign.
fn as_root(pieces: &[ReplyPart<'_>]) -> Option<Vec<String>> {
    let mut commands = Vec::new();
    for piece in pieces {
        match piece {
            ReplyPart::Comment(line) => {
                let command =
                    line.strip_prefix("# ").map(str::trim).filter(|line| words::root_command(line))?;
                commands.push(command.to_owned());
            }
            ReplyPart::Break => {}
            _ => return None,
        }
    }
    Some(vec![commands.join("\n")]).filter(|_| !commands.is_empty())
}
