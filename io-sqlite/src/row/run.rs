//! The tables `run_live` and `run_done`, and the view `run` over both.

use horarium_core::run::{Output, Run};
use horarium_core::words::{Note, RunId, Timestamp};
use horarium_sql::rows;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::{Columned, execute, json, optional_json};
use crate::error::Failure;

const INSERT: &str = "
INSERT INTO run_live (
    id, number, worker, handler, trigger, scheduled_for, attempt, retry_of, request, config,
    catalogue, timeout, retry, requested_by, enqueued_at, not_before, start_before, cancel_at,
    cancel_by, pending, processed, status, runner, fence, claimed_at, lease_expires_at,
    started_at, started_config, progress
) VALUES (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
    ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29
)";

/// Writes a run that is not there yet. A run begins live.
pub(crate) async fn insert(db: &mut SqliteConnection, run: &Run) -> Result<(), Failure> {
    let scheduled = run.trigger.scheduled();
    let hold = run.hold();
    let started = hold.and_then(|hold| hold.started.as_ref());
    execute!(
        db,
        INSERT,
        id_bytes(run.id),
        run.number.0.cast_signed(),
        run.worker.as_str(),
        run.worker.handler().as_str(),
        rows::run::trigger_word(run.trigger.kind()),
        scheduled.map(|scheduled| scheduled.scheduled_for.micros()),
        scheduled.map(|scheduled| i64::from(scheduled.attempt.get())),
        scheduled.and_then(|scheduled| scheduled.retry_of).map(id_bytes),
        json(&run.request)?,
        json(&run.config)?,
        run.catalogue.0.as_str(),
        run.timeout.to_string(),
        json(&run.retry)?,
        json(&run.by)?,
        run.enqueued_at.micros(),
        run.not_before.micros(),
        run.start_before.map(Timestamp::micros),
        run.cancel.as_ref().map(|cancel| cancel.at.micros()),
        optional_json(run.cancel.as_ref().map(|cancel| &cancel.by))?,
        run.units.map(|units| units.pending.cast_signed()),
        run.units.map(|units| units.processed.cast_signed()),
        run.status_kind().as_str(),
        hold.map(|hold| hold.runner.to_bytes().to_vec()),
        hold.map(|hold| hold.fence.number().cast_signed()),
        hold.map(|hold| hold.claimed_at.micros()),
        hold.map(|hold| hold.lease_expires_at.micros()),
        started.map(|started| started.at.micros()),
        optional_json(started.map(|started| &started.config))?,
        hold.and_then(|hold| hold.progress.as_ref()).map(Note::as_str)
    )
}

/// Reads a row of the view `run`, without the job's output.
pub(crate) fn read(row: &SqliteRow) -> Result<Run, Failure> {
    Ok(rows::run::read(&Columned(row))?)
}

/// Reads a row of the table `run_output`.
pub(crate) fn read_output(row: &SqliteRow) -> Result<(RunId, Output), Failure> {
    Ok(rows::run::read_output(&Columned(row))?)
}

pub(crate) fn id_bytes(id: RunId) -> Vec<u8> {
    id.to_bytes().to_vec()
}
