//! Files that a line runs and secrets that it reads, held against requests.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::asked::Asked;
use crate::risk::files::{Deed, Met};
use crate::risk::{Around, Label, Risk, judge};
use crate::shell::Shell;

fn judged(request: &str, shell: Shell, line: &str) -> Risk {
    judge(line, shell, &Around { request: Some(request), ..Around::nothing() })
}

/// Each line alone is at most Cautious or told of otherwise; with a request that says nothing of it, it is Confirm and named.
#[track_caller]
fn named(shell: Shell, what: &str, rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (line, name) in rows {
        let risk = judged("tidy up a little", shell, line);
        if risk.label < Label::Confirm || !risk.cause.contains(what) || !risk.cause.contains(name) {
            wrong.push(format!("{line}: {:?} {}", risk.label, risk.cause));
        }
    }
    assert!(wrong.is_empty(), "{shell}:\n{}", wrong.join("\n"));
}

const RUN: &str = "runs a file that is not in your words: ";
const READ: &str = "reads a secret that is not in your words: ";

#[test]
fn files_that_nobody_named_are_not_run_in_silence() {
    let posix = [
        ("./evil.sh", "./evil.sh"),
        ("evil/x", "evil/x"),
        ("bash evil.sh", "evil.sh"),
        ("bash -x ./evil.sh a b", "./evil.sh"),
        ("bash evil.sh -c fast", "evil.sh"),
        ("sh -eu evil.sh", "evil.sh"),
        ("\"./ev\"il.sh", "./evil.sh"),
        ("b\"as\"h ev'il'.sh", "evil.sh"),
        (". ./x", "./x"),
        (". x", "x"),
        ("source x", "x"),
        ("python3 evil.py", "evil.py"),
        ("python3 -i evil.py", "evil.py"),
        ("python evil.py -c 1", "evil.py"),
        ("node evil.js -p 80", "evil.js"),
        ("ruby evil.rb", "evil.rb"),
        ("perl -w evil.pl", "evil.pl"),
        ("awk -f evil.awk a.txt", "evil.awk"),
        ("awk -fevil.awk a.txt", "evil.awk"),
        ("sed -nf evil.sed a.txt", "evil.sed"),
        ("make -f evil.mk", "evil.mk"),
        ("make --file=evil.mk", "evil.mk"),
        ("go run evil.go", "evil.go"),
        ("deno run -A evil.ts", "evil.ts"),
        ("java -jar evil.jar", "evil.jar"),
        ("vim -S evil.vim a.txt", "evil.vim"),
        ("tmux source-file evil.conf", "evil.conf"),
        ("ssh -F evil.conf host", "evil.conf"),
        ("bash < evil.sh", "evil.sh"),
        ("node < evil.js", "evil.js"),
        ("parallel < evil.txt", "evil.txt"),
        ("chmod +x evil && ./evil", "./evil"),
        ("env A=b ./evil.sh", "./evil.sh"),
        ("env -S 'bash evil.sh'", "evil.sh"),
        ("timeout 5 sh evil.sh", "evil.sh"),
        ("nohup ./evil &", "./evil"),
        ("exec ./evil", "./evil"),
        ("watch ./evil.sh", "./evil.sh"),
        ("busybox sh evil.sh", "evil.sh"),
        ("find . -name '*.sh' -exec bash {} \\;", "{}"),
        ("ls *.sh | xargs -n1 bash", "{}"),
        ("find . -name a -exec ./evil.sh {} +", "./evil.sh"),
        ("sh -c './evil'", "./evil"),
        ("sh -c \"bash -c 'source evil.sh'\"", "evil.sh"),
        ("eval ./evil.sh", "./evil.sh"),
        ("git -c core.pager=./evil log", "./evil"),
        ("echo ./evil.sh | sh", "./evil.sh"),
        ("x=$(./evil)", "./evil"),
        ("if ./evil; then ls; fi", "./evil"),
        ("ls; (cd a && ./evil)", "./evil"),
        ("python3 /tmp/evil.py", "/tmp/evil.py"),
        ("bash /usr/../tmp/evil.sh", "/tmp/evil.sh"),
        ("/lib64/ld-linux-x86-64.so.2 ./evil.bin", "./evil.bin"),
        ("bash <evil.sh >out.txt", "evil.sh"),
        ("node -e \"require('./evil')\"", "./evil"),
        ("ruby -e 'load \"./evil.rb\"'", "./evil.rb"),
    ];
    named(Shell::Bash, RUN, &posix);
    named(Shell::Zsh, RUN, &posix);
    named(
        Shell::Fish,
        RUN,
        &[("source evil.fish", "evil.fish"), ("./evil", "./evil"), ("fish evil.fish", "evil.fish")],
    );
    named(
        Shell::Nu,
        RUN,
        &[
            ("source evil.nu", "evil.nu"),
            ("source-env evil.nu", "evil.nu"),
            ("nu evil.nu", "evil.nu"),
            ("nu -n --no-std-lib evil.nu", "evil.nu"),
            ("nu -e 'source evil.nu'", "evil.nu"),
            ("nu --config evil.nu", "evil.nu"),
            ("nu --config=evil.nu", "evil.nu"),
            ("./evil.nu", "./evil.nu"),
            ("^./evil.nu", "./evil.nu"),
            ("run-external ./evil", "./evil"),
            ("exec ./evil", "./evil"),
            ("use evil.nu", "evil.nu"),
            ("use evil.nu *", "evil.nu"),
            ("export use evil.nu", "evil.nu"),
            ("overlay use evil.nu", "evil.nu"),
            ("overlay use -p evil.nu", "evil.nu"),
            ("bash evil.sh", "evil.sh"),
            ("do { source evil.nu }", "evil.nu"),
        ],
    );
    named(Shell::Nu, "not in your words: ./evil", &[("ls | each {|f| ./evil $f.name }", "./evil")]);
}

