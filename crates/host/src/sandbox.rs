//! A sandbox for programs that are asked for their documentation, and for lines that only read. Inside, they can read
//! only the system's public files (no user files but the program itself with the libraries beside it and the places of a
//! line, no devices), write a limited amount into their own empty directory, open no connection, signal no other process
//! and access no terminal. All processes they start end with them.
//!
//! Linux only: Landlock (5.13) restricts files, seccomp the rest. On other systems, older kernels and processors
//! without a filter there is no sandbox, and facts about commands come from man pages only. macOS's `sandbox-exec` is
//! deprecated and could not be tried.

#[cfg(target_os = "linux")]
mod calls;

#[cfg(target_os = "linux")]
pub(super) use linux::Sandbox;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command};
    use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
    use std::sync::{LazyLock, Once};
    use std::thread;
    use std::time::Duration;

    use anyhow::{Context as _, anyhow, ensure};
    use landlock::{
        ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
        RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
    };
    use rustix::io::Errno;
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, setrlimit, setsid};
    use seccompiler::{BpfProgram, apply_filter};
    use tempfile::TempDir;

    use super::calls::{Sockets, filters};
    use crate::sandboxed_command::{SandboxedCommand, Start};

    /// Readable and executable directories: packages. `/proc` is excluded, because it exposes the environment of the
    /// user's other processes: of 832 programs on Debian 12, four say less without it (top, bwrap, valgrind).
    const READABLE: [&str; 10] =
        ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"];

    /// Settings of packages. Only world-readable files in it are readable, because root's own programs could
    /// otherwise read the passwords and keys there.
    const SETTINGS: &str = "/etc";

    /// What a line may read besides what it names: records of packages, logins and the system's journal.
    const RECORDS: [&str; 11] = [
        "/run/log/journal",
        "/run/utmp",
        "/var/cache/apt",
        "/var/cache/man",
        "/var/lib/apt",
        "/var/lib/dpkg",
        "/var/lib/pacman",
        "/var/lib/rpm",
        "/var/log/journal",
        "/var/log/lastlog",
        "/var/log/wtmp",
    ];

    /// The list of users.
    const USERS: &str = "/etc/passwd";

    /// The kernel's files about processes and devices.
    const SYSTEM: [&str; 2] = ["/proc", "/sys"];

    /// Maximum number of entries and of levels in a directory that is readable in part, the upper levels first. Anything
    /// beyond cannot be read.
    const SETTINGS_MAX: usize = 20_000;
    const PLACE_MAX: usize = 5_000;
    const DEPTH_MAX: usize = 12;

    /// Processor time of each process inside, in seconds, if its program is asked for its help.
    const HELP_CPU: u64 = 3;

    /// Other limits of each process inside: sizes in bytes, open files. Address space has no limit: Go and Java reserve
    /// far more of it than they use.
    const LIMITS: [(Resource, u64); 4] =
        [(Resource::Fsize, 1 << 20), (Resource::Core, 0), (Resource::Data, 2 << 30), (Resource::Nofile, 256)];

    /// Maximum number of bytes, entries and levels in the private directory, of processes and threads at a time, and of
    /// bytes of memory that all of them use. They are checked at intervals, so a program that ends before a check can
    /// have used more. For users other than root the kernel enforces the number of tasks too.
    const PRIVATE_BYTES_MAX: u64 = 16 << 20;
    const PRIVATE_ENTRIES_MAX: usize = 2_000;
    const PRIVATE_DEPTH_MAX: usize = 32;
    const TASKS_MAX: u16 = 512;
    const PROCESSES_MAX: u16 = 64;
    const RESIDENT_MAX: u64 = 1 << 30;

    /// Number beyond those of all capabilities of the kernel.
    const CAPABILITIES_MAX: libc::c_ulong = 64;

    /// Name prefix of the private directories, which are created beside other temporary files.
    const PRIVATE_PREFIX: &str = "askline-cage-";

    /// Age at which a private directory is left over from a killed process.
    const PRIVATE_AGE_MAX: Duration = Duration::from_secs(3600);

    /// Maximum number of entries of the temporary directory that are searched for such leftovers.
    const TEMPORARY_MAX: usize = 20_000;

    static SWEEP: Once = Once::new();

    /// A sandbox for one program.
    pub(in super::super) struct Sandbox {
        private: TempDir,
        files: RulesetCreated,
        filters: Vec<BpfProgram>,
        /// Processor time of each process, in seconds.
        cpu: u64,
        /// `true` if root's privileges are given up, with which it could read the environment of other processes.
        is_plain: bool,
        /// Number of tasks on the whole machine without those inside; the kernel counts them in 16 bits.
        n_other_tasks: AtomicU16,
        /// Free memory of the machine in bytes, with that of the tasks inside.
        free: AtomicU64,
    }

    impl Sandbox {
        /// Creates a sandbox in which `program` can be read and executed, besides the system's files.
        ///
        /// # Errors
        /// When this system cannot enforce it.
        pub(in super::super) fn new(program: &Path) -> anyhow::Result<Self> {
            let libraries = libraries(program, None, &homes());
            let add = |rules| add_all(rules, libraries.iter().map(|lib| (lib, AccessFs::from_read(ABI::V1))));
            Self::make(program, Sockets::default(), HELP_CPU, add)
        }

        /// Creates a sandbox in which `program` can be read and executed, besides the system's files, and the places of the
        /// look can be read.
        ///
        /// # Errors
        /// When this system cannot enforce it.
        pub(in super::super) fn for_command(
            program: &Path,
            sandboxed: &SandboxedCommand,
        ) -> anyhow::Result<Self> {
            let services = matches!(sandboxed.start, Start::Service(_));
            let sockets = Sockets { kernel: sandboxed.asks_kernel, services };
            let cpu = sandboxed.patience.as_secs().max(1);
            let libraries = libraries(program, Some(&sandboxed.directory), &homes());
            let sandbox = Self::make(program, sockets, cpu, |rules| add_places(rules, sandboxed, libraries))?;
            Ok(Self { is_plain: true, ..sandbox })
        }

        fn make(
            program: &Path,
            sockets: Sockets,
            cpu: u64,
            add: impl FnOnce(RulesetCreated) -> anyhow::Result<RulesetCreated>,
        ) -> anyhow::Result<Self> {
            SWEEP.call_once(|| sweep(&std::env::temp_dir()));
            let private = tempfile::Builder::new().prefix(PRIVATE_PREFIX).tempdir()?;
            let files = file_rules(program, private.path()).and_then(add);
            let (n_tasks, free) = machine_load();
            Ok(Self {
                private,
                files: files.context("this system has no sandbox")?,
                filters: filters(sockets)?,
                cpu,
                is_plain: false,
                n_other_tasks: AtomicU16::new(n_tasks),
                free: AtomicU64::new(free),
            })
        }

        /// Returns the only writable directory.
        pub(in super::super) fn directory(&self) -> &Path {
            self.private.path()
        }

        /// Reports whether the private directory exceeds its limits.
        pub(in super::super) fn is_overfull(&self) -> bool {
            is_overfull(self.directory())
        }

        /// Reports whether the processes inside may exceed their limits. Cheap: it looks at the load of the whole machine,
        /// which other programs change too.
        pub(in super::super) fn is_suspect(&self) -> bool {
            let (n_tasks, free) = machine_load();
            let n_new = n_tasks.wrapping_sub(self.n_other_tasks.load(Ordering::Relaxed));
            let are_many = (PROCESSES_MAX..u16::MAX / 2).contains(&n_new);
            let is_large = RESIDENT_MAX < self.free.load(Ordering::Relaxed).saturating_sub(free);
            are_many || is_large
        }

        /// Reports whether the process group `group` inside exceeds its limits and must be killed.
        pub(in super::super) fn is_overrun(&self, group: Pid) -> bool {
            let inside = GroupLoad::of(group);
            let (n_tasks, free) = machine_load();
            self.n_other_tasks.store(n_tasks.wrapping_sub(inside.n_tasks), Ordering::Relaxed);
            self.free.store(free.saturating_add(inside.resident), Ordering::Relaxed);
            inside.is_too_much()
        }

        /// Starts `command` inside the sandbox with `spawn`.
        ///
        /// # Errors
        /// When the sandbox could not be set up or the program could not be started.
        pub(in super::super) fn start(
            &self,
            mut command: Command,
            spawn: impl FnOnce(&mut Command) -> anyhow::Result<Child> + Send,
        ) -> anyhow::Result<Child> {
            let filters = self.filters.clone();
            // The kernel counts the tasks that the user has anywhere: at most all that the machine has now.
            let n_tasks_max = u64::from(self.n_other_tasks.load(Ordering::Relaxed)) + u64::from(TASKS_MAX);
            let (cpu, is_plain) = (self.cpu, self.is_plain);
            let limits = [(Resource::Nproc, n_tasks_max), (Resource::Cpu, cpu)];
            let enter = move || enter(&filters, limits, is_plain);
            #[expect(unsafe_code, reason = "what runs between fork and exec must not allocate or lock")]
            // SAFETY: `enter` makes system calls only: no memory is allocated, no lock is taken.
            unsafe {
                command.pre_exec(enter);
            }
            let files = self.files.try_clone().context("can't copy the sandbox's rules")?;
            // Landlock restricts the calling thread and its children, so a separate thread is used.
            let spend = || {
                let status = files.restrict_self()?;
                ensure!(status.no_new_privs, "privileges could not be given up");
                ensure!(status.ruleset != RulesetStatus::NotEnforced, "this system has no sandbox");
                spawn(&mut command)
            };
            thread::scope(|scope| {
                let spent = thread::Builder::new().name("sandbox".to_owned()).spawn_scoped(scope, spend)?;
                spent.join().map_err(|_| anyhow!("the sandbox's thread panicked"))?
            })
        }
    }

    /// Removes leftovers of killed askline processes from the temporary directory.
    fn sweep(temporary: &Path) {
        let Ok(entries) = fs::read_dir(temporary) else { return };
        let ours = rustix::process::geteuid().as_raw();
        for entry in entries.take(TEMPORARY_MAX).flatten() {
            let is_private = entry.file_name().as_encoded_bytes().starts_with(PRIVATE_PREFIX.as_bytes());
            let Some(metadata) = is_private.then(|| entry.metadata().ok()).flatten() else { continue };
            let is_old =
                metadata.modified().is_ok_and(|made| made.elapsed().is_ok_and(|age| PRIVATE_AGE_MAX < age));
            if metadata.is_dir() && metadata.uid() == ours && is_old {
                // Follows no link that the program inside may have left.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Runs between fork and exec: creates a session with its own process group, sets limits, closes inherited
    /// descriptors, then installs the filters, which also prevent processes from leaving the group.
    fn enter(filters: &[BpfProgram], limits: [(Resource, u64); 2], is_plain: bool) -> std::io::Result<()> {
        setsid()?;
        if is_plain {
            drop_capabilities()?;
        }
        for (resource, limit) in LIMITS.into_iter().chain(limits) {
            // A lower limit cannot be raised, and an attempt would fail the whole sandbox.
            let limit = Some(getrlimit(resource).maximum.map_or(limit, |most| most.min(limit)));
            setrlimit(resource, Rlimit { current: limit, maximum: limit })?;
        }
        close_on_exec()?;
        for filter in filters {
            apply_filter(filter).map_err(|_| std::io::Error::from(Errno::PERM))?;
        }
        Ok(())
    }

    /// Removes all capabilities from what a new program may have. Users other than root have none.
    fn drop_capabilities() -> std::io::Result<()> {
        for capability in 0..CAPABILITIES_MAX {
            #[expect(unsafe_code, reason = "there is no safe wrapper that takes numbers")]
            // SAFETY: the call takes numbers and changes only a set of the calling thread.
            let done = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
            let error = std::io::Error::last_os_error();
            match error.raw_os_error() {
                _ if done == 0 => {}
                Some(libc::EINVAL) => break, // the kernel has no more
                Some(libc::EPERM) if !rustix::process::geteuid().is_root() => break,
                _ => return Err(error),
            }
        }
        Ok(())
    }

    /// Marks all inherited descriptors except the three standard streams as close-on-exec.
    fn close_on_exec() -> std::io::Result<()> {
        let (first, last) = (3, libc::c_uint::MAX);
        #[expect(unsafe_code, reason = "there is no safe wrapper for close_range")]
        // SAFETY: the call takes three numbers and only sets a flag on descriptors.
        let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, libc::CLOSE_RANGE_CLOEXEC) };
        if done == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    }

    fn is_overfull(directory: &Path) -> bool {
        let (mut n_bytes, mut n_entries) = (0, 0);
        let mut left = vec![(directory.to_path_buf(), 0)];
        while let Some((directory, depth)) = left.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let Ok(facts) = entry.metadata() else { continue };
                n_bytes += facts.len();
                n_entries += 1;
                if PRIVATE_BYTES_MAX < n_bytes || PRIVATE_ENTRIES_MAX < n_entries || PRIVATE_DEPTH_MAX < depth
                {
                    return true;
                }
                if facts.is_dir() {
                    left.push((entry.path(), depth + 1));
                }
            }
        }
        false
    }

    /// Returns the number of tasks and the free memory in bytes of the whole machine.
    fn machine_load() -> (u16, u64) {
        let found = rustix::system::sysinfo();
        // Both have the width of a pointer, so the casts lose nothing.
        (found.procs, (found.freeram as u64).saturating_mul(u64::from(found.mem_unit)))
    }

    /// Processes of a group, with what they use.
    #[derive(Debug, Default)]
    struct GroupLoad {
        n_processes: u16,
        n_tasks: u16,
        /// Bytes of memory; what processes share counts for each.
        resident: u64,
    }

    impl GroupLoad {
        /// Adds up what `/proc` says about the processes of a group.
        fn of(group: Pid) -> Self {
            let group = group.as_raw_nonzero().to_string();
            let page = rustix::param::page_size() as u64;
            let mut load = Self::default();
            for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
                let Ok(facts) = fs::read_to_string(process.path().join("stat")) else { continue };
                // The fields after the name in parentheses, which may contain anything: state, parent, group, 14 fields
                // later the number of threads, and 3 fields later the pages in memory.
                let Some((_, facts)) = facts.rsplit_once(')') else { continue };
                let mut facts = facts.split_ascii_whitespace().skip(2);
                if facts.next() == Some(group.as_str()) {
                    let n_threads = facts.nth(14).and_then(|threads| threads.parse().ok()).unwrap_or(1);
                    let n_pages = facts.nth(3).and_then(|pages| pages.parse().ok()).unwrap_or(0);
                    load.n_processes = load.n_processes.saturating_add(1);
                    load.n_tasks = load.n_tasks.saturating_add(n_threads);
                    load.resident = load.resident.saturating_add(page.saturating_mul(n_pages));
                }
            }
            load
        }

        fn is_too_much(&self) -> bool {
            PROCESSES_MAX < self.n_processes || TASKS_MAX < self.n_tasks || RESIDENT_MAX < self.resident
        }
    }

    fn home() -> Option<PathBuf> {
        std::env::var_os("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok())
    }

    fn file_rules(program: &Path, private: &Path) -> anyhow::Result<RulesetCreated> {
        let home = home();
        // The rules of Landlock's first version must be enforced. Later versions add truncating files and moving them
        // between directories; a filter or the first version's default forbids both as well.
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(ABI::V5))?
            // Signals and abstract sockets, which the filters also forbid.
            .scope(Scope::from_all(ABI::V6))?
            .create()?;
        let read = AccessFs::from_read(ABI::V1);
        let read_file = AccessFs::Execute | AccessFs::ReadFile;
        for directory in READABLE.into_iter().chain([SETTINGS]) {
            let holds_home = home.as_ref().is_some_and(|home| home.starts_with(directory));
            ensure!(!holds_home, "the home directory is in {directory}");
        }
        for directory in READABLE {
            let Ok(opened) = PathFd::new(directory) else { continue };
            rules = rules.add_rule(PathBeneath::new(opened, read))?;
        }
        for setting in PUBLIC_SETTINGS.iter() {
            let Ok(opened) = PathFd::new(&setting.path) else { continue };
            let access = if setting.is_directory { read } else { read_file };
            rules = rules.add_rule(PathBeneath::new(opened, access))?;
        }
        let null = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
        let inside = AccessFs::ReadFile
            | AccessFs::WriteFile
            | AccessFs::Truncate
            | AccessFs::ReadDir
            | AccessFs::MakeDir
            | AccessFs::MakeReg
            | AccessFs::MakeSym
            | AccessFs::RemoveDir
            | AccessFs::RemoveFile;
        rules = rules.add_rule(PathBeneath::new(PathFd::new("/dev/null")?, null))?;
        rules = rules.add_rule(PathBeneath::new(PathFd::new(program)?, read_file))?;
        Ok(rules.add_rule(PathBeneath::new(PathFd::new(private)?, inside))?)
    }

    /// Returns the home directories of all users, links resolved.
    fn homes() -> Vec<PathBuf> {
        let users = fs::read_to_string(USERS).unwrap_or_default();
        let homes = users.lines().filter_map(|user| user.split(':').nth(5));
        let homes = homes.filter_map(|home| Path::new(home).canonicalize().ok());
        homes.chain(home()).filter(|home| home.parent().is_some()).collect()
    }

    /// Returns the directory of the libraries of a program that is installed with its own: `PREFIX/lib` for
    /// `PREFIX/bin/NAME`, as Homebrew, conda and virtual environments do it. `None` where `lib` can hold anything: if a home
    /// directory or `here` is `PREFIX` or below it, or if a link leads out of `PREFIX`.
    fn libraries(program: &Path, here: Option<&Path>, homes: &[PathBuf]) -> Option<PathBuf> {
        let prefix = program.parent().filter(|directory| directory.ends_with("bin"))?.parent()?;
        let prefix = prefix.canonicalize().ok()?;
        let directory = prefix.join("lib").canonicalize().ok()?;
        let is_inside = directory != prefix && directory.starts_with(&prefix) && directory.is_dir();
        let mut others = homes.iter().map(PathBuf::as_path).chain(here);
        (is_inside && !others.any(|other| other.starts_with(&prefix))).then_some(directory)
    }

    /// Reports whether a file is the loader of dynamic libraries, by its name: `ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`,
    /// `ld.so`.
    fn is_loader(file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("ld") && name.contains(".so")
    }

    fn add_all<'a>(
        mut rules: RulesetCreated,
        places: impl IntoIterator<Item = (&'a PathBuf, BitFlags<AccessFs>)>,
    ) -> anyhow::Result<RulesetCreated> {
        for (path, access) in places {
            let Ok(opened) = PathFd::new(path) else { continue };
            rules = rules.add_rule(PathBeneath::new(opened, access))?;
        }
        Ok(rules)
    }

    /// Adds what a line may read: its places, records, and the libraries of its program. Nothing there can be executed but the
    /// loader of the libraries, and nothing secret read. Links lead nowhere else: the rules are about what they lead to.
    fn add_places(
        mut rules: RulesetCreated,
        sandboxed: &SandboxedCommand,
        libraries: Option<PathBuf>,
    ) -> anyhow::Result<RulesetCreated> {
        let read = AccessFs::ReadFile | AccessFs::ReadDir;
        let access = |is_directory| if is_directory { read } else { AccessFs::ReadFile.into() };
        let system = SYSTEM.into_iter().filter(|_| sandboxed.sees_system);
        let records: Vec<PathBuf> = RECORDS.into_iter().chain(system).map(PathBuf::from).collect();
        rules = add_all(rules, records.iter().map(|path| (path, access(path.is_dir()))))?;
        let home = home();
        let is_shown = |path: &Path, _: &fs::Metadata| {
            let own = home.as_ref().and_then(|home| path.strip_prefix(home).ok());
            let path = own.map_or_else(|| path.to_owned(), |path| Path::new("~").join(path));
            !(sandboxed.is_secret)(&path.to_string_lossy())
        };
        for place in &sandboxed.places {
            if place.is_dir() {
                // Names are no secrets.
                rules = rules.add_rule(PathBeneath::new(PathFd::new(place)?, AccessFs::ReadDir))?;
            }
            if place.parent().is_none() {
                continue; // everything is below the root
            }
            let parts = readable_parts(place, PLACE_MAX, &is_shown);
            rules = add_all(rules, parts.iter().map(|part| (&part.path, access(part.is_directory))))?;
        }
        if let Some(directory) = libraries {
            let parts = readable_parts(&directory, PLACE_MAX, &is_shown);
            rules = add_all(rules, parts.iter().map(|part| (&part.path, access(part.is_directory))))?;
            let files = fs::read_dir(&directory)?.flatten().map(|entry| entry.path());
            let loaders: Vec<PathBuf> = files
                .filter_map(|file| file.canonicalize().ok())
                .filter(|file| is_loader(file) && file.starts_with(&directory))
                .collect();
            rules =
                add_all(rules, loaders.iter().map(|file| (file, AccessFs::Execute | AccessFs::ReadFile)))?;
        }
        Ok(rules)
    }

    /// A readable file, or a directory in which all is readable.
    struct Readable {
        path: PathBuf,
        is_directory: bool,
    }

    /// All world-readable settings, collected once.
    static PUBLIC_SETTINGS: LazyLock<Vec<Readable>> = LazyLock::new(|| {
        let is_public = |_: &Path, facts: &fs::Metadata| match facts.mode() {
            mode if facts.is_dir() => mode & 0o5 == 0o5,
            mode => mode & 0o4 != 0,
        };
        readable_parts(Path::new(SETTINGS), SETTINGS_MAX, &is_public)
    });

    /// A file or directory of a tree.
    struct Entry {
        at: Readable,
        parent: usize,
        depth: usize,
        /// `true` if it and all that is below it may be read.
        is_whole: bool,
    }

    /// Returns the parts of the tree below `root` that hold only what fits. Of a link only the name is exposed: its target
    /// has its own rules.
    fn readable_parts(
        root: &Path,
        entries_max: usize,
        fits: &dyn Fn(&Path, &fs::Metadata) -> bool,
    ) -> Vec<Readable> {
        let is_directory = root.is_dir();
        let at = Readable { path: root.to_owned(), is_directory };
        let mut tree = vec![Entry { at, parent: 0, depth: 0, is_whole: true }];
        let mut next = 0;
        while let Some(entry) = tree.get(next) {
            if entry.at.is_directory && entry.is_whole {
                let (path, depth) = (entry.at.path.clone(), entry.depth);
                let mut is_whole = depth < DEPTH_MAX;
                for inner in fs::read_dir(&path).map_err(|_| is_whole = false).into_iter().flatten() {
                    let facts = inner.and_then(|inner| Ok((inner.path(), inner.metadata()?)));
                    let Ok((path, facts)) = facts.map_err(|_| is_whole = false) else { continue };
                    if facts.is_symlink() {
                        continue;
                    }
                    if tree.len() == entries_max || depth == DEPTH_MAX {
                        is_whole = false;
                        break;
                    }
                    if !fits(&path, &facts) {
                        is_whole = false;
                        continue;
                    }
                    let at = Readable { path, is_directory: facts.is_dir() };
                    tree.push(Entry { at, parent: next, depth: depth + 1, is_whole: true });
                }
                if let Some(entry) = tree.get_mut(next) {
                    entry.is_whole = is_whole;
                }
            }
            next += 1;
        }
        for at in (1..tree.len()).rev() {
            if let Some(&Entry { parent, is_whole: false, .. }) = tree.get(at)
                && let Some(parent) = tree.get_mut(parent)
            {
                parent.is_whole = false;
            }
        }
        let wholes: Vec<bool> = tree.iter().map(|entry| entry.is_whole).collect();
        let is_part = |(at, entry): &(usize, Entry)| {
            entry.is_whole && (*at == 0 || wholes.get(entry.parent) == Some(&false))
        };
        tree.into_iter().enumerate().filter(is_part).map(|(_, entry)| entry.at).collect()
    }

    #[cfg(test)]
    mod tests {
        use std::os::unix::fs::symlink;
        use std::time::SystemTime;

        use super::*;

        #[test]
        fn what_a_group_uses_is_added_up() {
            let own = GroupLoad::of(rustix::process::getpgrp());
            assert!(
                0 < own.n_processes && own.n_processes <= own.n_tasks && 1 << 20 < own.resident,
                "{own:?}"
            );
            let load = |n_processes, n_tasks, resident| GroupLoad { n_processes, n_tasks, resident };
            assert!(!load(PROCESSES_MAX, TASKS_MAX, RESIDENT_MAX).is_too_much());
            assert!(load(PROCESSES_MAX + 1, 0, 0).is_too_much());
            assert!(load(0, TASKS_MAX + 1, 0).is_too_much());
            assert!(load(0, 0, RESIDENT_MAX + 1).is_too_much());
        }

        #[test]
        fn libraries_are_those_beside_the_program() {
            let top = tempfile::tempdir().unwrap();
            let prefix = top.path().join("prefix");
            let lib = prefix.join("lib");
            let program = prefix.join("bin/tool");
            assert_eq!(libraries(&program, None, &[]), None, "there is none");
            fs::create_dir_all(&lib).unwrap();
            fs::create_dir(prefix.join("bin")).unwrap();
            assert_eq!(libraries(&program, None, &[]).as_ref(), Some(&lib));
            let outside = top.path().to_owned();
            assert_eq!(
                libraries(&program, Some(&outside), std::slice::from_ref(&outside)).as_ref(),
                Some(&lib)
            );
            assert_eq!(libraries(&prefix.join("tool"), None, &[]), None);
            for below in [prefix.clone(), prefix.join("kim")] {
                assert_eq!(libraries(&program, None, std::slice::from_ref(&below)), None, "a home");
                assert_eq!(libraries(&program, Some(&below), &[]), None, "the directory of the look");
            }
            // By a link, the same prefix.
            let linked = top.path().join("linked");
            symlink(&prefix, &linked).unwrap();
            assert_eq!(libraries(&linked.join("bin/tool"), None, &[prefix.join("kim")]), None);
            assert_eq!(libraries(&linked.join("bin/tool"), None, &[]).as_ref(), Some(&lib));
            fs::rename(&lib, prefix.join("lib64")).unwrap();
            symlink("lib64", &lib).unwrap();
            assert_eq!(libraries(&program, None, &[]), Some(prefix.join("lib64")));
            fs::rename(prefix.join("lib64"), top.path().join("elsewhere")).unwrap();
            for target in ["../elsewhere", ".", ".."] {
                fs::remove_file(&lib).unwrap();
                symlink(target, &lib).unwrap();
                assert_eq!(libraries(&program, None, &[]), None, "a link to {target}");
            }
        }

        #[test]
        fn homes_are_those_of_all_users() {
            let homes = homes();
            assert!(homes.iter().all(|home| home.parent().is_some() && home.is_absolute()), "{homes:?}");
            let root = Path::new("/root");
            assert!(!root.is_dir() || homes.iter().any(|home| home == root), "{homes:?}");
        }

        #[test]
        fn a_loader_is_known_by_its_name() {
            for name in ["ld.so", "ld-linux-x86-64.so.2", "ld-musl-x86_64.so.1", "ld-2.31.so", "ld64.so.2"] {
                assert!(is_loader(&Path::new("/x/lib").join(name)), "{name}");
            }
            for name in ["libc.so.6", "ld", "evil", "build.sh"] {
                assert!(!is_loader(&Path::new("/x/lib").join(name)), "{name}");
            }
        }

        #[test]
        fn only_old_private_directories_are_swept() {
            let temporary = tempfile::tempdir().unwrap();
            let make = |name: &str, age: u64| {
                let path = temporary.path().join(name);
                fs::create_dir(&path).unwrap();
                fs::write(path.join("left"), "x").unwrap();
                let made = SystemTime::now() - Duration::from_secs(age);
                fs::File::open(&path).unwrap().set_modified(made).unwrap();
                path
            };
            let old = make("askline-cage-old", 7200);
            let kept = [make("askline-cage-new", 60), make("askline-1000", 7200), make("other", 7200)];
            let linked = temporary.path().join("askline-cage-link");
            symlink(&kept[2], &linked).unwrap();
            sweep(temporary.path());
            assert!(!old.exists());
            assert!(kept.iter().all(|path| path.join("left").exists()));
            assert!(linked.is_symlink());
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::Sandbox;

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::path::Path;
    use std::process::{Child, Command};

    use anyhow::bail;
    use rustix::process::Pid;

    use crate::sandboxed_command::SandboxedCommand;

    /// A type without values: this system has no sandbox.
    pub(in super::super) enum Sandbox {}

    impl Sandbox {
        pub(in super::super) fn new(_program: &Path) -> anyhow::Result<Self> {
            bail!("this system has no sandbox")
        }

        pub(in super::super) fn for_command(
            _shell: &Path,
            _sandboxed: &SandboxedCommand,
        ) -> anyhow::Result<Self> {
            bail!("this system has no sandbox")
        }

        pub(in super::super) fn directory(&self) -> &Path {
            match *self {}
        }

        pub(in super::super) fn is_overfull(&self) -> bool {
            match *self {}
        }

        pub(in super::super) fn is_suspect(&self) -> bool {
            match *self {}
        }

        pub(in super::super) fn is_overrun(&self, _group: Pid) -> bool {
            match *self {}
        }

        pub(in super::super) fn start(
            &self,
            _command: Command,
            _spawn: impl FnOnce(&mut Command) -> anyhow::Result<Child> + Send,
        ) -> anyhow::Result<Child> {
            match *self {}
        }
    }
}
