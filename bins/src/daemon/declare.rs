//! Declaring what a catalogue file says before serving it: handlers, then schedules.

use horarium_core::ledger::{Command, Refusal, Reply};
use horarium_core::schedule::Revision;
use horarium_core::store::{ReadError, Reader, Store, StoreError};
use horarium_core::words::{By, Timestamp, WorkerName};

use crate::catalogue_file::{CatalogueFile, FileSchedule};

/// A declaration that the store did not take.
#[derive(Debug, thiserror::Error)]
pub enum DeclareError {
    /// The store refused a schedule.
    #[error("schedule of {worker}: {refusal}")]
    Refused {
        /// Whose.
        worker: WorkerName,
        /// Why.
        refusal: Box<Refusal>,
    },
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The store answered something else than was asked.
    #[error("the store answered {command} with something else")]
    Answer {
        /// What was asked.
        command: &'static str,
    },
}

/// Publishes the handlers and saves the schedules. What is there already is not touched. Answers
/// each schedule with its next instant.
pub async fn declare<S: Store + Reader>(
    store: &S,
    file: &CatalogueFile,
    by: &By,
) -> Result<Vec<(WorkerName, Option<Timestamp>)>, DeclareError> {
    let definitions = file.definitions();
    if !definitions.is_empty() {
        store.submit(&Command::PublishCatalogue { definitions, by: by.clone() }).await?;
    }
    let mut next = Vec::new();
    for (worker, schedule) in &file.schedules {
        next.push((worker.clone(), declare_schedule(store, worker, schedule, by).await?));
    }
    Ok(next)
}

async fn declare_schedule<S: Store + Reader>(
    store: &S,
    worker: &WorkerName,
    schedule: &FileSchedule,
    by: &By,
) -> Result<Option<Timestamp>, DeclareError> {
    let known = store.worker(worker).await?;
    let seen = known.map_or(Revision::NONE, |(row, _)| row.revision);
    let put = Command::PutSchedule {
        worker: worker.clone(),
        seen,
        plan: Box::new(schedule.plan.clone()),
        reset_runs: false,
        by: by.clone(),
    };
    let (revision, next) = saved(worker, store.submit(&put).await?)?;
    let (name, by) = (worker.clone(), by.clone());
    let switch = match schedule.enabled {
        None => return Ok(next),
        Some(true) => Command::EnableSchedule { worker: name, seen: revision, by },
        Some(false) => Command::DisableSchedule { worker: name, seen: revision, by },
    };
    let (_, next) = saved(worker, store.submit(&switch).await?)?;
    Ok(next)
}

fn saved(worker: &WorkerName, reply: Reply) -> Result<(Revision, Option<Timestamp>), DeclareError> {
    match reply {
        Reply::ScheduleSaved(saved) => Ok((saved.revision, saved.next_run_at)),
        Reply::Refused(refusal) => {
            Err(DeclareError::Refused { worker: worker.clone(), refusal: Box::new(refusal) })
        }
        Reply::Registered { .. }
        | Reply::Turned(_)
        | Reply::Stale(_)
        | Reply::Retired
        | Reply::StillHolding(_)
        | Reply::Swept { .. }
        | Reply::Ticked(_)
        | Reply::Pruned { .. }
        | Reply::Enqueued(_)
        | Reply::Started(_)
        | Reply::Cancelling(_)
        | Reply::Released
        | Reply::ScheduleDeleted { .. }
        | Reply::SettingsSaved { .. }
        | Reply::CataloguePublished { .. } => Err(DeclareError::Answer { command: "a schedule" }),
    }
}
