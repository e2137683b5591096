//! Parser of streamed bodies into events, independent of chunk boundaries: server-sent events, one JSON value
//! per line, or one JSON value.

use std::fmt;

/// Maximum length of an event in bytes; also of an answer that is not streamed.
pub(super) const EVENT_BYTES_MAX: usize = 256 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Framing of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events: the `data` of each.
    Sse,
    /// Each non-blank line.
    Lines,
    /// The whole body.
    Whole,
}

/// Reason why a body can't be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// An event is longer than [`EVENT_BYTES_MAX`].
    TooLong,
    /// An event is not UTF-8.
    NotText,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "its answer is too long to be a command",
            Self::NotText => "its answer is not UTF-8",
        })
    }
}

/// Incremental parser of a body.
#[derive(Debug)]
pub(super) struct Events {
    framing: Framing,
    /// Incomplete line; the whole body for [`Framing::Whole`].
    line: Vec<u8>,
    /// Data of the incomplete event; `None` if it has none yet.
    data: Option<Vec<u8>>,
    /// `true` if the last byte was a carriage return that ended a line: a following line feed belongs to it.
    after_return: bool,
    first_line: bool,
}

impl Events {
    /// Creates a parser at the start of a body.
    pub(super) fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), data: None, after_return: false, first_line: true }
    }

    /// Returns the framing.
    pub(super) fn framing(&self) -> Framing {
        self.framing
    }

    /// Takes the next chunk and returns the events that it completes.
    ///
    /// # Errors
    ///
    /// If an event is too long or not text; the parser must not be used afterwards.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<Vec<String>, Unreadable> {
        let mut events = Vec::new();
        let mut rest = piece;
        if self.framing == Framing::Whole {
            self.grow(rest)?;
            return Ok(events);
        }
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_return) {
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (head, tail) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, &[]));
            self.grow(head)?;
            let Some((ending, tail)) = tail.split_first() else { break };
            self.after_return = *ending == b'\r';
            rest = tail;
            events.extend(self.line_ended()?);
        }
        Ok(events)
    }

    /// Ends the body and returns the remaining events. Some servers omit the last empty line.
    ///
    /// # Errors
    ///
    /// As [`Events::push`].
    pub(super) fn end(&mut self) -> Result<Vec<String>, Unreadable> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            events.extend(self.line_ended()?);
        }
        if let Some(data) = self.data.take() {
            events.push(text(data)?);
        }
        Ok(events)
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        let pending = self.data.as_ref().map_or(0, Vec::len);
        if EVENT_BYTES_MAX < pending + self.line.len() + bytes.len() {
            return Err(Unreadable::TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line_ended(&mut self) -> Result<Option<String>, Unreadable> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.first_line) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if self.framing != Framing::Sse {
            return if line.trim_ascii().is_empty() { Ok(None) } else { text(line).map(Some) };
        }
        if line.is_empty() {
            return self.data.take().map(text).transpose();
        }
        // Comments start with a colon. Of the fields only `data` matters, because each event contains its type
        // there.
        if let Some(value) = line.strip_prefix(b"data") {
            let value = match value.strip_prefix(b":") {
                Some(value) => value.strip_prefix(b" ").unwrap_or(value),
                None if value.is_empty() => value,
                None => return Ok(None),
            };
            match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            }
        }
        Ok(None)
    }
}

fn text(bytes: Vec<u8>) -> Result<String, Unreadable> {
    String::from_utf8(bytes).map_err(|_| Unreadable::NotText)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(framing: Framing, pieces: &[&[u8]]) -> Result<Vec<String>, Unreadable> {
        let mut events = Events::new(framing);
        let mut all = Vec::new();
        for piece in pieces {
            all.extend(events.push(piece)?);
        }
        all.extend(events.end()?);
        Ok(all)
    }

    /// Checks that the events are the same for every single cut of the body, and byte by byte.
    fn check(framing: Framing, body: &str, expected: &[&str]) {
        let bytes = body.as_bytes();
        for at in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(read(framing, &[head, tail]).unwrap(), expected, "{body:?} cut at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(framing, &single).unwrap(), expected, "{body:?} byte by byte");
    }

    #[test]
    fn events_are_the_same_however_the_body_is_cut() {
        use Framing::{Lines, Sse, Whole};
        check(
            Sse,
            "data: {\"a\":1}\n\ndata: größer 🦀\n\ndata: [DONE]\n\n",
            &["{\"a\":1}", "größer 🦀", "[DONE]"],
        );
        check(Sse, "data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check(Sse, "data: a\r\rdata: b\r\r", &["a", "b"]);
        check(Sse, ": keep-alive\n\nevent: delta\nid: 7\nretry: 10\ndata: a\n\n:\n\n", &["a"]);
        check(Sse, "data:a\n\ndata:  b\n\ndata\n\n", &["a", " b", ""]);
        check(Sse, "data: a\ndata: b\n\n", &["a\nb"]);
        check(Sse, "\u{feff}data: a\n\n", &["a"]);
        check(Sse, "data: [DONE]", &["[DONE]"]);
        check(Sse, "data: [DONE]\n", &["[DONE]"]);
        check(Sse, "database: x\n\nevent: ping\n\n", &[]);
        check(
            Lines,
            "{\"a\":\"ü\"}\n\n \r\n{\"b\":2}\r\n{\"c\":3}",
            &["{\"a\":\"ü\"}", "{\"b\":2}", "{\"c\":3}"],
        );
        check(Lines, "\u{feff}{}\n", &["{}"]);
        check(Whole, "\u{feff}{\n \"a\": 1\n}\n", &["{\n \"a\": 1\n}\n"]);
        check(Whole, "", &[]);
    }

    #[test]
    fn an_event_is_bounded() {
        for framing in [Framing::Sse, Framing::Lines, Framing::Whole] {
            let mut events = Events::new(framing);
            let piece = [b'x'; 4096];
            let taken = (0..1000).take_while(|_| events.push(&piece).is_ok()).count();
            assert_eq!(taken, EVENT_BYTES_MAX / 4096, "{framing:?}");
            assert!(events.line.len() <= EVENT_BYTES_MAX);
        }
        let mut events = Events::new(Framing::Sse);
        let taken =
            (0..1000).take_while(|_| events.push(&[b"data: ", &[b'x'; 4096][..], b"\n"].concat()).is_ok());
        assert!(taken.count() <= EVENT_BYTES_MAX / 4096);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        for body in [&b"data: \xff\n\n"[..], b"data: \xc3\n\n", b"data: \xed\xa0\x80\n\n"] {
            assert_eq!(read(Framing::Sse, &[body]), Err(Unreadable::NotText));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_bytes_in_any_pieces_give_the_same(
            body in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), any::<u8>()], 0..200),
            size in 1_usize..40,
        ) {
            for framing in [Framing::Sse, Framing::Lines, Framing::Whole] {
                let pieces: Vec<&[u8]> = body.chunks(size).collect();
                prop_assert_eq!(read(framing, &pieces), read(framing, &[&body]));
            }
        }
    }
}
