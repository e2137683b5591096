//! Filters of system calls: no signals to other processes, no connections, no changes of file properties or the machine.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};

/// `fchmodat2`, which the libc crate lacks on arm64. It has the same number on every processor with a filter.
const FCHMODAT2: libc::c_long = 452;

/// System calls that fail with a permission error.
#[rustfmt::skip]
const REFUSED: &[libc::c_long] = &[
    // Leaving the process group, which is killed as a whole.
    libc::SYS_setsid, libc::SYS_setpgid,
    // Other processes.
    libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal, libc::SYS_pidfd_open, libc::SYS_pidfd_getfd, libc::SYS_ptrace,
    libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_process_madvise, libc::SYS_kcmp,
    libc::SYS_process_mrelease, libc::SYS_migrate_pages, libc::SYS_move_pages,
    libc::SYS_setpriority, libc::SYS_ioprio_set, libc::SYS_sched_setscheduler, libc::SYS_sched_setparam,
    libc::SYS_sched_setattr, libc::SYS_sched_setaffinity,
    // Memory in files without a place, which counts for no process.
    libc::SYS_memfd_create, libc::SYS_memfd_secret,
    // Memory objects that outlive a process.
    libc::SYS_listen, libc::SYS_shmget, libc::SYS_shmat,
    libc::SYS_shmctl, libc::SYS_semget, libc::SYS_semctl, libc::SYS_semop, libc::SYS_semtimedop,
    libc::SYS_msgget, libc::SYS_msgctl, libc::SYS_msgsnd, libc::SYS_msgrcv, libc::SYS_mq_open,
    libc::SYS_mq_unlink, libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl,
    // File properties, which Landlock does not restrict.
    libc::SYS_fchmod, libc::SYS_fchmodat, FCHMODAT2, libc::SYS_fchown, libc::SYS_fchownat,
    libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, libc::SYS_removexattr, libc::SYS_lremovexattr,
    libc::SYS_fremovexattr, libc::SYS_utimensat, libc::SYS_truncate, libc::SYS_mknodat, libc::SYS_quotactl, libc::SYS_quotactl_fd,
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

/// System calls that open connections.
const CONNECTIONS: [libc::c_long; 3] = [libc::SYS_socket, libc::SYS_connect, libc::SYS_bind];

/// Protocols of netlink that are allowed: addresses and routes, and sockets. The others change or watch the machine.
const NETLINK: [libc::c_int; 2] = [libc::NETLINK_ROUTE, libc::NETLINK_SOCK_DIAG];

/// Older variants that only this processor architecture has.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const REFUSED_HERE: &[libc::c_long] = &[
    libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat,
    libc::SYS_mknod, libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_kexec_file_load,
];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_kexec_file_load];

/// System calls whose arguments a filter cannot inspect. They fail as on an older kernel, which makes programs
/// use the older calls. io_uring would bypass every filter.
const TOO_NEW: [libc::c_long; 5] = [
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Last system call that these lists were made for, `mseal`. Newer ones have the same number on every processor;
/// x86-64's second range of numbers, meant for 32-bit pointers, is far above it.
const LAST_KNOWN: u32 = 462;

/// Kinds of socket pairs that are allowed: their ends reach each other and nothing else. An end of another kind can
/// send to any socket of the machine.
const PAIRS: [libc::c_int; 2] = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];

/// Bits of the kind in the second argument of `socketpair`; the others are flags.
const PAIR_BITS: u64 = 0xf;

/// Lock operations of `fcntl`. They do nothing and succeed, as `flock` does: a program needs no locks in a directory of
/// its own, and a lock on a file of the system would stop others.
const LOCKS: [libc::c_int; 4] = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];

/// Allowed `fcntl` operations. The others send signals to other processes, make them wait, or make pipes larger.
const CONTROLS: [libc::c_int; 14] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_GETPIPE_SZ,
    libc::F_GET_SEALS,
];

/// Allowed `ioctl` requests: terminal queries and the like. The others belong to devices, sockets and file
/// systems, and some of them change a file that is only open for reading.
const DEVICE_CONTROLS: std::ops::RangeInclusive<u64> = 0x5400..=0x54ff;

/// Error number with which a call does nothing and succeeds.
const SUCCESS: libc::c_int = 0;

/// Sockets that are allowed. The network is reached with none of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sockets {
    /// Netlink: questions to the kernel.
    pub(super) kernel: bool,
    /// Those of services on this machine.
    pub(super) services: bool,
}

impl Sockets {
    /// Returns the rules for `socket` that refuse all others.
    fn refused(self) -> anyhow::Result<Vec<SeccompRule>> {
        let is = |argument, comparison, value: libc::c_int| {
            SeccompCondition::new(
                argument,
                SeccompCmpArgLen::Dword,
                comparison,
                u64::from(value.cast_unsigned()),
            )
        };
        let families = [(self.kernel, libc::AF_NETLINK), (self.services, libc::AF_UNIX)];
        let families = families.into_iter().filter(|(is_allowed, _)| *is_allowed);
        let other: Result<Vec<_>, _> = families.map(|(_, family)| is(0, SeccompCmpOp::Ne, family)).collect();
        let mut protocol = vec![is(0, SeccompCmpOp::Eq, libc::AF_NETLINK)?];
        for allowed in NETLINK {
            protocol.push(is(2, SeccompCmpOp::Ne, allowed)?);
        }
        Ok(vec![SeccompRule::new(other?)?, SeccompRule::new(protocol)?])
    }
}

