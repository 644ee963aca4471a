//! What people and programs want in the long run: schedules, settings, the catalogue.

use std::num::NonZeroU32;

use horarium_core::ledger::{Command, Ledger};
use horarium_core::recurrence::Recurrence;
use horarium_core::schedule::{Plan, Revision, Schedule};
use horarium_core::words::{Request, Span, Timestamp, WorkerName};

use super::value;
use crate::cast;
use crate::draw::Draw;

pub(super) fn put_schedule(draw: &mut Draw, model: &Ledger, now: Timestamp) -> Command {
    let worker =
        if draw.chance(3) { cast::worker_name(cast::UNKNOWN_HANDLER) } else { cast::worker(draw) };
    let current = model
        .rows()
        .workers
        .get(&worker)
        .and_then(|row| row.schedule.as_ref())
        .map(|schedule| schedule.plan.clone());
    let plan = match (current, draw.weighted(&[60, 20, 20])) {
        (Some(current), 1) => current,
        // The same rule with other bounds keeps its place in the series.
        (Some(current), 2) => Plan { recurrence: current.recurrence, ..plan(draw, now) },
        (Some(_) | None, _) => plan(draw, now),
    };
    Command::PutSchedule {
        seen: seen_schedule(draw, model, &worker),
        worker,
        plan: Box::new(plan),
        reset_runs: draw.chance(20),
        by: cast::by(draw),
    }
}

fn plan(draw: &mut Draw, now: Timestamp) -> Plan {
    let near = |draw: &mut Draw| {
        let away = Span::from_secs(draw.between(0, 240));
        if draw.chance(75) { now.plus(away) } else { now.minus(away) }
    };
    Plan {
        recurrence: recurrence(draw, now),
        request: value::request(draw),
        not_before: draw.chance(15).then(|| near(draw)),
        until: draw.chance(20).then(|| near(draw)),
        max_runs: draw.pick([None, None, NonZeroU32::new(1), NonZeroU32::new(2)]),
        max_lateness: draw.pick([
            None,
            None,
            Some(Span::ZERO),
            Some(Span::from_secs(20)),
            Some(Span::from_secs(90)),
            Some(Span::from_hours(2)),
        ]),
        retry: if draw.chance(60) { Some(cast::retry(draw)) } else { None },
    }
}

fn recurrence(draw: &mut Draw, now: Timestamp) -> Recurrence {
    let zone = cast::written(draw.pick(["UTC", "Europe/Berlin", "Asia/Kolkata"]));
    let soon = now.plus(Span::from_secs(draw.between(1, 120)));
    match draw.weighted(&[40, 20, 10, 5, 15, 10]) {
        0 => cast::cron("* * * * *", zone),
        1 => cast::cron("*/2 * * * *", zone),
        2 => cast::cron("30 * * * *", zone),
        3 => cast::cron("30 2 * * *", zone),
        4 => {
            let rule = draw.pick([
                "FREQ=MINUTELY;COUNT=90",
                "FREQ=MINUTELY;INTERVAL=2;COUNT=400",
                "FREQ=MINUTELY;INTERVAL=3",
            ]);
            cast::rrule(rule, "2026-03-29T01:00:00", zone)
        }
        _ => Recurrence::once(if draw.chance(90) { soon } else { now }, zone),
    }
}

pub(super) fn enable(draw: &mut Draw, model: &Ledger) -> Command {
    let worker = with_schedule(draw, model, |schedule| !schedule.is_enabled());
    Command::EnableSchedule {
        seen: seen_schedule(draw, model, &worker),
        worker,
        by: cast::by(draw),
    }
}

pub(super) fn disable(draw: &mut Draw, model: &Ledger) -> Command {
    let worker = with_schedule(draw, model, Schedule::is_enabled);
    Command::DisableSchedule {
        seen: seen_schedule(draw, model, &worker),
        worker,
        by: cast::by(draw),
    }
}

pub(super) fn delete(draw: &mut Draw, model: &Ledger) -> Command {
    let worker = with_schedule(draw, model, |_| true);
    Command::DeleteSchedule {
        seen: seen_schedule(draw, model, &worker),
        worker,
        by: cast::by(draw),
    }
}

pub(super) fn put_settings(draw: &mut Draw, model: &Ledger) -> Command {
    let worker =
        if draw.chance(5) { cast::worker_name(cast::UNKNOWN_HANDLER) } else { cast::worker(draw) };
    let current = model.rows().workers.get(&worker).and_then(|row| row.settings.as_ref());
    let revision = current.map_or(Revision::NONE, |settings| settings.revision);
    let settings = match current {
        Some(current) if draw.chance(20) => current.request.clone(),
        Some(_) | None if draw.chance(20) => Request::default(),
        Some(_) | None => value::request(draw),
    };
    Command::PutSettings { worker, seen: nearly(draw, revision), settings, by: cast::by(draw) }
}

pub(super) fn publish(draw: &mut Draw) -> Command {
    Command::PublishCatalogue {
        definitions: (0..draw.below(4)).map(|_| cast::definition(draw)).collect(),
        by: cast::by(draw),
    }
}

/// Mostly a worker whose schedule is such, first of all one that owes a retry; else any.
fn with_schedule(
    draw: &mut Draw,
    model: &Ledger,
    is_such: impl Fn(&Schedule) -> bool,
) -> WorkerName {
    let such: Vec<WorkerName> = model
        .rows()
        .workers
        .iter()
        .filter(|(_, row)| row.schedule.as_ref().is_some_and(&is_such))
        .map(|(name, _)| name.clone())
        .collect();
    let owing: Vec<WorkerName> =
        such.iter().filter(|worker| model.owed_retry(worker).is_some()).cloned().collect();
    let choices = if owing.is_empty() || draw.chance(30) { such } else { owing };
    match draw.one(&choices) {
        Some(worker) if draw.chance(90) => worker.clone(),
        Some(_) | None => cast::worker(draw),
    }
}

fn seen_schedule(draw: &mut Draw, model: &Ledger, worker: &WorkerName) -> Revision {
    let revision = model.rows().workers.get(worker).map_or(Revision::NONE, |row| row.revision);
    nearly(draw, revision)
}

/// The revision that is there, or one beside it.
fn nearly(draw: &mut Draw, revision: Revision) -> Revision {
    match draw.weighted(&[86, 7, 7]) {
        0 => revision,
        1 => revision.next(),
        _ => Revision(revision.0.saturating_sub(1)),
    }
}
