//! The script in the oldest Nushell it supports, and in versions between; the newest is tested with the other shells.

use askline_syntax::shell::{NU_TESTED_OLDER, Shell};

use super::sh::Setup;
use super::{ghost, key, loading, menu, message, word};
use crate::parser::nushell;

/// Makes each case a test in every one of these versions.
macro_rules! in_older_nushells {
    ($($group:ident::$case:ident)*) => {$(
        mod $case {
            use super::*;

            #[test]
            fn first() {
                run(|[it, _, _]| it);
            }

            #[test]
            fn second() {
                run(|[_, it, _]| it);
            }

            #[test]
            fn third() {
                run(|[_, _, it]| it);
            }

            // The pattern of each case names every version: a new one needs a case of its own.
            fn run(one: fn([&'static str; 3]) -> &'static str) {
                if let Some(program) = nushell(one(NU_TESTED_OLDER)) {
                    $group::$case(Setup::with(Shell::Nu, program));
                }
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
    menu::it_lists_what_was_offered_and_its_risk
    menu::choosing_runs_nothing_and_enter_runs_the_chosen
    menu::the_key_goes_on_from_the_chosen
    menu::your_words_come_last
    menu::a_line_of_yours_has_none
    menu::keys_typed_at_once_run_nothing
    menu::rows_quotes_and_other_alphabets_arrive_exactly
    menu::a_mark_of_the_history_hides_nothing
    menu::a_number_selects
    menu::vi_normal_mode
    menu::a_narrow_terminal
    menu::the_menu_key_of_yours_is_not_taken
    menu::without_the_helper
    ghost::an_older_one_does_without
}
