//! One history: a database with a witness, clients, and the judgement.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do
#![allow(dead_code)] // not every test needs all of it

pub(crate) mod clients;
pub(crate) mod witness;

use std::ops::Range;
use std::sync::Arc;

use conformance::history::{History, Judged, Unexplained};
use horarium_core::words::Timestamp;
use horarium_postgres::Clock;

use crate::server::Database;
use clients::{Client, World};

/// How many rounds each client goes, unless `HISTORY_ROUNDS` says otherwise.
const ROUNDS: u64 = 60;

/// The seeds that `HISTORY_SEED` names: one, or a range.
pub(crate) fn seeds(ordinary: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("HISTORY_SEED") else {
        return ordinary;
    };
    if let Some((first, end)) = text.split_once("..") {
        return first.parse().unwrap()..end.parse().unwrap();
    }
    let only: u64 = text.parse().unwrap();
    only..only + 1
}

fn rounds() -> u64 {
    std::env::var("HISTORY_ROUNDS").map_or(ROUNDS, |text| text.parse().unwrap())
}

/// A history before it begins.
pub(crate) struct Play {
    seed: u64,
    pub(crate) database: Database,
    /// Where the clients find the store.
    pub(crate) location: String,
}

impl Play {
    pub(crate) async fn new(seed: u64) -> Self {
        let database = Database::fresh().await;
        // It makes the tables.
        database.store(Clock::default()).await.close().await;
        witness::call(&mut database.connection().await).await;
        let location = format!("{}?sslmode=disable&", database.location());
        Self { seed, database, location }
    }

    /// Plays it and judges it.
    pub(crate) async fn play(&self) -> Result<Judged, Unexplained> {
        let start: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
        let world = World::new(self.location.clone(), start);
        let client = async |number| Client::new(Arc::clone(&world), self.seed * 100 + number).await;
        client(0).await.open().await;
        let rounds = rounds();
        let mut tasks = Vec::new();
        for number in 1..=4 {
            tasks.push(tokio::spawn(client(number).await.run(rounds)));
        }
        for number in 5..=6 {
            tasks.push(tokio::spawn(client(number).await.wish(rounds)));
        }
        for number in 7..=8 {
            tasks.push(tokio::spawn(client(number).await.schedule(rounds)));
        }
        for number in 9..=10 {
            tasks.push(tokio::spawn(client(number).await.edit(rounds / 2)));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let mut db = self.database.connection().await;
        let changes = witness::hear(&mut db).await;
        let rows = self.database.store(Clock::default()).await.dump().await.unwrap();
        let calls = std::mem::take(&mut *world.calls.lock().unwrap());
        History { calls, changes }.judge(&rows)
    }
}
