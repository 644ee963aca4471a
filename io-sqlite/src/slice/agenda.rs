//! What a tick reads, and what a change of one worker's schedule or settings reads.

use horarium_core::words::{RunId, WorkerName};

use super::{Slice, one_more};
use crate::error::Failure;

pub(super) const OWED_WITH_FREE_SLOT: &str = "
SELECT * FROM occurrence
WHERE retry = 'OWED'
    AND NOT EXISTS (SELECT 1 FROM run_live WHERE run_live.worker = occurrence.worker)
ORDER BY worker, scheduled_for LIMIT ?1";
pub(super) const OWED_BY_WORKERS: &str = "
SELECT * FROM occurrence INDEXED BY ix_occurrence_owed
WHERE retry = 'OWED' AND worker IN (SELECT value FROM json_each(?1))";
pub(super) const DUE: &str = "
SELECT * FROM worker WHERE next_at <= ?1 ORDER BY next_at, name LIMIT ?2";
pub(super) const NEXT: &str = "
SELECT * FROM worker WHERE next_at > ?1 ORDER BY next_at, name LIMIT ?2";
/// What older zone data computed. Their texts are ordered as they were published.
pub(super) const STALE: &str = r#"
SELECT * FROM worker INDEXED BY ix_worker_zone_data
WHERE enablement = '"enabled"' AND zone_data < ?1 AND (next_at IS NULL OR next_at > ?2)
ORDER BY zone_data, name LIMIT ?3"#;
/// An instant that is accounted for already although its schedule still points at it.
pub(super) const ACCOUNTED_FOR: &str = "
SELECT occurrence.* FROM worker
JOIN occurrence ON occurrence.worker = worker.name AND occurrence.scheduled_for >= worker.next_at
WHERE worker.name IN (SELECT value FROM json_each(?1))";

impl Slice<'_> {
    /// What is to be computed anew, the first owed retries whose slot is free, the first due
    /// schedules, and the instant that comes next; of each worker concerned its slot, what it owes and its handler.
    pub(super) async fn for_tick(&mut self, limit: u32) -> Result<(), Failure> {
        self.leadership().await?;
        let release = self.zones.release();
        if self.rows.zone_data.is_some_and(|adopted| release < adopted) {
            // It will be refused.
            return Ok(());
        }
        let stale = sqlx::query(STALE)
            .bind(release.to_string())
            .bind(self.now.micros())
            .bind(one_more(limit))
            .fetch_all(&mut *self.db)
            .await?;
        self.keep_workers(&stale)?;
        let found =
            sqlx::query(OWED_WITH_FREE_SLOT).bind(one_more(limit)).fetch_all(&mut *self.db).await?;
        let owed = self.keep_occurrences(&found)?;
        let failed: Vec<RunId> = owed
            .iter()
            .filter_map(|occurrence| occurrence.chain.as_ref())
            .map(|chain| chain.last_run)
            .collect();
        self.runs(&failed).await?;

        let found = sqlx::query(DUE)
            .bind(self.now.micros())
            .bind(one_more(limit))
            .fetch_all(&mut *self.db)
            .await?;
        self.keep_workers(&found)?;
        let due: Vec<WorkerName> = self.rows.workers.keys().cloned().collect();
        self.slots(&due).await?;
        self.owed_by(&due).await?;
        self.accounted_for(&due).await?;

        let mut concerned = due;
        concerned.extend(owed.into_iter().map(|occurrence| occurrence.worker));
        self.workers(&concerned).await?;
        self.newest_definitions(&concerned).await?;

        // The tick may move every stale one: the first of the others is what comes next.
        let found = sqlx::query(NEXT)
            .bind(self.now.micros())
            .bind(i64::try_from(stale.len()).unwrap_or(i64::MAX).saturating_add(1))
            .fetch_all(&mut *self.db)
            .await?;
        self.keep_workers(&found)
    }

    /// One worker: its row, what it owes, whether its next instant is accounted for already, and
    /// its handler.
    pub(super) async fn for_worker(&mut self, worker: &WorkerName) -> Result<(), Failure> {
        let only = std::slice::from_ref(worker);
        self.workers(only).await?;
        self.owed_by(only).await?;
        self.accounted_for(only).await?;
        self.newest_definitions(only).await
    }

    async fn owed_by(&mut self, workers: &[WorkerName]) -> Result<(), Failure> {
        self.occurrences_of(OWED_BY_WORKERS, workers).await
    }

    async fn accounted_for(&mut self, workers: &[WorkerName]) -> Result<(), Failure> {
        self.occurrences_of(ACCOUNTED_FOR, workers).await
    }

    async fn occurrences_of(
        &mut self,
        statement: &'static str,
        workers: &[WorkerName],
    ) -> Result<(), Failure> {
        if workers.is_empty() {
            return Ok(());
        }
        let names = crate::row::json(&workers)?;
        let found = sqlx::query(statement).bind(names).fetch_all(&mut *self.db).await?;
        self.keep_occurrences(&found)?;
        Ok(())
    }
}
