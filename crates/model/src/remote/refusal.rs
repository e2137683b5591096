//! Interpretation of error responses of a server.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::quirks::{means_too_long, names_tools};
use super::response_accumulator;

/// Consequence of an error response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The prompt is longer than the model's context window.
    TooLong,
    /// The server is busy or out of order; a later request may succeed.
    Later { cause: String, after: After },
    /// Asking again will not help; `remedy` will.
    Never { cause: String, remedy: String },
}

/// Time after which a server may be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// Very soon: the fault may be transient.
    Soon,
    /// After the time that the server names.
    Wait(Duration),
    /// Not stated, and an early retry is useless.
    Unknown,
}

/// Facts about the request, for messages.
pub(super) struct RequestFacts<'a> {
    pub(super) model: &'a str,
    /// Source of the key, if one was sent.
    pub(super) key: Option<&'a str>,
}

/// Interprets an error status; `body` is the beginning of the response's body.
pub(super) fn read(
    status: StatusCode,
    headers: &HeaderMap,
    body: &str,
    asked: &RequestFacts<'_>,
    now: SystemTime,
) -> Refusal {
    let code = status.as_u16();
    let message = error_text(body);
    let never = |cause: String, remedy: &str| Refusal::Never { cause, remedy: remedy.to_owned() };
    let page = is_page(headers, body.as_bytes());
    match code {
        401 | 403 => match asked.key {
            Some(setting) => never(format!("it refuses the key ({code})"), &format!("check {setting}")),
            None if page => not_a_model_server(),
            None => never(format!("it needs a key ({code})"), "set `key_env` in the profile"),
        },
        300..=399 => {
            let to = headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("nowhere");
            let to = to.split(['?', '#']).next().unwrap_or_default();
            never(format!("it redirects to {to}, which is not followed"), "set `url` to the new address")
        }
        429 => {
            let wait = retry_after(headers, now);
            let cause = match wait {
                Some(wait) => format!("it is busy ({code}) and asks to wait {} s", wait.as_secs()),
                None => format!("it is busy ({code})"),
            };
            Refusal::Later { cause, after: wait.map_or(After::Unknown, After::Wait) }
        }
        500 | 502 | 503 | 529 => {
            let cause = if page || message.is_empty() {
                format!("it has a server error ({code})")
            } else {
                format!("it has a server error ({code}): {message}")
            };
            Refusal::Later { cause, after: retry_after(headers, now).map_or(After::Soon, After::Wait) }
        }
        501..=599 => {
            Refusal::Later { cause: format!("it has a server error ({code})"), after: After::Unknown }
        }
        _ if page => not_a_model_server(),
        400 | 413 | 422 if code == 413 || means_too_long(body) => Refusal::TooLong,
        402 => never(format!("it requires payment ({code})"), "check your account there"),
        404 | 405 => never(
            format!("it has no model `{}` or no such path ({code}): {message}", asked.model),
            "check `name` and `url` in the profile",
        ),
        _ => never(
            format!("it refuses the request ({code}): {message}"),
            "check `name` and `url` in the profile",
        ),
    }
}

/// Reports whether an error status means that the server or its model knows no tools, so that it is to be asked in words.
/// Some servers call that an error of their own (500, 501).
pub(super) fn means_no_tools(status: StatusCode, body: &str) -> bool {
    matches!(status.as_u16(), 400 | 404 | 422 | 500 | 501) && names_tools(body) && !means_too_long(body)
}

/// Returns the refusal for a web page in place of an answer, such as the login page of a network.
pub(super) fn not_a_model_server() -> Refusal {
    Refusal::Never {
        cause: "it is not a model server: it sends a web page".to_owned(),
        remedy: "check `url`, or log in to this network".to_owned(),
    }
}

/// Reports whether the response is a web page.
pub(super) fn is_page(headers: &HeaderMap, body: &[u8]) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.to_ascii_lowercase().starts_with("text/html") || body.trim_ascii_start().starts_with(b"<")
}

/// Returns the message in an error body of any format.
fn error_text(body: &str) -> String {
    let value: Option<Value> = serde_json::from_str(body).ok();
    match value {
        Some(value @ Value::Object(_)) => {
            response_accumulator::error_message(value.get("error").unwrap_or(&value))
        }
        _ => body.trim().to_owned(),
    }
}

/// Parses `Retry-After`: seconds or a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match value.parse::<u32>() {
        Ok(seconds) => Some(Duration::from_secs(seconds.into())),
        Err(_) => {
            let date = OffsetDateTime::parse(value, &Rfc2822).ok()?;
            Some(SystemTime::from(date).duration_since(now).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    use super::*;

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_wait_is_seconds_or_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (value, wait) in [
            ("1", Some(1)),
            (" 60 ", Some(60)),
            ("0", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10)),
            ("Mon, 07 Nov 1994 08:49:37 GMT", Some(86_400)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Thu, 29 Feb 1996 08:49:37 GMT", Some(480 * 86_400)),
            ("soon", None),
            ("-1", None),
            ("1.5", None),
            ("99999999999999999999", None),
            ("Sun, 06 Nov 1994", None),
            ("Sun, 99 Nov 1994 08:49:37 GMT", None),
            ("", None),
        ] {
            let found = retry_after(&headers(&[("retry-after", value)]), now);
            assert_eq!(found, wait.map(Duration::from_secs), "{value:?}");
        }
    }

    #[test]
    fn words_are_found_in_every_shape() {
        for (body, words) in [
            (r#"{"error":{"message":"no"}}"#, "no"),
            (r#"{"error":"no"}"#, "no"),
            (r#"{"message":"no"}"#, "no"),
            (r#"{"detail":"no"}"#, "no"),
            (r#"{"object":"error","type":"no"}"#, "no"),
            (" no\n", "no"),
            ("", ""),
        ] {
            assert_eq!(error_text(body), words, "{body}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_refusal_panics(code in 300_u16..1000, body in any::<String>(), wait in "[ -~]{0,40}") {
            let mut fields = HeaderMap::new();
            if let Ok(value) = HeaderValue::from_str(&wait) {
                fields.insert(RETRY_AFTER, value);
            }
            let asked = RequestFacts { model: "m", key: None };
            let _ = read(StatusCode::from_u16(code).unwrap(), &fields, &body, &asked, SystemTime::now());
        }
    }
}
