//! The characters refused on a prompt line, and the few places where one of them is allowed.

use icu_properties::props::{
    BidiClass, DefaultIgnorableCodePoint, EmojiModifier, ExtendedPictographic, GeneralCategory,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_width::UnicodeWidthChar;

/// Maximum number of combining marks on a letter. UTS #39, section 5.4, sets this limit; no living language needs
/// more, and long runs of marks cover neighbouring lines.
const MARKS_MAX: usize = 4;

const VARIATION: &str = "a variation selector";
const JOINER: &str = "an invisible joiner";
const MARKS: &str = "a combining mark without a letter or one too many";

/// Names of characters that people meet, for messages; others are named by their category. Ranges, sorted.
const NAMES: &[(u32, u32, &str)] = &[
    (0x001B, 0x001B, "the escape character"),
    (0x007F, 0x007F, "the delete character"),
    (0x0080, 0x009F, "a control character of the upper range"),
    (0x00A0, 0x00A0, "a no-break space"),
    (0x00AD, 0x00AD, "a soft hyphen"),
    (0x034F, 0x034F, "an invisible grapheme joiner"),
    (0x061C, 0x061C, "a text direction control"),
    (0x115F, 0x1160, "an invisible Hangul filler"),
    (0x180B, 0x180F, "an invisible Mongolian selector"),
    (0x200B, 0x200B, "a zero-width space"),
    (0x200C, 0x200D, JOINER),
    (0x200E, 0x200F, "a text direction control"),
    (0x202A, 0x202E, "a text direction control"),
    (0x202F, 0x202F, "a narrow no-break space"),
    (0x2060, 0x2065, "an invisible operator"),
    (0x2066, 0x2069, "a text direction control"),
    (0x3000, 0x3000, "an ideographic space"),
    (0x3164, 0x3164, "an invisible Hangul filler"),
    (0xFE00, 0xFE0F, VARIATION),
    (0xFEFF, 0xFEFF, "a byte order mark"),
    (0xFFA0, 0xFFA0, "an invisible Hangul filler"),
    (0xE0000, 0xE00FF, "an invisible tag"),
    (0xE0100, 0xE01EF, VARIATION),
];

/// Characters without a look that no property tells apart.
const BLANK: &[(char, &str)] = &[
    ('\u{2800}', "a blank Braille pattern"),
    ('\u{FFFC}', "an object placeholder"),
    ('\u{FFFD}', "the mark of a character that was lost"),
    ('\u{16FE4}', "an invisible Khitan filler"),
    ('\u{1D159}', "an invisible musical symbol"),
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
    if let Some(what) = hidden(c) {
        return match c {
            '\u{FE0E}' | '\u{FE0F}' if before.is_some_and(|b| takes_selector(b, after)) => None,
            '\u{200D}' if before.is_some_and(ends_emoji) && after.is_some_and(is_emoji) => None,
            '\u{200C}' | '\u{200D}' if before.is_some_and(joins) && after.is_some_and(joins) => None,
            _ => Some(what),
        };
    }
    let alone = before.is_none_or(char::is_whitespace);
    (0 < marks && (alone || MARKS_MAX < marks)).then_some(MARKS)
}

/// Returns the description of a character that has no look of its own: by its category and properties in Unicode.
fn hidden(c: char) -> Option<&'static str> {
    let named = || {
        let code = u32::from(c);
        let at = NAMES.partition_point(|(_, last, _)| *last < code);
        NAMES.get(at).filter(|(first, ..)| *first <= code).map(|(.., what)| *what)
    };
    let what = match category(c) {
        GeneralCategory::Control => "a control character",
        GeneralCategory::Format => "a format character",
        GeneralCategory::PrivateUse => "a private-use character",
        GeneralCategory::SpaceSeparator => "an unusual space",
        GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => "a line separator",
        // The emoji of the next years have their places already.
        GeneralCategory::Unassigned if !is_emoji(c) => "an unassigned code point",
        _ if CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c) => "an invisible character",
        _ => return BLANK.iter().find(|(blank, _)| *blank == c).map(|(_, what)| *what),
    };
    Some(named().unwrap_or(what))
}

/// Returns the general category of a character.
pub(super) fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

/// Reports whether a character is no combining mark and of no script that is written from right to left.
pub(super) fn stands_alone(c: char) -> bool {
    let is_mark = matches!(
        category(c),
        GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark
    );
    let direction = CodePointMapData::<BidiClass>::new().get(c);
    !is_mark && !matches!(direction, BidiClass::RightToLeft | BidiClass::ArabicLetter)
}

/// Reports whether a character is a space other than the blank: it has a width, and a name may contain it.
pub(super) fn is_space(c: char) -> bool {
    c != ' ' && category(c) == GeneralCategory::SpaceSeparator
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
    CodePointSetData::new::<ExtendedPictographic>().contains(c)
        || CodePointSetData::new::<EmojiModifier>().contains(c)
}

fn joins(c: char) -> bool {
    within(JOINING, c)
}

/// Reports whether one of the ranges contains the character.
pub(super) fn within(ranges: &[(u32, u32)], c: char) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
}
