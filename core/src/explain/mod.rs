//! Why a worker runs, or does not, or did, or did not.
//!
//! Promise: one pure function for whoever asks (command line, doctor, a panel, an agent). It says
//! in order what has to be true for the worker's next run to start, what of it is not, since when,
//! and what to do; it says nothing that the rows do not show.
//!
//! `finding` holds the findings and their words, `past` answers for an instant that went by.

mod finding;
mod past;

use crate::ledger::{Leadership, Runner, Worker};
use crate::run::{Hold, Run, RunStatus};
use crate::schedule::{Enablement, Occurrence, Schedule};
use crate::words::{Span, Timestamp, WorkerName};

pub use finding::{Finding, Standing};
pub use past::{At, explain_at};

/// What is due for longer than this was not looked at by any scheduler: they pass every few
/// seconds.
const OVERDUE: Span = Span::from_secs(60);

/// What is known when somebody asks.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The store's clock.
    pub now: Timestamp,
    /// Whose run is asked about.
    pub worker: &'a WorkerName,
    /// Its row.
    pub row: Option<&'a Worker>,
    /// The run that has its slot.
    pub slot: Option<&'a Run>,
    /// Its occurrences that are known still, newest first.
    pub occurrences: &'a [Occurrence],
    /// The registry.
    pub runners: &'a [Runner],
    /// Every run that a runner holds.
    pub held: &'a [Run],
    /// Who ticked last.
    pub leadership: Option<&'a Leadership>,
}

/// What had to be true, in order, up to the first thing that is not.
pub fn explain(scene: &Scene<'_>) -> Vec<Finding> {
    match scene.slot {
        Some(run) => match &run.status {
            RunStatus::Queued => queued(scene, run),
            RunStatus::Running(hold) => running(scene, run, hold),
            // A slot has no ended run.
            RunStatus::Ended(_) => free(scene),
        },
        None => free(scene),
    }
}

/// Of a run that waits in the slot.
fn queued(scene: &Scene<'_>, run: &Run) -> Vec<Finding> {
    let waiting = Finding::Queued { run: run.number, since: run.enqueued_at };
    if let Some(latest) = run.start_before.filter(|latest| *latest < scene.now) {
        return vec![waiting, Finding::TooLate { latest }];
    }
    if run.not_before > scene.now {
        return vec![waiting, Finding::NotBefore { at: run.not_before }];
    }
    let mut said = vec![waiting, Finding::MayStart { since: run.not_before }];
    said.extend(runners(scene, run));
    said
}

/// Whether a runner can take `run`.
fn runners(scene: &Scene<'_>, run: &Run) -> Vec<Finding> {
    let handler = run.worker.handler();
    let serves = |runner: &&Runner| runner.registration.handlers.serves(&handler);
    let capable: Vec<&Runner> = scene.runners.iter().filter(serves).collect();
    let (up, gone): (Vec<&Runner>, Vec<&Runner>) =
        capable.into_iter().partition(|runner| is_up(runner, scene.now));
    if up.is_empty() {
        let last_seen = gone.iter().map(|runner| runner.last_seen).max();
        let others = scene.runners.iter().filter(|runner| is_up(runner, scene.now)).count();
        return vec![Finding::NoRunner { handler, last_seen, others }];
    }
    let mut said = vec![Finding::RunnersUp { handler, count: up.len() }];
    let holds = |runner: &Runner| {
        let is_its =
            |run: &&Run| run.hold().is_some_and(|hold| hold.runner == runner.registration.runner);
        scene.held.iter().filter(is_its).count()
    };
    let has_room = |runner: &&Runner| {
        usize::try_from(runner.registration.concurrency.get())
            .is_ok_and(|most| holds(runner) < most)
    };
    said.push(if up.iter().copied().any(|runner| has_room(&runner)) {
        Finding::RunnerHasRoom
    } else {
        Finding::RunnersFull { count: up.len() }
    });
    said
}

/// A runner is up when it was heard of within its lease: it says something at every heartbeat.
fn is_up(runner: &Runner, now: Timestamp) -> bool {
    runner.stopped_at.is_none() && now.since(runner.last_seen) <= runner.registration.lease
}

/// Of a run that a runner holds.
fn running(scene: &Scene<'_>, run: &Run, hold: &Hold) -> Vec<Finding> {
    let holder = scene.runners.iter().find(|known| known.registration.runner == hold.runner);
    let mut said = vec![Finding::Running {
        run: run.number,
        runner: hold.runner,
        name: holder.map(|known| known.registration.name.clone()),
        since: hold.claimed_at,
        until: hold.lease_expires_at,
    }];
    if let Some(cancel) = &run.cancel {
        said.push(Finding::CancelAsked { at: cancel.at, by: cancel.by.clone() });
    }
    if hold.lease_expires_at <= scene.now {
        said.push(Finding::LeaseRanOut { at: hold.lease_expires_at });
    }
    said
}

/// Of a worker whose slot is free.
fn free(scene: &Scene<'_>) -> Vec<Finding> {
    let mut said = vec![Finding::SlotFree];
    let owed = scene.occurrences.iter().find(|occurrence| occurrence.owes_retry());
    if let Some(owed) = owed {
        said.push(Finding::RetryOwed { scheduled_for: owed.scheduled_for });
        said.push(ticked_since(scene, owed.recorded_at));
        return said;
    }
    let Some(row) = scene.row else {
        said.push(Finding::NothingWanted);
        return said;
    };
    let Some(schedule) = &row.schedule else {
        said.push(Finding::NothingWanted);
        return said;
    };
    said.extend(scheduled(scene, row, schedule));
    said
}

fn scheduled(scene: &Scene<'_>, row: &Worker, schedule: &Schedule) -> Vec<Finding> {
    let mut said = Vec::new();
    match &schedule.enablement {
        Enablement::Disabled { at, by } => {
            said.push(Finding::Disabled { at: *at, by: by.clone() });
            return said;
        }
        Enablement::Enabled => said.push(Finding::Enabled),
    }
    match (schedule.next, schedule.exhausted(row.accounted_until)) {
        (Some(next), _) if next.at > scene.now => said.push(Finding::ComesDue { at: next.at }),
        (Some(next), _) => {
            said.push(Finding::IsDue { since: next.at });
            said.push(ticked_since(scene, next.at));
        }
        (None, Some(why)) => said.push(Finding::Exhausted { why }),
        (None, None) => said.push(Finding::NoInstant),
    }
    said
}

/// Whether a scheduler looked at what is to be done since `due`.
fn ticked_since(scene: &Scene<'_>, due: Timestamp) -> Finding {
    let last_tick = scene.leadership.map(|leadership| leadership.last_tick);
    if scene.now.since(due) <= OVERDUE {
        Finding::NextPass
    } else {
        Finding::NoScheduler { last_tick }
    }
}
