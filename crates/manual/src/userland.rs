//! Families of implementations of the common tools (GNU, BSD, BusyBox, …) and the system that a machine runs, recognised by paths and
//! release files.

use std::collections::HashMap;
use std::path::Path;

/// A family of implementations of the common tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Userland {
    Gnu,
    Busybox,
    Uutils,
    Toybox,
    Bsd,
    Unknown,
}

impl Userland {
    /// Returns the family's name for messages and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gnu => "GNU",
            Self::Busybox => "BusyBox",
            Self::Uutils => "uutils",
            Self::Toybox => "toybox",
            Self::Bsd => "BSD",
            Self::Unknown => "unknown",
        }
    }
}

/// Packages that contain GNU tools on a system with other tools, by their names in Homebrew and Nix.
const GNU_PACKAGES: [&str; 14] = [
    "coreutils",
    "coreutils-full",
    "diffutils",
    "findutils",
    "gawk",
    "gnugrep",
    "gnumake",
    "gnused",
    "gnutar",
    "gnu-sed",
    "gnu-tar",
    "gnu-which",
    "grep",
    "make",
];

/// Tools on Linux that do not belong to GNU.
const NEVER_GNU: [&str; 4] = ["mawk", "nawk", "original-awk", "bwk"];

/// Returns the family of a common tool from its real path (symbolic links resolved). `os` is a name as in
/// `std::env::consts::OS`. If the path shows no family, returns the default of the system. For programs outside these
/// families (`git`) the result is meaningless.
pub fn userland_of(real_path: &Path, os: &str) -> Userland {
    let parts: Vec<&str> = real_path.iter().filter_map(|part| part.to_str()).collect();
    let Some((name, directories)) = parts.split_last() else { return Userland::Unknown };
    if name.starts_with("busybox") {
        return Userland::Busybox;
    }
    if name.starts_with("toybox") {
        return Userland::Toybox;
    }
    // A single `coreutils` binary for all tools is GNU's single-binary build (NixOS, Alpine, Fedora). It is uutils if
    // Cargo installed it (`~/.cargo/bin`, Ubuntu's `/usr/lib/cargo/bin/coreutils/ls`) or if its name says so.
    let by_cargo = directories.windows(2).any(|pair| matches!(pair, ["cargo" | ".cargo", "bin"]));
    let says_uutils = |part: &&str| part.contains("uutils") || part.starts_with("rust-coreutils");
    if by_cargo || says_uutils(name) || name.starts_with("uu-") || directories.iter().any(says_uutils) {
        return Userland::Uutils;
    }
    if NEVER_GNU.contains(name) {
        return Userland::Unknown;
    }
    if matches!(*name, "bsdtar" | "bsdcat" | "bsdcpio" | "bsdunzip") {
        return Userland::Bsd;
    }
    match os {
        "linux" => Userland::Gnu,
        "android" if directories.contains(&"com.termux") => Userland::Gnu,
        "android" => Userland::Toybox,
        "macos" | "ios" | "freebsd" | "openbsd" | "netbsd" | "dragonfly"
            if is_gnu_addition(name, directories) =>
        {
            Userland::Gnu
        }
        "macos" | "ios" | "freebsd" | "openbsd" | "netbsd" | "dragonfly" => Userland::Bsd,
        _ => Userland::Unknown,
    }
}

/// Reports whether a tool on a BSD system is an added GNU tool, by its package directory or the prefix `g` (`gls`).
fn is_gnu_addition(name: &str, directories: &[&str]) -> bool {
    let package = match directories {
        ["/", "nix", "store", item, ..] => item
            .split_once('-')
            .map(|(_hash, package)| package.rsplit_once('-').map_or(package, |(name, _)| name)),
        [.., "Cellar", package, _version, "bin"] => Some(*package),
        _ => None,
    };
    let added = directories.iter().any(|part| matches!(*part, "local" | "homebrew" | "pkg"));
    directories.contains(&"gnubin")
        || package.is_some_and(|package| GNU_PACKAGES.contains(&package))
        || (added && G_PREFIXED.contains(&name))
}

