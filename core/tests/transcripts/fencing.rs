//! Zombies: runners that were frozen or cut off, and what they say when they are back.

use crate::stage::{A, B, Stage, every};

/// A scheduled run of `backup` that has just started on A.
fn running(purpose: &str) -> Stage {
    let mut stage = Stage::new(purpose);
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.quietly("#1 is claimed and started by A", |stage| {
        stage.runner(A);
        stage.job_starts(A, "backup");
    });
    stage
}

#[test]
fn a_frozen_runner_wakes_and_kills_before_it_listens() {
    let mut stage = running(
        "A is frozen for three minutes, together with its job. Its run is swept, tried again, and B
         runs the second attempt. When A wakes, the first thing it does is to kill its job; what it
         then says is answered lost, and B's run is not touched. Holds: no-overlap, fenced,
         fence-grows.",
    );
    stage.note("A freezes");
    stage.at("10:01:00");
    stage.sweep();
    stage.tick();
    stage.at("10:02:10");
    stage.runner(B);
    stage.job_starts(B, "backup");
    stage.at("10:03:00");
    stage.note("A wakes");
    stage.wake(A);
    stage.turn(A);
    stage.job_dies(A, "backup", 9);
    stage.job_exits(B, "backup", 0);
    stage.turn(B);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_frozen_runner_that_hears_an_old_answer_kills_all_the_same() {
    let mut stage = running(
        "A's turn was answered while A was frozen. It wakes to an answer that says that all is well;
         its deadlines are looked at first, and the answer is too old to count.
         Holds: no-overlap.",
    );
    stage.at("10:00:15");
    stage.wake(A);
    let late = stage.answer_slowly(A);
    stage.note("A freezes");
    stage.at("10:01:20");
    stage.hears(late);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_finish_after_the_run_was_swept_is_lost() {
    let mut stage = running(
        "The job ended, but the store could not be reached until the run was swept: the result comes
         too late, and the retry that is owed stays owed. Holds: fenced, terminal-is-final.",
    );
    stage.wait("5s");
    stage.job_exits(A, "backup", 0);
    let slow = stage.send_slowly(A);
    stage.at("10:01:00");
    stage.sweep();
    let _ = stage.store_takes(&slow);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_lease_that_ran_out_may_still_be_finished_until_a_sweep() {
    let mut stage = running(
        "The job ended, and the store could not be reached until after the lease. Nobody has swept:
         the slot was never given away, so the holder may still finish. Holds: nothing-lost.",
    );
    stage.wait("5s");
    stage.job_exits(A, "backup", 0);
    stage.lose_request(A);
    stage.at("10:01:30");
    stage.turn(A);
    stage.sweep();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_that_cannot_reach_the_store_ends_its_job_before_the_lease() {
    let mut stage = running(
        "Every heartbeat is lost. The job gets TERM 3 s before its deadline and KILL at it, which is
         before the lease can be given to another. The store is back in time to hear of it.
         Holds: no-overlap, nothing-lost.",
    );
    for heartbeat in ["10:00:15", "10:00:30", "10:00:45"] {
        stage.at(heartbeat);
        stage.lose_request(A);
    }
    stage.at("10:00:54.42");
    stage.wake(A);
    stage.lose_request(A);
    stage.at("10:00:57.42");
    stage.wake(A);
    stage.turn(A);
    stage.job_dies(A, "backup", 9);
    stage.turn(A);
    stage.sweep();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_heartbeat_that_gets_through_moves_the_deadline() {
    let mut stage = running(
        "Two heartbeats are lost and the third gets through: the lease and the deadline move on, and
         the job never notices. Holds: nothing-lost.",
    );
    stage.at("10:00:15");
    stage.lose_request(A);
    stage.at("10:00:30");
    stage.lose_answer_of_turn(A);
    stage.at("10:00:45");
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_that_the_store_does_not_know_any_more_kills_all_and_registers_anew() {
    let mut stage = running(
        "The database was restored from a backup that knows nothing of A: its turn is stale. A kills
         everything at once and goes on under a fresh id. Holds: no-overlap.",
    );
    stage.at("10:00:15");
    stage.restore_an_empty_ledger();
    stage.turn(A);
    stage.settle(A);
    stage.job_dies(A, "backup", 9);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}
