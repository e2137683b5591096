//! Knowledge of the commands of this machine and of recorded machines.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use askline::config::Help;
use askline::environment::{self, Environment, Machine};
use askline::examine::{Examined, Examiner};
use askline::knowledge::Knowledge;
use askline::shell_facts::ShellFacts;
use askline_check::finding::{Finding, Severity};
use askline_check::reference::{CommandKind, Reference as _};
use askline_host::local::{LocalHost, Runaway};
use askline_host::recorded::RecordedHost;
use askline_host::{FileEntry, Host, Output, Probe, System};
use askline_manual::Arity;
use askline_manual::catalogue::CommandDoc;
use askline_syntax::shell::Shell;

/// A recorded machine with GNU's ls, git with two levels of subcommands, BusyBox, a clone with its own program, and a
/// home.
const MACHINE: &str = r#"
    current_dir = "/home/ada/clone"
    programs = [
        "/usr/bin/ls", "/usr/bin/git", "/usr/bin/bare", "/usr/bin/mute", "/usr/sbin/reboot", "/usr/bin/busybox",
        "/home/ada/bin/mine", "/home/ada/clone/tool", "/usr/bin/fish", "/usr/bin/bash", "/usr/bin/open",
    ]
    [system]
    os = "linux"
    release = "6.6.1"
    machine = "x86_64"
    [env]
    PATH = "/usr/bin:/usr/sbin:/home/ada/bin:/home/ada/clone"
    HOME = "/home/ada"
    [links]
    "/usr/bin/vi" = "busybox"
    "/usr/bin/halt" = "busybox"
    [modes]
    "/usr/bin/open" = 0o777
    [files]
    "/usr/share/man/man1/ls.1" = '''
.TH LS 1 "2022" "GNU coreutils 9.1" "User Commands"
.SH NAME
ls \- list directory contents
.SH DESCRIPTION
.TP
\fB\-a\fR, \fB\-\-all\fR
do not ignore entries starting with .
.TP
\fB\-l\fR
long
.TP
\fB\-t\fR
by time
.TP
\fB\-r\fR
reverse
.TP
\fB\-\-color\fR[=\fI\,WHEN\/\fR]
colour
.TP
\fB\-\-help\fR
display this help
'''
    "/usr/share/man/man1/vi.1" = ".TH VI 1\n.SH NAME\nvi \\- another vi\n.SH OPTIONS\n.TP\n\\-\\-wrong\nnot BusyBox's\n"
    "/usr/share/man/man1/tool.1" = ".TH TOOL 1\n.SH NAME\ntool \\- another\n.SH OPTIONS\n.TP\n\\-\\-wrong\nnot this one's\n"
    "/usr/share/man/man1/git.1" = '''
.TH GIT 1
.SH NAME
git \- the stupid content tracker
.SH OPTIONS
.PP
\-C <path>
.RS 4
Run as if git was started in <path>\&.
.RE
.PP
\-\-version
.RS 4
Prints the version\&.
.RE
.PP
\-\-help
.RS 4
Prints help\&.
.RE
'''
    "/usr/share/man/man1/git-log.1" = '''
.TH GIT-LOG 1
.SH NAME
git-log \- Show commit logs
.SH OPTIONS
.PP
\-\-graph
.RS 4
Draw a graph\&.
.RE
.PP
\-\-oneline
.RS 4
Short\&.
.RE
'''
    [[probes]]
    program = "/usr/bin/bash"
    arguments = ["-O", "extglob", "-n"]
    input = "ls )\n"
    success = false
    stderr = "bash: line 1: syntax error near unexpected token `)'\n"
    [[probes]]
    program = "/usr/bin/ls"
    arguments = ["--help"]
    stdout = "Usage: ls [OPTION]... [FILE]...\n  -a, --all    do not ignore\n      --zero   end each line with NUL\n"
    [[probes]]
    program = "/usr/bin/ls"
    arguments = ["--colour", "--zzznope"]
    success = false
    stderr = "ls: unrecognized option '--zzznope'\n"
    [[probes]]
    program = "/usr/bin/ls"
    arguments = ["-j", "--zzznope"]
    success = false
    stderr = "ls: invalid option -- 'j'\n"
    [[probes]]
    program = "/usr/bin/git"
    arguments = ["--help"]
    stdout = "usage: git [-C <path>] <command>\n\nCommands:\n   clone     Clone a repository\n   log       Show commit logs\n"
    [[probes]]
    program = "/usr/bin/git"
    arguments = ["log", "-h"]
    stdout = "usage: git log [<options>]\n\n    --source    show source\n    --mailmap   use mail map\n"
"#;

struct Recorded {
    machine: Machine,
    environment: Arc<Environment>,
}

impl Recorded {
    fn new(shell: Shell) -> Self {
        let host = RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap();
        let machine = Machine::new(Arc::new(host), None);
        let environment = Arc::new(environment::gather(&machine, shell, &ShellFacts::default()));
        Self { machine, environment }
    }

    fn knowledge(&self, told: &[(&str, &str)]) -> Knowledge {
        let mut facts = ShellFacts::default();
        told.iter().for_each(|(key, value)| facts.add(key, value));
        Knowledge::new(&self.machine, &self.environment, &facts, Help::System)
    }
}

