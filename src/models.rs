//! Opens the models that the configuration names: embedded, resident, scripted or on a server.

mod formatted;
mod metered;
mod served;

use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;

use crate::config::{AdapterChoice, Config, Daemon, ModelChoice};
use crate::metrics::UsageStore;
use askline_host::Host;
use askline_host::store::Paths;
use askline_model::adapter::Adapter;
use askline_model::chain::Chain;
use askline_model::failure::Failure;
use askline_model::install::{Installed, installed};
use askline_model::local::Local;
use askline_model::prompt::Form;
use askline_model::prompt::Prompt;
use askline_model::prompt::disclosure::Audience;
use askline_model::punctual::Punctual;
use askline_model::request_control::RequestControl;
use askline_model::resident::wire::{Identity, ModelSpec, Role};
use askline_model::resident::{Resident, Terms};
use askline_model::scripted::Scripted;
use askline_model::{Model, Reply};
use formatted::FormattedModel;
use metered::Metered;
use served::Served;

/// Maximum size of a script, in bytes.
const SCRIPT_LIMIT: u64 = 1 << 20;
/// Purpose for which a model is opened; decides which process computes a local model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A user waits for one answer. The resident process answers and is started if needed; on any trouble with
    /// it, this process computes the model.
    Press,
    /// A user waits for an investigation. As `Press`, but no second model is opened: it has not seen the looks.
    Look,
    /// Nobody asked yet, for example while the user still types. The resident process answers if it runs and
    /// no request waits for it; otherwise the request fails with [`Failure::Unavailable`]. This process starts and
    /// loads nothing, and no half-typed words are sent to a server.
    Idle,
    /// Many requests, or a measurement. This process computes the model: key presses need not wait, and no
    /// other process affects the figures.
    Batch,
}

impl Purpose {
    /// Reports whether a user waits.
    fn is_urgent(self) -> bool {
        matches!(self, Self::Press | Self::Look)
    }
}

/// Opens the configured model, its fallbacks and its second. Cheap: weights and keys are read at the first request. A model
/// that isn't installed fails only when asked, because answers from checks alone need no model.
///
/// # Errors
///
/// If a script can't be read.
pub fn open<H>(config: &Config, host: &H, paths: &Paths, occasion: Purpose) -> anyhow::Result<Box<dyn Model>>
where
    H: Host + Clone + 'static,
{
    let first = open_counted(&config.model, config.form, config, host, paths, occasion)?;
    let following: Vec<_> = config
        .fallback
        .iter()
        .zip(&config.fallback_forms)
        .map(|(choice, form)| open_counted(choice, *form, config, host, paths, occasion))
        .collect::<anyhow::Result<_>>()?;
    let is_asked = !matches!(occasion, Purpose::Idle | Purpose::Look);
    let second = config.of_second().filter(|_| is_asked);
    if following.is_empty() && second.is_none() {
        return Ok(first);
    }
    let chain = Chain::new(first, following);
    Ok(Box::new(match second {
        Some(own) => chain.with_second(open_counted(&own.model, own.form, &own, host, paths, occasion)?),
        None => chain,
    }))
}

/// Opens one model; its usage is counted and, for a server, limited.
fn open_counted<H>(
    choice: &ModelChoice,
    form: Form,
    config: &Config,
    host: &H,
    paths: &Paths,
    occasion: Purpose,
) -> anyhow::Result<Box<dyn Model>>
where
    H: Host + Clone + 'static,
{
    let model = match choice {
        ModelChoice::Remote(_) if occasion == Purpose::Idle => return Ok(unasked(choice)),
        ModelChoice::Remote(remote) => {
            let usage_store = UsageStore::of(paths);
            let served = Served::new((**remote).clone(), form, host.clone(), config.limits, usage_store);
            return Ok(Box::new(served));
        }
        ModelChoice::Scripted(file) => open_scripted(file, config, host, occasion)?,
        ModelChoice::Local(name) => open_local(name, config, host, paths, occasion)?,
    };
    // The name of a user's own file may reveal too much for the statistics.
    let name = match choice {
        ModelChoice::Local(_) if config.model_file.is_some() => "local:(own file)".to_owned(),
        ModelChoice::Local(name) => format!("local:{name}"),
        ModelChoice::Remote(_) | ModelChoice::Scripted(_) => "scripted".to_owned(),
    };
    let model = Box::new(Punctual::new(model));
    Ok(Box::new(Metered::new(Box::new(FormattedModel { model, form }), name)))
}

