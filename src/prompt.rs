//! The text a model gets.
//!
//! A fixed part that never changes for a shell, so that its model state is computed once and kept, and a fresh part
//! with the request. What raised and lowered accuracy is measured in `benches/accuracy.md`: solved requests in the
//! fixed part gain most; facts about the machine lost, so few are told, and none unasked (`[context]`).
//!
//! A prompt is made once and told to whoever reads it ([`Prompt::told`]): each in its form, with what it may know.
//!
//! The solved requests are data, one file a shell. Bash's rows hold for zsh and fish too; their files say only what
//! differs there: `[[instead]]` gives another command for a request of bash's, everything else is added. Nushell's
//! language is another one, so its file stands alone.

pub mod situation;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::situation::Situation;
use crate::clean::visible;
pub use crate::config::Form;
use crate::config::{Audience, Item};
use crate::failure::Failure;
use crate::platform::Userland;
use crate::shell::Shell;

/// How much of a request a model reads, in characters. People type less than a hundred; a paste by accident must not
/// fill the model's context.
pub const REQUEST_CHARS_MAX: usize = 2_000;

/// The sections that stand in every prompt. The others wait for a measured gain.
const IN_PROMPT: &[Section] = &[Section::Solved];

/// A prompt in two parts; a model keeps the state of `fixed` between requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// How the parts are put before the model.
    pub form: Form,
    /// The same for every request in this shell.
    pub fixed: String,
    /// The request.
    pub fresh: String,
    /// What it was made of; none where the text is all there is.
    #[serde(skip)]
    pub source: Option<Arc<PromptSource>>,
}

/// What a prompt was made of, so that it can be made for another reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSource {
    request: String,
    shell: Shell,
    system: String,
    situation: Situation,
    /// What of the situation its reader is told, a line each.
    facts: Vec<String>,
    /// How the request went on, in order.
    steps: Vec<Step>,
    /// What of that not every reader is told.
    asides: Vec<Aside>,
}

/// A step in two forms.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Aside {
    /// Which step.
    at: usize,
    /// Who may be told this gets all.
    item: Item,
    /// For all others.
    open: Step,
    /// With what was read on the machine.
    whole: Step,
}

/// How a request goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// These are like it, and solved.
    Like(Vec<Solved>),
    /// It changes this one, which was answered just before.
    After(Solved),
    /// This answer is wrong, and why.
    Again(String, String),
    /// Another answer than these is wanted.
    Otherwise(Vec<String>),
}

impl Step {
    /// The step with nothing in it that could pose as something else: each part on a line, and visible.
    fn tame(self) -> Self {
        match self {
            Self::Like(rows) => Self::Like(rows.into_iter().map(Solved::tame).collect()),
            Self::After(before) => Self::After(before.tame()),
            Self::Again(answer, wrong) => Self::Again(visible(&answer), one_line(&wrong)),
            Self::Otherwise(known) => Self::Otherwise(known.iter().map(|command| visible(command)).collect()),
        }
    }

    /// The text so far, gone on with.
    fn onto(&self, text: &str, form: Form) -> String {
        match (self, form) {
            (Self::Like(solved), Form::Completion) => {
                let rows =
                    solved.iter().map(|Solved { request, command }| format!("# {request}\n{command}\n\n"));
                format!("{}{text}", rows.collect::<String>())
            }
            (Self::Like(solved), Form::Chat) => {
                let rows =
                    solved.iter().map(|Solved { request, command }| format!("\n`{command}` ({request})"));
                format!("{text}\nExamples of the syntax:{}", rows.collect::<String>())
            }
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
            (Self::Otherwise(known), Form::Completion) => known
                .iter()
                .fold(text.to_owned(), |text, command| text + command + "\n# or, in another way:\n"),
            (Self::Otherwise(known), Form::Chat) => {
                let known: Vec<_> = known.iter().map(|command| format!("`{command}`")).collect();
                format!("{text}\nAnother command than {}.", known.join(", "))
            }
        }
    }

