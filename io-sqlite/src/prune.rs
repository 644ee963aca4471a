//! Retention: the one command that SQL decides, since it looks at the whole history.
//!
//! The specification of what is selected is the ledger's own prune; the conformance suite holds
//! the two together. Runs go first, then occurrences of which no run is left.

use horarium_core::ledger::Reply;
use horarium_core::ledger::command::Retention;
use horarium_core::ledger::event::Event;
use horarium_core::words::{RunId, Timestamp, WorkerName};
use horarium_sql::Fields;
use sqlx::SqliteConnection;

use crate::error::Failure;
use crate::row::Columned;
use crate::write;

/// Finished long enough ago, with enough newer ones of the same worker, and of no chain whose
/// last attempt must stay.
const PRUNABLE_RUNS: &str = "
SELECT old.id FROM run_done AS old
WHERE old.ended_at <= ?1
    AND (
        SELECT count(*) FROM (
            SELECT 1 FROM run_done AS newer
            WHERE newer.worker = old.worker AND newer.number > old.number LIMIT ?2
        )
    ) >= ?2
    AND NOT EXISTS (
        SELECT 1 FROM occurrence
        WHERE occurrence.worker = old.worker AND occurrence.scheduled_for = old.scheduled_for
            AND (
                occurrence.retry = 'OWED'
                OR EXISTS (SELECT 1 FROM run_live AS last WHERE last.id = occurrence.last_run)
                OR EXISTS (
                    SELECT 1 FROM run_done AS last
                    WHERE last.id = occurrence.last_run AND last.ended_at > ?1
                )
            )
    )
ORDER BY old.ended_at, old.id LIMIT ?3";
/// Recorded long enough ago, with enough newer ones of the same worker, and without a run.
const PRUNABLE_OCCURRENCES: &str = "
SELECT old.worker, old.scheduled_for FROM occurrence AS old
WHERE old.recorded_at <= ?1
    AND old.retry IS NOT 'OWED'
    AND (
        SELECT count(*) FROM (
            SELECT 1 FROM occurrence AS newer
            WHERE newer.worker = old.worker AND newer.scheduled_for > old.scheduled_for LIMIT ?2
        )
    ) >= ?2
    AND NOT EXISTS (
        SELECT 1 FROM run_live
        WHERE run_live.worker = old.worker AND run_live.scheduled_for = old.scheduled_for
    )
    AND NOT EXISTS (
        SELECT 1 FROM run_done
        WHERE run_done.worker = old.worker AND run_done.scheduled_for = old.scheduled_for
    )
ORDER BY old.recorded_at, old.worker, old.scheduled_for LIMIT ?3";

/// Deletes what is past its retention.
pub(crate) async fn prune(
    db: &mut SqliteConnection,
    now: Timestamp,
    retention: &Retention,
) -> Result<Reply, Failure> {
    let limit = usize::try_from(retention.limit.get()).unwrap_or(usize::MAX);
    let mut runs = prunable_runs(db, now, retention).await?;
    let mut more = runs.len() > limit;
    runs.truncate(limit);
    let runs: Vec<Event> = runs.into_iter().map(|run| Event::RunPruned { run }).collect();
    write::events(db, &runs).await?;

    let rest = limit - runs.len();
    let mut occurrences = prunable_occurrences(db, now, retention).await?;
    more |= occurrences.len() > rest;
    occurrences.truncate(rest);
    let occurrences: Vec<Event> = occurrences
        .into_iter()
        .map(|(worker, scheduled_for)| Event::OccurrencePruned { worker, scheduled_for })
        .collect();
    write::events(db, &occurrences).await?;

    let count = |events: &[Event]| u32::try_from(events.len()).unwrap_or(u32::MAX);
    Ok(Reply::Pruned { runs: count(&runs), occurrences: count(&occurrences), more })
}

/// What happened up to then is past its retention.
fn cut(now: Timestamp, retention: &Retention) -> i64 {
    now.micros().saturating_sub(i64::try_from(retention.keep.micros()).unwrap_or(i64::MAX))
}

async fn prunable_runs(
    db: &mut SqliteConnection,
    now: Timestamp,
    retention: &Retention,
) -> Result<Vec<RunId>, Failure> {
    let found = sqlx::query(PRUNABLE_RUNS)
        .bind(cut(now, retention))
        .bind(i64::from(retention.keep_per_worker))
        .bind(i64::from(retention.limit.get()) + 1)
        .fetch_all(db)
        .await?;
    let id = |row| Ok(RunId::from_bytes(Fields::of(&Columned(row), "run", "id").id("id")?));
    found.iter().map(id).collect()
}

async fn prunable_occurrences(
    db: &mut SqliteConnection,
    now: Timestamp,
    retention: &Retention,
) -> Result<Vec<(WorkerName, Timestamp)>, Failure> {
    let found = sqlx::query(PRUNABLE_OCCURRENCES)
        .bind(cut(now, retention))
        .bind(i64::from(retention.keep_per_worker))
        .bind(i64::from(retention.limit.get()) + 1)
        .fetch_all(db)
        .await?;
    found
        .iter()
        .map(|row| {
            let row = Columned(row);
            let fields = Fields::of(&row, "occurrence of worker", "worker");
            Ok((fields.parse("worker")?, fields.time("scheduled_for")?))
        })
        .collect()
}
