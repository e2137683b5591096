//! What an answer will probably go on with, looked up in what stands before it. Pure: tokens in, tokens out.
//!
//! A command is made of words of the request and of turns of phrase that the solved requests in front of it have, too.
//! Where the last few tokens stood before, what followed them then is guessed to follow now. The model reads the guess
//! together with the token that it has just written and keeps what it would have written itself ("prompt lookup
//! decoding", Saxena 2023, a form of speculative decoding, Leviathan et al. 2023): the answer stays the same, in fewer steps.
//!
//! A guessed token isn't free. Where processors compute as long as they wait for memory, each one costs a third of a step
//! (1.5B, two cores of a Xeon with AVX-512: steps of 1, 2, 4 and 7 tokens took 94, 133, 204 and 300 ms), so only a likely one is worth it.

use super::chances::Token;

/// Longest run of tokens that is looked up.
const ORDER: usize = 4;

/// How much what followed in the request counts for, where what followed in the solved requests counts for one: names
/// of files come from it.
const REQUEST: f64 = 3.0;

/// How often something new may follow a run of so many tokens that was seen before, counted as if it had been seen; after
/// a longer run as after the longest named. As other methods do that predict by counted contexts (PPM, Cleary & Witten 1984).
const NOVEL: [f64; 3] = [2.0, 1.0, 0.5];

/// Least chance that all of a guess up to a token is right. Between 0.4 and 0.7 it hardly matters: simulated over answers
/// to 110 requests with the cost above, it takes 0.89 to 0.92 of the time, and 0.80 where a guessed token costs a tenth.
const CHANCE_MIN: f64 = 0.6;

/// What will probably follow `text`, no more than `most` tokens of it; the request begins at `request`. Nothing where that
/// is too unsure to be worth a look.
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

/// The token that followed most often where the end of `text` stood before, and how likely it is to follow again.
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
