//! Patterns for names: matching, patterns that match nearly every name, and brace lists.

use crate::table::is_like;
use askline_syntax::shell::Shell;

/// Maximum length of a word in bytes; longer words are unreadable.
pub(super) const BYTES_MAX: usize = 8192;
/// Maximum number of alternatives of a word's brace lists.
const ALTERNATIVES_MAX: usize = 64;
/// Maximum number of steps when brace lists of one word are expanded.
const LISTS_MAX: usize = 256;

/// Reports whether a pattern matches a name; only `*` and `?` are special. Time grows with the product of their
/// lengths.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    if !pattern.contains('?') {
        return is_like(name, pattern);
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut in_name, mut star, mut resume) = (0, 0, None, 0);
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some(at);
                resume = in_name;
                at += 1;
            }
            Some(c) if *c == '?' || name.get(in_name) == Some(c) => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some(star) = star else { return false };
                at = star + 1;
                resume += 1;
                in_name = resume;
            }
        }
    }
    pattern.get(at..).is_none_or(|rest| rest.iter().all(|c| *c == '*'))
}

/// Reports whether a pattern matches nearly every name.
pub(super) fn is_wide(pattern: &str) -> bool {
    // All but some: `!(keep)`, `^keep`, `*~keep`.
    if pattern.starts_with("!(")
        || pattern.starts_with('^')
        || (pattern.starts_with("*~") && pattern.len() > 2)
    {
        return true;
    }
    let pattern = match pattern.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        // Alternatives: `(*|.*)`, `@(*)`.
        Some(("" | "@" | "+" | "?" | "*", inside))
            if inside.contains('|') || pattern.starts_with(['@', '(', '+']) =>
        {
            return inside.split('|').any(is_wide);
        }
        // zsh's qualifiers: `*(D)`, `*(.om[1,5])`.
        Some((head, inside)) if !inside.contains('|') => head,
        _ => pattern,
    };
    let mut characters = pattern.chars();
    let mut stars = false;
    while let Some(c) = characters.next() {
        match c {
            '*' => stars = true,
            '.' | '?' => {}
            '[' => {
                let set: String = characters.by_ref().take_while(|c| *c != ']').collect();
                let negated = set.starts_with(['!', '^']);
                let letters = set.contains("-z") || set.contains("-Z") || set.contains(":al");
                if !negated && !letters && set != "." {
                    return false;
                }
            }
            _ => return false,
        }
    }
    stars
}

/// Returns the alternatives of a word's brace lists as text; of a range only the first. Without brace lists, returns
/// the word itself.
pub(super) fn braces(text: &str, shell: Shell) -> Vec<String> {
    if !shell.dialect().has_brace_lists || text.len() > BYTES_MAX {
        return vec![text.to_owned()];
    }
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    let mut lists = 0;
    while let Some(next) = open.pop() {
        lists += 1;
        let Some((before, inside, after)) = first_list(&next).filter(|_| lists <= LISTS_MAX) else {
            done.push(next);
            continue;
        };
        let parts = list_parts(inside);
        if done.len() + open.len() + parts.len() > ALTERNATIVES_MAX {
            // Too many alternatives: a pattern of the text before them covers all of them.
            done.push(format!("{before}*"));
            continue;
        }
        open.extend(parts.iter().map(|part| format!("{before}{part}{after}")));
    }
    done
}

/// Returns the text before, inside and after the first brace list.
fn first_list(text: &str) -> Option<(&str, &str, &str)> {
    let mut opens: Vec<(usize, bool)> = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '{' => opens.push((at, before == '$')),
            '}' => {
                if let Some((open, false)) = opens.pop() {
                    let inside = text.get(open + 1..at)?;
                    if (inside.contains(',') || inside.contains(".."))
                        && !opens.iter().any(|(_, dollar)| *dollar)
                    {
                        return Some((text.get(..open)?, inside, text.get(at + 1..)?));
                    }
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

fn list_parts(inside: &str) -> Vec<&str> {
    if inside.contains(',') { inside.split(',').collect() } else { inside.split("..").take(1).collect() }
}
