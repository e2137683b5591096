//! Tests of text commands and word expansion. The expected values were taken from the real programs.

use std::collections::BTreeMap;

use super::*;
use crate::tests::cpu_seconds;
use askline_syntax::shell::Shell::{Bash, Fish, Nu, Zsh};

/// Returns the output of a pipeline of unquoted words; `␣` replaces a blank in a word.
fn made(pipeline: &str, input: Option<&str>, shell: Shell) -> Option<String> {
    let steps: Vec<Vec<String>> = pipeline
        .split(" | ")
        .map(|step| step.split(' ').map(|word| word.replace('␣', " ")).collect())
        .collect();
    let steps: Vec<TextCommand<'_>> = steps
        .iter()
        .enumerate()
        .map(|(at, words)| TextCommand { words, input: input.filter(|_| at == 0) })
        .collect();
    output(&steps, shell)
}

#[test]
fn text_makers_print() {
    for (pipeline, printed) in [
        ("echo rm -rf ~", "rm -rf ~\n"),
        ("echo -n a", "a"),
        ("echo -e a\\x62\\0143\\n", "abc\n\n"),
        ("echo a\\n", "a\\n\n"),
        ("printf \\162\\155\\40\\55\\162\\146\\40\\176", "rm -rf ~"),
        ("printf %s%s r m", "rm"),
        ("printf %s\\n a b", "a\nb\n"),
        ("printf %b r\\155", "rm"),
        ("printf %b r\\0155", "rm"),
        ("printf %x-%d-%% 255 0x10", "ff-16-%"),
        ("printf \\x72m", "rm"),
        ("echo ~␣fr-␣mr | rev", "rm -rf ~\n"),
        ("echo ez␣-es␣~ | tr ezs rmf", "rm -rf ~\n"),
        ("echo cm␣-es␣~ | tr a-z n-za-m", "pz -rf ~\n"),
        ("echo a-b-c | tr -d -", "abc\n"),
        ("echo RM | tr [:upper:] [:lower:]", "rm\n"),
        ("echo aab | tr -s a", "ab\n"),
        ("echo r1m2 | tr -cd a-z\\n", "rm\n"),
        ("echo cm0gLXJmIH4K | base64 -d", "rm -rf ~\n"),
        ("echo cm0gLXJmIH4K | base64 --decode", "rm -rf ~\n"),
        ("echo cm0gLXJmIH4K | base64 -D", "rm -rf ~\n"),
        ("echo cm0gLXJmIH4K | openssl base64 -d -A", "rm -rf ~\n"),
        ("echo cm0gLXJmIH4K | openssl enc -d -base64", "rm -rf ~\n"),
        ("echo OJWSALLSMYQH4CQ= | base32 -d", "rm -rf ~\n"),
        ("echo 726d202d7266207e | xxd -r -p", "rm -rf ~"),
        ("printf b\\na\\n | tac", "a\nb\n"),
        ("printf a\\nb\\nc\\n | head -n 1", "a\n"),
        ("printf a\\nb\\nc\\n | head -n -1", "a\nb\n"),
        ("printf a\\nb\\nc\\n | tail -1", "c\n"),
        ("printf a\\nb\\nc\\n | tail -n +2", "b\nc\n"),
        ("printf abc | tail -c 2", "bc"),
        ("echo xrmx | cut -c2-3", "rm\n"),
        ("echo a:rm:b | cut -d : -f 2", "rm\n"),
        ("echo sm | sed s/s/r/", "rm\n"),
        ("echo xx | sed -e s#x#rm#g", "rmrm\n"),
        ("command echo a | cat", "a\n"),
        ("\\echo a", "a\n"),
    ] {
        assert_eq!(made(pipeline, None, Bash).as_deref(), Some(printed), "{pipeline}");
    }
    for (pipeline, input, printed) in [
        ("base64 -d", "cm0gLXJmIH4K\n", "rm -rf ~\n"),
        ("cat", "rm\n", "rm\n"),
        ("cat - | rev", "mr\n", "rm\n"),
    ] {
        assert_eq!(made(pipeline, Some(input), Bash).as_deref(), Some(printed), "{pipeline}");
    }
    assert_eq!(made("print -rn r\\m", None, Zsh).as_deref(), Some("r\\m"));
    assert_eq!(made("echo r\\x6d", None, Zsh).as_deref(), Some("rm\n"));
    assert_eq!(made("echo -s r m", None, Fish).as_deref(), Some("rm\n"));
    assert_eq!(made("string join - a b", None, Fish).as_deref(), Some("a-b\n"));
    assert_eq!(made("echo sm | string replace s r", None, Fish).as_deref(), Some("rm\n"));
    assert_eq!(made("str reverse", Some("fr- mr"), Nu).as_deref(), Some("rm -rf"));
    assert_eq!(made("str␣reverse", Some("mr"), Nu).as_deref(), Some("rm"));
    assert_eq!(made("decode base64 | decode utf-8", Some("cm0="), Nu).as_deref(), Some("rm"));
    assert_eq!(made("split chars | reverse | str join", Some("mr"), Nu).as_deref(), Some("rm"));
    assert_eq!(made("str substring 1..2", Some("xrmx"), Nu).as_deref(), Some("rm"));
}

