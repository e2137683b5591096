//! Sessions: what investigations saw, for a later one that goes on from there (`--resume`).
//!
//! One private file each, written whole after every look, so that a killed investigation can be resumed. Nothing is kept
//! unless `[investigate] sessions = "on"`. Secrets are left out, in the words of the person and of the model too.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::audit::redact_texts;
use askline_agent::context::Exchange;
use askline_host::seconds_since_1970;
use askline_host::store;
use askline_model::failure::UsageError;
use askline_redact::{Kept, Redactor};

/// Kind and format version of the files.
const KIND: (&str, u32) = ("session", 1);
/// Maximum size of a file in bytes.
const FILE_LIMIT: u64 = 4 << 20;
/// Maximum number of looks that a session keeps; the oldest go first.
const LOOKS_MAX: usize = 100;
/// Maximum number of requests that a session keeps.
const REQUESTS_MAX: usize = 20;
/// Maximum number of files that are listed.
const FILES_MAX: usize = 1_000;
/// Time after which a session is removed.
const EXPIRY: Duration = Duration::from_hours(30 * 24);

/// A session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Name of the session: letters, digits and dashes.
    pub id: String,
    /// Time of the last change, in seconds since 1970.
    pub changed: u64,
    /// Requests with their answers, in order.
    pub requests: Vec<Answered>,
    /// Looks, in order.
    pub looks: Vec<Exchange>,
}

/// A request of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The person's words.
    pub words: String,
    /// What was found; empty while it is not.
    pub answer: String,
    /// The command, if there was one.
    pub command: Option<String>,
}

impl Session {
    /// Creates a session; the name is that of this moment and process.
    pub fn begin(now: SystemTime) -> Self {
        let id = format!("{:x}-{:x}", seconds_since_1970(now), std::process::id());
        Self { id, ..Self::default() }
    }

    /// Adds a request.
    pub fn ask(&mut self, words: &str) {
        self.requests.push(Answered { words: words.to_owned(), ..Answered::default() });
        let extra = self.requests.len().saturating_sub(REQUESTS_MAX);
        self.requests.drain(..extra);
    }

    /// Adds a look.
    pub fn look(&mut self, made: &Exchange) {
        self.looks.push(made.clone());
        let extra = self.looks.len().saturating_sub(LOOKS_MAX);
        self.looks.drain(..extra);
    }

    /// Returns the answered requests as facts for the model.
    pub fn facts(&self) -> Vec<String> {
        let answered = self.requests.iter().filter(|one| !one.answer.is_empty());
        answered.map(|one| format!("asked before: {} → {}", one.words, one.answer)).collect()
    }
}

/// All sessions of the user.
#[derive(Debug, Clone)]
pub struct Sessions {
    directory: PathBuf,
}

impl Sessions {
    /// Creates the access to the sessions in a directory.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Returns the session of this name.
    ///
    /// # Errors
    /// When there is none, or its file can't be read.
    pub fn open(&self, id: &str) -> anyhow::Result<Session> {
        let none = || UsageError(format!("there is no session `{id}`; `askline sessions list` shows them"));
        let body = store::read_versioned(&self.file(id)?, KIND.0, KIND.1, FILE_LIMIT)?.ok_or_else(none)?;
        let remedy = || format!("session {id} is damaged; remove it with `askline sessions rm {id}`");
        serde_json::from_slice(&body).with_context(remedy)
    }

    /// Takes the lock of a session until the result is dropped.
    ///
    /// # Errors
    /// When another process has it.
    pub fn lock(&self, id: &str) -> anyhow::Result<store::Lock> {
        self.file(id)?;
        store::make_directory(&self.directory)?;
        let taken = || UsageError(format!("session {id} is in use; wait for the other investigation"));
        Ok(store::lock(&self.directory.join(format!("{id}.lock")))?.ok_or_else(taken)?)
    }

    /// Writes a session.
    ///
    /// # Errors
    /// When it can't be written; what was there stays.
    pub fn save(&self, session: &mut Session, now: SystemTime) -> anyhow::Result<()> {
        session.changed = seconds_since_1970(now);
        store::make_directory(&self.directory)?;
        let mut kept = serde_json::to_value(&*session)?;
        redact_texts(&mut kept, &Redactor::new(), &mut Kept::new());
        store::write_versioned(&self.file(&session.id)?, KIND.0, KIND.1, &serde_json::to_vec(&kept)?)
    }

