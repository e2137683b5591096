//! `askline doctor`: looks at everything the key needs, one line each, and says what to do about a fault.
//!
//! Changes nothing and starts nothing but `SHELL --version`.

mod hook;

use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use super::init::how_to_load;
use super::login_shell;
use super::model::free_memory;
use super::{Desk, Exit, print, tell};
use crate::clean::visible;
use crate::config::{Config, ModelChoice};
use crate::context::{Context, Machine, gather};
use crate::host::{Host, Probe, find_on_path};
use crate::models::manifest::Manifest;
use crate::models::{self, megabytes};
use crate::shell::Shell;

/// Largest start-up file that is searched, bytes.
const STARTUP_LIMIT: u64 = 1 << 20;

/// Most files looked at in a directory of start-up files.
const STARTUP_FILES_LIMIT: usize = 200;

/// Below this the model directory's disk is called nearly full, bytes.
const FREE_SPACE_LOW: u64 = 200 << 20;

/// How a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    Fine,
    /// It works, but not for everything.
    Warning,
    /// The key can't work.
    Fault,
}

/// What was found out about one part.
#[derive(Debug)]
struct Finding {
    grade: Grade,
    subject: &'static str,
    text: String,
    /// What to do about it; empty when there is nothing to do.
    remedy: String,
}

fn fine(subject: &'static str, text: impl Display) -> Finding {
    Finding { grade: Grade::Fine, subject, text: text.to_string(), remedy: String::new() }
}

fn warning(subject: &'static str, text: impl Display, remedy: impl Display) -> Finding {
    Finding { grade: Grade::Warning, subject, text: text.to_string(), remedy: remedy.to_string() }
}

fn fault(subject: &'static str, text: impl Display, remedy: impl Display) -> Finding {
    Finding { grade: Grade::Fault, subject, text: text.to_string(), remedy: remedy.to_string() }
}

pub(super) fn run(desk: &Desk) -> anyhow::Result<Exit> {
    let machine = desk.machine.host.as_ref();
    let shell = desk.login_shell();
    let context = gather(&Machine { cache: None, ..desk.machine.clone() }, shell, &[]);
    let mut findings = vec![build(&context)];
    findings.extend(processor());
    findings.extend(system(&context));
    findings.extend(settings(desk));
    findings.extend(directories(desk));
    findings.extend(shells(machine));
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
    findings.extend(terminal(machine, size.map(|size| (size.ws_col, size.ws_row))));
    let colour = io::stdout().is_terminal()
        && machine.env("NO_COLOR").is_none_or(|value| value.is_empty())
        && machine.env("TERM").is_none_or(|term| term != "dumb");
    print(&findings.iter().map(|finding| finding.lines(colour)).collect::<String>())?;
    let faulty = findings.iter().any(|finding| finding.grade == Grade::Fault);
    Ok(if faulty { Exit::None } else { Exit::Done })
}

impl Finding {
    fn lines(&self, colour: bool) -> String {
        let (mark, code) = match self.grade {
            Grade::Fine => ("ok   ", 32),
            Grade::Warning => ("warn ", 33),
            Grade::Fault => ("fault", 31),
        };
        let mark = if colour { format!("\x1b[{code}m{mark}\x1b[m") } else { mark.to_owned() };
        let mut lines = format!("{mark} {}: {}\n", self.subject, on_one_line(&self.text));
        if !self.remedy.is_empty() {
            lines.push_str(&format!("      {}\n", on_one_line(&self.remedy)));
        }
        lines
    }
}

/// Text of files and programs is shown as it is, but for what a terminal would act on.
fn on_one_line(text: &str) -> String {
    visible(&text.lines().map(str::trim).collect::<Vec<_>>().join("; "))
}

fn build(context: &Context) -> Finding {
    let model =
        if cfg!(feature = "local-model") { "with the embedded model" } else { "without the embedded model" };
    fine("askline", format!("{} {model}, {}", env!("CARGO_PKG_VERSION"), context.system.machine))
}