#[test]
fn gzip_is_unpacked() {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(b"rm -rf ~\n").unwrap();
    let packed = packed.finish().unwrap();
    assert_eq!(makers::run("gzip", &["-d"], Some(packed.clone()), Bash).unwrap(), b"rm -rf ~\n");
    assert_eq!(makers::run("gunzip", &[], Some(packed[..9].to_vec()), Bash), None);
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    bomb.write_all(&vec![b'a'; 4 << 20]).unwrap();
    let bomb = bomb.finish().unwrap();
    assert_eq!(run(&["zcat".to_owned()], Some(bomb), Bash).map(|out| out.len()), Some(BYTES_MAX + 1));
}

#[test]
fn what_is_not_known_is_not_guessed() {
    for pipeline in [
        "cat file",
        "echo a | sh",
        "echo a | sed s/[a]/b/",
        "echo a | base64 -d file",
        "rev",
        "echo !!! | base64 -d",
        "echo ///+ | base64 -d",
        "curl x",
        "printf %99999999d 1",
        "printf -v x a",
        "echo a | gzip -d",
        "echo a | xxd -r",
        "print a",
    ] {
        assert_eq!(made(pipeline, None, Bash), None, "{pipeline}");
    }
}

fn value(text: &str, shell: Shell) -> Option<String> {
    let known =
        [("x", "mr"), ("a", "r"), ("b", "m"), ("path", "/usr/bin/rm.sh"), ("name", "x"), ("empty", "")];
    let variables: BTreeMap<String, String> =
        known.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    expand(text, &variables, shell)
}

