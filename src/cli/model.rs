//! `askline model`: management of the models on this machine.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use toml_edit::{DocumentMut, Item, Table, value};

use super::args::{ModelCommand, PromptForm};
use super::{AppContext, Exit, config_text, one_line, print, print_message, print_path, variable};
use crate::config::{AdapterChoice, Config, ModelChoice};
use crate::environment;
use crate::keys;
use crate::models;
use crate::models::Purpose;
use crate::shell_facts::ShellFacts;
use askline_host::store;
use askline_host::{Host, local};
use askline_model::adapter::Adapter;
use askline_model::failure::Failure;
use askline_model::failure::UsageError;
use askline_model::install;
use askline_model::install::added::{self, Origin, Stated};
use askline_model::install::manifest::{Manifest, ModelEntry};
use askline_model::install::{Condition, News, megabytes};
use askline_model::memory;
use askline_model::prompt;
use askline_model::prompt::Form;
use askline_model::request_control::RequestControl;
use askline_syntax::clean::visible;
use askline_syntax::shell::Shell;

/// Redraw interval of the progress bar while nothing arrives.
const TICK: Duration = Duration::from_millis(200);
/// Profile of the second model, as `askline model use --second` writes it.
const SECOND_PROFILE: &str = "second";
/// Step between two progress lines without a terminal, in percent.
const PLAIN_STEP: u64 = 10;

pub(super) fn run(args: &super::args::Model, app: &AppContext) -> anyhow::Result<Exit> {
    let manifest = Manifest::load(&app.host, &app.paths)?;
    let config = app.config()?;
    let entry = |name: &Option<String>| match (name, &config.model) {
        (Some(name), _) | (None, ModelChoice::Local(name)) => manifest.find(name),
        (None, ModelChoice::Scripted(_)) => {
            Err(UsageError("the model in use is a script; name one of `askline model list`".to_owned()))
        }
        (None, ModelChoice::Remote(_)) => {
            Err(UsageError("the model in use is on a server; name one of `askline model list`".to_owned()))
        }
    };
    match &args.command {
        ModelCommand::List { check } => list(&manifest, &config, *check, app),
        ModelCommand::Pull { name, form, sha256 } => {
            match name.as_deref().map(Origin::parse).transpose()?.flatten() {
                Some(origin) => add(&origin, &stated(*form, sha256.as_deref())?, app),
                None if form.is_some() || sha256.is_some() => {
                    let why = "--form and --sha256 are for a model from elsewhere: hf:OWNER/REPO/FILE, an address or a file";
                    Err(UsageError(why.to_owned()).into())
                }
                None => pull(entry(name)?, &config, app),
            }
        }
        ModelCommand::Use { name, second: false } => make_used(manifest.find(name)?, app),
        ModelCommand::Use { name, second: true } if name == "none" => make_second(None, app),
        ModelCommand::Use { name, second: true } => make_second(Some(manifest.find(name)?), app),
        ModelCommand::Path { name: Some(name) } => {
            print_path(&install::installed_as(manifest.find(name)?, &app.paths)?.path).map(|()| Exit::Done)
        }
        ModelCommand::Path { name: None } => path_in_use(&config, app),
        ModelCommand::Rm { name } => match manifest.find(name) {
            Ok(entry) => remove(entry, &config, &manifest, app),
            Err(unknown) => {
                let begun = added::begun(name, &app.paths).ok_or(unknown)?;
                remove(&begun, &config, &manifest, app)
            }
        },
    }
}

