//! The expression of a `find` command: its starting points, options, tests and actions, with their grouping.

use std::sync::LazyLock;

use askline_syntax::options::{Options as _, ProgramOptions};
use askline_syntax::{SimpleCommand, Span, Word, program_name};

/// Maximum nesting of parentheses that is read.
const DEPTH_MAX: usize = 16;

/// Tests, options and actions with one value. Those that are missing here have none, or run a command, or have two.
static WITH_VALUE: LazyLock<ProgramOptions> = LazyLock::new(|| ProgramOptions::of_all("find"));
/// Actions. A line without one prints.
const ACTIONS: [&str; 14] = [
    "-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ls", "-ok", "-okdir",
    "-print", "-print0", "-printf", "-quit",
];
/// Actions that write, delete or run something.
pub(crate) const HARMFUL: [&str; 9] =
    ["-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok", "-okdir"];
/// Options that count for the whole expression, wherever they are.
const GLOBAL: [&str; 9] = [
    "-depth",
    "-maxdepth",
    "-mindepth",
    "-mount",
    "-xdev",
    "-noleaf",
    "-regextype",
    "-daystart",
    "-ignore_readdir_race",
];
/// Tests for the name, which people join by "or".
const NAMES: [&str; 8] =
    ["-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-wholename", "-iwholename"];

/// A parsed expression.
#[derive(Debug)]
pub(crate) struct FindExpression<'w> {
    /// Offset behind the last starting point, where an option may be inserted.
    pub(crate) options_at: usize,
    /// Offset behind the last word.
    pub(crate) end: usize,
    /// All options, tests and actions in order.
    pub(crate) primaries: Vec<Primary<'w>>,
    /// The expression; `None` if it has no tests and actions.
    pub(crate) tree: Option<Node>,
}

/// An option, test or action.
#[derive(Debug, Clone)]
pub(crate) struct Primary<'w> {
    /// Name with its dash.
    pub(crate) name: &'w str,
    /// The value, if it has one.
    pub(crate) value: Option<&'w Word>,
    /// Bytes of the line from the name to the end of the value or of the embedded command.
    pub(crate) span: Span,
    /// `true` within an odd number of negations.
    pub(crate) negated: bool,
}

/// A node of the expression. Numbers are indices of primaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// A primary.
    Primary(usize),
    /// A negated node.
    Not(Box<Node>),
    /// Nodes that must all hold, in order; a parenthesis is one node.
    All(Vec<Node>),
    /// Alternatives.
    Any(Vec<Node>),
    /// A node in parentheses.
    Group(Box<Node>),
}

impl Node {
    /// Reports whether it is or has alternatives at any depth.
    pub(crate) fn has_alternatives(&self) -> bool {
        match self {
            Self::Any(_) => true,
            Self::All(nodes) => nodes.iter().any(Self::has_alternatives),
            Self::Not(node) | Self::Group(node) => node.has_alternatives(),
            Self::Primary(_) => false,
        }
    }
}

impl Primary<'_> {
    /// Reports whether it does something with the files found.
    pub(crate) fn is_action(&self) -> bool {
        ACTIONS.contains(&self.name)
    }

    /// Reports whether it is an option of the whole search.
    pub(crate) fn is_global(&self) -> bool {
        GLOBAL.contains(&self.name)
    }

    /// Reports whether it tests the name or path.
    pub(crate) fn is_name_test(&self) -> bool {
        NAMES.contains(&self.name)
    }

    /// Returns the value, if the shell changes nothing in it.
    pub(crate) fn literal(&self) -> Option<&str> {
        self.value.filter(|word| word.literal).map(|word| word.text.as_str())
    }
}

impl<'w> FindExpression<'w> {
    /// Parses a command; `None` if it is no `find`, or its expression can't be read.
    pub(crate) fn of(command: &'w SimpleCommand) -> Option<Self> {
        let name = command.name()?;
        if !matches!(program_name(name), "find" | "gfind") {
            return None;
        }
        let words = command.words.as_slice();
        let is_start = |word: &Word| {
            let text = word.text.as_str();
            !(matches!(text, "!" | "(" | ")" | ",") || text.starts_with('-') && text.len() > 1)
        };
        let links = |word: &&Word| matches!(word.text.as_str(), "-H" | "-L" | "-P");
        let n_links = words.iter().skip(1).take_while(links).count();
        let n_roots = words.iter().skip(1 + n_links).take_while(|word| is_start(word)).count();
        let first = 1 + n_links + n_roots;
        let options_at = words.get(first - 1)?.span.end;
        let mut parser = Parser { words, next: first, primaries: Vec::new(), negated: false };
        let tree = if first < words.len() { Some(parser.any(0)?) } else { None };
        (parser.next == words.len()).then_some(Self {
            options_at,
            end: words.last().map_or(options_at, |word| word.span.end),
            primaries: parser.primaries,
            tree,
        })
    }

