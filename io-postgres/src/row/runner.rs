//! The table `runner`.

use std::collections::BTreeSet;

use horarium_core::ledger::Runner;
use horarium_core::ledger::command::Handlers;
use horarium_core::words::{Name, RunnerId, Timestamp};
use horarium_sql::rows;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use super::run::runner_uuid;
use super::{Columned, execute, json};
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
    let names: Option<Vec<String>> = row.try_get("handlers")?;
    let row = Columned(row);
    let handlers = match names {
        None => Handlers::All,
        Some(names) => Handlers::Only(
            names
                .iter()
                .map(|name| name.parse())
                .collect::<Result<BTreeSet<Name>, _>>()
                .map_err(|error| rows::runner::of(&row).corrupt("handlers", &error))?,
        ),
    };
    Ok(rows::runner::read(&row, handlers)?)
}

/// The names that a runner serves; none when it serves every handler.
fn handler_names(handlers: &Handlers) -> Option<Vec<&str>> {
    match handlers {
        Handlers::All => None,
        Handlers::Only(names) => Some(names.iter().map(Name::as_str).collect()),
    }
}
