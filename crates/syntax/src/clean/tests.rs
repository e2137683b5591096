//! Tests for accepted, corrected and refused text: examples, our payload set and the naughty strings as data, and
//! properties of any text.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

/// Characters that Unicode 14 classifies as control, format, separator, private-use, default-ignorable or
/// noncharacter, from another implementation's tables. Our rules must cover them.
const HIDDEN: &[(u32, u32)] = &[
    (0x0, 0x20),
    (0x7F, 0xA0),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x378, 0x379),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x8E2, 0x8E2),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xE000, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x13430, 0x13438),
    (0x1BCA0, 0x1BCA3),
    (0x1CFFF, 0x1CFFF),
    (0x1D173, 0x1D17A),
    (0x1FFFE, 0x1FFFF),
    (0x2FFFE, 0x2FFFF),
    (0x3FFFE, 0x3FFFF),
    (0x4FFFE, 0x4FFFF),
    (0xDFFFE, 0xE0FFF),
    (0xEFFFE, 0x10FFFF),
];

fn cleaned(text: &str) -> Cleaned {
    cleaned_for(Shell::Bash, text)
}

fn cleaned_for(shell: Shell, text: &str) -> Cleaned {
    clean(text, shell).unwrap_or_else(|why| panic!("{text:?} was refused: {why}"))
}

fn untouched(text: &str) {
    let cleaned = cleaned(text);
    assert_eq!(cleaned.text.as_str(), text);
    assert_eq!(cleaned.changes, [""; 0], "{text:?}");
    assert_eq!(cleaned.warnings, [""; 0], "{text:?}");
    assert_eq!(visible(text), text);
}

fn mended(text: &str, expected: &str, note: &str) {
    let cleaned = cleaned(text);
    assert_eq!(cleaned.text.as_str(), expected, "{text:?}");
    assert!(cleaned.changes.iter().any(|change| change.contains(note)), "{text:?}: {:?}", cleaned.changes);
}

fn warned(text: &str, warning: &str) {
    let cleaned = cleaned(text);
    assert_eq!(cleaned.text.as_str(), text);
    assert!(cleaned.warnings.iter().any(|w| w.contains(warning)), "{text:?}: {:?}", cleaned.warnings);
}

fn refused(text: &str, why: &str) {
    let reason = clean(text, Shell::Bash).expect_err(text);
    assert!(reason.contains(why), "{text:?}: {reason}");
}

#[test]
fn ordinary_text_of_any_language_is_untouched() {
    for text in [
        "ls -la",
        "echo 'naïve café' | tr a-z A-Z",
        "mkdir 日本語 'プロジェクト'",
        "echo 'すごい！（本当）'",
        "touch 报告：最终版.txt",
        "grep -r 'Привет, мир' .",
        "grep Ελληνικά файл.txt",
        "echo 'می\u{200C}خواهم'",
        "echo 'क्\u{200D}ष' 'हिन्दी'",
        "echo 'שָׁלוֹם'",
        "echo 'ประเทศไทยที่'",
        "echo 한국어 cafe\u{301}",
        "git commit -m '🎉 ship it ❤\u{FE0F} 👨\u{200D}👩\u{200D}👧 👍🏽 1\u{FE0F}\u{20E3}'",
        "printf '%s – %s\\n' a b",
        "echo don’t 1990–1995",
        "echo п\u{2BC}ять",
        "mkdir 東京〜大阪 （仮）",
        "touch œuvre æble þar weiß",
        "echo 🫠 5×3 €20 20°",
        "echo \"he said “hi”\"",
        "cat 'file – copy.txt'",
        "curl -sS https://user@example.com:8080/a?b=c#d",
        "find . -name '*.py' -exec sed -i 's/a/b/' {} +",
        " ls # kept as typed",
    ] {
        untouched(text);
    }
}