    /// Returns the primaries of these names.
    pub(crate) fn named<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s Primary<'w>> {
        self.primaries.iter().filter(|primary| names.contains(&primary.name))
    }

    /// Returns the edit that adds a test to all of the others: before the actions, which end the expression, or at its end, behind a
    /// parenthesis. `None` if the test would count for a part only.
    pub(crate) fn with_test(&self, test: &str) -> Option<(usize, String)> {
        if matches!(self.tree, Some(Node::Any(_))) {
            return None;
        }
        let Some(first) = self.primaries.iter().position(Primary::is_action) else {
            return Some((self.end, format!(" {test}")));
        };
        let actions = self.primaries.get(first..)?;
        let are_last = actions.last()?.span.end == self.end;
        let are_plain = actions.iter().all(|it| it.is_action() && !it.negated);
        let start = actions.first()?.span.start;
        (are_last && are_plain).then(|| (start, format!("{test} ")))
    }

    /// Reports whether it takes only files: `-type f`, which all of them must meet.
    pub(crate) fn takes_files(&self) -> bool {
        let is_file = |node: &Node| match node {
            Node::Primary(at) => self
                .primaries
                .get(*at)
                .is_some_and(|test| test.name == "-type" && !test.negated && test.literal() == Some("f")),
            _ => false,
        };
        match &self.tree {
            Some(Node::All(nodes)) => nodes.iter().any(is_file),
            Some(node) => is_file(node),
            None => false,
        }
    }

    /// Returns the tests that leave out a folder below the working directory, and itself if it could be found too. `None` where
    /// something is done with a folder above it: deleting that would delete it. `ends` is `true` if the output goes nowhere else.
    pub(crate) fn without(&self, folder: &str, ends: bool) -> Option<String> {
        let below = format!("! -path './{folder}/*'");
        let is_listing =
            ends && self.primaries.iter().all(|it| !it.is_action() || it.name.starts_with("-print"));
        match self.takes_files() {
            true => Some(below),
            false => (is_listing || !folder.contains('/')).then(|| format!("! -path './{folder}' {below}")),
        }
    }

    /// Returns the first action.
    pub(crate) fn action(&self) -> Option<&Primary<'w>> {
        self.primaries.iter().find(|primary| primary.is_action())
    }
}

struct Parser<'w> {
    words: &'w [Word],
    next: usize,
    primaries: Vec<Primary<'w>>,
    negated: bool,
}

