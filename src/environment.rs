//! Facts around the prompt line: system, shell, tools, directory. They are gathered on every key press, so quickly
//! and without starting a program. The commands on `PATH` are scanned again only when a directory changes.
//!
//! Models score worse with such facts in the prompt (`benches/accuracy.md`), so none is included unless `[context]`
//! allows it (`prompt_context`). They serve to check the model's commands.

mod commands;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

pub use self::commands::{Commands, Directory};
use crate::shell_facts::ShellFacts;
use askline_host::{Host, System, find_on_path};
use askline_manual::userland::{Distribution, Userland, userland_of};
use askline_syntax::shell::Shell;

/// Maximum size in bytes of a system text (os-release, SystemVersion.plist).
const SYSTEM_TEXT_LIMIT: u64 = 64 << 10;

/// The machine that suggestions are for.
#[derive(Clone)]
pub struct Machine {
    /// Access to this machine, or a recording of one.
    pub host: Arc<dyn Host>,
    /// Cache directory for facts about the machine; `None` for a recording.
    pub cache: Option<PathBuf>,
    /// Work to do after the answer is shown.
    pub later: DeferredJobs,
}

/// A queue of work to do after the answer is shown. Clones share the queue.
#[derive(Clone, Default)]
pub struct DeferredJobs(Arc<Mutex<Vec<Job>>>);

/// A job of the queue.
type Job = Box<dyn FnOnce(&Machine) + Send>;

impl DeferredJobs {
    /// Adds a job.
    pub fn add(&self, job: Job) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(job);
    }
}

impl Machine {
    /// Creates a machine whose facts are cached in the directory `cache`, or not at all.
    pub fn new(host: Arc<dyn Host>, cache: Option<PathBuf>) -> Self {
        Self { host, cache, later: DeferredJobs::default() }
    }

    /// Runs the queued jobs. Call it after the answer is shown.
    pub fn settle(&self) {
        let jobs = std::mem::take(&mut *self.later.0.lock().unwrap_or_else(PoisonError::into_inner));
        jobs.into_iter().for_each(|job| job(self));
    }
}

/// The environment: facts around the prompt line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Operating system and processor.
    pub system: System,
    /// Distribution, if the system names it.
    pub distribution: Option<Distribution>,
    /// Family of the common tools, judged by `ls`; [`Environment::userland`] judges a single program.
    pub userland: Userland,
    /// Shell to write for.
    pub shell: Shell,
    /// Version of the shell, from the shell facts or an environment variable.
    pub shell_version: Option<String>,
    /// Working directory, if it still exists.
    pub current_dir: Option<PathBuf>,
    /// Name of the user, if an environment variable has it.
    pub user: Option<String>,
    /// Programs on `PATH`.
    pub commands: Commands,
}

