//! Guesses of the next tokens of an answer, looked up in the text before it. Pure: tokens in, tokens out.
//!
//! A command consists of words from the request and of phrases that also occur in the solved requests before
//! it. If the last few tokens occurred before, the tokens that followed them then are the guess. The model
//! reads the guess together with its last token and keeps the part that it would have generated itself ("prompt
//! lookup decoding", Saxena 2023, a form of speculative decoding, Leviathan et al. 2023): the answer stays the
//! same, in fewer steps.
//!
//! A guessed token has a cost. On processors that compute as long as they wait for memory, each one costs a
//! third of a step (1.5B, two cores of a Xeon with AVX-512: steps of 1, 2, 4 and 7 tokens took 94, 133, 204 and
//! 300 ms), so only likely guesses are used.

use super::chances::Token;

/// Longest run of tokens to look up.
const ORDER: usize = 4;

/// Weight of a continuation found in the request; one in the solved requests has weight 1. File names come from
/// the request.
const REQUEST: f64 = 3.0;

/// Pseudo-count of unseen continuations after a run of this many tokens; longer runs use the last value. As in
/// other methods that predict by counted contexts (PPM, Cleary & Witten 1984).
const NOVEL: [f64; 3] = [2.0, 1.0, 0.5];

/// Minimum probability that all of a guess up to a token is right. Values between 0.4 and 0.7 hardly differ:
/// simulated over answers to 110 requests with the cost above, decoding takes 0.89 to 0.92 of the time, and
/// 0.80 if a guessed token costs a tenth.
const CHANCE_MIN: f64 = 0.6;

/// Returns the probable continuation of `text`, at most `most` tokens; `request` is the index at which the
/// request begins. Empty if the guess is too uncertain.
pub(super) fn guess(text: &[Token], request: usize, most: usize) -> Vec<Token> {
    let mut text = text.to_vec();
    let end = text.len();
    let mut chance = 1.0;
    while text.len() < end + most {
        let Some((next, likely)) = next(&text, request) else { break };
        chance *= likely;
        if chance < CHANCE_MIN {
            break;
        }
        text.push(next);
    }
    text.split_off(end)
}

/// Returns the token that most often followed earlier occurrences of the end of `text`, and its probability.
fn next(text: &[Token], request: usize) -> Option<(Token, f64)> {
    (1..=ORDER.min(text.len())).rev().find_map(|order| {
        let (_, end) = text.split_at_checked(text.len() - order)?;
        let mut followed: Vec<(Token, f64)> = Vec::new();
        for (start, run) in text.windows(order + 1).enumerate() {
            let Some((token, run)) = run.split_last() else { continue };
            if run != end {
                continue;
            }
            let counts = if request <= start + order { REQUEST } else { 1.0 };
            match followed.iter_mut().find(|(known, _)| known == token) {
                Some((_, count)) => *count += counts,
                None => followed.push((*token, counts)),
            }
        }
        let all: f64 = followed.iter().map(|(_, count)| count).sum();
        let (token, count) = followed.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let novel = NOVEL.get(order - 1).or(NOVEL.last()).copied().unwrap_or_default();
        Some((token, count / (all + novel)))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOTHING: [Token; 0] = [];

    #[test]
    fn nothing_is_guessed_from_nothing() {
        assert_eq!(guess(&[], 0, 6), NOTHING);
        assert_eq!(guess(&[1], 0, 6), NOTHING);
        assert_eq!(guess(&[1, 2, 3], 0, 6), NOTHING, "3 is new");
    }

    #[test]
    fn a_name_in_the_request_is_copied_from_it() {
        let request = [50, 51, 52, 53, 54];
        let text = [&[1, 2, 3, 4][..], &request, &[9, 50, 51]].concat();
        assert_eq!(guess(&text, 4, 6), [52, 53], "as far as all of it is likely");
        assert_eq!(guess(&text, 4, 1), [52]);
        assert_eq!(guess(&text, 4, 0), NOTHING);
    }

    #[test]
    fn one_sight_in_the_solved_requests_is_not_enough_but_many_are() {
        let text = |times: usize| [[7, 8, 9].repeat(times), vec![1, 7, 8]].concat();
        assert_eq!(guess(&text(1), 99, 1), NOTHING);
        assert_eq!(guess(&text(4), 99, 1), [9]);
    }

    #[test]
    fn what_followed_in_different_ways_is_left_alone() {
        let text = [7, 8, 1, 7, 8, 2, 7, 8, 3, 7, 8, 4, 7, 8];
        assert_eq!(guess(&text, 0, 4), NOTHING);
    }

    proptest! {
        #[test]
        fn any_text_is_guessed_from_within_bounds(
            text in prop::collection::vec(0..6_i32, 0..60), request in 0..80_usize, most in 0..7_usize
        ) {
            let guessed = guess(&text, request, most);
            prop_assert!(guessed.len() <= most);
            prop_assert!(guessed.iter().all(|token| text.contains(token)));
        }
    }
}
