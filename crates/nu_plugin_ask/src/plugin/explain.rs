//! `ask explain`: explains each word of a line from this machine's manuals, without a model.

use nu_protocol::{Example, LabeledError, PipelineData, Record, Signature, SyntaxShape, Type, Value};
use serde_json::Value as Json;

use super::outcome::wrong;
use super::value::{joined, piped, record};
use super::workplace::Workplace;
use super::{PluginAction, PluginCall};

/// Columns of a part of a line.
const COLUMNS: &[(&str, &[&str])] =
    &[("text", &[]), ("role", &[]), ("meaning", &[]), ("evidence", &[]), ("depth", &[]), ("span", &[])];

/// Message if no line is given.
const NO_LINE: &str = "no line; give one, such as: ask explain 'tar -xzf a.tgz', or pipe it in";

pub(super) struct Explain;

impl PluginAction for Explain {
    const NAME: &str = "ask explain";
    const DESCRIPTION: &str = "Explain a line word by word, from this machine's manuals.";
    const EXTRA: &str = "No model is asked and nothing of the line is executed.";
    const SEARCH_TERMS: &[&str] = &["askline", "manual", "flags", "what does"];

    fn signature(signature: Signature) -> Signature {
        signature
            .rest("line", SyntaxShape::String, "The line, best quoted as one word; without it it is piped in")
            .allows_unknown_args()
            .input_output_types(vec![(Type::Nothing, Type::table()), (Type::String, Type::table())])
    }

    fn examples() -> Vec<Example<'static>> {
        let result = |texts: &[&str]| {
            Some(Value::test_list(texts.iter().map(|text| Value::test_string(*text)).collect()))
        };
        vec![
            Example {
                example: "ask explain 'tar -xzf a.tgz' | select text meaning",
                description: "What each word does",
                result: None,
            },
            Example {
                example: "'^sort -r a.txt | ^uniq' | ask explain | where role == command | get text",
                description: "The commands of a line",
                result: result(&["sort", "uniq"]),
            },
        ]
    }

    fn answer(call: &PluginCall<'_>, input: PipelineData) -> Result<PipelineData, LabeledError> {
        let head = call.given.head;
        let line = match joined(&call.given.positional)? {
            Some(line) => Some(line),
            None => piped(input)?,
        };
        let line = line.ok_or_else(|| wrong(NO_LINE, head))?;
        let parts = Workplace::open(call, None)?.explain(&line.text);
        let row = |part: &Json| -> Record { record(part, COLUMNS, head) };
        let rows =
            parts.as_array().into_iter().flatten().map(|part| Value::record(row(part), head)).collect();
        Ok(PipelineData::value(Value::list(rows, head), None))
    }
}
