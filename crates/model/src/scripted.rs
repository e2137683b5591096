//! A model that replays a file: one JSON object per line.
//!
//! ```text
//! {"reply": "find . -size +10M"}
//! {"reply": "ls", "delay_ms": 400, "must_contain": "# list files"}
//! {"reply": "ls", "others": ["ls -a", "ls -l"]}
//! {"reply": "ls", "mean": 0.7, "others": [{"reply": "ls -a", "mean": 0.8}], "others_ms": 300}
//! {"reply": "mkdir a && cp -r b", "cut": true}
//! {"fail": "the server is gone"}
//! {"panic": "to see that the line is kept"}
//! {"hang_ms": 60000}
//! {"reply": "ls -la", "writing_ms": 300}
//! {"reply": "ls", "prepare_ms": 3000}
//! {"reply": "ls", "rest_ms": 3000}
//! ```
//!
//! A request without a remaining line fails, and so does finishing with unused lines. `delay_ms` waits and obeys the
//! request control; `hang_ms` waits and ignores it;
//! `writing_ms` writes the reply bit by bit after that. `prepare_ms` takes that time for one-time work, which a later
//! request, or [`Model::prepare`], continues if it is given up. Replies are brief from one with `rest_ms` on, until
//! [`Model::prepare`] has taken that time. `must_contain` fails unless the prompt contains the text. `others` are
//! the alternatives to this reply; those that differ from it only after its wrong part ([`Further::wrong`]) are left out.
//! They take `others_ms`. `mean` is the mean probability of a reply's tokens. The end of a `cut` reply is missing.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use super::{Certainty, Cut, Further, Model, Reply};
use crate::failure::Failure;
use crate::prompt::Prompt;
use crate::request_control::{RequestControl, Stage};

/// Interval between checks of the request control during a scripted delay.
const TICK: Duration = Duration::from_millis(5);

/// Model that replays the replies of a file.
#[derive(Debug)]
pub struct Scripted {
    source: String,
    left: VecDeque<Row>,
    last: String,
    others: Vec<Other>,
    others_ms: u64,
    rest_ms: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    reply: Option<String>,
    mean: Option<f64>,
    #[serde(default)]
    cut: bool,
    #[serde(default)]
    others: Vec<Other>,
    #[serde(default)]
    others_ms: u64,
    fail: Option<String>,
    panic: Option<String>,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    hang_ms: u64,
    #[serde(default)]
    writing_ms: u64,
    #[serde(default)]
    prepare_ms: u64,
    #[serde(default)]
    rest_ms: u64,
    must_contain: Option<String>,
}

/// An alternative to a reply.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Other {
    Text(String),
    Likely { reply: String, mean: f64 },
}

impl Other {
    fn text(&self) -> &str {
        match self {
            Self::Text(reply) | Self::Likely { reply, .. } => reply,
        }
    }

    fn reply(self) -> Reply {
        match self {
            Self::Text(text) => Reply { text, ..Reply::default() },
            Self::Likely { reply, mean } => {
                Reply { text: reply, certainty: Some(certainty(mean)), ..Reply::default() }
            }
        }
    }
}

fn certainty(mean: f64) -> Certainty {
    Certainty { mean }
}

