//! Outcomes of the tick, and of changes to schedules, settings and the catalogue.

use horarium_core::ledger::event::Event;
use horarium_core::ledger::reply::{Done, Saved};
use horarium_core::ledger::{Ledger, Refusal, Reply};
use horarium_core::run::StatusKind;
use horarium_core::schedule::{Exhausted, Fate, SkipReason};

use super::FOREIGN_ANSWER;

pub(super) fn ticked(
    before: &Ledger,
    reply: &Reply,
    events: &[Event],
    names: &mut Vec<&'static str>,
) {
    let ticked = match reply {
        Reply::Ticked(ticked) => ticked,
        Reply::Refused(Refusal::OlderZoneData { .. }) => {
            names.push("tick: older zone data");
            return;
        }
        _ => {
            names.push(FOREIGN_ANSWER);
            return;
        }
    };
    if ticked.recomputed > 0 {
        names.push("tick: computed anew");
    }
    names.extend(ticked.done.iter().map(done));
    if ticked.done.is_empty() {
        names.push("tick: nothing");
    }
    if ticked.more {
        names.push("tick: more");
    }
    names.push(if ticked.wait.is_some() { "tick: wait" } else { "tick: no next instant" });
    let led = before.rows().leadership.as_ref().map(|leader| leader.scheduler);
    for event in events {
        match event {
            Event::SchedulerTicked(leader) => names.push(match led {
                None => "tick: first leader",
                Some(known) if known == leader.scheduler => "tick: same leader",
                Some(_) => "tick: another leader",
            }),
            Event::RunCreated(run) if run.start_before.is_some() => {
                names.push("tick: run with a latest start");
            }
            Event::ScheduleAdvanced { advance, .. } if advance.next.is_none() => {
                names.push("tick: series ended");
            }
            _ => {}
        }
    }
    let recorded = |event: &&Event| matches!(event, Event::OccurrenceRecorded(_));
    let advanced = |event: &&Event| matches!(event, Event::ScheduleAdvanced { .. });
    let (recorded, advanced) =
        (events.iter().filter(recorded).count(), events.iter().filter(advanced).count());
    if advanced > recorded {
        names.push("tick: accounted for already");
    }
}

fn done(done: &Done) -> &'static str {
    match done {
        Done::ZoneDataAdopted { before: None, .. } => "tick: first zone data",
        Done::ZoneDataAdopted { before: Some(_), .. } => "tick: newer zone data",
        Done::Recomputed { .. } => "tick: moved by zone data",
        Done::Retried { .. } => "tick: retried",
        Done::Occurred { fate, .. } => match fate {
            Fate::Enqueued => "tick: enqueued",
            Fate::CaughtUp => "tick: caught up",
            Fate::Missed => "tick: missed",
            Fate::Skipped(why) => match why {
                SkipReason::SlotTaken { status: StatusKind::Queued, .. } => {
                    "tick: skipped, slot taken by a queued run"
                }
                SkipReason::SlotTaken { .. } => "tick: skipped, slot taken by a running run",
                SkipReason::RetryOwed { .. } => "tick: skipped, retry owed",
                SkipReason::Edited(_) | SkipReason::Disabled(_) | SkipReason::Deleted(_) => {
                    FOREIGN_ANSWER
                }
            },
        },
        Done::Poisoned { .. } => "tick: poisoned",
    }
}

pub(super) fn put(reply: &Reply, events: &[Event], names: &mut Vec<&'static str>) {
    match reply {
        Reply::ScheduleSaved(saved) => {
            names.push(if saved.changed { "put schedule: saved" } else { "put schedule: same" });
            extras(saved, ["put schedule: exhausted", "put schedule: retry owed"], names);
            names.extend(
                events.iter().filter_map(|event| {
                    dropped_instant(event).then_some("put schedule: while due")
                }),
            );
        }
        Reply::Refused(refusal) => names.push(match refusal {
            Refusal::UnknownHandler { .. } => "put schedule: unknown handler",
            Refusal::InvalidRequest(_) => "put schedule: invalid request",
            Refusal::RevisionChanged { .. } => "put schedule: revision changed",
            Refusal::NeverFires(Exhausted::Until) => "put schedule: never fires, until",
            Refusal::NeverFires(Exhausted::Rule) => "put schedule: never fires, rule",
            Refusal::NeverFires(Exhausted::MaxRuns) => "put schedule: never fires, max_runs",
            Refusal::FaultyRule(_) => "put schedule: faulty rule",
            Refusal::OlderZoneData { .. } => "put schedule: older zone data",
            Refusal::SlotTaken { .. }
            | Refusal::IdTaken { .. }
            | Refusal::ReservedId { .. }
            | Refusal::BatchSize(_)
            | Refusal::NoSuchRun { .. }
            | Refusal::NotRunning { .. }
            | Refusal::ForceNeeded { .. }
            | Refusal::NoSchedule { .. }
            | Refusal::NotYours { .. } => FOREIGN_ANSWER,
        }),
        _ => names.push(FOREIGN_ANSWER),
    }
}

