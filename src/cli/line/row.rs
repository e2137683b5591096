//! The words on the status row, cut to its width.

use std::time::Duration;

use unicode_width::UnicodeWidthStr as _;

use crate::clean::visible;
use crate::patience::Stage;

/// Shortest time between two pictures of the spinner.
pub(super) const FRAME: Duration = Duration::from_millis(100);
/// Most characters of a message that are looked at; far more than a row holds.
const MESSAGE_LIMIT: usize = 4096;

/// The characters a terminal's encoding allows.
#[derive(Debug)]
pub(super) struct Glyphs {
    spinner: &'static [&'static str],
    ellipsis: &'static str,
    dash: &'static str,
    ascii_only: bool,
}

impl Glyphs {
    /// For UTF-8 locales.
    pub(super) const UNICODE: Self = Self {
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
        ellipsis: "…",
        dash: "—",
        ascii_only: false,
    };
    /// For all others.
    pub(super) const ASCII: Self =
        Self { spinner: &["|", "/", "-", "\\"], ellipsis: "...", dash: "-", ascii_only: true };

    /// The row while work goes on, at most `columns` wide.
    pub(super) fn working(&self, stage: Stage, elapsed: Duration, columns: usize) -> String {
        let frame = usize::try_from(elapsed.as_millis() / FRAME.as_millis()).unwrap_or(0);
        let spinner = self.spinner[frame % self.spinner.len()];
        let seconds = elapsed.as_secs();
        let stage = stage.words();
        self.fit(&format!("{spinner} {stage} {seconds} s {} Esc keeps your line", self.dash), columns)
    }

    /// The row that says why there is no answer, at most `columns` wide. What to do stays readable when the reason is
    /// cut, unless that leaves the reason less than half of the row.
    pub(super) fn failed(&self, reason: &str, columns: usize) -> String {
        let remedy = format!(" {} press any key", self.dash);
        let room = columns.saturating_sub(remedy.width());
        if room <= columns / 2 {
            return self.fit(reason, columns);
        }
        self.fit(reason, room) + &remedy
    }

    /// The row that says what is to know about an answer, at most `columns` wide.
    pub(super) fn noted(&self, notes: &[String], columns: usize) -> String {
        self.fit(&format!("note: {}", notes.join("; ")), columns)
    }

    /// The reason as a line for terminals on which no row can be drawn; the terminal may wrap it.
    pub(super) fn told(&self, reason: &str) -> String {
        self.fit(&format!("askline: {reason}"), MESSAGE_LIMIT)
    }

    /// Makes untrusted text one safe row of at most `columns`: whitespace of all kinds becomes single spaces, what
    /// doesn't fit an ellipsis.
    fn fit(&self, text: &str, columns: usize) -> String {
        let start: String = text.chars().take(MESSAGE_LIMIT).collect();
        let text = visible(&start.split_whitespace().collect::<Vec<_>>().join(" "));
        let text = if self.ascii_only { text.replace(|c: char| !c.is_ascii(), "?") } else { text };
        if text.width() <= columns {
            return text;
        }
        let Some(room) = columns.checked_sub(self.ellipsis.width()) else { return String::new() };
        let mut row = String::new();
        for c in text.chars() {
            let kept = row.len();
            row.push(c);
            if room < row.width() {
                row.truncate(kept);
                break;
            }
        }
        row + self.ellipsis
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit() {
        for (text, columns, expected) in [
            ("no model", 20, "no model"),
            ("no model", 8, "no model"),
            ("no model", 7, "no mod…"),
            ("no model", 1, "…"),
            ("no model", 0, ""),
            ("two\nlines\t and  more", 40, "two lines and more"),
            ("日本語テキスト", 14, "日本語テキスト"),
            ("日本語テキスト", 8, "日本語…"),
            ("日本語テキスト", 9, "日本語テ…"),
        ] {
            assert_eq!(Glyphs::UNICODE.fit(text, columns), expected);
        }
        assert_eq!(Glyphs::ASCII.fit("naïve — 日本", 20), "na?ve ? ??");
        assert_eq!(Glyphs::ASCII.fit("no model", 7), "no m...");
    }

    #[test]
    fn the_remedy_outlives_a_long_reason() {
        let row = Glyphs::UNICODE.failed(&"long ".repeat(50), 40);
        assert!(row.ends_with("… — press any key"), "{row}");
        assert_eq!(row.width(), 40);
        assert_eq!(Glyphs::UNICODE.failed("no model is installed", 12), "no model is…");
    }

    #[test]
    fn notes_share_the_row() {
        let notes = ["a dash made a hyphen".to_owned(), "2 lines".to_owned()];
        assert_eq!(Glyphs::UNICODE.noted(&notes, 60), "note: a dash made a hyphen; 2 lines");
        assert_eq!(Glyphs::ASCII.noted(&notes, 14), "note: a das...");
    }

    #[test]
    fn the_working_row_counts_seconds() {
        let row = Glyphs::ASCII.working(Stage::Thinking, Duration::from_millis(3250), 79);
        assert_eq!(row, "| thinking 3 s - Esc keeps your line");
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_wide_or_dangerous(text: String, columns in 0usize..200) {
            for glyphs in [&Glyphs::UNICODE, &Glyphs::ASCII] {
                for row in [glyphs.fit(&text, columns), glyphs.failed(&text, columns)] {
                    proptest::prop_assert!(row.width() <= columns);
                    proptest::prop_assert!(!row.chars().any(char::is_control));
                }
            }
        }
    }
}
