//! The table `runner`.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use horarium_core::ledger::Runner;
use horarium_core::ledger::command::{Handlers, Registration};
use horarium_core::words::{Name, RunnerId, Span, Timestamp};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::{Fields, execute, json, optional_json};
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
    let fields = Fields::of(row, "runner", "id");
    let handlers: Option<BTreeSet<Name>> = fields.json_optional("handlers")?;
    let concurrency: u32 = fields.narrow("concurrency")?;
    Ok(Runner {
        registration: Registration {
            runner: RunnerId::from_bytes(fields.id("id")?),
            name: fields.parse("name")?,
            host: fields.parse("host")?,
            version: fields.parse("version")?,
            handlers: handlers.map_or(Handlers::All, Handlers::Only),
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

/// The names that a runner serves as a JSON list; none when it serves every handler.
pub(crate) fn handler_names(handlers: &Handlers) -> Result<Option<String>, Failure> {
    match handlers {
        Handlers::All => Ok(None),
        Handlers::Only(names) => optional_json(Some(names)),
    }
}
