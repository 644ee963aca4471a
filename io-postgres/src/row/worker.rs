//! The table `worker`: the row itself, its schedule and its settings. A worker's row is there
//! before it is written to: whoever changes it locked it first.

use horarium_core::ledger::Worker;
use horarium_core::recurrence::{Occasion, ZoneData, ZoneRelease};
use horarium_core::schedule::due::Advance;
use horarium_core::schedule::{Revision, Schedule};
use horarium_core::words::{By, Request, Timestamp, WorkerName};
use horarium_sql::rows;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;

use super::{Columned, execute, json};
use crate::error::Failure;

/// What [`read`] reads.
macro_rules! worker_fields {
    () => {
        "name, accounted_until, revision, plan, enablement, next_at, next_wall, last_wall, \
         next_ordinal, runs_created, zone_data, changed_at, changed_by, settings, \
         settings_revision, settings_changed_at, settings_changed_by"
    };
}
pub(crate) use worker_fields;

const SAVE_SCHEDULE: &str = "
UPDATE worker SET
    accounted_until = $2, revision = $3, plan = $4::json, enablement = $5::json, next_at = $6,
    next_wall = $7, last_wall = $8, next_ordinal = $9, runs_created = $10, zone_data = $11,
    changed_at = $12, changed_by = $13::json
WHERE name = $1";

/// Writes the worker's schedule.
pub(crate) async fn save_schedule(
    db: &mut PgConnection,
    name: &WorkerName,
    schedule: &Schedule,
    accounted_until: Timestamp,
) -> Result<(), Failure> {
    execute!(
        db,
        SAVE_SCHEDULE,
        name.as_str(),
        accounted_until.micros(),
        schedule.revision.0.cast_signed(),
        json(&schedule.plan)?,
        json(&schedule.enablement)?,
        schedule.next.map(|next| next.at.micros()),
        schedule.next.map(|next| next.wall.to_string()),
        schedule.last_wall.map(|wall| wall.to_string()),
        schedule.next.and_then(|next| next.ordinal).map(i64::from),
        i64::from(schedule.runs_created),
        schedule.zone_data.to_string(),
        schedule.changed_at.micros(),
        json(&schedule.changed_by)?
    )
}

/// A conflict with the row that is there is the look-up by key that no plan turns into a scan.
/// The row itself is always there: what else is inserted only passes the table's checks.
const ADVANCE: &str = "
INSERT INTO worker AS old (
    name, accounted_until, revision, next_at, next_wall, last_wall, next_ordinal, runs_created,
    zone_data, plan, enablement)
SELECT name, accounted_until, 0, next_at, next_wall, last_wall, next_ordinal, runs_created,
    zone_data, 'null', 'null'
FROM unnest(
    $1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
    $8::text[]
) AS new (
    name, accounted_until, next_at, next_wall, last_wall, next_ordinal, runs_created, zone_data)
ON CONFLICT (name) DO UPDATE SET
    accounted_until = excluded.accounted_until, next_at = excluded.next_at,
    next_wall = excluded.next_wall, last_wall = excluded.last_wall,
    next_ordinal = excluded.next_ordinal, runs_created = excluded.runs_created,
    zone_data = excluded.zone_data";

/// Writes where workers' schedules stand after an occurrence.
pub(crate) async fn advance(
    db: &mut PgConnection,
    advances: &[(&WorkerName, &Advance, ZoneRelease)],
) -> Result<(), Failure> {
    if advances.is_empty() {
        return Ok(());
    }
    let each = || advances.iter().map(|(_, advance, _)| advance);
    let names: Vec<&str> = advances.iter().map(|(name, ..)| name.as_str()).collect();
    execute!(
        db,
        ADVANCE,
        names,
        each().map(|advance| advance.accounted_until.micros()).collect::<Vec<_>>(),
        each().map(|advance| advance.next.map(|next| next.at.micros())).collect::<Vec<_>>(),
        each().map(|advance| advance.next.map(|next| next.wall.to_string())).collect::<Vec<_>>(),
        each().map(|advance| advance.last_wall.map(|wall| wall.to_string())).collect::<Vec<_>>(),
        each()
            .map(|advance| advance.next.and_then(|next| next.ordinal).map(i64::from))
            .collect::<Vec<_>>(),
        each().map(|advance| i64::from(advance.runs_created)).collect::<Vec<_>>(),
        advances.iter().map(|(.., release)| release.to_string()).collect::<Vec<_>>(),
    )
}

const RECOMPUTE: &str = "
UPDATE worker SET next_at = $2, next_wall = $3, next_ordinal = $4, zone_data = $5
WHERE name = $1";

/// Writes when the worker's schedule fires by newer zone data.
pub(crate) async fn recompute(
    db: &mut PgConnection,
    name: &WorkerName,
    next: Option<Occasion>,
    release: ZoneRelease,
) -> Result<(), Failure> {
    execute!(
        db,
        RECOMPUTE,
        name.as_str(),
        next.map(|next| next.at.micros()),
        next.map(|next| next.wall.to_string()),
        next.and_then(|next| next.ordinal).map(i64::from),
        release.to_string()
    )
}

const DELETE_SCHEDULE: &str = "
UPDATE worker SET
    accounted_until = $2, revision = $3, plan = NULL, enablement = NULL, next_at = NULL,
    next_wall = NULL, last_wall = NULL, next_ordinal = NULL, runs_created = NULL, zone_data = NULL,
    changed_at = NULL, changed_by = NULL
WHERE name = $1";

/// Removes the worker's schedule; the row stays.
pub(crate) async fn delete_schedule(
    db: &mut PgConnection,
    name: &WorkerName,
    revision: Revision,
    accounted_until: Timestamp,
) -> Result<(), Failure> {
    execute!(db, DELETE_SCHEDULE, name.as_str(), accounted_until.micros(), revision.0.cast_signed())
}

const SAVE_SETTINGS: &str = "
UPDATE worker SET
    settings = $2::json, settings_revision = $3, settings_changed_at = $4,
    settings_changed_by = $5::json
WHERE name = $1";

/// Writes the worker's settings.
pub(crate) async fn save_settings(
    db: &mut PgConnection,
    name: &WorkerName,
    settings: &Request,
    revision: Revision,
    at: Timestamp,
    by: &By,
) -> Result<(), Failure> {
    execute!(
        db,
        SAVE_SETTINGS,
        name.as_str(),
        json(settings)?,
        revision.0.cast_signed(),
        at.micros(),
        json(by)?
    )
}

/// Reads a row; its rule in these zone data.
pub(crate) fn read(row: &PgRow, zones: &ZoneData) -> Result<(WorkerName, Worker), Failure> {
    Ok(rows::worker::read(&Columned(row), zones)?)
}
