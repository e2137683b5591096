//! Errors of a call, which point at a word of the user's line and contain the remedy, and panics, which the plugin
//! survives.

use std::panic::{self, AssertUnwindSafe};

use nu_protocol::{LabeledError, ShellError, Span};

use askline::cli::reason;
use askline_model::failure::Failure;
use askline_syntax::clean::visible;

/// Runs the work of a call and converts a panic to an error.
pub(super) fn guarded<T>(
    head: Span,
    work: impl FnOnce() -> Result<T, LabeledError>,
) -> Result<T, LabeledError> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(LabeledError::new("askline: a bug stopped this call")
            .with_code("askline::bug")
            .with_label("called here", head)
            .with_help("`askline suggest --debug` and `askline check` show more; nothing was changed"))
    })
}

/// Converts the reason for a missing answer to an error at the request. A cancelled request becomes Nushell's
/// interruption.
pub(super) fn no_answer(error: &anyhow::Error, place: Span) -> LabeledError {
    if error.downcast_ref() == Some(&Failure::Cancelled) {
        return ShellError::Interrupted { span: place }.into();
    }
    let reason = reason(error);
    match error.downcast_ref() {
        Some(Failure::Declined) => {
            wrong(&format!("{reason}, or add --anyway for a line all the same"), place)
        }
        _ => wrong(&reason, place),
    }
}

/// Converts a message of cause and remedy to an error at a place of the user's line.
pub(super) fn wrong(message: &str, place: Span) -> LabeledError {
    let message = visible(message);
    let (cause, remedy) = match message.rsplit_once("; ") {
        Some((cause, remedy)) => (cause, Some(remedy)),
        None => (message.as_str(), None),
    };
    let error = LabeledError::new(format!("askline: {cause}"))
        .with_code("askline::no_answer")
        .with_label("asked here", place);
    match remedy {
        Some(remedy) => error.with_help(remedy),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_its_call() {
        let span = Span::new(3, 7);
        panic::set_hook(Box::new(|_| {}));
        let error = guarded(span, || -> Result<(), _> { panic!("broken") }).unwrap_err();
        assert!(error.msg.contains("bug") && error.labels[0].span == span, "{error:?}");
        assert_eq!(guarded(span, || Ok(3)).unwrap(), 3);
    }

    #[test]
    fn a_message_is_cause_and_remedy() {
        let error = wrong("no model is installed; run `askline model pull`", Span::new(0, 1));
        assert_eq!(error.msg, "askline: no model is installed");
        assert_eq!(error.help.as_deref(), Some("run `askline model pull`"));
        assert_eq!(wrong("a \x1b[31m", Span::new(0, 1)).help, None);
        assert!(!wrong("a \x1b[31m", Span::new(0, 1)).msg.contains('\x1b'));
        let cancelled = no_answer(&Failure::Cancelled.into(), Span::new(0, 1));
        assert!(cancelled.msg.to_lowercase().contains("interrupted"), "{cancelled:?}");
    }
}
