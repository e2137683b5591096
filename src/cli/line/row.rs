//! Text of the status row, cut to its width, and messages of a few rows.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use askline_model::request_control::Stage;
use askline_syntax::clean::visible;

/// Minimum time between two frames of the spinner.
pub(super) const FRAME: Duration = Duration::from_millis(100);
/// Maximum width of the name of the model or server.
const WHO_COLUMNS: usize = 32;
/// Minimum width for a draft.
const DRAFT_COLUMNS: usize = 10;
/// Maximum number of rows of a message.
const MESSAGE_ROWS: usize = 3;
/// Maximum number of rows of an explanation.
const EXPLANATION_ROWS: usize = 8;
/// Maximum number of characters of a message that are processed; more than fit on its rows.
const MESSAGE_LIMIT: usize = 1024;

/// Beginnings of notes about a risk, as [`askline_risk::Risk::note`] writes them.
const RISK_LABELS: [&str; 2] = ["!! Dangerous", "! Confirm"];

/// The characters that the terminal's encoding supports.
#[derive(Debug)]
pub(super) struct Glyphs {
    spinner: &'static [&'static str],
    ellipsis: &'static str,
    dash: &'static str,
    dot: &'static str,
    ascii_only: bool,
}

impl Glyphs {
    /// Characters for UTF-8 locales.
    pub(super) const UNICODE: Self = Self {
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
        ellipsis: "…",
        dash: "—",
        dot: "·",
        ascii_only: false,
    };
    /// Characters for all other locales.
    pub(super) const ASCII: Self =
        Self { spinner: &["|", "/", "-", "\\"], ellipsis: "...", dash: "-", dot: "-", ascii_only: true };

    /// Returns the status row during work, at most `columns` wide; `who` is the name of the model or server, if any, and
    /// `draft` is what it has written so far. It replaces the stage if there is room.
    pub(super) fn working(
        &self,
        (stage, elapsed): (Stage, Duration),
        who: &str,
        draft: &str,
        columns: usize,
    ) -> String {
        let frame = usize::try_from(elapsed.as_millis() / FRAME.as_millis()).unwrap_or(0);
        let spinner = self.spinner[frame % self.spinner.len()];
        let seconds = elapsed.as_secs();
        let who = match stage {
            Stage::Thinking if !who.is_empty() => format!(" {} {}", self.dot, self.fit(who, WHO_COLUMNS)),
            _ => String::new(),
        };
        let rest = format!("{who} {seconds} s {} {}", self.dash, stage.hint());
        let room = columns.saturating_sub(spinner.width() + 1 + rest.width());
        let draft = (stage == Stage::Thinking && DRAFT_COLUMNS <= room).then(|| self.fit(draft, room));
        let now = draft.as_deref().filter(|draft| !draft.is_empty()).unwrap_or(stage.words());
        self.fit(&format!("{spinner} {now}{rest}"), columns)
    }

    /// Returns the status row while an investigation looks around.
    pub(super) fn looking(&self, elapsed: Duration, columns: usize) -> String {
        let frame = usize::try_from(elapsed.as_millis() / FRAME.as_millis()).unwrap_or(0);
        let spinner = self.spinner[frame % self.spinner.len()];
        let seconds = elapsed.as_secs();
        self.fit(
            &format!("{spinner} looking {seconds} s {} Esc ends with what was found", self.dash),
            columns,
        )
    }

    /// Returns the row with an answer that is being typed; of a long one the end.
    pub(super) fn answer(&self, typed: &str, columns: usize) -> String {
        let typed = visible(typed);
        let skipped = typed.chars().count().saturating_sub(columns.saturating_sub(4));
        self.fit(&format!("> {}", typed.chars().skip(skipped).collect::<String>()), columns)
    }

    /// Returns a message as at most [`MESSAGE_ROWS`] rows of at most `columns`. In a longer one the cause is cut, not
    /// the remedy after its last semicolon. A risk label is never cut, however many rows it takes.
    pub(super) fn message(&self, text: &str, columns: usize) -> String {
        let label = risk_label(text);
        let text = format!("askline: {text}");
        let fits = |text: &str| Some(wrapped(text, columns)).filter(|rows| rows.len() <= MESSAGE_ROWS);
        let whole = (text.as_str(), String::new());
        let parts = text.rsplit_once("; ").filter(|_| label.is_empty());
        let remedied = parts.map(|(cause, remedy)| (cause, format!("; {}", self.safe(remedy))));
        for (cause, remedy) in remedied.into_iter().chain([whole]) {
            let mut start = self.safe(cause);
            if let Some(rows) = fits(&format!("{start}{remedy}")) {
                return rows.join("\n");
            }
            while start.pop().is_some() && start.contains(label) {
                if let Some(rows) = fits(&format!("{}{}{remedy}", start.trim_end(), self.ellipsis)) {
                    return rows.join("\n");
                }
            }
        }
        wrapped(label, columns).join("\n")
    }

