//! Tests of path classes.

use super::*;
use crate::tests::cpu_seconds;
use askline_syntax as syntax;
use askline_syntax::shell::Shell::{Bash, Nu};

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

/// Words of `tests/data/place.toml`, listed under what they must be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    scope: BTreeMap<String, HashMap<Scope, Vec<String>>>,
    kind: BTreeMap<String, BTreeMap<PathKind, Vec<String>>>,
    private: BTreeMap<String, Vec<String>>,
}

#[test]
fn words_are_what_they_must_be() {
    let words: Words = toml::from_str(include_str!("../../tests/data/place.toml")).unwrap();
    let mut wrong = Vec::new();
    let mut check = |word: &str, found: String, expected: String| {
        wrong.extend((found != expected).then(|| format!("{word}: {found}, not {expected}")));
    };
    for (shell, scopes) in &words.scope {
        for (scope, words) in scopes {
            for word in words {
                check(word, format!("{:?}", of(word, shell.parse().unwrap()).scope), format!("{scope:?}"));
            }
        }
    }
    for (shell, kinds) in &words.kind {
        for (kind, words) in kinds {
            for word in words {
                check(word, format!("{:?}", of(word, shell.parse().unwrap()).kind), format!("{kind:?}"));
            }
        }
    }
    for (private, words) in &words.private {
        words.iter().for_each(|word| check(word, named(word).private.to_string(), private.clone()));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn where_it_lies() {
    let place = of("~/projects/x", Bash);
    assert!(place.in_home && place.path == "~/projects/x", "{place:?}");
    let place = of("/home/me/projects", Bash);
    assert!(place.in_home && place.path == "/home/me/projects", "{place:?}");
    assert_eq!(of("../../x", Bash).path, "../../x");
    for word in ["/mnt/disk", "/mnt/disk/*", "/mnt/disk/x", "/Volumes/Disk", "/media/me/Disk"] {
        assert!(of(word, Bash).outside, "{word}");
    }
    assert!(of("*.bak", Bash).glob);
    assert!(!of("a.bak", Bash).glob);
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
fn a_list_is_private_if_a_part_is() {
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
            let before = cpu_seconds();
            for shell in Shell::ALL {
                let _ = path(
                    &Word { span: 0..0, text: text.clone(), literal: false, quoted: false, glob: true },
                    shell,
                );
            }
            cpu_seconds() - before
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
