//! `askline offers`: the offers of the last key press as entries of a menu, for shells that have menus.
//!
//! Prints one JSON array of `{value, description, span}`. It is empty if there are no offers in this terminal or the
//! line has changed. The last entry is the user's own words. Asks no model: only known offers are listed.

use std::io::{self, Read as _};

use anyhow::Context as _;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::args::Offers;
use super::{Exit, line, one_line, print};
use crate::presses::{self, LineContent, Press};
use askline_host::Host as _;
use askline_host::local::LocalHost;
use askline_syntax::clean;

/// Maximum number of bytes of a line; a longer one cannot be an offer.
const LINE_LIMIT: u64 = 1 << 16;
/// Description of the entry with the user's words.
const WORDS: &str = "your words";
/// Width of the entry number in a menu row, in columns.
const NUMBER_COLUMNS: usize = 3;
/// Width of the gap between command and description, in columns.
const SEPARATOR_COLUMNS: usize = 3;

/// An entry in Nushell's format.
#[derive(Debug, Serialize)]
struct MenuEntry {
    value: String,
    description: String,
    /// Part that the entry replaces: the whole line.
    span: Span,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Span {
    start: usize,
    end: usize,
}

pub(super) fn run(args: &Offers) -> anyhow::Result<Exit> {
    let mut line = String::new();
    io::stdin().lock().take(LINE_LIMIT).read_to_string(&mut line).context("the line can't be read")?;
    let press_store = line::press_store(&LocalHost);
    let last = press_store.as_ref().and_then(|press_store| Some((press_store, press_store.last()?)));
    let entries = last.map_or_else(Vec::new, |(press_store, press)| {
        let line = whole(&press, &line, args.bytes);
        let place = presses::around(LocalHost.current_dir().as_deref(), None);
        if press.listed(line, args.shell).is_none() || !press.is_around(&place) {
            return Vec::new();
        }
        // The replaced part includes text that was not passed to us.
        let here = LocalHost.current_dir().unwrap_or_default();
        let exists = |name: &str| LocalHost.entry(&here.join(name)).is_some();
        let entries = entries(&press, args, line.len().max(args.bytes), &exists);
        // More may have been found since it was read.
        press_store.update(|now| (now.at == press.at).then_some(Press { place: LineContent::Any, ..now }));
        entries
    });
    print(&format!("{}\n", serde_json::to_string(&entries)?))?;
    Ok(Exit::Done)
}

/// Restores the whole line. Nushell passes only the text before a `!` that its history expansion would take; the
/// missing part comes from the text of `press` with the same start and length.
fn whole<'a>(press: &'a Press, start: &'a str, bytes: usize) -> &'a str {
    let texts = press.offers.iter().map(|offer| &offer.command).chain([&press.words]);
    // The cursor position gives the length, and is on the last character in vi's normal mode.
    let on_last = |text: &str| text.char_indices().next_back().map(|(at, _)| at);
    let is_as_long = |text: &str| text.len() == bytes || on_last(text) == Some(bytes);
    let goes_on = |text: &&String| {
        is_as_long(text) && text.strip_prefix(start).is_some_and(|rest| rest.starts_with('!'))
    };
    texts.filter(|_| start.len() <= bytes).find(goes_on).map_or(start, String::as_str)
}

/// Returns the entries of a menu. As in the check of an answer, a quoted name for which `exists` is true may hold
/// unusual spaces.
fn entries(press: &Press, args: &Offers, bytes: usize, exists: &dyn Fn(&str) -> bool) -> Vec<MenuEntry> {
    let span = Span { start: 0, end: bytes };
    let offers = press.offers.iter().filter_map(|offer| {
        let cleaned = clean::clean_with_names(&offer.command, args.shell, exists).ok()?;
        let value = cleaned.text.as_str().to_owned();
        let description = fit(&one_line(&offer.about), &value, args.columns);
        Some(MenuEntry { value, description, span })
    });
    let words = clean::as_typed(&press.words).filter(|words| !words.as_str().trim().is_empty());
    let words = words.map(|words| MenuEntry {
        value: words.as_str().to_owned(),
        description: WORDS.to_owned(),
        span,
    });
    offers.chain(words).collect()
}

/// Shortens a description to the room that its command leaves on its rows, because menus reserve no others. The risk
/// label is always kept.
fn fit(about: &str, value: &str, columns: usize) -> String {
    const ELLIPSIS: &str = "...";
    let columns = columns.saturating_sub(NUMBER_COLUMNS).max(1);
    let width = value.lines().next().unwrap_or_default().width();
    let room = (width.div_ceil(columns).max(1) * columns).saturating_sub(width + SEPARATOR_COLUMNS);
    if about.width() <= room {
        return about.to_owned();
    }
    let label = about.split([':', ';']).next().unwrap_or_default();
    let mut cut = String::new();
    for c in about.chars() {
        if room < cut.width() + c.width().unwrap_or(0) + ELLIPSIS.len() {
            break;
        }
        cut.push(c);
    }
    if cut.len() <= label.len() + 1 { label.to_owned() } else { cut + ELLIPSIS }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presses::Offer;
    use askline_syntax::shell::Shell;

    fn press(words: &str, commands: &[&str]) -> Press {
        let offer = |command: &&str| Offer {
            command: (*command).to_owned(),
            notes: Vec::new(),
            about: "Safe".to_owned(),
        };
        let press = Press::now(words, Shell::Nu, offer(&commands[0]));
        Press { offers: commands.iter().map(offer).collect(), ..press }
    }

    #[test]
    fn a_line_that_was_cut_at_its_exclamation_mark_is_known_again() {
        let press = press("say hi!", &["print hi!!", "print hi", "print ho!!"]);
        for (start, bytes, expected) in [
            ("print hi", 10, "print hi!!"),
            ("print hi", 8, "print hi"),
            ("print h", 8, "print h"),
            ("say hi", 7, "say hi!"),
            ("", 10, ""),
            ("print hi", 9, "print hi!!"),
            ("print hi", 11, "print hi"),
        ] {
            assert_eq!(whole(&press, start, bytes), expected, "{start} {bytes}");
        }
    }

    #[test]
    fn words_come_last_and_nothing_hidden_comes_at_all() {
        let args = Offers { shell: Shell::Nu, bytes: 9, columns: 80 };
        let texts = |words: &str, commands: &[&str]| {
            let entries = entries(&press(words, commands), &args, 9, &|name| name == "a\u{3000}b");
            entries.into_iter().map(|entry| entry.value).collect::<Vec<_>>()
        };
        assert_eq!(texts("list", &["ls", "ls -a"]), ["ls", "ls -a", "list"]);
        assert_eq!(texts("  ", &["ls \u{1b}[31m", "ls"]), ["ls"]);
        assert_eq!(texts("li\u{202e}st", &["ls"]), ["ls"]);
        // A name that exists, and one that does not.
        let spaced = ["open 'a\u{3000}b'", "open 'a\u{a0}b'", "open a\u{3000}b"];
        assert_eq!(texts("open it", &spaced), ["open 'a\u{3000}b'", "open it"]);
    }

    #[test]
    fn descriptions_fit_beside_their_commands() {
        let about = "!! Dangerous: deletes files below the home directory";
        let long = "x".repeat(70);
        for (value, columns, expected) in [
            ("rm -r a", 80, about),
            ("rm -r a", 43, "!! Dangerous: deletes files..."),
            ("rm -r a", 20, "!! Dangerous"),
            (long.as_str(), 80, "!! Dangerous"),
            ("rm -r a\nsecond row", 43, "!! Dangerous: deletes files..."),
            ("", 0, "!! Dangerous"),
        ] {
            let fitting = fit(about, value, columns);
            assert_eq!(fitting, expected, "{value} {columns}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_wide(about in "(!! )?\\PC{0,80}", value: String, columns in 30usize..200) {
            let fitting = fit(&about, &value, columns);
            let first = value.lines().next().unwrap_or_default().width();
            let rows = first.div_ceil(columns - NUMBER_COLUMNS).max(1);
            let label = about.split([':', ';']).next().unwrap_or_default();
            let fits = first + fitting.width() + SEPARATOR_COLUMNS <= rows * (columns - NUMBER_COLUMNS);
            proptest::prop_assert!(fits || fitting == label, "{fitting:?}");
        }
    }
}
