//! Prompts for models.
//!
//! A prompt has a fixed part, which never changes for a shell and whose model state is computed once and saved,
//! and a fresh part with the request. `benches/accuracy.md` has measurements of what helps accuracy: solved
//! requests in the fixed part help most. Facts about the machine lowered accuracy, so few are included, and
//! none by default (`[context]`).
//!
//! A prompt is built once and converted for each reader ([`Prompt::render_for`]): in its format, with the facts that
//! it may get.
//!
//! Solved requests are data, one file per shell. Those of bash also apply to zsh and fish, whose files contain
//! only differences: `[[instead]]` replaces the command of a bash request, all other entries are added. Nushell
//! is a different language, so its file is independent. In zsh and fish most requests are asked for bash
//! ([`completion_shell`]).

pub mod disclosure;
pub mod prompt_context;
pub mod talk;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::disclosure::{Audience, FactKind};
use self::prompt_context::HEADING;
pub use self::prompt_context::PromptContext;
use self::talk::Talk;
use crate::failure::Failure;
pub use askline_manual::solved::Solved;
use askline_manual::userland::Userland;
use askline_syntax::clean::{is_unusual_space, visible};
use askline_syntax::shell::Shell;

/// Format of a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// One text that the model continues to the end of a line: solved requests, then the request.
    #[default]
    Completion,
    /// A system message and a user message in the chat template of the model's own file, for models that know
    /// only chat.
    Chat,
}

/// Maximum length of a request that a model reads, in characters. Typed requests have less than a hundred; an
/// accidental paste must not fill the model's context window.
pub const REQUEST_CHARS_MAX: usize = 2_000;

/// A prompt in two parts; a model keeps the state of `fixed` between requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Format of the prompt.
    pub form: Form,
    /// Part that is the same for every request in this shell.
    pub fixed: String,
    /// Minimum number of [`pieces`] of the fixed part for an answer; more make it better.
    pub brief: usize,
    /// Part with the request.
    pub fresh: String,
    /// Components of the prompt; `None` if only the texts are known.
    #[serde(skip)]
    pub source: Option<Arc<PromptSource>>,
    /// The same prompt as a conversation with tools, for servers that know calls.
    #[serde(skip)]
    pub talk: Option<Arc<Talk>>,
    /// Grammar that a [`Form::Chat`] answer must follow, in GBNF with the start `root`. Only the embedded model follows it.
    #[serde(default)]
    pub grammar: Option<String>,
}

/// Components of a prompt, to rebuild it for another reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSource {
    request: String,
    shell: Shell,
    /// The shell that a model on this machine is asked to complete a line for.
    completes: Shell,
    system: String,
    prompt_context: PromptContext,
    /// Facts of the prompt context that the reader gets, one line each.
    facts: Vec<String>,
    /// Follow-up steps, in order.
    steps: Vec<FollowUp>,
    /// Steps with two versions, depending on the reader.
    disclosed: Vec<RestrictedStep>,
}

/// A step in two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RestrictedStep {
    /// Index of the step.
    at: usize,
    /// Kinds of facts that a reader must be allowed to get for the full version.
    items: Vec<FactKind>,
    /// Version for all other readers.
    open: FollowUp,
    /// Version with facts read on the machine.
    whole: FollowUp,
}

impl RestrictedStep {
    /// Reports whether this audience gets the full version.
    fn is_full_for(&self, prompt_context: &PromptContext, audience: Audience) -> bool {
        self.items.iter().all(|item| prompt_context.policy().allows(*item, audience))
    }
}

/// Follow-up step of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowUp {
    /// The previous solved request, which the current request changes.
    After(Solved),
    /// A wrong answer and its fault.
    Again(String, String),
    /// Known answers; a different one is wanted.
    Otherwise(Vec<String>),
    /// Solved requests of ours that are similar to the request, most similar first.
    Similar(Vec<Solved>),
}

impl FollowUp {
    /// Returns the step in a safe form: each part on one line, without invisible characters.
    fn tame(self) -> Self {
        match self {
            Self::After(before) => Self::After(tame(before)),
            Self::Again(answer, wrong) => Self::Again(visible(&answer), one_line(&wrong)),
            Self::Otherwise(known) => Self::Otherwise(known.iter().map(|command| visible(command)).collect()),
            Self::Similar(rows) => Self::Similar(rows.into_iter().map(tame).collect()),
        }
    }

