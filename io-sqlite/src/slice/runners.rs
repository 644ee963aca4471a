//! What runners read: register, turn, retire; and the sweep, which reads the same tables.

use horarium_core::catalogue::Definition;
use horarium_core::ledger::{Registration, ReportEvent, Turn};
use horarium_core::run::Run;
use horarium_core::words::{RunId, RunnerId, WorkerName};

use super::{Slice, one_more};
use crate::error::Failure;
use crate::row;

pub(super) const RUNNER_BY_ID: &str = "SELECT * FROM runner WHERE id = ?1";
pub(super) const DEFINITION: &str = "SELECT * FROM catalogue WHERE handler = ?1 AND hash = ?2";
pub(super) const HELD_BY: &str = "
SELECT *, NULL AS ended_at FROM run_live WHERE status = 'RUNNING' AND runner = ?1";
pub(super) const CLAIMABLE: &str = "
SELECT *, NULL AS ended_at FROM run_live
WHERE status = 'QUEUED' AND not_before <= ?1
    AND (start_before IS NULL OR start_before >= ?1)
    AND (?2 IS NULL OR handler IN (SELECT value FROM json_each(?2)))
ORDER BY not_before, id LIMIT ?3";
pub(super) const EXPIRED: &str = "
SELECT *, NULL AS ended_at FROM run_live
WHERE status = 'RUNNING' AND lease_expires_at <= ?1
ORDER BY lease_expires_at, id LIMIT ?2";
pub(super) const TOO_LATE: &str = "
SELECT *, NULL AS ended_at FROM run_live INDEXED BY ix_run_live_late
WHERE status = 'QUEUED' AND start_before < ?1
ORDER BY not_before, id LIMIT ?2";

impl Slice<'_> {
    /// Whether the runner and its definitions are known.
    pub(super) async fn for_register(
        &mut self,
        registration: &Registration,
    ) -> Result<(), Failure> {
        self.runner(registration.runner).await?;
        self.definitions(&registration.catalogue).await
    }

    /// The runner, what it holds, what it says has ended, and what it may claim.
    pub(super) async fn for_turn(&mut self, turn: &Turn) -> Result<(), Failure> {
        self.runner(turn.runner).await?;
        let Some(known) = self.rows.runners.get(&turn.runner) else {
            return Ok(());
        };
        let handlers = row::runner::handler_names(&known.registration.handlers)?;
        self.held_by(turn.runner).await?;
        let spare = i64::from(turn.capacity) - self.kept_for_sure(turn);

        // What is not held any more is told apart only for an end that was said before.
        let ended: Vec<RunId> = turn
            .reports
            .iter()
            .filter(|report| match report.event {
                ReportEvent::Ended(_) => true,
                ReportEvent::Started { .. }
                | ReportEvent::Progressed { .. }
                | ReportEvent::GivenBack => false,
            })
            .map(|report| report.claim.run)
            .filter(|run| !self.rows.runs.contains_key(run))
            .collect();
        self.runs(&ended).await?;

        if spare > 0 {
            let found = sqlx::query(CLAIMABLE)
                .bind(self.now.micros())
                .bind(handlers)
                .bind(spare)
                .fetch_all(&mut *self.db)
                .await?;
            self.keep_runs(&found)?;
        }
        // A run is handed over with its worker's settings.
        let workers: Vec<WorkerName> = self
            .rows
            .runs
            .values()
            .filter(|run| run.is_active())
            .map(|run| run.worker.clone())
            .collect();
        self.workers(&workers).await
    }

    /// How many of the runs that the runner holds it holds after the turn too, at the least.
    fn kept_for_sure(&self, turn: &Turn) -> i64 {
        let ends = |run: &Run| {
            run.cancel.is_some()
                || turn.reports.iter().any(|report| {
                    report.claim.run == run.id
                        && match report.event {
                            ReportEvent::Ended(_) | ReportEvent::GivenBack => true,
                            ReportEvent::Started { .. } | ReportEvent::Progressed { .. } => false,
                        }
                })
        };
        let kept = self.rows.runs.values().filter(|run| !ends(run)).count();
        i64::try_from(kept).unwrap_or(i64::MAX)
    }

    /// The runner and what it holds.
    pub(super) async fn for_retire(&mut self, runner: RunnerId) -> Result<(), Failure> {
        self.runner(runner).await?;
        self.held_by(runner).await
    }

    /// The first runs whose lease is over, and the first that may no longer start.
    pub(super) async fn for_sweep(&mut self, limit: u32) -> Result<(), Failure> {
        for statement in [EXPIRED, TOO_LATE] {
            let found = sqlx::query(statement)
                .bind(self.now.micros())
                .bind(one_more(limit))
                .fetch_all(&mut *self.db)
                .await?;
            self.keep_runs(&found)?;
        }
        Ok(())
    }

    pub(super) async fn runner(&mut self, id: RunnerId) -> Result<(), Failure> {
        let found = sqlx::query(RUNNER_BY_ID)
            .bind(id.to_bytes().to_vec())
            .fetch_optional(&mut *self.db)
            .await?;
        if let Some(row) = &found {
            self.rows.runners.insert(id, row::runner::read(row)?);
        }
        Ok(())
    }

    /// Those of these definitions that are known already.
    pub(super) async fn definitions(&mut self, definitions: &[Definition]) -> Result<(), Failure> {
        for definition in definitions {
            let hash = definition.hash();
            let found = sqlx::query(DEFINITION)
                .bind(definition.handler.as_str())
                .bind(hash.0.as_str())
                .fetch_optional(&mut *self.db)
                .await?;
            if let Some(row) = &found {
                let entries = self.rows.catalogue.entry(definition.handler.clone()).or_default();
                entries.insert(hash.clone(), row::published::read(row)?);
            }
        }
        Ok(())
    }

    async fn held_by(&mut self, runner: RunnerId) -> Result<(), Failure> {
        let found =
            sqlx::query(HELD_BY).bind(runner.to_bytes().to_vec()).fetch_all(&mut *self.db).await?;
        self.keep_runs(&found)
    }
}
