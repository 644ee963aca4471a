//! Facts that must each happen somewhere in a batch of worlds: a batch that never meets a lost
//! answer with a claim inside proves nothing about it.

macro_rules! facts {
    ($($(#[$doc:meta])* $fact:ident,)*) => {
        /// Something that happened in a world.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Fact {
            $($(#[$doc])* $fact,)*
        }

        impl Fact {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$fact,)*];
        }
    };
}

facts! {
    /// A request never arrived.
    RequestLost,
    /// A command was carried out and its answer lost.
    AnswerLost,
    /// The lost answer had handed over a run.
    AnswerLostWithClaim,
    /// A turn was carried out after its runner had given it up.
    LateTurn,
    /// A turn number came a second time, or too late.
    StaleTurn,
    /// A run was handed over again after its answer was lost.
    HandedOverAgain,
    /// A run was given back unstarted.
    GivenBack,
    /// A cancelled run ended when it was given back or handed over again.
    CancelledUnstarted,
    /// A runner learnt from its report that a run was no longer its own.
    ZombieFenced,
    /// A runner learnt from its heartbeat that a run was no longer its own.
    HoldLost,
    /// A report met a locked row.
    BusyReport,
    /// A heartbeat met a locked row.
    BusyHold,
    /// A finish was said twice and taken once.
    FinishedTwice,
    /// A running job was cancelled.
    CancelBeatFinish,
    /// A job ended by itself although its cancel had been accepted.
    FinishBeatCancel,
    /// A queued run was cancelled.
    CancelledQueued,
    /// The cancel of a failed run dropped its retry.
    RetryDropped,
    /// A lease ran out and was swept.
    LeaseSwept,
    /// A lease had run out, and its holder renewed it before any sweep.
    RenewedAfterExpiry,
    /// A run was closed because it was too late to start it.
    ClosedTooLate,
    /// A run was retried after it had failed.
    RetriedAfterFailure,
    /// A run was retried after it had been interrupted.
    RetriedAfterInterruption,
    /// A chain reached its third attempt.
    ThirdAttempt,
    /// A due instant got its run.
    Enqueued,
    /// One run stood for several instants.
    CaughtUp,
    /// An instant was skipped because the slot was taken.
    SkippedSlotTaken,
    /// An instant was skipped because a retry was owed.
    SkippedRetryOwed,
    /// An instant was skipped because its schedule was edited.
    SkippedEdited,
    /// An instant was skipped because its schedule was disabled.
    SkippedDisabled,
    /// An instant was skipped because its schedule was deleted.
    SkippedDeleted,
    /// An instant was too long ago.
    Missed,
    /// A series ended at its `max_runs`.
    MaxRunsReached,
    /// A series ended at the end of its rule.
    RuleEnded,
    /// A scheduler without the lock did something in its tick.
    TickWithoutLock,
    /// A wish was refused because the slot was taken.
    SlotTaken,
    /// A change was refused because somebody else had changed it.
    RevisionChanged,
    /// An accepted wish was sent again and answered with the same run.
    EnqueuedAgain,
    /// A run failed because its config was invalid at its start.
    InvalidConfig,
    /// A runner retired.
    Retired,
    /// A runner tried to retire while the store held a run for it.
    StillHolding,
    /// A run was interrupted by a drain.
    Drained,
    /// A job was stopped because its time was up.
    TimedOut,
    /// A runner stopped a job because its lease could not be renewed.
    StoppedForLease,
    /// A guard killed a job at its deadline.
    GuardKilled,
    /// A guard killed the jobs of a runner that had died.
    OrphansKilled,
    /// A job left something behind, and its lease had to run out.
    Abandoned,
    /// A runner was frozen longer than its lease, then went on.
    FrozenPastLease,
    /// A runner died between two things that its machine wanted done.
    CrashedAmid,
    /// A runner's guard died.
    GuardDied,
    /// A run was started in the foreground.
    ForegroundStarted,
    /// A run in the foreground was refused.
    ForegroundRefused,
    /// A person ended a foreground run.
    ForegroundInterrupted,
    /// An operator released a slot by force.
    Released,
    /// The store's clock stepped back.
    ClockSteppedBack,
    /// The store's clock stepped forward.
    ClockSteppedForward,
    /// A claim passed over runs that others had locked.
    ClaimedFewer,
    /// Two schedulers believed to lead.
    TwoLeaders,
    /// A scheduler that stood by took over from one that was gone.
    LeaderTookOver,
    /// Everything was away for days.
    AllAway,
    /// An instant was accounted for in the hours after a change of its zone's clock.
    DueNearClockChange,
    /// A command met a store that refused it.
    StoreRefused,
    /// A command was carried out late, for the store was slow.
    StoreSlow,
    /// A command met a store that was read-only.
    StoreReadOnly,
    /// A restart of the store took a request or an answer with it.
    StoreRestarted,
    /// A command waited for a row that a business transaction held.
    WaitedForRow,
    /// The store was restored from a backup.
    Restored,
    /// All runners died in one instant.
    AllRunnersCrashed,
    /// A runner and its guard were frozen together.
    BothFroze,
    /// A process died again soon after its start.
    CrashedAgain,
    /// A process was asked to stop while a call of it was out.
    ShutdownAmid,
    /// After days away the schedulers came back last.
    SchedulersBackLast,
    /// A tick reached its limit.
    TickReachedLimit,
    /// A sweep reached its limit.
    SweepReachedLimit,
    /// A scheduler's tick came when another had settled what was due when it was sent.
    TwoOnOneOccurrence,
    /// Old rows were pruned.
    Pruned,
    /// A leader brought newer zone data while a schedule was due.
    ZoneDataMovedWhileDue,
    /// Newer zone data moved a schedule's next instant.
    Recomputed,
    /// A process with older zone data was refused.
    OlderZoneDataRefused,
}

/// How often each fact happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts(Vec<u64>);

impl Default for Facts {
    fn default() -> Self {
        Self(vec![0; Fact::ALL.len()])
    }
}

impl Facts {
    /// It happened.
    pub fn see(&mut self, fact: Fact) {
        if let Some(count) = self.0.get_mut(fact as usize) {
            *count += 1;
        }
    }

    /// How often it happened.
    pub fn count(&self, fact: Fact) -> u64 {
        self.0.get(fact as usize).copied().unwrap_or(0)
    }

    /// Counts those of another world too.
    pub fn add(&mut self, others: &Self) {
        for (count, other) in self.0.iter_mut().zip(&others.0) {
            *count += other;
        }
    }

    /// Those that never happened.
    pub fn missing(&self) -> Vec<Fact> {
        Fact::ALL.iter().copied().filter(|fact| self.count(*fact) == 0).collect()
    }
}
