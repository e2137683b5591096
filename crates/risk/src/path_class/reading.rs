//! Converts a word to a path: expands `~`, variables and substitutions as far as the command line determines them, and
//! removes `.`, `..` and doubled slashes.

use std::fmt;

use super::pattern::{BYTES_MAX, is_wide};
use super::{TABLE, matches};
use askline_syntax::shell::Shell;

/// Maximum nesting of values inside values.
const DEPTH_MAX: usize = 4;

/// Minimum number of characters before the first wildcard with which a pattern is specific enough for a name.
const HEAD_MIN: usize = 2;
/// Minimum number of letters after the last wildcard with which a pattern is specific enough; a file extension does
/// not count (`*rsa`, but not `*.json`).
const TAIL_MIN: usize = 3;

/// A path without `.`, `..` and doubled slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) base: Base,
    /// Number of leading `..`, for [`Base::Here`].
    pub(super) climbs: usize,
    pub(super) components: Vec<Component>,
    /// `true` if the start of the path is a variable that may be unset.
    pub(super) doubtful: bool,
}

/// Start of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// No path: the word is empty.
    Nothing,
    Here,
    Home,
    Root,
    Unknown,
}

/// A name between slashes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Component {
    pub(super) text: String,
    /// `true` if the name is a pattern.
    pub(super) glob: bool,
    /// `Some` if a part cannot be read; `true` if that part may be empty.
    unknown: Option<bool>,
}

impl Component {
    /// Reports whether no part of the name can be read.
    pub(super) fn is_unknown(&self) -> bool {
        self.unknown.is_some() && self.text.chars().all(|c| "*?".contains(c))
    }

    /// Reports whether the name may be empty at run time.
    pub(super) fn may_be_empty(&self) -> bool {
        self.unknown == Some(true) && self.is_unknown()
    }

    /// Reports whether the name is a pattern that matches nearly every name: `*`, `.*`, `.[!.]*`, `**`, `*(D)`, all
    /// but one.
    pub(super) fn is_all(&self) -> bool {
        self.glob && self.unknown.is_none() && is_wide(&self.text)
    }

    /// Reports whether everything that the name may match is covered by a pattern of `path_class.toml`.
    pub(super) fn is_covered(&self, pattern: &str) -> bool {
        self.unknown.is_none() && matches(pattern, &self.text)
    }

    /// Reports whether the name matches a pattern deliberately: `cred*` is written for `credentials.json`, `*.json` is
    /// not.
    pub(super) fn is_meant(&self, pattern: &str) -> bool {
        if !self.glob {
            return self.fits(pattern);
        }
        let text = without_sets(&self.text);
        let head = text.find(['*', '?']).and_then(|end| text.get(..end)).unwrap_or(&text);
        let tail = text.rfind(['*', '?']).and_then(|end| text.get(end + 1..)).unwrap_or_default();
        let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let is_close = head.chars().count() >= HEAD_MIN
            || !text.contains('*') && count(&text) > 0
            || !tail.contains('.') && count(tail) >= TAIL_MIN;
        matches(pattern, &self.text) || is_close && self.unknown.is_none() && matches(&text, pattern)
    }

    /// Reports whether the name may match a pattern of `path_class.toml`.
    pub(super) fn fits(&self, pattern: &str) -> bool {
        if self.unknown.is_some() {
            return !self.text.is_empty() && !self.is_unknown() && matches(pattern, &self.text);
        }
        matches(pattern, &self.text) || (self.glob && matches(&self.text, pattern))
    }
}

/// Replaces each character set (`[ab]`) of a pattern by `?`.
fn without_sets(text: &str) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((_, after)) = after.split_once(']') else { break };
        found.push_str(before);
        found.push('?');
        rest = after;
    }
    found.push_str(rest);
    found
}

impl Path {
    /// Returns the path in lower case, for file systems that ignore case; `None` if it has no capitals.
    pub(super) fn lowered(&self) -> Option<Self> {
        let mut path = self.clone();
        let mut names = path.components.iter_mut().filter(|name| name.text.chars().any(char::is_uppercase));
        let mut changed = false;
        for name in &mut names {
            name.text = name.text.to_lowercase();
            changed = true;
        }
        changed.then_some(path)
    }

