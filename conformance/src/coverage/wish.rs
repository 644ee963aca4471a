//! Outcomes of what people and programs ask for: runs, and their end.

use horarium_core::catalogue::RequestError;
use horarium_core::ledger::event::Event;
use horarium_core::ledger::reply::{Accepted, Cancelling};
use horarium_core::ledger::{Refusal, Reply};
use horarium_core::run::{Cancellation, Interruption, Outcome, StatusKind};

use super::{FOREIGN_ANSWER, stale};

pub(super) fn enqueued(reply: &Reply, events: &[Event], names: &mut Vec<&'static str>) {
    match reply {
        Reply::Enqueued(answers) => {
            names.extend(answers.iter().map(|answer| match answer {
                Ok(accepted) => item_accepted(accepted),
                Err(refusal) => item_refused(refusal),
            }));
            names.extend(events.iter().filter_map(swept_on_the_way));
        }
        Reply::Refused(Refusal::BatchSize(0)) => names.push("enqueue: no item"),
        Reply::Refused(Refusal::BatchSize(_)) => names.push("enqueue: too many items"),
        _ => names.push(FOREIGN_ANSWER),
    }
}

fn item_accepted(accepted: &Accepted) -> &'static str {
    match (accepted.existed, accepted.status) {
        (false, _) => "enqueue: accepted",
        (true, StatusKind::Queued) => "enqueue: existed, queued",
        (true, StatusKind::Running) => "enqueue: existed, running",
        (true, StatusKind::Success) => "enqueue: existed, success",
        (true, StatusKind::Failed) => "enqueue: existed, failed",
        (true, StatusKind::Interrupted) => "enqueue: existed, interrupted",
        (true, StatusKind::Cancelled) => "enqueue: existed, cancelled",
    }
}

fn item_refused(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::SlotTaken { status: StatusKind::Running, .. } => "enqueue: slot taken, running",
        Refusal::SlotTaken { not_before: Some(_), .. } => "enqueue: slot taken, not yet due",
        Refusal::SlotTaken { .. } => "enqueue: slot taken, due",
        Refusal::UnknownHandler { .. } => "enqueue: unknown handler",
        Refusal::InvalidRequest(RequestError::UnknownPreset { .. }) => "enqueue: unknown preset",
        Refusal::InvalidRequest(RequestError::UnknownEngine { .. }) => "enqueue: unknown engine",
        Refusal::IdTaken { .. } => "enqueue: id taken",
        Refusal::ReservedId { .. } => "enqueue: reserved id",
        Refusal::BatchSize(_)
        | Refusal::NoSuchRun { .. }
        | Refusal::NotRunning { .. }
        | Refusal::ForceNeeded { .. }
        | Refusal::NoSchedule { .. }
        | Refusal::RevisionChanged { .. }
        | Refusal::NeverFires(_)
        | Refusal::FaultyRule(_)
        | Refusal::OlderZoneData { .. }
        | Refusal::NotYours { .. } => FOREIGN_ANSWER,
    }
}

/// Enqueue sweeps its own worker first.
fn swept_on_the_way(event: &Event) -> Option<&'static str> {
    let Event::RunEnded { end, .. } = event else {
        return None;
    };
    match end.outcome {
        Outcome::Interrupted(Interruption::LeaseExpired) => Some("enqueue: swept an expired lease"),
        Outcome::Cancelled(Cancellation::TooLate) => Some("enqueue: swept a run too late"),
        Outcome::Success
        | Outcome::Failed(_)
        | Outcome::Interrupted(_)
        | Outcome::Cancelled(Cancellation::Requested) => None,
    }
}

pub(super) fn started(reply: &Reply, events: &[Event]) -> &'static str {
    match reply {
        Reply::Started(_) if events.is_empty() => "foreground: started already",
        Reply::Started(_) => "foreground: started",
        Reply::Stale(why) => {
            stale(*why, ["foreground: unknown", "foreground: stopped", "foreground: old number"])
        }
        Reply::Refused(refusal) => match refusal {
            Refusal::SlotTaken { .. } => "foreground: slot taken",
            Refusal::UnknownHandler { .. } => "foreground: unknown handler",
            Refusal::InvalidRequest(_) => "foreground: invalid request",
            Refusal::IdTaken { .. } => "foreground: id taken",
            Refusal::ReservedId { .. } => "foreground: reserved id",
            Refusal::NotYours { status: StatusKind::Running, .. } => "foreground: held by another",
            Refusal::NotYours { status: StatusKind::Queued, .. } => "foreground: given back",
            Refusal::NotYours { .. } => "foreground: ended",
            Refusal::NoSuchRun { .. } => "foreground: no such run",
            Refusal::BatchSize(_)
            | Refusal::NotRunning { .. }
            | Refusal::ForceNeeded { .. }
            | Refusal::NoSchedule { .. }
            | Refusal::RevisionChanged { .. }
            | Refusal::NeverFires(_)
            | Refusal::OlderZoneData { .. }
            | Refusal::FaultyRule(_) => FOREIGN_ANSWER,
        },
        _ => FOREIGN_ANSWER,
    }
}

pub(super) fn cancelled(reply: &Reply, events: &[Event]) -> &'static str {
    match reply {
        Reply::Cancelling(Cancelling::Cancelled) => "cancel: cancelled",
        Reply::Cancelling(Cancelling::Requested) if events.is_empty() => {
            "cancel: requested already"
        }
        Reply::Cancelling(Cancelling::Requested) => "cancel: requested",
        Reply::Cancelling(Cancelling::RetryDropped) => "cancel: retry dropped",
        Reply::Cancelling(Cancelling::AlreadyEnded(status)) => match status {
            StatusKind::Success => "cancel: ended already, success",
            StatusKind::Failed => "cancel: ended already, failed",
            StatusKind::Interrupted => "cancel: ended already, interrupted",
            StatusKind::Cancelled => "cancel: ended already, cancelled",
            StatusKind::Queued | StatusKind::Running => FOREIGN_ANSWER,
        },
        Reply::Refused(Refusal::NoSuchRun { .. }) => "cancel: no such run",
        _ => FOREIGN_ANSWER,
    }
}

pub(super) fn released(reply: &Reply, events: &[Event]) -> &'static str {
    match reply {
        Reply::Released if events.is_empty() => "release: released already",
        Reply::Released => "release: released",
        Reply::Refused(Refusal::ForceNeeded { .. }) => "release: force needed",
        Reply::Refused(Refusal::NoSuchRun { .. }) => "release: no such run",
        Reply::Refused(Refusal::NotRunning { status, .. }) => match status {
            StatusKind::Queued => "release: not running, queued",
            StatusKind::Success => "release: not running, success",
            StatusKind::Failed => "release: not running, failed",
            StatusKind::Interrupted => "release: not running, interrupted",
            StatusKind::Cancelled => "release: not running, cancelled",
            StatusKind::Running => FOREIGN_ANSWER,
        },
        _ => FOREIGN_ANSWER,
    }
}
