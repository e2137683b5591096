//! Classification of prose and commands, and shortening of prose for people.
//!
//! There are two degrees of certainty, because a single line is nearly always a command and a line among others
//! often is not. [`surely`] finds lines that are prose even when alone, [`likely`] lines that are prose beside others.

use super::{ReplyPart, WORDS_CHARS_MAX};

/// First words of sentences, capitalised as at the start; no program has such a name.
const OPENERS: &str = "\
    A Absolutely After Alternatively An And Apologies Are As Assuming At Based Be Because Before But By \
    Can Caution Certainly Could Did Do Does Each Error Example Explanation Finally First For From Given \
    Got Great Hello Here Here's Hi How However I I'd I'll I'm I've If Important In Instead Is It It's \
    Just Let Let's Looks Maybe My Next No Not Note Nothing Of Ok Okay On Once One Option Or Output \
    Please Remember Replace Result Sadly Second Should Since So Sorry Step Sure Thanks That That's The \
    Then There There's These They This Those To Tip Unfortunately Unable Use Using Warning Was We What \
    When Where Which While Who Why Will With Would Yes You You'll You're Your";
/// First words that mark prose in any case.
const OPENERS_ANY_CASE: &str = "\
    i i'm i'll i've i'd sorry unfortunately sure certainly here's cannot can't you your it's this that's \
    the there's however explanation";
const QUESTION_WORDS: &str =
    "which what where when who how why do does did can could should would is are shall may";
/// Small words, common in sentences and rare in commands.
const SMALL_WORDS: &str = "\
    the is are to of in that this with for and or your you it its be will can from into by as which all \
    an has have not than a on any";
const REFUSALS: &[&str] = &[
    "sorry",
    "i can't",
    "i cannot",
    "i can not",
    "i'm unable",
    "i am unable",
    "i won't",
    "i will not",
    "unable to",
    "cannot help",
    "can't help",
    "can't assist",
    "cannot assist",
    "not able to",
    "i'm not able",
    "as an ai",
    "not possible",
    "no such command",
    "cannot be done",
    "i don't know",
    "i do not know",
    "refuse",
];
/// Words after which a refusal offers something after all.
const OFFERS: &[&str] =
    &["instead", "you can", "you could", "try ", "alternativ", "here's", "here is", "the following", "use "];
/// Programs with a capital and small letters.
const CAPITAL_PROGRAMS: &str = "Rscript Thunar Xephyr Xnest Xorg Xvfb Xvnc Xwayland";
/// Programs that root typically runs, for a lone `# …` line.
const ROOT_PROGRAMS: &str = "\
    apt apt-get apk dnf yum pacman zypper systemctl service mount umount useradd usermod userdel passwd \
    reboot shutdown fdisk modprobe sysctl";

/// Reports whether a line is prose even when it is the whole reply.
pub(super) fn surely(line: &str) -> bool {
    let Some(first) = line.split_whitespace().next() else { return false };
    if line.starts_with(|c: char| !c.is_ascii() && (c.is_alphabetic() || is_pictograph(c))) {
        // No command starts with a letter of another script; a reply in the user's language does.
        return !matches!(first, "λ" | "➜");
    }
    if line.starts_with("**") || (line.starts_with("| ") && line.ends_with('|')) {
        return true;
    }
    let word = opener(first);
    let question = line.ends_with('?')
        && 1 < line.split_whitespace().count()
        && listed(QUESTION_WORDS, word.to_lowercase().as_str())
        && plain(line);
    let labelled = ["note:", "warning:", "error:", "output:", "result:"]
        .iter()
        .any(|label| first.eq_ignore_ascii_case(label));
    question
        || labelled
        || (listed(OPENERS, word.as_str()) && !first.contains('='))
        || listed(OPENERS_ANY_CASE, word.to_lowercase().as_str())
        || sentence(line, first)
        || announces(line)
}

/// Reports whether a line is prose when it occurs beside others.
pub(super) fn likely(line: &str) -> bool {
    let count = line.split_whitespace().count();
    let first = line.split_whitespace().next().unwrap_or_default();
    if count == 1 {
        return capitalised(first) && line.ends_with([':', '!']);
    }
    if !plain(line) {
        // "Replace `x` with the name." has syntax only in its spans.
        return 3 < count && capitalised(first) && line.ends_with(['.', ':', '!']) && 0 < small_words(line);
    }
    let sentence = line.ends_with(['.', '!']) && !line.ends_with("..") && !line.ends_with(" .") && 2 < count;
    capitalised(first)
        || sentence
        || (2 < count && 1 < small_words(line))
        || (3 < count && 0 < small_words(line))
}

/// Reports whether a text has no shell syntax: no flag, operator, path, quote or variable.
pub(super) fn plain(text: &str) -> bool {
    text.split_whitespace().all(|word| {
        let inner = word.trim_end_matches(['.', ',', ':', '!', '?', ')']).trim_start_matches('(');
        let dash = word.len() == 1 || matches!(word, "--");
        let flag = word.starts_with('-') && !dash;
        let begins = inner.starts_with(['\'', '"', '+', ':']);
        !(flag || begins || inner.contains(|c| ".|<>$=;&{}[]*\\~/@%^`".contains(c)))
    })
}

/// Reports whether a reply only states that there is no command.
pub(super) fn means_nothing(text: &str) -> bool {
    const NOTHING: &[&str] = &[
        "n/a",
        "none",
        "null",
        "nil",
        "nothing",
        "no command",
        "not applicable",
        "-",
        "--",
        "...",
        "…",
        "no answer",
        "no output",
    ];
    let text = text.trim_end_matches(['.', '!']);
    let text = text.strip_prefix('#').unwrap_or(text).trim();
    text.is_empty() || NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing))
}

