//! A broken store. It handles a command on a copy, spoils the reply or the events, and lets the
//! real rows evolve by what is left: the events are all that an audit sees of a real store, too.

mod agenda;
mod claims;
mod leases;
mod retries;
mod runners;
mod wishes;

use horarium_core::ledger::{Command, Event, Handled, Ledger, Locked, Refusal, Reply};
use horarium_core::run::{End, Hold, Outcome, Output, Run, RunStatus, Word};
use horarium_core::words::{RunId, Timestamp};

use super::{Sabotage, Side};

/// What was done to `before`, to be spoiled.
struct Spoiling<'a> {
    before: &'a Ledger,
    now: Timestamp,
    command: &'a Command,
    handled: &'a mut Handled,
}

impl Sabotage {
    /// Handles a command, wrongly if this bug is the store's.
    pub fn handle(
        self,
        ledger: &mut Ledger,
        now: Timestamp,
        command: &Command,
        locked: &Locked,
    ) -> Handled {
        if self.side() != Side::Store {
            return ledger.handle_amid(now, command, locked);
        }
        if let (Self::OldTurnsTaken, Command::Turn(turn)) = (self, command) {
            let renumbered = runners::renumbered(ledger, turn);
            return ledger.handle_amid(now, &Command::Turn(renumbered), locked);
        }
        let mut after = ledger.clone();
        let mut handled = after.handle_amid(now, command, locked);
        if self == Self::EventUntold {
            *ledger = after;
            handled.events.retain(|event| !matches!(event, Event::LeaseRenewed { .. }));
            return handled;
        }
        if let (Self::OlderDataLeads, Command::Tick(_)) = (self, command)
            && let Reply::Refused(Refusal::OlderZoneData { own, .. }) = handled.reply
        {
            ledger.evolve(&Event::ZoneDataAdopted { release: own });
            return ledger.handle_amid(now, command, locked);
        }
        let mut spoiling = Spoiling { before: ledger, now, command, handled: &mut handled };
        spoiling.spoil(self);
        for event in &handled.events {
            ledger.evolve(event);
        }
        handled
    }
}

