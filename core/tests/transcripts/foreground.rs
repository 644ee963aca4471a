//! Runs in the foreground: asked for and claimed in one command.

use horarium_core::ledger::Command;
use horarium_core::words::RunnerId;

use crate::stage::{A, B, Stage, foreground};

/// The id under which A registers first.
fn id_of_a() -> RunnerId {
    RunnerId::from_bits(u128::from(A.as_bytes()[0]) << 8 | 1)
}

#[test]
fn a_foreground_run_starts_at_once_and_its_runner_ends_with_it() {
    let mut stage = Stage::new(
        "A person runs backup at the terminal: a runner registers for nothing else, starts the run,
         reports it, shows that it holds nothing and retires. Holds: one-active-row.",
    );
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.settle(A);
    stage.job_starts(A, "backup");
    stage.heartbeats(A, "09:01:30");
    stage.job_exits(A, "backup", 3);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_foreground_run_is_refused_when_the_slot_is_taken() {
    let mut stage = Stage::new(
        "Another run has the slot: the person is told which, and the runner retires.
         Holds: one-active-row.",
    );
    stage.enqueue("backup");
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_8_a_foreground_start_resent_by_its_holder_answers_the_same_claim() {
    let mut stage = Stage::new(
        "Rule 8: the answer was lost. Sent again by the holder, the start answers the same fence and
         what is left of the lease, so the job is started once, with the right deadline. Without
         the rule the person would be told that the slot is taken, by this very run.
         Holds: nothing-lost, no-overlap.",
    );
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.call_and_answer(A);
    stage.lose_answer(A);
    stage.wait("10s");
    stage.call_and_answer(A);
    stage.job_starts(A, "backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_8_a_foreground_start_is_sent_again_soon() {
    let mut stage = Stage::new(
        "The request was lost. The runner asks again after its pause of a fraction of a second, not
         with its next sweep.",
    );
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.call_and_answer(A);
    stage.lose_request(A);
    stage.call_and_answer(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_4_a_foreground_start_resent_too_late_is_not_started() {
    let mut stage = Stage::new(
        "Rule 4: the answer is repeated when only 20 s of the lease are left, too few for a
         heartbeat to move the deadline. A foreground run is never handed to somebody else: it ends
         INTERRUPTED without having been started. Holds: no-overlap.",
    );
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.call_and_answer(A);
    stage.lose_answer(A);
    stage.wait("40s");
    stage.call_and_answer(A);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_8_a_foreground_start_resent_by_another_runner_is_refused() {
    let mut stage = Stage::new(
        "Rule 8: B sends A's start again, with the same run id. It does not get the run, while it
         runs and afterwards. Holds: fenced, no-overlap.",
    );
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish.clone()));
    stage.settle(A);
    stage.job_starts(A, "backup");
    stage.runner_with(B, foreground(wish.clone()));
    stage.settle(B);
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.say("A", &Command::StartForeground { runner: id_of_a(), wish });
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn rule_8_a_foreground_start_needs_a_runner_that_is_registered_and_not_stopped() {
    let mut stage = Stage::new(
        "Rule 8: nobody would renew or sweep for a runner that the registry does not know. A start
         that arrives after the retirement is refused. Holds: nothing-lost.",
    );
    let wish = stage.wish("backup");
    let start = Command::StartForeground { runner: id_of_a(), wish: wish.clone() };
    stage.say("A", &start);
    stage.runner_with(A, foreground(wish));
    stage.call_and_answer(A);
    stage.lose_request(A);
    stage.interrupt(A);
    stage.wait_for_alarm(A);
    stage.settle(A);
    stage.say("A", &start);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn ctrl_c_cancels_the_foreground_run() {
    let mut stage = Stage::new(
        "Ctrl-C in front of the run: TERM to the job, and the run is CANCELLED whatever it exits
         with. Holds: only-scheduled-retried.",
    );
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.settle(A);
    stage.job_starts(A, "backup");
    stage.wait("2s");
    stage.interrupt(A);
    stage.wait("1s");
    stage.job_exits(A, "backup", 130);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn ctrl_c_before_the_run_was_granted_cancels_it_unstarted() {
    let mut stage = Stage::new(
        "Ctrl-C comes while the answer that grants the run is under way: nothing is started, and the
         run ends CANCELLED. Holds: nothing-lost.",
    );
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.call_and_answer(A);
    let late = stage.answer_slowly(A);
    stage.wait("1s");
    stage.interrupt(A);
    stage.hears(late);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn ctrl_c_after_a_lost_grant_brings_the_run_to_light() {
    let mut stage = Stage::new(
        "The answer that granted the run was lost, then comes Ctrl-C. The turn with capacity 0 is
         handed the run (rule 3), which ends CANCELLED unstarted. Holds: nothing-lost.",
    );
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.call_and_answer(A);
    stage.lose_answer(A);
    stage.interrupt(A);
    stage.wait_for_alarm(A);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_foreground_run_can_be_cancelled_by_somebody_else() {
    let mut stage =
        Stage::new("A run at a terminal is a run like any other: ada cancels it from elsewhere.");
    let wish = stage.wish("backup");
    stage.runner_with(A, foreground(wish));
    stage.settle(A);
    stage.job_starts(A, "backup");
    stage.cancel("backup");
    stage.at("09:00:15");
    stage.turn(A);
    stage.job_dies(A, "backup", 15);
    stage.settle(A);
    insta::assert_snapshot!(stage.ends());
}