/// Returns the filters, which all apply.
pub(super) fn filters(sockets: Sockets) -> anyhow::Result<Vec<BpfProgram>> {
    let always = |calls: &[libc::c_long]| calls.iter().map(|call| (*call, Vec::new())).collect::<Vec<_>>();
    let mut refused = always(REFUSED);
    refused.extend(always(REFUSED_HERE));
    let when = |argument, comparison, value| -> anyhow::Result<SeccompRule> {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)?;
        Ok(SeccompRule::new(vec![condition])?)
    };
    // Signals. Signal 0 only checks whether a process exists; zsh sends it until its child is gone.
    refused.push((libc::SYS_kill, vec![when(1, SeccompCmpOp::Ne, 0)?]));
    // Limits of other processes.
    refused.push((libc::SYS_prlimit64, vec![when(0, SeccompCmpOp::Ne, 0)?]));
    // New namespaces. The flags of clone are its first argument on all processors with a filter.
    let namespaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWNET | libc::CLONE_NEWPID;
    let mut rules = Vec::new();
    for bit in (0..32).map(|bit| 1_i32 << bit).filter(|bit| namespaces & bit != 0) {
        let bit = u64::from(bit.cast_unsigned());
        rules.push(when(0, SeccompCmpOp::MaskedEq(bit), bit)?);
    }
    refused.push((libc::SYS_clone, rules));
    // Opening read-only with truncation, which the first two versions of Landlock allow.
    let mask = u64::from((libc::O_ACCMODE | libc::O_TRUNC).cast_unsigned());
    let cuts = u64::from((libc::O_RDONLY | libc::O_TRUNC).cast_unsigned());
    refused.push((libc::SYS_openat, vec![when(2, SeccompCmpOp::MaskedEq(mask), cuts)?]));
    #[cfg(target_arch = "x86_64")]
    refused.push((libc::SYS_open, vec![when(1, SeccompCmpOp::MaskedEq(mask), cuts)?]));
    let others = CONTROLS.iter().map(|control| {
        let control = u64::from(control.cast_unsigned());
        SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, control)
    });
    refused.push((libc::SYS_fcntl, vec![SeccompRule::new(others.collect::<Result<_, _>>()?)?]));
    let bits = |flags: libc::c_int| u64::from(flags.cast_unsigned());
    let pairs = (0..=PAIR_BITS).filter(|kind| !PAIRS.iter().any(|pair| bits(*pair) == *kind));
    let pairs = pairs.map(|kind| when(1, SeccompCmpOp::MaskedEq(PAIR_BITS), kind));
    refused.push((libc::SYS_socketpair, pairs.collect::<anyhow::Result<_>>()?));
    if sockets.kernel || sockets.services {
        refused.push((libc::SYS_socket, sockets.refused()?));
    } else {
        refused.extend(always(&CONNECTIONS));
        // Sending to an address.
        let named = SeccompCondition::new(4, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
        refused.push((libc::SYS_sendto, vec![SeccompRule::new(vec![named])?]));
    }
    // Memory that processes share is in none of the limits.
    let shared = bits(libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    let memory = vec![(libc::SYS_mmap, vec![when(3, SeccompCmpOp::MaskedEq(shared), shared)?])];
    let locks = LOCKS.iter().map(|lock| when(1, SeccompCmpOp::Eq, bits(*lock)));
    let locks = vec![(libc::SYS_fcntl, locks.collect::<anyhow::Result<_>>()?), (libc::SYS_flock, Vec::new())];
    let (first, last) = DEVICE_CONTROLS.into_inner();
    let others = vec![when(1, SeccompCmpOp::Lt, first)?, when(1, SeccompCmpOp::Gt, last)?];
    Ok(vec![
        compiled(refused, libc::EPERM)?,
        compiled(vec![(libc::SYS_ioctl, others)], libc::ENOTTY)?,
        compiled(always(&TOO_NEW), libc::ENOSYS)?,
        compiled(memory, libc::ENOMEM)?,
        compiled(locks, SUCCESS)?,
        only_known(),
    ])
}

/// Returns the filter that makes system calls after [`LAST_KNOWN`] fail as unknown. Calls of another processor
/// architecture, which have other numbers, end the program in each of the other filters.
fn only_known() -> BpfProgram {
    let instruction = |code: u32, jf, k| sock_filter { code: code as u16, jt: 0, jf, k };
    vec![
        // The number of the call is the first field.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, 1, LAST_KNOWN),
        instruction(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned()),
        instruction(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

fn compiled(rules: Vec<(libc::c_long, Vec<SeccompRule>)>, error: libc::c_int) -> anyhow::Result<BpfProgram> {
    let architecture = std::env::consts::ARCH.try_into()?;
    let refuse = SeccompAction::Errno(error.cast_unsigned());
    let rules = rules.into_iter().collect();
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)?.try_into()?)
}
