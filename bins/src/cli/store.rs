//! Opening the store for a verb.

use horarium_postgres::Role;

use super::failure::Failure;
use super::terminal::Terminal;
use crate::open_store::OpenStore;
use crate::store_location::{DEFAULT_NAME, Opening, StoreArguments};

/// Opens the store, and says what works but not well.
pub(super) async fn open(
    arguments: &StoreArguments,
    opening: Opening,
    terminal: Terminal,
) -> Result<OpenStore, Failure> {
    // Who migrates is the owner, who may do everything.
    let roles: &[Role] = match opening {
        Opening::Migrate => &[],
        Opening::Existing | Opening::Create => &[Role::Operator],
    };
    let store = arguments.location(DEFAULT_NAME)?.open(opening, roles).await?;
    for warning in store.warnings() {
        terminal.warn(&warning);
    }
    Ok(store)
}
