//! The facts around the line: system, shell, tools, directory. Gathered on every key press, so without starting a
//! program, and quick: the commands on `PATH` are scanned once for each change of a directory.
//!
//! Models score worse when they are told such facts (`benches/accuracy.md`), so none stands in the prompt unless
//! `[context]` lets it (`situation`); they serve to check what a model wrote.

pub mod owners;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

use self::owners::Owners;
use crate::host::{Host, System, find_on_path};
use crate::platform::{Distribution, Userland, userland_of};
use crate::shell::Shell;
use crate::store;

/// Largest system text (os-release, SystemVersion.plist) that is read, bytes.
const SYSTEM_TEXT_LIMIT: u64 = 64 << 10;

/// Largest cache of command names that is read, bytes; beyond it the cache is made anew.
const CACHE_LIMIT: u64 = 4 << 20;

/// Most directories of `PATH` that are looked at.
const DIRECTORIES_LIMIT: usize = 128;

/// Most files looked at in one directory.
const FILES_LIMIT: usize = 20_000;

/// When scanning has taken this long, the directories left over wait for the next time (WSL and network mounts).
const SCAN_BUDGET: Duration = Duration::from_millis(150);

/// A directory that changed this shortly before it was scanned may change again within the same tick of the file
/// system's clock, so its scan is not trusted next time.
const CLOCK_GRAIN: Duration = Duration::from_secs(2);

/// First line of the cache; another version means: make it anew.
const CACHE_HEADER: &str = "askline commands 2";
/// Most files beside it in our cache directory, which are none as a rule: the rest stands in directories of its own.
const CACHE_FILES_MAX: usize = 16;
/// Its last line, which no name can be: a list that lost its end would make commands missing.
const CACHE_END: &str = "/\n";

/// The machine that suggestions are for.
#[derive(Clone)]
pub struct Machine {
    /// This machine, or a recording of one.
    pub host: Arc<dyn Host>,
    /// Our cache directory, where facts about it are kept; a recording has none.
    pub cache: Option<PathBuf>,
    /// What is written to it once the answer is out.
    pub later: Later,
}

/// Work that nobody should wait for: it is done when the answer is out. Cloning shares it.
#[derive(Clone, Default)]
pub struct Later(Arc<Mutex<Vec<Job>>>);

/// A piece of such work.
type Job = Box<dyn FnOnce(&Machine) + Send>;

impl Later {
    /// Puts off a piece of work.
    pub fn add(&self, job: Job) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(job);
    }
}

impl Machine {
    /// A machine whose facts are kept in the directory `cache`, or nowhere.
    pub fn new(host: Arc<dyn Host>, cache: Option<PathBuf>) -> Self {
        Self { host, cache, later: Later::default() }
    }

    /// Does what was put off. To be called when the answer is out.
    pub fn settle(&self) {
        let jobs = std::mem::take(&mut *self.later.0.lock().unwrap_or_else(PoisonError::into_inner));
        jobs.into_iter().for_each(|job| job(self));
    }
}

/// The facts around the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The operating system and the processor.
    pub system: System,
    /// What the system calls itself, where it says so.
    pub distribution: Option<Distribution>,
    /// The family of the common tools, judged by `ls`; [`Context::userland`] judges one program.
    pub userland: Userland,
    /// The shell to write for.
    pub shell: Shell,
    /// Its version, where it was told or stands in the environment.
    pub shell_version: Option<String>,
    /// The working directory, if it still exists.
    pub current_dir: Option<PathBuf>,
    /// The user's name, where the environment has it.
    pub user: Option<String>,
    /// What can be run from `PATH`.
    pub commands: Commands,
}