/// What the embedded model's arithmetic runs on.
fn processor() -> Option<Finding> {
    if !cfg!(feature = "local-model") {
        return None;
    }
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected;
        let wanted = [
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
            ("f16c", is_x86_feature_detected!("f16c")),
        ];
        let missing: Vec<&str> = wanted.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            return Some(warning(
                "processor",
                format!("it has no {}, so the embedded model will be slow", missing.join(", no ")),
                "choose a small model: `askline model list`",
            ));
        }
    }
    Some(fine("processor", format!("{n_cores} cores, with what the embedded model makes use of")))
}

fn system(context: &Context) -> Vec<Finding> {
    let name =
        context.distribution.as_ref().map_or(context.system.os.as_str(), |distribution| &distribution.name);
    let n_commands = context.commands.names().count();
    let text = format!(
        "{name}, kernel {}, {} tools, {n_commands} commands on PATH",
        context.system.release,
        context.userland.name()
    );
    let mut findings = vec![if n_commands == 0 {
        warning("system", text, "set PATH: no command that is suggested can be found")
    } else {
        fine("system", text)
    }];
    for directory in context.commands.directories.iter().filter(|directory| !directory.trusted) {
        findings.push(warning(
            "PATH",
            format!("{} is on it by a relative path, or everyone may write it", directory.path.display()),
            "take it off PATH: others can put commands there",
        ));
    }
    findings
}

fn settings(desk: &Desk) -> Vec<Finding> {
    match desk.config() {
        Ok(config) => {
            let file = &desk.paths.config_file;
            let file = match desk.host.entry(file) {
                Some(_) => file.display().to_string(),
                None => "the defaults".to_owned(),
            };
            let deadline_s = config.deadline_ms as f64 / 1000.0;
            vec![
                fine("configuration", format!("{file}, answers within {deadline_s} s")),
                model(&config, desk),
            ]
        }
        Err(error) => {
            vec![fault("configuration", format!("{error:#}"), "`askline config path` names the file")]
        }
    }
}

/// The model in use: there, every byte of it right, and with memory to run in.
fn model(config: &Config, desk: &Desk) -> Finding {
    let (host, paths) = (&desk.host, &desk.paths);
    let name = match &config.model {
        ModelChoice::Local(name) => name,
        ModelChoice::Scripted(_) => {
            return match models::open(config, host, paths) {
                Ok(model) => warning(
                    "model",
                    format!("{}, which replays a file", model.source()),
                    "unset ASKLINE_MODEL",
                ),
                Err(error) => fault("model", format!("{error:#}"), "correct or unset ASKLINE_MODEL"),
            };
        }
    };
    if !cfg!(feature = "local-model") {
        let text = format!("{name} can't run: this program was built without the embedded model");
        return fault("model", text, "install askline with its feature local-model, or use another profile");
    }
    let entry = Manifest::load(host).and_then(|manifest| Ok(manifest.find(name)?.clone()));
    let entry = entry.ok().filter(|_| config.model_file.is_none());
    if let Some(entry) = &entry {
        if io::stderr().is_terminal() {
            tell("looking at every byte of the model …");
        }
        // What it finds is remembered, and asked for just below.
        let _ = models::check(entry, paths, &mut |_| {});
    }
    // The messages of this one end with what to do.
    let installed = match models::installed(name, config.model_file.as_deref(), host, paths) {
        Ok(installed) => installed,
        Err(error) => return fault("model", format!("{error:#}"), ""),
    };
    let text = format!("{} in {}", installed.name, installed.path.display());
    match entry.zip(free_memory(host)) {
        Some((entry, free)) if free < entry.memory => warning(
            "model",
            format!("{text} needs {}, and {} are free", megabytes(entry.memory), megabytes(free)),
            "close other programs, or use a smaller model: `askline model list`",
        ),
        Some((entry, _)) => {
            fine("model", format!("{text}, intact, takes {} of memory", megabytes(entry.memory)))
        }
        None => fine("model", text),
    }
}

