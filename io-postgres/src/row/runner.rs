//! The table `runner`.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use horarium_core::ledger::Runner;
use horarium_core::ledger::command::{Handlers, Registration};
use horarium_core::words::{Name, RunnerId, Span, Timestamp};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;

use super::run::runner_uuid;
use super::{Fields, execute, json};
use crate::error::Failure;

/// What [`read`] reads.
macro_rules! runner_fields {
    () => {
        "id, name, host, version, handlers, concurrency, heartbeat, lease, catalogue, \
         registered_at, last_seen, stopped_at, turn"
    };
}
pub(crate) use runner_fields;

const INSERT: &str = concat!(
    "INSERT INTO runner (",
    runner_fields!(),
    ")
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, $10, $11, $12, $13)"
);

/// Writes a runner that is not there yet.
pub(crate) async fn insert(db: &mut PgConnection, runner: &Runner) -> Result<(), Failure> {
    let registration = &runner.registration;
    execute!(
        db,
        INSERT,
        runner_uuid(registration.runner),
        registration.name.as_str(),
        registration.host.as_str(),
        registration.version.as_str(),
        handler_names(&registration.handlers),
        i64::from(registration.concurrency.get()),
        registration.heartbeat.micros().cast_signed(),
        registration.lease.micros().cast_signed(),
        json(&runner.catalogue)?,
        runner.registered_at.micros(),
        runner.last_seen.micros(),
        runner.stopped_at.map(Timestamp::micros),
        runner.turn.cast_signed()
    )
}

const STOPPED: &str = "UPDATE runner SET stopped_at = $2 WHERE id = $1";

/// Writes that a runner stopped.
pub(crate) async fn stop(
    db: &mut PgConnection,
    runner: RunnerId,
    at: Timestamp,
) -> Result<(), Failure> {
    execute!(db, STOPPED, runner_uuid(runner), at.micros())
}

/// Reads a row.
pub(crate) fn read(row: &PgRow) -> Result<Runner, Failure> {
    let fields = Fields::of(row, "runner", "id");
    let handlers = match fields.get::<Option<Vec<String>>>("handlers")? {
        None => Handlers::All,
        Some(names) => Handlers::Only(
            names
                .iter()
                .map(|name| name.parse())
                .collect::<Result<BTreeSet<Name>, _>>()
                .map_err(|error| fields.corrupt("handlers", &error))?,
        ),
    };
    let concurrency: u32 = fields.narrow("concurrency")?;
    Ok(Runner {
        registration: Registration {
            runner: RunnerId::from_bytes(fields.id("id")?),
            name: fields.parse("name")?,
            host: fields.parse("host")?,
            version: fields.parse("version")?,
            handlers,
            concurrency: NonZeroU32::try_from(concurrency)
                .map_err(|error| fields.corrupt("concurrency", &error))?,
            heartbeat: Span::from_micros(fields.unsigned("heartbeat")?),
            lease: Span::from_micros(fields.unsigned("lease")?),
            catalogue: Vec::new(),
        },
        catalogue: fields.json("catalogue")?,
        registered_at: fields.time("registered_at")?,
        last_seen: fields.time("last_seen")?,
        stopped_at: fields.time_optional("stopped_at")?,
        turn: fields.unsigned("turn")?,
    })
}

/// The names that a runner serves; none when it serves every handler.
fn handler_names(handlers: &Handlers) -> Option<Vec<&str>> {
    match handlers {
        Handlers::All => None,
        Handlers::Only(names) => Some(names.iter().map(Name::as_str).collect()),
    }
}
