//! `askline preview`: what a line would change, without running it. With `--run` a line that only reads runs in the cage.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::args::Preview;
use super::{AppContext, Exit, one_line, print, print_message};
use crate::cage::{CagedLine, PREVIEW_PATIENCE, Rows};
use crate::environment;
use crate::preview::{self, preview};
use crate::shell_facts::ShellFacts;
use askline_preview::Unforeseen;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

pub(super) fn run(args: &Preview, app: &AppContext) -> anyhow::Result<Exit> {
    let shell = args.shell.unwrap_or_else(|| app.login_shell());
    let line = args.words.join(" ");
    let facts = ShellFacts::default();
    let host = app.machine.host.as_ref();
    if args.run {
        let ran = CagedLine::new(&line, shell, &facts, host, PREVIEW_PATIENCE);
        match ran.and_then(|line| line.run(host)) {
            Ok(rows) => return show(&line, shell, &rows.cut(), args.json),
            Err(why) => print_message(&format!("not run: {}", one_line(&why))),
        }
    }
    let userland = environment::gather(&app.machine, shell, &facts).userland;
    let parsed = ParsedLine::new(line.as_str(), shell);
    let previewed = preview(&parsed, &facts, userland, host);
    if args.json {
        print(&format!("{}\n", object(&line, shell, &previewed)))?;
    }
    match &previewed {
        Ok(preview) if !args.json => {
            print(
                &preview
                    .sentences
                    .iter()
                    .map(|sentence| format!("{}\n", one_line(sentence)))
                    .collect::<String>(),
            )?;
        }
        Err(Unforeseen(reason)) if !args.json => print_message(&format!("no preview: {reason}")),
        _ => {}
    }
    Ok(if previewed.is_ok() { Exit::Done } else { Exit::None })
}

/// Shows the rows that a line printed in the cage.
fn show(line: &str, shell: Shell, ran: &Rows, is_json: bool) -> anyhow::Result<Exit> {
    let Rows { rows, complaints, is_cut, success } = ran;
    if is_json {
        let rows = json!({ "rows": rows, "complaints": complaints, "is_cut": is_cut, "success": success });
        print(&format!("{}\n", json!({ "line": line, "shell": shell.name(), "ran": rows })))?;
    } else {
        print(&rows.iter().map(|row| format!("{row}\n")).collect::<String>())?;
        let count = format!("{}, read-only preview", ran.count());
        print_message(&complaints.iter().chain([&count]).cloned().collect::<Vec<_>>().join("\n"));
    }
    Ok(if *success || *is_cut { Exit::Done } else { Exit::None })
}

/// Returns the JSON object of a preview. Its field names are a stable interface.
fn object(line: &str, shell: Shell, previewed: &Result<preview::Preview, Unforeseen>) -> Value {
    let paths = |paths: &[PathBuf]| -> Value { paths.iter().map(|path| text(path)).collect() };
    let effect = previewed.as_ref().ok().map(|preview| {
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
            "failures": effect.failures,
            "sentences": preview.sentences,
        })
    });
    let reason = previewed.as_ref().err().map(|Unforeseen(reason)| reason);
    json!({ "line": line, "shell": shell.name(), "effect": effect, "reason": reason })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
