//! The seeded bugs, each with the systems that had it and the laws of which one must be the first
//! that is seen broken.

use horarium_core::ledger::audit::Invariant::{
    self, BoundedAttempts, BoundedSeries, CountersApart, DatabaseClock, FenceGrows, Fenced,
    NoDoubleEnqueue, NoOverlap, NotBefore, NothingLost, OneActiveRow, OneCatchUp,
    OnlyScheduledRetried, RequestIsPinned, SkipNotQueue, TerminalIsFinal,
};

use crate::breach::Law;

/// Which part is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The store.
    Store,
    /// The runner, or the shell around its machine.
    Runner,
    /// The guard.
    Guard,
    /// The scheduler, or the shell around its machine.
    Scheduler,
    /// A client.
    Operator,
}

/// Shorter to write in the list.
const fn law(invariant: Invariant) -> Law {
    Law::Invariant(invariant)
}

macro_rules! sabotages {
    ($($(#[doc = $doc:literal])+ $name:ident: $side:ident, $seen:literal, [$($law:expr),+];)*) => {
        /// A bug.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Sabotage {
            $($(#[doc = $doc])+ #[doc = ""] #[doc = concat!("Seen in ", $seen, ".")] $name,)*
        }

        impl Sabotage {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What it does.
            pub const fn what(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+),)*
                }
            }

            /// What kind of system had it.
            pub const fn seen_in(self) -> &'static str {
                match self {
                    $(Self::$name => $seen,)*
                }
            }

            /// Which part is broken.
            pub const fn side(self) -> Side {
                match self {
                    $(Self::$name => Side::$side,)*
                }
            }

            /// The laws of which one must be the first that is seen broken.
            pub const fn laws(self) -> &'static [Law] {
                match self {
                    $(Self::$name => const { &[$($law),+] },)*
                }
            }
        }
    };
}