    /// Returns `text` extended by the step.
    fn onto(&self, text: &str, form: Form) -> String {
        match (self, form) {
            (Self::After(Solved { request, command }), Form::Completion) => {
                format!("# {request}\n{command}\n\n{text}")
            }
            (Self::After(Solved { request, command }), Form::Chat) => {
                format!("For \"{request}\" you gave `{command}`. Now: {text}")
            }
            (Self::Again(answer, wrong), Form::Completion) => {
                format!("{text}{answer}\n# wrong: {wrong}. The same, corrected:\n")
            }
            (Self::Again(answer, wrong), Form::Chat) => {
                format!("{text}\nNot `{answer}`: {wrong}. Give the corrected command.")
            }
            (Self::Similar(rows), Form::Completion) => rows
                .iter()
                .fold(text.to_owned(), |text, row| format!("# {}\n{}\n\n{text}", row.request, row.command)),
            (Self::Similar(rows), Form::Chat) => rows.iter().fold(text.to_owned(), |text, row| {
                format!("\"{}\" is `{}`.\n{text}", row.request, row.command)
            }),
            (Self::Otherwise(known), Form::Completion) => known
                .iter()
                .fold(text.to_owned(), |text, command| text + command + "\n# or, in another way:\n"),
            (Self::Otherwise(known), Form::Chat) => {
                let known: Vec<_> = known.iter().map(|command| format!("`{command}`")).collect();
                format!("{text}\nAnother command than {}.", known.join(", "))
            }
        }
    }

    /// Returns the step's texts.
    fn texts(&mut self) -> Vec<&mut String> {
        match self {
            Self::After(Solved { request, command }) => vec![request, command],
            Self::Again(answer, wrong) => vec![answer, wrong],
            Self::Otherwise(known) => known.iter_mut().collect(),
            Self::Similar(rows) => {
                rows.iter_mut().flat_map(|row| [&mut row.request, &mut row.command]).collect()
            }
        }
    }
}

impl PromptSource {
    /// Returns the part before the request.
    fn preamble(&self, form: Form) -> String {
        match form {
            Form::Completion => fixed(self.completes, &self.system),
            Form::Chat => instruction(self.shell, &self.system),
        }
    }

    /// Returns the user's request.
    pub fn request(&self) -> &str {
        &self.request
    }

    /// Returns the facts for the reader, one line each: empty before [`Prompt::render_for`].
    pub fn facts(&self) -> &[String] {
        &self.facts
    }

    /// Returns the follow-up steps, in order.
    pub fn steps(&self) -> &[FollowUp] {
        &self.steps
    }

    /// Returns the fresh part of the prompt.
    fn fresh(&self, form: Form) -> String {
        let request = match form {
            Form::Completion => format!("# {}\n", self.request),
            Form::Chat => self.request.clone(),
        };
        let text = self.steps.iter().fold(request, |text, step| step.onto(&text, form));
        match form {
            _ if self.facts.is_empty() => text,
            // Small models that only go on with lines wrote the words of the heading into commands.
            Form::Completion => {
                let facts = self.facts.iter().filter(|fact| *fact != HEADING);
                facts.map(|fact| format!("# {fact}\n")).chain([text]).collect()
            }
            Form::Chat => format!("{}\n\n{text}", self.facts.join("\n")),
        }
    }

    /// Selects the version of each step for this audience.
    fn open(&mut self, audience: Audience) {
        for disclosed in &self.disclosed {
            if let Some(step) = self.steps.get_mut(disclosed.at) {
                let is_allowed = disclosed.is_full_for(&self.prompt_context, audience);
                step.clone_from(if is_allowed { &disclosed.whole } else { &disclosed.open });
            }
        }
    }

    /// Applies `change` to each text written by a user or a model, or read on the machine.
    fn change(&mut self, change: &mut dyn FnMut(&str) -> String) {
        let Self { request, facts, steps, disclosed, .. } = self;
        let variants = disclosed.iter_mut().flat_map(|step| [&mut step.open, &mut step.whole]);
        let texts = steps.iter_mut().chain(variants).flat_map(FollowUp::texts);
        [request].into_iter().chain(texts).chain(facts).for_each(|text| *text = change(text));
    }
}

