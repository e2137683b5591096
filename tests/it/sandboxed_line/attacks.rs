//! Lines that once got by the list, and what they would do outside of the sandbox.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

/// Runs a line by `askline preview --run` in a directory with what these attacks find there.
fn attacked(line: &str, shell: Shell) -> crate::cli::Ran {
    Askline::new(["preview", "--run", "--shell", shell.name(), "--", line])
        .file("argvd", "")
        .file("fn/whoami.fish", "function whoami; echo EVIL; end\n")
        .file("~/token.txt", "named like a home\n")
        .file("token.txt", "at home\n")
        .run()
}

/// A line that changes a variable takes away the variables that are a part of the sandbox.
#[test]
fn no_line_changes_a_variable_of_its_shell() {
    let lines = [
        (Shell::Zsh, "ls , argv['$(id >&2)d'] ; printf '%d' ZSH_EXECUTION_STRING"),
        (Shell::Zsh, "printf '%d' PATH=7; printenv PATH"),
        (Shell::Zsh, "printf '%*s' PATH=7 a; printenv PATH"),
        (Shell::Zsh, "printf '%d' GIT_CONFIG_COUNT=0; git status -s"),
        (Shell::Bash, "printf '%n' GIT_CONFIG_COUNT; git status -s"),
        (Shell::Bash, "printf 'x%n' PATH; printenv PATH"),
        (Shell::Zsh, "printf 'x%n' PATH; printenv PATH"),
        (Shell::Fish, "string match -rq '(?<fish_function_path>.+)' fn; whoami"),
        (Shell::Fish, "string match -rq \"(?'fish_function_path'.+)\" fn; whoami"),
        (Shell::Fish, "string match -rq '(?P<PATH>.+)' fn; printenv PATH"),
    ];
    for (shell, line) in lines {
        if find_on_path(&LocalHost, shell.name()).is_none() {
            continue;
        }
        let ran = attacked(line, shell);
        assert!(ran.stderr.starts_with("not run: "), "{shell}: {line}: {}{}", ran.stdout, ran.stderr);
        assert!(matches!(ran.stdout.as_str(), "" | "changes no file\n"), "{shell}: {line}: {}", ran.stdout);
    }
    // What the list lets pass of the same programs.
    for shell in SHELLS.into_iter().filter(|shell| find_on_path(&LocalHost, shell.name()).is_some()) {
        attacked("printf '%s-%5s\\n' a PATH=7", shell).stdout("a-PATH=7\n").code(0);
    }
    if find_on_path(&LocalHost, "fish").is_some() {
        attacked("string match -r '(b+)c' abbc", Shell::Fish).stdout("bbc\nbb\n").code(0);
    }
}

/// Sockets of services are for the program that needs them, which is started without a shell.
#[test]
fn only_a_program_alone_reaches_services() {
    let top = tempfile::tempdir().unwrap();
    let work = make(top.path());
    let unix = UnixListener::bind(work.join("socket")).unwrap();
    unix.set_nonblocking(true).unwrap();
    let connect = "socket(S,PF_UNIX,SOCK_STREAM,0)&&connect(S,sockaddr_un('socket'))&&print 'reached'";
    let arguments = ["-MSocket", "-e", connect].map(str::to_owned).to_vec();
    let _ = forced(&format!("perl -MSocket -e \"{connect}\""), Shell::Bash, &work, true);
    assert!(unix.accept().is_err(), "a shell's line");
    let perl = find_on_path(&LocalHost, "perl").unwrap();
    let alone =
        LocalHost.run_in_sandbox(&perl, &look("perl", Start::Service(arguments), &work, true)).unwrap();
    assert_eq!(String::from_utf8_lossy(&alone.stdout), "reached");
    assert!(unix.accept().is_ok());
    let ran = attacked("systemctl --failed; git status", Shell::Bash);
    let why = "not run: `systemctl` connects to services and must be alone on the line; leave the rest out\n";
    assert!(ran.stderr.starts_with(why), "{}", ran.stderr);
}

#[test]
fn a_quoted_tilde_is_no_home() {
    for shell in SHELLS.into_iter().filter(|shell| find_on_path(&LocalHost, shell.name()).is_some()) {
        for line in ["cat '~/token.txt'", "cat \\~/token.txt"] {
            attacked(line, shell).stdout("named like a home\n").code(0);
        }
        attacked("cat ~/token.txt", shell).stdout("at home\n").code(0);
    }
    // It opens no file of the home for the rest of its line.
    let line = "cat ./zz*.rs '~/token.txt'";
    let askline =
        Askline::new(["preview", "--run", "--shell", "bash", "--", line]).file("token.txt", "at home\n");
    let askline = askline.file("work/a.txt", "");
    symlink("../token.txt", askline.path("work/zz.rs")).unwrap();
    let ran = askline.in_sh("cd work; RUN").run();
    assert!(ran.stderr.contains("Permission denied"), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("at home"), "{}", ran.stdout);
}

#[test]
fn private_keys_and_cut_rows_are_not_shown() {
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
    let ran = Askline::new(["preview", "--run", "--", "cat notes.txt"]).file("notes.txt", key).run();
    assert!(ran.stderr.starts_with("not run: what it printed may hold a private key"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("AAAA"), "{}", ran.stdout);
    // A row is whole or not there.
    let long = format!("{}\n", "ab ".repeat(30_000));
    let ran = Askline::new(["preview", "--run", "--", "cat notes.txt"]).file("notes.txt", &long).run();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "no whole row, read-only preview\n"));
    let short = format!("{}\nlast", "ab ".repeat(300));
    let ran = Askline::new(["preview", "--run", "--", "cat notes.txt"]).file("notes.txt", &short).run();
    ran.stdout(&format!("{}\nlast\n", "ab ".repeat(80))).code(0);
}

/// A shell with libraries of its own, as Homebrew installs it, brings no secrets and no programs of its directory.
#[test]
fn libraries_beside_a_shell_are_read_and_not_run() {
    let top = tempfile::tempdir().unwrap();
    let work = make(top.path());
    let prefix = work.with_file_name("prefix");
    fs::create_dir_all(prefix.join("bin")).unwrap();
    fs::create_dir_all(prefix.join("lib/deep")).unwrap();
    let lib = prefix.join("lib");
    for (name, text) in [
        ("a.txt", "shown\n"),
        ("deep/b.txt", "too\n"),
        (".env", "hunter2\n"),
        ("ld.so", "#!/bin/sh\necho loaded\n"),
        ("tool", "#!/bin/sh\necho ran\n"),
    ] {
        fs::write(lib.join(name), text).unwrap();
    }
    for name in ["ld.so", "tool"] {
        fs::set_permissions(lib.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let bash = prefix.join("bin/bash");
    fs::copy(find_on_path(&LocalHost, "bash").unwrap().canonicalize().unwrap(), &bash).unwrap();
    let line = format!("cd '{}'; cat a.txt deep/b.txt .env; ./tool; ./ld.so", lib.display());
    let said = |directory: &Path| {
        let output = LocalHost
            .run_in_sandbox(&bash, &look(&line, Start::Shell(Shell::Bash), directory, false))
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(said(&work), "shown\ntoo\nloaded\n");
    // Where the look is below the prefix, `lib` can hold anything.
    let inside = prefix.join("work");
    fs::create_dir(&inside).unwrap();
    assert_eq!(said(&inside), "");
}
