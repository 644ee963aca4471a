//! The locks of a command: what must not change between what it reads and what it writes.
//!
//! Promise: locks are taken in one order (runner, workers by name, run), so that two commands
//! never wait for each other in a circle, and what is read after them is read in later
//! statements: the snapshot of a statement that waited is older than its lock.
//!
//! Whoever fills a worker's slot or changes its schedule *updates* the worker's row, a new one if
//! there is none. A tick passes by what others hold. A turn takes none of these locks: it waits
//! for nothing but its runner's row.

use horarium_core::ledger::command::Tick;
use horarium_core::ledger::{Command, Worker};
use horarium_core::recurrence::{ZoneData, ZoneRelease};
use horarium_core::words::{RunId, RunnerId, Timestamp, WorkerName};
use horarium_sql::Fields;
use sqlx::{PgConnection, Row};

use crate::error::Failure;
use crate::row::run::{runner_uuid, uuid};
use crate::row::{Columned, execute};
use horarium_sql::Clock;

/// What a command has locked.
#[derive(Debug)]
pub(crate) struct Taken {
    /// The instant of the command: after its locks if it may have waited for them.
    pub(crate) now: Timestamp,
    /// The workers whose rows it has.
    pub(crate) workers: Vec<WorkerName>,
    /// Those of them that had no row before.
    pub(crate) brought: Vec<WorkerName>,
}

/// Takes the locks of a command.
pub(crate) async fn take(
    db: &mut PgConnection,
    clock: &Clock,
    command: &Command,
    zones: &ZoneData,
) -> Result<Taken, Failure> {
    let mut lock = Lock { db, workers: Vec::new(), brought: Vec::new() };
    match command {
        Command::Tick(tick) => {
            let now = crate::clock::now(clock, lock.db).await?;
            lock.for_tick(now, tick, zones.release()).await?;
            return Ok(lock.taken(now));
        }
        Command::Retire { runner } => lock.runner(*runner).await?,
        Command::Enqueue(wishes) => {
            lock.workers(wishes.iter().map(|wish| &wish.worker).collect()).await?;
        }
        Command::StartForeground { runner, wish } => {
            lock.runner(*runner).await?;
            lock.workers(vec![&wish.worker]).await?;
        }
        Command::Cancel { run, .. } => lock.for_cancel(*run).await?,
        Command::Release { run, .. } => {
            lock.live(*run).await?;
        }
        Command::PutSchedule { worker, .. }
        | Command::EnableSchedule { worker, .. }
        | Command::DisableSchedule { worker, .. }
        | Command::DeleteSchedule { worker, .. }
        | Command::PutSettings { worker, .. } => lock.workers(vec![worker]).await?,
        // For the first two, keys decide: who was slower reads again. The others are statements
        // of their own, which lock by themselves.
        Command::Register(_)
        | Command::PublishCatalogue { .. }
        | Command::Turn(_)
        | Command::Sweep { .. }
        | Command::Prune(_) => {}
    }
    let now = crate::clock::now(clock, lock.db).await?;
    Ok(lock.taken(now))
}

