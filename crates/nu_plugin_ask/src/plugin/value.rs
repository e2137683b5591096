//! Conversion of our JSON objects, whose fields are a stable interface, to Nushell values, and of Nushell values to
//! text.

use std::io::Read as _;

use nu_protocol::{ByteStream, LabeledError, PipelineData, Record, Span, Value};
use serde_json::Value as Json;

use super::outcome::wrong;

/// Maximum length of a line in bytes; the same as for a row of a file.
const LINE_LIMIT: usize = 64 << 10;

/// Converts a JSON value to a Nushell value. A number that Nushell cannot represent exactly becomes the nearest
/// float.
pub(super) fn value(json: &Json, span: Span) -> Value {
    match json {
        Json::Null => Value::nothing(span),
        Json::Bool(is) => Value::bool(*is, span),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::int(number, span),
            None => Value::float(number.as_f64().unwrap_or(f64::NAN), span),
        },
        Json::String(text) => Value::string(text, span),
        Json::Array(items) => Value::list(items.iter().map(|item| value(item, span)).collect(), span),
        Json::Object(object) => {
            let fields = object.iter().map(|(name, field)| (name.clone(), value(field, span)));
            Value::record(fields.collect(), span)
        }
    }
}

/// Converts fields of a JSON object to a record, in the given order. A field that is itself an object gets its own
/// columns.
pub(super) fn record(object: &Json, columns: &[(&str, &[&str])], span: Span) -> Record {
    let field = |(name, inner): &(&str, &[&str])| {
        let json = object.get(name).unwrap_or(&Json::Null);
        let inner: Vec<(&str, &[&str])> = inner.iter().map(|name| (*name, &[][..])).collect();
        let field = match json {
            Json::Object(_) if !inner.is_empty() => Value::record(record(json, &inner, span), span),
            json => value(json, span),
        };
        ((*name).to_owned(), field)
    };
    columns.iter().map(field).collect()
}

/// Columns of the risk.
pub(super) const RISK: &[&str] = &["label", "cause", "span", "scope", "effects", "facts"];

/// Columns of the check counts.
pub(super) const CHECKS: &[&str] =
    &["flags_verified", "flags_unknown", "flags_refuted", "commands_missing", "syntax_ok"];

/// A text from the user, with its position in the user's input.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) span: Span,
}

/// Joins the words of a call to one text; `None` without words.
pub(super) fn joined(words: &[Value]) -> Result<Option<Text>, LabeledError> {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return Ok(None) };
    let texts = words.iter().map(Value::coerce_string).collect::<Result<Vec<_>, _>>()?;
    let text = texts.join(" ");
    bounded(Text { text, span: Span::new(first.span().start, last.span().end.max(first.span().end)) })
        .map(Some)
}

/// Returns a value that must be text.
pub(super) fn text(value: &Value) -> Result<Text, LabeledError> {
    let span = value.span();
    bounded(Text { text: value.as_str()?.to_owned(), span })
}

/// Returns piped text; `None` if nothing is piped.
pub(super) fn piped(input: PipelineData) -> Result<Option<Text>, LabeledError> {
    match input {
        PipelineData::Empty | PipelineData::Value(Value::Nothing { .. }, _) => Ok(None),
        PipelineData::Value(value, _) => text(&value).map(Some),
        PipelineData::ByteStream(stream, _) => printed(stream).map(Some),
        // The list may be endless.
        PipelineData::ListStream(list, _) => Err(wrong("the input is a list; pipe in one text", list.span())),
    }
}

/// Reads the output of a program, which may be endless.
pub(super) fn printed(stream: ByteStream) -> Result<Text, LabeledError> {
    let span = stream.span();
    let mut bytes = Vec::new();
    if let Some(reader) = stream.reader() {
        let read = reader.take(LINE_LIMIT as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| wrong(&format!("it can't be read: {error}; try again"), span))?;
    }
    // Text that is too long may be cut within a character.
    let text = bounded(Text { text: String::from_utf8_lossy(&bytes).into_owned(), span })?;
    let is_text = text.text.as_bytes() == bytes;
    is_text.then_some(text).ok_or_else(|| wrong("it is not UTF-8 text; decode it first", span))
}

fn bounded(text: Text) -> Result<Text, LabeledError> {
    if LINE_LIMIT < text.text.len() {
        return Err(wrong(&format!("it is longer than {LINE_LIMIT} bytes; shorten it"), text.span));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_become_records_with_the_columns_in_order() {
        let span = Span::new(1, 2);
        let object = json!({"b": [1, 2.5, null], "a": {"y": "é", "x": true, "z": {}}, "c": u64::MAX});
        let made = record(&object, &[("b", &[]), ("a", &["y", "x"]), ("none", &[])], span);
        assert_eq!(made.columns().collect::<Vec<_>>(), ["b", "a", "none"]);
        let inner = made.get("a").unwrap().as_record().unwrap();
        assert_eq!(inner.columns().collect::<Vec<_>>(), ["y", "x"]);
        assert_eq!(inner.get("y").unwrap().as_str().unwrap(), "é");
        assert_eq!(made.get("b").unwrap().as_list().unwrap().len(), 3);
        assert!(matches!(value(&object["c"], span), Value::Float { .. }));
    }

    #[test]
    fn words_are_joined_and_bounded() {
        let word = |text: &str, start| Value::string(text, Span::new(start, start + text.len()));
        assert!(joined(&[]).unwrap().is_none());
        let words = [word("list", 4), Value::int(10, Span::new(9, 11)), word("files", 12)];
        let text = joined(&words).unwrap().unwrap();
        assert_eq!((text.text.as_str(), text.span), ("list 10 files", Span::new(4, 17)));
        assert!(joined(&[word(&"a".repeat(LINE_LIMIT + 1), 0)]).is_err());
    }
}
