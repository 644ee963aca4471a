//! What the stores on SQL databases have alike: how a row is read, when a schema fits, and a clock
//! that tests can set.
//!
//! Promise: nothing here knows a database. A store brings its rows as [`Columns`] and keeps its
//! own statements; what a row means stands here, once.

pub mod clock;
pub mod columns;
pub mod rows;
pub mod schema;

pub use clock::{Clock, SettableClock};
pub use columns::{Columns, Corrupt, Fields};
pub use schema::{Migration, SchemaError};