#[test]
fn names_stand_for_what_a_shell_would_run() {
    let recorded = Recorded::new(Shell::Bash);
    let told = [
        ("alias.ll", "ls -l --color"),
        ("alias.ls", "ls --color=auto"),
        ("alias.gl", "git log --oneline"),
        ("alias.g", "git"),
        ("alias.loop", "pool"),
        ("alias.pool", "loop"),
        ("alias.odd", "'unclosed"),
        ("function.greet", ""),
    ];
    let knowledge = recorded.knowledge(&told);
    let kind = |command: &[&str]| knowledge.known(command).kind.clone();
    let ls = CommandKind::Program { path: "/usr/bin/ls".into(), real_path: "/usr/bin/ls".into() };
    assert_eq!(kind(&["ls"]), CommandKind::Alias("ls --color=auto".to_owned()));
    assert_eq!(kind(&["/usr/bin/ls"]), ls);
    assert_eq!(kind(&["cd"]), CommandKind::Builtin);
    assert_eq!(kind(&["greet"]), CommandKind::Function);
    assert_eq!(kind(&["frobnicate"]), CommandKind::Missing);
    assert_eq!(kind(&[]), CommandKind::Missing);
    assert_eq!(kind(&[""]), CommandKind::Missing);
    assert_eq!(kind(&["loop"]), CommandKind::Alias("pool".to_owned()));
    assert_eq!(kind(&["odd"]), CommandKind::Alias("'unclosed".to_owned()));
    assert!(matches!(kind(&["./tool"]), CommandKind::Program { .. }));
    let manual = |command: &[&str]| knowledge.known(command).manual.clone().map(|manual| manual.name.clone());
    assert_eq!(manual(&["ll"]).as_deref(), Some("ls"));
    assert_eq!(manual(&["gl"]).as_deref(), Some("git-log"));
    assert_eq!(manual(&["g", "log"]).as_deref(), Some("git-log"));
    let names = knowledge.names();
    for name in ["ls", "ll", "cd", "greet", "git"] {
        assert_eq!(names.iter().filter(|known| *known == name).count(), 1, "{name}");
    }
}

#[test]
fn levels_are_documented_each_for_itself() {
    let recorded = Recorded::new(Shell::Zsh);
    let knowledge = recorded.knowledge(&[]);
    let log = knowledge.known(&["git", "log", "main"]);
    let manual = log.manual.clone().unwrap();
    assert!(manual.option("--graph").is_some(), "from its page");
    assert!(log.above.first().unwrap().option("-C").is_some());
    assert_eq!(log.above.len(), 1);
    let git = knowledge.known(&["git", "frobnicate"]);
    assert!(git.manual.as_ref().unwrap().option("-C").is_some() && git.above.is_empty());
    assert!(
        git.manual.as_ref().unwrap().subcommands.iter().any(|known| known.name == "clone"),
        "from its help"
    );
    for word in ["--upload-pack=x", "-c", "", "../x", "a b", "é"] {
        assert!(knowledge.known(&["git", word]).above.is_empty(), "{word}");
    }
    // Documented by name only: no options are known, not even git's own.
    let clone = knowledge.known(&["git", "clone"]);
    assert!(clone.manual.is_none() && clone.above.len() == 1);
}

#[test]
fn documentation_of_other_programs_is_not_taken() {
    let recorded = Recorded::new(Shell::Bash);
    let knowledge = recorded.knowledge(&[]);
    for name in ["vi", "tool", "./tool", "mine", "bare"] {
        let known = knowledge.known(&[name]);
        assert!(matches!(known.kind, CommandKind::Program { .. }), "{name}");
        assert_eq!(known.manual, None, "{name}");
    }
    for name in ["reboot", "halt", "tool", "mine", "bare", "open"] {
        assert!(!knowledge.known(&[name]).askable, "{name}");
        assert_eq!(knowledge.accepts(&[name], "--force"), None, "{name}");
    }
    assert!(knowledge.known(&["ls"]).askable);
    let never = Knowledge::new(&recorded.machine, &recorded.environment, &ShellFacts::default(), Help::Never);
    assert!(!never.known(&["ls"]).askable);
    assert_eq!(never.accepts(&["ls"], "-j"), None);
    assert_eq!(never.accepts(&["ls"], "--all"), Some(true), "the page says so");
}

#[test]
fn an_option_is_looked_for_in_page_help_and_parser() {
    let recorded = Recorded::new(Shell::Fish);
    let knowledge = recorded.knowledge(&[("alias.ll", "ls -l")]);
    assert!(
        knowledge.known(&["ls"]).manual.as_ref().unwrap().option("--zero").is_none(),
        "the page is enough"
    );
    assert_eq!(knowledge.accepts(&["ls"], "--color=always"), Some(true));
    assert_eq!(knowledge.accepts(&["ls"], "--zero"), Some(true));
    let manual = knowledge.known(&["ls"]).manual.clone().unwrap();
    assert!(
        manual.option("--zero").is_none() && manual.option("-l").is_some(),
        "what is shown stays the page"
    );
    assert_eq!(knowledge.accepts(&["ls"], "--colour"), Some(true));
    assert_eq!(knowledge.accepts(&["ll"], "-j"), Some(false));
    assert_eq!(knowledge.accepts(&["ls"], "--unrecorded"), None);
    for odd in ["", "-", "--", "+x", "-a b", "--a\n", "ls", "--é"] {
        assert_eq!(knowledge.accepts(&["ls"], odd), None, "{odd:?}");
    }
    assert_eq!(knowledge.accepts(&["cd"], "-L"), None);
    assert_eq!(knowledge.accepts(&[], "-L"), None);
}

