//! Tests of server profiles: contents, refused values that are never shown, and fallback order.

use std::time::Duration;

use expect_test::{Expect, expect};

use super::server::{DEADLINE_MS, FIRST_BYTE_MS};
use super::*;

const SECRET: &str = "sk-Geheim123";

fn merge(text: &str, env: &[(&str, &str)]) -> Result<(Config, Vec<Setting>), UsageError> {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Config::merge_with_origins(Some((Path::new("config.toml"), text)), &env)
}

#[track_caller]
fn faults(text: &str, expected: Expect) {
    expected.assert_eq(&merge(text, &[]).unwrap_err().to_string());
}

/// Returns the text of a server profile with these lines.
fn server(name: &str, lines: &str) -> String {
    format!("[profiles.{name}]\nprotocol = \"openai\"\nname = \"m\"\n{lines}\n")
}

#[test]
fn a_server_is_described_by_its_profile() {
    let text = "profile = \"team\"\n[profiles.team]\nprotocol = \"anthropic\"\nurl = \"https://h.example:8443/v1?api-version=2\"\n\
                name = \"m\"\nkey_env = \"TEAM_KEY\"\nkey_cmd = \"pass show 'a b'\"\nkey_file = \"/k\"\nca_file = \"/ca.pem\"\n\
                first_byte_ms = 700\ndeadline_ms = 9_000\n";
    let (config, settings) = merge(text, &[]).unwrap();
    let ModelChoice::Remote(remote) = &config.model else { panic!("{}", config.model) };
    assert_eq!(remote.to_string(), "anthropic:m at h.example:8443");
    assert_eq!(remote.url.as_str(), "https://h.example:8443/v1?api-version=2");
    assert_eq!((remote.first_byte, remote.deadline), (Duration::from_millis(700), Duration::from_secs(9)));
    assert_eq!(remote.key.env.as_deref(), Some("TEAM_KEY"));
    let command = remote.key.command.as_ref().unwrap();
    assert_eq!(
        (command.program(), command.arguments()),
        ("pass", &["show".to_owned(), "a b".to_owned()][..])
    );
    assert_eq!(command.file(), Path::new("config.toml"));
    assert_eq!(
        (remote.key.file.as_deref(), remote.ca_file.as_deref()),
        (Some(Path::new("/k")), Some(Path::new("/ca.pem")))
    );
    let told: String = settings
        .iter()
        .filter(|s| s.key.contains("team"))
        .map(|s| format!("{} = {}\n", s.key, s.value))
        .collect();
    expect![[r#"
        profiles.team.ca_file = "/ca.pem"
        profiles.team.deadline_ms = 9000
        profiles.team.first_byte_ms = 700
        profiles.team.key_cmd = "(not shown)"
        profiles.team.key_env = "TEAM_KEY"
        profiles.team.key_file = "/k"
        profiles.team.name = "m"
        profiles.team.protocol = "anthropic"
        profiles.team.url = "https://h.example:8443/v1?api-version=2"
    "#]]
    .assert_eq(&told);
    assert!(!format!("{config:?}").contains("show"), "a command may hold a secret");

    let text = format!("profile = \"team\"\n{}", server("team", "url = \"http://127.0.0.1:8080\""));
    let (config, _) = merge(&text, &[]).unwrap();
    let ModelChoice::Remote(remote) = &config.model else { panic!("{}", config.model) };
    assert!(remote.key.is_none());
    assert_eq!(
        (remote.first_byte, remote.deadline),
        (Duration::from_millis(FIRST_BYTE_MS), Duration::from_millis(DEADLINE_MS))
    );
}

#[test]
fn a_key_in_the_wrong_place_is_refused_and_not_repeated() {
    let wrong = [
        ("key", format!("key = \"{SECRET}\"")),
        ("key_env", format!("key_env = \"{SECRET}\"")),
        ("key_env", "key_env = \"geheim123\"".to_owned()),
        ("key_file", format!("key_file = \"{SECRET}\"")),
        ("key_cmd", format!("key_cmd = \"./{SECRET}\"")),
        ("key_cmd", format!("key_cmd = \"pass '{SECRET}\"")),
        ("key_cmd", format!("key_cmd = \"'' {SECRET}\"")),
        ("key_keyring", format!("key_keyring = \"{SECRET}\"")),
        ("url", format!("url = \"https://me:{SECRET}@h.example\"")),
        ("url", format!("url = \"https://{SECRET}@h.example\"")),
        ("url", format!("url = \"https://h.example/#{SECRET}\"")),
        ("url", format!("url = \"{SECRET}\"")),
        ("url", format!("url = \"ftp://h.example/{SECRET}\"")),
        ("url", format!("url = \"https://h.example/{SECRET}\\r\\nX-Evil: 1\"")),
        ("url", format!("url = \"https://h.example/\\u0000{SECRET}\"")),
        ("url", format!("url = \"https://h.example/\\t{SECRET}\"")),
        ("name", format!("name = \"m\\n{SECRET}\"")),
        ("name", format!("name = \"m\\u001b{SECRET}\"")),
        ("ca_file", "ca_file = \"ca.pem\"".to_owned()),
        ("key_cmd", "key_cmd = \"bin/key\"".to_owned()),
        ("key_cmd", format!("key_cmd = [\"pass\", \"{SECRET}\"]")),
    ];
    for (key, line) in wrong {
        // Faults are found also in an unused profile.
        let text = format!("[profiles.team]\nprotocol = \"openai\"\n{line}\n");
        let error = merge(&text, &[]).unwrap_err().to_string();
        assert!(
            error.starts_with("config.toml:3: ") && error.contains(&format!("`{key}`")),
            "{line}: {error}"
        );
        assert!(!error.to_lowercase().contains("geheim"), "{line}: {error}");
    }
    let text = server("team", &format!("url = \"https://h.example/?key={SECRET}\""));
    let (config, settings) = merge(&text, &[]).unwrap();
    let shown = format!("{settings:?} {config:?} {}", config.profiles["team"].as_ref().unwrap());
    assert!(!shown.contains(SECRET), "{shown}");
    faults(
        "[profiles.\"a\\nb\"]\nname = \"m\"",
        expect!["config.toml:1: a profile must have a name without control characters"],
    );
}

#[test]
fn a_key_goes_in_the_clear_to_this_machine_alone() {
    for (url, fine) in [
        ("https://h.example", true),
        ("http://127.0.0.1:8080/v1", true),
        ("http://127.1.2.3", true),
        ("http://[::1]:8080", true),
        ("http://localhost:11434", true),
        ("HTTP://LOCALHOST", true),
        ("http://h.example", false),
        ("HTTP://h.example", false),
        ("http://127.0.0.1.h.example", false),
        ("http://localhost.h.example", false),
        ("http://10.0.0.1", false),
        ("http://0.0.0.0", false),
        ("http://[::ffff:10.0.0.1]", false),
    ] {
        for key in ["key_env = \"K\"", "key_cmd = \"k\"", "key_file = \"/k\""] {
            let merged = merge(&server("team", &format!("url = \"{url}\"\n{key}")), &[]);
            assert_eq!(merged.is_ok(), fine, "{url} {key}: {merged:?}");
        }
        assert!(merge(&server("team", &format!("url = \"{url}\"")), &[]).is_ok(), "{url} without a key");
    }
    assert!(merge(&server("team", "url = \"http://h.example?key=x\""), &[]).is_err());
    assert!(merge(&server("team", "url = \"http://h.example?api-version=1\""), &[]).is_ok());
    faults(
        &server("team", "url = \"http://h.example/v1\"\nkey_env = \"K\""),
        expect![
            "config.toml:4: the key of profile `team` would be sent unencrypted; use https://, or remove the key"
        ],
    );
}

#[test]
fn what_a_profile_lacks_matters_when_it_is_asked() {
    let (config, _) = merge(&server("team", ""), &[]).unwrap();
    let lacks = "profile `team` has no `url`; add it to [profiles.team]";
    assert_eq!(config.profiles["team"], Err(lacks.to_owned()));
    for used in [
        "profile = \"team\"\n",
        "[roles]\ndraft = \"team\"\n",
        "[roles]\nreview = \"team\"\n",
        "[fallback]\norder = [\"team\"]\n",
    ] {
        let error = merge(&format!("{used}{}", server("team", "")), &[]).unwrap_err();
        assert_eq!(error.to_string(), lacks, "{used}");
    }
    faults(
        "[profiles.local]\nurl = \"https://h.example\"\n",
        expect![
            "config.toml:2: `url` is for a server, and profile `local` has the protocol `local`; remove it"
        ],
    );
    faults(
        "[roles]\ndraft = \"x\"\ndrft = \"local\"\n[fallback]\nordr = []\n[context]\ncwd = false\n",
        expect![[r#"
            config.toml:3: unknown key `drft`; did you mean `draft`?
            config.toml:5: unknown key `ordr`; did you mean `order`?
            config.toml:7: `cwd` must be a text, not a boolean"#]],
    );
    faults(
        "fallback = 1\nroles = []\n[profiles.team]\nfirst_byte_ms = 5\n",
        expect![[r#"
            config.toml:1: `fallback` must be a table [fallback]
            config.toml:2: `roles` must be a table [roles]
            config.toml:4: `first_byte_ms` must be a whole number from 50 to 600000, not 5"#]],
    );
    faults(
        "[fallback]\norder = \"local\"",
        expect![[r#"config.toml:2: `order` must be a list such as ["team", "local"], not a string"#]],
    );
    faults(
        "[fallback]\norder = [\"local\", 1]",
        expect![[r#"config.toml:2: `order` must be a list of profiles, such as ["team", "local"]"#]],
    );
    faults(
        "[fallback]\norder = [\"local\", \"local\"]",
        expect!["config.toml:2: `order` names `local` twice"],
    );
    faults(
        "[fallback]\norder = [\"locl\"]",
        expect!["config.toml:2: there is no profile `locl`; did you mean `local`?"],
    );
}

/// Returns the models to ask, in order, for a configuration that starts with `lines`. `team` and `other` are
/// server profiles; `local` and `small` are local.
fn order(lines: &str, env: &[(&str, &str)]) -> String {
    let text = format!(
        "{lines}\n{}{}[profiles.small]\nprotocol = \"local\"\nname = \"small\"\n[profiles.local]\nname = \"local\"\n",
        server("team", "url = \"https://team\""),
        server("other", "url = \"https://other\"")
    );
    let (config, _) = merge(&text, env).unwrap();
    let models = [&config.model].into_iter().chain(&config.fallback);
    let short = |model: &ModelChoice| match model {
        ModelChoice::Remote(remote) => remote.profile.clone(),
        other => other.to_string().replace("local:", ""),
    };
    models.map(short).collect::<Vec<_>>().join(" ")
}

#[test]
fn nothing_goes_to_a_server_that_was_not_told_to() {
    let both = "[fallback]\norder = [\"team\", \"other\", \"local\"]";
    assert_eq!(order("", &[]), "local");
    assert_eq!(order("profile = \"team\"", &[]), "team");
    assert_eq!(order(&format!("profile = \"team\"\n{both}"), &[]), "team other local");
    assert_eq!(order(&format!("profile = \"other\"\n{both}"), &[]), "other local");
    // A local profile at the end of the order, or absent from it, is never followed by a server.
    assert_eq!(order(both, &[]), "local");
    assert_eq!(order(&format!("profile = \"small\"\n{both}"), &[]), "small local");
    assert_eq!(order(&format!("profile = \"team\"\n{both}"), &[("ASKLINE_PROFILE", "small")]), "small local");
    // An explicit order may put a server after a local profile.
    assert_eq!(order("[fallback]\norder = [\"local\", \"team\"]", &[]), "local team");
    // A profile outside the order comes before it.
    assert_eq!(order("profile = \"team\"\n[fallback]\norder = [\"local\"]", &[]), "team local");
    // A model named directly has no fallback.
    let named = [("ASKLINE_MODEL", "local:x")];
    assert_eq!(order(&format!("profile = \"team\"\n{both}"), &named), "x");
    assert_eq!(
        order("profile = \"team\"\n[fallback]\norder = [\"local\"]", &[("ASKLINE_MODEL", "scripted:/s")]),
        "scripted:/s"
    );
}

#[test]
fn a_role_has_a_profile_of_its_own() {
    assert_eq!(order("[roles]\ndraft = \"team\"\nreview = \"other\"\nsummary = \"local\"", &[]), "team");
    let env = [("ASKLINE_PROFILE", "small")];
    assert_eq!(order("profile = \"local\"\n[roles]\ndraft = \"team\"", &env), "small");
    faults(
        "[roles]\nreview = \"none\"",
        expect!["config.toml:2: there is no profile `none`; add a table [profiles.none]"],
    );
}

#[test]
fn prices_are_the_users_own_and_exact() {
    let prices = |lines: &str| {
        let text =
            format!("profile = \"team\"\n{}", server("team", &format!("url = \"https://h\"\n{lines}")));
        let (config, _) = merge(&text, &[]).map_err(|wrong| wrong.to_string())?;
        let ModelChoice::Remote(remote) = config.model else { panic!("{}", config.model) };
        Ok::<_, String>(remote.prices.map(|prices| (prices.prompt, prices.cached, prices.completion)))
    };
    assert_eq!(prices(""), Ok(None));
    assert_eq!(prices("price_in = 0.15\nprice_out = 3"), Ok(Some((150_000, 150_000, 3_000_000))));
    let all = "price_in = 0.1\nprice_out = 2.5e-1\nprice_cached = 0.025";
    assert_eq!(prices(all), Ok(Some((100_000, 25_000, 250_000))));
    assert_eq!(prices("price_in = 0\nprice_out = 0"), Ok(Some((0, 0, 0))));
    for (lines, said) in [
        ("price_in = -1", "`price_in` must be a number from 0 to 10000, not -1"),
        ("price_in = nan", "`price_in` must be a number from 0 to 10000, not nan"),
        ("price_in = inf", "`price_in` must be a number from 0 to 10000, not inf"),
        ("price_out = 10000.5", "`price_out` must be a number from 0 to 10000, not 10000.5"),
        ("price_in = \"1\"", "`price_in` must be a number such as 0.25, not a string"),
        ("price_in = 0x10", "`price_in` must be a number such as 0.25, not an integer"),
    ] {
        assert_eq!(prices(lines), Err(format!("config.toml:6: {said}")), "{lines}");
    }
    for (lines, lacking) in [("price_in = 1", "price_out"), ("price_cached = 1", "price_in")] {
        let said = format!(
            "profile `team` has a price and no `{lacking}`; add it to [profiles.team] (0 if it costs nothing)"
        );
        assert_eq!(prices(lines), Err(said));
    }
    assert!(merge("[profiles.local]\nprice_in = 1", &[]).is_err(), "a local model has no price");
}

#[test]
fn limits_are_bounded_and_a_cost_needs_prices() {
    let limits =
        |text: &str| merge(text, &[]).map(|(config, _)| config.limits).map_err(|wrong| wrong.to_string());
    let text = "[limits]\ncalls = 1\ntokens = 0\nday_calls = 200\nday_tokens = 1_000_000\nday_cost = 0.5\n";
    let (day_calls, day_tokens, day_cost) = (200, 1_000_000, Cost(500_000_000_000));
    assert_eq!(limits(text), Ok(Limits { calls: 1, tokens: 0, day_calls, day_tokens, day_cost }));
    for (line, said) in [
        ("calls = 0", "`calls` must be a whole number from 1 to 10, not 0"),
        ("calls = 11", "`calls` must be a whole number from 1 to 10, not 11"),
        ("day_cost = -0.1", "`day_cost` must be a number from 0 to 1000000, not -0.1"),
        ("cals = 1", "unknown key `cals`; did you mean `calls`?"),
    ] {
        assert_eq!(limits(&format!("[limits]\n{line}")), Err(format!("config.toml:2: {said}")));
    }
    let priced = |lines: &str| {
        let team = server("team", &format!("url = \"https://h\"\n{lines}"));
        limits(&format!("profile = \"team\"\n[limits]\nday_cost = 1\n{team}"))
    };
    assert_eq!(
        priced(""),
        Err("profile `team` has no prices, so `day_cost` can't limit it; add price_in and price_out to \
             [profiles.team] (0 if it costs nothing), or remove `day_cost`"
            .to_owned())
    );
    assert!(priced("price_in = 1\nprice_out = 2").is_ok());
}

proptest::proptest! {
    #[test]
    fn no_value_panics_or_is_kept_with_a_control_character(value in ".{0,40}") {
        let quoted = toml::Value::String(value.clone()).to_string();
        for key in ["url", "name", "key_env", "key_cmd", "key_file", "ca_file"] {
            let text = format!("profile = \"team\"\n[profiles.team]\nprotocol = \"ollama\"\n{key} = {quoted}\n");
            let merged = merge(&text, &[]);
            if value.chars().any(char::is_control) {
                proptest::prop_assert!(merged.is_err());
            }
        }
    }
}
