//! Questions: requests that want an answer in words. They get a short one below the prompt, and never a line.

mod sign;

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Instant;

use serde::Deserialize;

use crate::answer;
use crate::examine::Examiner;
use askline_check::explain::{Part, Role, explain};
use askline_check::reference::{CommandKind, Reference as _};
use askline_model::failure::Failure;
use askline_model::prompt::{Form, Prompt};
use askline_model::request_control::{RequestControl, Stage};
use askline_model::{Model, Reply};
use askline_syntax::ParsedLine;

/// Ends an answer that only a model gave: nothing in it was looked up.
const UNCHECKED: &str = " (the model's own words, not checked)";
/// Maximum number of parts of a command that an answer explains.
const PARTS_MAX: usize = 6;

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    toml::from_str(include_str!("question.toml")).expect("question.toml is checked by a test")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Forms {
    meaning: Vec<(String, String)>,
    meaning_of_few: Vec<String>,
    nouns: Vec<String>,
    with_commands: Vec<String>,
    asides: Vec<String>,
    define: Vec<String>,
    defined_words_max: usize,
    what: Vec<String>,
    made: Vec<String>,
    why: Vec<(String, String)>,
    difference: Vec<String>,
    compared: Vec<String>,
    how: Vec<String>,
    leave: Vec<String>,
    fillers: Vec<String>,
    after: Vec<String>,
    start: Vec<String>,
    words: Vec<String>,
    ends_shell: Vec<String>,
    kills: Vec<String>,
    own_process: Vec<String>,
    all_processes: String,
    program: Vec<Program>,
}

/// Programs that are left by the same keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    names: Vec<String>,
    leave: String,
}

impl Forms {
    fn program(&self, name: &str) -> Option<&Program> {
        self.program.iter().find(|program| listed(&program.names, name))
    }
}

/// Reports whether a request can only be answered in words: it asks for the meaning of something, or for the keys
/// of a program.
pub fn wants_words(request: &str) -> bool {
    let text = plain(request);
    let compares = |start: &String| {
        after(&text, start).is_some_and(|rest| !rest.is_empty() && !rest.contains(['.', '/', '$']))
    };
    let is_made = |word: &str| listed(&FORMS.made, word) || word.starts_with(|c: char| c.is_ascii_digit());
    let is_thing = |rest: &str| {
        !rest.contains(['.', '/', '$'])
            && (1..=FORMS.defined_words_max).contains(&rest.split_whitespace().count())
            && !rest.split_whitespace().any(is_made)
    };
    subject(&text).is_some()
        || FORMS.define.iter().any(|start| after(&text, start).is_some_and(is_thing))
        || FORMS.difference.iter().any(compares)
        || signs(request, sign::is_known).is_some()
        || asks_for_keys(&text)
}

/// Reports whether a request asks for the difference between two programs or their commands: "difference between kill and kill -9",
/// "difference git fetch and git pull". `commands_of` returns the commands that a program documents; `None` if it is no program.
pub(super) fn compares_programs(request: &str, commands_of: &dyn Fn(&str) -> Option<Vec<String>>) -> bool {
    let text = plain(request);
    let is_command = |side: &[&str]| {
        let [program, rest @ ..] = side else { return false };
        if listed(&FORMS.nouns, program) {
            return false;
        }
        let Some(commands) = commands_of(program) else { return false };
        let is_option = |word: &&str| word.starts_with('-');
        let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        let is_own = |word: &str| match commands.as_slice() {
            [] => listed(&FORMS.with_commands, program) && is_plain(word),
            commands => listed(commands, word),
        };
        rest.iter().all(is_option) || matches!(rest, [word] if is_own(word))
    };
    let are_programs = |start: &String| {
        let rest = after(&text, start);
        let pair = rest.and_then(|rest| [" and ", " vs ", " or "].iter().find_map(|it| rest.split_once(it)));
        pair.is_some_and(|(one, other)| {
            let (one, other): (Vec<&str>, Vec<&str>) =
                (one.split_whitespace().collect(), other.split_whitespace().collect());
            // "apt upgrade and dist-upgrade"
            let whole: Vec<&str> = one.iter().take(1).chain(&other).copied().collect();
            is_command(&one)
                && (is_command(&other) || one.len() == 2 && other.len() == 1 && is_command(&whole))
        })
    };
    FORMS.compared.iter().any(are_programs)
}

/// Reports whether a request asks for the reason of a message. An investigation may find it.
pub fn asks_why(request: &str) -> bool {
    let text = plain(request);
    let asks =
        |(start, says): &(String, String)| after(&text, start).is_some_and(|rest| has_within(rest, says));
    FORMS.why.iter().any(asks)
}

