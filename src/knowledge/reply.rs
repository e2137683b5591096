//! Interpretation of a program's reply when its parser is asked about an option: `cmd OPTION --zzznope`. Pure
//! functions.
//!
//! Parsers stop at the first unknown option or name all unknown ones. So a complaint about the option refutes it, and
//! a complaint about only the nonsense option after it shows that the option was accepted.

use askline_host::OptionName;

/// Maximum number of characters of a reply that are read; complaints come first.
const REPLY_MAX: usize = 8 << 10;

/// Words in messages about an unknown option.
const COMPLAINTS: [&str; 17] = [
    "unrecognized",
    "unrecognised",
    "unknown",
    "invalid",
    "illegal",
    "unexpected",
    "bad option",
    "bad flag",
    "not understood",
    "not supported",
    "not defined",
    "but not defined",
    "not recognized",
    "not recognised",
    "no such option",
    "is unknown",
    "unsupported",
];

/// Words in messages about a known option with a wrong value.
const OF_THE_VALUE: [&str; 9] = [
    "invalid argument",
    "invalid value",
    "requires",
    "missing",
    "doesn't allow",
    "does not allow",
    "expects",
    "needs",
    "takes no",
];

/// Reports whether the program accepts the option, according to its output; `None` if that is unclear.
pub(super) fn accepts(option: &str, printed: &str) -> Option<bool> {
    let printed: String = printed.chars().take(REPLY_MAX).map(plain_quote).collect();
    let mut taken = None;
    for line in printed.lines() {
        let lower = line.to_lowercase();
        let mentions = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let names_option = names(line, option);
        if names_option && mentions(&["ambiguous"]) {
            return None;
        }
        if names_option && mentions(&OF_THE_VALUE) && !mentions(&["option is", "options are"]) {
            return Some(true);
        }
        if !mentions(&COMPLAINTS) {
            continue;
        }
        if names_option {
            return Some(false);
        }
        if names(line, OptionName::REFUSED) {
            taken = Some(true);
        }
    }
    taken
}

fn plain_quote(c: char) -> char {
    match c {
        '‘' | '’' | '`' | '"' => '\'',
        other => other,
    }
}

/// Reports whether a complaint names the option: in full, without its dashes in quotes or at the end (Perl, git), or
/// a short one by its letter (`invalid option -- 'j'`).
fn names(line: &str, option: &str) -> bool {
    let bare = option.trim_start_matches('-');
    let is_short = bare.chars().count() == 1;
    let outside = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '-' || c == '_'));
    let whole = |text: &str| {
        line.match_indices(text).any(|(start, _)| {
            let before = line.get(..start).and_then(|before| before.chars().next_back());
            let after = line.get(start + text.len()..).and_then(|after| after.chars().next());
            outside(before) && outside(after)
        })
    };
    if whole(option) || line.contains(&format!("'{bare}'")) {
        return true;
    }
    let end = line.trim_end_matches(['.', ' ']);
    if is_short {
        return end.ends_with(&format!("-- {bare}")) || end.ends_with(&format!("character: {bare}"));
    }
    // Go's `flag` and others print one dash for any number of dashes.
    whole(&format!("-{bare}")) || end.ends_with(&format!(": {bare}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_real_parsers() {
        for (option, printed, expected) in [
            // getopt of GNU and BSD, BusyBox.
            ("--foo", "ls: unrecognized option '--foo'\nTry 'ls --help' for more information.", Some(false)),
            ("-a", "ls: unrecognized option '--zzznope'", Some(true)),
            ("-j", "ls: invalid option -- 'j'", Some(false)),
            ("-j", "ls: illegal option -- j\nusage: ls [-a]", Some(false)),
            ("-j", "ls: illegal option -- k", None),
            ("--sort", "ls: invalid argument ‘--zzznope’ for ‘--sort’", Some(true)),
            ("-n", "head: invalid number of lines: ‘--zzznope’", Some(true)),
            ("--all", "ls: option '--all' doesn't allow an argument", Some(true)),
            ("--s", "ls: option '--s' is ambiguous; possibilities: '--size' '--sort'", None),
            ("-o", "sort: option requires an argument -- 'o'", Some(true)),
            // clap, argparse, Go, cobra, Perl, git, find, curl, jq, lsof, zip, apt.
            ("--foo", "error: unexpected argument '--foo' found", Some(false)),
            ("--hidden", "error: unexpected argument '--zzznope' found", Some(true)),
            ("--foo", "x: error: unrecognized arguments: --foo --zzznope", Some(false)),
            ("--foo", "flag provided but not defined: -foo", Some(false)),
            ("--foo", "unknown flag: --foo", Some(false)),
            ("-j", "unknown shorthand flag: 'j' in -j", Some(false)),
            ("--foo", "Unknown option: foo", Some(false)),
            ("--foo", "error: unknown option `foo'\nusage: git add", Some(false)),
            ("-j", "error: unknown switch `j'", Some(false)),
            ("--graph", "fatal: unrecognized argument: --zzznope", Some(true)),
            ("-nmae", "find: unknown predicate `-nmae'", Some(false)),
            ("--foo", "curl: option --foo: is unknown", Some(false)),
            ("-j", "lsof: illegal option character: j", Some(false)),
            ("--foo", "E: Command line option --foo is not understood in combination", Some(false)),
            // Unclear replies.
            ("--foo", "", None),
            ("--foo", "fatal: not a git repository", None),
            ("--foo", "usage: x [--foo] [--zzznope]", None),
            ("--foo", "x: unknown option --foobar", None),
            ("-a", "unknown: a thing that went wrong", None),
        ] {
            assert_eq!(accepts(option, printed), expected, "{option}: {printed}");
        }
    }

    #[test]
    fn no_text_makes_it_fail() {
        let long = "unknown é ".repeat(100_000);
        for printed in ["\0", "-", "--", "unknown --", "’’’", "unknown -- '", &long] {
            accepts("-é", printed);
            accepts("--a", printed);
        }
    }
}