    /// Its texts.
    fn texts(&mut self) -> Vec<&mut String> {
        match self {
            Self::Like(rows) => {
                rows.iter_mut().flat_map(|Solved { request, command }| [request, command]).collect()
            }
            Self::After(Solved { request, command }) => vec![request, command],
            Self::Again(answer, wrong) => vec![answer, wrong],
            Self::Otherwise(known) => known.iter_mut().collect(),
        }
    }
}

impl PromptSource {
    /// What a person asks.
    pub fn request(&self) -> &str {
        &self.request
    }

    /// What its reader is told of the machine, a line each: nothing before [`Prompt::told`].
    pub fn facts(&self) -> &[String] {
        &self.facts
    }

    /// How the request went on, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The fresh part of the prompt.
    fn fresh(&self, form: Form) -> String {
        let request = match form {
            Form::Completion => format!("# {}\n", self.request),
            Form::Chat => self.request.clone(),
        };
        let text = self.steps.iter().fold(request, |text, step| step.onto(&text, form));
        match form {
            _ if self.facts.is_empty() => text,
            Form::Completion => format!("# {}\n{text}", self.facts.join("\n# ")),
            Form::Chat => format!("{}\n\n{text}", self.facts.join("\n")),
        }
    }

    /// Puts in the steps as these may be told them.
    fn open(&mut self, audience: Audience) {
        for Aside { at, item, open, whole } in &self.asides {
            if let Some(step) = self.steps.get_mut(*at) {
                let told = if self.situation.telling().tells(*item, audience) { whole } else { open };
                step.clone_from(told);
            }
        }
    }

    /// Changes each text that a person or a model wrote, or that was read on the machine.
    fn change(&mut self, change: &mut dyn FnMut(&str) -> String) {
        let Self { request, facts, steps, asides, .. } = self;
        let aside = asides.iter_mut().flat_map(|aside| [&mut aside.open, &mut aside.whole]);
        let texts = steps.iter_mut().chain(aside).flat_map(Step::texts);
        [request].into_iter().chain(texts).chain(facts).for_each(|text| *text = change(text));
    }
}

impl Prompt {
    /// A prompt of these texts and nothing else.
    pub fn new(form: Form, fixed: String, fresh: String) -> Self {
        Self { form, fixed, fresh, source: None }
    }

    /// The same prompt with facts about the machine, which each reader is told as far as it may be.
    pub fn within(mut self, situation: Situation) -> Self {
        if let Some(source) = &mut self.source {
            Arc::make_mut(source).situation = situation;
        }
        self
    }

    /// The prompt as one reader gets it: in its form, with the facts that it may be told. `redact` takes secrets out of all
    /// that is not ours: more than once of each text, for what one of them says may be a secret in another.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] when the request itself is about what this reader may not be told.
    pub fn told(
        &self,
        form: Form,
        audience: Audience,
        redact: &mut dyn FnMut(&str) -> String,
    ) -> Result<Self, Failure> {
        let Some(source) = &self.source else {
            return Ok(Self { fresh: redact(&self.fresh), ..self.clone() });
        };
        if let Some(item) = source.situation.withheld_from(audience) {
            return Err(Failure::Unavailable(withheld(item, audience)));
        }
        let fixed = match form == self.form {
            true => self.fixed.clone(),
            false => told_first(form, source.shell, &source.system),
        };
        let mut source = PromptSource::clone(source);
        source.change(redact);
        source.open(audience);
        // Before they are cut and quoted, and below once more with the words around them.
        source.facts = source.situation.lines(audience, redact);
        let fresh = redact(&source.fresh(form));
        source.change(redact);
        Ok(Self { form, fixed, fresh, source: Some(Arc::new(source)) })
    }

    /// What a model gets, both parts in one text. A chat template, which the model's file holds, goes around them.
    pub fn text(&self) -> String {
        match self.form {
            Form::Completion => format!("{}{}", self.fixed, self.fresh),
            Form::Chat => format!("{}\n\n{}\n", self.fixed, self.fresh),
        }
    }

