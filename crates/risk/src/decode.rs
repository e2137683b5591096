//! Static evaluation of text commands with literal arguments (`echo … | rev`, `base64 -d <<< …`, `printf '\162\155'`)
//! and of words made of known parts. askline computes the output itself and runs nothing.
//!
//! `makers` implements commands of all shells, `structured` those of fish and Nushell, `expansion` the expansion of
//! words, `nushell` the expressions of Nushell.

mod escapes;
mod expansion;
mod makers;
mod nushell;
mod structured;
#[cfg(test)]
mod tests;
mod text;

use askline_syntax::program_name;
use askline_syntax::shell::Shell;

pub(super) use self::expansion::expand;

/// Maximum size of the text at each step and at the end, in bytes.
const BYTES_MAX: usize = 64 << 10;
/// Maximum nesting of values and substitutions.
const DEPTH_MAX: usize = 5;
/// Maximum number of commands in a pipeline.
const STEPS_MAX: usize = 32;

/// A command of a pipeline of text commands.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextCommand<'a> {
    /// Command and arguments, all literal.
    pub(super) words: &'a [String],
    /// Input that replaces the output of the command before: a here-string, a here-document, or the value at the head
    /// of a Nushell pipeline.
    pub(super) input: Option<&'a str>,
}

/// Returns the output of a pipeline, with trailing newlines. Returns `None` if a command is not supported or the output
/// is not text.
pub(super) fn output(steps: &[TextCommand<'_>], shell: Shell) -> Option<String> {
    if steps.is_empty() || steps.len() > STEPS_MAX {
        return None;
    }
    let mut data: Option<Vec<u8>> = None;
    for step in steps {
        let input = step.input.map(|text| text.as_bytes().to_vec()).or(data);
        if input.as_ref().is_some_and(|input| input.len() > BYTES_MAX) {
            return None;
        }
        data = Some(run(step.words, input, shell).filter(|data| data.len() <= BYTES_MAX)?);
    }
    String::from_utf8(data?).ok()
}

/// Returns the output of one command.
fn run(words: &[String], input: Option<Vec<u8>>, shell: Shell) -> Option<Vec<u8>> {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while let Some(("command" | "builtin" | "busybox" | "exec", rest)) =
        words.split_first().map(|(name, rest)| (*name, rest))
        && !rest.is_empty()
    {
        words.remove(0);
    }
    // A Nushell command of two words may arrive as one word.
    let (first, rest) = words.split_first()?;
    let name = program_name(first.trim_start_matches(['\\', '^']));
    if shell.is_nushell() || name == "string" {
        let mut all: Vec<&str> = name.split(' ').collect();
        all.extend(rest);
        let text = |input: Option<Vec<u8>>| input.map(String::from_utf8).transpose().ok();
        let made = if shell.is_nushell() {
            structured::nushell(&all, input.as_deref())
        } else if shell.is_fish() {
            structured::fish_string(&all, text(input.clone())?.as_deref()).map(String::into_bytes)
        } else {
            None
        };
        if made.is_some() {
            return made;
        }
    }
    makers::run(name, rest, input, shell)
}
