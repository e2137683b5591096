//! `askline preview`: what a line would change, without running it. With `--run` a line that only reads runs in the sandbox.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::args::Preview;
use super::rows::line_of;
use super::{AppContext, Exit, one_line, print, print_message};
use crate::environment::{self, Machine};
use crate::preview::{self, preview};
use crate::sandboxed_line::{PREVIEW_PATIENCE, PrintedRows, SandboxedLine};
use crate::shell_facts::ShellFacts;
use askline_preview::Unforeseen;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Message if no line is given.
const NO_LINE: &str = "no line; give one, such as `askline preview -- 'rm *.log'`";

/// What there is to say about a line before it runs.
pub struct Foreseen {
    /// The rows that it printed in the sandbox, or the reason why it was not run; `None` without `--run`.
    ran: Option<Result<PrintedRows, String>>,
    /// What it would change; `None` if it ran.
    effect: Option<Result<preview::Preview, Unforeseen>>,
}

impl Foreseen {
    /// Looks at a line. `runs` is the person's wish to run exactly this line if it only reads.
    pub fn of(line: &str, shell: Shell, facts: &ShellFacts, machine: &Machine, runs: bool) -> Self {
        let host = machine.host.as_ref();
        let ran = runs.then(|| {
            let ran = SandboxedLine::new(line, shell, facts, host, PREVIEW_PATIENCE);
            ran.and_then(|line| line.run(host)).map(PrintedRows::cut)
        });
        if matches!(ran, Some(Ok(_))) {
            return Self { ran, effect: None };
        }
        let userland = environment::gather(machine, shell, facts).userland;
        let parsed = ParsedLine::new(line, shell);
        Self { ran, effect: Some(preview(&parsed, facts, userland, host)) }
    }
}

pub(super) fn run(args: &Preview, app: &AppContext) -> anyhow::Result<Exit> {
    let shell = args.shell.unwrap_or_else(|| app.login_shell());
    let line = line_of(&args.words, NO_LINE)?;
    let found = Foreseen::of(&line, shell, &ShellFacts::default(), &app.machine, args.run);
    if args.json {
        print(&format!("{}\n", object(&line, shell, &found)))?;
    }
    if let Some(Err(why)) = &found.ran {
        print_message(&format!("not run: {}", one_line(why)));
    }
    let shows = !args.json;
    match (&found.ran, &found.effect) {
        (Some(Ok(rows)), _) => {
            if shows {
                show(rows)?;
            }
            Ok(if rows.success || rows.is_cut { Exit::Done } else { Exit::None })
        }
        (_, Some(Ok(preview))) => {
            let sentences = preview.sentences.iter().filter(|_| shows);
            print(&sentences.map(|sentence| format!("{}\n", one_line(sentence))).collect::<String>())?;
            Ok(Exit::Done)
        }
        (_, Some(Err(Unforeseen(reason)))) => {
            if shows {
                print_message(&format!("no preview: {reason}"));
            }
            Ok(Exit::None)
        }
        (_, None) => Ok(Exit::None),
    }
}

/// Shows the rows that a line printed in the sandbox.
fn show(ran: &PrintedRows) -> anyhow::Result<()> {
    print(&ran.rows.iter().map(|row| format!("{row}\n")).collect::<String>())?;
    let count = format!("{}, read-only preview", ran.count());
    print_message(&ran.complaints.iter().chain([&count]).cloned().collect::<Vec<_>>().join("\n"));
    Ok(())
}

/// Returns the JSON object of a preview. Its field names are a stable interface.
pub fn object(line: &str, shell: Shell, found: &Foreseen) -> Value {
    let paths = |paths: &[PathBuf]| -> Value { paths.iter().map(|path| text(path)).collect() };
    let previewed = found.effect.as_ref();
    let effect = previewed.and_then(|previewed| previewed.as_ref().ok()).map(|preview| {
        let effect = &preview.effect;
        let moved =
            effect.moved.iter().map(|moved| json!({ "from": text(&moved.from), "to": text(&moved.to) }));
        json!({
            "removed": paths(&effect.removed),
            "moved": moved.collect::<Value>(),
            "overwritten": paths(&effect.overwritten),
            "edited": paths(&effect.edited),
            "created": paths(&effect.created),
            "attributes": paths(&effect.attributes),
            "bytes_lost": effect.bytes_lost,
            "failures": lines(&effect.failures),
            "sentences": lines(&preview.sentences),
        })
    });
    let reason =
        previewed.and_then(|previewed| previewed.as_ref().err()).map(|Unforeseen(reason)| one_line(reason));
    let ran = found.ran.as_ref().and_then(|ran| ran.as_ref().ok()).map(|ran| {
        let PrintedRows { rows, complaints, is_cut, success } = ran;
        json!({ "rows": rows, "complaints": complaints, "is_cut": is_cut, "success": success })
    });
    let not_run = found.ran.as_ref().and_then(|ran| ran.as_ref().err()).map(|why| one_line(why));
    json!({
        "line": line, "shell": shell.name(), "effect": effect, "reason": reason, "ran": ran,
        "not_run": not_run,
    })
}

fn lines(texts: &[String]) -> Value {
    texts.iter().map(|text| one_line(text)).collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