    /// The same prompt with requests that are like it and solved, the likest last.
    pub fn like(&self, solved: Vec<Solved>) -> Self {
        if solved.is_empty() { self.clone() } else { self.with(Step::Like(solved)) }
    }

    /// The request in the person's words, on one line; empty where the text is all there is.
    pub fn request(&self) -> &str {
        self.source.as_ref().map_or("", |source| &source.request)
    }

    /// The same prompt after a request that was answered just before, and which this one changes.
    pub fn after(&self, before: &Solved) -> Self {
        self.with(Step::After(before.clone()))
    }

    /// The same prompt with another try: the model's `answer`, and in one short line what is wrong with it.
    pub fn again(&self, answer: &str, wrong: &str) -> Self {
        self.with(Step::Again(answer.to_owned(), wrong.to_owned()))
    }

    /// The same as [`Prompt::again`] where answer and error hold what was read on the machine: `whole` for those who may be told
    /// this item, `open` for all others.
    pub fn again_in_part(&self, item: Item, open: (&str, &str), whole: (&str, &str)) -> Self {
        let mut prompt = self.again(open.0, open.1);
        if let Some(source) = prompt.source.as_mut().map(Arc::make_mut) {
            let again =
                |(answer, wrong): (&str, &str)| Step::Again(answer.to_owned(), wrong.to_owned()).tame();
            let at = source.steps.len() - 1;
            source.asides.push(Aside { at, item, open: again(open), whole: again(whole) });
        }
        prompt
    }

    /// Whether such a reader is told what was read on the machine, and others are not, in how the request went on.
    pub fn tells_apart(&self, audience: Audience) -> bool {
        let Some(source) = &self.source else { return false };
        let tells = |aside: &Aside| source.situation.telling().tells(aside.item, audience);
        source.asides.iter().any(|aside| aside.open != aside.whole && tells(aside))
    }

    /// The last answer and what is wrong with it as every reader may be told them; none where there are no others.
    pub fn open_part(&self) -> Option<(&str, &str)> {
        match &self.source.as_ref()?.asides.last()?.open {
            Step::Again(answer, wrong) => Some((answer, wrong)),
            _ => None,
        }
    }

    /// The same prompt with the answers that are known, for one that is another.
    pub fn otherwise(&self, known: &[String]) -> Self {
        self.with(Step::Otherwise(known.to_vec()))
    }

    fn with(&self, step: Step) -> Self {
        let step = step.tame();
        let fresh = step.onto(&self.fresh, self.form);
        let mut source = self.source.clone();
        if let Some(source) = &mut source {
            Arc::make_mut(source).steps.push(step);
        }
        Self { fresh, source, ..self.clone() }
    }
}

/// A request and the command that answers it, one row of `prompt/solved-*.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solved {
    /// What a person asked.
    pub request: String,
    /// The command, one line.
    pub command: String,
}

impl Solved {
    /// Each part on a line, and visible.
    fn tame(self) -> Self {
        Self { request: one_line(&self.request), command: visible(&self.command) }
    }
}

/// A kind of solved requests, and the name of its tables in `prompt/solved-*.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Everyday requests, chosen so that each shows a form that small models get wrong.
    Solved,
    /// Further everyday requests, for breadth.
    More,
    /// Half-right commands and what was meant.
    Repair,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Solved, Self::More, Self::Repair];
}

/// The prompt for a request; `system` is a [`system_name`].
pub fn draft(form: Form, request: &str, shell: Shell, system: &str) -> Prompt {
    let source = PromptSource {
        request: one_line(request),
        shell,
        system: system.to_owned(),
        situation: Situation::default(),
        facts: Vec::new(),
        steps: Vec::new(),
        asides: Vec::new(),
    };
    let (fixed, fresh) = (told_first(form, shell, system), source.fresh(form));
    Prompt { form, fixed, fresh, source: Some(Arc::new(source)) }
}

