//! Text commands available in every shell.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::BYTES_MAX;
use super::escapes::{EscapeStyle, decode};
use askline_syntax::shell::Shell;

/// Returns the output of a command, or `None` if it is not supported or does more than transform text.
pub(super) fn run(name: &str, arguments: &[&str], input: Option<Vec<u8>>, shell: Shell) -> Option<Vec<u8>> {
    match name {
        "echo" => return Some(echo(arguments, shell)),
        "printf" => return printf(arguments),
        "print" => return print(arguments, shell),
        _ => {}
    }
    let input = input?;
    // GNU tools have a `g` prefix on macOS.
    let name = match name {
        "gzip" | "gunzip" => name,
        _ => name.strip_prefix('g').unwrap_or(name),
    };
    match name {
        "cat" => arguments.iter().all(|word| matches!(*word, "-" | "-u")).then_some(input),
        "rev" => arguments.is_empty().then(|| lines(&input, |line| line.chars().rev().collect()))?,
        "tac" => tac(arguments, &input),
        "base64" | "b64decode" => base64(arguments, &input, 6),
        "base32" => base64(arguments, &input, 5),
        "openssl" => openssl(arguments, &input),
        "xxd" => xxd(arguments, &input),
        "tr" => tr(arguments, &input),
        "head" | "tail" => ends(name == "head", arguments, &input),
        "cut" => cut(arguments, &input),
        "sed" => sed(arguments, &input),
        "gzip" | "gunzip" | "zcat" => gunzip(name, arguments, &input),
        _ => None,
    }
}

fn echo(arguments: &[&str], shell: Shell) -> Vec<u8> {
    let (mut newline, mut escapes, mut blank) = (true, shell.dialect().decodes_in_echo, " ");
    let mut words = arguments;
    let (letters, style) =
        if shell.is_fish() { ("neEs", EscapeStyle::Argument) } else { ("neE", EscapeStyle::Echo) };
    while !shell.is_nushell()
        && let Some((flag, rest)) = words.split_first()
        && let Some(flags) = flag.strip_prefix('-').filter(|flags| !flags.is_empty())
        && flags.chars().all(|c| letters.contains(c))
    {
        for flag in flags.chars() {
            match flag {
                'n' => newline = false,
                'e' => escapes = true,
                'E' => escapes = false,
                _ => blank = "",
            }
        }
        words = rest;
    }
    let text = words.join(blank);
    let (mut bytes, ended) = if escapes { decode(&text, style) } else { (text.into_bytes(), false) };
    if newline && !ended {
        bytes.push(b'\n');
    }
    bytes
}

/// Implements `print` of zsh and Nushell.
fn print(arguments: &[&str], shell: Shell) -> Option<Vec<u8>> {
    let (mut newline, mut escapes, mut separator) = (true, shell.dialect().decodes_in_echo, " ");
    let mut words = arguments;
    while let Some((flag, rest)) = words.split_first()
        && let Some(flags) = flag.strip_prefix('-')
    {
        words = rest;
        if matches!(flags, "" | "-") {
            break;
        }
        for flag in flags.chars() {
            match flag {
                'n' => newline = false,
                'r' | 'R' => escapes = false,
                'l' => separator = "\n",
                _ => return None,
            }
        }
    }
    if !shell.dialect().has_print {
        return None;
    }
    let text = words.join(separator);
    let (mut bytes, ended) =
        if escapes { decode(&text, EscapeStyle::Echo) } else { (text.into_bytes(), false) };
    if newline && !ended {
        bytes.push(b'\n');
    }
    Some(bytes)
}

/// Implements `printf`: reuses the format while arguments remain.
fn printf(arguments: &[&str]) -> Option<Vec<u8>> {
    let arguments = arguments.strip_prefix(&["--"]).unwrap_or(arguments);
    let (format, arguments) = arguments.split_first()?;
    if format.starts_with('-') {
        return None;
    }
    let mut arguments = arguments.iter();
    let mut out = Vec::new();
    loop {
        let before = arguments.len();
        let mut rest = *format;
        while let Some((text, directive)) = rest.split_once('%') {
            let (bytes, ended) = decode(text, EscapeStyle::Printf);
            out.extend(bytes);
            if ended {
                return Some(out);
            }
            rest = directed(directive, &mut arguments, &mut out)?;
        }
        let (bytes, ended) = decode(rest, EscapeStyle::Printf);
        out.extend(bytes);
        if ended || arguments.len() == 0 || arguments.len() == before || out.len() > BYTES_MAX {
            return Some(out);
        }
    }
}