/// Reports whether a request is a question.
pub(super) fn is_question(request: &str) -> bool {
    let text = request.trim().to_lowercase();
    text.ends_with('?') || text.split_whitespace().next().is_some_and(|first| listed(&FORMS.words, first))
}

/// Reports whether a line ends the shell in which it is run: no question wants that.
pub(super) fn ends_shell(line: &ParsedLine) -> bool {
    line.parsed().commands.iter().any(|command| {
        let is_named = |names: &[String]| command.name().is_some_and(|name| listed(names, name));
        let arguments = || command.words.iter().skip(1).map(|word| word.text.as_str());
        let ends_own = || arguments().any(|word| listed(&FORMS.own_process, word));
        let ends_all = || arguments().skip(1).any(|word| word == FORMS.all_processes);
        is_named(&FORMS.ends_shell) || is_named(&FORMS.kills) && (ends_own() || ends_all())
    })
}

/// Returns the answer in words: from our tables if it is how to leave a program or what a sign of the shell means, from this
/// machine's manuals if they explain all of the command that it is about, else from the second model, if there is one, or the
/// first.
///
/// # Errors
/// As [`Model::complete`]; [`Failure::NoCommand`] if the model answers nothing.
pub(super) fn answer(
    request: &str,
    system: &str,
    examiner: &Examiner<'_>,
    model: &mut dyn Model,
    max_tokens: usize,
    control: &RequestControl,
) -> anyhow::Result<String> {
    if let Some((program, rest)) = left_program(&plain(request))
        && rest.split_whitespace().all(|word| listed(&FORMS.after, word))
    {
        return Ok(format!("press {}", program.leave));
    }
    let is_meant = |things: &str| sign::meanings(things, examiner.shell).is_some();
    if let Some(meanings) =
        signs(request, is_meant).and_then(|things| sign::meanings(&things, examiner.shell))
    {
        return Ok(meanings);
    }
    if let Some(explained) = explained(request, examiner) {
        return Ok(explained);
    }
    control.enter(Stage::Thinking, Instant::now());
    let instruction = format!(
        "You answer questions about the {} command line on {system} in one or two short sentences, without markup.",
        examiner.shell.dialect().language
    );
    let prompt = Prompt::new(Form::Chat, instruction, request.trim().to_owned());
    let nothing =
        || Failure::NoCommand("this is a question, and the model has no answer in words".to_owned());
    let reply = match in_words(&prompt, model, max_tokens, control) {
        Ok(reply) => reply,
        Err(error) if error.is::<Failure>() => return Err(error),
        Err(error) => {
            // Some model files have no form for questions.
            tracing::debug!("no answer in words: {error:#}");
            return Err(nothing().into());
        }
    };
    tracing::debug!("the model said {:?}", reply.text);
    let prose = answer::prose(&reply.text).ok_or_else(nothing)?;
    Ok(format!("{prose}{UNCHECKED}"))
}

/// Returns the reply of the second model, if there is one and it can be asked, else of the first: small models are often wrong
/// in words, and do not know when.
fn in_words(
    prompt: &Prompt,
    model: &mut dyn Model,
    max_tokens: usize,
    control: &RequestControl,
) -> anyhow::Result<Reply> {
    if model.second_source().is_none() {
        return model.complete(prompt, max_tokens, control);
    }
    match model.second().map(|second| second.complete(prompt, max_tokens, control)) {
        Some(Ok(reply)) => Ok(reply),
        Some(Err(error)) if control.spent(Instant::now()).is_some() => Err(error),
        _ => model.complete(prompt, max_tokens, control),
    }
}

/// Returns what the manuals say about the command of a question; `None` if it has none that is documented, or if a word
/// of it is not explained there (the `755` of `chmod 755`). Behind an explained option names need no explanation: the
/// `a.tar` of `tar -xf a.tar`.
fn explained(request: &str, examiner: &Examiner<'_>) -> Option<String> {
    let text = request.trim().trim_end_matches(['?', '.', '!', ' ']);
    let command = option_of_command(subject(text)?.trim_matches(['`', '"', '\'', ' ']));
    let line = examiner.parse(&command);
    let name = line.parsed().commands.first()?.name()?;
    if examiner.knowledge.known(&[name]).kind == CommandKind::Missing {
        return None;
    }
    let parts = explain(&line, examiner.knowledge);
    let is_explained = |part: &&Part| part.role != Role::Operand && !part.evidence.is_empty();
    let has_option = parts.iter().any(|part| part.role == Role::Option);
    let is_clear = |part: &Part| {
        is_explained(&part)
            || has_option && part.role == Role::Operand && command.get(part.span.clone()).is_some_and(is_name)
    };
    if !parts.iter().all(is_clear) {
        return None;
    }
    let told: Vec<String> = parts
        .iter()
        .filter(is_explained)
        .take(PARTS_MAX)
        .filter_map(|part| {
            Some(format!("{}: {}", command.get(part.span.clone())?, part.meaning.trim_end_matches('.')))
        })
        .collect();
    answer::prose(&told.join(". ")).filter(|_| !told.is_empty())
}

