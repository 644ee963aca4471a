//! The store: one method, a command in, a reply out, so that every call can be recorded,
//! mirrored, delayed, lost or repeated by a decorator of a few lines. Reading for people is a
//! second trait; it decides nothing.

use std::future::Future;

use crate::catalogue::Published;
use crate::ledger::{Command, Leadership, Reply, Runner, Worker};
use crate::run::{Run, StatusKind, TriggerKind};
use crate::schedule::Occurrence;
use crate::words::{Name, RunId, RunNumber, Timestamp, WorkerName};

/// Where commands go.
pub trait Store: Send + Sync {
    /// Handles one command: as a whole, or not at all.
    fn submit(&self, command: &Command) -> impl Future<Output = Result<Reply, StoreError>> + Send;
}

/// A command without an answer. A refusal is an answer and stands in the [`Reply`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Nothing was changed: the command can be sent again as it is.
    #[error("the store did not take the command: {0}")]
    NotTaken(String),
    /// The answer was lost: the command may have been carried out, or be carried out yet.
    #[error(
        "the store's answer was lost, so the command may or may not have been carried out: {0}"
    )]
    Unknown(String),
}

/// A reading that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The store cannot be reached.
    #[error("the store cannot be read: {0}")]
    Unreachable(String),
    /// A row holds something that no version of this program wrote.
    #[error(
        "a row cannot be understood: {what} in {place}; the store may be damaged, or a newer program wrote it"
    )]
    Corrupt {
        /// Which row.
        place: String,
        /// What is wrong with it.
        what: String,
    },
}

/// Which runs to list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only of this worker.
    pub worker: Option<WorkerName>,
    /// Only of this handler.
    pub handler: Option<Name>,
    /// Only in one of these statuses; empty means any.
    pub statuses: Vec<StatusKind>,
    /// Only with this trigger.
    pub trigger: Option<TriggerKind>,
    /// Only those accepted at or after this.
    pub since: Option<Timestamp>,
    /// Only those with a smaller number, to page on.
    pub before: Option<RunNumber>,
    /// At most so many.
    pub limit: u32,
}

/// How a person names a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunRef {
    /// By its id.
    Id(RunId),
    /// By its short number.
    Number(RunNumber),
}

/// What people look at.
pub trait Reader: Send + Sync {
    /// The store's clock.
    fn now(&self) -> impl Future<Output = Result<Timestamp, ReadError>> + Send;

    /// Runs without their output, newest first.
    fn runs(&self, filter: &RunFilter) -> impl Future<Output = Result<Vec<Run>, ReadError>> + Send;

    /// One run with its output.
    fn run(&self, run: RunRef) -> impl Future<Output = Result<Option<Run>, ReadError>> + Send;

    /// All workers by name, each with the run that has its slot.
    fn workers(
        &self,
    ) -> impl Future<Output = Result<Vec<(WorkerName, Worker, Option<Run>)>, ReadError>> + Send;

    /// One worker.
    fn worker(
        &self,
        worker: &WorkerName,
    ) -> impl Future<Output = Result<Option<(Worker, Option<Run>)>, ReadError>> + Send;

    /// A worker's occurrences, newest first.
    fn occurrences(
        &self,
        worker: &WorkerName,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<Occurrence>, ReadError>> + Send;

    /// The registry, the last seen first.
    fn runners(&self) -> impl Future<Output = Result<Vec<Runner>, ReadError>> + Send;

    /// Every definition, by handler, the newest of each last.
    fn catalogue(&self) -> impl Future<Output = Result<Vec<Published>, ReadError>> + Send;

    /// Who ticked last.
    fn leadership(&self) -> impl Future<Output = Result<Option<Leadership>, ReadError>> + Send;
}
