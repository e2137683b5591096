//! One line, everything we can say of it on this machine: taken apart, looked up, held against the rules of other
//! systems, shown to the shell itself.

use std::thread;

use crate::catalogue::Card;
use crate::check::{self, Finding, Fix, Grade, Kind, Report};
use crate::knowledge::Knowledge;
use crate::platform;
use crate::reference::{self, Reference as _};
use crate::repair::{self, Repaired};
use crate::risk::{self, Around, Facts, Risk};
use crate::shell::Shell;
use crate::syntax::{self, Parsed, SimpleCommand, Span};
use crate::typed;

/// What Nushell says of an option that a command of its own does not have.
const NO_FLAG: &str = "doesn't have flag";

/// What tells that a command needs input: Nushell takes the line, and ends it with an error.
const SIGNATURE: &str = "nushell's signature of it";

/// Looks lines over for one shell on one machine.
#[derive(Clone, Copy)]
pub struct Examiner<'a> {
    /// The shell that will read the lines.
    pub shell: Shell,
    /// What is known of the machine's commands, and the shell's own reading.
    pub knowledge: &'a Knowledge,
}

/// A line that was looked over.
#[derive(Debug, Clone)]
pub struct Examined {
    /// What it consists of.
    pub parsed: Parsed,
    /// What was found.
    pub report: Report,
}