    /// Returns all sessions that can be read, the latest first. Expired ones are removed.
    pub fn list(&self, now: SystemTime) -> Vec<Session> {
        let files =
            fs::read_dir(&self.directory).into_iter().flatten().filter_map(Result::ok).take(FILES_MAX);
        let id = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".json")?.to_owned());
        let mut sessions: Vec<Session> = files.filter_map(id).filter_map(|id| self.open(&id).ok()).collect();
        let oldest = seconds_since_1970(now).saturating_sub(EXPIRY.as_secs());
        sessions.retain(|session| oldest <= session.changed || self.remove(&session.id).is_err());
        sessions.sort_by_key(|session| std::cmp::Reverse((session.changed, session.id.clone())));
        sessions
    }

    /// Removes a session.
    ///
    /// # Errors
    /// When there is none, or its file can't be removed.
    pub fn remove(&self, id: &str) -> anyhow::Result<()> {
        let file = self.file(id)?;
        let none = || UsageError(format!("there is no session `{id}`; `askline sessions list` shows them"));
        fs::remove_file(&file).map_err(|_| none())?;
        let _ = fs::remove_file(self.directory.join(format!("{id}.lock")));
        Ok(())
    }

    /// Returns the file of a session; a name can't lead out of the directory.
    fn file(&self, id: &str) -> Result<PathBuf, UsageError> {
        let is_sound = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        match is_sound {
            true => Ok(self.directory.join(format!("{id}.json"))),
            false => {
                Err(UsageError(format!("`{id}` is no name of a session; `askline sessions list` shows them")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use askline_agent::call::{Call, Observation};

    fn exchange(n: usize) -> Exchange {
        let call = Call { name: format!("look{n}"), parameters: serde_json::Map::new() };
        Exchange { thought: String::new(), call, observation: Observation::seen("a", "b".into(), false) }
    }

    #[test]
    fn a_session_is_kept_private_listed_resumed_and_removed() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(home.path().join("sessions"));
        let now = SystemTime::now();
        assert_eq!(sessions.list(now), []);
        let mut session = Session::begin(now);
        session.ask("free the disk");
        for n in 0..LOOKS_MAX + 5 {
            session.look(&exchange(n));
        }
        let lock = sessions.lock(&session.id).unwrap();
        assert!(sessions.lock(&session.id).unwrap_err().to_string().contains("is in use"));
        drop(lock);
        sessions.save(&mut session, now).unwrap();
        let file = home.path().join(format!("sessions/{}.json", session.id));
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let opened = sessions.open(&session.id).unwrap();
        assert_eq!((opened.looks.len(), opened.looks[0].call.name.as_str()), (LOOKS_MAX, "look5"));
        assert_eq!(opened, session);
        assert_eq!(opened.facts(), Vec::<String>::new(), "an open request is no fact");
        assert_eq!(sessions.list(now).len(), 1);
        assert_eq!(sessions.list(now + EXPIRY + Duration::from_secs(9)), [], "it expires");
        assert!(!file.exists() && sessions.remove(&session.id).is_err());
    }

    #[test]
    fn secrets_are_left_out_of_every_part() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(home.path().join("sessions"));
        let secret = "password=hunter2-Zx81abcd";
        let mut session = Session::begin(SystemTime::now());
        session.ask(secret);
        session.requests[0].answer = format!("log in with {secret}");
        session.requests[0].command = Some(format!("curl -d {secret} localhost"));
        let mut made = exchange(0);
        made.thought = secret.to_owned();
        made.call.parameters.insert("text".to_owned(), secret.into());
        session.look(&made);
        sessions.save(&mut session, SystemTime::now()).unwrap();
        let kept = fs::read_to_string(home.path().join(format!("sessions/{}.json", session.id))).unwrap();
        assert!(!kept.contains("hunter2") && kept.contains("log in with"), "{kept}");
        assert!(session.requests[0].words.contains("hunter2"), "the running investigation has its words");
    }

    #[test]
    fn a_wrong_name_or_file_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(home.path().to_owned());
        for id in ["", "../x", "a/b", "a.b"] {
            assert!(sessions.open(id).unwrap_err().to_string().contains("is no name of a session"), "{id}");
        }
        assert!(sessions.open("abc").unwrap_err().to_string().contains("there is no session `abc`"));
        store::write_versioned(&home.path().join("abc.json"), KIND.0, KIND.1, b"{oops").unwrap();
        assert!(sessions.open("abc").unwrap_err().to_string().contains("is damaged"));
        assert_eq!(sessions.list(SystemTime::now()), []);
    }
}
