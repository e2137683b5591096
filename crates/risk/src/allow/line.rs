//! Parser of plain command lines: words, quotes, `|`, `&&`, `||`, `;` and a few harmless redirects. It refuses all
//! other shell syntax, so the words found are the words that the program receives.

use askline_syntax::clean::stands_alone;
use askline_syntax::shell::Shell;

/// Maximum length of a command line, in bytes.
const BYTES_MAX: usize = 2048;
/// Maximum number of commands.
const COMMANDS_MAX: usize = 16;
/// Maximum run of blanks; longer ones push the text after them out of sight.
const BLANKS_MAX: usize = 8;
/// Invisible letters (Hangul fillers).
const INVISIBLE: [char; 4] = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'];

/// A word as the program receives it, but for `glob` and `home`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The text, without quotes.
    pub text: String,
    /// `true` if part of the word is quoted or escaped.
    pub(super) quoted: bool,
    /// `true` if the shell expands the word to file names.
    pub glob: bool,
    /// `true` if the shell replaces the leading `~` by the home directory: it is not quoted.
    pub home: bool,
}

/// A command with the files that it reads by `<`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plain {
    pub(super) words: Vec<Word>,
    pub(super) inputs: Vec<Word>,
}

/// Parses a command line into its commands.
pub(super) fn read(line: &str, shell: Shell) -> Result<Vec<Plain>, String> {
    if line.len() > BYTES_MAX {
        return Err(format!("it is longer than {BYTES_MAX} bytes"));
    }
    let chars: Vec<char> = line.trim_matches(' ').chars().collect();
    if let Some(odd) = chars.iter().find(|c| !is_visible(**c)) {
        return Err(format!("it holds the character U+{:04X}", u32::from(*odd)));
    }
    if chars.windows(BLANKS_MAX + 1).any(|run| run.iter().all(|c| *c == ' ')) {
        return Err("it holds a long run of blanks".to_owned());
    }
    StrictLexer { chars, at: 0, shell, commands: Vec::new(), open: Plain::default() }.line()
}

/// Reports whether a person sees a character where it stands: no mark that covers its neighbour, and no letter that turns the
/// direction of what follows.
fn is_visible(c: char) -> bool {
    let is_letter = || c.is_alphanumeric() && !INVISIBLE.contains(&c) && stands_alone(c);
    matches!(c, ' '..='~') || (c > '\u{a0}' && is_letter())
}

struct StrictLexer {
    chars: Vec<char>,
    at: usize,
    shell: Shell,
    commands: Vec<Plain>,
    open: Plain,
}

