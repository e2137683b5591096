//! Tests of the doctor on recorded machines.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use askline_host::recorded::RecordedHost;
use askline_syntax::shell::Shell;

/// Checks the doctor's findings about the shells and the terminal of a recorded machine.
#[track_caller]
fn check(rows: &str, expected: Expect) {
    let system = "[system]\nos = \"linux\"\nrelease = \"6.1\"\nmachine = \"x86_64\"\n";
    let rows = format!("{rows}\n{system}").replace("CURRENT", env!("CARGO_PKG_VERSION"));
    let host = RecordedHost::parse(Path::new("machine.toml"), &rows).unwrap();
    let findings = shells_of(host.clone()).into_iter().chain(terminal(&host, Some((80, 24))));
    expected.assert_eq(&findings.map(|finding| finding.lines(false)).collect::<String>());
}

fn shells_of(host: RecordedHost) -> Vec<Finding> {
    let machine = Machine::new(Arc::new(host), None);
    let environment = gather(&machine, Shell::Bash, &ShellFacts::default());
    shells::shells(&machine, &environment)
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
            warn  locale: C is not UTF-8, so letters other than English may be garbled
                  set LANG to a UTF-8 locale, such as C.UTF-8
            warn  terminal: zellij takes ctrl-g and alt-p itself, unless it is set up otherwise
                  add `unbind "Ctrl g" "Alt p"` to `keybinds` in zellij's config.kdl, or take other keys: `askline init SHELL --key alt-a --preview-key f10`
        "#]],
    );
    check(
        "env = {}",
        expect![[r#"
        fault shells: none of nu, zsh, bash and fish is on PATH
              install one of them
        warn  terminal: TERM is not set, so no status is shown
              set TERM, or use a terminal
        warn  locale: C is not UTF-8, so letters other than English may be garbled
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
    let host = askline_host::local::LocalHost;
    let grade = || own::directory(&host, "cache directory", &path).grade;
    assert_eq!(grade(), Grade::Fine, "it is made when needed");
    std::fs::create_dir(&path).unwrap();
    for (mode, expected) in [(0o700, Grade::Fine), (0o750, Grade::Warning), (0o777, Grade::Warning)] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(grade(), expected, "mode {mode:o}");
    }
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, "").unwrap();
    assert_eq!(grade(), Grade::Fault, "a file stands there");
    assert_eq!(
        own::directory(&host, "cache directory", Path::new("/proc/self/nothing/cache")).grade,
        Grade::Fault
    );
}

#[test]
fn colours_only_mark_the_grade() {
    assert_eq!(fine("x", "a\x07b\nc").lines(true).matches('\x1b').count(), 2);
    assert!(!fine("x", "a\x07\x1b[31mb\nc").lines(false).contains(['\x1b', '\x07']));
}

