//! The store's clock, as it is chosen.
//!
//! Promise: every instant that a store writes comes from the clock that it was built with.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use horarium_core::words::Timestamp;

/// Where the store's time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The database's clock.
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
}

impl Clock {
    /// What it shows, in microseconds since 1970, when it is set by hand; else the database is to
    /// be asked.
    pub fn set_by_hand(&self) -> Option<i64> {
        match self {
            Self::Database => None,
            Self::Settable(clock) => Some(clock.0.load(Ordering::SeqCst)),
        }
    }
}
