//! The PostgreSQL store against the suite that every store must pass. All its ledgers lie in one
//! database, each in a schema of its own.

mod server;

use std::cell::Cell;

use conformance::Specimen;
use horarium_core::ledger::Rows;
use horarium_core::recurrence::ZoneData;
use horarium_core::store::{ReadError, Reader, Store};
use horarium_core::words::Timestamp;
use horarium_postgres::{Clock, OpenOptions, PostgresStore, SettableClock};

struct InSchema {
    store: PostgresStore,
    clock: SettableClock,
}

impl Specimen for InSchema {
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

#[tokio::test]
async fn the_postgres_store_conforms() {
    let database = server::Database::fresh().await;
    let count = Cell::new(0);
    let make_store = async || {
        count.set(count.get() + 1);
        let clock = SettableClock::at(Timestamp::EPOCH);
        let location = format!("{}?schema=ledger_{}", database.location(), count.get());
        let options = OpenOptions::at(&location)
            .unwrap()
            .connections(1)
            .clock(Clock::Settable(clock.clone()));
        PostgresStore::migrate(&options).await.unwrap();
        InSchema { store: PostgresStore::open(&options).await.unwrap(), clock }
    };
    match conformance::exercise(make_store).await {
        Ok(coverage) => {
            for (outcome, count) in coverage.counts() {
                println!("{count:6}  {outcome}");
            }
        }
        Err(why) => panic!("{why}"),
    }
}
