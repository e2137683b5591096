//! Tests with secrets planted by a deterministic generator, and with texts that contain none.

use std::sync::LazyLock;
use std::time::Duration;

use proptest::prelude::*;
use serde::Deserialize;

use super::lead::LeadFile;
use super::option::OptionFile;
use super::{Kept, Redactor, TokenFile};
use askline_syntax as syntax;
use askline_syntax::shell::Shell;

/// Number of consecutive bytes of a secret that must not remain.
const TELLTALE_BYTES: usize = 6;

/// Maximum percentage of the secrets in `tests/data/secret.txt` that are left.
const LEFT_PERCENT_MAX: usize = 2;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::new);

fn redact(text: &str, kept: &mut Kept) -> String {
    REDACTOR.redact(text, kept)
}

fn redacted(text: &str) -> String {
    redact(text, &mut Kept::new())
}

fn restored(text: &str, kept: &Kept) -> String {
    REDACTOR.restore(text, kept)
}

/// Generator of secrets.
struct Inventor(u64);

impl Inventor {
    /// Returns the next number of the SplitMix64 generator.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    /// Returns a password as a password generator or a careful person makes it.
    fn password(&mut self) -> String {
        let length = 7 + self.below(10);
        let letters = self.of("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", length);
        format!("{letters}{}{}", self.of("!*~^+-_.", 1), self.of("23456789", 1))
    }

    /// Returns the template with each `<pass>`, `<random>` and `<kind:length>` filled in, and the values filled in.
    fn filled(&mut self, template: &str) -> (String, Vec<String>) {
        let (mut text, mut secrets) = (String::new(), Vec::new());
        for (nth, piece) in template.split('<').enumerate() {
            let made = piece.split_once('>').and_then(|(hole, after)| Some((self.hole(hole)?, after)));
            if let Some((made, after)) = made.filter(|_| nth != 0) {
                text.extend([&made, after]);
                secrets.push(made);
            } else {
                text.extend([if nth == 0 { "" } else { "<" }, piece]);
            }
        }
        (text, secrets)
    }

    /// Returns a row of words, as in a seed phrase.
    fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count).map(|_| self.of("abcdefghiklmnoprstuvw", 6)).collect();
        words.join(" ")
    }

    fn hole(&mut self, hole: &str) -> Option<String> {
        let (upper, lower) = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz");
        let (kind, length) = match hole {
            "pass" => return Some(self.password()),
            "uuid" => {
                return Some([8, 4, 4, 4, 12].map(|length| self.of("0123456789abcdef", length)).join("-"));
            }
            "random" => ("alnum", "40"),
            _ => hole.split_once(':')?,
        };
        let alphabet = match kind {
            "words" => return Some(self.words(length.parse().ok()?)),
            "hex" => "0123456789abcdef".to_owned(),
            "HEX" => "0123456789ABCDEF".to_owned(),
            "digit" => "0123456789".to_owned(),
            "upper" => format!("{upper}0123456789"),
            "lower" => format!("{lower}0123456789"),
            "letters" => format!("{upper}{lower}"),
            "base32" => format!("{upper}234567"),
            "base64" => format!("{upper}{lower}0123456789+/"),
            "word" => format!("{upper}{lower}0123456789_-"),
            "alnum" => format!("{upper}{lower}0123456789"),
            _ => return None,
        };
        Some(self.of(&alphabet, length.parse().ok()?))
    }
}

/// Returns the words of an example that are secrets although they look like words.
fn fish_in(text: &str) -> Vec<String> {
    let words = [
        "kettle",
        "Kettle",
        "tiger",
        "monkey12",
        "verano99",
        "papillon42",
        "motyl42",
        "battery staple",
        "nacht im",
        "KETL",
    ];
    words.iter().filter(|word| text.contains(**word)).map(|word| (*word).to_owned()).collect()
}

