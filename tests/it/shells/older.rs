//! The script in the oldest Nushell that it is for, and in others between that and the newest, which is tested with the
//! other shells.

use askline::shell::Shell;

use super::sh::Setup;
use super::{key, loading, message, word};
use crate::parser::nushell;

/// Makes each case a test in every one of these versions.
macro_rules! in_older_nushells {
    ($($group:ident::$case:ident)*) => {$(
        mod $case {
            use super::*;

            #[test]
            fn nu_0_107() {
                nushell("0.107.0").into_iter().for_each(run);
            }

            #[test]
            fn nu_0_109() {
                nushell("0.109.1").into_iter().for_each(run);
            }

            #[test]
            fn nu_0_114() {
                nushell("0.114.1").into_iter().for_each(run);
            }

            fn run(program: std::path::PathBuf) {
                $group::$case(Setup::with(Shell::Nu, program));
            }
        }
    )*};
}

in_older_nushells! {
    key::the_line_becomes_the_answer
    key::one_undo_brings_the_words_back
    key::typing_in_the_same_moment_runs_nothing
    key::a_failure_keeps_the_line
    key::cancelling_keeps_line_and_cursor
    key::a_killed_helper_leaves_a_usable_terminal
    key::the_helper_learns_what_the_shell_knows
    key::vi_insert_mode
    word::the_answer_stands_on_the_next_prompt
    word::words_are_taken_literally
    word::typing_during_the_wait_runs_nothing
    word::an_ask_of_yours_stays
    loading::it_loads_silently_where_mistakes_are_fatal
    loading::a_key_of_yours_is_not_taken
    loading::nothing_is_exported
    message::a_dangerous_answer_says_why
}