impl Examiner<'_> {
    /// Takes a line apart. Nushell reads its own lines, with what the user defined; ours is the reading where it can't be
    /// asked.
    pub fn parse(&self, line: &str) -> Parsed {
        match self.shell {
            Shell::Bash | Shell::Zsh | Shell::Fish => syntax::commands(line, self.shell),
            Shell::Nu => self.knowledge.pieces(line).map_or_else(
                || syntax::commands(line, self.shell),
                |pieces| syntax::peel(syntax::nu::parse(&pieces, line), line, self.shell),
            ),
        }
    }

    /// Looks a line over.
    pub fn examine(&self, line: &str) -> Examined {
        thread::scope(|scope| {
            // The shell reads it meanwhile.
            let asked = thread::Builder::new().spawn_scoped(scope, || self.knowledge.verdict(line));
            let Examined { parsed, mut report } = self.look_up(line);
            let verdict = asked.ok().and_then(|asked| asked.join().ok()).unwrap_or_default();
            report.syntax_ok = verdict.ok;
            if self.shell == Shell::Nu && verdict.ok == Some(true) {
                self.believe_nushell(line, &parsed, &mut report);
            }
            let known = |finding: &Finding| {
                matches!(finding.kind, Kind::Syntax | Kind::Incomplete) && finding.evidence != SIGNATURE
            };
            if self.shell == Shell::Nu && verdict.ok == Some(false) {
                // Its words say why; that it can't place one says only where.
                report.findings.retain(|finding| {
                    finding.kind != Kind::Syntax
                        || !finding.fixes.is_empty()
                        || !finding.text.starts_with(syntax::nu::NOT_UNDERSTOOD)
                });
            }
            if verdict.ok == Some(false) && !report.findings.iter().any(known) {
                let span = verdict.span.unwrap_or(0..line.len());
                let is_flag = self.shell == Shell::Nu && verdict.message.contains(NO_FLAG);
                report.findings.push(Finding {
                    kind: Kind::Syntax,
                    fixes: self.as_program(line, &parsed, &span).filter(|_| is_flag).into_iter().collect(),
                    span,
                    grade: Grade::Error,
                    text: format!("{} can't read it: {}", self.shell, verdict.message),
                    evidence: self.shell.to_string(),
                });
                sort(&mut report);
            }
            Examined { parsed, report }
        })
    }

    /// The program of the same name in place of the command of Nushell's own that `refused` stands in: whoever wrote an
    /// option that only the program has meant that.
    fn as_program(&self, line: &str, parsed: &Parsed, refused: &Span) -> Option<Fix> {
        let begin = |command: &SimpleCommand| command.words.first().map(|word| word.span.start);
        let before = parsed.commands.iter().filter(|command| begin(command) <= Some(refused.start));
        let command = before.max_by_key(|command| begin(command))?;
        let (name, at) = (command.name()?, begin(command)?);
        let program = format!("^{name}");
        let is_there = matches!(self.knowledge.known(&[&program]).kind, reference::Kind::Program { .. });
        (is_there && !line.get(..at)?.ends_with('^')).then(|| Fix {
            span: at..at,
            replacement: "^".to_owned(),
            change: format!("{name} → {program}"),
        })
    }

    /// Nushell, which has read the line, knows the options of its own commands.
    fn believe_nushell(&self, line: &str, parsed: &Parsed, report: &mut Report) {
        let is_own = |command: &&SimpleCommand| {
            let before = command.words.first().and_then(|word| line.get(..word.span.start));
            let builtin = |name| match self.knowledge.known(&[name]).kind {
                reference::Kind::Builtin => true,
                reference::Kind::Function => self.knowledge.is_in_shell(),
                _ => false,
            };
            before.is_some_and(|before| !before.ends_with('^')) && command.name().is_some_and(builtin)
        };
        let own: Vec<&Span> = parsed.commands.iter().filter(is_own).map(|command| &command.span).collect();
        let before = report.findings.len();
        report.findings.retain(|finding| {
            finding.kind != Kind::FlagUnknown || !own.iter().any(|span| overlap(span, &finding.span))
        });
        let verified = (before - report.findings.len()).min(report.flags_unknown);
        report.flags_unknown -= verified;
        report.flags_verified += verified;
    }

    /// How careful one should be with a line. `request` is what it answers; none where a person typed it.
    pub fn risk(&self, line: &str, request: Option<&str>, facts: &dyn Facts) -> Risk {
        let alias = |name: &str| self.knowledge.alias(name);
        let global_alias = |name: &str| self.knowledge.global_alias(name);
        risk::judge(line, self.shell, &Around { request, alias: &alias, global_alias: &global_alias, facts })
    }

    /// The one repair that passes every check, if there is exactly one. `report` is what was found in the line.
    pub fn repair(&self, line: &str, report: &Report) -> Option<Repaired> {
        if typed::is_plain_words(line) { None } else { self.correct(line, report) }
    }

    /// The same for a line that was meant as a command, though it may be nothing but words: it was run.
    pub fn correct(&self, line: &str, report: &Report) -> Option<Repaired> {
        // Asking the shell about each candidate takes longer than all else. Where it accepts the line, once is enough:
        // what it is handed in the end.
        let is_refused = report.syntax_ok == Some(false);
        let judge = |line: &str| if is_refused { self.examine(line) } else { self.look_up(line) }.report;
        let repaired = repair::repair(line, self.shell, report, self.knowledge, &judge)?;
        let is_read =
            || report.syntax_ok.is_none() || self.knowledge.verdict(&repaired.line).ok == Some(true);
        is_read().then_some(repaired)
    }

    /// Looks a line over without asking the shell whether it would take it.
    fn look_up(&self, line: &str) -> Examined {
        let parsed = self.parse(line);
        let mut report = check::check(line, self.shell, &parsed, self.knowledge);
        let foreign = platform::findings(line, &parsed, self.knowledge, self.knowledge.os());
        // Who knows where an option comes from says more than that it is not there.
        report.findings.retain(|finding| {
            let same = |other: &Finding| overlap(&finding.span, &other.span);
            finding.kind != Kind::FlagRefuted || !foreign.iter().any(same)
        });
        report.findings.extend(foreign);
        let slips = repair::slips(line, self.shell, self.knowledge);
        repair::outdone(&mut report.findings, &slips);
        let unclosed = report.findings.iter().any(|finding| finding.kind == Kind::Incomplete);
        report.findings.extend(slips.into_iter().filter(|slip| !(unclosed && slip.kind == Kind::Incomplete)));
        report.findings.extend(self.without_input(line, &parsed));
        sort(&mut report);
        Examined { parsed, report }
    }

    /// A command of Nushell's own that works on what a pipe brings, where nothing comes in: it ends with an error there.
    fn without_input(&self, line: &str, parsed: &Parsed) -> Option<Finding> {
        if self.shell != Shell::Nu {
            return None;
        }
        let begins = |command: &&SimpleCommand| {
            let before =
                command.words.first().and_then(|word| line.get(..word.span.start)).map(str::trim_end);
            // What stands in a block gets what the block gets.
            command.within.is_empty()
                && before.is_some_and(|before| before.is_empty() || before.ends_with(';'))
        };
        let is_asked = |command: &SimpleCommand| {
            command.words.iter().any(|word| matches!(word.text.as_str(), "--help" | "-h"))
        };
        let commands = parsed.commands.iter().filter(begins).filter(|command| !is_asked(command));
        let (command, name) =
            commands.filter_map(|command| Some((command, command.name()?))).find(|(_, name)| {
                self.knowledge.known(&[name]).kind == reference::Kind::Builtin
                    && self
                        .knowledge
                        .commands()
                        .is_some_and(|own| own.get(name).is_some_and(Card::needs_input))
            })?;
        let inputs = self.knowledge.commands()?.get(name)?.inputs.join(" or ");
        Some(Finding {
            kind: Kind::Syntax,
            span: command.words.first()?.span.clone(),
            grade: Grade::Error,
            text: format!("`{name}` needs input from a pipe: {inputs}"),
            evidence: SIGNATURE.to_owned(),
            fixes: Vec::new(),
        })
    }
}

/// By place, the worst first.
fn sort(report: &mut Report) {
    report.findings.sort_by_key(|finding| (finding.span.start, finding.grade));
}

fn overlap(one: &Span, other: &Span) -> bool {
    one.start < other.end && other.start < one.end
}
