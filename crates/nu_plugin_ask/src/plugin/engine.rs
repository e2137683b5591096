//! A host for the user's running engine: the local machine with the engine's environment and directory, not those of
//! the plugin's start, and with the engine's own parser, which knows the user's definitions.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use nu_plugin::{EngineInterface, EvaluatedCall};
use nu_protocol::{IntoSpanned as _, PipelineData, ShellError, Span, Value};
use serde_json::{Value as Json, json};

use super::keywords::{names_one, reads_files};
use askline::shell_facts::ShellFacts;
use askline_host::key_command::KeyCommand;
use askline_host::local;
use askline_host::local::LocalHost;
use askline_host::sandboxed_command::{CommandOutput, SandboxedCommand};
use askline_host::{FileEntry, Host, NameKind, Output, Probe, System};

/// Maximum number of the user's own names that are read.
const OWN_NAMES_MAX: usize = 4096;

/// Runs one of Nushell's own commands in the engine; only constants of this plugin are used as names.
pub(super) fn command(
    engine: &EngineInterface,
    name: &'static str,
    call: EvaluatedCall,
) -> Result<PipelineData, ShellError> {
    let id = engine
        .find_decl(name)?
        .ok_or_else(|| ShellError::NushellFailed { msg: format!("there is no command `{name}` here") })?;
    engine.call_decl(id, call, PipelineData::empty(), true, false)
}

/// The local machine, as the engine sees it during one call.
#[derive(Clone)]
pub(super) struct EngineHost {
    engine: EngineInterface,
    head: Span,
    environment: Arc<HashMap<String, OsString>>,
    current_dir: Option<PathBuf>,
    /// Names of the user's aliases that expand to a keyword such as `overlay use`.
    keywords: Arc<OnceLock<Vec<String>>>,
}

impl EngineHost {
    /// Creates the host with the engine's environment.
    pub(super) fn new(engine: &EngineInterface, head: Span) -> Result<Self, ShellError> {
        let variables = engine.get_env_vars()?;
        let environment = variables.iter().filter_map(|(name, value)| Some((name.clone(), variable(value)?)));
        Ok(Self {
            engine: engine.clone(),
            head,
            environment: Arc::new(environment.collect()),
            current_dir: engine.get_current_dir().ok().map(PathBuf::from),
            keywords: Arc::default(),
        })
    }

    /// Returns the shell facts about the user's definitions, as the script passes them. Unavailable facts are left out.
    pub(super) fn shell_facts(&self) -> ShellFacts {
        let functions = self.rows("which").into_iter().filter_map(|row| {
            let is_custom = field(&row, "type")? == "custom";
            is_custom.then(|| field(&row, "command"))?
        });
        ShellFacts {
            aliases: self.aliases().take(OWN_NAMES_MAX).collect(),
            functions: functions.take(OWN_NAMES_MAX).collect(),
            ..ShellFacts::default()
        }
    }

    fn aliases(&self) -> impl Iterator<Item = (String, String)> + use<> {
        let rows = self.rows("scope aliases").into_iter();
        rows.filter_map(|row| Some((field(&row, "name")?, field(&row, "expansion")?)))
    }

    fn rows(&self, name: &'static str) -> Vec<Value> {
        let rows = command(&self.engine, name, EvaluatedCall::new(self.head));
        rows.map(|rows| rows.into_iter().collect()).unwrap_or_default()
    }

    /// Reports whether the engine's parser would open a file or evaluate something for this line.
    fn is_unbounded(&self, line: &str) -> bool {
        let names = || {
            let aliases = self.aliases().filter(|(_, expansion)| reads_files(expansion));
            aliases.map(|(name, _)| name).collect()
        };
        reads_files(line) || names_one(line, self.keywords.get_or_init(names))
    }

    /// Returns the result of `ast` for a line, which it only parses.
    fn ast(&self, line: &str, flags: &[&str]) -> Result<Value, ShellError> {
        let call = EvaluatedCall::new(self.head).with_positional(Value::string(line, self.head));
        let call = flags.iter().fold(call, |call, flag| call.with_flag((*flag).into_spanned(self.head)));
        command(&self.engine, "ast", call)?.into_value(self.head)
    }

    fn pieces(&self, line: &str) -> Option<Output> {
        let pieces = self.ast(line, &["flatten", "json", "minify"]).ok()?;
        let pieces: Vec<Json> = serde_json::from_str(pieces.as_str().ok()?).ok()?;
        let names = || self.aliases().map(|(name, _)| name).take(OWN_NAMES_MAX).collect();
        let stdout = serde_json::to_vec(&placed(pieces, line, names)).ok()?;
        Some(Output { success: true, stdout, stderr: Vec::new() })
    }

