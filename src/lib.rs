//! Plain English at the shell prompt becomes the right command for this machine, ready to edit, never executed.
//!
//! Start reading at [`suggest`]: it tells the whole story on one screen. Modules are listed from the ground up; each
//! layer imports only from itself and from the layers above it in this list (`tests/it/tidy.rs` holds that).

// 0 words: plain data
pub mod account;
pub mod config;
pub mod failure;
pub mod line;
pub mod patience;
pub mod shell;
// 1 judgement: pure, value in, value out
pub mod answer;
pub mod catalogue;
pub mod check;
pub mod clean;
pub mod explain;
pub mod manual;
pub mod platform;
pub mod prompt;
pub mod quoting;
pub mod redact;
pub mod reference;
pub mod repair;
pub mod retrieve;
pub mod risk;
pub mod shape;
pub mod suggestion;
pub mod syntax;
pub mod typed;
// 2 outside: the only code that touches the machine
pub mod host;
pub mod model;
pub mod store;
// 3 services
pub mod context;
pub mod keys;
pub mod knowledge;
pub mod metrics;
pub mod models;
pub mod presses;
pub mod screen;
pub mod situation;
pub mod surroundings;
// 4 roles: the model's work, judged
pub mod examine;
pub mod fix;
pub mod refine;
// 5 spine
pub mod suggest;
// 6 doors: the only code that talks to people
pub mod cli;
pub mod daemon;