#[test]
fn paths_are_seen_from_where_the_user_stands() {
    let recorded = Recorded::new(Shell::Bash);
    let knowledge = recorded.knowledge(&[]);
    for (path, expected) in [
        ("tool", Some(true)),
        ("./none", Some(false)),
        ("~", Some(true)),
        ("~/bin/mine", Some(true)),
        ("~/none", Some(false)),
        ("~ada/bin", None),
        ("/usr/bin/vi", Some(true)),
        ("/usr/bin/ls/x", Some(false)),
        ("", None),
        ("a\0b", None),
    ] {
        assert_eq!(knowledge.exists(path), expected, "{path:?}");
    }
}

#[test]
fn the_shell_judges_a_recorded_line() {
    let recorded = Recorded::new(Shell::Bash);
    let knowledge = recorded.knowledge(&[]);
    let verdict = knowledge.verdict("ls )");
    assert_eq!((verdict.ok, verdict.span), (Some(false), Some(3..4)));
    assert_eq!(knowledge.verdict("not recorded").ok, None);
    assert_eq!(knowledge.verdict(&"x".repeat(40 << 10)).ok, None);
}

/// Returns a machine in which only some rows differ, with `rows` before the tables and `tables` after them.
fn recorded(rows: &str, path: &str, tables: &str) -> RecordedHost {
    let text = format!(
        "{rows}\n[system]\nos = \"linux\"\nrelease = \"6\"\nmachine = \"x86_64\"\n{tables}\n\
         [env]\nHOME = \"/home/ada\"\nMANPATH = \"/open/man:/home/ada/clone/man:/home/ada/man\"\nPATH = \"{path}\"\n"
    );
    RecordedHost::parse(Path::new("machine.toml"), &text).unwrap()
}

fn knowledge_of(host: RecordedHost, shell: Shell, cache: Option<&Path>) -> Knowledge {
    let machine = Machine::new(Arc::new(host), cache.map(Path::to_owned));
    let environment = environment::gather(&machine, shell, &ShellFacts::default());
    Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System)
}

