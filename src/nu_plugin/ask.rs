//! `ask`: words in, a command out, as a record, a table of alternatives, or on the next prompt.

use nu_protocol::{
    Example, LabeledError, ListStream, PipelineData, ShellError, Signature, Span, SyntaxShape, Type, Value,
};

use super::line;
use super::outcome::{guarded, no_answer, wrong};
use super::value::{CHECKS, RISK, Text, joined, piped, record, value};
use super::workplace::{Workplace, cancelled_by_signals};
use super::{Call, Door};
use askline::suggestion::Suggestion;

/// Columns of a suggestion, and of what is in them.
const COLUMNS: &[(&str, &[&str])] = &[
    ("command", &[]),
    ("explanation", &[]),
    ("risk", RISK),
    ("confidence", &[]),
    ("checks", CHECKS),
    ("changes", &[]),
    ("open", &[]),
    ("alternatives", &[]),
    ("source", &[]),
];

/// Most alternatives that can be asked for.
const ALTERNATIVES_MAX: i64 = 20;

pub(super) struct Words;

impl Door for Words {
    const NAME: &str = "ask";
    const DESCRIPTION: &str =
        "Turn plain English, or a half-right command, into the right command for this machine.";
    const EXTRA: &str = "Nothing is executed. The command was looked up in this machine's own manuals; `checks` says what was found, \
`open` what is still wrong, `risk` how careful to be. With --line it stands on the next prompt, ready to edit.";
    const SEARCH_TERMS: &[&str] =
        &["askline", "ai", "suggest", "command", "english", "natural language", "llm"];

    fn signature(signature: Signature) -> Signature {
        flags(signature)
            .rest("words", SyntaxShape::String, "What you want, in your words; without them it is piped in")
            .allows_unknown_args()
            .input_output_types(vec![
                (Type::Nothing, Type::record()),
                (Type::String, Type::record()),
                (Type::Nothing, Type::table()),
                (Type::String, Type::table()),
                (Type::Nothing, Type::Nothing),
            ])
    }

    fn examples() -> Vec<Example<'static>> {
        let example = |example, description| Example { example, description, result: None };
        vec![
            example("ask files larger than ten megabytes", "A suggestion with all that is known of it"),
            example("ask --explain unpack a.tgz | get explanation", "What each word of it does"),
            example("ask --line list all branches", "Put it on the next prompt, ready to edit"),
            example(
                "ask --alternatives 3 who is logged in | select command risk.label",
                "Others to choose from",
            ),
            example(
                "ask --shell bash count the lines of all python files | get command",
                "A line for another shell",
            ),
        ]
    }

    fn answer(call: &Call<'_>, input: PipelineData) -> Result<PipelineData, LabeledError> {
        let text = match joined(&call.given.positional)? {
            Some(words) => Some(words),
            None => piped(input, call.given.head)?,
        };
        match text.filter(|text| !text.text.trim().is_empty()) {
            Some(text) => answer(call, &text),
            None => Err(wrong(
                "no request; say what you want, such as: ask files larger than ten megabytes",
                call.given.head,
            )),
        }
    }
}

/// The flags of all commands that suggest.
pub(super) fn flags(signature: Signature) -> Signature {
    signature
        .switch(
            "line",
            "Put the command on the next prompt, ready to edit, and show a status row meanwhile",
            Some('l'),
        )
        .switch("explain", "Explain each word of it", Some('e'))
        .named("alternatives", SyntaxShape::Int, "A table with as many others", Some('a'))
}

/// The answer to a request, in the form that the flags ask for.
pub(super) fn answer(call: &Call<'_>, request: &Text) -> Result<PipelineData, LabeledError> {
    let head = call.given.head;
    let workplace = Workplace::open(call)?;
    let patience = workplace.patience();
    let _signals = cancelled_by_signals(call, &patience)?;
    if call.given.has_flag("line")? {
        line::fill(call, &workplace, request, &patience)?;
        return Ok(PipelineData::empty());
    }
    let asked = workplace.suggest(&request.text, &patience);
    let suggestion = asked.map_err(|error| no_answer(&error, request.span))?;
    let rows =
        Rows { workplace, words: request.text.clone(), explain: call.given.has_flag("explain")?, head };
    match call.given.get_flag::<i64>("alternatives")? {
        None => Ok(PipelineData::value(rows.row(suggestion), None)),
        Some(most) => {
            let most = usize::try_from(most.clamp(0, ALTERNATIVES_MAX)).unwrap_or_default();
            let signals = call.engine.signals().clone();
            Ok(PipelineData::list_stream(ListStream::new(rows.table(suggestion, most), head, signals), None))
        }
    }
}

/// Makes rows of suggestions.
struct Rows {
    workplace: Workplace,
    words: String,
    explain: bool,
    head: Span,
}

impl Rows {
    fn row(&self, suggestion: Suggestion) -> Value {
        let command = suggestion.command.as_str().to_owned();
        let object = self.workplace.suggested(&self.words, suggestion);
        let mut row = record(&object, COLUMNS, self.head);
        if self.explain {
            row.insert("explanation", value(&self.workplace.explain(&command), self.head));
        }
        Value::record(row, self.head)
    }

    /// The suggestion and then the others, each looked over when its turn comes.
    fn table(self, suggestion: Suggestion, most: usize) -> impl Iterator<Item = Value> + Send + 'static {
        let others = suggestion.alternatives.clone();
        let first = suggestion.clone();
        let rows = self;
        std::iter::once(None).chain(others.into_iter().take(most).map(Some)).filter_map(move |other| {
            let row = guarded(rows.head, || {
                let shown = match &other {
                    None => Some(first.clone()),
                    Some(text) => rows.workplace.alternative(text, &suggestion),
                };
                Ok(shown.map(|shown| rows.row(shown)))
            });
            row.unwrap_or_else(|error| Some(Value::error(ShellError::from(error), rows.head)))
        })
    }
}