fn list(manifest: &Manifest, config: &Config, check: bool, app: &AppContext) -> anyhow::Result<Exit> {
    let default = Config::merge(None, &|_| None)?.model;
    let mut progress = Progress::new();
    let mut damaged = false;
    let mut rows = vec![["NAME", "SIZE", "MEMORY", "LICENCE", "STATE"].map(str::to_owned)];
    for entry in &manifest.entries {
        let condition = match check {
            true => install::check(entry, &app.paths, &mut |news| progress.show(news))?,
            false => install::condition(entry, &app.paths),
        };
        damaged |= matches!(condition, Condition::Damaged(_));
        let this = ModelChoice::Local(entry.name.clone());
        let mut state = vec![match condition {
            Condition::Absent => "not installed".to_owned(),
            Condition::Begun(bytes) => format!("{} fetched", megabytes(bytes)),
            Condition::Intact => "installed".to_owned(),
            Condition::Unchecked => {
                "changed since it was checked; run `askline model list --check`".to_owned()
            }
            Condition::Damaged(why) => format!("damaged ({why})"),
        }];
        state.extend((this == config.model).then(|| "in use".to_owned()));
        state.extend(is_second(entry, config).then(|| "second".to_owned()));
        state.extend((this == default).then(|| "default".to_owned()));
        let adapter = Adapter::of_model(&entry.sha256).filter(|_| config.adapter == AdapterChoice::On);
        state.extend(adapter.map(|adapter| format!("with adapter {}", adapter.name())));
        let size = megabytes(entry.size);
        rows.push([
            entry.name.clone(),
            size,
            megabytes(entry.memory),
            entry.licence.clone(),
            state.join(", "),
        ]);
    }
    progress.finish();
    let mut text = table(&rows);
    let _ =
        writeln!(text, "\nMEMORY is an estimate for the running model: the mapped file and working memory");
    if let Some(free) = memory::free(&app.host) {
        let _ = writeln!(text, "free memory: {}", megabytes(free));
        for entry in manifest.entries.iter().filter(|entry| free < entry.memory) {
            let (name, lacking) = (one_line(&entry.name), megabytes(entry.memory - free));
            let _ = writeln!(text, "{name} needs {lacking} more than is free; it may be slow or fail");
        }
    }
    text.push_str(&servers(config, &app.host));
    if let Some(file) = &config.model_file {
        let _ = writeln!(text, "\nASKLINE_MODEL_FILE is used instead: {}", one_line(&file.to_string_lossy()));
        if let Err(why) = install::check_own_file(file) {
            print(&text)?;
            return Err(why.into());
        }
    }
    print(&text)?;
    Ok(if damaged { Exit::None } else { Exit::Done })
}

/// Returns a table of the model profiles on servers with the state of their keys, and the order in which models are
/// asked; empty without profiles. No server is asked and no command is run.
fn servers(config: &Config, host: &dyn Host) -> String {
    let mut rows = vec![["PROFILE", "PROTOCOL", "MODEL", "SERVER", "KEY", "STATE"].map(str::to_owned)];
    let mut broken = String::new();
    for (name, profile) in &config.profiles {
        match profile {
            Ok(choice @ ModelChoice::Remote(remote)) => {
                let key = match keys::look(remote, host) {
                    Ok(Some(place)) => place,
                    Ok(None) => "none".to_owned(),
                    Err(why) => {
                        broken.push_str(&format!("{}\n", one_line(&why.to_string())));
                        "missing".to_owned()
                    }
                };
                let place = config.fallback.iter().position(|other| other == choice);
                rows.push([
                    name.clone(),
                    remote.protocol.name().to_owned(),
                    remote.name.clone(),
                    remote.url.host().to_owned(),
                    key,
                    match place {
                        _ if choice == &config.model => "in use".to_owned(),
                        _ if config.second.as_ref().is_some_and(|(second, _)| second == choice) => {
                            "second".to_owned()
                        }
                        Some(n) => format!("fallback {}", n + 1),
                        None => String::new(),
                    },
                ]);
            }
            Ok(_) => {}
            Err(why) => broken.push_str(&format!("{}\n", one_line(why))),
        }
    }
    let mut text = String::new();
    if 1 < rows.len() {
        text.push_str(&format!("\n{}", table(&rows)));
    }
    if let Some(order) = config.order() {
        text.push_str(&format!("\nmodels are asked in this order: {}\n", one_line(&order)));
    }
    if !broken.is_empty() {
        text.push_str(&format!("\n{broken}"));
    }
    text
}

