//! A caller that gives up in the middle of a command: the command happened as a whole or not at
//! all, and the store goes on.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

use std::time::Duration;

use horarium_core::catalogue::{Definition, Execution};
use horarium_core::ledger::{Command, Reply, Wish};
use horarium_core::store::Store;
use horarium_core::words::{Actor, ActorKind, By, Note, Request, RunId};
use horarium_sqlite::{OpenOptions, SqliteStore, Synchronous};

/// Two runs of different workers, asked for at once.
fn pair(number: u128) -> Command {
    let name: Note = "ada".parse().unwrap();
    let by = By { actor: Actor { kind: ActorKind::Person, name }, reason: None };
    let wishes = (0..2).map(|half| Wish {
        run: RunId::v7(0, number * 2 + half),
        worker: format!("backup:{number}-{half}").parse().unwrap(),
        request: Request::default(),
        not_before: None,
        by: by.clone(),
    });
    Command::Enqueue(wishes.collect())
}

#[tokio::test]
async fn a_command_whose_caller_gave_up_happened_as_a_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let options =
        OpenOptions::new(directory.path().join("horarium.db")).synchronous(Synchronous::Normal);
    let store = SqliteStore::open_or_create(&options).await.unwrap();
    let name: Note = "ada".parse().unwrap();
    let by = By { actor: Actor { kind: ActorKind::Person, name }, reason: None };
    let definitions = vec![Definition::plain("backup".parse().unwrap(), Execution::Rust)];
    store.submit(&Command::PublishCatalogue { definitions, by }).await.unwrap();

    let pairs = 60;
    for number in 0..pairs {
        let patience = Duration::from_micros(u64::try_from(number).unwrap() * 100);
        let _ = tokio::time::timeout(patience, store.submit(&pair(number))).await;
    }
    let rows = store.dump().await.unwrap();
    for number in 0..pairs {
        let halves =
            (0..2).filter(|half| rows.runs.contains_key(&RunId::v7(0, number * 2 + half))).count();
        assert_ne!(halves, 1, "half of command {number} happened");
    }
    // Said again, each is accepted once.
    for number in 0..pairs {
        let Ok(Reply::Enqueued(answers)) = store.submit(&pair(number)).await else {
            panic!("refused");
        };
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    }
    assert_eq!(store.dump().await.unwrap().runs.len(), 120);
}
