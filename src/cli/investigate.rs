//! `askline investigate`: looks around with tools that only read, and then prints one command, which it does not run.
//!
//! At a terminal the looks are shown as they are made, questions are answered in place, and Esc or Ctrl-C ends with what was
//! found. Without one askline asks no questions. The object of `--json` is described in [`super::investigation`].

use std::io::{self, IsTerminal as _};
use std::time::Instant;

use signal_hook::low_level;

use super::args;
use super::interrupts::Interrupts;
use super::investigation::{InvestigationResult, InvestigationSession, object};
use super::line::wait;
use super::rows::rows;
use super::suggest::show_suggestion;
use super::{AppContext, Exit, complain, exit_of, one_line, print, print_message};
use crate::investigate::{Investigation, Person};
use crate::metrics::Outcome;
use crate::shell_facts::ShellFacts;
use askline_agent::event::AgentEvent;
use askline_host::local::{self, LocalHost};
use askline_model::failure::Failure;
use askline_model::request_control::RequestControl;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;

/// Message if no request is given.
const NO_REQUEST: &str = "no request; say what you want, such as `askline investigate why is this disk full`";

pub(super) fn run(args: &args::Investigate, app: &AppContext) -> anyhow::Result<Exit> {
    let shell = args.shell.unwrap_or_else(|| app.login_shell());
    let mut exit = Exit::Done;
    for row in rows(&args.words, None, NO_REQUEST)? {
        exit = one(row?.text?, shell, args, app)?;
    }
    Ok(exit)
}

/// Investigates one request and shows the result.
fn one(words: String, shell: Shell, args: &args::Investigate, app: &AppContext) -> anyhow::Result<Exit> {
    let subject = (PromptLine::typed(words.clone()), shell, ShellFacts::default());
    let case = InvestigationSession::open(app, subject, &args.agent, args.resume.as_deref())?;
    let control = RequestControl::until(Instant::now() + case.deadline());
    let is_shown = io::stderr().is_terminal();
    let (ended, spent, signal) = if is_shown { attended(case, control)? } else { unattended(case, control) };
    if let Some(usage_store) = app.usage_store() {
        usage_store.record(&spent, Outcome::of(&ended.found.suggestion));
    }
    if args.json {
        print(&format!("{}\n", object(&words, shell, &ended, &spent.usage().total())))?;
    } else {
        show(&ended.found)?;
        if let Some(session) = ended.session.as_ref().filter(|_| is_shown) {
            print_message(&format!("session {session}"));
        }
    }
    if let Some(signal) = signal {
        let _ = low_level::emulate_default_handler(signal);
    }
    app.machine.settle();
    ended.finished?;
    Ok(ended.found.suggestion.as_ref().map_or_else(exit_of, |_| Exit::Done))
}

/// Investigates with the person at the terminal. Returns what came of it, the usage, and the signal with which this program
/// has to end.
fn attended(
    case: InvestigationSession,
    control: RequestControl,
) -> anyhow::Result<(InvestigationResult, RequestControl, Option<i32>)> {
    match wait::investigate(&LocalHost, case, &control) {
        Ok((ended, signal)) => Ok((ended, control, signal)),
        // An unfinished worker may be inside the model's library, whose exit handlers must not run at the same time.
        Err(error) if error.is::<Failure>() => {
            if error.downcast_ref() != Some(&Failure::Cancelled) {
                complain("", &error);
            }
            local::end_probes();
            low_level::exit(exit_of(&error) as i32)
        }
        Err(error) => Err(error),
    }
}

/// Investigates without a person.
fn unattended(
    case: InvestigationSession,
    control: RequestControl,
) -> (InvestigationResult, RequestControl, Option<i32>) {
    let interrupts = Interrupts::listen();
    let (ended, control) = interrupts.during(control, |control| case.run(&mut NoTerminal, control));
    (ended, control, interrupts.signal())
}

/// Prints the command, and what was found as messages.
fn show(found: &Investigation) -> anyhow::Result<()> {
    if !found.answer.is_empty() {
        print_message(&one_line(&found.answer));
    }
    if let Some(warning) = &found.warning {
        print_message(&one_line(warning));
    }
    if let Some(why) = &found.cut_short {
        print_message(&format!("ended early: {}", one_line(why)));
    }
    match &found.suggestion {
        Ok(suggestion) => {
            print(&format!("{}\n", suggestion.command))?;
            show_suggestion("", suggestion);
        }
        Err(error) if error.downcast_ref() == Some(&Failure::Cancelled) => {}
        Err(error) => complain("", error),
    }
    Ok(())
}

/// A person without a terminal, who sees only the result.
struct NoTerminal;

impl Person for NoTerminal {
    fn tell(&mut self, _: &AgentEvent) {}
}