fn pull(entry: &ModelEntry, config: &Config, app: &AppContext) -> anyhow::Result<Exit> {
    let progress = Arc::new(Mutex::new(Progress::new()));
    let show = |news: News<'_>| locked(&progress).show(news);
    stop_on_signals(&progress)?;
    let fetched = install::pull(entry, config.model_file.as_deref(), &app.host, &app.paths, &mut { show });
    locked(&progress).finish();
    print_message(&match fetched? {
        true => format!("{} is installed ({})", entry.name, megabytes(entry.size)),
        false => format!("{} is already installed and intact", entry.name),
    });
    if let Err(error) = prepare(entry, config, app) {
        tracing::debug!("not prepared: {error:#}");
        print_message("the model could not be prepared; the first key press tries again");
    }
    if config.model != ModelChoice::Local(entry.name.clone()) && !is_second(entry, config) {
        print_message(&to_use(entry));
    }
    Ok(Exit::Done)
}

/// Returns how to use a model that was fetched.
fn to_use(entry: &ModelEntry) -> String {
    let name = &entry.name;
    format!("to use it: askline model use {name} (with --second: only where the one in use is unsure)")
}

fn is_second(entry: &ModelEntry, config: &Config) -> bool {
    config.second.as_ref().is_some_and(|(second, _)| *second == ModelChoice::Local(entry.name.clone()))
}

/// Adds a model from elsewhere.
fn add(origin: &Origin, stated: &Stated, app: &AppContext) -> anyhow::Result<Exit> {
    let progress = Arc::new(Mutex::new(Progress::new()));
    let show = |news: News<'_>| locked(&progress).show(news);
    stop_on_signals(&progress)?;
    let added = added::add(origin, stated, &app.host, &app.paths, &mut { show });
    locked(&progress).finish();
    let entry = added?;
    let form = if entry.chat { "chat" } else { "solved" };
    print_message(&format!("{} is installed ({}); its prompts: {form}", entry.name, megabytes(entry.size)));
    print_message(&format!("SHA-256 {}; it is kept: compare it with the publisher's", entry.sha256));
    print_message(&to_use(&entry));
    Ok(Exit::Done)
}