sabotages! {
    // Leases and fences.
    /// The store takes a finish from whoever sends it.
    FinishWithoutFence: Store, "queues whose rescuer and worker both write the end by id alone",
        [law(TerminalIsFinal)];
    /// The store takes progress from whoever sends it.
    ProgressWithoutFence: Store, "queues whose progress column is updated by id alone",
        [law(TerminalIsFinal), law(Fenced)];
    /// The store takes turns with old numbers.
    OldTurnsTaken: Store, "protocols without sequence numbers, where a late request is executed",
        [law(Fenced)];
    /// The store hands over again without renewing the lease, and answers as if it had.
    HandOverUnrenewed: Store, "queues that return a lost claim with its old visibility timeout",
        [law(NoOverlap)];
    /// The store answers a heartbeat and does not write it.
    HeartbeatUnwritten: Store, "job servers that swallow the error of a failed heartbeat",
        [law(NoOverlap)];
    /// The store lets a heartbeat revive a run that it has settled.
    HeartbeatRevives: Store, "queues whose heartbeat sets the status along with the time",
        [law(Fenced)];
    /// The store answers "held" to who no longer holds.
    LostHoldHeld: Store, "queues that renew leases by the run's id alone",
        [law(Fenced)];
    /// The store sweeps leases that still run.
    EarlySweep: Store, "rescuers that trust the host's clock instead of the database's",
        [law(Fenced)];
    /// The store spares what runs out in this very instant: `<` for `<=`.
    EdgeSpared: Store, "reapers with `<` where the lease's end is meant to be included",
        [law(NothingLost)];
    /// A sweep closes all but the last of what ran out, and says that nothing is left.
    SweepSkipsOne: Store, "rescuers that page through their batch by offset",
        [law(NothingLost)];
    /// The store closes an expired run as a success.
    SweepSucceeds: Store, "job servers that complete whatever has no worker any more",
        [law(Fenced)];
    /// A turn claims a run that another runner holds.
    HeldClaimed: Store, "claims that lost their SKIP LOCKED or re-read nothing after a wait",
        [law(Fenced)];
    /// A turn claims more than the runner has room for.
    ClaimedTooMany: Store, "pollers that fetch a full batch whatever is running",
        [Law::Capacity];
    /// The store grants runs before their time.
    ClaimTooSoon: Store, "pollers that compare the due time with the worker's clock",
        [law(NotBefore)];
    /// The store grants runs that it is too late to start.
    ClaimedTooLate: Store, "agents that start an evening job the next morning",
        [law(NotBefore)];
    /// The fence is the runner's own turn number.
    FenceOfRunner: Store, "lock libraries whose token comes from the client",
        [law(FenceGrows)];
    /// A claim's time comes from the runner's clock.
    ClaimByHostClock: Store, "clusters that judge leases by unsynchronised host clocks",
        [law(DatabaseClock)];
    /// A run that is given back still runs, by the row.
    GivenBackRunning: Store, "queues in which a graceful stop leaves the row executing",
        [law(Fenced), law(NothingLost), Law::Convergence];
    /// A run that is given back has used up its attempt.
    GivenBackCharged: Store, "queues that count an attempt at the claim and none at the return",
        [law(Fenced)];
    /// A finish is answered and the slot not given back.
    EndUnwritten: Store, "queues whose finished rows stay executing and block their successors",
        [law(Fenced)];
    /// A runner that registers again starts its numbers anew.
    RegisteredAnew: Store, "registries that upsert a worker by its name",
        [law(Fenced)];
    /// Registering revives a stopped runner.
    StoppedRevived: Store, "registries in which a late registration brings a dead worker back",
        [law(Fenced)];
    /// A runner may retire while the store holds something for it.
    RetiredHolding: Store, "pruned worker rows that hid the jobs they held",
        [law(NothingLost)];

    // Wishes.
    /// A foreground run starts beside the run that has the slot.
    StartedBeside: Store, "manual triggers that ignore the overlap rule of the schedule",
        [law(OneActiveRow)];
    /// A batch is answered accepted although one lost slot has rolled it back.
    EnqueueUnwritten: Store, "asynchronous commits and swallowed errors of bulk inserts",
        [law(NothingLost)];
    /// One lost slot fails the whole batch.
    BatchFails: Store, "unique jobs whose conflict aborts the stager's transaction",
        [law(OneActiveRow)];
    /// A used id is accepted again with another body.
    OtherBodyAccepted: Store, "APIs whose idempotency key is looked up and not compared",
        [law(NothingLost)];
    /// A cancel is answered and not written.
    CancelUnwritten: Store, "queues that cancel by notification alone",
        [law(NothingLost)];
    /// A cancel rewrites a run that has ended.
    CancelRewrites: Store, "queues that set the status of a finished job to cancelled",
        [law(TerminalIsFinal)];
    /// The runner is never told of a cancel.
    CancelUntold: Store, "queues whose running handler never hears of its cancel",
        [law(NothingLost)];
    /// A cancelled run is handed over again and starts.
    CancelledHandedOver: Store, "queues that re-deliver cancelled work after a reconnect",
        [law(NothingLost)];

    // Occurrences.
    /// The store enqueues an occurrence a second time.
    DoubleEnqueue: Store, "clustered triggers without a unique key for schedule and instant",
        [law(NoDoubleEnqueue)];
    /// The series moves on before its run is inserted, and the insert is lost.
    MovedBeforeInsert: Store, "schedulers that save the cursor first and crash in between",
        [law(OneCatchUp)];
    /// The run is inserted and the series does not move on.
    InsertedUnmoved: Store, "schedulers in which skipping an overlap left the schedule stuck",
        [law(NothingLost)];
    /// The store forgets the instant that an edit drops.
    DroppedInstant: Store, "agents whose missed tick leaves no row and no status",
        [law(OneCatchUp)];
    /// The store goes through all that was missed, one by one.
    CatchUpEach: Store, "schedulers that replay hundreds of ticks after a laptop slept",
        [law(OneCatchUp)];
    /// The store queues a run behind a taken slot.
    SkipQueued: Store, "schedules whose runs pile up when the work takes longer than the period",
        [law(OneActiveRow), law(SkipNotQueue)];
    /// A due instant gets a run although a retry is owed.
    OwedIgnored: Store, "unique rules that left out the retry state",
        [law(SkipNotQueue)];
    /// A tick leaves one of several due schedules out, and says that nothing is left.
    DueLeftOut: Store, "schedulers that never triggered a part of a hundred jobs at one instant",
        [law(NothingLost)];
    /// A disabled schedule has a next instant.
    DisabledFires: Store, "panels in which a paused schedule went on firing",
        [law(OneCatchUp)];
    /// A deletion drops the retry that is owed.
    DeleteDropsRetry: Store, "schedulers that cascade a deletion to the job's retries",
        [law(NothingLost)];
    /// Runs are not counted against `max_runs`.
    MaxRunsUncounted: Store, "schedulers whose repeat count restarts with every save",
        [law(BoundedSeries)];
    /// `until` is not looked at when the series moves on.
    UntilIgnored: Store, "schedulers that check the end date when a schedule is saved only",
        [law(BoundedSeries)];
    /// A schedule's run counts as a pending unit.
    RunsCounted: Store, "panels whose queue figures mix occurrences with work items",
        [law(CountersApart)];
    /// A time that a clock change brings twice fires twice.
    FoldTwice: Store, "cron daemons that ran the nightly backup twice in October",
        [Law::Occurrences, law(NoDoubleEnqueue)];
    /// A scheduler with older zone data leads after one with newer data.
    OlderDataLeads: Store, "clusters in which an old image fires by last year's summer time",
        [Law::Occurrences];
    /// Newer zone data bring back what is accounted for.
    RecomputedFromPast: Store, "calendars that sent yesterday's reminders again after an update",
        [law(OneCatchUp), law(BoundedSeries), Law::Occurrences];
    /// Newer zone data move what is due already, and nobody hears of it.
    RecomputedAlthoughDue: Store, "schedulers that compute all next times anew at every start",
        [law(NothingLost), law(OneCatchUp), Law::Occurrences];
    /// A saved schedule is answered with what was there before.
    StaleRead: Store, "panels that read back from a replica that lags",
        [Law::History];
    /// Saved settings become the schedule's request.
    SettingsSpread: Store, "partial updates that silently changed other fields of the job",
        [law(RequestIsPinned)];

    // Retries.
    /// The store owes a retry of a run that was cancelled.
    CancelledRetried: Store, "queues in which a superseded retry still ran after the cancel",
        [law(OnlyScheduledRetried)];
    /// A chain goes on after its last attempt.
    RetriedBeyond: Store, "time-limited jobs that were re-run although limited to one attempt",
        [law(BoundedAttempts)];
    /// A manual run is tried again.
    ManualRetried: Store, "queues that retry everything by default, against the operator's wish",
        [law(OnlyScheduledRetried)];
    /// A retry carries the request that the schedule has now.
    RetriedOtherwise: Store, "retries that read their arguments from the edited definition",
        [law(RequestIsPinned)];
    /// A retry may start at once.
    RetriedTooSoon: Store, "reconnecting workers that retried without any back-off",
        [law(NotBefore)];
    /// A failure with attempts left is not tried again.
    RetryForgotten: Store, "process supervisors whose killed jobs never see the retry rules",
        [law(NothingLost)];
    /// A retry is created and still owed.
    RetryStillOwed: Store, "stagers that insert the retry and crash before they mark it",
        [law(NoDoubleEnqueue)];

    // Retention and the record.
    /// A prune deletes a run that is not over.
    PrunedAlive: Store, "cleaners that delete by age alone",
        [law(NothingLost)];
    /// A prune deletes a failed run whose retry is owed.
    PrunedOwed: Store, "cleaners that took a chain's head while its tail was to come",
        [law(NothingLost)];
    /// A change is not told as an event.
    EventUntold: Store, "event logs that one code path forgot",
        [Law::Fold, law(Fenced)];

    // The runner and its shell.
    /// The runner counts its deadline from the answer instead of the request.
    DeadlineFromAnswer: Runner, "lock clients that start the lease when the reply arrives",
        [law(NoOverlap)];
    /// The runner takes any answer for that of its outstanding call.
    AnyAnswerTaken: Runner, "clients that match replies by order instead of by number",
        [Law::StartedOnce, Law::ForegroundWord, law(NoOverlap)];
    /// The runner takes silence for consent: what it reported counts as taken.
    SilenceIsConsent: Runner, "workers that ignore a failed acknowledgement",
        [Law::StartedOnce, law(NoOverlap), Law::ForegroundWord];
    /// The runner does not stop a job whose lease cannot be renewed.
    NoSelfFence: Runner, "zombie workers that live on while their heartbeats fail",
        [law(NoOverlap)];
    /// The shell reports a job whose group is still alive.
    ReportedAlive: Runner, "supervisors that watch the leader and not its children",
        [law(NoOverlap)];
    /// The shell reports a job as ended when TERM is sent.
    ReportedAtTerm: Runner, "queues in which work goes on after it was shown as cancelled",
        [law(NoOverlap)];
    /// The shell does not carry out a KILL.
    KillIgnored: Runner, "runtimes that cannot interrupt a handler",
        [Law::Convergence, law(NoOverlap)];
    /// The shell starts a job again that failed.
    JobRestarted: Runner, "process supervisors that restart what exits",
        [Law::StartedOnce];
    /// The shell tells the guard of a job after its start instead of before.
    GuardToldLate: Runner, "supervisors that write the process id after the fork",
        [law(NoOverlap)];
    /// The person in front of a foreground run is told nothing of its end.
    EndUntold: Runner, "command lines that exit before the result is written",
        [Law::ForegroundWord];

    // The guard.
    /// The guard never looks at its deadlines.
    GuardAsleep: Guard, "watchdogs that run in the process they watch",
        [law(NoOverlap)];
    /// The guard ends with its runner and leaves the jobs alone.
    GuardEndsToo: Guard, "workers whose children outlive an out-of-memory kill",
        [law(NoOverlap)];

    // The scheduler and its shell.
    /// The scheduler believes after every tick that more is to do.
    TicksForEver: Scheduler, "cron engines that looped without end at a clock change",
        [Law::WorkBound, Law::StepBudget];
    /// The scheduler stops for good when a call was not answered, and keeps its lock.
    StopsAfterError: Scheduler, "schedulers that swallow an error and stay silent",
        [Law::Convergence];
    /// The scheduler does not notice that it has got the lock.
    LockUnnoticed: Scheduler, "half-dead leaders after an error at their start",
        [Law::Convergence];

    // Clients.
    /// An operator asks again under a new id.
    NewIdForOldWish: Operator, "clients that retry an unknown outcome as a new request",
        [law(NothingLost)];
}
