//! Answers that hide the failure of a command instead of mending it: `cat x 2> /dev/null`, `cat x || true`, `rm -f x`.

use askline_risk::{Around, judge};
use askline_syntax::{Nesting, ParsedLine, Redirection, SimpleCommand};

/// Options that keep programs quiet, or force what failed: the program, its first operand if need be, letters, long options.
const QUIET: [(&str, &str, &str, &[&str]); 16] = [
    ("rm", "", "fiv", &["--force", "--interactive", "--verbose"]),
    ("mv", "", "fniv", &["--force", "--no-clobber", "--interactive", "--verbose"]),
    ("cp", "", "fniv", &["--force", "--no-clobber", "--interactive", "--verbose"]),
    ("cat", "", "v", &[]),
    ("grep", "", "qs", &["--quiet", "--silent", "--no-messages"]),
    ("curl", "", "sS", &["--silent", "--show-error"]),
    ("mkdir", "", "v", &["--verbose"]),
    ("git", "push", "qfvn", &["--force", "--force-with-lease", "--quiet", "--verbose", "--dry-run"]),
    ("git", "commit", "qvn", &["--quiet", "--verbose", "--dry-run", "--no-verify"]),
    ("git", "clone", "qvn", &["--quiet", "--verbose", "--no-checkout"]),
    ("git", "mv", "vnf", &["--verbose", "--dry-run", "--force"]),
    ("chmod", "", "cvf", &["--changes", "--verbose", "--silent"]),
    ("diff", "", "qs", &["--brief", "--report-identical-files"]),
    ("make", "", "kins", &["--keep-going", "--ignore-errors", "--dry-run", "--silent"]),
    ("kill", "", "l", &["--list"]),
    ("gunzip", "", "lvt", &["--list", "--verbose", "--test"]),
];
/// The same for any other program.
const QUIET_ANYWHERE: [&str; 7] = ["-v", "-q", "--verbose", "--quiet", "--silent", "--dry-run", "--debug"];
/// Programs in which `-v` chooses other lines or sets a variable.
const OTHER_V: [&str; 9] = ["grep", "egrep", "fgrep", "zgrep", "rg", "pgrep", "awk", "gawk", "mawk"];
/// Commands beside the failed one that mend nothing.
const IDLE: [&str; 11] =
    ["echo", "printf", "true", ":", "command", "type", "which", "test", "[", "exit", "set"];

/// Of these, commands that only look whether something is there, or that do nothing or end the shell.
const PROBES: [&str; 9] = ["command", "type", "which", "test", "[", "exit", "true", ":", "pgrep"];
/// Commands that open what is no folder: `cd notes.txt` → `less notes.txt`.
const OPENING: [&str; 9] = ["less", "more", "cat", "bat", "view", "vim", "vi", "nano", "git"];

/// Reports whether a line begins with the failed command, with nothing more than quiet options or with operands left out, and tries
/// nothing else with the program: what stands behind it, such as `|| true`, does not make it work.
pub(super) fn hides_failure(failed: &ParsedLine, answer: &ParsedLine, status: i32) -> bool {
    // `command -v ss > /dev/null && echo 0 || echo 2`
    let is_idle = |command: &&SimpleCommand| command.name().is_some_and(|name| IDLE.contains(&name));
    let commands = || answer.own().commands.iter();
    let asks = || commands().any(|command| command.name().is_some_and(|name| PROBES.contains(&name)));
    let is_idle_before = failed.own().commands.iter().any(|command| is_idle(&command));
    if 1 < failed.own().commands.len() && commands().all(|it| is_idle(&it)) && asks() && !is_idle_before {
        return true;
    }
    let [command] = failed.own().commands.as_slice() else { return false };
    let words = |line: &ParsedLine, command: &SimpleCommand| -> Vec<String> {
        command
            .words
            .iter()
            .filter_map(|word| line.text().get(word.span.clone()))
            .map(str::to_owned)
            .collect()
    };
    let before = words(failed, command);
    // `command -v git psuh` runs nothing.
    let is_asked_for = commands().any(|other| {
        let words = words(answer, other);
        words.first().is_some_and(|name| name == "command") && words.ends_with(&before)
    });
    let Some(first) = commands().find(|command| !is_idle(command)) else {
        return is_asked_for || asks() && !is_idle(&command) && !is_probe(&before, answer, status);
    };
    let is_wrapped = first.within.iter().any(|nesting| matches!(nesting, Nesting::Wrapper(_)));
    let is_fed = 0 < first.position;
    let tries_more = commands()
        .any(|other| other.span != first.span && other.name() == first.name() && first.name().is_some());
    is_asked_for || !is_wrapped && !is_fed && !tries_more && is_same(&before, &words(answer, first))
}