/// Formats one argument by the directive and returns the text after the directive.
fn directed<'a>(
    directive: &'a str,
    arguments: &mut std::slice::Iter<'_, &str>,
    out: &mut Vec<u8>,
) -> Option<&'a str> {
    let (precision, directive) = match directive.strip_prefix('.') {
        Some(rest) => {
            let digits = rest.chars().take_while(char::is_ascii_digit).count();
            let (digits, rest) = rest.split_at_checked(digits)?;
            (Some(digits.parse::<usize>().unwrap_or(0)), rest)
        }
        None => (None, directive),
    };
    let letter = directive.chars().next()?;
    let rest = directive.get(letter.len_utf8()..)?;
    if letter == '%' {
        out.push(b'%');
        return Some(rest);
    }
    let argument = arguments.next().copied().unwrap_or_default();
    let number = || {
        let text = argument.trim();
        match text.strip_prefix(['\'', '"']) {
            Some(character) => character.chars().next().map(|c| i64::from(u32::from(c))),
            None => match (text.strip_prefix("0x"), text.strip_prefix('0')) {
                (Some(hex), _) => i64::from_str_radix(hex, 16).ok(),
                (None, Some(octal)) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok(),
                _ if text.is_empty() => Some(0),
                _ => text.parse().ok(),
            },
        }
    };
    match letter {
        's' => {
            let text: String = argument.chars().take(precision.unwrap_or(usize::MAX)).collect();
            out.extend(text.into_bytes());
        }
        'b' => out.extend(decode(argument, EscapeStyle::Argument).0),
        'c' => out.extend(argument.chars().take(1).collect::<String>().into_bytes()),
        'd' | 'i' | 'u' => out.extend(number()?.to_string().into_bytes()),
        'x' => out.extend(format!("{:x}", number()?).into_bytes()),
        'X' => out.extend(format!("{:X}", number()?).into_bytes()),
        'o' => out.extend(format!("{:o}", number()?).into_bytes()),
        _ => return None,
    }
    Some(rest)
}

/// Transforms each line of the input.
fn lines(input: &[u8], change: impl Fn(&str) -> String) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(input).ok()?;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        out.push_str(&change(body));
        out.push_str(end);
    }
    Some(out.into_bytes())
}

fn tac(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(input).ok().filter(|_| arguments.is_empty())?;
    Some(text.split_inclusive('\n').rev().collect::<String>().into_bytes())
}

/// Decodes base64 (6 bits per letter) or base32 (5 bits); encoding is not supported.
pub(super) fn base64(arguments: &[&str], input: &[u8], bits: u32) -> Option<Vec<u8>> {
    let mut decodes = false;
    for word in arguments {
        match *word {
            "-d" | "-D" | "-di" | "-id" => decodes = true,
            "-i" | "--ignore-garbage" | "-" | "--break=0" => {}
            _ if word.len() > 2 && "--decode".starts_with(word) => decodes = true,
            _ => return None,
        }
    }
    if decodes { decode_bits(input, bits) } else { None }
}

fn decode_bits(input: &[u8], bits: u32) -> Option<Vec<u8>> {
    let value = |byte: u8| match (bits, byte) {
        (6, b'A'..=b'Z') => Some(byte - b'A'),
        (6, b'a'..=b'z') => Some(byte - b'a' + 26),
        (6, b'0'..=b'9') => Some(byte - b'0' + 52),
        (6, b'+' | b'-') => Some(62),
        (6, b'/' | b'_') => Some(63),
        (5, b'A'..=b'Z') => Some(byte - b'A'),
        (5, b'2'..=b'7') => Some(byte - b'2' + 26),
        _ => None,
    };
    let mut out = Vec::with_capacity(input.len());
    let (mut held, mut count) = (0u32, 0);
    for byte in input.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != b'=') {
        held = (held << bits | u32::from(value(*byte)?)) & 0xffff;
        count += bits;
        if count >= 8 {
            count -= 8;
            out.push((held >> count & 0xff) as u8);
        }
    }
    Some(out)
}

/// Implements `openssl base64 -d` and `openssl enc -d -a`.
fn openssl(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let (first, rest) = arguments.split_first()?;
    let all = ["-d", "-a", "-A", "-base64"];
    let coded =
        *first == "base64" || (*first == "enc" && (rest.contains(&"-a") || rest.contains(&"-base64")));
    let plain = rest.iter().all(|word| all.contains(word)) && rest.contains(&"-d");
    if coded && plain { decode_bits(input, 6) } else { None }
}

