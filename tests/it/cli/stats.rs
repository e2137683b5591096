//! `askline stats` and `askline forget`: which requests are counted, how limits apply to them, and what remains
//! afterwards.

use std::fs;
use std::path::Path;

use crate::chain::Server;
use crate::cli::Askline;
use crate::pty::Pty;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// Copies the counts of an earlier run into the home of this one.
fn with_counts(run: Askline, counts: &Path) -> Askline {
    let place = run.path("data/askline/stats/counts");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::copy(counts, place).unwrap();
    run
}

#[test]
fn requests_are_counted_without_a_word_of_them() {
    let ran = Askline::new(["suggest", "--json", "--shell", "bash", "--lines", "-"])
        .model("{\"reply\": \"du -sh .\"}\n{\"reply\": \"I can't help with that.\"}\n{\"fail\": \"x\"}\n")
        .stdin("how big is geheim\nls -l\nsomething geheim\nfail geheim")
        .run();
    let usage: Vec<_> = ran.stdout.lines().map(|row| json(row)["usage"]["calls"].clone()).collect();
    assert_eq!(usage, [1, 0, 1, 1], "{}", ran.stdout);
    let counts = ran.path("data/askline/stats/counts");
    let text = fs::read_to_string(&counts).unwrap();
    assert!(text.starts_with("askline stats 1 "), "{text}");
    for private in ["geheim", "du", "help", "/", "HOME"] {
        assert!(!text.contains(private), "{private}: {text}");
    }
    let told = with_counts(Askline::new(["stats", "--json"]), &counts).run().stderr("").code(0);
    let told = json(&told.stdout);
    let total = &told["total"];
    let figures =
        ["presses", "answers", "without_model", "cancelled"].map(|name| total[name].as_u64().unwrap());
    assert_eq!(figures, [4, 2, 1, 0], "{total}");
    assert_eq!(total["failures"], serde_json::json!({"no command": 1, "unexpected": 1}));
    assert_eq!(total["models"][0]["model"], "scripted");
    assert_eq!([&total["models"][0]["calls"], &total["models"][0]["failed"]], [3, 1]);
    assert_eq!(told["days"][0]["figures"], *total);
    assert_eq!(told["limits"]["calls"], 3);

    let told = with_counts(Askline::new(["stats"]), &counts).run().stderr("").code(0).stdout;
    assert!(told.contains("presses    4\nanswered   2, 1 without a model\n"), "{told}");
    assert!(!told.contains('\u{1b}') && told.contains("one press  at most 3 calls\n"), "{told}");
    Askline::new(["stats", "--days", "32"]).run().code(2);
    Askline::new(["stats"]).run().stderr("").code(0);
}

#[test]
fn figures_that_are_broken_cost_nothing() {
    let suggest = || Askline::new(["suggest", "--shell", "bash", "list it"]).model("{\"reply\": \"ls\"}");
    let ran = suggest().file("data/askline/stats/counts", "nonsense").run().stdout("ls\n").stderr("").code(0);
    assert_eq!(fs::read_to_string(ran.path("data/askline/stats/counts.bad-1")).unwrap(), "nonsense");
    // A directory that is not writable, and a path that is not a file.
    suggest().file("data/askline/stats", "in the way").run().stdout("ls\n").stderr("").code(0);
    suggest().file("data/askline/stats/counts/x", "").run().stdout("ls\n").stderr("").code(0);
    let told = Askline::new(["stats"]).file("data/askline/stats/counts/x", "").run().code(1);
    assert!(told.stderr.contains("not a regular file; remove it"), "{}", told.stderr);
}

/// Requests on a recorded machine belong to a test or a bug report.
#[test]
fn a_replayed_machine_is_not_counted() {
    let ran = Askline::new(["suggest", "--shell", "bash", "list it"])
        .model("{\"reply\": \"ls\"}")
        .file("machine.toml", "[system]\nos = \"linux\"\nrelease = \"6\"\nmachine = \"x86_64\"\n")
        .env("ASKLINE_HOST", "recorded:HOME/machine.toml")
        .run()
        .stdout("ls\n")
        .code(0);
    assert!(!ran.path("data/askline/stats").exists());
}

