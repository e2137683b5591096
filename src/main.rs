//! Entry point of the `askline` program.

fn main() -> std::process::ExitCode {
    askline::cli::run()
}