/// Reports whether an argument as typed looks like the name of a file, not like a number or a script.
fn is_name(typed: &str) -> bool {
    typed.starts_with(|c: char| c.is_alphabetic() || matches!(c, '.' | '/' | '~' | '_'))
        && typed.chars().all(|c| c.is_alphanumeric() || "./~_-+".contains(c))
}

/// Returns "-z option of tar" as `tar -z`, and other texts as they are.
fn option_of_command(subject: &str) -> Cow<'_, str> {
    let words: Vec<&str> = subject.split_whitespace().collect();
    match words.as_slice() {
        [option, .., "of" | "in" | "for", command] if option.starts_with('-') && words.len() <= 4 => {
            format!("{command} {option}").into()
        }
        _ => subject.into(),
    }
}

/// Returns the text whose meaning is asked for.
fn subject(text: &str) -> Option<&str> {
    let text = FORMS.asides.iter().find_map(|aside| before(text, aside)).unwrap_or(text);
    let between = |(start, end): &(String, String)| {
        let rest = after(text, start)?;
        let middle = if end.is_empty() { rest } else { before(rest, end)? };
        let middle = after(middle, "the").unwrap_or(middle);
        let middle = before(middle, "command").unwrap_or(middle);
        (!middle.is_empty()).then_some(middle)
    };
    let few =
        |start: &String| after(text, start).filter(|rest| (1..=2).contains(&rest.split_whitespace().count()));
    FORMS.meaning.iter().find_map(between).or_else(|| FORMS.meaning_of_few.iter().find_map(few))
}

/// Returns the signs of the shell that a request is about; `None` if `is_known` doesn't know them. A mark at the end may be one of
/// them: "what is $?".
fn signs(request: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let words = request.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (unmarked, plain) = (words.strip_suffix('?').unwrap_or(&words), plain(request));
    let things = [words.as_str(), unmarked, &plain].into_iter().filter_map(|text| {
        let starts = FORMS.difference.iter().chain(&FORMS.compared).chain(&FORMS.what);
        subject(text).or_else(|| starts.filter_map(|start| after(text, start)).next())
    });
    things.into_iter().find(|things| is_known(things)).map(str::to_owned)
}

/// Reports whether the text asks how to leave a program, or how to do something inside it.
fn asks_for_keys(text: &str) -> bool {
    let asked = asked_how(text);
    let starts = |rest: &str| rest.split_whitespace().next().is_none_or(|verb| listed(&FORMS.start, verb));
    let is_inside = |rest: &str| {
        rest.rsplit_once(" in ").is_some_and(|(_, program)| FORMS.program(program).is_some()) && !starts(rest)
    };
    left_program(text).is_some() || asked.is_some_and(is_inside)
}

/// Returns the program that the text asks to leave, and the words behind it.
fn left_program(text: &str) -> Option<(&'static Program, String)> {
    let rest = asked_how(text).unwrap_or(text);
    FORMS.leave.iter().filter_map(|verb| after(rest, verb)).find_map(|rest| {
        let mut words = rest.split_whitespace().skip_while(|word| listed(&FORMS.fillers, word)).peekable();
        let program = FORMS.program(words.next()?)?;
        let is_asked = words.peek().is_none_or(|word| listed(&FORMS.after, word));
        is_asked.then(|| (program, words.collect::<Vec<_>>().join(" ")))
    })
}

/// Returns the words after "how do I".
fn asked_how(text: &str) -> Option<&str> {
    FORMS.how.iter().filter_map(|how| after(text, how)).min_by_key(|rest| rest.len())
}

/// Returns a request in lower case on one line, without the mark at its end.
fn plain(request: &str) -> String {
    let words: Vec<&str> = request.split_whitespace().collect();
    words.join(" ").to_lowercase().replace('’', "'").trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

/// Reports whether a word is between others.
fn has_within(text: &str, word: &str) -> bool {
    text.split_whitespace().rev().skip(1).any(|other| other == word)
}

fn listed(list: &[String], word: &str) -> bool {
    list.iter().any(|other| other == word)
}

/// Returns the words after a beginning, whose case does not matter.
fn after<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(start.len())?;
    let rest = rest.strip_prefix(' ').filter(|_| head.eq_ignore_ascii_case(start))?;
    Some(rest.trim())
}

