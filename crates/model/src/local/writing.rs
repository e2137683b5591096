//! Decoding of answers: the greedy one, which takes the likeliest token each time, and alternatives, which
//! branch off where the model was least sure.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use super::GeneratedAnswer;
use super::chances::{Chance, Chances, Token};
use super::engine::{BRANCHES_MAX, GUESS_MAX, Sequence, Weights};
use super::lookup;
use super::pace::Pace;
use crate::failure::Failure;
use crate::request_control::RequestControl;
use crate::{Certainty, Cut, Further};

/// Limit of an alternative's length: half as long again as the greedy answer, plus this many tokens.
const TOKENS_MORE: usize = 12;

/// Number of times that a run of tokens at the end of an answer must follow itself to count as endless.
const REPEATS: usize = 4;

/// Range of the length of such a run. Shorter ones occur in commands (`========`).
const REPEATED: RangeInclusive<usize> = 4..=24;

/// Multiple of the greedy answer's logarithm of probability below which an alternative is given up as unlikely. 19 of 20
/// that were chosen in the end had at most 1.5 times that logarithm, and a limit of 1.2 lost no right answer
/// (`benches/accuracy.md`).
const LIKELY: f64 = 1.25;

/// End of an answer, besides a token that ends the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    /// A blank line, or a line that starts with `#`: the solved requests before the answer end so.
    Paragraph,
    /// No other end.
    Text,
}

/// Partially generated answer.
#[derive(Debug, Clone)]
struct PartialAnswer {
    end: StopReason,
    bytes: Vec<u8>,
    tokens: usize,
    logarithms: f64,
    /// Token that the model must read before the next can be generated; `None` if the answer is complete.
    unread: Option<Token>,
    /// The reason why the answer ends before the model was done.
    cut: Option<Cut>,
}

impl PartialAnswer {
    fn new(end: StopReason) -> Self {
        Self { end, bytes: Vec::new(), tokens: 0, logarithms: 0.0, unread: None, cut: None }
    }

    /// Appends a token.
    fn push(&mut self, chance: Chance, weights: &Weights) {
        let piece = weights.piece(chance.token);
        self.bytes.extend_from_slice(&piece);
        self.tokens += 1;
        let ends = self.end == StopReason::Paragraph && end_of_paragraph(&self.bytes).is_some();
        if ends || weights.ends(chance.token) {
            self.unread = None;
        } else {
            // The token that ends the answer is not part of the command and does not count.
            self.logarithms += chance.probability.ln();
            self.unread = Some(chance.token);
        }
    }

    fn written(self) -> GeneratedAnswer {
        let counted = self.tokens.saturating_sub(1);
        let mean = (self.logarithms / counted.max(1) as f64).exp();
        let end = (self.end == StopReason::Paragraph).then(|| end_of_paragraph(&self.bytes)).flatten();
        let text = end.and_then(|end| self.bytes.get(..end)).unwrap_or(&self.bytes);
        GeneratedAnswer {
            text: String::from_utf8_lossy(text).trim().to_owned(),
            tokens: self.tokens,
            certainty: (0 < counted).then_some(Certainty { mean }),
            cut: self.cut,
        }
    }
}

/// Returns the offset in an answer at which its first paragraph ends: a line break before a blank line or before a line
/// that starts with `#`. `None` if it goes on.
fn end_of_paragraph(answer: &[u8]) -> Option<usize> {
    let start = answer.len() - answer.trim_ascii_start().len();
    let breaks = answer.iter().enumerate().skip(start).filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let ends = |at: &usize| matches!(answer.get(at + 1), Some(b'\n' | b'#'));
    breaks.into_iter().find(ends)
}

