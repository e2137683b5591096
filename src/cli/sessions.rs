//! `askline sessions`: lists, shows, exports and removes what investigations kept. The object of `export` is what the file holds:
//! `id`, `changed`, `requests` (`words`, `answer`, `command`) and `looks` (`thought`, `call`, `observation`).

use std::time::SystemTime;

use super::args;
use super::{AppContext, Exit, one_line, print, print_message};
use crate::sessions::{Answered, Session, Sessions};

pub(super) fn run(args: &args::Sessions, app: &AppContext) -> anyhow::Result<Exit> {
    let sessions = Sessions::new(app.paths.sessions.clone());
    match &args.command {
        args::SessionsCommand::List => {
            let all = sessions.list(SystemTime::now());
            if all.is_empty() {
                print_message("no session is kept; `sessions = \"on\"` in [investigate] keeps them");
            }
            print(&all.iter().map(row).collect::<String>())?;
        }
        args::SessionsCommand::Show { id } => print(&shown(&sessions.open(id)?))?,
        args::SessionsCommand::Export { id } => {
            print(&format!("{}\n", serde_json::to_string_pretty(&sessions.open(id)?)?))?;
        }
        args::SessionsCommand::Rm { id } => sessions.remove(id)?,
    }
    Ok(Exit::Done)
}

/// Returns a session in one row: its name, its number of looks and its last request.
fn row(session: &Session) -> String {
    let last = session.requests.last().map_or("", |last| &last.words);
    format!("{}  {} looks  {}\n", session.id, session.looks.len(), one_line(last))
}

/// Returns a whole session as text.
fn shown(session: &Session) -> String {
    let mut text = String::new();
    for look in &session.looks {
        text.push_str(&format!(
            "look: {}: {}\n",
            look.call.signature(),
            one_line(&look.observation.headline)
        ));
    }
    for Answered { words, answer, command } in &session.requests {
        text.push_str(&format!("request: {}\n", one_line(words)));
        let parts = [("answer", Some(answer)), ("command", command.as_ref())];
        for (name, part) in
            parts.into_iter().filter_map(|(name, part)| Some((name, part.filter(|part| !part.is_empty())?)))
        {
            text.push_str(&format!("{name}: {}\n", one_line(part)));
        }
    }
    text
}
