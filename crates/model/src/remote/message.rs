//! One-line messages about a failed server: the cause, then the remedy.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use askline_syntax::clean::visible;

/// Maximum width of a message, in columns. With the entry point's prefix it fits a line of 120.
pub(super) const MESSAGE_COLUMNS: usize = 110;
/// Maximum width of a server or model name in it.
pub(super) const NAME_COLUMNS: usize = 36;

/// Returns "SOURCE: cause; remedy" on one line, safe to show. Only the cause and overlong names are cut; the
/// remedy stays whole up to half the width.
pub(super) fn message(source: &str, cause: &str, remedy: &str) -> String {
    let (source, remedy) = (short(source, NAME_COLUMNS), short(remedy, MESSAGE_COLUMNS / 2));
    let room = MESSAGE_COLUMNS.saturating_sub(source.width() + remedy.width() + ": ; ".len());
    format!("{source}: {}; {remedy}", short(cause, room))
}

/// Returns the text on one line, safe to show, cut to this many columns.
pub(super) fn short(text: &str, columns: usize) -> String {
    // A line needs no more, and a server may have sent much.
    let head: String = text.chars().take(4 * columns).collect();
    let row = visible(&head.split_whitespace().collect::<Vec<_>>().join(" "));
    if row.width() <= columns {
        return row;
    }
    let mut width = 1;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width <= columns
    };
    let mut cut: String = row.chars().take_while(fits).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_cause_is_cut_and_the_remedy_stays() {
        assert_eq!(message("team", "it is busy", "try again"), "team: it is busy; try again");
        let long = message("team", &"words ".repeat(100), "try again");
        assert!(
            long.starts_with("team: words ") && long.ends_with(" …; try again")
                || long.ends_with("…; try again")
        );
        assert_eq!(message("a\nb", "\u{1b}[31m red\u{202e}", "c"), "a b: \\u{1b}[31m red\\u{202e}; c");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_text_makes_one_safe_row(
            source in any::<String>(), cause in "(.|\\n|界|\u{1b}){0,300}", remedy in any::<String>()
        ) {
            let row = message(&source, &cause, &remedy);
            prop_assert!(row.width() <= MESSAGE_COLUMNS, "{row}");
            prop_assert!(!row.chars().any(char::is_control), "{row:?}");
        }
    }
}