    /// Returns the user's definitions in the format of [`Probe::Commands`]. (`scope commands` cannot be called from a
    /// plugin: some of its values cannot be sent to one.)
    fn commands(&self) -> Option<Output> {
        let rows = command(&self.engine, "help commands", EvaluatedCall::new(self.head)).ok()?;
        let rows = rows.into_iter().filter_map(|row| defined(&row)).take(OWN_NAMES_MAX);
        let stdout = rows.map(|row| format!("{row}\n")).collect::<String>().into_bytes();
        Some(Output { success: true, stdout, stderr: Vec::new() })
    }

    /// Returns the result in the format of `nu --ide-check`: a row for an error, or nothing.
    fn syntax(&self, line: &str) -> Option<Output> {
        let tree = self.ast(line, &["json", "minify"]).ok()?;
        let field =
            |name| serde_json::from_str::<Json>(tree.as_record().ok()?.get(name)?.as_str().ok()?).ok();
        let stdout = match field("error")? {
            Json::Null => String::new(),
            error => complaint(&error, field("block").as_ref()).to_string(),
        };
        Some(Output { success: true, stdout: stdout.into(), stderr: Vec::new() })
    }
}

impl Host for EngineHost {
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
        LocalHost.probe(program, probe)
    }

    fn run_in_sandbox(&self, shell: &Path, command: &SandboxedCommand) -> anyhow::Result<CommandOutput> {
        LocalHost.run_in_sandbox(shell, command)
    }

    fn key(&self, command: &KeyCommand) -> anyhow::Result<Vec<u8>> {
        local::key(self, Some(&self.environment), command)
    }

    fn start_resident(&self) -> anyhow::Result<()> {
        LocalHost.start_resident()
    }

    fn own_shell(&self, probe: &Probe) -> Option<Output> {
        match probe {
            Probe::Pieces { line } | Probe::Syntax { line, .. } if self.is_unbounded(line) => None,
            Probe::Pieces { line } => self.pieces(line),
            Probe::Syntax { shell, line } if shell.is_nushell() => self.syntax(line),
            Probe::Commands => self.commands(),
            _ => None,
        }
    }

    fn is_in_shell(&self) -> bool {
        true
    }

    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        LocalHost.read(path, limit)
    }

    fn head(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        LocalHost.head(path, limit)
    }

    fn part(&self, path: &Path, from: u64, most: u64) -> anyhow::Result<Vec<u8>> {
        LocalHost.part(path, from, most)
    }

    fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>> {
        LocalHost.list(directory)
    }

    fn list_kinds(&self, directory: &Path, most: usize) -> anyhow::Result<Vec<(OsString, NameKind)>> {
        LocalHost.list_kinds(directory, most)
    }

    fn entry(&self, path: &Path) -> Option<FileEntry> {
        LocalHost.entry(path)
    }

    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        LocalHost.link_target(path)
    }

    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        LocalHost.real_path(path)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        self.environment.get(name).cloned()
    }

    fn current_dir(&self) -> Option<PathBuf> {
        self.current_dir.clone()
    }

    fn is_root(&self) -> bool {
        LocalHost.is_root()
    }

    fn system(&self) -> System {
        LocalHost.system()
    }

    fn free_space(&self, path: &Path) -> Option<u64> {
        LocalHost.free_space(path)
    }
}

fn field(row: &Value, name: &str) -> Option<String> {
    Some(row.as_record().ok()?.get(name)?.as_str().ok()?.to_owned())
}

/// Converts a row of `help commands` about a user-defined command to the format of [`Probe::Commands`].
/// Returns the tokens that have a place in the line. Those of an alias's expansion have none; its first one gets the
/// place of the alias, so that the words behind belong to a command.
fn placed(tokens: Vec<Json>, line: &str, aliases: impl FnOnce() -> Vec<String>) -> Vec<Json> {
    let names = LazyCell::new(aliases);
    let mut end = 0;
    let place = |mut token: Json| {
        let offset = |token: &Json| usize::try_from(token.pointer("/span/end")?.as_u64()?).ok();
        if let Some(stop) = offset(&token) {
            end = end.max(stop);
            return Some(token);
        }
        let shape = token.get("shape")?.as_str()?;
        let starts_command = matches!(shape, "shape_external" | "shape_internalcall");
        let span = alias_at(line, end, if starts_command { &names } else { &[] })?;
        *token.get_mut("span")? = json!({"start": span.start, "end": span.end});
        end = span.end;
        Some(token)
    };
    tokens.into_iter().filter_map(place).collect()
}