fn directories(desk: &Desk) -> Vec<Finding> {
    let config = desk.paths.config_file.parent().unwrap_or(Path::new("/"));
    let ours = [("config", config), ("cache", &desk.paths.cache), ("models", &desk.paths.models)];
    let mut findings: Vec<Finding> =
        ours.iter().map(|(subject, path)| directory(&desk.host, subject, path)).collect();
    let nearest = desk.paths.models.ancestors().find(|path| desk.host.entry(path).is_some());
    if let Some(free) =
        nearest.and_then(|path| desk.host.free_space(path)).filter(|free| *free < FREE_SPACE_LOW)
    {
        findings.push(warning(
            "models",
            format!("only {} MB are free there", free >> 20),
            "make room, or set XDG_DATA_HOME to a larger disk",
        ));
    }
    findings
}

/// One of our directories: there and private, or such that it can be made.
fn directory(host: &dyn Host, subject: &'static str, path: &Path) -> Finding {
    let shown = path.display();
    match host.entry(path) {
        Some(entry) if !entry.is_directory => {
            fault(subject, format!("{shown} is not a directory"), "move it away")
        }
        Some(entry) if !entry.writable => fault(
            subject,
            format!("{shown} can't be written"),
            format!("run `sudo chown -R \"$USER\" {}`", quoted(path)),
        ),
        Some(entry) if entry.mode & 0o022 != 0 || (subject != "config" && entry.mode & 0o077 != 0) => {
            warning(
                subject,
                format!("others have access to {shown} (mode {:o})", entry.mode),
                format!("run `chmod 700 {}`", quoted(path)),
            )
        }
        Some(_) => fine(subject, shown),
        None => match path.ancestors().skip(1).find_map(|above| Some((above, host.entry(above)?))) {
            Some((_, entry)) if entry.writable => fine(subject, format!("{shown}, made when it is needed")),
            Some((above, _)) => fault(
                subject,
                format!("{shown} can't be made: {} can't be written", above.display()),
                "set XDG_CONFIG_HOME, XDG_CACHE_HOME and XDG_DATA_HOME to directories of yours",
            ),
            None => fault(subject, format!("{shown} can't be made"), "set HOME"),
        },
    }
}

/// A path as a word for a POSIX shell.
fn quoted(path: &Path) -> String {
    shell_words::quote(&path.to_string_lossy()).into_owned()
}

fn shells(host: &dyn Host) -> Vec<Finding> {
    let login = login_shell(host);
    let mut findings = Vec::new();
    for shell in Shell::ALL {
        if let Some(program) = find_on_path(host, shell.name()) {
            findings.extend(one_shell(host, shell, &program, login == Some(shell)));
        }
    }
    if findings.is_empty() {
        findings.push(fault("shells", "none of nu, zsh, bash and fish is on PATH", "install one of them"));
    }
    findings
}