fn open_scripted<H>(
    file: &Path,
    config: &Config,
    host: &H,
    occasion: Purpose,
) -> anyhow::Result<Box<dyn Model>>
where
    H: Host + Clone + 'static,
{
    if config.daemon == Daemon::Force && occasion != Purpose::Batch {
        let spec = ModelSpec::Scripted { file: std::path::absolute(file)?, identity: Identity::default() };
        return Ok(Box::new(Resident::new(spec, terms(config, occasion), host.clone(), None)));
    }
    let script =
        host.read(file, SCRIPT_LIMIT).and_then(|text| Scripted::parse(file, &String::from_utf8_lossy(&text)));
    let script = script.map_err(|error| {
        anyhow!("{error:#}; correct the script, or name another model (ASKLINE_MODEL or the profile)")
    })?;
    Ok(Box::new(script))
}

/// Makes the resident process load the configured local model and prepare it for prompts that start with `fixed`, and after it
/// the second one, if that is on this machine; starts the process if needed. Does nothing for other models. Call it when a
/// request is about to come.
///
/// # Errors
///
/// If preparing the first fails.
pub fn warm<H>(
    config: &Config,
    host: &H,
    paths: &Paths,
    fixed: &str,
    control: &RequestControl,
) -> anyhow::Result<()>
where
    H: Host + Clone + 'static,
{
    if config.daemon == Daemon::Off || cfg!(not(feature = "local-model")) {
        return Ok(());
    }
    let prepare = |config: &Config| {
        let ModelChoice::Local(name) = &config.model else { return Ok(()) };
        let installed = installed(name, config.model_file.as_deref(), host, paths)?;
        let spec = spec(installed, config, paths)?;
        Resident::new(spec, terms(config, Purpose::Press), host.clone(), None).prepare(fixed, control)
    };
    // The process prepares the model first that was named last.
    if let Some(second) = config.of_second().filter(|second| second.form == Form::Completion)
        && let Err(error) = prepare(&second)
    {
        tracing::debug!("the second model is not prepared: {error:#}");
    }
    prepare(config)
}

/// Returns the description of a local model for the resident process.
fn spec(installed: Installed, config: &Config, paths: &Paths) -> anyhow::Result<ModelSpec> {
    let adapter = adapter(&installed, config)?;
    let Installed { name, path, context, memory, .. } = installed;
    Ok(ModelSpec::Local {
        name,
        file: std::path::absolute(path)?,
        identity: Identity::default(),
        room: context,
        threads: config.threads,
        states: std::path::absolute(paths.cache.join("states"))?,
        memory,
        adapter,
        saves_memory: config.saves_memory,
        gpu: config.gpu,
    })
}

/// Returns the adapter that a model is loaded with: the configured one, or the one that comes with the program for this
/// model.
fn adapter(installed: &Installed, config: &Config) -> anyhow::Result<Option<Adapter>> {
    Ok(match &config.adapter {
        AdapterChoice::Off => None,
        AdapterChoice::On => installed.sha256.as_deref().and_then(Adapter::of_model),
        AdapterChoice::File(path) => Some(Adapter::File(std::path::absolute(path)?)),
    })
}

fn open_local<H>(
    name: &str,
    config: &Config,
    host: &H,
    paths: &Paths,
    occasion: Purpose,
) -> anyhow::Result<Box<dyn Model>>
where
    H: Host + Clone + 'static,
{
    let choice = ModelChoice::Local(name.to_owned());
    let installed = match installed(name, config.model_file.as_deref(), host, paths) {
        Ok(installed) => installed,
        Err(error) => match error.downcast::<Failure>() {
            Ok(failure) => return Ok(Box::new(UnavailableModel { source: choice.to_string(), failure })),
            Err(error) => return Err(error),
        },
    };
    let states = paths.cache.join("states");
    let adapter = adapter(&installed, config)?;
    let local = || {
        let Installed { name, path, context, .. } = installed.clone();
        let local = Local::new(name, path, states.clone(), context, config.threads);
        local.adapted(adapter.clone()).on_gpu(config.gpu).guarded()
    };
    let is_resident = config.daemon != Daemon::Off && cfg!(feature = "local-model");
    if !is_resident || occasion == Purpose::Batch {
        return Ok(if occasion == Purpose::Idle { unasked(&choice) } else { local() });
    }
    let spec = spec(installed.clone(), config, paths)?;
    let may_be_here = occasion.is_urgent() && config.daemon != Daemon::Force;
    let here = may_be_here.then(local);
    Ok(Box::new(Resident::new(spec, terms(config, occasion), host.clone(), here)))
}

