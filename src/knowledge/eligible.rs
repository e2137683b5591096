//! Rules for starting a program to read its documentation: it must be installed by a package in a place that only the
//! system's owner can write to, name a help text itself, and not be listed as harmful, hanging or opening windows.
//! Pure functions.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

use askline_host::FileEntry;
use askline_host::owners::{is_closed, is_sticky};

/// Facts that the decision uses.
#[derive(Debug, Clone)]
pub(super) struct Facts<'a> {
    /// Name as typed.
    pub name: &'a str,
    /// Path as found on `PATH`.
    pub path: &'a Path,
    /// Path with links resolved.
    pub real_path: &'a Path,
    /// Entry of the file itself.
    pub file: FileEntry,
    /// Entries of the directories above it, links resolved, in any order.
    pub above: &'a [FileEntry],
    /// Home directory of the user.
    pub home: Option<&'a Path>,
    /// Working directory of the user.
    pub current_dir: Option<&'a Path>,
    /// `true` if its man page names `--help`.
    pub page_says_help: bool,
    /// `true` if its own bytes or its page name `--help`.
    pub says_help: bool,
}

#[derive(Deserialize)]
struct EligibleTable {
    directories: Vec<String>,
    shims: Vec<String>,
    shells_in: Vec<String>,
    never: Vec<String>,
    never_options: Vec<String>,
}

static TABLE: LazyLock<EligibleTable> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("eligible.toml")).expect("the table is TOML of this form")
});

/// Checks that a program may be asked for its help text; the error is the reason why not.
pub(super) fn for_help(facts: &Facts<'_>) -> Result<(), &'static str> {
    let file_name = |path: &Path| path.file_name().and_then(|name| name.to_str().map(str::to_owned));
    let (Some(found), Some(real)) = (file_name(facts.path), file_name(facts.real_path)) else {
        return Err("its name is not text");
    };
    let paths = [facts.path, facts.real_path];
    if !paths.iter().all(|path| in_system(path)) {
        return Err("it is outside the system's directories");
    }
    is_settled(paths, facts.home, &[])?;
    let is_below = |directory: &Path| paths.iter().any(|path| path.starts_with(directory));
    // Being in `/usr/bin` does not make it a working tree.
    let is_tree =
        |current: &Path| !TABLE.directories.iter().any(|known| Path::new(known).starts_with(current));
    if facts.current_dir.is_some_and(|current| is_tree(current) && is_below(current)) {
        return Err("it is in the working directory");
    }
    let open_above = |entry: &FileEntry| {
        let is_shared = is_sticky(entry) && entry.mode & 0o002 == 0;
        entry.owner != 0 || !(is_closed(entry) || is_shared)
    };
    if facts.file.owner != 0 || !is_closed(&facts.file) || facts.above.iter().any(open_above) {
        return Err("users other than root can write to it");
    }
    if [facts.name, &found, &real].iter().any(|name| is_listed(&TABLE.never, name)) {
        return Err("it is on the list of programs that are never started");
    }
    let is_daemon = facts.path.parent().is_some_and(|above| above.ends_with("sbin")) && found.ends_with('d');
    if is_daemon && !facts.page_says_help {
        return Err("it looks like a daemon");
    }
    if !facts.says_help {
        return Err("it does not mention a help option");
    }
    Ok(())
}

/// Checks that a trusted shell may be started to parse a line; the error is the reason why not. `paths` are the path
/// it was found under and its real path.
pub(super) fn for_lines(paths: [&Path; 2], home: Option<&Path>) -> Result<(), &'static str> {
    is_settled(paths, home, &TABLE.shells_in)
}

/// Checks that a program is neither in the user's home nor a tool manager's shim; `passed` are path components that
/// do not count as shims.
fn is_settled(paths: [&Path; 2], home: Option<&Path>, passed: &[String]) -> Result<(), &'static str> {
    let is_below = |directory: &Path| paths.iter().any(|path| path.starts_with(directory));
    if home.is_some_and(|home| home != Path::new("/") && is_below(home)) {
        return Err("it is in the home directory");
    }
    let is_shim = |part| TABLE.shims.iter().any(|shim| part == shim.as_str() && !passed.contains(shim));
    if paths.iter().any(|path| path.iter().any(is_shim)) {
        return Err("it is a shim that may install or start something else");
    }
    Ok(())
}

/// Reports whether a program that may be asked for help may also be asked about an option, by its own name or that of
/// an applet.
pub(super) fn for_options(name: &str) -> bool {
    !is_listed(&TABLE.never, name) && !is_listed(&TABLE.never_options, name)
}

/// Reports whether the name of a program or an applet is on the list of programs that are never started.
pub(super) fn is_never(name: &str) -> bool {
    is_listed(&TABLE.never, name)
}

/// Reports whether a path is in a directory for packaged programs.
pub(super) fn in_system(path: &Path) -> bool {
    TABLE.directories.iter().any(|directory| path.starts_with(directory))
}

