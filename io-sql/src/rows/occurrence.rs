//! Occurrences and the attempts at them.

use horarium_core::schedule::{Chain, Fate, Occurrence, Retry, SkipReason};
use horarium_core::words::{By, RunId, Timestamp};

use crate::columns::{Columns, Corrupt, Fields};

/// Reads a row.
pub fn read(row: &impl Columns) -> Result<Occurrence, Corrupt> {
    let fields = Fields::of(row, "occurrence of worker", "worker");
    let fate = match fields.text("fate")? {
        "ENQUEUED" => Fate::Enqueued,
        "CAUGHT_UP" => Fate::CaughtUp,
        "SKIPPED" => Fate::Skipped(fields.json::<SkipReason>("skipped")?),
        "MISSED" => Fate::Missed,
        other => return Err(fields.corrupt("fate", &format!("`{other}` is no fate"))),
    };
    Ok(Occurrence {
        worker: fields.parse("worker")?,
        scheduled_for: fields.time("scheduled_for")?,
        accounts_from: fields.time("accounts_from")?,
        recorded_at: fields.time("recorded_at")?,
        fate,
        chain: read_chain(&fields)?,
    })
}

fn read_chain(fields: &Fields<'_, impl Columns>) -> Result<Option<Chain>, Corrupt> {
    let Some(last_run) = fields.id_optional("last_run")? else {
        return Ok(None);
    };
    let retry = match fields.text("retry")? {
        "NONE" => Retry::None,
        "OWED" => Retry::Owed { since: fields.time("retry_changed_at")? },
        "DROPPED" => Retry::Dropped {
            at: fields.time("retry_changed_at")?,
            by: fields.json("retry_changed_by")?,
        },
        other => return Err(fields.corrupt("retry", &format!("`{other}` is no state of one"))),
    };
    Ok(Some(Chain {
        last_run: RunId::from_bytes(last_run),
        attempt: fields.attempt("attempt")?,
        retry,
    }))
}

/// Whether another attempt is owed, as three columns.
#[derive(Debug)]
pub struct RetryColumns<'a> {
    /// `NONE`, `OWED` or `DROPPED`.
    pub word: &'static str,
    /// Since when.
    pub at: Option<Timestamp>,
    /// Who dropped it.
    pub by: Option<&'a By>,
}

impl<'a> RetryColumns<'a> {
    /// The columns of `retry`.
    pub const fn of(retry: &'a Retry) -> Self {
        match retry {
            Retry::None => Self { word: "NONE", at: None, by: None },
            Retry::Owed { since } => Self { word: "OWED", at: Some(*since), by: None },
            Retry::Dropped { at, by } => Self { word: "DROPPED", at: Some(*at), by: Some(by) },
        }
    }
}
