//! Schedules that are saved, edited, paused and deleted.

use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::schedule::{Plan, Revision};
use horarium_core::words::Request;

use crate::stage::{A, Stage, every};

/// An hourly schedule of `backup` that is due and not yet looked at, at 10:00:30.
fn due(purpose: &str) -> Stage {
    let mut stage = Stage::new(purpose);
    stage.put_schedule("backup", every("0 * * * *"));
    stage.at("10:00:30");
    stage.note("the instant of 10:00 is due, and no scheduler has looked at it");
    stage
}

/// An hourly schedule of `backup` whose run of 10:00 runs on A, at 10:00:30.
fn running(purpose: &str) -> Stage {
    let mut stage = Stage::new(purpose);
    stage.put_schedule("backup", every("0 * * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.quietly("#1 is claimed and started by A", |stage| {
        stage.runner(A);
        stage.job_starts(A, "backup");
    });
    stage.at("10:00:30");
    stage
}

#[test]
fn an_edit_while_due_records_the_skip_and_creates_no_past_occurrence() {
    let mut stage = due("The new rule names 10:00 too, but it starts after now, and the
         instant that the edit drops is recorded as SKIPPED. Holds: one-catch-up.");
    stage.put_schedule("backup", every("*/10 * * * *"));
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn an_equal_put_while_due_changes_nothing() {
    let mut stage = due(
        "Somebody applies the same file again while the schedule is due, and with an old revision
         even: nothing is different, and the instant is run. Holds: no-double-enqueue.",
    );
    stage.put_schedule_seen("backup", every("0 * * * *"), Revision::NONE);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_disable_while_due_records_the_skip() {
    let mut stage = due(
        "The instant that is due is recorded as SKIPPED, by whom is said; a second disable does
         nothing; nothing fires while it is disabled, and the enable starts after now.
         Holds: one-catch-up.",
    );
    stage.disable("backup");
    stage.disable("backup");
    stage.at("12:30:00");
    stage.tick();
    stage.enable("backup");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_delete_while_due_records_the_skip_and_what_was_accounted_for_stays() {
    let mut stage = due(
        "The schedule goes, and its due instant is recorded as SKIPPED. A new schedule of the same
         worker goes on after what is accounted for, and its revision goes on counting. Deleting
         what is not there is no error. Holds: no-double-enqueue.",
    );
    stage.delete("backup");
    stage.delete("backup");
    stage.put_schedule("backup", every("0 * * * *"));
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn enabling_what_is_enabled_does_nothing() {
    let mut stage = due("Even while it is due: the instant is run. Holds: one-catch-up.");
    stage.enable("backup");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn an_edit_while_running_does_not_touch_the_run() {
    let mut stage = running(
        "The request of the schedule is edited while a run of it runs, and fails: the retry carries
         the request that its first attempt had; only the next occurrence has the new one.
         Holds: request-is-pinned, bounded-attempts.",
    );
    let options = [(String::from("level"), 9.into())].into();
    let request = Request { options, ..Request::default() };
    stage.put_schedule("backup", Plan { request, ..every("0 * * * *") });
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.tick();
    stage.at("10:02:00");
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.at("11:00:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_retry_does_not_depend_on_its_schedule() {
    let mut stage = running(
        "The run fails and its retry is owed; then the schedule is disabled and deleted. Both say
         that a retry is owed, and the retry is created all the same. Holds: nothing-lost.",
    );
    stage.job_exits(A, "backup", 1);
    stage.turn(A);
    stage.disable("backup");
    stage.delete("backup");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_delete_while_running_lets_the_run_end() {
    let mut stage = running("The run goes on, ends, and its occurrence stays.");
    stage.delete("backup");
    stage.job_exits(A, "backup", 0);
    stage.turn(A);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_change_by_somebody_who_saw_an_older_revision_is_refused() {
    let mut stage = Stage::new(
        "Ada and another person edit the same schedule: whoever saved later has not seen the change
         and is told to look again. A save whose answer was lost is repeated without harm.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.put_schedule_seen("backup", every("0 11 * * *"), Revision(1));
    stage.put_schedule_seen("backup", every("0 12 * * *"), Revision(1));
    stage.put_schedule_seen("backup", every("0 11 * * *"), Revision(1));
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_schedule_of_an_unknown_handler_or_preset_is_refused() {
    let mut stage = Stage::new("A request is checked against the catalogue when it is saved.");
    stage.put_schedule("ocr", every("0 10 * * *"));
    let request = Request { preset: "fast".parse().ok(), ..Request::default() };
    stage.put_schedule("backup", Plan { request, ..every("0 10 * * *") });
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_clock_that_is_set_back_repeats_no_wall_time() {
    let mut stage = Stage::new(
        "On 2026-10-25 the clocks of Berlin go back from 03:00 to 02:00, so 02:30 comes twice: the
         fixed-time rule runs at the first, the tick at the second finds nothing, and an edit of
         the request between the two does not bring it back. Holds: no-double-enqueue.",
    );
    let berlin = || {
        let zone: Zone = "Europe/Berlin".parse().unwrap();
        Recurrence::cron("30 2 * * *", zone).unwrap()
    };
    stage.at("10-24 12:00:00");
    stage.put_schedule("backup", Plan { recurrence: berlin(), ..every("0 0 * * *") });
    stage.at("10-25 00:30:00");
    stage.tick();
    stage.at("10-25 00:45:00");
    let options = [(String::from("level"), 9.into())].into();
    let request = Request { options, ..Request::default() };
    stage.put_schedule("backup", Plan { recurrence: berlin(), request, ..every("0 0 * * *") });
    stage.at("10-25 01:30:00");
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}