/// Usual names of GNU tools on BSD systems.
pub const G_PREFIXED: [&str; 22] = [
    "gawk", "gcat", "gcp", "gcut", "gdate", "gdf", "gdu", "gecho", "gfind", "ggrep", "ghead", "gls", "gmake",
    "gmv", "grm", "gsed", "gsort", "gstat", "gtail", "gtar", "gtouch", "gxargs",
];

/// Name and version of an operating system distribution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Distribution {
    /// Lower-case identifier for comparisons, such as `debian`; empty if unknown.
    pub id: String,
    /// Version, such as `12` or `25.10`; empty for rolling releases.
    pub version: String,
    /// Display name, such as `Debian GNU/Linux 12 (bookworm)`.
    pub name: String,
}

impl Distribution {
    /// Parses the text of `/etc/os-release` (format: os-release(5), shell assignments without expansion). Ignores
    /// other lines.
    pub fn from_os_release(text: &str) -> Self {
        let values: HashMap<&str, String> = text.lines().filter_map(assignment).collect();
        let value = |key: &str| values.get(key).cloned().unwrap_or_default();
        let (id, version) = (value("ID"), value("VERSION_ID"));
        let name = match values.get("PRETTY_NAME") {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("{} {version}", values.get("NAME").unwrap_or(&id)).trim().to_owned(),
        };
        Self { id, version, name }
    }

    /// Parses the text of macOS's `SystemVersion.plist`.
    pub fn from_system_version(text: &str) -> Self {
        let value = |key: &str| {
            let (_, after) = text.split_once(&format!("<key>{key}</key>"))?;
            let (_, after) = after.split_once("<string>")?;
            after.split_once("</string>").map(|(value, _)| value.trim().to_owned())
        };
        let version = value("ProductVersion").unwrap_or_default();
        Self { id: "macos".to_owned(), name: format!("macOS {version}").trim().to_owned(), version }
    }
}

/// Parses `KEY=value` and removes quotes and backslashes from the value.
fn assignment(line: &str) -> Option<(&str, String)> {
    let (key, quoted) = line.trim().split_once('=')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_key.then(|| (key, unquote(quoted)))
}