impl Prompt {
    /// Creates a prompt from two texts alone.
    pub fn new(form: Form, fixed: String, fresh: String) -> Self {
        Self { form, fixed, brief: usize::MAX, fresh, source: None, talk: None, grammar: None }
    }

    /// Returns the prompt with facts about the machine; each reader gets those that it may.
    pub fn within(mut self, prompt_context: PromptContext) -> Self {
        if let Some(source) = &mut self.source {
            Arc::make_mut(source).prompt_context = prompt_context;
        }
        self
    }

    /// Returns the prompt for one reader: in its format, with the facts that it may get. `redact` removes
    /// secrets from all text that is not askline's own. It is applied more than once to each text, because one
    /// text may reveal a secret in another.
    ///
    /// # Errors
    ///
    /// [`Failure::Unavailable`] if the request itself is about a fact that this reader may not get.
    pub fn render_for(
        &self,
        form: Form,
        audience: Audience,
        redact: &mut dyn FnMut(&str) -> String,
    ) -> Result<Self, Failure> {
        let Some(source) = &self.source else {
            let talk = self.talk.as_ref().map(|talk| Arc::new(talk.changed(redact)));
            return Ok(Self { fresh: redact(&self.fresh), talk, ..self.clone() });
        };
        if let Some(item) = source.prompt_context.withheld_from(audience) {
            return Err(Failure::Unavailable(withheld(item, audience)));
        }
        let mut source = PromptSource::clone(source);
        if audience == Audience::Server {
            // What a server's model knows best is not known.
            source.completes = source.shell;
        }
        let fixed = source.preamble(form);
        source.change(redact);
        source.open(audience);
        // Redacted before cutting and quoting, and once more below with the surrounding words.
        source.facts = source.prompt_context.lines(audience, redact);
        let fresh = redact(&source.fresh(form));
        source.change(redact);
        Ok(Self {
            form,
            fixed,
            brief: self.brief,
            fresh,
            source: Some(Arc::new(source)),
            talk: None,
            grammar: None,
        })
    }

    /// Reports whether this is a completion for another shell than the user's own.
    pub fn is_for_other_shell(&self) -> bool {
        let is_other = |source: &Arc<PromptSource>| source.completes != source.shell;
        self.form == Form::Completion && self.source.as_ref().is_some_and(is_other)
    }

    /// Returns the completion for the user's own shell; `None` if this is one.
    pub fn for_own_shell(&self) -> Option<Self> {
        let mut source = PromptSource::clone(self.source.as_ref().filter(|_| self.is_for_other_shell())?);
        source.completes = source.shell;
        let fixed = source.preamble(self.form);
        Some(Self { fixed, source: Some(Arc::new(source)), ..self.clone() })
    }

    /// Reports whether the prompt shows a fact of this kind to this audience.
    pub fn shows(&self, item: FactKind, audience: Audience) -> bool {
        self.source.as_ref().is_some_and(|source| source.prompt_context.shows(item, audience))
    }

    /// Reports whether this audience may get this kind of fact.
    pub fn may_tell(&self, item: FactKind, audience: Audience) -> bool {
        self.source.as_ref().is_some_and(|source| source.prompt_context.policy().allows(item, audience))
    }

    /// Returns both parts as one text. The chat template of the model's file is added around it later.
    pub fn text(&self) -> String {
        match self.form {
            Form::Completion => format!("{}{}", self.fixed, self.fresh),
            Form::Chat => format!("{}\n\n{}\n", self.fixed, self.fresh),
        }
    }

    /// Returns the request in the user's words, on one line; empty if only the texts are known.
    pub fn request(&self) -> &str {
        self.source.as_ref().map_or("", |source| &source.request)
    }

