//! The lock that says *one scheduler* for a database file.
//!
//! It is an operating-system lock on a file beside the database. It goes with its process, however
//! that ends. A *stopped* process (SIGSTOP, a debugger, a suspended machine) keeps it: no other
//! scheduler leads until it goes on or is killed. That costs punctuality and nothing else, since
//! row keys and not this lock say that an occurrence is enqueued once.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The lock, while it is held. Dropping it gives it back.
#[derive(Debug)]
pub struct SchedulerLock {
    file: File,
}

/// A lock that could not even be tried.
#[derive(Debug, thiserror::Error)]
#[error("the scheduler's lock {} cannot be used ({source}): check that this user may create files beside the database", path.display())]
pub struct SchedulerLockError {
    /// The lock's file.
    pub path: PathBuf,
    /// What the system says.
    #[source]
    pub source: std::io::Error,
}

impl SchedulerLock {
    /// Takes the lock of the database at `database`; `None` while another process, or another
    /// lock of this one, holds it.
    pub fn try_acquire(database: &Path) -> Result<Option<Self>, SchedulerLockError> {
        let path = Self::path_of(database);
        let refused = |source| SchedulerLockError { path: path.clone(), source };
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(refused(source)),
        }
    }

    /// The lock's file: the database's name with `.scheduler.lock` after it. It is never deleted,
    /// since a deleted file could be locked twice.
    pub fn path_of(database: &Path) -> PathBuf {
        let mut path = database.as_os_str().to_owned();
        path.push(".scheduler.lock");
        PathBuf::from(path)
    }
}

impl Drop for SchedulerLock {
    fn drop(&mut self) {
        // Closing the file unlocks it too; saying so first also covers a child that inherited it.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_the_lock_until_it_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("horarium.db");
        let first = SchedulerLock::try_acquire(&database).unwrap();
        assert!(first.is_some());
        assert!(SchedulerLock::try_acquire(&database).unwrap().is_none());
        drop(first);
        assert!(SchedulerLock::try_acquire(&database).unwrap().is_some());
    }

    #[test]
    fn a_lock_in_a_missing_directory_is_refused_with_its_path() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("missing").join("horarium.db");
        let error = SchedulerLock::try_acquire(&database).unwrap_err();
        assert_eq!(error.path, SchedulerLock::path_of(&database));
    }
}
