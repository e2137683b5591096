//! Solved requests of the cookbook that are similar to the user's, for the prompt.

use crate::cookbook;
use crate::examine::Examiner;
use askline_model::prompt::Prompt;

/// Number of solved requests. Reading three takes the 1.5B about 0.7 s (`benches/accuracy.md`).
const ROWS: usize = 3;

/// Returns the prompt with similar solved requests whose commands are installed; `None` if there are none.
pub(super) fn prompt(prompt: &Prompt, examiner: &Examiner<'_>) -> Option<Prompt> {
    let knowledge = examiner.knowledge;
    let is_usable = |line: &str| {
        let line = examiner.parse(line);
        let mut names = line.parsed().commands.iter().filter_map(|command| command.name());
        names.all(|name| knowledge.has_command(name))
    };
    let rows = cookbook::similar(prompt.request(), examiner.shell, knowledge.tools(), ROWS, is_usable);
    (!rows.is_empty()).then(|| prompt.with_similar(&rows))
}
