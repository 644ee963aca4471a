//! The leader's lock on SQLite: an operating system's lock on a file beside the database.

use std::path::PathBuf;

use horarium_sqlite::SchedulerLock;
use tracing::warn;

use crate::daemon::scheduler::Leadership;

/// The lock of one database.
pub(in crate::daemon) struct FileLeadership {
    database: PathBuf,
    lock: Option<SchedulerLock>,
}

impl FileLeadership {
    pub(in crate::daemon) fn of(database: PathBuf) -> Self {
        Self { database, lock: None }
    }
}

impl Leadership for FileLeadership {
    async fn try_lock(&mut self) -> bool {
        if self.lock.is_none() {
            match SchedulerLock::try_acquire(&self.database) {
                Ok(lock) => self.lock = lock,
                Err(error) => warn!(%error, "the scheduler's lock cannot be tried"),
            }
        }
        self.lock.is_some()
    }

    /// The system takes a file lock from nobody who still runs.
    async fn probe(&mut self) -> bool {
        self.lock.is_some()
    }

    async fn unlock(&mut self) {
        self.lock = None;
    }
}
