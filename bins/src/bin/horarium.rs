//! `horarium`: the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    horarium::cli::main()
}