/// A world-writable page confirms no option and starts no program.
#[test]
fn pages_that_others_could_write_are_not_there() {
    let page = |name: &str| {
        format!(".TH X 1\n.SH NAME\n{name} \\- x\n.SH OPTIONS\n.TP\n\\-\\-{name}\nx \\-\\-help\n")
    };
    let host = |current: &str, owner: u32| {
        let files: String = [
            ("/open/man/man1/openly.1", "openly"),
            ("/open/man/man8/foodd.8", "foodd"),
            ("/home/ada/clone/man/man1/cloned.1", "cloned"),
            ("/home/ada/man/man1/own.1", "own"),
            ("/usr/share/man/man1/group.1", "group"),
            ("/usr/share/man/man1/theirs.1", "theirs"),
            ("/usr/share/man/man1/lent.1", "lent"),
        ]
        .map(|(path, name)| format!("{path:?} = {:?}\n", page(name)))
        .concat();
        let programs = ["openly", "cloned", "own", "group", "theirs", "lent", "bare"]
            .map(|name| format!("/usr/bin/{name}"));
        let rows = format!(
            "current_dir = {current:?}\nprograms = {:?}",
            [&programs[..], &["/usr/sbin/foodd".to_owned()]].concat()
        );
        let tables = format!(
            "[files]\n{files}[links]\n\"/usr/share/man/man1/bare.1\" = \"/open/man/man1/openly.1\"\n\
             [modes]\n\"/open\" = 0o777\n\"/usr/share/man/man1/group.1\" = 0o664\n\
             [owners]\n\"/home/ada\" = 1000\n\"/home/ada/man\" = {owner}\n\"/usr/share/man/man1/theirs.1\" = 1001\n"
        );
        recorded(&rows, "/usr/bin:/usr/sbin", &tables)
    };
    let documented = |current: &str, owner: u32| {
        let knowledge = knowledge_of(host(current, owner), Shell::Bash, None);
        assert!(!knowledge.known(&["foodd"]).askable);
        ["openly", "cloned", "own", "group", "theirs", "lent", "bare", "foodd"]
            .into_iter()
            .filter(|name| {
                let known = knowledge.accepts(&[name], &format!("--{name}"));
                assert_eq!(known.is_some(), knowledge.known(&[name]).manual.is_some(), "{name}");
                known == Some(true)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(documented("/home/ada/clone", 1000), ["own", "lent"]);
    assert_eq!(documented("/home/ada", 1000), ["cloned", "own", "lent"]);
    assert_eq!(documented("/home/ada", 1001), ["cloned", "lent"]);
}

/// Only a shell that root or the user can have installed reads a line, and none below the home directory.
#[test]
fn only_a_trusted_shell_judges() {
    let many: Vec<String> = (0..128).map(|n| format!("/d{n}")).collect();
    let [late, late_open] = ["/late/bin", "/open/safe/bin"].map(|last| format!("{}:{last}", many.join(":")));
    for (path, program, judges) in [
        ("/usr/bin", "/usr/bin/bash", true),
        ("/brew/bin", "/brew/bin/bash", true),
        ("/nix/store/x/bin", "/nix/store/x/bin/bash", true),
        ("/open/safe/bin", "/open/safe/bin/bash", false),
        ("/group/bin", "/group/bin/bash", false),
        ("/eve/bin", "/eve/bin/bash", false),
        ("/brew/.pyenv/shims", "/brew/.pyenv/shims/bash", false),
        ("/usr/lib/node_modules/bin", "/usr/lib/node_modules/bin/bash", true),
        ("/home/ada/.cargo/bin", "/home/ada/.cargo/bin/bash", false),
        // In a directory that was not scanned the owners decide too.
        (&late, "/late/bin/bash", true),
        (&late_open, "/open/safe/bin/bash", false),
    ] {
        let directories = [&many[..], &["/home/ada".to_owned()]].concat();
        let rows = format!("programs = [{program:?}]\ndirectories = {directories:?}");
        let tables = format!(
            "[modes]\n\"/open\" = 0o777\n\"/group/bin\" = 0o775\n\"/nix/store\" = 0o1775\n\
             [owners]\n\"/home/ada\" = 1000\n\"/eve/bin/bash\" = 1001\n\"/brew\" = 1000\n\
             [[probes]]\nprogram = {program:?}\narguments = [\"-O\", \"extglob\", \"-n\"]\ninput = \"ls\\n\"\n"
        );
        let knowledge = knowledge_of(recorded(&rows, path, &tables), Shell::Bash, None);
        assert!(matches!(knowledge.known(&["bash"]).kind, CommandKind::Program { .. }), "{program}");
        assert_eq!(knowledge.verdict("ls").ok.is_some(), judges, "{program}");
    }
}

/// Cached facts of a trusted program are ignored where the program is not trusted.
#[test]
fn the_cache_does_not_lend_trust() {
    let cache = tempfile::tempdir().unwrap();
    let look = |current: &str| {
        let rows = format!("current_dir = {current:?}\nprograms = [\"/home/ada/clone/bin/tool\"]");
        let tables = "[files]\n\"/usr/share/man/man1/tool.1\" = '''\n.TH TOOL 1\n.SH NAME\ntool \\- x\n\
                      .SH OPTIONS\n.TP\n\\-\\-real\nx\n'''\n";
        let knowledge =
            knowledge_of(recorded(&rows, "/home/ada/clone/bin", tables), Shell::Bash, Some(cache.path()));
        let known = knowledge.known(&["tool"]);
        knowledge.remember();
        known.manual.is_some()
    };
    assert!(look("/home/ada") && look("/home/ada"));
    assert!(!look("/home/ada/clone"), "in the working tree it may be anything");
    assert!(look("/home/ada"));
}

/// In an alias such as `ls | less` a flag does not belong to `ls`.
#[test]
fn aliases_of_more_than_one_command_lead_to_no_program() {
    for (shell, value, leads) in [
        (Shell::Bash, "ls -l", true),
        (Shell::Bash, " ls -l ", true),
        (Shell::Bash, "'ls' 2>/dev/null", true),
        (Shell::Fish, "ls -l", true),
        (Shell::Nu, "ls -l", true),
        (Shell::Bash, "ls -l | less", false),
        (Shell::Zsh, "ls; git", false),
        (Shell::Bash, "ls && git", false),
        (Shell::Bash, "ls &", false),
        (Shell::Bash, "ls $(git)", false),
        (Shell::Bash, "$LISTER -l", false),
        (Shell::Bash, "ls $MORE", false),
        (Shell::Bash, "PATH=/tmp ls", false),
        (Shell::Bash, "(ls)", false),
        (Shell::Bash, "if ls; then", false),
        (Shell::Bash, "ls \nls", false),
        (Shell::Bash, "ls '", false),
        (Shell::Fish, "ls | less", false),
        (Shell::Nu, "ls | length", false),
        (Shell::Bash, "", false),
    ] {
        let recorded = Recorded::new(shell);
        let told = [("alias.l", value), ("alias.again", "l -a")];
        let knowledge = recorded.knowledge(&told);
        for name in ["l", "again"] {
            let known = knowledge.known(&[name]);
            assert!(matches!(known.kind, CommandKind::Alias(_)), "{value}");
            assert_eq!(known.manual.is_some(), leads && shell != Shell::Nu, "{shell}: {value}");
        }
        assert_eq!(
            knowledge.accepts(&["l"], "--color").is_some(),
            leads && shell != Shell::Nu,
            "{shell}: {value}"
        );
    }
}

fn here(shell: Shell) -> (Machine, Arc<Environment>) {
    let machine = Machine::new(Arc::new(LocalHost), None);
    let mut environment = environment::gather(&machine, shell, &ShellFacts::default());
    // `scripts/test` puts Nushell below the checkout; programs below the working directory are not trusted.
    environment.current_dir = None;
    (machine, Arc::new(environment))
}

/// The shells of this machine, in the sandbox. The four known traps of asking them are covered.
#[test]
fn real_shells_judge_lines_without_running_them() {
    let top = tempfile::tempdir().unwrap();
    let made = top.path().join("made");
    let pipe = top.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let harm = format!("touch {0}; : > {0}; echo $(touch {0}); cat <(touch {0})", made.display());
    let fish_harm = format!("touch {0}; echo > {0}; echo (touch {0})", made.display());
    let nu_harm = format!("touch {0}; ^touch {0}; 'x' | save -f {0}", made.display());
    let reads = format!("echo $(<{})", pipe.display());
    let cases: &[(Shell, &str, Option<bool>)] = &[
        (Shell::Bash, "for f in *.txt; do echo \"$f\"; done", Some(true)),
        (Shell::Bash, "ls !(*.txt)", Some(true)),
        (Shell::Bash, "! true", Some(true)),
        (Shell::Bash, "ls &&", Some(false)),
        (Shell::Bash, "echo 'a", Some(false)),
        (Shell::Bash, "exit 3", Some(true)),
        (Shell::Bash, "[[ -f x ]", Some(false)),
        (Shell::Bash, "if [[ a b ]]; then ls; fi", Some(false)),
        (Shell::Bash, "cat <<E", Some(true)),
        (Shell::Bash, &harm, Some(true)),
        (Shell::Bash, &reads, Some(true)),
        (Shell::Zsh, "for f in *(.om[1,5]); do echo $f; done", Some(true)),
        (Shell::Zsh, "! true", Some(true)),
        (Shell::Zsh, "ls &&", Some(false)),
        (Shell::Zsh, "ls ||", Some(false)),
        (Shell::Zsh, "ls |", Some(false)),
        (Shell::Zsh, "echo \"a", Some(false)),
        (Shell::Zsh, "echo )", Some(false)),
        (Shell::Zsh, &harm, Some(true)),
        (Shell::Zsh, &reads, None),
        (Shell::Zsh, "echo $(0</dev/zero)", None),
        (Shell::Zsh, "ls ${a b}", None),
        (Shell::Zsh, "echo ${", Some(false)),
        (Shell::Fish, "for f in *.txt; echo $f; end", Some(true)),
        (Shell::Fish, "echo (ls", Some(false)),
        (Shell::Fish, "ls | | x", Some(false)),
        (Shell::Fish, "ls &&", Some(false)),
        (Shell::Fish, "echo ${x}", Some(false)),
        (Shell::Fish, &fish_harm, Some(true)),
        (Shell::Nu, "ls -la | where size > 10kb | sort-by modified", Some(true)),
        (Shell::Nu, "ls --badflag", Some(false)),
        (Shell::Nu, "ls && pwd", Some(false)),
        (Shell::Nu, "ls |", Some(false)),
        (Shell::Nu, "echo $mine", None),
        (Shell::Nu, "source ~/mine.nu", None),
        (Shell::Nu, "^rg --files", Some(true)),
        (Shell::Nu, &nu_harm, Some(true)),
    ];
    for shell in Shell::ALL {
        let (machine, environment) = here(shell);
        assert!(environment.commands.contains(shell.name()), "{shell} is not installed; run scripts/setup");
        for (_, line, expected) in cases.iter().filter(|(of, ..)| *of == shell) {
            let started = Instant::now();
            let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
            let verdict = knowledge.verdict(line);
            assert_eq!(verdict.ok, *expected, "{shell}: {line}: {verdict:?}");
            assert_eq!(
                verdict.ok == Some(false),
                !verdict.message.is_empty(),
                "{shell}: {line}: {verdict:?}"
            );
            assert!(started.elapsed() < Duration::from_secs(3), "{shell}: {line}");
        }
    }
    assert!(!made.exists());
}

/// Nushell itself parses lines for us; none of their commands runs.
#[test]
fn real_nushell_takes_its_lines_apart_without_running_them() {
    let top = tempfile::tempdir().unwrap();
    let kept = top.path().join("kept");
    fs::write(&kept, "x").unwrap();
    let harm = format!("rm -f {0}; ^rm -f {0}; 'y' | save -f {0}; [1] | each {{ rm {0} }}", kept.display());
    let (machine, environment) = here(Shell::Nu);
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
    let examiner = Examiner { shell: Shell::Nu, knowledge: &knowledge };
    let names = |line: &str| {
        knowledge.begin_line();
        let parsed = examiner.parse(line);
        let names: Vec<_> = parsed.parsed().commands.iter().filter_map(|command| command.name()).collect();
        names.join(" ")
    };
    assert_eq!(names(&harm), "rm rm save each rm");
    assert_eq!(names("ls | where size > 10kb | sort-by modified"), "ls where sort-by");
    assert_eq!(names("sudo rm -rf /"), "sudo rm");
    assert_eq!(names(""), "");
    // If Nushell cannot be asked, our own parser reads the line.
    assert_eq!(names("a\0b | c"), "a\0b c");
    for line in
        ["echo $mine", "$mine.x | get y", "ls # |", "let ünit = 'é'; print $ünit", "source ~/mine.nu", &harm]
    {
        knowledge.begin_line();
        let examined = examiner.examine(line);
        let wrong = |finding: &&Finding| {
            matches!(
                finding.kind,
                askline_check::finding::FindingKind::Syntax | askline_check::finding::FindingKind::Incomplete
            )
        };
        assert_eq!(examined.report.findings.iter().find(wrong), None, "{line}");
    }
    for (line, ok) in [("ls --badflag", Some(false)), ("echo \"a", Some(false)), ("ls -la", Some(true))] {
        knowledge.begin_line();
        let report = examiner.examine(line).report;
        let errors = report.findings.iter().filter(|finding| finding.grade == Severity::Error).count();
        assert_eq!((report.syntax_ok, errors), (ok, usize::from(ok == Some(false))), "{line}: {report:?}");
    }
    assert_eq!(knowledge.pieces(&"x".repeat(40 << 10)), None, "too long");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "x");
}

#[test]
fn real_programs_are_known() {
    let (machine, environment) = here(Shell::Fish);
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
    for (command, option) in [
        (&["ls"][..], "--human-readable"),
        (&["find"], "-newer"),
        (&["grep"], "-P"),
        (&["tar"], "--exclude"),
        (&["git", "log"], "--oneline"),
        (&["git", "commit"], "--amend"),
        (&["sort"], "-k"),
        (&["busybox", "wget"], "-O"),
        (&["string"], "-h"),
    ] {
        let known = knowledge.known(command);
        let manual = known.manual.as_ref().unwrap_or_else(|| panic!("{command:?} has no manual"));
        assert!(manual.option(option).is_some() || option == "-h", "{command:?} {option}");
    }
    // Facts that no text documents: a table of ours, and another command's manual.
    for (command, option, value) in [
        ("df", "-F", Some(Arity::Required)),
        ("date", "--rfc-822", Some(Arity::None)),
        ("zgrep", "--include", Some(Arity::Required)),
        ("zgrep", "-y", Some(Arity::None)),
        ("xzgrep", "-P", Some(Arity::None)),
        ("rm", "--presume-input-tty", None),
    ] {
        let manual = knowledge.known(&[command]).manual.clone().unwrap();
        assert_eq!(manual.option(option).map(|doc| doc.value), value, "{command} {option}");
        assert!(!manual.summary.contains("print lines") && manual.name == command, "{command}: {manual:?}");
    }
    // Answers of the tools' own parsers: options that BSD has and GNU lacks, and options that no documentation names.
    for (command, option, expected) in [
        (&["ls"][..], "--colour", Some(false)),
        (&["date"], "-v", Some(false)),
        (&["find"], "-newre", Some(false)),
        (&["stat"], "-x", Some(false)),
        (&["tail"], "-r", Some(false)),
        (&["df"], "-m", Some(true)),
        (&["sort"], "--parallel", Some(true)),
        (&["grep"], "-y", Some(true)),
        (&["zgrep"], "-y", Some(true)),
    ] {
        assert_eq!(knowledge.accepts(command, option), expected, "{command:?} {option}");
    }
}

/// This machine with another `PATH`; counts the programs started.
struct Counting {
    path: PathBuf,
    probes: std::sync::Mutex<Vec<String>>,
}

impl Host for Counting {
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
        self.probes.lock().unwrap().push(format!("{} {:?}", program.display(), probe.arguments()));
        LocalHost.probe(program, probe)
    }
    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        LocalHost.read(path, limit)
    }
    fn list(&self, directory: &Path) -> anyhow::Result<Vec<std::ffi::OsString>> {
        LocalHost.list(directory)
    }
    fn entry(&self, path: &Path) -> Option<FileEntry> {
        LocalHost.entry(path)
    }
    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        LocalHost.real_path(path)
    }
    fn env(&self, name: &str) -> Option<std::ffi::OsString> {
        if name == "PATH" { Some(self.path.clone().into()) } else { LocalHost.env(name) }
    }
    fn current_dir(&self) -> Option<PathBuf> {
        None
    }
    fn system(&self) -> System {
        LocalHost.system()
    }
    fn free_space(&self, path: &Path) -> Option<u64> {
        LocalHost.free_space(path)
    }
}