/// A shell that is installed: its version, our hook in its start-up files, and what else may take our key.
fn one_shell(host: &dyn Host, shell: Shell, program: &Path, is_login: bool) -> Vec<Finding> {
    let subject = shell.name();
    let version = match host.probe(program, &Probe::Version) {
        Ok(output) => {
            version(&String::from_utf8_lossy(&output.stdout)).unwrap_or("of unknown version".to_owned())
        }
        Err(error) => {
            return vec![warning(subject, format!("it does not start: {error:#}"), "reinstall it")];
        }
    };
    let found = format!("{version} at {}", program.display());
    if shell == Shell::Bash && ["1.", "2.", "3."].iter().any(|old| version.starts_with(old)) {
        return vec![warning(
            subject,
            format!("{found} is too old: its prompt line can't be rewritten"),
            "use bash 4 or later",
        )];
    }
    let texts: Vec<(PathBuf, String)> = startup_files(host, shell)
        .into_iter()
        .filter_map(|path| {
            let bytes = host.read(&path, STARTUP_LIMIT).ok()?;
            Some((path, String::from_utf8_lossy(&bytes).into_owned()))
        })
        .collect();
    let hook = texts.iter().find_map(|(path, text)| Some((path, hook::hook(text)?)));
    let (first, key) = match &hook {
        Some((path, hook)) => {
            let place = format!("{}:{}", path.display(), hook.line);
            let first = match &hook.saved_by {
                Some(version) if version != env!("CARGO_PKG_VERSION") => warning(
                    subject,
                    format!("{found}, but its script {place} was written by askline {version}"),
                    match shell {
                        Shell::Nu => format!("run in nu: askline init nu | save -f {}", quoted(path)),
                        _ => format!("run: askline init {shell} > {}", quoted(path)),
                    },
                ),
                _ => fine(subject, format!("{found}, set up in {place}")),
            };
            (first, hook.key.as_deref().unwrap_or("ctrl-g"))
        }
        None if is_login => {
            (warning(subject, format!("{found}, your login shell, is not set up"), how_to_load(shell)), "")
        }
        None => (fine(subject, format!("{found}, not set up")), ""),
    };
    let mut findings = vec![first];
    if key.eq_ignore_ascii_case("ctrl-g") {
        // Our own script binds the key, of course.
        let own = |text: &str| hook::hook(text).is_some_and(|hook| hook.saved_by.is_some());
        for (path, text) in texts.iter().filter(|(_, text)| !own(text)) {
            findings.extend(hook::rivals(shell, text).into_iter().map(|rival| {
                warning(
                    subject,
                    format!("{}:{} may bind ctrl-g too: {}", path.display(), rival.line, rival.what),
                    format!("choose another key: `askline init {shell} --key alt-g`"),
                )
            }));
        }
    }
    findings
}

/// The first word of a `--version` text that looks like a version.
fn version(text: &str) -> Option<String> {
    let is_version =
        |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    text.lines().next()?.split([' ', ',', '(']).find(is_version).map(str::to_owned)
}

/// The files that a shell reads when it starts, those that are there.
fn startup_files(host: &dyn Host, shell: Shell) -> Vec<PathBuf> {
    let variable = |name: &str| host.env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(home) = variable("HOME") else { return Vec::new() };
    let config = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let data = variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
    let (files, directories) = match shell {
        Shell::Zsh => {
            let home = variable("ZDOTDIR").unwrap_or(home);
            (vec![home.join(".zshrc"), home.join(".zprofile"), home.join(".zshenv")], Vec::new())
        }
        Shell::Bash => {
            let names = [".bashrc", ".bash_profile", ".bash_login", ".profile", ".bash_aliases"];
            (names.map(|name| home.join(name)).into(), Vec::new())
        }
        Shell::Fish => (vec![config.join("fish/config.fish")], vec![config.join("fish/conf.d")]),
        Shell::Nu => {
            let (config, data) = match (variable("XDG_CONFIG_HOME"), host.system().os.as_str()) {
                (None, "macos") => {
                    let support = home.join("Library/Application Support");
                    (support.join("nushell"), support.join("nushell"))
                }
                _ => (config.join("nushell"), data.join("nushell")),
            };
            (
                vec![config.join("config.nu"), config.join("env.nu")],
                vec![config.join("autoload"), data.join("vendor/autoload")],
            )
        }
    };
    let listed = directories.iter().flat_map(|directory| {
        let mut names = host.list(directory).unwrap_or_default();
        names.sort();
        names.into_iter().take(STARTUP_FILES_LIMIT).map(|name| directory.join(name)).collect::<Vec<_>>()
    });
    let there = |path: &PathBuf| host.entry(path).is_some_and(|entry| entry.is_file);
    files.into_iter().chain(listed).filter(there).collect()
}

