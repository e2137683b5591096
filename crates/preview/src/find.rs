//! `find`: which names its tests select, and what its actions do to them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::glob::matches_text;
use super::overlay::{Overlay, shown};
use super::tree::{Kind, Node};
use super::{Foreseen, unforeseen};

/// Length of a minute in nanoseconds.
const MINUTE: i64 = 60_000_000_000;
/// Length of a day in nanoseconds.
const DAY: i64 = 24 * 60 * MINUTE;
/// Maximum depth of directories.
const DEPTH_MAX: usize = 200;

/// A call of `find`.
#[derive(Debug)]
pub(crate) struct Find {
    starts: Vec<PathBuf>,
    depths: (usize, usize),
    /// `true` if the content of a directory comes before it.
    contents_first: bool,
    expression: Expression,
    /// The commands of `-exec`.
    pub(crate) commands: Vec<Exec>,
}

/// A command of `-exec`.
#[derive(Debug)]
pub(crate) struct Exec {
    /// Its words; `{}` stands for the name.
    pub(crate) words: Vec<String>,
    /// `true` if it runs once with all names.
    pub(crate) at_once: bool,
}

/// What is to be done with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Prints the name.
    Print,
    /// Removes the name.
    Delete,
    /// Runs the command with this index.
    Exec(usize),
}

#[derive(Debug)]
enum Expression {
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Not(Box<Expression>),
    Test(Test),
    Act(Action),
    Prune,
}

#[derive(Debug)]
enum Test {
    Always,
    Name { pattern: String, any_case: bool },
    Path(String),
    Type(Vec<char>),
    Empty,
    Size { count: Count, unit: u64 },
    Days(Count),
    Minutes(Count),
    Younger(i64),
}

/// A number with its sign: `+2`, `-2`, `2`.
#[derive(Debug, Clone, Copy)]
enum Count {
    More(i64),
    Less(i64),
    Just(i64),
}

impl Count {
    fn of(text: &str) -> Option<Self> {
        let number =
            |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?;
        match text.split_at_checked(1) {
            Some(("+", digits)) => number(digits).map(Self::More),
            Some(("-", digits)) => number(digits).map(Self::Less),
            _ => number(text).map(Self::Just),
        }
    }

    fn holds(self, value: i64) -> bool {
        match self {
            Self::More(least) => value > least,
            Self::Less(most) => value < most,
            Self::Just(number) => value == number,
        }
    }
}

impl Find {
    /// Reads the words after `find`, expanded by the shell.
    pub(crate) fn read(words: &[String], files: &Overlay<'_>) -> Foreseen<Self> {
        let is_expression = |word: &String| word.starts_with('-') || word == "(" || word == "!";
        let first = words.iter().position(is_expression).unwrap_or(words.len());
        let (starts, rest) = words.split_at(first);
        let mut starts: Vec<PathBuf> = starts.iter().map(PathBuf::from).collect();
        if starts.is_empty() {
            starts.push(PathBuf::from("."));
        }
        let mut parser = Parser {
            words: rest,
            at: 0,
            depths: (0, usize::MAX),
            contents_first: false,
            commands: Vec::new(),
            files,
        };
        let expression = parser.alternatives()?;
        if parser.at < rest.len() {
            return unforeseen("the parentheses of `find` do not match");
        }
        let Parser { depths, contents_first, commands, .. } = parser;
        if contents_first && rest.iter().any(|word| word == "-prune") {
            return unforeseen("`-prune` does nothing beside `-delete` or `-depth`");
        }
        let expression = if expression.acts() {
            expression
        } else {
            Expression::And(vec![expression, Expression::Act(Action::Print)])
        };
        Ok(Self { starts, depths, contents_first, expression, commands })
    }

    /// Returns the actions in order, each with the name as `find` gives it to commands.
    pub(crate) fn actions(&self, files: &Overlay<'_>) -> Foreseen<Vec<(Action, PathBuf)>> {
        let mut found = Found::default();
        for start in &self.starts {
            let is_followed = start.as_os_str().as_encoded_bytes().ends_with(b"/");
            let path = if is_followed { files.target(start)? } else { files.resolve(start)? };
            if files.node(&path).is_some() {
                self.visit(&path, start, 0, files, &mut found)?;
            }
        }
        Ok(found.actions)
    }

