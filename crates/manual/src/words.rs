//! Small helpers shared by pages and help texts: first sentence, version, option style.

use super::{Manual, OptionDoc, OptionStyle};

/// Returns the start of a text, at most `n_bytes` bytes.
pub(super) fn beginning(text: &str, n_bytes: usize) -> &str {
    let mut end = text.len().min(n_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Returns a text in one line, with runs of blanks reduced to one.
pub(super) fn single_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Returns the first sentence of a description, at most [`OptionDoc::TEXT_MAX`] characters, cut between words.
pub(super) fn first_sentence(text: &str) -> String {
    let mut line = String::new();
    let mut n_chars = 0;
    for word in text.split_whitespace().take(OptionDoc::TEXT_MAX) {
        let length = word.chars().count() + usize::from(!line.is_empty());
        if n_chars + length > OptionDoc::TEXT_MAX {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        n_chars += length;
        let abbreviation = matches!(word.trim_start_matches('('), "e.g." | "i.e." | "etc." | "vs." | "cf.");
        let ends = word.ends_with('.') && word.chars().count() > 3 && !abbreviation;
        if ends && !word.ends_with("...") {
            line.pop();
            break;
        }
    }
    line.chars().filter(|c| !c.is_control()).collect()
}

/// Returns the version named in a short text: the first word of digits and dots.
pub(super) fn version_in(text: &str) -> Option<String> {
    let words = || text.split_whitespace().map(|word| word.trim_matches(['(', ')', ',', ';', ':', '"']));
    let version = |word: &str, n_dots: usize| {
        let word = word.strip_prefix(['v', 'V']).unwrap_or(word).trim_end_matches('.');
        let plausible = (1..=32).contains(&word.len())
            && word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '~' | '_'));
        let digits =
            word.split('.').take_while(|part| part.starts_with(|c: char| c.is_ascii_digit())).count();
        (plausible && digits > n_dots).then(|| word.to_owned())
    };
    words().find_map(|word| version(word, 1)).or_else(|| {
        // A version with a single number, such as `systemd 252`, must be the last word.
        words().next_back().filter(|word| word.len() <= 4).and_then(|word| version(word, 0))
    })
}

/// Returns the spelling style of a command's options, derived from the options themselves.
pub(super) fn style_of(manual: &Manual) -> OptionStyle {
    if manual.subcommands.len() >= 2 {
        return OptionStyle::Subcommands;
    }
    let names =
        || manual.options.iter().flat_map(|doc| doc.names.iter()).filter(|name| name.starts_with('-'));
    let single = names().filter(|name| !name.starts_with("--") && name.chars().count() == 2).count();
    let long_dash = names().filter(|name| !name.starts_with("--") && name.chars().count() > 2).count();
    let long = names().filter(|name| name.starts_with("--")).count();
    if long_dash > 3 && long_dash * 2 >= single && long_dash * 2 >= long {
        OptionStyle::LongDash
    } else {
        OptionStyle::Getopt
    }
}
