//! Where the ledger is, and how it is opened.

use std::path::PathBuf;

use clap::Args;
use horarium_sqlite::{OpenError, OpenOptions, SqliteStore};
use tracing::warn;

use crate::exit_code::ExitCode;
use crate::zone_data;

/// Where the ledger is.
#[derive(Debug, Clone, Args)]
pub struct StoreArguments {
    /// The SQLite file of the ledger [default: horarium/horarium.db in `$XDG_STATE_HOME`, or in
    /// `~/.local/state`]
    #[arg(long, env = "HORARIUM_STORE", value_name = "FILE", global = true)]
    pub store: Option<PathBuf>,
}

/// A ledger that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreLocationError {
    /// Nobody said where, and there is no place for it by itself.
    #[error("there is no place for the ledger: set HOME or XDG_STATE_HOME, or give --store FILE")]
    NoPlace,
    /// The directory for it cannot be made.
    #[error("the directory {} for the ledger cannot be made ({source}): give --store FILE", path.display())]
    Directory {
        /// Which directory.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another kind of store than this program has.
    #[error("this program has no store for {0}: give the path of an SQLite file")]
    UnknownKind(String),
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl StoreLocationError {
    /// The exit code that says so.
    pub const fn exit_code(&self) -> ExitCode {
        match self {
            Self::Open(OpenError::Schema { .. }) => ExitCode::SchemaMismatch,
            Self::UnknownKind(_) => ExitCode::Usage,
            Self::NoPlace | Self::Directory { .. } | Self::Open(_) => ExitCode::Unreachable,
        }
    }
}

impl StoreArguments {
    /// The file, its directory made when nobody named the file.
    pub fn path(&self, default_name: &str) -> Result<PathBuf, StoreLocationError> {
        if let Some(path) = &self.store {
            if let Some((scheme, _)) = path.to_str().and_then(|path| path.split_once("://")) {
                // What follows may hold a password.
                return Err(StoreLocationError::UnknownKind(format!("{scheme}://…")));
            }
            return Ok(path.clone());
        }
        let directory = state_directory().ok_or(StoreLocationError::NoPlace)?;
        std::fs::create_dir_all(&directory)
            .map_err(|source| StoreLocationError::Directory { path: directory.clone(), source })?;
        Ok(directory.join(default_name))
    }

    /// Opens the ledger, a new one if there is none.
    pub async fn open(&self) -> Result<(SqliteStore, PathBuf), StoreLocationError> {
        let path = self.path(DEFAULT_NAME)?;
        Ok((open(&path).await?, path))
    }
}

/// The ledger's file when nobody names another.
pub const DEFAULT_NAME: &str = "horarium.db";

/// Opens the ledger at `path`, a new one if there is none, and says what does not work well.
pub async fn open(path: &std::path::Path) -> Result<SqliteStore, StoreLocationError> {
    let store = SqliteStore::open_or_create(&OpenOptions::new(path))
        .await?
        .with_zone_data(zone_data::in_force().data().clone());
    for warning in store.warnings() {
        warn!("{warning}");
    }
    Ok(store)
}

/// Where programs keep what must outlive them (XDG Base Directory Specification).
fn state_directory() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_STATE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    Some(base.join("horarium"))
}