/// Reports whether an answer asks what a command that is not there was to ask: `[-f notes.txt]` → `[ -f notes.txt ]`.
fn is_probe(failed: &[String], answer: &ParsedLine, status: i32) -> bool {
    /// Exit status of a command that is not there.
    const NOT_FOUND: i32 = 127;
    let Some((name, operands)) = failed.split_first() else { return false };
    let words =
        || answer.own().commands.iter().flat_map(|command| &command.words).map(|word| word.text.as_str());
    status == NOT_FOUND
        && !words().any(|word| word == name)
        && operands.iter().any(|operand| words().any(|word| word == operand.trim_end_matches(']')))
}

/// Reports whether an answer does something with the exit status instead of mending the command: `node -e 'process.exit(1)'`,
/// `git commit -m 129`. Small models take the status for the task.
pub(super) fn is_about_status(failed: &str, answer: &str, status: i32) -> bool {
    /// From here on a number in an answer is hardly another one.
    const TELLING_MIN: i32 = 100;
    let arguments = |text: &str| -> Vec<String> {
        text.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_owned()).collect()
    };
    let number = status.to_string();
    let has_number = |text: &str| arguments(text).contains(&number);
    let is_new = |part: &str| answer.contains(part) && !failed.contains(part);
    // `process.exit` and `exit 1` may have lacked their brackets.
    let has_call = |text: &str| text.contains("exit");
    is_new("$?")
        || !has_call(failed) && ["exit status", "exit_status", "exit code"].iter().any(|part| is_new(part))
        || is_new("exit(") && !has_call(failed)
        || TELLING_MIN <= status && has_number(answer) && !has_number(failed)
}