impl<'w> Parser<'w> {
    fn peek(&self) -> Option<&'w str> {
        self.words.get(self.next).map(|word| word.text.as_str())
    }

    fn take(&mut self, texts: &[&str]) -> bool {
        let found = self.peek().is_some_and(|text| texts.contains(&text));
        self.next += usize::from(found);
        found
    }

    fn any(&mut self, depth: usize) -> Option<Node> {
        let mut nodes = vec![self.all(depth)?];
        while self.take(&["-o", "-or", ","]) {
            nodes.push(self.all(depth)?);
        }
        Some(if nodes.len() == 1 { nodes.swap_remove(0) } else { Node::Any(nodes) })
    }

    fn all(&mut self, depth: usize) -> Option<Node> {
        let mut nodes = Vec::new();
        while let Some(text) = self.peek() {
            if matches!(text, "-o" | "-or" | "," | ")" | "\\)") {
                break;
            }
            if !self.take(&["-a", "-and"]) {
                nodes.push(self.one(depth)?);
            }
        }
        match nodes.len() {
            0 => None,
            1 => nodes.pop(),
            _ => Some(Node::All(nodes)),
        }
    }

    fn one(&mut self, depth: usize) -> Option<Node> {
        if depth > DEPTH_MAX {
            return None;
        }
        if self.take(&["!", "-not", "\\!"]) {
            self.negated = !self.negated;
            let node = self.one(depth + 1);
            self.negated = !self.negated;
            return Some(Node::Not(Box::new(node?)));
        }
        if self.take(&["(", "\\("]) {
            let node = self.any(depth + 1)?;
            return self.take(&[")", "\\)"]).then(|| Node::Group(Box::new(node)));
        }
        self.primary().map(Node::Primary)
    }

    fn primary(&mut self) -> Option<usize> {
        let word = self.words.get(self.next)?;
        let name = word.text.as_str();
        if !name.starts_with('-') || !word.literal {
            return None;
        }
        self.next += 1;
        let mut end = word.span.end;
        let mut value = None;
        if matches!(name, "-exec" | "-execdir" | "-ok" | "-okdir") {
            end = self.command_end()?;
        } else if name == "-fprintf" {
            end = self.words.get(self.next + 1)?.span.end;
            self.next += 2;
        } else if WITH_VALUE.takes(name).is_some() {
            let word = self.words.get(self.next)?;
            (value, end) = (Some(word), word.span.end);
            self.next += 1;
        }
        self.primaries.push(Primary { name, value, span: word.span.start..end, negated: self.negated });
        Some(self.primaries.len() - 1)
    }

    /// Skips the words of an embedded command; returns the offset behind its end.
    fn command_end(&mut self) -> Option<usize> {
        loop {
            let word = self.words.get(self.next)?;
            self.next += 1;
            if matches!(word.text.as_str(), ";" | "\\;" | "+") {
                return Some(word.span.end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    /// Writes the expression with explicit operators.
    fn shape(line: &str) -> String {
        fn write(node: &Node, primaries: &[Primary<'_>]) -> String {
            let join = |nodes: &[Node], with: &str| {
                nodes.iter().map(|node| write(node, primaries)).collect::<Vec<_>>().join(with)
            };
            match node {
                Node::Primary(index) => {
                    let primary = &primaries[*index];
                    let value = primary.value.map(|word| format!("={}", word.text)).unwrap_or_default();
                    format!("{}{value}", primary.name)
                }
                Node::Not(node) => format!("!{}", write(node, primaries)),
                Node::All(nodes) => join(nodes, " & "),
                Node::Any(nodes) => join(nodes, " | "),
                Node::Group(node) => format!("({})", write(node, primaries)),
            }
        }
        let line = ParsedLine::new(line, Shell::Bash);
        let commands = &line.parsed().commands;
        let Some(find) = FindExpression::of(&commands[0]) else { return "unreadable".to_owned() };
        let tree = find.tree.as_ref().map(|tree| write(tree, &find.primaries)).unwrap_or_default();
        format!("{}: {tree}", line.text().get(..find.options_at).unwrap())
    }

    #[test]
    fn expressions_are_read_with_their_grouping() {
        for (line, expected) in [
            ("find", "find: "),
            ("find . a", "find . a: "),
            ("find -name x", "find: -name=x"),
            ("find -L . -type f -name '*.c'", "find -L .: -type=f & -name=*.c"),
            ("find . -name a -o -name b -delete", "find .: -name=a | -name=b & -delete"),
            ("find . \\( -name a -or -name b \\) -a -print", "find .: (-name=a | -name=b) & -print"),
            ("find . ! -name a -not \\( -empty \\)", "find .: !-name=a & !(-empty)"),
            ("find . -exec rm -f {} + -name x", "find .: -exec & -name=x"),
            ("find . -type f -exec grep -l x {} \\; -print", "find .: -type=f & -exec & -print"),
            ("find . -newermt yesterday", "find .: -newermt=yesterday"),
            ("find . -name a -fprint0 out", "find .: -name=a & -fprint0=out"),
            ("find . -fprintf out %p -name a", "find .: -fprintf & -name=a"),
            ("find . -Btime 3 -xattrname x -empty", "find .: -Btime=3 & -xattrname=x & -empty"),
            ("find . -name", "unreadable"),
            ("find . \\( -name a", "unreadable"),
            ("find . -name a -o", "unreadable"),
            ("find . $x", "find . $x: "),
            ("ls -name x", "unreadable"),
        ] {
            assert_eq!(shape(line), expected, "{line}");
        }
    }
}
