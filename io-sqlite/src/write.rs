//! Writing events back: for each kind of event the rows that it changes.
//!
//! Promise: this is [`Ledger::evolve`](horarium_core::ledger::Ledger::evolve) in SQL and decides
//! nothing.

use horarium_core::ledger::event::Event;
use horarium_core::ledger::{Leadership, Sequences};
use horarium_core::run::{CancelRequest, End, Hold, Output, Units};
use horarium_core::words::{Note, RunId, RunnerId, Timestamp};
use horarium_sql::rows::run::word_word;
use sqlx::SqliteConnection;

use crate::error::Failure;
use crate::row::run::id_bytes;
use crate::row::{self, execute, json};

/// Writes events, in order.
pub(crate) async fn events(db: &mut SqliteConnection, events: &[Event]) -> Result<(), Failure> {
    for event in events {
        write(db, event).await?;
    }
    Ok(())
}

async fn write(db: &mut SqliteConnection, event: &Event) -> Result<(), Failure> {
    match event {
        Event::RunnerRegistered(runner) => row::runner::insert(db, runner).await,
        Event::TurnTaken { runner, number, at } => turn_taken(db, *runner, *number, *at).await,
        Event::RunnerStopped { runner, at } => stopped(db, *runner, *at).await,
        Event::RunCreated(run) => {
            row::worker::insert(db, &run.worker).await?;
            row::run::insert(db, run).await
        }
        Event::RunClaimed { run, hold } => claimed(db, *run, hold).await,
        Event::RunStarted { run, at, config } => started(db, *run, *at, json(config)?).await,
        Event::RunProgressed { run, units, message } => {
            progressed(db, *run, *units, message.as_ref()).await
        }
        Event::LeaseRenewed { run, lease_expires_at } => renewed(db, *run, *lease_expires_at).await,
        Event::RunGivenBack { run } => given_back(db, *run).await,
        Event::CancelRequested { run, request } => cancel_requested(db, *run, request).await,
        Event::RunEnded { run, end, units } => ended(db, *run, end, *units).await,
        Event::OccurrenceRecorded(occurrence) => row::occurrence::insert(db, occurrence).await,
        Event::RetryChanged { worker, scheduled_for, retry } => {
            row::occurrence::change_retry(db, worker, *scheduled_for, retry).await
        }
        Event::ChainExtended { worker, scheduled_for, run } => {
            row::occurrence::extend(db, worker, *scheduled_for, *run).await
        }
        Event::ScheduleAdvanced { worker, advance, release } => {
            row::worker::advance(db, worker, advance, *release).await
        }
        Event::ScheduleRecomputed { worker, next, release } => {
            row::worker::recompute(db, worker, *next, *release).await
        }
        Event::ZoneDataAdopted { release } => {
            execute!(db, ZONE_DATA_ADOPTED, release.to_string())
        }
        Event::ScheduleSaved { worker, schedule, accounted_until } => {
            row::worker::save_schedule(db, worker, schedule, *accounted_until).await
        }
        Event::ScheduleDeleted { worker, revision, accounted_until } => {
            row::worker::delete_schedule(db, worker, *revision, *accounted_until).await
        }
        Event::SettingsSaved { worker, settings, revision, at, by } => {
            row::worker::save_settings(db, worker, settings, *revision, *at, by).await
        }
        Event::CataloguePublished(published) => row::published::insert(db, published).await,
        Event::SchedulerTicked(leadership) => ticked(db, leadership).await,
        Event::RunPruned { run } => run_pruned(db, *run).await,
        Event::OccurrencePruned { worker, scheduled_for } => {
            execute!(db, OCCURRENCE_PRUNED, worker.as_str(), scheduled_for.micros())
        }
    }
}

const ZONE_DATA_ADOPTED: &str = "UPDATE ledger SET zone_data = ?1";

const SEQUENCES: &str = "UPDATE ledger SET next_number = ?1, next_fence = ?2";

/// Writes what the sequences give next, if a command drew from them.
pub(crate) async fn sequences(
    db: &mut SqliteConnection,
    before: Sequences,
    after: Sequences,
) -> Result<(), Failure> {
    if before == after {
        return Ok(());
    }
    execute!(db, SEQUENCES, after.number.0.cast_signed(), after.fence.number().cast_signed())
}

const TURN_TAKEN: &str = "UPDATE runner SET turn = ?2, last_seen = ?3 WHERE id = ?1";

async fn turn_taken(
    db: &mut SqliteConnection,
    runner: RunnerId,
    number: u64,
    at: Timestamp,
) -> Result<(), Failure> {
    execute!(db, TURN_TAKEN, runner.to_bytes().to_vec(), number.cast_signed(), at.micros())
}

const STOPPED: &str = "UPDATE runner SET stopped_at = ?2 WHERE id = ?1";

async fn stopped(
    db: &mut SqliteConnection,
    runner: RunnerId,
    at: Timestamp,
) -> Result<(), Failure> {
    execute!(db, STOPPED, runner.to_bytes().to_vec(), at.micros())
}

const CLAIMED: &str = "
UPDATE run_live SET
    status = 'RUNNING', runner = ?2, fence = ?3, claimed_at = ?4, lease_expires_at = ?5
WHERE id = ?1";

