//! The loaded models: at most two, so that a second one can be asked beside the first.

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;

use anyhow::Context as _;

use askline_host::Host as _;
use askline_host::local::LocalHost;
use askline_model::failure::Failure;
use askline_model::local::Local;
use askline_model::memory;
use askline_model::prompt::{Form, Prompt};
use askline_model::request_control::RequestControl;
use askline_model::resident::wire::{ModelSpec, Role};
use askline_model::scripted::Scripted;
use askline_model::{Cut, Further, Model, Reply, Usage};
use askline_syntax::shell::Shell;

/// Maximum number of loaded models: the first, and the second of `[roles]`.
const MODELS_MAX: usize = 2;
/// Failure of a second model where memory is short.
const NO_ROOM: &str =
    "too little memory is free for a second model; `askline model use --second none` does without it";
/// Maximum number of fixed parts to prepare: one per shell.
const UNPREPARED_MAX: usize = Shell::ALL.len();
/// Maximum size of a script, in bytes.
const SCRIPT_LIMIT: u64 = 1 << 20;

/// The loaded models, the last used one first.
#[derive(Default)]
pub(super) struct LoadedModels(Vec<Loaded>);

impl LoadedModels {
    /// Returns the model of a description, loaded if it was not.
    ///
    /// # Errors
    /// If it can't be loaded; with [`Short`] if there is too little memory even without the others.
    pub(super) fn get(&mut self, spec: &ModelSpec, role: Role) -> anyhow::Result<&mut Loaded> {
        if role == Role::Only {
            self.0.retain(|other| other.spec == *spec);
        }
        let loaded = match self.0.iter().position(|loaded| loaded.spec == *spec) {
            Some(known) => self.0.remove(known),
            None => self.load(spec, role, &load)?,
        };
        self.0.insert(0, loaded);
        self.0.first_mut().context("just loaded")
    }

    /// Loads a model with `load`, which gets the memory that is promised to others, in bytes. The same file with other settings gives
    /// way to it, and the model that was used longest ago; where memory is short, all others give way to a first model.
    fn load(
        &mut self,
        spec: &ModelSpec,
        role: Role,
        load: &dyn Fn(&ModelSpec, u64) -> anyhow::Result<Loaded>,
    ) -> anyhow::Result<Loaded> {
        self.0.retain(|other| file(&other.spec) != file(spec));
        self.0.truncate(MODELS_MAX - 1);
        // Weights are read at the first request: until then a model takes no memory that could be seen.
        let unread = self.0.iter().filter(|other| !other.is_read).map(|other| other.needs).sum();
        match load(spec, unread) {
            // The two would take turns in the memory, and each press would wait for one of them.
            Err(error) if error.is::<Short>() && role == Role::Second => {
                Err(Failure::Unavailable(NO_ROOM.to_owned()).into())
            }
            Err(error) if error.is::<Short>() && !self.0.is_empty() => {
                self.0.clear();
                load(spec, 0)
            }
            loaded => loaded,
        }
    }