/// Returns what the options say about a model from elsewhere.
fn stated(form: Option<PromptForm>, sha256: Option<&str>) -> Result<Stated, UsageError> {
    let sha256 = sha256.map(str::to_lowercase);
    if sha256
        .as_ref()
        .is_some_and(|hash| hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    {
        return Err(UsageError("--sha256 takes 64 hexadecimal digits".to_owned()));
    }
    let form = form.map(|form| match form {
        PromptForm::Solved => Form::Completion,
        PromptForm::Chat => Form::Chat,
    });
    Ok(Stated { sha256, form })
}

/// Does the one-time work per model and shell, for the login shell and every other shell on `PATH`, to make the first key
/// press as fast as the next one. After Ctrl-C the first press does the rest.
fn prepare(entry: &ModelEntry, config: &Config, app: &AppContext) -> anyhow::Result<()> {
    // Messages have no fixed part that is worth preparing.
    if entry.chat || cfg!(not(feature = "local-model")) {
        return Ok(());
    }
    let shells = shells(app);
    let names: Vec<_> = shells.iter().map(|shell| shell.name()).collect();
    print_message(&format!("preparing it for {} (once; half a minute on a slow machine)", names.join(", ")));
    let (model, fallback) = (ModelChoice::Local(entry.name.clone()), Vec::new());
    let config = Config { model, fallback, ..config.clone() };
    let mut model = models::open(&config, &app.host, &app.paths, Purpose::Batch)?;
    let control = RequestControl::endless();
    let parts_of = |shell| prompt::worth_preparing(shell, &app.system(shell));
    let mut parts: Vec<String> = shells.into_iter().flat_map(parts_of).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.iter().try_for_each(|part| model.prepare(part, &control))
}

/// Returns the login shell and the others on `PATH`.
fn shells(app: &AppContext) -> Vec<Shell> {
    let login = app.login_shell();
    let environment = environment::gather(&app.machine, login, &ShellFacts::default());
    let is_here = |shell: &Shell| *shell != login && environment.commands.contains(shell.name());
    std::iter::once(login).chain(Shell::ALL.into_iter().filter(is_here)).collect()
}

fn path_in_use(config: &Config, app: &AppContext) -> anyhow::Result<Exit> {
    let file = match &config.model {
        ModelChoice::Local(name) => {
            install::installed(name, config.model_file.as_deref(), &app.host, &app.paths)?.path
        }
        ModelChoice::Scripted(file) => file.clone(),
        ModelChoice::Remote(remote) => {
            let text = format!("the model in use is on {} and has no local file", remote.url.host());
            return Err(Failure::NoModel(text).into());
        }
    };
    print_path(&file).map(|()| Exit::Done)
}

fn remove(
    entry: &ModelEntry,
    config: &Config,
    manifest: &Manifest,
    app: &AppContext,
) -> anyhow::Result<Exit> {
    let name = &entry.name;
    match install::remove(entry, &app.paths)? {
        0 => print_message(&format!("{name} is not installed")),
        freed => print_message(&format!("{name} is removed; {} freed", megabytes(freed))),
    }
    if is_second(entry, config) {
        print_message("it was the second model; to ask none: askline model use none --second");
    }
    if config.model == ModelChoice::Local(name.clone()) && config.model_file.is_none() {
        let is_there = |other: &&ModelEntry| install::condition(other, &app.paths) == Condition::Intact;
        print_message(&match manifest.entries.iter().find(is_there) {
            Some(other) => {
                format!("it was the model in use; to use another: askline model use {}", other.name)
            }
            None => "it was the model in use, and no other is installed; run `askline model pull`".to_owned(),
        });
    }
    Ok(Exit::Done)
}

/// Makes a model the one in use.
fn make_used(entry: &ModelEntry, app: &AppContext) -> anyhow::Result<Exit> {
    let was_second = is_second(entry, &app.config()?);
    let (file, in_force) = change_config(app, |text| with_local_model(text, &entry.name, entry.chat))?;
    print_message(&format!("{} is now the model in use ({})", entry.name, file.display()));
    if was_second {
        print_message("it was the second model; no second one is asked any more");
    }
    if in_force.model != ModelChoice::Local(entry.name.clone()) {
        print_message(&format!(
            "but the environment or [roles] names {}; unset ASKLINE_MODEL and ASKLINE_PROFILE, remove `draft`",
            in_force.model
        ));
    }
    if let Err(why) = install::installed_as(entry, &app.paths) {
        print_message(&format!("but {why}"));
    }
    if let Some(file) = in_force.model_file {
        print_message(&format!("but ASKLINE_MODEL_FILE names {}; unset it", file.display()));
    }
    Ok(Exit::Done)
}

/// Makes a model the second one, or takes the second one out of use.
fn make_second(entry: Option<&ModelEntry>, app: &AppContext) -> anyhow::Result<Exit> {
    let in_use = app.config()?.model;
    if let Some(entry) = entry.filter(|entry| in_use == ModelChoice::Local(entry.name.clone())) {
        let why = format!("{} is the model in use, so it can't be the second; name another", entry.name);
        return Err(UsageError(why).into());
    }
    let (file, in_force) = change_config(app, |text| with_second_model(text, entry))?;
    let Some(entry) = entry else {
        print_message(&format!("no second model is asked any more ({})", file.display()));
        return Ok(Exit::Done);
    };
    let name = &entry.name;
    let first = match &in_use {
        ModelChoice::Local(first) => first.clone(),
        other => other.to_string(),
    };
    print_message(&format!("{name} is now asked as well where {first} is unsure ({})", file.display()));
    if in_force.second.is_none_or(|(second, _)| second != ModelChoice::Local(name.clone())) {
        print_message(
            "but the environment names a model, which is asked alone; unset ASKLINE_MODEL and ASKLINE_MODEL_FILE",
        );
    }
    if let Err(why) = install::installed_as(entry, &app.paths) {
        print_message(&format!("but {why}"));
    }
    Ok(Exit::Done)
}

/// Changes the user's `config.toml`; everything else in it stays unchanged, comments included. Returns its path and the
/// configuration that is in force then.
fn change_config(
    app: &AppContext,
    change: impl FnOnce(&str) -> Result<String, String>,
) -> anyhow::Result<(PathBuf, Config)> {
    let file = &app.paths.config_file;
    // If the file is a link, the target is written and the link stays.
    let file = app.host.real_path(file).unwrap_or_else(|_| file.clone());
    let text = match app.host.entry(&file) {
        Some(_) => config_text(&app.host, &file)?,
        None => String::new(),
    };
    let changed =
        change(&text).map_err(|why| UsageError(format!("{}: {why}; correct it first", file.display())))?;
    // A change that would make the file unreadable is not written.
    let in_force = Config::merge(Some((&file, &changed)), &|name| variable(&app.host, name))?;
    if changed != text {
        store::write(&file, changed.as_bytes())?;
    }
    Ok((file, in_force))
}

/// Returns the configuration's text with the local profile and this model selected, and its form of prompts.
fn with_local_model(text: &str, name: &str, chat: bool) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    set_profile(&mut document, "local", name, chat)?;
    if document.contains_key("profile") {
        set(document.as_table_mut(), "profile", "local");
    }
    Ok(document.to_string())
}

