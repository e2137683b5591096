//! Classifies the options of a command as verified, unknown or refuted. The program's own parser confirms an alarm if
//! it can be asked; documentation alone never causes an error.

use super::ReportDraft;
use super::level::OptionStatus;
use super::walk::{Use, Walk};
use crate::finding::{Finding, FindingKind, Fix, Severity};
use crate::reference::CommandFacts;
use askline_manual::Source;
use askline_syntax::Word;

/// Maximum length of an option that a program is asked about, in bytes.
const ASKED_BYTES_MAX: usize = 64;
/// Maximum number of questions to programs per line; each may take tens of milliseconds.
pub(super) const QUESTIONS_MAX: usize = 12;
/// Beginnings of a description that advises against the option.
const ADVICE: [&str; 6] =
    ["deprecated", "(deprecated", "[deprecated", "obsolete", "(obsolete", "this option is deprecated"];

/// Adds findings and counts for the options of one command.
pub(super) fn check(walk: &Walk, words: &[Word], draft: &mut ReportDraft<'_>) {
    // Options behind a misspelt subcommand are its own.
    let own_to = walk.stray.as_ref().and_then(|stray| words.get(stray.index)).map(|word| word.span.start);
    for used in walk.uses.iter().filter(|used| own_to.is_none_or(|end| used.span.start < end)) {
        match &used.standing {
            OptionStatus::Documented(text) => {
                draft.report.flags_verified += 1;
                deprecated(used, text, draft);
            }
            OptionStatus::Doubtful(why) => match draft.accepts(used) {
                Some(true) => draft.report.flags_verified += 1,
                Some(false) => refuted(used, true, draft),
                None => unknown(used, why, draft),
            },
            OptionStatus::Open(why) => unknown(used, why, draft),
            OptionStatus::Absent => match draft.accepts(used) {
                Some(true) => draft.report.flags_verified += 1,
                asked => refuted(used, asked.is_some(), draft),
            },
        }
    }
    if let Some(stray) = &walk.stray
        && let Some(word) = words.get(stray.index)
    {
        let is_raw = draft.line.get(word.span.clone()) == Some(word.text.as_str());
        let fix = Fix {
            span: word.span.clone(),
            replacement: stray.nearest.clone(),
            change: format!("{} → {}", word.text, stray.nearest),
        };
        let evidence = stray.known.as_ref().map_or_else(
            || format!("the commands that `{}` is known to have", stray.command),
            |known| documentation(&stray.command, known),
        );
        draft.report.findings.push(Finding {
            kind: FindingKind::CommandMissing,
            span: word.span.clone(),
            grade: Severity::Warning,
            text: format!(
                "`{}` has no command `{}`; did you mean `{}`",
                stray.command, word.text, stray.nearest
            ),
            evidence,
            fixes: Vec::from_iter((is_raw && stray.is_slip).then_some(fix)),
        });
    }
}

impl ReportDraft<'_> {
    /// Asks the program whether it accepts an option. Returns `None` if it cannot be asked or no questions are left.
    fn accepts(&mut self, used: &Use) -> Option<bool> {
        let is_plain =
            used.option.len() <= ASKED_BYTES_MAX && used.option.bytes().all(|byte| byte.is_ascii_graphic());
        if !used.known.askable || !is_plain || self.questions_left == 0 {
            return None;
        }
        self.questions_left -= 1;
        let command: Vec<&str> = used.command.iter().map(String::as_str).collect();
        self.reference.accepts(&command, &used.option)
    }
}

fn refuted(used: &Use, by_program: bool, draft: &mut ReportDraft<'_>) {
    draft.report.flags_refuted += 1;
    let command = used.command.join(" ");
    let meant = used.nearest.as_ref();
    // A fix of a whole word concerns that word, not the letter that revealed the error.
    let option = match meant {
        Some((span, _)) => draft.line.get(span.clone()).unwrap_or(&used.option),
        None => &used.option,
    };
    let question = meant.map(|(_, name)| format!("; did you mean `{name}`")).unwrap_or_default();
    let text = match by_program {
        true => format!("`{command}` has no option `{option}`{question}"),
        false => format!("`{command}` documents no option `{option}`{question}"),
    };
    let fixes = meant.map(|(span, name)| Fix {
        span: span.clone(),
        replacement: name.clone(),
        change: format!("{option} → {name}"),
    });
    let evidence = match by_program {
        true => format!(
            "`{command}` itself refuses it{}",
            version(&used.known).map(|v| format!(" ({v})")).unwrap_or_default()
        ),
        false => documentation(&command, &used.known),
    };
    let finding = Finding {
        kind: FindingKind::FlagRefuted,
        span: meant.map_or(&used.span, |(span, _)| span).clone(),
        grade: if by_program { Severity::Error } else { Severity::Warning },
        text,
        evidence,
        fixes: Vec::from_iter(fixes),
    };
    draft.report.findings.push(finding);
}

fn unknown(used: &Use, why: &str, draft: &mut ReportDraft<'_>) {
    draft.report.flags_unknown += 1;
    let command = used.command.join(" ");
    draft.report.findings.push(Finding {
        kind: FindingKind::FlagUnknown,
        span: used.span.clone(),
        grade: Severity::Hint,
        text: format!("it is not known whether `{command}` takes `{}`: {why}", used.option),
        evidence: documentation(&command, &used.known),
        fixes: Vec::from_iter(used.nearest.as_ref().map(|(span, name)| Fix {
            span: span.clone(),
            replacement: name.clone(),
            change: format!("{} → {name}", used.option),
        })),
    });
}

fn deprecated(used: &Use, text: &str, draft: &mut ReportDraft<'_>) {
    let lower = text.trim_start().to_lowercase();
    if !ADVICE.iter().any(|beginning| lower.starts_with(beginning)) {
        return;
    }
    let command = used.command.join(" ");
    draft.report.findings.push(Finding {
        kind: FindingKind::Deprecated,
        span: used.span.clone(),
        grade: Severity::Hint,
        text: format!("`{command}` advises against `{}`: {text}", used.option),
        evidence: documentation(&command, &used.known),
        fixes: Vec::new(),
    });
}

/// Returns the source of the documentation for the user: `manual of ls 9.1`, `ls --help 9.1`.
pub(super) fn documentation(command: &str, known: &CommandFacts) -> String {
    let command = command.trim_start_matches('^');
    let Some(manual) = &known.manual else { return format!("no documentation of {command} here") };
    let said_by = |source| manual.options.iter().any(|doc| doc.source == source);
    let mut text = match (said_by(Source::Page), said_by(Source::Help)) {
        (true, true) => format!("manual and --help of {command}"),
        (false, true) => format!("{command} --help"),
        (_, false) => format!("manual of {command}"),
    };
    if let Some(version) = version(known) {
        text.push(' ');
        text.push_str(version);
    }
    text
}

fn version(known: &CommandFacts) -> Option<&str> {
    known.version.as_deref().or_else(|| known.manual.as_ref().and_then(|manual| manual.version.as_deref()))
}
