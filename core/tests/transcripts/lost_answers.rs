//! Answers that are lost on the way: what was done is neither repeated nor forgotten.

use horarium_core::ledger::{Command, Wish};

use crate::stage::{A, Stage, every};

#[test]
fn an_enqueue_whose_answer_was_lost_is_sent_again_and_enqueues_once() {
    let mut stage = Stage::new(
        "The caller does not know whether its run was accepted and asks again with the same id: it
         is answered with the run that is there, however far it is. The same id with another body
         is refused. Holds: nothing-lost, one-active-row.",
    );
    let wish = stage.enqueue("backup");
    stage.note("the answer is lost");
    stage.wait("1s");
    stage.enqueue_wish(&wish);
    stage.runner(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.enqueue_wish(&wish);
    let later = "2026-03-02T12:00:00Z".parse().unwrap();
    stage.enqueue_wish(&Wish { not_before: Some(later), ..wish });
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn one_item_of_a_batch_that_finds_its_slot_taken_does_not_fail_the_others() {
    let mut stage = Stage::new(
        "A batch has one answer for each item. Sent again as a whole it changes nothing.
         Holds: one-active-row.",
    );
    stage.handler(crate::stage::handler("report"));
    let wishes = vec![
        stage.wish("backup"),
        stage.wish("backup:second"),
        stage.wish("backup"),
        stage.wish("ocr"),
        stage.wish("report"),
    ];
    let batch = Command::Enqueue(wishes);
    stage.say("ada", &batch);
    stage.note("the answer is lost");
    stage.say("ada", &batch);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_claim_whose_answer_was_lost_is_handed_over_again() {
    let mut stage = Stage::new(
        "The store has claimed a run for A, and A does not know. Its next turn does not name the
         claim: it is handed over again under the same fence, with a fresh lease, and started
         once. Without this (rule 3) the run would wait for its lease to run out, held by a runner
         that never heard of it. Holds: nothing-lost.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.lose_answer_of_turn(A);
    stage.wait("4s");
    stage.turn(A);
    stage.job_starts(A, "backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_finish_whose_answer_was_lost_is_said_again_and_is_done() {
    let mut stage = Stage::new(
        "A does not know whether its result was written and says it again: the recorded outcome is
         its own, under this fence, so finishing twice is finishing (rule 7). A retry that was
         enqueued meanwhile is not touched. Holds: terminal-is-final, bounded-attempts.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 1);
    stage.lose_answer_of_turn(A);
    stage.tick();
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_finish_whose_request_was_lost_is_said_again_and_is_done() {
    let mut stage = Stage::new(
        "The request never arrived. For the runner that is the same: it says everything again,
         under the next number. Holds: nothing-lost.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 0);
    stage.lose_request(A);
    stage.lose_request(A);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_start_whose_answer_was_lost_is_said_again_and_the_first_report_stands() {
    let mut stage =
        Stage::new("The report of the start is written once: said again, it changes nothing.");
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_is_started(A, "backup");
    stage.lose_answer_of_turn(A);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_registration_whose_answer_was_lost_is_sent_again_under_the_same_id() {
    let mut stage =
        Stage::new("Registering a known runner changes nothing: not its number, not its name.");
    stage.runner_with(A, |_| {});
    stage.lose_answer(A);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_tick_whose_answer_was_lost_is_repeated_and_enqueues_nothing_twice() {
    let mut stage = Stage::new(
        "The scheduler does not know what became of its tick and makes another: everything is
         accounted for already. Holds: no-double-enqueue.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.note("the answer is lost");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}
