//! Reading for people, and the dump of every row. It decides nothing.
//!
//! Promise: what needs more than one statement reads one snapshot.

use std::collections::BTreeMap;

use horarium_core::catalogue::Published;
use horarium_core::ledger::{Leadership, Rows, Runner, Sequences, Worker};
use horarium_core::run::{Run, StatusKind};
use horarium_core::schedule::Occurrence;
use horarium_core::store::{ReadError, Reader, RunFilter, RunRef};
use horarium_core::words::{Fence, RunNumber, Timestamp, WorkerName};
use horarium_sql::rows::run::{trigger_word, with_output};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Postgres, Row, Transaction};

use crate::error::Failure;
use crate::row;
use crate::row::occurrence::occurrence_fields;
use crate::row::published::published_fields;
use crate::row::run::{live_fields, run_fields};
use crate::row::runner::runner_fields;
use crate::row::worker::worker_fields;
use crate::slice::{read_leadership, read_zone_data};
use crate::store::PostgresStore;

const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// What each sequence gives next.
const SEQUENCES: &str = "
SELECT number.last_value + number.is_called::int, fence.last_value + fence.is_called::int
FROM run_number AS number, fence";
const RUNS: &str = concat!(
    "SELECT ",
    run_fields!(),
    " FROM run
WHERE ($1::text IS NULL OR handler = $1)
    AND ($2::text[] IS NULL OR status = ANY ($2))
    AND ($3::text IS NULL OR trigger = $3)
    AND ($4::bigint IS NULL OR enqueued_at >= $4)
    AND ($5::text IS NULL OR worker = $5)
    AND number < $6
ORDER BY number DESC LIMIT $7"
);
const RUN_BY_ID: &str = concat!("SELECT ", run_fields!(), " FROM run WHERE id = $1");
const RUN_BY_NUMBER: &str = concat!("SELECT ", run_fields!(), " FROM run WHERE number = $1");
const OUTPUT: &str = "
SELECT run, stdout, stdout_dropped, stderr, stderr_dropped FROM run_output WHERE run = $1";
const WORKER: &str = concat!("SELECT ", worker_fields!(), " FROM worker WHERE name = $1");
const SLOT: &str = concat!("SELECT ", live_fields!(), " FROM run_live WHERE worker = $1");
const OCCURRENCES: &str = concat!(
    "SELECT ",
    occurrence_fields!(),
    " FROM occurrence WHERE worker = $1 ORDER BY scheduled_for DESC LIMIT $2"
);
const ALL_WORKERS: &str = concat!("SELECT ", worker_fields!(), " FROM worker ORDER BY name");
const ALL_LIVE: &str = concat!("SELECT ", live_fields!(), " FROM run_live");
const ALL_RUNNERS: &str =
    concat!("SELECT ", runner_fields!(), " FROM runner ORDER BY last_seen DESC, id");
const ALL_DEFINITIONS: &str = concat!(
    "SELECT ",
    published_fields!(),
    " FROM catalogue ORDER BY handler, version, published_at, hash"
);
const ALL_RUNS: &str = concat!("SELECT ", run_fields!(), " FROM run");
const ALL_OUTPUT: &str =
    "SELECT run, stdout, stdout_dropped, stderr, stderr_dropped FROM run_output";
const ALL_OCCURRENCES: &str = concat!("SELECT ", occurrence_fields!(), " FROM occurrence");

impl PostgresStore {
    /// Every row of the ledger, output included.
    pub async fn dump(&self) -> Result<Rows, ReadError> {
        Ok(self.all_rows().await?)
    }

