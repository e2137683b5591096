//! Kinds of requests: words, words that change the previous request, or an empty prompt line after a failed command.

use super::{REFINE_TIME, Request, half_typed, question, system};
use crate::answer;
use crate::config::Config;
use crate::environment::{Environment, Machine};
use crate::examine::Examiner;
use crate::fix::{Failed, Reason, WHY};
use crate::presses::{goes_on, joined};
use crate::prompt_context;
use crate::refine::{self, Limits, Refined, Spent, similar};
use askline_check::finding::{Finding, FindingKind, Report, Severity};
use askline_check::reference::Reference as _;
use askline_check::typed;
use askline_check::unfinished::HalfTyped;
use askline_model::failure::Failure;
use askline_model::prompt;
use askline_model::prompt::disclosure::FactKind;
use askline_model::prompt::{Prompt, PromptContext, Solved};
use askline_syntax::clean::shortened;
use askline_syntax::{ParsedLine, SimpleCommand};

/// Start of the request to correct a command, for the comparison with the answer.
const CORRECT: &str = "change this command:";
/// Minimum number of letters and digits of a request.
const LETTERS_MIN: usize = 2;
/// Maximum length in characters of a failed command when it is quoted back.
const ABOUT_CHARS_MAX: usize = 60;
/// Verbs that say nothing without an object; none is the name of a command.
const OBJECT_WANTED: [&str; 8] =
    ["delete", "remove", "erase", "copy", "move", "replace", "extract", "uninstall"];
/// Words at the end of a request that are addressed to the program. Small models take them for names.
const COURTESIES: [&str; 5] = ["please", "pls", "plz", "thanks", "thx"];
/// Words in front of a name or a text.
const NAMING: [&str; 22] = [
    "and",
    "as",
    "by",
    "called",
    "contain",
    "containing",
    "contains",
    "echo",
    "for",
    "into",
    "is",
    "message",
    "named",
    "or",
    "print",
    "say",
    "saying",
    "says",
    "text",
    "to",
    "with",
    "word",
];

/// A request in words.
#[derive(Debug)]
pub(super) struct EnglishRequest<'a> {
    request: &'a Request<'a>,
    /// The failed command to correct, if the prompt line is empty.
    failed: Option<Failed>,
    /// Why the command failed.
    why: Option<Reason>,
    /// The half-typed command to go on with.
    half_typed: Option<HalfTyped>,
    /// The request in words.
    words: String,
    /// The same with the requests that it goes on from.
    whole: String,
    /// The last request and its answer, if the words go on from it.
    earlier: Option<&'a Solved>,
    /// The file that the words are about without naming it.
    file: Option<String>,
}

impl<'a> EnglishRequest<'a> {
    /// Reads a request.
    ///
    /// # Errors
    /// When there is nothing to do: no words and no failed command.
    pub(super) fn of(request: &'a Request<'a>) -> Result<Self, Failure> {
        let pasted = answer::pasted(&request.line.text, request.shell);
        let text = pasted.as_ref().unwrap_or(&request.line.text);
        if !text.trim().is_empty() {
            let verb = text.trim_matches(|c: char| c.is_whitespace() || ".!?".contains(c)).to_lowercase();
            if OBJECT_WANTED.contains(&verb.as_str()) && request.before.is_none() {
                return Err(Failure::NoCommand(format!("say more: {verb} what?")));
            }
            let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
            if letters < LETTERS_MIN {
                let what = if letters == 0 { "signs alone do" } else { "one letter does" };
                return Err(Failure::NoCommand(format!("say more: {what} not tell what you want")));
            }
            let earlier = request.before.filter(|before| goes_on(before, text, request.shell));
            let whole = earlier.map_or_else(|| text.clone(), |before| joined(&before.request, text));
            return Ok(Self {
                request,
                failed: None,
                half_typed: None,
                why: None,
                words: text.clone(),
                whole,
                earlier,
                file: None,
            });
        }
        let failed = Failed::of(request.facts)
            .ok_or_else(|| Failure::NoCommand("type what you want in your words first".into()))?;
        let words = failed.request();
        let whole = words.clone();
        Ok(Self {
            request,
            whole,
            words,
            earlier: None,
            half_typed: None,
            why: None,
            failed: Some(failed),
            file: None,
        })
    }

