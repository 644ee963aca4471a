//! Looking at rows at rest: a database of which nobody watched the steps.

use std::collections::BTreeMap;

use crate::ledger::{OccurrenceKey, Rows};
use crate::run::{Hold, Run, RunStatus};
use crate::schedule::{Fate, Retry};
use crate::words::{Fence, RunId, RunNumber, WorkerName};

use super::runs::may_be_retried;
use super::{Invariant, Violation};

/// Looks at the rows alone and names everything that should not be.
pub fn check(rows: &Rows) -> Vec<Violation> {
    let mut found = Vec::new();
    active_rows(rows, &mut found);
    chains(rows, &mut found);
    fences(rows, &mut found);
    runs(rows, &mut found);
    occurrences(rows, &mut found);
    schedules(rows, &mut found);
    found
}

fn active_rows(rows: &Rows, found: &mut Vec<Violation>) {
    let mut slot: BTreeMap<&WorkerName, RunId> = BTreeMap::new();
    for run in rows.runs.values().filter(|run| run.is_active()) {
        if let Some(other) = slot.insert(&run.worker, run.id) {
            found.push(Violation::of(
                Invariant::OneActiveRow,
                format!("{} has {other} and {}", run.worker, run.id),
            ));
        }
    }
}

fn chains(rows: &Rows, found: &mut Vec<Violation>) {
    let mut attempts: BTreeMap<(OccurrenceKey, u8), RunId> = BTreeMap::new();
    let mut retries: BTreeMap<RunId, RunId> = BTreeMap::new();
    for run in rows.runs.values() {
        let Some(scheduled) = run.trigger.scheduled() else { continue };
        let key = (run.worker.clone(), scheduled.scheduled_for);
        let number = scheduled.attempt.get();
        if let Some(other) = attempts.insert((key.clone(), number), run.id) {
            let invariant =
                if number == 1 { Invariant::NoDoubleEnqueue } else { Invariant::BoundedAttempts };
            found.push(Violation::of(invariant, format!("{key:?} has {other} and {}", run.id)));
        }
        if number > run.retry.max_attempts.get() {
            found.push(Violation::of(
                Invariant::BoundedAttempts,
                format!("{} is attempt {number} of at most {:?}", run.id, run.retry.max_attempts),
            ));
        }
        let Some(before) = scheduled.retry_of else { continue };
        if let Some(other) = retries.insert(before, run.id) {
            found.push(Violation::of(
                Invariant::BoundedAttempts,
                format!("{before} is repeated by {other} and {}", run.id),
            ));
        }
        // The earlier attempt may have been pruned.
        let Some(failed) = rows.runs.get(&before) else { continue };
        if !may_be_retried(failed) {
            found.push(Violation::of(
                Invariant::OnlyScheduledRetried,
                format!("{} repeats {before}, which is {}", run.id, failed.status_kind()),
            ));
        }
        if failed.request != run.request {
            found.push(Violation::of(
                Invariant::RequestIsPinned,
                format!("{} repeats {before} with another request", run.id),
            ));
        }
    }
}

/// A worker's runs follow each other in one slot, so their fences grow with their numbers.
fn fences(rows: &Rows, found: &mut Vec<Violation>) {
    let mut by_worker: BTreeMap<&WorkerName, BTreeMap<RunNumber, Fence>> = BTreeMap::new();
    for run in rows.runs.values() {
        if let Some(hold) = last_hold(run) {
            by_worker.entry(&run.worker).or_default().insert(run.number, hold.fence);
        }
    }
    for (worker, fences) in by_worker {
        let mut last = None;
        for (number, fence) in fences {
            if last.is_some_and(|last| last >= fence) {
                found.push(Violation::of(
                    Invariant::FenceGrows,
                    format!("{worker} has {fence:?} on {number} after {last:?}"),
                ));
            }
            last = Some(fence);
        }
    }
}

fn last_hold(run: &Run) -> Option<&Hold> {
    match &run.status {
        RunStatus::Queued => None,
        RunStatus::Running(hold) => Some(hold),
        RunStatus::Ended(end) => end.hold.as_ref(),
    }
}

fn runs(rows: &Rows, found: &mut Vec<Violation>) {
    for run in rows.runs.values() {
        if last_hold(run).is_some_and(|hold| hold.claimed_at < run.not_before) {
            found.push(Violation::of(
                Invariant::NotBefore,
                format!("{} was claimed before {}", run.id, run.not_before),
            ));
        }
        if let Some(hold) = run.hold() {
            let alive =
                rows.runners.get(&hold.runner).is_some_and(|runner| runner.stopped_at.is_none());
            if !alive {
                found.push(Violation::of(
                    Invariant::NothingLost,
                    format!("{} is held by {}, which is stopped or gone", run.id, hold.runner),
                ));
            }
        }
        let Some(scheduled) = run.trigger.scheduled() else { continue };
        let key = (run.worker.clone(), scheduled.scheduled_for);
        let Some(occurrence) = rows.occurrences.get(&key) else {
            found.push(Violation::of(
                Invariant::NothingLost,
                format!("{} stands for {key:?}, which has no row", run.id),
            ));
            continue;
        };
        let Some(chain) = &occurrence.chain else {
            found.push(Violation::of(
                Invariant::SkipNotQueue,
                format!("{} stands for {key:?}, which is {}", run.id, occurrence.fate),
            ));
            continue;
        };
        let is_last = chain.last_run == run.id;
        let left = scheduled.attempt < run.retry.max_attempts;
        if is_last && left && may_be_retried(run) && chain.retry == Retry::None {
            found.push(Violation::of(
                Invariant::NothingLost,
                format!("{} failed with attempts left, and no retry is owed", run.id),
            ));
        }
    }
}

fn occurrences(rows: &Rows, found: &mut Vec<Violation>) {
    for (key, occurrence) in &rows.occurrences {
        let has_chain = occurrence.chain.is_some();
        let wants_chain = match occurrence.fate {
            Fate::Enqueued | Fate::CaughtUp => true,
            Fate::Skipped(_) | Fate::Missed => false,
        };
        if has_chain != wants_chain {
            found.push(Violation::of(
                Invariant::SkipNotQueue,
                format!("{key:?} is {} and has runs: {has_chain}", occurrence.fate),
            ));
        }
        if let Some(chain) = occurrence.chain.as_ref().filter(|chain| chain.retry.is_owed())
            && !rows.runs.get(&chain.last_run).is_some_and(may_be_retried)
        {
            found.push(Violation::of(
                Invariant::OnlyScheduledRetried,
                format!("{key:?} owes a retry of {}, which must have none", chain.last_run),
            ));
        }
    }
}

fn schedules(rows: &Rows, found: &mut Vec<Violation>) {
    for (name, worker) in &rows.workers {
        let Some(schedule) = &worker.schedule else { continue };
        if let Some(next) = schedule.next {
            if next.at <= worker.accounted_until {
                found.push(Violation::of(
                    Invariant::OneCatchUp,
                    format!("{name} comes next at {}, which is accounted for", next.at),
                ));
            }
            if schedule.plan.until.is_some_and(|until| next.at > until) {
                found.push(Violation::of(
                    Invariant::BoundedSeries,
                    format!("{name} comes next at {}, after its end", next.at),
                ));
            }
        }
        let most = schedule.plan.max_runs.map_or(u32::MAX, std::num::NonZeroU32::get);
        let over = match schedule.next {
            Some(_) => schedule.runs_created >= most,
            None => false,
        };
        if over {
            found.push(Violation::of(
                Invariant::BoundedSeries,
                format!("{name} goes on after {} of {most} runs", schedule.runs_created),
            ));
        }
    }
}
