//! A cheap look, for hints: is there work, and has the agenda changed?

use std::collections::BTreeSet;

use horarium_core::store::ReadError;
use horarium_core::words::{Name, Timestamp};

use crate::error::Failure;
use crate::row::json;
use crate::store::SqliteStore;

const PEEK: &str = "
SELECT
    EXISTS (
        SELECT 1 FROM run_live
        WHERE status = 'QUEUED' AND not_before <= ?1
            AND (start_before IS NULL OR start_before >= ?1)
            AND handler IN (SELECT value FROM json_each(?2))
    ),
    (SELECT min(next_at) FROM worker WHERE next_at IS NOT NULL),
    (SELECT count(*) FROM occurrence WHERE retry = 'OWED'),
    (SELECT count(*) FROM run_live WHERE status = 'RUNNING' AND cancel_at IS NOT NULL)";

/// What a look found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Peek {
    /// A run waits that these handlers can execute now.
    pub claimable: bool,
    /// When the next schedule is due, in microseconds since the epoch.
    pub next_due: Option<i64>,
    /// How many retries are owed.
    pub owed: i64,
    /// How many running runs are to be cancelled.
    pub cancelling: i64,
}

impl SqliteStore {
    /// Looks without changing anything, and without waiting for who does.
    pub async fn peek(&self, handlers: &BTreeSet<Name>) -> Result<Peek, ReadError> {
        Ok(self.look(handlers).await?)
    }

    async fn look(&self, handlers: &BTreeSet<Name>) -> Result<Peek, Failure> {
        let mut connection = self.readers.acquire().await?;
        let now: Timestamp = crate::clock::now(&self.clock, &mut connection).await?;
        let (claimable, next_due, owed, cancelling): (bool, Option<i64>, i64, i64) =
            sqlx::query_as(PEEK)
                .bind(now.micros())
                .bind(json(handlers)?)
                .fetch_one(&mut *connection)
                .await?;
        Ok(Peek { claimable, next_due, owed, cancelling })
    }
}