    /// Looks at the request with what is known of this machine: recognizes a half-typed command, and finds out why a command
    /// failed.
    pub(super) fn on(mut self, examiner: &Examiner<'_>) -> Self {
        match &self.failed {
            Some(failed) => self.why = failed.why(examiner),
            None if self.words != self.request.line.text => {}
            None => {
                self.half_typed =
                    half_typed::half_typed(self.request.line, &examiner.parse(&self.words), examiner);
            }
        }
        self
    }

    /// Finds the file that the words are about without naming it, for the model. One that isn't told of it asks a server for "which
    /// url has the most 404 errors". `may_tell` says whether the model may know what files hold.
    pub(super) fn about_file(mut self, may_tell: bool, examiner: &Examiner<'_>) -> Self {
        if may_tell
            && self.earlier.is_none()
            && self.is_described(examiner)
            && let Some(file) = prompt_context::meant_web_log(&self.whole, examiner.knowledge)
        {
            self.file = Some(file);
        }
        self
    }

    /// Returns the half-typed command that the prompt line is, if it is one.
    pub(super) fn half_typed(&self) -> Option<&HalfTyped> {
        self.half_typed.as_ref()
    }

    /// Returns the answer if the checks alone find it; `None` if a model must be asked.
    pub(super) fn answer_without_model(
        &self,
        config: &Config,
        machine: &Machine,
        environment: &Environment,
        examiner: &Examiner<'_>,
    ) -> Option<Refined> {
        match &self.failed {
            Some(failed) => {
                failed.repaired(examiner).or_else(|| failed.suggested(config, machine, environment, examiner))
            }
            None => settled(&self.words, examiner)
                .filter(|settled| {
                    self.half_typed.as_ref().is_none_or(|half| half_typed::is_mended(half, &settled.best))
                })
                .or_else(|| refine::follow_up(self.earlier?, &self.words, examiner)),
        }
    }

    /// Checks that another command may do better than the failed one. A model would answer all the same, with a guess.
    ///
    /// # Errors
    /// The reason of the failure, if the person must do something about that first.
    pub(super) fn may_be_mended(&self) -> Result<(), Failure> {
        match self.why.as_ref().filter(|why| why.is_final) {
            Some(why) => Err(Failure::NoCommand(format!("{WHY}{}", why.text))),
            None => Ok(()),
        }
    }

