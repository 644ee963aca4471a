//! Scheduled runs: success, failure and retries.

use horarium_core::run::Units;
use horarium_core::schedule::Plan;
use horarium_core::words::{Backoff, RetryPolicy, Span};

use crate::stage::{A, B, Stage, every, span};

/// How long from now until the worker's newest run may start.
fn delay(stage: &Stage, worker: &str) -> Span {
    let run = stage.run(worker);
    run.not_before.since(run.enqueued_at)
}

#[test]
fn a_scheduled_run_succeeds() {
    let mut stage = Stage::new(
        "A schedule comes due: one run is enqueued, claimed, started and finished, and the series
         moves on. Holds: no-double-enqueue, one-catch-up.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.wait("2s");
    stage.job_progresses(A, "backup", Units { pending: 3, processed: 7 });
    stage.turn(A);
    stage.wait("3s");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.wait("1s");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_failed_run_is_tried_three_times_with_growing_delays() {
    let mut stage = Stage::new(
        "Every attempt fails. Each retry is owed from the failure on, created by the next tick and
         not started before its delay: 60 s, then 120 s, each within 20 %. After the third the
         occurrence is over, and the series goes on. Holds: bounded-attempts, not-before.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    for bounds in [Some(("48s", "72s")), Some(("96s", "144s")), None] {
        stage.turn(A);
        stage.job_starts(A, "backup");
        stage.wait("1s");
        stage.job_exits(A, "backup", 1);
        stage.turn(A);
        stage.tick();
        if let Some((shortest, longest)) = bounds {
            let delay = delay(&stage, "backup");
            assert!(delay >= span(shortest) && delay <= span(longest), "{delay}");
            stage.note("a moment too early, nothing is granted");
            stage.wait(&delay.minus(Span::from_millis(1)).to_string());
            stage.turn(A);
            stage.wait("1ms");
            stage.hint_runner(A);
        }
    }
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_quadratic_policy_waits_by_the_square_of_the_attempt() {
    let mut stage = Stage::new(
        "A schedule with a policy of its own: 10 s after the first attempt, 40 s after the second,
         each within 20 %. Holds: bounded-attempts.",
    );
    let retry =
        RetryPolicy { backoff: Backoff::Quadratic, base: span("10s"), ..RetryPolicy::default() };
    stage.put_schedule("backup", Plan { retry: Some(retry), ..every("0 10 * * *") });
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    for (shortest, longest) in [("8s", "12s"), ("32s", "48s")] {
        stage.turn(A);
        stage.job_starts(A, "backup");
        stage.job_exits(A, "backup", 1);
        stage.turn(A);
        stage.tick();
        let delay = delay(&stage, "backup");
        assert!(delay >= span(shortest) && delay <= span(longest), "{delay}");
        stage.wait(&delay.to_string());
    }
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_run_whose_runner_died_is_interrupted_by_a_sweep_and_retried() {
    let mut stage = Stage::new(
        "A runner dies with its job. Nothing happens while the lease holds; the first sweep after
         it interrupts the run, and another runner makes the second attempt. Holds: nothing-lost,
         fence-grows.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.crashes(A);
    stage.at("10:00:59");
    stage.sweep();
    stage.tick();
    stage.at("10:01:00");
    stage.sweep();
    stage.tick();
    let delay = delay(&stage, "backup");
    stage.runner(B);
    stage.wait(&delay.to_string());
    stage.turn(B);
    stage.job_starts(B, "backup");
    stage.job_exits(B, "backup", 0);
    stage.turn(B);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_failure_that_its_job_declares_final_is_not_retried() {
    let mut stage = Stage::new(
        "The exit code says that trying again is no use: no retry is owed.
         Holds: only-scheduled-retried.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits_for_good(A, "backup", 64);
    stage.turn(A);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_manual_run_that_fails_is_not_retried() {
    let mut stage = Stage::new(
        "Somebody asked for the run and sees it fail; only scheduled runs are tried again.
         Holds: only-scheduled-retried.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_dies(A, "backup", 11);
    stage.turn(A);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_job_that_cannot_be_started_has_failed() {
    let mut stage = Stage::new(
        "The program is not there. The run fails with the reason, and is retried like any other.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    stage.turn(A);
    stage.job_cannot_start(A, "backup", "no such file");
    stage.turn(A);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_job_that_takes_too_long_is_stopped_and_has_failed() {
    let mut stage = Stage::new(
        "The handler's timeout is 30 s. TERM comes then, KILL after the handler's grace of 10 s,
         and the run is FAILED: the TERM decides, whatever the exit code.",
    );
    let timeout = "30s".parse().unwrap();
    stage.handler(horarium_core::catalogue::Definition {
        timeout,
        ..crate::stage::handler("report")
    });
    stage.runner(A);
    stage.enqueue("report");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "report");
    stage.heartbeats(A, "09:00:29");
    stage.at("09:00:30");
    stage.note("the time is up");
    stage.wake(A);
    stage.settle(A);
    stage.at("09:00:40");
    stage.note("so is the grace");
    stage.wake(A);
    stage.settle(A);
    stage.job_dies(A, "report", 9);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}