/// What stands before the request.
fn told_first(form: Form, shell: Shell, system: &str) -> String {
    match form {
        Form::Completion => fixed(shell, system),
        Form::Chat => instruction(shell, system),
    }
}

/// Why a reader can't be asked.
fn withheld(item: Item, audience: Audience) -> String {
    let (who, word) = match audience {
        Audience::Machine => ("nobody", "local"),
        Audience::Server => ("no server", "all"),
    };
    let what = if item == Item::Last { "your last command" } else { item.name() };
    format!("{who} is told {what}; set `{} = \"{word}\"` in [context], or type what you want", item.name())
}

/// What a chat model is told before the request.
fn instruction(shell: Shell, system: &str) -> String {
    let language = language(shell);
    format!(
        "You turn a request into one {language} command line for {system}. Answer with the command alone: no \
         explanation, no markup, no placeholder."
    )
}

/// The part of a prompt that is the same for every request in a shell on a machine.
pub fn fixed(shell: Shell, system: &str) -> String {
    let mut fixed = format!("# One-line {} commands for {system}.\n\n", language(shell));
    for Solved { request, command } in solved(shell) {
        fixed.push_str(&format!("# {request}\n{command}\n\n"));
    }
    fixed
}

/// The shell's language as models know it by name.
fn language(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash | Shell::Zsh | Shell::Fish => shell.name(),
        Shell::Nu => "Nushell",
    }
}

/// The system as models know it by name: only what decides which tools a command may use.
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

/// The solved requests for a shell, in the order they stand in the prompt.
pub fn solved(shell: Shell) -> Vec<Solved> {
    IN_PROMPT.iter().flat_map(|section| rows(shell, *section)).collect()
}

/// One section of the solved requests for a shell, in the order of the files: bash's first where a shell builds on
/// them, then its own.
pub fn rows(shell: Shell, section: Section) -> Vec<Solved> {
    let own = File::of(shell);
    let mut rows = match shell {
        Shell::Bash | Shell::Nu => Vec::new(),
        Shell::Zsh | Shell::Fish => File::of(Shell::Bash).section(section),
    };
    for row in &mut rows {
        if let Some(other) = own.instead.iter().find(|other| other.request == row.request) {
            row.command.clone_from(&other.command);
        }
    }
    rows.extend(own.section(section));
    rows
}

/// Whether a model reads only the first [`REQUEST_CHARS_MAX`] characters of a request.
pub fn is_cut(request: &str) -> bool {
    request.trim().chars().nth(REQUEST_CHARS_MAX).is_some()
}

/// A request as the one comment line of a prompt. It cannot pose as a solved request or as a command: it holds no
/// line break, nothing invisible and no comment sign of its own in front.
fn one_line(request: &str) -> String {
    let head: String = request.trim().chars().take(REQUEST_CHARS_MAX).collect();
    let words = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.trim_start_matches(['#', ' ']);
    visible(words).chars().take(REQUEST_CHARS_MAX).collect()
}

/// A file of solved requests, a field for each kind of table in it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    instead: Vec<Solved>,
    solved: Vec<Solved>,
    more: Vec<Solved>,
    repair: Vec<Solved>,
}

impl File {
    fn of(shell: Shell) -> Self {
        let text = match shell {
            Shell::Bash => include_str!("prompt/solved-bash.toml"),
            Shell::Zsh => include_str!("prompt/solved-zsh.toml"),
            Shell::Fish => include_str!("prompt/solved-fish.toml"),
            Shell::Nu => include_str!("prompt/solved-nu.toml"),
        };
        toml::from_str(text).expect("the solved requests in the tree parse: a test holds that")
    }

    fn section(self, section: Section) -> Vec<Solved> {
        match section {
            Section::Solved => self.solved,
            Section::More => self.more,
            Section::Repair => self.repair,
        }
    }
}

#[cfg(test)]
mod tests;
