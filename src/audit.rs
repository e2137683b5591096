//! What an investigation did: each look with its time for the statistics, and, if the configuration says so, as a line of a log.
//!
//! The log is `audit.jsonl` beside the sessions, a private file with one JSON object a line: `time` (seconds since 1970), `run`,
//! `event` (`look`, `question`, `final`), and of a look `tool`, `parameters`, `consent` (null if no person was asked), `failed`, `seen`
//! and `ms`. Secrets are left out. At 1 MB it becomes `audit-1.jsonl`; the one before that goes.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::metrics::Looked;
use askline_agent::call::{Call, Observation};
use askline_agent::event::AgentEvent;
use askline_host::{seconds_since_1970, store};
use askline_redact::{Kept, Redactor};

/// Size in bytes at which a new log begins.
const LOG_BYTES_MAX: u64 = 1 << 20;
/// Maximum length of one line in bytes; longer ones are left out but for the tool.
const LINE_BYTES_MAX: usize = 16 << 10;
/// Number of attempts to take the lock, and the pause between them.
const LOCK_TRIES: (usize, Duration) = (50, Duration::from_millis(2));

/// Record of one investigation.
#[expect(missing_debug_implementations, reason = "it holds what was redacted")]
pub struct Audit {
    /// Looks so far.
    pub looked: Vec<Looked>,
    directory: Option<PathBuf>,
    run: String,
    redactor: Redactor,
    kept: Kept,
    call: Option<(Call, Instant)>,
    consent: Option<bool>,
}

impl Audit {
    /// Begins the record of an investigation; with a directory, its lines go to the log there.
    pub fn new(run: &str, directory: Option<&Path>) -> Self {
        let directory = directory.map(Path::to_owned);
        let (redactor, kept) = (Redactor::new(), Kept::new());
        Self { looked: Vec::new(), directory, run: run.to_owned(), redactor, kept, call: None, consent: None }
    }

    /// Notes an event.
    ///
    /// # Errors
    /// When the log can't be written.
    pub fn note(&mut self, event: &AgentEvent) -> anyhow::Result<()> {
        match event {
            AgentEvent::ToolCall(call) => {
                (self.call, self.consent) = (Some((call.clone(), Instant::now())), None);
                Ok(())
            }
            AgentEvent::Approval(_, is_allowed) => {
                self.consent = Some(*is_allowed);
                // The time of the person is not that of the look.
                self.call.iter_mut().for_each(|(_, begun)| *begun = Instant::now());
                Ok(())
            }
            AgentEvent::Observation(seen) => self.look(seen),
            AgentEvent::Question(question) => self.write(json!({"event": "question", "text": question})),
            AgentEvent::Final(answer) => self.write(json!({"event": "final", "answer": answer})),
            AgentEvent::Thought(_)
            | AgentEvent::Plan(_)
            | AgentEvent::Warning(_)
            | AgentEvent::Progress(_) => Ok(()),
        }
    }

    fn look(&mut self, seen: &Observation) -> anyhow::Result<()> {
        let Some((call, begun)) = self.call.take() else { return Ok(()) };
        let (time, failed) = (begun.elapsed(), seen.is_error);
        self.looked.push(Looked { tool: call.name.clone(), time, failed });
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let row = json!({
            "event": "look", "tool": call.name, "parameters": call.parameters, "consent": self.consent,
            "failed": failed, "seen": seen.headline, "ms": ms,
        });
        self.write(row)
    }

