//! `ask`: words in, a command out, as a record, a table of alternatives, or on the next prompt.

use std::iter::once;

use nu_plugin::EngineInterface;
use nu_protocol::{
    Example, LabeledError, ListStream, PipelineData, ShellError, Signature, Span, SyntaxShape, Type, Value,
};

use super::outcome::{guarded, no_answer, wrong};
use super::value::{CHECKS, RISK, Text, joined, piped, record, value};
use super::workplace::{Workplace, cancelled_by_signals};
use super::{PluginAction, PluginCall};
use super::{line, look};
use askline::fix::Failed;
use askline::suggestion::Suggestion;
use askline_model::Model;
use askline_model::failure::Failure;
use askline_model::request_control::RequestControl;

/// Columns of a suggestion, and of its nested records.
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

pub(super) struct AskCommand;

impl PluginAction for AskCommand {
    const NAME: &str = "ask";
    const DESCRIPTION: &str =
        "Turn plain English, or a half-right command, into the right command for this machine.";
    const EXTRA: &str = "Nothing is executed. The command was looked up in this machine's own manuals; `checks` says what was found, \
`open` what is still wrong, `risk` how careful to be. With --line it is put on the next prompt, ready to edit.";
    const SEARCH_TERMS: &[&str] =
        &["askline", "ai", "suggest", "command", "english", "natural language", "llm"];

    fn signature(signature: Signature) -> Signature {
        flags(signature)
            .switch(
                "look",
                "Look around first: a table of what happens, as it happens, with the command in its last row",
                None,
            )
            .switch("anyway", "Ask the model even if no single command seems to do what you want", None)
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
            example("ask files larger than ten megabytes", "A suggestion with all details"),
            example("ask --explain unpack a.tgz | get explanation", "What each word of it does"),
            example("ask --line list all branches", "Put it on the next prompt, ready to edit"),
            example(
                "ask --alternatives 3 who is logged in | select command risk.label",
                "Alternatives to choose from",
            ),
            example(
                "ask --look what is large in this directory | last | get data.command",
                "A command after a look at this machine, with tools that only read",
            ),
            example(
                "ask --shell bash count the lines of all python files | get command",
                "A line for another shell",
            ),
        ]
    }

    fn answer(call: &PluginCall<'_>, input: PipelineData) -> Result<PipelineData, LabeledError> {
        let text = match joined(&call.given.positional)? {
            Some(words) => Some(words),
            None => piped(input)?,
        };
        match text.filter(|text| !text.text.trim().is_empty()) {
            Some(text) if call.given.has_flag("look")? => look::answer(call, &text),
            Some(text) => answer(call, &text, None),
            None => Err(wrong(
                "no request; say what you want, such as: ask files larger than ten megabytes",
                call.given.head,
            )),
        }
    }
}

/// Adds the flags of all commands that suggest.
pub(super) fn flags(signature: Signature) -> Signature {
    signature
        .switch(
            "line",
            "Put the command on the next prompt, ready to edit, and show a status row meanwhile",
            Some('l'),
        )
        .switch("explain", "Explain each word of it", Some('e'))
        .named(
            "alternatives",
            SyntaxShape::Int,
            "A table with up to this many alternatives, as they are found",
            Some('a'),
        )
}

/// Returns the answer to a request, in the form that the flags select. `failed` is the
/// command to correct if the request has no words.
pub(super) fn answer(
    call: &PluginCall<'_>,
    request: &Text,
    failed: Option<Failed>,
) -> Result<PipelineData, LabeledError> {
    let head = call.given.head;
    let workplace = Workplace::open(call, failed)?;
    let control = workplace.control();
    let _signals = cancelled_by_signals(call.engine, &control)?;
    if call.given.has_flag("line")? {
        line::ask(call, &workplace, request, &control)?;
        return Ok(PipelineData::empty());
    }
    let others = call.given.get_flag::<i64>("alternatives")?;
    let asked = workplace.model().and_then(|mut model| {
        let suggestion = workplace.suggest(&request.text, model.as_mut(), &control)?;
        if others.is_none() {
            model.finish()?;
        }
        Ok((model, suggestion))
    });
    let (model, suggestion) = asked.map_err(|error| no_answer(&error, request.span))?;
    let explain = call.given.has_flag("explain")?;
    let rows = Rows { workplace, request: request.clone(), explain, head };
    let Some(others) = others else { return Ok(PipelineData::value(rows.row(suggestion), None)) };
    let most = usize::try_from(others.max(0)).unwrap_or_default();
    let first = once(rows.row(suggestion.clone()));
    let engine = call.engine.clone();
    // Computed after Nushell has taken the first row.
    let mut model = model;
    let others =
        once(()).flat_map(move |()| rows.alternatives(&suggestion, model.as_mut(), &engine, &control));
    let table = ListStream::new(first.chain(others.take(most)), head, call.engine.signals().clone());
    Ok(PipelineData::list_stream(table, None))
}

/// Converts suggestions to rows.
struct Rows {
    workplace: Workplace,
    request: Text,
    explain: bool,
    head: Span,
}

impl Rows {
    fn row(&self, suggestion: Suggestion) -> Value {
        let command = suggestion.command.as_str().to_owned();
        let object = self.workplace.suggested(&self.request.text, suggestion);
        let mut row = record(&object, COLUMNS, self.head);
        if self.explain {
            row.insert("explanation", value(&self.workplace.explain(&command), self.head));
        }
        Value::record(row, self.head)
    }

    /// Returns the other suggestions; an error becomes a row, and a missing alternative becomes no row.
    fn alternatives(
        &self,
        known: &Suggestion,
        model: &mut dyn Model,
        engine: &EngineInterface,
        first: &RequestControl,
    ) -> Vec<Value> {
        let found = guarded(self.head, || {
            let control = self.workplace.patience_after(first);
            let _signals = cancelled_by_signals(engine, &control)?;
            let found = self.workplace.alternatives(&self.request.text, known, model, &control);
            match found.and_then(|found| model.finish().map(|()| found)) {
                Ok(found) => Ok(found.into_iter().map(|other| self.row(other)).collect()),
                Err(error) if matches!(error.downcast_ref(), Some(Failure::NoCommand(_))) => Ok(Vec::new()),
                Err(error) => Err(no_answer(&error, self.request.span)),
            }
        });
        found.unwrap_or_else(|error| vec![Value::error(ShellError::from(error), self.head)])
    }
}
