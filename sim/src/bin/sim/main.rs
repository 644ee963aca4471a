//! The simulator for people: play worlds, play one again, make a failure small, and measure what
//! the simulator itself would notice.
//!
//! Exit codes: 0 when every law held, 1 when one was broken, 2 when what was asked makes no sense.

mod coverage;
mod exhaustive;
mod replay;
mod run;
mod sabotage;
mod shrink;
mod soak;
mod which_world;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A world of runners, schedulers, jobs and disasters around the shipped machines.
#[derive(Debug, Parser)]
#[command(name = "sim", version)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Task {
    /// Play worlds: the whole batch, or those of some seeds.
    Run(run::Run),
    /// Play one world again and tell what happens in it.
    Replay(replay::Replay),
    /// Make a failing world as small as can be, and write it down.
    Shrink(shrink::Shrink),
    /// Play worlds that nobody has seen, for a while.
    Soak(soak::Soak),
    /// Tell which facts the worlds meet.
    Coverage(coverage::Coverage),
    /// Tell by which law, and how soon, each seeded bug is caught.
    Sabotage(sabotage::Catch),
    /// Search small scopes of the protocol to the end.
    Exhaustive(exhaustive::Exhaustive),
}

/// Whether what was looked at held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Holds,
    Broken,
}

/// What a subcommand comes to; an error when what was asked makes no sense.
type Answer = Result<Verdict, Box<dyn Error>>;

fn main() -> ExitCode {
    let answer = match Cli::parse().task {
        Task::Run(run) => run.answer(),
        Task::Replay(replay) => replay.answer(),
        Task::Shrink(shrink) => shrink.answer(),
        Task::Soak(soak) => soak.answer(),
        Task::Coverage(coverage) => coverage.answer(),
        Task::Sabotage(catch) => Ok(catch.answer()),
        Task::Exhaustive(exhaustive) => Ok(exhaustive.answer()),
    };
    match answer {
        Ok(Verdict::Holds) => ExitCode::SUCCESS,
        Ok(Verdict::Broken) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
