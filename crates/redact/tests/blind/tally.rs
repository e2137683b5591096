//! Counts of what redaction leaves of invented secrets, and of the ordinary lines that it touches.

use askline_redact::{Kept, Redactor};

/// Number of consecutive characters of a secret that must not remain.
const TELLTALE: usize = 8;

/// Totals of one pair of files.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Number of secrets, and of those of which a part is left.
    pub(crate) secrets: usize,
    pub(crate) left: usize,
    /// Number of lines without secrets, and of those that redaction changed.
    pub(crate) lines: usize,
    pub(crate) touched: usize,
    /// Each secret that is left and each line that is touched, with what is sent.
    pub(crate) misses: Vec<String>,
}

impl Tally {
    /// Returns the totals of a file of secrets (a text, then its secrets, with tabs between) and a file of ordinary
    /// lines. In both, `\n` is the end of a line, and a line after `#` and a blank is a comment.
    pub(crate) fn of(redactor: &Redactor, secrets: &str, ordinary: &str) -> Self {
        let mut tally = Self::default();
        for line in rows(secrets) {
            let mut cells = line.split('\t');
            let text = cells.next().unwrap_or_default();
            let sent = redactor.redact(text, &mut Kept::new());
            for secret in cells {
                tally.secrets += 1;
                if is_left(secret, text, &sent) {
                    tally.left += 1;
                    tally.misses.push(format!("left {secret:?}\n  in {sent:?}"));
                }
            }
        }
        for line in rows(ordinary) {
            let sent = redactor.redact(&line, &mut Kept::new());
            tally.lines += 1;
            if sent != line {
                tally.touched += 1;
                tally.misses.push(format!("touched {line:?}\n     as {sent:?}"));
            }
        }
        tally
    }
}

fn rows(file: &str) -> impl Iterator<Item = String> {
    file.lines().filter(|line| !line.starts_with("# ")).map(|line| line.replace("\\n", "\n"))
}

/// Reports whether a part of the secret remains that occurs nowhere else in the text.
fn is_left(secret: &str, text: &str, sent: &str) -> bool {
    let around = text.replace(secret, "\0");
    let letters: Vec<char> = secret.chars().collect();
    let mut parts = letters.windows(TELLTALE.min(letters.len()).max(1));
    parts.any(|part| {
        let part: String = part.iter().collect();
        sent.contains(&part) && !around.contains(&part)
    })
}
