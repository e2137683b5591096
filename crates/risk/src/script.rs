//! Effects of text in other languages: SQL, one-line programs, editor scripts, commands of key-value stores.
//!
//! `sql` reads statements. `code` finds calls in programs, with tokens from `tokens` and values from `value`; the
//! languages are data (`scripts.toml`). `editors` reads sed scripts and the redirects and pipes of awk.

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
use super::path_class::{PathClass, PathKind, matches};

/// Maximum size of a text, in bytes.
const BYTES_MAX: usize = 128 << 10;
/// Text of a part of a value that is not known.
pub(super) const UNKNOWN: &str = "$x";
/// Maximum number of effects reported for one text.
const DEEDS_MAX: usize = 64;

/// Effect of a text in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScriptEffect {
    /// Kind of action.
    pub(super) effect: Effect,
    /// Extent of the target.
    pub(super) scope: Scope,
    /// `true` if the effect covers all content of a directory.
    pub(super) tree: bool,
    /// `true` if the effect cannot be undone and asks no question.
    pub(super) forced: bool,
    /// Word that causes the effect.
    pub(super) what: String,
    /// Span of that word in the text, in bytes.
    pub(super) at: Range<usize>,
    /// Script passed to a shell, to be judged as a command line; `$x` replaces unknown parts.
    pub(super) shell_script: Option<String>,
    /// Path of the target, if it is a path.
    pub(super) place: Option<PathClass>,
}

impl ScriptEffect {
    fn new(effect: Effect, scope: Scope, what: &str, at: Range<usize>) -> Self {
        let (tree, forced) = (false, false);
        Self { effect, scope, tree, forced, what: what.to_owned(), at, shell_script: None, place: None }
    }

    fn forced(self) -> Self {
        Self { forced: true, ..self }
    }

    /// Returns the effect of a shell that runs a script, or an unknown script if `None`.
    fn shell(script: Option<String>, what: &str, at: Range<usize>) -> Self {
        let scope = if script.is_some() { Scope::Own } else { Scope::Unreadable };
        Self { shell_script: script, ..Self::new(Effect::ExecArg, scope, what, at) }
    }

    /// Returns an effect on a path.
    fn to(effect: Effect, place: PathClass, what: &str, at: Range<usize>) -> Self {
        Self { place: Some(place.clone()), ..Self::new(effect, place.scope, what, at) }
    }
}

/// Language of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// A language recognised by its calls: index in the table.
    Called(usize),
    /// Commands of sed.
    Sed,
    /// Commands of ed and ex.
    Ed,
    /// Macros of m4.
    M4,
    /// Commands of Tcl.
    Tcl,
}

impl Language {
    /// Returns the language that a program reads, given the program's name without its directory.
    pub(super) fn of_program(name: &str) -> Option<Self> {
        if matches!(name, "sed" | "gsed") {
            return Some(Self::Sed);
        }
        match name {
            "ed" | "red" | "ex" => return Some(Self::Ed),
            "m4" | "gm4" => return Some(Self::M4),
            "tclsh" | "wish" | "expect" => return Some(Self::Tcl),
            _ => {}
        }
        let reads = |language: &Syntax| language.programs.iter().any(|program| matches(program, name));
        TABLE.language.iter().position(reads).map(Self::Called)
    }

    /// Returns the language with this name: `python`, `javascript`, `mongo` …
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

/// Returns the effects of SQL statements and of client commands among them (`\!`, `.shell`).
pub(super) fn sql(text: &str) -> Vec<ScriptEffect> {
    bounded(text, sql::read)
}

/// Returns the effects of a program's calls; none for a program that only computes and prints.
pub(super) fn code(text: &str, language: Language) -> Vec<ScriptEffect> {
    bounded(text, |text| match language {
        Language::Sed => editors::sed(text),
        Language::Ed => editors::ed(text),
        Language::M4 => editors::m4(text),
        Language::Tcl => editors::tcl(text),
        Language::Called(index) => TABLE.language.get(index).map_or_else(Vec::new, |syntax| {
            let mut deeds = code::read(text, syntax, 0);
            if syntax.is("awk") {
                deeds.extend(editors::awk(text, syntax));
            }
            deeds
        }),
    })
}

/// Returns the effects of redis commands, one per line.
pub(super) fn redis(text: &str) -> Vec<ScriptEffect> {
    bounded(text, redis::read)
}

fn bounded(text: &str, read: impl Fn(&str) -> Vec<ScriptEffect>) -> Vec<ScriptEffect> {
    if text.len() > BYTES_MAX {
        return vec![ScriptEffect::new(Effect::ExecData, Scope::Unreadable, "", 0..text.len())];
    }
    let mut deeds = read(text);
    // Writing to a sink such as `/dev/null` has no effect.
    let writes = |deed: &ScriptEffect| matches!(deed.effect, Effect::Overwrite | Effect::WriteNew);
    deeds.retain(|deed| {
        !(writes(deed) && deed.place.as_ref().is_some_and(|place| place.kind == PathKind::Sink))
    });
    deeds.truncate(DEEDS_MAX);
    deeds
}

/// Content of `scripts.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptTable {
    language: Vec<Syntax>,
    endless: Endless,
    applescript: AppleScript,
    sql: Sql,
    redis: Redis,
}

/// Syntax of a language and the effects of its calls.
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
    prefix: bool,
    inside: String,
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
    /// Returns the possible roles of a name in this language.
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

/// Meaning of a call's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Takes {
    /// The first argument is a path.
    Path,
    /// All arguments are paths.
    Paths,
    /// The second argument is a path.
    Second,
    /// A source path and a destination.
    Moves,
    /// The first argument is SQL.
    Sql,
    /// The object of the method call is a path.
    Receiver,
    /// A path and an open mode.
    Open,
    /// The first argument is a shell script or a list of words.
    Shell,
    /// A command and its arguments; a single argument is a script.
    Argv,
    /// Code to run.
    Code,
    /// A filter; an empty one matches everything.
    Filter,
    /// A process.
    Process,
    /// Irrelevant arguments.
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

/// Role of a name in a language.
enum Role {
    Call(&'static Call),
    /// A function that downloads from the network.
    Fetches,
    /// A function that opens a connection.
    Connects,
}

/// Names with a role, by language and last part of the name, in table order.
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

static TABLE: LazyLock<ScriptTable> = LazyLock::new(|| {
    toml::from_str(include_str!("scripts.toml")).unwrap_or_else(|error| panic!("scripts.toml: {error}"))
});

/// Values of a program's variables: token range of the expression assigned to each.
type Bindings = BTreeMap<String, Range<usize>>;
