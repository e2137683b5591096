//! Table of the characters refused on a prompt line, and the few places where one of them is allowed.

use unicode_width::UnicodeWidthChar;

/// Maximum number of combining marks on a letter. UTS #39, section 5.4, sets this limit; no living language needs
/// more, and long runs of marks cover neighbouring lines.
const MAX_MARKS: usize = 4;

const VARIATION: &str = "a variation selector";
const JOINER: &str = "an invisible joiner";
const MARKS: &str = "a combining mark without a letter or one too many";

/// Refused ranges: first, last, description. Sorted. They cover controls, spaces and line breaks other than blank
/// and newline, format characters without a glyph, fillers, and code points that are no characters.
const REFUSED: &[(u32, u32, &str)] = &[
    (0x0000, 0x0009, "a control character"),
    (0x000B, 0x001A, "a control character"),
    (0x001B, 0x001B, "the escape character"),
    (0x001C, 0x001F, "a control character"),
    (0x007F, 0x007F, "the delete character"),
    (0x0080, 0x009F, "a control character of the upper range"),
    (0x00A0, 0x00A0, "a no-break space"),
    (0x00AD, 0x00AD, "a soft hyphen"),
    (0x034F, 0x034F, "an invisible grapheme joiner"),
    (0x061C, 0x061C, "a text direction control"),
    (0x115F, 0x1160, "an invisible Hangul filler"),
    (0x1680, 0x1680, "an unusual space"),
    (0x17B4, 0x17B5, "an invisible Khmer vowel"),
    (0x180B, 0x180F, "an invisible Mongolian selector"),
    (0x2000, 0x200A, "an unusual space"),
    (0x200B, 0x200B, "a zero-width space"),
    (0x200C, 0x200D, JOINER),
    (0x200E, 0x200F, "a text direction control"),
    (0x2028, 0x2029, "a line separator"),
    (0x202A, 0x202E, "a text direction control"),
    (0x202F, 0x202F, "a narrow no-break space"),
    (0x205F, 0x205F, "an unusual space"),
    (0x2060, 0x2065, "an invisible operator"),
    (0x2066, 0x2069, "a text direction control"),
    (0x206A, 0x206F, "a deprecated format character"),
    (0x2800, 0x2800, "a blank Braille pattern"),
    (0x3000, 0x3000, "an ideographic space"),
    (0x3164, 0x3164, "an invisible Hangul filler"),
    (0xD800, 0xDFFF, "half a character"),
    (0xE000, 0xF8FF, "a private-use character"),
    (0xFDD0, 0xFDEF, "a code point that is no character"),
    (0xFE00, 0xFE0F, VARIATION),
    (0xFEFF, 0xFEFF, "a byte order mark"),
    (0xFFA0, 0xFFA0, "an invisible Hangul filler"),
    (0xFFF0, 0xFFF8, "an unassigned code point"),
    (0xFFF9, 0xFFFB, "an interlinear annotation"),
    (0xFFFC, 0xFFFC, "an object placeholder"),
    (0xFFFD, 0xFFFD, "the mark of a character that was lost"),
    (0xFFFE, 0xFFFF, "a code point that is no character"),
    (0x13430, 0x1343F, "a hieroglyph format control"),
    (0x16FE4, 0x16FE4, "an invisible Khitan filler"),
    (0x1BCA0, 0x1BCA3, "a shorthand format control"),
    (0x1D159, 0x1D159, "an invisible musical symbol"),
    (0x1D173, 0x1D17A, "a musical format control"),
    (0x1FFFE, 0x1FFFF, "a code point that is no character"),
    (0x2FFFE, 0x2FFFF, "a code point that is no character"),
    (0x3FFFE, 0xDFFFF, "an unassigned code point"),
    (0xE0000, 0xE00FF, "an invisible tag"),
    (0xE0100, 0xE01EF, VARIATION),
    (0xE01F0, 0xEFFFF, "an unassigned code point"),
    (0xF0000, 0x10FFFF, "a private-use character"),
];

/// Emoji ranges (Extended_Pictographic, in round ranges).
const EMOJI: &[(u32, u32)] = &[
    (0x00A9, 0x00A9),
    (0x00AE, 0x00AE),
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2194, 0x21AA),
    (0x231A, 0x23FF),
    (0x24C2, 0x24C2),
    (0x25AA, 0x25FE),
    (0x2600, 0x27BF),
    (0x2934, 0x2935),
    (0x2B05, 0x2B55),
    (0x3030, 0x3030),
    (0x303D, 0x303D),
    (0x3297, 0x3299),
    (0x1F000, 0x1FAFF),
];

/// Scripts whose words need U+200C or U+200D: Arabic (Persian, Urdu) and the Indic blocks.
const JOINING: &[(u32, u32)] = &[(0x0620, 0x06FF), (0x0750, 0x077F), (0x08A0, 0x08FF), (0x0900, 0x0DFF)];

/// Returns every refused character: its index in characters from 0, the character, and its description.
pub(super) fn refused(text: &str) -> impl Iterator<Item = (usize, char, &'static str)> {
    let mut before = None;
    let mut marks = 0_usize;
    let mut chars = text.chars().enumerate().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, c) = chars.next()?;
            let after = chars.peek().map(|(_, c)| *c);
            marks = if c.width() == Some(0) && c != '\n' { marks + 1 } else { 0 };
            let fault = fault(before, c, after, marks);
            // A mark after a refused character has no base letter.
            before = if fault.is_some() { None } else { Some(c) };
            if let Some(what) = fault {
                return Some((at, c, what));
            }
        }
    })
}

fn fault(before: Option<char>, c: char, after: Option<char>, marks: usize) -> Option<&'static str> {
    if c == '\n' || (' '..='~').contains(&c) {
        return None;
    }
    if let Some(what) = listed(c) {
        return match c {
            '\u{FE0E}' | '\u{FE0F}' if before.is_some_and(|b| takes_selector(b, after)) => None,
            '\u{200D}' if before.is_some_and(ends_emoji) && after.is_some_and(is_emoji) => None,
            '\u{200C}' | '\u{200D}' if before.is_some_and(joins) && after.is_some_and(joins) => None,
            _ => Some(what),
        };
    }
    let alone = before.is_none_or(char::is_whitespace);
    (0 < marks && (alone || MAX_MARKS < marks)).then_some(MARKS)
}

fn listed(c: char) -> Option<&'static str> {
    let code = u32::from(c);
    let at = REFUSED.partition_point(|(_, last, _)| *last < code);
    REFUSED.get(at).filter(|(first, ..)| *first <= code).map(|(.., what)| *what)
}

/// Reports whether `base` may take a variation selector: an emoji, or the `1` of a keycap (digit, selector,
/// U+20E3).
fn takes_selector(base: char, after: Option<char>) -> bool {
    is_emoji(base) || (matches!(base, '0'..='9' | '#' | '*') && after == Some('\u{20E3}'))
}

fn ends_emoji(c: char) -> bool {
    is_emoji(c) || c == '\u{FE0F}'
}

fn is_emoji(c: char) -> bool {
    within(EMOJI, c)
}

fn joins(c: char) -> bool {
    within(JOINING, c)
}

/// Reports whether one of the ranges contains the character.
pub(super) fn within(ranges: &[(u32, u32)], c: char) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
}
