//! Input of a subcommand: words, the rows of a file, or piped text.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read};
use std::path::Path;

use anyhow::{Context as _, anyhow};

use askline_model::failure::UsageError;

/// Maximum length in bytes of a row of a `--lines` file; a longer one is an error by itself, and the rows after it
/// are answered.
pub(super) const ROW_LIMIT: usize = 64 << 10;

/// A request or a line, or the reason why there is none, with its place.
pub(super) struct Row {
    /// Place as `FILE:LINE`, for the rows of a file.
    pub(super) place: Option<String>,
    /// Text without its line break.
    pub(super) text: anyhow::Result<String>,
}

impl Row {
    /// Returns the prefix of a message about this row.
    pub(super) fn prefix(&self) -> String {
        self.place.as_ref().map_or_else(String::new, |place| format!("{place}: "))
    }
}

/// An iterator over rows as they arrive; it ends after an error.
pub(super) type Rows = Box<dyn Iterator<Item = anyhow::Result<Row>>>;

/// Returns the words as one row, the rows of a file, or all piped text as one row; `nothing` is the message if there
/// is no input.
///
/// # Errors
/// [`UsageError`] when there is nothing to read.
pub(super) fn rows(words: &[String], lines: Option<&Path>, nothing: &str) -> anyhow::Result<Rows> {
    let one = |request| Ok(Box::new(std::iter::once(Ok(Row { place: None, text: Ok(request) }))) as Rows);
    match lines {
        Some(file) => rows_of(file),
        None if !words.is_empty() => one(line_of(words, nothing)?),
        None if io::stdin().is_terminal() => Err(UsageError(nothing.to_owned()).into()),
        None => one(piped(&mut io::stdin().lock(), nothing)?),
    }
}

/// Returns the words as one line.
///
/// # Errors
/// [`UsageError`] with the message `nothing` if they are blank.
pub(super) fn line_of(words: &[String], nothing: &str) -> anyhow::Result<String> {
    let line = words.join(" ");
    if line.trim().is_empty() { Err(UsageError(nothing.to_owned()).into()) } else { Ok(line) }
}

/// Reads the whole input as one request.
fn piped(input: &mut dyn Read, nothing: &str) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    input.take(ROW_LIMIT as u64 + 1).read_to_end(&mut bytes).context("can't read what is piped in")?;
    let request = text_of(bytes).map_err(|error| UsageError(format!("{error:#}")))?;
    match request.trim() {
        "" => Err(UsageError(nothing.to_owned()).into()),
        request => Ok(request.to_owned()),
    }
}

/// Returns every row of a file, including empty ones, to keep answers and rows aligned.
fn rows_of(file: &Path) -> anyhow::Result<Rows> {
    let (name, mut reader): (_, Box<dyn BufRead>) = if file == Path::new("-") {
        ("stdin".to_owned(), Box::new(BufReader::new(io::stdin())))
    } else {
        let opened = File::open(file).map_err(|error| {
            let file = file.display();
            UsageError(format!("can't read {file}: {error}; name a file, or - for stdin"))
        })?;
        (file.display().to_string(), Box::new(BufReader::new(opened)))
    };
    let mut broken = false;
    let mut numbers = 1_u64..;
    Ok(Box::new(std::iter::from_fn(move || {
        // A failed reader (a directory, a lost disk) would fail forever.
        if broken {
            return None;
        }
        let place = format!("{name}:{}", numbers.next()?);
        match row(&mut reader) {
            Ok(text) => Some(Ok(Row { place: Some(place), text: text? })),
            Err(error) => {
                broken = true;
                Some(
                    Err(anyhow::Error::new(error).context(format!("{place}: can't read the remaining rows"))),
                )
            }
        }
    })))
}

/// Reads the next row; `None` at the end. A row that is too long or not text is skipped with an error.
fn row(reader: &mut dyn BufRead) -> io::Result<Option<anyhow::Result<String>>> {
    let mut row = Vec::new();
    if (&mut *reader).take(ROW_LIMIT as u64 + 1).read_until(b'\n', &mut row)? == 0 {
        return Ok(None);
    }
    let is_too_long = ROW_LIMIT < row.len();
    while is_too_long && row.last() != Some(&b'\n') {
        row.clear();
        if (&mut *reader).take(ROW_LIMIT as u64).read_until(b'\n', &mut row)? == 0 {
            break;
        }
    }
    Ok(Some(if is_too_long { Err(too_long()) } else { text_of(row) }))
}

fn too_long() -> anyhow::Error {
    anyhow!("a request is longer than {ROW_LIMIT} bytes; shorten it")
}

/// Returns the text of a request, without its line ending (either style) and without the byte order mark that some
/// editors put at the beginning of a file.
fn text_of(mut bytes: Vec<u8>) -> anyhow::Result<String> {
    if ROW_LIMIT < bytes.len() {
        return Err(too_long());
    }
    bytes.pop_if(|last| *last == b'\n');
    bytes.pop_if(|last| *last == b'\r');
    let text = String::from_utf8(bytes).ok().context("a request is not valid UTF-8; save it as UTF-8")?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
