//! Formats of files whose columns have names although no line says so: logs of web servers, `/etc/passwd`. The rows are in
//! `formats.toml`.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::phrase::Phrase;
use crate::quantity::number;
use crate::request::Token;
use crate::request::is_same_noun;
use askline_syntax::Span;

/// A row of `formats.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Format {
    path: Option<String>,
    #[serde(default)]
    sample: String,
    pub(super) separator: char,
    line: Look,
    #[serde(rename = "column")]
    columns: Vec<Column>,
}

/// A column that has a name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    number: usize,
    words: Vec<String>,
    #[serde(default)]
    not_after: Vec<String>,
    serves: Option<Phrase>,
    #[serde(default)]
    numbers: bool,
    #[serde(default)]
    code: bool,
    /// `true` if its words mean only a part of the field, whose number says its length: "the last 24 hours".
    #[serde(default)]
    part: bool,
}

/// A word of a request that means a column.
pub(super) struct Meant {
    pub(super) number: usize,
    pub(super) said: Span,
    pub(super) name: &'static str,
}

/// The form of a line.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Look(Regex);

impl TryFrom<String> for Look {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Regex::new(&text).map(Self)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    format: Vec<Format>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("formats.toml")).expect("formats.toml is well-formed")
});

impl Format {
    /// Returns the format that all lines have.
    pub(super) fn of(lines: &[&str]) -> Option<&'static Self> {
        let fits = |format: &&Self| lines.iter().all(|line| format.line.0.is_match(line));
        TABLE.format.iter().find(fits).filter(|_| !lines.is_empty())
    }

    /// Returns the known path that a word names, and lines such as the file has.
    pub(super) fn at(path: &str) -> Option<(&'static str, &'static str)> {
        let paths = TABLE.format.iter().filter_map(|it| Some((it.path.as_deref()?, it.sample.as_str())));
        paths.into_iter().find(|(known, _)| *known == path)
    }

    /// Returns the columns that a request names, in the order of their numbers.
    pub(super) fn meant(&'static self, tokens: &[Token]) -> Vec<Meant> {
        let mut meant: Vec<Meant> = Vec::new();
        for column in &self.columns {
            let is_known = meant.last().is_some_and(|it| it.number == column.number);
            meant.extend(column.meant(tokens).filter(|_| !is_known));
        }
        meant
    }

    /// Reports whether the format says what a column is.
    pub(super) fn knows(&self, number: usize) -> bool {
        self.columns.iter().any(|it| it.number == number)
    }

    /// Reports whether the fields of a column are numbers.
    pub(super) fn is_numeric(&self, number: usize) -> bool {
        self.columns.iter().any(|it| it.number == number && it.numbers)
    }

    /// Reports whether the fields of a column are numbers whose sum means nothing.
    pub(super) fn is_code(&self, number: usize) -> bool {
        self.columns.iter().any(|it| it.number == number && it.code)
    }

    /// Reports whether a column may serve a word of the request that does not name it.
    pub(super) fn serves(&self, number: usize, tokens: &[Token]) -> bool {
        let finds = |column: &Column| column.serves.as_ref().is_some_and(|it| it.find(tokens, 0).is_some());
        self.columns.iter().any(|it| it.number == number && finds(it))
    }
}

impl Column {
    /// Returns the first word of a request that means the column.
    fn meant(&'static self, tokens: &[Token]) -> Option<Meant> {
        tokens.iter().enumerate().filter(|(_, token)| !token.quoted).find_map(|(at, token)| {
            let name = self.words.iter().find(|word| is_same_noun(&token.lower, word))?;
            // "how many times" is no time.
            let is_count = token.lower == "times";
            let before = at.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |it| it.lower.as_str());
            // "in the last 24 hours" is a length of time.
            let is_length = self.part && number(before).is_some();
            let is_other = is_count || is_length || self.not_after.iter().any(|word| word == before);
            let meant = Meant { number: self.number, said: token.span.clone(), name };
            (!is_other).then_some(meant)
        })
    }
}
