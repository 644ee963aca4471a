//! Seeded bugs, to show that the harness can fail. They are decorators around what goes into and
//! comes out of the real machines; the machines know nothing of them.
//!
//! A broken store handles a command on a copy, spoils the reply or the events, and lets the real
//! rows evolve by what is left: the events are all that an audit sees of a real store, too.

mod spoil;

use horarium_core::ledger::audit::Invariant;
use horarium_core::ledger::{Command, Handled, Ledger, Locked};
use horarium_core::runner::{CallId, Input};
use horarium_core::words::{Moment, Timestamp};

use crate::breach::Law;

/// A bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// The store takes a finish from whoever sends it.
    FinishWithoutFence,
    /// The store takes turns with old numbers.
    OldTurnsTaken,
    /// The store hands over again without renewing the lease, and answers as if it had.
    HandOverUnrenewed,
    /// The store sweeps leases that still run.
    EarlySweep,
    /// The store answers "held" to who no longer holds.
    LostHoldHeld,
    /// The store grants runs before their time.
    ClaimTooSoon,
    /// The store enqueues an occurrence a second time.
    DoubleEnqueue,
    /// The store owes a retry of a run that was cancelled.
    CancelledRetried,
    /// The store forgets the instant that an edit drops.
    DroppedInstant,
    /// The store goes through all that was missed, one by one.
    CatchUpEach,
    /// The store queues a run behind a taken slot.
    SkipQueued,
    /// The runner counts its deadline from the answer instead of the request.
    DeadlineFromAnswer,
    /// The runner takes any answer for that of its outstanding call.
    AnyAnswerTaken,
    /// The runner reports a job whose group is still alive.
    ReportedAlive,
    /// The guard never looks at its deadlines.
    GuardAsleep,
    /// The runner's shell does not carry out a KILL.
    KillIgnored,
    /// An operator asks again under a new id.
    NewIdForOldWish,
}

impl Sabotage {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::FinishWithoutFence,
        Self::OldTurnsTaken,
        Self::HandOverUnrenewed,
        Self::EarlySweep,
        Self::LostHoldHeld,
        Self::ClaimTooSoon,
        Self::DoubleEnqueue,
        Self::CancelledRetried,
        Self::DroppedInstant,
        Self::CatchUpEach,
        Self::SkipQueued,
        Self::DeadlineFromAnswer,
        Self::AnyAnswerTaken,
        Self::ReportedAlive,
        Self::GuardAsleep,
        Self::KillIgnored,
        Self::NewIdForOldWish,
    ];

    /// The laws of which one must be the first that is seen broken.
    pub const fn laws(self) -> &'static [Law] {
        use Invariant::{
            Fenced, NoDoubleEnqueue, NoOverlap, NotBefore, NothingLost, OneActiveRow, OneCatchUp,
            OnlyScheduledRetried, SkipNotQueue, TerminalIsFinal,
        };
        const fn of<const N: usize>(laws: &'static [Law; N]) -> &'static [Law] {
            laws
        }
        match self {
            Self::FinishWithoutFence => of(&[Law::Invariant(TerminalIsFinal)]),
            Self::EarlySweep | Self::LostHoldHeld | Self::OldTurnsTaken => {
                of(&[Law::Invariant(Fenced)])
            }
            Self::HandOverUnrenewed => of(&[Law::Invariant(NoOverlap), Law::History]),
            Self::DeadlineFromAnswer | Self::ReportedAlive | Self::GuardAsleep => {
                of(&[Law::Invariant(NoOverlap)])
            }
            Self::AnyAnswerTaken => {
                of(&[Law::StartedOnce, Law::ForegroundWord, Law::Invariant(NoOverlap)])
            }
            Self::ClaimTooSoon => of(&[Law::Invariant(NotBefore)]),
            Self::DoubleEnqueue => of(&[Law::Invariant(NoDoubleEnqueue)]),
            Self::CancelledRetried => of(&[Law::Invariant(OnlyScheduledRetried)]),
            Self::DroppedInstant | Self::CatchUpEach => of(&[Law::Invariant(OneCatchUp)]),
            Self::SkipQueued => of(&[Law::Invariant(OneActiveRow), Law::Invariant(SkipNotQueue)]),
            Self::KillIgnored => of(&[Law::Convergence, Law::Invariant(NoOverlap)]),
            Self::NewIdForOldWish => of(&[Law::Invariant(NothingLost)]),
        }
    }

    /// What a runner's machine is told instead of `input`, when its last call was sent then.
    pub fn hear(self, input: Input, last_call: (CallId, Moment), now: Moment) -> Input {
        let (last, sent) = last_call;
        match (self, input) {
            (Self::AnyAnswerTaken, Input::Answered(_, reply)) => Input::Answered(last, reply),
            (Self::DeadlineFromAnswer, Input::Answered(call, mut reply)) if call == last => {
                spoil::prolong(&mut reply, now.since(sent));
                Input::Answered(call, reply)
            }
            (_, input) => input,
        }
    }

    /// Handles a command, wrongly if this bug is the store's.
    pub fn handle(
        self,
        ledger: &mut Ledger,
        now: Timestamp,
        command: &Command,
        locked: &Locked,
    ) -> Handled {
        if let (Self::OldTurnsTaken, Command::Turn(turn)) = (self, command) {
            let renumbered = spoil::renumbered(ledger, turn);
            return ledger.handle_amid(now, &Command::Turn(renumbered), locked);
        }
        let mut copy = ledger.clone();
        let mut handled = copy.handle_amid(now, command, locked);
        spoil::spoil(self, ledger, now, command, &mut handled);
        for event in &handled.events {
            ledger.evolve(event);
        }
        handled
    }
}