/// Generates the greedy answer; also returns the likeliest tokens at each of its positions, the end included.
/// An answer that is longer than `max_tokens`, that repeats itself or that the time ends is cut off there. `request` is the index at which the request begins in the sequence; `None` disables guesses,
/// which a grammar needs.
pub(super) fn greedy(
    sequence: &mut Sequence,
    end: StopReason,
    request: Option<usize>,
    max_tokens: usize,
    control: &RequestControl,
) -> anyhow::Result<(GeneratedAnswer, Vec<Chances>)> {
    let max_tokens = max_tokens.min(sequence.left());
    let mut draft = PartialAnswer::new(end);
    let mut path: Vec<Chances> = Vec::new();
    let mut pace = Pace::with_threads(sequence.threads(), sequence.most_threads());
    let mut upcoming = vec![sequence.chances()?];
    loop {
        for chances in upcoming {
            if max_tokens <= draft.tokens {
                draft.cut = Some(Cut::Tokens(max_tokens));
            } else if repeats(&path) {
                draft.cut = Some(Cut::Repetition);
            }
            if draft.cut.is_some() {
                return Ok((draft.written(), path));
            }
            path.push(chances);
            draft.push(chances.best(), sequence.weights());
            sequence.note(chances.best().token);
        }
        control.write(&String::from_utf8_lossy(&draft.bytes));
        let Some(token) = draft.unread else { return Ok((draft.written(), path)) };
        let guess = request.map_or_else(Vec::new, |request| ahead(sequence, token, end, request));
        let before = (Instant::now(), processor_time());
        upcoming = match sequence.read_ahead(token, &guess, control) {
            Err(error) if error.downcast_ref() == Some(&Failure::TimedOut) => {
                draft.cut = Some(Cut::Time);
                return Ok((draft.written(), path));
            }
            read => read?,
        };
        pace.observe(before.0.elapsed(), processor_time().saturating_sub(before.1));
        sequence.set_threads(pace.threads());
    }
}

/// Reports whether an answer ends in a run of tokens that follows itself again and again.
fn repeats(path: &[Chances]) -> bool {
    REPEATED.into_iter().any(|length| {
        let mut runs = path.rchunks_exact(length).map(|run| run.iter().map(|chances| chances.best().token));
        let Some(last) = runs.next() else { return false };
        path.len() / length >= REPEATS && runs.take(REPEATS - 1).all(|run| run.eq(last.clone()))
    })
}

/// Guesses the tokens after the last one, up to the end of the answer: the token that ends it need not be read.
fn ahead(sequence: &Sequence, token: Token, end: StopReason, request: usize) -> Vec<Token> {
    let text = [sequence.tokens(), &[token]].concat();
    let weights = sequence.weights();
    let ends = |token: &Token| {
        weights.ends(*token) || end == StopReason::Paragraph && weights.piece(*token).contains(&b'\n')
    };
    lookup::guess(&text, request, GUESS_MAX).into_iter().take_while(|token| !ends(token)).collect()
}

