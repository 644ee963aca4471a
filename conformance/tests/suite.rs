//! The suite itself: the ledger passes it, and a store with one small fault does not.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

use std::sync::Mutex;

use conformance::{Nonconformance, Specimen, exercise};
use horarium_core::ledger::{Command, Ledger, Reply, Rows};
use horarium_core::run::RunStatus;
use horarium_core::store::{ReadError, Store, StoreError};
use horarium_core::words::Timestamp;

/// The ledger as a store, with a fault on the way in and one on the way out.
struct InMemory {
    state: Mutex<(Ledger, Timestamp)>,
    takes: fn(&Command) -> Command,
    shows: fn(Rows) -> Rows,
}

impl InMemory {
    fn new(takes: fn(&Command) -> Command, shows: fn(Rows) -> Rows) -> Self {
        Self { state: Mutex::new((Ledger::new(), Timestamp::EPOCH)), takes, shows }
    }
}

impl Store for InMemory {
    async fn submit(&self, command: &Command) -> Result<Reply, StoreError> {
        let mut state = self.state.lock().unwrap();
        let now = state.1;
        Ok(state.0.handle(now, &(self.takes)(command)).reply)
    }
}

impl Specimen for InMemory {
    fn set_clock(&self, now: Timestamp) {
        self.state.lock().unwrap().1 = now;
    }

    async fn dump(&self) -> Result<Rows, ReadError> {
        Ok((self.shows)(self.state.lock().unwrap().0.rows().clone()))
    }
}

#[tokio::test]
async fn the_ledger_itself_conforms_and_everything_occurs() {
    let outcome = exercise(async || InMemory::new(Command::clone, |rows| rows)).await;
    if let Err(why) = outcome {
        panic!("{why}");
    }
}

#[tokio::test]
async fn a_store_that_ignores_force_is_found_out_with_few_commands() {
    let takes = |command: &Command| match command {
        Command::Release { run, by, .. } => {
            Command::Release { run: *run, force: true, by: by.clone() }
        }
        other => other.clone(),
    };
    let outcome = exercise(async || InMemory::new(takes, |rows| rows)).await;
    let Err(Nonconformance::Split(report)) = outcome else {
        panic!("not found: {outcome:?}");
    };
    // A handler, a runner, a run, its claim, the release.
    assert!(report.commands() <= 5, "{report}");
    assert!(report.to_string().contains("CONFORMANCE_SEED="), "{report}");
}

#[tokio::test]
async fn a_store_that_forgets_what_a_job_wrote_is_found_out() {
    let shows = |mut rows: Rows| {
        for run in rows.runs.values_mut() {
            if let RunStatus::Ended(end) = &mut run.status {
                end.output.stderr.bytes.clear();
            }
        }
        rows
    };
    let outcome = exercise(async || InMemory::new(Command::clone, shows)).await;
    assert!(matches!(outcome, Err(Nonconformance::Split(_))), "{outcome:?}");
}
