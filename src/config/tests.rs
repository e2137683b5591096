//! Tests of merging: defaults, file, environment, and every fault by name.

use expect_test::{Expect, expect};

use super::file::{CONTEXT_KEYS, INVESTIGATE_KEYS, LIMIT_KEYS, PROFILE_KEYS, PROTOCOLS, ROLES, TOP_KEYS};
use super::*;
use askline_model::prompt::disclosure::{Audience, FactKind};

fn merge(text: &str, env: &[(&str, &str)]) -> Result<(Config, Vec<Setting>), UsageError> {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Config::merge_with_origins(Some((Path::new("config.toml"), text)), &env)
}

#[track_caller]
fn faults(text: &str, env: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&merge(text, env).unwrap_err().to_string());
}

/// Default settings of investigations.
fn looks() -> Investigate {
    Investigate {
        choose: Chooser::Auto,
        asks_commands: false,
        draft_sees: true,
        looks_max: 12,
        local: Duration::from_mins(1),
        served: Duration::from_mins(2),
        keeps_sessions: false,
        audits: false,
        tools: BTreeMap::new(),
        paths: Vec::new(),
        calls: BTreeMap::new(),
    }
}

#[test]
fn tools_of_an_investigation_may_be_denied() {
    let text = "[investigate]\nlooks_max = 3\nchoose = \"rules\"\n[investigate.tools]\nstat = \"deny\"\nports = \"ask\"\n";
    let (config, _) = merge(text, &[]).unwrap();
    let tools = [("ports", Permission::Ask), ("stat", Permission::Deny)];
    let tools = tools.map(|(name, permission)| (name.to_owned(), permission)).into();
    assert_eq!(config.investigate, Investigate { choose: Chooser::Rules, looks_max: 3, tools, ..looks() });
    faults(
        "[investigate]\nlook_max = 1\nlooks_max = 99\n[investigate.tools]\nrun = \"allow\"\nstat = \"yes\"\n",
        &[],
        expect![[r#"
            config.toml:2: unknown key `look_max`; did you mean `looks_max`?
            config.toml:3: `looks_max` must be a whole number from 1 to 50, not 99
            config.toml:5: unknown key `run` (known here: list_dir, find_files, stat, read_file, search_text, disk_usage, processes, ports, environment, git_state, command_help, manual_search, last_output, history_search, snapshot)
            config.toml:6: `stat` can't be `yes`; use one of allow, ask, deny"#]],
    );
}

#[test]
fn each_word_of_a_key_is_read() {
    let read = |text: String| merge(&text, &[]).unwrap().0;
    let set = |key: &str, word: &str| read(format!("{key} = \"{word}\"\n"));
    let daemons = ["auto", "off", "force"].map(|word| set("daemon", word).daemon);
    assert_eq!(daemons, [Daemon::Auto, Daemon::Off, Daemon::Force]);
    assert_eq!(["system", "never"].map(|word| set("help", word).help), [Help::System, Help::Never]);
    assert_eq!(["off", "comment"].map(|word| set("guard", word).guard), [Guard::Off, Guard::Comment]);
    let evidence = ["open", "all", "wrong"].map(|word| set("evidence", word).evidence);
    assert_eq!(evidence, [Evidence::Open, Evidence::All, Evidence::Wrong]);
    let alternatives = ["ahead", "asked"].map(|word| set("alternatives", word).alternatives);
    assert_eq!(alternatives, [Alternatives::Ahead, Alternatives::Asked]);
    let choose = |word| read(format!("[investigate]\nchoose = \"{word}\"\n")).investigate.choose;
    let choosers = ["auto", "rules", "model"].map(choose);
    assert_eq!(choosers, [Chooser::Auto, Chooser::Rules, Chooser::Model]);
    assert_eq!(["auto", "low"].map(|word| set("memory", word).saves_memory), [false, true]);
    assert_eq!(["auto", "off"].map(|word| set("gpu", word).gpu), [true, false]);
}

#[test]
fn paths_of_an_investigation_may_be_denied_and_calls_limited() {
    let text = "[investigate]\naudit = \"on\"\n[investigate.paths]\n\"~/letters\" = \"deny\"\n\"/etc\" = \"ask\"\n[investigate.calls]\nstat = 2\n";
    let (config, _) = merge(text, &[]).unwrap();
    let paths = vec![("/etc".to_owned(), Permission::Ask), ("~/letters".to_owned(), Permission::Deny)];
    let calls = [("stat".to_owned(), 2)].into();
    assert_eq!(config.investigate, Investigate { audits: true, paths, calls, ..looks() });
    faults(
        "[investigate.paths]\nletters = \"deny\"\n\"/etc\" = \"no\"\n[investigate.calls]\nstat = 99\nrun = 1\n",
        &[],
        expect![[r#"
            config.toml:2: `letters` must be a full path or begin with ~/
            config.toml:3: `/etc` can't be `no`; use one of allow, ask, deny
            config.toml:5: `stat` must be a whole number from 0 to 20, not 99
            config.toml:6: unknown key `run` (known here: list_dir, find_files, stat, read_file, search_text, disk_usage, processes, ports, environment, git_state, command_help, manual_search, last_output, history_search, snapshot)"#]],
    );
}

#[test]
fn agents_of_the_user_have_a_prompt_and_existing_tools() {
    let text = "[agents.logs]\nprompt = \"You read logs.\"\ntools = [\"stat\", \"read_file\"]\ncalls = 3\n[agents.all]\nprompt = \"Look.\"\n";
    let (config, _) = merge(text, &[]).unwrap();
    let told: Vec<String> = config
        .agents
        .iter()
        .map(|(name, definition)| {
            format!("{name}: {} {} {}", definition.prompt, definition.tools.join(","), definition.calls)
        })
        .collect();
    assert_eq!(told, ["all: Look.  12", "logs: You read logs. stat,read_file 3"]);
    faults(
        "[agents.look]\nprompt = \"x\"\n[agents.a]\ntools = [\"wander\"]\ncalls = 0\n[agents.\"b c\"]\nprompt = \"x\"\n",
        &[],
        expect![[r#"
            config.toml:1: the agent `look` is built in; give yours another name
            config.toml:3: the agent `a` has no `prompt`; add what it is told
            config.toml:4: `tools` must be a list of tools; use some of list_dir, find_files, stat, read_file, search_text, disk_usage, processes, ports, environment, git_state, command_help, manual_search, last_output, history_search, snapshot, run
            config.toml:5: `calls` must be a whole number from 1 to 50, not 0
            config.toml:6: an agent must have a name of letters, digits, - and _"#]],
    );
}

#[test]
fn an_aide_is_no_embedded_model() {
    let script = "[profiles.script]\nprotocol = \"scripted\"\nfile = \"/replies\"\n";
    for aide in Aide::ALL {
        let role = aide.role();
        let aides = |profile: &str| {
            merge(&format!("[roles]\n{role} = \"{profile}\"\n{script}"), &[]).unwrap().0.aides
        };
        assert_eq!(aides("local"), BTreeMap::new());
        let scripted = (ModelChoice::Scripted("/replies".into()), Form::Completion);
        assert_eq!(aides("script"), [(aide, scripted)].into());
    }
}

#[test]
fn the_second_model_is_another_profile() {
    let script = "[profiles.script]\nprotocol = \"scripted\"\nfile = \"/replies\"\n";
    let second = |profile: &str, env: &[(&str, &str)]| {
        merge(&format!("[roles]\nsecond = \"{profile}\"\n{script}"), env).map(|(config, _)| config.second)
    };
    let scripted = (ModelChoice::Scripted("/replies".into()), Form::Completion);
    assert_eq!(second("script", &[]).unwrap(), Some(scripted));
    assert_eq!(second("local", &[]).unwrap(), None, "the first one is no second");
    for variable in [("ASKLINE_MODEL", "small"), ("ASKLINE_MODEL_FILE", "/m.gguf")] {
        assert_eq!(
            second("script", &[variable]).unwrap(),
            None,
            "a model named for a single use is asked alone"
        );
    }
    let unknown = second("scirpt", &[]).unwrap_err().to_string();
    assert!(unknown.contains("there is no profile `scirpt`; did you mean `script`?"), "{unknown}");
}

/// Default disclosure policy.
fn usual() -> DisclosurePolicy {
    DisclosurePolicy::new(|item| {
        if matches!(
            item,
            FactKind::Last
                | FactKind::Output
                | FactKind::Columns
                | FactKind::Contents
                | FactKind::Looks
                | FactKind::Preferences
        ) {
            Visibility::Local
        } else {
            Visibility::Off
        }
    })
}

#[test]
fn what_is_told_is_set_item_by_item() {
    let (config, _) = merge("[context]\ncwd = \"all\"\nlast = \"off\"\ngit = \"local\"\n", &[]).unwrap();
    let reach = |item| config.disclosure.reach(item);
    assert_eq!(
        [FactKind::Cwd, FactKind::Last, FactKind::Git].map(reach),
        [Visibility::All, Visibility::Off, Visibility::Local]
    );
    assert_eq!([FactKind::Listing, FactKind::Output].map(reach), [Visibility::Off, Visibility::Local]);
    assert!(
        config.disclosure.allows(FactKind::Cwd, Audience::Server)
            && !config.disclosure.allows(FactKind::Git, Audience::Server)
    );
    faults(
        "[context]\ncwd = \"server\"\nlisting = true\ngti = \"all\"\n",
        &[],
        expect![[r#"
            config.toml:2: `cwd` can't be `server`; use one of off, local, all
            config.toml:3: `listing` must be a text, not a boolean
            config.toml:4: unknown key `gti` (known here: cwd, listing, columns, contents, git, aliases, last, output, history, looks, preferences)"#]],
    );
}

/// Default configuration.
fn defaults() -> Config {
    let model = ModelChoice::Local("qwen2.5-coder-0.5b-instruct-q4_k_m".to_owned());
    let profiles = BTreeMap::from([("local".to_owned(), Ok(model.clone()))]);
    Config {
        model,
        fallback: Vec::new(),
        profiles,
        model_file: None,
        deadline_ms: 20_000,
        max_tokens: 256,
        threads: None,
        saves_memory: false,
        gpu: true,
        adapter: AdapterChoice::On,
        help: Help::System,
        refine_rounds: 2,
        form: Form::Completion,
        fallback_forms: Vec::new(),
        second: None,
        disclosure: usual(),
        preferences: Preferences::default(),
        remotes: Remotes::default(),
        evidence: Evidence::Open,
        guard: Guard::Off,
        limits: Limits { calls: 3, ..Limits::default() },
        investigate: looks(),
        aides: BTreeMap::new(),
        agents: BTreeMap::new(),
        alternatives: Alternatives::Ahead,
        daemon: Daemon::Auto,
        daemon_idle_min: 30,
    }
}

#[test]
fn the_defaults_stand_alone() {
    assert_eq!(Config::merge(None, &|_| None).unwrap(), defaults());
}

#[test]
fn every_key_of_the_defaults_is_documented() {
    let text = include_str!("default.toml");
    for key in TOP_KEYS.iter().chain(&PROFILE_KEYS).chain(&LIMIT_KEYS).chain(&INVESTIGATE_KEYS) {
        assert!(text.contains(key), "default.toml does not say what `{key}` is");
    }
    for item in CONTEXT_KEYS {
        assert!(text.contains(&format!("\n{item} = ")), "default.toml has no `{item}`");
    }
    for role in ROLES {
        assert!(text.contains(role), "default.toml does not say what `{role}` is");
    }
    for protocol in PROTOCOLS {
        assert!(text.contains(protocol), "default.toml does not name the protocol `{protocol}`");
    }
}

#[test]
fn the_file_lies_over_the_defaults_and_the_environment_over_both() {
    let text = "deadline_ms = 5_000\nthreads = 0x4\nmax_tokens = 9\nrefine_rounds = 4\nhelp = \"never\"\n[profiles.local]\nname = \"small\"\n";
    let (config, _) = merge(text, &[]).unwrap();
    let model = ModelChoice::Local("small".to_owned());
    let profiles = BTreeMap::from([("local".to_owned(), Ok(model.clone()))]);
    let expected = Config {
        model,
        profiles,
        deadline_ms: 5000,
        max_tokens: 9,
        threads: Some(4),
        help: Help::Never,
        refine_rounds: 4,
        ..defaults()
    };
    assert_eq!(config, expected);

    let env = [
        ("ASKLINE_DEADLINE_MS", "70"),
        ("ASKLINE_THREADS", "0"),
        ("ASKLINE_MODEL", "scripted:a:b"),
        ("ASKLINE_MODEL_FILE", "/m.gguf"),
        ("ASKLINE_HELP", "system"),
        ("ASKLINE_REFINE_ROUNDS", "0"),
    ];
    let (config, settings) = merge(text, &env).unwrap();
    let expected = Config {
        model: ModelChoice::Scripted("a:b".into()),
        model_file: Some("/m.gguf".into()),
        deadline_ms: 70,
        threads: None,
        saves_memory: false,
        gpu: true,
        adapter: AdapterChoice::On,
        help: Help::System,
        refine_rounds: 0,
        ..expected
    };
    assert_eq!(config, expected);
    let told: Vec<String> = settings
        .iter()
        .map(|setting| format!("{} = {} # {}\n", setting.key, setting.value, setting.origin))
        .collect();
    expect![[r#"
        adapter = "on" # default
        alternatives = "ahead" # default
        context.aliases = "off" # default
        context.columns = "local" # default
        context.contents = "local" # default
        context.cwd = "off" # default
        context.git = "off" # default
        context.history = "off" # default
        context.last = "local" # default
        context.listing = "off" # default
        context.looks = "local" # default
        context.output = "local" # default
        context.preferences = "local" # default
        daemon = "auto" # default
        daemon_idle_min = 30 # default
        deadline_ms = 70 # ASKLINE_DEADLINE_MS
        evidence = "open" # default
        gpu = "auto" # default
        guard = "off" # default
        help = "system" # ASKLINE_HELP
        investigate.audit = "off" # default
        investigate.choose = "auto" # default
        investigate.commands = "never" # default
        investigate.draft_sees = "looks" # default
        investigate.local_ms = 60000 # default
        investigate.looks_max = 12 # default
        investigate.served_ms = 120000 # default
        investigate.sessions = "off" # default
        limits.calls = 3 # default
        max_tokens = 9 # config.toml:3
        memory = "auto" # default
        profile = "local" # default
        profiles.local.name = "small" # config.toml:7
        profiles.local.protocol = "local" # default
        refine_rounds = 0 # ASKLINE_REFINE_ROUNDS
        threads = 0 # ASKLINE_THREADS
    "#]]
    .assert_eq(&told.concat());
}

#[test]
fn a_profile_names_the_model() {
    let text = "profile = \"s\"\n[profiles.s]\nprotocol = \"scripted\"\nfile = \"/s\"\n";
    let (config, _) = merge(text, &[]).unwrap();
    assert_eq!(config.model, ModelChoice::Scripted("/s".into()));
    let (config, _) = merge(text, &[("ASKLINE_PROFILE", "local"), ("ASKLINE_MODEL", "")]).unwrap();
    assert_eq!(config.model.to_string(), "local:qwen2.5-coder-0.5b-instruct-q4_k_m");
    faults(
        text,
        &[("ASKLINE_PROFILE", "locl")],
        expect!["ASKLINE_PROFILE: there is no profile `locl`; did you mean `local`?"],
    );
    faults(
        "profile = \"team\"",
        &[],
        expect!["config.toml:1: there is no profile `team`; add a table [profiles.team]"],
    );
    faults(
        "profile = \"t\"\n[profiles.t]\nname = \"x\"",
        &[],
        expect!["profile `t` has no `protocol`; add it to [profiles.t]"],
    );
    faults(
        "[profiles.local]\nprotocol = \"scripted\"\nfile = \"replies\"",
        &[],
        expect![[r#"config.toml:3: `file` must be a full path, not "replies""#]],
    );
    faults(
        "",
        &[("ASKLINE_MODEL", "openai:gpt")],
        expect![[
            r#"ASKLINE_MODEL: `openai` needs an address; name a profile that has one in ASKLINE_PROFILE"#
        ]],
    );
    faults(
        "",
        &[("ASKLINE_MODEL", "magic:x")],
        expect!["ASKLINE_MODEL: there is no protocol `magic`; use local:NAME, NAME or scripted:FILE"],
    );
    faults(
        "",
        &[("ASKLINE_MODEL", "local:")],
        expect!["ASKLINE_MODEL: nothing follows `local:`; write local:NAME, NAME or scripted:FILE"],
    );
}

#[test]
fn every_fault_is_named() {
    faults(
        "deadlin_ms = 5\nmax_tokens = \"many\"\ncolour = true\nthreads = -1\nroles = 3\nprofile = []\ndeadline_ms = 49\n\n[profiles]\nx = 1\n[profiles.local]\nnaem = \"x\"\nprotocol = \"grpc\"\nname = \"\"\n",
        &[("ASKLINE_THREADS", "two")],
        expect![[r#"
            config.toml:1: unknown key `deadlin_ms`; did you mean `deadline_ms`?
            config.toml:2: `max_tokens` must be a whole number, not a string
            config.toml:3: unknown key `colour` (known here: profile, deadline_ms, max_tokens, threads, memory, gpu, adapter, evidence, guard, help, refine_rounds, alternatives, daemon, daemon_idle_min, roles, fallback, limits, context, investigate, agents, prefer, remotes, profiles)
            config.toml:4: `threads` must be a whole number from 0 to 512, not -1
            config.toml:5: `roles` must be a table [roles]
            config.toml:6: `profile` must be a text, not an array
            config.toml:7: `deadline_ms` must be a whole number from 50 to 600000, not 49
            config.toml:10: `x` must be a table [profiles.x]
            config.toml:12: unknown key `naem`; did you mean `name`?
            config.toml:13: `protocol` can't be `grpc`; use one of local, scripted, openai, anthropic, ollama
            config.toml:14: `name` must not be empty
            ASKLINE_THREADS must be a whole number from 0 to 512, not two; correct or unset it"#]],
    );
    faults(
        "deadline_ms = \n[profiles\nmax_tokens = 99999999999999999999",
        &[],
        expect![[r#"
            config.toml:1: string values must be quoted, expected literal string
            config.toml:2: unclosed table, expected `]`"#]],
    );
    faults(
        "help = \"user\"\nrefine_rounds = 5",
        &[("ASKLINE_HELP", "yes"), ("ASKLINE_REFINE_ROUNDS", "-1")],
        expect![[r#"
            config.toml:1: `help` can't be `user`; use one of system, never
            config.toml:2: `refine_rounds` must be a whole number from 0 to 4, not 5
            ASKLINE_HELP can't be `yes`; use one of system, never; correct or unset it
            ASKLINE_REFINE_ROUNDS must be a whole number from 0 to 4, not -1; correct or unset it"#]],
    );
    faults(
        "retrieve = \"on\"",
        &[],
        expect![
            "config.toml:1: `retrieve` is no longer a setting; remove it: examples from the documentation improved no answer"
        ],
    );
    faults("threads = 1\nthreads = 2", &[], expect!["config.toml:2: duplicate key; remove one of the two"]);
    faults(
        "max_tokens = 99999999999999999999\nprofiles = 1",
        &[],
        expect![[r#"
            config.toml:1: `max_tokens` must be a whole number from 1 to 4096, not 99999999999999999999
            config.toml:2: `profiles` must be tables, such as [profiles.local]"#]],
    );
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "([a-z_]{0,8}( = |\\.|\\[|\\]|\"|\n|=|#|[0-9]|é){0,3}){0,12}", any in ".*") {
        let _ = merge(&text, &[("ASKLINE_MODEL", &any), ("ASKLINE_THREADS", &any)]);
        let _ = merge(&any, &[("ASKLINE_PROFILE", &any)]);
    }
}

#[test]
fn preferences_are_programs_and_sentences() {
    let (config, _) =
        merge("[prefer]\nfind = \"fd\"\nthreads = \"x\"\nnotes = [\"use podman, not docker\"]\n", &[])
            .unwrap();
    let programs =
        [("find", "fd"), ("threads", "x")].map(|(name, other)| (name.to_owned(), other.to_owned()));
    assert_eq!(config.preferences.programs, programs.into());
    assert_eq!(config.preferences.told(&|name| name == "fd"), ["fd, not find", "use podman, not docker"]);
    faults(
        "[prefer]\nfind = \"fd -H\"\ngrep = 1\n\"a b\" = \"c\"\nnotes = \"x\"\n",
        &[],
        expect![[r#"
            config.toml:2: `find` must be the name of a program, such as "fd"
            config.toml:3: `grep` must be the name of a program, such as "fd"
            config.toml:4: `a b` is not the name of a program
            config.toml:5: `notes` must be a list such as ["use podman, not docker"]"#]],
    );
    faults(
        "[prefer]\nnotes = [\"\"]\n",
        &[],
        expect!["config.toml:2: `notes` must be a list of at most 32 sentences of at most 120 characters"],
    );
    faults("prefer = 1\n", &[], expect!["config.toml:1: `prefer` must be a table [prefer]"]);
}