#[test]
fn a_second_look_starts_and_parses_nothing() {
    let cache = tempfile::tempdir().unwrap();
    let host = Arc::new(Counting { path: "/usr/bin:/bin".into(), probes: std::sync::Mutex::default() });
    let machine = Machine::new(host.clone(), Some(cache.path().to_owned()));
    let environment = Arc::new(environment::gather(&machine, Shell::Bash, &ShellFacts::default()));
    let look = || {
        let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
        let found = (
            knowledge.known(&["ls"]),
            knowledge.known(&["git", "log"]),
            knowledge.accepts(&["ls"], "--colour"),
            knowledge.known(&["frobnicate-that-is-missing"]),
        );
        knowledge.remember();
        let probes = std::mem::take(&mut *host.probes.lock().unwrap());
        (found, probes)
    };
    let (first, probes) = look();
    assert!(probes.iter().any(|probe| probe.contains("--colour")), "{probes:?}");
    let files = || {
        let entries = fs::read_dir(cache.path().join("knowledge")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    assert_eq!(files().len(), 3, "ls, git, git log");
    for file in files() {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let (second, probes) = look();
    assert_eq!(second, first);
    assert_eq!(probes, Vec::<String>::new());
    for file in files() {
        fs::write(&file, "askline knowledge 0\nold").unwrap();
    }
    let (third, _) = look();
    assert_eq!(third, first, "a cache of another version is made anew");
}

/// A line of hundreds of commands costs no more than one of dozens, with and without a cache.
#[test]
fn lookups_for_one_line_are_bounded() {
    let cache = tempfile::tempdir().unwrap();
    let host = Arc::new(Counting { path: "/usr/bin:/bin".into(), probes: std::sync::Mutex::default() });
    let machine = Machine::new(host, Some(cache.path().to_owned()));
    let environment = Arc::new(environment::gather(&machine, Shell::Bash, &ShellFacts::default()));
    let names: Vec<String> = environment.commands.names().map(str::to_owned).take(200).collect();
    let n_documented = || {
        let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never);
        let known = |name: &String| knowledge.known(&[name.as_str()]);
        let all: Vec<_> = names.iter().map(known).collect();
        assert!(all.iter().all(|known| known.kind != CommandKind::Missing), "names are cheap");
        knowledge.remember();
        knowledge.begin_line();
        assert_eq!(known(&names[0]), all[0], "what was looked up stays known");
        all.iter().filter(|known| known.manual.is_some()).count()
    };
    let first = n_documented();
    assert!((5..=48).contains(&first), "{first}");
    assert_eq!(n_documented(), first);
}

/// This machine, where reading a man page or a help text goes wrong.
struct Failing {
    /// Error of each probe and each read of a page; `None` as on this machine.
    probe: Option<fn() -> anyhow::Error>,
    page: Option<fn() -> anyhow::Error>,
    /// Time that each listing of a directory takes.
    listing: Duration,
    n_probes: std::sync::atomic::AtomicUsize,
}

impl Host for Failing {
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
        self.n_probes.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.probe.map_or_else(|| LocalHost.probe(program, probe), |error| Err(error()))
    }
    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        let failing = self.page.filter(|_| path.starts_with("/usr/share/man"));
        failing.map_or_else(|| LocalHost.read(path, limit), |error| Err(error()))
    }
    fn list(&self, directory: &Path) -> anyhow::Result<Vec<std::ffi::OsString>> {
        std::thread::sleep(self.listing);
        LocalHost.list(directory)
    }
    fn entry(&self, path: &Path) -> Option<FileEntry> {
        LocalHost.entry(path)
    }
    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        LocalHost.real_path(path)
    }
    fn env(&self, name: &str) -> Option<std::ffi::OsString> {
        if name == "PATH" { Some("/usr/sbin:/usr/bin:/bin".into()) } else { LocalHost.env(name) }
    }
    fn current_dir(&self) -> Option<PathBuf> {
        None
    }
    fn system(&self) -> System {
        LocalHost.system()
    }
    fn free_space(&self, path: &Path) -> Option<u64> {
        LocalHost.free_space(path)
    }
}

