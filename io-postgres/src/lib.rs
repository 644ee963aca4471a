//! The Horarium store on PostgreSQL.
//!
//! Promise: every command is one transaction, and no decision is taken here that the core does not
//! specify. What runners do all the time (`turn`, `sweep`) and retention are one statement each,
//! which selects and changes sets; the core says which items there are and what was found means.
//! Every other command locks the rows in question (`lock`), loads the slice of rows that it reads
//! (`slice`), lets [`Ledger`](horarium_core::ledger::Ledger) decide on it, and writes the events
//! back (`write`). The conformance suite holds all of it to the ledger.
//!
//! The isolation is READ COMMITTED: the snapshot of a statement that waited for a lock is older
//! than the lock, so what a decision needs is read in a later statement, or compared once more
//! with the row as it is when it is written.

mod clock;
mod error;
mod hint;
mod leader_lock;
mod lock;
mod migrate;
mod open;
#[cfg(test)]
mod plans;
mod prune;
mod read;
mod roles;
mod row;
mod schema;
mod slice;
mod store;
mod sweep;
mod turn;
mod write;

pub use error::OpenError;
pub use hint::{Hint, Hints};
pub use leader_lock::{LeaderLock, LeaderLockError};
pub use open::{OpenOptions, SchemaName};
pub use roles::{Role, RolePrefix};
pub use schema::Schema;
pub use store::PostgresStore;

pub use horarium_sql::{Clock, SchemaError, SettableClock};
