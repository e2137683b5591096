//! Git in the sandbox: a repository's own settings start nothing, and what is ordinary can be seen.

use super::*;

/// Runs a script with `sh` in a directory, with a git that asks nobody and reads only the repository's settings.
fn script(directory: &Path, text: &str) -> String {
    let mut sh = Command::new("sh");
    sh.args(["-ec", text]).current_dir(directory).env("GIT_CONFIG_GLOBAL", "/dev/null");
    for (name, value) in [("NAME", "A"), ("EMAIL", "a@example.org")] {
        sh.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    let output = sh.env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// A repository of two commits with a change that is in neither, and a program that says so when it runs.
const REPOSITORY: &str = "
    git init -q -b main . && echo one > a.txt && git add . && git commit -qm first
    echo two >> a.txt && git commit -qam second && echo three >> a.txt
    echo 'echo EVIL; echo EVIL >&2' > .git/evil.sh
";

fn preview(line: &str) -> Askline {
    Askline::new(["preview", "--run", "--shell", "bash", "--", line])
}

/// Makes the repository with more by a script, and looks at it by a line.
fn looked(more: &str, line: &str) -> (String, crate::cli::Ran) {
    let askline = preview(line);
    let home = askline.path("");
    script(&home, &format!("{REPOSITORY}\n{more}"));
    // Outside of the sandbox, on a copy.
    let copy = tempfile::tempdir().unwrap();
    script(copy.path(), &format!("cp -a '{}/.' .", home.display()));
    (script(copy.path(), line), askline.run())
}

/// Settings of a repository that start a program, each with a line that makes it start.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("diff.external", "git config diff.external 'sh .git/evil.sh'", "git diff"),
    (
        "diff.*.textconv",
        "git config diff.x.textconv 'sh .git/evil.sh'; echo '*.txt diff=x' > .gitattributes",
        "git diff",
    ),
    (
        "diff.*.textconv",
        "git config diff.x.textconv 'sh .git/evil.sh'; echo '*.txt diff=x' > .gitattributes",
        "git log -p",
    ),
    (
        "diff.*.textconv",
        "git config diff.x.textconv 'sh .git/evil.sh'; echo '*.txt diff=x' > .gitattributes",
        "git show",
    ),
    (
        "diff.*.textconv",
        "git config diff.x.textconv 'sh .git/evil.sh'; echo '*.txt diff=x' > .gitattributes",
        "git blame a.txt",
    ),
    (
        "filter.*.clean",
        "git config filter.x.clean 'sh .git/evil.sh'; echo '*.txt filter=x' > .git/info/attributes",
        "git diff",
    ),
    (
        "filter.*.clean",
        "git config filter.x.clean 'sh .git/evil.sh'; echo '*.txt filter=x' > .git/info/attributes",
        "git blame a.txt",
    ),
    ("core.fsmonitor", "git config core.fsmonitor 'sh .git/evil.sh'", "git status -s"),
    ("core.sshcommand", LAZY, "git show"),
    (
        "remote.*.uploadpack",
        "git config core.repositoryformatversion 1; git config extensions.partialClone o; git config remote.o.uploadpack 'sh .git/evil.sh'",
        "git log",
    ),
    (
        "format.pretty",
        "git config format.pretty %G?; git config gpg.program \"$PWD/.git/evil\"; cp .git/evil.sh .git/evil; chmod +x .git/evil",
        "git log",
    ),
    (
        "include.path",
        "printf '[diff]\\nexternal = sh .git/evil.sh\\n' > .git/more; git config include.path more",
        "git diff",
    ),
    ("alias.whatchanged", "git config alias.whatchanged '!sh .git/evil.sh'", "git log"),
];

/// The object of a file is missing, and is fetched when it is shown.
const LAZY: &str = "
    git config core.repositoryformatversion 1; git config core.sshCommand 'sh .git/evil.sh'
    git config remote.o.url ssh://nowhere/x; git config remote.o.promisor true; git config extensions.partialClone o
    blob=$(git rev-parse HEAD:a.txt); rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)
