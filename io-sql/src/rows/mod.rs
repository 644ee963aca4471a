//! What the rows mean: one module a table.
//!
//! Promise: a row that was written is read back equal.

pub mod leadership;
pub mod occurrence;
pub mod published;
pub mod run;
pub mod runner;
pub mod worker;