/// Generates answers that differ from the greedy one, likeliest first. Each branches off at a token that was
/// nearly as likely, before the end of the wrong part, and continues greedily. All are generated together, one
/// token of each per computation, which costs little more than one token of one answer. `start` is the index in
/// the sequence at which the greedy answer begins; `path` are its likeliest tokens.
///
/// # Errors
///
/// If the request control ends before any answer is complete, the user cancelled, or the computation fails.
pub(super) fn alternatives(
    sequence: &mut Sequence,
    (start, path): (usize, &[Chances]),
    end: StopReason,
    further: Further,
    control: &RequestControl,
) -> anyhow::Result<Vec<GeneratedAnswer>> {
    let forks = forks(path.get(..shared_most(path, further.wrong, sequence.weights())).unwrap_or(path));
    let starts: Vec<_> = forks.iter().map(|fork| start + fork.shared).collect();
    let mut branches = sequence.branches(&starts);
    let greedy = draft(path, end, branches.weights());
    let least = further.likely.then_some(LIKELY * greedy.logarithms);
    let greedy = greedy.written().text;
    let mut drafts: Vec<_> = forks
        .iter()
        .map(|fork| {
            let mut draft = draft(path.get(..fork.shared).unwrap_or_default(), end, branches.weights());
            draft.push(fork.instead, branches.weights());
            draft
        })
        .collect();
    // An endless answer would delay all others.
    let max_tokens = further.max_tokens.min(path.len() + path.len() / 2 + TOKENS_MORE);
    for _ in 0..max_tokens {
        let is_likely = |draft: &PartialAnswer| least.is_none_or(|least| least <= draft.logarithms);
        let going_on =
            drafts.iter().enumerate().filter(|(_, draft)| draft.tokens < max_tokens && is_likely(draft));
        let unread: Vec<_> = going_on.filter_map(|(branch, draft)| Some((branch, draft.unread?))).collect();
        if unread.is_empty() {
            break;
        }
        let chances = match branches.read(&unread, control) {
            Ok(Some(chances)) => chances,
            Ok(None) => break,
            Err(error) => {
                let late = error.downcast_ref() == Some(&Failure::TimedOut);
                if late && drafts.iter().any(|draft| draft.unread.is_none()) {
                    break;
                }
                return Err(error);
            }
        };
        for ((branch, _), chances) in unread.iter().zip(chances) {
            if let Some(draft) = drafts.get_mut(*branch) {
                draft.push(chances.best(), branches.weights());
            }
        }
    }
    let whole = drafts.into_iter().filter(|draft| draft.unread.is_none()).map(PartialAnswer::written);
    Ok(distinct(whole.collect(), &greedy, further.most))
}

/// Returns the greedy answer along `path`.
fn draft(path: &[Chances], end: StopReason, weights: &Weights) -> PartialAnswer {
    let mut draft = PartialAnswer::new(end);
    path.iter().for_each(|chances| draft.push(chances.best(), weights));
    draft
}

/// Returns how many tokens of a path an alternative may share with it, to differ before the end of what is
/// `wrong`.
fn shared_most(path: &[Chances], wrong: Option<usize>, weights: &Weights) -> usize {
    let Some(wrong) = wrong else { return path.len() };
    let pieces = path.iter().map(|chances| weights.piece(chances.best().token));
    let mut written = Vec::new();
    // The text of an answer starts at its first non-blank character.
    pieces
        .take_while(|piece| {
            let is_before = written.trim_ascii_start().len() < wrong;
            written.extend_from_slice(piece);
            is_before
        })
        .count()
}

/// Position at which an alternative leaves the greedy answer.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Fork {
    /// Number of shared tokens.
    shared: usize,
    /// Token in place of the likeliest.
    instead: Chance,
}

/// Returns the most promising positions to leave the path, at most [`BRANCHES_MAX`].
fn forks(path: &[Chances]) -> Vec<Fork> {
    let at = |(shared, chances): (usize, &Chances)| {
        chances.further().iter().map(|instead| Fork { shared, instead: *instead }).collect::<Vec<_>>()
    };
    let mut forks: Vec<_> = path.iter().enumerate().flat_map(at).collect();
    forks.sort_by(|a, b| b.instead.probability.total_cmp(&a.instead.probability));
    forks.truncate(BRANCHES_MAX);
    forks
}

/// Returns the likeliest answers without duplicates, empty ones and the one already given.
fn distinct(mut answers: Vec<GeneratedAnswer>, given: &str, most: usize) -> Vec<GeneratedAnswer> {
    let mean = |answer: &GeneratedAnswer| answer.certainty.map_or(0.0, |certainty| certainty.mean);
    answers.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
    let mut kept: Vec<GeneratedAnswer> = Vec::new();
    for answer in answers {
        let known = answer.text == given || kept.iter().any(|other| other.text == answer.text);
        if !known && !answer.text.is_empty() && kept.len() < most {
            kept.push(answer);
        }
    }
    kept
}

/// Returns the processor time used by this process.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
