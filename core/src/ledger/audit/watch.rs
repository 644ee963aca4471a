//! Watching a ledger step by step.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::command::ReportEvent;
use crate::ledger::{Claim, Command, Event, Handled, OccurrenceKey, Rows};
use crate::recurrence::{Wall, ZoneRelease};
use crate::run::{Run, RunStatus};
use crate::schedule::{Plan, Schedule};
use crate::words::{Fence, RunId, RunnerId, Timestamp, WorkerName};

use super::{Found, Invariant, Violation, hold};

/// Watches a ledger step by step, with a memory of its own.
#[derive(Debug, Clone, Default)]
pub struct Audit {
    /// Every run that was seen and not pruned, as its events left it.
    pub(super) runs: BTreeMap<RunId, Run>,
    /// The active run of each worker.
    pub(super) slot: BTreeMap<WorkerName, RunId>,
    /// The largest fence that each worker was ever given.
    pub(super) fences: BTreeMap<WorkerName, Fence>,
    /// The attempt-1 run of each occurrence, pruned ones included.
    pub(super) first_attempts: BTreeMap<OccurrenceKey, RunId>,
    /// Every occurrence that was ever recorded.
    pub(super) occurrences: BTreeSet<OccurrenceKey>,
    /// The runs that were repeated.
    pub(super) retried: BTreeSet<RunId>,
    /// The failed run of each occurrence that owes a retry.
    pub(super) owed: BTreeMap<OccurrenceKey, RunId>,
    /// The last turn of each registered runner; none once it has stopped.
    pub(super) turns: BTreeMap<RunnerId, Option<u64>>,
    /// How far each worker is accounted for.
    pub(super) accounted: BTreeMap<WorkerName, Timestamp>,
    /// Each worker's schedule.
    pub(super) schedules: BTreeMap<WorkerName, Seen>,
    /// The zone data that the ledger goes by.
    pub(super) zone_data: Option<ZoneRelease>,
}

/// What is remembered of a schedule.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) plan: Plan,
    pub(super) runs_created: u32,
    pub(super) next_run_at: Option<Timestamp>,
    pub(super) last_wall: Option<Wall>,
}

impl Seen {
    pub(super) fn of(schedule: &Schedule) -> Self {
        Self {
            plan: schedule.plan.clone(),
            runs_created: schedule.runs_created,
            next_run_at: schedule.next.map(|next| next.at),
            last_wall: schedule.last_wall,
        }
    }
}

/// What belongs to the step that is being looked at.
pub(super) struct Step<'a> {
    pub(super) now: Timestamp,
    pub(super) command: &'a Command,
    /// Runs that ended in this step and owe a retry that is not written yet.
    pub(super) unwritten: BTreeSet<RunId>,
    /// Runs that were created in this step.
    pub(super) created: BTreeSet<RunId>,
    /// Workers whose schedule was settled in this step.
    pub(super) settled: BTreeSet<WorkerName>,
}

impl Step<'_> {
    /// True when the step is a turn of `runner`.
    pub(super) fn is_turn_of(&self, runner: RunnerId) -> bool {
        matches!(self.command, Command::Turn(turn) if turn.runner == runner)
    }

    /// True when the step is a turn that reports such an event about the claim.
    pub(super) fn reports(&self, claim: Claim, is: impl Fn(&ReportEvent) -> bool) -> bool {
        match self.command {
            Command::Turn(turn) => {
                turn.reports.iter().any(|report| report.claim == claim && is(&report.event))
            }
            _ => false,
        }
    }
}

impl Audit {
    /// Watches a ledger that starts with these rows.
    pub fn of(rows: &Rows) -> Self {
        let mut audit = Self { zone_data: rows.zone_data, ..Self::default() };
        for run in rows.runs.values() {
            audit.remember(run);
        }
        for (key, occurrence) in &rows.occurrences {
            audit.occurrences.insert(key.clone());
            if let Some(chain) = occurrence.chain.as_ref().filter(|chain| chain.retry.is_owed()) {
                audit.owed.insert(key.clone(), chain.last_run);
            }
        }
        for (id, runner) in &rows.runners {
            let turn = runner.stopped_at.is_none().then_some(runner.turn);
            audit.turns.insert(*id, turn);
        }
        for (name, worker) in &rows.workers {
            audit.accounted.insert(name.clone(), worker.accounted_until);
            if let Some(schedule) = &worker.schedule {
                audit.schedules.insert(name.clone(), Seen::of(schedule));
            }
        }
        audit
    }

    /// Looks at one handled command. The first violation found is answered.
    pub fn observe(&mut self, now: Timestamp, command: &Command, handled: &Handled) -> Found {
        let mut step = Step {
            now,
            command,
            unwritten: BTreeSet::new(),
            created: BTreeSet::new(),
            settled: BTreeSet::new(),
        };
        for event in &handled.events {
            self.look_at(&mut step, event)?;
        }
        hold(step.unwritten.is_empty(), Invariant::NothingLost, || {
            format!("{:?} failed with attempts left, and no retry is owed", step.unwritten)
        })?;
        self.answered(command, &handled.reply)
    }