#[test]
fn manuals_are_counted_where_they_usually_are() {
    let row = |rows: &str| {
        let system = "[system]\nos = \"linux\"\nrelease = \"6.1\"\nmachine = \"x86_64\"\n";
        let host = RecordedHost::parse(Path::new("machine.toml"), &format!("{rows}\n{system}")).unwrap();
        manuals(&host).lines(false)
    };
    let pages = |directory: &str, names: std::ops::Range<u32>| {
        names.map(|n| format!("\"{directory}/man1/p{n}.1.gz\" = \"\"\n")).collect::<String>()
    };
    let path = "[env]\nPATH = \"relative:/opt/x/bin:/usr/bin\"\nMANPATH = \":/m\"\n";
    let files =
        [pages("/usr/share/man", 0..18), pages("/opt/x/share/man", 17..19), pages("/m", 19..21)].concat();
    let rows = format!("{path}[files]\n{files}");
    assert_eq!(
        row(&rows),
        "ok    manuals: 21 pages on programs in /m/man1, /opt/x/share/man/man1, /usr/share/man/man1\n"
    );
    let rows = format!("{path}[files]\n{}", pages("/usr/share/man", 0..3));
    expect![[r#"
        warn  manuals: 3 pages on programs in /usr/share/man/man1
              install man-db and the manuals of your programs, so that flags can be looked up
    "#]]
    .assert_eq(&row(&rows));
    let minimized = "programs = [\"/usr/sbin/unminimize\"]\n[env]\nPATH = \"/usr/sbin\"\n";
    expect![[r#"
        warn  manuals: no pages on programs
              run `unminimize`, which installs the manuals that this system image left out
    "#]]
    .assert_eq(&row(minimized));
}

#[test]
fn the_plugin_is_held_against_its_nushell() {
    let doctor_of = |nushell: &str, plugin: &str, modes: &str| {
        let rows = format!(
            r#"
            programs = ["/bin/nu", "/bin/nu_plugin_ask"]
            [env]
            PATH = "/bin"
            HOME = "/home/ada"
            [[probes]]
            program = "/bin/nu"
            arguments = ["--version"]
            stdout = "{nushell}"
            [[probes]]
            program = "/bin/nu_plugin_ask"
            arguments = ["--version"]
            stdout = "{plugin}"
            [modes]
            {modes}
            [system]
            os = "linux"
            release = "6.1"
            machine = "x86_64"
            "#
        );
        let host = RecordedHost::parse(Path::new("machine.toml"), &rows).unwrap();
        let findings = shells_of(host);
        let plugin = findings.iter().find(|finding| finding.subject == "nu plugin").unwrap();
        plugin.lines(false)
    };
    let doctor = |nushell: &str, plugin: &str| doctor_of(nushell, plugin, "");
    let ours = concat!("nu_plugin_ask ", env!("CARGO_PKG_VERSION"), " for Nushell");
    expect![[r#"
        ok    nu plugin: /bin/nu_plugin_ask, for Nushell 0.114 and 0.115
    "#]]
    .assert_eq(&doctor("0.114.1", ours));
    expect![[r#"
        warn  nu plugin: /bin/nu_plugin_ask works in Nushell 0.114 and 0.115, not in 0.999.0
              use the script, which needs no plugin: askline init nu
    "#]]
    .assert_eq(&doctor("0.999.0", ours));
    expect![[r#"
        warn  nu plugin: /bin/nu_plugin_ask belongs to askline 0.0.1
              install both again, then run in nu: plugin add (which nu_plugin_ask | get 0.path)
    "#]]
    .assert_eq(&doctor("0.115.1", "nu_plugin_ask 0.0.1 for Nushell"));
    expect![[r#"
        warn  nu plugin: /bin/nu_plugin_ask belongs to askline an unknown version
              install both again, then run in nu: plugin add (which nu_plugin_ask | get 0.path)
    "#]]
    .assert_eq(&doctor("0.115.1", "usage"));
    expect![[r#"
        warn  nu plugin: /bin/nu_plugin_ask is not started: others can write to it or to a directory above it, or it is in the working directory
              remove its directory from PATH, or make both writable for their owner only (chmod go-w)
    "#]]
    .assert_eq(&doctor_of("0.115.1", ours, "\"/bin/nu_plugin_ask\" = 0o775"));
}

/// A recording has no answer for a program that was not started, so a started one would be reported as broken.
#[test]
fn only_trusted_shells_are_started() {
    check(
        r##"
        programs = ["/tmp/bin/bash", "/usr/bin/bash", "/open/zsh", "/home/ada/work/nu", "/home/ada/.cargo/bin/fish"]
        current_dir = "/home/ada/work"
        [env]
        PATH = "/tmp/bin:/open:/home/ada/work:/usr/bin:/home/ada/.cargo/bin"
        HOME = "/home/ada"
        TERM = "xterm"
        LANG = "C.UTF-8"
        [modes]
        "/tmp/bin" = 0o777
        "/open" = 0o775
        [owners]
        "/home/ada" = 1000
        "/home/ada/work" = 1000
        "/home/ada/work/nu" = 1000
        "/home/ada/.cargo/bin" = 1000
        "/home/ada/.cargo/bin/fish" = 1000
        [[probes]]
        program = "/home/ada/.cargo/bin/fish"
        arguments = ["--version"]
        stdout = "fish, version 4.0.2"
        "##,
        expect![[r#"
            warn  nu: /home/ada/work/nu is not started: others can write to it or to a directory above it, or it is in the working directory
                  remove its directory from PATH, or make both writable for their owner only (chmod go-w)
            warn  zsh: /open/zsh is not started: others can write to it or to a directory above it, or it is in the working directory
                  remove its directory from PATH, or make both writable for their owner only (chmod go-w)
            warn  bash: /tmp/bin/bash is not started: others can write to it or to a directory above it, or it is in the working directory
                  remove its directory from PATH, or make both writable for their owner only (chmod go-w)
            ok    fish: 4.0.2 at /home/ada/.cargo/bin/fish, not set up
            ok    terminal: xterm, 80 columns, 24 rows
        "#]],
    );
}
