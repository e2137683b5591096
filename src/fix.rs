//! Correction of the last command, which failed: read from the shell facts, corrected by the checks where possible,
//! otherwise by a model. It is never run again.

mod file_name;
mod form;
mod hides;
mod obstacle;
mod pasted;
mod plain_call;
mod repeated;
mod suggested;
mod why;

use std::cell::OnceCell;

use crate::config::Config;
use crate::environment::{Environment, Machine};
use crate::examine::Examiner;
use crate::prompt_context;
use crate::refine::{self, Candidate, Refined, Spent};
use crate::screen;
use crate::shell_facts::ShellFacts;
use askline_check::finding::{Finding, FindingKind, Report};
use askline_model::failure::Failure;
use askline_model::prompt::PromptContext;
use askline_model::prompt::disclosure::FactKind;
use askline_syntax::{ParsedLine, SimpleCommand, Word, program_name};

pub use form::{Example, Runs, examples as examples_of_forms};
pub use why::{Reason, meaning_of_status};

/// Begins the reason of a failure.
pub const WHY: &str = "it failed because ";
/// Exit statuses that indicate no mistake: success, interrupted, or stopped (Linux, macOS), in the numbering of
/// shells; Nushell reports a signal as a negative number.
const INNOCENT: [i32; 5] = [0, 130, 148, 146, -2];

/// Commands that delete.
const DELETING: [&str; 5] = ["rm", "rmdir", "unlink", "shred", "trash"];

/// A failed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Command as typed.
    pub command: String,
    /// Exit status.
    pub status: i32,
    /// What it printed, read once.
    printed: OnceCell<Option<String>>,
}

impl Failed {
    /// Returns the last command, if the script passed one and it failed.
    pub fn of(facts: &ShellFacts) -> Option<Self> {
        let status = facts.status.filter(|status| !INNOCENT.contains(status))?;
        let command = facts.last_command()?.to_owned();
        Some(Self { command, status, printed: OnceCell::new() })
    }

    /// Returns the command corrected by the checks alone; `None` if they find no error or cannot determine what was
    /// meant.
    pub fn repaired(&self, examiner: &Examiner<'_>) -> Option<Refined> {
        let mistake = form::mistake(&self.command, self.status, examiner);
        let edited = mistake
            .and_then(|mistake| Some((mistake.line?, mistake.change)))
            .or_else(|| repeated::once(&examiner.parse(&self.command)))
            .or_else(|| pasted::with_own_signs(&examiner.parse(&self.command), examiner));
        let (line, changes) =
            edited.map_or_else(|| (self.command.clone(), Vec::new()), |(line, change)| (line, vec![change]));
        let cleaned = examiner.clean(&line).ok()?;
        // It was run, so it is a command, even if it looks like plain words.
        let correct = |line: &ParsedLine, report: &Report| examiner.correct(line, report);
        let mut best = refine::check_and_repair_with(&correct, cleaned, examiner, None);
        best.repairs.splice(..0, changes);
        let best = refine::with_slips(refine::with_place(&self.command, best, examiner), examiner);
        let best = with_names(&best, examiner).unwrap_or(best);
        let best = with_subcommand(&best, examiner).unwrap_or(best);
        let best = with_file_name(&best, examiner).unwrap_or(best);
        let best = self.without_obstacle(&best, examiner).unwrap_or(best);
        let settled = !best.repairs.is_empty() && refine::is_settled(&best.report) && !self.is_again(&best);
        settled.then(|| Refined { best, alternatives: Vec::new(), rounds: 0, time: Spent::default() })
    }

    /// Returns the command that the failed program itself suggests in what it printed; `None` if there is none, or the checks find
    /// something in it.
    pub fn suggested(
        &self,
        config: &Config,
        machine: &Machine,
        environment: &Environment,
        examiner: &Examiner<'_>,
    ) -> Option<Refined> {
        let printed = self.printed(config, machine, environment)?;
        let line = suggested::suggested(&examiner.parse(self.command.trim()), printed)?;
        let mut best = refine::check_and_repair(examiner.clean(line.text()).ok()?, examiner, None);
        if !best.repairs.is_empty() || !refine::is_settled(&best.report) {
            return None;
        }
        let program = line.parsed().commands.first().and_then(SimpleCommand::name).unwrap_or_default();
        best.repairs.push(format!("`{program}` itself suggests it"));
        Some(Refined { best, alternatives: Vec::new(), rounds: 0, time: Spent::default() })
    }