    /// Returns the earlier request and its answer that a model may know.
    fn asked_before(&self) -> Option<&'a Solved> {
        self.request.before.filter(|before| !before.request.is_empty())
    }

    /// Reports whether the words go on from the last answer.
    pub(super) fn goes_on(&self) -> bool {
        self.earlier.is_some()
    }

    /// Reports whether the request can only be answered in words.
    pub(super) fn wants_words(&self, examiner: &Examiner<'_>) -> bool {
        let commands_of = |name: &str| {
            let listed = || {
                examiner.knowledge.known(&[name]).manual.as_ref().map(|manual| {
                    manual.subcommands.iter().map(|command| command.name.clone()).collect::<Vec<_>>()
                })
            };
            examiner.knowledge.has_command(name).then(|| listed().unwrap_or_default())
        };
        self.failed.is_none()
            && (question::wants_words(&self.words)
                || question::asks_why(&self.words)
                || question::compares_programs(&self.words, &commands_of))
    }

    /// Reports whether the words ask for something that no single command does. Words that go on from an earlier answer
    /// ("make it faster") are about a command.
    pub(super) fn exceeds_command(&self, examiner: &Examiner<'_>) -> bool {
        !self.request.insists
            && self.asked_before().is_none()
            && askline_intent::exceeds_command(&self.words)
            && self.is_described(examiner)
    }

    /// Reports whether the request is a question.
    pub(super) fn is_question(&self) -> bool {
        self.failed.is_none() && question::is_question(&self.words)
    }

    /// Builds the model's prompt. In Nushell, which models know little of, similar solved requests come first: with them the 0.5B
    /// does what was asked in 64 of 100 requests instead of 35 (`benches/nushell/README.md`); in bash they gained nothing.
    pub(super) fn prompt(
        &self,
        config: &Config,
        machine: &Machine,
        environment: &Environment,
        examiner: &Examiner<'_>,
    ) -> Prompt {
        let Request { shell, facts, seen, .. } = *self.request;
        let before = self.asked_before();
        let mut prompt_context = match &self.failed {
            Some(failed) => failed.prompt_context(config, machine, environment, facts),
            None => prompt_context::gather(
                PromptContext::new(config.disclosure),
                machine.host.as_ref(),
                environment,
                facts,
            ),
        };
        let preferences = config.preferences.told(&|name| environment.commands.contains(name)).join("\n");
        prompt_context.add(FactKind::Preferences, "the user prefers", preferences);
        // An investigation has looked itself. In Nushell this made answers worse (`benches/accuracy.md`).
        if seen.is_empty() && !shell.is_nushell() && prompt_context.policy().is_on(FactKind::Contents) {
            for (name, lines) in prompt_context::beginnings(&self.whole, examiner.knowledge) {
                prompt_context.add(FactKind::Contents, name, lines);
            }
        }
        for (label, lines) in seen {
            prompt_context.add(FactKind::Looks, *label, lines.clone());
        }
        let completing = self.half_typed.as_ref().map(half_typed::request);
        let words = completing.as_deref().unwrap_or_else(|| without_courtesy(&self.whole));
        let plain = words.trim_end_matches([' ', '.', '?', '!', ',']);
        let in_file = self.file.as_ref().map(|file| format!("{plain} in {file}"));
        let words = in_file.as_deref().unwrap_or(words);
        let draft = prompt::draft(config.form, words, shell, &system(environment)).within(prompt_context);
        let draft = before.map_or(draft.clone(), |before| draft.after(before));
        if self.half_typed.is_some() {
            return draft.with_similar(&half_typed::solved(shell));
        }
        let wants_similar = shell.is_nushell() && self.is_described(examiner);
        wants_similar.then(|| similar::prompt(&draft, examiner)).flatten().unwrap_or(draft)
    }

    /// Returns the answers, without one that repeats the failed command or drops a part of the half-typed one.
    ///
    /// # Errors
    /// When there are none.
    pub(super) fn accept(&self, refined: Refined) -> Result<Refined, Failure> {
        if let Some(half_typed) = &self.half_typed {
            return half_typed::kept(half_typed, refined);
        }
        match &self.failed {
            Some(failed) => failed.another(refined, self.why.as_ref()),
            None => Ok(refined),
        }
    }

    /// Adds why the last command failed to the reason why there is no answer.
    pub(super) fn with_why(&self, mut error: anyhow::Error) -> anyhow::Error {
        use Failure::{NoCommand, NoModel, Unavailable};
        if let Some(NoModel(reason) | Unavailable(reason) | NoCommand(reason)) = error.downcast_mut()
            && let Some(why) = &self.why
        {
            *reason = format!("{WHY}{}; {reason}", why.text);
        }
        error
    }

    /// Returns notes about the failed command: its name if it may not be the last one, and why it failed. Changes with the same reason
    /// lose it. Also names the file that the words are about, if the new line has it.
    pub(super) fn about(&self, line: &str, changes: &mut [String]) -> Vec<String> {
        let reason = self.why.as_ref().map(|why| format!(": {}", why.text));
        for change in changes {
            if let Some(bare) = reason.as_deref().and_then(|reason| change.strip_suffix(reason)) {
                *change = bare.to_owned();
            }
        }
        let why = self.why.as_ref().map(|why| format!("{WHY}{}", why.text));
        let file = self.file.as_ref().filter(|file| line.contains(file.as_str()));
        let file = file.map(|file| format!("in {file}: your words name no file, and it is the web log here"));
        self.named().into_iter().chain(why).chain(file).collect()
    }

    /// Returns a note that names the corrected command if it may not be the last one: bash passes the last command of
    /// its history, which omits what `HISTCONTROL` excludes, such as a command with a leading blank.
    fn named(&self) -> Option<String> {
        let failed = self.failed.as_ref().filter(|_| self.request.shell.dialect().may_omit_commands)?;
        Some(format!("for {}", shortened(&failed.command, ABOUT_CHARS_MAX)))
    }

    /// Reports whether the words describe what is wanted; a command to correct does not.
    fn is_described(&self, examiner: &Examiner<'_>) -> bool {
        let typed = examiner.parse(&self.words);
        let is_command = || {
            typed::is_command(&typed, examiner.knowledge) || typed::may_be_slip(&typed, examiner.knowledge)
        };
        self.failed.is_none() && self.half_typed.is_none() && !is_command()
    }

    /// Returns the limits for the model's answers, with the words that they must agree with.
    pub(super) fn limits<'s>(&'s self, config: &'s Config, examiner: &Examiner<'_>) -> Limits<'s> {
        Limits {
            request: self.is_described(examiner).then_some(self.whole.as_str()),
            before: self.asked_before(),
            half_typed: self.half_typed.as_ref(),
            rounds: config.refine_rounds,
            time: REFINE_TIME,
            max_tokens: config.max_tokens,
            preferences: &config.preferences,
        }
    }

    /// Returns everything that the user wrote, and nothing that was read on the machine, as the request that the risk
    /// is compared with. A command is to be corrected: its words, such as `find`, do not ask to see something.
    pub(super) fn request_text(&self, examiner: &Examiner<'_>) -> String {
        let is_command = || {
            self.half_typed.is_some() || typed::is_command(&examiner.parse(&self.words), examiner.knowledge)
        };
        let words = match &self.failed {
            Some(failed) => format!("{CORRECT} {}", failed.command),
            None if is_command() => format!("{CORRECT} {}", self.words),
            None => self.words.clone(),
        };
        self.request.before.map_or(words.clone(), |before| format!("{}\n{words}", before.request))
    }
}

