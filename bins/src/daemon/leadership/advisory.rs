//! The leader's lock on PostgreSQL: an advisory lock on a connection of its own.

use std::time::Duration;

use horarium_postgres::{LeaderLock, PostgresStore};
use tracing::warn;

use crate::daemon::scheduler::Leadership;

/// The lock of one ledger.
pub(in crate::daemon) struct AdvisoryLeadership {
    store: PostgresStore,
    /// How often the lock is probed: the server waits for three of them.
    probe: Duration,
    lock: Option<LeaderLock>,
}

impl AdvisoryLeadership {
    pub(in crate::daemon) fn of(store: PostgresStore, probe: Duration) -> Self {
        Self { store, probe, lock: None }
    }
}

impl Leadership for AdvisoryLeadership {
    async fn try_lock(&mut self) -> bool {
        if self.lock.is_none() {
            match LeaderLock::try_acquire(&self.store, self.probe).await {
                Ok(lock) => self.lock = lock,
                Err(error) => warn!(%error, "the scheduler does not lead"),
            }
        }
        self.lock.is_some()
    }

    async fn probe(&mut self) -> bool {
        let Some(lock) = &mut self.lock else { return false };
        let held = lock.is_held().await;
        if !held {
            self.lock = None;
        }
        held
    }

    async fn unlock(&mut self) {
        if let Some(lock) = self.lock.take() {
            lock.release().await;
        }
    }
}