    /// Returns what the command printed, if the configuration allows to read it and a program can be asked.
    fn printed(&self, config: &Config, machine: &Machine, environment: &Environment) -> Option<&str> {
        let is_on = config.disclosure.is_on(FactKind::Output) && config.disclosure.is_on(FactKind::Last);
        let read = || screen::after(&self.command, machine, environment);
        is_on.then(|| self.printed.get_or_init(read).as_deref()).flatten()
    }

    /// Returns the command with a remedy for the obstacles that the disk shows; `None` if there is none.
    fn without_obstacle(&self, candidate: &Candidate, examiner: &Examiner<'_>) -> Option<Candidate> {
        let obstacle::Fixed { line, change } = obstacle::fixed(&candidate.line, self.status, examiner)?;
        let made = refine::check_and_repair(examiner.clean(&line).ok()?, examiner, None);
        Some(Candidate { repairs: [candidate.repairs.clone(), made.repairs, vec![change]].concat(), ..made })
    }

    /// Returns why the command failed; `None` if that is unknown.
    pub fn why(&self, examiner: &Examiner<'_>) -> Option<Reason> {
        why::why(&self.command, self.status, examiner)
    }

    /// Returns the request for a model.
    pub fn request(&self) -> String {
        format!("correct this command, which failed: {}", self.command)
    }

    /// Returns the additional facts for a model: the exit status and the printed output.
    pub fn prompt_context(
        &self,
        config: &Config,
        machine: &Machine,
        environment: &Environment,
        facts: &ShellFacts,
    ) -> PromptContext {
        let mut prompt_context = PromptContext::new(config.disclosure);
        prompt_context.is_about(FactKind::Last);
        prompt_context.add(FactKind::Last, "the command's exit status", self.status.to_string());
        let printed = self.printed(config, machine, environment).unwrap_or_default().to_owned();
        prompt_context.add(FactKind::Output, "it printed", printed);
        prompt_context::gather(prompt_context, machine.host.as_ref(), environment, facts)
    }

    /// Returns the answers, with the best one first that does something about the failure: one in which the checks find the reason of
    /// the failure again does not.
    ///
    /// # Errors
    /// [`Failure::NoCommand`] when there is none.
    pub fn another(&self, mut refined: Refined, reason: Option<&Reason>) -> Result<Refined, Failure> {
        let is_left = |candidate: &Candidate| {
            reason
                .is_some_and(|it| candidate.report.findings.iter().any(|finding| finding.text == it.finding))
        };
        let is_fixed = |candidate: &Candidate| self.is_fixed_by(candidate) && !is_left(candidate);
        if !is_fixed(&refined.best) {
            let alternatives = std::mem::take(&mut refined.alternatives);
            let mut alternatives = alternatives.into_iter().filter(is_fixed);
            refined.best = alternatives.next().ok_or_else(|| {
                Failure::NoCommand("no other command was found; say what it should do".to_owned())
            })?;
            refined.alternatives = alternatives.collect();
        }
        Ok(refined)
    }

    /// Reports whether a command does something else than the failed one, with options that its programs have. One that only hides
    /// the failure, or takes out what it was about, does not.
    fn is_fixed_by(&self, candidate: &Candidate) -> bool {
        let failed = ParsedLine::new(self.command.trim(), candidate.line.shell());
        let is_refused = |finding: &Finding| finding.kind == FindingKind::FlagRefuted;
        !self.is_again(candidate)
            && !candidate.report.findings.iter().any(is_refused)
            && !hides::hides_failure(&failed, &candidate.line, self.status)
            && !hides::is_no_fix(&failed, &candidate.line)
            && !hides::is_about_status(failed.text(), candidate.line.text(), self.status)
    }

    fn is_again(&self, candidate: &Candidate) -> bool {
        candidate.command.text.as_str().trim() == self.command.trim()
    }
}

