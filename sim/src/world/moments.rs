//! What is under way when a fault strikes.

use horarium_core::ledger::{Command, Event, Handled};
use horarium_core::runner::{self, CallId};
use horarium_core::scheduler;

use crate::clock::Time;
use crate::coverage::{Moment, Moments};
use crate::facts::Fact;

use super::World;
use super::runners::Condition;

/// The call for whose answer a process waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waiting {
    call: CallId,
    moment: Moment,
    /// Since when.
    pub(super) since: Time,
}

impl Waiting {
    /// Who has sent this waits.
    pub(super) const fn after(call: CallId, command: &Command, since: Time) -> Option<Self> {
        let moment = match command {
            Command::Register(_) => Moment::RegistrationOut,
            Command::Turn(_) => Moment::TurnOut,
            Command::Retire { .. } => Moment::RetirementOut,
            Command::StartForeground { .. } => Moment::StartOut,
            Command::Tick(_) => Moment::TickOut,
            Command::Sweep { .. } => Moment::SweepOut,
            _ => return None,
        };
        Some(Self { call, moment, since })
    }

    /// True when a runner that hears this waits no more.
    pub(super) fn ends_by_runner(self, input: &runner::Input) -> bool {
        match input {
            runner::Input::Answered(call, _) | runner::Input::Unanswered(call) => {
                *call == self.call
            }
            _ => false,
        }
    }

    /// True when a scheduler that hears this waits no more.
    pub(super) fn ends_by_scheduler(self, input: &scheduler::Input) -> bool {
        match input {
            scheduler::Input::Answered(call, _) | scheduler::Input::Unanswered(call) => {
                *call == self.call
            }
            _ => false,
        }
    }
}

impl World {
    /// Looks whether a scheduler's tick came when another had settled what was due.
    pub(super) fn watch_ticks(&mut self, scheduler: usize, handled: &Handled) {
        let sent = self.schedulers[scheduler].waiting.map(|waiting| waiting.since);
        if let (Some((other, at)), Some(sent)) = (self.settled, sent)
            && other != scheduler
            && sent <= at
        {
            self.see(Fact::TwoOnOneOccurrence);
        }
        if handled.events.iter().any(|event| matches!(event, Event::OccurrenceRecorded(_))) {
            self.settled = Some((scheduler, self.time));
        }
    }

    /// All that is under way.
    pub(super) fn moments(&self) -> Moments {
        let mut moments = Moments::default();
        let mut note = |is_so: bool, moment: Moment| {
            if is_so {
                moments.add(moment);
            }
        };
        let is_frozen = |condition| matches!(condition, Condition::Frozen { .. });
        for process in self.runners.iter().filter(|it| it.condition != Condition::Gone) {
            if let Some(waiting) = process.waiting {
                note(true, waiting.moment);
            }
            note(process.is_stopping, Moment::Stopping);
            note(is_frozen(process.condition), Moment::SomebodyFrozen);
        }
        let mut leaders = 0_u32;
        for process in self.schedulers.iter().filter(|it| it.condition != Condition::Gone) {
            if let Some(waiting) = process.waiting {
                note(true, waiting.moment);
            }
            note(is_frozen(process.condition), Moment::SomebodyFrozen);
            leaders += u32::from(process.leads());
        }
        note(leaders == 0, Moment::NobodyLeads);
        note(leaders > 1, Moment::TwoLead);
        note(self.bodies.any_alive().is_some(), Moment::JobRunning);
        let now = self.now();
        let ledger = self.store.ledger();
        let first = ledger.running().next().and_then(|run| run.hold());
        note(first.is_some_and(|hold| hold.lease_expires_at <= now), Moment::LeaseExpired);
        note(ledger.owed_retries().next().is_some(), Moment::RetryOwed);
        note(ledger.agenda().next().is_some_and(|(at, _)| at <= now), Moment::InstantDue);
        moments
    }
}
