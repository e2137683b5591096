//! `ask fix`: the last command, mended. What the checks can mend needs no model.

use nu_plugin::EvaluatedCall;
use nu_protocol::{Example, LabeledError, PipelineData, Signature, SyntaxShape, Type, Value};

use super::ask::{answer, flags};
use super::engine::command;
use super::outcome::wrong;
use super::value::{Text, joined, text};
use super::{Call, Door};

/// Most rows of a history that are gone through.
const HISTORY_MAX: usize = 1_000_000;

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
        let request = match joined(&call.given.positional)? {
            Some(words) => Text { text: format!("fix {}", words.text), ..words },
            None => last_command(call)?,
        };
        answer(call, &request)
    }
}

/// The command before this one.
fn last_command(call: &Call<'_>) -> Result<Text, LabeledError> {
    let head = call.given.head;
    let history = command(call.engine, "history", EvaluatedCall::new(head));
    let commands = history.into_iter().flatten().take(HISTORY_MAX).filter_map(|row: Value| {
        let command = row.as_record().ok()?.get("command")?.as_str().ok()?.trim().to_owned();
        (!command.is_empty() && command.split_whitespace().next() != Some("ask")).then_some(command)
    });
    let last = commands.last().ok_or_else(|| {
        wrong("Nushell remembers no command before this; give it in words: ask fix WORDS", head)
    })?;
    text(&Value::string(last, head))
}