impl<'a> Spoiling<'a> {
    fn spoil(&mut self, sabotage: Sabotage) {
        match sabotage {
            Sabotage::FinishWithoutFence => self.finish_without_fence(),
            Sabotage::ProgressWithoutFence => self.progress_without_fence(),
            Sabotage::HandOverUnrenewed => self.hand_over_unrenewed(),
            Sabotage::HeartbeatUnwritten => self.heartbeat_unwritten(),
            Sabotage::HeartbeatRevives => self.heartbeat_revives(),
            Sabotage::LostHoldHeld => self.lost_hold_held(),
            Sabotage::EarlySweep => self.early_sweep(),
            Sabotage::EdgeSpared => self.edge_spared(),
            Sabotage::SweepSkipsOne => self.sweep_skips_one(),
            Sabotage::SweepSucceeds => self.sweep_succeeds(),
            Sabotage::HeldClaimed => self.held_claimed(),
            Sabotage::ClaimedTooMany => self.claimed_too_many(),
            Sabotage::ClaimTooSoon => self.claim_too_soon(),
            Sabotage::ClaimedTooLate => self.claimed_too_late(),
            Sabotage::FenceOfRunner => self.fence_of_runner(),
            Sabotage::ClaimByHostClock => self.claim_by_host_clock(),
            Sabotage::GivenBackRunning => self.given_back_running(),
            Sabotage::GivenBackCharged => self.given_back_charged(),
            Sabotage::EndUnwritten => self.end_unwritten(),
            Sabotage::RegisteredAnew => self.registered_again(false),
            Sabotage::StoppedRevived => self.registered_again(true),
            Sabotage::RetiredHolding => self.retired_holding(),
            Sabotage::StartedBeside => self.started_beside(),
            Sabotage::EnqueueUnwritten => self.enqueue_unwritten(),
            Sabotage::BatchFails => self.batch_fails(),
            Sabotage::OtherBodyAccepted => self.other_body_accepted(),
            Sabotage::CancelUnwritten => self.cancel_unwritten(),
            Sabotage::CancelRewrites => self.cancel_rewrites(),
            Sabotage::CancelUntold => self.cancel_untold(),
            Sabotage::CancelledHandedOver => self.cancelled_handed_over(),
            Sabotage::DoubleEnqueue => self.double_enqueue(),
            Sabotage::MovedBeforeInsert => self.moved_before_insert(),
            Sabotage::InsertedUnmoved => self.inserted_unmoved(),
            Sabotage::DroppedInstant => self.dropped_instant(),
            Sabotage::CatchUpEach => self.catch_up_each(),
            Sabotage::SkipQueued => self.skip_queued(),
            Sabotage::OwedIgnored => self.owed_ignored(),
            Sabotage::DueLeftOut => self.due_left_out(),
            Sabotage::DisabledFires => self.disabled_fires(),
            Sabotage::DeleteDropsRetry => self.delete_drops_retry(),
            Sabotage::MaxRunsUncounted => self.max_runs_uncounted(),
            Sabotage::UntilIgnored => self.until_ignored(),
            Sabotage::RunsCounted => self.runs_counted(),
            Sabotage::FoldTwice => self.fold_twice(),
            Sabotage::RecomputedFromPast => self.recomputed_from_past(),
            Sabotage::RecomputedAlthoughDue => self.recomputed_although_due(),
            Sabotage::StaleRead => self.stale_read(),
            Sabotage::SettingsSpread => self.settings_spread(),
            Sabotage::CancelledRetried => self.cancelled_retried(),
            Sabotage::RetriedBeyond => self.retried_beyond(),
            Sabotage::ManualRetried => self.manual_retried(),
            Sabotage::RetriedOtherwise => self.retried_otherwise(),
            Sabotage::RetriedTooSoon => self.retried_too_soon(),
            Sabotage::RetryForgotten => self.retry_forgotten(),
            Sabotage::RetryStillOwed => self.retry_still_owed(),
            Sabotage::PrunedAlive => self.pruned_alive(),
            Sabotage::PrunedOwed => self.pruned_owed(),
            // Done where the command is handled.
            Sabotage::OldTurnsTaken
            | Sabotage::EventUntold
            | Sabotage::OlderDataLeads
            // Not the store's.
            | Sabotage::DeadlineFromAnswer
            | Sabotage::AnyAnswerTaken
            | Sabotage::SilenceIsConsent
            | Sabotage::NoSelfFence
            | Sabotage::ReportedAlive
            | Sabotage::ReportedAtTerm
            | Sabotage::KillIgnored
            | Sabotage::JobRestarted
            | Sabotage::GuardToldLate
            | Sabotage::EndUntold
            | Sabotage::GuardAsleep
            | Sabotage::GuardEndsToo
            | Sabotage::TicksForEver
            | Sabotage::StopsAfterError
            | Sabotage::LockUnnoticed
            | Sabotage::NewIdForOldWish => {}
        }
    }

    fn run(&self, id: RunId) -> Option<&'a Run> {
        self.before.rows().runs.get(&id)
    }

    fn add(&mut self, event: Event) {
        self.handled.events.push(event);
    }

    fn drop_events(&mut self, is: impl Fn(&Event) -> bool) {
        self.handled.events.retain(|event| !is(event));
    }

    /// Ends a run by the store's word or its runner's, without another look.
    fn end(&mut self, id: RunId, outcome: Outcome, word: Word) {
        let hold = self.run(id).and_then(last_hold).cloned();
        let end = End { at: self.now, outcome, word, hold, output: Output::default() };
        self.add(Event::RunEnded { run: id, end: Box::new(end), units: None });
    }
}

/// The hold that a run has or had.
fn last_hold(run: &Run) -> Option<&Hold> {
    match &run.status {
        RunStatus::Queued => None,
        RunStatus::Running(hold) => Some(hold),
        RunStatus::Ended(end) => end.hold.as_ref(),
    }
}

/// An id that no honest run has.
fn forged(run: RunId) -> RunId {
    RunId::from_bytes(run.to_bytes().map(|byte| !byte))
}
