//! The shell scripts in real shells, in real terminals, with the shipped program behind the key.
//!
//! A case is one function that every shell runs. Differences between shells (undo keys, start-up files) are data in `sh`.
//! Cases about the script alone replace the program by a helper of their own. A missing shell fails the run if `CI` is set
//! and is skipped with a note elsewhere.

/// Makes each named function four tests, one per shell.
macro_rules! in_every_shell {
    ($($case:ident)*) => {$(
        mod $case {
            use askline_syntax::shell::Shell;
            use crate::shells::sh::Setup;

            #[test]
            fn zsh() {
                Setup::of(Shell::Zsh).into_iter().for_each(super::$case);
            }

            #[test]
            fn bash() {
                Setup::of(Shell::Bash).into_iter().for_each(super::$case);
            }

            #[test]
            fn fish() {
                Setup::of(Shell::Fish).into_iter().for_each(super::$case);
            }

            #[test]
            fn nu() {
                Setup::of(Shell::Nu).into_iter().for_each(super::$case);
            }
        }
    )*};
}

/// Makes each named function a test in the newest Nushell.
macro_rules! in_nushell {
    ($($case:ident)*) => {$(
        mod $case {
            #[test]
            fn nu() {
                crate::shells::sh::Setup::of(askline_syntax::shell::Shell::Nu).into_iter().for_each(super::$case);
            }
        }
    )*};
}

mod again;
mod bash;
mod continuation;
mod explain;
mod faults;
mod fix;
mod ghost;
mod half_typed;
mod inline;
mod key;
mod label;
mod list;
mod loading;
mod look;
mod menu;
mod message;
mod older;
mod place;
mod preview;
mod recall;
mod remote;
pub(crate) mod sh;
mod word;
mod zsh;