/// Returns the value as a shell would read it, up to the first blank outside quotes.
fn unquote(quoted: &str) -> String {
    let mut value = String::new();
    let mut quote = None;
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\\', None | Some('"')) => value.extend(characters.next()),
            ('"' | '\'', None) => quote = Some(character),
            (_, None) if character.is_whitespace() => break,
            _ => value.push(character),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_layouts() {
        use Userland::*;
        let table = [
            ("linux", "/usr/bin/ls", Gnu),                        // Debian, Arch, Fedora
            ("linux", "/bin/busybox", Busybox),                   // Alpine
            ("linux", "/usr/bin/busybox.static", Busybox),        // Debian's busybox-static
            ("linux", "/usr/bin/coreutils", Gnu),                 // Fedora's coreutils-single
            ("linux", "/bin/coreutils", Gnu),                     // Alpine with GNU coreutils
            ("linux", "/usr/lib/cargo/bin/coreutils/ls", Uutils), // Ubuntu 25.10
            ("linux", "/usr/bin/rust-coreutils", Uutils),         // Debian's rust-coreutils
            ("linux", "/usr/bin/gnuls", Gnu),                     // Ubuntu 25.10, GNU beside uutils
            ("linux", "/home/ada/.cargo/bin/coreutils", Uutils),  // cargo install coreutils
            ("linux", "/usr/bin/uu-coreutils", Uutils),           // Arch's uutils-coreutils
            ("linux", "/nix/store/0c9zq-uutils-coreutils-0.0.30/bin/uutils-coreutils", Uutils),
            ("linux", "/nix/store/9krz7-coreutils-9.5/bin/coreutils", Gnu), // NixOS
            ("linux", "/nix/store/1xq2m-busybox-1.36.1/bin/busybox", Busybox),
            ("linux", "/usr/bin/mawk", Unknown), // Debian's awk
            ("linux", "/usr/bin/bsdtar", Bsd),
            ("linux", "/usr/bin/toybox", Toybox),
            ("android", "/system/bin/toybox", Toybox),
            ("android", "/system/bin/sh", Toybox),
            ("android", "/data/data/com.termux/files/usr/bin/coreutils", Gnu), // Termux
            ("android", "/data/data/com.termux/files/usr/bin/busybox", Busybox),
            ("macos", "/bin/ls", Bsd),
            ("macos", "/usr/bin/sed", Bsd),
            ("macos", "/opt/homebrew/Cellar/coreutils/9.5/bin/gls", Gnu), // gnubin/ls, links followed
            ("macos", "/opt/homebrew/Cellar/gnu-sed/4.9/bin/gsed", Gnu),
            ("macos", "/usr/local/Cellar/findutils/4.10.0/bin/gfind", Gnu),
            ("macos", "/opt/homebrew/Cellar/uutils-coreutils/0.0.30/bin/uu-ls", Uutils),
            ("macos", "/opt/homebrew/Cellar/libarchive/3.7.7/bin/bsdtar", Bsd),
            ("macos", "/opt/local/libexec/gnubin/ls", Gnu), // MacPorts
            ("macos", "/opt/local/bin/gls", Gnu),
            ("macos", "/nix/store/9krz7-coreutils-9.5/bin/coreutils", Gnu),
            ("macos", "/nix/store/9krz7-gnused-4.9/bin/sed", Gnu),
            ("freebsd", "/bin/ls", Bsd),
            ("freebsd", "/usr/local/bin/gls", Gnu),
            ("freebsd", "/usr/local/bin/git", Bsd),
            ("netbsd", "/usr/pkg/bin/gsed", Gnu),
            ("illumos", "/usr/bin/ls", Unknown),
        ];
        for (os, path, expected) in table {
            assert_eq!(userland_of(Path::new(path), os), expected, "{path} on {os}");
        }
    }

    #[test]
    fn os_release_is_read_as_a_shell_reads_it() {
        let read = |text: &str| {
            let Distribution { id, version, name } = Distribution::from_os_release(text);
            format!("{id}|{version}|{name}")
        };
        let debian = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n";
        assert_eq!(read(debian), "debian|12|Debian GNU/Linux 12 (bookworm)");
        assert_eq!(read("# Arch\nID=arch # rolling\nNAME='Arch Linux'\n"), "arch||Arch Linux");
        assert_eq!(read("ID=x\nPRETTY_NAME=\"a \\\"b\\\" \\$c 'd'\"\n"), "x||a \"b\" $c 'd'");
        assert_eq!(read("ID=alpine\nVERSION_ID=3.20.1"), "alpine|3.20.1|alpine 3.20.1");
        assert_eq!(read("PRETTY_NAME=\"never closed\nID=\u{0}\n=x\nno assignment"), "\u{0}||never closed");
        assert_eq!(read(""), "||");
    }

    #[test]
    fn macos_is_read_from_its_property_list() {
        let text = "<dict>\n<key>ProductName</key>\n<string>macOS</string>\n<key>ProductVersion</key>\n\t<string>15.1</string>\n</dict>";
        let read = Distribution::from_system_version(text);
        assert_eq!(
            (read.id.as_str(), read.version.as_str(), read.name.as_str()),
            ("macos", "15.1", "macOS 15.1")
        );
        assert_eq!(Distribution::from_system_version("<key>ProductVersion</key>").name, "macOS");
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(text in ".*", path in ".*", os in "linux|macos|android|x") {
            Distribution::from_os_release(&text);
            Distribution::from_system_version(&text);
            userland_of(Path::new(&path), &os);
        }
    }
}
