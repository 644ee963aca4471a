//! Several processes on one file: nobody is told that the database is locked, and each slot is
//! filled once.
#![allow(clippy::unwrap_used, clippy::panic)] // what the tests share may fail as they do

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;

use horarium_core::catalogue::{Definition, Execution};
use horarium_core::ledger::command::{Ending, Handlers, Tick};
use horarium_core::ledger::{
    Command, Registration, Reply, Report, ReportEvent, Rows, Turn, Turned, Wish,
};
use horarium_core::recurrence::Recurrence;
use horarium_core::run::{Outcome, Output, StatusKind};
use horarium_core::schedule::{Plan, Revision};
use horarium_core::store::Store;
use horarium_core::words::{
    Actor, ActorKind, By, Note, Request, RunId, RunnerId, SchedulerId, Span, Timestamp,
};
use horarium_sqlite::{Clock, OpenOptions, SettableClock, SqliteStore, Synchronous};
use tokio::runtime::Runtime;

/// Set for a child process: the file to work on, and which child it is.
const FILE: &str = "HORARIUM_TEST_FILE";
const SEAT: &str = "HORARIUM_TEST_SEAT";
const PROCESSES: u64 = 3;
const ROUNDS: u64 = 60;
const WORKERS: u64 = 4;

fn note(text: &str) -> Note {
    text.parse().unwrap()
}

fn by() -> By {
    By { actor: Actor { kind: ActorKind::Person, name: note("ada") }, reason: None }
}

fn options(path: &Path) -> OpenOptions {
    OpenOptions::new(path).synchronous(Synchronous::Normal)
}

fn registration(runner: RunnerId) -> Registration {
    Registration {
        runner,
        name: note("hammer"),
        host: note("here"),
        version: note("0"),
        handlers: Handlers::All,
        concurrency: NonZeroU32::MIN,
        heartbeat: Span::from_secs(15),
        lease: Span::from_secs(60),
        catalogue: vec![Definition::plain("backup".parse().unwrap(), Execution::Rust)],
    }
}

/// Asks for runs of the same few workers, claims and finishes them, and ticks, as fast as it can.
async fn hammer(store: &SqliteStore, seat: u64) {
    let runner = RunnerId::from_bits(u128::from(seat) + 1);
    store.submit(&Command::Register(registration(runner))).await.unwrap();
    let mut reports = Vec::new();
    for round in 1..=ROUNDS {
        let wish = Wish {
            run: RunId::v7(round, u128::from(seat) << 32 | u128::from(round)),
            worker: format!("backup:{}", round % WORKERS).parse().unwrap(),
            request: Request::default(),
            not_before: None,
            by: by(),
        };
        store.submit(&Command::Enqueue(vec![wish])).await.unwrap();
        let turn = Turn {
            runner,
            number: NonZeroU64::new(round).unwrap(),
            reports: std::mem::take(&mut reports),
            holding: Vec::new(),
            capacity: 2,
        };
        let Reply::Turned(Turned { granted, .. }) =
            store.submit(&Command::Turn(turn)).await.unwrap()
        else {
            panic!("no turn");
        };
        reports.extend(granted.into_iter().map(|grant| {
            let ending =
                Ending { outcome: Outcome::Success, units: None, output: Output::default() };
            Report { claim: grant.claim, event: ReportEvent::Ended(ending) }
        }));
        let tick =
            Tick { scheduler: SchedulerId::from_bits(1), limit: NonZeroU32::MIN, seed: round };
        store.submit(&Command::Tick(tick)).await.unwrap();
    }
}

/// The body of a child process; nothing when it is run as a test of its own.
#[tokio::test]
async fn a_child_process_hammers_the_file_that_it_is_given() {
    let (Ok(file), Ok(seat)) = (std::env::var(FILE), std::env::var(SEAT)) else {
        return;
    };
    let store = SqliteStore::open_or_create(&options(Path::new(&file))).await.unwrap();
    hammer(&store, seat.parse().unwrap()).await;
}