    /// Returns an explanation as at most [`EXPLANATION_ROWS`] rows of at most `columns`; the end of a longer one is cut.
    pub(super) fn explanation(&self, text: &str, columns: usize) -> String {
        let (text, table) = text.split_once('\n').unwrap_or((text, ""));
        let mut rows = wrapped(&self.safe(&format!("askline: {text}")), columns);
        if !table.is_empty() {
            // Rows of a table keep their blanks, and what doesn't fit is cut: the first row says how many there are.
            let row = |row: &str| {
                let row = visible(row);
                let row = if self.ascii_only { row.replace(|c: char| !c.is_ascii(), "?") } else { row };
                self.cut(row.trim_end(), columns.saturating_sub(1))
            };
            rows.extend(table.lines().map(row));
            rows.truncate(EXPLANATION_ROWS);
            return rows.join("\n");
        }
        if rows.len() <= EXPLANATION_ROWS {
            return rows.join("\n");
        }
        rows.truncate(EXPLANATION_ROWS);
        if let Some(last) = rows.last_mut() {
            *last = self.fit(&format!("{last}{}", self.ellipsis.repeat(columns)), columns);
        }
        rows.join("\n")
    }

    /// Returns untrusted text without control characters: whitespace of all kinds becomes single spaces.
    fn safe(&self, text: &str) -> String {
        let start: String = text.chars().take(MESSAGE_LIMIT).collect();
        let text = visible(&start.split_whitespace().collect::<Vec<_>>().join(" "));
        if self.ascii_only { text.replace(|c: char| !c.is_ascii(), "?") } else { text }
    }

    /// Returns untrusted text as one safe row of at most `columns`, cut with an ellipsis if necessary.
    fn fit(&self, text: &str, columns: usize) -> String {
        self.cut(&self.safe(text), columns)
    }

    /// Returns a safe text cut to its width.
    fn cut(&self, text: &str, columns: usize) -> String {
        if text.width() <= columns {
            return text.to_owned();
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

/// Returns the risk label in the notes of a message; empty if there is none.
fn risk_label(text: &str) -> &'static str {
    let has = |label: &&str| text.split("; ").any(|note| note.starts_with(*label));
    RISK_LABELS.into_iter().find(has).unwrap_or_default()
}

/// Wraps safe text into rows of at most `columns`, broken at spaces if a word fits on a row. Uses at least one
/// column.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut width = 0;
    for word in text.split(' ') {
        let wide = word.width();
        if width + 1 + wide <= columns && 0 < width {
            rows.last_mut().into_iter().for_each(|row| row.push(' '));
            width += 1;
        } else if 0 < width {
            rows.push(String::new());
            width = 0;
        }
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if columns < width + wide && 0 < width {
                rows.push(String::new());
                width = 0;
            }
            rows.last_mut().into_iter().for_each(|row| row.push(c));
            width += wide;
        }
    }
    rows
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
    fn messages_take_a_few_rows_and_keep_their_remedy() {
        let check = |text: &str, columns, expected: &str| {
            assert_eq!(Glyphs::UNICODE.message(text, columns), expected, "{text}");
        };
        check("no model is installed", 79, "askline: no model is installed");
        check("no model is\ninstalled", 20, "askline: no model is\ninstalled");
        check("日本語日本語", 10, "askline:\n日本語日本\n語");
        let text = "the model's file is damaged and can't be read any longer; run `askline model pull`";
        check(
            text,
            30,
            "askline: the model's file is\ndamaged and can't be read any\nlon…; run `askline model pull`",
        );
        check(
            "a remedy; of far too many words for such a narrow place",
            12,
            "askline: a\nremedy; of\nfar too man…",
        );
        check("word", 1, "a\ns\n…");
        let long = Glyphs::ASCII.message(&format!("{}; run `askline doctor`", "cause ".repeat(500)), 79);
        assert!(long.ends_with("...; run `askline doctor`") && long.lines().count() == 3, "{long}");
    }