/// Returns the words before an end, whose case does not matter.
fn before<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let (rest, tail) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    let rest = rest.strip_suffix(' ').filter(|_| tail.eq_ignore_ascii_case(end))?;
    Some(rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn differences_between_commands_are_explained() {
        let commands_of = |program: &str| match program {
            "git" => Some(vec!["fetch".to_owned(), "pull".to_owned(), "main-tool".to_owned()]),
            "apt" | "kill" | "file" | "sort" | "uniq" | "date" | "test" | "su" | "sudo" => Some(Vec::new()),
            _ => None,
        };
        for (request, expected) in [
            ("difference between kill and kill -9", true),
            ("difference git fetch and git pull", true),
            ("difference between git fetch and pull", true),
            ("difference apt upgrade and dist-upgrade", true),
            ("difference between date and time", false),
            ("difference between su and sudo", true),
            ("difference between file old and file new", false),
            ("difference between test data and test results", false),
            ("difference of date today and date tomorrow", false),
            ("difference between sort and uniq output", false),
            ("diff between git main and git dev", false),
            ("difference between main and dev", false),
        ] {
            assert_eq!(compares_programs(request, &commands_of), expected, "{request}");
        }
        for (request, expected) in
            [("what means drwxr-xr-x", true), ("what means are there to compress a folder", false)]
        {
            assert_eq!(wants_words(request), expected, "{request}");
        }
    }

    #[test]
    fn questions_for_words_are_told_from_requests() {
        for request in [
            "how do I exit vim",
            "How do I quit Vim without saving?",
            "how to get out of less",
            "exit nano",
            "quit vim",
            "how can I save and quit vim",
            "how do I undo in nano",
            "what does tar -xzf mean?",
            "What does `chmod 755` do",
            "what does EACCES mean",
            "explain ls -la",
            "what is the difference between a hard link and a symlink",
            "what is a symbolic link",
            "What's an inode?",
            "what is 2>&1",
            "what is $?",
            "what is !!?",
            "what is the difference between $? and $$",
            "difference between chmod 755 and 644",
            "what does drwxr-xr-x mean",
        ] {
            assert!(wants_words(request), "{request}");
        }
        for request in [
            "how do I list big files",
            "how many files are here",
            "what is using port 80",
            "what is > 1 GB here",
            "what is the difference between a.txt and b.txt",
            "difference between main and dev",
            "what is my ip",
            "what is a good way to find large files",
            "what is a.txt",
            "what's a free port",
            "what is a 20 character password",
            "why is this disk full",
            "why does the service fail",
            "what does this folder contain",
            "open notes.txt in vim",
            "how do I open notes.txt in vim",
            "close the tmux session work",
            "how do I close the window main in tmux session 3",
            "quit all python processes",
            "kill vim",
            "exit",
            "list files",
            "find explain.txt",
            "",
        ] {
            assert!(!wants_words(request), "{request}");
        }
        assert!(asks_why("why does rm say directory not empty") && !asks_why("why does the service fail"));
        assert!(is_question("how do I log out") && is_question("log out?") && !is_question("log out"));
    }

    #[test]
    fn a_line_that_ends_the_shell_is_known() {
        for line in [
            "exit",
            "exit 0",
            "logout",
            "exec bash",
            "kill -9 $$",
            "cd / && exit",
            "kill -9 -1",
            "kill -- -1",
        ] {
            assert!(ends_shell(&ParsedLine::new(line, Shell::Bash)), "{line}");
        }
        for line in
            ["ls", "kill -9 123", "kill -1 123", "pkill -1 nginx", "kill -HUP 7", "echo exit", "vim +q"]
        {
            assert!(!ends_shell(&ParsedLine::new(line, Shell::Bash)), "{line}");
        }
    }

    #[test]
    fn the_subject_is_between() {
        assert_eq!(subject("What does the `tar -xzf` command mean"), Some("`tar -xzf`"));
        assert_eq!(subject("explain ls -la"), Some("ls -la"));
        assert_eq!(subject("explain"), None);
        assert_eq!(subject("what does mean"), None);
        assert_eq!(option_of_command("-z option of tar"), "tar -z");
        assert_eq!(option_of_command("tar -xzf"), "tar -xzf");
    }
}
