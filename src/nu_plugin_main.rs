//! The `nu_plugin_ask` program: Nushell starts it, people don't. A program of its own, so that `askline` holds nothing of
//! Nushell's plugin libraries.

mod nu_plugin;

fn main() -> std::process::ExitCode {
    nu_plugin::run()
}