    /// Returns the number of names below a directory; `None` if the path is not in it.
    pub(super) fn below(&self, directory: &str) -> Option<usize> {
        if self.base != Base::Root {
            return None;
        }
        let mut names = self.components.iter();
        for part in directory.split('/').filter(|part| !part.is_empty()) {
            // File systems of macOS ignore case.
            let name = names.next()?;
            let capital = part.starts_with(|c: char| c.is_ascii_uppercase());
            if name.text != part && !(capital && name.text.eq_ignore_ascii_case(part)) {
                return None;
            }
        }
        Some(names.len())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<String> = match self.base {
            Base::Nothing | Base::Here => vec!["..".to_owned(); self.climbs.min(16)],
            Base::Home => vec!["~".to_owned()],
            Base::Root => vec![String::new()],
            Base::Unknown if self.doubtful => vec!["…".to_owned()],
            Base::Unknown => Vec::new(),
        };
        names.extend(self.components.iter().map(|component| {
            let mut name = component.text.clone();
            if component.unknown.is_some() {
                name.push('…');
            }
            name
        }));
        match (self.base, names.len()) {
            (Base::Root, 1) => f.write_str("/"),
            (Base::Here, 0) => f.write_str("."),
            _ => f.write_str(&names.join("/")),
        }
    }
}

/// A part of a word.
enum WordPart {
    Text(String),
    /// Known value of an expansion: `~`, `/tmp`.
    Value(String),
    /// Value of an expansion if the variable is set.
    Perhaps(String),
    Unknown {
        empty: bool,
    },
}

/// Converts the text of a word to a path.
pub(super) fn read(text: &str, shell: Shell, expands: bool, globs: bool) -> Path {
    if text.len() > BYTES_MAX {
        return unknown();
    }
    let pieces =
        if expands { Scan { rest: text, shell }.pieces(0) } else { vec![WordPart::Text(text.to_owned())] };
    let mut draft = PathDraft { globs, ..PathDraft::default() };
    for piece in pieces {
        match piece {
            WordPart::Text(text) => draft.push(&text),
            WordPart::Value(value) => draft.value(&value),
            WordPart::Perhaps(value) => {
                draft.doubtful |= draft.at_head();
                draft.value(&value);
            }
            WordPart::Unknown { empty } => draft.unknown(empty),
        }
    }
    let doubtful = draft.doubtful;
    let path = without_aliases(draft.finish());
    if doubtful { Path { base: Base::Unknown, doubtful, ..path } } else { path }
}

fn unknown() -> Path {
    let component = Component { unknown: Some(true), ..Component::default() };
    Path { base: Base::Unknown, climbs: 0, components: vec![component], doubtful: true }
}

/// Replaces aliases of directories: `/private/etc` is `/etc`.
fn without_aliases(path: Path) -> Path {
    for alias in &TABLE.aliases {
        let Some(rest) = path.below(&alias.from) else { continue };
        let tail = path.components.iter().skip(path.components.len() - rest).cloned();
        let mut draft = PathDraft::default();
        draft.value(&alias.to);
        let mut replaced = draft.finish();
        replaced.components.extend(tail);
        return replaced;
    }
    path
}

/// A path under construction.
#[derive(Default)]
struct PathDraft {
    globs: bool,
    /// `None` until there is some text.
    base: Option<Base>,
    climbs: usize,
    components: Vec<Component>,
    current: Component,
    /// `Some` if `~` or `.` was inserted and no slash followed yet.
    glued: Option<Base>,
    /// `true` if the start of the path may be missing.
    doubtful: bool,
    /// Number of open brackets in the current name; a slash inside them does not end it.
    brackets: usize,
}

impl PathDraft {
    /// Reports whether the path so far is empty or consists of slashes.
    fn at_head(&self) -> bool {
        matches!(self.base, None | Some(Base::Root))
            && self.components.is_empty()
            && self.current == Component::default()
            && self.glued.is_none()
    }

