//! The table `runner`.

use std::collections::BTreeSet;

use horarium_core::ledger::Runner;
use horarium_core::ledger::command::Handlers;
use horarium_core::words::{Name, Timestamp};
use horarium_sql::rows;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::{Columned, execute, json, optional_json};
use crate::error::Failure;

const INSERT: &str = "
INSERT INTO runner (
    id, name, host, version, handlers, concurrency, heartbeat, lease, catalogue, registered_at,
    last_seen, stopped_at, turn
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

/// Writes a runner that is not there yet.
pub(crate) async fn insert(db: &mut SqliteConnection, runner: &Runner) -> Result<(), Failure> {
    let registration = &runner.registration;
    execute!(
        db,
        INSERT,
        registration.runner.to_bytes().to_vec(),
        registration.name.as_str(),
        registration.host.as_str(),
        registration.version.as_str(),
        handler_names(&registration.handlers)?,
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

/// Reads a row.
pub(crate) fn read(row: &SqliteRow) -> Result<Runner, Failure> {
    let row = Columned(row);
    let names: Option<BTreeSet<Name>> = rows::runner::of(&row).json_optional("handlers")?;
    Ok(rows::runner::read(&row, names.map_or(Handlers::All, Handlers::Only))?)
}

/// The names that a runner serves as a JSON list; none when it serves every handler.
pub(crate) fn handler_names(handlers: &Handlers) -> Result<Option<String>, Failure> {
    match handlers {
        Handlers::All => Ok(None),
        Handlers::Only(names) => optional_json(Some(names)),
    }
}