    /// Adds a line to the log.
    fn write(&mut self, mut row: Value) -> anyhow::Result<()> {
        let Some(directory) = self.directory.clone() else { return Ok(()) };
        row["time"] = json!(seconds_since_1970(SystemTime::now()));
        row["run"] = json!(self.run);
        redact_texts(&mut row, &self.redactor, &mut self.kept);
        let mut line = format!("{row}\n");
        if LINE_BYTES_MAX < line.len() {
            let short = json!({"event": row["event"], "tool": row["tool"], "time": row["time"], "run": self.run, "cut": true});
            line = format!("{short}\n");
        }
        store::make_directory(&directory)?;
        let (tries, pause) = LOCK_TRIES;
        let lock = (0..tries).find_map(|_| match store::lock(&directory.join("audit.lock")) {
            Ok(None) => {
                thread::sleep(pause);
                None
            }
            taken => Some(taken),
        });
        let _lock = lock.transpose()?.flatten().context("the audit log is in use")?;
        let log = directory.join("audit.jsonl");
        if fs::symlink_metadata(&log).is_ok_and(|log| LOG_BYTES_MAX < log.len() + line.len() as u64) {
            fs::rename(&log, directory.join("audit-1.jsonl"))?;
        }
        // One write, so that a line is whole or missing.
        Ok(store::open_to_append(&log)?.write_all(line.as_bytes())?)
    }
}

/// Leaves secrets out of each text of a value. Parsing and building have bounded the depth.
pub fn redact_texts(value: &mut Value, redactor: &Redactor, kept: &mut Kept) {
    match value {
        Value::String(text) => *text = redactor.redact(text, kept),
        Value::Array(values) => values.iter_mut().for_each(|value| redact_texts(value, redactor, kept)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| redact_texts(value, redactor, kept));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn call(path: &str) -> AgentEvent {
        let parameters = [("path".to_owned(), path.into())].into_iter().collect();
        AgentEvent::ToolCall(Call { name: "stat".into(), parameters })
    }

    #[test]
    fn each_look_is_a_private_line_without_secrets() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("sessions");
        let mut audit = Audit::new("run-1", Some(&directory));
        let seen = AgentEvent::Observation(Observation::seen("a is big", "a".into(), false));
        for event in [
            call("password=hunter2-Zx81abcd"),
            AgentEvent::Approval("stat".into(), true),
            seen.clone(),
            AgentEvent::Thought("hm".into()),
            call("b"),
            AgentEvent::Observation(Observation::failed("stat is denied by the person's configuration")),
            AgentEvent::Final("a is big".into()),
        ] {
            audit.note(&event).unwrap();
        }
        let log = directory.join("audit.jsonl");
        assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&log).unwrap();
        assert!(!text.contains("hunter2"), "{text}");
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let told =
            |row: &Value| format!("{} {} {} {}", row["event"], row["consent"], row["failed"], row["run"]);
        let expected = [
            "\"look\" true false \"run-1\"",
            "\"look\" null true \"run-1\"",
            "\"final\" null null \"run-1\"",
        ];
        assert_eq!(rows.iter().map(told).collect::<Vec<_>>(), expected);
        assert_eq!(audit.looked.iter().map(|looked| looked.failed).collect::<Vec<_>>(), [false, true]);

        let mut silent = Audit::new("run-2", None);
        [call("a"), seen].iter().for_each(|event| silent.note(event).unwrap());
        assert_eq!((silent.looked.len(), fs::read_to_string(&log).unwrap()), (1, text));
    }

    #[test]
    fn a_full_log_is_replaced_and_a_link_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let log = home.path().join("audit.jsonl");
        let mut audit = Audit::new("r", Some(home.path()));
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let row = AgentEvent::Final("x".into());
        for _ in 0..2 {
            fs::write(&log, "x".repeat(1 << 20)).unwrap();
            audit.note(&row).unwrap();
        }
        assert!(fs::metadata(&log).unwrap().len() <= LOG_BYTES_MAX);
        assert!(home.path().join("audit-1.jsonl").exists());
        let files = fs::read_dir(home.path()).unwrap().count();
        assert_eq!(files, 3, "two logs and the lock");
        audit.note(&AgentEvent::Final("y".repeat(40_000))).unwrap();
        let text = fs::read_to_string(&log).unwrap();
        assert!(text.lines().last().is_some_and(|line| line.contains("\"cut\":true") && line.len() < 200));
        fs::remove_file(&log).unwrap();
        std::os::unix::fs::symlink("/dev/null", &log).unwrap();
        assert!(audit.note(&row).is_err());
    }
}
