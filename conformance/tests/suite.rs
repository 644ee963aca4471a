//! The suite itself: the ledger passes it, and a store with one small fault does not.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

use std::sync::Mutex;

use conformance::{Nonconformance, Snapshot, Specimen, exercise};
use horarium_core::catalogue::Published;
use horarium_core::ledger::{Command, Leadership, Ledger, Reply, Rows, Runner, Worker};
use horarium_core::recurrence::ZoneData;
use horarium_core::run::{Run, RunStatus};
use horarium_core::schedule::Occurrence;
use horarium_core::store::{ReadError, Reader, RunFilter, RunRef, Store, StoreError};
use horarium_core::words::{Timestamp, WorkerName};

/// The ledger as a store, with a fault on the way in and one on the way out.
struct InMemory {
    state: Mutex<(Ledger, Timestamp)>,
    takes: fn(&Command) -> Command,
    shows: fn(Rows) -> Rows,
}

impl InMemory {
    fn snapshot(&self) -> Snapshot {
        let state = self.state.lock().unwrap();
        Snapshot { now: state.1, rows: (self.shows)(state.0.rows().clone()) }
    }

    fn new(takes: fn(&Command) -> Command, shows: fn(Rows) -> Rows) -> Self {
        Self { state: Mutex::new((Ledger::new(), Timestamp::EPOCH)), takes, shows }
    }
}

/// It in the hands of a process with these zone data.
struct InHands<'a>(&'a InMemory, ZoneData);

impl Store for InHands<'_> {
    async fn submit(&self, command: &Command) -> Result<Reply, StoreError> {
        let mut state = self.0.state.lock().unwrap();
        let now = state.1;
        state.0.set_zone_data(self.1.clone());
        Ok(state.0.handle(now, &(self.0.takes)(command)).reply)
    }
}

impl Reader for InHands<'_> {
    async fn now(&self) -> Result<Timestamp, ReadError> {
        self.0.snapshot().now().await
    }

    async fn runs(&self, filter: &RunFilter) -> Result<Vec<Run>, ReadError> {
        self.0.snapshot().runs(filter).await
    }

    async fn run(&self, run: RunRef) -> Result<Option<Run>, ReadError> {
        self.0.snapshot().run(run).await
    }

    async fn workers(&self) -> Result<Vec<(WorkerName, Worker, Option<Run>)>, ReadError> {
        self.0.snapshot().workers().await
    }

    async fn worker(
        &self,
        worker: &WorkerName,
    ) -> Result<Option<(Worker, Option<Run>)>, ReadError> {
        self.0.snapshot().worker(worker).await
    }

    async fn occurrences(
        &self,
        worker: &WorkerName,
        limit: u32,
    ) -> Result<Vec<Occurrence>, ReadError> {
        self.0.snapshot().occurrences(worker, limit).await
    }

    async fn runners(&self) -> Result<Vec<Runner>, ReadError> {
        self.0.snapshot().runners().await
    }

    async fn catalogue(&self) -> Result<Vec<Published>, ReadError> {
        self.0.snapshot().catalogue().await
    }

    async fn leadership(&self) -> Result<Option<Leadership>, ReadError> {
        self.0.snapshot().leadership().await
    }
}

impl Specimen for InMemory {
    fn store(&self, zones: &ZoneData) -> impl Store + Reader {
        InHands(self, zones.clone())
    }

    fn set_clock(&self, now: Timestamp) {
        self.state.lock().unwrap().1 = now;
    }

    async fn dump(&self) -> Result<Rows, ReadError> {
        Ok(self.snapshot().rows)
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
