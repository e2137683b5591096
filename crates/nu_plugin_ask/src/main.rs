//! The `nu_plugin_ask` program, started by Nushell and not by people. It is a separate program to keep Nushell's
//! plugin libraries out of `askline`.

#![expect(clippy::result_large_err, reason = "Nushell's errors are as large as they are")]

mod plugin;

fn main() -> std::process::ExitCode {
    askline_host::local::forbid_core_dumps();
    plugin::run()
}
