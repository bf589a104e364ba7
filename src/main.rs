//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    rokade::shell::cli::main()
}
