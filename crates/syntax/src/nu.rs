//! Parser for Nushell with its engine: builds commands from the output of `ast LINE --flatten --json`.

use serde::Deserialize;

pub use super::nushell::NOT_UNDERSTOOD;
use super::nushell::{body_of, external_word, is_env_assignment, word};
use super::parser::DEPTH_MAX;
use super::{Nesting, Parsed, Redirection, SimpleCommand, Span, SyntaxError, Word};

/// Maximum number of pieces read for one command line.
const PIECES_MAX: usize = 100_000;
/// A piece of the engine's output.
#[derive(Debug, Deserialize)]
struct Piece {
    shape: String,
    span: PieceSpan,
}

/// Byte offsets into the command line.
#[derive(Debug, Deserialize)]
struct PieceSpan {
    start: usize,
    end: usize,
}

/// Parses a Nushell command line, given the output of `ast LINE --flatten --json` for it. Other output gives one
/// error and no commands.
///
/// The only error that the engine reports is a piece that it cannot classify ("garbage"). This function finds
/// unclosed quotes, brackets and pipelines itself.
pub fn parse(flat: &str, line: &str) -> Parsed {
    let Ok(pieces) = serde_json::from_str::<Vec<Piece>>(flat) else {
        let error = SyntaxError { span: 0..0, text: "the line could not be read by nushell".to_owned() };
        return Parsed { errors: vec![error], ..Parsed::default() };
    };
    let mut reader = PieceReader::new(line);
    for piece in pieces.iter().take(PIECES_MAX) {
        let span = piece.span.start..piece.span.end;
        let Some(content) = line.get(span.clone()) else { continue };
        // The engine returns some pieces twice, under two shapes.
        if span.start >= reader.end {
            reader.piece(&piece.shape, content, span);
        } else if piece.shape == "shape_garbage" {
            reader.garbage(content, span);
        }
    }
    reader.finish()
}

/// An open bracket, and the open command in it.
#[derive(Debug, Default)]
struct Frame {
    /// Offset of the opening bracket.
    start: usize,
    /// `true` if its commands are nested in the enclosing command; `false` for a list or record.
    nests: bool,
    /// `true` for parentheses: a newline in them ends no command.
    parentheses: bool,
    /// `true` for a template such as `$"a (b)"`: what stands in it directly is text.
    template: bool,
    /// `true` while the arms of its `match` are read.
    arms: bool,
    command: Option<SimpleCommand>,
    /// `NAME=value` before a command.
    loose: Vec<Word>,
    pipeline: usize,
    /// Position of the last command, or of the value in place of one, in that pipeline.
    position: Option<usize>,
    /// `true` if a pipe leads to the next command.
    piped: bool,
    /// A redirection that waits for its target.
    redirection: Option<Redirection>,
}

struct PieceReader<'a> {
    line: &'a str,
    parsed: Parsed,
    frames: Vec<Frame>,
    within: Vec<Nesting>,
    pipelines: usize,
    /// End of the last piece.
    end: usize,
    piped: bool,
}

impl<'a> PieceReader<'a> {
    fn new(line: &'a str) -> Self {
        Self {
            line,
            parsed: Parsed::default(),
            frames: vec![Frame::default()],
            within: Vec::new(),
            pipelines: 0,
            end: 0,
            piped: false,
        }
    }

