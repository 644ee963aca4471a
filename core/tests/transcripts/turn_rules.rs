//! The nine rules of the turn, each with the trace that would break without it.
//!
//! Rules 3, 7 and 8 have more traces in `lost_answers`, `fencing` and `foreground`.

use std::num::{NonZeroU32, NonZeroU64};

use horarium_core::ledger::{Command, Turn};
use horarium_core::words::{LeaseTiming, RunnerId};

use crate::stage::{A, B, Stage, span};

/// A runner whose answers may take half a minute.
fn slow_runner(stage: &mut Stage, who: &'static str) {
    let timing = LeaseTiming {
        heartbeat: span("5s"),
        statement_timeout: span("30s"),
        ..LeaseTiming::default()
    };
    stage.runner_with(who, |config| config.lease = timing.checked().unwrap());
    stage.settle(who);
}

fn bare_turn(runner: u128, number: u64) -> Command {
    Command::Turn(Turn {
        runner: RunnerId::from_bits(runner),
        number: NonZeroU64::new(number).unwrap(),
        reports: Vec::new(),
        holding: Vec::new(),
        capacity: 1,
    })
}

#[test]
fn rule_1_a_turn_that_comes_late_is_stale_and_claims_nothing() {
    let mut stage = Stage::new(
        "Rule 1: a turn's number is taken once, and only upward. A's turn 2 is under way for so
         long that A has given it up; turn 3 is taken first. Without the rule turn 2 would claim
         the run for A, which would not listen. Holds: nothing-lost.",
    );
    stage.runner(A);
    stage.wait("10s");
    stage.wake(A);
    let slow = stage.send_slowly(A);
    stage.wait("5s");
    stage.turn(A);
    stage.enqueue("backup");
    let late = stage.store_takes(&slow);
    stage.note("rule 2: the late answer is not for the outstanding turn, so A lives on");
    stage.hears(late);
    stage.hint_runner(A);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_1_a_turn_that_a_store_repeats_is_stale_and_its_runner_begins_anew() {
    let mut stage = Stage::new(
        "Rule 1: a store that repeats a turn without knowing that it was rolled back finds the
         number taken. The answer is stale, and all that A can do is to kill everything and to
         register anew: it cannot know what the first answer handed it. Holds: no-overlap.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.at("09:00:15");
    stage.wake(A);
    let request = stage.send_slowly(A);
    stage.note("the turn is taken, then taken again");
    let _ = stage.store_takes(&request);
    let stale = stage.store_takes(&request);
    stage.hears(stale);
    stage.settle(A);
    stage.job_dies(A, "backup", 9);
    stage.at("09:01:15");
    stage.turn(A);
    stage.sweep();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_1_an_unknown_or_stopped_runner_takes_no_turn() {
    let mut stage = Stage::new(
        "Rule 1: only a registered runner that has not stopped takes a turn, and registering never
         revives a stopped one. Holds: fenced.",
    );
    stage.enqueue("backup");
    stage.say("a stranger", &bare_turn(99, 1));
    stage.runner_with(A, |_| {});
    stage.call_and_answer(A);
    stage.shutdown(A);
    stage.settle(A);
    let id = u128::from(A.as_bytes()[0]) << 8 | 1;
    stage.say(A, &bare_turn(id, 9));
    let registration = stage.ledger().rows().runners[&RunnerId::from_bits(id)].registration.clone();
    stage.say(A, &Command::Register(registration));
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_2_an_answer_to_another_turn_than_the_outstanding_one_is_dropped() {
    let mut stage = Stage::new(
        "Rule 2: turn 2 has claimed a run, and its answer is so late that A has given it up and has
         been handed the run by turn 3 (rule 3). Without the rule the late answer would start the
         job twice, with a deadline of its own. Holds: no-overlap.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    let late = stage.answer_slowly(A);
    stage.wait("5s");
    stage.turn(A);
    stage.hears(late);
    stage.job_starts(A, "backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_3_a_claim_is_named_until_the_store_has_answered_for_it() {
    let mut stage = Stage::new(
        "Rule 3: the job has exited, and two turns that say so are lost. A goes on naming the claim,
         so the store never takes it for one that A has not heard of. Without the rule turn 6
         would hand the run over again, and its job would be started a second time.
         Holds: no-overlap, terminal-is-final.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 0);
    stage.lose_request(A);
    stage.lose_answer_of_turn(A);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_3_a_claim_that_is_known_is_not_started_again() {
    let mut stage = Stage::new(
        "Rule 3: no claim is started twice, even if a confused store hands over what A has named.
         Holds: no-overlap.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    let grant = stage.answer_slowly(A);
    stage.hears(grant.clone());
    stage.job_is_started(A, "backup");
    stage.hears_instead(A, &grant);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_4_a_grant_whose_deadline_is_too_near_is_given_back() {
    let mut stage = Stage::new(
        "Rule 4: the answer that hands the run over took 25 s, so the job would have to be dead
         before a heartbeat could move its deadline. It is not started but given back. The turn that
         gives it back does not claim it again; B gets it with a whole lease and a larger fence.
         Holds: no-overlap, fence-grows.",
    );
    slow_runner(&mut stage, A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    let late = stage.answer_slowly(A);
    stage.wait("25s");
    stage.hears(late);
    stage.turn(A);
    stage.runner(B);
    stage.job_starts(B, "backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_5_a_give_back_of_a_run_that_somebody_cancelled_ends_it() {
    let mut stage = Stage::new(
        "Rule 5: the run is cancelled while its hand-over is under way. It was never started, so the
         give-back ends it CANCELLED. Without the rule it would be QUEUED again, and run.",
    );
    slow_runner(&mut stage, A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    let late = stage.answer_slowly(A);
    stage.wait("5s");
    stage.cancel("backup");
    stage.wait("20s");
    stage.hears(late);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_5_a_claim_that_somebody_cancelled_is_not_handed_over_again() {
    let mut stage = Stage::new(
        "Rule 5: the answer that handed the run over was lost, and the run is cancelled. A's next
         turn does not name it, so it was never started: it ends CANCELLED instead of being handed
         over again.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.lose_answer_of_turn(A);
    stage.cancel("backup");
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_5_a_give_back_that_comes_too_late_changes_nothing() {
    let mut stage = Stage::new(
        "Rule 5: give-back is fenced like finish. A gives a run back that a sweep has closed and
         whose worker B runs by now: the answer is lost. Without the fence B's run would be taken
         away from it. Holds: fenced.",
    );
    slow_runner(&mut stage, A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    let late = stage.answer_slowly(A);
    stage.wait("29s");
    stage.hears(late);
    stage.note("the give-back is under way while A's lease runs out");
    stage.wait("1s");
    let slow = stage.send_slowly(A);
    stage.at("09:01:00");
    stage.sweep();
    stage.enqueue("backup");
    stage.runner(B);
    let _ = stage.store_takes(&slow);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_6_a_runner_retires_after_the_store_has_shown_that_it_holds_nothing() {
    let mut stage = Stage::new(
        "Rule 6: A is asked to stop and believes that it has nothing, but the answer that handed it
         a run was lost. Its turn with capacity 0 brings the run to light, it is given back, and
         only the next turn shows that nothing is left. Without the rule the registry would say
         that A has stopped while a run waits for it. Holds: nothing-lost.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.lose_answer_of_turn(A);
    stage.shutdown(A);
    stage.turn(A);
    stage.settle(A);
    stage.runner(B);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_6_what_was_shown_before_a_later_claim_does_not_count() {
    let mut stage = Stage::new(
        "Rule 6: while its one job dies, A says a turn with capacity 0 and is shown that the store
         holds nothing. Then it has room again, and the answer to a claim is lost. Asked to stop, A
         does not rely on what it was shown before that claim. Holds: nothing-lost.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.release("backup", true);
    stage.cancel_hint(A);
    stage.turn(A);
    stage.cancel_hint(A);
    stage.turn(A);
    stage.job_dies(A, "backup", 9);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.lose_answer_of_turn(A);
    stage.shutdown(A);
    stage.turn(A);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_6_a_claim_behind_a_locked_row_is_waited_for_without_haste() {
    let mut stage = Stage::new(
        "Rule 6: the answer that handed A a run was lost, and another transaction holds the row of
         that run. A's turn with capacity 0 cannot show it, so A asks to retire and is told what it
         still holds. It asks again after 50 ms, then after twice as long each time, up to a second,
         until the row is free and the run comes to light. Holds: nothing-lost.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.lose_answer_of_turn(A);
    stage.lock_run("backup");
    stage.shutdown(A);
    for _ in 0..6 {
        stage.turn(A);
    }
    stage.unlock();
    stage.turn(A);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_6_a_retirement_is_refused_while_the_runner_holds_something() {
    let mut stage = Stage::new(
        "Rule 6, from the store's side: whoever asks too early is told what is still held.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    let runner = RunnerId::from_bits(u128::from(A.as_bytes()[0]) << 8 | 1);
    stage.say(A, &Command::Retire { runner });
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_7_a_finish_of_a_run_that_somebody_else_ended_is_lost() {
    let mut stage = Stage::new(
        "Rule 7: finishing twice is finishing only if this runner wrote the outcome under this
         fence. Here an operator released the run before A's finish arrived: A is told that it lost
         it, and the row stays. Holds: terminal-is-final, fenced.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.release("backup", true);
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_9_a_locked_row_is_answered_busy_and_the_rest_of_the_turn_goes_on() {
    let mut stage = Stage::new(
        "Rule 9: a turn waits for nothing but its runner row. Another transaction holds the row of
         one run: what A says of it is busy and is said again, while its other run is renewed and
         finished. Without the rule one slow transaction would cost A all its leases.
         Holds: nothing-lost.",
    );
    stage.runner_with(A, |config| config.concurrency = NonZeroU32::new(2).unwrap());
    stage.settle(A);
    stage.enqueue("backup");
    stage.enqueue("backup:second");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_is_started(A, "backup");
    stage.job_is_started(A, "backup:second");
    stage.turn(A);
    stage.turn(A);
    stage.wait("5s");
    stage.lock_run("backup");
    stage.job_exits(A, "backup", 0);
    stage.job_exits(A, "backup:second", 0);
    stage.turn(A);
    stage.turn(A);
    stage.unlock();
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_9_a_renewal_that_met_a_locked_row_is_said_again() {
    let mut stage = Stage::new(
        "Rule 9: the row is locked when its lease is to be renewed. The renewal is said again a
         little later, not a whole heartbeat later. Holds: nothing-lost.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.at("09:00:15");
    stage.lock_run("backup");
    stage.turn(A);
    stage.turn(A);
    stage.unlock();
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_9_a_row_that_stays_locked_is_asked_for_less_and_less_often() {
    let mut stage = Stage::new(
        "Rule 9: a business transaction holds the row for long. A says its word again after 50 ms,
         then after twice as long each time, up to a second: the store is not asked twenty times a
         second for nothing. A row that is free at once is asked for soon the next time.
         Holds: nothing-lost.",
    );
    stage.runner_with(A, |config| config.concurrency = NonZeroU32::new(2).unwrap());
    stage.settle(A);
    stage.enqueue("backup");
    stage.enqueue("backup:second");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_is_started(A, "backup");
    stage.job_is_started(A, "backup:second");
    stage.turn(A);
    stage.turn(A);
    stage.wait("5s");
    stage.lock_run("backup");
    stage.job_exits(A, "backup", 0);
    for _ in 0..8 {
        stage.turn(A);
    }
    stage.unlock();
    stage.turn(A);
    stage.lock_run("backup:second");
    stage.job_exits(A, "backup:second", 0);
    stage.turn(A);
    stage.unlock();
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}
