//! The lock that says *one scheduler* for a ledger.
//!
//! It is an advisory lock on a connection of its own, with a key that derives from the ledger's
//! id. It goes with its connection: when the process ends, and also when it is frozen or cut off,
//! since the server closes a connection from which no probe came for a while. It buys punctuality
//! without waste and nothing else: row keys, not this lock, say that an occurrence is enqueued
//! once.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection, Row};
use uuid::Uuid;

use crate::error::Failure;
use crate::open::OpenOptions;
use crate::store::PostgresStore;

const TRY: &str = "SELECT pg_try_advisory_lock($1), pg_backend_pid()";
/// The very session that took the lock still has it. The key is kept in two halves.
const PROBE: &str = "
SELECT pg_backend_pid() = $2 AND EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND pid = $2
        AND classid::bigint << 32 | objid::bigint = $1
)";
/// A lost session is one that the server forgets after so many probes that did not come.
const PROBES_MISSED: u32 = 3;

/// The lock, while it is held. Dropping it gives it back.
#[derive(Debug)]
pub struct LeaderLock {
    connection: PgConnection,
    key: i64,
    backend: i32,
}

/// A lock that could not even be tried, or that would protect nothing.
#[derive(Debug, thiserror::Error)]
pub enum LeaderLockError {
    /// The server or the way to it.
    #[error("the scheduler's lock cannot be tried: {0}")]
    Untried(String),
    /// Two sessions had it at once, or one session was not itself from one statement to the next.
    #[error(
        "the scheduler's lock does not hold: a pooler between this process and the server shares sessions; connect the scheduler to the server itself, or use a session pool"
    )]
    DoesNotHold,
}

impl From<Failure> for LeaderLockError {
    fn from(failure: Failure) -> Self {
        Self::Untried(failure.to_string())
    }
}

impl LeaderLock {
    /// Takes the lock of a store's ledger; `None` while another process holds it. The server
    /// takes it back when it hears nothing for three times `probe`.
    pub async fn try_acquire(
        store: &PostgresStore,
        probe: Duration,
    ) -> Result<Option<Self>, LeaderLockError> {
        let key = key_of(store.ledger);
        let mut connection = connect(&store.options, probe).await?;
        let (held, backend) = try_lock(&mut connection, key).await?;
        if !held {
            return Ok(None);
        }
        let mut lock = Self { connection, key, backend };
        // The self-test: it is really held, and really kept from another session.
        let mut other = connect(&store.options, probe).await?;
        let (also_held, _) = try_lock(&mut other, key).await?;
        if also_held || !lock.is_held().await {
            return Err(LeaderLockError::DoesNotHold);
        }
        other.close().await.map_err(Failure::from)?;
        Ok(Some(lock))
    }

    /// True when the lock is still held, for all that is known.
    pub async fn is_held(&mut self) -> bool {
        let asked = sqlx::query_scalar(PROBE).bind(self.key).bind(self.backend);
        asked.fetch_one(&mut self.connection).await.unwrap_or(false)
    }

    /// Gives the lock back at once.
    pub async fn release(self) {
        // A connection that cannot be closed in order is given up by the server.
        drop(self.connection.close().await);
    }
}

async fn connect(options: &OpenOptions, probe: Duration) -> Result<PgConnection, Failure> {
    let patience = (probe * PROBES_MISSED).max(Duration::from_secs(1)).as_millis();
    let options = options
        .connection_for("leader")
        .options([("idle_session_timeout", format!("{patience}ms"))]);
    Ok(PgConnection::connect_with(&options).await?)
}

async fn try_lock(connection: &mut PgConnection, key: i64) -> Result<(bool, i32), Failure> {
    let row = sqlx::query(TRY).bind(key).fetch_one(connection).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

/// The key of a ledger's lock: its id, folded.
fn key_of(ledger: Uuid) -> i64 {
    let (high, low) = ledger.as_u64_pair();
    (high ^ low).cast_signed()
}