    fn piece(&mut self, shape: &str, content: &str, span: Span) {
        let gap = self.line.get(self.end.min(span.start)..span.start).unwrap_or_default();
        let at_lines = self.breaks_lines(gap) && shape != "shape_pipe";
        let breaks = gap.contains(';') || gap.contains('\n') && at_lines;
        if breaks && !self.piped {
            self.finish_command();
            if let Some(frame) = self.frames.last_mut() {
                (frame.position, frame.piped) = (None, false);
            }
        }
        let joined = !gap.contains(char::is_whitespace) && !gap.contains(';') && span.start > 0;
        // For a file name the engine omits the quotes of `$"…"`.
        let template = !joined && [" $\"", " $'"].iter().any(|quote| gap.ends_with(quote));
        let span = span.start - 2 * usize::from(template)..span.end;
        self.piped = false;
        match shape {
            "shape_internalcall" => self.start_command(word(content, span.clone(), true)),
            "shape_external" | "shape_external_resolved" => {
                self.start_command(external_word(content, span.clone()));
            }
            "shape_pipe" => {
                self.finish_command();
                self.piped = true;
                if let Some(frame) = self.frames.last_mut() {
                    frame.piped = true;
                    if frame.position.is_none() {
                        (frame.pipeline, frame.position) = (self.pipelines, Some(0));
                        self.pipelines += 1;
                    }
                }
            }
            "shape_redirection" => {
                if let Some(frame) = self.frames.last_mut() {
                    let redirection = Redirection {
                        span: span.clone(),
                        descriptor: None,
                        operator: content.to_owned(),
                        target: None,
                    };
                    let before = frame.redirection.replace(redirection);
                    if let Some(command) = &mut frame.command {
                        command.redirections.extend(before);
                    }
                }
            }
            "shape_garbage" => {
                self.garbage(content, span.clone());
                self.add_word(word(content, span.clone(), false), joined);
            }
            "shape_externalarg" => self.add_word(external_word(content, span.clone()), joined),
            "shape_keyword" => {}
            "shape_block"
            | "shape_closure"
            | "shape_record"
            | "shape_list"
            | "shape_table"
            | "shape_string_interpolation"
            | "shape_glob_interpolation"
            | "shape_match_pattern" => self.bracket(shape, content, span.clone(), joined),
            _ => {
                let expands =
                    matches!(shape, "shape_variable" | "shape_vardecl" | "shape_range" | "shape_operator");
                self.add_word(word(content, span.clone(), !expands), joined);
            }
        }
        let blanks = match shape {
            "shape_record" | "shape_list" | "shape_table" => content.len() - content.trim_end().len(),
            _ => 0,
        };
        self.end = self.end.max(span.end - blanks);
    }

    /// Reports whether a newline ends a command at this point.
    fn breaks_lines(&mut self, gap: &str) -> bool {
        let Some(frame) = self.frames.last_mut() else { return true };
        match frame.command.as_ref().and_then(SimpleCommand::name) {
            // The braces around the arms are not pieces of their own.
            Some("match") => {
                frame.arms = (frame.arms || gap.contains('{')) && !gap.contains('}');
                !frame.arms
            }
            // Their right side ends at the newline, even in parentheses.
            Some("let" | "mut") => true,
            _ => !frame.parentheses,
        }
    }

    /// Adds an error for a piece that the engine cannot classify, except for variables: the engine does not know
    /// the user's own.
    fn garbage(&mut self, content: &str, span: Span) {
        let path = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_-.?".contains(c));
        if content.strip_prefix('$').is_some_and(|name| !name.is_empty() && path(name)) {
            return;
        }
        let text = format!("{NOT_UNDERSTOOD} `{content}`");
        self.parsed.errors.push(SyntaxError { span, text });
    }

    fn start_command(&mut self, word: Word) {
        let mut assignments =
            self.frames.last_mut().map(|frame| std::mem::take(&mut frame.loose)).unwrap_or_default();
        assignments.retain(|word| is_env_assignment(&word.text));
        self.finish_command();
        let within = self.within.clone();
        let Some(frame) = self.frames.last_mut() else { return };
        let position = match frame.position {
            Some(position) if frame.piped => position + 1,
            _ => {
                frame.pipeline = self.pipelines;
                self.pipelines += 1;
                0
            }
        };
        (frame.position, frame.piped) = (Some(position), false);
        let external = self.line.get(..word.span.start).is_some_and(|before| before.ends_with('^'));
        frame.command = Some(SimpleCommand {
            span: assignments.first().map_or(word.span.start, |first| first.span.start)..word.span.end,
            assignments,
            words: vec![word],
            redirections: Vec::new(),
            pipeline: frame.pipeline,
            position,
            within,
            external,
        });
    }

