//! The tables `run_live` and `run_done`, and the view `run` over both.

use horarium_core::run::{CancelRequest, End, Output, Run, Units};
use horarium_core::words::{Attempt, RunId, RunnerId, Timestamp};
use horarium_sql::rows;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{Columned, execute, json};
use crate::error::Failure;

/// The columns that a live run and a finished one have.
macro_rules! run_columns {
    () => {
        "id, number, worker, handler, trigger, scheduled_for, attempt, next_attempt, retry_of, \
         request, config, catalogue, timeout, retry, requested_by, enqueued_at, not_before, \
         start_before, cancel_at, cancel_by, pending, processed, status, runner, fence, \
         claimed_at, lease_expires_at, started_at, started_config, progress"
    };
}
pub(crate) use run_columns;

/// What [`read`] reads of the view `run`.
macro_rules! run_fields {
    () => {
        concat!(crate::row::run::run_columns!(), ", ended_at, outcome, word")
    };
}
pub(crate) use run_fields;

/// What [`read`] reads of the table `run_live`.
macro_rules! live_fields {
    () => {
        concat!(
            crate::row::run::run_columns!(),
            ", NULL::bigint AS ended_at, NULL::json AS outcome, NULL::text AS word"
        )
    };
}
pub(crate) use live_fields;

