//! What must hold in the end, on the real file and in the jobs' own marks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use horarium_core::ledger::Rows;
use horarium_core::ledger::audit::check;
use horarium_core::run::{Cause, Failure, Outcome, Run, RunStatus, StatusKind};
use horarium_core::schedule::Occurrence;
use horarium_core::words::{Timestamp, WorkerName};

use crate::daemons::{text_of, with_environment};
use crate::marks::{Execution, executions, parse};
use crate::scene::{EVERY_MINUTE, Scene};
use crate::work::Promises;

/// A minute in microseconds.
const MINUTE: i64 = 60_000_000;

/// What is wrong, by worker; what is nobody's stands under no name.
#[derive(Default)]
pub(crate) struct Verdict(BTreeMap<Option<WorkerName>, Vec<String>>);

impl Verdict {
    fn add(&mut self, worker: Option<&WorkerName>, fault: impl Into<String>) {
        self.0.entry(worker.cloned()).or_default().push(fault.into());
    }

    /// Everything that was seen to go wrong on the way.
    pub(crate) fn add_all(&mut self, faults: impl IntoIterator<Item = String>) {
        for fault in faults {
            self.add(None, fault);
        }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.0.is_empty()
    }

    /// The faults, each worker's with its marks and its rows.
    pub(crate) fn tell(&self, scene: &Scene, rows: &Rows) -> String {
        let mut text = String::new();
        for (worker, faults) in &self.0 {
            let name = worker.as_ref().map_or("in general", |worker| worker.as_str());
            writeln!(text, "\n== {name}").unwrap();
            for fault in faults {
                writeln!(text, "   {fault}").unwrap();
            }
            let Some(worker) = worker else { continue };
            writeln!(text, "-- marks\n{}", text_of(&scene.marks(worker))).unwrap();
            writeln!(text, "-- runs").unwrap();
            let mut runs: Vec<&Run> = runs_of(rows, worker).collect();
            runs.sort_by_key(|run| run.number);
            for run in runs {
                writeln!(text, "{}", tell_run(run)).unwrap();
            }
        }
        text
    }
}

fn runs_of<'a>(rows: &'a Rows, worker: &WorkerName) -> impl Iterator<Item = &'a Run> {
    rows.runs.values().filter(move |run| run.worker == *worker)
}

fn tell_run(run: &Run) -> String {
    let hold = match &run.status {
        RunStatus::Queued => None,
        RunStatus::Running(hold) => Some(hold),
        RunStatus::Ended(end) => end.hold.as_ref(),
    };
    let held = hold.map(|hold| {
        format!(
            "fence {} runner {} claimed {} lease until {}",
            hold.fence.number(),
            hold.runner,
            hold.claimed_at,
            hold.lease_expires_at
        )
    });
    let ended = run.end().map(|end| format!("{} by {:?} at {}", end.outcome, end.word, end.at));
    format!(
        "{:?} {} {} {:?} enqueued {} {} {}",
        run.number,
        run.id,
        run.status_kind(),
        run.trigger.kind(),
        run.enqueued_at,
        held.unwrap_or_default(),
        ended.unwrap_or_default()
    )
}

/// Judges the rows, the marks and what is left of the jobs.
pub(crate) fn judge(scene: &Scene, rows: &Rows, promises: &Promises) -> Verdict {
    let mut verdict = Verdict::default();
    verdict.add_all(check(rows).iter().map(ToString::to_string));
    verdict.add_all(promises.faults.iter().cloned());
    every_run_is_over(rows, promises, &mut verdict);
    for worker in workers_of(rows) {
        marks_agree(scene, rows, &worker, &mut verdict);
    }
    every_instant_is_accounted_for(rows, promises, &mut verdict);
    for process in with_environment(&[&scene.sign_of_a_job()]) {
        let command = text_of(format!("/proc/{}/cmdline", process.pid).as_ref());
        verdict.add(None, format!("a job's process is left: {process:?} {command:?}"));
    }
    verdict
}

fn workers_of(rows: &Rows) -> BTreeSet<WorkerName> {
    rows.runs.values().map(|run| run.worker.clone()).collect()
}

