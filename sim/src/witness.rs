//! Which facts a handled command bears witness to.

use std::collections::BTreeSet;

use horarium_core::ledger::reply::{Cancelling, Done, HoldAnswer, ReportAnswer, Ticked, Turned};
use horarium_core::ledger::{
    Command, Event, Handled, Ledger, Locked, Refusal, Reply, ReportEvent, Stale, Turn,
};
use horarium_core::run::{
    Cancellation, Cause, Failure, Interruption, Outcome, Run, StatusKind, TriggerKind, Word,
};
use horarium_core::schedule::{Exhausted, Fate, SkipReason};
use horarium_core::words::{RunId, Timestamp};

use crate::facts::{Fact, Facts};

/// What is looked at before the command is handled, for it is gone afterwards.
#[derive(Debug, Default)]
pub struct Before {
    /// Runs whose lease has run out and that the turn wants to renew.
    expired: BTreeSet<RunId>,
    /// True when a queued run that could be claimed is locked.
    passes_over: bool,
}

impl Before {
    /// Looks at what `command` will meet.
    pub fn of(ledger: &Ledger, command: &Command, locked: &Locked, now: Timestamp) -> Self {
        let Command::Turn(turn) = command else {
            return Self::default();
        };
        let expired = turn
            .holding
            .iter()
            .filter(|held| held.renew)
            .filter_map(|held| ledger.rows().runs.get(&held.claim.run))
            .filter(|run| run.hold().is_some_and(|hold| hold.lease_expires_at <= now))
            .map(|run| run.id)
            .collect();
        let passes_over = turn.capacity > 0
            && ledger.queue().any(|run| run.not_before <= now && locked.runs.contains(&run.id));
        Self { expired, passes_over }
    }

    /// Tells what happened.
    pub fn tell(self, ledger: &Ledger, command: &Command, handled: &Handled, facts: &mut Facts) {
        for event in &handled.events {
            self.tell_event(ledger, command, event, facts);
        }
        match (command, &handled.reply) {
            (Command::Turn(turn), Reply::Turned(turned)) => {
                if self.passes_over && turned.granted.is_empty() {
                    facts.see(Fact::ClaimedFewer);
                }
                tell_turn(turn, turned, handled, facts);
            }
            (_, reply) => tell_reply(reply, facts),
        }
    }