#[test]
fn typography_is_mended_and_told() {
    mended("ls –la", "ls -la", "dash");
    mended("rm —force x", "rm --force x", "dash");
    mended("rm —r x", "rm -r x", "dash");
    mended("find . –name '*.rs' –print", "find . -name '*.rs' -print", "dash");
    mended("ls −l –‑all", "ls -l --all", "dash");
    mended("rm \u{2D7}rf x", "rm -rf x", "dash");
    mended("rm \u{2796}\u{2043}force x", "rm --force x", "dash");
    mended("grep ‘a b’ f", "grep 'a b' f", "curly");
    mended("git commit -m “it’s done – really”", "git commit -m \"it’s done – really\"", "curly");
    mended("grep ‘don’t go’ f", "grep 'don’t go' f", "curly");
    mended("grep --regexp=”x y” f", "grep --regexp=\"x y\" f", "curly");
    mended("git clone https://github．com/a/b", "git clone https://github.com/a/b", "full-width");
    mended("ls｜wc　-l".replace('\u{3000}', " ").as_str(), "ls|wc -l", "full-width");
    mended("a\r\nb", "a\nb", "CR LF");
    mended("ls\t-l", "ls -l", "tabs");
    mended(&format!("ls{}; rm -rf x", " ".repeat(400)), "ls ; rm -rf x", "400 blanks");
    mended(&format!("ls{}; rm -rf x", "\t".repeat(99)), "ls ; rm -rf x", "99 blanks");
}