/// Returns the configuration's text with this model as the second one, or without a second one.
fn with_second_model(text: &str, entry: Option<&ModelEntry>) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    if let Some(entry) = entry {
        let protocol = |item: &Item| Some(item.get("protocol")?.as_str()?.to_owned());
        let known =
            document.get("profiles").and_then(|profiles| profiles.get(SECOND_PROFILE)).and_then(protocol);
        if known.is_some_and(|protocol| protocol != "local") {
            return Err(format!("`profiles.{SECOND_PROFILE}` is not a local model"));
        }
        set_profile(&mut document, SECOND_PROFILE, &entry.name, entry.chat)?;
        let roles = document.entry("roles").or_insert_with(toml_edit::table);
        let roles = roles.as_table_like_mut().ok_or("`roles` is not a table")?;
        set(roles, "second", SECOND_PROFILE);
    } else if let Some(roles) = document.get_mut("roles").and_then(Item::as_table_like_mut) {
        roles.remove("second");
    }
    Ok(document.to_string())
}

/// Sets the profile of a local model.
fn set_profile(document: &mut DocumentMut, profile: &str, name: &str, chat: bool) -> Result<(), String> {
    // Tables with only tables inside need no header line.
    let implicit = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let profiles = document.entry("profiles").or_insert_with(implicit);
    let profiles = profiles.as_table_like_mut().ok_or("`profiles` is not a table")?;
    let own = profiles.entry(profile).or_insert_with(toml_edit::table);
    let own = own.as_table_like_mut().ok_or_else(|| format!("`profiles.{profile}` is not a table"))?;
    set(own, "protocol", "local");
    set(own, "name", name);
    if chat || own.contains_key("prompt") {
        set(own, "prompt", if chat { "chat" } else { "solved" });
    }
    Ok(())
}

/// Sets a key to a word, and keeps a comment after the old value.
fn set(table: &mut dyn toml_edit::TableLike, key: &str, word: &str) {
    if let Some(old) = table.get_mut(key).and_then(Item::as_value_mut) {
        let decor = old.decor().clone();
        *old = word.into();
        *old.decor_mut() = decor;
    } else {
        table.insert(key, value(word));
    }
}

/// Returns rows with aligned columns; the last column is ragged. Text from a manifest is untrusted and made safe to
/// show.
pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|cell| one_line(cell))).collect();
    let widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Ends the program at Ctrl-C and similar signals, with a hint how to continue; all fetched data is on the disk by
/// then.
fn stop_on_signals(progress: &Arc<Mutex<Progress>>) -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let progress = Arc::clone(progress);
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // pip has its own process group, so the terminal's Ctrl-C did not reach it.
            local::end_probes();
            locked(&progress).finish();
            print_message("stopped; run the same command to resume");
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

