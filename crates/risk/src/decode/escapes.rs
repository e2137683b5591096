//! Decoder of backslash escapes as in `echo -e`, `printf`, `$'…'` and fish.

/// Dialect of backslash escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeStyle {
    /// `echo -e`: octal with a leading zero.
    Echo,
    /// `printf %b`: octal with or without a leading zero.
    Argument,
    /// `printf`'s format: octal with any digit.
    Printf,
    /// `$'…'`.
    Ansi,
    /// fish outside quotes: an escaped other character is literal.
    Fish,
}

/// Decodes escapes into bytes. The flag is `true` if `\c` ended the text.
pub(super) fn decode(text: &str, style: EscapeStyle) -> (Vec<u8>, bool) {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(at).unwrap_or((rest, ""));
        bytes.extend_from_slice(before.as_bytes());
        let Some((letter, after)) = split_first(escape.get(1..).unwrap_or_default()) else {
            bytes.push(b'\\');
            return (bytes, false);
        };
        rest = after;
        match letter {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            '\\' => bytes.push(b'\\'),
            '\'' | '"' | '?' if !matches!(style, EscapeStyle::Echo | EscapeStyle::Argument) => {
                bytes.push(letter as u8)
            }
            'c' if style != EscapeStyle::Ansi && style != EscapeStyle::Fish => return (bytes, true),
            'c' => {
                if let Some((letter, after)) = split_first(rest) {
                    bytes.push((u32::from(letter) & 0x1f) as u8);
                    rest = after;
                }
            }
            'x' | 'X' => number(&mut bytes, &mut rest, 16, 2, letter, false),
            'u' => number(&mut bytes, &mut rest, 16, 4, letter, true),
            'U' => number(&mut bytes, &mut rest, 16, 8, letter, true),
            '0' if matches!(style, EscapeStyle::Echo | EscapeStyle::Argument) => {
                // `\0` without digits is the NUL character.
                if !rest.starts_with(|c: char| c.is_digit(8)) {
                    bytes.push(0);
                } else {
                    number(&mut bytes, &mut rest, 8, 3, letter, false);
                }
            }
            '0'..='7' if style != EscapeStyle::Echo => {
                rest = escape.get(1..).unwrap_or_default();
                number(&mut bytes, &mut rest, 8, 3, letter, false);
            }
            _ => {
                if style != EscapeStyle::Fish {
                    bytes.push(b'\\');
                }
                bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    (bytes, false)
}

fn split_first(text: &str) -> Option<(char, &str)> {
    let first = text.chars().next()?;
    Some((first, text.get(first.len_utf8()..).unwrap_or_default()))
}

/// Parses up to `digits` digits at the head of `rest` and adds their byte or character; without digits adds the escape
/// unchanged.
fn number(bytes: &mut Vec<u8>, rest: &mut &str, radix: u32, digits: usize, letter: char, character: bool) {
    let braced = rest.strip_prefix('{').filter(|_| radix == 16);
    let source = braced.unwrap_or(rest);
    let limit = if braced.is_some() { 8 } else { digits };
    let count = source.chars().take(limit).take_while(|c| c.is_digit(radix)).count();
    let (number, after) = source.split_at_checked(count).unwrap_or((source, ""));
    let Ok(code) = u32::from_str_radix(number, radix) else {
        bytes.push(b'\\');
        bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    };
    *rest = if braced.is_some() { after.strip_prefix('}').unwrap_or(after) } else { after };
    match char::from_u32(code).filter(|_| character) {
        Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => bytes.push((code & 0xff) as u8),
    }
}
