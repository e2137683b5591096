//! What text in other languages does: SQL, one-line programs, editors' scripts, the commands of stores.
//!
//! `sql` reads statements; `code` finds calls in programs, whose languages are data (`scripts.toml`), with the pieces that
//! `tokens` makes and the values that `value` makes of them; `editors` reads sed and what awk does beside calls.

mod code;
mod editors;
mod redis;
mod sql;
#[cfg(test)]
mod tests;
mod tokens;
mod value;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::effect::{Effect, Scope};
use super::place::{Kind, Place, matches};

/// Bytes of a text that are read.
const MAX_BYTES: usize = 128 << 10;
/// Deeds told of one text.
const MAX_DEEDS: usize = 64;

/// Something that a text does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deed {
    /// What.
    pub(super) effect: Effect,
    /// To what.
    pub(super) scope: Scope,
    /// With all that is in it.
    pub(super) tree: bool,
    /// No way back and no question.
    pub(super) forced: bool,
    /// The word that causes it.
    pub(super) what: String,
    /// Where that stands in the text, in bytes.
    pub(super) at: Range<usize>,
    /// What a shell is given to run, to be read as such a line; `$x` stands in it for what isn't known.
    pub(super) shell_script: Option<String>,
    /// The path that is hit, when there is one.
    pub(super) place: Option<Place>,
}

impl Deed {
    fn new(effect: Effect, scope: Scope, what: &str, at: Range<usize>) -> Self {
        let (tree, forced) = (false, false);
        Self { effect, scope, tree, forced, what: what.to_owned(), at, shell_script: None, place: None }
    }

    fn forced(self) -> Self {
        Self { forced: true, ..self }
    }

    /// A shell that runs a script, or something unknown.
    fn shell(script: Option<String>, what: &str, at: Range<usize>) -> Self {
        let scope = if script.is_some() { Scope::Own } else { Scope::Unreadable };
        Self { shell_script: script, ..Self::new(Effect::ExecArg, scope, what, at) }
    }

    /// Something that happens to a path.
    fn to(effect: Effect, place: Place, what: &str, at: Range<usize>) -> Self {
        Self { place: Some(place.clone()), ..Self::new(effect, place.scope, what, at) }
    }
}

/// A language that a program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// Known by its calls: the index in the table.
    Called(usize),
    /// sed's commands.
    Sed,
}

impl Language {
    /// The language that a program reads, given the program's name without its directory.
    pub(super) fn of_program(name: &str) -> Option<Self> {
        if matches!(name, "sed" | "gsed") {
            return Some(Self::Sed);
        }
        let reads = |language: &Syntax| language.programs.iter().any(|program| matches(program, name));
        TABLE.language.iter().position(reads).map(Self::Called)
    }

    /// A language by its own name: `python`, `javascript`, `mongo` …
    pub(super) fn named(name: &str) -> Option<Self> {
        if name == "sed" {
            return Some(Self::Sed);
        }
        TABLE
            .language
            .iter()
            .position(|language| language.names.iter().any(|own| own == name))
            .map(Self::Called)
    }
}

/// What SQL statements do, with the lines for the client program itself (`\!`, `.shell`) among them.
pub(super) fn sql(text: &str) -> Vec<Deed> {
    bounded(text, sql::read)
}

/// What a program does, as far as its calls tell. Nothing for one that only computes and prints.
pub(super) fn code(text: &str, language: Language) -> Vec<Deed> {
    bounded(text, |text| match language {
        Language::Sed => editors::sed(text),
        Language::Called(index) => TABLE.language.get(index).map_or_else(Vec::new, |syntax| {
            let mut deeds = code::read(text, syntax, 0);
            if syntax.is("awk") {
                deeds.extend(editors::awk(text, syntax));
            }
            deeds
        }),
    })
}

/// What commands for redis do, one a line.
pub(super) fn redis(text: &str) -> Vec<Deed> {
    bounded(text, redis::read)
}