/// Implements `xxd -r -p`.
fn xxd(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let has = |names: &[&str]| arguments.iter().any(|word| names.contains(word));
    let both = has(&["-rp", "-pr"]);
    let known = ["-r", "-p", "-ps", "-plain", "-postscript", "-rp", "-pr", "-", "-revert"];
    let reverts = both || (has(&["-r", "-revert"]) && has(&["-p", "-ps", "-plain", "-postscript"]));
    if !reverts || !arguments.iter().all(|word| known.contains(word)) {
        return None;
    }
    hex(input)
}

/// Decodes hexadecimal digits; blanks are ignored.
pub(super) fn hex(input: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = input
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    Some(digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

fn tr(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let (mut deletes, mut squeezes, mut complement) = (false, false, false);
    let mut sets = Vec::new();
    for word in arguments {
        match word.strip_prefix('-').filter(|flags| sets.is_empty() && !flags.is_empty()) {
            Some("-") => {}
            Some(flags) => {
                for flag in flags.chars() {
                    match flag {
                        'd' => deletes = true,
                        's' => squeezes = true,
                        'c' | 'C' => complement = true,
                        _ => return None,
                    }
                }
            }
            None => sets.push(set(word)?),
        }
    }
    let text = std::str::from_utf8(input).ok()?;
    let (from, to) = (sets.first()?, sets.get(1));
    let within = |c: &char| from.contains(c) != complement;
    let changed: String = match to {
        _ if deletes => text.chars().filter(|c| !within(c)).collect(),
        Some(to) => {
            let last = to.last()?;
            let target = |c: char| {
                if complement {
                    return *last;
                }
                let at = from.iter().rposition(|known| *known == c);
                at.map_or(c, |at| *to.get(at).unwrap_or(last))
            };
            text.chars().map(|c| if within(&c) { target(c) } else { c }).collect()
        }
        None => text.to_owned(),
    };
    if !squeezes {
        return Some(changed.into_bytes());
    }
    let squeezed = to.unwrap_or(from);
    let mut out = String::new();
    for c in changed.chars() {
        if !(out.ends_with(c) && squeezed.contains(&c) != (complement && to.is_none())) {
            out.push(c);
        }
    }
    Some(out.into_bytes())
}

/// Returns the characters of a `tr` set: ranges, classes, escapes.
fn set(text: &str) -> Option<Vec<char>> {
    const SET_MAX: usize = 512;
    let mut text = text.to_owned();
    for (class, ranges) in [
        ("[:lower:]", "a-z"),
        ("[:upper:]", "A-Z"),
        ("[:digit:]", "0-9"),
        ("[:alpha:]", "A-Za-z"),
        ("[:alnum:]", "0-9A-Za-z"),
        ("[:space:]", "\t-\r "),
        ("[:blank:]", "\t "),
        ("[:punct:]", "!-/:-@\\[-`{-~"),
        ("[:xdigit:]", "0-9A-Fa-f"),
    ] {
        text = text.replace(class, ranges);
    }
    let text = String::from_utf8(decode(&text, EscapeStyle::Fish).0).ok()?;
    let characters: Vec<char> = text.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while let Some(first) = characters.get(at) {
        match (characters.get(at + 1), characters.get(at + 2)) {
            (Some('-'), Some(last)) => {
                set.extend((*first..=*last).take(SET_MAX));
                at += 3;
            }
            _ => {
                set.push(*first);
                at += 1;
            }
        }
        if set.len() > SET_MAX {
            return None;
        }
    }
    Some(set)
}

/// Implements `head` and `tail`, by lines or bytes.
fn ends(head: bool, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let (mut by_bytes, mut amount) = (false, "10".to_owned());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let flag = word.strip_prefix('-').filter(|flag| !flag.is_empty())?;
        let flag = flag.strip_prefix("-lines=").map(|n| format!("n{n}")).unwrap_or_else(|| flag.to_owned());
        let flag = flag.strip_prefix("-bytes=").map(|n| format!("c{n}")).unwrap_or(flag);
        if flag.starts_with(|c: char| c.is_ascii_digit()) {
            amount = flag;
            continue;
        }
        by_bytes = flag.starts_with('c');
        let rest = flag.strip_prefix(['n', 'c'])?;
        amount = if rest.is_empty() { (*words.next()?).to_owned() } else { rest.to_owned() };
    }
    let pieces: Vec<&[u8]> = if by_bytes {
        input.chunks(1).collect()
    } else {
        input.split_inclusive(|byte| *byte == b'\n').collect()
    };
    let number: usize = amount.trim_start_matches(['+', '-']).parse().ok()?;
    let rest = pieces.len().saturating_sub(number);
    let chosen = match (head, amount.chars().next()?) {
        (true, '-') => pieces.get(..rest),
        (true, _) => pieces.get(..number.min(pieces.len())),
        (false, '+') => pieces.get(number.saturating_sub(1).min(pieces.len())..),
        (false, _) => pieces.get(rest..),
    };
    Some(chosen?.concat())
}

/// Implements `cut -c`, `cut -b` and `cut -d … -f …`.
fn cut(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let (mut list, mut by_field, mut delimiter) = (None, false, '\t');
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let flag = word.strip_prefix('-')?;
        let letter = flag.chars().next()?;
        let rest = flag.get(letter.len_utf8()..)?;
        let value = if rest.is_empty() { words.next()? } else { rest };
        match letter {
            'c' | 'b' | 'f' => (list, by_field) = (Some(value), letter == 'f'),
            'd' => delimiter = value.chars().next()?,
            _ => return None,
        }
    }
    let ranges: Vec<(usize, usize)> = list?
        .split(',')
        .map(|range| match range.split_once('-') {
            None => range.parse().ok().map(|at| (at, at)),
            Some((from, to)) => {
                let from = if from.is_empty() { Some(1) } else { from.parse().ok() };
                let to = if to.is_empty() { Some(usize::MAX) } else { to.parse().ok() };
                from.zip(to)
            }
        })
        .collect::<Option<_>>()?;
    let chosen = |at: usize| ranges.iter().any(|(from, to)| (*from..=*to).contains(&(at + 1)));
    if ranges.len() > 64 {
        return None;
    }
    let mut out = lines(input, |line| {
        if !by_field {
            return line.chars().enumerate().filter(|(at, _)| chosen(*at)).map(|(_, c)| c).collect();
        }
        if !line.contains(delimiter) {
            return line.to_owned();
        }
        let fields: Vec<&str> =
            line.split(delimiter).enumerate().filter(|(at, _)| chosen(*at)).map(|(_, field)| field).collect();
        fields.join(&delimiter.to_string())
    })?;
    // `cut` ends its last line with a newline.
    if !out.is_empty() && !out.ends_with(b"\n") {
        out.push(b'\n');
    }
    Some(out)
}