impl StrictLexer {
    fn line(mut self) -> Result<Vec<Plain>, String> {
        while let Some(c) = self.peek(0) {
            let next = self.peek(1);
            match c {
                ' ' => self.at += 1,
                '|' if next == Some('|') => self.end(2)?,
                '|' if next == Some('&') => return Err("`|&` is not on the list".to_owned()),
                '|' | ';' => self.end(1)?,
                '&' if next == Some('&') => self.end(2)?,
                '&' => return Err("`&` is not on the list".to_owned()),
                '<' => self.input()?,
                '>' => self.output(1)?,
                '2' if next == Some('>') => self.output(2)?,
                _ => {
                    let word = self.word()?;
                    self.open.words.push(word);
                }
            }
        }
        self.end(0)?;
        Ok(self.commands)
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Ends a command before an operator of this many characters.
    fn end(&mut self, operator: usize) -> Result<(), String> {
        self.at += operator;
        let mut command = std::mem::take(&mut self.open);
        let joins = |word: &Word| !word.quoted && matches!(word.text.as_str(), "and" | "or");
        if self.shell.is_fish() && command.words.first().is_some_and(joins) && !self.commands.is_empty() {
            command.words.remove(0);
        }
        if command.words.is_empty() {
            return Err("a command is missing".to_owned());
        }
        self.commands.push(command);
        if self.commands.len() > COMMANDS_MAX {
            return Err(format!("it has more than {COMMANDS_MAX} commands"));
        }
        Ok(())
    }

    fn blanks(&mut self) {
        while self.peek(0) == Some(' ') {
            self.at += 1;
        }
    }

    fn ends_here(&self) -> bool {
        self.peek(0).is_none_or(|c| matches!(c, ' ' | '|' | '&' | ';'))
    }

    /// Parses `< file`.
    fn input(&mut self) -> Result<(), String> {
        self.at += 1;
        self.blanks();
        if self.ends_here() || matches!(self.peek(0), Some('<' | '>')) {
            return Err("only `< FILE` is on the list".to_owned());
        }
        let word = self.word()?;
        if word.glob {
            return Err("`<` needs one file by its name".to_owned());
        }
        self.open.inputs.push(word);
        Ok(())
    }

    /// Parses `>/dev/null`, `2>/dev/null` or `2>&1`.
    fn output(&mut self, operator: usize) -> Result<(), String> {
        let refused = || Err("only `>/dev/null`, `2>/dev/null` and `2>&1` are on the list".to_owned());
        self.at += operator;
        if operator == 2 && self.peek(0) == Some('&') && self.peek(1) == Some('1') {
            self.at += 2;
            return if self.ends_here() { Ok(()) } else { refused() };
        }
        self.blanks();
        if self.peek(0) != Some('/') {
            return refused();
        }
        let word = self.word()?;
        if word.text == "/dev/null" && !word.quoted && self.ends_here() { Ok(()) } else { refused() }
    }

    fn word(&mut self) -> Result<Word, String> {
        let mut word = Word::default();
        let start = self.at;
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '|' | '&' | ';' => break,
                '<' | '>' => return Err(format!("`{c}` behind a word is not on the list")),
                '\'' => self.single(&mut word)?,
                '"' => self.double(&mut word)?,
                '\\' => self.escape(&mut word)?,
                _ => {
                    self.plain(c, self.at == start, &mut word)?;
                    word.home |= c == '~' && self.at == start;
                    word.text.push(c);
                    self.at += 1;
                }
            }
        }
        let bracket = !word.quoted && matches!(word.text.as_str(), "[" | "]");
        word.glob &= !bracket;
        if word.text.contains(['[', ']']) && !word.quoted && !bracket && self.shell.is_fish() {
            return Err("`[` in a word is not on the list".to_owned());
        }
        Ok(word)
    }

    /// Checks an unquoted character: one that the shell passes on unchanged, or part of a glob.
    fn plain(&self, c: char, first: bool, word: &mut Word) -> Result<(), String> {
        let (fish, dialect) = (self.shell.is_fish(), self.shell.dialect());
        let next = self.peek(1);
        let ends = next.is_none_or(|c| matches!(c, ' ' | '|' | '&' | ';'));
        let fine = match c {
            '*' | '?' | '[' | ']' => {
                word.glob = true;
                true
            }
            '~' if first => ends || next == Some('/'),
            '~' => {
                word.text.ends_with(|c: char| c.is_ascii_alphanumeric())
                    && next.is_some_and(|c| c.is_ascii_digit())
            }
            '=' => !(first && dialect.has_equals_words),
            '%' => !(first && fish),
            '^' => !first && !fish && !dialect.has_pattern_groups,
            '#' => !first && !dialect.has_pattern_groups,
            '!' => first && ends,
            '_' | '-' | '.' | '/' | ',' | ':' | '@' | '+' => true,
            // Some shells read bytes of other letters as blanks (bash on macOS does for `à`): those need quotes.
            _ => c.is_ascii_alphanumeric(),
        };
        if fine { Ok(()) } else { Err(format!("an unquoted `{c}` is not on the list")) }
    }

    fn single(&mut self, word: &mut Word) -> Result<(), String> {
        word.quoted = true;
        self.at += 1;
        loop {
            let c = self.peek(0).ok_or("a quote is open")?;
            self.at += 1;
            match (c, self.peek(0)) {
                // zsh may read two single quotes as one literal quote.
                ('\'', Some('\'')) => return Err("`''` is not on the list".to_owned()),
                ('\'', _) => return Ok(()),
                ('\\', Some(next @ ('\\' | '\''))) if self.shell.is_fish() => {
                    word.text.push(next);
                    self.at += 1;
                }
                _ => word.text.push(c),
            }
        }
    }

    fn double(&mut self, word: &mut Word) -> Result<(), String> {
        word.quoted = true;
        self.at += 1;
        loop {
            let c = self.peek(0).ok_or("a quote is open")?;
            self.at += 1;
            match (c, self.peek(0)) {
                ('"', _) => return Ok(()),
                ('\\', Some(next @ ('\\' | '"' | '$'))) => {
                    word.text.push(next);
                    self.at += 1;
                }
                ('$' | '`', _) | ('\\', Some('`')) => {
                    return Err(format!("`{c}` between double quotes is not on the list"));
                }
                ('!', _) if !self.shell.is_fish() => {
                    return Err("`!` between double quotes is not on the list".to_owned());
                }
                _ => word.text.push(c),
            }
        }
    }

    /// Parses a backslash escape, allowed only before punctuation, where all shells agree.
    fn escape(&mut self, word: &mut Word) -> Result<(), String> {
        word.quoted = true;
        let next = self.peek(1).filter(|c| c.is_ascii_punctuation() || *c == ' ');
        word.text.push(next.ok_or("a backslash before a letter is not on the list")?);
        self.at += 2;
        Ok(())
    }
}