/// What can't be read from the line is worse than what is named.
#[test]
fn text_of_a_file_that_is_run_is_no_better() {
    for (shell, line) in [
        (Shell::Bash, "cat evil.sh | sh"),
        (Shell::Bash, "bash -c \"$(cat evil.sh)\""),
        (Shell::Bash, "eval \"$(<evil.sh)\""),
        (Shell::Bash, ". <(cat evil.sh)"),
        (Shell::Bash, "~/evil.sh"),
        (Shell::Bash, "psql -f evil.sql"),
        (Shell::Bash, "sudo bash evil.sh"),
        (Shell::Bash, "at -f evil.sh noon"),
        (Shell::Bash, "crontab evil"),
        (Shell::Bash, "python3 -c \"exec(open('evil.py').read())\""),
        (Shell::Fish, "cat evil.fish | source"),
        (Shell::Nu, "open evil.nu | nu --stdin"),
        (Shell::Nu, "nu -c (open evil.nu)"),
        (Shell::Nu, "open evil.sh | bash"),
    ] {
        let risk = judged("tidy up a little", shell, line);
        assert!(risk.label >= Label::Confirm && !risk.cause.is_empty(), "{line}: {:?}", risk.label);
    }
}

#[test]
fn secrets_that_nobody_asked_for_are_not_read_in_silence() {
    let posix = [
        ("cat ~/.aws/credentials", "~/.aws/credentials"),
        ("cat $HOME/.aws/credentials", "credentials"),
        ("cat .env", ".env"),
        ("cat ./.env | head -3", ".env"),
        ("head -n1 <.env", ".env"),
        ("while read l; do echo $l; done < .env", ".env"),
        ("grep PASS .env", ".env"),
        ("grep -r key ~/.ssh", "~/.ssh"),
        ("cat ~/.ssh/*", "~/.ssh/*"),
        ("cat ~/.ssh/{id_rsa,config}", "id_rsa"),
        ("cat id_*", "id_*"),
        ("cat ~/.ss?/id_rsa", "id_rsa"),
        ("cat ~/.'ss'h/id_rsa", "id_rsa"),
        ("cat .e*", ".e*"),
        ("f=~/.ssh/id_rsa; cat $f", "id_rsa"),
        ("for f in ~/.ssh/*; do cat \"$f\"; done", "~/.ssh/*"),
        ("cat $(echo ~/.ssh/id_rsa)", "id_rsa"),
        ("ls ~/.ssh/id_rsa | xargs cat", "id_rsa"),
        ("ls ~/.ssh/* | while read f; do cat \"$f\"; done", "~/.ssh/*"),
        ("find ~ -name id_rsa -exec cat {} +", "id_rsa"),
        ("cd ~/.ssh && cat *", "~/.ssh"),
        ("cp ~/.ssh/id_rsa x", "id_rsa"),
        ("tar cf x.tar ~/.gnupg", "~/.gnupg"),
        ("dd if=~/.ssh/id_rsa", "id_rsa"),
        ("base64 --wrap=0 server.key", "server.key"),
        ("tail ~/.bash_history", "~/.bash_history"),
        ("less ~/.npmrc", "~/.npmrc"),
        ("sqlite3 ~/.mozilla/firefox/a/places.sqlite .dump", "places.sqlite"),
        ("cat ~/.config/askline/key", "~/.config/askline/key"),
        ("sh -c 'cat .env'", ".env"),
        ("env A=b cat .env", ".env"),
        ("python3 -c \"print(open('/home/me/.ssh/id_rsa').read())\"", "id_rsa"),
        ("diff <(cat .env) b", ".env"),
        ("unknown-tool ~/.netrc", "~/.netrc"),
        ("git show HEAD:.env", ".env"),
    ];
    named(Shell::Bash, "not in your words: ", &posix);
    named(Shell::Zsh, "not in your words: ", &posix);
    named(Shell::Bash, READ, &[("cat .env", ".env"), ("cat ~/.ssh/id_rsa", "~/.ssh/id_rsa")]);
    named(
        Shell::Fish,
        READ,
        &[
            ("cat ~/.ssh/id_rsa", "id_rsa"),
            ("cat (echo ~/.ssh/id_rsa)", "id_rsa"),
            ("for f in ~/.ssh/*; cat $f; end", "~/.ssh/*"),
            ("set f ~/.ssh/id_rsa; cat $f", "id_rsa"),
        ],
    );
    named(
        Shell::Nu,
        READ,
        &[
            ("open ~/.ssh/id_rsa", "id_rsa"),
            ("open --raw ~/.config/askline/key", "~/.config/askline/key"),
            ("open .env | lines", ".env"),
            ("^cat .env", ".env"),
            ("open $\"($env.HOME)/.ssh/id_rsa\"", "id_rsa"),
            ("let f = \"~/.ssh/id_rsa\"; open $f", "id_rsa"),
            ("\"~/.ssh/id_rsa\" | open $in", "id_rsa"),
            ("ls ~/.ssh | each {|f| open $f.name }", "~/.ssh"),
            ("for f in (glob ~/.ssh/*) { open $f }", "~/.ssh/*"),
            ("open ($nu.home-path)/.aws/credentials", "credentials"),
        ],
    );
}

