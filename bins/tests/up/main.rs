//! `horarium up` as a person meets it: started, stopped, hurried, doubled and killed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may

#[path = "../daemons/mod.rs"]
mod daemons;
mod place;

use horarium_core::run::{Interruption, Outcome, Run, StatusKind};
use rustix::process::Signal;

use daemons::{Daemon, Process, comes_true};
use place::Place;

/// Jobs that end by themselves, and one that does not.
const CATALOGUE: &str = "
    [handler.brief]
    command = [\"sleep\", \"1\"]
    [handler.endless]
    command = [\"sh\", \"-c\", \"(setsid sleep 600 &); sleep 600 & wait\"]
    stop_grace = \"1s\"
    [handler.once]
    command = [\"true\"]";
/// A lease that runs out soon.
const SHORT_LEASE: [&str; 4] =
    ["--heartbeat=500ms", "--statement-timeout=1s", "--kill-grace=500ms", "--lease=5100ms"];

fn outcome(run: &Run) -> &Outcome {
    &run.end().unwrap().outcome
}

fn ends_well(mut up: Daemon) {
    let status = up.end();
    assert!(status.success(), "{status}; it said\n{}", up.said());
}

#[test]
fn a_fresh_start_in_an_empty_directory_serves_the_example_until_ctrl_c() {
    let place = Place::empty();
    let mut up = place.up("up", &[]);
    up.hear("serving the shipped example");
    up.hear("schedule    greeting: next at ");
    up.hear("Ctrl-C");
    let ledger = place.open("example.db");
    let run = ledger.ended(ledger.enqueue("greeting"));
    assert_eq!(run.status_kind(), StatusKind::Success);
    let said = String::from_utf8(run.end().unwrap().output.stdout.bytes.clone()).unwrap();
    assert_eq!(said, "Hello from Horarium\n");

    up.signal(Signal::INT);
    ends_well(up);
    let runners = ledger.runners();
    assert!(runners.len() == 1 && runners[0].stopped_at.is_some(), "{runners:#?}");
}

#[test]
fn when_it_is_stopped_a_job_may_end_within_the_grace_and_is_interrupted_after_it() {
    let place = Place::with_catalogue(CATALOGUE);
    let up = place.up("up", &["--drain-grace=3s"]);
    let ledger = place.open("horarium.db");
    let [brief, endless] = ["brief", "endless"].map(|worker| ledger.enqueue(worker));
    ledger.started(endless);
    ledger.started(brief);

    up.signal(Signal::TERM);
    ends_well(up);
    assert_eq!(*outcome(&ledger.run(brief)), Outcome::Success);
    assert_eq!(*outcome(&ledger.run(endless)), Outcome::Interrupted(Interruption::Drain));
    assert_eq!(place.jobs(), []);
    assert!(ledger.runners().iter().all(|runner| runner.stopped_at.is_some()));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let place = Place::with_catalogue(CATALOGUE);
    let mut up = place.up("up", &["--drain-grace=1h"]);
    let ledger = place.open("horarium.db");
    let endless = ledger.enqueue("endless");
    ledger.started(endless);

    up.signal(Signal::TERM);
    up.hear("a second signal stops them at once");
    up.signal(Signal::TERM);
    ends_well(up);
    assert_eq!(*outcome(&ledger.run(endless)), Outcome::Interrupted(Interruption::Drain));
    assert_eq!(place.jobs(), []);
}

#[test]
fn of_two_on_one_file_one_leads_and_both_execute() {
    const LEADS: &str = "scheduler leads";
    let place = Place::with_catalogue(CATALOGUE);
    let mut first = place.up("first", &["--concurrency=1", "--drain-grace=0s"]);
    first.hear(LEADS);
    let mut second = place.up("second", &["--concurrency=1", "--drain-grace=0s"]);
    let ledger = place.open("horarium.db");
    let runs = ["endless:a", "endless:b"].map(|worker| ledger.enqueue(worker));
    let [one, other] = runs.map(|run| ledger.started(run).hold().unwrap().runner);
    assert_ne!(one, other);
    second.hear("scheduler stands by");
    assert!(!second.said().contains(LEADS));

    first.signal(Signal::TERM);
    ends_well(first);
    second.hear(LEADS);
    second.signal(Signal::TERM);
    ends_well(second);
}

/// Kills what `victim` says, and sees that no job survives and that the run is resolved by who
/// comes next.
fn no_job_survives_the_death_of(victim: impl Fn(&Daemon) -> Process) {
    let place = Place::with_catalogue(CATALOGUE);
    let mut up = place.up("up", &SHORT_LEASE);
    let ledger = place.open("horarium.db");
    let run = ledger.enqueue("endless");
    ledger.started(run);
    assert!(comes_true(|| place.jobs().len() >= 3));
    let runner = up.runner().unwrap();

    victim(&up).signal(Signal::KILL);
    assert!(!up.end().success());
    assert!(comes_true(|| place.jobs().is_empty()), "{:?}", place.jobs());
    assert!(comes_true(|| !runner.lives()));

    let next = place.up("next", &SHORT_LEASE);
    let run = ledger.ended(run);
    assert_eq!(run.status_kind(), StatusKind::Interrupted);
    assert_eq!(outcome(&ledger.ended(ledger.enqueue("once"))), &Outcome::Success);
    next.signal(Signal::TERM);
    ends_well(next);
}

#[test]
fn no_job_survives_the_guard() {
    no_job_survives_the_death_of(|up| up.process().unwrap());
}

#[test]
fn no_job_survives_the_runner() {
    no_job_survives_the_death_of(|up| up.runner().unwrap());
}

#[test]
fn newer_zone_data_move_schedules_at_the_next_start_and_older_ones_lead_no_more() {
    let place = Place::with_catalogue(
        "[handler.noon]
        command = [\"true\"]
        [schedule.noon]
        cron = \"0 12 1 7 *\"
        timezone = \"Europe/Berlin\"",
    );
    let copy = place.newer_zone_data();

    let mut old = place.up("old", &[]);
    old.hear("zone data 2026f");
    old.signal(Signal::TERM);
    ends_well(old);

    let mut new = place.up_by(&copy, "new", &[]);
    new.hear("zone data 2099a after 2026f");
    new.hear("moved by new zone data worker=noon");
    assert!(new.said().contains("-07-01T10:00:00Z"), "{}", new.said());
    assert!(new.said().contains("-07-01T11:00:00Z"), "{}", new.said());
    new.hear("computed anew: the zone data are newer schedules=1");
    new.signal(Signal::TERM);
    ends_well(new);

    let mut old = place.up("old again", &[]);
    old.hear("the ledger lets this scheduler not lead");
    old.signal(Signal::TERM);
    ends_well(old);
}

#[test]
fn up_and_the_runner_know_a_zone_that_only_newer_zone_data_have() {
    let place = Place::with_catalogue(
        "[handler.noon]
        command = [\"true\"]
        [schedule.noon]
        cron = \"0 12 1 7 *\"",
    );
    let copy = place.newer_zone_data();
    let in_atlantis = ["--tz=Europe/Atlantis"];

    let mut unknowing = place.up("unknowing", &in_atlantis);
    unknowing.hear("Europe/Atlantis");
    assert_eq!(unknowing.end().code(), Some(2), "{}", unknowing.said());
    let mut unknowing = place.runner_by("bundled", "unknowing runner", &in_atlantis);
    unknowing.hear("Europe/Atlantis");
    assert_eq!(unknowing.end().code(), Some(2), "{}", unknowing.said());

    let mut up = place.up_by(&copy, "up", &in_atlantis);
    up.hear("schedule    noon: next at ");
    up.hear("12:00 +02:00 Europe/Atlantis");
    let runner = place.runner_by(&copy, "runner", &in_atlantis);
    let ledger = place.open("horarium.db");
    assert!(comes_true(|| ledger.runners().len() == 2), "{}", runner.said());
    runner.signal(Signal::TERM);
    ends_well(runner);
    up.signal(Signal::TERM);
    ends_well(up);
}