/// Looks at the machine. `told` is what the shell's script hands to `askline line` besides the line, by name, such as
/// `ZSH_VERSION`. Without a cache every directory is scanned anew. Never fails: what can't be found out is left empty.
pub fn gather(machine: &Machine, shell: Shell, told: &[(String, String)]) -> Context {
    let host = machine.host.as_ref();
    let fact = |name: &str| told.iter().find(|(told, _)| told == name).map(|(_, value)| value.clone());
    let env = |name: &str| {
        host.env(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
    };
    let system = host.system();
    Context {
        distribution: distribution(host, &system),
        userland: userland(host, &system, "ls"),
        shell,
        shell_version: fact(version_variable(shell)).or_else(|| env(version_variable(shell))),
        current_dir: host.current_dir(),
        user: env("USER").or_else(|| env("LOGNAME")),
        commands: Commands::on_path(host, machine.cache.as_deref()),
        system,
    }
}

impl Context {
    /// The family that a common tool belongs to, by its own file.
    pub fn userland(&self, host: &dyn Host, program: &str) -> Userland {
        userland(host, &self.system, program)
    }

    /// Keeps what was found out by scanning, for the next time; a cache that can't be written costs only time.
    pub fn remember(&self, machine: &Machine) {
        if let Some(Err(error)) = machine.cache.as_ref().map(|cache| self.commands.remember(cache)) {
            tracing::debug!("the commands are not kept: {error:#}");
        }
    }

    /// For `--debug` and bug reports.
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

/// The variable in which a shell keeps its version. Only Nushell exports it; scripts tell the others'.
fn version_variable(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "BASH_VERSION",
        Shell::Zsh => "ZSH_VERSION",
        Shell::Fish => "FISH_VERSION",
        Shell::Nu => "NU_VERSION",
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

/// The programs that can be run from `PATH`, directory by directory in the order they are searched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commands {
    /// The directories, each once.
    pub directories: Vec<Directory>,
    /// Every directory was looked at, so what is in none of them is not installed.
    pub complete: bool,
    /// Something was scanned that the cache doesn't hold.
    changed: bool,
}

/// The programs of one directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Where it is, links followed.
    pub path: PathBuf,
    /// It was named by a full path, and it and all above it are root's or the user's alone to write: nobody else put there
    /// what it holds.
    pub trusted: bool,
    /// When its list of files last changed.
    modified: SystemTime,
    /// Sorted, each once, without names that hold control characters or aren't UTF-8.
    names: Vec<String>,
}

impl Commands {
    /// What stands on `PATH`; from the cache in the directory `cache` where nothing changed since.
    ///
    /// A file that became executable, or a link whose target went away, is noticed only when its directory changes.
    fn on_path(host: &dyn Host, cache: Option<&Path>) -> Self {
        let started = Instant::now();
        let mut known = cache.map_or_else(BTreeMap::new, |cache| recall(&cache.join(CACHE_FILE)));
        let path = host.env("PATH").unwrap_or_default();
        let mut commands = Self { complete: true, ..Self::default() };
        let mut seen = HashSet::new();
        let owners = Owners::of(host);
        for (n_seen, named) in std::env::split_paths(&path).enumerate() {
            if n_seen == DIRECTORIES_LIMIT || (SCAN_BUDGET < started.elapsed() && commands.changed) {
                commands.complete = false;
                break;
            }
            // An empty entry means the working directory.
            let whole = match host.current_dir() {
                _ if named.is_absolute() => named.clone(),
                Some(current) => current.join(&named),
                None => continue,
            };
            let Ok(real) = host.real_path(&whole) else { continue };
            let Some(entry) = host.entry(&real).filter(|entry| entry.is_directory) else { continue };
            if !seen.insert(real.clone()) {
                continue;
            }
            let names = match known.remove(&real) {
                Some((modified, names)) if modified == nanoseconds(entry.modified) => names,
                _ => {
                    commands.changed = true;
                    scan(host, &real)
                }
            };
            commands.directories.push(Directory {
                trusted: named.is_absolute() && owners.made_directory(host, &real),
                path: real,
                modified: entry.modified,
                names,
            });
        }
        commands
    }

    /// Whether a program of this name is there. Shell builtins, functions and aliases are not programs.
    pub fn contains(&self, name: &str) -> bool {
        self.directories.iter().any(|directory| directory.holds(name))
    }

    /// The file that a shell would run for this name.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.directories
            .iter()
            .find(|directory| directory.holds(name))
            .map(|directory| directory.path.join(name))
    }

    /// The same, if nobody else could have put it there.
    pub fn find_trusted(&self, name: &str) -> Option<PathBuf> {
        let directory = self.directories.iter().find(|directory| directory.holds(name))?;
        directory.trusted.then(|| directory.path.join(name))
    }

    /// All names, in no order that matters; one that stands in two directories comes twice.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.directories.iter().flat_map(|directory| directory.names.iter().map(String::as_str))
    }

    /// Writes what was scanned to the directory `cache`, if anything was. It waits for the disk: call it when the
    /// answer is out.
    ///
    /// # Errors
    /// When the cache can't be written.
    pub fn remember(&self, cache: &Path) -> anyhow::Result<()> {
        if !self.changed {
            return Ok(());
        }
        let mut text = format!("{CACHE_HEADER}\n");
        for directory in &self.directories {
            // A path that a line can't hold is scanned every time.
            let Some(path) = directory.path.to_str().filter(|path| is_plain(path)) else { continue };
            text.push_str(&format!("/{}\t{path}\n", nanoseconds(directory.modified)));
            for name in &directory.names {
                text.push_str(name);
                text.push('\n');
            }
        }
        text.push_str(CACHE_END);
        store::write_cache(&cache.join(CACHE_FILE), text.as_bytes())?;
        store::thin_out(cache, CACHE_FILES_MAX)
    }
}