/// Looks up `ls` and one of its options on a failing machine; returns whether `-l` is documented, what is known of the
/// option, and the number of programs started.
fn look_with(
    cache: &Path,
    probe: Option<fn() -> anyhow::Error>,
    page: Option<fn() -> anyhow::Error>,
) -> (bool, Option<bool>, usize) {
    let host = Arc::new(Failing { probe, page, listing: Duration::ZERO, n_probes: Default::default() });
    let machine = Machine::new(host.clone(), Some(cache.to_owned()));
    let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
    let manual = knowledge.known(&["ls"]).manual.clone();
    let is_documented = manual.is_some_and(|manual| manual.option("-l").is_some());
    let accepted = knowledge.accepts(&["ls"], "--nonesuch");
    knowledge.remember();
    (is_documented, accepted, host.n_probes.load(std::sync::atomic::Ordering::Relaxed))
}

#[test]
fn what_was_cut_short_is_no_fact() {
    let cache = tempfile::tempdir().unwrap();
    let (too_many, no_start) = (
        || anyhow::Error::from(rustix::io::Errno::MFILE).context("can't read a page"),
        || anyhow::Error::from(rustix::io::Errno::AGAIN).context("can't start a program"),
    );
    let (is_documented, accepted, _) = look_with(cache.path(), Some(no_start), Some(too_many));
    assert_eq!((is_documented, accepted), (false, None));
    let (is_documented, accepted, n_probes) = look_with(cache.path(), None, None);
    assert_eq!((is_documented, accepted), (true, Some(false)), "the next press knows better");
    assert!(0 < n_probes);
    let (is_documented, accepted, n_probes) = look_with(cache.path(), None, Some(too_many));
    assert_eq!((is_documented, accepted, n_probes), (true, Some(false), 0), "and that is kept");
}

