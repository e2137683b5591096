//! A profile's model on a server: its key is fetched and the server asked when there is something to ask.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

use zeroize::Zeroizing;

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
    /// Secrets taken out of one request in all its rounds, which are put back into the answers.
    kept: Kept,
    /// That request.
    request: Option<Zeroizing<String>>,
    limits: Limits,
    /// Tells what earlier presses of today took.
    book: Book,
}

impl<H: Host> Served<H> {
    pub(super) fn new(profile: config::Remote, form: Form, host: H, limits: Limits, book: Book) -> Self {
        Self { profile, form, host, open: None, kept: Kept::new(), request: None, limits, book }
    }

    /// How much may be asked now. It is looked up anew each time, for other shells ask too.
    ///
    /// # Errors
    /// When today's use can't be told though it is bounded: a bound that doesn't hold would be worse than none.
    fn allowance(&self) -> Result<Allowance, Failure> {
        let today = match self.limits.count_days() {
            false => Ok(Tally::default()),
            true => self.book.servers_today(SystemTime::now()),
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
                let env = |name: &str| Some(self.host.env(name)?.to_string_lossy().into_owned());
                Remote::open_in(spec(&self.profile, key), &env).map_err(|error| {
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

/// The prompt as a server gets it: without the secrets in what a person wrote, in what a model answered, where we put them
/// back, and in what was read on the machine; the rest of it is ours.
fn told(prompt: &Prompt, form: Form, kept: &mut Kept) -> Result<Prompt, Failure> {
    prompt.told(form, Audience::Server, &mut |text| REDACTOR.redact(text, kept))
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

    fn audience(&self) -> Audience {
        Audience::Server
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        let limited = patience.within(Instant::now() + self.profile.deadline);
        // What a server may not be told needs no key, and a key is known before anything is taken out.
        told(prompt, self.form, &mut Kept::new())?;
        let allowance = self.allowance()?;
        self.open()?;
        let request = prompt.source.as_ref().map(|source| source.request());
        if self.request.as_ref().map(|request| request.as_str()) != request {
            // What one row of many holds is nothing to the next.
            self.kept.begin_anew();
            self.request = request.map(|request| Zeroizing::new(request.to_owned()));
        }
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{Config, ModelChoice};
    use crate::prompt::{Solved, draft};
    use crate::shell::Shell;

    const PROFILE: &str = "profile = \"team\"\n[profiles.team]\nprotocol = \"openai\"\nurl = \"https://h.example\"\nname = \"m\"\n";

    /// In the text and in the turns, whatever came back from a model or from the press before.
    #[test]
    fn no_step_of_a_prompt_brings_a_secret_back() {
        let config = Config::merge(Some((Path::new("config.toml"), PROFILE)), &|_| None).unwrap();
        let ModelChoice::Remote(profile) = config.model else { panic!("a server") };
        let with = |request: &str| draft(Form::Completion, request, Shell::Bash, "Linux");
        let asked = with("list it with VAULT_PASSWORD=geheim");
        let before = Solved {
            request: "list it with VAULT_PASSWORD=geheim".to_owned(),
            command: "ls --geheim xgeheimx".to_owned(),
        };
        let known = ["ls -pgeheim".to_owned(), "curl https://x/geheim/y".to_owned()];
        for prompt in [
            asked.again("ls --nosuchflagzz geheim", "no option geheim"),
            asked.otherwise(&known),
            with("by size").after(&before),
            with("by size").after(&before).again("ls -Sgeheim", "no").otherwise(&known),
        ] {
            for form in [Form::Completion, Form::Chat] {
                let body = body(&profile, form, &prompt, 99).unwrap();
                assert!(!body.contains("geheim") && body.contains("SECRET_1_PLACEHOLDER"), "{body}");
            }
        }
    }
}
