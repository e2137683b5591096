//! A profile's model on a server: its key is fetched and the server asked when there is something to ask.

use std::time::Instant;

use crate::config::{self, Protocol};
use crate::failure::Failure;
use crate::host::Host;
use crate::keys;
use crate::model::remote::{self, Key, Remote, Spec};
use crate::model::{Model, Reply};
use crate::patience::Patience;
use crate::prompt::Prompt;

/// The model of a profile, opened when it is first asked.
pub(super) struct Served<H> {
    profile: config::Remote,
    host: H,
    open: Option<Remote>,
}

impl<H: Host> Served<H> {
    pub(super) fn new(profile: config::Remote, host: H) -> Self {
        Self { profile, host, open: None }
    }

    fn open(&mut self) -> Result<&mut Remote, Failure> {
        let opened = match self.open.take() {
            Some(opened) => opened,
            None => {
                let key = keys::read(&self.profile, &self.host)?;
                Remote::open(spec(&self.profile, key)).map_err(|error| {
                    Failure::NoModel(format!("profile `{}`: {error:#}", self.profile.profile))
                })?
            }
        };
        Ok(self.open.insert(opened))
    }
}

/// The body of the first request for a prompt, as it would be sent. The key is no part of it, and is not read.
pub(super) fn body(profile: &config::Remote, prompt: &Prompt, max_tokens: usize) -> anyhow::Result<String> {
    let server = Remote::open(spec(profile, None))?;
    server.body(prompt, server.fits(prompt, max_tokens), max_tokens)
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
        let reply = self.open()?.complete(prompt, max_tokens, &limited);
        match reply {
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
