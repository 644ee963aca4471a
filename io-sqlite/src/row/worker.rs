//! The table `worker`: the row itself, its schedule and its settings.

use horarium_core::ledger::Worker;
use horarium_core::recurrence::{Occasion, ZoneData, ZoneRelease};
use horarium_core::schedule::due::Advance;
use horarium_core::schedule::{Revision, Schedule};
use horarium_core::words::{By, Request, Timestamp, WorkerName};
use horarium_sql::rows;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::{Columned, execute, json};
use crate::error::Failure;

const INSERT: &str = "
INSERT INTO worker (name, accounted_until, revision) VALUES (?1, ?2, ?3)
ON CONFLICT (name) DO NOTHING";

/// Makes sure that the worker has a row.
pub(crate) async fn insert(db: &mut SqliteConnection, name: &WorkerName) -> Result<(), Failure> {
    execute!(
        db,
        INSERT,
        name.as_str(),
        Worker::NEW.accounted_until.micros(),
        Worker::NEW.revision.0.cast_signed()
    )
}

const SAVE_SCHEDULE: &str = "
INSERT INTO worker (
    name, accounted_until, revision, plan, enablement, next_at, next_wall, last_wall,
    next_ordinal, runs_created, zone_data, changed_at, changed_by
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
ON CONFLICT (name) DO UPDATE SET
    accounted_until = ?2, revision = ?3, plan = ?4, enablement = ?5, next_at = ?6, next_wall = ?7,
    last_wall = ?8, next_ordinal = ?9, runs_created = ?10, zone_data = ?11, changed_at = ?12,
    changed_by = ?13";

/// Writes the worker's schedule.
pub(crate) async fn save_schedule(
    db: &mut SqliteConnection,
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
        schedule.next.and_then(|next| next.ordinal),
        i64::from(schedule.runs_created),
        schedule.zone_data.to_string(),
        schedule.changed_at.micros(),
        json(&schedule.changed_by)?
    )
}

const ADVANCE: &str = "
UPDATE worker SET
    accounted_until = ?2, next_at = ?3, next_wall = ?4, last_wall = ?5, next_ordinal = ?6,
    runs_created = ?7, zone_data = ?8
WHERE name = ?1";

const RECOMPUTE: &str = "
UPDATE worker SET next_at = ?2, next_wall = ?3, next_ordinal = ?4, zone_data = ?5
WHERE name = ?1";

/// Writes when the worker's schedule fires by newer zone data.
pub(crate) async fn recompute(
    db: &mut SqliteConnection,
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
        next.and_then(|next| next.ordinal),
        release.to_string()
    )
}

/// Writes where the worker's schedule stands after an occurrence.
pub(crate) async fn advance(
    db: &mut SqliteConnection,
    name: &WorkerName,
    advance: &Advance,
    release: ZoneRelease,
) -> Result<(), Failure> {
    execute!(
        db,
        ADVANCE,
        name.as_str(),
        advance.accounted_until.micros(),
        advance.next.map(|next| next.at.micros()),
        advance.next.map(|next| next.wall.to_string()),
        advance.last_wall.map(|wall| wall.to_string()),
        advance.next.and_then(|next| next.ordinal),
        i64::from(advance.runs_created),
        release.to_string()
    )
}

const DELETE_SCHEDULE: &str = "
UPDATE worker SET
    accounted_until = ?2, revision = ?3, plan = NULL, enablement = NULL, next_at = NULL,
    next_wall = NULL, last_wall = NULL, next_ordinal = NULL, runs_created = NULL, zone_data = NULL,
    changed_at = NULL, changed_by = NULL
WHERE name = ?1";

/// Removes the worker's schedule; the row stays.
pub(crate) async fn delete_schedule(
    db: &mut SqliteConnection,
    name: &WorkerName,
    revision: Revision,
    accounted_until: Timestamp,
) -> Result<(), Failure> {
    execute!(db, DELETE_SCHEDULE, name.as_str(), accounted_until.micros(), revision.0.cast_signed())
}

const SAVE_SETTINGS: &str = "
INSERT INTO worker (
    name, accounted_until, revision, settings, settings_revision, settings_changed_at,
    settings_changed_by
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (name) DO UPDATE SET
    settings = ?4, settings_revision = ?5, settings_changed_at = ?6, settings_changed_by = ?7";

/// Writes the worker's settings.
pub(crate) async fn save_settings(
    db: &mut SqliteConnection,
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
        Worker::NEW.accounted_until.micros(),
        Worker::NEW.revision.0.cast_signed(),
        json(settings)?,
        revision.0.cast_signed(),
        at.micros(),
        json(by)?
    )
}

/// Reads a row; its rule in these zone data.
pub(crate) fn read(row: &SqliteRow, zones: &ZoneData) -> Result<(WorkerName, Worker), Failure> {
    Ok(rows::worker::read(&Columned(row), zones)?)
}