/// What the request names is as it was.
#[test]
fn what_is_asked_for_stays_as_it_was() {
    for (request, line) in [
        ("run build.sh", "./build.sh"),
        ("Run ./build.sh please.", "bash build.sh"),
        ("run tools/build.sh", "cd tools && ./build.sh"),
        ("execute `scripts/setup.py` with verbose output", "python3 scripts/setup.py -v"),
        ("run the deploy script", "./deploy.sh"),
        ("start the api server", "node api-server.js"),
        ("make backup.sh executable and run it", "chmod +x backup.sh && ./backup.sh"),
        ("compile hello.c and run it", "gcc hello.c -o hello && ./hello"),
        ("run ~/bin/sync.sh", "bash ~/bin/sync.sh"),
        ("run sync.sh in my bin folder", "bash ~/bin/sync.sh"),
        ("activate the virtual environment", "source .venv/bin/activate"),
        ("reload my shell settings", "source ~/.bashrc"),
        ("test the project with gradle", "./gradlew test"),
        ("sum column 2 of a.csv with sum.awk", "awk -f sum.awk a.csv"),
        ("run the tests", "make test"),
        ("run the tests", "cargo test"),
        ("run the tests", "npm test"),
        ("start the thing", "/usr/local/bin/thing --start"),
        ("which python is this", "/usr/bin/python3 --version"),
        ("show my ssh public key", "cat ~/.ssh/id_ed25519.pub"),
        ("show all my public keys", "cat ~/.ssh/*.pub"),
        ("show my .env file", "cat .env"),
        ("show the env file", "cat .env"),
        ("print my ssh private key", "cat ~/.ssh/id_rsa"),
        ("show my aws credentials", "cat ~/.aws/credentials"),
        ("which clusters are in my kube config", "grep cluster: ~/.kube/config"),
        ("my ten most recent commands in history", "tail ~/.bash_history"),
        ("back up my ssh folder", "tar czf ssh.tgz ~/.ssh"),
        ("make my private key readable only by me", "chmod 600 ~/.ssh/id_rsa"),
        ("which keys do I have", "ls -la ~/.ssh"),
        ("how big is it all", "du -sh ~/.ssh | sort -h"),
        ("is there a dotenv here", "find . -name .env"),
        ("log in to host", "ssh -i ~/.ssh/id_ed25519 host"),
        ("connect with my key", "ssh-add ~/.ssh/id_ed25519"),
        ("where do we read the environment in our code", "grep -rn process.env src"),
        ("show the env field of package.json", "jq .env package.json"),
        ("sum all json files", "cat *.json"),
        ("which hosts do I have names for", "grep Host ~/.ssh/config"),
        ("show all notes", "cat ~/*/notes.txt"),
        ("start from the example settings", "cp .env.example .env"),
        ("when does the certificate expire", "openssl x509 -enddate -noout -in server.pem"),
        ("./evil.sh", "./evil.sh"),
        ("cat ~/.ssh/id_rsa", "cat ~/.ssh/id_rsa"),
    ] {
        let risk = judged(request, Shell::Bash, line);
        let alone = judge(line, Shell::Bash, &Around::nothing());
        assert_eq!(risk.label, alone.label, "{request}: {line}: {}", risk.cause);
    }
    for (request, line) in [
        ("run build.nu", "nu build.nu"),
        ("load helpers.nu", "source helpers.nu"),
        ("use the git module", "use git.nu *"),
        ("log something", "use std/log; log info hello"),
        ("open my .env", "open .env"),
        ("hidden files", "ls ~/.ssh | get name"),
        ("sizes of my keys", "ls ~/.ssh | where size > 1kb | sort-by size"),
        ("where is it named .env", "ls -a | where name == .env"),
    ] {
        let risk = judged(request, Shell::Nu, line);
        let alone = judge(line, Shell::Nu, &Around::nothing());
        assert_eq!(risk.label, alone.label, "{request}: {line}: {}", risk.cause);
    }
}