/// The cache's name in our cache directory.
const CACHE_FILE: &str = "commands";

impl Directory {
    fn holds(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }
}

/// The names of a cache by directory and time of change. Names can't hold a slash, so a line that starts with one
/// starts the next directory: `/NANOSECONDS TAB PATH`.
fn recall(file: &Path) -> BTreeMap<PathBuf, (u128, Vec<String>)> {
    let mut known: BTreeMap<PathBuf, (u128, Vec<String>)> = BTreeMap::new();
    // The time first: a cache written meanwhile then counts as older than it is, and is trusted less.
    let Some(written) = fs::symlink_metadata(file).ok().and_then(|found| found.modified().ok()) else {
        return known;
    };
    let read = store::read(file, CACHE_LIMIT).ok().flatten();
    let Some(text) = read.and_then(|bytes| String::from_utf8(bytes).ok()) else { return known };
    let whole =
        text.strip_prefix(CACHE_HEADER).and_then(|rest| rest.strip_prefix('\n')?.strip_suffix(CACHE_END));
    let Some(rest) = whole else { return known };
    let mut names = None;
    for line in rest.lines() {
        if let Some((modified, path)) = line.strip_prefix('/').and_then(|line| line.split_once('\t')) {
            let (_, last) = known.entry(path.into()).or_insert((modified.parse().unwrap_or(0), Vec::new()));
            names = Some(last);
        } else if let Some(names) = &mut names {
            names.push(line.to_owned());
        }
    }
    let settled = nanoseconds(written).saturating_sub(CLOCK_GRAIN.as_nanos());
    known.retain(|_, (modified, names)| *modified < settled && names.is_sorted());
    known
}

/// The programs in a directory.
fn scan(host: &dyn Host, directory: &Path) -> Vec<String> {
    let listed = host.list(directory).unwrap_or_default();
    let mut names: Vec<String> = listed
        .into_iter()
        .take(FILES_LIMIT)
        .filter_map(|name| name.into_string().ok())
        .filter(|name| {
            is_plain(name) && host.entry(&directory.join(name)).is_some_and(|entry| entry.executable)
        })
        .collect();
    names.sort_unstable();
    names
}

/// It stands on one line.
fn is_plain(text: &str) -> bool {
    !text.contains(char::is_control)
}

