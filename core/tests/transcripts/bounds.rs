//! Series that end.

use std::num::NonZeroU32;

use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::schedule::Plan;

use crate::stage::{A, Stage, every};

fn at_most(runs: u32) -> Plan {
    Plan { max_runs: NonZeroU32::new(runs), ..every("* * * * *") }
}

/// The runner executes the worker's queued run.
fn run(stage: &mut Stage, code: i32) {
    stage.quietly(&format!("the run is executed by A and exits with code {code}"), |stage| {
        stage.hint_runner(A);
        stage.turn(A);
        stage.job_starts(A, "backup");
        stage.job_exits(A, "backup", code);
        stage.turn(A);
    });
}

#[test]
fn a_series_ends_after_its_most_runs_and_an_edit_revives_it() {
    let mut stage = Stage::new(
        "At most two runs are created; then the series is exhausted, which is no error. A larger
         number revives it, counting on: one more run. Holds: bounded-series.",
    );
    stage.put_schedule("backup", at_most(2));
    stage.runner(A);
    for instant in ["09:01:00", "09:02:00", "09:03:00"] {
        stage.at(instant);
        stage.tick();
        if instant != "09:03:00" {
            run(&mut stage, 0);
        }
    }
    stage.put_schedule("backup", at_most(3));
    stage.at("09:04:00");
    stage.tick();
    run(&mut stage, 0);
    stage.at("09:05:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_count_of_runs_survives_edits_until_it_is_reset() {
    let mut stage = Stage::new(
        "A new rule does not give new runs: what was created counts until somebody says that the
         counting begins anew. Said again, it changes nothing. Holds: bounded-series.",
    );
    stage.put_schedule("backup", at_most(1));
    stage.runner(A);
    stage.at("09:01:00");
    stage.tick();
    run(&mut stage, 0);
    let plan = Plan { max_runs: NonZeroU32::new(1), ..every("*/2 * * * *") };
    stage.put_schedule("backup", plan.clone());
    stage.put_schedule_and_reset("backup", plan.clone());
    stage.put_schedule_and_reset("backup", plan);
    stage.at("09:02:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn an_owed_retry_still_runs_after_its_series_has_ended() {
    let mut stage = Stage::new(
        "Retries do not count as runs of the series, and the last run's retry is created although
         the series is exhausted. Skips do not count either. Holds: bounded-series, nothing-lost.",
    );
    stage.put_schedule("backup", at_most(1));
    stage.enqueue("backup");
    stage.at("09:01:00");
    stage.tick();
    stage.runner(A);
    stage.quietly("the manual run is executed by A", |stage| {
        stage.job_starts(A, "backup");
        stage.job_exits(A, "backup", 0);
        stage.turn(A);
    });
    stage.at("09:02:00");
    stage.tick();
    run(&mut stage, 1);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_series_ends_at_its_bound_in_time() {
    let mut stage = Stage::new(
        "Nothing is due after `until`, which is itself the last instant. Holds: bounded-series.",
    );
    let until = "2026-03-02T09:02:00Z".parse().ok();
    stage.put_schedule("backup", Plan { until, ..every("* * * * *") });
    stage.runner(A);
    for instant in ["09:01:00", "09:02:00", "09:03:00"] {
        stage.at(instant);
        stage.tick();
        if instant != "09:03:00" {
            run(&mut stage, 0);
        }
    }
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_count_counts_the_instants_of_the_rule() {
    let mut stage = Stage::new(
        "COUNT is about instants, not about runs: of three, one is skipped and one more goes by
         while the scheduler is away, and then the series has ended. Holds: bounded-series.",
    );
    let start = "2026-03-02T09:01:00".parse().unwrap();
    let rule = Recurrence::rrule("FREQ=MINUTELY;COUNT=3", start, Zone::utc()).unwrap();
    stage.put_schedule("backup", Plan { recurrence: rule, ..every("* * * * *") });
    stage.enqueue("backup");
    stage.at("09:01:00");
    stage.tick();
    stage.cancel("backup");
    stage.at("09:03:30");
    stage.tick();
    stage.at("09:04:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_series_begins_at_its_bound_in_time() {
    let mut stage = Stage::new("Nothing is due before `not_before`, which is itself the first.");
    let not_before = "2026-03-02T12:00:00Z".parse().ok();
    stage.put_schedule("backup", Plan { not_before, ..every("0 * * * *") });
    stage.at("11:00:00");
    stage.tick();
    stage.at("12:00:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_schedule_that_would_never_fire_is_refused() {
    let mut stage = Stage::new(
        "The bound lies before the first instant, or all instants lie in the past: the save is
         refused, and the schedule that was there stays. Holds: bounded-series.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    let until = "2026-03-02T09:30:00Z".parse().ok();
    stage.put_schedule("backup", Plan { until, ..every("0 10 * * *") });
    stage.put_schedule("backup", crate::stage::once("2026-03-01T10:00:00Z"));
    stage.at("10:00:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}