";

#[test]
fn a_setting_that_starts_a_program_ends_the_look() {
    let mut worked = 0;
    for (setting, more, line) in SETTINGS {
        let (outside, ran) = looked(more, line);
        worked += usize::from(outside.contains("EVIL"));
        let why = "not run: the repository's setting `";
        assert!(ran.stderr.starts_with(why), "{setting}, {line}: {}{}", ran.stdout, ran.stderr);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("EVIL"), "{setting}, {line}");
        if *setting != "core.sshcommand" && *setting != "remote.*.uploadpack" {
            assert!(ran.stderr.contains(setting), "{setting}, {line}: {}", ran.stderr);
        }
    }
    // Without the sandbox most of them run; the others need a signed commit, a newer git or no alias.
    assert!(9 <= worked, "{worked} of {}", SETTINGS.len());
}

/// The same settings in another place than `.git/config`.
#[test]
fn no_other_place_brings_its_settings() {
    let evil = "git config diff.external 'sh .git/evil.sh'";
    let external = "[diff]\\n\\texternal = sh ../.git/evil.sh\\n";
    for (name, more, line, why) in [
        ("the worktree's", "git config extensions.worktreeConfig true; printf '[diff]\\nexternal = sh .git/evil.sh\\n' > .git/config.worktree".to_owned(), "git diff", "`diff.external`"),
        ("of a common directory", format!("mkdir c; cp -a .git/. c; printf '{external}' >> c/config; echo ../c > .git/commondir"), "git diff", "leads to another repository"),
        ("of a `.git` file", "mv .git g; git --git-dir=g config diff.external 'sh g/evil.sh'; echo 'gitdir: g' > .git".to_owned(), "git diff", "leads to another repository"),
        ("behind a link", format!("{evil}; mv .git g; ln -s g .git"), "git diff", "`diff.external`"),
    ] {
        let (_, ran) = looked(&more, line);
        assert!(ran.stderr.starts_with("not run: ") && ran.stderr.contains(why), "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("EVIL"), "{name}");
    }
}

/// Git looks into submodules by a git of its own, also into those that `.gitmodules` doesn't name.
#[test]
fn submodules_end_the_look() {
    let embedded = "
        git init -q sub; cd sub; echo x > x.txt; git add .; git commit -qm x; git config filter.x.clean 'sh ../.git/evil.sh'
        echo '*.txt filter=x' > .git/info/attributes; echo y > x.txt; cd ..; git add sub 2>/dev/null; git commit -qm sub";
    for more in [
        embedded.to_owned(),
        format!("{embedded}; mv sub/.git g; ln -s ../g sub/.git; git update-index --index-version 4"),
    ] {
        let (outside, ran) = looked(&more, "git status");
        assert!(outside.contains("EVIL") || outside.contains("modified content"), "{outside}");
        let why = "not run: git would read the settings of its submodules; look without git\n";
        assert!(ran.stderr.starts_with(why), "{}{}", ran.stdout, ran.stderr);
    }
}

/// A directory with `HEAD`, `objects`, `refs` and `config` is a repository for git, wherever it lies; an unsound `.git` none.
#[test]
fn git_finds_no_other_repository_than_the_checked_one() {
    let bare = "mkdir b; cp -a .git/. b; cd b; git config core.bare false; git config core.worktree \"$PWD\"; git config diff.external 'sh evil.sh'";
    for more in ["", "mkdir .git"] {
        let askline = preview("git diff");
        script(&askline.path(""), &format!("{REPOSITORY}\n{bare}\n{more}"));
        let ran = askline.in_sh("cd b; RUN").run();
        assert!(ran.stderr.contains("is a bare repository; look from elsewhere"), "{}", ran.stderr);
    }
    let unsound = "git config diff.external 'sh .git/evil.sh'; mkdir -p sub/.git/objects; printf '[core]\\n\\tbare = false\\n' > sub/.git/config";
    let askline = preview("ls ..; git diff");
    script(&askline.path(""), &format!("{REPOSITORY}\n{unsound}"));
    let ran = askline.in_sh("cd sub; RUN").run();
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("EVIL"), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.to_lowercase().contains("not a git repository"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn ordinary_clones_can_be_seen() {
    let source = tempfile::tempdir().unwrap();
    script(source.path(), REPOSITORY);
    let clone = format!(
        "git clone -q '{}' . && git config user.name A && git config pull.rebase true && git config core.hooksPath .husky
         git remote add up https://example.org/a && git branch -q --track x origin/main && echo three >> a.txt",
        source.path().display()
    );
    let worktree = format!(
        "git -C '{}' worktree add -q -f --detach \"$PWD\" && echo three >> a.txt",
        source.path().display()
    );
    for (made, line, expected) in [
        (&clone, "git status -s", " M a.txt\n"),
        (&clone, "git log --oneline --format=%s", "second\nfirst\n"),
        (&clone, "git diff --stat", " a.txt | 1 +\n 1 file changed, 1 insertion(+)\n"),
        (&clone, "git diff -- a.txt | grep '^+t'", "+three\n"),
        (&clone, "git show HEAD:a.txt", "one\ntwo\n"),
        (
            &clone,
            "git show --format=%s --stat HEAD~1 -- a.txt",
            "first\n\n a.txt | 1 +\n 1 file changed, 1 insertion(+)\n",
        ),
        (&clone, "git branch --list x", "  x\n"),
        (&clone, "git remote get-url up", "https://example.org/a\n"),
        (&clone, "git config user.name", "A\n"),
        (&clone, "git ls-files -m; git rev-parse --abbrev-ref HEAD", "a.txt\nmain\n"),
        (&worktree, "git status -s", " M a.txt\n"),
        (&worktree, "git log --format=%s -1", "second\n"),
    ] {
        let askline = preview(line);
        let said = script(&askline.path(""), made);
        let ran = askline.run();
        assert_eq!(ran.stdout, expected, "{line}: {}{said}", ran.stderr);
    }
}

#[test]
fn objects_by_their_number_are_not_shown() {
    let source = tempfile::tempdir().unwrap();
    script(
        source.path(),
        &format!("{REPOSITORY}\necho TOKEN=hunter2 > .env; git add .env; git commit -qm third"),
    );
    let blob = script(source.path(), "git rev-parse HEAD:.env");
    let (blob, short) = (blob.trim(), blob.get(..7).unwrap());
    for line in [
        format!("git show {blob}"),
        format!("git show {short}"),
        format!("git show --stat {short}"),
        format!("git show HEAD..{short}"),
        format!("git diff {short} HEAD:a.txt"),
        format!("git grep -h -e '' {short}"),
        format!("git cat-file -p {short}"),
        format!("git cat-file blob {short}"),
        format!("git show '{short}^{{}}'"),
        format!("git show x-1-g{short}"),
    ] {
        let askline = preview(&line);
        script(&askline.path(""), &format!("git clone -q '{}' .", source.path().display()));
        let ran = askline.run();
        assert!(ran.stderr.starts_with("not run: "), "{line}: {}{}", ran.stdout, ran.stderr);
        assert!(matches!(ran.stdout.as_str(), "" | "changes no file\n"), "{line}: {}", ran.stdout);
    }
    // Behind `~0` it can only be a commit, and a log has no numbers of files.
    for line in
        [format!("git show {short}~0"), format!("git log -p {short}"), format!("git log --format=%s {short}")]
    {
        let askline = preview(&line);
        script(&askline.path(""), &format!("git clone -q '{}' .", source.path().display()));
        let ran = askline.run();
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("hunter2"), "{line}: {}", ran.stdout);
    }
}