/// Reports whether a directory is one of the system's program directories, or above one: being in `/usr/bin` does not
/// make it a working tree.
pub(super) fn holds_system(directory: &Path) -> bool {
    TABLE.directories.iter().any(|known| Path::new(known).starts_with(directory))
}

/// Reports whether a list contains a name. A row is a name, or a name prefix if it ends in `*`.
fn is_listed(rows: &[String], name: &str) -> bool {
    rows.iter().any(|row| match row.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == row,
    })
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    static ABOVE: [FileEntry; 1] = [entry(false, 0, 0o755)];

    const fn entry(is_file: bool, owner: u32, mode: u32) -> FileEntry {
        FileEntry {
            is_file,
            is_directory: !is_file,
            executable: is_file,
            writable: false,
            mode,
            owner,
            size: 1,
            modified: SystemTime::UNIX_EPOCH,
        }
    }

    fn why<'a>(path: &'a str, change: impl FnOnce(&mut Facts<'a>)) -> &'static str {
        let path = Path::new(path);
        let mut facts = Facts {
            name: path.file_name().unwrap().to_str().unwrap(),
            path,
            real_path: path,
            file: entry(true, 0, 0o755),
            above: &ABOVE,
            home: Some(Path::new("/home/ada")),
            current_dir: Some(Path::new("/home/ada/work")),
            page_says_help: false,
            says_help: true,
        };
        change(&mut facts);
        for_help(&facts).err().unwrap_or("")
    }

    #[test]
    fn packaged_programs_may_be_asked() {
        for path in
            ["/usr/bin/ls", "/bin/ls", "/usr/local/bin/x", "/nix/store/abc-git-2/bin/git", "/opt/x/bin/x"]
        {
            assert_eq!(why(path, |_| {}), "", "{path}");
        }
        assert_eq!(why("/usr/bin/ls", |facts| facts.current_dir = Some(Path::new("/usr/bin"))), "");
        assert_eq!(why("/usr/bin/ls", |facts| facts.current_dir = Some(Path::new("/"))), "");
        assert_eq!(why("/usr/bin/ls", |facts| facts.home = Some(Path::new("/"))), "");
        assert_eq!(why("/usr/sbin/smartd", |facts| facts.page_says_help = true), "");
    }

    #[test]
    fn the_users_own_and_the_open_are_not() {
        for path in ["/home/ada/bin/ls", "/tmp/ls", "/srv/ls", "/usrx/ls", "/var/lib/x", "/home/ls"] {
            assert!(why(path, |_| {}).contains("outside"), "{path}");
        }
        let link = why("/usr/bin/x", |facts| facts.real_path = Path::new("/home/ada/x"));
        assert!(link.contains("outside"), "{link}");
        let from = why("/home/ada/bin/x", |facts| facts.real_path = Path::new("/usr/bin/ls"));
        assert!(from.contains("outside"), "{from}");
        assert!(why("/opt/ada/bin/x", |facts| facts.home = Some(Path::new("/opt/ada"))).contains("home"));
        let tree = why("/opt/work/bin/x", |facts| facts.current_dir = Some(Path::new("/opt/work")));
        assert!(tree.contains("working directory"), "{tree}");
        for (owner, mode) in [(1000, 0o755), (0, 0o775), (0, 0o757), (0, 0o777)] {
            let open = why("/usr/bin/x", |facts| facts.file = entry(true, owner, mode));
            assert!(open.contains("can write"), "{owner} {mode:o}");
        }
        let opens = [0o1777, 0o775, 0o2775].map(|mode| [entry(false, 0, 0o755), entry(false, 0, mode)]);
        for open in &opens {
            assert!(why("/usr/bin/x", |facts| facts.above = open).contains("can write"), "{open:?}");
        }
        let store = [entry(false, 0, 0o755), entry(false, 0, 0o1775)];
        assert_eq!(
            why("/nix/store/x/bin/x", |facts| facts.above = &store),
            "",
            "each may only touch their own"
        );
        let theirs = [entry(false, 1000, 0o755)];
        assert!(why("/usr/bin/x", |facts| facts.above = &theirs).contains("can write"));
    }

    #[test]
    fn the_listed_the_silent_and_the_daemons_are_not() {
        for name in ["reboot", "mkfs.ext4", "fdisk", "init", "dd", "vimtutor", "locale-gen"] {
            let reason = why(&format!("/usr/bin/{name}"), |_| {});
            assert_eq!(reason.contains("list"), name != "dd", "{name}: {reason}");
        }
        let hidden = why("/usr/bin/harmless", |facts| facts.real_path = Path::new("/usr/sbin/reboot"));
        assert!(hidden.contains("list"), "{hidden}");
        assert!(why("/opt/pyenv/shims/python", |_| {}).contains("shim"));
        assert!(why("/usr/bin/x", |facts| facts.says_help = false).contains("help option"));
        assert!(why("/usr/sbin/foodd", |_| {}).contains("daemon"));
        assert!(!for_options("dd") && !for_options("reboot") && !for_options("wipefs") && for_options("ls"));
        assert!(is_never("poweroff") && !is_never("ls"));
    }
}
