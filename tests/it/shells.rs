//! The shell scripts, in the shells people use: a real shell in a real terminal, the shipped program behind the key.
//!
//! A case is one function that every shell runs; what differs between shells (undo keys, start-up files) is data in
//! `sh`. Cases about the script alone put a helper of their own in the program's place. A shell that is missing fails
//! the run where `CI` is set and is skipped with a line elsewhere.

/// Makes each named function four tests, one for each shell.
macro_rules! in_every_shell {
    ($($case:ident)*) => {$(
        mod $case {
            use askline::shell::Shell;
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
                crate::shells::sh::Setup::of(askline::shell::Shell::Nu).into_iter().for_each(super::$case);
            }
        }
    )*};
}

mod again;
mod faults;
mod fix;
mod ghost;
mod inline;
mod key;
mod loading;
mod menu;
mod message;
mod older;
pub(crate) mod sh;
mod word;
