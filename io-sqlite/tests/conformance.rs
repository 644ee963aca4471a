//! The SQLite store against the suite that every store must pass.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

use conformance::Specimen;
use horarium_core::ledger::Rows;
use horarium_core::recurrence::ZoneData;
use horarium_core::store::{ReadError, Reader, Store};
use horarium_core::words::Timestamp;
use horarium_sqlite::{Clock, OpenOptions, SettableClock, SqliteStore, Synchronous};
use tempfile::TempDir;

struct InDirectory {
    store: SqliteStore,
    clock: SettableClock,
    _directory: TempDir,
}

impl Specimen for InDirectory {
    fn store(&self, zones: &ZoneData) -> impl Store + Reader {
        self.store.clone().with_zone_data(zones.clone())
    }

    fn set_clock(&self, now: Timestamp) {
        self.clock.set(now);
    }

    async fn dump(&self) -> Result<Rows, ReadError> {
        self.store.dump().await
    }
}

async fn make_store() -> InDirectory {
    let directory = tempfile::tempdir().unwrap();
    let clock = SettableClock::at(Timestamp::EPOCH);
    let options = OpenOptions::new(directory.path().join("horarium.db"))
        .synchronous(Synchronous::Normal)
        .clock(Clock::Settable(clock.clone()));
    let store = SqliteStore::open_or_create(&options).await.unwrap();
    InDirectory { store, clock, _directory: directory }
}

#[tokio::test]
async fn the_sqlite_store_conforms() {
    match conformance::exercise(make_store).await {
        Ok(coverage) => {
            for (outcome, count) in coverage.counts() {
                println!("{count:6}  {outcome}");
            }
        }
        Err(why) => panic!("{why}"),
    }
}