    /// Returns everything that the prompt for a model names besides its fixed part: the request, the previous one with
    /// its command, and all facts, for whichever reader. Answers that a check refused are not in it.
    pub fn named(&self) -> String {
        let Some(source) = &self.source else { return self.fresh.clone() };
        let before = source.steps.iter().filter_map(|step| match step {
            FollowUp::After(Solved { request, command }) => Some([request.as_str(), command]),
            FollowUp::Again(..) | FollowUp::Otherwise(_) | FollowUp::Similar(_) => None,
        });
        let said = before.flatten().chain([source.request.as_str()]);
        said.chain(source.prompt_context.texts()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the prompt with the previous solved request, which this request changes.
    pub fn after(&self, before: &Solved) -> Self {
        self.with(FollowUp::After(before.clone()))
    }

    /// Returns the prompt with solved requests of ours that are similar to the request, most similar first. Nothing in
    /// them counts as named by the user. Less of the fixed part is needed before them.
    pub fn with_similar(&self, rows: &[Solved]) -> Self {
        let prompt = self.with(FollowUp::Similar(rows.to_vec()));
        Self { brief: self.brief.min(BRIEF_WITH_SIMILAR), ..prompt }
    }

    /// Reports whether the prompt has solved requests that are similar to its own.
    pub fn has_similar(&self) -> bool {
        let is_similar = |step: &FollowUp| matches!(step, FollowUp::Similar(rows) if !rows.is_empty());
        self.source.as_ref().is_some_and(|source| source.steps.iter().any(is_similar))
    }

    /// Returns the prompt with another attempt: the model's `answer`, and its fault in one short line.
    pub fn again(&self, answer: &str, wrong: &str) -> Self {
        self.with(FollowUp::Again(answer.to_owned(), wrong.to_owned()))
    }

    /// Returns the prompt as [`Prompt::again`] does, for an answer and fault that contain facts read on the
    /// machine: `whole` for readers that may get all these kinds of facts, `open` for all others. An answer
    /// that saw what files contain (`items` has it) may repeat that: readers that may not see it get no answer.
    pub fn with_restricted_correction(
        &self,
        items: &[FactKind],
        open: (&str, &str),
        whole: (&str, &str),
    ) -> Self {
        let mut prompt = self.again(open.0, open.1);
        if let Some(source) = prompt.source.as_mut().map(Arc::make_mut) {
            let again =
                |(answer, wrong): (&str, &str)| FollowUp::Again(answer.to_owned(), wrong.to_owned()).tame();
            let at = source.steps.len() - 1;
            // A step without solved requests adds nothing.
            let saw_files = items.contains(&FactKind::Contents);
            let open = if saw_files { FollowUp::Similar(Vec::new()) } else { again(open) };
            let items = items.to_vec();
            source.disclosed.push(RestrictedStep { at, items, open, whole: again(whole) });
        }
        prompt
    }

    /// Reports whether the steps contain facts read on the machine that this audience gets and others don't.
    pub fn differs_for(&self, audience: Audience) -> bool {
        let Some(source) = &self.source else { return false };
        let is_allowed = |step: &RestrictedStep| step.is_full_for(&source.prompt_context, audience);
        source.disclosed.iter().any(|step| step.open != step.whole && is_allowed(step))
    }

    /// Returns the version for every reader of the last answer with two versions, and of its fault; `None` if
    /// there is none.
    pub fn last_public_correction(&self) -> Option<(&str, &str)> {
        match &self.source.as_ref()?.disclosed.last()?.open {
            FollowUp::Again(answer, wrong) => Some((answer, wrong)),
            _ => None,
        }
    }

    /// Returns the kinds of facts in the last answer with two versions.
    pub fn disclosed(&self) -> &[FactKind] {
        let last = self.source.as_ref().and_then(|source| source.disclosed.last());
        last.map_or(&[], |step| &step.items)
    }

    /// Returns the prompt with the known answers, to request a different one.
    pub fn otherwise(&self, known: &[String]) -> Self {
        self.with(FollowUp::Otherwise(known.to_vec()))
    }

    fn with(&self, step: FollowUp) -> Self {
        let step = step.tame();
        let fresh = step.onto(&self.fresh, self.form);
        let mut source = self.source.clone();
        if let Some(source) = &mut source {
            Arc::make_mut(source).steps.push(step);
        }
        Self { fresh, source, ..self.clone() }
    }
}

/// Returns the row with one visible line in each field.
fn tame(row: Solved) -> Solved {
    Solved { request: one_line(&row.request), command: visible(&row.command) }
}

/// Creates the prompt for a request; `system` is a [`system_name`].
pub fn draft(form: Form, request: &str, shell: Shell, system: &str) -> Prompt {
    let source = PromptSource {
        request: one_line(request),
        shell,
        completes: completion_shell(shell, system, request),
        system: system.to_owned(),
        prompt_context: PromptContext::default(),
        facts: Vec::new(),
        steps: Vec::new(),
        disclosed: Vec::new(),
    };
    let (fixed, fresh) = (source.preamble(form), source.fresh(form));
    Prompt {
        form,
        fixed,
        brief: brief(shell),
        fresh,
        source: Some(Arc::new(source)),
        talk: None,
        grammar: None,
    }
}

/// Words about a shell itself, which has its own ways there: the first ones in zsh and fish, the others in fish.
const OF_SHELL: [&str; 21] = [
    "array",
    "arrays",
    "fish",
    "history",
    "prompt",
    "zsh",
    "abbr",
    "abbreviation",
    "abbreviations",
    "alias",
    "aliases",
    "export",
    "function",
    "functions",
    "job",
    "jobs",
    "unset",
    "universal",
    "var",
    "variable",
    "variables",
];
/// Number of the first words of `OF_SHELL`.
const OF_BOTH: usize = 6;

/// Returns the shell that a model on this machine is asked to complete a line for. Most lines are the same in bash, zsh and fish, and the embedded models know bash best:
/// the answers of the 0.5B for bash, run as they are, do what was asked in 153 of 177 held tasks in zsh and 150 in fish, its answers for
/// these shells in 147 and 144 (`benches/accuracy.md`). macOS is known to the adapters only by lines for zsh.
pub fn completion_shell(shell: Shell, system: &str, request: &str) -> Shell {
    let words = || request.split(|c: char| !c.is_alphanumeric());
    let is_about = |own: &[&str]| words().any(|word| own.contains(&word.to_lowercase().as_str()));
    let is_own = match shell {
        Shell::Zsh => system.starts_with("macOS") || is_about(OF_SHELL.get(..OF_BOTH).unwrap_or_default()),
        Shell::Fish => is_about(&OF_SHELL) || words().any(|word| word == "PATH"),
        Shell::Bash | Shell::Nu => true,
    };
    if is_own { shell } else { Shell::Bash }
}

/// Returns the message for a reader that can't be asked.
fn withheld(item: FactKind, audience: Audience) -> String {
    let (who, word) = match audience {
        Audience::Machine => ("models", "local"),
        Audience::Server => ("servers", "all"),
    };
    let what = if item == FactKind::Last { "your last command" } else { item.name() };
    format!(
        "{what} is not sent to {who}; set `{} = \"{word}\"` in [context], or type what you want",
        item.name()
    )
}

/// Returns the instruction for a chat model.
fn instruction(shell: Shell, system: &str) -> String {
    let language = shell.dialect().language;
    format!(
        "You turn a request into one {language} command line for {system}. Answer with the command alone: no \
         explanation, no markup, no placeholder."
    )
}

/// Returns the part of a prompt that is the same for most requests in a shell on a machine: what is worth preparing.
pub fn usual(shell: Shell, system: &str) -> String {
    fixed(completion_shell(shell, system, ""), system)
}

/// Returns the parts of prompts that are worth preparing for a shell on a machine: the usual one, and that of words about fish itself.
pub fn worth_preparing(shell: Shell, system: &str) -> Vec<String> {
    let own = (shell == Shell::Fish).then(|| fixed(shell, system));
    own.into_iter().chain([usual(shell, system)]).collect()
}

/// Returns the part of a prompt that is the same for every request that is asked for a shell on a machine.
pub fn fixed(shell: Shell, system: &str) -> String {
    let mut fixed = format!("# One-line {} commands for {system}.\n\n", shell.dialect().language);
    for Solved { request, command } in solved(shell) {
        fixed.push_str(&format!("# {request}\n{command}\n\n"));
    }
    fixed
}

/// Minimum number of pieces of the fixed part for an answer, if similar solved requests follow. With twelve solved requests the
/// 0.5B solves 62 of 100 tasks in Nushell then, instead of 70 (`benches/nushell/README.md`).
const BRIEF_WITH_SIMILAR: usize = 13;

/// Returns the minimum number of pieces of the fixed part for an answer. With six solved requests a model solves 54 of 107
/// tasks in bash instead of 62, but in Nushell, which it knows from them, 14 of 70 instead of 41 (`benches/accuracy.md`).
fn brief(shell: Shell) -> usize {
    match shell {
        Shell::Bash | Shell::Zsh | Shell::Fish => 7,
        Shell::Nu => usize::MAX,
    }
}

/// Splits a fixed part into the line about the shell and the solved requests.
pub fn pieces(fixed: &str) -> impl Iterator<Item = &str> {
    fixed.split_inclusive("\n\n")
}

/// Returns the name of the system for models, with only the details that decide which tools a command may use.
pub fn system_name(os: &str, userland: Userland) -> String {
    let os = match os {
        "linux" => "Linux",
        "macos" => "macOS",
        "freebsd" => "FreeBSD",
        "openbsd" => "OpenBSD",
        "netbsd" => "NetBSD",
        "android" => "Android",
        _ => "Unix",
    };
    match userland {
        Userland::Busybox | Userland::Toybox => format!("{os} with {}", userland.name()),
        Userland::Gnu if os != "Linux" => format!("{os} with GNU tools"),
        Userland::Gnu | Userland::Uutils | Userland::Bsd | Userland::Unknown => os.to_owned(),
    }
}

/// Returns the solved requests for a shell, in prompt order: bash's first for shells that build on them, then its own.
pub fn solved(shell: Shell) -> Vec<Solved> {
    let (text, base) = examples(shell);
    let own = File::read(text);
    let mut rows = base.map_or_else(Vec::new, |base| File::read(examples(base).0).solved);
    for row in &mut rows {
        if let Some(other) = own.instead.iter().find(|other| other.request == row.request) {
            row.command.clone_from(&other.command);
        }
    }
    rows.extend(own.solved);
    rows
}

/// Reports whether a request is longer than [`REQUEST_CHARS_MAX`] characters and thus cut.
pub fn is_cut(request: &str) -> bool {
    request.trim().chars().nth(REQUEST_CHARS_MAX).is_some()
}

/// Converts a request to the one comment line of a prompt. The result can't pose as a solved request or a
/// command: it has no line break, no invisible character and no leading comment sign.
fn one_line(request: &str) -> String {
    let head: String = request.trim().chars().take(REQUEST_CHARS_MAX).collect();
    let words = blanks_joined(&head);
    let words = words.trim_start_matches(['#', ' ']);
    let pieces = words.split_inclusive(is_unusual_space).map(|piece| match piece.chars().next_back() {
        Some(space) if is_unusual_space(space) => {
            format!("{}{space}", visible(piece.trim_end_matches(space)))
        }
        _ => visible(piece),
    });
    pieces.collect::<String>().chars().take(REQUEST_CHARS_MAX).collect()
}

/// Returns a text in which each row of blanks and line ends is one blank. An unusual space (U+00A0, U+3000) in quotes
/// stays, because it may belong to the name of a file.
fn blanks_joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut quote = None;
    for c in text.chars() {
        match c {
            '"' | '\'' | '`' if quote.is_none() => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            _ => {}
        }
        if !c.is_whitespace() || (quote.is_some() && is_unusual_space(c)) {
            joined.push(c);
        } else if !joined.is_empty() && !joined.ends_with(' ') {
            joined.push(' ');
        }
    }
    joined.truncate(joined.trim_end_matches(' ').len());
    joined
}

/// File of solved requests, with a field for each kind of table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    instead: Vec<Solved>,
    solved: Vec<Solved>,
}

/// Returns the file of solved requests for a shell, and the shell whose requests come first.
fn examples(shell: Shell) -> (&'static str, Option<Shell>) {
    match shell {
        Shell::Bash => (include_str!("prompt/solved-bash.toml"), None),
        Shell::Zsh => (include_str!("prompt/solved-zsh.toml"), Some(Shell::Bash)),
        Shell::Fish => (include_str!("prompt/solved-fish.toml"), Some(Shell::Bash)),
        Shell::Nu => (include_str!("prompt/solved-nu.toml"), None),
    }
}

impl File {
    fn read(text: &str) -> Self {
        toml::from_str(text).expect("the solved requests in the tree parse: a test checks that")
    }
}

#[cfg(test)]
mod tests;
