//! Calibration of models: how often an answer is right, by the probability of its tokens.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

static MODELS: LazyLock<Models> = LazyLock::new(|| {
    toml::from_str(include_str!("calibration.toml")).expect("calibration.toml is checked by a test")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Models {
    /// Calibration of all models without one of their own.
    general: Calibration,
    /// Calibrations by [`askline_model::Model::source`].
    model: BTreeMap<String, Calibration>,
}

/// Calibration of one model. Means and shares are between 0 and 1.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calibration {
    /// Below this mean probability of its tokens, an answer is compared with other answers.
    pub(super) sure: f64,
    /// Whether an answer after similar solved requests of the cookbook is compared with the others.
    pub(super) similar: bool,
    /// Whether its answers in Nushell are better than those of a first model that is unsure.
    #[serde(default = "yes")]
    pub(super) second_in_nushell: bool,
    /// Points of a curve: mean probability of an answer's tokens, and share of right answers.
    right: Vec<(f64, f64)>,
}

fn yes() -> bool {
    true
}

impl Calibration {
    /// Returns the calibration of the model that wrote an answer; the general one if it has none of its own.
    pub(super) fn of(source: &str) -> &'static Self {
        MODELS.model.get(source).unwrap_or(&MODELS.general)
    }

    /// Reports whether the model that wrote an answer has a calibration of its own.
    pub(super) fn is_known(source: &str) -> bool {
        MODELS.model.contains_key(source)
    }

    /// Returns the share of right answers for a mean probability of tokens.
    pub(super) fn share_right(&self, mean: f64) -> f64 {
        let pairs = self.right.iter().zip(self.right.iter().skip(1));
        let Some((low, high)) =
            pairs.clone().find(|(_, high)| mean <= high.0).or_else(|| pairs.clone().next_back())
        else {
            return mean;
        };
        let width = (high.0 - low.0).max(f64::EPSILON);
        low.1 + (high.1 - low.1) * ((mean - low.0) / width).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all() -> impl Iterator<Item = (&'static str, &'static Calibration)> {
        MODELS.model.iter().map(|(name, model)| (name.as_str(), model)).chain([("", &MODELS.general)])
    }

    #[test]
    fn curves_rise_from_zero_to_one_and_their_points_are_met() {
        for (name, model) in all() {
            assert!((0.0..=1.0).contains(&model.sure), "{name}");
            assert!(model.right.is_sorted_by(|one, other| one.0 < other.0 && one.1 <= other.1), "{name}");
            let ends = (model.right.first().unwrap().0, model.right.last().unwrap().0);
            assert_eq!(ends, (0.0, 1.0), "{name}");
            for (mean, right) in &model.right {
                assert!((model.share_right(*mean) - right).abs() < 1e-9, "{name}: {mean}");
            }
        }
        assert!((MODELS.general.share_right(0.35) - 0.185).abs() < 1e-9);
    }

    #[test]
    fn a_model_without_its_own_gets_the_general_one() {
        assert!(std::ptr::eq(Calibration::of("openai:unknown"), &raw const MODELS.general));
    }

    proptest! {
        #[test]
        fn a_likelier_answer_is_no_less_sure(one in 0.0..1.0_f64, other in 0.0..1.0_f64) {
            let (low, high) = (one.min(other), one.max(other));
            for (_, model) in all() {
                prop_assert!(model.share_right(low) <= model.share_right(high));
                prop_assert!((0.0..=1.0).contains(&model.share_right(one)));
            }
        }
    }
}
