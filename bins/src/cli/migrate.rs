//! `horarium migrate`: the store's schema is made, or brought up to date.

use clap::Args;
use horarium_postgres::{OpenOptions, PostgresStore, RolePrefix};

use super::failure::Failure;
use super::terminal::Terminal;
use crate::store_location::{DEFAULT_NAME, StoreArguments, StoreLocation, StoreLocationError};

/// How to migrate.
#[derive(Debug, Args)]
pub(crate) struct Migrate {
    /// Print the statements that would be executed on a PostgreSQL server, and change nothing
    #[arg(long)]
    pub(super) print: bool,
    /// Make the roles of a ledger on a PostgreSQL server, too, or renew what they may do; their
    /// names begin with PREFIX [default: the schema's name]
    #[arg(long, value_name = "PREFIX", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "the flag may come with a value and without")]
    pub(super) roles: Option<Option<String>>,
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
                let mut script = plan.map_err(StoreLocationError::from)?;
                if let Some(prefix) = self.prefix(&options)? {
                    script += &PostgresStore::roles_script(&options, &prefix);
                }
                terminal.print(&script)
            }
            StoreLocation::Sqlite(_) => Err(Failure::Usage(String::from(
                "--print is for postgres://HOST/DATABASE; of an SQLite file, migrate a copy",
            ))),
        }
    }
    /// The roles, once the schema is up to date.
    pub(super) async fn make_roles(&self, store: &StoreArguments) -> Result<(), Failure> {
        if self.roles.is_none() {
            return Ok(());
        }
        match store.location(DEFAULT_NAME)? {
            StoreLocation::Postgres(options) => {
                if let Some(prefix) = self.prefix(&options)? {
                    PostgresStore::make_roles(&options, &prefix)
                        .await
                        .map_err(StoreLocationError::from)?;
                }
                Ok(())
            }
            StoreLocation::Sqlite(_) => Err(Failure::Usage(String::from(
                "--roles is for postgres://HOST/DATABASE; a file's permissions say who may do what",
            ))),
        }
    }

    fn prefix(&self, options: &OpenOptions) -> Result<Option<RolePrefix>, StoreLocationError> {
        let Some(given) = &self.roles else { return Ok(None) };
        let prefix = match given {
            Some(text) => text.parse()?,
            None => RolePrefix::try_from(options.schema().clone())?,
        };
        Ok(Some(prefix))
    }
}