    /// Returns the names of the models, the last used one first; `None` if there is none.
    pub(super) fn names(&self) -> Option<String> {
        let names: Vec<_> = self.0.iter().map(|loaded| loaded.model.source()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Reports whether no model is loaded.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first model that has something to prepare.
    pub(super) fn unprepared(&self) -> Option<&Loaded> {
        self.0.iter().find(|loaded| !loaded.unprepared.is_empty())
    }

    /// Prepares the oldest fixed part of that model.
    ///
    /// # Errors
    /// As [`Model::prepare`].
    pub(super) fn prepare(&mut self, control: &RequestControl) -> anyhow::Result<()> {
        let unprepared = self.0.iter_mut().find(|loaded| !loaded.unprepared.is_empty());
        unprepared.map_or(Ok(()), |loaded| loaded.prepare(control))
    }

    /// Gives memory back.
    pub(super) fn rest(&mut self) {
        for loaded in &mut self.0 {
            loaded.last = None;
            loaded.model.rest();
        }
    }
}

fn file(spec: &ModelSpec) -> &Path {
    match spec {
        ModelSpec::Local { file, .. } | ModelSpec::Scripted { file, .. } => file,
    }
}

/// A loaded model.
pub(super) struct Loaded {
    spec: ModelSpec,
    model: Box<dyn Model>,
    /// Last prompt, its token limit, and the answer.
    last: Option<(Prompt, usize, Reply)>,
    /// Fixed parts that are not prepared yet, at least not wholly; the oldest is the first.
    unprepared: VecDeque<String>,
    /// Memory that it takes once it is read, in bytes; 0 if it is small.
    needs: u64,
    /// `true` from its first request on.
    is_read: bool,
}

impl Loaded {
    /// Creates it with nothing to prepare.
    fn new(spec: ModelSpec, model: Box<dyn Model>, needs: u64) -> Self {
        Self { spec, model, last: None, unprepared: VecDeque::new(), needs, is_read: false }
    }

    /// Remembers a fixed part to prepare. The oldest one gives way to it if there are too many.
    pub(super) fn prepare_later(&mut self, fixed: &str) {
        if self.unprepared.iter().any(|other| other == fixed) {
            return;
        }
        if UNPREPARED_MAX <= self.unprepared.len() {
            self.unprepared.pop_front();
        }
        self.unprepared.push_back(fixed.to_owned());
    }

    /// Returns the answer to a prompt. Repeats the last answer for the same prompt, because a model's answer to
    /// a prompt is always the same; requests for alternatives start this way.
    pub(super) fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        if let Some((known, most, reply)) = &self.last
            && (known, *most) == (prompt, max_tokens)
        {
            let cached_tokens = reply.usage.prefill_tokens + reply.usage.cached_tokens;
            return Ok(Reply { usage: Usage { cached_tokens, ..Usage::default() }, ..reply.clone() });
        }
        (self.last, self.is_read) = (None, true);
        if prompt.form == Form::Completion {
            self.prepare_later(&prompt.fixed);
        }
        let reply = self.model.complete(prompt, max_tokens, control)?;
        if !reply.brief {
            self.unprepared.retain(|fixed| *fixed != prompt.fixed);
        }
        // With more time the answer may be whole.
        let is_late = reply.cut == Some(Cut::Time);
        self.last = (!is_late).then(|| (prompt.clone(), max_tokens, reply.clone()));
        Ok(reply)
    }

    /// Prepares the oldest fixed part. If a request interrupts it, it goes on after that.
    fn prepare(&mut self, control: &RequestControl) -> anyhow::Result<()> {
        let Some(fixed) = self.unprepared.pop_front() else { return Ok(()) };
        // With more of the fixed part the answer may be a better one.
        (self.last, self.is_read) = (None, true);
        let prepared = self.model.prepare(&fixed, control);
        if prepared.as_ref().is_err_and(|error| error.downcast_ref() == Some(&Failure::Cancelled)) {
            self.unprepared.push_front(fixed);
        }
        prepared
    }

    /// Returns alternatives to its last answer.
    pub(super) fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        self.model.alternatives(prompt, further, control)
    }

    /// Reports whether its last answer was to this prompt.
    pub(super) fn has_answered(&self, prompt: &Prompt) -> bool {
        self.last.as_ref().is_some_and(|(known, ..)| known == prompt)
    }

    /// Forgets its last answer.
    pub(super) fn forget_last(&mut self) {
        self.last = None;
    }

    pub(super) fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    pub(super) fn notes(&self) -> Vec<String> {
        self.model.notes()
    }
}

/// Context of an error: this process has too little memory for a model.
#[derive(Debug)]
pub(super) struct Short;

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it has too little memory where it was started")
    }
}

