//! Runs and what their jobs wrote.

use horarium_core::catalogue::CatalogueHash;
use horarium_core::run::{
    CancelRequest, End, Hold, Output, Run, RunStatus, Scheduled, Started, Tail, Trigger,
    TriggerKind, Units, Word,
};
use horarium_core::words::{Fence, RunId, RunNumber, RunnerId};

use crate::columns::{Columns, Corrupt, Fields};

/// Reads a row of the view `run`, without the job's output.
pub fn read(row: &impl Columns) -> Result<Run, Corrupt> {
    let fields = Fields::of(row, "run", "id");
    let cancel = match fields.time_optional("cancel_at")? {
        Some(at) => Some(CancelRequest { at, by: fields.json("cancel_by")? }),
        None => None,
    };
    let units = match fields.integer_optional("pending")? {
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
        catalogue: CatalogueHash(fields.text("catalogue")?.to_owned()),
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
pub fn read_output(row: &impl Columns) -> Result<(RunId, Output), Corrupt> {
    let fields = Fields::of(row, "output of run", "run");
    let output = Output {
        stdout: Tail {
            bytes: fields.bytes("stdout")?,
            dropped: fields.unsigned("stdout_dropped")?,
        },
        stderr: Tail {
            bytes: fields.bytes("stderr")?,
            dropped: fields.unsigned("stderr_dropped")?,
        },
    };
    Ok((RunId::from_bytes(fields.id("run")?), output))
}

/// The run with what its job wrote, if it has ended.
pub fn with_output(mut run: Run, output: Output) -> Run {
    if let RunStatus::Ended(end) = &mut run.status {
        end.output = output;
    }
    run
}

/// The word of a trigger.
pub const fn trigger_word(kind: TriggerKind) -> &'static str {
    match kind {
        TriggerKind::Manual => "MANUAL",
        TriggerKind::Cli => "CLI",
        TriggerKind::Schedule => "SCHEDULE",
    }
}

/// Whose word an end is.
pub const fn word_word(word: Word) -> &'static str {
    match word {
        Word::Runner => "RUNNER",
        Word::Store => "STORE",
    }
}

/// Why the run of a row exists.
pub fn read_trigger(fields: &Fields<'_, impl Columns>) -> Result<Trigger, Corrupt> {
    match fields.text("trigger")? {
        "MANUAL" => Ok(Trigger::Manual),
        "CLI" => Ok(Trigger::Cli),
        "SCHEDULE" => Ok(Trigger::Schedule(Scheduled {
            scheduled_for: fields.time("scheduled_for")?,
            attempt: fields.attempt("attempt")?,
            retry_of: fields.id_optional("retry_of")?.map(RunId::from_bytes),
        })),
        other => Err(fields.corrupt("trigger", &format!("`{other}` is no trigger"))),
    }
}

fn read_status(fields: &Fields<'_, impl Columns>) -> Result<RunStatus, Corrupt> {
    let status = fields.text("status")?;
    let Some(at) = fields.time_optional("ended_at")? else {
        return match (status, read_hold(fields)?) {
            ("QUEUED", None) => Ok(RunStatus::Queued),
            ("RUNNING", Some(hold)) => Ok(RunStatus::Running(hold)),
            (other, _) => Err(fields.corrupt("status", &format!("`{other}` does not fit"))),
        };
    };
    let word = match fields.text("word")? {
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

fn read_hold(fields: &Fields<'_, impl Columns>) -> Result<Option<Hold>, Corrupt> {
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
