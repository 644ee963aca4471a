//! What operators do: release, settings, retention.

use std::collections::BTreeMap;

use horarium_core::catalogue::Definition;
use horarium_core::words::{Options, Request};

use crate::stage::{A, Stage, every, handler};

fn options(pairs: &[(&str, i64)]) -> Options {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect()
}

fn request(pairs: &[(&str, i64)]) -> Request {
    Request { options: options(pairs), ..Request::default() }
}

/// A handler with a preset and defaults.
fn report() -> Definition {
    let thorough = request(&[("depth", 9)]);
    Definition {
        presets: BTreeMap::from([("thorough".parse().unwrap(), thorough)]),
        defaults: request(&[("depth", 5), ("level", 5), ("pages", 5)]),
        ..handler("report")
    }
}

#[test]
fn a_release_needs_force_and_is_never_retried() {
    let mut stage = Stage::new(
        "An operator knows that the job is gone and does not want to wait for the lease. Nothing
         proves it, so the release must be forced; the run is INTERRUPTED, by whom is said, and is
         never retried. Releasing again changes nothing. Holds: only-scheduled-retried.",
    );
    stage.put_schedule("backup", every("0 10 * * *"));
    stage.at("10:00:00");
    stage.tick();
    stage.release("backup", true);
    stage.quietly("#1 is claimed and started by A", |stage| {
        stage.runner(A);
        stage.job_starts(A, "backup");
    });
    stage.crashes(A);
    stage.at("10:00:20");
    stage.release("backup", false);
    stage.release("backup", true);
    stage.release("backup", true);
    stage.tick();
    stage.enqueue("backup");
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_runner_whose_run_was_released_stops_its_job() {
    let mut stage = Stage::new(
        "The operator was wrong, the runner lives: with its next turn it hears that the run is not
         its own any more and kills the job. What it works on meanwhile is what `release --force`
         risks. Holds: fenced, terminal-is-final.",
    );
    stage.runner(A);
    stage.enqueue("backup");
    stage.hint_runner(A);
    stage.turn(A);
    stage.job_starts(A, "backup");
    stage.release("backup", true);
    stage.at("09:00:15");
    stage.turn(A);
    stage.job_dies(A, "backup", 9);
    stage.enqueue("backup");
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_change_of_settings_between_enqueue_and_start_shows_in_what_was_started() {
    let mut stage = Stage::new(
        "The run is promised with one config; the operator changes the settings while it waits, and
         it starts with another. Both are kept, each field with where it came from, and the
         request itself stays as it was. Holds: request-is-pinned.",
    );
    stage.handler(report());
    stage.put_settings("report", request(&[("level", 7)]), 0);
    let wish = stage.wish("report");
    stage.enqueue_wish(&horarium_core::ledger::Wish { request: request(&[("pages", 1)]), ..wish });
    let settings = Request { preset: "thorough".parse().ok(), ..request(&[("level", 8)]) };
    stage.put_settings("report", settings.clone(), 0);
    stage.put_settings("report", settings.clone(), 1);
    stage.put_settings("report", settings, 1);
    stage.runner(A);
    stage.job_starts(A, "report");
    let run = stage.run("report");
    assert_eq!(run.request, request(&[("pages", 1)]));
    assert_eq!(run.config.plain_options(), options(&[("depth", 5), ("level", 7), ("pages", 1)]));
    let started = run.hold().and_then(|hold| hold.started.as_ref()).unwrap();
    assert_eq!(
        started.config.plain_options(),
        options(&[("depth", 9), ("level", 8), ("pages", 1)])
    );
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_request_that_its_runner_cannot_serve_fails_at_its_start() {
    let mut stage = Stage::new(
        "The runner's catalogue is older than the one that promised the run and has no such preset:
         the run fails and says why, and no job is started.",
    );
    stage.handler(Definition { version: 1, ..handler("report") });
    stage.runner(A);
    stage.handler(Definition { version: 2, ..report() });
    let wish = stage.wish("report");
    let request = Request { preset: "thorough".parse().ok(), ..Request::default() };
    stage.enqueue_wish(&horarium_core::ledger::Wish { request, ..wish });
    stage.hint_runner(A);
    stage.turn(A);
    stage.turn(A);
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_prune_keeps_whatever_a_retry_is_owed_for() {
    let mut stage = Stage::new(
        "Old runs are deleted, but not a failed one whose retry is owed, however old it is, nor its
         occurrence. Once the chain is over it goes as a whole, with its occurrence, and nothing
         is enqueued for it again. Holds: nothing-lost, no-double-enqueue.",
    );
    stage.put_schedule("backup", every("0 10 2 3 *"));
    stage.at("10:00:00");
    stage.tick();
    stage.quietly("#1 is executed by A and fails", |stage| {
        stage.runner(A);
        stage.job_starts(A, "backup");
        stage.job_exits(A, "backup", 1);
        stage.turn(A);
    });
    stage.note("the scheduler is away for ten days; a manual run comes and goes");
    stage.enqueue("backup");
    stage.cancel("backup");
    stage.at("03-12 10:00:00");
    stage.prune("7d", 0);
    stage.tick();
    stage.cancel("backup");
    stage.prune("7d", 0);
    stage.at("03-19 10:00:00");
    stage.prune("7d", 0);
    stage.tick();
    insta::assert_snapshot!(stage.ends());
}

#[test]
fn a_prune_keeps_the_last_runs_of_each_worker() {
    let mut stage = Stage::new(
        "A worker that runs once a year has not lost its history: the last run stays, however old.",
    );
    for _ in 0..3 {
        stage.enqueue("backup");
        stage.cancel("backup");
    }
    stage.enqueue("backup:yearly");
    stage.cancel("backup:yearly");
    stage.at("03-20 09:00:00");
    stage.prune("7d", 1);
    stage.prune("7d", 1);
    insta::assert_snapshot!(stage.ends());
}
