//! Outcomes of what runners say, of the sweep and of retention.

use horarium_core::ledger::event::Event;
use horarium_core::ledger::reply::{HoldAnswer, ReportAnswer};
use horarium_core::ledger::{Ledger, Registration, Reply, Report, ReportEvent, Turn, Turned};
use horarium_core::run::{Cancellation, Cause, Interruption, Outcome};

use super::{FOREIGN_ANSWER, stale};

pub(super) fn registered(
    registration: &Registration,
    reply: &Reply,
    events: &[Event],
) -> &'static str {
    match reply {
        Reply::Registered { turn: 0 } if !events.is_empty() => {
            let known = registration.catalogue.iter().any(|definition| {
                !events.iter().any(|event| {
                    matches!(event, Event::CataloguePublished(new)
                        if new.definition == *definition)
                })
            });
            if known { "register: new, definition known" } else { "register: new" }
        }
        Reply::Registered { turn: 0 } => "register: known, no turn yet",
        Reply::Registered { .. } => "register: known, with turns",
        Reply::Stale(why) => {
            stale(*why, ["register: unknown", "register: stopped", "register: old number"])
        }
        _ => FOREIGN_ANSWER,
    }
}

pub(super) fn turned(
    before: &Ledger,
    turn: &Turn,
    reply: &Reply,
    events: &[Event],
    names: &mut Vec<&'static str>,
) {
    let turned = match reply {
        Reply::Turned(turned) => turned,
        Reply::Stale(why) => {
            names.push(stale(*why, ["turn: unknown", "turn: stopped", "turn: old number"]));
            return;
        }
        _ => {
            names.push(FOREIGN_ANSWER);
            return;
        }
    };
    for (report, answer) in turn.reports.iter().zip(&turned.reports) {
        names.push(reported(report, *answer, events));
        if let (ReportEvent::Ended(ending), ReportAnswer::Done) = (&report.event, answer) {
            names.push(ended(&ending.outcome));
        }
    }
    for (holding, answer) in turn.holding.iter().zip(&turned.holding) {
        names.push(match answer {
            HoldAnswer::Held { cancel: true, .. } => "turn: hold held, to be cancelled",
            HoldAnswer::Held { .. } if holding.renew => "turn: hold held, renewed",
            HoldAnswer::Held { .. } => "turn: hold held, not renewed",
            HoldAnswer::Lost => "turn: hold lost",
            HoldAnswer::Busy => "turn: hold busy",
        });
    }
    hand_over(before, turn, turned, events, names);
}

fn reported(report: &Report, answer: ReportAnswer, events: &[Event]) -> &'static str {
    let wrote = events.iter().any(|event| match event {
        Event::RunStarted { run, .. }
        | Event::RunEnded { run, .. }
        | Event::RunGivenBack { run } => *run == report.claim.run,
        _ => false,
    });
    match (&report.event, answer) {
        (_, ReportAnswer::Busy) => "turn: report busy",
        (ReportEvent::Started { .. }, ReportAnswer::Done) if wrote => "turn: started done",
        (ReportEvent::Started { .. }, ReportAnswer::Done) => "turn: started done, said again",
        (ReportEvent::Started { .. }, ReportAnswer::Lost) => "turn: started lost",
        (ReportEvent::Progressed { .. }, ReportAnswer::Done) => "turn: progressed done",
        (ReportEvent::Progressed { .. }, ReportAnswer::Lost) => "turn: progressed lost",
        (ReportEvent::Ended(_), ReportAnswer::Done) if wrote => "turn: ended done",
        (ReportEvent::Ended(_), ReportAnswer::Done) => "turn: ended done, said again",
        (ReportEvent::Ended(_), ReportAnswer::Lost) => "turn: ended lost",
        (ReportEvent::GivenBack, ReportAnswer::Done) => {
            let cancelled = events.iter().any(
                |event| matches!(event, Event::RunEnded { run, .. } if *run == report.claim.run),
            );
            if cancelled { "turn: given back done, cancelled" } else { "turn: given back done" }
        }
        (ReportEvent::GivenBack, ReportAnswer::Lost) => "turn: given back lost",
    }
}

fn ended(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "end: success",
        Outcome::Failed(failure) if failure.is_final => "end: failed for good",
        Outcome::Failed(failure) => match failure.cause {
            Cause::Exit(_) => "end: failed by its exit code",
            Cause::Signal(_) => "end: failed by a signal",
            Cause::Timeout => "end: failed by timeout",
            Cause::Config(_) => "end: failed by its config",
            Cause::Spawn(_) => "end: failed to spawn",
            Cause::Handler(_) => "end: failed by its handler's word",
        },
        Outcome::Interrupted(why) => match why {
            Interruption::Drain => "end: interrupted by drain",
            Interruption::Lease => "end: interrupted by its lease",
            Interruption::LeaseExpired => "end: interrupted by an expired lease",
            Interruption::Released(_) => "end: interrupted by release",
        },
        Outcome::Cancelled(Cancellation::Requested) => "end: cancelled on request",
        Outcome::Cancelled(Cancellation::TooLate) => "end: cancelled as too late",
    }
}

/// What was handed over: claimed now, or held before and not named.
fn hand_over(
    before: &Ledger,
    turn: &Turn,
    turned: &Turned,
    events: &[Event],
    names: &mut Vec<&'static str>,
) {
    for grant in &turned.granted {
        let is_held = before
            .rows()
            .runs
            .get(&grant.claim.run)
            .is_some_and(|run| run.is_held_by(turn.runner, grant.claim.fence));
        names.push(match (is_held, grant.settings.is_some()) {
            (true, _) => "turn: handed over again",
            (false, true) => "turn: claimed, with settings",
            (false, false) => "turn: claimed",
        });
    }
    let is_named = |run| {
        turn.reports.iter().any(|report| report.claim.run == run)
            || turn.holding.iter().any(|holding| holding.claim.run == run)
    };
    let cancelled_on_hand_over =
        events.iter().any(|event| matches!(event, Event::RunEnded { run, .. } if !is_named(*run)));
    if cancelled_on_hand_over {
        names.push("turn: cancelled on hand-over");
    }
}

pub(super) fn retired(reply: &Reply, events: &[Event]) -> &'static str {
    match reply {
        Reply::Retired if events.is_empty() => "retire: retired already",
        Reply::Retired => "retire: retired",
        Reply::StillHolding(_) => "retire: still holding",
        Reply::Stale(why) => {
            stale(*why, ["retire: unknown", "retire: stopped", "retire: old number"])
        }
        _ => FOREIGN_ANSWER,
    }
}

pub(super) fn swept(reply: &Reply, names: &mut Vec<&'static str>) {
    let Reply::Swept { interrupted, too_late, more } = reply else {
        names.push(FOREIGN_ANSWER);
        return;
    };
    names.push(match (interrupted, too_late) {
        (0, 0) => "sweep: nothing",
        (_, 0) => "sweep: interrupted",
        (0, _) => "sweep: too late",
        (_, _) => "sweep: interrupted and too late",
    });
    if *more {
        names.push("sweep: more");
    }
}

pub(super) fn pruned(reply: &Reply, names: &mut Vec<&'static str>) {
    let Reply::Pruned { runs, occurrences, more } = reply else {
        names.push(FOREIGN_ANSWER);
        return;
    };
    names.push(match (runs, occurrences) {
        (0, 0) => "prune: nothing",
        (_, 0) => "prune: runs",
        (0, _) => "prune: occurrences",
        (_, _) => "prune: runs and occurrences",
    });
    if *more {
        names.push("prune: more");
    }
}
