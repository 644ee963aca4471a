//! The store of a ledger, whichever database it lies in.

use std::fmt;
use std::path::PathBuf;

use horarium_core::catalogue::Published;
use horarium_core::ledger::{Command, Leadership, Reply, Runner, Worker};
use horarium_core::run::Run;
use horarium_core::schedule::Occurrence;
use horarium_core::store::{ReadError, Reader, RunFilter, RunRef, Store, StoreError};
use horarium_core::words::{Timestamp, WorkerName};
use horarium_postgres::PostgresStore;
use horarium_sqlite::SqliteStore;

/// A store that is open. Its clones share its connections.
#[derive(Debug, Clone)]
pub enum OpenStore {
    /// A file on this machine.
    Sqlite {
        /// The store.
        store: SqliteStore,
        /// Its file.
        path: PathBuf,
    },
    /// A schema on a PostgreSQL server.
    Postgres {
        /// The store.
        store: PostgresStore,
        /// Where it is, for people: without user and password.
        shown: String,
    },
}

impl OpenStore {
    /// What works, but not well; for people.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Self::Sqlite { store, .. } => {
                store.warnings().iter().map(ToString::to_string).collect()
            }
            Self::Postgres { .. } => Vec::new(),
        }
    }

    /// Closes it once nothing is under way.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { store, .. } => store.close().await,
            Self::Postgres { store, .. } => store.close().await,
        }
    }
}

/// Where it is, for people.
impl fmt::Display for OpenStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { path, .. } => write!(f, "{}", path.display()),
            Self::Postgres { shown, .. } => f.write_str(shown),
        }
    }
}

/// Asks the store that it is.
macro_rules! ask {
    ($open:expr, $store:ident => $question:expr) => {
        match $open {
            OpenStore::Sqlite { store: $store, .. } => $question.await,
            OpenStore::Postgres { store: $store, .. } => $question.await,
        }
    };
}

impl Store for OpenStore {
    async fn submit(&self, command: &Command) -> Result<Reply, StoreError> {
        ask!(self, store => store.submit(command))
    }
}

impl Reader for OpenStore {
    async fn now(&self) -> Result<Timestamp, ReadError> {
        ask!(self, store => store.now())
    }

    async fn runs(&self, filter: &RunFilter) -> Result<Vec<Run>, ReadError> {
        ask!(self, store => store.runs(filter))
    }

    async fn run(&self, run: RunRef) -> Result<Option<Run>, ReadError> {
        ask!(self, store => store.run(run))
    }

    async fn workers(&self) -> Result<Vec<(WorkerName, Worker, Option<Run>)>, ReadError> {
        ask!(self, store => store.workers())
    }

    async fn worker(
        &self,
        worker: &WorkerName,
    ) -> Result<Option<(Worker, Option<Run>)>, ReadError> {
        ask!(self, store => store.worker(worker))
    }

    async fn occurrences(
        &self,
        worker: &WorkerName,
        limit: u32,
    ) -> Result<Vec<Occurrence>, ReadError> {
        ask!(self, store => store.occurrences(worker, limit))
    }

    async fn runners(&self) -> Result<Vec<Runner>, ReadError> {
        ask!(self, store => store.runners())
    }

    async fn catalogue(&self) -> Result<Vec<Published>, ReadError> {
        ask!(self, store => store.catalogue())
    }

    async fn leadership(&self) -> Result<Option<Leadership>, ReadError> {
        ask!(self, store => store.leadership())
    }
}
