//! `ask check`: reports errors in lines on this machine, without a model; Nushell's lines are parsed by the user's
//! own engine.

use nu_protocol::{
    Example, LabeledError, ListStream, PipelineData, ShellError, Signature, Span, SyntaxShape, Type, Value,
};

use super::outcome::{guarded, wrong};
use super::value::{CHECKS, RISK, Text, joined, printed, record, text};
use super::workplace::Workplace;
use super::{PluginAction, PluginCall};
use askline_check::finding::{Finding, Severity};
use askline_syntax::clean::visible;

/// Columns of a checked line, and of its nested records.
const COLUMNS: &[(&str, &[&str])] = &[
    ("line", &[]),
    ("shell", &[]),
    ("syntax_ok", &[]),
    ("commands", &[]),
    ("checks", CHECKS),
    ("findings", &[]),
    ("risk", RISK),
];

/// Message if no line is given.
const NO_LINE: &str = "no line; give one, such as: ask check 'tar -xzf a.tgz', or pipe lines in";

pub(super) struct Check;

impl PluginAction for Check {
    const NAME: &str = "ask check";
    const DESCRIPTION: &str =
        "Check a line: syntax, commands, flags and platform on this machine, and its risk.";
    const EXTRA: &str = "No model is asked and nothing of the line is executed. Nushell's lines are read by this Nushell, \
with your own definitions and aliases. For words that begin with `check`, quote them: ask 'check the disk'.";
    const SEARCH_TERMS: &[&str] = &["askline", "lint", "verify", "flags", "manual", "risk", "dangerous"];

    fn signature(signature: Signature) -> Signature {
        let lines = Type::List(Box::new(Type::String));
        signature
            .rest(
                "line",
                SyntaxShape::String,
                "The line, best quoted as one word; without it lines are piped in",
            )
            .switch(
                "strict",
                "An error that points at what is wrong, instead of a record, when something is",
                None,
            )
            .allows_unknown_args()
            .input_output_types(vec![
                (Type::Nothing, Type::record()),
                (Type::String, Type::record()),
                (lines, Type::table()),
            ])
    }

    fn examples() -> Vec<Example<'static>> {
        let example = |example, description, result| Example { example, description, result };
        vec![
            example("ask check 'ls -la | where size > 10kb'", "The whole report on a line", None),
            example(
                "'rm -rf ~' | ask check --shell bash | get risk.label",
                "How careful to be with a line of bash",
                Some(Value::test_string("Dangerous")),
            ),
            example(
                "['ls' 'ls | where ('] | ask check | get syntax_ok",
                "Several lines",
                Some(Value::test_list(vec![Value::test_bool(true), Value::test_bool(false)])),
            ),
        ]
    }

    fn answer(call: &PluginCall<'_>, input: PipelineData) -> Result<PipelineData, LabeledError> {
        let head = call.given.head;
        let look = LineChecker {
            workplace: Workplace::open(call, None)?,
            strict: call.given.has_flag("strict")?,
            head,
        };
        let one = |line: &Text| look.row(line, call).map(|row| PipelineData::value(row, None));
        if let Some(line) = joined(&call.given.positional)? {
            return one(&line);
        }
        match input {
            PipelineData::Empty | PipelineData::Value(Value::Nothing { .. }, _) => Err(wrong(NO_LINE, head)),
            PipelineData::ByteStream(stream, _) => one(&printed(stream)?),
            PipelineData::Value(line @ Value::String { .. }, _) => one(&text(&line)?),
            lines => {
                let (engine, given, shell) = (call.engine.clone(), call.given.clone(), call.shell);
                let rows = lines.into_iter().map(move |line| {
                    let call = PluginCall { engine: &engine, given: &given, shell };
                    let row = guarded(head, || look.row(&text(&line)?, &call));
                    row.unwrap_or_else(|error| Value::error(ShellError::from(error), line.span()))
                });
                let signals = call.engine.signals().clone();
                Ok(PipelineData::list_stream(ListStream::new(rows, head, signals), None))
            }
        }
    }
}

/// Checks lines and converts the results to rows.
struct LineChecker {
    workplace: Workplace,
    strict: bool,
    head: Span,
}

impl LineChecker {
    fn row(&self, line: &Text, call: &PluginCall<'_>) -> Result<Value, LabeledError> {
        let (examined, object) = self.workplace.check(&line.text);
        let wrong: Vec<&Finding> =
            examined.report.findings.iter().filter(|finding| finding.grade < Severity::Hint).collect();
        if self.strict && !wrong.is_empty() {
            return Err(faults(line, &wrong, call));
        }
        Ok(Value::record(record(&object, COLUMNS, self.head), self.head))
    }
}

/// Returns an error that points at each faulty word if the user's input contains the line verbatim; otherwise at the
/// whole line.
fn faults(line: &Text, wrong: &[&Finding], call: &PluginCall<'_>) -> LabeledError {
    let typed = call.engine.get_span_contents(line.span).unwrap_or_default();
    let within = String::from_utf8(typed).ok().and_then(|typed| typed.find(&line.text));
    let place = |finding: &Finding| match within {
        Some(offset) => {
            let start = line.span.start + offset;
            Span::new(start + finding.span.start, start + finding.span.end)
        }
        None => line.span,
    };
    let error =
        LabeledError::new("askline: something is wrong with the line").with_code("askline_check::check");
    let error =
        wrong.iter().fold(error, |error, finding| error.with_label(visible(&finding.text), place(finding)));
    let change = wrong.iter().find_map(|finding| finding.fixes.first()).map(|fix| visible(&fix.change));
    match change {
        Some(change) => error.with_help(change),
        None => error,
    }
}