    /// Finishes the open command and adds it to the result.
    fn finish_command(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        if let (Some(redirection), Some(command)) = (frame.redirection.take(), &mut frame.command) {
            command.span.end = command.span.end.max(redirection.span.end);
            command.redirections.push(redirection);
        }
        if let Some(mut command) = frame.command.take() {
            let line = self.line;
            command.words.iter_mut().for_each(|word| word.take_end(line));
            if let Some(last) = command.words.last() {
                command.span.end = command.span.end.max(last.span.end);
            }
            self.parsed.commands.push(command);
        }
        frame.loose.clear();
    }

    fn add_word(&mut self, word: Word, joined: bool) {
        let span = word.span.clone();
        let content = self.line.get(span.clone()).unwrap_or_default();
        // `^$program`
        let before = self.line.get(..span.start).and_then(|before| before.strip_suffix('^'));
        if before.is_some_and(|before| before.is_empty() || before.ends_with([' ', '\n', '(', '{', '|', ';']))
        {
            return self.start_command(Word { literal: false, ..word });
        }
        let Some(frame) = self.frames.last_mut() else { return };
        if !frame.template && unclosed_quote(content) {
            self.parsed.incomplete |= span.end == self.line.len();
            self.parsed.errors.push(SyntaxError { span: span.clone(), text: "unclosed quote".to_owned() });
        }
        // The engine treats a stray one as a word.
        if !frame.template && matches!(content, "}" | ")" | "]" | "||") {
            self.parsed
                .errors
                .push(SyntaxError { span: span.clone(), text: format!("unexpected `{content}`") });
        }
        if let Some(redirection) = &mut frame.redirection {
            redirection.span.end = span.end;
            match &mut redirection.target {
                Some(target) if joined => target.join(word, self.line),
                Some(_) => {
                    if let (Some(command), Some(done)) = (&mut frame.command, frame.redirection.take()) {
                        command.redirections.push(done);
                        command.words.push(word);
                    }
                }
                None => redirection.target = Some(word),
            }
            if let Some(command) = &mut frame.command {
                command.span.end = span.end;
            }
            return;
        }
        // `$env` and `HOME`, or `FOO` and `=`, form one word. A command's name ends by itself.
        let (words, first) = match &mut frame.command {
            Some(command) => {
                command.span.end = span.end;
                let first = usize::from(command.name().is_some());
                (&mut command.words, first)
            }
            None => (&mut frame.loose, 0),
        };
        if joined
            && words.len() > first
            && let Some(last) = words.last_mut()
        {
            last.join(word, self.line);
        } else {
            words.push(word);
        }
    }

    /// Handles `{`, `(`, `[` and their closing brackets, also `$"` and `"`.
    fn bracket(&mut self, shape: &str, content: &str, span: Span, joined: bool) {
        let trimmed = content.trim();
        let interpolation = shape.ends_with("interpolation");
        let opens = trimmed.starts_with(['{', '(', '[']) || (interpolation && trimmed.starts_with('$'));
        let closes = trimmed.ends_with(['}', ')', ']']) || (interpolation && !opens);
        if opens {
            self.add_word(word(content, span.clone(), false), joined);
        }
        if opens && !closes && self.frames.len() <= DEPTH_MAX {
            let nests = matches!(shape, "shape_block" | "shape_closure");
            if nests {
                let nesting = self.nesting(trimmed);
                self.within.push(nesting);
            }
            let parentheses = trimmed.starts_with('(');
            let frame = Frame { start: span.start, nests, parentheses, ..Frame::default() };
            self.frames.push(Frame { template: interpolation, ..frame });
        } else if closes && !opens && self.frames.len() > 1 {
            // If a variable is set to a `match`, the brace is a piece.
            if let Some(frame) = self.frames.last_mut().filter(|frame| frame.arms && trimmed == "}") {
                frame.arms = false;
                return;
            }
            self.finish_command();
            self.close(span.end);
        } else if !opens && (trimmed == "=" || shape == "shape_match_pattern") {
            self.add_word(word(content, span, true), joined);
        }
    }