    fn look_at(&mut self, step: &mut Step<'_>, event: &Event) -> Found {
        match event {
            Event::RunnerRegistered(runner) => {
                let id = runner.registration.runner;
                hold(!self.turns.contains_key(&id), Invariant::Fenced, || {
                    format!("runner {id} registered twice")
                })?;
                self.turns.insert(id, Some(runner.turn));
                self.is_now(step, runner.registered_at, "registered_at")
            }
            Event::TurnTaken { runner, number, at } => {
                let asked = matches!(step.command, Command::Turn(turn)
                    if turn.runner == *runner && turn.number.get() == *number);
                hold(asked, Invariant::Fenced, || {
                    format!("turn {number} of {runner} was taken, which nobody sent")
                })?;
                self.turn_taken(*runner, *number)?;
                self.is_now(step, *at, "last_seen")
            }
            Event::RunnerStopped { runner, at } => {
                self.runner_stopped(*runner)?;
                self.is_now(step, *at, "stopped_at")
            }
            Event::RunCreated(run) => self.run_created(step, run),
            Event::RunClaimed { run, hold } => self.run_claimed(step, *run, hold),
            Event::RunStarted { run, at, config } => {
                self.run_started(step, *run, config)?;
                self.is_now(step, *at, "started_at")
            }
            Event::RunProgressed { run, units, .. } => self.run_progressed(step, *run, *units),
            Event::LeaseRenewed { run, lease_expires_at } => {
                self.lease_renewed(step, *run, *lease_expires_at)
            }
            Event::RunGivenBack { run } => self.run_given_back(step, *run),
            Event::CancelRequested { run, request } => {
                self.is_now(step, request.at, "cancelled_at")?;
                self.cancel_requested(*run, request)
            }
            Event::RunEnded { run, end, units } => self.run_ended(step, *run, end, *units),
            Event::RunPruned { run } => self.run_pruned(*run),
            Event::OccurrenceRecorded(occurrence) => self.occurrence_recorded(step, occurrence),
            Event::RetryChanged { worker, scheduled_for, retry } => {
                self.retry_changed(step, worker, *scheduled_for, retry)
            }
            Event::ChainExtended { worker, scheduled_for, run } => {
                self.chain_extended(step, worker, *scheduled_for, *run)
            }
            Event::ScheduleAdvanced { worker, advance, release: _ } => {
                self.schedule_advanced(step, worker, advance)
            }
            Event::ScheduleRecomputed { worker, next, .. } => {
                self.schedule_recomputed(step, worker, *next)
            }
            Event::ZoneDataAdopted { release } => self.zone_data_adopted(*release),
            Event::ScheduleSaved { worker, schedule, accounted_until } => {
                self.schedule_saved(step, worker, schedule, *accounted_until)
            }
            Event::ScheduleDeleted { worker, accounted_until, .. } => {
                self.due_is_accounted_for(step, worker)?;
                self.schedules.remove(worker);
                self.account(worker, *accounted_until)
            }
            Event::OccurrencePruned { worker, scheduled_for } => {
                self.occurrence_pruned(worker, *scheduled_for)
            }
            Event::SettingsSaved { at, .. } => self.is_now(step, *at, "changed_at"),
            Event::CataloguePublished(published) => self.is_now(step, published.at, "published"),
            Event::SchedulerTicked(leadership) => {
                self.is_now(step, leadership.last_tick, "last_tick")
            }
        }
    }

    #[allow(clippy::unused_self)] // reads like its siblings
    pub(super) fn is_now(&self, step: &Step<'_>, at: Timestamp, what: &str) -> Found {
        hold(at == step.now, Invariant::DatabaseClock, || {
            format!("{what} is {at} at {} on the store's clock", step.now)
        })
    }

    fn turn_taken(&mut self, runner: RunnerId, number: u64) -> Found {
        match self.turns.get_mut(&runner) {
            Some(Some(last)) if number > *last => {
                *last = number;
                Ok(())
            }
            Some(Some(last)) => Err(Violation::of(
                Invariant::Fenced,
                format!("turn {number} of {runner} was taken after {last}"),
            )),
            Some(None) | None => Err(Violation::of(
                Invariant::Fenced,
                format!("a turn of {runner}, which is stopped or unknown, was taken"),
            )),
        }
    }

    fn runner_stopped(&mut self, runner: RunnerId) -> Found {
        self.turns.insert(runner, None);
        let held = self
            .slot
            .values()
            .filter_map(|run| self.runs.get(run))
            .find(|run| run.hold().is_some_and(|hold| hold.runner == runner));
        hold(held.is_none(), Invariant::NothingLost, || {
            format!("runner {runner} stopped while it held {:?}", held.map(|run| run.id))
        })
    }

    /// Puts a run into the memory.
    pub(super) fn remember(&mut self, run: &Run) {
        let fence = match &run.status {
            RunStatus::Queued => None,
            RunStatus::Running(hold) => Some(hold.fence),
            RunStatus::Ended(end) => end.hold.as_ref().map(|hold| hold.fence),
        };
        if let Some(fence) = fence {
            let last = self.fences.entry(run.worker.clone()).or_insert(fence);
            *last = fence.max(*last);
        }
        if let Some(scheduled) = run.trigger.scheduled() {
            if let Some(failed) = scheduled.retry_of {
                self.retried.insert(failed);
            } else {
                let key = (run.worker.clone(), scheduled.scheduled_for);
                self.first_attempts.insert(key, run.id);
            }
        }
        if run.is_active() {
            self.slot.insert(run.worker.clone(), run.id);
        }
        self.runs.insert(run.id, run.clone());
    }
}
