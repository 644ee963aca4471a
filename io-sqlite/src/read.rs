//! Reading for people, and the dump of every row. It decides nothing.
//!
//! Promise: what needs more than one statement reads one snapshot.

use horarium_core::catalogue::Published;
use horarium_core::ledger::{Leadership, Rows, Runner, Worker};
use horarium_core::run::{Run, StatusKind};
use horarium_core::schedule::Occurrence;
use horarium_core::store::{ReadError, Reader, RunFilter, RunRef};
use horarium_core::words::{Timestamp, WorkerName};
use horarium_sql::rows::run::{trigger_word, with_output};
use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, SqliteConnection, Transaction};

use crate::error::Failure;
use crate::row::{self, json};
use crate::slice::{read_leadership, read_ledger};
use crate::store::SqliteStore;

pub(crate) const RUNS: &str = "
SELECT * FROM run
WHERE (?1 IS NULL OR handler = ?1)
    AND (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
    AND (?3 IS NULL OR trigger = ?3)
    AND (?4 IS NULL OR enqueued_at >= ?4)
    AND number < ?5
ORDER BY number DESC LIMIT ?6";
/// The same for one worker, by the index of its history.
pub(crate) const RUNS_OF_WORKER: &str = "
SELECT * FROM run
WHERE worker = ?7
    AND (?1 IS NULL OR handler = ?1)
    AND (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
    AND (?3 IS NULL OR trigger = ?3)
    AND (?4 IS NULL OR enqueued_at >= ?4)
    AND number < ?5
ORDER BY number DESC LIMIT ?6";
const RUN_BY_ID: &str = "SELECT * FROM run WHERE id = ?1";
const RUN_BY_NUMBER: &str = "SELECT * FROM run WHERE number = ?1";
const OUTPUT: &str = "SELECT * FROM run_output WHERE run = ?1";
const WORKER: &str = "SELECT * FROM worker WHERE name = ?1";
const SLOT: &str = "SELECT *, NULL AS ended_at FROM run_live WHERE worker = ?1";
const OCCURRENCES: &str = "
SELECT * FROM occurrence WHERE worker = ?1 ORDER BY scheduled_for DESC LIMIT ?2";
const ALL_WORKERS: &str = "SELECT * FROM worker ORDER BY name";
const ALL_LIVE: &str = "SELECT *, NULL AS ended_at FROM run_live";
const ALL_RUNNERS: &str = "SELECT * FROM runner ORDER BY last_seen DESC, id";
const ALL_DEFINITIONS: &str = "
SELECT * FROM catalogue ORDER BY handler, version, published_at, hash";
const ALL_RUNS: &str = "SELECT * FROM run";
const ALL_OUTPUT: &str = "SELECT * FROM run_output";
const ALL_OCCURRENCES: &str = "SELECT * FROM occurrence";

impl SqliteStore {
    /// Every row of the ledger, output included.
    pub async fn dump(&self) -> Result<Rows, ReadError> {
        Ok(self.all_rows().await?)
    }

    /// One snapshot to read from.
    async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, Failure> {
        Ok(self.readers.begin_with("BEGIN DEFERRED").await?)
    }

    async fn all_rows(&self) -> Result<Rows, Failure> {
        let mut db = self.snapshot().await?;
        let (sequences, zone_data) = read_ledger(&mut db).await?;
        let mut rows = Rows {
            sequences,
            zone_data,
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
        let statement = if filter.worker.is_some() { RUNS_OF_WORKER } else { RUNS };
        let before =
            filter.before.map_or(i64::MAX, |number| i64::try_from(number.0).unwrap_or(i64::MAX));
        let mut query = sqlx::query(statement)
            .bind(filter.handler.as_ref().map(|handler| handler.as_str().to_owned()))
            .bind(status_list(&filter.statuses)?)
            .bind(filter.trigger.map(trigger_word))
            .bind(filter.since.map(Timestamp::micros))
            .bind(before)
            .bind(i64::from(filter.limit));
        if let Some(worker) = &filter.worker {
            query = query.bind(worker.as_str());
        }
        let found = query.fetch_all(&self.readers).await?;
        found.iter().map(row::run::read).collect()
    }

    async fn one_run(&self, run: RunRef) -> Result<Option<Run>, Failure> {
        let mut db = self.snapshot().await?;
        let query = match run {
            RunRef::Id(id) => sqlx::query(RUN_BY_ID).bind(row::run::id_bytes(id)),
            RunRef::Number(number) => sqlx::query(RUN_BY_NUMBER).bind(number.0.cast_signed()),
        };
        let Some(found) = query.fetch_optional(&mut *db).await? else {
            return Ok(None);
        };
        let run = row::run::read(&found)?;
        let output =
            sqlx::query(OUTPUT).bind(row::run::id_bytes(run.id)).fetch_optional(&mut *db).await?;
        match output {
            Some(row) => Ok(Some(with_output(run, row::run::read_output(&row)?.1))),
            None => Ok(Some(run)),
        }
    }

    async fn all_workers(&self) -> Result<Vec<(WorkerName, Worker, Option<Run>)>, Failure> {
        let mut db = self.snapshot().await?;
        let mut slots = std::collections::BTreeMap::new();
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
}

async fn all(
    db: &mut SqliteConnection,
    statement: &'static str,
) -> Result<Vec<SqliteRow>, Failure> {
    Ok(sqlx::query(statement).fetch_all(db).await?)
}

/// Statuses as a JSON list; none when any will do.
fn status_list(statuses: &[StatusKind]) -> Result<Option<String>, Failure> {
    if statuses.is_empty() { Ok(None) } else { json(&statuses).map(Some) }
}

impl Reader for SqliteStore {
    async fn now(&self) -> Result<Timestamp, ReadError> {
        let mut db = self.readers.acquire().await.map_err(Failure::from)?;
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
            .fetch_all(&self.readers)
            .await
            .map_err(Failure::from)?;
        Ok(found.iter().map(row::occurrence::read).collect::<Result<_, _>>()?)
    }

    async fn runners(&self) -> Result<Vec<Runner>, ReadError> {
        let mut db = self.readers.acquire().await.map_err(Failure::from)?;
        let found = all(&mut db, ALL_RUNNERS).await?;
        Ok(found.iter().map(row::runner::read).collect::<Result<_, _>>()?)
    }

    async fn catalogue(&self) -> Result<Vec<Published>, ReadError> {
        let mut db = self.readers.acquire().await.map_err(Failure::from)?;
        let found = all(&mut db, ALL_DEFINITIONS).await?;
        Ok(found.iter().map(row::published::read).collect::<Result<_, _>>()?)
    }

    async fn leadership(&self) -> Result<Option<Leadership>, ReadError> {
        let mut db = self.readers.acquire().await.map_err(Failure::from)?;
        Ok(read_leadership(&mut db).await?)
    }
}
