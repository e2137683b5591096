//! Conversion of a model's scores to the likeliest next tokens. Pure.

/// A token of the model's vocabulary, by its number.
pub type Token = i32;

/// Number of likeliest next tokens to return.
const TOLD: usize = 4;

/// Tokens whose score lies this far below the best are left out of the sum of probabilities: even 200,000 of
/// them would add less than one in ten thousand. Most tokens lie below, so this saves most of the work.
const REACH: f32 = 22.0;

/// A possible next token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// The token.
    pub token: Token,
    /// Its probability, 0 to 1.
    pub probability: f64,
}

/// Likeliest next tokens, likeliest first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chances([Chance; TOLD]);

impl Chances {
    /// Returns the tokens with the highest scores; `None` if there are too few or they are not finite.
    pub fn of(scores: &[f32]) -> Option<Self> {
        let mut best = [(f32::NEG_INFINITY, 0); TOLD];
        for (token, score) in scores.iter().enumerate() {
            if best[TOLD - 1].0 < *score {
                best[TOLD - 1] = (*score, token);
                // One step of an insertion sort: all entries before the last are already in order.
                for place in (1..TOLD).rev() {
                    if best[place - 1].0 < best[place].0 {
                        best.swap(place - 1, place);
                    }
                }
            }
        }
        let top = best[0].0;
        if !top.is_finite() || !best[TOLD - 1].0.is_finite() {
            return None;
        }
        let near = scores.iter().filter(|score| top - REACH < **score);
        let all: f64 = near.map(|score| f64::from((score - top).exp())).sum();
        let probability = |score: f32| f64::from((score - top).exp()) / all;
        Some(Self(best.map(|(score, token)| Chance {
            token: Token::try_from(token).unwrap_or(0),
            probability: probability(score),
        })))
    }

    /// Returns the likeliest token.
    pub fn best(&self) -> Chance {
        self.0[0]
    }

    /// Returns the tokens after the likeliest, likeliest first.
    pub fn further(&self) -> &[Chance] {
        &self.0[1..]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_score_is_no_chance() {
        assert_eq!(Chances::of(&[]), None);
        assert_eq!(Chances::of(&[1.0, 2.0, 3.0]), None);
        assert_eq!(Chances::of(&[f32::NAN; 9]), None);
        assert_eq!(Chances::of(&[f32::INFINITY, 1.0, 1.0, 1.0, 1.0]), None);
    }

    #[test]
    fn one_sure_token_leaves_nothing_to_others() {
        let mut scores = vec![0.0; 200_000];
        scores[17] = 40.0;
        let chances = Chances::of(&scores).unwrap();
        assert_eq!(chances.best(), Chance { token: 17, probability: 1.0 });
        assert!(chances.further().iter().all(|chance| chance.probability < 1e-9));
    }

    proptest! {
        /// Compares with a plain soft-max over all scores and a full sort.
        #[test]
        fn chances_are_the_soft_max(scores in proptest::collection::vec(-30.0_f32..30.0, 4..300)) {
            let chances = Chances::of(&scores).unwrap();
            let all: f64 = scores.iter().map(|score| f64::from(*score).exp()).sum();
            let mut sorted = scores.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            for (place, chance) in std::iter::once(chances.best()).chain(chances.further().iter().copied()).enumerate() {
                let score = scores[usize::try_from(chance.token).unwrap()];
                prop_assert_eq!(score, sorted[place]);
                let expected = f64::from(score).exp() / all;
                prop_assert!((chance.probability - expected).abs() < 1e-4, "{} {}", chance.probability, expected);
            }
        }
    }
}
