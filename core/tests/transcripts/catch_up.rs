//! A scheduler that was away, and instants that are too late.

use horarium_core::schedule::Plan;

use crate::stage::{A, Stage, every, once, span};

#[test]
fn a_week_away_gives_one_run() {
    let mut stage = Stage::new(
        "The scheduler was away for a week in which an hourly schedule came due 168 times: one run
         stands for all, and the series goes on in the future. Holds: one-catch-up.",
    );
    stage.put_schedule("backup", every("0 * * * *"));
    stage.at("03-09 09:30:00");
    stage.tick();
    stage.wait("1s");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_week_away_with_the_slot_taken_gives_one_skip() {
    let mut stage = Stage::new(
        "As long away, but a manual run has the slot: one skip stands for all. Holds:
         one-catch-up, skip-not-queue.",
    );
    stage.put_schedule("backup", every("0 * * * *"));
    stage.enqueue("backup");
    stage.at("03-09 09:30:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_late_instant_within_the_maximum_lateness_is_run() {
    let mut stage = Stage::new(
        "An instant may start 30 min late. The scheduler comes 20 min late: the run is enqueued,
         and no claim grants it after 10:30.",
    );
    let plan = Plan { max_lateness: Some(span("30m")), ..every("0 10 * * *") };
    stage.put_schedule("backup", plan);
    stage.runner(A);
    stage.at("10:20:00");
    stage.tick();
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn of_several_late_instants_the_first_within_the_maximum_lateness_is_run() {
    let mut stage = Stage::new(
        "Every 10 min, at most 15 min late, and the scheduler comes at 11:04: the instants up to
         10:40 are too late, the one of 10:50 runs and stands for those before it and for 11:00.
         Holds: one-catch-up.",
    );
    let plan = Plan { max_lateness: Some(span("15m")), ..every("*/10 10-11 * * *") };
    stage.put_schedule("backup", plan);
    stage.at("11:04:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn an_instant_that_is_too_late_is_missed() {
    let mut stage = Stage::new(
        "An instant may start 30 min late. The scheduler comes an hour late: it is missed, which is
         judged before the slot is looked at. Holds: one-catch-up.",
    );
    let plan = Plan { max_lateness: Some(span("30m")), ..every("0 10 * * *") };
    stage.put_schedule("backup", plan);
    stage.enqueue("backup");
    stage.at("11:00:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_run_may_be_claimed_until_its_latest_start() {
    let mut stage = Stage::new(
        "At the very instant of its latest start the run is neither closed by a sweep nor kept from
         a runner.",
    );
    let plan = Plan { max_lateness: Some(span("30m")), ..every("0 10 * * *") };
    stage.put_schedule("backup", plan);
    stage.at("10:00:00");
    stage.tick();
    stage.at("10:30:00");
    stage.sweep();
    stage.runner(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_run_that_nobody_claimed_in_time_is_closed() {
    let mut stage = Stage::new(
        "The run was enqueued in time, but no runner was up until after its latest start: no claim
         grants it, and the next sweep closes it CANCELLED. Holds: nothing-lost.",
    );
    let plan = Plan { max_lateness: Some(span("30m")), ..every("0 10 * * *") };
    stage.put_schedule("backup", plan);
    stage.at("10:00:00");
    stage.tick();
    stage.at("10:30:01");
    stage.runner(A);
    stage.sweep();
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn an_enqueue_closes_what_is_too_late_by_itself() {
    let mut stage = Stage::new(
        "No daemon is up. An enqueue sweeps its own worker first: a run past its latest start, and
         a run whose lease ran out, do not keep the slot.",
    );
    let plan = Plan { max_lateness: Some(span("30m")), ..every("0 10 * * *") };
    stage.put_schedule("backup", plan);
    stage.at("10:00:00");
    stage.tick();
    stage.at("10:30:01");
    stage.enqueue("backup");
    stage.runner(A);
    stage.crashes(A);
    stage.at("10:31:00");
    stage.enqueue("backup");
    stage.wait("1s");
    stage.enqueue("backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_schedule_of_one_instant_runs_once() {
    let mut stage = Stage::new(
        "A rule of one instant: one run, and the series is exhausted, which is no error.
         Holds: bounded-series.",
    );
    stage.put_schedule("backup", once("2026-03-02T10:00:00Z"));
    stage.at("10:00:30");
    stage.tick();
    stage.wait("1s");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}
