//! Resolution of profiles to models: the model to ask, its fallbacks, and the model of each profile.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::file::{PROFILE_KEYS, ROLES, Settings, Value, nearest};
use super::server;
use super::{ModelChoice, Origin};
use askline_agent::aide::Aide;
use askline_host::KeyCommand;
use askline_model::prompt::Form;
use askline_model::server::{Address, KeySource, Protocol, ServerProfile};
use askline_model::usage::Prices;

/// Keys that profiles of models on this machine may have; the others are for servers.
const OWN_KEYS: [&str; 4] = ["protocol", "name", "prompt", "file"];

/// Models chosen by the settings.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) model: ModelChoice,
    pub(super) fallback: Vec<ModelChoice>,
    pub(super) profiles: BTreeMap<String, Result<ModelChoice, String>>,
    pub(super) form: Form,
    pub(super) fallback_forms: Vec<Form>,
    pub(super) second: Option<(ModelChoice, Form)>,
    pub(super) aides: BTreeMap<Aide, (ModelChoice, Form)>,
}

impl Settings {
    /// Returns the models to ask. `named` is the value of `ASKLINE_MODEL`; a model named there has no fallback.
    pub(super) fn choose(&self, named: Option<&str>) -> Result<Chosen, Vec<String>> {
        let names: Vec<&str> = self.profile_names();
        let profiles: BTreeMap<String, _> =
            names.iter().map(|&name| (name.to_owned(), self.profile(name))).collect();
        let mut faults: Vec<String> = names.iter().filter_map(|name| self.misuse(name)).collect();
        let (used, origin) = self.used();
        let model = match named {
            Some(value) => model_of_variable(value).map_err(|fault| format!("ASKLINE_MODEL: {fault}")),
            None => self.resolve(used, origin, &profiles),
        };
        for role in ROLES {
            if let Some((name, origin)) = self.text(&["roles", role])
                && (role, name) != ("draft", used)
            {
                faults.extend(self.resolve(name, origin, &profiles).err());
            }
        }
        let following = self.fallback(used, &profiles, &mut faults);
        let (fallback, fallback_forms) =
            if named.is_some() { Default::default() } else { following.into_iter().unzip() };
        match model {
            Ok(model) if faults.is_empty() => {
                let aides = self.aides(&profiles);
                let second = self.second(&profiles).filter(|(second, _)| named.is_none() && *second != model);
                let form = self.form_of(used);
                Ok(Chosen { model, fallback, fallback_forms, second, profiles, form, aides })
            }
            model => {
                faults.extend(model.err());
                // The same fault may be found in several ways.
                faults.sort();
                faults.dedup();
                Err(faults)
            }
        }
    }