/// Returns a request without a word of courtesy at its end.
fn without_courtesy(words: &str) -> &str {
    let plain = words.trim_end_matches([' ', '.', '!', ',']);
    let Some((before, last)) = plain.rsplit_once(' ') else { return words };
    let before = before.trim_end_matches([' ', ',', '.']);
    let named = before.rsplit(' ').next().is_some_and(|word| NAMING.contains(&word.to_lowercase().as_str()));
    let is_courtesy = COURTESIES.contains(&last.to_lowercase().as_str());
    if is_courtesy && !named && before.contains(' ') { before } else { words }
}

/// Returns the answer for a prompt line that is already a command: as it is if every option was found, or with its
/// slips mended. `None` if a slip is left, or if the line may be a request.
fn settled(line: &str, examiner: &Examiner<'_>) -> Option<Refined> {
    let parsed = examiner.parse(line);
    let is_command = |line: &ParsedLine| typed::is_command(line, examiner.knowledge);
    if !is_command(&parsed) && !typed::may_be_slip(&parsed, examiner.knowledge) {
        return None;
    }
    let cleaned = examiner.clean(line).ok()?;
    let correct = |line: &ParsedLine, report: &Report| examiner.correct(line, report);
    let mut best = refine::check_and_repair_with(&correct, cleaned, examiner, None);
    if is_command(&best.line) {
        best = refine::with_slips(best, examiner);
    }
    // What it does, and a name that is missing, are told; a model would only write something else.
    let is_missing = |finding: &Finding| {
        let name = best.line.text().get(finding.span.clone()).unwrap_or_default();
        matches!(finding.kind, FindingKind::RefMissing | FindingKind::Intent)
            || finding.kind == FindingKind::PathMissing && name.contains(['/', '.'])
    };
    let findings = &best.report.findings;
    let is_search = best.line.parsed().commands.first().and_then(SimpleCommand::name) == Some("find");
    let names_missing =
        best.repairs.is_empty() && !is_search && !findings.is_empty() && findings.iter().all(is_missing);
    let is_settled = if best.repairs.is_empty() {
        let is_right = findings.is_empty() && 0 < best.report.flags_verified;
        is_command(&parsed) && (is_right || names_missing)
    } else {
        let is_one_word = line.split_whitespace().nth(1).is_none();
        let is_meant = is_one_word || is_command(&best.line);
        refine::is_settled(&best.report)
            && is_meant
            && !typed::is_other_number(line, best.command.text.as_str())
    };
    if names_missing {
        best = refine::with_place(line, best, examiner);
        best.report.findings.iter_mut().for_each(|finding| finding.grade = Severity::Warning);
    }
    is_settled.then(|| Refined { best, alternatives: Vec::new(), rounds: 0, time: Spent::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courtesy_at_the_end_is_no_part_of_a_request() {
        for (words, expected) in [
            ("move the raw shots into old pls", "move the raw shots into old"),
            ("list all files, please!", "list all files"),
            ("list all files. Thanks", "list all files"),
            ("rename the file to thanks", "rename the file to thanks"),
            ("count lines with the word please", "count lines with the word please"),
            ("replace please by thanks", "replace please by thanks"),
            ("list all files.", "list all files."),
            ("say please", "say please"),
            ("help please", "help please"),
            ("pls", "pls"),
            ("", ""),
        ] {
            assert_eq!(without_courtesy(words), expected);
        }
    }
}
