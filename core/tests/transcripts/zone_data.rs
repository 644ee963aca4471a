//! New zone data: what they move, what stays, and who may compute.

use horarium_core::recurrence::{Recurrence, ZoneData};
use horarium_core::schedule::Plan;

use crate::stage::{S, Stage, T, every, handler};

/// The compiled-in data, but in Berlin the clocks show what they show in that zone.
fn berlin_like(zone: &str, release: &str) -> ZoneData {
    ZoneData::bundled().rewritten(release.parse().unwrap(), &[("Europe/Berlin", zone)])
}

/// A plan in Berlin, by the compiled-in data.
fn in_berlin(expression: &str) -> Plan {
    in_berlin_by(&ZoneData::bundled(), expression)
}

fn in_berlin_by(zones: &ZoneData, expression: &str) -> Plan {
    let zone = zones.zone("Europe/Berlin").unwrap();
    Plan { recurrence: Recurrence::cron(expression, zone).unwrap(), ..every("0 0 * * *") }
}

/// The stage with workers of these handlers.
fn stage(purpose: &str, handlers: &[&str]) -> Stage {
    let mut stage = Stage::new(purpose);
    for name in handlers {
        stage.handler(handler(name));
    }
    stage
}

#[test]
fn a_newer_release_moves_what_lies_ahead_and_leaves_alone_what_is_due() {
    let mut stage = stage(
        "By the new release Berlin is two hours further east. A schedule that was due already runs
         for its old instant; one that has moved into the past is due at once; one that lies ahead
         comes earlier; one in UTC stays. Holds: one-catch-up.",
        &["due", "past", "ahead", "utc"],
    );
    stage.put_schedule("due", in_berlin("0 11 * * *"));
    stage.put_schedule("past", in_berlin("0 13 * * *"));
    stage.put_schedule("ahead", in_berlin("0 15 * * *"));
    stage.put_schedule("utc", every("0 16 * * *"));
    stage.tick();
    stage.at("10:05:00");
    stage.zone_data(berlin_like("Europe/Moscow", "2099a"));
    stage.tick();
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_time_that_was_used_does_not_come_again_when_the_clock_moves_back() {
    let mut stage = stage(
        "11:00 has come in Berlin when a new release sets its clock back by an hour, so that it is
         10:05 again. A rule that names 11:00 does not run twice that day; a rule in real time goes
         on. Holds: one-catch-up, no-double-enqueue.",
        &["fixed", "real"],
    );
    stage.put_schedule("fixed", in_berlin("0 11 * * *"));
    stage.put_schedule("real", in_berlin("*/30 * * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.at("10:05:00");
    stage.zone_data(berlin_like("Africa/Abidjan", "2099a"));
    stage.tick();
    stage.at("11:00:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn schedules_are_computed_anew_in_bounded_batches() {
    let mut stage = stage(
        "Each tick computes no more than its limit, and says that more is left. What is due does
         not wait for the rest, and goes by the new data from then on.",
        &["a", "b", "c", "due"],
    );
    for name in ["a", "b", "c"] {
        stage.put_schedule(name, in_berlin("0 15 * * *"));
    }
    stage.put_schedule("due", in_berlin("0 11 * * *"));
    stage.put_schedule("backup", in_berlin("0 15 * * *"));
    stage.disable("backup");
    stage.tick();
    stage.at("10:05:00");
    stage.zone_data(berlin_like("Europe/Moscow", "2099a"));
    for _ in 0..4 {
        stage.tick_of(S, 1);
    }
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_rule_with_a_count_is_not_given_more_by_new_zone_data() {
    let mut stage = stage(
        "Three times in all, whatever the data: one before the new release and two after it.
         Holds: bounded-series.",
        &[],
    );
    let zone = ZoneData::bundled().zone("Europe/Berlin").unwrap();
    let start = "2026-03-02T11:00".parse().unwrap();
    let recurrence = Recurrence::rrule("FREQ=HOURLY;COUNT=3", start, zone.clone()).unwrap();
    stage.put_schedule("backup", Plan { recurrence, ..every("0 0 * * *") });
    stage.handler(handler("daily"));
    let recurrence = Recurrence::rrule("FREQ=DAILY;COUNT=3", start, zone).unwrap();
    stage.put_schedule("daily", Plan { recurrence, ..every("0 0 * * *") });
    stage.at("10:00:00");
    stage.tick();
    stage.zone_data(berlin_like("Africa/Abidjan", "2099a"));
    for time in ["10:05:00", "11:00:00", "12:00:00", "13:00:00", "03-03 11:00:00", "03-04 11:00:00"]
    {
        stage.at(time);
        stage.tick();
    }
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_process_with_older_data_does_not_lead_and_saves_no_schedule() {
    let mut stage = stage(
        "S has led with newer data. T, which has older ones, gets the lock, is refused, and gives
         it back; ada's old program saves and enables nothing, yet may disable, delete, and say
         again what is there. Holds: one-catch-up.",
        &["report"],
    );
    stage.put_schedule("backup", in_berlin("0 15 * * *"));
    stage.put_schedule("report", in_berlin("0 15 * * *"));
    let newer = berlin_like("Europe/Moscow", "2099a");
    stage.zone_data(newer.clone());
    stage.tick();
    stage.zone_data(ZoneData::bundled());
    stage.scheduler(T);
    stage.lock_held(T);
    stage.settle(T);
    stage.sleeps(T);
    stage.put_schedule("backup", in_berlin("0 15 * * *"));
    stage.put_schedule("backup", in_berlin("0 16 * * *"));
    stage.disable("backup");
    stage.enable("backup");
    stage.delete("report");
    stage.zone_data(newer.clone());
    stage.enable("backup");
    stage.put_schedule("backup", in_berlin_by(&newer, "0 16 * * *"));
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_newer_program_that_saves_does_not_stop_the_leader() {
    let mut stage = stage(
        "Ada's program has newer data than the leader, and saves a schedule by them. The leader goes
         on with its own; when it gets the newer ones, the schedule is computed with them again.",
        &[],
    );
    stage.tick();
    let newer = berlin_like("Europe/Moscow", "2099a");
    stage.zone_data(newer.clone());
    stage.put_schedule("backup", in_berlin_by(&newer, "0 13 * * *"));
    stage.zone_data(ZoneData::bundled());
    stage.at("10:00:00");
    stage.tick();
    stage.zone_data(newer);
    stage.at("11:00:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}