    fn push(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '/' if self.brackets == 0 => self.slash(),
                _ => {
                    self.base.get_or_insert(Base::Here);
                    if self.globs {
                        match c {
                            '(' => self.brackets += 1,
                            ')' => self.brackets = self.brackets.saturating_sub(1),
                            _ => {}
                        }
                        self.current.glob |= "*?[(^".contains(c);
                    }
                    self.current.text.push(c);
                }
            }
        }
    }

    fn value(&mut self, value: &str) {
        if !self.at_head() {
            return if value.contains(['/', '~']) { self.unknown(false) } else { self.push(value) };
        }
        let (base, rest) = match value.split_at_checked(1) {
            Some(("~", rest)) => (Some(Base::Home), rest),
            Some((".", rest)) if rest.is_empty() || rest.starts_with('/') => (Some(Base::Here), rest),
            _ => (None, value),
        };
        if let Some(base) = base {
            self.base = Some(base);
            self.glued = Some(base);
        } else {
            self.base = None;
        }
        self.push(rest);
    }

    fn unknown(&mut self, empty: bool) {
        if self.base.is_none() {
            self.base = Some(Base::Unknown);
        }
        self.current.unknown = Some(self.current.unknown.unwrap_or(true) && empty);
    }

    fn slash(&mut self) {
        self.end_component();
        self.base.get_or_insert(Base::Root);
    }

    fn end_component(&mut self) {
        let component = std::mem::take(&mut self.current);
        let glued = self.glued.take();
        if component.unknown.is_none() {
            match component.text.as_str() {
                "" | "." => return,
                ".." => return self.up(),
                _ => {}
            }
        }
        match glued {
            // `${HOME}x` is a sibling of the home directory.
            Some(Base::Home) => {
                self.base = Some(Base::Root);
                self.components.push(Component { text: "home".to_owned(), ..Component::default() });
            }
            Some(_) => self.climbs += 1,
            None => {}
        }
        self.components.push(component);
    }

    fn up(&mut self) {
        if self.components.pop().is_some() {
            return;
        }
        match self.base {
            Some(Base::Home) => {
                self.base = Some(Base::Root);
                self.components.push(Component { text: "home".to_owned(), ..Component::default() });
            }
            Some(Base::Here) => self.climbs += 1,
            _ => {}
        }
    }

    fn finish(mut self) -> Path {
        self.end_component();
        let base = self.base.unwrap_or(Base::Nothing);
        Path { base, climbs: self.climbs, components: self.components, doubtful: false }
    }
}

/// Scanner of the parts of a word.
struct Scan<'a> {
    rest: &'a str,
    shell: Shell,
}

