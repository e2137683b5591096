//! Turns plain English at the shell prompt into the right command for this machine, ready to edit and never executed.
//!
//! Start reading at [`suggest`]: it shows the whole flow on one screen. Modules are listed from the ground up. Each
//! layer imports only from itself and from the layers above it in this list (`tests/it/tidy.rs` checks this).

// Layer 1: plain data and pure functions
pub mod answer;
pub mod config;
pub mod cookbook;
pub mod repository;
pub mod shell_facts;
pub mod suggestion;
// Layer 2: services
pub mod audit;
pub mod environment;
pub mod keys;
pub mod knowledge;
pub mod looks;
pub mod metrics;
pub mod models;
pub mod path_facts;
pub mod presses;
pub mod preview;
pub mod prompt_context;
pub mod sandboxed_line;
pub mod screen;
pub mod sessions;
// Layer 3: work on the model's output
pub mod examine;
pub mod fix;
pub mod refine;
// Layer 4: the main flow, alone and after looking around
pub mod investigate;
pub mod suggest;
// Layer 5: entry points, the only code that talks to users
pub mod cli;
pub mod daemon;
