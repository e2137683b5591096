//! Checks of models on servers: keys, certificates, order, proxy. They contact no server and run no command;
//! `online.rs` does.

use super::{Finding, fault, fine, warning};
use crate::config::{Config, ModelChoice};
use crate::keys;
use askline_host::Host;
use askline_model::server::ServerProfile;

/// Variables that name a proxy for https.
const PROXIES: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// Checks the server profiles except the configured one, the order in which models are asked, and the proxy.
pub(super) fn servers(config: &Config, host: &dyn Host) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut any = false;
    for profile in config.profiles.values() {
        match profile {
            Ok(choice @ ModelChoice::Remote(remote)) => {
                any = true;
                if *choice != config.model {
                    let found = server("profile", remote, host);
                    // The key works without an unused profile.
                    findings.push(if found.remedy.is_empty() { found } else { mild(found) });
                }
            }
            Ok(_) => {}
            Err(why) => findings.push(warning("profile", why, "correct it to use this profile")),
        }
    }
    findings.extend(config.order().map(|order| fine("fallback", order)));
    findings.extend(proxy(host).filter(|_| any));
    findings
}

fn mild(finding: Finding) -> Finding {
    warning(finding.subject, finding.text, finding.remedy)
}

/// Checks a server's profile: whether its key is available and its certificates are readable.
pub(super) fn server(subject: &'static str, remote: &ServerProfile, host: &dyn Host) -> Finding {
    let text = format!("{} ({remote})", remote.profile);
    let key = match keys::look(remote, host) {
        Ok(Some(place)) => format!("key from {place}"),
        Ok(None) => "no key".to_owned(),
        // The message ends with the remedy.
        Err(failure) => {
            return fault(subject, format!("{text} has no key"), failure);
        }
    };
    if let Some(file) = &remote.ca_file
        && host.entry(file).is_none_or(|entry| !entry.is_file)
    {
        let remedy = "name the file with its authority's certificate in `ca_file`, or remove the setting";
        return fault(subject, format!("{text}: there is no file {}", file.display()), remedy);
    }
    let text = format!("{text}, {key}, deadline {} s", remote.deadline.as_secs_f64());
    match remote.url.is_open() {
        true => {
            warning(subject, format!("{text}; requests are sent unencrypted"), "use https:// in its `url`")
        }
        false => fine(subject, text),
    }
}

/// Returns the proxy from the environment; its user and password are not shown.
fn proxy(host: &dyn Host) -> Option<Finding> {
    let (name, value) = PROXIES.iter().find_map(|name| Some((name, host.env(name)?)))?;
    let value = value.to_string_lossy();
    let shown = value.rsplit('@').next().unwrap_or_default();
    let shown = shown.rsplit("://").next().unwrap_or_default().trim_end_matches('/');
    (!shown.is_empty()).then(|| {
        fine("proxy", format!("servers are reached through {shown} ({name}), except those in NO_PROXY"))
    })
}