    fn tell_event(&self, ledger: &Ledger, command: &Command, event: &Event, facts: &mut Facts) {
        match event {
            Event::LeaseRenewed { run, .. } if self.expired.contains(run) => {
                facts.see(Fact::RenewedAfterExpiry);
            }
            Event::RunGivenBack { .. } => facts.see(Fact::GivenBack),
            Event::RunCreated(run) if run.trigger.kind() == TriggerKind::Cli => {
                facts.see(Fact::ForegroundStarted);
            }
            Event::RunEnded { run, end, .. } => {
                let cancelled = ledger.rows().runs.get(run).is_some_and(|run| run.cancel.is_some());
                tell_end(command, &end.outcome, end.word, cancelled, facts);
            }
            Event::OccurrenceRecorded(occurrence) => tell_fate(&occurrence.fate, facts),
            Event::RunPruned { .. } => facts.see(Fact::Pruned),
            Event::ScheduleAdvanced { worker, .. } => {
                let row = ledger.rows().workers.get(worker);
                let schedule = row.and_then(|row| row.schedule.as_ref());
                let until = row.map_or(Timestamp::EPOCH, |row| row.accounted_until);
                match schedule.and_then(|schedule| schedule.exhausted(until)) {
                    Some(Exhausted::MaxRuns) => facts.see(Fact::MaxRunsReached),
                    Some(Exhausted::Rule) => facts.see(Fact::RuleEnded),
                    Some(Exhausted::Until) | None => {}
                }
            }
            Event::RunnerRegistered(_)
            | Event::TurnTaken { .. }
            | Event::RunnerStopped { .. }
            | Event::RunCreated(_)
            | Event::RunClaimed { .. }
            | Event::RunStarted { .. }
            | Event::RunProgressed { .. }
            | Event::LeaseRenewed { .. }
            | Event::CancelRequested { .. }
            | Event::RetryChanged { .. }
            | Event::ChainExtended { .. }
            | Event::ScheduleRecomputed { .. }
            | Event::ZoneDataAdopted { .. }
            | Event::ScheduleSaved { .. }
            | Event::ScheduleDeleted { .. }
            | Event::SettingsSaved { .. }
            | Event::CataloguePublished(_)
            | Event::SchedulerTicked(_)
            | Event::OccurrencePruned { .. } => {}
        }
        if let (Event::ChainExtended { worker, scheduled_for, .. }, Command::Tick(_)) =
            (event, command)
        {
            let chain = ledger
                .rows()
                .occurrences
                .get(&(worker.clone(), *scheduled_for))
                .and_then(|occurrence| occurrence.chain.as_ref());
            if chain.is_some_and(|chain| chain.attempt.get() == 3) {
                facts.see(Fact::ThirdAttempt);
            }
            let previous = chain
                .and_then(|chain| ledger.rows().runs.get(&chain.last_run))
                .and_then(|run| run.trigger.scheduled()?.retry_of)
                .and_then(|failed| ledger.rows().runs.get(&failed));
            match previous.map(Run::status_kind) {
                Some(StatusKind::Interrupted) => facts.see(Fact::RetriedAfterInterruption),
                Some(_) => facts.see(Fact::RetriedAfterFailure),
                None => {}
            }
        }
    }
}

fn tell_end(command: &Command, outcome: &Outcome, word: Word, cancelled: bool, facts: &mut Facts) {
    let fact = match (outcome, word) {
        (Outcome::Success | Outcome::Failed(_), Word::Runner) if cancelled => {
            Fact::FinishBeatCancel
        }
        (Outcome::Failed(Failure { cause: Cause::Config(_), .. }), _) => Fact::InvalidConfig,
        (Outcome::Failed(Failure { cause: Cause::Timeout, .. }), _) => Fact::TimedOut,
        (Outcome::Interrupted(Interruption::Drain), _) => Fact::Drained,
        (Outcome::Interrupted(Interruption::Lease), _) => Fact::StoppedForLease,
        (Outcome::Interrupted(Interruption::LeaseExpired), _) => Fact::LeaseSwept,
        (Outcome::Interrupted(Interruption::Released(_)), _) => Fact::Released,
        (Outcome::Cancelled(Cancellation::TooLate), _) => Fact::ClosedTooLate,
        (Outcome::Cancelled(Cancellation::Requested), Word::Runner) => Fact::CancelBeatFinish,
        (Outcome::Cancelled(Cancellation::Requested), Word::Store) => match command {
            Command::Turn(_) => Fact::CancelledUnstarted,
            _ => Fact::CancelledQueued,
        },
        (Outcome::Success | Outcome::Failed(_), _) => return,
    };
    facts.see(fact);
}

fn tell_fate(fate: &Fate, facts: &mut Facts) {
    facts.see(match fate {
        Fate::Enqueued => Fact::Enqueued,
        Fate::CaughtUp => Fact::CaughtUp,
        Fate::Missed => Fact::Missed,
        Fate::Skipped(SkipReason::SlotTaken { .. }) => Fact::SkippedSlotTaken,
        Fate::Skipped(SkipReason::RetryOwed { .. }) => Fact::SkippedRetryOwed,
        Fate::Skipped(SkipReason::Edited(_)) => Fact::SkippedEdited,
        Fate::Skipped(SkipReason::Disabled(_)) => Fact::SkippedDisabled,
        Fate::Skipped(SkipReason::Deleted(_)) => Fact::SkippedDeleted,
    });
}

