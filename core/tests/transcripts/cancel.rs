//! Runs that somebody cancels.

use crate::stage::{A, B, Stage, every};

/// A scheduled run of `backup` that runs on A.
fn running(purpose: &str) -> Stage {
    let mut stage = Stage::new(purpose);
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.quietly("#1 is claimed and started by A", |stage| {
        stage.runner(A);
        stage.job_starts(A, "backup");
    });
    stage.wait("5s");
    stage
}

#[test]
fn a_queued_run_is_cancelled_at_once() {
    let mut stage = Stage::new(
        "Nobody has claimed the run: the cancel ends it, and the slot is free. Cancelling again
         changes nothing. Holds: terminal-is-final.",
    );
    stage.enqueue("backup");
    stage.cancel("backup");
    stage.cancel("backup");
    stage.enqueue("backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_queued_retry_is_cancelled_and_the_chain_ends() {
    let mut stage = running(
        "The retry waits for its time when it is cancelled: no third attempt is owed, and the
         series goes on. Holds: only-scheduled-retried.",
    );
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.tick();
    stage.cancel("backup");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_running_run_is_asked_to_end_and_does() {
    let mut stage = running(
        "The runner hears of the cancel with its next turn and sends TERM; the job ends, with code
         0 even, and the run is CANCELLED: the TERM decides. It is not retried.
         Holds: only-scheduled-retried.",
    );
    stage.cancel("backup");
    stage.at("10:00:15");
    stage.turn(A);
    stage.wait("2s");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_job_that_ignores_the_cancel_is_killed_after_its_grace() {
    let mut stage = running(
        "The job pays no heed to TERM. After the handler's grace of 10 s it is killed, with the
         lease renewed meanwhile.",
    );
    stage.cancel("backup");
    stage.at("10:00:15");
    stage.turn(A);
    stage.at("10:00:24.999");
    stage.note("the last moment of the grace");
    stage.wake(A);
    stage.settle(A);
    stage.wait("1ms");
    stage.note("the grace is over");
    stage.wake(A);
    stage.job_dies(A, "backup", 9);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_job_that_exits_before_its_runner_saw_the_cancel_keeps_its_own_status() {
    let mut stage = running(
        "The job ends by itself before the flag was shown: its SUCCESS stands, and the cancel has
         come too late. Holds: terminal-is-final.",
    );
    stage.cancel("backup");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_failure_before_the_cancel_was_seen_is_not_retried() {
    let mut stage = running(
        "The job fails by itself before the flag was shown: it is FAILED, and since somebody wants
         it to end, no retry is owed. Holds: only-scheduled-retried.",
    );
    stage.cancel("backup");
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_cancelled_run_whose_runner_dies_is_interrupted_and_never_retried() {
    let mut stage = running(
        "The runner dies after the cancel and before it could act: the sweep interrupts the run,
         and nobody tries it again. Holds: only-scheduled-retried, nothing-lost.",
    );
    stage.cancel("backup");
    stage.crashes(A);
    stage.at("10:01:05");
    stage.sweep();
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_cancel_of_a_failed_run_drops_the_retry_that_is_owed() {
    let mut stage = running(
        "The run has failed and its retry is owed, not yet created: cancelling the failed run drops
         it. The row itself stays as it was. Holds: only-scheduled-retried, terminal-is-final.",
    );
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.cancel("backup");
    stage.cancel("backup");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_cancel_that_meets_a_job_being_started_stops_it_when_it_runs() {
    let mut stage = Stage::new(
        "The runner hears of the cancel after it asked for the job's start and before the job
         runs: TERM is sent as soon as there is a process to take it.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.cancel("backup");
    stage.at("09:00:15");
    stage.turn(A);
    stage.job_is_started(A, "backup");
    stage.job_dies(A, "backup", 15);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_that_is_told_of_a_cancel_asks_at_once() {
    let mut stage = running(
        "Told that somebody cancelled something, the runner does not wait for its next heartbeat:
         one turn shows the flag, without renewing anything that is fresh.",
    );
    stage.cancel("backup");
    stage.cancel_hint(A);
    stage.turn(A);
    stage.job_dies(A, "backup", 15);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_cancel_is_no_cancel_of_the_next_run() {
    let mut stage = running(
        "The flag belongs to one run. A run that another runner claims later is not touched.",
    );
    stage.cancel("backup");
    stage.at("10:00:15");
    stage.turn(A);
    stage.job_dies(A, "backup", 15);
    stage.turn(A);
    stage.enqueue("backup");
    stage.runner(B);
    stage.job_starts(B, "backup");
    insta::assert_snapshot!(stage.ends());
}
