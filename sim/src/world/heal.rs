//! After the storm: the faults stop, a capable runner and a scheduler live, operators are quiet.
//! Within a time that follows from the configuration everything must converge, or the world says
//! in words what did not.

use std::collections::BTreeSet;

use horarium_core::ledger::OccurrenceKey;
use horarium_core::runner::Input;
use horarium_core::scheduler;
use horarium_core::words::{RunId, Span};

use crate::breach::{Breach, Law};
use crate::clock::Time;
use crate::describe;
use crate::profile::Faults;

use super::runners::Condition;
use super::{Happening, World};

/// How often it is looked whether everything has converged.
const LOOK_EVERY: Span = Span::from_secs(2);

/// Where a world stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Phase {
    /// Faults strike.
    Chaos,
    /// What was open when the faults stopped is settled.
    Settling { by: Time, runs: BTreeSet<RunId>, owed: BTreeSet<OccurrenceKey> },
    /// No schedule fires any more; the last chains end.
    Quieting { by: Time },
    /// Every process was asked to stop.
    Stopping { by: Time },
    /// It is over.
    Over,
}

impl Phase {
    /// True when no process starts any more.
    pub(super) const fn is_stopping(&self) -> bool {
        match self {
            Self::Stopping { .. } | Self::Over => true,
            Self::Chaos | Self::Settling { .. } | Self::Quieting { .. } => false,
        }
    }
}

impl World {
    /// The faults stop.
    pub(super) fn heals(&mut self) {
        if self.is_away() {
            self.queue.put(self.away_until.plus(self.profile.chaos), Happening::Heals);
            return;
        }
        self.tell(|| String::from("— the faults stop —"));
        let ledger = self.store.ledger();
        let runs = ledger.queue().chain(ledger.running()).map(|run| run.id).collect();
        let owed =
            ledger.owed_retries().map(|owed| (owed.worker.clone(), owed.scheduled_for)).collect();
        self.phase = Phase::Settling { by: self.time.plus(self.bound()), runs, owed };
        self.profile.faults = Faults::default();
        self.healed = Some(self.time);
        self.outages.end();
        for runner in 0..self.runners.len() {
            self.runner_thaws(runner);
            self.guard_thaws(runner);
        }
        for scheduler in 0..self.schedulers.len() {
            self.scheduler_thaws(scheduler);
        }
        self.older_schedulers_are_replaced();
        for seat in 0..self.profile.seats.len() {
            self.after(Span::from_millis(10), Happening::RunnerStarts { seat });
        }
        self.after(Span::from_millis(10), Happening::SchedulerStarts);
        self.after(LOOK_EVERY, Happening::Looks);
    }

    /// The time within which everything must converge. All that waits for a runner waits at most
    /// for each other worker's job; what a dead runner held waits for its lease; a chain has three
    /// attempts with their delays.
    fn bound(&self) -> Span {
        let seats = &self.profile.seats;
        let lease = seats.iter().map(|seat| seat.lease.timing().lease).max().unwrap_or_default();
        let grace = seats.iter().map(|seat| seat.drain_grace).max().unwrap_or_default();
        let timing = self.profile.scheduler;
        let delay = Span::from_secs(30).times(9).scaled(6, 5);
        let attempt = self.round().plus(delay).plus(timing.poll.times(4));
        let silence = timing.statement_timeout.times(8).plus(lease.times(3)).plus(grace);
        let rest = Self::longest_wait().plus(timing.lock_retry.times(2));
        // A clock that is ahead of its own rows first has to catch up.
        attempt.times(3).plus(silence).plus(rest).plus(self.profile.wild_clock.times(2))
    }

    /// Looks whether everything has converged.
    pub(super) fn looks(&mut self) {
        // A late wish may have enabled a schedule again.
        if matches!(self.phase, Phase::Quieting { .. }) && self.operators.are_quiet() {
            self.disable_all();
        }
        let (by, open) = match &self.phase {
            Phase::Chaos | Phase::Over => return,
            Phase::Settling { by, runs, owed } => (*by, self.unsettled(runs, owed)),
            Phase::Quieting { by } => (*by, self.unquiet()),
            Phase::Stopping { by } => (*by, self.unstopped()),
        };
        if let Some(what) = self.late() {
            self.broke(Breach::new(Law::Convergence, what));
        }
        match open {
            Some(what) if self.time > by => {
                let since = self.bound();
                let what = format!("{since} after the faults stopped, {what}");
                self.broke(Breach::new(Law::Convergence, what));
            }
            Some(_) => self.after(LOOK_EVERY, Happening::Looks),
            None => self.next_phase(),
        }
    }