/// Implements `sed 's/a/b/g'` and `sed 'y/ab/cd/'` with a plain text pattern.
fn sed(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut scripts = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "-e" => scripts.push(*words.next()?),
            "-E" | "-r" => {}
            _ if word.starts_with('-') || !scripts.is_empty() => return None,
            _ => scripts.push(word),
        }
    }
    let mut data = input.to_vec();
    for command in scripts.iter().flat_map(|script| script.split([';', '\n'])) {
        let command = command.trim();
        let letter = command.chars().next()?;
        let rest = command.get(letter.len_utf8()..)?;
        let delimiter = rest.chars().next()?;
        let parts: Vec<&str> = rest.get(delimiter.len_utf8()..)?.split(delimiter).collect();
        let [from, to, flags] = parts.as_slice() else { return None };
        let plain = |text: &str| !text.contains(|c| "\\.[]*^$+?(){}|&".contains(c));
        if !plain(from) || !plain(to) || from.is_empty() {
            return None;
        }
        data = match (letter, *flags) {
            ('s', "g") => lines(&data, |line| line.replace(from, to))?,
            ('s', "") => lines(&data, |line| line.replacen(from, to, 1))?,
            ('y', "") => tr(&[from, to], &data)?,
            _ => return None,
        };
        if data.len() > BYTES_MAX {
            return None;
        }
    }
    Some(data)
}

fn gunzip(name: &str, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let has = |word: &&&str| {
        matches!(**word, "-d" | "-dc" | "-cd" | "--decompress" | "-c" | "--stdout" | "-f" | "-q" | "-")
    };
    let decodes = name != "gzip" || arguments.iter().any(|word| word.contains('d'));
    if !decodes || !arguments.iter().all(|word| has(&word)) {
        return None;
    }
    let mut out = Vec::new();
    let limit = u64::try_from(BYTES_MAX).unwrap_or(u64::MAX) + 1;
    MultiGzDecoder::new(input).take(limit).read_to_end(&mut out).ok()?;
    Some(out)
}
