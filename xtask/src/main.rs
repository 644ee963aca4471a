//! Repository tasks. `cargo xtask test` passes when everything holds.

use std::env;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask test [ARGUMENTS...]

  test    run every test of the workspace; ARGUMENTS go to `cargo test`";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    match arguments.next().as_deref() {
        Some("test") => test(arguments),
        Some("help" | "--help" | "-h") => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some(other) => {
            eprintln!("xtask: no task `{other}`\n\n{USAGE}");
            ExitCode::from(2)
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// A transcript that has changed fails the tests; it is never rewritten by them.
fn test(arguments: impl Iterator<Item = String>) -> ExitCode {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--workspace", "--locked"])
        .args(arguments)
        .env("INSTA_UPDATE", "no")
        .env("INSTA_FORCE_PASS", "0")
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: cargo cannot be started: {error}");
            ExitCode::FAILURE
        }
    }
}