/// `size`: columns and rows of the terminal that messages go to, if it is one.
fn terminal(host: &dyn Host, size: Option<(u16, u16)>) -> Vec<Finding> {
    let variable = |name: &str| host.env(name).map(|value| value.to_string_lossy().into_owned());
    let term = variable("TERM").unwrap_or_default();
    let mut findings = vec![match (term.as_str(), size) {
        ("", _) => {
            warning("terminal", "TERM is not set, so no status is shown", "set TERM, or use a terminal")
        }
        ("dumb", _) => warning("terminal", "TERM is dumb, so no status is shown", "use another terminal"),
        (term, Some((columns, rows))) => fine("terminal", format!("{term}, {columns} columns, {rows} rows")),
        (term, None) => fine("terminal", format!("{term}, not attached here")),
    }];
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()));
    let is_utf8 = |locale: &String| {
        let lower = locale.to_ascii_lowercase();
        lower.contains("utf-8") || lower.contains("utf8")
    };
    // macOS terminals are UTF-8 whatever the variables say.
    if !locale.as_ref().is_some_and(is_utf8) && host.system().os != "macos" {
        findings.push(warning(
            "locale",
            format!(
                "{} is not UTF-8, so other than English letters may be garbled",
                locale.as_deref().unwrap_or("C")
            ),
            "set LANG to a UTF-8 locale, such as C.UTF-8",
        ));
    }
    if host.env("ZELLIJ").is_some() {
        findings.push(warning(
            "terminal",
            "zellij may take ctrl-g before the shell sees it",
            "choose another key with `askline init SHELL --key`, or unbind ctrl-g in zellij",
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::host::recorded::RecordedHost;

    /// What the doctor says about the shells and the terminal of a recorded machine.
    #[track_caller]
    fn check(rows: &str, expected: Expect) {
        let system = "[system]\nos = \"linux\"\nrelease = \"6.1\"\nmachine = \"x86_64\"\n";
        let rows = format!("{rows}\n{system}").replace("CURRENT", env!("CARGO_PKG_VERSION"));
        let host = RecordedHost::parse(Path::new("machine.toml"), &rows).unwrap();
        let findings = shells(&host).into_iter().chain(terminal(&host, Some((80, 24))));
        expected.assert_eq(&findings.map(|finding| finding.lines(false)).collect::<String>());
    }

    #[test]
    fn shells_of_a_recorded_machine() {
        check(
            r##"
            programs = ["/bin/bash", "/bin/zsh", "/bin/fish", "/bin/nu"]
            [env]
            PATH = "/bin"
            HOME = "/home/ada"
            SHELL = "/usr/bin/zsh"
            TERM = "xterm-256color"
            LANG = "en_GB.UTF-8"
            [files]
            "/home/ada/.zshrc" = "bindkey '^G' x\neval \"$(navi widget zsh)\"\neval \"$(askline init zsh)\""
            "/home/ada/.config/fish/conf.d/ask.fish" = "# askline init fish, version 0.0.1\n"
            "/home/ada/.local/share/nushell/vendor/autoload/askline.nu" = "# askline init nu, version CURRENT\n"
            [[probes]]
            program = "/bin/bash"
            arguments = ["--version"]
            stdout = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright 2022"
            [[probes]]
            program = "/bin/zsh"
            arguments = ["--version"]
            stdout = "zsh 5.9 (x86_64-debian-linux-gnu)"
            [[probes]]
            program = "/bin/fish"
            arguments = ["--version"]
            stdout = "fish, version 3.6.0"
            [[probes]]
            program = "/bin/nu"
            arguments = ["--version"]
            stdout = "0.115.1"
            "##,
            expect![[r#"
                ok    nu: 0.115.1 at /bin/nu, set up in /home/ada/.local/share/nushell/vendor/autoload/askline.nu:1
                ok    zsh: 5.9 at /bin/zsh, set up in /home/ada/.zshrc:3
                warn  zsh: /home/ada/.zshrc:1 may bind ctrl-g too: bindkey '^G' x
                      choose another key: `askline init zsh --key alt-g`
                warn  zsh: /home/ada/.zshrc:2 may bind ctrl-g too: navi
                      choose another key: `askline init zsh --key alt-g`
                ok    bash: 5.2.15 at /bin/bash, not set up
                warn  fish: 3.6.0 at /bin/fish, but its script /home/ada/.config/fish/conf.d/ask.fish:1 was written by askline 0.0.1
                      run: askline init fish > /home/ada/.config/fish/conf.d/ask.fish
                ok    terminal: xterm-256color, 80 columns, 24 rows
            "#]],
        );
    }

    #[test]
    fn old_missing_and_broken_shells() {
        check(
            r##"
            programs = ["/bin/bash", "/bin/fish"]
            [env]
            PATH = "/bin"
            HOME = "/home/ada"
            ZELLIJ = "0"
            LC_ALL = "C"
            [[probes]]
            program = "/bin/bash"
            arguments = ["--version"]
            stdout = "GNU bash, version 3.2.57(1)-release (arm64-apple-darwin23)"
            "##,
            expect![[r#"
                warn  bash: 3.2.57 at /bin/bash is too old: its prompt line can't be rewritten
                      use bash 4 or later
                warn  fish: it does not start: the recording has no row [[probes]] for /bin/fish with ["--version"]
                      reinstall it
                warn  terminal: TERM is not set, so no status is shown
                      set TERM, or use a terminal
                warn  locale: C is not UTF-8, so other than English letters may be garbled
                      set LANG to a UTF-8 locale, such as C.UTF-8
                warn  terminal: zellij may take ctrl-g before the shell sees it
                      choose another key with `askline init SHELL --key`, or unbind ctrl-g in zellij
            "#]],
        );
        check(
            "env = {}",
            expect![[r#"
            fault shells: none of nu, zsh, bash and fish is on PATH
                  install one of them
            warn  terminal: TERM is not set, so no status is shown
                  set TERM, or use a terminal
            warn  locale: C is not UTF-8, so other than English letters may be garbled
                  set LANG to a UTF-8 locale, such as C.UTF-8
        "#]],
        );
    }

    #[test]
    fn the_login_shell_is_told_how_to_load_the_script() {
        check(
            r##"
            programs = ["/bin/fish"]
            [env]
            PATH = "/bin"
            HOME = "/home/ada"
            SHELL = "/bin/fish"
            TERM = "dumb"
            LANG = "C.UTF-8"
            [files]
            "/home/ada/.config/fish/config.fish" = "# askline init fish | source\nbind \\cg x"
            [[probes]]
            program = "/bin/fish"
            arguments = ["--version"]
            stdout = "fish, version 4.0.2\u001b[31m"
            "##,
            expect![[r#"
                warn  fish: 4.0.2\u{1b}[31m at /bin/fish, your login shell, is not set up
                      to load it in every fish, add this line to ~/.config/fish/config.fish: askline init fish | source
                warn  terminal: TERM is dumb, so no status is shown
                      use another terminal
            "#]],
        );
    }

    #[test]
    fn directories_are_private_and_writable() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("cache");
        let host = crate::host::local::LocalHost;
        let grade = || directory(&host, "cache", &path).grade;
        assert_eq!(grade(), Grade::Fine, "it is made when needed");
        std::fs::create_dir(&path).unwrap();
        for (mode, expected) in [(0o700, Grade::Fine), (0o750, Grade::Warning), (0o777, Grade::Warning)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(grade(), expected, "mode {mode:o}");
        }
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, "").unwrap();
        assert_eq!(grade(), Grade::Fault, "a file stands there");
        assert_eq!(directory(&host, "cache", Path::new("/proc/self/nothing/cache")).grade, Grade::Fault);
    }

    #[test]
    fn colours_only_mark_the_grade() {
        assert_eq!(fine("x", "a\x07b\nc").lines(true).matches('\x1b').count(), 2);
        assert!(!fine("x", "a\x07\x1b[31mb\nc").lines(false).contains(['\x1b', '\x07']));
    }
}
