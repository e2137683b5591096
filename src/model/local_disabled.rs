//! The embedded model's place in builds without the feature `local-model`.