    fn next_phase(&mut self) {
        let by = self.time.plus(self.bound());
        match self.phase {
            Phase::Chaos | Phase::Over => {}
            Phase::Settling { .. } => {
                self.tell(|| String::from("— settled: schedules are disabled —"));
                self.phase = Phase::Quieting { by };
                self.disable_all();
                self.after(LOOK_EVERY, Happening::Looks);
            }
            Phase::Quieting { .. } => {
                self.tell(|| String::from("— quiet: processes are stopped —"));
                self.phase = Phase::Stopping { by };
                for runner in 0..self.runners.len() {
                    if self.runners[runner].condition != Condition::Gone {
                        let process = &mut self.runners[runner];
                        process.must_retire = true;
                        process.stopped_early = process.is_stopping;
                        self.runner_hears(runner, Input::Shutdown);
                    }
                }
                for scheduler in 0..self.schedulers.len() {
                    self.scheduler_hears(scheduler, scheduler::Input::Shutdown);
                }
                self.after(LOOK_EVERY, Happening::Looks);
            }
            Phase::Stopping { .. } => {
                self.phase = Phase::Over;
                self.judge_accepted();
                let verdict = self.store.check().and_then(|()| self.store.judge(&self.history));
                if let Err(breach) = verdict {
                    self.broke(breach);
                }
            }
        }
    }

    /// What of that which was open when the faults stopped is still open.
    fn unsettled(&self, runs: &BTreeSet<RunId>, owed: &BTreeSet<OccurrenceKey>) -> Option<String> {
        let rows = self.store.ledger().rows();
        let open = runs.iter().filter_map(|id| rows.runs.get(id)).find(|run| run.is_active());
        if let Some(run) = open {
            return Some(format!(
                "{} of {} is {}",
                describe::run(run.id),
                run.worker,
                run.status_kind()
            ));
        }
        let unpaid = owed
            .iter()
            .filter_map(|key| rows.occurrences.get(key))
            .find(|occurrence| occurrence.owes_retry());
        if let Some(occurrence) = unpaid {
            return Some(format!("a retry of {} is owed", occurrence.worker));
        }
        None
    }

    /// What is still going on although no schedule fires any more.
    fn unquiet(&self) -> Option<String> {
        let ledger = self.store.ledger();
        if !self.operators.are_quiet() {
            return Some(String::from("an operator waits for an answer"));
        }
        if let Some((_, worker)) = ledger.agenda().next() {
            return Some(format!("the schedule of {worker} is enabled"));
        }
        if let Some(run) = ledger.queue().chain(ledger.running()).next() {
            return Some(format!(
                "{} of {} is {}",
                describe::run(run.id),
                run.worker,
                run.status_kind()
            ));
        }
        if let Some(occurrence) = ledger.owed_retries().next() {
            return Some(format!("a retry of {} is owed", occurrence.worker));
        }
        let foreground = self
            .runners
            .iter()
            .position(|runner| runner.is_foreground() && runner.condition != Condition::Gone);
        foreground.map(|runner| format!("foreground runner {runner} does not end"))
    }

    /// What has not ended although it was asked to.
    fn unstopped(&self) -> Option<String> {
        if let Some(runner) =
            self.runners.iter().position(|runner| runner.condition != Condition::Gone)
        {
            return Some(format!("runner {runner} has not ended"));
        }
        if let Some(scheduler) =
            self.schedulers.iter().position(|scheduler| scheduler.condition != Condition::Gone)
        {
            return Some(format!("scheduler {scheduler} has not ended"));
        }
        self.bodies.any_alive().map(|claim| format!("job {} lives", describe::claim(claim)))
    }
}
