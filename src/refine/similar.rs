//! Solved requests of the cookbook that are similar to the user's, for the prompt.

use crate::cookbook;
use crate::examine::Examiner;
use askline_model::prompt::Prompt;
use askline_syntax::ParsedLine;

/// Number of solved requests. Reading three takes the 1.5B about 0.7 s (`benches/accuracy.md`).
const ROWS: usize = 3;
/// Number of solved requests in Nushell, as it was measured (`benches/nushell/README.md`).
const NUSHELL_ROWS: usize = 4;

/// Returns the prompt with similar solved requests whose commands are installed; `None` if there are none, or the prompt has
/// some already.
pub fn prompt(prompt: &Prompt, examiner: &Examiner<'_>) -> Option<Prompt> {
    if prompt.has_similar() {
        return None;
    }
    let knowledge = examiner.knowledge;
    let is_usable = |line: &str| {
        // `Examiner::parse` may start Nushell for a line, which takes 30 ms each.
        let line = ParsedLine::new(line, examiner.shell);
        let mut names = line.parsed().commands.iter().filter_map(|command| command.name());
        names.all(|name| knowledge.has_command(name))
    };
    let most = if examiner.shell.is_nushell() { NUSHELL_ROWS } else { ROWS };
    let rows = cookbook::similar(prompt.request(), examiner.shell, knowledge.tools(), most, is_usable);
    (!rows.is_empty()).then(|| prompt.with_similar(&rows))
}
