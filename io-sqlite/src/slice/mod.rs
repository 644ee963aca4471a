//! The slice: the rows that a command reads, and no others.
//!
//! Promise: the ledger answers a command on its slice as it would on all rows. A slice may hold
//! more than is read as long as that is true; it never depends on how long the history is. Sets
//! of keys travel as one JSON list, so that each text is fixed.

mod agenda;
#[cfg(test)]
mod plans;
mod runners;
mod wishes;

use horarium_core::ledger::{Command, Leadership, Rows, Sequences};
use horarium_core::recurrence::{ZoneData, ZoneRelease};
use horarium_core::schedule::Occurrence;
use horarium_core::words::{Fence, Name, RunId, RunNumber, Timestamp, WorkerName};
use horarium_sql::{Fields, rows};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use crate::error::Failure;
use crate::row::{self, Columned, json};

/// Loads the slice of a command.
pub(crate) async fn load(
    db: &mut SqliteConnection,
    now: Timestamp,
    command: &Command,
    zones: &ZoneData,
) -> Result<Rows, Failure> {
    let mut slice = Slice { db, now, zones, rows: Rows::default() };
    slice.ledger().await?;
    match command {
        Command::Register(registration) => slice.for_register(registration).await?,
        Command::Turn(turn) => slice.for_turn(turn).await?,
        Command::Retire { runner } => slice.for_retire(*runner).await?,
        Command::Sweep { limit } => slice.for_sweep(limit.get()).await?,
        Command::Tick(tick) => slice.for_tick(tick.limit.get()).await?,
        // Retention looks at the whole history and selects by itself.
        Command::Prune(_) => {}
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
    db: &'a mut SqliteConnection,
    now: Timestamp,
    zones: &'a ZoneData,
    rows: Rows,
}

const LEDGER: &str = "SELECT * FROM ledger";
const LEADERSHIP: &str = "SELECT scheduler, since, last_tick FROM leadership";
const RUNS_BY_ID: &str = "
SELECT * FROM run WHERE id IN (SELECT unhex(value) FROM json_each(?1))";
const SLOTS_OF_WORKERS: &str = "
SELECT *, NULL AS ended_at FROM run_live
WHERE worker IN (SELECT value FROM json_each(?1))";
const WORKERS_BY_NAME: &str = "
SELECT * FROM worker WHERE name IN (SELECT value FROM json_each(?1))";
const NEWEST_DEFINITION: &str = "
SELECT * FROM catalogue WHERE handler = ?1
ORDER BY version DESC, published_at DESC, hash DESC LIMIT 1";

impl Slice<'_> {
    async fn ledger(&mut self) -> Result<(), Failure> {
        (self.rows.sequences, self.rows.zone_data) = read_ledger(&mut *self.db).await?;
        Ok(())
    }

    async fn leadership(&mut self) -> Result<(), Failure> {
        self.rows.leadership = read_leadership(&mut *self.db).await?;
        Ok(())
    }

    /// The runs with these ids, live or finished.
    async fn runs(&mut self, ids: &[RunId]) -> Result<(), Failure> {
        if ids.is_empty() {
            return Ok(());
        }
        let found = sqlx::query(RUNS_BY_ID).bind(id_list(ids)?).fetch_all(&mut *self.db).await?;
        self.keep_runs(&found)
    }

    /// The live runs of these workers.
    async fn slots(&mut self, workers: &[WorkerName]) -> Result<(), Failure> {
        if workers.is_empty() {
            return Ok(());
        }
        let found =
            sqlx::query(SLOTS_OF_WORKERS).bind(json(&workers)?).fetch_all(&mut *self.db).await?;
        self.keep_runs(&found)
    }

    /// The rows of these workers.
    async fn workers(&mut self, workers: &[WorkerName]) -> Result<(), Failure> {
        if workers.is_empty() {
            return Ok(());
        }
        let found =
            sqlx::query(WORKERS_BY_NAME).bind(json(&workers)?).fetch_all(&mut *self.db).await?;
        self.keep_workers(&found)
    }

    /// The newest definition of each of these workers' handlers.
    async fn newest_definitions(&mut self, workers: &[WorkerName]) -> Result<(), Failure> {
        let mut handlers: Vec<Name> = workers.iter().map(WorkerName::handler).collect();
        handlers.sort_unstable();
        handlers.dedup();
        for handler in handlers {
            let found = sqlx::query(NEWEST_DEFINITION)
                .bind(handler.as_str())
                .fetch_optional(&mut *self.db)
                .await?;
            if let Some(row) = &found {
                let published = row::published::read(row)?;
                let entries = self.rows.catalogue.entry(handler.clone()).or_default();
                entries.insert(published.hash.clone(), published);
            }
        }
        Ok(())
    }

    fn keep_runs(&mut self, found: &[SqliteRow]) -> Result<(), Failure> {
        for row in found {
            let run = row::run::read(row)?;
            self.rows.runs.insert(run.id, run);
        }
        Ok(())
    }

    fn keep_workers(&mut self, found: &[SqliteRow]) -> Result<(), Failure> {
        for row in found {
            let (name, worker) = row::worker::read(row, self.zones)?;
            self.rows.workers.insert(name, worker);
        }
        Ok(())
    }

    fn keep_occurrences(&mut self, found: &[SqliteRow]) -> Result<Vec<Occurrence>, Failure> {
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

/// What the sequences give next, and the zone data that the ledger goes by.
pub(crate) async fn read_ledger(
    db: &mut SqliteConnection,
) -> Result<(Sequences, Option<ZoneRelease>), Failure> {
    let row = sqlx::query(LEDGER).fetch_one(db).await?;
    let columns = Columned(&row);
    let fields = Fields::of(&columns, "ledger", "id");
    let sequences = Sequences {
        number: RunNumber(fields.unsigned("next_number")?),
        fence: Fence::from_number(fields.unsigned("next_fence")?),
    };
    Ok((sequences, fields.parse_optional("zone_data")?))
}

/// Who ticked last.
pub(crate) async fn read_leadership(
    db: &mut SqliteConnection,
) -> Result<Option<Leadership>, Failure> {
    let Some(row) = sqlx::query(LEADERSHIP).fetch_optional(db).await? else {
        return Ok(None);
    };
    Ok(Some(rows::leadership::read(&Columned(&row))?))
}

/// Identifiers as a JSON list of hexadecimal texts.
fn id_list(ids: &[RunId]) -> Result<String, Failure> {
    let digits: Vec<String> =
        ids.iter().map(|id| format!("{:032x}", u128::from_be_bytes(id.to_bytes()))).collect();
    json(&digits)
}

/// `limit` rows and one more, which says that more are left.
fn one_more(limit: u32) -> i64 {
    i64::from(limit) + 1
}
