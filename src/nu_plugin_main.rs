//! The `nu_plugin_ask` program: Nushell starts it, people don't. A program of its own, so that `askline` holds nothing of
//! Nushell's plugin libraries.

#![expect(clippy::result_large_err, reason = "Nushell's errors are as large as they are")]

mod nu_plugin;

fn main() -> std::process::ExitCode {
    nu_plugin::run()
}