#[test]
fn a_day_that_is_used_up_goes_to_the_next_model_or_says_so() {
    let server = Server::answering("ls -l");
    let prices = "price_in = 1000\nprice_out = 1000\n";
    let config = |limits: &str, rest: &str| {
        format!("profile = \"team\"\n{rest}\n[limits]\n{limits}\n{}", server.profile("team", prices))
    };
    let ask = |limits: &str, rest: &str| {
        Askline::new(["suggest", "--json", "--shell", "bash", "list the files"]).config(&config(limits, rest))
    };
    let first = ask("day_calls = 1", "").run().code(0);
    let usage = &json(&first.stdout)["usage"];
    assert_eq!(usage["calls"], 1);
    assert!(0 < usage["prompt_tokens"].as_u64().unwrap() && 0.0 < usage["cost"].as_f64().unwrap(), "{usage}");
    let counts = first.path("data/askline/stats/counts");
    for (limits, name) in
        [("day_calls = 1", "day_calls"), ("day_tokens = 5", "day_tokens"), ("day_cost = 0.0001", "day_cost")]
    {
        let before = server.heard().len();
        let told = with_counts(ask(limits, ""), &counts).run().code(1);
        let told = json(&told.stdout);
        let error = told["error"].as_str().unwrap();
        assert!(
            error.contains("today (UTC)") && error.ends_with(&format!("raise `{name}` in [limits]")),
            "{error}"
        );
        assert_eq!(told["usage"]["calls"], 0);
        // Another model follows in the order.
        let script = "[profiles.script]\nprotocol = \"scripted\"\nfile = \"HOME/model.jsonl\"\n[fallback]\norder = [\"team\", \"script\"]";
        let run = ask(limits, "").file("model.jsonl", "{\"reply\": \"ls -a\"}");
        let script = script.replace("HOME", &run.path("").display().to_string());
        let run = with_counts(run.config(&format!("{}{script}", config(limits, ""))), &counts).run().code(0);
        let answer = json(&run.stdout);
        assert_eq!(answer["command"], "ls -a");
        assert!(answer["fallback"][0].as_str().unwrap().contains("used up"), "{answer}");
        assert_eq!(server.heard().len(), before, "nothing was sent");
    }
    let told = with_counts(Askline::new(["stats"]).config(&config("day_calls = 1", "")), &counts)
        .run()
        .code(0)
        .stdout;
    assert!(
        told.contains("today      1 of 1 calls, ") && told.contains("some-model at 127.0.0.1:"),
        "{told}"
    );
    // A limit that cannot be checked refuses the request.
    let before = server.heard().len();
    let told = ask("day_calls = 9", "").file("data/askline/stats/counts/x", "").run().code(1);
    let error = json(&told.stdout)["error"].to_string();
    assert!(error.contains("can't read today's use of servers: ") && error.contains("remove it"), "{error}");
    assert_eq!(server.heard().len(), before);
}

/// A user at a terminal is asked, and answers no.
#[test]
fn forgetting_is_asked_about_at_a_terminal() {
    let home = tempfile::tempdir().unwrap();
    let counts = home.path().join("askline/stats/counts");
    fs::create_dir_all(counts.parent().unwrap()).unwrap();
    fs::write(&counts, "figures").unwrap();
    for (answer, code, is_kept) in [("n\n", 1, true), ("\n", 1, true), ("\u{4}", 1, true), ("y\n", 0, false)]
    {
        let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_askline"));
        command.args(["forget", "stats"]);
        command.env_clear();
        for (name, value) in [("HOME", home.path()), ("XDG_DATA_HOME", home.path())] {
            command.env(name, value);
        }
        let mut pty = Pty::start(12, 100, command);
        pty.wait_for("delete all of this? y or n");
        pty.send(answer);
        assert_eq!(pty.wait_exit().exit_code(), code, "{answer:?}");
        assert_eq!(counts.exists(), is_kept, "{answer:?}");
    }
}

#[test]
fn forgetting_leaves_models_and_configuration() {
    let remembered = |args: &[&str]| {
        let run = Askline::new(["forget"].into_iter().chain(args.iter().copied()))
            .config("deadline_ms = 9000\n")
            .env("XDG_RUNTIME_DIR", "HOME/run")
            .env("TMPDIR", "HOME/tmp")
            .file("data/askline/models/m.gguf", "weights")
            .file("data/askline/stats/counts", "figures")
            .file("cache/askline/states/a.state", "state")
            .file("cache/askline/help/b", "help")
            .file("run/askline/presses/pts-1", "words")
            .file("run/askline/socket", "")
            .file("own/file", "mine")
            .file("tmp/other", "");
        for directory in ["run", "run/askline", "run/askline/presses"] {
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            fs::set_permissions(run.path(directory), private).unwrap();
        }
        // Another user's link, placed in the hope that we follow it.
        let user = rustix::process::geteuid().as_raw();
        let trap = run.path(&format!("tmp/askline-{user}"));
        fs::create_dir(&trap).unwrap();
        fs::set_permissions(&trap, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink(run.path("own"), trap.join("presses")).unwrap();
        run
    };
    let files = [
        "data/askline/stats/counts",
        "cache/askline/states/a.state",
        "cache/askline/help/b",
        "run/askline/presses/pts-1",
    ];
    let kept = [
        "data/askline/models/m.gguf",
        "config/askline/config.toml",
        "run/askline/socket",
        "own/file",
        "tmp/other",
    ];
    for (args, code, gone) in [
        (&[][..], 2, [false; 4]),
        (&["stats"], 2, [false; 4]),
        (&["--yes"], 0, [true; 4]),
        (&["all", "--yes"], 0, [true; 4]),
        (&["stats", "--yes"], 0, [true, false, false, false]),
        (&["cache", "--yes"], 0, [false, true, true, true]),
    ] {
        let ran = remembered(args).run().code(code);
        assert_eq!(files.map(|file| !ran.path(file).exists()), gone, "{args:?} {}", ran.stdout);
        for file in kept {
            assert!(ran.path(file).exists(), "{args:?}: {file}");
        }
        assert!(ran.stdout.contains("HOME/"), "it says what: {}", ran.stdout);
    }
    Askline::new(["forget", "--yes"])
        .env("TMPDIR", "HOME/tmp")
        .run()
        .stdout("")
        .stderr("nothing is stored\n")
        .code(0);
}
