//! The leader's lock, as each store has it.

mod advisory;
mod file;

use std::time::Duration;

use crate::open_store::OpenStore;

use self::advisory::AdvisoryLeadership;
use self::file::FileLeadership;
use super::scheduler::Leadership;

/// The lock of an open store.
pub(super) enum StoreLeadership {
    /// Beside an SQLite file.
    File(FileLeadership),
    /// On a PostgreSQL server.
    Advisory(AdvisoryLeadership),
}

impl StoreLeadership {
    /// The lock of `store`, which is probed every `probe`.
    pub(super) fn of(store: &OpenStore, probe: Duration) -> Self {
        match store {
            OpenStore::Sqlite { path, .. } => Self::File(FileLeadership::of(path.clone())),
            OpenStore::Postgres { store, .. } => {
                Self::Advisory(AdvisoryLeadership::of(store.clone(), probe))
            }
        }
    }
}

impl Leadership for StoreLeadership {
    async fn try_lock(&mut self) -> bool {
        match self {
            Self::File(lock) => lock.try_lock().await,
            Self::Advisory(lock) => lock.try_lock().await,
        }
    }

    async fn probe(&mut self) -> bool {
        match self {
            Self::File(lock) => lock.probe().await,
            Self::Advisory(lock) => lock.probe().await,
        }
    }

    async fn unlock(&mut self) {
        match self {
            Self::File(lock) => lock.unlock().await,
            Self::Advisory(lock) => lock.unlock().await,
        }
    }
}
