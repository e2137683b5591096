//! Merged branches, read from the objects of a repository, as git itself tells them.

use std::path::Path;
use std::process::Command;

use super::{json, looking, row};

/// Runs git in a directory; returns what it printed.
fn git(directory: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(directory).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    for (name, value) in [
        ("HOME", "/nonexistent"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "Ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.org"),
        ("GIT_COMMITTER_NAME", "Ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.org"),
    ] {
        git.env(name, value);
    }
    let output = git.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Makes a repository with merged branches, others, and messages so similar that git packs commits as changes of others.
fn repository(directory: &Path) {
    std::fs::create_dir_all(directory).unwrap();
    git(directory, &["init", "-q", "-b", "main"]);
    let commit = |message: &str| {
        let long = format!("{message}\n\n{}", "The same long story about the harbour. ".repeat(40));
        git(directory, &["commit", "-q", "--allow-empty", "-m", &long]);
    };
    commit("first");
    for n in 0..6 {
        git(directory, &["switch", "-q", "-c", &format!("topic/{n}")]);
        commit(&format!("topic {n}"));
        commit(&format!("topic {n} again"));
        git(directory, &["switch", "-q", "main"]);
        if n % 2 == 0 {
            git(directory, &["merge", "-q", "--no-ff", "-m", "merge", &format!("topic/{n}")]);
        }
        commit(&format!("main {n}"));
    }
    git(directory, &["branch", "same"]);
    git(directory, &["branch", "old", "main~3"]);
}

/// Returns the lines of the look, as an investigation in `work` shows them.
fn seen(prepare: impl Fn(&Path)) -> (String, String, Vec<String>) {
    let look = r#"<tool_code>{"name":"git_state"}</tool_code>"#;
    let end = "<final_answer>So. <command>git branch --merged</command></final_answer>";
    let rows = [row(look), row(end)].join("\n");
    let askline = looking(&["--json", "--", "which of my branches are merged"]).model(&rows);
    let work = askline.path("work");
    repository(&work);
    prepare(&work);
    let merged = git(&work, &["for-each-ref", "--merged", "HEAD", "--format=%(refname:short)", "refs/heads"]);
    let ran = askline.in_sh("cd work; RUN").run().code(0);
    let look = &json(&ran)["evidence"][0];
    let text = |name: &str| look[name].as_str().unwrap().to_owned();
    (text("seen"), text("text"), merged.lines().map(str::to_owned).collect())
}

fn nothing(_: &Path) {}

/// Loose objects, packed ones with changes of others, and half of each.
#[test]
fn merged_branches_are_those_that_git_names() {
    let pack = |work: &Path| {
        git(work, &["repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=50"]);
        git(work, &["pack-refs", "--all"]);
        assert!(git(work, &["count-objects", "-v"]).contains("count: 0\n"), "all objects are packed");
        let index =
            std::fs::read_dir(work.join(".git/objects/pack")).unwrap().map(|file| file.unwrap().path());
        let index = index.into_iter().find(|file| file.extension().is_some_and(|it| it == "idx")).unwrap();
        let packed = git(work, &["verify-pack", "-v", index.to_str().unwrap()]);
        // Name, kind, size, packed size, offset, depth, base.
        let changes =
            packed.lines().filter(|line| line.contains(" commit ") && line.split_whitespace().count() == 7);
        assert!(0 < changes.count(), "no commit is packed as a change:\n{packed}");
    };
    let both = |work: &Path| {
        pack(work);
        git(work, &["switch", "-q", "topic/1"]);
        git(work, &["commit", "-q", "--allow-empty", "-m", "later"]);
        git(work, &["switch", "-q", "main"]);
        git(work, &["merge", "-q", "-m", "merge", "topic/1"]);
    };
    let prepared: [&dyn Fn(&Path); 3] = [&nothing, &pack, &both];
    for prepare in prepared {
        let (headline, text, merged) = seen(prepare);
        for branch in ["topic/0", "topic/1", "topic/2", "topic/3", "topic/4", "topic/5", "same", "old"] {
            let line = text.lines().find(|line| line.starts_with(&format!("branch {branch} at "))).unwrap();
            let is_merged = merged.iter().any(|name| name == branch);
            let said = (line.contains(", merged"), line.contains(", not merged"));
            assert_eq!(said, (is_merged, !is_merged), "{line}\n{merged:?}");
            assert_eq!(headline.contains(branch), is_merged, "{headline}");
        }
        assert!(headline.contains("; 9 branches, merged into this one: "), "{headline}");
    }
}

/// Where the history is not whole, nothing is said that may be wrong.
#[test]
fn of_a_history_with_a_gap_only_what_is_certain_is_said() {
    let gap = |work: &Path| {
        let lost = git(work, &["rev-parse", "main~2"]);
        let (directory, name) = lost.trim().split_at(2);
        std::fs::remove_file(work.join(".git/objects").join(directory).join(name)).unwrap();
        git(work, &["branch", "-f", "old", "main~1"]);
        git(work, &["branch", "-D", "topic/0", "topic/1", "topic/2", "topic/3", "topic/4"]);
    };
    let look = r#"<tool_code>{"name":"git_state"}</tool_code>"#;
    let rows = [row(look), row("<command>git branch</command>")].join("\n");
    let askline = looking(&["--json", "--", "which of my branches are merged"]).model(&rows);
    let work = askline.path("work");
    repository(&work);
    gap(&work);
    let ran = askline.in_sh("cd work; RUN").run().code(0);
    let text = json(&ran)["evidence"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains(", merged into the current branch\n"), "{text}");
    assert!(!text.contains("not merged"), "{text}");
}
