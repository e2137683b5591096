//! The `askline` program.

fn main() -> std::process::ExitCode {
    askline::cli::run()
}
