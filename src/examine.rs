//! Examination of one line on this machine: parses it, checks it, applies the rules for foreign systems and asks the
//! shell itself.

use std::thread;

use crate::knowledge::Knowledge;
use askline_check::check;
use askline_check::check::is_slip_of_file;
use askline_check::finding::{Finding, FindingKind, Fix, Report, Severity};
use askline_check::platform;
use askline_check::reference;
use askline_check::reference::Reference as _;
use askline_check::repair;
use askline_check::repair::Repaired;
use askline_check::typed;
use askline_manual::catalogue::{CommandDoc, Role};
use askline_risk as risk;
use askline_risk::{Around, Facts, Risk};
use askline_syntax as syntax;
use askline_syntax::clean::{Cleaned, clean_with_names};
use askline_syntax::shell::Shell;
use askline_syntax::{Parsed, ParsedLine, SimpleCommand, Span};

/// Message of Nushell for an unknown option of one of its own commands.
const NO_FLAG: &str = "doesn't have flag";

/// Minimum length of the beginning of a flag, in bytes.
const FLAG_MIN: usize = 2;

/// Evidence text of the finding that a command needs input: Nushell accepts such a line, but running it ends with an
/// error.
const SIGNATURE: &str = "nushell's signature of it";

/// Examines lines for one shell on one machine.
#[derive(Clone, Copy)]
pub struct Examiner<'a> {
    /// Shell that will read the lines.
    pub shell: Shell,
    /// Known facts about the machine's commands, and access to the shell's own parser.
    pub knowledge: &'a Knowledge,
}

/// An examined line.
#[derive(Debug, Clone)]
pub struct Examined {
    /// Parsed line.
    pub line: ParsedLine,
    /// Findings.
    pub report: Report,
}