const INSERT: &str = concat!(
    "INSERT INTO run_live (",
    run_columns!(),
    ")
SELECT id, number, worker, handler, trigger, scheduled_for, attempt, next_attempt, retry_of,
    request::json, config::json, catalogue, timeout, retry::json, requested_by::json, enqueued_at,
    not_before, start_before, NULL, NULL, NULL, NULL, status, runner, fence, claimed_at,
    lease_expires_at, NULL, NULL, NULL
FROM unnest(
    $1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::smallint[],
    $8::smallint[], $9::uuid[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::text[], $16::bigint[], $17::bigint[], $18::bigint[], $19::text[], $20::uuid[],
    $21::bigint[], $22::bigint[], $23::bigint[]
) AS new (
    id, number, worker, handler, trigger, scheduled_for, attempt, next_attempt, retry_of, request,
    config, catalogue, timeout, retry, requested_by, enqueued_at, not_before, start_before, status,
    runner, fence, claimed_at, lease_expires_at)"
);

/// Writes runs that are not there yet. A run begins live, without a cancel request, units or a
/// start.
pub(crate) async fn insert(db: &mut PgConnection, runs: &[&Run]) -> Result<(), Failure> {
    if runs.is_empty() {
        return Ok(());
    }
    let scheduled = |run: &Run| run.trigger.scheduled().cloned();
    let attempt = |attempt: Attempt| i16::from(attempt.get());
    execute!(
        db,
        INSERT,
        column(runs, |run| uuid(run.id)),
        column(runs, |run| run.number.0.cast_signed()),
        column(runs, |run| run.worker.as_str().to_owned()),
        column(runs, |run| run.worker.handler().as_str().to_owned()),
        column(runs, |run| rows::run::trigger_word(run.trigger.kind())),
        column(runs, |run| scheduled(run).map(|scheduled| scheduled.scheduled_for.micros())),
        column(runs, |run| scheduled(run).map(|scheduled| attempt(scheduled.attempt))),
        column(runs, |run| run.next_attempt().map(attempt)),
        column(runs, |run| scheduled(run).and_then(|scheduled| scheduled.retry_of).map(uuid)),
        json_column(runs, |run| json(&run.request))?,
        json_column(runs, |run| json(&run.config))?,
        column(runs, |run| run.catalogue.0.as_str().to_owned()),
        column(runs, |run| run.timeout.to_string()),
        json_column(runs, |run| json(&run.retry))?,
        json_column(runs, |run| json(&run.by))?,
        column(runs, |run| run.enqueued_at.micros()),
        column(runs, |run| run.not_before.micros()),
        column(runs, |run| run.start_before.map(Timestamp::micros)),
        column(runs, |run| run.status_kind().as_str()),
        column(runs, |run| run.hold().map(|hold| runner_uuid(hold.runner))),
        column(runs, |run| run.hold().map(|hold| hold.fence.number().cast_signed())),
        column(runs, |run| run.hold().map(|hold| hold.claimed_at.micros())),
        column(runs, |run| run.hold().map(|hold| hold.lease_expires_at.micros())),
    )
}

fn column<T>(runs: &[&Run], value: impl Fn(&Run) -> T) -> Vec<T> {
    runs.iter().map(|run| value(run)).collect()
}

fn json_column(
    runs: &[&Run],
    value: impl Fn(&Run) -> Result<String, Failure>,
) -> Result<Vec<String>, Failure> {
    runs.iter().map(|run| value(run)).collect()
}

const MOVE_TO_DONE: &str = concat!(
    "WITH gone AS (
    DELETE FROM run_live
    WHERE id = $1
        AND fence IS NOT DISTINCT FROM $8
        AND lease_expires_at IS NOT DISTINCT FROM $9
        AND (cancel_at IS NOT NULL) = $10
    RETURNING *
)
INSERT INTO run_done (",
    run_fields!(),
    ")
SELECT id, number, worker, handler, trigger, scheduled_for, attempt, next_attempt, retry_of,
    request, config, catalogue, timeout, retry, requested_by, enqueued_at, not_before,
    start_before, cancel_at, cancel_by, coalesce($2, pending), coalesce($3, processed), $4, runner,
    fence, claimed_at, lease_expires_at, started_at, started_config, progress, $5, $6::json, $7
FROM gone"
);
const KEEP_OUTPUT: &str = "
INSERT INTO run_output (run, stdout, stdout_dropped, stderr, stderr_dropped)
VALUES ($1, $2, $3, $4, $5)";

/// Moves a run that has ended, if its row still is what the end was decided on: under this fence,
/// with this lease, and to be cancelled or not.
pub(crate) async fn end(
    db: &mut PgConnection,
    run: RunId,
    end: &End,
    units: Option<Units>,
    cancelled: bool,
) -> Result<(), Failure> {
    let hold = end.hold.as_ref();
    let moved = sqlx::query(MOVE_TO_DONE)
        .bind(uuid(run))
        .bind(units.map(|units| units.pending.cast_signed()))
        .bind(units.map(|units| units.processed.cast_signed()))
        .bind(end.outcome.status().as_str())
        .bind(end.at.micros())
        .bind(json(&end.outcome)?)
        .bind(rows::run::word_word(end.word))
        .bind(hold.map(|hold| hold.fence.number().cast_signed()))
        .bind(hold.map(|hold| hold.lease_expires_at.micros()))
        .bind(cancelled)
        .execute(&mut *db)
        .await?;
    if moved.rows_affected() == 0 {
        return Err(Failure::Raced("a run"));
    }
    if end.output == Output::default() {
        return Ok(());
    }
    let Output { stdout, stderr } = &end.output;
    execute!(
        db,
        KEEP_OUTPUT,
        uuid(run),
        stdout.bytes.as_slice(),
        stdout.dropped.cast_signed(),
        stderr.bytes.as_slice(),
        stderr.dropped.cast_signed()
    )
}

const CANCEL_REQUESTED: &str =
    "UPDATE run_live SET cancel_at = $2, cancel_by = $3::json WHERE id = $1";

/// Writes that a run is to end early.
pub(crate) async fn request_cancel(
    db: &mut PgConnection,
    run: RunId,
    request: &CancelRequest,
) -> Result<(), Failure> {
    execute!(db, CANCEL_REQUESTED, uuid(run), request.at.micros(), json(&request.by)?)
}

/// Reads a row of the view `run`, without the job's output.
pub(crate) fn read(row: &PgRow) -> Result<Run, Failure> {
    Ok(rows::run::read(&Columned(row))?)
}

/// Reads a row of the table `run_output`.
pub(crate) fn read_output(row: &PgRow) -> Result<(RunId, Output), Failure> {
    Ok(rows::run::read_output(&Columned(row))?)
}

pub(crate) fn uuid(id: RunId) -> Uuid {
    Uuid::from_bytes(id.to_bytes())
}

pub(crate) fn runner_uuid(id: RunnerId) -> Uuid {
    Uuid::from_bytes(id.to_bytes())
}
