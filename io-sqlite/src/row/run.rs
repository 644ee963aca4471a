//! The tables `run_live` and `run_done`, and the view `run` over both.

use horarium_core::catalogue::CatalogueHash;
use horarium_core::run::{
    CancelRequest, End, Hold, Output, Run, RunStatus, Scheduled, Started, Tail, Trigger,
    TriggerKind, Units, Word,
};
use horarium_core::words::{Attempt, Fence, Note, RunId, RunNumber, RunnerId, Timestamp};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::{Fields, execute, json, optional_json};
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
        trigger_word(run.trigger.kind()),
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
    let fields = Fields::of(row, "run", "id");
    let cancel = match fields.time_optional("cancel_at")? {
        Some(at) => Some(CancelRequest { at, by: fields.json("cancel_by")? }),
        None => None,
    };
    let units = match fields.get::<Option<i64>>("pending")? {
        Some(pending) => Some(Units {
            pending: pending.cast_unsigned(),
            processed: fields.unsigned("processed")?,
        }),
        None => None,
    };
    Ok(Run {
        id: RunId::from_bytes(fields.id("id")?),
        number: RunNumber(fields.unsigned("number")?),
        worker: fields.parse("worker")?,
        trigger: read_trigger(&fields)?,
        request: fields.json("request")?,
        config: fields.json("config")?,
        catalogue: CatalogueHash(fields.get("catalogue")?),
        timeout: fields.parse("timeout")?,
        retry: fields.json("retry")?,
        by: fields.json("requested_by")?,
        enqueued_at: fields.time("enqueued_at")?,
        not_before: fields.time("not_before")?,
        start_before: fields.time_optional("start_before")?,
        cancel,
        units,
        status: read_status(&fields)?,
    })
}

/// Reads a row of the table `run_output`.
pub(crate) fn read_output(row: &SqliteRow) -> Result<(RunId, Output), Failure> {
    let fields = Fields::of(row, "output of run", "run");
    let output = Output {
        stdout: Tail { bytes: fields.get("stdout")?, dropped: fields.unsigned("stdout_dropped")? },
        stderr: Tail { bytes: fields.get("stderr")?, dropped: fields.unsigned("stderr_dropped")? },
    };
    Ok((RunId::from_bytes(fields.id("run")?), output))
}

/// The run with what its job wrote, if it has ended.
pub(crate) fn with_output(mut run: Run, output: Output) -> Run {
    if let RunStatus::Ended(end) = &mut run.status {
        end.output = output;
    }
    run
}

pub(crate) fn id_bytes(id: RunId) -> Vec<u8> {
    id.to_bytes().to_vec()
}

pub(crate) const fn trigger_word(kind: TriggerKind) -> &'static str {
    match kind {
        TriggerKind::Manual => "MANUAL",
        TriggerKind::Cli => "CLI",
        TriggerKind::Schedule => "SCHEDULE",
    }
}

pub(crate) const fn word_word(word: Word) -> &'static str {
    match word {
        Word::Runner => "RUNNER",
        Word::Store => "STORE",
    }
}

fn read_trigger(fields: &Fields<'_>) -> Result<Trigger, Failure> {
    match fields.get("trigger")? {
        "MANUAL" => Ok(Trigger::Manual),
        "CLI" => Ok(Trigger::Cli),
        "SCHEDULE" => {
            let number: u8 = fields.narrow("attempt")?;
            Ok(Trigger::Schedule(Scheduled {
                scheduled_for: fields.time("scheduled_for")?,
                attempt: Attempt::new(number).map_err(|error| fields.corrupt("attempt", &error))?,
                retry_of: fields.id_optional("retry_of")?.map(RunId::from_bytes),
            }))
        }
        other => Err(fields.corrupt("trigger", &format!("`{other}` is no trigger"))),
    }
}

fn read_status(fields: &Fields<'_>) -> Result<RunStatus, Failure> {
    let status: &str = fields.get("status")?;
    let Some(at) = fields.time_optional("ended_at")? else {
        return match (status, read_hold(fields)?) {
            ("QUEUED", None) => Ok(RunStatus::Queued),
            ("RUNNING", Some(hold)) => Ok(RunStatus::Running(hold)),
            (other, _) => Err(fields.corrupt("status", &format!("`{other}` does not fit"))),
        };
    };
    let word = match fields.get("word")? {
        "RUNNER" => Word::Runner,
        "STORE" => Word::Store,
        other => return Err(fields.corrupt("word", &format!("`{other}` is nobody"))),
    };
    let end = End {
        at,
        outcome: fields.json("outcome")?,
        word,
        hold: read_hold(fields)?,
        output: Output::default(),
    };
    if end.outcome.status().as_str() != status {
        return Err(fields.corrupt("outcome", &format!("it does not say {status}")));
    }
    Ok(RunStatus::Ended(Box::new(end)))
}

fn read_hold(fields: &Fields<'_>) -> Result<Option<Hold>, Failure> {
    let Some(runner) = fields.id_optional("runner")? else {
        return Ok(None);
    };
    let started = match fields.time_optional("started_at")? {
        Some(at) => Some(Started { at, config: fields.json("started_config")? }),
        None => None,
    };
    Ok(Some(Hold {
        runner: RunnerId::from_bytes(runner),
        fence: Fence::from_number(fields.unsigned("fence")?),
        claimed_at: fields.time("claimed_at")?,
        lease_expires_at: fields.time("lease_expires_at")?,
        started,
        progress: fields.parse_optional("progress")?,
    }))
}