impl<'a> Scan<'a> {
    fn pieces(mut self, depth: usize) -> Vec<WordPart> {
        let mut pieces = Vec::new();
        if depth > DEPTH_MAX {
            return vec![WordPart::Unknown { empty: true }];
        }
        // In Nushell's `$"…"` only the text in parentheses is expanded.
        let interpolated =
            self.shell.is_nushell() && ["$\"", "$'", "$`"].iter().any(|quote| self.rest.starts_with(quote));
        if interpolated {
            self.rest = self.rest.get(2..).unwrap_or_default().trim_end_matches(['"', '\'', '`']);
        }
        // Nushell's spread operator: `...$files`.
        if self.shell.is_nushell()
            && let Some(rest) = self.rest.strip_prefix("...").filter(|rest| rest.starts_with(['$', '(', '[']))
        {
            self.rest = rest;
        }
        if let Some(value) = self.head() {
            pieces.push(value);
        }
        let mut text = String::new();
        while let Some(c) = self.rest.chars().next() {
            let piece = match c {
                '$' if !interpolated => self.dollar(depth),
                '`' if self.shell.is_posix() => {
                    let inside = self.until('`');
                    Some(self.substitution(inside, depth))
                }
                '(' if !self.shell.is_posix() => {
                    let inside = self.enclosed('(', ')');
                    Some(self.substitution(inside, depth))
                }
                _ => None,
            };
            if let Some(piece) = piece {
                if !text.is_empty() {
                    pieces.push(WordPart::Text(std::mem::take(&mut text)));
                }
                pieces.push(piece);
            } else {
                text.push(c);
                self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
        if !text.is_empty() {
            pieces.push(WordPart::Text(text));
        }
        pieces
    }

    /// Scans `~`, `~user`, zsh's `=command`, or `<(…)` at the start of a word.
    fn head(&mut self) -> Option<WordPart> {
        if let Some(rest) = self.rest.strip_prefix('~') {
            let count = rest.find('/').unwrap_or(rest.len());
            let (user, rest) = rest.split_at_checked(count)?;
            let piece = match user {
                "" => WordPart::Value("~".to_owned()),
                "+" => WordPart::Value(".".to_owned()),
                "root" => WordPart::Value("/root".to_owned()),
                _ if user.starts_with('-') || user.starts_with(|c: char| c.is_ascii_digit()) => {
                    WordPart::Unknown { empty: false }
                }
                _ if user.starts_with('$') => WordPart::Value("/home/user".to_owned()),
                _ if user.chars().all(|c| c.is_alphanumeric() || "._-".contains(c)) => {
                    WordPart::Value(format!("/home/{user}"))
                }
                _ => return None,
            };
            self.rest = rest;
            return Some(piece);
        }
        if self.shell.dialect().has_equals_words
            && let Some(name) = self.rest.strip_prefix('=')
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        {
            self.rest = name;
            return Some(WordPart::Value("/usr/bin/".to_owned()));
        }
        if self.rest.starts_with("<(") || self.rest.starts_with(">(") {
            self.rest = "";
            return Some(WordPart::Value("/dev/fd/9".to_owned()));
        }
        None
    }

    /// Scans an expansion that starts with `$` at the cursor; `None` if nothing is expanded.
    fn dollar(&mut self, depth: usize) -> Option<WordPart> {
        let after = self.rest.get(1..)?;
        match after.chars().next()? {
            '(' if after.starts_with("((") && !self.shell.is_nushell() => {
                self.rest = after;
                self.enclosed('(', ')');
                Some(WordPart::Text("0".to_owned()))
            }
            '(' if !self.shell.is_nushell() => {
                self.rest = after;
                let inside = self.enclosed('(', ')');
                Some(self.substitution(inside, depth))
            }
            '{' if self.shell.is_posix() => {
                self.rest = after;
                let inside = self.enclosed('{', '}');
                Some(braced(inside))
            }
            _ => {
                let nu = self.shell.is_nushell();
                let part = |c: char| c.is_alphanumeric() || c == '_' || (nu && "-.?".contains(c));
                let count = after.find(|c| !part(c)).unwrap_or(after.len());
                let special = after.chars().next().filter(|c| "@*#?-$!".contains(*c));
                let count = if count == 0 { special?.len_utf8() } else { count };
                let (name, rest) = after.split_at_checked(count)?;
                self.rest = rest;
                if !self.shell.is_nushell() && self.rest.starts_with('[') {
                    self.enclosed('[', ']');
                    return Some(WordPart::Unknown { empty: true });
                }
                Some(variable(&name.replace('?', if nu { "" } else { "?" })))
            }
        }
    }

    /// Returns the text between the character at the cursor and the next `end`, and moves past it.
    fn until(&mut self, end: char) -> &'a str {
        let inside = self.rest.get(1..).unwrap_or_default();
        let (inside, rest) = inside.split_once(end).unwrap_or((inside, ""));
        self.rest = rest;
        inside
    }

    /// Returns the text in the brackets that open at the cursor, and moves past them.
    fn enclosed(&mut self, open: char, close: char) -> &'a str {
        let mut depth = 0usize;
        for (at, c) in self.rest.char_indices() {
            if c == open {
                depth += 1;
            } else if c == close {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let inside = self.rest.get(open.len_utf8()..at).unwrap_or_default();
                    self.rest = self.rest.get(at + close.len_utf8()..).unwrap_or_default();
                    return inside;
                }
            }
        }
        let inside = self.rest.get(open.len_utf8()..).unwrap_or_default();
        self.rest = "";
        inside
    }

    /// Returns the path that a command's output names.
    fn substitution(&self, raw: &str, depth: usize) -> WordPart {
        let command = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let command = command.replace(['"', '\''], "");
        if let Some(value) = TABLE.substitutions.get(&command) {
            return WordPart::Value(value.clone());
        }
        if TABLE.names.commands.iter().any(|name| command.split(' ').next() == Some(name)) {
            return WordPart::Text("0".to_owned());
        }
        // In Nushell the parentheses may contain a value instead of a command.
        let is_value =
            raw.trim_start().starts_with(['$', '"', '\'', '`', '~']) || raw.trim_start().starts_with("pwd ");
        if self.shell.is_nushell() && is_value {
            return self.pipeline(&command, depth);
        }
        WordPart::Unknown { empty: true }
    }

    /// Evaluates a Nushell pipeline such as `$env.HOME | path join x`.
    fn pipeline(&self, text: &str, depth: usize) -> WordPart {
        let mut stages = text.split(" | ");
        let first = Scan { rest: stages.next().unwrap_or_default(), shell: self.shell }.pieces(depth + 1);
        let Ok([piece]) = <[WordPart; 1]>::try_from(first) else { return WordPart::Unknown { empty: true } };
        let (WordPart::Value(mut value) | WordPart::Text(mut value)) = piece else { return piece };
        if let Some(known) = TABLE.substitutions.get(&value) {
            value.clone_from(known);
        }
        for stage in stages {
            if let Some(more) = stage.strip_prefix("path join ") {
                for name in more.split(' ') {
                    value.push('/');
                    value.push_str(name);
                }
            } else if stage == "path dirname" {
                value.push_str("/..");
            } else if !matches!(stage, "path expand" | "into string" | "str trim") {
                return WordPart::Unknown { empty: true };
            }
        }
        // A variable or a call in the value is not followed further.
        if value.contains(['$', '(']) { WordPart::Unknown { empty: true } } else { WordPart::Value(value) }
    }
}

