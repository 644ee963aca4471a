//! The store's clock.
//!
//! Promise: every instant that the store writes comes from here. A command that may have waited
//! for a lock reads the clock after it, so that it does not carry the time before its wait. A
//! command of one statement asks inside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use horarium_core::words::Timestamp;
use sqlx::{PgConnection, Row};

use crate::error::Failure;

/// Not `now()`: in a transaction that stands still at its begin.
const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// Where the store's time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The database server's clock.
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
    pub(crate) async fn now(&self, db: &mut PgConnection) -> Result<Timestamp, Failure> {
        let micros = match self {
            Self::Database => sqlx::query(NOW).fetch_one(db).await?.try_get(0)?,
            Self::Settable(clock) => clock.micros(),
        };
        instant(micros)
    }

    /// What a statement that asks the clock itself is to believe: nothing, if it is the
    /// database's.
    pub(crate) fn set_by_hand(&self) -> Option<i64> {
        match self {
            Self::Database => None,
            Self::Settable(clock) => Some(clock.micros()),
        }
    }
}

/// An instant of the clock.
pub(crate) fn instant(micros: i64) -> Result<Timestamp, Failure> {
    Timestamp::from_micros(micros).map_err(|error| Failure::Corrupt {
        place: String::from("the server's clock"),
        what: error.to_string(),
    })
}
