//! Due schedules that find the slot taken, or a retry owed.

use std::num::NonZeroU32;

use crate::stage::{A, Stage, every, handler};

#[test]
fn a_due_schedule_is_skipped_while_no_runner_has_claimed_its_run() {
    let mut stage = Stage::new(
        "No runner is up. The first run waits and holds the slot; later instants are skipped with
         that reason, and create no queue. Holds: skip-not-queue, one-active-row.",
    );
    stage.put_schedule("backup", every("0 * * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.at("11:00:00");
    stage.tick();
    stage.at("12:00:00");
    stage.tick();
    stage.runner(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_due_schedule_is_skipped_while_its_run_is_running() {
    let mut stage = Stage::new(
        "The run of 09:01 still runs at 09:02: that instant is skipped, by which run is said, and
         the next one runs. Holds: skip-not-queue, no-overlap.",
    );
    stage.put_schedule("backup", every("* * * * *"));
    stage.runner(A);
    stage.at("09:01:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.heartbeats(A, "09:02:00");
    stage.tick();
    stage.wait("10s");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.at("09:03:00");
    stage.tick();
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_due_schedule_is_skipped_while_a_manual_run_holds_the_slot() {
    let mut stage = Stage::new(
        "Somebody enqueued a run by hand before the schedule came due. Holds: skip-not-queue.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("09:59:59");
    stage.enqueue("backup");
    stage.at("10:00:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_due_schedule_is_skipped_while_a_retry_waits_for_its_delay() {
    let mut stage = Stage::new(
        "The run of 09:01 failed; its retry was created at once and holds the slot until after
         09:02. Holds: skip-not-queue.",
    );
    stage.put_schedule("backup", every("* * * * *"));
    stage.runner(A);
    stage.at("09:01:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.wait("50s");
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.tick();
    stage.at("09:02:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_due_schedule_is_skipped_while_a_retry_is_owed() {
    let mut stage = Stage::new(
        "Two retries are owed, and the tick has room for one: the other worker's schedule comes due
         with the slot free but its retry owed, and creates no run. Holds: skip-not-queue.",
    );
    stage.handler(handler("archive"));
    stage.put_schedule("archive", every("1,30 9 * * *"));
    stage.put_schedule("backup", every("1,2 9 * * *"));
    stage.runner_with(A, |config| config.concurrency = NonZeroU32::new(2).unwrap());
    stage.settle(A);
    stage.at("09:01:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "archive");
    stage.job_starts(A, "backup");
    stage.wait("30s");
    stage.job_exits(A, "archive", 1);
    stage.turn(A);
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.at("09:02:00");
    stage.tick_of("S", 1);
    stage.tick_of("S", 1);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_manual_run_is_refused_during_a_backoff_with_the_time() {
    let mut stage = Stage::new(
        "The retry holds the slot until its time: who asks for a run meanwhile is told which run
         it is and when it may start. Holds: one-active-row.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.tick();
    stage.wait("5s");
    stage.enqueue("backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn an_owed_retry_waits_while_a_manual_run_holds_the_slot() {
    let mut stage = Stage::new(
        "Between the failure and the tick somebody enqueues a run: it has the slot, and the retry
         stays owed until it has ended. Holds: one-active-row, nothing-lost.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.enqueue("backup");
    stage.tick();
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}
