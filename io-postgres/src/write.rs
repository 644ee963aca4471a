//! Writing events back: for each kind of event the rows that it changes.
//!
//! Promise: this is [`Ledger::evolve`](horarium_core::ledger::Ledger::evolve) in SQL and decides
//! nothing. What a command does to many workers is written in sets, after the rest: ends make
//! room for new runs, and nothing else that one command does depends on its order.

use horarium_core::ledger::event::Event;
use horarium_core::ledger::{Leadership, Rows};
use horarium_core::recurrence::ZoneRelease;
use horarium_core::run::Run;
use horarium_core::schedule::Occurrence;
use horarium_core::schedule::due::Advance;
use horarium_core::words::{RunId, Timestamp, WorkerName};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::Failure;
use crate::row::{self, execute};

/// What is written in sets.
#[derive(Default)]
struct Sets<'a> {
    created: Vec<&'a Run>,
    recorded: Vec<&'a Occurrence>,
    extended: Vec<(&'a WorkerName, Timestamp, RunId)>,
    advanced: Vec<(&'a WorkerName, &'a Advance, ZoneRelease)>,
}

/// Writes the events that led to the `rows`.
pub(crate) async fn events(
    db: &mut PgConnection,
    events: &[Event],
    rows: &Rows,
) -> Result<(), Failure> {
    let mut sets = Sets::default();
    for event in events {
        write(db, event, rows, &mut sets).await?;
    }
    row::run::insert(db, &sets.created).await?;
    row::occurrence::insert(db, &sets.recorded).await?;
    row::occurrence::extend(db, &sets.extended).await?;
    row::worker::advance(db, &sets.advanced).await
}

async fn write<'a>(
    db: &mut PgConnection,
    event: &'a Event,
    rows: &Rows,
    sets: &mut Sets<'a>,
) -> Result<(), Failure> {
    match event {
        Event::RunnerRegistered(runner) => row::runner::insert(db, runner).await?,
        Event::RunnerStopped { runner, at } => row::runner::stop(db, *runner, *at).await?,
        Event::RunCreated(run) => sets.created.push(run),
        Event::CancelRequested { run, request } => {
            row::run::request_cancel(db, *run, request).await?;
        }
        Event::RunEnded { run, end, units } => {
            let cancelled = rows.runs.get(run).is_some_and(|run| run.cancel.is_some());
            row::run::end(db, *run, end, *units, cancelled).await?;
        }
        Event::OccurrenceRecorded(occurrence) => sets.recorded.push(occurrence),
        Event::RetryChanged { worker, scheduled_for, retry } => {
            row::occurrence::change_retry(db, worker, *scheduled_for, retry).await?;
        }
        Event::ChainExtended { worker, scheduled_for, run } => {
            sets.extended.push((worker, *scheduled_for, *run));
        }
        Event::ScheduleAdvanced { worker, advance, release } => {
            sets.advanced.push((worker, advance, *release));
        }
        Event::ScheduleRecomputed { worker, next, release } => {
            row::worker::recompute(db, worker, *next, *release).await?;
        }
        Event::ZoneDataAdopted { release } => {
            execute!(db, ZONE_DATA_ADOPTED, release.to_string())?;
        }
        Event::ScheduleSaved { worker, schedule, accounted_until } => {
            row::worker::save_schedule(db, worker, schedule, *accounted_until).await?;
        }
        Event::ScheduleDeleted { worker, revision, accounted_until } => {
            row::worker::delete_schedule(db, worker, *revision, *accounted_until).await?;
        }
        Event::SettingsSaved { worker, settings, revision, at, by } => {
            row::worker::save_settings(db, worker, settings, *revision, *at, by).await?;
        }
        Event::CataloguePublished(published) => row::published::insert(db, published).await?,
        Event::SchedulerTicked(leadership) => ticked(db, leadership).await?,
        // What turns and prunes do, their own statements write.
        Event::TurnTaken { .. }
        | Event::RunClaimed { .. }
        | Event::RunStarted { .. }
        | Event::RunProgressed { .. }
        | Event::LeaseRenewed { .. }
        | Event::RunGivenBack { .. }
        | Event::RunPruned { .. }
        | Event::OccurrencePruned { .. } => {}
    }
    Ok(())
}

/// Of two leaders the newer data stay.
const ZONE_DATA_ADOPTED: &str = "
UPDATE ledger SET zone_data = $1 WHERE zone_data IS NULL OR zone_data < $1";

const TICKED: &str = "
INSERT INTO leadership (one, scheduler, since, last_tick) VALUES (1, $1, $2, $3)
ON CONFLICT (one) DO UPDATE SET scheduler = $1, since = $2, last_tick = $3";

async fn ticked(db: &mut PgConnection, leadership: &Leadership) -> Result<(), Failure> {
    execute!(
        db,
        TICKED,
        Uuid::from_bytes(leadership.scheduler.to_bytes()),
        leadership.since.micros(),
        leadership.last_tick.micros()
    )
}
