//! Who ticked last.

use horarium_core::ledger::Leadership;
use horarium_core::words::SchedulerId;

use crate::columns::{Columns, Corrupt, Fields};

/// Reads the row.
pub fn read(row: &impl Columns) -> Result<Leadership, Corrupt> {
    let fields = Fields::of(row, "leadership of scheduler", "scheduler");
    Ok(Leadership {
        scheduler: SchedulerId::from_bytes(fields.id("scheduler")?),
        since: fields.time("since")?,
        last_tick: fields.time("last_tick")?,
    })
}