/// Returns a placeholder for a model that is asked only when a user waits.
fn unasked(choice: &ModelChoice) -> Box<dyn Model> {
    let failure = Failure::Unavailable(format!("{choice} is asked only when a user waits"));
    Box::new(UnavailableModel { source: choice.to_string(), failure })
}

/// Returns the options for the resident process.
fn terms(config: &Config, occasion: Purpose) -> Terms {
    Terms {
        urgent: occasion.is_urgent(),
        forced: config.daemon == Daemon::Force,
        idle: Duration::from_mins(config.daemon_idle_min),
        role: role(config),
    }
}

/// Returns the role of the model of a configuration. A second model on a server takes no memory here.
fn role(config: &Config) -> Role {
    match &config.second {
        Some((second, _)) if second.is_remote() => Role::Only,
        Some((second, _)) if *second == config.model => Role::Second,
        Some(_) => Role::First,
        None => Role::Only,
    }
}

/// Returns exactly what the first configured model would get for a prompt: the text, or the body for its
/// server. Sends nothing and reads no key.
///
/// # Errors
///
/// If the server's profile is unusable, or the model may not get the subject of the request.
pub fn request(config: &Config, prompt: &Prompt) -> anyhow::Result<String> {
    match &config.model {
        ModelChoice::Remote(profile) => {
            Ok(served::body(profile, config.form, prompt, config.max_tokens)? + "\n")
        }
        ModelChoice::Local(_) | ModelChoice::Scripted(_) => {
            Ok(prompt.render_for(config.form, Audience::Machine, &mut str::to_owned)?.text())
        }
    }
}

/// Placeholder for a model that can't be asked.
#[derive(Debug)]
struct UnavailableModel {
    source: String,
    failure: Failure,
}

impl Model for UnavailableModel {
    fn source(&self) -> String {
        self.source.clone()
    }

    fn complete(&mut self, _: &Prompt, _: usize, _: &RequestControl) -> anyhow::Result<Reply> {
        Err(self.failure.clone().into())
    }

    fn prepare(&mut self, _: &str, _: &RequestControl) -> anyhow::Result<()> {
        Err(self.failure.clone().into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A model that records what is done with it.
    struct Recording(Arc<Mutex<Vec<&'static str>>>);

    impl Model for Recording {
        fn source(&self) -> String {
            "recording".to_owned()
        }

        fn complete(&mut self, _: &Prompt, _: usize, _: &RequestControl) -> anyhow::Result<Reply> {
            Ok(Reply::default())
        }

        fn prepare(&mut self, _: &str, _: &RequestControl) -> anyhow::Result<()> {
            self.0.lock().unwrap().push("prepare");
            Ok(())
        }

        fn rest(&mut self) {
            self.0.lock().unwrap().push("rest");
        }

        fn notes(&self) -> Vec<String> {
            vec!["a note".to_owned()]
        }

        fn finish(&mut self) -> anyhow::Result<()> {
            self.0.lock().unwrap().push("finish");
            Ok(())
        }
    }

    /// The wrappers of a model on this machine, also of one in a chain.
    #[test]
    fn what_wrappers_do_not_do_themselves_the_model_inside_does() {
        let done = Arc::new(Mutex::new(Vec::new()));
        let recording = Punctual::new(Box::new(Recording(Arc::clone(&done))));
        let formatted = FormattedModel { model: Box::new(recording), form: Form::Completion };
        let metered = Metered::new(Box::new(formatted), "recording".to_owned());
        let mut model = Chain::new(Box::new(metered), Vec::new());
        model.prepare("", &RequestControl::endless()).unwrap();
        model.rest();
        model.finish().unwrap();
        assert_eq!(*done.lock().unwrap(), ["prepare", "rest", "finish"]);
        assert_eq!((model.source().as_str(), model.notes()), ("recording", vec!["a note".to_owned()]));
    }

    #[test]
    fn a_second_model_here_is_told_from_the_first() {
        let config = |text: &str| {
            let text = format!("{text}[profiles.script]\nprotocol = \"scripted\"\nfile = \"/replies\"\n");
            Config::merge(Some((Path::new("config.toml"), &text)), &|_| None).unwrap()
        };
        assert_eq!(role(&config("")), Role::Only);
        let two = config("[roles]\nsecond = \"script\"\n");
        assert_eq!((role(&two), role(&two.of_second().unwrap())), (Role::First, Role::Second));
    }
}
