//! The table `occurrence`.

use horarium_core::schedule::{Fate, Occurrence, Retry};
use horarium_core::words::{RunId, Timestamp, WorkerName};
use horarium_sql::rows;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::run::uuid;
use super::{Columned, execute, json, optional_json};
use crate::error::Failure;

/// What [`read`] reads.
macro_rules! occurrence_fields {
    () => {
        "worker, scheduled_for, accounts_from, recorded_at, fate, skipped, last_run, attempt, \
         retry, retry_changed_at, retry_changed_by"
    };
}
pub(crate) use occurrence_fields;

const INSERT: &str = "
INSERT INTO occurrence (
    worker, scheduled_for, accounts_from, recorded_at, fate, skipped, last_run, runs, attempt,
    retry)
SELECT worker, scheduled_for, accounts_from, recorded_at, fate, skipped::json, last_run,
    CASE WHEN last_run IS NULL THEN '{}' ELSE ARRAY[last_run] END, attempt,
    CASE WHEN last_run IS NOT NULL THEN 'NONE' END
FROM unnest(
    $1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::uuid[],
    $8::smallint[]
) AS new (
    worker, scheduled_for, accounts_from, recorded_at, fate, skipped, last_run, attempt)";

/// Writes occurrences that are not there yet. None of them owes a retry at its beginning.
pub(crate) async fn insert(
    db: &mut PgConnection,
    occurrences: &[&Occurrence],
) -> Result<(), Failure> {
    if occurrences.is_empty() {
        return Ok(());
    }
    let chain = |occurrence: &&Occurrence| occurrence.chain.clone();
    let skipped = |occurrence: &&Occurrence| match &occurrence.fate {
        Fate::Skipped(why) => json(why).map(Some),
        Fate::Enqueued | Fate::CaughtUp | Fate::Missed => Ok(None),
    };
    let each = || occurrences.iter();
    execute!(
        db,
        INSERT,
        each().map(|occurrence| occurrence.worker.as_str().to_owned()).collect::<Vec<_>>(),
        each().map(|occurrence| occurrence.scheduled_for.micros()).collect::<Vec<_>>(),
        each().map(|occurrence| occurrence.accounts_from.micros()).collect::<Vec<_>>(),
        each().map(|occurrence| occurrence.recorded_at.micros()).collect::<Vec<_>>(),
        each().map(|occurrence| occurrence.fate.as_str()).collect::<Vec<_>>(),
        each().map(skipped).collect::<Result<Vec<_>, _>>()?,
        each().map(chain).map(|chain| chain.map(|chain| uuid(chain.last_run))).collect::<Vec<_>>(),
        each()
            .map(chain)
            .map(|chain| chain.map(|chain| i16::from(chain.attempt.get())))
            .collect::<Vec<_>>(),
    )
}

const CHANGE_RETRY: &str = "
UPDATE occurrence SET retry = $3, retry_changed_at = $4, retry_changed_by = $5::json
WHERE worker = $1 AND scheduled_for = $2 AND retry IS NOT NULL";

/// Writes whether another attempt is owed.
pub(crate) async fn change_retry(
    db: &mut PgConnection,
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

/// A conflict with the row that is there is the look-up by key that no plan turns into a scan.
/// The occurrence itself is always there: what else is inserted only passes the table's checks.
const EXTEND: &str = "
INSERT INTO occurrence AS old (
    worker, scheduled_for, accounts_from, recorded_at, fate, last_run, runs, attempt, retry)
SELECT worker, scheduled_for, scheduled_for, scheduled_for, 'ENQUEUED', run, '{}', 1, 'NONE'
FROM unnest($1::text[], $2::bigint[], $3::uuid[]) AS new (worker, scheduled_for, run)
ON CONFLICT (worker, scheduled_for) DO UPDATE SET
    last_run = excluded.last_run, runs = old.runs || excluded.last_run,
    attempt = old.attempt + 1, retry = 'NONE', retry_changed_at = NULL, retry_changed_by = NULL
WHERE old.attempt IS NOT NULL";

/// Writes the runs of next attempts.
pub(crate) async fn extend(
    db: &mut PgConnection,
    chains: &[(&WorkerName, Timestamp, RunId)],
) -> Result<(), Failure> {
    if chains.is_empty() {
        return Ok(());
    }
    let workers: Vec<&str> = chains.iter().map(|(worker, ..)| worker.as_str()).collect();
    let instants: Vec<i64> = chains.iter().map(|(_, at, _)| at.micros()).collect();
    let runs: Vec<Uuid> = chains.iter().map(|(.., run)| uuid(*run)).collect();
    execute!(db, EXTEND, workers, instants, runs)
}

/// Reads a row.
pub(crate) fn read(row: &PgRow) -> Result<Occurrence, Failure> {
    Ok(rows::occurrence::read(&Columned(row))?)
}
