//! A path made of a word: what the shell puts in for `~`, variables and substitutions, as far as the line tells, and
//! without `.`, `..` and doubled slashes.

use std::fmt;

use super::pattern::is_wide;
use super::{TABLE, matches};
use crate::shell::Shell;

/// Bytes of a word that are read; longer ones can't be read.
pub(super) const MAX_BYTES: usize = 8192;
/// Values inside values.
const MAX_DEPTH: usize = 4;

/// Characters of a name that a pattern must give before it counts as written for that name.
const MIN_HEAD: usize = 2;
/// Letters that it must give at its end instead, which are no ending (`*rsa`, but not `*.json`).
const MIN_TAIL: usize = 3;

/// A path without `.`, `..` and doubled slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) base: Base,
    /// `..` at its head, below [`Base::Here`].
    pub(super) climbs: usize,
    pub(super) components: Vec<Component>,
    /// Its head comes from a variable that may be unset.
    pub(super) doubtful: bool,
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// There is no path: the word is empty.
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
    /// It is a pattern.
    pub(super) glob: bool,
    /// Something in it can't be read, and whether that may be empty.
    unknown: Option<bool>,
}

impl Component {
    /// Nothing of it can be read.
    pub(super) fn is_unknown(&self) -> bool {
        self.unknown.is_some() && self.text.chars().all(|c| "*?".contains(c))
    }

    /// It may turn out to be nothing.
    pub(super) fn may_be_empty(&self) -> bool {
        self.unknown == Some(true) && self.is_unknown()
    }

    /// A pattern that nearly every name fits: `*`, `.*`, `.[!.]*`, `**`, `*(D)`, all but one.
    pub(super) fn is_all(&self) -> bool {
        self.glob && self.unknown.is_none() && is_wide(&self.text)
    }

    /// All that it stands for fits a pattern of `places.toml`.
    pub(super) fn is_covered(&self, pattern: &str) -> bool {
        self.unknown.is_none() && matches(pattern, &self.text)
    }

    /// It fits a pattern, and not by chance: `*.json` is not written for `credentials.json`, `cred*` is.
    pub(super) fn is_meant(&self, pattern: &str) -> bool {
        if !self.glob {
            return self.fits(pattern);
        }
        let text = without_sets(&self.text);
        let head = text.find(['*', '?']).and_then(|end| text.get(..end)).unwrap_or(&text);
        let tail = text.rfind(['*', '?']).and_then(|end| text.get(end + 1..)).unwrap_or_default();
        let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let is_close = head.chars().count() >= MIN_HEAD
            || !text.contains('*') && count(&text) > 0
            || !tail.contains('.') && count(tail) >= MIN_TAIL;
        matches(pattern, &self.text) || is_close && self.unknown.is_none() && matches(&text, pattern)
    }

    /// Whether a pattern of `places.toml` may fit it.
    pub(super) fn fits(&self, pattern: &str) -> bool {
        if self.unknown.is_some() {
            return !self.text.is_empty() && !self.is_unknown() && matches(pattern, &self.text);
        }
        matches(pattern, &self.text) || (self.glob && matches(&self.text, pattern))
    }
}

