//! `horarium run`: one run at a time.

mod list;
mod output;
mod show;
mod start;
mod stop;
mod wait;

use clap::Subcommand;
use horarium_core::run::{Run, StatusKind};
use horarium_core::store::{Reader, RunRef, Store};

use super::failure::Failure;
use super::table::Cell;
use super::terminal::{ACTIVE, ERROR, GOOD, Terminal, WARNING};

pub(super) use list::table as run_table;

/// What can be done with runs.
#[derive(Debug, Subcommand)]
pub(crate) enum RunVerb {
    /// Ask for a run of a worker
    #[command(after_help = "\
Examples:
  horarium run start backup
  horarium run start backup:tenant-42 --option level=3 --option full=true
  horarium run start ocr --preset nightly --not-before 2026-12-24T18:00:00+01:00
  horarium run start backup --wait        # exit status 0 only if it succeeds
  horarium run start backup --id 0193a1b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b   # safe to send again")]
    Start(start::Start),
    /// List runs, newest first
    #[command(after_help = "\
Examples:
  horarium run list --worker backup --status failed --status interrupted
  horarium run list --since 2026-11-30T00:00:00Z -o json | jq '.[].id'")]
    List(list::List),
    /// Show one run
    Show(show::ShowRun),
    /// Wait until a run has ended; exit status 0 only if it ended SUCCESS
    Wait(wait::Wait),
    /// Ask a run to end early; one that has failed is not retried any more
    Cancel(stop::Cancel),
    /// Close a RUNNING run whose job you know to be gone, so that its slot is free
    #[command(long_about = "\
Close a RUNNING run whose job you know to be gone, so that its slot is free.

A run of a crashed runner is closed by itself when its lease has run out. Only release one when
you cannot wait for that and are sure: if its job still runs, two jobs of one worker overlap, and
the fence is the only thing that keeps them apart.")]
    Release(stop::Release),
    /// Print the end of what a run's job wrote, byte for byte
    Output(output::OutputOf),
}

impl RunVerb {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        match self {
            Self::Start(verb) => verb.act(store, terminal).await,
            Self::List(verb) => verb.act(store, terminal).await,
            Self::Show(verb) => verb.act(store, terminal).await,
            Self::Wait(verb) => verb.act(store, terminal).await,
            Self::Cancel(verb) => verb.act(store, terminal).await,
            Self::Release(verb) => verb.act(store, terminal).await,
            Self::Output(verb) => verb.act(store, terminal).await,
        }
    }
}

/// The run of that name.
async fn find<S: Reader>(store: &S, run: RunRef) -> Result<Run, Failure> {
    store.run(run).await?.ok_or(Failure::NoSuchRun(run))
}

/// A status in its colour.
pub(super) fn status_cell(status: StatusKind) -> Cell {
    Cell::styled(
        status.as_str(),
        match status {
            StatusKind::Queued | StatusKind::Cancelled => anstyle::Style::new(),
            StatusKind::Running => ACTIVE,
            StatusKind::Success => GOOD,
            StatusKind::Failed => ERROR,
            StatusKind::Interrupted => WARNING,
        },
    )
}
