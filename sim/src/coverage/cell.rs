//! The cells: what is asked, of something in which state, and what came of it.

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// A registration, of a runner.
    Register,
    /// A turn as a whole, of a runner.
    Turn,
    /// A report that a claim's job started.
    Started,
    /// A report of its progress.
    Progressed,
    /// A report of its end.
    Ended,
    /// A claim that is given back.
    GiveBack,
    /// A claim that is named and not renewed.
    Hold,
    /// A claim that is to be renewed.
    Renew,
    /// A claim of the runner that its turn does not name.
    HandOver,
    /// The first queued run, by a turn with room.
    Claim,
    /// A retirement, of a runner.
    Retire,
    /// A sweep, of each active run.
    Sweep,
    /// A tick, of each retry that is owed.
    Retry,
    /// A tick, of each schedule.
    Occur,
    /// A prune, of each run.
    Prune,
    /// A wish, of its id or else of its worker's slot.
    Enqueue,
    /// A foreground start, of its id or else of its worker's slot.
    Start,
    /// A cancel, of a run.
    Cancel,
    /// A release without force, of a run.
    Release,
    /// A release by force.
    ForceRelease,
    /// A schedule is saved.
    Put,
    /// A schedule is enabled.
    Enable,
    /// It is disabled.
    Disable,
    /// It is deleted.
    Delete,
}

/// The state of what is asked about, before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// A slot that is free, a run that is not there.
    Nothing,
    /// A run that may be claimed.
    Queued,
    /// One that waits for its time.
    Waiting,
    /// One that may not start any more.
    TooLate,
    /// Held under a lease; for a claim: by who says so.
    Held,
    /// Held, and a cancel is accepted.
    Unwanted,
    /// Held under a lease that has run out.
    Expired,
    /// For a claim: held by somebody else, or under another fence.
    Others,
    /// Ended as a success.
    Success,
    /// Failed, with nothing owed.
    Failed,
    /// Interrupted, with nothing owed.
    Interrupted,
    /// Failed or interrupted, with a retry owed.
    Owed,
    /// Cancelled.
    Cancelled,
    /// For a claim: ended by who says so.
    EndedByIt,
    /// A runner that is not known.
    Unknown,
    /// A runner that works.
    Working,
    /// A runner that has stopped.
    Stopped,
    /// A worker without a schedule.
    Unscheduled,
    /// A schedule that comes later.
    Ahead,
    /// One that is due.
    Due,
    /// One that is disabled.
    Disabled,
    /// One that has ended.
    Exhausted,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It was done before.
    Again,
    /// Nothing changed.
    Same,
    /// A run was created.
    Created,
    /// A run was handed over, or is held.
    Granted,
    /// The runner was told to stop the job.
    ToldToStop,
    /// A run ended.
    Ended,
    /// Whoever asked does not hold it.
    Lost,
    /// Somebody has locked it.
    Busy,
    /// It was left alone.
    Left,
    /// A cancel was written.
    Requested,
    /// A retry was dropped.
    RetryDropped,
    /// A run stands for several instants.
    CaughtUp,
    /// An instant was skipped.
    Skipped,
    /// An instant was missed.
    Missed,
    /// Nothing is left of a series.
    NeverFires,
    /// The runner must start anew: it is unknown or has stopped.
    StaleRunner,
    /// The number was taken.
    StaleNumber,
    /// Something is held.
    StillHolding,
    /// The slot is taken.
    SlotTaken,
    /// The id was used otherwise.
    IdTaken,
    /// The request makes no sense to the handler.
    Invalid,
    /// Who asks has older zone data than the ledger.
    OlderZoneData,
    /// It was changed by another.
    RevisionChanged,
    /// It is not running.
    NotRunning,
    /// It must be forced.
    ForceNeeded,
    /// There is no such thing.
    Absent,
    /// It is held by another.
    NotYours,
}

/// What somebody asked of something in a state, and what came of it.
pub type Cell = (Ask, State, Outcome);