/// Creates a model; weights are read at the first request. `unread` bytes of memory are promised to others.
fn load(spec: &ModelSpec, unread: u64) -> anyhow::Result<Loaded> {
    let mut own = 0;
    let model: Box<dyn Model> = match spec {
        ModelSpec::Local {
            name, file, room, threads, states, memory, adapter, saves_memory, gpu, ..
        } => {
            let local = Local::new(name.clone(), file.clone(), states.clone(), *room, *threads);
            let local = local.adapted(adapter.clone()).on_gpu(*gpu);
            // The file gives the best figure; the client's estimate is used if the file leaves it open.
            let needs = local.needs()?.map_or(*memory, |needs| needs.mapped.saturating_add(needs.own));
            if let Some(shortage) = memory::shortage(&LocalHost, name, needs.saturating_add(unread)) {
                return Err(anyhow::Error::new(shortage).context(Short));
            }
            let is_roomy = !saves_memory && memory::is_ample(&LocalHost, needs.saturating_add(unread));
            own = needs;
            local.rearranged(is_roomy).early().guarded()
        }
        ModelSpec::Scripted { file, .. } => {
            let text = LocalHost.read(file, SCRIPT_LIMIT)?;
            Box::new(Scripted::parse(file, &String::from_utf8_lossy(&text))?)
        }
    };
    Ok(Loaded::new(spec.clone(), model, own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_model::resident::wire::Identity;
    use std::path::PathBuf;

    /// A model whose first answer to each fixed part is brief; a request that contains "fail" gets an error.
    struct Brief {
        prepared: Vec<String>,
        fails: Option<Failure>,
    }

    impl Model for Brief {
        fn source(&self) -> String {
            "brief".into()
        }

        fn complete(&mut self, prompt: &Prompt, _: usize, _: &RequestControl) -> anyhow::Result<Reply> {
            anyhow::ensure!(!prompt.fresh.contains("fail"), "it failed");
            Ok(Reply { brief: !self.prepared.contains(&prompt.fixed), ..Reply::default() })
        }

        fn prepare(&mut self, fixed: &str, _: &RequestControl) -> anyhow::Result<()> {
            if let Some(failure) = self.fails.take() {
                return Err(failure.into());
            }
            self.prepared.push(fixed.to_owned());
            Ok(())
        }
    }

    fn brief(fails: Option<Failure>) -> Loaded {
        let identity = Identity { device: 0, inode: 0, size: 0, modified: (0, 0) };
        let spec = ModelSpec::Scripted { file: PathBuf::new(), identity };
        Loaded::new(spec, Box::new(Brief { prepared: Vec::new(), fails }), 0)
    }

    fn ask(loaded: &mut Loaded, fixed: &str, fresh: &str) -> Option<bool> {
        let prompt = Prompt::new(Form::Completion, fixed.into(), fresh.into());
        loaded.complete(&prompt, 9, &RequestControl::endless()).ok().map(|reply| reply.brief)
    }

    #[test]
    fn the_fixed_parts_of_two_shells_are_both_prepared() {
        let control = RequestControl::endless();
        let mut loaded = brief(Some(Failure::Cancelled));
        assert_eq!(ask(&mut loaded, "bash", "one"), Some(true));
        assert_eq!(ask(&mut loaded, "zsh", "two"), Some(true));
        assert_eq!(ask(&mut loaded, "bash", "three"), Some(true));
        assert_eq!(ask(&mut loaded, "fish", "fail"), None);
        assert_eq!(loaded.unprepared, ["bash", "zsh", "fish"]);
        assert!(loaded.prepare(&control).is_err());
        assert_eq!(loaded.unprepared, ["bash", "zsh", "fish"], "an interrupted one stays the first");
        loaded.prepare(&control).unwrap();
        assert_eq!(loaded.unprepared, ["zsh", "fish"]);
        assert_eq!(ask(&mut loaded, "bash", "four"), Some(false));
        assert_eq!(loaded.unprepared, ["zsh", "fish"], "a whole answer forgets only its own");
        loaded.prepare(&control).unwrap();
        loaded.prepare(&control).unwrap();
        assert!(loaded.unprepared.is_empty());
    }

    #[test]
    fn two_models_stay_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let spec = |name: &str, size: u64| {
            let file = directory.path().join(name);
            std::fs::write(&file, r#"{"reply": "ls"}"#).unwrap();
            ModelSpec::Scripted { file, identity: Identity { device: 0, inode: 0, size, modified: (0, 0) } }
        };
        let (first, second, third) = (spec("first", 1), spec("second", 1), spec("third", 1));
        let mut models = LoadedModels::default();
        let loaded =
            |models: &LoadedModels| models.0.iter().map(|loaded| loaded.spec.clone()).collect::<Vec<_>>();
        for spec in [&first, &second, &first] {
            models.get(spec, Role::First).unwrap().prepare_later("bash");
        }
        assert_eq!(loaded(&models), [first.clone(), second.clone()]);
        models.prepare(&RequestControl::endless()).unwrap();
        assert_eq!(models.unprepared().map(Loaded::spec), Some(&second), "each is prepared");
        models.get(&third, Role::Second).unwrap();
        assert_eq!(loaded(&models), [third.clone(), first], "the one that was used longest ago gives way");
        let changed = spec("third", 2);
        models.get(&changed, Role::First).unwrap();
        assert_eq!(models.0.len(), 2);
        assert_eq!(loaded(&models).first(), Some(&changed), "and so does the same file with other settings");
        let missing = ModelSpec::Scripted {
            file: "/nowhere".into(),
            identity: Identity { device: 0, inode: 0, size: 0, modified: (0, 0) },
        };
        assert!(models.get(&missing, Role::First).is_err());
        models.get(&changed, Role::Only).unwrap();
        assert_eq!(loaded(&models), [changed], "alone for who has no second");
    }

    #[test]
    fn where_memory_is_short_only_the_second_model_gives_way() {
        let spec = |name: &str| {
            let identity = Identity { device: 0, inode: 0, size: 0, modified: (0, 0) };
            ModelSpec::Scripted { file: name.into(), identity }
        };
        let (first, second) = (spec("first"), spec("second"));
        let is_alone = |spec: &ModelSpec, promised: u64| {
            anyhow::ensure!(promised == 0, anyhow::anyhow!("it needs 2 GB, 1 GB is free").context(Short));
            let model = Box::new(Brief { prepared: Vec::new(), fails: None });
            Ok(Loaded::new(spec.clone(), model, 1))
        };
        let mut models = LoadedModels::default();
        let loaded = models.load(&first, Role::First, &is_alone).unwrap();
        models.0.push(loaded);
        let refused = models.load(&second, Role::Second, &is_alone).map(|_| ()).unwrap_err();
        assert!(!refused.is::<Short>(), "the process goes on");
        assert!(refused.to_string().starts_with("too little memory"), "{refused}");
        assert_eq!(models.0.len(), 1, "the first one stays");
        let is_short = |_: &ModelSpec, _: u64| Err(anyhow::anyhow!("1 GB is free").context(Short));
        let refused = LoadedModels::default().load(&second, Role::Second, &is_short).map(|_| ()).unwrap_err();
        assert!(!refused.is::<Short>(), "another process would have no more");
        models.0 = vec![is_alone(&second, 0).unwrap()];
        models.load(&first, Role::First, &is_alone).unwrap();
        assert!(models.0.is_empty(), "the second one gives way");
    }

    #[test]
    fn an_impossible_preparation_is_not_repeated_and_there_are_few() {
        let mut loaded = brief(Some(Failure::TimedOut));
        assert_eq!(ask(&mut loaded, "bash", "one"), Some(true));
        assert!(loaded.prepare(&RequestControl::endless()).is_err());
        assert!(loaded.unprepared.is_empty());
        for fixed in ["a", "b", "c", "d", "e"] {
            loaded.prepare_later(fixed);
        }
        assert_eq!(loaded.unprepared, ["b", "c", "d", "e"]);
    }
}
