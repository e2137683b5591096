//! `ask fix`: corrects the last command. Errors that the checks can repair need no model.

use nu_plugin::EvaluatedCall;
use nu_protocol::{Example, LabeledError, PipelineData, Signature, Span, SyntaxShape, Type, Value};

use super::ask::{answer, flags};
use super::engine::command;
use super::outcome::wrong;
use super::value::{Text, joined};
use super::{PluginAction, PluginCall};
use askline::fix::Failed;
use askline::shell_facts::ShellFacts;

/// Maximum number of texts that Nushell has read which are searched.
const LINES_MAX: usize = 1_000_000;

pub(super) struct Fix;

impl PluginAction for Fix {
    const NAME: &str = "ask fix";
    const DESCRIPTION: &str = "Suggest what the last command should have been.";
    const EXTRA: &str = "Nothing is executed. Words after it are a request of their own: `ask fix the permissions of a.txt` asks for \
just that.";
    const SEARCH_TERMS: &[&str] = &["askline", "correct", "repair", "mistake", "oops"];

    fn signature(signature: Signature) -> Signature {
        flags(signature)
            .rest("words", SyntaxShape::String, "With words: a request that begins with `fix`")
            .allows_unknown_args()
            .input_output_types(vec![
                (Type::Nothing, Type::record()),
                (Type::Nothing, Type::table()),
                (Type::Nothing, Type::Nothing),
            ])
    }

    fn examples() -> Vec<Example<'static>> {
        vec![Example {
            example: "ask fix the permissions of a.txt | get command",
            description: "A request, not a repair",
            result: None,
        }]
    }

    fn answer(call: &PluginCall<'_>, _: PipelineData) -> Result<PipelineData, LabeledError> {
        let head = call.given.head;
        if let Some(words) = joined(&call.given.positional)? {
            return answer(call, &Text { text: format!("fix {}", words.text), ..words }, None);
        }
        let status = call.engine.get_env_var("LAST_EXIT_CODE")?;
        let status = status.and_then(|status| status.as_int().ok()).unwrap_or_default();
        let history = vec![last_command(call)?];
        let facts = ShellFacts { history, status: i32::try_from(status).ok(), ..ShellFacts::default() };
        let Some(failed) = Failed::of(&facts) else {
            let why = "the last command did not fail; say in words what should be different: ask fix WORDS";
            return Err(wrong(why, head));
        };
        // Like a key press on an empty line.
        answer(call, &Text { text: String::new(), span: head }, Some(failed))
    }
}

/// Returns the previous command in this terminal (Nushell's history may mix those of all terminals). An earlier `ask
/// fix` is skipped.
fn last_command(call: &PluginCall<'_>) -> Result<String, LabeledError> {
    let head = call.given.head;
    let why = |why: &str| wrong(&format!("{why}; give it in words: ask fix WORDS"), head);
    let files = command(call.engine, "view files", EvaluatedCall::new(head));
    let lines = files.into_iter().flatten().take(LINES_MAX).filter_map(|file: Value| typed(&file));
    // The last one is this call.
    let lines: Vec<Span> = lines.collect();
    for place in lines.iter().rev().skip(1) {
        let line = String::from_utf8_lossy(&call.engine.get_span_contents(*place)?).into_owned();
        let words: Vec<&str> = line.trim_start_matches(['(', ' ']).split_whitespace().take(2).collect();
        match words.as_slice() {
            // Commands of the key binding.
            [name, ..] if name.starts_with("__askline") => {}
            ["ask", "fix" | "fix)"] => {}
            ["ask", ..] => return Err(why("the last command was an `ask`, so nothing of yours failed")),
            // The history omits such commands too.
            [_, ..] if line.starts_with(' ') => {
                return Err(why("the last command begins with a blank, so it is private"));
            }
            [_, ..] => return Ok(line.trim().to_owned()),
            [] => {}
        }
    }
    Err(why("Nushell has no earlier command"))
}

/// Returns the position of a line in everything that Nushell has read, if a person typed it.
fn typed(file: &Value) -> Option<Span> {
    let file = file.as_record().ok()?;
    let place = |name| usize::try_from(file.get(name)?.as_int().ok()?).ok();
    let is_typed = file.get("filename")?.as_str().ok()?.starts_with("repl_entry");
    is_typed.then(|| Some(Span::new(place("start")?, place("end")?)))?
}