#[test]
fn words_of_known_parts() {
    for (text, known) in [
        ("rm", "rm"),
        ("r'm'", "rm"),
        ("r\"\"m", "rm"),
        ("r\\m", "rm"),
        ("$'\\x72\\155'", "rm"),
        ("$'\\u0072m'", "rm"),
        ("$a$b", "rm"),
        ("\"$a${b} x\"", "rm x"),
        ("${x:1:1}${x:0:1}", "rm"),
        ("${x: -1}", "r"),
        ("${path##*/}", "rm.sh"),
        ("${path%.sh}", "/usr/bin/rm"),
        ("${path%/*}", "/usr/bin"),
        ("${path#/usr}", "/bin/rm.sh"),
        ("${x/m/q}", "qr"),
        ("${path//r/R}", "/usR/bin/Rm.sh"),
        ("${x^^}", "MR"),
        ("${x@U}", "MR"),
        ("${x^}", "Mr"),
        ("${#x}", "2"),
        ("${!name}", "mr"),
        ("${unset:-rm}", "rm"),
        ("${empty:-rm}", "rm"),
        ("${empty-rm}", ""),
        ("${x:+rm}", "rm"),
        ("$(echo rm)", "rm"),
        ("`printf rm`", "rm"),
        ("$(echo mr | rev)", "rm"),
        ("$(rev <<< mr)", "rm"),
        ("$(echo $(echo r))m", "rm"),
        ("\"$(printf '\\162m')\"", "rm"),
        ("~/x", "~/x"),
    ] {
        assert_eq!(value(text, Bash).as_deref(), Some(known), "{text}");
    }
    assert_eq!(value("${(U)x}", Zsh).as_deref(), Some("MR"));
    assert_eq!(value("${:-rm}", Zsh).as_deref(), Some("rm"));
    assert_eq!(value("(echo rm)", Fish).as_deref(), Some("rm"));
    assert_eq!(value("$a\\x6d", Fish).as_deref(), Some("rm"));
    assert_eq!(value("'a\\'b'", Fish).as_deref(), Some("a'b"));
    assert_eq!(value("$a", Nu).as_deref(), Some("r"));
    assert_eq!(value("(\"fr- mr\" | str reverse)", Nu).as_deref(), Some("rm -rf"));
    assert_eq!(value("$\"($a)m\"", Nu).as_deref(), Some("rm"));
    assert_eq!(value("([r m] | str join)", Nu).as_deref(), Some("rm"));
    for (text, known) in [
        (r#""a\"b""#, "a\"b"),
        (r#""a\nb\u{72}""#, "a\nbr"),
        ("r#'it's'#", "it's"),
        (r"'a\nb'", r"a\nb"),
        (r#"$"a\n($a)\(""#, "a\nr("),
        ("['a b', `c`]", "a b\nc"),
        ("(echo 'm)r' | str reverse)", "r)m"),
    ] {
        assert_eq!(value(text, Nu).as_deref(), Some(known), "{text}");
    }
}

#[test]
fn words_that_are_not_known() {
    for text in [
        "$y",
        "${y}",
        "${EDITOR:-vi}",
        "${y:1}",
        "$(whoami)",
        "$(cat x)",
        "$(echo a; echo b)",
        "$((1+1))",
        "{a,b}",
        "${x@P}",
        "${x/*/a}",
        "\"open",
        "$'open",
        "$(open",
        "a b",
        "$1",
        "$@",
    ] {
        assert_eq!(value(text, Bash), None, "{text}");
    }
    assert_eq!(value("$x[1]", Zsh), None);
    assert_eq!(value("(http get x)", Nu), None);
    for text in [r#""\x72m""#, "'a' + 'b'", "(a) (b)", "('r'; 'm')", "['r' | 'm']", "$'a", "'a' 'b'"] {
        assert_eq!(value(text, Nu), None, "{text}");
    }
}

#[test]
fn nesting_and_growth_are_bounded() {
    let deep = format!("{}rm{}", "$(echo ".repeat(2000), ")".repeat(2000));
    assert_eq!(value(&deep, Bash), None);
    let wide = "$(echo rm)".repeat(5000);
    assert_eq!(value(&wide, Bash), None);
    let deep = format!("{}\"a\"{}", "(".repeat(3000), ")".repeat(3000));
    assert_eq!(value(&deep, Nu), None);
    let words = ["printf".to_owned(), "%s".to_owned(), "a".repeat(BYTES_MAX + 1)];
    assert_eq!(output(&[TextCommand { words: &words, input: None }], Bash), None);
}

#[test]
fn time_grows_with_the_word_alone() {
    for piece in
        ["$a", "\"", "$(echo ", "`echo a` ", "${x:-", "${x%m*r}", "(", "\\", "[a ", "a | str reverse "]
    {
        let took = |count: usize| {
            let text = piece.repeat(count / piece.len());
            let before = cpu_seconds();
            for shell in Shell::ALL {
                let _ = value(&text, shell);
                let _ = value(&format!("({text})"), shell);
            }
            cpu_seconds() - before
        };
        took(1_000);
        let (one, two) = (took(8_000), took(16_000));
        assert!(two < one * 8.0 + 0.2, "{piece}: {one:.3} s, then {two:.3} s");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_gives_an_answer(text in ".{0,80}", odd in "[$({)}`'\"\\\\ax:#%/|^,0-9 ]{0,60}") {
        for shell in Shell::ALL {
            for text in [&text, &odd] {
                let _ = value(text, shell);
                let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
                let _ = output(&[TextCommand { words: &words, input: Some("a b\nc") }], shell);
            }
        }
    }

    #[test]
    fn any_arguments_give_an_answer(
        name in "(echo|printf|tr|head|tail|cut|sed|base64|xxd|openssl|rev|tac|gzip|print)",
        words in proptest::collection::vec("[-a-z0-9%\\\\\\[\\]:.,/+]{0,12}", 0..5),
        input in ".{0,60}",
    ) {
        let all: Vec<String> = std::iter::once(name).chain(words).collect();
        for shell in [Bash, Zsh, Fish] {
            let _ = output(&[TextCommand { words: &all, input: Some(&input) }], shell);
        }
    }
}
