//! `askline explain`: explains each word of a line from this machine's manuals, without a model.

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use super::args::Explain;
use super::rows::line_of;
use super::{AppContext, Exit, one_line, print};
use crate::examine::Examiner;
use crate::shell_facts::ShellFacts;
use askline_check::explain::{Part, Role, explain};
use askline_syntax::shell::Shell;

/// Message if no line is given.
const NO_LINE: &str = "no line; give one, such as `askline explain -- 'tar -xzf a.tgz'`";
/// Maximum width of the column with the words, to leave room for the meanings.
const WORDS_WIDTH_MAX: usize = 28;

pub(super) fn run(args: &Explain, app: &AppContext) -> anyhow::Result<Exit> {
    let shell = args.shell.unwrap_or_else(|| app.login_shell());
    let knowledge = app.knowledge(shell, &ShellFacts::default())?;
    let line = line_of(&args.words, NO_LINE)?;
    let parsed = Examiner { shell, knowledge: &knowledge }.parse(&line);
    let parts = explain(&parsed, &knowledge);
    let text = if args.json { format!("{}\n", object(&line, shell, &parts)) } else { table(&line, &parts) };
    print(&text)?;
    knowledge.remember();
    Ok(if parts.is_empty() { Exit::None } else { Exit::Done })
}

/// Returns the JSON object of a line, looked up now.
///
/// # Errors
/// A wrong configuration.
pub(super) fn explained(line: &str, shell: Shell, app: &AppContext) -> anyhow::Result<Value> {
    let knowledge = app.knowledge(shell, &ShellFacts::default())?;
    let parsed = Examiner { shell, knowledge: &knowledge }.parse(line);
    let object = object(line, shell, &explain(&parsed, &knowledge));
    knowledge.remember();
    Ok(object)
}

fn object(line: &str, shell: Shell, parts: &[Part]) -> Value {
    json!({ "line": line, "shell": shell.name(), "parts": objects(line, parts) })
}

/// Returns the JSON objects of the parts of a line. Their field names are a stable interface.
pub fn objects(line: &str, parts: &[Part]) -> Value {
    let object = |part: &Part| {
        json!({
            "span": [part.span.start, part.span.end],
            "text": line.get(part.span.clone()),
            "role": part.role.name(),
            "depth": part.depth,
            "meaning": part.meaning,
            "evidence": part.evidence,
        })
    };
    parts.iter().map(object).collect()
}

/// Returns a table with a row for each part that has an explanation; operands have none.
fn table(line: &str, parts: &[Part]) -> String {
    let rows: Vec<(String, &Part)> = parts
        .iter()
        .filter(|part| part.role != Role::Operand)
        .map(|part| {
            let indent = "  ".repeat(part.depth + usize::from(part.role != Role::Command));
            (format!("{indent}{}", one_line(line.get(part.span.clone()).unwrap_or_default())), part)
        })
        .collect();
    let width = rows.iter().map(|(words, _)| words.width()).max().unwrap_or(0).min(WORDS_WIDTH_MAX);
    let mut text = String::new();
    for (words, part) in rows {
        let meaning = if part.meaning.is_empty() { "not documented here" } else { &part.meaning };
        let pad = " ".repeat(width.saturating_sub(words.width()));
        let evidence = match (part.role, part.evidence.as_str()) {
            (Role::Command, evidence) if !evidence.is_empty() => format!("  [{}]", one_line(evidence)),
            _ => String::new(),
        };
        text.push_str(&format!("{words}{pad}  {}{evidence}\n", one_line(meaning)));
    }
    text
}