/// A claim's hold is new: nothing is started and nothing said.
async fn claimed(db: &mut SqliteConnection, run: RunId, hold: &Hold) -> Result<(), Failure> {
    execute!(
        db,
        CLAIMED,
        id_bytes(run),
        hold.runner.to_bytes().to_vec(),
        hold.fence.number().cast_signed(),
        hold.claimed_at.micros(),
        hold.lease_expires_at.micros()
    )
}

const STARTED: &str = "UPDATE run_live SET started_at = ?2, started_config = ?3 WHERE id = ?1";

async fn started(
    db: &mut SqliteConnection,
    run: RunId,
    at: Timestamp,
    config: String,
) -> Result<(), Failure> {
    execute!(db, STARTED, id_bytes(run), at.micros(), config)
}

const PROGRESSED: &str = "
UPDATE run_live SET
    pending = coalesce(?2, pending), processed = coalesce(?3, processed),
    progress = coalesce(?4, progress)
WHERE id = ?1";

async fn progressed(
    db: &mut SqliteConnection,
    run: RunId,
    units: Option<Units>,
    message: Option<&Note>,
) -> Result<(), Failure> {
    execute!(
        db,
        PROGRESSED,
        id_bytes(run),
        units.map(|units| units.pending.cast_signed()),
        units.map(|units| units.processed.cast_signed()),
        message.map(Note::as_str)
    )
}

const RENEWED: &str = "UPDATE run_live SET lease_expires_at = ?2 WHERE id = ?1";

async fn renewed(db: &mut SqliteConnection, run: RunId, until: Timestamp) -> Result<(), Failure> {
    execute!(db, RENEWED, id_bytes(run), until.micros())
}

const GIVEN_BACK: &str = "
UPDATE run_live SET
    status = 'QUEUED', runner = NULL, fence = NULL, claimed_at = NULL, lease_expires_at = NULL,
    started_at = NULL, started_config = NULL, progress = NULL
WHERE id = ?1";

async fn given_back(db: &mut SqliteConnection, run: RunId) -> Result<(), Failure> {
    execute!(db, GIVEN_BACK, id_bytes(run))
}

const CANCEL_REQUESTED: &str = "UPDATE run_live SET cancel_at = ?2, cancel_by = ?3 WHERE id = ?1";

async fn cancel_requested(
    db: &mut SqliteConnection,
    run: RunId,
    request: &CancelRequest,
) -> Result<(), Failure> {
    execute!(db, CANCEL_REQUESTED, id_bytes(run), request.at.micros(), json(&request.by)?)
}

const MOVE_TO_DONE: &str = "
INSERT INTO run_done
SELECT
    id, number, worker, handler, trigger, scheduled_for, attempt, retry_of, request, config,
    catalogue, timeout, retry, requested_by, enqueued_at, not_before, start_before, cancel_at,
    cancel_by, coalesce(?2, pending), coalesce(?3, processed), ?4, runner, fence, claimed_at,
    lease_expires_at, started_at, started_config, progress, ?5, ?6, ?7
FROM run_live WHERE id = ?1";
const LEAVE_LIVE: &str = "DELETE FROM run_live WHERE id = ?1";
const KEEP_OUTPUT: &str = "
INSERT INTO run_output (run, stdout, stdout_dropped, stderr, stderr_dropped)
VALUES (?1, ?2, ?3, ?4, ?5)";

/// Moves the row; the hold in the end is the one that the row has.
async fn ended(
    db: &mut SqliteConnection,
    run: RunId,
    end: &End,
    units: Option<Units>,
) -> Result<(), Failure> {
    execute!(
        &mut *db,
        MOVE_TO_DONE,
        id_bytes(run),
        units.map(|units| units.pending.cast_signed()),
        units.map(|units| units.processed.cast_signed()),
        end.outcome.status().as_str(),
        end.at.micros(),
        json(&end.outcome)?,
        word_word(end.word)
    )?;
    execute!(&mut *db, LEAVE_LIVE, id_bytes(run))?;
    if end.output != Output::default() {
        execute!(
            db,
            KEEP_OUTPUT,
            id_bytes(run),
            end.output.stdout.bytes.as_slice(),
            end.output.stdout.dropped.cast_signed(),
            end.output.stderr.bytes.as_slice(),
            end.output.stderr.dropped.cast_signed()
        )?;
    }
    Ok(())
}

const TICKED: &str = "
INSERT INTO leadership (one, scheduler, since, last_tick) VALUES (1, ?1, ?2, ?3)
ON CONFLICT (one) DO UPDATE SET scheduler = ?1, since = ?2, last_tick = ?3";

async fn ticked(db: &mut SqliteConnection, leadership: &Leadership) -> Result<(), Failure> {
    execute!(
        db,
        TICKED,
        leadership.scheduler.to_bytes().to_vec(),
        leadership.since.micros(),
        leadership.last_tick.micros()
    )
}

const RUN_PRUNED: &str = "DELETE FROM run_done WHERE id = ?1";
const OUTPUT_PRUNED: &str = "DELETE FROM run_output WHERE run = ?1";
const OCCURRENCE_PRUNED: &str = "DELETE FROM occurrence WHERE worker = ?1 AND scheduled_for = ?2";

async fn run_pruned(db: &mut SqliteConnection, run: RunId) -> Result<(), Failure> {
    execute!(&mut *db, RUN_PRUNED, id_bytes(run))?;
    execute!(db, OUTPUT_PRUNED, id_bytes(run))
}