    fn visit(
        &self,
        path: &Path,
        name: &Path,
        depth: usize,
        files: &Overlay<'_>,
        found: &mut Found,
    ) -> Foreseen<()> {
        let Some(node) = files.node(path) else { return Ok(()) };
        if depth > DEPTH_MAX {
            return unforeseen("the directories are too deep");
        }
        let mut visit = Visit { path, name, node: &node, pruned: false, files, found };
        let is_tested = depth >= self.depths.0;
        if is_tested && !self.contents_first {
            self.expression.holds(&mut visit)?;
        }
        if node.is_directory() && !visit.pruned && depth < self.depths.1 {
            for child in files.list(path)? {
                self.visit(&path.join(&child), &name.join(&child), depth + 1, files, found)?;
            }
        }
        if is_tested && self.contents_first {
            let mut visit = Visit { path, name, node: &node, pruned: false, files, found };
            self.expression.holds(&mut visit)?;
        }
        Ok(())
    }
}

/// A name while `find` looks at it.
struct Visit<'v, 'f> {
    path: &'v Path,
    name: &'v Path,
    node: &'v Node,
    pruned: bool,
    files: &'v Overlay<'f>,
    found: &'v mut Found,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    /// The actions in order.
    actions: Vec<(Action, PathBuf)>,
    /// Names that `-delete` removes.
    deleted: HashSet<PathBuf>,
}

