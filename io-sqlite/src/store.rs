//! The store: a command in, one transaction, a reply out.
//!
//! Promise: a command is carried out as a whole or not at all. What failed before the commit was
//! sent is known not to have happened; a commit that failed may have happened. Other processes at
//! work on the file make a command wait, never fail, until the store's patience ends.

use std::time::{Duration, Instant};

use horarium_core::ledger::{Command, Ledger, Reply};
use horarium_core::recurrence::ZoneData;
use horarium_core::store::{Store, StoreError};
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use crate::error::Failure;
use crate::open::OpenWarning;
use crate::{prune, slice, write};
use horarium_sql::Clock;

/// The store on one SQLite file. Its clones share its connections.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    /// One connection, so that commands of this process wait in line and not for a lock.
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
    pub(crate) clock: Clock,
    /// By these its rules are read.
    pub(crate) zones: ZoneData,
    pub(crate) patience: Duration,
    pub(crate) warnings: Vec<OpenWarning>,
}

impl SqliteStore {
    /// What works, but not well; for people.
    pub fn warnings(&self) -> &[OpenWarning] {
        &self.warnings
    }

    /// The same store in the hands of a process that has these zone data.
    #[must_use]
    pub fn with_zone_data(self, zones: ZoneData) -> Self {
        Self { zones, ..self }
    }

    /// Closes the file once nothing is under way. Dropping the store does so too, but does not
    /// say when.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// One attempt, on a connection that is given up when anything failed: a commit that found the
    /// disk full leaves SQLite without a transaction and the connection believing in one.
    async fn attempt(&self, command: &Command) -> Result<Reply, Broken> {
        let mut connection =
            self.writer.acquire().await.map_err(|error| Broken::BeforeCommit(error.into()))?;
        let result = self.carry_out(&mut connection, command).await;
        if result.is_err() {
            connection.close_on_drop();
        }
        result
    }

    async fn carry_out(
        &self,
        connection: &mut SqliteConnection,
        command: &Command,
    ) -> Result<Reply, Broken> {
        let before = Broken::BeforeCommit;
        let mut transaction =
            connection.begin_with("BEGIN IMMEDIATE").await.map_err(|error| before(error.into()))?;
        let now = crate::clock::now(&self.clock, &mut transaction).await.map_err(before)?;
        let reply = match command {
            Command::Prune(retention) => {
                prune::prune(&mut transaction, now, retention).await.map_err(before)?
            }
            other => {
                let rows =
                    slice::load(&mut transaction, now, other, &self.zones).await.map_err(before)?;
                let mut ledger = Ledger::from_rows(rows);
                ledger.set_zone_data(self.zones.clone());
                let sequences = ledger.rows().sequences;
                let handled = ledger.handle(now, other);
                write::events(&mut transaction, &handled.events).await.map_err(before)?;
                write::sequences(&mut transaction, sequences, ledger.rows().sequences)
                    .await
                    .map_err(before)?;
                handled.reply
            }
        };
        transaction.commit().await.map_err(|error| Broken::InCommit(error.into()))?;
        Ok(reply)
    }
}

/// Where a command broke off.
enum Broken {
    /// Nothing was changed.
    BeforeCommit(Failure),
    /// What became of it is not known.
    InCommit(Failure),
}

impl Store for SqliteStore {
    async fn submit(&self, command: &Command) -> Result<Reply, StoreError> {
        let patience = Instant::now() + self.patience;
        loop {
            match self.attempt(command).await {
                Ok(reply) => return Ok(reply),
                Err(Broken::BeforeCommit(failure))
                    if failure.is_busy() && Instant::now() < patience =>
                {
                    pause().await;
                }
                Err(Broken::BeforeCommit(failure)) => {
                    return Err(StoreError::NotTaken(failure.to_string()));
                }
                Err(Broken::InCommit(failure)) => {
                    return Err(StoreError::Unknown(failure.to_string()));
                }
            }
        }
    }
}

/// A short pause before trying again: 5 to 50 ms, so that processes that met once do not meet
/// again. The clock's last digits are random enough for that.
pub(crate) async fn pause() {
    let digits = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    let scattered = horarium_core::words::retry::scatter(u64::from(digits));
    tokio::time::sleep(Duration::from_millis(5 + scattered % 46)).await;
}

#[cfg(test)]
mod tests {
    use horarium_core::catalogue::{Definition, Execution};
    use horarium_core::words::By;

    use super::*;
    use crate::open::OpenOptions;

    fn publish(handler: &str) -> Command {
        let definition = Definition {
            description: "x".repeat(20_000),
            ..Definition::plain(handler.parse().unwrap(), Execution::Rust)
        };
        Command::PublishCatalogue { definitions: vec![definition], by: By::scheduler() }
    }

    #[tokio::test]
    async fn a_full_database_refuses_commands_and_takes_them_again_when_there_is_room() {
        let directory = tempfile::tempdir().unwrap();
        let options = OpenOptions::new(directory.path().join("full.db"));
        let store = SqliteStore::open_or_create(&options).await.unwrap();
        // The limit belongs to the connection: a fresh one has room again.
        sqlx::query("PRAGMA max_page_count = 1").execute(&store.writer).await.unwrap();

        let refused = store.submit(&publish("first")).await;
        assert!(
            matches!(&refused, Err(StoreError::NotTaken(why)) if why.contains("full")),
            "{refused:?}"
        );
        let taken = store.submit(&publish("second")).await;
        assert_eq!(taken, Ok(Reply::CataloguePublished { new: 1 }));
        assert_eq!(store.dump().await.unwrap().catalogue.len(), 1);
    }
}