    /// Leaves the innermost bracket; the word around it ends at `end`.
    fn close(&mut self, end: usize) {
        let Some(closed) = self.frames.pop() else { return };
        if closed.nests {
            self.within.pop();
        }
        let Some(frame) = self.frames.last_mut() else { return };
        if let Some(command) = &mut frame.command {
            command.span.end = end;
        }
        let word = match (&mut frame.redirection, &mut frame.command) {
            (Some(redirection), _) => {
                redirection.span.end = end;
                redirection.target.as_mut()
            }
            (None, Some(command)) => command.words.last_mut(),
            (None, None) => frame.loose.last_mut(),
        };
        if let Some(word) = word {
            word.span.end = end;
            word.text = self.line.get(word.span.clone()).unwrap_or_default().to_owned();
            word.literal = false;
        }
    }

    /// Returns the nesting of the commands in a bracket that opens at this point.
    fn nesting(&self, open: &str) -> Nesting {
        if open.starts_with('(') {
            return Nesting::Substitution;
        }
        body_of(self.frames.last().and_then(|frame| frame.command.as_ref()).and_then(SimpleCommand::name))
    }

    fn finish(mut self) -> Parsed {
        let open = self.frames.last().filter(|_| self.frames.len() > 1).map(|frame| frame.start);
        while self.frames.len() > 1 {
            self.finish_command();
            self.close(self.end);
        }
        self.finish_command();
        let mut parsed = self.parsed;
        if let Some(start) = open {
            parsed.incomplete = true;
            parsed.errors.push(SyntaxError { span: start..start, text: "unclosed bracket".to_owned() });
        }
        if self.piped {
            parsed.incomplete = true;
            parsed
                .errors
                .push(SyntaxError { span: self.end..self.end, text: "a command is missing".to_owned() });
        }
        parsed.commands.sort_by_key(|command| (command.span.start, usize::MAX - command.span.end));
        parsed.errors.sort_by_key(|error| error.span.start);
        parsed
    }
}

impl Word {
    /// Adds the end that the engine omits: the quote of `$"…`, the mark of `name?`.
    fn take_end(&mut self, line: &str) {
        let raw = line.get(self.span.clone()).unwrap_or_default();
        let next = line.get(self.span.end..).and_then(|rest| rest.chars().next());
        let is_left_out = match next {
            Some('"') => raw.contains("$\""),
            Some('\'') => raw.contains("$'"),
            Some('?' | '!') => !self.quoted,
            _ => false,
        };
        if is_left_out {
            self.span.end += 1;
            self.text.extend(next);
            if matches!(next, Some('"' | '\'')) {
                self.text = line.get(self.span.clone()).unwrap_or_default().to_owned();
                self.literal = false;
            }
        }
    }

    /// Appends a piece that directly follows the word, or follows it after a dot.
    fn join(&mut self, piece: Self, line: &str) {
        let gap = line.get(self.span.end..piece.span.start).unwrap_or_default();
        self.text.push_str(gap);
        self.text.push_str(&piece.text);
        self.span.end = self.span.end.max(piece.span.end);
        self.literal &= piece.literal;
        self.quoted |= piece.quoted;
        self.glob |= piece.glob;
    }
}

/// Reports whether a piece opens a quote and does not close it.
fn unclosed_quote(content: &str) -> bool {
    ['"', '\'', '`']
        .into_iter()
        .any(|quote| content.strip_prefix(quote).is_some_and(|rest| !rest.ends_with(quote)))
}
