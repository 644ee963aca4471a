//! The registry.

use std::num::NonZeroU32;

use horarium_core::ledger::command::Handlers;
use horarium_core::ledger::{Registration, Runner};
use horarium_core::words::{RunnerId, Span};

use crate::columns::{Columns, Corrupt, Fields};

/// The fields of a runner's row.
pub const fn of<R: Columns>(row: &R) -> Fields<'_, R> {
    Fields::of(row, "runner", "id")
}

/// Reads a row. Its handlers are kept in a form of each database's own.
pub fn read(row: &impl Columns, handlers: Handlers) -> Result<Runner, Corrupt> {
    let fields = of(row);
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