/// Reports whether a piece of the secret remains.
fn is_left(secret: &str, text: &str) -> bool {
    let pieces = secret.as_bytes().windows(TELLTALE_BYTES.min(secret.len()));
    pieces.into_iter().any(|piece| memchr::memmem::find(text.as_bytes(), piece).is_some())
}

/// Returns an error in the redaction of a text that contains these secrets.
fn wrong(text: &str, secrets: &[String]) -> Option<String> {
    let mut kept = Kept::new();
    let redacted = redact(text, &mut kept);
    if secrets.iter().any(|secret| is_left(secret, &redacted)) {
        return Some(format!("left: {text}\n    as: {redacted}"));
    }
    (restored(&redacted, &kept) != text).then(|| format!("not restored: {text}\n    as: {redacted}"))
}

fn tokens() -> TokenFile {
    toml::from_str(include_str!("tokens.toml")).unwrap()
}

#[test]
fn each_token_is_known_and_what_only_resembles_it_stays() {
    let mut inventor = Inventor(1);
    let mut faults = Vec::new();
    for token in tokens().tokens {
        for _ in 0..20 {
            let (secret, pieces) = inventor.filled(&token.like);
            for text in [format!("use {secret} for it"), format!("echo '{secret}'"), secret] {
                faults.extend(wrong(&text, &pieces).map(|fault| (token.name.clone(), fault)));
            }
        }
        if redacted(&token.unlike) != token.unlike {
            faults.push((token.name, format!("no secret: {}", redacted(&token.unlike))));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Each expression is tested alone, so no other rule helps.
#[test]
fn each_token_is_known_by_its_own_expression() {
    let mut inventor = Inventor(2);
    for token in tokens().tokens {
        let regex = super::compiled(&token.regex);
        let (secret, _) = inventor.filled(&token.like);
        assert!(regex.is_match(secret.as_bytes()), "{}: {secret}", token.name);
        assert!(!regex.is_match(token.unlike.as_bytes()), "{}: {}", token.name, token.unlike);
    }
}

#[test]
fn each_lead_leads_to_a_secret_and_to_nothing_else() {
    let mut inventor = Inventor(3);
    let mut faults = Vec::new();
    for lead in LeadFile::own().lead {
        for like in &lead.like {
            let is_hinted = lead.hints.iter().any(|hint| like.to_ascii_lowercase().contains(hint.as_str()));
            assert!(is_hinted, "{}: no hint in {like}", lead.name);
            for _ in 0..20 {
                let (text, mut secrets) = inventor.filled(like);
                secrets.extend(fish_in(&text));
                faults.extend(wrong(&text, &secrets).map(|fault| (lead.name.clone(), fault)));
            }
        }
        for unlike in lead.unlike {
            if redacted(&unlike) != unlike {
                faults.push((lead.name.clone(), format!("no secret: {}", redacted(&unlike))));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn each_option_takes_a_secret_and_others_do_not() {
    let mut inventor = Inventor(3);
    let mut faults = Vec::new();
    for row in OptionFile::own().option {
        for like in &row.like {
            for _ in 0..5 {
                let (text, mut secrets) = inventor.filled(like);
                secrets.extend(fish_in(&text));
                faults.extend(wrong(&text, &secrets).map(|fault| (row.programs.clone(), fault)));
            }
        }
        for unlike in row.unlike {
            if redacted(&unlike) != unlike {
                faults.push((row.programs.clone(), format!("no secret: {}", redacted(&unlike))));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Two hundred secrets of all kinds, in texts as they are sent.
#[test]
#[expect(clippy::print_stdout, reason = "the figure is for people who run the test alone")]
fn of_two_hundred_planted_secrets_none_is_left() {
    let mut inventor = Inventor(7);
    let contexts = [
        "# recent commands\ncd ~/src/shop\n{}\ngit status\n",
        "Complete this command line of zsh: {}",
        "{\"cwd\": \"/home/joe\", \"note\": \"{}\"}",
        "exit 1: failed near `{}` in line 7",
        "{}",
    ];
    let mut planted: Vec<String> = tokens().tokens.into_iter().map(|token| token.like).collect();
    planted.extend(LeadFile::own().lead.into_iter().flat_map(|lead| lead.like));
    planted.extend((0..10).map(|_| "<base64:44>".to_owned()));
    planted.extend((0..10).map(|_| "<alnum:48>".to_owned()));
    planted.extend((0..5).map(|_| "<hex:64>".to_owned()));
    planted.extend((0..5).map(|_| {
        format!(
            "-----BEGIN OPENSSH PRIVATE KEY-----\n{}<base64:30>=\n-----END OPENSSH PRIVATE KEY-----",
            "<base64:70>\n".repeat(5)
        )
    }));
    let kinds = planted.len();
    let (mut all, mut left, mut unlike_itself) = (0, Vec::new(), 0);
    for template in planted.iter().cycle().take(200.max(kinds)) {
        let (secret, pieces) = inventor.filled(template);
        // Quotes end quoted text, so such a line is used without a context.
        let context =
            if secret.contains(['"', '\'']) { "{}" } else { contexts[inventor.below(contexts.len())] };
        let text = context.replace("{}", &secret);
        let mut kept = Kept::new();
        let sent = redact(&text, &mut kept);
        all += 1;
        unlike_itself += usize::from(restored(&sent, &kept) != text);
        if pieces.iter().any(|piece| is_left(piece, &sent)) {
            left.push(sent);
        }
    }
    println!(
        "planted {all} secrets of {kinds} kinds: {} gone, {unlike_itself} not restored",
        all - left.len()
    );
    assert!(left.len() * 100 <= all, "{left:#?}");
    assert_eq!(unlike_itself, 0);
}

#[test]
#[expect(clippy::print_stdout, reason = "the figure is for people who run the test alone")]
fn a_secret_that_the_caller_knows_is_gone_wherever_it_stands() {
    let mut inventor = Inventor(11);
    let (mut all, mut left) = (0, 0);
    for _ in 0..200 {
        let length = 8 + inventor.below(40);
        let secret = inventor.of("abcdefghijklmnopqrstuvwxyz -'\"$/é", length);
        for text in [
            secret.clone(),
            format!("a {secret} b"),
            format!("word{secret}word"),
            format!("{secret}{secret}"),
            format!("'{secret}' \"{secret}\""),
            format!("--key={secret};x"),
            format!("${{{secret}}} <{secret}>"),
        ] {
            let mut kept = Kept::new();
            kept.know(&secret);
            let sent = redact(&text, &mut kept);
            all += 1;
            left += usize::from(sent.contains(&secret));
            assert_eq!(restored(&sent, &kept), text, "{sent}");
        }
    }
    println!("known: {} of {all} gone", all - left);
    assert_eq!(left, 0);
}

#[derive(Deserialize)]
struct Row {
    command: String,
}

#[test]
#[expect(clippy::print_stdout, reason = "the figure is for people who run the test alone")]
fn lines_without_secrets_stay() {
    let rows = include_str!("../tests/data/benign.jsonl").lines();
    let lines: Vec<String> = rows.map(|row| serde_json::from_str::<Row>(row).unwrap().command).collect();
    let taken: Vec<String> =
        lines.iter().map(|line| redacted(line)).filter(|line| line.contains("_PLACEHOLDER")).collect();
    println!("falsely redacted: {} of {} lines", taken.len(), lines.len());
    assert!(taken.len() * 200 <= lines.len(), "{taken:#?}");
}

/// Returns the templates of a data file.
fn templates(file: &str) -> impl Iterator<Item = String> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.replace("\\n", "\n"))
}

#[test]
#[expect(clippy::print_stdout, reason = "the figure is for people who run the test alone")]
fn secrets_in_real_requests_are_gone() {
    let mut inventor = Inventor(13);
    let (mut all, mut left) = (0, Vec::new());
    for template in templates(include_str!("../tests/data/secret.txt")) {
        let (text, secrets) = inventor.filled(&template);
        all += 1;
        left.extend(wrong(&text, &secrets));
    }
    println!("{} of {all} secrets gone", all - left.len());
    assert!(left.len() * 100 <= all * LEFT_PERCENT_MAX, "{left:#?}");
}

#[test]
#[expect(clippy::print_stdout, reason = "the figure is for people who run the test alone")]
fn real_requests_without_secrets_stay() {
    let mut inventor = Inventor(17);
    let rows = templates(include_str!("../tests/data/ordinary.txt"));
    let texts: Vec<String> = rows.map(|template| inventor.filled(&template).0).collect();
    let taken: Vec<String> =
        texts.iter().filter(|text| redacted(text) != **text).map(|text| redacted(text)).collect();
    println!("falsely redacted: {} of {} requests", taken.len(), texts.len());
    assert!(taken.len() * 200 <= texts.len(), "{taken:#?}");
}

#[test]
fn what_everybody_may_read_stays() {
    for text in [
        "git show 3f786850e387550fdab836ed7e6dc881de23001b",
        "git revert --no-edit 89e6c98d92887913cadf06b2adb97f26cde4849b..HEAD",
        "mount UUID=123e4567-e89b-12d3-a456-426614174000 /mnt",
        "docker pull alpine@sha256:e692418e4cbaf90ca69d05a66403747baa33ee08806650b51fab815ad7fc331f",
        "\"integrity\": \"sha512-9s2fNE1YH5FqT0nFjTGOAHk1mh1xv2B9mLbK0b1u8cQ3XqYv7W6dZpR4sT5uIoP1aSdFgHjKlZxCvBnM1234AA==\"",
        "echo ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx7bGk2Q0hvWm5rT1dxZ3pYc0R2Zk5tS2xQd joe@host >> authorized_keys",
        "cd /usr/lib/x86_64-linux-gnu/qt5/plugins/platformthemes/libqt5ct2024.so",
        "find . -name 'TheVeryLongNameOfAFactoryBeanTestCase2.java'",
        "tar -xzf a-very-long-name-of-an-archive-2024-11-21-release-candidate-2.tar.gz",
        "kubectl get pods -l app.kubernetes.io/name=shop,tier=frontend",
        "ssh-keygen -t ed25519 -C joe@example.org -f ~/.ssh/id_ed25519",
        "gpg --recv-keys 0xD94AA3F0EFE21092",
        "git config --global credential.helper cache",
        "which process uses port 8080 and who owns it",
        "change my password",
        "find files with the word password in them",
        "ls | sort --key=2,3 | uniq",
    ] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn values_end_where_they_end() {
    for (text, expected) in [
        ("PASSWORD='two words' ./run", "PASSWORD=SECRET_1_PLACEHOLDER ./run"),
        ("PASSWORD='oneword1' ./run", "PASSWORD='SECRET_1_PLACEHOLDER' ./run"),
        ("mysql -u root -phunter22 shop", "mysql -u root -pSECRET_1_PLACEHOLDER shop"),
        ("curl 'http://h/?token=a1b2c3d4e5&page=2'", "curl 'http://h/?token=SECRET_1_PLACEHOLDER&page=2'"),
        ("API_KEY=abc;def1 x", "API_KEY=SECRET_1_PLACEHOLDER x"),
        ("API_KEY=abc1; ls", "API_KEY=SECRET_1_PLACEHOLDER; ls"),
        ("psql postgres://u:p@ss1@h/d", "psql postgres://u:SECRET_1_PLACEHOLDER@h/d"),
        ("{\"password\":\"abc\\\"d e\"}", "{\"password\":SECRET_1_PLACEHOLDER}"),
        ("$(tool --password abcd1)", "$(tool --password SECRET_1_PLACEHOLDER)"),
        ("A_KEY=\"unended1", "A_KEY=\"SECRET_1_PLACEHOLDER"),
        ("password: é♥é♥é♥", "password: SECRET_1_PLACEHOLDER"),
        ("use password gFReOgaDsGJn now", "use password SECRET_1_PLACEHOLDER now"),
        ("-H 'Authorization: Hawk id=\"a\", mac=\"b\"' h", "-H 'Authorization: Hawk SECRET_1_PLACEHOLDER' h"),
        ("Authorization: Splunk 21bade02 h", "Authorization: Splunk SECRET_1_PLACEHOLDER h"),
        (
            "-----BEGIN PRIVATE KEY-----\nTUlJRXZRSUJBREFOQmdrcWhraUc5dzBC\nAbC=\n\n# and then",
            "SECRET_1_PLACEHOLDER\n\n# and then",
        ),
        (
            "grep -e '-----BEGIN PRIVATE KEY-----' . # find keys",
            "grep -e 'SECRET_1_PLACEHOLDER' . # find keys",
        ),
    ] {
        let mut kept = Kept::new();
        let sent = redact(text, &mut kept);
        assert_eq!(sent, expected);
        assert_eq!(restored(&sent, &kept), text);
    }
}

#[test]
fn one_secret_has_one_placeholder() {
    let mut kept = Kept::new();
    let first = redact("A_TOKEN=s3cret-of-joe; B_TOKEN=another1; tool s3cret-of-joe another1", &mut kept);
    let (one, two) = ("SECRET_1_PLACEHOLDER", "SECRET_2_PLACEHOLDER");
    assert_eq!(first, format!("A_TOKEN={one}; B_TOKEN={two}; tool {one} {two}"));
    assert_eq!(redact("login(joe:s3cret-of-joe)", &mut kept), format!("login(joe:{one})"));
    assert_eq!(redact(&first, &mut kept), first);
    assert_eq!(kept.len(), 2);
    assert_eq!(format!("{kept:?}"), "Kept { len: 2, .. }");
}

/// A secret of an earlier text is replaced in later ones, also inside words.
#[test]
fn a_secret_of_an_earlier_text_is_gone_wherever_it_stands() {
    for (first, later, secret) in [
        ("VAULT_PASSWORD=geheim", "ls --nosuchflagzz geheim", "geheim"),
        ("VAULT_PASSWORD=geheim", "mysql -pgeheim shop; echo xgeheimy", "geheim"),
        ("tool --password hunter2pass99", "mysql -uhunter2pass99", "hunter2pass99"),
        ("A_TOKEN=aB3_x-Y9.zQ", "curl https://x/aB3_x-Y9.zQ/y", "aB3_x-Y9.zQ"),
        ("PASSWORD='two words' ./run", "run \"two words\"", "two words"),
        ("PASSWORD=SECRET1", "echo SECRET1 SECRET_1_PLACEHOLDER", "SECRET1"),
        ("PASSWORD=HOLDER", "echo SECRET_1_PLACEHOLDER xHOLDERx", "xHOLDERx"),
    ] {
        let mut kept = Kept::new();
        redact(first, &mut kept);
        let sent = redact(later, &mut kept);
        assert!(!sent.contains(secret), "{sent}");
        let again = redact(&sent, &mut kept);
        assert_eq!(again, sent, "a placeholder is no secret");
    }
    // Too short to search for.
    let mut kept = Kept::new();
    redact("PASSWORD=ab1", &mut kept);
    assert_eq!(redact("grab1 it", &mut kept), "grab1 it");
}

#[test]
fn placeholders_return_as_secrets() {
    let mut kept = Kept::new();
    redact("PASSWORD='two words' TOKEN=abcd1234", &mut kept);
    for (answer, expected) in [
        ("tool SECRET_2_PLACEHOLDER", "tool abcd1234"),
        ("tool secret_2_placeholder", "tool abcd1234"),
        ("tool \"SECRET_2_PLACEHOLDER\"", "tool \"abcd1234\""),
        ("tool '$SECRET_2_PLACEHOLDER'", "tool 'abcd1234'"),
        ("tool ${SECRET_2_PLACEHOLDER} <SECRET_2_PLACEHOLDER>", "tool abcd1234 abcd1234"),
        ("tool -pSECRET_2_PLACEHOLDER", "tool -pabcd1234"),
        ("https://joe:SECRET_2_PLACEHOLDER@h/", "https://joe:abcd1234@h/"),
        ("tool SECRET_1_PLACEHOLDER", "tool 'two words'"),
        ("tool \"SECRET_1_PLACEHOLDER\"", "tool 'two words'"),
        ("tool --p=SECRET_1_PLACEHOLDER,SECRET_2_PLACEHOLDER", "tool --p='two words',abcd1234"),
        // Not assigned, or part of something longer.
        (
            "tool SECRET_3_PLACEHOLDER SECRET_12_PLACEHOLDER",
            "tool SECRET_3_PLACEHOLDER SECRET_12_PLACEHOLDER",
        ),
        (
            "MY_SECRET_1_PLACEHOLDER SECRET_1_PLACEHOLDERS éSECRET_1_PLACEHOLDER",
            "MY_SECRET_1_PLACEHOLDER SECRET_1_PLACEHOLDERS éSECRET_1_PLACEHOLDER",
        ),
        (
            "SECRET_999999999999_PLACEHOLDER SECRET__PLACEHOLDER",
            "SECRET_999999999999_PLACEHOLDER SECRET__PLACEHOLDER",
        ),
    ] {
        assert_eq!(restored(answer, &kept), expected);
    }
}

#[test]
fn a_placeholder_that_was_there_before_stays_itself() {
    let mut kept = Kept::new();
    let text = "echo SECRET_1_PLACEHOLDER TOKEN=abcd1234";
    let sent = redact(text, &mut kept);
    assert_eq!(sent, "echo SECRET_1_PLACEHOLDER TOKEN=SECRET_2_PLACEHOLDER");
    assert_eq!(restored(&sent, &kept), text);
}

/// In one text with placeholders of two sets, each means one secret.
#[test]
fn sets_beside_each_other_have_other_numbers() {
    let mut kept = Kept::after(1_000);
    assert_eq!(redact("PASSWORD=hunter2-Zx81", &mut kept), "PASSWORD=SECRET_1001_PLACEHOLDER");
    REDACTOR.reserve("see SECRET_1002_PLACEHOLDER", &mut kept);
    assert_eq!(redact("TOKEN=swordfish-Qy77", &mut kept), "TOKEN=SECRET_1003_PLACEHOLDER");
    kept.begin_anew();
    assert_eq!(redact("TOKEN=swordfish-Qy77", &mut kept), "TOKEN=SECRET_1001_PLACEHOLDER");
}

#[test]
fn a_disarmed_placeholder_is_none() {
    let mut kept = Kept::new();
    redact("PASSWORD=hunter2-Zx81", &mut kept);
    for (text, disarmed) in [
        ("é SECRET_1_PLACEHOLDER, secret_1_placeholder", "é SECRET-1-PLACEHOLDER, secret-1-placeholder"),
        ("SECRET_ and PLACEHOLDER", "SECRET_ and PLACEHOLDER"),
        ("", ""),
    ] {
        let found = REDACTOR.disarm(text);
        assert_eq!(found, disarmed);
        assert_eq!(restored(&found, &kept), disarmed);
    }
}

#[test]
fn a_placeholder_is_one_word() {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let line = redacted("tool --token=abcd1234 -u x --password hunter22");
        let parsed = syntax::commands(&line, shell);
        let words: Vec<&str> = parsed.commands[0].words.iter().map(|word| word.text.as_str()).collect();
        let expected =
            ["tool", "--token=SECRET_1_PLACEHOLDER", "-u", "x", "--password", "SECRET_2_PLACEHOLDER"];
        assert!(parsed.errors.is_empty() && words == expected, "{shell:?}: {words:?}");
    }
}

/// Four times the text takes at most about four times as long.
#[test]
fn time_grows_with_length() {
    let time = |text: &str| {
        let once = |_| {
            let start = processor_time();
            let mut kept = Kept::new();
            let sent = redact(text, &mut kept);
            restored(&sent, &kept);
            processor_time().saturating_sub(start)
        };
        // The fastest of several runs: other work on the machine only makes times longer.
        (0..7).map(once).min().unwrap()
    };
    for piece in [
        "ordinary words and --options of=ordinary lines\n",
        "PASSWORD='",
        "pass=\"\\\" ",
        "TOKEN=abcd1234,",
        "a",
        "A1b2C3d4",
        "=",
        "$",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY----------END ",
        "mysql mysql ",
        "mysql -p",
        "curl -u a",
        "://a:b",
        "http://a:b@",
        "'\"",
        "SECRET_1_PLACEHOLDER",
        "$<{",
        "echo ",
        "echo x | ",
        "ey",
        "\\",
        "pass ",
        "pass:&a=",
        "key:",
        "token=\"",
        "kind: Secret\ndata: ",
        "kind: Secret \"data\":{",
        "default login a password ",
        "a:1:a:a",
    ] {
        let text = |bytes: usize| piece.repeat(bytes / piece.len());
        let (short, long) = (time(&text(4 << 10)), time(&text(16 << 10)));
        assert!(long < short * 8 + Duration::from_millis(20), "{piece:?}: {short:?}, then {long:?}");
    }
    // All secrets differ.
    let mut inventor = Inventor(5);
    let mut text = |bytes: usize| {
        (0..bytes / 64).map(|_| inventor.filled("A_TOKEN=<random> x<random:8> ").0).collect::<String>()
    };
    let (short, long) = (time(&text(4 << 10)), time(&text(16 << 10)));
    assert!(long < short * 8 + Duration::from_millis(20), "secrets: {short:?}, then {long:?}");
}

/// Returns the processor time of this thread.
fn processor_time() -> Duration {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().unwrap()
}

/// Returns pieces that form lines with secrets, valid and invalid.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("PASSWORD="),
        Just("--password "),
        Just("\"token\": \""),
        Just("'"),
        Just("\""),
        Just("\\"),
        Just("$"),
        Just("${"),
        Just("}"),
        Just("<"),
        Just(">"),
        Just(" -p"),
        Just("mysql -p"),
        Just("\n"),
        Just("://u:"),
        Just("@"),
        Just("Authorization: Bearer "),
        Just("ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
        Just("hunter2222"),
        Just("é"),
        Just("SECRET_1_PLACEHOLDER"),
        Just("_"),
        Just(" "),
        Just("-----BEGIN PRIVATE KEY-----"),
        Just("-----END "),
        Just("aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF"),
        Just("two words"),
        Just("&"),
        Just(";"),
        Just("curl -u a:"),
        Just("-a"),
    ];
    prop::collection::vec(prop_oneof![4 => piece.prop_map(str::to_owned), 1 => "\\PC{0,6}"], 0..12)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_returns_as_it_was(text in prop_oneof![pieces(), any::<String>()]) {
        let mut kept = Kept::new();
        let sent = redact(&text, &mut kept);
        prop_assert_eq!(restored(&sent, &kept), text);
    }

    #[test]
    fn a_known_secret_never_leaves(secret in "[a-z0-9'$ /é-]{4,20}", before in pieces(), after in pieces(), between in any::<String>()) {
        let text = format!("{before}{secret}{between}{secret}{after}");
        let mut kept = Kept::new();
        kept.know(&secret);
        let sent = redact(&text, &mut kept);
        prop_assert!(!sent.contains(&secret), "{}", sent);
        prop_assert_eq!(restored(&sent, &kept), text);
    }

    #[test]
    fn answers_never_panic(answer in prop_oneof![pieces(), any::<String>()]) {
        let mut kept = Kept::new();
        redact("PASSWORD='two words' TOKEN=abcd1234", &mut kept);
        restored(&answer, &kept);
    }
}
