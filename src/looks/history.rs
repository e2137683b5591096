//! Commands that the person ran before, from the shell's own file. Read only if `[context] history` allows it.

use std::path::PathBuf;

use askline_host::Host;
use askline_syntax::shell::Shell;

use super::Seen;

/// Maximum size of a history that is read, in bytes.
const FILE_LIMIT: u64 = 8 << 20;
/// Maximum number of commands that a search returns.
const FOUND_MAX: usize = 60;
/// Byte before one that zsh changed in its file.
const META: u8 = 0x83;

/// Finds commands that contain a text, the latest first, each once. `known` are those that the shell has told, the latest first.
pub(super) fn search(host: &dyn Host, shell: Shell, known: &[String], wanted: &str) -> Result<Seen, String> {
    let wanted = wanted.trim().to_lowercase();
    let kept = match file(host, shell) {
        Some(file) => host.read(&file, FILE_LIMIT).map(|bytes| commands(shell, &bytes)).unwrap_or_default(),
        None => Vec::new(),
    };
    let all = known.iter().map(|command| command.replace('\n', " ")).chain(kept.into_iter().rev());
    let mut lines: Vec<String> = Vec::new();
    for command in all.filter(|command| command.to_lowercase().contains(&wanted)) {
        if FOUND_MAX <= lines.len() {
            break;
        }
        if !command.trim().is_empty() && !lines.contains(&command) {
            lines.push(command);
        }
    }
    if lines.is_empty() && wanted.is_empty() {
        return Err("no history of this shell can be read".to_owned());
    }
    Ok(Seen { headline: format!("{} commands before", lines.len()), is_cut: FOUND_MAX <= lines.len(), lines })
}

/// Returns the file of a shell's history; `None` for Nushell, whose history may be a database.
pub(super) fn file(host: &dyn Host, shell: Shell) -> Option<PathBuf> {
    let home = PathBuf::from(host.env("HOME")?);
    Some(match shell {
        Shell::Bash => home.join(".bash_history"),
        Shell::Zsh => home.join(".zsh_history"),
        Shell::Fish => {
            let data = host.env("XDG_DATA_HOME").map_or_else(|| home.join(".local/share"), PathBuf::from);
            data.join("fish/fish_history")
        }
        Shell::Nu => return None,
    })
}

/// Returns the commands of a history, the oldest first, each on one line.
fn commands(shell: Shell, bytes: &[u8]) -> Vec<String> {
    let bytes = if shell == Shell::Zsh { unmetafied(bytes) } else { bytes.to_vec() };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let rows = text.lines();
    match shell {
        // `- cmd: make test`, with `\n` and `\\` for a line break and a backslash.
        Shell::Fish => rows
            .filter_map(|row| row.strip_prefix("- cmd: "))
            .map(|command| command.replace("\\n", " ").replace("\\\\", "\\"))
            .collect(),
        // `: 1700000000:0;make test`, if the shell writes times.
        Shell::Zsh => rows
            .map(|row| match row.strip_prefix(": ").and_then(|rest| rest.split_once(';')) {
                Some((times, command)) if times.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') => {
                    command.to_owned()
                }
                _ => row.to_owned(),
            })
            .collect(),
        // `#1700000000` is a time.
        _ => rows.filter(|row| !is_time(row)).map(str::to_owned).collect(),
    }
}

fn is_time(row: &str) -> bool {
    row.strip_prefix('#')
        .is_some_and(|time| !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the bytes that zsh meant: it writes some of them as a mark and the changed byte.
fn unmetafied(bytes: &[u8]) -> Vec<u8> {
    let mut meant = Vec::with_capacity(bytes.len());
    let mut bytes = bytes.iter();
    while let Some(byte) = bytes.next() {
        match *byte {
            META => meant.extend(bytes.next().map(|changed| changed ^ 0x20)),
            byte => meant.push(byte),
        }
    }
    meant
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use askline_host::recorded::RecordedHost;

    const HOME: &str = r##"
        current_dir = "/home/ada"
        [system]
        os = "linux"
        release = "6.1.0"
        machine = "x86_64"
        [env]
        HOME = "/home/ada"
        [files]
        "/home/ada/.bash_history" = "#1700000000\nmake\n#1700000001\ngit push\nmake\n"
        "/home/ada/.zsh_history" = ": 1700000000:0;echo a;b\nls -l\n"
        "/home/ada/.local/share/fish/fish_history" = "- cmd: for x in 1\\ndate\n  when: 1700000000\n- cmd: echo \\\\\n"
    "##;

    fn found(shell: Shell, known: &[&str], wanted: &str) -> Vec<String> {
        let host = RecordedHost::parse(Path::new("home.toml"), HOME).unwrap();
        let known: Vec<String> = known.iter().map(|command| (*command).to_owned()).collect();
        search(&host, shell, &known, wanted).map(|seen| seen.lines).unwrap_or_default()
    }

    #[test]
    fn the_latest_come_first_and_each_once() {
        assert_eq!(found(Shell::Bash, &[], ""), ["make", "git push"]);
        assert_eq!(found(Shell::Bash, &["for x in 1\ndo y"], "O"), ["for x in 1 do y"]);
        assert_eq!(found(Shell::Bash, &[], "PUSH"), ["git push"]);
        assert_eq!(found(Shell::Zsh, &[], ""), ["ls -l", "echo a;b"]);
        assert_eq!(found(Shell::Fish, &[], ""), ["echo \\", "for x in 1 date"]);
        assert_eq!(found(Shell::Nu, &[], ""), Vec::<String>::new());
        assert_eq!(unmetafied(&[b'a', META, 0xc3 ^ 0x20, META, 0xa9 ^ 0x20]), "aé".as_bytes());
    }
}