fn tell_turn(turn: &Turn, turned: &Turned, handled: &Handled, facts: &mut Facts) {
    for (report, answer) in turn.reports.iter().zip(&turned.reports) {
        match (&report.event, answer) {
            (_, ReportAnswer::Busy) => facts.see(Fact::BusyReport),
            (_, ReportAnswer::Lost) => facts.see(Fact::ZombieFenced),
            (ReportEvent::Ended(_), ReportAnswer::Done) => {
                let written = handled.events.iter().any(
                    |event| matches!(event, Event::RunEnded { run, .. } if *run == report.claim.run),
                );
                if !written {
                    facts.see(Fact::FinishedTwice);
                }
            }
            (
                ReportEvent::Started { .. }
                | ReportEvent::Progressed { .. }
                | ReportEvent::GivenBack,
                ReportAnswer::Done,
            ) => {}
        }
    }
    for answer in &turned.holding {
        match answer {
            HoldAnswer::Busy => facts.see(Fact::BusyHold),
            HoldAnswer::Lost => facts.see(Fact::HoldLost),
            HoldAnswer::Held { .. } => {}
        }
    }
    for grant in &turned.granted {
        let claimed = handled
            .events
            .iter()
            .any(|event| matches!(event, Event::RunClaimed { run, .. } if *run == grant.claim.run));
        if !claimed {
            facts.see(Fact::HandedOverAgain);
        }
    }
}

fn tell_tick(ticked: &Ticked, facts: &mut Facts) {
    if ticked.more {
        facts.see(Fact::TickReachedLimit);
    }
    let has = |is: fn(&Done) -> bool| ticked.done.iter().any(is);
    let moved = has(|done| matches!(done, Done::ZoneDataAdopted { before: Some(_), .. }));
    if moved && has(|done| matches!(done, Done::Occurred { .. })) {
        facts.see(Fact::ZoneDataMovedWhileDue);
    }
    if has(|done| matches!(done, Done::Recomputed { .. })) {
        facts.see(Fact::Recomputed);
    }
}

fn tell_reply(reply: &Reply, facts: &mut Facts) {
    match reply {
        Reply::Stale(Stale::Number { .. }) => facts.see(Fact::StaleTurn),
        Reply::Swept { more: true, .. } => facts.see(Fact::SweepReachedLimit),
        Reply::Ticked(ticked) => tell_tick(ticked, facts),
        Reply::Refused(Refusal::OlderZoneData { .. }) => facts.see(Fact::OlderZoneDataRefused),
        Reply::Retired => facts.see(Fact::Retired),
        Reply::StillHolding(_) => facts.see(Fact::StillHolding),
        Reply::Cancelling(Cancelling::RetryDropped) => facts.see(Fact::RetryDropped),
        Reply::Refused(Refusal::SlotTaken { .. } | Refusal::NotYours { .. }) => {
            facts.see(Fact::ForegroundRefused);
        }
        Reply::Refused(Refusal::RevisionChanged { .. }) => facts.see(Fact::RevisionChanged),
        Reply::Enqueued(answers) => {
            for answer in answers {
                match answer {
                    Ok(accepted) if accepted.existed => facts.see(Fact::EnqueuedAgain),
                    Err(Refusal::SlotTaken { .. }) => facts.see(Fact::SlotTaken),
                    Ok(_) | Err(_) => {}
                }
            }
        }
        Reply::Stale(Stale::Unknown | Stale::Stopped)
        | Reply::Cancelling(_)
        | Reply::Registered { .. }
        | Reply::Turned(_)
        | Reply::Swept { .. }
        | Reply::Pruned { .. }
        | Reply::Started(_)
        | Reply::Released
        | Reply::ScheduleSaved(_)
        | Reply::ScheduleDeleted { .. }
        | Reply::SettingsSaved { .. }
        | Reply::CataloguePublished { .. }
        | Reply::Refused(_) => {}
    }
}