#[test]
fn what_stands_for_an_earlier_command_is_quoted() {
    for (shell, text, expected) in [
        (Shell::Bash, r#"echo "build done!!""#, r#"echo "build done"'!!'"#),
        (Shell::Bash, r#"echo "Hi!! there""#, r#"echo "Hi"'!!'" there""#),
        (Shell::Bash, r#"echo $(echo "a!b")"#, r#"echo $(echo "a"'!'"b")"#),
        (Shell::Bash, "echo wow!!|cat", r"echo wow\!\!|cat"),
        (Shell::Bash, r#"echo "$(echo hi!!)""#, r#"echo "$(echo hi\!\!)""#),
        (Shell::Bash, "true && !false", r"true && \!false"),
        (Shell::Zsh, r#"echo "one!""#, r#"echo "one"'!'"#),
        (Shell::Zsh, "ls [!a]*", "ls [^a]*"),
        (Shell::Zsh, "ls # wow!!", r"ls # wow\!\!"),
    ] {
        let cleaned = cleaned_for(shell, text);
        assert_eq!(cleaned.text.as_str(), expected);
        assert_eq!((cleaned.changes.len(), cleaned.warnings.len()), (1, 0), "{cleaned:?}");
    }
}

#[test]
fn an_earlier_command_with_a_change_is_refused() {
    for shell in [Shell::Bash, Shell::Zsh] {
        for text in ["^old^new", "^old^new^", " ^old^new^:G", "^old", "\n^old^new\nls"] {
            let why = clean(text, shell).expect_err(text);
            assert!(why.contains("begins with `^`"), "{text:?}: {why}");
        }
        for text in
            [r"\^old^new", "true; ^old^new", "grep '^old' file", "'^a' b", "ls\n^old^new", "git show HEAD^"]
        {
            assert_eq!(cleaned_for(shell, text).text.as_str(), text);
        }
    }
    for shell in [Shell::Fish, Shell::Nu] {
        assert_eq!(cleaned_for(shell, "^ls -l").text.as_str(), "^ls -l", "Nushell's way to call a program");
    }
}

#[test]
fn where_an_earlier_command_can_not_be_kept_out_is_warned_about() {
    for (shell, text) in [
        (Shell::Bash, "cat <<E\nwow!!\nE"),
        (Shell::Bash, r#"echo "${x:-wow!!}""#),
        (Shell::Bash, "echo `echo wow!!`"),
        (Shell::Bash, r#"echo "$(echo 'a!!')""#),
        (Shell::Zsh, r#"echo "$!""#),
    ] {
        let cleaned = cleaned_for(shell, text);
        assert_eq!((cleaned.text.as_str(), cleaned.changes.len()), (text, 0));
        assert!(cleaned.warnings.iter().any(|warning| warning.contains("earlier command")), "{text}");
    }
}

#[test]
fn a_mark_that_no_shell_replaces_is_untouched() {
    for text in [
        "[ ! -f x ]",
        "find . ! -name x",
        "if ! cmd; then a; fi",
        "[ a != b ]",
        "kill $!",
        "echo 'a!!'",
        "! grep x f",
        r"echo hi\!\!",
        r"find . \! -name x",
        "a!",
        "echo $'a!!'",
    ] {
        untouched(text);
        assert_eq!(cleaned_for(Shell::Zsh, text).text.as_str(), text);
    }
    for text in ["echo ${!var}", "echo ${#!}", "ls [!a]*", r#"echo "one!""#, r#"echo "$!:x""#, "ls # wow!!"] {
        untouched(text);
    }
    for shell in [Shell::Fish, Shell::Nu] {
        assert_eq!(cleaned_for(shell, r#"echo "a!!""#).changes, [""; 0]);
    }
}

#[test]
fn quotes_are_read_as_the_shell_reads_them() {
    let text = r"echo 'it\'s –x' –n";
    assert_eq!(cleaned_for(Shell::Fish, text).text.as_str(), r"echo 'it\'s –x' -n");
    let text = r"ls 'C:\' –l";
    assert_eq!(cleaned_for(Shell::Nu, text).text.as_str(), r"ls 'C:\' -l");
}

#[test]
fn breaking_typography_is_left_alone() {
    // As straight quotes these would quote a different text.
    for text in ["echo ‘a'b’", "echo “a\\”", "echo ‘a", "echo a’ b", "echo “a\nb”"] {
        assert_eq!(cleaned(text).text.as_str(), text);
    }
    assert_eq!(cleaned("cat <<E\n–x “y”\nE").changes, [""; 0]);
}

#[test]
fn what_may_be_honest_is_warned_about() {
    warned("curl https://g\u{43E}ogle.com", "looks like `google`");
    warned("\u{441}\u{440} a b", "looks like `cp`");
    warned("ls ж\u{43E}ogle", "two scripts");
    warned("curl 'https://例え.jp/x'", "the host");
    warned("curl https://example.com\u{2215}evil.net", "U+2215");
    warned("ssh xn--nstall-2xe.example.com", "coded form");
    warned("curl https://github.com@evil.example/", "goes to `evil.example`");
    warned("ls\u{37E} rm x", "looks like `;`");
    warned("ls \u{1C0} sh", "looks like `|`");
    warned("cd \u{2025}", "looks like `..`");
    warned("cd \u{2025}/\u{2025}", "looks like `..`");
    warned("\u{2BC}ls", "looks like `'`");
    warned("ls\u{2BC} x", "looks like `'`");
    warned("git\u{2D7}status", "looks like `-`");
    warned("apt–get install x", "looks like `-`");
    warned("l\u{2FFF}s", "the command's name holds `\u{2FFF}` (U+2FFF)");
    warned("true; l\u{2FFF}s", "the command's name holds");
    warned("𝗋𝗆 -rf x", "looks like `rm`");
    warned("\u{217C}s x", "looks like `ls`");
    warned("cat a\u{2571}b", "looks like `/`");
    warned("ls\nrm -rf x", "spans 2 lines");
    warned(&"a".repeat(501), "501 characters");
    warned(&format!("echo '{}; rm x'", " ".repeat(99)), "99 blanks");
    warned(&format!("echo {}{}", "$(".repeat(20), ")".repeat(20)), "20 deep");
}

#[test]
fn what_must_not_pass_is_refused_by_name() {
    refused("ls \u{1B}[2J", "the escape character (U+001B) at character 4");
    refused("a\rb", "control");
    refused("a\u{7F}", "delete");
    refused("a\u{9B}m", "upper range");
    refused("a\u{202E}b", "direction");
    refused("l\u{200D}s", "joiner");
    refused("l\u{FE0F}s", "variation");
    refused("❤\u{FE0F}\u{FE0F}", "variation");
    refused("1\u{FE0F}", "variation");
    refused("\u{301}ls", "combining");
    refused("ls \u{301}", "combining");
    refused("a\u{301}\u{302}\u{303}\u{304}\u{305}", "combining");
    refused("🏴\u{E0067}\u{E007F}", "tag");
    refused("", "empty");
    refused("\n \n", "empty");
    refused(&"a".repeat(CHARS_MAX + 1), "longer than");
    refused(&"a\n".repeat(LINES_MAX + 1), "more than 100 lines");
}

#[test]
fn unusual_spaces_pass_inside_the_quotes_of_a_name_that_exists() {
    let exists = |name: &str| ["a\u{3000}b", "9.41\u{202F}AM.png", "a\u{A0}b"].contains(&name);
    for (shell, text) in [
        (Shell::Bash, "rm 'a\u{3000}b'"),
        (Shell::Zsh, "open \"9.41\u{202F}AM.png\" && rm 'a\u{A0}b'"),
        (Shell::Fish, "cat < 'a\u{A0}b'"),
        (Shell::Nu, "^rm 'a\u{A0}b'"),
    ] {
        let cleaned = clean_with_names(text, shell, &exists).unwrap_or_else(|why| panic!("{text:?}: {why}"));
        assert_eq!((cleaned.text.as_str(), cleaned.changes.len()), (text, 0));
        assert!(cleaned.warnings.iter().all(|warning| warning.contains("a name in it holds")), "{cleaned:?}");
        assert!(!cleaned.warnings.is_empty() && clean(text, shell).is_err());
    }
    for text in [
        "rm 'a\u{3000}c'",
        "rm a\u{3000}b",
        "rm a\u{A0}'b'",
        "rm '' a\u{A0}b",
        "ls # 'a\u{A0}b'",
        "rm 'a\u{A0}b' \u{A0}",
        "rm 'a\u{200B}b'",
        "cat <<E\n'a\u{A0}b'\nE",
    ] {
        assert!(clean_with_names(text, Shell::Bash, &exists).is_err(), "{text:?}");
    }
}

#[test]
fn unusual_spaces_of_a_line_that_passed_stay_behind_a_guard() {
    let exists = |name: &str| name == "a\u{A0}b";
    let passed = clean_with_names("rm 'a\u{A0}b'", Shell::Bash, &exists).unwrap().text;
    let guarded = clean_made_of("# rm 'a\u{A0}b'", Shell::Bash, &passed).unwrap();
    assert_eq!(guarded.text.as_str(), "# rm 'a\u{A0}b'");
    assert!(clean_made_of("# rm 'a\u{3000}b'", Shell::Bash, &passed).is_err());
    assert!(clean_made_of("# rm \u{200B}", Shell::Bash, &passed).is_err());
}

#[test]
fn words_as_typed_keep_their_spaces_and_hide_nothing() {
    for words in ["list\u{a0}files", "größer als\u{3000}1 MB"] {
        assert_eq!(as_typed(words).unwrap().as_str(), words);
    }
    for hiding in ["list\u{200b}files", "ls\u{1b}[2J", "a\u{202e}b"] {
        assert!(as_typed(hiding).is_none(), "{hiding:?}");
    }
}

#[test]
fn every_hidden_character_is_refused_between_letters() {
    for c in HIDDEN.iter().flat_map(|(first, last)| *first..=*last).filter_map(char::from_u32) {
        if matches!(c, ' ' | '\n' | '\t') {
            continue;
        }
        let text = format!("l{c}s");
        assert!(clean(&text, Shell::Bash).is_err(), "U+{:04X} passed", u32::from(c));
        assert!(!visible(&text).contains(c), "U+{:04X} shown", u32::from(c));
    }
}

#[test]
fn visible_escapes_and_keeps_line_breaks() {
    assert_eq!(visible("a\u{1B}[8m\tb\r\nc\u{202E}"), "a\\u{1b}[8m\\tb\\r\nc\\u{202e}");
    assert_eq!(visible("日本語 👍🏽"), "日本語 👍🏽");
}

/// Our own payload set: each row is handled as its `must` field requires.
#[test]
fn hiding_payloads() {
    #[derive(Deserialize)]
    struct Row {
        id: String,
        text: String,
        must: String,
    }
    let rows = include_str!("../../tests/data/hiding_payloads.jsonl").lines();
    for row in rows.map(|line| serde_json::from_str::<Row>(line).unwrap()) {
        let told = |cleaned: &Cleaned| !cleaned.changes.is_empty() || !cleaned.warnings.is_empty();
        let outcome = clean(&row.text, Shell::Bash);
        let handled = match row.must.as_str() {
            "reject" => outcome.is_err(),
            "warn or fix" => outcome.as_ref().is_ok_and(told),
            "flag or refuse over the limit" => outcome.as_ref().map_or(true, told),
            "keep as one visible edit, never run; flag extra commands" => {
                let trimmed = row.text.trim_end_matches('\n');
                outcome.as_ref().is_ok_and(|cleaned| {
                    cleaned.text.as_str() == trimmed
                        && (!trimmed.contains('\n') || !cleaned.warnings.is_empty())
                })
            }
            other => panic!("{}: unknown `must`: {other}", row.id),
        };
        assert!(handled, "{}: {} but {outcome:?}", row.id, row.must);
        assert!(!visible(&row.text).chars().any(|c| c.is_control() && c != '\n'), "{}", row.id);
    }
}

/// The Big List of Naughty Strings (MIT, license beside the file): no failure, no silent change.
#[test]
fn naughty_strings() {
    let strings: Vec<String> = serde_json::from_str(include_str!("../../tests/data/blns/blns.json")).unwrap();
    for text in strings {
        Shell::ALL.iter().for_each(|shell| holds(&text, *shell).unwrap());
    }
}

/// Checks the properties guaranteed for any text.
fn holds(text: &str, shell: Shell) -> Result<(), TestCaseError> {
    let shown = visible(text);
    prop_assert_eq!(&visible(&shown), &shown);
    prop_assert!(characters::refused(&shown).next().is_none());
    let Ok(first) = clean(text, shell) else { return Ok(()) };
    let line = first.text.as_str();
    prop_assert!(!line.is_empty());
    prop_assert!(characters::refused(line).next().is_none());
    prop_assert_eq!(visible(line), line);
    prop_assert!(line == text.trim_matches('\n') || !first.changes.is_empty(), "{:?} changed silently", text);
    let again = cleaned_for(shell, line);
    prop_assert_eq!(again.text.as_str(), line);
    prop_assert_eq!(again.changes, [""; 0]);
    prop_assert_eq!(again.warnings, first.warnings);
    Ok(())
}

/// Generates text from pieces that are special to this module.
fn nasty() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a", "b ", " ", "\n", "\r\n", "\t", "-", "–", "—", "‘", "’", "“", "”", "'", "\"", "`", "\\", "$",
        "(", ")", "#", "<<E\n", "E", "ｆ", "．", "｜", "＂", "＃", "＜", "－", "日", "！", "!", "!!", "[",
        "]", "{", "}", "о", "://", "@", "é", "\u{301}", "❤", "\u{FE0F}", "\u{200D}", "👩", "می", "\u{200C}",
        "=", ";",
    ];
    let blanks = Just(" ".repeat(BLANKS_MAX + 1));
    let piece = prop_oneof![40 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => blanks];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text(text in any::<String>()) {
        Shell::ALL.iter().try_for_each(|shell| holds(&text, *shell))?;
    }

    #[test]
    fn nasty_text(text in nasty()) {
        Shell::ALL.iter().try_for_each(|shell| holds(&text, *shell))?;
    }

    #[test]
    fn printable_ascii_is_untouched(text in "[!-~]([ -~]{0,20}[!-~]){0,8}") {
        let cleaned = cleaned_for(Shell::Fish, &text);
        prop_assert_eq!(cleaned.text.as_str(), &text);
    }
}

#[test]
fn a_cut_text_says_so() {
    for (text, most, expected) in [("", 0, ""), ("äb", 2, "äb"), ("äbc", 2, "äb…"), ("a", 0, "…")] {
        assert_eq!(shortened(text, most), expected);
    }
    assert_eq!(one_line("a\nb\u{1b}"), "a b\\u{1b}");
}