/// Returns the command with the names that are there in place of misspelt ones, also where it copies or moves: the person wrote that,
/// and sees what it does. Nothing is deleted on a guess.
fn with_names(candidate: &Candidate, examiner: &Examiner<'_>) -> Option<Candidate> {
    // Of several commands the first ones may have worked, and moved what is missing now.
    if !is_one_pipeline(&candidate.line) {
        return None;
    }
    let deletes = candidate.line.parsed().commands.iter().any(|command| {
        let is_action =
            |word: &Word| matches!(word.text.as_str(), "-delete" | "-exec" | "-execdir" | "-ok" | "-okdir");
        command.name().is_some_and(|name| DELETING.contains(&program_name(name)))
            || command.words.iter().any(is_action)
    });
    let is_missing = |finding: &&Finding| finding.kind == FindingKind::PathMissing;
    let mut missing: Vec<&Finding> = candidate.report.findings.iter().filter(is_missing).collect();
    missing.sort_by_key(|finding| std::cmp::Reverse(finding.span.start));
    let mut line = candidate.line.text().to_owned();
    let mut changes = Vec::new();
    for finding in missing {
        let [fix] = finding.fixes.as_slice() else { return None };
        // `sort note.txt > notes.txt` would empty the file that it is to read.
        let mut written = candidate.line.parsed().commands.iter().flat_map(|command| &command.redirections);
        if written.any(|it| it.target.as_ref().is_some_and(|target| target.text == fix.replacement)) {
            return None;
        }
        line = format!("{}{}{}", line.get(..fix.span.start)?, fix.replacement, line.get(fix.span.end..)?);
        changes.push(format!("{}: {}", fix.change, finding.text));
    }
    if deletes || changes.is_empty() {
        return None;
    }
    let made = refine::check_and_repair(examiner.clean(&line).ok()?, examiner, None);
    Some(Candidate { repairs: [candidate.repairs.clone(), made.repairs, changes].concat(), ..made })
}

/// Returns the command with the subcommand of which one word is a misspelling, also where it deletes: the person wrote that, and sees
/// what it does. No other part of the line changes.
fn with_subcommand(candidate: &Candidate, examiner: &Examiner<'_>) -> Option<Candidate> {
    let line = &candidate.line;
    let is_name = |finding: &Finding| {
        let mut names = line.parsed().commands.iter().filter_map(|command| command.words.first());
        names.any(|name| name.span == finding.span)
    };
    let is_subcommand = |finding: &&Finding| finding.kind == FindingKind::CommandMissing && !is_name(finding);
    let [finding] = candidate.report.findings.iter().filter(is_subcommand).collect::<Vec<_>>()[..] else {
        return None;
    };
    let [fix] = finding.fixes.as_slice() else { return None };
    let text = format!(
        "{}{}{}",
        line.text().get(..fix.span.start)?,
        fix.replacement,
        line.text().get(fix.span.end..)?
    );
    let made = refine::check_and_repair(examiner.clean(&text).ok()?, examiner, None);
    let repairs = [candidate.repairs.clone(), made.repairs, vec![fix.change.clone()]].concat();
    is_one_pipeline(line).then_some(Candidate { repairs, ..made })
}

/// Returns the command with the name of a file in place of a word that is nearly that, if nothing else was wrong.
fn with_file_name(candidate: &Candidate, examiner: &Examiner<'_>) -> Option<Candidate> {
    let (line, change) =
        file_name::corrected(&candidate.line, examiner).filter(|_| candidate.repairs.is_empty())?;
    let made = refine::check_and_repair(examiner.clean(&line).ok()?, examiner, None);
    Some(Candidate { repairs: [made.repairs, vec![change]].concat(), ..made })
}

/// Reports whether a line is a command or a pipe: none of its commands runs after another has ended.
fn is_one_pipeline(line: &ParsedLine) -> bool {
    let commands = &line.own().commands;
    commands.first().is_some_and(|first| commands.iter().all(|other| other.pipeline == first.pipeline))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_that_failed_is_put_right() {
        let failed_of = |status: Option<i32>, commands: &[&str]| {
            let history = commands.iter().map(|command| (*command).to_owned()).collect();
            Failed::of(&ShellFacts { status, history, ..ShellFacts::default() })
        };
        let failed = Failed { command: "make x".to_owned(), status: 2, printed: OnceCell::new() };
        assert_eq!(failed_of(Some(2), &["make x\n", "cd y"]), Some(failed));
        for (status, commands) in [
            (Some(0), &["make x"][..]),
            (Some(130), &["make x"]),
            (Some(148), &["make x"]),
            (Some(2), &[]),
            (Some(2), &["  "]),
            (None, &["make x"]),
        ] {
            assert_eq!(failed_of(status, commands), None, "{status:?} {commands:?}");
        }
    }
}