fn bounded(text: &str, read: impl Fn(&str) -> Vec<Deed>) -> Vec<Deed> {
    if text.len() > MAX_BYTES {
        return vec![Deed::new(Effect::ExecData, Scope::Unreadable, "", 0..text.len())];
    }
    let mut deeds = read(text);
    // What nothing is kept of is no deed.
    let writes = |deed: &Deed| matches!(deed.effect, Effect::Overwrite | Effect::WriteNew);
    deeds.retain(|deed| !(writes(deed) && deed.place.as_ref().is_some_and(|place| place.kind == Kind::Sink)));
    deeds.truncate(MAX_DEEDS);
    deeds
}

/// `scripts.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    language: Vec<Syntax>,
    endless: Endless,
    applescript: AppleScript,
    sql: Sql,
    redis: Redis,
}

/// How a language is written and which calls do what in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Syntax {
    names: Vec<String>,
    programs: Vec<String>,
    comments: Vec<String>,
    blocks: Vec<(String, String)>,
    quotes: String,
    interpolates: String,
    holes: Vec<String>,
    runs: String,
    regex: bool,
    letters: String,
    bare: bool,
    home: Vec<String>,
    cwd: Vec<String>,
    env: Vec<String>,
    joins: Vec<String>,
    lists: Vec<String>,
    clear: Vec<String>,
    network: Vec<String>,
    sockets: Vec<String>,
    call: Vec<Call>,
}

impl Syntax {
    /// What a name may mean here.
    fn roles(&self, name: &str) -> impl Iterator<Item = &'static Role> {
        let own = self.names.first().map_or("", String::as_str);
        let named = ROLES.get(own).and_then(|roles| roles.get(last_part(name))).into_iter().flatten();
        named.filter(move |(known, _)| value::fits(known, name)).map(|(_, role)| role)
    }

    fn is(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    names: Vec<String>,
    does: Effect,
    takes: Takes,
    scope: Option<Scope>,
    #[serde(default)]
    tree: bool,
    #[serde(default)]
    forced: bool,
    needs: Option<String>,
}

/// What the arguments of a call are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Takes {
    /// The first is a path.
    Path,
    /// All are.
    Paths,
    /// The second is.
    Second,
    /// A path and where it goes.
    Moves,
    /// The first is SQL.
    Sql,
    /// What the method is called on is.
    Receiver,
    /// A path and how it is opened.
    Open,
    /// The first is a script for a shell, or a list of words.
    Shell,
    /// They are a command and its arguments; a single one is a script.
    Argv,
    /// Text that is run.
    Code,
    /// A filter: all is hit where it is empty.
    Filter,
    /// A process.
    Process,
    /// It doesn't matter.
    Nothing,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Endless {
    loops: Vec<String>,
    grows: Vec<String>,
    waits: Vec<String>,
    forks: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AppleScript {
    stops: Vec<String>,
    deletes: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sql {
    reads: Vec<String>,
    containers: Vec<String>,
    changes_data: Vec<String>,
    shells: Vec<String>,
    runs: Vec<String>,
    writes: Vec<String>,
    changes: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Redis {
    everything: Vec<String>,
    own: Vec<String>,
    stops: Vec<String>,
    control: Vec<String>,
    settings: Vec<String>,
}

/// What a name stands for in a language.
enum Role {
    Call(&'static Call),
    /// It fetches from the network.
    Fetches,
    /// It connects.
    Connects,
}

/// Names with a role, by language and the last part of the name; in the order of the table.
type Roles = HashMap<&'static str, HashMap<&'static str, Vec<(&'static str, Role)>>>;

static ROLES: LazyLock<Roles> = LazyLock::new(|| {
    let mut roles = Roles::new();
    for syntax in &TABLE.language {
        let language = syntax.names.first().map_or("", String::as_str);
        let mut add = |name: &'static str, role| {
            roles.entry(language).or_default().entry(last_part(name)).or_default().push((name, role));
        };
        for call in &syntax.call {
            call.names.iter().for_each(|name| add(name, Role::Call(call)));
        }
        syntax.network.iter().for_each(|name| add(name, Role::Fetches));
        syntax.sockets.iter().for_each(|name| add(name, Role::Connects));
    }
    roles
});

fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '>']).next().unwrap_or(name)
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("scripts.toml")).unwrap_or_else(|error| panic!("scripts.toml: {error}"))
});

/// Values of a program's variables, as far as it names them: where their expressions stand among its tokens.
type Bindings = BTreeMap<String, Range<usize>>;
