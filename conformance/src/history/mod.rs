//! Histories: what many clients asked and heard at the same moment, held against the ledger.
//!
//! Promise: nothing has to be searched. The store's own order of commits, with the rows that each
//! commit wrote, is the *witness*; a pristine ledger is given the commands in that order, and must
//! give the answers that were heard and end with the rows that are there.
//!
//! - A change lies between its command's sending and its answer, and there is at most one.
//! - An answer agrees with some state between what was committed for certain when the command was
//!   sent and what can have been committed when it was answered; and what was written had not been
//!   changed by anybody since that state. So no update is lost, and no answer is older than it may be.
//! - What a turn, a sweep or a tick passes by is a relation: whatever it did not write, another
//!   transaction may have held. What it did write must be what the ledger would write, given that.
//!   A command that had the store to itself passes nothing by.
//! - A batch of wishes is not of one moment: what it says of a run that was there already is true in
//!   some state that the call may have seen.
//! - A command without an answer took place once or not at all; the witness says which.

mod explain;
mod judge;

use std::collections::BTreeSet;

use horarium_core::ledger::{Command, Reply};
use horarium_core::words::{Fence, RunId, RunNumber, RunnerId, Timestamp, WorkerName};

pub use judge::Judged;

/// One command as its sender saw it. A client sends its next command after the answer to the last;
/// one that heard nothing goes on under another name.
#[derive(Debug, Clone)]
pub struct Call {
    /// Who sent it.
    pub client: u32,
    /// What was asked.
    pub command: Command,
    /// What the store's clock showed to this client.
    pub now: Timestamp,
    /// When it was sent, in microseconds of the clock that the witness goes by.
    pub sent: i64,
    /// When it was over for certain, whatever became of the answer.
    pub answered: Option<i64>,
    /// The answer, unless it was lost.
    pub reply: Option<Reply>,
}

/// One commit, as the store recorded it.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Whose.
    pub client: u32,
    /// When, by the same clock as the calls.
    pub at: i64,
    /// The rows that it wrote.
    pub rows: BTreeSet<Row>,
    /// The numbers of the runs that it created.
    pub numbers: BTreeSet<RunNumber>,
    /// The fences of the claims that it made.
    pub fences: BTreeSet<Fence>,
}

/// A row that somebody wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Row {
    /// A runner's.
    Runner(RunnerId),
    /// A worker's.
    Worker(WorkerName),
    /// A worker's slot: a live run came or went.
    Slot(WorkerName),
    /// A run's, live or finished.
    Run(RunId),
    /// An occurrence's.
    Occurrence(WorkerName, Timestamp),
}

/// A history that no order of its commands explains.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unexplained(pub(crate) String);

/// What was asked and answered, and what the store recorded of it.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The calls, in any order.
    pub calls: Vec<Call>,
    /// The commits, in their order.
    pub changes: Vec<Change>,
}
