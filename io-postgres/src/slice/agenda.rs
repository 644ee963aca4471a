//! What a tick reads, and what a change of one worker's schedule or settings reads.

use horarium_core::words::{RunId, WorkerName};

use super::Slice;
use crate::error::Failure;
use crate::lock::Taken;
use crate::row::occurrence::occurrence_fields;
use crate::row::worker::worker_fields;

pub(crate) const OWED_BY_WORKERS: &str = concat!(
    "SELECT ",
    occurrence_fields!(),
    " FROM occurrence WHERE retry = 'OWED' AND worker = ANY ($1)"
);
const NEXT: &str = concat!(
    "SELECT ",
    worker_fields!(),
    " FROM worker WHERE next_at > $1 ORDER BY next_at, name LIMIT $2"
);
/// Instants that are accounted for already although their schedule still points at them, or
/// behind them.
pub(crate) const ACCOUNTED_FOR: &str = concat!(
    "SELECT found.* FROM unnest($1::text[]) AS wanted (name) CROSS JOIN LATERAL (
    SELECT next_at FROM worker WHERE worker.name = wanted.name LIMIT 1
) here CROSS JOIN LATERAL (
    SELECT ",
    occurrence_fields!(),
    " FROM occurrence
    WHERE occurrence.worker = wanted.name AND occurrence.scheduled_for >= here.next_at OFFSET 0
) found"
);

impl Slice<'_> {
    /// Of each worker that the tick locked its row, its slot, what it owes, the run that failed
    /// and its handler; and the instant that comes next. Slots before what is owed: a run that
    /// fails in between leaves its slot, in this slice, taken, and not free with nothing owed.
    pub(super) async fn for_tick(&mut self, taken: &Taken) -> Result<(), Failure> {
        self.leadership().await?;
        self.zone_data().await?;
        let workers: Vec<&WorkerName> = taken.workers.iter().collect();
        let names: Vec<&str> = workers.iter().map(|worker| worker.as_str()).collect();
        self.workers(&names).await?;
        self.slots(&names).await?;
        let found = self.of_workers(OWED_BY_WORKERS, &names).await?;
        let owed = self.keep_occurrences(&found)?;
        let failed: Vec<RunId> = owed
            .iter()
            .filter_map(|occurrence| occurrence.chain.as_ref())
            .map(|chain| chain.last_run)
            .collect();
        self.runs(&failed).await?;
        let found = self.of_workers(ACCOUNTED_FOR, &names).await?;
        self.keep_occurrences(&found)?;
        self.newest_definitions(&workers).await?;
        // The tick may move each of its own: the first of the others is what comes next.
        let found = sqlx::query(NEXT)
            .bind(taken.now.micros())
            .bind(i64::try_from(workers.len()).unwrap_or(i64::MAX).saturating_add(1))
            .fetch_all(&mut *self.db)
            .await?;
        self.keep_workers(&found)
    }

    /// One worker: its row, what it owes, whether its next instant is accounted for already, and
    /// its handler.
    pub(super) async fn for_worker(&mut self, worker: &WorkerName) -> Result<(), Failure> {
        self.zone_data().await?;
        let only = [worker.as_str()];
        self.workers(&only).await?;
        for statement in [OWED_BY_WORKERS, ACCOUNTED_FOR] {
            let found = self.of_workers(statement, &only).await?;
            self.keep_occurrences(&found)?;
        }
        self.newest_definitions(&[worker]).await
    }
}