    #[test]
    fn an_explanation_is_cut_at_its_end() {
        let short = Glyphs::UNICODE.explanation("ls: list\ndirectory; -l: long", 20);
        assert_eq!(short, "askline: ls: list\ndirectory; -l: long");
        for columns in [3, 7, 30, 80] {
            let long = Glyphs::ASCII.explanation(&"! Confirm: deletes; rm: remove; ".repeat(60), columns);
            let rows: Vec<&str> = long.lines().collect();
            assert_eq!(rows.len(), EXPLANATION_ROWS, "{long}");
            assert!(rows.iter().all(|row| row.width() <= columns), "{columns}: {long}");
            assert!(long.ends_with("..."), "{long}");
        }
    }

    #[test]
    fn a_risk_label_is_never_cut() {
        let dangerous =
            "!! Dangerous: deletes every match below /var/log; curly quotes made straight; checked 2/2 flags";
        for (text, label) in [
            (dangerous, "!!Dangerous"),
            (
                "1 of 12; ! Confirm: overwrites two; another model answered, because the first is busy",
                "!Confirm",
            ),
            ("! Confirm", "!Confirm"),
        ] {
            for columns in 1..100 {
                for glyphs in [&Glyphs::UNICODE, &Glyphs::ASCII] {
                    let message = glyphs.message(text, columns);
                    let letters: String = message.split_whitespace().collect();
                    assert!(letters.contains(label), "{columns}: {message}");
                }
            }
        }
        let narrow = Glyphs::UNICODE.message(dangerous, 20);
        assert_eq!(narrow, "askline: !!\nDangerous: deletes\nevery match below /…");
    }

    #[test]
    fn the_working_row_counts_seconds() {
        let row = Glyphs::ASCII.working((Stage::Thinking, Duration::from_millis(3250)), "", "", 79);
        assert_eq!(row, "| thinking 3 s - Esc keeps your line");
        let row = |stage, who: &str| Glyphs::UNICODE.working((stage, Duration::ZERO), who, "", 79);
        let asked = "⠋ thinking · api.example.com 0 s — Esc keeps your line";
        assert_eq!(row(Stage::Thinking, "api.example.com"), asked);
        assert_eq!(row(Stage::Checking, "api.example.com"), "⠋ checking 0 s — Esc keeps your line");
        // However long the name is, the hint about keys remains.
        for who in ["x".repeat(300), "界".repeat(300), "\u{1b}[2J\n".repeat(9)] {
            let row = row(Stage::Thinking, &who);
            assert!(row.width() <= 79 && row.ends_with("Esc keeps your line"), "{row:?}");
            assert!(!row.chars().any(char::is_control), "{row:?}");
        }
    }

    #[test]
    fn a_draft_takes_the_place_of_the_stage_where_it_fits() {
        let row = |stage, draft: &str, columns| {
            Glyphs::UNICODE.working((stage, Duration::from_secs(1)), "local", draft, columns)
        };
        for (draft, columns, expected) in [
            ("find . -na", 79, "⠋ find . -na · local 1 s — Esc keeps your line"),
            ("find . -name '*.log' -delete", 56, "⠋ find . -name '*.log… · local 1 s — Esc keeps your line"),
            ("ls", 46, "⠋ ls · local 1 s — Esc keeps your line"),
            ("ls", 45, "⠋ thinking · local 1 s — Esc keeps your line"),
            ("", 79, "⠋ thinking · local 1 s — Esc keeps your line"),
            ("\u{1b}[2J\n", 79, "⠋ \\u{1b}[2J · local 1 s — Esc keeps your line"),
        ] {
            assert_eq!(row(Stage::Thinking, draft, columns), expected);
        }
        assert_eq!(row(Stage::Checking, "ls", 79), "⠋ checking 1 s — Esc keeps your line");
        assert_eq!(row(Stage::Comparing, "ls", 79), "⠋ comparing answers 1 s — Esc takes the first answer");
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_wide_or_dangerous(text: String, columns in 2usize..200) {
            for glyphs in [&Glyphs::UNICODE, &Glyphs::ASCII] {
                let message = glyphs.message(&text, columns);
                proptest::prop_assert!(message.lines().count() <= MESSAGE_ROWS);
                for row in message.lines().chain([glyphs.fit(&text, columns).as_str()]) {
                    proptest::prop_assert!(row.width() <= columns, "{row:?}");
                    proptest::prop_assert!(!row.chars().any(char::is_control));
                }
            }
        }
    }
}