/// Reports whether an answer is no remedy, whatever it does: it throws output away, goes nowhere for a failed `cd`, has the failed
/// command among its words, or destroys something by another program than the failed one.
pub(super) fn is_no_fix(failed: &ParsedLine, answer: &ParsedLine) -> bool {
    let throws_away = |line: &ParsedLine| {
        let looks = |command: &SimpleCommand| command.name().is_some_and(|name| PROBES.contains(&name));
        let works = line.parsed().commands.iter().filter(|command| !looks(command));
        works.flat_map(|command| &command.redirections).any(|it| {
            it.operator.contains('>') && it.target.as_ref().is_some_and(|target| target.text == "/dev/null")
        })
    };
    // `> /dev/nul` is mended.
    let wants_that = failed.text().contains("/dev/n");
    // Who wanted to go somewhere wants nothing run there.
    let goes = |line: &ParsedLine| {
        line.own().commands.iter().any(|command| matches!(command.name(), Some("cd" | "pushd")))
    };
    let opens = |line: &ParsedLine| {
        let target = failed.own().commands.first().and_then(|command| command.words.last());
        let [command] = line.own().commands.as_slice() else { return false };
        command.name().is_some_and(|name| OPENING.contains(&name))
            && target.is_some_and(|target| command.words.iter().skip(1).any(|word| word.text == target.text))
    };
    let first =
        |line: &ParsedLine| line.own().commands.first().and_then(SimpleCommand::name).map(str::to_owned);
    // A file that the failed command named would be written over.
    let named = || failed.parsed().commands.iter().flat_map(|command| &command.words);
    let is_over = |it: &Redirection| {
        it.operator == ">"
            && it.target.as_ref().is_some_and(|target| named().any(|word| word.text == target.text))
    };
    let writes_over = |line: &ParsedLine| {
        line.parsed().commands.iter().flat_map(|command| &command.redirections).any(is_over)
    };
    let destroys = |line: &ParsedLine| writes_over(line) || judge(line, &Around::nothing()).destroys();
    // Another option of the same program may be what was meant: `find -delte`.
    let is_other = first(answer) != first(failed);
    // `… && echo 1 || echo 0`
    let prints_number = |line: &ParsedLine| {
        ["&& echo ", "|| echo "].iter().all(|part| {
            let behind =
                line.text().split_once(part).map(|(_, behind)| behind.trim_start_matches(['\'', '"']));
            behind.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    prints_number(answer) && !prints_number(failed)
        || throws_away(answer) && !wants_that
        || failed.own().commands.len() == 1 && goes(failed) && !goes(answer) && !opens(answer)
        || is_a_word(failed.text().trim(), answer, first(answer) == first(failed))
        || is_other && destroys(answer) && !destroys(failed)
}

/// Reports whether an answer has the text of the failed command in quotes or, if it is the same program, among its operands, and
/// runs it nowhere.
fn is_a_word(failed: &str, answer: &ParsedLine, is_same_program: bool) -> bool {
    // The command of `sh -c '…'` is one of the line, too.
    let runs = |command: &SimpleCommand| {
        let own =
            answer.text().get(command.span.clone()).unwrap_or_default().trim_start_matches(['\'', '"', ' ']);
        own.starts_with(failed) && own.matches(failed).count() == 1
    };
    let is_quoted =
        ['\'', '"'].iter().any(|quote| answer.text().contains(&format!("{quote}{failed}{quote}")));
    failed.contains(' ')
        && !goes_on(failed, answer)
        && (is_quoted || is_same_program && answer.text().contains(failed))
        && !answer.parsed().commands.iter().any(runs)
}

/// Reports whether an answer runs the failed line once, with more words for its last command or another command before it:
/// `git add . && git commit -m x` after `git add . && git commit`.
fn goes_on(failed: &str, answer: &ParsedLine) -> bool {
    let text = answer.text().trim_end();
    let Some((before, rest)) = text.split_once(failed).filter(|(_, rest)| !rest.contains(failed)) else {
        return false;
    };
    let (start, end) = (before.len(), before.len() + failed.len());
    let commands = &answer.own().commands;
    let does = |command: &SimpleCommand| command.name().is_some_and(|name| !IDLE.contains(&name));
    let prepares = commands.iter().any(|command| command.span.end <= start && does(command));
    let has_words = rest.starts_with(' ')
        && commands.iter().any(|command| command.span.start < end && end < command.span.end);
    commands.iter().any(|command| command.span.start == start) && (has_words || rest.is_empty() && prepares)
}

/// Reports whether a command has the words of the failed one, apart from quiet options, or without some operands.
fn is_same(before: &[String], after: &[String]) -> bool {
    let kept = |words: &[String]| -> Vec<String> {
        let is_kept = |word: &&String| !is_quiet(words, word);
        // Behind `--` only names with a `-` change their meaning.
        let ends_options = |at: usize| {
            let mut behind = words.iter().skip(at + 1);
            let takes_files = |name: &String| QUIET.iter().any(|(program, ..)| program == name);
            words.get(at).is_some_and(|word| word == "--")
                && words.first().is_some_and(takes_files)
                && !behind.any(|word| word.starts_with('-'))
        };
        let kept = words.iter().enumerate().filter(|(at, word)| is_kept(word) && !ends_options(*at));
        kept.map(|(_, word)| plain(word)).collect()
    };
    // `node version` → `node -v`
    const SAID: [&str; 4] = ["v", "version", "verbose", "quiet"];
    let adds_common =
        after.iter().any(|word| QUIET_ANYWHERE.contains(&word.as_str()) && !before.contains(word));
    let (before, after) = (kept(before), kept(after));
    let mut rest = before.iter();
    let mut left_out = Vec::new();
    for word in &after {
        loop {
            match rest.next() {
                Some(other) if other == word => break,
                Some(other) => left_out.push(other),
                None => return false,
            }
        }
    }
    left_out.extend(rest);
    if adds_common && left_out.first().is_some_and(|word| SAID.contains(&word.as_str())) {
        return false;
    }
    // Without a wrong option the command may work.
    before.first() == after.first() && !left_out.iter().any(|word| word.starts_with('-'))
}

fn is_quiet(words: &[String], word: &str) -> bool {
    let is_of = |(name, operand, ..): &&(&str, &str, &str, &[&str])| {
        words.first().is_some_and(|first| first == name)
            && (operand.is_empty() || words.iter().any(|word| word == operand))
    };
    let Some((.., letters, options)) = QUIET.iter().find(is_of) else {
        let is_other = words.first().is_some_and(|name| OTHER_V.contains(&name.as_str()));
        return QUIET_ANYWHERE.contains(&word) && !is_other;
    };
    let cluster = word.strip_prefix('-').filter(|rest| !rest.is_empty());
    options.contains(&word) || cluster.is_some_and(|rest| rest.chars().all(|letter| letters.contains(letter)))
}

/// Returns a path without the working directory before it.
fn plain(text: &str) -> String {
    let beginnings = ["\"$PWD\"/", "\"$PWD/", "$PWD/", "${PWD}/", "$(pwd)/"];
    let text = beginnings.iter().find_map(|beginning| text.strip_prefix(beginning)).unwrap_or(text);
    // Quotes around what needs none change nothing.
    let inner = ['\'', '"'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let is_plain = |inner: &&str| inner.chars().all(|c| c.is_alphanumeric() || "/._-+:@".contains(c));
    inner.filter(is_plain).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn what_repeats_or_destroys_is_no_fix() {
        for (failed, answer, expected) in [
            ("git checkout main -b", "git checkout main -b 'git checkout main -b'", true),
            ("systemctl restart ngnix", "systemctl --failed systemctl restart ngnix", true),
            ("jq .a usr.jsno", "jq .b usr.jsno 2> /dev/null", true),
            ("ln -s users.json link", "jq . users.json > link", true),
            ("git push", "git push -u origin main", false),
            ("npm start", "cd app && npm start", false),
            ("pip install requests", "python3 -m pip install requests", false),
            ("git pull", "git stash && git pull --rebase", false),
            ("cp a b/", "mkdir -p b && cp a b/", false),
            ("cat /etc/x", "sudo cat /etc/x", false),
            ("rm old", "rm -r old", false),
            ("make install", "sudo sh -c 'make install'", false),
            ("nvm use 18", "bash -ic 'nvm use 18'", false),
            ("nc -z box 22", "nc -zv box 22 && echo 1 || echo 0", true),
            ("test -f a then echo yes else echo no", "test -f a && echo yes || echo no", false),
            ("make install", "echo 'make install'", true),
            ("git push", "git push git push", true),
            ("git add . && git commit", "git add . && git commit -m x", false),
            ("git add . && git commit", "git add . && git commit -m x && git push", false),
            ("git add . && git commit", "git add . && git commit || true", true),
            ("git add . && git commit", "git add . && git commit; true", true),
            ("git add . && git commit", "git add . && git commit # again", true),
            ("cat x | wc -l", "cat x | wc -l || true", true),
            ("git commit -m x && git push", "git add -A && git commit -m x && git push", false),
            ("find / -nmae x 2>/dev/null", "find / -name x 2>/dev/null", false),
            ("head -n -f a.log", "tail -n -f a.log > /dev/null 2>&1", true),
            ("rg x", "command -v rg > /dev/null || sudo apt install ripgrep", false),
            ("ls -l > /dev/nul", "ls -l > /dev/null", false),
            ("if pgrep -x nginx; then ech ok; fi", "if pgrep -x nginx > /dev/null; then echo ok; fi", false),
            ("cd notes.txt", "less notes.txt", false),
            ("cd https://example.com/a", "git clone https://example.com/a", false),
            ("cd notes.txt", "cat other.txt", true),
            ("cd deploy.sh", "./deploy.sh || echo 1", true),
            ("cd src/new", "mkdir -p src/new && cd src/new", false),
            ("find -name x . -mtime", "find -name x . -mtime 1 && echo 1 || echo 0", true),
        ] {
            let line = |text: &str| ParsedLine::new(text, Shell::Bash);
            assert_eq!(is_no_fix(&line(failed), &line(answer)), expected, "{failed} → {answer}");
        }
    }

    #[test]
    fn what_only_handles_the_status_is_no_fix() {
        for (failed, answer, status, expected) in [
            ("python3 -c 'exit 1'", "python3 -c 'exit(1)'", 1, false),
            ("ls --sort-by-size", "echo $(( $? == 2 ? 0 : 1 ))", 2, true),
            ("jq '.items[].name' d.json", "jq '.items[]?.name' d.json", 5, false),
            ("telnet localhost 80", "nc -vz 127.0.0.1 80", 127, false),
            ("node -e 'process.exit 1'", "node -e 'process.exit(1)'", 1, false),
            ("git diff --exti-code", "git diff --exit-code", 129, false),
            ("jq .users[0].name u.jsn", "jq 'exit(.users[0].name)' u.jsn", 2, true),
            ("node src/i.js", "node -e 'process.exit(1)'", 1, true),
            ("sed -i s/a/b l.txt", "sed -n 's/^.*exit status //p' l.txt", 1, true),
            ("git commit -m", "git commit -m '129'", 129, true),
            ("kill 9999999", "kill -s 1 9999999", 1, false),
            ("bash -c 'exit 3'", "bash -c 'exit 0'", 3, false),
            ("chmod 127 a", "chmod 127 ./a", 127, false),
            ("ls a?.txt", "ls a?.txt b", 2, false),
            ("ls -l x", "ls -l y", 2, false),
        ] {
            assert_eq!(is_about_status(failed, answer, status), expected, "{failed} → {answer}");
        }
    }

    #[test]
    fn what_hides_a_failure_is_no_fix() {
        for (failed, answer, expected) in [
            ("cat crontab", "cat crontab 2> /dev/null", true),
            ("cat crontab", "cat crontab || true", true),
            ("cat crontab", "cat crontab || echo none", true),
            ("cat crontab", "cat -v crontab", true),
            ("cat crontab", "cat crontab.txt", false),
            ("cat crontab", "crontab -l", false),
            ("rm empty", "exit 1", true),
            ("rm empty", "rm -f empty", true),
            ("rm empty", "rm -r empty", false),
            ("rm empty", "rmdir empty", false),
            ("mv a b/c/", "mv -n a b/c/", true),
            ("mv *.mp3 b/c/", "mv -n -- *.mp3 b/c/", true),
            ("npm test a", "npm test -- a", false),
            ("mv a b/c/", "mkdir -p b/c && mv a b/c/", false),
            ("git psuh", "command -v git psuh", true),
            ("git psuh", "git push", false),
            ("git checkout mian", "git checkout --", true),
            ("cd ~/Dowloads", "command -v cd > /dev/null && cd ~/Dowloads", true),
            ("grep -q foo a", "grep -q foo a && echo 2 || echo 0", true),
            ("grep foo a", "grep -i foo a", false),
            ("git push", "git push -f", true),
            ("git push", "git push --force-with-lease", true),
            ("run.sh", "./run.sh", false),
            ("rm -weird.txt", "rm ./-weird.txt", false),
            ("rm -weird.txt", "rm -- -weird.txt", false),
            ("cargo run --foo", "cargo run -- --foo", false),
            ("kubectl apply x.yml", "kubectl apply -f x.yml", false),
            ("git add run.sh", "git add -f run.sh", false),
            ("base64 hello", "echo -n hello | base64", false),
            ("ls --sort-by-size -l", "ls -l", false),
            ("git show HEAD^", "git show 'HEAD^'", false),
            ("cat x", "command -v cat > /dev/null && echo 0 || echo 1", true),
            ("[ -f a b ]", "[ -f 'a b' ]", false),
            ("cat x", "(cat x)", true),
            ("cat x", "if [ -f x ]; then cat x; fi", true),
            ("cat x", "cat x | head", true),
            ("cat x", "cat x; ls", true),
            ("cat x", "set +e; cat x", true),
            ("cat x", "cat x 2>&1 | grep -v No", true),
            ("git push", "git pull --rebase && git push", false),
            ("grep foo a", "grep -r foo .", false),
            ("python3 x.py", "python3 \"$PWD\"/x.py", true),
            ("apt install x", "sudo apt install x", false),
            ("apt install x", "apt update && apt install x", false),
            ("./run.sh", "chmod +x ./run.sh && ./run.sh", false),
            ("ls a | wc", "ls a | wc -l", false),
            ("npm start", "npm install && npm start", false),
            ("make", "make -B", false),
            ("make deploy", "make -k deploy", true),
            ("chmod 888 a", "chmod -c 888 a", true),
            ("git clone u", "git clone -n u", true),
            ("scp a", "scp -v a", true),
            ("git push --delete origin f/x", "git push --delete origin \"f/x\"", true),
            ("ss -t | grep -E", "command -v ss > /dev/null && echo 0 || echo 2", true),
            ("grep foo a", "grep -v foo a", false),
            ("node version", "node -v", false),
            ("git log 5", "git log -n 5", false),
            ("apt install x", "apt --fix-broken install", false),
            ("tar xf a", "tar xf a -v", true),
            ("ls gone", "ls -v", true),
            ("pip install nosuch", "pip install -v", true),
            ("node version", "node --version", false),
        ] {
            let line = |text| ParsedLine::new(text, Shell::Bash);
            assert_eq!(hides_failure(&line(failed), &line(answer), 1), expected, "{failed}: {answer}");
        }
    }

    #[test]
    fn a_misspelt_question_may_be_asked() {
        for (failed, answer, status, expected) in [
            ("[-f notes.txt]", "[ -f notes.txt ]", 127, false),
            ("exists git", "command -v git", 127, false),
            ("tset -f notes.txt", "test -f notes.txt", 127, false),
            ("cat gone", "[ -f gone ]", 1, true),
            ("frobnicate gone", "command -v frobnicate gone", 127, true),
            ("frobnicate gone", "true", 127, true),
        ] {
            let line = |text| ParsedLine::new(text, Shell::Bash);
            assert_eq!(hides_failure(&line(failed), &line(answer), status), expected, "{failed}: {answer}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(failed: String, answer: String) {
            let line = |text: &str| ParsedLine::new(text, Shell::Bash);
            hides_failure(&line(&failed), &line(&answer), 1);
        }
    }
}
