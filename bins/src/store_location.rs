//! Where the ledger is, and how it is opened.

use std::path::PathBuf;

use clap::Args;
use horarium_postgres::PostgresStore;
pub use horarium_postgres::Role;
use horarium_sqlite::SqliteStore;
use tracing::warn;

use crate::exit_code::ExitCode;
use crate::open_store::OpenStore;
use crate::zone_data;

/// Where the ledger is.
#[derive(Debug, Clone, Args)]
pub struct StoreArguments {
    /// The ledger: an SQLite file, or `postgres://HOST/DATABASE` [default: horarium/horarium.db in
    /// `$XDG_STATE_HOME`, or in `~/.local/state`]
    // A location may hold a password, which help must not show.
    #[arg(
        long,
        env = "HORARIUM_STORE",
        hide_env_values = true,
        value_name = "LOCATION",
        global = true
    )]
    pub store: Option<PathBuf>,
}

/// A ledger's place.
#[derive(Debug, Clone)]
pub enum StoreLocation {
    /// An SQLite file.
    Sqlite(horarium_sqlite::OpenOptions),
    /// A PostgreSQL server, a database on it, and a schema in that.
    Postgres(horarium_postgres::OpenOptions),
}

/// What may be done to a store that is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Nothing: it must be there.
    Existing,
    /// A missing file is made, an old one is refused. On a server nothing is made.
    Create,
    /// What is missing is made, what is old is brought up to date.
    Migrate,
}

/// A ledger that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreLocationError {
    /// Nobody said where, and there is no place for it by itself.
    #[error(
        "there is no place for the ledger: set HOME or XDG_STATE_HOME, or give --store LOCATION"
    )]
    NoPlace,
    /// The directory for it cannot be made.
    #[error("the directory {} for the ledger cannot be made ({source}): give --store LOCATION", path.display())]
    Directory {
        /// Which directory.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another kind of store than this program has.
    #[error(
        "this program has no store for {0}: give the path of an SQLite file, or postgres://HOST/DATABASE"
    )]
    UnknownKind(String),
    /// The file cannot be opened.
    #[error(transparent)]
    Sqlite(#[from] horarium_sqlite::OpenError),
    /// The ledger on the server cannot be opened.
    #[error(transparent)]
    Postgres(#[from] horarium_postgres::OpenError),
}

impl StoreLocationError {
    /// The exit code that says so.
    pub const fn exit_code(&self) -> ExitCode {
        use horarium_postgres::OpenError as Postgres;
        match self {
            Self::Sqlite(horarium_sqlite::OpenError::Schema { .. })
            | Self::Postgres(Postgres::Schema { .. }) => ExitCode::SchemaMismatch,
            Self::UnknownKind(_)
            | Self::Postgres(
                Postgres::Location { .. }
                | Postgres::Variable { .. }
                | Postgres::SchemaName(_)
                | Postgres::RolePrefix(_),
            ) => ExitCode::Usage,
            Self::NoPlace | Self::Directory { .. } | Self::Sqlite(_) | Self::Postgres(_) => {
                ExitCode::Unreachable
            }
        }
    }
}

impl StoreArguments {
    /// The place; the directory of a file is made when nobody named the file.
    pub fn location(&self, default_name: &str) -> Result<StoreLocation, StoreLocationError> {
        let Some(named) = &self.store else {
            let directory = state_directory().ok_or(StoreLocationError::NoPlace)?;
            std::fs::create_dir_all(&directory).map_err(|source| {
                StoreLocationError::Directory { path: directory.clone(), source }
            })?;
            let path = directory.join(default_name);
            return Ok(StoreLocation::Sqlite(horarium_sqlite::OpenOptions::new(path)));
        };
        let text = named.to_str();
        match text.and_then(|text| Some((text, text.split_once("://")?.0))) {
            Some((text, "postgres" | "postgresql")) => {
                Ok(StoreLocation::Postgres(horarium_postgres::OpenOptions::at(text)?))
            }
            // What follows may hold a password.
            Some((_, scheme)) => Err(StoreLocationError::UnknownKind(format!("{scheme}://…"))),
            None => Ok(StoreLocation::Sqlite(horarium_sqlite::OpenOptions::new(named))),
        }
    }

    /// Opens the ledger for a process that works as these; a missing file is made.
    pub async fn open(&self, roles: &'static [Role]) -> Result<OpenStore, StoreLocationError> {
        let store = self.location(DEFAULT_NAME)?.open(Opening::Create, roles).await?;
        for warning in store.warnings() {
            warn!("{warning}");
        }
        Ok(store)
    }
}

impl StoreLocation {
    /// Opens the ledger for a process that works as these, which a server is asked about.
    pub async fn open(
        &self,
        opening: Opening,
        roles: &'static [Role],
    ) -> Result<OpenStore, StoreLocationError> {
        let zones = zone_data::in_force().data().clone();
        match self {
            Self::Sqlite(options) => {
                let store = match opening {
                    Opening::Existing => SqliteStore::open(options).await?,
                    Opening::Create => SqliteStore::open_or_create(options).await?,
                    Opening::Migrate => SqliteStore::migrate(options).await?,
                };
                let store = store.with_zone_data(zones);
                Ok(OpenStore::Sqlite { store, path: options.path.clone() })
            }
            Self::Postgres(options) => {
                match opening {
                    Opening::Existing | Opening::Create => {}
                    Opening::Migrate => drop(PostgresStore::migrate(options).await?),
                }
                let options = options.clone().working_as(roles);
                let store = PostgresStore::open(&options).await?.with_zone_data(zones);
                let shown = format!("postgres://{}", options.server());
                Ok(OpenStore::Postgres { store, shown })
            }
        }
    }
}

/// The ledger's file when nobody names another.
pub const DEFAULT_NAME: &str = "horarium.db";

/// Where programs keep what must outlive them (XDG Base Directory Specification).
fn state_directory() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_STATE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    Some(base.join("horarium"))
}
