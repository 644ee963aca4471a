//! The store's clock.
//!
//! Promise: every instant that the store writes comes from here. A command that may have waited
//! for a lock reads the clock after it, so that it does not carry the time before its wait. A
//! command of one statement asks inside it.

use horarium_core::words::Timestamp;
use horarium_sql::{Clock, Corrupt};
use sqlx::{PgConnection, Row};

use crate::error::Failure;

/// Not `now()`: in a transaction that stands still at its begin.
const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// What the clock shows.
pub(crate) async fn now(clock: &Clock, db: &mut PgConnection) -> Result<Timestamp, Failure> {
    let micros = match clock.set_by_hand() {
        None => sqlx::query(NOW).fetch_one(db).await?.try_get(0)?,
        Some(micros) => micros,
    };
    instant(micros)
}

/// An instant of the clock.
pub(crate) fn instant(micros: i64) -> Result<Timestamp, Failure> {
    let corrupt = |error: &dyn ToString| Corrupt {
        place: String::from("the server's clock"),
        what: error.to_string(),
    };
    Ok(Timestamp::from_micros(micros).map_err(|error| corrupt(&error))?)
}
