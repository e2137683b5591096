//! `ask preview`: what a line would change on the disk, without a model and without running it.

use nu_protocol::{Example, LabeledError, PipelineData, Signature, SyntaxShape, Type, Value};

use super::outcome::wrong;
use super::value::{joined, piped, record};
use super::workplace::Workplace;
use super::{PluginAction, PluginCall};

/// Columns of a preview, and of its nested records.
const COLUMNS: &[(&str, &[&str])] = &[
    ("line", &[]),
    ("shell", &[]),
    ("effect", EFFECT),
    ("reason", &[]),
    ("ran", &["rows", "complaints", "is_cut", "success"]),
    ("not_run", &[]),
];
const EFFECT: &[&str] = &[
    "sentences",
    "removed",
    "moved",
    "overwritten",
    "edited",
    "created",
    "attributes",
    "bytes_lost",
    "failures",
];

/// Message if no line is given.
const NO_LINE: &str = "no line; give one, such as: ask preview 'rm *.tmp', or pipe it in";

pub(super) struct Preview;

impl PluginAction for Preview {
    const NAME: &str = "ask preview";
    const DESCRIPTION: &str = "Tell what a line would change on the disk, without running it.";
    const EXTRA: &str = "No model is asked. `effect` has the files; where not everything is known it is null, and `reason` says why. With \
--run a line of another shell that only reads runs for at most two seconds in a sandbox that cannot write, and `ran` has its rows; else \
`not_run` says why it was not run.";
    const SEARCH_TERMS: &[&str] = &["askline", "dry run", "effect", "what would it delete"];

    fn signature(signature: Signature) -> Signature {
        signature
            .rest("line", SyntaxShape::String, "The line, best quoted as one word; without it it is piped in")
            .switch("run", "Run a line that only reads, in a sandbox that cannot write", Some('r'))
            .allows_unknown_args()
            .input_output_types(vec![(Type::Nothing, Type::record()), (Type::String, Type::record())])
    }

    fn examples() -> Vec<Example<'static>> {
        vec![
            Example {
                example: "ask preview --shell bash 'rm *.no-such' | get effect.failures.0",
                description: "What can't be done",
                result: Some(Value::test_string("*.no-such: there is no such file")),
            },
            Example {
                example: "ask preview --shell bash --run 'wc -l < /dev/null' | get ran.rows",
                description: "The rows of a line that only reads",
                result: Some(Value::test_list(vec![Value::test_string("0")])),
            },
        ]
    }

    fn answer(call: &PluginCall<'_>, input: PipelineData) -> Result<PipelineData, LabeledError> {
        let head = call.given.head;
        let line = match joined(&call.given.positional)? {
            Some(line) => Some(line),
            None => piped(input)?,
        };
        let line = line.filter(|line| !line.text.trim().is_empty()).ok_or_else(|| wrong(NO_LINE, head))?;
        let found = Workplace::open(call, None)?.preview(line.text.trim(), call.given.has_flag("run")?);
        Ok(PipelineData::value(Value::record(record(&found, COLUMNS, head), head), None))
    }
}
