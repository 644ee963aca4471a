//! What daemons need besides commands: one leader, and hints.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

mod scene;
mod server;

use std::time::Duration;

use horarium_core::ledger::Command;
use horarium_core::words::RunId;
use horarium_postgres::{Hint, LeaderLock};
use scene::{Scene, wish};

const PROBE: Duration = Duration::from_secs(10);

#[tokio::test]
async fn one_process_leads_until_it_gives_the_lock_back() {
    let scene = Scene::new().await;
    let mut first = LeaderLock::try_acquire(&scene.store, PROBE).await.unwrap().unwrap();
    assert!(first.is_held().await);
    assert!(LeaderLock::try_acquire(&scene.store, PROBE).await.unwrap().is_none());
    first.release().await;
    let mut second = LeaderLock::try_acquire(&scene.store, PROBE).await.unwrap().unwrap();
    assert!(second.is_held().await);
}

#[tokio::test]
async fn ledgers_in_one_database_have_a_leader_each() {
    let scene = Scene::new().await;
    let _north = LeaderLock::try_acquire(&scene.store, PROBE).await.unwrap().unwrap();
    let location = format!("{}?schema=south", scene.database.location());
    let options = horarium_postgres::OpenOptions::at(&location).unwrap();
    horarium_postgres::PostgresStore::migrate(&options).await.unwrap();
    let south = horarium_postgres::PostgresStore::open(&options).await.unwrap();
    assert!(LeaderLock::try_acquire(&south, PROBE).await.unwrap().is_some());
}

#[tokio::test]
async fn a_leader_whose_session_was_ended_knows_that_it_leads_no_more() {
    let scene = Scene::new().await;
    let mut lock = LeaderLock::try_acquire(&scene.store, PROBE).await.unwrap().unwrap();
    let mut other = scene.database.connection().await;
    let end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE application_name = 'horarium-leader' AND datname = current_database()";
    sqlx::raw_sql(end).execute(&mut other).await.unwrap();
    assert!(!lock.is_held().await);
    assert!(LeaderLock::try_acquire(&scene.store, PROBE).await.unwrap().is_some());
}

/// As when the process is frozen, or cut off: no probe comes.
#[tokio::test]
async fn a_leader_that_is_not_heard_of_loses_the_lock_after_three_probes() {
    let scene = Scene::new().await;
    let probe = Duration::from_millis(400);
    let mut frozen = LeaderLock::try_acquire(&scene.store, probe).await.unwrap().unwrap();
    let since = std::time::Instant::now();
    let next = loop {
        if let Some(lock) = LeaderLock::try_acquire(&scene.store, PROBE).await.unwrap() {
            break lock;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let waited = since.elapsed();
    assert!(waited >= Duration::from_secs(1), "the lock was lost after {waited:?}");
    println!("replaced after {waited:?}");
    assert!(!frozen.is_held().await);
    drop(next);
}

#[tokio::test]
async fn a_command_gives_each_hint_once_and_a_refused_one_none() {
    let scene = Scene::new().await;
    let mut hints = scene.store.hints().await.unwrap();
    scene.tell(&Command::Enqueue(vec![wish(1, "ghost")])).await;
    scene.enqueue(vec![wish(2, "backup"), wish(3, "mail")]).await;
    scene.schedule("ocr", "0 10 * * *").await;
    scene.tell(&Command::Cancel { run: RunId::v7(0, 2), by: scene::by() }).await;
    let mut heard = Vec::new();
    while heard.len() < 3 {
        heard.extend(hints.next().await.unwrap());
    }
    assert_eq!(heard, [Hint::Work, Hint::Agenda, Hint::Cancel]);
}

#[tokio::test]
async fn a_listener_that_lost_its_connection_takes_everything_for_hinted() {
    let scene = Scene::new().await;
    let mut hints = scene.store.hints().await.unwrap();
    let mut other = scene.database.connection().await;
    let end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE application_name = 'horarium-hints' AND datname = current_database()";
    sqlx::raw_sql(end).execute(&mut other).await.unwrap();
    assert_eq!(hints.next().await.unwrap(), [Hint::Work, Hint::Cancel, Hint::Agenda]);
    scene.enqueue(vec![wish(1, "backup")]).await;
    assert_eq!(hints.next().await.unwrap(), [Hint::Work]);
}