/// On a busy machine the time for listing the directories of `PATH` may end before the one of the command.
#[test]
fn a_program_in_a_directory_that_was_not_listed_is_known() {
    let (listing, n_probes) = (Duration::from_millis(300), Default::default());
    let host = Arc::new(Failing { probe: None, page: None, listing, n_probes });
    let machine = Machine::new(host, None);
    let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
    assert!(!environment.commands.complete && !environment.commands.contains("ls"));
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
    let manual = knowledge.known(&["ls"]).manual.clone();
    assert!(manual.is_some_and(|manual| manual.option("-l").is_some()));
}

#[test]
fn a_program_that_hangs_is_asked_once() {
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("hangs");
    fs::write(&file, "#!/bin/sh\nsleep 60\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let error = LocalHost.probe(&file, &Probe::Version).unwrap_err();
    assert!(error.is::<Runaway>(), "{error:#}");
    let error = LocalHost.probe(&top.path().join("none"), &Probe::Version).unwrap_err();
    assert!(!error.is::<Runaway>(), "{error:#}");

    let cache = tempfile::tempdir().unwrap();
    let hangs = || anyhow::Error::from(Runaway::Late).context("/usr/bin/ls");
    let (is_documented, accepted, n_probes) = look_with(cache.path(), Some(hangs), None);
    assert_eq!((is_documented, accepted, n_probes), (true, None, 1));
    let (is_documented, accepted, n_probes) = look_with(cache.path(), None, None);
    assert_eq!((is_documented, accepted, n_probes), (true, None, 0));
}

/// The shell is asked about the line and about the result, not about the attempts in between.
#[test]
fn a_repair_asks_the_shell_once() {
    let host = Arc::new(Counting { path: "/usr/bin:/bin".into(), probes: std::sync::Mutex::default() });
    let machine = Machine::new(host.clone(), None);
    let environment = Arc::new(environment::gather(&machine, Shell::Bash, &ShellFacts::default()));
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
    let examiner = Examiner { shell: Shell::Bash, knowledge: &knowledge };
    for (line, mended, asked) in [
        ("ls --colour -l | sort --revers -n", "ls --color -l | sort --revers -n", 2),
        ("find . -nmae x", "find . -name x", 2),
        ("ls -l", "", 1),
    ] {
        let Examined { line: parsed, report } = examiner.examine(line);
        assert_eq!(report.syntax_ok, Some(true), "{line}");
        let repaired = examiner.repair(&parsed, &report);
        assert_eq!(repaired.map(|repaired| repaired.line).unwrap_or_default(), mended, "{line}: {report:?}");
        let probes = std::mem::take(&mut *host.probes.lock().unwrap());
        let syntax = probes.iter().filter(|probe| probe.contains("\"extglob\""));
        assert_eq!(syntax.count(), asked, "{line}: {probes:?}");
    }
    // A line that bash refuses is given to bash again until it accepts.
    let line = "ls -l \"/etc/hosts";
    let Examined { line, report } = examiner.examine(line);
    assert_eq!(report.syntax_ok, Some(false));
    assert_eq!(examiner.repair(&line, &report).unwrap().line, "ls -l \"/etc/hosts\"");
}

#[test]
fn many_may_look_at_once() {
    let (machine, environment) = here(Shell::Zsh);
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for name in ["ls", "cp", "mv", "sort"] {
                    assert!(knowledge.known(&[name]).manual.is_some());
                    // `None` once the total waiting time is used up.
                    assert_ne!(knowledge.accepts(&[name], "--zzz"), Some(true));
                }
            });
        }
    });
}