pub(crate) const BRING_WORKERS: &str = "
INSERT INTO worker AS old (name, accounted_until, revision)
SELECT name, $2, $3 FROM unnest($1::text[]) AS name ORDER BY name COLLATE \"C\"
ON CONFLICT (name) DO UPDATE SET revision = old.revision
RETURNING name, xmax = 0 AS is_new";
const UNBRING_WORKERS: &str = "DELETE FROM worker WHERE name = ANY ($1)";
const WORKER: &str = "SELECT name FROM worker WHERE name = $1 FOR NO KEY UPDATE";
/// An update, so that a turn that saw the row before does not believe that nothing happened.
const RUNNER: &str = "UPDATE runner SET last_seen = last_seen WHERE id = $1";
pub(crate) const LIVE: &str = "SELECT id FROM run_live WHERE id = $1 FOR UPDATE";
const WORKER_OF_DONE: &str = "SELECT worker FROM run_done WHERE id = $1";
/// Nothing is read here that a decision needs. The owed are no anti-join: planned while the
/// tables are small it would scan all that is live for each of them.
pub(crate) const FOR_TICK: &str = "
WITH owed AS MATERIALIZED (
    SELECT name FROM worker
    WHERE name = ANY (ARRAY(
        SELECT worker FROM occurrence
        WHERE retry = 'OWED'
            AND (SELECT true FROM run_live WHERE run_live.worker = occurrence.worker LIMIT 1)
                IS NULL
        ORDER BY worker, scheduled_for LIMIT $2))
    FOR NO KEY UPDATE SKIP LOCKED
),
due AS MATERIALIZED (
    SELECT name FROM worker WHERE next_at <= $1
    ORDER BY next_at, name LIMIT $2
    FOR NO KEY UPDATE SKIP LOCKED
),
stale AS MATERIALIZED (
    SELECT name FROM worker
    WHERE (enablement #>> '{}') = 'enabled' AND zone_data < $3
        AND (next_at IS NULL OR next_at > $1)
    ORDER BY zone_data, name LIMIT $2
    FOR NO KEY UPDATE SKIP LOCKED
)
SELECT name FROM owed UNION SELECT name FROM due UNION SELECT name FROM stale";

/// Locks on their way.
struct Lock<'a> {
    db: &'a mut PgConnection,
    workers: Vec<WorkerName>,
    brought: Vec<WorkerName>,
}

impl Lock<'_> {
    fn taken(self, now: Timestamp) -> Taken {
        Taken { now, workers: self.workers, brought: self.brought }
    }

    async fn workers(&mut self, mut workers: Vec<&WorkerName>) -> Result<(), Failure> {
        workers.sort_unstable();
        workers.dedup();
        let names: Vec<&str> = workers.iter().map(|worker| worker.as_str()).collect();
        let found = sqlx::query(BRING_WORKERS)
            .bind(names)
            .bind(Worker::NEW.accounted_until.micros())
            .bind(Worker::NEW.revision.0.cast_signed())
            .fetch_all(&mut *self.db)
            .await?;
        for row in &found {
            let name: WorkerName = Fields::of(&Columned(row), "worker", "name").parse("name")?;
            if row.try_get("is_new")? {
                self.brought.push(name.clone());
            }
            self.workers.push(name);
        }
        Ok(())
    }

    async fn runner(&mut self, runner: RunnerId) -> Result<(), Failure> {
        execute!(self.db, RUNNER, runner_uuid(runner))
    }

    /// The run while it is live: nobody else can end it now. False when it is not.
    async fn live(&mut self, run: RunId) -> Result<bool, Failure> {
        Ok(sqlx::query(LIVE).bind(uuid(run)).fetch_optional(&mut *self.db).await?.is_some())
    }

    /// A live run; of a finished one its worker, since a tick may be about to create the retry
    /// that the cancel drops.
    async fn for_cancel(&mut self, run: RunId) -> Result<(), Failure> {
        if self.live(run).await? {
            return Ok(());
        }
        let found =
            sqlx::query(WORKER_OF_DONE).bind(uuid(run)).fetch_optional(&mut *self.db).await?;
        let Some(row) = &found else {
            return Ok(());
        };
        execute!(self.db, WORKER, row.try_get::<&str, _>("worker")?)
    }

    /// The first workers that owe a retry and have their slot free, the first that are due, and the
    /// first that older zone data computed: each one more than the limit, which says that more are
    /// left.
    async fn for_tick(
        &mut self,
        now: Timestamp,
        tick: &Tick,
        release: ZoneRelease,
    ) -> Result<(), Failure> {
        let found = sqlx::query(FOR_TICK)
            .bind(now.micros())
            .bind(i64::from(tick.limit.get()) + 1)
            .bind(release.to_string())
            .fetch_all(&mut *self.db)
            .await?;
        for row in &found {
            self.workers.push(Fields::of(&Columned(row), "worker", "name").parse("name")?);
        }
        Ok(())
    }
}

/// Takes the rows of workers back that a command brought and then had no use for.
pub(crate) async fn unbring(db: &mut PgConnection, workers: &[&WorkerName]) -> Result<(), Failure> {
    if workers.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = workers.iter().map(|worker| worker.as_str()).collect();
    execute!(db, UNBRING_WORKERS, names)
}
