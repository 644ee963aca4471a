//! Why does it not run? Why did it not?

use std::num::NonZeroU32;

use horarium_core::schedule::Plan;

use crate::stage::{A, Stage, every, handler, once};

#[test]
fn from_nothing_wanted_to_running() {
    let mut stage = Stage::new("Each thing that a run needs is named until it is there.");
    stage.why("backup");
    stage.enqueue("backup");
    stage.why("backup");
    stage.runner(A);
    stage.why("backup");
    stage.turn(A);
    stage.why("backup");
    stage.cancel("backup");
    stage.why("backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_that_is_gone_and_one_that_serves_something_else() {
    let mut stage = Stage::new("The runner that served the handler is not heard of any more.");
    stage.runner(A);
    stage.turn(A);
    stage.at("10:00:00");
    stage.enqueue("backup");
    stage.handler(handler("report"));
    stage.enqueue("report");
    stage.why("backup");
    stage.why("report");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_lease_that_ran_out_waits_for_a_sweep() {
    let mut stage = Stage::new("The runner died. Until somebody sweeps, the slot is taken.");
    stage.runner(A);
    stage.enqueue("backup");
    stage.turn(A);
    stage.wait("30s");
    stage.why("backup");
    stage.wait("31s");
    stage.why("backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_schedule_that_waits_is_due_is_disabled_or_ended() {
    let mut stage = Stage::new("What a schedule lacks is said, and who took it away.");
    stage.put_schedule("backup", Plan { max_runs: NonZeroU32::new(1), ..every("0 * * * *") });
    stage.why("backup");
    stage.at("10:00:30");
    stage.why("backup");
    stage.at("10:02:00");
    stage.why("backup");
    stage.disable("backup");
    stage.why("backup");
    stage.enable("backup");
    stage.at("11:00:00");
    stage.tick();
    stage.runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.why("backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_retry_that_is_owed_and_one_that_waits_out_its_delay() {
    let mut stage = Stage::new("A failed attempt is followed by another, which waits.");
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.why("backup");
    stage.wait("2m");
    stage.why("backup");
    stage.tick();
    stage.why("backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn what_became_of_an_instant() {
    let mut stage = Stage::new(
        "Due instants are asked about before and after: those that were run, caught up, skipped,
         changed away, and those that no rule names.",
    );
    stage.why_at("backup", "03-02 10:00:00");
    stage.put_schedule("backup", every("0 * * * *"));
    stage.why_at("backup", "03-02 09:00:00");
    stage.why_at("backup", "03-02 10:00:00");
    stage.why_at("backup", "03-02 10:30:00");
    stage.at("10:00:00");
    stage.why_at("backup", "03-02 10:00:00");
    stage.tick();
    stage.why_at("backup", "03-02 10:00:00");
    stage.at("13:30:00");
    stage.tick();
    for hour in ["11", "12", "13"] {
        stage.why_at("backup", &format!("03-02 {hour}:00:00"));
    }
    stage.put_schedule("backup", once("2026-03-03T10:00:00Z"));
    stage.why_at("backup", "03-02 13:00:00");
    stage.why_at("backup", "03-04 13:00:00");
    insta::assert_snapshot!(stage.ends());
}