/// Returns the known value of a variable.
fn variable(name: &str) -> WordPart {
    if let Some(value) = TABLE.variables.get(name) {
        return WordPart::Value(value.clone());
    }
    if let Some(value) = TABLE.unset.get(name) {
        return WordPart::Perhaps(value.clone());
    }
    if TABLE.names.variables.iter().any(|known| known == name) {
        return WordPart::Text("0".to_owned());
    }
    WordPart::Unknown { empty: true }
}

/// Returns the value of `${…}`.
fn braced(inside: &str) -> WordPart {
    if inside.starts_with('#') && inside.len() > 1 {
        return WordPart::Text("0".to_owned());
    }
    let count = inside.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inside.len());
    let Some((name, change)) = inside.split_at_checked(count) else {
        return WordPart::Unknown { empty: true };
    };
    let known = variable(name);
    let refuses = change.starts_with(":?") || change.starts_with('?');
    let default = change.strip_prefix(":-").or_else(|| change.strip_prefix(":="));
    match (known, change) {
        (known, "") => known,
        (WordPart::Perhaps(value), _) if refuses => WordPart::Value(value),
        (WordPart::Value(value), _) if refuses || default.is_some() => WordPart::Value(value),
        // With a default the path is one of two, unless the default equals the known value.
        (WordPart::Perhaps(value), _) if default == Some(value.as_str()) => WordPart::Value(value),
        (WordPart::Value(value), "%/*" | ":h") => WordPart::Value(format!("{value}/..")),
        (WordPart::Value(_), "##*/" | ":t") => WordPart::Text("0".to_owned()),
        (WordPart::Text(text), _) => WordPart::Text(text),
        _ if refuses => WordPart::Unknown { empty: false },
        _ => WordPart::Unknown { empty: default.is_none_or(str::is_empty) },
    }
}