    /// One snapshot to read from.
    async fn snapshot(&self) -> Result<Transaction<'static, Postgres>, Failure> {
        Ok(self.pool.begin_with(SNAPSHOT).await?)
    }

    async fn all_rows(&self) -> Result<Rows, Failure> {
        let mut db = self.snapshot().await?;
        let mut rows = Rows {
            sequences: read_sequences(&mut db).await?,
            zone_data: read_zone_data(&mut db).await?,
            leadership: read_leadership(&mut db).await?,
            ..Rows::default()
        };
        for row in all(&mut db, ALL_RUNNERS).await? {
            let runner = row::runner::read(&row)?;
            rows.runners.insert(runner.registration.runner, runner);
        }
        for row in all(&mut db, ALL_WORKERS).await? {
            let (name, worker) = row::worker::read(&row, &self.zones)?;
            rows.workers.insert(name, worker);
        }
        for row in all(&mut db, ALL_RUNS).await? {
            let run = row::run::read(&row)?;
            rows.runs.insert(run.id, run);
        }
        for row in all(&mut db, ALL_OUTPUT).await? {
            let (id, output) = row::run::read_output(&row)?;
            if let Some(run) = rows.runs.remove(&id) {
                rows.runs.insert(id, with_output(run, output));
            }
        }
        for row in all(&mut db, ALL_OCCURRENCES).await? {
            let occurrence = row::occurrence::read(&row)?;
            let key = (occurrence.worker.clone(), occurrence.scheduled_for);
            rows.occurrences.insert(key, occurrence);
        }
        for row in all(&mut db, ALL_DEFINITIONS).await? {
            let published = row::published::read(&row)?;
            let entries = rows.catalogue.entry(published.definition.handler.clone()).or_default();
            entries.insert(published.hash.clone(), published);
        }
        Ok(rows)
    }

    async fn listed_runs(&self, filter: &RunFilter) -> Result<Vec<Run>, Failure> {
        let statuses: Vec<&str> = filter.statuses.iter().copied().map(StatusKind::as_str).collect();
        let before =
            filter.before.map_or(i64::MAX, |number| i64::try_from(number.0).unwrap_or(i64::MAX));
        let found = sqlx::query(RUNS)
            .bind(filter.handler.as_ref().map(|handler| handler.as_str().to_owned()))
            .bind(Some(statuses).filter(|statuses| !statuses.is_empty()))
            .bind(filter.trigger.map(trigger_word))
            .bind(filter.since.map(Timestamp::micros))
            .bind(filter.worker.as_ref().map(|worker| worker.as_str().to_owned()))
            .bind(before)
            .bind(i64::from(filter.limit))
            .fetch_all(&self.pool)
            .await?;
        found.iter().map(row::run::read).collect()
    }

    async fn one_run(&self, run: RunRef) -> Result<Option<Run>, Failure> {
        let mut db = self.snapshot().await?;
        let query = match run {
            RunRef::Id(id) => sqlx::query(RUN_BY_ID).bind(row::run::uuid(id)),
            RunRef::Number(number) => sqlx::query(RUN_BY_NUMBER).bind(number.0.cast_signed()),
        };
        let Some(found) = query.fetch_optional(&mut *db).await? else {
            return Ok(None);
        };
        let run = row::run::read(&found)?;
        let output =
            sqlx::query(OUTPUT).bind(row::run::uuid(run.id)).fetch_optional(&mut *db).await?;
        match output {
            Some(row) => Ok(Some(with_output(run, row::run::read_output(&row)?.1))),
            None => Ok(Some(run)),
        }
    }

    async fn all_workers(&self) -> Result<Vec<(WorkerName, Worker, Option<Run>)>, Failure> {
        let mut db = self.snapshot().await?;
        let mut slots = BTreeMap::new();
        for row in all(&mut db, ALL_LIVE).await? {
            let run = row::run::read(&row)?;
            slots.insert(run.worker.clone(), run);
        }
        let mut workers = Vec::new();
        for row in all(&mut db, ALL_WORKERS).await? {
            let (name, worker) = row::worker::read(&row, &self.zones)?;
            let slot = slots.remove(&name);
            workers.push((name, worker, slot));
        }
        Ok(workers)
    }

    async fn one_worker(
        &self,
        name: &WorkerName,
    ) -> Result<Option<(Worker, Option<Run>)>, Failure> {
        let mut db = self.snapshot().await?;
        let found = sqlx::query(WORKER).bind(name.as_str()).fetch_optional(&mut *db).await?;
        let Some(found) = found else {
            return Ok(None);
        };
        let (_, worker) = row::worker::read(&found, &self.zones)?;
        let slot = sqlx::query(SLOT).bind(name.as_str()).fetch_optional(&mut *db).await?;
        Ok(Some((worker, slot.as_ref().map(row::run::read).transpose()?)))
    }

    async fn connection(&self) -> Result<sqlx::pool::PoolConnection<Postgres>, Failure> {
        Ok(self.pool.acquire().await?)
    }
}

async fn read_sequences(db: &mut PgConnection) -> Result<Sequences, Failure> {
    let row = sqlx::query(SEQUENCES).fetch_one(db).await?;
    let (number, fence): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    Ok(Sequences {
        number: RunNumber(number.cast_unsigned()),
        fence: Fence::from_number(fence.cast_unsigned()),
    })
}

async fn all(db: &mut PgConnection, statement: &'static str) -> Result<Vec<PgRow>, Failure> {
    Ok(sqlx::query(statement).fetch_all(db).await?)
}

impl Reader for PostgresStore {
    async fn now(&self) -> Result<Timestamp, ReadError> {
        let mut db = self.connection().await?;
        Ok(crate::clock::now(&self.clock, &mut db).await?)
    }

    async fn runs(&self, filter: &RunFilter) -> Result<Vec<Run>, ReadError> {
        Ok(self.listed_runs(filter).await?)
    }

    async fn run(&self, run: RunRef) -> Result<Option<Run>, ReadError> {
        Ok(self.one_run(run).await?)
    }

    async fn workers(&self) -> Result<Vec<(WorkerName, Worker, Option<Run>)>, ReadError> {
        Ok(self.all_workers().await?)
    }

    async fn worker(
        &self,
        worker: &WorkerName,
    ) -> Result<Option<(Worker, Option<Run>)>, ReadError> {
        Ok(self.one_worker(worker).await?)
    }

    async fn occurrences(
        &self,
        worker: &WorkerName,
        limit: u32,
    ) -> Result<Vec<Occurrence>, ReadError> {
        let found = sqlx::query(OCCURRENCES)
            .bind(worker.as_str())
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await
            .map_err(Failure::from)?;
        Ok(found.iter().map(row::occurrence::read).collect::<Result<_, _>>()?)
    }

    async fn runners(&self) -> Result<Vec<Runner>, ReadError> {
        let mut db = self.connection().await?;
        let found = all(&mut db, ALL_RUNNERS).await?;
        Ok(found.iter().map(row::runner::read).collect::<Result<_, _>>()?)
    }

    async fn catalogue(&self) -> Result<Vec<Published>, ReadError> {
        let mut db = self.connection().await?;
        let found = all(&mut db, ALL_DEFINITIONS).await?;
        Ok(found.iter().map(row::published::read).collect::<Result<_, _>>()?)
    }

    async fn leadership(&self) -> Result<Option<Leadership>, ReadError> {
        let mut db = self.connection().await?;
        Ok(read_leadership(&mut db).await?)
    }
}
