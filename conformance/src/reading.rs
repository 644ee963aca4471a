//! Reading for people: what a store must show, said in plain Rust over its rows.

use std::cmp::Reverse;
use std::fmt::Debug;

use horarium_core::catalogue::Published;
use horarium_core::ledger::{Leadership, Rows, Runner, Worker};
use horarium_core::run::{Output, Run, RunStatus, StatusKind, TriggerKind};
use horarium_core::schedule::Occurrence;
use horarium_core::store::{ReadError, Reader, RunFilter, RunRef};
use horarium_core::words::{RunId, RunNumber, Timestamp, WorkerName};

use crate::cast;

/// Rows at one instant, to be read as a store is.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// What the store's clock shows.
    pub now: Timestamp,
    /// Every row.
    pub rows: Rows,
}

impl Snapshot {
    fn slot(&self, worker: &WorkerName) -> Option<Run> {
        self.rows.runs.values().find(|run| run.is_active() && run.worker == *worker).cloned()
    }
}

fn passes(filter: &RunFilter, run: &Run) -> bool {
    filter.worker.as_ref().is_none_or(|worker| run.worker == *worker)
        && filter.handler.as_ref().is_none_or(|handler| run.worker.handler() == *handler)
        && (filter.statuses.is_empty() || filter.statuses.contains(&run.status_kind()))
        && filter.trigger.is_none_or(|trigger| run.trigger.kind() == trigger)
        && filter.since.is_none_or(|since| run.enqueued_at >= since)
        && filter.before.is_none_or(|before| run.number < before)
}

fn without_output(run: &Run) -> Run {
    let mut run = run.clone();
    if let RunStatus::Ended(end) = &mut run.status {
        end.output = Output::default();
    }
    run
}

fn first<T>(rows: impl Iterator<Item = T>, limit: u32) -> Vec<T> {
    rows.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect()
}

impl Reader for Snapshot {
    async fn now(&self) -> Result<Timestamp, ReadError> {
        Ok(self.now)
    }

    async fn runs(&self, filter: &RunFilter) -> Result<Vec<Run>, ReadError> {
        let mut runs: Vec<&Run> =
            self.rows.runs.values().filter(|run| passes(filter, run)).collect();
        runs.sort_by_key(|run| Reverse(run.number));
        Ok(first(runs.into_iter().map(without_output), filter.limit))
    }

    async fn run(&self, run: RunRef) -> Result<Option<Run>, ReadError> {
        Ok(match run {
            RunRef::Id(id) => self.rows.runs.get(&id).cloned(),
            RunRef::Number(number) => {
                self.rows.runs.values().find(|run| run.number == number).cloned()
            }
        })
    }

    async fn workers(&self) -> Result<Vec<(WorkerName, Worker, Option<Run>)>, ReadError> {
        let workers = self.rows.workers.iter();
        Ok(workers.map(|(name, row)| (name.clone(), row.clone(), self.slot(name))).collect())
    }

    async fn worker(
        &self,
        worker: &WorkerName,
    ) -> Result<Option<(Worker, Option<Run>)>, ReadError> {
        Ok(self.rows.workers.get(worker).map(|row| (row.clone(), self.slot(worker))))
    }

    async fn occurrences(
        &self,
        worker: &WorkerName,
        limit: u32,
    ) -> Result<Vec<Occurrence>, ReadError> {
        let own = self.rows.occurrences.values().filter(|occurrence| occurrence.worker == *worker);
        Ok(first(own.rev().cloned(), limit))
    }

    async fn runners(&self) -> Result<Vec<Runner>, ReadError> {
        let mut runners: Vec<Runner> = self.rows.runners.values().cloned().collect();
        runners.sort_by_key(|runner| (Reverse(runner.last_seen), runner.registration.runner));
        Ok(runners)
    }

    async fn catalogue(&self) -> Result<Vec<Published>, ReadError> {
        let mut all = Vec::new();
        for entries in self.rows.catalogue.values() {
            let mut entries: Vec<&Published> = entries.values().collect();
            entries.sort_by_key(|entry| entry.recency());
            all.extend(entries.into_iter().cloned());
        }
        Ok(all)
    }

    async fn leadership(&self) -> Result<Option<Leadership>, ReadError> {
        Ok(self.rows.leadership.clone())
    }
}

/// Asks a store and its rows the same questions. The first difference is told.
pub(crate) async fn compare(store: &impl Reader, rows: &Snapshot) -> Result<(), String> {
    same("the clock", &rows.now().await, &store.now().await)?;
    for filter in filters(rows) {
        same(&format!("{filter:?}"), &rows.runs(&filter).await, &store.runs(&filter).await)?;
    }
    let runs = rows.rows.runs.values();
    let mut names: Vec<RunRef> =
        runs.flat_map(|run| [RunRef::Id(run.id), RunRef::Number(run.number)]).collect();
    names.extend([RunRef::Id(RunId::from_bits(1)), RunRef::Number(RunNumber(u64::MAX))]);
    for name in names {
        same(&format!("{name:?}"), &rows.run(name).await, &store.run(name).await)?;
    }
    same("the workers", &rows.workers().await, &store.workers().await)?;
    for worker in cast::WORKERS.map(cast::worker_name) {
        let name = worker.as_str();
        same(name, &rows.worker(&worker).await, &store.worker(&worker).await)?;
        for limit in [0, 2, 1_000] {
            let expected = rows.occurrences(&worker, limit).await;
            let found = store.occurrences(&worker, limit).await;
            same(&format!("{limit} occurrences of {name}"), &expected, &found)?;
        }
    }
    same("the runners", &rows.runners().await, &store.runners().await)?;
    same("the catalogue", &rows.catalogue().await, &store.catalogue().await)?;
    same("the leadership", &rows.leadership().await, &store.leadership().await)
}

/// Everything, a page, and one filter for each thing that can be filtered by.
fn filters(rows: &Snapshot) -> Vec<RunFilter> {
    let any = RunFilter { limit: 1_000, ..RunFilter::default() };
    let middle = RunNumber(rows.rows.sequences.number.0 / 2);
    let since = rows.rows.runs.values().map(|run| run.enqueued_at).max();
    vec![
        any.clone(),
        RunFilter { limit: 0, ..any.clone() },
        RunFilter { limit: 3, before: Some(middle), ..any.clone() },
        RunFilter { before: Some(RunNumber(u64::MAX)), ..any.clone() },
        RunFilter { worker: Some(cast::worker_name("ocr:a.b-c_d")), ..any.clone() },
        RunFilter { worker: Some(cast::worker_name("mail")), before: Some(middle), ..any.clone() },
        RunFilter { handler: Some(cast::name("backup")), limit: 2, ..any.clone() },
        RunFilter { statuses: vec![StatusKind::Queued, StatusKind::Failed], ..any.clone() },
        RunFilter { trigger: Some(TriggerKind::Schedule), ..any.clone() },
        RunFilter { since, ..any.clone() },
        RunFilter {
            worker: Some(cast::worker_name("backup:north")),
            statuses: vec![StatusKind::Cancelled, StatusKind::Running, StatusKind::Success],
            trigger: Some(TriggerKind::Manual),
            ..any
        },
    ]
}

fn same<T: Debug + PartialEq>(question: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        Ok(())
    } else {
        Err(format!("{question}\nexpected: {expected:?}\nfound:    {found:?}"))
    }
}
