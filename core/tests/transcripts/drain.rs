//! Runners that are asked to stop.

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
    stage.wait("1s");
    stage
}

#[test]
fn an_idle_runner_shows_that_it_holds_nothing_and_retires() {
    let mut stage =
        Stage::new("Nothing to wait for: one turn with capacity 0, then the retirement (rule 6).");
    stage.runner(A);
    stage.shutdown(A);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_job_that_ends_within_the_grace_keeps_its_own_status() {
    let mut stage = running(
        "A is asked to stop and claims no more, but lets its job go on for the grace of 30 s, with
         its lease renewed. The job ends by itself: SUCCESS, and A retires. What was enqueued
         meanwhile waits for another runner.",
    );
    stage.handler(crate::stage::handler("report"));
    stage.shutdown(A);
    stage.enqueue("report");
    stage.heartbeats(A, "10:00:25");
    stage.job_exits(A, "backup", 0);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_job_that_outlasts_the_grace_is_stopped_and_its_run_retried() {
    let mut stage = running(
        "The grace of 30 s is over: TERM, and KILL after the handler's own grace of 10 s. The group
         is empty, so the run is reported INTERRUPTED, which counts as an attempt and is retried.
         Holds: nothing-lost, bounded-attempts.",
    );
    stage.shutdown(A);
    stage.heartbeats(A, "10:00:30");
    stage.at("10:00:31");
    stage.wake(A);
    stage.settle(A);
    stage.at("10:00:41");
    stage.wake(A);
    stage.settle(A);
    stage.job_dies(A, "backup", 9);
    stage.settle(A);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_wakes_by_itself_when_its_grace_is_over() {
    let mut stage = running(
        "Nobody reminds A, and its next heartbeat is later: it wakes for the end of the grace.
         Holds: nothing-lost.",
    );
    stage.shutdown(A);
    stage.heartbeats(A, "10:00:30");
    stage.sleeps(A);
    stage.wait_for_alarm(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_wakes_by_itself_to_give_up_on_a_store_that_is_away() {
    let mut stage = running(
        "The job is dead, but no request arrives any more. A tells it again and again, and ends
         a lease after its grace: not at the next try, but at that moment.",
    );
    stage.shutdown(A);
    stage.settle(A);
    stage.job_exits(A, "backup", 0);
    stage.lose_requests_until_it_ends(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_that_is_asked_to_stop_before_the_store_knows_it_ends_at_once() {
    let mut stage = Stage::new("Its registration was lost: there is nothing to retire from.");
    stage.runner_with(A, |_| {});
    stage.lose_request(A);
    stage.shutdown(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_whose_retirement_was_not_answered_learns_that_it_has_retired() {
    let mut stage = Stage::new(
        "The store took A's retirement, but the answer is lost. A says it again and is told the
         same: it ends knowing that it has retired.",
    );
    stage.runner(A);
    stage.shutdown(A);
    stage.call_and_answer(A);
    stage.lose_answer(A);
    stage.call_and_answer(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn what_was_never_started_is_given_back() {
    let mut stage = Stage::new(
        "A run is handed over while A is asked to stop: it is not started but given back, and B gets
         it at once. Holds: nothing-lost.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    let late = stage.answer_slowly(A);
    stage.shutdown(A);
    stage.hears(late);
    stage.settle(A);
    stage.runner(B);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_group_that_is_not_empty_is_abandoned_and_its_lease_runs_out() {
    let mut stage = running(
        "The job's leader is dead, but something that it started may still run. A run may be
         reported INTERRUPTED only when its group is known to be empty; so A says nothing of it and
         ends, and the lease keeps the slot until everything must be dead. Holds: no-overlap.",
    );
    stage.hurry(A);
    stage.settle(A);
    stage.at("10:00:11");
    stage.wake(A);
    stage.settle(A);
    stage.job_dies_and_leaves_something(A, "backup");
    stage.at("10:00:59.999");
    stage.sweep();
    stage.tick();
    stage.wait("1ms");
    stage.sweep();
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_working_runner_with_an_abandoned_claim_works_again_when_its_lease_has_run_out() {
    let mut stage = running(
        "The same without a drain: A goes on to name the claim without renewing it, takes no other
         run in its place, and kills what is left of it at its deadline. When the run was swept it
         is told that the claim is lost, and claims again. Holds: no-overlap, nothing-lost.",
    );
    stage.job_dies_and_leaves_something(A, "backup");
    stage.heartbeats(A, "10:00:57");
    stage.at("10:00:58");
    stage.wake(A);
    stage.settle(A);
    stage.at("10:01:00");
    stage.sweep();
    stage.turn(A);
    stage.enqueue("backup:second");
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_in_a_hurry_stops_its_jobs_at_once() {
    let mut stage = running(
        "Asked to stop twice, the second time in a hurry: the grace for the jobs is cut short, the
         handler's own grace is not.",
    );
    stage.shutdown(A);
    stage.settle(A);
    stage.wait("2s");
    stage.hurry(A);
    stage.settle(A);
    stage.wait("1s");
    stage.job_dies(A, "backup", 15);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_whose_guard_is_gone_kills_everything_and_ends() {
    let mut stage = running(
        "Without its guard nothing would end the jobs if the runner died: it kills them without
         grace, reports them INTERRUPTED and retires. Holds: no-overlap.",
    );
    stage.guard_lost(A);
    stage.settle(A);
    stage.job_dies(A, "backup", 9);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_that_cannot_reach_the_store_gives_up_after_a_lease() {
    let mut stage = running(
        "A is to stop in a hurry and its job is dead, but the store does not answer. A tries for as
         long as a lease and ends; the sweep finds the run. Holds: nothing-lost.",
    );
    stage.hurry(A);
    stage.job_dies(A, "backup", 15);
    stage.lose_request(A);
    stage.lose_request(A);
    stage.at("10:01:01");
    stage.wake(A);
    stage.sweep();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_job_with_a_longer_grace_than_the_lease_is_renewed_until_it_is_dead() {
    let mut stage = Stage::new(
        "The handler may take five minutes to end. The runner is in a hurry, but goes on to renew
         the lease while the job dies, past the moment at which it would give an unreachable store
         up. Holds: no-overlap, nothing-lost.",
    );
    let stop_grace = crate::stage::span("5m");
    stage.handler(horarium_core::catalogue::Definition {
        stop_grace,
        ..crate::stage::handler("report")
    });
    stage.enqueue("report");
    stage.quietly("#1 is claimed and started by A", |stage| {
        stage.runner(A);
        stage.job_starts(A, "report");
    });
    stage.hurry(A);
    stage.settle(A);
    stage.heartbeats(A, "09:04:59");
    stage.at("09:05:00");
    stage.wake(A);
    stage.settle(A);
    stage.job_dies(A, "report", 9);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}