pub(super) fn enabled(reply: &Reply, names: &mut Vec<&'static str>) {
    match reply {
        Reply::ScheduleSaved(saved) => {
            names.push(if saved.changed { "enable: enabled" } else { "enable: enabled already" });
            extras(saved, ["enable: exhausted", "enable: retry owed"], names);
        }
        Reply::Refused(Refusal::NoSchedule { .. }) => names.push("enable: no schedule"),
        Reply::Refused(Refusal::RevisionChanged { .. }) => names.push("enable: revision changed"),
        Reply::Refused(Refusal::FaultyRule(_)) => names.push("enable: faulty rule"),
        Reply::Refused(Refusal::OlderZoneData { .. }) => names.push("enable: older zone data"),
        _ => names.push(FOREIGN_ANSWER),
    }
}

pub(super) fn disabled(reply: &Reply, events: &[Event], names: &mut Vec<&'static str>) {
    match reply {
        Reply::ScheduleSaved(saved) => {
            let is_new = saved.changed;
            names.push(if is_new { "disable: disabled" } else { "disable: disabled already" });
            extras(saved, ["disable: exhausted", "disable: retry owed"], names);
            names.extend(
                events
                    .iter()
                    .filter_map(|event| dropped_instant(event).then_some("disable: while due")),
            );
        }
        Reply::Refused(Refusal::NoSchedule { .. }) => names.push("disable: no schedule"),
        Reply::Refused(Refusal::RevisionChanged { .. }) => names.push("disable: revision changed"),
        _ => names.push(FOREIGN_ANSWER),
    }
}

pub(super) fn deleted(reply: &Reply, events: &[Event], names: &mut Vec<&'static str>) {
    match reply {
        Reply::ScheduleDeleted { existed, retry_owed } => {
            names.push(if *existed { "delete: deleted" } else { "delete: no schedule" });
            if retry_owed.is_some() {
                names.push("delete: retry owed");
            }
            names.extend(
                events
                    .iter()
                    .filter_map(|event| dropped_instant(event).then_some("delete: while due")),
            );
        }
        Reply::Refused(Refusal::RevisionChanged { .. }) => names.push("delete: revision changed"),
        _ => names.push(FOREIGN_ANSWER),
    }
}

fn extras(saved: &Saved, extras: [&'static str; 2], names: &mut Vec<&'static str>) {
    let [exhausted, retry_owed] = extras;
    names.extend(saved.exhausted.map(|_| exhausted));
    names.extend(saved.retry_owed.map(|_| retry_owed));
}

/// True when a change recorded the due instant that it dropped.
fn dropped_instant(event: &Event) -> bool {
    let Event::OccurrenceRecorded(occurrence) = event else {
        return false;
    };
    match occurrence.fate {
        Fate::Skipped(SkipReason::Edited(_) | SkipReason::Disabled(_) | SkipReason::Deleted(_)) => {
            true
        }
        Fate::Skipped(SkipReason::SlotTaken { .. } | SkipReason::RetryOwed { .. })
        | Fate::Enqueued
        | Fate::CaughtUp
        | Fate::Missed => false,
    }
}

pub(super) fn settings_put(reply: &Reply, events: &[Event]) -> &'static str {
    match reply {
        Reply::SettingsSaved { .. } if events.is_empty() => "put settings: same",
        Reply::SettingsSaved { .. } => "put settings: saved",
        Reply::Refused(Refusal::UnknownHandler { .. }) => "put settings: unknown handler",
        Reply::Refused(Refusal::InvalidRequest(_)) => "put settings: invalid request",
        Reply::Refused(Refusal::RevisionChanged { .. }) => "put settings: revision changed",
        _ => FOREIGN_ANSWER,
    }
}

pub(super) fn published(reply: &Reply) -> &'static str {
    match reply {
        Reply::CataloguePublished { new: 0 } => "publish: nothing new",
        Reply::CataloguePublished { .. } => "publish: new",
        _ => FOREIGN_ANSWER,
    }
}