/// A pattern with `?` for each set of characters (`[ab]`).
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
    /// The same in lower case, as file systems have it that don't tell letters apart by size; none where it is that.
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

    /// How many names it has below a directory, if it is that directory or in it.
    pub(super) fn below(&self, directory: &str) -> Option<usize> {
        if self.base != Base::Root {
            return None;
        }
        let mut names = self.components.iter();
        for part in directory.split('/').filter(|part| !part.is_empty()) {
            // The file systems of macOS don't tell letters apart by size.
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

/// A piece of a word.
enum Piece {
    Text(String),
    /// What something expands to: `~`, `/tmp`.
    Value(String),
    /// What something expands to, if it is set.
    Perhaps(String),
    Unknown {
        empty: bool,
    },
}

/// Makes a path of a word's text.
pub(super) fn read(text: &str, shell: Shell, expands: bool, globs: bool) -> Path {
    if text.len() > MAX_BYTES {
        return unknown();
    }
    let pieces =
        if expands { Scan { rest: text, shell }.pieces(0) } else { vec![Piece::Text(text.to_owned())] };
    let mut draft = Draft { globs, ..Draft::default() };
    for piece in pieces {
        match piece {
            Piece::Text(text) => draft.push(&text),
            Piece::Value(value) => draft.value(&value),
            Piece::Perhaps(value) => {
                draft.doubtful |= draft.at_head();
                draft.value(&value);
            }
            Piece::Unknown { empty } => draft.unknown(empty),
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

/// `/private/etc` is `/etc`.
fn without_aliases(path: Path) -> Path {
    for alias in &TABLE.aliases {
        let Some(rest) = path.below(&alias.from) else { continue };
        let tail = path.components.iter().skip(path.components.len() - rest).cloned();
        let mut draft = Draft::default();
        draft.value(&alias.to);
        let mut replaced = draft.finish();
        replaced.components.extend(tail);
        return replaced;
    }
    path
}

/// A path while it is put together.
#[derive(Default)]
struct Draft {
    globs: bool,
    /// None until something stands there.
    base: Option<Base>,
    climbs: usize,
    components: Vec<Component>,
    current: Component,
    /// `~` or `.` was put in and no slash came since.
    glued: Option<Base>,
    /// The head may be missing.
    doubtful: bool,
    /// Brackets open in the current name; a slash in them ends nothing.
    brackets: usize,
}

impl Draft {
    /// Only slashes, if anything, so far.
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
            // `${HOME}x`: a neighbour.
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

/// A word's pieces.
struct Scan<'a> {
    rest: &'a str,
    shell: Shell,
}

impl<'a> Scan<'a> {
    fn pieces(mut self, depth: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if depth > MAX_DEPTH {
            return vec![Piece::Unknown { empty: true }];
        }
        // Nushell's `$"…"`: only what stands in parentheses is expanded.
        let interpolated =
            self.shell == Shell::Nu && ["$\"", "$'", "$`"].iter().any(|quote| self.rest.starts_with(quote));
        if interpolated {
            self.rest = self.rest.get(2..).unwrap_or_default().trim_end_matches(['"', '\'', '`']);
        }
        // Nushell's `...$files`.
        if self.shell == Shell::Nu
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
                '`' if matches!(self.shell, Shell::Bash | Shell::Zsh) => {
                    let inside = self.until('`');
                    Some(self.substitution(inside, depth))
                }
                '(' if matches!(self.shell, Shell::Fish | Shell::Nu) => {
                    let inside = self.enclosed('(', ')');
                    Some(self.substitution(inside, depth))
                }
                _ => None,
            };
            if let Some(piece) = piece {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(piece);
            } else {
                text.push(c);
                self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        pieces
    }

    /// `~`, `~user`, zsh's `=command`, `<(…)` at the head.
    fn head(&mut self) -> Option<Piece> {
        if let Some(rest) = self.rest.strip_prefix('~') {
            let count = rest.find('/').unwrap_or(rest.len());
            let (user, rest) = rest.split_at_checked(count)?;
            let piece = match user {
                "" => Piece::Value("~".to_owned()),
                "+" => Piece::Value(".".to_owned()),
                "root" => Piece::Value("/root".to_owned()),
                _ if user.starts_with('-') || user.starts_with(|c: char| c.is_ascii_digit()) => {
                    Piece::Unknown { empty: false }
                }
                _ if user.starts_with('$') => Piece::Value("/home/user".to_owned()),
                _ if user.chars().all(|c| c.is_alphanumeric() || "._-".contains(c)) => {
                    Piece::Value(format!("/home/{user}"))
                }
                _ => return None,
            };
            self.rest = rest;
            return Some(piece);
        }
        if self.shell == Shell::Zsh
            && let Some(name) = self.rest.strip_prefix('=')
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        {
            self.rest = name;
            return Some(Piece::Value("/usr/bin/".to_owned()));
        }
        if self.rest.starts_with("<(") || self.rest.starts_with(">(") {
            self.rest = "";
            return Some(Piece::Value("/dev/fd/9".to_owned()));
        }
        None
    }

    /// What begins with `$` at the cursor; none when nothing is expanded.
    fn dollar(&mut self, depth: usize) -> Option<Piece> {
        let after = self.rest.get(1..)?;
        match after.chars().next()? {
            '(' if after.starts_with("((") && self.shell != Shell::Nu => {
                self.rest = after;
                self.enclosed('(', ')');
                Some(Piece::Text("0".to_owned()))
            }
            '(' if self.shell != Shell::Nu => {
                self.rest = after;
                let inside = self.enclosed('(', ')');
                Some(self.substitution(inside, depth))
            }
            '{' if matches!(self.shell, Shell::Bash | Shell::Zsh) => {
                self.rest = after;
                let inside = self.enclosed('{', '}');
                Some(braced(inside))
            }
            _ => {
                let nu = self.shell == Shell::Nu;
                let part = |c: char| c.is_alphanumeric() || c == '_' || (nu && "-.?".contains(c));
                let count = after.find(|c| !part(c)).unwrap_or(after.len());
                let special = after.chars().next().filter(|c| "@*#?-$!".contains(*c));
                let count = if count == 0 { special?.len_utf8() } else { count };
                let (name, rest) = after.split_at_checked(count)?;
                self.rest = rest;
                if self.shell != Shell::Nu && self.rest.starts_with('[') {
                    self.enclosed('[', ']');
                    return Some(Piece::Unknown { empty: true });
                }
                Some(variable(&name.replace('?', if nu { "" } else { "?" })))
            }
        }
    }

    /// What stands between the cursor's character and the next `end`; steps behind it.
    fn until(&mut self, end: char) -> &'a str {
        let inside = self.rest.get(1..).unwrap_or_default();
        let (inside, rest) = inside.split_once(end).unwrap_or((inside, ""));
        self.rest = rest;
        inside
    }

    /// What stands in the brackets that open at the cursor; steps behind them.
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

    /// What a command's output names.
    fn substitution(&self, raw: &str, depth: usize) -> Piece {
        let command = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let command = command.replace(['"', '\''], "");
        if let Some(value) = TABLE.substitutions.get(&command) {
            return Piece::Value(value.clone());
        }
        if TABLE.names.commands.iter().any(|name| command.split(' ').next() == Some(name)) {
            return Piece::Text("0".to_owned());
        }
        // In Nushell a value may stand there instead of a command.
        let is_value =
            raw.trim_start().starts_with(['$', '"', '\'', '`', '~']) || raw.trim_start().starts_with("pwd ");
        if self.shell == Shell::Nu && is_value {
            return self.pipeline(&command, depth);
        }
        Piece::Unknown { empty: true }
    }

    /// Nushell: `$env.HOME | path join x`.
    fn pipeline(&self, text: &str, depth: usize) -> Piece {
        let mut stages = text.split(" | ");
        let first = Scan { rest: stages.next().unwrap_or_default(), shell: self.shell }.pieces(depth + 1);
        let Ok([piece]) = <[Piece; 1]>::try_from(first) else { return Piece::Unknown { empty: true } };
        let (Piece::Value(mut value) | Piece::Text(mut value)) = piece else { return piece };
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
                return Piece::Unknown { empty: true };
            }
        }
        // A variable or a call in it can't be followed further.
        if value.contains(['$', '(']) { Piece::Unknown { empty: true } } else { Piece::Value(value) }
    }
}

/// What a variable is known to hold.
fn variable(name: &str) -> Piece {
    if let Some(value) = TABLE.variables.get(name) {
        return Piece::Value(value.clone());
    }
    if let Some(value) = TABLE.unset.get(name) {
        return Piece::Perhaps(value.clone());
    }
    if TABLE.names.variables.iter().any(|known| known == name) {
        return Piece::Text("0".to_owned());
    }
    Piece::Unknown { empty: true }
}

/// What `${…}` holds.
fn braced(inside: &str) -> Piece {
    if inside.starts_with('#') && inside.len() > 1 {
        return Piece::Text("0".to_owned());
    }
    let count = inside.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inside.len());
    let Some((name, change)) = inside.split_at_checked(count) else { return Piece::Unknown { empty: true } };
    let known = variable(name);
    let refuses = change.starts_with(":?") || change.starts_with('?');
    let default = change.strip_prefix(":-").or_else(|| change.strip_prefix(":="));
    match (known, change) {
        (known, "") => known,
        (Piece::Perhaps(value), _) if refuses => Piece::Value(value),
        (Piece::Value(value), _) if refuses || default.is_some() => Piece::Value(value),
        // With a plain default it is one of two places.
        (Piece::Perhaps(value), _) if default == Some(value.as_str()) => Piece::Value(value),
        (Piece::Value(value), "%/*" | ":h") => Piece::Value(format!("{value}/..")),
        (Piece::Value(_), "##*/" | ":t") => Piece::Text("0".to_owned()),
        (Piece::Text(text), _) => Piece::Text(text),
        _ if refuses => Piece::Unknown { empty: false },
        _ => Piece::Unknown { empty: default.is_none_or(str::is_empty) },
    }
}
