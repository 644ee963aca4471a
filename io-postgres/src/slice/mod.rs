//! The slice: the rows that a command reads, and no others.
//!
//! Promise: the ledger answers a command on its slice as it would on all rows. What must not
//! change until the commit was locked before (`lock`); each statement here sees at least what was
//! committed by then. The order of the statements matters where it is said.

mod agenda;
mod runners;
mod wishes;

#[cfg(test)]
pub(crate) use agenda::{ACCOUNTED_FOR, OWED_BY_WORKERS};

use horarium_core::ledger::{Command, Leadership, Rows};
use horarium_core::recurrence::{ZoneData, ZoneRelease};
use horarium_core::schedule::Occurrence;
use horarium_core::words::{Name, RunId, WorkerName};
use horarium_sql::{Fields, rows};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::error::Failure;
use crate::lock::Taken;
use crate::row::published::published_fields;
use crate::row::run::{live_fields, run_fields, uuid};
use crate::row::worker::worker_fields;
use crate::row::{self, Columned};

/// Loads the slice of a command whose locks were taken.
pub(crate) async fn load(
    db: &mut PgConnection,
    command: &Command,
    taken: &Taken,
    zones: &ZoneData,
) -> Result<Rows, Failure> {
    let mut slice = Slice { db, zones, rows: Rows::default() };
    match command {
        Command::Register(registration) => slice.for_register(registration).await?,
        Command::Retire { runner } => slice.for_retire(*runner).await?,
        Command::Tick(_) => slice.for_tick(taken).await?,
        // These are statements of their own, which select by themselves.
        Command::Turn(_) | Command::Sweep { .. } | Command::Prune(_) => {}
        Command::Enqueue(wishes) => slice.for_wishes(wishes).await?,
        Command::StartForeground { runner, wish } => slice.for_foreground(*runner, wish).await?,
        Command::Cancel { run, .. } => slice.for_cancel(*run).await?,
        Command::Release { run, .. } => slice.runs(&[*run]).await?,
        Command::PutSchedule { worker, .. }
        | Command::EnableSchedule { worker, .. }
        | Command::DisableSchedule { worker, .. }
        | Command::DeleteSchedule { worker, .. }
        | Command::PutSettings { worker, .. } => slice.for_worker(worker).await?,
        Command::PublishCatalogue { definitions, .. } => slice.definitions(definitions).await?,
    }
    Ok(slice.rows)
}

/// Rows on their way from the tables.
struct Slice<'a> {
    db: &'a mut PgConnection,
    zones: &'a ZoneData,
    rows: Rows,
}

const ZONE_DATA: &str = "SELECT zone_data FROM ledger";
const LEADERSHIP: &str = "SELECT scheduler, since, last_tick FROM leadership";
pub(crate) const RUNS_BY_ID: &str =
    concat!("SELECT ", run_fields!(), " FROM run WHERE id = ANY ($1)");
pub(crate) const SLOTS_OF_WORKERS: &str =
    concat!("SELECT ", live_fields!(), " FROM run_live WHERE worker = ANY ($1)");
pub(crate) const WORKERS_BY_NAME: &str =
    concat!("SELECT ", worker_fields!(), " FROM worker WHERE name = ANY ($1)");
pub(crate) const NEWEST_DEFINITIONS: &str = concat!(
    "SELECT newest.* FROM unnest($1::text[]) AS wanted (handler) CROSS JOIN LATERAL (
    SELECT ",
    published_fields!(),
    " FROM catalogue WHERE catalogue.handler = wanted.handler
    ORDER BY version DESC, published_at DESC, hash DESC LIMIT 1
) newest"
);

impl Slice<'_> {
    async fn leadership(&mut self) -> Result<(), Failure> {
        self.rows.leadership = read_leadership(&mut *self.db).await?;
        Ok(())
    }

    async fn zone_data(&mut self) -> Result<(), Failure> {
        self.rows.zone_data = read_zone_data(&mut *self.db).await?;
        Ok(())
    }

    /// The runs with these ids, live or finished.
    async fn runs(&mut self, ids: &[RunId]) -> Result<(), Failure> {
        if ids.is_empty() {
            return Ok(());
        }
        let ids: Vec<Uuid> = ids.iter().map(|id| uuid(*id)).collect();
        let found = sqlx::query(RUNS_BY_ID).bind(ids).fetch_all(&mut *self.db).await?;
        self.keep_runs(&found)
    }

    /// The live runs of these workers.
    async fn slots(&mut self, workers: &[&str]) -> Result<(), Failure> {
        let found = self.of_workers(SLOTS_OF_WORKERS, workers).await?;
        self.keep_runs(&found)
    }

    /// The rows of these workers.
    async fn workers(&mut self, workers: &[&str]) -> Result<(), Failure> {
        let found = self.of_workers(WORKERS_BY_NAME, workers).await?;
        self.keep_workers(&found)
    }

    /// The newest definition of each of these workers' handlers.
    async fn newest_definitions(&mut self, workers: &[&WorkerName]) -> Result<(), Failure> {
        let mut handlers: Vec<Name> = workers.iter().map(|worker| worker.handler()).collect();
        handlers.sort_unstable();
        handlers.dedup();
        let handlers: Vec<&str> = handlers.iter().map(Name::as_str).collect();
        let found = self.of_workers(NEWEST_DEFINITIONS, &handlers).await?;
        for row in &found {
            let published = row::published::read(row)?;
            let entries =
                self.rows.catalogue.entry(published.definition.handler.clone()).or_default();
            entries.insert(published.hash.clone(), published);
        }
        Ok(())
    }

    async fn of_workers(
        &mut self,
        statement: &'static str,
        names: &[&str],
    ) -> Result<Vec<PgRow>, Failure> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        Ok(sqlx::query(statement).bind(names).fetch_all(&mut *self.db).await?)
    }

    fn keep_runs(&mut self, found: &[PgRow]) -> Result<(), Failure> {
        for row in found {
            let run = row::run::read(row)?;
            self.rows.runs.insert(run.id, run);
        }
        Ok(())
    }

    fn keep_workers(&mut self, found: &[PgRow]) -> Result<(), Failure> {
        for row in found {
            let (name, worker) = row::worker::read(row, self.zones)?;
            self.rows.workers.insert(name, worker);
        }
        Ok(())
    }

    fn keep_occurrences(&mut self, found: &[PgRow]) -> Result<Vec<Occurrence>, Failure> {
        let mut kept = Vec::with_capacity(found.len());
        for row in found {
            let occurrence = row::occurrence::read(row)?;
            let key = (occurrence.worker.clone(), occurrence.scheduled_for);
            self.rows.occurrences.insert(key, occurrence.clone());
            kept.push(occurrence);
        }
        Ok(kept)
    }
}

/// The zone data that the ledger goes by.
pub(crate) async fn read_zone_data(db: &mut PgConnection) -> Result<Option<ZoneRelease>, Failure> {
    let row = sqlx::query(ZONE_DATA).fetch_one(db).await?;
    Ok(Fields::of(&Columned(&row), "the ledger", "zone_data").parse_optional("zone_data")?)
}

/// Who ticked last.
pub(crate) async fn read_leadership(db: &mut PgConnection) -> Result<Option<Leadership>, Failure> {
    let Some(row) = sqlx::query(LEADERSHIP).fetch_optional(db).await? else {
        return Ok(None);
    };
    Ok(Some(rows::leadership::read(&Columned(&row))?))
}
