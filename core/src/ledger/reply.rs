//! The replies: one kind for each command, and every expected refusal by name.

use std::fmt;

use crate::catalogue::{CatalogueHash, RequestError, Timeout};
use crate::recurrence::ZoneRelease;
use crate::run::{StatusKind, Trigger};
use crate::schedule::{Exhausted, Fate, Revision};
use crate::words::name::Name;
use crate::words::{Attempt, Fence, Request, RunId, RunNumber, Span, Timestamp, WorkerName};

use super::command::Claim;

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reply {
    /// To a registration.
    Registered {
        /// The last turn number that was taken.
        turn: u64,
    },
    /// To a turn.
    Turned(Turned),
    /// To a turn, a retirement or a foreground start that cannot be: unknown or stopped runner,
    /// or a number that was taken already.
    Stale(Stale),
    /// To a retirement.
    Retired,
    /// To a retirement that came too early: the runner still holds these.
    StillHolding(Vec<Claim>),
    /// To a sweep.
    Swept {
        /// How many runs were closed because their lease had run out.
        interrupted: u32,
        /// How many were closed because they may no longer start.
        too_late: u32,
        /// True when the limit was reached and more may be left.
        more: bool,
    },
    /// To a tick.
    Ticked(Ticked),
    /// To a prune.
    Pruned {
        /// How many runs were deleted.
        runs: u32,
        /// How many occurrences.
        occurrences: u32,
        /// True when the limit was reached and more may be left.
        more: bool,
    },
    /// To an enqueue, one answer an item, in order.
    Enqueued(Vec<Result<Accepted, Refusal>>),
    /// To a foreground start.
    Started(Box<Grant>),
    /// To a cancel.
    Cancelling(Cancelling),
    /// To a release.
    Released,
    /// To a change of a schedule.
    ScheduleSaved(Saved),
    /// To a deletion of a schedule.
    ScheduleDeleted {
        /// True when there was one.
        existed: bool,
        /// The failed run whose retry will still be created.
        retry_owed: Option<RunId>,
    },
    /// To a change of settings.
    SettingsSaved {
        /// The revision now.
        revision: Revision,
    },
    /// To a publication.
    CataloguePublished {
        /// How many entries were new.
        new: u32,
    },
    /// An expected refusal.
    Refused(Refusal),
}

/// Why a runner must start anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stale {
    /// The store does not know it.
    Unknown,
    /// It was stopped.
    Stopped,
    /// This turn number, or a later one, was taken already.
    Number {
        /// The last number that was taken.
        taken: u64,
    },
}

/// The answer to a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Turned {
    /// To each report, in order.
    pub reports: Vec<ReportAnswer>,
    /// To each claim that is held, in order.
    pub holding: Vec<HoldAnswer>,
    /// Runs that are handed over: new ones, and those that an answer lost.
    pub granted: Vec<Grant>,
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReportAnswer {
    /// It is written. A claim that ended or was given back can be forgotten.
    Done,
    /// The runner does not hold the run: nothing was changed; stop the job and forget the claim.
    Lost,
    /// Another transaction has the row: say it again.
    Busy,
}

/// How a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HoldAnswer {
    /// Held.
    Held {
        /// What is left of the lease, on the store's clock.
        remaining: Span,
        /// True when the run is to be cancelled.
        cancel: bool,
    },
    /// The runner does not hold the run: stop the job and forget the claim.
    Lost,
    /// Another transaction has the row: the lease was not renewed.
    Busy,
}

/// A run that is handed over to a runner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Grant {
    /// The run and the fence that was drawn for it.
    pub claim: Claim,
    /// Its number.
    pub number: RunNumber,
    /// Whose slot it takes.
    pub worker: WorkerName,
    /// Why it exists.
    pub trigger: Trigger,
    /// What it is asked to do.
    pub request: Request,
    /// The operator's defaults now.
    pub settings: Option<Request>,
    /// The catalogue entry that it was promised with.
    pub catalogue: CatalogueHash,
    /// How long it may take.
    pub timeout: Timeout,
    /// What is left of the lease, on the store's clock.
    pub remaining: Span,
}

/// The answer to a tick.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Ticked {
    /// What the tick did, in order.
    pub done: Vec<Done>,
    /// How many schedules were computed anew because the zone data are newer.
    pub recomputed: u32,
    /// True when a limit was reached and more may be left.
    pub more: bool,
    /// Time until the next instant at which something can change.
    pub wait: Option<Span>,
}

/// One thing that a tick did.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Done {
    /// The ledger goes by newer zone data from now on.
    ZoneDataAdopted {
        /// Those that it went by.
        before: Option<ZoneRelease>,
        /// The new ones.
        release: ZoneRelease,
    },
    /// New zone data have moved a schedule's next instant.
    Recomputed {
        /// Whose.
        worker: WorkerName,
        /// When it would have fired.
        before: Option<Timestamp>,
        /// When it fires.
        now: Option<Timestamp>,
    },
    /// An owed retry was created.
    Retried {
        /// Whose.
        worker: WorkerName,
        /// The new run.
        run: RunId,
        /// Which attempt.
        attempt: Attempt,
        /// Not before this.
        not_before: Timestamp,
    },
    /// A due instant was accounted for.
    Occurred {
        /// Whose.
        worker: WorkerName,
        /// The instant.
        scheduled_for: Timestamp,
        /// What became of it.
        fate: Fate,
    },
    /// A schedule whose rule is faulty was disabled.
    Poisoned {
        /// Whose.
        worker: WorkerName,
        /// Why.
        why: String,
    },
}