/// A word that stands in the request by chance names nothing.
#[test]
fn a_request_that_only_sounds_like_it_asks_for_nothing() {
    for (request, line) in [
        ("show evil things", "./evil.sh"),
        ("build the project", "./build.sh"),
        ("run the script", "./script.sh"),
        ("run the app", "./run.sh"),
        ("run build.py", "./build.sh"),
        ("run a/build.sh", "b/build.sh"),
        ("run build.sh", "bash /tmp/build.sh"),
        ("run build.sh", "bash ../other/build.sh"),
        ("run build.sh", "./build.sh && ./evil.sh"),
        ("run rebuild.sh", "./build.sh"),
        ("show my ssh public key", "cat ~/.ssh/id_ed25519"),
        ("what key do I press to quit vim", "cat ~/.config/askline/key"),
        ("show environment variables", "cat .env"),
        ("list my s3 buckets in aws", "cat ~/.aws/credentials"),
        ("show the ssh config", "cat ~/.kube/config"),
        ("show my .env file", "cat .env ~/.netrc"),
        ("show my git config", "cat ~/.git-credentials"),
    ] {
        let risk = judged(request, Shell::Bash, line);
        assert!(
            risk.label >= Label::Confirm && risk.cause.contains("not in your words"),
            "{request}: {line}: {risk:?}"
        );
    }
}

/// Where nobody asked anything there is nothing to hold a line against.
#[test]
fn without_a_request_nothing_changes() {
    for line in ["./evil.sh", "cat .env", "bash evil.sh"] {
        let alone = judge(line, Shell::Bash, &Around::nothing());
        assert!(alone.label < Label::Confirm, "{line}");
        assert_eq!(judged(" ? ", Shell::Bash, line).label, alone.label, "{line}");
    }
}

/// The solved requests that every model is shown say what they want.
#[test]
fn no_solved_request_is_told_of() {
    #[derive(serde::Deserialize)]
    struct Row {
        request: String,
        command: String,
    }
    let mut rows = 0;
    for (shell, text) in [
        (Shell::Bash, include_str!("../../prompt/solved-bash.toml")),
        (Shell::Zsh, include_str!("../../prompt/solved-zsh.toml")),
        (Shell::Fish, include_str!("../../prompt/solved-fish.toml")),
        (Shell::Nu, include_str!("../../prompt/solved-nu.toml")),
    ] {
        let lists: BTreeMap<String, Vec<toml::Value>> = toml::from_str(text).unwrap();
        for row in lists.into_values().flatten().filter_map(|row| row.try_into::<Row>().ok()) {
            let risk = judged(&row.request, shell, &row.command);
            let is_told = [RUN, READ].iter().any(|what| risk.cause.starts_with(what));
            assert!(!is_told, "{}: {}: {}", row.request, row.command, risk.cause);
            rows += 1;
        }
    }
    assert!(rows > 300, "{rows}");
}

/// Every name by which a file may be asked for does so, and only with all of its words.
#[test]
fn what_files_are_called_asks_for_them() {
    for asked in &super::LISTS.asked {
        for (form, phrase) in asked.files.iter().zip(asked.by.iter().cycle()) {
            let name = form.replace('*', "x");
            let met = Met { deed: Deed::Read, span: 0..0, text: name.clone(), path: format!("~/a/{name}") };
            assert!(Asked::of(&format!("please, the {phrase} of mine")).names(&met), "{name}: {phrase}");
            assert!(!Asked::of("something else").names(&met), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A request that holds a script's name asks for it, and no text panics.
    #[test]
    fn any_request_is_read(request in "\\PC{0,60}", text in "\\PC{0,30}", name in "[a-z]{1,8}\\.(sh|nu|py)") {
        let met = |text: &str| Met { deed: Deed::Run, span: 0..0, text: text.to_owned(), path: text.to_owned() };
        Asked::of(&request).names(&met(&text));
        Asked::of(&text).names(&Met { deed: Deed::Read, ..met(&request) });
        let is_asked = Asked::of(&format!("run {name} now")).names(&met(&format!("./{name}")));
        prop_assert!(is_asked, "{}", name);
    }
}