/// Returns the span of an alias that begins the next command behind an offset.
fn alias_at(line: &str, from: usize, names: &[String]) -> Option<Range<usize>> {
    let rest = line.get(from..)?;
    let command = rest.trim_start_matches(|c: char| c.is_whitespace() || ";|({[".contains(c));
    let is_here = |name: &&String| {
        let behind = command.strip_prefix(name.as_str());
        behind.is_some_and(|behind| !behind.starts_with(|c: char| !c.is_whitespace() && !";|)}]".contains(c)))
    };
    let name = names.iter().filter(is_here).max_by_key(|name| name.len())?;
    let start = from + (rest.len() - command.len());
    Some(start..start + name.len())
}

fn defined(row: &Value) -> Option<Json> {
    if field(row, "command_type")? != "custom" {
        return None;
    }
    let parameter = |row: &Value| {
        let (name, shape) = (field(row, "name")?, field(row, "type")?);
        let is_optional = row.as_record().ok()?.get("required").is_none_or(|required| !required.is_true());
        let (role, name, letter) = match (name.strip_prefix("--"), name.strip_prefix("...")) {
            (Some(flag), _) => {
                let (name, letter) = flag.split_once("(-").unwrap_or((flag, ""));
                let role = if shape == "switch" { "switch" } else { "named" };
                (role, name.to_owned(), letter.strip_suffix(')'))
            }
            (_, Some(rest)) => ("rest", rest.to_owned(), None),
            _ => ("positional", name.clone(), None),
        };
        let shape = (role != "switch").then_some(shape);
        Some(json!([role, name, letter, shape, is_optional, field(row, "description")]))
    };
    let record = row.as_record().ok()?;
    let list = |name| record.get(name).and_then(|list| list.as_list().ok()).unwrap_or_default();
    let parameters: Vec<Json> = list("params").iter().filter_map(parameter).collect();
    let inputs: Vec<String> = list("input_output").iter().filter_map(|row| field(row, "input")).collect();
    let none: [&str; 0] = [];
    Some(json!([
        field(row, "name")?,
        field(row, "description"),
        field(row, "search_terms"),
        inputs,
        parameters,
        none
    ]))
}

/// Returns a variable as a program would see it; `None` for values that Nushell does not pass to programs.
fn variable(value: &Value) -> Option<OsString> {
    match value {
        // PATH and similar lists.
        Value::List { vals, .. } => {
            let entries: Option<Vec<OsString>> = vals.iter().map(variable).collect();
            env::join_paths(entries?).ok()
        }
        Value::String { .. }
        | Value::Int { .. }
        | Value::Float { .. }
        | Value::Bool { .. }
        | Value::Glob { .. } => value.coerce_string().ok().map(OsString::from),
        _ => None,
    }
}

/// Converts a parser's error (`{"UnknownFlag": ["ls", "nosuch", {"start": …}, …]}`) to the format of `nu
/// --ide-check`.
fn complaint(error: &Json, block: Option<&Json>) -> Json {
    let (kind, details) = match error {
        Json::String(kind) => (kind.as_str(), &Json::Null),
        error => error
            .as_object()
            .and_then(|error| error.iter().next())
            .map_or(("", &Json::Null), |(k, v)| (k.as_str(), v)),
    };
    let details: Vec<&Json> = match details {
        Json::Array(details) => details.iter().collect(),
        Json::Object(fields) if !fields.contains_key("start") => fields.values().collect(),
        detail => vec![detail],
    };
    let texts: Vec<&str> = details.iter().filter_map(|detail| detail.as_str()).collect();
    let message = match texts.is_empty() {
        true => words(kind),
        false => format!("{}: {}", words(kind), texts.join(", ")),
    };
    let end = |span: &Json, name| span.get(name).and_then(Json::as_u64);
    // Positions count from the start of everything that the engine has ever read.
    let base = block.and_then(|block| end(block.get("span")?, "start"));
    let span = details.iter().find_map(|detail| {
        let (start, stop) = (end(detail, "start")?, end(detail, "end")?);
        Some(json!({"start": start.checked_sub(base?)?, "end": stop.checked_sub(base?)?}))
    });
    json!({"type": "diagnostic", "severity": "Error", "message": message, "span": span})
}