/// Gathers the facts. Without a cache every directory is scanned. Never fails: unknown facts stay empty.
pub fn gather(machine: &Machine, shell: Shell, facts: &ShellFacts) -> Environment {
    let host = machine.host.as_ref();
    let env = |name: &str| {
        host.env(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
    };
    let system = host.system();
    Environment {
        distribution: distribution(host, &system),
        userland: userland(host, &system, "ls"),
        shell,
        shell_version: facts.version.clone().or_else(|| env(shell.dialect().version_variable)),
        current_dir: host.current_dir(),
        user: env("USER").or_else(|| env("LOGNAME")),
        commands: Commands::on_path(host, machine.cache.as_deref()),
        system,
    }
}

impl Environment {
    /// Returns the family of a common tool, judged by its own file.
    pub fn userland(&self, host: &dyn Host, program: &str) -> Userland {
        userland(host, &self.system, program)
    }

    /// Writes the scan results to the cache; an error costs only time at the next request.
    pub fn remember(&self, machine: &Machine) {
        if let Some(Err(error)) = machine.cache.as_ref().map(|cache| self.commands.remember(cache)) {
            tracing::debug!("can't cache the commands: {error:#}");
        }
    }

    /// Returns the facts as JSON, for `--debug` and bug reports.
    pub fn to_json(&self) -> serde_json::Value {
        json!({
            "os": self.system.os,
            "release": self.system.release,
            "machine": self.system.machine,
            "distribution": self.distribution.as_ref().map(|distribution| &distribution.name),
            "userland": self.userland.name(),
            "shell": self.shell.name(),
            "shell_version": self.shell_version,
            "current_dir": self.current_dir.as_ref().map(|path| path.to_string_lossy()),
            "user": self.user,
            "commands": self.commands.directories.iter().map(|directory| json!({
                "directory": directory.path.to_string_lossy(),
                "trusted": directory.trusted,
                "count": directory.names.len(),
            })).collect::<Vec<_>>(),
            "commands_complete": self.commands.complete,
        })
    }
}

fn distribution(host: &dyn Host, system: &System) -> Option<Distribution> {
    let text = |path: &str| {
        let bytes = host.read(Path::new(path), SYSTEM_TEXT_LIMIT).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    if system.os == "macos" {
        let text = text("/System/Library/CoreServices/SystemVersion.plist")?;
        return Some(Distribution::from_system_version(&text));
    }
    let text = text("/etc/os-release").or_else(|| text("/usr/lib/os-release"))?;
    Some(Distribution::from_os_release(&text))
}

fn userland(host: &dyn Host, system: &System, program: &str) -> Userland {
    find_on_path(host, program)
        .and_then(|file| host.real_path(&file).ok())
        .map_or(Userland::Unknown, |real| userland_of(&real, &system.os))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use expect_test::expect;

    use super::*;
    use askline_host::recorded::RecordedHost;

    const ALPINE: &str = r#"
        current_dir = "/home/ada/clone"
        programs = ["/bin/busybox", "/usr/bin/find", "/usr/bin/zsh", "/home/ada/clone/ls", "/tmp/open/evil"]
        [system]
        os = "linux"
        release = "6.6.1"
        machine = "aarch64"
        [env]
        PATH = ":/usr/bin:/missing:/bin:/tmp/open:bin:/sbin"
        USER = "ada"
        NU_VERSION = "0.115.1"
        [files]
        "/etc/os-release" = "ID=alpine\nPRETTY_NAME=\"Alpine Linux v3.20\"\n"
        "/usr/bin/README" = "not a program"
        [links]
        "/bin/ls" = "busybox"
        "/sbin" = "bin"
        [modes]
        "/tmp/open" = 0o777
    "#;

    fn machine(host: RecordedHost) -> Machine {
        Machine::new(Arc::new(host), None)
    }

    fn alpine() -> RecordedHost {
        RecordedHost::parse(Path::new("alpine.toml"), ALPINE).unwrap()
    }

    #[test]
    fn facts_of_a_recorded_machine() {
        let host = alpine();
        let facts = ShellFacts { version: Some("5.9".to_owned()), ..ShellFacts::default() };
        let environment = gather(&machine(host.clone()), Shell::Zsh, &facts);
        expect![[r#"
            {
              "commands": [
                {
                  "count": 1,
                  "directory": "/home/ada/clone",
                  "trusted": false
                },
                {
                  "count": 2,
                  "directory": "/usr/bin",
                  "trusted": true
                },
                {
                  "count": 2,
                  "directory": "/bin",
                  "trusted": true
                },
                {
                  "count": 1,
                  "directory": "/tmp/open",
                  "trusted": false
                }
              ],
              "commands_complete": true,
              "current_dir": "/home/ada/clone",
              "distribution": "Alpine Linux v3.20",
              "machine": "aarch64",
              "os": "linux",
              "release": "6.6.1",
              "shell": "zsh",
              "shell_version": "5.9",
              "user": "ada",
              "userland": "BusyBox"
            }"#]]
        .assert_eq(&serde_json::to_string_pretty(&environment.to_json()).unwrap());
        assert_eq!(environment.userland(&host, "find"), Userland::Gnu);
        assert_eq!(environment.userland(&host, "nothing"), Userland::Unknown);
        assert_eq!(
            gather(&machine(host.clone()), Shell::Nu, &ShellFacts::default()).shell_version.as_deref(),
            Some("0.115.1")
        );
        assert_eq!(gather(&machine(host), Shell::Bash, &ShellFacts::default()).shell_version, None);
    }

    #[test]
    fn commands_are_found_in_the_order_of_the_path() {
        let commands = gather(&machine(alpine()), Shell::Bash, &ShellFacts::default()).commands;
        assert!(commands.complete && commands.contains("zsh") && commands.contains("evil"));
        assert!(!commands.contains("README") && !commands.contains("") && !commands.contains("/bin/ls"));
        // The empty first entry is the working directory, so a shell would run the clone's `ls`: known, but not
        // trusted.
        assert_eq!(commands.find("ls").unwrap(), Path::new("/home/ada/clone/ls"));
        let trusted: Vec<bool> = commands.directories.iter().map(|directory| directory.trusted).collect();
        assert_eq!(trusted, [false, true, true, false]);
        assert_eq!(commands.names().filter(|name| *name == "ls").count(), 2);
    }

    #[test]
    fn directories_that_others_can_change_are_not_trusted() {
        let text = r#"
            directories = [
                "/usr/bin", "/open/safe/bin", "/group/bin", "/home/ada/bin", "/home/eve/bin", "/nix/store/x/bin",
            ]
            [system]
            os = "linux"
            release = "6"
            machine = "x86_64"
            [env]
            PATH = "/usr/bin:/open/safe/bin:/group/bin:/home/ada/bin:/home/eve/bin:/nix/store/x/bin"
            HOME = "/home/ada"
            [modes]
            "/open" = 0o777
            "/group/bin" = 0o775
            "/nix/store" = 0o1775
            [owners]
            "/home/ada" = 1000
            "/home/ada/bin" = 1000
            "/home/eve" = 1001
        "#;
        let host = RecordedHost::parse(Path::new("machine.toml"), text).unwrap();
        let commands = gather(&machine(host), Shell::Bash, &ShellFacts::default()).commands;
        let trusted: Vec<bool> = commands.directories.iter().map(|directory| directory.trusted).collect();
        assert_eq!(trusted, [true, false, false, true, false, true]);
    }

    #[test]
    fn names_that_are_not_utf8_are_told_as_well_as_can_be() {
        let mut environment = gather(&machine(alpine()), Shell::Bash, &ShellFacts::default());
        let odd = PathBuf::from(std::ffi::OsString::from_vec(b"/caf\xe9".to_vec()));
        environment.current_dir = Some(odd.clone());
        environment.commands.directories[0].path = odd;
        let told = environment.to_json();
        assert_eq!(told["current_dir"], "/caf\u{fffd}");
        assert_eq!(told["commands"][0]["directory"], "/caf\u{fffd}");
    }
}
