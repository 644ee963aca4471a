//! The store's clock.
//!
//! Promise: every instant that the store writes comes from here, read inside the transaction once
//! the write lock is held, so that a command that waited does not carry the time before its wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use horarium_core::words::Timestamp;
use sqlx::{Row, SqliteConnection};

use crate::error::Failure;

/// SQLite's own clock counts milliseconds.
const NOW: &str = "SELECT CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER) * 1000";

/// Where the store's time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The database's clock, which for SQLite is the host's, in milliseconds.
    #[default]
    Database,
    /// A clock that is set by hand, for tests.
    Settable(SettableClock),
}

/// A clock that shows what it was set to. Its clones show the same.
#[derive(Debug, Clone)]
pub struct SettableClock(Arc<AtomicI64>);

impl SettableClock {
    /// A clock that shows `now`.
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(now.micros())))
    }

    /// Sets it, forwards or back.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.micros(), Ordering::SeqCst);
    }

    fn micros(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Clock {
    /// What the clock shows.
    pub(crate) async fn now(&self, db: &mut SqliteConnection) -> Result<Timestamp, Failure> {
        let micros = match self {
            Self::Database => sqlx::query(NOW).fetch_one(db).await?.try_get(0)?,
            Self::Settable(clock) => clock.micros(),
        };
        Timestamp::from_micros(micros).map_err(|error| Failure::Corrupt {
            place: String::from("the host's clock"),
            what: error.to_string(),
        })
    }
}