fn locked(progress: &Mutex<Progress>) -> std::sync::MutexGuard<'_, Progress> {
    // A progress bar is valid even if a thread panicked while it held the lock.
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows the progress of long work: a bar on a terminal, otherwise a line now and then.
struct Progress {
    bar: Option<ProgressBar>,
    terminal: bool,
    what: String,
    total: u64,
    done: u64,
    reported: u64,
}

impl Progress {
    fn new() -> Self {
        let terminal = io::stderr().is_terminal();
        Self { bar: None, terminal, what: String::new(), total: 0, done: 0, reported: 0 }
    }

    fn show(&mut self, news: News<'_>) {
        match news {
            News::Begin { what, total, done } => {
                self.finish();
                what.clone_into(&mut self.what);
                (self.total, self.done, self.reported) = (total, done, percent_of(done, total));
                if self.terminal {
                    self.bar = Some(bar(what, total, done));
                } else {
                    print_message(&format!("{what} {}", megabytes(total.saturating_sub(done))));
                }
            }
            News::Advance(bytes) => {
                self.done += bytes;
                let percent = percent_of(self.done, self.total);
                match &self.bar {
                    Some(bar) => bar.set_position(self.done),
                    None if self.reported + PLAIN_STEP <= percent => {
                        self.reported = percent;
                        print_message(&format!("{} {percent} % of {}", self.what, megabytes(self.total)));
                    }
                    None => {}
                }
            }
            News::Step(step) => match &self.bar {
                Some(bar) => bar.set_message(visible(&format!("{}, {step}", self.what))),
                None => print_message(&format!("{}, {step}", self.what)),
            },
            News::Say(line) => match &self.bar {
                Some(bar) => bar.suspend(|| print_message(line)),
                None => print_message(line),
            },
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn percent_of(done: u64, total: u64) -> u64 {
    u64::try_from(u128::from(done) * 100 / u128::from(total.max(1))).unwrap_or(u64::MAX)
}

fn bar(what: &str, total: u64, done: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let template =
        "{msg} {wide_bar:.dim} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar.set_position(done);
    // Speed and remaining time count from here, without the data of earlier fetches.
    bar.reset_eta();
    bar.enable_steady_tick(TICK);
    bar
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn choosing_a_model_keeps_what_people_wrote() {
        expect![[r#"
            [profiles.local]
            protocol = "local"
            name = "m"
        "#]]
        .assert_eq(&with_local_model("", "m", false).unwrap());
        let text = "# mine\nprofile = \"team\" # for now\n\n[profiles.team]\nprotocol = \"openai\"\n\n# small\n\
                    [profiles.local]\nname = 'old' # fast\n";
        expect![[r##"
            # mine
            profile = "local" # for now

            [profiles.team]
            protocol = "openai"

            # small
            [profiles.local]
            name = "m" # fast
            protocol = "local"
        "##]]
        .assert_eq(&with_local_model(text, "m", false).unwrap());
        expect![[r#"
            profiles = { local = { name = "m" , protocol = "local" } }
        "#]]
        .assert_eq(&with_local_model("profiles = { local = { name = \"old\" } }\n", "m", false).unwrap());
        let chat = with_local_model("", "m", true).unwrap();
        assert!(chat.ends_with("prompt = \"chat\"\n"), "{chat}");
        let back = with_local_model(&chat, "n", false).unwrap();
        assert!(back.ends_with("name = \"n\"\nprompt = \"solved\"\n"), "{back}");
        for wrong in ["profiles = 1", "[profiles]\nlocal = 2", "a = = b"] {
            assert!(with_local_model(wrong, "m", false).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_cell_can_neither_steer_the_terminal_nor_start_a_line() {
        let rows = [["m".to_owned(), "MIT\u{1b}]0;x\u{7}\nfree".to_owned()]];
        assert_eq!(table(&rows), "m  MIT\\u{1b}]0;x\\u{7} free\n");
    }

    #[test]
    fn percentages_survive_any_size() {
        assert_eq!(percent_of(u64::MAX, u64::MAX), 100);
        assert_eq!(percent_of(5, 0), 500);
        assert_eq!(percent_of(1, 3), 33);
    }
}
