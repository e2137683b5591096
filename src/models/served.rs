//! Model of a server profile: reads its key and connects at the first request.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

use zeroize::Zeroizing;

use crate::keys;
use crate::metrics::UsageStore;
use askline_host::Host;
use askline_model::failure::Failure;
use askline_model::prompt::Form;
use askline_model::prompt::Prompt;
use askline_model::prompt::disclosure::Audience;
use askline_model::remote::{Allowance, ApiKey, Remote, ServerSpec};
use askline_model::request_control::RequestControl;
use askline_model::server;
use askline_model::usage::{Limits, Tally};
use askline_model::{Model, Reply};
use askline_redact::{Kept, Redactor};

/// Redactor of secrets in prompts for servers.
static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::new);

/// Model of a profile, opened at the first request.
pub(super) struct Served<H> {
    profile: server::ServerProfile,
    form: Form,
    host: H,
    open: Option<Remote>,
    /// Secrets redacted from one request in all its rounds; restored in the answers.
    kept: Kept,
    /// Request to which `kept` belongs.
    request: Option<Zeroizing<String>>,
    limits: Limits,
    /// Statistics with the usage of earlier key presses of today.
    usage_store: UsageStore,
}

impl<H: Host> Served<H> {
    pub(super) fn new(
        profile: server::ServerProfile,
        form: Form,
        host: H,
        limits: Limits,
        usage_store: UsageStore,
    ) -> Self {
        Self { profile, form, host, open: None, kept: Kept::new(), request: None, limits, usage_store }
    }

    /// Returns the current limits, usage and prices. Usage is read anew each time, because other shells make
    /// requests too.
    ///
    /// # Errors
    ///
    /// If today's usage is unknown although it is limited: a limit that is silently not enforced would be worse
    /// than none.
    fn allowance(&self) -> Result<Allowance, Failure> {
        let today = match self.limits.count_days() {
            false => Ok(Tally::default()),
            true => self.usage_store.servers_today(SystemTime::now()),
        };
        let told = |error| Failure::Unavailable(format!("can't read today's use of servers: {error:#}"));
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

/// Returns the body of the first request for a prompt, as it would be sent. It does not contain the key, which
/// is not read.
pub(super) fn body(
    profile: &server::ServerProfile,
    form: Form,
    prompt: &Prompt,
    max_tokens: usize,
) -> anyhow::Result<String> {
    let server = Remote::open(spec(profile, None))?;
    let prompt = render(prompt, form, &mut Kept::new())?;
    server.body(&prompt, server.fits(&prompt, max_tokens), max_tokens)
}

/// Returns the prompt for a server, with secrets redacted from all text that is not askline's own: the user's,
/// the model's (where secrets were restored) and facts of the machine.
fn render(prompt: &Prompt, form: Form, kept: &mut Kept) -> Result<Prompt, Failure> {
    prompt.render_for(form, Audience::Server, &mut |text| REDACTOR.redact(text, kept))
}

/// Returns the server's settings for the client.
fn spec(profile: &server::ServerProfile, key: Option<ApiKey>) -> ServerSpec {
    ServerSpec {
        protocol: profile.protocol,
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

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        let limited = control.within(Instant::now() + self.profile.deadline);
        // This checks first whether the server may get the subject of the request, because a refusal needs no
        // key; real redaction needs the key first.
        render(prompt, self.form, &mut Kept::new())?;
        let allowance = self.allowance()?;
        self.open()?;
        let request = prompt.source.as_ref().map(|source| source.request());
        if self.request.as_ref().map(|request| request.as_str()) != request {
            // Secrets of one request in a batch do not concern the next one.
            self.kept.begin_anew();
            self.request = request.map(|request| Zeroizing::new(request.to_owned()));
        }
        let prompt = render(prompt, self.form, &mut self.kept)?;
        control.ask(self.profile.url.host());
        let server = self.open()?;
        server.allow(allowance);
        let reply = server.complete(&prompt, max_tokens, &limited);
        let restored = |reply: Reply| {
            let mut restore = |text: &str| REDACTOR.restore(text, &self.kept);
            let calls = reply.calls.iter().map(|call| call.changed(&mut restore)).collect();
            Reply { text: restore(&reply.text), calls, ..reply }
        };
        match reply.map(restored) {
            // Only the profile's own deadline has passed; the key press may continue.
            Err(error)
                if error.downcast_ref() == Some(&Failure::TimedOut)
                    && control.spent(Instant::now()).is_none() =>
            {
                let Self { profile, .. } = self;
                Err(Failure::Unavailable(format!(
                    "{} gave no complete answer within {} ms; try again or raise `deadline_ms` in [profiles.{}]",
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
    use askline_model::prompt::{Solved, draft};
    use askline_syntax::shell::Shell;

    const PROFILE: &str = "profile = \"team\"\n[profiles.team]\nprotocol = \"openai\"\nurl = \"https://h.example\"\nname = \"m\"\n";

    /// Neither the text nor the turns contain the secret, whether it came back from a model or from the
    /// previous key press.
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
