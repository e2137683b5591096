//! Tests of path classes.

use super::*;
use askline_syntax as syntax;
use askline_syntax::shell::Shell::{Bash, Fish, Nu, Zsh};

fn of(word: &str, shell: Shell) -> PathClass {
    if shell == Nu {
        let globs = word.contains(['*', '?']) && !word.contains('"');
        let quoted = word.starts_with('"');
        let expands = word.contains(['$', '(']) || globs || word.starts_with('~');
        let text = if quoted { word.trim_matches('"') } else { word };
        let word = Word { span: 0..0, text: text.to_owned(), literal: !expands, quoted, glob: globs };
        return path(&word, Nu);
    }
    let parsed = syntax::parse(&format!("x {word}"), shell);
    path(parsed.commands[0].words.get(1).unwrap_or_else(|| panic!("no word in {word}")), shell)
}

fn scopes(shell: Shell, cases: &[(&str, Scope)]) {
    let mut wrong = Vec::new();
    for (word, scope) in cases {
        let place = of(word, shell);
        if place.scope != *scope {
            wrong.push(format!("{shell}: {word}: not {scope:?}: {place:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_scope_of_what_stands_there() {
    use Scope::*;
    scopes(
        Bash,
        &[
            ("/", Everything),
            ("//", Everything),
            ("/.", Everything),
            ("/tmp/../", Everything),
            ("/*", Everything),
            ("/?*", Everything),
            ("/{*,.*}", Everything),
            ("~/../..", Everything),
            ("/proc/self/root", Everything),
            ("/etc", System),
            ("/etc/", System),
            ("//etc//hosts", System),
            ("/home/../etc", System),
            ("/private/var", System),
            ("/System/Volumes/Data/etc", System),
            ("/usr/local/bin/x", System),
            ("/var/lib/x/*", System),
            ("/data", System),
            ("/???/rm", System),
            ("/Library/Fonts", System),
            ("../../../../../etc/passwd", System),
            ("~root/x", System),
            ("/home", Home),
            ("/home/", Home),
            ("/home/*", Home),
            ("/home/me", Home),
            ("/Users/me/", Home),
            ("/users/me/", Home),
            ("~", Home),
            ("~/", Home),
            ("~/*", Home),
            ("~/.*", Home),
            ("~/.", Home),
            ("~me", Home),
            ("~/x/..", Home),
            ("~/..", Home),
            ("~/x", Own),
            ("/home/me/x", Own),
            (".", Cwd),
            ("./", Cwd),
            ("..", Cwd),
            ("../..", Cwd),
            ("../*", Cwd),
            ("*", Cwd),
            ("./*", Cwd),
            (".*", Cwd),
            (".[!.]*", Cwd),
            ("?*", Cwd),
            ("[a-z]*", Cwd),
            ("**/*", Cwd),
            ("*/*", Cwd),
            ("*.*", Cwd),
            ("!(keep)", Cwd),
            ("{*,.*}", Cwd),
            ("x/..", Cwd),
            ("@(*)", Cwd),
            (".??*", Cwd),
            ("*.bak", Own),
            ("*~", Own),
            ("?", Own),
            ("file:///etc/passwd", System),
            ("/dev/tcp/192.0.2.1/80", Remote),
            ("$((1+1)).txt", Own),
            ("**/*.bak", Own),
            ("[0-9]*", Own),
            ("*/target", Own),
            ("build/*", Tree),
            ("a.txt", Own),
            ("../x", Own),
            ("\"*\"", Own),
            ("'~'", Own),
            ("''", Own),
            ("/mnt/x", Own),
            ("/mnt", System),
            ("/data/x", Own),
            ("/tmp/x", Own),
            ("/tmp", System),
            ("/tmp/*", System),
            ("/tmp/a/*", Tree),
            ("/dev/sda", Device),
            ("/dev/disk/by-id/x", Device),
            ("/dev/sd?", Device),
            ("/dev", System),
            ("/dev/null", Own),
            ("https://example.com/x", Remote),
            ("s3://bucket/x", Remote),
            ("{a,/etc}/x", System),
            ("{a,b}.txt", Own),
            ("/{bin,etc}", System),
        ],
    );
}

#[test]
fn what_the_shells_put_in() {
    use Scope::*;
    scopes(
        Bash,
        &[
            ("$HOME", Home),
            ("${HOME}", Home),
            ("\"$HOME\"", Home),
            ("\"$HOME\"/*", Home),
            ("\"${HOME}/\"", Home),
            ("$HOME/x", Own),
            ("/$HOME", Home),
            ("${HOME%/*}", Home),
            ("${HOME:?}", Home),
            ("$PWD", Cwd),
            ("$(pwd)", Cwd),
            ("`pwd`/../", Cwd),
            ("\"$(pwd)\"/*", Cwd),
            ("$(pwd)/x", Own),
            ("$(git rev-parse --show-toplevel)", Cwd),
            ("~+", Cwd),
            ("$DIR", Unreadable),
            ("\"$DIR\"/*", Unreadable),
            ("${B}/", Unreadable),
            ("${DIR:?}/x", Unreadable),
            ("./$x", Unreadable),
            ("../$x", Unreadable),
            ("$x*", Unreadable),
            ("$TMPDIR/x", Unreadable),
            ("$(cat list)", Unreadable),
            ("/$x", Everything),
            ("/$x/*", Everything),
            ("~/$x", Home),
            ("/home/$USER", Home),
            ("/home/me/$x", Home),
            ("out/$x", Own),
            ("./out/$x", Own),
            ("build-$v", Own),
            ("/tmp/$x", Own),
            ("/tmp/x.$$", Own),
            ("/etc/$x", System),
            ("$HOME-old", Home),
        ],
    );
    scopes(
        Zsh,
        &[
            ("^keep", Cwd),
            ("**/*(D)", Cwd),
            ("*(.om[1,5])", Cwd),
            ("*.log(.m+7)", Own),
            ("*.(o|a)", Own),
            ("(*|.*)", Cwd),
            ("*~keep", Cwd),
            ("/*(N)", Everything),
            ("=ls", System),
            ("~/*(D)", Home),
        ],
    );
    scopes(
        Fish,
        &[("(pwd)", Cwd), ("$HOME/.*", Home), ("(pwd)/x", Own), ("$HOME/{a,b}", Own), ("$dir/*", Unreadable)],
    );
    scopes(
        Nu,
        &[
            ("~", Home),
            ("\"~\"", Home),
            ("$env.HOME", Home),
            ("$nu.home-path", Home),
            ("($env.HOME)", Home),
            ("($nu.home-dir | path join \"x\")", Own),
            ("($env.HOME | path join *)", Home),
            ("$env.PWD", Cwd),
            ("(pwd)", Cwd),
            ("*", Cwd),
            ("$dir", Unreadable),
            ("...$files", Unreadable),
            ("...(glob *)", Unreadable),
            ("$\"($env.HOME)/x\"", Own),
            ("$\"($env.HOME)/\"", Home),
            ("$\"($dir)/x\"", Unreadable),
            ("$\"/tmp/($x)\"", Own),
        ],
    );
}

#[test]
fn may_be_empty_only_where_it_may() {
    for (word, may) in [
        ("$DIR", true),
        ("\"$DIR\"/*", true),
        ("${B}/", true),
        ("${DIR:-}", true),
        ("~/$x", true),
        ("$TMPDIR/*", true),
        ("$XDG_CACHE_HOME/x", true),
        ("${DIR:?}", false),
        ("${DIR:?unset}/*", false),
        ("${DIR:-build}", false),
        ("build-$v", false),
        ("a/b", false),
    ] {
        assert_eq!(of(word, Bash).may_be_empty, may, "{word}");
    }
}

#[test]
fn the_kind_of_what_is_kept_there() {
    use PathKind::*;
    let mut wrong = Vec::new();
    for (word, kind) in [
        ("~/.ssh/id_rsa", Secret),
        ("~/.ssh", Secret),
        ("~/.ssh/*", Secret),
        (".ssh/id_rsa", Secret),
        ("$HOME/.netrc", Secret),
        ("/home/me/.aws/credentials", Secret),
        ("/Users/me/Library/Keychains/login.keychain-db", Secret),
        ("/root/.ssh/id_rsa", Secret),
        ("$X/.ssh/id_rsa", Secret),
        (".env", Secret),
        ("app/.env.local", Secret),
        ("deploy/id_ed25519", Secret),
        ("/etc/shadow", Secret),
        ("/proc/self/environ", Secret),
        ("~/.ss*", Secret),
        ("~/.ssh/id_rsa.pub", Plain),
        ("~/.ssh/known_hosts", Plain),
        (".env.example", Plain),
        ("environment", Plain),
        ("notes.txt", Plain),
        ("~/.bashrc", Startup),
        ("~/.ssh/authorized_keys", Startup),
        ("~/.config/fish/conf.d/x.fish", Startup),
        ("/etc/cron.d/x", Startup),
        ("/etc/profile.d/x.sh", Startup),
        ("~/Library/LaunchAgents/x.plist", Startup),
        ("$ZDOTDIR/.zshrc", Startup),
        (".git/hooks/pre-commit", Startup),
        ("~/.bash_history", Log),
        ("$HISTFILE", Log),
        ("/var/log/syslog", Log),
        ("/var/log/*", Log),
        ("~/.local/share/fish/fish_history", Log),
        (".git", Repository),
        ("a/.git/", Repository),
        ("/dev/null", Sink),
        ("/dev/fd/3", Sink),
        ("/dev/stderr", Sink),
        ("/dev/zero", Endless),
        ("/dev/urandom", Endless),
        ("/tmp/x", Temporary),
        ("/private/tmp/x", Temporary),
        ("/dev/shm/x", Temporary),
        ("/tmp", Temporary),
        ("/etc/hosts", Plain),
    ] {
        let found = of(word, Bash).kind;
        wrong.extend((found != kind).then(|| format!("{word}: {found:?}, not {kind:?}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(of("$nu.config-path", Nu).kind, Startup);
    assert_eq!(of("$nu.history-path", Nu).kind, Log);
    assert_eq!(of("$__fish_config_dir/conf.d/x.fish", Fish).kind, Startup);
}

#[test]
fn where_it_lies() {
    let place = of("~/projects/x", Bash);
    assert!(place.in_home && place.depth == 2 && place.path == "~/projects/x", "{place:?}");
    let place = of("/home/me/projects", Bash);
    assert!(place.in_home && place.depth == 1 && place.path == "/home/me/projects", "{place:?}");
    let place = of("../../x", Bash);
    assert!(place.climbs && place.path == "../../x", "{place:?}");
    for (word, mount) in [
        ("/mnt/disk", true),
        ("/mnt/disk/*", true),
        ("/mnt/disk/x", false),
        ("/Volumes/Disk", true),
        ("/media/me/Disk", true),
    ] {
        let place = of(word, Bash);
        assert!(place.outside && place.mount == mount, "{word}: {place:?}");
    }
    assert!(of("*.bak", Bash).glob);
    assert!(!of("a.bak", Bash).glob);
    assert_eq!(of("~/Documents/*", Bash).depth, 1);
}

#[test]
fn a_literal_of_another_language() {
    assert_eq!(named("/home").scope, Scope::Home);
    assert_eq!(named("~/*").scope, Scope::Home);
    assert_eq!(named("$x").scope, Scope::Unreadable);
    assert_eq!(named("out.txt").scope, Scope::Own);
}

#[test]
fn patterns_fit_names() {
    for (pattern, name, fits) in [
        ("*", "", true),
        ("a*b*c", "aXbYc", true),
        ("a*b*c", "aXbY", false),
        ("*.pem", "x.pem", true),
        ("*.pem", "x.pema", false),
        ("a?", "ab", true),
        ("", "a", false),
    ] {
        assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
    }
}

#[test]
fn every_list_names_what_it_says() {
    // A path would have no effect if an earlier list matches it.
    let mut wrong = Vec::new();
    for (kind, names) in &TABLE.kinds {
        for name in names.iter().filter(|name| !name.contains('*')) {
            let place = named(name);
            // A private path may have another kind as well.
            let is_so =
                *kind == PathKind::Private && place.private || *kind == PathKind::Public && !place.private;
            let found = if is_so { *kind } else { place.kind };
            wrong.extend((found != *kind).then(|| format!("{name}: {found:?}, not {kind:?}")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_private() {
    for (text, private) in [
        ("~/.ssh/id_rsa", true),
        ("~/.ssh/*", true),
        ("~/.ssh/id_rsa.pub", false),
        ("~/.ssh/*.pub", false),
        ("~/.ssh/known_hosts", false),
        ("~/.ssh/k*", true),
        ("~/.ssh/config", false),
        ("~/.ssh/c*", true),
        (".env", true),
        (".env.example", false),
        ("app/.env.production", true),
        ("id_*", true),
        ("id_rs?", true),
        ("*.json", false),
        ("*.pem", true),
        ("~/*/notes.txt", false),
        ("~/.c*/gh/hosts.yml", true),
        ("~/.zsh_history", true),
        ("/home/me/.zsh_history", true),
        ("~/.npmrc", true),
        ("~/.bashrc", false),
        ("/var/log/syslog", false),
        ("~/.config/askline/key", true),
        ("~/.config/askline/config.toml", false),
        ("key", false),
    ] {
        assert_eq!(named(text).private, private, "{text}");
    }
    for text in ["~/.ssh/{id_rsa,config}", "{a,.env}"] {
        let word = Word { span: 0..0, text: text.to_owned(), literal: false, quoted: false, glob: false };
        assert!(path(&word, Shell::Bash).private, "{text}");
    }
}

#[test]
fn time_grows_with_the_word_alone() {
    for piece in ["{a,b}", "{", "../", "$x/", "*", "~/", "[a-", "(", "${", "`", "a*b", "/*/"] {
        let took = |count: usize| {
            let text = piece.repeat(count / piece.len());
            let before = std::time::Instant::now();
            for shell in Shell::ALL {
                let _ = path(
                    &Word { span: 0..0, text: text.clone(), literal: false, quoted: false, glob: true },
                    shell,
                );
            }
            before.elapsed().as_secs_f64()
        };
        took(1_000);
        let (one, two) = (took(3_000), took(6_000));
        assert!(two < one * 8.0 + 0.2, "{piece}: {one:.3} s, then {two:.3} s");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_gives_an_answer(text in ".{0,120}", odd in "[$({)}`~/.*?a,=^!\\[\\] ]{0,60}", expands: bool) {
        for shell in Shell::ALL {
            for text in [&text, &odd] {
                let word = Word { span: 0..0, text: text.clone(), literal: !expands, quoted: false, glob: expands };
                let _ = path(&word, shell);
            }
        }
    }

    #[test]
    fn more_slashes_and_dots_change_nothing(names in proptest::collection::vec("[a-z]{1,6}", 1..5)) {
        let plain = format!("/{}", names.join("/"));
        let noisy = format!("//./{}/.", names.join("/x/..//./"));
        let (one, other) = (named(&plain), named(&noisy));
        proptest::prop_assert_eq!(one, other);
    }
}