impl Examiner<'_> {
    /// Sanitizes a line for the shell's prompt. A quoted name of something that exists may hold unusual spaces.
    ///
    /// # Errors
    /// The reason, as words for people that continue "the answer was refused: …".
    pub fn clean(&self, line: &str) -> Result<Cleaned, String> {
        clean_with_names(line, self.shell, &|name| self.knowledge.exists(name) == Some(true))
    }

    /// Parses a line. For Nushell, its own parser is used, which knows the user's definitions; the built-in parser is
    /// the fallback.
    pub fn parse(&self, line: &str) -> ParsedLine {
        self.with_engine(ParsedLine::new(line, self.shell))
    }

    fn with_engine(&self, line: ParsedLine) -> ParsedLine {
        match self.knowledge.pieces(line.text()) {
            Some(pieces) => line.with_engine(&pieces),
            None => line,
        }
    }

    /// Examines a line.
    pub fn examine(&self, line: &str) -> Examined {
        self.examine_parsed(&ParsedLine::new(line, self.shell))
    }

    fn examine_parsed(&self, line: &ParsedLine) -> Examined {
        thread::scope(|scope| {
            // The shell parses the line in parallel.
            let asked = thread::Builder::new().spawn_scoped(scope, || self.knowledge.verdict(line.text()));
            let Examined { line, mut report } = self.look_up(line);
            let verdict = asked.ok().and_then(|asked| asked.join().ok()).unwrap_or_default();
            report.syntax_ok = verdict.ok;
            if self.shell.is_nushell() && verdict.ok == Some(true) {
                self.believe_nushell(line.parsed(), &mut report);
            }
            let known = |finding: &Finding| {
                matches!(finding.kind, FindingKind::Syntax | FindingKind::Incomplete)
                    && finding.evidence != SIGNATURE
            };
            if self.shell.is_nushell() && verdict.ok == Some(false) {
                // Nushell's message gives the reason; our own "not understood" finding only gives a position.
                report.findings.retain(|finding| {
                    finding.kind != FindingKind::Syntax
                        || !finding.fixes.is_empty()
                        || !finding.text.starts_with(syntax::nu::NOT_UNDERSTOOD)
                });
            }
            if verdict.ok == Some(false) && !report.findings.iter().any(known) {
                let span = verdict.span.unwrap_or(0..line.text().len());
                let is_flag = self.shell.is_nushell() && verdict.message.contains(NO_FLAG);
                report.findings.push(Finding {
                    kind: FindingKind::Syntax,
                    fixes: is_flag.then(|| self.other_flag(&line, &span)).flatten().into_iter().collect(),
                    span,
                    grade: Severity::Error,
                    text: format!("{} can't read it: {}", self.shell, verdict.message),
                    evidence: self.shell.to_string(),
                });
                sort(&mut report);
            }
            Examined { line, report }
        })
    }

    /// Returns a fix for a flag that Nushell's own command does not have: the only flag that begins so or is near, else the program of
    /// the same name. An option that only the program has means the program.
    fn other_flag(&self, line: &ParsedLine, refused: &Span) -> Option<Fix> {
        let begin = |command: &SimpleCommand| command.words.first().map(|word| word.span.start);
        let before = line.parsed().commands.iter().filter(|command| begin(command) <= Some(refused.start));
        let command = before.max_by_key(|command| begin(command))?;
        let (name, at) = (command.name().filter(|_| !command.external)?, begin(command)?);
        let given = line.text().get(refused.clone()).unwrap_or_default();
        let own = self.knowledge.own_commands();
        let doc = own.as_ref().and_then(|own| own.get(name));
        let flags = doc
            .iter()
            .flat_map(|doc| &doc.parameters)
            .filter(|it| matches!(it.role, Role::Switch | Role::Named));
        let is_near = |flag: &str, given: &str| flag.starts_with(given) || is_slip_of_file(given, flag);
        let given_name = given.strip_prefix("--").filter(|name| FLAG_MIN <= name.len());
        let mut near = flags.filter(|flag| given_name.is_some_and(|given| is_near(&flag.name, given)));
        if let (Some(flag), None) = (near.next(), near.next()) {
            let replacement = format!("--{}", flag.name);
            let change = format!("{given} → {replacement}");
            return Some(Fix { span: refused.clone(), replacement, change });
        }
        let program = format!("^{name}");
        let is_there =
            matches!(self.knowledge.known(&[&program]).kind, reference::CommandKind::Program { .. });
        is_there.then(|| Fix {
            span: at..at,
            replacement: "^".to_owned(),
            change: format!("{name} → {program}"),
        })
    }

    /// Corrects the report after Nushell accepted the line: it knows the options of its own commands.
    fn believe_nushell(&self, parsed: &Parsed, report: &mut Report) {
        let is_own = |command: &&SimpleCommand| {
            let builtin = |name| match self.knowledge.known(&[name]).kind {
                reference::CommandKind::Builtin => true,
                reference::CommandKind::Function => self.knowledge.is_in_shell(),
                _ => false,
            };
            !command.external && command.name().is_some_and(builtin)
        };
        let own: Vec<&Span> = parsed.commands.iter().filter(is_own).map(|command| &command.span).collect();
        let before = report.findings.len();
        report.findings.retain(|finding| {
            finding.kind != FindingKind::FlagUnknown || !own.iter().any(|span| overlap(span, &finding.span))
        });
        let verified = (before - report.findings.len()).min(report.flags_unknown);
        report.flags_unknown -= verified;
        report.flags_verified += verified;
    }

    /// Judges the risk of a line. `request` is the request that it answers; `None` if a person typed the line.
    pub fn risk(&self, line: &ParsedLine, request: Option<&str>, facts: &dyn Facts) -> Risk {
        let alias = |name: &str| self.knowledge.alias(name);
        let global_alias = |name: &str| self.knowledge.global_alias(name);
        risk::judge(line, &Around { request, alias: &alias, global_alias: &global_alias, facts })
    }

    /// Returns the repair that passes every check, if there is exactly one. `report` contains the findings in the
    /// line. Names of files stay: a model's line may be about a file that does not exist yet, and what it reads is held against
    /// the directory with the request (`refine/agreement`).
    pub fn repair(&self, line: &ParsedLine, report: &Report) -> Option<Repaired> {
        // Where the program is there for root alone, the words are a command all the same.
        let is_for_root = report.commands_missing == 0
            && report.findings.iter().any(|finding| finding.kind == FindingKind::CommandMissing);
        if typed::is_plain_words(line.text()) && !is_for_root {
            return None;
        }
        self.mend(line, &keeping_files(report.clone()), keeping_files)
    }

    /// Like [`Self::repair`], for a line that a person wrote as a command, even if it looks like plain words. Names of
    /// files are mended too.
    pub fn correct(&self, line: &ParsedLine, report: &Report) -> Option<Repaired> {
        self.mend(line, report, |report| report)
    }

    fn mend(&self, line: &ParsedLine, report: &Report, change: fn(Report) -> Report) -> Option<Repaired> {
        // Asking the shell about each candidate takes longer than everything else. If the shell accepts the original
        // line, it is asked only about the final result.
        let is_refused = report.syntax_ok == Some(false);
        let judge = |line: &ParsedLine| {
            change(if is_refused { self.examine_parsed(line) } else { self.look_up(line) }.report)
        };
        let repaired = repair::repair(line, report, self.knowledge, &judge)?;
        let is_read =
            || report.syntax_ok.is_none() || self.knowledge.verdict(&repaired.line).ok == Some(true);
        is_read().then_some(repaired)
    }

    /// Examines a line without asking the shell.
    fn look_up(&self, line: &ParsedLine) -> Examined {
        let line = self.with_engine(line.clone());
        let mut report = check::check(&line, self.knowledge);
        let foreign = platform::findings(&line, self.knowledge, self.knowledge.os());
        // Knowing which system an option comes from is more precise than "unknown option".
        report.findings.retain(|finding| {
            let same = |other: &Finding| overlap(&finding.span, &other.span);
            finding.kind != FindingKind::FlagRefuted || !foreign.iter().any(same)
        });
        report.findings.extend(foreign);
        let slips = repair::slips(&line, self.knowledge);
        repair::outdone(&mut report.findings, &slips);
        let unclosed = report.findings.iter().any(|finding| finding.kind == FindingKind::Incomplete);
        report
            .findings
            .extend(slips.into_iter().filter(|slip| !(unclosed && slip.kind == FindingKind::Incomplete)));
        report.findings.extend(self.without_input(&line));
        sort(&mut report);
        Examined { line, report }
    }

    /// Returns a finding for a Nushell command that needs pipeline input but gets none: running it ends with an
    /// error.
    fn without_input(&self, line: &ParsedLine) -> Option<Finding> {
        if !self.shell.is_nushell() {
            return None;
        }
        let begins = |command: &&SimpleCommand| {
            let before =
                command.words.first().and_then(|word| line.text().get(..word.span.start)).map(str::trim_end);
            // A command in a block gets the input of the block.
            command.within.is_empty()
                && before.is_some_and(|before| before.is_empty() || before.ends_with(';'))
        };
        let is_asked = |command: &SimpleCommand| {
            command.words.iter().any(|word| matches!(word.text.as_str(), "--help" | "-h"))
        };
        let commands = line.parsed().commands.iter().filter(begins).filter(|command| !is_asked(command));
        let (command, name) =
            commands.filter_map(|command| Some((command, command.name()?))).find(|(_, name)| {
                self.knowledge.known(&[name]).kind == reference::CommandKind::Builtin
                    && self
                        .knowledge
                        .commands()
                        .is_some_and(|own| own.get(name).is_some_and(CommandDoc::needs_input))
            })?;
        let inputs = self.knowledge.commands()?.get(name)?.inputs.join(" or ");
        Some(Finding {
            kind: FindingKind::Syntax,
            span: command.words.first()?.span.clone(),
            grade: Severity::Error,
            text: format!("`{name}` needs input from a pipe: {inputs}"),
            evidence: SIGNATURE.to_owned(),
            fixes: Vec::new(),
        })
    }
}

/// Returns the report without the fixes that put another file in the place of a missing one.
fn keeping_files(mut report: Report) -> Report {
    for finding in report.findings.iter_mut().filter(|finding| finding.kind == FindingKind::PathMissing) {
        finding.fixes.retain(|fix| fix.span != finding.span);
    }
    report
}

/// Sorts findings by position, then worst first.
fn sort(report: &mut Report) {
    report.findings.sort_by_key(|finding| (finding.span.start, finding.grade));
}

fn overlap(one: &Span, other: &Span) -> bool {
    one.start < other.end && other.start < one.end
}
