//! The core of Horarium: its words, the law of time and its machines. Pure: no clock, no ambient
//! randomness, no I/O, no hash-map order, no float in a decision, no panic on any input. Time
//! comes in as an argument, randomness as a seed, identifiers as inputs.

pub mod catalogue;
pub mod config;
pub mod explain;
pub mod ledger;
pub mod recurrence;
pub mod run;
pub mod runner;
pub mod schedule;
pub mod scheduler;
pub mod store;
pub mod words;