fn child(path: &Path, seat: u64) -> Child {
    Process::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_child_process_hammers_the_file_that_it_is_given"])
        .env(FILE, path)
        .env(SEAT, seat.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn processes_that_make_and_hammer_one_file_at_once_all_get_their_answers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("horarium.db");
    let children: Vec<Child> = (0..PROCESSES).map(|seat| child(&path, seat)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success(), "a process was refused");
    }
    let store = SqliteStore::open(&options(&path)).await.unwrap();
    let rows = store.dump().await.unwrap();
    let active: Vec<_> = rows.runs.values().filter(|run| run.is_active()).collect();
    let slots: BTreeSet<_> = active.iter().map(|run| &run.worker).collect();
    assert_eq!(active.len(), slots.len(), "a slot is taken twice");
    let numbers: BTreeSet<_> = rows.runs.values().map(|run| run.number).collect();
    assert_eq!(numbers.len(), rows.runs.len(), "a number was drawn twice");
    let ended = rows.runs.values().filter(|run| run.status_kind() == StatusKind::Success).count();
    assert!(ended > 20, "only {ended} runs came to their end");
    assert!(rows.runners.values().all(|runner| runner.turn == ROUNDS), "a turn was lost");
}

#[test]
fn schedulers_that_all_believe_to_lead_enqueue_each_instant_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("horarium.db");
    let start = "2026-06-01T00:00:30Z".parse::<Timestamp>().unwrap();
    let clock = SettableClock::at(start);
    let options = options(&path).clock(Clock::Settable(clock.clone()));
    let store = runtime().block_on(async {
        let store = SqliteStore::open_or_create(&options).await.unwrap();
        store.submit(&Command::Register(registration(RunnerId::from_bits(1)))).await.unwrap();
        for number in 0..20 {
            let plan = Plan {
                recurrence: Recurrence::cron("* * * * *", "UTC".parse().unwrap()).unwrap(),
                request: Request::default(),
                not_before: None,
                until: None,
                max_runs: None,
                max_lateness: None,
                retry: None,
            };
            let command = Command::PutSchedule {
                worker: format!("backup:{number}").parse().unwrap(),
                seen: Revision::NONE,
                plan: Box::new(plan),
                reset_runs: false,
                by: by(),
            };
            store.submit(&command).await.unwrap();
        }
        store
    });
    clock.set(start.plus(Span::from_minutes(1)));
    let begin = Arc::new(std::sync::Barrier::new(4));
    let schedulers: Vec<_> = (0..4)
        .map(|seat| {
            let (options, begin) = (options.clone(), Arc::clone(&begin));
            std::thread::spawn(move || {
                runtime().block_on(async {
                    let store = SqliteStore::open(&options).await.unwrap();
                    begin.wait();
                    let limit = NonZeroU32::new(3).unwrap();
                    for seed in 0..10 {
                        let scheduler = SchedulerId::from_bits(seat);
                        let tick = Tick { scheduler, limit, seed };
                        store.submit(&Command::Tick(tick)).await.unwrap();
                    }
                });
            })
        })
        .collect();
    for scheduler in schedulers {
        scheduler.join().unwrap();
    }
    let rows = runtime().block_on(store.dump()).unwrap();
    assert_eq!((rows.occurrences.len(), rows.runs.len()), (20, 20));
}

#[test]
fn processes_that_migrate_at_once_apply_each_migration_once() {
    let directory = tempfile::tempdir().unwrap();
    let options = options(&directory.path().join("horarium.db"));
    let begin = Arc::new(std::sync::Barrier::new(6));
    let migrating: Vec<_> = (0..6)
        .map(|_| {
            let (options, begin) = (options.clone(), Arc::clone(&begin));
            std::thread::spawn(move || {
                runtime().block_on(async {
                    begin.wait();
                    SqliteStore::migrate(&options).await.unwrap().close().await;
                });
            })
        })
        .collect();
    for thread in migrating {
        thread.join().unwrap();
    }
    let store = runtime().block_on(SqliteStore::open(&options)).unwrap();
    assert_eq!(runtime().block_on(store.dump()).unwrap(), Rows::default());
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn no_transaction_begins_without_saying_how() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(
                    !text.contains(".begin()"),
                    "{}: a plain begin reads first and then finds that it cannot write; say \
                     BEGIN IMMEDIATE, or BEGIN DEFERRED where nothing is written",
                    path.display()
                );
            }
        }
    }
}
