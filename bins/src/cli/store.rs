//! Opening the store for a verb.

use horarium_sqlite::{OpenOptions, SqliteStore};

use super::failure::Failure;
use super::terminal::Terminal;
use crate::store_location::{DEFAULT_NAME, StoreArguments};

/// What may be done to a store that is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// Nothing: it must be there.
    Existing,
    /// A missing one is made, an old one is refused.
    Create,
    /// A missing one is made, an old one is brought up to date.
    Migrate,
}

/// Opens the store, and says what works but not well.
pub(super) async fn open(
    arguments: &StoreArguments,
    opening: Opening,
    terminal: Terminal,
) -> Result<SqliteStore, Failure> {
    let options = OpenOptions::new(arguments.path(DEFAULT_NAME)?);
    let store = match opening {
        Opening::Existing => SqliteStore::open(&options).await,
        Opening::Create => SqliteStore::open_or_create(&options).await,
        Opening::Migrate => SqliteStore::migrate(&options).await,
    };
    let store = store
        .map_err(crate::store_location::StoreLocationError::from)?
        .with_zone_data(crate::zone_data::in_force().data().clone());
    for warning in store.warnings() {
        terminal.warn(&warning.to_string());
    }
    Ok(store)
}
