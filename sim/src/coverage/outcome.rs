//! What came of what was asked: looked at when the command was handled.

use horarium_core::ledger::reply::{Cancelling, Done, HoldAnswer, ReportAnswer};
use horarium_core::ledger::{Event, Handled, Locked, Refusal, Reply, Stale};
use horarium_core::schedule::Fate;
use horarium_core::words::{RunId, WorkerName};

use super::before::{Asked, Subject};
use super::cell::{Ask, Outcome};

/// What came of one thing that was asked; none if the command was refused as a whole.
pub(super) fn outcome(asked: &Asked, locked: &Locked, handled: &Handled) -> Option<Outcome> {
    match &asked.of {
        Subject::Command => Some(of_reply(&handled.reply)),
        Subject::Report(place) => match &handled.reply {
            Reply::Turned(turned) => turned.reports.get(*place).map(|answer| match answer {
                ReportAnswer::Done => Outcome::Done,
                ReportAnswer::Lost => Outcome::Lost,
                ReportAnswer::Busy => Outcome::Busy,
            }),
            _ => None,
        },
        Subject::Holding(place) => match &handled.reply {
            Reply::Turned(turned) => turned.holding.get(*place).map(|answer| match answer {
                HoldAnswer::Held { cancel: false, .. } => Outcome::Granted,
                HoldAnswer::Held { cancel: true, .. } => Outcome::ToldToStop,
                HoldAnswer::Lost => Outcome::Lost,
                HoldAnswer::Busy => Outcome::Busy,
            }),
            _ => None,
        },
        Subject::Wish(place) => match &handled.reply {
            Reply::Enqueued(answers) => answers.get(*place).map(|answer| match answer {
                Ok(accepted) if accepted.existed => Outcome::Again,
                Ok(_) => Outcome::Created,
                Err(refusal) => of_refusal(refusal),
            }),
            _ => None,
        },
        Subject::Run(run) => of_run(*run, asked.ask, locked, handled),
        Subject::Worker(worker) => of_worker(worker, asked.ask, locked, handled),
    }
}

fn of_run(id: RunId, ask: Ask, locked: &Locked, handled: &Handled) -> Option<Outcome> {
    if let (Ask::HandOver | Ask::Claim, Reply::Stale(_)) = (ask, &handled.reply) {
        return None;
    }
    if let Reply::Turned(turned) = &handled.reply
        && turned.granted.iter().any(|grant| grant.claim.run == id)
    {
        return Some(Outcome::Granted);
    }
    let ended = handled.events.iter().any(|event| match event {
        Event::RunEnded { run, .. } | Event::RunPruned { run } => *run == id,
        _ => false,
    });
    Some(if ended {
        Outcome::Ended
    } else if locked.runs.contains(&id) {
        Outcome::Busy
    } else {
        Outcome::Left
    })
}

fn of_worker(worker: &WorkerName, ask: Ask, locked: &Locked, handled: &Handled) -> Option<Outcome> {
    let Reply::Ticked(ticked) = &handled.reply else { return None };
    let done = ticked.done.iter().find_map(|done| match (ask, done) {
        (Ask::Retry, Done::Retried { worker: of, .. }) if of == worker => Some(Outcome::Created),
        (Ask::Occur, Done::Occurred { worker: of, fate, .. }) if of == worker => Some(match fate {
            Fate::Enqueued => Outcome::Created,
            Fate::CaughtUp => Outcome::CaughtUp,
            Fate::Missed => Outcome::Missed,
            Fate::Skipped(_) => Outcome::Skipped,
        }),
        _ => None,
    });
    let busy = locked.workers.contains(worker);
    Some(done.unwrap_or(if busy { Outcome::Busy } else { Outcome::Left }))
}

fn of_reply(reply: &Reply) -> Outcome {
    match reply {
        Reply::Registered { turn: 1.. } => Outcome::Again,
        Reply::Registered { turn: 0 }
        | Reply::Turned(_)
        | Reply::Retired
        | Reply::Swept { .. }
        | Reply::Ticked(_)
        | Reply::Pruned { .. }
        | Reply::Enqueued(_)
        | Reply::Released
        | Reply::ScheduleDeleted { existed: true, .. }
        | Reply::SettingsSaved { .. }
        | Reply::CataloguePublished { .. } => Outcome::Done,
        Reply::ScheduleSaved(saved) if saved.changed => Outcome::Done,
        Reply::ScheduleSaved(_)
        | Reply::ScheduleDeleted { existed: false, .. }
        | Reply::Cancelling(Cancelling::AlreadyEnded(_)) => Outcome::Same,
        Reply::Stale(Stale::Unknown | Stale::Stopped) => Outcome::StaleRunner,
        Reply::Stale(Stale::Number { .. }) => Outcome::StaleNumber,
        Reply::StillHolding(_) => Outcome::StillHolding,
        Reply::Started(_) => Outcome::Granted,
        Reply::Cancelling(Cancelling::Cancelled) => Outcome::Ended,
        Reply::Cancelling(Cancelling::Requested) => Outcome::Requested,
        Reply::Cancelling(Cancelling::RetryDropped) => Outcome::RetryDropped,
        Reply::Refused(refusal) => of_refusal(refusal),
    }
}

fn of_refusal(refusal: &Refusal) -> Outcome {
    match refusal {
        Refusal::SlotTaken { .. } => Outcome::SlotTaken,
        Refusal::UnknownHandler { .. }
        | Refusal::InvalidRequest(_)
        | Refusal::ReservedId { .. }
        | Refusal::BatchSize(_)
        | Refusal::FaultyRule(_) => Outcome::Invalid,
        Refusal::OlderZoneData { .. } => Outcome::OlderZoneData,
        Refusal::IdTaken { .. } => Outcome::IdTaken,
        Refusal::NoSuchRun { .. } | Refusal::NoSchedule { .. } => Outcome::Absent,
        Refusal::NotRunning { .. } => Outcome::NotRunning,
        Refusal::ForceNeeded { .. } => Outcome::ForceNeeded,
        Refusal::RevisionChanged { .. } => Outcome::RevisionChanged,
        Refusal::NeverFires(_) => Outcome::NeverFires,
        Refusal::NotYours { .. } => Outcome::NotYours,
    }
}