    fn profile_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .values
            .keys()
            .filter_map(|key| match key.as_slice() {
                [table, name, _] if table == "profiles" => Some(name.as_str()),
                _ => None,
            })
            .collect();
        names.dedup();
        names
    }

    /// Returns the profile for drafting: from the variable, else from `[roles]`, else `profile`.
    fn used(&self) -> (&str, &Origin) {
        let general = self.text(&["profile"]).unwrap_or(("local", &Origin::Default));
        match self.text(&["roles", "draft"]) {
            Some(draft) if !matches!(general.1, Origin::Env(_)) => draft,
            _ => general,
        }
    }

    /// Returns the model of the profile that is named at `origin`.
    fn resolve(
        &self,
        name: &str,
        origin: &Origin,
        profiles: &BTreeMap<String, Result<ModelChoice, String>>,
    ) -> Result<ModelChoice, String> {
        profiles.get(name).cloned().unwrap_or_else(|| {
            let hint = nearest(name, &mut profiles.keys().map(String::as_str)).map_or_else(
                || format!("add a table [profiles.{name}]"),
                |name| format!("did you mean `{name}`?"),
            );
            Err(format!("{origin}: there is no profile `{name}`; {hint}"))
        })
    }

    /// Returns the models that follow the profile `used`, with their prompt formats: those after it in `order`,
    /// or all of `order` if `used` is not in it. A local profile that is not in `order` is followed only by
    /// local models: a request leaves this machine only by an explicit order.
    fn fallback(
        &self,
        used: &str,
        profiles: &BTreeMap<String, Result<ModelChoice, String>>,
        faults: &mut Vec<String>,
    ) -> Vec<(ModelChoice, Form)> {
        let Some((Value::Names(order), origin)) = self.get(&["fallback", "order"]) else { return Vec::new() };
        let begins_remote = matches!(profiles.get(used), Some(Ok(model)) if model.is_remote());
        let place = order.iter().position(|name| name == used);
        let mut following = Vec::new();
        for (n, name) in order.iter().enumerate() {
            match self.resolve(name, origin, profiles) {
                Err(fault) => faults.push(fault),
                Ok(_) if place.is_some_and(|place| n <= place) => {}
                Ok(model) if place.is_none() && !begins_remote && model.is_remote() => {}
                Ok(model) => following.push((model, self.form_of(name))),
            }
        }
        following
    }

    /// Returns the model of a profile, or the fault.
    fn profile(&self, profile: &str) -> Result<ModelChoice, String> {
        let setting = |key| self.text(&["profiles", profile, key]);
        let needed = |key| {
            setting(key)
                .map(|(text, _)| text)
                .ok_or_else(|| format!("profile `{profile}` has no `{key}`; add it to [profiles.{profile}]"))
        };
        let number =
            |key, default| Duration::from_millis(self.number(&["profiles", profile, key]).unwrap_or(default));
        let path = |key| setting(key).map(|(path, _)| PathBuf::from(path));
        let protocol = needed("protocol")?;
        let Some(protocol) = Protocol::of_name(protocol) else {
            return Ok(match protocol {
                "scripted" => ModelChoice::Scripted(needed("file")?.into()),
                _ => ModelChoice::Local(needed("name")?.to_owned()),
            });
        };
        let url =
            Address::parse(needed("url")?).map_err(|fault| format!("profile `{profile}`: `url` {fault}"))?;
        let command = match setting("key_cmd") {
            // Only a file can set `key_cmd`; the defaults do not.
            Some((text, Origin::File(file, _))) => {
                let command = KeyCommand::parse(text, file);
                Some(command.map_err(|fault| format!("profile `{profile}`: `key_cmd` {fault}"))?)
            }
            _ => None,
        };
        let key = KeySource {
            env: setting("key_env").map(|(name, _)| name.to_owned()),
            command,
            file: path("key_file"),
        };
        Ok(ModelChoice::Remote(Box::new(ServerProfile {
            profile: profile.to_owned(),
            protocol,
            url,
            name: needed("name")?.to_owned(),
            key,
            ca_file: path("ca_file"),
            first_byte: number("first_byte_ms", server::FIRST_BYTE_MS),
            deadline: number("deadline_ms", server::DEADLINE_MS),
            prices: self.prices(profile)?,
        })))
    }

    /// Returns the token prices of a profile, or the fault if only one of the two required prices is set.
    fn prices(&self, profile: &str) -> Result<Option<Prices>, String> {
        let price = |key| self.number(&["profiles", profile, key]);
        match (price("price_in"), price("price_out"), price("price_cached")) {
            (None, None, None) => Ok(None),
            (Some(prompt), Some(completion), cached) => {
                Ok(Some(Prices { prompt, cached: cached.unwrap_or(prompt), completion }))
            }
            (price, _, _) => {
                let lacking = if price.is_none() { "price_in" } else { "price_out" };
                Err(format!(
                    "profile `{profile}` has a price and no `{lacking}`; add it to [profiles.{profile}] (0 if it costs nothing)"
                ))
            }
        }
    }

    /// Returns the fault if a profile has a dangerous or useless setting, whether the profile is used or not.
    fn misuse(&self, profile: &str) -> Option<String> {
        let protocol = self.text(&["profiles", profile, "protocol"])?.0;
        let own = |key: &&str| {
            let (_, origin) = self.get(&["profiles", profile, key])?;
            matches!(origin, Origin::File(..)).then_some(origin)
        };
        if Protocol::of_name(protocol).is_none() {
            let mut keys = PROFILE_KEYS.iter().filter(|key| !OWN_KEYS.contains(key));
            let (key, origin) = keys.find_map(|key| Some((key, own(key)?)))?;
            return Some(format!(
                "{origin}: `{key}` is for a server, and profile `{profile}` has the protocol `{protocol}`; remove it"
            ));
        }
        let (url, origin) = self.text(&["profiles", profile, "url"])?;
        let has_key = PROFILE_KEYS.iter().filter(|key| key.starts_with("key_")).any(|key| own(key).is_some());
        // The query of a URL may be a key as well.
        let is_open = Address::parse(url).is_ok_and(|url| url.is_open() && (has_key || url.hides()));
        is_open.then(|| {
            format!(
                "{origin}: the key of profile `{profile}` would be sent unencrypted; use https://, or remove the key"
            )
        })
    }

    /// Returns the model that is asked as well where the first one is unsure. Its profile may be on a server: whoever names
    /// it here wants that.
    fn second(
        &self,
        profiles: &BTreeMap<String, Result<ModelChoice, String>>,
    ) -> Option<(ModelChoice, Form)> {
        let (name, origin) = self.text(&["roles", "second"])?;
        Some((self.resolve(name, origin, profiles).ok()?, self.form_of(name)))
    }

    /// Returns the models of the aides. Embedded models are too small for that.
    fn aides(
        &self,
        profiles: &BTreeMap<String, Result<ModelChoice, String>>,
    ) -> BTreeMap<Aide, (ModelChoice, Form)> {
        let model_of = |aide: Aide| {
            let (name, origin) = self.text(&["roles", aide.role()])?;
            let model = self.resolve(name, origin, profiles).ok()?;
            (!matches!(model, ModelChoice::Local(_))).then(|| (aide, (model, self.form_of(name))))
        };
        Aide::ALL.into_iter().filter_map(model_of).collect()
    }

    /// Returns the prompt format of a profile.
    fn form_of(&self, profile: &str) -> Form {
        match self.text(&["profiles", profile, "prompt"]) {
            Some(("chat", _)) => Form::Chat,
            _ => Form::Completion,
        }
    }
}

/// Returns the model named by a value of `ASKLINE_MODEL`.
fn model_of_variable(value: &str) -> Result<ModelChoice, String> {
    match value.split_once(':') {
        None => Ok(ModelChoice::Local(value.to_owned())),
        Some((protocol, "")) => {
            Err(format!("nothing follows `{protocol}:`; write local:NAME, NAME or scripted:FILE"))
        }
        Some(("local", name)) => Ok(ModelChoice::Local(name.to_owned())),
        Some(("scripted", file)) => Ok(ModelChoice::Scripted(file.into())),
        Some((protocol, _)) if Protocol::of_name(protocol).is_some() => {
            Err(format!("`{protocol}` needs an address; name a profile that has one in ASKLINE_PROFILE"))
        }
        Some((other, _)) => {
            Err(format!("there is no protocol `{other}`; use local:NAME, NAME or scripted:FILE"))
        }
    }
}
