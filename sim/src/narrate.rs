//! Events as sentences, for the story of a world.

use horarium_core::ledger::reply::{HoldAnswer, ReportAnswer};
use horarium_core::ledger::{Command, Event, Ledger, Reply};
use horarium_core::run::{Run, TriggerKind};
use horarium_core::schedule::{Fate, Retry};
use horarium_core::words::{RunId, RunnerId, Timestamp};

/// What happened, unless it is only bookkeeping. `ledger` is that after the event; `runner` names
/// a runner.
pub fn event(
    ledger: &Ledger,
    event: &Event,
    runner: impl Fn(RunnerId) -> String,
) -> Option<String> {
    Some(match event {
        Event::RunCreated(run) => created(run),
        Event::RunClaimed { run: id, hold } => {
            format!(
                "{} is handed to {}, until {}",
                run(ledger, *id),
                runner(hold.runner),
                clock(hold.lease_expires_at)
            )
        }
        Event::RunStarted { run: id, .. } => format!("{} has started", run(ledger, *id)),
        Event::RunGivenBack { run: id } => format!("{} is given back", run(ledger, *id)),
        Event::CancelRequested { run: id, .. } => {
            format!("{} is asked to end", run(ledger, *id))
        }
        Event::RunEnded { run: id, end, .. } => {
            let status = end.outcome.status();
            format!("{} ends {status}: {}", run(ledger, *id), end.outcome)
        }
        Event::OccurrenceRecorded(row) => {
            let (worker, at) = (&row.worker, clock(row.scheduled_for));
            match &row.fate {
                Fate::Enqueued => return None,
                Fate::CaughtUp => {
                    format!("one run stands for all instants of {worker} from {at} until now")
                }
                Fate::Skipped(_) | Fate::Missed => format!("{worker} at {at}: {}", row.fate),
            }
        }
        Event::RetryChanged { worker, scheduled_for, retry } => {
            let at = clock(*scheduled_for);
            match retry {
                Retry::None => return None,
                Retry::Owed { .. } => format!("{worker} at {at} is owed a retry"),
                Retry::Dropped { .. } => format!("the retry of {worker} at {at} is dropped"),
            }
        }
        Event::ScheduleSaved { worker, schedule, .. } => {
            format!("{worker} is scheduled by {}", schedule.plan.recurrence.text())
        }
        Event::ScheduleDeleted { worker, .. } => format!("the schedule of {worker} is deleted"),
        Event::RunnerStopped { runner: id, .. } => format!("{} retires", runner(*id)),
        Event::RunnerRegistered(known) => {
            format!("{} registers", runner(known.registration.runner))
        }
        Event::ScheduleRecomputed { worker, next: Some(next), release } => {
            format!("by zone data {release} {worker} comes next at {}", clock(next.at))
        }
        Event::ScheduleRecomputed { worker, next: None, release } => {
            format!("by zone data {release} {worker} comes no more")
        }
        Event::TurnTaken { .. }
        | Event::ZoneDataAdopted { .. }
        | Event::RunProgressed { .. }
        | Event::LeaseRenewed { .. }
        | Event::ChainExtended { .. }
        | Event::ScheduleAdvanced { .. }
        | Event::SettingsSaved { .. }
        | Event::CataloguePublished(_)
        | Event::SchedulerTicked(_)
        | Event::RunPruned { .. }
        | Event::OccurrencePruned { .. } => return None,
    })
}

/// What a runner is told to be no longer its own.
pub fn lost(
    ledger: &Ledger,
    command: &Command,
    reply: &Reply,
    runner: impl Fn(RunnerId) -> String,
) -> Vec<String> {
    let (Command::Turn(turn), Reply::Turned(turned)) = (command, reply) else {
        return Vec::new();
    };
    let reports = turn.reports.iter().zip(&turned.reports);
    let reported = reports
        .filter(|(_, answer)| matches!(answer, ReportAnswer::Lost))
        .map(|(report, _)| report.claim.run);
    let holds = turn.holding.iter().zip(&turned.holding);
    let held = holds
        .filter(|(_, answer)| matches!(answer, HoldAnswer::Lost))
        .map(|(held, _)| held.claim.run);
    let name = runner(turn.runner);
    reported
        .chain(held)
        .map(|id| format!("{name} is told that {} is no longer its own", run(ledger, id)))
        .collect()
}

fn created(run: &Run) -> String {
    let (number, worker) = (run.number, &run.worker);
    match run.trigger.scheduled() {
        Some(scheduled) if scheduled.attempt.get() > 1 => {
            let (attempt, at) = (scheduled.attempt.get(), clock(scheduled.scheduled_for));
            let from = clock(run.not_before);
            format!("run {number} of {worker}: attempt {attempt} for {at}, not before {from}")
        }
        Some(scheduled) => {
            format!("run {number} of {worker} is queued for {}", clock(scheduled.scheduled_for))
        }
        None if run.trigger.kind() == TriggerKind::Cli => {
            format!("run {number} of {worker} starts in the foreground")
        }
        None => format!("run {number} of {worker} is queued on request"),
    }
}

fn run(ledger: &Ledger, id: RunId) -> String {
    match ledger.rows().runs.get(&id) {
        Some(run) => format!("run {} of {}", run.number, run.worker),
        None => String::from("a run"),
    }
}

/// The time of day.
fn clock(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(11..19).unwrap_or(&text).to_owned()
}
