//! A run's way through the file, from the wish to the output that is read back.
#![allow(clippy::unwrap_used)] // also in what the tests share

use std::num::{NonZeroU32, NonZeroU64};

use horarium_core::catalogue::{Definition, Execution};
use horarium_core::ledger::command::{Ending, Handlers, Registration, Report, ReportEvent, Turn};
use horarium_core::ledger::{Command, Reply, Wish};
use horarium_core::run::{Outcome, Output, StatusKind, Tail};
use horarium_core::store::{Reader, RunFilter, RunRef, Store};
use horarium_core::words::{Actor, ActorKind, By, Note, Request, RunId, RunNumber, RunnerId, Span};
use horarium_sqlite::{OpenOptions, SqliteStore};

fn note(text: &str) -> Note {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_run_is_enqueued_claimed_and_finished_and_its_output_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let options = OpenOptions::new(directory.path().join("horarium.db"));
    let store = SqliteStore::open_or_create(&options).await.unwrap();
    let runner = RunnerId::from_bits(7);
    let run = RunId::from_bits(1);
    let registration = Registration {
        runner,
        name: note("one"),
        host: note("here"),
        version: note("0"),
        handlers: Handlers::All,
        concurrency: NonZeroU32::MIN,
        heartbeat: Span::from_secs(15),
        lease: Span::from_secs(60),
        catalogue: vec![Definition::plain("backup".parse().unwrap(), Execution::Rust)],
    };
    let registered = store.submit(&Command::Register(registration)).await;
    assert_eq!(registered, Ok(Reply::Registered { turn: 0 }));

    let by = By { actor: Actor { kind: ActorKind::Person, name: note("ada") }, reason: None };
    let wish = Wish {
        run,
        worker: "backup:one".parse().unwrap(),
        request: Request::default(),
        not_before: None,
        by,
    };
    store.submit(&Command::Enqueue(vec![wish])).await.unwrap();

    let turn = |number: u64, reports| {
        Command::Turn(Turn {
            runner,
            number: NonZeroU64::new(number).unwrap(),
            reports,
            holding: Vec::new(),
            capacity: 1,
        })
    };
    let Ok(Reply::Turned(turned)) = store.submit(&turn(1, Vec::new())).await else {
        panic!("no turn");
    };
    let output = Output {
        stdout: Tail { bytes: b"done \xff\0".to_vec(), dropped: 3 },
        stderr: Tail::default(),
    };
    let ending = Ending { outcome: Outcome::Success, units: None, output: output.clone() };
    let report = Report { claim: turned.granted[0].claim, event: ReportEvent::Ended(ending) };
    store.submit(&turn(2, vec![report])).await.unwrap();

    let found = store.run(RunRef::Number(RunNumber(1))).await.unwrap().unwrap();
    assert_eq!(found.status_kind(), StatusKind::Success);
    assert_eq!(found.end().unwrap().output, output);
    let filter = RunFilter { limit: 10, ..RunFilter::default() };
    assert_eq!(store.runs(&filter).await.unwrap().len(), 1);
    assert_eq!(store.dump().await.unwrap().runs[&run], found);
}
