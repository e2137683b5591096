//! The sandbox for `--help`: hostile programs cannot escape it, and real programs still print their help.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use askline::config::Help;
use askline::environment::{self, Machine};
use askline::knowledge::Knowledge;
use askline::shell_facts::ShellFacts;
use askline_check::reference::Reference as _;
use askline_host::local::{LocalHost, Runaway};
use askline_host::{Host as _, Level, OUTPUT_LIMIT, Output, Probe, Spelling};
use askline_syntax::shell::Shell;

/// Returns the output of a script that is asked for its help; its directory is `$(dirname "$0")`.
fn help_of(directory: &Path, interpreter: &str, body: &str) -> anyhow::Result<Output> {
    let file = directory.join("hostile");
    fs::write(&file, format!("#!{interpreter}\n{body}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let probe = Probe::Help { level: Level::default(), spelling: Spelling::Long };
    loop {
        match LocalHost.probe(&file, &probe) {
            // Another test that starts a program at this moment briefly keeps our file open for writing.
            Err(error) if format!("{error:#}").contains("busy") => {
                std::thread::sleep(Duration::from_millis(5))
            }
            other => return other,
        }
    }
}

fn printed(directory: &Path, interpreter: &str, body: &str) -> String {
    let output = help_of(directory, interpreter, body).unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn files_outside_can_neither_be_read_nor_changed() {
    let top = tempfile::tempdir().unwrap();
    let secret = top.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let before = fs::metadata(&secret).unwrap();
    let outside = top.path().display();
    let said = printed(
        top.path(),
        "/bin/bash",
        &format!(
            r#"
            cd '{outside}' 2>/dev/null
            try() {{ if "$@" 2>/dev/null >/dev/null; then echo "did $*"; fi; }}
            try cat '{secret}'; try ls '{outside}'; try rm -f '{secret}'; try mv '{secret}' '{outside}/moved'
            try cp '{secret}' copy; try ln '{secret}' link; try ln -s x '{outside}/symlink'; try mkdir '{outside}/d'
            try touch '{secret}' ; try touch '{outside}/new'; try chmod 777 '{secret}'; try chown 1 '{secret}'
            try truncate -s 0 '{secret}'; try bash -c 'echo x > {secret}'; try bash -c 'echo x >> /etc/passwd'
            try bash -c 'echo x > /tmp/askline-hostile'; try bash -c 'echo x > /dev/shm/askline-hostile'
            try bash -c 'echo x > /var/tmp/askline-hostile'; try ls ~root/.ssh; try ls /root; try ls /home; try ls /tmp
            try bash -c 'echo 1 > /proc/sys/kernel/printk'; try bash -c 'echo x > /proc/$PPID/comm'
            try cat /proc/$PPID/environ; try cat /dev/sda; try cat /dev/vda; try cat /dev/mem
            try setfattr -n user.x -v y '{secret}'; try mknod '{outside}/pipe' p; try mount -t tmpfs x /mnt
            echo end
            "#,
            secret = secret.display()
        ),
    );
    assert_eq!(said, "end\n");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
    let after = fs::metadata(&secret).unwrap();
    let facts = |found: &fs::Metadata| {
        (found.mode(), found.uid(), found.mtime_nsec(), found.ctime_nsec(), found.nlink())
    };
    assert_eq!(facts(&before), facts(&after));
    let names: Vec<_> = fs::read_dir(top.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    for place in ["/tmp", "/dev/shm", "/var/tmp"] {
        assert!(!Path::new(place).join("askline-hostile").exists());
    }
}

#[test]
fn a_directory_of_its_own_can_be_written_and_is_gone_afterwards() {
    let top = tempfile::tempdir().unwrap();
    let said = printed(
        top.path(),
        "/bin/sh",
        "pwd; echo $HOME; echo $TMPDIR; ls -A; echo x > file; mkdir d; cat file; rm -r file d; echo x > left
        yes | head -c 3000000 > big; wc -c < big",
    );
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.get(3..), Some(&["x", "1048576"][..]), "{said}");
    assert!(lines[0] == lines[1] && lines[1] == lines[2], "{said}");
    assert!(!Path::new(lines[0]).exists());
}

#[test]
fn nobody_can_be_reached() {
    let top = tempfile::tempdir().unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let unix = UnixListener::bind(top.path().join("stream")).unwrap();
    let datagram = UnixDatagram::bind(top.path().join("datagram")).unwrap();
    let name = format!("askline-test-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let unnamed = UnixDatagram::bind_addr(&address).unwrap();
    unnamed.set_nonblocking(true).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    unix.set_nonblocking(true).unwrap();
    datagram.set_nonblocking(true).unwrap();
    let body = format!(
        r#"
        use Socket; use POSIX ();
        my $d = '{directory}';
        my ($t, $u, $s, $g, $a, $p, $q);
        sub try {{ my ($name, $done) = @_; print "did $name\n" if $done; }}
        try 'tcp', socket($t, PF_INET, SOCK_STREAM, 0) && connect($t, sockaddr_in({tcp}, inet_aton('127.0.0.1')));
        try 'udp', socket($u, PF_INET, SOCK_DGRAM, 0) && send($u, 'x', 0, sockaddr_in({udp}, inet_aton('127.0.0.1')));
        try 'unix', socket($s, PF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un("$d/stream"));
        try 'datagram', socket($g, PF_UNIX, SOCK_DGRAM, 0) && send($g, 'x', 0, sockaddr_un("$d/datagram"));
        try 'abstract', socket($a, PF_UNIX, SOCK_STREAM, 0) && bind($a, sockaddr_un("\0askline"));
        for my $kind (SOCK_DGRAM, SOCK_RAW) {{
            next unless socketpair($p, $q, AF_UNIX, $kind, 0);
            try "pair $kind", send($p, 'x', 0, sockaddr_un("$d/datagram"));
            try "pair to abstract $kind", send($p, 'x', 0, sockaddr_un("\0{name}"));
        }}
        try 'signal', kill('WINCH', getppid()); try 'signal self', kill('WINCH', $$);
        try 'session', POSIX::setsid() > 0; try 'group', setpgrp(0, 0);
        try 'terminal', open(my $tty, '+<', '/dev/tty');
        try 'pts', open(my $pts, '+<', '/dev/pts/0');
        try 'handle', grep {{ -e "/proc/self/fd/$_" }} 7 .. 60;
        print "end\n";
        "#,
        directory = top.path().display(),
        tcp = tcp.local_addr().unwrap().port(),
        udp = udp.local_addr().unwrap().port(),
    );
    // Left open as by a careless parent: shells leave descriptors to their children.
    let leaked = rustix::io::fcntl_dupfd_cloexec(&tcp, 40).unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    assert_eq!(printed(top.path(), "/usr/bin/perl", &body), "end\n");
    assert!(tcp.accept().is_err() && unix.accept().is_err());
    assert!(udp.recv(&mut [0; 9]).is_err() && datagram.recv(&mut [0; 9]).is_err());
    assert!(unnamed.recv(&mut [0; 9]).is_err());
    // Outside the sandbox the same script reaches them all.
    let free = std::process::Command::new(top.path().join("hostile")).output().unwrap();
    let free = String::from_utf8_lossy(&free.stdout).into_owned();
    for name in [
        "tcp",
        "udp",
        "unix",
        "datagram",
        "abstract",
        "pair 2",
        "pair to abstract 3",
        "signal self",
        "handle",
    ] {
        assert!(free.contains(&format!("did {name}\n")), "{name}: {free}");
    }
    assert!(unnamed.recv(&mut [0; 9]).is_ok());
    assert!(tcp.accept().is_ok() && unix.accept().is_ok());
}

/// Returns the output of a Perl script outside the sandbox.
fn printed_outside(script: &Path) -> String {
    let output = Command::new("/usr/bin/perl").arg(script).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn nobody_is_signalled_on_account_of_a_file() {
    let top = tempfile::tempdir().unwrap();
    let mut victim = Command::new("sleep").arg("60").spawn().unwrap();
    let body = format!(
        r#"
        use Socket; use Fcntl;
        sub try {{ my ($name, $done) = @_; print "did $name\n" if $done; }}
        pipe(my $r, my $w); socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0);
        open(my $self, '<', $0); my ($victim, $pair) = (pack('i', {pid}), pack('ii', 1, {pid}));
        try 'owner', fcntl($r, {owner}, {pid} + 0);
        try 'owner_ex', fcntl($r, {owner_ex}, $pair);
        try 'kind', fcntl($r, {kind}, 9);
        try 'lease', fcntl($self, {lease}, F_RDLCK);
        try 'socket owner', ioctl($a, 0x8901, $victim);
        try 'socket group', ioctl($a, 0x8902, $victim);
        fcntl($_, F_SETFL, O_ASYNC | O_NONBLOCK) for $r, $a;
        syswrite $_, 'x' for $b, $w;
        print "end\n";
        "#,
        pid = victim.id(),
        owner = libc::F_SETOWN,
        owner_ex = 15,
        kind = 10,
        lease = libc::F_SETLEASE,
    );
    assert_eq!(printed(top.path(), "/usr/bin/perl", &body), "end\n");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(victim.try_wait().unwrap(), None);
    let free = printed_outside(&top.path().join("hostile"));
    for name in ["owner", "owner_ex", "kind", "lease", "socket owner", "socket group"] {
        assert!(free.contains(&format!("did {name}\n")), "{name}: {free}");
    }
    assert!(!victim.wait().unwrap().success(), "outside of the sandbox the script kills it");
}

#[test]
fn memory_that_others_share_is_out_of_reach() {
    let top = tempfile::tempdir().unwrap();
    let maker = top.path().join("maker");
    fs::write(&maker, "print join ' ', shmget(0, 4096, 0600), semget(0, 1, 0600), msgget(0, 0600);").unwrap();
    let made = printed_outside(&maker);
    let ids: Vec<&str> = made.split(' ').collect();
    let body = format!(
        r#"
        sub try {{ my ($name, $call, @rest) = @_; print "did $name\n" if syscall($call, @rest) != -1; }}
        my ($shm, $sem, $msg) = ({shm}, {sem}, {msg});
        my ($room, $up, $text) = ('x' x 512, pack('sss', 0, 1, 0), pack('q a4', 1, 'text'));
        try 'shmat', {shmat}, $shm, 0, 0;
        try 'semctl', {semctl}, $sem, 0, 12, 0;
        try 'semop', {semop}, $sem, $up, 1;
        try 'semtimedop', {semtimedop}, $sem, $up, 1, 0;
        try 'msgsnd', {msgsnd}, $msg, $text, 4, 04000;
        try 'msgrcv', {msgrcv}, $msg, $room, 4, 0, 04000;
        try 'msgctl', {msgctl}, $msg, 2, $room;
        try 'shmctl', {shmctl}, $shm, 2, $room;
        try 'shm gone', {shmctl}, $shm, 0, 0;
        try 'sem gone', {semctl}, $sem, 0, 0, 0;
        try 'msg gone', {msgctl}, $msg, 0, 0;
        print "end\n";
        "#,
        shm = ids[0],
        sem = ids[1],
        msg = ids[2],
        shmat = libc::SYS_shmat,
        semctl = libc::SYS_semctl,
        semop = libc::SYS_semop,
        semtimedop = libc::SYS_semtimedop,
        msgsnd = libc::SYS_msgsnd,
        msgrcv = libc::SYS_msgrcv,
        msgctl = libc::SYS_msgctl,
        shmctl = libc::SYS_shmctl,
    );
    let said = printed(top.path(), "/usr/bin/perl", &body);
    // Outside the sandbox the same script does all of it, and removes the three.
    let free = printed_outside(&top.path().join("hostile"));
    assert_eq!(said, "end\n");
    assert_eq!(free.lines().count(), 12, "{free}");
}

#[test]
fn attributes_of_files_stay_as_they_are() {
    let top = tempfile::tempdir().unwrap();
    // The script may read itself, so it can open that file. System calls newer than the sandbox, and those of another
    // numbering, do not exist there: 463 sets an attribute, 469 flags, and 90 in the second set is chmod.
    let body = r#"
        open(my $self, '<', $0); chomp(my $before = join ' ', (stat $self)[2, 10]);
        sub try { my ($name, $done) = @_; print "did $name
" if $done; }
        my ($flags, $extended, $version) = (pack('q', 0x40), pack('L5x8', 0x80), pack('q', 7));
        try 'flags', ioctl($self, 0x40086602, $flags);
        try 'extended flags', ioctl($self, 0x401c5820, $extended);
        try 'version', ioctl($self, 0x40087602, $version);
        my ($name, $value, $mode) = ('user.x', 'y', 0777);
        my $sets = pack('Q L L', unpack('Q', pack('p', $value)), 1, 0);
        my $is_there = sub { my ($call) = @_; try "$call", $! != 38 };
        syscall(463, -100, $0, 0, $name, $sets, 16); $is_there->(463);
        syscall(469, -100, $0, $sets, 24, 0); $is_there->(469);
        for my $call (464 .. 500, 1000, 0x40000000 + 90) { syscall($call, $0, $mode, 0, 0, 0, 0); $is_there->($call); }
        try 'change', $before ne join ' ', (stat $0)[2, 10];
        print "end
";
    "#;
    assert_eq!(
        printed(top.path(), "/usr/bin/perl", body),
        "end
"
    );
}

#[test]
fn of_the_settings_only_the_public_ones_can_be_read() {
    let top = tempfile::tempdir().unwrap();
    let said = printed(
        top.path(),
        "/bin/bash",
        "try() { if \"$@\" >/dev/null 2>&1; then echo \"did $*\"; fi; }
        for name in shadow gshadow shadow- gshadow- sudoers .pwd.lock security/opasswd; do try cat /etc/$name; done
        for name in ssl/private sudoers.d polkit-1/rules.d; do [ -r /etc/$name/. ] && try ls /etc/$name; done
        try cat /etc/ssl/private/*.key /etc/ssh/ssh_host_*_key
        try cat /etc/passwd; try ls /etc/ssl/certs; try cat /etc/security/limits.conf",
    );
    let expected = ["/etc/passwd", "/etc/ssl/certs", "/etc/security/limits.conf"];
    let expected = expected.iter().filter(|path| Path::new(path).exists());
    let found: Vec<&str> = said.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(found, expected.copied().collect::<Vec<_>>(), "{said}");
}

#[test]
fn nothing_endless_can_be_read() {
    let top = tempfile::tempdir().unwrap();
    let body = "for name in null zero full random urandom
        do if head -c 1 /dev/$name >/dev/null 2>&1; then echo $name; fi; done";
    assert_eq!(printed(top.path(), "/bin/sh", body), "null\n");
}

#[test]
fn nothing_survives() {
    let top = tempfile::tempdir().unwrap();
    // A sleep duration that no other process uses.
    let mark = format!("86{}.25", std::process::id());
    let started = Instant::now();
    let body = format!(
        "(setsid sleep {mark} &) ; (trap '' TERM HUP INT; sleep {mark}) & nohup sleep {mark} &
        exec >&- 2>&-; (sleep {mark} >/dev/null 2>&1 &)"
    );
    let _ = help_of(top.path(), "/bin/sh", &body);
    assert_eq!(survivors(&mark), Vec::<String>::new());
    // The same for a script that does not end by itself.
    let body = format!("(setsid sleep {mark} &) ; perl -e 'fork; fork; setpgrp; sleep 9' & sleep {mark}");
    assert!(help_of(top.path(), "/bin/sh", &body).is_err());
    assert_eq!(survivors(&mark), Vec::<String>::new());
    assert!(started.elapsed() < Duration::from_secs(20));
}

/// Returns the command lines of the processes with a word in their command line or environment, after a moment in which
/// they could end.
fn survivors(mark: &str) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(2);
    loop {
        let found = processes_with(mark);
        if found.is_empty() || deadline < Instant::now() {
            return found.into_values().collect();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The same where other tests start such processes meanwhile: only those that were there at the first look and do not
/// end. Every program of a test ends in less time.
fn lasting_processes(mark: &str) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut left = processes_with(mark);
    while !left.is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(100));
        let now = processes_with(mark);
        left.retain(|process, _| now.contains_key(process));
    }
    left.into_values().collect()
}

/// Returns the processes with a word in their command line or environment: directory below /proc → command line.
fn processes_with(mark: &str) -> BTreeMap<PathBuf, String> {
    let text = |file: PathBuf| {
        let bytes = fs::read(file).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', " ")
    };
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let process = entry.ok()?.path();
        let line = text(process.join("cmdline"));
        let is_marked = line.contains(mark) || text(process.join("environ")).contains(mark);
        is_marked.then_some((process, line))
    });
    processes.collect()
}

#[test]
fn output_and_time_are_bounded_and_the_environment_is_empty() {
    let top = tempfile::tempdir().unwrap();
    let started = Instant::now();
    assert!(help_of(top.path(), "/bin/sh", "yes; sleep 60").is_err());
    assert!(started.elapsed() < Duration::from_secs(8));
    let output = help_of(top.path(), "/bin/sh", "yes | head -c 900000; yes | head -c 900000 >&2").unwrap();
    assert_eq!((output.stdout.len(), output.stderr.len()), (OUTPUT_LIMIT, OUTPUT_LIMIT));
    let said =
        printed(top.path(), "/bin/sh", "env | sed 's/=.*//' | sort | tr '\\n' ' '; cat; ulimit -c; echo $1");
    assert_eq!(
        said,
        "COLUMNS GIT_PAGER HOME LC_ALL MANPAGER NO_COLOR PAGER PATH PWD TERM TMPDIR 0\n--help\n"
    );
}

#[test]
fn memory_is_bounded() {
    let top = tempfile::tempdir().unwrap();
    let body = "my @kept; for (1 .. 4000) { push @kept, 'x' x (1 << 20); } print 'took it';";
    let output = help_of(top.path(), "/usr/bin/perl", body);
    assert!(output.is_err() || output.is_ok_and(|output| output.stdout.is_empty()));
}

/// Checks that a program is ended because it exceeds its limits. On a machine that other tests keep busy it may not get so
/// far in its time, so one of a few runs counts.
#[track_caller]
fn is_ended(run: impl Fn() -> anyhow::Result<Output>) {
    let mut runs = (0..4).map(|_| run());
    assert!(runs.any(|ran| ran.is_err_and(|error| error.is::<Runaway>())));
}

/// A program of Homebrew, conda or a virtual environment needs the libraries that are installed with it.
#[test]
fn libraries_beside_a_program_can_be_read_and_nothing_else_there() {
    let top = tempfile::tempdir().unwrap();
    let bin = top.path().join("bin");
    for directory in ["bin", "lib/python", "share"] {
        fs::create_dir_all(top.path().join(directory)).unwrap();
        fs::write(top.path().join(directory).join("text"), directory).unwrap();
    }
    let reads =
        "for part in bin lib/python share; do cat \"${0%/bin/*}/$part/text\"; echo ,; done 2>/dev/null";
    assert_eq!(printed(&bin, "/bin/bash", reads), ",\nlib/python,\n,\n");
    let writes = "echo x > \"${0%/bin/*}/lib/new\"";
    assert!(!help_of(&bin, "/bin/bash", writes).unwrap().success);
    assert!(!top.path().join("lib/new").exists());
}

#[test]
fn memory_that_processes_share_is_bounded() {
    let top = tempfile::tempdir().unwrap();
    // MAP_SHARED and MAP_ANONYMOUS; then as much private memory in processes that are each below their own limit.
    let shared = format!(
        "my $at = syscall({mmap}, 0, 5 << 30, 3, 0x21, -1, 0); print $at == -1 ? 'refused' : 'mapped';",
        mmap = libc::SYS_mmap
    );
    assert_eq!(printed(top.path(), "/usr/bin/perl", &shared), "refused");
    let unnamed = format!(
        "my $name = 'x'; print syscall({memfd}, $name, 0) == -1 ? 'refused' : 'made';",
        memfd = libc::SYS_memfd_create
    );
    assert_eq!(printed(top.path(), "/usr/bin/perl", &unnamed), "refused");
    // They hold it until the time limit, so a busy machine has time to notice.
    let many = "for (1 .. 7) { if (!fork) { my $much = 'x' x (200 << 20); sleep 9; exit; } } sleep 9;";
    is_ended(|| help_of(top.path(), "/usr/bin/perl", many));
}

#[test]
fn nobody_is_kept_waiting_by_a_lock() {
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("hostile");
    let body = format!(
        r#"
        use Fcntl;
        open(my $self, '<', $0); my $read = pack('ssqqi', F_RDLCK, 0, 0, 0, 0);
        print flock($self, 2) ? 'locked ' : 'refused '; print fcntl($self, {set}, $read) ? 'locked' : 'refused';
        close STDOUT; close STDERR; sleep 1;
        "#,
        set = libc::F_SETLK
    );
    // A program that insists on a lock goes on.
    let (sender, said) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let directory = top.path();
        scope.spawn(move || sender.send(printed(directory, "/usr/bin/perl", &body)).unwrap());
        let mut n_tries = 0;
        let said = loop {
            if let Ok(said) = said.recv_timeout(Duration::from_millis(10)) {
                break said;
            }
            let Ok(opened) = fs::File::open(&file) else { continue };
            rustix::fs::flock(&opened, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
            n_tries += 1;
        };
        assert_eq!(said, "locked locked");
        assert!(10 < n_tries, "{n_tries}");
    });
}

/// Returns the largest number of processes while a fork bomb runs.
fn processes_of_a_fork_bomb() -> usize {
    let top = tempfile::tempdir().unwrap();
    let body = "sub bomb { while (1) { fork; } } bomb;";
    let (n_before, most) = (rustix::system::sysinfo().procs, AtomicUsize::new(0));
    let has_ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !has_ended.load(Ordering::Relaxed) {
                let n_new = rustix::system::sysinfo().procs.saturating_sub(n_before);
                most.fetch_max(n_new.into(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        let ended = help_of(top.path(), "/usr/bin/perl", body);
        has_ended.store(true, Ordering::Relaxed);
        assert!(ended.is_err_and(|error| error.is::<Runaway>()));
    });
    most.into_inner()
}

/// A fork bomb is stopped and counted before it fills the machine. The limit is 64; the rest is what it makes between two
/// looks. On a machine that other tests keep busy a look may be late, so one run of a few is enough.
#[test]
fn a_fork_bomb_stays_small() {
    let seen: Vec<usize> =
        (0..8).map(|_| processes_of_a_fork_bomb()).take_while(|most| 1500 <= *most).collect();
    assert!(seen.len() < 8, "{seen:?}");
}

#[test]
fn the_disk_and_the_processes_are_bounded() {
    let top = tempfile::tempdir().unwrap();
    let bodies = [
        "my $much = 'x' x (1 << 20); for (1 .. 64) { open(my $f, '>', $_); print $f $much; } sleep 2;",
        "for (1 .. 9000) { mkdir $_ and open(my $f, '>', \"$_/$_\"); } sleep 2;",
        "for (1 .. 40) { mkdir 'd'; chdir 'd'; } sleep 2;",
        "for (1 .. 200) { if (!fork) { sleep 2; exit; } } sleep 2;",
    ];
    for body in bodies {
        is_ended(|| help_of(top.path(), "/usr/bin/perl", body));
    }
    let modest =
        "for (1 .. 20) { open(my $f, '>', $_); if (!fork) { sleep 0.1; exit; } } sleep 1; print 'end';";
    assert_eq!(printed(top.path(), "/usr/bin/perl", modest), "end");
}

/// One in four of the programs on `PATH` that askline would ask: nothing changes, no process survives, and most print
/// something.
#[test]
fn real_programs_change_nothing() {
    ask_all(Which::Eligible);
}

/// The same for every executable except power and disk tools: the sandbox alone has to hold.
#[test]
#[ignore = "takes minutes and starts what askline never would; run it after a change to the sandbox"]
fn every_program_changes_nothing() {
    ask_all(Which::Every);
}

#[derive(PartialEq)]
enum Which {
    /// One in four, so the test takes seconds.
    Eligible,
    Every,
}

/// Programs that even a test of the sandbox must not start.
const TOO_BAD: [&str; 16] = [
    "reboot",
    "halt",
    "poweroff",
    "shutdown",
    "telinit",
    "init",
    "systemd",
    "runlevel",
    "kexec",
    "ctrlaltdel",
    "mkfs",
    "fdisk",
    "swapoff",
    "wall",
    "switch_root",
    "pivot_root",
];

#[expect(clippy::print_stderr, reason = "the figures are for the person who asks for them")]
fn ask_all(which: Which) {
    let machine = Machine::new(Arc::new(LocalHost), None);
    let environment = Arc::new(environment::gather(&machine, Shell::Bash, &ShellFacts::default()));
    let system = |path: &Path| ["/usr", "/bin", "/sbin", "/opt"].iter().any(|start| path.starts_with(start));
    let directories = environment.commands.directories.iter().filter(|directory| system(&directory.path));
    let mut programs: Vec<PathBuf> = directories
        .flat_map(|directory| fs::read_dir(&directory.path).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| LocalHost.entry(path).is_some_and(|entry| entry.executable))
        .collect();
    programs.sort();
    programs.dedup_by(|a, b| a.file_name() == b.file_name());
    if which == Which::Eligible {
        programs = programs.into_iter().step_by(4).collect();
    }
    let next = AtomicUsize::new(0);
    let figures = Mutex::new((0, 0, 0, Vec::new()));
    let before = snapshot();
    let ask = || {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = program.file_name().unwrap().to_str().unwrap();
            // A separate instance each, so programs do not share a time budget.
            let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
            let wanted = match which {
                Which::Eligible => knowledge.known(&[name]).askable,
                Which::Every => !TOO_BAD.iter().any(|bad| name.starts_with(bad)),
            };
            if !wanted {
                continue;
            }
            let started = Instant::now();
            let probe = Probe::Help { level: Level::default(), spelling: Spelling::Long };
            let output = LocalHost.probe(program, &probe);
            let mut figures = figures.lock().unwrap();
            figures.0 += 1;
            match output {
                Ok(output) if output.stdout.len() + output.stderr.len() < 40 => figures.1 += 1,
                Ok(_) => {}
                Err(_) => figures.2 += 1,
            }
            figures.3.push((started.elapsed(), name.to_owned()));
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(ask))));
    let after = snapshot();
    let (n_asked, n_silent, n_failed, mut times) = figures.into_inner().unwrap();
    times.sort();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).map(|(time, _)| time.as_millis());
    eprintln!(
        "{n_asked} asked, {n_silent} said next to nothing, {n_failed} failed or were ended; ms p50 {:?} p95 {:?}; slowest {:?}",
        at(0.5),
        at(0.95),
        times.iter().rev().take(5).collect::<Vec<_>>()
    );
    let changed: Vec<_> = before
        .iter()
        .filter(|(path, stamp)| after.get(*path) != Some(stamp))
        .map(|(path, _)| path)
        .chain(after.keys().filter(|path| !before.contains_key(*path)))
        .collect();
    assert!(changed.is_empty(), "{changed:?}");
    let private = format!("TMPDIR={}", std::env::temp_dir().join("askline-").display());
    assert_eq!(lasting_processes(&private), Vec::<String>::new());
    assert!(50 < n_asked, "{n_asked} programs are too few to tell");
    assert!(n_failed * 50 < n_asked, "{n_failed} of {n_asked}");
}

/// Returns the files in the places where programs leave traces: path → kind, size and times. Skips paths that other
/// tests and builds write to meanwhile.
fn snapshot() -> BTreeMap<PathBuf, (u32, u64, i64, i64, i64, i64)> {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    let mut left: Vec<PathBuf> =
        ["/etc", "/opt", "/usr/local", "/var/lib", "/var/spool", "/srv"].iter().map(PathBuf::from).collect();
    let busy = [".cargo", ".rustup", ".cache"];
    let own = fs::read_dir(&home).into_iter().flatten().map(|entry| entry.unwrap().path());
    left.extend(own.filter(|path| !busy.iter().any(|name| path.ends_with(name))));
    let mut found = BTreeMap::new();
    while let Some(path) = left.pop() {
        // 200,000 paths take seconds; a larger tree is not a place where programs leave traces.
        if found.len() == 200_000 {
            break;
        }
        let Ok(facts) = fs::symlink_metadata(&path) else { continue };
        if facts.is_dir() {
            left.extend(
                fs::read_dir(&path).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())),
            );
        }
        let times = (facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec());
        found.insert(path, (facts.mode(), facts.size(), times.0, times.1, times.2, times.3));
    }
    found
}
