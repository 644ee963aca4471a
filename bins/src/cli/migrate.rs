//! `horarium migrate`: the store's schema is made, or brought up to date.

use clap::Args;
use horarium_postgres::PostgresStore;

use super::failure::Failure;
use super::terminal::Terminal;
use crate::store_location::{DEFAULT_NAME, StoreArguments, StoreLocation, StoreLocationError};

/// How to migrate.
#[derive(Debug, Args)]
pub(crate) struct Migrate {
    /// Print the statements that would be executed on a PostgreSQL server, and change nothing
    #[arg(long)]
    pub(super) print: bool,
}

impl Migrate {
    /// The dry run.
    pub(super) async fn printed(
        &self,
        store: &StoreArguments,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        match store.location(DEFAULT_NAME)? {
            StoreLocation::Postgres(options) => {
                let plan = PostgresStore::migration_plan(&options).await;
                terminal.print(&plan.map_err(StoreLocationError::from)?)
            }
            StoreLocation::Sqlite(_) => Err(Failure::Usage(String::from(
                "--print is for postgres://HOST/DATABASE; of an SQLite file, migrate a copy",
            ))),
        }
    }
}