impl Scripted {
    /// Parses a script; `path` is used only in messages.
    ///
    /// # Errors
    ///
    /// If a line is not in the format above.
    pub fn parse(path: &Path, text: &str) -> anyhow::Result<Self> {
        let source = format!("scripted:{}", path.display());
        let rows = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let left = rows
            .map(|(n, line)| {
                serde_json::from_str(line)
                    .with_context(|| format!("{source}: line {} is not a scripted reply", n + 1))
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Self { source, left, last: String::new(), others: Vec::new(), others_ms: 0, rest_ms: 0 })
    }
}

/// Does the rest of the one-time work, of which `left_ms` milliseconds remain.
fn prepare(left_ms: &mut u64, control: &RequestControl) -> Result<(), Failure> {
    if *left_ms == 0 {
        return Ok(());
    }
    let (begun, whole) = (Instant::now(), Duration::from_millis(*left_ms));
    control.enter(Stage::Preparing, begun);
    control.expect(whole, begun);
    let passed = pass(begun + whole, control);
    *left_ms = u64::try_from(whole.saturating_sub(begun.elapsed()).as_millis()).unwrap_or_default();
    passed?;
    control.enter(Stage::Thinking, Instant::now());
    // A request that was given up meanwhile takes no reply.
    control.spent(Instant::now()).map_or(Ok(()), Err)
}

/// Waits until a time, and obeys the request control.
fn pass(until: Instant, control: &RequestControl) -> Result<(), Failure> {
    loop {
        let now = Instant::now();
        if let Some(failure) = control.spent(now) {
            return Err(failure);
        }
        if until <= now {
            return Ok(());
        }
        std::thread::sleep(TICK.min(until - now));
    }
}

/// Writes a reply bit by bit within a time.
fn write(reply: &str, writing_ms: u64, control: &RequestControl) -> Result<(), Failure> {
    if writing_ms == 0 {
        return Ok(());
    }
    let (begun, whole) = (Instant::now(), Duration::from_millis(writing_ms));
    let bits = u32::try_from(reply.chars().count()).unwrap_or(u32::MAX).max(1);
    for (at, (end, _)) in (1..).zip(reply.char_indices()) {
        control.write(reply.get(..end).unwrap_or_default());
        pass(begun + whole / bits * at, control)?;
    }
    Ok(())
}

impl Model for Scripted {
    fn source(&self) -> String {
        self.source.clone()
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        _max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        if let Some(next) = self.left.front_mut() {
            prepare(&mut next.prepare_ms, control)?;
        }
        let Some(row) = self.left.pop_front() else {
            bail!("{}: no reply is left; add a line for this request", self.source);
        };
        control.enter(Stage::Thinking, Instant::now());
        std::thread::sleep(Duration::from_millis(row.hang_ms));
        pass(Instant::now() + Duration::from_millis(row.delay_ms), control)?;
        write(row.reply.as_deref().unwrap_or_default(), row.writing_ms, control)?;
        if let Some(needle) = &row.must_contain {
            ensure!(
                prompt.text().contains(needle),
                "{}: the prompt does not contain {needle:?}",
                self.source
            );
        }
        if let Some(why) = row.panic {
            panic!("{why}");
        }
        if let Some(why) = row.fail {
            bail!(why);
        }
        (self.others, self.others_ms) = (row.others, row.others_ms);
        self.rest_ms += row.rest_ms;
        self.last = row.reply.unwrap_or_default();
        let cut = row.cut.then_some(Cut::Repetition);
        let (text, certainty, brief) = (self.last.clone(), row.mean.map(certainty), 0 < self.rest_ms);
        Ok(Reply { text, certainty, cut, brief, ..Reply::default() })
    }

    fn prepare(&mut self, _: &str, control: &RequestControl) -> anyhow::Result<()> {
        prepare(&mut self.rest_ms, control)?;
        self.left.front_mut().map_or(Ok(()), |next| Ok(prepare(&mut next.prepare_ms, control)?))
    }

    fn keeps_alternatives(&self) -> bool {
        !self.others.is_empty() || self.left.iter().any(|row| !row.others.is_empty())
    }

    fn alternatives(
        &mut self,
        _: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        pass(Instant::now() + Duration::from_millis(self.others_ms), control)?;
        let is_late = |other: &Other| {
            let text = other.text().as_bytes();
            further.wrong.is_some_and(|wrong| {
                self.last.as_bytes().get(..wrong).is_some_and(|same| text.starts_with(same))
            })
        };
        let others = std::mem::take(&mut self.others).into_iter().filter(|other| !is_late(other));
        Ok(others.take(further.most).map(Other::reply).collect())
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        ensure!(self.left.is_empty(), "{}: {} replies were never asked for", self.source, self.left.len());
        Ok(())
    }
}
