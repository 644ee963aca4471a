//! The table `occurrence`.

use horarium_core::schedule::{Chain, Fate, Occurrence, Retry, SkipReason};
use horarium_core::words::{Attempt, By, RunId, Timestamp, WorkerName};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::run::id_bytes;
use super::{Fields, execute, json, optional_json};
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
    let retry = chain.map(|chain| RetryColumns::of(&chain.retry));
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
    let retry = RetryColumns::of(retry);
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
    let fields = Fields::of(row, "occurrence of worker", "worker");
    let fate = match fields.get("fate")? {
        "ENQUEUED" => Fate::Enqueued,
        "CAUGHT_UP" => Fate::CaughtUp,
        "SKIPPED" => Fate::Skipped(fields.json::<SkipReason>("skipped")?),
        "MISSED" => Fate::Missed,
        other => return Err(fields.corrupt("fate", &format!("`{other}` is no fate"))),
    };
    Ok(Occurrence {
        worker: fields.parse("worker")?,
        scheduled_for: fields.time("scheduled_for")?,
        accounts_from: fields.time("accounts_from")?,
        recorded_at: fields.time("recorded_at")?,
        fate,
        chain: read_chain(&fields)?,
    })
}

fn read_chain(fields: &Fields<'_>) -> Result<Option<Chain>, Failure> {
    let Some(last_run) = fields.id_optional("last_run")? else {
        return Ok(None);
    };
    let number: u8 = fields.narrow("attempt")?;
    let retry = match fields.get("retry")? {
        "NONE" => Retry::None,
        "OWED" => Retry::Owed { since: fields.time("retry_changed_at")? },
        "DROPPED" => Retry::Dropped {
            at: fields.time("retry_changed_at")?,
            by: fields.json("retry_changed_by")?,
        },
        other => return Err(fields.corrupt("retry", &format!("`{other}` is no state of one"))),
    };
    Ok(Some(Chain {
        last_run: RunId::from_bytes(last_run),
        attempt: Attempt::new(number).map_err(|error| fields.corrupt("attempt", &error))?,
        retry,
    }))
}

/// Whether another attempt is owed, as three columns.
struct RetryColumns<'a> {
    word: &'static str,
    at: Option<Timestamp>,
    by: Option<&'a By>,
}

impl<'a> RetryColumns<'a> {
    const fn of(retry: &'a Retry) -> Self {
        match retry {
            Retry::None => Self { word: "NONE", at: None, by: None },
            Retry::Owed { since } => Self { word: "OWED", at: Some(*since), by: None },
            Retry::Dropped { at, by } => Self { word: "DROPPED", at: Some(*at), by: Some(by) },
        }
    }
}
