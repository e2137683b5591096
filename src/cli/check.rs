//! `askline check`: reports errors in a line on this machine, without a model.

mod diagnostics;
mod hook;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use super::args::Check;
use super::rows::rows;
use super::{AppContext, Exit, complain, one_line, print};
use crate::examine::{Examined, Examiner};
use crate::path_facts::PathFacts;
use crate::refine;
use crate::shell_facts::ShellFacts;
use askline_check::finding::{Finding, Report};
use askline_risk::{Label, Risk};
use askline_syntax::Span;
use askline_syntax::clean::visible;
use askline_syntax::shell::Shell;

/// Message if no line is given.
const NO_LINE: &str = "no line; give one, such as `askline check -- 'tar -xzf a.tgz'`, or pipe it in";

pub(super) fn run(args: &Check, app: &AppContext) -> anyhow::Result<Exit> {
    if args.hook {
        return hook::run(args.shell.unwrap_or(Shell::SH), app);
    }
    if let Some(script) = &args.diagnostics {
        return diagnostics::run(script, args.shell, app);
    }
    let shell = args.shell.unwrap_or_else(|| app.login_shell());
    let rows = rows(&args.words, args.lines.as_deref(), NO_LINE)?;
    let knowledge = app.knowledge(shell, &ShellFacts::default())?;
    let examiner = Examiner { shell, knowledge: &knowledge };
    let mut exit = Exit::Done;
    for row in rows {
        let row = row?;
        let prefix = row.prefix();
        knowledge.begin_line();
        let shown = row.text.map(|line| {
            let examined = examine(&line, &examiner);
            let risk = examiner.risk(&examined.line, None, &PathFacts::new(app.machine.host.as_ref()));
            let clean = examined.report.findings.is_empty();
            let text = if args.json {
                format!("{}\n", object(&examined, &risk))
            } else {
                text(&line, &examined.report, &risk)
            };
            (text, clean)
        });
        match shown {
            Ok((text, clean)) => {
                print(&text)?;
                exit = if clean { exit } else { Exit::None };
            }
            Err(error) => {
                complain(&prefix, &error);
                exit = Exit::None;
            }
        }
    }
    knowledge.remember();
    Ok(exit)
}

/// Examines a line as the key does, with what is wrong about its effect whatever was wanted.
fn examine(line: &str, examiner: &Examiner<'_>) -> Examined {
    let mut examined = examiner.examine(line);
    let findings = &mut examined.report.findings;
    findings.extend(refine::slips(&examined.line));
    findings.sort_by_key(|finding| (finding.span.start, finding.grade));
    examined
}

/// Returns the JSON object of one line, looked up now.
///
/// # Errors
/// A wrong configuration.
pub(super) fn checked(line: &str, shell: Shell, app: &AppContext) -> anyhow::Result<Value> {
    let knowledge = app.knowledge(shell, &ShellFacts::default())?;
    let examiner = Examiner { shell, knowledge: &knowledge };
    let examined = examine(line, &examiner);
    let risk = examiner.risk(&examined.line, None, &PathFacts::new(app.machine.host.as_ref()));
    knowledge.remember();
    Ok(object(&examined, &risk))
}

/// Returns line, shell and `risk` of the same object, without a look at the options.
///
/// # Errors
/// A wrong configuration.
pub(super) fn risk_of(line: &str, shell: Shell, app: &AppContext) -> anyhow::Result<Value> {
    let risk = risk(line, shell, app)?;
    Ok(json!({ "line": line, "shell": shell.name(), "risk": super::suggest::risk(&risk) }))
}

/// Returns the risk of one line.
///
/// # Errors
/// A wrong configuration.
pub(super) fn risk(line: &str, shell: Shell, app: &AppContext) -> anyhow::Result<Risk> {
    let knowledge = app.knowledge(shell, &ShellFacts::default())?;
    let examiner = Examiner { shell, knowledge: &knowledge };
    Ok(examiner.risk(&examiner.parse(line), None, &PathFacts::new(app.machine.host.as_ref())))
}

/// Returns the JSON object of one line. Its field names are a stable interface.
pub fn object(examined: &Examined, risk: &Risk) -> Value {
    let Examined { line, report } = examined;
    let commands = line.parsed().commands.iter();
    json!({
        "line": line.text(),
        "shell": line.shell().name(),
        "syntax_ok": report.syntax_ok,
        "commands": commands.filter_map(|command| command.name()).collect::<Vec<_>>(),
        "checks": super::suggest::checks(&refine::checks(report)),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "risk": super::suggest::risk(risk),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "kind": finding.kind.name(),
        "span": [finding.span.start, finding.span.end],
        "grade": finding.grade.name(),
        "text": finding.text,
        "evidence": finding.evidence,
        "fix": finding.fixes.first().map(|fix| json!({
            "span": [fix.span.start, fix.span.end],
            "replacement": fix.replacement,
            "change": fix.change,
        })),
    })
}

/// Returns the line with a mark under each finding, its risk and the check counts.
fn text(line: &str, report: &Report, risk: &Risk) -> String {
    let mut text = format!("{}\n", visible(line));
    for finding in &report.findings {
        text.push_str(&marks(line, &finding.span));
        text.push_str(&format!("{}: {}", finding.grade.name(), one_line(&finding.text)));
        if !finding.evidence.is_empty() {
            text.push_str(&format!(" ({})", one_line(&finding.evidence)));
        }
        text.push('\n');
    }
    if let Some(span) = risk.span.as_ref().filter(|_| risk.label >= Label::Confirm) {
        text.push_str(&marks(line, span));
        text.push_str(&format!("{}: {}\n", risk.label.name(), one_line(&risk.cause)));
    }
    for fact in &risk.facts {
        text.push_str(&format!("{}\n", one_line(fact)));
    }
    text.push_str(&format!("{}\n", refine::checks(report)));
    text
}

/// Returns blanks and carets that mark a span below the line; empty for text with several lines.
fn marks(line: &str, span: &Span) -> String {
    let (Some(before), Some(marked)) = (line.get(..span.start), line.get(span.clone())) else {
        return String::new();
    };
    if line.contains('\n') {
        return String::new();
    }
    let (before, marked) = (visible(before).width(), visible(marked).width());
    format!("{}{} ", " ".repeat(before), "^".repeat(marked.max(1)))
}
