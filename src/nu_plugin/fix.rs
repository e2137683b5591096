//! `ask fix`: the last command, mended. What the checks can mend needs no model.

use nu_plugin::EvaluatedCall;
use nu_protocol::{Example, LabeledError, PipelineData, Signature, SyntaxShape, Type, Value};

use super::ask::{answer, flags};
use super::engine::command;
use super::outcome::wrong;
use super::value::{Text, joined};
use super::{Call, Door};
use askline::fix::Failed;
use askline::situation::HISTORY;

/// Most rows of a history that are gone through.
const HISTORY_ROWS_MAX: usize = 1_000_000;

pub(super) struct Fix;

impl Door for Fix {
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

    fn answer(call: &Call<'_>, _: PipelineData) -> Result<PipelineData, LabeledError> {
        let head = call.given.head;
        if let Some(words) = joined(&call.given.positional)? {
            return answer(call, &Text { text: format!("fix {}", words.text), ..words }, &[]);
        }
        let status = call.engine.get_env_var("LAST_EXIT_CODE")?;
        let status = status.and_then(|status| status.as_int().ok()).unwrap_or_default();
        let facts = [("status", status.to_string()), (HISTORY, last_command(call)?)];
        let facts = facts.map(|(name, value)| (name.to_owned(), value));
        if Failed::of(&facts).is_none() {
            let why = "the last command did not fail; say in words what should be different: ask fix WORDS";
            return Err(wrong(why, head));
        }
        // As a press of the key on an empty line.
        answer(call, &Text { text: String::new(), span: head }, &facts)
    }
}

/// The command before this one.
fn last_command(call: &Call<'_>) -> Result<String, LabeledError> {
    let head = call.given.head;
    let history = command(call.engine, "history", EvaluatedCall::new(head));
    let commands = history.into_iter().flatten().take(HISTORY_ROWS_MAX).filter_map(|row: Value| {
        let command = row.as_record().ok()?.get("command")?.as_str().ok()?.trim().to_owned();
        let own = command.trim_start_matches('(').split_whitespace().next() == Some("ask");
        (!command.is_empty() && !own).then_some(command)
    });
    commands.last().ok_or_else(|| {
        wrong("Nushell remembers no command before this; give it in words: ask fix WORDS", head)
    })
}
