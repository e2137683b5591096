//! Tests of the checks against a table of commands.
