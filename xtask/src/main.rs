//! Repository tasks. `cargo xtask test` passes when everything holds.

mod mutants;
mod postgres;

use std::env;
use std::process::{Command, ExitCode};

use postgres::Server;

const USAGE: &str = "\
usage: cargo xtask TASK [ARGUMENTS...]

  test                run every test of the workspace; ARGUMENTS go to `cargo test`. With
                      -p PACKAGE only that package's. A PostgreSQL server is started for them,
                      unless HORARIUM_TEST_POSTGRES=postgres://USER@HOST:PORT names one
  mutants [MODULE]    mutate a module of core/, or all of it, and tell what nothing notices;
                      ARGUMENTS go to `cargo mutants`, such as `--shard 0/8` or `--list`";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    match arguments.next().as_deref() {
        Some("test") => test(arguments.collect()),
        Some("mutants") => mutants::mutants(arguments),
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
fn test(arguments: Vec<String>) -> ExitCode {
    let started = match env::var_os(postgres::VARIABLE) {
        Some(_) => None,
        None => match Server::start() {
            Ok(server) => Some(server),
            Err(why) => {
                eprintln!("xtask: {why}");
                return ExitCode::FAILURE;
            }
        },
    };
    let names_package = arguments
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument.starts_with("-p") || argument.starts_with("--package"));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--locked"]);
    if !names_package {
        command.arg("--workspace");
    }
    if let Some(server) = &started {
        command.env(postgres::VARIABLE, server.location());
    }
    let status =
        command.args(arguments).env("INSTA_UPDATE", "no").env("INSTA_FORCE_PASS", "0").status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: cargo cannot be started: {error}");
            ExitCode::FAILURE
        }
    }
}