impl Expression {
    fn acts(&self) -> bool {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().any(Self::acts),
            Self::Not(one) => one.acts(),
            Self::Act(_) => true,
            Self::Test(_) | Self::Prune => false,
        }
    }

    fn holds(&self, visit: &mut Visit<'_, '_>) -> Foreseen<bool> {
        match self {
            Self::And(all) => {
                for one in all {
                    if !one.holds(visit)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Or(all) => {
                for one in all {
                    if one.holds(visit)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Not(one) => Ok(!one.holds(visit)?),
            Self::Test(test) => test.holds(visit),
            Self::Act(action) => {
                if *action == Action::Delete {
                    visit.found.deleted.insert(visit.name.to_owned());
                }
                visit.found.actions.push((action.clone(), visit.name.to_owned()));
                Ok(true)
            }
            Self::Prune => {
                visit.pruned = true;
                Ok(true)
            }
        }
    }
}

impl Test {
    fn holds(&self, visit: &Visit<'_, '_>) -> Foreseen<bool> {
        let node = visit.node;
        Ok(match self {
            Self::Always => true,
            Self::Name { pattern, any_case } => {
                // The name of `.` is `.`, that of `docs/` is `docs`.
                let last =
                    visit.name.file_name().map_or_else(|| shown(visit.name), |name| shown(Path::new(name)));
                match any_case {
                    true => matches_text(&pattern.to_lowercase(), &last.to_lowercase()),
                    false => matches_text(pattern, &last),
                }
            }
            Self::Path(pattern) => matches_text(pattern, &shown(visit.name)),
            Self::Type(letters) => letters.contains(&match node.kind {
                Kind::File => 'f',
                Kind::Directory => 'd',
                Kind::Link(_) => 'l',
                Kind::Other => {
                    return unforeseen(format!("the type of {} is not known", visit.name.display()));
                }
            }),
            Self::Empty => match node.kind {
                Kind::File => node.size == 0,
                // Those whose content an earlier `-delete` removes count as empty.
                Kind::Directory => {
                    let is_left = |name: &OsString| !visit.found.deleted.contains(&visit.name.join(name));
                    !visit.files.list(visit.path)?.iter().any(is_left)
                }
                _ => false,
            },
            Self::Size { count, unit } => {
                count.holds(i64::try_from(node.size.div_ceil(*unit)).unwrap_or(i64::MAX))
            }
            Self::Days(count) => count.holds(node.age.div_euclid(DAY)),
            Self::Minutes(Count::More(minutes)) => node.age > minutes.saturating_mul(MINUTE),
            Self::Minutes(Count::Less(minutes)) => node.age < minutes.saturating_mul(MINUTE),
            Self::Minutes(Count::Just(_)) => {
                return unforeseen("a number of minutes without sign is not evaluated");
            }
            Self::Younger(age) => node.age < *age,
        })
    }
}

struct Parser<'w, 'f> {
    words: &'w [String],
    at: usize,
    depths: (usize, usize),
    contents_first: bool,
    commands: Vec<Exec>,
    files: &'w Overlay<'f>,
}

impl Parser<'_, '_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn next(&mut self) -> Foreseen<String> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        word.map_or_else(|| unforeseen("a word is missing at the end of `find`"), Ok)
    }

    fn alternatives(&mut self) -> Foreseen<Expression> {
        let mut all = vec![self.sequence()?];
        while matches!(self.peek(), Some("-o" | "-or")) {
            self.at += 1;
            all.push(self.sequence()?);
        }
        Ok(Expression::Or(all))
    }

    fn sequence(&mut self) -> Foreseen<Expression> {
        let mut all = Vec::new();
        loop {
            match self.peek() {
                None | Some("-o" | "-or" | ")") => return Ok(Expression::And(all)),
                Some("-a" | "-and") => self.at += 1,
                Some(_) => all.push(self.one()?),
            }
        }
    }

    fn one(&mut self) -> Foreseen<Expression> {
        let word = self.next()?;
        Ok(match word.as_str() {
            "(" => {
                let inner = self.alternatives()?;
                if self.next()? != ")" {
                    return unforeseen("the parentheses of `find` do not match");
                }
                inner
            }
            "!" | "-not" => Expression::Not(Box::new(self.one()?)),
            "-prune" => Expression::Prune,
            "-print" | "-print0" => Expression::Act(Action::Print),
            "-delete" => {
                self.contents_first = true;
                Expression::Act(Action::Delete)
            }
            "-exec" => {
                let index = self.commands.len();
                let command = self.command()?;
                self.commands.push(command);
                Expression::Act(Action::Exec(index))
            }
            option => Expression::Test(self.test(option)?),
        })
    }

    fn test(&mut self, option: &str) -> Foreseen<Test> {
        let test = match option {
            "-depth" => {
                self.contents_first = true;
                Some(Test::Always)
            }
            "-maxdepth" | "-mindepth" => {
                let depth = self.next()?.parse().ok();
                match (depth, option) {
                    (Some(depth), "-maxdepth") => self.depths.1 = depth,
                    (Some(depth), _) => self.depths.0 = depth,
                    (None, _) => {}
                }
                depth.map(|_| Test::Always)
            }
            "-true" => Some(Test::Always),
            "-empty" => Some(Test::Empty),
            "-name" => Some(Test::Name { pattern: self.next()?, any_case: false }),
            "-iname" => Some(Test::Name { pattern: self.next()?, any_case: true }),
            "-path" | "-wholename" => Some(Test::Path(self.next()?)),
            "-type" => {
                let letters: Vec<char> =
                    self.next()?.split(',').filter_map(|kind| kind.chars().next()).collect();
                letters.iter().all(|letter| "fdl".contains(*letter)).then_some(Test::Type(letters))
            }
            "-size" => size(&self.next()?),
            "-mtime" => Count::of(&self.next()?).map(Test::Days),
            "-mmin" => Count::of(&self.next()?).map(Test::Minutes),
            "-newer" => {
                let name = self.next()?;
                let path = self.files.resolve(Path::new(&name))?;
                self.files.node(&path).map(|node| Test::Younger(node.age))
            }
            _ => None,
        };
        test.map_or_else(|| unforeseen(format!("the test `{option}` of `find` is not evaluated")), Ok)
    }

    fn command(&mut self) -> Foreseen<Exec> {
        let mut words = Vec::new();
        loop {
            match self.next()?.as_str() {
                ";" => return Ok(Exec { words, at_once: false }),
                "+" if words.last().is_some_and(|last| last == "{}") => {
                    return Ok(Exec { words, at_once: true });
                }
                word => words.push(word.to_owned()),
            }
        }
    }
}

/// Reads `+2k`, `-10c`, `5`.
fn size(text: &str) -> Option<Test> {
    let (digits, unit) = match text.chars().last()? {
        'c' => (text.strip_suffix('c')?, 1),
        'k' => (text.strip_suffix('k')?, 1 << 10),
        'M' => (text.strip_suffix('M')?, 1 << 20),
        'G' => (text.strip_suffix('G')?, 1 << 30),
        'b' => (text.strip_suffix('b')?, 512),
        _ => (text, 512),
    };
    Some(Test::Size { count: Count::of(digits)?, unit })
}
