//! Prints the mismatches of pairs on standard input: request, tab, bash line.
use std::io::{BufRead as _, Write as _};

fn main() {
    let mut out = std::io::stdout().lock();
    for pair in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some((request, line)) = pair.split_once('\t') else { continue };
        let parsed = askline_syntax::ParsedLine::new(line, askline_syntax::shell::Shell::Bash);
        if let Some(agreed) = askline_intent::agree(request, &parsed) {
            let _ = writeln!(out, "{request}\n    {line}\n    AGREED {}", agreed.line);
        }
        for found in askline_intent::mismatches(request, &parsed) {
            let edit = found.edit.map(|edit| edit.change).unwrap_or_default();
            let _ = writeln!(out, "{request}\n    {line}\n    {:?} {} [{edit}]", found.certainty, found.text);
        }
    }
}
