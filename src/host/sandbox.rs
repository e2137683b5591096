//! A cage for programs that we ask for their documentation. Inside they can read the system's files and nothing else
//! (not the user's), write only into an empty directory of their own, open no connection, signal nobody, reach no
//! terminal, and all they start ends with them.
//!
//! Linux only: Landlock (5.13) rules the files, seccomp the rest. Elsewhere, on older kernels and on processors without
//! a filter there is no cage, and what is known of a command comes from man pages only; macOS's `sandbox-exec` is
//! deprecated and could not be tried.

#[cfg(target_os = "linux")]
pub(super) use linux::Cage;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::process::CommandExt as _;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command};
    use std::thread;

    use anyhow::{Context as _, anyhow, ensure};
    use landlock::{
        ABI, Access as _, AccessFs, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
        RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus,
    };
    use rustix::io::Errno;
    use rustix::process::{Resource, Rlimit, setrlimit, setsid};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter,
    };
    use tempfile::TempDir;

    /// What may be read and executed: packages and their settings. Not `/proc`, where the environment of the user's other
    /// processes stands: of 832 programs on Debian 12, four say less without it (top, bwrap, valgrind).
    const READABLE: [&str; 11] = [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/opt",
        "/etc",
        "/nix/store",
        "/gnu/store",
    ];

    /// Devices that may be read.
    const DEVICES: [&str; 4] = ["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

    /// Bounds of each process inside: processor time in seconds, sizes in bytes. Address space has none: Go and Java
    /// reserve far more of it than they use.
    const LIMITS: [(Resource, u64); 4] =
        [(Resource::Cpu, 3), (Resource::Fsize, 1 << 20), (Resource::Core, 0), (Resource::Data, 2 << 30)];

    /// A cage for one program.
    pub(in super::super) struct Cage {
        private: TempDir,
        files: RulesetCreated,
        filters: Vec<BpfProgram>,
    }

    impl Cage {
        /// A cage in which `program` can be read and executed besides the system's files.
        ///
        /// # Errors
        /// When this system can't enforce it.
        pub(in super::super) fn new(program: &Path) -> anyhow::Result<Self> {
            let private = tempfile::Builder::new().prefix("askline-").tempdir()?;
            let files = file_rules(program, private.path()).context("this system has no sandbox")?;
            Ok(Self { private, files, filters: filters()? })
        }

        /// The only directory that can be written in.
        pub(in super::super) fn directory(&self) -> &Path {
            self.private.path()
        }

        /// Starts `command` inside by `spawn`.
        ///
        /// # Errors
        /// When the cage could not be closed or the program not be started.
        pub(in super::super) fn start(
            &self,
            mut command: Command,
            spawn: impl FnOnce(&mut Command) -> anyhow::Result<Child> + Send,
        ) -> anyhow::Result<Child> {
            let filters = self.filters.clone();
            let enter = move || enter(&filters);
            #[expect(unsafe_code, reason = "what runs between fork and exec must not allocate or lock")]
            // SAFETY: `enter` makes system calls only: no memory is allocated, no lock is taken.
            unsafe {
                command.pre_exec(enter);
            }
            let files = self.files.try_clone().context("can't copy the sandbox's rules")?;
            // Landlock binds the thread that asks for it and what that thread starts, so one is spent on it.
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

    /// Between fork and exec: a session and so a group of its own, bounds, nothing inherited, then the filters, which also
    /// keep it and its children from leaving that group.
    fn enter(filters: &[BpfProgram]) -> std::io::Result<()> {
        setsid()?;
        for (resource, limit) in LIMITS {
            let limit = Some(limit);
            setrlimit(resource, Rlimit { current: limit, maximum: limit })?;
        }
        close_on_exec()?;
        for filter in filters {
            apply_filter(filter).map_err(|_| std::io::Error::from(Errno::PERM))?;
        }
        Ok(())
    }

    /// Marks everything that a careless parent left open, besides the three standard streams.
    fn close_on_exec() -> std::io::Result<()> {
        let (first, last) = (3, libc::c_uint::MAX);
        #[expect(unsafe_code, reason = "there is no safe wrapper for close_range")]
        // SAFETY: the call takes three numbers and only sets a flag on descriptors.
        let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, libc::CLOSE_RANGE_CLOEXEC) };
        if done == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    }

    fn file_rules(program: &Path, private: &Path) -> anyhow::Result<RulesetCreated> {
        let home = std::env::var_os("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
        // What the first version of Landlock rules must be enforced. Later ones add cutting files short and moving them
        // between directories, both of which a filter or that version's default forbids as well.
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(ABI::V5))?
            .create()?;
        let read = AccessFs::from_read(ABI::V1);
        let read_file = AccessFs::Execute | AccessFs::ReadFile;
        for directory in READABLE {
            let Ok(opened) = PathFd::new(directory) else { continue };
            let holds_home = home.as_ref().is_some_and(|home| home.starts_with(directory));
            ensure!(!holds_home, "the home directory stands in {directory}");
            rules = rules.add_rule(PathBeneath::new(opened, read))?;
        }
        for device in DEVICES {
            let Ok(opened) = PathFd::new(device) else { continue };
            rules = rules.add_rule(PathBeneath::new(opened, AccessFs::ReadFile))?;
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

    /// System calls that are refused, as if the user had no right to them.
    #[rustfmt::skip]
    const REFUSED: &[libc::c_long] = &[
        // Leaving the group in which all are killed.
        libc::SYS_setsid, libc::SYS_setpgid,
        // Other processes.
        libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_pidfd_send_signal, libc::SYS_pidfd_open, libc::SYS_pidfd_getfd, libc::SYS_ptrace,
        libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_process_madvise, libc::SYS_kcmp,
        libc::SYS_setpriority, libc::SYS_ioprio_set, libc::SYS_sched_setscheduler, libc::SYS_sched_setparam,
        libc::SYS_sched_setattr, libc::SYS_sched_setaffinity,
        // Connections of every family, and what outlives a process in memory.
        libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen, libc::SYS_shmget, libc::SYS_semget,
        libc::SYS_msgget, libc::SYS_mq_open, libc::SYS_mq_unlink, libc::SYS_add_key, libc::SYS_request_key,
        libc::SYS_keyctl,
        // Properties of files, which Landlock does not rule.
        libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchmodat2, libc::SYS_fchown, libc::SYS_fchownat,
        libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, libc::SYS_removexattr, libc::SYS_lremovexattr,
        libc::SYS_fremovexattr, libc::SYS_utimensat, libc::SYS_truncate, libc::SYS_mknodat, libc::SYS_quotactl,
        libc::SYS_name_to_handle_at, libc::SYS_open_by_handle_at, libc::SYS_fanotify_init, libc::SYS_sync,
        libc::SYS_syncfs,
        // The machine.
        libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_move_mount,
        libc::SYS_open_tree, libc::SYS_fsopen, libc::SYS_fsmount, libc::SYS_fsconfig, libc::SYS_fspick,
        libc::SYS_mount_setattr, libc::SYS_unshare, libc::SYS_setns, libc::SYS_swapon, libc::SYS_swapoff,
        libc::SYS_reboot, libc::SYS_kexec_load, libc::SYS_init_module, libc::SYS_finit_module,
        libc::SYS_delete_module, libc::SYS_sethostname, libc::SYS_setdomainname, libc::SYS_settimeofday,
        libc::SYS_clock_settime, libc::SYS_clock_adjtime, libc::SYS_adjtimex, libc::SYS_acct, libc::SYS_syslog,
        libc::SYS_vhangup, libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd,
    ];

    /// The older spellings that only this processor has.
    #[cfg(target_arch = "x86_64")]
    #[rustfmt::skip]
    const REFUSED_HERE: &[libc::c_long] = &[
        libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat,
        libc::SYS_mknod, libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_kexec_file_load,
    ];
    #[cfg(not(target_arch = "x86_64"))]
    const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_kexec_file_load];

    /// System calls whose arguments a filter can't see: as if the kernel were too old for them, so that programs take the
    /// older ones. io_uring would go round every filter.
    const TOO_NEW: [libc::c_long; 5] = [
        libc::SYS_clone3,
        libc::SYS_openat2,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
    ];

    fn filters() -> anyhow::Result<Vec<BpfProgram>> {
        let always =
            |calls: &[libc::c_long]| calls.iter().map(|call| (*call, Vec::new())).collect::<Vec<_>>();
        let mut refused = always(REFUSED);
        refused.extend(always(REFUSED_HERE));
        let when = |argument, comparison, value| -> anyhow::Result<SeccompRule> {
            let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)?;
            Ok(SeccompRule::new(vec![condition])?)
        };
        // The limits of another process.
        refused.push((libc::SYS_prlimit64, vec![when(0, SeccompCmpOp::Ne, 0)?]));
        // New namespaces. The flags of clone are its first argument on all processors with a filter.
        let namespaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWNET | libc::CLONE_NEWPID;
        let mut rules = Vec::new();
        for bit in (0..32).map(|bit| 1_i32 << bit).filter(|bit| namespaces & bit != 0) {
            let bit = u64::from(bit.cast_unsigned());
            rules.push(when(0, SeccompCmpOp::MaskedEq(bit), bit)?);
        }
        refused.push((libc::SYS_clone, rules));
        // Opening only to read, yet cutting the file short, which the first two versions of Landlock let through.
        let mask = u64::from((libc::O_ACCMODE | libc::O_TRUNC).cast_unsigned());
        let cuts = u64::from((libc::O_RDONLY | libc::O_TRUNC).cast_unsigned());
        refused.push((libc::SYS_openat, vec![when(2, SeccompCmpOp::MaskedEq(mask), cuts)?]));
        #[cfg(target_arch = "x86_64")]
        refused.push((libc::SYS_open, vec![when(1, SeccompCmpOp::MaskedEq(mask), cuts)?]));
        Ok(vec![compiled(refused, libc::EPERM)?, compiled(always(&TOO_NEW), libc::ENOSYS)?])
    }

    fn compiled(
        rules: Vec<(libc::c_long, Vec<SeccompRule>)>,
        error: libc::c_int,
    ) -> anyhow::Result<BpfProgram> {
        let architecture = std::env::consts::ARCH.try_into()?;
        let refuse = SeccompAction::Errno(error.cast_unsigned());
        let rules = rules.into_iter().collect();
        Ok(SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)?.try_into()?)
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::Cage;

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::path::Path;
    use std::process::{Child, Command};

    use anyhow::bail;

    /// There is none.
    pub(in super::super) enum Cage {}

    impl Cage {
        pub(in super::super) fn new(_program: &Path) -> anyhow::Result<Self> {
            bail!("this system has no sandbox")
        }

        pub(in super::super) fn directory(&self) -> &Path {
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
