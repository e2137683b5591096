//! A profile's model on a server: its key is fetched and the server asked when there is something to ask.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

use crate::account::{Limits, Tally};
use crate::config::{self, Audience, Form, Protocol};
use crate::failure::Failure;
use crate::host::Host;
use crate::keys;
use crate::metrics::Book;
use crate::model::remote::{self, Allowance, Key, Remote, Spec};
use crate::model::{Model, Reply};
use crate::patience::Patience;
use crate::prompt::Prompt;
use crate::redact::{Kept, Redactor};

/// Takes secrets out of what leaves this machine.
static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::new);

/// The model of a profile, opened when it is first asked.
pub(super) struct Served<H> {
    profile: config::Remote,
    form: Form,
    host: H,
    open: Option<Remote>,
    /// Secrets taken out of the person's words, which are put back into the answers.
    kept: Kept,
    limits: Limits,
    /// Tells what earlier presses of today took.
    book: Book,
}

impl<H: Host> Served<H> {
    pub(super) fn new(profile: config::Remote, form: Form, host: H, limits: Limits, book: Book) -> Self {
        Self { profile, form, host, open: None, kept: Kept::new(), limits, book }
    }

    /// How much may be asked now. It is looked up anew each time, for other shells ask too.
    ///
    /// # Errors
    /// When today's use can't be told though it is bounded: a bound that doesn't hold would be worse than none.
    fn allowance(&self) -> Result<Allowance, Failure> {
        let today = match self.limits.count_days() {
            false => Ok(Tally::default()),
            true => self.book.read().map(|counts| counts.today(SystemTime::now()).servers()),
        };
        let told = |error| Failure::Unavailable(format!("today's use of servers can't be told: {error:#}"));
        Ok(Allowance { limits: self.limits, today: today.map_err(told)?, prices: self.profile.prices })
    }

    fn open(&mut self) -> Result<&mut Remote, Failure> {
        let opened = match self.open.take() {
            Some(opened) => opened,
            None => {
                let key = keys::read(&self.profile, &self.host)?;
                if let Some(key) = &key {
                    self.kept.know(key.secret());
                }
                Remote::open(spec(&self.profile, key)).map_err(|error| {
                    Failure::NoModel(format!("profile `{}`: {error:#}", self.profile.profile))
                })?
            }
        };
        Ok(self.open.insert(opened))
    }
}

/// The body of the first request for a prompt, as it would be sent. The key is no part of it, and is not read.
pub(super) fn body(
    profile: &config::Remote,
    form: Form,
    prompt: &Prompt,
    max_tokens: usize,
) -> anyhow::Result<String> {
    let server = Remote::open(spec(profile, None))?;
    let prompt = told(prompt, form, &mut Kept::new())?;
    server.body(&prompt, server.fits(&prompt, max_tokens), max_tokens)
}

/// The prompt as a server gets it: without the secrets in what a person wrote and in what was read on the machine; the
/// rest of it is ours.
fn told(prompt: &Prompt, form: Form, kept: &mut Kept) -> Result<Prompt, Failure> {
    // Facts twice: first as they were read, and once more with the words around them.
    let prompt = prompt.told(form, Audience::Server, &mut |text| REDACTOR.redact(text, kept))?;
    Ok(Prompt { fresh: REDACTOR.redact(&prompt.fresh, kept), ..prompt })
}

/// The server as it is asked.
fn spec(profile: &config::Remote, key: Option<Key>) -> Spec {
    Spec {
        protocol: match profile.protocol {
            Protocol::OpenAi => remote::Protocol::OpenAi,
            Protocol::Anthropic => remote::Protocol::Anthropic,
            Protocol::Ollama => remote::Protocol::Ollama,
        },
        url: profile.url.as_str().to_owned(),
        model: profile.name.clone(),
        key,
        ca_file: profile.ca_file.clone(),
        first_byte: profile.first_byte,
        source: profile.url.host().to_owned(),
    }
}

impl<H: Host> Model for Served<H> {
    fn source(&self) -> String {
        self.profile.url.host().to_owned()
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        let limited = patience.within(Instant::now() + self.profile.deadline);
        // What a server may not be told needs no key, and a key is known before anything is taken out.
        told(prompt, self.form, &mut Kept::new())?;
        let allowance = self.allowance()?;
        self.open()?;
        let prompt = told(prompt, self.form, &mut self.kept)?;
        patience.ask(self.profile.url.host());
        let server = self.open()?;
        server.allow(allowance);
        let reply = server.complete(&prompt, max_tokens, &limited);
        match reply.map(|reply| Reply { text: REDACTOR.restore(&reply.text, &self.kept), ..reply }) {
            // The person waits on; only this profile's own time is over.
            Err(error)
                if error.downcast_ref() == Some(&Failure::TimedOut)
                    && patience.spent(Instant::now()).is_none() =>
            {
                let Self { profile, .. } = self;
                Err(Failure::Unavailable(format!(
                    "{} had no whole answer after {} ms; try again, or raise `deadline_ms` in [profiles.{}]",
                    profile.url.host(),
                    profile.deadline.as_millis(),
                    profile.profile
                ))
                .into())
            }
            reply => reply,
        }
    }
}
