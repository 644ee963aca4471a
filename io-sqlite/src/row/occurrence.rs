//! The table `occurrence`.

use horarium_core::schedule::{Fate, Occurrence, Retry};
use horarium_core::words::{RunId, Timestamp, WorkerName};
use horarium_sql::rows;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::run::id_bytes;
use super::{Columned, execute, json, optional_json};
use crate::error::Failure;

const INSERT: &str = "
INSERT INTO occurrence (
    worker, scheduled_for, accounts_from, recorded_at, fate, skipped, last_run, attempt, retry,
    retry_changed_at, retry_changed_by
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// Writes an occurrence that is not there yet.
pub(crate) async fn insert(
    db: &mut SqliteConnection,
    occurrence: &Occurrence,
) -> Result<(), Failure> {
    let chain = occurrence.chain.as_ref();
    let retry = chain.map(|chain| rows::occurrence::RetryColumns::of(&chain.retry));
    let skipped = match &occurrence.fate {
        Fate::Skipped(why) => Some(json(why)?),
        Fate::Enqueued | Fate::CaughtUp | Fate::Missed => None,
    };
    execute!(
        db,
        INSERT,
        occurrence.worker.as_str(),
        occurrence.scheduled_for.micros(),
        occurrence.accounts_from.micros(),
        occurrence.recorded_at.micros(),
        occurrence.fate.as_str(),
        skipped,
        chain.map(|chain| id_bytes(chain.last_run)),
        chain.map(|chain| i64::from(chain.attempt.get())),
        retry.as_ref().map(|retry| retry.word),
        retry.as_ref().and_then(|retry| retry.at).map(Timestamp::micros),
        optional_json(retry.and_then(|retry| retry.by))?
    )
}

const CHANGE_RETRY: &str = "
UPDATE occurrence SET retry = ?3, retry_changed_at = ?4, retry_changed_by = ?5
WHERE worker = ?1 AND scheduled_for = ?2 AND retry IS NOT NULL";

/// Writes whether another attempt is owed.
pub(crate) async fn change_retry(
    db: &mut SqliteConnection,
    worker: &WorkerName,
    scheduled_for: Timestamp,
    retry: &Retry,
) -> Result<(), Failure> {
    let retry = rows::occurrence::RetryColumns::of(retry);
    execute!(
        db,
        CHANGE_RETRY,
        worker.as_str(),
        scheduled_for.micros(),
        retry.word,
        retry.at.map(Timestamp::micros),
        optional_json(retry.by)?
    )
}

const EXTEND: &str = "
UPDATE occurrence SET
    last_run = ?3, attempt = attempt + 1, retry = 'NONE', retry_changed_at = NULL,
    retry_changed_by = NULL
WHERE worker = ?1 AND scheduled_for = ?2 AND attempt IS NOT NULL";

/// Writes the run of the next attempt.
pub(crate) async fn extend(
    db: &mut SqliteConnection,
    worker: &WorkerName,
    scheduled_for: Timestamp,
    run: RunId,
) -> Result<(), Failure> {
    execute!(db, EXTEND, worker.as_str(), scheduled_for.micros(), id_bytes(run))
}

/// Reads a row.
pub(crate) fn read(row: &SqliteRow) -> Result<Occurrence, Failure> {
    Ok(rows::occurrence::read(&Columned(row))?)
}
