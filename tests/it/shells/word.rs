//! `ask WORDS`.