fn every_run_is_over(rows: &Rows, promises: &Promises, verdict: &mut Verdict) {
    for run in rows.runs.values().filter(|run| !run.status_kind().is_terminal()) {
        verdict
            .add(Some(&run.worker), format!("nothing-lost: {} is {}", run.id, run.status_kind()));
    }
    for run in &promises.runs {
        if !rows.runs.contains_key(run) {
            verdict.add(None, format!("nothing-lost: {run} was accepted and is not there"));
        }
    }
    for id in &promises.cancelled {
        let status = rows.runs.get(id).map(Run::status_kind);
        if status != Some(StatusKind::Cancelled) {
            verdict.add(None, format!("terminal-is-final: {id} was cancelled and is {status:?}"));
        }
    }
}

fn marks_agree(scene: &Scene, rows: &Rows, worker: &WorkerName, verdict: &mut Verdict) {
    let marks = match parse(&text_of(&scene.marks(worker))) {
        Ok(marks) => marks,
        Err(fault) => return verdict.add(Some(worker), fault),
    };
    let (executions, faults) = executions(&marks);
    for fault in faults {
        verdict.add(Some(worker), fault);
    }
    for (id, execution) in &executions {
        let fence = rows.runs.get(id).and_then(fence_of);
        if fence != Some(execution.fence) {
            let fault =
                format!("fenced: {id} began under {}, its row has {fence:?}", execution.fence);
            verdict.add(Some(worker), fault);
        }
    }
    for run in runs_of(rows, worker) {
        let ended = executions.get(&run.id).is_some_and(|Execution { ended, .. }| *ended);
        if came_to_its_end(run) && !ended {
            let fault = format!("{} is {} and its job left no end", run.id, run.status_kind());
            verdict.add(Some(worker), fault);
        }
    }
}

fn fence_of(run: &Run) -> Option<u64> {
    run.end()?.hold.as_ref().map(|hold| hold.fence.number())
}

/// True when the row says that the job exited by itself.
fn came_to_its_end(run: &Run) -> bool {
    match run.end().map(|end| &end.outcome) {
        Some(Outcome::Success | Outcome::Failed(Failure { cause: Cause::Exit(_), .. })) => true,
        Some(
            Outcome::Failed(Failure {
                cause:
                    Cause::Signal(_)
                    | Cause::Timeout
                    | Cause::Config(_)
                    | Cause::Spawn(_)
                    | Cause::Handler(_),
                ..
            })
            | Outcome::Interrupted(_)
            | Outcome::Cancelled(_),
        )
        | None => false,
    }
}

fn every_instant_is_accounted_for(rows: &Rows, promises: &Promises, verdict: &mut Verdict) {
    for (worker, at) in &promises.instants {
        if !rows.occurrences.contains_key(&(worker.clone(), *at)) {
            verdict.add(Some(worker), format!("one-catch-up: {at} has no occurrence"));
        }
    }
    for name in EVERY_MINUTE {
        let worker: WorkerName = name.parse().unwrap();
        let Some(row) = rows.workers.get(&worker) else { continue };
        let mine: Vec<&Occurrence> =
            rows.occurrences.values().filter(|occurrence| occurrence.worker == worker).collect();
        let Some(first) = mine.iter().map(|occurrence| occurrence.accounts_from).min() else {
            continue;
        };
        let until = row.accounted_until.micros() / MINUTE;
        for minute in first.micros() / MINUTE..=until {
            let at = Timestamp::from_micros(minute * MINUTE).unwrap();
            let rows = mine.iter().filter(|occurrence| accounts_for(occurrence, at)).count();
            if rows != 1 {
                verdict.add(Some(&worker), format!("one-catch-up: {at} has {rows} occurrences"));
            }
        }
    }
}

fn accounts_for(occurrence: &Occurrence, at: Timestamp) -> bool {
    occurrence.accounts_from <= at && at <= occurrence.recorded_at.max(occurrence.scheduled_for)
}

/// How many runs ended in which status, and how many occurrences had which fate.
pub(crate) fn census(rows: &Rows) -> String {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for run in rows.runs.values() {
        let outcome = run.end().map(|end| end.outcome.to_string()).unwrap_or_default();
        let words = format!("{} {} ({outcome})", run.trigger.kind(), run.status_kind());
        *counts.entry(words).or_default() += 1;
    }
    for occurrence in rows.occurrences.values() {
        *counts.entry(format!("occurrence {}", occurrence.fate.as_str())).or_default() += 1;
    }
    counts.iter().fold(String::new(), |mut text, (what, count)| {
        writeln!(text, "{count:>6}  {what}").unwrap();
        text
    })
}

/// How many runs came to a good end.
pub(crate) fn successes(rows: &Rows) -> usize {
    let is_success = |run: &&Run| run.status_kind() == StatusKind::Success;
    rows.runs.values().filter(is_success).count()
}
