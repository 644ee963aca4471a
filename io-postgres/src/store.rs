//! The store: a command is one transaction.
//!
//! Promise: an answer means that the command was committed. What is known to have rolled back is
//! repeated, a few times, after a pause that differs from process to process; otherwise a command
//! that did not reach its commit was not taken, and one whose commit was not answered is unknown.
//! Nothing is guessed.

use std::collections::BTreeSet;
use std::time::Duration;

use horarium_core::ledger::{Command, Draws, Event, Handled, Ledger, Locked, Reply, Rows, Worker};
use horarium_core::recurrence::ZoneData;
use horarium_core::store::{Store, StoreError};
use horarium_core::words::{Fence, RunNumber, WorkerName};
use sqlx::{Connection as _, PgConnection, PgPool};
use uuid::Uuid;

use crate::error::{Failure, Verdict, verdict, verdict_of_connecting};
use crate::lock::{self, Taken};
use crate::open::OpenOptions;
use crate::{hint, prune, slice, sweep, turn, write};
use horarium_sql::Clock;

/// The store on one schema of a PostgreSQL database. Its clones share its connections.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pub(crate) pool: PgPool,
    pub(crate) clock: Clock,
    /// By these its rules are read.
    pub(crate) zones: ZoneData,
    /// Who this ledger is.
    pub(crate) ledger: Uuid,
    /// How its connections are made.
    pub(crate) options: OpenOptions,
}

/// How often a command is tried at the most.
const TRIES: u32 = 8;

/// A try that failed, and what is known of it.
struct Broken {
    failure: Failure,
    verdict: Verdict,
}

impl Broken {
    /// A transaction that was not asked to commit is rolled back, however it broke off.
    fn before_commit(failure: Failure) -> Self {
        let verdict = match verdict(&failure) {
            Verdict::Unknown | Verdict::Repeat => Verdict::Repeat,
            Verdict::RolledBack => Verdict::RolledBack,
        };
        Self { failure, verdict }
    }

    /// A statement that commits by itself, or a commit.
    fn in_commit(failure: Failure) -> Self {
        let verdict = verdict(&failure);
        Self { failure, verdict }
    }
}

impl PostgresStore {
    /// The same store in the hands of a process that has these zone data.
    #[must_use]
    pub fn with_zone_data(self, zones: ZoneData) -> Self {
        Self { zones, ..self }
    }

    /// Closes the connections once nothing is under way.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    async fn attempt(&self, command: &Command) -> Result<Reply, Broken> {
        let mut connection = self.pool.acquire().await.map_err(|error| Broken {
            verdict: verdict_of_connecting(&error),
            failure: error.into(),
        })?;
        let result = match command {
            Command::Turn(turn) => {
                turn::turn(&mut connection, &self.clock, turn).await.map_err(Broken::in_commit)
            }
            Command::Sweep { limit } => {
                sweep::sweep(&mut connection, &self.clock, *limit).await.map_err(Broken::in_commit)
            }
            Command::Prune(retention) => prune::prune(&mut connection, &self.clock, retention)
                .await
                .map_err(Broken::in_commit),
            other => self.carry_out(&mut connection, other).await,
        };
        if let Err(Broken { failure: Failure::Database(error), .. }) = &result
            && error.as_database_error().is_none()
        {
            // It is not the server that complains: the connection itself is in doubt.
            connection.close_on_drop();
        }
        result
    }

    /// Locks, loads the slice, lets the ledger decide on it, and writes the events.
    async fn carry_out(
        &self,
        connection: &mut PgConnection,
        command: &Command,
    ) -> Result<Reply, Broken> {
        let before = Broken::before_commit;
        let mut db = connection.begin().await.map_err(|error| before(error.into()))?;
        let taken = lock::take(&mut db, &self.clock, command, &self.zones).await.map_err(before)?;
        let rows = slice::load(&mut db, command, &taken, &self.zones).await.map_err(before)?;
        let (handled, rows) =
            decide(&mut db, command, &taken, rows, &self.zones).await.map_err(before)?;
        write::events(&mut db, &handled.events, &rows).await.map_err(before)?;
        let idle = unused(&taken, &handled, &rows);
        lock::unbring(&mut db, &idle).await.map_err(before)?;
        hint::send(&mut db, self.ledger, &handled.events).await.map_err(before)?;
        db.commit().await.map_err(|error| Broken::in_commit(error.into()))?;
        Ok(handled.reply)
    }
}