/// An accepted run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Accepted {
    /// Its number.
    pub number: RunNumber,
    /// How far it is: QUEUED for a new one.
    pub status: StatusKind,
    /// True when the run was there already.
    pub existed: bool,
}

/// What became of a cancel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cancelling {
    /// The run had not started and is cancelled.
    Cancelled,
    /// Its runner will be told to stop the job.
    Requested,
    /// The run had failed; the retry that was owed is dropped.
    RetryDropped,
    /// The run had ended; nothing to do.
    AlreadyEnded(StatusKind),
}

/// A saved schedule.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Saved {
    /// The revision now.
    pub revision: Revision,
    /// False when nothing was different.
    pub changed: bool,
    /// When it fires next.
    pub next_run_at: Option<Timestamp>,
    /// Why it fires no more, if it is enabled and that is so.
    pub exhausted: Option<Exhausted>,
    /// The failed run whose retry will still be created.
    pub retry_owed: Option<RunId>,
}

/// An expected refusal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// The slot is taken.
    #[error("worker {worker} has its slot taken by run {number}, which is {status}{}", since(.not_before))]
    SlotTaken {
        /// Whose slot.
        worker: WorkerName,
        /// By which run.
        run: RunId,
        /// Its number.
        number: RunNumber,
        /// How far it is.
        status: StatusKind,
        /// When that run may start, if it still waits for its time.
        not_before: Option<Timestamp>,
    },
    /// The catalogue has no such handler.
    #[error(
        "no handler `{handler}` in the catalogue; start a runner that serves it, or apply a catalogue file"
    )]
    UnknownHandler {
        /// The handler.
        handler: Name,
    },
    /// The handler cannot serve the request.
    #[error(transparent)]
    InvalidRequest(#[from] RequestError),
    /// The id was used for something else.
    #[error("run {run} exists with another body; make a new id for a new run")]
    IdTaken {
        /// The id.
        run: RunId,
    },
    /// The id is of the kind that only the scheduler makes.
    #[error("run id {run} is reserved for scheduled runs: make a UUID of version 7")]
    ReservedId {
        /// The id.
        run: RunId,
    },
    /// More items than a command may have, or none.
    #[error("{0} items: an enqueue has 1 to 1000")]
    BatchSize(usize),
    /// There is no such run.
    #[error("no run {run}; it may have been pruned")]
    NoSuchRun {
        /// The id.
        run: RunId,
    },
    /// The run is not running.
    #[error("run {run} is {status}: only a running one can be released")]
    NotRunning {
        /// The id.
        run: RunId,
        /// How far it is.
        status: StatusKind,
    },
    /// A release must be forced.
    #[error(
        "run {run} is held by a runner whose lease has {remaining} left; releasing it can let two jobs overlap: make sure that the job is gone, then force it"
    )]
    ForceNeeded {
        /// The id.
        run: RunId,
        /// What is left of the lease.
        remaining: Span,
    },
    /// There is no such schedule.
    #[error("worker {worker} has no schedule")]
    NoSchedule {
        /// Whose.
        worker: WorkerName,
    },
    /// Somebody else changed it.
    #[error("it was changed meanwhile: you saw revision {seen}, it is now {now}; look again")]
    RevisionChanged {
        /// What was seen.
        seen: Revision,
        /// What is.
        now: Revision,
    },
    /// The rule and its bounds leave no instant.
    #[error("the schedule would never fire: {0}")]
    NeverFires(Exhausted),
    /// The rule is faulty.
    #[error("the rule `{0}` gave an instant that does not lie ahead; please report it")]
    FaultyRule(String),
    /// The process has older zone data than the ledger goes by.
    #[error(
        "the schedules here are computed with zone data {adopted}, and this process has {own}, which is older: give it {adopted} or newer (update the program or its copy of the zone data, see `--version`) and start it again"
    )]
    OlderZoneData {
        /// The process's.
        own: ZoneRelease,
        /// The ledger's.
        adopted: ZoneRelease,
    },
    /// The foreground run was started by another runner, or is not running any more.
    #[error("run {run} is {status} and not held by this runner")]
    NotYours {
        /// The id.
        run: RunId,
        /// How far it is.
        status: StatusKind,
    },
}

#[allow(clippy::ref_option)] // thiserror hands out references to fields
fn since(not_before: &Option<Timestamp>) -> String {
    not_before.map_or_else(String::new, |at| format!(" and may start at {at}"))
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("the store does not know this runner"),
            Self::Stopped => f.write_str("this runner was stopped"),
            Self::Number { taken } => write!(f, "turn {taken} was taken already"),
        }
    }
}

impl Grant {
    /// The fence.
    pub const fn fence(&self) -> Fence {
        self.claim.fence
    }
}
