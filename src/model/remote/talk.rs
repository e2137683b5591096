//! A prompt as a conversation: what the model is told first, solved requests as turns, the request.
//!
//! A chat prompt is one already. A completion prompt is one text of comment lines and commands; servers whose models know
//! only chat get it as turns, so that the same examples help there.

use std::borrow::Cow;

use crate::prompt::{Form, Prompt};

/// What a chat model is told besides the header of a completion prompt.
const BARE: &str = "Answer with the command alone: no explanation, no markup, no placeholder.";
/// What stands before the complaint in a second try (`Prompt::again`).
const COMPLAINT: &str = "\n# wrong: ";
/// Bytes per token, rather too few: what is estimated with it is rather too long.
pub(super) const BYTES_A_TOKEN: usize = 3;

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Assistant,
}

impl Speaker {
    /// As all protocols name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// What a model gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Talk<'a> {
    /// Messages; the last one is the user's.
    Turns { system: String, turns: Vec<(Speaker, Cow<'a, str>)> },
    /// One text to go on with.
    Text(String),
}

impl<'a> Talk<'a> {
    /// The prompt for a chat endpoint, with its solved requests or, where they don't fit, without.
    pub(super) fn turns(prompt: &'a Prompt, solved: bool) -> Self {
        let Form::Completion = prompt.form else {
            return Self::Turns {
                system: prompt.fixed.clone(),
                turns: vec![(Speaker::User, Cow::Borrowed(&prompt.fresh))],
            };
        };
        let (header, examples) = prompt.fixed.split_once("\n\n").unwrap_or((&prompt.fixed, ""));
        let mut turns = Vec::new();
        if solved {
            let pairs = examples.split("\n\n").filter_map(|pair| pair.split_once('\n'));
            turns.extend(pairs.flat_map(|(request, command)| {
                [(Speaker::User, without_sign(request).into()), (Speaker::Assistant, command.into())]
            }));
        }
        let fresh = prompt.fresh.trim_end_matches('\n');
        let (told, request, more) = parts(fresh);
        turns.push((
            Speaker::User,
            match told {
                "" => without_sign(request).into(),
                _ => {
                    told.lines().chain(["", request]).map(without_sign).collect::<Vec<_>>().join("\n").into()
                }
            },
        ));
        if let Some((answer, wrong)) = more.rsplit_once(COMPLAINT) {
            turns.extend([(Speaker::Assistant, answer.into()), (Speaker::User, wrong.into())]);
        }
        Self::Turns { system: format!("{} {BARE}", without_sign(header)), turns }
    }

    /// The prompt for an endpoint that continues text.
    pub(super) fn text(prompt: &Prompt, solved: bool) -> Self {
        let shortened = || {
            let header = prompt.fixed.split_inclusive("\n\n").next().unwrap_or_default();
            format!("{header}{}", prompt.fresh)
        };
        Self::Text(match prompt.form {
            Form::Completion if !solved => shortened(),
            Form::Completion | Form::Chat => prompt.text(),
        })
    }

    /// About how many tokens this is, rather too many.
    pub(super) fn tokens(&self) -> usize {
        let bytes = match self {
            Self::Turns { system, turns } => {
                system.len() + turns.iter().map(|(_, text)| text.len() + 12).sum::<usize>()
            }
            Self::Text(text) => text.len(),
        };
        bytes / BYTES_A_TOKEN
    }
}

/// Whether the prompt has solved requests that can be left out.
pub(super) fn can_be_shortened(prompt: &Prompt) -> bool {
    prompt.form == Form::Completion && prompt.fixed.trim_end().contains("\n\n")
}

/// What is told of the machine, the request, and what was answered so far: comment lines but for the answers.
fn parts(fresh: &str) -> (&str, &str, &str) {
    let (asked, more) = match fresh
        .match_indices('\n')
        .find(|(at, _)| fresh.get(at + 1..).is_some_and(|rest| !rest.starts_with('#')))
    {
        Some((at, _)) => fresh.split_at(at),
        None => (fresh, ""),
    };
    let (told, request) = asked.rsplit_once('\n').unwrap_or(("", asked));
    (told, request, more.strip_prefix('\n').unwrap_or_default())
}

fn without_sign(comment: &str) -> &str {
    comment.trim_start_matches(['#', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::{draft, solved};
    use crate::shell::Shell;

    fn of(prompt: &Prompt, solved: bool) -> (String, Vec<(Speaker, Cow<'_, str>)>) {
        match Talk::turns(prompt, solved) {
            Talk::Turns { system, turns } => (system, turns),
            Talk::Text(_) => panic!("turns were asked for"),
        }
    }

    #[test]
    fn solved_requests_of_every_shell_become_turns() {
        for shell in Shell::ALL {
            let prompt = draft(Form::Completion, "list files", shell, "Linux");
            let (system, turns) = of(&prompt, true);
            let rows = solved(shell);
            let mut expected: Vec<(Speaker, Cow<'_, str>)> = Vec::new();
            for row in &rows {
                expected.extend([
                    (Speaker::User, (&row.request).into()),
                    (Speaker::Assistant, (&row.command).into()),
                ]);
            }
            expected.push((Speaker::User, "list files".into()));
            assert_eq!(turns, expected, "{shell}");
            assert!(system.starts_with("One-line ") && system.ends_with(BARE), "{system}");
            assert_eq!(of(&prompt, false).1, [(Speaker::User, "list files".into())], "{shell}");
            assert!(can_be_shortened(&prompt));
        }
    }

    #[test]
    fn a_second_try_tells_what_was_wrong() {
        let prompt =
            draft(Form::Completion, "list files", Shell::Bash, "Linux").again("ls --al", "no flag --al");
        let (_, turns) = of(&prompt, false);
        let complaint = "no flag --al. The same, corrected:";
        assert_eq!(
            turns,
            [
                (Speaker::User, "list files".into()),
                (Speaker::Assistant, "ls --al".into()),
                (Speaker::User, complaint.into())
            ]
        );
        let chat = draft(Form::Chat, "list files", Shell::Bash, "Linux").again("ls --al", "no flag --al");
        assert_eq!(of(&chat, true).1, [(Speaker::User, Cow::from(&chat.fresh))]);
        assert!(!can_be_shortened(&chat));
    }

    #[test]
    fn a_text_is_the_embedded_models_prompt() {
        let prompt = draft(Form::Completion, "list files", Shell::Bash, "Linux");
        assert_eq!(Talk::text(&prompt, true), Talk::Text(prompt.text()));
        let short = Talk::text(&prompt, false);
        assert_eq!(short, Talk::Text("# One-line bash commands for Linux.\n\n# list files\n".to_owned()));
        assert!(short.tokens() < Talk::text(&prompt, true).tokens());
    }
}