const DRAW_NUMBERS: &str = "SELECT nextval('run_number') FROM generate_series(1, $1)";
const DRAW_FENCES: &str = "SELECT nextval('fence') FROM generate_series(1, $1)";

/// Decides on the slice; once more with drawn numbers and fences if any are needed, so that
/// nothing is drawn for what is refused.
async fn decide(
    db: &mut PgConnection,
    command: &Command,
    taken: &Taken,
    rows: Rows,
    zones: &ZoneData,
) -> Result<(Handled, Rows), Failure> {
    let locked = not_taken(command, taken, &rows);
    let mut ledger = Ledger::from_rows(rows.clone());
    ledger.set_zone_data(zones.clone());
    let handled = ledger.handle_amid(taken.now, command, &locked);
    let (numbers, fences) = handled.used();
    if numbers + fences == 0 {
        return Ok((handled, ledger.rows().clone()));
    }
    let numbers = draw(db, DRAW_NUMBERS, numbers).await?;
    let fences = draw(db, DRAW_FENCES, fences).await?;
    let draws = Draws {
        numbers: numbers.into_iter().map(RunNumber).collect(),
        fences: fences.into_iter().map(Fence::from_number).collect(),
    };
    let mut ledger = Ledger::from_rows(rows).with_draws(draws);
    ledger.set_zone_data(zones.clone());
    let handled = ledger.handle_amid(taken.now, command, &locked);
    Ok((handled, ledger.rows().clone()))
}

async fn draw(
    db: &mut PgConnection,
    statement: &'static str,
    count: usize,
) -> Result<Vec<u64>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let drawn: Vec<i64> = sqlx::query_scalar(statement).bind(count).fetch_all(db).await?;
    Ok(drawn.into_iter().map(i64::cast_unsigned).collect())
}

/// The workers that a tick reads and has not locked: it may not change them.
fn not_taken(command: &Command, taken: &Taken, rows: &Rows) -> Locked {
    let workers = match command {
        Command::Tick(_) => {
            let others = rows.workers.keys().filter(|worker| !taken.workers.contains(worker));
            others.cloned().collect()
        }
        _ => BTreeSet::new(),
    };
    Locked { workers, ..Locked::default() }
}

/// The workers whose rows were brought and say nothing: as if nobody had named them.
fn unused<'a>(taken: &'a Taken, handled: &Handled, rows: &Rows) -> Vec<&'a WorkerName> {
    let has_run = |name: &WorkerName| {
        handled
            .events
            .iter()
            .any(|event| matches!(event, Event::RunCreated(run) if run.worker == *name))
    };
    let is_new = |name: &&WorkerName| rows.workers.get(*name) == Some(&Worker::NEW);
    taken.brought.iter().filter(is_new).filter(|name| !has_run(name)).collect()
}

impl Store for PostgresStore {
    async fn submit(&self, command: &Command) -> Result<Reply, StoreError> {
        let mut tries = 1;
        loop {
            let Broken { failure, verdict } = match self.attempt(command).await {
                Ok(reply) => return Ok(reply),
                Err(broken) => broken,
            };
            match verdict {
                Verdict::Repeat if tries < TRIES => {
                    tries += 1;
                    pause(tries).await;
                }
                Verdict::Repeat | Verdict::RolledBack => {
                    return Err(StoreError::NotTaken(failure.to_string()));
                }
                Verdict::Unknown => return Err(StoreError::Unknown(failure.to_string())),
            }
        }
    }
}

/// A pause before trying again: up to 10 ms the first time and twice as much each time, so that
/// processes that met once do not meet again. The clock's last digits are random enough for that.
async fn pause(tries: u32) {
    let digits = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    let scattered = horarium_core::words::retry::scatter(u64::from(digits));
    let longest = 5_000_u64 << tries.min(8);
    tokio::time::sleep(Duration::from_micros(1 + scattered % longest)).await;
}