/// Converts a name like `UnknownFlag` to words.
fn words(kind: &str) -> String {
    let mut words = String::new();
    for c in kind.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use askline_manual::catalogue::Catalogue;
    use nu_protocol::record;

    use super::*;

    #[test]
    fn an_alias_is_where_it_was_written() {
        let names = || ["gs", "my gs", "my"].map(str::to_owned).to_vec();
        let token = |shape: &str, span: Option<(usize, usize)>| {
            let (start, end) = span.unzip();
            json!({"content": "x", "shape": shape, "span": {"start": start, "end": end}})
        };
        let spans = |tokens: Vec<Json>, line: &str| {
            let placed = placed(tokens, line, names);
            let text = |token: &Json| {
                let at = |name| usize::try_from(token["span"][name].as_u64().unwrap()).unwrap();
                line.get(at("start")..at("end")).unwrap().to_owned()
            };
            placed.iter().map(text).collect::<Vec<_>>()
        };
        let called = || vec![token("shape_external", None), token("shape_externalarg", None)];
        for (line, behind, expected) in [
            ("gs --shrt", Some((3, 9)), vec!["gs", "--shrt"]),
            ("my gs --shrt", Some((6, 12)), vec!["my gs", "--shrt"]),
            ("  gs", None, vec!["gs"]),
            ("gsx --shrt", Some((4, 10)), vec!["--shrt"]),
            ("größe gs", None, vec![]),
            ("", None, vec![]),
        ] {
            let tokens = called().into_iter().chain(behind.map(|at| token("shape_externalarg", Some(at))));
            assert_eq!(spans(tokens.collect(), line), expected, "{line}");
        }
        let pipe = [token("shape_pipe", Some((3, 4)))];
        assert_eq!(spans([called(), pipe.to_vec(), called()].concat(), "gs | (gs)"), ["gs", "|", "gs"]);
        assert_eq!(spans([called(), called()].concat(), "gs; gs"), ["gs", "gs"]);
    }

    #[test]
    fn the_parsers_errors_are_told_with_their_place() {
        let block = json!({"span": {"start": 100, "end": 111}});
        let parsed = |error: &str| {
            let parsed = complaint(&serde_json::from_str(error).unwrap(), Some(&block));
            (parsed["message"].as_str().unwrap().to_owned(), parsed["span"].to_string())
        };
        let none = "null".to_owned();
        for (error, message, span) in [
            (
                r#"{"UnknownFlag":["ls","x",{"start":103,"end":106},"h"]}"#,
                "unknown flag: ls, x, h",
                r#"{"end":6,"start":3}"#.to_owned(),
            ),
            (
                r#"{"VariableNotFound":[{"suggestion":null},{"start":100,"end":102}]}"#,
                "variable not found",
                r#"{"end":2,"start":0}"#.to_owned(),
            ),
            (
                r#"{"ExtraTokens":{"start":101,"end":102}}"#,
                "extra tokens",
                r#"{"end":2,"start":1}"#.to_owned(),
            ),
            (r#"{"Odd":{"start":1,"end":2}}"#, "odd", none.clone()),
            (r#""Plain""#, "plain", none.clone()),
            ("{}", "", none.clone()),
            ("3", "", none),
        ] {
            assert_eq!(parsed(error), (message.to_owned(), span), "{error}");
        }
    }

    #[test]
    fn variables_are_what_programs_see() {
        let span = Span::unknown();
        let path = Value::list(vec![Value::string("/bin", span), Value::string("/usr/bin", span)], span);
        assert_eq!(variable(&path).unwrap(), "/bin:/usr/bin");
        assert_eq!(variable(&Value::int(3, span)).unwrap(), "3");
        assert_eq!(variable(&Value::list(vec![Value::nothing(span)], span)), None);
        assert_eq!(variable(&Value::nothing(span)), None);
    }

    #[test]
    fn commands_of_the_person_are_told_as_nushell_tells_its_own() {
        let span = Span::unknown();
        let text = |text: &str| Value::string(text, span);
        let parameter = |name: &str, kind: &str, required| {
            Value::test_record(record! {
                "name" => text(name), "type" => text(kind), "required" => Value::bool(required, span),
                "description" => text("why"),
            })
        };
        let row = |kind: &str, parameters| {
            Value::test_record(record! {
                "name" => text("my join"), "command_type" => text(kind), "description" => text("joins"),
                "search_terms" => text("glue"), "params" => Value::list(parameters, span),
                "input_output" => Value::list(vec![Value::test_record(record! { "input" => text("string") })], span),
            })
        };
        let parameters = vec![
            parameter("with", "string", true),
            parameter("then", "any", false),
            parameter("...more", "int", false),
            parameter("--all(-a)", "switch", false),
            parameter("--level", "int", false),
        ];
        let rows = defined(&row("custom", parameters)).unwrap().to_string();
        let catalogue = Catalogue::read(&rows);
        let card = catalogue.get("my join").unwrap();
        assert_eq!(
            card.signature(),
            "my join <with: string> [then: any] ...[more: int] [--all(-a)] [--level: int]"
        );
        assert_eq!((card.search_terms.as_str(), card.needs_input()), ("glue", true));
        assert_eq!(defined(&row("built-in", Vec::new())), None);
        assert_eq!(defined(&Value::nothing(span)), None);
    }
}