fn nanoseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;
    use std::os::unix::fs::PermissionsExt as _;

    use expect_test::expect;

    use super::*;
    use crate::host::local::LocalHost;
    use crate::host::recorded::RecordedHost;

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
        let told = [("ZSH_VERSION".to_owned(), "5.9".to_owned())];
        let context = gather(&machine(host.clone()), Shell::Zsh, &told);
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
        .assert_eq(&serde_json::to_string_pretty(&context.to_json()).unwrap());
        assert_eq!(context.userland(&host, "find"), Userland::Gnu);
        assert_eq!(context.userland(&host, "nothing"), Userland::Unknown);
        assert_eq!(
            gather(&machine(host.clone()), Shell::Nu, &told).shell_version.as_deref(),
            Some("0.115.1")
        );
        assert_eq!(gather(&machine(host), Shell::Bash, &told).shell_version, None);
    }

    #[test]
    fn commands_are_found_in_the_order_of_the_path() {
        let commands = gather(&machine(alpine()), Shell::Bash, &[]).commands;
        assert!(commands.complete && commands.contains("zsh") && commands.contains("evil"));
        assert!(!commands.contains("README") && !commands.contains("") && !commands.contains("/bin/ls"));
        // The empty first entry is the working directory, so a shell would run the clone's `ls`: known, not trusted.
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
        let commands = gather(&machine(host), Shell::Bash, &[]).commands;
        let trusted: Vec<bool> = commands.directories.iter().map(|directory| directory.trusted).collect();
        assert_eq!(trusted, [true, false, false, true, false, true]);
    }

    /// This machine with another `PATH`.
    struct WithPath(PathBuf);

    impl Host for WithPath {
        fn probe(&self, _: &Path, _: &crate::host::Probe) -> anyhow::Result<crate::host::Output> {
            panic!("context must start no program")
        }
        fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
            LocalHost.read(path, limit)
        }
        fn list(&self, directory: &Path) -> anyhow::Result<Vec<std::ffi::OsString>> {
            LocalHost.list(directory)
        }
        fn entry(&self, path: &Path) -> Option<crate::host::Entry> {
            LocalHost.entry(path)
        }
        fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
            LocalHost.real_path(path)
        }
        fn env(&self, name: &str) -> Option<std::ffi::OsString> {
            (name == "PATH").then(|| self.0.clone().into())
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

    fn add_program(directory: &Path, name: &str) {
        let file = directory.join(name);
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn set_modified(path: &Path, ago_s: u64) {
        let time = SystemTime::now() - Duration::from_secs(ago_s);
        fs::File::open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn names_that_are_not_utf8_are_told_as_well_as_can_be() {
        let mut context = gather(&machine(alpine()), Shell::Bash, &[]);
        let odd = PathBuf::from(std::ffi::OsString::from_vec(b"/caf\xe9".to_vec()));
        context.current_dir = Some(odd.clone());
        context.commands.directories[0].path = odd;
        let told = context.to_json();
        assert_eq!(told["current_dir"], "/caf\u{fffd}");
        assert_eq!(told["commands"][0]["directory"], "/caf\u{fffd}");
    }

    #[test]
    fn a_cache_that_is_a_link_or_open_to_others_is_not_believed() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("commands");
        fs::write(&file, format!("{CACHE_HEADER}\n/1\t/x\nls\n{CACHE_END}")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(recall(&file).len(), 1);
        let link = home.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(recall(&link).is_empty());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(recall(&file).is_empty());
    }

    #[test]
    fn the_cache_is_used_until_a_directory_changes() {
        let home = tempfile::tempdir().unwrap();
        let (bin, cache) = (home.path().join("bin"), home.path().join("cache"));
        fs::create_dir(&bin).unwrap();
        add_program(&bin, "one");
        let host = WithPath(bin.clone());
        let look = || {
            let commands = Commands::on_path(&host, Some(&cache));
            commands.remember(&cache).unwrap();
            (commands.changed, commands.contains("one"), commands.contains("two"))
        };
        set_modified(&bin, 60);
        assert_eq!(look(), (true, true, false), "the first time it is scanned");
        assert_eq!(look(), (false, true, false), "then it is known");
        add_program(&bin, "two");
        assert_eq!(look(), (true, true, true), "a change is seen");
        assert_eq!(look(), (true, true, true), "a change of a moment ago may not be the last");
        set_modified(&bin, 30);
        assert_eq!(look(), (true, true, true));
        assert_eq!(look(), (false, true, true), "and settles");
        fs::write(cache.join("commands"), "askline commands 0\n/1\t/x\nls\n").unwrap();
        assert_eq!(look(), (true, true, true), "a cache of another version is made anew");
        fs::write(cache.join("commands"), b"\xff\x00").unwrap();
        assert_eq!(look(), (true, true, true), "so is a broken one");
        assert_eq!(look(), (false, true, true));
        let whole = fs::read(cache.join("commands")).unwrap();
        fs::write(cache.join("commands"), &whole[..whole.len() - "two\n/\n".len()]).unwrap();
        assert_eq!(look(), (true, true, true), "and one that lost its end");
        assert_eq!(look(), (false, true, true));
    }
}
