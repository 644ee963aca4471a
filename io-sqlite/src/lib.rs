//! The Horarium store on embedded SQLite.
//!
//! Promise: every command is one `BEGIN IMMEDIATE` transaction, and no decision is taken here.
//! SQLite has one writer, so the transaction sees the whole truth: it reads the store's clock,
//! loads the slice of rows that the command reads (`slice`), lets
//! [`Ledger`](horarium_core::ledger::Ledger) decide on it, and writes the events back (`write`).
//! What is left for SQL is set selection and the mapping of rows (`row`). Retention alone
//! selects by itself (`prune`), since what it looks at is the whole history.

mod clock;
mod error;
mod network_fs;
mod open;
mod peek;
mod prune;
mod read;
mod row;
mod scheduler_lock;
mod schema;
mod slice;
mod store;
mod write;

pub use error::OpenError;
pub use network_fs::NetworkFileSystem;
pub use open::{OpenOptions, OpenWarning, Synchronous};
pub use peek::Peek;
pub use scheduler_lock::{SchedulerLock, SchedulerLockError};
pub use schema::Schema;
pub use store::SqliteStore;

pub use horarium_sql::{Clock, SchemaError, SettableClock};
