#![doc = include_str!("../README.md")]

pub mod agent_definition;
pub mod agent_loop;
pub mod aide;
pub mod assess;
pub mod breakpoint;
pub mod call;
pub mod context;
pub mod event;
pub mod grammar;
pub mod looks;
pub mod momentum;
pub mod plan;
pub mod protocol;
pub mod review;
pub mod stuck;
pub mod summary;
mod text;
pub mod tool;
