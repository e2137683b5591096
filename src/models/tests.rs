//! Tests of fetching, checking and removing models.
