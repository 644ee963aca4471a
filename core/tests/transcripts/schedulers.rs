//! Schedulers: who leads, when they tick, and what two of them do to each other.

use horarium_core::ledger::Command;
use horarium_core::ledger::command::Retention;
use horarium_core::words::Span;

use crate::stage::{A, S, Stage, T, every, handler};

#[test]
fn two_schedulers_that_both_believe_to_lead_enqueue_once() {
    let mut stage = Stage::new(
        "S lost its lock without knowing and ticks at the same instant as T: what is accounted for
         is accounted for, whoever looks. Holds: no-double-enqueue.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.tick_of(T, 100);
    stage.tick_of(S, 100);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn two_schedulers_create_an_owed_retry_once() {
    let mut stage = Stage::new(
        "The same with a retry that is owed: the second tick finds it created.
         Holds: bounded-attempts.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.quietly("#1 is executed by A and fails", |stage| {
        stage.runner(A);
        stage.job_starts(A, "backup");
        stage.job_exits(A, "backup", 1);
        stage.turn(A);
    });
    stage.tick_of(T, 100);
    stage.tick_of(S, 100);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_worker_whose_row_is_locked_stays_due_until_the_next_pass() {
    let mut stage = Stage::new(
        "A business transaction holds the worker's row: the tick passes it by and does the others.
         It stays due, and the answer says nothing of it, so the next pass comes a poll interval
         later, not at once. Holds: one-catch-up, nothing-lost.",
    );
    stage.handler(handler("report"));
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.put_schedule("report", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.lock_worker("backup");
    stage.tick();
    stage.unlock();
    stage.at("10:00:30");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn an_occurrence_that_exists_already_only_moves_the_schedule_on() {
    let mut stage = Stage::new(
        "The worker's row was restored from a backup that is older than the occurrences: the
         schedule comes due for an instant that has its row already. It moves on, and creates no
         second run. Holds: no-double-enqueue.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.forget_progress("backup", |stage| {
        stage.tick();
        stage.cancel("backup");
    });
    stage.tick();
    stage.wait("1s");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_tick_does_a_bounded_batch_and_says_that_more_is_left() {
    let mut stage = Stage::new(
        "Three schedules are due, and a tick does at most two: each batch is a transaction of its
         own. Holds: nothing-lost.",
    );
    for name in ["backup:one", "backup:two", "backup:three"] {
        stage.put_schedule(name, every("0 10 * * *"));
    }
    stage.at("10:00:00");
    stage.tick_of(S, 2);
    stage.tick_of(S, 2);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_standby_asks_for_the_lock_until_the_leader_is_gone() {
    let mut stage = Stage::new(
        "S leads, T stands by and asks every few seconds, not in step with others. S dies; the
         database lets go of its lock, and T leads.",
    );
    stage.scheduler(S);
    stage.lock_held(S);
    stage.scheduler(T);
    stage.lock_missing(T);
    stage.sleeps(T);
    stage.wait_for_alarm(T);
    stage.lock_missing(T);
    stage.sleeps(T);
    stage.crashes(S);
    stage.wait_for_alarm(T);
    stage.lock_held(T);
    stage.settle(T);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_leader_passes_when_something_can_change_and_at_most_a_poll_interval_apart() {
    let mut stage = Stage::new(
        "A pass is a sweep, then a tick. S sleeps for its poll interval of 30 s while nothing is
         near, and only until the instant when one is nearer. Between, it probes its lock.",
    );
    stage.put_schedule("backup", every("1 9 * * *"));
    stage.scheduler(S);
    stage.lock_held(S);
    stage.settle(S);
    stage.sleeps(S);
    for _ in 0..7 {
        stage.wait_for_alarm(S);
        if stage.is_probing(S) {
            stage.lock_held(S);
        }
        stage.settle(S);
        stage.sleeps(S);
    }
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_leader_that_is_told_of_a_change_looks_at_once() {
    let mut stage = Stage::new(
        "A schedule is saved while S sleeps: told of it, S passes at once and knows the new instant.
         Told while a call is out, it passes again after it.",
    );
    stage.scheduler(S);
    stage.lock_held(S);
    stage.settle(S);
    stage.sleeps(S);
    stage.wait("1s");
    stage.put_schedule("backup", every("* * * * *"));
    stage.hint(S);
    stage.hint(S);
    stage.settle(S);
    stage.sleeps(S);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_leader_whose_lock_is_gone_stands_by() {
    let mut stage = Stage::new(
        "A probe says that the lock is gone: S stands by at once and asks for the lock again later.
         Its last tick is under way and is carried out all the same, which does no harm; the answer
         is dropped. Holds: no-double-enqueue.",
    );
    stage.scheduler(S);
    stage.lock_held(S);
    stage.put_schedule("backup", every("* * * * *"));
    stage.settle(S);
    stage.at("09:01:00");
    stage.wake(S);
    stage.call_and_answer(S);
    let slow = stage.send_slowly(S);
    stage.wait("1s");
    stage.lock_missing(S);
    stage.sleeps(S);
    let answer = stage.store_takes(&slow);
    stage.hears(answer);
    stage.wait_for_alarm(S);
    stage.lock_held(S);
    stage.settle(S);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_leader_whose_probe_is_not_answered_stands_by() {
    let mut stage = Stage::new(
        "The probe brings no answer within the statement timeout of 5 s: nobody knows who has the
         lock, so S does not lead. A late answer makes it give the lock back.",
    );
    stage.scheduler(S);
    stage.lock_held(S);
    stage.settle(S);
    stage.at("09:00:10");
    stage.wake(S);
    stage.wait_for_alarm(S);
    stage.sleeps(S);
    stage.lock_held(S);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_leader_backs_off_while_the_store_is_away() {
    let mut stage = Stage::new(
        "No call is answered. The pauses double, with a jitter of half to one and a half, and never
         grow beyond the poll interval; the first answer brings S back to its rhythm.",
    );
    stage.scheduler(S);
    stage.lock_held(S);
    for _ in 0..6 {
        stage.lose_request(S);
        stage.sleeps(S);
    }
    stage.call_and_answer(S);
    stage.settle(S);
    stage.sleeps(S);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_scheduler_that_is_asked_to_stop_finishes_its_call_and_gives_the_lock_back() {
    let mut stage = Stage::new(
        "What is out is waited for, so that the next leader finds no transaction in flight.",
    );
    stage.put_schedule("backup", every("* * * * *"));
    stage.scheduler(S);
    stage.lock_held(S);
    stage.call_and_answer(S);
    let request = stage.send_slowly(S);
    stage.wait("1s");
    stage.scheduler_shutdown(S);
    stage.wait("1s");
    let answer = stage.store_takes(&request);
    stage.hears(answer);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_scheduler_that_is_asked_to_stop_while_it_asks_for_the_lock_never_leads() {
    let mut stage = Stage::new(
        "S asks for the lock and is asked to stop before it hears. The lock is granted: it gives it
         back without having led.",
    );
    stage.scheduler(S);
    stage.scheduler_shutdown(S);
    stage.lock_held(S);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_standby_that_is_asked_to_stop_ends_at_once() {
    let mut stage = Stage::new("T stands by: it has nothing to finish and asks for no lock again.");
    stage.scheduler(T);
    stage.lock_missing(T);
    stage.wait("1s");
    stage.scheduler_shutdown(T);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_leader_prunes_when_it_begins_and_then_as_often_as_it_is_told_to() {
    let mut stage = Stage::new(
        "S prunes once an hour, after a tick, and passes again before it sleeps. The passes between
         prune nothing.",
    );
    let limit = std::num::NonZeroU32::new(100).unwrap();
    let keep = Span::from_minutes(60);
    let retention = Retention { keep, keep_per_worker: 1, limit };
    stage.scheduler_with(S, |config| {
        config.poll = Span::from_minutes(20);
        config.probe = Span::from_minutes(600);
        config.retention = Some((retention, Span::from_minutes(60)));
    });
    stage.lock_held(S);
    stage.settle(S);
    for _ in 0..4 {
        stage.sleeps(S);
        stage.wait_for_alarm(S);
        stage.settle(S);
    }
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_sweep_is_said_again_while_it_leaves_something_behind() {
    let mut stage = Stage::new(
        "Two leases have run out, and a sweep does one at a time: it says that more is left.
         Holds: nothing-lost.",
    );
    stage.enqueue("backup:one");
    stage.enqueue("backup:two");
    stage.quietly("both are claimed and started by A, which dies", |stage| {
        stage.runner_with(A, |config| config.concurrency = std::num::NonZeroU32::new(2).unwrap());
        stage.settle(A);
        stage.crashes(A);
    });
    stage.at("09:01:00");
    let limit = std::num::NonZeroU32::MIN;
    stage.say("S", &Command::Sweep { limit });
    stage.say("S", &Command::Sweep { limit });
    insta::assert_snapshot!(stage.ends());
}
