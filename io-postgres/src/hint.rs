//! Hints: notifications that spare a wait.
//!
//! Promise: a hint changes nothing but latency. It is sent once a command, with its commit; a lost,
//! doubled or early one is harmless, since polling carries liveness alone.

use std::collections::BTreeSet;

use horarium_core::ledger::Event;
use sqlx::PgConnection;
use sqlx::postgres::{PgListener, PgPoolOptions};
use uuid::Uuid;

use crate::error::{Failure, OpenError};
use crate::row::execute;
use crate::store::PostgresStore;

const NOTIFY: &str = "SELECT pg_notify($1, $2)";

/// What may have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hint {
    /// A run was queued.
    Work,
    /// A running run is to be cancelled.
    Cancel,
    /// A schedule was changed.
    Agenda,
}

impl Hint {
    const ALL: [Self; 3] = [Self::Work, Self::Cancel, Self::Agenda];

    const fn word(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Cancel => "cancel",
            Self::Agenda => "agenda",
        }
    }

    /// What an event gives a hint of.
    fn of(event: &Event) -> Option<Self> {
        match event {
            Event::RunCreated(run) => run.hold().is_none().then_some(Self::Work),
            Event::CancelRequested { .. } => Some(Self::Cancel),
            Event::ScheduleSaved { .. } | Event::ScheduleDeleted { .. } => Some(Self::Agenda),
            Event::RunnerRegistered(_)
            | Event::TurnTaken { .. }
            | Event::RunnerStopped { .. }
            | Event::RunClaimed { .. }
            | Event::RunStarted { .. }
            | Event::RunProgressed { .. }
            | Event::LeaseRenewed { .. }
            | Event::RunGivenBack { .. }
            | Event::RunEnded { .. }
            | Event::OccurrenceRecorded(_)
            | Event::RetryChanged { .. }
            | Event::ChainExtended { .. }
            | Event::ScheduleAdvanced { .. }
            | Event::ScheduleRecomputed { .. }
            | Event::ZoneDataAdopted { .. }
            | Event::SettingsSaved { .. }
            | Event::CataloguePublished(_)
            | Event::SchedulerTicked(_)
            | Event::RunPruned { .. }
            | Event::OccurrencePruned { .. } => None,
        }
    }
}

/// Sends the hints of a command's events, each once, with the commit.
pub(crate) async fn send(
    db: &mut PgConnection,
    ledger: Uuid,
    events: &[Event],
) -> Result<(), Failure> {
    let hints: BTreeSet<Hint> = events.iter().filter_map(Hint::of).collect();
    for hint in hints {
        execute!(db, NOTIFY, channel(ledger), hint.word())?;
    }
    Ok(())
}

/// The channel of a ledger: several in one database do not hear each other.
fn channel(ledger: Uuid) -> String {
    format!("horarium_{}", ledger.simple())
}

/// The hints of a ledger, as they come.
#[derive(Debug)]
pub struct Hints {
    listener: PgListener,
}

impl PostgresStore {
    /// Listens for hints, on a connection of its own.
    pub async fn hints(&self) -> Result<Hints, OpenError> {
        let explain = |error: sqlx::Error| self.options.explain(&error.into());
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .connect_with(self.options.connection_for("hints"))
            .await
            .map_err(explain)?;
        let mut listener = PgListener::connect_with(&pool).await.map_err(explain)?;
        listener.listen(&channel(self.ledger)).await.map_err(explain)?;
        Ok(Hints { listener })
    }
}

impl Hints {
    /// Waits for the next hints. All of them when the connection was lost and is there again:
    /// what was sent meanwhile is lost, too.
    pub async fn next(&mut self) -> Result<Vec<Hint>, String> {
        let heard = self.listener.try_recv().await.map_err(|error| error.to_string())?;
        let is_it = |hint: &Hint| heard.as_ref().is_none_or(|heard| heard.payload() == hint.word());
        Ok(Hint::ALL.into_iter().filter(is_it).collect())
    }
}
