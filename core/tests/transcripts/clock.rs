//! The store's clock steps back. Holds: database-clock.

use crate::stage::{A, Stage, every};

#[test]
fn a_clock_that_steps_back_uses_no_occurrence_twice() {
    let mut stage = Stage::new(
        "The run of 10:00 is done when the clock steps back to before 10:00. The schedule goes on
         after what is accounted for: when it is 10:00 for the second time, nothing is due; nor
         does an edit or an enable bring the instant back.
         Holds: database-clock, no-double-enqueue, one-catch-up.",
    );
    stage.put_schedule("backup", every("0 * * * *"));
    stage.runner(A);
    stage.at("10:00:00");
    stage.tick();
    stage.quietly("the run is executed by A", |stage| {
        stage.turn(A);
        stage.job_starts(A, "backup");
        stage.job_exits(A, "backup", 0);
        stage.turn(A);
    });
    stage.store_clock_steps_back("30m");
    stage.tick();
    stage.put_schedule("backup", every("0,30 * * * *"));
    stage.disable("backup");
    stage.enable("backup");
    stage.at("10:00:00");
    stage.tick();
    stage.at("10:30:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_clock_that_steps_back_shortens_no_lease_and_promises_no_longer_one() {
    let mut stage = Stage::new(
        "A holds a run when the clock steps back by 20 s. A renewal does not shorten the lease; what
         is left of it is never said to be more than a lease, so the deadline stays safe; and
         durations are never negative. Holds: database-clock, no-overlap.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.wait("15s");
    stage.store_clock_steps_back("20s");
    stage.turn(A);
    stage.wait("15s");
    stage.turn(A);
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    let run = stage.run("backup");
    let end = run.end().unwrap();
    let claimed = end.hold.as_ref().unwrap().claimed_at;
    assert!(end.at.since(claimed) <= crate::stage::span("30s"));
    assert!(claimed.since(end.at).is_zero());
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_run_that_was_accepted_before_the_clock_stepped_back_waits_for_its_time() {
    let mut stage = Stage::new(
        "A run was accepted at 09:30:00 and may start from then on. The clock steps back: until it
         is 09:30:00 again, nobody is granted the run, and asking for it again finds it there.
         Holds: not-before, database-clock.",
    );
    stage.at("09:30:00");
    let wish = stage.enqueue("backup");
    stage.store_clock_steps_back("10s");
    stage.enqueue_wish(&wish);
    stage.runner(A);
    stage.wait("10s");
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}
