//! What text makers print that are given literal text (`echo … | rev`, `base64 -d <<< …`, `printf '\162\155'`), and what
//! words made of known parts are. Computed here; nothing is run.
//!
//! `makers` are the commands of all shells, `structured` those of fish and Nushell, `expansion` the words.

mod escapes;
mod expansion;
mod makers;
mod structured;
#[cfg(test)]
mod tests;
mod text;

use crate::shell::Shell;

#[cfg_attr(not(test), allow(unused_imports, reason = "the judgement of lines will ask it"))]
pub(super) use self::expansion::expand;

/// Bytes of text, at each step and in the end. More can't be read.
const MAX_BYTES: usize = 64 << 10;
/// Commands of a pipeline.
const MAX_STEPS: usize = 32;

/// A command of a pipeline of text makers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    /// The command and its arguments, all literal.
    pub(super) words: &'a [String],
    /// What it is given instead of the output of the command before: a here-string, a here-document, Nushell's value at
    /// the head of a pipeline.
    pub(super) input: Option<&'a str>,
}

/// What a pipeline prints, trailing newlines included; none where it isn't made of text makers that are known here, or
/// where they print anything but text.
pub(super) fn output(steps: &[Step<'_>], shell: Shell) -> Option<String> {
    if steps.is_empty() || steps.len() > MAX_STEPS {
        return None;
    }
    let mut data: Option<Vec<u8>> = None;
    for step in steps {
        let input = step.input.map(|text| text.as_bytes().to_vec()).or(data);
        if input.as_ref().is_some_and(|input| input.len() > MAX_BYTES) {
            return None;
        }
        data = Some(run(step.words, input, shell).filter(|data| data.len() <= MAX_BYTES)?);
    }
    String::from_utf8(data?).ok()
}

/// What one command prints.
fn run(words: &[String], input: Option<Vec<u8>>, shell: Shell) -> Option<Vec<u8>> {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while let Some(("command" | "builtin" | "busybox" | "exec", rest)) =
        words.split_first().map(|(name, rest)| (*name, rest))
        && !rest.is_empty()
    {
        words.remove(0);
    }
    // Nushell's commands of two words may come as one.
    let (first, rest) = words.split_first()?;
    let name = first.trim_start_matches(['\\', '^']);
    let name = name.rsplit('/').next().unwrap_or(name);
    if shell == Shell::Nu || name == "string" {
        let mut all: Vec<&str> = name.split(' ').collect();
        all.extend(rest);
        let text = |input: Option<Vec<u8>>| input.map(String::from_utf8).transpose().ok();
        let made = match shell {
            Shell::Nu => structured::nushell(&all, input.as_deref()),
            Shell::Fish => {
                structured::fish_string(&all, text(input.clone())?.as_deref()).map(String::into_bytes)
            }
            Shell::Bash | Shell::Zsh => None,
        };
        if made.is_some() {
            return made;
        }
    }
    makers::run(name, rest, input, shell)
}