/// Reports whether the reply starts with a refusal and offers nothing after it. Code quoted in such a reply is a
/// bad example, not an answer.
pub(super) fn refuses(pieces: &[ReplyPart<'_>]) -> bool {
    let prose = pieces
        .iter()
        .filter(|piece| !matches!(piece, ReplyPart::Break))
        .map_while(|piece| match piece {
            ReplyPart::Words(line) => Some(line.to_lowercase().replace('’', "'")),
            _ => None,
        })
        .collect::<Vec<_>>()
        .join(" ");
    REFUSALS.iter().any(|refusal| prose.contains(refusal))
        && !OFFERS.iter().any(|offer| prose.contains(offer))
}

/// Returns the commands in `code` spans inside prose. File names and flags are quoted like that too: a single word
/// counts only if the sentence asks to run it, and questions never count.
pub(super) fn code(pieces: &[ReplyPart<'_>]) -> Vec<String> {
    let mut long = Vec::new();
    let mut short = Vec::new();
    for piece in pieces {
        let ReplyPart::Words(line) = piece else { continue };
        if line.trim_end().ends_with('?') {
            continue;
        }
        let lower = line.to_lowercase();
        let told_to_run =
            ["use ", "run ", "try ", "type ", "command", "execute "].iter().any(|word| lower.contains(word));
        for span in line.split('`').skip(1).step_by(2).map(str::trim) {
            let named = span.starts_with(|c: char| {
                c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '~' | '$' | '(')
            });
            if !named || (surely(span) || matches!(span, "." | "..")) {
                continue;
            }
            if span.contains(' ') {
                long.push(span.to_owned());
            } else if told_to_run && span.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            {
                short.push(span.to_owned());
            }
        }
    }
    long.extend(short);
    long
}

/// Reports whether a comment in a block introduces an alternative, not the next step.
pub(super) fn offers_choice(comment: &str) -> bool {
    let comment = comment.trim_start_matches(['#', ' ']).to_lowercase();
    ["or", "option", "alternative", "alternatively", "method", "another", "variant"]
        .iter()
        .any(|word| comment.split(|c: char| !c.is_alphanumeric()).next() == Some(word))
}

/// Reports whether the text after `# ` is a command for root rather than a comment.
pub(super) fn root_command(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let lower = first.starts_with(|c: char| c.is_ascii_lowercase());
    lower
        && (listed(ROOT_PROGRAMS, first)
            || line.split_whitespace().any(|word| word.starts_with('-') && 1 < word.len()))
}

/// Joins all prose in one row, without decoration.
pub(super) fn joined(pieces: &[ReplyPart<'_>]) -> String {
    let mut prose = String::new();
    for piece in pieces {
        let (ReplyPart::Words(line) | ReplyPart::Comment(line)) = piece else { continue };
        let line = line.trim_start_matches(['#', '*', ' ']).replace("**", "");
        if !prose.is_empty() {
            prose.push(' ');
        }
        prose.push_str(line.trim());
        if WORDS_CHARS_MAX * 4 < prose.len() {
            break;
        }
    }
    prose
}

/// Returns the first one or two sentences of the prose, in one row.
pub(super) fn shorten(prose: &str) -> String {
    let prose = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short = String::new();
    let mut sentences = 0;
    let mut chars = prose.chars().peekable();
    while let Some(c) = chars.next() {
        if WORDS_CHARS_MAX <= short.chars().count() {
            short.push('…');
            break;
        }
        short.push(c);
        let ends =
            matches!(c, '.' | '!' | '?') && chars.peek() == Some(&' ') || matches!(c, '。' | '！' | '？');
        sentences += usize::from(ends);
        if sentences == 2 {
            break;
        }
    }
    short
}

/// Reports whether a line starts with a capital and then has several words without syntax, or a full stop at the
/// end.
fn sentence(line: &str, first: &str) -> bool {
    let count = line.split_whitespace().count();
    let stops = line.ends_with(['.', '!', '?']) && !line.ends_with(" .") && !line.ends_with("..");
    capitalised(first) && ((1 < count && plain(line)) || (2 < count && stops))
}

/// Reports whether a line introduces the text below it: "to list them, run:".
fn announces(line: &str) -> bool {
    line.ends_with(':') && 2 < line.split_whitespace().count() && plain(line) && {
        let small = line.split_whitespace().filter(|word| *word != "a" && listed(SMALL_WORDS, word)).count();
        0 < small
    }
}

/// Reports whether a blank-separated list contains a word.
fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

fn opener(first: &str) -> String {
    first.trim_end_matches([',', '.', ':', ';', '!', '?']).replace('’', "'")
}

/// Reports whether the first word is like `Find`, not `find`, `GET`, `X11`, `R` or one of the few programs spelled
/// like that.
pub(super) fn capitalised(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    if listed(CAPITAL_PROGRAMS, word) {
        return false;
    }
    let word = word.trim_end_matches([',', '.', ':', ';', '!', '?']);
    let mut chars = word.chars();
    chars.next().is_some_and(|c| c.is_ascii_uppercase())
        && 1 < word.len()
        && chars.all(|c| c.is_ascii_lowercase() || matches!(c, '\'' | '’'))
}

fn small_words(line: &str) -> usize {
    line.split_whitespace()
        .filter(|word| listed(SMALL_WORDS, word.trim_end_matches([',', '.', ':', '!'])))
        .count()
}

fn is_pictograph(c: char) -> bool {
    matches!(u32::from(c), 0x2600..=0x27BF | 0x1F300..=0x1FAFF) && c != '❯' && c != '➜'
}
