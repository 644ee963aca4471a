//! The store's clock.
//!
//! Promise: every instant that the store writes comes from here, read inside the transaction once
//! the write lock is held, so that a command that waited does not carry the time before its wait.

use horarium_core::words::Timestamp;
use horarium_sql::{Clock, Corrupt};
use sqlx::{Row, SqliteConnection};

use crate::error::Failure;

/// SQLite's own clock is the host's and counts milliseconds.
const NOW: &str = "SELECT CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER) * 1000";

/// What the clock shows.
pub(crate) async fn now(clock: &Clock, db: &mut SqliteConnection) -> Result<Timestamp, Failure> {
    let micros = match clock.set_by_hand() {
        None => sqlx::query(NOW).fetch_one(db).await?.try_get(0)?,
        Some(micros) => micros,
    };
    let corrupt = |error: &dyn ToString| Corrupt {
        place: String::from("the host's clock"),
        what: error.to_string(),
    };
    Ok(Timestamp::from_micros(micros).map_err(|error| corrupt(&error))?)
}