/// The commands that the real Nushell documents: all of them, stored for the next time, and found by words.
#[test]
fn real_nushell_tells_what_it_has() {
    let home = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let host = Arc::new(Counting { path: path.into(), probes: std::sync::Mutex::default() });
    let machine = Machine::new(host.clone(), Some(home.path().to_owned()));
    let environment = environment::gather(&machine, Shell::Nu, &ShellFacts::default());
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
    let commands = knowledge.commands().expect("nushell says what it has");
    let signature = |name: &str| commands.get(name).map(CommandDoc::signature).unwrap_or_default();
    assert_eq!(signature("str join"), "str join [separator: string]");
    assert!(signature("where").starts_with("where <"), "{}", signature("where"));
    assert!(signature("math round").contains("[--precision(-p)"), "{}", signature("math round"));
    assert!(400 < commands.docs().count());
    let needs = |name: &str| commands.get(name).unwrap().needs_input();
    assert!(needs("str join") && needs("rename") && !needs("ls") && !needs("print") && !needs("open"));
    for (request, name, meant) in [
        ("round 3.14159 to two decimals", "round", "math round"),
        ("join the words with dashes", "join", "str join"),
        ("decode a base64 text", "base64", "decode base64"),
    ] {
        let near = commands.nearest(request, name, 2);
        assert!(near.iter().any(|doc| doc.name == meant), "{name}: {near:#?}");
    }

    assert_eq!(host.probes.lock().unwrap().drain(..).count(), 1);

    knowledge.remember();
    let again = || {
        Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System)
            .commands()
            .unwrap()
            .docs()
            .count()
    };
    assert_eq!(again(), commands.docs().count());
    assert_eq!(*host.probes.lock().unwrap(), Vec::<String>::new(), "the second time nothing is started");
    for file in fs::read_dir(home.path().join("knowledge")).unwrap() {
        fs::write(file.unwrap().path(), "askline nushell-commands 1\nnoise").unwrap();
    }
    assert_eq!(again(), commands.docs().count());
    assert_eq!(host.probes.lock().unwrap().len(), 1, "a broken file is nothing");

    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let (machine, environment) = here(shell);
        assert!(
            Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System).commands().is_none(),
            "{shell}"
        );
    }
}

/// A command that needs pipeline input, in a place without any.
#[test]
fn real_nushell_needs_input_for_some() {
    let (machine, environment) = here(Shell::Nu);
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
    let examiner = Examiner { shell: Shell::Nu, knowledge: &knowledge };
    let wrong = |line: &str| {
        let findings = examiner.examine(line).report.findings;
        findings.iter().any(|finding| finding.text.contains("needs input from a pipe"))
    };
    for line in ["rename a.txt b.txt", "str uppercase", "ls; sort-by size", "math sum | print"] {
        assert!(wrong(line), "{line}");
    }
    for line in [
        "'a' | str uppercase",
        "ls | sort-by size",
        "[1 2] | each { math sqrt }",
        "let x = [3 1] | sort",
        "ls | each {|f| $f.name | path parse }",
        "rename --help",
        "git log | lines",
        "[3 1]\n| sort",
        "do { sort }",
        "^sort a.txt",
        "print a",
        "$in | lines",
        "if true { [1] } else { [2] } | length",
    ] {
        assert!(!wrong(line), "{line}");
    }
}
